# Designs with an unknown parameter: the honesty of those who should admit, the share of those who cheat, the prevalence
# of the innocuous attribute. Respondents fall into latent classes whose reports have known probabilities; the unknown
# parameter is a share, or a ratio of shares, of these classes. Two samples with different devices identify them.

#' Designs that estimate whether respondents follow the instructions
#'
#' Some respondents say no although the instructions ask for yes. These designs make their share, or the honesty of the respondents whose truth is yes, a parameter. One sample cannot tell
#' this parameter from the share of yes; two samples whose devices have different probabilities can. Give the tallies of both to
#' [rr_estimate()] as a list.
#'
#' * `rr_lie_detector()`, the stochastic lie detector: a respondent whose truth is no answers truthfully with the known
#'   probability \eqn{p}, and yes otherwise. One whose truth is yes is asked to say yes, and does so with an unknown probability, their
#'   *honesty*.
#' * `rr_cheater_detection()`: a device forces "yes" with probability `yes` and "no" with probability `no`, and asks for the truth otherwise.
#'   An unknown share of respondents are *cheating*: they say no whatever the device shows. With `no = 0` this is the cheater detection model, else
#'   its symmetric form.
#' * `rr_unrelated(p, pi = NULL)`, the unrelated question whose prevalence is unknown, see [rr_unrelated()].
#'
#' The truths of these mechanisms are latent classes: `no`, `yes, admitted` and `yes, denied` for the lie detector; `no`, `yes` and `cheating` for cheater
#' detection.
#'
#' @param p The probability that the device lets a respondent whose truth is no say no, from 0 to 1.
#' @param yes,no The probabilities that the device forces "yes" and "no".
#' @param levels Two labels, first the one for no. Known labels of yes and no in the other order are an error.
#' @param ... Not used, and refused.
#' @return A mechanism of class `c("rr_lie_detector", "rr_channel", "rr_mechanism")`, or `rr_cheater_detection` in its place, whose field
#'   `parameters` says which classes make up each parameter; see [design_parameters].
#' @section Errors:
#' `candor_error_argument` for probabilities outside their range, for labels that are not two, and for those of yes and no in the wrong order.
#' @source Moshagen, M., Musch, J. and Erdfelder, E. (2012). A stochastic lie detector. *Behavior Research Methods* 44, 222-231.
#'   \doi{10.3758/s13428-011-0144-2}
#'
#'   Clark, S. J. and Desharnais, R. A. (1998). Honest answers to embarrassing questions: detecting cheating in the randomized
#'   response model. *Psychological Methods* 3(2), 160-168. \doi{10.1037/1082-989X.3.2.160}
#'
#'   Ostapczuk, M., Moshagen, M., Zhao, Z. and Musch, J. (2009). Assessing sensitive attributes using the randomized response technique: evidence for the importance of
#'   response symmetry. *Journal of Educational and Behavioral Statistics* 34(2), 267-287. \doi{10.3102/1076998608324453}
#' @examples
#' # The Swiss ban on minarets: two groups, the share of yes and the honesty of those who should
#' # say yes
#' groups <- subset(minaret_survey, design != "direct")
#' tallies <- lapply(1:2, function(i) {
#'   with(groups[i, ], rr_counts(c(no = no, yes = yes), rr_lie_detector(1 - q)))
#' })
#' fit <- rr_estimate(tallies)
#' tidy(fit, type = "parameters")
#' @export
rr_lie_detector <- function(p, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  check_no_first(levels, "{.arg p} is the probability that those whose truth is the first level, here {first}, say so.")
  new_rr_latent("lie_detector", rbind(c(p, 1 - p), c(0, 1), c(1, 0)), levels, c("", ", admitted", ", denied"),
                c(1, 2, 2),
                list(list(2:3, 1:3), honesty = list(2, 2:3)), c(0, 1, 1 - p, 0),
                sprintf("Stochastic lie detector (p = %s)", format(p, digits = 4)))
}

#' @rdname rr_lie_detector
#' @export
rr_cheater_detection <- function(yes, no = 0, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  yes <- check_probability(yes, "yes")
  no <- check_probability(no, "no")
  if (yes + no > 1) {
    abort(c("{.arg yes} and {.arg no} must add up to at most 1.", x = "They add up to {format(yes + no, digits = 6)}."),
          "argument")
  }
  check_no_first(levels, "{.arg yes} is the probability that the device forces the second level, here {second}.")
  labels <- two_labels(levels)
  result <- new_rr_latent("cheater_detection", rbind(c(1 - yes, yes), c(no, 1 - no), c(1, 0)), labels, c("", "", ""),
                          c(1, 2, 2),
                          list(list(2, 1:3), cheating = list(3, 1:3)), c(1 - no, -yes, yes, -yes),
                          sprintf("Cheater detection (forced yes %s, no %s)", format(yes, digits = 4),
                                  format(no, digits = 4)),
                          classes = c(labels, "cheating"))
  result
}

two_labels <- function(levels) {
  labels <- check_levels(levels)$labels
  if (length(labels) != 2L) {
    abort(c("{.arg levels} must be two labels, first the one for \"no\".", x = "There are {length(labels)}."),
          "argument")
  }
  labels
}

# `parameters`: for each the classes that make it up and the classes it is a share of; the one without a name is the
# share of the second label.
new_rr_latent <- function(kind, C, levels, suffix, label, parameters, lines, design,
                          classes = paste0(labels[label], suffix)) {
  labels <- two_labels(levels)
  names(parameters)[!nzchar(names(parameters))] <- labels[2]
  result <- new_rr_channel(C, list(levels = classes, reports = labels, numeric = label_numbers(labels)), design, kind,
                           parameters = parameters, lines = stats::setNames(lines, c("p0", "p1", "q0", "q1")))
  class(result) <- c(paste0("rr_", kind), "rr_channel", "rr_mechanism")
  result
}

mechanism_recipe.rr_lie_detector <- function(mechanism) {
  list(kind = "lie_detector", levels = I(mechanism$reports), p = unname(mechanism$matrix[1, 1]))
}

from_recipe.recipe_lie_detector <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "levels", "p"))
  rr_lie_detector(r$p, given_labels(r$levels))
}

mechanism_recipe.rr_cheater_detection <- function(mechanism) {
  list(kind = "cheater_detection", levels = I(mechanism$reports), yes = unname(mechanism$matrix[1, 2]),
       no = unname(mechanism$matrix[2, 1]))
}

from_recipe.recipe_cheater_detection <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "levels", "yes", "no"))
  rr_cheater_detection(r$yes, r$no, given_labels(r$levels))
}
