#' The most common categories, with intervals after selection
#'
#' `rr_top()` ranks the categories by their unbiased estimates. Its intervals hold for categories that were found by looking, and a test with a controlled false
#' discovery rate says which categories anybody holds at all.
#'
#' @section Intervals by rank:
#' Among the first \eqn{r} rows at most 5% of the 95% intervals are wrong on average, for every \eqn{r} at once. The largest of many estimates are too large on average, because noise
#' helped them to the top; the intervals allow for this.
#'
#' With \eqn{K} categories and \eqn{\alpha} = 1 - `conf.level`, the row of rank \eqn{r} has Clopper and Pearson's lower limit at the error \eqn{\alpha r / (2K)} and
#' the upper limit at \eqn{\alpha / 2}. Tied categories have the best of their ranks. The chances that a row lies below its limit, added over \eqn{K} categories and divided by
#' \eqn{r}, are at most \eqn{\alpha / 2}, however the rows were selected. Upper limits need no adjustment: a category that was selected for its large count is less likely to have a small count.
#'
#' **While looking.** If `x` is a fit with `interval = "anytime"`, the row of rank \eqn{r} has both limits of the interval that holds at all looks at the error \eqn{\alpha r / K}. Added over \eqn{K}
#' categories and divided by \eqn{r} these errors are \eqn{\alpha}, so that the promise holds for the largest share of wrong rows at any look. A selection of looks could
#' prefer wrong upper limits, which therefore have the adjustment too. P-values are one over the likelihood ratio of that interval, or those of the asymptotic interval. `"BH"` of exact ones holds at any look and
#' under any dependence (Wang and Ramdas 2022).
#'
#' The limits do not depend on `n`. They hold for a number of rows that is fixed in advance. For the rows with `present = TRUE`, whose number the data choose, no proof is known. The study
#' `studies/selection.R` of the site has the coverage in 192 settings, see `articles/validation.html` of the site. Each group is a list of its own; for intervals of all groups together use
#' [rr_estimate()] with `simultaneous = TRUE`.
#'
#' The limits are exact if a category has a binomial count. They are approximate with weights, for general channels, [rr_hadamard()] with several blocks, [rr_bitflip()], [rr_hierarchy()],
#' [rr_bloom()] and strings. For `target = "sample"` the exact limits are the limits for the population, which also cover the sample.
#'
#' @section Which categories does anybody hold?:
#' For each category the number of reports is compared with the number that the mechanism gives if nobody holds it. The p-value is a binomial tail probability if the counts are binomial, and
#' normal for other channels. An interval above 0 implies a p-value below \eqn{\alpha r / (2K)}, while looking below \eqn{\alpha r / K}.
#'
#' @param x A tally, a fit of [rr_estimate()], or anything that [rr_tally()] accepts. A fit with `interval = "anytime"` is ranked with intervals of all looks.
#' @param n Number of categories to list per group, a whole number of at least 1 or `Inf`; default 10.
#' @param mechanism How the answers were randomized, if `x` is neither a tally nor a fit.
#' @param alpha False discovery rate (for `"holm"` the error probability), a number in (0, 1); default 0.05.
#' @param adjust `"BH"` (default; Benjamini and Hochberg, for independent or positively dependent tests), `"BY"` (any dependence) or `"holm"` (probability of any false discovery).
#'   The counts of one question are slightly negatively dependent, for which simulations show no excess of `"BH"`.
#' @param conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param target `"population"` (default) or `"sample"`, see [`?intervals`][intervals].
#' @param ... Not used; further arguments give an error.
#' @return A tibble of class `rr_top` with one row per listed category: the groups, `rank`, `term`, `estimate`, `std.error`, `conf.low`, `conf.high`, `p.value`,
#'   `p.adjusted` and `present` (`p.adjusted <= alpha`). The attribute `found` is the number of categories present, listed or not. [plot()][autoplot.rr_compare] draws it.
#' @section Errors:
#' `candor_error_argument`, `candor_error_no_information` (the mechanism cannot be inverted), and the errors of [rr_tally()]. See [candor_conditions].
#' @references Benjamini, Y. and Yekutieli, D. (2005). False discovery rate-adjusted multiple confidence intervals for selected parameters. *Journal of the American
#'   Statistical Association* 100(469), 71-81. \doi{10.1198/016214504000001907}
#'
#'   Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate. *Journal of the Royal Statistical Society B* 57(1), 289-300.
#'   \doi{10.1111/j.2517-6161.1995.tb02031.x}
#'
#'   Benjamini, Y. and Yekutieli, D. (2001). The control of the false discovery rate in multiple testing under dependency. *Annals of Statistics* 29(4),
#'   1165-1188. \doi{10.1214/aos/1013699998}
#'
#'   Wang, R. and Ramdas, A. (2022). False discovery rate control with e-values. *Journal of the Royal Statistical Society B* 84(3), 822-852.
#'   \doi{10.1111/rssb.12489}
#' @seealso [rr_heavy_hitters()] for strings without a list, [rr_estimate()], [`?intervals`][intervals].
#' @concept heavy hitters
#' @concept dashboard
#' @concept selective inference
#' @concept intervals after selection
#' @concept false discovery rate
#' @examples
#' # Which of 1,000 categories are most common, and how many does anybody
#' # hold?
#' set.seed(1)
#' mechanism <- rr_grr(1000, epsilon = 4)
#' truth <- sample(1000, 1e5, replace = TRUE,
#'                 prob = prop.table(seq_len(1000)^-1.2))
#' reports <- rr_perturb(truth, mechanism, rng = "R")
#' rr_top(reports, n = 5, mechanism = mechanism)
#' # 24 are shown to be present. The first five shares are in truth 23, 10, 6,
#' # 4 and 3%
#' @export
rr_top <- function(
  x,
  n = 10,
  mechanism = NULL,
  alpha = 0.05,
  adjust = c("BH", "BY", "holm"),
  conf.level = 0.95,
  target = c("population", "sample"),
  ...
) {
  check_dots_empty(...)
  if (!identical(n, Inf)) n <- check_count(n, "n", min = 1)
  alpha <- check_alpha(alpha)
  adjust <- check_choice(adjust)
  target <- check_choice(target)
  looking <- inherits(x, "rr_fit") && x$interval == "anytime"
  fit <- top_fit(x, mechanism, looking, target = target, conf.level = conf.level)
  p <- if (looking) anytime_absence(fit) else absence_p_values(fit)
  adjusted <- lapply(p, adjusted_p_values, adjust)
  n_present <- vapply(
    adjusted, function(group) sum(group$times[which(group$p <= alpha)]), 0L
  )
  table <- as_tibble(top_columns(fit, top_cells(fit, n), p, adjusted, conf.level))
  table$present <- table$p.adjusted <= alpha
  title <- present_title(n_present, length(fit$mechanism$levels), adjust, alpha)
  new_rr_table(
    table,
    "rr_top",
    keys = c(names(fit$tally$groups), "term"),
    found = n_present,
    alpha = alpha,
    adjust = adjust,
    conf.level = conf.level,
    n = fit$tally$n,
    target = target,
    ranked = TRUE,
    looking = looking,
    title = c(
      title, paste0("  Unbiased estimates, ", looking_words(conf.level, looking, ranked = TRUE)),
      paste0("  ", rank_words(conf.level, looking)),
      if (is_doubted(fit)) indented(doubt_words(fit))
    )
  )
}

# The fit by inversion of a tally, of reports, or of the tally of a fit, whose plan it has if this
# fit is looked at while reports arrive.
top_fit <- function(x, mechanism, looking, ...) {
  estimate <- if (inherits(x, "rr_fit")) estimate_quietly else rr_estimate
  if (looking) estimate <- function(...) estimate_quietly(..., interval = "anytime", plan = plan)
  plan <- if (looking) x$plan
  if (inherits(x, "rr_fit")) x <- x$tally
  fit <- estimate(x, mechanism, method = "inv", ...)
  check_class(fit, "x", "rr_fit", "a tally of one question whose categories are estimated")
}

present_title <- function(n_present, categories, adjust, alpha) {
  numbers <- if (length(n_present) <= 8L) paste(format_count(n_present), collapse = ", ")
    else paste(format_count(range(n_present)), collapse = " to ")
  sprintf(
    "%s of %s are present (%s, alpha = %s)%s", numbers, category_words(categories), adjust,
    format(alpha), if (length(n_present) > 1L) ", by group" else ""
  )
}

# The `n` largest estimates of each group: their positions among all categories of all groups, and
# their ranks.
top_cells <- function(fit, n) {
  k <- NROW(fit$estimate)
  each <- lapply(seq_len(NCOL(fit$estimate)), function(g) {
    estimate <- group_estimate(fit, g)
    candidates <- largest(estimate, min(n, k))
    values <- estimate[candidates]
    # Equal values have the first of their ranks.
    list(cells = candidates + (g - 1) * k, rank = match(values, values))
  })
  list(
    cells = as.integer(unlist(lapply(each, `[[`, "cells"))),
    rank = as.integer(unlist(lapply(each, `[[`, "rank")))
  )
}

# The positions of the n largest values, in their order. Values below the n-th are not sorted.
largest <- function(values, n) {
  if (n == 0) return(integer())
  last <- length(values) + 1 - n
  candidates <- which(values >= sort.int(values, partial = last)[last])
  candidates[order(-values[candidates])][seq_len(n)]
}

# The p-values of a group, see absence_p_values(), adjusted as p.adjust() adjusts those of all
# categories, and how many `times` each is there. Equal values that are apart are adjusted alike.
adjusted_p_values <- function(group, adjust) {
  times <- tabulate(group$index, length(group$p))
  order <- order(group$p, na.last = NA)
  order <- order[times[order] > 0]
  values <- group$p[order]
  last <- cumsum(times[order])
  k <- max(last, 0)
  adjusted <- if (adjust == "holm") {
    cummax((k - last + times[order]) * values)
  } else {
    factor <- if (adjust == "BY") sum(1 / seq_len(k)) else 1
    rev(cummin(rev(factor * k / last * values)))
  }
  group$p[order] <- pmin(1, adjusted)
  c(group, list(times = times))
}

top_columns <- function(fit, top, p, adjusted, conf.level) {
  k <- NROW(fit$estimate)
  category <- (top$cells - 1) %% k + 1
  group <- (top$cells - 1) %/% k + 1
  uncertainty <- top_uncertainty(fit, top, category, group, conf.level)
  listed <- split(category, group)
  p_value <- unlist(Map(p_values_of, p, listed), use.names = FALSE)
  # Normal tests and score intervals know others' shares from two estimates: 0 is left out only
  # where both do.
  tails <- if (fit$interval == "anytime") 1 else 2
  is_absent <- p_value >= (1 - conf.level) * top$rank / (tails * k)
  uncertainty$low[is_absent & !is.na(uncertainty$low)] <- 0
  p_adjusted <- Map(p_values_of, adjusted, listed)
  c(
    lapply(as.list(fit$tally$groups), `[`, group),
    list(rank = top$rank, term = fit$mechanism$levels[category]),
    cell_answers(fit$mechanism, "levels", 1, category),
    list(
      estimate = unname(fit$estimate[top$cells]),
      std.error = known_errors(fit, 1L, uncertainty$error),
      conf.low = uncertainty$low,
      conf.high = uncertainty$high,
      p.value = p_value,
      p.adjusted = unlist(p_adjusted, use.names = FALSE)
    )
  )
}

# Errors and limits of some cells, of all groups at once where each category has a count of its own.
top_uncertainty <- function(fit, top, category, group, conf.level) {
  evidence <- if (fit$interval != "anytime") joined_evidence(fit$tally)
  if (is.null(evidence)) {
    each <- lapply(split(category, group), unname)
    limits <- lapply(seq_along(each), function(g) {
      bounds <- fit_intervals(fit, conf.level, which = each[[g]], groups = g, ranked = TRUE)
      list(
        error = fit_errors(fit, g, each[[g]]),
        low = as.vector(bounds$low),
        high = as.vector(bounds$high)
      )
    })
    return(lapply(c(error = "error", low = "low", high = "high"), function(name) {
      unlist(lapply(limits, `[[`, name))
    }))
  }
  law <- evidence$law
  cells <- top$cells
  bounds <- function(level) {
    include_estimate(
      law_intervals(law, evidence, NULL, "exact", level, cells, fit$target), NULL, TRUE
    )
  }
  ranked <- bounds(1 - (1 - conf.level) * top$rank / NROW(fit$estimate))
  # Variances of some categories of several groups would need the `n` of each.
  is_grouped <- length(evidence$n) > 1L
  which <- if (is_grouped) seq_len(evidence$k) else cells
  variances <- law_variances(law, evidence, identity_map(evidence$k), which, fit$target)
  error <- sqrt_or_na(if (is_grouped) variances[cells] else variances)
  list(error = error, low = ranked$low, high = bounds(conf.level)$high)
}

# The probability of at least as many reports of each category if nobody held it. It is P(X >= x)
# for a binomial number X, effective or not, in whose lower limit at that error is 0; normal where
# the law has no such counts. Each group has a list(p, index): categories of equal counts share one
# element of `p`, whose position is their `index`.
absence_p_values <- function(fit) {
  law <- rr_law(fit$mechanism)
  joined <- joined_evidence(fit$tally)
  if (!is.null(joined)) {
    all <- binomial_absence(law, joined)
    if (NCOL(fit$estimate) == 1L) return(list(all))
    return(group_p_values(fit, p_values_of(all)))
  }
  group_p_values(fit, vapply(seq_len(NCOL(fit$estimate)), function(g) {
    evidence <- group_evidence(fit$tally, g, law)
    if (law_gives(evidence$law, "exact")) {
      return(p_values_of(binomial_absence(evidence$law, evidence)))
    }
    pnorm(group_estimate(fit, g) / evidence$blank_error(), lower.tail = FALSE)
  }, numeric(NROW(fit$estimate))))
}

group_p_values <- function(fit, p) {
  p <- matrix(p, NROW(fit$estimate))
  index <- seq_len(nrow(p))
  lapply(seq_len(ncol(p)), function(g) list(p = p[, g], index = index))
}

p_values_of <- function(group, cells = TRUE) group$p[group$index[cells]]

binomial_absence <- function(law, evidence) {
  binomial <- binomial_counts(law, evidence)
  x <- binomial$counts
  each <- list(
    a = law$binomial$a,
    b = law$binomial$b,
    n = binomial$n
  )
  # Equal counts have equal probabilities if all categories are alike.
  if (all(lengths(lapply(each, unique)) == 1L)) {
    counts <- different_counts(x)
    first <- lapply(each, `[`, 1L)
    p <- upper_tails(counts$values, first$a, first$b, first$n)
    return(list(p = p, index = counts$index))
  }
  each <- lapply(each, rep_len, evidence$k)
  p <- upper_tails(x, each$a, each$b, each$n)
  list(p = p, index = seq_len(evidence$k))
}

# Counts as list(values, index). Whole ones are positions themselves; a value that none has is NA.
different_counts <- function(x) {
  if (max(x) < length(x)) {
    index <- as.integer(x)
    if (all(index == x)) {
      index <- index + 1L
      values <- seq_len(max(index))
      values[tabulate(index) == 0] <- NA
      return(list(values = values - 1, index = index))
    }
  }
  values <- unique(x)
  list(values = values, index = match(x, values))
}

upper_tails <- function(x, a, b, n) {
  # A design whose truth is the least likely report gives fewer reports to the truth.
  ifelse(
    rep_len(a > 0, length(x)),
    ifelse(
      x <= 0, 1, pbeta(b, x, pmax(n - x, 0) + 1)
    ),
    ifelse(
      x >= n, 1,
      pbeta(b, x + 1, pmax(n - x, 0), lower.tail = FALSE)
    )
  )
}

# The same at all looks together: one over the mixture that bounds the exact interval, at the share
# that it excludes last. Its expectation is at most 1 whenever looking stops, so that Benjamini and
# Hochberg's adjustment of these holds under any dependence (Wang and Ramdas 2022). Too few reports
# are no evidence: 1.
anytime_absence <- function(fit) {
  p <- vapply(seq_len(NCOL(fit$estimate)), function(g) {
    evidence <- group_evidence(fit$tally, g)
    if (is_exact_anytime(evidence$law, fit$tally)) return(mixture_absence(evidence$law, evidence))
    reports <- reports_looked_at(evidence, seq_len(evidence$k))
    ratio <- pmax(group_estimate(fit, g) / evidence$blank_error(), 0)
    anytime_p_value(ratio, fit$conf.level, reports, fit$plan)
  }, numeric(NROW(fit$estimate)))
  group_p_values(fit, ifelse(is.na(p), 1, p))
}

mixture_absence <- function(law, evidence) {
  binomial <- binomial_counts(law, evidence)
  x <- binomial$counts
  n <- binomial$n
  b <- rep_len(law$binomial$b, evidence$k)
  # No such report has probability 1 if b is 0.
  null <- ifelse(x > 0, x * log(b), 0) +
    ifelse(n > x, (n - x) * log1p(-b), 0)
  log_p <- null - lbeta(0.5 + x, 0.5 + n - x) + lbeta(0.5, 0.5)
  ifelse(
    (x / n - b) * law$binomial$a > 0,
    pmin(1, exp(log_p)), 1
  )
}

# Hollow points are categories that are not shown to be present.
drawn_of.rr_top <- function(x, data, labels) {
  data$panel <- group_panel(data, setdiff(attr(x, "keys"), "term"))
  # Each group has an order of its own.
  data$label <- rows_factor(paste(data$panel, data$term, sep = "\r"))
  data$kind <- rep("share", nrow(data))
  choices <- c("present", "not shown to be present")
  data$present <- factor(choices[2 - data$present], choices)
  rule <- if (all(data$present == choices[1])) " All are present" else " Filled: present"
  list(
    data = data,
    title = "The most common categories",
    free = nlevels(data$panel) > 1L,
    shown = "present",
    caption = sprintf(
      "%s (%s, alpha = %s).", rule, attr(x, "adjust"), format(attr(x, "alpha"))
    )
  )
}
