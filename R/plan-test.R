# Significance level and power of the test, for `n` people approached.
test_power <- function(form, n, share, null, alpha, second, worth) {
  if (is.null(second)) return(one_group_power(form, answers_of(n, worth), share, null, alpha))
  error <- sqrt(difference_variance(form, share, second) / answers_of(n, worth))
  c(alpha, stats::pnorm(abs(share - second$share) / error - stats::qnorm(alpha, lower.tail = FALSE)))
}

# Significance level and power of the test in one group, for `n` answers.
one_group_power <- function(form, n, share, null, alpha) {
  if (!is.null(form$a)) return(exact_power(form, n, share, null, alpha))
  if (n < 1) return(c(0, 0))
  error <- sqrt(unit_variance(form, c(null, share), "population") / n)
  z <- stats::qnorm(alpha, lower.tail = FALSE)
  c(alpha, stats::pnorm((abs(share - null) - z * error[1]) / error[2]))
}

# The count of reports rejects in the direction of the alternative: attained level and power, both binomial.
exact_power <- function(form, n, share, null, alpha) {
  if (n < 1) return(c(0, 0))
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

enough_power <- function(form, share, null, alpha, power, second = NULL) {
  if (!is.null(second)) {
    z <- stats::qnorm(alpha, lower.tail = FALSE) + stats::qnorm(power)
    return(max(2, ceiling(max(z, 0)^2 * difference_variance(form, share, second) / (share - second$share)^2)))
  }
  sd <- function(s) sqrt(unit_variance(form, s, "population"))
  n <- max(1, ceiling(((stats::qnorm(1 - alpha) * sd(null) + stats::qnorm(power) * sd(share)) / (share - null))^2))
  while (n < 1e15 && one_group_power(form, n, share, null, alpha)[2] < power) n <- n + max(1, floor(n / 1000))
  n
}

plan_power <- function(mechanisms, power, share, null, category, alpha, second, worth) {
  if (!is.null(second) && any(share == second$share)) {
    abort(c("{.arg share} must differ from {.arg versus}.",
            x = "Both are {format(second$share)}: there is nothing to detect."), "argument")
  }
  if (is.null(second) && any(share == null)) {
    abort(c("{.arg share} must differ from {.arg null}.", x = "Both are {format(null)}: there is nothing to detect."),
          "argument")
  }
  rows <- lapply(names(mechanisms), function(name) {
    form <- category_form(mechanisms[[name]], category)
    grid <- expand.grid(share = share, power = power, KEEP.OUT.ATTRS = FALSE)
    needed <- function(form, second) {
      people_for(mapply(function(s, p) enough_power(form, s, null, alpha, p, second), grid$share, grid$power), worth)
    }
    asked <- second
    if (!is.null(asked)) asked["form"] <- list(NULL)
    plan_rows(name, mechanisms, grid, second,
              c(if (is.null(second)) list(null = rep(null, nrow(grid))), list(power = grid$power)),
              needed(form, second), needed(list(a = 1, b = 0), asked))
  })
  do.call(rbind, rows)
}
