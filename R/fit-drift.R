# Two validation studies may be of one channel. This file tests it, and has the covariance of
# estimates of the same reports that are read with each.

#' @rdname rr_compare
#' @export
anova.rr_mechanism <- function(object, ...) {
  mechanisms <- list(object, ...)
  is_study <- vapply(mechanisms, function(m) inherits(m, "rr_mechanism") && is_validated(m), NA)
  if (!all(is_study) || length(mechanisms) < 2L) {
    abort(c(
      "{.fn anova} of mechanisms needs two or more with the counts of a validation study.",
      i = "They are those of {.code rr_misclassification(table = )}."
    ))
  }
  labels <- unique(lapply(unname(mechanisms), `[`, c("levels", "reports")))
  if (length(labels) > 1L) {
    abort("The studies must have the same truths and reports, in the same order.", "mismatch")
  }
  tests <- homogeneity_tests(lapply(seq_along(object$levels), function(x) {
    do.call(rbind, lapply(mechanisms, function(m) m$validation[x, ]))
  }))
  structure(
    data.frame(tests, row.names = make.unique(c(object$levels, "all")), check.names = FALSE),
    heading = c(
      sprintf("Are the tables of %d validation studies one channel?\n", length(mechanisms)),
      "Reports of the people of each truth, and of all\n"
    ),
    class = c("anova", "data.frame")
  )
}

# The columns of the tests that the rows of each table, a study each, have the same distribution:
# one row for each table, and one for all. If fewer than five people are expected in some cell, the
# p-values are those of tables with the same sums.
homogeneity_tests <- function(tables) {
  tables <- lapply(tables, function(table) {
    table[, colSums(table) > 0, drop = FALSE]
  })
  expected <- lapply(tables, function(table) {
    outer(rowSums(table), colSums(table)) / sum(table)
  })
  with_sum <- function(values) c(values, sum(values))
  chisq <- with_sum(mapply(pearson_chisq, tables, expected))
  table_df <- function(table) prod(dim(table) - 1)
  df <- with_sum(vapply(tables, table_df, 0))
  p_value <- pchisq(chisq, df, lower.tail = FALSE)
  if (min(unlist(expected)) < 5) p_value <- redistribution_p_values(tables, expected, chisq)
  list(
    Df = df,
    Deviance = with_sum(mapply(likelihood_ratio, tables, expected)),
    Chisq = chisq,
    `Pr(>Chisq)` = replace(p_value, df == 0, NA_real_)
  )
}

pearson_chisq <- function(counts, expected) sum((counts - expected)^2 / expected)

likelihood_ratio <- function(counts, expected) {
  2 * sum(ifelse(counts > 0, counts * log(counts / expected), 0))
}

# The p-values of each table and of all by 9,999 random tables with the same sums.
redistribution_p_values <- function(tables, expected, chisq) {
  if (any(unlist(tables) %% 1 != 0)) {
    abort("The tables must hold whole numbers of people: too few for the chi-squared distribution.")
  }
  draws <- Map(function(table, expected) {
    vapply(
      r2dtable(9999, rowSums(table), colSums(table)), pearson_chisq, 0, expected
    )
  }, tables, expected)
  draws <- c(draws, list(Reduce(`+`, draws)))
  # Equal tables differ by roundings.
  count_larger <- function(draws, limit) sum(draws >= limit)
  n_larger <- mapply(count_larger, draws, chisq * (1 - 1e-9))
  (1 + n_larger) / 1e4
}

# The covariance of estimates of the same reports by different mechanisms, a block for each pair.
# It is A cov(reports) B', where A and B are left inverses of their channels.
paired_covariance <- function(fits) {
  check_paired(fits)
  evidence <- lapply(fits, function(fit) group_evidence(fit$tally, 1L))
  phi <- evidence[[1]]$counts / evidence[[1]]$n
  n <- evidence[[1]]$n - isTRUE(fits[[1]]$estimator$unbiased)
  inverses <- do.call(rbind, lapply(fits, function(fit) {
    axis <- list(matrix = t(unname(rr_matrix(fit$mechanism))))
    t(left_inverse(axis)$matrix)
  }))
  estimates <- unlist(lapply(fits, group_estimate, 1L))
  if (max(abs(inverses %*% phi - estimates)) > 1e-6) {
    abort("{.arg paired} fits must be by inversion, or inside the possible shares.")
  }
  inverses %*% (diag(phi) - tcrossprod(phi)) %*% t(inverses) / n
}

check_paired <- function(fits) {
  is_population <- vapply(fits, function(fit) {
    inherits(fit, "rr_fit") && fit$target == "population" && is.null(fit$plan)
  }, NA)
  methods <- unique(lapply(unname(fits), `[[`, "method"))
  if (length(methods) > 1L || !all(is_population)) {
    abort("{.arg paired} fits must be of one method, without design, for the population.")
  }
  counts <- unique(lapply(unname(fits), function(fit) {
    list(fit$tally$counts, fit$tally$effective_n, fit$mechanism$reports)
  }))
  if (length(counts) > 1L) {
    abort("{.arg paired} fits must be of the same counts of reports.", "mismatch")
  }
  alike <- combn(unname(fits), 2L, function(pair) {
    same_mechanism(pair[[1]]$mechanism, pair[[2]]$mechanism)
  })
  if (any(alike)) abort("{.arg paired} fits must be of different mechanisms.")
}
