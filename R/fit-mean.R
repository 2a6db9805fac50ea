# The mean of numbers, and the variance of scrambled truths.

# The mean is estimated from the sums of the powers of the reports, and the variance of scrambled
# truths too.
estimate_tally.rr_mean <- function(mechanism, tally, given) {
  check_only(given, "method", "inv")
  check_only(given, "interval", c("wald", "anytime"))
  looking <- identical(given$interval, "anytime")
  if (looking && given$target == "sample") {
    abort(c("{.arg interval} cannot be {.val anytime} here.", x = "It is about the population."))
  }
  do.call(check_dots_empty, given$options, quote = TRUE)
  groups <- seq_len(NCOL(tally$counts))
  moments <- vapply(
    groups, function(g) group_counts(tally, g) / tally$n[g],
    numeric(length(mechanism$reports))
  )
  # From shares of the range of reports to scores, on the scale of answers from -1 to 1.
  line <- score_line(mechanism)
  mean <- line[1] + line[2] * moments[1, ]
  second <- line[1]^2 +
    2 * line[1] * line[2] * moments[1, ] +
    line[2]^2 * moments[2, ]
  n <- tally$effective_n
  few <- looking & (n < least_reports |
    n * pmin(moments[1, ], 1 - moments[1, ]) < least_of_either)
  tell_few_reports(few)
  unlikely <- has_few_distinct(tally) |
    unlikely_mean(mechanism, mean, second, n, false_alarm / length(groups))
  new_rr_mean_fit(
    tally,
    given,
    mean,
    mean_error(mechanism, mean, second, n, given$target),
    if (!is.null(mechanism$moments)) truth_spread(mechanism, mean, moments, n),
    unlikely,
    if (looking) ifelse(few, NA, n)
  )
}

# On the scale of answers from -1 to 1 come in the `mean` of each group, the variance `error` of its
# estimate, and the `spread` of scrambled truths; in the object they are in the unit of the answers.
# `looked` are the reports of intervals that hold at all looks.
new_rr_mean_fit <- function(tally, given, mean, error, spread, unlikely, looked = NULL) {
  range <- tally$mechanism$range
  half <- diff(range) / 2
  terms <- c("mean", if (!is.null(spread)) "variance")
  estimate <- as.vector(
    rbind(sum(range) / 2 + half * mean, half^2 * spread$estimate)
  )
  covariance <- mean_covariance(half^2 * error, half^4 * spread$variance,
                                if (given$target == "sample") NA else half^3 * spread$covariance)
  std.error <- sqrt(diag(covariance))
  keys <- lapply(as.list(tally$groups), rep, each = length(terms))
  labels <- rep(group_labels(tally$groups), each = length(terms)) %||% terms
  if (!is.null(spread) && !is.null(tally$groups)) {
    labels <- paste(labels, terms, sep = ", ")
  }
  cards <- half^2 * spread$cards
  ends <- format(range, digits = 15, trim = TRUE)
  notes <- c(
    if (anyNA(error[tally$effective_n > 1])) {
      indented("The estimated variance of a mean is not above 0, so that its standard error is NA")
    },
    if (!is.null(spread)) {
      heavy_note(half^2 * spread$estimate, cards, std.error[terms == "variance"], looked)
    }
  )
  structure(
    list(
      rows = as_tibble(c(
        keys, list(term = rep(terms, length(mean)), estimate = estimate, std.error = std.error)
      )),
      labels = labels,
      covariance = covariance,
      n = tally$n,
      target = given$target,
      conf.level = given$conf.level,
      simultaneous = given$simultaneous,
      doubt = ifelse(unlikely, "counts", ""),
      plan = if (!is.null(looked)) given$plan,
      reports = rep(looked, each = length(terms)),
      tally = tally,
      truth.share = spread$share,
      cards = cards,
      mechanism = tally$mechanism,
      axis_kind = "value",
      axis = sprintf("Mean of numbers from %s to %s", ends[1], ends[2]),
      title = mean_title(tally, given, any(unlikely)),
      notes = notes
    ),
    class = c("rr_mean_fit", "rr_estimates")
  )
}

# Of the means of all groups or, in turn with them, of their variances. Between fixed answers the
# covariance of a mean and its variance, `beside`, is not known.
mean_covariance <- function(mean, variance, beside) {
  all <- as.vector(rbind(mean, if (length(variance)) variance))
  covariance <- diag(all, length(all))
  if (length(variance)) {
    at <- cbind(2 * seq_along(mean) - 1, 2 * seq_along(mean))
    covariance[rbind(at, at[, 2:1])] <- beside
  }
  covariance
}

mean_title <- function(tally, given, unlikely) {
  random <- c(
    population = "respondents and randomization are random",
    sample = "only the randomization is random"
  )
  c(
    paste0("Mean from ", report_words(tally), in_groups(tally)),
    paste0("  ", format(tally$mechanism)),
    sprintf(
      "  Target: %s, %s; %s", given$target, random[[given$target]],
      interval_words(
        given$conf.level, interval_names[[given$interval %||% "wald"]], given$simultaneous
      )
    ),
    if (unlikely) indented(unlikely_words)
  )
}

cut_groups.rr_mean_fit <- function(fit, at, drop = FALSE) {
  given <- list(
    target = fit$target,
    conf.level = fit$conf.level,
    simultaneous = fit$simultaneous,
    options = list()
  )
  if (!is.null(fit$plan)) {
    given[c("interval", "plan")] <- list("anytime", fit$plan)
  }
  cut <- estimate_tally(fit$mechanism, cut_groups(fit$tally, at, drop), given)
  cut$family <- fit$family %||% nrow(fit$rows)
  cut
}

# Variance of the mean of n scores with this mean and mean square: of independent reports, or of
# what the randomization adds to fixed answers.
mean_error <- function(mechanism, mean, second, n, target) {
  # Below 1e-12 of its parts the difference is made of roundings.
  spread <- ifelse(second - mean^2 > 1e-12 * second, second - mean^2, 0) /
    ifelse(n > 1, n - 1, NA_real_)
  parts <- mean_variance(mechanism)
  # Duchi's reports are plus or minus one number: their squares say nothing about the squares of the
  # answers. Reports that are all alike do not show how they vary.
  if (target == "population" || parts$slope < 0) {
    return(ifelse(spread > 0, spread, NA_real_))
  }
  # The mean square of scores is constant + linear m + (slope + 1) times that of the answers, whose
  # mean is m.
  squares <- (second - parts$constant - parts$linear * mean) / (parts$slope + 1)
  if (is.null(mechanism$moments)) squares <- clamp(squares, 0, 1)
  error <- (parts$constant + parts$linear * mean + parts$slope * squares) / n
  shows_truth <- all(unlist(parts) == 0)
  ifelse(error > 0 | (shows_truth & error == 0), error, NA_real_)
}

# The variance of the truth, unbiased, from the spread of the scores less that of the cards. Its
# variance, and its covariance with the mean, by the delta method from four moments (of shares,
# hence `step`). `share` is the part of the reports' variance within groups that is the truth's.
truth_spread <- function(mechanism, mean, moments, n) {
  parts <- mean_variance(mechanism)
  step <- score_line(mechanism)[2]
  m <- function(power) moments[power, ]
  c2 <- step^2 * (m(2) - m(1)^2)
  c3 <- step^3 * (m(3) - 3 * m(1) * m(2) +
    2 * m(1)^3)
  c4 <- step^4 * (m(4) - 4 * m(1) * m(3) +
    6 * m(1)^2 * m(2) - 3 * m(1)^4)
  all <- ifelse(n > 1, c2 * n / (n - 1), NA_real_)
  cards <- parts$constant + parts$linear * mean + parts$slope * mean^2
  estimate <- (all * (1 + parts$slope / n) - cards) /
    (1 + parts$slope)
  turn <- parts$linear + 2 * parts$slope * mean
  # Reports that are all alike do not show how they vary.
  variance <- ifelse(
    c2 > 1e-12 * step^2 * m(2),
    c4 - c2^2 - 2 * turn * c3 + turn^2 * c2, NA_real_
  )
  list(
    estimate = estimate,
    variance = pmax(variance, 0) / (1 + parts$slope)^2 /
      ifelse(n > 1, n, NA_real_),
    covariance = (c3 - turn * c2) / (1 + parts$slope) / n,
    share = sum(n * estimate) / sum(n * all),
    cards = cards / (1 + parts$slope)
  )
}

# Is a variance known no better than one of 32 normal numbers, whose standard error is a quarter of
# it?
is_heavy <- function(estimate, cards, std.error, fraction = 1 / 4) {
  std.error > (estimate + cards) * fraction
}

# Intervals of all looks need a variance that is known as well as one of 200 normal numbers.
max_looked_fraction <- 1 / 10

heavy_note <- function(estimate, cards, std.error, looked) {
  fraction <- if (is.null(looked)) 1 / 4 else max_looked_fraction
  if (!any(is_heavy(estimate, cards, std.error, fraction), na.rm = TRUE)) {
    return(NULL)
  }
  indented(
    paste0(
      "Few respondents hold most of the variance: ",
      if (is.null(looked)) {
        "its interval may be too low"
      } else {
        "it has no interval that holds at all looks"
      }
    )
  )
}

# The variance of the truth and of the cards together is above 0 and skewed: its interval is
# symmetric on the logarithm.
bounds_of.rr_mean_fit <- function(x, rows, level) {
  bounds <- NextMethod()
  at <- which(rows$term == "variance")
  if (!length(at)) return(bounds)
  if (x$simultaneous) {
    level <- 1 - (1 - level) / (x$family %||% nrow(rows))
  }
  whole <- rows$estimate[at] + x$cards
  error <- rows$std.error[at]
  z <- rep(normal_quantile(level), length(at))
  if (!is.null(x$plan)) {
    z <- anytime_quantile(level, x$reports[at], x$plan)
    z[is_heavy(rows$estimate[at], x$cards, error, max_looked_fraction)] <- NA
  }
  factor <- exp(z * error / whole)
  bounds$low[at] <- whole / factor - x$cards
  bounds$high[at] <- whole * factor - x$cards
  bounds
}

# Scores, on the scale of answers from -1 to 1, lie within plus or minus `reach`. Whatever the
# answers, their mean lies from -1 to 1 and their mean square is between the least and the most of
# constant + linear t + (slope + 1) t^2. Bounds of Hoeffding, and for the lower tail of squares
# exp(- n d^2 / (2 reach^2 m)), d below their mean m (Maurer 2003), for any number of reports.
unlikely_mean <- function(mechanism, mean, second, n, alpha) {
  parts <- mean_variance(mechanism)
  curve <- parts$slope + 1
  at <- if (curve > 0) {
    max(-1, min(1, -parts$linear / (2 * curve)))
  } else {
    0
  }
  least <- parts$constant + parts$linear * at + curve * at^2
  most <- parts$constant + abs(parts$linear) + max(0, curve)
  line <- score_line(mechanism)
  reach <- max(abs(line[1]), abs(sum(line)))
  limit <- log(4 / alpha)
  n * pmax(0, abs(mean) - 1)^2 / (2 * reach^2) >
    limit |
    n * pmax(0, least - second)^2 > limit * 2 * reach^2 * least |
    2 * n * pmax(0, second - most)^2 / reach^4 > limit
}
