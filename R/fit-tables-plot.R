#' Pictures of comparisons, effects, quantiles and the most common categories
#'
#' * Of [rr_compare()]: a row for each pair of groups, with the interval of its difference or ratio, and a panel for each category. Differences are
#'   in percentage points, about 0; ratios on a logarithmic axis, about 1.
#' * Of [rr_effects()]: a row for each effect, in percentage points; the average truth stands below the title. With groups (`by`) a row for each
#'   group and a panel for the average and for each effect.
#' * Of [rr_top()]: the categories from the most common down, with their intervals by rank; hollow points are those that are not shown to be
#'   present. Groups have panels.
#' * Of [rr_heavy_hitters()]: the strings that were found, from the most frequent down.
#' * Of [rr_quantile()]: a row for each probability, the largest on top, so that the points lie along the cumulative shares. Groups have panels; one quantile of
#'   several groups has a row for each group.
#'
#' `tidy()` of the tables gives their rows and columns as a plain tibble, intervals included.
#'
#' Some rows or columns of the table may be left out before; those that are drawn must still be there. Up to 200 rows are drawn.
#'
#' @param object,x A table of [rr_compare()], [rr_effects()], [rr_top()], [rr_heavy_hitters()] or [rr_quantile()].
#' @param ... Not used.
#' @return A ggplot object, to be printed, saved or changed; `plot()` draws it and returns it invisibly.
#' @section Errors:
#' `candor_error_argument` for tables that lost columns and for more than 200 rows, `candor_error_empty` for no rows, `candor_error_package` where ggplot2 is not installed.
#' @source The estimates and intervals are those of the tables, whose pages have the references.
#' @name autoplot.rr_compare
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' counts <- cbind(north = c(no = 620, yes = 380), south = c(700, 300), west = c(660, 340))
#' plot(rr_compare(rr_estimate(rr_counts(counts, rr_warner(0.8)))))
#' common <- rr_top(rr_counts(c(a = 300, b = 160, c = 90, d = 70), rr_grr(letters[1:4], epsilon = 2)))
#' ggplot2::autoplot(common)
#' ages <- rr_counts(c(20, 30, 60, 90, 50),
#'                   rr_geometric(c("0-17", "18-39", "40-59", "60-79", "80+"), epsilon = 1))
#' plot(rr_quantile(rr_estimate(ages), seq(0.1, 0.9, by = 0.2), breaks = c(0, 18, 40, 60, 80, 110)))
NULL

#' @rdname autoplot.rr_compare
#' @method autoplot rr_compare
#' @rawNamespace S3method(ggplot2::autoplot,rr_compare)
autoplot.rr_compare <- function(object, ...) {
  check_installed("ggplot2", "to draw a comparison")
  ratio <- identical(attr(object, "type"), "ratio")
  data <- as.data.frame(object)
  data$label <- rows_factor(paste(data$group2, if (ratio) "/" else "-", data$group1))
  data$panel <- factor(data$term, unique(data$term))
  data$kind <- rep(if (ratio) "ratio" else "difference", nrow(data))
  one <- if (nlevels(data$panel) == 1L) levels(data$panel)
  axis <- if (ratio) "Ratio of the shares" else "Difference of the shares"
  draw_intervals(data, if (ratio) "Ratios between groups" else "Differences between groups",
                 sprintf("Lines: %sintervals, each for its own pair of groups.%s", level_words(object),
                         if (ratio && any(data$conf.low == 0, na.rm = TRUE)) " Those from the left end begin at 0."
                         else ""),
                 paste0(axis, if (!is.null(one)) sprintf(" of \"%s\"", one), if (!ratio) ", percentage points"))
}

# "95% ", if the table still knows it.
level_words <- function(table) {
  level <- attr(table, "conf.level")
  if (is.null(level)) "" else paste0(format(100 * level), "% ")
}

#' @rdname autoplot.rr_compare
#' @method autoplot rr_top
#' @rawNamespace S3method(ggplot2::autoplot,rr_top)
autoplot.rr_top <- function(object, ...) {
  check_installed("ggplot2", "to draw the most common categories")
  data <- as.data.frame(object)
  keys <- names(data)[seq_len(match("rank", names(data)) - 1L)]
  data$panel <- group_panel(data, keys)
  # Each group has an order of its own.
  data$label <- rows_factor(paste(data$panel, data$term, sep = "\r"))
  data$kind <- rep("share", nrow(data))
  present <- if (is.logical(data$present)) data$present else rep(TRUE, nrow(data))
  known <- c("present", "not shown to be present")
  data$present <- factor(known[2 - present], known)
  found <- is.logical(object[["present"]]) && !is.null(attr(object, "alpha"))
  rule <- sprintf("%s, alpha = %s", attr(object, "adjust"), format(attr(object, "alpha")))
  picture <- draw_intervals(data, "The most common categories", sprintf(
    "Lines: %sintervals by rank%s.%s", level_words(object), ranked_caption(object),
    if (!found) "" else sprintf(if (all(present)) " All are present (%s)." else " Filled: present (%s).", rule)
  ), free = nlevels(data$panel) > 1L, shown = "present")
  picture + ggplot2::scale_shape_manual(values = stats::setNames(c(16, 21), known), drop = TRUE,
                                        guide = if (all(present)) "none" else "legend")
}

#' @rdname autoplot.rr_compare
#' @method autoplot rr_heavy_hitters
#' @rawNamespace S3method(ggplot2::autoplot,rr_heavy_hitters)
autoplot.rr_heavy_hitters <- function(object, ...) {
  check_installed("ggplot2", "to draw the strings that were found")
  data <- as.data.frame(object)
  data$label <- rows_factor(data$term)
  data$panel <- factor(rep("", nrow(data)))
  data$kind <- rep("share", nrow(data))
  n <- attr(object, "n")
  draw_intervals(data, "Frequent strings, found by their prefixes", sprintf(
    "Lines: %sintervals%s%s%s.", level_words(object),
    if (isTRUE(attr(object, "simultaneous"))) " that hold for all strings at once" else " by rank",
    if (is.null(n)) "" else sprintf(", from %s respondents held out", format_count(n)),
    if (isTRUE(attr(object, "simultaneous"))) "" else ranked_caption(object)
  ))
}

# What intervals by rank promise; a table whose rows were taken by other verbs may have lost its level.
ranked_caption <- function(object) {
  if (is.null(attr(object, "conf.level"))) "" else paste0(". ", rank_words(attr(object, "conf.level")))
}

#' @rdname autoplot.rr_compare
#' @method autoplot rr_quantile
#' @rawNamespace S3method(ggplot2::autoplot,rr_quantile)
autoplot.rr_quantile <- function(object, ...) {
  check_installed("ggplot2", "to draw quantiles")
  data <- as.data.frame(object)
  probs <- sort(unique(data$prob))
  data$panel <- group_panel(data, names(data)[seq_len(match("prob", names(data)) - 1L)])
  data$label <- factor(data$prob, probs, percent_labels(probs))
  data$kind <- rep("value", nrow(data))
  axis <- "Quantile"
  rows <- "Cumulative share"
  if (length(probs) == 1L && nlevels(data$panel) > 1L) {
    data$label <- rows_factor(as.character(data$panel))
    data$panel <- factor(rep("", nrow(data)))
    axis <- if (probs == 0.5) "Median" else paste(axis, percent_labels(probs))
    rows <- NULL
  }
  caption <- sprintf("Lines: %sintervals.", level_words(object))
  if (all(is.na(data$conf.low))) caption <- "No intervals are known."
  draw_intervals(data, if (axis == "Median") "Medians" else "Quantiles", caption, axis, rows,
                 levels = attr(object, "levels"))
}

#' @rdname autoplot.rr_compare
#' @export
plot.rr_compare <- function(x, ...) draw(x, ...)

#' @rdname autoplot.rr_compare
#' @export
plot.rr_heavy_hitters <- function(x, ...) draw(x, ...)

#' @rdname autoplot.rr_compare
#' @export
plot.rr_quantile <- function(x, ...) draw(x, ...)

#' @rdname autoplot.rr_compare
#' @export
plot.rr_top <- function(x, ...) draw(x, ...)

# ---- as plain tables ----

# The tables are tidy already, intervals and all: only what prints and draws them is dropped.
plain_tibble <- function(x) {
  tibble::as_tibble(unclass(x)[names(x)])
}

#' @export
tidy.rr_compare <- function(x, ...) plain_tibble(x)

#' @export
tidy.rr_top <- function(x, ...) plain_tibble(x)

#' @export
tidy.rr_quantile <- function(x, ...) plain_tibble(x)
