# Likelihoods that are written in R: what the climb needs of them, and what users must know of their
# maximum.

# `evaluate(b, need)` gives list(value, gradient, observed, fallback), of which a `need` of 0 asks
# for the value, of 1 for the first three. `fallback` is a curvature that is never indefinite, that
# of EM or Fisher's. The coordinates are such that X'WX is `total` times the identity: columns are
# made orthogonal (orthogonal_columns()). `predictors(b)`: what is linear in b and may be infinite;
# `to`: from b to the parameters that are reported. Other models say more: `reach(step)`, the
# largest change of a linear predictor; `natural(b)`, the reported parameters, `slope(b)` their
# derivatives; `rows(b, N)`: list(eta, move), predictors that may be infinite, and their changes
# along the columns of N.
new_likelihood <- function(
  names, evaluate, predictors, to, total, start = NULL,
  reach = function(step) max(abs(predictors(step))),
  natural = function(b) drop(to %*% b), slope = function(b) to,
  rows = function(b, N) {
    list(eta = predictors(b), move = column_moves(predictors, N))
  }
) {
  size <- length(names)
  kernel <- list(evaluate = with_memory(evaluate), reach = reach, metric = diag(total, size))
  list(
    names = names,
    kernel = kernel,
    reach = reach,
    natural = natural,
    slope = slope,
    rows = rows,
    start = start,
    size = size,
    k = size,
    far = 37,
    data = list(weight = total),
    basis = list(levels = 0L)
  )
}

# A climb asks for the fallback where it was before: likelihoods that have given it are not asked
# again.
with_memory <- function(evaluate) {
  last <- NULL
  function(b, need) {
    if (need > 0L && identical(b, last$b)) return(last$state)
    state <- evaluate(b, need)
    if (need > 0L) {
      last <<- if (!is.null(state$fallback)) list(b = b, state = state)
    }
    state
  }
}

column_moves <- function(move, N) {
  matrix(apply(N, 2, move), ncol = ncol(N))
}

# Linear combinations of columns: z = x back is orthogonal, with a mean square of 1 over the
# weighted rows. `back` is upper triangular with a positive diagonal, so that it does not depend on
# the order of the rows.
orthogonal_columns <- function(x, weights) {
  if (!ncol(x)) return(list(z = x, back = diag(0)))
  back <- backsolve(
    qr.R(qr(x * sqrt(weights / sum(weights)), tol = 0)),
    diag(ncol(x))
  )
  back <- back * rep(sign(diag(back)), each = nrow(back))
  list(z = x %*% back, back = back)
}

# The distinct rows of a table of numbers, given by its columns, in sorted order: a likelihood of
# them does not depend on the order of the rows of the data. list(first, index, weights, unit): a
# row of the data for each distinct row; the distinct row of each row; the sums of their weights, in
# this unit.
distinct_rows <- function(columns, weights) {
  columns <- columns[lengths(columns) > 0L]
  order <- do.call(order, c(columns, list(weights, method = "radix")))
  new <- Reduce(
    `|`, lapply(columns, function(x) diff(x[order]) != 0),
    rep(FALSE, length(weights) - 1L)
  )
  key <- cumsum(c(TRUE, new))
  unit <- weight_unit(weights)
  list(
    first = order[!duplicated(key)],
    index = replace(key, order, key),
    unit = unit,
    weights = as.vector(rowsum(weights[order], key, reorder = FALSE)) / unit
  )
}

# How far the other truths of a row are below its most probable one, and the changes of these
# distances along the columns of N. `predictors(b)`: a column for each truth.
truth_distances <- function(predictors, b, N) {
  eta <- predictors(b)
  top <- cbind(seq_len(nrow(eta)), max.col(eta, "first"))
  below <- function(eta) as.vector(eta[top] - eta)
  list(
    eta = below(eta),
    move = column_moves(function(way) below(predictors(way)), N)
  )
}

# The highest maximum, what is infinite there, and what users must know of it. `unit`: of the
# weights of the model.
fit_likelihood <- function(
  model, starts, doubtful = FALSE, best = highest_maximum(model, spread_starts(model, starts)),
  unit = 1
) {
  found <- limits_of(model, best$b)
  best <- in_units(best, unit)
  infinite <- model$names[found$infinite]
  tell_maxima(
    infinite, best$values, doubtful && length(infinite), "Simplify the model, or merge categories."
  )
  if (best$decrement > 1e-6 * (1 + abs(best$value))) {
    warn(
      c(
        "The maximum of the likelihood was not reached.",
        x = "The next step promises {format(best$decrement, digits = 3)} units of log-likelihood."
      ),
      "not_converged"
    )
  }
  list(
    coefficients = setNames(found$coefficients, model$names),
    vcov = structure(found$observed / unit, dimnames = list(model$names, model$names)),
    limit = found$contrast_vcov / unit,
    loglik = best$value,
    df = model$size,
    estimate = found$point,
    infinite = infinite,
    starts = best$values,
    decrement = best$decrement,
    at = best$b
  )
}

# What users must know before they read the estimates: `values` of the maxima, and `pressed` of a
# bounded link. Neither other answers nor a penalty cure a wrong mechanism, which is told in the
# same warning.
tell_maxima <- function(infinite, values, doubtful, cure, pressed = FALSE) {
  near <- any(
    values < max(values, -Inf) - 1e-5 & values > max(values, -Inf) - 2
  )
  text <- if (pressed) {
    "The maximum is at the end of the range of the link."
  } else if (length(infinite)) {
    "The likelihood has its largest value at infinity: {.val {head(infinite, 5)}}."
  } else if (near) {
    "Another maximum lies within 2 units of log-likelihood."
  }
  if (is.null(text) && !doubtful) return(invisible())
  if (doubtful) {
    text <- c("The reports are unlikely under this design.", text)
    cure <- paste(
      "Is it another design, with probabilities or labels exchanged,",
      "or were the answers not randomized?"
    )
  }
  warn(c(paste(text, collapse = " "), i = cure), c(
    if (pressed) "boundary", if (pressed || length(infinite)) "infinite", if (near) "maxima",
    if (doubtful) "unlikely"
  ))
}
