#' @rdname rr_power
#' @method autoplot rr_power
#' @rawNamespace S3method(ggplot2::autoplot,rr_power)
autoplot.rr_power <- function(object, ...) {
  data <- as.data.frame(object)
  data$mechanism <- factor(data$mechanism, unique(data$mechanism))
  if (!is.null(data$sets)) return(union_picture(data))
  if (!is.null(data$labels)) return(label_picture(data))
  figure <- if (is.null(data$level)) "n" else "power"
  # Means and coefficients are numbers in their unit, and no percentages.
  estimand <- intersect(c("share", "mean", "coefficient"), names(data))
  kinds <- setdiff(
    intersect(c("margin", "n", estimand, "power"), names(data)), figure
  )
  # Shares that were computed may differ in their last bits.
  n_values <- vapply(
    data[kinds], function(x) length(unique(signif(x, 12))), 0L
  )
  along <- kinds[which.max(n_values)]
  second <- setdiff(kinds, along)
  panels <- value_words(second, data[[second]], estimand)
  data$panel <- factor(panels, unique(panels[order(data[[second]])]))
  title <- if (figure == "n") "Respondents needed" else "Power"
  caption <- plan_caption(data, attr(object, "alpha"), estimand, value_format(estimand, estimand))
  if (all(n_values == 1)) {
    subtitle <- paste(
      value_words(along, data[[along]][1], estimand), data$panel[1],
      sep = ", "
    )
    return(plan_bars(data, figure, title, subtitle, caption))
  }
  data$x <- data[[along]]
  label <- value_format(along, estimand)
  plan_lines(data, figure, along, label, max(n_values)) + ggplot2::labs(
    x = plan_names[[along]], y = title,
    title = paste0(title, ", by ", tolower(plan_names[[along]])),
    subtitle = if (nlevels(data$panel) == 1) levels(data$panel), caption = caption
  )
}

# The margin of error of a union against the number of sets, a panel for each universe and share.
union_picture <- function(data) {
  union <- paste(percent_labels(data$share), "in the union")
  data$panel <- paste0(format_count(data$n), " elements, ", union)
  data$panel <- factor(data$panel, unique(data$panel))
  sets <- unique(data$sets)
  layout <- row_layout(nlevels(data$panel), "", levels(data$panel))
  ggplot2::ggplot(data, ggplot2::aes(.data$sets, .data$margin)) +
    design_lines(data$mechanism, length(sets)) +
    ggplot2::scale_x_continuous(breaks = if (length(sets) <= 7) sets else whole_breaks) +
    ggplot2::scale_y_log10(labels = format_count, breaks = log_breaks) +
    ggplot2::labs(
      x = "Sets", y = "Elements", title = "Margin of error of a union, by sets",
      subtitle = if (nlevels(data$panel) == 1) levels(data$panel)
    ) + theme_candor() + (if (nlevels(data$panel) > 1) row_panels(layout))
}

# The function that writes the values of a column of a plan: counts, percentages or numbers.
value_format <- function(column, estimand) {
  if (column == "n") return(format_count)
  if (column == "power" || estimand != "share") point_format else percent_labels
}

# The values of a column of a plan, each behind the name of the column.
value_words <- function(column, x, estimand) {
  words <- ifelse(is.na(x), "of any answers", value_format(column, estimand)(x))
  paste(plan_names[[column]], words)
}

plan_caption <- function(data, alpha, estimand, label) {
  null <- if (is.null(data$versus)) {
    sprintf("\"the %s is %s\"", estimand, label(data$null[1]))
  } else {
    sprintf("equal %ss in two groups", estimand)
  }
  wrap_text(
    paste0(
      if (!is.null(data$power)) {
        sprintf("One-sided test of %s at level %s. ", null, percent_labels(alpha))
      },
      "Dotted grey: a direct question, answered honestly."
    )
  )
}

# A bar for each mechanism, if there is one number of each.
plan_bars <- function(data, figure, title, subtitle, caption) {
  rows <- bar_rows(levels(data$mechanism), one_panel(data), data[[figure]])
  draw_intervals(rows, paste0(title, ", by design"), caption, title, subtitle = subtitle) +
    ggplot2::geom_vline(xintercept = data$direct[1], linetype = 3, colour = colour_aside)
}

# The rows of bars from 0 to `values`, as draw_intervals() takes them.
bar_rows <- function(labels, panel, values) {
  data.frame(
    label = rows_factor(labels),
    panel = panel,
    kind = "number",
    estimate = values,
    conf.low = 0,
    conf.high = values
  )
}

# A bar for each stratum, and a panel for each plan.
label_picture <- function(data) {
  stratum <- intersect(c("truth", "report"), names(data))
  plans <- paste0(
    if (length(unique(data$mechanism)) > 1L) paste0(data$mechanism, ", "),
    format_count(data$labels), " labels, ", format_count(data$n), " respondents"
  )
  rows <- bar_rows(data[[stratum]], factor(plans, unique(plans)), data$people)
  what <- paste("People to label, by", stratum)
  draw_intervals(rows, what, "The split of labels that has the least error.", "People")
}

# A line for each mechanism and one for the direct question, against what varies most.
plan_lines <- function(data, figure, along, label, points) {
  direct <- unique(data[c("x", "panel", "direct")])
  # A direct question about a share of 0 needs nobody, which a logarithmic axis cannot show.
  if (figure == "n") direct <- direct[direct$direct > 0, ]
  panels <- nlevels(data$panel)
  layout <- row_layout(panels, "", levels(data$panel))
  room <- if (panels > 1) 3 else 7
  values <- unique(data$x)
  is_log <- along %in% c("n", "margin")
  scale <- if (is_log) ggplot2::scale_x_log10 else ggplot2::scale_x_continuous
  breaks <- if (length(values) <= room) {
    sort(values)
  } else if (is_log) {
    few_log_breaks(room)
  } else {
    few_breaks(room)
  }
  log <- paste0(if (is_log) "x", if (figure == "n") "y")
  range <- if (figure == "n") {
    range(data[[figure]], direct$direct)
  } else {
    c(0, 1)
  }
  line_labels <- if (panels == 1L) {
    line_ends(data$x, data[[figure]], data$mechanism, range, log)
  }
  right <- line_labels$axis %||% ggplot2::waiver()
  ggplot2::ggplot(data, ggplot2::aes(.data$x, .data[[figure]])) + ggplot2::geom_line(
    ggplot2::aes(y = .data$direct), direct, linetype = 3, colour = colour_aside
  ) + design_lines(data$mechanism, points, line_labels) + scale(
      labels = label, breaks = breaks, guide = no_overlap(),
      expand = line_labels$expand %||% ggplot2::waiver()
    ) + (if (figure == "n") {
      ggplot2::scale_y_log10(
        labels = format_count, sec.axis = right,
        breaks = if (layout$down > 1) few_log_breaks(3) else log_breaks
      )
    } else {
      ggplot2::scale_y_continuous(
        limits = c(0, 1), labels = point_format, breaks = few_breaks(4), sec.axis = right
      )
    }) + theme_candor() + (if (panels > 1) row_panels(layout))
}

plan_names <- c(
  margin = "Margin of error", n = "Respondents", power = "Power", share = "True proportion",
  mean = "True mean", coefficient = "True coefficient"
)

#' @rdname rr_recommend
#' @param object,x A comparison.
#' @method autoplot rr_recommendation
#' @rawNamespace S3method(ggplot2::autoplot,rr_recommendation)
autoplot.rr_recommendation <- function(object, ...) {
  data <- drawn_recommendations(object)
  error <- if (attr(object, "question") == "shares") "Mean squared error" else "Variance"
  if (length(unique(data$epsilon)) == 1L) {
    data$label <- factor(data$mechanism, rev(levels(data$mechanism)))
    data$kind <- "error"
    data[c("estimate", "conf.low", "conf.high")] <- list(data$mse, NA_real_, NA_real_)
    return(draw_intervals(data, paste0(error, ", by mechanism"), NULL, error,
                          subtitle = paste("Privacy level epsilon", format(data$epsilon[1]))))
  }
  panels <- nlevels(data$panel)
  layout <- own_axes(row_layout(panels, "", levels(data$panel)))
  line_labels <- if (panels == 1L) {
    line_ends(data$epsilon, data$mse, data$mechanism, range(data$mse), "y")
  }
  ggplot2::ggplot(data, ggplot2::aes(.data$epsilon, .data$mse)) +
    design_lines(data$mechanism, Inf, line_labels) +
    (if (panels > 1L) row_panels(layout, "free_y")) + ggplot2::scale_x_continuous(
      breaks = layout$breaks, expand = line_labels$expand %||% ggplot2::waiver()
    ) + ggplot2::scale_y_log10(
      labels = power_labels, breaks = few_log_breaks(if (layout$down > 1) 3 else 7),
      guide = no_overlap(), sec.axis = line_labels$axis %||% ggplot2::waiver()
    ) + ggplot2::labs(
      x = "Privacy level epsilon", y = error, title = paste0(error, ", by privacy level"),
      subtitle = if (panels == 1L) levels(data$panel)
    ) + theme_candor()
}

# The rows that a picture has room for, in panels by numbers of categories and of respondents.
drawn_recommendations <- function(object) {
  data <- as.data.frame(object)
  # Each design has a row for its best device.
  if (!is.null(data[["device"]])) {
    data <- data[!duplicated(data[c("epsilon", "n", "mechanism")]), ]
  }
  # Lines of one-stage and two-stage protocols would lie on each other.
  if (length(unique(data$epsilon)) > 1L && !is.null(data[["permanent"]])) {
    data <- data[!is.na(data$permanent), ]
  }
  categories <- if (!is.null(data[["k"]])) {
    paste0("K = ", format_count(data$k), ", ")
  }
  panel <- paste0(categories, "N = ", format_count(data$n))
  data$panel <- factor(
    panel, unique(panel[order(data[["k"]] %||% data$n, data$n)])
  )
  data$mechanism <- factor(data$mechanism, unique(data$mechanism))
  data
}

#' @rdname rr_power
#' @param object,x A plan.
#' @export
plot.rr_power <- function(x, ...) draw(x, ...)

#' @rdname rr_recommend
#' @export
plot.rr_recommendation <- plot.rr_power
