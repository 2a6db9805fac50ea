# A random intercept: the marginal likelihood of the reports of persons, or other groups
# (inst/mathematics/mixed.md). The parts of the model are those of a regression of rows
# (R/regress-fit.R); `at` is the coefficients, then sigma.

mixed_links <- c("logit", "probit", "cloglog", "cauchit")

# The rows of some columns in the order of their groups; groups whose rows and reports are the same
# count once, with the sum of their weights. `other` tells rows apart too.
mixed_model <- function(data, columns, group, weight, other = NULL) {
  n <- length(data$y)
  data$x <- data$x[, columns, drop = FALSE]
  data$arm <- data$arm %||% integer(n)
  data$offset <- data$offset %||% numeric(n)
  row <- do.call(
    paste,
    c(
      as.data.frame(data$x), list(data$y, data$arm, data$offset, other)
    )
  )
  # By content, so that the order of the data changes nothing.
  row <- match(row, sort(unique(row), method = "radix"))
  size <- tabulate(group)
  order <- order(group, row)
  key <- vapply(
    split(row[order], group[order]), paste, "", collapse = " "
  )
  of <- match(key, sort(unique(key), method = "radix"))
  order <- order(of[group], group, row)
  first <- which(!duplicated(of))
  kept <- order[group[order] %in% first]
  data <- take_rows(data, kept)
  list(
    kernel = regress_kernel(
      data$x, data$y, data$device, match(data$link, mixed_links) - 1L,
      offset = data$offset, arm = data$arm
    ),
    first = c(0L, cumsum(size[first[order(of[first])]])),
    weight = as.vector(rowsum(weight, of)),
    of = of,
    kept = kept,
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

# Value, score, information, and what is known of each group.
mixed_pass <- function(model, at, halvings = 1, width = 8.5) {
  .Call(C_rr_mixed_value, model$kernel, mixed_groups(model, halvings, NA_real_, width), at)
}

# With an edge that carries weight the grid is wider.
mixed_value <- function(model, at) {
  value <- mixed_pass(model, at)
  if (is.finite(value$value) && max(value$edge) > 1e-14) {
    mixed_pass(model, at, width = 10.5)
  } else {
    value
  }
}

# Of all coefficients and sigma, or of the coefficients at a `sigma`.
mixed_climb <- function(model, start, sigma = NA_real_, halvings = 0, tolerance = 1e-11) {
  found <- .Call(
    C_rr_mixed_climb, model$kernel, mixed_groups(model, halvings, sigma), start, tolerance, 300
  )
  list(
    at = c(found$at, if (!is.na(sigma)) sigma),
    value = found$numbers[1],
    steps = found$numbers[3]
  )
}

# The highest value at each of some sigmas: where its peaks are, and whether it rises to infinity.
mixed_ladder <- function(model, b, value) {
  ends <- list(list(at = c(b, 0), value = value))
  # The coefficients of the same prevalences at another sigma, about.
  spread <- function(sigma) {
    sqrt(
      1 + switch(model$kernel$link + 1L, 0.346, 1, 0.5, 1) * sigma^2
    )
  }
  for (sigma in 2^(-1:5)) {
    before <- ends[[length(ends)]]$at
    start <- before[-length(before)] * spread(sigma) /
      spread(before[length(before)])
    ends <- c(ends, list(mixed_climb(model, start, sigma, tolerance = 1e-3)))
    best <- max(vapply(ends, `[[`, 0, "value"))
    if (sigma >= 2 && ends[[length(ends)]]$value < best - 20) break
  }
  ends
}

# The supremum: a finite point, sigma = 0, or the limit of sigma to infinity.
mixed_maximum <- function(model, b, value) {
  ladder <- mixed_ladder(model, b, value)
  values <- vapply(ladder, `[[`, 0, "value")
  peaks <- which(
    values >= c(-Inf, values[-length(values)]) &
      values >= c(values[-1], -Inf)
  )
  starts <- ladder[union(pmin(pmax(peaks, 2L), length(ladder)), 2L)]
  ends <- lapply(starts, function(start) mixed_end(model, start$at))
  ends <- c(
    ends, list(list(at = c(b, 0), value = value, sigma = 0))
  )
  finite <- Filter(function(end) end$sigma < 40, ends)
  best <- highest_of(finite)
  if (best$sigma < 1e-5) best <- ends[[length(ends)]]
  far <- mixed_far(model, c(ladder, ends))
  limit <- if (!is.null(far) && far$value >= best$value - 1e-6) far
  # Another end of a climb: sigma = 0 alone is no maximum if the value rises from there.
  rival <- any(vapply(finite[-length(finite)], is_rival, NA, best = best))
  sigma <- vapply(ladder, function(end) end$at[model$size + 1L], 0)
  c(
    best,
    list(ladder = data.frame(sigma = sigma, loglik = values), limit = limit, rival = rival)
  )
}

is_rival <- function(end, best) {
  best$value - end$value < 2 && abs(end$sigma - best$sigma) > 0.1
}

highest_of <- function(ends) ends[[which.max(vapply(ends, `[[`, 0, "value"))]]

# A climb, then the finer grid, until nothing but rounding is left.
mixed_end <- function(model, start) {
  end <- mixed_climb(model, start)
  finer <- mixed_climb(model, end$at, halvings = 1)
  if (abs(finer$value - end$value) > 1e-9) {
    finer <- mixed_climb(model, finer$at, halvings = 2)
  }
  finer$sigma <- abs(finer$at[model$size + 1L])
  finer$at[model$size + 1L] <- finer$sigma
  finer
}

# The highest limit for sigma to infinity, if the ladder or a climb got that far.
mixed_far <- function(model, ends) {
  far <- Filter(function(end) end$at[model$size + 1L] >= 32, ends)
  if (!length(far)) return(NULL)
  far <- highest_of(far)
  ratio <- far$at[seq_len(model$size)] / far$at[model$size + 1L]
  if (!is.finite(mixed_limit(model, ratio)$value)) return(NULL)
  for (round in 1:3) {
    found <- optim(
      ratio, function(c) -mixed_limit(model, c)$value,
      function(c) -mixed_limit(model, c)$gradient, method = "BFGS",
      control = list(reltol = 1e-14, maxit = 500)
    )
    ratio <- found$par
  }
  list(ratio = ratio, value = -found$value)
}

# With b = sigma c and sigma to infinity the truth of a row is yes above the threshold -x'c of u:
# the likelihood of a group is a sum over the intervals between the thresholds.
mixed_limit <- function(model, ratio) {
  group <- rep(seq_along(model$weight), diff(model$first))
  threshold <- -drop(model$x %*% ratio)
  order <- order(group, threshold)
  own <- group[order]
  products <- interval_products(model, group, order)
  fall <- products$before - products$after
  t <- threshold[order]
  # Phi(t) of each threshold counts with the drop of the product there; the last interval ends at 1.
  likelihood <- products$after[model$first[-1]] +
    as.vector(rowsum(pnorm(t) * fall, own))
  slope <- dnorm(t) * fall / likelihood[own] * model$weight[own]
  list(value = sum(model$weight * log(pmax(likelihood, 0))),
       gradient = -drop(crossprod(model$x[order, , drop = FALSE], slope)))
}

# The products of the probabilities of a group's reports in the intervals before and after each
# threshold. Zeros among the probabilities are counted apart.
interval_products <- function(model, group, order) {
  device <- matrix(model$kernel$device, 5)[
    , model$kernel$arm + 1L, drop = FALSE
  ]
  said <- model$kernel$y == 1
  above <- ifelse(said, device[1, ], device[3, ])
  below <- ifelse(said, device[2, ], device[4, ])
  own <- group[order]
  running <- function(v) {
    sums <- cumsum(v[order])
    sums - c(0, sums)[model$first[own] + 1L]
  }
  total <- function(v) as.vector(rowsum(v, group))[own]
  logs <- function(p) ifelse(p > 0, log(p), 0)
  step <- logs(above) - logs(below)
  zero_step <- (above == 0) - (below == 0)
  log_after <- total(logs(below)) + running(step)
  zeros <- total(1 * (below == 0)) + running(zero_step)
  list(
    after = ifelse(zeros > 0, 0, exp(log_after)),
    before = ifelse(
      zeros - zero_step[order] > 0, 0, exp(log_after - step[order])
    )
  )
}

# The probability of a true yes on average over u, its derivatives in the linear predictor, and
# those of these in sigma (`spread`), as truth_curve() has them.
mixed_curve <- function(link, sigma) {
  curve <- truth_curve(link)
  h <- 0.7 / 2^(ceiling(log2(max(1, 0.9 * sigma))) + 1)
  u <- h * seq(-ceiling(8.5 / h), ceiling(8.5 / h))
  density <- h * dnorm(u)
  average <- function(f, weight) {
    function(eta, k) {
      drop(
        matrix(f(outer(eta, sigma * u, `+`), k), length(eta)) %*%
          weight
      )
    }
  }
  # At sigma = 0 the derivative is 0 exactly.
  list(
    yes = average(function(eta, k) curve$yes(eta), density),
    derivative = average(curve$derivative, density),
    spread = average(curve$derivative, u * density * (sigma > 0))
  )
}
