# Evasion: persons who give the denying report to all their questions, beside those who follow a
# regression with a random intercept (inst/mathematics/mixed.md 7). Parameters: coefficients, sigma,
# and logits of the share.

# `without` is the fit without this class, `data` the checked rows; `protective` is a report, or the
# covariates of the share.
evasion_fit <- function(without, data, frame, protective) {
  safe <- denying_reports(without$fixed, data, protective)
  shares <- share_columns(
    if (inherits(protective, "formula")) protective else ~ 1, frame, "protective"
  )
  check_evasion(without, shares$v)
  groups <- evasion_groups(without, data, safe, shares$v)
  found <- evasion_maximum(groups, without)
  fit <- describe_evasion(
    without, if (is.null(found)) evasion_none(without, groups) else found, groups, shares
  )
  fit$evasion[c("protective", "safe")] <- list(protective, safe)
  fit$evasion$gamma <- evasion_shares(fit$evasion, shares$v)
  fit
}

# 1 for the rows in which the report that denies is the second. By the device it is the more likely
# one of a true no.
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

# The groups of a random intercept, with `safe`, those whose reports all deny, `evaders`, a model of
# these alone, and the covariates `v` of the share.
evasion_groups <- function(without, data, safe, v) {
  groups <- mixed_model(data, names(without$coefficients), without$group, without$weights,
                        do.call(paste, c(as.data.frame(v), list(safe))))
  size <- diff(groups$first)
  groups$person <- rep(seq_along(size), size)
  groups$safe <- as.vector(
    rowsum(1 * (data$y != safe)[groups$kept], groups$person)
  ) == 0
  groups$v <- unname(
    v[groups$kept[groups$first[-1]], , drop = FALSE]
  )
  groups$names <- c(
    names(without$coefficients), "sigma", paste0(protective_term, ":", seq_len(ncol(v)))
  )
  groups$evaders <- denying_groups(groups, size)
  groups
}

# Groups whose reports all deny.
denying_groups <- function(groups, size) {
  denies <- groups$safe[groups$person]
  kernel <- groups$kernel
  kernel$x <- groups$x[denies, , drop = FALSE]
  for (name in c("y", "offset", "arm")) {
    kernel[[name]] <- groups$kernel[[name]][denies]
  }
  list(kernel = kernel, first = c(0L, cumsum(size[groups$safe])))
}

# A likelihood of climb() in orthogonal columns.
evasion_model <- function(groups, halvings = 0) {
  basis <- orthogonal_columns(unname(groups$x), groups$weight[groups$person])
  own <- orthogonal_columns(groups$v, groups$weight)
  x <- seq_len(groups$size)
  sigma <- groups$size + 1L
  to <- block_diagonal(list(basis$back, diag(1), own$back))
  predictors <- function(b) {
    c(
      basis$z %*% b[x], 3 * b[sigma],
      own$z %*% b[-c(x, sigma)]
    )
  }
  evaluate <- function(b, need) {
    now <- evasion_value(groups, drop(to %*% b), halvings)
    if (length(now) == 1L) return(now)
    list(
      value = now$value,
      gradient = drop(crossprod(to, now$gradient)),
      observed = crossprod(to, now$observed %*% to),
      fallback = crossprod(to, now$fallback %*% to)
    )
  }
  new_likelihood(names = groups$names, evaluate = evaluate, predictors = predictors, to = to,
                 total = sum(groups$weight))
}

# Value, score, information and a curvature that is never indefinite, from those of the random
# intercept alone. The probability of a group's reports is (1 - gamma) M + gamma 1{all deny}, and
# tau the posterior probability of evasion.
evasion_value <- function(groups, at, halvings) {
  k <- seq_len(groups$size + 1L)
  plain <- mixed_pass(groups, at[k], halvings)
  if (!is.finite(plain$value)) return(list(value = -Inf))
  mix <- evasion_posterior(groups, plain$loglik, at[-k])
  weight <- groups$weight
  observed <- plain$observed
  if (any(groups$safe)) {
    evaders <- replace(
      groups$evaders, "weight", list((weight * mix$tau)[groups$safe])
    )
    observed <- observed - mixed_pass(evaders, at[k], halvings)$observed
  }
  spread <- weight * mix$tau * (1 - mix$tau)
  cross <- crossprod(plain$scores, spread * groups$v)
  own <- crossprod(
    groups$v, (weight * mix$gamma * mix$slack - spread) * groups$v
  )
  scores <- cbind(
    (1 - mix$tau) * plain$scores,
    (mix$tau - mix$gamma) * groups$v
  )
  list(
    value = sum(weight * mix$loglik),
    gradient = colSums(weight * scores),
    observed = rbind(
      cbind(observed - crossprod(plain$scores, spread * plain$scores), cross),
      cbind(t(cross), own)
    ),
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

# NULL if nobody evades. From the fit without the class, and from the one with sigma 0.
evasion_maximum <- function(groups, without) {
  model <- evasion_model(groups)
  sigma <- groups$size + 1L
  known <- list(
    without$at,
    c(without$fixed$point[colnames(groups$x)], 0.5)
  )
  starts <- unlist(
    lapply(known, function(b) {
      lapply(c(0.02, 0.1, 0.3), function(share) {
        backsolve(
          model$slope(), c(b, project_constant(groups$v, qlogis(share)))
        )
      })
    }),
    recursive = FALSE
  )
  best <- highest_maximum(model, do.call(cbind, starts))
  none <- (without$limit$value %||% without$loglik) + 1e-7
  if (best$value <= none) return(NULL)
  # The likelihood is even in sigma. The finer grid, from the end of the other.
  best$b[sigma] <- abs(best$b[sigma])
  finer <- evasion_model(groups, 1)
  end <- highest_maximum(finer, cbind(best$b))
  # The climb only nears a share of 0.
  if (end$value <= none) return(NULL)
  found <- fit_likelihood(finer, best = end)
  if (found$estimate[sigma] > 40) {
    abort("Evasion cannot be told from an infinite {.field sigma}.", "no_information")
  }
  # The climb only nears a sigma of 0.
  if (found$estimate[sigma] < 1e-4) {
    found$estimate[sigma] <- found$coefficients[sigma] <- 0
    found$vcov[sigma, ] <- found$vcov[, sigma] <- NA
  }
  found$starts <- best$values[best$values > best$value - 2]
  found
}

# The fit without the class, at the share 0.
evasion_none <- function(without, groups) {
  if (!is.null(without$limit)) {
    abort("Evasion cannot be told from an infinite {.field sigma}.", "no_information")
  }
  at <- c(without$at, rep(-Inf, ncol(groups$v)))
  V <- matrix(NA_real_, length(at), length(at))
  V[seq_along(without$at), seq_along(without$at)] <- without$variance
  list(
    coefficients = at,
    estimate = at,
    vcov = V,
    loglik = without$loglik,
    starts = without$starts,
    infinite = without$infinite
  )
}

# The fit without the class, with what changes.
describe_evasion <- function(without, found, groups, shares) {
  x <- seq_len(groups$size)
  k <- seq_len(groups$size + 1L)
  names(found$coefficients) <- names(found$estimate) <- groups$names
  dimnames(found$vcov) <- list(groups$names, groups$names)
  plain <- mixed_pass(groups, found$estimate[k])
  mix <- evasion_posterior(groups, plain$loglik, found$estimate[-k])
  fit <- replace(
    without, c("without", "limit", "infinite"), list(without, NULL, found$infinite)
  )
  fit[c("coefficients", "sigma", "at", "loglik", "starts")] <- list(
    found$coefficients[x],
    found$estimate[["sigma"]],
    found$estimate[k],
    found$loglik,
    found$starts
  )
  fit$variance <- found$vcov[k, k]
  fit$vcov <- found$vcov[x, x, drop = FALSE]
  fit$df <- without$df + ncol(groups$v)
  fit$random[c("estimate", "std.error")] <- evasion_intercepts(
    plain, mix$tau, fit$sigma, groups$of
  )
  fit$evasion <- c(
    evasion_share(without, found, mix, groups, shares),
    list(
      shares = shares,
      posterior = mix$tau[groups$of],
      groups = groups,
      at = found$estimate,
      covariance = found$vcov
    )
  )
  structure(fit, class = c("rr_glm_evasion", class(without)))
}

# Who evades may have any intercept.
evasion_intercepts <- function(plain, tau, sigma, of) {
  mean <- (1 - tau) * plain$mean
  square <- tau + (1 - tau) * (plain$deviation^2 + plain$mean^2)
  list(
    sigma * mean[of],
    sigma * sqrt(pmax(square - mean^2, 0))[of]
  )
}

# The mean share, its standard error, and the test of none: half of the upper tail, if the share is
# one number.
evasion_share <- function(without, found, mix, groups, shares) {
  own <- -seq_len(groups$size + 1L)
  weight <- groups$weight / sum(groups$weight)
  slope <- colSums(weight * mix$gamma * mix$slack * groups$v)
  V <- found$vcov[own, own, drop = FALSE]
  rise <- max(0, 2 * (found$loglik - without$loglik))
  one <- ncol(groups$v) == 1L
  list(
    coefficients = setNames(found$coefficients[own], colnames(shares$v)),
    vcov = V,
    share = sum(weight * mix$gamma),
    std.error = sqrt(drop(slope %*% V %*% slope)),
    statistic = rise,
    p.value = if (rise == 0) {
      1
    } else {
      pchisq(rise, ncol(groups$v), lower.tail = FALSE) / (1 + one)
    }
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
  own <- object$evasion
  share <- is_constant_share(own)
  names <- c(names(object$coefficients), "sigma", evasion_terms(own))
  interval_table(parm, names, level, function(j) {
    # sigma by its logarithm, which has no negative values.
    at <- own$at[[j]]
    log <- names[j] == "sigma"
    if (method == "profile") {
      ends <- evasion_profile(object, j, qchisq(level, 1) / 2)
    } else {
      half <- normal_quantile(level) * sqrt(own$covariance[j, j])
      ends <- if (log) {
        at * exp(c(-1, 1) * half / at)
      } else {
        at + c(-1, 1) * half
      }
    }
    if (share && names[j] == protective_term) plogis(ends) else ends
  })
}

# The profile of one parameter: a sigma of 0 and a share of 0 end it.
evasion_profile <- function(object, j, drop) {
  own <- object$evasion
  at <- own$at[[j]]
  error <- sqrt(own$covariance[j, j])
  height <- function(value) evasion_height(own, j, value) - object$loglik + drop
  sigma <- names(own$at)[j] == "sigma"
  share <- is_constant_share(own) && j == length(own$at)
  # An estimate of 0 has no error, and its profile begins near it.
  if (!is.finite(error)) {
    if (!sigma && !share) return(c(NA_real_, NA_real_))
    error <- 1
    if (at == -Inf) at <- qlogis(1e-6)
  }
  reached <- (sigma && height(0) >= 0) ||
    (share && object$without$loglik - object$loglik + drop >= 0)
  if (!reached) return(outer_ends(height, at, error, drop))
  # The other end alone is looked for: a share of 0 has the logit -Inf.
  upper <- outer_ends(function(v) if (v < at) -1 else height(v), at, error, drop)[
    2
  ]
  c(if (sigma) 0 else -Inf, upper)
}

# The log-likelihood at its best over the other parameters, a share of 0 from a small one.
evasion_height <- function(own, j, value) {
  if (own$share == 0) {
    own$at[-seq_len(own$groups$size + 1L)] <- project_constant(
      own$groups$v, qlogis(0.01)
    )
  }
  evaluate <- function(b, need) {
    now <- evasion_value(own$groups, append(b, value, j - 1), 1)
    if (length(now) == 1L) return(now)
    list(
      value = now$value,
      gradient = now$gradient[-j],
      observed = now$observed[-j, -j, drop = FALSE],
      fallback = now$fallback[-j, -j, drop = FALSE]
    )
  }
  metric <- diag(sum(own$groups$weight), length(own$at) - 1L)
  climb(
    list(
      kernel = list(
        evaluate = evaluate,
        reach = function(step) max(abs(step)),
        metric = metric
      )
    ),
    own$at[-j], 1e-8
  )$value
}

#' @rdname random_intercept
#' @export
predict.rr_glm_evasion <- function(
  object, newdata = NULL, type = c("truth", "report", "link", "evasion"),
  random = c("average", "zero", "predicted"), ...
) {
  type <- check_choice(type)
  own <- object$evasion
  if (type == "evasion" && is.null(newdata)) {
    return(setNames(own$posterior[object$group], row.names(object$frame)))
  }
  gamma <- if (is.null(newdata)) {
    own$gamma
  } else {
    evasion_shares(own, new_share_columns(own$shares, newdata))
  }
  if (type == "evasion") return(setNames(gamma, row.names(newdata)))
  value <- predict.rr_glm_mixed(object, newdata, type, random)
  if (type != "report") return(value)
  arm <- prediction_rows(base_fit(object), newdata, type)$arm
  safe <- denying_reports(
    object$fixed, list(y = value, arm = arm, device = object$fixed$device),
    own$protective
  )
  (1 - gamma) * value + gamma * safe
}

#' @rdname random_intercept
#' @export
print.rr_glm_evasion <- function(x, digits = 4, ...) {
  print_heading(x)
  own <- x$evasion
  cat(
    "  persons who evade: ", format_share(signif(own$share, 3)), ", test of none p = ",
    format(own$p.value, digits = 2), "; log-likelihood ", format(x$loglik, digits = 7),
    ", without them ", format(x$without$loglik, digits = 7), "\n", sep = ""
  )
  table <- tidy(x)
  table$without <- c(
    x$without$coefficients, x$without$sigma,
    rep(NA, nrow(table) - length(x$coefficients) - 1)
  )
  table <- format_p(as.data.frame(table), check_digits(digits))
  print(
    table[c("term", "estimate", "std.error", "p.value", "without")], digits = digits,
    row.names = FALSE
  )
  invisible(x)
}
