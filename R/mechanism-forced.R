#' Forced response and the unrelated question
#'
#' With some probability the respondent tells the truth. Otherwise a device dictates the answer
#' (forced response), or the respondent answers an innocuous question with the same categories (unrelated
#' question). Both designs have the law
#' \deqn{P(y \mid x) = b_y + a\,1\{x = y\}, \qquad a + \sum_y b_y = 1,}{P(y | x) = b[y] + a (if x = y), with a + sum(b) = 1,}
#' and the maximum likelihood estimate has a closed form for any number of categories.
#'
#' The device may be a die, one coin or two, three kinds of cards, or a spinner; the examples have each. If respondents answer "heads" or "tails",
#' the labels are `levels = c("tails", "heads")`, with the answer that stands for no first.
#'
#' @param forced Probability that the device dictates each answer: one number that holds for each answer, or one per category, whose names can serve as
#'   `levels`. The sum must be below 1; `1 - sum(forced)` is the probability of the truth.
#' @param p Number, 0 to 1. Probability of the sensitive question.
#' @param pi Distribution of the answers to the innocuous question: one probability per category, adding up to 1, whose names can serve as
#'   `levels`. For a yes/no question one number is enough, the probability of the second level, "yes". `NULL`: the prevalence of the innocuous
#'   question is unknown. Two samples with different `p` then identify it, see [design_parameters].
#' @param levels Labels of the answers, all different, or their number. By default `c("no", "yes")`, or the names of the probabilities. Names such as
#'   `c(yes = 1 / 6, no = 1 / 6)` give the levels in the order no, yes. `levels` in the order yes, no are kept with the message
#'   `candor_message_order`; they give an error if `pi` is one number without a name.
#' @param epsilon Number, 1e-12 to 700. Privacy budget, in place of `p`, or of a `forced` that is the same for each answer.
#' @param ... Must be empty.
#' @return A mechanism of class `c("rr_forced", "rr_mechanism")` or `c("rr_unrelated", "rr_mechanism")`: a list with elements `levels`, `truth`
#'   (\eqn{a}), `innocuous` (\eqn{b}, one per category), `epsilon` and others. Epsilon is
#'   \eqn{\max_y \log(1 + a / b_y)}{max over y of log(1 + a / b[y])}, and infinite if some \eqn{b_y = 0}.
#' @section Errors:
#' * `candor_error_argument`: probabilities outside 0 to 1, a sum of `forced` above 1, a `pi` that does not add up to 1, lengths that do not match.
#' * `candor_error_mismatch`: names that are not the `levels`.
#' @references Boruch, R. F. (1971). Assuring confidentiality of responses in social research: a note on
#'   strategies. *The American Sociologist* 6(4), 308-311.
#'
#'   Greenberg, B. G., Abul-Ela, A.-L. A., Simmons, W. R. and Horvitz, D. G. (1969). The unrelated
#'   question randomized response model: theoretical framework. *Journal of the American Statistical Association*
#'   64(326), 520-539. \doi{10.1080/01621459.1969.10500991}
#' @seealso `articles/classroom.html` of the site for a lesson; [rr_binary()] for other yes/no designs; [rr_lie_detector()] for respondents who do not follow the instructions; [nigeria_survey];
#'   `vignette("choosing", package = "candor")`.
#' @concept prevalence
#' @concept sensitive question
#' @concept forced response
#' @concept heads
#' @concept tails
#' @concept one coin
#' @concept two coins
#' @concept three-card design
#' @concept spinner
#' @concept classroom
#' @concept teaching
#' @concept unrelated question
#' @examples
#' # A die: 1 forces "no", 6 forces "yes", 2 to 5 ask for the truth. 831 of
#' # 2,435 civilians said yes. How many had contact with armed groups?
#' fit <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
#' tidy(fit, conf.int = TRUE)   # 26% (23% to 29%)
#'
#' # One coin: on heads say yes, on tails tell the truth. 18 of 30 pupils said
#' # yes.
#' coin <- rr_forced(c(no = 0, yes = 1 / 2))
#' coef(rr_estimate(rr_counts(c(no = 12, yes = 18), coin)))   # (18 - 15) / 15
#' # Two coins: two heads say yes, two tails say no, else tell the truth
#' rr_forced(1 / 4)
#' # Three kinds of cards: 10 ask for the truth, 5 say yes, 5 say no. A
#' # spinner has such sectors.
#' rr_forced(c(no = 5, yes = 5) / 20)
#'
#' # Three categories, with unequal forcing
#' rr_forced(c(never = 0.1, once = 0.1, often = 0.2))
#'
#' # The unrelated question: "is your mother's birthday in the first quarter
#' # of the year?"
#' rr_unrelated(p = 0.7, pi = 0.25)
#' @export
rr_forced <- function(forced = NULL, levels = NULL, epsilon = NULL, ...) {
  if (any(c("no", "yes") %in% ...names())) refuse_one_answer(...names()[1])
  check_dots_empty(...)
  if (length(forced) == 1L && is.null(levels)) refuse_one_answer(names(forced))
  check_one_of_epsilon_p(epsilon, forced, "forced")
  if (!is.null(epsilon)) {
    k <- length(check_levels(levels %||% c("no", "yes"))$labels)
    forced <- 1 / (exp(check_epsilon(epsilon)) + k - 1)
  }
  forced <- check_probabilities(forced, "forced")
  levels <- innocuous_levels(forced, levels, "forced")
  forced <- rep_len(match_levels(forced, levels$labels, "forced"), length(levels$labels))
  total <- sum(forced)
  check_that(
    total <= 1 + 1e-12, total, "forced",
    "probabilities that add up to less than 1, over all categories"
  )
  # A sum above 1 by no more than rounding errors of the user's numbers means that the device
  # dictates every answer.
  truth <- max(0, snap_to_zero(1 - total, 1))
  if (truth == 0) {
    cli::cli_inform(
      c("The device dictates every answer: no truth is reported.", i = coin_designs),
      class = "candor_message_forced"
    )
  }
  with_recipe(
    new_rr_innocuous(
      "forced",
      levels,
      truth,
      if (total > 1) forced / total else forced,
      sprintf("Forced response (truth with probability %s)", format(truth, digits = 4))
    ),
    "rr_forced", forced = forced
  )
}

#' @rdname rr_forced
#' @export
rr_unrelated <- function(p = NULL, pi, levels = NULL, epsilon = NULL, ...) {
  check_dots_empty(...)
  if (is.null(pi)) {
    return(unrelated_unknown(check_probability(p, "p"), levels %||% c("no", "yes")))
  }
  check_one_of_epsilon_p(epsilon, p)
  pi <- check_probabilities(pi, "pi")
  if (length(pi) == 1L) {
    pi <- innocuous_shares(pi, check_two(check_levels(levels %||% c("no", "yes"))$labels))
  }
  check_that(abs(sum(pi) - 1) <= 1e-8, pi, "pi", "probabilities that add up to 1")
  levels <- innocuous_levels(pi, levels, "pi")
  # These are the odds of the truth for which log(1 + p / ((1 - p) pi)) of the rarest innocuous
  # answer is epsilon.
  odds <- if (!is.null(epsilon)) {
    expm1(check_epsilon(epsilon)) * min(pi) / sum(pi)
  }
  p <- check_probability(p %||% (1 / (1 + 1 / odds)), "p")
  truth <- snap_to_zero(p, 1)
  pi <- match_levels(pi, levels$labels, "pi")
  with_recipe(
    new_rr_innocuous(
      "unrelated",
      levels,
      truth,
      (1 - truth) * pi / sum(pi),
      sprintf("Unrelated question (truth with probability %s)", format(truth, digits = 4))
    ),
    "rr_unrelated", p = p, pi = pi
  )
}

# The designs with coins, for messages.
coin_designs <- paste(
  "One coin (heads: say yes; tails: the truth) is {.code rr_forced(c(no = 0, yes = 1/2))},",
  "two coins are {.code rr_forced(1/4)}."
)

# An error if one answer alone is named: the other has a probability too.
refuse_one_answer <- function(name) {
  if (is.null(name)) return(invisible())
  abort(c(
    "{.arg forced} must be one vector with a probability for each answer.",
    x = "It is for {.val {name}} alone.",
    i = coin_designs
  ))
}

# The probabilities of no and yes from that of yes, unless its name says that it is that of no.
innocuous_shares <- function(pi, labels) {
  if (is.null(names(pi)) && pi != 0.5) check_no_first(labels)
  is_no <- identical(names(pi), labels[1])
  pi <- unname(pi)
  if (is_no) c(pi, 1 - pi) else c(1 - pi, pi)
}

# The levels of the user, else the names of the probabilities, else no and yes or 1, 2, ...
innocuous_levels <- function(probabilities, levels, arg) {
  # Names of probabilities say what belongs to what, not which level comes first: no is always
  # before yes.
  labels <- names(probabilities)
  if (is_reversed(labels)) labels <- rev(labels)
  standard <- if (length(probabilities) <= 2L) c("no", "yes") else length(probabilities)
  levels <- check_levels(levels %||% labels %||% standard)
  check_no_first(levels$labels, even = TRUE)
  k <- length(levels$labels)
  check_that(
    length(probabilities) %in% c(1L, k), probabilities, arg, "one probability per category"
  )
  levels
}

# A mechanism that reports the truth with probability `truth`, else an innocuous answer; `innocuous`
# are the probabilities that a report is each innocuous answer.
new_rr_innocuous <- function(kind, levels, truth, innocuous, design) {
  with_order(
    new_rr_mechanism(
      kind,
      levels$labels,
      numeric_levels = levels$numeric,
      design = design,
      truth = truth,
      innocuous = innocuous,
      law = new_law_additive(truth, innocuous),
      yes_no = TRUE,
      epsilon = if (truth == 0) 0 else round_up(log1p(truth / min(innocuous)))
    ),
    levels
  )
}

# ---- designs with an unknown parameter ----

# Respondents fall into latent classes whose reports have known probabilities; the unknown parameter
# is a share, or a ratio of shares, of these classes:
#   the honesty of those who should admit,
#   the share of those who cheat,
#   the prevalence of the innocuous attribute.
# Two samples that have different devices identify them.

#' Respondents who do not follow the instructions: lie detector, cheater detection, a stated share
#'
#' Some respondents say no although the instructions ask for yes. `rr_lie_detector()` and `rr_cheater_detection()` estimate the share of such respondents, or the
#' honesty of respondents whose truth is yes. `rr_noncompliance()` states a share, which the data do not estimate: several shares show how much a result depends on it.
#'
#'  One sample cannot separate this parameter from the prevalence; two samples whose devices have different probabilities can. Give
#' the tallies of both samples to [rr_estimate()] as a list.
#'
#' * `rr_lie_detector()`, the stochastic lie detector. A respondent whose truth is no answers truthfully with the known probability `p`, and
#'   says yes otherwise. A respondent whose truth is yes should say yes, and does so with an unknown probability, the *honesty*.
#' * `rr_cheater_detection()`. A device forces "yes" with probability `yes` and "no" with probability `no`, and asks for the truth otherwise.
#'   An unknown share of respondents are *cheating*: they say no whatever the device shows. With `no = 0` this is the cheater detection model,
#'   otherwise its symmetric form.
#' * `rr_unrelated(p, pi = NULL)`, the unrelated question of unknown prevalence, see [rr_unrelated()].
#'
#' The truths of these mechanisms are latent classes: `no`, `yes, admitted` and `yes, denied` for the lie detector; `no`, `yes` and `cheating` for
#' cheater detection.
#'
#' @param p Number, 0 to 1. Probability that a respondent whose truth is no says no.
#' @param yes,no Numbers, 0 to 1. Probabilities that the device forces "yes" and "no".
#' @param levels Two labels, first the label for no.
#' @param ... Must be empty.
#' @return A mechanism of class `c("rr_lie_detector", "rr_channel", "rr_mechanism")` or `c("rr_cheater_detection", ...)`. The element `parameters`
#'   lists the classes that make up each parameter, see [design_parameters].
#' @section Errors:
#' `candor_error_argument` for probabilities outside their range, for `levels` that are not two labels in the order no, yes, and for an `answer` that is neither a report nor a distribution over the reports.
#' `candor_error_mismatch` for names that are not reports.
#' @references Moshagen, M., Musch, J. and Erdfelder, E. (2012). A stochastic lie detector. *Behavior Research Methods* 44, 222-231.
#'   \doi{10.3758/s13428-011-0144-2}
#'
#'   Clark, S. J. and Desharnais, R. A. (1998). Honest answers to embarrassing questions: detecting cheating in the randomized
#'   response model. *Psychological Methods* 3(2), 160-168. \doi{10.1037/1082-989X.3.2.160}
#'
#'   Ostapczuk, M., Moshagen, M., Zhao, Z. and Musch, J. (2009). Assessing sensitive attributes using the randomized response technique: evidence for the importance of
#'   response symmetry. *Journal of Educational and Behavioral Statistics* 34(2), 267-287. \doi{10.3102/1076998608324453}
#'
#'   Bockenholt, U. and van der Heijden, P. G. M. (2007). Item randomized-response models for measuring
#'   noncompliance. *Psychometrika* 72, 245-262. \doi{10.1007/s11336-005-1495-y}
#' @seealso [design_parameters]; [rr_anchor()] for an anchor question;
#'   [rr_goodness_of_fit()]; `articles/compliance.html` of the site.
#' @concept stochastic lie detector
#' @concept cheater detection model
#' @concept noncompliance
#' @concept cheating
#' @concept honesty
#' @examples
#' # The Swiss ban on minarets: which share voted yes, and how many of them
#' # admit it?
#' groups <- subset(minaret_survey, design != "direct")
#' tallies <- lapply(1:2, function(i) {
#'   with(groups[i, ], rr_counts(c(no = no, yes = yes),
#'                               rr_lie_detector(1 - q)))
#' })
#' fit <- rr_estimate(tallies)
#' tidy(fit, type = "parameters")   # 87%, and 64% of them admit it
#' @order 1
#' @export
rr_lie_detector <- function(p, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  labels <- check_two(check_levels(levels)$labels)
  check_no_first(labels)
  with_recipe(
    new_rr_latent(
      "lie_detector",
      rbind(
        c(p, 1 - p), c(0, 1), c(1, 0)
      ),
      labels,
      paste0(labels[c(1, 2, 2)], c("", ", admitted", ", denied")),
      list(
        list(2:3, 1:3),
        honesty = list(2, 2:3)
      ),
      c(0, 1, 1 - p, 0),
      sprintf("Stochastic lie detector (p = %s)", format(p, digits = 4))
    ),
    "rr_lie_detector", p = p, levels = labels, fields = NULL
  )
}

#' @rdname rr_lie_detector
#' @order 2
#' @export
rr_cheater_detection <- function(yes, no = 0, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  yes <- check_probability(yes, "yes")
  no <- check_probability(no, "no")
  check_that(yes + no <= 1, yes + no, "yes + no", "at most 1")
  labels <- check_two(check_levels(levels)$labels)
  check_no_first(labels)
  with_recipe(
    new_rr_latent(
      "cheater_detection",
      rbind(
        c(1 - yes, yes), c(no, 1 - no), c(1, 0)
      ),
      labels,
      c(labels, "cheating"),
      list(list(2, 1:3), cheating = list(3, 1:3)),
      c(1 - no, -yes, yes, -yes),
      sprintf(
        "Cheater detection (forced yes %s, no %s)", format(yes, digits = 4), format(no, digits = 4)
      )
    ),
    "rr_cheater_detection", yes = yes, no = no, levels = labels, fields = NULL
  )
}

# The unrelated question of unknown prevalence: respondents fall into four classes, by sensitive and
# innocuous attribute. Reports identify the two shares, not how the attributes go together.
unrelated_unknown <- function(p, levels) {
  labels <- check_two(check_levels(levels)$labels)
  p_yes <- c(0, 1 - p, p, 1)
  with_recipe(
    new_rr_latent(
      "unrelated_unknown",
      cbind(1 - p_yes, p_yes),
      labels,
      paste(rep(labels, each = 2), "and innocuous", rep(labels, 2)),
      list(
        list(3:4, 1:4),
        innocuous = list(c(2, 4), 1:4)
      ),
      c(p, 1 - p, 0, 1 - p),
      sprintf(
        "Unrelated question of unknown prevalence (truth with probability %s)",
        format(p, digits = 4)
      )
    ),
    "rr_unrelated", p = p, levels = labels, fields = NULL
  )
}

# A channel from latent classes to reports. Each element of `parameters` has the classes that make
# the parameter up and the classes it is a share of; the element without a name is the share of the
# second label.
new_rr_latent <- function(kind, C, labels, classes, parameters, lines, design) {
  names(parameters)[!nzchar(names(parameters))] <- labels[2]
  new_rr_channel(
    C,
    list(levels = classes, reports = labels, numeric = label_numbers(labels)),
    design,
    c(kind, "channel"),
    parameters = parameters,
    lines = setNames(lines, c("p0", "p1", "q0", "q1"))
  )
}
