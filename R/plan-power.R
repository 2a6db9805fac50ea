#' How many respondents, how much power
#'
#' `rr_sample_size()` gives the number of respondents needed for a margin of error, or for a test of given power;
#' `rr_power()` gives the power of a test. Both account for what the randomisation costs.
#'
#' @details
#' A report counts for a category with probability \eqn{m = b + a\theta} when a share \eqn{\theta} of the population holds it, so the
#' unbiased estimate of the share has the variance \eqn{m(1 - m) / (N a^2)} (`target = "population"`), of which
#' \eqn{[b(1 - b) + \theta a (1 - a - 2b)] / (N a^2)} is due to the randomisation alone (`target = "sample"`).
#'
#' *Margin of error*: the half-width of the confidence interval of the share. With `simultaneous = TRUE` the intervals of all categories hold together
#' (Bonferroni). Without `share` the number is enough whatever the share.
#'
#' *Power*: the test of "the share is `null`" against "it is larger" (or smaller, if `share` is below `null`) that counts the reports; their
#' number is binomial, and both its level and its power are exact. `rr_sample_size()` starts at the normal
#' approximation and returns the first number from there on, in steps of 0.1 per cent, whose exact power is enough.
#'
#' @param mechanism A mechanism, or a list of mechanisms to be compared, whose names name the rows. One without a name is called by its
#'   design.
#' @param margin Wanted half-width of the confidence intervals: numbers above 0.
#' @param share True share of `category`, from 0 to 1, one or several. For a margin of error the least favourable one by default.
#' @param power Wanted power, between 0 and 1; one or several.
#' @param null Share under the null hypothesis, one number from 0 to 1.
#' @param n Number of respondents, whole and at least 1; one or several.
#' @param category The category: its label or position. By default the last one, which is "yes" for yes/no questions.
#' @param conf.level Confidence level, between 0 and 1.
#' @param alpha Significance level of the test, between 0 and 1.
#' @param simultaneous Should the intervals of all categories hold together?
#' @param target What the interval is about, see [rr_estimate()]. `conf.level`, `simultaneous` and `target` are for `margin`, and refused with
#'   `power`, as `null` and `alpha` are with `margin`.
#' @param ... Not used, and refused.
#' @return A data frame of class `rr_plan`, one row per mechanism, margin (or power) and share: `mechanism`, `epsilon`, `share`, `margin` or `null` and
#'   `power`, `n`, and `direct`, the number that a direct question answered honestly would need. `rr_power()`: a data frame of class
#'   `rr_power`, one row per mechanism, share and number of respondents: `mechanism`, `epsilon`, `share`, `null`, `n`, `level` (the significance level attained; at most
#'   the one asked for), `power`. [autoplot()][autoplot.rr_plan] draws both.
#' @section Errors:
#' `candor_error_argument` for values out of range, or when both or neither of `margin` and `power` are given, or arguments that
#' belong to the other; `candor_error_no_information` for a mechanism whose reports do not depend on the truth;
#' `candor_error_mismatch` for a share whose name is another category.
#' @source Warner, S. L. (1965). *Journal of the American Statistical Association* 60(309), 63-69. \doi{10.1080/01621459.1965.10480775}.
#'   Ulrich, R., Schroeter, H., Striegel, H. and Simon, P. (2012). Asking sensitive questions: a statistical power analysis of randomized
#'   response models. *Psychological Methods* 17(4), 623-641. \doi{10.1037/a0029314}
#' @examples
#' # Within 3 points, whatever the truth: a forced-response die against the direct question
#' rr_sample_size(rr_forced(1 / 6), margin = 0.03)
#'
#' # Every one of 20 categories within half a point, at two privacy levels
#' rr_sample_size(list(strict = rr_grr(20, epsilon = 1), mild = rr_grr(20, epsilon = 3)),
#'                margin = 0.005, share = 0.05, simultaneous = TRUE)
#'
#' # To show with power 0.8 that more than none have done it, if 10 per cent have
#' rr_sample_size(rr_warner(0.8), power = 0.8, share = 0.1)
#' rr_power(rr_warner(0.8), n = 500, share = c(0.05, 0.1, 0.2))
#' @export
rr_sample_size <- function(mechanism, margin = NULL, power = NULL, share = NULL, null = 0, category = NULL,
                           conf.level = 0.95, alpha = 0.05, simultaneous = FALSE, target = c("population", "sample"),
                           ...) {
  check_given(mechanism = "how answers are to be randomised")
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
  rows <- if (is.null(power)) {
    check_unused(c(null = null != 0, alpha = alpha != 0.05), "a margin of error", "power")
    if (!is.null(share)) share <- check_shares(check_probabilities(share, "share"), "share", mechanisms, category)
    plan_margin(mechanisms, check_open(margin, "margin"), share, category, conf.level, simultaneous, target)
  } else {
    check_unused(c(conf.level = conf.level != 0.95, simultaneous = simultaneous, target = target != "population"),
                 "the power of a test", "margin")
    if (is.null(share)) abort(c("{.arg share} is needed with {.arg power}.",
                                i = "It is the true share that the test should detect."), "argument")
    share <- check_shares(check_probabilities(share, "share"), "share", mechanisms, category)
    plan_power(mechanisms, check_open(power, "power"), share, null, category, alpha)
  }
  mark(rows, "rr_plan", target = target, conf.level = conf.level, simultaneous = simultaneous, alpha = alpha)
}

#' @rdname rr_sample_size
#' @export
rr_power <- function(mechanism, n, share, null = 0, category = NULL, alpha = 0.05, ...) {
  check_given(mechanism = "how answers are to be randomised")
  check_dots_empty(..., .renamed = c(level = "alpha"))
  mechanisms <- check_mechanisms(mechanism)
  n <- check_grid(n, "n", whole = TRUE)
  share <- check_shares(check_probabilities(share, "share"), "share", mechanisms, category)
  null <- check_probability(null, "null")
  alpha <- check_alpha(alpha)
  cells <- expand.grid(n = n, share = share, mechanism = seq_along(mechanisms), KEEP.OUT.ATTRS = FALSE)
  exact <- vapply(seq_len(nrow(cells)), function(i) {
    form <- category_form(mechanisms[[cells$mechanism[i]]], category)
    exact_power(form, cells$n[i], cells$share[i], null, alpha)
  }, numeric(2))
  rows <- tibble::tibble(mechanism = names(mechanisms)[cells$mechanism],
                         epsilon = unname(vapply(mechanisms, `[[`, 0, "epsilon"))[cells$mechanism],
                         share = cells$share, null = null, n = cells$n, level = exact[1, ], power = exact[2, ])
  mark(rows, "rr_power", alpha = alpha)
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

# Arguments of the other question would change nothing, and who gave them thinks that they do.
check_unused <- function(given, question, argument) {
  unused <- names(given)[given]
  if (!length(unused)) return(invisible())
  abort(c("{.arg {unused}} {?is/are} not used for {question}.", x = "{.arg {argument}} was not given.",
          i = "Leave {cli::qty(unused)}{?it/them} out, or plan by {.arg {argument}}."), "argument")
}

check_mechanisms <- function(mechanism) {
  if (inherits(mechanism, "rr_mechanism")) mechanism <- list(mechanism)
  if (!is.list(mechanism) || !length(mechanism)) check_mechanism(mechanism)
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
  abort(c("{.arg {arg}} must be numbers between 0 and 1.", x = "It is {describe(x)}."), "argument")
}

# a and b of one category. For several categories alike (no category named) any one stands for all.
category_form <- function(mechanism, category) {
  form <- additive(mechanism) %||% support_form(rr_law(mechanism))
  if (is.null(form)) {
    abort(c("{.arg mechanism} has no closed form for planning.", x = "It is: {format(mechanism)}.",
            i = "Simulate with {.fn rr_study} instead."), "argument")
  }
  if (law_tells_nothing(form)) abort_no_information(mechanism)
  at <- category_position(mechanism, category)
  list(a = form$a, b = rep_len(form$b, length(mechanism$levels))[at], k = length(mechanism$levels))
}

# Reports that support a category are binomial too, where all categories are alike.
support_form <- function(law) {
  if (inherits(law, "rr_law_hadamard") && law$blocks == 1) law <- hadamard_bit_law(law$epsilon)
  if (!inherits(law, "rr_law_support") || length(law$p) > 1L || length(law$q) > 1L) return(NULL)
  new_law_additive(law$difference, law$q)
}

category_position <- function(mechanism, category) {
  k <- length(mechanism$levels)
  at <- if (is.null(category)) k else if (is.character(category)) match(category, mechanism$levels) else category
  if (length(at) != 1 || is.na(at) || !is.numeric(at) || at < 1 || at > k || at != floor(at)) {
    abort(c("{.arg category} must name one category of the mechanism.", x = "It is {describe(category)}.",
            i = "The categories are {format_labels(mechanism$levels)}."), "level")
  }
  at
}

# N times the variance of the unbiased estimate of a share.
unit_variance <- function(form, share, target) {
  if (target == "sample") return((form$b * (1 - form$b) + share * form$a * (1 - form$a - 2 * form$b)) / form$a^2)
  m <- form$b + form$a * share
  m * (1 - m) / form$a^2
}

# The share of largest variance: reported half of the time where that is possible.
worst_share <- function(form, target) {
  if (target == "sample") return(as.double(form$a * (1 - form$a - 2 * form$b) > 0))
  min(1, max(0, (0.5 - form$b) / form$a))
}

plan_margin <- function(mechanisms, margin, share, category, conf.level, simultaneous, target) {
  rows <- lapply(names(mechanisms), function(name) {
    form <- category_form(mechanisms[[name]], category)
    z <- stats::qnorm(1 - (1 - conf.level) / 2 / if (simultaneous) form$k else 1)
    shares <- share %||% worst_share(form, target)
    direct <- list(a = 1, b = 0)
    grid <- expand.grid(share = shares, margin = margin, KEEP.OUT.ATTRS = FALSE)
    honest <- if (is.null(share)) 0.5 else grid$share
    tibble::tibble(mechanism = name, epsilon = mechanisms[[name]]$epsilon, share = grid$share, margin = grid$margin,
                   n = ceiling(z^2 * unit_variance(form, grid$share, target) / grid$margin^2),
                   direct = ceiling(z^2 * unit_variance(direct, honest, "population") / grid$margin^2))
  })
  do.call(rbind, rows)
}

# The count of reports rejects in the direction of the alternative: attained level and power, both binomial.
exact_power <- function(form, n, share, null, alpha) {
  m0 <- form$b + form$a * null
  m1 <- form$b + form$a * share
  if (m1 >= m0) {
    least <- stats::qbinom(alpha, n, m0, lower.tail = FALSE)
    c(stats::pbinom(least, n, m0, lower.tail = FALSE), stats::pbinom(least, n, m1, lower.tail = FALSE))
  } else {
    most <- stats::qbinom(alpha, n, m0)
    if (stats::pbinom(most, n, m0) > alpha) most <- most - 1
    c(stats::pbinom(most, n, m0), stats::pbinom(most, n, m1))
  }
}

plan_power <- function(mechanisms, power, share, null, category, alpha) {
  if (any(share == null)) {
    abort(c("{.arg share} must differ from {.arg null}.", x = "Both are {format(null)}: there is nothing to detect."),
          "argument")
  }
  rows <- lapply(names(mechanisms), function(name) {
    form <- category_form(mechanisms[[name]], category)
    grid <- expand.grid(share = share, power = power, KEEP.OUT.ATTRS = FALSE)
    needed <- function(form) mapply(function(s, p) enough_power(form, s, null, alpha, p), grid$share, grid$power)
    tibble::tibble(mechanism = name, epsilon = mechanisms[[name]]$epsilon, share = grid$share, null = null,
                   power = grid$power,
                   n = needed(form), direct = needed(list(a = 1, b = 0)))
  })
  do.call(rbind, rows)
}

enough_power <- function(form, share, null, alpha, power) {
  sd <- function(s) sqrt(unit_variance(form, s, "population"))
  n <- max(1, ceiling(((stats::qnorm(1 - alpha) * sd(null) + stats::qnorm(power) * sd(share)) / (share - null))^2))
  while (n < 1e15 && exact_power(form, n, share, null, alpha)[2] < power) n <- n + max(1, floor(n / 1000))
  n
}

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
