#' Association between randomized questions: correlation, odds ratio, test of independence
#'
#' For every pair of questions: covariance, correlation, odds ratio and Cramer's V of the *truth*, each with a standard error, and a test of
#' independence.
#'
#' * `covariance`: \eqn{z - xy}, of two binary columns with shares \eqn{x}, \eqn{y} and joint share \eqn{z}; unbiased; for the population multiplied
#'   by \eqn{N / (N - 1)}.
#' * `correlation`: the covariance divided by \eqn{\sqrt{x(1-x)y(1-y)}}{sqrt(x(1-x)y(1-y))} (phi); may leave -1 to 1 with little data; `NA` if a
#'   share leaves (0, 1).
#' * `odds.ratio`: the odds ratio of the estimated cells; `NA` if a cell is not positive.
#' * `cramers.v`: \eqn{\sqrt{\chi^2 / (N (\min(K, L) - 1))}}{sqrt(chi^2 / (N (min(K, L) - 1)))} of the estimated table; biased upwards near 0; for
#'   binary columns the absolute correlation.
#' * `statistic`, `df`, `p.value`: test of independence; the same for every `method` of the fit.
#'
#' Use the test, not Cramer's V, to judge independence. Standard errors are too small if a maximum likelihood fit has cells at 0, see [rr_margin()].
#'
#' @section Model and variance:
#' A report has the unbiased score \eqn{u}, for a yes/no question \eqn{u = (y - q) / (p - q)}, and \eqn{v} is the score of the other report. The covariance of the truths is estimated by
#' \eqn{\overline{uv} - \bar u \bar v}{mean(u v) - mean(u) mean(v)}: the two devices are independent given the truths, so \eqn{E(uv)} is the joint share.
#' Its variance is \eqn{\sum_i \{(u_i - \bar u)(v_i - \bar v) - c\}^2 / n^2}{the sum of ((u - mean(u)) (v - mean(v)) - c)^2 / n^2} for the estimate \eqn{c}, and for the other measures follows by the delta method.
#' `system.file("mathematics", "estimation.md", package = "candor")` has the exact forms.
#'
#' @section Tests of independence:
#' For `target = "population"` the *reported* table is tested. Questions that are randomized separately have independent reports if their truths are independent, so the test keeps its
#' level. For square invertible channels it is Pearson's test with \eqn{(K - 1)(L - 1)} degrees of freedom. Otherwise a score test is limited to the
#' \eqn{(r - 1)(s - 1)} interactions that the truths can move, with the ranks \eqn{r} and \eqn{s} of the two channels. Reports that support several categories, and scores, are tested in the
#' same way: if the truths are independent, they are uncorrelated. A question whose reports do not depend on the truth has no statistic.
#'
#' For `target = "sample"` Wald's test asks whether the true table of these respondents is the product of its margins. It is a normal approximation, and `NA` if a channel cannot
#' be inverted or the estimated covariance is not positive definite.
#'
#' For survey designs the covariance is the design's and intervals are from the t distribution. Wald's statistic times \eqn{(\nu - f + 1) / (\nu f)} is compared with the F distribution of
#' \eqn{f} and \eqn{\nu - f + 1} degrees of freedom (\eqn{f} interactions, \eqn{\nu} degrees of freedom of the design). Weights otherwise count with their effective number.
#'
#' @section Intervals:
#' An interval of two yes/no questions leaves out independence if and only if the test rejects independence at the same level. The variance under the interval is
#' the variance of the test at independence, the squared standard error at the estimate and beyond, and linear in between.
#'
#' The interval of an odds ratio \eqn{\psi} holds all values under which the estimated joint share \eqn{z} is near to the share that follows from \eqn{\psi} and from the
#' shares \eqn{x}, \eqn{y}: the root \eqn{s} of \eqn{s (1 - x - y + s) = \psi (x - s) (y - s)} (Plackett 1965). Under independence the distance is the covariance.
#' An odds ratio has an infinite upper limit (or the lower limit 0) if a table with an empty cell is near enough. There is no interval of a correlation or an odds ratio
#' if an estimated share of yes leaves (0, 1).
#'
#' If a maximum likelihood fit has cells at 0, the interval is the interval of the unbiased estimate. `articles/validation.html` of the site has the simulated coverage.
#' Intervals of Cramer's V of larger tables are normal.
#'
#' @section A randomized variable and a number:
#' For a data frame every pair of columns has its covariance and correlation; for randomized columns these are about the *truths*. A report is replaced by its
#' unbiased score, the entry of its row of \eqn{C^{-1}}; for protocols see the scores of [rr_cooccurrence()]. The correlation of a score \eqn{u} and a number \eqn{z} is
#' \eqn{\hat\rho = (\overline{uz} - \bar u \bar z) / \sqrt{\bar u (1 - \bar u) s_z^2}}{(mean(u z) - mean(u) mean(z)) / sqrt(mean(u) (1 - mean(u)) var(z))}. Standard errors are
#' by linearization. A question of more than two categories has a row for each category against the rest, named `question=category`.
#'
#' @return An object of class `rr_association` with these methods:
#'
#' * `as.data.frame()`: one row per pair.
#' * `tidy()`: one row per pair and measure.
#' * `as.matrix(x, measure)`: the symmetric matrix of one measure.
#' * `vcov(x, pairs, measure)`: joint covariance of several correlations or covariances, for binary columns; disjoint pairs need joint counts of order 4.
#' * `plot()`: a heat map of the correlations or another measure. Pairs whose independence is rejected are outlined, with Holm's correction; one pair is drawn
#'   with its interval.
#'
#' @param x One of these (for methods an object of `rr_association()`):
#'   * a joint fit of [rr_estimate()] under a product mechanism, including survey designs;
#'   * a fit of [rr_tmdh()] with `order` at least 2;
#'   * a margin of two questions, [rr_margin()];
#'   * the expected reports of [rr_pmdh()], for the standard errors that estimates will have;
#'   * a data frame of reports and numbers.
#' @param ... For methods: `target` if the fit does not hold it.
#' @param mechanisms For a data frame: a list of mechanisms, named by the randomized columns. All other columns must be numbers.
#' @param weights `NULL` (default) or one number of at least 0 per row.
#' @param na.rm Logical, default `FALSE`. Drop rows with missing values?
#' @param object An object of `rr_association()`.
#' @param measure `"correlation"`, `"covariance"`, `"odds.ratio"` or `"cramers.v"`. `as.matrix()` also accepts `"p.value"` and errors such as
#'   `"correlation.error"`.
#' @param pairs A list of pairs of columns, or labels such as `"a:b"`; default all pairs.
#' @param parm,terms Pairs, as labels such as `"a:b"` or positions; default all.
#' @param conf.int Logical, default `FALSE`. Add intervals?
#' @param conf.level,level Confidence level, a number in (0, 1); default 0.95. See *Intervals*.
#' @param alpha Significance level of the test that outlines a pair, from 0 to 1; default 0.05.
#' @section Errors:
#' `candor_error_order` (the counts that a covariance needs were not tallied), `candor_error_law` (a channel that a validation study estimated), `candor_error_argument`. See [candor_conditions].
#' @references Carette, T. (2022). A normal approximation for joint frequency estimation under local differential privacy, section 2.4.
#'
#'   Fox, J. A. and Tracy, P. E. (1986). *Randomized Response*. Sage. \doi{10.4135/9781412985581} (a randomized variable and a number)
#'
#'   Plackett, R. L. (1965). A class of bivariate distributions. *Journal of the American Statistical Association* 60(310), 516-522.
#'   \doi{10.1080/01621459.1965.10480807} (the joint share of an odds ratio)
#' @seealso [rr_margin()] for the joint table, [rr_loglinear()] for several questions, [rr_predictor()] for a randomized covariate.
#' @concept cross-table
#' @concept cross table
#' @concept contingency table
#' @concept chi-squared test
#' @concept correlation
#' @concept odds ratio
#' @examples
#' # How strongly were sex and survival associated on the Titanic, if both
#' # answers are randomized?
#' people <- as.data.frame(Titanic)
#' people <- people[rep(seq_len(32), people$Freq), ]
#' truth <- data.frame(female = people$Sex == "Female",
#'                     survived = people$Survived == "Yes")
#' survey <- rr_product(female = rr_warner(0.9), survived = rr_warner(0.8))
#' set.seed(1)
#' reports <- rr_perturb(truth, survey, rng = "R")
#' rr_association(rr_tmdh(rr_cooccurrence(reports), survey))
#' cor(truth)[1, 2]
#' cor(reports)[1, 2]
#' # The correlation is 0.44, in truth 0.46; the reports themselves show 0.18
#' @export
rr_association <- function(x, ...) UseMethod("rr_association")

#' @export
rr_association.rr_pmdh <- function(x, target = c("population", "sample"), ...) {
  check_dots_empty(...)
  target <- check_choice(target)
  check_pairs(x)
  estimates <- pair_estimates(x$truth, target, TRUE)
  if (target == "sample") estimates$covariance.variance <- exact_covariance_variance(x$truth)
  new_rr_association(column_pairs(x, estimates, x$truth$values, 1), x, target, 0.95)
}

check_pairs <- function(x) {
  if (length(x$columns) < 2L) abort("Association needs at least two columns.")
  if (x$tallied < 2) abort_untallied(x, 0:1)
}

pair_estimates <- function(x, target, is_truth) {
  .Call(
    C_rr_pair_covariances, x$values, length(x$columns), x$tallied,
    histogram_design(x, target, is_truth, 2)
  )
}

# The factor that makes z - xy unbiased.
unbiased_factor <- function(target, n) if (target == "population") n / (n - 1) else 1

pair_index <- function(d) {
  list(
    i = rep(seq_len(d - 1), (d - 1):1),
    j = sequence((d - 1):1, 2:d)
  )
}

column_pairs <- function(x, estimates, values, factor) {
  pairs <- pair_index(length(x$columns))
  measures <- binary_measures(
    estimates, values[1 + pairs$i], values[1 + pairs$j],
    values[1 + length(x$columns) + seq_along(pairs$i)], x$n, factor
  )
  as_tibble(c(
    list(
      x = x$columns[pairs$i],
      y = x$columns[pairs$j]
    ),
    measures,
    list(cramers.v = abs(measures$correlation), cramers.v.error = measures$correlation.error)
  ))
}

# The measures of pairs of yes/no questions; `ones`, `others` and `joint` of `n` rows are yes to the
# first, to the second and to both.
binary_measures <- function(estimates, ones, others, joint, n, factor) {
  moments <- matrix(estimates$moments, 6)
  odds <- odds_ratio(
    list(joint, ones - joint, others - joint, n - ones - others + joint), n, moments
  )
  shares <- list(ones / n, others / n, joint / n)
  slope <- pair_gradient(shares, "correlation")
  inner <- c(
    shares, split(moments / n^2, row(moments))
  )
  c(
    setNames(inner, inner_columns),
    list(
      covariance = estimates$covariance * factor,
      covariance.error = sqrt_or_na(estimates$covariance.variance) * factor,
      correlation = estimates$covariance * slope[[3]],
      correlation.error = sqrt_or_na(quadratic_form(slope, moments)) / n,
      odds.ratio = odds$ratio,
      odds.ratio.error = odds$error
    )
  )
}

# The odds ratio and its standard error from the cells of `n` rows: yes and yes, yes and no, no and
# yes, no and no. `v` are the variances of the numbers of yes to the first, to the second and to
# both, and their covariances.
odds_ratio <- function(cells, n, v) {
  # A rounding is no cell.
  positive <- Reduce(`&`, lapply(cells, `>`, no_noise * n))
  inverse <- lapply(cells, function(cell) ifelse(positive, 1 / cell, NA_real_))
  ratio <- inverse[[2]] * inverse[[3]] /
    (inverse[[1]] * inverse[[4]])
  # The gradient of the log odds ratio in the numbers of yes; the number of rows is known.
  g <- list(
    -inverse[[4]] - inverse[[2]],
    -inverse[[4]] - inverse[[3]],
    Reduce(`+`, inverse)
  )
  list(ratio = ratio, error = ratio * sqrt_or_na(quadratic_form(g, v)))
}

# The variance of a function with the gradient `g` in three numbers; `v` are the moments of
# odds_ratio(), a column for each.
quadratic_form <- function(g, v) {
  squares <- g[[1]]^2 * v[1, ] +
    g[[2]]^2 * v[2, ] +
    g[[3]]^2 * v[3, ]
  products <- g[[1]] * g[[2]] * v[4, ] +
    g[[1]] * g[[3]] * v[5, ] +
    g[[2]] * g[[3]] * v[6, ]
  squares + 2 * products
}

# The list of pair_estimates() for one pair, from the shares `z` of yes (to the first, the second,
# both) and their covariance.
moment_estimates <- function(z, covariance) {
  moments <- covariance[cbind(
    c(1, 2, 3, 1, 1, 2),
    c(1, 2, 3, 2, 3, 3)
  )]
  list(
    covariance = z[3] - z[1] * z[2],
    covariance.variance = quadratic_form(
      pair_gradient(z, "covariance"), matrix(moments)
    ),
    moments = moments
  )
}

# The derivatives of a measure by the shares of yes to the first question, to the second and to
# both, a list. The last one of a correlation is its ratio to the covariance.
pair_gradient <- function(share, measure) {
  x <- share[[1]]
  y <- share[[2]]
  if (measure == "covariance") return(list(-y, -x, 1))
  variances <- x * (1 - x) * y * (1 - y)
  s <- sqrt(ifelse(varies(x) & varies(y), variances, NA_real_))
  r <- (share[[3]] - x * y) / s
  list(
    -y / s -
      r * (1 - 2 * x) / (2 * x * (1 - x)),
    -x / s -
      r * (1 - 2 * y) / (2 * y * (1 - y)),
    1 / s
  )
}

no_noise <- 1e-13

# Is a share of yes inside of (0, 1)? A rounding beside an end is not.
varies <- function(share) share > no_noise & share < 1 - no_noise

# The exact variance of the estimated covariance for a fixed truth: u'Av with A = I/N - 11'/N^2 and
# independent errors of the two columns, summed over the four true cells.
exact_covariance_variance <- function(truth) {
  pairs <- pair_index(length(truth$columns))
  p <- truth$design$p
  q <- truth$design$q
  n <- truth$n
  x <- truth$values[1 + pairs$i]
  y <- truth$values[1 + pairs$j]
  joint <- truth$values[1 + length(truth$columns) + seq_along(pairs$i)]
  # `cells` has a row for each combination of the bits a of the first column and b of the second;
  # `noise` is the variance of a debiased bit.
  cells <- rbind(joint, x - joint, y - joint, n - x - y + joint)
  a <- c(1, 1, 0, 0)
  b <- c(1, 0, 1, 0)
  noise <- rbind(q * (1 - q), p * (1 - p)) /
    rep((p - q)^2, each = 2)
  alpha <- cells * noise[1 + a, pairs$i]
  beta <- cells * noise[1 + b, pairs$j]
  first <- colSums(
    alpha * outer(b, y / n, `-`)^2 +
      beta * outer(a, x / n, `-`)^2
  )
  product <- colSums(alpha * noise[1 + b, pairs$j])
  first / n^2 + product * (1 / n^2 - 2 / n^3) +
    colSums(alpha) * colSums(beta) / n^4
}

# An object of rr_association(). `df` are the degrees of freedom of a survey design. If a fit has
# cells at 0, `unbiased` are the pairs of the unbiased estimate, whose intervals it has.
new_rr_association <- function(
  table, fit, target, conf.level, n = nobs(fit), df = NULL, unbiased = NULL
) {
  structure(
    list(
      pairs = table,
      fit = fit,
      target = target,
      conf.level = conf.level,
      n = n,
      df = df,
      unbiased = unbiased
    ),
    class = c("rr_association", "rr_estimates")
  )
}

# ---- associations as tables ----

# The columns that only intervals of odds ratios need: the shares of yes (to the first, the second,
# both), and their variances and covariances.
moment_columns <- c("x.x", "y.y", "both.both", "x.y", "x.both", "y.both")
inner_columns <- c("share.x", "share.y", "share.both", moment_columns)

association_measures <- c("covariance", "correlation", "odds.ratio", "cramers.v")

#' @rdname rr_association
#' @export
as.data.frame.rr_association <- function(x, ...) {
  plain_frame(x$pairs[setdiff(names(x$pairs), inner_columns)], ...)
}

#' @rdname rr_association
#' @export
as.matrix.rr_association <- function(x, measure = "correlation", ...) {
  measure <- check_choice(
    measure, "measure", setdiff(names(x$pairs), c("x", "y", inner_columns))
  )
  names <- unique(c(x$pairs$x, x$pairs$y))
  matrix <- matrix(
    NA_real_, length(names), length(names), dimnames = list(names, names)
  )
  matrix[cbind(x$pairs$x, x$pairs$y)] <- matrix[cbind(x$pairs$y, x$pairs$x)] <-
    x$pairs[[measure]]
  if (measure %in% c("correlation", "cramers.v")) diag(matrix) <- 1
  matrix
}

# One row for each pair and measure, or for each pair of one measure.
rows_of.rr_association <- function(x) {
  pairs <- x$pairs
  do.call(
    rbind,
    lapply(x$measure %||% intersect(association_measures, names(pairs)), function(one) {
      tibble(
        x = pairs$x,
        y = pairs$y,
        measure = one,
        estimate = pairs[[one]],
        std.error = pairs[[paste0(one, ".error")]]
      )
    })
  )
}

labels_of.rr_association <- function(x) paste(x$pairs$x, x$pairs$y, sep = ":")

#' @rdname rr_association
#' @export
tidy.rr_association <- function(x, conf.int = FALSE, conf.level = x$conf.level, terms = NULL, ...) {
  if (!is.null(terms)) {
    x$pairs <- x$pairs[match_rows(terms, labels_of(x), "pairs", "terms"), ]
  }
  tidy.rr_estimates(x, conf.int, conf.level)
}

of_measure <- function(x, measure) {
  x$measure <- check_choice(measure, "measure", intersect(association_measures, names(x$pairs)))
  x
}

#' @rdname rr_association
#' @export
coef.rr_association <- function(object, measure = default_measure(object$pairs), ...) {
  coef.rr_estimates(of_measure(object, measure))
}

#' @rdname rr_association
#' @export
confint.rr_association <- function(object, parm = NULL, level = object$conf.level,
                                   measure = default_measure(object$pairs), ...) {
  confint.rr_estimates(of_measure(object, measure), parm, level)
}

#' @rdname rr_association
#' @export
vcov.rr_association <- function(
  object, pairs = NULL, measure = c("correlation", "covariance"), ...
) {
  measure <- check_choice(measure)
  fit <- object$fit
  labels <- labels_of(object)
  if (!inherits(fit, "rr_tmdh")) {
    # The covariances of different pairs are not known.
    error <- object$pairs[[paste0(measure, ".error")]] %||% rep(NA_real_, length(labels))
    return(structure(unknown_covariances(error), dimnames = list(labels, labels)))
  }
  pairs <- parse_sets(pairs %||% labels, fit$columns, "pairs")
  if (nrow(pairs) != 2L || any(pairs < 0)) abort("{.arg pairs} must hold pairs of columns.")
  singles <- unique(as.vector(pairs))
  members <- cbind(rbind(singles, -1L), pairs)
  covariance <- histogram_block(fit, members, object$target)
  index <- rbind(
    match(pairs[1, ], singles), match(pairs[2, ], singles),
    length(singles) + seq_len(ncol(pairs))
  )
  share <- set_values(fit, members) / fit$n
  gradient <- matrix(0, length(share), ncol(pairs))
  for (m in seq_len(ncol(pairs))) {
    derivatives <- pair_gradient(share[index[, m]], measure)
    gradient[index[, m], m] <- unlist(derivatives)
  }
  factor <- if (measure == "covariance") unbiased_factor(object$target, fit$n) else 1
  with_labels(
    factor^2 * crossprod(gradient, covariance %*% gradient) / fit$n^2, pairs, fit
  )
}

title_of.rr_association <- function(x) {
  paste0(number_of(nrow(x$pairs), "pair"), " of questions; target: ", x$target)
}

# The measures and the test, within 80 columns. Covariances and the error of Cramer's V are left to
# tidy().
printed_table.rr_association <- function(x, n) {
  keep <- c(
    x = "x", y = "y", correlation = "correlation", std.error = "correlation.error",
    odds.ratio = "odds.ratio", cramers.v = "cramers.v", chisq = "statistic", df = "df",
    p.value = "p.value"
  )
  keep <- keep[keep %in% names(x$pairs)]
  table <- as.data.frame(head(x$pairs[keep], n))
  names(table) <- names(keep)
  attr(table, "total") <- nrow(x$pairs)
  table
}

# ---- associations of columns of reports and numbers ----

#' @rdname rr_association
#' @export
rr_association.data.frame <- function(x, mechanisms, ..., weights = NULL, na.rm = FALSE) {
  check_dots_empty(...)
  check_flag(na.rm, "na.rm")
  check_that(
    is.list(mechanisms) && !is.null(names(mechanisms)) &&
      all(names(mechanisms) %in% names(x)),
    mechanisms, "mechanisms", "a list of mechanisms, named by columns of {.arg x}"
  )
  refuse_validated(mechanisms, "{.fn rr_association}")
  w <- check_weights(weights, nrow(x)) %||% rep(1, nrow(x))
  is_missing <- Reduce(`|`, lapply(x, absent_reports))
  if (any(is_missing) && !na.rm) {
    abort("{.arg x} must not have missing values: row {which(is_missing)[1]} has one.", "missing")
  }
  x <- x[!is_missing, , drop = FALSE]
  w <- w[!is_missing]
  if (sum(w) <= 0 || nrow(x) < 2L) abort("{.arg x} must hold at least two rows.", "empty")
  scores <- lapply(names(x), function(name) {
    association_scores(x[[name]], name, mechanisms[[name]])
  })
  columns <- unlist(lapply(scores, function(score) colnames(score$u)))
  if (length(columns) < 2L) abort("Association needs at least two columns.")
  pairs <- pair_index(length(scores))
  weights <- list(
    w = w / sum(w),
    squares = (w / sum(w))^2,
    equal = all(w == w[1])
  )
  tables <- Map(
    function(i, j) paired_scores(scores[[i]], scores[[j]], weights),
    pairs$i, pairs$j
  )
  table <- as_tibble(
    lapply(setNames(nm = names(tables[[1]])), function(name) {
      unlist(lapply(tables, `[[`, name), use.names = FALSE)
    })
  )
  table <- table[
    order(match(table$x, columns), match(table$y, columns)),
  ]
  new_rr_association(table, NULL, "population", 0.95, nrow(x))
}

# The measures of two columns. Rows that say the same of both are one row, with the sums of their
# weights and of the squares of these.
paired_scores <- function(first, second, weights) {
  n_cells <- nrow(first$u) * nrow(second$u)
  w <- weights$w
  squares <- weights$squares
  index <- list(first$codes, second$codes)
  if (n_cells <= length(w)) {
    cell <- index[[1]] + nrow(first$u) * (index[[2]] - 1L)
    times <- tabulate(cell, n_cells)
    present <- which(times > 0)
    index <- list(
      (present - 1) %% nrow(first$u) + 1,
      (present - 1) %/% nrow(first$u) + 1
    )
    sums <- if (weights$equal) {
      outer(times[present], c(w[1], squares[1]))
    } else {
      rowsum(cbind(w, squares), cell)
    }
    w <- sums[, 1]
    squares <- sums[, 2]
  }
  of <- rep(
    1:2, c(ncol(first$u), ncol(second$u))
  )
  score_associations(
    cbind(
      first$u[index[[1]], , drop = FALSE],
      second$u[index[[2]], , drop = FALSE]
    ),
    of, c(first$randomized, second$randomized)[of], w, squares
  )
}

# A column as unbiased scores of the truth's indicators: a row for each different value, and
# `codes`, the row of each respondent.
association_scores <- function(x, name, mechanism) {
  if (is.null(mechanism)) {
    if (is.logical(x)) x <- as.integer(x)
    check_that(
      is.numeric(x) && !is.object(x) && all(is.finite(x)), x, name,
      "finite numbers, or have a mechanism"
    )
    values <- unique(as.double(x))
    return(list(
      u = matrix(values, dimnames = list(NULL, name)),
      codes = match(x, values),
      randomized = FALSE
    ))
  }
  check_mechanism(mechanism, name)
  # Reports that are no single value are all treated as different.
  single <- is.atomic(x) && is.null(dim(x)) && !inherits(x, "rr_reports")
  codes <- if (single) match(x, unique(x)) else seq_len(report_number(x))
  u <- score_reader(mechanism, name)(if (single) unique(x) else x)
  if (is_yes_no(mechanism)) u <- u[, 2, drop = FALSE]
  colnames(u) <- if (ncol(u) == 1L) {
    name
  } else {
    paste(name, mechanism$levels, sep = "=")
  }
  list(u = u, codes = codes, randomized = TRUE)
}

# The measures of all pairs of columns of different questions. `w` adds up to 1; `squares` are the
# squared weights of respondents. `of` is the question of each column.
score_associations <- function(u, of, randomized, w, squares) {
  moments <- pair_moments(u, randomized, w)
  pairs <- pair_index(ncol(u))
  keep <- of[pairs$i] != of[pairs$j]
  i <- pairs$i[keep]
  j <- pairs$j[keep]
  values <- Map(
    function(i, j) score_association(i, j, moments, w, squares), i, j
  )
  measures <- lapply(setNames(nm = names(values[[1]])), function(name) {
    vapply(values, `[[`, 0, name)
  })
  columns <- colnames(u)
  c(
    list(x = columns[i], y = columns[j]), measures,
    list(
      df = rep(1, length(i)),
      p.value = pchisq(measures$statistic, 1, lower.tail = FALSE)
    )
  )
}

# The moments of columns of scores:
#   centred           the scores less their means
#   sample_variance   the variances of the scores
#   variance          those of the truths, mean (1 - mean) if a column is randomized; NA if not
#                     above 0
#   variance_terms    what each respondent adds to `variance`
pair_moments <- function(u, randomized, w) {
  mean <- colSums(u * w)
  centred <- u - rep(mean, each = nrow(u))
  sample_variance <- colSums(centred^2 * w)
  variance_terms <- centred^2 - rep(sample_variance, each = nrow(u))
  slope <- (1 - 2 * mean)[randomized]
  variance_terms[, randomized] <- rep(slope, each = nrow(u)) * centred[, randomized]
  variance <- ifelse(randomized, mean * (1 - mean) * varies(mean), sample_variance)
  list(
    centred = centred,
    sample_variance = sample_variance,
    variance = positive_or_na(variance),
    variance_terms = variance_terms
  )
}

# A variance that is not above 0 has no correlation.
positive_or_na <- function(variance) ifelse(variance > 0, variance, NA_real_)

# The covariance and correlation of the truths of columns i and j with their standard errors, and
# the statistic of no association.
score_association <- function(i, j, moments, w, squares) {
  variance <- moments$variance
  effective_n <- 1 / sum(squares)
  product <- moments$centred[, i] * moments$centred[, j]
  covariance <- sum(w * product)
  slope <- product - covariance
  scale <- sqrt(variance[i] * variance[j])
  rho <- covariance / scale
  relative <- moments$variance_terms[, i] / variance[i] +
    moments$variance_terms[, j] / variance[j]
  influence <- slope / scale - rho / 2 * relative
  sample_variances <- moments$sample_variance[i] * moments$sample_variance[j]
  list(
    covariance = covariance * effective_n / (effective_n - 1),
    covariance.error = sqrt(sum(squares * slope^2)) * effective_n / (effective_n - 1),
    correlation = rho,
    correlation.error = sqrt(sum(squares * influence^2)),
    statistic = effective_n * covariance^2 / positive_or_na(sample_variances)
  )
}

# The measure that methods have by default. Correlations are for yes/no questions; if other
# questions are among them, Cramer's V is there for every pair.
default_measure <- function(pairs) {
  correlation <- pairs[["correlation"]]
  v <- pairs[["cramers.v"]]
  other <- is.null(correlation) || any(is.na(correlation) & !is.na(v))
  if (other) "cramers.v" else "correlation"
}
