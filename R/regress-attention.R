# Attention with covariates needs two regressions, one of the truth and one of attention, from a
# question and its anchor question (inst/mathematics/mixed.md 9). Coefficients are those of the
# truth, then those of attention.

# The fit with attention; `base_fit` is the fit without it, `data` its checked data, and `formula`
# has the covariates of the share.
attention_fit <- function(base_fit, data, formula, by, starts, call) {
  shares <- share_columns(formula, data$frame, "attention")
  anchor <- base_fit$anchor
  refuse_beside("attention", base_fit, data)
  base_fit["anchor"] <- list(NULL)
  keep <- !is_aliased(base_fit)
  column <- base_fit$model[["(anchor)"]]
  reported <- anchor_reports(column, anchor[[1]])
  start <- attention_start(data, reported, anchor[[1]]$attention)
  data$x <- data$x[, keep, drop = FALSE]
  data <- anchor_devices(data, anchor, column, by)
  unit <- weight_unit(data$weight)
  sorted <- sorted_attention(data, shares$v, unit, start)
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
        scores = attention_scores(data, shares$v, fit$estimate),
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
  with_design(fit, base_fit$design, data$scale, function(w) {
    weight <- w[sorted$order] * data$scale / unit
    climb_replicate(attention_model(sorted, weight), fit$b)
  })
}

# The linear predictors of the prevalence and of attention by moments, constants.
attention_start <- function(data, reported, attention) {
  mean <- function(x) sum(data$weight * x) / sum(data$weight)
  inside <- function(share) clamp(share, 0.05, 0.95)
  device <- row_device(data$device, data$arm, length(data$y))
  difference <- attention$attentive - attention$inattentive
  gamma <- inside((mean(reported) - attention$inattentive) / difference)
  excess <- mean(data$y) - attention$inattentive
  truth <- (excess / gamma + attention$inattentive - mean(device$q)) /
    mean(device$d)
  c(truth_curve(data$link)$inverse(inside(truth)), qlogis(gamma))
}

# The rows of anchor_devices() with the covariates v of attention in the order of their content
# (`order`), weights in `unit`, and the `start` of the first climb.
sorted_attention <- function(data, v, unit, start) {
  reports <- data[c("offset", "arm", "y", "weight")]
  order <- content_order(cbind(data$x, v), reports)
  data <- take_rows(data, order)
  data$weight <- data$weight / unit
  c(
    data,
    list(v = v[order, , drop = FALSE], order = order, start = start)
  )
}

# The model of new_likelihood() with the sorted rows, `attention`, and the orthogonal columns z of
# truth and attention, which stay the same with other weights. The unknown number of a row is its
# share of inattention.
attention_model <- function(rows, weight = rows$weight) {
  basis <- orthogonal_columns(unname(rows$x), rows$weight)
  attention_basis <- orthogonal_columns(unname(rows$v), rows$weight)
  k <- seq_len(ncol(rows$x))
  near <- function(z, target) drop(crossprod(z, weight * target)) / sum(weight)
  model <- new_likelihood(
    names = c(colnames(rows$x), paste0("attention:", colnames(rows$v))),
    predictors = function(b) {
      c(basis$z %*% b[k], attention_basis$z %*% b[-k])
    },
    to = block_diagonal(list(basis$back, attention_basis$back)),
    total = sum(weight),
    start = c(
      near(basis$z, rows$start[1] - (rows$offset %||% 0)),
      near(attention_basis$z, rows$start[2])
    ),
    kernel = regress_kernel(
      basis$z, rows$y, NULL, rows$link,
      weight = weight, offset = rows$offset, arm = rows$arm, unknown = rows$unknown,
      shares = -attention_basis$z, separate = rows$separate
    )
  )
  # Near a threshold that a row holds, hundreds of steps gain 1e-8.
  c(
    model,
    list(attention = rows, z = list(basis$z, attention_basis$z), steps = 50)
  )
}

attention_scores <- function(data, v, b) {
  k <- seq_len(ncol(data$x))
  rows <- unknown_number_rows(
    data, predictor_of(data$x, b[k], data$offset),
    -drop(v %*% b[-k])
  )
  unname(data$weight * cbind(rows$truth * data$x, -rows$share * v))
}

# The starts that lie evenly, and steps of the truth, of attention, and of one after the other: a
# step beside the best of the other kind. Each kind has a fifth of `n_starts`. One start alone is
# that of the moments.
attention_starts <- function(model, n_starts) {
  if (n_starts == 1) return(cbind(model$start))
  end <- climb(model, model$start, is_rough = TRUE)$points
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
    value <- function(sign) {
      far <- if (is_truth) far_predictor(rows$link) else model$far
      end <- rep(sign * far, length(eta))
      loglik <- if (is_truth) unknown_number_rows(rows, end, -eta)
        else unknown_number_rows(rows, eta + (rows$offset %||% 0), -end)
      pmax(loglik$loglik, -700)
    }
    gain <- rows$weight * (value(1) - value(-1))
    steps <- threshold_starts(projections, gain, directions, intercept, max_starts, max_starts)
    cells <- cbind(steps$cells, steps$sharp)
    if (!length(cells)) return(NULL)
    others <- matrix(others, length(others), ncol(cells))
    if (is_truth) rbind(cells, others) else rbind(others, cells)
  })
  do.call(cbind, starts)
}

# Directions of orthogonal columns other than their constant, whose coordinates are `intercept`;
# NULL if there is none.
step_directions <- function(intercept) {
  free <- free_directions(intercept)
  m <- ncol(free)
  if (!m) return(NULL)
  if (m == 1L) return(free)
  free %*% cbind(diag(m), even_directions(m, 25 * min(m, 8)))
}

# Coefficients whose predictor is nearest to a constant.
project_constant <- function(x, value) {
  unname(.lm.fit(x, rep(value, nrow(x)))$coefficients)
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
  anchor <- fit$anchor[[1]]
  counted <- replace(data, "weight", list(rep(1, n)))
  counted$x <- data$x[, !is_aliased(fit$fixed), drop = FALSE]
  scores_of <- function(question, reported) {
    counted$y <- rep(question, n)
    column <- rep(anchor$reports[reported + 1], n)
    attention_scores(
      anchor_devices(counted, fit$anchor, column, fit$by), fit$shares$v, fit$estimate
    )
  }
  scores <- Map(scores_of, attention_cells["question", ], attention_cells["anchor", ])
  reported <- anchor_reports(fit$frame[["(anchor)"]], anchor)
  counts <- outer(1:4, 1 + data$y + 2 * reported, `==`) * 1
  device <- row_device(data$device, data$arm, n)
  lapply(unname(split(seq_len(n), row_arms(data$arm, n))), function(rows) {
    first <- rows[1]
    numbers <- c(
      list(q = device$q[first], d = device$d[first]),
      anchor$attention
    )
    scored_reports(scores, counts, attention_channel(numbers), rows)
  })
}

#' @export
anova.rr_glm_attention <- function(object, ...) {
  if (is.null(object$design) && object$by == "question") {
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
    chance <- object$anchor[[1]]$attention$inattentive
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
