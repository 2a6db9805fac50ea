#' Regression with randomized answers
#'
#' Fits a regression of the *true* answer to a yes/no question on covariates, from randomized reports, by maximum likelihood. Modelled is the
#' probability of the second label of the mechanism, the "yes", which `print()` names. The result is
#' a `glm`: functions for [stats::glm()] work here too, and their results are about the truth.
#'
#' The likelihood may have several local maxima, and it is bounded at infinity, where its largest value may be. The estimate is the largest value that is found: Newton's
#' method with step control begins at starting points that are the same in every run, among them truths that turn from no to yes at a threshold of the covariates. No search is certain to find it. Where the maximum is at infinity, coefficients
#' are `-Inf`, `Inf`, or `NA` if their sign is not determined. A warning says so: intervals fail there. In 265 simulated surveys the root mean squared error of the fitted truths was 0.145,
#' and 0.073 with `penalty = "prior"`. Another warning says that another maximum lies within 2 units of log-likelihood: the errors were 0.074, and 0.065 with the prior. No random number is drawn.
#'
#' @section Standard errors:
#' `vcov()` and `summary()` use the inverse of the *observed* information, which the literature recommends (Efron and Hinkley 1978);
#' `type = "expected"` is what `glm()` with [rr_family()] gives. `"sandwich"` is robust, and with `cluster` allows for answers that depend on each other.
#' A survey design gives linearised standard errors. Without clusters the types usually differ by a few per cent.
#'
#' @param formula The truth on its covariates: `report ~ age + sex`. The response is 0 and 1, logical, a factor or text with the labels of
#'   the mechanism, shares with `weights` as numbers of answers, `cbind(yes, no)`, or a tally by groups, in which case the covariates are its group columns.
#'   Labelled columns, as 'haven' reads them from SPSS, Stata and SAS files, are taken by their labels, in the response and among the covariates (as factors; where only
#'   some of the values have labels, as numbers, and a message says so). Values that the file declares to be missing are.
#' @param data A data frame, or a tally of [rr_tally()] with groups (the left side of `formula` may then be left out).
#' @param mechanism How the answers were randomised: a mechanism of two categories, or a *named list* of them, of which `arm` names the one of
#'   each row. A direct question is `rr_binary(1, 0)`. In a list, [rr_lie_detector()], [rr_cheater_detection()] or `rr_unrelated(p, pi = NULL)` have an unknown parameter that is estimated too. A tally has its own mechanism.
#' @param link The link of the truth: `"logit"`, `"probit"`, `"cloglog"`, `"cauchit"`, `"log"` or `"identity"`.
#' @param weights,offset,subset,na.action As in [stats::glm()]; the column of weights may also be named, as `"w"` or `~ w`. A weight is the number of answers of its row. For survey weights the standard errors
#'   would be wrong: give `design`, or take `vcov(fit, type = "sandwich")`; a message says so where weights are not whole.
#'   Rows with missing values are dropped, and counted in a message, unless `na.action` says otherwise.
#' @param start A starting value for the coefficients, tried before the others.
#' @param starts How many starting points with a threshold are followed, at most, and half as many of other slopes; `1` begins at a constant share alone. With 8,000 different rows or more
#'   the starts first use about 2,000 evenly spaced rows.
#' @param penalty `"prior"` maximizes the likelihood with a weak normal prior: standard deviation 2.5 for the slope of a covariate per standard deviation, or per step of one with two values, and 5
#'   for the intercept at the mean of the covariates. `"bias"` removes most of the bias of small surveys (Kosmidis and Firth 2009), `"jeffreys"` maximizes the likelihood with Jeffreys'
#'   prior. Estimates of `"prior"` and `"jeffreys"` are always finite. Standard errors are those of the curvature at the estimate for `"prior"`, else of the expected information.
#' @param arm A column of `data` that names each row's mechanism, where `mechanism` is a list.
#' @param design A survey design of `survey::svydesign()`, in place of `data`. Its weights are used, and standard errors are linearised.
#' @param anchor `list(column = rr_anchor(mechanism))`: the column of `data` with the reports of an anchor question, and its mechanism; see [rr_anchor()]. The share of
#'   inattentive respondents, who answer both questions by chance, is then estimated with the coefficients. It must be the same for all covariates, and the anchor question must have a device of
#'   its own. Predicted reports and simulated ones are those of respondents with the same report of the anchor question.
#' @param ... Not used, and refused.
#' @return An object of class `c("rr_glm", "glm", "lm")` with the elements of a `glm`, of which `fitted.values`, `residuals`, `deviance` are about the
#'   *reports*, and
#'   * `mechanism`, `device` (its probabilities), `arm`, `link`, `penalty`, `design`;
#'   * `information`: the matrices `observed` and `expected`;
#'   * `decrement`: by how much the log-likelihood could still rise, by its second-order expansion;
#'   * `starts`: the log-likelihoods (with that of the prior) of the maxima that were found within 3 of the best; `ends`: where they are, a column each;
#'   * `point`: finite coefficients whose log-likelihood is that of the fit; those of an estimate at infinity are far out. `flat`: directions in which it stands still there, or `NULL`;
#'   * `anchor`, as given;
#'   * `boundary`: `NULL`, or the rows whose truth is 0 or 1 and the coefficients that are infinite;
#'   * `parameter`: the unknown parameter of the design, with the attribute `std.error`, or `NULL`.
#' @section Errors:
#' `candor_error_argument` for a mechanism that is not of a yes/no question, weights that are negative or missing, an offset of the wrong length,
#' fewer rows than coefficients, a link without a feasible start, for variables that are not there, with the nearest name and the columns, and for
#' random effects, smooth terms, clusters and unknown functions in `formula`; `candor_error_no_information` for `p = q`;
#' `candor_error_mismatch` for arms without a mechanism; `candor_error_level` for reports that are not labels; `candor_error_missing` for missing values under
#' `na.fail`. (Only a mechanism with `p = q` has reports that it cannot give.)
#'
#' Warnings: `candor_warning_infinite`, `candor_warning_maxima` (another maximum within 2 of the best; one warning for both),
#' `candor_warning_unlikely` (no truth makes the share of yes likely: the mechanism is another one), `candor_warning_boundary` (an unknown parameter is
#' estimated as 0 or 1).
#' @source van den Hout, A., van der Heijden, P. G. M. and Gilchrist, R. (2007). The logistic regression model with response variables
#'   subject to randomized response. *Computational Statistics & Data Analysis* 51(12), 6060-6069. \doi{10.1016/j.csda.2006.12.002}
#'
#'   Efron, B. and Hinkley, D. V. (1978). Assessing the accuracy of the maximum likelihood estimator. *Biometrika* 65(3), 457-483.
#'   \doi{10.1093/biomet/65.3.457}
#'
#'   Kosmidis, I. and Firth, D. (2009). Bias reduction in exponential family nonlinear models. *Biometrika* 96(4), 793-804.
#'   \doi{10.1093/biomet/asp055}
#' @seealso [rr_family()], [rr_effects()], [predict.rr_glm()], [confint.rr_glm()].
#' @examples
#' design <- rr_forced(c(no = 1 / 6, yes = 1 / 6))
#' survey <- data.frame(age = rep(20:69, 8), town = rep(0:1, 200))
#' survey$report <- rr_perturb(rep(c(0, 0, 1), length.out = 400), design)
#' fit <- rr_glm(report ~ age + town, survey, design)
#' summary(fit)
#' rr_effects(fit)
#'
#' # Direct and randomized questions in one survey
#' minarets <- rbind(
#'   data.frame(arm = "direct", yes = 158, no = 207),
#'   data.frame(arm = "forced", yes = 250, no = 150))
#' designs <- list(direct = rr_binary(1, 0), forced = rr_forced(c(no = 1 / 6, yes = 1 / 6)))
#' both <- rr_glm(cbind(yes, no) ~ arm, minarets, designs, arm = arm)
#' predict(both, type = "truth")
#' @export
rr_glm <- function(formula, data = NULL, mechanism = NULL, link = "logit", weights = NULL, offset = NULL, subset = NULL,
                   na.action = NULL, start = NULL, starts = 20, penalty = c("none", "bias", "jeffreys", "prior"),
                   arm = NULL, design = NULL, anchor = NULL, ...) {
  check_dots_empty(...)
  check_model_order(formula, data, mechanism, design = TRUE)
  link <- check_link(link)
  penalty <- check_choice(penalty, "penalty", c("none", "bias", "jeffreys", "prior"))
  starts <- check_count(starts, "starts", min = 1, max = 1000)
  call <- match.call()
  check_anchor(anchor)
  frame <- regress_frame(call, formula, data, design, anchor, parent.frame())
  mechanism <- mechanism %||% frame$mechanism
  if (is.null(mechanism)) {
    abort(c("{.arg mechanism} is needed: how the answers were randomised.",
            i = "Make a mechanism with {.fn rr_binary}, {.fn rr_forced}, {.fn rr_crosswise}, ..."), "argument")
  }
  parts <- regress_data(frame, mechanism, link, anchor)
  if (!is.null(start)) start <- check_fit_start(start, parts)
  maximum <- penalty_maximum(parts$data, penalty, starts, start)
  fit <- new_rr_glm(parts, maximum, frame, call, penalty, link, mechanism)
  fit$starts.asked <- starts
  fit$design <- design
  fit$anchor <- anchor
  if (!is.null(design)) {
    # Functions of glm read it, and uncorrected it would mislead: AIC() corrects it.
    fit$aic <- NA_real_
    # Tests of other packages read it.
    fit$df.residual <- residual_freedom(fit)
  }
  tell_about(fit)
  fit
}

penalty_maximum <- function(data, penalty, starts, start = NULL, near = NULL) {
  if (penalty %in% c("bias", "jeffreys")) return(penalised_maximum(data, penalty, starts))
  regress_maximum(data, starts, start, if (penalty == "prior") prior_precision(data), near)
}

# The fit as a glm. Coefficients may be infinite, and linear predictors; everything else is finite.
new_rr_glm <- function(parts, maximum, frame, call, penalty, link, mechanism) {
  data <- parts$data
  columns <- ncol(data$x)
  n <- length(data$y)
  solved <- describe_maximum(maximum)
  names <- colnames(data$x)
  unknown <- !is.null(data$unknown)
  if (unknown) data$device <- unknown_at(data$unknown, solved$parameter)
  eta <- predictor_of(data$x, solved$point, data$offset)
  if (!is.null(solved$flat)) {
    out <- rowSums((data$x %*% solved$flat)^2) > 1e-14
    eta[out] <- sign(eta[out]) * Inf
  }
  rows <- regress_rows(eta, data$y, data$arm, data$device, link)
  device <- row_device(data$device, data$arm, n)
  mu <- rows$report
  mu.eta <- device$d * rows$slope
  working <- (data$y - mu) / mu.eta
  working[!is.finite(working)] <- 0
  w <- data$weight * rows$expected
  w[!is.finite(w)] <- 0
  root <- sqrt(w)
  finite_eta <- ifelse(is.finite(eta), eta, 0)
  qr <- stats::.lm.fit(data$x * root, (finite_eta - (data$offset %||% 0) + working) * root, tol = 1e-11)
  constant <- binomial_constant(data$y, data$weight, parts$answers)
  rank <- maximum$model$k
  df <- rank + unknown
  family <- regress_family_of(data, parts$devices, mechanism, link)
  deviances <- stats::binomial()$dev.resids(data$y, mu, data$weight)
  rownames <- row.names(frame$frame)
  label <- function(x) stats::setNames(as.vector(x), rownames)
  good <- sum(data$weight > 0)
  dimnames(qr$qr) <- list(NULL, names[qr$pivot])
  all_names <- c(names, if (unknown) "(parameter)")
  named <- function(V) structure(V, dimnames = list(all_names, all_names))
  structure(list(
    coefficients = stats::setNames(solved$coefficients, names), residuals = label(working), fitted.values = label(mu),
    effects = structure(qr$effects, names = c(names[qr$pivot][seq_len(qr$rank)], rep("", n - qr$rank))),
    R = upper_part(qr), rank = rank,
    qr = structure(qr[c("qr", "rank", "qraux", "pivot", "tol")], class = "qr"), family = family,
    linear.predictors = label(eta), deviance = sum(deviances), aic = -2 * (solved$loglik + constant) + 2 * df,
    null.deviance = null_deviance(data, frame$terms), iter = maximum$steps, weights = label(w),
    prior.weights = label(data$weight), df.residual = good - df,
    df.null = good - (attr(frame$terms, "intercept") > 0), y = label(data$y), converged = TRUE,
    boundary = boundary_of(solved, data, rows, isTRUE(maximum$pressed), names), model = frame$frame, call = call,
    formula = frame$formula, terms = frame$terms, data = frame$data, offset = parts$offset,
    control = stats::glm.control(epsilon = 1e-11), method = "rr_glm.fit", contrasts = attr(data$x, "contrasts"),
    xlevels = frame$xlevels, na.action = frame$na.action, mechanism = mechanism, device = data$device, arm = data$arm,
    link = link, labels = parts$devices$labels, penalty = penalty,
    information = if (is.null(solved$flat)) lapply(solved$information, named) else list(),
    variance = lapply(solved$variance, named),
    # Of combinations that are finite, whether or not their coefficients are.
    whole = if (!is.null(solved$flat)) solved$whole[seq_len(columns), seq_len(columns), drop = FALSE],
    decrement = maximum$decrement, starts = maximum$values,
    ends = do.call(cbind, lapply(maximum$ends, function(end) natural(maximum$model, end$b))), loglik = solved$loglik,
    constant = constant,
    point = solved$point, flat = solved$flat, unknown = data$unknown, weight.scale = parts$scale,
    parameter = if (unknown) named_parameter(solved, parts$devices$parameter)
  ), class = c("rr_glm", "glm", "lm"))
}

upper_part <- function(qr) {
  k <- qr$rank
  R <- qr$qr[seq_len(min(nrow(qr$qr), ncol(qr$qr))), , drop = FALSE]
  R[lower.tri(R)] <- 0
  rownames(R) <- colnames(R)[seq_len(nrow(R))]
  R[seq_len(k), seq_len(k), drop = FALSE]
}

# The rows whose truth is 0 or 1 and the coefficients that are infinite. `pressed`: at the end of the range of a link.
boundary_of <- function(solved, data, rows, pressed, names) {
  if (is.null(solved$flat) && !pressed) return(NULL)
  at_end <- which(data$weight > 0 & (pmin(rows$truth, rows$truth_no) <= if (pressed) 1e-6 else 0))
  list(rows = at_end, truth = round(rows$truth[at_end]), coefficients = names[solved$infinite], pressed = pressed)
}

named_parameter <- function(solved, name) {
  V <- solved$variance$observed
  structure(stats::setNames(solved$parameter, name), std.error = sqrt(V[nrow(V), ncol(V)]))
}

regress_family_of <- function(data, devices, mechanism, link) {
  device <- data$device
  if (!is.null(data$arm)) device <- device[, data$arm + 1L, drop = FALSE]
  new_regress_family(device, mechanism, devices$labels, link)
}

# The constant that logLik() of a glm includes and the likelihood of the answers in their order does not.
binomial_constant <- function(y, weight, answers) {
  grouped <- which(weight > 0 & y > 0 & y < 1)
  if (!length(grouped)) return(0)
  m <- round(weight[grouped])
  sum(lchoose(m, round(m * y[grouped])))
}

null_deviance <- function(data, terms) {
  deviances <- stats::binomial()$dev.resids
  n <- length(data$y)
  if (attr(terms, "intercept") == 0L) {
    mu <- regress_rows(data$offset %||% numeric(n), data$y, data$arm, data$device, data$link)$report
    return(sum(deviances(data$y, mu, data$weight)))
  }
  if (is.null(data$arm) && is.null(data$offset)) {
    mu <- stats::weighted.mean(data$y, data$weight)
    mu <- min(max(data$device[1:2, 1]), max(min(data$device[1:2, 1]), mu))
    return(sum(deviances(data$y, rep(mu, n), data$weight)))
  }
  alone <- data
  alone$x <- matrix(1, n, 1)
  alone$unknown <- NULL
  eta <- predictor_of(alone$x, describe_maximum(regress_maximum(alone, 1))$point, data$offset)
  sum(deviances(data$y, regress_rows(eta, data$y, data$arm, data$device, data$link)$report, data$weight))
}
