#' Log-linear models of several randomized questions
#'
#' `rr_loglinear()` models which true answers to several questions go together. The model of the joint distribution is fitted to a tally of the reports by
#' maximum likelihood, under any product mechanism.
#'
#' The cell of truths \eqn{c} has the share \eqn{\theta_c \propto \exp(x_c^T \beta)}{theta[c] proportional to exp(x[c]'b)}, with the terms \eqn{x_c} of
#' `formula` in the questions. `~ a + b` is independence, and `~ a * b` is saturated, with the likelihood of [rr_estimate()]. With a tally by groups the formula may use the groups:
#' `~ a + b + a:sex`. Terms of groups alone have no effect and are left out.
#'
#' The maximum is sought as in [rr_multinom()]. If a cell is estimated as 0, some coefficients are infinite or not determined: a warning says so, and the fit is the limit.
#'
#' @section Respondents who protect themselves:
#' Some respondents say no to all questions, whatever the device shows. With `protective = "no"` their share \eqn{\pi}{pi} is estimated: the reports have the shares
#' \eqn{(1 - \pi) \theta C + \pi s}{(1 - pi) theta C + pi s}, with \eqn{s} what these respondents report. Groups have the same \eqn{\pi}{pi}.
#'
#' **The estimate of this share depends on the terms that `formula` leaves out.** A positive interaction of all questions that is left out looks like respondents who protect themselves.
#' Compare fits with more terms: if the share falls much, the reports do not tell the two apart. `print()` gives the degrees of freedom that are left to test the terms.
#' The saturated model gives an error; for two yes/no questions so does every model but independence.
#'
#' `coef()`, `predict()` and `as.table()` are about respondents who use the device. `predict(type = "report")`, `fitted()` and the deviance are about all respondents. The
#' interval of the share is by the profile likelihood. The likelihood ratio test of no such respondents, in `tidy()` and in `anova(without, with)`, halves the p-value, because
#' the share cannot be below 0. If the share is estimated as 0, a message says so and it has no standard error.
#'
#' @param formula One-sided: terms in the questions of the tally's mechanism and in its groups.
#' @param tally A tally of [rr_tally()] or [rr_counts()] under a [rr_product()] or of one question, with at most 65,536 cells times groups. With weights the counts are
#'   scaled to the effective number of respondents.
#' @param starts Number of starting points, a whole number of at least 1; default 5, and 100 with `protective`, whose likelihood often has several maxima.
#' @param protective What respondents who protect themselves report: a report of all questions, such as `"no"`, or a list or vector with an answer for each question,
#'   as `answer` of [rr_noncompliance()]. `NULL` (default): everybody uses the device.
#' @param object,x A fit of `rr_loglinear()`.
#' @param type For `predict()` `"truth"` (default) or `"report"`; for `tidy()` `"coefficients"` (default) or `"parameters"`.
#' @param se.fit Logical, default `FALSE`. Return standard errors?
#' @param conf.int,conf.level,exponentiate As in [regression_methods].
#' @param ... Not used; `rr_loglinear()` refuses further arguments.
#' @return An object of class `c("rr_loglinear", "rr_regression")`, with the methods of [regression_methods] and
#'
#'   * `predict()`: `"truth"`: the joint table of shares, one dimension per question and the groups last; `"report"`: expected counts of the reports.
#'   * `as.table()`: the table of truths.
#'   * `glance()`: also `deviance` against the saturated model, `df.residual` and `p.value`.
#'   * `tidy()`: with `protective` a row `self-protective`; `type = "parameters"` gives this row alone.
#' @section Errors and warnings:
#' Errors: `candor_error_argument`, `candor_error_no_information`, `candor_error_empty`. Warnings as in [rr_multinom()]. See [candor_conditions].
#' @references van den Hout, A. and van der Heijden, P. G. M. (2004). The analysis of multivariate misclassified data with special attention to randomized response data.
#'   *Sociological Methods & Research* 32, 384-410. \doi{10.1177/0049124103257440}
#'
#'   Chen, T. T. (1989). A review of methods for misclassified categorical data in epidemiology. *Statistics in Medicine* 8, 1095-1106.
#'   \doi{10.1002/sim.4780080908}
#'
#'   Boeckenholt, U. and van der Heijden, P. G. M. (2007). Item randomized-response models for measuring noncompliance. *Psychometrika* 72, 245-262.
#'   \doi{10.1007/s11336-005-1495-y}
#'
#'   Cruyff, M. J. L. F., van den Hout, A., van der Heijden, P. G. M. and Boeckenholt, U. (2007). Log-linear randomized-response models taking self-protective response behaviour
#'   into account. *Sociological Methods & Research* 36, 266-282. \doi{10.1177/0049124107301944}
#'
#'   Self, S. G. and Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood estimators and likelihood ratio tests under nonstandard conditions.
#'   *Journal of the American Statistical Association* 82, 605-610. \doi{10.1080/01621459.1987.10478472}
#' @seealso [rr_estimate()] for the saturated model with intervals of the shares, [rr_association()] for pairs of questions, [rr_cheater_detection()], [rr_anchor()] and
#'   [rr_noncompliance()] for other kinds of noncompliance.
#' @concept contingency table
#' @concept self-protective no
#' @concept interaction
#' @examples
#' # Are two kinds of benefit fraud associated?
#' questions <- rr_product(item1 = rr_kuk(0.8, 0.2), item2 = rr_kuk(0.8, 0.2))
#' tally <- rr_counts(xtabs(count ~ item1 + item2, benefit_survey), questions)
#' independent <- rr_loglinear(~ item1 + item2, tally)
#' # A cell of the saturated model is estimated as 0, so its association is
#' # infinite
#' saturated <- suppressWarnings(rr_loglinear(~ item1 * item2, tally))
#' anova(independent, saturated)
#' round(as.table(saturated), 4)
#' # Yes: independence is rejected (p < 0.001)
#'
#' # Or did some respondents say no to both questions, whatever the device
#' # showed?
#' protective <- rr_loglinear(~ item1 + item2, tally, protective = "no")
#' tidy(protective, conf.int = TRUE, type = "parameters")
#' # If the truths are independent, 27% did
#' @export
rr_loglinear <- function(
  formula,
  tally,
  starts = if (is.null(protective)) 5 else 100,
  protective = NULL,
  ...
) {
  check_dots_empty(...)
  call <- match.call()
  starts <- check_starts(starts)
  table <- loglinear_table(formula, tally)
  refuse_study_beside(list(tally$mechanism), "{.fn rr_loglinear}", c(
    `respondents who use no device` = !is.null(protective)
  ))
  model <- loglinear_model(table)
  maximum <- list(table = table, best = highest_maximum(model, even_starts(model, starts)))
  if (!is.null(protective)) maximum <- protective_maximum(table, protective, maximum$best, starts)
  table <- maximum$table
  fit <- fit_likelihood(maximum$best$model, best = maximum$best)
  if (protective_term %in% fit$infinite) {
    abort_protective("The reports leave the share of all respondents open.")
  }
  fit$coefficients <- spread_coefficients(fit$coefficients, table$all_names)
  if (!is.null(protective)) {
    fit$df <- ncol(table$x) + 1L
    fit$without <- maximum$without
    fit$note <- sprintf(
      paste(
        "shares of truths are of those who use the device, nothing is known of the others;",
        "%s degrees of freedom left"
      ),
      loglinear_freedom(table, fit$df)
    )
  }
  with_study_limit(structure(
    c(
      fit,
      list(
        n = sum(tally$n),
        tally = tally,
        mechanism = tally$mechanism,
        table = table,
        terms = table$terms,
        frame = table$cells,
        call = call,
        title = paste("Log-linear model of the truth,", deparse1(formula))
      )
    ),
    class = c("rr_loglinear", "rr_regression")
  ))
}

# The cells of the truths (times groups) and their design.
loglinear_table <- function(formula, tally) {
  if (!inherits(tally, "rr_tally")) {
    must_be(
      tally, "tally", "a tally of the questions",
      remedy = tally_remedy(tally, " under a {.fn rr_product}")
    )
  }
  check_one_sided(formula, "formula")
  if (sum(tally$n) <= 0) abort("{.arg tally} must hold reports.", "empty")
  questions <- tally$mechanism$questions %||% list(report = tally$mechanism)
  axes <- unname(
    Map(
      function(question, name) unname(identified_channel(question, name)), questions,
      names(questions)
    )
  )
  counts <- as.matrix(tally$counts)
  frame <- truth_cells(questions, tally)
  terms <- terms(formula, data = frame[names(questions)])
  check_columns(all.vars(terms), frame, "formula")
  cells <- nrow(frame) / ncol(counts)
  group <- rep(seq_len(ncol(counts)), each = cells)
  x <- centred_design(terms, frame, group)
  # A small channel is quicker whole.
  if (max(cells, nrow(counts)) <= 256) {
    axes <- list(Reduce(function(a, b) kronecker(b, a), axes))
  }
  units <- ifelse(tally$n > 0, tally$effective_n / tally$n, 0)
  list(
    x = x[, independent_columns(x), drop = FALSE],
    all_names = colnames(x),
    counts = counts,
    cells = frame,
    terms = terms,
    axes = axes,
    units = units,
    worth = counts * rep(units, each = nrow(counts)),
    group = group,
    questions = questions,
    protective = 0,
    logit = -Inf
  )
}

# Centred within groups: what is the same in a group has no effect.
centred_design <- function(terms, frame, group) {
  x <- model.matrix(terms, frame)
  x <- x -
    (rowsum(x, group) / sum(group == 1L))[group, ]
  x <- x[, colSums(abs(x)) > 1e-10, drop = FALSE]
  if (!ncol(x)) abort("{.arg formula} must have a term in the questions.")
  x
}

# A row for each combination of truths and group.
truth_cells <- function(questions, tally) {
  groups <- ncol(as.matrix(tally$counts))
  cells <- prod(lengths(lapply(questions, `[[`, "levels")))
  check_that(
    cells * groups <= 65536, tally, "tally", "of at most 65,536 cells for a log-linear model"
  )
  grid <- expand.grid(
    lapply(questions, function(question) factor(question$levels, question$levels)),
    KEEP.OUT.ATTRS = FALSE
  )
  as.data.frame(
    c(
      lapply(grid, rep, groups),
      lapply(as.list(tally$groups), rep, each = nrow(grid))
    ),
    optional = TRUE
  )
}

# ---- respondents who use no device ----

# Their share has the logit `table$logit`, NA if it is the last coefficient; `table$protective` are
# their reports.
protective_logit <- function(table, b) {
  if (is.na(table$logit)) b[[length(b)]] else table$logit
}

loglinear_reports <- function(table, theta, logit) {
  plogis(-logit) * through_axes(table$axes, theta) + plogis(logit) * table$protective
}

# The highest maximum with a share of such respondents, climbed from the one without them too, which
# stays the best if the share is 0. The ends of climbs on its plateau are no maxima.
protective_maximum <- function(table, protective, without, starts) {
  table$protective <- protective_reports(protective, table$questions)
  table$logit <- NA
  point <- drop(even_directions(ncol(table$x) + 1, 1))
  slopes <- lapply(loglinear_groups(table, point), function(g) g$slope * g$m)
  jacobian <- do.call(rbind, slopes)
  if (qr(jacobian, tol = 1e-9)$rank < length(point)) {
    abort_protective("The terms of {.arg formula} are too many.")
  }
  model <- loglinear_model(table)
  # A point far out lies on a plateau that climbs do not leave.
  inside <- without$b * min(1, 6 / without$model$reach(without$b))
  near <- rbind(
    cbind(inside, inside, without$b), qlogis(c(0.1, 0.02, 0.3))
  )
  best <- highest_maximum(model, cbind(near, even_starts(model, starts)))
  best$values <- best$values[best$values > without$value + 1e-7]
  if (!length(best$values)) {
    cli::cli_inform(
      paste(
        "The share of respondents who protect themselves is estimated as",
        "0. The fit is that without them."
      ),
      class = "candor_message_boundary"
    )
    table$logit <- -Inf
    best <- without
  }
  list(table = table, best = best, without = without$value)
}

# The probabilities of their reports: one answer, or one for each question.
protective_reports <- function(protective, questions) {
  if (is.character(protective) && length(protective) == 1L) {
    protective <- rep(list(protective), length(questions))
  }
  names <- names(protective) %||% names(questions)
  check_that(
    length(protective) == length(questions) && setequal(names, names(questions)), protective,
    "protective", "one answer, or have one for each question"
  )
  answers <- Map(function(answer, question) {
    noncompliant_answer(answer, question$reports, question$bits, "protective")
  }, as.list(protective)[match(names(questions), names)], questions)
  Reduce(function(a, b) as.vector(outer(a, b)), answers)
}

abort_protective <- function(reason) {
  abort(c("The reports cannot tell who protects themselves.", x = reason), "no_information")
}

# One row: the share, its error and the test of 0, whose law is half that of one degree of freedom.
# The interval is by the profile likelihood.
protective_row <- function(fit, conf.int, conf.level) {
  table <- fit$table
  inside <- is.na(table$logit)
  share <- plogis(protective_logit(table, fit$estimate))
  error <- if (inside) {
    share * (1 - share) * sqrt(fit$vcov[protective_term, protective_term])
  } else {
    NA_real_
  }
  root <- sqrt(2 * max(fit$loglik - fit$without, 0))
  row <- tibble(term = protective_term, estimate = share, std.error = error, statistic = root,
                p.value = if (inside) pnorm(-root) else 1)
  if (!check_flag(conf.int, "conf.int")) return(row)
  drop <- normal_quantile(check_conf_level(conf.level))
  beyond <- function(share) {
    table$logit <- qlogis(share)
    start <- cbind(fit$b[seq_len(ncol(table$x))], 0)
    highest <- max(climb(loglinear_model(table), start)$value)
    sqrt(2 * max(fit$loglik - highest, 0)) - drop
  }
  limit <- function(range) uniroot(beyond, range, tol = 1e-10)$root
  row$conf.low <- if (beyond(0) <= 0) 0 else limit(c(0, share))
  end <- 1 - 1e-9
  row$conf.high <- if (beyond(end) <= 0) 1 else limit(c(share, end))
  row
}

# The expected shares of the reports from shares of the truths, for each column of `x`; one question
# at a time. If `back`, the products go from reports to truths.
through_axes <- function(axes, x, back = FALSE) {
  x <- as.matrix(x)
  if (length(axes) == 1L) {
    return(if (back) {
      axes[[1]] %*% x
    } else {
      crossprod(axes[[1]], x)
    })
  }
  columns <- ncol(x)
  for (axis in axes) {
    step <- if (back) axis else t(axis)
    # The first dimension is worked on and moved to the end; after the last question all are back in
    # their places.
    remaining <- length(x) / columns / ncol(step)
    x <- step %*% matrix(x, ncol(step))
    x <- aperm(
      array(x, c(nrow(step), remaining, columns)),
      c(2, 1, 3)
    )
    x <- matrix(x, ncol = columns)
  }
  x
}

# Shares of the cells, a column for each group.
loglinear_shares <- function(table, b, x = table$x) {
  eta <- matrix(
    x %*% b[seq_len(ncol(x))], ncol = ncol(table$counts)
  )
  top <- eta[
    cbind(max.col(t(eta), "first"), seq_len(ncol(eta)))
  ]
  e <- exp(eta - rep(top, each = nrow(eta)))
  e / rep(colSums(e), each = nrow(e))
}

# For each group: its counts, the shares of its truths and reports, the scores of its truths (the
# last of respondents who use no device, if their share is a coefficient), and the scores of its
# reports.
loglinear_groups <- function(
  table, b, x = table$x, theta = loglinear_shares(table, b, x),
  m = loglinear_reports(table, theta, logit)
) {
  logit <- protective_logit(table, b)
  share <- plogis(logit)
  lapply(seq_len(ncol(theta)), function(g) {
    design <- x[table$group == g, , drop = FALSE]
    design <- design -
      rep(drop(crossprod(design, theta[, g])), each = nrow(design))
    likely <- pmax(m[, g], 1e-300)
    slope <- plogis(-logit) * through_axes(table$axes, design * theta[, g]) / likely
    if (is.na(table$logit)) {
      design <- rbind(
        cbind(design, -share), c(numeric(ncol(design)), 1 - share)
      )
      slope <- cbind(slope, share * (table$protective - m[, g]) / likely)
    }
    list(
      counts = table$worth[, g],
      theta = theta[, g],
      m = m[, g],
      design = design,
      slope = slope
    )
  })
}

loglinear_model <- function(table) {
  basis <- orthogonal_columns(unname(table$x), rep(1, nrow(table$x)))
  free <- is.na(table$logit)
  terms <- seq_len(ncol(table$x))
  predictors <- function(b) {
    t(matrix(basis$z %*% b[terms], ncol = ncol(table$counts)))
  }
  back <- if (free) block_diagonal(list(basis$back, diag(1))) else basis$back
  new_likelihood(
    names = c(colnames(table$x), if (free) protective_term),
    evaluate = function(b, need) loglinear_value(table, basis$z, b, need),
    predictors = function(b) c(basis$z %*% b[terms], b[-terms]),
    to = back,
    total = sum(table$worth),
    start = c(numeric(length(terms)), if (free) qlogis(0.1)),
    unbounded = function(b, N) {
      distances <- truth_distances(predictors, b, N)
      list(
        eta = c(distances$eta, b[-terms]),
        move = rbind(distances$move, N[-terms, , drop = FALSE])
      )
    }
  )
}

loglinear_value <- function(table, z, b, need) {
  logit <- protective_logit(table, b)
  theta <- loglinear_shares(table, b, z)
  m <- loglinear_reports(table, theta, logit)
  seen <- which(table$worth > 0)
  value <- sum(table$worth[seen] * log(m[seen]))
  if (need == 0L || !is.finite(value)) return(list(value = value))
  score <- complete <- after <- 0
  for (g in loglinear_groups(table, b, z, theta, m)) {
    information <- loglinear_information(table, g, logit)
    complete <- complete + information$complete
    after <- after + information$after
    score <- score + drop(crossprod(g$slope, g$counts))
  }
  observed <- complete - after
  list(
    value = value,
    gradient = score,
    observed = (observed + t(observed)) / 2,
    fallback = complete
  )
}

# The information of a group if the truths were seen; and the variance of the truth's score, before
# the reports less that after them.
loglinear_information <- function(table, g, logit) {
  square <- function(design, weights) crossprod(design * weights, design)
  free <- is.na(table$logit)
  ratio <- ifelse(g$counts > 0, g$counts / g$m, 0)
  back <- through_axes(table$axes, ratio, TRUE)
  users <- plogis(-logit) * g$theta * drop(back)
  complete <- square(
    g$design[seq_along(users), seq_len(ncol(table$x))],
    g$theta * sum(users)
  )
  if (free) {
    complete <- block_diagonal(
      list(complete, diag(sum(g$counts) * dlogis(logit), 1))
    )
  }
  spent <- c(users, if (free) sum(g$counts) - sum(users))
  list(
    complete = complete,
    after = square(g$design, spent) - square(g$slope, g$counts)
  )
}

regression_expected.rr_loglinear <- function(fit) {
  Reduce(`+`, lapply(loglinear_groups(fit$table, fit$estimate), function(g) {
    sum(g$counts) * crossprod(g$slope * g$m, g$slope)
  }))
}

#' @export
vcov.rr_loglinear <- function(object, ...) {
  V <- NextMethod()
  index <- rownames(V) != protective_term
  V[index, index, drop = FALSE]
}

# One row per cell of the reports and group: the score of its reports, each of which is one
# respondent. The square root makes the cross-product the sum over respondents.
regression_scores.rr_loglinear <- function(fit) {
  do.call(
    rbind,
    lapply(loglinear_groups(fit$table, fit$estimate), function(g) {
      g$slope * sqrt(g$counts)
    })
  )
}

#' @rdname rr_loglinear
#' @export
predict.rr_loglinear <- function(object, type = c("truth", "report"), se.fit = FALSE, ...) {
  type <- check_choice(type)
  table <- object$table
  groups <- loglinear_groups(table, object$estimate)
  labels <- lapply(table$questions, `[[`, if (type == "truth") "levels" else "reports")
  if (!is.null(object$tally$groups)) {
    labels$group <- do.call(paste, c(as.list(object$tally$groups), sep = "."))
  }
  labelled <- function(value) {
    array(unlist(value), unname(lengths(labels)), dimnames = labels)
  }
  fit <- labelled(if (type == "truth") lapply(groups, `[[`, "theta")
                  else Map(function(g, n) g$m * n, groups, object$tally$n))
  if (!check_flag(se.fit, "se.fit")) return(fit)
  terms <- seq_len(ncol(table$x))
  error <- Map(
    function(g, n) {
      if (type == "report") {
        return(slope_error(g$slope * g$m * n, object$limit))
      }
      slope_error(
        g$theta * g$design[seq_along(g$theta), terms, drop = FALSE],
        object$limit[terms, terms]
      )
    },
    groups, object$tally$n
  )
  list(fit = fit, se.fit = labelled(error))
}

#' @rdname rr_loglinear
#' @export
as.table.rr_loglinear <- function(x, ...) as.table(predict(x))

reported_totals.rr_loglinear <- function(fit) as.vector(fit$table$counts)

regression_reports.rr_loglinear <- function(fit) {
  expected <- fitted(fit)
  array(fit$table$counts, dim(expected), dimnames(expected))
}

#' @rdname rr_loglinear
#' @export
tidy.rr_loglinear <- function(
  x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, type = "coefficients", ...
) {
  type <- check_choice(
    type, "type", c("coefficients", if (!is.null(x$without)) "parameters")
  )
  row <- if (!is.null(x$without)) protective_row(x, conf.int, conf.level)
  if (type == "parameters") {
    row
  } else {
    rbind(tidy.rr_regression(x, conf.int, conf.level, exponentiate), row)
  }
}

# The residual degrees of freedom: the cells of each group but one, less the `used` ones. The cells
# are those of the truths; they are those of the reports if some respondents use no device.
loglinear_freedom <- function(table, used) {
  cells <- if (length(table$protective) > 1L) {
    nrow(table$counts)
  } else {
    nrow(table$x) / ncol(table$counts)
  }
  (cells - 1) * ncol(table$counts) - used
}

# The deviance is from the largest log-likelihood of any joint distribution, by the certified
# solver, group by group. If some respondents use no device, the reports may have any law.
#' @export
glance.rr_loglinear <- function(x, ...) {
  counts <- x$table$counts
  share <- counts / rep(colSums(counts), each = nrow(counts))
  saturated <- if (is.null(x$without)) {
    as.numeric(logLik(suppressWarnings(rr_estimate(x$tally))))
  } else {
    sum(ifelse(counts > 0, counts * log(share), 0) %*% x$table$units)
  }
  deviance <- max(2 * (saturated - x$loglik), 0)
  df_residual <- loglinear_freedom(x$table, x$df)
  p_value <- if (df_residual > 0) {
    pchisq(deviance, df_residual, lower.tail = FALSE)
  } else {
    NA_real_
  }
  add_column(NextMethod(), deviance = deviance, df.residual = df_residual, p.value = p_value)
}

# ---- a channel that a study measured: see regress-study.R ----

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
  score <- moved[, seq_len(p)] - moved[, p + 1L] * g$slope
  ifelse(g$counts > 0, g$counts / g$m, 0) * score
}
