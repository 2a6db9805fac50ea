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
#' also stays a relative \eqn{2^{-49}} below its real probability of the truth, which is more than the rounding errors of
#' computing it. For a given probability, such as `rr_warner(0.75)`, the nominal value is that number.
#' Since no probability lies between 0 and \eqn{2^{-64}}, the achieved epsilon of `K` categories is at most
#' \eqn{44.4 + \log K}{44.4 + log(K)} unless the mechanism reports the truth with certainty. That of other protocols has such a bound, too.
#' A mechanism whose epsilon is out of reach can be used for planning and estimation. Where the achieved epsilon
#' would fall short of the nominal one by more than a 64th, since a probability is too near to 0 or 1 for steps of \eqn{2^{-64}}, `rr_perturb()` refuses it and
#' names the largest; for answers to questions ([rr_grr()], [rr_binary()], [rr_channel()] and the like) it draws them with a `candor_warning_precision`. For a mechanism of one stage made from an epsilon up to 30 the shortfall is below \eqn{10^{-6}}{1e-6}.
#'
#' If the same answer is randomised twice, the two reports together reveal more than one.
#' Randomise once and keep the report.
#'
#' @param x The true answers: a factor, character, integer, whole-number double or logical vector, matched to the
#'   levels of the mechanism as [rr_tally()] matches reports.
#' @param mechanism How to randomise, see [rr_grr()], [rr_binary()], [rr_forced()].
#'   For several questions ([rr_product()]) `x` is a data frame with one column per question, named like the questions. Only these
#'   columns are returned.
#' @param rng `"secure"` or `"R"`, see *Details*.
#' @param keep Names of further columns of a data frame that are to be returned **as they are**, such as an identifier or a group.
#'   A message of class `candor_message_keep` names them, and also the columns that were left out.
#' @param memory For mechanisms with a first stage that is kept, see [rr_longitudinal()]: the `memory` of the former reports of the same
#'   respondents, in the same order; `list()` to start.
#' @param ... Not used, and refused.
#' @return The reports: as many as there are answers, with their names and of their type (integers become doubles
#'   where a level is not an integer). [rr_tally()] reads
#'   them. Text and factors have the labels of the mechanism's reports. Logical answers become the numbers of the reports if the
#'   mechanism has other than two reports. For a data frame: a data frame of the `keep` columns and
#'   the questions, without row names. With `memory` a list of the `reports`, to be sent, and the new `memory`, to be kept.
#' @section Errors:
#' `candor_error_level` for an answer that is not a level, `candor_error_missing` for a missing one, both with the
#' position and never with the value, which is somebody's true answer; `candor_error_precision` for an epsilon that the probabilities that can be
#' drawn do not reach; `candor_error_argument` for the rest; `candor_error_entropy` when the operating system provides no key; `candor_error_generator` when a
#' user-supplied generator of R returns a number outside 0 to 1. After an error no report is returned; a bad answer is found before anything
#' is drawn.
#' @references Nir, Y. and Langley, A. (2018). ChaCha20 and Poly1305 for IETF protocols. RFC 8439. \doi{10.17487/RFC8439}
#'
#'   Lemire, D. (2019). Fast random integer generation in an interval. *ACM Transactions on Modeling and Computer
#'   Simulation* 29(1). \doi{10.1145/3230636}
#'
#'   Mironov, I. (2012). On significance of the least significant bits for differential privacy. *Proceedings of the
#'   2012 ACM Conference on Computer and Communications Security*, 650-661. \doi{10.1145/2382196.2382264}
#' @concept randomize answers
#' @concept randomizer
#' @concept anonymize
#' @examples
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 2)
#' truth <- factor(rep(c("never", "once", "often"), c(600, 300, 100)))
#' reports <- rr_perturb(truth, mechanism)
#' table(truth, reports)
#'
#' # Several questions: what is not randomised is left out, or kept by name
#' answers <- data.frame(id = 1:3, drugs = c("no", "yes", "no"), theft = c("no", "no", "yes"))
#' rr_perturb(answers, rr_product(drugs = rr_warner(0.8), theft = rr_warner(0.8)), keep = "id")
#'
#' # A simulation that can be repeated
#' set.seed(1)
#' rr_perturb(c(TRUE, FALSE, FALSE, TRUE), rr_warner(0.75), rng = "R")
#' @export
rr_perturb <- function(x, mechanism, rng = c("secure", "R"), keep = NULL, memory = NULL, ...) {
  check_dots_empty(...)
  # Arguments in the wrong order would show an answer: only its kind is told.
  if (!inherits(mechanism, "rr_mechanism")) {
    abort(c("{.arg mechanism} must be a mechanism, after the answers.", x = "It is {describe_kind(mechanism)}."),
          "argument")
  }
  rng <- check_choice(rng, "rng", c("secure", "R"))
  kept <- check_keep(keep, x, mechanism)
  x <- plain_answers(x, mechanism)
  answers <- prepare_answers(mechanism, x)
  check_reach(mechanism)
  if (is_memoised(mechanism) || !is.null(memory)) return(perturb_memoised(x, mechanism, answers, memory, rng))
  kept_questions <- Filter(is_memoised, mechanism$questions)
  if (length(kept_questions)) warn_forgotten(names(kept_questions))
  reports <- decode_answers(mechanism, draw_reports(mechanism, answers, rng), x)
  if (length(kept)) structure(c(as.list(kept), as.list(reports)), row.names = .set_row_names(nrow(reports)),
                              class = "data.frame")
  else reports
}

perturb_memoised <- function(x, mechanism, answers, memory, rng) {
  if (!inherits(mechanism, "rr_compose") && !is_memoised(mechanism)) {
    abort(c("{.arg memory} is for mechanisms with a first stage that is kept, such as {.fn rr_longitudinal}.",
            x = "This one is: {format(mechanism)}."), "argument")
  }
  drawn <- draw_memoised(mechanism, answers, memory, rng)
  # What is sent and what is kept are two things: no report carries an answer.
  drawn$reports <- decode_answers(mechanism, drawn$reports, x)
  if (is.null(memory)) drawn$reports else drawn
}

# Labelled values become their labels, and integer64 values become numbers.
plain_answers <- function(x, mechanism) {
  if (is.null(mechanism$questions)) return(plain_reports(x, truth_side(mechanism)))
  x <- answer_frame(x)
  questions <- question_columns(x, mechanism)
  structure(Map(function(column, question) plain_reports(column, truth_side(question)), questions,
                mechanism$questions),
            class = "data.frame", row.names = .set_row_names(nrow(x)))
}

# The columns that go out as they are. They are named, so that nobody publishes a truth by mistake.
check_keep <- function(keep, x, mechanism) {
  questions <- names(mechanism$questions)
  if (is.null(questions)) {
    if (is.null(keep)) return(NULL)
    abort(c("{.arg keep} is for data frames with several questions.", x = "The mechanism has one question."),
          "argument")
  }
  x <- answer_frame(x)
  if (!is.null(keep) && !is.character(keep) || anyDuplicated(keep) || !all(keep %in% setdiff(names(x), questions))) {
    abort(c("{.arg keep} must name columns of {.arg x} that are no questions: the answers to these are randomised.",
            x = "It is {.val {keep}}."), "argument")
  }
  left <- setdiff(names(x), c(keep, questions))
  if (length(keep) || length(left)) {
    cli::cli_inform(c(if (length(keep)) "Returned as {cli::qty(keep)}{?it is/they are}, not randomised: {.val {keep}}.",
                      if (length(left)) "Left out, since no question is called so: {.val {left}}.",
                      i = if (length(left)) "{.arg keep} returns columns as they are."), class = "candor_message_keep")
  }
  if (length(keep)) as.list(x)[keep]
}

# The user's answers become positions among the levels, and drawn reports become the user's type. Nearly every mechanism
# has one column of answers; a product has one per question. Every answer is checked before the first draw.
prepare_answers <- function(mechanism, x) UseMethod("prepare_answers")

decode_answers <- function(mechanism, reports, x) UseMethod("decode_answers")

#' @export
prepare_answers.rr_mechanism <- function(mechanism, x) {
  answers <- encode_answers(x, mechanism)
  stray <- .Call(C_rr_check_answers, answers$codes, answers$first, as.double(length(mechanism$levels)))
  if (stray > 0) abort_answer(x, stray, mechanism)
  # A mechanism that cannot draw must fail before another question of a product has been drawn.
  if (law_gives(rr_law(mechanism), "channel", length(mechanism$levels))) perturbation(mechanism)
  codes <- answers$codes
  if (!is.integer(codes)) codes <- as.integer(codes)
  if (!is.null(attributes(codes))) codes <- unclass_codes(codes)
  if (answers$first == 1L) codes else codes - answers$first + 1L
}

# Reports that are not categories are returned in the form of their protocol.
decode_answers.rr_mechanism <- function(mechanism, reports, x) {
  if (!law_gives(rr_law(mechanism), "channel", length(mechanism$levels))) return(reports)
  decode_reports(reports, 1L, x, mechanism)
}

decode_answers.rr_protocol <- function(mechanism, reports, x) reports

draw_reports <- function(mechanism, answers, rng = c("secure", "R")) {
  check_mechanism(mechanism)
  UseMethod("draw_reports")
}

draw_reports.rr_mechanism <- function(mechanism, answers, rng = c("secure", "R")) {
  rng <- check_choice(rng, "rng", c("secure", "R"))
  if (!is.null(mechanism[["draw"]])) return(mechanism[["draw"]](mechanism, answers, rng))
  if (!law_gives(rr_law(mechanism), "channel", length(mechanism$levels))) {
    abort(c("{.arg mechanism} has no function {.field draw}, so its reports cannot be drawn.",
            x = "It is: {format(mechanism)}."), c("law", "argument"))
  }
  plan <- perturbation(mechanism)
  run_kernel(mechanism, rng, function(generator) {
    .Call(C_rr_perturb, answers, 1L, plan_sizes(mechanism), plan_kind(plan), plan$numbers, generator)
  })
}

# What a kernel draws of the answers, which are positions.
run_kernel <- function(mechanism, rng, draw) {
  result <- draw(generator(rng))
  if (result$failed) abort_generator(rng)
  if (result$position > 0) abort_position(result$position, mechanism)
  result$reports
}

abort_position <- function(position, mechanism) {
  abort(c("{.arg answers} must be positions of levels, from 1 to {format_count(length(mechanism$levels))}.",
          x = "Answer {format_count(position)} is not."), "argument")
}

# Which generator the kernel is to use. Tests set `source` to "none", an operating system without entropy. No value can
# weaken the randomness: an unknown one is an error.
entropy <- new.env(parent = emptyenv())
entropy$source <- "secure"

perturb_generators <- c("secure", "R", "none")

generator <- function(rng) {
  if (rng == "secure" && !identical(entropy$source, "secure")) rng <- "none"
  match(rng, perturb_generators) - 1L
}

# Truths are matched to the mechanism's levels as reports are to its reports.
encode_answers <- function(x, mechanism) {
  if (is.factor(x) && identical(levels(x), mechanism$levels)) return(list(codes = x, first = 1L))
  truths <- truth_side(mechanism)
  if (is.double(x) && !is.object(x)) {
    bad <- stray_numbers(x, truths)
    if (length(bad)) abort_answer(x, bad[1], mechanism)
  }
  check_values(x, mechanism)
  answers <- encode_reports(x, truths)
  # The kernel returns the type it was given, but more than two reports cannot be logical.
  if (is.logical(x) && length(mechanism$reports) != 2L) answers$codes <- as.integer(answers$codes)
  answers
}

# Numbers are returned for numbers, unless the label of a report is not a number.
check_values <- function(x, mechanism) {
  numbers <- is.numeric(x) || (is.logical(x) && length(mechanism$reports) != 2L)
  if (!numbers || is.factor(x) || !anyNA(mechanism$numeric_levels)) return(invisible())
  bad <- which(is.na(label_values(mechanism)))
  if (!length(bad)) return(invisible())
  abort(c("{.arg x} must be text or a factor for this mechanism.",
          x = "It is numbers, and the level {.val {mechanism$reports[bad[1]]}} is not one."), "argument")
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
    reports <- reports - first + 1L == bit_places(labels)[["yes"]]
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

abort_answer <- function(x, position, mechanism) {
  value <- value_at(x, position)
  at <- format_count(position)
  if (is.na(value)) {
    abort(c("{.arg x} must not have missing answers.", x = "Answer {at} is NA.",
            i = "Randomising would show who did not answer: leave them out, or make \"no answer\" a level."), "missing")
  }
  # The value would be somebody's true answer, in a log or a report of a crash.
  truths <- truth_side(mechanism)
  broken <- is.double(value) && value != floor(value) && all_integers(truths$numeric_levels)
  abort(c("{.arg x} must hold answers to this mechanism's question.",
          x = "Answer {at} is not a {if (broken) 'whole number' else 'level'}.",
          i = "{wanted_answers(x, truths)}"), "level")
}

# Places of numbers that are neither whole, within the range of integers, nor levels.
stray_numbers <- function(x, truths) {
  if (!is.double(x)) return(integer())
  bad <- which(!is.na(x) & (x != floor(x) | abs(x) > .Machine$integer.max))
  bad[!x[bad] %in% truths$numeric_levels]
}

# There is no fallback: a predictable generator protects nobody.
abort_generator <- function(rng) {
  if (rng == "secure") abort("The operating system provided no randomness, so nothing was randomised.", "entropy")
  abort(c("R's random number generator returned something other than a number between 0 and 1.",
          x = "The kind in use is {.val {RNGkind()[1]}}."), "generator")
}

# ---- numbers: put in bins, or refused if they lie outside the range ----

# Numbers are put in their bins. The error does not name the value, which would be somebody's answer.
#' @export
prepare_answers.rr_square_wave <- function(mechanism, x) {
  if (is.null(mechanism$breaks) || !is.numeric(x) || is.factor(x)) return(NextMethod())
  bin <- findInterval(x, mechanism$breaks, rightmost.closed = TRUE)
  stray <- which(is.na(bin) | bin < 1L | bin >= length(mechanism$breaks))
  if (length(stray) && is.na(x[stray[1]])) abort_answer(as.double(x), stray[1], mechanism)
  if (length(stray)) abort_outside(stray, mechanism$breaks)
  prepare_answers.rr_mechanism(mechanism, bin)
}

# Answers outside the range of a mechanism of numbers.
abort_outside <- function(stray, range) {
  bounds <- format(range[c(1, length(range))], digits = 15, trim = TRUE)
  abort(c("{.arg x} must lie within the mechanism's range, from {bounds[1]} to {bounds[2]}.",
          x = "Answer {format_count(stray[1])} does not.", i = "Cut them to the range first, for all alike."), "level")
}

# ---- kernels of the protocols ----

# `draw` calls one of the samplers of src/glue_protocols.c; `answers` are positions.
draw_protocol <- function(draw, answers, mechanism, rng) {
  rng <- check_choice(rng, "rng", c("secure", "R"))
  drawn <- run_kernel(mechanism, rng, function(generator) {
    draw(as.integer(answers), as.double(length(mechanism$levels)), generator)
  })
  drawn_reports(drawn, mechanism$codec)
}

# n whole numbers from 0 to size - 1, all equally likely: a report that does not depend on the truth.
draw_uniform <- function(n, size, rng) {
  if (size == 1 || n == 0) return(numeric(n))
  run_kernel(NULL, rng, function(generator) {
    .Call(C_rr_perturb, rep(1L, n), 1L, as.double(c(size, size)), plan_kind(list(kind = "grr")),
          c(1 / size, 1 / size, 0), generator)
  }) - 1
}

# n coins that are TRUE with probability p, rounded down on the grid; `other` is 1 - p.
draw_coins <- function(n, p, other, rng) {
  if (n == 0 || p == 0) return(logical(n))
  run_kernel(NULL, rng, function(generator) {
    .Call(C_rr_perturb, rep(2L, n), 1L, c(2, 2), plan_kind(list(kind = "binary")), c(p, other, 0, 1), generator)
  }) == 2L
}

# ---- levels that cannot be drawn ----

# Probabilities are multiples of 2^-64. Where one of a mechanism is below that, or so near to 1, reports have another
# epsilon than the one that was asked for. Nobody should find that out from the results.

# The part of epsilon that may be lost. A probability of at least one step is at most doubled by rounding: as long as no
# probability is below a step, a level that large, 64 log(2), loses at most log(2) of it.
reach_slack <- 1 / 64

# Within these, with probabilities from the level, the loss is far below the slack: of 2^-64 / exp(-40), that is 1 / 78.
reach_sure <- c(1e-3, 40)

# Refuses what rr_perturb() cannot draw at its level. Where a report is an answer to a question, which as good as nobody
# randomises at such a level, a warning must do: the reports are the truth, but for one in 1e19. Each question, and each
# part that a respondent may draw.
check_reach <- function(mechanism) {
  parts <- mechanism$questions %||% mechanism$parts
  if (!is.null(parts)) {
    for (part in parts) check_reach(part)
  } else if (!surely_reached(mechanism) && drawn_on_grid(mechanism)) {
    nominal <- rr_epsilon(mechanism)
    achieved <- rr_epsilon(mechanism, achieved = TRUE)
    short <- which(achieved < nominal * (1 - reach_slack))
    if (length(short)) tell_reach(mechanism, achieved[short[1]], nominal[[short[1]]])
  }
}

# Looking closer takes long for large matrices.
surely_reached <- function(mechanism) {
  levels <- c(mechanism$epsilon, mechanism$permanent, mechanism$first$epsilon)
  given <- c(mechanism$p, mechanism$q)
  all(levels == 0 | is.infinite(levels) | (levels >= reach_sure[1] & levels <= reach_sure[2]), na.rm = TRUE) &&
    !any(given > 0 & given < 2^-56, na.rm = TRUE)
}

# Of a protocol of a user's own nobody but its author knows how reports are drawn.
drawn_on_grid <- function(mechanism) {
  !is.null(mechanism$memoised) || law_gives(rr_law(mechanism), "channel", length(mechanism$levels)) ||
    any(vapply(setdiff(class(mechanism), "rr_mechanism"), function(kind) exists(paste0("achieved.", kind)), NA))
}

# `achieved` has a name where a mechanism has two levels.
tell_reach <- function(mechanism, achieved, nominal) {
  whose <- if (identical(names(achieved), "permanent")) "All reports together" else "A report"
  shown <- function(x) format(unname(x), digits = 4)
  # Rounded down, so that a mechanism with the epsilon that is named can be drawn.
  largest <- format(floor(unname(achieved) * 100) / 100)
  remedy <- if (nominal < 1) "use a larger epsilon, or fewer categories." else "use an epsilon of at most {largest}."
  answers <- inherits(mechanism, c("rr_binary", "rr_grr", "rr_channel", "rr_forced", "rr_unrelated"))
  tell <- if (answers) warn else abort
  tell(c("The epsilon of {.arg mechanism} is out of the reach of probabilities that can be drawn.",
         x = "{whose} would have epsilon = {shown(achieved)}, not {shown(nominal)}: {format(mechanism)}.",
         i = paste("Probabilities are multiples of 2^-64:", remedy)), "precision")
}
