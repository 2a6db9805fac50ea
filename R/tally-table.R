# This file has the tables, the print and the pictures of a tally.

#' @export
as.data.frame.rr_tally <- function(x, ...) plain_frame(tidy(x), ...)

#' @export
tidy.rr_tally <- function(x, ...) {
  counts <- as.matrix(x$counts)
  k <- nrow(counts)
  table <- as_tibble(c(
    list(term = rep(x$mechanism$reports, ncol(counts))),
    cell_answers(x$mechanism, "reports", ncol(counts)),
    list(
      count = as.vector(counts),
      share = as.vector(sweep(counts, 2, x$n, `/`))
    )
  ))
  if (is.null(x$groups)) return(table)
  as_tibble(c(lapply(x$groups, rep, each = k), table))
}

#' @export
print.rr_tally <- function(x, ...) {
  # The panels are NULL if all rows are reports of one kind.
  panels <- tally_panels(x$mechanism)
  reports <- x$mechanism$reports
  writeLines(within_80(c(
    paste0(
      "<rr_tally> ", report_words(x), in_groups(x),
      if (x$missing > 0) sprintf(", %s missing dropped", format_count(x$missing))
    ),
    paste0("  ", format(x$mechanism)),
    if (!is.null(panels$totals)) {
      sprintf(
        paste(
          "  Row \"%s\" counts all reports of %s %s, \"%s\" those of them that say so;",
          "shares are of all reports"
        ),
        reports[panels$totals[1]], tolower(panels$noun), panels$names[1],
        reports[panels$rows[[1]][1]]
      )
    },
    if (length(x$chunks)) paste("  chunks with a label:", format_count(length(x$chunks))),
    if (!is.null(x$sets)) {
      paste(
        "  with", number_of(sum(lengths(lapply(x$sets, `[[`, "times"))), "different set")
      )
    }
  )))
  print(tidy(x))
  invisible(x)
}

# The print is the summary: without it a tally of groups, which is read like a list, would be listed
# as one.
#' @export
summary.rr_tally <- function(object, ...) object

#' @rdname rr_tally
#' @method autoplot rr_tally
#' @rawNamespace S3method(ggplot2::autoplot,rr_tally)
autoplot.rr_tally <- function(object, ...) {
  check_installed("ggplot2", "to draw a tally")
  groups <- length(object)
  if (groups > 60) abort("A picture of {format_count(groups)} groups would not be readable.")
  panels <- tally_panels(object$mechanism)
  caption <- paste0(report_words(object), ", as they were randomized.")
  picture <- if (is.null(panels)) {
    picture_of_categories(object, groups)
  } else {
    picture_of_panels(object, groups, panels)
  }
  title <- picture_title(question_of(object), object$groups, "Reported proportions")
  picture$labels$title <- wrap_text(title, 46)
  picture$labels$subtitle <- wrap_text(object$mechanism$design, 64)
  picture$labels$caption <- wrap_text(
    paste(c(caption, picture$labels$caption), collapse = " ")
  )
  picture
}

# The names of the questions or of the column of reports, if they are known.
question_of <- function(tally) names(tally$mechanism$questions) %||% tally$question

# The picture of few categories. Bars lie down, so that their labels can be read, in a panel for
# each group.
picture_of_categories <- function(object, groups) {
  reports <- object$mechanism$reports
  k <- length(reports)
  # All groups have the same categories.
  keys <- names(object$groups)
  rows <- rep(seq_len(groups), each = k)
  each <- as.data.frame(object$groups)[rows, , drop = FALSE]
  data <- data.frame(
    share = tidy(object)$share,
    panel = if (groups > 1) group_panel(each, keys) else factor(""),
    label = rows_factor(rep(reports, groups))
  )
  axis <- "Proportion of the reports"
  row_axis <- NULL
  if (groups > 1 && k == 2L) {
    # A picture of yes and no has a row for each group, for "yes", as that of a fit.
    data$label <- rows_factor(as.character(group_panel(each, keys, named = FALSE)))
    data <- data[rep(reports, groups) == reports[2], ]
    row_axis <- keys_axis(keys)
    axis <- sprintf("Proportion of the reports \"%s\"", reports[2])
    groups <- 1L
  }
  layout <- row_layout(groups, levels(data$label), levels(data$panel))
  picture <- ggplot2::ggplot(data) + ggplot2::geom_col(
    ggplot2::aes(.data$share, .data$label), fill = colour_reported, width = 0.8
  ) + ggplot2::scale_x_continuous(labels = percent_labels, breaks = layout$breaks) +
    ggplot2::labs(x = axis, y = row_axis) + theme_candor() + row_labels(layout) +
    row_theme(layout)
  if (groups > 1) picture <- picture + row_panels(layout)
  with_height(picture, layout)
}

# The panels of a tally whose respondents drew one of several submechanisms or cohorts, or of more
# than 40 categories, which are one panel without total. The value is NULL for other mechanisms.
#   noun     the kind of a panel, such as "Cohort"
#   each     what its counts are of
#   names    the names of the panels
#   rows     the positions of the counts of each panel
#   totals   the position of its total, which is in its title
#   scales   the scales of the axes
#   sorted   TRUE if the most common category comes first
tally_panels <- function(mechanism) {
  codec <- mechanism$codec
  if (!is.null(codec$width) && length(codec$numbers)) {
    cohorts <- seq_len(codec$numbers$cohort[2])
    rows <- lapply(cohorts, function(j) {
      (j - 1) * (codec$width + 1) + seq_len(codec$width)
    })
    return(list(
      noun = "Cohort",
      each = "Bit",
      names = cohorts,
      rows = rows,
      totals = cohorts * (codec$width + 1),
      scales = "free_x"
    ))
  }
  if (!is.null(codec$part)) {
    rows <- submechanism_rows(mechanism$parts)
    tree <- codec$part == "depth"
    return(list(
      noun = if (tree) "Depth" else "Question",
      each = if (tree) "Node, or report about nodes" else "Report",
      names = names(mechanism$parts),
      rows = lapply(rows, `[`, -1),
      totals = vapply(rows, `[`, 0, 1),
      scales = "free"
    ))
  }
  k <- length(mechanism$reports)
  if (k <= 40) return(NULL)
  # The most common category comes first if categories have no order.
  sorted <- !in_order(mechanism) && length(mechanism$levels) == k
  list(
    each = if (sorted) paste("Rank among", category_words(k)) else "Category",
    names = "",
    rows = list(seq_len(k)),
    scales = "fixed",
    sorted = sorted
  )
}

# A panel for each submechanism and group, with its counts as shares of those who drew it.
picture_of_panels <- function(object, groups, panels) {
  all <- length(panels$names) * groups
  selection <- head(
    expand.grid(panel = seq_along(panels$names), group = seq_len(groups)), 12
  )
  data <- do.call(
    rbind,
    Map(
      function(panel, group) panel_shares(object, groups, panels, panel, group), selection$panel,
      selection$group
    )
  )
  data$panel <- factor(data$panel, unique(data$panel))
  noun <- tolower(panels$noun)
  caption <- c(
    if (length(noun)) {
      sprintf("Each report is of one %s, whose number of reports is in brackets.", noun)
    },
    if (all > nrow(selection)) {
      sprintf("The first %s of %s panels.", nrow(selection), format_count(all))
    }
  )
  picture <- ggplot2::ggplot(data) + report_bars(max(data$position)) + ggplot2::scale_x_continuous(
    labels = format_count, breaks = few_breaks(3), guide = no_overlap()
  ) + ggplot2::scale_y_continuous(labels = percent_labels, breaks = few_breaks(3)) + ggplot2::labs(
      x = panels$each,
      y = paste("Proportion of the", if (length(noun)) paste0(noun, "'s"), "reports"),
      caption = paste(caption, collapse = " ")
    ) + theme_candor()
  if (all == 1L) return(picture)
  picture + row_panels(
    own_axes(row_layout(nlevels(data$panel), "", levels(data$panel))),
    panels$scales
  )
}

# The shares of the reports in one panel, with its title.
panel_shares <- function(object, groups, panels, panel, group) {
  counts <- as.matrix(object$counts)
  n <- if (is.null(panels$totals)) {
    object$n[group]
  } else {
    counts[panels$totals[panel], group]
  }
  values <- counts[panels$rows[[panel]], group]
  if (isTRUE(panels$sorted)) values <- sort(values, decreasing = TRUE)
  title <- c(
    if (groups > 1L) {
      as.character(group_panel(object$groups, names(object$groups)))[group]
    },
    if (!is.null(panels$noun)) {
      sprintf("%s %s (%s)", panels$noun, panels$names[panel], format_count(n))
    }
  )
  data.frame(
    position = seq_along(values),
    share = if (n > 0) values / n else 0,
    panel = paste(title, collapse = ", ")
  )
}

# Columns narrower than a pixel may not be drawn at all; a line always has a width.
report_bars <- function(k) {
  if (k <= 200) {
    return(ggplot2::geom_col(
      ggplot2::aes(.data$position, .data$share), fill = colour_reported, width = 0.8
    ))
  }
  ggplot2::geom_segment(
    ggplot2::aes(
      x = .data$position, xend = .data$position, y = 0, yend = .data$share
    ),
    colour = colour_reported, linewidth = if (k <= 1000) 0.4 else 0.25
  )
}

#' @rdname rr_tally
#' @export
plot.rr_tally <- function(x, ...) draw(x, ...)
