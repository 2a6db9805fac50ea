#' Forced response and the unrelated question
#'
#' With some probability the respondent tells the truth. Otherwise a device dictates the answer
#' (forced response), or the respondent answers an innocuous question with the same categories (unrelated
#' question). Either way
#' \deqn{P(y \mid x) = b_y + a\,1\{x = y\}, \qquad a + \sum_y b_y = 1,}{P(y | x) = b[y] + a (if x = y), where a + sum(b) = 1,}
#' and the exact maximum likelihood estimate has a closed form for any number of categories.
#'
#' @param forced Probability that the device dictates each answer: one number that holds for each answer, or
#'   one per category, whose names serve as `levels` when those are not given. The sum must be below 1
#'   for anything to be learned; the rest, `1 - sum(forced)`, is the probability of the truth.
#' @param p Probability of the sensitive question, that is of the truth, from 0 to 1.
#' @param pi Distribution of the answers to the innocuous question: probabilities that add up to 1, one
#'   per category, whose names serve as `levels` when those are not given; for a yes/no question also
#'   one number, the probability of "yes", the second level. `NULL` for a yes/no question whose innocuous prevalence is unknown: two samples with different `p` identify it,
#'   see [design_parameters].
#' @param levels The answers: labels, all different, or their number. Not needed for a yes/no question,
#'   whose levels are `c("no", "yes")`, nor where the probabilities have names; where both are given, names are matched to
#'   `levels` in any order. Names that are known for yes and no, `c(yes = 1 / 6, no = 1 / 6)`, give the levels in the order no, yes, since regressions,
#'   contrasts, power and pictures are about the second level. `levels` of that kind in the other order are kept, with a message of class
#'   `candor_message_order`; they are an error where `pi` is one number without a name.
#' @param ... Not used, and refused.
#' @return A mechanism of class `c("rr_forced", "rr_mechanism")` or `c("rr_unrelated", "rr_mechanism")`: a list with, among
#'   others, `levels`, `truth` (\eqn{a}), `innocuous` (\eqn{b}, one per category) and
#'   `epsilon` \eqn{= \max_y \log(1 + a / b_y)}{= max over y of log(1 + a / b[y])}, infinite when some \eqn{b_y = 0}.
#' @section Errors:
#' `candor_error_argument` for probabilities outside 0 to 1, a sum of `forced` above 1, a `pi` that does
#' not add up to 1, labels of yes and no in the wrong order for a `pi` of one number, and lengths that do not match; `candor_error_mismatch` for names that are not the `levels`.
#' @source Boruch, R. F. (1971). Assuring confidentiality of responses in social research: a note on
#'   strategies. *The American Sociologist* 6(4), 308-311.
#'
#'   Greenberg, B. G., Abul-Ela, A.-L. A., Simmons, W. R. and Horvitz, D. G. (1969). The unrelated
#'   question randomized response model: theoretical framework. *Journal of the American Statistical Association*
#'   64(326), 520-539. \doi{10.1080/01621459.1969.10500991}
#' @seealso [design_parameters] for the unrelated question whose prevalence is unknown.
#' @examples
#' # A die: 1 forces "no", 6 forces "yes", 2 to 5 ask for the truth
#' rr_forced(1 / 6)
#'
#' # Three categories, with unequal forcing
#' rr_forced(c(never = 0.1, once = 0.1, often = 0.2))
#'
#' # The unrelated question: "is your mother's birthday in the first quarter of the year?"
#' rr_unrelated(p = 0.7, pi = 0.25)
#' @export
rr_forced <- function(forced, levels = NULL, ...) {
  check_dots_empty(...)
  forced <- check_probabilities(forced, "forced")
  check_die(forced, levels)
  levels <- innocuous_levels(forced, levels, "forced")
  b <- rep_len(match_levels(forced, levels$labels, "forced"), length(levels$labels))
  total <- sum(b)
  if (total > 1 + 1e-12) {
    abort(c("{.arg forced} must leave room for the truth: its sum must be below 1.",
            x = "Over {length(b)} categories it adds up to {format(total, digits = 6)}.",
            i = if (length(forced) == 1L && total > 1 && forced < 1) {
              "If it is the probability of the truth: {.code rr_forced({one_forced(total, b)})}."
            },
            i = die_remedy), "argument")
  }
  # A sum above 1 by no more than rounding errors of the user's numbers means that the device dictates every answer.
  if (total > 1) b <- b / total
  truth <- max(0, snap_to_zero(1 - total, 1))
  new_rr_innocuous("forced", levels, truth, b,
                   sprintf("Forced response (truth with probability %s)", format(truth, digits = 4)))
}

#' @rdname rr_forced
#' @export
rr_unrelated <- function(p, pi, levels = NULL, ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  if (is.null(pi)) return(unrelated_unknown(p, levels %||% c("no", "yes")))
  pi <- check_probabilities(pi, "pi")
  if (length(pi) == 1L) {
    if (!is.null(levels) && length(check_levels(levels)$labels) != 2L) {
      abort(c("{.arg pi} must have one probability per category.",
              x = "It is one number, which is enough only for a yes/no question."), "argument")
    }
    yes_no <- if (is.null(levels)) c("no", "yes") else check_levels(levels)$labels
    if (!is.null(levels) && is.null(names(pi)) && pi != 0.5) {
      check_no_first(levels, "{.arg pi} is the probability of the second level, here {second}.")
    }
    # The probability of yes, unless its name says that it is that of no.
    pi <- if (identical(names(pi), yes_no[1])) c(unname(pi), 1 - unname(pi)) else c(1 - unname(pi), unname(pi))
  }
  if (abs(sum(pi) - 1) > 1e-8) {
    abort(c("{.arg pi} must add up to 1.", x = "It adds up to {format(sum(pi), digits = 10)}.",
            i = "It is the distribution of the answers to the innocuous question."), "argument")
  }
  levels <- innocuous_levels(pi, levels, "pi")
  p <- snap_to_zero(p, 1)
  pi <- match_levels(pi, levels$labels, "pi")
  new_rr_innocuous("unrelated", levels, p, (1 - p) * pi / sum(pi),
                   sprintf("Unrelated question (truth with probability %s)", format(p, digits = 4)))
}

die_remedy <- "A die that forces \"no\" on 1 and \"yes\" on 6 is {.code rr_forced(c(no = 1 / 6, yes = 1 / 6))}."

# The probability of each forced answer where the truth has that which was given.
one_forced <- function(total, b) {
  share <- (1 - b[1]) / length(b)
  turns <- 1 / share
  if (abs(turns - round(turns)) < 1e-6) paste("1 /", round(turns)) else format(share, digits = 6)
}

# One probability for each answer, in two arguments.
check_die <- function(forced, levels) {
  if (!is.numeric(levels) || length(levels) != 1L || is.na(levels) || levels >= 1) return(invisible())
  abort(c("{.arg levels} must be labels, or the number of categories.", x = "It is {describe(levels)}.",
          i = "The probabilities of all forced answers are {.arg forced}.", i = die_remedy), "argument")
}

# With unknown prevalence respondents fall into four classes, by sensitive and innocuous attribute. Reports identify the
# two shares, not how the attributes go together.
unrelated_unknown <- function(p, levels) {
  labels <- two_labels(levels)
  classes <- paste(rep(labels, each = 2), "and innocuous", rep(labels, 2))
  yes <- c(0, 1 - p, p, 1)
  new_rr_latent("unrelated_unknown", cbind(1 - yes, yes), labels, "", 1,
                list(list(3:4, 1:4), innocuous = list(c(2, 4), 1:4)), c(p, 1 - p, 0, 1 - p),
                sprintf("Unrelated question of unknown prevalence (truth with probability %s)", format(p, digits = 4)),
                classes = classes)
}

innocuous_levels <- function(probabilities, levels, arg) {
  if (is.null(levels)) {
    levels <- names_as_levels(probabilities) %||%
      (if (length(probabilities) <= 2L) c("no", "yes") else length(probabilities))
  }
  check_no_first(levels)
  levels <- check_levels(levels)
  k <- length(levels$labels)
  if (!length(probabilities) %in% c(1L, k)) {
    abort(c("{.arg {arg}} must have one probability per category.",
            x = "It has length {length(probabilities)}, and there are {k} categories."),
          "argument")
  }
  levels
}

new_rr_innocuous <- function(kind, levels, truth, innocuous, design) {
  with_order(new_rr_mechanism(
    kind, levels$labels, numeric_levels = levels$numeric,
    epsilon = if (truth == 0) 0 else round_up(log1p(truth / min(innocuous))), design = design,
    truth = truth, innocuous = innocuous, yes_no = TRUE
  ), levels)
}

#' @export
rr_law.rr_forced <- function(mechanism) new_law_additive(mechanism$truth, mechanism$innocuous)

#' @export
rr_law.rr_unrelated <- rr_law.rr_forced

mechanism_recipe.rr_forced <- function(mechanism) {
  c(list(kind = sub("^rr_", "", class(mechanism)[1]), levels = level_recipe(mechanism), truth = mechanism$truth,
         innocuous = I(mechanism$innocuous)), ordered_member(mechanism))
}

mechanism_recipe.rr_unrelated <- mechanism_recipe.rr_forced

from_recipe.recipe_forced <- function(recipe) innocuous_recipe(recipe, "Forced response (truth with probability %s)")

from_recipe.recipe_unrelated <- function(recipe) {
  innocuous_recipe(recipe, "Unrelated question (truth with probability %s)")
}

innocuous_recipe <- function(recipe, design) {
  r <- recipe_members(recipe, c("kind", "levels", "truth", "innocuous"), "ordered")
  levels <- check_levels(given_labels(r$levels, r$ordered))
  truth <- check_probability(r$truth, "truth")
  innocuous <- check_probabilities(r$innocuous, "innocuous")
  if (length(innocuous) != length(levels$labels) || abs(sum(innocuous) + truth - 1) > 1e-8) {
    abort(c("{.field truth} and {.field innocuous} must add up to 1, with one number of {.field innocuous} per level.",
            x = paste("They are {1 + length(innocuous)} numbers that add up to",
                      "{format(sum(innocuous) + truth, digits = 10)}.")),
          "file")
  }
  new_rr_innocuous(r$kind, levels, truth, innocuous, sprintf(design, format(truth, digits = 4)))
}

mechanism_recipe.rr_unrelated_unknown <- function(mechanism) {
  list(kind = "unrelated_unknown", levels = I(mechanism$reports), p = unname(mechanism$matrix[3, 2]))
}

from_recipe.recipe_unrelated_unknown <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "levels", "p"))
  rr_unrelated(r$p, NULL, given_labels(r$levels))
}
