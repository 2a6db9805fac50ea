#' How many respondents, how much power
#'
#' `rr_sample_size()` gives the number of respondents needed for a margin of error, or for a test of given power;
#' `rr_power()` gives the power of a test. Both account for what the randomisation costs.
#'
#' @details
#' A report counts for a category with probability \eqn{m = b + a\theta}{m = b + a theta} when a share \eqn{\theta} of the population holds it, so the
#' unbiased estimate of the share has the variance \eqn{m(1 - m) / (N a^2)} (`target = "population"`), of which
#' \eqn{[b(1 - b) + \theta a (1 - a - 2b)] / (N a^2)}{[b(1 - b) + theta a (1 - a - 2b)] / (N a^2)} is due to the randomisation alone (`target = "sample"`).
#'
#' *Margin of error*: the half-width of the confidence interval of the share; for [rr_mean()] that of the mean, in the unit of its answers, whatever these are. With `simultaneous = TRUE` the intervals of all categories hold together
#' (Bonferroni). Without `share` the number is enough whatever the share.
#'
#' *Power*: the test of "the share is `null`" against "it is larger" (or smaller, if `share` is below `null`) that counts the reports; their
#' number is binomial, and both its level and its power are exact. `rr_sample_size()` starts at the normal
#' approximation and returns the first number from there on, in steps of 0.1 per cent, whose power is enough.
#'
#' *Reports that are not counted for one category each* ([rr_bitflip()], [rr_hadamard()] in several blocks, [rr_hierarchy()], shared functions of [rr_local_hash()],
#' [rr_square_wave()] and any other channel that can be inverted): everything is about the unbiased estimate, `method = "inv"`, and its exact variance; the test is the normal one
#' by the standard error under the null hypothesis, and `level` the one asked for. Of [rr_bitflip()] about \eqn{n d / K} of the reports are about one of \eqn{K} buckets, which the variance
#' contains. Where it depends on which other categories the others hold, these are taken to hold the least favourable one, so that a number is enough whatever they hold: for Hadamard response in
#' many blocks, or hierarchies, that is more than most truths need, and [rr_study()] gives the risk at a truth of your own. It is the way too
#' for `method = "mle"`, which has far less error than inversion for square waves.
#'
#' *RAPPOR* ([rr_bloom()]): all categories are estimated together, by weighted least squares. Its variance is that of the standard errors of `method = "inv"`, at a truth where the
#' category has the given share and **all other categories have equal shares** (with 12 to 30 categories other distributions of the others changed it by at most 5 per cent, to
#' either side). It is for many respondents in each cohort, the weights being those of the truth; the categories are those of the mechanism, so plan with all candidates that you
#' are going to decode. With 12 categories, 32 bits, 8 cohorts, epsilon 2 and 4,000 respondents
#' the share 0.04 was found in 53 and 55 per cent of 4,000 simulated tallies (others equal, and of a Zipf law) where 53 were planned, 0.06 in 83 and 83 where 83 were (error 0.8).
#'
#' *Two groups*: with `versus`, the true share in a second group, everything is about the difference of the two shares: the margin of error is
#' that of the difference, and the test is of equal shares, against the difference that `share` and `versus` have. The test is **one-sided**, in the direction
#' of that difference, by the standard error of the difference that [rr_compare()] has; its power is the normal approximation. The p-values of [rr_compare()] are
#' two-sided: to plan for these, give half the level, `alpha = 0.025` for a two-sided test at level 0.05. `versus_mechanism` gives the second
#' group another design, such as the direct question, `rr_binary(1, 0)`: whether a randomized question finds more than a direct one is such a
#' comparison, with the share that you expect to be admitted directly as `versus`. `n` is the number in both groups together.
#'
#' *People approached*: `n` counts those who are asked to take part. With `response` below 1 not all of them answer, and with a `design_effect`
#' above 1 (clusters, unequal weights) the answers of so many are worth fewer: \eqn{n \cdot}{n *} `response / design_effect` answers of a simple random
#' sample, rounded down where they are counted. Both apply to the direct question too. Neither corrects a bias: people who do not answer are assumed to
#' be like those who do.
#'
#' @param mechanism A mechanism, or a list of mechanisms to be compared. The names of the list name the rows; a mechanism without a name is called by its
#'   design.
#' @param margin Wanted half-width of the confidence intervals: numbers above 0 and below 1; for [rr_mean()], below the width of its range.
#' @param share True share of `category`, from 0 to 1, one or several. For a margin of error the least favourable one by default.
#' @param power Wanted power, between 0 and 1; one or several.
#' @param null Share under the null hypothesis, one number from 0 to 1.
#' @param n Number of respondents, whole and at least 1; one or several.
#' @param category The category: its label or position. By default the last one, which is "yes" for yes/no questions.
#' @param conf.level Confidence level, between 0 and 1.
#' @param alpha Significance level of the one-sided test, between 0 and 1. For a two-sided test give half its level: `alpha = 0.025` for 0.05.
#' @param versus True share of `category` in a second group, one number from 0 to 1; `NULL` for one group.
#' @param versus_mechanism The mechanism of the second group; by default that of the first.
#' @param allocation The part of all respondents who are in the first group, between 0 and 1.
#' @param design_effect How many times larger the variance is than in a simple random sample: a number of at least 1.
#' @param response The part of those approached who answer, above 0 and at most 1.
#' @param simultaneous Should the intervals of all categories hold together?
#' @param target What the interval is about, see [rr_estimate()]. `conf.level`, `simultaneous` and `target` belong to `margin` and are refused with
#'   `power`; `null` and `alpha` belong to `power` and are refused with `margin`.
#' @param ... Not used, and refused.
#' @return A data frame of class `rr_plan`, one row per mechanism, margin (or power) and share: `mechanism`, `epsilon`, `share` (missing for means), `versus` if it was given,
#'   `margin` or `null` and `power`, `n`, and `direct`, the number that a direct question answered honestly would need (in both groups). `rr_power()`: a data frame of class
#'   `rr_power`, one row per mechanism, share and number of respondents: `mechanism`, `epsilon`, `share`, `null`, `n`, `level` (the significance level attained; at most
#'   the one asked for), `power`; for two groups `versus` in place of `null`; for these and for normal tests `level` is the one asked for. [plot()][autoplot.rr_plan] draws both.
#' @section Errors:
#' `candor_error_argument` for values out of range, or when both or neither of `margin` and `power` are given, or arguments that
#' belong to the other, or for `alternative`, since tests are one-sided; `candor_error_no_information` for a mechanism whose reports do not depend on the truth, and for filters that do not tell the categories apart;
#' `candor_error_law` for a mechanism without a closed form (channels that cannot be inverted, hierarchies of [rr_bloom()], several questions, sketches; for tests, means), which says what to do instead;
#' `candor_error_mismatch` for a share whose name is another category.
#' @source Warner, S. L. (1965). *Journal of the American Statistical Association* 60(309), 63-69. \doi{10.1080/01621459.1965.10480775}.
#'   Ulrich, R., Schroeter, H., Striegel, H. and Simon, P. (2012). Asking sensitive questions: a statistical power analysis of randomized
#'   response models. *Psychological Methods* 17(4), 623-641. \doi{10.1037/a0029314}
#'
#'   Kish, L. (1965). *Survey Sampling*. Wiley (design effect).
#' @examples
#' # Within 3 points, whatever the truth: a forced-response die against the direct question
#' rr_sample_size(rr_forced(1 / 6), margin = 0.03)
#'
#' # Every one of 20 categories within half a point, at two privacy levels
#' rr_sample_size(list(strict = rr_grr(20, epsilon = 1), mild = rr_grr(20, epsilon = 3)),
#'                margin = 0.005, share = 0.05, simultaneous = TRUE)
#'
#' # To reject with power 0.8 that nobody has done it, if 10 per cent have
#' rr_sample_size(rr_warner(0.8), power = 0.8, share = 0.1)
#' rr_power(rr_warner(0.8), n = 500, share = c(0.05, 0.1, 0.2))
#'
#' # Some bits of a report only, and the mean of numbers within half an hour
#' rr_sample_size(rr_bitflip(20, epsilon = 1, d = 4), margin = 0.02, share = 0.1)
#' rr_sample_size(rr_mean(c(0, 24), epsilon = 1), margin = 0.5)
#'
#' # Two groups of 1,000 together: 30 against 20 per cent
#' rr_power(rr_warner(0.8), n = 1000, share = 0.3, versus = 0.2)
#'
#' # Does a crosswise question find more than a direct one, if a third of the 15 per cent deny?
#' # Of those approached 60 per cent answer, and they come in clusters
#' rr_sample_size(rr_crosswise(0.2), power = 0.8, share = 0.15, versus = 0.1,
#'                versus_mechanism = rr_binary(1, 0), design_effect = 1.5, response = 0.6)
#' @export
rr_sample_size <- function(mechanism, margin = NULL, power = NULL, share = NULL, null = 0, category = NULL,
                           conf.level = 0.95, alpha = 0.05, simultaneous = FALSE, target = c("population", "sample"),
                           versus = NULL, versus_mechanism = NULL, allocation = 0.5, design_effect = 1, response = 1,
                           ...) {
  check_dots_empty(..., .renamed = c(level = "alpha"))
  mechanisms <- check_mechanisms(mechanism)
  target <- check_choice(target, "target", c("population", "sample"))
  if (is.null(margin) == is.null(power)) {
    abort(c("Exactly one of {.arg margin} and {.arg power} must be given.",
            x = if (is.null(margin)) "Neither was given." else "Both were given."),
          "argument")
  }
  null <- check_probability(null, "null")
  conf.level <- check_level(conf.level)
  alpha <- check_alpha(alpha)
  check_flag(simultaneous, "simultaneous")
  second <- check_second(versus, versus_mechanism, allocation, category, null)
  worth <- check_worth(design_effect, response)
  if (!is.null(second) && is.null(share)) {
    abort(c("{.arg share} is needed with {.arg versus}.", i = "It is the true share in the first group."), "argument")
  }
  means <- vapply(mechanisms, inherits, NA, "rr_mean")
  rows <- if (is.null(power) && any(means)) {
    others <- c(share = !is.null(share), null = null != 0, category = !is.null(category), alpha = alpha != 0.05,
                simultaneous = simultaneous, versus = !is.null(second))
    plan_mean(mechanisms, margin, conf.level, target, worth, means, names(others)[others])
  } else if (is.null(power)) {
    check_unused(c(null = null != 0, alpha = alpha != 0.05), "a margin of error", "power")
    if (!is.null(share)) share <- check_shares(check_probabilities(share, "share"), "share", mechanisms, category)
    plan_margin(mechanisms, check_open(margin, "margin"), share, category, conf.level, simultaneous, target, second,
                worth)
  } else {
    check_unused(c(conf.level = conf.level != 0.95, simultaneous = simultaneous, target = target != "population"),
                 "the power of a test", "margin")
    if (is.null(share)) abort(c("{.arg share} is needed with {.arg power}.",
                                i = "It is the true share that the test should detect."), "argument")
    share <- check_shares(check_probabilities(share, "share"), "share", mechanisms, category)
    plan_power(mechanisms, check_open(power, "power"), share, null, category, alpha, second, worth)
  }
  mark(rows, "rr_plan", target = target, conf.level = conf.level, simultaneous = simultaneous, alpha = alpha,
       worth = worth)
}

#' @rdname rr_sample_size
#' @export
rr_power <- function(mechanism, n, share, null = 0, category = NULL, alpha = 0.05, versus = NULL,
                     versus_mechanism = NULL, allocation = 0.5, design_effect = 1, response = 1, ...) {
  check_dots_empty(..., .renamed = c(level = "alpha"))
  mechanisms <- check_mechanisms(mechanism)
  n <- check_grid(n, "n", whole = TRUE)
  share <- check_shares(check_probabilities(share, "share"), "share", mechanisms, category)
  null <- check_probability(null, "null")
  alpha <- check_alpha(alpha)
  second <- check_second(versus, versus_mechanism, allocation, category, null)
  worth <- check_worth(design_effect, response)
  forms <- lapply(mechanisms, category_form, category)
  cells <- expand.grid(n = n, share = share, mechanism = seq_along(mechanisms), KEEP.OUT.ATTRS = FALSE)
  found <- vapply(seq_len(nrow(cells)), function(i) {
    test_power(forms[[cells$mechanism[i]]], cells$n[i], cells$share[i], null, alpha, second, worth)
  }, numeric(2))
  rows <- list(mechanism = names(mechanisms)[cells$mechanism],
               epsilon = unname(vapply(mechanisms, `[[`, 0, "epsilon"))[cells$mechanism], share = cells$share)
  rows <- c(rows, if (is.null(second)) list(null = rep(null, nrow(cells)))
                  else list(versus = rep(second$share, nrow(cells))),
            list(n = cells$n, level = found[1, ], power = found[2, ]))
  mark(tibble::as_tibble(rows), "rr_power", alpha = alpha, second = second, worth = worth)
}

# The second group of a comparison: its share, its mechanism's form (NULL for that of the first group), the part of
# respondents in the first. NULL for one group.
check_second <- function(versus, mechanism, allocation, category, null) {
  if (is.null(versus)) {
    unused <- c(versus_mechanism = !is.null(mechanism), allocation = !identical(allocation, 0.5))
    check_unused(unused, "one group", "versus")
    return(NULL)
  }
  share <- check_probability(versus, "versus")
  if (null != 0) {
    abort(c("{.arg null} is not used for two groups.", x = "The test is of equal shares.",
            i = "Leave it out, or leave out {.arg versus}."), "argument")
  }
  form <- if (!is.null(mechanism)) category_form(check_mechanism(mechanism, "versus_mechanism"), category)
  list(share = share, form = form, first = check_number(allocation, "allocation", 0, 1, TRUE, TRUE))
}

# Shares are a grid of one category. A name that is another category's would be a misunderstanding.
check_shares <- function(share, arg, mechanisms, category) {
  named <- names(share)
  for (mechanism in mechanisms) {
    asked <- mechanism$levels[category_position(mechanism, category)]
    others <- intersect(named, setdiff(mechanism$levels, asked))
    if (length(others)) {
      abort(c("The names of {.arg {arg}} must not be those of other categories.",
              x = "{.val {others[1]}} is one, and the question is about {.val {asked}}.",
              i = "Name the category in {.arg category}."), "mismatch")
    }
  }
  unname(share)
}

# Refuse arguments that this calculation ignores: whoever gave them expects them to matter.
check_unused <- function(given, question, argument) {
  unused <- names(given)[given]
  if (!length(unused)) return(invisible())
  abort(c("{.arg {unused}} {?is/are} not used for {question}.", x = "{.arg {argument}} was not given.",
          i = "Leave {cli::qty(unused)}{?it/them} out, or plan by {.arg {argument}}."), "argument")
}

check_mechanisms <- function(mechanism) {
  if (inherits(mechanism, "rr_mechanism")) mechanism <- list(mechanism)
  if (is_design(mechanism)) {
    abort(c("{.arg mechanism} must be a mechanism.", x = "It is a survey design.",
            i = "How answers are to be randomised is {.arg mechanism}: {.fn rr_forced}, {.fn rr_crosswise}, ...",
            i = "How much the design increases variances is {.arg design_effect}."), "argument")
  }
  if (is.object(mechanism)) check_mechanism(mechanism)
  if (!is.list(mechanism) || !length(mechanism)) check_mechanism(mechanism)
  # c() of mechanisms is one list of all of their fields.
  if (any(names(mechanism) == "levels") && !all(vapply(mechanism, inherits, NA, "rr_mechanism"))) {
    abort(c("Several mechanisms must be a list.", x = "{.fn c} makes one of their parts.",
            i = "Give {.code list(one = , other = )}."), "argument")
  }
  for (m in mechanism) check_mechanism(m)
  names <- names(mechanism) %||% rep("", length(mechanism))
  names[names == ""] <- vapply(mechanism, `[[`, "", "design")[names == ""]
  if (anyDuplicated(names)) {
    abort(c("The mechanisms must have different names.",
            x = "{.val {names[anyDuplicated(names)]}} appears more than once.",
            i = "Name them: {.code list(one = , other = )}."), "argument")
  }
  stats::setNames(mechanism, names)
}

check_open <- function(x, arg) {
  if (is.numeric(x) && !is.object(x) && length(x) && !anyNA(x) && all(x > 0 & x < 1)) return(as.double(x))
  abort(c("{.arg {arg}} must be numbers between 0 and 1.", x = "It is {describe(x)}.", i = percent_remedy(x)),
        "argument")
}

# rr_compare() has two-sided p-values: a reader must know that this test is another.
two_group_test <- function(x) {
  if (is.null(x[["versus"]]) || is.null(x[["power"]])) return(NULL)
  alpha <- attr(x, "alpha")
  paste0("One-sided test of equal shares in two groups",
         if (!is.null(alpha)) paste(" at level", percent_labels(alpha)))
}

test_header <- function(x) {
  if (is.null(x[["versus"]]) && !is.null(x[["power"]]) && !is.null(x[["null"]])) {
    alpha <- attr(x, "alpha")
    return(c(Test = paste0("one-sided, that the share is `null`", if (!is.null(alpha)) {
      sprintf(", at level %s at most%s", percent_labels(alpha),
              if (is.null(x[["level"]])) "" else ": `level` is what counts can attain")
    }), "Two-sided" = "give half the level as alpha"))
  }
  test <- two_group_test(x)
  if (!is.null(test)) c(Test = sub("^One", "one", test), "Two-sided" = "give half the level as alpha")
}

#' @rawNamespace S3method(pillar::tbl_sum,rr_power)
tbl_sum.rr_power <- function(x, ...) c(NextMethod(), test_header(x))

#' @rawNamespace S3method(pillar::tbl_sum,rr_plan)
tbl_sum.rr_plan <- function(x, ...) c(NextMethod(), test_header(x))

#' @export
print.rr_power <- function(x, ...) {
  NextMethod()
  invisible(x)
}

#' @export
print.rr_plan <- function(x, ...) {
  NextMethod()
  invisible(x)
}
