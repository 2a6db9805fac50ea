#' The privacy budget (epsilon) of a mechanism
#'
#' Epsilon of local differential privacy is the largest log ratio of the probabilities of one report under two truths,
#' \deqn{\epsilon = \max_{y, x, x'} \log \frac{P(y \mid x)}{P(y \mid x')}.}{epsilon = max over y, x, x' of log(P(y | x) / P(y | x')).}
#' A report changes anybody's odds about the respondent's truth by at most the factor \eqn{e^\epsilon}. Epsilon is 0 if reports carry no
#' information, and infinite if some report rules a truth out.
#'
#' Mistakes and disobedience do not protect anyone who makes none. Epsilon of [rr_noncompliance()] is therefore the epsilon of its design, and a
#' [rr_misclassification()] alone has epsilon `Inf`. Before or after another mechanism it leaves that epsilon as it is. A [rr_channel()] counts as
#' randomization.
#'
#' @section Amplification by shuffling:
#' `n` honest respondents send their reports through a shuffler, which passes on their multiset and nothing else. With `shuffled = n` and `delta`
#' the result is an \eqn{\epsilon} for which the shuffled reports are \eqn{(\epsilon, \delta)}-differentially private. It is an upper bound by the
#' privacy blanket.
#'
#' * The bound is close for reports with two levels of probability: [rr_grr()], [rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()],
#'   [rr_mean()], their two-stage forms, [rr_count_mean_sketch()] and [rr_prefixes()]. For other mechanisms the true epsilon may be far lower.
#' * It covers one report of each respondent. Epsilons of several rounds add up.
#' * A message of [rr_product()] holds all answers of a respondent, and a message of [rr_sample_questions()] holds the answer and its question. The
#'   shuffler must not take messages apart. The bound then protects a whole row.
#' * Hash functions and public columns must be shuffled with the reports. If reports can be linked by a hash function or cohort that the
#'   respondent keeps, shuffling does not protect them, and the warning `candor_warning_linked` is given.
#' * It is not defined for [rr_sketch()]. A sketch summarizes a site. With each further bit, shuffling is less likely to hide the site.
#' @section Several reports:
#' With `reports = r` the result is the epsilon of \eqn{r} reports of one respondent about one true answer. For a mechanism with a memoized first
#' stage ([rr_longitudinal()], [rr_compose()]) it is below the epsilon of the first stage. Other mechanisms draw each report independently, and it
#' is \eqn{r} times the epsilon of one report (sequential composition).
#'
#' @section A ledger of several mechanisms:
#' The epsilons of everything that one person reports add up. A list of mechanisms is such a ledger, with one report of each.
#' The result depends on the mechanisms in the list:
#'
#' * all draw each report independently: one number, the sum.
#' * all have a memoized first stage: `report`, the sum for one round, and `permanent`, the sum for any number of rounds.
#' * both kinds: `report`, the sum for one round; `kept`, the most that all reports of the memoized mechanisms reveal; `each_round`, what each round of the
#'   others adds.
#'
#' In the last case \eqn{r} rounds reveal at most `kept` plus \eqn{r} times `each_round`, without limit. With `reports` the result is one number,
#' the sum over all reports, or an upper bound. The questions of a [rr_product()] count separately. Each *different* true answer to a memoized
#' question costs again: enter the mechanism once for each.
#'
#' @param mechanism A mechanism, or a list of mechanisms, see *A ledger*.
#' @param ... For methods of other mechanisms.
#' @param shuffled Number of reports that are shuffled together, 1 to 1e9.
#' @param delta Number between 0 and 1: the probability \eqn{\delta}, with `shuffled`. It should be far below one over the number of reports;
#'   otherwise `candor_warning_delta` is given.
#' @param reports Number of reports of one respondent about one true answer, at least 1. For a list one number, or one per mechanism, in their order
#'   or with their names.
#' @param sensitive Categories, as labels or positions. The result is the largest log ratio of the probabilities of a report under one of *these* truths and under any other, see
#'   [rr_grr()]. It is for the design: mistakes and disobedience do not count.
#' @param achieved Logical, default `FALSE`. Return the epsilon that [rr_perturb()] achieves with probabilities that are multiples of
#'   \eqn{2^{-64}}? It is never above the nominal epsilon.
#' @return Numbers, at least 0 and possibly `Inf`, in natural logarithms:
#'
#' | mechanism | value |
#' |---|---|
#' | one stage | one number |
#' | two stages, as [rr_compose()] | `report` and `permanent` |
#' | several questions, as [rr_product()] | one number per question, and `total` |
#' | any, with `shuffled` | one number with attribute `delta` |
#' | a list | see *A ledger* |
#' @section Errors:
#' `candor_error_argument` for numbers out of range, and for more than one of `achieved`, `shuffled`, `reports` and `sensitive`. `candor_error_law` if `shuffled`
#' or `reports` is not available for the mechanism.
#' @references Balle, B., Bell, J., Gascon, A. and Nissim, K. (2019). The privacy blanket of the shuffle model. *CRYPTO*, 638-667.
#'   \doi{10.1007/978-3-030-26951-7_22}
#'
#'   Kasiviswanathan, S. P., Lee, H. K., Nissim, K., Raskhodnikova, S. and Smith, A. (2011). What
#'   can we learn privately? *SIAM Journal on Computing* 40(3), 793-826. \doi{10.1137/090756090}
#' @seealso [rr_matrix()]; [rr_recommend()], which compares mechanisms at one epsilon; `vignette("privacy", package = "candor")`.
#' @concept privacy budget
#' @concept differential privacy
#' @concept amplification by shuffling
#' @concept sequential composition
#' @concept plausible deniability
#' @examples
#' # How much does Warner's design with p = 0.7 protect?
#' rr_epsilon(rr_warner(0.7))   # 0.85
#' # In the triangular design a "no" proves that the truth is no
#' rr_epsilon(rr_triangular(0.25))   # Inf
#' # One report at epsilon 2 among ten thousand shuffled reports
#' rr_epsilon(rr_grr(10, epsilon = 2), shuffled = 10000, delta = 1e-6)   # 0.08
#' # All that one person reports in a year: 52 memoized weekly reports, and two independent ones
#' ledger <- list(weekly = rr_longitudinal(5, permanent = 2, epsilon = 1),
#'                asked = rr_grr(5, epsilon = 1))
#' rr_epsilon(ledger)
#' rr_epsilon(ledger, reports = c(weekly = 52, asked = 2))   # at most 4
#' @export
rr_epsilon <- function(mechanism, ...) UseMethod("rr_epsilon")

#' @export
rr_epsilon.default <- function(mechanism, ...) check_mechanism(mechanism)

#' @export
#' @rdname rr_epsilon
rr_epsilon.rr_mechanism <- function(
  mechanism,
  ...,
  achieved = FALSE,
  shuffled = NULL,
  delta = NULL,
  reports = NULL,
  sensitive = NULL
) {
  check_dots_empty(...)
  is_given <- c(
    check_flag(achieved, "achieved"), !is.null(shuffled), !is.null(reports), !is.null(sensitive)
  )
  asked <- c("achieved", "shuffled", "reports", "sensitive")[is_given]
  if (length(asked) > 1L) abort("Only one of {.arg {asked}} can be asked for at once.")
  if (!is.null(delta) && is.null(shuffled)) abort("{.arg delta} is for {.arg shuffled} reports.")
  if (!length(asked)) asked <- "nominal"
  if (asked == "shuffled") return(shuffled_epsilon(mechanism, shuffled, delta))
  if (asked == "sensitive") return(sensitive_epsilon(mechanism, sensitive))
  r <- if (asked == "reports") check_count(reports, "reports", min = 1) else 1
  if (!is.null(mechanism$questions %||% mechanism$parts)) {
    return(epsilon_of_parts(mechanism, asked == "achieved", r))
  }
  mechanism <- designed(mechanism)
  permanent <- permanent_epsilon(mechanism)
  if (is.null(permanent)) {
    # Each report drawn anew: the levels add up.
    return(if (asked == "achieved") achieved(mechanism)$epsilon else mechanism$epsilon * r)
  }
  if (asked == "achieved") return(achieved_stages(mechanism))
  if (asked == "reports") return(repeated_epsilon(mechanism, r))
  c(report = mechanism$epsilon, permanent = mechanism$first$epsilon %||% mechanism$permanent)
}

# Both stages are drawn one after the other, each on the grid. One report is the product of what
# they achieve. Filters differ in several pairs of bits.
achieved_stages <- function(mechanism) {
  first <- achieved(permanent_stage(mechanism))
  report <- achieved_report(first, achieved(mechanism$second), mechanism)
  (mechanism$pairs %||% 1) * c(report = report, permanent = first$epsilon)
}

# The levels of several questions and of all: of a product their sum. If a respondent reports one
# part the largest counts, also of many reports, since chance may draw the same part each time.
# Depths and prefixes are not told apart.
epsilon_of_parts <- function(mechanism, achieved, r) {
  product <- !is.null(mechanism$questions)
  each <- vapply(
    mechanism$questions %||% mechanism$parts,
    function(part) {
      if (achieved) {
        rr_epsilon(part, achieved = TRUE)[[1]]
      } else if (product) {
        level_together(part, r)
      } else {
        part$epsilon * r
      }
    },
    0
  )
  if (product) return(c(each, total = sum(each)))
  if (identical(mechanism$part_column, "question")) {
    c(each, total = max(each))
  } else {
    max(each)
  }
}

# Epsilon of one report of somebody with a sensitive truth; of all reports, too, if the answer is
# kept. A dealt card is taken by itself.
sensitive_epsilon <- function(mechanism, sensitive) {
  index <- sensitive_places(sensitive, mechanism$levels)
  mechanism <- designed(mechanism$marginal %||% mechanism)
  report <- sensitive_ratio(rr_matrix(mechanism), index)
  if (is.null(permanent_epsilon(mechanism))) return(report)
  c(report = report, permanent = sensitive_ratio(rr_matrix(permanent_stage(mechanism)), index))
}

# The largest log ratio of a report's probabilities under a truth at `index` and under any other.
sensitive_ratio <- function(C, index) {
  ratios <- vapply(
    index,
    function(x) {
      is_possible <- C[x, ] > 0
      max(
        log(C[x, is_possible]) -
          log(apply(C[, is_possible, drop = FALSE], 2, min))
      )
    },
    0
  )
  round_sums_up(max(ratios))
}

# What a mechanism achieves on the grid of 2^-64: `epsilon`, and `a` and `b` as in
# new_law_additive(), or `matrix`.
achieved <- function(mechanism) UseMethod("achieved")

achieved.rr_mechanism <- function(mechanism) {
  kind <- mechanism$sampler$kind
  if (!is.null(kind) && !kind %in% category_kinds) return(sampler_chances(mechanism))
  mechanism <- designed(mechanism)
  plan <- category_sampler(mechanism)
  sizes <- plan_sizes(mechanism)
  result <- .Call(C_rr_achieved, sizes, plan_kind(plan), plan$numbers)
  if (plan$kind == "channel") {
    return(list(
      epsilon = result$epsilon,
      matrix = matrix(result$numbers, sizes[1])
    ))
  }
  list(
    epsilon = result$epsilon,
    a = result$numbers[1],
    b = result$numbers[-1]
  )
}

# ---- two stages ----

achieved_report <- function(first, second, mechanism) {
  # Of bits p and q: each bit of the second stage is drawn from p and q as they are on the grid.
  if (!is.null(first$p) && !is.null(second$p)) {
    d <- second$p - second$q
    p <- second$q + first$p * d
    q <- second$q + first$q * d
    return(abs(
      log1p((first$p - first$q) * d / (q * (1 - p)))
    ))
  }
  if (is.null(first$matrix) && is.null(second$matrix)) {
    return(max(
      abs(
        log1p(first$a * second$a / (second$b + second$a * first$b))
      )
    ))
  }
  matrix_epsilon(
    achieved_matrix(first, permanent_stage(mechanism)) %*% achieved_matrix(second, mechanism$second)
  )
}

# The matrix of a stage as it is drawn.
achieved_matrix <- function(numbers, mechanism) {
  if (!is.null(numbers$matrix)) return(numbers$matrix)
  k <- length(mechanism$levels)
  if (k > matrix_limit / 5) {
    abort("The matrices of two stages are too large for {.arg achieved} here.", "too_large")
  }
  diag(numbers$a, k) + matrix(numbers$b, k, k, byrow = TRUE)
}

# What r reports of one permanent answer reveal together.
repeated_epsilon <- function(mechanism, r) {
  if (r == 1) return(mechanism$epsilon)
  first <- rr_law(permanent_stage(mechanism))
  second <- rr_law(mechanism$second)
  k <- length(mechanism$second$levels)
  if (law_gives(first, "support") && law_gives(second, "support")) {
    # The bit of the one truth always 1, and that of the other always 0. Filters differ in several
    # pairs of bits.
    ones <- log(
      weighed_powers(c(first$p, first$q), second$p, second$q, r)
    )
    zeros <- log(
      weighed_powers(
        1 - c(first$q, first$p), 1 - second$q,
        1 - second$p, r
      )
    )
    return(
      (mechanism$pairs %||% 1) *
        abs(ones[1] - ones[2] + (zeros[1] - zeros[2]))
    )
  }
  # Of categories that are all alike the same report r times says the most; of two every number of
  # them is tried.
  alike <- function(law) {
    law_gives(law, "additive") && length(unique(law$b)) == 1L && law$a >= 0
  }
  if (k > 2L && alike(first) && alike(second)) {
    powers <- weighed_powers(
      first$b[1] + c(first$a, 0),
      second$a + second$b[1], second$b[1], r
    )
    return(log(powers[1]) - log(powers[2]))
  }
  if (length(mechanism$second$reports) != 2L) {
    abort(
      "{.arg reports} needs two stages of bits, of two answers, or of categories that are all alike.",
      c("law", "argument")
    )
  }
  check_that(r <= 1e6, r, "reports", "at most 1,000,000 for this mechanism")
  two_answers_epsilon(mechanism, r)
}

# All numbers of the one report among r are tried.
two_answers_epsilon <- function(mechanism, r) {
  # 0 times the logarithm of 0 is 0.
  power <- function(times, p) ifelse(times == 0, 0, times * log(p))
  last <- rr_matrix(mechanism$second)
  given <- outer(0:r, last[, 1], power) +
    outer(r:0, last[, 2], power)
  chances <- exp(given - apply(given, 1, max)) %*%
    t(rr_matrix(permanent_stage(mechanism)))
  ratios <- log(chances[, 1]) - log(chances[, 2])
  max(abs(ratios[!is.nan(ratios)]))
}

# w p^r + (1 - w) q^r over the larger of p^r and q^r, which cancels in a ratio.
weighed_powers <- function(w, p, q, r) {
  if (p >= q) {
    w + (1 - w) * (q / p)^r
  } else {
    w * (p / q)^r + 1 - w
  }
}

# ---- a ledger ----

#' @export
rr_epsilon.list <- function(mechanism, ..., reports = NULL) {
  check_dots_empty(...)
  if (!length(mechanism)) abort("{.arg mechanism} must hold at least one mechanism.")
  for (i in seq_along(mechanism)) check_mechanism(mechanism[[i]], sprintf("mechanism[[%d]]", i))
  if (!is.null(reports)) {
    return(sum(unlist(Map(level_together, mechanism, ledger_reports(reports, mechanism)))))
  }
  # A product is as good as its questions.
  questions <- function(one) one$questions %||% list(one)
  parts <- unlist(lapply(unname(mechanism), questions), recursive = FALSE)
  once <- vapply(parts, level_together, 0)
  all <- vapply(parts, level_for_ever, 0)
  kept <- !is.na(all)
  if (!any(kept)) return(sum(once))
  if (all(kept)) {
    return(c(report = sum(once), permanent = sum(all)))
  }
  c(
    report = sum(once), kept = sum(all[kept]),
    each_round = sum(once[!kept])
  )
}

# The number of reports of each mechanism of a ledger.
ledger_reports <- function(reports, mechanism) {
  n <- length(mechanism)
  check_that(is.numeric(reports) && length(reports) %in% c(1L, n), reports, "reports",
             "one number, or one for each mechanism")
  if (!is.null(names(reports)) && length(reports) == n) {
    check_that(
      setequal(names(reports), names(mechanism)) && !anyDuplicated(names(mechanism)), reports,
      "reports", "named like the mechanisms"
    )
    reports <- reports[names(mechanism)]
  }
  vapply(rep_len(unname(reports), n), check_count, 0, arg = "reports", min = 1)
}

# What r reports of one true answer reveal together, or a bound on it: those drawn anew add up,
# those of a permanent answer reveal no more than it does.
level_together <- function(mechanism, reports = 1) {
  if (!is.null(mechanism$questions)) {
    return(sum(vapply(mechanism$questions, level_together, 0, reports)))
  }
  level <- rr_epsilon(mechanism)
  if ("informed" %in% names(level)) return(level[["informed"]])
  permanent <- level_for_ever(mechanism)
  if (is.na(permanent) || reports == 1) return(mechanism$epsilon * reports)
  tryCatch(rr_epsilon(mechanism, reports = reports),
           candor_error = function(e) min(reports * mechanism$epsilon, permanent))
}

# What any number of reports reveal together; NA where it has no bound.
level_for_ever <- function(mechanism) {
  level <- rr_epsilon(mechanism)
  if ("permanent" %in% names(level)) level[["permanent"]] else NA_real_
}
