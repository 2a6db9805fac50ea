#' @rdname rr_estimates
#' @method autoplot rr_estimates
#' @rawNamespace S3method(ggplot2::autoplot,rr_estimates)
autoplot.rr_estimates <- function(object, terms = NULL, ...) {
  check_object(object)
  check_installed("ggplot2", "to draw estimates")
  data <- tidy(object, conf.int = TRUE, terms = terms)
  labels <- labels_of(object)
  if (!is.null(terms)) labels <- labels[match_rows(terms, labels, "estimates", "terms")]
  if (nrow(data) > 200) {
    abort(c("A picture of {format_count(nrow(data))} estimates would not be readable.",
            i = "Name those of interest in {.arg terms}."), "argument")
  }
  data$label <- factor(labels, rev(unique(labels)))
  # Shares are read in per cent.
  shares <- inherits(object, c("rr_margin", "rr_contrast")) || (inherits(object, "rr_survey") && !object$total)
  level <- attr(object, "conf.level") %||% object$conf.level
  ggplot2::ggplot(data, ggplot2::aes(.data$estimate, .data$label)) +
    ggplot2::geom_vline(xintercept = 0, colour = colour_line, linewidth = 0.4) +
    ggplot2::geom_segment(ggplot2::aes(x = .data$conf.low, xend = .data$conf.high, yend = .data$label),
                          colour = colour_estimate, linewidth = 0.8, alpha = 0.55, lineend = "round", na.rm = TRUE) +
    ggplot2::geom_point(colour = colour_estimate, size = if (nrow(data) > 20) 1.4 else 2.6, na.rm = TRUE) +
    row_labels(nrow(data)) +
    ggplot2::scale_x_continuous(labels = if (shares) percent_labels else format_count, breaks = few_breaks(6),
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(x = if (shares) "Share" else "Estimate", y = NULL,
                  title = wrap_text(if (inherits(object,
                                                 "rr_contrast")) "Functions of the shares" else title_of(object)[1],
                                    46),
                  caption = wrap_text(sprintf("Lines: %s%% intervals.", format(100 * level)))) +
    theme_candor() +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank(), axis.text.y = row_text(nrow(data)))
}
