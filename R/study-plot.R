#' @rdname rr_study
#' @method autoplot rr_study
#' @rawNamespace S3method(ggplot2::autoplot,rr_study)
autoplot.rr_study <- function(object, metric = "mse", methods = NULL, truth = TRUE, ...) {
  check_installed("ggplot2", "to draw a study")
  metric <- check_choice(metric, "metric", study_metrics)
  check_flag(truth, "truth")
  known <- unique(object$method)
  if (!all(methods %in% known)) abort("{.arg methods} must be among {.val {known}}.", "argument")
  data <- as.data.frame(object)
  drawn <- data$metric == metric & data$method %in% (methods %||% known)
  data <- data[drawn & is.finite(data$estimate) & data$estimate > 0, ]
  if (!nrow(data)) abort("No {.val {metric}} of the study is above 0.", "argument")
  by_epsilon <- length(unique(data$n)) == 1 && length(unique(data$epsilon)) > 1
  data$x <- if (by_epsilon) data$epsilon else data$n
  one <- length(unique(data$x)) == 1
  truth <- truth && !one
  column <- if (by_epsilon) sprintf("N = %s", format_count(data$n))
    else sprintf("epsilon = %s", format(data$epsilon, trim = TRUE))
  columns <- unique(column[order(data$epsilon)])
  row <- study_rows(data)
  panels <- as.vector(t(outer(unique(row), c(if (truth) "truth", columns), paste, sep = "\n")))
  data$panel <- factor(paste(row, column, sep = "\n"), panels)
  error <- 2 * ifelse(is.na(data$mc.error), 0, data$mc.error)
  data$low <- pmax(data$estimate - error, data$estimate / 10)
  data$high <- data$estimate + error
  data$method <- factor(data$method, known)
  # One number of respondents and one privacy level leave nothing to draw a line along.
  if (one) {
    data$panel <- factor(row, unique(row))
    data$row <- factor(data$method, rev(levels(droplevels(data$method))))
    data$value <- data$estimate
    return(draw_rows(
      data, ggplot2::labs(x = metric_names[[metric]], title = study_title(metric),
                          subtitle = paste0("N = ", format_count(data$n[1]), ", epsilon = ", format(data$epsilon[1])),
                          caption = "Lines: two Monte Carlo standard errors on either side."),
      if (metric != "nll") ggplot2::scale_x_log10(labels = power_labels,
                                                  breaks = few_log_breaks(if (nlevels(data$panel) > 1) 3 else 6),
                                                  guide = ggplot2::guide_axis(check.overlap = TRUE))
    ))
  }
  draw_study(data, if (truth) study_truths(object, row, panels), study_limits(data, row), panels,
             list(metric = metric, columns = length(columns) + truth, by_epsilon = by_epsilon, truth = truth))
}

study_rows <- function(data) {
  kinds <- if (is.null(data$mechanism)) data$truth else paste(data$truth, data$mechanism, sep = ", ")
  # A name may say K itself.
  ifelse(grepl("K = ", kinds, fixed = TRUE), kinds, sprintf("%s, K = %s", kinds, format_count(data$k)))
}

# The shares of each truth by rank, thinned where there are too many to tell apart, down to a floor below the smallest.
study_truths <- function(object, row, panels) {
  truths <- attr(object, "study")$design$truth
  data <- as.data.frame(object)
  rows <- unique(data.frame(row = study_rows(data), truth = data$truth))
  rows <- rows[rows$row %in% row, ]
  do.call(rbind, Map(function(row, truth) {
    shares <- sort(truths[[truth]], decreasing = TRUE)
    rank <- unique(round(exp(seq(0, log(length(shares)), length.out = 200))))
    kept <- rank[shares[rank] > 0]
    data.frame(x = kept, share = shares[kept], low = min(shares[kept]) / 3,
               panel = factor(paste(row, "truth", sep = "\n"), panels))
  }, rows$row, rows$truth, USE.NAMES = FALSE))
}

# All panels of a row share their vertical axis.
study_limits <- function(data, row) {
  do.call(rbind, lapply(unique(row), function(r) {
    own <- data[row == r, ]
    range <- base::range(own$low, own$high)
    expand.grid(estimate = range, panel = unique(own$panel), x = own$x[1], KEEP.OUT.ATTRS = FALSE)
  }))
}

metric_names <- c(mse = "Mean squared error", tv = "Total variation distance", bias2 = "Squared bias",
                  nll = "Negative log-likelihood per respondent", variance = "Variance")

study_title <- function(metric) paste("Simulation study:", tolower(metric_names[[metric]]))

draw_study <- function(data, truths, limits, panels, layout) {
  methods <- levels(droplevels(data$method))
  down <- ceiling(length(panels) / layout$columns)
  picture <- ggplot2::ggplot(data, ggplot2::aes(.data$x, .data$estimate)) +
    (if (!is.null(truths)) list(
      ggplot2::geom_ribbon(ggplot2::aes(.data$x, ymin = .data$low, ymax = .data$share), truths, fill = "grey75",
                           inherit.aes = FALSE),
      ggplot2::geom_line(ggplot2::aes(.data$x, .data$share), truths, colour = "grey35", inherit.aes = FALSE)
    )) +
    ggplot2::geom_blank(ggplot2::aes(.data$x, .data$estimate), limits) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$low, ymax = .data$high, fill = .data$method), alpha = 0.25) +
    ggplot2::geom_line(ggplot2::aes(colour = .data$method), linewidth = 0.7) +
    ggplot2::geom_point(ggplot2::aes(colour = .data$method, shape = .data$method), size = 1.4) +
    ggplot2::facet_wrap(~panel, ncol = layout$columns, scales = "free", drop = FALSE,
                        labeller = ggplot2::as_labeller(function(panel) panel_titles(panel, layout$truth))) +
    ggplot2::scale_x_log10(labels = power_labels,
                           breaks = if (layout$columns > 4) few_log_breaks(2)
                                    else if (layout$columns > 2) few_log_breaks(3) else ggplot2::waiver(),
                           guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    (if (layout$metric == "nll" && !layout$truth) ggplot2::scale_y_continuous()
     else ggplot2::scale_y_log10(labels = power_labels, breaks = few_log_breaks(if (down > 1) 3 else 7))) +
    ggplot2::scale_colour_manual(values = rep_len(line_colours, length(methods))) +
    ggplot2::scale_fill_manual(values = rep_len(line_colours, length(methods))) +
    ggplot2::scale_shape_manual(values = rep_len(c(16, 17, 15, 4, 8, 3, 1, 2), length(methods))) +
    ggplot2::labs(x = paste0(if (layout$by_epsilon) "Privacy level epsilon" else "Respondents N",
                             if (layout$truth) " (left: rank of the category)"),
                  y = wrap_text(paste0(metric_names[[layout$metric]], if (layout$truth) " (left: true proportion)"),
                                24),
                  title = study_title(layout$metric), colour = NULL, fill = NULL, shape = NULL) +
    theme_candor() +
    ggplot2::theme(strip.text = ggplot2::element_text(size = ggplot2::rel(8 / 12)),
                   panel.spacing = ggplot2::unit(0.6, "lines"),
                   axis.text = ggplot2::element_text(size = ggplot2::rel(if (layout$columns > 4) 7 / 12 else 8 / 12)))
  # A row of panels needs its axis, its title, and room to tell the lines apart.
  with_height(picture, list(rows = down, height = 1.3 + 0.8 * down))
}

# With the truth on the left a row is named once.
panel_titles <- function(panel, truth) {
  column <- sub(".*\n", "", panel)
  if (truth) ifelse(column == "truth", sub("truth$", "true proportions", panel), paste0("\n", column)) else panel
}

#' @rdname rr_study
#' @param x,object A study.
#' @export
plot.rr_study <- function(x, ...) draw(x, ...)
