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
#' @source Carette, T. (2022). A normal approximation for joint frequency estimation under local differential privacy, section 2.4, for
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
  questions <- list(...)
  one <- if (length(questions) == 1L) questions[[1]]
  if (is.list(one) && !inherits(one, "rr_mechanism")) questions <- one
  check_questions(questions)
  levels <- joint_labels(questions, "levels")
  reports <- joint_labels(questions, "reports")
  sizes <- function(side) vapply(questions, function(m) length(m[[side]]), 1L)
  new_rr_mechanism(
    "product", levels, reports = reports,
    epsilon = sum(vapply(questions, function(m) m$epsilon, 0)),
    design = sprintf("Product of %d question%s", length(questions), if (length(questions) == 1L) "" else "s"),
    questions = questions, sizes = sizes("levels"), report_sizes = sizes("reports")
  )
}

check_questions <- function(questions) {
  names <- names(questions)
  if (!length(questions) || is.null(names) || !all(nzchar(names)) || anyDuplicated(names)) {
    abort(c("Questions must be mechanisms with different names.",
            i = "For example {.code rr_product(drugs = rr_warner(0.8), theft = rr_crosswise(0.25))}."), "argument")
  }
  check_result_names(names, "Questions must not have", "question")
  for (name in names) {
    mechanism <- check_mechanism(questions[[name]], name)
    if (inherits(mechanism, "rr_product")) {
      abort(c("{.arg {name}} must be a single question.", x = "It is a product of questions already.",
              i = "Give all questions to one {.fn rr_product}."), "argument")
    }
    bits <- c("rr_law_support", "rr_law_bitflip", "rr_law_bloom")
    if (!has_categories(mechanism) && !inherits(rr_law(mechanism), bits)) {
      abort(c("{.arg {name}} must have finitely many reports, or reports that support sets of categories or are bits.",
              x = "It is: {format(mechanism)}.",
              i = "Its reports cannot be counted jointly with others."), "argument")
    }
  }
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
    abort(c("The cells of several questions must have different labels.",
            x = "Two of them are called {.val {joint[anyDuplicated(joint)]}}.",
            i = "Labels of cells are those of the answers, joined by \", \": rename answers that hold one."),
          "argument")
  }
  joint
}

check_joint <- function(mechanism) {
  sets <- names(mechanism$questions)[!vapply(mechanism$questions, has_categories, NA)]
  if (length(sets)) {
    abort(c("Only questions whose reports are categories have a joint table.",
            x = "{.val {sets[1]}} has other reports: {format(mechanism$questions[[sets[1]]])}.",
            i = paste("Count joint supports with {.code rr_cooccurrence(x, mechanism = )}, and estimate with",
                      "{.fn rr_tmdh}.")), c("law", "argument"))
  }
  cells <- max(prod(mechanism$sizes), prod(mechanism$report_sizes))
  if (cells > joint_cells) {
    abort(c("{.arg mechanism} has too many questions for a joint table.",
            x = paste("It would have {format_count(cells)} cells;",
                      "the limit is {format_count(joint_cells)}."),
            i = "Tally fewer questions together."), "argument")
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
rr_epsilon.rr_product <- function(mechanism, ..., shuffled = NULL, delta = NULL, reports = NULL) {
  check_dots_empty(...)
  asked <- check_level_kind(FALSE, shuffled, delta, reports)
  if (asked == "shuffled") return(shuffled_epsilon(mechanism, shuffled, delta))
  if (asked != "reports") return(c(vapply(mechanism$questions, function(m) m$epsilon, 0), total = mechanism$epsilon))
  each <- vapply(mechanism$questions, level_together, 0, check_count(reports, "reports", min = 1))
  c(each, total = sum(each))
}

#' @export
rr_matrix.rr_product <- function(mechanism, ...) {
  check_dots_empty(...)
  cells <- format_count(c(prod(mechanism$sizes), prod(mechanism$report_sizes)))
  if (prod(mechanism$sizes) * prod(mechanism$report_sizes) > 1e8) {
    abort(c("{.arg mechanism} has too many cells for its matrix.",
            x = "It would be {cells[1]} by {cells[2]}.",
            i = "Estimation never needs the matrix: use {.fn rr_estimate} directly."), "argument")
  }
  joint <- Reduce(function(x, y) kronecker(y, x), lapply(mechanism$questions, rr_matrix))
  dimnames(joint) <- list(truth = mechanism$levels, report = mechanism$reports)
  joint
}

#' @export
format.rr_product <- function(x, digits = 4, ...) {
  digits <- check_digits(digits)
  sprintf("%s, %s cells, epsilon = %s a row", x$design, format_count(prod(x$sizes)),
          format(x$epsilon, digits = digits))
}

#' @export
print.rr_product <- function(x, ..., digits = 4) {
  cat("<rr_product> ", format(x, digits = digits), "\n", sep = "")
  names <- format(names(x$questions))
  # "K = 4" for "4 categories", so that a line fits a page.
  questions <- sub("([0-9,]+) categories", "K = \\1", vapply(x$questions, format, "", digits = digits))
  cat(paste0("  ", names, "  ", questions, "\n"), sep = "")
  cat("  Epsilons add up (", odds_words(x$epsilon, "a row"), ")\n", sep = "")
  invisible(x)
}

question_columns <- function(x, mechanism) {
  absent <- setdiff(names(mechanism$questions), names(x))
  if (length(absent)) {
    abort(c("{.arg x} must have a column for each question.", x = "There is none called {.val {absent[1]}}.",
            i = "Its columns are {.val {names(x)}}."), "argument")
  }
  as.list(x)[names(mechanism$questions)]
}

mechanism_recipe.rr_product <- function(mechanism) {
  list(kind = "product", questions = list_recipe(mechanism$questions))
}

from_recipe.recipe_product <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "questions"))
  rr_product(recipe_list(r$questions, "questions"))
}
