#' Several questions, each randomised on its own
#'
#' The mechanism of a questionnaire: each answer of a respondent is randomised by its own mechanism, independently
#' of the others given the truths. The questions may have different kinds of mechanism. The joint channel is a Kronecker product, which is never formed: all
#' work is done one question at a time. So 12 yes/no questions (4096 cells), or a few with many categories,
#' are estimated jointly at a cost that is a small multiple of the number of cells.
#'
#' Reports are tallied from a data frame with a column for each question, found by name; further columns are ignored. The tally,
#' and the fit, have one cell per combination of answers, the **first question running fastest** (as in an R array); `as.table()`
#' turns either into a table with one dimension per question.
#'
#' @param ... Mechanisms, named by question; or one named list of them.
#' @return A mechanism of class `c("rr_product", "rr_mechanism")`: a list with, among others, `questions` (the
#'   mechanisms), `levels` and `reports` (labels of the cells, joined by ", "), `sizes` and `report_sizes`
#'   (number of truths and reports of each question). [rr_epsilon()] gives the level of each question and of the whole row, their sum.
#' @section Errors:
#' `candor_error_argument` for anything but named mechanisms with finitely many reports or with reports that support sets of categories or are bits, [rr_bitflip()] and [rr_bloom()] (the latter two kinds have no joint table: see [rr_cooccurrence()]), and for names that are those of
#' result columns (`term`, `count`, `share`, `estimate`, ...), and for answers whose labels hold commas such that two cells
#' would have one label; a product of more than 16,777,216 cells cannot be tallied or
#' estimated jointly.
#' @references Carette, T. (2022). A normal approximation for joint frequency estimation under local differential privacy, section 2.4, for
#'   columns randomised each on its own.
#'
#'   van den Hout, A. and van der Heijden, P. G. M. (2002), see [benefit_survey], for two questions by the same respondents.
#'
#'   Pinzon, C. A. et al. (2025), theorem 1, and [rr_solver] for the estimates.
#' @examples
#' survey <- rr_product(
#'   drugs = rr_warner(0.8),
#'   theft = rr_crosswise(0.25),
#'   income = rr_grr(c("low", "middle", "high"), epsilon = 2)
#' )
#' survey
#' set.seed(1)
#' truth <- data.frame(drugs = rbinom(500, 1, 0.2) == 1, theft = rbinom(500, 1, 0.1) == 1,
#'                     income = sample(c("low", "middle", "high"), 500, replace = TRUE))
#' reports <- rr_perturb(truth, survey, rng = "R")
#' fit <- rr_estimate(reports, survey)
#' as.table(fit)
#' @export
rr_product <- function(...) {
  questions <- named_mechanisms(...)
  for (name in names(questions)) check_question(questions[[name]], name)
  refuse_validated(questions, "{.fn rr_product}")
  sizes <- function(side) vapply(questions, function(m) length(m[[side]]), 1L)
  mechanism <- new_rr_mechanism(
    "product", joint_labels(questions, "levels"), reports = joint_labels(questions, "reports"),
    epsilon = sum(vapply(questions, function(m) m$epsilon, 0)),
    design = sprintf("Product of %s", number_of(length(questions), "question")),
    questions = questions, sizes = sizes("levels"), report_sizes = sizes("reports")
  )
  made(mechanism, "rr_product", fields = "questions")
}

# Several mechanisms of one question each, from arguments or one list, with names that tell columns apart.
named_mechanisms <- function(...) {
  parts <- list(...)
  if (length(parts) == 1L && is.list(parts[[1]]) && !inherits(parts[[1]], "rr_mechanism")) parts <- parts[[1]]
  names <- names(parts)
  if (!length(parts) || is.null(names) || !all(nzchar(names)) || anyDuplicated(names)) {
    abort(c("Questions must be mechanisms with different names.",
            i = "For example {.code drugs = rr_warner(0.8), theft = rr_crosswise(0.25)}."), "argument")
  }
  check_result_names(names, "Questions must not have", "question")
  for (name in names) {
    part <- check_mechanism(parts[[name]], name)
    if (is.null(part$questions) && !identical(part$part_column, "question")) next
    abort(c("{.arg {name}} must be a single question.", x = "It is: {format(part)}."), "argument")
  }
  parts
}

check_question <- function(mechanism, name) {
  bits <- c("rr_law_support", "rr_law_bitflip", "rr_law_bloom")
  if (has_categories(mechanism) || inherits(rr_law(mechanism), bits)) return(invisible())
  abort(c("{.arg {name}} must have finitely many reports, or reports that support sets of categories or are bits.",
          x = "It is: {format(mechanism)}."), "argument")
}

has_categories <- function(mechanism) law_gives(rr_law(mechanism), "channel", length(mechanism$levels))

joint_cells <- 2^24

# Labels of the cells, the first question fastest. None where there are too many cells for a joint table.
joint_labels <- function(questions, side) {
  labels <- lapply(questions, `[[`, side)
  if (prod(lengths(labels)) > joint_cells) return(character())
  joint <- Reduce(function(x, y) paste(rep(x, length(y)), rep(y, each = length(x)), sep = ", "), labels)
  # "a, b" before "c" and "a" before "b, c": only labels that hold the separator can make two cells alike.
  if (any(grepl(", ", unlist(labels), fixed = TRUE)) && anyDuplicated(joint)) {
    abort(c("The cells of several questions must have different labels: those of the answers, joined by \", \".",
            x = "Two of them are called {.val {joint[anyDuplicated(joint)]}}."), "argument")
  }
  joint
}

check_joint <- function(mechanism) {
  sets <- names(mechanism$questions)[!vapply(mechanism$questions, has_categories, NA)]
  if (length(sets)) {
    abort(c("Only questions whose reports are categories have a joint table.",
            x = "{.val {sets[1]}} has other reports: {format(mechanism$questions[[sets[1]]])}.",
            i = "Use {.code rr_cooccurrence(x, mechanism = )} and {.fn rr_tmdh}."), c("law", "argument"))
  }
  cells <- max(prod(mechanism$sizes), prod(mechanism$report_sizes))
  if (cells > joint_cells) {
    abort(c("{.arg mechanism} has too many questions for a joint table.",
            x = "It would have {format_count(cells)} cells; the limit is {format_count(joint_cells)}."), "argument")
  }
}

#' @export
rr_law.rr_product <- function(mechanism) new_law_channel(channel_axes(mechanism))

# A mechanism as an operator: one axis per question.
channel_axes <- function(mechanism) {
  if (is.null(mechanism$questions)) return(law_axes(rr_law(mechanism), length(mechanism$levels)))
  unlist(lapply(unname(mechanism$questions), channel_axes), recursive = FALSE)
}

#' @export
rr_matrix.rr_product <- function(mechanism, ...) {
  check_dots_empty(...)
  if (prod(mechanism$sizes) * prod(mechanism$report_sizes) > 1e8) {
    abort(c("{.arg mechanism} has too many cells for its matrix.",
            x = "It would be {prod(mechanism$sizes)} by {prod(mechanism$report_sizes)}."), "argument")
  }
  joint <- Reduce(function(x, y) kronecker(y, x), lapply(mechanism$questions, rr_matrix))
  dimnames(joint) <- list(truth = mechanism$levels, report = mechanism$reports)
  joint
}

answer_frame <- function(x) {
  if (is.matrix(x)) x <- as.data.frame(x)
  if (is.data.frame(x)) return(x)
  abort(c("{.arg x} must be a data frame with a column for each question.", x = "It is {describe_kind(x)}."),
        "argument")
}

question_columns <- function(x, mechanism) {
  questions <- names(mechanism$questions %||% mechanism$parts)
  absent <- setdiff(questions, names(x))
  if (!length(absent)) return(as.list(x)[questions])
  abort(c("{.arg x} must have a column for each question.",
          x = "There is none called {.val {absent[1]}}; its columns are {.val {names(x)}}."), "argument")
}

# ---- between the cells of several questions and their answers ----

# The answers of the cells, question by question: further columns of tidy tables.
cell_answers <- function(mechanism, side, times = 1, cells = NULL) {
  if (is.null(mechanism$questions)) return(NULL)
  labels <- lapply(mechanism$questions, `[[`, side)
  sizes <- lengths(labels)
  strides <- cumprod(c(1, sizes))[seq_along(sizes)]
  cells <- (cells %||% seq_len(prod(sizes))) - 1
  Map(function(answers, stride) rep(answers[1 + cells %/% stride %% length(answers)], times), labels, strides)
}

# An array with one dimension per question becomes a vector of cells, with names only if the array has them. `side`:
# what the cells are made of, "reports" or "levels".
flatten_questions <- function(counts, mechanism, arg = "counts", side = "reports") {
  questions <- length(mechanism$questions)
  if (questions == 0L) return(counts)
  check_joint(mechanism)
  if (length(dim(counts)) != questions) return(counts)
  if (side == "reports" && has_cells_by_groups(counts, mechanism)) return(counts)
  counts <- order_dimensions(counts, mechanism, arg)
  sizes <- if (side == "reports") mechanism$report_sizes else mechanism$sizes
  if (!identical(as.integer(dim(counts)), unname(sizes))) {
    abort(c("{.arg {arg}} must have one dimension per question, each with one entry per {sub('s$', '', side)}.",
            x = "Its dimensions are {dim(counts)}; the questions have {sizes} {side}."), "argument")
  }
  names <- dimnames(counts)
  for (d in seq_along(names)) {
    labels <- mechanism$questions[[d]][[side]]
    if (!is.null(names[[d]]) && !identical(names[[d]], labels) && !are_bits(names[[d]], mechanism$questions[[d]])) {
      abort(c("The labels of {.arg {arg}} must be those of its question, in their order.",
              x = "Dimension {d} is {format_labels(names[[d]])}; question {d} has {format_labels(labels)}."), "level")
    }
  }
  as.vector(unclass(counts))
}

# A matrix for two questions may be their table, or have one row per cell and one column per group. Its number of rows
# tells which: there are more cells than either question has reports, and fewer rows must name their cells.
has_cells_by_groups <- function(counts, mechanism) {
  if (length(dim(counts)) != 2L || setequal(names(dimnames(counts)), names(mechanism$questions))) return(FALSE)
  rows <- rownames(counts)
  if (is.null(rows)) return(nrow(counts) == prod(mechanism$report_sizes))
  any(rows %in% mechanism$reports) && !identical(rows, mechanism$questions[[1]]$reports)
}

# The labels that table() gives to bits, for a question that takes bits.
are_bits <- function(labels, question) {
  takes_bits(question) && question$bits[["yes"]] == 2L &&
    (identical(labels, c("0", "1")) || identical(labels, c("FALSE", "TRUE")))
}

# A table whose dimensions are named is put into the order of the questions. Made of vectors, a table has labels and no
# names: questions with the same answers may be swapped in it.
order_dimensions <- function(counts, mechanism, arg) {
  dims <- names(dimnames(counts))
  questions <- names(mechanism$questions)
  if (is.null(dims) || !all(nzchar(dims))) {
    if (!is.null(dimnames(counts)) && anyDuplicated(lapply(unname(mechanism$questions), `[[`, "reports"))) {
      cli::cli_inform("The dimensions of {.arg {arg}} have no names: they are taken to be {questions}, in this order.",
                      class = "candor_message_dimensions")
    }
    return(counts)
  }
  if (!setequal(dims, questions)) {
    abort(c("The dimensions of {.arg {arg}} must be the questions.",
            x = "They are named {format_labels(dims)}; the questions are {format_labels(questions)}."), "mismatch")
  }
  aperm(counts, match(questions, dims))
}
