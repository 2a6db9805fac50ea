#' Sample size, power and margin of error
#'
#' Plans the estimate of a prevalence, a mean or a coefficient of [rr_glm()], or a test, for a mechanism. As in [stats::power.prop.test()] give one of `n`, `power` and `margin`. `rr_power()`
#' computes the number of respondents for a margin of error or for a power, or the power for a number. `plot()` draws it.
#'
#' @details
#' A report counts for a category with probability \eqn{m = b + a\theta}{m = b + a theta} if the category has prevalence \eqn{\theta}. The unbiased estimate of the
#' prevalence has variance \eqn{m(1 - m) / (N a^2)} (`target = "population"`). The part
#' \eqn{[b(1 - b) + \theta a (1 - a - 2b)] / (N a^2)}{[b(1 - b) + theta a (1 - a - 2b)] / (N a^2)} is due to the randomization alone (`target = "sample"`).
#'
#' * *Margin of error*: the half-width of the confidence interval of a prevalence, or of the mean of [rr_mean()] and [rr_scramble()] in its own unit. With
#'   `simultaneous = TRUE` the intervals of all categories hold together (Bonferroni). Without `share` the number is enough for any prevalence.
#' * *Power*: a one-sided test of "the prevalence is `null`" against the side on which `share` lies. The test counts reports, whose number is binomial, so that level and
#'   power are exact. The number of respondents is the first from the normal approximation on, in steps of 0.1%, with enough power.
#' * *Two groups*: with `versus`, the prevalence in a second group, everything is about the difference. The test is one-sided with the standard error of
#'   [rr_compare()] and normal power. The p-values of [rr_compare()] are two-sided: plan with `alpha = 0.025` for level 0.05. `versus_mechanism` gives the second group
#'   another design, such as the direct question `rr_binary(1, 0)`. `n` is the number in both groups.
#' * *Means* ([rr_mean()], [rr_scramble()]): `share` and `versus` are true means, and `sd` is the standard deviation of the truths. The score of a report has variance
#'   \eqn{\sigma^2 + v_0 + v_1\mu + v_2(\mu^2 + \sigma^2)}{sigma^2 + v0 + v1 mu + v2 (mu^2 + sigma^2)}; the three \eqn{v} follow from the cards. The test compares the mean
#'   with `null` by the standard error of the estimate, and is normal. Without `sd` the largest standard deviation that the range allows is used.
#' * *Coefficients*: with `model` everything is about one coefficient of [rr_glm()]. Its variance follows from the expected information of the reports,
#'   \eqn{\sum_i x_i x_i' (p - q)^2 f_i^2 / (m_i (1 - m_i))}{sum x x' (p - q)^2 f^2 / (m (1 - m))}, with \eqn{f} the derivative of the truth and \eqn{m} the probability of a
#'   reported yes. The rows of the design matrix stand for the respondents. The test is the one-sided Wald test of `summary()`.
#' * *People approached*: with a `response_rate` below 1 or a `design_effect` above 1, `n` people give as much as \eqn{n \cdot}{n *} `response_rate / design_effect`
#'   answers of a simple random sample, for the direct question too. People who do not answer are assumed to be like the others.
#'
#' @section Special mechanisms:
#' * *Reports that support no single category* ([rr_bitflip()], [rr_hadamard()] in several blocks, [rr_hierarchy()], shared functions of [rr_local_hash()], [rr_square_wave()],
#'   invertible channels): the plan is about `method = "inv"` with its exact variance and a normal test. The other respondents are taken to
#'   hold the least favourable category. [rr_study()] gives the risk at a truth of your own, and of `method = "mle"`.
#' * *RAPPOR* ([rr_bloom()]): the variance of `method = "inv"` with many respondents per cohort, at a truth in which all other categories have equal shares.
#'   Plan with all candidates that you will decode.
#' * *Validation studies* ([rr_misclassification()]): the error of the study is in the variance. If it alone is too large, the number is `Inf`, and a message gives the
#'   smallest possible margin. `share` is required.
#'
#' @section Pictures:
#' The dashed grey line is a direct question that everybody answers honestly. Exact power moves in small teeth, because the number of reports is whole.
#'
#' @order 1
#' @param mechanism A mechanism, or a list of mechanisms to compare. Names of the list name the rows.
#' @param n Number of respondents, whole, at least 1; one or several.
#' @param margin Half-width of the confidence intervals, one or several: above 0 and below 1, for means below the width of the range, for coefficients any number above 0.
#' @param share True prevalence of `category`, 0 to 1, or true mean; one or several. For a margin of error the least favourable by default.
#' @param power Power, between 0 and 1; one or several.
#' @param null Number, default 0. Prevalence, mean or coefficient under the null hypothesis. Only for tests.
#' @param category Label or position of the category; by default the last, which is "yes" for yes/no questions.
#' @param conf.level Number, default 0.95. Confidence level. Only for `margin`.
#' @param alpha Number, default 0.05. Significance level of the one-sided test. Only for tests.
#' @param versus Number. True prevalence or mean in a second group; `NULL` (default) for one group.
#' @param versus_mechanism Mechanism of the second group; by default the same.
#' @param allocation Number, default 0.5. Share of the respondents who are in the first group.
#' @param design_effect Number, at least 1 (default). Variance relative to a simple random sample.
#' @param response_rate Number, above 0 and at most 1 (default). Share of the people approached who answer.
#' @param simultaneous Logical, default `FALSE`. Should the intervals of all categories hold together? Only for `margin`.
#' @param target `"population"` (default) or `"sample"`, see [rr_estimate()]. Only for `margin`.
#' @param sd Number, at least 0. Standard deviation of the truths of a mean, with `share`; by default the largest that the range allows.
#' @param model,data A formula of the covariates, with the data frame that has them, or a design matrix. Its rows stand for the respondents, so that their number does not matter.
#'   By default there is no model.
#' @param coefficients The true coefficients: a finite number for each column of the design matrix, in its order or with its names.
#' @param term Name or position of the coefficient; by default the last.
#' @param link Link of the truth, as in [rr_glm()]; default `"logit"`.
#' @param ... Must be empty.
#' @return A data frame of class `rr_power`, one row per mechanism, prevalence and given value; `plot()` and `autoplot()` return a ggplot.
#'
#' | column | what |
#' |---|---|
#' | `mechanism`, `epsilon` | the design |
#' | `share`, or `mean`, or `term` and `coefficient` | the truth (`NA` for means without `share`) |
#' | `versus` or `null` | the second group, or the null hypothesis |
#' | `n`, `power`, `margin` | what was given, and what follows |
#' | `level` | significance level attained (normal tests: as asked) |
#' | `direct` | power or number for a direct question answered honestly |
#' @section Errors:
#' * `candor_error_argument`: values out of range, not exactly one of `n`, `power` and `margin`, or an argument of the other kind of plan.
#' * `candor_error_no_information`: reports that do not depend on the truth, or filters that do not separate the categories.
#' * `candor_error_law`: no closed form (channels that cannot be inverted, hierarchies of [rr_bloom()], several questions, sketches, means beside shares), or a
#'   coefficient with a channel that a validation study estimated.
#' * `candor_error_mismatch`: a `share` named like another category.
#' @references Ulrich, R., Schroeter, H., Striegel, H. and Simon, P. (2012). Asking sensitive questions: a statistical power analysis of randomized
#'   response models. *Psychological Methods* 17(4), 623-641. \doi{10.1037/a0029314}
#'
#'   Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias. *Journal of the American Statistical Association* 60(309), 63-69.
#'   \doi{10.1080/01621459.1965.10480775}
#'
#'   Kish, L. (1965). *Survey Sampling*. Wiley (design effect).
#'
#'   Demidenko, E. (2007). Sample size determination for logistic regression revisited. *Statistics in Medicine* 26(18), 3385-3397. \doi{10.1002/sim.2771} (Wald tests of
#'   coefficients)
#' @seealso [rr_recommend()] for the mechanism, [rr_device()] for dice and coins; `vignette("planning", package = "candor")`.
#' @concept design effect
#' @concept prevalence
#' @concept sample size
#' @concept power analysis
#' @concept margin of error
#' @concept planning a survey
#' @examples
#' # How many respondents for a margin of 3 points with a forced-response die, at any prevalence?
#' rr_power(rr_forced(1 / 6), margin = 0.03)   # 2,401, against 1,068 for a direct question
#'
#' # Every one of 20 categories within half a point, at two privacy budgets
#' rr_power(list(strict = rr_grr(20, epsilon = 1), mild = rr_grr(20, epsilon = 3)),
#'          margin = 0.005, share = 0.05, simultaneous = TRUE)
#'
#' # To reject with power 0.8 that nobody has done it, if 10% have; and the power of 500 respondents
#' rr_power(rr_warner(0.8), power = 0.8, share = 0.1)   # 304
#' plan <- rr_power(rr_warner(0.8), n = c(250, 500, 1000), share = c(0.05, 0.1, 0.2))
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(plan)
#'
#' # The mean of numbers within half an hour
#' rr_power(rr_mean(c(0, 24), epsilon = 1), margin = 0.5)   # 11,703
#'
#' # Scrambled incomes (in hundreds): is the mean above 14, if it is 16?
#' cards <- rr_scramble(c(0, 60), multiply = c(0.5, 1, 1.5), add = c(0, 5, 10))
#' rr_power(cards, n = c(400, 800), share = 16, sd = 8, null = 14)   # power 0.97 and 1
#'
#' # An odds ratio of 1.5 per ten years of age, with a third of the respondents younger than 30
#' people <- data.frame(age = c(20, 25, 35, 45, 55, 65) / 10)
#' rr_power(rr_forced(1 / 6), power = 0.8, model = ~age, data = people,
#'          coefficients = c(-2.5, log(1.5)))   # 215
#'
#' # Does a crosswise question find more than a direct one, if a third of the 15% deny? 60% of those
#' # approached answer, and they come in clusters
#' rr_power(rr_crosswise(0.2), power = 0.8, share = 0.15, versus = 0.1,
#'          versus_mechanism = rr_binary(1, 0), design_effect = 1.5, response_rate = 0.6)   # 8,188
#' @export
rr_power <- function(
  mechanism,
  n = NULL,
  share = NULL,
  power = NULL,
  margin = NULL,
  null = 0,
  category = NULL,
  alpha = 0.05,
  conf.level = 0.95,
  simultaneous = FALSE,
  target = c("population", "sample"),
  versus = NULL,
  versus_mechanism = NULL,
  allocation = 0.5,
  design_effect = 1,
  response_rate = 1,
  sd = NULL,
  model = NULL,
  data = NULL,
  coefficients = NULL,
  term = NULL,
  link = "logit",
  ...
) {
  check_dots_empty(...)
  mechanisms <- check_mechanisms(mechanism)
  given <- asked_of(n = n, power = power, margin = margin)
  kind <- names(given)
  what <- if (!is.null(model)) {
    "coefficient"
  } else if (all(vapply(mechanisms, is_mean, NA))) {
    "mean"
  } else {
    "share"
  }
  check_unused(names(match.call()), kind, what, share, versus)
  design <- if (what == "coefficient") plan_design(model, data, coefficients, term, link)
  needed <- kind != "margin" || !is.null(versus)
  share <- design$coefficient %||% check_truth_of(what, share, mechanisms, category, needed)
  number <- if (what == "share") check_probability else check_number
  form_of <- function(mechanism) plan_form(mechanism, what, category, sd, design)
  plan <- list(
    kind = kind, what = what, term = design$term, asked = check_asked(given[[1]], kind, what, mechanisms),
    share = share, null = number(null, "null"), alpha = check_alpha(alpha), conf.level = check_level(conf.level),
    simultaneous = check_flag(simultaneous, "simultaneous"),
    target = check_choice(target),
    second = if (!is.null(versus)) second_group(number(versus, "versus"), versus_mechanism, allocation, form_of),
    # What one person approached is worth, in answers of a simple random sample.
    worth = answers_worth(response_rate, design_effect)
  )
  epsilons <- vapply(mechanisms, `[[`, 0, "epsilon")
  table <- do.call(
    rbind,
    unname(
      Map(
        plan_rows, names(mechanisms), epsilons, lapply(mechanisms, form_of), MoreArgs = list(plan)
      )
    )
  )
  mark(
    table, "rr_power", alpha = plan$alpha,
    assumptions = plan_words(plan, sd, design_effect, response_rate)
  )
}

asked_of <- function(...) {
  given <- Filter(Negate(is.null), list(...))
  if (length(given) == 1) return(given)
  abort("Exactly one of {.arg n}, {.arg power} and {.arg margin} must be given.")
}

is_mean <- function(mechanism) isTRUE(mechanism$codec$real)

check_asked <- function(x, kind, what, mechanisms) {
  if (kind == "n") return(check_grid(x, "n", is_whole = TRUE))
  if (kind == "power") return(check_open(x, "power"))
  widest <- switch(
    what,
    share = 1,
    coefficient = Inf,
    min(vapply(mechanisms, function(m) diff(m$range), 0))
  )
  check_open(x, "margin", widest)
}

# The form is NULL where it is that of the first group; `first` is the part who are in the first.
second_group <- function(share, mechanism, allocation, form_of) {
  list(share = share, first = check_number(allocation, "allocation", 0, 1, TRUE, TRUE),
       form = if (!is.null(mechanism)) form_of(check_mechanism(mechanism, "versus_mechanism")))
}

check_truth_of <- function(what, share, mechanisms, category, needed) {
  if (is.null(share)) {
    if (needed) abort("{.arg share} must be given, except for the {.arg margin} of one group.")
    return(NULL)
  }
  if (what == "mean") return(vapply(share, check_number, 0, "share"))
  check_shares(check_probabilities(share, "share"), mechanisms, category)
}

answers_worth <- function(response_rate, design_effect) {
  remedy <- percent_remedy(response_rate)
  check_number(response_rate, "response_rate", 0, 1, min_open = TRUE, remedy = remedy) /
    check_number(design_effect, "design_effect", min = 1)
}

# Refuse arguments that this calculation ignores: whoever gave them expects them to matter.
check_unused <- function(given, kind, what, share, versus) {
  idle <- c(
    if (kind == "margin") c("null", "alpha") else c("conf.level", "simultaneous", "target"),
    if (what != "share") c("category", "simultaneous"),
    if (what != "mean" || is.null(share)) "sd",
    if (what == "coefficient") {
      c("share", "versus", "target")
    } else {
      c("data", "coefficients", "term", "link")
    },
    if (is.null(versus)) c("versus_mechanism", "allocation") else "null"
  )
  unused <- intersect(idle, given)
  if (length(unused)) abort("{.arg {unused}} {?does/do} not belong to this question.")
}

# Shares are a grid of one category. A name that is another category's would be a misunderstanding.
check_shares <- function(share, mechanisms, category) {
  for (mechanism in mechanisms) {
    asked <- mechanism$levels[category_position(mechanism, category)]
    others <- intersect(names(share), setdiff(mechanism$levels, asked))
    if (length(others)) {
      abort("{.arg share} must be about {.val {asked}}, not {.val {others[1]}}.", "mismatch")
    }
  }
  unname(share)
}

check_mechanisms <- function(mechanism) {
  if (is.object(mechanism) || !length(mechanism)) mechanism <- list(mechanism)
  for (m in mechanism) check_mechanism(m)
  names <- names(mechanism) %||% rep("", length(mechanism))
  names[names == ""] <- vapply(mechanism, `[[`, "", "design")[names == ""]
  setNames(mechanism, make.unique(names, sep = " "))
}

check_open <- function(x, arg, below = 1) {
  check_that(
    is_numbers(x) && length(x) && !anyNA(x) &&
      all(x > 0 & x < below),
    x, arg, paste("numbers between 0 and", below)
  )
  as.double(x)
}

# ---- the table ----

# One mechanism, and beside it a direct question that is answered honestly. Without a share the
# margin is wanted for the least favourable share.
plan_rows <- function(name, epsilon, form, plan) {
  grid <- expand.grid(
    asked = plan$asked, share = plan$share %||% worst_share(form, plan$target),
    KEEP.OUT.ATTRS = FALSE
  )
  direct <- form$direct %||% binomial_form(1, 0)
  second <- plan$second
  if (!is.null(second)) second$form <- direct
  found <- mapply(
    plan_figure, grid$asked, grid$share,
    MoreArgs = list(form, plan$second, plan, plan$target, form$k)
  )
  honest <- mapply(
    plan_figure, grid$asked,
    if (is.null(plan$share)) worst_share(direct, "population") else grid$share,
    MoreArgs = list(direct, second, plan, "population", form$k)
  )
  figures <- if (plan$kind == "n") {
    list(
      n = grid$asked,
      level = found[1, ],
      power = found[2, ],
      direct = honest[2, ]
    )
  } else {
    c(
      setNames(list(grid$asked), plan$kind), list(n = found, direct = honest)
    )
  }
  truth <- setNames(list(grid$share), plan$what)
  tibble(
    mechanism = name,
    epsilon = epsilon,
    term = plan$term,
    !!!truth,
    versus = second$share,
    null = if (plan$kind != "margin" && is.null(second)) plan$null,
    !!!figures
  )
}

# What is wanted of one design: level and power, or the people to be approached.
plan_figure <- function(asked, share, form, second, plan, target, k) {
  # Whole answers that so many people give, and people for so many answers; the sum of roundings is
  # no answer.
  if (plan$kind == "n") {
    n <- if (plan$worth == 1) asked else floor(asked * plan$worth + 1e-9)
    return(test_power(form, n, share, plan$null, plan$alpha, second))
  }
  answers <- if (plan$kind == "power") {
    enough_power(form, share, plan$null, plan$alpha, asked, second)
  } else {
    z <- qnorm(
      1 - (1 - plan$conf.level) / 2 / if (plan$simultaneous) k else 1
    )
    floor <- study_variance(form, share, second)
    if (z^2 * floor >= asked^2) {
      cli::cli_inform(
        c(
          "No number of respondents gives a margin of {format(asked, digits = 3)}.",
          x = "The validation study alone makes it {format(z * sqrt(floor), digits = 3)}."
        ),
        class = "candor_message_floor"
      )
    }
    ceiling(
      z^2 * unit_variance(form, share, target, second) /
        max(asked^2 - z^2 * floor, 0)
    )
  }
  if (plan$worth == 1) answers else ceiling(answers / plan$worth - 1e-9)
}

# Significance level and power of the test for `n` answers: exact in one group where the count of
# reports is binomial, else normal.
test_power <- function(form, n, share, null, alpha, second) {
  if (n < 1 && is.null(second)) return(c(0, 0))
  if (is.null(second) && !is.null(form$a)) {
    # The count of reports rejects in the direction of the alternative. The lower tail of `most`
    # includes it.
    m <- form$b + form$a * c(null, share)
    larger <- m[2] >= m[1]
    most <- qbinom(alpha, n, m[1], lower.tail = !larger)
    if (!larger && pbinom(most, n, m[1]) > alpha) most <- most - 1
    return(pbinom(most, n, m, lower.tail = !larger))
  }
  error <- function(at) {
    sqrt(unit_variance(form, at, "population", second) / n + study_variance(form, at, second))
  }
  z <- qnorm(alpha, lower.tail = FALSE)
  other <- if (is.null(second)) null else second$share
  c(
    alpha,
    pnorm(
      (abs(share - other) -
        z * error(tested_at(form, null, share, second))) / error(share)
    )
  )
}

# Where the standard error of the test is taken: at the estimate for means, coefficients and
# differences.
tested_at <- function(form, null, share, second = NULL) {
  if (isTRUE(form$wald) || !is.null(second)) share else null
}

# Infinitely many if there is nothing to detect.
enough_power <- function(form, share, null, alpha, power, second) {
  if (share == (if (is.null(second)) null else second$share)) return(Inf)
  if (!is.null(second)) {
    z <- qnorm(alpha, lower.tail = FALSE) + qnorm(power)
    left <- (share - second$share)^2 -
      max(z, 0)^2 * study_variance(form, share, second)
    return(max(
      2,
      ceiling(
        max(z, 0)^2 * unit_variance(form, share, "population", second) /
          max(left, 0)
      )
    ))
  }
  if (!is.null(form$study) &&
      test_power(form, Inf, share, null, alpha, NULL)[2] < power) {
    return(Inf)
  }
  sd <- function(s) sqrt(unit_variance(form, s, "population"))
  n <- max(
    1,
    ceiling(
      ((qnorm(1 - alpha) * sd(tested_at(form, null, share)) +
        qnorm(power) * sd(share)) / (share - null))^2
    )
  )
  while (n < 1e15 &&
      test_power(form, n, share, null, alpha, NULL)[2] < power) {
    n <- n + max(1, floor(n / 1000))
  }
  n
}

# What made the numbers and stands in no column. rr_compare() has two-sided p-values: a reader must
# know that this test is one-sided.
plan_words <- function(plan, sd, design_effect, response_rate) {
  second <- plan$second
  paste(
    c(
      if (plan$kind != "margin") {
        paste("one-sided test at level", percent_labels(plan$alpha))
      } else {
        paste0(
          "two-sided ", interval_words(plan$conf.level, simultaneous = plan$simultaneous),
          ", target ", plan$target, if (is.null(plan$share)) ", least favourable share"
        )
      },
      if (!is.null(second)) paste(percent_labels(second$first), "in the first group"),
      if (!is.null(sd)) paste("standard deviation", format(sd, digits = 4)),
      paste("design effect", format(design_effect, digits = 4)),
      paste("response rate", percent_labels(response_rate))
    ),
    collapse = "; "
  )
}

#' @rawNamespace S3method(pillar::tbl_sum,rr_power)
tbl_sum.rr_power <- function(x, ...) {
  names <- unique(x$mechanism)
  # A column cuts long names, which stand whole above it.
  c(NextMethod(), Assumes = attr(x, "assumptions"),
    Mechanisms = if (any(nchar(names) > 20)) paste(names, collapse = "; "))
}

# ---- what a plan needs of a mechanism ----

plan_form <- function(mechanism, what, category, sd, design) {
  switch(what, share = category_form(mechanism, category), mean = mean_form(mechanism, sd),
         coefficient = coefficient_form(mechanism, design))
}

# N times the variance of an estimate, or of its difference from a second group; N is the number in
# both.
unit_variance <- function(form, share, target, second = NULL) {
  own <- form$variance(share, target)
  if (is.null(second)) return(own)
  own / second$first +
    (second$form %||% form)$variance(second$share, target) / (1 - second$first)
}

# What a plan needs of one category, here of one with a binomial number of reports. `variance(share,
# target)`: N times the variance of the unbiased estimate. `turn`: the share at which it is largest,
# where it is a parabola, or `worst`, the share to plan with.
binomial_form <- function(a, b) {
  list(
    a = a,
    b = b,
    turn = (0.5 - b) / a,
    variance = function(share, target) {
      if (target == "sample") {
        return(
          (b * (1 - b) + share * a * (1 - a - 2 * b)) /
            a^2
        )
      }
      m <- b + a * share
      m * (1 - m) / a^2
    }
  )
}

# Of one category whose reports are not binomial: the mean squares of the terms of its unbiased
# estimate, of those who hold it and of the others, all of whom hold what makes it largest. Of
# RAPPOR, whose estimate is no mean over reports, the variance itself.
category_form <- function(mechanism, category) {
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  if (!is.null(law$planned)) {
    return(list(
      variance = function(share, target) law$planned[[target]] * share * (1 - share),
      k = k
    ))
  }
  form <- if (law_gives(law, "exact")) law$binomial
  if (law_tells_nothing(law)) abort_no_information(mechanism)
  filters <- law_gives(law, "bits")
  # The mechanisms of many things at once have no categories.
  if (is.null(form) && !filters &&
      is.null(law_second_moments(law, k, as.double(seq_len(k) == 1)))) {
    abort(
      c(
        "{.arg mechanism} has no closed form for planning, see {.fn rr_study}.",
        x = "It is: {format(mechanism)}."
      ),
      c("argument", "law")
    )
  }
  at <- category_position(mechanism, category)
  if (!is.null(form)) {
    return(c(
      binomial_form(
        rep_len(form$a, k)[at], rep_len(form$b, k)[at]
      ),
      k = k
    ))
  }
  if (filters) return(list(variance = bloom_form(law, at), k = k))
  moments <- law_second_moments(law, k, as.double(seq_len(k) == at))
  study <- if (!is.null(law$validation)) study_noise(law, at)
  own <- moments[at]
  others <- max(moments[-at])
  list(
    k = k,
    study = study,
    turn = (own - others) / 2,
    variance = function(share, target) {
      share * own + (1 - share) * others - if (target == "sample") share else share^2
    }
  )
}

# The variance of the terms that a validation study estimated, of those who hold the category and of
# the others.
study_noise <- function(law, at) {
  terms <- require_inverse(law)[[1]]$matrix[, at]
  noise <- drop(
    law_matrix(law) %*% terms^2 - (law_matrix(law) %*% terms)^2
  ) / rowSums(law$validation)
  c(noise[at], max(noise[-at]))
}

# What a validation study adds to the variance, whatever the number of respondents. Two groups share
# a study.
study_variance <- function(form, share, second = NULL) {
  alone <- function(form, share) {
    if (is.null(form$study)) {
      0
    } else {
      share^2 * form$study[1] +
        (1 - share)^2 * form$study[2]
    }
  }
  if (is.null(second)) return(alone(form, share))
  other <- second$form %||% form
  if (identical(form$study, other$study)) {
    return((share - second$share)^2 * sum(form$study))
  }
  alone(form, share) + alone(other, second$share)
}

# N times the variance of least squares at a share, and for fixed truths, the others being held
# equally often. At the expected counts of one respondent the fit is the truth, and the weights are
# those that it has. Each share is a linear system in all categories, and asked for again and again.
bloom_form <- function(law, at) {
  k <- law$truths
  known <- new.env(parent = emptyenv())
  one <- function(share) {
    key <- sprintf("%a", share)
    if (is.null(known[[key]])) {
      truth <- replace(
        rep((1 - share) / (k - 1), k), at, share
      )
      evidence <- new_evidence(law, law_reported(law, truth), 1, 1, k)
      known[[key]] <- bloom_covariance(law, evidence, "population", variances = TRUE)[at]
    }
    known[[key]]
  }
  function(share, target) {
    variance <- vapply(share, one, 0)
    if (target == "population") variance else variance - share * (1 - share)
  }
}

category_position <- function(mechanism, category) {
  k <- length(mechanism$levels)
  at <- if (is.null(category)) {
    k
  } else if (is.character(category)) {
    match(category, mechanism$levels)
  } else {
    category
  }
  check_that(
    is.numeric(at) && isTRUE(at >= 1 & at <= k & at == floor(at)),
    category, "category", "one category of the mechanism", "level"
  )
  at
}

# For the mean of numbers in their unit: at a mean and the standard deviation of the truths, by
# default the largest that the mean allows; without a mean, of answers that make its variance
# largest.
mean_form <- function(mechanism, sd) {
  half <- diff(mechanism$range) / 2
  if (!is.null(sd)) sd <- check_number(sd, "sd", min = 0)
  form <- function(parts, worst) {
    list(
      variance = function(share, target) {
        m <- (share - mean(mechanism$range)) / half
        if (anyNA(m)) return(half^2 * worst(target))
        spread <- if (is.null(sd)) {
          1 - m^2
        } else {
          rep((sd / half)^2, length(m))
        }
        if (any(spread < 0 | spread > (1 - m^2) * (1 + 1e-9))) {
          abort(
            "No numbers in the range of the mechanism have this mean ({.arg share}) and {.arg sd}."
          )
        }
        randomized <- parts$constant + parts$linear * m + parts$slope * (m^2 + spread)
        half^2 * (randomized + if (target == "population") spread else 0)
      },
      wald = TRUE,
      worst = NA_real_
    )
  }
  direct <- form(list(constant = 0, linear = 0, slope = 0), function(target) {
    1
  })
  c(
    form(mean_variance(mechanism), function(target) largest_mean_variance(mechanism, target)),
    list(direct = direct)
  )
}

# The rows of a model of the truth, one respondent each.
plan_design <- function(model, data, coefficients, term, link) {
  offset <- NULL
  if (!is.matrix(model)) {
    frame <- model.frame(delete.response(terms(model, data = data)), data)
    offset <- model.offset(frame)
    model <- model.matrix(attr(frame, "terms"), frame)
  }
  if (!is.null(names(coefficients))) coefficients <- coefficients[colnames(model)]
  check_that(
    is.numeric(coefficients) && length(coefficients) == ncol(model) && all(is.finite(coefficients)),
    coefficients, "coefficients", "a number for each column of the design matrix"
  )
  at <- match_coefficients(term %||% ncol(model), colnames(model), "term")
  list(x = model, eta = predictor_of(model, coefficients, offset), at = at,
       link = check_choice(link, "link", regress_links), term = colnames(model)[at] %||% at,
       coefficient = coefficients[[at]])
}

# N times the variance of a coefficient: from the information that the reports of these rows are
# expected to have.
coefficient_form <- function(mechanism, design) {
  refuse_validated(mechanism, "The plan of a coefficient")
  refuse_dealt(mechanism, "The plan of a coefficient")
  form <- function(mechanism) {
    device <- as.matrix(regress_device(mechanism))
    weight <- regress_rows(design$eta, NULL, NULL, device, design$link)$expected
    variance <- solve(crossprod(design$x, weight * design$x) / nrow(design$x))[
      design$at, design$at
    ]
    list(variance = function(share, target) rep(variance, length(share)), wald = TRUE)
  }
  c(form(mechanism), list(direct = form(rr_binary(1, 0))))
}

# The share of largest variance.
worst_share <- function(form, target) {
  if (!is.null(form$worst)) return(form$worst)
  if (!is.null(form$study)) {
    abort("{.arg share} must be given for a channel that a validation study estimated.")
  }
  turn <- form$turn %||% optimize(
    form$variance, c(0, 1), target, maximum = TRUE, tol = 1e-3
  )$maximum
  tried <- c(0, 1, min(1, max(0, turn)))
  tried[which.max(form$variance(tried, target))]
}
