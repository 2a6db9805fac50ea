#' Randomized yes/no questions
#'
#' `rr_binary()` describes any yes/no question by its two probabilities,
#' \eqn{p = P(\mathrm{yes} \mid \mathrm{yes})}{p = P(yes | yes)} and \eqn{q = P(\mathrm{yes} \mid \mathrm{no})}{q = P(yes | no)}. The classical survey
#' designs are special cases, each with its own constructor:
#'
#' | constructor | what the respondent does | `p` | `q` |
#' |---|---|---|---|
#' | `rr_warner(p)` | a device picks the question (probability `p`) or its negation | `p` | `1 - p` |
#' | `rr_crosswise(p)` | says whether the answers to the sensitive question and to an innocuous one of prevalence `p` are the same; "yes" is "the same" | `p` | `1 - p` |
#' | `rr_triangular(p)` | says "no" only if both answers are no, the innocuous one having prevalence `p` | 1 | `p` |
#' | `rr_mangat(p, t)` | answers directly with probability `t`, otherwise Warner's device with `p` | `t + (1 - t) p` | `(1 - t)(1 - p)` |
#' | `rr_mangat1994(p)` | says "yes" if that is the truth, otherwise answers by Warner's device with `p` | 1 | `1 - p` |
#' | `rr_kuk(p1, p2)` | names the colour of a card drawn from the deck of their group; "yes" is the colour with shares `p1`, `p2` | `p1` | `p2` |
#'
#' Any `p != q` can be estimated, `p < q` included (the crosswise design with `p` = 0.25 is such a
#' one). Where a report rules a truth out, as a "no" does in the triangular design, [rr_epsilon()] is `Inf`.
#'
#' Two designs are called Mangat's. `rr_mangat()` is the two-stage design of Mangat and Singh (1990): a first device sends some respondents, whatever
#' their truth, to the direct question. In `rr_mangat1994()`, of Mangat (1994), the truth itself decides: those who hold the attribute say "yes"
#' without any device, and only the others use one. With the same `p` they are different designs, whose estimates differ. In that of 1994 a
#' "no" clears its respondent for certain, as in the triangular design with `1 - p`, which has the same probabilities.
#'
#' Forced response and the unrelated question, for any number of categories, are [rr_forced()] and
#' [rr_unrelated()].
#'
#' @param p,q For `rr_binary()`: \eqn{P(\mathrm{yes} \mid \mathrm{yes})}{P(yes | yes)} and \eqn{P(\mathrm{yes} \mid \mathrm{no})}{P(yes | no)}, from 0 to 1.
#'   For the others `p` is the design probability in the table under *Details*.
#' @param epsilon For `rr_warner()`, in place of `p`: the privacy level, from 1e-12 to 700.
#' @param t Probability of the direct question, from 0 to 1.
#' @param p1,p2 Share of "yes" cards in the deck of those whose truth is yes, and of the others.
#' @param levels Two labels, first the one for "no". In data, `FALSE` and 0 mean the first and
#'   `TRUE` and 1 the second. Labels that are known for yes and no ("yes", "ja", `TRUE`, 1, ...) in the other order are an
#'   error where the design treats the two answers differently, since `p` and `q` would be those of "no". In a symmetric design a message of class
#'   `candor_message_order` says that regressions, contrasts, power and pictures are about "no".
#'   For `rr_crosswise()` the report "yes" is "both answers are the same", see the examples.
#' @param ... Not used, and refused.
#' @return A mechanism of class `c("rr_binary", "rr_mechanism")`: a list with, among others, `levels`,
#'   `p`, `q`, `p_minus_q` and `epsilon`, where
#'   \eqn{\epsilon = \max(|\log(p/q)|, |\log((1-q)/(1-p))|)}{epsilon = max(|log(p/q)|, |log((1-q)/(1-p))|)}.
#' @section Errors:
#' `candor_error_argument` for probabilities outside 0 to 1, for `levels` that are not two
#' different labels, and for those of yes and no in the wrong order.
#' @source Warner, S. L. (1965). *Journal of the American Statistical Association* 60(309), 63-69.
#'   \doi{10.1080/01621459.1965.10480775}
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
#' @examples
#' rr_warner(0.7)
#'
#' # A crosswise question with a birthday in the first quarter of the year: 198 of 310 said "the same"
#' reports <- rr_counts(c(no = 112, yes = 198), rr_crosswise(0.25))
#' tidy(rr_estimate(reports, method = "inv"), conf.int = TRUE)
#'
#' # A survey file that holds "same" and "different": "yes" is "same", whatever the truth
#' answers <- rep(c("same", "different"), c(198, 112))
#' answers <- ifelse(answers == "same", "yes", "no")
#' coef(rr_estimate(answers, rr_crosswise(0.25)))
#' @export
rr_binary <- function(p, q, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  q <- check_probability(q, "q")
  check_no_first(levels, if (!is_even(p, q)) {
    "{.arg p} and {.arg q} are the probabilities of reporting the second level, here {second}."
  })
  new_rr_binary(p, q, levels, "Randomized yes/no question")
}

#' @rdname rr_binary
#' @export
rr_warner <- function(p = NULL, epsilon = NULL, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  check_one_of_epsilon_p(epsilon, p)
  check_no_first(levels)
  numbers <- grr_numbers(2, epsilon, p)
  new_rr_binary(numbers$p, numbers$q, levels, "Warner's design", difference = numbers$p_minus_q, symmetric = TRUE,
                from_epsilon = if (!is.null(epsilon)) numbers$epsilon)
}

#' @rdname rr_binary
#' @export
rr_crosswise <- function(p, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  check_no_first(levels)
  new_rr_binary(p, 1 - p, levels, "Crosswise design", difference = 2 * p - 1, symmetric = TRUE)
}

#' @rdname rr_binary
#' @export
rr_triangular <- function(p, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  check_no_first(levels, if (!is_even(1, p)) {
    "Those whose truth is the second level, here {second}, always report it."
  })
  new_rr_binary(1, p, levels, "Triangular design")
}

#' @rdname rr_binary
#' @export
rr_mangat <- function(p, t, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  t <- check_probability(t, "t")
  check_no_first(levels)
  new_rr_binary(t + (1 - t) * p, (1 - t) * (1 - p), levels, "Two-stage design of Mangat and Singh",
                difference = t + (1 - t) * (2 * p - 1), symmetric = TRUE)
}

#' @rdname rr_binary
#' @export
rr_mangat1994 <- function(p, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p <- check_probability(p, "p")
  check_no_first(levels, if (!is_even(1, 1 - p)) {
    "Those whose truth is the second level, here {second}, always report it."
  })
  new_rr_binary(1, 1 - p, levels, "Design of Mangat (1994)", difference = p)
}

#' @rdname rr_binary
#' @export
rr_kuk <- function(p1, p2, levels = c("no", "yes"), ...) {
  check_dots_empty(...)
  p1 <- check_probability(p1, "p1")
  p2 <- check_probability(p2, "p2")
  check_no_first(levels, if (!is_even(p1, p2)) {
    "{.arg p1} and {.arg p2} are the shares of the cards that say the second level, here {second}."
  })
  new_rr_binary(p1, p2, levels, "Kuk's design")
}

# In a symmetric design q = 1 - p, and both keep all digits: at epsilon = 40 p rounds to 1, but 1 - p is not 0.
# `from_epsilon` is the epsilon that was given, if one was. `size` is the size of the numbers whose rounding errors may
# make p and q differ although the user means them to be equal.
new_rr_binary <- function(p, q, levels, design, difference = p - q, symmetric = FALSE, from_epsilon = NULL,
                          size = max(p, q), error = NULL) {
  levels <- check_levels(levels)
  if (length(levels$labels) != 2L) {
    abort(c("{.arg levels} must be two labels, first the one for \"no\".",
            x = "There are {length(levels$labels)}.",
            i = "For more categories use {.fn rr_grr}, {.fn rr_forced} or {.fn rr_unrelated}."),
          "argument")
  }
  if (is.null(from_epsilon)) difference <- snap_to_zero(difference, size)
  p_no <- if (symmetric) q else 1 - p
  q_no <- if (symmetric) p else 1 - q
  new_rr_mechanism(
    "binary", levels$labels, numeric_levels = levels$numeric,
    epsilon = if (isTRUE(error)) Inf
      else from_epsilon %||% max(ratio_epsilon(p, q, difference), ratio_epsilon(q_no, p_no, difference)),
    design = sprintf("%s (p = %s, q = %s)", design, format(p, digits = 4), format(q, digits = 4)),
    p = p, q = q, p_minus_q = difference, p_no = p_no, q_no = q_no, from_epsilon = !is.null(from_epsilon),
                   yes_no = TRUE, error = error
  )
}

#' @export
rr_law.rr_binary <- function(mechanism) new_law_additive(mechanism$p_minus_q, c(mechanism$p_no, mechanism$q))

perturbation.rr_binary <- function(mechanism) {
  if (mechanism$from_epsilon) return(list(kind = "grr_epsilon", numbers = mechanism$epsilon))
  list(kind = "binary", numbers = c(mechanism$p, mechanism$p_no, mechanism$q, mechanism$q_no))
}

# What print() calls the designs, by their names in files.
binary_designs <- c(question = "Randomized yes/no question", warner = "Warner's design", crosswise = "Crosswise design",
                    triangular = "Triangular design", mangat = "Two-stage design of Mangat and Singh",
                    kuk = "Kuk's design", misclassification = "Misclassified answer")

# The two probabilities, and their difference: in a few designs that has digits which subtracting loses.
mechanism_recipe.rr_binary <- function(mechanism) {
  title <- sub(" \\(p = [^()]*\\)$", "", mechanism$design)
  design <- names(binary_designs)[match(title, binary_designs)]
  if (is.na(design)) return(mechanism_recipe.default(mechanism))
  start <- list(kind = "binary", design = design, levels = level_recipe(mechanism))
  if (mechanism$from_epsilon) return(c(start, list(epsilon = mechanism$epsilon)))
  c(start, list(p = mechanism$p, q = mechanism$q),
    list(p_minus_q = mechanism$p_minus_q)[mechanism$p_minus_q != mechanism$p - mechanism$q])
}

from_recipe.recipe_binary <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "levels"), c("design", "epsilon", "p", "q", "p_minus_q"))
  design <- check_choice(r$design %||% "question", "design", names(binary_designs))
  levels <- given_labels(r$levels)
  if (!is.null(r$epsilon)) {
    if (design != "warner" || !is.null(r$p) || !is.null(r$q)) {
      abort("{.field epsilon} is for {.val warner}, without {.field p} and {.field q}.", "file")
    }
    return(rr_warner(epsilon = r$epsilon, levels = levels))
  }
  p <- check_probability(r$p, "p")
  q <- check_probability(r$q, "q")
  difference <- check_number(r$p_minus_q %||% (p - q), "p_minus_q", -1, 1)
  symmetric <- design %in% c("warner", "crosswise", "mangat")
  if (abs(difference - (p - q)) > 1e-14 || (symmetric && abs(p + q - 1) > 1e-14)) {
    abort(c("The probabilities of the mechanism do not fit together.",
            x = "{.field p} is {p}, {.field q} is {q}{if (symmetric) ', which should add up to 1'}."), "file")
  }
  error <- list(error = TRUE)[design == "misclassification"]
  do.call(new_rr_binary, c(list(p, q, levels, binary_designs[[design]], difference, symmetric,
                                size = if (length(error)) 1 else max(p, q)), error))
}
