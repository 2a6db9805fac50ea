#' Quantiles, medians and cumulative distributions
#'
#' `rr_quantile()` estimates quantiles of ordered answers: numbers, ordered factors, and the mechanisms [rr_square_wave()], [rr_hierarchy()] and [rr_geometric()]. It also estimates
#' quantiles of an exact variable within each true class of a randomized answer.
#'
#' The quantile is the level at which the cumulative share reaches the probability. If levels are bins of numbers, it is interpolated within its bin, as if
#' numbers were uniform there. Cumulative shares of unbiased estimates may decrease; they are replaced by their isotonic regression.
#'
#' Intervals of a fit consist of the levels whose cumulative share may be the probability: from the level whose upper limit, see [rr_contrast()], reaches it, to the level whose
#' lower limit does. Woodruff's interval, with one standard error for all levels, is too short at high probabilities. If no lower limit reaches the probability, the upper limit is the last level.
#' The standard error is the distance of the limits divided by the distance of the normal quantiles. It is `NA` if both limits are the same level, because the levels are then too coarse.
#'
#' `rr_contrast(fit, cumulative = TRUE)` estimates cumulative shares themselves. Fits by `"smoothed"` have no standard errors; use `"mle"`.
#'
#' @section Within true classes:
#' The 75th percentile of a loading time among devices that are truly fast is `rr_quantile(rr_predictor(time ~ 0 + class, data, mechanisms), 0.75)`. The variable is exact, the class is
#' randomized. A report \eqn{z_i} of respondent \eqn{i} gives the score \eqn{u_{ik}}{u[i,k]} of class \eqn{k}, the element of \eqn{C^{-1}} that [rr_predictor()] uses. With weights \eqn{w_i}{w[i]} the
#' cumulative share is \eqn{F_k(t) = \sum w_i u_{ik} 1\{y_i \le t\} / \sum w_i u_{ik}}{F[k](t) = sum w[i] u[i,k] 1{y[i] <= t} / sum w[i] u[i,k]}.
#'
#' The interval consists of the values \eqn{t} that a test does not reject: \eqn{S(t) = \sum w_i u_{ik} (1\{y_i \le t\} - \tau)}{S(t) = sum w[i] u[i,k] (1{y[i] <= t} - prob)}, which is 0 on average at the
#' quantile, lies within \eqn{z} standard deviations of 0. Woodruff's interval is not used: it is too short for rare classes.
#' The standard deviation is the one if the cumulative share were \eqn{\tau}{prob}, so that it does not vanish near the end of a class. Without randomization the test is Wilson's.
#'
#' A limit is infinite if the test also accepts that nobody, or everybody, of the class lies beyond the values that were seen: in rare classes, and for probabilities near 0 or 1.
#' The lower limit of `prob = 0` is always `-Inf`, and the upper limit of `prob = 1` is always `Inf`. If the test accepts no value, the limits are the estimate.
#' A class whose estimated number is not above 0 has `NA`, and a message names it.
#'
#' * The formula must have the randomized variables alone to the right, with or without an intercept. Several variables make a class of each combination.
#' * Rows of different mechanisms are allowed, see `arm` of [rr_predictor()].
#' * In survey designs the variance of \eqn{S(t)} is the design's at each \eqn{t}, and \eqn{z} is the quantile of the \eqn{t} distribution. Calibrated designs need replicate weights.
#' * `coef()` of the regression has the means of the classes, and `rr_contrast(fit, t, cumulative = TRUE)` the cumulative shares at numbers `t`, with limits of the same test.
#' * From counts by report and bin: `rr_quantile(rr_margin(joint, "bin", given = "class"), breaks = )`, with the joint fit by `method = "inv"`. Within a bin numbers are taken for uniform.
#'
#' Differences between classes combine the limits of both quantiles (Zou and Donner), with the correlation of both sums \eqn{S}.
#'
#' @param fit A fit of [rr_estimate()], grouped or not, of one question with ordered levels; a regression of an exact outcome on randomized classes, [rr_predictor()]; or a margin of one
#'   question, [rr_margin()].
#' @param probs Probabilities, numbers from 0 to 1; default the quartiles.
#' @param breaks Increasing numbers that bound the bins of the levels, one more than there are levels; default the breaks of the mechanism, if it has any.
#'   Ages in completed years, with levels 0 to 99, have the breaks `0:100`.
#' @param conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param target For regressions: `"population"` (default) or `"sample"`, see [`?intervals`][intervals]. A margin has its own target.
#' @param difference Logical, default `FALSE`. Estimate the differences between all pairs of classes, second minus first?
#' @param ... Not used; further arguments give an error.
#' @return A tibble of class `rr_quantile` with one row per group or class and probability: the groups or classes, `prob`, `level` (fits only: the label of the level that contains the
#'   quantile), `estimate`, `std.error`, `conf.low`, `conf.high`. With `difference = TRUE` the classes are `group1` and `group2`. The standard error is `NA` if a limit is infinite. The numbers are positions of levels if the levels are not numbers and there are no breaks. [plot()][autoplot.rr_compare] draws it.
#' @section Errors:
#' `candor_error_argument`, also for fits without ordered levels, regressions with exact covariates, and calibrated designs. Message: `candor_message_empty` (a class whose estimated
#' number is not above 0). See [candor_conditions].
#' @references Woodruff, R. S. (1952). Confidence intervals for medians and other position measures. *Journal of the American Statistical
#'   Association* 47(260), 635-646. \doi{10.1080/01621459.1952.10483443}
#'
#'   Zou, G. Y. and Donner, A. (2008). Construction of confidence limits about effect measures: a general approach. *Statistics in Medicine* 27(10), 1693-1702.
#'   \doi{10.1002/sim.3095}
#' @seealso [rr_contrast()] for cumulative shares and, with the middles of the bins as weights, for means.
#' @concept median
#' @concept percentile
#' @concept p75
#' @concept web performance
#' @concept conditional distribution
#' @concept cumulative distribution function
#' @examples
#' # What are the deciles and the median of a variable reported by the square
#' # wave mechanism?
#' mechanism <- rr_square_wave(seq(0, 100, by = 5), epsilon = 2)
#' set.seed(1)
#' reports <- rr_perturb(100 * rbeta(20000, 2, 3), mechanism, rng = "R")
#' fit <- rr_estimate(reports, mechanism)
#' rr_quantile(fit, c(0.1, 0.5, 0.9))
#' 100 * qbeta(c(0.1, 0.5, 0.9), 2, 3)
#' # The truth is 14, 39 and 68; all three intervals contain it
#'
#' # How long do pages load on truly slow devices, if each browser reports its
#' # class at random with probability 0.5? (In truth the 75th percentile is
#' # 4.2 seconds.)
#' set.seed(2)
#' slow <- runif(5000) < 0.2
#' coin <- rr_binary(0.75, 0.25, levels = c("fast", "slow"))
#' visits <- data.frame(
#'   seconds = rexp(5000, ifelse(slow, 1 / 3, 1)),
#'   device = rr_perturb(ifelse(slow, "slow", "fast"), coin, rng = "R")
#' )
#' loading <- rr_predictor(seconds ~ 0 + device, visits, list(device = coin))
#' rr_quantile(loading, 0.75)
#' # 4.3 seconds, with an interval from 3.7 to 4.8; the reports alone would
#' # give 2.2
#' tapply(visits$seconds, visits$device, quantile, 0.75)["slow"]
#' rr_quantile(loading, 0.75, difference = TRUE)
#' @export
rr_quantile <- function(fit, probs = c(0.25, 0.5, 0.75), ...) UseMethod("rr_quantile")

#' @export
rr_quantile.default <- function(fit, ...) {
  must_be(fit, "fit", "a fit of one question, a margin, or a regression")
}

#' @rdname rr_quantile
#' @export
rr_quantile.rr_fit <- function(
  fit,
  probs = c(0.25, 0.5, 0.75),
  breaks = NULL,
  conf.level = 0.95,
  ...
) {
  check_dots_empty(...)
  check_ordered_fit(fit)
  probs <- check_probabilities(probs, "probs")
  conf.level <- check_conf_level(conf.level)
  edges <- quantile_edges(fit$mechanism, breaks)
  tell_no_intervals(fit)
  tables <- lapply(
    seq_len(NCOL(fit$estimate)), quantile_rows, fit = fit, probs, edges, conf.level
  )
  positions <- is.null(edges$breaks) && is.null(level_numbers(fit$mechanism))
  new_rr_table(
    bind_groups(tables, fit$tally$groups),
    "rr_quantile",
    keys = c(names(fit$tally$groups), "prob"),
    conf.level = conf.level,
    n = fit$tally$n,
    target = fit$target,
    looking = fit$interval == "anytime",
    title = paste("Quantiles from", report_words(fit$tally)),
    axis_kind = "value",
    axis = if (positions) "Quantile, as the position of a level" else "Quantile"
  )
}

quantile_rows <- function(fit, g, probs, edges, conf.level) {
  quantiles <- reach_share(monotone_shares(group_estimate(fit, g)), probs, edges)
  limits <- cumulative_limits(fit, g, probs, conf.level)
  low <- pmin(reach_share(limits$high, probs, edges)$value, quantiles$value)
  high <- pmax(reach_share(limits$low, probs, edges)$value, quantiles$value)
  std_error <- (high - low) / (2 * normal_quantile(conf.level))

  tibble(
    prob = probs,
    level = fit$mechanism$levels[quantiles$level],
    estimate = quantiles$value,
    std.error = ifelse(std_error > 0, std_error, NA_real_),
    conf.low = low,
    conf.high = high
  )
}

# The scale of ordered levels: breaks, between which quantiles are interpolated, or values of the
# levels.
quantile_edges <- function(mechanism, breaks) {
  k <- length(mechanism$levels)
  breaks <- breaks %||% mechanism$breaks
  if (is.null(breaks)) return(list(values = level_numbers(mechanism) %||% seq_len(k)))
  check_that(
    is.numeric(breaks) && !is.object(breaks) && length(breaks) == k + 1 &&
      all(is.finite(breaks)) && all(diff(breaks) > 0),
    breaks, "breaks", paste(k + 1, "increasing numbers, the bounds of the levels")
  )
  list(breaks = as.double(breaks))
}

# Cumulative shares that do not fall, from 0 to 1: unbiased estimates may be negative.
monotone_shares <- function(estimate) {
  shares <- cumsum(estimate)
  if (any(estimate < 0)) shares <- isoreg(shares)$yf
  c(clamp(shares[-length(shares)]), 1)
}

# The level that reaches each share, and its value.
reach_share <- function(shares, probs, edges) {
  # Sums of shares that should be equal to a probability differ from it by roundings.
  level <- vapply(
    probs,
    function(p) {
      if (is.na(p)) NA_integer_ else which(shares >= p - 1e-12)[1]
    },
    1L
  )
  if (is.null(edges$breaks)) {
    return(list(level = level, value = as.double(edges$values[level])))
  }
  before <- c(0, shares)[level]
  gain <- shares[level] - before
  fraction <- ifelse(
    gain > 0, clamp((probs - before) / gain), 0
  )
  list(
    level = level,
    value = edges$breaks[level] +
      fraction * (edges$breaks[level + 1] - edges$breaks[level])
  )
}

# The limits of the cumulative share at levels, `low` and `high`. A level belongs to the interval of
# a quantile if its limits contain the probability: from the first whose upper limit reaches it to
# the first whose lower limit does. The search evaluates these levels and leaves NA at others; all
# are NA if no limits are known. Limits hold at the boundary, where standard errors would not.
cumulative_limits <- function(fit, g, probs, level) {
  fit <- anytime_fit(fit)
  k <- length(fit$mechanism$levels)
  # At the last level nothing is estimated.
  limits <- list(
    low = c(rep(NA_real_, k - 1L), 1),
    high = c(rep(NA_real_, k - 1L), 1)
  )
  has_limits <- FALSE
  repeat {
    index <- unique(
      unlist(lapply(limits, function(limit) lapply(probs, inner_levels, limit = limit)))
    )
    if (!length(index)) break
    table <- contrast_values(
      fit, cumulative_rows(fit, index, g), as.vector(fit$estimate), level
    )$table
    # A level without limits may have any share.
    limits$low[index] <- ifelse(is.na(table$conf.low), 0, table$conf.low)
    limits$high[index] <- ifelse(is.na(table$conf.high), 1, table$conf.high)
    has_limits <- has_limits || !all(is.na(table$conf.low))
  }
  if (has_limits) limits else lapply(limits, replace, seq_len(k), NA_real_)
}

# The levels that are evaluated next to find the first whose limit reaches a probability: all
# between two neighbours that have limits if these are near, else the middle one.
inner_levels <- function(prob, limit) {
  evaluated <- which(!is.na(limit))
  last <- which(limit >= prob - 1e-12)[1]
  first <- max(0L, evaluated[evaluated < last])
  n_inner <- last - first - 1L
  first + if (n_inner <= 15L) seq_len(n_inner) else n_inner %/% 2L
}

# ---- within true classes ----
#
# The estimated total of a class may be near 0, where a cumulative share, its quotient, has no
# normal errors. So the limits of a quantile are those of a score test. They are the values t at
# which S(t) = (number of the class up to t) - prob (number of the class), which is 0 on average at
# the quantile, is within z standard deviations. `sums` has the numbers `below` t, the `total`,
# their `variances`, and `member`, the variance that one member of the class adds to its number;
# `crossing` is how much more one up to t adds to the number below t than one above. The
# field `variances` has `below`, the variance of the number below t, `total`, that of the class, and
# `cross`, their covariance; at -Inf nobody is below.

# The hull of what is accepted for each of `probs`, by the sign of S^2 - z^2 V, a quadratic in the
# probability; `hull` finds it from this excess, at -Inf and at each value. V is the variance if
# the tested share of the class is up to t: S members are moved above t, each of which adds 2 prob
# `member` - `crossing`. If the variable is exact, `crossing` is `member`, since a member counts
# (1 - prob)^2 up to t and prob^2 above. Estimated at the share that was seen the variance
# vanishes near both ends of the class.
inverted_limits <- function(probs, z, sums, hull) {
  total <- sums$total
  member <- z^2 * sums$member
  crossing <- z^2 * (sums$crossing %||% sums$member)
  below <- c(0, sums$below)
  square <- below * (below + crossing) - z^2 * c(0, sums$variances$below)
  cross <- below * (total + member) + crossing * total / 2 -
    z^2 * c(0, sums$variances$cross)
  last <- length(below)
  # Nothing is left of the excess, and not even a rounding, at the largest value if prob is 1.
  total_square <- 2 * cross[last] - square[last]
  vapply(
    probs,
    function(prob) {
      hull(square - (2 * prob) * cross + prob^2 * total_square) %||%
        c(NA_real_, NA_real_)
    },
    numeric(2)
  )
}

# The hull of values that the variable has: the first that is accepted, and the one after the last.
level_hull <- function(values) {
  function(excess) {
    accepted <- which(excess <= 0)
    if (!length(accepted)) return(NULL)
    first <- accepted[1] - 1L
    last <- accepted[length(accepted)]
    c(
      if (first > 0L) values[first] else -Inf,
      if (last <= length(values)) values[last] else Inf
    )
  }
}

# The hull of bins: within each the excess is a quadratic, of which `excess` has the values at
# `breaks` and halfway between.
bin_hull <- function(breaks) {
  function(excess) {
    bins <- seq_len(length(breaks) - 1L)
    start <- excess[2 * bins - 1]
    curve <- 2 * start - 4 * excess[2 * bins] +
      2 * excess[2 * bins + 1]
    slope <- excess[2 * bins + 1] - start - curve
    square <- slope^2 - 4 * curve * start
    half <- -(slope + ifelse(slope < 0, -1, 1) *
      sqrt(ifelse(square < 0, NA, square))) / 2
    fraction <- c(half / curve, start / half)
    position <- (rep(bins, 2) - 1 + fraction)[
      is.finite(fraction) & fraction >= 0 & fraction <= 1
    ]
    accepted <- which(excess[c(1, 2 * bins + 1)] <= 0)
    if (!length(c(position, accepted))) return(NULL)
    limits <- approx(c(0, bins), breaks, range(position, accepted - 1))$y
    ifelse(c(1, length(breaks)) %in% accepted, c(-Inf, Inf), limits)
  }
}

# The quantiles of one class from its numbers `below` up to each level, and their mean products.
level_quantiles <- function(probs, z, below, products, crossing, edges) {
  k <- length(below)
  total <- below[k]
  shares <- monotone_shares(diff(c(0, below)) / total)
  binned <- !is.null(edges$breaks)
  # Bins have weights of their levels halfway, too.
  positions <- if (binned) seq_len(2 * k) / 2 else seq_len(k)
  map <- pmax(1 - abs(outer(positions, seq_len(k), `-`)), 0)
  products <- map %*% products %*% t(map)
  variances <- list(
    below = diag(products),
    cross = products[, ncol(products)],
    total = products[length(products)]
  )
  sums <- list(
    below = drop(map %*% below),
    total = total,
    variances = variances,
    member = crossing[k],
    crossing = approx(seq_len(k), crossing, c(0, positions), rule = 2)$y
  )
  limits <- inverted_limits(
    probs, z, sums, if (binned) bin_hull(edges$breaks) else level_hull(edges$values)
  )
  quantiles <- reach_share(shares, probs, edges)
  position <- if (binned) {
    reach_share(shares, probs, list(breaks = seq(0, k)))$value
  } else {
    quantiles$level
  }
  class_rows(probs, quantiles$value, limits, total, position)
}

# A row for each group and a panel for each probability; without groups a row for each probability.
drawn_of.rr_quantile <- function(x, data, labels) {
  picture <- drawn_of.rr_estimates(x, data, labels)
  keys <- setdiff(attr(x, "keys"), "prob")
  if ("group1" %in% keys) return(picture)
  picture$title <- picture_title(NULL, keys, "Quantiles")
  quantile <- paste(format_count(data$prob), "quantile")
  if (!length(keys)) return(replace(picture, "rows", "Probability"))
  picture$data$label <- rows_factor(as.character(group_panel(data, keys, named = FALSE)))
  picture$data$panel <- factor(quantile, unique(quantile))
  picture$rows <- keys_axis(keys)
  if (nlevels(picture$data$panel) == 1L) {
    picture$axis <- paste("The", quantile[1])
  }
  picture
}

# The limits are stretched to the estimate. `position` is the row of the data, or the level, of
# each.
class_rows <- function(probs, estimate, limits, total, position) {
  if (total <= 0) estimate[] <- limits[] <- NA
  list(
    prob = probs,
    estimate = as.double(estimate),
    low = pmin(limits[1, ], estimate, na.rm = !anyNA(estimate)),
    high = pmax(limits[2, ], estimate, na.rm = !anyNA(estimate)),
    place = position
  )
}

# `labels`: a table of the classes, whose rows are `quantiles`. If there is a `correlation`, the
# table has differences.
new_class_quantiles <- function(quantiles, labels, probs, z, correlation, ..., what) {
  names <- do.call(paste, c(unname(as.list(labels)), sep = ", "))
  empty <- names[vapply(quantiles, function(class) anyNA(class$estimate), NA)]
  if (length(empty)) {
    cli::cli_inform(c("Quantiles of a class are NA if its estimated total is not above 0.",
                      x = "It is so in {.val {empty}}."), class = "candor_message_empty")
  }
  table <- if (is.null(correlation)) {
    bind_groups(
      lapply(quantiles, function(class) {
        as_tibble(class[c("prob", "estimate", "low", "high")])
      }),
      labels
    )
  } else {
    quantile_differences(quantiles, names, probs, correlation)
  }
  names(table)[names(table) %in% c("low", "high")] <- c("conf.low", "conf.high")
  std_error <- (table$conf.high - table$conf.low) / (2 * z)
  table <- add_column(
    table, std.error = ifelse(std_error > 0 & is.finite(std_error), std_error, NA_real_),
    .after = "estimate"
  )
  title <- if (is.null(correlation)) "Quantiles" else "Differences of quantiles"
  numbers <- c("estimate", "std.error", "conf.low", "conf.high")
  new_rr_table(
    table,
    "rr_quantile",
    ...,
    keys = setdiff(names(table), numbers),
    axis_kind = "value",
    axis = title,
    title = sprintf("%s of %s in true classes", title, what),
    notes = if (any(is.infinite(std_error))) "  Limits are infinite if there are too few of a class"
  )
}

# The differences of all pairs of classes, second less first. The distances from quantiles to limits
# are combined as for independent estimates (Zou and Donner), but with the correlation of S at both
# quantiles.
quantile_differences <- function(quantiles, names, probs, correlation) {
  if (length(quantiles) < 2L) abort("{.arg difference} needs at least two classes.")
  pairs <- combn(length(quantiles), 2L)
  do.call(
    rbind,
    lapply(seq_len(ncol(pairs)), function(j) {
      x <- quantiles[[pairs[1, j]]]
      y <- quantiles[[pairs[2, j]]]
      r <- vapply(
        seq_along(probs),
        function(i) {
          if (anyNA(c(x$estimate, y$estimate))) {
            NA_real_
          } else {
            correlation(
              pairs[, j], c(x$place[i], y$place[i]),
              probs[i]
            )
          }
        },
        0
      )
      reach <- function(a, b) {
        ifelse(
          is.infinite(a + b), Inf,
          sqrt(pmax(a^2 + b^2 - 2 * r * a * b, 0))
        )
      }
      difference <- y$estimate - x$estimate
      tibble(
        group1 = names[pairs[1, j]],
        group2 = names[pairs[2, j]],
        prob = probs,
        estimate = difference,
        low = difference - reach(y$estimate - y$low, x$high - x$estimate),
        high = difference + reach(y$high - y$estimate, x$estimate - x$low)
      )
    })
  )
}

# The correlation that these products have; unknown, and taken for 0, if a variance is estimated as
# negative.
known_correlation <- function(products) {
  if (all(diag(products) > 0)) {
    clamp(cov2cor(products)[1, 2], -1, 1)
  } else {
    0
  }
}
