#' Regression with a randomized covariate
#'
#' `rr_predictor()` estimates the effect of a *true* answer on an outcome, from the reports. Several covariates may be randomized, each by its own
#' mechanism, including interactions, and so may the outcome. Reports that are put into [stats::lm()] give effects that are too small.
#'
#' | `method` | idea | assumptions |
#' |---|---|---|
#' | `"moments"` (default unless the family is binomial) | each randomized variable is replaced by unbiased scores, the row of \eqn{C^{-1}} of its report | only the regression; sandwich variance |
#' | `"ml"` (default if binomial) | joint likelihood of outcome and report, with a (multinomial) logit for the truth given `truth` | the model of the truth; for Gaussian outcomes normal errors of equal variance. Otherwise inconsistent |
#'
#' The moments solve \eqn{\sum_i \sum_k u_{ik} \psi(o_i, k, z_i; \beta) = 0}{sum over i, k of u[i,k] psi(o[i], k, z[i]; b) = 0}, with \eqn{\psi} the score of the regression that one would fit
#' to the truths. `"ml"` is 5 to 30% more precise if its assumptions hold. In simulations that violate them it gave 1.23 and 0.80 for an effect of 1; moments gave 0.99 and 1.00.
#'
#' A variable named in `mechanisms` stands in `formula` for its *truth*, a factor with the mechanism's levels: `income ~ age + tax_fraud * sex`. A response named
#' there is randomized too. By `"moments"` its unbiased score is the outcome, so Gaussian means a linear probability model. `"ml"` requires a yes/no
#' question as the response, and the binomial family. All devices must be independent given the truths.
#'
#' @param formula Outcome to the left; to the right exact covariates and at least one variable of `mechanisms`, unless the outcome is one.
#' @param data A data frame with outcome, covariates and *reports*.
#' @param mechanisms A list of mechanisms, named by the randomized variables.
#' @param family `gaussian()` (default), `binomial()` or `poisson()`, each with its canonical link.
#' @param truth For `"ml"` in `rr_predictor()`: one-sided formula of the model of the truth. Default `~ .`, all terms of `formula` without randomized variables; `~ 1` is a constant truth. Several
#'   randomized covariates form a chain, each given those named before it in `mechanisms`; `~ 1` takes them for independent, and `~ first` (the name of the first) is the model of van den Hout and
#'   Kooiman. For `predict()`: a named list of one level per randomized covariate.
#' @param method `"moments"` or `"ml"`, see above.
#' @param weights,subset,na.action As in [stats::lm()].
#' @param design A survey design, in place of `data`: see [rr_glm()].
#' @param starts Number of starting points of `"ml"`, a whole number of at least 1; default 5.
#' @param object,x A fit of `rr_predictor()`.
#' @param part `"outcome"` (default), `"truth"`, or all coefficients (`"both"` for `coef()`, `"all"` for `vcov()`).
#' @param type For `vcov()` `"observed"` (default of `"ml"`) `"sandwich"` (the only type of `"moments"` without a design) or `"survey"` (default with a design). For `predict()` `"outcome"` (default), `"link"`, `"truth"` or `"posterior"`.
#' @param cluster For the sandwich, see [rr_regression].
#' @param newdata A data frame; default the data of the fit.
#' @param se.fit Logical, default `FALSE`. Return a list of `fit` and `se.fit`? For the mean at a `truth`.
#' @param ... Not used; `rr_predictor()` refuses further arguments.
#' @return An object of class `c("rr_predictor", "rr_regression")`, with the methods of [rr_regression] and
#'
#'   * `coef(part = )`: `"outcome"` (default), `"truth"` (`"ml"` only), or `"both"`, a list. Coefficients of the outcome have the names of [stats::lm()],
#'     `taxyes`; coefficients of the truth have names such as `taxyes ~ age`.
#'   * `vcov(part = )`: `"outcome"`, `"truth"`, or `"all"` (truth, outcome, logarithm of the standard deviation of the error).
#'   * `sigma()`: standard deviation of the error.
#'   * `predict(truth = )`: mean outcome if the truth were `truth`.
#'   * `predict()` (`"ml"` only): mean outcome given the exact covariates; type `"truth"`: probabilities of each truth; `"posterior"`: given report and outcome too.
#' @section Errors and warnings:
#' Errors: `candor_error_argument`, `candor_error_level`, `candor_error_no_information` (the truths cannot be told apart). Warnings as in [rr_multinom()]. See [candor_conditions].
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
#' @seealso [rr_regression] for the methods, [rr_multinom()] for the randomized answer as outcome, [rr_association()] for correlations.
#' @concept misclassified covariate
#' @concept randomized predictor
#' @concept measurement error
#' @examples
#' # What is the effect of cheating on the grade? (In truth 0.5 for "often".)
#' often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
#' fit <- rr_predictor(grade ~ semester + cheating, exam_simulated, list(cheating = often))
#' tidy(fit, conf.int = TRUE)
#' coef(lm(grade ~ semester + cheating, exam_simulated))["cheatingoften"]
#' # 0.50; taking the reports for truths would give 0.31
#' predict(fit, data.frame(semester = 4), truth = list(cheating = "often"), se.fit = TRUE)
#'
#' # With a model of the truth
#' rr_predictor(grade ~ semester + cheating, exam_simulated, list(cheating = often), method = "ml")
#' @export
rr_predictor <- function(formula, data = NULL, mechanisms, family = stats::gaussian(), truth = ~ ., method = NULL,
                         weights = NULL, subset = NULL, na.action = NULL, starts = 5, design = NULL, ...) {
  check_dots_empty(...)
  call <- match.call()
  if (is.function(family)) family <- family()
  canonical <- c(gaussian = "identity", binomial = "logit", poisson = "log")
  check_that(inherits(family, "family") && identical(unname(canonical[family$family]), family$link), family, "family",
             "gaussian(), binomial() or poisson(), with the canonical link")
  method <- check_choice(method %||% if (family$family == "binomial") "ml" else "moments", "method", c("moments", "ml"))
  starts <- check_starts(starts)
  refuse_validated(mechanisms, "{.fn rr_predictor}")
  asked <- design_call(call, design)
  data <- design$variables %||% data
  rows <- predictor_rows(asked, formula, data, mechanisms, truth, parent.frame())
  scale <- design_scale(design, rows$weights)
  rows$weights <- rows$weights * scale
  rows$family <- family
  rows$outcome <- predictor_outcome(rows, method)
  if (method == "ml" && is.null(design)) tell_sampling_weights(rows$weights)
  fit <- if (method == "moments") fit_moments(rows) else fit_mixture(rows, starts)
  title <- paste(c(gaussian = "Linear", binomial = "Logistic", poisson = "Poisson")[[family$family]], "regression by",
                 if (method == "ml") "maximum likelihood" else "moments")
  fit <- structure(
    c(fit, list(n = sum(rows$weights > 0), weights = rows$weights, method = method, family = family,
                mechanism = rows$mechanisms, rows = rows, frame = rows$frame, terms = rows$terms, call = call,
                title = title)),
    class = c("rr_predictor", "rr_regression")
  )
  parts <- if (method == "ml" && inherits(design, "svyrep.design")) suppressMessages(mixture_parts(rows))
  with_design(fit, design, function(w) {
    rows$weights <- w * scale
    if (method == "moments") {
      return(tryCatch(fit_moments(rows, fit$estimate)$estimate, error = function(e) NA * fit$estimate))
    }
    parts$rows$weights <- rows$weights
    model <- mixture_model(parts, rownames(fit$vcov), fit$at)
    climb_replicate(model, fit$at)
  })
}

# ---- rows ----

# The variables as they stand, one row per respondent; designs are made of them once the truths are filled in.
predictor_rows <- function(call, formula, data, mechanisms, truth, where) {
  check_formula(formula)
  check_class(data, "data", "data.frame", "a data frame")
  names <- names(mechanisms)
  single <- vapply(mechanisms, function(m) inherits(m, "rr_mechanism") && !inherits(m, "rr_product"), NA)
  check_that(is.list(mechanisms) && all(single) && length(names) && all(nzchar(names)) && !anyDuplicated(names),
             mechanisms, "mechanisms", "a list of mechanisms of single questions, named by the randomized variables")
  terms <- stats::terms(formula, data = data)
  response <- deparse1(formula[[2]])
  right <- all.vars(stats::delete.response(terms))
  absent <- setdiff(names, c(right, response))
  if (length(absent)) {
    abort("Randomized variables must be in {.arg formula}: {.val {absent[1]}}; the response as a column.", "argument")
  }
  check_that(inherits(truth, "formula") && length(truth) == 2L, truth, "truth",
             "a one-sided formula, as in {.code ~ age}")
  check_terms(formula)
  check_terms(truth)
  known <- intersect(unique(c(all.vars(terms), setdiff(all.vars(truth), "."))), c(names(data), all.vars(terms)))
  wide <- stats::reformulate(sprintf("`%s`", known))
  environment(wide) <- environment(formula)
  frame <- regression_frame(call, wide, data, where, names, response)
  channels <- Map(function(mechanism, name) unname(identified_channel(mechanism, name)), mechanisms, names)
  codes <- Map(function(mechanism, name) report_codes(frame[[name]], mechanism, name), mechanisms, names)
  Map(check_possible, codes, channels, mechanisms, names)
  covariates <- intersect(names, right)
  levels <- lapply(mechanisms[covariates], `[[`, "levels")
  if (prod(lengths(levels)) > 1000) abort("There must be at most 1000 combinations of truths.", "argument")
  cells <- if (length(levels)) expand.grid(lapply(levels, seq_along), KEEP.OUT.ATTRS = FALSE)
    else data.frame(row.names = 1)
  rows <- list(frame = frame, weights = frame_weights(frame), terms = terms, response = response,
               covariates = covariates, mechanisms = mechanisms, channels = channels, codes = codes, levels = levels,
               cells = cells, truth_formulas = truth_formulas(truth, terms, covariates))
  rows$x <- predictor_designs(stats::delete.response(terms), frame, rows)
  rows$made <- attr(rows$x, "made")
  rows$keep <- independent_columns(do.call(rbind, rows$x), rep(rows$weights, length(rows$x)))
  rows$names <- colnames(rows$x[[1]])
  rows$x <- lapply(rows$x, function(x) x[, rows$keep, drop = FALSE])
  check_enough_rows(sum(rows$weights > 0), length(rows$keep))
  rows
}

# The truth model of each randomized covariate: the exact terms, and the randomized covariates before it.
truth_formulas <- function(truth, terms, covariates) {
  free_of <- function(labels, names) {
    labels[!vapply(labels, function(label) any(all.vars(str2lang(label)) %in% names), NA)]
  }
  own <- attr(stats::terms(truth, data = data.frame(row.names = 1), allowDotAsName = TRUE), "term.labels")
  full <- "." %in% all.vars(truth)
  exact <- if (full) free_of(attr(terms, "term.labels"), covariates)
  out <- lapply(seq_along(covariates), function(j) {
    before <- if (full) sprintf("`%s`", covariates[seq_len(j - 1)])
    used <- unique(c(exact, before, free_of(setdiff(own, "."), covariates[j:length(covariates)])))
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
    for (name in rows$covariates) {
      levels <- rows$levels[[name]]
      frame[[name]] <- factor(rep(levels[rows$cells[[name]][cell]], nrow(frame)), levels)
    }
    model <- stats::model.frame(made$terms %||% terms, frame, na.action = stats::na.pass, xlev = made$xlevels)
    own <- attr(model, "terms")
    x <- stats::model.matrix(own, model, contrasts.arg = made$contrasts)
    if (is.null(made)) {
      made <<- list(terms = own, xlevels = stats::.getXlevels(own, model), contrasts = attr(x, "contrasts"))
    }
    x
  })
  structure(designs, made = made)
}

# The outcome as numbers; for a randomized one its unbiased score (moments) or nothing (likelihood).
predictor_outcome <- function(rows, method) {
  name <- rows$response
  family <- rows$family$family
  if (name %in% names(rows$mechanisms)) {
    if (length(rows$mechanisms[[name]]$levels) != 2L || (method == "ml" && family != "binomial")) {
      abort("A randomized outcome must be a yes/no question, and by {.val ml} the family binomial.", "argument")
    }
    return(if (method == "moments") unbiased_matrix(rows$channels[[name]])[rows$codes[[name]], 2])
  }
  value <- eval(rows$terms[[2]], rows$frame, environment(rows$terms))
  if (family == "binomial") {
    if (is.factor(value) && nlevels(value) == 2L) value <- as.integer(value) - 1L
    if (is.logical(value)) value <- as.integer(value)
  }
  good <- is.numeric(value) && is.null(dim(value)) && all(is.finite(value)) &&
    switch(family, gaussian = TRUE, binomial = all(value %in% 0:1), poisson = all(value >= 0 & value == floor(value)))
  if (good) return(as.double(value))
  wanted <- switch(family, gaussian = "finite numbers", binomial = "0 and 1, logical, or a factor of two levels",
                   poisson = "whole numbers, at least 0")
  abort(c("The outcome {.val {name}} must be {wanted}.", x = "It is {describe(value)}."), "argument")
}

# Designs in the same orthogonal columns.
orthogonal_designs <- function(designs, weights) {
  back <- orthogonal_columns(do.call(rbind, designs), rep(weights, length(designs)))$back
  list(z = lapply(designs, function(x) unname(x %*% back)), back = back)
}

# ---- corrected estimating equations ----

fit_moments <- function(rows, start = numeric(length(rows$keep))) {
  # Weight of each respondent in each combination of truths: products of the unbiased scores. They may be negative, and
  # add up to 1.
  u <- matrix(1, nrow(rows$frame), length(rows$x))
  for (name in rows$covariates) {
    u <- u * unbiased_matrix(rows$channels[[name]])[rows$codes[[name]], rows$cells[[name]], drop = FALSE]
  }
  u <- u * rows$weights
  family <- rows$family
  designs <- orthogonal_designs(rows$x, rows$weights)
  evaluate <- function(b) {
    slope <- psi <- 0
    for (cell in seq_along(designs$z)) {
      z <- designs$z[[cell]]
      mu <- family$linkinv(drop(z %*% b))
      slope <- slope + crossprod(z * (u[, cell] * family$variance(mu)), z)
      psi <- psi + z * (u[, cell] * (rows$outcome - mu))
    }
    list(slope = slope, psi = psi, equation = colSums(psi))
  }
  if ("(Intercept)" %in% colnames(rows$x[[1]]) && family$family != "gaussian" && all(start == 0)) {
    mean <- max(stats::weighted.mean(rows$outcome, rows$weights), 0.02)
    start[1] <- family$linkfun(if (family$family == "binomial") min(mean, 0.98) else mean)
  }
  solved <- solve_moments(evaluate, solve(designs$back, start))
  b <- drop(designs$back %*% solved$b)
  names <- rows$names[rows$keep]
  coefficients <- stats::setNames(stats::setNames(b, names)[rows$names], rows$names)
  sigma <- if (family$family == "gaussian" && !rows$response %in% names(rows$mechanisms)) {
    square <- sum(u * vapply(rows$x, function(x) drop(rows$outcome - x %*% b)^2, numeric(nrow(u))))
    n <- sum(rows$weights > 0)
    sqrt(max(square, 0) / sum(rows$weights) * n / max(n - length(names), 1))
  }
  bread <- designs$back %*% solve(solved$slope) %*% t(designs$back)
  scores <- solved$psi %*% solve(designs$back)
  V <- structure(bread %*% crossprod(scores) %*% t(bread), dimnames = list(names, names))
  list(coefficients = coefficients, estimate = b, vcov = V, bread = bread, scores = scores, sigma = sigma,
       df = length(names), outcome = seq_along(names))
}

# Newton's method on the equations, halving steps that do not bring them nearer to 0. Linear ones are solved by the
# first.
solve_moments <- function(evaluate, b) {
  now <- evaluate(b)
  scale <- 1 / sqrt(pmax(colSums(now$psi^2), 1e-300))
  size <- function(at) sum((at$equation * scale)^2)
  for (iteration in seq_len(50)) {
    step <- tryCatch(solve(now$slope, now$equation, tol = 1e-14), error = function(e) NULL)
    if (is.null(step)) break
    for (share in 0.5^(0:27)) {
      then <- evaluate(b + share * step)
      better <- all(is.finite(then$equation)) && size(then) < (1 - 1e-4 * share) * size(now)
      if (better) break
    }
    if (!better) break
    b <- b + share * step
    now <- then
    if (size(now) < 1e-26) break
  }
  if (!is.null(step) && size(now) < 1e-12) return(c(list(b = b), now))
  abort("The moments do not determine the coefficients.", "argument")
}

# ---- the likelihood of a mixture over the truths ----

# Parameters: the truth models' coefficients (covariate by covariate, level by level), the outcome's, and for a Gaussian
# outcome the logarithm of its standard deviation in units of that of all outcomes.
mixture_parts <- function(rows) {
  gaussian <- rows$family$family == "gaussian"
  unit <- if (gaussian) max(stats::sd(rows$outcome), 1e-300) else 1
  truth <- lapply(rows$covariates, function(name) mixture_truth(rows, name))
  x <- orthogonal_designs(rows$x, rows$weights)
  x$z <- lapply(x$z, `*`, unit)
  # Cells of the mixture: combinations of truths, and of the outcome's truth if that is not seen either.
  hidden <- rows$response %in% names(rows$mechanisms)
  cells <- expand.grid(cell = seq_along(rows$x), outcome = if (hidden) 0:1 else NA)
  known <- 0
  for (name in names(rows$channels)) {
    place <- if (name %in% rows$covariates) rows$cells[[name]][cells$cell] else cells$outcome + 1
    known <- known + log(t(rows$channels[[name]])[rows$codes[[name]], place, drop = FALSE])
  }
  # The designs of the linear predictors of each cell: of each truth but the first, of the outcome, of its error.
  designs <- lapply(cells$cell, function(cell) {
    c(unlist(lapply(truth, function(part) rep(part$z[part$of[cell]], part$k - 1L)), recursive = FALSE), x$z[cell],
      if (gaussian) list(matrix(1, nrow(rows$frame), 1)))
  })
  sizes <- vapply(designs[[1]], ncol, 0L)
  back <- c(lapply(truth, function(part) kronecker(diag(part$k - 1L), part$back)), list(x$back * unit),
            if (gaussian) list(diag(1)))
  list(rows = rows, truth = truth, cells = cells, known = known, designs = designs, back = block_diagonal(back),
       predictor = rep(seq_along(sizes), sizes), size = sum(sizes), gaussian = gaussian, unit = unit,
       units = replace(rep(1, length(sizes)), length(sizes) - gaussian, unit),
       shift = c(numeric(sum(sizes) - gaussian), if (gaussian) log(unit)))
}

# The truth model of one randomized covariate: its distinct designs, and which of them, and which level, each cell has.
mixture_truth <- function(rows, name) {
  formula <- rows$truth_formulas[[name]]
  used <- intersect(rows$covariates[seq_len(match(name, rows$covariates) - 1)], all.vars(formula))
  key <- if (length(used)) do.call(paste, rows$cells[used]) else rep("", nrow(rows$cells))
  first <- which(!duplicated(key))
  own <- rows
  own$cells <- rows$cells[first, , drop = FALSE]
  x <- predictor_designs(stats::terms(formula), rows$frame, own)
  keep <- independent_columns(do.call(rbind, x), rep(rows$weights, length(x)))
  made <- attr(x, "made")
  x <- lapply(x, function(x) x[, keep, drop = FALSE])
  c(orthogonal_designs(x, rows$weights),
    list(name = name, k = length(rows$levels[[name]]), x = x[[1]], made = made, of = match(key, key[first]),
         level = rows$cells[[name]], first = first, names = colnames(x[[1]])))
}

# Shares of the truths given the covariates, in each distinct design; linear predictors of the outcome; and the
# posterior of the cells.
mixture_state <- function(parts, b) {
  coefficients <- split(b, parts$predictor)
  predictors <- lapply(parts$designs, function(designs) Map(function(z, b) drop(z %*% b), designs, coefficients))
  sigma <- if (parts$gaussian) parts$unit * exp(b[parts$size]) else 1
  joint <- parts$known
  shares <- vector("list", ncol(joint))
  for (c in seq_len(ncol(joint))) {
    at <- 0
    for (part in parts$truth) {
      eta <- do.call(cbind, predictors[[c]][at + seq_len(part$k - 1L)])
      at <- at + part$k - 1L
      theta <- multinomial_truths(eta, diag(ncol(eta)))
      joint[, c] <- joint[, c] + log(theta[, part$level[parts$cells$cell[c]]])
      shares[[c]] <- cbind(shares[[c]], theta[, -1, drop = FALSE])
    }
    eta <- predictors[[c]][[at + 1]]
    o <- mixture_outcome(parts, c)
    joint[, c] <- joint[, c] + switch(
      parts$rows$family$family, gaussian = stats::dnorm(o, eta, sigma, log = TRUE),
      binomial = stats::plogis((2 * o - 1) * eta, log.p = TRUE), poisson = stats::dpois(o, exp(eta), log = TRUE))
  }
  top <- joint[cbind(seq_len(nrow(joint)), max.col(joint, "first"))]
  e <- exp(joint - top)
  list(predictors = predictors, sigma = sigma, shares = shares, r = e / rowSums(e), loglik = top + log(rowSums(e)))
}

mixture_outcome <- function(parts, c) if (is.na(parts$cells$outcome[c])) parts$rows$outcome else parts$cells$outcome[c]

# Of one cell: the derivatives of the complete-data log-likelihood in the linear predictors, and minus the second ones,
# a function of two of them; NULL: 0.
mixture_terms <- function(parts, now, c) {
  share <- now$shares[[c]]
  block <- unlist(lapply(seq_along(parts$truth), function(j) rep(j, parts$truth[[j]]$k - 1L)))
  outcome <- length(block) + 1L
  mu <- parts$rows$family$linkinv(now$predictors[[c]][[outcome]])
  residual <- mixture_outcome(parts, c) - mu
  level <- vapply(parts$truth, function(part) part$level[parts$cells$cell[c]], 0L)
  is_level <- unlist(lapply(seq_along(level), function(j) seq_len(parts$truth[[j]]$k)[-1] == level[j]))
  score <- c(lapply(seq_along(block), function(j) is_level[j] - share[, j]), list(residual / now$sigma^2),
             if (parts$gaussian) list((residual / now$sigma)^2 - 1))
  curvature <- function(a, d) {
    if (a < outcome) return(if (d < outcome && block[a] == block[d]) share[, a] * ((a == d) - share[, d]))
    if (d < outcome) return(NULL)
    if (a == outcome) parts$rows$family$variance(mu) / now$sigma^2
    else if (d == outcome) 2 * residual / now$sigma^2
    else 2 * (residual / now$sigma)^2
  }
  list(score = score, curvature = curvature)
}

# Louis: the complete-data information less the variance of the complete-data score given what was seen.
mixture_evaluate <- function(parts, b, need) {
  if (parts$gaussian && abs(b[parts$size]) > 30) return(list(-Inf))
  now <- mixture_state(parts, b)
  w <- parts$rows$weights
  value <- sum(w * now$loglik)
  if (need == 0L || !is.finite(value)) return(list(value))
  scores <- complete <- spread <- 0
  for (c in seq_along(parts$designs)) {
    terms <- mixture_terms(parts, now, c)
    own <- do.call(cbind, Map(`*`, parts$designs[[c]], terms$score))
    weight <- w * now$r[, c]
    scores <- scores + own * now$r[, c]
    complete <- complete + mixture_gram(parts, c, terms$curvature, weight)
    spread <- spread + crossprod(own * weight, own)
  }
  observed <- complete - spread + crossprod(scores * w, scores)
  # The information of EM's M-step at its own maximum: its cross term with the error's variance left out.
  if (parts$gaussian) complete[parts$size, -parts$size] <- complete[-parts$size, parts$size] <- 0
  list(value, colSums(scores * w), (observed + t(observed)) / 2, complete, scores = scores * w, r = now$r)
}

mixture_gram <- function(parts, c, curvature, weight) {
  gram <- matrix(0, parts$size, parts$size)
  for (a in seq_along(parts$designs[[c]])) for (d in seq_len(a)) {
    v <- curvature(a, d)
    if (is.null(v)) next
    block <- crossprod(parts$designs[[c]][[a]] * (weight * v), parts$designs[[c]][[d]])
    gram[parts$predictor == a, parts$predictor == d] <- block
    gram[parts$predictor == d, parts$predictor == a] <- t(block)
  }
  gram
}

# The linear predictors of truths that are possible, and those of outcomes that are not Gaussian.
mixture_rows <- function(parts, b, N) {
  now <- mixture_state(parts, b)
  kept <- seq_len(length(parts$units) - 2L * parts$gaussian)
  each <- lapply(seq_along(parts$designs), function(c) {
    seen <- now$r[, c] > 1e-6
    apply(cbind(b, N), 2, function(v) {
      unlist(Map(function(z, v) drop(z %*% v)[seen], parts$designs[[c]], split(v, parts$predictor))[kept])
    })
  })
  each <- do.call(rbind, each)
  list(eta = each[, 1], move = each[, -1, drop = FALSE])
}

fit_mixture <- function(rows, starts) {
  parts <- mixture_parts(rows)
  check_enough_rows(sum(rows$weights > 0), parts$size)
  # "taxyes ~ age": the log odds of the truth, on age. A colon would be an interaction of the outcome's model.
  truth <- unlist(lapply(parts$truth, function(part) {
    as.vector(t(outer(paste0(part$name, rows$levels[[part$name]][-1]), part$names, paste, sep = " ~ ")))
  }))
  at <- length(truth) + seq_along(rows$keep)
  model <- mixture_model(parts, c(truth, rows$names[rows$keep], if (parts$gaussian) "log(sigma)"),
                         mixture_start(rows, parts, at))
  fit <- fit_likelihood(model, starts)
  fit$truth <- fit$coefficients[seq_along(truth)]
  fit$coefficients <- stats::setNames(fit$coefficients[at][rows$names], rows$names)
  end <- mixture_evaluate(parts, fit$at, 1L)
  cells <- parts$cells$cell
  posterior <- vapply(seq_along(rows$x), function(c) rowSums(end$r[, cells == c, drop = FALSE]), numeric(nrow(end$r)))
  models <- lapply(parts$truth, `[`, c("k", "made", "of", "level", "first", "names"))
  c(fit, list(scores = end$scores %*% solve(parts$back), posterior = posterior, models = models, outcome = at,
              sigma = if (parts$gaussian) exp(fit$estimate[parts$size])))
}

mixture_model <- function(parts, names, start) {
  reach <- function(step) {
    max(vapply(parts$designs, function(designs) {
      max(mapply(function(z, b, unit) max(abs(z %*% b)) / unit, designs, split(step, parts$predictor), parts$units))
    }, 0))
  }
  new_likelihood(names, function(b, need) mixture_evaluate(parts, b, need), reach,
                 function(b) drop(parts$back %*% b) + parts$shift, function(b) parts$back,
                 function(b, N) mixture_rows(parts, b, N), sum(parts$rows$weights), start)
}

# Truths: the shares without covariates. Outcome: the moments, if they have a solution that is not far away.
mixture_start <- function(rows, parts, at) {
  start <- unlist(lapply(parts$truth, function(part) {
    constant_start(part$x, rows$codes[[part$name]], rows$weights, rows$channels[[part$name]])
  }))
  rows$outcome <- rows$outcome %||% predictor_outcome(rows, "moments")
  moments <- tryCatch(fit_moments(rows), candor_error = function(e) NULL)
  outcome <- moments$estimate %||% (0 * at)
  far <- max(vapply(rows$x, function(x) max(abs(x %*% outcome)), 0)) / parts$unit
  if (far > 10) outcome <- 0 * at
  error <- if (parts$gaussian) log(max(moments$sigma %||% 0, 0.3 * parts$unit))
  solve(parts$back, c(start, outcome, error) - parts$shift)
}

# ---- what is read off a fit ----

#' @rdname rr_predictor
#' @export
coef.rr_predictor <- function(object, part = c("outcome", "truth", "both"), ...) {
  part <- check_part(object, part, c("outcome", "truth", "both"))
  switch(part, outcome = object$coefficients, truth = object$truth,
         both = list(outcome = object$coefficients, truth = object$truth))
}

check_part <- function(fit, part, choices) {
  part <- check_choice(part, "part", choices)
  if (part == "truth" && fit$method == "moments") {
    abort("A fit by moments has no model of the truth; {.code method = \"ml\"} has.", "argument")
  }
  part
}

#' @rdname rr_predictor
#' @export
vcov.rr_predictor <- function(object, type = NULL, cluster = NULL, part = c("outcome", "truth", "all"), ...) {
  part <- check_part(object, part, c("outcome", "truth", "all"))
  V <- NextMethod()
  at <- switch(part, outcome = object$outcome, truth = seq_along(object$truth), all = seq_len(nrow(V)))
  V[at, at, drop = FALSE]
}

#' @importFrom stats sigma
#' @export
sigma.rr_predictor <- function(object, ...) {
  object$sigma %||% abort("This fit has no standard deviation of errors.", "argument")
}

#' @export
tidy.rr_predictor <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, ...) {
  if (check_flag(exponentiate, "exponentiate") && x$family$family == "gaussian") {
    abort("{.arg exponentiate} must be FALSE: coefficients of a linear outcome are differences of means.", "argument")
  }
  component <- rep(c("outcome", "truth"), c(length(x$coefficients), length(x$truth)))
  tibble::add_column(NextMethod(), component = component, .before = 1)
}

#' @export
glance.rr_predictor <- function(x, ...) {
  tibble::add_column(NextMethod(), method = x$method, family = x$family$family, sigma = x$sigma %||% NA_real_,
                     .before = 1)
}

#' @rdname rr_predictor
#' @export
predict.rr_predictor <- function(object, newdata = NULL, truth = NULL,
                                 type = c("outcome", "link", "truth", "posterior"), se.fit = FALSE, ...) {
  type <- check_choice(type, "type", c("outcome", "link", "truth", "posterior"))
  rows <- object$rows
  over <- type == "outcome" && is.null(truth) && length(rows$covariates) && !check_flag(se.fit, "se.fit")
  if (type %in% c("truth", "posterior") || over) check_part(object, "truth", "truth")
  if (type == "posterior") {
    if (!is.null(newdata)) abort("{.arg newdata} is not for posteriors: they are of the rows of the fit.", "argument")
    return(label_shares(object$posterior, rows))
  }
  shares <- object$method == "ml" && (type == "truth" || is.null(truth))
  frame <- if (is.null(newdata)) rows$frame else predictor_newdata(object, newdata, type != "truth", shares)
  if (type == "truth") return(label_shares(truth_shares(object, frame), rows))
  b <- object$estimate[object$outcome]
  at <- if (over) seq_len(nrow(rows$cells)) else truth_cell(rows, truth)
  rows$cells <- rows$cells[at, , drop = FALSE]
  designs <- lapply(predictor_designs(NULL, frame, rows, rows$made),
                    function(x) x[, rows$names[rows$keep], drop = FALSE])
  if (over) {
    means <- vapply(designs, function(x) object$family$linkinv(drop(x %*% b)), numeric(nrow(frame)))
    return(rowSums(matrix(means, nrow(frame)) * truth_shares(object, frame)))
  }
  x <- designs[[1]]
  eta <- drop(x %*% b)
  mean <- if (type == "link") eta else object$family$linkinv(eta)
  if (!se.fit) return(mean)
  slope <- if (type == "link") 1 else object$family$mu.eta(eta)
  list(fit = mean, se.fit = abs(slope) * sqrt(pmax(rowSums((x %*% vcov(object)) * x), 0)))
}

truth_cell <- function(rows, truth) {
  if (!length(rows$covariates)) return(1L)
  check_that(setequal(names(truth), rows$covariates), truth, "truth",
             paste("named by the randomized covariates:", format_labels(rows$covariates)))
  at <- lapply(rows$covariates, function(name) {
    place <- match_labels(label_text(truth[[name]]), list(reports = rows$levels[[name]]))
    if (length(place) == 1L && !is.na(place)) return(rows$cells[[name]] == place)
    abort(c("{.arg truth} must hold levels: {format_labels(rows$levels[[name]])}.",
            x = "{.val {name}} is {describe(truth[[name]])}."), "level")
  })
  which(Reduce(`&`, at))
}

# New rows with the exact covariates of the model of the outcome, and with `shares` those of the models of the truth.
predictor_newdata <- function(object, newdata, outcome, shares) {
  rows <- object$rows
  models <- c(if (outcome) list(stats::delete.response(rows$terms)), if (shares) unname(rows$truth_formulas))
  needed <- setdiff(unique(unlist(lapply(models, all.vars))), rows$covariates)
  xlevels <- c(rows$made$xlevels,
               if (shares) unlist(lapply(object$models, function(part) part$made$xlevels), recursive = FALSE))
  fitting_columns(object, newdata, needed, xlevels[setdiff(names(xlevels), rows$covariates)])
}

# P(combination of truths | covariates) of new rows.
truth_shares <- function(object, frame) {
  rows <- object$rows
  shares <- matrix(1, nrow(frame), nrow(rows$cells))
  at <- 0
  for (part in object$models) {
    rows$cells <- object$rows$cells[part$first, , drop = FALSE]
    z <- predictor_designs(NULL, frame, rows, part$made)
    b <- matrix(object$estimate[at + seq_len(length(part$names) * (part$k - 1))], length(part$names))
    at <- at + length(b)
    each <- lapply(z, function(x) multinomial_truths(x[, part$names, drop = FALSE], b))
    for (cell in seq_len(ncol(shares))) shares[, cell] <- shares[, cell] * each[[part$of[cell]]][, part$level[cell]]
  }
  shares
}

label_shares <- function(shares, rows) {
  labels <- Map(function(name, place) rows$levels[[name]][place], rows$covariates, as.list(rows$cells))
  shares <- matrix(shares, ncol = max(1L, nrow(rows$cells)))
  if (length(labels)) colnames(shares) <- do.call(paste, c(unname(labels), sep = ", "))
  shares
}

#' @rdname rr_predictor
#' @export
augment.rr_predictor <- function(x, ...) {
  frame <- as.list(x$frame[setdiff(names(x$frame), "(weights)")])
  if (x$method == "moments") return(tibble::as_tibble(frame))
  posterior <- if (length(x$rows$covariates)) share_columns(predict(x, type = "posterior"), ".posterior.")
  tibble::as_tibble(c(frame, list(.fitted = unname(predict(x))), posterior))
}
