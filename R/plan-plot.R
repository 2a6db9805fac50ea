#' @rdname rr_power
#' @method autoplot rr_power
#' @rawNamespace S3method(ggplot2::autoplot,rr_power)
autoplot.rr_power <- function(object, ...) {
  check_installed("ggplot2", "to draw a plan")
  data <- as.data.frame(object)
  answer <- if (is.null(data$level)) "n" else "power"
  # Means and coefficients: numbers of their own unit, and no percentages.
  what <- intersect(c("share", "mean", "coefficient"), names(data))
  means <- what != "share"
  names(data)[names(data) == what] <- "share"
  kinds <- setdiff(intersect(c("margin", "n", "share", "power"), names(data)), answer)
  several <- vapply(data[kinds], function(x) length(unique(x)), 0L)
  along <- kinds[which.max(several)]
  other <- data[[setdiff(kinds, along)]]
  data$panel <- plan_value(setdiff(kinds, along), other, what)
  data$panel <- factor(data$panel, unique(data$panel[order(other)]))
  data$mechanism <- factor(data$mechanism, unique(data$mechanism))
  title <- if (answer == "n") "Respondents needed" else "Power"
  caption <- plan_caption(data, attr(object, "alpha"), what)
  if (all(several == 1)) {
    data$row <- factor(data$mechanism, rev(levels(data$mechanism)))
    data$value <- data$high <- data[[answer]]
    data$low <- 0
    value <- plan_value(along, data[[along]][1], what)
    data$panel <- droplevels(data$panel)
    return(draw_rows(
      data, ggplot2::geom_vline(xintercept = data$direct[1], linetype = 2, colour = colour_aside),
      ggplot2::scale_x_continuous(labels = if (answer == "n") format_count else point_format,
                                  limits = c(0, if (answer == "n") NA else 1), breaks = few_breaks(5),
                                  guide = ggplot2::guide_axis(check.overlap = TRUE)),
      ggplot2::labs(x = title, title = paste0(title, ", by design"), caption = caption,
                    subtitle = paste(value, tolower(levels(data$panel)), sep = ", "))
    ))
  }
  data$x <- data[[along]]
  direct <- unique(data[c("x", "panel", "direct")])
  # A direct question about a share of 0 needs nobody, which a logarithmic axis cannot show.
  if (answer == "n") direct <- direct[direct$direct > 0, ]
  name <- if (along == "share") true_words(what) else plan_names[[along]]
  panels <- nlevels(data$panel)
  layout <- row_layout(panels, "", levels(data$panel))
  ggplot2::ggplot(data, ggplot2::aes(.data$x, .data[[answer]])) +
    ggplot2::geom_line(ggplot2::aes(y = .data$direct), direct, linetype = 2, colour = colour_aside) +
    design_lines(data$mechanism, max(several)) +
    plan_axis(along, means, sort(unique(data$x)), if (panels > 1) 3 else 7) +
    (if (answer == "n") ggplot2::scale_y_log10(labels = format_count,
                                               breaks = if (layout$down > 1) few_log_breaks(3) else log_breaks)
     else ggplot2::scale_y_continuous(limits = c(0, 1), labels = point_format,
                                      breaks = seq(0, 1, by = if (layout$down > 1) 0.5 else 0.2))) +
    ggplot2::labs(x = name, y = title, title = paste0(title, ", by ", tolower(name)),
                  subtitle = if (panels == 1) levels(data$panel), caption = caption) +
    theme_candor() + (if (panels > 1) row_panels(layout))
}

plan_names <- c(margin = "Margin of error", n = "Respondents", power = "Power")

true_words <- function(what) paste("True", if (what == "share") "proportion" else what)

plan_value <- function(kind, x, what) {
  if (kind == "n") return(paste(format_count(x), "respondents"))
  if (kind == "share" && anyNA(x)) return(rep("Mean, whatever the answers", length(x)))
  paste(if (kind == "share") true_words(what) else plan_names[[kind]],
        if (kind == "power" || what != "share") format(x, digits = 3, trim = TRUE) else percent_labels(x))
}

plan_axis <- function(kind, means, given, room) {
  scale <- if (kind %in% c("n", "margin")) ggplot2::scale_x_log10 else ggplot2::scale_x_continuous
  few <- if (kind %in% c("n", "margin")) few_log_breaks(room) else few_breaks(room)
  scale(labels = if (kind == "n") format_count else if (means || kind == "power") point_format else percent_labels,
        breaks = if (length(given) <= room) given else few, guide = ggplot2::guide_axis(check.overlap = TRUE))
}

plan_caption <- function(data, alpha, what) {
  label <- if (what == "share") percent_labels else function(x) format(x, digits = 3)
  null <- if (is.null(data$versus)) sprintf("\"the %s is %s\"", what, label(data$null[1]))
    else sprintf("equal %ss in two groups", what)
  about <- if (!is.null(data$power)) paste("One-sided test of", null, "at level", percent_labels(alpha))
    else if (!is.null(data$versus)) sprintf("Difference of the %ss in two groups", what)
  wrap_text(paste0(about, if (!is.null(data$versus)) sprintf("; %s in the second", label(data$versus[1])),
                   if (!is.null(about)) ". ", "Dashed grey: a direct question, answered honestly."))
}

# One line for each design. Lines of designs that are equally good lie on each other: a dashed line and hollow points
# let another one be seen through them.
design_lines <- function(designs, points) {
  names <- levels(designs)
  values <- function(x) stats::setNames(rep_len(x, length(names)), names)
  guide <- line_legend(names)
  list(ggplot2::geom_line(ggplot2::aes(colour = .data$mechanism, linetype = .data$mechanism), linewidth = 0.8),
       if (points <= 12) ggplot2::geom_point(ggplot2::aes(colour = .data$mechanism, shape = .data$mechanism), size = 2),
       ggplot2::scale_colour_manual(values = values(line_colours), guide = guide),
       ggplot2::scale_linetype_manual(values = values(c("solid", "84", "48", "8242", "24")), guide = guide),
       if (points <= 12) ggplot2::scale_shape_manual(values = values(c(16, 2, 0, 4, 8, 1, 6, 5)), guide = guide),
       ggplot2::labs(colour = NULL, linetype = NULL, shape = NULL),
       ggplot2::theme(legend.key.width = ggplot2::unit(1.8, "lines")))
}

# A row for each name, where nothing runs along an axis. `data` has row, value and panel, and low and high of a line.
draw_rows <- function(data, ...) {
  panels <- nlevels(data$panel)
  layout <- row_layout(panels, levels(data$row), levels(data$panel), min(panels, 3))
  picture <- ggplot2::ggplot(data, ggplot2::aes(.data$value, .data$row)) + list(...) +
    (if (!is.null(data$low)) ggplot2::geom_segment(ggplot2::aes(x = .data$low, xend = .data$high, yend = .data$row),
                                                   colour = colour_estimate, alpha = 0.55, linewidth = 0.8)) +
    ggplot2::geom_point(colour = colour_estimate, size = row_points(layout)) +
    (if (panels > 1) row_panels(layout, "free_x")) +
    row_labels(layout) + theme_candor() + row_theme(layout) + ggplot2::labs(y = NULL)
  with_height(picture, layout)
}

#' @rdname rr_recommend
#' @param object,x A comparison.
#' @method autoplot rr_recommendation
#' @rawNamespace S3method(ggplot2::autoplot,rr_recommendation)
autoplot.rr_recommendation <- function(object, ...) {
  check_installed("ggplot2", "to draw a comparison")
  data <- as.data.frame(object)
  # Of the devices of a design the best.
  if (!is.null(data[["device"]])) data <- data[!duplicated(data[c("epsilon", "n", "mechanism")]), ]
  lines <- length(unique(data$epsilon)) > 1L
  # Lines of one-stage and two-stage protocols would lie on each other.
  if (lines && !is.null(data[["permanent"]])) data <- data[!is.na(data$permanent), ]
  panel <- paste0(if (!is.null(data[["k"]])) paste0("K = ", format_count(data$k), ", "), "N = ", format_count(data$n))
  data$panel <- factor(panel, unique(panel[order(data[["k"]] %||% data$n, data$n)]))
  shown <- recommend_names[names(recommend_names) %in% data$mechanism]
  data$mechanism <- factor(shown[data$mechanism], shown)
  if (lines) levels(data$mechanism) <- sub("^two-stage ", "", shown)
  error <- error_names[[attr(object, "question")]]
  if (!lines) {
    data$row <- factor(data$mechanism, rev(shown))
    data$value <- data$mse
    return(draw_rows(data, ggplot2::labs(x = error, title = "Error of each mechanism",
                                         subtitle = paste("Privacy level epsilon", format(data$epsilon[1]))),
                     ggplot2::scale_x_log10(labels = power_labels, expand = ggplot2::expansion(0.1),
                                            breaks = few_log_breaks(if (nlevels(data$panel) > 2) 2 else 4),
                                            guide = ggplot2::guide_axis(check.overlap = TRUE))))
  }
  layout <- row_layout(nlevels(data$panel), "", levels(data$panel))
  ggplot2::ggplot(data, ggplot2::aes(.data$epsilon, .data$mse)) +
    design_lines(data$mechanism, Inf) + row_panels(layout, "free_y") +
    ggplot2::scale_y_log10(labels = power_labels, breaks = few_log_breaks(if (layout$down > 1) 3 else 7)) +
    ggplot2::labs(x = "Privacy level epsilon", y = wrap_text(error, 20), title = "Error by privacy level",
                  caption = if (!is.null(data[["permanent"]])) {
                    sprintf("All reports of one true answer: epsilon %s.", format(data$permanent[1], digits = 3))
                  }) +
    theme_candor("bottom")
}

error_names <- c(shares = "Mean squared error", ranges = "Variance of the share of a range",
                 mean = "Largest variance of the mean", strings = "Variance of the share of a string",
                 survey = "Variance of the prevalence")

#' @rdname rr_power
#' @param object,x A plan.
#' @export
plot.rr_power <- function(x, ...) draw(x, ...)

#' @rdname rr_recommend
#' @export
plot.rr_recommendation <- plot.rr_power
