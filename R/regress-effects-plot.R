#' @rdname autoplot.rr_compare
#' @method autoplot rr_effects
#' @rawNamespace S3method(ggplot2::autoplot,rr_effects)
autoplot.rr_effects <- function(object, ...) {
  check_installed("ggplot2", "to draw effects")
  data <- as.data.frame(object)
  keys <- setdiff(names(data)[seq_len(match("term", names(data)) - 1L)], c("contrast", "estimate", "std.error"))
  average <- data$term == "(truth)"
  probability <- paste("Probability of", true_answer(attr(object, "truth", exact = TRUE)))
  slope <- startsWith(data$contrast, "dY/dX")
  unit <- ifelse(data$contrast == "dY/dX", "unit", sub("dY/dX per ", "", data$contrast, fixed = TRUE))
  part <- ifelse(average, probability,
                 paste0(data$term, ifelse(slope, paste0(", per ", unit), paste0(": ", data$contrast))))
  data$kind <- ifelse(average, "share", "difference")
  data$panel <- factor(rep("", nrow(data)))
  subtitle <- NULL
  axis <- NULL
  if (length(keys)) {
    data$label <- rows_factor(as.character(group_panel(data, keys)))
    if (length(unique(part)) > 1L) {
      part <- paste0(part, ifelse(average, ", %", ", points"))
      data$panel <- factor(part, unique(part))
    }
  } else {
    # The average is no effect: it has no place on an axis of differences.
    if (any(average) && !all(average)) {
      first <- data[average, ][1, ]
      subtitle <- sprintf("Average probability of %s: %s (%s to %s)", true_answer(attr(object, "truth", exact = TRUE)),
                          percent_labels(first$estimate), percent_labels(first$conf.low),
                          percent_labels(first$conf.high))
      data <- data[!average, ]
      part <- part[!average]
    }
    data$label <- rows_factor(part)
  }
  if (all(data$kind == "difference")) axis <- "Change of the probability, percentage points"
  if (all(data$kind == "share")) axis <- probability
  per_unit <- startsWith(data$contrast, "dY/dX")
  # One unit of an age beside a group against another.
  scale <- if (any(per_unit) && !all(per_unit)) {
    sprintf(" Effects per %1$s are of one %1$s more: of 10 %1$ss they are about 10 times as large.",
            if (all(endsWith(data$contrast[per_unit], "per day"))) "day" else "unit")
  }
  titled <- if (nlevels(data$panel) > 1L) " In the titles \"points\" are percentage points." else ""
  draw_intervals(data, if (all(average)) "Average truth" else "Average effects on the truth",
                 sprintf("Lines: %s.%s%s", interval_words(attr(object, "conf.level")), titled, scale %||% ""), axis,
                 free = TRUE) +
    ggplot2::labs(subtitle = subtitle)
}

#' @rdname autoplot.rr_compare
#' @export
plot.rr_effects <- function(x, ...) draw(x, ...)
