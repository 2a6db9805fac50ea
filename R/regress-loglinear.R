#' Log-linear models of several randomized questions
#'
#' Log-linear models show which true answers to several questions go together. They describe the joint distribution of the truths and are fitted to a tally of the reports by
#' maximum likelihood, under any product mechanism.
#'
#' The cell of truths \eqn{c} has the share \eqn{\theta_c \propto \exp(x_c^T \beta)}{theta[c] proportional to exp(x[c]'b)}, where \eqn{x_c} are the terms of
#' `formula` in the questions, by name: `~ a + b` makes them independent, `~ a * b` is saturated (and then has the likelihood of [rr_estimate()]), and of three questions
#' `~ (a + b + c)^2` has no interaction of all three. The reports have the shares \eqn{\theta C} with the channel \eqn{C} of the product, which is applied one
#' question at a time and never formed.
#'
#' With a tally by groups the formula may use the groups too: `~ a + b + a:sex`. Shares add up to 1 within each group, so terms
#' of groups alone have no effect and are left out.
#'
#' The fit is found as in [rr_multinom()], by Newton's method with step control from several fixed starts. Where a cell has the estimate 0, as in [benefit_survey], some coefficients are
#' infinite: a warning says so, and the fit is the limit.
#'
#' @param formula One-sided: terms in the questions of the tally's mechanism, and in its groups.
#' @param tally A tally under a [rr_product()] (or of one question), of [rr_tally()] or [rr_counts()]; at most 65,536 cells times groups. With weights the counts are
#'   scaled to the effective number of respondents, see [rr_fit].
#' @param starts Number of starting points, at least 1.
#' @param ... Not used, and refused by `rr_loglinear()`.
#' @return An object of class `c("rr_loglinear", "rr_regression")`, see [rr_regression] for `coef()`, `vcov()`, `confint()`, `logLik()`, `anova()`,
#'   `tidy()`, `glance()` (with `deviance`, twice the log-likelihood that the saturated model has more, `df.residual` and `p.value`, its test). `predict()`: `"truth"`, the joint
#'   table of shares, an array with one dimension per question (and the groups last), with `se.fit = TRUE` a list of two; `"report"`, the expected counts of the reports. `as.table()` is
#'   the table of truths.
#' @section Errors:
#' `candor_error_argument` for formulas, terms that are no question, tallies and sizes; `candor_error_no_information`; `candor_error_empty` for a tally without reports.
#' Warnings as in [rr_multinom()].
#' @source van den Hout, A. and van der Heijden, P. G. M. (2004). The analysis of multivariate misclassified data with special attention to randomized response data.
#'   *Sociological Methods & Research* 32, 384-410. \doi{10.1177/0049124103257440}
#'
#'   Chen, T. T. (1989). A review of methods for misclassified categorical data in epidemiology. *Statistics in Medicine* 8, 1095-1106.
#'   \doi{10.1002/sim.4780080908}
#' @seealso [rr_estimate()] for the saturated model with intervals of the shares, [rr_association()] for pairs of questions.
#' @examples
#' questions <- rr_product(item1 = rr_kuk(0.8, 0.2), item2 = rr_kuk(0.8, 0.2))
#' tally <- rr_counts(xtabs(count ~ item1 + item2, benefit_survey), questions)
#' independent <- rr_loglinear(~ item1 + item2, tally)
#' independent
#' # A cell of the saturated model is estimated as 0, so its association is infinite
#' saturated <- suppressWarnings(rr_loglinear(~ item1 * item2, tally))
#' anova(independent, saturated)
#' round(as.table(saturated), 4)
#' @export
rr_loglinear <- function(formula, tally, starts = 5, ...) {
  check_dots_empty(...)
  call <- match.call()
  check_loglinear_order(formula, tally, starts)
  starts <- check_starts(starts)
  table <- loglinear_table(formula, tally)
  model <- loglinear_model(table)
  best <- best_maximum(model$evaluate, numeric(length(table$names)), model$reach, model$size, starts)
  check_maximum(best)
  warn_maxima(best)
  found <- limit_estimates(best$b, best$at$observed, best$directions, model$size)
  if (any(found$infinite)) {
    share <- model$truths(best$b)
    zero <- rowSums(share) < 1e-6 * ncol(share)
    some <- format_labels(tally$mechanism$levels[zero])
    warn_infinite(table$names[found$infinite],
                  if (any(zero)) sprintf("Cells with the estimate 0: %s.", some) else "Some cells have the estimate 0.")
  }
  coefficients <- stats::setNames(rep(NA_real_, length(table$all_names)), table$all_names)
  coefficients[table$names] <- found$b
  structure(
    list(coefficients = coefficients, vcov = structure(found$vcov, dimnames = list(table$names, table$names)),
         limit = found$limit, loglik = best$at$loglik, df = length(found$b), n = sum(tally$n), tally = tally,
         mechanism = tally$mechanism,
         table = table, model = model, estimate = best$b, terms = table$terms, infinite = table$names[found$infinite],
         starts = best$starts, decrement = best$decrement, iterations = best$iterations, converged = best$converged,
         dropped = 0, frame = table$cells, call = call, title = sprintf("Log-linear model of the truth, %s",
                                                                        deparse1(formula))),
    class = c("rr_loglinear", "rr_regression")
  )
}

# Other regressions take a formula, data and a mechanism; people write that here too, or the tally first.
check_loglinear_order <- function(formula, tally, starts) {
  if (is.data.frame(tally) || inherits(starts, "rr_mechanism")) {
    abort(c("{.arg tally} must be a tally of the questions.", x = "It is {describe(tally)}.",
            i = if (inherits(starts, "rr_mechanism")) "A mechanism belongs to the tally.",
            i = "Tally the data first: {.code rr_loglinear(formula, rr_tally(data, mechanism))}."), "argument")
  }
  if (inherits(formula, "formula") || !inherits(tally, "formula")) return(invisible())
  abort(c("{.arg formula} must be a formula.", x = "It is {describe(formula)}.",
          i = "The order is {.arg formula}, {.arg tally}, or name them."), "argument")
}

# The cells of the truths (times groups) and their design, centred within groups: what is the same in a group has no
# effect.
loglinear_table <- function(formula, tally) {
  if (!inherits(tally, "rr_tally")) {
    abort(c("{.arg tally} must be a tally of the questions.", x = "It is {describe(tally)}.",
            i = "{tally_remedy(tally, ' under a {.fn rr_product}')}"), "argument")
  }
  if (!inherits(formula, "formula") || length(formula) != 2L) {
    abort(c("{.arg formula} must be one-sided.", x = "It is {describe(formula)}.", i = "For example {.code ~ a * b}."),
          "argument")
  }
  mechanism <- tally$mechanism
  questions <- mechanism$questions %||% list(report = mechanism)
  if (sum(tally$n) <= 0) abort(c("{.arg tally} must hold reports.", x = "It is empty."), "empty")
  for (name in names(questions)) identified_channel(questions[[name]], name)
  counts <- as.matrix(tally$counts)
  cells <- prod(lengths(lapply(questions, `[[`, "levels")))
  if (cells * ncol(counts) > 65536) {
    abort(c("{.arg tally} has too many cells for a log-linear model.",
            x = "There are {format_count(cells * ncol(counts))}, by group; the limit is 65,536."), "argument")
  }
  grid <- expand.grid(lapply(questions, function(question) factor(question$levels, question$levels)),
                      KEEP.OUT.ATTRS = FALSE)
  groups <- as.list(tally$groups)
  frame <- as.data.frame(c(lapply(grid, rep, ncol(counts)), lapply(groups, rep, each = nrow(grid))), optional = TRUE)
  terms <- stats::terms(formula, data = frame[names(questions)])
  unknown <- setdiff(all.vars(terms), names(frame))
  if (length(unknown)) {
    abort(c("{.arg formula} must hold questions and groups of the tally.", x = "{.val {unknown[1]}} is neither.",
            i = "They are {format_labels(names(frame))}."), "argument")
  }
  x <- stats::model.matrix(terms, frame)
  group <- rep(seq_len(ncol(counts)), each = nrow(grid))
  x <- x - (rowsum(x, group) / nrow(grid))[group, , drop = FALSE]
  moving <- colSums(abs(x)) > 1e-10
  x <- x[, moving, drop = FALSE]
  if (!ncol(x)) {
    abort(c("{.arg formula} has no term in the questions.", x = "It is {.code {deparse1(formula)}}.",
            i = "Without terms all cells are alike."), "argument")
  }
  keep <- independent_columns(x)
  list(x = x[, keep, drop = FALSE], names = colnames(x)[keep], all_names = colnames(x), counts = counts, cells = frame,
       terms = terms, axes = loglinear_axes(questions), sizes = lengths(lapply(questions, `[[`, "levels")),
       units = tally$effective_n / tally$n, group = group, questions = questions)
}

loglinear_axes <- function(questions) lapply(unname(questions), function(question) unname(rr_matrix(question)))

# Truths to reports, one question at a time; every column of `x` at once. `back` goes from reports to truths.
through_axes <- function(axes, x, back = FALSE) {
  x <- as.matrix(x)
  columns <- ncol(x)
  for (axis in axes) {
    step <- if (back) axis else t(axis)
    # The first dimension is worked on and moved to the end; after the last question all are back in their places.
    rest <- length(x) / columns / ncol(step)
    x <- step %*% matrix(x, ncol(step))
    x <- aperm(array(x, c(nrow(step), rest, columns)), c(2, 1, 3))
    x <- matrix(x, ncol = columns)
  }
  x
}

loglinear_model <- function(table) {
  x <- table$x
  groups <- ncol(table$counts)
  designs <- split.data.frame(x, table$group)
  counts <- sweep(table$counts, 2, ifelse(colSums(table$counts) > 0, table$units, 0), `*`)
  truths <- function(b) {
    eta <- matrix(x %*% b, ncol = groups)
    e <- exp(eta - rep(apply(eta, 2, max), each = nrow(eta)))
    e / rep(colSums(e), each = nrow(e))
  }
  evaluate <- function(b) {
    theta <- truths(b)
    m <- through_axes(table$axes, theta)
    seen <- counts > 0
    if (any(m[seen] <= 0)) return(list(loglik = -Inf))
    ratio <- ifelse(seen, counts / m, 0)
    pull <- theta * through_axes(table$axes, ratio, TRUE)
    score <- 0
    observed <- complete <- 0
    for (g in seq_len(groups)) {
      n <- sum(counts[, g])
      if (n <= 0) next
      design <- designs[[g]]
      t <- theta[, g]
      mean <- drop(crossprod(design, t))
      score <- score + drop(crossprod(design, pull[, g] - n * t))
      # s_y = r_y - theta: V(theta) - V(r_y), summed over the reports given.
      z <- through_axes(table$axes, design * t) / ifelse(m[, g] > 0, m[, g], 1)
      before <- n * (crossprod(design * t, design) - tcrossprod(mean))
      after <- crossprod(design * pull[, g], design) - crossprod(z * counts[, g], z)
      complete <- complete + before
      observed <- observed + before - after
    }
    list(loglik = sum(counts[seen] * log(m[seen])), score = score, observed = (observed + t(observed)) / 2,
         fallback = function() complete)
  }
  list(evaluate = evaluate, truths = truths, counts = counts, designs = designs,
       reach = function(step) max(abs(x %*% step)), size = sqrt(colSums(x^2) * sum(counts) / nrow(x)))
}

regression_expected.rr_loglinear <- function(fit) {
  theta <- fit$model$truths(fit$estimate)
  m <- through_axes(fit$table$axes, theta)
  total <- 0
  for (g in seq_len(ncol(theta))) {
    design <- fit$model$designs[[g]]
    n <- sum(fit$model$counts[, g])
    z <- through_axes(fit$table$axes, design * theta[, g]) / ifelse(m[, g] > 0, m[, g], 1)
    total <- total + n * (crossprod(z * m[, g], z) - tcrossprod(drop(crossprod(design, theta[, g]))))
  }
  total
}

# One row per cell of the reports and group: the score of its reports, each of which is one respondent.
regression_scores.rr_loglinear <- function(fit) {
  theta <- fit$model$truths(fit$estimate)
  m <- through_axes(fit$table$axes, theta)
  do.call(rbind, lapply(seq_len(ncol(theta)), function(g) {
    design <- fit$model$designs[[g]]
    z <- through_axes(fit$table$axes, design * theta[, g]) / ifelse(m[, g] > 0, m[, g], 1)
    s <- z - rep(drop(crossprod(design, theta[, g])), each = nrow(z))
    # The square root makes the cross-product the sum over respondents.
    s * sqrt(fit$model$counts[, g])
  }))
}

#' @rdname rr_loglinear
#' @param object,x A fit of `rr_loglinear()`.
#' @param type `"truth"` or `"report"`, see the value.
#' @param se.fit Standard errors too?
#' @export
predict.rr_loglinear <- function(object, type = c("truth", "report"), se.fit = FALSE, ...) {
  type <- check_choice(type, "type", c("truth", "report"))
  check_flag(se.fit, "se.fit")
  theta <- object$model$truths(object$estimate)
  value <- if (type == "truth") theta else {
    through_axes(object$table$axes, theta) * rep(object$tally$n, each = nrow(object$table$counts))
  }
  side <- if (type == "truth") "levels" else "reports"
  fit <- loglinear_array(object, value, side)
  if (!se.fit) return(fit)
  v <- object$limit
  error <- vapply(seq_len(ncol(theta)), function(g) {
    design <- object$model$designs[[g]]
    slope <- theta[, g] * (design - rep(drop(crossprod(design, theta[, g])), each = nrow(design)))
    if (type == "report") slope <- object$tally$n[g] * through_axes(object$table$axes, slope)
    sqrt(pmax(rowSums((slope %*% v) * slope), 0))
  }, numeric(nrow(value)))
  list(fit = fit, se.fit = loglinear_array(object, error, side))
}

loglinear_array <- function(object, value, side) {
  labels <- lapply(object$table$questions, `[[`, side)
  if (!is.null(object$tally$groups)) labels$group <- do.call(paste, c(as.list(object$tally$groups), sep = "."))
  array(value, unname(lengths(labels)), dimnames = labels)
}

#' @rdname rr_loglinear
#' @export
as.table.rr_loglinear <- function(x, ...) {
  as.table(predict(x))
}

#' @export
fitted.rr_loglinear <- function(object, ...) predict(object, "report")

#' @export
glance.rr_loglinear <- function(x, ...) {
  best <- loglinear_saturated(x)
  deviance <- max(2 * (best - x$loglik), 0)
  rest <- ncol(x$table$counts) * (prod(x$table$sizes) - 1) - length(x$table$names)
  tibble::add_column(NextMethod(), deviance = deviance, df.residual = rest,
                     p.value = if (rest > 0) stats::pchisq(deviance, rest, lower.tail = FALSE) else NA_real_)
}

# The largest log-likelihood of any joint distribution, by the certified solver, group by group.
loglinear_saturated <- function(x) {
  fit <- suppressWarnings(rr_estimate(x$tally))
  as.numeric(logLik(fit))
}
