#' Regression of a randomized answer with several categories
#'
#' The truth of one question, or of several together, given covariates: a multinomial logit or, for ordered categories, a cumulative logit,
#' fitted to the *reports* by maximum likelihood through the mechanism's channel, which need not be square.
#'
#' With \eqn{\theta_k(x)} the share of truth \eqn{k} among respondents with covariates \eqn{x} and \eqn{C} the channel, the report \eqn{y} has probability
#' \eqn{\sum_k \theta_k(x) C_{ky}}{sum of theta_k(x) C[k, y]}. The models of \eqn{\theta} are
#'
#' * `"multinomial"`: \eqn{\log(\theta_k / \theta_1) = x^T \beta_k}{log(theta_k / theta_1) = x'b_k}, the first level of the mechanism being the baseline;
#' * `"cumulative"`: \eqn{\log\{P(\le k) / P(> k)\} = \alpha_k - x^T \beta}{log(P(<= k) / P(> k)) = alpha_k - x'b} (proportional odds, as `MASS::polr()`
#'   writes it: a positive coefficient moves the truth towards the later levels).
#'
#' The likelihood is not concave, since the truth is not observed. It is maximised by Newton's method with step control (the curvature is the variance of
#' the truth given the covariates less that given covariates and report) from `starts` starting points, which are always the same: R's random generator is not used.
#' The fit is the best maximum found, and a warning tells of a second maximum that is nearly as high. Where the likelihood rises for ever, a warning says so: the coefficients
#' concerned are `Inf` or `-Inf` with standard error `NA`, and the other coefficients are those of the limiting model.
#'
#' Missing values are left to `na.action` (by default rows with missing values are dropped, and `print()` shows their number). A column of covariates that the others
#' determine has coefficient `NA`, as in [stats::glm()], and a message names it.
#'
#' @param formula The reports to the left, covariates to the right: `answer ~ age + sex`. For a [rr_product()] mechanism and for a tally one-sided,
#'   `~ age + sex`: the questions are columns of `data` found by their names.
#' @param data A data frame; or a tally by groups ([rr_tally()] with `by`), whose groups are the covariates. Labelled columns ('haven') are taken by their
#'   labels, see [rr_glm()].
#' @param mechanism How the answers were randomised: any mechanism with a matrix of full row rank, at most 200 truths. Not needed for a tally.
#' @param type `"multinomial"` or `"cumulative"`, for which the mechanism should have ordered levels: an ordered factor or numbers. Where it has none, a message says which order was taken.
#' @param weights,subset,na.action As in [stats::glm()], found in `data` first; the column of weights may also be named, as `"w"` or `~ w`. Weights are frequencies.
#'   Of sampling weights take `vcov(fit, type = "sandwich")`; a message says so where weights are not whole. A weighted tally counts with its effective number of respondents.
#' @param start Coefficients to start from, in the order of `vcov()`; by default shares estimated without covariates.
#' @param starts Number of starting points, at least 1.
#' @param ... Not used, and refused by `rr_multinom()`.
#' @return An object of class `c("rr_multinom", "rr_regression")` with the methods
#'   * `coef()`: for `"multinomial"` a matrix with one row per level but the first and one column per term; for `"cumulative"` a vector, the \eqn{K - 1}
#'     thresholds (named as `low|middle`) first;
#'   * `vcov()`, `confint()`, `logLik()`, `nobs()`, `anova()`, `tidy()`, `glance()`, `summary()`: see [rr_regression];
#'   * `predict()`: a matrix with one row per row of data. `"truth"`: the share of each true category given the covariates; `"report"`: of each report;
#'     `"posterior"`: of each truth given covariates *and* report; `"class"`: the most probable truth given the covariates, a factor. With `se.fit = TRUE`
#'     (truth and report) a list of `fit` and `se.fit`, by the delta method;
#'   * `augment()`: the data with `.truth.<level>`, `.posterior.<level>` and `.class`.
#' @section Errors:
#' `candor_error_argument` for formulas (also those with random effects or smooth terms), weights, and fewer rows than coefficients; `candor_error_level` for a report that is not one, with its row;
#' `candor_error_no_information` for a channel whose rows depend on each other; `candor_error_law` for reports that are bits or sets; `candor_error_impossible` for a report that no truth gives; `candor_error_mismatch` for `"cumulative"` and an ordered factor in another order than the mechanism's.
#' Warnings: `candor_warning_infinite`, `candor_warning_maxima`, `candor_warning_not_converged`.
#' @source van den Hout, A., van der Heijden, P. G. M. and Gilchrist, R. (2007). The logistic regression model with response variables subject to
#'   randomized response. *Computational Statistics & Data Analysis* 51, 6060-6069. \doi{10.1016/j.csda.2006.12.002}
#'
#'   Magder, L. S. and Hughes, J. P. (1997). Logistic regression when the outcome is measured with uncertainty. *American Journal of Epidemiology*
#'   146, 195-203. \doi{10.1093/oxfordjournals.aje.a009251}
#'
#'   McCullagh, P. (1980). Regression models for ordinal data. *Journal of the Royal Statistical Society B* 42, 109-142.
#'   \doi{10.1111/j.2517-6161.1980.tb01109.x}
#'
#'   Geyer, C. J. (2009). Likelihood inference in exponential families and directions of recession. *Electronic Journal of Statistics* 3, 259-289.
#'   \doi{10.1214/08-EJS349}, for estimates at infinity.
#' @seealso [rr_predictor()] for the randomized answer as a covariate, [rr_loglinear()] for several questions without covariates.
#' @examples
#' people <- exam_simulated
#' often <- rr_grr(levels(people$cheating), p = 0.8)
#' fit <- rr_multinom(cheating ~ semester + female, people, often)
#' fit
#' tidy(fit, conf.int = TRUE)
#' predict(fit, data.frame(semester = c(1, 8), female = 1))
#' # The levels have an order: one slope a covariate does nearly as well
#' ordered_often <- rr_grr(ordered(levels(people$cheating), c("never", "once", "often")), p = 0.8)
#' cumulative <- rr_multinom(cheating ~ semester + female, people, ordered_often, type = "cumulative")
#' AIC(fit, cumulative)
#' @export
rr_multinom <- function(formula, data, mechanism, type = c("multinomial", "cumulative"), weights = NULL, subset = NULL,
                        na.action = NULL, start = NULL, starts = 5, ...) {
  check_dots_empty(...)
  call <- match.call()
  type <- check_choice(type, "type", c("multinomial", "cumulative"))
  starts <- check_starts(starts)
  rows <- multinom_rows(call, formula, data, if (missing(mechanism)) NULL else mechanism, parent.frame())
  if (type == "cumulative") check_cumulative_order(rows)
  if (!inherits(data, "rr_tally")) tell_sampling_weights(rows$weights)
  model <- category_model(type, rows$x, rows$codes, rows$weights, rows$channel, rows$mechanism$levels)
  fit <- fit_categories(model, start, starts)
  new_rr_multinom(fit, model, rows, type, call)
}

# Codes of the reports and the design matrix, from a data frame or a tally by groups.
multinom_rows <- function(call, formula, data, mechanism, where) {
  if (inherits(data, "rr_tally")) {
    if (!is.null(mechanism) && !same_mechanism(mechanism, data$mechanism)) {
      abort(c("{.arg mechanism} must be that of the tally.", x = "The tally is of: {format(data$mechanism)}.",
              i = "Leave {.arg mechanism} out."), "mismatch")
    }
    mechanism <- data$mechanism
    check_formula(formula, FALSE)
    if (length(formula) == 3L) {
      abort(c("{.arg formula} must be one-sided for a tally: its reports are counted already.",
              i = "Write {.code {deparse1(formula[-2])}}."), "argument")
    }
    cells <- tally_rows(data, ".report")
    cells$data$.count <- cells$counts
    call$weights <- quote(.count)
    frame <- regression_frame(call, formula, cells$data, where)
    codes <- rep_len(seq_along(mechanism$reports), nrow(cells$data))
    dropped <- attr(frame, "na.action")
    if (length(dropped)) codes <- codes[-dropped]
    if (!is.null(call$subset)) abort(c("{.arg subset} is not for a tally.", i = "Tally the rows you want."), "argument")
    rows <- finish_rows(frame, codes, mechanism, paste("tally of", format_labels(mechanism$reports)))
    rows$respondents <- respondent_number(data)
    return(rows)
  }
  check_mechanism(mechanism)
  if (!is.data.frame(data)) {
    abort(c("{.arg data} must be a data frame, or a tally by groups.", x = "It is {describe(data)}."), "argument")
  }
  if (inherits(mechanism, "rr_product") && inherits(formula, "formula") && length(formula) == 2L) {
    return(product_rows(call, formula, data, mechanism, where))
  }
  check_formula(formula)
  check_one_response(formula, mechanism)
  frame <- regression_frame(call, formula, data, where, all.vars(formula[[2]]))
  name <- deparse1(formula[[2]])
  finish_rows(frame, report_codes(stats::model.response(frame), mechanism, name), mechanism, name)
}

# Several questions to the left, as people write them, are found by their names instead.
check_one_response <- function(formula, mechanism) {
  left <- formula[[2]]
  if (inherits(mechanism, "rr_product")) {
    # The joint answer of all questions may be one column.
    if (is.name(left) && !as.character(left) %in% names(mechanism$questions)) return(invisible())
    abort(c("{.arg formula} must have no left side for several questions.", x = "It has {.code {deparse1(left)}}.",
            i = "Write {.code {deparse1(formula[-2])}}: the questions are columns of {.arg data}, found by name.",
            i = "They are {format_labels(names(mechanism$questions))}."), "argument")
  }
  several <- is.call(left) && is.name(left[[1]]) && as.character(left[[1]]) %in% c("cbind", "+", "list", "data.frame")
  names <- all.vars(left)
  if (!several || length(names) < 2L) return(invisible())
  product <- paste(names, "= ", collapse = ", ")
  abort(c("{.arg formula} must have one question to the left.", x = "It has {.code {deparse1(left)}}.",
          i = "Several questions are a {.fn rr_product}, and have no left side:",
          i = "{.code rr_multinom({deparse1(formula[-2])}, data, rr_product({product}))}."), "argument")
}

# The questions of a product are columns of the data; they ride along so that `subset` and missing values keep rows
# together.
product_rows <- function(call, formula, data, mechanism, where) {
  questions <- names(mechanism$questions)
  absent <- setdiff(questions, names(data))
  if (length(absent)) {
    near <- nearest_label(absent[1], names(data))
    abort(c("{.arg data} must have a column for each question.", x = "There is none called {.val {absent[1]}}.",
            i = if (!is.na(near)) "Did you mean {.val {near}}?", i = "The columns are {format_labels(names(data))}."),
          "argument")
  }
  check_joint(mechanism)
  terms <- stats::terms(formula, data = data[setdiff(names(data), questions)])
  wide <- stats::reformulate(c(attr(terms, "term.labels"), sprintf("`%s`", questions)))
  environment(wide) <- environment(formula)
  frame <- regression_frame(call, wide, data, where, questions)
  codes <- Map(function(name, question) report_codes(frame[[name]], question, name), questions, mechanism$questions)
  strides <- cumprod(c(1, mechanism$report_sizes))[seq_along(codes)]
  joint <- Reduce(`+`, Map(function(code, stride) (code - 1) * stride, codes, strides)) + 1
  attr(frame, "terms") <- structure(stats::terms(stats::model.frame(terms, data[0, , drop = FALSE])),
                                    .Environment = environment(formula))
  finish_rows(frame, as.integer(joint), mechanism, paste(questions, collapse = ", "))
}

finish_rows <- function(frame, codes, mechanism, name) {
  channel <- identified_channel(mechanism)
  if (nrow(channel) > 200) {
    abort(c("{.arg mechanism} has too many truths for a regression.", x = "It has {nrow(channel)}; the limit is 200."),
          "argument")
  }
  check_possible(codes, channel, mechanism, name)
  terms <- attr(frame, "terms")
  x <- stats::model.matrix(terms, frame)
  bad <- which(!is.finite(x))
  if (length(bad)) abort(c("Covariates must be finite.", x = "{.val {colnames(x)[(bad[1] - 1) %/% nrow(x) + 1]}} is not,
                            in row {(bad[1] - 1) %% nrow(x) + 1}."), "argument")
  list(frame = frame, terms = terms, x = x, codes = codes, weights = frame_weights(frame), channel = unname(channel),
       mechanism = mechanism, dropped = length(attr(frame, "na.action")), response = name,
       xlevels = stats::.getXlevels(terms, frame), contrasts = attr(x, "contrasts"))
}

# The order of a cumulative logit is that of the mechanism. Answers with another order contradict it; where nothing
# says that there is an order, the reader is told which one was taken.
check_cumulative_order <- function(rows) {
  answers <- stats::model.response(rows$frame)
  own <- is.ordered(answers) && identical(rows$mechanism$levels, rows$mechanism$reports)
  if (own) {
    check_same_order(answers, match_labels(levels(answers), rows$mechanism), rows$mechanism, TRUE, "the answers")
  }
  # Two levels are refused, with another reason.
  if (own || has_order(rows$mechanism) || length(rows$mechanism$levels) < 3L) return(invisible())
  cli::cli_inform(c("The order of the answers is taken to be {format_labels(rows$mechanism$levels, between = ' < ')}.",
                    i = "Nothing says that they have one: give the mechanism an ordered factor as {.arg levels}."),
                  class = "candor_message_order")
}

fit_categories <- function(model, start, starts) {
  p <- length(model$names)
  check_enough_rows(sum(model$weights > 0), p)
  if (!is.null(start)) {
    if (!is.numeric(start) || length(start) != p || !all(is.finite(start))) {
      abort(c("{.arg start} must be {p} finite numbers, one per coefficient.", x = "It is {describe(start)}.",
              i = "Their order is that of {.fn vcov}."), "argument")
    }
    start <- model$inward(as.double(start))
  }
  best <- best_maximum(model$evaluate, start %||% model$start, model$reach, model$size, starts)
  check_maximum(best)
  warn_maxima(best)
  best
}

# How often each report was given, with the weights of the rows.
report_counts <- function(rows) {
  vapply(seq_len(ncol(rows$channel)), function(code) sum(rows$weights[rows$codes == code]), 0)
}

new_rr_multinom <- function(best, model, rows, type, call) {
  found <- model$outward(best)
  if (any(found$infinite)) {
    fitted <- model$truths(best$b)
    sure <- sum(apply(fitted, 1, max) > 1 - 1e-6)
    none <- rows$mechanism$levels[colSums(fitted * model$weights) < 1e-6 * sum(model$weights)]
    warn_infinite(found$names[found$infinite],
                  paste0(sprintf("The truth of %s rows is fitted as certain.", format_count(sure)),
                         if (length(none)) paste(" Fitted shares are 0 of:", format_labels(none))),
                  reports_contradict(rows$mechanism, report_counts(rows)))
  }
  all <- model$all_names
  coefficients <- stats::setNames(rep(NA_real_, length(all)), all)
  coefficients[found$names] <- found$b
  structure(
    list(coefficients = coefficients, vcov = structure(found$vcov, dimnames = list(found$names, found$names)),
         limit = found$limit, loglik = best$at$loglik, df = length(found$b),
         n = rows$respondents %||% sum(rows$weights > 0),
         weights = rows$weights,
         type = type, mechanism = rows$mechanism, model = model, estimate = best$b, frame = rows$frame,
         terms = rows$terms, xlevels = rows$xlevels, contrasts = rows$contrasts, dropped = rows$dropped,
         response = rows$response, infinite = found$names[found$infinite], starts = best$starts,
         decrement = best$decrement, iterations = best$iterations, converged = best$converged, call = call,
         title = sprintf("%s logit of the truth", if (type == "cumulative") "Cumulative" else "Multinomial")),
    class = c("rr_multinom", "rr_regression")
  )
}
