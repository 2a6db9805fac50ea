# The association of questions with any number of categories follows from the cells of their joint
# margin. This file also has the association of many columns.
#' @export
rr_association.rr_margin <- function(x, ...) {
  check_dots_empty(...)
  check_that(
    is.null(x$given) && length(dim(x$estimate)) == 2L, x, "x", "the joint margin of two questions"
  )
  unbiased <- margin_association(unbiased_margin(x))
  new_rr_association(
    margin_association(x),
    NULL,
    x$target,
    x$conf.level,
    x$n,
    x$df,
    unbiased
  )
}

# A fit with cells at 0 takes these as known: its standard errors are too small.
unbiased_margin <- function(x) {
  possible <- (x$boundary %||% 0) > 0 && is.null(x$df) &&
    !is.null(x$tally)
  if (!possible || !law_gives(rr_law(x$tally$mechanism), "inverse")) return(x)
  rr_margin(
    estimate_quietly(x$tally, method = "inv", target = x$target),
    names(dimnames(x$estimate))
  )
}

margin_association <- function(x) {
  names <- names(dimnames(x$estimate))
  table <- as_tibble(c(
    list(x = names[1], y = names[2]),
    cramers_v(x$estimate, x$covariance)
  ))
  if (all(dim(x$estimate) == 2L)) {
    # The rows of `yes` give the shares of yes to the first question, to the second and to both.
    yes <- rbind(
      c(0, 1, 0, 1), c(0, 0, 1, 1),
      c(0, 0, 0, 1)
    )
    z <- drop(yes %*% as.vector(x$estimate))
    # The covariance of a design is by linearization, which has no such factor.
    factor <- if (is.null(x$df)) {
      unbiased_factor(x$target, x$tally$effective_n %||% x$n)
    } else {
      1
    }
    measures <- binary_measures(
      moment_estimates(z, yes %*% x$covariance %*% t(yes)), z[1],
      z[2], z[3], 1, factor
    )
    table <- as_tibble(c(
      table[c("x", "y")], measures, table[c("cramers.v", "cramers.v.error")]
    ))
  }
  sample <- x$target == "sample"
  # The margin of supports is the unbiased estimate itself. Reports of a survey design are no
  # multinomial sample: a Wald test of the interactions of the truths has the design's covariance.
  test <- if (!is.null(x$df) || (sample && !is.null(x$supports)))
    interaction_test(unname(x$estimate), x$covariance, x$n)
    else if (!is.null(x$supports)) support_test(x$supports, x$n)
    else if (sample) true_table_test(x$tally) else reported_table_test(x$tally)
  table[c("statistic", "df")] <- test
  # The F distribution is the one that survey::svychisq(statistic = "adjWald") has.
  denominator_df <- x$df - test$df + 1
  table$p.value <- if (is.null(x$df)) {
    pchisq(test$statistic, test$df, lower.tail = FALSE)
  } else if (denominator_df > 0) {
    pf(
      test$statistic * denominator_df / (x$df * test$df), test$df, denominator_df,
      lower.tail = FALSE
    )
  } else {
    NA_real_
  }
  table
}

# Cramer's V of a table of shares, with its standard error by the delta method.
cramers_v <- function(share, covariance) {
  row <- rowSums(share)
  column <- colSums(share)
  freedom <- min(dim(share)) - 1
  valid <- all(row > 0 & row < 1) && all(column > 0 & column < 1)
  phi2 <- if (valid) sum(share^2 / outer(row, column)) - 1 else NA_real_
  v <- sqrt(pmax(phi2, 0) / freedom)
  # d phi2 / d cell, then d V = d phi2 / (2 V (min - 1)).
  gradient <- as.vector(
    2 * share / outer(row, column) -
      rowSums(share^2 / outer(row^2, column)) - rep(
        colSums(share^2 / outer(row, column^2)), each = nrow(share)
      )
  ) / (2 * v * freedom)
  error <- if (valid && v > 0) {
    sqrt_or_na(sum(gradient * (covariance %*% gradient)))
  } else {
    NA_real_
  }
  list(cramers.v = v, cramers.v.error = error)
}

# Score test of independence from the reported table. The truths can move its interactions only
# within the products of what each channel lets through; the noise in all other contrasts says
# nothing about them. If every contrast gets through, as in a square channel that can be inverted,
# the statistic is Pearson's.
reported_table_test <- function(tally) {
  share <- matrix(tally$counts / tally$n, tally$mechanism$report_sizes[[1]])
  questions <- Map(
    function(question, first) {
      reports <- t(unname(rr_matrix(question)))
      list(
        first = first,
        second = diag(first, length(first)),
        contrasts = reports[, -1, drop = FALSE] - reports[, 1]
      )
    },
    unname(tally$mechanism$questions), list(rowSums(share), colSums(share))
  )
  support_test(list(questions = questions, between = share), tally$effective_n)
}

# The score test for supports, scores or categories: those of two questions are uncorrelated if the
# truths are independent. Their covariance matrices are S and T, and C is the covariance between
# them. The statistic is
#    n vec(C)' (T (x) S)^-1 vec(C)
# along the directions in which truths can move C. These are products of `contrasts` of the reports'
# means.
support_test <- function(supports, n) {
  sides <- lapply(supports$questions, function(question) {
    decomposition <- eigen(question$second - tcrossprod(question$first), symmetric = TRUE)
    used <- decomposition$values > 1e-10 * max(decomposition$values, 1e-300)
    if (!any(used)) return(NULL)
    white <- t(decomposition$vectors[, used, drop = FALSE]) /
      sqrt(decomposition$values[used])
    moved <- white %*% question$contrasts
    directions <- qr(moved, LAPACK = TRUE)
    rank <- sum(
      abs(diag(as.matrix(qr.R(directions)))) > 1e-9 * max(abs(moved))
    )
    if (rank > 0) {
      crossprod(qr.Q(directions)[, seq_len(rank), drop = FALSE], white)
    }
  })
  if (any(vapply(sides, is.null, NA))) {
    return(list(statistic = NA_real_, df = 0))
  }
  between <- supports$between -
    tcrossprod(supports$questions[[1]]$first, supports$questions[[2]]$first)
  list(
    statistic = n *
      sum((sides[[1]] %*% between %*% t(sides[[2]]))^2),
    df = as.double(nrow(sides[[1]]) * nrow(sides[[2]]))
  )
}

# Wald's test that these very respondents' table, estimated without bias, is the product of its
# margins. The table is S and its margins are r and c. The interactions, and so their changes, are
#    S - r c' = (I - r 1') S (I - 1 c')
true_table_test <- function(tally) {
  sizes <- unname(tally$mechanism$sizes)
  if (!law_gives(rr_law(tally$mechanism), "inverse")) {
    return(list(statistic = NA_real_, df = prod(sizes - 1)))
  }
  fit <- estimate_quietly(tally, method = "inv", target = "sample")
  share <- matrix(fit$estimate, sizes[1])
  interaction_test(
    share, estimate_covariance(fit$mechanism, fit, 1, seq_along(share)), tally$effective_n
  )
}

interaction_test <- function(share, covariance, n) {
  sizes <- dim(share)
  test <- list(statistic = NA_real_, df = prod(sizes - 1))
  left <- (diag(sizes[1]) - rowSums(share))[
    -1, , drop = FALSE
  ]
  right <- (diag(sizes[2]) - colSums(share))[
    -1, , drop = FALSE
  ]
  interactions <- as.vector(left %*% share %*% t(right))
  map <- kronecker(right, left)
  covariance <- map %*% covariance %*% t(map)
  factor <- tryCatch(chol(covariance), error = function(e) NULL)
  # An unbiased estimate need not be a covariance.
  if (is.null(factor) ||
      any(diag(factor)^2 <= no_noise * pmax(diag(covariance), 1 / n))) {
    return(test)
  }
  test$statistic <- sum(backsolve(factor, interactions, transpose = TRUE)^2)
  test
}

# All pairs of questions of a joint fit have their margins.
#' @export
rr_association.default <- function(x, ...) {
  check_dots_empty(...)
  d <- length(joint_questions(x))
  if (d < 2L) abort("Association needs at least two questions.")
  if (inherits(x, "rr_fit_product")) x <- one_group(x, "x")
  pairs <- pair_index(d)
  margin_associations(x, pairs$i, pairs$j)
}

# The associations of the pairs of questions `i` and `j`, by their margins.
margin_associations <- function(x, i, j) {
  margins <- lapply(seq_along(i), function(m) {
    rr_margin(x, c(i[m], j[m]))
  })
  new_rr_association(bind_pairs(margins), x, x$target, x$conf.level, df = x$df,
                     unbiased = bind_pairs(lapply(margins, unbiased_margin)))
}

bind_pairs <- function(margins) {
  tables <- lapply(margins, margin_association)
  # Odds ratios and the like are of yes/no questions only.
  all <- c(
    "x", "y", inner_columns,
    paste0(rep(association_measures, each = 2), c("", ".error")), "statistic", "df", "p.value"
  )
  columns <- intersect(all, unlist(lapply(tables, names)))
  filled <- lapply(tables, function(table) {
    table[setdiff(columns, names(table))] <- NA_real_
    table[columns]
  })
  do.call(rbind, filled)
}

# The pairs of columns of 0 and 1 are computed at once. Pairs of columns counted in scores have
# their margins.
#' @export
rr_association.rr_tmdh <- function(x, ...) {
  check_dots_empty(...)
  check_pairs(x)
  block <- x$design$block
  pairs <- pair_index(length(x$columns))
  possible <- if (is.null(block)) {
    TRUE
  } else {
    block[pairs$i] < 0 | block[pairs$i] != block[pairs$j]
  }
  if (!any(possible)) abort("Association needs at least two questions.")
  if (!is.null(x$counts$scores)) {
    return(margin_associations(x, pairs$i[possible], pairs$j[possible]))
  }
  estimates <- pair_estimates(x, x$target, FALSE)
  table <- column_pairs(x, estimates, x$values, unbiased_factor(x$target, x$n))
  if (x$target == "population") {
    table$statistic <- pearson_statistics(x$counts, pairs)
    table$df <- as.double(!is.na(table$statistic))
  } else {
    # A covariance without noise, or with a negative estimate of its variance, has no test.
    variance <- ifelse(
      estimates$covariance.variance > no_noise / x$n, estimates$covariance.variance, NA_real_
    )
    table[c("statistic", "df")] <- list(estimates$covariance^2 / variance, 1)
  }
  table$p.value <- pchisq(table$statistic, 1, lower.tail = FALSE)
  new_rr_association(table[possible, ], x, x$target, x$conf.level)
}

# N times the squared correlation of the reports: they are independent if the truths are.
pearson_statistics <- function(counts, pairs) {
  share <- counts$values / counts$n
  mean <- share[1 + seq_along(counts$columns)]
  variance <- (mean - mean^2)[pairs$i] *
    (mean - mean^2)[pairs$j]
  change <- share[1 + length(mean) + seq_along(pairs$i)] -
    mean[pairs$i] * mean[pairs$j]
  ifelse(variance > 0, counts$n * change^2 / variance, NA_real_)
}
