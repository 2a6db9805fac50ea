#' Regression with a randomized covariate
#'
#' `rr_predictor()` estimates the effect of a *true* answer on an outcome, from the reports. Several covariates may be randomized, each by its own
#' mechanism, including interactions, and so may the outcome. Reports that are put into [stats::lm()] give effects that are too small.
#'
#' * `"moments"` (default unless the family is binomial): each randomized variable is replaced by unbiased scores, the row of \eqn{C^{-1}} of its
#'   report. Assumes only the regression; sandwich variance.
#' * `"ml"` (default if binomial): joint likelihood of outcome and report, with a (multinomial) logit for the truth given `truth`. Assumes the model
#'   of the truth; for Gaussian outcomes normal errors of equal variance. Otherwise inconsistent.
#'
#' The moments solve \eqn{\sum_i \sum_k u_{ik} \psi(o_i, k, z_i; \beta) = 0}{sum over i, k of u[i,k] psi(o[i], k, z[i]; b) = 0}, with \eqn{\psi} the score of the regression that one would fit
#' to the truths. `"ml"` is 5 to 30% more precise if its assumptions hold. Otherwise it may be off by a fifth of an effect; moments are not.
#'
#' A variable named in `mechanisms` stands in `formula` for its *truth*, a factor with the mechanism's levels: `income ~ age + tax_fraud * sex`. A response named
#' there is randomized too. By `"moments"` its unbiased score is the outcome, so Gaussian means a linear probability model. `"ml"` requires a yes/no
#' question as the response, and the binomial family. All devices must be independent given the truths.
#'
#' `"ml"` evaluates each different row at each combination of truths, so several randomized covariates and thousands of different rows can take ten seconds.
#' A progress bar shows that it works. `starts = 1` is several times quicker, and moments take less than a second.
#'
#' Does a randomized variable matter? `car::linearHypothesis(fit, c("cheatingonce = 0", "cheatingoften = 0"))` tests its coefficients together; `tidy(fit, exponentiate = TRUE)` gives odds ratios.
#'
#' @param formula Outcome to the left; to the right exact covariates and at least one variable of `mechanisms`, unless the outcome is one.
#' @param data A data frame with outcome, covariates and *reports*, or a survey design (see [rr_glm()]).
#' @param mechanisms A list of mechanisms, named by the randomized variables. If the rows of a covariate were randomized by different mechanisms, its element is a named list of
#'   them, and `arm` names the mechanism of each row.
#' @param arm Column of `data` that names the mechanism of each row, for covariates with a list of mechanisms.
#' @param family `gaussian()` (default), `binomial()` or `poisson()`, each with its canonical link.
#' @param truth For `"ml"` in `rr_predictor()`: one-sided formula of the model of the truth. Default `~ .`, all terms of `formula` without randomized variables; `~ 1` is a constant truth. Each of
#'   several randomized covariates is modelled given those named before it in `mechanisms`. `~ 1` assumes that they are independent; `~ first`, the name of the first, is the model of van den Hout
#'   and Kooiman. For `predict()`: a named list of one level per randomized covariate.
#' @param method `"moments"` or `"ml"`, see above.
#' @param weights,subset,na.action As in [stats::lm()].
#' @param starts Number of starting points of `"ml"`, a whole number of at least 1; default 5.
#' @param object,x A fit of `rr_predictor()`.
#' @param part `"outcome"` (default), `"truth"`, or all coefficients (`"both"` for `coef()`, `"all"` for `vcov()`).
#' @param type For `vcov()` `"observed"` (default of `"ml"`) `"sandwich"` (the only type of `"moments"` without a design) or `"survey"` (default with a design). For `predict()` `"outcome"` (default), `"link"`, `"truth"`, `"posterior"` or `"report"`.
#' @param cluster For the sandwich, see [regression_methods].
#' @param newdata A data frame; default the data of the fit.
#' @param se.fit Logical, default `FALSE`. Return a list of `fit` and `se.fit`? For the mean at a `truth`.
#' @param ... Not used; `rr_predictor()` refuses further arguments.
#' @return An object of class `c("rr_predictor", "rr_regression")`, with the methods of [regression_methods] and
#'
#'   * `coef(part = )`: `"outcome"` (default), `"truth"` (`"ml"` only), or `"both"`, a list. Coefficients of the outcome have the names of [stats::lm()],
#'     `taxyes`; coefficients of the truth have names such as `taxyes ~ age`.
#'   * `vcov(part = )`: `"outcome"`, `"truth"`, or `"all"` (truth, outcome, logarithm of the standard deviation of the error).
#'   * `sigma()`: standard deviation of the error.
#'   * `predict(truth = )`: mean outcome if the truth were `truth`.
#'   * `predict()` (`"ml"` only): mean outcome given the exact covariates; type `"truth"`: probabilities of each truth; `"posterior"`: given report and outcome too.
#'   * `fitted()`, `predict(type = "report")`: mean outcome as reported. For a randomized outcome it is the probability of a reported yes, otherwise `predict()`.
#'   * `augment()`: the data with `.fitted` and `.posterior.<level>` (`"ml"` only).
#' @section Errors and warnings:
#' Errors: `candor_error_argument`, `candor_error_law` (internal validation studies), `candor_error_level`, `candor_error_no_information` (the truths cannot be told apart). Warnings as in [rr_multinom()]. See [candor_conditions].
#' @references van den Hout, A. and Kooiman, P. (2006). Estimating the linear regression model with categorical covariates subject to randomized response.
#'   *Computational Statistics & Data Analysis* 50, 3311-3323. \doi{10.1016/j.csda.2005.06.012} (likelihood with a constant truth)
#'
#'   Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the randomized response technique. *Journal of the American Statistical
#'   Association* 110, 1304-1319. \doi{10.1080/01621459.2015.1050028} (likelihood with a logit; the standard errors of its software differ)
#'
#'   Fox, J. A. and Tracy, P. E. (1986). *Randomized Response*. Sage, chapter 5. \doi{10.4135/9781412985581} (moments)
#'
#'   Louis, T. A. (1982). Finding the observed information matrix when using the EM algorithm. *Journal of the Royal Statistical Society B* 44,
#'   226-233. \doi{10.1111/j.2517-6161.1982.tb01203.x}
#' @seealso [regression_methods] for the methods, [rr_multinom()] for the randomized answer as outcome, [rr_association()] for correlations.
#' @concept misclassified covariate
#' @concept simex
#' @concept randomized predictor
#' @concept measurement error
#' @examples
#' # What is the effect of cheating on the grade? (In truth 0.5 for "often".)
#' often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
#' fit <- rr_predictor(grade ~ semester + cheating, exam_simulated,
#'                     list(cheating = often))
#' tidy(fit, conf.int = TRUE)
#' coef(lm(grade ~ semester + cheating, exam_simulated))["cheatingoften"]
#' # 0.50; taking the reports for truths would give 0.31
#' predict(fit, data.frame(semester = 4), truth = list(cheating = "often"),
#'         se.fit = TRUE)
#'
#' # With a model of the truth
#' rr_predictor(grade ~ semester + cheating, exam_simulated,
#'              list(cheating = often), method = "ml")
#' @export
rr_predictor <- function(
  formula,
  data = NULL,
  mechanisms,
  family = gaussian(),
  truth = ~ .,
  method = NULL,
  weights = NULL,
  subset = NULL,
  na.action = NULL,
  starts = 5,
  arm = NULL,
  ...
) {
  check_dots_empty(...)
  call <- match.call()
  family <- canonical_family(family)
  method <- check_choice(
    method %||% if (family$family == "binomial") "ml" else "moments", "method", c("moments", "ml")
  )
  starts <- check_starts(starts)
  check_randomized(mechanisms)
  design <- given_design(data, call)
  frame_call <- design_call(call, design)
  data <- design$variables %||% data
  rows <- predictor_rows(frame_call, formula, data, mechanisms, truth, parent.frame())
  refuse_predictor_study(flat_mechanisms(mechanisms), method)
  scale <- design_scale(design, rows$weights)
  rows$weights <- rows$weights * scale
  rows$family <- family
  rows$outcome <- predictor_outcome(rows, method)
  if (method == "ml" && is.null(design)) tell_sampling_weights(rows$weights)
  fit <- new_rr_predictor(
    if (method == "moments") fit_moments(rows) else fit_mixture(rows, starts),
    rows,
    method,
    call
  )
  mixture <- if (method == "ml" && inherits(design, "svyrep.design")) {
    suppressMessages(new_mixture(rows))
  }
  with_design(fit, design, scale, function(w) predictor_replicate(fit, mixture, w * scale))
}

# The least-squares inverse of a channel with more reports than truths has other derivatives.
refuse_predictor_study <- function(mechanisms, method) {
  has_spare_reports <- vapply(mechanisms, function(m) length(m$reports) > length(m$levels), NA)
  refuse_study_beside(mechanisms, "{.fn rr_predictor}", c(
    `moments and more reports than truths` = method == "moments" && any(has_spare_reports)
  ))
}

canonical_family <- function(family) {
  if (is.function(family)) family <- family()
  canonical <- c(gaussian = "identity", binomial = "logit", poisson = "log")
  check_that(
    inherits(family, "family") && identical(unname(canonical[family$family]), family$link),
    family, "family", "gaussian(), binomial() or poisson(), with the canonical link"
  )
  family
}

new_rr_predictor <- function(fit, rows, method, call) {
  regression <- c(gaussian = "Linear", binomial = "Logistic", poisson = "Poisson")[[
    rows$family$family
  ]]
  structure(
    c(
      fit,
      list(
        n = sum(rows$weights > 0),
        weights = rows$weights,
        method = method,
        family = rows$family,
        mechanism = flat_mechanisms(rows$mechanisms),
        rows = rows,
        frame = rows$frame,
        terms = rows$terms,
        call = call,
        title = paste(
          regression, "regression by", if (method == "ml") "maximum likelihood" else "moments"
        )
      )
    ),
    class = c("rr_predictor", "rr_regression")
  )
}

# The estimate with replicate weights; `parts` are those of the likelihood.
predictor_replicate <- function(fit, mixture, weights) {
  rows <- fit$rows
  rows$weights <- weights
  if (fit$method == "moments") {
    return(tryCatch(fit_moments(rows, fit$estimate)$estimate, error = function(e) {
      NA * fit$estimate
    }))
  }
  mixture <- with_reports(mixture, rows$codes, weights)
  climb_replicate(mixture_model(mixture, rownames(fit$vcov), fit$b), fit$b)
}

# ---- rows ----

# The variables as they stand, one row per respondent; designs are made of them once the truths are
# filled in.
predictor_rows <- function(call, formula, data, mechanisms, truth, where) {
  check_formula(formula)
  check_class(data, "data", "data.frame", "a data frame")
  names <- names(mechanisms)
  terms <- terms(formula, data = data)
  response <- deparse1(formula[[2]])
  right <- all.vars(delete.response(terms))
  absent <- setdiff(names, c(right, response))
  if (length(absent)) {
    abort(c(
      paste(
        "Randomized variables must be in {.arg formula}: {.val",
        "{absent[1]}}; the response as a column."
      ),
      i = "Leave a variable out of {.arg mechanisms} to fit the model without it."
    ))
  }
  check_truth_formula(truth)
  check_terms(formula)
  exact <- intersect(
    unique(c(all.vars(terms), setdiff(all.vars(truth), "."))),
    c(names(data), all.vars(terms))
  )
  wide <- reformulate(sprintf("`%s`", exact), env = environment(formula))
  frame <- regression_frame(call, wide, data, where, names, response)
  if (response %in% names && !inherits(mechanisms[[response]], "rr_mechanism")) {
    abort("A randomized outcome must have one mechanism.")
  }
  covariates <- intersect(names, right)
  rows <- c(
    list(
      frame = frame,
      weights = frame_weights(frame),
      terms = terms,
      response = response,
      covariates = covariates,
      mechanisms = mechanisms
    ),
    randomized_parts(mechanisms, frame, covariates),
    list(truth_formulas = truth_formulas(truth, terms, covariates))
  )
  rows <- c(rows, model_designs(delete.response(terms), rows))
  check_enough_rows(sum(rows$weights > 0), length(rows$keep))
  rows
}

check_randomized <- function(mechanisms) {
  names <- names(mechanisms)
  single <- vapply(
    flat_mechanisms(mechanisms), function(m) inherits(m, "rr_mechanism") && is.null(m$questions), NA
  )
  check_that(
    is.list(mechanisms) && all(single) && length(names) && all(nzchar(names)) &&
      !anyDuplicated(names),
    mechanisms, "mechanisms",
    "a list of mechanisms of single questions, named by the randomized variables"
  )
}

check_truth_formula <- function(truth) {
  check_one_sided(truth, "truth")
  check_terms(truth)
}

# The codes and channels of each randomized variable, and the combinations of truths of the
# covariates.
randomized_parts <- function(mechanisms, frame, covariates) {
  reports <- Map(
    function(mechanism, name) read_randomized(mechanism, name, frame), mechanisms, names(mechanisms)
  )
  elements_of <- function(what) lapply(reports, `[[`, what)
  levels <- elements_of("levels")[covariates]
  if (prod(lengths(levels)) > 1000) abort("There must be at most 1000 combinations of truths.")
  cells <- if (length(levels)) expand.grid(Map(factor, levels, levels), KEEP.OUT.ATTRS = FALSE)
    else data.frame(row.names = 1)
  list(
    channels = elements_of("channel"),
    codes = elements_of("codes"),
    unbiased = elements_of("unbiased"),
    columns = elements_of("columns"),
    arms = elements_of("arm"),
    levels = levels,
    cells = cells
  )
}

# Mechanisms, and those in lists of them.
flat_mechanisms <- function(mechanisms) {
  unlist(
    lapply(mechanisms, function(mechanism) {
      if (inherits(mechanism, "rr_mechanism")) list(mechanism) else mechanism
    }),
    FALSE
  )
}

# A randomized variable. The channels of the mechanisms of an arm each stand side by side: the
# reports of an arm are its `columns` of the whole.
read_randomized <- function(mechanism, name, frame) {
  alone <- inherits(mechanism, "rr_mechanism")
  mechanisms <- if (alone) list(mechanism) else mechanism
  arm <- if (alone) {
    rep(1L, nrow(frame))
  } else {
    match_arms(frame[["(arm)"]], names(mechanisms), nrow(frame)) + 1L
  }
  levels <- unique(lapply(unname(mechanisms), `[[`, "levels"))
  if (length(levels) != 1L) {
    abort("The mechanisms of {.val {name}} must have the same levels.", "mismatch")
  }
  channels <- lapply(unname(mechanisms), function(one_mechanism) {
    unname(identified_channel(one_mechanism, name))
  })
  sizes <- vapply(channels, ncol, 0L)
  columns <- Map(
    function(size, end) end - size + seq_len(size), sizes, cumsum(sizes)
  )
  codes <- integer(nrow(frame))
  for (a in seq_along(mechanisms)) {
    arm_reports <- report_codes(frame[[name]][arm == a], mechanisms[[a]], name)
    check_possible(arm_reports, channels[[a]], mechanisms[[a]], name)
    codes[arm == a] <- columns[[a]][arm_reports]
  }
  list(
    levels = levels[[1]],
    channel = do.call(cbind, channels),
    codes = codes,
    columns = columns,
    arm = arm,
    unbiased = do.call(rbind, lapply(channels, unbiased_matrix))
  )
}

# The truth model of each randomized covariate: the exact terms, and the randomized covariates
# before it.
truth_formulas <- function(truth, terms, covariates) {
  free_of <- function(labels, names) {
    labels[
      !vapply(labels, function(label) any(all.vars(str2lang(label)) %in% names), NA)
    ]
  }
  term_labels <- attr(terms(truth, allowDotAsName = TRUE), "term.labels")
  full <- "." %in% all.vars(truth)
  exact <- if (full) free_of(attr(terms, "term.labels"), covariates)
  out <- lapply(seq_along(covariates), function(j) {
    before <- if (full) sprintf("`%s`", covariates[seq_len(j - 1)])
    used <- unique(c(
      exact, before, free_of(term_labels, c(".", covariates[j:length(covariates)]))
    ))
    formula <- if (length(used)) reformulate(used) else ~ 1
    environment(formula) <- environment(terms)
    formula
  })
  setNames(out, covariates)
}

# One design matrix per combination of truths: the randomized columns replaced by their truths.
# `template` is that of the fit: new rows have its terms, with their bases of curves and their
# centres, its levels and its contrasts.
predictor_designs <- function(terms, frame, rows, template = NULL) {
  designs <- lapply(seq_len(nrow(rows$cells)), function(cell) {
    for (name in rows$covariates) {
      frame[[name]] <- rep(rows$cells[[name]][cell], nrow(frame))
    }
    model <- model.frame(
      template$terms %||% terms, frame, na.action = na.pass, xlev = template$xlevels
    )
    model_terms <- attr(model, "terms")
    x <- model.matrix(model_terms, model, contrasts.arg = template$contrasts)
    if (is.null(template)) {
      template <<- list(
        terms = model_terms,
        xlevels = .getXlevels(model_terms, model),
        contrasts = attr(x, "contrasts")
      )
    }
    x
  })
  structure(designs, template = template)
}

# The designs of a fit without columns that are combinations of others, and z = x back in orthogonal
# columns.
model_designs <- function(terms, rows) {
  designs <- predictor_designs(terms, rows$frame, rows)
  weights <- rep(rows$weights, length(designs))
  keep <- independent_columns(do.call(rbind, designs), weights)
  x <- lapply(designs, function(x) x[, keep, drop = FALSE])
  back <- orthogonal_columns(do.call(rbind, x), weights)$back
  list(
    x = x,
    z = lapply(x, function(x) unname(x %*% back)),
    back = back,
    keep = keep,
    names = colnames(designs[[1]]),
    template = attr(designs, "template")
  )
}

# The outcome as numbers; for a randomized one its unbiased score (moments) or nothing (likelihood).
predictor_outcome <- function(rows, method) {
  name <- rows$response
  family <- rows$family$family
  if (name %in% names(rows$mechanisms)) {
    if (length(rows$mechanisms[[name]]$levels) != 2L ||
        (method == "ml" && family != "binomial")) {
      abort("A randomized outcome must be a yes/no question, and by {.val ml} the family binomial.")
    }
    return(if (method == "moments") {
      rows$unbiased[[name]][rows$codes[[name]], 2]
    })
  }
  value <- eval(rows$terms[[2]], rows$frame, environment(rows$terms))
  if (family == "binomial") {
    if (is.factor(value) && nlevels(value) == 2L) value <- as.integer(value) - 1L
    if (is.logical(value)) value <- as.integer(value)
  }
  is_valid <- is.numeric(value) && is.null(dim(value)) && all(is.finite(value)) && switch(
    family,
    gaussian = TRUE,
    binomial = all(value %in% 0:1),
    poisson = all(value >= 0 & value == floor(value))
  )
  if (is_valid) return(check_size(as.double(value), name))
  abort(c(
    paste(
      "The outcome {.val {name}} must be finite numbers: 0 and 1 if",
      "binomial, whole and at least 0 if Poisson."
    ),
    x = "It is {describe(value)}."
  ))
}

# Squares of other sizes, and their products, are no numbers of the machine.
check_size <- function(value, name) {
  size <- max(abs(value))
  if (size == 0 || (size > 1e-100 && size < 1e100)) return(value)
  abort(c(
    "The outcome {.val {name}} must be of a size between 1e-100 and 1e100.",
    x = "Its largest is {size}."
  ))
}

# ---- corrected estimating equations ----

# Weight of each respondent in each combination of truths: products of the unbiased scores. They may
# be negative, and add up to 1.
moment_shares <- function(rows) {
  u <- matrix(1, nrow(rows$frame), length(rows$x))
  for (name in rows$covariates) {
    u <- u * rows$unbiased[[name]][
      rows$codes[[name]], rows$cells[[name]], drop = FALSE
    ]
  }
  u
}

moment_scores <- function(rows, b) {
  rows$outcome <- predictor_outcome(rows, "moments")
  moment_equation(rows, rows$x, moment_shares(rows), b)$psi
}

fit_moments <- function(rows, start = numeric(length(rows$keep))) {
  u <- moment_shares(rows) * rows$weights
  if ("(Intercept)" %in% colnames(rows$x[[1]]) && rows$family$family != "gaussian" &&
      all(start == 0)) {
    mean <- max(weighted.mean(rows$outcome, rows$weights), 0.02)
    start[1] <- rows$family$linkfun(
      if (rows$family$family == "binomial") min(mean, 0.98) else mean
    )
  }
  solved <- solve_moments(
    function(b) moment_equation(rows, rows$z, u, b),
    backsolve(rows$back, start)
  )
  b <- drop(rows$back %*% solved$b)
  names <- rows$names[rows$keep]
  coefficients <- spread_coefficients(setNames(b, names), rows$names)
  bread <- rows$back %*% solve(solved$slope) %*% t(rows$back)
  scores <- solved$psi %*% triangular_inverse(rows$back)
  V <- structure(
    bread %*% crossprod(scores) %*% t(bread),
    dimnames = list(names, names)
  )
  list(
    coefficients = coefficients,
    estimate = b,
    vcov = V,
    bread = bread,
    scores = scores,
    sigma = moment_sigma(rows, u, b),
    df = length(names),
    outcome = seq_along(names),
    b = solved$b
  )
}

# The equations of moments: the summand of each respondent, their sums, and minus their derivatives,
# in the columns of these designs.
moment_equation <- function(rows, designs, u, b) {
  slope <- psi <- 0
  for (cell in seq_along(designs)) {
    x <- designs[[cell]]
    mu <- rows$family$linkinv(drop(x %*% b))
    slope <- slope +
      crossprod(x * (u[, cell] * rows$family$variance(mu)), x)
    psi <- psi + x * (u[, cell] * (rows$outcome - mu))
  }
  list(slope = slope, psi = psi, equation = colSums(psi))
}

# The standard deviation of the errors of an exact Gaussian outcome.
moment_sigma <- function(rows, u, b) {
  if (rows$family$family != "gaussian" || rows$response %in% names(rows$mechanisms)) {
    return(NULL)
  }
  square <- sum(
    u * vapply(
      rows$x, function(x) drop(rows$outcome - x %*% b)^2,
      numeric(nrow(u))
    )
  )
  n <- sum(rows$weights > 0)
  sqrt(
    max(square, 0) / sum(rows$weights) * n /
      max(n - length(b), 1)
  )
}

# ---- the likelihood of a mixture over the truths ----

# Parameters: the truth models' coefficients (covariate by covariate, level by level), the
# outcome's, and for a Gaussian outcome the logarithm of its standard deviation. Gaussian outcomes
# are in units of the standard deviation of all. All designs are linear in few columns `exact`: a
# linear predictor is exact %*% map %*% b, and each combination of truths has its own map.
new_mixture <- function(rows) {
  gaussian <- rows$family$family == "gaussian"
  unit <- if (gaussian) max(sd(rows$outcome), 1e-300) else 1
  truth <- lapply(rows$covariates, truth_model, rows = rows)
  # Cells of the mixture: combinations of truths, and of the outcome's truth if that is not seen
  # either.
  hidden <- rows$response %in% names(rows$mechanisms)
  cells <- expand.grid(
    cell = seq_along(rows$x), outcome = if (hidden) 0:1 else NA
  )
  back <- c(
    lapply(truth, function(one_model) {
      kronecker(diag(one_model$k - 1L), one_model$back)
    }),
    list(rows$back * unit), if (gaussian) list(diag(1))
  )
  sizes <- vapply(back, ncol, 0L)
  models <- c(truth, list(rows))
  exact <- model_columns(models, rows$weights)
  truth <- Map(
    function(one_model, maps) c(one_model, list(maps = maps)), truth,
    exact$maps[seq_along(truth)]
  )
  maps <- lapply(truth, truth_map)
  maps$outcome <- do.call(rbind, exact$maps[[length(models)]])
  if (gaussian) maps$error <- diag(1)
  n_levels <- vapply(truth, `[[`, 0L, "k")
  n_designs <- vapply(truth, function(one_model) length(one_model$first), 0L)
  mixture <- list(
    channels = rows$channels,
    levels = rows$cells,
    columns = c(exact$columns, list(if (!hidden) rows$outcome)),
    exact = exact$z,
    outcome = if (!hidden) rows$outcome / unit,
    truth = truth,
    distribution = match(rows$family$family, c("gaussian", "binomial", "poisson")) - 1L,
    map = t(block_diagonal(maps)),
    cell_outcomes = as.double(cells$outcome),
    n_levels = n_levels,
    n_designs = n_designs,
    cells = cells,
    back = block_diagonal(back),
    size = sum(sizes),
    gaussian = gaussian,
    unit = unit,
    shift = c(numeric(sum(sizes) - gaussian), if (gaussian) log(unit))
  )
  mixture <- c(mixture, cell_predictors(mixture))
  with_reports(mixture, rows$codes, rows$weights)
}

# The truth model of one randomized covariate: its distinct designs, and which of them, and which
# level, a cell has.
truth_model <- function(name, rows) {
  formula <- rows$truth_formulas[[name]]
  used <- intersect(
    rows$covariates[seq_len(match(name, rows$covariates) - 1)], all.vars(formula)
  )
  key <- if (length(used)) {
    do.call(paste, rows$cells[used])
  } else {
    rep("", nrow(rows$cells))
  }
  first <- which(!duplicated(key))
  truths <- list(
    name = name,
    k = length(rows$levels[[name]]),
    of = match(key, key[first]),
    level = rows$cells[[name]],
    first = first
  )
  rows$cells <- rows$cells[first, , drop = FALSE]
  c(truths, model_designs(terms(formula), rows))
}

# The result of exact_columns() for the designs of all models. Its `maps` are a list for each model,
# and lead from the columns z to the linear predictor of the model's coordinates b.
model_columns <- function(models, weights) {
  exact <- exact_columns(unlist(lapply(models, `[[`, "x"), FALSE), weights)
  n_designs <- vapply(models, function(one_model) length(one_model$x), 0L)
  model <- rep(seq_along(models), n_designs)
  exact$maps <- Map(
    function(maps, one_model) lapply(maps, `%*%`, one_model$back),
    split(exact$maps, model), models
  )
  exact
}

# list(columns, z, maps): the different columns of some designs, orthogonal columns z of the same
# space, and for each design the matrix that makes it of z.
exact_columns <- function(designs, weights) {
  all <- unlist(
    lapply(designs, function(x) {
      lapply(seq_len(ncol(x)), function(j) as.vector(x[, j]))
    }),
    FALSE
  )
  columns <- unique(all)
  index <- vapply(
    all, function(x) Position(function(column) identical(x, column), columns), 0L
  )
  x <- matrix(unlist(columns), length(weights))
  solved <- qr(x * sqrt(weights / sum(weights)), tol = 1e-11)
  used <- seq_len(solved$rank)
  root <- qr.R(solved)[used, , drop = FALSE]
  z <- x[, solved$pivot[used], drop = FALSE] %*%
    backsolve(root[, used, drop = FALSE], diag(solved$rank))
  map <- root[, order(solved$pivot), drop = FALSE][, index, drop = FALSE]
  design <- rep(seq_along(designs), vapply(designs, ncol, 0L))
  list(
    columns = columns,
    z = z,
    maps = lapply(seq_along(designs), function(d) {
      map[, design == d, drop = FALSE]
    })
  )
}

# The coordinates of a truth model as a map to its linear predictors in the exact columns, design by
# design and level by level; the first level has 0.
truth_map <- function(one_model) {
  levels <- rbind(0, diag(one_model$k - 1L))
  do.call(rbind, lapply(one_model$maps, function(map) kronecker(levels, map)))
}

# The positions of linear predictors, from 0, in each cell, a column each:
#   level      those of the cell's levels, a row for each truth model
#   predictor  those of all levels but the first, and last the outcome's
cell_predictors <- function(mixture) {
  cell <- mixture$cells$cell
  first <- cumsum(c(0L, mixture$n_levels * mixture$n_designs))
  truths <- lapply(seq_along(mixture$truth), function(t) {
    one_model <- mixture$truth[[t]]
    design <- one_model$of[cell] - 1L
    start <- first[t] + design * one_model$k
    level <- as.integer(one_model$level)[cell]
    others <- outer(seq_len(one_model$k - 1L), start, `+`)
    list(level = start + level - 1L, others = others)
  })
  elements_of <- function(what) lapply(truths, `[[`, what)
  outcome <- max(first) + cell - 1L
  list(
    level = as.integer(do.call(rbind, elements_of("level"))),
    predictor = do.call(rbind, c(elements_of("others"), list(outcome)))
  )
}

# The likelihood with its distinct rows, for these reports and weights.
with_reports <- function(mixture, codes, weights) {
  same <- distinct_rows(c(mixture$columns, unname(codes)), weights)
  codes <- lapply(codes, `[`, same$first)
  mixture$rows <- c(same, list(
    exact = mixture$exact[same$first, , drop = FALSE],
    outcome = mixture$outcome[same$first]
  ))
  constant <- switch(
    mixture$distribution + 1L,
    -log(mixture$unit) - 0.5 * log(2 * base::pi),
    0,
    dpois(mixture$rows$outcome, mixture$rows$outcome, log = TRUE)
  )
  mixture$rows$loglik_reports <- cell_reports(mixture, codes) + constant
  mixture
}

# The logarithm of the probability of each respondent's reports in each cell.
cell_reports <- function(mixture, codes) {
  Reduce(
    `+`,
    lapply(names(mixture$channels), function(name) {
      level <- cell_levels(mixture, name)
      log(
        t(mixture$channels[[name]])[codes[[name]], level, drop = FALSE]
      )
    })
  )
}

# The truth of a randomized variable in each cell, as a number.
cell_levels <- function(mixture, name) {
  if (name %in% names(mixture$levels)) {
    as.integer(mixture$levels[[name]])[mixture$cells$cell]
  } else {
    mixture$cells$outcome + 1
  }
}

# Coefficients of the exact columns, a column for each linear predictor.
exact_slopes <- function(mixture, b) {
  slopes <- head(drop(b %*% mixture$map), ncol(mixture$map) - mixture$gaussian)
  matrix(slopes, ncol(mixture$exact))
}

# list(value, gradient, observed, fallback, scores, posterior). Louis: the complete-data information
# less the variance of the complete-data score given what was seen. The fallback is the information
# of EM's M-step at its maximum, without the cross term with the error's variance.
mixture_evaluate <- function(mixture, b, need) .Call(C_rr_mixture, mixture, as.double(b), need)

# Scores of the reported parameters, of rows without weights with these codes of reports.
mixture_scores <- function(mixture, codes, b) {
  mixture <- with_reports(mixture, codes, rep(1, nrow(mixture$exact)))
  scores <- mixture_evaluate(mixture, b, 1L)$scores
  if (is.null(scores)) {
    return(matrix(NA_real_, nrow(mixture$exact), length(b)))
  }
  reported_scores(mixture, scores)
}

# The scores in the rows and coordinates of the data, from the rows and coordinates of the
# likelihood.
reported_scores <- function(mixture, scores) {
  scores[mixture$rows$index, , drop = FALSE] %*% triangular_inverse(mixture$back)
}

triangular_inverse <- function(back) backsolve(back, diag(ncol(back)))

# The linear predictors of truths that are possible, and those of outcomes that are not Gaussian.
mixture_rows <- function(mixture, b, N) {
  possible <- mixture_evaluate(mixture, b, 1L)$posterior > 1e-6
  used <- mixture$predictor + 1L
  if (mixture$gaussian) used <- used[-nrow(used), , drop = FALSE]
  each <- apply(cbind(b, N), 2, function(v) {
    slopes <- exact_slopes(mixture, v)
    unlist(
      lapply(seq_len(ncol(possible)), function(c) {
        rows <- mixture$rows$exact[possible[, c], , drop = FALSE]
        as.vector(rows %*% slopes[, used[, c], drop = FALSE])
      })
    )
  })
  each <- matrix(each, ncol = 1L + ncol(N))
  list(eta = each[, 1], move = each[, -1, drop = FALSE])
}

fit_mixture <- function(rows, starts) {
  mixture <- new_mixture(rows)
  check_enough_rows(sum(rows$weights > 0), mixture$size)
  truth <- unlist(
    lapply(mixture$truth, function(one_model) {
      truth_names(one_model, rows$levels[[one_model$name]])
    })
  )
  point <- length(truth) + seq_along(rows$keep)
  names <- c(truth, rows$names[rows$keep], if (mixture$gaussian) "log(sigma)")
  # It appears after two seconds, and counts evaluations, since the number of steps is not known
  # before.
  bar <- cli::cli_progress_bar("Maximizing the likelihood", total = NA, clear = TRUE)
  model <- mixture_model(mixture, names, mixture_start(rows, mixture), function() {
    cli::cli_progress_update(id = bar)
  })
  points <- mixture_starts(mixture, model, starts)
  fit <- fit_likelihood(model, best = highest_maximum(model, points), unit = mixture$rows$unit)
  fit$truth <- fit$coefficients[seq_along(truth)]
  fit$coefficients <- spread_coefficients(fit$coefficients[point], rows$names)
  end <- mixture_evaluate(mixture, fit$b, 1L)
  posterior <- end$posterior[mixture$rows$index, , drop = FALSE] %*%
    outer(mixture$cells$cell, seq_along(rows$x), `==`)
  models <- lapply(
    mixture$truth, `[`, c("k", "template", "of", "level", "first", "names", "keep")
  )
  c(
    fit,
    list(
      scores = reported_scores(mixture, end$scores) * rows$weights,
      posterior = posterior,
      models = models,
      outcome = point,
      sigma = if (mixture$gaussian) exp(fit$estimate[mixture$size])
    )
  )
}

# "taxyes ~ age": the log odds of the truth, on age. A colon would be an interaction of the
# outcome's model.
truth_names <- function(one_model, levels) {
  as.vector(
    t(
      outer(
        paste0(one_model$name, levels[-1]), colnames(one_model$x[[1]]),
        paste, sep = " ~ "
      )
    )
  )
}

# `progress()` is called at each evaluation.
mixture_model <- function(mixture, names, start, progress = function() NULL) {
  evaluate <- function(b, need) {
    progress()
    mixture_evaluate(mixture, b, need)
  }
  predictors <- function(b) {
    error <- if (mixture$gaussian) b[mixture$size]
    c(mixture$rows$exact %*% exact_slopes(mixture, b), error)
  }
  new_likelihood(names = names, evaluate = evaluate, predictors = predictors, to = mixture$back,
                 total = sum(mixture$rows$weights), start = start,
                 natural = function(b) drop(mixture$back %*% b) + mixture$shift,
                 unbounded = function(b, N) mixture_rows(mixture, b, N))
}

# The points from which the climbs begin. Many rows are searched by a part of them, and climbed from
# what the climbs of that part reach.
mixture_starts <- function(mixture, model, starts) {
  n <- length(mixture$rows$weights)
  if (starts == 1 || n <= 4000) return(even_starts(model, starts))
  index <- some_rows(n, 2000)
  for (name in c("weights", "outcome")) {
    mixture$rows[[name]] <- mixture$rows[[name]][index]
  }
  for (name in c("exact", "loglik_reports")) {
    mixture$rows[[name]] <- mixture$rows[[name]][index, , drop = FALSE]
  }
  small <- mixture_model(mixture, model$names, model$start)
  reached <- climb(small, promising_starts(small, even_starts(small, starts)), is_rough = TRUE)
  best <- highest_index(reached$value, 2, digits = 1)
  cbind(
    model$start,
    reached$points[, best[is.finite(reached$value[best])], drop = FALSE]
  )
}

# Truths: the shares without covariates. Outcome: the moments, if they have a solution that is not
# far away.
mixture_start <- function(rows, mixture) {
  start <- unlist(
    lapply(mixture$truth, function(one_model) {
      constant_start(
        do.call(rbind, one_model$z), rep(rows$weights, length(one_model$z)),
        start_shares(
          rows$codes[[one_model$name]], rows$weights, rows$channels[[one_model$name]]
        )
      )
    })
  )
  rows$outcome <- rows$outcome %||% predictor_outcome(rows, "moments")
  moments <- tryCatch(fit_moments(rows), candor_error = function(e) NULL)
  outcome <- (moments$b %||% numeric(length(rows$keep))) / mixture$unit
  far <- max(
    vapply(rows$z, function(z) max(abs(z %*% outcome)), 0)
  )
  if (far > 10) outcome <- 0 * outcome
  error <- if (mixture$gaussian) {
    log(max(moments$sigma %||% 0, 0.3 * mixture$unit) / mixture$unit)
  }
  unname(c(start, outcome, error))
}

# ---- what is read off a fit ----

# Each combination of reports of all randomized variables.
possible_reports.rr_predictor <- function(fit) {
  rows <- fit$rows
  codes <- rows$codes
  mixture <- if (fit$method == "ml") suppressMessages(new_mixture(rows))
  lapply(
    unname(split(seq_len(nrow(rows$frame)), rows$arms, drop = TRUE)),
    function(group) {
      columns <- Map(
        function(columns, arm) columns[[arm[group[1]]]], rows$columns,
        rows$arms
      )
      channel <- Reduce(
        function(a, b) kronecker(b, a),
        Map(function(channel, row) channel[, row, drop = FALSE], rows$channels, columns)
      )
      table <- expand.grid(columns, KEEP.OUT.ATTRS = FALSE)
      possible <- which(colSums(channel) > 0)
      channel_groups <- lapply(possible, function(i) {
        rows$codes <- lapply(
          table[i, , drop = FALSE], rep, nrow(rows$frame)
        )
        scores <- if (is.null(mixture)) {
          moment_scores(rows, fit$estimate)
        } else {
          mixture_scores(mixture, rows$codes, fit$b)
        }
        list(scores = scores, is_reported = Reduce(`&`, Map(`==`, codes, rows$codes)))
      })
      reported <- do.call(rbind, lapply(channel_groups, `[[`, "is_reported"))
      scored_reports(lapply(channel_groups, `[[`, "scores"), reported, channel[, possible], group)
    }
  )
}

#' @rdname rr_predictor
#' @export
coef.rr_predictor <- function(object, part = c("outcome", "truth", "both"), ...) {
  part <- check_part(object, part, c("outcome", "truth", "both"))
  switch(part, outcome = object$coefficients, truth = object$truth,
         both = list(outcome = object$coefficients, truth = object$truth))
}

check_part <- function(fit, name, choices) {
  name <- check_choice(name, "part", choices)
  if (name == "truth" && fit$method == "moments") {
    abort("A fit by moments has no model of the truth; {.code method = \"ml\"} has.")
  }
  name
}

#' @rdname rr_predictor
#' @export
vcov.rr_predictor <- function(
  object, type = NULL, cluster = NULL, part = c("outcome", "truth", "all"), ...
) {
  part <- check_part(object, part, c("outcome", "truth", "all"))
  V <- vcov.rr_regression(object, type, cluster)
  index <- switch(
    part,
    outcome = object$outcome,
    truth = seq_along(object$truth),
    all = seq_len(nrow(V))
  )
  V[index, index, drop = FALSE]
}

#' @export
sigma.rr_predictor <- function(object, ...) {
  object$sigma %||% abort("This fit has no standard deviation of errors.")
}

#' @export
tidy.rr_predictor <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, ...) {
  if (check_flag(exponentiate, "exponentiate") && x$family$family == "gaussian") {
    abort(
      paste(
        "{.arg exponentiate} must be FALSE: coefficients of a linear",
        "outcome are differences of means."
      )
    )
  }
  component <- rep(
    c("outcome", "truth"), c(length(x$coefficients), length(x$truth))
  )
  add_column(NextMethod(), component = component, .before = 1)
}

#' @export
glance.rr_predictor <- function(x, ...) {
  add_column(
    NextMethod(), method = x$method, family = x$family$family,
    sigma = x$sigma %||% NA_real_, .before = 1
  )
}

#' @rdname rr_predictor
#' @export
predict.rr_predictor <- function(
  object, newdata = NULL, truth = NULL,
  type = c("outcome", "link", "truth", "posterior", "report"), se.fit = FALSE, ...
) {
  type <- check_choice(type)
  rows <- object$rows
  over <- type %in% c("outcome", "report") && is.null(truth) && length(rows$covariates) &&
    !check_flag(se.fit, "se.fit")
  if (type %in% c("truth", "posterior") || over) check_part(object, "truth", "truth")
  if (type == "posterior") {
    if (!is.null(newdata)) {
      abort("{.arg newdata} is not for posteriors: they are of the rows of the fit.")
    }
    return(label_shares(object$posterior, rows$cells))
  }
  frame <- predicted_frame(object, newdata, type != "truth",
                           object$method == "ml" && (type == "truth" || is.null(truth)))
  if (type == "truth") return(label_shares(truth_shares(object, frame), rows$cells))
  sent <- function(no, yes) if (type == "report") reported_outcome(rows, no, yes) else yes
  if (over) {
    mean <- average_outcome(object, frame)
    return(sent(1 - mean, mean))
  }
  x <- outcome_designs(rows, frame, truth_cell(rows, truth))[[1]]
  eta <- drop(x %*% object$estimate[object$outcome])
  mean <- if (type == "link") eta else object$family$linkinv(eta)
  if (!se.fit) return(sent(1 - mean, mean))
  slope <- if (type == "link") 1 else object$family$mu.eta(eta)
  error <- abs(slope) * slope_error(x, vcov(object))
  list(
    fit = sent(1 - mean, mean),
    se.fit = abs(sent(-error, error))
  )
}

# The exact covariates of the models of the outcome and of the truth, of the fit or new.
predicted_frame <- function(object, newdata, outcome, truth) {
  rows <- object$rows
  if (is.null(newdata)) return(rows$frame)
  models <- c(
    if (outcome) list(delete.response(rows$terms)), if (truth) rows$truth_formulas
  )
  columns <- c(
    list(rows$template), if (truth) lapply(object$models, `[[`, "template")
  )
  xlevels <- unlist(lapply(columns, `[[`, "xlevels"), recursive = FALSE)
  fitting_columns(object, newdata, setdiff(unlist(lapply(models, all.vars)), rows$covariates),
                  xlevels[setdiff(names(xlevels), rows$covariates)])
}

# The mean outcome over the truths that the covariates make likely.
average_outcome <- function(object, frame) {
  b <- object$estimate[object$outcome]
  designs <- outcome_designs(object$rows, frame, seq_len(nrow(object$rows$cells)))
  means <- vapply(
    designs, function(x) object$family$linkinv(drop(x %*% b)),
    numeric(nrow(frame))
  )
  rowSums(matrix(means, nrow(frame)) * truth_shares(object, frame))
}

# The designs of the outcome's model at some combinations of truths.
outcome_designs <- function(rows, frame, cells) {
  rows$cells <- rows$cells[cells, , drop = FALSE]
  lapply(predictor_designs(NULL, frame, rows, rows$template), function(x) {
    x[, rows$names[rows$keep], drop = FALSE]
  })
}

# The reports of a randomized outcome, all but the first; an exact outcome is seen as it is.
reported_outcome <- function(rows, no, yes) {
  channel <- rows$channels[[rows$response]]
  if (is.null(channel)) {
    yes
  } else {
    drop(cbind(no, yes) %*% channel[, -1])
  }
}

reported_totals.rr_predictor <- function(fit) {
  codes <- fit$rows$codes
  c(NextMethod(), unlist(lapply(codes[order(names(codes))], tabulate)))
}

regression_reports.rr_predictor <- function(fit) {
  codes <- fit$rows$codes[[fit$rows$response]]
  if (is.null(codes)) return(fit$rows$outcome)
  drop(
    1 * outer(
      codes,
      seq_len(ncol(fit$rows$channels[[fit$rows$response]]))[-1],
      `==`
    )
  )
}

truth_cell <- function(rows, truth) {
  if (!length(rows$covariates)) return(1L)
  absent <- setdiff(rows$covariates, names(truth))
  if (length(absent)) {
    abort(c(
      "{.arg truth} must be a list with a category of each randomized covariate.",
      x = "{.val {absent[1]}} is missing."
    ))
  }
  noun <- paste("named by the randomized covariates:", format_labels(rows$covariates))
  check_that(setequal(names(truth), rows$covariates), truth, "truth", noun)
  codes <- Map(
    function(level, levels) match_labels(label_text(level), list(reports = levels)),
    truth[rows$covariates], rows$levels
  )
  if (anyNA(codes) || any(lengths(codes) != 1L)) {
    abort(
      c(
        "{.arg truth} must hold one level of each randomized covariate.",
        x = "It is {describe(truth)}."
      ),
      "level"
    )
  }
  which(
    Reduce(
      `&`, Map(function(cells, code) as.integer(cells) == code, rows$cells, codes)
    )
  )
}

# P(combination of truths | covariates) of new rows.
truth_shares <- function(object, frame) {
  rows <- object$rows
  shares <- matrix(1, nrow(frame), nrow(rows$cells))
  row <- 0
  for (part in object$models) {
    rows$cells <- object$rows$cells[part$first, , drop = FALSE]
    z <- predictor_designs(NULL, frame, rows, part$template)
    b <- matrix(
      object$estimate[
        row + seq_len(length(part$keep) * (part$k - 1))
      ],
      length(part$keep)
    )
    row <- row + length(b)
    each <- lapply(z, function(x) {
      multinomial_parts(b, x[, part$names[part$keep], drop = FALSE])$theta
    })
    for (cell in seq_len(ncol(shares))) {
      shares[, cell] <- shares[, cell] *
        each[[part$of[cell]]][, part$level[cell]]
    }
  }
  shares
}

label_shares <- function(shares, cells) {
  shares <- matrix(shares, ncol = nrow(cells))
  if (length(cells)) {
    colnames(shares) <- do.call(paste, c(unname(as.list(cells)), sep = ", "))
  }
  shares
}

#' @rdname rr_predictor
#' @export
augment.rr_predictor <- function(x, ...) {
  frame <- as.list(
    x$frame[setdiff(names(x$frame), c("(weights)", "(arm)"))]
  )
  if (x$method == "moments") return(as_tibble(frame))
  posterior <- if (length(x$rows$covariates)) {
    prefixed_columns(predict(x, type = "posterior"), ".posterior.")
  }
  as_tibble(c(frame, list(.fitted = unname(fitted(x))), posterior))
}

# ---- a channel that a study measured: see regress-study.R ----

channel_slopes.rr_predictor <- function(fit) {
  slopes_of <- if (fit$method == "moments") {
    moment_slopes(fit)
  } else {
    mixture_slopes(fit)
  }
  rows <- fit$rows
  channels <- lapply(names(rows$mechanisms), function(name) {
    mechanisms <- flat_mechanisms(rows$mechanisms[name])
    arms <- which(vapply(mechanisms, is_validated, NA))
    lapply(unname(arms), function(arm) {
      list(
        mechanism = mechanisms[[arm]],
        slopes = slopes_of(name, rows$columns[[name]][[arm]])
      )
    })
  })
  unlist(channels, FALSE)
}

# The equations of moments are linear in row y_i of the inverse of C, whose change is
# -C^-1 dC C^-1. The summand of row i is psi_ik if the truth were k, and column y of G_x is
#    -sum over rows and k of w_i C^-1[y_i, x] C^-1[y, k] psi_ik
# The value is a function of the variable and of the columns of its reports in one arm.
moment_slopes <- function(fit) {
  function(name, columns) {
    rows <- fit$rows
    inverse <- rows$unbiased[[name]]
    index <- which(rows$codes[[name]] %in% columns)
    codes <- rows$codes[[name]][index]
    # The summands if the row of the inverse were that of report y.
    summands <- function(y) {
      rows$codes[[name]] <- rep(y, nrow(rows$frame))
      scores <- moment_scores(rows, fit$estimate)
      # An outcome's score is linear in that row but for the fitted outcome.
      if (name == rows$response) {
        rows$unbiased[[name]][y, 2] <- 0
        scores <- scores - moment_scores(rows, fit$estimate)
      }
      scores[index, , drop = FALSE] * fit$weights[index]
    }
    by_report <- lapply(columns, summands)
    lapply(seq_along(columns), function(x) {
      weights <- inverse[codes, x]
      sums <- lapply(by_report, function(scores) colSums(scores * weights))
      -matrix(unlist(sums), fit$df)
    })
  }
}

# Likewise, from the posterior of the cells, which are combinations of truths.
mixture_slopes <- function(fit) {
  mixture <- suppressMessages(new_mixture(fit$rows))
  state <- mixture_evaluate(mixture, fit$b, 1L)
  weights <- mixture$rows$weights * mixture$rows$unit
  back <- triangular_inverse(mixture$back)
  moved <- lapply(seq_len(nrow(mixture$cells)), function(c) {
    # Reports that only this cell can give.
    reports <- mixture$rows$loglik_reports
    mixture$rows$loglik_reports[] <- ifelse(col(reports) == c, 0, -Inf)
    scores <- mixture_evaluate(mixture, fit$b, 1L)$scores - state$scores
    (state$posterior[, c] * weights * scores) %*% back
  })
  function(name, columns) {
    codes <- fit$rows$codes[[name]][mixture$rows$first]
    level <- cell_levels(mixture, name)
    lapply(seq_len(nrow(mixture$channels[[name]])), function(x) {
      sums <- sums_by_report(Reduce(`+`, moved[level == x], 0), codes, max(columns))[, columns]
      shares <- mixture$channels[[name]][x, columns]
      sums * rep(ifelse(shares > 0, 1 / shares, 0), each = nrow(sums))
    })
  }
}
