#' Logistic regression with randomized answers
#'
#' `rr_glm()` fits a regression of the *true* answer to a yes/no question on covariates, from randomized reports, by maximum likelihood. The model is for the
#' probability of the second label of the mechanism, the "yes". The result is a `glm`: functions for [stats::glm()] work, and their results are about the truth.
#'
#' @section Model:
#' With \eqn{p} and \eqn{q} the probabilities that the report is yes if the truth is yes and no, and \eqn{g} the inverse of the link,
#' \deqn{P(report\ yes \mid x) = q + (p - q)\, g(x^T \beta)}{P(report yes | x) = q + (p - q) g(x'b)}
#' The coefficients maximize the likelihood of the reports. Their variance is the inverse of the observed information,
#' \eqn{-\sum_i \partial^2 \log P(y_i \mid x_i) / \partial\beta\, \partial\beta^T}{minus the second derivatives of the log-likelihood} (van den Hout et al. 2007).
#' `system.file("mathematics", "regression.md", package = "candor")` has the derivatives.
#'
#' @section The maximum:
#' The likelihood may have several local maxima, and its supremum may be at infinity. The estimate is the largest value that is found by Newton's
#' method from a fixed set of starting points, without random numbers. No search is certain to find the largest.
#'
#' If the maximum is at infinity, coefficients are `-Inf`, `Inf`, or `NA` if their sign is not determined. A warning says so, and intervals fail there. Another warning says that a second
#' maximum lies within 2 units of log-likelihood. `penalty = "prior"` gives finite estimates with smaller errors in both cases; `articles/validation.html` of the site has the figures
#' (`studies/regression-starts.R`).
#'
#' @section Dealt answers:
#' For [rr_dealt()] and data with its column of blocks the likelihood is of all reports of a block together, which is more precise than the likelihood of rows. The fit is
#' of class `c("rr_glm_dealt", "rr_regression")`, with the methods of [regression_methods] and `predict()`; `vcov(fit, type = "sandwich")` is by block. Penalties, anchor questions,
#' weights, counts, random intercepts, `arm` and tallies are refused. Without that column, and with a survey design, each row counts as if its card were drawn by itself; `cluster` takes the blocks.
#'
#' @section Standard errors:
#'
#' * `"observed"` (default): from the observed information, as Efron and Hinkley (1978) recommend.
#' * `"expected"`: from the expected information, as `glm()` with [rr_family()].
#' * `"sandwich"`: robust; with `cluster` for answers that depend on each other.
#' * `"survey"`: linearized, or by refitting with each set of replicate weights; the default with a survey design.
#'
#' @section Attention:
#' With `attention` the result has class `c("rr_glm_attention", "rr_regression")`, the methods of [regression_methods], [rr_effects()] and [predict()][predict.rr_glm]. Coefficients of attention are called
#' `attention:` and the covariate. `"question"` multiplies the likelihoods of the two questions. Its estimates are consistent whether inattention belongs to
#' persons or comes and goes, and its standard errors are the sandwich by person. `"person"` gains precision if the same persons are inattentive at both questions, and is biased otherwise;
#' its standard errors are from the observed information. With a survey design the design gives the standard errors of both. `anova()` needs `"person"`. Penalties, unknown parameters, and the links
#' `"log"` and `"identity"` are not available.
#'
#' @param formula The truth on its covariates: `report ~ age + sex`. The response is 0 and 1, logical, a factor or text with the labels of
#'   the mechanism, shares with `weights` as numbers of answers, or `cbind(yes, no)`. For a tally by groups the group columns are the covariates. A term `(1 | id)` is a random intercept, see
#'   [random_intercept]. Labelled columns of package 'haven' are read by their labels: as factors, or as numbers if only some values have labels. Values declared missing are treated as missing.
#' @param data One of these:
#'   * a data frame;
#'   * a survey design of `survey::svydesign()` or `survey::svrepdesign()`: its data and its weights are used, see the standard errors;
#'   * a tally of [rr_tally()] with groups: the left side of `formula` may then be left out.
#' @param mechanism How the answers were randomized: a mechanism of two categories, or a *named list* of them; `arm` then names the mechanism of
#'   each row. Or a one-sided formula that makes the mechanism of a row from its columns, `~ rr_binary(p, q)`. A direct question is `rr_binary(1, 0)`. In a list, [rr_lie_detector()], [rr_cheater_detection()] and `rr_unrelated(p, pi = NULL)` have an unknown parameter that is estimated too. Not
#'   needed for a tally.
#' @param link Link of the truth: `"logit"` (default), `"probit"`, `"cloglog"`, `"cauchit"`, `"log"` or `"identity"`.
#' @param weights,offset,subset,na.action As in [stats::glm()]; the column of weights may also be named, as `"w"` or `~ w`. A weight is a number of answers. For survey weights give a design as `data`, or use
#'   `vcov(fit, type = "sandwich")`; weights that are not whole give a message. Rows with missing values are dropped, and counted in a message.
#' @param start Starting values of the coefficients, tried before the others.
#' @param starts How many starting points to try, a whole number; default 20. `1`: only the constant share. With 8,000 different rows or more
#'   the starts first use about 2,000 rows.
#' @param penalty One of these:
#'   * `"none"` (default): maximum likelihood;
#'   * `"prior"`: a weak normal prior. Its standard deviation is 2.5 for the slope per standard deviation of a covariate (per step, if it has two values), and 5
#'     for the intercept at the mean of the covariates;
#'   * `"bias"`: removes most of the bias of small surveys (Kosmidis and Firth 2009);
#'   * `"jeffreys"`: Jeffreys' prior.
#'
#'   `"prior"` and `"jeffreys"` always give finite estimates. Standard errors are from the curvature for `"prior"`, otherwise from the expected information.
#' @param arm Column of `data` that names the mechanism of each row, if `mechanism` is a list.
#' @param anchor `list(column = rr_anchor(mechanism))`: the column of `data` with the reports of an anchor question, and its mechanism, see [rr_anchor()]. The share of
#'   inattentive respondents is then estimated too. Without `attention` it is the same for all covariates, and the anchor question must have a device of
#'   its own. Reports are predicted and simulated for respondents with the same report of the anchor question.
#' @param attention One-sided formula of the covariates of attention, such as `~ age`, if there is an `anchor`: a logistic regression of the share of attentive respondents is
#'   estimated beside the regression of the truth. Default `NULL`. See *Attention*.
#' @param attention.by `"question"` (default): a respondent may be attentive at one question and not at the other; `"person"`: at both or at none.
#' @param protective With a random intercept: a report, such as `"no"`, that some persons give to all their questions, or a one-sided formula of the covariates of
#'   their share. See [random_intercept], *Persons who evade*.
#' @param ... Not used; further arguments give an error.
#' @return An object of class `c("rr_glm", "glm", "lm")` with the elements of a `glm` (`fitted.values`, `residuals` and `deviance` are about the
#'   *reports*), and
#'
#'   * `mechanism`, `arm`, `link`, `penalty`, `anchor`: as given; `design`: the survey design, or `NULL`; `device` holds the probabilities of the mechanism.
#'   * `information`: the matrices `observed` and `expected`.
#'   * `decrement`: by how much the log-likelihood could still rise.
#'   * `starts`, `ends`: log-likelihoods of the maxima within 3 of the best, and their places, a column each.
#'   * `point`, `flat`: finite coefficients with the log-likelihood of the fit, far out if the estimate is at infinity; directions in which it does not change.
#'   * `boundary`: `NULL`, or the rows with truth 0 or 1 and the infinite coefficients.
#'   * `parameter`: the unknown parameter of the design with attribute `std.error`, or `NULL`.
#' @section Errors and warnings:
#' Errors: `candor_error_argument`, `candor_error_no_information` (`p = q`), `candor_error_mismatch` (arms without a mechanism), `candor_error_level`, `candor_error_missing`. Warnings:
#' `candor_warning_infinite`, `candor_warning_maxima`, `candor_warning_unlikely`, `candor_warning_boundary` (an unknown parameter is estimated as 0 or 1). See [candor_conditions].
#' @references van den Hout, A., van der Heijden, P. G. M. and Gilchrist, R. (2007). The logistic regression model with response variables
#'   subject to randomized response. *Computational Statistics & Data Analysis* 51(12), 6060-6069. \doi{10.1016/j.csda.2006.12.002}
#'
#'   Efron, B. and Hinkley, D. V. (1978). Assessing the accuracy of the maximum likelihood estimator. *Biometrika* 65(3), 457-483.
#'   \doi{10.1093/biomet/65.3.457}
#'
#'   Atsusaka, Y. and Stevenson, R. T. (2023). A bias-corrected estimator for the crosswise model with inattentive respondents. *Political Analysis* 31(1), 134-148.
#'   \doi{10.1017/pan.2021.43} (attention)
#'
#'   Kosmidis, I. and Firth, D. (2009). Bias reduction in exponential family nonlinear models. *Biometrika* 96(4), 793-804.
#'   \doi{10.1093/biomet/asp055}
#' @seealso [rr_effects()] for average marginal effects, [predict.rr_glm()], [confint.rr_glm()], [random_intercept], [rr_multinom()] for several categories,
#'   [rr_predictor()] for a randomized covariate, `vignette("regression", package = "candor")`.
#' @concept logistic regression
#' @concept glm
#' @concept Stata
#' @concept rrlogit
#' @concept rrreg
#' @concept linear predictor
#' @concept randomized outcome
#' @concept rare events
#' @examples
#' # Does plagiarism become more common in later semesters?
#' fit <- rr_glm(plagiarism ~ semester + female, exam_simulated,
#'               rr_forced(1 / 6))
#' summary(fit)
#' rr_effects(fit)
#' # Yes, by 1.6 percentage points per semester
#'
#' # Do two dice and a direct question give the same prevalence of copying in
#' # exams?
#' copied <- subset(exam_survey, item == "copied")
#' copied$arm <- c("die 1", "die 2", "direct")
#' designs <- Map(rr_binary, copied$p, copied$q)
#' names(designs) <- copied$arm
#' both <- rr_glm(cbind(yes, no) ~ arm, copied, designs, arm = arm)
#' cbind(copied["arm"], prevalence = predict(both, type = "truth"))
#' # Nearly: 24% and 25% by the dice, 22% by the direct question
#' @srrstats {RE1.0, RE1.1} The model is a formula; this page says how the response and its designs are written.
#' @srrstats {RE1.2} The page names the classes that predictors may have.
#' @srrstats {RE1.3, RE1.3a} Names of rows and columns stay with fitted values, residuals and the model frame.
#' @srrstats {RE1.4} The page says what is assumed of respondents, and `vignette("regression")` what happens if it does not hold.
#' @srrstats {RE2.0} Nothing is transformed before the fit but by the formula.
#' @srrstats {RE2.1, RE2.2} Missing values follow `na.action`, in the response and in predictors alike.
#' @srrstats {RE2.3} `offset()` in the formula shifts the linear predictor.
#' @srrstats {RE2.4, RE2.4a, RE2.4b} Collinear predictors are named, and a predictor that determines the response gives a maximum at infinity, which
#'   is said.
#' @srrstats {RE3.0} A fit that did not converge warns by a class of its own.
#' @srrstats {RE3.1} suppressWarnings() and the class of the condition silence it.
#' @srrstats {RE3.2} The search ends at 1e-11 of the log-likelihood, the value in `fit$control`.
#' @srrstats {RE4.0} The result is an object of class `rr_glm`.
#' @export
rr_glm <- function(
  formula,
  data = NULL,
  mechanism = NULL,
  link = "logit",
  weights = NULL,
  offset = NULL,
  subset = NULL,
  na.action = NULL,
  start = NULL,
  starts = 20,
  penalty = c("none", "bias", "jeffreys", "prior"),
  arm = NULL,
  anchor = NULL,
  attention = NULL,
  attention.by = c("question", "person"),
  protective = NULL,
  ...
) {
  check_dots_empty(...)
  link <- check_choice(link, "link", regress_links)
  penalty <- check_choice(penalty)
  starts <- check_starts(starts)
  call <- match.call()
  design <- given_design(data, call)
  by <- check_choice(attention.by)
  bar <- if ("|" %in% all.names(formula)) random_intercept(formula)
  check_extensions(anchor, attention, protective, bar)
  by_row <- row_mechanisms(mechanism, design$variables %||% data, call$arm)
  mechanism <- by_row$mechanisms %||% mechanism
  block <- block_column(mechanism, data, design, bar)
  frame <- regress_frame(
    with_row_arms(call, by_row), bar$fixed %||% formula, data, design, parent.frame(),
    c(
      list(
        anchor = if (!is.null(anchor)) as.name(names(anchor)),
        group = bar$group,
        block = block
      ),
      share_variables(attention %||% if (inherits(protective, "formula")) protective)
    )
  )
  model_data <- regress_data(frame, mechanism, link, if (is.null(attention)) anchor)
  check_start(start, ncol(model_data$x) + !is.null(model_data$unknown))
  maximum <- regress_maximum(model_data, starts, start, penalty)
  fit <- new_rr_glm(model_data, maximum, penalty, call)
  fit[c("starts.asked", "design", "anchor")] <- list(starts, design, anchor)
  fit$mechanism_formula <- by_row$formula
  fit <- with_validation(fit, protective)
  if (!is.null(block) && is.null(design)) {
    return(dealt_fit(fit, model_data, call))
  }
  if (!is.null(design) && is.null(attention)) fit <- with_survey_design(fit, model_data, bar)
  if (!is.null(bar)) {
    return(with_random_intercept(fit, model_data, bar$bar, protective, call))
  }
  if (!is.null(attention)) {
    return(attention_fit(fit, model_data, attention, by, starts, call))
  }
  tell_glm(fit)
  fit
}

# Errors if a share of attentive persons, or of persons who evade, has nothing to be estimated from.
check_extensions <- function(anchor, attention, protective, bar) {
  if (!is.null(anchor)) check_anchor(anchor)
  if (!is.null(attention) && is.null(anchor)) abort("{.arg attention} needs an {.arg anchor}.")
  if (!is.null(protective) && is.null(bar)) {
    abort("{.arg protective} needs a random intercept, a term {.code (1 | id)}.")
  }
}

check_start <- function(start, size) {
  check_that(
    is.null(start) || (is.numeric(start) && all(is.finite(start)) &&
      length(start) %in% (size + 0:1)),
    start, "start", paste(size, "finite numbers, in the order of {.fn vcov}")
  )
}

# A fit with a random intercept, and with persons who evade.
with_random_intercept <- function(fit, model_data, bar, protective, call) {
  fit <- with_mixed_study(mixed_fit(fit, model_data, bar, call))
  if (!is.null(protective)) fit <- evasion_fit(fit, model_data, protective)
  warn_mixed(fit)
  fit
}

# The fit with the errors of a validation study, if there is one.
with_validation <- function(fit, protective) {
  if (!has_study(list(fit))) return(fit)
  refuse_study_beside(fit_mechanisms(fit), "{.fn rr_glm}", c(
    `an anchor question` = !is.null(fit$anchor),
    `an unknown number` = !is.null(fit$unknown),
    `persons who evade` = !is.null(protective)
  ))
  fit$contrast_vcov <- NULL
  fit
}

with_survey_design <- function(fit, model_data, bar) {
  design <- model_data$design
  check_independent(fit_mechanisms(fit), design)
  # Functions of glm read them, and would take the likelihood ratio of a pseudo-likelihood for
  # chi-squared.
  fit$aic <- fit$deviance <- fit$null.deviance <- NA_real_
  fit$df.residual <- residual_freedom(fit, design, fit$rank)
  if (is.null(bar)) {
    fit$replicated <- glm_replicates(fit, model_data, estimated_places(fit))
  }
  fit
}

# The checked input of the kernel: the fields of regress_frame(), of its devices, and `data` of
# regress_model(), with `scale`, by which weights of a design were multiplied.
regress_data <- function(frame, mechanism, link, anchor = NULL) {
  mf <- frame$frame
  frame$mechanism <- mechanism %||% frame$mechanism
  devices <- regress_devices(frame$mechanism, mf[["(arm)"]], nrow(mf))
  if (!is.null(anchor)) devices <- anchor_devices(devices, anchor, mf[["(anchor)"]])
  response <- frame_response(frame, devices$labels)
  x <- model.matrix(frame$terms, mf)
  if (!ncol(x)) {
    abort("{.arg formula} must have an intercept or a covariate.", c("argument", "input"))
  }
  offset <- model.offset(mf)
  if (!all(is.finite(x), is.finite(offset))) {
    abort("Covariates and {.arg offset} must be finite.", c("argument", "input"))
  }
  # Names of the rows are long text that every product would carry along.
  rownames(x) <- NULL
  storage.mode(x) <- "double"
  weight <- as.double(response$weights)
  used <- sum(weight > 0)
  if (used < ncol(x) && qr(x, tol = 1e-11)$rank >= used) {
    check_enough_rows(used, ncol(x))
  }
  scale <- design_scale(frame$design, weight)
  c(frame, devices, list(
    x = x,
    y = response$y,
    weight = weight * scale,
    offset = if (any(offset != 0)) as.double(offset),
    link = link,
    scale = scale
  ))
}

frame_response <- function(frame, labels) {
  mf <- frame$frame
  weights <- if (!is.null(mf[["(weights)"]])) frame_weights(mf)
  response <- mf[[attr(frame$terms, "response")]]
  tell_reversed(response, labels)
  # A share without weights would count as one answer.
  is_number <- is.numeric(response) && !is.object(response) && !is.matrix(response)
  if (is_number && is.null(weights) && any(response > 0 & response < 1)) {
    abort("Shares of answers need {.arg weights}, the numbers of answers.", c("argument", "input"))
  }
  read_response(response, labels, weights)
}

# The fit as a glm, from the checked data and their maximum. Coefficients may be infinite, and
# linear predictors; everything else is finite.
new_rr_glm <- function(model_data, maximum, penalty, call) {
  maximum <- describe_maximum(maximum)
  if (!is.null(model_data$unknown)) {
    model_data$device <- unknown_at(model_data$unknown, maximum$parameter)
  }
  eta <- predictor_of(model_data$x, maximum$point, model_data$offset)
  if (!is.null(maximum$flat)) {
    out <- rowSums((model_data$x %*% maximum$flat)^2) > 1e-14
    eta[out] <- sign(eta[out]) * Inf
  }
  rows <- data_rows(model_data, eta)
  device <- if (is.null(model_data$arm)) {
    model_data$device
  } else {
    model_data$device[, model_data$arm + 1L, drop = FALSE]
  }
  words <- switch(
    penalty,
    bias = ", bias reduced",
    jeffreys = ", Jeffreys' prior",
    prior = ", weak normal prior",
    ""
  )
  structure(
    c(
      model_data[c(
        "formula", "terms", "data", "xlevels", "na.action", "mechanism", "link", "labels", "device",
        "arm", "unknown"
      )],
      maximum[c("point", "flat", "loglik", "decrement")],
      glm_elements(model_data, rows, eta, maximum),
      maximum_elements(model_data, rows, maximum),
      list(
        family = new_regress_family(
          device, model_data$mechanism, model_data$labels, model_data$link
        ),
        title = sprintf(
          "Regression of the truth \"%s\", %s link%s", model_data$labels[2], model_data$link, words
        ),
        call = call,
        penalty = penalty
      )
    ),
    class = c("rr_glm", "glm", "lm")
  )
}

# The elements that every glm has.
glm_elements <- function(model_data, rows, eta, maximum) {
  frame <- model_data$frame
  label <- function(x) setNames(as.vector(x), row.names(frame))
  df <- maximum$model$size
  n <- sum(model_data$weight > 0)
  constant <- sum(binomial_constants(model_data$y, model_data$weight))
  c(
    working_parts(model_data, rows, eta, label),
    list(
      coefficients = setNames(maximum$coefficients, colnames(model_data$x)),
      fitted.values = label(rows$report),
      rank = maximum$model$k,
      linear.predictors = label(eta),
      deviance = deviance_of(model_data, rows$report),
      aic = -2 * (maximum$loglik + constant) + 2 * df,
      iter = maximum$steps,
      null.deviance = null_deviance(model_data),
      prior.weights = label(model_data$weight),
      df = as.double(df),
      n = n,
      df.residual = n - df,
      df.null = n - (attr(model_data$terms, "intercept") > 0),
      y = label(model_data$y),
      is_counted = is.matrix(model.response(frame)),
      converged = TRUE,
      model = frame,
      offset = model.offset(frame),
      control = glm.control(epsilon = 1e-11),
      method = "rr_glm.fit",
      contrasts = attr(model_data$x, "contrasts"),
      constant = constant,
      weight.scale = model_data$scale
    )
  )
}

# The elements that describe the maximum, and the truths at infinity. `pressed`: the maximum lies at
# the end of the range of a link.
maximum_elements <- function(model_data, rows, maximum) {
  names <- colnames(model_data$x)
  has_parameter <- !is.null(model_data$unknown)
  all <- c(names, if (has_parameter) "(parameter)")
  named <- function(V) structure(V, dimnames = list(all, all))
  variance <- lapply(maximum$variance, named)
  parameter <- if (has_parameter) {
    structure(
      setNames(maximum$parameter, model_data$parameter),
      std.error = sqrt(rev(diag(variance$observed))[[1]])
    )
  }
  pressed <- isTRUE(maximum$pressed)
  infinite <- !is.null(maximum$flat)
  boundary <- if (pressed || infinite) {
    boundary_rows(model_data$weight, rows, names[maximum$infinite], pressed)
  }
  note <- sprintf(
    "the fitted truth of %d rows is 0 or 1: penalty = \"prior\" gives finite estimates",
    length(boundary$rows)
  )
  # The covariance of finite combinations of coefficients, which may be infinite.
  index <- seq_along(names)
  contrast_vcov <- if (infinite) maximum$contrast_vcov[index, index, drop = FALSE]
  natural_ends <- lapply(maximum$maxima, function(end) maximum$model$natural(end$b))
  list(
    boundary = boundary,
    note = if (!is.null(boundary)) note,
    respondents = round(sum(model_data$weight)),
    parameter = parameter,
    variance = variance,
    contrast_vcov = contrast_vcov,
    starts = maximum$values,
    ends = do.call(cbind, natural_ends)
  )
}

# Truths of 0 or 1.
boundary_rows <- function(weight, rows, coefficients, pressed) {
  index <- which(
    weight > 0 & (pmin(rows$truth, rows$truth_no) <= if (pressed) 1e-6 else 0)
  )
  list(
    rows = index,
    truth = round(rows$truth[index]),
    coefficients = coefficients,
    pressed = pressed
  )
}

# The elements that glm() keeps of its last weighted regression.
working_parts <- function(data, rows, eta, label) {
  d <- data$device[5, row_arms(data$arm, length(eta))]
  working <- (data$y - rows$report) / (d * rows$slope)
  working[!is.finite(working)] <- 0
  w <- data$weight * rows$expected
  w[!is.finite(w)] <- 0
  response <- ifelse(is.finite(eta), eta, 0) - (data$offset %||% 0) + working
  fit <- lm.fit(data$x * sqrt(w), response * sqrt(w), tol = 1e-11)
  used <- seq_len(fit$rank)
  R <- qr.R(fit$qr)[used, used, drop = FALSE]
  rownames(R) <- colnames(R)
  list(
    residuals = label(working),
    weights = label(w),
    effects = fit$effects,
    R = R,
    qr = fit$qr
  )
}

# The logarithm of the binomial coefficient of each row, which logLik() of a glm includes.
binomial_constants <- function(y, weight) {
  m <- round(weight)
  lchoose(m, round(m * y))
}

deviance_of <- function(data, mu) {
  sum(binomial()$dev.resids(data$y, mu, data$weight))
}

# The deviance of the model with a constant truth.
null_deviance <- function(data) {
  eta <- data$offset %||% numeric(length(data$y))
  if (attr(data$terms, "intercept") > 0) {
    alone <- replace(
      data, "x", list(matrix(1, length(data$y), 1))
    )
    alone["unknown"] <- list(NULL)
    maximum <- regress_maximum(alone, 1)
    eta <- predictor_of(alone$x, maximum$model$natural(maximum$b), data$offset)
  }
  deviance_of(data, data_rows(data, eta)$report)
}

# ---- what a user must know before reading the estimates ----

tell_glm <- function(fit) {
  tell_aliased(names(which(is_aliased(fit))))
  y <- fit$y
  if (is.null(fit$design) && any(y == 0 | y == 1)) {
    tell_sampling_weights(fit$prior.weights * pmax(y, 1 - y))
  }
  if (isTRUE(as.vector(fit$parameter) %in% 0:1)) {
    warn(
      c(
        paste(
          "The estimate of {.val {names(fit$parameter)}} is",
          "{as.vector(fit$parameter)}, the end of its range."
        ),
        i = "Standard errors take it for known."
      ),
      "boundary"
    )
  }
  pressed <- isTRUE(fit$boundary$pressed)
  cure <- if (pressed) {
    "Use {.code link = \"logit\"}, or read it as a bound."
  } else {
    "Intervals fail here. {.code penalty = \"prior\"} gives a finite estimate with smaller errors."
  }
  warn_maxima(
    fit$boundary$coefficients, if (fit$penalty == "none") fit$starts, reports_doubt(fit),
    cure, pressed
  )
}

# Is the share of yes among all reports of some mechanism beyond what it can give, whatever the
# truth? Weights of a survey count with the number of respondents that they are worth.
reports_doubt <- function(fit) {
  if (!is.null(fit$unknown)) return(FALSE)
  arms <- row_arms(fit$arm, length(fit$y))
  used <- unique(arms)
  is_beyond <- function(arm) {
    rows <- arms == arm
    w <- fit$prior.weights[rows]
    n <- sum(w)
    if (!is.null(fit$design)) n <- n^2 / sum(w^2)
    yes <- sum(w * fit$y[rows]) / sum(w) * n
    bounds <- range(fit$device[1:2, arm])
    alarm <- false_alarm / length(used)
    isTRUE(beyond_range(yes, n, bounds[1], bounds[2], alarm))
  }
  any(vapply(used, is_beyond, NA))
}
