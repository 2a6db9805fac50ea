#' Multinomial and ordinal regression with randomized answers
#'
#' `rr_multinom()` models the truth of one question, or of several together, given covariates: by a multinomial logit or, for ordered categories, a cumulative logit. It is
#' fitted to the *reports* by maximum likelihood, through any channel of full row rank.
#'
#' With \eqn{\theta_k(x)} the share of truth \eqn{k} among respondents with covariates \eqn{x} and \eqn{C} the channel, the report \eqn{y} has probability
#' \eqn{\sum_k \theta_k(x) C_{ky}}{sum of theta_k(x) C[k, y]}. The models of \eqn{\theta} are
#'
#' * `"multinomial"`: \eqn{\log(\theta_k / \theta_1) = x^T \beta_k}{log(theta_k / theta_1) = x'b_k}, with the first level of the mechanism as the baseline;
#' * `"cumulative"`: \eqn{\log\{P(\le k) / P(> k)\} = \alpha_k - x^T \beta}{log(P(<= k) / P(> k)) = alpha_k - x'b}, proportional odds as in `MASS::polr()`.
#'   A positive coefficient moves the truth towards later levels.
#'
#' The coefficients maximize \eqn{\sum_i \log \sum_k \theta_k(x_i) C_{k y_i}}{the sum over i of log(sum of theta_k(x_i) C[k, y_i])}. Their variance is the inverse of the observed information, the negative
#' second derivatives of this sum, as for [rr_glm()]; `system.file("mathematics", "regression.md", package = "candor")` has them.
#'
#' The likelihood is not concave. Newton's method starts at `starts` fixed points, without random numbers, and the fit is the highest maximum found. Warnings say that another maximum
#' lies within 2 units of log-likelihood, or that the likelihood is largest at infinity. In the latter case coefficients are `Inf`, `-Inf`, or `NA` if their sign is not determined.
#'
#' A column of covariates that the others determine has the coefficient `NA`, as in [stats::glm()], and a message names it.
#'
#' @param formula The reports to the left, covariates to the right: `answer ~ age + sex`, or their counts in a column for each report, `cbind(low, middle, high) ~ age + sex`. For a
#'   [rr_product()] mechanism and for a tally one-sided, `~ age + sex`: the questions are columns of `data` found by their names. Columns of counts with the labels of the reports may stand in any
#'   order; other names are taken in the order of the reports, with a message.
#' @param data A data frame, a survey design (see [rr_glm()]), or a tally by groups ([rr_tally()] with `by`), whose groups are the covariates. Labelled columns ('haven') are read by their
#'   labels, see [rr_glm()].
#' @param mechanism How the answers were randomized: any mechanism with a matrix of full row rank, at most 200 truths. Not needed for a tally.
#' @param type For `rr_multinom()`: `"multinomial"` (default) or `"cumulative"`. The latter needs ordered levels of the mechanism, an ordered factor or numbers; otherwise a message says which
#'   order is used. For `predict()`: see the value.
#' @param weights,subset,na.action As in [stats::glm()]; the column of weights may also be named, as `"w"` or `~ w`. Weights are frequencies.
#'   For sampling weights give a design as `data`, or use `vcov(fit, type = "sandwich")`; weights that are not whole give a message. A weighted tally counts with its effective number of respondents.
#' @param starts Number of starting points, a whole number of at least 1; default 5.
#' @param object,x A fit of `rr_multinom()`.
#' @param newdata A data frame with the covariates, for `"posterior"` also with the reports; default the data of the fit.
#' @param se.fit Logical, default `FALSE`. Return standard errors?
#' @param ... Not used; `rr_multinom()` refuses further arguments.
#' @return An object of class `c("rr_multinom", "rr_regression")`, with the methods of [regression_methods] and
#'
#'   * `coef()`: `"multinomial"`: a matrix with a row per level but the first and a column per term; `"cumulative"`: a vector, the \eqn{K - 1} thresholds
#'     (`low|middle`) first.
#'   * `predict()`: a matrix with one row per row of data.
#'   * type `"truth"` (default), `"report"`: the share of each true category, or of each report, given the covariates.
#'   * type `"posterior"`: the probability of each truth given covariates *and* report.
#'   * type `"class"`: the most probable truth given the covariates, a factor.
#'   * with `se.fit = TRUE`: for `"truth"` and `"report"` a list of `fit` and `se.fit`, by the delta method.
#'   * `augment()`: the data with `.truth.<level>`, `.posterior.<level>` and `.class`.
#' @section Errors and warnings:
#' Errors: `candor_error_argument`, `candor_error_level`, `candor_error_no_information` (linearly dependent rows of the channel), `candor_error_law` (reports that are bits or sets),
#' `candor_error_impossible`, `candor_error_mismatch` (order of an ordered factor). Warnings: `candor_warning_infinite`, `candor_warning_maxima`, `candor_warning_not_converged`.
#' See [candor_conditions].
#' @references van den Hout, A., van der Heijden, P. G. M. and Gilchrist, R. (2007). The logistic regression model with response variables subject to
#'   randomized response. *Computational Statistics & Data Analysis* 51, 6060-6069. \doi{10.1016/j.csda.2006.12.002}
#'
#'   Magder, L. S. and Hughes, J. P. (1997). Logistic regression when the outcome is measured with uncertainty. *American Journal of Epidemiology*
#'   146, 195-203. \doi{10.1093/oxfordjournals.aje.a009251}
#'
#'   McCullagh, P. (1980). Regression models for ordinal data. *Journal of the Royal Statistical Society B* 42, 109-142.
#'   \doi{10.1111/j.2517-6161.1980.tb01109.x}
#'
#'   Geyer, C. J. (2009). Likelihood inference in exponential families and directions of recession. *Electronic Journal of Statistics* 3, 259-289.
#'   \doi{10.1214/08-EJS349} (estimates at infinity)
#' @seealso [regression_methods] for the methods, [rr_predictor()] for the randomized answer as a covariate, [rr_loglinear()] for several questions without covariates.
#' @concept multinomial logit
#' @concept rrLogit
#' @concept proportional odds
#' @concept ordinal regression
#' @examples
#' # How does cheating depend on semester and gender?
#' people <- exam_simulated
#' often <- rr_grr(levels(people$cheating), p = 0.8)
#' fit <- rr_multinom(cheating ~ semester + female, people, often)
#' tidy(fit, conf.int = TRUE)
#' predict(fit, data.frame(semester = c(1, 8), female = 1))
#' # Among women, cheating often rises from 8% in semester 1 to 23% in
#' # semester 8
#'
#' # The levels have an order: does one slope per covariate suffice?
#' frequencies <- c("never", "once", "often")
#' ordered_often <- rr_grr(ordered(frequencies, frequencies), p = 0.8)
#' cumulative <- rr_multinom(cheating ~ semester + female, people,
#'                           ordered_often, type = "cumulative")
#' AIC(fit, cumulative)
#' # Yes: its AIC is smaller
#' @export
rr_multinom <- function(
  formula,
  data = NULL,
  mechanism = NULL,
  type = c("multinomial", "cumulative"),
  weights = NULL,
  subset = NULL,
  na.action = NULL,
  starts = 5,
  ...
) {
  check_dots_empty(...)
  call <- match.call()
  type <- check_choice(type)
  starts <- check_starts(starts)
  design <- given_design(data, call)
  rows <- multinom_rows(
    design_call(call, design), formula, design$variables %||% data, mechanism, parent.frame()
  )
  scale <- design_scale(design, rows$weights)
  rows$weights <- rows$weights * scale
  refuse_study_beside(list(rows$mechanism), "{.fn rr_multinom}", c(
    `several questions` = !is.null(rows$mechanism$questions)
  ))
  if (!is.null(rows$respondents) && !is.null(design)) {
    abort("{.arg formula} must not have counts in a survey design: a row is a respondent.")
  }
  if (type == "cumulative") check_cumulative_order(rows)
  if (is.null(rows$respondents) && is.null(design)) tell_sampling_weights(rows$weights)
  likelihood <- if (type == "cumulative") cumulative_model else multinomial_model
  model <- likelihood(rows)
  check_enough_rows(sum(rows$weights > 0), model$size)
  fit <- fit_likelihood(model, starts, answers_doubt(rows, design), unit = model$unit)
  fit <- new_rr_multinom(fit, model, rows, type, call)
  with_study_limit(with_design(fit, design, scale, function(w) {
    climb_replicate(suppressMessages(likelihood(rows, w * scale)), fit$b)
  }))
}

new_rr_multinom <- function(fit, model, rows, type, call) {
  fit$coefficients <- spread_coefficients(fit$coefficients, model$all_names)
  structure(
    c(
      fit, rows[c("weights", "mechanism", "frame", "terms", "xlevels", "contrasts", "response")],
      list(
        n = rows$respondents %||% sum(rows$weights > 0),
        is_counted = !is.null(rows$respondents),
        type = type,
        call = call,
        model = c(
          model[c("x", "columns", "truths", "expected")], rows[c("codes", "channel")]
        ),
        title = paste(
          if (type == "cumulative") "Cumulative" else "Multinomial", "logit of the truth"
        )
      )
    ),
    class = c("rr_multinom", "rr_regression")
  )
}

# Are the reports unlikely whatever the truth? Weights of a survey count with the number of
# respondents that they are worth.
answers_doubt <- function(rows, design) {
  counts <- report_totals(rows$codes, rows$weights, length(rows$mechanism$reports))
  worth <- if (is.null(design)) {
    1
  } else {
    sum(rows$weights) / sum(rows$weights^2)
  }
  # Less than one respondent contradicts nothing; much less is no count.
  sum(counts) * worth >= 1 && reports_contradict(rows$mechanism, counts * worth)
}

report_totals <- function(codes, weights, reports) {
  vapply(seq_len(reports), function(code) sum(weights[codes == code]), 0)
}

# Codes of the reports and the design matrix: reports are a tally, a column, or a column for each
# question.
multinom_rows <- function(call, formula, data, mechanism, where) {
  read <- if (inherits(data, "rr_tally")) tallied_answers else {
    check_mechanism(mechanism)
    check_class(data, "data", "data.frame", "a data frame, or a tally by groups")
    joint <- !is.null(mechanism$questions) && inherits(formula, "formula") && length(formula) == 2L
    if (joint) joint_answers else single_answers
  }
  rows <- read(call, formula, data, mechanism, where)
  attr(rows$frame, "terms") <- rows$terms
  channel <- unname(identified_channel(rows$mechanism))
  if (nrow(channel) > 200) abort("{.arg mechanism} must have at most 200 truths for a regression.")
  check_possible(rows$codes, channel, rows$mechanism, rows$response)
  x <- model.matrix(rows$terms, rows$frame)
  if (!ncol(x)) abort("{.arg formula} must have an intercept or a covariate.")
  c(rows, list(x = x, weights = frame_weights(rows$frame), channel = channel,
               xlevels = .getXlevels(rows$terms, rows$frame), contrasts = attr(x, "contrasts")))
}

single_answers <- function(call, formula, data, mechanism, where) {
  frame <- regression_frame(call, check_formula(formula), data, where, all.vars(formula[[2]]))
  name <- deparse1(formula[[2]])
  if (is.matrix(model.response(frame))) return(counted_answers(frame, mechanism, name))
  list(frame = frame, terms = attr(frame, "terms"), mechanism = mechanism, response = name,
       codes = report_codes(model.response(frame), mechanism, name))
}

# Counts in a column for each report are rows of the reports, with their counts as weights.
counted_answers <- function(frame, mechanism, name) {
  counts <- model.response(frame)
  reports <- mechanism$reports
  check_that(
    is.numeric(counts) && ncol(counts) == length(reports) && all(counts >= 0 & is.finite(counts)),
    counts, "response", "one vector of reports, or their counts in a column for each report"
  )
  is_label <- colnames(counts) %in% reports
  if (any(is_label) && !setequal(colnames(counts), reports)) {
    abort(c(
      "Columns of counts must be called {format_labels(reports)}.",
      x = "One is called {.val {colnames(counts)[!is_label][1]}}."
    ), "level")
  }
  if (any(is_label)) {
    counts <- counts[, reports, drop = FALSE]
  } else {
    cli::cli_inform(
      "The columns of {.code {name}} are taken to be {format_labels(reports)}, in this order.",
      class = "candor_message_dimensions"
    )
  }
  weights <- frame_weights(frame) * counts
  tell_sampling_weights(weights)
  codes <- as.vector(col(counts))
  terms <- delete.response(attr(frame, "terms"))
  frame <- frame[as.vector(row(counts)), , drop = FALSE]
  frame[[1]] <- factor(reports[codes], reports)
  names(frame)[1] <- ".report"
  frame[["(weights)"]] <- as.vector(weights)
  list(
    frame = frame,
    terms = terms,
    mechanism = mechanism,
    response = name,
    codes = codes,
    respondents = round(sum(weights))
  )
}

# The questions of a product are columns of the data; they ride along so that `subset` and missing
# values keep rows together.
joint_answers <- function(call, formula, data, mechanism, where) {
  questions <- names(mechanism$questions)
  check_columns(questions, data, "mechanism")
  check_joint(mechanism)
  covariate_terms_of <- terms(formula, data = data[setdiff(names(data), questions)])
  wide <- update(formula(covariate_terms_of), reformulate(c(".", sprintf("`%s`", questions))))
  frame <- regression_frame(call, wide, data, where, questions)
  codes <- product_codes(frame, mechanism)
  frame_terms <- terms(model.frame(covariate_terms_of, data, na.action = na.pass))
  list(
    frame = frame,
    terms = structure(frame_terms, .Environment = environment(wide)),
    mechanism = mechanism,
    response = paste(questions, collapse = ", "),
    codes = codes
  )
}

# A tally is rows of its reports, with their counts as weights.
tallied_answers <- function(call, formula, tally, mechanism, where) {
  if (!is.null(mechanism) && !same_mechanism(mechanism, tally$mechanism)) {
    abort("{.arg mechanism} must be that of the tally.", "mismatch")
  }
  if (length(check_formula(formula, FALSE)) == 3L || !is.null(call$subset)) {
    abort(
      paste(
        "A tally needs a one-sided {.arg formula} and no {.arg subset}:",
        "its reports are counted already."
      )
    )
  }
  mechanism <- tally$mechanism
  # Weighted reports are worth their effective number, as everywhere.
  counts <- sweep(as.matrix(tally$counts), 2, tally$effective_n / tally$n, `*`)
  reports <- factor(rep(mechanism$reports, ncol(counts)), mechanism$reports)
  data <- as.data.frame(c(list(.report = reports, .count = as.vector(counts)),
                          lapply(as.list(tally$groups), rep, each = nrow(counts))), optional = TRUE)
  call$weights <- quote(.count)
  frame <- regression_frame(call, report_formula(formula), data, where, ".report")
  list(
    frame = frame,
    terms = delete.response(attr(frame, "terms")),
    mechanism = mechanism,
    response = paste("tally of", format_labels(mechanism$reports)),
    codes = match(model.response(frame), mechanism$reports),
    respondents = respondent_number(tally)
  )
}

product_codes <- function(frame, mechanism) {
  questions <- mechanism$questions
  codes <- Map(
    function(name, question) report_codes(frame[[name]], question, name), names(questions),
    questions
  )
  strides <- cumprod(c(1, mechanism$report_sizes))[seq_along(codes)]
  as.integer(
    Reduce(
      `+`, Map(function(code, stride) (code - 1) * stride, codes, strides)
    ) + 1
  )
}

# The order of a cumulative logit is that of the mechanism. Answers with another order contradict
# it; where nothing says that there is an order, the reader is told which one was taken.
check_cumulative_order <- function(rows) {
  levels <- rows$mechanism$levels
  if (length(levels) < 3L || !"(Intercept)" %in% colnames(rows$x)) {
    abort("A cumulative logit needs at least 3 categories and a formula with an intercept.")
  }
  answers <- model.response(rows$frame)
  has_order_itself <- is.ordered(answers) && identical(levels, rows$mechanism$reports)
  if (has_order_itself) {
    check_same_order(
      answers, match_labels(levels(answers), rows$mechanism), rows$mechanism, TRUE, "the answers"
    )
  }
  if (has_order_itself || has_order(rows$mechanism)) return(invisible())
  cli::cli_inform(
    "The order of the answers is taken to be {format_labels(levels, between = ' < ')}.",
    class = "candor_message_order"
  )
}

# ---- the two likelihoods ----

# The likelihood of a multinomial logit. Its further fields are `truths(b, x)`, the shares of the
# truths at the reported parameters b in rows of x, with slope(j), the derivative of the share of
# truth j by the linear predictors, and expand(), derivatives by b from derivatives by the linear
# predictors; and `expected(b)`, the expected information. The coordinates are those of the weights
# of the rows, whatever the `weights` of the likelihood.
multinomial_model <- function(rows, weights = rows$weights) {
  levels <- rows$mechanism$levels
  keep <- independent_columns(rows$x, rows$weights)
  x <- rows$x[, keep, drop = FALSE]
  same <- answer_rows(rows, x, weights)
  basis <- orthogonal_columns(same$x, same$basis_weights)
  # The pass over the rows is the one thing that a fit waits for: src/core/regress/category.c.
  pass <- function(x, b, kind) {
    .Call(C_rr_category, x, same$codes, same$weights, same$channel, b, kind)
  }
  predictors <- function(b) cbind(0, basis$z %*% matrix(b, ncol(x)))
  name <- function(terms) {
    as.vector(t(outer(levels[-1], terms, paste, sep = ":")))
  }
  model <- new_likelihood(
    names = name(colnames(x)),
    evaluate = function(b, need) {
      state <- pass(basis$z, b, 0L)
      list(value = state$loglik, gradient = state$score, observed = state$information,
           fallback = if (need == 2L) pass(basis$z, b, 1L)$information)
    },
    predictors = predictors,
    to = kronecker(diag(length(levels) - 1L), basis$back),
    total = sum(same$weights),
    start = constant_start(
      basis$z, same$weights, start_shares(same$codes, same$weights, same$channel)
    ),
    unbounded = function(b, N) truth_distances(predictors, b, N)
  )
  c(model, list(
    unit = same$unit,
    all_names = name(colnames(rows$x)),
    columns = colnames(rows$x),
    x = x,
    truths = multinomial_parts,
    expected = function(b) pass(same$x, b, 2L)$information * same$unit
  ))
}

# The likelihood is of the distinct rows of the columns `x` and the reports. Their basis is that of
# the weights of the rows, whatever the `weights` of the likelihood.
answer_rows <- function(rows, x, weights) {
  x <- unname(x)
  columns <- c(
    lapply(seq_len(ncol(x)), function(j) x[, j]),
    list(rows$codes)
  )
  same <- distinct_rows(columns, weights)
  c(same, list(
    x = x[same$first, , drop = FALSE],
    codes = rows$codes[same$first],
    channel = rows$channel,
    basis_weights = as.vector(rowsum(rows$weights, same$index))
  ))
}

multinomial_parts <- function(b, x) {
  p <- ncol(x)
  eta <- x %*% matrix(b, p)
  top <- pmax(
    0, eta[cbind(seq_len(nrow(eta)), max.col(eta, "first"))]
  )
  theta <- cbind(exp(-top), exp(eta - top))
  theta <- theta / rowSums(theta)
  slope <- function(j) {
    derivative <- -theta[, j] * theta[, -1, drop = FALSE]
    if (j > 1) {
      derivative[, j - 1] <- derivative[, j - 1] + theta[, j]
    }
    derivative
  }
  m <- ncol(theta) - 1L
  expand <- function(s) {
    s[, rep(seq_len(m), each = p), drop = FALSE] *
      x[, rep(seq_len(p), m), drop = FALSE]
  }
  list(theta = theta, slope = slope, expand = expand)
}

# Coefficients of orthogonal columns for constant shares: the linear predictors come nearest to
# their logits.
constant_start <- function(z, weights, shares) {
  as.vector(
    outer(
      colSums(z * weights) / sum(weights),
      log(shares[-1] / shares[1])
    )
  )
}

# The shares without covariates, kept off the boundary.
start_shares <- function(codes, weights, channel) {
  counts <- report_totals(codes, weights, ncol(channel))
  shares <- pmax(
    drop(counts %*% unbiased_matrix(channel)) / max(sum(counts), 1e-300),
    0.05 / nrow(channel)
  )
  shares / sum(shares)
}

# Scores of rows with these codes of reports.
report_scores <- function(truths, channel, codes) {
  p_report <- t(channel[, codes])
  slopes <- Reduce(
    `+`,
    lapply(seq_len(ncol(p_report)), function(j) {
      truths$slope(j) * p_report[, j]
    })
  )
  truths$expand(slopes / rowSums(truths$theta * p_report))
}

# The coordinates are the thresholds at the mean of the columns, as ordered_thresholds() reads them,
# and slopes of orthogonal columns.
cumulative_model <- function(rows, weights = rows$weights) {
  levels <- rows$mechanism$levels
  columns <- colnames(rows$x) != "(Intercept)"
  keep <- intersect(independent_columns(rows$x, rows$weights), which(columns))
  x <- rows$x[, keep, drop = FALSE]
  k <- seq_len(length(levels) - 1L)
  same <- answer_rows(rows, x, weights)
  basis <- centred_columns(same$x, same$basis_weights, k)
  to <- basis$back
  first <- qlogis(
    cumsum(start_shares(same$codes, same$weights, same$channel))[k]
  )
  thresholds <- paste(levels[k], levels[-1], sep = "|")
  model <- new_likelihood(
    names = c(thresholds, colnames(x)),
    evaluate = function(b, need) cumulative_value(same, basis$z, b, need),
    reach = function(step) {
      max(abs(step[k])) +
        max(0, abs(basis$z %*% step[-k]))
    },
    natural = function(b) drop(to %*% ordered_thresholds(b, k)),
    slope = function(b) to %*% threshold_slopes(b, k),
    unbounded = function(b, N) cumulative_distances(basis$z, k, b, N),
    total = sum(same$weights),
    start = c(
      first[1], log(diff(first)), numeric(ncol(x))
    )
  )
  c(model, list(
    unit = same$unit,
    all_names = c(thresholds, colnames(rows$x)[columns]),
    columns = colnames(rows$x)[columns],
    x = x,
    truths = cumulative_truths,
    expected = function(b) expected_information(same, b, same$x) * same$unit
  ))
}

# Orthogonal columns of what is left of the mean, and the way `back` of thresholds at the mean, in
# the places `k`, and their slopes.
centred_columns <- function(x, weights, k) {
  middle <- colSums(x * weights) / sum(weights)
  basis <- orthogonal_columns(x - rep(middle, each = nrow(x)), weights)
  back <- block_diagonal(list(diag(length(k)), basis$back))
  back[k, -k] <- rep(middle %*% basis$back, each = length(k))
  list(z = basis$z, back = back)
}

# Thresholds stay in order by the logarithms of their distances; their derivatives in these.
ordered_thresholds <- function(b, k) {
  c(
    cumsum(c(b[1], exp(b[k[-1]]))),
    b[-k]
  )
}

threshold_slopes <- function(b, k) {
  slopes <- diag(length(b))
  for (j in k[-1]) {
    # Squares of larger slopes overflow, and a threshold at infinity would pass for a number.
    slopes[j:length(k), j] <- exp(min(b[j], 200))
  }
  slopes[k, 1] <- 1
  slopes
}

cumulative_value <- function(rows, z, b, need) {
  k <- seq_len(nrow(rows$channel) - 1L)
  state <- cumulative_pass(rows, ordered_thresholds(b, k), z, need)
  if (need == 0L) return(state)
  slopes <- threshold_slopes(b, k)
  bent <- c(
    0,
    exp(b[k[-1]]) *
      rev(cumsum(rev(state$gradient[k])))[-1],
    numeric(ncol(z))
  )
  observed <- crossprod(slopes, state$observed %*% slopes) - diag(bent)
  # Logarithms of distances may overflow far out.
  if (!all(is.finite(observed))) return(list(value = -Inf))
  fallback <- if (need == 2L) {
    crossprod(slopes, expected_information(rows, ordered_thresholds(b, k), z) %*% slopes)
  }
  list(
    value = state$value,
    gradient = drop(crossprod(slopes, state$gradient)),
    observed = observed,
    fallback = fallback
  )
}

# Thresholds in rows, and distances that go to 0: a category without respondents.
cumulative_distances <- function(z, k, b, N) {
  thresholds <- function(v) {
    as.vector(outer(-drop(z %*% v[-k]), v[k], `+`))
  }
  close <- k[-1][b[k[-1]] < 0]
  moves <- threshold_slopes(b, k) %*% N
  list(
    eta = c(thresholds(ordered_thresholds(b, k)), b[close]),
    move = rbind(
      vapply(
        seq_len(ncol(N)), function(j) thresholds(moves[, j]),
        numeric(nrow(z) * length(k))
      ),
      N[close, , drop = FALSE]
    )
  )
}

# Shares of the categories, F(a_k) - F(a_{k-1}) = F(a_k) F(-a_{k-1}) (1 - exp(a_{k-1} - a_k))
# without cancellation, and the logistic density and its slope at each threshold.
cumulative_truths <- function(b, x) {
  m <- length(b) - ncol(x)
  alpha <- b[seq_len(m)]
  a <- outer(-drop(x %*% b[-seq_len(m)]), alpha, `+`)
  below <- plogis(a)
  above <- plogis(-a)
  middle <- below[, -1, drop = FALSE] * above[, -m, drop = FALSE] *
    rep(-expm1(-diff(alpha)), each = nrow(a))
  density <- below * above
  slope <- function(j) {
    derivative <- 0 * density
    if (j <= m) derivative[, j] <- density[, j]
    if (j > 1) derivative[, j - 1] <- -density[, j - 1]
    derivative
  }
  list(
    theta = cbind(below[, 1], middle, above[, m]),
    density = density,
    bend = density * (above - below),
    slope = slope,
    expand = function(s) cbind(s, -rowSums(s) * x)
  )
}

# Log-likelihood, score and minus the Hessian in thresholds and slopes.
cumulative_pass <- function(rows, b, x, need) {
  m <- nrow(rows$channel) - 1L
  w <- rows$weights
  truths <- cumulative_truths(b, x)
  p_report <- t(rows$channel[, rows$codes])
  seen <- rowSums(truths$theta * p_report)
  value <- sum((w * log(seen))[w > 0])
  if (need == 0L) return(list(value = value))
  g <- (p_report[, -m - 1L, drop = FALSE] -
    p_report[, -1, drop = FALSE]) / seen
  s <- truths$density * g
  # The information is the sum of w (s s' - diag(bent)), with derivatives by the linear predictors.
  bent <- truths$bend * g
  row <- s * rowSums(s) - bent
  side <- -crossprod(row * w, x)
  top <- crossprod(s * w, s) - diag(colSums(w * bent), m)
  list(
    value = value,
    gradient = colSums(w * truths$expand(s)),
    observed = rbind(
      cbind(top, side),
      cbind(t(side), crossprod(x * (w * rowSums(row)), x))
    )
  )
}

expected_information <- function(rows, b, x) {
  truths <- cumulative_truths(b, x)
  reports <- truths$theta %*% rows$channel
  Reduce(`+`, lapply(seq_len(ncol(reports)), function(y) {
    s <- report_scores(truths, rows$channel, rep(y, nrow(x)))
    crossprod(s * (rows$weights * reports[, y]), s)
  }))
}

# ---- what is read off a fit ----

#' @export
coef.rr_multinom <- function(object, ...) {
  if (object$type == "cumulative") return(object$coefficients)
  matrix(object$coefficients, length(object$mechanism$levels) - 1L, byrow = TRUE,
         dimnames = list(object$mechanism$levels[-1], object$model$columns))
}

regression_expected.rr_multinom <- function(fit) fit$model$expected(fit$estimate)

fitted_truths <- function(fit) {
  fit$model$truths(fit$estimate, unname(fit$model$x))
}

regression_scores.rr_multinom <- function(fit) {
  fit$weights * report_scores(fitted_truths(fit), fit$model$channel, fit$model$codes)
}

possible_reports.rr_multinom <- function(fit) {
  channel <- fit$model$channel
  codes <- fit$model$codes
  truths <- fitted_truths(fit)
  scores <- lapply(seq_len(ncol(channel)), function(y) {
    report_scores(truths, channel, rep(y, length(codes)))
  })
  list(scored_reports(scores, outer(seq_len(ncol(channel)), codes, `==`), channel))
}

regression_reports.rr_multinom <- function(fit) {
  1 * outer(fit$model$codes, seq_along(fit$mechanism$reports), `==`)
}

#' @rdname rr_multinom
#' @export
predict.rr_multinom <- function(
  object, newdata = NULL, type = c("truth", "report", "posterior", "class"), se.fit = FALSE, ...
) {
  type <- check_choice(
    type[1], "type",
    c("truth", "report", if (!check_flag(se.fit, "se.fit")) c("posterior", "class"))
  )
  mechanism <- object$mechanism
  channel <- object$model$channel
  rows <- multinom_newdata(object, newdata, type == "posterior")
  truths <- object$model$truths(object$estimate, rows$x)
  truth <- structure(truths$theta, dimnames = list(rows$names, mechanism$levels))
  if (type == "class") {
    return(factor(mechanism$levels[max.col(truth, "first")], mechanism$levels))
  }
  if (type == "posterior") {
    joint <- truth * t(channel[, rows$codes])
    return(joint / rowSums(joint))
  }
  fit <- if (type == "truth") {
    truth
  } else {
    structure(truth %*% channel, dimnames = list(rows$names, mechanism$reports))
  }
  if (!se.fit) return(fit)
  slopes <- lapply(seq_along(mechanism$levels), function(j) {
    truths$expand(truths$slope(j))
  })
  if (type == "report") {
    slopes <- lapply(seq_len(ncol(channel)), function(y) {
      Reduce(`+`, Map(`*`, slopes, channel[, y]))
    })
  }
  error <- vapply(
    slopes, slope_error, numeric(nrow(fit)),
    if (is.null(object$design)) object$limit else vcov(object)
  )
  list(
    fit = fit,
    se.fit = matrix(error, nrow(fit), dimnames = dimnames(fit))
  )
}

multinom_newdata <- function(object, newdata, reports) {
  if (is.null(newdata)) {
    return(list(
      x = object$model$x,
      codes = object$model$codes,
      names = rownames(object$frame)
    ))
  }
  terms <- covariate_terms(object)
  frame <- newdata_frame(object, terms, newdata, all.vars(terms))
  x <- model.matrix(terms, frame, contrasts.arg = object$contrasts)
  codes <- NULL
  if (reports) {
    joint <- !is.null(object$mechanism$questions) && attr(object$terms, "response") == 0
    needed <- if (joint) {
      names(object$mechanism$questions)
    } else if (attr(object$terms, "response")) {
      all.vars(object$terms[[2]])
    } else {
      object$response
    }
    check_columns(needed, newdata)
    codes <- if (joint) {
      product_codes(newdata, object$mechanism)
    } else {
      report_codes(
        eval(object$terms[[2]], newdata, environment(object$terms)), object$mechanism,
        object$response
      )
    }
  }
  list(
    x = x[, colnames(object$model$x), drop = FALSE],
    codes = codes,
    names = rownames(newdata)
  )
}

# The element `model`, which R would take for the data, holds the likelihood.
#' @export
model.frame.rr_multinom <- function(formula, ...) formula$frame

#' @export
tidy.rr_multinom <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, ...) {
  table <- NextMethod()
  if (x$type == "cumulative") return(table)
  levels <- x$mechanism$levels[-1]
  table$term <- rep(x$model$columns, length(levels))
  add_column(
    table, y.level = rep(levels, each = length(x$model$columns)), .before = 1
  )
}

#' @export
glance.rr_multinom <- function(x, ...) {
  add_column(
    NextMethod(), type = x$type, categories = length(x$mechanism$levels), .before = 1
  )
}

#' @rdname rr_multinom
#' @export
augment.rr_multinom <- function(x, ...) {
  as_tibble(c(
    as.list(x$frame[setdiff(names(x$frame), "(weights)")]),
    prefixed_columns(predict(x), ".truth."),
    prefixed_columns(predict(x, type = "posterior"), ".posterior."),
    list(.class = predict(x, type = "class"))
  ))
}

prefixed_columns <- function(shares, prefix) {
  setNames(as.list(as.data.frame(shares)), sprintf("%s%s", prefix, colnames(shares)))
}

# ---- a channel that a study measured: see regress-study.R ----

channel_slopes.rr_multinom <- function(fit) {
  truths <- fitted_truths(fit)
  channel <- fit$model$channel
  codes <- fit$model$codes
  p_report <- rowSums(truths$theta * t(channel[, codes]))
  score <- report_scores(truths, channel, codes)
  slopes <- lapply(seq_len(nrow(channel)), function(x) {
    # theta[x] s_x is the derivative of theta[x].
    moved <- truths$expand(truths$slope(x)) - truths$theta[, x] * score
    sums_by_report(fit$weights / p_report * moved, codes, ncol(channel))
  })
  list(list(mechanism = fit$mechanism, slopes = slopes))
}
