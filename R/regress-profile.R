#' @rdname glm_methods
#' @export
confint.rr_glm <- function(
  object, parm = NULL, level = 0.95, method = c("profile", "wald"), type = NULL,
  cluster = NULL, ...
) {
  level <- check_conf_level(level)
  studied <- has_study(list(object))
  wald <- studied || !is.null(object$design) || object$penalty != "none" || !is.null(type) ||
    !is.null(cluster)
  if (identical(method, c("profile", "wald"))) {
    method <- if (wald) "wald" else "profile"
    if (studied) {
      cli::cli_inform(
        paste(
          "Wald intervals: a validation study estimated the channel,",
          "which a profile takes for known."
        ),
        class = "candor_message_wald"
      )
    }
  }
  if (check_choice(method) == "profile") {
    if (wald) {
      abort(
        paste(
          "A profile needs a likelihood: no penalty, design, validation",
          "study, {.arg type} or {.arg cluster}."
        )
      )
    }
    ends <- coefficient_profile(object, level)
  } else {
    type <- variance_type(object, type, cluster)
    half <- coefficient_quantile(object, level, type) *
      sqrt(diag(vcov(object, type, cluster)))
    ends <- function(j) {
      object$coefficients[[j]] + c(-1, 1) * half[[j]]
    }
  }
  interval_table(parm, names(object$coefficients), level, ends)
}

# All values v of coefficient j with 2 (top - best log-likelihood with that value) within the
# quantile: its hull, since the likelihood may come back, at infinity too.
coefficient_profile <- function(fit, level) {
  whole <- profile_whole(fit, qchisq(level, 1) / 2)
  function(j) {
    parts <- profile_parts(fit, j, whole)
    b <- fit$coefficients[[j]]
    if (is.null(parts)) return(c(NA_real_, NA_real_))
    vapply(
      c(-1, 1),
      function(side) {
        if (identical(b, side * Inf)) {
          b
        } else {
          profile_end(parts, fit$point[j], side)
        }
      },
      0
    )
  }
}

# What the profiles of all coefficients need: the starts and ends of the fit, by the coefficients of
# x (`b`) and in the coordinates of the model.
profile_whole <- function(fit, drop) {
  data <- collapse_rows(fitted_data(fit))
  model <- regress_model(data)
  starts <- regress_starts(model, fit$starts.asked)
  ends <- cbind(
    c(fit$point, fit$parameter),
    fit$ends[, order(-fit$starts), drop = FALSE]
  )
  points <- cbind(
    matrix(
      apply(ends, 2, function(b) coordinates(model, b)), model$size
    ),
    starts
  )
  near <- sort(fit$starts, decreasing = TRUE)[-1] - max(fit$starts)
  # The fit knows the maxima within 3 of the best.
  regular <- is.null(fit$boundary) && is.null(data$unknown) &&
    !fit$link %in% c("log", "identity") && all(near < -drop - 1) &&
    (drop <= 2 || !isTRUE(attr(starts, "rivals")))
  list(
    data = data,
    k = model$k,
    points = points,
    ends = ncol(ends),
    drop = drop,
    regular = regular,
    b = matrix(apply(points, 2, model$natural), ncol = ncol(points))
  )
}

# Those of coefficient j: the model of the others, whose offset takes up the value that is held;
# NULL if j is not estimated. If no other maximum is near the level the fit is `regular`: the points
# within the level hang together.
profile_parts <- function(fit, j, whole) {
  kept <- which(!is_aliased(fit))
  if (!j %in% kept) return(NULL)
  data <- others <- whole$data
  column <- unname(data$x[, j])
  others$x <- data$x[, setdiff(kept, j), drop = FALSE]
  unit <- 1 / sqrt(weighted.mean(column^2, data$weight))
  parts <- list(
    data = data,
    column = column,
    unit = unit,
    top = fit$loglik,
    drop = whole$drop,
    ends = whole$ends,
    range = unit * (if (fit$link == "cauchit") 1e6 else 300),
    regular = whole$regular,
    se = sqrt(fit$variance$observed[j, j]),
    alone = !ncol(others$x) && is.null(data$unknown)
  )
  if (parts$alone) return(parts)
  none <- list(
    z = matrix(0, length(data$y), 0),
    rank = 0,
    levels = 0,
    back = diag(0),
    keep = integer()
  )
  parts$basis <- if (ncol(others$x)) regress_basis(others) else none
  inner <- if (parts$basis$rank) {
    backsolve(
      parts$basis$back,
      whole$b[setdiff(kept, j)[parts$basis$keep], , drop = FALSE]
    )
  }
  parts$rest <- rbind(
    inner, whole$points[-seq_len(whole$k), , drop = FALSE]
  )
  parts$held <- whole$b[j, ]
  others$offset <- data$offset %||% numeric(length(data$y))
  parts$model <- regress_model(others, basis = parts$basis)
  # The column is what the others do not explain: times of 1e12 milliseconds would move all linear
  # predictors far out.
  if (parts$basis$rank) {
    shift <- project(parts$model, column)
    inner <- seq_len(parts$basis$rank)
    parts$column <- column - drop(parts$basis$z %*% shift)
    parts$unit <- 1 / sqrt(weighted.mean(parts$column^2, data$weight))
    parts$range <- parts$unit * (if (fit$link == "cauchit") 1e6 else 300)
    parts$rest[inner, ] <- parts$rest[inner, , drop = FALSE] +
      shift %o% parts$held
  }
  parts$some <- some_rows(length(data$y), 800)
  parts$small <- thin_model(parts$model, parts$some)
  parts
}

# The model with another offset, as one coefficient that is held gives it.
with_offset <- function(model, offset) {
  model$data$offset <- model$kernel$offset <- offset
  model
}

# The largest log-likelihood with coefficient j held at v, and where it is: from the points of
# `near`, else from all starts.
profile_height <- function(parts, v, near = NULL) {
  data <- parts$data
  offset <- (data$offset %||% 0) + v * parts$column
  if (parts$alone) {
    rows <- data_rows(data, offset)
    return(list(
      value = if (inside_link(offset, data$link)) {
        sum(data$weight * rows$loglik)
      } else {
        -Inf
      }
    ))
  }
  model <- with_offset(parts$model, offset)
  near <- near %||% profile_starts(parts, model, v)
  if (!ncol(near)) return(list(value = -Inf))
  found <- climb(model, near)
  order <- order(-found$value)
  apart <- head(
    order[!duplicated(round(found$value[order], 6))], 4
  )
  list(
    value = found$value[order[1]],
    near = found$at[, apart, drop = FALSE]
  )
}

# The starts as they are, and scaled to v, which keeps their thresholds. A part of the rows says
# which of them lead highest.
profile_starts <- function(parts, model, v) {
  same <- which(parts$held * v > 0)
  steeper <- parts$rest[, same, drop = FALSE]
  k <- seq_len(model$k)
  steeper[k, ] <- steeper[k, , drop = FALSE] *
    rep(v / parts$held[same], each = model$k)
  small <- with_offset(parts$small, model$kernel$offset[parts$some])
  rough <- climb_roughly(small, promising_starts(small, cbind(parts$rest, steeper)))
  best <- order(-rough$value)
  best <- best[!duplicated(round(rough$value[best], 2))]
  near <- cbind(rough$at[, head(best, 2), drop = FALSE],
                if (!parts$regular) parts$rest[, seq_len(parts$ends), drop = FALSE])
  near[, is.finite(loglik_at(model, near)), drop = FALSE]
}

# From far out inwards, to the first value that is within; between it and the last without is the
# end. A regular profile is sought from all starts far out, and from the estimate near Wald's end.
profile_end <- function(parts, b, side) {
  regular <- parts$regular && !parts$alone
  wald <- b + side * sqrt(2 * parts$drop) * parts$se
  ladder <- parts$range / 2^(0:10)
  rungs <- if (regular) {
    c(side * parts$range, 4 * wald - 3 * b, 1.1 * wald - 0.1 * b)
  } else {
    c(
      ladder, 0, -ladder, b + side * parts$unit / 2^(-3:3)
    )
  }
  rungs <- sort(unique(rungs[side * rungs > side * b]), decreasing = side > 0)
  close <- c(if (regular) rungs[3], b)
  outside <- warm <- NULL
  for (inside in c(rungs, b)) {
    point <- profile_height(
      parts, inside, if (inside %in% close) parts$rest[, 1, drop = FALSE]
    )
    if (inside == b || point$value >= parts$top - parts$drop) break
    outside <- c(inside, point$value)
    warm <- point$near
  }
  if (is.null(outside)) {
    side * Inf
  } else {
    profile_crossing(
      parts, inside, outside, cbind(point$near, warm), if (regular) 1 else 7
    )
  }
}

# The end between `inside` and `outside`, a value and its height, by climbs that start at the `most`
# best ends of those before.
profile_crossing <- function(parts, inside, outside, warm, most) {
  root_of_fall <- function(value) {
    sqrt(2 * max(0, parts$top - value)) - sqrt(2 * parts$drop)
  }
  fall <- function(v) {
    found <- profile_height(parts, v, warm)
    kept <- cbind(found$near, warm)
    warm <<- kept[, seq_len(min(most, NCOL(kept))), drop = FALSE]
    root_of_fall(found$value)
  }
  for (count in 1:5) {
    if (!is.finite(outside[2])) {
      outside <- c(inside + (outside[1] - inside) * c(0.999, NA))
    }
    high <- if (is.finite(outside[2])) {
      root_of_fall(outside[2])
    } else {
      fall(outside[1])
    }
    low <- fall(inside)
    if (low >= 0) return(inside)
    order <- order(c(inside, outside[1]))
    falls <- c(low, min(high, 1e6))[order]
    end <- uniroot(
      fall, c(inside, outside[1])[order], f.lower = falls[1],
      f.upper = falls[2], tol = 1e-9 * parts$unit, maxiter = 200
    )$root
    # Another maximum may be higher here, which the warm starts miss: then the end is further out.
    if (parts$alone) break
    higher <- profile_height(parts, end)
    if (higher$value < parts$top - parts$drop + 1e-6) break
    warm <- cbind(higher$near, warm)
    inside <- end
  }
  end
}

#' @rdname likelihood_profile
#' @export
profile.rr_glm <- function(fitted, parm = NULL, level = 0.99, points = 20, ...) {
  points <- check_count(points, "points", min = 5, max = 1000)
  intervals <- confint(fitted, parm, level, method = "profile")
  whole <- profile_whole(fitted, qchisq(level, 1) / 2)
  curves <- Map(
    function(j, low, high) {
      profile_curve(fitted, j, c(low, high), whole, points)
    },
    match(rownames(intervals), names(fitted$coefficients)), intervals[, 1],
    intervals[, 2]
  )
  table <- do.call(rbind, unname(curves))
  if (is.null(table)) abort("There is no profile of coefficients that are not estimated.")
  new_rr_profile(as_tibble(table), fitted)
}

# The curve of coefficient j over its interval; NULL if it is not estimated. One that is infinite
# has only a side that leads back from far out.
profile_curve <- function(fit, j, interval, whole, points) {
  parts <- profile_parts(fit, j, whole)
  centre <- unname(fit$coefficients[j])
  if (is.null(parts) || is.na(centre)) return(NULL)
  finite <- is.finite(centre)
  far <- if (finite) 6 * parts$se else 20 * parts$unit
  start <- if (finite) centre else sign(centre) * far
  if (is.na(start) || !(finite || any(is.finite(interval)))) return(NULL)
  ends <- ifelse(is.finite(interval), interval, start + c(-far, far) * finite)
  value <- unique(c(
    seq(ends[1], ends[2], length.out = points), if (finite) centre
  ))
  value <- sort(if (finite) value else value[value != start])
  height <- vapply(
    value,
    function(v) if (v == centre) parts$top else profile_height(parts, v)$value, 0
  )
  fall <- 2 * pmax(0, parts$top - height)
  side <- if (finite) sign(value - centre) else -sign(centre)
  curve <- data.frame(
    term = names(fit$coefficients)[j],
    value = value,
    deviance = fall,
    z = side * sqrt(fall)
  )
  curve[is.finite(fall), ]
}
