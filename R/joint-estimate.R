#' A proper joint distribution from an unbiased estimate
#'
#' The unbiased joint estimate may have negative cells, which no table of people has. `rr_joint()` returns a
#' proper table without negative cells. All its margins are consistent, because they are margins of one table.
#'
#' * `"projection"`: the closest proper table, the Euclidean projection of the estimated row-type shares on the distributions. It
#'   never increases the squared distance to the truth, but it is biased, and its zeros are not evidence of absence.
#' * `"truncated"`: the mean of each cell's normal approximation restricted to shares above 0, rescaled to sum 1. No cell is 0.
#'
#' Look at the unbiased estimate and its standard errors too. The maximum likelihood estimate, by [rr_estimate()] under a product
#' mechanism, is the other proper choice; its `method = "invp"` gives the projection under such a mechanism. Either table can be the `start` of the iterations of [rr_estimate()]. For the certified solver a start changes little. EM
#' (`method = "ibu"`) gains much when the unbiased estimate has no negative cell, where it is the maximum already, and little
#' otherwise. EM never changes a cell of 0, so start it from the truncated table.
#'
#' @param fit A fit of [rr_tmdh()] with all orders (its counts of order \eqn{D}, the number of columns); at most 20 columns. For
#'   `"projection"` also another complete histogram.
#' @param method `"projection"` or `"truncated"`.
#' @param ... Not used, and refused.
#' @return A `table` with two categories per column, labelled as in the table that was counted or as the levels of the mechanism: the shares, at least 0, with sum 1. `margin.table()`, `prop.table()`,
#'   `apply()` and [rr_rowtype()] take it from there.
#' @section Errors:
#' `candor_error_order` when not all orders were tallied.
#' @seealso [rr_margin()] for margins of the unbiased estimate, with standard errors.
#' @source Duchi, J., Shalev-Shwartz, S., Singer, Y. and Chandra, T. (2008). Efficient projections onto the
#'   l1-ball for learning in high dimensions. *ICML*, 272-279. \doi{10.1145/1390156.1390191}
#' @examples
#' # 412 recipients of unemployment benefit, two questions by Kuk's design
#' items <- list(item1 = c("no", "yes"), item2 = c("no", "yes"))
#' reported <- as.table(array(c(189, 52, 103, 68), c(2, 2), items))
#' fit <- rr_tmdh(rr_cooccurrence(reported), rr_kuk(0.8, 0.2))
#' rr_rowtype(fit) / 412 # a negative cell
#' rr_joint(fit)
#' @export
rr_joint <- function(fit, method = c("projection", "truncated"), ...) {
  check_dots_empty(...)
  if (!inherits(fit, "rr_histogram")) {
    abort(c("{.arg fit} must be a fit of {.fn rr_tmdh} with counts of all orders.", x = "It is {describe(fit)}.",
            i = "Of a joint fit of {.fn rr_estimate} {.code method = \"invp\"} is the projection."), "argument")
  }
  method <- check_choice(method, "method", c("projection", "truncated"))
  d <- length(fit$columns)
  share <- unname(row_types(fit, "fit")) / fit$n
  if (method == "truncated") share <- truncated_shares(fit, share)
  as.table(array(if (method == "projection") .Call(C_rr_project, share, 1) else share, rep(2L, d), column_levels(fit)))
}

# Mean of a normal variable given that it is positive, cell by cell.
truncated_shares <- function(fit, share) {
  if (!inherits(fit, "rr_tmdh")) {
    abort(c("{.arg fit} must be a fit of {.fn rr_tmdh} for {.code method = \"truncated\"}."), "argument")
  }
  error <- sqrt(pmax(cell_squares(fit) / fit$n - share^2, 0) / max(fit$n - 1, 1))
  z <- ifelse(error > 0, share / error, Inf)
  above <- ifelse(is.finite(z), share + error * exp(stats::dnorm(z, log = TRUE) - stats::pnorm(z, log.p = TRUE)),
                  pmax(share, 0))
  above / sum(above)
}

# Sum over rows of the squared debiased indicator of each cell: the entries of the inverse channel, squared, one column
# at a time.
cell_squares <- function(fit) {
  x <- unname(row_types(fit$counts, "fit"))
  p <- fit$design$p
  q <- fit$design$q
  for (j in seq_along(p)) {
    squares <- (matrix(c(p[j], -q[j], -(1 - p[j]), 1 - q[j]), 2) / (p[j] - q[j]))^2
    parts <- aperm(array(x, c(2^(j - 1), 2, length(x) / 2^j)), c(2, 1, 3))
    x <- as.vector(aperm(array(squares %*% matrix(parts, 2), dim(parts)), c(2, 1, 3)))
  }
  x
}
