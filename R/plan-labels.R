# This file computes how many people a validation study has to label, and of which truth.

# The arguments of rr_power() that belong to such a plan.
label_arguments <- c(
  "n", "share", "margin", "labels", "category", "conf.level", "versus", "allocation", "costs",
  "validation"
)

# The table of the plans. An estimate has the variance S^2 / m + F / n, with m labels and n
# respondents:
#    F   the variance of one report's term
#    S   sum of weight times sigma, where sigma^2 is the variance of one label's term
# The best split has labels in proportion to weight times sigma.
label_plan <- function(
  mechanisms, args, n, share, margin, labels, category, conf.level, versus, allocation, costs,
  validation
) {
  unused <- setdiff(args, c("mechanism", label_arguments))
  if (length(unused)) abort("{.arg {unused}} {?does/do} not belong to the plan of labels.")
  if (is.null(share)) abort("{.arg share} must be given for a plan of labels.")
  goals <- check_label_goals(n, margin, labels, costs)
  z <- normal_quantile(check_conf_level(conf.level))
  validation <- check_choice(validation, "validation", c("external", "internal"))
  first <- check_number(allocation, "allocation", 0, 1, TRUE, TRUE)
  grid <- expand.grid(Filter(length, goals), KEEP.OUT.ATTRS = FALSE)
  rows <- list()
  for (name in names(mechanisms)) {
    study <- label_study(mechanisms[[name]], share, category, versus, first, validation)
    if (!study$is_single && length(margin)) abort("{.arg margin} is that of one {.arg category}.")
    for (i in seq_len(nrow(grid))) {
      plan <- label_rows(study, as.list(grid[i, , drop = FALSE]), costs, z)
      rows[[length(rows) + 1L]] <- tibble(mechanism = name, plan)
    }
  }
  words <- paste0("two-sided ", interval_words(conf.level), "; ", validation, " study")
  with_class(do.call(rbind, rows), "rr_power", assumptions = words)
}

# list(n, margin, labels): two of them, or the margin alone with costs. Labels that are wanted are
# NA.
check_label_goals <- function(n, margin, labels, costs) {
  wants_labels <- identical(is.na(labels), TRUE)
  if (!is.null(costs)) {
    is_valid <- is_numbers(costs) && identical(sort(names(costs)), c("label", "report"))
    noun <- "numbers above 0 called label and report"
    check_that(is_valid && all(is.finite(costs) & costs > 0), costs, "costs", noun)
  }
  n_goals <- sum(!is.null(n), !is.null(margin), !wants_labels)
  is_complete <- if (is.null(costs)) n_goals == 2 else n_goals == 1 && !is.null(margin)
  if (!is_complete) {
    abort(c(
      "Two of {.arg n}, {.arg labels} and {.arg margin} must be given.",
      i = "{.code labels = NA} is a number that is wanted; with {.arg costs} give the margin alone."
    ))
  }
  list(
    n = if (!is.null(n)) check_field_size(n),
    margin = if (!is.null(margin)) check_open(margin, "margin"),
    labels = if (!wants_labels) check_grid(labels, "labels")
  )
}

# A register may be so large that its reports have no error: Inf.
check_field_size <- function(n) {
  is_valid <- is_numbers(n) && !anyNA(n) && !anyDuplicated(n)
  check_that(is_valid, n, "n", "whole numbers, at least 1, or Inf")
  finite <- n[is.finite(n)]
  if (length(finite)) check_grid(finite, "n")
  as.double(n)
}

# list(weights, field, strata, is_single): weight times sigma of each stratum in which people are
# labelled, F, and the labels of the strata as list(truth) or list(report). `is_single` is FALSE for
# the sum of the variances of several categories.
label_study <- function(mechanism, share, category, versus, first, validation) {
  channel <- unname(identified_channel(mechanism))
  index <- vapply(
    category %||% length(mechanism$levels), function(x) category_position(mechanism, x), 0
  )
  theta <- plan_shares(share, mechanism$levels, index, "share")
  other <- if (!is.null(versus)) plan_shares(versus, mechanism$levels, index, "versus")
  if (validation == "internal") {
    if (!is.null(other)) abort("{.arg versus} needs an external study: groups have own labels.")
    moments <- internal_moments(channel, theta, index)
    strata <- list(report = mechanism$reports)
  } else {
    moments <- external_moments(channel, theta, other, index, first)
    strata <- list(truth = mechanism$levels)
  }
  check_that(
    sum(moments$weights) > 0, mechanism, "mechanism", "a channel with errors, to plan labels for"
  )
  c(moments, list(strata = strata, is_single = length(index) == 1L))
}

# All shares: of two categories that of one is enough.
plan_shares <- function(share, levels, index, arg) {
  share <- check_probabilities(share, arg)
  if (length(share) == 1L && length(levels) == 2L && length(index) == 1L) {
    return(replace(rep(1 - unname(share), 2), index, share))
  }
  is_complete <- length(share) == length(levels) && abs(sum(share) - 1) <= 1e-8
  check_that(is_complete, share, arg, "the true share of each category, which add up to 1")
  match_levels(share, levels, arg)
}

# Terms are columns of the left inverse. The error of the study cancels in differences.
external_moments <- function(channel, theta, other, index, first) {
  terms <- left_inverse(list(matrix = t(channel)))$matrix[, index]
  term_variance <- function(p) rowSums(p %*% terms^2 - (p %*% terms)^2)
  field <- term_variance(theta %*% channel)
  if (!is.null(other)) {
    field <- field / first + term_variance(other %*% channel) / (1 - first)
  }
  sigma <- sqrt(pmax(term_variance(channel), 0))
  list(weights = abs(theta - (other %||% 0)) * sigma, field = field)
}

# Labels of respondents, in each report: their truths have the probabilities P, and labels are among
# the n.
internal_moments <- function(channel, theta, index) {
  phi <- drop(theta %*% channel)
  joint <- theta * channel
  P <- joint[index, , drop = FALSE] / rep(phi, each = length(index))
  list(
    weights = phi * sqrt(colSums(P * (1 - P))),
    field = sum(P^2 %*% phi - theta[index]^2)
  )
}

# The rows of one plan. One of the goals `n`, `labels` and `margin` follows from the others; with
# costs n and labels follow from the margin.
label_rows <- function(study, goals, costs, z) {
  total <- sum(study$weights)
  labels <- goals$labels
  n <- goals$n
  if (!is.null(costs)) {
    # Labels for each respondent that make the cost least.
    ratio <- total * sqrt(costs[["report"]] / costs[["label"]] / study$field)
    n <- ceiling(required_number(total^2 / ratio + study$field, 0, goals$margin, z))
  }
  n <- n %||% ceiling(required_number(study$field, total^2 / labels, goals$margin, z))
  labels <- labels %||% required_number(total^2, study$field / n, goals$margin, z)
  study_variance <- if (is.finite(labels)) total^2 / labels else 0
  std_error <- sqrt(study_variance + study$field / n)
  split <- ifelse(study$weights > 0, labels * study$weights / total, 0)
  tibble(
    n = n,
    labels = ceiling(labels - 1e-9),
    margin = if (study$is_single) z * std_error else NA_real_,
    std.error = std_error,
    floor = if (study$is_single) z * sqrt(study_variance) else NA_real_,
    !!!study$strata,
    split = split,
    people = pmax(ceiling(split - 1e-9), if (is.null(study$strata$truth)) 1 else 20)
  )
}

# The number of people for a margin of error, if each adds `variance` over that number to a
# `fixed` variance. It is Inf, with a message, if the fixed variance alone is too large.
required_number <- function(variance, fixed, margin, z) {
  remaining <- (margin / z)^2 - fixed
  if (remaining > 0) return(variance / remaining)
  cli::cli_inform(
    c(
      "No number of people gives a margin of {format(margin, digits = 3)}.",
      x = "The numbers that are fixed make it {format(z * sqrt(fixed), digits = 3)} or more."
    ),
    class = "candor_message_floor"
  )
  Inf
}
