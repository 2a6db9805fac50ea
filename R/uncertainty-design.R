# Designs of the package survey: the variance of estimated shares when a probability sample was drawn, with clusters,
# strata, weights, a finite population, or replicate weights, and each answer was then randomised.
#
# An estimate is, near the data, linear in the reported shares phi of its group: theta + J (phi' - phi), with a column
# of
# J for each report. Its design-based variance is that of the weighted total of u_i = (J[, y_i] - J phi) / N, which
# survey computes; with replicate weights the estimate is made again for each.
#
# Where the population is finite, that is not all: the factor 1 - f is right for the truths, but a respondent who is
# certain to be drawn still randomises. A variance estimator that counts the square of a respondent's own value with Q_i
# in place of the w_i^2 that independent noise needs misses the sum over i of (w_i^2 - Q_i) Var(u_i | truth), and this
# is
# added. For k categories Var(e_y | x) = diag(C[x, ]) - C[x, ]' C[x, ] is linear in the indicators of the truth, so that
# it is estimated without bias from the same reports.

# Of the rows that count: `row`, the report `code`, the `group` in the tally, all without those that were dropped.
design_reports <- function(design, tally, column, by, match) {
  mechanism <- tally$mechanism
  rows <- design_rows(design)
  parts <- frame_parts(design$variables[rows, , drop = FALSE], mechanism, column, NULL, by)
  reports <- if (match == "relaxed") relax_reports(parts$reports, mechanism) else parts$reports
  code <- if (is.null(mechanism$questions)) {
    coded <- encode_reports(reports, mechanism)
    as.integer(coded$codes) - coded$first + 1L
  } else {
    encode_questions(question_frame(reports, mechanism), mechanism, TRUE) + 1L
  }
  by <- name_groups(parts$by, mechanism)
  good <- !seq_along(rows) %in% rows_without_group(by, length(rows))
  group <- rep(NA_integer_, length(rows))
  group[good] <- if (is.null(by)) 1L else make_groups(lapply(by, function(key) key[good]), sum(good))$codes
  used <- which(good & !is.na(code))
  list(row = rows[used], code = code[used], group = group[used], rows = length(design_weights(design)))
}

# The same for reports of protocols, with the `scores` of each report in place of its code. Their weighted mean is the
# unbiased estimate.
design_scores <- function(design, tally, column, by) {
  mechanism <- tally$mechanism
  k <- length(mechanism$levels)
  if (any(tally$missing > 0)) {
    abort(c("A survey design must not have missing reports of a protocol.",
            x = "{format_count(sum(tally$missing))} {?is/are} missing.",
            i = "Take the domain of those who reported: {.code subset(design, !is.na(report))}."), "missing")
  }
  rows <- design_rows(design)
  if (as.double(length(rows)) * k > 5e7) {
    abort(c("There are too many scores for a survey design.",
            x = "{format_count(length(rows))} reports have {format_count(k)} scores each; the limit is 50,000,000.",
            i = "Merge categories, or take fewer reports."), "too_large")
  }
  by <- name_groups(frame_parts(design$variables[rows, , drop = FALSE], mechanism, column, NULL, by)$by, mechanism)
  good <- which(!seq_along(rows) %in% rows_without_group(by, length(rows)))
  parts <- frame_parts(design$variables[rows[good], , drop = FALSE], mechanism, column, NULL, names(by))
  group <- if (is.null(by)) rep(1L, length(good))
    else make_groups(lapply(by, function(key) key[good]), length(good))$codes
  list(row = rows[good], group = group, rows = length(design_weights(design)),
       scores = score_reader(mechanism, "report")(rr_reports(parts$reports, mechanism)))
}

# The columns of the unbiased estimate, and of any other near these data, for each report.
inversion_columns <- function(law, mechanism) {
  reports <- length(mechanism$reports)
  k <- length(mechanism$levels)
  if (!law_gives(law, "inverse", k)) return(NULL)
  vapply(seq_len(reports), function(y) {
    law_unbiased(law, new_evidence(law, as.double(seq_len(reports) == y), 1, 1, k, mechanism))
  }, numeric(k))
}

estimate_columns <- function(fit, g, inversion, law) {
  evidence <- group_evidence(fit$tally, g, law)
  map <- fit_map(fit, g, evidence)
  if (is.null(map)) return(NULL)
  if (!is.null(map$information)) return(likelihood_columns(law_matrix(law, evidence$k), map$information))
  if (!is.null(map$jacobian)) return(map$jacobian %*% inversion)
  M <- map$alpha * (diag(as.double(map$support), evidence$k) - outer(map$u, as.double(map$support)))
  M %*% inversion
}

# How a maximum of the likelihood moves with the reported shares: the inverse information on its support, times the
# scores.
likelihood_columns <- function(C, theta) {
  on <- which(theta > 0)
  reported <- drop(theta %*% C)
  scores <- C[on, , drop = FALSE] / rep(pmax(reported, .Machine$double.xmin), each = length(on))
  columns <- matrix(0, length(theta), ncol(C))
  if (length(on) < 2L) return(columns)
  # Directions in which shares move without changing their sum.
  basis <- qr.Q(qr(cbind(1, diag(length(on))[, -1])))[, -1, drop = FALSE]
  projected <- crossprod(basis, scores)
  columns[on, ] <- basis %*% solve(projected %*% (t(projected) * reported), projected)
  columns
}

# ---- the variance of the design ----

# `columns`: a matrix J for each group; `centre`: what they are at the reported shares; `size`: the sum of weights. For
# totals the weighted sum is estimated, whose size is not known either.
linear_scores <- function(data, columns, estimate, phi, size, total) {
  k <- nrow(columns[[1]])
  scores <- matrix(0, data$rows, k * length(columns))
  for (g in seq_along(columns)) {
    own <- which(data$group == g)
    centred <- columns[[g]] - drop(columns[[g]] %*% phi[, g])
    each <- if (total) centred + estimate[, g] else centred / size[g]
    scores[data$row[own], (g - 1) * k + seq_len(k)] <- t(each[, data$code[own], drop = FALSE])
  }
  scores
}

linearised_variance <- function(design, scores) {
  unname(as.matrix(attr(survey::svytotal(scores, design), "var")))
}

# Counts of each report in each group under each replicate's weights: an array of reports, groups, replicates.
replicate_counts <- function(design, data, reports, groups) {
  weights <- stats::weights(design, "analysis")[data$row, , drop = FALSE]
  cell <- data$code + reports * (data$group - 1L)
  sums <- matrix(0, reports * groups, ncol(weights))
  found <- rowsum(weights, cell, reorder = TRUE)
  sums[as.integer(rownames(found)), ] <- found
  array(sums, c(reports, groups, ncol(weights)))
}

replicate_variance <- function(design, counts, estimator, centre, total) {
  thetas <- t(apply(counts, 3, function(one) {
    unlist(lapply(seq_len(ncol(one)), function(g) {
      size <- sum(one[, g])
      if (!is.finite(size) || size <= 0) return(rep(NA_real_, nrow(centre)))
      estimator(one[, g], size, g) * if (total) size else 1
    }))
  }))
  thetas <- matrix(thetas, dim(counts)[3])
  variance <- survey::svrVar(thetas, design$scale, design$rscales, mse = design$mse, coef = as.vector(centre))
  matrix(as.vector(variance), length(centre))
}

# ---- what a finite population hides of the randomisation ----

# For each row w^2 - Q: what the variance of the design leaves out of the square of a respondent's own value.
hidden_squares <- function(design) {
  w <- design_weights(design)
  if (inherits(design, "svyrep.design")) return(hidden_by_replicates(design, w))
  population <- design$fpc$popsize
  if (is.null(population)) return(numeric(length(w)))
  sampled <- as.matrix(design$fpc$sampsize) / as.matrix(population)
  if (isTRUE(getOption("survey.ultimate.cluster"))) sampled <- sampled[, 1, drop = FALSE]
  w^2 * unname(apply(sampled, 1, prod))
}

# Random replicates count more and less than w^2, by chance; jackknives and balanced replicates exactly it.
hidden_by_replicates <- function(design, w) {
  replicates <- stats::weights(design, "analysis")
  centre <- if (isTRUE(design$mse)) w else rowMeans(replicates[, design$rscales > 0, drop = FALSE])
  counted <- design$scale * drop((replicates - centre)^2 %*% rep_len(design$rscales, ncol(replicates)))
  hidden <- w^2 - unname(counted)
  hidden[abs(hidden) <= 1e-9 * w^2] <- 0
  hidden
}

# The sum over respondents of `squares` times the covariance of J[, y] given the truth, for each group.
randomisation_variance <- function(data, squares, columns, inversion, C, phi, size, total) {
  k <- nrow(columns[[1]])
  covariance <- matrix(0, k * length(columns), k * length(columns))
  for (g in seq_along(columns)) {
    own <- which(data$group == g)
    sums <- numeric(ncol(C))
    found <- rowsum(squares[data$row[own]], data$code[own])
    sums[as.integer(rownames(found))] <- found
    # Exact zeros of direct questions stay zeros.
    spread <- diag(sums, ncol(C)) - crossprod(C, drop(inversion %*% sums) * C)
    at <- (g - 1) * k + seq_len(k)
    centred <- columns[[g]] - drop(columns[[g]] %*% phi[, g])
    covariance[at, at] <- centred %*% tcrossprod(spread, centred) / if (total) 1 else size[g]^2
  }
  covariance
}

# The covariance of weighted means (or totals) of scores. What independent randomisation adds is E(u u' | truth x) -
# e_x e_x' a respondent, of which u u' - diag(u) is an unbiased estimate.
scored_covariance <- function(design, fit, data, target, total) {
  k <- length(fit$mechanism$levels)
  size <- fit$tally$n
  groups <- length(size)
  estimate <- matrix(fit$estimate, k)
  squares <- if (target == "sample") design_weights(design)^2 else hidden_squares(design)
  variance <- function(total) {
    spread <- matrix(0, data$rows, k * groups)
    noise <- matrix(0, k * groups, k * groups)
    for (g in seq_len(groups)) {
      own <- which(data$group == g)
      at <- (g - 1) * k + seq_len(k)
      u <- data$scores[own, , drop = FALSE]
      spread[data$row[own], at] <- if (total) u else (u - rep(estimate[, g], each = length(own))) / size[g]
      square <- squares[data$row[own]]
      noise[at, at] <- (crossprod(u, square * u) - diag(colSums(square * u), k)) / if (total) 1 else size[g]^2
    }
    if (target == "sample") return(noise)
    drawn <- if (inherits(design, "svyrep.design")) replicated_scores(design, data, estimate, size, total)
      else linearised_variance(design, spread)
    drawn + noise
  }
  covariance <- variance(total)
  range <- score_range(rr_law(fit$mechanism), data$scores)
  plain <- if (!total) list(estimate = estimate, variance = matrix(diag(covariance), k), low = rep(range[1], k),
                            high = rep(range[2], k))
  list(covariance = covariance, inversion = plain)
}

# Between which numbers scores lie: of supports as the law has it, else as the reports do.
score_range <- function(law, scores) {
  if (inherits(law, "rr_law_support")) range(-law$q / law$difference, (1 - law$q) / law$difference) else range(scores)
}

# The weighted means of the scores again, for the weights of each replicate.
replicated_scores <- function(design, data, estimate, size, total) {
  weights <- stats::weights(design, "analysis")[data$row, , drop = FALSE]
  thetas <- do.call(cbind, lapply(seq_along(size), function(g) {
    own <- data$group == g
    sums <- crossprod(weights[own, , drop = FALSE], data$scores[own, , drop = FALSE])
    if (total) sums else sums / colSums(weights[own, , drop = FALSE])
  }))
  centre <- estimate * rep(if (total) size else 1, each = nrow(estimate))
  variance <- survey::svrVar(thetas, design$scale, design$rscales, mse = design$mse, coef = as.vector(centre))
  matrix(as.vector(variance), length(centre))
}

# The covariance matrix of the estimates of a plain fit of the weighted tally, for a design: list(covariance,
# inversion),
# `inversion` being the unbiased estimates with their variances and the range of their scores, for intervals.
design_covariance <- function(design, fit, data, target, total, options) {
  mechanism <- fit$mechanism
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  reports <- length(mechanism$reports)
  groups <- NCOL(fit$tally$counts)
  inversion <- inversion_columns(law, mechanism)
  size <- fit$tally$n
  phi <- matrix(fit$tally$counts, reports) / rep(size, each = reports)
  estimate <- matrix(fit$estimate, k)
  C <- law_matrix(law, k)
  squares <- if (target == "sample") design_weights(design)^2 else hidden_squares(design)
  variance <- function(columns, estimate, estimator, total) {
    result <- if (target == "sample") 0
      else if (inherits(design, "svyrep.design")) {
        centre <- estimate * rep(if (total) size else 1, each = k)
        replicate_variance(design, replicate_counts(design, data, reports, groups), estimator, centre, total)
      } else linearised_variance(design, linear_scores(data, columns, estimate, phi, size, total))
    if (any(squares[data$row] != 0) && !is.null(columns)) {
      if (is.null(inversion)) return(matrix(NA_real_, k * groups, k * groups))
      result <- result + randomisation_variance(data, squares, columns, inversion, C, phi, size, total)
    }
    result
  }
  plain <- if (!is.null(inversion)) {
    shares <- inversion %*% phi
    spread <- variance(rep(list(inversion), groups), shares, function(counts, n, g) drop(inversion %*% counts) / n,
                       FALSE)
    list(estimate = shares, variance = matrix(diag(spread), k), low = apply(inversion, 1, min),
         high = apply(inversion, 1, max))
  }
  if (fit$estimator$unbiased && !total) return(list(covariance = spread, inversion = plain))
  columns <- lapply(seq_len(groups), function(g) estimate_columns(fit, g, inversion, law))
  again <- function(counts, n, g) {
    if (fit$estimator$unbiased) return(drop(inversion %*% counts) / n)
    evidence <- new_evidence(law, counts, n, fit$tally$effective_n[g], k, mechanism)
    run_method(fit$estimator, evidence, options)$estimate
  }
  known <- !any(vapply(columns, is.null, NA))
  # Replicates need no derivative, unless the randomisation is to be added.
  again_is_all <- inherits(design, "svyrep.design") && target == "population" && !any(squares[data$row] != 0)
  covariance <- if (known || again_is_all) variance(if (known) columns, estimate, again, total)
    else matrix(NA_real_, k * groups, k * groups)
  list(covariance = covariance, inversion = plain)
}
