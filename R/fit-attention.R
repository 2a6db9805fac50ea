# A question is answered beside an anchor question: the share of attentive respondents, and the
# prevalence corrected for the others, both by moments (inst/mathematics/mixed.md 8).

# The answers, 1 for yes, in each cell of both questions, a row for each question. The question
# varies fastest.
attention_cells <- rbind(
  question = c(0, 1, 0, 1),
  anchor = c(0, 0, 1, 1)
)

estimate_attention <- function(x, mechanism, anchor, settings, column, count, weights, by, na.rm) {
  do.call(check_dots_empty, settings$options, quote = TRUE)
  for (only in list(
      list("method", c("mle", "inv")),
      list("interval", "wilson"),
      list("target", "population")
    )) {
    check_only(settings, only[[1]], only[[2]])
  }
  questions <- attention_questions(x, mechanism, anchor, column)
  moments <- if (is_design(x)) attention_design(x, questions, count, weights, by, na.rm)
    else attention_frame(x, questions, count, weights, by, na.rm)
  new_rr_attention(moments, mechanism, settings)
}

# The two questions as one product, whose names are their columns, and the numbers of its devices.
# These are q and d of the question, and the probability of a yes to the anchor question from an
# attentive and from an inattentive respondent.
attention_questions <- function(x, mechanism, anchor, column) {
  check_mechanism(mechanism)
  refuse_validated(mechanism, "{.arg anchor}")
  check_that(
    length(mechanism$levels) == 2L && length(mechanism$reports) == 2L && has_categories(mechanism),
    mechanism, "mechanism", "of a yes/no question"
  )
  check_that(
    is.list(anchor) && !is.null(anchor$attention), anchor, "anchor",
    "a mechanism of {.fn rr_anchor}"
  )
  data <- if (is_design(x)) x$variables else x
  check_class(
    data, "x", "data.frame", "a data frame or a survey design if there is an anchor question"
  )
  columns <- frame_names(as_plain_frame(data), column, "column")
  check_that(
    length(columns) == 2L, column, "column",
    "the columns of the question and of its anchor question"
  )
  C <- unname(rr_matrix(mechanism))
  if (abs(C[2, 2] - C[1, 2]) < 1e-14) {
    abort("Nothing can be learned from reports of {.arg mechanism}.", c(
      "no_information", "argument"
    ))
  }
  list(
    joint = rr_product(setNames(list(mechanism, anchor), columns)),
    device = c(
      list(
        q = C[1, 2],
        d = C[2, 2] - C[1, 2]
      ),
      anchor$attention
    )
  )
}

# Lambda and lambda' are the shares of yes to the two questions; `scores` have a column for each
# cell and the mean 0.
attention_moments <- function(counts, device) {
  shares <- drop(attention_cells %*% prop.table(counts))
  chance <- device$inattentive
  gamma <- (shares[[2]] - chance) / (device$attentive - chance)
  excess <- shares[[1]] - chance
  by_anchor <- (attention_cells[2, ] - shares[[2]]) /
    (device$attentive - chance)
  by_question <- attention_cells[1, ] - shares[[1]]
  list(
    estimate = c(
      (excess / gamma + chance - device$q) / device$d, gamma,
      shares[[1]]
    ),
    scores = rbind(
      by_question / (gamma * device$d) -
        excess * by_anchor / (gamma^2 * device$d),
      by_anchor, by_question
    )
  )
}

# The estimates of all groups, a column each, and the scores of the cells, a matrix for each group.
attention_groups <- function(tally, device) {
  group_moments <- lapply(seq_along(tally$n), function(g) {
    attention_moments(group_counts(tally, g), device)
  })
  estimate <- vapply(group_moments, `[[`, numeric(3), "estimate")
  bad <- which(!(estimate[2, ] > 0))
  if (length(bad)) {
    where <- if (!is.null(tally$groups)) {
      paste0(" in \"", group_labels(tally$groups)[bad[1]], "\"")
    }
    abort(
      c(
        "Nobody seems to be attentive{where}.",
        x = paste(
          "The estimated share of attentive respondents is",
          "{format(estimate[2, bad[1]], digits = 3)}."
        )
      ),
      c("no_information", "argument")
    )
  }
  list(
    tally = tally,
    device = device,
    estimate = estimate,
    scores = lapply(group_moments, `[[`, "scores"),
    df = Inf
  )
}

attention_frame <- function(x, questions, count, weights, by, na.rm) {
  answers <- frame_answers(x, questions$joint, NULL, weights, by, count)
  tally <- drop_empty_groups(tally_answers(answers, questions$joint, na.rm))
  if (any(tally$n <= 0)) abort_empty(tally)
  moments <- attention_groups(tally, questions$device)
  # The squares of the weights are added up, cell by cell.
  squares <- tally$counts
  if (!is.null(answers$weights)) {
    squared <- replace(
      answers, "weights", list(check_weights(answers$weights, nrow(x))^2)
    )
    squares <- suppressMessages(
      drop_empty_groups(tally_answers(squared, questions$joint, na.rm))
    )$counts
  }
  moments$covariance <- matrix(0, length(moments$estimate), length(moments$estimate))
  for (g in seq_along(tally$n)) {
    index <- 3 * g - 2:0
    scores <- moments$scores[[g]]
    moments$covariance[index, index] <- scores %*%
      (as.matrix(squares)[, g] * t(scores)) / tally$n[g]^2
  }
  moments
}

# The variance of the design is that of the mean of the scores.
attention_design <- function(design, questions, count, weights, by, na.rm) {
  if (!is.null(count)) abort("{.arg count} must be left out: a row of a design is one respondent.")
  tally <- tally_design(design, questions$joint, NULL, weights, by, na.rm)
  data <- design_data(design, tally, NULL, by, FALSE)
  data$group <- match(data$group, which(tally$n > 0))
  tally <- drop_empty_groups(tally)
  moments <- attention_groups(tally, questions$device)
  sums <- function(x, rows) {
    as.vector(
      tapply(x, factor(data$code[rows], 1:4), sum, default = 0)
    )
  }
  channel <- attention_channel(questions$device)
  linear <- list(
    estimate = moments$estimate,
    scores = function(g, rows) {
      t(
        moments$scores[[g]][, data$code[rows], drop = FALSE] +
          moments$estimate[, g]
      )
    },
    refit = function(g, rows, w) {
      attention_moments(sums(w, rows), questions$device)$estimate
    },
    noise = function(g, rows, squares) {
      scores <- t(moments$scores[[g]])
      channel_randomization(
        array(scores, c(4, 1, 3)), cbind(sums(squares, rows)),
        channel, t(unbiased_matrix(channel))
      )
    }
  )
  moments$covariance <- linear_variance(
    design, data, linear, hidden_squares(design), "population", tally$n, FALSE
  )
  moments$df <- survey::degf(design)
  moments
}

# The probabilities of the cells for the inattentive, and for the attentive by their truth.
attention_channel <- function(device) {
  cells <- function(question, anchor) {
    as.vector(outer(c(1 - question, question), c(1 - anchor, anchor)))
  }
  rbind(
    cells(device$inattentive, device$inattentive),
    cells(device$q, device$attentive),
    cells(device$q + device$d, device$attentive)
  )
}

# Has either question of a group more or fewer yes than attentive and inattentive respondents can
# give? The result has one element for each group.
unlikely_attention <- function(tally, device) {
  question <- range(
    device$q + c(0, device$d), device$inattentive
  )
  anchor <- range(device$attentive, device$inattentive)
  vapply(
    seq_along(tally$n),
    function(g) {
      n <- tally$effective_n[g]
      yes <- attention_cells %*% group_counts(tally, g) * (n / tally$n[g])
      beyond_counts(
        yes, n, c(question[1], anchor[1]),
        c(question[2], anchor[2]), false_alarm / length(tally$n)
      )
    },
    NA
  )
}

new_rr_attention <- function(moments, mechanism, settings) {
  tally <- moments$tally
  terms <- c(mechanism$levels, "attentive")
  settings$method <- settings$method %||% "mle"
  unbiased <- settings$method == "inv"
  estimates <- attention_estimates(moments, !unbiased)
  unlikely <- unlikely_attention(tally, moments$device)
  people <- respondent_number(tally)
  # "no" is 1 less "yes".
  index <- rep(3 * seq_along(tally$n) - 3, each = 3) +
    c(1, 1, 2)
  sign <- rep(c(-1, 1, 1), length(tally$n))
  std_error <- as.vector(estimates$error[c(1, 1, 2), ])
  is_held <- is.na(std_error)
  covariance <- moments$covariance[index, index] * outer(sign, sign)
  same_group <- outer(index %/% 3, index %/% 3, `==`)
  structure(
    list(
      rows = as_tibble(c(
        lapply(as.list(tally$groups), rep, each = 3L),
        list(
          term = rep(terms, length(tally$n)),
          estimate = as.vector(rbind(1 - estimates$estimate[1, ], estimates$estimate)),
          std.error = std_error
        )
      )),
      labels = cell_names(terms, tally$groups),
      terms = terms,
      sums = cumsum(rep(c(1, 0, 1), length(tally$n))),
      is_held = is_held,
      covariance = replace(covariance, same_group & outer(is_held, is_held, `|`), NA),
      n = tally$n,
      target = "population",
      conf.level = settings$conf.level,
      simultaneous = settings$simultaneous,
      family = 2L * length(tally$n),
      moments = moments,
      df = moments$df,
      tally = tally,
      mechanism = mechanism,
      unbiased = unbiased,
      doubt = ifelse(unlikely, "counts", ""),
      axis_kind = "share",
      settings = settings[c("method", "conf.level", "simultaneous")],
      title = c(
        paste0(
          "Prevalence corrected for inattentive respondents, from ", format_count(people),
          " respondents", in_groups(tally)
        ),
        paste0("  ", vapply(tally$mechanism$questions, format, "")),
        paste0(
          "  Target: population; ",
          interval_words(settings$conf.level, "score", settings$simultaneous)
        ),
        if (any(unlikely)) indented(unlikely_words)
      ),
      notes = if (anyNA(estimates$error)) {
        indented("Estimates held at 0 or 1 have no standard error: read the intervals")
      }
    ),
    class = c("rr_attention", "rr_estimates")
  )
}

cut_groups.rr_attention <- function(fit, index, drop = FALSE) {
  moments <- fit$moments
  cells <- as.vector(outer(1:3, 3 * (index - 1), `+`))
  moments$tally <- cut_groups(fit$tally, index, drop)
  moments$estimate <- moments$estimate[, index, drop = FALSE]
  moments$covariance <- moments$covariance[cells, cells, drop = FALSE]
  moments$scores <- moments$scores[index]
  replace(new_rr_attention(moments, fit$mechanism, fit$settings), "family", fit$family)
}

#' @export
update.rr_attention <- function(
  object, method = object$settings$method, conf.level = object$conf.level,
  simultaneous = object$simultaneous, ...
) {
  check_dots_empty(...)
  settings <- list(
    method = check_choice(method, "method", c("mle", "inv")),
    conf.level = check_conf_level(conf.level),
    simultaneous = check_flag(simultaneous, "simultaneous")
  )
  replace(new_rr_attention(object$moments, object$mechanism, settings), "family", object$family)
}

# A report says the same about the truth whether or not the same persons are inattentive at the
# anchor question: the channel of group g is
#   attentive C + (1 - attentive) inattentive
#' @export
predict.rr_attention <- function(object, reports = NULL, ...) {
  estimate <- matrix(coef(object), 3)
  inattentive <- object$moments$device$inattentive
  by_chance <- rep(c(1 - inattentive, inattentive), each = 2)
  channels <- lapply(estimate[3, ], function(attentive) {
    attentive * rr_matrix(object$mechanism) + (1 - attentive) * by_chance
  })
  posterior_table(object, estimate, channels, reports)
}

# Prevalence and attention, a column for each group, clamped to 0 and 1 if `is_truncated`.
attention_estimates <- function(moments, is_truncated) {
  estimate <- moments$estimate[1:2, , drop = FALSE]
  error <- matrix(sqrt(diag(moments$covariance)), 3)[
    1:2, , drop = FALSE
  ]
  # Answers that are all alike do not show how they vary.
  error[error == 0] <- NA
  if (!is_truncated) return(list(estimate = estimate, error = error))
  full <- estimate[2, ] > 1
  estimate[1, full] <- (moments$estimate[3, full] -
    moments$device$q) / moments$device$d
  error[estimate < 0 | estimate > 1] <- NA
  list(estimate = clamp(estimate), error = error)
}

# The prevalences at which lambda is no further than z standard errors from what they and gamma
# give: a quadratic. The share of the attentive has Wilson's interval of the anchor question. An
# estimate that is held at 0 or 1, or beside an attention that is held at 1, is not the centre of
# its interval, which is widened to contain it.
bounds_of.rr_attention <- function(x, rows, level) {
  if (x$simultaneous) level <- 1 - (1 - level) / x$family
  z2 <- qt((1 - level) / 2, x$df, lower.tail = FALSE)^2
  moments <- x$moments
  limits <- vapply(
    seq_along(x$tally$n),
    function(g) {
      V <- attention_covariance(moments, g, x$tally$effective_n[g])
      yes <- attention_interval(moments$estimate[, g], V, moments$device, z2)
      gamma_variance <- moments$covariance[3 * g - 1, 3 * g - 1]
      share <- attention_share(
        moments$estimate[2, g], gamma_variance, x$tally$effective_n[g], moments$device,
        z2
      )
      c(
        1 - yes[2], yes[1], share[1], 1 - yes[1],
        yes[2], share[2]
      )
    },
    numeric(6)
  )
  bounds <- list(
    low = as.vector(limits[1:3, ]),
    high = as.vector(limits[4:6, ])
  )
  include_estimate(bounds, rows$estimate, x$unbiased)
}

# The covariance of lambda and gamma in group g. If all answers to a question are alike, half an
# answer differs.
attention_covariance <- function(moments, g, n) {
  V <- moments$covariance[3 * g - 0:1, 3 * g - 0:1]
  reach <- moments$device$attentive - moments$device$inattentive
  share <- c(
    moments$estimate[3, g],
    moments$device$inattentive + reach * moments$estimate[2, g]
  )
  likely <- clamp(share, 0.5 / n, 1 - 0.5 / n)
  alike <- diag(V) == 0
  diag(V)[alike] <- (likely * (1 - likely) / n / c(1, reach^2))[
    alike
  ]
  V
}

# `V`: the covariance of lambda and gamma. An interval that lies beyond 0 or 1 would be empty: the
# distance is then compared with that of the nearest prevalence, as for other score intervals.
attention_interval <- function(point, V, device, z2) {
  excess <- point[3] - device$inattentive
  to_t <- function(prevalence) {
    device$q + device$d * prevalence - device$inattentive
  }
  limits <- attention_roots(excess, point[2], V, z2)
  range <- sort((limits - to_t(0)) / device$d)
  if (range[2] < 0 || range[1] > 1) {
    t <- to_t(clamp(point[1]))
    beyond <- (excess - t * point[2])^2 / (V[1, 1] -
      2 * t * V[1, 2] + t^2 * V[2, 2])
    range <- sort(
      (attention_roots(excess, point[2], V, z2 + beyond) - to_t(0)) /
        device$d
    )
  }
  clamp(range)
}

# The smallest and largest t with (excess - t gamma)^2 <= z2 (V11 - 2 t V12 + t^2 V22).
attention_roots <- function(excess, gamma, V, z2) {
  square <- gamma^2 - z2 * V[2, 2]
  middle <- excess * gamma - z2 * V[1, 2]
  discriminant <- middle^2 - square * (excess^2 - z2 * V[1, 1])
  if (square <= 0) return(c(-Inf, Inf))
  (middle + c(-1, 1) * sqrt(max(discriminant, 0))) / square
}

attention_share <- function(gamma, variance, n, device, z2) {
  reach <- device$attentive - device$inattentive
  phi <- device$inattentive + reach * gamma
  if (variance > 0) n <- phi * (1 - phi) / (variance * reach^2)
  # Wilson's interval is never a point, see R/law-intervals.R.
  likely <- clamp(phi, min(device$attentive, device$inattentive),
                    max(device$attentive, device$inattentive))
  z2 <- z2 + n * squared_excess(phi, likely, likely * (1 - likely))
  clamp(
    unlist(reported_interval(wilson_interval(phi, n, z2), reach, device$inattentive)),
    0, 1
  )
}
