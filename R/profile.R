# Profile-likelihood intervals of single cells: all shares t for which twice the log-likelihood, maximised over the
# other cells, is within a quantile of chi-squared of its maximum. With theta_i = t fixed the others solve the same
# problem for the channel t C[i, ] + (1 - t) C[k, ], so every point of the profile comes with its certificate.

profile_cells <- 500

profile_intervals <- function(mechanism, fit, g, level, which = seq_along(mechanism$levels)) {
  axes <- channel_axes(mechanism)
  rows <- rr_matrix(mechanism)
  counts <- effective_counts(group_counts(fit$tally, g), fit$tally$effective_n[g])
  best <- maximise(axes, counts)
  top <- sum_log(counts, apply_channel(axes, best$estimate))
  bounds <- vapply(which, function(i) profile_cell(rows, counts, i, best$estimate[i], top, stats::qchisq(level, 1)),
                   c(low = 0, high = 0))
  list(low = bounds["low", ], high = bounds["high", ])
}

sum_log <- function(counts, m) {
  seen <- counts > 0
  if (any(m[seen] <= 0)) -Inf else sum(counts[seen] * log(m[seen]))
}

profile_cell <- function(rows, counts, i, estimate, top, quantile) {
  others <- rows[-i, , drop = FALSE]
  excess <- function(t) {
    axes <- list(list(matrix = unname(t((1 - t) * others + rep(t * rows[i, ], each = nrow(others))))))
    fit <- maximise(axes, counts)
    if (!is.null(fit$impossible)) return(quantile + 1e6)
    min(2 * (top - sum_log(counts, apply_channel(axes, fit$estimate))), 1e6) - quantile
  }
  side <- function(end) {
    if (estimate == end || excess(end) <= 0) return(end)
    stats::uniroot(excess, sort(c(estimate, end)), tol = 1e-9,
                   f.lower = if (end < estimate) excess(end) else -quantile,
                   f.upper = if (end < estimate) -quantile else excess(end))$root
  }
  c(low = side(0), high = side(1))
}

check_profile <- function(mechanism, target, call = caller_env()) {
  if (target != "population") {
    abort(c("{.arg interval} {.val profile} is about the population.", x = "{.arg target} is {.val {target}}.",
            i = "Use {.val wilson} for these very respondents."), "argument", call = call)
  }
  cells <- length(mechanism$levels)
  if (cells > profile_cells || cells == 0) {
    abort(c("{.arg interval} {.val profile} is for at most {profile_cells} categories.",
            x = "There are {format_count(cells)}.", i = "Use {.val wilson}."), "argument", call = call)
  }
}
