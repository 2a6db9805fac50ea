# The counts of the row types from joint counts of all orders.
row_types <- function(x, arg) {
  d <- length(x$columns)
  if (!is.null(x$design$block)) abort("Row types do not fit questions of several categories.")
  if (x$tallied < d || d > 26) {
    abort("Row types need joint counts of all orders in {.arg {arg}}.", "order")
  }
  values <- .Call(C_rr_rowtype, x$values, d, FALSE)
  if (d <= 16) {
    names(values) <- do.call(
      paste0,
      lapply(seq_len(d), function(j) {
        (seq_along(values) - 1) %/% 2^(j - 1) %% 2
      })
    )
  }
  values
}

# The joint counts of all orders from counts of the row types.
row_type_histogram <- function(values, columns, levels = NULL) {
  d <- length(columns)
  if (sum(values) <= 0) abort("The row types must add up to more than 0.", "empty")
  new_rr_histogram(
    "cooccurrence",
    columns,
    as.double(d),
    .Call(C_rr_rowtype, as.double(values), d, TRUE),
    missing = 0,
    levels = levels
  )
}

# Row-type counts and column names out of a vector or a table.
row_type_counts <- function(x, arg, whole_numbers = FALSE) {
  dims <- dim(x)
  d <- log2(length(x))
  check_that(
    is.numeric(x) && (!is.object(x) || is.table(x)) &&
      (length(dims) < 2L || all(dims == 2L)) && d %in% 1:26,
    x, arg, "joint counts, or hold one count per row type"
  )
  # A dimension labelled 1, 0 or TRUE, FALSE means what its labels say: elsewhere the second
  # category is the 1.
  index <- lapply(dimnames(x), function(labels) {
    if (identical(match_bits(labels), 2:1)) 2:1 else 1:2
  })
  if (length(dims) == d && length(index)) {
    x <- do.call(`[`, c(list(x), unname(index), drop = FALSE))
  }
  values <- as.double(x)
  bad <- values[
    !is.finite(values) | values < 0 | (whole_numbers & values != floor(values))
  ]
  if (length(bad)) {
    abort("{.arg {arg}} must hold numbers of rows: one is {format(bad[1], digits = 15)}.", "counts")
  }
  columns <- dimension_names(x, d)
  labelled <- length(dims) == d && !is.null(dimnames(x)) &&
    !any(vapply(dimnames(x), is.null, NA))
  levels <- if (labelled) setNames(unname(dimnames(x)), columns)
  list(values = values, columns = check_set_names(columns, arg), levels = levels)
}

dimension_names <- function(x, d) {
  names <- names(dimnames(x))
  if (is.null(names) || !all(nzchar(names))) {
    paste0("x", seq_len(d))
  } else {
    make.unique(names)
  }
}

# ---- the moment matrix ----

#' @section The moment matrix:
#' The expected counts are linear in the counts of the truth: \eqn{E(c) = M t + N P}. `rr_matrix()` of an object of `rr_pmdh()` or [rr_tmdh()] whose columns are yes/no questions is
#' \eqn{M}, with a row and a column for each set of columns up to its `order`, and \eqn{P} in the attribute `"constant"`.
#' \eqn{M_{JS} = \prod_{j \in S} (p_j - q_j) \prod_{j \in J \setminus S} q_j}{M[J, S] = prod of p[j] - q[j] over S times prod of q[j] over J without S}
#' if \eqn{S} is a part of \eqn{J}, and 0 if not, and \eqn{P_J = \prod_{j \in J} q_j}{P[J] = prod of q[j] over J}. The package applies it one column at a time.
#' `1 * (rr_matrix(x) != 0)` is the subset incidence matrix \eqn{K} (equation 26), 1 if \eqn{S} is a part of \eqn{J}, unless a \eqn{q_j} is 0.
#' @examples
#'
#' # How do the reports of two questions follow from the truths?
#' counts <- as.table(array(c(600, 150, 150, 100), c(2, 2)))
#' expected <- rr_pmdh(counts, rr_warner(0.8))
#' M <- rr_matrix(expected)
#' M
#' # 250 said yes to each question, and 100 to both
#' drop(M %*% c(250, 250, 100)) + 1000 * attr(M, "constant")
#' coef(expected)
#' 1 * (M != 0)   # the subset incidence matrix K
#' @rdname rr_pmdh
#' @aliases moment_matrix
#' @concept subset incidence matrix
#' @export
rr_matrix.rr_pmdh <- function(mechanism, ...) moment_matrix(mechanism)

#' @rdname rr_pmdh
#' @export
rr_matrix.rr_tmdh <- function(mechanism, ...) moment_matrix(mechanism)

moment_matrix <- function(x) {
  if (!is.null(x$counts$scores) || !is.null(x$design$block)) {
    abort("The moment matrix is of yes/no questions whose reports are counted.")
  }
  sets <- family_size(x)
  if (sets > 4096) {
    abort(
      "A moment matrix has at most 4,096 sets. This one would have {format_count(sets)}.",
      "too_large"
    )
  }
  map <- function(row) {
    .Call(
      C_rr_moments, as.double(row), length(x$columns), x$order,
      as.double(moment_weights(x$design, FALSE)), NULL, NULL
    )$values
  }
  # `none` is the image of one row of no set, and `moments` what each set adds to it.
  none <- map(seq_len(sets + 1) == 1)
  moments <- vapply(
    seq_len(sets) + 1,
    function(set) map(seq_len(sets + 1) %in% c(1, set)) - none, none
  )
  labels <- set_labels(x$columns, x$order)
  structure(
    matrix(moments[-1, ], sets, dimnames = list(labels, labels)),
    constant = setNames(none[-1], labels)
  )
}

# ---- the joint distribution ----

#' @rdname rr_tmdh
#' @order 3
#' @section Joint distribution:
#' `as.table()` turns the unbiased estimate of joint counts into a table of all combinations of answers. The default table has no negative cells, and its margins are consistent.
#'
#' * `"projection"`: the closest proper table, the Euclidean projection of the row-type shares on the distributions; never farther from the truth;
#'   biased; zeros are not evidence of absence.
#' * `"truncated"`: the mean of each cell's normal approximation above 0, rescaled to sum 1; no cell is 0.
#' * `"unbiased"`: alternating sums of the estimated counts of sets, divided by the number of rows; may have negative cells.
#'
#' Look at the unbiased estimate and its standard errors too. The maximum likelihood estimate under a product mechanism, [rr_estimate()], is the other proper choice, and its
#' `method = "invp"` gives the projection. Either table can be the `start` of `method = "ibu"`, which gains if the unbiased estimate has no negative cell. EM never changes a cell of 0: start from
#' the truncated table.
#'
#' @param x A fit of [rr_tmdh()] with all orders and at most 20 columns. `"projection"` and `"unbiased"` also accept another complete histogram, of
#'   [rr_cooccurrence()] or [rr_pmdh()].
#' @param method `"projection"` (default), `"truncated"` or `"unbiased"`, see *Joint distribution*.
#' @return `as.table()`: a `table` of shares with two categories per column and the sum 1, labelled as the table that was counted or as the levels of the mechanism. It can be given to
#'   `margin.table()`, `prop.table()` and `apply()`.
#' @references Duchi, J., Shalev-Shwartz, S., Singer, Y. and Chandra, T. (2008). Efficient projections onto the
#'   l1-ball for learning in high dimensions. *ICML*, 272-279. \doi{10.1145/1390156.1390191}
#' @concept contingency table
#' @concept projection
#' @concept row type
#' @examples
#'
#' # Two questions on unemployment benefit by Kuk's design: what is the joint
#' # distribution?
#' items <- list(item1 = c("no", "yes"), item2 = c("no", "yes"))
#' reported <- as.table(array(c(189, 52, 103, 68), c(2, 2), items))
#' fit <- rr_tmdh(rr_cooccurrence(reported), rr_kuk(0.8, 0.2))
#' as.table(fit, method = "unbiased")
#' # The unbiased estimate has a negative cell; the projection has none
#' as.table(fit)
#' @export
as.table.rr_histogram <- function(x, method = c("projection", "truncated", "unbiased"), ...) {
  method <- check_choice(method)
  share <- unname(row_types(x, "x")) / x$n
  if (method == "truncated") share <- truncated_shares(x, share)
  if (method == "projection") share <- .Call(C_rr_project, share, 1)
  as.table(array(share, rep(2L, length(x$columns)), column_levels(x)))
}

# The mean of a normal variable given that it is positive, cell by cell, rescaled to sum 1.
truncated_shares <- function(fit, share) {
  check_class(fit, "x", "rr_tmdh", "a fit of {.fn rr_tmdh}")
  # This is the sum over rows of the squared debiased indicator of each cell. It takes the entries
  # of the inverse channel, squared, one column at a time.
  x <- unname(row_types(fit$counts, "x"))
  p <- fit$design$p
  q <- fit$design$q
  for (j in seq_along(p)) {
    squares <- (matrix(
      c(
        p[j], -q[j], -(1 - p[j]),
        1 - q[j]
      ),
      2
    ) / (p[j] - q[j]))^2
    slices <- aperm(
      array(
        x, c(2^(j - 1), 2, length(x) / 2^j)
      ),
      c(2, 1, 3)
    )
    x <- as.vector(
      aperm(
        array(squares %*% matrix(slices, 2), dim(slices)),
        c(2, 1, 3)
      )
    )
  }
  error <- sqrt(
    pmax(x / fit$n - share^2, 0) /
      max(fit$n - 1, 1)
  )
  z <- ifelse(error > 0, share / error, Inf)
  above <- ifelse(
    is.finite(z),
    share +
      error * exp(dnorm(z, log = TRUE) - pnorm(z, log.p = TRUE)),
    pmax(share, 0)
  )
  above / sum(above)
}
