#' Pictures of joint estimates
#'
#' * Of [rr_association()]: a heat map of the correlations (or another measure). Pairs whose independence is rejected are outlined; Holm's
#'   correction makes the level hold for all pairs together. One pair is drawn with its interval.
#' * Of [rr_tmdh()]: estimates with their intervals next to the reported counts (`type = "estimates"`), or the structure of their
#'   correlation matrix (`type = "covariance"`).
#'
#' @param object An association of [rr_association()], or a fit of [rr_tmdh()].
#' @param measure Which measure to draw. By default correlations, or Cramer's V if a question has more than two categories.
#' @param alpha Significance level of the test that outlines a pair, between 0 and 1.
#' @param type What to draw of a fit: `"estimates"` or `"covariance"`.
#' @param ... Not used.
#' @return A ggplot object, to be printed, saved or changed.
#' @section Errors:
#' `candor_error_argument` for arguments that are not known or out of range, and for a picture of more than 200 sets; `candor_error_package` where ggplot2 is not installed.
#' @source Carette, T. (2022), see [rr_tmdh()] and [rr_association()]; Holm's correction is that of [stats::p.adjust()].
#' @name autoplot.rr_association
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' truth <- matrix(rbinom(8000, 1, 0.4), 2000, dimnames = list(NULL, c("a", "b", "c", "d")))
#' truth[, "b"] <- ifelse(runif(2000) < 0.7, truth[, "a"], truth[, "b"])
#' reports <- matrix(rbinom(8000, 1, 0.15 + 0.7 * truth), 2000, dimnames = dimnames(truth))
#' fit <- rr_tmdh(rr_cooccurrence(reports, order = 4), rr_warner(0.85), order = 2)
#' ggplot2::autoplot(rr_association(fit))
#' ggplot2::autoplot(fit, type = "covariance")
NULL

#' @rdname autoplot.rr_association
#' @method autoplot rr_association
#' @rawNamespace S3method(ggplot2::autoplot,rr_association)
autoplot.rr_association <- function(object, measure = c("correlation", "covariance", "cramers.v"), alpha = 0.05, ...) {
  check_installed("ggplot2", "to draw an association")
  measures <- c("correlation", "covariance", "cramers.v")
  measure <- if (identical(measure, measures)) default_measure(object$pairs)
    else check_choice(measure, "measure", measures)
  alpha <- check_number(alpha, "alpha", min = 0, max = 1)
  data <- as.data.frame(object$pairs)
  if (nrow(data) == 1L) return(plot_pair(object, measure))
  data$value <- data[[measure]]
  questions <- unique(c(data$x, data$y))
  significant <- if (is.null(data$p.value)) FALSE
    else !is.na(data$p.value) & stats::p.adjust(data$p.value, "holm") < alpha
  data$significant <- significant
  # The matrix is symmetric: the lower triangle is enough.
  data$column <- factor(data$x, questions)
  data$row <- factor(data$y, rev(questions))
  few <- length(questions) <= 12
  data$label <- ifelse(is.na(data$value), "NA", sub("^-(0\\.00)$", "\\1", sprintf("%.2f", data$value)))
  # Many cells are small ones.
  if (length(questions) > 6) data$label <- sub("0.", ".", data$label, fixed = TRUE)
  lowest <- if (measure == "cramers.v") 0 else -1
  # Correlations of all pictures have the same colours; a covariance of two bits is at most 1/4.
  limit <- if (measure == "covariance") min(0.25, max(0.01, abs(data$value), na.rm = TRUE)) else 1
  size <- length(questions)
  turned <- size > 6 || max(nchar(questions)) * size > 24
  ggplot2::ggplot(data, ggplot2::aes(.data$column, .data$row)) +
    ggplot2::geom_tile(ggplot2::aes(fill = pmax(lowest * limit, pmin(limit, .data$value))),
                       colour = if (few) "white" else NA, linewidth = 0.8) +
    (if (few) ggplot2::geom_text(ggplot2::aes(label = .data$label, colour = abs(.data$value) > 0.55 * limit),
                                 size = min(3.4, 25 / length(questions)), show.legend = FALSE)) +
    (if (any(significant) && few) ggplot2::geom_tile(data = data[significant, ], fill = NA, colour = "grey10",
                                                     linewidth = 0.7, width = 0.94, height = 0.94)) +
    (if (any(significant) && !few) ggplot2::geom_point(data = data[significant, ], size = max(0.25, 12 / size),
                                                       colour = "grey10")) +
    scale_correlation(limit, lowest) +
    ggplot2::scale_colour_manual(values = c("FALSE" = "grey15", "TRUE" = "white")) +
    ggplot2::scale_x_discrete(drop = FALSE, limits = questions[-size]) +
    ggplot2::scale_y_discrete(drop = FALSE, limits = rev(questions[-1])) +
    ggplot2::coord_fixed() +
    ggplot2::labs(x = NULL, y = NULL, title = paste(measure_names[[measure]], "of the true answers"),
                  subtitle = if (any(significant)) wrap_text(rejection_note(nrow(data), alpha, few), 64)) +
    theme_candor("right") +
    ggplot2::theme(panel.grid = ggplot2::element_blank(), legend.justification = "center",
                   axis.text.x = ggplot2::element_text(angle = if (turned) 90 else 0,
                                                       hjust = if (turned) 1 else 0.5, vjust = 0.5),
                   axis.text = ggplot2::element_text(size = max(4.5, min(9.5, 150 / size)))) +
    (if (size > 60) no_labels())
}

measure_names <- c(correlation = "Correlation", covariance = "Covariance", cramers.v = "Cramer's V")

# A heat map of one cell would show less than its number does.
plot_pair <- function(object, measure) {
  data <- as.data.frame(tidy(object, conf.int = TRUE))
  data <- data[data$measure == measure, ]
  data$label <- factor(paste(data$x, data$y, sep = ", "))
  data$panel <- factor("")
  data$kind <- "number"
  p <- object$pairs[["p.value"]]
  caption <- if (is.na(data$conf.low)) "No interval is known."
    else sprintf("Line: %s%% interval.", format(100 * object$conf.level))
  if (isTRUE(p >= 0)) {
    caption <- sprintf("%s Test of independence: p %s.", caption,
                       if (p < 0.001) "< 0.001" else paste("=", format(p, digits = 2)))
  }
  title <- paste(measure_names[[measure]], "of the true answers")
  draw_intervals(data, title, caption, measure_names[[measure]])
}

# Correlations are for yes/no questions; where others are among them, Cramer's V is there for every pair.
default_measure <- function(pairs) {
  other <- is.null(pairs[["correlation"]]) || any(is.na(pairs[["correlation"]]) & !is.na(pairs$cramers.v))
  if (other) "cramers.v" else "correlation"
}

# An element for both axes would not override their own.
no_labels <- function() ggplot2::theme(axis.text.x = ggplot2::element_blank(), axis.text.y = ggplot2::element_blank())

rejection_note <- function(pairs, alpha, few) {
  sprintf("%s: not independent at %s%% (Holm, %s pairs)", if (few) "Outlined" else "Dots", format(100 * alpha),
          format_count(pairs))
}

#' @rdname autoplot.rr_association
#' @method autoplot rr_tmdh
#' @rawNamespace S3method(ggplot2::autoplot,rr_tmdh)
autoplot.rr_tmdh <- function(object, type = c("estimates", "covariance"), ...) {
  check_installed("ggplot2", "to draw a joint estimate")
  type <- check_choice(type, "type", c("estimates", "covariance"))
  sets <- shown_size(object)
  if (sets > 200) {
    abort(c("A picture of {format_count(sets)} sets would not be readable.",
            i = "Use a lower {.arg order}, or draw {.fn rr_association}."), "argument")
  }
  if (type == "estimates") plot_estimates(object) else plot_covariance(object)
}

plot_estimates <- function(fit) {
  data <- as.data.frame(tidy(fit, conf.int = TRUE, scale = "share"))
  reported <- fit$counts
  reported$order <- fit$order
  reported$further <- fit$further
  data$reported <- shown_values(reported)[match(data$term, shown_labels(fit))] / fit$n
  data$term <- factor(data$term, rev(data$term))
  data$size <- factor(sprintf("%d %s", data$order, ifelse(data$order == 1, "column", "columns")),
                      unique(sprintf("%d %s", data$order, ifelse(data$order == 1, "column", "columns"))))
  long <- rbind(data.frame(data[c("term", "size")], share = data$estimate, what = "Estimated truth"),
                data.frame(data[c("term", "size")], share = data$reported, what = "Reported"))
  # The gaps between panels take the room of a row.
  layout <- row_layout(1, c(as.character(data$term), rep("", nlevels(data$size) - 1L)))
  picture <- ggplot2::ggplot(long, ggplot2::aes(.data$share, .data$term)) +
    ggplot2::geom_vline(xintercept = 0, colour = colour_line, linewidth = 0.4) +
    ggplot2::geom_segment(ggplot2::aes(x = .data$conf.low, xend = .data$conf.high, y = .data$term, yend = .data$term),
                          data,
                          colour = colour_estimate, linewidth = 0.8, alpha = 0.55, lineend = "round", na.rm = TRUE) +
    ggplot2::geom_point(ggplot2::aes(colour = .data$what, shape = .data$what),
                        size = row_points(layout), stroke = if (layout$rows > 20) 0.6 else 1) +
    ggplot2::facet_grid(ggplot2::vars(.data$size), scales = "free_y", space = "free_y") +
    ggplot2::scale_colour_manual(values = c("Estimated truth" = colour_estimate, "Reported" = colour_reported)) +
    ggplot2::scale_shape_manual(values = c("Estimated truth" = 16, "Reported" = 1)) +
    ggplot2::scale_x_continuous(labels = percent_labels) +
    row_labels(layout) +
    ggplot2::labs(x = "Share of rows in which all columns are 1", y = NULL, colour = NULL, shape = NULL,
                  title = "Joint shares from randomised reports",
                  caption = wrap_text(sprintf("%s rows. Lines: %s%% intervals for the %s.", format_count(fit$n),
                                              format(100 * fit$conf.level), fit$target))) +
    theme_candor() +
    row_theme(layout) +
    ggplot2::theme(panel.spacing = ggplot2::unit(0.8, "lines"),
                   strip.text.y = ggplot2::element_text(angle = 0, hjust = 0))
  with_height(picture, layout)
}

plot_covariance <- function(fit) {
  covariance <- as.matrix(suppressWarnings(vcov(fit)))
  scale <- sqrt(pmax(diag(covariance), 0))
  correlation <- covariance / outer(scale, scale)
  correlation[!is.finite(correlation)] <- NA_real_
  terms <- rownames(covariance)
  data <- data.frame(row = factor(rep(terms, length(terms)), rev(terms)),
                     column = factor(rep(terms, each = length(terms)), terms), value = as.vector(correlation))
  data$value[abs(data$value) < 1e-12] <- NA_real_
  few <- length(terms) <= 40
  about <- paste0("Errors of estimates, for the ", fit$target, ".",
                  if (fit$target == "sample") " White: sets that share no column.")
  ggplot2::ggplot(data, ggplot2::aes(.data$column, .data$row, fill = pmax(-1, pmin(1, .data$value)))) +
    ggplot2::geom_tile(colour = if (few) "white" else NA, linewidth = 0.4) +
    scale_correlation(na.value = "white") +
    ggplot2::coord_fixed() +
    ggplot2::labs(x = NULL, y = NULL, title = "Correlation of the estimated joint counts",
                  subtitle = wrap_text(about, 64)) +
    theme_candor("right") +
    ggplot2::theme(panel.grid = ggplot2::element_blank(), legend.justification = "center",
                   axis.text = ggplot2::element_text(size = max(5, min(9.5, 80 / length(terms)))),
                   axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5)) +
    (if (!few) no_labels())
}
