# What all pictures share: colours, theme, labels of axes.

# Estimates and their intervals, what was reported, what stands beside them for comparison.
colour_estimate <- "#0B4F6C"
colour_reported <- "#9A9A9A"
colour_aside <- "grey40"
colour_line <- "grey60"

# Colours that readers with any colour vision tell apart (Okabe and Ito).
line_colours <- c("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#F0E442")

# From negative over none to positive.
scale_correlation <- function(limit = 1, lowest = -1, na.value = "grey85") {
  ggplot2::scale_fill_gradient2(low = "#2166AC", mid = "#F7F7F7", high = "#B2182B", limits = c(lowest * limit, limit),
                                na.value = na.value, name = NULL)
}

# On white, whatever lies behind; with room at the right for the last label of the axis, and captions that are cut into
# lines instead of running out of the picture.
theme_candor <- function(legend = "top") {
  ggplot2::theme_minimal(base_size = 12) +
    ggplot2::theme(
      plot.background = ggplot2::element_rect(fill = "white", colour = NA),
      plot.margin = ggplot2::margin(8, 22, 8, 8), plot.title.position = "plot", plot.caption.position = "plot",
      plot.title = ggplot2::element_text(size = 13), plot.subtitle = ggplot2::element_text(size = 10.5),
      plot.caption = ggplot2::element_text(hjust = 0, colour = colour_aside, size = 9, lineheight = 1.05),
      panel.grid.minor = ggplot2::element_blank(), panel.spacing = ggplot2::unit(1.2, "lines"),
      strip.text = ggplot2::element_text(size = 10, hjust = 0), strip.clip = "off",
      legend.position = legend, legend.justification = "left", legend.margin = ggplot2::margin(0, 0, 0, 0),
      legend.text = ggplot2::element_text(size = 9.5), legend.key.height = ggplot2::unit(0.95, "lines"),
      axis.title = ggplot2::element_text(size = 11)
    )
}

# Text of a title, subtitle or caption, cut into lines that the smallest usual picture (5 inches) holds.
wrap_text <- function(text, width = 70) {
  if (length(text)) paste(strwrap(text, width), collapse = "\n")
}

# Long labels of categories and panels get lines of their own; an empty one gets a name that can be seen.
wrap_labels <- function(width) function(labels) {
  vapply(as.character(labels), function(label) {
    if (is.na(label) || nzchar(label)) paste(strwrap(label, width), collapse = "\n") else "(blank)"
  }, "", USE.NAMES = FALSE)
}

# Every row of up to 40 has a label, small where there are many; labels are left out only where they would overlap.
row_text <- function(rows) ggplot2::element_text(size = max(4.5, min(9.6, 170 / rows)), lineheight = 0.9)
row_labels <- function(rows) {
  ggplot2::scale_y_discrete(labels = wrap_labels(30), guide = ggplot2::guide_axis(check.overlap = rows > 50))
}

# Names that would run out of a picture of ordinary width are set in two columns, or get a line each.
line_legend <- function(names, ...) {
  wide <- sum(nchar(names) + 6)
  longest <- max(nchar(names))
  ggplot2::guide_legend(ncol = if (wide > 60) if (longest <= 28) 2 else 1, byrow = TRUE, ...)
}

percent_labels <- function(x) {
  paste0(format(100 * x, trim = TRUE, drop0trailing = TRUE, digits = 3, scientific = FALSE), "%")
}

# Breaks of an axis that has room for few labels: at most so many, at round numbers.
few_breaks <- function(n) function(limits) {
  breaks <- pretty(limits, n)
  breaks[breaks >= limits[1] & breaks <= limits[2]]
}

power_labels <- function(x) {
  short <- sub("e([+-])0+", "e\\1", format(x, scientific = TRUE, digits = 1, trim = TRUE))
  plain <- format(x, trim = TRUE, drop0trailing = TRUE, scientific = FALSE, digits = 2)
  ifelse(is.na(x), NA, ifelse(x >= 1e4 | x < 1e-3, sub("+", "", short, fixed = TRUE), plain))
}

# 1, 2, 5, 10, ... where so many ticks have room, else powers of 10; where fewer than two of them fall, others.
log_breaks <- function(limits) {
  powers <- 10^seq(floor(log10(limits[1])), ceiling(log10(limits[2])))
  fine <- sort(outer(c(1, 2, 5), powers))
  inside <- sum(fine >= limits[1] & fine <= limits[2])
  if (inside < 2) Filter(function(b) b > 0, pretty(limits, 4)) else if (inside <= 7) fine else powers
}

# Every whole number where they are few.
whole_breaks <- function(limits) {
  if (diff(limits) <= 13) seq(ceiling(limits[1]), floor(limits[2])) else unique(round(pretty(limits)))
}

# plot(): the picture of autoplot(), drawn.
draw <- function(x, ...) {
  check_installed("ggplot2", "to draw a picture")
  print(ggplot2::autoplot(x, ...))
  invisible(x)
}

# autoplot() of what has no picture.
refuse_picture <- function(x, remedy) {
  abort(c("There is no picture of an object of class {.cls {class(x)[1]}}.", i = remedy), "argument")
}
