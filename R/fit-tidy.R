#' A fit as a tidy table
#'
#' `tidy()` gives one row per estimate, `glance()` one row per fit, `augment()` one row per report category.
#'
#' @param x A fit of [rr_estimate()].
#' @param conf.int Add the columns `conf.low` and `conf.high`?
#' @param conf.level Confidence level, between 0 and 1; by default the one of the fit.
#' @param terms Categories wanted: labels or positions, such as `"yes"`; all by default.
#' @param ... Not used.
#' @return A tibble. When grouped, the group columns come first.
#'   * `tidy()`: `term` (category), `estimate` (share), `std.error` and, with `conf.int = TRUE`, `conf.low`
#'     and `conf.high`. An estimate that is held at 0 or 1 has no `std.error` (`NA`; its variance in [vcov()][rr_fit] is 0): read its interval.
#'     `as.data.frame()` gives the same with intervals, as a plain data frame.
#'   * `glance()`: `method`, `target`, `categories`, `nobs`, `respondents` (how many reports were counted, whatever their weights; `NA` where only weighted counts were given),
#'     `effective_n` (how many respondents of equal weight they are worth), `epsilon`, `logLik`, `df`, `AIC` and `BIC` (`NA` for methods that do not
#'     maximise the likelihood), `boundary` (estimates at or beyond 0 or 1), `gap` (certified distance of the log-likelihood from its maximum; 0 for the closed
#'     form, `NA` for methods that do not maximise it) and `unlikely` (`TRUE` where no truth makes these reports likely under the mechanism, as where another mechanism
#'     was used or answers were not randomised; a false alarm in at most 1 of 1,000 fits).
#'   * `augment()`: `term` (report), `count`, `.fitted` (expected count), `.resid` (Pearson residual).
#' @section Errors:
#' `candor_error_argument` for arguments that are not known or out of range.
#' @source Estimates, standard errors and intervals are those of [rr_estimate()], [rr_fit] and their sources. `gap` is the certificate of
#'   [rr_solver], from Jensen's inequality. Columns are named as the generics of the package 'generics' ask for.
#' @name tidy.rr_fit
#' @seealso [rr_fit] for R's own accessors.
#' @examples
#' reports <- rr_counts(c(420, 330, 250), rr_grr(3, epsilon = 1))
#' fit <- rr_estimate(reports)
#' tidy(fit, conf.int = TRUE)
#' glance(fit)
#' augment(fit)
NULL

#' @rdname tidy.rr_fit
#' @export
tidy.rr_fit <- function(x, conf.int = FALSE, conf.level = x$conf.level, terms = NULL, ...) {
  check_flag(conf.int, "conf.int")
  conf.level <- check_level(conf.level)
  if (conf.int) tell_no_intervals(x)
  tidy_rows(x, conf.int, conf.level, match_terms(terms, x, "terms"))
}

# The rows of some categories in some groups: showing ten rows of a million must not compute the others.
tidy_rows <- function(fit, conf.int, conf.level, which = seq_along(fit$mechanism$levels),
                      groups = seq_len(ncol(as.matrix(fit$estimate))), ranked = FALSE) {
  each <- function(f) as.vector(vapply(groups, f, numeric(length(which))))
  columns <- c(list(term = rep(fit$mechanism$levels[which], length(groups))),
               cell_answers(fit$mechanism, "levels", length(groups), which),
               list(estimate = each(function(g) unname(group_estimate(fit, g)[which])),
                    std.error = each(function(g) table_errors(fit, g, which))))
  if (conf.int) {
    bounds <- fit_intervals(fit, conf.level, which = which, groups = groups, ranked = ranked)
    columns$conf.low <- as.vector(bounds$low)
    columns$conf.high <- as.vector(bounds$high)
  }
  keys <- lapply(as.list(fit$tally$groups), function(key) rep(key[groups], each = length(which)))
  tibble::as_tibble(c(keys, columns))
}

# An estimate that is held at 0 or 1 has variance 0 in vcov(), where functions of the others need it. In a table the
# error 0 would say that the share is known.
table_errors <- function(fit, g, which) {
  error <- fit_errors(fit, g, which)
  if (held_at_boundary(fit, g)) error[which(error == 0)] <- NA_real_
  error
}

#' @rdname tidy.rr_fit
#' @export
glance.rr_fit <- function(x, ...) {
  likelihood <- if (isTRUE(x$estimator$composite)) structure(NA_real_, df = NA_real_, nobs = sum(x$tally$effective_n),
                                                             class = "logLik")
    else logLik(x)
  # Criteria compare maxima of likelihoods: shares below 0 may have a larger likelihood than any distribution.
  maximised <- "likelihood" %in% x$estimator$needs
  gaps <- unlist(lapply(x$details, `[[`, "gap"))
  tibble::tibble(method = x$method, target = x$target, categories = length(x$mechanism$levels), nobs = nobs(x),
                 respondents = respondent_number(x$tally), effective_n = sum(x$tally$effective_n),
                 epsilon = x$mechanism$epsilon,
                 logLik = as.numeric(likelihood), df = attr(likelihood, "df"),
                 AIC = if (maximised) stats::AIC(likelihood) else NA_real_,
                 BIC = if (maximised) stats::BIC(likelihood) else NA_real_, boundary = boundary_count(x),
                 gap = if (length(gaps)) max(gaps) else x$estimator$gap %||% NA_real_,
                 unlikely = is_contradicted(x) || is_unlikely(x))
}

#' @rdname tidy.rr_fit
#' @export
augment.rr_fit <- function(x, ...) {
  table <- tidy(x$tally)
  table$share <- NULL
  table$.fitted <- as.vector(fitted(x))
  table$.resid <- as.vector(residuals(x))
  table
}

#' @rdname rr_fit
#' @export
summary.rr_fit <- function(object, ...) {
  structure(list(fit = object, estimates = tidy_rows(object, TRUE, object$conf.level), measures = glance(object)),
            class = "summary.rr_fit")
}

#' @export
print.summary.rr_fit <- function(x, digits = 4, ...) {
  digits <- check_digits(digits)
  print(x$fit, n = 25, digits = digits)
  measures <- x$measures
  if (!is.na(measures$logLik)) {
    cat("\n  log-likelihood ", format(measures$logLik, digits = 7), " on ", measures$df, " degrees of freedom; AIC ",
        format(measures$AIC, digits = 7), ", BIC ", format(measures$BIC, digits = 7), sep = "")
  }
  cat("\n")
  estimate <- x$fit$estimate
  cat("  smallest and largest estimate ", paste(format(range(estimate), digits = digits), collapse = " and "),
      "; reported shares run from ",
      paste(format(range(tidy(x$fit$tally)$share), digits = digits), collapse = " to "), "\n", sep = "")
  invisible(x)
}
