# A tally as a table, and as people read it.

#' @export
as.data.frame.rr_tally <- function(x, ...) {
  plain_frame(tidy(x), ...)
}

#' @export
tidy.rr_tally <- function(x, ...) {
  counts <- as.matrix(x$counts)
  k <- nrow(counts)
  table <- tibble::as_tibble(c(list(term = rep(x$mechanism$reports, ncol(counts))),
                               cell_answers(x$mechanism, "reports", ncol(counts)),
                               list(count = as.vector(counts), share = as.vector(sweep(counts, 2, x$n, `/`)))))
  if (is.null(x$groups)) return(table)
  tibble::as_tibble(c(lapply(x$groups, rep, each = k), table))
}

#' @export
print.rr_tally <- function(x, ...) {
  lines <- tally_lines(x)
  writeLines(c(paste("<rr_tally>", lines[1]), lines[-1]))
  k <- length(x$mechanism$reports)
  if (k <= 1e6) {
    print(tidy(x))
  } else {
    # Labels of all categories would take more than their counts.
    first <- group_counts(x, 1)[1:10]
    print(tibble::tibble(term = x$mechanism$reports[1:10], count = first, share = first / x$n[1]))
    cat("  ... and ", format_count(length(x$counts) - 10), " more rows\n", sep = "")
  }
  invisible(x)
}

#' @exportS3Method knitr::knit_print
knit_print.rr_tally <- function(x, ...) {
  table <- tidy(x)
  knit_result(x, tally_lines(x), utils::head(table, 25), nrow(table))
}

# What the rows are where they are not all reports of one kind.
part_line <- function(mechanism) {
  first <- mechanism$reports[1:2]
  if (inherits(mechanism, "rr_bloom")) {
    all <- mechanism$reports[mechanism$bits_number + 1]
    return(sprintf(paste("  Row \"%s\" counts all reports of cohort 1, \"%s\" those of them with this bit;",
                         "shares are of all reports"), all, first[1]))
  }
  if (!inherits(mechanism, "rr_sampled")) return(NULL)
  sprintf(paste("  Row \"%s\" counts all reports of this %s, \"%s\" those of them that say so;",
                "shares are of all reports"), first[1],
          if (inherits(mechanism, "rr_hierarchy")) "depth" else "question", first[2])
}

tally_lines <- function(x) {
  c(paste0(report_words(x), if (!is.null(x$groups)) in_groups(x),
           if (x$missing > 0) sprintf(", %s missing dropped", format_count(x$missing))),
    paste0("  ", format(x$mechanism)),
    part_line(x$mechanism),
    if (!is.null(x$chunks)) chunk_words(length(x$chunks)),
    if (!is.null(x$sets)) {
      paste0("  with ", format_count(sum(vapply(x$sets, function(s) length(s$times), 0L))), " different sets, ",
             format(structure(sum(vapply(x$sets, function(s) length(s$bits) + 8 * length(s$times), 0)),
                              class = "object_size"),
                    units = "auto"))
    })
}

# Of a tally some of whose chunks have labels, or of some of its groups.
chunk_words <- function(number) {
  sprintf(if (number == 1) "  with the label of %s chunk" else "  with the labels of %s chunks", format_count(number))
}

# The print is the summary: without it a tally of groups, which is read like a list, would be listed as one.
#' @export
summary.rr_tally <- function(object, ...) {
  object
}

#' Picture of a tally
#'
#' The reported shares, one bar per category, with a panel for each group; of a yes/no question asked in several groups one bar per group, for "yes". Where each respondent drew a depth, a cohort or a question ([rr_hierarchy()], [rr_bloom()], [rr_sample_questions()]) there is
#' a panel for each of the first twelve, with shares of those who drew it. They show what was reported, not what is true; [rr_estimate()] estimates the truth.
#'
#' @param object,x A tally of [rr_tally()] or [rr_counts()].
#' @param ... Not used.
#' @return A ggplot object, to be printed, saved or changed.
#' @section Errors:
#' `candor_error_argument` for more than 60 groups; `candor_error_package` where ggplot2 is not installed.
#' @source The shares are those of [tidy()] of a tally.
#' @name autoplot.rr_tally
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' plot(rr_counts(c(420, 330, 250), rr_grr(c("never", "once", "often"), epsilon = 1)))
#' @method autoplot rr_tally
#' @rawNamespace S3method(ggplot2::autoplot,rr_tally)
autoplot.rr_tally <- function(object, ...) {
  check_installed("ggplot2", "to draw a tally")
  panels <- length(object)
  if (panels > 60) {
    abort(c("A picture of {format_count(panels)} groups would not be readable.",
            i = "Take some of them with {.code [}."), "argument")
  }
  parts <- tally_parts(object$mechanism)
  if (!is.null(parts)) return(plot_parts(object, parts))
  reports <- object$mechanism$reports
  k <- length(reports)
  few <- k <= 40
  # All groups have the same categories, at the same places.
  data <- data.frame(at = rep(seq_len(k), panels), share = tidy(object)$share,
                     panel = rep(factor(seq_len(panels)), each = k))
  levels(data$panel) <- names(object) %||% ""
  data$label <- if (few) rows_factor(rep(reports, panels))
  axis <- "Share of the reports"
  if (panels > 1 && k == 2L) {
    # As in the picture of a fit: a row for each group, for "yes".
    data <- data[data$at == 2L, ]
    data$label <- rows_factor(as.character(data$panel))
    axis <- sprintf("Share of the reports \"%s\"", reports[2])
    panels <- 1L
  }
  picture <- ggplot2::ggplot(data) +
    ggplot2::labs(title = "Reported shares", subtitle = wrap_text(object$mechanism$design, 64), y = NULL,
                  caption = wrap_text(paste0(report_words(object), ", as they were randomised."))) +
    theme_candor()
  if (!few) {
    if (panels > 1) picture <- picture + row_panels(row_layout(panels, "", levels(data$panel)))
    return(picture +
      tally_bars(k) +
      ggplot2::scale_x_continuous(labels = format_count, guide = ggplot2::guide_axis(check.overlap = TRUE)) +
      ggplot2::scale_y_continuous(labels = percent_labels, breaks = few_breaks(if (panels > 1) 2 else 5)) +
      ggplot2::labs(x = "Category", y = axis))
  }
  # Bars lie down where their labels are to be read.
  layout <- row_layout(panels, levels(data$label), levels(data$panel))
  if (panels > 1) picture <- picture + row_panels(layout)
  with_height(picture +
    ggplot2::geom_col(ggplot2::aes(.data$share, .data$label), fill = colour_reported, width = 0.8) +
    ggplot2::scale_x_continuous(labels = percent_labels, breaks = layout$breaks) +
    row_labels(layout) + row_theme(layout) + ggplot2::labs(x = axis), layout)
}

# Columns narrower than a pixel may not be drawn at all; a line always has a width.
tally_bars <- function(k) {
  if (k <= 200) return(ggplot2::geom_col(ggplot2::aes(.data$at, .data$share), fill = colour_reported, width = 0.8))
  ggplot2::geom_segment(ggplot2::aes(x = .data$at, xend = .data$at, y = 0, yend = .data$share),
                        colour = colour_reported, linewidth = if (k <= 1000) 0.4 else 0.25)
}

# Counts of several parts, of which each respondent drew one: the name of a part, what its counts are of, and where its
# total and its counts are. NULL for other mechanisms.
tally_parts <- function(mechanism) {
  if (inherits(mechanism, "rr_bloom")) {
    bits <- mechanism$bits_number
    rows <- lapply(seq_len(mechanism$cohorts), function(j) (j - 1) * (bits + 1) + seq_len(bits))
    return(list(part = "Cohort", each = "Bit", names = seq_len(mechanism$cohorts), rows = rows,
                totals = seq_len(mechanism$cohorts) * (mechanism$bits_number + 1), labels = NULL))
  }
  if (!inherits(mechanism, "rr_sampled")) return(NULL)
  rows <- part_rows(mechanism$parts)
  tree <- inherits(mechanism, "rr_hierarchy")
  list(part = if (tree) "Depth" else "Question", each = if (tree) "Node, or report about nodes" else "Report",
       names = names(mechanism$parts), rows = lapply(rows, `[`, -1), totals = vapply(rows, `[`, 0, 1))
}

# A panel for each part (and group): its counts as shares of those who drew it. Totals are in the title of the panel.
plot_parts <- function(object, parts) {
  groups <- names(object) %||% ""
  counts <- as.matrix(object$counts)
  shown <- utils::head(expand.grid(part = seq_along(parts$names), group = seq_along(groups)), 12)
  data <- do.call(rbind, lapply(seq_len(nrow(shown)), function(i) {
    part <- shown$part[i]
    n <- counts[parts$totals[part], shown$group[i]]
    values <- counts[parts$rows[[part]], shown$group[i]]
    title <- paste0(if (length(groups) > 1L) paste0(groups[shown$group[i]], ", "), parts$part, " ", parts$names[part],
                    " (", format_count(n), ")")
    data.frame(at = seq_along(values), share = if (n > 0) values / n else 0, panel = title)
  }))
  data$panel <- factor(data$panel, unique(data$panel))
  all <- length(parts$names) * length(groups)
  left <- if (all > nrow(shown)) sprintf(" The first %s of %s panels.", nrow(shown), format_count(all))
  what <- tolower(parts$part)
  ggplot2::ggplot(data) +
    tally_bars(max(data$at)) +
    ggplot2::facet_wrap(~panel, scales = if (what == "cohort") "free_x" else "free",
                        ncol = if (nrow(shown) > 4) 4 else c(1, 2, 3, 2)[nrow(shown)]) +
    ggplot2::scale_x_continuous(labels = format_count, breaks = few_breaks(3),
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::scale_y_continuous(labels = percent_labels, breaks = few_breaks(3)) +
    ggplot2::labs(title = "Reported shares", subtitle = wrap_text(object$mechanism$design, 64), x = parts$each,
                  y = sprintf("Share of the %s's reports", what),
                  caption = wrap_text(paste0(report_words(object), ", as they were randomised. Each report is of one ",
                                             what, ", whose number of reports is in brackets.", left))) +
    theme_candor()
}

#' @rdname autoplot.rr_tally
#' @export
plot.rr_tally <- function(x, ...) {
  draw(x, ...)
}
