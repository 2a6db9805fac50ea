# Pictures of tables of estimates: a row each, with its interval, on an axis that its kind asks for.

# The kinds of numbers: the axis they are drawn on, what that is called (alone, and as the title of one of several
# panels), and where nothing would lie. Panels share one way of writing numbers, so there shares are numbers of per
# cent.
number_kinds <- list(
  share = list(axis = "Share", panel = "Shares, %", unit = 100, none = 0),
  difference = list(axis = "Difference of shares, percentage points", panel = "Differences, percentage points",
                    unit = 100, none = 0),
  ratio = list(axis = "Ratio of shares", panel = "Ratios", unit = 1, none = 1),
  number = list(axis = "Estimate", panel = "Other functions", unit = 1, none = 0),
  # Of answers that are numbers: 0 is one like any other.
  value = list(axis = "Value", panel = "Values", unit = 1, none = NA_real_)
)

# `data`: `label` (a factor, the first row on top), `panel` (a factor), `kind`, `estimate`, `conf.low`, `conf.high`.
# Values may be positions of `levels`.
draw_intervals <- function(data, title, caption, axis = NULL, rows = NULL, free = FALSE, shown = NULL, levels = NULL) {
  if (nrow(data) > 200) {
    abort(c("A picture of {format_count(nrow(data))} estimates would not be readable.",
            i = "Name those of interest in {.arg terms}, or draw some rows of the table."), "argument")
  }
  if (!nrow(data)) abort(c("There is nothing to draw.", x = "The table has no rows."), "empty")
  kinds <- names(number_kinds)[names(number_kinds) %in% data$kind]
  mixed <- length(kinds) > 1L
  if (mixed) {
    unit <- vapply(number_kinds, `[[`, 0, "unit")[data$kind]
    for (column in c("estimate", "conf.low", "conf.high")) data[[column]] <- data[[column]] * unit
    names <- vapply(number_kinds[kinds], `[[`, "", "panel")
    # Panels of their own, or one for each kind.
    if (nlevels(data$panel) < 2) data$panel <- factor(names[data$kind], unname(names))
  }
  panels <- nlevels(data$panel)
  data$none <- vapply(number_kinds, `[[`, 0, "none")[data$kind]
  labels <- if (mixed) point_format else switch(kinds, share = percent_labels, difference = point_labels,
                                                ratio = point_format, number = , value = format_count)
  if (!is.null(levels)) {
    labels <- function(x) ifelse(x %in% seq_along(levels), wrap_labels(10)(levels[pmax(round(x), 1)]), "")
  }
  logarithmic <- !mixed && kinds == "ratio"
  if (logarithmic) data <- positive_rows(data)
  fullest <- data$panel == names(which.max(table(data$panel)))
  name <- function(x) sub("^.*\r", "", x)
  across <- if (mixed && !free) 1 else panel_columns(panels, if (free) 1 else sum(fullest))
  names <- name(as.character(data$label))
  # Where each panel has names of its own, long ones leave no width to panels that stand side by side.
  if (free && !mixed && panels > 1L && max(nchar(names)) > 16L) across <- if (nrow(data) <= 30) 1 else min(across, 2)
  layout <- row_layout(panels, names[fullest], levels(data$panel), across)
  point <- row_points(layout)
  # Few levels are all there.
  breaks <- if (length(levels) %in% seq_len(c(6, 3, 2)[min(across, 3)])) seq_along(levels) else layout$breaks
  nothing <- unique(data[!is.na(data$none), c("panel", "none")])
  picture <- ggplot2::ggplot(data, ggplot2::aes(.data$estimate, .data$label)) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data$none), nothing, colour = colour_line, linewidth = 0.4) +
    ggplot2::geom_segment(ggplot2::aes(x = .data$conf.low, xend = .data$conf.high, yend = .data$label),
                          colour = colour_estimate, linewidth = 0.8, alpha = 0.55, lineend = "round", na.rm = TRUE) +
    (if (is.null(shown)) ggplot2::geom_point(colour = colour_estimate, size = point, na.rm = TRUE)
     else ggplot2::geom_point(ggplot2::aes(shape = .data[[shown]]), colour = colour_estimate, fill = "white",
                              size = point, na.rm = TRUE)) +
    row_labels(layout, name) +
    (if (logarithmic) ggplot2::scale_x_log10(labels = labels, breaks = log_breaks,
                                             guide = ggplot2::guide_axis(check.overlap = TRUE))
     else ggplot2::scale_x_continuous(labels = labels, breaks = breaks,
                                      limits = if (is.numeric(breaks)) range(breaks),
                                      guide = ggplot2::guide_axis(check.overlap = TRUE))) +
    ggplot2::labs(x = axis_title(axis %||% if (mixed) NULL else number_kinds[[kinds]]$axis), y = rows,
                  title = wrap_text(title, 46), caption = wrap_text(caption), shape = NULL) +
    theme_candor() +
    row_theme(layout)
  if (panels > 1L) {
    scales <- if (mixed && !free) "free" else if (mixed) "free_x" else if (free) "free_y" else "fixed"
    picture <- picture + row_panels(layout, scales)
  }
  with_height(picture, layout)
}

# The unit of a long title has a line of its own.
axis_title <- function(text) {
  if (length(text) && nchar(text) > 46) sub(", percentage points$", ",\npercentage points", text) else text
}

point_format <- function(x) format(x, trim = TRUE, drop0trailing = TRUE, digits = 3, scientific = FALSE)

# What has no place on a logarithmic axis is left out, as ratios that are not known. An interval from 0 on begins to the
# left of all that is drawn.
positive_rows <- function(data) {
  seen <- unlist(data[c("estimate", "conf.low", "conf.high")])
  data$conf.low[which(data$conf.low == 0 & data$estimate > 0)] <- min(seen[which(seen > 0)], Inf) / 1.5
  for (column in c("estimate", "conf.low", "conf.high")) data[[column]][which(data[[column]] <= 0)] <- NA_real_
  data
}

# What each class shows: a list with `data`, `title`, and what the rows are called, `rows`.
drawn_of <- function(x, data, labels) UseMethod("drawn_of")

drawn_of.rr_estimates <- function(x, data, labels) {
  data$label <- rows_factor(labels)
  data$panel <- factor(rep("", nrow(data)))
  data$kind <- rep("number", nrow(data))
  list(data = data, title = title_of(x)[1])
}

#' @rdname rr_estimates
#' @method autoplot rr_estimates
#' @rawNamespace S3method(ggplot2::autoplot,rr_estimates)
autoplot.rr_estimates <- function(object, terms = NULL, ...) {
  check_installed("ggplot2", "to draw estimates")
  data <- tidy(object, conf.int = TRUE, terms = terms)
  labels <- labels_of(object)
  if (!is.null(terms)) labels <- labels[match_rows(terms, labels, "estimates", "terms")]
  shown <- drawn_of(object, as.data.frame(data), labels)
  level <- attr(object, "conf.level") %||% object$conf.level
  caption <- sprintf("Lines: %s%% intervals%s.", format(100 * level),
                     if (isTRUE(object[["simultaneous"]])) ", simultaneous" else "")
  if (all(is.na(shown$data$conf.low))) caption <- "No intervals are known."
  beyond <- shown$data$estimate < shown$data$conf.low | shown$data$estimate > shown$data$conf.high
  if (any(beyond, na.rm = TRUE)) caption <- paste(caption, "They end at 0 and 1, which unbiased estimates may exceed.")
  if ("number" %in% names(shown$data) && max(table(shown$data$panel)) > 12) return(draw_cumulative(shown, caption))
  draw_intervals(shown$data, shown$title, caption, shown$axis, shown$rows)
}

# Cumulative shares of many levels that are numbers: a curve, at the numbers up to which they reach.
draw_cumulative <- function(shown, caption) {
  data <- shown$data
  panels <- nlevels(data$panel)
  layout <- row_layout(panels, "", levels(data$panel))
  ggplot2::ggplot(data, ggplot2::aes(.data$number, .data$estimate)) +
    ggplot2::geom_hline(yintercept = c(0, 1), colour = colour_line, linewidth = 0.4) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$conf.low, ymax = .data$conf.high), colour = colour_estimate,
                            alpha = 0.4, linewidth = 0.8, na.rm = TRUE) +
    ggplot2::geom_line(colour = colour_estimate, linewidth = 0.5) +
    (if (max(table(data$panel)) <= 100) ggplot2::geom_point(colour = colour_estimate, size = 1.2)) +
    ggplot2::scale_x_continuous(labels = format_count, guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::scale_y_continuous(labels = percent_labels, breaks = seq(0, 1, 0.25)) +
    ggplot2::labs(title = wrap_text(shown$title, 46), caption = wrap_text(caption), x = "Up to", y = "Share") +
    theme_candor() +
    (if (panels > 1L) row_panels(layout))
}
