#' Local hashing (OLH, BLH), a frequency oracle
#'
#' Each respondent draws a hash function from \eqn{K} categories to \eqn{g} values, and reports it with a randomized hash value of the truth. The true
#' value is reported with probability \eqn{e^\epsilon / (e^\epsilon + g - 1)}. A report supports the categories that its function sends to its value.
#' The function is drawn independently of the truth and reveals nothing about it.
#'
#' @section The hash functions:
#' Categories have public codes \eqn{z}, different residues of a prime \eqn{P \ge \max(K, 64 g)}{P >= max(K, 64 g)}, and
#' \eqn{h(v) = \lfloor ((a z_v + b) \bmod P) g / P \rfloor}{h(v) = floor(((a z[v] + b) mod P) g / P)} with a slope \eqn{a} from 1 to
#' \eqn{P - 1} and a shift \eqn{b} from 0 to \eqn{P - 1}. Any two categories collide with exactly the same probability \eqn{\kappa}, slightly below
#' \eqn{1 / g}. So \eqn{q = q_g + (p - q_g)\kappa}, \eqn{q_g = 1 / (e^\epsilon + g - 1)}, is exact.
#'
#' @section Reports of other clients:
#' The hash functions of other libraries, such as xxHash in OLH of pure-LDP, are not the functions above, and the package reads none of their (seed, value) pairs. The server of the
#' library counts the supports. Their \eqn{q} is \eqn{1 / g}, not the smaller \eqn{q} above: read the counts by `rr_unary(levels, p = p, q = 1 / g)` with the
#' \eqn{p} above, which has the same epsilon. Read by `rr_local_hash()` the shares are too large; [rr_estimate()] warns once the reports show it.
#'
#' @section Cohorts:
#' With `cohorts = M` there are \eqn{M} fixed public functions, and each respondent draws one of them. The tally is a table of the \eqn{M g} possible
#' reports. The law is a channel that holds the functions, so that `method = "inv"` (least squares) and `"mle"` have no bias from their choice. Fresh
#' functions have a smaller error and are faster to count.
#'
#' @inheritParams rr_grr
#' @param optimized Logical. `TRUE` (default): the \eqn{g} of least error, about \eqn{e^\epsilon + 1} (OLH). `FALSE`: \eqn{g = 2} (BLH).
#' @param g Whole number, at least 2, in place of `optimized`. Number of hash values.
#' @param cohorts Whole number of shared hash functions, or `NULL` (default): a fresh function for each respondent.
#' @return A mechanism of class `c("rr_local_hash", "rr_mechanism")` with `g`, `prime`, `codes`, `collision` (\eqn{\kappa}), `p`, `q`, `p_minus_q`,
#'   `cohorts`; the rest is in its [law][rr_law]. [rr_perturb()] returns a tibble with whole numbers: `slope`, `shift` and `value` (1 to `g`), or
#'   `cohort` and `value`.
#' @section Errors:
#' `candor_error_argument` for numbers out of range. `candor_error_too_large` if the table of cohorts does not fit in memory.
#' @references Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX
#'   Security*, 729-745. arXiv:1705.04421
#'
#'   Carter, J. L. and Wegman, M. N. (1979). Universal classes of hash functions. *Journal of Computer and System
#'   Sciences* 18(2), 143-154. \doi{10.1016/0022-0000(79)90044-8}
#' @seealso [rr_hadamard()], whose reports are smaller; [rr_longitudinal()] for repeated reports; [rr_recommend()].
#' @concept local differential privacy
#' @concept frequency oracle
#' @concept optimized local hashing
#' @concept OLH
#' @examples
#' # 1,000 categories, 20,000 people: is category 7, which a tenth of them
#' # hold, found?
#' mechanism <- rr_local_hash(1000, epsilon = 2)
#' mechanism$g   # 8
#' set.seed(1)
#' truth <- rep(c(7, 1:900), c(2000, rep(20, 900)))
#' reports <- rr_perturb(truth, mechanism, rng = "R")
#' reports
#' tidy(rr_estimate(reports, mechanism, method = "inv"), terms = "7")
#' # 0.097 (standard error 0.007)
#' @export
rr_local_hash <- function(levels, epsilon, optimized = TRUE, g = NULL, cohorts = NULL, ...) {
  check_dots_empty(...)
  levels <- check_levels(levels)
  k <- length(levels$labels)
  epsilon <- check_epsilon(epsilon)
  check_flag(optimized, "optimized")
  g <- if (!is.null(g)) check_count(g, "g", min = 2, max = largest_buckets)
    else if (optimized) best_buckets(epsilon) else 2
  prime <- hash_prime(k, g)
  numbers <- hash_numbers(epsilon, g, prime)
  shared <- !is.null(cohorts)
  if (shared) {
    cohorts <- check_count(cohorts, "cohorts", min = 1, max = .Machine$integer.max)
    if (k * cohorts * g > 1e8) abort("{.arg cohorts} makes a table that is too large.", "too_large")
  }
  with_recipe(
    new_rr_mechanism(
      c("local_hash", "protocol"),
      levels$labels,
      reports = if (shared) cohort_reports(cohorts, g) else levels$labels,
      numeric_truths = levels$numeric,
      epsilon = epsilon,
      design = paste0(
        "Local hashing (g = ", format_count(g),
        if (shared) paste0(", ", format_count(cohorts), " shared functions"), ")"
      ),
      linked = "hash function",
      g = g,
      sampler = support_sampler(g),
      prime = prime,
      codes = public_codes(k, prime),
      collision = numbers$collision,
      p = numbers$p,
      q = numbers$q,
      p_minus_q = numbers$difference,
      odds = expm1(epsilon),
      cohorts = cohorts,
      functions = if (shared) shared_functions(k, prime, cohorts),
      law = if (!shared) support_law(numbers, expm1(epsilon)),
      codec = if (shared) {
        report_codec(cohort = c(1, cohorts), value = c(1, g))
      } else {
        report_codec(
          slope = c(1, prime - 1), shift = c(0, prime - 1),
          value = c(1, g)
        )
      }
    ),
    "rr_local_hash", epsilon = epsilon, g = g, cohorts = cohorts
  )
}

# The functions that the cohorts share follow from public numbers.
shared_functions <- function(k, prime, cohorts) {
  key <- c(1, k, prime, cohorts)
  list(
    slope = .Call(C_rr_public_numbers, c(key, 1), prime - 1, cohorts, FALSE) + 1L,
    shift = .Call(C_rr_public_numbers, c(key, 2), prime, cohorts, FALSE)
  )
}

cohort_reports <- function(cohorts, g) {
  paste0(
    rep(seq_len(cohorts), each = g), ":", rep(seq_len(g), cohorts)
  )
}

largest_prime <- 2147483647
largest_buckets <- 33554431

# The whole g with g - 1 = the least t with t (t + 1) >= E^2.
best_buckets <- function(epsilon) {
  if (epsilon > 17) return(largest_buckets)
  t <- max(1, floor(exp(epsilon)) - 1)
  while (log(t) + log1p(t) < 2 * epsilon) t <- t + 1
  t + 1
}

hash_prime <- function(k, g) {
  n <- min(ceiling(max(k, 64 * g)), largest_prime)
  is_prime <- function(m) {
    divisors <- seq(3, sqrt(m), by = 2)
    m %% 2 == 1 && all(m %% divisors != 0)
  }
  while (!is_prime(n)) n <- n + 1
  n
}

# The codes are public and the same on every machine: they depend on the sizes alone.
public_codes <- function(k, prime) {
  key <- c(0, k, prime)
  if (prime <= max(4e6, 4 * k)) {
    return(.Call(C_rr_public_numbers, key, prime, k, TRUE))
  }
  unique(.Call(C_rr_public_numbers, key, prime, 2 * k + 64, FALSE))[
    seq_len(k)
  ]
}

# Buckets have m or m + 1 residues: sums over them are sums of two terms.
hash_numbers <- function(epsilon, g, prime) {
  z <- exp(-epsilon)
  total <- 1 + (g - 1) * z
  p <- 1 / total
  other <- z / total
  m <- c(floor(prime / g), floor(prime / g) + 1)
  times <- c(g - prime %% g, prime %% g)
  pairs <- prime * (prime - 1)
  collision <- sum(times * m * (m - 1)) / pairs
  # Three categories are all in one bucket, or two of them are and not the third. A prime of 2 has
  # no three.
  remaining <- max(1, prime - 2)
  three <- sum(times * m * (m - 1) * (m - 2)) / pairs / remaining
  two <- sum(times * (prime - m) * m * (m - 1)) / pairs / remaining
  gain <- -expm1(-epsilon) / total
  list(
    p = p,
    q = other + gain * collision,
    difference = gain * (sum(times * m * (prime - m)) / pairs),
    collision = collision,
    both_own = p * collision,
    both_other = p * three + other * two
  )
}

# The same for a hash whose values are independent and uniform; g may be infinite.
ideal_hash <- function(epsilon, g) {
  others <- if (is.finite(g)) exp(-epsilon) * (g - 1) else 1
  list(
    p = 1 / (1 + others),
    q = 1 / g,
    lie = others / (1 + others),
    difference = -expm1(-epsilon) * (1 - 1 / g) / (1 + others)
  )
}

#' @export
rr_law.rr_local_hash <- function(mechanism, ...) {
  if (!is.null(mechanism$law)) return(mechanism$law)
  # Rows are reports (value by value, cohort by cohort), columns truths.
  table <- hash_table(mechanism)
  k <- nrow(table)
  m <- ncol(table)
  g <- mechanism$g
  z <- exp(-mechanism$epsilon)
  matrix <- matrix(
    z / (1 + (g - 1) * z) / m, m * g, k
  )
  matrix[cbind(as.vector(t(table)) + (seq_len(m) - 1) * g, rep(seq_len(k), each = m))] <-
    1 / (1 + (g - 1) * z) / m
  new_law_channel(list(list(matrix = matrix)))
}

hash_sizes <- function(mechanism) as.integer(c(mechanism$prime, mechanism$g))

hash_table <- function(mechanism) {
  functions <- mechanism$functions
  .Call(C_rr_hash_table, functions$slope, functions$shift, hash_sizes(mechanism), mechanism$codes)
}

draw_reports.rr_local_hash <- function(mechanism, answers, rng = "secure") {
  functions <- if (!is.null(mechanism$cohorts)) unname(mechanism$functions)
  draw_protocol(mechanism, answers, rng, function(positions, levels, generator) {
    .Call(
      C_rr_draw_hash, positions, 1L, levels, mechanism$epsilon, hash_sizes(mechanism),
      mechanism$codes, functions, generator
    )
  })
}

count_reports.rr_local_hash <- function(
  mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...
) {
  if (!is.null(mechanism$cohorts)) return(NextMethod())
  read <- read_reports(x, mechanism, na.rm, groups, weights)
  reports <- read$reports
  count <- function(...) count_hashed(mechanism, ...)
  # A device with a permanent function sends the same one in each report.
  witness <- if (!is_memoised(mechanism)) {
    length(unique(reports$slope * mechanism$prime + reports$shift))
  }
  # If several reports share a slope, a kernel counts slope by slope; it takes one group at a time.
  slopes <- length(unique(reports$slope))
  k <- length(mechanism$levels)
  if (read$each * slopes * (2 * mechanism$prime + k) >=
      as.double(nrow(reports)) * k) {
    return(counted_reports(
      count(reports, NULL, read$groups, read$each, read$weights), read, witness = witness
    ))
  }
  counts <- vapply(
    seq_len(read$each),
    function(group) {
      chosen <- if (is.null(groups)) {
        seq_len(nrow(reports))
      } else {
        which(read$groups == group)
      }
      some <- lapply(reports, `[`, chosen)
      as.vector(
        count(
          some, order(some$slope, method = "radix") - 1L, NULL, 1,
          read$weights[chosen]
        )
      )
    },
    numeric(k)
  )
  counted_reports(counts, read, witness = witness)
}

count_hashed <- function(mechanism, reports, order, groups, each, weights) {
  .Call(
    C_rr_count_hashed, reports$slope, reports$shift, reports$value, hash_sizes(mechanism),
    mechanism$codes, order, groups, each, weights
  )$counts
}

report_sets.rr_local_hash <- function(mechanism, x) {
  if (!is.null(mechanism$cohorts)) return(NextMethod())
  reports <- read_reports(x, mechanism)$reports
  .Call(
    C_rr_hashed_to_bits, reports$slope, reports$shift, reports$value, hash_sizes(mechanism),
    mechanism$codes
  )
}

# All lie within one of the sets of so many functions.
witness_chance.rr_local_hash <- function(mechanism, witness, n) {
  functions <- mechanism$prime * (mechanism$prime - 1)
  few <- pmin(witness, functions)
  lchoose(functions, few) + n * log(few / functions)
}

# ---- answers that are kept ----

# A respondent's hash function. It does not depend on the answer, so that that of any report will
# do.
draw_functions.rr_local_hash <- function(mechanism, n, rng) {
  unclass(draw_reports(mechanism$first, rep(1L, n), rng))[
    c("slope", "shift")
  ]
}

memory_keys.rr_local_hash <- function(mechanism, answers, memory) {
  hash_values(mechanism, answers, memory$functions)
}

# The first stage of the hash value. The function reveals nothing: the value goes through both
# stages.
permanent_stage.rr_local_hash <- function(mechanism) {
  rr_grr(mechanism$g, epsilon = mechanism$first$epsilon)
}

# floor(((a z + b) mod P) g / P) + 1. A product of two numbers below 2^31 is taken in halves: no
# double loses a digit.
hash_values <- function(mechanism, answers, functions) {
  prime <- mechanism$prime
  z <- as.double(mechanism$codes[answers])
  a <- as.double(functions$slope)
  high <- floor(a / 65536)
  product <- ((high * z) %% prime * 65536 + (a - 65536 * high) * z) %%
    prime
  ((product + functions$shift) %% prime * mechanism$g) %/% prime + 1
}

# The facts with the shares of the residues that each hash value has, and without those of three
# categories: a hash function is independent of pairs of categories, while the joint hash values of
# three depend on their codes.
#' @export
client_facts.rr_local_hash <- function(mechanism, reports, x) {
  facts <- NextMethod()
  others <- row(facts$both) != x & col(facts$both) != x &
    row(facts$both) != col(facts$both)
  facts$both[others] <- NA
  first_residues <- ceiling(0:mechanism$g * mechanism$prime / mechanism$g)
  facts$values <- diff(first_residues) / mechanism$prime
  facts
}

#' @export
score_reader.rr_local_hash <- function(mechanism, name) {
  if (is.null(mechanism$cohorts)) return(NextMethod())
  scores <- channel_scores(mechanism, name)
  function(x) {
    read <- rr_reports(x, mechanism)
    index <- (read$cohort - 1L) * as.integer(mechanism$g) + read$value
    scores[index, , drop = FALSE]
  }
}

client_plan.rr_local_hash <- function(mechanism) {
  if (mechanism$g * mechanism$prime >= 2^52) {
    refuse_client(mechanism, "It hashes to too many values.")
  }
  functions <- lapply(mechanism$functions, I)
  new_plan(
    "hash",
    mechanism,
    chance = support_words(mechanism),
    g = mechanism$g,
    prime = mechanism$prime,
    codes = I(mechanism$codes),
    slopes = functions$slope,
    shifts = functions$shift
  )
}
