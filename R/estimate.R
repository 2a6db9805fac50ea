# The engine of rr_estimate(), of the bootstrap and of studies takes counts and returns a list with
# at least `estimate`.

# `method` is a name or a method; `n` the number of respondents whose counts these are.
estimate_counts <- function(mechanism, counts, method, n, options = list()) {
  if (is.character(method)) method <- method_registry()[[method]]
  run_method(
    method,
    new_evidence(rr_law(mechanism), counts, n, n, length(mechanism$levels), mechanism), options
  )
}

run_method <- function(method, evidence, options) {
  run_groups(method, list(evidence), options)[[1]]
}

# The results for the evidence of several groups. A method may estimate all together.
run_groups <- function(method, groups, options) {
  # Quoted, so that an option that is a call is described and not evaluated.
  other <- options[!names(options) %in% method$options]
  if (length(other)) do.call(check_dots_empty, other, quote = TRUE)
  for (evidence in groups) {
    mechanism <- evidence$mechanism
    if (law_tells_nothing(evidence$law)) abort_no_information(mechanism)
    need <- unmet_need(method, evidence$law)
    if (!is.null(need)) refuse_method(method, mechanism, evidence$law, need)
    impossible <- law_impossible(evidence$law, evidence$counts)
    report <- mechanism$reports[impossible]
    if (impossible > 0) {
      abort("The data are impossible: no truth produces the report {.val {report}}.", "impossible")
    }
  }
  results <- if (is.null(method$estimate_groups)) lapply(groups, method$estimate, options)
             else method$estimate_groups(groups, options)
  lapply(results, function(result) {
    if (!is.list(result)) result <- list(estimate = result)
    check_returned(result$estimate, groups[[1]]$k, method$name)
    result
  })
}

# Check what a user's own method returned.
check_returned <- function(estimate, k, name) {
  # The sum is finite if all are, and needs no vector of its own.
  if (is.numeric(estimate) && length(estimate) == k && is.finite(sum(estimate))) {
    return(invisible())
  }
  abort(c("{.arg method} {.val {name}} must return {k} finite shares, one for each category.",
          x = "It returned {describe(estimate)}."))
}

group_estimate <- function(fit, g) {
  unname(if (is.matrix(fit$estimate)) fit$estimate[, g] else fit$estimate)
}

# The same as shares, where totals are estimated.
fitted_truth <- function(fit, g) {
  group_estimate(fit, g) /
    if (isTRUE(fit$total)) fit$tally$n[g] else 1
}
