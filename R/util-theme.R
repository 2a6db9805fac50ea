# All pictures use these colours, themes, rows and axes.

# The colours of estimates and their intervals, of reported shares, and of lines for comparison.
colour_estimate <- "#0B4F6C"
colour_reported <- "#9A9A9A"
colour_aside <- "grey40"
colour_line <- "grey60"

# Colours that readers with any colour vision tell apart (Okabe and Ito), with a brown in the place
# of their yellow, which is faint on white.
line_colours <- c(
  "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#8C6D31"
)

# The fill colours of correlations, from negative over none to positive.
scale_correlation <- function(limit = 1, lowest = -1) {
  ggplot2::scale_fill_gradient2(
    low = "#2166AC", mid = "#F7F7F7", high = "#B2182B", limits = c(lowest * limit, limit),
    na.value = "grey85", name = NULL
  )
}

# The theme of all pictures. It is white, whatever lies behind, has room at the right for the last
# label of the axis, and captions are cut into lines instead of running out of the picture. Sizes
# are relative, so that print() can shrink them all.
# The space between panels has room for the last label of one panel and the first of the next.
theme_candor <- function(legend = "top") {
  sized <- function(points, ...) {
    ggplot2::element_text(size = ggplot2::rel(points / 12), ...)
  }
  list(
    ggplot2::theme_minimal(base_size = 12),
    ggplot2::theme(
      plot.background = ggplot2::element_rect(fill = "white", colour = NA),
      plot.margin = ggplot2::margin(8, 22, 8, 8), plot.title.position = "plot",
      plot.caption.position = "plot", plot.title = sized(13), plot.subtitle = sized(10.5),
      plot.caption = sized(9, hjust = 0, colour = colour_aside, lineheight = 1.05),
      panel.grid.minor = ggplot2::element_blank(), panel.spacing = ggplot2::unit(1.2, "lines"),
      panel.spacing.x = ggplot2::unit(2.2, "lines"), strip.text = sized(10, hjust = 0),
      strip.clip = "off",
      strip.text.x = ggplot2::element_text(margin = ggplot2::margin(3, 0, 3, 0)),
      legend.position = legend, legend.justification = "left",
      legend.margin = ggplot2::margin(0, 0, 0, 0), legend.text = sized(9),
      legend.spacing.x = ggplot2::unit(0.25, "lines"),
      legend.key.height = ggplot2::unit(0.95, "lines"), axis.title = sized(11)
    ),
    structure(list(), class = "rr_shrinking")
  )
}

# The picture with the class whose print() can shrink it.
#' @exportS3Method ggplot2::ggplot_add
ggplot_add.rr_shrinking <- function(object, plot, ...) {
  structure(plot, class = union("rr_picture", class(plot)))
}

# Text of a title, subtitle or caption, cut into lines that the smallest usual picture (5 inches)
# holds.
wrap_text <- function(text, width = 70) {
  if (length(text)) paste(strwrap(text, width), collapse = "\n")
}

# A function that cuts long labels of categories and panels into lines; an empty label gets a name
# that can be seen.
wrap_labels <- function(width) {
  function(labels) {
    vapply(
      as.character(labels),
      function(label) {
        if (is.na(label) || nzchar(label)) {
          paste(cut_lines(label, width), collapse = "\n")
        } else {
          "(blank)"
        }
      },
      "", USE.NAMES = FALSE
    )
  }
}

# The lines of text. A name and its value, as in "sex: men", stay together if a line holds both.
cut_lines <- function(text, width) {
  lines <- gsub(
    ":\r", ": ", strwrap(gsub(": ", ":\r", text, fixed = TRUE), width),
    fixed = TRUE
  )
  unlist(
    lapply(lines, function(line) {
      if (nchar(line) > width) strwrap(line, width) else line
    })
  )
}

# The layout of rows of text in panels:
#   across, down              the numbers of panels side by side and below each other
#   rows                      the number of rows below each other
#   size                      that of the labels, as large as a picture of 4 inches has room for
#   width, title_width        the characters of labels and titles in a line
#   title_size                the size of the titles
#   breaks                    a function for the breaks of the axis
#   height                    the inches that the picture needs
row_layout <- function(
  panels, labels, titles = "", across = panel_columns(panels, length(labels))
) {
  down <- ceiling(panels / across)
  title_width <- c(60, 24, 18, 14)[min(across, 4)]
  # Titles of more than two lines are set in small letters, of which a line holds more.
  title_size <- if (panels > 1 && max(count_lines(titles, title_width)) > 2) 8 else 10
  title_width <- round(title_width * 10 / title_size)
  # The fixed height is that of title, legend, axis and caption; several panels add their titles,
  # the gaps between these, and an axis below an upper panel.
  fixed <- 1.6
  if (panels > 1) {
    fixed <- fixed + down * (0.085 + 0.0165 * title_size * max(count_lines(titles, title_width))) +
      (down - 1) * panel_gap(down) / 6 +
      if (panels %% across) 0.2 else 0
  }
  letters <- row_letters(labels, across, down, fixed)
  # Labels of 1.2 inches leave three panels room for two ticks each.
  wide <- letters$size * min(letters$width, max(nchar(labels))) > 170
  breaks <- if (across > 2) {
    few_breaks(2, if (wide) 2 else 3)
  } else {
    few_breaks(if (across > 1) 3 else 6)
  }
  list(
    across = across,
    down = down,
    rows = down * length(labels),
    size = letters$size,
    width = letters$width,
    title_width = title_width,
    title_size = title_size,
    breaks = breaks,
    height = ceiling(10 * (fixed + letters$height)) / 10
  )
}

# The letters of the labels of rows: their `size`, the `width` of a line in characters, and the
# `height` of all rows in inches, beside which a picture has a `fixed` height.
row_letters <- function(labels, across, down, fixed) {
  rows <- length(labels)
  # Labels of several lines need a gap between them.
  needed <- function(lines) down * (if (lines > rows) 1.25 * lines else lines) / 72
  fitting <- function(lines, height) (height - fixed) / needed(lines)
  single <- max(4.5, fitting(rows, 4))
  # Letters of 7 points are read well: where they suffice, the rows fit a picture of 3 inches too.
  for (size in seq(9.6, 4.5, by = -0.3)) {
    # Small letters need fewer lines. Letters that are small for the lines' sake leave some of their
    # room to the panels.
    width <- round(
      c(28, 26, 22, 18)[min(across, 4)] *
        min(9.6 / size, max(1.15, 9.6 / single), 2)
    )
    # Many long names keep to a line each as long as that leaves them half of the width.
    if (across == 1L && down * rows > 5L && max(nchar(labels)) <= 44L) {
      width <- 44
    }
    lines <- sum(count_lines(labels, width))
    if (size <= fitting(lines, if (size > 7) 3 else 4)) break
  }
  list(size = size, width = width, height = needed(lines) * size)
}

count_lines <- function(labels, width) {
  lengths(lapply(strsplit(paste0(labels, " "), "\n"), cut_lines, width))
}

# Lines of text between panels that stand below each other.
panel_gap <- function(down) if (down > 2) 0.5 else 1.2

# The number of panels side by side. Few panels of many rows stand side by side, so that each row
# has its height.
panel_columns <- function(panels, rows) {
  if (panels <= 3) return(panels)
  if (rows > 3 && (panels == 4 || panels > 6) || panels > 12) {
    4
  } else if (panels == 4) {
    2
  } else {
    3
  }
}

# The guide of an axis whose labels are left out if they would overlap.
no_overlap <- function() ggplot2::guide_axis(check.overlap = TRUE)

# The axis of rows. Every row of up to 50 has a label; labels of more rows are left out if they
# would overlap.
row_labels <- function(layout, labels = identity) {
  ggplot2::scale_y_discrete(labels = function(x) wrap_labels(layout$width)(labels(x)),
                            guide = ggplot2::guide_axis(check.overlap = layout$rows > 50))
}

# A factor of rows whose first is on top.
rows_factor <- function(labels) factor(labels, rev(unique(labels)))

row_theme <- function(layout) {
  ggplot2::theme(
    panel.grid.major.y = ggplot2::element_blank(),
    axis.text.y = ggplot2::element_text(size = ggplot2::rel(layout$size / 9.6), lineheight = 0.9),
    panel.spacing.y = ggplot2::unit(panel_gap(layout$down), "lines")
  )
}

row_points <- function(layout) {
  if (layout$rows > 20) 1.4 else if (layout$across > 2) 2 else 2.6
}

# The layout of panels with separate axes, which leave their titles less width.
own_axes <- function(layout) {
  replace(
    layout, "title_width", c(60, 20, 12, 9)[min(layout$across, 4)]
  )
}

row_panels <- function(layout, scales = "fixed") {
  list(
    ggplot2::facet_wrap(
      ~ panel, ncol = layout$across, scales = scales,
      labeller = ggplot2::as_labeller(wrap_labels(layout$title_width))
    ),
    ggplot2::theme(strip.text = ggplot2::element_text(size = ggplot2::rel(layout$title_size / 12)))
  )
}

# The picture with its layout, which stays with it until it is drawn, by plot(), print() or
# ggsave(), when the device is known. The usual 4 inches hold 40 rows, an open device perhaps more.
with_height <- function(picture, layout) {
  room <- if (grDevices::dev.cur() > 1) grDevices::dev.size()[2] else 0
  if (layout$height > max(4.2, room)) inform_height(layout)
  structure(picture, row_layout = layout)
}

# The picture, which is shrunk to the device. It is laid out for 5 inches: on a narrower device its
# letters, points, lines and gaps shrink with the width, as a reduced copy would. If the device has
# no room for its rows a message has the height that they need.
#' @export
print.rr_picture <- function(x, ...) {
  layout <- attr(x, "row_layout")
  size <- grDevices::dev.size("in")
  by <- min(1, max(0.5, size[1] / 5))
  if (!is.null(layout) && layout$height <= 4.2 &&
      by * layout$height > size[2] + 0.25) {
    inform_height(layout)
  }
  print(
    shrunk(in_palette(structure(x, class = setdiff(class(x), "rr_picture"))), by), ...
  )
  invisible(x)
}

# The picture in shades of grey, if `options(candor.palette = "grey")` asks for it: its scales, and
# the colours that are no scale.
in_palette <- function(picture) {
  palette <- getOption("candor.palette", "colour")
  check_that(
    identical(palette, "colour") || identical(palette, "grey"), palette, "candor.palette",
    "\"colour\" or \"grey\""
  )
  if (palette == "colour") return(picture)
  picture$layers <- lapply(picture$layers, function(layer) {
    colours <- intersect(c("colour", "fill"), names(layer$aes_params))
    greys <- lapply(layer$aes_params[colours], grey_of)
    ggplot2::ggproto(NULL, layer, aes_params = replace(layer$aes_params, colours, greys))
  })
  scales <- picture$scales$clone()
  scales$scales <- lapply(scales$scales, grey_scale)
  picture$scales <- scales
  picture
}

# The grey of the same luminance as a colour.
grey_of <- function(colour) {
  if (anyNA(colour)) return(colour)
  weights <- c(0.299, 0.587, 0.114)
  grDevices::grey(as.vector(weights %*% grDevices::col2rgb(colour)) / 255)
}

# A scale of colours with greys in their place: names have steps from black to a light grey, and
# numbers a ramp from light to dark.
grey_scale <- function(scale) {
  if (!any(c("colour", "fill") %in% scale$aesthetics)) return(scale)
  colours <- scale$palette
  greys <- if (inherits(scale, "ScaleDiscrete")) {
    function(n) {
      names <- names(colours(n))
      setNames(grDevices::grey.colors(max(n, length(names)), 0, 0.7), names)
    }
  } else {
    function(x) {
      inside <- pmin(pmax(x, 0, na.rm = TRUE), 1)
      ifelse(is.na(x), NA, grDevices::grey(0.97 - 0.5 * inside))
    }
  }
  ggplot2::ggproto(NULL, scale, palette = greys)
}

shrunk <- function(picture, factor) {
  if (factor == 1) return(picture)
  lengths <- c(
    "plot.margin", "panel.spacing", "panel.spacing.x", "panel.spacing.y", "legend.spacing.x",
    "legend.box.spacing", "legend.key.height", "legend.key.width", "legend.key.size",
    "axis.ticks.length"
  )
  lengths <- Filter(function(name) inherits(picture$theme[[name]], "unit"), lengths)
  smaller <- lapply(picture$theme[lengths], function(x) {
    structure(factor * x, class = class(x))
  })
  smaller$text <- ggplot2::element_text(size = factor * picture$theme$text$size)
  picture$layers <- lapply(picture$layers, function(layer) {
    sized <- names(layer$aes_params) %in% c("size", "linewidth", "stroke")
    parameters <- replace(layer$aes_params, sized, lapply(layer$aes_params[sized], `*`, factor))
    ggplot2::ggproto(NULL, layer, aes_params = parameters)
  })
  picture + do.call(ggplot2::theme, smaller)
}

inform_height <- function(layout) {
  cli::cli_inform(
    c(
      paste(
        "{layout$rows} row{?s} need{?s/} a picture {layout$height} inches high,",
        "or names overlap or are lost."
      ),
      i = "Say so where it is drawn, as in {.code ggsave(height = {layout$height})}, or draw fewer."
    ),
    class = "candor_message_height"
  )
}

# The legend of lines. Names that would run out of a picture of ordinary width are set in columns,
# or get a line each.
line_legend <- function(names, ...) {
  wide <- sum(nchar(names) + 6)
  longest <- max(nchar(names))
  columns <- max(
    floor(60 / (longest + 6)), if (longest <= 28) 2 else 1
  )
  ggplot2::guide_legend(ncol = if (wide > 66) columns, byrow = TRUE, ...)
}

# The labels of differences of shares, in percentage points.
point_labels <- function(x) {
  format(100 * x, trim = TRUE, drop0trailing = TRUE, digits = 3, scientific = FALSE)
}

percent_labels <- function(x) paste0(point_labels(x), "%")

# A function for the breaks of an axis with room for few labels: about `n`, at round numbers, and
# not more than `max_breaks`.
few_breaks <- function(n, max_breaks = Inf) function(limits) {
  # A single tick does not show the scale.
  for (more in n + 0:3) {
    breaks <- pretty(limits, more)
    breaks <- breaks[breaks >= limits[1] & breaks <= limits[2]]
    if (length(breaks) >= if (n < 5) 2L else 3L) break
  }
  if (length(breaks) <= max_breaks) return(breaks)
  # If there are too many, every second break stays, among them that at 0.
  sparse <- breaks[(seq_along(breaks) - which.min(abs(breaks))) %% 2 == 0]
  if (length(sparse) > 1L) sparse else breaks
}

# An axis of dates, times or numbers, with about `n` ticks: at these positions themselves if they
# are few. Whole numbers, such as years, have ticks at whole numbers.
scale_x_positions <- function(positions, n, expand = NULL) {
  ticks <- sort(unique(positions))
  is_whole <- !is.numeric(positions) || all(positions == round(positions))
  breaks <- if (is_whole && length(ticks) <= n + 1L) ticks else few_breaks(n)
  if (is.numeric(positions) && is_whole && is.function(breaks)) {
    breaks <- function(limits) {
      Filter(function(b) b == round(b), few_breaks(n)(limits))
    }
  }
  arguments <- list(breaks = breaks, guide = no_overlap(), expand = expand %||% ggplot2::waiver())
  if (inherits(positions, "Date")) {
    return(do.call(ggplot2::scale_x_date, c(arguments, list(labels = date_labels))))
  }
  if (is.numeric(positions)) return(do.call(ggplot2::scale_x_continuous, arguments))
  do.call(ggplot2::scale_x_datetime, c(arguments, list(labels = time_labels)))
}

# The labels of dates, such as "15 Oct". The first one of a year has the year in a separate line.
date_labels <- function(dates) {
  years <- format(dates, "%Y")
  known <- !is.na(dates)
  if (all(format(dates[known], "%m-%d") == "01-01")) return(years)
  days <- if (all(format(dates[known], "%d") == "01")) "%b" else "%e %b"
  begins <- known & !duplicated(years)
  labels <- paste0(trimws(format(dates, days)), ifelse(begins, paste0("\n", years), ""))
  replace(labels, !known, NA)
}

# The labels of times. The time of day has a separate line, and midnight has none.
time_labels <- function(times) sub("\n00:00$", "", format(times, "%Y-%m-%d\n%H:%M"))

power_labels <- function(x) {
  short <- sub(
    "e([+-])0+", "e\\1", format(x, scientific = TRUE, digits = 1, trim = TRUE)
  )
  decimal <- format(x, trim = TRUE, drop0trailing = TRUE, scientific = FALSE, digits = 2)
  ifelse(
    is.na(x), NA,
    ifelse(
      x >= 1e4 | x < 1e-3, sub("+", "", short, fixed = TRUE), decimal
    )
  )
}

# The breaks of a logarithmic axis: 1, 2, 5, 10, ... if so many ticks have room, else powers of 10;
# pretty() ones if fewer than three of these are inside.
log_breaks <- function(limits) {
  powers <- 10^seq(floor(log10(limits[1])), ceiling(log10(limits[2])))
  fine <- sort(outer(c(1, 2, 5), powers))
  inside <- sum(fine >= limits[1] & fine <= limits[2])
  if (inside < 3) {
    Filter(function(b) b > 0, pretty(limits, 4))
  } else if (inside <= 7) {
    fine
  } else {
    powers
  }
}

# A function for the breaks of a logarithmic axis with room for `n`: if there are more, powers of 10
# in equal steps, or 1, 3, 10 within two decades.
few_log_breaks <- function(n) {
  function(limits) {
    inside <- function(x) {
      x[
        x >= limits[1] * (1 - 1e-9) &
          x <= limits[2] * (1 + 1e-9)
      ]
    }
    breaks <- inside(log_breaks(limits))
    if (length(breaks) <= n) return(breaks)
    exponents <- seq(
      floor(log10(limits[1])), ceiling(log10(limits[2]))
    )
    powers <- inside(10^exponents)
    if (length(powers) >= min(n, 3)) {
      step <- ceiling(length(powers) / n)
      return(inside(10^exponents[exponents %% step == 0]))
    }
    thirds <- inside(sort(outer(c(1, 3), 10^exponents)))
    if (length(thirds) %in% 2:n) return(thirds)
    breaks[unique(round(seq(1, length(breaks), length.out = n)))]
  }
}

# The breaks of an axis of whole numbers: each of them if they are few.
whole_breaks <- function(limits) {
  if (diff(limits) <= 13) {
    seq(ceiling(limits[1]), floor(limits[2]))
  } else {
    unique(round(pretty(limits)))
  }
}

# The picture of autoplot() for methods of plot(), drawn, and returned so that `plot(fit) + labs()`
# is the ggplot that it seems to be.
draw <- function(x, ...) {
  check_installed("ggplot2", "to draw a picture")
  picture <- ggplot2::autoplot(x, ...)
  print(picture)
  invisible(picture)
}
