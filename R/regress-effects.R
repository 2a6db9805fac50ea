#' Average marginal effects on the true answer
#'
#' `rr_effects()` gives the average probability of a true yes (the second label of the mechanism) over the respondents, and its change with each covariate.
#'
#' * number: average derivative.
#' * date or time: average derivative per day.
#' * factor, logical, column of 0 and 1: average difference to the first level.
#'
#' Standard errors are by the delta method and treat the covariates as fixed. They are `NA`, with a warning, if a fitted truth of the average is 0 or 1. Intervals of a fit
#' to a survey design are from the t distribution.
#'
#' Tools for other models may give effects on the *reports*, which are \eqn{p - q} times the effects on the truth.
#'
#' @section Poststratification:
#' Let `newdata` have a row for each cell of a population (each combination of the covariates), and `weights` the number of people in it. The average truth is then
#' the poststratified prevalence \eqn{\sum_g w_g \hat\pi_g / \sum_g w_g}{sum w_g pi_g / sum w_g}. With `by` it is the prevalence in each part of the population. The weights are treated as known.
#'
#' @section Random intercepts:
#' The truth of a fit with `(1 | id)` is the average over persons, as in [predict()][predict.rr_glm_mixed], and the delta method includes `sigma`. Standard errors are `NA`, with a warning, if `sigma`
#' or a coefficient is infinite.
#'
#' @param fit A fit of [rr_glm()], with or without a random intercept.
#' @param variables Names of covariates; default all. `character()` gives the average truth alone.
#' @param by Names of columns of the data, or of `newdata`: averages within each of their groups.
#' @param conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param type,cluster Kind of standard errors, see [vcov()][vcov.rr_glm]. Not available with a random intercept.
#' @param newdata A data frame with the covariates, whose rows are averaged over; default `NULL`, the fitted rows.
#' @param weights Numbers of at least 0, not all 0: a column of `newdata`, its name, or a vector with one number per row. Default 1 for each row of `newdata`, and the weights of the fit for the
#'   fitted rows.
#' @param per Numbers above 0, named after numeric covariates: the effect of the covariate is the average derivative times this number of its units, `c(age = 10)` per ten years. Default 1.
#' @param ... Not used; further arguments give an error.
#' @return A tibble of class `rr_effects`, drawn by [plot()][autoplot.rr_compare], with the columns of `by` and
#'
#'   * `term`: the covariate; `"(truth)"` for the average truth.
#'   * `contrast`: `"average"`, `"dY/dX"`, `"dY/dX per day"`, `"dY/dX per 10"` (`per`), or `"b - a"`.
#'   * `estimate`, `std.error`, `conf.low`, `conf.high`: the effect and its interval.
#' @section Errors:
#' `candor_error_argument`, `candor_error_missing` (groups of `by`). See [candor_conditions].
#' @references Williams, R. (2012). Using the margins command to estimate and interpret adjusted predictions and marginal effects. *The Stata Journal*
#'   12(2), 308-331. \doi{10.1177/1536867X1201200209}
#'
#'   Park, D. K., Gelman, A. and Bafumi, J. (2004). Bayesian multilevel estimation with poststratification: state-level estimates from national polls. *Political Analysis* 12(4), 375-385.
#'   \doi{10.1093/pan/mph024}
#' @seealso [rr_glm()], [predict.rr_glm()]; `vignette("regression", package = "candor")`.
#' @concept average marginal effect
#' @concept prevalence
#' @concept poststratification
#' @examples
#' # How does the prevalence of plagiarism change with the semester, for men
#' # and women?
#' fit <- rr_glm(plagiarism ~ semester * female, exam_simulated,
#'               rr_forced(1 / 6))
#' rr_effects(fit)
#' rr_effects(fit, "semester", by = "female")
#' # By 1.0 (men) and 2.2 (women) percentage points per semester
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(fit)
#' rr_effects(fit, "semester", per = c(semester = 2))   # per year
#' # The prevalence in a population with 700 men and 300 women in semester 2
#' cells <- data.frame(semester = 2, female = 0:1, people = c(700, 300))
#' rr_effects(fit, character(), newdata = cells, weights = people)
#' @export
rr_effects <- function(
  fit,
  variables = NULL,
  by = NULL,
  conf.level = 0.95,
  type = NULL,
  cluster = NULL,
  newdata = NULL,
  weights = NULL,
  per = NULL,
  ...
) {
  check_dots_empty(...)
  mixed <- inherits(fit, c("rr_glm_mixed", "rr_glm_attention"))
  check_effect_fit(fit, mixed, type, cluster)
  if (!mixed) type <- variance_type(fit, type, cluster)
  conf.level <- check_conf_level(conf.level)
  quantile <- coefficient_quantile(fit, conf.level, type %||% "survey")
  if (mixed) fit <- base_fit(fit)
  evaluated <- effect_rows(fit, newdata)
  covariates <- intersect(all.vars(covariate_terms(fit)), names(evaluated$data))
  variables <- check_covariates(variables %||% covariates, covariates, "variables")
  by <- check_covariates(by %||% character(), names(evaluated$data), "by")
  check_result_names(by, "{.arg by} must not use")
  if (anyNA(evaluated$data[by])) {
    abort("{.arg by} must not have missing groups.", c("missing", "argument"))
  }
  weight <- eval(
    column_expression(substitute(weights), evaluated$data, parent.frame()), evaluated$data,
    parent.frame()
  )
  weight <- row_weights(
    weight %||% if (is.null(newdata)) unname(fit$prior.weights) else 1, nrow(evaluated$data)
  )
  units <- effect_units(per, variables)
  effects <- unlist(
    lapply(variables, function(name) variable_effects(name, fit, evaluated, units[[name]])),
    recursive = FALSE
  )
  averages <- c(
    list(truth_part("(truth)", "average", fit, evaluated$x, evaluated$eta)), effects
  )
  table <- weighted_averages(
    averages, evaluated$data[by], weight,
    average_error(fit, effect_variance(fit, type, cluster)), quantile
  )
  if (anyNA(table$std.error) && (mixed || !is.null(fit$boundary))) {
    warn(
      c(
        "Averages have no standard errors if the likelihood has its largest value at infinity.",
        i = if (!mixed) "{.code penalty = \"prior\"} gives finite estimates, with standard errors."
      ),
      "infinite"
    )
  }
  structure(
    table,
    conf.level = conf.level,
    truth = fit$labels[2],
    class = c("rr_effects", class(table))
  )
}

# The units of each variable that its effect is for: 1 if `per` does not name the variable.
effect_units <- function(per, variables) {
  is_valid <- is.null(per) || is_numbers(per) && all(is.finite(per) & per > 0) &&
    !is.null(names(per)) && all(names(per) %in% variables)
  check_that(is_valid, per, "per", "numbers above 0, named after covariates of the effects")
  units <- setNames(rep(1, length(variables)), variables)
  replace(units, names(per), per)
}

# An error if the fit has no averages, or none with this kind of variance.
check_effect_fit <- function(fit, mixed, type, cluster) {
  if (inherits(fit, "rr_regression") && !mixed) {
    abort(c(
      "{.fn rr_effects} has no averages for fits of this kind: {tolower(fit$title)}.",
      i = "{.fn predict} gives means and shares, {.code se.fit = TRUE} their standard errors.",
      i = if (length(fit$rows$covariates)) paste(
        "{.fn rr_predictor} without {.arg family} gives differences of shares;",
        "{.code predict(truth = list(x = \"yes\"))} sets a randomized covariate."
      )
    ))
  }
  check_that(
    inherits(fit, "rr_glm") || (mixed && is.null(type) && is.null(cluster)), fit,
    "fit",
    paste(
      "a fit of {.fn rr_glm} to reports that are not in blocks; with a random intercept or",
      "{.arg attention} without {.arg type} and {.arg cluster}"
    )
  )
}

row_weights <- function(weight, n) {
  check_that(length(weight) %in% c(1L, n), weight, "weights", "one number for each row")
  frame_weights(tibble(`(weights)` = weight, .rows = n))
}

# The rows that are averaged, with their linear predictors and their data.
effect_rows <- function(fit, newdata) {
  if (is.null(newdata)) {
    return(c(
      fitted_predictors(fit), list(data = effect_data(fit), offset = fit$offset)
    ))
  }
  newdata <- fitting_columns(fit, newdata, all.vars(covariate_terms(fit)), fit$xlevels)
  c(prediction_rows(fit, newdata, "truth"), list(data = newdata))
}

# The standard error of an average with a gradient: NA if it depends on a coefficient that is
# infinite, and not aliased.
average_error <- function(fit, V) {
  has_variance <- !is.na(diag(V))
  is_infinite <- !has_variance
  is_infinite[which(is_aliased(fit))] <- FALSE
  function(gradient) {
    if (any(gradient[is_infinite] != 0, na.rm = TRUE)) return(NA)
    sqrt(
      max(
        0,
        sum(
          gradient[has_variance] *
            (V[has_variance, has_variance, drop = FALSE] %*% gradient[has_variance])
        )
      )
    )
  }
}

# The covariance of the coefficients that effects are linear in. A random intercept has one type of
# it.
effect_variance <- function(fit, type, cluster) {
  is_contrast <- !is.null(fit$contrast_vcov) && (is.null(type) || type == "observed")
  if (is_contrast) fit$contrast_vcov else vcov(fit, type, cluster)
}

# Averages with their intervals, of the rows of each combination of `keys`.
weighted_averages <- function(averages, keys, weight, error, quantile) {
  texts_of <- function(what) vapply(averages, `[[`, "", what)
  groups <- if (length(keys)) {
    interaction(keys, drop = TRUE, lex.order = TRUE)
  } else {
    rep(1, length(weight))
  }
  used <- which(weight > 0)
  do.call(
    rbind,
    lapply(unname(split(used, groups[used], drop = TRUE)), function(rows) {
      shares <- weight[rows] / sum(weight[rows])
      average <- vapply(averages, function(one_average) sum(shares * one_average$value[rows]), 0)
      errors <- vapply(
        averages,
        function(one_average) error(colSums(shares * one_average$gradient[rows, , drop = FALSE])),
        0
      )
      as_tibble(c(
        as.list(keys[rows[1], , drop = FALSE]),
        list(
          term = texts_of("term"),
          contrast = texts_of("contrast"),
          estimate = average,
          std.error = errors,
          conf.low = average - quantile * errors,
          conf.high = average + quantile * errors
        )
      ))
    })
  )
}

#' @rawNamespace S3method(pillar::tbl_sum,rr_effects)
tbl_sum.rr_effects <- function(x, ...) {
  level <- attr(x, "truth", exact = TRUE)
  c(
    NextMethod(), Truth = if (!is.null(level)) paste0("\"", level, "\"")
  )
}

#' @export
tidy.rr_effects <- function(x, ...) plain_tibble(x)

# The truth that is modelled, in words: the second of the two labels.
true_answer <- function(level) {
  if (is.null(level) || identical(level, "yes")) "a true yes" else paste0("a true \"", level, "\"")
}

check_covariates <- function(x, covariates, arg) {
  check_that(
    is.character(x) && all(x %in% covariates), x, arg,
    "names of covariates of the fit, or of columns of its data"
  )
}

# The data of the fitted rows, with the variables as the user has them and not as the formula makes
# them.
effect_data <- function(fit) {
  data <- if (is.data.frame(fit$data)) fit$data else get_all_vars(covariate_terms(fit))
  data[match(row.names(fit$model), row.names(data)), , drop = FALSE]
}

effect_matrix <- function(fit, data) {
  terms <- covariate_terms(fit)
  model.matrix(terms, model.frame(terms, data, na.action = na.pass, xlev = fit$xlevels),
               contrasts.arg = fit$contrasts)
}

# Each part: value and gradient of every row, to be averaged. A random intercept has a further
# column, of sigma.
truth_part <- function(term, contrast, fit, x, eta) {
  curve <- fit$curve %||% truth_curve(fit$link)
  list(
    term = term,
    contrast = contrast,
    value = curve$yes(eta),
    gradient = cbind(
      slope_of(curve, eta) * x,
      if (!is.null(curve$by_sigma)) curve$by_sigma(eta, 1)
    )
  )
}

# At infinity a derivative of 0 is no standard error of 0: NA.
slope_of <- function(curve, eta, k = 1) {
  ifelse(
    is.finite(eta), curve$derivative(ifelse(is.finite(eta), eta, 0), k),
    NA
  )
}

variable_effects <- function(name, fit, evaluated, n_units) {
  data <- evaluated$data
  values <- data[[name]]
  number <- is_date(values) || (is.numeric(values) && NCOL(values) == 1L &&
    !all(effect_data(fit)[[name]] %in% c(0, 1)))
  if (number && !in_factor(name, fit$terms, fit$model)) {
    return(list(derivative_effect(name, fit, evaluated, n_units)))
  }
  if (n_units != 1) abort("{.arg per}: the effects of {.field {name}} are differences of levels.")
  levels <- if (is.factor(values)) levels(droplevels(values)) else sort(unique(values))
  truths <- lapply(seq_along(levels), function(k) {
    data[[name]] <- if (is.factor(values)) {
      factor(levels[k], base::levels(values))
    } else {
      levels[[k]]
    }
    x <- effect_matrix(fit, data)
    truth_part(
      name, paste(levels[[k]], "-", levels[[1]]), fit, x,
      limit_predictor(fit, x, evaluated$offset)
    )
  })
  lapply(truths[-1], function(truth) {
    truth$value <- truth$value - truths[[1]]$value
    truth$gradient <- truth$gradient - truths[[1]]$gradient
    truth
  })
}

# The columns' own derivative, times the number of units, is by differences, extrapolated
# (Richardson). Steps are finer where that changes it, as for log(x) near 0.
derivative_effect <- function(name, fit, evaluated, n_units) {
  values <- evaluated$data[[name]]
  moved <- function(h) {
    data <- replace(evaluated$data, name, list(values + h))
    suppressWarnings(effect_matrix(fit, data))
  }
  difference <- function(h) (moved(h) - moved(-h)) / (2 * h)
  extrapolated <- function(h) (4 * difference(h) - difference(2 * h)) / 3
  numbers <- as.double(values)
  step <- 2^round(log2(max(sd(numbers), 1e-300 + abs(mean(numbers)) * 1e-8, na.rm = TRUE))) /
    1024
  change <- extrapolated(step)
  for (finer in step / 32^(1:3)) {
    nearer <- extrapolated(finer)
    gap <- abs(change - nearer)
    rough <- which(is.nan(change) | gap > 1e-6 * abs(nearer) + 1e-9 / step)
    if (!length(rough)) break
    change[rough] <- nearer[rough]
  }
  curve <- fit$curve %||% truth_curve(fit$link)
  along <- as.vector(change %*% fit$point)
  f <- slope_of(curve, evaluated$eta)
  # A unit of a date is a day, and so it is of a time, whose own is a second.
  unit <- n_units * if (inherits(values, "POSIXct")) 86400 else 1
  number <- if (n_units != 1) format(n_units)
  noun <- if (is_date(values)) if (n_units == 1) "day" else "days"
  words <- paste(c(number, noun), collapse = " ")
  list(
    term = name,
    contrast = if (nzchar(words)) paste("dY/dX per", words) else "dY/dX",
    value = ifelse(is.na(f), 0, unit * f * along),
    gradient = unit * cbind(
      slope_of(curve, evaluated$eta, 2) * along * evaluated$x + f * change,
      if (!is.null(curve$by_sigma)) curve$by_sigma(evaluated$eta, 2) * along
    )
  )
}

is_date <- function(x) inherits(x, c("Date", "POSIXct"))

# Is a variable in the model through a factor only, as in factor(day) or weekdays(day)? Then it has
# no slope, and no values but those that were fitted.
in_factor <- function(name, terms, model) {
  variables <- as.list(attr(delete.response(terms), "variables"))[-1]
  columns <- vapply(Filter(function(e) name %in% all.vars(e), variables), deparse1, "")
  columns <- intersect(columns, names(model))
  length(columns) > 0L && all(
    vapply(
      model[columns], function(x) is.factor(x) || is.character(x) || is.logical(x),
      NA
    )
  )
}

#' @rdname autoplot.rr_fit
#' @method autoplot rr_effects
#' @rawNamespace S3method(ggplot2::autoplot,rr_effects)
autoplot.rr_effects <- function(object, ...) {
  data <- as.data.frame(object)
  keys <- setdiff(
    names(data)[seq_len(match("term", names(data)) - 1L)],
    c("contrast", "estimate", "std.error")
  )
  truth <- paste("Probability of", true_answer(attr(object, "truth", exact = TRUE)))
  average <- data$term == "(truth)"
  data$kind <- ifelse(average, "share", "difference")
  contrast <- ifelse(data$contrast == "dY/dX", ", per unit", sub("^dY/dX", ",", data$contrast))
  slope <- startsWith(contrast, ",")
  effect <- ifelse(
    average, truth, paste0(data$term, ifelse(slope, "", ": "), contrast)
  )
  data$label <- rows_factor(effect)
  data$panel <- one_panel(data)
  axis <- if (!any(average)) {
    "Change of the probability, percentage points"
  } else if (all(average)) {
    truth
  }
  subtitle <- NULL
  if (length(keys)) {
    data$label <- rows_factor(as.character(group_panel(data, keys, named = FALSE)))
    effect <- paste0(effect, ifelse(average, ", %", ", percentage points"))
    if (length(unique(effect)) > 1L) {
      data$panel <- factor(effect, unique(effect))
    }
  } else if (any(average) && !all(average)) {
    # The average is no effect: it has no place on an axis of differences.
    numbers <- percent_labels(unlist(data[which(average), c("estimate", "conf.low", "conf.high")]))
    subtitle <- sprintf("%s: %s (%s to %s)", truth, numbers[1], numbers[2], numbers[3])
    data <- droplevels(data[!average, ])
    axis <- "Change of the probability, percentage points"
  }
  draw_intervals(data, if (all(average)) "Average truth" else "Average effects on the truth",
                 sprintf("Lines: %s.", interval_words(attr(object, "conf.level"))), axis,
                 keys_axis(keys), free = TRUE, subtitle = subtitle)
}

#' @rdname autoplot.rr_fit
#' @export
plot.rr_effects <- function(x, ...) draw(x, ...)
