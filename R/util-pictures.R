# Titles, panels and lines of pictures: the names of the question and its groups, and line types
# that differ.

# The name of the question if it is known, else what is drawn; and the groups or covariates that it
# is drawn by. `keys` are their names, or a table of groups: a single group has its name there,
# which no row or panel has.
picture_title <- function(question, keys, otherwise = NULL) {
  by <- if (is.data.frame(keys) && nrow(keys) == 1L) {
    paste0(", ", group_panel(keys, names(keys)))
  } else if (length(keys)) {
    paste(", by", listed(if (is.data.frame(keys)) names(keys) else keys))
  }
  paste0(if (length(question)) listed(question) else otherwise, by)
}

listed <- function(names) as.character(cli::ansi_collapse(names, last = " and "))

# The name of the answers, if they have one in the formula of a model.
answer_name <- function(formula) {
  answer <- if (length(formula) == 3L) formula[[2]]
  if (is.name(answer)) as.character(answer)
}

# The name of an axis of groups.
keys_axis <- function(keys) if (length(keys)) paste(keys, collapse = ", ")

# The groups of each row as one label, in their order, with the names of the grouping variables if
# no axis has them. Columns of a table of counts have no such name.
group_panel <- function(data, keys, sep = ", ", named = TRUE) {
  if (!length(keys)) return(one_panel(data))
  name <- function(key) {
    if (named && key != "group") {
      paste(paste0(key, ":"), data[[key]])
    } else {
      as.character(data[[key]])
    }
  }
  panel <- do.call(paste, c(lapply(keys, name), sep = sep))
  factor(panel, unique(panel))
}

one_panel <- function(data) factor(rep("", NROW(data[[1]])))

# Lines are told apart in grey too. Lines with equal values lie on each other: dashes let another
# one be seen.
line_types <- c("solid", "84", "48", "8242", "24")

line_values <- function(names, values) setNames(rep_len(values, length(names)), names)

# The names of up to 8 lines at their ends, on an axis at the right, which need no legend. Names
# that would touch are moved apart, and a thin line leads from the end of each line to its name.
# NULL if there is one line, or if names are too long. `range` is that of y; `log` says which axes
# are logarithmic.
line_ends <- function(x, y, line, range, log = "", title = NULL) {
  names <- levels(line)
  lines <- max(count_lines(names, 16))
  if (length(names) < 2L || length(names) > length(line_colours) || lines > 2L) {
    return(NULL)
  }
  leaders <- end_leaders(x, y, line, range, log, 0.08 * lines)
  list(
    axis = ggplot2::dup_axis(
      name = title, breaks = leaders$yend, labels = wrap_labels(16)(names)
    ),
    expand = ggplot2::expansion(mult = c(0.05, 0)),
    layers = list(
      ggplot2::geom_segment(
        ggplot2::aes(
          .data$x, .data$y, xend = .data$xend, yend = .data$yend,
          colour = .data$line
        ),
        leaders, linewidth = 0.3, inherit.aes = FALSE, show.legend = FALSE
      ),
      ggplot2::theme(axis.text.y.right = ggplot2::element_text(colour = "grey20"))
    )
  )
}

# The segments from the end of each line to its name. Names are at least `gap` from each other, as a
# fraction of the range.
end_leaders <- function(x, y, line, range, log, gap) {
  names <- levels(line)
  scaled <- function(values, axis) if (grepl(axis, log)) log10(values) else values
  raised <- function(values, axis) if (grepl(axis, log)) 10^values else values
  x <- scaled(x, "x")
  y <- scaled(y, "y")
  range <- scaled(range, "y")
  last <- vapply(names, function(name) {
    rows <- which(line == name & is.finite(y))
    rows[which.max(as.numeric(x[rows]))]
  }, 0L)
  label_y <- separate_positions(
    y[last],
    min(gap, 1 / (length(names) - 1)) * diff(range), range
  )
  data.frame(
    x = raised(x[last], "x"),
    xend = raised(max(x) + 0.05 * diff(range(x)), "x"),
    y = raised(y[last], "y"),
    yend = raised(label_y, "y"),
    line = factor(names, names)
  )
}

# The nearest positions at least `gap` from each other and within the range, in the same order.
separate_positions <- function(positions, gap, range) {
  order <- order(positions)
  steps <- gap * (seq_along(positions) - 1)
  moved <- isoreg(positions[order] - steps)$yf + steps
  replace(
    positions, order,
    clamp(moved, range[1] + steps, range[2] - rev(steps))
  )
}

# One line for each design or method, named at its end or in a legend. Hollow points let another
# design be seen through them.
design_lines <- function(designs, points, line_labels = NULL) {
  names <- levels(designs)
  values <- function(x) line_values(names, x)
  guide <- if (is.null(line_labels)) line_legend(names) else "none"
  list(
    ggplot2::geom_line(
      ggplot2::aes(colour = .data$mechanism, linetype = .data$mechanism), linewidth = 0.8
    ),
    if (points <= 12) {
      ggplot2::geom_point(
        ggplot2::aes(colour = .data$mechanism, shape = .data$mechanism), size = 2
      )
    },
    ggplot2::scale_colour_manual(values = values(line_colours), guide = guide),
    ggplot2::scale_linetype_manual(values = values(line_types), guide = guide),
    if (points <= 12) {
      ggplot2::scale_shape_manual(
        values = values(c(16, 2, 0, 4, 8, 1, 6, 5)),
        guide = guide
      )
    },
    ggplot2::labs(colour = NULL, linetype = NULL, shape = NULL),
    ggplot2::theme(legend.key.width = ggplot2::unit(1.8, "lines")),
    line_labels$layers
  )
}
