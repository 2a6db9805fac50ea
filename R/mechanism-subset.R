#' @rdname rr_unary
#' @order 2
#' @section Subset selection:
#' A report is a set of \eqn{\omega} of the \eqn{K} categories. The truth is in the set with probability \eqn{p}, and the others are drawn
#' uniformly. With \eqn{\omega = 1} it is k-ary randomized response. With \eqn{E = e^\epsilon}, each set that holds the truth is \eqn{E} times as likely as one without it:
#' \deqn{p = \frac{\omega E}{\omega E + K - \omega}, \quad q = p \frac{\omega - 1}{K - 1} + (1 - p) \frac{\omega}{K - 1}.}{p =
#'   omega E / (omega E + K - omega),
#'   q = p (omega - 1) / (K - 1) + (1 - p) omega / (K - 1).}
#' The best size is one of the two whole numbers next to \eqn{K / (E + 1)}. A report lists its categories in increasing order, because any order
#' that depends on the draw would reveal the truth.
#'
#' @param size Whole number, 1 to \eqn{K - 1}; by default the best. Number of categories in a report.
#' @return `rr_subset()`: a mechanism of class `c("rr_subset", "rr_mechanism")` with the same elements and `size`.
#'   [rr_perturb()] returns [sets of numbers][rr_reports], or packed bits if these are smaller.
#' @references Ye, M. and Barg, A. (2018). Optimal schemes for discrete distribution estimation under locally differential privacy.
#'   *IEEE Transactions on Information Theory* 64(8), 5662-5676. arXiv:1702.00610
#' @concept subset selection
#' @examples
#'
#' # Which of 20 pages do 21,000 visitors read most, if each report is a set
#' # of pages?
#' mechanism <- rr_subset(20, epsilon = 1)
#' mechanism$size   # 5
#' set.seed(1)
#' reports <- rr_perturb(rep(1:20, 100 * 20:1), mechanism, rng = "R")
#' reports[1:3]
#' coef(rr_estimate(reports, mechanism, method = "inv"))[1:3]   # about 0.1
#' @export
rr_subset <- function(levels, epsilon, size = NULL, ...) {
  check_dots_empty(...)
  levels <- check_levels(levels)
  k <- length(levels$labels)
  epsilon <- check_epsilon(epsilon)
  size <- if (is.null(size)) {
    best_subset_size(k, epsilon)
  } else {
    check_count(size, "size", min = 1, max = k - 1)
  }
  numbers <- subset_numbers(k, epsilon, size)
  with_recipe(
    new_rr_mechanism(
      c("subset", "protocol"),
      levels$labels,
      numeric_levels = levels$numeric,
      epsilon = epsilon,
      design = sprintf(
        "Subset selection (%s of %s categories)", format_count(size), format_count(k)
      ),
      size = size,
      p = numbers$p,
      q = numbers$q,
      p_minus_q = numbers$difference,
      odds = expm1(epsilon),
      sampler = support_sampler(k / size),
      law = support_law(numbers, expm1(epsilon)),
      codec = report_codec(
        levels = levels$labels, numeric_levels = levels$numeric, ones = as.double(size)
      )
    ),
    "rr_subset", epsilon = epsilon, size = size
  )
}

# The size w for which (w E + K - w)^2 / (w (K - w)) is least, in z = exp(-epsilon): no overflow.
best_subset_size <- function(k, epsilon) {
  z <- exp(-epsilon)
  near <- unique(
    clamp(
      floor(k * z / (1 + z)) + 0:1, 1, k - 1
    )
  )
  near[
    which.min(
      (near + (k - near) * z)^2 / (near * (k - near))
    )
  ]
}

subset_numbers <- function(k, epsilon, w) {
  z <- exp(-epsilon)
  total <- w + (k - w) * z
  p <- w / total
  lie <- (k - w) * z / total
  list(
    p = p,
    lie = lie,
    q = (p * (w - 1) + lie * w) / (k - 1),
    difference = w * (k - w) * -expm1(-epsilon) /
      ((k - 1) * total),
    both_own = p * (w - 1) / (k - 1),
    both_other = if (k > 2) {
      (p * (w - 1) * (w - 2) +
        lie * w * (w - 1)) / ((k - 1) * (k - 2))
    } else {
      0
    }
  )
}

draw_reports.rr_subset <- function(mechanism, answers, rng = "secure") {
  packed <- packs_bits(mechanism$codec)
  if (packed) check_report_memory(answers, mechanism)
  draw_protocol(mechanism, answers, rng, function(positions, levels, generator) {
    .Call(
      C_rr_draw_subset, positions, 1L, levels, mechanism$epsilon, mechanism$size, packed, generator
    )
  })
}

#' @export
rr_matrix.rr_subset <- function(mechanism, ...) {
  k <- length(mechanism$levels)
  w <- mechanism$size
  number <- choose(k, w)
  check_report_number(mechanism, number)
  sets <- combn(k, w)
  z <- exp(-mechanism$epsilon)
  one <- k / (number * (w + (k - w) * z))
  chances <- matrix(one * z, k, number)
  chances[cbind(as.vector(sets), as.vector(col(sets)))] <- one
  labels <- apply(sets, 2, function(set) {
    paste0("{", paste(mechanism$levels[set], collapse = ", "), "}")
  })
  named_matrix(mechanism, chances, labels)
}

client_plan.rr_subset <- function(mechanism) {
  new_plan("subset", mechanism, chance = support_words(mechanism), size = mechanism$size)
}
