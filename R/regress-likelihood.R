# Likelihoods that are written in R: the model that climbs need, and the fit of its maximum.

# A model for climb(), in coordinates b whose X'WX is `total` times the identity: columns are made
# orthogonal (orthogonal_columns()). Its arguments are
#   names               the names of the parameters
#   evaluate(b, need) list(value, gradient, observed, fallback). A `need` of 0 is for the value, of
#                       1 for the first three. `fallback` is a curvature that is never indefinite,
#                       that of EM or Fisher's
#   predictors(b)       the numbers that are linear in b and may be infinite
#   to                  the matrix from b to the parameters that are reported
#   total, start        the sum of the weights; the point of the first climb
#   reach(step)         the largest change of a linear predictor
#   natural(b)          the reported parameters
#   slope(b)            their derivatives
#   unbounded(b, N) list(eta, move): predictors that may be infinite, and their changes along the
#                       columns of N
#   kernel              regress_kernel() in place of `evaluate`, if the likelihood is written in C
new_likelihood <- function(
  names, evaluate, predictors, to, total, start = NULL,
  reach = function(step) max(abs(predictors(step))),
  natural = function(b) drop(to %*% b), slope = function(b) to,
  unbounded = function(b, N) {
    list(eta = predictors(b), move = column_moves(predictors, N))
  },
  kernel = list(evaluate = with_memory(evaluate), reach = reach, metric = diag(total, size))
) {
  size <- length(names)
  list(
    names = names,
    kernel = kernel,
    metric = diag(total, size),
    work = (size + 1)^2,
    reach = reach,
    natural = natural,
    slope = slope,
    unbounded = unbounded,
    start = start,
    size = size,
    k = size,
    far = 37,
    data = list(weight = total),
    basis = list(levels = 0L)
  )
}

# `evaluate` with a memory of the last point: a climb needs the fallback at the same point again,
# and likelihoods that have computed it do not repeat it.
with_memory <- function(evaluate) {
  last <- NULL
  function(b, need) {
    if (identical(b, last$b)) return(last$state)
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

# Linear combinations of columns, list(z, back):
#   z = x back
# is orthogonal, with a mean square of 1 over the weighted rows. `back` is upper triangular with a
# positive diagonal, so that it does not depend on the order of the rows.
orthogonal_columns <- function(x, weights) {
  if (!ncol(x)) return(list(z = x, back = diag(0)))
  back <- backsolve(
    qr.R(qr(x * sqrt(weights / sum(weights)), tol = 0)),
    diag(ncol(x))
  )
  back <- back * rep(sign(diag(back)), each = nrow(back))
  list(z = x %*% back, back = back)
}

# The distinct rows of a table of numbers, a list of columns, in sorted order: a likelihood of them
# does not depend on the order of the rows of the data. The result is a list of
#   first    a row of the data for each distinct row
#   index    the distinct row of each row
#   unit     the unit of the weights
#   weights  the sums of the weights of each distinct row, in this unit
distinct_rows <- function(columns, weights) {
  columns <- columns[lengths(columns) > 0L]
  order <- do.call(order, c(columns, list(weights, method = "radix")))
  differs <- lapply(columns, function(x) diff(x[order]) != 0)
  is_new <- Reduce(`|`, differs, rep(FALSE, length(weights) - 1L))
  key <- cumsum(c(TRUE, is_new))
  unit <- weight_unit(weights)
  list(
    first = order[!duplicated(key)],
    index = replace(key, order, key),
    unit = unit,
    weights = as.vector(rowsum(weights[order], key)) / unit
  )
}

# The distances of the truths of a row below its most probable one, and their changes along the
# columns of N: list(eta, move). `predictors(b)` is a matrix with a column for each truth.
truth_distances <- function(predictors, b, N) {
  eta <- predictors(b)
  top <- cbind(seq_len(nrow(eta)), max.col(eta, "first"))
  below <- function(eta) as.vector(eta[top] - eta)
  move <- column_moves(function(direction) below(predictors(direction)), N)
  list(eta = below(eta), move = move)
}

# The fit at the highest maximum, with warnings; `unit` is that of the weights of the model. `b` is
# the maximum in the coordinates of the model, `estimate` the same in the parameters, which are
# finite, and `coefficients` has infinite ones.
fit_likelihood <- function(
  model, starts, doubtful = FALSE, best = highest_maximum(model, even_starts(model, starts)),
  unit = 1
) {
  limits <- limits_of(model, best$b)
  best <- in_units(best, unit)
  infinite <- model$names[limits$infinite]
  warn_maxima(
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
    coefficients = setNames(limits$coefficients, model$names),
    vcov = structure(limits$observed / unit, dimnames = list(model$names, model$names)),
    limit = limits$contrast_vcov / unit,
    loglik = best$value,
    df = model$size,
    estimate = limits$point,
    infinite = infinite,
    starts = best$values,
    decrement = best$decrement,
    b = best$b
  )
}

# A warning of maxima that are infinite, close to each other in their `values`, or at the end of the
# range of a bounded link (`pressed`). It replaces the `cure` if the reports are unlikely
# (`doubtful`): neither other answers nor a penalty cure a wrong mechanism.
warn_maxima <- function(infinite, values, doubtful, cure, pressed = FALSE) {
  best <- max(values, -Inf)
  near <- any(values < best - 1e-5 & values > best - 2)
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
