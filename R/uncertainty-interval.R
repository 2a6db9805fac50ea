# Intervals for estimated shares; the formulas are the law's.

estimate_intervals <- function(mechanism, fit, g, interval, level, which) {
  law <- rr_law(mechanism)
  evidence <- group_evidence(fit$tally, g, law)
  bounds <- law_intervals(law, evidence, group_estimate(fit, g), interval, level, which, fit$target)
  include_estimate(bounds, group_estimate(fit, g)[which], fit$estimator$unbiased)
}

# Methods that return distributions move mass between categories: their intervals hold the estimate.
include_estimate <- function(bounds, estimate, unbiased) {
  low <- nearest(bounds$low, 0, 1)
  high <- nearest(bounds$high, 0, 1)
  if (unbiased) return(list(low = low, high = high))
  list(low = pmin(low, pmax(estimate, 0)), high = pmax(high, pmin(estimate, 1)))
}

# For rows in the order of their estimates. The lower bound of the row of rank r among K is that of an interval at level
# 1 - (1 - level) r / K, the upper one that at `level`. Then of the first r rows at most 1 - level are wrong on average,
# for every r: the row's chance to lie below its lower bound is (1 - level) r / (2 K), added over K rows and divided by
# r it is half of 1 - level, whatever the selection; above, the selection only helps.
ranked_level <- function(estimate, level) {
  1 - (1 - level) * rank(-estimate, ties.method = "min") / length(estimate)
}

# Wilson's errors far out are not those that it states where counts are small. Clopper and Pearson's are at most those.
tail_interval <- function(interval, mechanism) {
  binomial <- interval == "wilson" && law_gives(rr_law(mechanism), "exact", length(mechanism$levels))
  if (binomial) "exact" else interval
}

# Bounds of the estimates of a fit: two matrices, categories by groups. They are worth computing only where they are
# asked for. `ranked`: of rows in the order of their estimates.
fit_intervals <- function(fit, level = fit$conf.level, interval = fit$interval,
                          which = seq_len(nrow(as.matrix(fit$estimate))),
                          groups = seq_len(ncol(as.matrix(fit$estimate))), ranked = FALSE) {
  if (fit$simultaneous) level <- 1 - (1 - level) / (fit$family %||% length(fit$estimate))
  if (fit$simultaneous || ranked) interval <- tail_interval(interval, fit$mechanism)
  if (interval == "none") {
    unknown <- matrix(NA_real_, length(which), length(groups))
    return(list(low = unknown, high = unknown))
  }
  if (interval == "credible") {
    columns <- lapply(fit$estimator$credible(fit_evidence(fit), groups, level), lapply, `[`, which)
  } else columns <- lapply(groups, function(g) {
    if (ranked) {
      by_rank <- ranked_level(group_estimate(fit, g), level)[which]
      return(list(low = estimate_intervals(fit$mechanism, fit, g, interval, by_rank, which)$low,
                  high = estimate_intervals(fit$mechanism, fit, g, interval, level, which)$high))
    }
    if (interval == "wald") {
      half <- normal_quantile(level) * fit_errors(fit, g, which)
      return(list(low = group_estimate(fit, g)[which] - half, high = group_estimate(fit, g)[which] + half))
    }
    if (interval == "bootstrap") {
      tails <- c((1 - level) / 2, (1 + level) / 2)
      bounds <- apply(fit$replicates[[g]][which, , drop = FALSE], 1, stats::quantile, tails, names = FALSE)
      return(list(low = nearest(bounds[1, ], 0, 1), high = nearest(bounds[2, ], 0, 1)))
    }
    if (interval == "profile") return(profile_intervals(fit$mechanism, fit, g, level, which))
    estimate_intervals(fit$mechanism, fit, g, interval, level, which)
  })
  side <- function(name) vapply(columns, `[[`, numeric(length(which)), name)
  list(low = side("low"), high = side("high"))
}

# The evidence of all groups, with what is known of their estimates.
fit_evidence <- function(fit) {
  law <- rr_law(fit$mechanism)
  lapply(seq_along(fit$details), function(g) {
    c(group_evidence(fit$tally, g, law), list(estimate = group_estimate(fit, g), details = fit$details[[g]]))
  })
}

# Standard errors in group g; an unbiased variance estimate below zero has none.
fit_errors <- function(fit, g, which = seq_along(fit$mechanism$levels)) {
  if (!is.null(fit$estimator$no_intervals)) return(rep(NA_real_, length(which)))
  if (!is.null(fit$replicates)) return(apply(fit$replicates[[g]][which, , drop = FALSE], 1, stats::sd))
  variance <- estimate_variances(fit$mechanism, fit, g, which)
  sqrt(ifelse(variance < 0, NA_real_, variance))
}

# Which intervals a mechanism and a method have. Exact ones need a report that belongs to each truth. A credible one is
# about the population that respondents come from, and few categories cannot show how shares are spread.
check_interval_kind <- function(interval, mechanism, target, method, law = rr_law(mechanism)) {
  k <- length(mechanism$levels)
  refuse <- function(why) {
    abort(c("{.arg interval} cannot be {.val {interval}} here.", x = why, i = "Use {.val wilson}."), "argument")
  }
  if (interval != "none" && !is.null(method$no_intervals)) {
    abort(c("{.arg method} {.val {method$name}} has neither intervals nor standard errors.",
            x = "They would mislead: {method$no_intervals}.", i = no_intervals_remedy), "argument")
  }
  if (interval == "credible") {
    if (is.null(method$credible)) refuse("{.arg method} {.val {method$name}} knows no posterior.")
    if (k < (method$credible_from %||% 1)) refuse("It is for {method$credible_from} categories or more; there are {k}.")
  }
  if (interval %in% c("credible", "profile") && target == "sample") refuse("It is about the population.")
  if (interval == "profile") {
    likelihood <- law_gives(law, "likelihood", k)
    if (!likelihood || inherits(law, "rr_law_hierarchy")) {
      refuse_law(law, if (likelihood) "channel" else "likelihood", "{.arg interval} {.val profile}")
    }
    if (k > profile_cells || k == 0) refuse("It is for at most {profile_cells} categories.")
  }
  if (interval == "bootstrap" && !law_gives(law, "simulation", k) && !simulates_counts(mechanism)) {
    refuse_law(law, "simulation", "{.arg interval} {.val bootstrap}")
  }
  validated <- is_validated(mechanism)
  if (interval %in% c("exact", "profile", "credible") && validated) {
    refuse("It takes the channel for known, and a validation study estimated it.")
  }
  if (interval == "exact" && !law_gives(law, "exact", k)) refuse("No report belongs to one truth alone.")
}

# Tables of a method without intervals hold NA, and say why.
tell_no_intervals <- function(fit) {
  reason <- fit$estimator$no_intervals
  if (is.null(reason) || inherits(fit, "rr_survey")) return(invisible())
  cli::cli_inform(c("{.val {fit$method}} has neither intervals nor standard errors: they are {.val {NA}}.",
                    x = "They would mislead: {reason}.", i = no_intervals_remedy),
                  class = "candor_message_no_intervals")
}

# So do tables of functions of estimates whose errors are unknown.
tell_errors_unknown <- function(fits, error) {
  lines <- if (anyNA(error)) unique(unlist(lapply(fits, errors_unknown)))
  if (length(lines)) cli::cli_inform(c(lines, i = no_intervals_remedy), class = "candor_message_no_intervals")
}

no_intervals_remedy <- "For an estimate with its error take {.code method = \"mle\"}."

# The rows that `parm` says by label or position; all where it is NULL.
match_rows <- function(parm, labels, what, arg = "parm") {
  if (is.null(parm)) return(seq_along(labels))
  at <- if (is.character(parm)) match(parm, labels) else if (is.numeric(parm)) match(parm, seq_along(labels))
  if (length(at) && !anyNA(at)) return(at)
  shown <- if (is.atomic(parm) && length(parm)) parm[is.na(at)][1] else describe(parm)
  abort(c("{.arg {arg}} must hold labels or positions of {what}.", x = "{.val {shown}} is not one.",
          i = if (length(meant_of(parm, labels))) "{meant_of(parm, labels)}",
          i = "The {what} are {format_labels(labels)}."), "level")
}

# ---- simulated tallies ----

# Tallies of new reports under a fitted truth: the engine of simulate() and of the bootstrap. One column
# per replication.
simulate_group <- function(fit, g, nsim, n = fit$tally$effective_n[g]) {
  n <- max(1, round(n))
  if (n > 2^53) {
    abort(c("Simulated tallies can have 2^53 reports at most.", x = "This one would have {format(n, digits = 3)}."),
          "counts")
  }
  theta <- group_estimate(fit, g)
  if (!adds_up(theta)) theta <- .Call(C_rr_project, theta, 1)
  if (fit$target == "population") return(simulate_sampled(fit$mechanism, theta, n, nsim))
  simulate_counts(fit$mechanism, whole_shares(n, .Call(C_rr_project, theta, 1)), nsim)
}

# Counts of a sample of respondents: multinomial where a report is one of finitely many, else of drawn truths.
simulate_sampled <- function(mechanism, theta, n, nsim) {
  law <- rr_law(mechanism)
  if (law_gives(law, "channel", length(theta))) return(draw_multinomial(nsim, n, pmax(law_reported(law, theta), 0)))
  truths <- draw_multinomial(nsim, n, .Call(C_rr_project, theta, 1))
  vapply(seq_len(nsim), function(i) as.double(simulate_counts(mechanism, as.double(truths[, i]), 1)),
         numeric(length(mechanism$reports)))
}

# Estimates re-made from simulated tallies: per group a matrix, categories by replications.
bootstrap <- function(fit, replications, options) {
  groups <- ncol(as.matrix(fit$estimate))
  check_memory(24 * length(fit$estimate) * replications, "replications",
               sprintf("Bootstrapping %s estimates %s times", format_count(length(fit$estimate)),
                       format_count(replications)))
  law <- rr_law(fit$mechanism)
  n <- fit$tally$effective_n
  k <- length(fit$mechanism$levels)
  counts <- lapply(seq_len(groups), function(g) simulate_group(fit, g, replications, n[g]))
  # A validation study is made again too.
  laws <- if (!is.null(law$validation)) replicate(replications, validation_again(law), simplify = FALSE)
  evidence <- function(g, i) {
    law <- laws[[i]] %||% law
    new_evidence(law, as.double(counts[[g]][, i]), max(1, round(n[g])), n[g], k, fit$mechanism)
  }
  # Replication by replication: a method may estimate all groups together.
  estimates <- vapply(seq_len(replications), function(i) {
    results <- run_groups(fit$estimator, lapply(seq_len(groups), evidence, i = i), options)
    vapply(results, `[[`, numeric(k), "estimate")
  }, matrix(0, k, groups))
  lapply(seq_len(groups), function(g) matrix(estimates[, g, ], nrow = k))
}
