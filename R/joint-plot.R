# The picture of associations is a heat map of all pairs, or one pair with its interval.

#' @rdname rr_association
#' @method autoplot rr_association
#' @rawNamespace S3method(ggplot2::autoplot,rr_association)
autoplot.rr_association <- function(
  object, measure = default_measure(object$pairs), alpha = 0.05, ...
) {
  measure <- check_choice(measure, "measure", names(measure_names))
  alpha <- check_number(alpha, "alpha", min = 0, max = 1)
  object$axis <- paste(measure_names[[measure]], "of the true answers")
  # A heat map of one cell would show less than its number does.
  if (nrow(object$pairs) == 1L) {
    return(autoplot.rr_estimates(of_measure(object, measure)) +
             ggplot2::labs(title = object$axis, x = measure_names[[measure]]))
  }
  data <- as.data.frame(object$pairs)
  data$value <- data[[measure]]
  rejected <- data[
    which(p.adjust(data$p.value %||% rep(NA_real_, nrow(data)), "holm") < alpha),
  ]
  lowest <- if (measure == "cramers.v") 0 else -1
  # Correlations of all pictures have the same colours; a covariance of two bits is at most 1/4.
  limit <- if (measure == "covariance") {
    min(0.25, max(0.01, abs(data$value), na.rm = TRUE))
  } else {
    1
  }
  heat_map(data, rejected, limit, lowest) +
    ggplot2::labs(x = NULL, y = NULL, title = object$axis,
                  subtitle = if (nrow(rejected)) {
                    sprintf("Outlined: not independent at %s%% (Holm)", format(100 * alpha))
                  })
}

# A heat map with a cell for each pair, with its number if there is room, and outlined if it is
# `rejected`.
heat_map <- function(data, rejected, limit, lowest) {
  questions <- unique(c(data$x, data$y))
  size <- length(questions)
  few <- size <= 12
  turned <- size > 6 || max(nchar(questions)) * size > 24
  # The matrix is symmetric: the lower triangle is enough.
  ggplot2::ggplot(data, ggplot2::aes(.data$x, .data$y)) + ggplot2::geom_tile(
    ggplot2::aes(fill = pmax(lowest * limit, pmin(limit, .data$value))),
    colour = "white", linewidth = if (few) 0.8 else 0
  ) + (if (few) {
      ggplot2::geom_text(
        ggplot2::aes(
          label = sprintf("%.2f", round(.data$value, 2) + 0),
          colour = abs(.data$value) > 0.55 * limit
        ),
        size = min(3.4, 25 / size), show.legend = FALSE
      )
    }) + ggplot2::geom_tile(
      data = rejected, fill = NA, colour = "grey10", linewidth = if (few) 0.7 else 0.3,
      width = 0.94, height = 0.94
    ) + ggplot2::scale_colour_manual(values = c("FALSE" = "grey15", "TRUE" = "white")) +
    scale_correlation(limit, lowest) +
    ggplot2::scale_x_discrete(drop = FALSE, limits = questions[-size]) +
    ggplot2::scale_y_discrete(drop = FALSE, limits = rev(questions[-1])) +
    ggplot2::coord_fixed() + theme_candor("right") + ggplot2::theme(
      panel.grid = ggplot2::element_blank(), legend.justification = "center",
      axis.text.x = ggplot2::element_text(
        angle = if (turned) 90 else 0, hjust = if (turned) 1 else 0.5, vjust = 0.5
      ),
      axis.text = ggplot2::element_text(
        size = ggplot2::rel(max(4.5, min(9.5, 150 / size)) / 12)
      )
    )
}

measure_names <- c(correlation = "Correlation", covariance = "Covariance", cramers.v = "Cramer's V")

# ---- joint counts beside the normal law ----

#' @rdname rr_pmdh
#' @method autoplot rr_pmdh
#' @rawNamespace S3method(ggplot2::autoplot,rr_pmdh)
autoplot.rr_pmdh <- function(
  object,
  sets = NULL,
  target = c("population", "sample"),
  of = c("reports", "estimate"),
  ...
) {
  target <- check_choice(target)
  of <- check_choice(of)
  check_installed("ggplot2", "to draw expected counts")
  members <- if (is.null(sets)) extreme_sets(object) else chosen_members(object, sets)
  if (ncol(members) > 12) abort("A picture has room for 12 sets: name some in {.arg sets}.")
  labels <- member_labels(members, object$columns)
  distributions <- lapply(seq_along(labels), function(i) {
    set_distribution(object, setdiff(members[, i], -1L), target, of)
  })
  moments <- lapply(distributions, sum_moments)
  skewness <- sprintf("%s: %.2f", labels, vapply(moments, `[[`, 0, "skewness"))
  title <- if (of == "reports") "Reported joint counts" else "Estimated joint counts"
  law_panels(Map(sum_bars, distributions, moments), labels) + ggplot2::labs(
    x = "Standard deviations from the mean",
    y = "Density",
    title = title,
    subtitle = paste("N =", format_count(object$n)),
    caption = skewness_caption(skewness)
  )
}

# A panel for each table of bars, with the normal law as a line.
law_panels <- function(tables, labels) {
  panel <- factor(rep(labels, vapply(tables, nrow, 0L)), labels)
  bars <- cbind(do.call(rbind, tables), panel = panel)
  z <- seq(-4, 4, length.out = 161)
  curve <- data.frame(z = z, density = dnorm(z))
  # Names without blanks cannot be cut into lines.
  columns <- c(Inf, 24, 18, 14) >= max(nchar(labels))
  across <- min(panel_columns(length(labels), 1), max(which(columns)))
  layout <- row_layout(length(labels), "", labels, across)
  ggplot2::ggplot(bars) +
    ggplot2::aes(xmin = .data$low, xmax = .data$high) +
    ggplot2::geom_rect(
      ggplot2::aes(ymin = 0, ymax = .data$density), fill = colour_estimate, alpha = 0.45
    ) +
    ggplot2::geom_line(
      ggplot2::aes(.data$z, .data$density), curve, linewidth = 0.6, inherit.aes = FALSE
    ) +
    row_panels(layout) +
    ggplot2::scale_y_continuous(breaks = few_breaks(3)) +
    ggplot2::scale_x_continuous(breaks = seq(-40, 40, 4), guide = no_overlap()) +
    theme_candor()
}

# The caption. The skewness of a set stands on one line with its name.
skewness_caption <- function(skewness) {
  lines <- cut_lines(paste0(paste(skewness, collapse = ", "), "."), 70)
  paste(c("Bars: the exact law. Line: the normal law. Skewness:", lines), collapse = "\n")
}

#' @rdname rr_pmdh
#' @export
plot.rr_pmdh <- function(x, ...) draw(x, ...)

# The set of each order up to 4 whose reported share is farthest from a half: the law of its count
# is the most skewed.
extreme_sets <- function(x) {
  index <- which(rep_len(possible_sets(x), length(shown_values(x))))
  sizes <- shown_sizes(x)[index]
  distance <- abs(shown_values(x)[index] / x$n - 0.5)
  chosen <- vapply(intersect(1:4, sizes), function(size) {
    farthest <- which.max(replace(distance, sizes != size, -1))
    index[farthest]
  }, 0L)
  shown_members(x)[, chosen, drop = FALSE]
}

# The distribution of what one row adds to the count of a set:
#    rows     the numbers of rows that have one distribution
#    prob     the probabilities of the values, a row for each distribution
#    values   the values
set_distribution <- function(x, set, target, of) {
  index <- set + 1L
  design <- lapply(x$design[c("p", "q")], `[`, index)
  rows <- pattern_rows(x$independent, set)
  prob <- bits_channel(design)
  if (target == "population") {
    prob <- rows %*% prob / x$n
    rows <- x$n
  }
  if (any(rows < 0 | abs(rows - round(rows)) > 1e-6)) {
    abort("The law of a count needs a truth of whole numbers of rows.", "counts")
  }
  each <- Map(function(p, q) {
    bit <- c(0, 1)
    if (of == "reports") bit else (bit - q) / (p - q)
  }, design$p, design$q)
  values <- Reduce(function(a, b) as.vector(outer(a, b)), each)
  list(rows = round(rows), prob = prob, values = values)
}

# Mean, standard deviation and skewness of the sum over all rows.
sum_moments <- function(distribution) {
  row_means <- drop(distribution$prob %*% distribution$values)
  central <- function(power) {
    deviations <- outer(row_means, distribution$values, function(m, x) (x - m)^power)
    sum(distribution$rows * rowSums(distribution$prob * deviations))
  }
  sd <- sqrt(central(2))
  if (!isTRUE(sd > 0)) abort("A count that does not vary has no law to draw.")
  list(
    mean = sum(distribution$rows * row_means),
    sd = sd,
    skewness = central(3) / sd^3
  )
}

# The exact law of the sum over all rows, in standard deviations from the mean: bars of about a
# fifth of one or of one possible value. More than two values are divided between the two nearest
# points of a grid, which adds a thousandth to the variance.
sum_bars <- function(distribution, moments) {
  sd <- moments$sd
  n <- sum(distribution$rows)
  spread <- diff(range(distribution$values))
  is_lattice <- length(unique(distribution$values)) == 2L
  step <- if (is_lattice) spread else sd * sqrt(4e-3 / n)
  lowest <- min(distribution$values)
  distribution$values <- (distribution$values - lowest) / step
  size <- nextn(ceiling(min(spread * n, 60 * sd) / step) + 2)
  prob <- grid_sum(distribution, size)
  centre <- (moments$mean - n * lowest) / step
  point <- seq_len(size) - 1
  point <- point + size * round((centre - point) / size)
  width <- max(1, round(0.2 * sd / step))
  bar <- tapply(prob, point %/% width, sum)
  unit <- step / sd
  low <- (as.double(names(bar)) * width - 0.5 - centre) * unit
  bars <- data.frame(
    low = low, high = low + width * unit, density = as.vector(bar) / (width * unit)
  )
  bars[bars$density > 1e-4, ]
}

# The probabilities of the sum at the points of a circular grid, by the Fourier transform.
grid_sum <- function(distribution, size) {
  low <- floor(distribution$values + 1e-9)
  upper <- pmax(distribution$values - low, 0)
  transform <- 1
  for (type in which(distribution$rows > 0)) {
    mass <- numeric(size)
    for (i in seq_along(low)) {
      index <- (low[i] + 0:1) %% size + 1
      share <- c(1 - upper[i], upper[i])
      mass[index] <- mass[index] + distribution$prob[type, i] * share
    }
    transform <- transform * fft(mass)^distribution$rows[type]
  }
  Re(fft(transform, inverse = TRUE)) / size
}
