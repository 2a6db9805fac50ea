#' Pictures of a plan
#'
#' `plot()` or `ggplot2::autoplot()` of [rr_sample_size()] draws the number of respondents against the margin of error, the share to be detected or the power, whichever has several values, with one
#' line a mechanism; of [rr_power()] the power against the number of respondents or against the true share, whichever was given more
#' values, with a panel for each value of the other; of [rr_recommend()] the error against \eqn{\epsilon}, with one line a mechanism and a panel
#' for each number of categories. With one privacy level there is a row for each mechanism. Of a table with `permanent` the lines are the two-stage protocols.
#'
#' Numbers of respondents, margins and errors are on logarithmic axes. The dashed grey line is what a direct question would need, or could
#' show, if everybody answered it honestly: the distance to it is the price of the randomisation. Lines of designs that are equally good lie on each other: dashes and hollow
#' points let the other one be seen. Where one number is asked of each design there is a row for each. Power moves in small teeth, because the number
#' of reports is whole and the attained level with it.
#'
#' @param object A plan of [rr_sample_size()], the powers of [rr_power()], or a comparison of [rr_recommend()].
#' @param ... Not used.
#' @return A ggplot object, to be printed, saved or changed.
#' @section Errors:
#' `candor_error_argument` for arguments that are not known, `candor_error_package` where ggplot2 is not installed.
#' @source The formulas and their references are on the pages of [rr_sample_size()] and [rr_recommend()]. The colours of the mechanisms are
#'   those of Okabe and Ito, which readers with any colour vision tell apart.
#' @name autoplot.rr_plan
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' levels <- c(0.5, 1, 2, 4)
#' mechanisms <- lapply(levels, function(epsilon) rr_grr(10, epsilon = epsilon))
#' names(mechanisms) <- paste("epsilon", levels)
#' ggplot2::autoplot(rr_sample_size(mechanisms, margin = c(0.01, 0.02, 0.05, 0.1), share = 0.1))
#'
#' # What 100 to 2,000 respondents can show, with two designs
#' designs <- list(warner = rr_warner(0.75), forced = rr_forced(1 / 6))
#' ggplot2::autoplot(rr_power(designs, n = seq(100, 2000, by = 100), share = c(0.05, 0.1)))
#'
#' ggplot2::autoplot(rr_recommend(c(4, 64), epsilon = seq(0.5, 5, by = 0.25), n = 10000))
NULL

#' @rdname autoplot.rr_plan
#' @method autoplot rr_plan
#' @rawNamespace S3method(ggplot2::autoplot,rr_plan)
autoplot.rr_plan <- function(object, ...) {
  check_installed("ggplot2", "to draw a plan")
  data <- as.data.frame(object)
  kinds <- if (is.null(data$margin)) c("share", "power") else c("margin", "share")
  # Along the axis runs what has several values; panels have one value of the other each.
  several <- vapply(data[kinds], function(x) length(unique(x)) > 1L, NA)
  if (!several[1] && several[2]) kinds <- rev(kinds)
  data$mechanism <- factor(data$mechanism, unique(data$mechanism))
  data$x <- data[[kinds[1]]]
  other <- data[[kinds[2]]]
  # Of means: margins in the unit of the answers, and no shares.
  means <- !anyNA(data$margin) && all(is.na(data$share))
  data$panel <- if (means) "Mean, whatever the answers" else size_value(kinds[2], other)
  data$panel <- factor(data$panel, unique(data$panel[order(other)]))
  if (!any(several)) return(plot_size_rows(data, object, size_value(kinds[1], data$x[1], means)))
  direct <- unique(data.frame(data[c("x", "panel")], n = data$direct))
  # A direct question about a share of 0 needs nobody, which a logarithmic axis cannot show.
  direct <- direct[direct$n > 0, ]
  panels <- nlevels(data$panel)
  layout <- row_layout(panels, "", levels(data$panel))
  room <- if (panels > 1) 3 else 7
  given <- sort(unique(data$x))
  breaks <- if (length(given) <= room) given else if (kinds[1] == "power") few_breaks(room) else few_log_breaks(room)
  scale_x <- if (kinds[1] == "power" || given[1] <= 0) ggplot2::scale_x_continuous else ggplot2::scale_x_log10
  picture <- ggplot2::ggplot(data, ggplot2::aes(.data$x, .data$n)) +
    ggplot2::geom_line(data = direct, linetype = 2, colour = colour_aside) +
    design_lines(data$mechanism, length(given)) +
    scale_x(labels = if (means || kinds[1] == "power") point_format else percent_labels, breaks = breaks,
            guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::scale_y_log10(labels = format_count, breaks = if (layout$down > 1) few_log_breaks(3) else log_breaks) +
    ggplot2::labs(x = size_names[[kinds[1]]], y = "Respondents needed",
                  title = paste("Respondents needed, by", tolower(size_names[[kinds[1]]])),
                  caption = size_caption(object, "Grey")) +
    theme_candor()
  if (panels > 1) picture + row_panels(layout) else picture + ggplot2::labs(subtitle = levels(data$panel))
}

size_names <- c(margin = "Margin of error", share = "True share", power = "Power")

size_value <- function(kind, x, plain = kind == "power") {
  paste(size_names[[kind]], if (plain) format(x, digits = 3, trim = TRUE) else percent_labels(x))
}

# One line for each design. Lines of designs that are equally good lie on each other: a dashed line and hollow points
# let another one be seen through them.
design_lines <- function(designs, points) {
  names <- levels(designs)
  values <- function(x) stats::setNames(rep_len(x, length(names)), names)
  guide <- line_legend(names)
  list(ggplot2::geom_line(ggplot2::aes(colour = .data$mechanism, linetype = .data$mechanism), linewidth = 0.8),
       if (points <= 12) {
         ggplot2::geom_point(ggplot2::aes(colour = .data$mechanism, shape = .data$mechanism), size = 2)
       },
       ggplot2::scale_colour_manual(values = values(line_colours), guide = guide),
       ggplot2::scale_linetype_manual(values = values(c("solid", "84", "48", "8242", "24")), guide = guide),
       if (points <= 12) ggplot2::scale_shape_manual(values = values(c(16, 2, 0, 4, 8, 1, 6, 5)), guide = guide),
       ggplot2::labs(colour = NULL, linetype = NULL, shape = NULL),
       ggplot2::theme(legend.key.width = ggplot2::unit(1.8, "lines")))
}

# One number is asked of each design: a row for each, and the direct question as a line.
plot_size_rows <- function(data, object, value) {
  plot_design_rows(data, data$n, data$direct[1]) +
    ggplot2::scale_x_continuous(labels = format_count, limits = c(0, NA), breaks = few_breaks(5),
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(x = "Respondents needed", title = "Respondents needed by each design",
                  subtitle = paste(value, tolower(data$panel[1]), sep = ", "), caption = size_caption(object, "Dashed"))
}

plot_design_rows <- function(data, value, direct) {
  data$value <- value
  data$mechanism <- factor(data$mechanism, rev(levels(data$mechanism)))
  layout <- row_layout(1, levels(data$mechanism))
  picture <- ggplot2::ggplot(data, ggplot2::aes(.data$value, .data$mechanism)) +
    (if (!is.na(direct)) ggplot2::geom_vline(xintercept = direct, linetype = 2, colour = colour_aside)) +
    ggplot2::geom_segment(ggplot2::aes(x = 0, xend = .data$value, yend = .data$mechanism), colour = colour_estimate,
                          alpha = 0.55, linewidth = 0.8) +
    ggplot2::geom_point(colour = colour_estimate, size = row_points(layout)) +
    row_labels(layout) +
    theme_candor() +
    row_theme(layout) +
    ggplot2::labs(y = NULL)
  with_height(picture, layout)
}

#' @rdname autoplot.rr_plan
#' @method autoplot rr_power
#' @rawNamespace S3method(ggplot2::autoplot,rr_power)
autoplot.rr_power <- function(object, ...) {
  check_installed("ggplot2", "to draw powers")
  second <- attr(object, "second")
  data <- as.data.frame(object)
  data$mechanism <- factor(data$mechanism, unique(data$mechanism))
  sizes <- length(unique(data$n))
  shares <- length(unique(data$share))
  # A table that lost its significance level, or was bound together from several, is drawn without what hangs on it.
  alpha <- attr(object, "alpha")
  if (length(unique(data[[if (is.null(second)) "null" else "versus"]])) != 1) alpha <- NULL
  asked <- second
  if (!is.null(asked)) asked["form"] <- list(NULL)
  data$direct <- if (is.null(alpha)) NA_real_ else
    mapply(function(n, share, null) test_power(list(a = 1, b = 0), n, share, null, alpha, asked,
                                               attr(object, "worth") %||% 1)[2],
           data$n, data$share, if (is.null(second)) data$null else 0)
  if (sizes == 1 && shares == 1) return(plot_power_rows(data, alpha, second))
  by_n <- sizes > 1 && sizes >= shares
  data$x <- if (by_n) data$n else data$share
  other <- if (by_n) data$share else data$n
  panel <- if (by_n) paste("True share", percent_labels(other)) else paste(format_count(other), "respondents")
  data$panel <- factor(panel, unique(panel[order(other)]))
  direct <- unique(data[c("x", "panel", "direct")])
  panels <- nlevels(data$panel)
  layout <- row_layout(panels, "", levels(data$panel))
  picture <- ggplot2::ggplot(data, ggplot2::aes(.data$x, .data$power)) +
    (if (!is.null(alpha)) ggplot2::geom_line(ggplot2::aes(y = .data$direct), direct, linetype = 2,
                                             colour = colour_aside)) +
    design_lines(data$mechanism, max(sizes, shares)) +
    (if (by_n) ggplot2::scale_x_log10(labels = format_count, guide = ggplot2::guide_axis(check.overlap = TRUE),
                                      breaks = few_log_breaks(if (panels > 1) 3 else 7))
     else ggplot2::scale_x_continuous(labels = percent_labels, breaks = few_breaks(if (panels > 1) 3 else 6),
                                      guide = ggplot2::guide_axis(check.overlap = TRUE))) +
    ggplot2::scale_y_continuous(limits = c(0, 1), breaks = seq(0, 1, by = if (layout$down > 1) 0.5 else 0.2),
                                labels = point_format) +
    ggplot2::labs(x = if (by_n) "Respondents" else "True share", y = "Power",
                  title = paste("Power, by", if (by_n) "number of respondents" else "true share"),
                  caption = power_caption(data, alpha, second, "Grey")) +
    theme_candor()
  if (panels > 1) picture + row_panels(layout) else picture + ggplot2::labs(subtitle = levels(data$panel))
}

# One number of respondents and one share leave nothing to draw a line along: a row for each mechanism.
plot_power_rows <- function(data, alpha, second) {
  plot_design_rows(data, data$power, if (is.null(alpha)) NA else data$direct[1]) +
    ggplot2::scale_x_continuous(limits = c(0, 1), breaks = seq(0, 1, by = 0.2), labels = point_format) +
    ggplot2::labs(x = "Power", caption = power_caption(data, alpha, second, "Dashed"), title = "Power of each design",
                  subtitle = sprintf("True share %s, %s respondents", percent_labels(data$share[1]),
                                     format_count(data$n[1])))
}

size_caption <- function(object, mark) {
  versus <- unique(object[["versus"]])
  if (is.null(versus)) return(wrap_text(sprintf("%s: a direct question, answered honestly.", mark)))
  about <- two_group_test(object) %||% "Of the difference of the shares in two groups"
  second <- if (length(versus) == 1L) sprintf("; %s in the second", percent_labels(versus)) else ""
  wrap_text(sprintf("%s%s. Respondents of both. %s: direct questions, answered honestly, in both.", about, second,
                    mark))
}

power_caption <- function(data, alpha, second, mark) {
  if (is.null(alpha)) return(NULL)
  if (!is.null(second)) {
    return(wrap_text(sprintf(paste("One-sided test of equal shares in two groups at level %s; %s in the second.",
                                   "%s: direct questions, answered honestly, in both."),
                             percent_labels(alpha), percent_labels(second$share), mark)))
  }
  # Normal tests have the level that was asked for, and binomial ones hardly ever.
  test <- if (any(data$level == alpha)) "One-sided" else "Exact one-sided"
  wrap_text(sprintf(paste(test, "test of \"the share is %s\" at level %s.",
                          "%s: a direct question, answered honestly."),
                    percent_labels(data$null[1]), percent_labels(alpha), mark))
}

#' @rdname autoplot.rr_plan
#' @method autoplot rr_recommendation
#' @rawNamespace S3method(ggplot2::autoplot,rr_recommendation)
autoplot.rr_recommendation <- function(object, ...) {
  check_installed("ggplot2", "to draw a comparison")
  data <- as.data.frame(object)
  # A number that is the same in all panels is said once.
  sizes <- length(unique(data$n)) > 1 || is.null(data$k)
  size <- paste0("N = ", trimws(format_count(data$n)))
  panel <- if (is.null(data$k)) size else paste0("K = ", trimws(format_count(data$k)), if (sizes) paste0(", ", size))
  data$panel <- factor(panel, unique(panel[order(data$k %||% data$n, data$n)]))
  names <- mechanism_names()
  asked <- attr(object, "question") %||% "shares"
  # A line needs two privacy levels. Lines of one-stage and two-stage protocols would lie on each other.
  lines <- length(unique(data$epsilon)) > 1L
  staged <- data$mechanism %in% names(longitudinal_names)
  if (lines && any(staged)) data <- data[staged, ]
  shown <- intersect(names(names), data$mechanism)
  data <- data[data$mechanism %in% shown, ]
  data$mechanism <- factor(data$mechanism, shown)
  caption <- if (!sizes) paste0(respondent_words(data$n[1]), ".")
  if (!lines) return(plot_recommendation_rows(data, caption, asked))
  if (any(staged)) {
    names <- sub("^two-stage ", "", names)
    caption <- paste(c(caption, sprintf("All reports of one true answer together: epsilon %s.",
                                        format(data$permanent[1], digits = 3))), collapse = " ")
  }
  legend <- ggplot2::guide_legend(ncol = 2)
  layout <- row_layout(nlevels(data$panel), "", levels(data$panel))
  picture <- ggplot2::ggplot(data, ggplot2::aes(.data$epsilon, .data$mse, colour = .data$mechanism,
                                             linetype = .data$mechanism)) +
    ggplot2::geom_line(linewidth = 0.9) +
    ggplot2::scale_linetype_manual(values = unname(recommend_dashes[shown]), labels = names[shown]) +
    recommendation_panels(layout, "free_y") +
    ggplot2::scale_y_log10(labels = power_labels, breaks = few_log_breaks(if (layout$down > 1) 3 else 7)) +
    ggplot2::scale_colour_manual(values = line_colours[recommend_colours[shown]], labels = names[shown]) +
    ggplot2::labs(x = "Privacy level epsilon", y = wrap_text(error_words(asked), 20), colour = NULL, linetype = NULL,
                  title = sprintf("Error of each %s, by privacy level",
                                  if (any(staged)) "two-stage protocol" else "mechanism"), caption = caption) +
    ggplot2::guides(colour = legend, linetype = legend) +
    theme_candor("bottom") +
    ggplot2::theme(legend.key.width = ggplot2::unit(1.4, "lines"), legend.text = ggplot2::element_text(size = 8.5))
  # The legend; a row of panels needs its title and room to tell the lines apart.
  with_height(picture, list(rows = layout$down, height = 1.9 + 0.16 * ceiling(length(shown) / 2) + 0.8 * layout$down))
}

# Lines of equal errors lie on each other: dashes show that both are there. Both hierarchies are black.
recommend_colours <- c(1, 2, 3, 8, 4, 5, 6, 7, 7, 3, 2, 1, 4, 7, 6, 1, 2, 3, 1, 2)
names(recommend_colours) <- c(
  "grr", "sue", "oue", "blh", "olh", "subset", "hadamard", "hierarchy", "hierarchy-subset", "oue-sue", "sue-sue",
  "grr-grr", "local-hash", "oue-oue", "sue-oue", "hybrid", "piecewise", "duchi", "sketch", "sketch-one-bit"
)
recommend_dashes <- stats::setNames(rep(1, length(recommend_colours)), names(recommend_colours))
recommend_dashes[c("olh", "subset", "hierarchy-subset", "local-hash", "duchi")] <- 2
recommend_dashes[c("hadamard", "sue-oue")] <- 3

# As labels, without the articles that sentences need.
mechanism_names <- function() gsub("(^|, )(the|a) ", "\\1", c(recommend_names, longitudinal_names, asked_names))

error_words <- function(question) {
  switch(question, shares = "Mean squared error", ranges = "Variance of the share of a range",
         mean = "Largest variance of the mean", strings = "Variance of the share of a string")
}

respondent_words <- function(n) paste(format_count(n), if (n == 1) "respondent" else "respondents")

# One privacy level: a row for each mechanism.
plot_recommendation_rows <- function(data, caption, asked) {
  names <- mechanism_names()
  data$mechanism <- factor(names[as.character(data$mechanism)], rev(unname(names[levels(data$mechanism)])))
  panels <- nlevels(data$panel)
  layout <- row_layout(panels, levels(data$mechanism), panel_lines(levels(data$panel)), min(panels, 3))
  picture <- ggplot2::ggplot(data, ggplot2::aes(.data$mse, .data$mechanism)) +
    ggplot2::geom_point(colour = colour_estimate, size = row_points(layout)) +
    recommendation_panels(layout, "free_x") +
    ggplot2::scale_x_log10(labels = power_labels, guide = ggplot2::guide_axis(check.overlap = TRUE),
                           expand = ggplot2::expansion(0.1), breaks = few_log_breaks(if (panels > 2) 2 else 4)) +
    ggplot2::labs(x = error_words(asked), y = NULL, title = "Error of each mechanism",
                  subtitle = paste("Privacy level epsilon", format(data$epsilon[1])), caption = caption) +
    row_labels(layout) +
    theme_candor() +
    row_theme(layout)
  with_height(picture, layout)
}

# The numbers of categories and of respondents on lines of their own: panels may be narrow.
panel_lines <- function(titles) sub(", ", "\n", titles)

recommendation_panels <- function(layout, scales) {
  ggplot2::facet_wrap(~panel, scales = scales, ncol = layout$across, labeller = ggplot2::as_labeller(panel_lines))
}

#' @rdname autoplot.rr_plan
#' @param x As `object`.
#' @export
plot.rr_plan <- function(x, ...) draw(x, ...)

#' @rdname autoplot.rr_plan
#' @export
plot.rr_power <- function(x, ...) draw(x, ...)

#' @rdname autoplot.rr_plan
#' @export
plot.rr_recommendation <- function(x, ...) draw(x, ...)
