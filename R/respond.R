#' Randomize true answers
#'
#' `rr_perturb()` is the respondent's side. It turns each true answer into a report, drawn from the mechanism's probabilities given that truth (the rows of
#' [rr_matrix()]). Two reports about the same answer reveal more than one: randomize once and keep the report.
#'
#' **Randomness.** The default, `rng = "secure"`, is a ChaCha20 stream under a key that each call takes from the operating system (`getrandom()`, `getentropy()` or
#' `BCryptGenRandom()`) and wipes afterwards. It ignores [set.seed()] and does not change R's generator. If the operating system gives no key, the call is an
#' error; there is no fallback. `rng = "R"` draws from R's generator, so that [set.seed()] reproduces a simulation. It protects nobody, because R's
#' generators are predictable.
#'
#' **Probabilities.** Every probability is a multiple of \eqn{2^{-64}} and is realized exactly. It is rounded in the direction that adds noise, so that the achieved
#' epsilon, `rr_epsilon(mechanism, achieved = TRUE)`, is never above the nominal epsilon. For a mechanism of one stage made from an epsilon up to 30 it is less than
#' \eqn{10^{-6}}{1e-6} below. For `K` categories it is at most \eqn{44.4 + \log K}{44.4 + log(K)}, unless the mechanism reports the truth with certainty.
#'
#' If the achieved epsilon is below the nominal epsilon by more than a 64th, `rr_perturb()` gives an error that names the largest epsilon. For answers to questions
#' ([rr_grr()], [rr_binary()], [rr_channel()] and the like) it gives the warning `candor_warning_precision`. Planning and estimation work with any epsilon.
#'
#' @param x The true answers: a factor, character, logical or whole-number vector, matched to the levels as in [rr_tally()]. For [rr_product()] a
#'   data frame with one column per question, named like the questions.
#' @param mechanism The mechanism, see [rr_grr()], [rr_binary()], [rr_forced()].
#' @param rng `"secure"` (default) or `"R"`, see *Randomness*.
#' @param keep Names of further columns of a data frame that are returned **as they are**, such as an identifier or a group. A message of class
#'   `candor_message_keep` names them, and the columns that were left out.
#' @param memory For mechanisms with a memoized first stage, see [rr_longitudinal()]: the `memory` of earlier reports of the same respondents in the same order,
#'   or `list()` to start.
#' @param ... Must be empty.
#' @return As many reports as answers, with their names and type. Integers become doubles if a level is not an integer; logical answers become numbers of reports if
#'   there are not two reports. For a data frame, a data frame of the `keep` columns and the questions. With `memory`, a list of `reports`, to be sent,
#'   and `memory`, to be kept.
#' @section Errors:
#' After an error no report is returned. A bad answer is found before anything is drawn.
#'
#' * `candor_error_level`, `candor_error_missing`: an answer that is not a level, or missing. The error has its position and never its value.
#' * `candor_error_precision`: an epsilon that the probabilities do not reach.
#' * `candor_error_entropy`: the operating system gives no key. `candor_error_generator`: R's generator returns a number outside 0 to 1.
#' * `candor_error_argument`: other arguments.
#' @references Nir, Y. and Langley, A. (2018). ChaCha20 and Poly1305 for IETF protocols. RFC 8439. \doi{10.17487/RFC8439}
#'
#'   Lemire, D. (2019). Fast random integer generation in an interval. *ACM Transactions on Modeling and Computer
#'   Simulation* 29(1). \doi{10.1145/3230636}
#'
#'   Mironov, I. (2012). On significance of the least significant bits for differential privacy. *CCS*, 650-661. \doi{10.1145/2382196.2382264}
#' @seealso [rr_tally()], which counts the reports; [rr_client()], which randomizes outside R.
#' @concept randomize answers
#' @concept randomizer
#' @concept anonymize
#' @examples
#' # How often does a report differ from the truth?
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' truth <- factor(rep(c("never", "once", "often"), c(600, 300, 100)))
#' set.seed(1)
#' reports <- rr_perturb(truth, mechanism, rng = "R")
#' table(truth, reports)   # in about 21% of all answers
#'
#' # Several questions: other columns are left out, or kept by name
#' answers <- data.frame(id = 1:3,
#'                       drugs = c("no", "yes", "no"),
#'                       theft = c("no", "no", "yes"))
#' survey <- rr_product(drugs = rr_warner(0.8), theft = rr_warner(0.8))
#' rr_perturb(answers, survey, keep = "id", rng = "R")
#' @export
rr_perturb <- function(
  x,
  mechanism,
  rng = c("secure", "R"),
  keep = NULL,
  memory = NULL,
  ...
) {
  check_dots_empty(...)
  # Arguments in the wrong order would show an answer: the error has only its kind.
  if (!inherits(mechanism, "rr_mechanism")) {
    abort(c(
      "{.arg mechanism} must be a mechanism, after the answers.",
      x = "It is {describe_kind(mechanism)}."
    ))
  }
  rng <- check_choice(rng)
  check_mechanism(mechanism)
  columns <- check_keep(keep, x, mechanism)
  x <- plain_answers(x, mechanism)
  answers <- prepare_answers(mechanism, x)
  check_reach(mechanism)
  memoised <- is_memoised(mechanism)
  if (memoised || !is.null(memory)) {
    if (is.null(permanent_epsilon(mechanism))) {
      abort(
        paste(
          "{.arg memory} is for mechanisms with a first stage that is kept,",
          "as of {.fn rr_longitudinal}."
        )
      )
    }
    drawn <- draw_memoised(mechanism, answers, memory, rng)
    # Reports are sent and the memory stays with the respondent: no report carries an answer.
    drawn$reports <- decode_answers(mechanism, drawn$reports, x)
    return(if (is.null(memory)) drawn$reports else drawn)
  }
  kept_questions <- Filter(is_memoised, mechanism$questions)
  if (length(kept_questions)) warn_forgotten(names(kept_questions))
  reports <- decode_answers(mechanism, draw_reports(mechanism, answers, rng), x)
  if (length(columns)) {
    frame_of(c(as.list(columns), as.list(reports)), nrow(reports))
  } else {
    reports
  }
}

# A data frame of columns that stay as they are, without names of rows.
frame_of <- function(columns, n) {
  structure(columns, row.names = .set_row_names(n), class = "data.frame")
}

# The answers as base R's types. Labelled values become their labels, and integer64 values become
# numbers.
plain_answers <- function(x, mechanism) {
  if (is.null(mechanism$questions)) return(plain_reports(x, truth_side(mechanism)))
  x <- answer_frame(x)
  frame_of(Map(plain_answers, question_columns(x, mechanism), mechanism$questions), nrow(x))
}

# The columns that go out as they are. They are named, so that nobody publishes a truth by mistake.
check_keep <- function(keep, x, mechanism) {
  questions <- names(mechanism$questions)
  if (is.null(questions) && is.null(keep)) return(NULL)
  if (is.null(questions)) abort("{.arg keep} is for data frames with several questions.")
  x <- answer_frame(x)
  is_text <- is.null(keep) || is.character(keep)
  if (!is_text || anyDuplicated(keep) ||
      !all(keep %in% setdiff(names(x), questions))) {
    abort("{.arg keep} must name columns of {.arg x} that are no questions: these are randomized.")
  }
  left <- setdiff(names(x), c(keep, questions))
  if (length(keep) || length(left)) {
    cli::cli_inform(
      c(
        if (length(keep)) {
          "Returned as {cli::qty(keep)}{?it is/they are}, not randomized: {.val {keep}}."
        },
        if (length(left)) "Left out, since no question is called so: {.val {left}}.",
        i = if (length(left)) "{.arg keep} returns columns as they are."
      ),
      class = "candor_message_keep"
    )
  }
  if (length(keep)) as.list(x)[keep]
}

# The positions of the user's answers among the levels; decode_answers() returns drawn reports in
# the user's type. Nearly every mechanism has one column of answers; a product has one per question.
# Every answer is checked before the first draw.
prepare_answers <- function(mechanism, x) UseMethod("prepare_answers")

decode_answers <- function(mechanism, reports, x) UseMethod("decode_answers")

#' @export
prepare_answers.rr_mechanism <- function(mechanism, x) {
  truths <- truth_side(mechanism)
  if (is.double(x) && !is.object(x)) {
    is_odd <- !is.na(x) & (x != floor(x) | abs(x) > .Machine$integer.max)
    bad <- which(is_odd)
    bad <- bad[!x[bad] %in% truths$numeric_levels]
    if (length(bad)) abort_answer(x, bad[1], mechanism)
  }
  # Numbers are returned for numbers, unless the label of a report is not a number.
  numbers <- is.numeric(x) || (is.logical(x) && length(mechanism$reports) != 2L)
  if (numbers && anyNA(mechanism$numeric_levels) && anyNA(label_values(mechanism))) {
    abort("{.arg x} must be text or a factor: not every level of this mechanism is a number.")
  }
  answers <- encode_reports(x, truths)
  codes <- as.integer(answers$codes)
  stray <- .Call(C_rr_check_answers, codes, answers$first, length(mechanism$levels))
  if (stray > 0) abort_answer(x, stray, mechanism)
  if (answers$first == 1L) codes else codes - answers$first + 1L
}

# Reports that are not categories are returned in the form of their protocol, others as values like
# the answers.
decode_answers.rr_mechanism <- function(mechanism, reports, x) {
  if (!has_categories(mechanism)) return(reports)
  labels <- mechanism$reports
  if (is.factor(x)) {
    attr(reports, "levels") <- labels
    class(reports) <- if (identical(levels(x), labels)) class(x) else "factor"
  } else if (is.character(x)) {
    reports <- labels[reports]
  } else if (is.logical(x) && length(labels) == 2L) {
    reports <- reports == no_yes_index(labels)[["yes"]]
  } else {
    if (!identical(first_number(mechanism), 1L)) reports <- label_values(mechanism)[reports]
    storage.mode(reports) <- if (is.double(x) || !all_integers(mechanism$numeric_levels)) {
      "double"
    } else {
      "integer"
    }
  }
  if (!is.null(names(x))) names(reports) <- names(x)
  reports
}

decode_answers.rr_protocol <- function(mechanism, reports, x) reports

# Are all levels integers? The levels decide, so that the type does not depend on the draw.
all_integers <- function(values) {
  is.null(values) ||
    all(values == floor(values) & abs(values) <= .Machine$integer.max, na.rm = TRUE)
}

abort_answer <- function(x, position, mechanism) {
  value <- value_at(x, position)
  index <- format_count(position)
  if (is.na(value)) {
    abort(
      c(
        "{.arg x} must not have missing answers.", x = "Answer {index} is NA.",
        i = "Leave them out, or make \"no answer\" a level: reports would show who did not answer."
      ),
      "missing"
    )
  }
  # The value would be somebody's true answer, in a log or a report of a crash.
  truths <- truth_side(mechanism)
  broken <- is.double(value) && value != floor(value) && all_integers(truths$numeric_levels)
  abort(c("{.arg x} must hold answers to this mechanism's question.",
          x = "Answer {index} is not a {if (broken) 'whole number' else 'level'}.",
          i = "{wanted_answers(x, truths)}"), "level")
}

# An error if an answer of a mechanism of numbers is outside its range, `stray` being the positions
# of these.
abort_outside <- function(x, stray, mechanism, range) {
  if (!length(stray)) return(invisible())
  if (is.na(x[stray[1]])) {
    abort_answer(as.double(x), stray[1], mechanism)
  }
  bounds <- range_words(range[c(1, length(range))])
  abort(c("{.arg x} must lie within the mechanism's range, from {bounds}.",
          x = "Answer {format_count(stray[1])} does not."), "level")
}

# ---- levels that cannot be drawn ----

# Probabilities are multiples of 2^-64. If one of a mechanism is below that, or so near to 1,
# reports have another epsilon than the stated one. Nobody should learn that from the results.

# An error if rr_perturb() cannot draw a mechanism at its epsilon. Each question, and each
# submechanism that a respondent may draw, is checked. A warning must do if a report is an answer to
# a question that is asked once. Almost nobody randomizes it at such an epsilon: the reports are the
# truth, but for one in 1e19.
check_reach <- function(mechanism) {
  mechanisms <- mechanism$questions %||% mechanism$parts
  for (component in mechanisms) check_reach(component)
  if (!is.null(mechanisms)) return(invisible())
  # Looking closer takes long for large matrices.
  epsilons <- c(mechanism$epsilon, mechanism$permanent, mechanism$first$epsilon)
  probs <- c(mechanism[["p"]], mechanism[["q"]])
  # Between these bounds, if probabilities come from epsilon, the loss of 2^-64 / exp(-40) is 1 / 78
  # of the slack.
  sure <- all(
    epsilons == 0 | is.infinite(epsilons) | (epsilons >= 1e-3 & epsilons <= 40), na.rm = TRUE
  ) && !any(probs > 0 & probs < 2^-56, na.rm = TRUE)
  # A protocol of a user draws its reports in a way that cannot be checked here.
  if (sure || !is.null(mechanism[["draw"]])) return(invisible())
  nominal <- rr_epsilon(mechanism)
  achieved <- rr_epsilon(mechanism, achieved = TRUE)
  # A fraction of 1 / 64 may be lost. A probability of at least one step is at most doubled by
  # rounding. If no probability is below a step, an epsilon as large as 64 log(2) loses at most
  # log(2).
  short <- which(achieved < nominal * (1 - 1 / 64))[1]
  if (is.na(short)) return(invisible())
  texts <- vapply(
    c(achieved[[short]], nominal[[short]]), format, "", digits = 4
  )
  # The epsilon is rounded down, so that a mechanism with it can be drawn.
  largest <- format(floor(achieved[[short]] * 100) / 100)
  remedy <- if (nominal[[short]] < 1) "use a larger epsilon, or fewer categories."
    else "use an epsilon of at most {largest}."
  tell <- if (is.null(mechanism$codec) && !is_memoised(mechanism)) warn else abort
  tell(c("The epsilon of {.arg mechanism} is out of the reach of probabilities that can be drawn.",
         x = "It would be {texts[1]}, not {texts[2]}: {format(mechanism)}.",
         i = paste("Probabilities are multiples of 2^-64:", remedy)), "precision")
}
