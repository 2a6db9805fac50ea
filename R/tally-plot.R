#' Picture of a tally
#'
#' The reported shares, one bar per category, with a panel for each group. They show what was reported, not what is true; [rr_estimate()] estimates the truth.
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
  k <- length(object$mechanism$reports)
  # All groups have the same categories, at the same places.
  data <- data.frame(at = rep(seq_len(k), panels), share = tidy(object)$share,
                     panel = rep(factor(seq_len(panels)), each = k))
  levels(data$panel) <- names(object) %||% ""
  few <- k <= 40
  plot <- ggplot2::ggplot(data, ggplot2::aes(.data$at, .data$share)) +
    ggplot2::geom_col(fill = colour_reported, width = if (k <= 200) 0.8 else 1) +
    # The first category on top, as in the picture of a fit.
    (if (few) ggplot2::scale_x_reverse(breaks = seq_len(k), labels = wrap_labels(18)(object$mechanism$reports))
     else ggplot2::scale_x_continuous(labels = format_count, guide = ggplot2::guide_axis(check.overlap = TRUE))) +
    ggplot2::scale_y_continuous(labels = percent_labels, breaks = few_breaks(if (panels > 1) 2 else 5)) +
    ggplot2::labs(title = "Reported shares", subtitle = wrap_text(object$mechanism$design, 64),
                  x = if (few) NULL else "Category", y = "Share of the reports",
                  caption = wrap_text(paste0(report_words(object), ", as they were randomised."))) +
    theme_candor()
  # Bars lie down where their labels are to be read.
  across <- panel_columns(panels, if (few) k else 1)
  rows <- panel_rows(panels, across, k)
  if (few) plot <- plot + ggplot2::coord_flip() + ggplot2::theme(axis.text.y = row_text(rows))
  if (panels > 1) {
    plot <- plot + ggplot2::facet_wrap(~panel, ncol = across,
                                       labeller = ggplot2::as_labeller(wrap_labels(if (across == 4) 12 else 18)))
  }
  if (few) with_height(plot, rows) else plot
}

#' @rdname autoplot.rr_tally
#' @export
plot.rr_tally <- function(x, ...) {
  check_object(x)
  draw(x, ...)
}
