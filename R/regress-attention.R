# Attention with covariates needs two regressions, one of the truth and one of attention, from a
# question and its anchor question (inst/mathematics/mixed.md 9). Coefficients are those of the
# truth, then those of attention.

# The fit with attention; `base_fit` is the fit without it, `model_data` its checked data, and
# `shares` has the covariates of the share.
attention_fit <- function(base_fit, model_data, shares, by, starts, call) {
  data <- model_data$data
  anchor <- base_fit$anchor
  refuse_beside("{.arg attention}", base_fit, data, c(`this link` = !data$link %in% mixed_links))
  base_fit["anchor"] <- list(NULL)
  keep <- !is_aliased(base_fit)
  reported <- anchor_reports(base_fit$model[["(anchor)"]], anchor[[1]])
  rows <- attention_rows(data, reported, anchor[[1]]$attention, by)
  unit <- weight_unit(data$weight)
  x <- data$x[, keep, drop = FALSE]
  sorted <- sorted_attention(rows, x, shares$v, unit)
  model <- attention_model(sorted)
  check_enough_rows(sum(data$weight > 0), model$size)
  best <- highest_maximum(model, attention_starts(model, starts))
  fit <- fit_likelihood(model, best = best, unit = unit)
  attention <- plogis(
    predictor_of(shares$v, fit$estimate[-seq_len(sum(keep))], NULL)
  )
  fit <- structure(
    c(
      fit,
      list(
        scores = attention_scores(rows, x, shares$v, fit$estimate),
        n = sum(data$weight > 0),
        by = by,
        shares = shares,
        attention = attention,
        fixed = base_fit,
        weights = data$weight,
        anchor = anchor,
        mechanism = base_fit$mechanism,
        frame = base_fit$model,
        terms = base_fit$terms,
        call = call,
        title = sprintf(
          "Regression of the truth \"%s\" with the attention of each %s, %s link",
          base_fit$labels[2], by, data$link
        ),
        note = sprintf(
          "attentive: %s on average",
          format_share(signif(sum(data$weight * attention) / sum(data$weight), 3))
        )
      )
    ),
    class = c("rr_glm_attention", "rr_regression")
  )
  with_design(fit, base_fit$design, model_data$scale, function(w) {
    weight <- w[sorted$order] * model_data$scale / unit
    climb_replicate(attention_model(sorted, weight), fit$b)
  })
}

# The rows of the likelihood. It has a factor for each question, or their product for each person.
# The probability of the report is `chance` for an inattentive respondent, and for an attentive one
#   base + slope F(x'b)
attention_rows <- function(data, reported, attention, by) {
  device <- row_device(data$device, data$arm, length(data$y))
  of <- function(yes, y) ifelse(y == 1, yes, 1 - yes)
  question <- list(
    base = of(device$q, data$y),
    slope = device$d * (2 * data$y - 1),
    chance = of(attention[["inattentive"]], data$y)
  )
  anchor <- list(
    base = of(attention[["attentive"]], reported),
    slope = numeric(length(reported)),
    chance = of(attention[["inattentive"]], reported)
  )
  joint <- list(
    base = question$base * anchor$base,
    slope = question$slope * anchor$base,
    chance = question$chance * anchor$chance
  )
  list(
    factors = if (by == "person") list(joint) else list(question, anchor),
    weight = data$weight,
    offset = data$offset %||% numeric(length(reported)),
    curve = truth_curve(data$link),
    start = attention_start(data, reported, attention, device)
  )
}

# The linear predictors of the prevalence and of attention by moments, constants.
attention_start <- function(data, reported, attention, device) {
  mean <- function(x) sum(data$weight * x) / sum(data$weight)
  inside <- function(share) min(max(share, 0.05), 0.95)
  difference <- attention[["attentive"]] - attention[["inattentive"]]
  gamma <- inside((mean(reported) - attention[["inattentive"]]) / difference)
  excess <- mean(data$y) - attention[["inattentive"]]
  truth <- (excess / gamma + attention[["inattentive"]] - mean(device$q)) /
    mean(device$d)
  c(truth_curve(data$link)$inverse(inside(truth)), qlogis(gamma))
}

# The rows with their covariates in the order of their content (`order`), weights in `unit`.
sorted_attention <- function(rows, x, v, unit) {
  columns <- c(
    unlist(rows$factors, recursive = FALSE), rows[c("weight", "offset")]
  )
  order <- content_order(cbind(x, v), columns)
  rows$factors <- lapply(rows$factors, function(factor) lapply(factor, `[`, order))
  rows$weight <- rows$weight[order] / unit
  rows$offset <- rows$offset[order]
  c(
    rows,
    list(
      x = x[order, , drop = FALSE],
      v = v[order, , drop = FALSE],
      order = order
    )
  )
}

# The model of new_likelihood() with the sorted rows, `attention`, and the orthogonal columns z of
# truth and attention, which stay the same with other weights.
attention_model <- function(rows, weight = rows$weight) {
  basis <- orthogonal_columns(unname(rows$x), rows$weight)
  attention_basis <- orthogonal_columns(unname(rows$v), rows$weight)
  k <- seq_len(ncol(rows$x))
  predictors <- function(b) {
    list(
      drop(basis$z %*% b[k]) + rows$offset,
      drop(attention_basis$z %*% b[-k])
    )
  }
  evaluate <- function(b, need) {
    eta <- predictors(b)
    if (need == 0L) {
      loglik <- attention_loglik(
        rows, rows$curve$yes(eta[[1]]), eta[[2]]
      )
      return(list(value = sum(weight * loglik)))
    }
    derivatives <- attention_derivatives(rows, eta[[1]], eta[[2]])
    attention_state(weight, derivatives, basis$z, attention_basis$z)
  }
  near <- function(z, target) drop(crossprod(z, weight * target)) / sum(weight)
  model <- new_likelihood(
    names = c(colnames(rows$x), paste0("attention:", colnames(rows$v))),
    evaluate = evaluate,
    predictors = function(b) {
      c(basis$z %*% b[k], attention_basis$z %*% b[-k])
    },
    to = block_diagonal(list(basis$back, attention_basis$back)),
    total = sum(weight),
    start = c(
      near(basis$z, rows$start[1] - rows$offset),
      near(attention_basis$z, rows$start[2])
    )
  )
  # Near a threshold that a row holds, hundreds of steps gain 1e-8.
  c(
    model,
    list(attention = rows, z = list(basis$z, attention_basis$z), steps = 50)
  )
}

attention_scores <- function(rows, x, v, b) {
  k <- seq_len(ncol(x))
  eta <- drop(x %*% b[k]) + rows$offset
  derivatives <- attention_derivatives(rows, eta, drop(v %*% b[-k]))
  unname(rows$weight * cbind(derivatives$truth * x, derivatives$attention * v))
}

# The starts that lie evenly, and steps of the truth, of attention, and of one after the other: a
# step beside the best of the other kind. Each kind has a fifth of `n_starts`. One start alone is
# that of the moments.
attention_starts <- function(model, n_starts) {
  if (n_starts == 1) return(cbind(model$start))
  end <- climb_roughly(model, cbind(model$start))$points
  near <- cbind(model$start, end)
  few <- ceiling(n_starts / 5)
  first <- lapply(1:2, function(index) attention_steps(model, index, near, few))
  best <- lapply(first, function(starts) {
    if (length(starts)) starts[, which.max(loglik_at(model, starts)), drop = FALSE]
  })
  second <- lapply(1:2, function(index) {
    attention_steps(model, index, best[[3 - index]], few)
  })
  cbind(
    even_starts(model, few + 1), end, do.call(cbind, c(first, second))
  )
}

# Starts that are steps of the truth (`index` 1) or of attention (2), a column each, with the other
# coordinates of `near`; NULL if only a constant may change.
attention_steps <- function(model, index, near, max_starts) {
  rows <- model$attention
  is_truth <- index == 1L
  z <- model$z[[index]]
  k <- seq_len(ncol(model$z[[1]]))
  intercept <- colSums(rows$weight * z) / sum(rows$weight)
  directions <- step_directions(intercept)
  if (is.null(directions) || is.null(near)) return(NULL)

  projections <- z %*% directions
  starts <- lapply(seq_len(ncol(near)), function(j) {
    others <- if (is_truth) near[-k, j] else near[k, j]
    eta <- drop(model$z[[3 - index]] %*% others)
    value <- function(side) {
      if (is_truth) return(attention_loglik(rows, side, eta))
      attention_loglik(
        rows, rows$curve$yes(eta + rows$offset),
        (2 * side - 1) * model$far
      )
    }
    gain <- rows$weight *
      (pmax(value(1), -700) - pmax(value(0), -700))
    steps <- lapply(seq_len(ncol(projections)), function(i) {
      divide_rows(projections[, i], gain, directions[, i], intercept)
    })
    cells <- cbind(best_of(steps, max_starts)$cells, best_sharp(steps, max_starts))
    if (!length(cells)) return(NULL)
    others <- matrix(others, length(others), ncol(cells))
    if (is_truth) rbind(cells, others) else rbind(others, cells)
  })
  do.call(cbind, starts)
}

# Directions of orthogonal columns other than their constant, whose coordinates are `intercept`;
# NULL if there is none.
step_directions <- function(intercept) {
  free <- if (sum(intercept^2) > 0.999) {
    qr.Q(qr(intercept), complete = TRUE)[, -1, drop = FALSE]
  } else {
    diag(length(intercept))
  }
  m <- ncol(free)
  if (!m) return(NULL)
  if (m == 1L) return(free %*% matrix(1))
  free %*% cbind(diag(m), even_directions(m, 25 * min(m, 8)))
}

# The log-likelihoods of rows with these true shares and predictors of attention.
attention_loglik <- function(rows, truth, zeta) {
  gamma <- plogis(zeta)
  slack <- plogis(-zeta)
  factors <- lapply(rows$factors, function(f) {
    gamma * (f$base + f$slope * truth) + slack * f$chance
  })
  log(Reduce(`*`, factors))
}

# Value, score, information, and a curvature that is never indefinite, from the derivatives of the
# rows.
attention_state <- function(weight, derivatives, x, v) {
  value <- sum(weight * derivatives$loglik)
  if (!is.finite(value)) return(list(value = value))
  scores <- cbind(derivatives$truth * x, derivatives$attention * v)
  cross <- crossprod(x, weight * derivatives$cross * v)
  observed <- rbind(cbind(crossprod(x, weight * derivatives$curve * x), cross),
                    cbind(t(cross), crossprod(v, weight * derivatives$bend * v)))
  list(value = value, gradient = colSums(weight * scores), observed = observed,
       fallback = crossprod(scores, weight * scores))
}

# Coefficients whose predictor is nearest to a constant.
project_constant <- function(x, value) {
  unname(.lm.fit(x, rep(value, nrow(x)))$coefficients)
}

# The log-likelihood of each row, its score and minus the second derivatives by both linear
# predictors.
attention_derivatives <- function(rows, eta, zeta) {
  gamma <- plogis(zeta)
  slack <- plogis(-zeta)
  truth <- rows$curve$yes(eta)
  first <- rows$curve$derivative(eta, 1)
  second <- rows$curve$derivative(eta, 2)
  Reduce(
    function(sum, factor) Map(`+`, sum, factor),
    lapply(rows$factors, function(f) {
      attentive <- f$base + f$slope * truth
      share <- gamma * attentive + slack * f$chance
      of_truth <- gamma * f$slope * first / share
      of_attention <- gamma * slack * (attentive - f$chance) / share
      list(loglik = log(share), truth = of_truth, attention = of_attention,
           curve = of_truth^2 - gamma * f$slope * second / share,
           cross = of_truth * of_attention - gamma * slack * f$slope * first / share,
           bend = of_attention^2 - of_attention * (slack - gamma))
    })
  )
}

# ---- methods ----

#' @export
vcov.rr_glm_attention <- function(object, type = NULL, cluster = NULL, ...) {
  if (!length(object$infinite)) {
    kinds <- c("observed", "sandwich")
    if (object$by == "question") kinds <- rev(kinds)
    type <- variance_type(object, type, cluster, kinds)
  }
  vcov.rr_regression(object, type, cluster)
}

# The channel has the truths (inattentive, attentive no, attentive yes), so that what attention adds
# belongs to the respondents and not to the randomization.
possible_reports.rr_glm_attention <- function(fit) {
  data <- fitted_data(fit$fixed)
  n <- length(data$y)
  attention <- fit$anchor[[1]]$attention
  x <- data$x[, !is_aliased(fit$fixed), drop = FALSE]
  scores_of <- function(question, anchor) {
    data$y <- rep(question, n)
    data$weight <- rep(1, n)
    rows <- attention_rows(data, rep(anchor, n), attention, fit$by)
    attention_scores(rows, x, fit$shares$v, fit$estimate)
  }
  scores <- Map(scores_of, attention_cells["question", ], attention_cells["anchor", ])
  reported <- anchor_reports(fit$frame[["(anchor)"]], fit$anchor[[1]])
  counts <- outer(1:4, 1 + data$y + 2 * reported, `==`) * 1
  device <- row_device(data$device, data$arm, n)
  lapply(unname(split(seq_len(n), row_arms(data$arm, n))), function(rows) {
    first <- rows[1]
    numbers <- c(q = device$q[first], d = device$d[first], attention)
    scored_reports(scores, counts, attention_channel(numbers), rows)
  })
}

#' @export
anova.rr_glm_attention <- function(object, ...) {
  if (object$by == "question") {
    abort(
      paste(
        "Likelihood ratios need {.code attention.by = \"person\"}: two answers",
        "of a person may depend on each other."
      )
    )
  }
  NextMethod()
}

#' @rdname predict.rr_glm
#' @export
predict.rr_glm_attention <- function(
  object, newdata = NULL, type = c("truth", "attention", "report", "link"), ...
) {
  type <- check_choice(type)
  base_fit <- base_fit(object)
  new <- prediction_rows(base_fit, newdata, type)
  attention <- if (is.null(newdata)) object$attention else {
    gamma <- object$estimate[startsWith(names(object$coefficients), "attention:")]
    plogis(drop(new_share_columns(object$shares, newdata) %*% gamma))
  }
  truth <- truth_curve(base_fit$link)$yes(new$eta)
  setNames(switch(type, truth = truth, link = new$eta, attention = attention, report = {
    chance <- object$anchor[[1]]$attention[["inattentive"]]
    attention * reported(base_fit$device, new$arm, truth) + (1 - attention) * chance
  }), new$names)
}

regression_reports.rr_glm_attention <- function(fit) fit$fixed$y

# Points are finite at infinity.
base_fit.rr_glm_attention <- function(fit) {
  replaced_fit(
    fit$fixed, setNames(fit$estimate, names(fit$coefficients)), vcov(fit)
  )
}
