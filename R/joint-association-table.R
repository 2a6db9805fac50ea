# Associations as tables: of pairs, of one measure, with intervals, and the joint covariance of several.

association_measures <- c("covariance", "correlation", "odds.ratio", "cramers.v")

#' @rdname rr_association
#' @export
as.data.frame.rr_association <- function(x, ...) {
  plain_frame(x$pairs, ...)
}

#' @rdname rr_association
#' @param measure `"correlation"`, `"covariance"`, `"odds.ratio"`, `"cramers.v"`, one of their errors such as `"correlation.error"`, or `"p.value"`.
#' @export
as.matrix.rr_association <- function(x, measure = "correlation", ...) {
  measure <- check_choice(measure, "measure", setdiff(names(x$pairs), c("x", "y")))
  names <- unique(c(x$pairs$x, x$pairs$y))
  matrix <- matrix(NA_real_, length(names), length(names), dimnames = list(names, names))
  matrix[cbind(x$pairs$x, x$pairs$y)] <- matrix[cbind(x$pairs$y, x$pairs$x)] <- x$pairs[[measure]]
  if (measure %in% c("correlation", "cramers.v")) diag(matrix) <- 1
  if (measure == "correlation.error") diag(matrix) <- 0
  matrix
}

# One row for each pair and measure.
#' @export
rows_of.rr_association <- function(x) {
  pairs <- x$pairs
  tables <- lapply(intersect(association_measures, names(pairs)), function(measure) {
    list(x = pairs$x, y = pairs$y, measure = rep(measure, nrow(pairs)), estimate = pairs[[measure]],
         std.error = pairs[[paste0(measure, ".error")]])
  })
  columns <- c("x", "y", "measure", "estimate", "std.error")
  tibble::as_tibble(stats::setNames(lapply(columns, function(column) unlist(lapply(tables, `[[`, column))), columns))
}

# Those of correlations are Fisher's, those of odds ratios are symmetric on the logarithm.
#' @export
bounds_of.rr_association <- function(x, rows, level) {
  z <- if (is.null(x$df)) normal_quantile(level) else stats::qt((1 - level) / 2, x$df, lower.tail = FALSE)
  list(low = association_bound(rows, -z), high = association_bound(rows, z))
}

#' @export
labels_of.rr_association <- function(x) pair_labels(x)

pair_labels <- function(x) paste(x$pairs$x, x$pairs$y, sep = ":")

#' @rdname rr_association
#' @param conf.int Add intervals? Intervals of correlations are Fisher's; those of odds ratios are symmetric on the logarithmic scale.
#' @param conf.level,level Confidence level, between 0 and 1.
#' @param n,digits Rows and significant digits printed.
#' @param terms Pairs wanted, labels such as `"a:b"` or positions; all by default.
#' @export
tidy.rr_association <- function(x, conf.int = FALSE, conf.level = x$conf.level, terms = NULL, ...) {
  labels <- pair_labels(x)
  if (!is.null(terms)) x$pairs <- x$pairs[match_rows(terms, labels, "pairs", "terms"), ]
  tidy.rr_estimates(x, conf.int, conf.level)
}

#' @rdname rr_association
#' @export
coef.rr_association <- function(object, measure = default_measure(object$pairs), ...) {
  measure <- check_choice(measure, "measure", intersect(association_measures, names(object$pairs)))
  stats::setNames(object$pairs[[measure]], pair_labels(object))
}

#' @rdname rr_association
#' @param parm Pairs, labels such as `"a:b"` or positions; all by default.
#' @export
confint.rr_association <- function(object, parm = NULL, level = object$conf.level,
                                   measure = default_measure(object$pairs), ...) {
  level <- check_level(level)
  measure <- check_choice(measure, "measure", intersect(association_measures, names(object$pairs)))
  rows <- tidy(object, conf.int = TRUE, conf.level = level)
  rows <- rows[rows$measure == measure, ]
  labels <- pair_labels(object)
  bounds_matrix(rows$conf.low, rows$conf.high, level, labels)[match_rows(parm, labels, "pairs"), , drop = FALSE]
}

association_bound <- function(table, z) {
  e <- table$estimate
  s <- table$std.error
  fisher <- table$measure == "correlation" & !is.na(e) & abs(e) < 1
  ratio <- table$measure == "odds.ratio"
  bounded <- table$measure %in% c("correlation", "cramers.v")
  least <- ifelse(table$measure == "cramers.v", 0, ifelse(bounded, -1, -Inf))
  inside <- normal_interval(e, abs(z) * s, least, ifelse(bounded, 1, Inf))
  bound <- if (z < 0) inside$low else inside$high
  bound[fisher] <- tanh(atanh(e[fisher]) + z * s[fisher] / (1 - e[fisher]^2))
  bound[ratio] <- e[ratio] * exp(z * s[ratio] / e[ratio])
  bound
}

#' @rdname rr_association
#' @param object An object of `rr_association()`.
#' @param pairs A list of pairs of columns, or labels such as `"a:b"`; all pairs by default.
#' @export
vcov.rr_association <- function(object, pairs = NULL, measure = c("correlation", "covariance"), ...) {
  measure <- check_choice(measure, "measure", c("correlation", "covariance"))
  fit <- object$fit
  if (!inherits(fit, "rr_tmdh")) {
    error <- object$pairs[[paste0(measure, ".error")]]
    if (nrow(object$pairs) == 1L && !is.null(error)) {
      return(matrix(error^2, dimnames = rep(list(pair_labels(object)), 2)))
    }
    abort(c("The joint covariance of associations is only known for a fit of {.fn rr_tmdh}.",
            i = "For other fits {.fn tidy} gives the standard error of each pair."), "argument")
  }
  pairs <- parse_sets(pairs %||% paste(object$pairs$x, object$pairs$y, sep = ":"), fit$columns, "pairs")
  if (nrow(pairs) != 2L || any(pairs < 0)) abort(c("{.arg pairs} must hold pairs of columns."), "argument")
  k <- ncol(pairs)
  if (k > 1500) abort(c("{.arg pairs} has {k} pairs: their covariance would be too large.",
                        i = "Name the pairs you need."), "argument")
  singles <- unique(as.vector(pairs))
  members <- cbind(rbind(singles, -1L), pairs)
  covariance <- histogram_block(fit, members, members, object$target, FALSE, FALSE)
  at <- rbind(match(pairs[1, ], singles), match(pairs[2, ], singles), length(singles) + seq_len(k))
  share <- set_values(fit, members) / fit$n
  gradient <- matrix(0, length(share), k)
  for (m in seq_len(k)) gradient[at[, m], m] <- pair_gradient(share[at[, m]], measure)
  labels <- member_labels(pairs, fit$columns)
  factor <- if (measure == "covariance") unbiased_factor(object$target, fit$n) else 1
  matrix(factor^2 * crossprod(gradient, covariance %*% gradient) / fit$n^2, k, dimnames = list(labels, labels))
}

#' @export
title_of.rr_association <- function(x) {
  k <- nrow(x$pairs)
  paste0(format_count(k), if (k == 1) " pair" else " pairs", " of questions; target: ", x$target)
}

# Within 80 columns: an error stands next to its measure, and covariances are left to tidy().
#' @export
shown_of.rr_association <- function(x, n) {
  keep <- intersect(c("x", "y", "correlation", "correlation.error", "odds.ratio", "cramers.v", "cramers.v.error",
                      "p.value"), names(x$pairs))
  shown <- as.data.frame(utils::head(x$pairs[keep], n))
  names(shown)[endsWith(names(shown), ".error")] <- "std.error"
  attr(shown, "total") <- nrow(x$pairs)
  shown
}

#' @rdname rr_association
#' @export
print.rr_association <- function(x, n = 10, digits = 3, ...) {
  print.rr_estimates(x, n, digits)
}
