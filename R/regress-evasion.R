# Evasion: persons who give the denying report to all their questions, beside those who follow a
# regression with a random intercept (inst/mathematics/mixed.md 7). The parameters are coefficients,
# sigma, and logits of the share.

# The fit with a class of persons who evade; `without` is the fit without it, `data` the checked
# rows, and `protective` a report, or the covariates of the share.
evasion_fit <- function(without, data, protective) {
  safe <- denying_reports(without$fixed, data, protective)
  formula <- if (inherits(protective, "formula")) protective else ~ 1
  shares <- share_columns(formula, data$frame, "protective")
  check_evasion(without, shares$v)
  groups <- evasion_groups(without, data, safe, shares$v)
  solution <- evasion_maximum(groups, without)
  if (is.null(solution)) solution <- evasion_none(without, groups)
  fit <- describe_evasion(without, solution, groups, shares)
  fit$evasion[c("protective", "safe")] <- list(protective, safe)
  fit$evasion$gamma <- evasion_shares(fit$evasion, shares$v)
  fit
}

# The report of each row that denies: 1 for the second, else 0. If `protective` is no report, it is
# the one that a true no makes more likely.
denying_reports <- function(fixed, data, protective) {
  n <- length(data$y)
  if (inherits(protective, "formula")) {
    return(as.double(row_device(data$device, data$arm, n)$d < 0))
  }
  check_that(
    is.character(protective) && length(protective) == 1L && protective %in% fixed$labels,
    protective, "protective",
    sprintf(
      "one report, such as \"%s\", or the covariates of the share, as in {.code ~ x}",
      fixed$labels[1]
    )
  )
  rep(as.double(protective == fixed$labels[2]), n)
}

check_evasion <- function(without, v) {
  if (max(tabulate(without$group)) < 3L) {
    abort(c("Evasion needs at least three reports of some groups.",
            x = "With two {.field sigma} and the share of those who evade cannot be told apart."),
          c("no_information", "argument"))
  }
  if (any(v != v[match(without$group, without$group), ])) {
    abort("The covariates of {.arg protective} must be equal in all rows of a group.")
  }
}

# The model of a random intercept with further fields:
#   person   the group of each row
#   safe     do all reports of the group deny?
#   v        the covariates of the share, a row for each group
#   names    the names of the parameters
#   evaders  the model of the groups whose reports all deny
evasion_groups <- function(without, data, safe, v) {
  groups <- mixed_model(data, names(without$coefficients), without$group, without$weights,
                        do.call(paste, c(as.data.frame(v), list(safe))))
  size <- diff(groups$first)
  groups$person <- rep(seq_along(size), size)
  admits <- 1 * (data$y != safe)[groups$rows]
  groups$safe <- as.vector(rowsum(admits, groups$person)) == 0
  groups$v <- unname(
    v[groups$rows[groups$first[-1]], , drop = FALSE]
  )
  groups$names <- c(
    names(without$coefficients), "sigma", paste0(protective_term, ":", seq_len(ncol(v)))
  )
  groups$evaders <- denying_groups(groups, size)
  groups
}

# The model of the groups whose reports all deny.
denying_groups <- function(groups, size) {
  denies <- groups$safe[groups$person]
  kernel <- groups$kernel
  kernel$x <- groups$x[denies, , drop = FALSE]
  for (name in c("y", "offset", "arm")) {
    kernel[[name]] <- groups$kernel[[name]][denies]
  }
  list(kernel = kernel, first = c(0L, cumsum(size[groups$safe])))
}

# The model for climb(), in orthogonal columns.
evasion_model <- function(groups, halvings = 0) {
  basis <- orthogonal_columns(unname(groups$x), groups$weight[groups$person])
  share_basis <- orthogonal_columns(groups$v, groups$weight)
  x <- seq_len(groups$size)
  sigma <- groups$size + 1L
  to <- block_diagonal(list(basis$back, diag(1), share_basis$back))
  predictors <- function(b) {
    c(
      basis$z %*% b[x], 3 * b[sigma],
      share_basis$z %*% b[-c(x, sigma)]
    )
  }
  evaluate <- function(b, need) {
    state <- evasion_value(groups, drop(to %*% b), halvings)
    if (length(state) == 1L) return(state)
    list(
      value = state$value,
      gradient = drop(crossprod(to, state$gradient)),
      observed = crossprod(to, state$observed %*% to),
      fallback = crossprod(to, state$fallback %*% to)
    )
  }
  new_likelihood(names = groups$names, evaluate = evaluate, predictors = predictors, to = to,
                 total = sum(groups$weight))
}

# Value, score, information and a curvature that is never indefinite, from those of the random
# intercept alone. The probability of a group's reports is
#   (1 - gamma) M + gamma 1{all deny}
# and tau is the posterior probability of evasion.
evasion_value <- function(groups, point, halvings) {
  k <- seq_len(groups$size + 1L)
  state <- mixed_pass(groups, point[k], halvings)
  if (!is.finite(state$value)) return(list(value = -Inf))
  mix <- evasion_posterior(groups, state$loglik, point[-k])
  weight <- groups$weight
  observed <- state$observed
  if (any(groups$safe)) {
    evaders <- groups$evaders
    evaders$weight <- (weight * mix$tau)[groups$safe]
    observed <- observed - mixed_pass(evaders, point[k], halvings)$observed
  }
  variance <- weight * mix$tau * (1 - mix$tau)
  observed <- observed - crossprod(state$scores, variance * state$scores)
  cross <- crossprod(state$scores, variance * groups$v)
  share_weights <- weight * mix$gamma * mix$slack - variance
  share_information <- crossprod(groups$v, share_weights * groups$v)
  scores <- cbind(
    (1 - mix$tau) * state$scores,
    (mix$tau - mix$gamma) * groups$v
  )
  list(
    value = sum(weight * mix$loglik),
    gradient = colSums(weight * scores),
    observed = rbind(cbind(observed, cross), cbind(t(cross), share_information)),
    fallback = crossprod(scores, weight * scores)
  )
}

evasion_posterior <- function(groups, loglik, logits) {
  if (all(logits == -Inf)) {
    return(list(
      gamma = 0 * loglik,
      slack = 1 + 0 * loglik,
      tau = 0 * loglik,
      loglik = loglik
    ))
  }
  gamma <- plogis(drop(groups$v %*% logits))
  slack <- plogis(-drop(groups$v %*% logits))
  share <- slack * exp(loglik) + gamma
  list(
    gamma = gamma,
    slack = slack,
    tau = ifelse(groups$safe, gamma / share, 0),
    loglik = ifelse(groups$safe, log(share), log(slack) + loglik)
  )
}

# The maximum with a share of evasion, climbed from the fit without the class and from the one with
# sigma 0; NULL if nobody evades.
evasion_maximum <- function(groups, without) {
  model <- evasion_model(groups)
  sigma <- groups$size + 1L
  points <- list(
    without$point,
    c(without$fixed$point[colnames(groups$x)], 0.5)
  )
  starts <- lapply(points, function(b) {
    lapply(c(0.02, 0.1, 0.3), function(share) {
      backsolve(
        model$slope(), c(b, project_constant(groups$v, qlogis(share)))
      )
    })
  })
  starts <- unlist(starts, recursive = FALSE)
  best <- highest_maximum(model, do.call(cbind, starts))
  none <- (without$limit$value %||% without$loglik) + 1e-7
  if (best$value <= none) return(NULL)
  # The likelihood is even in sigma. The climb goes on with the finer grid.
  best$b[sigma] <- abs(best$b[sigma])
  finer <- evasion_model(groups, 1)
  end <- highest_maximum(finer, cbind(best$b))
  # A share of 0 is the limit of a climb, which ends near it.
  if (end$value <= none) return(NULL)
  solution <- fit_likelihood(finer, best = end)
  if (solution$estimate[sigma] > 40) {
    abort("Evasion cannot be told from an infinite {.field sigma}.", "no_information")
  }
  # A sigma of 0 is the limit of a climb, too.
  if (solution$estimate[sigma] < 1e-4) {
    solution$estimate[sigma] <- solution$coefficients[sigma] <- 0
    solution$vcov[sigma, ] <- solution$vcov[, sigma] <- NA
  }
  solution$starts <- best$values[best$values > best$value - 2]
  solution
}

# The maximum if nobody evades: the fit without the class, at the share 0.
evasion_none <- function(without, groups) {
  if (!is.null(without$limit)) {
    abort("Evasion cannot be told from an infinite {.field sigma}.", "no_information")
  }
  point <- c(without$point, rep(-Inf, ncol(groups$v)))
  V <- matrix(NA_real_, length(point), length(point))
  V[seq_along(without$point), seq_along(without$point)] <- without$variance
  list(
    coefficients = point,
    estimate = point,
    vcov = V,
    loglik = without$loglik,
    starts = without$starts,
    infinite = without$infinite
  )
}

# The fit with the class: the fit without it, with the elements that change.
describe_evasion <- function(without, solution, groups, shares) {
  x <- seq_len(groups$size)
  k <- seq_len(groups$size + 1L)
  names(solution$coefficients) <- names(solution$estimate) <- groups$names
  dimnames(solution$vcov) <- list(groups$names, groups$names)
  state <- mixed_pass(groups, solution$estimate[k])
  mix <- evasion_posterior(groups, state$loglik, solution$estimate[-k])
  fields <- c("without", "limit", "infinite")
  fit <- replace(without, fields, list(without, NULL, solution$infinite))
  fit[c("coefficients", "sigma", "point", "loglik", "starts")] <- list(
    solution$coefficients[x],
    solution$estimate[["sigma"]],
    solution$estimate[k],
    solution$loglik,
    solution$starts
  )
  fit$variance <- solution$vcov[k, k]
  fit$vcov <- solution$vcov[x, x, drop = FALSE]
  fit$df <- without$df + ncol(groups$v)
  fit$random[c("estimate", "std.error")] <- evasion_intercepts(
    state, mix$tau, fit$sigma, groups$of
  )
  fit$evasion <- c(
    evasion_share(without, solution, mix, groups, shares),
    list(
      shares = shares,
      posterior = mix$tau[groups$of],
      groups = groups,
      point = solution$estimate,
      covariance = solution$vcov
    )
  )
  structure(fit, class = c("rr_glm_evasion", class(without)))
}

# The posterior means and standard deviations of the random intercepts. A person who evades may have
# any intercept.
evasion_intercepts <- function(state, tau, sigma, of) {
  mean <- (1 - tau) * state$mean
  square <- tau + (1 - tau) * (state$deviation^2 + state$mean^2)
  list(
    sigma * mean[of],
    sigma * sqrt(pmax(square - mean^2, 0))[of]
  )
}

# The mean share, its standard error, and the test of none: half of the upper tail, if the share is
# one number.
evasion_share <- function(without, solution, mix, groups, shares) {
  index <- -seq_len(groups$size + 1L)
  weight <- groups$weight / sum(groups$weight)
  slope <- colSums(weight * mix$gamma * mix$slack * groups$v)
  V <- solution$vcov[index, index, drop = FALSE]
  rise <- max(0, 2 * (solution$loglik - without$loglik))
  p_value <- if (rise == 0) {
    1
  } else {
    pchisq(rise, ncol(groups$v), lower.tail = FALSE) /
      (1 + (ncol(groups$v) == 1L))
  }
  list(
    coefficients = setNames(solution$coefficients[index], colnames(shares$v)),
    vcov = V,
    share = sum(weight * mix$gamma),
    std.error = sqrt(drop(slope %*% V %*% slope)),
    statistic = rise,
    p.value = p_value
  )
}

# ---- methods ----

#' @rdname random_intercept
#' @export
confint.rr_glm_evasion <- function(
  object, parm = NULL, level = 0.95, method = c("wald", "profile"), ...
) {
  level <- check_conf_level(level)
  method <- check_choice(method)
  evasion <- object$evasion
  share <- is_constant_share(evasion)
  names <- c(names(object$coefficients), "sigma", evasion_terms(evasion))
  interval_table(parm, names, level, function(j) {
    # Limits of sigma are those of its logarithm: they have no negative values.
    point <- evasion$point[[j]]
    if (method == "profile") {
      limits <- evasion_profile(object, j, qchisq(level, 1) / 2)
    } else {
      half_width <- normal_quantile(level) * sqrt(evasion$covariance[j, j])
      limits <- if (names[j] == "sigma") {
        point * exp(c(-1, 1) * half_width / point)
      } else {
        point + c(-1, 1) * half_width
      }
    }
    if (share && names[j] == protective_term) plogis(limits) else limits
  })
}

# The profile limits of one parameter: a sigma of 0 and a share of 0 are limits, too.
evasion_profile <- function(object, j, drop) {
  evasion <- object$evasion
  point <- evasion$point[[j]]
  error <- sqrt(evasion$covariance[j, j])
  height <- function(value) evasion_height(evasion, j, value) - object$loglik + drop
  sigma <- names(evasion$point)[j] == "sigma"
  share <- is_constant_share(evasion) && j == length(evasion$point)
  # An estimate of 0 has no error, and its profile begins near it.
  if (!is.finite(error)) {
    if (!sigma && !share) return(c(NA_real_, NA_real_))
    error <- 1
    if (point == -Inf) point <- qlogis(1e-6)
  }
  reaches_0 <- (sigma && height(0) >= 0) ||
    (share && object$without$loglik - object$loglik + drop >= 0)
  if (!reaches_0) return(outer_roots(height, point, error, drop))
  # The upper limit alone is a root: a share of 0 has the logit -Inf.
  upper_height <- function(v) if (v < point) -1 else height(v)
  upper <- outer_roots(upper_height, point, error, drop)[2]
  c(if (sigma) 0 else -Inf, upper)
}

# The largest log-likelihood with parameter j at `value`. If the share is 0, the climb begins at a
# small one.
evasion_height <- function(evasion, j, value) {
  if (evasion$share == 0) {
    logits <- project_constant(evasion$groups$v, qlogis(0.01))
    evasion$point[-seq_len(evasion$groups$size + 1L)] <- logits
  }
  evaluate <- function(b, need) {
    state <- evasion_value(evasion$groups, append(b, value, j - 1), 1)
    if (length(state) == 1L) return(state)
    list(
      value = state$value,
      gradient = state$gradient[-j],
      observed = state$observed[-j, -j, drop = FALSE],
      fallback = state$fallback[-j, -j, drop = FALSE]
    )
  }
  metric <- diag(sum(evasion$groups$weight), length(evasion$point) - 1L)
  reach <- function(step) max(abs(step))
  kernel <- list(evaluate = evaluate, reach = reach, metric = metric)
  climb(list(kernel = kernel), evasion$point[-j], tolerance = 1e-8)$value
}

#' @rdname random_intercept
#' @export
predict.rr_glm_evasion <- function(
  object, newdata = NULL, type = c("truth", "report", "link", "evasion"),
  random = c("average", "zero", "predicted"), ...
) {
  type <- check_choice(type)
  evasion <- object$evasion
  if (type == "evasion" && is.null(newdata)) {
    return(setNames(evasion$posterior[object$group], row.names(object$frame)))
  }
  gamma <- if (!is.null(newdata)) {
    evasion_shares(evasion, new_share_columns(evasion$shares, newdata))
  } else if (identical(random, "predicted")) {
    evasion$posterior[object$group]
  } else {
    evasion$gamma
  }
  if (type == "evasion") return(setNames(gamma, row.names(newdata)))
  value <- predict.rr_glm_mixed(object, newdata, type, random)
  if (type != "report") return(value)
  arm <- prediction_rows(base_fit(object), newdata, type)$arm
  data <- list(y = value, arm = arm, device = object$fixed$device)
  safe <- denying_reports(object$fixed, data, evasion$protective)
  (1 - gamma) * value + gamma * safe
}

#' @rdname random_intercept
#' @export
print.rr_glm_evasion <- function(x, digits = 4, ...) {
  print_heading(x)
  evasion <- x$evasion
  writeLines(within_80(paste0(
    "  persons who evade: ", format_share(signif(evasion$share, 3)), ", test of none p = ",
    format(evasion$p.value, digits = 2), "; log-likelihood ", format(x$loglik, digits = 7),
    ", without them ", format(x$without$loglik, digits = 7)
  )))
  table <- tidy(x)
  missing <- rep(NA, nrow(table) - length(x$coefficients) - 1)
  table$without <- c(x$without$coefficients, x$without$sigma, missing)
  table <- format_p(as.data.frame(table), check_digits(digits))
  print(
    table[c("term", "estimate", "std.error", "p.value", "without")], digits = digits,
    row.names = FALSE
  )
  invisible(x)
}
