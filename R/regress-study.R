# Channels that a validation study estimated: two steps (Murphy and Topel, 1985). The study is
# independent of the respondents. If the estimates solve U(b, C) = 0, their covariance is
#    (that of a known channel) + B [ sum_x G_x S_x G_x' ] B'
#    B     the inverse of -dU/db, the bread of the fit
#    G_x   dU/dC[x, ], a row for each parameter and a column for each report
#    S_x   the covariance of row x of the study
# Weights of a design enter U, and thereby B and G, and nothing else of the second part.

has_study <- function(fits) {
  any(vapply(fits, function(fit) has_validated(fit_mechanisms(fit)), NA))
}

# The derivatives G of a fit: a list with an element for each of its channels that a study measured,
# list(mechanism, slopes). `slopes` has a matrix for each truth.
channel_slopes <- function(fit) UseMethod("channel_slopes")

# The sum of G_x S_x G_x' over all rows of all studies. Channels with one table have one error:
# their G are added before.
study_meat <- function(fit) {
  channels <- channel_slopes(fit)
  meat <- 0
  while (length(channels)) {
    mechanism <- channels[[1]]$mechanism
    is_same <- vapply(
      channels, function(channel) same_mechanism(channel$mechanism, mechanism), NA
    )
    slopes <- do.call(Map, c(
      function(...) Reduce(`+`, list(...)), unname(lapply(channels[is_same], `[[`, "slopes"))
    ))
    for (x in seq_along(slopes)) {
      meat <- meat + tcrossprod(study_effects(mechanism$validation[x, ], slopes[[x]]))
    }
    channels <- channels[!is_same]
  }
  meat
}

# The variance that the studies add to a fit with this bread; 0 without a study.
study_covariance <- function(fit, bread) {
  if (has_study(list(fit))) sandwich(bread, study_meat(fit)) else 0
}

# The fit with variances of predictions, `limit`, that have the study's part. They do not hold
# combinations of coefficients at infinity, which are finite, if there is a study.
with_study_limit <- function(fit) {
  if (has_study(list(fit))) fit$limit <- vcov(fit)
  fit
}

# An error if a regression with a study would be without the study's error. `refused` names what it
# must not have, TRUE if it is there.
refuse_study_beside <- function(mechanisms, what, refused = logical()) {
  refused <- c(
    `a study of respondents (internal)` = any(
      vapply(single_questions(mechanisms), function(m) isTRUE(m$internal), NA)
    ),
    refused
  )
  if (any(refused)) {
    refuse_validated(mechanisms, paste(what, "with", names(refused)[refused][1]))
  }
}

# Likelihoods take the channel for known.
refuse_ratios <- function(fits) {
  refuse_pseudo(fits)
  if (has_study(fits)) {
    abort(c("A likelihood ratio takes the channel for known, and a validation study estimated it.",
            i = "Use a Wald test: {.fn summary}, or {.code anova(fit)} of {.fn rr_glm}."))
  }
}

tell_wald <- function() {
  cli::cli_inform(
    paste(
      "Wald intervals: a validation study estimated the channel,",
      "which a profile takes for known."
    ),
    class = "candor_message_wald"
  )
}

# Sums of the rows by their report: a row for each column of `rows`, a column for each report.
sums_by_report <- function(rows, codes, n_reports) {
  crossprod(rows, outer(codes, seq_len(n_reports), `==`))
}

# ---- the derivatives of each kind of fit ----
#
# In a likelihood of rows, row i has the truths with probabilities pi_ix, whose logarithms have the
# derivatives s_ix, and the report with probability P_i. Its score is U_i = sum_x tau_ix s_ix, where
# tau_ix = pi_ix C[x, y_i] / P_i. Then column y of G_x is
#    sum over rows with y_i = y of w_i (pi_ix / P_i) (s_ix - U_i)

# The share of yes stands for both reports: C[x, no] is 1 less it, and its column is 0.
channel_slopes.rr_glm <- function(fit) {
  arms <- row_arms(fit$arm, length(fit$y))
  x <- model.matrix(fit)[, which(is.finite(fit$coefficients)), drop = FALSE]
  slopes <- share_slopes(fit)
  measured <- Filter(function(arm) is_validated(fit_mechanisms(fit)[[arm]]), unique(arms))
  lapply(measured, function(arm) {
    G <- crossprod(x * slopes$weight, (arms == arm) * slopes$score)
    list(
      mechanism = fit_mechanisms(fit)[[arm]],
      slopes = list(cbind(0, G[, 1]), cbind(0, G[, 2]))
    )
  })
}

# Derivatives of the score of each row in the shares of yes that a no and a yes report.
share_slopes <- function(fit) {
  rows <- fitted_rows(fit)
  y <- unname(fit$y)
  d <- row_device(fit$device, fit$arm, length(y))$d
  count_ratio <- function(count, share, power) ifelse(count > 0, count / share^power, 0)
  first <- count_ratio(y, rows$report, 1) -
    count_ratio(1 - y, rows$report_no, 1)
  second <- -count_ratio(y, rows$report, 2) -
    count_ratio(1 - y, rows$report_no, 2)
  list(
    weight = ifelse(
      is.finite(fit$linear.predictors), unname(fit$prior.weights) * rows$slope, 0
    ),
    score = cbind(
      second * rows$truth_no * d - first, second * rows$truth * d + first, deparse.level = 0
    )
  )
}

channel_slopes.rr_multinom <- function(fit) {
  truths <- fitted_truths(fit)
  channel <- fit$model$channel
  codes <- fit$model$codes
  p_report <- rowSums(truths$theta * t(channel[, codes, drop = FALSE]))
  score <- report_scores(truths, channel, codes)
  slopes <- lapply(seq_len(nrow(channel)), function(x) {
    # theta[x] s_x is the derivative of theta[x].
    moved <- truths$expand(truths$slope(x)) - truths$theta[, x] * score
    sums_by_report(fit$weights / p_report * moved, codes, ncol(channel))
  })
  list(list(mechanism = fit$mechanism, slopes = slopes))
}

channel_slopes.rr_predictor <- function(fit) {
  slopes_of <- if (fit$method == "moments") {
    moment_slopes(fit)
  } else {
    mixture_slopes(fit)
  }
  rows <- fit$rows
  channels <- lapply(names(rows$mechanisms), function(name) {
    mechanisms <- flat_mechanisms(rows$mechanisms[name])
    arms <- which(vapply(mechanisms, is_validated, NA))
    lapply(unname(arms), function(arm) {
      list(
        mechanism = mechanisms[[arm]],
        slopes = slopes_of(name, rows$columns[[name]][[arm]])
      )
    })
  })
  unlist(channels, FALSE)
}

# The equations of moments are linear in row y_i of the inverse of C, whose change is
# -C^-1 dC C^-1. The summand of row i is psi_ik if the truth were k, and column y of G_x is
#    -sum over rows and k of w_i C^-1[y_i, x] C^-1[y, k] psi_ik
# The value is a function of the variable and of the columns of its reports in one arm.
moment_slopes <- function(fit) {
  function(name, columns) {
    rows <- fit$rows
    inverse <- rows$unbiased[[name]]
    index <- which(rows$codes[[name]] %in% columns)
    codes <- rows$codes[[name]][index]
    # The summands if the row of the inverse were that of report y.
    summands <- function(y) {
      rows$codes[[name]] <- rep(y, nrow(rows$frame))
      scores <- moment_scores(rows, fit$estimate)
      # An outcome's score is linear in that row but for the fitted outcome.
      if (name == rows$response) {
        rows$unbiased[[name]][y, 2] <- 0
        scores <- scores - moment_scores(rows, fit$estimate)
      }
      scores[index, , drop = FALSE] * fit$weights[index]
    }
    by_report <- lapply(columns, summands)
    lapply(seq_along(columns), function(x) {
      weights <- inverse[codes, x]
      sums <- lapply(by_report, function(scores) colSums(scores * weights))
      -matrix(unlist(sums), fit$df)
    })
  }
}

# Likewise, from the posterior of the cells, which are combinations of truths.
mixture_slopes <- function(fit) {
  mixture <- suppressMessages(new_mixture(fit$rows))
  state <- mixture_state(mixture, fit$b)
  state$residual <- (state$outcome - mixture$family$linkinv(state$eta)) / state$sigma
  score <- observed_scores(mixture, state)
  weights <- mixture$rows$weights * mixture$rows$unit
  back <- triangular_inverse(mixture$back)
  moved <- lapply(seq_len(ncol(state$r)), function(c) {
    scores <- cell_scores(mixture, state, c) %*% mixture$cell_maps[[c]] - score
    (state$r[, c] * weights * scores) %*% back
  })
  function(name, columns) {
    codes <- fit$rows$codes[[name]][mixture$rows$first]
    level <- cell_levels(mixture, name)
    lapply(seq_len(nrow(mixture$channels[[name]])), function(x) {
      sums <- sums_by_report(Reduce(`+`, moved[level == x], 0), codes, max(columns))[, columns]
      shares <- mixture$channels[[name]][x, columns]
      sums * rep(ifelse(shares > 0, 1 / shares, 0), each = nrow(sums))
    })
  }
}

# A random intercept u. A person adds to column y
#    E(dT/db) + Cov(T, R)
# over u given the reports: T is the sum over the person's rows with y_i = y of pi_ix(u) / P_i(u),
# and R the score of the person's integrand in the coefficients and sigma. The share of yes stands for both reports, as in channel_slopes.rr_glm().
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
  h <- 0.7 / 2^(ceiling(log2(max(1, 0.9 * fit$sigma))) + 3)
  u <- h * seq(-ceiling(8.5 / h), ceiling(8.5 / h))
  eta <- drop(model$x %*% fit$point[seq_len(model$size)]) + model$kernel$offset
  rows <- report_curves(fit, outer(eta, fit$sigma * u, `+`))
  sums <- function(values) rowsum(values, group)
  density <- exp(sums(log(rows$report))) * rep(dnorm(u), each = length(model$weight))
  list(
    weights = density / rowSums(density),
    rows = rows,
    sum = sums,
    columns = function(values) {
      slopes <- lapply(seq_len(model$size), function(j) sums(values * model$x[, j]))
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
  device <- matrix(kernel$device, 5)[, kernel$arm + 1L, drop = FALSE]
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
  if (!has_study(list(fit)) || all(is.na(diag(fit$variance)))) return(fit)
  names <- rownames(fit$vcov)
  fit$variance <- fit$variance + study_covariance(fit, fit$variance)
  fit$vcov <- fit$variance[names, names, drop = FALSE]
  fit
}

# A log-linear model has the truths and reports of several questions: those of the others are inside
# pi and P. The first question changes fastest.
channel_slopes.rr_loglinear <- function(fit) {
  questions <- fit$table$questions
  channels <- unname(lapply(questions, function(question) unname(rr_matrix(question))))
  groups <- loglinear_groups(fit$table, fit$estimate)
  lapply(which(vapply(questions, is_validated, NA)), function(q) {
    truth <- answers_to(q, vapply(channels, nrow, 0L))
    report <- answers_to(q, vapply(channels, ncol, 0L))
    others <- replace(channels, q, list(0 * channels[[q]] + 1))
    slopes <- lapply(seq_len(nrow(channels[[q]])), function(x) {
      moved <- lapply(groups, cell_slopes, others, truth == x)
      sums_by_report(Reduce(`+`, moved), report, ncol(channels[[q]]))
    })
    list(mechanism = questions[[q]], slopes = slopes)
  })
}

# The answers to question `q` in the cells of questions of these sizes.
answers_to <- function(q, sizes) {
  (seq_len(prod(sizes)) - 1) %/% prod(sizes[seq_len(q - 1)]) %% sizes[q] + 1
}

# The derivatives of the score of a group in the probability of each report, from the truths
# `is_truth`, whose question has the reports for certain in `axes`.
cell_slopes <- function(g, axes, is_truth) {
  shares <- g$theta * is_truth
  moved <- through_axes(axes, cbind(shares * g$design, shares))
  p <- ncol(g$design)
  score <- moved[, seq_len(p), drop = FALSE] - moved[, p + 1L] * g$slope
  ifelse(g$counts > 0, g$counts / g$m, 0) * score
}
