#' Average truth and average effects
#'
#' Coefficients of a logit are hard to read. `rr_effects()` gives the average probability of a true yes (the second label of the mechanism, which `print()` names) over the respondents, and how much it
#' changes with each covariate: for a number the average derivative, for a date or a time the derivative per day, for a factor, a logical value or a column of 0 and 1 the average
#' difference to its first level. Standard errors are by the delta method; they treat the covariates as fixed. If any fitted truth of the average is 0 or 1, at infinity, standard errors and intervals are `NA`, with a warning. Intervals of a fit
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
#' @return A tibble of class `rr_effects`, which [plot()][autoplot.rr_compare] draws, with the columns of `by`, `term` (`"(truth)"` for the average truth), `contrast` (`"average"`, `"dY/dX"`, of dates and times `"dY/dX per day"`, or `"b - a"`), `estimate`,
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
  if (!inherits(fit, "rr_glm")) {
    abort(c("{.arg fit} must be a fit of {.fn rr_glm}.", x = "It is {describe(fit)}."), "argument")
  }
  conf.level <- check_level(conf.level)
  data <- effect_data(fit)
  known <- intersect(all.vars(stats::delete.response(fit$terms)), names(data))
  variables <- check_covariates(variables %||% known, known, "variables", "covariates")
  by <- check_covariates(by %||% character(), names(data), "by", "columns of the data")
  type <- type %||% default_variance(fit, cluster)
  V <- if (type == "observed" && !is.null(fit$whole)) fit$whole else stats::vcov(fit, type, cluster)
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
  if (anyNA(table$std.error) && !is.null(fit$boundary)) {
    warn(c("Effects of truths that are estimated as 0 or 1 have no standard errors here.",
           i = "{.code penalty = \"prior\"} gives finite estimates, with standard errors."), "infinite")
  }
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

# At infinity a derivative of 0 is no standard error of 0: NA.
slope_of <- function(curve, eta, k = 1) ifelse(is.finite(eta), curve$derivative(ifelse(is.finite(eta), eta, 0), k), NA)

variable_effects <- function(name, fit, data) {
  values <- data[[name]]
  number <- is_time(values) || (is.numeric(values) && NCOL(values) == 1L && !all(values %in% c(0, 1)))
  if (number && !in_factor(name, fit$terms, fit$model)) return(list(derivative_effect(name, fit, data)))
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
  eta <- limit_predictor(fit, x, fit$offset)
  list(value = curve$yes(eta), gradient = slope_of(curve, eta) * x)
}

# The columns' own derivative by differences: exact for polynomials of degree two, and where the step matters it is made
# smaller and extrapolated.
derivative_effect <- function(name, fit, data) {
  change <- matrix_derivative(name, fit, data)
  x <- stats::model.matrix(fit)
  curve <- truth_curve(fit$link)
  eta <- unname(fit$linear.predictors)
  along <- as.vector(change %*% fit$point)
  f <- slope_of(curve, eta)
  # A unit of a date is a day, and so it is of a time, whose own is a second.
  values <- data[[name]]
  unit <- if (inherits(values, "POSIXct")) 86400 else 1
  list(term = name, contrast = if (is_time(values)) "dY/dX per day" else "dY/dX",
       value = ifelse(is.na(f), 0, unit * f * along),
       gradient = unit * (slope_of(curve, eta, 2) * along * x + f * change))
}

is_time <- function(x) inherits(x, c("Date", "POSIXct"))

# Is a variable in the model through a factor only, as in factor(day) or weekdays(day)? Then it has no slope, and no
# values but those that were fitted.
in_factor <- function(name, terms, model) {
  written <- as.list(attr(stats::delete.response(terms), "variables"))[-1]
  made <- vapply(Filter(function(e) name %in% all.vars(e), written), deparse1, "")
  made <- intersect(made, names(model))
  length(made) > 0L && all(vapply(model[made], function(x) is.factor(x) || is.character(x) || is.logical(x), NA))
}

matrix_derivative <- function(name, fit, data) {
  values <- data[[name]]
  moved <- function(h) {
    up <- down <- data
    up[[name]] <- values + h
    down[[name]] <- values - h
    (effect_matrix(fit, up) - effect_matrix(fit, down)) / (2 * h)
  }
  numbers <- as.double(values)
  unit <- 2^round(log2(max(stats::sd(numbers), 1e-300 + abs(mean(numbers)) * 1e-8)))
  wide <- tryCatch(suppressWarnings(moved(unit)), error = function(e) NULL)
  near <- moved(unit / 4096)
  if (!is.null(wide) && all(is.finite(wide)) && max(abs(wide - near)) <= 1e-7 * max(abs(near), 1e-300)) return(wide)
  # A curve: Richardson's extrapolation of two small steps.
  (4 * moved(unit / 1024) - moved(unit / 512)) / 3
}

effect_rows <- function(parts, rows, weight, fit, V, quantile, keys) {
  w <- weight[rows] / sum(weight[rows])
  kept <- !is.na(diag(V))
  aliased <- is.na(fit$coefficients) & !names(fit$coefficients) %in% fit$boundary$coefficients
  estimate <- vapply(parts, function(part) sum(w * part$value[rows]), 0)
  se <- vapply(parts, function(part) {
    gradient <- colSums(w * part$gradient[rows, , drop = FALSE])
    if (any(gradient[!kept & !aliased] != 0, na.rm = TRUE)) return(NA)
    gradient <- gradient[kept]
    sqrt(max(0, sum(gradient * (V[kept, kept, drop = FALSE] %*% gradient))))
  }, 0)
  half <- quantile * se
  table <- tibble::tibble(term = vapply(parts, `[[`, "", "term"), contrast = vapply(parts, `[[`, "", "contrast"),
                          estimate = estimate,
                          std.error = se, conf.low = estimate - half, conf.high = estimate + half)
  if (is.null(keys)) table else tibble::as_tibble(c(lapply(keys, rep, nrow(table)), as.list(table)))
}

#' @export
tidy.rr_effects <- function(x, ...) plain_tibble(x)
