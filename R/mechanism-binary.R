# Yes/no questions have designs of two answers and two reports.

#' Randomized yes/no questions: Warner, crosswise, triangular, Mangat, Kuk
#'
#' `rr_binary()` describes any yes/no question by its two probabilities,
#' \eqn{p = P(\mathrm{yes} \mid \mathrm{yes})}{p = P(yes | yes)} and \eqn{q = P(\mathrm{yes} \mid \mathrm{no})}{q = P(yes | no)}. The classical
#' survey designs for a sensitive question are special cases. What the respondent does, and the probabilities \eqn{p} and \eqn{q}:
#'
#' * `rr_warner(p)`: a device picks the question (probability `p`) or its negation. Probabilities: `p` and `1 - p`.
#' * `rr_crosswise(p)`: says whether the answers to the sensitive question and to an innocuous question of prevalence `p` are the same; "yes" is "the
#'   same". Probabilities: `p` and `1 - p`.
#' * `rr_triangular(p)`: says "no" only if both answers are no; the innocuous question has prevalence `p`. Probabilities: 1 and `p`.
#' * `rr_warner(p, t = t)`: answers directly with probability `t`, otherwise by Warner's device with `p` (Mangat and Singh 1990). Probabilities: `t + (1 - t) p` and
#'   `(1 - t)(1 - p)`.
#' * `rr_binary(1, 1 - p)`: says "yes" if that is the truth, otherwise answers by Warner's device with `p` (Mangat 1994). Probabilities: 1 and `1 - p`.
#' * `rr_kuk(p1, p2)`: draws a card from the deck of their group and names its colour; "yes" is the colour with shares `p1`, `p2`. Probabilities:
#'   `p1` and `p2`.
#'
#' Any `p != q` can be estimated, including `p < q`, as in the crosswise design with `p = 0.25`. If a report rules a truth out, [rr_epsilon()] is
#' `Inf`. A "no" in the triangular design is an example. The extended crosswise model asks two groups, with `rr_crosswise(p)` and `rr_crosswise(1 - p)`:
#' pool their tallies with [rr_pool()] and test with [rr_goodness_of_fit()].
#'
#' Two designs are called Mangat's, and with the same `p` their estimates differ. In the two-stage design of Mangat and Singh (1990) a first device
#' sends some respondents to the direct question, whatever their truth. In the design of Mangat (1994) only respondents
#' without the attribute use a device. A "no" then clears the respondent with certainty. The triangular design with `1 - p` has the same probabilities.
#'
#' With several `draws` in Kuk's design, method `"inv"` is the mean share of "yes" cards, carried through the design. Maximum likelihood has the smaller error. At the same
#' epsilon Warner's design has a far smaller one.
#'
#' @param p,q For `rr_binary()`: numbers, 0 to 1, the probabilities of "yes" if the truth is yes and if it is no.
#'   For the others `p` is the design probability in the list.
#' @param epsilon Number, 1e-12 to 700. Privacy budget, in place of the probabilities of `rr_warner()`, `rr_crosswise()` and `rr_kuk()`. The
#'   crosswise design then has `p < 0.5`, and Kuk's design two decks with opposite shares.
#' @param t Number, 0 to 1. Probability that a first device asks the question directly; `NULL` (default): there is no first device.
#' @param p1,p2 Numbers, 0 to 1. Shares of "yes" cards: `p1` in the deck for respondents whose truth is yes, `p2` in the other deck.
#' @param draws Number of cards that each respondent draws in Kuk's design, with replacement; default 1. With several draws a report is the number of "yes"
#'   cards, from 0 to `draws`. Epsilon is `draws` times the epsilon of one card.
#' @param levels Two labels, first the label for "no". In data, `FALSE` and 0 mean the first label and `TRUE` and 1 the second. Known labels of yes
#'   and no ("yes", `TRUE`, 1, "same", "positive") in the other order give an error if the design treats the two answers differently. In a symmetric design
#'   they give the message `candor_message_order`, because regressions, contrasts, power and pictures are then about "no".
#' @param ... Must be empty.
#' @return A mechanism of class `c("rr_binary", "rr_mechanism")`: a list with elements `levels`, `p`, `q`, `p_minus_q`, `epsilon` and others.
#'   Epsilon is \eqn{\max(|\log(p/q)|, |\log((1-q)/(1-p))|)}{max(|log(p/q)|, |log((1-q)/(1-p))|)}.
#' @section Errors:
#' `candor_error_argument` for probabilities outside 0 to 1, and for `levels` that are not two different labels in the order no, yes.
#' @references Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias. *Journal of the American
#'   Statistical Association* 60(309), 63-69. \doi{10.1080/01621459.1965.10480775}
#'
#'   Yu, J.-W., Tian, G.-L. and Tang, M.-L. (2008). Two new models for survey sampling with sensitive
#'   characteristic (crosswise, triangular). *Metrika* 67, 251-263. \doi{10.1007/s00184-007-0131-x}
#'
#'   Mangat, N. S. and Singh, R. (1990). An alternative randomized response procedure. *Biometrika*
#'   77(2), 439-442. \doi{10.1093/biomet/77.2.439}
#'
#'   Mangat, N. S. (1994). An improved randomized response strategy. *Journal of the Royal Statistical Society B* 56(1), 93-95.
#'   \doi{10.1111/j.2517-6161.1994.tb01962.x}
#'
#'   Kuk, A. Y. C. (1990). Asking sensitive questions indirectly. *Biometrika* 77(2), 436-438.
#'   \doi{10.1093/biomet/77.2.436}
#' @seealso [rr_forced()] for forced response and the unrelated question; [rr_lie_detector()] for respondents who do not follow the instructions;
#'   [rr_device()] for dice, coins and birthdays; `vignette("choosing", package = "candor")`. The item count technique (list experiment) is in the package list, see
#'   `articles/coming-from.html` of the site.
#' @concept item count
#' @concept three-card design
#' @concept spinner
#' @concept coin
#' @concept list experiment
#' @concept prevalence
#' @concept sensitive question
#' @concept randomized response technique
#' @concept Warner model
#' @concept crosswise model
#' @concept extended crosswise model
#' @concept triangular model
#' @concept two-stage design of Mangat and Singh
#' @concept Mangat model
#' @concept indirect questioning
#' @examples
#' # A crosswise question with a birthday in the first quarter of the year:
#' # 198 of 310 said "the same". What is the prevalence?
#' reports <- rr_counts(c(no = 112, yes = 198), rr_crosswise(0.25))
#' tidy(rr_estimate(reports, method = "inv"), conf.int = TRUE)
#' # 22% (12% to 33%)
#'
#' # A survey file that holds "same" and "different": "yes" is "same"
#' answers <- rep(c("same", "different"), c(198, 112))
#' answers <- ifelse(answers == "same", "yes", "no")
#' coef(rr_estimate(answers, rr_crosswise(0.25)))   # the same
#' @export
rr_binary <- function(p, q, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  q <- check_probability(q, "q")
  with_recipe(new_rr_binary(p, q, levels, "Randomized yes/no question"), "rr_binary", p = p, q = q)
}

#' @rdname rr_binary
#' @export
rr_warner <- function(
  p = NULL,
  epsilon = NULL,
  levels = c("no", "yes"),
  t = NULL,
  ...
) {
  check_dots_empty(...)
  if (!is.null(t)) {
    if (!is.null(epsilon)) abort("{.arg epsilon} must not be given with {.arg t}.")
    return(rr_mangat(p, t, levels))
  }
  check_one_of_epsilon_p(epsilon, p)
  numbers <- grr_numbers(2, epsilon, p)
  with_recipe(
    new_rr_binary(
      numbers$p,
      numbers$q,
      levels,
      "Warner's design",
      difference = numbers$p_minus_q,
      symmetric = TRUE,
      from_epsilon = if (!is.null(epsilon)) numbers$epsilon
    ),
    "rr_warner", p = p, epsilon = epsilon
  )
}

#' @rdname rr_binary
#' @export
rr_crosswise <- function(p = NULL, levels = c("no", "yes"), epsilon = NULL, ...) {
  check_dots_empty(...)
  check_one_of_epsilon_p(epsilon, p)
  p <- check_probability(p %||% plogis(-check_epsilon(epsilon)), "p")
  with_recipe(
    new_rr_binary(
      p,
      1 - p,
      levels,
      "Crosswise design",
      difference = 2 * p - 1,
      symmetric = TRUE
    ),
    "rr_crosswise", p = p
  )
}

#' @rdname rr_binary
#' @export
rr_triangular <- function(p, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  with_recipe(new_rr_binary(1, p, levels, "Triangular design"), "rr_triangular", p = p)
}

# rr_warner(p, t = t), under the name that its recipe has in files. Older files have the `variant`
# of 1994 there.
rr_mangat <- function(p, t = NULL, levels = c("no", "yes"), variant = "1990") {
  if (variant == "1994") return(rr_binary(1, 1 - p, levels))
  p <- check_probability(p, "p")
  t <- check_probability(t, "t")
  with_recipe(
    new_rr_binary(
      t + (1 - t) * p,
      (1 - t) * (1 - p),
      levels,
      "Two-stage design of Mangat and Singh",
      difference = t + (1 - t) * (2 * p - 1),
      symmetric = TRUE
    ),
    "rr_mangat", p = p, t = t
  )
}

#' @rdname rr_binary
#' @export
rr_kuk <- function(
  p1 = NULL,
  p2 = NULL,
  levels = c("no", "yes"),
  epsilon = NULL,
  draws = 1,
  ...
) {
  check_dots_empty(...)
  check_one_of_epsilon_p(epsilon, c(p1, p2), "p1")
  draws <- check_count(draws, "draws", min = 1, max = 1000)
  pair <- if (is.null(epsilon)) {
    list(p1, p2)
  } else {
    plogis(c(1, -1) * check_epsilon(epsilon) / draws)
  }
  if (draws > 1) {
    pair <- c(
      check_probability(pair[[1]], "p1"), check_probability(pair[[2]], "p2")
    )
    mechanism <- new_rr_kuk(
      pair, draws, check_levels(levels), symmetric = !is.null(epsilon)
    )
    return(with_recipe(
      mechanism, "rr_kuk", epsilon = epsilon, p1 = p1, p2 = p2, draws = draws
    ))
  }
  with_recipe(
    new_rr_binary(
      check_probability(pair[[1]], "p1"),
      check_probability(pair[[2]], "p2"),
      levels,
      "Kuk's design",
      symmetric = !is.null(epsilon)
    ),
    "rr_kuk", epsilon = epsilon, p1 = p1, p2 = p2
  )
}

# Several cards: a channel to their number, whose unbiased estimate is that of the moments. If it is
# symmetric, p[1] is 1 - p[2], which p[2] has to more digits.
new_rr_kuk <- function(p, draws, levels, symmetric) {
  check_two(levels$labels)
  check_no_first(levels$labels)
  cards <- 0:draws
  no <- dbinom(cards, draws, p[2])
  C <- rbind(
    no, if (symmetric) rev(no) else dbinom(cards, draws, p[1]),
    deparse.level = 0
  )
  # A report that is impossible under one truth alone would reveal the other.
  if (all(p > 0) && (symmetric || all(p < 1)) &&
      any(C == 0)) {
    abort(c(
      "{.arg draws} must be fewer for these probabilities.",
      x = "Some numbers of cards have a probability below 1e-323, which is 0 to the computer."
    ))
  }
  yes_scores <- (cards / draws - p[2]) / (p[1] - p[2])
  labels <- list(
    levels = levels$labels,
    reports = as.character(cards),
    numeric = cards,
    truths = levels$numeric
  )
  texts <- vapply(p, format, "", digits = 4)
  design <- sprintf(
    "Kuk's design (p1 = %s, p2 = %s), %s", texts[1], texts[2], number_of(draws, "draw")
  )
  mechanism <- new_rr_channel(
    C,
    labels,
    design,
    c("kuk", "channel"),
    inverse = if (p[1] != p[2]) cbind(1 - yes_scores, yes_scores),
    yes_no = c(FALSE, TRUE)
  )
  # Epsilon is not that of the channel: far out its probabilities are 0, and their ratio is not
  # known.
  gap <- p[1] - p[2]
  cards_epsilon <- ratio_epsilon(p[1], p[2], gap)
  if (!symmetric) {
    cards_epsilon <- max(
      cards_epsilon, ratio_epsilon(1 - p[2], 1 - p[1], gap)
    )
  }
  mechanism$epsilon <- draws * cards_epsilon
  mechanism
}
