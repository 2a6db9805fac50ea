#' Several randomized questions: all of them, or one for each respondent
#'
#' `rr_product()` is the mechanism of a questionnaire. Each answer of a respondent is randomized by the mechanism of its question, independently given
#' the truths. With `asked = 1` each respondent answers one question, drawn uniformly, with the whole `epsilon` of its mechanism.
#'
#' **All questions.** The questions may have different kinds of mechanism. The joint channel is a Kronecker product, which is never formed. So
#' 12 yes/no questions (4,096 cells), or a few questions with many categories, are estimated jointly at little cost. Reports are tallied from
#' a data frame with a column for each question, found by name. The reports of a question that are several numbers, as with `rr_local_hash(cohorts = )`, are a column that is
#' a data frame, or columns with the question's name in front (`a.cohort`, `a_cohort`). The tally and the fit have one cell per combination of answers, the
#' **first question running fastest** (as in an R array). `as.table()` turns both into tables with one dimension per question. Questions whose reports are
#' sets or bits have no such table: [rr_cooccurrence()] and [rr_tmdh()] take them.
#'
#' **One question of each respondent.** For \eqn{d} questions the variance grows like \eqn{d}, and not like \eqn{d^2} as with a part of `epsilon` for each. Epsilon is the
#' largest epsilon of the questions, because the draw does not depend on the answers. Each question is estimated from the respondents who drew it; with
#' `target = "sample"` the estimate is about them. Associations between questions cannot be estimated.
#'
#' @order 1
#' @param ... Mechanisms, named by question; or one named list of them.
#' @param asked `NULL` (default): each respondent answers all questions. 1: each answers one question, drawn uniformly.
#' @return A mechanism.
#'
#' * All questions: class `c("rr_product", "rr_mechanism")`; elements `questions`, `levels` and `reports` (labels of cells, joined by ", "), `sizes`,
#'   `report_sizes`. [rr_perturb()] returns a data frame with a column per question, [rr_estimate()] one joint fit, [rr_epsilon()] the epsilon of
#'   each question and `total`, their sum.
#' * `asked = 1`: class `c("rr_sampled", "rr_mechanism")`; element `parts`, the mechanisms. [rr_perturb()] returns a tibble with `question`
#'   and `report`, [rr_estimate()] a list of fits, named by question, [rr_epsilon()] the epsilon of each question and `total`, the largest.
#'
#' If all reports with `asked = 1` have the same columns, as with [rr_local_hash()], these columns replace `report`. If the reports differ in
#' kind, `report` is text, so that CSV files and databases can hold it: bits in hexadecimal, numbers with all digits, several columns separated by spaces. Read it as
#' text (`colClasses = c(report = "character")`).
#' @section Errors:
#' * `candor_error_argument`: anything but named mechanisms of one question; a name of a result column (`term`, `count`, `estimate`, ...); labels with
#'   commas that make two cells alike. In a tally or estimate: more than 16,777,216 cells. With `asked = 1`, a mechanism
#'   with a permanent answer ([rr_longitudinal()], `rr_bloom(permanent = )`).
#' * `candor_error_report`: a report, with `asked = 1`, without a known question.
#' * `candor_error_empty`: a question that nobody drew.
#' @references Carette, T. (2022). A normal approximation for joint frequency estimation under local differential privacy, section 2.4 (columns
#'   randomized independently).
#'
#'   van den Hout, A. and van der Heijden, P. G. M. (2002). Randomized response, statistical disclosure control and misclassification: a review.
#'   *International Statistical Review* 70(2), 269-288. \doi{10.1111/j.1751-5823.2002.tb00363.x}
#'
#'   Arcolezi, H. H., Couchot, J.-F., Al Bouna, B. and Xiao, X. (2021). Random sampling plus fake data: multidimensional frequency estimates with local
#'   differential privacy. *CIKM*. \doi{10.1145/3459637.3482467} (the solution SMP; their fake data protect a row less than stated, and are not offered)
#' @seealso [rr_margin()], [rr_association()] and [rr_loglinear()], which read a joint fit; [rr_cooccurrence()] for many columns;
#'   `vignette("joint", package = "candor")`.
#' @concept several sensitive questions
#' @concept joint distribution
#' @concept multidimensional data
#' @concept questionnaire
#' @concept Vinterbo
#' @concept sample questions
#' @concept matrix sampling
#' @examples
#' # Do drugs and theft go together? Every respondent answers both questions
#' survey <- rr_product(drugs = rr_warner(0.8), theft = rr_crosswise(0.25))
#' set.seed(1)
#' drugs <- rbinom(2000, 1, 0.2) == 1
#' theft <- rbinom(2000, 1, ifelse(drugs, 0.4, 0.1)) == 1
#' truth <- data.frame(drugs, theft)
#' fit <- rr_estimate(rr_perturb(truth, survey, rng = "R"), survey)
#' as.table(fit)   # theft: 53% of users, 4% of others
#'
#' # How many hours, and how often? Every respondent answers one of two
#' # questions
#' one <- rr_product(
#'   often = rr_unary(c("never", "once", "often"), epsilon = 2),
#'   hours = rr_mean(c(0, 24), epsilon = 2),
#'   asked = 1
#' )
#' often <- sample(c("never", "once", "often"), 3000, replace = TRUE,
#'                 prob = c(6, 3, 1))
#' truth <- data.frame(often, hours = runif(3000, 0, 8))
#' reports <- rr_perturb(truth, one, rng = "R")
#' fits <- rr_estimate(reports, one, method = "inv")
#' coef(fits$often)   # 0.57, 0.31, 0.10
#' coef(fits$hours)   # 3.9 hours
#' @export
rr_product <- function(..., asked = NULL) {
  if (!is.null(asked)) {
    is_one <- is_number(asked) && asked == 1
    check_that(is_one, asked, "asked", "1, or {.code NULL} for all questions")
    return(rr_sample_questions(...))
  }
  questions <- named_mechanisms(...)
  for (name in names(questions)) {
    question <- questions[[name]]
    check_that(
      has_categories(question) || is_about_bits(question), question, name,
      "of finitely many reports, or of reports that support sets of categories or are bits"
    )
  }
  for (question in questions) refuse_internal(question, "{.fn rr_product}")
  sizes <- function(side) lengths(lapply(questions, `[[`, side))
  mechanism <- new_rr_mechanism(
    "product", joint_labels(questions, "levels"), reports = joint_labels(questions, "reports"),
    epsilon = sum(vapply(questions, `[[`, 0, "epsilon")),
    design = paste("Product of", number_of(length(questions), "question")),
    questions = questions, sizes = sizes("levels"), report_sizes = sizes("reports")
  )
  with_recipe(mechanism, "rr_product", fields = "questions")
}

# rr_product(asked = 1), under the name that its recipe has in files.
rr_sample_questions <- function(...) {
  questions <- named_mechanisms(...)
  for (name in names(questions)) refuse_permanent(questions[[name]], name)
  mechanism <- new_rr_sampled(
    "sampled",
    names(questions),
    questions,
    "question",
    sprintf("One question of %d", length(questions))
  )
  with_recipe(mechanism, "rr_sample_questions", fields = c(questions = "parts"))
}

# A mechanism of which each respondent reports one submechanism, drawn uniformly: a question, the
# depth of a hierarchy, the length of a prefix. The column `part_column` of its reports shows which.
new_rr_sampled <- function(kind, levels, submechanisms, part_column, design, ...) {
  # A tally has for each submechanism the number who drew it, then its counts.
  report_names <- function(name, submechanism) c(name, paste0(name, ": ", submechanism$reports))
  reports <- Map(report_names, names(submechanisms), submechanisms)
  reports <- unlist(reports, use.names = FALSE)
  if (anyDuplicated(reports)) abort("Questions and their reports must have different names.")
  new_rr_mechanism(
    unique(c(kind, "sampled")),
    levels,
    reports = reports,
    design = design,
    parts = submechanisms,
    epsilon = max(vapply(submechanisms, function(m) m$epsilon, 0)),
    codec = report_codec(part = part_column),
    law = new_rr_law(
      "sampled",
      "a report answers one of several questions",
      truths = length(submechanisms)
    ),
    ...
  )
}

# The rows of the counts that belong to each submechanism. The first of them has how many
# respondents drew it.
submechanism_rows <- function(submechanisms) {
  sizes <- vapply(submechanisms, function(submechanism) length(submechanism$reports) + 1, 0)
  Map(seq, cumsum(sizes) - sizes + 1, cumsum(sizes))
}

# The mechanism, unless it has a permanent answer: if respondents draw which question they report,
# nothing keeps their permanent answers, and each report would have a new one.
refuse_permanent <- function(mechanism, name) {
  check_that(
    !is_memoised(mechanism), mechanism, name,
    "without a permanent answer, which would be drawn anew each time"
  )
}

size_words.rr_sampled <- function(mechanism) NULL

size_words.rr_product <- function(mechanism) {
  same <- identical(mechanism$sizes, mechanism$report_sizes)
  paste0(format_count(prod(mechanism$sizes)), " cells", if (!same) " of truths")
}

# Several mechanisms of one question each, from arguments or one list, with names that tell columns
# apart.
named_mechanisms <- function(...) {
  questions <- list(...)
  is_one_list <- length(questions) == 1L && is.list(questions[[1]]) &&
    !inherits(questions[[1]], "rr_mechanism")
  if (is_one_list) questions <- questions[[1]]
  names <- names(questions)
  has_names <- !is.null(names) && all(nzchar(names)) && !anyDuplicated(names)
  if (!length(questions) || !has_names) {
    abort(c("Questions must be mechanisms with different names.",
            i = "For example {.code drugs = rr_warner(0.8), theft = rr_crosswise(0.25)}."))
  }
  check_result_names(names, "Questions must not have")
  for (name in names) {
    question <- check_mechanism(questions[[name]], name)
    single <- is.null(question$questions) && !identical(question$codec$part, "question") &&
      is.null(question$codec$block)
    check_that(single, question, name, "a single question, without blocks of people")
  }
  questions
}

# Do reports support sets of categories, or are they bits?
is_about_bits <- function(mechanism) {
  is.null(mechanism$parts) && set_bytes(rr_law(mechanism), length(mechanism$levels)) > 0
}

joint_cells <- 2^24

# The labels of the cells, the first question fastest; none if there are too many cells for a joint
# table.
joint_labels <- function(questions, side) {
  labels <- lapply(questions, `[[`, side)
  if (prod(lengths(labels)) > joint_cells) return(character())
  joint <- Reduce(
    function(x, y) as.vector(outer(x, y, paste, sep = ", ")), labels
  )
  # "a, b" before "c" and "a" before "b, c": only labels that hold the separator can make two cells
  # alike.
  if (any(grepl(", ", unlist(labels), fixed = TRUE)) && anyDuplicated(joint)) {
    abort("The labels of cells, those of the answers joined by \", \", must all differ.")
  }
  joint
}

check_joint <- function(mechanism) {
  sets <- names(mechanism$questions)[!vapply(mechanism$questions, has_categories, NA)]
  if (length(sets)) {
    abort(
      c(
        "Only questions whose reports are categories have a joint table.",
        i = "Use {.code rr_cooccurrence(x, mechanism = )} and {.fn rr_tmdh}."
      ),
      c("law", "argument")
    )
  }
  if (max(prod(mechanism$sizes), prod(mechanism$report_sizes)) > joint_cells) {
    abort("A joint table must have at most {format_count(joint_cells)} cells.")
  }
}

#' @export
rr_law.rr_product <- function(mechanism, ...) new_law_channel(channel_axes(mechanism))

# A mechanism as an operator: one axis per question.
channel_axes <- function(mechanism) {
  if (is.null(mechanism$questions)) {
    return(law_axes(rr_law(mechanism), length(mechanism$levels)))
  }
  lapply(unlist(lapply(unname(mechanism$questions), channel_axes), recursive = FALSE), dense_axis)
}

#' @export
rr_matrix.rr_product <- function(mechanism, ...) {
  check_report_number(mechanism, prod(mechanism$sizes))
  channels <- lapply(mechanism$questions, rr_matrix)
  # A question whose reports are bits has a column for each report, and not one for each count.
  check_report_number(mechanism, prod(vapply(channels, ncol, 0L)))
  reports <- Reduce(
    function(x, y) as.vector(outer(x, y, paste, sep = ", ")),
    lapply(channels, colnames)
  )
  named_matrix(mechanism, Reduce(function(x, y) kronecker(y, x), channels), reports)
}

answer_frame <- function(x, arg = "x") {
  if (is.matrix(x)) x <- as.data.frame(x)
  if (is.data.frame(x)) return(x)
  abort(c(
    "{.arg {arg}} must be a data frame with a column per question.", x = "It is {describe_kind(x)}."
  ))
}

question_columns <- function(x, mechanism, arg = "x") {
  questions <- names(mechanism$questions %||% mechanism$parts)
  absent <- setdiff(questions, names(x))
  if (!length(absent)) return(as.list(x)[questions])
  abort(c(
    "{.arg {arg}} must have a column for each question.",
    x = "There is none called {.val {absent[1]}}."
  ))
}

# ---- between the cells of several questions and their answers ----

# The answers of the cells, question by question: further columns of tidy tables.
cell_answers <- function(mechanism, side, times = 1, cells = NULL) {
  if (is.null(mechanism$questions)) return(NULL)
  labels <- lapply(mechanism$questions, `[[`, side)
  sizes <- lengths(labels)
  strides <- cumprod(c(1, sizes))[seq_along(sizes)]
  cells <- (cells %||% seq_len(prod(sizes))) - 1
  Map(
    function(answers, stride) {
      rep(answers[1 + cells %/% stride %% length(answers)], times)
    },
    labels, strides
  )
}

# A vector of cells from an array with one dimension per question, with names only if the array has
# them. `side` is "reports" or "levels", of which the cells are made.
flatten_questions <- function(counts, mechanism, arg = "counts", side = "reports") {
  questions <- length(mechanism$questions)
  if (questions == 0L) return(counts)
  check_joint(mechanism)
  if (length(dim(counts)) != questions) return(counts)
  if (side == "reports" && has_cells_by_groups(counts, mechanism)) return(counts)
  counts <- order_dimensions(counts, mechanism, arg)
  sizes <- if (side == "reports") mechanism$report_sizes else mechanism$sizes
  if (!identical(as.integer(dim(counts)), unname(sizes))) {
    abort("{.arg {arg}} must have a dimension for each question, of {.val {sizes}} {side}.")
  }
  names <- dimnames(counts)
  for (d in seq_along(names)) {
    question <- mechanism$questions[[d]]
    # The labels that table() gives to bits stand for them.
    bits <- !is.null(question$bits) && question$bits[["yes"]] == 2L && (identical(
      names[[d]], c("0", "1")
    ) || identical(names[[d]], c("FALSE", "TRUE")))
    if (!is.null(names[[d]]) &&
        !identical(names[[d]], question[[side]]) && !bits) {
      abort("The labels of {.arg {arg}} must be those of its question, in their order.", "level")
    }
  }
  as.vector(unclass(counts))
}

# Has a matrix for two questions one row per cell and one column per group? Otherwise it is their
# table. Its number of rows decides: there are more cells than either question has reports, and
# fewer rows must name their cells.
has_cells_by_groups <- function(counts, mechanism) {
  if (length(dim(counts)) != 2L ||
      setequal(names(dimnames(counts)), names(mechanism$questions))) {
    return(FALSE)
  }
  rows <- rownames(counts)
  if (is.null(rows)) return(nrow(counts) == prod(mechanism$report_sizes))
  any(rows %in% mechanism$reports) && !identical(rows, mechanism$questions[[1]]$reports)
}

# A table whose dimensions are named, in the order of the questions. A table made of vectors has
# labels and no names: questions with the same answers may be swapped in it.
order_dimensions <- function(counts, mechanism, arg) {
  dims <- names(dimnames(counts))
  questions <- names(mechanism$questions)
  if (is.null(dims) || !all(nzchar(dims))) {
    if (!is.null(dimnames(counts)) &&
        anyDuplicated(lapply(unname(mechanism$questions), `[[`, "reports"))) {
      cli::cli_inform(
        paste0(
          "The dimensions of {.arg {arg}} have no names: ",
          "they are taken to be {questions}, in this order."
        ),
        class = "candor_message_dimensions"
      )
    }
    return(counts)
  }
  if (!setequal(dims, questions)) {
    abort(
      "The dimensions of {.arg {arg}} must be the questions, {format_labels(questions)}.",
      "mismatch"
    )
  }
  aperm(counts, match(questions, dims))
}
