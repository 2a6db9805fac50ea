#' Which categories are common?
#'
#' Ranks the categories by their unbiased estimates, with intervals that hold for all categories at once, and tests which of them
#' anybody holds at all, with a controlled false discovery rate.
#'
#' `rr_top()` answers two questions. *How large are the largest?* The intervals are simultaneous over all categories (Bonferroni), so they
#' also hold for categories that were picked because their estimates are the largest. The estimates are linear inversions: unlike maximum likelihood with many categories, they
#' do not shrink the large shares. The largest of many estimates are still too large on average, because noise helped them to the top; the
#' intervals allow for this.
#'
#' *Which categories does anybody hold?* For each category the number of reports is compared with what the mechanism alone would give if nobody held it: a
#' binomial tail probability, exact for mechanisms that report one category, normal for other channels. The p-values are adjusted over all categories.
#' `"BH"` controls the expected share of false discoveries for independent or positively dependent tests; the counts of one question are slightly negatively
#' dependent, for which simulations show no excess (the package's tests include one). `"BY"` holds under any dependence and finds fewer; `"holm"` controls the
#' probability of any false discovery.
#'
#' @param x A tally, a fit of [rr_estimate()], or anything [rr_tally()] takes.
#' @param m How many categories to list (per group), a whole number from 1; `Inf` for all.
#' @param mechanism How the answers were randomised, where `x` is neither a tally nor a fit.
#' @param alpha The false discovery rate, or for `"holm"` the error probability, above 0 and below 1.
#' @param adjust How p-values are adjusted: `"BH"` (Benjamini and Hochberg), `"BY"` (Benjamini and Yekutieli) or `"holm"`.
#' @param conf.level Confidence level of the simultaneous intervals.
#' @param target Whom the intervals are about, see [rr_estimate()].
#' @param ... Not used, and refused.
#' @return A tibble of class `rr_top` with a row per listed category: the groups, `rank`, `term`, `estimate`, `std.error`, `conf.low`, `conf.high`, `p.value`,
#'   `p.adjusted` and `present` (`p.adjusted <= alpha`). The attribute `found` is the number of categories present in all, listed or not. [plot()][autoplot.rr_compare] draws it.
#' @section Errors:
#' `candor_error_argument` for arguments out of range; `candor_error_no_information` where the mechanism cannot be inverted; the errors of
#' [rr_tally()] for reports.
#' @source Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate. *Journal of the Royal Statistical Society B* 57(1), 289-300.
#'   \doi{10.1111/j.2517-6161.1995.tb02031.x}
#'
#'   Benjamini, Y. and Yekutieli, D. (2001). The control of the false discovery rate in multiple testing under dependency. *Annals of Statistics* 29(4),
#'   1165-1188. \doi{10.1214/aos/1013699998}
#' @examples
#' set.seed(1)
#' mechanism <- rr_grr(1000, epsilon = 4)
#' truth <- sample(1000, 1e5, replace = TRUE, prob = rr_zipf(1000, 1.2))
#' rr_top(rr_perturb(truth, mechanism, rng = "R"), m = 5, mechanism = mechanism)
#' @export
rr_top <- function(x, m = 10, mechanism = NULL, alpha = 0.05, adjust = c("BH", "BY", "holm"), conf.level = 0.95,
                   target = c("population", "sample"), ...) {
  check_dots_empty(...)
  check_given()
  if (inherits(x, "rr_mechanism")) check_mechanism(mechanism)
  if (!identical(m, Inf)) m <- check_count(m, "m", min = 1)
  alpha <- check_number(alpha, "alpha", 0, 1, TRUE, TRUE)
  adjust <- check_choice(adjust, "adjust", c("BH", "BY", "holm"))
  target <- check_choice(target, "target", c("population", "sample"))
  if (inherits(x, "rr_fit")) x <- x$tally
  fit <- rr_estimate(x, mechanism, method = "inv", target = target, conf.level = conf.level)
  if (!inherits(fit, "rr_fit")) {
    abort(c("{.arg x} must be a tally of one question whose categories are estimated.",
            x = "The estimate is {describe(fit)}."),
          "argument")
  }
  groups <- seq_len(ncol(as.matrix(fit$estimate)))
  found <- integer(length(groups))
  tables <- lapply(groups, function(g) {
    estimate <- group_estimate(fit, g)
    p <- absence_p_values(fit, g)
    adjusted <- stats::p.adjust(p, adjust)
    found[g] <<- sum(adjusted <= alpha)
    which <- order(estimate, decreasing = TRUE)[seq_len(min(m, length(estimate)))]
    rows <- tidy_rows(fit, TRUE, conf.level, which, g, ranked = TRUE)
    rank <- rank(-estimate, ties.method = "min")[which]
    rows$p.value <- p[which]
    # Normal tests and score intervals know others' shares from two estimates: 0 is left out only where both do.
    rows$conf.low[p[which] >= (1 - conf.level) * rank / (2 * length(estimate))] <- 0
    rows$p.adjusted <- adjusted[which]
    rows$present <- adjusted[which] <= alpha
    at <- length(fit$tally$groups)
    tibble::as_tibble(append(as.list(rows), list(rank = rank), at))
  })
  if (!length(fit$tally$groups)) tables <- list(do.call(rbind, tables))
  table <- do.call(rbind, tables)
  structure(table, class = c("rr_top", class(table)), found = found, alpha = alpha, adjust = adjust,
            categories = nrow(as.matrix(fit$estimate)),
            conf.level = conf.level, n = fit$tally$n)
}

# The probability of at least as many reports of each category if nobody held it: of P(X >= x) for a binomial number X,
# effective or not, in whose lower limit at that error is 0; normal where the law has no such counts.
absence_p_values <- function(fit, g) {
  law <- rr_law(fit$mechanism)
  evidence <- group_evidence(fit$tally, g, law)
  estimate <- group_estimate(fit, g)
  if (!law_gives(law, "exact", evidence$k)) {
    return(stats::pnorm(estimate / evidence$blank_error(), lower.tail = FALSE))
  }
  n <- evidence$n
  # Only the support of one block of a Hadamard matrix has counts that are not the tally's.
  b <- rep_len(law[["b"]] %||% law[["q"]] %||% (1 / 2), evidence$k)
  x <- if (inherits(law, "rr_law_hadamard")) n * (1 / 2 + tanh(law$epsilon / 2) / 2 * estimate) else evidence$counts
  # A design whose truth is the least likely report gives fewer reports to the truth.
  ifelse(rep_len((law[["a"]] %||% law[["difference"]] %||% 1) > 0, evidence$k),
         ifelse(x <= 0, 1, stats::pbeta(b, x, pmax(n - x, 0) + 1)),
         ifelse(x >= n, 1, stats::pbeta(b, x + 1, pmax(n - x, 0), lower.tail = FALSE)))
}

#' @export
print.rr_top <- function(x, ...) {
  check_table(x)
  found <- attr(x, "found")
  cat("<rr_top> ", paste(format_count(found), collapse = ", "), " of ", category_words(attr(x, "categories")),
      " are present (", attr(x, "adjust"), ", alpha = ", format(attr(x, "alpha")), ")",
      if (length(found) > 1L) ", by group", "\n", sep = "")
  cat("  Unbiased estimates, ", format(100 * attr(x, "conf.level")), "% intervals by rank\n  ",
      rank_words(attr(x, "conf.level")), "\n", sep = "")
  print(plain_tibble(x), ...)
  invisible(x)
}
