# Associations straight from the respondents: randomized columns with each other and with numbers that were seen.

#' @rdname rr_association
#' @section A randomized variable and a number:
#' For a data frame of reports and numbers every pair of columns has its covariance and correlation; for randomized columns these are about the *truths*. A report is
#' replaced by its unbiased score \eqn{u}, the entry of its row of \eqn{C^{-1}} (where it supports several categories \eqn{(s - q) / (p - q)} with \eqn{s} 1 for a category that it
#' supports, else 0, see [rr_law()]; for other protocols see the scores of [rr_cooccurrence()]); with a number \eqn{z} that is
#' \eqn{\hat\rho = (\overline{uz} - \bar u \bar z) / \sqrt{\bar u (1 - \bar u) s_z^2}}{(mean(u z) - mean(u) mean(z)) / sqrt(mean(u) (1 - mean(u)) var(z))}, the estimate of Fox and
#' Tracy. Standard errors are by linearisation (the empirical variance of its influence), the test is of independence, by the correlation of the
#' scores, which needs no linearisation. A randomized question of more than two categories has a row for each of them against the rest, named `question=category`.
#' @param mechanisms For a data frame: a list of mechanisms, named by the randomized columns; all other columns must be numbers.
#' @param weights One number per row, at least 0, or `NULL`.
#' @param na.rm Drop rows with missing values?
#' @export
rr_association.data.frame <- function(x, mechanisms, ..., weights = NULL, na.rm = FALSE) {
  check_dots_empty(...)
  check_flag(na.rm, "na.rm")
  if (!is.list(mechanisms) || is.null(names(mechanisms)) || !all(names(mechanisms) %in% names(x))) {
    abort(c("{.arg mechanisms} must be a list of mechanisms, named by columns of {.arg x}.",
            x = "It is {describe(mechanisms)}."), "argument")
  }
  w <- check_weights(weights, nrow(x)) %||% rep(1, nrow(x))
  gone <- which(Reduce(`|`, lapply(x, absent_reports)))
  if (length(gone) && !na.rm) {
    abort(c("{.arg x} must not have missing values.", x = "Row {gone[1]} has one.",
            i = "Use {.code na.rm = TRUE} to drop such rows."), "missing")
  }
  if (length(gone)) {
    x <- x[-gone, , drop = FALSE]
    w <- w[-gone]
  }
  if (sum(w) <= 0 || nrow(x) < 2L) abort("{.arg x} must hold at least two rows.", "empty")
  scores <- lapply(names(x), function(name) association_scores(x[[name]], name, mechanisms[[name]]))
  columns <- unlist(lapply(scores, function(part) colnames(part$u)))
  if (length(columns) < 2L) abort("Association needs at least two columns.", "argument")
  of <- rep(seq_along(scores), vapply(scores, function(part) ncol(part$u), 0L))
  randomized <- vapply(scores, `[[`, NA, "randomized")[of]
  table <- score_associations(do.call(cbind, lapply(scores, `[[`, "u")), of, randomized, w / sum(w), columns)
  new_rr_association(table, NULL, "population", 0.95, nrow(x))
}

# A column as unbiased scores of the truth's indicators.
association_scores <- function(x, name, mechanism) {
  if (is.null(mechanism)) {
    if (is.logical(x)) x <- as.integer(x)
    if (!is.numeric(x) || is.object(x) || !all(is.finite(x))) {
      abort(c("Columns without a mechanism must be finite numbers.", x = "{.val {name}} is {describe(x)}."), "argument")
    }
    return(list(u = matrix(as.double(x), dimnames = list(NULL, name)), randomized = FALSE))
  }
  check_mechanism(mechanism, name)
  u <- score_reader(mechanism, name)(x)
  if (is_yes_no(mechanism)) u <- u[, 2, drop = FALSE]
  colnames(u) <- if (ncol(u) == 1L) name else paste(name, mechanism$levels, sep = "=")
  list(u = u, randomized = TRUE)
}

# All pairs of columns of different questions. `w` adds up to 1.
score_associations <- function(u, of, randomized, w, columns) {
  mean <- colSums(u * w)
  centred <- u - rep(mean, each = nrow(u))
  spread <- colSums(centred^2 * w)
  variance <- ifelse(randomized, mean * (1 - mean), spread)
  # What each respondent adds to the variance of a truth, or of a number.
  own <- centred^2 - rep(spread, each = nrow(u))
  own[, randomized] <- rep((1 - 2 * mean)[randomized], each = nrow(u)) * centred[, randomized]
  pairs <- pair_index(ncol(u))
  keep <- of[pairs$i] != of[pairs$j]
  i <- pairs$i[keep]
  j <- pairs$j[keep]
  effective <- 1 / sum(w^2)
  rows <- lapply(seq_along(i), function(k) {
    product <- centred[, i[k]] * centred[, j[k]]
    covariance <- sum(w * product)
    vi <- variance[i[k]]
    vj <- variance[j[k]]
    usable <- vi > 0 && vj > 0
    rho <- if (usable) covariance / sqrt(vi * vj) else NA_real_
    slope <- product - covariance
    influence <- if (usable) slope / sqrt(vi * vj) - rho / 2 * (own[, i[k]] / vi + own[, j[k]] / vj) else NA_real_
    both <- spread[i[k]] * spread[j[k]]
    test <- if (both > 0) effective * covariance^2 / both else NA_real_
    c(covariance * effective / (effective - 1), sqrt(sum(w^2 * slope^2)) * effective / (effective - 1), rho,
      sqrt(sum(w^2 * influence^2)), test)
  })
  values <- matrix(unlist(rows), ncol = 5, byrow = TRUE)
  tibble::tibble(x = columns[i], y = columns[j], covariance = values[, 1], covariance.error = values[, 2],
                 correlation = values[, 3], correlation.error = values[, 4], statistic = values[, 5], df = 1,
                 p.value = stats::pchisq(values[, 5], 1, lower.tail = FALSE))
}
