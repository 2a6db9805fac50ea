# What parameters, performance and modelsummary say of estimates and comparisons. Without these methods the first two
# know no such model, and the third prints every number of glance() with all its digits.

#' @exportS3Method parameters::model_parameters
model_parameters.rr_estimates <- function(model, ci = model$conf.level, keep = NULL, drop = NULL, ...) {
  table <- if (is.null(ci)) tidy(model) else tidy(model, conf.int = TRUE, conf.level = ci)
  parameter_table(table, names(stats::coef(model)), ci, keep, drop)
}

# The level of a comparison was chosen when it was made.
#' @exportS3Method parameters::model_parameters
model_parameters.rr_compare <- function(model, keep = NULL, drop = NULL, ...) {
  pair <- paste(model$group2, if (identical(attr(model, "type"), "ratio")) "/" else "-", model$group1)
  parameter_table(tidy(model), paste(model$term, pair, sep = ", "), attr(model, "conf.level"), keep, drop)
}

# A table of estimates under the names of insight. Where terms occur more than once, in several groups, rows have the
# names of coef(), with commas; but not where modelsummary() is about to name rows by more than the term.
parameter_table <- function(table, names, ci, keep = NULL, drop = NULL) {
  parameter <- as.character(table$term)
  if (anyDuplicated(parameter) && !is.null(names)) {
    # A colon would be a product to modelsummary().
    parameter <- sub(":", ", ", names, fixed = TRUE)
  }
  known <- c(Coefficient = "estimate", SE = "std.error", CI_low = "conf.low", CI_high = "conf.high",
             z = "statistic", p = "p.value")
  known <- known[known %in% names(table)]
  keys <- setdiff(names(table), c("term", known))
  columns <- c(list(Parameter = parameter), stats::setNames(as.list(table[known]), names(known)), as.list(table[keys]))
  if ("CI_low" %in% names(columns)) columns <- append(columns, list(CI = rep(ci, nrow(table))), 3L)
  result <- data.frame(columns, check.names = FALSE)
  if (!is.null(keep)) result <- result[grepl(paste(keep, collapse = "|"), result$Parameter), ]
  if (!is.null(drop)) result <- result[!grepl(paste(drop, collapse = "|"), result$Parameter), ]
  structure(result, ci = ci, digits = 2, ci_digits = 2, p_digits = 3, verbose = FALSE,
            pretty_names = stats::setNames(result$Parameter, result$Parameter), coefficient_name = "Estimate",
            class = c("parameters_model", "see_parameters_model", "data.frame"))
}

#' @exportS3Method performance::model_performance
model_performance.rr_fit <- function(model, metrics = "all", ...) {
  table <- as.data.frame(glance(model))
  # Whoever compares tables wants the privacy of the answers, and to know of estimates on the boundary.
  table$epsilon <- signif(table$epsilon, 4)
  if (!isTRUE(table$boundary > 0)) table$boundary <- NULL
  choose_measures(table, metrics, c("AIC", "BIC", "method", "epsilon", "boundary"))
}

# modelsummary() formats a log-likelihood under this name alone, and what comes from performance has another.
#' @exportS3Method modelsummary::glance_custom
glance_custom.rr_fit <- function(x, ...) likelihood_row(glance(x)$logLik)

likelihood_row <- function(value) if (!is.null(value) && !is.na(value)) data.frame(logLik = value)

#' @exportS3Method performance::model_performance
model_performance.rr_compare <- function(model, ...) {
  choose_measures(data.frame(type = attr(model, "type") %||% "difference"), "all", "type")
}

#' @exportS3Method performance::model_performance
model_performance.rr_estimates <- function(model, metrics = "all", ...) {
  choose_measures(as.data.frame(glance(model)), metrics, "target")
}

# "all" and "common" are the words of performance, as are measures under their names.
choose_measures <- function(table, metrics, known) {
  if (!identical(metrics, "all") && !identical(metrics, "common")) {
    at <- match(tolower(metrics), tolower(known))
    if (anyNA(at)) {
      abort(c("{.arg metrics} must name measures that a fit of randomised reports has.",
              x = "It names {.val {metrics[which(is.na(at))[1]]}}.",
              i = "They are {.val {known}}: others take a report for the truth."), "argument")
    }
    known <- known[at]
  } else if (identical(metrics, "common")) {
    known <- setdiff(known, "AICc")
  }
  table <- table[intersect(known, names(table))]
  table <- table[vapply(table, function(column) !anyNA(column), NA)]
  rownames(table) <- NULL
  class(table) <- c("performance_model", "data.frame")
  table
}
