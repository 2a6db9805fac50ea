#' Respondents who ignore the instructions
#'
#' The mechanism when a stated share of respondents does not follow the instructions. Estimating with
#' several shares shows how much a result depends on compliance; the share itself is not estimated from the data.
#'
#' @param mechanism The mechanism as designed.
#' @param share Share of respondents who do not follow the instructions, from 0 to below 1.
#' @param answer What these respondents do instead: the label of the report they always give (such as the safe "no"), a
#'   distribution over the reports (with names matched to them in any order, absent ones being 0), `"uniform"` for any report at random, or `"truth"` for the plain truth.
#' @param ... Not used, and refused.
#' @return A mechanism of class `c("rr_noncompliance", "rr_mechanism")`: `mechanism`, followed by the given behaviour. Its [rr_epsilon()]
#'   is that of `mechanism`, which protects those who follow it: disobedience is no protection.
#' @section Errors:
#' `candor_error_argument` for a share outside 0 to 1 or an `answer` that is neither a report nor a distribution over them;
#' `candor_error_mismatch` for one whose names are not reports.
#' @source Clark, S. J. and Desharnais, R. A. (1998). Honest answers to embarrassing questions: detecting cheating in the
#'   randomized response model. *Psychological Methods* 3(2), 160-168. \doi{10.1037/1082-989X.3.2.160}
#'
#'   Bockenholt, U. and van der Heijden, P. G. M. (2007). Item randomized-response models for measuring
#'   noncompliance. *Psychometrika* 72, 245-262. \doi{10.1007/s11336-005-1495-y}
#' @examples
#' # If a tenth of the respondents said "no" whatever the die showed
#' design <- rr_forced(1 / 6)
#' counts <- c(no = 1604, yes = 831)
#' sapply(c(0, 0.05, 0.1), function(share) {
#'   coef(rr_estimate(rr_counts(counts, rr_noncompliance(design, share, answer = "no"))))
#' })
#' @export
rr_noncompliance <- function(mechanism, share, answer = "uniform", ...) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  share <- check_number(share, "share", min = 0, max = 1, max_open = TRUE, remedy = percent_remedy(share))
  if (inherits(mechanism, "rr_product") || !law_gives(rr_law(mechanism), "channel", length(mechanism$levels))) {
    abort(c("{.arg mechanism} must be of one question with finitely many reports.", x = "It is: {format(mechanism)}.",
            i = "Apply it to each question of a product."), "argument")
  }
  reports <- mechanism$reports
  if (identical(answer, "truth") && !"truth" %in% reports) {
    if (!identical(mechanism$levels, reports)) {
      abort(c("{.arg answer} cannot be {.val truth}.", x = "The truths of this mechanism are not among its reports."),
            "argument")
    }
    C <- (1 - share) * unname(rr_matrix(mechanism)) + diag(share, length(reports))
    labels <- list(levels = reports, reports = reports, numeric = mechanism$numeric_levels)
    design <- sprintf("%s; %s answer truthfully", mechanism$design, format_share(share))
    return(with_design_level(new_rr_channel(C, labels, design, "noncompliance", first = mechanism, share = share,
                                            yes_no = !is.null(mechanism$bits))))
  }
  distribution <- noncompliant_answer(answer, reports, takes_bits(mechanism))
  noncompliant_mechanism(mechanism, share, share * distribution)
}

# `innocuous`: how probable each report is from one who ignores the instructions, and is one of those who do.
noncompliant_mechanism <- function(mechanism, share, innocuous) {
  levels <- list(labels = mechanism$reports, numeric = mechanism$numeric_levels)
  behaviour <- new_rr_innocuous("forced", levels, 1 - share, innocuous,
                                sprintf("%s ignore the instructions", format_share(share)))
  result <- compose_stages(mechanism, behaviour, "noncompliance",
                           sprintf("%s; %s ignore it", mechanism$design, format_share(share)), share = share)
  # Answers are read as the design reads them.
  result["bits"] <- list(mechanism$bits)
  result["truth_bits"] <- list(mechanism$truth_bits)
  result
}

#' @export
rr_epsilon.rr_noncompliance <- function(mechanism, ...) rr_epsilon(designed(mechanism), ...)

#' @export
rr_law.rr_noncompliance <- rr_law.rr_compose

#' @export
rr_matrix.rr_noncompliance <- rr_matrix.rr_compose

format_share <- function(share) paste0(format(100 * share, digits = 3), "%")

noncompliant_answer <- function(answer, reports, bits) {
  k <- length(reports)
  if (is.character(answer) && length(answer) == 1L && answer %in% reports) return(as.double(reports == answer))
  if (identical(answer, "uniform")) return(rep(1 / k, k))
  if (is.numeric(answer)) {
    answer <- check_probabilities(answer, "answer")
    if (abs(sum(answer) - 1) <= 1e-8) answer <- match_levels(answer, reports, "answer", 0, bits)
    if (length(answer) == k && abs(sum(answer) - 1) <= 1e-8) return(answer / sum(answer))
  }
  abort(c("{.arg answer} must be a report, a distribution over the {k} reports, {.val uniform} or {.val truth}.",
          x = "It is {describe(answer)}.",
          i = if (is.character(answer) && length(answer) == 1L) meant_of(answer, c(reports, "uniform", "truth")),
          i = "The reports are {format_labels(reports)}."), "argument")
}

# What the others answer: a distribution over the reports, or the truth.
mechanism_recipe.rr_noncompliance <- function(mechanism) {
  behaviour <- mechanism$second
  c(list(kind = "noncompliance", mechanism = mechanism_recipe(mechanism$first), share = mechanism$share),
    if (is.null(behaviour)) list(answer = "truth") else list(innocuous = I(behaviour$innocuous)))
}

from_recipe.recipe_noncompliance <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "mechanism", "share"), c("answer", "innocuous"))
  mechanism <- recipe_mechanism(r$mechanism)
  share <- check_number(r$share, "share", min = 0, max = 1, max_open = TRUE)
  if (!is.null(r$answer)) {
    check_choice(r$answer, "answer", "truth")
    return(rr_noncompliance(mechanism, share, "truth"))
  }
  # Refuses the mechanisms and shares that there cannot be.
  rr_noncompliance(mechanism, share)
  innocuous <- check_probabilities(r$innocuous, "innocuous")
  if (length(innocuous) != length(mechanism$reports) || abs(sum(innocuous) - share) > 1e-8) {
    abort(c("{.field innocuous} must add up to {.field share}, with one number per report.",
            x = "It is {length(innocuous)} numbers that add up to {format(sum(innocuous), digits = 10)}."), "file")
  }
  noncompliant_mechanism(mechanism, share, innocuous)
}
