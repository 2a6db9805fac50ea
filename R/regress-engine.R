# The maximum of a likelihood that is not concave, and bounded at infinity (inst/mathematics/maxima.md). A point is
# always a finite b, and its log-likelihood is the value at b. An estimate at infinity is a point so far out that the
# value stands still; "-Inf" describes such a point.

# Climbs from the columns of `starts`.
climb <- function(model, starts, tolerance = 1e-11, steps = 300) {
  found <- .Call(C_rr_regress_climb, model$parts, as.double(starts), c(tolerance, steps))
  list(at = found$at, value = found$numbers[1, ], decrement = found$numbers[2, ], steps = found$numbers[3, ],
       pressed = found$numbers[4, ] == 1)
}

heights <- function(model, points) .Call(C_rr_regress_heights, model$parts, as.double(points))

# X'WX, for an unknown number the sum of the weights.
metric <- function(model) {
  total <- sum(model$data$weight)
  M <- diag(total, model$size)
  k <- seq_len(model$k)
  if (model$basis$levels) M[k, k] <- crossprod(model$z, model$data$weight * model$z)
  M
}

# Directions in which the information J is below `least` of the metric, a column each; the mean square of their changes
# of the linear predictor is about 1.
flat_directions_of <- function(model, J, least, M = metric(model)) {
  total <- sum(model$data$weight)
  # Levels without information, then what the elimination of the others leaves.
  level <- seq_len(nrow(J)) <= model$basis$levels
  weak <- diag(J) < least * diag(M)
  none <- which(level & weak)
  use <- which(level & !weak)
  half <- J[use, !level, drop = FALSE] / diag(J)[use]
  rest <- J[!level, !level, drop = FALSE] - crossprod(J[use, !level, drop = FALSE], half)
  # There may be nothing but the levels.
  parts <- if (length(rest)) eigen(rest / total, symmetric = TRUE) else list(vectors = rest, values = numeric())
  dense <- parts$vectors[, abs(parts$values) < least, drop = FALSE]
  N <- matrix(0, nrow(J), length(none) + ncol(dense))
  N[cbind(none, seq_along(none))] <- sqrt(total / diag(M)[none])
  late <- length(none) + seq_len(ncol(dense))
  N[use, late] <- -half %*% dense
  N[!level, late] <- dense
  N
}

# Goes on where the likelihood is flat, as long as it does not fall: to infinity, if it is there.
push <- function(model, fit) {
  M <- metric(model)
  total <- sum(model$data$weight)
  for (round in 1:6) {
    value <- regress_value(model, fit$b)
    J <- value$observed + (model$prior %||% 0)
    N <- flat_directions_of(model, J, 1e-4, M)
    if (!ncol(N)) break
    onto <- function(v, N) drop(N %*% crossprod(N, M %*% v)) / total
    newton <- tryCatch(solve(J + 1e-15 * M, value$gradient), error = function(e) NULL)
    ways <- c(if (!is.null(newton)) list(onto(newton, N)), list(onto(fit$b, N)),
              lapply(seq_len(ncol(N)), function(j) onto(fit$b, N[, j, drop = FALSE])))
    points <- do.call(cbind, lapply(ways, function(way) {
      size <- model$reach(way)
      if (isTRUE(size > 1e-9)) fit$b + way %o% (c(0.5, 2, 8, 32) * model$far / size)
    }))
    level <- if (is.null(points)) -Inf else heights(model, points)
    level[is.na(level)] <- -Inf
    # All directions together first, else each by itself.
    blocks <- split(seq_along(level), (seq_along(level) - 1) %/% 4)
    block <- Find(function(places) max(level[places]) >= fit$value - 1e-9, blocks)
    if (is.null(block)) break
    further <- climb(model, points[, block[which.max(level[block])]])
    if (further$value < fit$value - 2e-9) break
    fit[c("b", "value", "decrement")] <- list(further$at[, 1], further$value, further$decrement)
  }
  fit
}

# Of all starts: those that are hopeless are left out, the others climb roughly; what ends near the best goes to the
# end, and out. `within`: how far below the best an end is still of interest. `turn`: also from steep ends whose rows in
# between are put on another side.
highest_maximum <- function(model, starts, turn = FALSE) {
  starts <- promising(model, starts)
  ends <- follow(model, starts, list())
  more <- if (turn && ncol(starts) > 1L) turned_starts(model, ends)
  if (length(more)) ends <- follow(model, more, ends)
  values <- vapply(ends, `[[`, 0, "value")
  c(ends[[which.max(values)]], list(model = model, ends = ends, values = values))
}

# The ends so far, and those of more starts.
follow <- function(model, starts, ends) {
  rough <- climb(model, starts, 1e-3, 60)
  order <- order(-rough$value)
  if (!length(ends) && !is.finite(rough$value[order[1]])) abort("No start has a finite likelihood.", "stalled")
  top <- max(vapply(ends, `[[`, 0, "value"), -Inf)
  for (j in order) {
    if (!is.finite(rough$value[j]) || rough$value[j] < top - 3) break
    known <- function(e) abs(e$value - rough$value[j]) < 0.02 && model$reach(e$b - rough$at[, j]) < 0.3
    if (any(vapply(ends, known, NA))) next
    found <- climb(model, rough$at[, j])
    if (any(vapply(ends, function(e) abs(e$value - found$value) < 1e-8, NA))) next
    end <- list(b = found$at[, 1], value = found$value, decrement = found$decrement, steps = found$steps,
                pressed = found$pressed && found$decrement > 1e-8)
    if (!end$pressed) end <- push(model, end) else {
      # At the end of the range of a bounded link: on inside, along a barrier that is lowered step by step.
      b <- starts[, 1]
      for (height in 10^-(2:11) * sum(model$data$weight) / length(model$data$y)) {
        b <- climb(with_parts(model, height), b)$at[, 1]
      }
      value <- heights(model, b)
      if (value >= end$value) end[c("b", "value")] <- list(b, value)
    }
    ends <- c(ends, list(end))
    top <- max(top, end$value)
  }
  ends
}

# A climb rises by some units, the more the more coefficients there are; the best few starts are always tried. With many
# rows the climbs use a part of them first, and what they lead to is climbed from with all rows.
promising <- function(model, starts) {
  if (ncol(starts) == 1L) return(starts)
  n <- length(model$data$y)
  value <- heights(model, starts)
  first <- which(is.finite(value))[1]
  if (is.na(first)) return(starts)
  top <- climb(model, starts[, first], 1e-3, 60)
  allowed <- 8 + 3 * model$size
  starts[, first] <- top$at
  kept <- union(which(value > top$value - allowed), utils::head(order(-value), 4))
  kept <- setdiff(kept, c(first, which(!is.finite(value))))
  if (n >= thin_rows && length(kept)) {
    rows <- seq(1, n, by = n %/% (thin_rows %/% 4))
    some <- thin_model(model, rows)
    near <- climb(some, cbind(top$at, starts[, kept]), 1e-3, 60)$at
    apart <- vapply(kept, function(j) some$reach(near[, match(j, kept) + 1] - near[, 1]) > 0.3, NA)
    # A maximum of a part of the rows is this much below that of all.
    apart <- apart & heights(model, near[, -1]) > top$value - 3 - 2 * model$size * n / length(rows)
    starts[, kept] <- near[, -1]
    kept <- kept[apart]
  }
  starts[, c(first, kept), drop = FALSE]
}

thin_rows <- 8000

# What is infinite at an end (Farkas): a parameter with the derivative c is +Inf if c is in the cone of the rows at
# infinity, -Inf if -c is; if neither is, its sign is not determined: NA. Finite ones keep their variance.
limits_of <- function(model, b) {
  value <- regress_value(model, b)
  M <- metric(model)
  prior <- model$prior %||% 0
  N <- flat_directions_of(model, value$observed + prior, 1e-9, M)
  hidden <- tcrossprod(M %*% N) / sum(model$data$weight)
  to <- model$slope(b)
  inverse <- function(J) {
    V <- tryCatch(invert_positive(J + prior + hidden), error = function(e) matrix(NA_real_, model$size, model$size))
    to %*% V %*% t(to)
  }
  part <- to %*% N
  infinite <- flat_parameters(to, part)
  signs <- numeric(nrow(to))
  if (any(infinite)) {
    at <- model$rows(b, N)
    signs[infinite] <- cone_signs(infinite_cone(at$move, at$eta), part[infinite, , drop = FALSE])
  }
  finite <- function(V) replace(V, outer(infinite, infinite, `|`), NA)
  point <- model$natural(b)
  whole <- inverse(value$observed)
  list(value = value, part = part, infinite = infinite, point = point,
       coefficients = ifelse(infinite, signs * Inf, point), whole = whole, observed = finite(whole),
       expected = finite(inverse(value$expected)))
}

# The parameters that change along flat directions.
flat_parameters <- function(to, part) rowSums(part^2) > 1e-14 * rowSums(to^2)

invert_positive <- function(matrix) {
  scale <- 1 / sqrt(diag(matrix))
  inverse <- chol2inv(chol(matrix * outer(scale, scale))) * outer(scale, scale)
  (inverse + t(inverse)) / 2
}

# The end of a fit of rr_glm(), in the coordinates of x. The unknown number follows from its logit.
describe_maximum <- function(fit) {
  model <- fit$model
  k <- seq_len(model$k)
  columns <- seq_len(ncol(model$data$x))
  found <- limits_of(model, fit$b)
  infinite <- found$infinite[columns]
  psi <- found$point[-columns]
  places <- c(model$basis$keep, length(columns) + seq_along(psi))
  scale <- c(rep(1, length(columns)), psi * (1 - psi))
  scale[-places] <- NA
  scaled <- function(V) V * outer(scale, scale)
  psi <- ifelse(found$infinite[-columns], round(psi), psi)
  back <- block_diagonal(list(t(solve(model$basis$back)), diag(length(psi))))
  unscaled <- function(J) {
    all <- matrix(NA_real_, length(scale), length(scale))
    all[places, places] <- back %*% J %*% t(back)
    all
  }
  raw <- if (length(psi)) regress_value(model, c(fit$b[k], psi), natural = TRUE) else found$value
  list(coefficients = replace(found$coefficients[columns], -model$basis$keep, NA), infinite = infinite,
       point = found$point[columns], flat = if (any(infinite)) found$part[columns, , drop = FALSE], parameter = psi,
       variance = list(observed = scaled(found$observed), expected = scaled(found$expected)),
       whole = scaled(found$whole), loglik = raw$value, information = lapply(raw[c("observed", "expected")], unscaled))
}

# The rows at infinity, as directions of their signs, each once.
infinite_cone <- function(move, eta) {
  size <- sqrt(rowSums(move^2))
  out <- size > 1e-7
  unique(round(move[out, , drop = FALSE] * (sign(eta[out]) / size[out]), 12))
}

# 1, -1 or NA for each row of `ways`.
cone_signs <- function(cone, ways) {
  apply(ways, 1, function(way) if (in_cone(cone, way)) 1 else if (in_cone(cone, -way)) -1 else NA_real_)
}

# Is `way` a combination of the rows of `cone` with weights of at least 0? Non-negative least squares (Lawson and Hanson
# 1974, Solving Least Squares Problems, ch. 23).
in_cone <- function(cone, way) {
  A <- t(cone)
  way <- way / sqrt(sum(way^2))
  x <- numeric(ncol(A))
  on <- logical(ncol(A))
  rest <- way
  for (count in seq_len(3 * ncol(A))) {
    gain <- drop(crossprod(A, rest))
    gain[on] <- -Inf
    if (sum(rest^2) < 1e-14 || max(gain) < 1e-9) break
    on[which.max(gain)] <- TRUE
    repeat {
      z <- numeric(ncol(A))
      z[on] <- qr.coef(qr(A[, on, drop = FALSE]), way)
      z[is.na(z)] <- 0
      bad <- on & z <= -1e-12
      if (!any(bad)) break
      x <- x + min(x[bad] / (x[bad] - z[bad])) * (z - x)
      on <- on & x > 1e-12
    }
    x <- z
    rest <- way - drop(A %*% x)
  }
  sum(rest^2) < 1e-12
}

# The linear predictor of rows: finite, infinite where the fit determines the sign, else NA.
limit_predictor <- function(fit, x, offset = NULL) {
  eta <- predictor_of(x, fit$point, offset)
  if (is.null(fit$flat)) return(eta)
  move <- x %*% fit$flat
  out <- which(rowSums(move^2) > 1e-14)
  if (!length(out)) return(eta)
  seen <- fit$prior.weights > 0
  rows <- stats::model.matrix(fit)[seen, , drop = FALSE]
  cone <- infinite_cone(rows %*% fit$flat, predictor_of(rows, fit$point, fit$offset[seen]))
  kinds <- round(move[out, , drop = FALSE], 9)
  key <- do.call(paste, as.data.frame(kinds))
  first <- !duplicated(key)
  eta[out] <- (cone_signs(cone, kinds[first, , drop = FALSE]) * Inf)[match(key, key[first])]
  eta
}
# ---- likelihoods that are written in R ----

# `evaluate(b, need)` gives list(value, gradient, observed, fallback), of which a `need` of 0 asks for the first, of 1
# for three; `fallback` is a curvature that is never indefinite, that of EM or Fisher's. The coordinates are such that
# X'WX is `total` times the identity: columns are made orthogonal (orthogonal_columns()). `reach(step)`: the largest
# change of a linear predictor; `natural(b)`: the parameters that are reported, `slope(b)` their derivatives; `rows(b,
# N)`: linear predictors that may be infinite, and their changes along the columns of N.
new_likelihood <- function(names, evaluate, reach, natural, slope, rows, total, start) {
  size <- length(names)
  list(names = names, parts = list(evaluate, reach, diag(total, size)), reach = reach, natural = natural,
       slope = slope, rows = rows, start = start, size = size, k = size, far = 37, data = list(weight = total),
       basis = list(levels = 0L))
}

# Linear combinations of columns: z = x back is orthogonal, with a mean square of 1 over the weighted rows.
orthogonal_columns <- function(x, weights) {
  if (!ncol(x)) return(list(z = x, back = diag(0)))
  back <- backsolve(qr.R(qr(x * sqrt(weights / sum(weights)), tol = 0)), diag(ncol(x)))
  list(z = x %*% back, back = back)
}

# How far the other truths of a row are below its most probable one, and the changes of these distances along the
# columns of N. `predictors(b)`: a column for each truth.
truth_distances <- function(predictors, b, N) {
  eta <- predictors(b)
  top <- cbind(seq_len(nrow(eta)), max.col(eta, "first"))
  below <- function(eta) as.vector(eta[top] - eta)
  list(eta = below(eta), move = matrix(apply(N, 2, function(way) below(predictors(way))), ncol = ncol(N)))
}

# The highest maximum, what is infinite there, and what users must know of it. `start`: the first of the starts.
fit_likelihood <- function(model, starts, doubtful = FALSE,
                           best = highest_maximum(model, spread_starts(model, starts))) {
  found <- limits_of(model, best$b)
  infinite <- model$names[found$infinite]
  tell_maxima(infinite, best$values, doubtful && length(infinite), "Simplify the model, or merge categories.")
  if (best$decrement > 1e-6 * (1 + abs(best$value))) {
    warn(c("The maximum of the likelihood was not reached.",
           x = "The next step promises {format(best$decrement, digits = 3)} units of log-likelihood."), "not_converged")
  }
  list(coefficients = stats::setNames(found$coefficients, model$names),
       vcov = structure(found$observed, dimnames = list(model$names, model$names)), limit = found$whole,
       loglik = best$value, df = model$size, estimate = found$point, infinite = infinite, starts = best$values,
       decrement = best$decrement, at = best$b)
}

# What users must know before they read the estimates: `values` of the maxima, and `pressed` of a bounded link. Neither
# other answers nor a penalty cure a wrong mechanism, which is told in the same warning.
tell_maxima <- function(infinite, values, doubtful, cure, pressed = FALSE) {
  near <- any(values < max(values, -Inf) - 1e-5 & values > max(values, -Inf) - 2)
  text <- if (pressed) "The maximum is at the end of the range of the link."
    else if (length(infinite)) "The likelihood has its largest value at infinity: {.val {utils::head(infinite, 5)}}."
    else if (near) "Another maximum lies within 2 units of log-likelihood."
  if (is.null(text) && !doubtful) return(invisible())
  if (doubtful) {
    text <- c("The reports are unlikely under this design.", text)
    cure <- "Is it another design, with probabilities or labels exchanged, or were the answers not randomized?"
  }
  warn(c(paste(text, collapse = " "), i = cure),
       c(if (pressed) "boundary", if (pressed || length(infinite)) "infinite", if (near) "maxima",
         if (doubtful) "unlikely"))
}

# The start of the moments, and the highest of each 24 points that are spread evenly around it, at distances in turn.
spread_starts <- function(model, starts) {
  if (starts == 1) return(cbind(model$start))
  far <- rep_len(c(2, 6, 20), starts - 1)
  points <- model$start + spread_ways(model$size, 24 * (starts - 1)) * rep(far, each = 24 * model$size)
  best <- apply(matrix(heights(model, points), 24), 2, which.max)
  cbind(model$start, points[, best + 24 * seq(0, starts - 2), drop = FALSE])
}

# ---- penalties of rr_glm() ----

# Estimates with less bias, and always finite ones. "bias" and "jeffreys" solve an adjusted score equation; only
# Jeffreys' is the gradient of something (inst/mathematics/regression.md 6.1). "prior" is climbed like the likelihood.

# The precision of a weak normal prior: standard deviation 2.5 for slopes per standard deviation of a column, or per
# step of one with two values, 5 for the intercept at the mean of the columns (the lower of two values).
prior_precision <- function(data) {
  x <- data$x
  w <- data$weight / sum(data$weight)
  mean <- colSums(w * x)
  low <- apply(x, 2, min)
  range <- apply(x, 2, max) - low
  two <- colSums(x != rep(low, each = nrow(x)) & x != rep(low + range, each = nrow(x))) == 0
  constant <- range == 0
  scale <- ifelse(two, range, sqrt(colSums(w * (x - rep(mean, each = nrow(x)))^2)))
  P <- diag((scale / 2.5)^2, ncol(x))
  if (any(constant)) {
    middle <- ifelse(constant, x[1, ], ifelse(two, low, mean))
    P <- P + tcrossprod(middle) / 25
  }
  P
}

# (Penalized) log-likelihood, adjusted score (also by rows), minus its derivative by differences, expected information
# and variance; -Inf outside the domain. `need`: of a 0 the value alone.
penalized_state <- function(model, b, penalty, need = 1L, slope = need > 0L) {
  data <- model$data
  none <- list(value = -Inf, equation = NA * b)
  eta <- predictor_of(model$z, b, data$offset)
  if (!inside_link(eta, data$link)) return(none)
  rows <- regress_rows(eta, data$y, data$arm, data$device, data$link)
  w <- data$weight * rows$expected
  information <- crossprod(model$z, w * model$z)
  root <- tryCatch(chol(information), error = function(e) NULL)
  if (is.null(root)) return(none)
  value <- sum(data$weight * rows$loglik) + if (penalty == "jeffreys") sum(log(diag(root))) else 0
  if (need == 0L || !is.finite(value)) return(list(value = value))
  V <- chol2inv(root)
  leverage <- w * rowSums((model$z %*% V) * model$z)
  bend <- rows$bend / rows$slope
  if (penalty == "jeffreys") {
    d <- row_device(data$device, data$arm, length(data$y))$d
    bend <- 2 * bend - d * rows$slope * (rows$report_no - rows$report) / (rows$report * rows$report_no)
  }
  bend[!is.finite(bend)] <- 0
  psi <- model$z * (data$weight * rows$score + 0.5 * leverage * bend)
  state <- list(value = value, equation = colSums(psi), slope = information, fallback = information, psi = psi, V = V)
  if (!slope) return(state)
  near <- function(k, h) penalized_state(model, replace(b, k, b[k] + h), penalty, need, FALSE)$equation
  change <- vapply(seq_along(b), function(k) near(k, -1e-5) - near(k, 1e-5), numeric(length(b))) / 2e-5
  if (all(is.finite(change))) state$slope <- if (penalty == "jeffreys") (change + t(change)) / 2 else change
  state
}

# Newton's method on the equations, halving steps that do not bring them nearer to 0. Linear ones are solved by the
# first.
solve_moments <- function(evaluate, b, remedy = NULL) {
  now <- evaluate(b)
  scale <- 1 / sqrt(pmax(colSums(now$psi^2), 1e-300))
  size <- function(at) sum((at$equation * scale)^2)
  for (iteration in seq_len(50)) {
    step <- tryCatch(solve(now$slope, now$equation, tol = 1e-14), error = function(e) NULL)
    if (is.null(step)) break
    for (share in 0.5^(0:27)) {
      then <- evaluate(b + share * step)
      better <- all(is.finite(then$equation)) && size(then) < (1 - 1e-4 * share) * size(now)
      if (better) break
    }
    if (!better) break
    b <- b + share * step
    now <- then
    if (size(now) < 1e-26) break
  }
  if (!is.null(step) && size(now) < 1e-12) return(c(list(b = b), now))
  abort(c("The equations do not determine the coefficients.", i = remedy), "argument")
}

# Steep ends leave a few rows in between, where the likelihood is lower than with some of them on another side, far out.
# From each such end: it made steeper, and each of these rows moved across by the least change of the others.
turned_starts <- function(model, ends) {
  if (model$basis$levels || model$size > model$k || model$data$link %in% c("log", "identity")) return(NULL)
  M <- metric(model)
  found <- lapply(utils::head(ends[order(-vapply(ends, `[[`, 0, "value"))], 4), function(end) {
    eta <- as.vector(model$z %*% end$b)
    between <- order(abs(eta))
    between <- utils::head(between[abs(eta[between]) < 4], 12)
    if (max(abs(eta)) < 8 || !length(between)) return(NULL)
    moves <- solve(M, t(model$z[between, , drop = FALSE]))
    moves <- moves / rep(rowSums(model$z[between, , drop = FALSE] * t(moves)), each = model$k)
    points <- cbind(end$b, end$b - moves * rep(eta[between] + sign(eta[between]) * 0.2, each = model$k))
    cbind(8 * points, 100 * points)
  })
  do.call(cbind, found)
}

# Directions that are spread evenly, as fractional parts of multiples of roots are.
spread_ways <- function(m, many) {
  primes <- sqrt(c(2, 3, 5, 7, 11, 13, 17, 19))[(seq_len(m) - 1) %% 8 + 1] + 0.618034 * ((seq_len(m) - 1) %/% 8)
  unit_columns(stats::qnorm(outer(primes, seq_len(many)) %% 1))
}

# Coefficients whose linear predictor comes nearest to `target`.
project <- function(model, target) {
  k <- seq_len(model$k)
  as.vector(solve(metric(model)[k, k], crossprod(model$z, model$data$weight * target)))
}

unit_columns <- function(ways) {
  size <- sqrt(colSums(ways^2))
  ways[, size > 1e-9, drop = FALSE] / rep(size[size > 1e-9], each = nrow(ways))
}
