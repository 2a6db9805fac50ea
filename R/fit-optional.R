# Optional answers: the share of yes is a combination of the reported shares of several devices. It
# is unbiased whoever answers directly (inst/mathematics/mixed.md 10).

estimate_tally.rr_optional <- function(mechanism, tally, settings) {
  check_only(settings, "method", c("mle", "inv"))
  check_only(settings, "interval", "wald")
  check_only(settings, "target", "population")
  do.call(check_dots_empty, settings$options, quote = TRUE)
  results <- lapply(seq_along(tally$n), function(g) {
    optional_estimate(group_counts(tally, g), mechanism)
  })
  all <- function(what) vapply(results, `[[`, 0, what)
  yes <- all("estimate")
  is_clamped <- !identical(settings$method, "inv") & (yes < 0 | yes > 1)
  structure(
    list(
      rows = optional_rows(
        tally$groups, mechanism$levels, yes, ifelse(is_clamped, NA, all("variance"))
      ),
      labels = cell_names(mechanism$levels, tally$groups),
      n = tally$n,
      target = "population",
      covariance = kronecker(
        diag(all("variance"), length(yes)),
        rbind(c(1, -1), c(-1, 1))
      ),
      conf.level = settings$conf.level,
      simultaneous = settings$simultaneous,
      weights = lapply(results, `[[`, "weights"),
      inversion = as.vector(rbind(1 - yes, yes)),
      device.share = all("device"),
      tally = tally,
      mechanism = mechanism,
      axis_kind = "share",
      title = c(
        paste0(
          "Shares from ", report_words(tally), " that could be direct answers", in_groups(tally)
        ),
        paste0("  ", format(mechanism)),
        paste0(
          "  Target: population; ",
          interval_words(settings$conf.level, "Wald", settings$simultaneous)
        )
      ),
      notes = c(
        if (any(is_clamped)) {
          indented("Estimates held at 0 or 1 have no standard error: read the intervals")
        },
        optional_note(all("device"))
      )
    ),
    class = c("rr_optional_fit", "rr_estimates")
  )
}

# An estimate that is held at 0 or 1 has the interval of the unbiased one, cut so that it is no
# point.
bounds_of.rr_optional_fit <- function(x, rows, level) {
  bounds <- NextMethod()
  clamped <- which(is.na(rows$std.error))
  if (x$simultaneous) level <- 1 - (1 - level) / nrow(rows)
  half_width <- normal_quantile(level) * sqrt(diag(x$covariance)[clamped])
  cut <- normal_interval(x$inversion[clamped], half_width)
  list(
    low = replace(bounds$low, clamped, cut$low),
    high = replace(bounds$high, clamped, cut$high)
  )
}

# A row for each level; estimates without a variance are held at the end of the range.
optional_rows <- function(groups, levels, yes, variance) {
  is_clamped <- is.na(variance)
  yes[is_clamped] <- clamp(yes[is_clamped])
  rows <- list(
    term = rep(levels, length(yes)),
    estimate = as.vector(rbind(1 - yes, yes)),
    std.error = rep(sqrt(variance), each = 2L)
  )
  as_tibble(c(lapply(as.list(groups), rep, each = 2L), rows))
}

# `counts`: of no and yes for each device in turn.
optional_estimate <- function(counts, mechanism) {
  counts <- matrix(counts, 2)
  n <- counts[1, ] + counts[2, ]
  if (any(n < 2)) abort("Each device must have two reports, in each group.", "empty")
  share <- counts[2, ] / n
  # A share of 0 or 1 has some variance.
  likely <- clamp(share, 0.5 / n, 1 - 0.5 / n)
  variance <- likely * (1 - likely) / (n - 1)
  weights <- optional_weights(mechanism$devices, variance)
  estimate <- sum(weights * share)
  # The share who use one of two devices is estimated if it is independent of the truth.
  drop <- estimate * (1 - mechanism$devices[2, ]) -
    (1 - estimate) * mechanism$devices[3, ]
  list(
    estimate = estimate,
    variance = sum(weights^2 * variance),
    weights = weights,
    device = if (length(n) == 2L) {
      (share[1] - share[2]) / (drop[2] - drop[1])
    } else {
      NA_real_
    }
  )
}

optional_note <- function(share) {
  if (anyNA(share)) return(NULL)
  indented(paste0("Share who used a device, if that does not depend on the truth: ",
                  paste(format_share(signif(share, 3)), collapse = ", ")))
}
