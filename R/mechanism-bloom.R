#' RAPPOR: Bloom filters, cohorts and two stages
#'
#' Each category sets a few bits of a Bloom filter, and different bits in each cohort. A respondent belongs to one cohort, randomises the
#' bits of the filter once and keeps them (the permanent answer), and reports a randomised form of these each time. A report has `bits` bits,
#' whatever the number of categories, and candidates can be added later: which bits a category sets depends on its label, on
#' `key` and on the cohort alone.
#'
#' Without `permanent` there is one stage, **one-time RAPPOR**: [rr_perturb()] draws cohort and bits of every report anew, and nothing is kept. It is for a question that is asked
#' once; \eqn{r} reports of one respondent reveal \eqn{r} times `epsilon`. Whoever asks again needs `permanent`.
#'
#' In RAPPOR's letters: a bit is redrawn by a fair coin with probability \eqn{f} and kept for good; a report's bit is 1 with
#' probability \eqn{q} where the permanent bit is 1, and \eqn{p} where it is 0. A bit of the filter that is 1 is then reported as 1 with probability
#' \eqn{(1 - f/2) q + (f/2) p}, one that is 0 with \eqn{(1 - f/2) p + (f/2) q}. Two filters differ in at most \eqn{h = \min(hashes, bits - hashes)}{h = min(hashes, bits - hashes)} bits
#' each way, so that all reports of one answer have \eqn{\epsilon = 2 h \log((1 - f/2) / (f/2))}. Given the levels, both stages are
#' symmetric: \eqn{p = 1 - q}.
#'
#' @section Estimation:
#' `method = "inv"` is weighted least squares of the debiased shares of bits on the filters of the categories, with weights from a first fit, twice. Its covariance
#' is a sandwich with all covariances of the bits of one cohort: bits of one filter are dependent. It needs as many
#' independent filters as categories: about \eqn{K} at most bits times cohorts. `"nnls"` is the same among shares that are not
#' negative, and works with fewer filters. `"lasso"` (packages glmnet and quadprog) is for many candidates of which most are held by nobody: it selects those whose
#' bits are more frequent than chance makes them, with a penalty from the known noise (`alpha`, by default 0.05, over all candidates), and estimates these by least squares. Its estimates are
#' conditional on the selection, which the same data made; there are no unconditional standard errors. `"mle"` is the likelihood of the reports
#' themselves, which needs them: `rr_tally(keep = "sets")`. It works on a table of different reports by categories, up to 2 GB, and its standard errors need no bootstrap. Cohorts are drawn, so for `target = "sample"` it is still random who is in which cohort. (With several cohorts, a formula that treats
#' every cohort as a copy of the whole sample gives too small a variance.) Wilson's interval is that of the estimate's second moment, as for [rr_bitflip()].
#'
#' @inheritParams rr_grr
#' @param epsilon The level of one report, from 1e-12, in natural logarithms.
#' @param bits Size of the filters, from 2 to 4096.
#' @param hashes How many bits a category sets, from 1 to `bits - 1`; always so many different ones.
#' @param cohorts Number of cohorts, from 1.
#' @param permanent The level of all reports of one answer together, above `epsilon`; `NULL` for one stage, whose reports are
#'   each drawn anew.
#' @param f,p,q Instead of both levels, RAPPOR's probabilities, from 0 to 1, with `p` unlike `q` and `f` below 1.
#' @param key A whole number from 0 to 2^32 - 1 that names the hash functions; it is public.
#' @param ... Not used, and refused.
#' @return A mechanism of class `c("rr_bloom", "rr_mechanism")`, with `bits_number`, `hashes`, `cohorts`, `f`, `given_0` and `given_1` (\eqn{p} and
#'   \eqn{q}), `one` and `zero` (the probabilities that a 1 and a 0 of the filter is reported as 1) and `places` (the bits of each category: hashes by categories by
#'   cohorts). [rr_perturb()] returns a data frame with `cohort` (from 1) and `bits` ([packed][rr_reports]); with two stages give it a `memory`, see
#'   [rr_longitudinal()]. [rr_epsilon()] gives `report` and `permanent` with two stages, one number with one.
#' @section Errors:
#' `candor_error_argument` for numbers out of range, `permanent` not above `epsilon`, and levels beside probabilities; `candor_error_too_large` where the
#' filters would not fit in memory; `candor_error_no_information` where an estimate is asked for that the filters do not determine.
#' @references Erlingsson, U., Pihur, V. and Korolova, A. (2014). RAPPOR: randomized aggregatable privacy-preserving ordinal
#'   response. *CCS*, 1054-1067. \doi{10.1145/2660267.2660348} (The number of bits that can differ is corrected.)
#' @seealso [rr_longitudinal()] for bits of categories without filters.
#' @concept RAPPOR
#' @concept permanent randomized response
#' @concept instantaneous randomized response
#' @concept memoization
#' @examples
#' pages <- c("home", "news", "shop", "help")
#' mechanism <- rr_bloom(pages, epsilon = 2, bits = 16, hashes = 2, cohorts = 4, permanent = 4)
#' mechanism
#' visits <- rep(pages, c(2000, 1000, 600, 400))
#' # The memory stays with the respondents
#' drawn <- rr_perturb(visits, mechanism, memory = list())
#' tidy(rr_estimate(drawn$reports, mechanism, method = "inv"), conf.int = TRUE)
#' @export
rr_bloom <- function(levels, epsilon = NULL, bits = 32, hashes = 2, cohorts = 8, permanent = NULL, f = NULL, p = NULL,
                     q = NULL, key = 1, ...) {
  check_dots_empty(...)
  if (is.character(levels)) levels <- check_hashed_text(levels, "levels")
  levels <- check_levels(levels)
  k <- length(levels$labels)
  bits <- check_count(bits, "bits", min = 2, max = 4096)
  hashes <- check_count(hashes, "hashes", min = 1, max = bits - 1)
  cohorts <- check_count(cohorts, "cohorts", min = 1, max = 1e6)
  key <- check_count(key, "key", max = 2^32 - 1)
  if (k * cohorts * hashes > 5e7) {
    abort(c("The filters of so many categories and cohorts are too many.",
            x = "They take {format_count(round(4 * k * cohorts * hashes / 1e9, 1))} GB.",
            i = "Use fewer cohorts, or {.fn rr_local_hash}, which has no table."), "too_large")
  }
  pairs <- min(hashes, bits - hashes)
  numbers <- if (is.null(f) && is.null(p) && is.null(q)) bloom_levels(epsilon, permanent, pairs)
    else bloom_letters(epsilon, permanent, f, p, q)
  one <- numbers$q - numbers$f / 2 * (numbers$q - numbers$p)
  zero <- numbers$p + numbers$f / 2 * (numbers$q - numbers$p)
  bit <- rr_unary(bits, p = one, q = zero)
  made(new_rr_mechanism(
    c("bloom", "protocol"), levels$labels, reports = bloom_reports(bits, cohorts), numeric_truths = levels$numeric,
    epsilon = if (is.null(epsilon)) pairs * round_sums_up(bit$epsilon) else epsilon,
    design = sprintf("RAPPOR (%s of %s bits, %s cohort%s)", format_count(hashes), format_count(bits),
                     format_count(cohorts), if (cohorts == 1) "" else "s"),
    permanent = numbers$permanent %||% (2 * pairs * log((1 - numbers$f / 2) / (numbers$f / 2))), bits_number = bits,
    hashes = hashes, cohorts = cohorts, f = numbers$f, given_0 = numbers$p, given_1 = numbers$q, one = one, zero = zero,
    pairs = pairs, bit = bit, places = bloom_places(levels$labels, bits, hashes, cohorts, key), key = key,
    codec = cohort_codec(bits, cohorts), from_epsilon = !is.null(epsilon),
    memoised = numbers$f > 0 && (numbers$p != 0 || numbers$q != 1)
  ), "rr_bloom", epsilon = epsilon, bits = bits, hashes = hashes, cohorts = cohorts, permanent = permanent, f = f,
    p = p, q = q, key = key)
}

bloom_reports <- function(bits, cohorts) {
  parts <- c(paste0("bit ", seq_len(bits)), "all")
  as.vector(outer(parts, seq_len(cohorts), function(bit, cohort) paste0(cohort, ": ", bit)))
}

# f from the level of all reports, then the symmetric second stage from that of one.
bloom_levels <- function(epsilon, permanent, pairs) {
  if (is.null(epsilon)) {
    abort(c("Either {.arg epsilon} must be given, or {.arg f}, {.arg p} and {.arg q}.", x = "None was given."),
          "argument")
  }
  epsilon <- check_epsilon(epsilon)
  if (is.null(permanent)) return(list(f = 2 * stats::plogis(-epsilon / (2 * pairs)), p = 0, q = 1, permanent = epsilon))
  permanent <- check_number(permanent, "permanent", max = 700)
  if (permanent <= epsilon) {
    abort(c("{.arg permanent} must be above {.arg epsilon}.",
            x = "They are {format(permanent, digits = 6)} and {format(epsilon, digits = 6)}.",
            i = "One report reveals less than all of them together."), "argument")
  }
  first <- tanh(permanent / (4 * pairs))
  kept <- signal_left(tanh(epsilon / (4 * pairs)) / first, first)
  list(f = 2 * stats::plogis(-permanent / (2 * pairs)), p = (1 - kept) / 2, q = (1 + kept) / 2, permanent = permanent)
}

bloom_letters <- function(epsilon, permanent, f, p, q) {
  if (!is.null(epsilon) || !is.null(permanent) || is.null(f) || is.null(p) || is.null(q)) {
    given <- c("epsilon", "permanent", "f", "p", "q")
    given <- given[!vapply(list(epsilon, permanent, f, p, q), is.null, NA)]
    abort(c("Either {.arg epsilon} must be given, or {.arg f}, {.arg p} and {.arg q}.", x = "Given: {.arg {given}}."),
          "argument")
  }
  f <- check_number(f, "f", min = 0, max = 1, max_open = TRUE)
  p <- check_probability(p, "p")
  q <- check_probability(q, "q")
  if (snap_to_zero(q - p, max(p, q)) == 0) {
    abort(c("{.arg p} and {.arg q} must differ.", x = "Both are {format(p)}: reports would carry nothing."), "argument")
  }
  list(f = f, p = p, q = q)
}

# Which bits each category sets: hashes x categories x cohorts, different ones within a filter. They depend on the
# label, so that candidates can be added.
bloom_places <- function(labels, bits, hashes, cohorts, key) {
  places <- vapply(labels, function(label) {
    print <- label_print(label, key)
    chosen <- matrix(0L, hashes, cohorts)
    for (s in seq_len(hashes)) {
      # The so manyth of the bits that are left.
      place <- .Call(C_rr_public_numbers, c(4, key, print, s), bits - s + 1, cohorts, FALSE)
      for (before in seq_len(s - 1)) {
        sorted <- chosen[seq_len(s - 1), , drop = FALSE]
        used <- apply(sorted, 2, function(x) sort(x)[before])
        place <- place + (place >= used)
      }
      chosen[s, ] <- as.integer(place)
    }
    chosen + 1L
  }, matrix(0L, hashes, cohorts), USE.NAMES = FALSE)
  aperm(array(places, c(hashes, cohorts, length(labels))), c(1, 3, 2))
}

# Two numbers from a label: ChaCha20 under a key that chains the label's bytes, sixteen at a time.
label_print <- function(label, key) {
  bytes <- as.integer(charToRaw(enc2utf8(label)))
  words <- c(bytes, integer(-length(bytes) %% 16), length(bytes), integer(15))
  blocks <- matrix(words, 4)
  numbers <- colSums(blocks * 256^(0:3))
  state <- c(0, 0)
  for (block in seq_len(length(numbers) / 4)) {
    state <- .Call(C_rr_public_numbers, c(3, key, state, numbers[4 * block - 3:0]), 2147483647, 2, FALSE)
  }
  state
}

#' @export
rr_law.rr_bloom <- function(mechanism) {
  new_rr_law("bloom", truths = length(mechanism$levels), bits = mechanism$bits_number, cohorts = mechanism$cohorts,
             one = mechanism$one, zero = mechanism$zero, places = mechanism$places)
}

#' @export
rr_matrix.rr_bloom <- function(mechanism, ...) {
  check_dots_empty(...)
  check_report_number(mechanism, mechanism$cohorts * 2^mechanism$bits_number)
  law <- rr_law(mechanism)
  parts <- lapply(seq_len(law$cohorts), function(j) {
    set <- t(cohort_filters(law, j))
    one <- law$zero + set * (law$one - law$zero)
    chances <- bits_matrix(one, 1 - one) / law$cohorts
    colnames(chances) <- paste0(j, ": ", colnames(chances))
    chances
  })
  named_matrix(mechanism, do.call(cbind, parts))
}

#' @export
rr_epsilon.rr_bloom <- function(mechanism, ..., achieved = FALSE, shuffled = NULL, delta = NULL, reports = NULL) {
  check_dots_empty(...)
  switch(check_level_kind(achieved, shuffled, delta, reports),
    achieved = return(achieved_filters(mechanism)),
    shuffled = return(shuffled_epsilon(mechanism, shuffled, delta)),
    reports = {
      r <- check_count(reports, "reports", min = 1)
      # Each drawn anew: the levels add up.
      if (!mechanism$memoised) return(mechanism$epsilon * r)
      half <- mechanism$f / 2
      return(mechanism$pairs * repeated_bits(1 - half, half, mechanism$given_1, mechanism$given_0, r))
    }
  )
  if (!mechanism$memoised) return(mechanism$epsilon)
  c(report = mechanism$epsilon, permanent = mechanism$permanent)
}

# Both stages on the grid: permanent bits, then what is reported of them.
achieved_filters <- function(mechanism) {
  if (!mechanism$memoised) return(mechanism$pairs * achieved(single_bits(mechanism))$epsilon)
  first <- achieved(turned_bits(mechanism))
  second <- achieved(rr_unary(mechanism$bits_number, p = mechanism$given_1, q = mechanism$given_0))
  mechanism$pairs * c(report = achieved_report(first, second), permanent = first$epsilon)
}

# A filter whose bits are turned over with probability f / 2. Made from its level, since 1 - f / 2 loses the digits of a
# small f: it may be 1, and a bit of the truth would never be turned.
turned_bits <- function(mechanism) {
  half <- mechanism$f / 2
  level <- mechanism$permanent / mechanism$pairs
  if (level < 1e-11 || level > 700) return(rr_unary(mechanism$bits_number, p = 1 - half, q = half))
  rr_unary(mechanism$bits_number, level, optimized = FALSE)
}

# The bits of one report: turned over once, or as they come out of two stages.
single_bits <- function(mechanism) {
  if (mechanism$f > 0 && !mechanism$memoised) turned_bits(mechanism)
  else rr_unary(mechanism$bits_number, p = mechanism$one, q = mechanism$zero)
}

#' @export
format.rr_bloom <- function(x, digits = 4, ...) {
  digits <- check_digits(digits)
  level <- format(x$epsilon, digits = digits)
  sprintf("%s, %s categories, epsilon = %s", x$design, format_count(length(x$levels)),
          if (x$memoised) sprintf("%s a report, %s in all", level, format(x$permanent, digits = digits)) else level)
}

# ---- drawing ----

draw_reports.rr_bloom <- function(mechanism, answers, rng = c("secure", "R")) {
  rng <- check_choice(rng, "rng", c("secure", "R"))
  bad <- which(is.na(answers) | answers < 1 | answers > length(mechanism$levels))
  if (length(bad)) abort_position(bad[1], mechanism)
  cohort <- draw_cohorts(mechanism, length(answers), rng)
  bits <- draw_filters(mechanism, answers, cohort, single_bits(mechanism), rng)
  join_columns(list(cohort = cohort), bits)
}

draw_cohorts <- function(mechanism, n, rng) {
  m <- mechanism$cohorts
  if (m == 1) return(rep(1L, n))
  as.integer(draw_reports(rr_grr(m, p = 1 / m), rep(1L, n), rng))
}

kept_stage.rr_bloom <- function(mechanism) {
  unclass(mechanism)[c("levels", "bits_number", "hashes", "cohorts", "key", "f")]
}

draw_functions.rr_bloom <- function(mechanism, n, rng) list(cohort = draw_cohorts(mechanism, n, rng))

draw_permanent.rr_bloom <- function(mechanism, answers, memory, who, rng) {
  draw_filters(mechanism, answers[who], memory$functions$cohort[who], turned_bits(mechanism), rng)
}

draw_again.rr_bloom <- function(mechanism, permanent, memory, rng) {
  second <- rr_unary(mechanism$bits_number, p = mechanism$given_1, q = mechanism$given_0)
  join_columns(list(cohort = memory$functions$cohort), draw_bits_again(second, permanent, rng))
}

# Filters whose bits are randomised as those of `unary` are.
draw_filters <- function(mechanism, answers, cohort, unary, rng) {
  filters <- matrix(0L, length(answers), mechanism$bits_number)
  rows <- seq_along(answers)
  for (s in seq_len(mechanism$hashes)) {
    filters[cbind(rows, mechanism$places[cbind(rep(s, length(rows)), answers, cohort)])] <- 1L
  }
  draw_bits_again(unary, new_rr_reports(.Call(C_rr_matrix_to_bits, filters)$bits, mechanism$bits_number), rng)
}

#' @export
prepare_answers.rr_bloom <- function(mechanism, x) {
  # Labels are read as those of any question are.
  prepare_answers(rr_grr(mechanism$levels, epsilon = 1), x)
}

# ---- counts ----

# Given the truths bits are independent; cohorts are drawn.
simulate_counts.rr_bloom <- function(mechanism, truth, nsim = 1) {
  law <- rr_law(mechanism)
  vapply(seq_len(nsim), function(i) {
    holders <- vapply(truth, function(t) as.vector(stats::rmultinom(1, t, rep(1, law$cohorts))), numeric(law$cohorts))
    holders <- matrix(holders, law$cohorts)
    as.vector(vapply(seq_len(law$cohorts), function(j) {
      ones <- drop(cohort_filters(law, j) %*% holders[j, ])
      n <- sum(holders[j, ])
      c(stats::rbinom(law$bits, ones, law$one) + stats::rbinom(law$bits, n - ones, law$zero), n)
    }, numeric(law$bits + 1)))
  }, numeric(length(mechanism$reports)))
}
