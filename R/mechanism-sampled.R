#' One question of many
#'
#' Each respondent answers one of the questions, drawn uniformly, with the whole `epsilon` of its mechanism. For many questions this is better than to
#' ask all with a part of `epsilon` each: with \eqn{d} questions the variance grows like \eqn{d}, not like \eqn{d^2}.
#'
#' The drawn question does not depend on the answers, so that a report reveals no more than its own mechanism allows: the privacy level is the largest
#' of the questions'. Each question is estimated from those who drew it; with `target = "sample"` these are the respondents that the estimate is about. Nothing is learned
#' of how answers to different questions go together: [rr_product()] asks them all.
#'
#' @param ... Mechanisms, named by question; or one named list of them. Their reports may be of different kinds: bits, hashes, numbers of [rr_mean()].
#' @return A mechanism of class `c("rr_sampled", "rr_mechanism")`, with `parts`, the mechanisms. [rr_perturb()] takes a data frame with a column for each question and
#'   returns a tibble with `question` and `report`; where all reports are rows of the same columns (as of [rr_local_hash()]) these stand in place of `report`, and
#'   where they differ in kind `report` is a list. [rr_tally()] takes that. [rr_estimate()] returns a list with one fit for each question, named by them;
#'   its arguments are for all. [rr_epsilon()] gives the level of each question and `total`, the largest.
#' @section Errors:
#' `candor_error_argument` for anything but named mechanisms of one question; `candor_error_report` for reports without question or of none, and
#' `candor_error_empty` for a question that nobody drew.
#' @source Arcolezi, H. H., Couchot, J.-F., Al Bouna, B. and Xiao, X. (2021). Random sampling plus fake data: multidimensional frequency estimates with local
#'   differential privacy. *CIKM*, 47-57. \doi{10.1145/3459637.3482467} (section 3.2, the solution SMP. Their own proposal, fake data for the other questions,
#'   protects a whole row less than it says and is not offered.)
#' @examples
#' survey <- rr_sample_questions(
#'   drugs = rr_warner(epsilon = 2),
#'   often = rr_unary(c("never", "once", "often"), epsilon = 2),
#'   hours = rr_mean(c(0, 24), epsilon = 2)
#' )
#' survey
#' set.seed(1)
#' answers <- data.frame(drugs = rbinom(3000, 1, 0.2), often = sample(c("never", "once", "often"), 3000, TRUE, c(6, 3, 1)),
#'                       hours = runif(3000, 0, 8))
#' reports <- rr_perturb(answers, survey, rng = "R")
#' reports
#' fits <- rr_estimate(reports, survey, method = "inv")
#' fits$often
#' fits$hours
#' @export
rr_sample_questions <- function(...) {
  parts <- list(...)
  one <- if (length(parts) == 1L) parts[[1]]
  if (is.list(one) && !inherits(one, "rr_mechanism")) parts <- one
  check_parts(parts)
  epsilons <- vapply(parts, function(m) m$epsilon, 0)
  new_rr_mechanism("sampled", names(parts), reports = part_labels(parts), epsilon = max(epsilons),
                   design = sprintf("One question of %d", length(parts)), parts = parts, part_column = "question")
}

check_parts <- function(parts) {
  names <- names(parts)
  if (!length(parts) || is.null(names) || !all(nzchar(names)) || anyDuplicated(names)) {
    abort(c("Questions must be mechanisms with different names.",
            i = "For example {.code rr_sample_questions(drugs = rr_warner(0.8), theft = rr_crosswise(0.25))}."), "argument")
  }
  check_result_names(names, "Questions must not have", "question")
  for (name in names) {
    part <- check_mechanism(parts[[name]], name)
    if (!inherits(part, c("rr_product", "rr_sampled"))) next
    abort(c("{.arg {name}} must be a single question.", x = "It is: {format(part)}."), "argument")
  }
}

# What is counted: for each part how many drew it, then its own counts.
part_labels <- function(parts) {
  labels <- unlist(Map(function(name, part) c(name, paste0(name, ": ", part$reports)), names(parts), parts), use.names = FALSE)
  if (anyDuplicated(labels)) {
    abort(c("Questions and their reports must be told apart by name.", x = "{.val {labels[anyDuplicated(labels)]}} appears more than once.",
            i = "Rename the question."), "argument")
  }
  labels
}

# Rows of the counts that belong to each part, the first of them how many drew it.
part_rows <- function(parts) {
  sizes <- vapply(parts, function(part) length(part$reports) + 1, 0)
  ends <- cumsum(sizes)
  Map(seq, ends - sizes + 1, ends)
}

#' @export
rr_law.rr_sampled <- function(mechanism) new_rr_law("sampled", truths = length(mechanism$parts))

#' @export
rr_epsilon.rr_sampled <- function(mechanism, ..., achieved = FALSE) {
  check_dots_empty(...)
  each <- vapply(mechanism$parts, if (check_flag(achieved, "achieved")) function(m) achieved(m)$epsilon else function(m) m$epsilon, 0)
  c(each, total = max(each))
}

#' @export
format.rr_sampled <- function(x, digits = 4, ...) {
  sprintf("%s, epsilon = %s", x$design, format(x$epsilon, digits = check_digits(digits)))
}

#' @export
print.rr_sampled <- function(x, ..., digits = 4) {
  cat("<rr_sampled> ", format(x, digits = digits), "\n", sep = "")
  cat(paste0("  ", format(names(x$parts)), "  ", vapply(x$parts, format, "", digits = digits), "\n"), sep = "")
  invisible(x)
}
