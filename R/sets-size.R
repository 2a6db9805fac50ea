# Estimated sizes of sets: one row an estimate.

new_rr_set_size <- function(what, table, m, flip, conf.level, interval) {
  structure(list(what = what, table = table, elements = m, flip = flip, conf.level = conf.level, interval = interval),
            class = c("rr_set_size", "rr_estimates"))
}

#' @export
rows_of.rr_set_size <- function(x) tibble::as_tibble(x$table[setdiff(names(x$table), c("conf.low", "conf.high"))])

#' @export
bounds_of.rr_set_size <- function(x, rows, level) {
  check_made_level(level, x$conf.level)
  list(low = x$table$conf.low, high = x$table$conf.high)
}

#' @export
labels_of.rr_set_size <- function(x) size_terms(x)

#' @export
observations_of.rr_set_size <- function(x) x$elements

#' @export
covariance_of.rr_set_size <- function(x) {
  if (nrow(x$table) > 1) {
    abort(c("Estimates as sets accumulate share their reports, and their covariance is not computed.",
            i = "Estimate without {.code cumulative = TRUE}."), "argument")
  }
  x$table$std.error^2
}

size_terms <- function(x) if (nrow(x$table) > 1) paste0(x$table$term, ".", x$table$sets) else x$table$term

#' @export
title_of.rr_set_size <- function(x) {
  titles <- c(union = "Size of the union of", intersection = "Size of the intersection of",
              difference = "In the first and none of the others of", jaccard = "Jaccard index of")
  sets <- max(x$table$sets)
  c(paste0(titles[[x$what]], " ", sets, if (sets == 1) " noisy set, " else " noisy sets, ", format_count(x$elements),
           " elements"),
    paste0("  flip       ", format_flips(x$flip)))
}

#' @export
shown_of.rr_set_size <- function(x, n) x$table[c("sets", "estimate", "std.error", "conf.low", "conf.high")]

#' @rdname rr_union_size
#' @param x An estimated size.
#' @param n,digits Rows and significant digits printed.
#' @param ... Not used.
#' @export
print.rr_set_size <- function(x, n = 10, digits = 4, ...) {
  if (nrow(x$table) > 1) return(print.rr_estimates(x, n, digits))
  number <- function(v) if (x$what == "jaccard") format(v, digits = check_digits(digits)) else format_size(v)
  most <- paste("at most", number(x$table$std.error.max))
  error <- if (is.na(x$table$std.error)) paste(most, "(its unbiased square is negative)")
    else paste0(number(x$table$std.error), ", ", most)
  print_size(x, error, paste0(" interval, ", c(wald = "Wald", exact = "exact")[[x$interval]]), number)
}

# One size, a line for each of its figures.
print_size <- function(x, error, interval, number) {
  title <- title_of(x)
  writeLines(c(paste0("<", class(x)[1], "> ", title[1]), title[-1]))
  cat("  estimate   ", number(x$table$estimate), "\n  std. error ", error, "\n", sep = "")
  cat("  ", format(100 * x$conf.level), "%", interval, ": ", number(x$table$conf.low), " to ",
      number(x$table$conf.high), "\n", sep = "")
  invisible(x)
}

# One decimal is enough: standard errors are larger than a tenth of an element.
format_size <- function(x) {
  if (!is.finite(x) || abs(x) >= 1e12) return(format(x, digits = 3))
  format(round(x, 1), big.mark = ",", decimal.mark = ".", scientific = FALSE, nsmall = 1)
}

format_flips <- function(flip) {
  if (length(flip) == 1L) return(if (is.na(flip)) "different from set to set" else format(flip, digits = 4))
  paste(format(range(flip), digits = 3, trim = TRUE), collapse = " to ")
}
