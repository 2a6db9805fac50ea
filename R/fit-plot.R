#' Picture of a fit
#'
#' Estimates with their intervals, and the reported shares they were recovered from.
#'
#' Up to 40 categories each has a row: the interval as a line, the estimate as a filled point, the reported share
#' as a hollow one. A yes/no question asked in several groups has a row per group, for "yes". Where the groups are dates, times or years, time
#' runs along an axis, with a panel for each category; up to 8 further groups are lines of different colours, without the reported shares.
#'
#' More groups than 40 lie along an axis, at their numbers or ranked by their estimate, with a panel for each category. The caption names the highest and the lowest.
#'
#' Rows need room: 40 of them 4 inches of height. A message says what a picture with more rows needs, and [plot()] says it of any picture that its device is too small for.
#'
#' Bins of numbers and the levels of a tree ([rr_square_wave()], [rr_hierarchy()]) run along an axis of numbers where there are more than 12.
#' With more categories than 40 the picture depends on their kind. Ordered categories (amounts, ages, days: numbers as levels, or an
#' ordered factor) stay in their order, along an axis. Others are ranked by their estimate on logarithmic axes. Beyond 200 categories the intervals become a band, and
#' the reported shares are drawn as points behind it. These points are flatter than the curve of the estimates, because the randomisation levels the shares.
#'
#' In pictures that sort categories by size, Wilson's and exact intervals are replaced by those by rank of [rr_top()], which hold for categories found by looking. The caption says so.
#'
#' @param object A fit of [rr_estimate()], also of a survey design ([rr_survey]).
#' @param order Order categories by their estimate? By default (`NULL`) up to 40 categories, and ordered categories of any number, keep the order
#'   of the levels; others are ranked. With `order = FALSE` each of more than 40 groups has a row and its name.
#' @param terms Categories wanted, labels or positions, such as `"yes"`; all by default.
#' @param ... Not used.
#' @return A ggplot object, to be printed, saved or changed.
#' @section Errors:
#' `candor_error_argument` for arguments out of range and for more than 40 groups of more than 12 categories, `candor_error_level` for `terms` that are not categories;
#' `candor_error_package` where ggplot2 is not installed.
#' @source The estimates and intervals are those of [rr_estimate()], whose page has the references.
#' @name autoplot.rr_fit
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' reports <- rr_counts(c(never = 420, once = 330, often = 250), mechanism)
#' plot(rr_estimate(reports))
#' # The same as an object, to be changed
#' ggplot2::autoplot(rr_estimate(reports), order = TRUE) + ggplot2::labs(title = "How often")
NULL

#' @rdname autoplot.rr_fit
#' @method autoplot rr_fit
#' @rawNamespace S3method(ggplot2::autoplot,rr_fit)
autoplot.rr_fit <- function(object, order = NULL, terms = NULL, ...) {
  if (!is.null(order)) check_flag(order, "order")
  check_installed("ggplot2", "to draw a fit")
  draw_shares(object, order, match_terms(terms, object, "terms"))
}

#' @rdname autoplot.rr_fit
#' @method autoplot rr_survey
#' @rawNamespace S3method(ggplot2::autoplot,rr_survey)
autoplot.rr_survey <- autoplot.rr_fit

draw_shares <- function(fit, order, which) {
  data <- plot_data(fit, which)
  k <- length(unique(data$term))
  if (on_time_axis(fit, k)) return(plot_times(fit, data))
  if (nlevels(data$panel) > 40 && !isFALSE(order)) return(plot_groups(fit, data, isTRUE(order)))
  along <- !is.null(axis_numbers(fit$mechanism)) && k > 12 && !isTRUE(order)
  few <- k <= 40 && !along
  sorted <- isTRUE(order) || (is.null(order) && !few && !in_order(fit$mechanism))
  if (sorted && !(few && rows_are_groups(fit, data))) {
    fit$ranked <- has_ranked_intervals(fit)
    if (fit$ranked) data[c("conf.low", "conf.high")] <- lapply(ranked_bounds(fit, which), as.vector)
  }
  if (few) plot_categories(fit, data, sorted) else if (sorted) plot_ranks(fit, data) else plot_sequence(fit, data)
}

# Where categories are sorted by size, a reader picks them by looking. Other kinds of interval were asked for by name.
has_ranked_intervals <- function(fit) {
  !fit$simultaneous && (inherits(fit, "rr_survey") || fit$interval %in% c("wilson", "exact"))
}

ranked_bounds <- function(fit, which) {
  if (!inherits(fit, "rr_survey")) return(fit_intervals(fit, which = which, ranked = TRUE))
  rows <- rows_of(fit)
  levels <- apply(as.matrix(fit$estimate), 2, ranked_level, fit$conf.level)
  lapply(list(low = bounds_of(fit, rows, as.vector(levels))$low, high = bounds_of(fit, rows, fit$conf.level)$high),
         function(bound) matrix(bound, nrow(levels))[which, ])
}

# Levels with an order of their own: an ordered factor, or numbers. (Levels given only by their number have no
# order.)
in_order <- function(mechanism) {
  isTRUE(mechanism$ordered) || (length(mechanism$levels) > 2L && !is.null(level_numbers(mechanism)))
}

level_numbers <- function(mechanism) {
  numbers <- mechanism$numeric_truths %||% mechanism$numeric_levels
  if (length(numbers) == length(mechanism$levels) && !anyNA(numbers)) numbers
}

# Where levels lie on an axis of numbers: bins at their middles, and the levels of a tree.
axis_numbers <- function(mechanism) {
  breaks <- mechanism$breaks
  if (length(breaks) == length(mechanism$levels) + 1L) return((breaks[-1] + breaks[-length(breaks)]) / 2)
  if (inherits(mechanism, "rr_hierarchy")) level_numbers(mechanism)
}

# One key is a time; more than 12 categories would be too many panels, and more than 8 further groups too many colours.
on_time_axis <- function(fit, k) {
  groups <- fit$tally$groups
  key <- time_key(groups)
  !is.null(key) && k <= 12 && nlevels(group_panel(groups, setdiff(names(groups), key))) <= length(line_colours)
}

# The key that runs along an axis, if there is just one: dates, times or years, of more than one value.
time_key <- function(groups) {
  timely <- vapply(groups %||% list(), function(x) {
    years <- is.numeric(x) && !is.object(x) && all(x == floor(x) & x >= 1900 & x <= 2100)
    (inherits(x, c("Date", "POSIXct")) || years) && length(unique(x)) > 1L
  }, NA)
  if (sum(timely) == 1L) names(groups)[timely]
}

plot_data <- function(fit, which) {
  survey <- inherits(fit, "rr_survey")
  data <- if (survey) tidy(fit, conf.int = TRUE) else tidy_rows(fit, TRUE, fit$conf.level, which)
  k <- length(fit$mechanism$levels)
  if (survey) data <- data[as.vector(outer(which, k * (seq_len(NCOL(fit$estimate)) - 1), `+`)), ]
  data$panel <- group_panel(data, names(fit$tally$groups))
  # Reports and truths are the same categories for every mechanism but a rectangular channel. Totals are no shares.
  if (length(fit$mechanism$reports) == length(fit$mechanism$levels) && !isTRUE(fit$total)) {
    shares <- sweep(as.matrix(fit$tally$counts), 2, fit$tally$n, `/`)
    data$reported <- as.vector(shares[which, ])
  }
  data
}

# The groups of each row as one label, in their order.
group_panel <- function(data, keys) {
  panel <- if (length(keys)) do.call(paste, c(unname(as.list(data[keys])), sep = ", ")) else rep("", nrow(data))
  factor(panel, unique(panel))
}

# The report "yes" of a crosswise question says that two answers are the same: it is not an answer to the question.
reported_label <- function(mechanism) {
  design <- mechanism$design
  if (grepl("crosswise", design, ignore.case = TRUE)) return("Reported: the answers are the same")
  if (grepl("triangular", design, ignore.case = TRUE)) return("Reported: a yes to either question")
  "Reported share"
}

# Of rows in the order of their estimates.
rank_words <- function(level) {
  sprintf("Of the first r rows at most %s in 100 intervals are wrong on average, whatever r", format(100 * (1 - level)))
}

interval_label <- function(fit) {
  tails <- (fit$simultaneous || isTRUE(fit$ranked)) && !inherits(fit, "rr_survey")
  interval_names[[if (tails) tail_interval(fit$interval, fit$mechanism) else fit$interval]]
}

interval_names <- c(wilson = "Wilson", exact = "exact", wald = "Wald", bootstrap = "bootstrap",
                    profile = "profile likelihood", credible = "credible")

plot_caption <- function(fit, what) {
  if (fit$interval == "none") {
    return(wrap_text(sprintf("%s. No intervals: %s.", report_words(fit$tally), fit$estimator$no_intervals)))
  }
  wrap_text(sprintf("%s. %s: %s%% %s intervals for the %s%s%s.%s%s", report_words(fit$tally), what,
                    format(100 * fit$conf.level), interval_label(fit), fit$target,
                    if (inherits(fit, "rr_survey")) ", by the design" else "",
                    if (fit$simultaneous) ", simultaneous" else if (isTRUE(fit$ranked)) ", by rank" else "",
                    if (isTRUE(fit$ranked)) paste0(" ", rank_words(fit$conf.level), ".") else "", beyond_note(fit)))
}

# An estimate outside of its own interval looks like a mistake of the picture.
beyond_note <- function(fit) {
  beyond <- any(fit$estimate < 0 | fit$estimate > 1)
  if (!beyond || isTRUE(fit$total) || inherits(fit, "rr_survey") || fit$interval == "wald") return("")
  paste0(" Unbiased estimates may be impossible shares: their intervals end at 0% and 100%.",
         if (is_contradicted(fit)) " The reports are unlikely under this design.")
}

plot_base <- function(fit, data, what = "Lines", layout = NULL) {
  plot <- ggplot2::ggplot(data) +
    ggplot2::labs(title = wrap_text(paste(fit$estimator$title, "from randomised reports"), 46),
                  subtitle = wrap_text(fit$mechanism$design, 64), caption = plot_caption(fit, what),
                  colour = NULL, shape = NULL, fill = NULL) +
    theme_candor()
  if (length(unique(data$panel)) < 2) return(plot)
  plot + row_panels(layout %||% list(title_width = 18))
}

fit_colours <- function(mechanism) {
  stats::setNames(c(colour_estimate, colour_reported), c("Recovered share", reported_label(mechanism)))
}

fit_scales <- function(mechanism) {
  colours <- fit_colours(mechanism)
  list(ggplot2::scale_colour_manual(values = colours, breaks = names(colours)),
       ggplot2::scale_shape_manual(values = stats::setNames(c(16, 1), names(colours)), breaks = names(colours)))
}

# Reports that are no categories have no shares to be drawn.
has_reported <- function(data) "reported" %in% names(data)

# Estimates and reported shares, one below the other.
long_data <- function(fit, data, keep) {
  kinds <- names(fit_colours(fit$mechanism))
  rbind(data.frame(data[keep], share = data$estimate, what = kinds[1]),
        if (has_reported(data)) data.frame(data[keep], share = data$reported, what = kinds[2]))
}

# The two shares of a yes/no question add up to 1: one row per group, for "yes", is enough and easy to compare.
rows_are_groups <- function(fit, data) {
  nlevels(data$panel) > 1L && (length(unique(data$term)) == 1L || length(fit$mechanism$levels) == 2L)
}

plot_categories <- function(fit, data, order) {
  terms <- unique(data$term)
  axis <- if (isTRUE(fit$total)) "People" else "Share"
  panels <- length(unique(data$panel))
  if (rows_are_groups(fit, data)) {
    kept <- if (length(terms) == 1L) terms else fit$mechanism$levels[2]
    axis <- sprintf(if (isTRUE(fit$total)) "People with \"%s\"" else "Share of \"%s\"", kept)
    data <- data[data$term == kept, ]
    data$term <- as.character(data$panel)
    data$panel <- ""
    terms <- data$term
    panels <- 1L
  }
  if (order) terms <- unique(data$term[base::order(data$estimate, decreasing = TRUE)])
  data$term <- factor(data$term, rev(terms))
  layout <- row_layout(panels, levels(data$term), unique(as.character(data$panel)))
  long <- long_data(fit, data, c("term", "panel"))
  picture <- plot_base(fit, long, layout = layout) +
    ggplot2::geom_vline(xintercept = 0, colour = colour_line, linewidth = 0.4) +
    ggplot2::geom_segment(ggplot2::aes(x = .data$conf.low, xend = .data$conf.high, y = .data$term, yend = .data$term),
                          data, colour = colour_estimate, linewidth = 0.8, alpha = 0.55, lineend = "round",
                          na.rm = TRUE) +
    ggplot2::geom_point(ggplot2::aes(.data$share, .data$term, colour = .data$what, shape = .data$what),
                        size = row_points(layout), stroke = if (layout$rows > 20) 0.6 else 1) +
    row_labels(layout) +
    fit_scales(fit$mechanism) +
    ggplot2::scale_x_continuous(labels = if (isTRUE(fit$total)) format_count else percent_labels,
                                breaks = layout$breaks,
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(x = axis, y = question_names(fit$mechanism)) +
    row_theme(layout)
  if (isTRUE(fit$total)) picture <- picture + ggplot2::guides(colour = "none", shape = "none")
  # Beside long names there is no room for a legend of one line.
  if (layout$across == 1L && min(layout$width, max(nchar(levels(data$term)))) > 34) {
    picture <- picture + ggplot2::theme(legend.direction = "vertical")
  }
  with_height(picture, layout)
}

# The answers to several questions are read in the order of the questions.
question_names <- function(mechanism) {
  if (!is.null(mechanism$questions)) wrap_text(paste(names(mechanism$questions), collapse = ", "), 20)
}

# Time along an axis. Of a yes/no question "yes" says all. Further groups have colours.
plot_times <- function(fit, data) {
  terms <- unique(data$term)
  if (length(terms) == 2L && length(fit$mechanism$levels) == 2L) terms <- fit$mechanism$levels[2]
  data <- data[data$term %in% terms, ]
  keys <- names(fit$tally$groups)
  key <- time_key(fit$tally$groups)
  data$time <- data[[key]]
  data$panel <- factor(data$term, terms)
  data$group <- group_panel(data, setdiff(keys, key))
  groups <- levels(data$group)
  labels <- wrap_labels(30)(groups)
  # Intervals of one time stand beside each other.
  step <- min(diff(sort(unique(as.numeric(data$time)))))
  beside <- ggplot2::position_dodge(width = if (length(groups) > 1L) 0.3 * step else 0)
  across <- if (length(terms) > 2L) 3 else length(terms)
  picture <- if (length(groups) > 1L) {
    lines <- stats::setNames(line_colours[seq_along(groups)], groups)
    plot_base(fit, data, "Bars") +
      ggplot2::aes(.data$time, .data$estimate, colour = .data$group) +
      ggplot2::geom_linerange(ggplot2::aes(ymin = .data$conf.low, ymax = .data$conf.high), linewidth = 0.8,
                              alpha = 0.45, position = beside, na.rm = TRUE) +
      ggplot2::geom_line(linewidth = 0.5, position = beside) +
      ggplot2::geom_point(size = 1.8, position = beside) +
      ggplot2::scale_colour_manual(values = lines, labels = labels, guide = line_legend(labels)) +
      ggplot2::labs(colour = NULL)
  } else {
    plot_base(fit, long_data(fit, data, c("term", "time", "panel")), "Bars") +
      ggplot2::geom_linerange(ggplot2::aes(.data$time, ymin = .data$conf.low, ymax = .data$conf.high), data,
                              colour = colour_estimate, linewidth = 0.8, alpha = 0.55, na.rm = TRUE) +
      ggplot2::geom_line(ggplot2::aes(.data$time, .data$share, colour = .data$what), linewidth = 0.4, alpha = 0.6) +
      ggplot2::geom_point(ggplot2::aes(.data$time, .data$share, colour = .data$what, shape = .data$what), size = 1.8) +
      fit_scales(fit$mechanism)
  }
  total <- isTRUE(fit$total)
  picture + scale_x_time(data$time, if (across > 2) 2 else if (across > 1) 3 else 5) +
    ggplot2::scale_y_continuous(labels = if (total) format_count else percent_labels,
                                breaks = if (length(terms) > 3L) few_breaks(2) else ggplot2::waiver()) +
    ggplot2::labs(x = if (is.numeric(data$time)) key, y = share_title(total, terms))
}

# Of an upright axis: a category alone has no panel that is called so.
share_title <- function(total, terms) {
  if (length(terms) > 1L) return(if (total) "People" else "Share")
  wrap_text(sprintf(if (total) "People with \"%s\"" else "Share of \"%s\"", terms), 20)
}

# Many categories in the order of the levels: at their numbers, or at their positions.
plot_sequence <- function(fit, data) {
  numbers <- axis_numbers(fit$mechanism) %||% level_numbers(fit$mechanism)
  at <- match(data$term, fit$mechanism$levels)
  data$at <- if (is.null(numbers)) at else numbers[at]
  labels <- fit$mechanism$levels
  layout <- curve_layout(data)
  guide <- ggplot2::guide_axis(check.overlap = TRUE)
  picture <- draw_sequence(fit, data, layout) +
    (if (is.null(numbers)) ggplot2::scale_x_continuous(guide = guide, labels = function(x) {
      ifelse(x %in% seq_along(labels), labels[pmin(pmax(round(x), 1), length(labels))], "")
    }) else ggplot2::scale_x_continuous(labels = format_count, guide = guide)) +
    ggplot2::scale_y_continuous(labels = percent_labels,
                                breaks = if (layout$down > 1L) few_breaks(2, 3) else ggplot2::waiver()) +
    ggplot2::labs(x = if (is.null(numbers)) NULL
                      else if (!is.null(fit$mechanism$breaks)) "Number (each bin at its middle)" else "Category",
                  y = if (is.null(fit$mechanism$breaks)) "Share" else "Share of a bin")
  with_height(picture, layout)
}

# Panels of curves: each row of them needs its title and three quarters of an inch.
curve_layout <- function(data) {
  layout <- row_layout(nlevels(data$panel), "", levels(data$panel))
  if (nlevels(data$panel) > 1L) layout$height <- 1.6 + 0.75 * layout$down
  layout$rows <- layout$down
  layout
}

# Estimates along an axis, at the places `at`.
draw_sequence <- function(fit, data, layout = NULL) {
  # Beside each other panels have less room.
  k <- length(unique(data$at)) * (layout$across %||% 1)
  kinds <- names(fit_colours(fit$mechanism))
  plot_base(fit, data, if (k <= 200) "Lines" else "Band", layout) +
    ggplot2::geom_hline(yintercept = 0, colour = colour_line, linewidth = 0.4) +
    (if (has_reported(data)) ggplot2::geom_point(ggplot2::aes(.data$at, .data$reported, colour = kinds[2]),
                                                 size = if (k > 200) 0.4 else 0.9)) +
    sequence_intervals(k) +
    ggplot2::geom_line(ggplot2::aes(.data$at, .data$estimate, colour = kinds[1]), linewidth = 0.5) +
    (if (k <= 100) ggplot2::geom_point(ggplot2::aes(.data$at, .data$estimate, colour = kinds[1]), size = 1.2)) +
    ggplot2::scale_colour_manual(values = fit_colours(fit$mechanism), breaks = kinds)
}

# More groups than there is room for rows with names: along an axis, with a panel for each category. Groups that are
# numbers lie at these, others by rank.
plot_groups <- function(fit, data, ranked) {
  terms <- unique(data$term)
  if (length(terms) == 2L && length(fit$mechanism$levels) == 2L) terms <- fit$mechanism$levels[2]
  groups <- levels(data$panel)
  if (length(terms) > 12L) {
    abort(c("A picture of {format_count(length(groups))} groups of {length(terms)} categories would not be readable.",
            i = "Name categories of interest in {.arg terms}, or draw some of the groups."), "argument")
  }
  data <- data[data$term %in% terms, ]
  keys <- names(fit$tally$groups)
  group <- as.character(data$panel)
  numbers <- if (length(keys) == 1L && is.numeric(data[[keys]]) && !ranked) data[[keys]]
  data$panel <- factor(data$term, terms)
  data$at <- numbers %||% stats::ave(data$estimate, data$panel, FUN = function(x) rank(-x, ties.method = "first"))
  total <- isTRUE(fit$total)
  one <- length(terms) == 1L
  picture <- draw_sequence(fit, data, row_layout(length(terms), "", terms)) +
    ggplot2::scale_x_continuous(labels = if (is.null(numbers)) format_count else point_format,
                                breaks = few_breaks(if (one) 6 else 3),
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::scale_y_continuous(labels = if (total) format_count else percent_labels,
                                breaks = few_breaks(if (length(terms) > 3L) 2 else 4)) +
    ggplot2::labs(x = if (is.null(numbers)) sprintf("Rank among %s groups", format_count(length(groups))) else keys,
                  y = share_title(total, terms))
  if (!is.null(numbers)) return(picture)
  cli::cli_inform(c("{format_count(length(groups))} groups are ranked by their estimates and have no names.",
                    i = "With {.code order = FALSE} each has a row and a name, in a picture as high as that needs."),
                  class = "candor_message_ranked")
  if (!one) return(picture)
  ends <- group[order(data$at)]
  named <- function(names) paste0("\"", names, "\"", collapse = ", ")
  picture + ggplot2::labs(caption = paste0(picture$labels$caption, "\n", wrap_text(sprintf(
    "Highest: %s. Lowest: %s.", named(utils::head(ends, 3)), named(rev(utils::tail(ends, 3)))
  ))))
}

# With few categories each interval is drawn alone; a band would join intervals where there is no category.
sequence_intervals <- function(k) {
  limits <- ggplot2::aes(.data$at, ymin = .data$conf.low, ymax = .data$conf.high)
  if (k <= 200) ggplot2::geom_linerange(limits, colour = colour_estimate, alpha = 0.35, linewidth = 0.8, na.rm = TRUE)
  else ggplot2::geom_ribbon(limits, fill = colour_estimate, alpha = 0.2)
}

plot_ranks <- function(fit, data) {
  data <- do.call(rbind, lapply(split(data, data$panel), function(part) {
    part <- part[base::order(part$estimate, decreasing = TRUE), ]
    part$at <- seq_len(nrow(part))
    part
  }))
  # The logarithmic axis ends a little below one report; what lies there is drawn on its edge.
  floor <- 0.5 / max(fit$tally$n)
  for (column in intersect(c("conf.low", "conf.high", "reported"), names(data))) {
    data[[column]] <- pmax(data[[column]], floor)
  }
  k <- length(unique(data$term))
  kinds <- names(fit_colours(fit$mechanism))
  layout <- curve_layout(data)
  several <- nlevels(data$panel) > 1L
  picture <- plot_base(fit, data, if (k <= 200) "Lines" else "Band", layout) +
    (if (has_reported(data)) ggplot2::geom_point(ggplot2::aes(.data$at, .data$reported, colour = kinds[2]),
                                                      size = 0.5,
                                                      alpha = 0.35)) +
    sequence_intervals(k) +
    ggplot2::geom_line(ggplot2::aes(.data$at, .data$estimate, colour = kinds[1]), data[data$estimate > floor, ],
                       linewidth = 0.8) +
    ggplot2::scale_colour_manual(values = fit_colours(fit$mechanism), breaks = kinds, guide = ranks_legend(data)) +
    ggplot2::scale_x_log10(labels = format_count, breaks = if (several) few_log_breaks(3) else log_breaks) +
    ggplot2::scale_y_log10(labels = percent_labels,
                           breaks = if (layout$down > 1L) few_log_breaks(3) else ggplot2::waiver()) +
    ggplot2::labs(x = sprintf("Rank among %s categories", format_count(k)), y = "Share",
                  caption = paste0(plot_caption(fit, if (k <= 200) "Lines" else "Band"), ranks_note(data)))
  with_height(picture, layout)
}

# How many estimates have no place on the logarithmic axis, of one group or, where the groups differ, of each.
ranks_note <- function(data) {
  zeros <- unique(range(tapply(data$estimate <= 0, data$panel, sum)))
  if (max(zeros) == 0) return("")
  sprintf("\nEstimated as 0 or less: %s categories%s.", paste(format_count(zeros), collapse = " to "),
          if (nlevels(data$panel) > 1) " in each group" else "")
}

# A line for what is drawn as a line, a point for what is drawn as points.
ranks_legend <- function(data) {
  if (!has_reported(data)) return(ggplot2::guide_legend())
  ggplot2::guide_legend(override.aes = list(linetype = c(1, 0), shape = c(NA, 16), size = c(1, 1.6), alpha = 1))
}

#' @rdname rr_fit
#' @export
plot.rr_fit <- function(x, ...) {
  if (requireNamespace("ggplot2", quietly = TRUE)) return(draw(x, ...))
  data <- tidy(x, conf.int = TRUE)
  position <- seq_len(nrow(data))
  graphics::plot(position, data$estimate, ylim = range(data$conf.low, data$conf.high, 0, na.rm = TRUE), pch = 16,
                 xaxt = "n", xlab = "", ylab = "Share", main = x$estimator$title)
  graphics::segments(position, data$conf.low, position, data$conf.high)
  graphics::axis(1, position, data$term)
  invisible(x)
}

