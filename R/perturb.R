#' Randomise true answers
#'
#' The respondent's side: turns each true answer into a report, drawn from the mechanism's probabilities
#' given that truth (the rows of [rr_matrix()]).
#'
#' **Where the randomness comes from.** The default, `rng = "secure"`, is a ChaCha20 stream under a key that
#' each call takes afresh from the operating system (`getrandom()`, `getentropy()` or `BCryptGenRandom()`) and
#' wipes on every way out. It pays no attention to [set.seed()] and does not touch R's generator. If the
#' operating system gives no key, that is an error; there is no fallback. `rng = "R"` draws from R's
#' generator, so that [set.seed()] reproduces a simulation. It protects nobody: R's generators are
#' predictable.
#'
#' **Which probabilities are realised.** Every probability is a multiple of \eqn{2^{-64}} and is realised exactly. It is
#' rounded from its nominal value in the direction that adds noise, so the achieved epsilon,
#' `rr_epsilon(mechanism, achieved = TRUE)`, is not above the nominal one. A mechanism made from `epsilon`
#' keeps besides a relative \eqn{2^{-49}} below its real probability of the truth, more than the rounding errors of
#' computing it. For a given probability, such as `rr_warner(0.75)`, the nominal value is that number.
#' Since no probability lies between 0 and \eqn{2^{-64}}, the achieved epsilon of `K` categories is at most
#' \eqn{44.4 + \log K}{44.4 + log(K)} unless the truth is told for certain.
#'
#' The report of a respondent who is asked twice is drawn twice, and the two together reveal more than one.
#' Randomise once and keep the report.
#'
#' @param x The true answers: a factor, character, integer, whole-number double or logical vector, matched to the
#'   levels of the mechanism as [rr_tally()] matches reports.
#' @param mechanism How to randomise, see [rr_grr()], [rr_binary()], [rr_forced()].
#' @param rng `"secure"` or `"R"`, see below.
#' @return The reports: as many as there are answers, with their names, of the same type (integers become doubles
#'   where a level is no integer), and read by [rr_tally()] as
#'   what they are. Text and factors have the labels of the mechanism's reports. Logical answers to a question with
#'   other than two reports become the numbers of these.
#' @section Errors:
#' `candor_error_level` for an answer that is not a level, `candor_error_missing` for a missing one, both with value
#' and position; `candor_error_entropy` when the operating system provides no key; `candor_error_generator` when a
#' user-supplied generator of R returns a number outside 0 to 1. No report is returned then; for a bad answer nothing
#' has been drawn.
#' @source Nir, Y. and Langley, A. (2018). ChaCha20 and Poly1305 for IETF protocols. RFC 8439. \doi{10.17487/RFC8439}
#'
#'   Lemire, D. (2019). Fast random integer generation in an interval. *ACM Transactions on Modeling and Computer
#'   Simulation* 29(1). \doi{10.1145/3230636}
#'
#'   Mironov, I. (2012). On significance of the least significant bits for differential privacy. *Proceedings of the
#'   2012 ACM Conference on Computer and Communications Security*, 650-661. \doi{10.1145/2382196.2382264}
#' @examples
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' truth <- factor(rep(c("never", "once", "often"), c(600, 300, 100)))
#' reports <- rr_perturb(truth, mechanism)
#' table(truth, reports)
#'
#' # A simulation that can be repeated
#' set.seed(1)
#' rr_perturb(c(TRUE, FALSE, FALSE, TRUE), rr_warner(0.75), rng = "R")
#' @export
rr_perturb <- function(x, mechanism, rng = c("secure", "R")) {
  check_given(x = "the true answers", mechanism = "how to randomise")
  check_mechanism(mechanism)
  rng <- check_choice(rng, "rng", c("secure", "R"))
  perturb_answers(mechanism, x, rng, call = environment())
}

# One column of answers for nearly every mechanism; mechanisms whose reports are of another shape (several
# questions, vectors of bits) bring methods of their own, of both: every answer is looked at before the first draw.
perturb_answers <- function(mechanism, x, rng, call) {
  draw_answers(mechanism, prepare_answers(mechanism, x, rng, call), x, rng, call)
}

prepare_answers <- function(mechanism, x, rng, call) UseMethod("prepare_answers")

draw_answers <- function(mechanism, answers, x, rng, call) UseMethod("draw_answers")

#' @export
prepare_answers.rr_mechanism <- function(mechanism, x, rng, call) {
  answers <- encode_answers(x, mechanism, call)
  # The kernel looks too, but while it draws; its own key nobody misses, a state of R's generator they do.
  if (rng == "R") {
    stray <- .Call(C_rr_check_answers, answers$codes, answers$first, as.double(length(mechanism$levels)))
    if (stray > 0) abort_answer(x, stray, mechanism, call)
  }
  answers$plan <- perturbation(mechanism, call)
  answers
}

#' @export
draw_answers.rr_mechanism <- function(mechanism, answers, x, rng, call) {
  plan <- answers$plan
  result <- .Call(C_rr_perturb, answers$codes, answers$first, plan_sizes(mechanism), plan_kind(plan),
                  plan$numbers, generator(rng))
  if (result$failed) abort_generator(rng, call)
  if (result$position > 0) abort_answer(x, result$position, mechanism, call)
  decode_reports(result$reports, answers$first, x, mechanism)
}

# How a mechanism is drawn from: `kind`, one of perturbation_kinds, and the `numbers` that the kernel wants for
# it. This is all that a mechanism has to say here; the default serves every mechanism with an additive
# form or a matrix.
#   grr          p, q, p - q              the probabilities are the nominal ones
#   grr_epsilon  epsilon                  epsilon is the nominal one, probabilities are rounded on its safe side
#   binary       p, 1 - p, q, 1 - q       the smaller of each pair counts
#   innocuous    a, b[1], b[2], ...       truth with probability a, else from b
#   channel      the matrix, rows are truths
perturbation <- function(mechanism, call = caller_env()) UseMethod("perturbation")

perturbation_kinds <- c("grr", "grr_epsilon", "binary", "innocuous", "channel")

#' @export
perturbation.rr_mechanism <- function(mechanism, call = caller_env()) {
  form <- additive(mechanism)
  if (is.null(form) || form$a < 0) {
    k <- length(mechanism$levels)
    # All others alike: GRR, whatever it is made of. A rounding must not take p below 0.
    if (length(form$b) == 1L && k > 2L) return(list(kind = "grr", numbers = c(max(0, form$a + form$b), form$b, form$a)))
    if (k > matrix_limit) abort_wide(mechanism, call)
    return(list(kind = "channel", numbers = as.double(rr_matrix(mechanism))))
  }
  list(kind = "innocuous", numbers = c(form$a, rep_len(form$b, length(mechanism$levels))))
}

abort_wide <- function(mechanism, call) {
  k <- format_count(length(mechanism$levels))
  abort(c("{.arg mechanism} has too many categories to be randomised with.",
          x = "It has {k}; the limit for its kind is {format_count(matrix_limit)}.",
          i = if (is.null(mechanism$share) && inherits(mechanism, "rr_compose")) {
            "Randomise in two steps: {.code rr_perturb(rr_perturb(x, first), second)}."
          }), "argument", call = call)
}

plan_kind <- function(plan) match(plan$kind, perturbation_kinds) - 1L

plan_sizes <- function(mechanism) as.double(c(length(mechanism$levels), length(mechanism$reports)))

# What a mechanism achieves on the grid of 2^-64: `epsilon`, and `a` and `b` as in additive(), or `matrix`.
achieved <- function(mechanism, call = caller_env()) {
  plan <- perturbation(mechanism, call)
  sizes <- plan_sizes(mechanism)
  result <- .Call(C_rr_achieved, sizes, plan_kind(plan), plan$numbers)
  if (plan$kind == "channel") return(list(epsilon = result$epsilon, matrix = matrix(result$numbers, sizes[1])))
  list(epsilon = result$epsilon, a = result$numbers[1], b = result$numbers[-1])
}

# Which generator the kernel is to use. Tests set `source` to "none", an operating system without entropy: it can
# only ever turn a report into an error.
entropy <- new.env(parent = emptyenv())
entropy$source <- "secure"

perturb_generators <- c("secure", "R", "none")

generator <- function(rng) match(if (rng == "secure") entropy$source else rng, perturb_generators) - 1L

# Truths are matched to the mechanism's levels as reports are to its reports.
encode_answers <- function(x, mechanism, call) {
  if (is.factor(x) && identical(levels(x), mechanism$levels)) return(list(codes = x, first = 1L))
  truths <- truth_side(mechanism)
  if (is.double(x) && !is.object(x)) {
    bad <- which(!is.na(x) & (x != floor(x) | abs(x) > .Machine$integer.max))
    bad <- bad[!x[bad] %in% truths$numeric_levels]
    if (length(bad)) abort_answer(x, bad[1], mechanism, call)
  }
  check_values(x, mechanism, call)
  answers <- encode_reports(x, truths, call)
  # The kernel returns what it was given, and more than two reports are not logical.
  if (is.logical(x) && length(mechanism$reports) != 2L) answers$codes <- as.integer(answers$codes)
  answers
}

# The mechanism whose reports are the truths.
truth_side <- function(mechanism) {
  if (!identical(mechanism$levels, mechanism$reports)) mechanism["numeric_levels"] <- list(mechanism$numeric_truths)
  mechanism$reports <- mechanism$levels
  mechanism
}

# Numbers in, numbers out: not where a report has none.
check_values <- function(x, mechanism, call) {
  numbers <- is.numeric(x) || (is.logical(x) && length(mechanism$reports) != 2L)
  if (!numbers || is.factor(x) || !anyNA(mechanism$numeric_levels)) return(invisible())
  bad <- which(is.na(label_values(mechanism)))
  if (!length(bad)) return(invisible())
  abort(c("{.arg x} must be text or a factor for this mechanism.",
          x = "It is numbers, and the level {.val {mechanism$reports[bad[1]]}} is not one: it could not be reported."),
        "argument", call = call)
}

# Codes of reports, counted from `first`, as values like those of the answers.
decode_reports <- function(reports, first, x, mechanism) {
  labels <- mechanism$reports
  if (is.factor(x)) {
    attr(reports, "levels") <- labels
    class(reports) <- if (identical(levels(x), labels)) class(x) else "factor"
  } else if (is.character(x)) {
    reports <- labels[reports]
  } else if (is.logical(x) && length(labels) == 2L) {
    yes <- if (bits_turned(labels)) 1L else 2L
    if (!is.logical(reports) || first != 2L - yes) reports <- reports - first + 1L == yes
  } else {
    reports <- decode_numbers(reports, first, mechanism)
    storage.mode(reports) <- if (is.double(x) || !all_integers(mechanism$numeric_levels)) "double" else "integer"
  }
  if (!is.null(names(x))) names(reports) <- names(x)
  reports
}

# Decided by the levels, so that the type does not depend on the draw.
all_integers <- function(values) {
  is.null(values) || all(values == floor(values) & abs(values) <= .Machine$integer.max, na.rm = TRUE)
}

decode_numbers <- function(reports, first, mechanism) {
  if (identical(first_number(mechanism), first)) return(reports)
  label_values(mechanism)[reports - first + 1L]
}

abort_answer <- function(x, position, mechanism, call) {
  value <- value_at(x, position)
  at <- format_count(position)
  if (is.na(value)) {
    abort(c("{.arg x} must not have missing answers.", x = "Answer {at} is NA.",
            i = paste("Randomising would leave it visible who did not answer:",
                      "leave them out, or make \"no answer\" a level.")),
          "missing", call = call)
  }
  abort(c("{.arg x} must hold answers to this mechanism's question.",
          x = "Answer {at} is {describe(value)}, which is not a level.",
          i = "{wanted_answers(x, truth_side(mechanism))}"),
        "level", call = call)
}

abort_generator <- function(rng, call) {
  if (rng == "secure") {
    abort(c("The operating system provided no randomness, so nothing was randomised.",
            i = paste("There is no fallback on purpose: a predictable generator protects nobody.",
                      "Try again on a working system.")),
          "entropy", call = call)
  }
  abort(c("R's random number generator returned something other than a number between 0 and 1.",
          x = "The kind in use is {.val {RNGkind()[1]}}.", i = "Choose another with {.fn RNGkind}."),
        "generator", call = call)
}
