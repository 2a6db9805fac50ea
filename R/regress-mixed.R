# This file has the marginal likelihood of a random intercept, for the reports of persons or other
# groups (inst/mathematics/mixed.md). The kernel is that of a regression of rows (R/regress-fit.R).
# A point is the coefficients, then sigma.

mixed_links <- c("logit", "probit", "cloglog", "cauchit")

# The model of some columns of x, in the order of the groups. Groups whose rows and reports are the
# same count once, with the sum of their weights:
#   kernel  the arguments of the kernel
#   first   the first row of each distinct group, from 0, then the number of rows
#   weight  the weight of each distinct group
#   of      the distinct group of each group
#   rows    the rows of the data that are used
#   x       their columns
#   size    the number of columns
# Rows that differ in `further` are different, too.
mixed_model <- function(data, columns, group, weight, further = NULL) {
  n <- length(data$y)
  data$x <- data$x[, columns, drop = FALSE]
  data$arm <- data$arm %||% integer(n)
  data$offset <- data$offset %||% numeric(n)
  columns <- c(
    as.data.frame(data$x), list(data$y, data$arm, data$offset, further)
  )
  row <- do.call(paste, columns)
  # The order is that of the content, so that the order of the data changes nothing.
  row <- match(row, sort(unique(row), method = "radix"))
  size <- tabulate(group)
  order <- order(group, row)
  key <- vapply(
    split(row[order], group[order]), paste, "", collapse = " "
  )
  pattern <- match(key, sort(unique(key), method = "radix"))
  order <- order(pattern[group], group, row)
  first <- which(!duplicated(pattern))
  index <- order[group[order] %in% first]
  data <- take_rows(data, index)
  list(
    kernel = regress_kernel(
      data$x, data$y, data$device, data$link,
      offset = data$offset, arm = data$arm
    ),
    first = c(0L, cumsum(size[first[order(pattern[first])]])),
    weight = as.vector(rowsum(weight, pattern)),
    of = pattern,
    rows = index,
    x = data$x,
    size = ncol(data$x)
  )
}

mixed_groups <- function(model, halvings, sigma, width = 8.5) {
  list(
    first = model$first,
    weight = model$weight,
    width = width,
    halvings = halvings,
    sigma = sigma
  )
}

# Value, score, information, and for each group its log-likelihood, score, and posterior mean and
# standard deviation of u.
mixed_pass <- function(model, point, halvings = 1, width = 8.5) {
  .Call(C_rr_mixed_value, model$kernel, mixed_groups(model, halvings, NA_real_, width), point)
}

# The same on a wider grid if an edge of the grid carries weight.
mixed_value <- function(model, point) {
  value <- mixed_pass(model, point)
  if (is.finite(value$value) && max(value$edge) > 1e-14) {
    mixed_pass(model, point, width = 10.5)
  } else {
    value
  }
}

# The end of a climb in all coefficients and sigma, or in the coefficients at a `sigma`:
# list(point, value, steps).
mixed_climb <- function(model, start, sigma = NA_real_, halvings = 0, tolerance = 1e-11) {
  solution <- .Call(
    C_rr_mixed_climb, model$kernel, mixed_groups(model, halvings, sigma), start, tolerance, 300
  )
  list(
    point = c(solution$at, if (!is.na(sigma)) sigma),
    value = solution$numbers[1],
    steps = solution$numbers[3]
  )
}

# The highest value at each of some sigmas, a list of climbs: it shows where the peaks are, and
# whether the value rises to infinity.
mixed_ladder <- function(model, b, value) {
  rungs <- list(list(point = c(b, 0), value = value))
  # The prevalences are about the same if the coefficients are in proportion to this scale.
  factor <- switch(model$kernel$link + 1L, 0.346, 1, 0.5, 1)
  scale <- function(sigma) sqrt(1 + factor * sigma^2)
  for (sigma in 2^(-1:5)) {
    before <- rungs[[length(rungs)]]$point
    start <- before[-length(before)] * scale(sigma) /
      scale(before[length(before)])
    rungs <- c(rungs, list(mixed_climb(model, start, sigma, tolerance = 1e-3)))
    best <- max(vapply(rungs, `[[`, 0, "value"))
    if (sigma >= 2 && rungs[[length(rungs)]]$value < best - 20) break
  }
  rungs
}

# The supremum: a finite point, sigma = 0, or the limit of sigma to infinity.
mixed_maximum <- function(model, b, value) {
  ladder <- mixed_ladder(model, b, value)
  values <- vapply(ladder, `[[`, 0, "value")
  is_peak <- values >= c(-Inf, values[-length(values)]) &
    values >= c(values[-1], -Inf)
  peaks <- which(is_peak)
  starts <- ladder[union(clamp(peaks, 2L, length(ladder)), 2L)]
  maxima <- lapply(starts, function(start) mixed_end(model, start$point))
  maxima <- c(
    maxima, list(list(point = c(b, 0), value = value, sigma = 0))
  )
  finite <- Filter(function(end) end$sigma < 40, maxima)
  best <- highest_of(finite)
  if (best$sigma < 1e-5) best <- maxima[[length(maxima)]]
  far <- mixed_far(model, c(ladder, maxima))
  limit <- if (!is.null(far) && far$value >= best$value - 1e-6) far
  # The rivals are ends of climbs: sigma = 0 is no maximum if the value rises from there.
  rival <- any(vapply(finite[-length(finite)], is_rival, NA, best = best))
  sigma <- vapply(ladder, function(end) end$point[model$size + 1L], 0)
  c(
    best,
    list(ladder = data.frame(sigma = sigma, loglik = values), limit = limit, rival = rival)
  )
}

is_rival <- function(end, best) {
  best$value - end$value < 2 && abs(end$sigma - best$sigma) > 0.1
}

highest_of <- function(maxima) maxima[[which.max(vapply(maxima, `[[`, 0, "value"))]]

# The end of a climb, then on finer grids until nothing but rounding is left.
mixed_end <- function(model, start) {
  end <- mixed_climb(model, start)
  finer <- mixed_climb(model, end$point, halvings = 1)
  if (abs(finer$value - end$value) > 1e-9) {
    finer <- mixed_climb(model, finer$point, halvings = 2)
  }
  finer$sigma <- abs(finer$point[model$size + 1L])
  finer$point[model$size + 1L] <- finer$sigma
  finer
}

# The highest limit for sigma to infinity, if the ladder or a climb got that far.
mixed_far <- function(model, maxima) {
  far <- Filter(function(end) end$point[model$size + 1L] >= 32, maxima)
  if (!length(far)) return(NULL)
  far <- highest_of(far)
  ratio <- far$point[seq_len(model$size)] / far$point[model$size + 1L]
  if (!is.finite(mixed_limit(model, ratio)$value)) return(NULL)
  for (round in 1:3) {
    solution <- optim(
      ratio, function(c) -mixed_limit(model, c)$value,
      function(c) -mixed_limit(model, c)$gradient, method = "BFGS",
      control = list(reltol = 1e-14, maxit = 500)
    )
    ratio <- solution$par
  }
  list(ratio = ratio, value = -solution$value)
}

# The limit of the log-likelihood for b = sigma c and sigma to infinity, at the `ratio` c, and its
# gradient: list(value, gradient). The truth of a row is then yes above the threshold -x'c of u, and
# the likelihood of a group is a sum over the intervals between the thresholds.
mixed_limit <- function(model, ratio) {
  group <- rep(seq_along(model$weight), diff(model$first))
  threshold <- -drop(model$x %*% ratio)
  order <- order(group, threshold)
  index <- group[order]
  products <- interval_products(model, group, order)
  fall <- products$before - products$after
  t <- threshold[order]
  # Phi(t) of each threshold counts with the drop of the product there; the last interval ends at 1.
  likelihood <- products$after[model$first[-1]] +
    as.vector(rowsum(pnorm(t) * fall, index))
  slope <- dnorm(t) * fall / likelihood[index] * model$weight[index]
  gradient <- -drop(crossprod(model$x[order, ], slope))
  list(
    value = sum(model$weight * log(pmax(likelihood, 0))),
    gradient = gradient
  )
}

# The products of the probabilities of a group's reports in the intervals before and after each
# threshold, list(after, before). Zeros among the probabilities are counted apart.
interval_products <- function(model, group, order) {
  device <- matrix(model$kernel$device, 5)[, model$kernel$arm + 1L]
  reported <- model$kernel$y == 1
  above <- ifelse(reported, device[1, ], device[3, ])
  below <- ifelse(reported, device[2, ], device[4, ])
  index <- group[order]
  running <- function(v) {
    sums <- cumsum(v[order])
    sums - c(0, sums)[model$first[index] + 1L]
  }
  total <- function(v) as.vector(rowsum(v, group))[index]
  logs <- function(p) ifelse(p > 0, log(p), 0)
  step <- logs(above) - logs(below)
  zero_step <- (above == 0) - (below == 0)
  log_after <- total(logs(below)) + running(step)
  zeros <- total(1 * (below == 0)) + running(zero_step)
  before <- ifelse(
    zeros - zero_step[order] > 0, 0, exp(log_after - step[order])
  )
  list(after = ifelse(zeros > 0, 0, exp(log_after)), before = before)
}

# The probability of a true yes on average over u (`yes`), its derivatives by the linear predictor,
# as truth_curve() has them, and the derivatives by sigma of `yes` and of these (`by_sigma`).
mixed_curve <- function(link, sigma) {
  curve <- truth_curve(link)
  h <- 0.7 / 2^(ceiling(log2(max(1, 0.9 * sigma))) + 1)
  u <- h * seq(-ceiling(8.5 / h), ceiling(8.5 / h))
  density <- h * dnorm(u)
  average <- function(f, weight) {
    function(eta, k) {
      values <- f(outer(eta, sigma * u, `+`), k)
      drop(matrix(values, length(eta)) %*% weight)
    }
  }
  # At sigma = 0 the derivative is 0 exactly.
  list(
    yes = average(function(eta, k) curve$yes(eta), density),
    derivative = average(curve$derivative, density),
    by_sigma = average(curve$derivative, u * density * (sigma > 0))
  )
}
