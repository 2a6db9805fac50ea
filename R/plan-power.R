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
#' @section Labels:
#' With `labels` the plan is about a validation study of the channel, such as a test, a coder or a classifier: how many people to label, and of which truth. `mechanism` has the expected
#' error rates, or the table of a pilot study. Give two of `n`, `labels` and `margin`; `labels = NA` is a number that is wanted. The rows of the result are the truths. With the terms
#' \eqn{a} of the unbiased estimate and \eqn{\sigma_x^2 = a'(\mathrm{diag}(C_x) - C_x C_x')a}{sigma_x^2 = a'(diag(C_x) - C_x C_x') a}, \eqn{m} labels in proportion to
#' \eqn{\theta_x\sigma_x}{theta_x sigma_x} add the variance \eqn{(\sum_x\theta_x\sigma_x)^2 / m}{(sum theta_x sigma_x)^2 / m}, which no other split makes smaller (Neyman 1934).
#'
#' * `share` is the true share of each category; for yes/no questions the share of `category` is enough. If it is not known, plan with the share that needs most labels.
#' * `versus` plans the difference of two groups with one study, whose error nearly cancels.
#' * `costs`: the cost of a label and the cost of a report. With a margin alone the plan has the cheapest `n` and number of labels.
#' * `validation = "internal"`: the people are drawn from the respondents by their reports, which are the rows then.
#' * Several tests of the same people are one report, of all their results: its channel has a column for each combination.
#'
#' @section Unions of sets:
#' With `sets` the plan is about [rr_set_size()]: each of so many sets reports every element of a universe of `n` elements through the mechanism, a yes/no question that is wrong
#' with one probability \eqn{q}. Nothing else is needed beforehand. With \eqn{v = q(1 - q)/(1 - 2q)^2}{v = q (1 - q)/(1 - 2 q)^2} and \eqn{k} sets the squared standard error of
#' the union is at most
#' \deqn{n \left[(1 - \theta)\left((1 + v)^k - 1\right) + \theta\, v (1 + v)^{k - 1}\right]}{n [(1 - theta) ((1 + v)^k - 1) + theta v (1 + v)^(k - 1)]}
#' if the share \eqn{\theta} of the elements is in the union (Hehir, Theorem 3). It is attained if each of them is in one set. By default `share` is 0, for which it is largest. For sets
#' that are known, or sketches, see `plan` in [rr_set_size()].
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
#' @param target `"population"` (default) or `"sample"`, see [rr_estimate()]. For `margin`, `std.error` and `negative`.
#' @param sd Number, at least 0. Standard deviation of the truths of a mean, with `share`; by default the largest that the range allows.
#' @param model,data A formula of the covariates, with the data frame that has them, or a design matrix. Its rows stand for the respondents, so that their number does not matter.
#'   By default there is no model.
#' @param coefficients The true coefficients: a finite number for each column of the design matrix, in its order or with its names.
#' @param term Name or position of the coefficient; by default the last.
#' @param link Link of the truth, as in [rr_glm()]; default `"logit"`.
#' @param sets Number of sets whose union is estimated, whole, one or several, see *Unions of sets*. `n` is then the number of elements, and `share` that in the union; only
#'   `mechanism` and `conf.level` go with them.
#' @param labels Number of people whose truth is found out, whole, one or several, or `NA` if it is wanted, see *Labels*. Then only `mechanism`, `n`, `share`, `margin`,
#'   `category` (one, or several for the sum of their variances), `conf.level`, `versus`, `allocation`, `costs` and `validation` go with it. `n` may be `Inf`.
#' @param costs Numbers above 0, `c(label = , report = )`.
#' @param validation Of planned labels: `"external"` (default) or `"internal"`, as in [rr_misclassification()].
#' @param ... Must be empty.
#' @return A data frame of class `rr_power`, one row per mechanism, prevalence and given value; `plot()` and `autoplot()` return a ggplot.
#'
#' * `mechanism`, `epsilon`: the design.
#' * `share`, or `mean`, or `term` and `coefficient`: the truth (`NA` for means without `share`).
#' * `versus` or `null`: the second group, or the null hypothesis.
#' * `n`, `power`, `margin`: what was given, and what follows.
#' * `level`: significance level attained (normal tests: as asked).
#' * `direct`: power or number for a direct question answered honestly.
#' * `std.error`: standard error of the unbiased estimate, or of the difference.
#' * `negative`: probability that the unbiased estimate of the share is below 0; one group, reports that support categories.
#' * `labels`, `floor`: for labels: their number, and the margin that they leave however large `n` is.
#' * `truth` or `report`, `split`, `people`: for labels: who is labelled, the best split, and the split rounded up, at least 20 of each truth.
#' * `sets`, `margin`: for unions: number of sets, and half-width of the interval, which like `std.error` is a number of elements.
#' @section Errors:
#' * `candor_error_argument`: values out of range, not exactly one of `n`, `power` and `margin`, or an argument of the other kind of plan.
#' * `candor_error_no_information`: reports that do not depend on the truth, or filters that do not separate the categories.
#' * `candor_error_law`: no closed form (channels that cannot be inverted, hierarchies of [rr_bloom()], several questions, sketches, means beside shares), or a
#'   coefficient with a channel that a validation study estimated.
#' * `candor_error_mismatch`: a `share` named like another category.
#' @references Hehir, J. (2023). Easier estimation of extremes under randomized response, Theorem 3. arXiv:2306.09394
#'
#'   Ulrich, R., Schroeter, H., Striegel, H. and Simon, P. (2012). Asking sensitive questions: a statistical power analysis of randomized
#'   response models. *Psychological Methods* 17(4), 623-641. \doi{10.1037/a0029314}
#'
#'   Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias. *Journal of the American Statistical Association* 60(309), 63-69.
#'   \doi{10.1080/01621459.1965.10480775}
#'
#'   Kish, L. (1965). *Survey Sampling*. Wiley (design effect).
#'
#'   Demidenko, E. (2007). Sample size determination for logistic regression revisited. *Statistics in Medicine* 26(18), 3385-3397. \doi{10.1002/sim.2771} (Wald tests of
#'   coefficients)
#'
#'   Neyman, J. (1934). On the two different aspects of the representative method. *Journal of the Royal Statistical Society* 97(4), 558-625. \doi{10.2307/2342192}
#' @seealso [rr_recommend()] for the mechanism, [rr_device()] for dice and coins; `articles/planning.html` of the site.
#' @concept design effect
#' @concept prevalence
#' @concept sample size
#' @concept power analysis
#' @concept margin of error
#' @concept planning a survey
#' @concept validation study design
#' @concept double sampling
#' @concept Neyman allocation
#' @examples
#' # How many respondents for a margin of 3 points with a forced-response die,
#' # at any prevalence?
#' rr_power(rr_forced(1 / 6), margin = 0.03)
#' # 2,401, against 1,068 for a direct question
#'
#' # Every one of 20 categories within half a point, at two privacy budgets
#' budgets <- list(strict = rr_grr(20, epsilon = 1),
#'                 mild = rr_grr(20, epsilon = 3))
#' rr_power(budgets, margin = 0.005, share = 0.05, simultaneous = TRUE)
#'
#' # To reject with power 0.8 that nobody has done it, if 10% have; and the
#' # power of 500 respondents
#' rr_power(rr_warner(0.8), power = 0.8, share = 0.1)   # 304
#' plan <- rr_power(rr_warner(0.8), n = c(250, 500, 1000),
#'                  share = c(0.05, 0.1, 0.2))
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(plan)
#'
#' # The mean of numbers within half an hour
#' rr_power(rr_mean(c(0, 24), epsilon = 1), margin = 0.5)   # 11,703
#'
#' # Scrambled incomes (in hundreds): is the mean above 14, if it is 16?
#' cards <- rr_scramble(c(0, 60), multiply = c(0.5, 1, 1.5),
#'                      add = c(0, 5, 10))
#' rr_power(cards, n = c(400, 800), share = 16, sd = 8, null = 14)
#' # power 0.97 and 1
#'
#' # An odds ratio of 1.5 per ten years of age, with a third of the
#' # respondents younger than 30
#' people <- data.frame(age = c(20, 25, 35, 45, 55, 65) / 10)
#' rr_power(rr_forced(1 / 6), power = 0.8, model = ~age, data = people,
#'          coefficients = c(-2.5, log(1.5)))   # 215
#'
#' # A test is taken by 1,000 people of whom 12% are expected to be ill: whom
#' # to label for 5 points?
#' test <- rr_misclassification(sensitivity = 0.8, specificity = 0.95)
#' rr_power(test, n = 1000, share = 0.12, margin = 0.05, labels = NA)
#' # 188 people without and 47 with the condition
#'
#' # The union of up to 16 lists of the same 20,000 cards
#' rr_power(rr_warner(epsilon = 3), n = 20000, sets = c(4, 8, 16))
#' # within 136, 203 and 323
#'
#' # Does a crosswise question find more than a direct one, if a third of the
#' # 15% deny? 60% of those approached answer, and they come in clusters
#' rr_power(rr_crosswise(0.2), power = 0.8, share = 0.15, versus = 0.1,
#'          versus_mechanism = rr_binary(1, 0), design_effect = 1.5,
#'          response_rate = 0.6)   # 8,188
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
  sets = NULL,
  labels = NULL,
  costs = NULL,
  validation = c("external", "internal"),
  ...
) {
  check_dots_empty(...)
  mechanisms <- check_mechanisms(mechanism)
  args <- names(match.call())[-1]
  if (!is.null(sets)) {
    return(union_plan(mechanisms, n, sets, share, conf.level, args))
  }
  if (!is.null(labels)) {
    return(do.call("label_plan", c(list(mechanisms, args), mget(label_arguments))))
  }
  goal <- goal_of(n = n, power = power, margin = margin)
  kind <- names(goal)
  estimand <- plan_estimand(mechanisms, model)
  check_unused(args, kind, estimand, share, versus)
  design <- if (estimand == "coefficient") plan_design(model, data, coefficients, term, link)
  needs_share <- kind != "margin" || !is.null(versus)
  share <- design$coefficient %||%
    check_truth_of(estimand, share, mechanisms, category, needs_share)
  check_truth <- if (estimand == "share") check_probability else check_number
  model_of <- function(mechanism) variance_model(mechanism, estimand, category, sd, design)
  goal <- check_goal(goal[[1]], kind, estimand, mechanisms)
  conf.level <- check_conf_level(conf.level)
  target <- check_choice(target)
  second <- if (!is.null(versus)) {
    second_group(check_truth(versus, "versus"), versus_mechanism, allocation, model_of)
  }
  # `worth` is that of one person approached, in answers of a simple random sample.
  worth <- answers_worth(response_rate, design_effect)
  plan <- list(
    kind = kind,
    estimand = estimand,
    term = design$term,
    goal = goal,
    share = share,
    null = check_truth(null, "null"),
    alpha = check_alpha(alpha),
    conf.level = conf.level,
    simultaneous = check_flag(simultaneous, "simultaneous"),
    target = target,
    second = second,
    worth = worth
  )
  with_class(
    plan_table(mechanisms, lapply(mechanisms, model_of), plan), "rr_power",
    alpha = plan$alpha,
    assumptions = plan_words(plan, sd, design_effect, response_rate)
  )
}

# The rows of all mechanisms. The chance of a negative estimate is a column if one of them has it.
plan_table <- function(mechanisms, models, plan) {
  epsilons <- vapply(mechanisms, `[[`, 0, "epsilon")
  plan$negative <- is.null(plan$second) &&
    any(lengths(lapply(models, `[[`, "a")) > 0)
  tables <- Map(plan_rows, names(mechanisms), epsilons, models, MoreArgs = list(plan))
  do.call(rbind, unname(tables))
}

# The one of n, power and margin that is given, in a list with its name.
goal_of <- function(...) {
  goal <- Filter(Negate(is.null), list(...))
  if (length(goal) == 1) return(goal)
  abort("Exactly one of {.arg n}, {.arg power} and {.arg margin} must be given.")
}

# A word for what is estimated: a coefficient if there is a model, else a mean or a share.
plan_estimand <- function(mechanisms, model) {
  if (!is.null(model)) return("coefficient")
  is_mean <- function(mechanism) isTRUE(mechanism$codec$real)
  if (all(vapply(mechanisms, is_mean, NA))) "mean" else "share"
}

# The values of `n`, `power` or `margin`, checked: a margin is less than the range of what is
# estimated.
check_goal <- function(goal, kind, estimand, mechanisms) {
  if (kind == "n") return(check_grid(goal, "n"))
  if (kind == "power") return(check_open(goal, "power"))
  widest <- switch(
    estimand,
    share = 1,
    coefficient = Inf,
    min(vapply(mechanisms, function(m) diff(m$range), 0))
  )
  check_open(goal, "margin", widest)
}

# The second group: its share, the fraction `first` of the respondents in the first group, and its
# variance model, NULL if it is that of the first group.
second_group <- function(share, mechanism, allocation, model_of) {
  first <- check_number(allocation, "allocation", 0, 1, TRUE, TRUE)
  model <- if (!is.null(mechanism)) model_of(check_mechanism(mechanism, "versus_mechanism"))
  list(share = share, first = first, model = model)
}

# The true shares, means or NULL, checked.
check_truth_of <- function(estimand, share, mechanisms, category, needs_share) {
  if (is.null(share)) {
    if (needs_share) abort("{.arg share} must be given, except for the {.arg margin} of one group.")
    return(NULL)
  }
  if (estimand == "mean") return(vapply(share, check_number, 0, "share"))
  check_shares(check_probabilities(share, "share"), mechanisms, category)
}

# The answers of a simple random sample that one person approached is worth.
answers_worth <- function(response_rate, design_effect) {
  remedy <- percent_remedy(response_rate)
  check_number(response_rate, "response_rate", 0, 1, min_open = TRUE, remedy = remedy) /
    check_number(design_effect, "design_effect", min = 1)
}

# An error if `args` has arguments that this calculation ignores: whoever gave them expects them to
# matter.
check_unused <- function(args, kind, estimand, share, versus) {
  idle <- c(
    if (kind == "margin") c("null", "alpha") else c("conf.level", "simultaneous"),
    "costs", "validation",
    if (estimand != "share") c("category", "simultaneous"),
    if (estimand != "mean" || is.null(share)) "sd",
    if (estimand == "coefficient") {
      c("share", "versus", "target")
    } else {
      c("data", "coefficients", "term", "link")
    },
    if (is.null(versus)) c("versus_mechanism", "allocation") else "null"
  )
  unused <- intersect(idle, args)
  if (length(unused)) abort("{.arg {unused}} {?does/do} not belong to this question.")
}

# The shares of one category, without names. A name that is another category's would be a
# misunderstanding.
check_shares <- function(share, mechanisms, category) {
  for (mechanism in mechanisms) {
    level <- mechanism$levels[category_position(mechanism, category)]
    others <- intersect(names(share), setdiff(mechanism$levels, level))
    if (length(others)) {
      abort("{.arg share} must be about {.val {level}}, not {.val {others[1]}}.", "mismatch")
    }
  }
  unname(share)
}

# A list of mechanisms with different names.
check_mechanisms <- function(mechanism) {
  if (is.object(mechanism) || !length(mechanism)) mechanism <- list(mechanism)
  for (m in mechanism) check_mechanism(m)
  names <- names(mechanism) %||% rep("", length(mechanism))
  names[names == ""] <- vapply(mechanism, `[[`, "", "design")[names == ""]
  setNames(mechanism, make.unique(names, sep = " "))
}

# ---- the table ----

# The rows of one mechanism, and beside it a direct question that is answered honestly. If no share
# is given the margin is for the least favourable share.
plan_rows <- function(name, epsilon, model, plan) {
  shares <- plan$share %||% worst_share(model, plan$target)
  grid <- expand.grid(goal = plan$goal, share = shares, KEEP.OUT.ATTRS = FALSE)
  direct <- model$direct %||% binomial_model(1, 0)
  second <- plan$second
  if (!is.null(second)) second$model <- direct
  plans <- mapply(
    plan_figure, grid$goal, grid$share,
    MoreArgs = list(model, plan$second, plan, plan$target, model$k)
  )
  direct_shares <- if (is.null(plan$share)) worst_share(direct, "population") else grid$share
  honest <- mapply(
    plan_figure, grid$goal, direct_shares,
    MoreArgs = list(direct, second, plan, "population", model$k)
  )
  figures <- if (plan$kind == "n") {
    list(
      n = grid$goal,
      level = plans[1, ],
      power = plans[2, ],
      direct = honest[2, ]
    )
  } else {
    c(
      setNames(list(grid$goal), plan$kind), list(n = plans, direct = honest)
    )
  }
  truth <- setNames(list(grid$share), plan$estimand)
  answers <- floor(figures$n * plan$worth + 1e-9)
  noise <- vapply(grid$share, study_variance, 0, model = model, second = plan$second)
  variance <- vapply(
    grid$share, unit_variance, 0,
    model = model, target = plan$target, second = plan$second
  )
  tibble(
    mechanism = name,
    epsilon = epsilon,
    term = plan$term,
    !!!truth,
    versus = second$share,
    null = if (plan$kind != "margin" && is.null(second)) plan$null,
    !!!figures,
    std.error = sqrt(variance / answers + noise),
    negative = if (plan$negative) {
      negative_probability(model, grid$share, answers, plan$target)
    }
  )
}

# P(the unbiased estimate of a share is below 0), of `n` answers: the number of reports for the
# category is below b n. For the sample n times the share hold the category. NA if the reports
# support no categories.
negative_probability <- function(model, share, n, target) {
  if (is.null(model$a)) return(rep(NA_real_, length(share)))
  one <- function(share, n) {
    if (!is.finite(n) || n < 1) return(NA_real_)
    positive <- model$a > 0
    limit <- if (positive) {
      ceiling(n * model$b - 1e-9) - 1
    } else {
      floor(n * model$b + 1e-9)
    }
    below <- if (target == "population") {
      pbinom(limit, n, model$b + model$a * share)
    } else {
      holders <- round(n * share)
      from_holders <- 0:holders
      prob <- dbinom(from_holders, holders, model$a + model$b)
      sum(prob * pbinom(limit - from_holders, n - holders, model$b))
    }
    if (positive) below else 1 - below
  }
  mapply(one, share, n)
}

# The figure of one design that follows from its goal: level and power, or the number of people to
# be approached.
plan_figure <- function(goal, share, model, second, plan, target, k) {
  # Answers and people are whole: 1e-9 keeps a rounding error from counting as one of them.
  if (plan$kind == "n") {
    n <- floor(goal * plan$worth + 1e-9)
    return(test_power(model, n, share, plan$null, plan$alpha, second))
  }
  answers <- if (plan$kind == "power") {
    enough_power(model, share, plan$null, plan$alpha, goal, second)
  } else {
    n_intervals <- if (plan$simultaneous) k else 1
    z <- qnorm(1 - (1 - plan$conf.level) / 2 / n_intervals)
    floor <- study_variance(model, share, second)
    if (z^2 * floor >= goal^2) {
      cli::cli_inform(
        c(
          "No number of respondents gives a margin of {format(goal, digits = 3)}.",
          x = "The validation study alone makes it {format(z * sqrt(floor), digits = 3)}."
        ),
        class = "candor_message_floor"
      )
    }
    variance <- unit_variance(model, share, target, second)
    ceiling(z^2 * variance / max(goal^2 - z^2 * floor, 0))
  }
  ceiling(answers / plan$worth - 1e-9)
}

# Significance level and power of the test for `n` answers: exact in one group if the count of
# reports is binomial, else normal.
test_power <- function(model, n, share, null, alpha, second) {
  if (n < 1) return(c(0, 0))
  if (is.null(second) && !is.null(model$a)) {
    # The test takes large or small counts as evidence, in the direction of the alternative. The
    # lower tail of `max_count` includes it.
    m <- model$b + model$a * c(null, share)
    larger <- m[2] >= m[1]
    max_count <- qbinom(alpha, n, m[1], lower.tail = !larger)
    if (!larger && pbinom(max_count, n, m[1]) > alpha) max_count <- max_count - 1
    return(pbinom(max_count, n, m, lower.tail = !larger))
  }
  std_error <- function(truth) {
    sqrt(
      unit_variance(model, truth, "population", second) / n + study_variance(model, truth, second)
    )
  }
  z <- qnorm(alpha, lower.tail = FALSE)
  reference <- if (is.null(second)) null else second$share
  critical <- z * std_error(test_truth(model, null, share, second))
  c(alpha, pnorm((abs(share - reference) - critical) / std_error(share)))
}

# The truth at which the test has its standard error: the alternative for means, coefficients and
# differences, else the null.
test_truth <- function(model, null, share, second = NULL) {
  if (isTRUE(model$wald) || !is.null(second)) share else null
}

# The first n with enough power, infinite if there is nothing to detect.
enough_power <- function(model, share, null, alpha, power, second) {
  if (share == (if (is.null(second)) null else second$share)) return(Inf)
  if (!is.null(second)) {
    z <- qnorm(alpha, lower.tail = FALSE) + qnorm(power)
    z <- max(z, 0)
    # A validation study leaves less of the squared difference to find.
    remaining <- (share - second$share)^2 - z^2 * study_variance(model, share, second)
    variance <- unit_variance(model, share, "population", second)
    return(max(2, ceiling(z^2 * variance / max(remaining, 0))))
  }
  power_of <- function(n) test_power(model, n, share, null, alpha, NULL)[2]
  if (!is.null(model$study) && power_of(Inf) < power) return(Inf)
  sd <- function(share) sqrt(unit_variance(model, share, "population"))
  distance <- qnorm(1 - alpha) * sd(test_truth(model, null, share)) +
    qnorm(power) * sd(share)
  n <- max(1, ceiling((distance / (share - null))^2))
  while (n < 1e15 && power_of(n) < power) {
    n <- n + max(1, floor(n / 1000))
  }
  n
}

# The assumptions of the numbers that no column has. rr_compare() has two-sided p-values: a reader
# must see that this test is one-sided.
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
  # A column cuts long names, so that the head of the table has them in full.
  mechanisms <- if (any(nchar(names) > 20)) paste(names, collapse = "; ")
  c(NextMethod(), Assumes = attr(x, "assumptions"), Mechanisms = mechanisms)
}

# ---- the plan of a union ----

# The table of a union of noisy sets with the least favourable sets (Hehir, Theorem 3): those of the
# elements in the union are in one set each.
union_plan <- function(mechanisms, n, sets, share, conf.level, args) {
  unused <- setdiff(args, c("mechanism", "n", "share", "conf.level", "sets"))
  if (length(unused)) abort("{.arg {unused}} {?does/do} not belong to the plan of a union.")
  n <- check_grid(n, "n")
  sets <- check_grid(sets, "sets")
  share <- check_probabilities(share %||% 0, "share")
  conf.level <- check_conf_level(conf.level)
  flips <- unname(vapply(mechanisms, flip_of, 0))
  grid <- expand.grid(
    n = n, share = share, sets = sets, index = seq_along(mechanisms), KEEP.OUT.ATTRS = FALSE
  )
  v <- flip_variance(flips)[grid$index]
  empty <- expm1(grid$sets * log1p(v))
  single <- v * (1 + v)^(grid$sets - 1)
  std_error <- sqrt(
    grid$n * ((1 - grid$share) * empty + grid$share * single)
  )
  table <- tibble(
    mechanism = names(mechanisms)[grid$index],
    epsilon = unname(vapply(mechanisms, `[[`, 0, "epsilon"))[grid$index],
    grid[c("sets", "share", "n")],
    std.error = std_error,
    margin = normal_quantile(conf.level) * std_error
  )
  words <- paste0("two-sided ", interval_words(conf.level), ", least favourable sets")
  with_class(table, "rr_power", assumptions = words)
}

# The probability that a yes/no question is reported wrongly, whatever the truth.
flip_of <- function(mechanism) {
  law <- rr_law(mechanism)
  is_bit <- length(mechanism$levels) == 2 && !is.null(law$binomial)
  a <- law$binomial$a
  b <- law$binomial$b
  check_that(
    is_bit && all(abs(a + 2 * b - 1) < 1e-12), mechanism, "mechanism",
    "yes/no questions that are wrong with one probability, for a union"
  )
  if (a[1] == 0) abort_no_information(mechanism)
  b[1]
}

# ---- what a plan needs of a mechanism ----

# How the variance of an estimate depends on the truth, list(variance(share, target), ...). The
# variance is N times that of the unbiased estimate; N is the number of respondents.
#   a, b        of a binomial number of reports
#   turn        the share at which the variance is largest, if it is a parabola
#   worst       the share to plan with
#   study       the variance that a validation study adds
#   wald        does the test have its standard error at the estimate?
#   direct, k   the model of a direct question; the number of categories
variance_model <- function(mechanism, estimand, category, sd, design) {
  switch(
    estimand,
    share = category_model(mechanism, category),
    mean = mean_model(mechanism, sd),
    coefficient = coefficient_model(mechanism, design)
  )
}

# N times the variance of an estimate, or of its difference from a second group; N is the number in
# both.
unit_variance <- function(model, share, target, second = NULL) {
  first_variance <- model$variance(share, target)
  if (is.null(second)) return(first_variance)
  first_variance / second$first +
    (second$model %||% model)$variance(second$share, target) / (1 - second$first)
}

# The variance model of a category with a binomial number of reports.
binomial_model <- function(a, b) {
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

# The variance model of a category. If its reports are not binomial, it has the mean squares of the
# terms of the unbiased estimate: of those who hold it, and of the others, all of whom hold the
# category that makes it largest. RAPPOR has the variance itself, since its estimate is no mean over
# reports.
category_model <- function(mechanism, category) {
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  if (!is.null(law$planned)) {
    return(list(
      variance = function(share, target) law$planned[[target]] * share * (1 - share),
      k = k
    ))
  }
  binomial <- if (law_gives(law, "exact")) law$binomial
  if (law_tells_nothing(law)) abort_no_information(mechanism)
  has_filters <- law_gives(law, "bits")
  # Mechanisms of several questions, sketches and means beside shares have no categories.
  has_categories <- !is.null(binomial) || has_filters ||
    !is.null(law_second_moments(law, k, as.double(seq_len(k) == 1)))
  if (!has_categories) {
    abort(
      c(
        "{.arg mechanism} has no closed form for planning, see {.fn rr_study}.",
        x = "It is: {format(mechanism)}."
      ),
      c("argument", "law")
    )
  }
  index <- category_position(mechanism, category)
  if (!is.null(binomial)) {
    a <- rep_len(binomial$a, k)[index]
    b <- rep_len(binomial$b, k)[index]
    return(c(binomial_model(a, b), k = k))
  }
  if (has_filters) return(list(variance = bloom_variance(law, index), k = k))
  moments <- law_second_moments(law, k, as.double(seq_len(k) == index))
  study <- if (!is.null(law$validation)) study_noise(law, index)
  second_true <- moments[index]
  others <- max(moments[-index])
  list(
    k = k,
    study = study,
    turn = (second_true - others) / 2,
    variance = function(share, target) {
      share * second_true + (1 - share) * others - if (target == "sample") share else share^2
    }
  )
}

# The variance of the terms that a validation study estimated, of those who hold the category and of
# the others.
study_noise <- function(law, index) {
  terms <- require_inverse(law)[[1]]$matrix[, index]
  channel <- law_matrix(law)
  noise <- drop(channel %*% terms^2 - (channel %*% terms)^2) /
    rowSums(law$validation)
  c(noise[index], max(noise[-index]))
}

# The variance that a validation study adds, whatever the number of respondents. If both groups have
# the same study, its error is common to them.
study_variance <- function(model, share, second = NULL) {
  group_variance <- function(model, share) {
    if (is.null(model$study)) return(0)
    share^2 * model$study[1] +
      (1 - share)^2 * model$study[2]
  }
  if (is.null(second)) return(group_variance(model, share))
  second_model <- second$model %||% model
  if (identical(model$study, second_model$study)) {
    return((share - second$share)^2 * sum(model$study))
  }
  group_variance(model, share) + group_variance(second_model, second$share)
}

# N times the variance of least squares by share and target, for a truth in which the others are
# held equally often. At the expected counts of one respondent the fit is the truth, and the weights
# are those that it has. Each share is a linear system in all categories, so that its solution is
# stored.
bloom_variance <- function(law, index) {
  k <- law$truths
  variances <- new.env(parent = emptyenv())
  share_variance <- function(share) {
    key <- sprintf("%a", share)
    if (is.null(variances[[key]])) {
      theta <- replace(
        rep((1 - share) / (k - 1), k), index, share
      )
      evidence <- new_evidence(law, law_expected(law, theta), 1, 1, k)
      variances[[key]] <- bloom_covariance(law, evidence, "population", variances = TRUE)[index]
    }
    variances[[key]]
  }
  function(share, target) {
    variance <- vapply(share, share_variance, 0)
    if (target == "population") variance else variance - share * (1 - share)
  }
}

# The variance model of a mean of numbers, in their unit: at a mean and the standard deviation of
# the truths, by default the largest that the mean allows. If no mean is given, the answers are
# those that make its variance largest.
mean_model <- function(mechanism, sd) {
  half <- diff(mechanism$range) / 2
  if (!is.null(sd)) sd <- check_number(sd, "sd", min = 0)
  model <- function(moments, worst) {
    list(
      variance = function(share, target) {
        m <- (share - mean(mechanism$range)) / half
        if (is.na(m)) return(half^2 * worst(target))
        sd_squared <- if (is.null(sd)) 1 - m^2 else (sd / half)^2
        if (sd_squared < 0 || sd_squared > (1 - m^2) * (1 + 1e-9)) {
          abort(
            "No numbers in the range of the mechanism have this mean ({.arg share}) and {.arg sd}."
          )
        }
        randomized <- moments$constant + moments$linear * m + moments$slope * (m^2 + sd_squared)
        half^2 * (randomized + if (target == "population") sd_squared else 0)
      },
      wald = TRUE,
      worst = NA_real_
    )
  }
  worst <- function(target) largest_mean_variance(mechanism, target)
  direct <- model(list(constant = 0, linear = 0, slope = 0), function(target) {
    1
  })
  c(model(mean_variance(mechanism), worst), list(direct = direct))
}

# The rows of a model of the truth, one respondent each, as list(x, eta, index, link, term,
# coefficient).
plan_design <- function(model, data, coefficients, term, link) {
  offset <- NULL
  if (!is.matrix(model)) {
    frame <- model.frame(delete.response(terms(model, data = data)), data)
    offset <- model.offset(frame)
    model <- model.matrix(attr(frame, "terms"), frame)
  }
  if (!is.null(names(coefficients))) coefficients <- coefficients[colnames(model)]
  is_valid <- is.numeric(coefficients) && length(coefficients) == ncol(model) &&
    all(is.finite(coefficients))
  noun <- "a number for each column of the design matrix"
  check_that(is_valid, coefficients, "coefficients", noun)
  index <- match_coefficients(term %||% ncol(model), colnames(model), "term")
  list(
    x = model,
    eta = predictor_of(model, coefficients, offset),
    index = index,
    link = check_choice(link, "link", regress_links),
    term = colnames(model)[index] %||% index,
    coefficient = coefficients[[index]]
  )
}

# The variance model of a coefficient, from the information that the reports of these rows are
# expected to have.
coefficient_model <- function(mechanism, design) {
  refuse_validated(mechanism, "The plan of a coefficient")
  refuse_dealt(mechanism, "The plan of a coefficient")
  model <- function(mechanism) {
    device <- as.matrix(regress_device(mechanism))
    weight <- regress_rows(design$eta, NULL, NULL, device, design$link)$expected
    information <- crossprod(design$x, weight * design$x) / nrow(design$x)
    variance <- solve(information)[design$index, design$index]
    list(variance = function(share, target) variance, wald = TRUE)
  }
  c(model(mechanism), list(direct = model(rr_binary(1, 0))))
}

# The share of largest variance.
worst_share <- function(model, target) {
  if (!is.null(model$worst)) return(model$worst)
  if (!is.null(model$study)) {
    abort("{.arg share} must be given for a channel that a validation study estimated.")
  }
  turn <- model$turn %||% optimize(
    model$variance, c(0, 1), target, maximum = TRUE, tol = 1e-3
  )$maximum
  candidates <- c(0, 1, clamp(turn))
  candidates[which.max(model$variance(candidates, target))]
}
