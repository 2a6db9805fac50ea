#' Picture of a tally
#'
#' The reported shares, one bar per category, with a panel for each group; of a yes/no question asked in several groups one bar per group, for "yes". They show what was reported, not what is true; [rr_estimate()] estimates the truth.
#'
#' @param object,x A tally of [rr_tally()] or [rr_counts()].
#' @param ... Not used.
#' @return A ggplot object, to be printed, saved or changed.
#' @section Errors:
#' `candor_error_argument` for more than 60 groups; `candor_error_package` where ggplot2 is not installed.
#' @source The shares are those of [tidy()] of a tally.
#' @name autoplot.rr_tally
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' plot(rr_counts(c(420, 330, 250), rr_grr(c("never", "once", "often"), epsilon = 1)))
#' @method autoplot rr_tally
#' @rawNamespace S3method(ggplot2::autoplot,rr_tally)
autoplot.rr_tally <- function(object, ...) {
  check_object(object)
  check_dots_near(...)
  check_installed("ggplot2", "to draw a tally")
  panels <- length(object)
  if (panels > 60) {
    abort(c("A picture of {format_count(panels)} groups would not be readable.",
            i = "Take some of them with {.code [}."), "argument")
  }
  reports <- object$mechanism$reports
  k <- length(reports)
  few <- k <= 40
  # All groups have the same categories, at the same places.
  data <- data.frame(at = rep(seq_len(k), panels), share = tidy(object)$share,
                     panel = rep(factor(seq_len(panels)), each = k))
  levels(data$panel) <- names(object) %||% ""
  data$label <- if (few) rows_factor(rep(reports, panels))
  axis <- "Share of the reports"
  if (panels > 1 && k == 2L) {
    # As in the picture of a fit: a row for each group, for "yes".
    data <- data[data$at == 2L, ]
    data$label <- rows_factor(as.character(data$panel))
    axis <- sprintf("Share of the reports \"%s\"", reports[2])
    panels <- 1L
  }
  picture <- ggplot2::ggplot(data) +
    ggplot2::labs(title = "Reported shares", subtitle = wrap_text(object$mechanism$design, 64), y = NULL,
                  caption = wrap_text(paste0(report_words(object), ", as they were randomised."))) +
    theme_candor()
  if (!few) {
    if (panels > 1) picture <- picture + row_panels(row_layout(panels, "", levels(data$panel)))
    return(picture +
      ggplot2::geom_col(ggplot2::aes(.data$at, .data$share), fill = colour_reported, width = if (k <= 200) 0.8 else 1) +
      ggplot2::scale_x_continuous(labels = format_count, guide = ggplot2::guide_axis(check.overlap = TRUE)) +
      ggplot2::scale_y_continuous(labels = percent_labels, breaks = few_breaks(if (panels > 1) 2 else 5)) +
      ggplot2::labs(x = "Category", y = axis))
  }
  # Bars lie down where their labels are to be read.
  layout <- row_layout(panels, levels(data$label), levels(data$panel))
  if (panels > 1) picture <- picture + row_panels(layout)
  with_height(picture +
    ggplot2::geom_col(ggplot2::aes(.data$share, .data$label), fill = colour_reported, width = 0.8) +
    ggplot2::scale_x_continuous(labels = percent_labels, breaks = few_breaks(if (panels > 1) 2 else 5)) +
    row_labels(layout) + row_theme(layout) + ggplot2::labs(x = axis), layout)
}

#' @rdname autoplot.rr_tally
#' @export
plot.rr_tally <- function(x, ...) {
  check_object(x)
  draw(x, ...)
}
