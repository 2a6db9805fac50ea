# The picture of associations is a heat map of all pairs, or one pair with its interval.

#' @rdname rr_association
#' @method autoplot rr_association
#' @rawNamespace S3method(ggplot2::autoplot,rr_association)
autoplot.rr_association <- function(
  object, measure = default_measure(object$pairs), alpha = 0.05, ...
) {
  measure <- check_choice(measure, "measure", names(measure_names))
  alpha <- check_number(alpha, "alpha", min = 0, max = 1)
  object$axis <- paste(measure_names[[measure]], "of the true answers")
  # A heat map of one cell would show less than its number does.
  if (nrow(object$pairs) == 1L) {
    return(autoplot.rr_estimates(of_measure(object, measure)) +
             ggplot2::labs(title = object$axis, x = measure_names[[measure]]))
  }
  data <- as.data.frame(object$pairs)
  data$value <- data[[measure]]
  rejected <- data[
    which(p.adjust(data$p.value %||% rep(NA_real_, nrow(data)), "holm") < alpha),
  ]
  lowest <- if (measure == "cramers.v") 0 else -1
  # Correlations of all pictures have the same colours; a covariance of two bits is at most 1/4.
  limit <- if (measure == "covariance") {
    min(0.25, max(0.01, abs(data$value), na.rm = TRUE))
  } else {
    1
  }
  heat_map(data, rejected, limit, lowest) +
    ggplot2::labs(x = NULL, y = NULL, title = object$axis,
                  subtitle = if (nrow(rejected)) {
                    sprintf("Outlined: not independent at %s%% (Holm)", format(100 * alpha))
                  })
}

# A heat map with a cell for each pair, with its number if there is room, and outlined if it is
# `rejected`.
heat_map <- function(data, rejected, limit, lowest) {
  questions <- unique(c(data$x, data$y))
  size <- length(questions)
  few <- size <= 12
  turned <- size > 6 || max(nchar(questions)) * size > 24
  # The matrix is symmetric: the lower triangle is enough.
  ggplot2::ggplot(data, ggplot2::aes(.data$x, .data$y)) + ggplot2::geom_tile(
    ggplot2::aes(fill = pmax(lowest * limit, pmin(limit, .data$value))),
    colour = "white", linewidth = if (few) 0.8 else 0
  ) + (if (few) {
      ggplot2::geom_text(
        ggplot2::aes(
          label = sprintf("%.2f", round(.data$value, 2) + 0),
          colour = abs(.data$value) > 0.55 * limit
        ),
        size = min(3.4, 25 / size), show.legend = FALSE
      )
    }) + ggplot2::geom_tile(
      data = rejected, fill = NA, colour = "grey10", linewidth = if (few) 0.7 else 0.3,
      width = 0.94, height = 0.94
    ) + ggplot2::scale_colour_manual(values = c("FALSE" = "grey15", "TRUE" = "white")) +
    scale_correlation(limit, lowest) +
    ggplot2::scale_x_discrete(drop = FALSE, limits = questions[-size]) +
    ggplot2::scale_y_discrete(drop = FALSE, limits = rev(questions[-1])) +
    ggplot2::coord_fixed() + theme_candor("right") + ggplot2::theme(
      panel.grid = ggplot2::element_blank(), legend.justification = "center",
      axis.text.x = ggplot2::element_text(
        angle = if (turned) 90 else 0, hjust = if (turned) 1 else 0.5, vjust = 0.5
      ),
      axis.text = ggplot2::element_text(
        size = ggplot2::rel(max(4.5, min(9.5, 150 / size)) / 12)
      )
    )
}

measure_names <- c(correlation = "Correlation", covariance = "Covariance", cramers.v = "Cramer's V")
