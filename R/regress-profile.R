#' @rdname glm_methods
#' @export
confint.rr_glm <- function(
  object, parm = NULL, level = 0.95, method = c("profile", "wald"), type = NULL,
  cluster = NULL, ...
) {
  level <- check_conf_level(level)
  has_validation <- has_study(list(object))
  has_likelihood <- !has_validation && is.null(object$design) && object$penalty == "none" &&
    is.null(type) && is.null(cluster)
  if (identical(method, c("profile", "wald"))) {
    method <- if (has_likelihood) "profile" else "wald"
    if (has_validation) tell_wald()
  }

  if (check_choice(method) == "profile") {
    if (!has_likelihood) {
      abort(
        paste(
          "A profile needs a likelihood: no penalty, design, validation",
          "study, {.arg type} or {.arg cluster}."
        )
      )
    }
    limits <- profile_limits(object, level)
  } else {
    type <- variance_type(object, type, cluster)
    half_width <- coefficient_quantile(object, level, type) *
      sqrt(diag(vcov(object, type, cluster)))
    limits <- function(j) {
      object$coefficients[[j]] + c(-1, 1) * half_width[[j]]
    }
  }
  interval_table(parm, names(object$coefficients), level, limits)
}

# A function of j, the limits of coefficient j: all values v with 2 (top - the best log-likelihood
# at v) within the quantile, and the values between them, since the likelihood may come back. A
# coefficient that is infinite is the limit of its side.
profile_limits <- function(fit, level) {
  shared <- shared_profile(fit, qchisq(level, 1) / 2)
  function(j) {
    profile <- coefficient_profile(fit, j, shared)
    b <- fit$coefficients[[j]]
    if (is.null(profile)) return(c(NA_real_, NA_real_))
    limit <- function(side) {
      if (identical(b, side * Inf)) {
        b
      } else {
        profile_limit(profile, fit$point[j], side)
      }
    }
    vapply(c(-1, 1), limit, 0)
  }
}

# The profiles of all coefficients share
#   data        the distinct rows
#   k           the number of coordinates of the coefficients
#   points      the maxima and the starts of the fit, in the coordinates of the model
#   b           the same in the coefficients of x
#   n_maxima    the first points are so many maxima
#   drop        the fall of the log-likelihood that is allowed
#   used        the positions of the coefficients that are estimated
#   sample_rows some of the rows
#   is_regular  is no other maximum near that fall? The values within it then hang together.
shared_profile <- function(fit, drop) {
  data <- collapse_rows(fitted_data(fit))
  model <- regress_model(data)
  starts <- regress_starts(model, fit$starts.asked)
  maxima <- cbind(
    c(fit$point, fit$parameter),
    fit$ends[, order(-fit$starts), drop = FALSE]
  )
  maxima_points <- apply(maxima, 2, function(b) coordinates(model, b))
  points <- cbind(matrix(maxima_points, model$size), starts)
  # The fit has the maxima within 3 of the best.
  lower <- sort(fit$starts, decreasing = TRUE)[-1] - max(fit$starts)
  has_rivals <- drop > 2 && isTRUE(attr(starts, "rivals"))
  is_simple <- is.null(fit$boundary) && is.null(data$unknown) &&
    !fit$link %in% c("log", "identity")
  list(
    data = data,
    k = model$k,
    points = points,
    b = matrix(apply(points, 2, model$natural), ncol = ncol(points)),
    n_maxima = ncol(maxima),
    drop = drop,
    used = which(!is_aliased(fit)),
    sample_rows = some_rows(length(data$y), 800),
    is_regular = is_simple && all(lower < -drop - 1) && !has_rivals
  )
}

# The profile of coefficient j; NULL if j is not estimated: the fields of shared_profile(), and
#   top           the log-likelihood of the fit
#   column        the column of the coefficient
#   std_error     its standard error
#   is_alone      is there no other parameter?
#   unit, range   the value that moves the linear predictor by 1; the largest value
# and, if there are others, the fields of profile_others().
coefficient_profile <- function(fit, j, shared) {
  if (!j %in% shared$used) return(NULL)
  data <- shared$data
  others <- setdiff(shared$used, j)
  profile <- c(shared, list(
    column = unname(data$x[, j]),
    top = fit$loglik,
    std_error = sqrt(fit$variance$observed[j, j]),
    is_alone = !length(others) && is.null(data$unknown)
  ))
  if (!profile$is_alone) {
    fields <- profile_others(profile, j, others)
    profile[names(fields)] <- fields
  }
  profile$unit <- 1 / sqrt(weighted.mean(profile$column^2, data$weight))
  profile$range <- profile$unit * (if (fit$link == "cauchit") 1e6 else 300)
  profile
}

# The model of the `others` beside coefficient j, whose offset takes up the value of j:
#   column       what the others do not explain of the column
#   model        the model of the others
#   starts       their starts in its coordinates, a column each
#   values       the value of coefficient j in each start
#   sample       the model of some of the rows
profile_others <- function(profile, j, others) {
  data <- replace(
    profile$data, "x", list(profile$data$x[, others, drop = FALSE])
  )
  data$offset <- data$offset %||% numeric(length(data$y))
  basis <- if (length(others)) regress_basis(data) else empty_basis(length(data$y))
  inner <- seq_len(basis$rank)
  starts <- profile$points[-seq_len(profile$k), , drop = FALSE]
  if (basis$rank) {
    b <- profile$b[others[basis$keep], , drop = FALSE]
    starts <- rbind(backsolve(basis$back, b), starts)
  }
  model <- regress_model(data, basis = basis)
  values <- profile$b[j, ]
  column <- profile$column
  # Times of 1e12 milliseconds would move all linear predictors far out without this shift.
  if (basis$rank) {
    shift <- project(model, column)
    column <- column - drop(basis$z %*% shift)
    starts[inner, ] <- starts[inner, ] + shift %o% values
  }
  list(
    column = column,
    model = model,
    starts = starts,
    values = values,
    sample = thin_model(model, profile$sample_rows)
  )
}

# The basis of no columns.
empty_basis <- function(n) {
  list(
    z = matrix(0, n, 0),
    rank = 0,
    levels = 0,
    back = diag(0),
    keep = integer()
  )
}

# The largest log-likelihood with coefficient j at v: list(value, near), where `near` has the points
# of the best climbs, a column each. The climbs begin at the points `near`, else at all starts.
profile_maximum <- function(profile, v, near = NULL) {
  data <- profile$data
  offset <- (data$offset %||% 0) + v * profile$column
  if (profile$is_alone) {
    rows <- data_rows(data, offset)
    is_inside <- inside_link(offset, data$link)
    return(list(
      value = if (is_inside) sum(data$weight * rows$loglik) else -Inf
    ))
  }

  model <- profile$model
  model$kernel$offset <- offset
  near <- near %||% profile_starts(profile, model, v)
  if (!ncol(near)) return(list(value = -Inf))
  solution <- climb(model, near)
  apart <- highest_index(solution$value, 4)
  apart <- apart[is.finite(solution$value[apart])]
  list(
    value = max(solution$value),
    near = solution$points[, apart, drop = FALSE]
  )
}

# The starts of the others with coefficient j at v: the best two of the starts as they are, and
# scaled to v, which keeps their thresholds; they are compared by rough climbs in a sample of the
# rows. If the profile is not regular, the starts have all maxima of the fit, too.
profile_starts <- function(profile, model, v) {
  same <- which(profile$values * v > 0)
  steeper <- profile$starts[, same, drop = FALSE]
  k <- seq_len(model$k)
  scale <- rep(v / profile$values[same], each = model$k)
  steeper[k, ] <- steeper[k, ] * scale
  sample <- profile$sample
  sample$kernel$offset <- model$kernel$offset[profile$sample_rows]
  starts <- promising_starts(sample, cbind(profile$starts, steeper))
  rough <- climb(sample, starts, is_rough = TRUE)
  best <- highest_index(rough$value, 2, digits = 2)
  maxima <- if (!profile$is_regular) {
    profile$starts[, seq_len(profile$n_maxima), drop = FALSE]
  }
  cbind(rough$points[, best, drop = FALSE], maxima)
}

# One limit of coefficient j, whose estimate is b: the root between the first value of
# profile_rungs() that is within the fall and the last that is not; infinite if the first rung is
# within. In a regular profile the climbs far out begin at all starts, those near b at the estimate.
profile_limit <- function(profile, b, side) {
  is_regular <- profile$is_regular && !profile$is_alone
  rungs <- profile_rungs(profile, b, side, is_regular)
  close <- c(if (is_regular) rungs[3], b)
  outside <- warm <- NULL
  for (inside in c(rungs, b)) {
    near <- if (inside %in% close) profile$starts[, 1, drop = FALSE]
    maximum <- profile_maximum(profile, inside, near)
    if (inside == b || maximum$value >= profile$top - profile$drop) break
    outside <- c(inside, maximum$value)
    warm <- maximum$near
  }
  if (is.null(outside)) return(side * Inf)
  max_points <- if (is_regular) 1 else 7
  profile_root(profile, inside, outside, cbind(maximum$near, warm), max_points)
}

# The values at which profile_limit() looks, from far out inwards. A regular profile is looked at
# far out and near the Wald limit alone.
profile_rungs <- function(profile, b, side, is_regular) {
  if (is_regular) {
    wald <- b + side * sqrt(2 * profile$drop) * profile$std_error
    rungs <- c(
      side * profile$range, 4 * wald - 3 * b, 1.1 * wald - 0.1 * b
    )
  } else {
    ladder <- profile$range / 2^(0:10)
    rungs <- c(
      ladder, 0, -ladder, b + side * profile$unit / 2^(-3:3)
    )
  }
  sort(unique(rungs[side * rungs > side * b]), decreasing = side > 0)
}

# The root of the fall between `inside` and `outside`, a value and its log-likelihood, by climbs
# that begin at the best `max_points` ends of those before.
profile_root <- function(profile, inside, outside, warm, max_points) {
  # A value without a likelihood is 1e6 below the top: uniroot() takes no infinite fall.
  root_of_fall <- function(value) {
    fall <- max(0, profile$top - value)
    min(1e6, sqrt(2 * fall) - sqrt(2 * profile$drop))
  }
  fall <- function(v) {
    maximum <- profile_maximum(profile, v, warm)
    points <- cbind(maximum$near, warm)
    warm <<- points[, seq_len(min(max_points, NCOL(points))), drop = FALSE]
    root_of_fall(maximum$value)
  }

  for (count in 1:5) {
    low <- fall(inside)
    if (low >= 0) return(inside)
    order <- order(c(inside, outside[1]))
    range <- c(inside, outside[1])[order]
    falls <- c(low, root_of_fall(outside[2]))[order]
    root <- uniroot(
      fall, range, f.lower = falls[1], f.upper = falls[2],
      tol = 1e-9 * profile$unit, maxiter = 200
    )$root
    # Another maximum may be higher here, which the warm starts miss: the limit is then further out.
    if (profile$is_alone) break
    higher <- profile_maximum(profile, root)
    if (higher$value < profile$top - profile$drop + 1e-6) break
    warm <- cbind(higher$near, warm)
    inside <- root
  }
  root
}

#' @rdname likelihood_profile
#' @export
profile.rr_glm <- function(fitted, parm = NULL, level = 0.99, points = 20, ...) {
  points <- check_count(points, "points", min = 5, max = 1000)
  intervals <- confint(fitted, parm, level, method = "profile")
  shared <- shared_profile(fitted, qchisq(level, 1) / 2)
  index <- match(rownames(intervals), names(fitted$coefficients))
  curve <- function(j, low, high) {
    profile_curve(fitted, j, c(low, high), shared, points)
  }
  curves <- Map(curve, index, intervals[, 1], intervals[, 2])
  table <- do.call(rbind, unname(curves))
  if (is.null(table)) abort("There is no profile of coefficients that are not estimated.")
  new_rr_profile(as_tibble(table), fitted)
}

# The curve of coefficient j over its interval; NULL if it is not estimated. If it is infinite, the
# curve has only the side that leads back from far out.
profile_curve <- function(fit, j, interval, shared, points) {
  profile <- coefficient_profile(fit, j, shared)
  centre <- unname(fit$coefficients[j])
  if (is.na(centre)) return(NULL)
  is_finite <- is.finite(centre)
  far <- if (is_finite) 6 * profile$std_error else 20 * profile$unit
  start <- if (is_finite) centre else sign(centre) * far
  if (!is_finite && !any(is.finite(interval))) return(NULL)

  limits <- ifelse(is.finite(interval), interval, start + c(-far, far) * is_finite)
  value <- seq(limits[1], limits[2], length.out = points)
  value <- unique(c(value, if (is_finite) centre))
  value <- sort(if (is_finite) value else value[value != start])
  loglik <- vapply(
    value,
    function(v) if (v == centre) profile$top else profile_maximum(profile, v)$value, 0
  )
  fall <- 2 * pmax(0, profile$top - loglik)
  side <- if (is_finite) sign(value - centre) else -sign(centre)
  curve <- data.frame(
    term = names(fit$coefficients)[j],
    value = value,
    deviance = fall,
    z = side * sqrt(fall)
  )
  curve[is.finite(fall), ]
}
