#' Picture of a fit
#'
#' Estimates with their intervals, and the reported shares they were recovered from.
#'
#' Up to 40 categories each has a row: the interval as a line, the estimate as a filled point, the reported share
#' as a hollow one. A yes/no question asked in several groups has a row per group, for "yes". With more, categories are ranked by
#' their estimate on a logarithmic axis, the intervals become a band beyond 200 categories, and the reported shares are a cloud behind: the flat cloud is what the randomisation made of the steep curve.
#'
#' @param object A fit of [rr_estimate()].
#' @param order Order the rows by estimate? By default they keep the order of the levels.
#' @param ... Not used, and refused.
#' @return A ggplot object, to be printed, saved or changed.
#' @section Errors:
#' `candor_error_argument` for arguments that are not known or out of range; `candor_error_package` where ggplot2 is not installed.
#' @source The estimates and intervals are those of [rr_estimate()], whose page has the references.
#' @name autoplot.rr_fit
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' reports <- rr_counts(c(never = 420, once = 330, often = 250), mechanism)
#' ggplot2::autoplot(rr_estimate(reports))
NULL

#' @rdname autoplot.rr_fit
#' @exportS3Method ggplot2::autoplot
autoplot.rr_fit <- function(object, order = FALSE, ...) {
  check_dots_empty(...)
  check_flag(order, "order")
  check_installed("ggplot2", "to draw a fit")
  if (length(object$mechanism$levels) <= 40) plot_categories(object, order) else plot_ranks(object)
}

plot_data <- function(fit) {
  data <- tidy(fit, conf.int = TRUE)
  groups <- names(fit$tally$groups)
  data$panel <- if (length(groups)) do.call(paste, c(as.list(data[groups]), sep = ", ")) else ""
  data$panel <- factor(data$panel, unique(data$panel))
  # Reports and truths are the same categories for every mechanism but a rectangular channel.
  if (length(fit$mechanism$reports) == length(fit$mechanism$levels)) data$reported <- tidy(fit$tally)$share
  data
}

plot_caption <- function(fit) {
  kind <- c(wilson = "Wilson", exact = "exact", wald = "Wald", bootstrap = "bootstrap", profile = "profile likelihood")
  sprintf("%s reports. %s: %s%% %s intervals for the %s%s.", format_count(nobs(fit)),
          if (length(fit$mechanism$levels) <= 200) "Lines" else "Band", format(100 * fit$conf.level),
          kind[[fit$interval]], fit$target, if (fit$simultaneous) ", simultaneous" else "")
}

fit_colours <- c("Recovered share" = "#0B4F6C", "Reported share" = "#9A9A9A")

plot_base <- function(fit, data) {
  plot <- ggplot2::ggplot(data) +
    ggplot2::labs(title = paste(method_names[[fit$method]], "from randomised reports"), subtitle = fit$mechanism$design,
                  caption = plot_caption(fit), colour = NULL, shape = NULL, fill = NULL) +
    ggplot2::theme_minimal(base_size = 12) +
    ggplot2::theme(legend.position = "top", legend.justification = "left", plot.title.position = "plot",
                   plot.caption.position = "plot", panel.spacing.x = ggplot2::unit(2, "lines"),
                   panel.grid.minor = ggplot2::element_blank(),
                   plot.caption = ggplot2::element_text(hjust = 0, colour = "grey40"))
  if (length(unique(data$panel)) > 1) plot <- plot + ggplot2::facet_wrap(~panel, labeller = ggplot2::label_wrap_gen(20))
  plot
}

plot_categories <- function(fit, order) {
  data <- plot_data(fit)
  terms <- fit$mechanism$levels
  axis <- "Share"
  if (length(terms) == 2L && length(unique(data$panel)) > 1L) {
    # The two shares of a yes/no question say the same: one row per group, for "yes", can be compared at a glance.
    axis <- sprintf("Share of \"%s\"", terms[2])
    data <- data[data$term == terms[2], ]
    data$term <- as.character(data$panel)
    data$panel <- ""
    terms <- data$term
  }
  if (order) terms <- unique(data$term[base::order(data$estimate, decreasing = TRUE)])
  data$term <- factor(data$term, rev(terms))
  rows <- length(terms) * ceiling(length(unique(data$panel)) / 3)
  long <- rbind(data.frame(data[c("term", "panel")], share = data$estimate, what = "Recovered share"),
                if (!is.null(data$reported))
                  data.frame(data[c("term", "panel")], share = data$reported, what = "Reported share"))
  plot_base(fit, long) +
    ggplot2::geom_vline(xintercept = 0, colour = "grey60", linewidth = 0.4) +
    ggplot2::geom_segment(ggplot2::aes(x = .data$conf.low, xend = .data$conf.high, y = .data$term, yend = .data$term),
                          data, colour = fit_colours[[1]], linewidth = 0.8, alpha = 0.55, lineend = "round") +
    ggplot2::geom_point(ggplot2::aes(.data$share, .data$term, colour = .data$what, shape = .data$what),
                        size = if (rows > 20) 1.4 else 2.6, stroke = if (rows > 20) 0.6 else 1) +
    row_labels() +
    ggplot2::scale_colour_manual(values = fit_colours) +
    ggplot2::scale_shape_manual(values = c("Recovered share" = 16, "Reported share" = 1)) +
    ggplot2::scale_x_continuous(labels = percent_labels) +
    ggplot2::labs(x = axis, y = NULL) +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank(), axis.text.y = row_text(rows))
}

# Many rows have small labels, and fewer of them where even those would overlap.
row_text <- function(rows) ggplot2::element_text(size = max(7, min(9.6, 220 / rows)))
row_labels <- function() ggplot2::scale_y_discrete(guide = ggplot2::guide_axis(check.overlap = TRUE))

plot_ranks <- function(fit) {
  data <- plot_data(fit)
  data <- do.call(rbind, lapply(split(data, data$panel), function(part) {
    part <- part[base::order(part$estimate, decreasing = TRUE), ]
    part$rank <- seq_len(nrow(part))
    part
  }))
  # The logarithmic axis ends a little below one report; what lies there is drawn on its edge.
  floor <- 0.5 / max(fit$tally$n)
  lift <- function(x) pmax(x, floor)
  zeros <- sum(data$estimate <= 0)
  plot_base(fit, data) +
    (if (!is.null(data$reported)) ggplot2::geom_point(
      ggplot2::aes(.data$rank, lift(.data$reported), colour = "Reported share"), size = 0.5, alpha = 0.35)) +
    # The limits of few categories can be told apart; as a band they would be joined where nothing is.
    (if (length(fit$mechanism$levels) <= 200)
      ggplot2::geom_linerange(ggplot2::aes(.data$rank, ymin = lift(.data$conf.low), ymax = lift(.data$conf.high)),
                              colour = fit_colours[[1]], alpha = 0.35, linewidth = 0.8)
     else ggplot2::geom_ribbon(ggplot2::aes(.data$rank, ymin = lift(.data$conf.low), ymax = lift(.data$conf.high)),
                               fill = fit_colours[[1]], alpha = 0.2)) +
    ggplot2::geom_line(ggplot2::aes(.data$rank, .data$estimate, colour = "Recovered share"),
                       data[data$estimate > floor, ], linewidth = 0.8) +
    ggplot2::scale_colour_manual(values = fit_colours, guide = ranks_legend(data)) +
    ggplot2::scale_x_log10(labels = format_count) +
    ggplot2::scale_y_log10(labels = percent_labels) +
    ggplot2::labs(x = sprintf("Rank among %s categories (%s of the estimates at zero or below)",
                              format_count(length(fit$mechanism$levels)),
                              format_count(zeros)), y = "Share")
}

# A line for what is drawn as a line, a point for what is drawn as points.
ranks_legend <- function(data) {
  if (is.null(data$reported)) return(ggplot2::guide_legend())
  ggplot2::guide_legend(override.aes = list(linetype = c(1, 0), shape = c(NA, 16), size = c(1, 1.6), alpha = 1))
}

percent_labels <- function(x) {
  paste0(format(100 * x, trim = TRUE, drop0trailing = TRUE, digits = 3, scientific = FALSE), "%")
}

#' @rdname rr_fit
#' @export
plot.rr_fit <- function(x, ...) {
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    print(on_behalf(autoplot.rr_fit(x, ...)))
    return(invisible(x))
  }
  data <- tidy(x, conf.int = TRUE)
  position <- seq_len(nrow(data))
  graphics::plot(position, data$estimate, ylim = range(data$conf.low, data$conf.high, 0, na.rm = TRUE),
                 pch = 16, xaxt = "n",
                 xlab = "", ylab = "Share", main = method_names[[x$method]], ...)
  graphics::segments(position, data$conf.low, position, data$conf.high)
  graphics::axis(1, position, data$term)
  invisible(x)
}
