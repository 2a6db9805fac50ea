# Estimated sizes of sets: one row an estimate.

new_rr_set_size <- function(what, table, m, flip, conf.level, interval) {
  structure(list(what = what, table = table, elements = m, flip = flip, conf.level = conf.level, interval = interval),
            class = "rr_set_size")
}

#' @rdname rr_union_size
#' @param x,object An estimated size.
#' @param conf.int Add the columns `conf.low` and `conf.high`?
#' @param ... Not used, and refused.
#' @export
tidy.rr_set_size <- function(x, conf.int = FALSE, ...) {
  check_dots_empty(...)
  check_flag(conf.int, "conf.int")
  table <- tibble::as_tibble(x$table)
  if (conf.int) table else table[setdiff(names(table), c("conf.low", "conf.high"))]
}

#' @rdname rr_union_size
#' @export
as.data.frame.rr_set_size <- function(x, ...) plain_frame(x$table, ...)

#' @rdname rr_union_size
#' @export
coef.rr_set_size <- function(object, ...) {
  check_dots_empty(...)
  stats::setNames(object$table$estimate, size_terms(object))
}

#' @rdname rr_union_size
#' @export
vcov.rr_set_size <- function(object, ...) {
  check_dots_empty(...)
  if (nrow(object$table) > 1) {
    abort(c("Estimates as sets accumulate share their reports, and their covariance is not computed.",
            i = "Estimate without {.code cumulative = TRUE}."), "argument")
  }
  matrix(object$table$std.error^2, dimnames = list(object$what, object$what))
}

#' @rdname rr_union_size
#' @param parm,level For `confint()`: estimates by label or position (all by default), and the level, which must be that of the estimate.
#' @export
confint.rr_set_size <- function(object, parm = NULL, level = object$conf.level, ...) {
  check_dots_empty(...)
  if (!identical(as.double(level), object$conf.level)) {
    abort(c("The interval was made at level {object$conf.level}.", x = "{.arg level} is {describe(level)}.",
            i = "Estimate again with another {.arg conf.level}."), "argument")
  }
  tail <- (1 - level) / 2
  bounds <- matrix(c(object$table$conf.low, object$table$conf.high), ncol = 2,
                   dimnames = list(size_terms(object),
                                   paste(format(100 * c(tail, 1 - tail), digits = 3, trim = TRUE), "%")))
  bounds[match_rows(parm, rownames(bounds), "estimates"), , drop = FALSE]
}

size_terms <- function(x) if (nrow(x$table) > 1) paste0(x$table$term, ".", x$table$sets) else x$table$term

#' @export
print.rr_set_size <- function(x, digits = 4, ...) {
  check_dots_empty(...)
  table <- x$table
  titles <- c(union = "Size of the union of", intersection = "Size of the intersection of",
              difference = "In the first and none of the others of", jaccard = "Jaccard index of")
  sets <- max(table$sets)
  cat("<rr_set_size> ", titles[[x$what]], " ", sets, if (sets == 1) " noisy set, " else " noisy sets, ",
      format_count(x$elements), " elements\n", sep = "")
  cat("  flip       ", format_flips(x$flip), "\n", sep = "")
  if (nrow(table) > 1) {
    print(table[c("sets", "estimate", "std.error", "conf.low", "conf.high")], row.names = FALSE, digits = digits)
    return(invisible(x))
  }
  number <- function(v) if (x$what == "jaccard") format(v, digits = digits) else format_size(v)
  most <- paste("at most", number(table$std.error.max))
  error <- if (is.na(table$std.error)) paste(most, "(its unbiased square is negative)")
    else paste0(number(table$std.error), ", ", most)
  cat("  estimate   ", number(table$estimate), "\n  std. error ", error, "\n", sep = "")
  cat("  ", format(100 * x$conf.level), "% interval, ", x$interval, ": ", number(table$conf.low), " to ",
      number(table$conf.high), "\n", sep = "")
  invisible(x)
}

# One decimal: a tenth of an element is below every error worth having.
format_size <- function(x) {
  if (!is.finite(x) || abs(x) >= 1e12) return(format(x, digits = 3))
  format(round(x, 1), big.mark = ",", scientific = FALSE, nsmall = 1)
}

format_flips <- function(flip) {
  if (length(flip) == 1L) return(if (is.na(flip)) "different from set to set" else format(flip, digits = 4))
  paste(format(range(flip), digits = 3, trim = TRUE), collapse = " to ")
}

#' Picture of an estimated size as sets accumulate
#'
#' The estimate after each set with its interval: how much a further set adds, and what it costs in certainty.
#'
#' @param object,x An object of [rr_union_size()] or [rr_intersection_size()], best with `cumulative = TRUE`.
#' @param truth Optionally the true sizes, for a simulation, one number per row of the estimate: drawn as a line.
#' @param ... Not used, and refused.
#' @return A ggplot object; `plot()` draws it and returns it invisibly.
#' @section Errors:
#' `candor_error_argument` for arguments that are not known or out of range, and for a `truth` of another length; `candor_error_package` where ggplot2 is not installed.
#' @source Hehir, J. (2023), see [rr_union_size()].
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' set.seed(1)
#' seen <- matrix(runif(8000) < 0.2, 1000, 8)
#' reports <- xor(seen, runif(8000) < 0.05)
#' ggplot2::autoplot(rr_union_size(reports, flip = 0.05, cumulative = TRUE))
#' @exportS3Method ggplot2::autoplot
autoplot.rr_set_size <- function(object, truth = NULL, ...) {
  check_dots_empty(...)
  check_installed("ggplot2", "to draw an estimated size")
  data <- object$table
  titles <- c(union = "Union", intersection = "Intersection", difference = "Difference", jaccard = "Jaccard index")
  if (!is.null(truth)) {
    if (!is.numeric(truth) || length(truth) != nrow(data)) {
      abort(c("{.arg truth} must hold one size for each estimate.",
              x = "It is {describe(truth)}; there are {nrow(data)}."), "argument")
    }
    data$truth <- as.double(truth)
  }
  plot <- ggplot2::ggplot(data, ggplot2::aes(.data$sets, .data$estimate)) +
    ggplot2::geom_errorbar(ggplot2::aes(ymin = .data$conf.low, ymax = .data$conf.high), colour = "#0B4F6C",
                           width = if (nrow(data) == 1) 0.1 else 0.25)
  if (!is.null(truth)) {
    plot <- plot + ggplot2::geom_line(ggplot2::aes(y = .data$truth), colour = "grey55", linetype = "dashed")
  }
  plot <- plot + ggplot2::geom_point(colour = "#0B4F6C", size = 1.6)
  plot +
    (if (nrow(data) == 1) ggplot2::scale_x_continuous(breaks = data$sets, limits = data$sets + c(-1, 1))
     else ggplot2::scale_x_continuous(breaks = whole_breaks)) +
    ggplot2::scale_y_continuous(labels = format_count) +
    ggplot2::labs(title = paste(titles[[object$what]], "of noisy sets"), x = "Sets",
                  y = if (object$what == "jaccard") "Jaccard index" else "Elements",
                  subtitle = sprintf("%s elements, flip %s", format_count(object$elements),
                                     format_flips(object$flip)),
                  caption = sprintf("Points: %s. Bars: %s%% %s intervals.%s",
                                    if (object$what == "jaccard") "estimates" else "unbiased estimates",
                                    format(100 * object$conf.level), object$interval,
                                    if (is.null(truth)) "" else " Dashed: truth.")) +
    size_theme()
}

size_theme <- function() {
  ggplot2::theme_minimal(base_size = 12) +
    ggplot2::theme(plot.title.position = "plot", plot.caption.position = "plot",
                   panel.grid.minor = ggplot2::element_blank(),
                   plot.caption = ggplot2::element_text(hjust = 0, colour = "grey40"))
}

# Every whole number where they are few.
whole_breaks <- function(limits) {
  if (diff(limits) <= 13) seq(ceiling(limits[1]), floor(limits[2])) else unique(round(pretty(limits)))
}

#' @rdname autoplot.rr_set_size
#' @export
plot.rr_set_size <- function(x, ...) {
  picture <- on_behalf(autoplot.rr_set_size(x, ...))
  print(picture)
  invisible(picture)
}
