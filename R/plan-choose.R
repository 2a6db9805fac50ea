#' Choose an estimator for these data
#'
#' Estimates the risk (mean squared error) of every method at the truth behind the reports, and recommends one.
#'
#' @details
#' The risk of a method depends on the unknown truth. `rr_choose_method()` estimates the risk in two ways.
#'
#' * *Bootstrap* (all methods, `risk`). A smoothed estimate, method `"combine"`, replaces the truth. Reports are simulated from it and estimated by every method, and
#'   the errors are averaged. This favours `"combine"`, whose risk is 0 if it finds only noise.
#' * *Leaving one report out* (`unbiased`). Up to a constant the squared error is
#'   \eqn{\lVert\hat\theta\rVert^2 - 2\langle\theta,\hat\theta\rangle}{sum estimate^2 - 2 sum theta estimate}, and
#'   \eqn{\langle\theta,\hat\theta\rangle}{sum theta estimate} is estimated without bias by removing
#'   each report in turn and predicting it from the others. It needs no smoothing and favours no method, but it is noisier.
#'
#' `unbiased` is available for methods that treat all categories alike, and mechanisms that report all answers other than the truth with one probability. For methods
#' other than `"inv"` it needs at most 200 distinct counts. Otherwise it is `NA`.
#'
#' The recommendation is the method of least bootstrap risk, the first row of the table.
#'
#' `"combine"` is an estimator, too. `"invn"`, `"mle"` and `"invp"` differ only in one threshold. `"combine"` takes the threshold, and the weight against the uniform
#' distribution, that are best if one report is left out.
#'
#' The scripts `studies/choose.R` and `studies/eb-more.R` of the site measure how well it chooses. With many categories `"eb"` needs no choice.
#'
#' @param x A tally, or anything that [rr_tally()] takes.
#' @param mechanism How the answers were randomized. Not needed for a tally.
#' @param method Names of methods of [rr_estimate()] to choose from. By default all of `"inv"`, `"invn"`, `"invp"`, `"mle"`, `"combine"` and, from 20
#'   categories on, `"eb"` that work for the mechanism.
#' @param replications Whole number, at least 20; default 200. Number of simulated tallies.
#' @param seed Whole number that fixes the simulation, or `NULL` (default).
#' @param ... Must be empty.
#' @return A data frame of class `rr_choice`, one row per method, the best first.
#'
#' * `method`: for [rr_estimate()].
#' * `risk`, `mc.error`: estimated mean squared error, summed over categories, and its Monte Carlo error.
#' * `bias2`, `variance`: its two parts.
#' * `wins`: share of the simulated tallies in which the method was closest to the truth.
#' * `unbiased`: the estimate by leaving one report out.
#' @section Errors:
#' * `candor_error_argument`: a grouped tally, an unknown or impossible method, numbers out of range.
#' * `candor_error_no_information`: reports that do not depend on the truth, or too little for a method. `candor_error_empty`: an empty tally.
#' * `candor_error_law`: a mechanism with one estimate only (means, sketches) or several questions.
#' @references Stein, C. M. (1981). Estimation of the mean of a multivariate normal distribution. *Annals of Statistics* 9(6), 1135-1151.
#'   \doi{10.1214/aos/1176345632} (unbiased risk estimation)
#'
#'   Wang, T. et al. (2020). Locally differentially private frequency estimation with consistency. *NDSS*. \doi{10.14722/ndss.2020.24157} (the best post-processing
#'   depends on the truth)
#' @seealso [rr_study()] for a known truth; [rr_recommend()] for mechanisms; `articles/which-estimator.html` of the site.
#' @concept choice of estimator
#' @concept risk estimation
#' @examples
#' # 2,000 reports over 100 categories: which estimator, if the truth is even,
#' # or concentrated?
#' mechanism <- rr_grr(100, epsilon = 2)
#' set.seed(1)
#' reports <- function(truth) {
#'   answers <- sample(100, 2000, TRUE, truth)
#'   rr_tally(rr_perturb(answers, mechanism, rng = "R"), mechanism)
#' }
#' rr_choose_method(reports(rep(0.01, 100)), replications = 50, seed = 1)
#' # "eb", then "combine"
#' # A Zipf distribution, with shares in proportion to 1 / rank^2.5
#' zipf <- prop.table(seq_len(100)^-2.5)
#' rr_choose_method(reports(zipf), replications = 50, seed = 1)
#' # "eb"; "invn" is worst
#' @export
rr_choose_method <- function(
  x,
  mechanism = NULL,
  method = NULL,
  replications = 200,
  seed = NULL,
  ...
) {
  check_dots_empty(...)
  tally <- as_tally(x, mechanism, NULL, NULL, FALSE)
  if (length(tally) > 1L) abort("{.arg x} must be one tally, without groups.")
  if (!is.null(tally$groups)) tally <- cut_groups(tally, 1L, drop = TRUE)
  if (tally$n <= 0) abort_empty(tally)
  mechanism <- tally$mechanism
  refuse_validated(mechanism, "{.fn rr_choose_method}")
  if (!length(possible_methods(mechanism))) {
    abort("This mechanism has one method only.", c("argument", "law"))
  }
  method <- check_methods(method %||% choices(mechanism))
  replications <- check_count(replications, "replications", min = 20, max = 1e7)
  seed <- if (is.null(seed)) draw_study_seed() else check_count(seed, "seed")
  counts <- group_evidence(tally, 1)$counts
  # A method that fails for these data is refused.
  for (name in names(method)) {
    study_estimate(mechanism, counts, method[[name]], tally$effective_n, name)
  }
  smooth <- smooth_truth(mechanism, counts, tally$effective_n)
  n <- max(1, round(tally$effective_n))
  judged <- judge_methods(mechanism, smooth, NULL, n, method, replications, seed, 1)
  squares <- vapply(judged$losses, function(losses) losses[1, ], numeric(replications))
  risk_of <- function(method) unbiased_risk(mechanism, counts, method, tally$effective_n)
  unbiased <- vapply(method, risk_of, 0)
  # If two methods agree to rounding the first of them is best.
  best <- max.col(-signif(squares, 10), "first")
  table <- tibble(
    method = names(method),
    risk = judged$estimate["mse", ],
    mc.error = judged$error["mse", ],
    bias2 = judged$estimate["bias2", ],
    variance = judged$estimate["variance", ],
    wins = tabulate(best, length(method)) / replications,
    unbiased = unbiased
  )
  with_class(table[order(signif(table$risk, 12)), ], "rr_choice")
}

# The methods that compete by default and that a mechanism can have, whatever the reports.
choices <- function(mechanism) {
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  is_choice <- function(method) {
    !is.null(method$choice) &&
      (is.null(method$choice_for) || method$choice_for(law, k))
  }
  methods <- Filter(is_choice, method_registry())
  possible_methods(mechanism, methods[order(vapply(methods, `[[`, 0, "choice"))])
}

# The shares that stand in for the truth. If `combine` has no formula, they are the maximum
# likelihood estimate drawn a little towards the uniform, or the projected inversion if counts have
# no likelihood.
smooth_truth <- function(mechanism, counts, n) {
  law <- rr_law(mechanism)
  if (law_gives(law, "alike")) return(estimate_combine(law, counts, n)$estimate)
  k <- length(mechanism$levels)
  method <- if (law_gives(law, "likelihood")) "mle" else "invp"
  estimate <- estimate_counts(mechanism, counts, method, n)$estimate
  (n * estimate + sqrt(n) / k) / (n + sqrt(n))
}

# The risk by leaving one report out, once for each distinct count; NA for methods that do not treat
# all categories alike, and for other mechanisms.
unbiased_risk <- function(mechanism, counts, method, n) {
  additive <- alike_law(rr_law(mechanism))
  if (is.null(additive) || additive$b <= 0 || n < 2) return(NA_real_)
  inv <- (counts / n - additive$b) / additive$a
  noise <- sum((counts / n) * (1 - counts / n)) /
    ((n - 1) * additive$a^2)
  if (is.character(method)) method <- method_registry()[[method]]
  if (!inherits(method, "rr_method")) return(NA_real_)
  if (method$unbiased) return(noise)
  values <- setdiff(unique(counts), 0)
  if (!isTRUE(method$refit) || length(values) > 200) return(NA_real_)
  estimate <- estimate_counts(mechanism, counts, method, n)$estimate
  left_out <- vapply(values, estimate_left_out, 0, mechanism, counts, method, n, additive)
  categories <- tabulate(match(counts, values), length(values))
  # The last term is |theta|^2: the squares of the unbiased estimates less their unbiased variances.
  sum(estimate^2) - 2 * sum(categories * values * left_out) / n +
    sum(inv^2) - noise
}

# The share of a category with count `v`, estimated without one of its reports.
estimate_left_out <- function(v, mechanism, counts, method, n, additive) {
  index <- match(v, counts)
  less <- max(0, v - 1)
  estimate <- estimate_counts(
    mechanism, replace(counts, index, less), method, n - (v - less)
  )$estimate
  # The correction for b has the sum of shares, which need not be 1.
  share <- estimate[if (additive$reversed) 3 - index else index]
  (share - additive$b * sum(estimate)) / additive$a
}

# Methods that give the same estimates have risks that differ by rounding. The best has a risk of 0
# where it gives the same estimate every time: nothing is a share of that.
#' @export
print.rr_choice <- function(x, ...) {
  best <- abs(x[["risk"]] - x[["risk"]][1]) <=
    1e-9 * x[["risk"]][1]
  if (length(best) && !is.null(x[["method"]])) {
    writeLines(within_80(paste0(
      "<rr_choice> Best for these data: ",
      cli::ansi_collapse(sprintf("\"%s\"", x$method[best]), last = " and "),
      if (sum(best) > 1) ", whose estimates agree"
    )))
    other <- match(FALSE, best)
    if (isTRUE(x$risk[1] > 0 & !is.na(other))) {
      cat(
        "  The next, \"", x$method[other], "\", has an estimated risk ",
        larger_words(x$risk[other] / x$risk[1]), ".\n", sep = ""
      )
    }
  }
  NextMethod()
}
