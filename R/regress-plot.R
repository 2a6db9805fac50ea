#' @rdname autoplot.rr_fit
#' @method autoplot rr_glm
#' @rawNamespace S3method(ggplot2::autoplot,rr_glm)
autoplot.rr_glm <- function(
  object, variable = NULL, by = NULL, conf.level = 0.95, type = c("truth", "coefficients"),
  exponentiate = FALSE, ...
) {
  if (check_choice(type) == "coefficients") {
    return(draw_coefficients(object, conf.level, exponentiate))
  }
  data <- effect_data(object)
  along <- covariate_grid(object, data, variable, by)
  truth <- predict(object, along$new, "truth", interval = "confidence", level = conf.level)
  values <- if (is.null(along$by)) "" else along$new[[along$by]]
  draw_along(
    data.frame(
      value = along$new[[along$variable]],
      truth,
      level = factor(values, unique(values))
    ),
    along, paste("Probability of", true_answer(object$labels[2])), conf.level, along$by,
    answer_name(object$terms)
  )
}

#' @rdname autoplot.rr_fit
#' @srrstats {RE6.0, RE6.1, RE6.2} plot() of a fit and of its effects, with the intervals of their table.
#' @export
plot.rr_glm <- function(
  x, variable = NULL, by = NULL, conf.level = 0.95, type = c("truth", "coefficients"),
  exponentiate = FALSE, which = NULL, ...
) {
  # plot(fit, 1) is the first diagnostic of any model of R.
  if (is.null(which) && is.numeric(variable)) which <- variable
  if (is.null(which)) {
    check_dots_empty(...)
    return(draw(
      x, variable = variable, by = by, conf.level = conf.level, type = type,
      exponentiate = exponentiate
    ))
  }
  getS3method("plot", "lm")(x, which = which, ...)
}

#' @rdname autoplot.rr_fit
#' @method autoplot rr_glm_attention
#' @rawNamespace S3method(ggplot2::autoplot,rr_glm_attention)
autoplot.rr_glm_attention <- function(object, ..., type = c("truth", "coefficients")) {
  type <- check_choice(type)
  autoplot.rr_glm(if (type == "truth") base_fit(object) else object, ..., type = type)
}

#' @rdname regression_methods
#' @method autoplot rr_regression
#' @rawNamespace S3method(ggplot2::autoplot,rr_regression)
autoplot.rr_regression <- function(object, ..., conf.level = 0.95, exponentiate = FALSE) {
  check_dots_empty(...)
  draw_coefficients(object, conf.level, exponentiate)
}

# A row for each coefficient but the constants, which are no effects.
draw_coefficients <- function(object, conf.level, exponentiate) {
  data <- as.data.frame(
    tidy(object, conf.int = TRUE, conf.level = conf.level, exponentiate = exponentiate)
  )
  is_shown <- !endsWith(data$term, "(Intercept)") & is.finite(data$estimate)
  if (!is.null(data$component)) is_shown <- is_shown & data$component == data$component[1]
  if (!is.null(data$effect)) is_shown <- is_shown & data$effect == "fixed"
  data <- data[is_shown, ]
  data$label <- rows_factor(data$term)
  data$panel <- one_panel(data)
  if (!is.null(data$y.level)) {
    data$panel <- factor(data$y.level, unique(data$y.level))
  }
  data$kind <- rep(if (exponentiate) "ratio" else "number", nrow(data))
  odds <- identical(object$link, "logit") || inherits(object, "rr_multinom")
  axis <- if (exponentiate) {
    (if (odds) "Odds ratio" else "Factor")
  } else if (odds) {
    "Log odds ratio"
  } else {
    "Coefficient"
  }
  title <- answer_name(object$terms) %||% "Coefficients"
  draw_intervals(data, title, sprintf("Lines: %s.", interval_words(conf.level)), axis)
}

# Probabilities along one covariate: a line with its band, or a point of each value with its
# interval, for each level. `title` is what the levels are of, `question` what was asked, and
# `panels` how many panels there will be.
draw_along <- function(
  data, along, what, conf.level, title = NULL, question = NULL, panels = 1L
) {
  # The axis begins at 0. It ends at 1 if the curve comes near 1.
  highest <- max(data$fit, data[["upr"]], na.rm = TRUE)
  top <- if (highest > 0.5) 1 else max(pretty(c(0, highest)))
  end_labels <- if (along$line && panels == 1L) {
    line_ends(
      data$value, data$fit, data$level, c(0, top), title = title
    )
  }
  others <- if (length(along$typical)) {
    paste0(" Others: ", paste(along$typical, collapse = ", "), ".")
  }
  ggplot2::ggplot(
    data, ggplot2::aes(colour = .data$level, fill = .data$level, group = .data$level)
  ) + (if (along$line) {
      along_line(along, top, wrap_text(what, 28), panels, end_labels)
    } else {
      along_rows(along, top, what)
    }) + level_colours(levels(data$level), end_labels) + ggplot2::labs(
      colour = title, fill = title, linetype = title,
      title = wrap_text(picture_title(question, c(along$variable, title), what), 46),
      caption = wrap_text(
        sprintf(
          "%s: %s%% intervals.%s", if (along$line) "Band" else "Bars", format(100 * conf.level),
          others %||% ""
        )
      )
    ) + theme_candor()
}

# The curve of a number, with its band, and its axes.
along_line <- function(along, top, what, panels, end_labels) {
  list(
    ggplot2::aes(.data$value, .data$fit, ymin = .data$lwr, ymax = .data$upr),
    ggplot2::geom_ribbon(alpha = 0.15, colour = NA),
    ggplot2::geom_line(ggplot2::aes(linetype = .data$level), linewidth = 0.8),
    scale_x_positions(along$values, c(5, 3)[min(panels, 2)], end_labels$expand),
    ggplot2::scale_y_continuous(
      labels = percent_labels, sec.axis = end_labels$axis %||% ggplot2::waiver()
    ),
    ggplot2::coord_cartesian(ylim = c(0, top)),
    ggplot2::labs(x = along$variable, y = what)
  )
}

# A row for each value of a factor, which has room for its name. The first value is on top, and so
# is the first level in a row.
along_rows <- function(along, top, what) {
  list(
    ggplot2::aes(
      .data$fit, factor(.data$value), xmin = .data$lwr, xmax = .data$upr,
      group = -as.integer(.data$level)
    ),
    ggplot2::geom_pointrange(
      orientation = "y", size = 0.4, position = ggplot2::position_dodge(width = 0.5)
    ),
    ggplot2::scale_y_discrete(labels = wrap_labels(28), limits = rev),
    ggplot2::scale_x_continuous(labels = percent_labels),
    ggplot2::coord_cartesian(xlim = c(0, top)),
    ggplot2::labs(x = what, y = along$variable)
  )
}

# One colour for each level, of lines and of bands; a single one needs no legend.
level_colours <- function(levels, end_labels = NULL) {
  colours <- if (length(levels) <= length(line_colours)) {
    line_colours
  } else {
    grDevices::hcl.colors(length(levels), "Dark 3")
  }
  labels <- wrap_labels(30)(levels)
  guide <- if (length(levels) > 1L && is.null(end_labels)) line_legend(labels) else "none"
  list(
    ggplot2::scale_colour_manual(values = colours, labels = labels, guide = guide),
    ggplot2::scale_fill_manual(values = colours, labels = labels, guide = guide),
    ggplot2::scale_linetype_manual(
      values = line_values(levels, line_types), labels = labels, guide = guide
    ),
    end_labels$layers
  )
}

# New rows along one covariate, and for each value of `by`, the others at their means or most
# frequent values.
covariate_grid <- function(object, data, variable, by = character()) {
  covariates <- intersect(all.vars(covariate_terms(object)), names(data))
  if (!length(covariates)) abort("There is no covariate to draw the truth along.")
  variable <- check_covariates(variable %||% covariates[1], covariates, "variable")[1]
  by <- line_covariate(by, variable, object$terms, data[covariates])
  stepped <- vapply(covariates, in_factor, NA, terms = object$terms, model = fitted_frame(object))
  typical <- Map(typical_value, data[covariates], stepped)
  values <- data[[variable]]
  line <- (is.numeric(values) || is_date(values)) && !stepped[[variable]]
  grid <- if (line) {
    seq(min(values), max(values), length.out = 101)
  } else {
    sort(unique(values))
  }
  others <- setdiff(covariates, c(variable, by))
  new <- as.data.frame(
    c(setNames(list(grid), variable), typical[c(by, others)]),
    optional = TRUE
  )
  if (length(by)) {
    levels <- sort(unique(data[[by]]))
    new <- new[rep(seq_along(grid), length(levels)), , drop = FALSE]
    new[[by]] <- rep(levels, each = length(grid))
    rownames(new) <- NULL
  }
  list(
    variable = variable,
    grid = grid,
    values = sort(unique(values)),
    line = line,
    by = if (length(by)) by,
    new = new,
    typical = sprintf("%s = %s", others, vapply(typical[others], format_value, ""))
  )
}

# The mean, or the most frequent value.
typical_value <- function(v, stepped) {
  values <- sort(unique(v))
  if (!stepped && (is.numeric(v) || is_date(v))) {
    mean(v)
  } else {
    values[which.max(tabulate(match(v, values)))]
  }
}

format_value <- function(v) {
  if (inherits(v, "POSIXct")) {
    format(v, "%Y-%m-%d %H:%M")
  } else if (is.numeric(v)) {
    format(v, digits = 3)
  } else {
    format(v)
  }
}

# The covariate that has a line for each of its values. An interaction needs lines: otherwise it is
# drawn at one value of the other covariate, as if it were none.
line_covariate <- function(by, variable, terms, data) {
  few <- names(data)[
    vapply(data, function(column) length(unique(column)), 0L) <= length(line_colours)
  ]
  if (!is.null(by)) {
    by <- head(check_covariates(by, setdiff(names(data), variable), "by"), 1)
    if (all(by %in% few)) return(by)
    abort(c("{.arg by} must have at most {length(line_colours)} values.",
            x = "{.val {by}} has {length(unique(data[[by]]))}."))
  }
  crossed <- attr(terms, "term.labels")[attr(terms, "order") > 1L]
  with <- unlist(
    Filter(
      function(names) variable %in% names, lapply(crossed, function(term) all.vars(str2lang(term)))
    )
  )
  head(intersect(setdiff(with, variable), few), 1L)
}

#' @rdname regression_methods
#' @method autoplot rr_multinom
#' @rawNamespace S3method(ggplot2::autoplot,rr_multinom)
autoplot.rr_multinom <- function(object, variable = NULL, by = NULL, conf.level = 0.95, ...) {
  along <- covariate_grid(object, object$frame, variable, by)
  truth <- predict(object, along$new, se.fit = TRUE)
  # Wald's interval on the logit scale, which stays between 0 and 1.
  half <- normal_quantile(check_conf_level(conf.level)) * truth$se.fit /
    (truth$fit * (1 - truth$fit))
  half[!is.finite(half)] <- 0
  levels <- factor(
    rep(object$mechanism$levels, each = nrow(truth$fit)), object$mechanism$levels
  )
  table <- data.frame(
    value = rep(along$new[[along$variable]], nlevels(levels)),
    fit = as.vector(truth$fit),
    lwr = as.vector(plogis(qlogis(truth$fit) - half)),
    upr = as.vector(plogis(qlogis(truth$fit) + half)),
    level = levels
  )
  what <- "Probability of each truth"
  if (is.null(along$by)) {
    return(draw_along(table, along, what, conf.level, question = answer_name(object$terms)))
  }
  # Lines of the values of `by` are compared in a panel for each truth.
  values <- as.character(along$new[[along$by]])
  table$panel <- levels
  table$level <- factor(rep(values, nlevels(levels)), unique(values))
  draw_along(
    table, along, what, conf.level, along$by, answer_name(object$terms), nlevels(levels)
  ) + row_panels(row_layout(nlevels(levels), "", levels(levels)))
}

#' @export
plot.rr_regression <- function(x, ...) draw(x, ...)

#' @rdname rr_posterior
#' @method autoplot rr_posterior
#' @rawNamespace S3method(ggplot2::autoplot,rr_posterior)
autoplot.rr_posterior <- function(object, conf.level = 0.95, ...) {
  table <- as.data.frame(tidy(object, conf.int = TRUE, conf.level = conf.level))
  levels <- object$mechanism$levels
  data <- data.frame(
    label = factor(table$term, rev(levels)),
    panel = group_panel(table, names(object$tally$groups)),
    kind = rep("share", nrow(table)),
    estimate = table$median,
    conf.low = table$conf.low,
    conf.high = table$conf.high
  )
  axis <- "True proportion"
  keys <- names(object$tally$groups)
  what <- "True proportions"
  rows <- NULL
  # The two shares of a yes/no question add up to 1: a row for each group, as in the picture of a
  # fit.
  if (nlevels(data$panel) > 1L && length(levels) == 2L) {
    data$label <- rows_factor(as.character(group_panel(table, keys, named = FALSE)))
    data$panel <- one_panel(data)
    data <- data[table$term == levels[2], ]
    axis <- what <- sprintf("True proportion of \"%s\"", levels[2])
    rows <- keys_axis(keys)
  }
  draw_intervals(
    data, picture_title(question_of(object$tally), object$tally$groups, what),
    sprintf(
      "Points: posterior medians. Lines: %s posterior intervals.", percent_labels(conf.level)
    ),
    axis, rows
  ) + ggplot2::labs(subtitle = wrap_text(object$mechanism$design, 64))
}
