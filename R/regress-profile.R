#' @rdname rr_glm_methods
#' @export
confint.rr_glm <- function(object, parm, level = 0.95, method = c("profile", "wald"), type = NULL, cluster = NULL,
                           ...) {
  chosen <- !is.null(type) || !is.null(cluster)
  asked <- !is.null(method) && !identical(method, c("profile", "wald"))
  method <- if (chosen && !asked) "wald" else check_choice(method, "method", c("profile", "wald"))
  if (chosen && method == "profile") {
    abort(c("{.arg type} and {.arg cluster} are for {.code method = \"wald\"}.",
            x = "A profile interval has no standard error."), "argument")
  }
  type <- type %||% default_variance(object, cluster)
  level <- check_level(level)
  names <- names(object$coefficients)
  which <- if (missing(parm)) seq_along(names) else match_coefficients(parm, names)
  percent <- paste(format(100 * c((1 - level) / 2, (1 + level) / 2), trim = TRUE, digits = 3), "%")
  ends <- if (method == "wald") wald_ends(object, which, level, type, cluster)
    else if (!is.null(object$design) || object$penalty != "none") {
      if (asked) refuse_profile(object)
      wald_ends(object, which, level, type, cluster)
    } else t(vapply(which, function(j) profile_coefficient(object, j, level), numeric(2)))
  dimnames(ends) <- list(names[which], percent)
  ends
}

wald_ends <- function(fit, which, level, type, cluster) {
  se <- sqrt(diag(stats::vcov(fit, type, cluster)))[which]
  half <- coefficient_quantile(fit, level, type) * se
  unname(cbind(fit$coefficients[which] - half, fit$coefficients[which] + half))
}

# The rows of a fit, alike ones together, and the coefficients that are estimated; NULL if j is not one.
profile_parts <- function(fit, j) {
  kept <- which(!is.na(fit$coefficients) | names(fit$coefficients) %in% fit$boundary$coefficients)
  if (!j %in% kept) return(NULL)
  data <- collapse_rows(fitted_data(fit))
  if (any(data$weight == 0)) data <- take_rows(data, which(data$weight > 0))
  list(data = data, kept = kept)
}

# All values b of coefficient j with 2 (top - best log-likelihood with that value) within the quantile. The root is
# sought on the signed square root of that difference, which is nearly a line; its slope is the score of b.
profile_coefficient <- function(fit, j, level) {
  parts <- profile_parts(fit, j)
  if (is.null(parts)) return(c(NA_real_, NA_real_))
  data <- parts$data
  curve <- profile_curve(fit, data, j, parts$kept)
  limit <- sqrt(stats::qchisq(level, 1))
  if (!is.finite(fit$coefficients[j])) return(infinite_profile(fit, data, j, curve, limit))
  c(profile_end(curve, fit, j, -1, limit), profile_end(curve, fit, j, 1, limit))
}

#' @rdname rr_profile
#' @export
profile.rr_glm <- function(fitted, parm = NULL, level = 0.99, points = 20, ...) {
  level <- check_level(level)
  points <- check_count(points, "points", min = 5, max = 1000)
  if (!is.null(fitted$design) || fitted$penalty != "none") refuse_profile(fitted)
  names <- names(fitted$coefficients)
  which <- if (is.null(parm)) seq_along(names) else match_coefficients(parm, names)
  tables <- lapply(which, function(j) profile_of_coefficient(fitted, j, level, points))
  table <- do.call(rbind, tables[lengths(tables) > 0])
  if (is.null(table)) {
    abort(c("There is no profile to give.", x = "These coefficients are not estimated: {.val {names[which]}}."),
          "argument")
  }
  new_rr_profile(tibble::as_tibble(table), fitted)
}

#' @export
profile.rr_regression <- function(fitted, ...) {
  abort(c("There are no profiles for a fit of class {.cls {class(fitted)[1]}}.",
          i = "{.fn confint} gives its intervals; fits of {.fn rr_glm} and {.fn rr_estimate} have profiles."),
        "argument")
}

#' @export
profile_bounds.rr_glm <- function(fit, terms, level) stats::confint(fit, terms, level, method = "profile")

refuse_profile <- function(fit) {
  abort(c("Profile intervals need a likelihood.",
          x = if (is.null(fit$design)) "This estimate is penalised." else "This fit is of a survey design.",
          i = "Use {.code confint(fit, method = \"wald\")}."), "argument")
}

# The curve of one coefficient, from the estimate outwards on both sides; NULL where it is not estimated. One that is
# infinite has only a side that leads back from far out.
profile_of_coefficient <- function(fit, j, level, points) {
  parts <- profile_parts(fit, j)
  if (is.null(parts)) return(NULL)
  curve <- profile_curve(fit, parts$data, j, parts$kept)
  centre <- unname(fit$coefficients[j])
  finite <- is.finite(centre)
  far <- if (finite) 6 * sqrt(fit$variance$observed[j, j]) else 20 / curve$scale
  ends <- profile_coefficient(fit, j, level)
  start <- if (finite) centre else sign(centre) * far
  if (is.na(start) || !(finite || any(is.finite(ends)))) return(NULL)
  ends <- ifelse(is.finite(ends), ends, start + c(-far, far) * finite)
  grid <- seq(ends[1], ends[2], length.out = points)
  sides <- list(rev(grid[grid < start]), grid[grid > start])
  found <- lapply(sides, function(values) {
    rest <- curve$first
    falls <- numeric(length(values))
    for (k in seq_along(values)) {
      point <- curve$at(values[k], rest)
      if (!is.null(point)) rest <- point$rest
      # The climb along the curve may be on a lower maximum.
      other <- curve$others(values[k], list(rest))
      falls[k] <- min(point$fall, other$fall, Inf)
    }
    falls
  })
  value <- c(sides[[1]], if (finite) centre, sides[[2]])
  fall <- c(found[[1]], if (finite) 0, found[[2]])
  order <- order(value)[is.finite(fall[order(value)])]
  side <- if (finite) sign(value - centre) else rep(-sign(fit$coefficients[j]), length(value))
  data.frame(term = names(fit$coefficients)[j], value = value[order], deviance = fall[order]^2,
             z = unname(side[order]) * fall[order])
}

# A function of b (and where to start the others) that gives the fall r = sqrt(2 (top - l(b))), its slope dr / db, and
# the others.
profile_curve <- function(fit, data, j, kept) {
  column <- data$x[, j]
  others <- data
  others$x <- data$x[, setdiff(kept, j), drop = FALSE]
  top <- fit$loglik
  unknown <- !is.null(data$unknown)
  if (!ncol(others$x) && !unknown) {
    return(list(at = function(b, rest) {
      shifted <- others
      shifted$x <- matrix(column)
      value <- regress_value(shifted, b)
      profile_point(top, value$value, value$gradient[1], numeric(0))
    }, others = function(b, starts) NULL, first = numeric(0), scale = sqrt(mean(column^2))))
  }
  basis <- if (ncol(others$x)) regress_basis(others) else list(z = matrix(0, nrow(data$x), 1), rank = 1)
  shifted <- others
  shift <- function(b) {
    shifted$offset <- (data$offset %||% 0) + b * column
    shifted
  }
  point <- function(shifted, fit) {
    if (!is.finite(fit$value)) return(NULL)
    eta <- predictor_of(basis$z, fit$at[seq_len(basis$rank)], shifted$offset)
    device <- if (unknown) unknown_at(data$unknown, fit$at[basis$rank + 1]) else data$device
    score <- sum(data$weight * column * regress_rows(eta, data$y, data$arm, device, data$link)$score)
    profile_point(top, fit$value, score, fit$at)
  }
  at <- function(b, rest) {
    shifted <- shift(b)
    point(shifted, climb(shifted, basis$z, rest))
  }
  others_at <- function(b, starts) {
    # The identity link has one maximum, and the log link's range leaves starts no room.
    if (data$link %in% c("log", "identity")) return(NULL)
    shifted <- shift(b)
    points <- regress_starts(shifted, basis$z, fit$starts.asked, NULL)
    if (unknown) points <- unknown_starts(points)
    fits <- climb_all(shifted, basis, c(starts, points))
    values <- vapply(fits, `[[`, 0, "value")
    if (any(is.finite(values))) point(shifted, fits[[which.max(values)]])
  }
  list(at = at, others = others_at, first = profile_first(fit, data, kept, j, basis), scale = sqrt(mean(column^2)))
}

profile_point <- function(top, value, score, rest) {
  fall <- sqrt(max(0, 2 * (top - value)))
  list(fall = fall, slope = if (fall > 0) -score / fall else NA_real_, rest = rest, value = value)
}

# The others at the estimate, in their own basis.
profile_first <- function(fit, data, kept, j, basis) {
  b <- fit$coefficients[setdiff(kept, j)]
  b[!is.finite(b)] <- fit$plain[setdiff(kept, j)][!is.finite(b)]
  if (is.null(basis$back)) return(c(0, fit$parameter))
  c(solve(basis$back, b[basis$keep]), as.vector(fit$parameter))
}

# From the estimate outwards on one side: steps in the expected direction, then Newton's method kept in a bracket.
profile_end <- function(curve, fit, j, side, limit) {
  centre <- unname(fit$coefficients[j])
  se <- sqrt(fit$variance$observed[j, j])
  if (!is.finite(se) || se <= 0) se <- 1 / curve$scale
  inner <- list(b = centre, fall = 0, rest = curve$first)
  step <- side * limit * se
  before <- inner
  for (k in seq_len(80)) {
    b <- inner$b + step
    point <- curve$at(b, extrapolate(before, inner, b))
    if (is.null(point)) {
      # Outside the range of the link: nearer.
      step <- step / 2
      if (abs(step) < 1e-10 * (1 + abs(b))) return(inner$b)
      next
    }
    if (point$fall >= limit) {
      end <- profile_root(curve, inner, c(point, b = b), limit)
      higher <- higher_branch(curve, end, centre, limit)
      if (is.null(higher)) return(end$b)
      before <- inner <- higher
      next
    }
    before <- inner
    flat <- k > 3 && abs(b - centre) * curve$scale > 30 && point$fall - inner$fall < 1e-4 * limit
    inner <- c(point, b = b)
    if (flat && abs(b - centre) * curve$scale > (if (fit$link == "cauchit") 1e6 else 300)) return(side * Inf)
    onward <- if (isTRUE(abs(point$slope) > 0)) 1.2 * (limit - point$fall) / abs(point$slope) else 2 * abs(step)
    step <- side * min(2 * abs(b - centre), max(abs(step), onward))
  }
  side * Inf
}

extrapolate <- function(before, inner, b) {
  if (!length(inner$rest) || inner$b == before$b) return(inner$rest)
  inner$rest + (inner$rest - before$rest) * (b - inner$b) / (inner$b - before$b)
}

# The profile is the largest likelihood over the others, of which a climb along b follows one local maximum. Where that
# one has fallen enough, the others may have a higher one at the same b, often with truths of 0 and 1: then b belongs to
# the interval, which goes on from there. The others start where rr_glm() starts, and where the climb along b leads
# further out, since the maximum that it follows may end there: then what takes its place may be higher here too.
higher_branch <- function(curve, end, centre, limit) {
  starts <- list()
  point <- end
  for (distance in c(0.25, 0.5, 1, 2)) {
    point <- curve$at(end$b + distance * (end$b - centre), point$rest)
    if (is.null(point)) break
    starts <- c(starts, list(point$rest))
  }
  found <- curve$others(end$b, c(list(end$rest), starts))
  if (!is.null(found) && found$fall < (1 - 1e-6) * limit) c(found, b = end$b)
}

profile_root <- function(curve, inner, outer, limit) {
  for (k in seq_len(60)) {
    # Newton from the nearer end; the bracket's middle where that leaves it.
    near <- if (abs(outer$fall - limit) < abs(inner$fall - limit)) outer else inner
    b <- near$b - (near$fall - limit) / (near$slope %||% NA_real_)
    if (!isTRUE((b - inner$b) * (outer$b - b) > 0)) b <- (inner$b + outer$b) / 2
    point <- curve$at(b, between(inner, outer, b))
    if (is.null(point)) return(near)
    done <- abs(point$fall - limit) < 1e-10 * limit || abs(outer$b - inner$b) < 1e-12 * (1 + abs(b))
    if (point$fall < limit) inner <- c(point, b = b) else outer <- c(point, b = b)
    if (done) return(c(point, b = b))
  }
  c(point, b = b)
}

# Where the ends are on different maxima, what lies between belongs to the inner one.
between <- function(inner, outer, b) {
  if (any(abs(outer$rest - inner$rest) > 10)) return(inner$rest)
  t <- (b - inner$b) / (outer$b - inner$b)
  inner$rest + t * (outer$rest - inner$rest)
}

# The estimate is at infinity: one end is too, and the other is where the likelihood has fallen enough on the way back.
infinite_profile <- function(fit, data, j, curve, limit) {
  sign <- sign(fit$coefficients[j])
  if (is.na(sign)) return(c(-Inf, Inf))
  b <- sign * 20 / curve$scale
  outer <- curve$at(b, curve$first)
  if (is.null(outer)) return(sort(c(sign * Inf, NA), na.last = sign < 0))
  far <- c(outer, b = b)
  step <- -sign * 4 / curve$scale
  for (k in seq_len(200)) {
    b <- far$b + step
    point <- curve$at(b, far$rest)
    if (is.null(point)) break
    if (point$fall >= limit) {
      end <- profile_root(curve, far, c(point, b = b), limit)
      higher <- higher_branch(curve, end, far$b, limit)
      if (is.null(higher)) return(if (sign < 0) c(-Inf, end$b) else c(end$b, Inf))
      far <- higher
      next
    }
    far <- c(point, b = b)
    if (-sign * b * curve$scale > 60) break
  }
  c(-Inf, Inf)
}
