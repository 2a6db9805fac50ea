# The mean of numbers is estimated from two sums; its fits have the methods of all estimates.

estimate_tally.rr_mean <- function(mechanism, tally, given) {
  if ("method" %in% names(given) && !identical(given$method, "inv")) {
    abort(c("{.arg method} must be {.val inv}, or left out: a mean has one unbiased estimate.",
            x = "It is {describe(given$method)}."), "argument")
  }
  if ("interval" %in% names(given) && !identical(given$interval, "wald")) {
    abort(c("{.arg interval} must be {.val wald}, or left out, for a mean.", x = "It is {describe(given$interval)}."),
          "argument")
  }
  do.call(check_dots_empty, given$options, quote = TRUE)
  target <- check_choice(given$target, "target", c("population", "sample"))
  groups <- seq_len(NCOL(tally$counts))
  moments <- vapply(groups, function(g) group_counts(tally, g) / tally$n[g], numeric(2))
  # From shares of the range of reports to the scale of answers from -1 to 1.
  mean <- mechanism$reach * (2 * moments[1, ] - 1)
  second <- mechanism$reach^2 * (4 * moments[2, ] - 4 * moments[1, ] + 1)
  n <- tally$effective_n
  half <- diff(mechanism$range) / 2
  structure(
    list(estimate = sum(mechanism$range) / 2 + half * mean,
         variance = half^2 * mean_error(mechanism, mean, second, n, target),
         n = sum(tally$n), target = target, conf.level = check_level(given$conf.level, "conf.level"),
         simultaneous = check_flag(given$simultaneous, "simultaneous"),
         unlikely = few_witnesses(tally) ||
           any(unlikely_mean(mechanism, mean, second, n, false_alarm / length(groups))),
         tally = tally, mechanism = mechanism),
    class = c("rr_mean_fit", "rr_estimates")
  )
}

# Variance of the mean of n reports with this mean and mean square: of independent reports, or of what the
# randomisation adds to fixed answers.
mean_error <- function(mechanism, mean, second, n, target) {
  spread <- ifelse(n > 1, pmax(second - mean^2, 0) / (n - 1), NA_real_)
  parts <- mean_variance(mechanism)
  # Duchi's reports are plus or minus one number: their squares say nothing about the squares of the answers.
  if (target == "population" || parts$slope < 0) return(spread)
  # The mean square of reports is constant + (slope + 1) times that of the answers.
  squares <- pmin(pmax((second - parts$constant) / (parts$slope + 1), 0), 1)
  (parts$constant + parts$slope * squares) / n
}

rows_of.rr_mean_fit <- function(x) {
  tibble::as_tibble(c(as.list(x$tally$groups), list(term = rep("mean", length(x$estimate)), estimate = x$estimate,
                                                    std.error = sqrt(x$variance))))
}

bounds_of.rr_mean_fit <- function(x, rows, level) {
  if (x$simultaneous) level <- 1 - (1 - level) / nrow(rows)
  bounds_of.rr_estimates(x, rows, level)
}

labels_of.rr_mean_fit <- function(x) if (is.null(x$tally$groups)) "mean" else group_labels(x$tally$groups)

covariance_of.rr_mean_fit <- function(x) diag(x$variance, length(x$variance))

title_of.rr_mean_fit <- function(x) {
  c(paste0("Mean from ", report_words(x$tally), if (!is.null(x$tally$groups)) in_groups(x$tally)),
    paste0("  ", format(x$mechanism)),
    sprintf("  Target: %s, %s; %s%% Wald intervals%s", x$target,
            if (x$target == "population") "respondents and randomisation are random"
            else "only the randomisation is random",
            format(100 * x$conf.level), if (x$simultaneous) ", simultaneous" else ""),
    if (isTRUE(x$unlikely)) strwrap(unlikely_words, width = 80, indent = 2, exdent = 4))
}

drawn_of.rr_mean_fit <- function(x, data, labels) {
  data$label <- rows_factor(labels)
  data$panel <- factor(rep("", nrow(data)))
  data$kind <- rep("value", nrow(data))
  range <- format(x$mechanism$range, digits = 15, trim = TRUE)
  list(data = data, title = title_of(x)[1], axis = sprintf("Mean of numbers from %s to %s", range[1], range[2]))
}

# Reports of a mean, on the scale of answers from -1 to 1, lie within plus or minus `reach`. Whatever the answers, their
# mean lies from -1 to 1 and their mean square is at least that of answers of 0. Bounds of Hoeffding, and for the lower
# tail of squares exp(- n d^2 / (2 reach^2 m)), d below their mean m (Maurer 2003), for any number of reports.
unlikely_mean <- function(mechanism, mean, second, n, alpha) {
  parts <- mean_variance(mechanism)
  least <- parts$constant + min(0, parts$slope + 1)
  most <- parts$constant + max(0, parts$slope + 1)
  reach <- mechanism$reach
  limit <- log(4 / alpha)
  n * pmax(0, abs(mean) - 1)^2 / (2 * reach^2) > limit |
    n * pmax(0, least - second)^2 / (2 * reach^2 * least) > limit |
    2 * n * pmax(0, second - most)^2 / reach^4 > limit
}
