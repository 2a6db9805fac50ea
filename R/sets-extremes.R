#' OR and AND of noisy bits
#'
#' Was at least one of the true bits 1 (`type = "any"`, the OR)? Were all of them (`"all"`, the AND)? The true bits are seen through randomized response: each was reported wrongly with a known
#' probability.
#'
#' With \eqn{z_i = (1 - q_i - y_i)/(1 - 2 q_i)} for a reported bit \eqn{y_i} and its flip probability \eqn{q_i \ne 1/2}{q_i != 1/2},
#' \deqn{\widehat{OR} = 1 - \prod_i z_i, \qquad \widehat{AND} = \prod_i (1 - z_i).}{OR-hat = 1 -
#'   prod_i z_i,   AND-hat = prod_i (1 - z_i).}
#' Each is the only unbiased function of the reported bits if every combination of true bits is possible, because its \eqn{2^n} values solve \eqn{2^n} independent equations. It
#' therefore has the smallest variance of all unbiased estimates, whatever the true bits. Hehir (Theorem 2) proves for equal flips below 1/2 that the convolution estimator, the
#' merging estimator RBmerge and this elementary estimator are one. They have minimum variance among unbiased estimates if the true bits are drawn alike.
#' The products are kept as sign and logarithm, exact to \eqn{10^{-11}} at a million bits.
#'
#' **An estimate of a bit is not a bit.** It lies outside \eqn{[0, 1]} more often than not. It is meant to be added up over many elements, as in [rr_set_size()], and is
#' therefore never clipped.
#'
#' **Variance.** \eqn{\hat Y (\hat Y - 1)}{Y-hat (Y-hat - 1)} estimates the variance of \eqn{\hat Y}{Y-hat} without bias. It can be negative, or tiny while the variance is
#' huge, because the reports that make the variance huge are rare. `std.error.max` is based on the least favourable truth (no true 1 for OR, no true 0 for AND) and is an upper bound.
#' It grows exponentially with the number of bits. Beyond \eqn{n q \approx 1}{n q ~ 1} the estimate of one element carries little information, and a warning is given.
#'
#' **Intervals.** The true OR is 0 or 1, and the interval of `confint()` and `tidy(conf.int = TRUE)` holds the values that the reports do not reject: 0, 1 or both. The true value is in it with the
#' probability `conf.level` at least, whatever the true bits. If all flips are equal, the tests count the bits reported as 1 and have exact binomial probabilities: of no true 1, and of a single true 1.
#' If flips differ, a tally does not hold the distribution. The tests are then Cantelli's inequality with `std.error.max`, and reject only if the noise is low. The interval does not follow from `std.error`.
#'
#' With \eqn{v_i = q_i (1 - q_i)/(1 - 2 q_i)^2} the exact variances for true bits \eqn{x_i} (Theorem 3) are as follows. [rr_set_size()] with `plan = TRUE` computes them before
#' any report, and [rr_power()] for sets that are not known.
#' \deqn{\mathrm{Var}(\widehat{OR}) = \prod_i (1 - x_i + v_i) - 1\{\textstyle\sum x_i = 0\}, \qquad
#'   \mathrm{Var}(\widehat{AND}) = \prod_i (x_i + v_i) - 1\{\textstyle\sum x_i = n\}.}{Var(OR-hat) =
#'   prod_i (1 - x_i + v_i) - 1{sum x_i = 0},
#'   Var(AND-hat) = prod_i (x_i + v_i) - 1{sum x_i = n}.}
#'
#' @param bits Reported bits: a vector (one OR), a matrix (one OR for each row), packed bits in a raw vector, or a tally of [bit_tallies].
#' @param flip Probability, not 1/2, that a bit was reported wrongly, see [bit_tallies]; left out for a tally.
#' @param type `"any"` (OR, union; default) or `"all"` (AND, intersection).
#' @param ... Must be empty.
#' @return An object of class `rr_extreme`, with the methods of [estimate_methods]. `coef()` returns the estimates; `tidy()` a tibble:
#'
#' * `term`, `n`: element, and its number of bits.
#' * `estimate`, `std.error`: unbiased estimate and standard error (`NA` if the variance estimate is negative).
#' * `std.error.max`, `variance`: standard error for the least favourable truth, and variance estimate.
#' * `sign`, `log`: sign and logarithm of the product, which hold even if the estimate overflows.
#' @section Errors:
#' As in [bit_tallies]. Warning `candor_warning_variance` if the variance may exceed \eqn{10^6}.
#' @seealso [rr_set_size()], which adds up; [bit_tallies].
#' @references Hehir, J. (2023). Easier estimation of extremes under randomized response, Theorems 1 to 3. arXiv:2306.09394. (The restriction to flips below 1/2 is not
#'   needed; the closed form in the proof of Theorem 2 lacks the factor \eqn{(-1)^{\sum y_i}}.)
#' @concept bitwise OR
#' @concept extremes
#' @concept elementary estimator
#' @concept convolution estimator
#' @concept RBmerge
#' @concept Rao-Blackwell
#' @concept MVUE
#' @examples
#' # Did any of eight sites see this device, if each report has 5% of noise?
#' rr_extreme(c(0, 0, 1, 0, 0, 0, 0, 1), flip = 0.05)   # 0.996: yes
#' # Every site has its own noise; the last site has the least
#' rr_extreme(c(0, 0, 0, 1), flip = c(0.2, 0.2, 0.1, 0.01))
#' # One estimate for each row
#' seen <- rbind(a = c(1, 1, 0), b = c(0, 0, 0), c = c(1, 1, 1))
#' tidy(rr_extreme(seen, flip = 0.1, type = "all"))
#' @export
rr_extreme <- function(bits, flip = NULL, type = c("any", "all"), ...) {
  check_dots_empty(...)
  type <- check_choice(type, "type", extreme_kinds)
  tally <- if (inherits(bits, "rr_bit_tally")) {
    check_tally_flip(bits, flip)
  } else {
    bit_tally(bits, flip)
  }
  value <- tally_value(tally, type)
  warn_variance(max(value$bound), max(value$log_bound))
  structure(
    c(
      list(
        kind = type,
        n = tally$n,
        ones = tally$ones,
        flip = tally$flip,
        conf.level = 0.95,
        labels = tally$labels %||% as.character(seq_along(tally$ones))
      ),
      value
    ),
    class = c("rr_extreme", "rr_estimates")
  )
}

extreme_kinds <- c("any", "all")

# A tally holds its flips. A flip beside it is an error.
check_tally_flip <- function(tally, flip) {
  if (is.null(flip) || (length(flip) == 1L && flip %in% tally$flip)) {
    return(tally)
  }
  abort("{.arg flip} must be left out for a tally, which holds its own.", "mismatch")
}

# Equal flips leave at most n + 1 different answers, however many elements there are.
tally_value <- function(tally, kind) {
  code <- match(kind, extreme_kinds) - 1L
  if (!is.null(tally$state)) return(.Call(C_rr_extreme_value, tally$state, code))
  different <- unique(tally$ones)
  value <- .Call(
    C_rr_extreme_value, .Call(C_rr_extreme_counts, tally$n, different, tally$flip), code
  )
  lapply(value, `[`, match(tally$ones, different))
}

# `variance` in elements squared; where it overflows, at least its logarithm is known, which is 710
# or more.
warn_variance <- function(variance, log_variance = 710, estimated = FALSE) {
  if (!(variance > 1e6)) return(invisible())
  error <- if (is.finite(variance)) {
    format_number(sqrt(variance))
  } else {
    sprintf("1e%.0f", log_variance / 2 / log(10))
  }
  warn(
    c(
      "The noise of this many bits leaves a large standard error.",
      x = "It may be as large as {error}.",
      i = if (estimated) {
        "The estimated standard error can miss this: what makes it large is rarely seen."
      }
    ),
    "variance"
  )
}

# A warning if the size of a union, a denominator, is within two of its standard errors of 0.
warn_ratio <- function(size, error) {
  if (size > 2 * error) return(invisible())
  warn(c("The union may be empty, so the Jaccard index means little.",
         x = "Its estimated size is {format_number(size)}."), "ratio")
}

format_number <- function(x) {
  if (is.finite(x) && abs(x) < 1e15) {
    format_count(signif(x, 3))
  } else {
    format(x, digits = 3)
  }
}

rows_of.rr_extreme <- function(x) {
  tibble(
    term = x$labels,
    estimate = x$estimate,
    std.error = sqrt_or_na(x$variance),
    std.error.max = sqrt(x$bound),
    variance = x$variance,
    sign = x$sign,
    log = x$log,
    n = x$n
  )
}

# A bit is 0 or 1. The interval holds the values that its reports do not reject; where both are
# rejected, at levels below 0.5, the likelier one. The estimate itself is no test: many reports of 1
# give one as near 1 as two of them do.
bounds_of.rr_extreme <- function(x, rows, level) {
  p <- if (is.na(x$flip)) variance_tails(x) else count_tails(x)
  rejected <- lapply(p, `<=`, 1 - level)
  list(
    low = as.double(rejected$zero & p$zero < p$one),
    high = as.double(!rejected$one | p$one > p$zero)
  )
}

# One flip: the number of reports of the kind that the extreme looks for. Least favourable to many
# of them is that no true bit is of that kind, to few that a single one is.
count_tails <- function(x) {
  hits <- if ((x$kind == "any") == (x$flip < 0.5)) {
    x$ones
  } else {
    x$n - x$ones
  }
  flip <- min(x$flip, 1 - x$flip)
  none <- pbinom(hits - 1, x$n, flip, lower.tail = FALSE)
  one <- (1 - flip) * pbinom(hits - 1, x$n - 1, flip) +
    flip * pbinom(hits, x$n - 1, flip)
  if (x$kind == "any") {
    list(zero = none, one = one)
  } else {
    list(zero = one, one = none)
  }
}

# Cantelli's inequality with the largest variance, if flips differ: a tally keeps sums alone.
variance_tails <- function(x) {
  tail <- function(distance) {
    chance <- x$bound / (x$bound + pmax(distance, 0)^2)
    ifelse(is.nan(chance), 1, chance)
  }
  list(zero = tail(x$estimate), one = tail(1 - x$estimate))
}

# The bits of different elements were randomized on their own.
covariance_of.rr_extreme <- function(x) diag(x$variance, length(x$variance))

title_of.rr_extreme <- function(x) {
  paste0(
    c(any = "OR", all = "AND")[[x$kind]], " of ",
    paste(format_count(unique(range(x$n))), collapse = " to "), " noisy bits",
    if (!is.na(x$flip)) {
      paste0(", flip ", format(x$flip, digits = 4))
    }
  )
}

printed_table.rr_extreme <- function(x, n) {
  tidy(x)[c("term", "estimate", "std.error", "std.error.max")]
}

notes_of.rr_extreme <- function(x, table) {
  c(
    if (anyNA(table$std.error)) {
      c(
        "  std.error is NA where the unbiased variance estimate is negative;",
        "  std.error.max is a guaranteed upper bound."
      )
    },
    if (any(is.infinite(x$estimate))) {
      "  Beyond the range of a double: tidy() has sign and logarithm."
    }
  )
}
