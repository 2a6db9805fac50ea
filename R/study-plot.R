#' @rdname rr_study
#' @method autoplot rr_study
#' @rawNamespace S3method(ggplot2::autoplot,rr_study)
autoplot.rr_study <- function(object, metric = NULL, methods = NULL, ...) {
  metric <- metric %||% if ("mse" %in% object$metric) "mse" else "coverage"
  metric <- check_choice(metric, "metric", c(study_metrics, joint_metrics))
  if (metric %in% joint_metrics) return(draw_joint(object, metric))
  choices <- unique(object$method)
  for (name in methods) check_choice(name, "methods", choices)
  data <- drawn_risks(object, metric, methods %||% choices)
  name <- risk_titles[[metric]]
  by_epsilon <- length(unique(data$n)) == 1
  data$x <- if (by_epsilon) data$epsilon else data$n
  # One number of respondents and one privacy level leave nothing to draw a line along.
  if (length(unique(data$x)) == 1) {
    data$label <- factor(data$method, rev(intersect(choices, data$method)))
    data$kind <- if (metric == "nll") "value" else "error"
    caption <- "Lines: two Monte Carlo standard errors on either side."
    return(draw_intervals(
      data, paste0(name, ", by method"), caption, name, subtitle = common_facts(data)
    ))
  }
  data$mechanism <- factor(data$method, intersect(choices, data$method))
  truths <- attr(object, "study")$design$truth
  along <- if (by_epsilon) "privacy level" else "respondents"
  risk_lines(data, truths, by_epsilon, metric == "nll") + ggplot2::labs(
    x = if (by_epsilon) "Privacy level epsilon" else "Respondents N",
    y = wrap_text(name, 24),
    title = wrap_text(paste0(name, ", by ", along), 46),
    subtitle = common_facts(data),
    caption = "Bars: the true shares of the categories, on a scale of their own."
  )
}

risk_titles <- c(
  mse = "Mean squared error",
  tv = "Total variation distance",
  nll = "Negative log-likelihood per respondent",
  bias2 = "Squared bias",
  variance = "Variance"
)

# The numbers of categories and of respondents and the privacy level, if all rows have the same.
common_facts <- function(data) {
  facts <- list(
    K = format_count(data$k),
    N = format_count(data$n),
    epsilon = format(data$epsilon)
  )
  facts <- lapply(Filter(length, facts), unique)
  facts <- facts[lengths(facts) == 1]
  if (length(facts)) paste(names(facts), "=", facts, collapse = ", ")
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

# The panel that each row is in, named by its truth, by its mechanism, and by its number of
# categories if these differ.
risk_panels <- function(data) {
  has_mechanisms <- !is.null(data$mechanism)
  kinds <- if (has_mechanisms) paste(data$truth, data$mechanism, sep = ", ") else data$truth
  # A name may have K already.
  is_clear <- grepl("K = ", kinds, fixed = TRUE) | length(unique(data$k)) == 1
  kinds <- ifelse(is_clear, kinds, sprintf("%s, K = %s", kinds, format_count(data$k)))
  factor(kinds, unique(kinds))
}

# A line for each method, with ribbons of its Monte Carlo error, and bars of the true shares at the
# left. One privacy level, or one number of respondents, has its panels side by side.
risk_lines <- function(data, truths, by_epsilon, linear) {
  column <- if (by_epsilon) {
    paste("N =", format_count(data$n))
  } else {
    paste("epsilon =", data$epsilon)
  }
  columns <- unique(column[order(data$epsilon)])
  data$column <- factor(column, c("True shares", columns))
  is_row <- length(unique(column)) == 1L
  values <- sort(unique(data$x))
  names <- levels(data$panel)
  # Narrow panels have room for the first and the last value, others for four.
  breaks <- if (is_row && length(names) > 2L) {
    range(values)
  } else if (length(values) <= 4L && nlevels(data$column) <= 3L) {
    values
  } else {
    few_log_breaks(3)(range(values))
  }
  panels <- if (is_row) risk_row(names, linear) else risk_grid(names)
  bars <- truth_bars(data, truths, is_row, linear)
  y_breaks <- few_log_breaks(if (panels$layout$down > 1) 3 else 7)
  picture <- ggplot2::ggplot(data, ggplot2::aes(.data$x, .data$estimate)) +
    ggplot2::geom_ribbon(
      ggplot2::aes(ymin = .data$conf.low, ymax = .data$conf.high, group = .data$mechanism),
      fill = colour_line, alpha = 0.25
    ) +
    design_lines(data$mechanism, 1) +
    ggplot2::geom_rect(
      ggplot2::aes(
        xmin = .data$xmin, xmax = .data$xmax,
        ymin = .data$ymin, ymax = .data$ymax
      ),
      bars, inherit.aes = FALSE, fill = colour_reported, colour = colour_reported, linewidth = 0.2
    ) +
    ggplot2::scale_x_log10(labels = format_count, breaks = breaks, guide = no_overlap()) +
    (if (linear) {
      ggplot2::scale_y_continuous()
    } else {
      ggplot2::scale_y_log10(labels = power_labels, breaks = y_breaks)
    }) +
    theme_candor() +
    panels$facets
  with_height(picture, panels$layout)
}

# Panels side by side, at most three in a row. Errors have one axis for all panels; likelihoods of
# different truths are not compared.
risk_row <- function(names, linear) {
  panels <- length(names)
  layout <- row_layout(panels, character(9), names, min(3L, panels))
  # The rows of this layout are panels.
  layout$rows <- layout$down
  if (linear) layout <- own_axes(layout)
  list(facets = row_panels(layout, if (linear) "free_y" else "fixed"), layout = layout)
}

# A row of panels for each name, which stands at its right in lines of 12 characters.
risk_grid <- function(names) {
  rows <- length(names)
  lines <- max(count_lines(names, 12L))
  facets <- list(
    ggplot2::facet_grid(
      panel ~ column, scales = "free",
      labeller = ggplot2::labeller(panel = wrap_labels(12), column = wrap_labels(8))
    ),
    ggplot2::theme(strip.text.y = ggplot2::element_text(angle = 0))
  )
  # A row has room for its axis and for the lines of its name.
  height <- 1.6 + rows * max(0.8, 0.1 + 0.17 * lines)
  list(facets = facets, layout = list(rows = rows, down = rows, height = height))
}

# The corners of the bars of each panel: the true shares in the order of the categories, or the
# means of at most 20 classes of them, the largest as high as the panel. In a grid they have the
# first column, else the left of their panel.
truth_bars <- function(data, truths, is_row, linear) {
  scaled <- if (linear) identity else log10
  restored <- if (linear) identity else function(y) 10^y
  x <- log10(range(data$x))
  width <- 0.4 * diff(x)
  panel_bars <- function(rows) {
    theta <- truths[[as.character(rows$truth[1])]]
    class <- ceiling(seq_along(theta) * min(20, length(theta)) / length(theta))
    share <- as.vector(tapply(theta, class, mean))
    on_axis <- if (is_row && !linear) data else rows
    y <- range(scaled(c(on_axis$conf.low, on_axis$conf.high)))
    bar <- width / length(share)
    left <- x[1] - 0.15 * diff(x) - bar * rev(seq_along(share))
    data.frame(
      panel = rows$panel[1],
      column = if (is_row) rows$column[1] else factor("True shares", levels(rows$column)),
      xmin = 10^left,
      xmax = 10^(left + bar),
      ymin = restored(y[1]),
      ymax = restored(y[1] + diff(y) * share / max(share))
    )
  }
  do.call(rbind, lapply(unname(split(data, data$panel)), panel_bars))
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
    joint_axes[[metric]], subtitle = common_facts(data)
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
      subtitle = common_facts(data),
      caption = "Points: sets of answers. Lines: means of each order."
    ) +
    theme_candor()
  if (nlevels(data$panel) < 2) return(picture)
  picture + ggplot2::facet_wrap(~panel)
}
