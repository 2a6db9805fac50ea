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
#' * It covers one report of each respondent. Epsilons of several rounds add up if every report is drawn anew.
#' * A message of [rr_product()] holds all answers of a respondent, and a message of [`rr_product(asked = 1)`][rr_product] holds the answer and its question. The
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
#' @param reports Number of reports of one respondent about one true answer, at least 1; for one mechanism also several such numbers, with a result for each. For a list one number, or one per
#'   mechanism, in their order or with their names.
#' @param sensitive Categories, as labels or positions. The result is the largest log ratio of the probabilities of a report under one of *these* truths and under any other, see
#'   [rr_grr()]. It is for the design: mistakes and disobedience do not count.
#' @param achieved Logical, default `FALSE`. Return the epsilon that [rr_perturb()] achieves with probabilities that are multiples of
#'   \eqn{2^{-64}}? It is never above the nominal epsilon.
#' @return Numbers, at least 0 and possibly `Inf`, in natural logarithms:
#'
#' * one stage: one number.
#' * two stages, as [rr_compose()]: `report` and `permanent`.
#' * several questions, as [rr_product()]: one number per question, and `total`; a column for each of several numbers of `reports`.
#' * any, with `shuffled`: one number with attribute `delta`.
#' * a list: see *A ledger*.
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
#' @concept OpenDP
#' @concept shuffle
#' @concept lifetime
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
#' rr_epsilon(rr_grr(10, epsilon = 2), shuffled = 10000, delta = 1e-6)
#' # 0.08
#' # All that one person reports in a year: 52 memoized weekly reports, and
#' # two independent ones
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
  if (any(vapply(list(...), inherits, NA, "rr_mechanism"))) {
    abort("Several mechanisms stand in a list: {.code rr_epsilon(list(first, second))}.")
  }
  check_dots_empty(...)
  is_given <- c(
    check_flag(achieved, "achieved"), !is.null(shuffled), !is.null(reports), !is.null(sensitive)
  )
  query <- c("achieved", "shuffled", "reports", "sensitive")[is_given]
  if (length(query) > 1L) abort("Only one of {.arg {query}} can be asked for at once.")
  if (!is.null(delta) && is.null(shuffled)) abort("{.arg delta} is for {.arg shuffled} reports.")
  if (!length(query)) query <- "nominal"
  if (query == "shuffled") return(shuffled_epsilon(mechanism, shuffled, delta))
  if (query == "sensitive") return(sensitive_epsilon(mechanism, sensitive))
  if (length(reports) > 1L) {
    return(sapply(reports, function(r) rr_epsilon.rr_mechanism(mechanism, reports = r)))
  }
  r <- if (query == "reports") check_count(reports, "reports", min = 1) else 1
  if (!is.null(mechanism$questions %||% mechanism$parts)) {
    return(questions_epsilon(mechanism, query == "achieved", r))
  }
  mechanism <- designed(mechanism)
  permanent <- permanent_epsilon(mechanism)
  if (is.null(permanent)) {
    # Each report is drawn anew: their epsilons add up.
    return(if (query == "achieved") achieved(mechanism)$epsilon else mechanism$epsilon * r)
  }
  if (query == "achieved") return(achieved_stages_epsilon(mechanism))
  if (query == "reports") return(reports_epsilon(mechanism, r))
  c(report = mechanism$epsilon, permanent = mechanism$first$epsilon %||% mechanism$permanent)
}

# The epsilons of a report and of the permanent answer that two stages achieve: both are drawn one
# after the other, each on the grid. One report is the product of what they achieve. Filters differ
# in several pairs of bits.
achieved_stages_epsilon <- function(mechanism) {
  first <- achieved(permanent_stage(mechanism))
  report <- achieved_report_epsilon(first, achieved(mechanism$second), mechanism)
  (mechanism$pairs %||% 1) * c(report = report, permanent = first$epsilon)
}

# The epsilons of several questions and of all of them: their sum for a product. If a respondent
# reports one submechanism the largest counts, also for r reports, since chance may draw the same
# one each time. Depths and prefixes are not told apart: one number.
questions_epsilon <- function(mechanism, achieved, r) {
  is_product <- !is.null(mechanism$questions)
  question_epsilon <- function(question) {
    if (achieved) return(rr_epsilon(question, achieved = TRUE)[[1]])
    if (is_product) joint_epsilon(question, r) else question$epsilon * r
  }
  epsilons <- vapply(mechanism$questions %||% mechanism$parts, question_epsilon, 0)
  if (is_product) return(c(epsilons, total = sum(epsilons)))
  if (!identical(mechanism$codec$part, "question")) return(max(epsilons))
  c(epsilons, total = max(epsilons))
}

# Epsilon of one report of somebody with a sensitive truth; of all reports, too, if the answer is
# kept. A dealt card is taken by itself.
sensitive_epsilon <- function(mechanism, sensitive) {
  index <- sensitive_index(sensitive, mechanism$levels)
  mechanism <- designed(mechanism$marginal %||% mechanism)
  report <- sensitive_ratio(rr_matrix(mechanism), index)
  if (is.null(permanent_epsilon(mechanism))) return(report)
  c(report = report, permanent = sensitive_permanent(mechanism, index))
}

# Epsilon of the permanent answer of somebody whose truth is at `index`.
sensitive_permanent <- function(mechanism, index) UseMethod("sensitive_permanent")

sensitive_permanent.rr_mechanism <- function(mechanism, index) {
  sensitive_ratio(rr_matrix(permanent_stage(mechanism)), index)
}

# The largest log ratio of a report's probabilities under a truth at `index` and under any other.
sensitive_ratio <- function(C, index) {
  ratios <- vapply(index, function(x) {
    is_possible <- C[x, ] > 0
    smallest <- apply(C[, is_possible, drop = FALSE], 2, min)
    max(log(C[x, is_possible]) - log(smallest))
  }, 0)
  round_sums_up(max(ratios))
}

# The law that a sampler achieves on the grid of 2^-64: list(epsilon, a, b) as in
# new_law_additive(), or list(epsilon, matrix).
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

# Epsilon of one report of two stages that are drawn on the grid: `first` and `second` are what they
# achieve.
achieved_report_epsilon <- function(first, second, mechanism) {
  # Bits have p and q: each bit of the second stage is drawn from p and q as they are on the grid.
  if (!is.null(first$p) && !is.null(second$p)) {
    d <- second$p - second$q
    p <- second$q + first$p * d
    q <- second$q + first$q * d
    return(abs(
      log1p((first$p - first$q) * d / (q * (1 - p)))
    ))
  }
  if (is.null(first$matrix) && is.null(second$matrix)) {
    b <- second$b + second$a * first$b
    return(max(abs(log1p(first$a * second$a / b))))
  }
  C <- achieved_matrix(first, permanent_stage(mechanism))
  matrix_epsilon(C %*% achieved_matrix(second, mechanism$second))
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

# Epsilon of r reports of one permanent answer together.
reports_epsilon <- function(mechanism, r) {
  if (r == 1) return(mechanism$epsilon)
  first <- rr_law(permanent_stage(mechanism))
  second <- rr_law(mechanism$second)
  if (law_gives(second, "support")) {
    # Filters differ in several pairs of bits.
    return((mechanism$pairs %||% 1) * bits_epsilon(first, second, r))
  }
  # If all categories are alike the same report r times says the most.
  is_alike <- function(law) {
    law_gives(law, "additive") && length(unique(law$b)) == 1L && law$a >= 0
  }
  if (is_alike(first) && is_alike(second)) {
    p_first <- first$b[1] + c(first$a, 0)
    powers <- power_mixture(
      p_first, second$a + second$b[1], second$b[1], r
    )
    return(log(powers[1]) - log(powers[2]))
  }
  if (length(mechanism$second$reports) != 2L) {
    abort(
      paste(
        "{.arg reports} needs two stages of bits, of two answers, or of categories that are all",
        "alike."
      ),
      c("law", "argument")
    )
  }
  check_that(r <= 1e6, r, "reports", "at most 1,000,000 for this mechanism")
  two_answers_epsilon(mechanism, r)
}

# Epsilon of r reports of one pair of bits: the bit of the first truth is always 1, that of the
# second always 0.
bits_epsilon <- function(first, second, r) {
  ones <- log(
    power_mixture(c(first$p, first$q), second$p, second$q, r)
  )
  zeros <- log(
    power_mixture(
      1 - c(first$q, first$p), 1 - second$q,
      1 - second$p, r
    )
  )
  abs(ones[1] - ones[2] + (zeros[1] - zeros[2]))
}

# Epsilon of r reports with two answers: every number of the first report among r is tried.
two_answers_epsilon <- function(mechanism, r) {
  # 0 times the logarithm of 0 is 0.
  log_power <- function(times, p) ifelse(times == 0, 0, times * log(p))
  C <- rr_matrix(mechanism$second)
  log_prob <- outer(0:r, C[, 1], log_power) +
    outer(r:0, C[, 2], log_power)
  scaled <- exp(log_prob - apply(log_prob, 1, max))
  prob <- as.data.frame(log(scaled %*% t(unname(rr_matrix(permanent_stage(mechanism))))))
  ratios <- do.call(pmax, prob) - do.call(pmin, prob)
  max(ratios[!is.nan(ratios)])
}

# w p^r + (1 - w) q^r over the larger of p^r and q^r, which cancels in a ratio.
power_mixture <- function(w, p, q, r) {
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
    return(sum(unlist(Map(joint_epsilon, mechanism, ledger_reports(reports, mechanism)))))
  }
  # A product is as good as its questions.
  questions_of <- function(mechanism) mechanism$questions %||% list(mechanism)
  mechanisms <- unlist(lapply(unname(mechanism), questions_of), recursive = FALSE)
  report <- vapply(mechanisms, joint_epsilon, 0)
  lifetime <- vapply(mechanisms, lifetime_epsilon, 0)
  is_permanent <- !is.na(lifetime)
  if (!any(is_permanent)) return(sum(report))
  if (all(is_permanent)) {
    return(c(report = sum(report), permanent = sum(lifetime)))
  }
  c(
    report = sum(report), kept = sum(lifetime[is_permanent]),
    each_round = sum(report[!is_permanent])
  )
}

# The number of reports of each mechanism of a ledger.
ledger_reports <- function(reports, mechanism) {
  n <- length(mechanism)
  check_that(is.numeric(reports) && length(reports) %in% c(1L, n), reports, "reports",
             "one number, or one for each mechanism")
  if (!is.null(names(reports)) && length(reports) == n) {
    has_names <- setequal(names(reports), names(mechanism)) && !anyDuplicated(names(mechanism))
    check_that(has_names, reports, "reports", "named like the mechanisms")
    reports <- reports[names(mechanism)]
  }
  vapply(rep_len(unname(reports), n), check_count, 0, arg = "reports", min = 1)
}

# Epsilon of several reports of one true answer together, or a bound on it: reports that are drawn
# anew add up. Those of a permanent answer reveal at most what it does, and what each reveals of it.
joint_epsilon <- function(mechanism, reports = 1) {
  if (!is.null(mechanism$questions)) {
    return(sum(vapply(mechanism$questions, joint_epsilon, 0, reports)))
  }
  epsilon <- rr_epsilon(mechanism)
  if ("informed" %in% names(epsilon)) return(epsilon[["informed"]])
  permanent <- lifetime_epsilon(mechanism)
  if (is.na(permanent) || reports == 1) return(mechanism$epsilon * reports)
  tryCatch(rr_epsilon(mechanism, reports = reports),
           candor_error = function(e) min(reports * designed(mechanism)$second$epsilon, permanent))
}

# Epsilon of any number of reports together; NA if it has no bound.
lifetime_epsilon <- function(mechanism) {
  epsilon <- rr_epsilon(mechanism)
  if ("permanent" %in% names(epsilon)) epsilon[["permanent"]] else NA_real_
}
