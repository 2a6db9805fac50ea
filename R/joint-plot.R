# Pictures of associations: a heat map of all pairs, or one pair with its interval.

#' @rdname rr_association
#' @method autoplot rr_association
#' @rawNamespace S3method(ggplot2::autoplot,rr_association)
autoplot.rr_association <- function(object, measure = default_measure(object$pairs), alpha = 0.05, ...) {
  check_installed("ggplot2", "to draw an association")
  measure <- check_choice(measure, "measure", names(measure_names))
  alpha <- check_number(alpha, "alpha", min = 0, max = 1)
  data <- as.data.frame(object$pairs)
  title <- paste(measure_names[[measure]], "of the true answers")
  if (nrow(data) == 1L) return(plot_pair(of_measure(object, measure), title))
  data$value <- data[[measure]]
  questions <- unique(c(data$x, data$y))
  size <- length(questions)
  few <- size <= 12
  rejected <- data[which(stats::p.adjust(data$p.value %||% rep(NA_real_, nrow(data)), "holm") < alpha), ]
  data$label <- ifelse(is.na(data$value), "NA", sub("^-(0\\.00)$", "\\1", sprintf("%.2f", data$value)))
  # Many cells are small ones.
  if (size > 6) data$label <- sub("0.", ".", data$label, fixed = TRUE)
  lowest <- if (measure == "cramers.v") 0 else -1
  # Correlations of all pictures have the same colours; a covariance of two bits is at most 1/4.
  limit <- if (measure == "covariance") min(0.25, max(0.01, abs(data$value), na.rm = TRUE)) else 1
  turned <- size > 6 || max(nchar(questions)) * size > 24
  # The matrix is symmetric: the lower triangle is enough.
  ggplot2::ggplot(data, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::geom_tile(ggplot2::aes(fill = pmax(lowest * limit, pmin(limit, .data$value))),
                       colour = if (few) "white" else NA, linewidth = 0.8) +
    (if (few) ggplot2::geom_text(ggplot2::aes(label = .data$label, colour = abs(.data$value) > 0.55 * limit),
                                 size = min(3.4, 25 / size), show.legend = FALSE)) +
    (if (few) ggplot2::geom_tile(data = rejected, fill = NA, colour = "grey10", linewidth = 0.7, width = 0.94,
                                 height = 0.94)
     else ggplot2::geom_point(data = rejected, size = max(0.25, 12 / size), colour = "grey10")) +
    scale_correlation(limit, lowest) +
    ggplot2::scale_colour_manual(values = c("FALSE" = "grey15", "TRUE" = "white")) +
    ggplot2::scale_x_discrete(drop = FALSE, limits = questions[-size]) +
    ggplot2::scale_y_discrete(drop = FALSE, limits = rev(questions[-1])) +
    ggplot2::coord_fixed() +
    ggplot2::labs(x = NULL, y = NULL, title = title, subtitle = if (nrow(rejected)) {
      wrap_text(sprintf("%s: not independent at %s%% (Holm, %s pairs)", if (few) "Outlined" else "Dots",
                        format(100 * alpha), format_count(nrow(data))), 64)
    }) +
    theme_candor("right") +
    ggplot2::theme(panel.grid = ggplot2::element_blank(), legend.justification = "center",
                   axis.text.x = ggplot2::element_text(angle = if (turned) 90 else 0,
                                                       hjust = if (turned) 1 else 0.5, vjust = 0.5),
                   axis.text = ggplot2::element_text(size = ggplot2::rel(max(4.5, min(9.5, 150 / size)) / 12))) +
    # An element for both axes would not override their own.
    (if (size > 60) ggplot2::theme(axis.text.x = ggplot2::element_blank(), axis.text.y = ggplot2::element_blank()))
}

measure_names <- c(correlation = "Correlation", covariance = "Covariance", cramers.v = "Cramer's V")

# A heat map of one cell would show less than its number does.
plot_pair <- function(object, title) {
  data <- as.data.frame(tidy(object, conf.int = TRUE))
  data$label <- factor(paste(data$x, data$y, sep = ", "))
  data$panel <- factor("")
  data$kind <- "number"
  p <- object$pairs[["p.value"]]
  caption <- if (is.na(data$conf.low)) "No interval is known."
    else sprintf("Line: %s%% interval.", format(100 * object$conf.level))
  if (isTRUE(p >= 0)) {
    caption <- sprintf("%s Test of independence: p %s.", caption,
                       if (p < 0.001) "< 0.001" else paste("=", format(p, digits = 2)))
  }
  draw_intervals(data, title, caption, measure_names[[object$measure]])
}
