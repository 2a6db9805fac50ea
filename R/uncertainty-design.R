# Designs of the package survey: the variance of estimated shares when a probability sample was
# drawn, with clusters, strata, weights, a finite population, or replicate weights, and each answer
# was then randomized.
#
# An estimate is, near the data, linear in the reported shares phi of its group: theta + J (phi' -
# phi), with a column of J for each report. Its design-based variance is that of the weighted total
# of u_i = (J[, y_i] - J phi) / N, which survey computes; with replicate weights the estimate is
# computed again for each.
#
# If the population is finite, that is not all: the factor 1 - f is right for the truths, but a
# respondent who is certain to be drawn still randomizes. A variance estimator that counts the
# square of a respondent's own value with Q_i in place of the w_i^2 that independent noise needs
# misses the sum over i of (w_i^2 - Q_i) Var(u_i | truth), and this is added: here and for the
# scores of regressions (R/regress-design.R). Var(u | x), the sum over y of C[x, y] u_y u_y' less
# the square of the sum of C[x, y] u_y, is linear in the indicators of the truth x, so that it is
# estimated without bias from the same reports.

# The data of the rows that are used: their `row` in the design, their `group` in the tally, and the
# `code` of the report. A protocol has `scores` in place of codes: their weighted mean is the
# unbiased estimate.
design_data <- function(design, tally, column, by, scored) {
  mechanism <- tally$mechanism
  rows <- design_rows(design)
  if (scored && any(tally$missing > 0)) {
    abort(
      "A survey design must not have missing reports: use {.code subset(design, !is.na(report))}.",
      "missing"
    )
  }
  if (scored && as.double(length(rows)) * length(mechanism$levels) > 5e7) {
    abort("There are more than 50,000,000 scores for a survey design.", "too_large")
  }
  frame <- design$variables[rows, , drop = FALSE]
  answers <- frame_answers(frame, mechanism, column, NULL, by)
  by <- name_groups(answers$by, mechanism)
  used_rows <- which(!seq_along(rows) %in% rows_without_group(by, length(rows)))
  group <- if (is.null(by)) {
    rep(1L, length(used_rows))
  } else {
    make_groups(lapply(by, `[`, used_rows), length(used_rows))$codes
  }
  data <- list(
    row = rows[used_rows],
    group = group,
    rows = length(design_weights(design))
  )
  if (scored) {
    answers <- frame_answers(
      frame[used_rows, , drop = FALSE], mechanism, column, NULL, names(by)
    )
    data$scores <- score_reader(mechanism, "report")(rr_reports(answers$reports, mechanism))
    return(data)
  }
  code <- if (is.null(mechanism$questions)) {
    coded <- encode_reports(answers$reports, mechanism)
    as.integer(coded$codes) - coded$first + 1L
  } else encode_questions(question_frame(answers$reports, mechanism), mechanism, TRUE) + 1L
  used <- !is.na(code[used_rows])
  list(
    row = data$row[used],
    group = group[used],
    code = code[used_rows][used],
    rows = data$rows
  )
}

# The columns of the unbiased estimate, and of any other near these data, for each report.
inversion_columns <- function(law, mechanism) {
  reports <- length(mechanism$reports)
  k <- length(mechanism$levels)
  if (!law_gives(law, "inverse")) return(NULL)
  vapply(
    seq_len(reports),
    function(y) {
      law_unbiased(
        law, new_evidence(law, as.double(seq_len(reports) == y), 1, 1, k, mechanism)
      )
    },
    numeric(k)
  )
}

estimate_columns <- function(fit, g, inversion, law) {
  evidence <- group_evidence(fit$tally, g, law)
  map <- fit_map(fit, g, evidence)
  if (is.null(map)) return(NULL)
  if (!is.null(map$information)) {
    return(likelihood_columns(law_matrix(law, evidence$k), map$information))
  }
  map_matrix(map, evidence$k) %*% inversion
}

map_matrix <- function(map, k) {
  map$jacobian %||% (map$alpha * (diag(as.double(map$support), k) -
    outer(map$u, as.double(map$support))))
}

# ---- the variance of the design ----

# The covariance matrix of `fit`, which is of the weighted tally, for a design, as list(covariance,
# inversion); `inversion` holds the unbiased estimates with their variances and the range of their
# scores, for intervals.
design_covariance <- function(design, fit, data, target, total, options) {
  law <- rr_law(fit$mechanism)
  k <- length(fit$mechanism$levels)
  groups <- seq_along(fit$tally$n)
  squares <- if (target == "sample") design_weights(design)^2 else hidden_squares(design)
  noisy <- any(squares[data$row] != 0)
  variance <- function(linear, total) {
    linear_variance(design, data, linear, squares, target, data$size %||% fit$tally$n, total)
  }
  is_coded <- is.null(data$scores) && is.null(data$truth)
  inverse <- if (is_coded) inversion_columns(law, fit$mechanism)
  inversion <- unbiased_linear(design, fit, data, law, inverse)
  inversion_covariance <- if (!is.null(inversion) && !total) variance(inversion, FALSE)
  unbiased <- if (!is.null(inversion_covariance)) {
    list(
      estimate = inversion$estimate,
      variance = matrix(diag(inversion_covariance), k) + (inversion$half_labels %||% 0),
      low = inversion$low,
      high = inversion$high
    )
  }
  if (fit$estimator$unbiased) {
    return(list(
      covariance = inversion_covariance %||% variance(inversion, TRUE),
      inversion = unbiased
    ))
  }
  columns <- lapply(groups, function(g) estimate_columns(fit, g, inverse, law))
  linear <- coded_linear(
    fit, data, law, columns, inverse, matrix(fit$estimate, k),
    function(g, weighted) {
      evidence <- new_evidence(
        law,
        weighted,
        sum(weighted),
        fit$tally$effective_n[g],
        k,
        fit$mechanism
      )
      run_method(fit$estimator, evidence, options)$estimate
    }
  )
  # Replicates need no derivative, unless the randomization is to be added.
  replicates_suffice <- inherits(design, "svyrep.design") && target == "population" && !noisy
  has_jacobians <- !any(vapply(columns, is.null, NA))
  can_add_noise <- !noisy || !is.null(inversion)
  has_variance <- replicates_suffice || (has_jacobians && can_add_noise)
  cells <- length(fit$estimate)
  list(
    covariance = if (has_variance) variance(linear, total) else matrix(NA_real_, cells, cells),
    inversion = unbiased
  )
}

# The unbiased estimate as linear_variance() takes it: from labels, scores or the inverse; or NULL.
unbiased_linear <- function(design, fit, data, law, inverse) {
  if (!is.null(data$truth)) {
    labelled_linear(fit, data, design_weights(design)[data$row])
  } else if (!is.null(data$scores)) {
    scored_linear(fit, data, law)
  } else if (!is.null(inverse)) {
    inversion_linear(fit, data, law, inverse)
  }
}

# Inversion, whose estimate is linear in the reports: a column of `inverse` for each.
inversion_linear <- function(fit, data, law, inverse) {
  reported <- sweep(as.matrix(fit$tally$counts), 2, fit$tally$n, `/`)
  linear <- coded_linear(
    fit, data, law, rep(list(inverse), length(fit$tally$n)),
    inverse, inverse %*% reported, function(g, weighted) drop(inverse %*% weighted) / sum(weighted)
  )
  c(
    linear,
    list(low = apply(inverse, 1, min), high = apply(inverse, 1, max))
  )
}

# The covariance matrix of `linear`, an estimate as its variance needs it: the `estimate`, a column
# for each group; scores(g, rows), a row for each of the `rows` of group g, whose weighted mean is
# the estimate; refit(g, rows, w), the estimate with other weights of these rows; and noise(g, rows,
# squares), the sum of `squares` times the covariance of the scores given the truths. `n` are the
# sizes of the groups.
linear_variance <- function(design, data, linear, squares, target, n, total) {
  k <- nrow(linear$estimate)
  groups <- seq_along(n)
  group_rows <- lapply(groups, function(g) which(data$group == g))
  group_index <- lapply(groups, function(g) (g - 1) * k + seq_len(k))
  covariance <- matrix(0, k * length(n), k * length(n))
  if (target == "population" && inherits(design, "svyrep.design")) {
    covariance <- replicated_variance(design, data, linear, group_rows, n, total)
  } else if (target == "population") {
    scores <- matrix(0, data$rows, nrow(covariance))
    for (g in groups) {
      u <- linear$scores(g, group_rows[[g]])
      scores[data$row[group_rows[[g]]], group_index[[g]]] <- if (total) {
        u
      } else {
        (u - rep(linear$estimate[, g], each = nrow(u))) /
          n[g]
      }
    }
    covariance <- total_covariance(design, scores * design_weights(design))
  }
  for (g in if (any(squares[data$row] != 0)) groups) {
    noise <- linear$noise(
      g, group_rows[[g]], squares[data$row[group_rows[[g]]]]
    )
    covariance[group_index[[g]], group_index[[g]]] <- covariance[
      group_index[[g]], group_index[[g]]
    ] + noise / if (total) 1 else n[g]^2
  }
  covariance
}

# The linearized covariance of the sums of weighted `scores`, a row for each row of the design.
total_covariance <- function(design, scores) {
  unname(survey::svyrecvar(
    scores, design$cluster, design$strata, design$fpc, postStrata = design$postStrata
  ))
}

# The covariance matrix from the estimates that the weights of each replicate give.
replicated_variance <- function(design, data, linear, group_rows, size, total) {
  k <- nrow(linear$estimate)
  thetas <- apply(
    weights(design, "analysis")[data$row, , drop = FALSE], 2,
    function(w) {
      unlist(
        lapply(seq_along(size), function(g) {
          n <- sum(w[group_rows[[g]]])
          if (!is.finite(n) || n <= 0) return(rep(NA_real_, k))
          linear$refit(g, group_rows[[g]], w[group_rows[[g]]]) *
            if (total) n else 1
        })
      )
    }
  )
  centre <- as.vector(linear$estimate * rep(if (total) size else 1, each = k))
  replicate_covariance(design, matrix(thetas, length(centre)), centre)
}

# The covariance matrix of the estimates `centre`, from those of the replicates, a column each.
replicate_covariance <- function(design, thetas, centre, na.action = getOption("na.action")) {
  variance <- survey::svrVar(
    t(thetas), design$scale, design$rscales, na.action, mse = design$mse, coef = centre
  )
  matrix(as.vector(variance), length(centre))
}

# Inversion of a protocol, whose estimate is the mean of scores u of reports. The randomization adds
# E(u u' | truth x) - e_x e_x' a respondent; u u' - diag(u) is an unbiased estimate of it.
scored_linear <- function(fit, data, law) {
  k <- length(fit$mechanism$levels)
  # Between which numbers scores lie: as the law has it, or as the reports do.
  range <- if (law_gives(law, "support")) {
    range((0:1 - law$binomial$b) / law$binomial$a)
  } else {
    range(data$scores)
  }
  list(
    estimate = matrix(fit$estimate, k),
    low = rep(range[1], k),
    high = rep(range[2], k),
    scores = function(g, rows) data$scores[rows, , drop = FALSE],
    refit = function(g, rows, w) {
      drop(crossprod(data$scores[rows, , drop = FALSE], w)) / sum(w)
    },
    noise = function(g, rows, squares) {
      u <- data$scores[rows, , drop = FALSE]
      randomization(u, squares, diag(k), colSums(squares * u))
    }
  )
}

# Labels of some respondents (R/tally-data.R): P[x, y] are the weighted shares of the labels x of
# those who report y. All who report y have the weight W_y, those with a label V_y, and a row's
# score is
#    P[, y_i] + 1{labelled} (W_y / V_y) (e_x - P[, y_i])
# Wilson's interval has half a label more if all labels of a report agree.
labelled_linear <- function(fit, data, weights) {
  K <- length(fit$mechanism$levels)
  sums <- function(rows, w) {
    labelled_sums(data, rows, w, K, length(fit$mechanism$reports))
  }
  group_sums <- lapply(seq_along(data$size), function(g) {
    rows <- which(data$group == g)
    squares <- sums(rows, weights[rows]^2)$labels
    c(sums(rows, weights[rows]), list(squares = squares))
  })
  list(
    estimate = matrix(fit$estimate, K),
    low = rep(0, K),
    high = rep(1, K),
    scores = function(g, rows) labelled_scores(data, rows, group_sums[[g]]),
    refit = function(g, rows, w) {
      s <- sums(rows, w)
      # A report without labels in a replicate has no predictive values.
      if (any(s$reports > 0 & colSums(s$labels) == 0)) {
        return(rep(NA_real_, K))
      }
      drop(s$predictive %*% s$reports) / sum(w)
    },
    half_labels = vapply(
      group_sums,
      function(s) {
        # So many labels have the weights' worth.
        worth <- colSums(s$labels) / pmax(colSums(s$squares), 1e-300)
        half_label_variance(
          s$labels * rep(worth, each = K), s$reports / sum(s$reports)
        )
      },
      numeric(K)
    )
  )
}

# The sums of `w` in some rows: of labels by truth and report, a matrix, with its shares P in each
# report (`predictive`), and of all `reports`.
labelled_sums <- function(data, rows, w, K, L) {
  has_label <- !is.na(data$truth[rows])
  truth <- factor(data$truth[rows], seq_len(K))
  code <- factor(data$code[rows], seq_len(L))
  cells <- list(truth[has_label], code[has_label])
  labels <- unname(unclass(tapply(w[has_label], cells, sum, default = 0)))
  list(
    labels = labels,
    predictive = labels / rep(pmax(colSums(labels), 1e-300), each = K),
    reports = as.vector(tapply(w, code, sum, default = 0))
  )
}

labelled_scores <- function(data, rows, s) {
  code <- data$code[rows]
  truth <- data$truth[rows]
  predicted <- t(s$predictive)[code, , drop = FALSE]
  moved <- outer(truth, seq_len(ncol(predicted)), `==`) - predicted
  moved <- moved * (s$reports / colSums(s$labels))[code]
  predicted + replace(moved, is.na(moved), 0)
}

# An estimate from reports that are categories. Their scores are columns of J, and the code of a
# report picks one. `columns` has a matrix J for each group; `estimator` takes a group and its
# counts.
coded_linear <- function(fit, data, law, columns, inverse, estimate, estimator) {
  C <- law_matrix(law, length(fit$mechanism$levels))
  centred <- function(g) {
    columns[[g]] - drop(columns[[g]] %*% group_counts(fit$tally, g)) /
      fit$tally$n[g]
  }
  sums <- function(x, rows) {
    as.vector(
      tapply(
        x, factor(data$code[rows], seq_len(ncol(C))), sum,
        default = 0
      )
    )
  }
  list(
    estimate = estimate,
    # One report alone is a vector, whose transpose is a row as well.
    scores = function(g, rows) {
      t(
        (centred(g) + estimate[, g])[, data$code[rows]]
      )
    },
    refit = function(g, rows, w) estimator(g, sums(w, rows)),
    noise = function(g, rows, squares) {
      scores <- t(centred(g))
      channel_randomization(
        array(scores, c(nrow(scores), 1, ncol(scores))),
        cbind(sums(squares, rows)), C, inverse
      )
    }
  )
}

# ---- what a finite population hides of the randomization ----

# The covariance, given the truths, of a sum of scores s of reports: that of one is E s s' - E s E
# s'. `scores` are those of the reports, and `means` are their means E s for the truths; the truths
# of a row are not known, but their indicators have unbiased estimates. `reports` and `truths` weigh
# the rows of both.
randomization <- function(scores, reports, means, truths) {
  crossprod(scores * reports, scores) - crossprod(means * truths, means)
}

# The same where any report may be scored: `scores` by report, respondent and parameter, `counts` of
# the reports that each respondent gave, a column each, `inverse` the unbiased estimates of the
# truths from reports. Exact zeros of direct questions stay zeros.
channel_randomization <- function(scores, counts, channel, inverse) {
  rows <- function(values) matrix(values, ncol = dim(scores)[3])
  randomization(
    rows(scores), as.vector(counts),
    rows(channel %*% matrix(scores, ncol(channel))), as.vector(inverse %*% counts)
  )
}

# Reports from one permanent answer share its randomization, which is only in the variance between
# clusters.
check_independent <- function(mechanisms, design, target = "population") {
  for (mechanism in mechanisms) check_nested_blocks(mechanism, design)
  is_permanent <- any(vapply(mechanisms, is_memoised, NA)) && has_clusters(design)
  is_dealt <- any(
    vapply(mechanisms, function(m) !is.null(m$codec$block), NA)
  )
  if (!is_permanent && !is_dealt) return(invisible())
  if (target == "population" && !any(hidden_squares(design) != 0)) return(invisible())
  from <- if (is_permanent) "permanent answers" else "one deck"
  why <- if (target == "sample") "With {.code target = \"sample\"}" else
    "With a finite population correction ({.arg fpc})"
  abort(c(paste(why, "reports must be randomized independently, and those from {from} are not."),
          i = if (target != "sample") "Give the design without {.arg fpc}."))
}

# The variance of a design is the variance between its primary sampling units: cards of one deck
# must not be dealt to several. Replicate weights do not say which they are.
check_nested_blocks <- function(mechanism, design) {
  block <- mechanism$codec$block
  if (is.null(block) || is.null(design$cluster) || !block %in% names(design$variables)) {
    return(invisible())
  }
  rows <- design_rows(design)
  pairs <- unique(
    data.frame(
      block = label_text(design$variables[[block]][rows]),
      unit = design$cluster[rows, 1]
    )
  )
  if (anyDuplicated(pairs$block)) {
    abort(c("Each block must lie in one primary sampling unit.",
            i = "Give the blocks as clusters: {.code svydesign(ids = ~ {block}, ...)}."))
  }
}

# For each row w^2 - Q: what the variance of the design leaves out of the square of a respondent's
# own value.
hidden_squares <- function(design) {
  w <- design_weights(design)
  if (inherits(design, "svyrep.design")) return(hidden_by_replicates(design, w))
  population <- design$fpc$popsize
  if (is.null(population)) return(numeric(length(w)))
  sampled <- as.matrix(design$fpc$sampsize) / as.matrix(population)
  if (isTRUE(getOption("survey.ultimate.cluster"))) sampled <- sampled[, 1, drop = FALSE]
  w^2 * unname(apply(sampled, 1, prod))
}

# Replicate weights do not say whether they hold a correction. Jackknives without one count w^2
# exactly, and more if they are calibrated; random replicates count w^2 on average, so that only
# less than chance allows is a correction. The survey package has no correction for other kinds.
hidden_by_replicates <- function(design, w) {
  replicates <- weights(design, "analysis")
  scales <- design$scale * rep_len(design$rscales, ncol(replicates))
  # The part of each replicate in the sum of squares; the parts add up to 1 without a correction.
  counted <- colSums((replicates - w)^2) * scales / sum(w^2)
  count <- length(counted)
  chance <- switch(
    design$type,
    JK1 = ,
    JKn = 1e-9,
    bootstrap = ,
    mrbbootstrap = ,
    other = {
      # All replicates may count the same if they are very few.
      if (count < 10) {
        Inf
      } else {
        qt(1e-4, count - 1, lower.tail = FALSE) * sd(counted) * sqrt(count)
      }
    },
    Inf
  )
  if (!isTRUE(1 - sum(counted) > chance)) {
    return(numeric(length(w)))
  }
  centre <- if (isTRUE(design$mse)) {
    w
  } else {
    rowMeans(replicates[, scales > 0, drop = FALSE])
  }
  hidden <- w^2 - unname(drop((replicates - centre)^2 %*% scales))
  replace(hidden, abs(hidden) <= 1e-9 * w^2, 0)
}

# The map of the fit's method near the data of group g, NULL where there is none.
fit_map <- function(fit, g, evidence) {
  method <- fit$estimator
  evidence$details <- fit$details[[g]]
  map <- if (!is.null(method$local_map)) {
    method$local_map(group_estimate(fit, g), evidence)
  }
  if (is.null(map)) return(if (method$unbiased) identity_map(evidence$k))
  k <- evidence$k
  is_valid <- !is.null(map$information) ||
    identical(dim(map$jacobian), c(k, k)) || (is.logical(
      map$support
    ) && length(map$support) == k && length(map$alpha) == 1L &&
      length(map$u) == k)
  if (!is_valid) {
    abort("{.field local_map} of {.val {method$name}} must return what {.fn rr_new_method} says.")
  }
  map$unbiased <- method$unbiased
  map
}
