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

# What a profile of coefficient j needs: the model of the others, whose offset takes up the value that is held; the
# starts of the fit, by their value of coefficient j and the others; NULL if j is not estimated.
profile_parts <- function(fit, j) {
  kept <- which(!is.na(fit$coefficients) | names(fit$coefficients) %in% fit$boundary$coefficients)
  if (!j %in% kept) return(NULL)
  data <- collapse_rows(fitted_data(fit))
  whole <- regress_model(data)
  column <- unname(data$x[, j])
  others <- data
  others$x <- data$x[, setdiff(kept, j), drop = FALSE]
  unit <- 1 / sqrt(stats::weighted.mean(column^2, data$weight))
  parts <- list(data = data, column = column, unit = unit, top = fit$loglik,
                range = unit * (if (fit$link == "cauchit") 1e6 else 300),
                rivals = TRUE,
                alone = !ncol(others$x) && is.null(data$unknown))
  if (parts$alone) return(parts)
  none <- list(z = matrix(0, length(data$y), 0), rank = 0, levels = 0, back = diag(0), keep = integer())
  basis <- if (ncol(others$x)) regress_basis(others) else none
  # All starts and ends in the coordinates of the others.
  starts <- regress_starts(whole, fit$starts.asked)
  parts$rivals <- isTRUE(attr(starts, "rivals"))
  ends <- cbind(c(fit$point, fit$parameter), fit$ends)
  points <- cbind(apply(ends, 2, function(b) coordinates(whole, b)), starts)
  if (whole$size == 1L) points <- rbind(as.vector(points))
  b <- apply(points, 2, function(at) natural(whole, at))
  if (!is.matrix(b)) b <- rbind(b)
  inner <- if (basis$rank) solve(basis$back, b[setdiff(kept, j)[basis$keep], , drop = FALSE])
  parts$rest <- rbind(inner, points[-seq_len(whole$k), , drop = FALSE])
  parts$held <- b[j, ]
  parts$others <- others
  parts$basis <- basis
  parts
}

# The largest log-likelihood with coefficient j held at v, and where it is: from the points of `near`, else from all
# starts, as they are and scaled to v, which keeps their thresholds.
profile_height <- function(parts, v, near = NULL, enough = Inf) {
  data <- parts$data
  shifted <- if (parts$alone) data else parts$others
  shifted$offset <- (data$offset %||% 0) + v * parts$column
  if (parts$alone) {
    rows <- regress_rows(shifted$offset, data$y, data$arm, data$device, data$link)
    return(list(value = if (inside_link(shifted$offset, data$link)) sum(data$weight * rows$loglik) else -Inf))
  }
  model <- regress_model(shifted, basis = parts$basis)
  warm <- !is.null(near)
  if (!warm) {
    same <- which(parts$held * v > 0)
    steeper <- parts$rest[, same, drop = FALSE]
    k <- seq_len(model$k)
    steeper[k, ] <- steeper[k, , drop = FALSE] * rep(v / parts$held[same], each = model$k)
    near <- cbind(parts$rest, steeper)
  }
  if (!warm) {
    near <- near[, which(is.finite(heights(model, near) + colSums(near))), drop = FALSE]
    if (!ncol(near)) return(list(value = -Inf))
    rough <- climb(model, promising(model, near), 1e-3, 60, enough)
    near <- rough$at[, utils::head(order(-rough$value), 2), drop = FALSE]
  }
  found <- climb(model, near)
  order <- order(-found$value)
  list(value = found$value[order[1]], near = found$at[, order, drop = FALSE])
}

# All values v of coefficient j with 2 (top - best log-likelihood with that value) within the quantile: its hull, since
# the likelihood may come back, at infinity too.
profile_coefficient <- function(fit, j, level) {
  parts <- profile_parts(fit, j)
  if (is.null(parts)) return(c(NA_real_, NA_real_))
  drop <- stats::qchisq(level, 1) / 2
  b <- fit$coefficients[[j]]
  ends <- vapply(c(-1, 1), function(side) {
    if (identical(b, side * Inf)) b else profile_end(parts, fit$point[j], side, drop)
  }, 0)
  ends
}

# From far out inwards, to the first value that is within; between it and the last without is the end. Where the fit has
# no rival far from it, it is sought from the estimate outwards.
profile_end <- function(parts, b, side, drop) {
  ladder <- parts$range / 2^(0:10)
  rungs <- c(if (parts$rivals) c(ladder, 0, -ladder) else parts$range, b + side * parts$unit / 2^(-3:3))
  rungs <- sort(unique(rungs[side * rungs > side * b]), decreasing = side > 0)
  outside <- NULL
  for (inside in c(rungs, b)) {
    point <- profile_height(parts, inside, if (inside == b) parts$rest[, 1, drop = FALSE], parts$top - drop)
    if (inside == b || point$value >= parts$top - drop) break
    outside <- c(inside, point$value)
    warm <- point$near
  }
  if (is.null(outside)) return(side * Inf)
  fall <- function(v) {
    found <- profile_height(parts, v, warm)
    warm <<- cbind(found$near, if (parts$rivals) warm[, seq_len(min(3, NCOL(warm))), drop = FALSE])
    sqrt(2 * max(0, parts$top - found$value)) - sqrt(2 * drop)
  }
  warm <- cbind(point$near, warm)
  for (count in 1:5) {
    if (!is.finite(outside[2])) outside <- c(inside + (outside[1] - inside) * c(0.999, NA))
    high <- if (is.finite(outside[2])) sqrt(2 * (parts$top - outside[2])) - sqrt(2 * drop) else fall(outside[1])
    low <- fall(inside)
    if (low >= 0) return(inside)
    order <- order(c(inside, outside[1]))
    ends <- c(inside, outside[1])[order]
    falls <- c(low, min(high, 1e6))[order]
    end <- stats::uniroot(fall, ends, f.lower = falls[1], f.upper = falls[2], tol = 1e-9 * parts$unit,
                          maxiter = 200)$root
    # Another maximum may be higher here, which the warm starts miss: then the end is further out.
    higher <- if (!parts$alone) profile_height(parts, end, enough = parts$top - drop + 1e-6)
    if (parts$alone || higher$value < parts$top - drop + 1e-6) break
    warm <- cbind(higher$near, warm)
    inside <- end
  }
  end
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

profile_bounds.rr_glm <- function(fit, terms, level) stats::confint(fit, terms, level, method = "profile")

refuse_profile <- function(fit) {
  abort(c("Profile intervals need a likelihood.",
          x = if (is.null(fit$design)) "This estimate is penalised." else "This fit is of a survey design.",
          i = "Use {.code confint(fit, method = \"wald\")}."), "argument")
}

# The curve of one coefficient over its interval; NULL where it is not estimated. One that is infinite has only a side
# that leads back from far out.
profile_of_coefficient <- function(fit, j, level, points) {
  parts <- profile_parts(fit, j)
  centre <- unname(fit$coefficients[j])
  if (is.null(parts) || is.na(centre)) return(NULL)
  finite <- is.finite(centre)
  far <- if (finite) 6 * sqrt(fit$variance$observed[j, j]) else 20 * parts$unit
  ends <- profile_coefficient(fit, j, level)
  start <- if (finite) centre else sign(centre) * far
  if (is.na(start) || !(finite || any(is.finite(ends)))) return(NULL)
  ends <- ifelse(is.finite(ends), ends, start + c(-far, far) * finite)
  value <- unique(c(seq(ends[1], ends[2], length.out = points), if (finite) centre))
  value <- sort(if (finite) value else value[value != start])
  fall <- vapply(value, function(v) {
    if (v == centre) 0 else 2 * max(0, parts$top - profile_height(parts, v)$value)
  }, 0)
  side <- if (finite) sign(value - centre) else -sign(centre)
  shown <- is.finite(fall)
  data.frame(term = names(fit$coefficients)[j], value = value, deviance = fall, z = side * sqrt(fall))[shown, ]
}
