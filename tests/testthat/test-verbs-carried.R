# A verb uses what an object carries beside its shares, or refuses it. The table is carried_table() in helper-carried.R.

# The numbers of a result: errors or widths of intervals if it has any, and the estimates beside them.
carried_numbers <- function(result) {
  if (inherits(result, c("rr_estimates", "rr_glm", "rr_regression"))) result <- tidy(result, conf.int = TRUE)
  if (!is.data.frame(result) || is.null(result$estimate)) return(list(value = result))
  width <- if (!is.null(result$conf.low)) result$conf.high - result$conf.low else result$std.error
  list(value = width, estimate = result$estimate)
}

carried_outcome <- function(verb, world) {
  quiet <- function(condition) invokeRestart(if (inherits(condition, "warning")) "muffleWarning" else "muffleMessage")
  tryCatch(withCallingHandlers(carried_numbers(verb(world)), warning = quiet, message = quiet), error = identity)
}

is_refusal <- function(outcome) {
  inherits(outcome, "candor_error") ||
    (inherits(outcome, "error") && grepl("no applicable method|cannot coerce to a table|Can't handle an object", conditionMessage(outcome)))
}

# One word of the table for two outcomes.
compared_outcomes <- function(with, without) {
  if (is_refusal(with)) return("refuses")
  if (inherits(with, "error") || inherits(without, "error")) return(paste("fails:", conditionMessage(if (inherits(with, "error")) with else without)))
  if (isTRUE(all.equal(with, without, tolerance = 1e-7))) return("=")
  if (is.null(with$estimate) || length(with$value) != length(without$value)) return("other")
  difference <- with$value - without$value
  difference <- difference[is.finite(difference)]
  if (all(difference >= -1e-9) && any(difference > 1e-9)) "larger" else if (all(difference <= 1e-9) && any(difference < -1e-9)) "smaller" else "other"
}

test_that("every exported verb and every method has a row of the table, or needs none", {
  rows <- rownames(carried_table())
  further <- c("tally", "fit", "glm", "mean", "multinom", "list", "sensitive", "reports", "shuffled", "achieved", "margin", "versus", "model",
               "bootstrap", "survey", "intercept", "protective", "arm", "penalty", "asked")
  named <- unique(sub(sprintf("_(%s)$", paste(further, collapse = "|")), "", rows))
  named <- unique(c(rows, named, sub("_(wald|exact|profile|sample|sandwich|expected|truth)$", "", named)))
  methods <- getNamespaceInfo("candor", "S3methods")
  generics <- setdiff(unique(unlist(methods[, 1])), "print")
  needed <- c(names(exported()), generics)
  expect_identical(setdiff(needed, c(named, unlist(carries_nothing), unlist(follows_from))), character())
  # Nor does the table name what is not there.
  expect_identical(setdiff(unlist(carries_nothing), names(exported())), character())
  expect_setequal(rows, gsub(" ", "_", names(carried_verbs())))
})

test_that("a verb uses what its object carries, or refuses it", {
  skip_on_cran()
  skip_without("ggplot2", "sandwich", "lmtest", "car", "emmeans", "parameters", "survey")
  table <- carried_table()
  worlds <- carried_worlds()
  verbs <- carried_verbs()
  names(verbs) <- gsub(" ", "_", names(verbs))
  for (verb in names(verbs)) for (fact in names(worlds)) {
    cell <- table[verb, fact]
    if (cell %in% c(".", "later")) next
    with <- carried_outcome(verbs[[verb]], worlds[[fact]]$with)
    # A refusal shows something only where the verb works without the fact.
    without <- carried_outcome(verbs[[verb]], worlds[[fact]]$without)
    found <- compared_outcomes(with, without)
    if (startsWith(cell, "=")) {
      expect_true(substring(cell, 2) %in% names(carried_reasons), label = paste(verb, fact, "has a reason"))
      cell <- "="
    }
    if (cell == "other" && found %in% c("larger", "smaller")) found <- "other"
    expect_identical(found, cell, label = paste(verb, "of", fact))
  }
})

# Truth: closed forms. Weights 1 and 3 in equal parts, even over reports, are worth 4/5 of the respondents; in a
# regression they are numbers of answers, 2 on average. A study adds the variance of its own sample (Rogan and Gladen
# 1978). Everybody twice, in clusters of two, is worth one half.
test_that("where a relation is known, errors are related so", {
  skip_without("survey")
  worlds <- carried_worlds()
  errors <- function(fact, which, object = "fit") suppressMessages(suppressWarnings(sqrt(diag(vcov(worlds[[fact]][[which]][[object]])))))
  ratio <- function(fact, object = "fit") unname(errors(fact, "with", object) / errors(fact, "without", object))
  expect_equal(ratio("weights"), rep(sqrt(5 / 4), 4))
  expect_equal(ratio("weights", "glm"), rep(sqrt(1 / 2), 2))
  expect_equal(ratio("weights", "multinom"), rep(sqrt(1 / 2), 2), tolerance = 1e-6)
  # Clusters count with n / (n - 1).
  expect_equal(ratio("design"), rep(sqrt(2), 4), tolerance = 0.01)
  expect_equal(ratio("design", "glm"), rep(sqrt(2), 2), tolerance = 0.01)
  theta <- coef(worlds$external$with$fit)[c(2, 4)]
  study <- (theta^2 * 0.9 * 0.1 + (1 - theta)^2 * 0.75 * 0.25) / 80 / (0.9 + 0.75 - 1)^2
  parts <- errors("external", "with")^2 - errors("external", "without")^2
  expect_equal(unname(parts), rep(unname(study), each = 2))
  # The logit's derivative takes the study's part along.
  expect_equal(unname(errors("external", "with", "glm")^2 - errors("external", "without", "glm")^2)[1], study[[1]] / (theta[[1]] * (1 - theta[[1]]))^2,
    tolerance = 1e-6)
})
