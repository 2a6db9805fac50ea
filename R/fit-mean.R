# The mean of numbers, and the variance of scrambled truths.

# The mean is estimated from the sums of the powers of the reports, and the variance of scrambled
# truths too.
estimate_tally.rr_mean <- function(mechanism, tally, settings) {
  check_only(settings, "method", "inv")
  check_only(settings, "interval", c("wald", "anytime"))
  looking <- identical(settings$interval, "anytime")
  if (looking && settings$target == "sample") {
    abort(c("{.arg interval} cannot be {.val anytime} here.", x = "It is about the population."))
  }
  do.call(check_dots_empty, settings$options, quote = TRUE)
  counts <- unname(as.matrix(tally$counts))
  moments <- sweep(counts, 2, tally$n, `/`)
  # Shares of the range of reports become scores on the scale of answers from -1 to 1.
  line <- score_line(mechanism)
  mean <- line[1] + line[2] * moments[1, ]
  second <- line[1]^2 +
    2 * line[1] * line[2] * moments[1, ] +
    line[2]^2 * moments[2, ]
  n <- tally$effective_n
  high <- counts[1, ] * (n / tally$n)
  fewer <- pmin(high, n - high)
  few <- looking & (n < least_reports | fewer < least_of_either)
  tell_few_reports(few)
  unlikely <- has_few_distinct(tally) |
    unlikely_mean(mechanism, mean, second, n, false_alarm / length(n))
  new_rr_mean_fit(
    tally,
    settings,
    mean,
    mean_error(mechanism, mean, second, n, settings$target),
    if (!is.null(mechanism$moments)) truth_variance(mechanism, mean, moments, n),
    unlikely,
    if (looking) ifelse(few, NA, n)
  )
}

# On the scale of answers from -1 to 1 come in the `mean` of each group, the variance `error` of its
# estimate, and `truth_moments`, the variance of scrambled truths with its errors; in the object
# they are in the unit of the answers. `looked` are the reports of intervals that hold at all looks.
new_rr_mean_fit <- function(tally, settings, mean, error, truth_moments, unlikely, looked = NULL) {
  range <- tally$mechanism$range
  half <- diff(range) / 2
  terms <- c("mean", if (!is.null(truth_moments)) "variance")
  estimate <- as.vector(
    rbind(sum(range) / 2 + half * mean, half^2 * truth_moments$estimate)
  )
  covariance <- mean_covariance(
    half^2 * error, half^4 * truth_moments$variance,
    if (settings$target == "sample") NA else half^3 * truth_moments$covariance
  )
  std.error <- sqrt(diag(covariance))
  keys <- lapply(as.list(tally$groups), rep, each = length(terms))
  cards <- half^2 * truth_moments$cards
  heavy <- if (!is.null(truth_moments)) {
    heavy_note(half^2 * truth_moments$estimate, cards, std.error[terms == "variance"], looked)
  }
  structure(
    list(
      rows = as_tibble(c(
        keys, list(term = rep(terms, length(mean)), estimate = estimate, std.error = std.error)
      )),
      labels = mean_labels(tally$groups, terms),
      covariance = covariance,
      n = tally$n,
      target = settings$target,
      conf.level = settings$conf.level,
      simultaneous = settings$simultaneous,
      doubt = ifelse(unlikely, "counts", ""),
      plan = if (!is.null(looked)) settings$plan,
      reports = rep(looked, each = length(terms)),
      tally = tally,
      truth.share = truth_moments$share,
      cards = cards,
      mechanism = tally$mechanism,
      axis_kind = "value",
      axis = paste("Mean of numbers from", range_words(range)),
      title = mean_title(tally, settings, any(unlikely)),
      notes = c(variance_note(error[tally$effective_n > 1]), heavy)
    ),
    class = c("rr_mean_fit", "rr_estimates")
  )
}

# The labels of the estimates, groups slowest: the group, and the term if there are two terms.
mean_labels <- function(groups, terms) {
  labels <- rep(group_labels(groups), each = length(terms)) %||% terms
  if (is.null(groups) || length(terms) == 1L) return(labels)
  paste(labels, terms, sep = ", ")
}

variance_note <- function(error) {
  if (!anyNA(error)) return(NULL)
  indented("The estimated variance of a mean is not above 0, so that its standard error is NA")
}

# The covariance of the means of all groups, or of means and variances in turn. Between fixed
# answers the covariance of a mean and its variance, `beside`, is not known.
mean_covariance <- function(mean, variance, beside) {
  all <- as.vector(rbind(mean, if (length(variance)) variance))
  covariance <- diag(all, length(all))
  if (length(variance)) {
    index <- cbind(2 * seq_along(mean) - 1, 2 * seq_along(mean))
    covariance[rbind(index, index[, 2:1])] <- beside
  }
  covariance
}

mean_title <- function(tally, settings, unlikely) {
  random <- c(
    population = "respondents and randomization are random",
    sample = "only the randomization is random"
  )
  label <- interval_kinds[[settings$interval %||% "wald"]]$label
  c(
    paste0("Mean from ", report_words(tally), in_groups(tally)),
    paste0("  ", format(tally$mechanism)),
    sprintf(
      "  Target: %s, %s; %s", settings$target, random[[settings$target]],
      interval_words(settings$conf.level, label, settings$simultaneous)
    ),
    if (unlikely) indented(unlikely_words)
  )
}

cut_groups.rr_mean_fit <- function(fit, index, drop = FALSE) {
  settings <- list(
    target = fit$target,
    conf.level = fit$conf.level,
    simultaneous = fit$simultaneous,
    options = list()
  )
  if (!is.null(fit$plan)) {
    settings[c("interval", "plan")] <- list("anytime", fit$plan)
  }
  cut <- estimate_tally(fit$mechanism, cut_groups(fit$tally, index, drop), settings)
  cut$family <- fit$family %||% nrow(fit$rows)
  cut
}

# Variance of the mean of n scores with this mean and mean square: of independent reports, or of
# what the randomization adds to fixed answers.
mean_error <- function(mechanism, mean, second, n, target) {
  # Below 1e-12 of its parts the difference is made of roundings.
  variance <- ifelse(second - mean^2 > 1e-12 * second, second - mean^2, 0) /
    ifelse(n > 1, n - 1, NA_real_)
  moments <- mean_variance(mechanism)
  # Duchi's reports are plus or minus one number: their squares say nothing about the squares of the
  # answers. Reports that are all alike do not show how they vary.
  if (target == "population" || moments$slope < 0) {
    return(ifelse(variance > 0, variance, NA_real_))
  }
  # The mean square of scores is constant + linear m + (slope + 1) times that of the answers, whose
  # mean is m.
  squares <- (second - moments$constant - moments$linear * mean) / (moments$slope + 1)
  if (is.null(mechanism$moments)) squares <- clamp(squares)
  error <- (moments$constant + moments$linear * mean + moments$slope * squares) / n
  shows_truth <- all(unlist(moments) == 0)
  ifelse(error > 0 | (shows_truth & error == 0), error, NA_real_)
}

# The variance of the truth, unbiased, from the spread of the scores less that of the cards. Its
# variance, and its covariance with the mean, by the delta method from four moments (of shares,
# hence `step`). `share` is the part of the reports' variance within groups that is the truth's.
truth_variance <- function(mechanism, mean, moments, n) {
  card_moments <- mean_variance(mechanism)
  step <- score_line(mechanism)[2]
  m <- function(power) moments[power, ]
  c2 <- step^2 * (m(2) - m(1)^2)
  c3 <- step^3 * (m(3) - 3 * m(1) * m(2) +
    2 * m(1)^3)
  c4 <- step^4 * (m(4) - 4 * m(1) * m(3) +
    6 * m(1)^2 * m(2) - 3 * m(1)^4)
  all <- ifelse(n > 1, c2 * n / (n - 1), NA_real_)
  cards <- card_moments$constant + card_moments$linear * mean + card_moments$slope * mean^2
  estimate <- (all * (1 + card_moments$slope / n) - cards) /
    (1 + card_moments$slope)
  turn <- card_moments$linear + 2 * card_moments$slope * mean
  # Reports that are all alike do not show how they vary.
  variance <- ifelse(
    c2 > 1e-12 * step^2 * m(2),
    c4 - c2^2 - 2 * turn * c3 + turn^2 * c2, NA_real_
  )
  list(
    estimate = estimate,
    variance = pmax(variance, 0) / (1 + card_moments$slope)^2 /
      ifelse(n > 1, n, NA_real_),
    covariance = (c3 - turn * c2) / (1 + card_moments$slope) / n,
    share = sum(n * estimate) / sum(n * all),
    cards = cards / (1 + card_moments$slope)
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
  index <- which(rows$term == "variance")
  if (!length(index)) return(bounds)
  if (x$simultaneous) {
    level <- 1 - (1 - level) / (x$family %||% nrow(rows))
  }
  total <- rows$estimate[index] + x$cards
  error <- rows$std.error[index]
  z <- rep(normal_quantile(level), length(index))
  if (!is.null(x$plan)) {
    z <- anytime_quantile(level, x$reports[index], x$plan)
    z[is_heavy(rows$estimate[index], x$cards, error, max_looked_fraction)] <- NA
  }
  factor <- exp(z * error / total)
  bounds$low[index] <- total / factor - x$cards
  bounds$high[index] <- total * factor - x$cards
  bounds
}

# Scores, on the scale of answers from -1 to 1, lie within plus or minus `reach`. Whatever the
# answers, their mean lies from -1 to 1 and their mean square is between the least and the most of
# constant + linear t + (slope + 1) t^2. Bounds of Hoeffding, and for the lower tail of squares
# exp(- n d^2 / (2 reach^2 m)), d below their mean m (Maurer 2003), for any number of reports.
unlikely_mean <- function(mechanism, mean, second, n, alpha) {
  moments <- mean_variance(mechanism)
  curve <- moments$slope + 1
  point <- if (curve > 0) {
    max(-1, min(1, -moments$linear / (2 * curve)))
  } else {
    0
  }
  min_square <- moments$constant + moments$linear * point + curve * point^2
  max_square <- moments$constant + abs(moments$linear) + max(0, curve)
  line <- score_line(mechanism)
  reach <- max(abs(line[1]), abs(sum(line)))
  limit <- log(4 / alpha)
  n * pmax(0, abs(mean) - 1)^2 / (2 * reach^2) >
    limit |
    n * pmax(0, min_square - second)^2 > limit * 2 * reach^2 * min_square |
    2 * n * pmax(0, second - max_square)^2 / reach^4 > limit
}
