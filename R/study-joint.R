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
    columns$categories <- lapply(questions, counted_reports_of)
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

# The positions of the reports that have a column.
counted_reports_of <- function(question) {
  if (is_yes_no(question)) return(no_yes_index(question$reports)[["yes"]])
  seq_along(question$reports)
}

# The estimates of a fit, as shares: a row for each set, with the columns estimate, variance and
# the two limits of its interval.
joint_estimates <- function(fit) {
  possible <- possible_sets(fit)
  variances <- histogram_variances(fit, fit, fit$target)[possible]
  limits <- bounds_of(fit, NULL, fit$conf.level)
  limits <- do.call(cbind, unname(limits))
  cbind(coef(fit), variances / fit$n, limits) / fit$n
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

# The columns of the table that say which cell a row is of.
study_keys <- function(design, cells, row) {
  tibble(
    truth = names(design$truth)[cells$truth[row]],
    k = cells$k[row],
    mechanism = names(design$mechanism)[cells$mechanism[row]],
    epsilon = cells$epsilon[row],
    n = cells$n[row]
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
