#' Reading a fit
#'
#' Fits of [rr_estimate()] answer R's usual questions.
#'
#' * `coef()`: the estimated shares, named by category (`group:category` when grouped).
#' * `vcov()`: their covariance matrix, for either target; `parm` picks a block, which is all that is computed.
#' * `confint()`: intervals, of the kind chosen in [rr_estimate()] or another.
#' * `logLik()`: the log-likelihood of the reports, \eqn{\sum_y n_y \log m_y}{sum of n[y] log(m[y])} with \eqn{m_y} the fitted probability of
#'   report \eqn{y} (the multinomial coefficient is left out); hence `AIC()` and `BIC()`. Its degrees of freedom are
#'   \eqn{K - 1} per group. `NA` for estimates that do not add up to 1 (`"base_cut"`, `"power"`): they have no likelihood.
#'   With weights each respondent counts for what they are worth: the sum is scaled to the effective number, which BIC uses too.
#'   The maximum likelihood estimate has the largest one *among distributions*. An estimate of `"inv"` with shares below 0 is none, and its
#'   log-likelihood may be larger still: outside the distributions the reports can be fitted better.
#' * `nobs()`: the number of reports, or the sum of weights.
#' * `fitted()`, `residuals()`: expected counts of the reports, and how far the tally is from them.
#' * `simulate()`: tallies of new reports under the fitted truth, in R's random generator: as many as were tallied, with weights the effective
#'   number. Estimates that do not add up to 1 are projected on the distributions first.
#' * `plot()`: the picture of [autoplot()][autoplot.rr_fit] where ggplot2 is installed, else a base one.
#'
#' @param object,x A fit of [rr_estimate()].
#' @param parm Names or positions of categories, a character or numeric vector; all by default.
#' @param level Confidence level, between 0 and 1; by default the one of the fit.
#' @param interval Kind of interval, see [rr_estimate()]; by default the one of the fit. `"bootstrap"` only for a fit that was made with it.
#' @param type For `residuals()`: `"pearson"`, standardised by the multinomial standard deviation, or `"response"`, in reports.
#' @param nsim Number of simulated tallies, a whole number of at least 1.
#' @param seed A whole number for [set.seed()], after which the generator is put back as it was; or `NULL`, to go on from
#'   where it is.
#' @param digits Significant digits printed, from 1 to 22.
#' @param n Number of estimates printed, at least 0. Only these are computed.
#' @param ... Not used, and refused, except by `plot()`, which passes it on, and by `as.data.frame()`, which takes `row.names` and
#'   `stringsAsFactors`.
#' @return `coef()`, `fitted()` and `residuals()` a vector, or a matrix with one column per group; `vcov()` and `confint()` a
#'   matrix; `logLik()` an object of class `logLik`; `nobs()` one number; `simulate()` a data frame with one row per report and one column per
#'   tally, and with the attribute `seed` that [stats::simulate()] describes; `summary()` a list of `fit`, `estimates` and `measures` (what `tidy()` and `glance()` give); `as.data.frame()` what `tidy()` gives with
#'   intervals; `print()` and `plot()` the fit itself, invisibly.
#' @section Errors:
#' `candor_error_level` for a `parm` that is not a category, `candor_error_argument` for other arguments, and for a covariance matrix of more than
#' 5,000 rows.
#' @source Pinzon, C. A. et al. (2025). Estimating the true distribution of data collected with randomized response, equation (8), for the
#'   variances: as corrected, with \eqn{(p - q)^2} in its denominators, for `target = "sample"`; for `target = "population"` the counts are multinomial and
#'   \eqn{\theta(1 - \theta)/N} is added. On the support of a maximum likelihood estimate it is the inverse Fisher information.
#'
#'   Kish, L. (1965). *Survey Sampling*. Wiley, section 11.7 (effective number).
#'
#'   Blair, G., Imai, K. and Zhou, Y.-Y. (2015), see [nigeria_survey], for the counts of the example.
#' @name rr_fit
#' @examples
#' nigeria <- rr_counts(c(yes = 831, no = 1604), rr_forced(1 / 6))
#' fit <- rr_estimate(nigeria, interval = "exact")
#' coef(fit)
#' vcov(fit, "yes", target = "sample")
#' confint(fit, "yes", level = 0.9)
#' AIC(fit)
#' simulate(fit, nsim = 3, seed = 1)
NULL

group_estimate <- function(fit, g) {
  if (is.matrix(fit$estimate)) fit$estimate[, g] else fit$estimate
}

match_terms <- function(parm, fit, call = caller_env()) {
  levels <- fit$mechanism$levels
  if (is.null(parm)) return(seq_along(levels))
  which <- if (is.character(parm) || is.factor(parm)) match(as.character(parm), levels) else parm
  if (!is.numeric(which) || is.object(which) || !length(which) || anyNA(which) ||
      any(which < 1 | which > length(levels) | which != floor(which))) {
    abort(c("{.arg parm} must name categories of the fit.", x = "It is {describe(parm)}.",
            i = "The categories are {format_labels(levels)}."), "level", call = call)
  }
  as.integer(which)
}

coef_names <- function(fit, which = NULL) {
  terms <- fit$mechanism$levels
  if (!is.null(which)) terms <- terms[which]
  groups <- fit$tally$groups
  if (is.null(groups)) return(terms)
  paste(rep(do.call(paste, c(as.list(groups), sep = ".")), each = length(terms)), rep(terms, nrow(groups)), sep = ":")
}

#' @rdname rr_fit
#' @export
coef.rr_fit <- function(object, ...) {
  check_dots_empty(...)
  estimate <- as.vector(object$estimate)
  names(estimate) <- coef_names(object)
  estimate
}

#' @rdname rr_fit
#' @export
confint.rr_fit <- function(object, parm = NULL, level = object$conf.level, interval = object$interval, ...) {
  check_dots_empty(...)
  which <- match_terms(parm, object)
  level <- check_number(level, "level", 0, 1, TRUE, TRUE)
  interval <- check_interval(interval, object)
  bounds <- fit_intervals(object, level, interval, which)
  percent <- paste(format(100 * c((1 - level) / 2, (1 + level) / 2), trim = TRUE, digits = 3), "%")
  matrix(c(bounds$low, bounds$high), ncol = 2,
         dimnames = list(coef_names(object, which), percent))
}

check_interval <- function(interval, fit, call = caller_env()) {
  interval <- check_choice(interval, "interval", c("wilson", "exact", "wald", "bootstrap", "profile"), call = call)
  check_interval_kind(interval, fit$mechanism, fit$target, call)
  if (interval == "bootstrap" && is.null(fit$replicates)) {
    abort(c("{.arg interval} cannot be {.val bootstrap} for this fit: it holds no replications.",
            i = "Ask for them when estimating: {.code rr_estimate(..., interval = \"bootstrap\")}."),
          "argument", call = call)
  }
  interval
}

#' @rdname rr_fit
#' @export
logLik.rr_fit <- function(object, ...) {
  check_dots_empty(...)
  groups <- ncol(as.matrix(object$estimate))
  total <- sum(vapply(seq_len(groups), function(g) {
    if (!adds_up(group_estimate(object, g))) return(NA_real_)
    counts <- group_counts(object$tally, g)
    shares <- reported_shares(object$mechanism, group_estimate(object, g))
    seen <- counts > 0
    if (any(shares[seen] <= 0)) return(-Inf)
    object$tally$effective_n[g] / object$tally$n[g] * sum(counts[seen] * log(shares[seen]))
  }, 0))
  structure(total, df = groups * (length(object$mechanism$levels) - 1), nobs = sum(object$tally$effective_n),
            class = "logLik")
}

#' @rdname rr_fit
#' @export
nobs.rr_fit <- function(object, ...) {
  check_dots_empty(...)
  sum(object$tally$n)
}

#' @rdname rr_fit
#' @export
fitted.rr_fit <- function(object, ...) {
  check_dots_empty(...)
  estimate <- as.matrix(object$estimate)
  expected <- vapply(seq_len(ncol(estimate)), function(g) {
    object$tally$n[g] * reported_shares(object$mechanism, estimate[, g])
  }, numeric(length(object$mechanism$reports)))
  label_reports(expected, object)
}

#' @rdname rr_fit
#' @export
residuals.rr_fit <- function(object, type = c("pearson", "response"), ...) {
  check_dots_empty(...)
  type <- check_choice(type, "type", c("pearson", "response"))
  expected <- fitted(object)
  difference <- as.vector(object$tally$counts) - expected
  if (type == "response") return(difference)
  n <- rep(object$tally$n, each = length(object$mechanism$reports))
  # A sum of weights varies as a multiple of the effective number of reports does.
  unit <- rep(object$tally$n / object$tally$effective_n, each = length(object$mechanism$reports))
  variance <- unit * as.vector(expected) * (1 - as.vector(expected) / n)
  ratio <- difference / sqrt(ifelse(variance < 0, NA, variance))
  # A report expected always or never, and given as often: no difference, to rounding.
  ratio[abs(difference) <= 1e-12 * n] <- 0
  ratio
}

label_reports <- function(values, fit) {
  if (is.null(fit$tally$groups)) return(stats::setNames(as.vector(values), fit$mechanism$reports))
  dimnames(values) <- list(fit$mechanism$reports, do.call(paste, c(as.list(fit$tally$groups), sep = ".")))
  values
}

#' @rdname rr_fit
#' @export
simulate.rr_fit <- function(object, nsim = 1, seed = NULL, ...) {
  check_dots_empty(...)
  nsim <- check_count(nsim, "nsim", min = 1)
  if (!is.null(seed)) check_count(seed, "seed", min = -.Machine$integer.max, max = .Machine$integer.max)
  # As simulate() of lm(): a seed is for this call only.
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) stats::runif(1)
  state <- get(".Random.seed", envir = globalenv(), inherits = FALSE)
  if (!is.null(seed)) {
    on.exit(assign(".Random.seed", state, envir = globalenv()))
    set.seed(seed)
    seed <- structure(seed, kind = as.list(RNGkind()))
  }
  groups <- ncol(as.matrix(object$estimate))
  call <- environment()
  counts <- do.call(rbind, lapply(seq_len(groups), function(g) simulate_counts(object, g, nsim, call = call)))
  colnames(counts) <- paste0("sim_", seq_len(nsim))
  table <- data.frame(term = rep(object$mechanism$reports, groups), counts)
  if (!is.null(object$tally$groups)) {
    rows <- rep(seq_len(groups), each = length(object$mechanism$reports))
    table <- cbind(as.data.frame(object$tally$groups)[rows, , drop = FALSE], table)
    rownames(table) <- NULL
  }
  structure(table, seed = seed %||% state)
}

# How many estimates sit on the boundary of what a share can be.
boundary_count <- function(fit) sum(fit$estimate <= 0 | fit$estimate >= 1)

#' @rdname rr_fit
#' @export
print.rr_fit <- function(x, n = 10, digits = 4, ...) {
  check_dots_empty(...)
  n <- check_number(n, "n", min = 0)
  digits <- check_digits(digits)
  cat("<", class(x)[1], "> ", method_names[[x$method]], " of ",
      format_count(length(x$mechanism$levels)), " categories from ",
      format_count(sum(x$tally$n)), " reports",
      if (!is.null(x$tally$groups)) sprintf(" in %d groups", nrow(x$tally$groups)), "\n", sep = "")
  cat("  ", format(x$mechanism), "\n", sep = "")
  for (line in c(uncertainty_line(x), fit_notes(x))) cat(strwrap(line, 80, indent = 2, exdent = 4), sep = "\n")
  k <- length(x$mechanism$levels)
  rows <- length(x$estimate)
  table <- tidy_rows(x, TRUE, x$conf.level, seq_len(max(1, min(n, k))), seq_len(max(1, ceiling(min(n, rows) / k))))
  print(as.data.frame(utils::head(table, n)), digits = digits, row.names = FALSE)
  if (rows > n) cat("  ... and ", format_count(rows - n), " more; see tidy()\n", sep = "")
  invisible(x)
}

method_names <- c(mle = "Maximum likelihood", inv = "Linear inversion", invn = "Inversion, clipped and rescaled",
                  invp = "Inversion, projected", ibu = "Iterative Bayesian update", base_cut = "Inversion, Base-Cut",
                  norm = "Inversion, Norm", norm_cut = "Inversion, Norm-Cut", norm_sub = "Inversion, Norm-Sub",
                  power = "Inversion, Power", power_ns = "Inversion, PowerNS",
                  combine = "Combined estimate", merged = "Maximum likelihood, small cells merged",
                  smoothed = "Smoothed EM")

uncertainty_line <- function(x) {
  kind <- c(wilson = "Wilson", exact = "exact", wald = "Wald", bootstrap = "bootstrap", profile = "profile likelihood")
  sprintf("Target: %s; %s%% %s intervals%s; %s of %s estimates on the boundary", x$target,
          format(100 * x$conf.level), kind[[x$interval]], if (x$simultaneous) ", simultaneous" else "",
          format_count(boundary_count(x)), format_count(length(x$estimate)))
}

# What a reader must know before using the numbers.
fit_notes <- function(x) {
  unique <- vapply(x$details, function(d) !identical(d$unique, FALSE), NA)
  gaps <- unlist(lapply(x$details, `[[`, "gap"))
  steps <- unlist(lapply(x$details, `[[`, "iterations"))
  shared <- if (is.null(additive(x$mechanism))) "other distributions are as likely"
            else "unreported categories share their remainder equally"
  c(if (any(!unique)) paste("The maximum is not unique:", shared),
    if (length(gaps)) sprintf("%s; the log-likelihood is within %s of its maximum",
                              if (length(steps)) paste(max(steps), "iterations") else "Certified",
                              # Below this the certificate itself is made of roundings.
                              format(if (max(gaps) > 0) max(gaps, 1e-13 * max(x$tally$effective_n)) else 0,
                                     digits = 2)),
    if (!x$method %in% c("inv", "norm") && boundary_count(x) > 0)
      "Estimates held at the boundary have standard error 0 and bias the others: read the intervals",
    if (x$interval != "bootstrap" && any(vapply(seq_along(x$details), needs_functions, NA, fit = x)))
      sprintf("Standard errors: not listed for more than %s positive cells; rr_contrast() has those of any function",
              format_count(covariance_cells)),
    if (any(x$estimate < 0)) sprintf("Negative estimates: %s, as unbiased estimates of shares near 0 may be",
                                     format_count(sum(x$estimate < 0))))
}
