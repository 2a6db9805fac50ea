# Association of questions with any number of categories, out of the cells of their joint margin.
#' @export
rr_association.rr_margin <- function(x, ...) {
  check_dots_empty(...)
  if (!is.null(x$given) || length(dim(x$estimate)) != 2L) {
    abort(c("{.arg x} must be the joint margin of two questions."), "argument")
  }
  new_rr_association(margin_association(x), NULL, x$target, x$conf.level)
}

margin_association <- function(x) {
  share <- x$estimate
  names <- names(dimnames(share))
  k <- nrow(share)
  l <- ncol(share)
  row <- rowSums(share)
  column <- colSums(share)
  valid <- all(row > 0 & row < 1) && all(column > 0 & column < 1)
  phi2 <- if (valid) sum(share^2 / outer(row, column)) - 1 else NA_real_
  v <- sqrt(pmax(phi2, 0) / (min(k, l) - 1))
  # d phi2 / d cell, then d V = d phi2 / (2 V (min - 1)).
  gradient <- if (valid) 2 * share / outer(row, column) - rowSums(share^2 / outer(row^2, column)) -
    rep(colSums(share^2 / outer(row, column^2)), each = k)
  error <- function(g) root(drop(crossprod(as.vector(g), x$covariance %*% as.vector(g))))
  table <- tibble::tibble(x = names[1], y = names[2], cramers.v = v,
                          cramers.v.error = if (valid && v > 0) error(gradient / (2 * v * (min(k, l) - 1)))
                            else NA_real_)
  if (k == 2 && l == 2) table <- tibble::as_tibble(c(table[c("x", "y")], two_by_two(share, error, x),
                                                     table[c("cramers.v", "cramers.v.error")]))
  test <- margin_test(x)
  table$statistic <- test$statistic
  table$df <- (k - 1) * (l - 1)
  table$p.value <- stats::pchisq(test$statistic, table$df, lower.tail = FALSE)
  table
}

two_by_two <- function(share, error, x) {
  row <- sum(share[2, ])
  column <- sum(share[, 2])
  covariance <- share[2, 2] - row * column
  toward <- matrix(c(0, -column, -row, 1 - row - column), 2)
  spread <- row * (1 - row) * column * (1 - column)
  s <- sqrt(max(spread, 0))
  positive <- all(share > 0)
  factor <- if (x$target == "population") x$n / (x$n - 1) else 1
  correlation <- if (spread > 0) covariance / s else NA_real_
  bend <- matrix(c(0, (1 - 2 * row) / (row * (1 - row)), (1 - 2 * column) / (column * (1 - column)), 0), 2)
  bend[2, 2] <- bend[2, 1] + bend[1, 2]
  ratio <- if (positive) share[2, 2] * share[1, 1] / (share[1, 2] * share[2, 1]) else NA_real_
  list(covariance = covariance * factor, covariance.error = error(toward) * factor, correlation = correlation,
       correlation.error = if (spread > 0) error(toward / s - correlation * bend / 2) else NA_real_,
       odds.ratio = ratio, odds.ratio.error = if (positive) ratio * error(matrix(c(1, -1, -1, 1), 2) / share)
         else NA_real_)
}

# Pearson's test of the reported table: reports are independent exactly if truths are.
margin_test <- function(x) {
  reported <- array(x$reported, lengths(x$reports %||% dimnames(x$estimate)))
  expected <- outer(rowSums(reported), colSums(reported)) / sum(reported)
  used <- expected > 0
  list(statistic = sum((reported[used] - expected[used])^2 / expected[used]))
}

#' @export
rr_association.rr_fit_product <- function(x, ...) {
  check_dots_empty(...)
  d <- length(x$mechanism$questions)
  if (d < 2L) abort(c("Association needs at least two questions.", x = "There is one."), "argument")
  if (d > 60) abort(c("{.arg x} has too many questions for all pairs.",
                      i = "Take the {.fn rr_margin} of the pair of interest."), "argument")
  pairs <- pair_index(d)
  tables <- lapply(seq_along(pairs$i), function(m) margin_association(rr_margin(x, c(pairs$i[m], pairs$j[m]))))
  columns <- unique(unlist(lapply(tables, names)))
  columns <- c(intersect(c("x", "y", "covariance", "covariance.error", "correlation", "correlation.error",
                           "odds.ratio", "odds.ratio.error"), columns),
               "cramers.v", "cramers.v.error", "statistic", "df", "p.value")
  filled <- lapply(tables, function(table) {
    table[setdiff(columns, names(table))] <- NA_real_
    table[columns]
  })
  new_rr_association(do.call(rbind, filled), x, x$target, x$conf.level)
}
