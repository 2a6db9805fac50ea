#' Plots of estimates, comparisons and regressions
#'
#' `plot()` draws, and `ggplot2::autoplot()` returns, a picture of a fit of [rr_estimate()], or of a table of [rr_compare()], [rr_effects()], [rr_top()],
#' [rr_heavy_hitters()] or [rr_quantile()], or a regression of [rr_glm()].
#'
#' @section Pictures of fits:
#' A fit is drawn as estimates with their intervals, beside the reported shares (hollow points). The layout depends on the number of categories and groups:
#'
#' * up to 40 categories: one row per category.
#' * a yes/no question in groups: one row per group, for "yes".
#' * groups that are dates (also as text, "2026-10-27"), times or years: time along an axis, a panel per category; up to 8 further groups are lines.
#' * bins and levels of a tree, more than 12 ([rr_square_wave()], [rr_hierarchy()]): along an axis of numbers.
#' * more than 40 ordered categories (numbers, ordered factor): along an axis, in their order.
#' * more than 40 other categories: ranked by estimate, on logarithmic axes, with a band for the intervals.
#' * more than 200 categories: intervals as a band, reported shares as points.
#'
#' The title is the name of the column, or its variable label, if `rr_estimate()` was given a `column`, and otherwise says what is drawn; the groups follow. Axes, titles of panels or names of lines
#' name the grouping variables. In one panel the names of up to 8 lines stand at the ends of the lines.
#'
#' For print in black and white, `options(candor.palette = "grey")` draws all pictures in shades of grey.
#'
#' Forty rows need 4 inches of height. If the device is too small, a message gives the height that is needed.
#'
#' Pictures that sort categories by size have the intervals by rank of [rr_top()] instead of the default or exact intervals. The caption says so.
#'
#' @section Pictures of tables:
#' The picture of a table depends on its function:
#'
#' * [rr_compare()]: a row per pair of groups with the interval, a panel per category (for one pair a row per category); differences in percentage points, ratios on a logarithmic axis.
#' * [rr_effects()]: a row per effect, in percentage points; with `by` a row per group and a panel per effect.
#' * [rr_top()]: categories from the most common down, with intervals by rank; hollow points are not shown to be present.
#' * [rr_heavy_hitters()]: the strings that were found, from the most frequent down.
#' * [rr_quantile()]: a row per group and a panel per probability.
#'
#' Rows of a table may be left out before it is drawn. Up to 200 rows are drawn. `as.data.frame()` gives the rows and columns of the picture.
#'
#' @section Pictures of regressions:
#' A fit of [rr_glm()] is drawn, under the name of the answers, as the predicted probability of a true yes along one covariate, with a confidence band. The other covariates are held at their means or most
#' frequent values, which the caption names. A factor has a row for each of its values. `plot(fit, which = 1)` draws diagnostics of the residuals of the reports.
#'
#' @param object,x A fit of [rr_estimate()], including survey designs, a table as listed above, or a fit of [rr_glm()].
#' @param order Logical. Order categories by their estimate? Default `NULL`: up to 40 categories and ordered categories keep their order, others are ranked.
#' @param terms Categories, as labels or positions, such as `"yes"`; default all.
#' @param variable For a regression: name of a covariate; default the first.
#' @param by For a regression: name of a covariate of at most 8 values, with a line for each. Default: a covariate that interacts with `variable`, or none. `character()`: none.
#' @param conf.level For a regression: confidence level of the band, a number in (0, 1); default 0.95.
#' @param type For a fit: `"shares"` (default), or `"trace"` for the distance of the iterates of `"ibu"` from the maximum. For a regression: `"truth"` (default) for the
#'   probability along a covariate, or `"coefficients"` for a row with an interval per coefficient.
#' @param exponentiate For `type = "coefficients"`: logical, default `FALSE`. Draw factors such as odds ratios, on a logarithmic axis?
#' @param which For `plot()` of a regression: diagnostics to draw instead, numbers from 1 to 6 as in [stats::plot.lm()]; default none.
#' @param ... For `plot()` with `which` further arguments of [stats::plot.lm()]; otherwise not used.
#' @return A ggplot object, to be printed, saved or changed. `plot()` returns it invisibly.
#' @section Errors:
#' `candor_error_level`, `candor_error_empty` (no rows), `candor_error_package` (ggplot2 is not installed), `candor_error_argument` (also for more than 200 rows of a table, missing columns). See [candor_conditions].
#' @references Wilke, C. O. (2019). *Fundamentals of Data Visualization*. O'Reilly, chapter 16 (uncertainty). <https://clauswilke.com/dataviz/>
#' @seealso [rr_estimate()], [rr_glm()], [rr_effects()], [rr_compare()], [rr_top()].
#' @concept plot
#' @concept forest plot
#' @concept effect plot
#' @order 1
#' @aliases autoplot.rr_compare
#' @name autoplot.rr_fit
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' # How often? Estimates (points), intervals (lines) and reported shares
#' # (hollow points)
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' fit <- rr_estimate(rr_counts(c(never = 420, once = 330, often = 250),
#'                              mechanism))
#' plot(fit)
#' # The same as a ggplot, to be changed
#' ggplot2::autoplot(fit, order = TRUE) + ggplot2::labs(title = "How often")
#' # Do three regions differ?
#' counts <- cbind(north = c(no = 620, yes = 380),
#'                 south = c(700, 300),
#'                 west = c(660, 340))
#' plot(rr_compare(rr_estimate(rr_counts(counts, rr_warner(0.8)))))
NULL

#' @rdname autoplot.rr_fit
#' @method autoplot rr_fit
#' @rawNamespace S3method(ggplot2::autoplot,rr_fit)
autoplot.rr_fit <- function(
  object, order = NULL, terms = NULL, type = c("shares", "trace"), ...
) {
  if (!is.null(order)) check_flag(order, "order")
  type <- check_choice(type)
  check_installed("ggplot2", "to draw a fit")
  if (type == "trace") return(draw_trace(object))
  draw_shares(object, order, match_terms(terms, object, "terms"))
}

#' @rdname autoplot.rr_fit
#' @method autoplot rr_survey
#' @rawNamespace S3method(ggplot2::autoplot,rr_survey)
autoplot.rr_survey <- autoplot.rr_fit

# The distance of the iterates of "ibu" from the maximum, a line for each group, as Figure 4 of
# Pinzon et al. (2026).
draw_trace <- function(fit) {
  data <- tidy(fit, type = "trace")
  keys <- names(fit$tally$groups)
  data$mechanism <- if (length(keys)) group_panel(data, keys) else factor("distance")
  data <- data[
    data$iteration > 0 & !is.na(data$distance) & data$distance > 0,
  ]
  if (!nrow(data)) abort("The maximum is not unique: the iterates have no distance from it.")
  rates <- vapply(fit$details, `[[`, 0, "rate")
  ggplot2::ggplot(data, ggplot2::aes(.data$iteration, .data$distance)) +
    design_lines(data$mechanism, Inf) +
    ggplot2::scale_x_log10(labels = format_count, breaks = few_log_breaks(6)) +
    ggplot2::scale_y_log10(labels = power_labels, breaks = few_log_breaks(7)) +
    ggplot2::labs(
      x = "Iterations", y = "Distance from the maximum", title = "Iterative Bayesian update",
      subtitle = paste("Rate at the maximum:", paste(format(rates, digits = 6), collapse = ", "))
    ) + theme_candor()
}

# Three layouts: time along an axis; a row for each category or group; categories along an axis, at
# their places or by rank.
draw_shares <- function(fit, order, which) {
  data <- plot_data(fit, which)
  keys <- names(fit$tally$groups)
  data[keys] <- lapply(data[keys], iso_dates)
  k <- length(unique(data$term))
  # One key is a time; more than 12 categories would be too many panels, and more than 8 further
  # groups too many colours.
  key <- names(which(vapply(as.list(data[keys]), is_time, NA)))
  further <- setdiff(keys, key)
  if (length(key) == 1L && k <= 12 &&
      nlevels(group_panel(data, further)) <= length(line_colours)) {
    return(plot_times(fit, data, key, further))
  }
  along <- !is.null(axis_numbers(fit$mechanism)) && k > 12 && !isTRUE(order)
  few <- k <= 40 && !along
  sorted <- isTRUE(order) || (is.null(order) && !few && !in_order(fit$mechanism))
  # If categories are sorted by size, a reader picks them by looking. Other kinds of interval were
  # asked for by name.
  if (sorted && !(few && rows_are_groups(fit, data)) && !fit$simultaneous && (inherits(
      fit, "rr_survey"
    ) || fit$interval %in% c("wilson", "exact", fit_default_interval(fit)))) {
    fit$ranked <- TRUE
    data[c("conf.low", "conf.high")] <- lapply(
      fit_intervals(fit, which = which, ranked = TRUE), as.vector
    )
  }
  if (few) plot_rows(fit, data, sorted) else plot_along(fit, data, sorted)
}

# Several dates, times or years.
is_time <- function(x) {
  years <- is.numeric(x) && !is.object(x) &&
    all(x == floor(x) & x >= 1900 & x <= 2100)
  (inherits(x, c("Date", "POSIXct")) || years) &&
    length(unique(x)) > 1L
}

# Engines without dates, such as SQLite, give text.
iso_dates <- function(x) {
  dates <- if (is.character(x) && all(grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", x))) {
    as.Date(x, "%Y-%m-%d")
  }
  if (is.null(dates) || anyNA(dates)) x else dates
}

# The positions of levels on an axis of numbers: bins at their middles, and the levels of a tree.
axis_numbers <- function(mechanism) {
  breaks <- mechanism$breaks
  if (length(breaks) == length(mechanism$levels) + 1L) {
    return((breaks[-1] + breaks[-length(breaks)]) / 2)
  }
  if (identical(mechanism$codec$part, "depth")) level_numbers(mechanism)
}

plot_data <- function(fit, which) {
  data <- tidy_rows(fit, TRUE, fit$conf.level, which)
  data$panel <- group_panel(data, names(fit$tally$groups))
  # A channel's reports may be other categories than the truths. Totals are no shares.
  mechanism <- fit$mechanism
  if (identical(mechanism$reports, mechanism$levels) && !isTRUE(fit$total)) {
    data$reported <- as.vector(
      sweep(as.matrix(fit$tally$counts), 2, fit$tally$n, `/`)[
        which,
      ]
    )
  }
  data
}

plot_caption <- function(fit, what) {
  source <- paste(fit$estimator$title, "of", report_words(fit$tally))
  if (fit$interval == "none") {
    return(wrap_text(sprintf("%s. No intervals: %s.", source, fit$estimator$no_intervals)))
  }
  survey <- inherits(fit, "rr_survey")
  ranked <- isTRUE(fit$ranked)
  # An estimate outside of its own interval looks like a mistake of the picture.
  beyond <- if (any(fit$estimate < 0 | fit$estimate > 1) && !survey &&
      fit$interval != "wald") {
    paste0(" Unbiased estimates may be impossible shares: their intervals end at 0% and 100%.",
           if (is_doubted(fit)) " The reports are unlikely under this design.")
  }
  wrap_text(
    paste0(
      source, ". ", what, ": ", interval_words(fit$conf.level, interval_label(fit)), " for the ",
      fit$target, if (survey) ", by the design",
      if (fit$simultaneous) ", simultaneous" else if (ranked) ", by rank", ".",
      if (ranked) paste0(" ", rank_words(fit$conf.level, fit$interval == "anytime"), "."),
      beyond
    )
  )
}

# `terms`: the categories that are drawn.
plot_title <- function(fit, terms) {
  otherwise <- share_title(fit, terms, 200)
  if (length(terms) > 1L) otherwise <- plural(otherwise)
  picture_title(question_of(fit$tally), fit$tally$groups, otherwise)
}

plural <- function(what) sub("proportion$", "proportions", what)

plot_base <- function(fit, data, what = "Lines", layout = NULL) {
  plot <- ggplot2::ggplot(data) + ggplot2::labs(
    title = wrap_text(plot_title(fit, shown_terms(fit, data)), 46),
    subtitle = wrap_text(fit$mechanism$design, 64), caption = plot_caption(fit, what),
    colour = NULL, shape = NULL, fill = NULL
  ) + theme_candor()
  if (length(unique(data$panel)) < 2) {
    plot
  } else {
    plot + row_panels(layout %||% list(title_width = 18, title_size = 10))
  }
}

share_names <- function(mechanism) {
  c("Estimate", paste(c("Reported", report_meaning(mechanism)), collapse = ": "))
}

# The axis of shares, or of people.
share_scale <- function(fit, scale, ...) {
  scale(labels = if (isTRUE(fit$total)) format_count else percent_labels, ...)
}

# The title of an axis. It names a category that is alone, since no panel does.
share_title <- function(fit, terms, width = 20) {
  what <- if (isTRUE(fit$total)) "People" else "True proportion"
  if (length(terms) > 1L) return(what)
  wrap_text(
    sprintf("%s \"%s\"", if (isTRUE(fit$total)) "People with" else "True proportion of", terms),
    width
  )
}

# The two shares of a yes/no question add up to 1: one row per group, for "yes", is enough and easy
# to compare.
rows_are_groups <- function(fit, data) {
  nlevels(data$panel) > 1L && length(shown_terms(fit, data)) == 1L
}

shown_terms <- function(fit, data) {
  terms <- unique(data$term)
  if (length(fit$mechanism$levels) == 2L && length(terms) == 2L) {
    fit$mechanism$levels[2]
  } else {
    terms
  }
}

plot_rows <- function(fit, data, order) {
  axis <- share_title(fit, c("", ""))
  title <- plot_title(fit, unique(data$term))
  questions <- names(fit$mechanism$questions)
  rows <- if (length(questions)) wrap_text(paste(questions, collapse = ", "), 20)
  if (rows_are_groups(fit, data)) {
    term <- shown_terms(fit, data)
    title <- plot_title(fit, term)
    keys <- row_keys(fit, data)
    rows <- keys_axis(keys)
    axis <- share_title(fit, term, 200)
    data <- group_rows(fit, data[data$term == term, ], keys)
  }
  sorted <- if (order) {
    base::order(data$estimate, decreasing = TRUE)
  } else {
    seq_len(nrow(data))
  }
  data$label <- factor(data$term, rev(unique(data$term[sorted])))
  data$kind <- rep(if (isTRUE(fit$total)) "number" else "share", nrow(data))
  reported <- if (!isTRUE(fit$total)) share_names(fit$mechanism)
  draw_intervals(
    data, title, plot_caption(fit, "Lines"), axis, rows, most = Inf, reported = reported,
    subtitle = wrap_text(fit$mechanism$design, 64)
  )
}

# The last of several keys is the row, the others make the panels, if these are few.
row_keys <- function(fit, data) {
  keys <- names(fit$tally$groups)
  if (nlevels(group_panel(data, head(keys, -1L))) <= 4L) {
    tail(keys, 1L)
  } else {
    keys
  }
}

group_rows <- function(fit, data, rows) {
  data$term <- as.character(group_panel(data, rows, named = FALSE))
  data$panel <- group_panel(data, setdiff(names(fit$tally$groups), rows))
  data
}

# Time along an axis. The share of "yes" suffices for a yes/no question. Further groups have lines
# of their own.
plot_times <- function(fit, data, key, further) {
  terms <- shown_terms(fit, data)
  data <- data[data$term %in% terms, ]
  data$at <- data[[key]]
  data$panel <- factor(data$term, terms)
  data$group <- group_panel(data, further, named = FALSE)
  alone <- nlevels(data$group) < 2L
  drawn <- na.omit(unlist(data[c("estimate", "conf.low", "conf.high")]))
  line_labels <- if (!alone && length(terms) == 1L) {
    line_ends(
      data$at, data$estimate, data$group, range(drawn), title = keys_axis(further)
    )
  }
  picture <- if (alone) draw_sequence(fit, data) else draw_group_lines(fit, data, line_labels)
  picture + scale_x_positions(
    data$at, c(5, 3, 2)[min(length(terms), 3)],
    line_labels$expand
  ) + share_scale(
      fit, ggplot2::scale_y_continuous, sec.axis = line_labels$axis %||% ggplot2::waiver(),
      breaks = if (length(terms) > 3L) few_breaks(2) else ggplot2::waiver()
    ) + ggplot2::labs(
      x = key, y = share_title(fit, terms), colour = keys_axis(further),
      linetype = keys_axis(further)
    )
}

draw_group_lines <- function(fit, data, line_labels) {
  groups <- levels(data$group)
  labels <- wrap_labels(30)(groups)
  guide <- if (is.null(line_labels)) line_legend(labels) else "none"
  # Intervals of one time stand beside each other.
  beside <- ggplot2::position_dodge(
    width = 0.3 * min(diff(sort(unique(as.numeric(data$at)))))
  )
  plot_base(fit, data, "Bars") + ggplot2::aes(
    .data$at, .data$estimate, ymin = .data$conf.low, ymax = .data$conf.high,
    colour = .data$group
  ) + ggplot2::geom_linerange(linewidth = 0.8, alpha = 0.45, position = beside, na.rm = TRUE) +
    ggplot2::geom_line(ggplot2::aes(linetype = .data$group), linewidth = 0.5, position = beside) +
    ggplot2::geom_point(size = 1.8, position = beside) + ggplot2::scale_colour_manual(
      values = line_values(groups, line_colours), labels = labels, guide = guide
    ) + ggplot2::scale_linetype_manual(
      values = line_values(groups, line_types), labels = labels, guide = guide
    ) + line_labels$layers
}

# More categories than there is room for rows with names, along an axis: at their numbers, at their
# positions, or by rank on logarithmic axes.
plot_along <- function(fit, data, ranked) {
  mechanism <- fit$mechanism
  values <- axis_numbers(mechanism) %||% level_numbers(mechanism)
  data$at <- if (ranked) ranks_of(data)
    else (values %||% seq_along(mechanism$levels))[match(data$term, mechanism$levels)]
  layout <- sequence_layout(data$panel)
  # The logarithmic axis ends a little below one report; what lies there is drawn on its edge, but
  # for the estimates.
  floor <- if (ranked) {
    0.5 / if (isTRUE(fit$total)) 1 else max(fit$tally$n)
  }
  drawn <- intersect(c("conf.low", "conf.high", "reported"), names(data))
  if (ranked) data[drawn] <- lapply(data[drawn], pmax, floor)
  scales <- if (ranked) {
    rank_scales(fit, layout, length(unique(data$term)))
  } else {
    category_scales(fit, layout, values)
  }
  picture <- draw_sequence(fit, data, layout, floor) + scales
  lost <- if (ranked) sum(data$estimate <= 0) else 0
  if (lost > 0) {
    note <- sprintf(
      "\nEstimated as 0 or less: %s of %s.", format_count(lost), format_count(nrow(data))
    )
    picture <- picture + ggplot2::labs(caption = paste0(picture$labels$caption, note))
  }
  with_height(picture, layout)
}

# The ranks from the largest down in each panel. If estimates are equal, as many are at 0, the
# category with more reports comes first.
ranks_of <- function(data) {
  order <- order(
    data$panel, -data$estimate, -(data[["reported"]] %||% data$conf.high)
  )
  ave(replace(order, order, seq_along(order)), data$panel, FUN = rank)
}

# Each row of panels needs its title and three quarters of an inch.
sequence_layout <- function(panel) {
  layout <- row_layout(nlevels(panel), "", levels(panel))
  if (nlevels(panel) > 1L) layout$height <- 1.6 + 0.75 * layout$down
  layout$rows <- layout$down
  layout
}

# The axes of shares by rank, both logarithmic, and by category. Several rows of panels have room
# for few breaks.
rank_scales <- function(fit, layout, categories) {
  breaks <- if (layout$down > 1L) few_log_breaks(3) else ggplot2::waiver()
  list(
    ggplot2::scale_x_log10(
      labels = format_count, breaks = few_log_breaks(if (layout$across > 1) 3 else 6)
    ),
    share_scale(fit, ggplot2::scale_y_log10, breaks = breaks),
    ggplot2::labs(
      x = paste("Rank among", category_words(categories)),
      y = share_title(fit, c("", ""))
    )
  )
}

category_scales <- function(fit, layout, values) {
  binned <- !is.null(fit$mechanism$breaks)
  title <- share_title(fit, c("", ""))
  labels <- if (is.null(values)) position_labels(fit$mechanism$levels) else format_count
  breaks <- if (layout$down > 1L) few_breaks(2, 3) else ggplot2::waiver()
  # Between and beside the positions of labels there is nothing to name.
  positions <- seq_along(fit$mechanism$levels)
  ticks <- if (is.null(values)) {
    function(limits) intersect(layout$breaks(limits), positions)
  } else {
    layout$breaks
  }
  list(
    ggplot2::scale_x_continuous(labels = labels, breaks = ticks, guide = no_overlap()),
    share_scale(fit, ggplot2::scale_y_continuous, breaks = breaks),
    ggplot2::labs(
      x = if (binned) "Number (each bin at its middle)" else "Category",
      y = if (binned) paste(title, "in a bin") else title
    )
  )
}

# Estimates along an axis, at the positions `at`. Each interval of few categories is drawn alone; a
# band would join intervals where there is no category. Ranks are drawn on logarithmic axes, on
# which numbers below `floor` have no place.
draw_sequence <- function(fit, data, layout = NULL, floor = NULL) {
  ranks <- !is.null(floor)
  # Panels that stand beside each other have less room.
  k <- length(unique(data$at)) * if (ranks) 1 else layout$across %||% 1
  # Ranks on a logarithmic axis stand so close that intervals of their own would be one black area.
  band <- ranks || k > 200
  kinds <- share_names(fit$mechanism)
  reported <- "reported" %in% names(data)
  limits <- ggplot2::aes(.data$at, ymin = .data$conf.low, ymax = .data$conf.high)
  estimates <- ggplot2::aes(.data$at, .data$estimate, colour = kinds[1])
  plot_base(fit, data, if (band) "Band" else "Lines", layout) + (if (!ranks &&
      any(data$estimate <= 0)) {
    ggplot2::geom_hline(yintercept = 0, colour = colour_line, linewidth = 0.4)
  }) + (if (reported) {
      ggplot2::geom_point(
        ggplot2::aes(.data$at, .data$reported, colour = kinds[2]),
        size = if (ranks) 0.5 else if (k > 200) 0.4 else 0.9,
        alpha = if (ranks) 0.35 else 1
      )
    }) + (if (band) {
      ggplot2::geom_ribbon(limits, fill = colour_estimate, alpha = 0.2)
    } else {
      ggplot2::geom_linerange(
        limits, colour = colour_estimate, alpha = 0.35, linewidth = 0.8, na.rm = TRUE
      )
    }) + ggplot2::geom_line(
      estimates, data[data$estimate > floor %||% -Inf, ], linewidth = if (ranks) 0.8 else 0.5
    ) + (if (k <= 100 && !ranks) ggplot2::geom_point(estimates, size = 1.2)) +
    sequence_legend(kinds, reported)
}

# A line for what is drawn as a line, a point for what is drawn as points.
sequence_legend <- function(kinds, reported) {
  drawn <- list(
    linetype = c(1, 0),
    shape = c(NA, 16),
    size = c(1, 1.6),
    alpha = 1
  )
  guide <- if (reported) ggplot2::guide_legend(override.aes = drawn) else "legend"
  ggplot2::scale_colour_manual(values = what_colours(kinds), breaks = kinds, guide = guide)
}
