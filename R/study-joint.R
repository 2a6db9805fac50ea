# A study judges the joint counts of the questions of a product set by set: rr_tmdh() estimates them
# in each replication.

joint_metrics <- c("bias", "std.error", "coverage")

# An error if a mechanism has no joint counts of `order` questions.
check_study_order <- function(order, mechanisms) {
  for (mechanism in if (!is.null(order)) mechanisms) {
    n_questions <- length(mechanism$questions)
    if (n_questions == 0) {
      abort("{.arg order} is for a mechanism of several questions, see {.fn rr_product}.")
    }
    if (order > n_questions) {
      abort("{.arg order} must not exceed the number of questions, {n_questions}.", "order")
    }
  }
}

# The risks of the joint counts of a cell: the sets, as `term` and `order`, with matrices `estimate`
# and `error` of metrics by sets. Truths and estimates are shares of the respondents.
judge_joint <- function(mechanism, theta, truth, n, design, cell) {
  questions <- mechanism$questions
  draw <- joint_drawer(mechanism, theta, truth, n, design, cell)
  fit_counts <- function(r) {
    rr_tmdh(draw(r), questions, order = design$order, target = design$target)
  }
  first <- fit_counts(1)
  terms <- names(coef(first))
  shares <- if (is.null(truth)) theta else truth / n
  cells <- array(shares, unname(mechanism$sizes))
  true <- table_histogram(cells, counted_columns(questions), design$order)
  true <- setNames(shown_values(true), shown_labels(true))[terms]
  draws <- vapply(seq_len(design$replications), function(r) {
    joint_estimates(if (r == 1) first else fit_counts(r))
  }, matrix(0, length(terms), 4))
  sizes <- shown_sizes(first)[possible_sets(first)]
  c(list(term = terms, order = sizes), joint_risks(draws, true))
}

# A function that draws the joint counts of one replication. Reports that are categories are drawn
# as counts, any other report by report.
joint_drawer <- function(mechanism, theta, truth, n, design, cell) {
  questions <- mechanism$questions
  evidence <- lapply(questions, evidence_columns)
  columns <- counted_columns(questions)
  has_counts <- function(x) isTRUE(x$direct) || identical(x$width, 1L)
  if (all(vapply(evidence, has_counts, NA))) {
    columns$categories <- lapply(questions, function(question) {
      if (is_yes_no(question)) no_yes_index(question$reports)[["yes"]] else
        seq_along(question$reports)
    })
    counts <- study_counts(
      mechanism, theta, truth, n, design$seed, cell, 0, design$replications
    )
    sizes <- unname(mechanism$report_sizes)
    return(function(r) {
      table_histogram(array(counts[, r], sizes), columns, design$order)
    })
  }
  # Counts in scores need no higher order.
  is_scored <- any(vapply(evidence, is.null, NA))
  twice <- min(2 * design$order, length(columns$names))
  order <- if (is_scored) design$order else twice
  function(r) {
    keep_generator(name_stream(design$seed, cell, r), {
      rows <- truth %||% rmultinom(1, n, theta)[, 1]
      answers <- cell_answers(mechanism, "levels", cells = rep(seq_along(rows), rows))
      reports <- rr_perturb(as.data.frame(answers, optional = TRUE), mechanism, rng = "R")
      rr_cooccurrence(reports, order, mechanism = questions)
    })
  }
}

# The estimates of a fit, as shares: a row for each set, with the columns estimate, variance and
# the two limits of its interval.
joint_estimates <- function(fit) {
  possible <- possible_sets(fit)
  variances <- histogram_variances(fit, fit, fit$target)[possible]
  limits <- bounds_of(fit, NULL, fit$conf.level)
  n <- fit$n
  cbind(coef(fit) / n, variances / n^2, limits[[1]] / n, limits[[2]] / n)
}

# Bias, ratio of the estimated to the simulated standard error, and coverage, with their Monte Carlo
# errors: metrics by sets. `draws` has the dimensions set, column of joint_estimates(), replication.
joint_risks <- function(draws, true) {
  replications <- dim(draws)[3]
  column <- function(i) matrix(draws[, i, ], ncol = replications)
  estimate <- column(1)
  variance <- column(2)
  deviation <- estimate - rowMeans(estimate)
  simulated <- rowSums(deviation^2) / (replications - 1)
  ratio <- sqrt_or_na(rowMeans(variance) / simulated)
  # The relative errors of the two variances, whose ratio has a square root.
  relative <- variance / rowMeans(variance) - deviation^2 / simulated
  slack <- 1e-9
  is_covered <- column(3) <= true + slack & column(4) >= true - slack
  coverage <- rowMeans(is_covered)
  deviations <- relative - rowMeans(relative)
  error <- rbind(
    sqrt(simulated),
    ratio / 2 * sqrt(rowSums(deviations^2) / (replications - 1)),
    sqrt(coverage * (1 - coverage))
  )
  list(
    estimate = rbind(rowMeans(estimate) - true, ratio, coverage, deparse.level = 0),
    error = error / sqrt(replications)
  )
}

# The rows of the study's table for the joint counts of the cells `done`; NULL if there are none.
joint_rows <- function(state, cells, done) {
  if (is.null(state$design$order) || !length(done)) return(NULL)
  rows <- lapply(done, function(i) {
    joint <- state$results[[i]]$joint
    each <- rep(seq_along(joint$term), each = length(joint_metrics))
    tibble(
      study_keys(state$design, cells, rep(i, length(each))),
      method = rep("tmdh", length(each)),
      term = joint$term[each],
      order = joint$order[each],
      metric = rep(joint_metrics, length(joint$term)),
      estimate = as.vector(joint$estimate),
      mc.error = as.vector(joint$error)
    )
  })
  do.call(rbind, rows)
}

# ---- picture ----

# The title of each metric, and the value that a perfect interval has.
joint_titles <- c(
  bias = "Bias of joint counts, in Monte Carlo errors",
  std.error = "Standard error of joint counts, estimated over simulated",
  coverage = "Coverage of the 95% intervals of joint counts"
)

joint_targets <- c(bias = 0, std.error = 1, coverage = 0.95)

# A line for the mean of the sets of each order, and a point for each set.
joint_lines <- function(object, metric) {
  data <- as.data.frame(object)
  data <- data[data$metric == metric, ]
  if (metric == "bias") data$estimate <- data$estimate / data$mc.error
  data <- data[is.finite(data$estimate), ]
  if (!nrow(data)) abort("No {.val {metric}} of the study is known.", "empty")
  data$panel <- risk_panels(data)
  data$mechanism <- factor(paste("Order", data$order))
  means <- aggregate(estimate ~ n + mechanism + panel, data, mean)
  picture <- ggplot2::ggplot(means, ggplot2::aes(.data$n, .data$estimate)) +
    ggplot2::geom_hline(yintercept = joint_targets[[metric]], colour = colour_line) +
    ggplot2::geom_point(
      ggplot2::aes(colour = .data$mechanism), data, size = 1, alpha = 0.5, show.legend = FALSE
    ) +
    design_lines(means$mechanism, 13) +
    ggplot2::scale_x_log10(
      labels = format_count, breaks = few_log_breaks(4), guide = no_overlap()
    ) +
    ggplot2::labs(
      x = "Respondents N",
      y = NULL,
      title = wrap_text(joint_titles[[metric]], 46),
      caption = "Points: sets of answers. Lines: means of each order."
    ) +
    theme_candor()
  if (nlevels(data$panel) < 2) return(picture)
  picture + ggplot2::facet_wrap(~panel)
}
