# A row for each estimate, with its interval, on an axis that its kind asks for.

# The kinds of numbers: the axis they are drawn on, what that is called (alone, and as the title of
# one of several panels), and where nothing would lie. Panels share one way of writing numbers, so
# there shares are numbers of per cent.
number_kinds <- list(
  share = list(axis = "True proportion", panel = "Proportions, %", unit = 100, none = 0),
  difference = list(
    axis = "Difference, percentage points",
    panel = "Differences, percentage points",
    unit = 100,
    none = 0
  ),
  ratio = list(axis = "Ratio of proportions", panel = "Ratios", unit = 1, none = 1),
  number = list(axis = "Estimate", panel = "Other functions", unit = 1, none = 0),
  # Answers that are numbers: 0 is a value like any other.
  value = list(axis = "Value", panel = "Values", unit = 1, none = NA_real_),
  error = list(axis = "Error", panel = "Errors", unit = 1, none = NA_real_)
)

# `data`: `label` (a factor, the first row on top), `panel` (a factor), `kind`, `estimate`,
# `conf.low`, `conf.high`, and `reported` where `reported` names the two kinds of points. `shown` is
# a column that says which points are hollow. Panels are `free` where each has rows of its own, and
# have the `scales` that kinds and rows ask for.
draw_intervals <- function(
  data, title, caption, axis = NULL, rows = NULL, free = FALSE, shown = NULL,
  reported = NULL, subtitle = NULL, most = 200, scales = NULL
) {
  if (nrow(data) > most) {
    abort("A picture has room for {most} estimates: name some in {.arg terms}.")
  }
  if (!nrow(data)) abort("There is nothing to draw: the table has no rows.", "empty")
  kinds <- names(number_kinds)[names(number_kinds) %in% data$kind]
  mixed <- length(kinds) > 1L
  data <- kind_data(data, kinds)
  layout <- intervals_layout(data, free, mixed)
  nothing <- unique(data[!is.na(data$none), c("panel", "none")])
  if (is.null(axis) && !mixed) axis <- number_kinds[[kinds]]$axis
  # The unit of a title that is long, or that stands beside long names, has a line of its own.
  names_width <- min(layout$width, max(nchar(row_name(levels(data$label)))))
  if (isTRUE(nchar(axis) + names_width > 66)) {
    axis <- sub(", percentage points$", ",\npercentage points", axis)
  }
  picture <- ggplot2::ggplot(data, ggplot2::aes(.data$estimate, .data$label)) + ggplot2::geom_vline(
    ggplot2::aes(xintercept = .data$none), nothing, colour = colour_line, linewidth = 0.4
  ) + row_intervals() + row_estimates(data, layout, shown, reported) + unknown_rows(data) +
    row_labels(layout, row_name) + intervals_scale(kinds, layout) + ggplot2::labs(
      x = axis, y = rows, title = wrap_text(title, 46), subtitle = subtitle,
      caption = wrap_text(caption), shape = NULL, colour = NULL
    ) + theme_candor() + row_theme(layout)
  if (nlevels(data$panel) > 1L) {
    picture <- picture + row_panels(layout, scales %||% panel_scales(mixed, free))
  }
  # A legend of one line has no room beside long names.
  if (!is.null(reported) && names_width + sum(nchar(reported) + 6) > 62) {
    picture <- picture + ggplot2::theme(legend.direction = "vertical")
  }
  with_height(picture, layout)
}

# The rows with `none`, where nothing would lie, and with a panel for each of several kinds. Ratios
# alone have a logarithmic axis, on which 0 has no place.
kind_data <- function(data, kinds) {
  if (length(kinds) > 1L) data <- kind_panels(data, kinds)
  data$none <- vapply(number_kinds, `[[`, 0, "none")[data$kind]
  if (identical(kinds, "ratio")) positive_rows(data) else data
}

# The scales of panels: panels of `mixed` kinds have axes of their own, and `free` ones have rows of
# their own.
panel_scales <- function(mixed, free) {
  if (mixed) return(if (free) "free_x" else "free")
  if (free) "free_y" else "fixed"
}

# Numbers of several kinds have panels of their own, or one for each kind.
kind_panels <- function(data, kinds) {
  sides <- c("estimate", "conf.low", "conf.high")
  data[sides] <- lapply(
    data[sides], `*`, vapply(number_kinds, `[[`, 0, "unit")[data$kind]
  )
  names <- vapply(number_kinds[kinds], `[[`, "", "panel")
  if (nlevels(data$panel) < 2) {
    data$panel <- factor(names[data$kind], unname(names))
  }
  data
}

row_intervals <- function() {
  ggplot2::geom_segment(
    ggplot2::aes(x = .data$conf.low, xend = .data$conf.high, yend = .data$label),
    colour = colour_estimate, linewidth = 0.8, alpha = 0.55, lineend = "round", na.rm = TRUE
  )
}

# The word "unknown" in rows that would be empty, where a difference or a ratio is none.
unknown_rows <- function(data) {
  data <- data[is.na(data$estimate) & is.na(data$conf.low) & !is.na(data$none), ]
  if (!nrow(data)) return(NULL)
  ggplot2::geom_label(
    ggplot2::aes(.data$none, .data$label), data, label = "unknown", size = 3, colour = colour_aside,
    label.size = 0
  )
}

# Rows of different panels may have one name: it stands after their panel's.
row_name <- function(label) sub("^.*\r", "", label)

intervals_layout <- function(data, free, mixed) {
  panels <- nlevels(data$panel)
  names <- row_name(as.character(data$label))
  fullest <- data$panel == names(which.max(table(data$panel)))
  across <- if (mixed && !free) {
    1
  } else {
    panel_columns(panels, if (free) 1 else sum(fullest))
  }
  # If each panel has names of its own, long ones leave no width to panels that stand side by side.
  if (free && !mixed && panels > 1L && max(nchar(names)) > 16L) {
    across <- if (nrow(data) <= 30) 1 else min(across, 2)
  }
  row_layout(panels, names[fullest], levels(data$panel), across)
}

row_estimates <- function(data, layout, shown, reported) {
  size <- row_points(layout)
  if (!is.null(shown)) {
    kinds <- levels(data[[shown]])
    return(list(
      ggplot2::geom_point(
        ggplot2::aes(shape = .data[[shown]]), colour = colour_estimate, fill = "white",
        size = size, na.rm = TRUE
      ),
      ggplot2::scale_shape_manual(
        values = setNames(c(16, 21), kinds), drop = TRUE,
        guide = if (all(data[[shown]] == kinds[1])) "none" else "legend"
      )
    ))
  }
  if (is.null(reported)) {
    return(ggplot2::geom_point(colour = colour_estimate, size = size, na.rm = TRUE))
  }
  # Estimates and reported shares, where there are any, one below the other.
  points <- rbind(
    cbind(data, share = data$estimate, what = reported[1]),
    if ("reported" %in% names(data)) {
      cbind(data, share = data$reported, what = reported[2])
    }
  )
  list(
    ggplot2::geom_point(
      ggplot2::aes(
        .data$share, .data$label, colour = .data$what, shape = .data$what
      ),
      points, size = size, stroke = if (layout$rows > 20) 0.6 else 1
    ),
    ggplot2::scale_colour_manual(values = what_colours(reported), breaks = reported),
    ggplot2::scale_shape_manual(values = setNames(c(16, 1), reported), breaks = reported)
  )
}

# The names of the two kinds of shares that are drawn: recovered or reported.
what_colours <- function(names) setNames(c(colour_estimate, colour_reported), names)

intervals_scale <- function(kinds, layout) {
  labels <- if (length(kinds) > 1L) {
    point_format
  } else {
    switch(
      kinds,
      share = percent_labels,
      difference = point_labels,
      ratio = point_format,
      error = power_labels,
      format_count
    )
  }
  if (kinds[1] %in% c("ratio", "error") && length(kinds) == 1L) {
    breaks <- if (layout$across > 1L) few_log_breaks(3) else log_breaks
    return(ggplot2::scale_x_log10(labels = labels, breaks = breaks, guide = no_overlap()))
  }
  # Long numbers leave room for fewer marks.
  breaks <- function(limits) {
    marks <- layout$breaks(limits)
    if (layout$across == 1L && sum(nchar(labels(marks)) + 2) > 40) {
      few_breaks(3)(limits)
    } else {
      marks
    }
  }
  ggplot2::scale_x_continuous(labels = labels, breaks = breaks, guide = no_overlap())
}

point_format <- function(x) {
  format(x, trim = TRUE, drop0trailing = TRUE, digits = 3, scientific = FALSE)
}

position_labels <- function(levels) {
  function(x) {
    ifelse(x %in% seq_along(levels), levels[pmax(round(x), 1)], "")
  }
}

# The data without numbers that a logarithmic axis cannot hold: they are left out, as are unknown
# ratios. An interval from 0 on begins to the left of all that is drawn.
positive_rows <- function(data) {
  seen <- unlist(data[c("estimate", "conf.low", "conf.high")])
  data$conf.low[which(data$conf.low == 0 & data$estimate > 0)] <-
    min(seen[which(seen > 0)], Inf) / 1.5
  for (column in c("estimate", "conf.low", "conf.high")) {
    data[[column]][which(data[[column]] <= 0)] <- NA_real_
  }
  data
}

# The picture of a class: the arguments of draw_intervals(), with `data` and `title`; `caption` is
# added to the common one.
drawn_of <- function(x, data, labels) UseMethod("drawn_of")

drawn_of.rr_estimates <- function(x, data, labels) {
  data$kind <- rep(info_of(x, "axis_kind") %||% "number", nrow(data))
  list(
    data = data,
    title = title_of(x)[1],
    axis = info_of(x, "axis")
  )
}

# The picture with groups as rows, if there are groups.
groups_as_rows <- function(picture, keys) {
  if (!length(keys)) return(picture)
  picture$data$label <- rows_factor(as.character(group_panel(picture$data, keys, named = FALSE)))
  picture$rows <- keys_axis(keys)
  picture
}

# Means alone: a variance has another unit, and a picture only where it is asked for.
drawn_of.rr_mean_fit <- function(x, data, labels) {
  means <- data$term == "mean"
  picture <- drawn_of.rr_estimates(
    x, droplevels(if (any(means)) data[means, ] else data), labels
  )
  if (!any(means)) picture$axis <- "Variance of the truth"
  if (length(unique(picture$data$term)) == 1L) {
    picture <- groups_as_rows(picture, names(x$tally$groups))
  }
  picture$title <- picture_title(
    question_of(x$tally), x$tally$groups, if (any(means)) "True mean" else "Variance of the truth"
  )
  picture$caption <- paste0(" ", capitalise(report_words(x$tally)), ".")
  picture
}

# A panel for the prevalence, and one for the attentive. The share of "no" is 1 less the prevalence,
# and drawn if it alone is named.
drawn_of.rr_attention <- function(x, data, labels) {
  no <- x$mechanism$levels[1]
  yes <- x$mechanism$levels[2]
  if (yes %in% data$term) data <- data[data$term != no, ]
  keys <- names(x$tally$groups)
  data$panel <- one_panel(data)
  if (length(keys)) data$panel <- factor(data$term, unique(data$term))
  data$label <- droplevels(data$label)
  picture <- groups_as_rows(drawn_of.rr_estimates(x, data, labels), keys)
  picture$title <- picture_title(question_of(x$tally)[1], x$tally$groups)
  picture$subtitle <- "Corrected for inattentive respondents"
  picture$caption <- paste0(" ", capitalise(report_words(x$tally)), ".")
  picture
}

#' @rdname estimate_methods
#' @method autoplot rr_estimates
#' @rawNamespace S3method(ggplot2::autoplot,rr_estimates)
autoplot.rr_estimates <- function(object, terms = NULL, ...) {
  check_installed("ggplot2", "to draw estimates")
  index <- match_estimates(terms, object, arg = "terms")
  data <- as.data.frame(tidy(object, conf.int = TRUE))[index, ]
  labels <- labels_of(object)[index]
  data$label <- rows_factor(labels)
  data$panel <- one_panel(data)
  picture <- drawn_of(object, data, labels)
  data <- picture$data
  level <- info_of(object, "conf.level")
  ranked <- isTRUE(info_of(object, "ranked"))
  looking <- isTRUE(info_of(object, "looking"))
  kind <- looking_words(level, looking, info_of(object, "simultaneous"), ranked)
  caption <- paste0(
    "Lines: ", kind, ".", if (ranked) paste0(" ", rank_words(level, looking), "."),
    picture$caption
  )
  if (all(is.na(data$conf.low))) caption <- paste("No intervals are known.", picture$unknown)
  picture$unknown <- NULL
  beyond <- data$estimate < data$conf.low | data$estimate > data$conf.high
  if (any(beyond, na.rm = TRUE)) {
    caption <- paste(caption, "They end at possible values, which unbiased estimates may exceed.")
  }
  picture$caption <- caption
  do.call(draw_intervals, picture)
}
