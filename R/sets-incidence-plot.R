# Pictures of how many sets hold an element.

#' @rdname rr_incidence
#' @method autoplot rr_incidence
#' @rawNamespace S3method(ggplot2::autoplot,rr_incidence)
autoplot.rr_incidence <- function(object, ...) {
  check_installed("ggplot2", "to draw an incidence")
  data <- tidy(object, conf.int = TRUE)
  panels <- c(exactly = "In exactly t sets", "at least" = "In at least t sets")
  data$type <- factor(panels[data$type], panels)
  lines <- data[!is.na(data$conf.low), ]
  ggplot2::ggplot(data, ggplot2::aes(.data$sets, .data$estimate)) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey80") +
    ggplot2::geom_errorbar(ggplot2::aes(ymin = .data$conf.low, ymax = .data$conf.high), data = lines,
                           colour = colour_estimate, width = 0.3) +
    ggplot2::geom_point(colour = colour_estimate, size = 1.6) +
    ggplot2::facet_wrap(~type) +
    ggplot2::scale_x_continuous(breaks = whole_breaks) +
    scale_y_counts() +
    ggplot2::labs(title = "How many sets hold an element", x = "t", y = "Elements",
                  subtitle = wrap_text(sprintf("%s elements, %d noisy sets, flip %s", format_count(object$elements),
                                               as.integer(object$sets), format_flips(object$flip)), 64),
                  caption = wrap_text(sprintf(
                    "Points: estimates by %s. Bars: %s%% %s intervals. Logarithmic axis through 0.",
                    if (object$method == "inv") "inversion" else "maximum likelihood", format(100 * object$conf.level),
                    if (object$method == "inv") "Wald" else "profile likelihood"
                  ))) +
    theme_candor()
}

# Counts span magnitudes and may be negative: logarithmic beyond 1 on both sides. The argument's name changed in
# ggplot2 3.5.
scale_y_counts <- function() {
  scale <- ggplot2::scale_y_continuous
  arguments <- list("pseudo_log", breaks = c(-10^(4:1), 0, 10^(1:9)),
                    labels = format_count)
  names(arguments)[1] <- if ("transform" %in% names(formals(scale))) "transform" else "trans"
  do.call(scale, arguments)
}
