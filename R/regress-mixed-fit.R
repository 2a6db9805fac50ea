#' Random intercepts: several items per person, or people in clusters
#'
#' With a term `(1 | id)` in its formula, [rr_glm()] fits a random intercept: the truths of one person (or school, or interviewer) share a normal effect,
#' and the reports are independent given the truths. With one column of indicators per item it is a Rasch model of randomized items.
#'
#' The likelihood is the exact marginal likelihood, by quadrature with error control. Adaptive quadrature, as in `lme4::glmer()`, is wrong for randomized
#' answers, often without a warning, because the probability of a report tends to constants on both sides.
#'
#' The standard deviation `sigma` of the random intercept may be estimated as 0, which is the fit without the term, or as infinite. If it is infinite, the likelihood rises to a finite limit,
#' coefficients are `Inf`, `-Inf` or `NA`, prevalences are finite, and a warning says so. The lower limit of `sigma` is at most 32. Another warning says that the reports of one person are too few to detect
#' dependence: `information.pairs`, the standard error of `sigma^2` under independence, is then above 1.6. It falls with the square root of the number of persons. With one pilot survey of `n`
#' persons, a survey that tells `sigma` from 0 needs about `n * (2 * information.pairs / sigma^2)^2`.
#'
#' @section Persons who evade:
#' Some persons give the denying report to all questions, whatever the device shows. They look like persons with a very low random intercept: `sigma` is then too large and prevalences are too low. With
#' `protective = "no"` a share of such persons is estimated beside the random intercept (Boeckenholt and van der Heijden 2007). `protective = ~ x` is a logistic regression of
#' their share; the denying report of each row is then the one that a true no makes more likely.
#'
#' * `print()` shows the fit beside the fit without the class; `fit$without` is that fit, `fit$evasion` has the share, its standard error and the test.
#' * The test of a share of 0 is the likelihood ratio with half of the upper tail of chi-squared, since the share is at least 0. With covariates it has their number of degrees of freedom, which
#'   is conservative.
#' * `tidy()` has a row `self-protective`. `confint()` is on the logit scale of the share, or by the profile likelihood on request.
#' * `predict(type = "evasion")` is each person's probability of evading, given the reports; for `newdata` it is the share.
#' * Prevalences are those of persons who follow the instructions. Nothing is known about the others.
#'
#' Three items a person are needed; with three the standard error is about three times as large as with five. If `sigma` is estimated as 0, Wald's interval of the share is too short: use
#' `confint(method = "profile")`. The share rests on the normal distribution of the random intercept, and on the device:
#' compare both fits.
#'
#' @section Requirements:
#' * Each row is one report. Devices may differ by row (`arm`). The article on regression shows designs that are columns `p` and `q` of the data.
#' * Weights must be equal in all rows of a group.
#' * Not available are penalties, anchor questions, designs with an unknown parameter, survey designs, the links `"log"` and
#'   `"identity"`, random slopes and several random terms.
#' * With a channel that a validation study estimated ([rr_misclassification()]) variances include the error of the study, and intervals are Wald's.
#' * One device for several items of a person breaks the independence of the reports: use [rr_association()].
#'
#' @param object,x A fit of [rr_glm()] with a random intercept.
#' @param newdata A data frame with the covariates, and for `type = "report"` the arm; default the rows of the fit.
#' @param type `"truth"` (default): probability of a true yes; `"report"`: probability of a reported yes; `"link"`: linear predictor of a person with random intercept 0; `"evasion"`: see
#'   *Persons who evade*.
#' @param random Treatment of the random intercept: `"average"` (default) over persons, which gives the prevalence; `"zero"`; or `"predicted"`, the posterior mean of the probability
#'   for the persons that were fitted.
#' @param parm Coefficients, as names or positions; then `sigma`, and `self-protective` if there is such a class. Default all.
#' @param level,conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param conf.int Logical, default `FALSE`. Add the columns `conf.low` and `conf.high`?
#' @param method `"profile"` (default) or `"wald"` (coefficients only). With persons who evade the default is `"wald"`, which then includes `sigma` (by its logarithm).
#' @param effects Default `c("ran_pars", "fixed", "evasion")`: `sigma`, coefficients and, with persons who evade, their share; `"ran_vals"`: the random intercepts of the groups.
#' @param exponentiate Logical, default `FALSE`. Give odds ratios instead of coefficients?
#' @param digits Significant digits printed, from 1 to 22; default 4.
#' @param nsim,seed Number of simulated data sets, and the seed of R's generator.
#' @param ... Not used.
#' @return `rr_glm()` returns an object of class `c("rr_glm_mixed", "rr_regression")`, with persons who evade `c("rr_glm_evasion", "rr_glm_mixed", "rr_regression")`:
#'
#'   * `coefficients`, `sigma`, `vcov`, `variance`, `loglik`: the estimates; `variance` includes `sigma`.
#'   * `random`: each group's posterior mean and standard deviation.
#'   * `ladder`: highest log-likelihood at some values of sigma.
#'   * `fixed`: the fit without the term.
#'   * `information.pairs`, `limit`: see above; the limit for infinite sigma, else `NULL`.
#'
#'   [rr_effects()] gives average truths and effects over persons. `fitted()` is the probability of the report, and `residuals()` the report minus `fitted()`. `tidy()` has the columns `effect`, `group`, `term` as in broom.mixed. `anova()` of the fits without and with the random intercept halves the p-value, because sigma is at least 0.
#' @section Errors and warnings:
#' Errors: `candor_error_argument`, `candor_error_no_information` (no group has two rows; with `protective` none has three). Warnings: `candor_warning_infinite`, `candor_warning_information`. See [candor_conditions].
#' @references Boeckenholt, U. and van der Heijden, P. G. M. (2007). Item randomized-response models for measuring noncompliance. *Psychometrika* 72, 245-262. \doi{10.1007/s11336-005-1495-y}
#'
#'   Fox, J.-P. (2005). Randomized item response theory models. *Journal of Educational and Behavioral Statistics* 30(2), 189-212. \doi{10.3102/10769986030002189}
#'
#'   Louis, T. A. (1982). Finding the observed information matrix when using the EM algorithm. *Journal of the Royal Statistical Society B* 44(2), 226-233. \doi{10.1111/j.2517-6161.1982.tb01203.x}
#' @seealso [rr_glm()], [rr_association()] for pairs of items.
#' @concept random effects
#' @concept mixed model
#' @concept zapstRR
#' @concept item response theory
#' @concept Rasch model
#' @concept multilevel model
#' @name random_intercept
#' @examples
#' # 300 people, four items each, every answer by a die: how do prevalences
#' # differ between items?
#' set.seed(1)
#' people <- expand.grid(item = c("a", "b", "c", "d"), id = 1:300)
#' ability <- rnorm(300, sd = 1.2)[people$id]
#' easiness <- c(-1.5, -1.2, -0.9, -0.5)[people$item]
#' truth <- rbinom(1200, 1, plogis(easiness + ability))
#' die <- rr_forced(1 / 6)
#' answers <- factor(truth, 0:1, c("no", "yes"))
#' people$report <- rr_perturb(answers, die, rng = "R")
#' fit <- rr_glm(report ~ 0 + item + (1 | id), people, die)
#' fit
#' # All estimates are within one standard error of the truth (-1.5, -1.2,
#' # -0.9, -0.5; sigma 1.2). The prevalence of each item, and among the true
#' # answers:
#' estimate <- predict(fit, type = "truth")
#' rbind(estimate = tapply(estimate, people$item, mean),
#'       truth = tapply(truth, people$item, mean))
#'
#' # What if one in six said "no" to everything, whatever the die showed?
#' evades <- people$id %in% sample(300, 50)
#' people$report[evades] <- "no"
#' rr_glm(report ~ 0 + item + (1 | id), people, die, protective = "no")
#' # 21% (standard error 5%); without the class sigma is 2.2, and prevalences
#' # are lower
NULL

# list(fixed = formula without the term, group = expression) of a formula with one random intercept,
# else NULL.
random_intercept <- function(formula) {
  if (!inherits(formula, "formula")) return(NULL)
  right <- formula[[length(formula)]]
  is_bar <- function(e) is.call(e) && identical(e[[1]], as.name("|"))
  bars <- Filter(is_bar, model_calls(right))
  is_intercept <- length(bars) == 1L && identical(bars[[1]][[2]], 1)
  if (!is_intercept) return(NULL)
  without <- function(e) {
    if (is_bar(e)) return(NULL)
    is_sum <- is.call(e) &&
      as.character(e[[1]])[1] %in% c("+", "-", "(")
    if (!is_sum) return(e)
    operands <- lapply(as.list(e)[-1], without)
    is_left <- lengths(operands) > 0
    if (all(is_left)) return(as.call(c(e[[1]], operands)))
    remaining <- Filter(Negate(is.null), operands)
    if (length(remaining) && identical(e[[1]], as.name("-"))) {
      as.call(c(e[[1]], remaining))
    } else if (length(remaining)) {
      remaining[[1]]
    }
  }
  formula[[length(formula)]] <- without(right) %||% 1
  list(
    fixed = formula,
    group = bars[[1]][[3]],
    bar = bars[[1]]
  )
}

# The fit with a random intercept; `base_fit` is the fit without it, `data` its checked data.
mixed_fit <- function(base_fit, data, bar, call) {
  group <- data$frame[["(group)"]]
  check_mixed(base_fit, data, group)
  codes <- match(group, unique(group))
  weight <- data$weight[!duplicated(codes)]
  keep <- !is_aliased(base_fit)
  unit <- weight_unit(weight)
  model <- mixed_model(data, keep, codes, weight / unit)
  in_unit <- replace(base_fit, "loglik", base_fit$loglik / unit)
  maximum <- mixed_supremum(model, in_unit, base_fit$point[keep])
  model$weight <- model$weight * unit
  maximum <- mixed_in_units(maximum, unit)
  value <- mixed_value(model, maximum$point)
  estimates <- mixed_estimates(
    maximum, value$observed, names(base_fit$coefficients)[keep], base_fit$variance$observed
  )
  scale <- if (is.null(maximum$limit)) maximum$sigma else NA_real_
  structure(
    c(
      estimates,
      list(
        n = sum(data$weight > 0),
        ngrps = sum(weight > 0),
        group = codes,
        bar = bar,
        random = data.frame(
          level = as.character(unique(group)),
          estimate = scale * value$mean[model$of],
          std.error = scale * value$deviation[model$of]
        ),
        ladder = maximum$ladder,
        limit = maximum$limit,
        fixed = base_fit,
        model = model,
        weights = weight,
        point = maximum$point,
        information.pairs = sigma_error(base_fit, codes, weight),
        starts = if (maximum$rival) c(maximum$value, NA) else maximum$value,
        title = sprintf(
          "Random intercept regression of the truth \"%s\", %s link", base_fit$labels[2], data$link
        ),
        terms = base_fit$terms,
        frame = base_fit$model,
        mechanism = base_fit$mechanism,
        call = call
      )
    ),
    class = c("rr_glm_mixed", "rr_regression")
  )
}

# The highest supremum from the coefficients `start` of the fit without the intercept. If that fit
# lies at infinity, its point is on a plateau that climbs do not leave.
mixed_supremum <- function(model, base_fit, start) {
  maximum <- mixed_maximum(model, start, base_fit$loglik)
  if (is.null(base_fit$boundary)) return(maximum)
  near <- mixed_climb(model, numeric(model$size), 0.5)
  further <- mixed_maximum(model, near$point[seq_len(model$size)], base_fit$loglik)
  is_higher <- max(further$value, further$limit$value) >
    max(maximum$value, maximum$limit$value)
  if (is_higher) maximum <- further
  # A coefficient on a plateau may have a maximum nearer by.
  nearer <- mixed_climb(model, clamp(maximum$point, -10, 10), halvings = 1)
  if (is.null(maximum$limit) && nearer$value > maximum$value + 1e-9) {
    nearer$sigma <- abs(nearer$point[model$size + 1L])
    nearer$point[model$size + 1L] <- nearer$sigma
    fields <- c("point", "value", "sigma")
    maximum[fields] <- nearer[fields]
  }
  maximum
}

# The maximum in the unit of the user's weights.
mixed_in_units <- function(maximum, unit) {
  maximum$value <- maximum$value * unit
  maximum$ladder$loglik <- maximum$ladder$loglik * unit
  if (!is.null(maximum$limit)) maximum$limit$value <- maximum$limit$value * unit
  maximum
}

# Coefficients, sigma, and their variance from the information; `base_variance` is the variance
# without the random intercept.
mixed_estimates <- function(maximum, information, names, base_variance) {
  b <- setNames(maximum$point[seq_along(names)], names)
  sigma <- maximum$sigma
  all <- c(names, "sigma")
  variance <- matrix(
    NA_real_, length(all), length(all), dimnames = list(all, all)
  )
  infinite <- !is.null(maximum$limit)
  if (infinite) {
    ratio <- maximum$limit$ratio
    b[] <- ifelse(abs(ratio) > 1e-6, sign(ratio) * Inf, NA)
    sigma <- Inf
  } else if (sigma == 0) {
    variance[names, names] <- base_variance[names, names]
  } else {
    variance[] <- tryCatch(invert_positive(information), error = function(e) NA_real_)
  }
  list(
    coefficients = b,
    sigma = sigma,
    vcov = variance[names, names, drop = FALSE],
    variance = variance,
    loglik = if (infinite) maximum$limit$value else maximum$value,
    df = length(b) + 1,
    infinite = if (infinite) names
  )
}

# The standard error of sigma^2 that the pairs of reports of a group allow, under independence.
sigma_error <- function(base_fit, codes, weight) {
  omega <- fitted_rows(base_fit)$expected
  omega[!is.finite(omega)] <- 0
  sums <- rowsum(cbind(omega, omega^2), codes)
  1 / sqrt(
    sum(weight * (sums[, 1]^2 - sums[, 2]) / 2)
  )
}

check_mixed <- function(base_fit, data, group) {
  refuse_beside("intercept", base_fit, data)
  if (anyNA(group)) {
    abort("The group of the random intercept must not be missing.", c("missing", "argument"))
  }
  mean_weight <- ave(data$weight, match(group, unique(group)))
  if (any(data$weight != mean_weight)) {
    abort("{.arg weights} must be equal in all rows of a group: they are weights of persons.")
  }
  if (!anyDuplicated(group)) {
    abort("{.field sigma} needs at least two reports of some groups.", c(
      "no_information", "argument"
    ))
  }
  if (all(group == group[1])) {
    abort("A random intercept needs at least two groups, and all rows are of one.", c(
      "no_information", "argument"
    ))
  }
}

warn_mixed <- function(fit) {
  if (!is.null(fit$limit)) {
    warn(
      c(
        "The likelihood has its supremum where sigma is infinite.",
        i = paste(
          "{.code predict(fit)} gives the prevalences, which are finite;",
          "{.fn confint} the lower end of sigma."
        )
      ),
      "infinite"
    )
  } else if (anyNA(fit$vcov) && !length(fit$infinite)) {
    warn(
      "The likelihood has no finite curvature at its maximum: a coefficient may be infinite.",
      "infinite"
    )
  }
  if (length(fit$starts) > 1L) {
    warn("Another maximum lies within 2 units of log-likelihood.", "maxima")
  }
  if (isTRUE(fit$information.pairs > 1.6)) {
    warn(
      c(
        "The reports of one group are too few to tell dependence.",
        x = "Prevalences are safe; coefficients given the random intercept are not."
      ),
      "information"
    )
  }
}

#' @rdname random_intercept
#' @export
vcov.rr_glm_mixed <- function(object, ...) object$vcov

#' @rdname random_intercept
#' @export
formula.rr_glm_mixed <- function(x, ...) {
  formula <- formula(x$terms)
  formula[[3]] <- call(
    "+", formula[[3]], call("(", x$bar)
  )
  formula
}

#' @rdname random_intercept
#' @export
tidy.rr_glm_mixed <- function(
  x, effects = c("ran_pars", "fixed", "evasion"), conf.int = FALSE, conf.level = 0.95,
  exponentiate = FALSE, ...
) {
  choices <- c("ran_pars", "fixed", "evasion", "ran_vals")
  for (effect in effects) check_choice(effect, "effects", choices)
  group <- deparse1(x$bar[[3]])
  if (identical(effects, "ran_vals")) {
    return(tibble(effect = "ran_vals", group = group, level = x$random$level, term = "(Intercept)",
                  estimate = x$random$estimate, std.error = x$random$std.error))
  }
  table <- coefficient_table(x$coefficients, x$vcov)
  table <- add_column(table, effect = "fixed", group = NA_character_, .before = 1)
  sigma <- tibble(
    effect = "ran_pars",
    group = group,
    term = "sd__(Intercept)",
    estimate = x$sigma,
    std.error = sqrt(x$variance["sigma", "sigma"]),
    statistic = NA_real_,
    p.value = NA_real_
  )
  table <- rbind(table, sigma, evasion_table(x$evasion))
  table <- finished_table(
    table, conf.int, confint(x, level = conf.level), exponentiate, which(table$effect == "fixed")
  )
  table[table$effect %in% effects, ]
}

#' @rdname random_intercept
#' @export
glance.rr_glm_mixed <- function(x, ...) {
  # The intraclass correlation is that of the truths on the scale of the link.
  link_variance <- c(pi^2 / 3, 1, pi^2 / 6, NA)[
    match(x$fixed$link, mixed_links)
  ]
  icc <- 1 / (1 + link_variance / x$sigma^2)
  add_column(NextMethod(), sigma = x$sigma, icc = icc, ngrps = x$ngrps)
}

#' @rdname random_intercept
#' @export
predict.rr_glm_mixed <- function(
  object, newdata = NULL, type = c("truth", "report", "link"),
  random = c("average", "zero", "predicted"), ...
) {
  type <- check_choice(type)
  random <- check_choice(random)
  base_fit <- base_fit(object)
  new <- prediction_rows(base_fit, newdata, type)
  if (!is.null(object$limit) && (type == "link" || random != "average")) {
    abort("Only averages over the random intercept are finite if sigma is infinite.")
  }
  if (type == "link") return(setNames(new$eta, new$names))
  if (random == "predicted" && !is.null(newdata)) {
    abort("{.code random = \"predicted\"} is for the rows that were fitted.")
  }
  truth <- switch(
    random,
    average = base_fit$curve$yes(new$eta),
    zero = truth_curve(base_fit$link)$yes(new$eta),
    predicted = posterior_truth(object, base_fit, new$eta)
  )
  value <- if (type == "report") reported(base_fit$device, new$arm, truth) else truth
  setNames(value, new$names)
}

# The mean of the probability over the posterior of u of each row's group, from its reports and on a
# grid.
posterior_truth <- function(object, base_fit, eta) {
  u <- seq(-8.5, 8.5, length.out = 2001)
  truths <- truth_curve(base_fit$link)$yes(outer(eta, object$sigma * u, `+`))
  report <- reported(base_fit$device, base_fit$arm, truths)
  row_loglik <- log(base_fit$y * report + (1 - base_fit$y) * (1 - report))
  loglik <- rowsum(row_loglik, object$group)
  log_prior <- rep(dnorm(u, log = TRUE), each = nrow(loglik))
  posterior <- exp(sweep(loglik, 1, apply(loglik, 1, max)) + log_prior)
  rowSums(truths * (posterior / rowSums(posterior))[object$group, ])
}

regression_reports.rr_glm_mixed <- function(fit) fit$fixed$y

# The fit of rr_glm() at the coefficients of another likelihood of the same rows. Its element
# `contrast_vcov` is their variance.
base_fit <- function(fit) UseMethod("base_fit")

# `curve` is the average over persons, and the variance has a row for sigma too.
base_fit.rr_glm_mixed <- function(fit) {
  curve <- if (is.null(fit$limit)) {
    mixed_curve(fit$fixed$link, fit$sigma)
  } else {
    truth_curve("probit")
  }
  # Points are finite if coefficients are not.
  point <- fit$limit$ratio %||% fit$point[seq_along(fit$coefficients)]
  point <- setNames(point, names(fit$coefficients))
  replaced_fit(
    fit$fixed, point, fit$variance, if (is.null(fit$limit)) "sigma", curve
  )
}

replaced_fit <- function(base_fit, point, variance, further = NULL, curve = NULL) {
  base_fit[c("flat", "boundary", "design")] <- NULL
  names <- names(base_fit$coefficients)
  base_fit$coefficients[] <- NA
  estimated <- intersect(names, names(point))
  base_fit$coefficients[estimated] <- point[estimated]
  base_fit$point <- ifelse(is.na(base_fit$coefficients), 0, base_fit$coefficients)
  base_fit$linear.predictors[] <- predictor_of(
    model.matrix(base_fit), base_fit$point, base_fit$offset
  )
  base_fit$curve <- curve
  all <- c(names, further)
  base_fit$contrast_vcov <- matrix(
    NA_real_, length(all), length(all), dimnames = list(all, all)
  )
  present <- intersect(rownames(variance), all)
  base_fit$contrast_vcov[present, present] <- variance[present, present]
  base_fit
}

#' @rdname random_intercept
#' @export
confint.rr_glm_mixed <- function(
  object, parm = NULL, level = 0.95, method = c("profile", "wald"), ...
) {
  level <- check_conf_level(level)
  if (has_study(list(object))) {
    if (identical(method, "profile")) refuse_ratios(list(object))
    tell_wald()
    return(wald_limits_with_sigma(object, parm, level))
  }
  if (check_choice(method) == "wald") return(confint.rr_regression(object, parm, level))
  names <- c(names(object$coefficients), "sigma")
  drop <- qchisq(level, 1) / 2
  # The height of the log-likelihood above the fall that is allowed.
  height <- function(sigma) {
    b <- object$point[seq_along(object$coefficients)]
    mixed_climb(object$model, b, sigma, halvings = 1, tolerance = 1e-8)$value -
      object$loglik + drop
  }
  limit <- function(range) uniroot(height, range, tol = 1e-6)$root
  interval_table(parm, names, level, function(j) {
    if (j < length(names)) return(coefficient_interval(object, j, drop))
    # Limits are 0 and Inf if the likelihood has not fallen enough there. A lower limit beyond 32 is
    # 32, since the kernel has no sigmas above 60.
    top <- min(object$sigma, 32)
    height_0 <- object$fixed$loglik - object$loglik + drop
    low <- if (height_0 >= 0) {
      0
    } else if (height(top) < 0) {
      top
    } else {
      limit(c(0, top))
    }
    high <- if (top == 32 || height(32) >= 0) Inf else limit(c(top, 32))
    c(low, high)
  })
}

# Wald's limits; those of sigma are those of its logarithm, and NA if it is 0 or infinite.
wald_limits_with_sigma <- function(object, parm, level) {
  point <- c(object$coefficients, sigma = object$sigma)
  half_width <- normal_quantile(level) * sqrt(diag(object$variance))
  interval_table(parm, names(point), level, function(j) {
    if (names(point)[j] != "sigma") {
      return(point[[j]] + c(-1, 1) * half_width[[j]])
    }
    point[[j]] *
      exp(c(-1, 1) * half_width[[j]] / point[[j]])
  })
}

# The profile limits of one coefficient, whose column becomes an offset; NA without a finite
# estimate or variance.
coefficient_interval <- function(object, j, drop) {
  if (!is.finite(object$coefficients[j]) || anyNA(object$vcov)) {
    return(c(NA_real_, NA_real_))
  }
  model <- object$model
  x <- model$x[, j]
  offset <- model$kernel$offset
  others <- model
  others$kernel$x <- others$x <- model$x[, -j, drop = FALSE]
  others$size <- ncol(others$x)
  height <- function(v) {
    others$kernel$offset <- offset + x * v
    mixed_height(others, object$point[-j]) - object$loglik + drop
  }
  outer_roots(
    height, object$coefficients[[j]], sqrt(object$vcov[j, j]), drop
  )
}

# The roots of a profile on both sides of an estimate, from the Wald limit outwards; -Inf or Inf if
# there is none. `height` is the profile above the fall that is allowed.
outer_roots <- function(height, estimate, error, drop) {
  outer_root <- function(side) {
    far <- estimate + side * error * sqrt(2 * drop)
    for (round in 1:12) {
      if (height(far) < 0) {
        return(
          uniroot(height, sort(c(estimate, far)), tol = 1e-6 * error)$root
        )
      }
      far <- far + side * error * 2^(round - 1)
    }
    side * Inf
  }
  vapply(c(-1, 1), outer_root, 0)
}

mixed_height <- function(model, start) {
  if (model$size == 0) {
    model$kernel$x <- matrix(0, length(model$kernel$y), 1)
    value <- function(sigma) mixed_pass(model, c(0, sigma))$value
    return(optimize(value, c(0, 2 * start + 5), maximum = TRUE)$objective)
  }
  mixed_climb(model, start, halvings = 1, tolerance = 1e-8)$value
}

#' @rdname random_intercept
#' @export
simulate.rr_glm_mixed <- function(object, nsim = 1, seed = NULL, ...) {
  if (!is.null(object$limit)) abort("A fit with infinite sigma cannot be simulated.")
  eta <- unname(predict(object, type = "link"))
  evasion <- object$evasion
  drawn_surveys(nsim, seed, row.names(object$frame), function() {
    u <- rnorm(max(object$group))[object$group]
    truth <- truth_curve(object$fixed$link)$yes(eta + object$sigma * u)
    prob <- reported(object$fixed$device, object$fixed$arm, truth)
    reports <- rbinom(length(eta), 1, prob)
    if (!is.null(evasion)) {
      evades <- runif(max(object$group))[object$group] < evasion$gamma
      reports <- ifelse(evades, evasion$safe, reports)
    }
    factor(reports, 0:1, object$fixed$labels)
  })
}

#' @exportS3Method nlme::ranef
ranef.rr_glm_mixed <- function(object, ...) {
  data.frame(
    `(Intercept)` = object$random$estimate,
    row.names = object$random$level,
    check.names = FALSE
  )
}

#' @exportS3Method nlme::fixef
fixef.rr_glm_mixed <- function(object, ...) object$coefficients

#' @exportS3Method nlme::VarCorr
VarCorr.rr_glm_mixed <- function(x, sigma = 1, ...) {
  data.frame(
    group = deparse1(x$bar[[3]]),
    term = "(Intercept)",
    variance = x$sigma^2,
    std.dev = x$sigma
  )
}

# The share in rows of covariates. All logits are -Inf if nobody evades.
evasion_shares <- function(evasion, v) {
  if (evasion$share == 0) return(numeric(nrow(v)))
  plogis(drop(v %*% evasion$point[-seq_len(evasion$groups$size + 1L)]))
}

# ---- the rows of a share of persons who evade ----

is_constant_share <- function(evasion) identical(colnames(evasion$shares$v), "(Intercept)")

# The names of what is estimated beside the coefficients and sigma: the share, or the logits of its
# covariates.
evasion_terms <- function(evasion) {
  if (is_constant_share(evasion)) {
    protective_term
  } else {
    paste0(protective_term, ":", colnames(evasion$shares$v))
  }
}

# The rows of a table of the share, or of the logits of its covariates.
evasion_table <- function(evasion) {
  if (is.null(evasion)) return(NULL)
  share <- if (is_constant_share(evasion)) {
    tibble(
      estimate = evasion$share,
      std.error = if (evasion$share > 0) evasion$std.error else NA_real_,
      statistic = sqrt(evasion$statistic),
      p.value = evasion$p.value
    )
  } else {
    names <- names(evasion$coefficients)
    vcov <- structure(evasion$vcov, dimnames = list(names, names))
    coefficient_table(evasion$coefficients, vcov)[-1]
  }
  tibble(effect = "evasion", group = NA_character_, term = evasion_terms(evasion), share)
}

# ---- a channel that a study measured: see regress-study.R ----

# A random intercept u. A person adds to column y
#    E(dT/db) + Cov(T, R)
# over u given the reports: T is the sum over the person's rows with y_i = y of pi_ix(u) / P_i(u),
# and R the score of the person's integrand in the coefficients and sigma. The share of yes stands
# for both reports, as in channel_slopes.rr_glm().
channel_slopes.rr_glm_mixed <- function(fit) {
  mechanisms <- fit_mechanisms(fit)
  arm <- fit$model$kernel$arm + 1L
  measured <- Filter(function(arm) is_validated(mechanisms[[arm]]), unique(arm))
  posterior <- random_posterior(fit)
  lapply(measured, function(index) {
    slopes <- lapply(c(FALSE, TRUE), function(yes) {
      cbind(0, person_slopes(fit, posterior, arm == index, yes))
    })
    list(mechanism = mechanisms[[index]], slopes = slopes)
  })
}

# Column yes of G_x, x being yes or no, of the rows of one arm.
person_slopes <- function(fit, posterior, is_arm, yes) {
  rows <- posterior$rows
  truth <- if (yes) rows$truth else 1 - rows$truth
  turn <- if (yes) 1 else -1
  shares <- posterior$sum(is_arm * rows$sign * truth / rows$report)
  centred <- shares - rowSums(shares * posterior$weights)
  moved <- is_arm * rows$slope *
    (turn * rows$sign / rows$report - truth * rows$d / rows$report^2)
  score <- rows$sign * rows$d * rows$slope / rows$report
  each <- Map(function(moved, score) {
    means <- rowSums((moved + centred * score) * posterior$weights)
    sum(means * fit$model$weight)
  }, posterior$columns(moved), posterior$columns(score))
  unlist(each)
}

# The random intercept given the reports of each person, at nodes u:
#   weights          the posterior, a row for each person and a column for each node
#   rows             report_curves() of the reports at the nodes
#   sum(values)      sums of values of the reports by person
#   columns(values)  the same of values times each column of x, and times u
random_posterior <- function(fit) {
  model <- fit$model
  group <- rep(seq_along(model$weight), diff(model$first))
  h <- 0.7 /
    2^(ceiling(log2(max(1, 0.9 * fit$sigma))) + 3)
  u <- h * seq(-ceiling(8.5 / h), ceiling(8.5 / h))
  eta <- drop(model$x %*% fit$point[seq_len(model$size)]) +
    model$kernel$offset
  rows <- report_curves(fit, outer(eta, fit$sigma * u, `+`))
  sums <- function(values) rowsum(values, group)
  density <- exp(sums(log(rows$report))) *
    rep(dnorm(u), each = length(model$weight))
  list(
    weights = density / rowSums(density),
    rows = rows,
    sum = sums,
    columns = function(values) {
      slopes <- lapply(seq_len(model$size), function(j) {
        sums(values * model$x[, j])
      })
      c(slopes, list(sums(values * rep(u, each = nrow(values)))))
    }
  )
}

# For linear predictors, a matrix with a row for each report of a random intercept: the probability
# of a true yes (`truth`) with its `slope`, that of the `report`, and by row `d` and the `sign` of
# the report, 1 for yes.
report_curves <- function(fit, eta) {
  curve <- truth_curve(fit$fixed$link)
  kernel <- fit$model$kernel
  device <- matrix(kernel$device, 5)[, kernel$arm + 1L]
  truth <- matrix(curve$yes(eta), nrow(eta))
  is_yes <- kernel$y == 1
  own_yes <- ifelse(is_yes, device[1, ], device[3, ])
  own_no <- ifelse(is_yes, device[2, ], device[4, ])
  list(
    truth = truth,
    slope = matrix(curve$derivative(eta, 1), nrow(eta)),
    report = own_yes * truth + own_no * (1 - truth),
    d = device[5, ],
    sign = ifelse(is_yes, 1, -1)
  )
}

# The fit with a random intercept whose variances have the study's part.
with_mixed_study <- function(fit) {
  if (!has_study(list(fit)) || all(is.na(diag(fit$variance)))) {
    return(fit)
  }
  names <- rownames(fit$vcov)
  fit$variance <- fit$variance + study_covariance(fit, fit$variance)
  fit$vcov <- fit$variance[names, names, drop = FALSE]
  fit
}
