#' Picture of an estimated size as sets accumulate
#'
#' The estimate after each set with its interval. The picture shows how much each further set adds, and how much precision it costs.
#'
#' @param object An object of [rr_union_size()] or [rr_intersection_size()], best with `cumulative = TRUE`.
#' @param truth Optionally the true sizes, for a simulation, one number per row of the estimate: drawn as a line.
#' @param ... Not used.
#' @return A ggplot object, to be printed, saved or changed.
#' @section Errors:
#' `candor_error_argument` for arguments that are not known or out of range, and for a `truth` of another length; `candor_error_package` where ggplot2 is not installed.
#' @source Hehir, J. (2023), see [rr_union_size()].
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' set.seed(1)
#' seen <- matrix(runif(8000) < 0.2, 1000, 8)
#' reports <- xor(seen, runif(8000) < 0.05)
#' ggplot2::autoplot(rr_union_size(reports, flip = 0.05, cumulative = TRUE))
#' @method autoplot rr_set_size
#' @rawNamespace S3method(ggplot2::autoplot,rr_set_size)
autoplot.rr_set_size <- function(object, truth = NULL, ...) {
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
    ggplot2::geom_errorbar(ggplot2::aes(ymin = .data$conf.low, ymax = .data$conf.high), colour = colour_estimate,
                           width = if (nrow(data) == 1) 0.1 else 0.25)
  if (!is.null(truth)) {
    plot <- plot + ggplot2::geom_line(ggplot2::aes(y = .data$truth), colour = "grey55", linetype = "dashed")
  }
  plot <- plot + ggplot2::geom_point(colour = colour_estimate, size = 1.6)
  plot +
    (if (nrow(data) == 1) ggplot2::scale_x_continuous(breaks = data$sets, limits = data$sets + c(-1, 1))
     else ggplot2::scale_x_continuous(breaks = whole_breaks)) +
    ggplot2::scale_y_continuous(labels = format_count) +
    ggplot2::labs(title = paste(titles[[object$what]], "of noisy sets"), x = "Sets",
                  y = if (object$what == "jaccard") "Jaccard index" else "Elements",
                  subtitle = wrap_text(sprintf("%s elements, flip %s", format_count(object$elements),
                                               format_flips(object$flip)), 64),
                  caption = wrap_text(sprintf("Points: %s. Bars: %s%% %s intervals.%s",
                                              if (object$what == "jaccard") "estimates" else "unbiased estimates",
                                              format(100 * object$conf.level), c(wald = "Wald",
                                                                                 exact = "exact")[[object$interval]],
                                              if (is.null(truth)) "" else " Dashed: truth."))) +
    theme_candor()
}
