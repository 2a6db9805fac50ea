#' Average truth and average effects
#'
#' Coefficients of a logit are hard to read. `rr_effects()` gives the average probability of a true yes (the second label of the mechanism, which `print()` names) over the respondents, and how much it
#' changes with each covariate: for a number the average derivative, for a factor, a logical value or a column of 0 and 1 the average
#' difference to its first level. Standard errors are by the delta method; they treat the covariates as fixed. Intervals of a fit
#' with `design` are of the t distribution, as those of its coefficients.
#'
#' Tools for other models may give a slope or difference of the *reports*, which is \eqn{p - q} times that of the truth.
#'
#' @param fit A fit of [rr_glm()].
#' @param variables Names of covariates; by default all. `character()` gives the average truth alone.
#' @param by Names of columns of the data: averages within each of their groups.
#' @param conf.level Confidence level.
#' @param type,cluster Which standard errors, see [vcov()][vcov.rr_glm].
#' @param ... Not used, and refused.
#' @return A tibble of class `rr_effects`, which [plot()][autoplot.rr_compare] draws, with the columns of `by`, `term` (`"(truth)"` for the average truth), `contrast` (`"average"`, `"dY/dX"` or `"b - a"`), `estimate`,
#'   `std.error`, `conf.low`, `conf.high`.
#' @section Errors:
#' `candor_error_argument` for anything but a fit of [rr_glm()], and for variables that are not covariates or columns.
#' @source Williams, R. (2012). Using the margins command to estimate and interpret adjusted predictions and marginal effects. *The Stata Journal*
#'   12(2), 308-331. \doi{10.1177/1536867X1201200209}
#' @examples
#' design <- rr_forced(c(no = 1 / 6, yes = 1 / 6))
#' survey <- data.frame(age = rep(20:69, 8), town = rep(c("small", "large"), each = 200))
#' survey$report <- rep(c("no", "no", "yes", "no", "yes"), each = 2, 40)
#' fit <- rr_glm(report ~ age * town, survey, design)
#' rr_effects(fit)
#' rr_effects(fit, "age", by = "town")
#' @export
rr_effects <- function(fit, variables = NULL, by = NULL, conf.level = 0.95, type = NULL, cluster = NULL, ...) {
  check_dots_empty(...)
  check_given(fit = "a fit of {.fn rr_glm}")
  if (!inherits(fit, "rr_glm")) {
    abort(c("{.arg fit} must be a fit of {.fn rr_glm}.", x = "It is {describe(fit)}."), "argument")
  }
  conf.level <- check_level(conf.level)
  data <- effect_data(fit)
  known <- intersect(all.vars(stats::delete.response(fit$terms)), names(data))
  variables <- check_covariates(variables %||% known, known, "variables", "covariates")
  by <- check_covariates(by %||% character(), names(data), "by", "columns of the data")
  type <- type %||% default_variance(fit, cluster)
  V <- stats::vcov(fit, type, cluster)
  groups <- if (length(by)) interaction(data[by], drop = TRUE, lex.order = TRUE) else factor(rep("all", nrow(data)))
  weight <- unname(fit$prior.weights)
  parts <- c(list(average_truth(fit, data)), unlist(lapply(variables, variable_effects, fit = fit, data = data),
                                                    recursive = FALSE))
    quantile <- coefficient_quantile(fit, conf.level, type)
  rows <- lapply(levels(groups), function(group) {
    rows <- which(groups == group & weight > 0)
    effect_rows(parts, rows, weight, fit, V, quantile, if (length(by)) as.list(data[rows[1], by, drop = FALSE]))
  })
  table <- do.call(rbind, rows)
  attr(table, "conf.level") <- conf.level
  attr(table, "truth") <- fit$labels[2]
  class(table) <- c("rr_effects", class(table))
  table
}

#' @rawNamespace S3method(pillar::tbl_sum,rr_effects)
tbl_sum.rr_effects <- function(x, ...) {
  level <- attr(x, "truth", exact = TRUE)
  c(NextMethod(), Truth = if (!is.null(level)) paste0("\"", level, "\""))
}

# The truth that is modelled, in words: the second of the two labels.
true_answer <- function(level) {
  if (is.null(level) || identical(level, "yes")) "a true yes" else paste0("a true \"", level, "\"")
}

check_covariates <- function(x, known, arg, what) {
  lost <- if (is.character(x)) setdiff(x, known)
  if (!is.character(x) || length(lost)) {
    abort(c("{.arg {arg}} must name {what}.", x = "It is {describe(if (length(lost)) lost[1] else x)}.",
            i = if (length(known)) "There are {.val {known}}."), "argument")
  }
  x
}

# The data of the fitted rows, with the variables as the user has them and not as the formula makes them.
effect_data <- function(fit) {
  data <- if (is.data.frame(fit$data)) fit$data else stats::get_all_vars(stats::delete.response(fit$terms))
  data[match(row.names(fit$model), row.names(data)), , drop = FALSE]
}

effect_matrix <- function(fit, data) {
  terms <- stats::delete.response(fit$terms)
  stats::model.matrix(terms, stats::model.frame(terms, data, na.action = stats::na.pass, xlev = fit$xlevels),
                      contrasts.arg = fit$contrasts)
}

# Each part: value and gradient of every row, to be averaged.
average_truth <- function(fit, data) {
  x <- stats::model.matrix(fit)
  curve <- truth_curve(fit$link)
  eta <- unname(fit$linear.predictors)
  list(term = "(truth)", contrast = "average", value = curve$yes(eta), gradient = slope_of(curve, eta) * x)
}

slope_of <- function(curve, eta) {
  f <- curve$derivative(ifelse(is.finite(eta), eta, 0), 1)
  ifelse(is.finite(eta), f, 0)
}

variable_effects <- function(name, fit, data) {
  values <- data[[name]]
  if (is.numeric(values) && !is.matrix(values) && !all(values %in% c(0, 1))) {
    return(list(derivative_effect(name, fit, data)))
  }
  levels <- if (is.factor(values)) levels(droplevels(values)) else sort(unique(values))
  at <- lapply(seq_along(levels), function(k) {
    moved <- data
    moved[[name]] <- if (is.factor(values)) factor(levels[k], base::levels(values)) else levels[[k]]
    effect_side(fit, moved)
  })
  lapply(seq_along(levels)[-1], function(k) {
    list(term = name, contrast = paste(levels[[k]], "-", levels[[1]]), value = at[[k]]$value - at[[1]]$value,
         gradient = at[[k]]$gradient - at[[1]]$gradient)
  })
}

effect_side <- function(fit, data) {
  x <- effect_matrix(fit, data)
  curve <- truth_curve(fit$link)
  eta <- limit_predictor(x, fit$plain, fit$directions, fit$offset)
  list(value = curve$yes(eta), gradient = slope_of(curve, eta) * x)
}

# The columns' own derivative by differences: exact for polynomials of degree two, and where the step matters it is made
# smaller and extrapolated.
derivative_effect <- function(name, fit, data) {
  change <- matrix_derivative(name, fit, data)
  x <- stats::model.matrix(fit)
  curve <- truth_curve(fit$link)
  eta <- unname(fit$linear.predictors)
  b <- ifelse(is.finite(fit$plain), fit$plain, 0)
  along <- as.vector(change %*% b)
  f <- slope_of(curve, eta)
  bend <- ifelse(is.finite(eta), curve$derivative(ifelse(is.finite(eta), eta, 0), 2), 0)
  list(term = name, contrast = "dY/dX", value = f * along, gradient = bend * along * x + f * change)
}

matrix_derivative <- function(name, fit, data) {
  values <- data[[name]]
  moved <- function(h) {
    up <- down <- data
    up[[name]] <- values + h
    down[[name]] <- values - h
    (effect_matrix(fit, up) - effect_matrix(fit, down)) / (2 * h)
  }
  unit <- 2^round(log2(max(stats::sd(values), 1e-300 + abs(mean(values)) * 1e-8)))
  wide <- tryCatch(suppressWarnings(moved(unit)), error = function(e) NULL)
  near <- moved(unit / 4096)
  if (!is.null(wide) && all(is.finite(wide)) && max(abs(wide - near)) <= 1e-7 * max(abs(near), 1e-300)) return(wide)
  # A curve: Richardson's extrapolation of two small steps.
  (4 * moved(unit / 1024) - moved(unit / 512)) / 3
}

effect_rows <- function(parts, rows, weight, fit, V, quantile, keys) {
  w <- weight[rows] / sum(weight[rows])
  kept <- which(is.finite(fit$coefficients))
  estimate <- vapply(parts, function(part) sum(w * part$value[rows]), 0)
  se <- vapply(parts, function(part) {
    gradient <- colSums(w * part$gradient[rows, kept, drop = FALSE])
    sqrt(max(0, sum(gradient * (V[kept, kept, drop = FALSE] %*% gradient))))
  }, 0)
  half <- quantile * se
  table <- tibble::tibble(term = vapply(parts, `[[`, "", "term"), contrast = vapply(parts, `[[`, "", "contrast"),
                          estimate = estimate,
                          std.error = se, conf.low = estimate - half, conf.high = estimate + half)
  if (is.null(keys)) table else tibble::as_tibble(c(lapply(keys, rep, nrow(table)), as.list(table)))
}

#' @rdname autoplot.rr_compare
#' @method autoplot rr_effects
#' @rawNamespace S3method(ggplot2::autoplot,rr_effects)
autoplot.rr_effects <- function(object, ...) {
  check_dots_near(...)
  check_installed("ggplot2", "to draw effects")
  check_table(object, c("estimate", "conf.low", "conf.high"), c("term", "contrast"))
  data <- as.data.frame(object)
  keys <- setdiff(names(data)[seq_len(match("term", names(data)) - 1L)], c("contrast", "estimate", "std.error"))
  average <- data$term == "(truth)"
  probability <- paste("Probability of", true_answer(attr(object, "truth", exact = TRUE)))
  part <- ifelse(average, probability,
                 paste0(data$term, ifelse(data$contrast == "dY/dX", ", per unit", paste0(": ", data$contrast))))
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
  draw_intervals(data, if (all(average)) "Average truth" else "Average effects on the truth",
                 sprintf("Lines: %sintervals.%s", level_words(object),
                         if (nlevels(data$panel) > 1L) " Points: percentage points." else ""), axis, free = TRUE) +
    ggplot2::labs(subtitle = subtitle)
}

#' @rdname autoplot.rr_compare
#' @export
plot.rr_effects <- function(x, ...) draw(x, ...)

#' @export
tidy.rr_effects <- function(x, ...) plain_tibble(x)

#' Picture of a regression of the truth
#'
#' The predicted probability of a true yes along one covariate, the others at their means or most frequent values, with a band. The caption names these values.
#'
#' Where the covariate interacts with one of a few values, such as a factor, there is a line for each of these values; `by` names another.
#'
#' `plot()` of a fit of [rr_glm()] draws this picture too, as it does for the other fits of the package. The diagnostics of R's own models, of the residuals of the reports, are
#' drawn by `plot(fit, which = 1:4)`, see [stats::plot.lm()].
#'
#' @param object,x A fit of [rr_glm()].
#' @param variable Name of a covariate; by default the first.
#' @param by Name of a covariate of at most 8 values, with a line for each; by default one that interacts with `variable`, if there is one. `character()` for none.
#' @param conf.level Confidence level of the band.
#' @param which Diagnostics to draw in place of the picture, numbers from 1 to 6 as in [stats::plot.lm()]; by default none.
#' @param ... For `plot()` with `which` further arguments of [stats::plot.lm()]. Else not used, and refused by `plot()`.
#' @return A ggplot; `plot()` returns the fit invisibly.
#' @section Errors:
#' `candor_error_argument` for a variable that is not a covariate, for `by` of more than 8 values, and for other diagnostics than 1 to 6.
#' @source Wilke, C. O. (2019). *Fundamentals of Data Visualization*. O'Reilly, chapter 16, for bands.
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' survey <- data.frame(age = rep(20:69, 8),
#'                      report = rep(c("no", "no", "yes", "no", "yes"), each = 2, 40))
#' fit <- rr_glm(report ~ age, survey, rr_crosswise(0.25))
#' plot(fit)
#' ggplot2::autoplot(fit, conf.level = 0.8)
#' plot(fit, which = 1)
#' @method autoplot rr_glm
#' @rawNamespace S3method(ggplot2::autoplot,rr_glm)
autoplot.rr_glm <- function(object, variable = NULL, by = NULL, conf.level = 0.95, ...) {
  check_object(object)
  check_dots_near(...)
  check_installed("ggplot2", "to draw a regression")
  data <- effect_data(object)
  along <- covariate_grid(object, data, variable, by)
  truth <- stats::predict(object, along$new, "truth", interval = "confidence", level = conf.level)
  new <- data.frame(value = along$new[[along$variable]], truth)
  picture <- draw_along(new, along, paste("Probability of", true_answer(object$labels[2])), conf.level)
  limits <- ggplot2::aes(ymin = .data$lwr, ymax = .data$upr)
  if (is.null(along$by)) {
    return(picture + if (is.numeric(along$grid)) list(
      ggplot2::geom_ribbon(limits, fill = colour_estimate, alpha = 0.2),
      ggplot2::geom_line(colour = colour_estimate, linewidth = 0.8)
    ) else ggplot2::geom_pointrange(limits, colour = colour_estimate))
  }
  values <- along$new[[along$by]]
  picture$data$level <- factor(as.character(values), unique(as.character(values)))
  draw_levels(picture, along, limits, along$by)
}

# A line, or a point of each value, for each level.
draw_levels <- function(picture, along, limits, title = NULL) {
  levels <- levels(picture$data$level)
  picture <- picture + ggplot2::aes(colour = .data$level, fill = .data$level, group = .data$level) +
    ggplot2::labs(colour = title, fill = title)
  if (length(levels) <= length(line_colours)) {
    labels <- wrap_labels(30)(levels)
    picture <- picture +
      ggplot2::scale_colour_manual(values = line_colours, labels = labels, guide = line_legend(labels)) +
      ggplot2::scale_fill_manual(values = line_colours, labels = labels, guide = line_legend(labels))
  }
  if (is.numeric(along$grid)) {
    return(picture + ggplot2::geom_ribbon(limits, alpha = 0.15, colour = NA) + ggplot2::geom_line(linewidth = 0.8))
  }
  picture + ggplot2::geom_pointrange(limits, size = 0.4, position = ggplot2::position_dodge(width = 0.5))
}

#' @rdname autoplot.rr_glm
#' @export
plot.rr_glm <- function(x, variable = NULL, by = NULL, conf.level = 0.95, which = NULL, ...) {
  check_object(x)
  # plot(fit, 1) is the first diagnostic of any model of R.
  if (is.numeric(variable) && is.null(which)) {
    which <- variable
    variable <- NULL
  }
  if (is.null(which)) {
    check_dots_empty(...)
    return(draw(x, variable = variable, by = by, conf.level = conf.level))
  }
  if (!is.numeric(which) || !length(which) || !all(which %in% 1:6)) {
    abort(c("{.arg which} must be diagnostics to draw, numbers from 1 to 6.", x = "It is {describe(which)}.",
            i = "A covariate is {.arg variable}: {.code plot(fit, \"age\")}."), "argument")
  }
  utils::getS3method("plot", "lm")(x, which = which, ...)
}

# The axes and words of a picture of probabilities along one covariate.
draw_along <- function(data, along, what, conf.level) {
  others <- if (length(along$typical)) paste0(" Others: ", paste(along$typical, collapse = ", "), ".")
  ggplot2::ggplot(data, ggplot2::aes(x = .data$value, y = .data$fit)) +
    ggplot2::labs(x = along$variable, y = "Probability", title = wrap_text(paste0(what, ", by ", along$variable), 46),
                  caption = wrap_text(sprintf("%s: %s%% intervals.%s", if (is.numeric(along$grid)) "Band" else "Bars",
                                              format(100 * conf.level), others %||% ""))) +
    (if (!is.numeric(along$grid)) ggplot2::scale_x_discrete(labels = wrap_labels(16),
                                                            guide = ggplot2::guide_axis(check.overlap = TRUE))) +
    ggplot2::scale_y_continuous(labels = percent_labels) +
    ggplot2::coord_cartesian(ylim = c(0, 1)) + theme_candor()
}

# New rows along one covariate, and for each value of `by`, the others at their means or most frequent values.
covariate_grid <- function(object, data, variable, by = character()) {
  known <- intersect(all.vars(stats::delete.response(object$terms)), names(data))
  if (!length(known)) {
    abort(c("There is no covariate to draw the truth along.",
            i = if (inherits(object, "rr_glm")) "{.fn rr_effects} gives its average."
              else "{.fn predict} gives the shares."), "argument")
  }
  variable <- check_covariates(variable %||% known[1], known, "variable", "a covariate")[1]
  by <- line_covariate(by, variable, object$terms, data[known])
  typical <- lapply(data[known], function(v) {
    if (is.numeric(v)) return(mean(v))
    often <- names(which.max(table(v)))
    if (is.factor(v)) factor(often, levels(v)) else if (is.logical(v)) as.logical(often) else often
  })
  values <- data[[variable]]
  grid <- if (is.numeric(values)) seq(min(values), max(values), length.out = 101) else sort(unique(values))
  others <- setdiff(known, c(variable, by))
  new <- as.data.frame(c(stats::setNames(list(grid), variable), typical[c(by, others)]), optional = TRUE)
  if (length(by)) {
    levels <- sort(unique(data[[by]]))
    new <- new[rep(seq_along(grid), length(levels)), , drop = FALSE]
    new[[by]] <- rep(levels, each = length(grid))
    rownames(new) <- NULL
  }
  list(variable = variable, grid = grid, by = if (length(by)) by,
       typical = sprintf("%s = %s", others, vapply(typical[others], function(v) {
         if (is.numeric(v)) format(v, digits = 3) else as.character(v)
       }, "")),
       new = new)
}

# The covariate that has a line for each of its values. Without one an interaction would be drawn at one value of the
# other covariate, as if it were no interaction.
line_covariate <- function(by, variable, terms, data) {
  values <- vapply(data, function(column) length(unique(column)), 0L)
  if (!is.null(by)) {
    if (!length(by)) return(by)
    others <- setdiff(names(data), variable)
    by <- check_covariates(by, others, "by", "another covariate")[1]
    if (values[[by]] > length(line_colours)) {
      abort(c("{.arg by} must have at most {length(line_colours)} values.", x = "{.val {by}} has {values[[by]]}."),
            "argument")
    }
    return(by)
  }
  parts <- lapply(strsplit(attr(terms, "term.labels")[attr(terms, "order") > 1L], ":", fixed = TRUE), function(part) {
    unique(unlist(lapply(part, function(term) all.vars(str2lang(term)))))
  })
  with <- setdiff(unlist(Filter(function(names) variable %in% names, parts)), variable)
  with <- with[with %in% names(data)]
  utils::head(with[values[with] <= length(line_colours)], 1L)
}
