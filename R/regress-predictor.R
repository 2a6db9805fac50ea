#' Regression on a randomized answer
#'
#' The randomized answer as a covariate: the effect of the *truth* on an outcome, from the reports. Several covariates may be randomized, each by its own
#' mechanism, in interactions too, and so may the outcome.
#'
#' If the reports themselves are put into [stats::lm()], the effects come out too small. Two methods avoid this:
#'
#' * `"moments"` (the default unless the family is binomial) replaces each randomized variable by unbiased scores, the row of \eqn{C^{-1}} that belongs to
#'   the report, and solves \eqn{\sum_i \sum_k u_{ik} \psi(o_i, k, z_i; \beta) = 0}{sum over i, k of u[i,k] psi(o[i], k, z[i]; b) = 0}, where \eqn{\psi}
#'   is the score of the regression that one would fit if the truths were known. It needs no model of the truth or of the errors; its variance
#'   is the sandwich. For Gaussian outcomes the estimate has a closed form.
#' * `"ml"` maximises the joint likelihood of outcome and report, with a (multinomial) logit for the truth given `truth`. It is 5 to 30 per cent more precise
#'   *if* that model is right and, for Gaussian outcomes, the errors are normal with equal variance. Otherwise it is inconsistent. In simulations with effect 1 it
#'   gave 1.232 where the errors had standard deviation 1.6 among the true and .8 among the others, and .795 with a truth model that left out the covariate; moments
#'   gave .989 and .996.
#'
#' In `formula` a variable named in `mechanisms` stands for its *truth*, a factor with the mechanism's levels: `income ~ age + tax_fraud * sex`. A response named
#' there is randomized as well: by `"moments"` its unbiased score is the outcome (so Gaussian means a linear probability model), by `"ml"` it must be a yes/no
#' question and the family binomial. All devices must be independent given the truths. For several randomized covariates the truth model is
#' a chain: each given the exact covariates and those named before it in `mechanisms`.
#'
#' @param formula Outcome to the left; to the right exact covariates and at least one variable of `mechanisms`, unless the outcome is one.
#' @param data A data frame with outcome, covariates and *reports*.
#' @param mechanisms A list of mechanisms, named by the randomized variables.
#' @param family `gaussian()`, `binomial()` or `poisson()`, each with its canonical link.
#' @param truth For `"ml"`: one-sided formula of the truth model; `~ .` are all terms of `formula` without randomized variables, `~ 1` is a constant truth.
#'   With several randomized covariates `~ 1` takes them for independent; the model of van den Hout and Kooiman is then `~ first`, with the name of the first of them.
#' @param method `"moments"` or `"ml"`; by default `"ml"` if the family is binomial.
#' @param weights,subset,na.action As in [stats::lm()].
#' @param starts Number of starting points of `"ml"`, at least 1.
#' @param ... Not used, and refused by `rr_predictor()`.
#' @return An object of class `c("rr_predictor", "rr_regression")`, see [rr_regression]. Beyond that
#'   * `coef(part = )`: `"outcome"` (default), `"truth"` (only `"ml"`), or `"both"`, a list of the two. Coefficients of the outcome are called as by [stats::lm()], `taxyes`;
#'     those of the model of the truth `taxyes ~ age`, the log odds of a true yes against the first level, on age. All functions call them so; `vcov(part = )`: `"outcome"`, `"truth"`, or
#'     `"all"` (truth, outcome and the logarithm of the error's standard deviation, in this order); `sigma()`: that standard deviation;
#'   * `predict(truth = )`: the mean outcome if the truth were `truth`, a named list of one level per randomized covariate. Without `truth` (only `"ml"`) the mean
#'     given the exact covariates; `type = "truth"` the probabilities of each truth given these, `"posterior"` given report and outcome too. `se.fit` for the mean at a `truth`.
#' @section Errors:
#' `candor_error_argument` for a randomized variable that is not in the formula, one inside a function, such as `factor(tax)` (of more than two levels numbers and conditions may be made,
#' `I(often == "daily")`), a formula without one, families, links and outcomes that are not
#' known, more than 1000 combinations of truths, and coefficients that the moments do not determine; `candor_error_level` for reports that are none, `candor_error_no_information` for a
#' mechanism whose truths cannot be told apart. Warnings as in [rr_multinom()].
#' @source van den Hout, A. and Kooiman, P. (2006). Estimating the linear regression model with categorical covariates subject to randomized response.
#'   *Computational Statistics & Data Analysis* 50, 3311-3323. \doi{10.1016/j.csda.2005.06.012} (likelihood with a constant truth).
#'
#'   Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the randomized response technique. *Journal of the American Statistical
#'   Association* 110, 1304-1319. \doi{10.1080/01621459.2015.1050028} (likelihood with a logit; the standard errors and the EM of its software are not those of that likelihood).
#'
#'   Fox, J. A. and Tracy, P. E. (1986). *Randomized Response*. Sage, chapter 5 (moments).
#'
#'   Louis, T. A. (1982). Finding the observed information matrix when using the EM algorithm. *Journal of the Royal Statistical Society B* 44,
#'   226-233. \doi{10.1111/j.2517-6161.1982.tb01203.x}
#' @seealso [rr_multinom()] for the randomized answer as outcome, [rr_association()] for correlations.
#' @examples
#' often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
#' fit <- rr_predictor(grade ~ semester + cheating, exam_simulated, list(cheating = often))
#' fit
#' predict(fit, data.frame(semester = 4), truth = list(cheating = "often"), se.fit = TRUE)
#' # With a model of the truth, and an interaction
#' rr_predictor(grade ~ semester * cheating, exam_simulated, list(cheating = often), method = "ml")
#' @export
rr_predictor <- function(formula, data, mechanisms, family = stats::gaussian(), truth = ~ ., method = c("moments",
                                                                                                        "ml"),
                         weights = NULL, subset = NULL, na.action = NULL, starts = 5, ...) {
  check_dots_empty(...)
  call <- match.call()
  family <- check_family(family)
  if (identical(method, c("moments", "ml"))) method <- if (family$family == "binomial") "ml" else "moments"
  method <- check_choice(method, "method", c("moments", "ml"))
  starts <- check_starts(starts)
  rows <- predictor_rows(call, formula, data, mechanisms, truth, parent.frame())
  rows$family <- family
  rows$outcome <- predictor_outcome(rows, method)
  if (method == "ml") tell_sampling_weights(rows$weights)
  fit <- if (method == "moments") fit_moments(rows) else fit_mixture(rows, starts)
  structure(
    c(fit, list(n = sum(rows$weights > 0), weights = rows$weights, method = method, family = family,
                mechanism = rows$mechanisms, rows = rows, frame = rows$frame, terms = rows$terms,
                dropped = length(attr(rows$frame, "na.action")), call = call, title = predictor_title(rows, method))),
    class = c("rr_predictor", "rr_regression")
  )
}

predictor_title <- function(rows, method) {
  what <- switch(rows$family$family, gaussian = "Linear", binomial = "Logistic", poisson = "Poisson")
  sprintf("%s regression on %s, %s", what, if (length(rows$covariates)) "randomized covariates" else "exact covariates",
          if (method == "ml") "maximum likelihood" else "by moments")
}

canonical_links <- c(gaussian = "identity", binomial = "logit", poisson = "log")

check_family <- function(family) {
  if (is.character(family) && length(family) == 1L && family %in% names(canonical_links)) {
    family <- get(family, envir = asNamespace("stats"))
  }
  if (is.function(family)) family <- tryCatch(family(), error = function(e) family)
  if (inherits(family, "family") && identical(unname(canonical_links[family$family]), family$link)) return(family)
  shown <- if (inherits(family, "family")) sprintf("%s with link %s", family$family, family$link) else describe(family)
  abort(c("{.arg family} must be gaussian(), binomial() or poisson(), with the canonical link.", x = "It is {shown}."),
        "argument")
}

# The variables as they stand, one row per respondent; designs are made of them once the truths are filled in.
predictor_rows <- function(call, formula, data, mechanisms, truth, where) {
  check_formula(formula)
  if (!is.data.frame(data)) abort(c("{.arg data} must be a data frame.", x = "It is {describe(data)}."), "argument")
  mechanisms <- check_randomized(mechanisms)
  terms <- stats::terms(formula, data = data)
  response <- deparse1(formula[[2]])
  right <- all.vars(stats::delete.response(terms))
  absent <- setdiff(names(mechanisms), c(right, response))
  if (length(absent)) {
    abort(c("Randomized variables must be in {.arg formula}.", x = "{.val {absent[1]}} is not.",
            i = "Add it, or leave its mechanism out."), "argument")
  }
  if (!inherits(truth, "formula") || length(truth) != 2L) {
    abort(c("{.arg truth} must be a one-sided formula.", x = "It is {describe(truth)}.",
            i = "For example {.code ~ age}."),
          "argument")
  }
  check_terms(formula)
  check_terms(truth)
  covariates <- intersect(names(mechanisms), right)
  check_plain_truths(terms, mechanisms)
  check_plain_truths(stats::terms(truth, allowDotAsName = TRUE), mechanisms)
  known <- intersect(unique(c(all.vars(terms), setdiff(all.vars(truth), "."))), c(names(data), all.vars(terms)))
  wide <- stats::reformulate(sprintf("`%s`", known))
  environment(wide) <- environment(formula)
  frame <- regression_frame(call, wide, data, where, names(mechanisms), response)
  if (response %in% names(mechanisms) && !is.name(formula[[2]])) {
    abort(c("A randomized response must be a column.", x = "It is {.code {response}}."), "argument")
  }
  channels <- lapply(stats::setNames(nm = names(mechanisms)), function(name) {
    unname(identified_channel(mechanisms[[name]], name))
  })
  codes <- lapply(stats::setNames(nm = names(mechanisms)), function(name) {
    code <- report_codes(frame[[name]], mechanisms[[name]], name)
    check_possible(code, channels[[name]], mechanisms[[name]], name)
    code
  })
  levels <- lapply(mechanisms[covariates], `[[`, "levels")
  if (prod(lengths(levels)) > 1000) {
    abort(c("Too many combinations of truths.",
            x = "There are {format_count(prod(lengths(levels)))}; the limit is 1000.",
            i = "Use fewer randomized covariates at a time."), "argument")
  }
  cells <- if (length(levels)) expand.grid(lapply(levels, seq_along),
                                           KEEP.OUT.ATTRS = FALSE) else data.frame(row.names = 1)
  rows <- list(frame = frame, weights = frame_weights(frame), terms = terms, response = response,
               covariates = covariates,
               mechanisms = mechanisms, channels = channels, codes = codes, levels = levels, cells = cells,
               truth_formulas = truth_formulas(truth, terms, covariates))
  rows$x <- predictor_designs(stats::delete.response(terms), frame, rows)
  rows$made <- attr(rows$x, "made")
  rows$keep <- independent_columns(do.call(rbind, rows$x), rep(rows$weights, length(rows$x)))
  rows$names <- colnames(rows$x[[1]])
  rows$x <- lapply(rows$x, function(x) x[, rows$keep, drop = FALSE])
  check_enough_rows(sum(rows$weights > 0), length(rows$keep))
  rows
}

# A randomized variable is a factor of its truths already. Of two levels no function makes another variable; of more it
# may make a number or a condition, as in I(q == "often"), which is one.
check_plain_truths <- function(terms, mechanisms) {
  variables <- as.list(attr(terms, "variables"))[-1]
  if (attr(terms, "response")) variables <- variables[-attr(terms, "response")]
  for (written in Filter(is.call, variables)) for (name in intersect(all.vars(written), names(mechanisms))) {
    levels <- mechanisms[[name]]$levels
    truth <- stats::setNames(list(factor(levels, levels)), name)
    value <- tryCatch(suppressWarnings(eval(written, truth, environment(terms))), error = function(e) NULL)
    if (length(levels) > 2L && (is.numeric(value) || is.logical(value))) next
    abort(c("{.arg formula} must name the randomized {.val {name}} plainly.", x = "It has {.code {deparse1(written)}}.",
            i = "Write {.code {name}}: its truth is a factor with the levels {format_labels(levels)}.",
            i = plain_remedy(written, name, levels)), "argument")
  }
}

plain_remedy <- function(written, name, levels) {
  others <- setdiff(all.vars(written), name)
  if (length(others)) return(sprintf("An interaction is `%1$s:%2$s`, or `%1$s * %2$s` with both.", name, others[1]))
  if ("relevel" %in% all.names(written)) {
    paste("Its coefficients are against {.val {levels[1]}};",
          if (length(levels) == 2L) "against {.val {levels[2]}} they have the other sign."
          else "against another level they are differences of them.")
  } else if (length(levels) == 2L) "Its coefficient is of {.val {levels[2]}} against {.val {levels[1]}}."
}

check_randomized <- function(mechanisms) {
  names <- names(mechanisms)
  if (!is.list(mechanisms) || inherits(mechanisms, "rr_mechanism") || !length(mechanisms) || is.null(names) ||
      !all(nzchar(names)) || anyDuplicated(names)) {
    abort(c("{.arg mechanisms} must be a list of mechanisms, named by the randomized variables.",
            x = "It is {describe(mechanisms)}.", i = "For example {.code list(fraud = rr_warner(0.8))}."), "argument")
  }
  for (name in names) {
    mechanism <- check_mechanism(mechanisms[[name]], name)
    if (inherits(mechanism, "rr_product")) {
      abort(c("{.arg {name}} must be a single question.", x = "It is a product of questions.",
              i = "Name its questions one by one in {.arg mechanisms}."), "argument")
    }
  }
  mechanisms
}

# The truth model of each randomized covariate: the exact terms, and the randomized covariates before it.
truth_formulas <- function(truth, terms, covariates) {
  labels <- attr(terms, "term.labels")
  free <- vapply(labels, function(label) !any(all.vars(str2lang(label)) %in% covariates), NA)
  full <- "." %in% all.vars(truth)
  own <- attr(stats::terms(truth, data = data.frame(row.names = 1), allowDotAsName = TRUE), "term.labels")
  own <- setdiff(own, ".")
  out <- lapply(seq_along(covariates), function(j) {
    later <- covariates[j:length(covariates)]
    kept <- own[vapply(own, function(label) !any(all.vars(str2lang(label)) %in% later), NA)]
    used <- unique(c(if (full) c(labels[free], sprintf("`%s`", covariates[seq_len(j - 1)])), kept))
    formula <- if (length(used)) stats::reformulate(used) else ~ 1
    environment(formula) <- environment(terms)
    formula
  })
  stats::setNames(out, covariates)
}

# One design matrix per combination of truths: the randomized columns replaced by their truths. `made` is that of the
# fit: new rows have its terms, with their bases of curves and their centres, its levels and its contrasts.
predictor_designs <- function(terms, frame, rows, made = NULL) {
  designs <- lapply(seq_len(max(1L, nrow(rows$cells))), function(cell) {
    model <- stats::model.frame(made$terms %||% terms, fill_truths(frame, rows, cell), na.action = stats::na.pass,
                                xlev = made$xlevels)
    own <- attr(model, "terms")
    x <- stats::model.matrix(own, model, contrasts.arg = made$contrasts)
    if (!all(is.finite(x))) abort(c("Covariates must be finite.", x = "Some values of the design are not."), "argument")
    if (is.null(made)) {
      made <<- list(terms = own, xlevels = stats::.getXlevels(own, model), contrasts = attr(x, "contrasts"))
    }
    x
  })
  structure(designs, made = made)
}

fill_truths <- function(frame, rows, cell) {
  for (name in rows$covariates) {
    levels <- rows$levels[[name]]
    frame[[name]] <- factor(rep(levels[rows$cells[[name]][cell]], nrow(frame)), levels)
  }
  frame
}

# The outcome as numbers; for a randomized one its unbiased score (moments) or its reports (likelihood).
predictor_outcome <- function(rows, method) {
  name <- rows$response
  if (name %in% names(rows$mechanisms)) {
    if (length(rows$mechanisms[[name]]$levels) != 2L) {
      abort(c("A randomized outcome must be a yes/no question here.",
              x = "{.val {name}} has {length(rows$mechanisms[[name]]$levels)} categories.",
              i = "Without randomized covariates {.fn rr_multinom} takes it."), "argument")
    }
    if (method == "moments") return(unbiased_matrix(rows$channels[[name]])[rows$codes[[name]], 2])
    if (rows$family$family != "binomial") {
      abort(c("The likelihood of a randomized outcome needs {.code family = binomial()}.",
              x = "It is {rows$family$family}.", i = "Or take {.code method = \"moments\"}."), "argument")
    }
    return(NULL)
  }
  value <- eval(rows$terms[[2]], rows$frame, environment(rows$terms))
  if (rows$family$family == "binomial") {
    if (is.factor(value) && nlevels(value) == 2L) value <- as.integer(value) - 1L
    if (is.logical(value)) value <- as.integer(value)
  }
  good <- is.numeric(value) && is.null(dim(value)) && all(is.finite(value)) &&
    switch(rows$family$family, gaussian = TRUE, binomial = all(value %in% 0:1),
           poisson = all(value >= 0 & value == floor(value)))
  if (good) return(as.double(value))
  wanted <- switch(rows$family$family, gaussian = "finite numbers",
                   binomial = "0 and 1, logical, or a factor of two levels",
                   poisson = "whole numbers, at least 0")
  abort(c("The outcome {.val {name}} must be {wanted}.", x = "It is {describe(value)}."), "argument")
}
