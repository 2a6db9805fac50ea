#' @rdname rr_study
#' @method autoplot rr_study
#' @rawNamespace S3method(ggplot2::autoplot,rr_study)
autoplot.rr_study <- function(object, metric = NULL, methods = NULL, ...) {
  metric <- metric %||% if ("mse" %in% object$metric) "mse" else "coverage"
  metric <- check_choice(metric, "metric", c(study_metrics, joint_metrics))
  if (metric %in% joint_metrics) return(draw_joint(object, metric))
  choices <- unique(object$method)
  if (!all(methods %in% choices)) abort("{.arg methods} must be among {.val {choices}}.")
  data <- drawn_risks(object, metric, methods %||% choices)
  names <- c(
    mse = "Mean squared error", tv = "Total variation distance",
    nll = "Negative log-likelihood per respondent", bias2 = "Squared bias", variance = "Variance"
  )
  name <- names[[metric]]
  by_epsilon <- length(unique(data$n)) == 1
  data$x <- if (by_epsilon) data$epsilon else data$n
  # One number of respondents and one privacy level leave nothing to draw a line along.
  if (length(unique(data$x)) == 1) {
    data$label <- factor(data$method, rev(intersect(choices, data$method)))
    data$kind <- if (metric == "nll") "value" else "error"
    caption <- "Lines: two Monte Carlo standard errors on either side."
    return(draw_intervals(
      data, paste0(name, ", by method"), caption, name,
      subtitle = sprintf(
        "N = %s, epsilon = %s", format_count(data$n[1]), format(data$epsilon[1])
      )
    ))
  }
  data$mechanism <- factor(data$method, intersect(choices, data$method))
  risk_lines(data, by_epsilon, metric == "nll") + ggplot2::labs(
    x = if (by_epsilon) "Privacy level epsilon" else "Respondents N", y = wrap_text(name, 24),
    title = wrap_text(paste0(name, ", by ", if (by_epsilon) "privacy level" else "respondents"), 46)
  )
}

# The rows of a metric that a logarithmic axis can show, each with its Monte Carlo error and the
# panel that it is in.
drawn_risks <- function(object, metric, methods) {
  data <- as.data.frame(object)
  drawn <- data$metric == metric & data$method %in% methods
  data <- data[drawn & is.finite(data$estimate) & data$estimate > 0, ]
  if (!nrow(data)) abort("No {.val {metric}} of the study is above 0.")
  data$panel <- risk_panels(data)
  error <- 2 * ifelse(is.na(data$mc.error), 0, data$mc.error)
  data[c("conf.low", "conf.high")] <- list(
    pmax(data$estimate - error, data$estimate / 10),
    data$estimate + error
  )
  data
}

# The panel that each row is in, named by its truth, mechanism and number of categories.
risk_panels <- function(data) {
  has_mechanisms <- !is.null(data$mechanism)
  kinds <- if (has_mechanisms) paste(data$truth, data$mechanism, sep = ", ") else data$truth
  # A name may have K already.
  kinds <- ifelse(
    grepl("K = ", kinds, fixed = TRUE), kinds,
    sprintf("%s, K = %s", kinds, format_count(data$k))
  )
  factor(kinds, unique(kinds))
}

# A line for each method, with ribbons of its Monte Carlo error.
risk_lines <- function(data, by_epsilon, linear) {
  column <- if (by_epsilon) {
    paste("N =", format_count(data$n))
  } else {
    paste("epsilon =", data$epsilon)
  }
  data$column <- factor(column, unique(column[order(data$epsilon)]))
  rows <- nlevels(data$panel)
  values <- sort(unique(data$x))
  breaks <- if (length(values) <= 4L && nlevels(data$column) <= 2L) {
    values
  } else {
    few_log_breaks(3)
  }
  picture <- ggplot2::ggplot(data, ggplot2::aes(.data$x, .data$estimate)) + ggplot2::geom_ribbon(
    ggplot2::aes(ymin = .data$conf.low, ymax = .data$conf.high, group = .data$mechanism),
    fill = colour_line, alpha = 0.25
  ) + design_lines(data$mechanism, 1) + ggplot2::facet_grid(
      panel ~ column, scales = "free_y", labeller = ggplot2::as_labeller(wrap_labels(24))
    ) + ggplot2::scale_x_log10(labels = format_count, breaks = breaks, guide = no_overlap()) +
    (if (linear) {
      ggplot2::scale_y_continuous()
    } else {
      ggplot2::scale_y_log10(labels = power_labels, breaks = few_log_breaks(if (rows > 1) 3 else 7))
    }) + theme_candor()
  # A row of panels needs its axis, its title, and room to tell the lines apart.
  with_height(picture, list(rows = rows, height = 1.3 + 0.8 * rows))
}

#' @rdname rr_study
#' @param x,object A study.
#' @export
plot.rr_study <- function(x, ...) draw(x, ...)

# ---- joint counts ----

# The title of each metric, its axis, and the value that a perfect interval has.
joint_titles <- c(
  bias = "Bias of joint counts",
  std.error = "Standard errors of joint counts",
  coverage = "95% intervals of joint counts"
)

joint_axes <- c(
  bias = "Bias in Monte Carlo errors",
  std.error = "Estimated / simulated",
  coverage = "Coverage"
)

joint_targets <- c(bias = 0, std.error = 1, coverage = 0.95)

# A line for the mean of the sets of each order, and a point for each set. If the study has one
# number of respondents, a row for each set.
draw_joint <- function(object, metric) {
  data <- as.data.frame(object)
  data <- data[data$metric == metric, ]
  if (metric == "bias") {
    data$estimate <- data$estimate / data$mc.error
    data$mc.error <- 1
  }
  data <- data[is.finite(data$estimate), ]
  if (!nrow(data)) abort("No {.val {metric}} of the study is known.", "empty")
  data$panel <- risk_panels(data)
  if (length(unique(data$n)) > 1) return(joint_lines(data, metric))
  data$label <- rows_factor(data$term)
  data$kind <- "value"
  data$conf.low <- data$estimate - 2 * data$mc.error
  data$conf.high <- data$estimate + 2 * data$mc.error
  picture <- draw_intervals(
    data, joint_titles[[metric]], "Lines: two Monte Carlo standard errors on either side.",
    joint_axes[[metric]], subtitle = paste("N =", format_count(data$n[1]))
  )
  picture + ggplot2::geom_vline(xintercept = joint_targets[[metric]], colour = colour_line)
}

joint_lines <- function(data, metric) {
  data$mechanism <- factor(paste("Order", data$order))
  means <- aggregate(estimate ~ n + mechanism + panel, data, mean)
  values <- sort(unique(data$n))
  breaks <- if (length(values) <= 4) values else few_log_breaks(4)
  picture <- ggplot2::ggplot(means, ggplot2::aes(.data$n, .data$estimate)) +
    ggplot2::geom_hline(yintercept = joint_targets[[metric]], colour = colour_line) +
    ggplot2::geom_point(
      ggplot2::aes(colour = .data$mechanism), data, size = 1, alpha = 0.5, show.legend = FALSE
    ) +
    design_lines(means$mechanism, 13) +
    ggplot2::scale_x_log10(labels = format_count, breaks = breaks, guide = no_overlap()) +
    ggplot2::labs(
      x = "Respondents N",
      y = joint_axes[[metric]],
      title = wrap_text(joint_titles[[metric]], 46),
      caption = "Points: sets of answers. Lines: means of each order."
    ) +
    theme_candor()
  if (nlevels(data$panel) < 2) return(picture)
  picture + ggplot2::facet_wrap(~panel)
}
