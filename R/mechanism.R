# A mechanism says how an answer was randomised. Each kind has one file: its constructor, its law, and the methods for
# its reports if these are not categories. To add a mechanism, add such a file; ?rr_new_mechanism shows how.

# `levels` and `reports` are the labels of the truths and of the counts; `numeric_levels` is set
# when labels of the reports are numbers, so that numbers in the data are labels, not positions. Where the truths have
# other labels, `numeric_truths` is the same for them. `yes_no` says whether 0 and 1 are answers (to the reports, and to
# the truths if that differs): `bits` and `truth_bits` are then the positions of no and yes, else NULL.
new_rr_mechanism <- function(kind, levels, ..., reports = levels, numeric_levels = NULL, epsilon, design,
                             yes_no = FALSE) {
  structure(
    list(levels = levels, reports = reports, numeric_levels = numeric_levels,
         bits = if (yes_no[1]) bit_places(reports), truth_bits = if (yes_no[length(yes_no)]) bit_places(levels),
         epsilon = epsilon, design = design, ...),
    class = c(paste0("rr_", kind), "rr_mechanism")
  )
}

# The positions of no and yes among two labels. The labels 0 and 1 (or FALSE and TRUE) mean no and yes in either order.
bit_places <- function(labels) {
  if (length(labels) != 2L) return(NULL)
  yes_first <- identical(labels, c("1", "0")) || identical(labels, c("TRUE", "FALSE"))
  if (yes_first) c(no = 2L, yes = 1L) else c(no = 1L, yes = 2L)
}

#' The privacy level of a mechanism
#'
#' The \eqn{\epsilon} of local differential privacy: the largest log ratio of the probabilities of one
#' report under two truths,
#' \deqn{\epsilon = \max_{y, x, x'} \log \frac{P(y \mid x)}{P(y \mid x')}.}{epsilon = max over y, x, x' of log(P(y | x) / P(y | x')).}
#' A respondent's report changes anybody's odds about their truth by at most a factor
#' \eqn{e^\epsilon}. Epsilon is 0 when reports carry no information, and infinite when some report rules a truth out.
#'
#' Mistakes and disobedience are no protection, since whoever makes none is not protected by them. The level of [rr_noncompliance()] is that of the design, for those who follow it. A
#' [rr_misclassification()] alone has epsilon `Inf`; before or after another mechanism it adds nothing to that. (A [rr_channel()] is taken for a randomisation.)
#'
#' @section After shuffling:
#' When `n` honest respondents send their reports through a shuffler, which passes on their multiset and nothing else, one report
#' hides among the others. With `shuffled = n` and `delta` the result is an \eqn{\epsilon} for which the shuffled reports are
#' \eqn{(\epsilon, \delta)}-differentially private: an upper bound by the privacy blanket. It is close to the truth for reports of
#' two levels of probability: [rr_grr()], [rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()], [rr_mean()], their two-stage forms, [rr_sketch_counts()] and [rr_prefixes()]. Reports of more levels
#' (channels, [rr_square_wave()], [rr_bloom()], [rr_bitflip()] with several bits, several questions of different levels) are compared with reports of two levels that reveal more, so that the true level may be well below. All
#' answers of one respondent to an [rr_product()] are one message, which the shuffler must not take apart nor link to others; of [rr_sample_questions()] a message is the one answer and its question. Both
#' protect a whole row: two respondents may differ in all answers. A site's [rr_sketch()] is no report of a respondent, and hides among the sketches of other sites only with a probability
#' that falls with every bit: there is no such level of it. Hash
#' functions and public columns must be shuffled with the reports. The level holds for one report of each respondent: reports of several rounds add up. Where they can be linked, by a hash function
#' or a cohort that the respondent keeps (the protocol `"local-hash"` of [rr_longitudinal()], `rr_bloom(permanent = )`), the crowd hides nothing any more: `candor_warning_linked`. (The parameters that some papers
#' give for k-ary randomized response, \eqn{p = q = 1 / (e^\epsilon + K - 1)}, are no upper bound and are not used.)
#'
#' @section Several reports:
#' With `reports = r` the result is the epsilon of \eqn{r} reports of one respondent with one true answer. For a mechanism with a first stage that is kept
#' ([rr_memoised()], [rr_longitudinal()], [rr_compose()]) it is less than \eqn{r} times that of one report and less than that of the first stage. Other mechanisms draw
#' each report anew, and it is \eqn{r} times that of one report.
#'
#' @section A ledger:
#' Levels of all that one person reports add up. A list of mechanisms is such a ledger, with one report of each:
#'
#' * all are drawn anew for each report: one number, the sum;
#' * all have a first stage that is kept: `report`, the sum for one round of reports, and `permanent`, the sum for any number of rounds about the same true answers;
#' * some of both: `report`, the sum for one round; `kept`, what all reports of those with a first stage reveal at most; and `each_round`, what each round of the others adds.
#'   Together \eqn{r} rounds reveal at most `kept` plus \eqn{r} times `each_round`, which has no bound.
#'
#' With `reports`, one number or one for each mechanism, the result is one number: the sum of the epsilons of so many reports of each. It is an upper bound where that of one of
#' them is not known exactly. The questions of a [rr_product()] count one by one. Each *different* true answer of a person to a question with a first stage that is kept
#' costs once more: enter the mechanism once for each.
#'
#' @param mechanism A mechanism, as made by [rr_grr()], [rr_binary()], [rr_forced()] and the other constructors; or a list of them, see *A ledger*.
#' @param ... For methods of other mechanisms.
#' @param shuffled Number of reports that are shuffled together, from 1 to 1e9.
#' @param delta With `shuffled`: the probability \eqn{\delta}, above 0 and below 1, well below one over the number of reports: a warning says if it is not.
#' @param reports Number of reports of one respondent about one true answer, at least 1. For a list one number, or one for each mechanism, in their order or with their names.
#' @param achieved Give the epsilon that [rr_perturb()] achieves with probabilities that are multiples of
#'   \eqn{2^{-64}}, rather than the nominal one? It is never above that: the nominal one is rounded up. Of two stages both are given, with each stage on the grid.
#'   Where it is more than a 64th below the nominal one, [rr_perturb()] refuses the mechanism, or warns: of `rr_grr(epsilon = 60)`, for example, which has a probability below
#'   \eqn{2^{-64}}.
#' @return One number, at least 0 and possibly `Inf`, in natural logarithms; for [rr_compose()] and other two-stage mechanisms two numbers, `report` and `permanent`. With
#'   `shuffled` one number with the attribute `delta`. For several questions ([rr_product()], [rr_sample_questions()]) the number of each and `total`; for a list see *A ledger*.
#' @section Errors:
#' `candor_error_argument` for anything but a mechanism, for numbers out of range and where more than one of `achieved`, `shuffled` and `reports` is asked for;
#' `candor_error_law` for a mechanism that `shuffled` or `reports` does not know. Warnings: `candor_warning_delta`, `candor_warning_linked`.
#' @source Balle, B., Bell, J., Gascon, A. and Nissim, K. (2019). The privacy blanket of the shuffle model. *CRYPTO*, 638-667.
#'   \doi{10.1007/978-3-030-26951-7_22} (shuffling)
#'
#'   Kasiviswanathan, S. P., Lee, H. K., Nissim, K., Raskhodnikova, S. and Smith, A. (2011). What
#'   can we learn privately? *SIAM Journal on Computing* 40(3), 793-826. \doi{10.1137/090756090}
#' @examples
#' rr_epsilon(rr_grr(5, epsilon = 1))
#' # A coin decides between the question and its negation: Warner's design with p = 0.7
#' rr_epsilon(rr_warner(0.7))
#' # In the triangular design a "no" proves that the truth is no
#' rr_epsilon(rr_triangular(0.25))
#' # A report at 2 among ten thousand shuffled ones
#' rr_epsilon(rr_grr(10, epsilon = 2), shuffled = 10000, delta = 1e-6)
#' # All that one person reports in a year: weekly from one permanent answer, and twice anew
#' ledger <- list(weekly = rr_longitudinal(5, permanent = 2, epsilon = 1),
#'                asked = rr_grr(5, epsilon = 1))
#' rr_epsilon(ledger)
#' rr_epsilon(ledger, reports = c(weekly = 52, asked = 2))
#' # Five reports of one permanent answer
#' rr_epsilon(rr_compose(rr_grr(4, epsilon = 2), rr_grr(4, epsilon = 1)), reports = 5)
#' @export
rr_epsilon <- function(mechanism, ...) {
  UseMethod("rr_epsilon")
}

#' @export
rr_epsilon.default <- function(mechanism, ...) check_mechanism(mechanism)

#' @export
#' @rdname rr_epsilon
rr_epsilon.rr_mechanism <- function(mechanism, ..., achieved = FALSE, shuffled = NULL, delta = NULL, reports = NULL) {
  check_dots_empty(...)
  asked <- check_level_kind(achieved, shuffled, delta, reports)
  if (asked == "shuffled") return(shuffled_epsilon(mechanism, shuffled, delta))
  if (achieved) return(achieved(mechanism)$epsilon)
  # Each drawn anew: the levels add up.
  mechanism$epsilon * if (is.null(reports)) 1 else check_count(reports, "reports", min = 1)
}

# Which of its questions rr_epsilon() was asked.
check_level_kind <- function(achieved, shuffled, delta, reports) {
  given <- c(check_flag(achieved, "achieved"), !is.null(shuffled), !is.null(reports))
  asked <- c("achieved", "shuffled", "reports")[given]
  if (length(asked) > 1L) abort(c("Only one of {.arg {asked}} can be asked for at once."), "argument")
  if (!is.null(delta) && is.null(shuffled)) {
    abort(c("{.arg delta} is for {.arg shuffled} reports.", i = "Say how many with {.code shuffled = n}."), "argument")
  }
  if (length(asked)) asked else "nominal"
}

#' The transition matrix of a mechanism
#'
#' Entry `[x, y]` is the probability of report `y` given truth `x`: **rows are truths** and add up
#' to 1. (Some software stores the transpose.)
#'
#' Reports that are not categories have labels too, where there are at most 10,000 of them: of [rr_unary()] the bits in the order of the categories
#' (`"010"`), of [rr_bloom()] the cohort and the bits (`"2: 0110"`), of [rr_subset()] the categories (`"{never, often}"`), of [rr_bitflip()] the bits that were
#' drawn (`"never = 0, often = 1"`), of [rr_hadamard()] the number of the report, or of its one-bit form the index and the sign (`"3: -1"`).
#' Unary encoding reaches the limit with 13 categories. The largest logarithm of a ratio within a column is [rr_epsilon()].
#'
#' @param mechanism A mechanism, as made by [rr_grr()], [rr_binary()], [rr_forced()] and the other constructors.
#' @param ... For methods of other mechanisms.
#' @return A matrix with one row per truth and one column per report, and dimnames `truth` and
#'   `report`. Mechanisms of more than 10,000 categories, and protocols of more than 10,000 possible reports, are refused: nothing in the package needs
#'   their matrix, and it would not fit in memory.
#' @section Errors:
#' `candor_error_argument` for anything but a mechanism, and for one with too many categories; `candor_error_law` for a protocol with too many possible reports, and where
#' a report is not one of finitely many (of fresh hash functions, means, sketches and several depths or questions), see [rr_law()].
#' @source For k-ary randomized response Pinzon, C. A. et al. (2025). Estimating the true distribution of data collected with randomized
#'   response, section 2.2, where the matrix has \eqn{p} on its diagonal and \eqn{q} elsewhere. For any matrix Gouweleeuw et al. (1998), see
#'   [rr_channel()].
#' @examples
#' rr_matrix(rr_grr(c("never", "once", "often"), epsilon = 1))
#' rr_matrix(rr_crosswise(0.25))
#' rr_matrix(rr_subset(c("never", "once", "often", "always"), epsilon = 0.5))
#' @export
rr_matrix <- function(mechanism, ...) {
  UseMethod("rr_matrix")
}

#' @export
rr_matrix.default <- function(mechanism, ...) check_mechanism(mechanism)

matrix_limit <- 10000

#' @export
rr_matrix.rr_mechanism <- function(mechanism, ...) {
  check_dots_empty(...)
  k <- length(mechanism$levels)
  if (k > matrix_limit) {
    abort(c("{.arg mechanism} has too many categories for its matrix.",
            x = "It has {format_count(k)} categories; the limit is {format_count(matrix_limit)}.",
            i = "Estimation never needs the matrix: use {.fn rr_estimate} directly."), "argument")
  }
  law <- check_law(rr_law(mechanism))
  if (!law_gives(law, "channel", k)) {
    refuse_law(law, "channel", "{.fn rr_matrix}", "Its law, {.fn rr_law}, says what is known.")
  }
  matrix <- law_matrix(law, k)
  dimnames(matrix) <- list(truth = mechanism$levels, report = mechanism$reports)
  matrix
}

# Reports of a protocol are listed where there are so few of them. `number` are all that are possible.
check_report_number <- function(mechanism, number) {
  if (number <= matrix_limit && length(mechanism$levels) <= matrix_limit) return(invisible())
  abort(c("{.arg mechanism} has too many reports for its matrix.",
          x = "It has {format_count(length(mechanism$levels))} categories and {amount_words(number)} possible reports.",
          i = paste("The limit is {format_count(matrix_limit)}. Estimation never needs the matrix:",
                    "{.fn rr_law} says what is known.")),
        c("law", "argument"))
}

amount_words <- function(number) {
  if (number < 1e15) format_count(number) else if (is.finite(number)) format(number, digits = 2) else "more than 1e308"
}

# The matrix of reports that are independent bits: a row of `one` and `zero` is a truth, a column a bit, with its
# probabilities to be 1 and 0. The first bit runs fastest.
bits_matrix <- function(one, zero) {
  chances <- matrix(1, nrow(one), 1)
  labels <- ""
  for (bit in seq_len(ncol(one))) {
    chances <- cbind(chances * zero[, bit], chances * one[, bit])
    labels <- c(paste0(labels, "0"), paste0(labels, "1"))
  }
  colnames(chances) <- labels
  chances
}

named_matrix <- function(mechanism, chances, reports = colnames(chances)) {
  dimnames(chances) <- list(truth = mechanism$levels, report = reports)
  chances
}

# Two mechanisms are the same when they randomise in the same way over the same labels.
same_mechanism <- function(x, y) {
  identical(class(x), class(y)) && identical(unclass(x), unclass(y))
}

#' @export
format.rr_mechanism <- function(x, digits = 4, ...) {
  digits <- check_digits(digits)
  sprintf("%s, %s%s", x$design, category_words(length(x$levels)),
          if (protects(x)) paste(", epsilon =", format(x$epsilon, digits = digits)) else "")
}

# The print is the summary: without it a mechanism would be listed as the list that it is.
#' @export
summary.rr_mechanism <- function(object, ...) {
  check_dots_empty(...)
  object
}

#' @export
print.rr_mechanism <- function(x, ..., digits = 4) {
  digits <- check_digits(digits)
  cat("<", class(x)[1], "> ", x$design, "\n", sep = "")
  k <- length(x$levels)
  cat("  categories  ", format_labels(x$levels, between = if (has_worded_order(x)) " < " else ", "), "\n", sep = "")
  if (protects(x)) {
    cat("  epsilon     ", format(x$epsilon, digits = digits), "  (", odds_words(x$epsilon), ")",
        if (inherits(x, "rr_noncompliance")) "; disobedience protects nobody", "\n", sep = "")
  } else {
    cat("  epsilon     none: mistakes protect nobody\n")
  }
  if (k <= 8 && law_gives(rr_law(x), "channel", k)) {
    cat("  P(report given truth), rows are truths:\n")
    print(rr_matrix(x), digits = digits)
  } else {
    cat(format_transition(x, digits), sep = "\n")
  }
  invisible(x)
}

# An order that a reader cannot see from the labels, as that of numbers.
has_worded_order <- function(mechanism) {
  isTRUE(mechanism$ordered) && anyNA(suppressWarnings(as.numeric(utils::head(mechanism$levels, 8))))
}

# One line that is printed in place of the matrix when there are too many categories to show it.
format_transition <- function(x, digits) {
  law_transition(rr_law(x), function(v) {
    paste(unique(format(signif(base::range(v), digits), digits = digits)), collapse = " to ")
  })
}

format_labels <- function(labels, width = 60, between = ", ") {
  k <- length(labels)
  shown <- paste(encodeString(labels[seq_len(min(k, 8))]), collapse = between)
  if (k > 8) shown <- paste0(shown, between, "... (", format_count(k), " in all)")
  if (nchar(shown) > width && k > 3) {
    shown <- paste0(paste(encodeString(labels[1:3]), collapse = between), between, "... (", format_count(k), " in all)")
  }
  shown
}
