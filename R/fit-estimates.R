#' What all estimates have in common
#'
#' Fits, margins, joint counts, associations, sizes of sets, incidences and contrasts have the same methods, by R's own
#' conventions. The page of each class describes only its further methods.
#'
#' * `tidy()`: a tibble with one row per estimate, `estimate` and `std.error`, and with `conf.int = TRUE` `conf.low` and `conf.high`.
#'   `as.data.frame()` gives the same with intervals, as a plain data frame.
#' * `glance()`: one row: `target`, `nobs`, `estimates` (their number), `conf.level`; of a mean `unlikely`. Fits have more, see [glance()][tidy.rr_fit].
#' * `coef()`, `vcov()`, `confint()`: with the same names in all three, so that functions of other packages that take a model work: `lmtest::coeftest()`,
#'   `car::deltaMethod()`, `multcomp::glht()`, `modelsummary::modelsummary()`. Rows of several groups have the group in their name, `"North, yes"`.
#' * `nobs()`: the number of respondents (or the sum of weights), rows or elements; for [rr_any()] the bits of an
#'   element, for [rr_set_size()] of sketches the sketches.
#' * `print()`: `n` rows; `format()`: one line; `summary()`: a list of `estimates` and `measures`, what `tidy()` and `glance()` give.
#' * In R Markdown and Quarto an estimate, or a tally, at the end of a chunk becomes a table of 25 rows at most, with what `print()` says as text around it
#'   (`knitr::knit_print()`); `render = knitr::normal_print` among the options of the chunk shows what the console shows.
#' * `plot()`: the picture of `ggplot2::autoplot()`, where the class has one.
#'
#' `[`, `c()` and `subset()` refuse estimates, since parts of an estimate are not an estimate. Filter the rows of `tidy()`
#' instead. `[` and `subset()` take groups of a fit of several groups, see [groups].
#'
#' These are generics of R and of other packages, whose callers may pass arguments that are meant for other classes. The methods ignore arguments that they do not
#' know. (The `rr_*()` functions refuse them.)
#'
#' @param x,object Estimates.
#' @param conf.int Add the columns `conf.low` and `conf.high`?
#' @param conf.level,level Confidence level, between 0 and 1; by default the one of the estimates.
#' @param terms Rows wanted: labels or positions; all by default.
#' @param parm Labels or positions of estimates; all by default.
#' @param n Number of rows printed, at least 0.
#' @param digits Significant digits printed, from 1 to 22.
#' @param ... Not used. `as.data.frame()` takes `row.names` and `stringsAsFactors`; `plot()` passes on to `ggplot2::autoplot()`.
#' @return As listed above; `print()` the estimates themselves and `plot()` the ggplot it drew, invisibly.
#' @section Errors:
#' `candor_error_level` for a `parm` or `terms` that is not an estimate, `candor_error_argument` for other arguments and for what cannot be
#' done with estimates.
#' @source The columns are named as the package 'generics' and broom ask for. Estimates and errors are those of the pages of each class.
#' @name rr_estimates
#' @examples
#' reports <- cbind(a = c(1, 0, 1, 1, 0, 0, 1, 0), b = c(1, 0, 0, 1, 0, 1, 1, 0))
#' size <- rr_set_size(reports, flip = 0.1)
#' tidy(size, conf.int = TRUE)
#' glance(size)
#' confint(size)
NULL

# The generics that each class of estimates has a method for. rows_of(): its table without intervals; bounds_of():
# list(low, high) for its rows; labels_of(): their names in coef(), vcov() and confint(); covariance_of(): the matrix,
# without names; observations_of(): the value of nobs(); title_of(): what print() says above the table, its first line
# without the class; shown_of(): the table that print() shows the first `n` rows of, with an attribute `total` if it has
# no more than these; notes_of(): lines below it.
rows_of <- function(x) UseMethod("rows_of")
bounds_of <- function(x, rows, level) UseMethod("bounds_of")
labels_of <- function(x) UseMethod("labels_of")
covariance_of <- function(x) UseMethod("covariance_of")
observations_of <- function(x) UseMethod("observations_of")
title_of <- function(x) UseMethod("title_of")
shown_of <- function(x, n) UseMethod("shown_of")
notes_of <- function(x, shown) UseMethod("notes_of")

labels_of.rr_estimates <- function(x) rows_of(x)$term

covariance_of.rr_estimates <- function(x) x$covariance

observations_of.rr_estimates <- function(x) x$n

bounds_of.rr_estimates <- function(x, rows, level) {
  half <- normal_quantile(level) * rows$std.error
  list(low = rows$estimate - half, high = rows$estimate + half)
}

shown_of.rr_estimates <- function(x, n) tidy(x, conf.int = TRUE)

notes_of.rr_estimates <- function(x, shown) NULL

#' @rdname rr_estimates
#' @export
tidy.rr_estimates <- function(x, conf.int = FALSE, conf.level = x$conf.level, terms = NULL, ...) {
  check_flag(conf.int, "conf.int")
  rows <- rows_of(x)
  if (conf.int) {
    bounds <- bounds_of(x, rows, check_level(conf.level))
    rows$conf.low <- bounds$low
    rows$conf.high <- bounds$high
  }
  if (is.null(terms)) rows else rows[match_rows(terms, labels_of(x), "estimates", "terms"), ]
}

#' @rdname rr_estimates
#' @export
glance.rr_estimates <- function(x, ...) {
  tibble::tibble(target = x$target %||% NA_character_, nobs = nobs(x), estimates = length(labels_of(x)),
                 conf.level = x$conf.level %||% NA_real_, unlikely = unclass(x)$unlikely)
}

#' @rdname rr_estimates
#' @export
coef.rr_estimates <- function(object, ...) {
  stats::setNames(rows_of(object)$estimate, labels_of(object))
}

#' @rdname rr_estimates
#' @export
vcov.rr_estimates <- function(object, ...) {
  labels <- labels_of(object)
  matrix(covariance_of(object), length(labels), dimnames = list(labels, labels))
}

#' @rdname rr_estimates
#' @export
confint.rr_estimates <- function(object, parm = NULL, level = object$conf.level, ...) {
  level <- check_level(level)
  rows <- tidy(object, conf.int = TRUE, conf.level = level)
  labels <- labels_of(object)
  bounds_matrix(rows$conf.low, rows$conf.high, level, labels)[match_rows(parm, labels, "estimates"), , drop = FALSE]
}

#' @rdname rr_estimates
#' @export
nobs.rr_estimates <- function(object, ...) {
  observations_of(object)
}

#' @rdname rr_estimates
#' @export
as.data.frame.rr_estimates <- function(x, ...) {
  plain_frame(tidy(x, conf.int = TRUE), ...)
}

#' @rdname rr_estimates
#' @export
format.rr_estimates <- function(x, ...) {
  paste0("<", class(x)[1], "> ", title_of(x)[1])
}

#' @rdname rr_estimates
#' @export
print.rr_estimates <- function(x, n = 10, digits = 4, ...) {
  n <- check_number(n, "n", min = 0)
  digits <- check_digits(digits)
  title <- title_of(x)
  writeLines(c(paste0("<", class(x)[1], "> ", title[1]), title[-1]))
  shown <- shown_of(x, n)
  print_rows(shown, n, digits, attr(shown, "total") %||% nrow(shown))
  notes <- notes_of(x, shown)
  if (length(notes)) writeLines(notes)
  invisible(x)
}

# In R Markdown a table; `render = knitr::normal_print` as the option of a chunk prints as in the console.
#' @exportS3Method knitr::knit_print
knit_print.rr_estimates <- function(x, ...) {
  shown <- shown_of(x, 25)
  table <- utils::head(shown, 25)
  title <- title_of(x)
  knit_result(x, title, table, attr(shown, "total") %||% nrow(shown), notes_of(x, table))
}

#' @rdname rr_estimates
#' @export
summary.rr_estimates <- function(object, ...) {
  structure(list(object = object, estimates = tidy(object, conf.int = TRUE), measures = glance(object)),
            class = "summary.rr_estimates")
}

#' @export
print.summary.rr_estimates <- function(x, digits = 4, ...) {
  print(x$object, n = 25, digits = digits)
  measures <- x$measures
  cat("\n  ", format_count(measures$estimates), if (measures$estimates == 1) " estimate" else " estimates", " from ",
      format_count(measures$nobs), " observations", "\n", sep = "")
  invisible(x)
}

#' @rdname rr_estimates
#' @export
plot.rr_estimates <- function(x, ...) {
  draw(x, ...)
}

# A level other than that of intervals that were made with the estimate and cannot be made again.
check_made_level <- function(level, made) {
  if (isTRUE(all.equal(level, made, tolerance = 1e-12))) return(invisible())
  abort(c("The interval was made at level {made}.", x = "The level asked for is {format(level, digits = 15)}.",
          i = "Estimate again with another {.arg conf.level}."), "argument")
}

# What needs a likelihood.
refuse_survey <- function(what, remedy) {
  abort(c("An estimate of a survey design has no {what}.",
          x = "Its respondents were not drawn independently: there is no likelihood of their reports.",
          i = remedy), "argument")
}
