#' @rdname rr_hadamard
#' @section Projective geometry response:
#' If the number of categories fits the geometry, the protocol is optimal. Categories are the first \eqn{K} points of a projective space of \eqn{t} coordinates over the field of \eqn{s} elements. A report is a point too, and
#' supports the categories on its hyperplane. With \eqn{N_j = (s^j - 1) / (s - 1)} there are \eqn{v = N_t} reports; \eqn{k = N_{t-1}} of them support
#' a category, and \eqn{l = N_{t-2}} two given categories. A report that supports the truth is \eqn{e^\epsilon} times as likely as any other:
#' \deqn{p = \frac{k e^\epsilon}{Z}, \quad q = \frac{l e^\epsilon + k - l}{Z}, \quad Z = k e^\epsilon + v - k.}{p = k E / Z,
#'   q = (l E + k - l) / Z,  Z = k E + v - k,  E = e^epsilon.}
#' The estimate of a share is the share of the reports that support the category, less \eqn{q}, over \eqn{p - q}. Its variance is the variance of
#' [rr_subset()] with these numbers.
#'
#' @param order Prime power, 2 to 46,340. Number of elements of the field, by default the number of least variance of a share of 0 among the prime powers
#'   up to \eqn{4 e^\epsilon + 8} and the least prime power of at least \eqn{K - 1}, whose space has two coordinates. The space has the fewest coordinates that give each category a point.
#' @return `rr_projective()`: a mechanism of class `c("rr_projective", "rr_mechanism")` with `order` (\eqn{s}), `coordinates` (\eqn{t}), `points` (\eqn{v}), `p`, `q` and
#'   `p_minus_q`. [rr_perturb()] returns whole numbers from 1 to \eqn{v}.
#' @references Feldman, V., Nelson, J., Nguyen, H. and Talwar, K. (2022). Private frequency estimation via projective geometry. *ICML*, 6418-6433.
#'   arXiv:2203.00194
#'
#'   Park, S.-Y., Nam, S.-H. and Lee, S.-H. (2023). Exactly optimal and communication-efficient private estimation via block designs.
#'   *IEEE Journal on Selected Areas in Information Theory*. arXiv:2305.01261
#' @concept projective geometry response
#' @concept PGR
#' @concept block design
#' @examples
#'
#' # 1,000 pages, and a point from each of 20,000 visitors, a tenth of whom
#' # read page 7: is it found?
#' mechanism <- rr_projective(1000, epsilon = 2)
#' mechanism$order   # 8
#' set.seed(1)
#' truth <- rep(c(7, 1:900), c(2000, rep(20, 900)))
#' reports <- rr_perturb(truth, mechanism, rng = "R")
#' head(reports)
#' tidy(rr_estimate(reports, mechanism, method = "inv"), terms = "7")
#' # 0.096 (standard error 0.007)
#' @export
rr_projective <- function(levels, epsilon, order = NULL, ...) {
  check_dots_empty(...)
  levels <- check_levels(levels)
  k <- length(levels$labels)
  epsilon <- check_epsilon(epsilon)
  order <- if (is.null(order)) as.double(best_order(k, epsilon))
    else check_count(order, "order", min = 2, max = largest_order)
  prime <- prime_base(order)
  check_that(!is.na(prime), order, "order", "a prime power")
  numbers <- projective_numbers(k, epsilon, order)
  if (numbers$points > .Machine$integer.max) {
    abort("{.arg order} must make fewer than 2^31 reports.", "too_large")
  }
  field <- finite_field(order, prime)
  labels <- number_text(seq_len(numbers$points))
  with_recipe(
    new_rr_mechanism(
      c("projective", "protocol"),
      levels$labels,
      reports = labels,
      numeric_levels = as.double(seq_len(numbers$points)),
      numeric_truths = levels$numeric,
      epsilon = epsilon,
      design = sprintf(
        "Projective geometry response (%s over the field of %s)",
        number_of(numbers$coordinates, "coordinate"), format_count(order)
      ),
      order = order,
      coordinates = numbers$coordinates,
      points = numbers$points,
      p = numbers$p,
      q = numbers$q,
      p_minus_q = numbers$difference,
      field = field,
      sampler = support_sampler(numbers$points / numbers$hyperplane),
      law = new_law_projective(k, numbers, epsilon, field),
      codec = report_codec(report = c(1, numbers$points))
    ),
    "rr_projective", epsilon = epsilon, order = order
  )
}

# ---- the plan ----

# The prime of which each order is a power, NA if there is none.
prime_base <- function(x) {
  vapply(x, function(order) {
    divisors <- seq(2, max(2, floor(sqrt(order))))
    prime <- c(divisors[order %% divisors == 0], order)[1]
    while (order %% prime == 0) order <- order / prime
    if (order == 1) prime else NA_real_
  }, 0)
}

# The numbers of the design of fewest coordinates, for one or several orders; in z = exp(-epsilon).
projective_numbers <- function(k, epsilon, order) {
  points <- function(coordinates) (order^coordinates - 1) / (order - 1)
  coordinates <- pmax(
    2, ceiling(log1p(k * (order - 1)) / log(order))
  )
  # The rounding of a logarithm may add a coordinate if there are as many points as categories.
  coordinates <- coordinates - (coordinates > 2 & points(coordinates - 1) >= k)
  all <- points(coordinates)
  hyperplane <- points(coordinates - 1)
  intersection <- points(coordinates - 2)
  z <- exp(-epsilon)
  total <- hyperplane + (all - hyperplane) * z
  list(
    coordinates = coordinates,
    points = all,
    hyperplane = hyperplane,
    p = hyperplane / total,
    q = (intersection + (hyperplane - intersection) * z) / total,
    lie = (all - hyperplane) * z / total,
    difference = order^(coordinates - 2) * -expm1(-epsilon) / total
  )
}

# The probability that the best guess of one of k equally likely categories from a report is right.
# The categories are the points (1, a_2, ..., a_t) with the last coordinates running fastest. A
# hyperplane contains some of them if its first coordinate is 0, or if it has another than 0 where
# all elements occur. The slowest coordinate that varies has `values` elements. The other
# hyperplanes are `n_missing`: they have no category.
projective_success <- function(k, epsilon, order) {
  numbers <- projective_numbers(k, epsilon, order)
  n_digits <- floor(log(k * (1 + 1e-12)) / log(order))
  values <- ceiling(k / order^n_digits)
  affine <- order^(numbers$coordinates - 1)
  n_missing <- if (k > affine) {
    0
  } else {
    affine / order^(n_digits + 1) * (order - values + 1)
  }
  (numbers$points + n_missing * expm1(-epsilon)) * numbers$p / numbers$hyperplane / k
}

# The largest order: with more elements three coordinates have 2^31 points or more.
largest_order <- 46340

# The order of least variance of a share of 0, among two kinds. An order above 4 e^epsilon + 8 can
# only waste reports, except the least order of two coordinates, which makes the fewest reports.
best_order <- function(k, epsilon) {
  max_order <- min(
    k - 1, floor(4 * exp(min(epsilon, 16))) + 8, largest_order
  )
  orders <- seq(2, max(2, max_order))
  orders <- c(orders[!is.na(prime_base(orders))], line_order(k))
  numbers <- projective_numbers(k, epsilon, orders)
  variance <- numbers$q * (1 - numbers$q) / numbers$difference^2
  variance[numbers$points > .Machine$integer.max] <- Inf
  orders[which.min(variance)]
}

# The least order whose line, a space of two coordinates, has k points; NULL if it is too large.
line_order <- function(k) {
  order <- max(2, k - 1)
  while (order <= largest_order && is.na(prime_base(order))) order <- order + 1
  if (order <= largest_order) order
}

# ---- the field ----

# A field of prime^degree elements as list(prime, power, logarithm). Elements are whole numbers
# whose digits to the base of the prime are the coefficients of a polynomial, the constant first.
# The list has the powers of a generator from its 0th on, and the logarithm of each element.
finite_field <- function(order, prime) {
  degree <- round(log(order) / log(prime))
  modulus <- if (degree > 1) least_irreducible(prime, degree)
  generator <- 1
  repeat {
    power <- powers_of(generator, order, prime, modulus)
    if (!anyDuplicated(power)) break
    generator <- generator + 1
  }
  logarithm <- integer(order)
  logarithm[power + 1] <- seq_along(power) - 1L
  list(prime = as.integer(prime), power = as.integer(power), logarithm = logarithm)
}

digits_of <- function(x, prime, number) x %/% prime^(seq_len(number) - 1) %% prime

# The first order - 1 powers of a generator. In a prime field each half follows from the half
# before.
powers_of <- function(generator, order, prime, modulus) {
  if (is.null(modulus)) {
    powers <- 1
    while (length(powers) < order - 1) {
      step <- (powers[length(powers)] * generator) %% prime
      powers <- c(powers, (powers * step) %% prime)
    }
    return(powers[seq_len(order - 1)])
  }
  degree <- length(modulus) - 1
  weights <- prime^(seq_len(degree) - 1)
  factor <- digits_of(generator, prime, degree)
  power <- c(1, numeric(degree - 1))
  vapply(seq_len(order - 1), function(i) {
    element <- sum(power * weights)
    power <<- remainder_of(multiply_polynomials(power, factor), modulus, prime)
    element
  }, 0)
}

multiply_polynomials <- function(a, b) {
  product <- numeric(length(a) + length(b) - 1)
  for (i in seq_along(a)) {
    index <- i + seq_along(b) - 1
    product[index] <- product[index] + a[i] * b
  }
  product
}

# The remainder of a polynomial over one with highest coefficient 1: as many coefficients as that
# has degrees.
remainder_of <- function(dividend, divisor, prime) {
  degree <- length(divisor) - 1
  for (top in rev(seq_along(dividend)[-seq_len(degree)])) {
    index <- top - degree:0
    dividend[index] <- (dividend[index] - dividend[top] * divisor) %% prime
  }
  c(dividend, numeric(degree))[seq_len(degree)] %% prime
}

# The irreducible polynomial of smallest number with highest coefficient 1: no polynomial of at most
# half its degree divides it.
least_irreducible <- function(prime, degree) {
  divisors <- lapply(seq_len(degree %/% 2), function(d) {
    lapply(prime^d + seq_len(prime^d) - 1, digits_of, prime, d + 1)
  })
  divisors <- unlist(divisors, recursive = FALSE)
  for (number in prime^degree + seq_len(prime^degree) - 1) {
    polynomial <- digits_of(number, prime, degree + 1)
    divides <- function(divisor) all(remainder_of(polynomial, divisor, prime) == 0)
    if (!any(vapply(divisors, divides, NA))) break
  }
  polynomial
}

# ---- respondents ----

draw_reports.rr_projective <- function(mechanism, answers, rng = "secure") {
  draw_protocol(mechanism, answers, rng, function(positions, levels, generator) {
    .Call(
      C_rr_draw_projective, positions, 1L, levels, mechanism$epsilon, mechanism$sampler$factor,
      mechanism$field, mechanism$coordinates, generator
    )
  })
}

# ---- the law ----

# The law of projective geometry response: finitely many reports of two probabilities, never as a
# matrix. The sums of reports over the hyperplane of each category are one transform, which is its
# own adjoint.
new_law_projective <- function(k, numbers, epsilon, field) {
  new_rr_law(
    "projective",
    "a report is a point of a projective space",
    truths = k,
    points = numbers$points,
    p = numbers$p,
    q = numbers$q,
    difference = numbers$difference,
    epsilon = epsilon,
    hyperplane = numbers$hyperplane,
    field = field,
    coordinates = numbers$coordinates,
    probabilities = support_texts(numbers$p, numbers$q),
    binomial = list(a = numbers$difference, b = numbers$q, odds = expm1(epsilon)),
    gives = c(
      "inverse", "scores", "exact", "binomial", "profile",
      if (k * numbers$points <= sets_bits_limit) c("likelihood", "channel", "question")
    )
  )
}

hyperplane_sums <- function(law, values, k = law$truths) {
  .Call(C_rr_hyperplane_sums, as.double(values), law$field, law$coordinates, k)
}

# The sums of values of categories for all reports, by the same transform.
report_sums <- function(law, values) {
  hyperplane_sums(law, c(values, numeric(law$points - law$truths)), law$points)
}

# The probability `high` of a report that supports the truth, and `low` of any other.
report_chances <- function(law) {
  z <- exp(-law$epsilon)
  high <- law$p / law$hyperplane
  list(low = high * z, high = high)
}

binomial_counts.rr_law_projective <- function(law, evidence) {
  list(counts = hyperplane_sums(law, evidence$counts), n = evidence$n)
}

law_unbiased.rr_law_projective <- function(law, evidence) {
  (hyperplane_sums(law, evidence$counts) / evidence$n - law$q) / law$difference
}

law_expected.rr_law_projective <- function(law, theta) {
  chances <- report_chances(law)
  chances$low * sum(theta) +
    (chances$high - chances$low) * report_sums(law, theta)
}

law_axes.rr_law_projective <- function(law, k) list(projective_axis(law, seq_len(law$points)))

projective_axis <- function(law, reports) {
  bits <- .Call(
    C_rr_hyperplane_bits, as.integer(reports) - 1L, law$field, law$coordinates, law$truths
  )
  c(
    list(bits = bits, truths = law$truths), report_chances(law),
    law[c("q", "difference")]
  )
}

# The channel of the reports that somebody gave: others have no information.
report_channel.rr_law_projective <- function(law, evidence) {
  reports <- which(evidence$counts > 0)
  evidence$counts <- evidence$counts[reports]
  list(
    law = new_law_channel(list(projective_axis(law, reports))),
    evidence = evidence,
    logs = numeric(length(reports))
  )
}

# ---- uncertainty ----

# The terms of each report in functions of the shares, a column for each function.
projective_terms <- function(law, functions) {
  added <- apply(functions, 1, function(weights) {
    (report_sums(law, weights) - law$q * sum(weights)) / law$difference
  })
  matrix(added, ncol = nrow(functions))
}

law_second_moments.rr_law_projective <- function(law, k, weights) {
  squares <- projective_terms(law, matrix(weights, 1))^2
  chances <- report_chances(law)
  chances$low * sum(squares) +
    (chances$high - chances$low) * hyperplane_sums(law, squares)
}

term_squares.rr_law_projective <- function(law, evidence, cells) {
  phi <- hyperplane_sums(law, evidence$counts)[cells] / evidence$n
  (phi * (1 - law$q)^2 +
    (1 - phi) * law$q^2) / law$difference^2
}

term_products.rr_law_projective <- function(law, evidence, cells) {
  functions <- matrix(0, length(cells), law$truths)
  functions[cbind(seq_along(cells), cells)] <- 1
  crossprod(projective_terms(law, functions) * sqrt(evidence$counts / evidence$n))
}

law_functions.rr_law_projective <- function(law, evidence, functions, target, variances = FALSE) {
  functions_by_terms(law, evidence, functions, projective_terms(law, functions), target, variances)
}
