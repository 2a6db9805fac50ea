# What a plan needs of a mechanism: the law of the reports of one category, and the variance of its estimate.

# Of one category: a and b, where the number of its reports is binomial. Otherwise the mean squares of the terms of its
# unbiased estimate, of those who hold it and of the others, all of whom hold what makes it largest. Of RAPPOR, whose
# estimate is no mean over reports, the variance itself.
category_form <- function(mechanism, category) {
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  form <- additive(mechanism) %||% support_form(law)
  if (law_tells_nothing(form %||% law)) abort_no_information(mechanism)
  if (!is.null(form)) {
    at <- category_position(mechanism, category)
    return(list(a = form$a, b = rep_len(form$b, k)[at], k = k))
  }
  if (inherits(law, "rr_law_bloom")) {
    return(list(variance = bloom_form(law, category_position(mechanism, category)), k = k))
  }
  # The mechanisms of many things at once have no categories.
  if (is.null(law_second_moments(law, k, as.double(seq_len(k) == 1)))) {
    abort(c("{.arg mechanism} has no closed form for planning.", x = "It is: {format(mechanism)}.",
            i = "{.fn rr_study} simulates, and plans have the {.arg margin} of a mean."), c("argument", "law"))
  }
  at <- category_position(mechanism, category)
  moments <- law_second_moments(law, k, as.double(seq_len(k) == at))
  list(own = moments[at], others = max(moments[-at]), k = k)
}

# N times the variance of least squares at a share, and for fixed truths, the others being held equally often: at the
# expected counts of one respondent the fit is the truth, and the weights are those that it has. Each share is a linear
# system in all categories, and asked for again and again.
bloom_form <- function(law, at) {
  k <- law$truths
  known <- new.env(parent = emptyenv())
  one <- function(share) {
    key <- sprintf("%a", share)
    if (is.null(known[[key]])) {
      truth <- replace(rep((1 - share) / (k - 1), k), at, share)
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

# Reports that support a category are binomial too, where all categories are alike.
support_form <- function(law) {
  if (inherits(law, "rr_law_hadamard") && law$blocks == 1) law <- hadamard_bit_law(law$epsilon)
  if (!inherits(law, "rr_law_support") || length(law$p) > 1L || length(law$q) > 1L) return(NULL)
  new_law_additive(law$difference, law$q)
}

category_position <- function(mechanism, category) {
  k <- length(mechanism$levels)
  at <- if (is.null(category)) k else if (is.character(category)) match(category, mechanism$levels) else category
  if (!is.numeric(at) || !isTRUE(at >= 1 & at <= k & at == floor(at))) {
    abort(c("{.arg category} must name one category of the mechanism.", x = "It is {describe(category)}."), "level")
  }
  at
}

# For the mean of numbers in their unit: answers that make its variance largest.
mean_form <- function(mechanism, target) {
  largest <- function(variance) list(variance = function(share, target) (diff(mechanism$range) / 2)^2 * variance)
  c(largest(largest_mean_variance(mechanism, target)), list(direct = largest(1), worst = NA_real_))
}

# N times the variance of the unbiased estimate of a share, or of its difference from a second group; N is the number in
# both.
unit_variance <- function(form, share, target, second = NULL) {
  if (!is.null(second)) {
    return(unit_variance(form, share, target) / second$first +
             unit_variance(second$form %||% form, second$share, target) / (1 - second$first))
  }
  if (!is.null(form$variance)) return(form$variance(share, target))
  if (is.null(form$a)) {
    return(share * form$own + (1 - share) * form$others - if (target == "sample") share else share^2)
  }
  if (target == "sample") return((form$b * (1 - form$b) + share * form$a * (1 - form$a - 2 * form$b)) / form$a^2)
  m <- form$b + form$a * share
  m * (1 - m) / form$a^2
}

# The share of largest variance: for binomial reports, reported half of the time where that is possible.
worst_share <- function(form, target) {
  if (!is.null(form$worst)) return(form$worst)
  if (!is.null(form$variance)) {
    inside <- stats::optimize(form$variance, c(0, 1), target, maximum = TRUE, tol = 1e-3)$maximum
    tried <- c(0, inside, 1)
    return(tried[which.max(form$variance(tried, target))])
  }
  if (is.null(form$a)) {
    more <- form$own - form$others
    return(if (target == "sample") as.double(more > 1) else min(1, max(0, more / 2)))
  }
  if (target == "sample") return(as.double(form$a * (1 - form$a - 2 * form$b) > 0))
  min(1, max(0, (0.5 - form$b) / form$a))
}
