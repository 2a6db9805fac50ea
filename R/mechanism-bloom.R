#' RAPPOR: Bloom filters, cohorts and memoized reports
#'
#' Each category sets a few bits of a Bloom filter, and different bits in each cohort. A respondent belongs to one cohort, randomizes the bits of the
#' filter once and keeps them (permanent randomized response, PRR), and reports a randomized form of these bits each time (instantaneous
#' randomized response, IRR). A report has `bits` bits, whatever the number of categories. Candidates can be added later, because the bits of a
#' category depend only on its label, `key` and the cohort.
#'
#' Without `permanent` there is one stage, **one-time RAPPOR**. [rr_perturb()] then draws the cohort and all bits of every report independently, and
#' \eqn{r} reports of one respondent reveal \eqn{r} times `epsilon`. A question that is asked again needs `permanent`.
#'
#' RAPPOR's \eqn{f} is the probability that a permanent bit is replaced by a fair coin. A reported bit is 1 with probability \eqn{q} if the
#' permanent bit is 1, and \eqn{p} if it is 0. A bit of the filter that is 1 is then reported as 1 with probability
#' \eqn{(1 - f/2) q + (f/2) p}, and a bit that is 0 with probability \eqn{(1 - f/2) p + (f/2) q}. Two filters differ in at most
#' \eqn{h = \min(hashes, bits - hashes)}{h = min(hashes, bits - hashes)} bits each way, so that all reports of one answer have
#' \eqn{\epsilon = 2 h \log((1 - f/2) / (f/2))}{epsilon = 2 h log((1 - f/2) / (f/2))}. If the budgets are given, both stages are symmetric: \eqn{p = 1 - q}.
#'
#' @section Estimation:
#' The value of `method` is one of these:
#'
#' * `"inv"`: weighted least squares of the debiased shares of bits; needs as many independent filters as categories, about bits times cohorts.
#' * `"nnls"`: the same among shares that are not negative; works with fewer filters.
#' * `"lasso"`: for many candidates, most of which nobody holds; selects categories whose bits are too frequent for chance (`alpha`, default 0.05, over all
#'   candidates), then least squares.
#' * `"mle"`: the likelihood of the reports; needs `rr_tally(keep = "sets")`.
#'
#' The covariance of `"inv"` is a sandwich with all covariances of the bits of one cohort. `"lasso"` needs the packages glmnet and quadprog; it has no
#' unconditional standard errors, because the same data made the selection. `"mle"` uses a table of different reports by categories, up to 2 GB, and
#' its standard errors need no bootstrap. Cohorts are drawn at random, also for `target = "sample"`.
#'
#' @inheritParams rr_grr
#' @param epsilon Number, 1e-12 to 700, and at least 1e-12 for each hash. Privacy budget of one report, in natural logarithms.
#' @param bits Whole number, 2 to 4096; default 32. Length of the Bloom filter.
#' @param hashes Whole number, 1 to `bits - 1`; default 2. Number of distinct bits that each category sets.
#' @param cohorts Whole number, at least 1; default 8. Number of cohorts. Each cohort has its own hash functions.
#' @param permanent Number above `epsilon`: privacy budget of all reports about one answer together. `NULL` (default): one-time RAPPOR.
#' @param f,p,q Numbers in \[0, 1\] with `f < 1` and `p != q`. RAPPOR's probabilities, instead of `epsilon` and `permanent`. Without `f` it is 0.
#' @param key Whole number, 0 to 2^32 - 1; default 1. Public seed of the hash functions.
#' @param places Bits of the categories, if other hash functions than the package's made the reports: a matrix with a row for each category and `hashes * cohorts` columns,
#'   as in the map files of Google's RAPPOR. Bit \eqn{b} of cohort \eqn{j}, both from 1, is the number \eqn{bits (j - 1) + b}{bits (j - 1) + b}; the first `hashes` columns are the first
#'   cohort's. Two hashes of a category may set the same bit. Default `NULL`: the bits follow from the labels and `key`.
#' @return A mechanism of class `c("rr_bloom", "rr_mechanism")`, with these elements among others:
#'
#' * `bits_number`, `hashes`, `cohorts`, `f`: the design.
#' * `given_0`, `given_1`: \eqn{p} and \eqn{q}.
#' * `one`, `zero`: probabilities that a 1 and a 0 of the filter is reported as 1.
#' * `places`: bits of each category: hashes by categories by cohorts.
#'
#' [rr_perturb()] returns a data frame with `cohort` (from 1) and `bits` ([packed][rr_reports]). With two stages it needs a `memory`, see
#' [rr_longitudinal()], and [rr_epsilon()] returns `report` and `permanent`.
#' @section Errors:
#' * `candor_error_argument`: numbers out of range, `permanent` not above `epsilon`, budgets together with probabilities.
#' * `candor_error_too_large`: filters that do not fit in memory.
#' * `candor_error_no_information`: an estimate that the filters do not determine.
#' @references Erlingsson, U., Pihur, V. and Korolova, A. (2014). RAPPOR: randomized aggregatable privacy-preserving ordinal
#'   response. *CCS*, 1054-1067. \doi{10.1145/2660267.2660348} (The number of bits that can differ is corrected.)
#' @seealso [rr_longitudinal()] for memoized bits without filters; [rr_count_mean_sketch()] for strings without a list; [rr_power()];
#'   `articles/rappor.html` of the site.
#' @concept Bloom filter
#' @concept RAPPOR
#' @concept permanent randomized response
#' @concept instantaneous randomized response
#' @concept memoization
#' @examples
#' # Which pages do 4,000 people open first? One report of each, from
#' # permanent bits that they keep
#' pages <- c("home", "news", "shop", "help")
#' mechanism <- rr_bloom(pages, epsilon = 2, permanent = 4,
#'                       bits = 16, hashes = 2, cohorts = 4)
#' visits <- rep(pages, c(2000, 1000, 600, 400))
#' set.seed(1)
#' # The memory stays with them
#' drawn <- rr_perturb(visits, mechanism, memory = list(), rng = "R")
#' fit <- rr_estimate(drawn$reports, mechanism, method = "inv")
#' tidy(fit, conf.int = TRUE)
#' # home 0.51 (0.46 to 0.56)
#' @export
rr_bloom <- function(
  levels,
  epsilon = NULL,
  bits = 32,
  hashes = 2,
  cohorts = 8,
  permanent = NULL,
  f = NULL,
  p = NULL,
  q = NULL,
  key = 1,
  places = NULL,
  ...
) {
  check_dots_empty(...)
  if (is.character(levels)) levels <- check_hashed_text(levels, "levels")
  levels <- check_levels(levels)
  bits <- check_count(bits, "bits", min = 2, max = 4096)
  hashes <- check_count(hashes, "hashes", min = 1, max = bits - 1)
  cohorts <- check_count(cohorts, "cohorts", min = 1, max = 1e6)
  check_filters(length(levels$labels) * cohorts * hashes)
  key <- check_key(key)
  if (is.data.frame(places)) places <- unname(as.matrix(places))
  filters <- if (is.null(places)) {
    bloom_filters(levels$labels, bits, hashes, cohorts, key)
  } else {
    map_filters(places, length(levels$labels), bits, hashes, cohorts)
  }
  # Filters in which hashes meet have fewer ones, and may differ in more bits from others.
  pairs <- if (is.null(places)) min(hashes, bits - hashes) else hashes
  numbers <- bloom_numbers(epsilon, permanent, f, p, q, pairs)
  mechanism <- new_rr_bloom(levels, epsilon, bits, hashes, cohorts, numbers, pairs, filters, key)
  with_recipe(
    mechanism, "rr_bloom", epsilon = epsilon, bits = bits, hashes = hashes, cohorts = cohorts,
    permanent = permanent, f = f, p = p, q = q, key = key, places = places
  )
}

new_rr_bloom <- function(levels, epsilon, bits, hashes, cohorts, numbers, pairs, filters, key) {
  bit <- rr_unary(bits, p = numbers$one, q = numbers$zero)
  memoised <- numbers$f > 0 && (numbers$p != 0 || numbers$q != 1)
  new_rr_mechanism(
    c("bloom", "protocol"),
    levels$labels,
    reports = bloom_reports(bits, cohorts),
    numeric_truths = levels$numeric,
    epsilon = if (is.null(epsilon)) pairs * round_sums_up(bit$epsilon) else epsilon,
    design = sprintf(
      "RAPPOR (%s of %s bits, %s)", format_count(hashes), format_count(bits),
      number_of(cohorts, "cohort")
    ),
    permanent = numbers$permanent,
    bits_number = bits,
    hashes = hashes,
    cohorts = cohorts,
    f = numbers$f,
    given_0 = numbers$p,
    given_1 = numbers$q,
    one = numbers$one,
    zero = numbers$zero,
    pairs = pairs,
    bit = bit,
    places = filters,
    key = key,
    codec = cohort_codec(bits, cohorts),
    memoised = memoised,
    linked = if (cohorts > 1) "cohort",
    second = if (memoised) rr_unary(bits, p = numbers$q, q = numbers$p)
  )
}

# Filters from the `places` of a map file: a row for each category, with the bits of each hash in
# each cohort, which are counted through all cohorts.
map_filters <- function(places, k, bits, hashes, cohorts) {
  size <- as.integer(c(k, hashes * cohorts))
  has_size <- is.numeric(places) && identical(dim(places), size)
  offsets <- rep(bits * (seq_len(cohorts) - 1), each = hashes)
  bit_index <- if (has_size) t(unname(places)) - offsets
  check_that(
    has_size && all(bit_index %in% seq_len(bits)), places, "places",
    "a matrix with a row for each category, and the places of each hash in each cohort"
  )
  aperm(
    array(as.integer(bit_index), c(hashes, cohorts, k)),
    c(1, 3, 2)
  )
}

check_key <- function(key) check_count(key, "key", max = 2^32 - 1)

check_filters <- function(n_bits) {
  if (n_bits > 5e7) {
    abort("The filters of so many categories and cohorts are too large.", "too_large")
  }
}

# list(f, p, q, permanent, one, zero): the probabilities of both stages, epsilon of all reports, and
# the probability that a report has a bit 1 that is 1, or 0, in the filter.
bloom_numbers <- function(epsilon, permanent, f, p, q, pairs) {
  numbers <- if (is.null(f) && is.null(p) && is.null(q)) {
    bloom_epsilon_numbers(epsilon, permanent, pairs)
  } else {
    check_bloom_numbers(epsilon, permanent, f, p, q)
  }
  half <- numbers$f / 2
  numbers$permanent <- numbers$permanent %||% (2 * pairs * log((1 - half) / half))
  lost <- half * (numbers$q - numbers$p)
  c(numbers, one = numbers$q - lost, zero = numbers$p + lost)
}

# The labels of the counts: of each bit and of all reports, cohort after cohort.
bloom_reports <- function(bits, cohorts) {
  counts <- c(paste0("bit ", seq_len(bits)), "all")
  cohort_labels <- function(count, cohort) paste0(cohort, ": ", count)
  as.vector(outer(counts, seq_len(cohorts), cohort_labels))
}

# list(f, p, q, permanent): f from epsilon of all reports, then the symmetric second stage from
# epsilon of one.
bloom_epsilon_numbers <- function(epsilon, permanent, pairs) {
  epsilon <- check_epsilon(epsilon)
  if (is.null(permanent)) {
    return(list(
      f = 2 * plogis(-epsilon / (2 * pairs)),
      p = 0,
      q = 1,
      permanent = epsilon
    ))
  }
  permanent <- check_number(permanent, "permanent", min = epsilon, max = 700, min_open = TRUE)
  first_signal <- tanh(permanent / (4 * pairs))
  retained <- signal_left(tanh(epsilon / (4 * pairs)) / first_signal, first_signal)
  list(
    f = 2 * plogis(-permanent / (2 * pairs)),
    p = (1 - retained) / 2,
    q = (1 + retained) / 2,
    permanent = permanent
  )
}

# list(f, p, q): the probabilities that a user gave.
check_bloom_numbers <- function(epsilon, permanent, f, p, q) {
  if (!is.null(epsilon) || !is.null(permanent)) {
    abort("Either {.arg epsilon} must be given, or {.arg f}, {.arg p} and {.arg q}.")
  }
  f <- check_number(f %||% 0, "f", min = 0, max = 1, max_open = TRUE)
  p <- check_probability(p, "p")
  q <- check_probability(q, "q")
  if (snap_to_zero(q - p, max(p, q)) == 0) abort("{.arg p} and {.arg q} must differ.")
  list(f = f, p = p, q = q)
}

# The bits that each category sets, which differ within a filter: an array, hashes x categories x
# cohorts. They depend on the label, so that candidates can be added.
bloom_filters <- function(labels, bits, hashes, cohorts, key) {
  label_bits <- function(label) {
    fingerprint <- label_print(label, key)
    chosen <- matrix(0L, hashes, cohorts)
    for (s in seq_len(hashes)) {
      # The position is counted among the bits that are left.
      position <- .Call(
        C_rr_public_numbers, c(4, key, fingerprint, s), bits - s + 1, cohorts, FALSE
      )
      for (rank in seq_len(s - 1)) {
        chosen_before <- chosen[seq_len(s - 1), , drop = FALSE]
        used <- apply(chosen_before, 2, function(column) sort(column)[rank])
        position <- position + (position >= used)
      }
      chosen[s, ] <- as.integer(position)
    }
    chosen + 1L
  }
  bit_index <- vapply(labels, label_bits, matrix(0L, hashes, cohorts), USE.NAMES = FALSE)
  aperm(
    array(bit_index, c(hashes, cohorts, length(labels))),
    c(1, 3, 2)
  )
}

# Two numbers from a label: ChaCha20 under a key that chains the label's bytes, sixteen at a time.
label_print <- function(label, key) {
  bytes <- as.integer(charToRaw(enc2utf8(label)))
  words <- c(
    bytes, integer(-length(bytes) %% 16), length(bytes), integer(15)
  )
  numbers <- colSums(matrix(words, 4) * 256^(0:3))
  state <- c(0, 0)
  for (block in seq_len(length(numbers) / 4)) {
    counter <- c(3, key, state, numbers[4 * block - 3:0])
    state <- .Call(C_rr_public_numbers, counter, 2147483647, 2, FALSE)
  }
  state
}

#' @export
rr_law.rr_bloom <- function(mechanism, ...) {
  probs <- c(mechanism$one, mechanism$zero)
  new_rr_law(
    "bloom",
    "a report has the bits of a Bloom filter",
    truths = length(mechanism$levels),
    bits = mechanism$bits_number,
    cohorts = mechanism$cohorts,
    one = mechanism$one,
    zero = mechanism$zero,
    places = mechanism$places,
    gives = c("inverse", "bits", "profile"),
    has_likelihood = all(probs > 0 & probs < 1),
    probabilities = list(
      `P(1 for a bit of the truth)  ` = mechanism$one,
      `P(1 for any other bit)       ` = mechanism$zero
    )
  )
}

#' @export
rr_matrix.rr_bloom <- function(mechanism, ...) {
  check_report_number(mechanism, mechanism$cohorts * 2^mechanism$bits_number)
  law <- rr_law(mechanism)
  matrices <- lapply(seq_len(law$cohorts), function(j) {
    filters <- t(cohort_filters(law, j))
    p_one <- law$zero + filters * (law$one - law$zero)
    probs <- bits_matrix(p_one, 1 - p_one) / law$cohorts
    colnames(probs) <- paste0(j, ": ", colnames(probs))
    probs
  })
  named_matrix(mechanism, do.call(cbind, matrices))
}

achieved.rr_bloom <- function(mechanism) {
  list(epsilon = mechanism$pairs * achieved(single_bits(mechanism))$epsilon)
}

permanent_stage.rr_bloom <- function(mechanism) turned_bits(mechanism)

# A filter whose bits are turned over with probability f / 2. It is made from its epsilon, since 1 -
# f / 2 loses the digits of a small f: it may be 1, and a bit of the truth would never be turned.
turned_bits <- function(mechanism) {
  half <- mechanism$f / 2
  epsilon <- mechanism$permanent / mechanism$pairs
  if (epsilon > 700) {
    return(rr_unary(mechanism$bits_number, p = 1 - half, q = half))
  }
  rr_unary(mechanism$bits_number, epsilon, optimized = FALSE)
}

# Each bit in which two filters of a cohort differ counts alike; `pairs` pairs of them are the most.
sensitive_permanent.rr_bloom <- function(mechanism, index) {
  n_different <- vapply(seq_len(mechanism$cohorts), function(j) {
    filters <- cohort_filters(rr_law(mechanism), j)
    max(vapply(index, function(x) {
      max(colSums(filters != filters[, x]))
    }, 0))
  }, 0)
  mechanism$permanent * max(n_different) / (2 * mechanism$pairs)
}

# The bits of one report: turned over once, or as they come out of two stages.
single_bits <- function(mechanism) {
  if (mechanism$f > 0 && !mechanism$memoised) return(turned_bits(mechanism))
  rr_unary(mechanism$bits_number, p = mechanism$one, q = mechanism$zero)
}

# ---- drawing ----

draw_reports.rr_bloom <- function(mechanism, answers, rng = "secure") {
  cohort <- draw_cohorts(mechanism, length(answers), rng)
  bits <- draw_filters(mechanism, answers, cohort, single_bits(mechanism), rng)
  join_columns(list(cohort = cohort), bits)
}

draw_cohorts <- function(mechanism, n, rng) {
  as.integer(draw_uniform(n, mechanism$cohorts, rng) + 1)
}

memory_stage.rr_bloom <- function(mechanism) {
  unclass(mechanism)[c("levels", "bits_number", "hashes", "cohorts", "key", "f")]
}

draw_functions.rr_bloom <- function(mechanism, n, rng) {
  list(cohort = draw_cohorts(mechanism, n, rng))
}

draw_permanent.rr_bloom <- function(mechanism, answers, memory, who, rng) {
  draw_filters(
    mechanism, answers[who], memory$functions$cohort[who], turned_bits(mechanism), rng
  )
}

draw_second_stage.rr_bloom <- function(mechanism, permanent, memory, rng) {
  join_columns(
    list(cohort = memory$functions$cohort), draw_second_bits(mechanism$second, permanent, rng)
  )
}

# Filters whose bits are randomized as those of `unary` are.
draw_filters <- function(mechanism, answers, cohort, unary, rng) {
  filters <- matrix(0L, length(answers), mechanism$bits_number)
  rows <- seq_along(answers)
  for (s in seq_len(mechanism$hashes)) {
    bits <- mechanism$places[cbind(rep(s, length(rows)), answers, cohort)]
    filters[cbind(rows, bits)] <- 1L
  }
  sets <- .Call(C_rr_matrix_to_bits, filters)$bits
  draw_second_bits(unary, new_rr_reports(sets, mechanism$bits_number), rng)
}

# Counts of `nsim` tallies, drawn a hundred times as fast as reports: given the truths, bits are
# independent and cohorts are drawn.
simulate_counts.rr_bloom <- function(mechanism, truth, nsim = 1) {
  law <- rr_law(mechanism)
  n_cohorts <- law$cohorts
  draw_cohort_sizes <- function(n) as.vector(rmultinom(1, n, rep(1, n_cohorts)))
  vapply(
    seq_len(nsim),
    function(i) {
      holders <- matrix(vapply(truth, draw_cohort_sizes, numeric(n_cohorts)), n_cohorts)
      cohort_counts <- function(j) {
        n <- sum(holders[j, ])
        ones <- drop(cohort_filters(law, j) %*% holders[j, ])
        from_ones <- rbinom(law$bits, ones, law$one)
        from_zeros <- rbinom(law$bits, n - ones, law$zero)
        c(from_ones + from_zeros, n)
      }
      as.vector(vapply(seq_len(n_cohorts), cohort_counts, numeric(law$bits + 1)))
    },
    numeric(length(mechanism$reports))
  )
}

# ---- a client's reports ----

# Bits are independent in each cohort; a report supports the category whose bits are all 1.
#' @export
client_facts.rr_bloom <- function(mechanism, reports, x) {
  h <- mechanism$hashes
  p_one <- c(mechanism$one, mechanism$zero)
  n <- nrow(reports)
  probs <- matrix(p_one[2], n, mechanism$bits_number)
  bit_index <- as.vector(mechanism$places[, x, reports$cohort])
  probs[cbind(rep(seq_len(n), each = h), bit_index)] <- p_one[1]
  p_pair <- crossprod(probs) / n
  diag(p_pair) <- colMeans(probs)

  p_permanent <- c(1 - mechanism$f / 2, mechanism$f / 2)
  p_bit_twice <- if (mechanism$memoised) {
    sum(p_permanent * c(mechanism$given_1, mechanism$given_0)^2)
  } else {
    p_one[1]^2
  }
  p_bits_equal <- (p_one^2 + (1 - p_one)^2)^c(h, mechanism$bits_number - h)
  list(
    bits = as.matrix(reports$bits),
    both = p_pair,
    covariance = diag(colMeans(probs * (1 - probs))),
    p_support = p_one[1]^h,
    p_support_twice = p_bit_twice^h,
    p_equal = prod(p_bits_equal) / mechanism$cohorts,
    numbers = mechanism$codec$numbers
  )
}

#' @export
reports_support.rr_bloom <- function(mechanism, reports, category) {
  bits <- as.matrix(reports$bits)
  rows <- seq_along(category)
  is_set <- lapply(seq_len(mechanism$hashes), function(s) {
    bits[cbind(rows, mechanism$places[cbind(s, category, reports$cohort)])] ==
      1
  })
  Reduce(`&`, is_set)
}

# If w are the debiased bits of a report of cohort j of m, and X[j] are the filters of that cohort,
# the scores are
#   (sum X'X)^-1 X[j]' w m.
# Weights from an estimate, as rr_estimate() has them, would make the score of one report depend on
# all others.
#' @export
score_reader.rr_bloom <- function(mechanism, name) {
  law <- rr_law(mechanism)
  ones <- rep(1, law$bits * law$cohorts)
  inverse <- tryCatch(normal_inverse(list(places = law$places, bits = law$bits), ones),
                      candor_error_no_information = function(e) NULL)
  if (is.null(inverse)) {
    abort("Filters of {.val {name}} must tell its categories apart.", c("no_information", "law"))
  }
  decoders <- lapply(seq_len(law$cohorts), function(j) {
    law$cohorts * cohort_filters(law, j) %*% inverse
  })
  function(x) {
    read <- rr_reports(x, mechanism)
    bits <- (as.matrix(read$bits) - law$zero) / (law$one - law$zero)
    scores <- matrix(0, nrow(bits), law$truths)
    for (j in unique(read$cohort)) {
      rows <- which(read$cohort == j)
      scores[rows, ] <- bits[rows, , drop = FALSE] %*% decoders[[j]]
    }
    scores
  }
}

client_plan.rr_bloom <- function(mechanism) {
  filters <- lapply(seq_len(mechanism$cohorts), function(cohort) {
    lapply(seq_along(mechanism$levels), function(x) {
      I(mechanism$places[, x, cohort] - 1)
    })
  })
  first <- if (mechanism$memoised) turned_bits(mechanism) else single_bits(mechanism)
  plan <- new_plan(
    "bloom",
    mechanism,
    numbers = first$sampler$numbers,
    cohorts = mechanism$cohorts,
    places = filters
  )
  plan$k <- mechanism$bits_number
  if (!mechanism$memoised) return(plan)
  new_plan("memoised", mechanism, first = plan, second = second_bits_plan(mechanism))
}
