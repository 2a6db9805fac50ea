#' Methods of estimates: tables, intervals, covariances, likelihood, simulation
#'
#' Fits of [rr_estimate()], margins, joint counts, associations, set sizes, incidences and contrasts have the same methods. Fits have the further methods of the section *Fits*, and the
#' pages of other classes describe only what they have beside these.
#'
#' * `tidy()`: a tibble with one row per estimate: the groups, `term` (category), `estimate`, `std.error`, and with `conf.int = TRUE` `conf.low` and `conf.high`.
#' * `as.data.frame()`: the same with intervals, as a plain data frame.
#' * `glance()`: one row, for fits see *Fits*; otherwise `target`, `nobs`, `estimates` (their number), `conf.level`; for a mean and a survey design also `unlikely`, for [rr_scramble()] also `truth.share`.
#' * `coef()`, `vcov()`, `confint()`: estimates, covariance matrix and intervals with the same names; groups are in the name, `"North:yes"`.
#' * `nobs()`: number of respondents (or the sum of weights), rows or elements; for [rr_extreme()] the bits of an element, for [rr_set_size()] of sketches the
#'   sketches.
#' * `print()`, `format()`: `n` rows; one line.
#' * `summary()`: the estimates themselves.
#' * `plot()`: the picture of `ggplot2::autoplot()`, invisibly.
#'
#' Functions of other packages that accept a model work: `lmtest::coeftest()`, `car::deltaMethod()`, `multcomp::glht()`, `modelsummary::modelsummary()`.
#'
#' In R Markdown and Quarto `knitr::kable(tidy(x))` makes a table.
#'
#' Filter the rows of `tidy()`, not the estimates: parts of an estimate are not an estimate. Groups of a fit are taken by `[` and `subset()`, see [`?groups`][groups].
#'
#' An argument that a method does not know is ignored with a warning (`candor_warning_argument`), and without a warning in calls that other packages make. The `rr_*()` functions refuse unknown arguments.
#'
#' @param x,object Estimates.
#' @param conf.int Logical, default `FALSE`. Add the columns `conf.low` and `conf.high`?
#' @param conf.level,level Confidence level, a number in (0, 1); default the level of the estimates.
#' @param terms Rows, as labels or positions, or categories such as `"yes"`, in all groups; default all.
#' @param parm Estimates, as labels or positions, or categories, in all groups; default all.
#' @param n Number of rows printed, at least 0.
#' @param digits Significant digits printed, from 1 to 22.
#' @param ... Not used. `as.data.frame()` accepts `row.names` and `stringsAsFactors`; `plot()` passes on to `ggplot2::autoplot()`, `update()` to [rr_estimate()].
#' @return As listed above. `print()` returns the estimates invisibly.
#' @section Errors:
#' `candor_error_level`, `candor_error_argument` (also for a covariance matrix of more than 5,000 rows). See [candor_conditions].
#' @references The columns follow the packages 'generics' and 'broom', <https://cran.r-project.org/package=generics>.
#' @seealso [rr_contrast()], [rr_compare()], [`?groups`][groups] to take some groups, [regression_methods] for regressions.
#' @name estimate_methods
#' @aliases fit_methods design_parameters
#' @examples
#' # Eight people reported whether they are in two sets, each bit flipped with
#' # probability 0.1. How many are in at least one?
#' reports <- cbind(a = c(1, 0, 1, 1, 0, 0, 1, 0),
#'                  b = c(1, 0, 0, 1, 0, 1, 1, 0))
#' size <- rr_set_size(reports, flip = 0.1)
#' tidy(size, conf.int = TRUE)
#' glance(size)
#' # 4.4, with an interval from 2.2 to 6.7
#' confint(size)
NULL

# An estimate is a list of class `rr_estimates`, or a table: a tibble, whose rows can be filtered
# and bound, with attributes in place of elements. Both hold what their kind needs of `rows` (the
# table without intervals), `labels` (the names in coef(), vcov() and confint()), `covariance`, `n`
# (the value of nobs()), `target`, `conf.level`, `simultaneous`, `title` (what print() says above
# the table, its first line without the class) and `notes` (lines below it), all made with the
# object; and `axis_kind` and `axis` for its picture.
info_of <- function(x, name) {
  if (is.data.frame(x)) {
    attr(x, name, exact = TRUE)
  } else {
    unclass(x)[[name]]
  }
}

new_rr_table <- function(table, class, ...) {
  structure(table, ..., class = c(class, "rr_estimates", class(table)))
}

# Kinds whose parts are better computed when they are asked for have methods of these.
# printed_table(): the table of which print() shows the first `n` rows, with an attribute `total` if
# it has no more than these.
rows_of <- function(x) UseMethod("rows_of")
bounds_of <- function(x, rows, level) UseMethod("bounds_of")
labels_of <- function(x) UseMethod("labels_of")
covariance_of <- function(x) UseMethod("covariance_of")
title_of <- function(x) UseMethod("title_of")
printed_table <- function(x, n) UseMethod("printed_table")
notes_of <- function(x, table) UseMethod("notes_of")

rows_of.rr_estimates <- function(x) {
  if (is.data.frame(x)) {
    plain_tibble(x)[setdiff(names(x), c("conf.low", "conf.high"))]
  } else {
    info_of(x, "rows")
  }
}

# Columns that name the rows are the `keys` of a table.
labels_of.rr_estimates <- function(x) {
  if (!is.data.frame(x)) return(info_of(x, "labels") %||% rows_of(x)$term)
  do.call(
    paste,
    c(unname(as.list(x)[info_of(x, "keys") %||% "term"]), sep = ":")
  )
}

covariance_of.rr_estimates <- function(x) {
  info_of(x, "covariance") %||% unknown_covariances(rows_of(x)$std.error)
}

# The variances alone, of estimates whose covariances are not known.
unknown_covariances <- function(error) {
  covariance <- matrix(NA_real_, length(error), length(error))
  diag(covariance) <- error^2
  covariance
}

# The intervals of a table were made with it.
bounds_of.rr_estimates <- function(x, rows, level) {
  if (is.data.frame(x)) {
    check_interval_level(level, info_of(x, "conf.level"))
    return(list(low = x$conf.low, high = x$conf.high))
  }
  if (isTRUE(info_of(x, "simultaneous"))) {
    level <- 1 - (1 - level) / (info_of(x, "family") %||% nrow(rows))
  }
  plan <- info_of(x, "plan")
  half <- rows$std.error * if (is.null(plan)) {
    normal_quantile(level)
  } else {
    anytime_quantile(level, info_of(x, "reports"), plan)
  }
  symmetric_limits(rows$estimate, half)
}

title_of.rr_estimates <- function(x) info_of(x, "title")

printed_table.rr_estimates <- function(x, n) {
  if (is.data.frame(x)) plain_tibble(x) else tidy(x, conf.int = TRUE)
}

notes_of.rr_estimates <- function(x, table) info_of(x, "notes")

#' @rdname estimate_methods
#' @export
tidy.rr_estimates <- function(x, conf.int = FALSE, conf.level = NULL, terms = NULL, ...) {
  check_flag(conf.int, "conf.int")
  rows <- rows_of(x)
  if (conf.int) {
    bounds <- bounds_of(
      x, rows, check_conf_level(conf.level %||% info_of(x, "conf.level"), "conf.level")
    )
    rows$conf.low <- bounds$low
    rows$conf.high <- bounds$high
  }
  if (is.null(terms)) rows else rows[match_estimates(terms, x, rows, "terms"), ]
}

# The positions of estimates, by their labels, by their categories in all groups, or as positions.
match_estimates <- function(parm, x, rows = rows_of(x), arg = "parm") {
  labels <- labels_of(x)
  if (!is.character(parm) || all(parm %in% labels) ||
      !all(parm %in% rows[["term"]])) {
    return(match_rows(parm, labels, "estimates", arg))
  }
  index <- which(rows[["term"]] %in% parm)
  group <- ave(index, rows[["term"]][index], FUN = seq_along)
  index[order(group, match(rows[["term"]][index], parm))]
}

#' @rdname estimate_methods
#' @export
glance.rr_estimates <- function(x, ...) {
  tibble(
    target = info_of(x, "target") %||% NA_character_,
    nobs = nobs(x),
    estimates = length(labels_of(x)),
    conf.level = info_of(x, "conf.level") %||% NA_real_,
    unlikely = if (!is.null(info_of(x, "doubt"))) is_doubted(x),
    truth.share = info_of(x, "truth.share")
  )
}

#' @rdname estimate_methods
#' @export
coef.rr_estimates <- function(object, ...) setNames(rows_of(object)$estimate, labels_of(object))

#' @rdname estimate_methods
#' @export
vcov.rr_estimates <- function(object, ...) {
  labels <- labels_of(object)
  matrix(covariance_of(object), length(labels), dimnames = list(labels, labels))
}

#' @rdname estimate_methods
#' @export
confint.rr_estimates <- function(object, parm = NULL, level = NULL, ...) {
  level <- level %||% info_of(object, "conf.level")
  rows <- tidy(object, conf.int = TRUE, conf.level = level)
  labels <- labels_of(object)
  bounds_matrix(rows$conf.low, rows$conf.high, level, labels)[
    match_estimates(parm, object, rows), , drop = FALSE
  ]
}

#' @rdname estimate_methods
#' @export
nobs.rr_estimates <- function(object, ...) sum(info_of(object, "n"))

# An error: estimates by moments and in designs have no likelihood.
#' @export
logLik.rr_estimates <- function(object, ...) {
  abort(c(
    "These estimates have no likelihood of the reports.",
    i = paste(
      "Shares of groups are compared by {.fn rr_compare}, or by {.fn",
      "survey::regTermTest} of a fit of {.fn rr_glm}."
    )
  ))
}

#' @export
anova.rr_estimates <- function(object, ...) logLik(object)

#' @rdname estimate_methods
#' @export
as.data.frame.rr_estimates <- function(x, ...) {
  plain_frame(
    if (is.data.frame(x)) plain_tibble(x) else tidy(x, conf.int = TRUE), ...
  )
}

#' @rdname estimate_methods
#' @export
format.rr_estimates <- function(x, ...) {
  paste0("<", class(x)[1], "> ", title_of(x)[1])
}

#' @rdname estimate_methods
#' @export
print.rr_estimates <- function(x, n = 10, digits = 4, ...) {
  n <- check_number(n, "n", min = 0)
  digits <- check_digits(digits)
  title <- title_of(x)
  # Lists by rank have words of their own.
  is_told <- isTRUE(info_of(x, "looking")) && !isTRUE(info_of(x, "ranked"))
  writeLines(
    within_80(c(
      paste0("<", class(x)[1], "> ", title[1]),
      if (is_told) paste0("  ", looking_words(info_of(x, "conf.level"), TRUE)),
      title[-1]
    ))
  )
  table <- printed_table(x, n)
  print_rows(table, n, digits, attr(table, "total") %||% nrow(table))
  notes <- notes_of(x, table)
  if (length(notes)) writeLines(notes)
  invisible(x)
}

#' @rdname estimate_methods
#' @export
summary.rr_estimates <- function(object, ...) object

#' @rdname estimate_methods
#' @export
plot.rr_estimates <- function(x, ...) draw(x, ...)

# The rows of a table, without what its class adds.
plain_tibble <- function(x) as_tibble(unclass(x)[names(x)])

# A level other than that of intervals that were made with the estimate and cannot be made again.
check_interval_level <- function(level, conf.level) {
  if (!isTRUE(all.equal(level, conf.level, tolerance = 1e-12))) {
    abort("The interval was made at level {conf.level}, and cannot be had at another.")
  }
}

# ---- categories of fits ----

match_terms <- function(parm, fit, arg = "parm") {
  if (is.factor(parm)) parm <- as.character(parm)
  match_rows(parm, terms_of(fit), "categories", arg)
}

# The labels of the estimates of one group. Only a fit that has them as the field `terms` has the
# covariance of all its estimates, groups slowest, as the field `covariance`, and `df`.
terms_of <- function(fit) fit$terms %||% fit$mechanism$levels

has_terms <- function(fit) inherits(fit, "rr_estimates") && !is.null(info_of(fit, "terms"))

coef_names <- function(fit, which = NULL) {
  terms <- fit$mechanism$levels
  cell_names(if (is.null(which)) terms else terms[which], fit$tally$groups)
}

# Estimates by group are called group:category.
cell_names <- function(terms, groups) {
  if (is.null(groups)) return(terms)
  paste(
    rep(group_labels(groups), each = length(terms)),
    rep(terms, nrow(groups)), sep = ":"
  )
}

# The rows of some categories in some groups: showing ten rows of a million must not compute the
# others.
tidy_rows <- function(fit, conf.int, conf.level, ...) {
  as_tibble(row_columns(fit, conf.int, conf.level, ...))
}

row_columns <- function(
  fit, conf.int, conf.level, which = seq_along(fit$mechanism$levels),
  groups = seq_len(NCOL(fit$estimate)), ranked = FALSE
) {
  each <- function(f) as.vector(vapply(groups, f, numeric(length(which))))
  columns <- c(list(term = rep(fit$mechanism$levels[which], length(groups))),
               cell_answers(fit$mechanism, "levels", length(groups), which),
               list(estimate = each(function(g) group_estimate(fit, g)[which]),
                    # The variance 0 of vcov(), which functions of the others need, would say that
                    # the share is known.
                    std.error = each(function(g) known_errors(fit, g, fit_errors(fit, g, which)))))
  if (conf.int) {
    bounds <- fit_intervals(fit, conf.level, which = which, groups = groups, ranked = ranked)
    columns[c("conf.low", "conf.high")] <- lapply(bounds, as.vector)
  }
  c(
    lapply(as.list(fit$tally$groups), function(key) {
      rep(key[groups], each = length(which))
    }),
    columns
  )
}

# ---- words that several kinds of estimates say ----

held_words <- paste(
  "Estimates held at the boundary have no standard error and",
  "bias the others: read the intervals"
)

is_doubted <- function(x) any(nzchar(info_of(x, "doubt")))

# The words for a doubted design: a sentence of the mechanism, or a sentence that depends on the
# test.
doubt_words <- function(x) {
  words <- setdiff(info_of(x, "doubt"), c("", "counts", "deviance"))
  if (length(words)) return(words[1])
  if (!"deviance" %in% info_of(x, "doubt")) return(unlikely_words)
  paste0("The reports are unlikely under this design: see rr_goodness_of_fit()",
         if (inherits(x, "rr_survey")) " without the survey design"
         else if (!identical(x$method, "mle")) " of method = \"mle\"")
}

# Ranked and simultaneous intervals of a fit may be of another kind.
interval_label <- function(fit) {
  tails <- (fit$simultaneous || isTRUE(fit$ranked)) && inherits(fit, "rr_fit")
  interval <- if (tails) tail_interval(fit$interval, fit$tally) else fit$interval
  interval_kinds[[interval]]$label
}

# "95% Wilson intervals, simultaneous"; `name` is empty where there is one kind alone.
interval_words <- function(level, name = "", simultaneous = FALSE, ranked = FALSE) {
  sprintf(
    "%s%% %sintervals%s", format(100 * level),
    if (nzchar(name)) paste0(name, " ") else "",
    if (isTRUE(simultaneous)) ", simultaneous" else if (ranked) " by rank" else ""
  )
}

# The name of the intervals of a table, which say their kind if they hold while looking.
looking_words <- function(level, looking, ...) {
  interval_words(level, if (looking) interval_kinds$anytime$label else "", ...)
}

rank_words <- function(level, looking = FALSE) {
  paste0(
    sprintf(
      "However many rows you read from the top, on average at most %s of their intervals are wrong",
      percent_labels(1 - level)
    ),
    if (looking) ", at all looks"
  )
}

# Lines of print() below its first one.
indented <- function(lines) {
  unlist(lapply(lines, strwrap, width = 80, indent = 2, exdent = 4))
}

# ---- what parameters, performance and modelsummary say of estimates ----
# The first two packages refuse estimates without these methods, and the third prints every number
# of glance() with all digits.

#' @exportS3Method parameters::model_parameters
model_parameters.rr_estimates <- function(
  model, ci = info_of(model, "conf.level"), keep = NULL, drop = NULL, ...
) {
  table <- if (is.null(ci)) {
    tidy(model)
  } else {
    tidy(model, conf.int = TRUE, conf.level = ci)
  }
  parameter_table(table, labels_of(model), ci, keep, drop)
}

# A table of estimates under the names of insight. If terms occur more than once, in several groups,
# rows have the names of coef(), with commas: a colon would be a product to modelsummary().
parameter_table <- function(table, names, ci, keep = NULL, drop = NULL) {
  parameter <- as.character(table[["term"]] %||% names)
  if (anyDuplicated(parameter) && !is.null(names)) {
    parameter <- sub(":", ", ", names, fixed = TRUE)
  }
  measures <- c(
    Coefficient = "estimate", SE = "std.error", CI_low = "conf.low", CI_high = "conf.high",
    z = "statistic", p = "p.value"
  )
  measures <- measures[measures %in% names(table)]
  keys <- setdiff(names(table), c("term", measures))
  columns <- c(
    list(Parameter = parameter), setNames(as.list(table[measures]), names(measures)),
    as.list(table[keys])
  )
  if ("CI_low" %in% names(columns)) {
    columns <- append(columns, list(CI = rep(ci, nrow(table))), 3L)
  }
  result <- data.frame(columns, check.names = FALSE)
  named <- function(patterns) grepl(paste(patterns, collapse = "|"), result$Parameter)
  if (!is.null(keep)) result <- result[named(keep), ]
  if (!is.null(drop)) result <- result[!named(drop), ]
  structure(
    result,
    ci = ci,
    digits = 2,
    ci_digits = 2,
    p_digits = 3,
    verbose = FALSE,
    pretty_names = setNames(result$Parameter, result$Parameter),
    coefficient_name = "Estimate",
    class = c("parameters_model", "see_parameters_model", "data.frame")
  )
}

#' @exportS3Method performance::model_performance
model_performance.rr_estimates <- function(model, metrics = "all", ...) {
  table <- as.data.frame(glance(model))
  if (!inherits(model, "rr_fit")) return(choose_measures(table, metrics, "target"))
  # Whoever compares tables wants the privacy of the answers, and to know of estimates on the
  # boundary.
  table$epsilon <- signif(table$epsilon, 4)
  if (!isTRUE(table$boundary > 0)) table$boundary <- NULL
  choose_measures(table, metrics, c("AIC", "BIC", "method", "epsilon", "boundary"))
}

# modelsummary() formats a log-likelihood under this name alone, and what comes from performance has
# another.
#' @exportS3Method modelsummary::glance_custom
glance_custom.rr_fit <- function(x, ...) likelihood_row(glance(x)$logLik)

likelihood_row <- function(value) {
  if (!is.null(value) && !is.na(value)) data.frame(logLik = value)
}

# "all" and "common" are the words of performance, as are measures under their names.
choose_measures <- function(table, metrics, choices) {
  if (identical(metrics, "common")) choices <- setdiff(choices, "AICc")
  else if (!identical(metrics, "all")) {
    index <- match(tolower(metrics), tolower(choices))
    if (anyNA(index)) abort("{.arg metrics} must be among {.val {choices}}.")
    choices <- choices[index]
  }
  table <- Filter(
    function(column) !anyNA(column), table[intersect(choices, names(table))]
  )
  structure(table, row.names = seq_len(nrow(table)), class = c("performance_model", "data.frame"))
}
