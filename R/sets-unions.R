# The sizes of all unions of noisy sketches, with their covariance, of which intersections,
# differences and Jaccard indices are functions.
#
# A union is a number: 2^(j - 1) for sketch j, added up over its sketches. So are patterns, the
# sketches that have a 1 at one position. PCSA sketches have positions at several levels.

# The counts of the patterns, a row for each of 2^n patterns (0 first), a column for each level.
sketch_patterns <- function(sketches) {
  settings <- sketches[[1]]$settings
  levels <- if ("levels" %in% names(settings)) settings[["levels"]] else 1
  bits <- vapply(sketches, `[[`, as.double(sketches[[1]]$bits), "bits")
  n_patterns <- 2^length(sketches)
  codes <- matrix(drop(bits %*% union_numbers(length(sketches))) + 1, ncol = levels)
  matrix(apply(codes, 2, tabulate, n_patterns), n_patterns)
}

# The numbers of the single sketches.
union_numbers <- function(n) 2^(seq_len(n) - 1)

# The patterns that are expected to be reported, from the `counts` of the true ones.
expected_patterns <- function(counts, flip) crossprod(pattern_channel(flip), counts)

# P(reported pattern given true pattern), a row for each true pattern.
pattern_channel <- function(flip) {
  pattern_product(flip, function(q) {
    rbind(c(1 - q, q), c(q, 1 - q))
  })
}

# The product of the debiased zeros z = (1 - q - bit) / (1 - 2 q) of a union's sketches: a row for
# each union (the empty one first), a column for each reported pattern.
zero_products <- function(flip) {
  pattern_product(flip, function(q) {
    rbind(1, c(1 - q, -q) / (1 - 2 * q))
  })
}

# The Kronecker product of a matrix for each sketch, in which the first sketch varies fastest.
pattern_product <- function(flip, axis) Reduce(kronecker, lapply(rev(flip), axis))

# The unions of two unions, for all but the empty one.
joined_unions <- function(n_unions) outer(seq_len(n_unions), seq_len(n_unions), bitwOr)

# The unbiased covariance of the numbers of zeros of all unions that the noise adds. E(z^2) = z + v
# makes it the mean product of the debiased zeros, less the zeros of both unions together.
zero_noise <- function(products, counts) {
  is_seen <- counts > 0
  terms <- products[-1, is_seen, drop = FALSE]
  total <- tcrossprod(terms * rep(counts[is_seen], each = nrow(terms)), terms)
  zeros <- drop(terms %*% counts[is_seen])
  total - zeros[joined_unions(length(zeros))]
}

# The sizes of all unions but the empty one, from the `counts` of the reported patterns:
#   size          estimates; Inf if no zero is left, which leaves covariances NaN
#   slope         their derivatives by the zeros of each level
#   zeros         unbiased numbers of zeros, of n_positions at each level
#   covariance    noise and hashing
sketch_unions <- function(counts, flip, settings) {
  products <- zero_products(flip)
  zeros <- (products %*% counts)[-1, , drop = FALSE]
  n_positions <- sum(counts[, 1])
  unions <- if ("levels" %in% names(settings)) {
    pcsa_unions(zeros, flip, settings)
  } else {
    bloom_unions(zeros, n_positions, settings[["hashes"]])
  }
  joined <- joined_unions(nrow(zeros))
  empty <- exp(-unions$load)
  # Items of both unions leave fewer positions for one: the number of items is fixed.
  marks <- n_positions * rowSums(unions$load)
  both <- pmax(outer(marks, marks, `+`) - marks[joined], 0)
  diag(both) <- marks
  covariance <- -both * tcrossprod((unions$slope * empty) %*% unions$share)
  for (level in seq_len(ncol(counts))) {
    noise <- zero_noise(products, counts[, level])
    hashing <- n_positions * (empty[joined, level] - tcrossprod(empty[, level]))
    covariance <- covariance + tcrossprod(unions$slope[, level]) * (noise + hashing)
  }
  list(
    size = unions$size,
    slope = unions$slope,
    zeros = zeros,
    n_positions = n_positions,
    covariance = covariance
  )
}

# An error if a union may have no zero left: a counter if they are within three standard errors of
# 0. The slopes turn errors of sizes into those of zeros.
check_not_full <- function(unions) {
  is_full <- is.infinite(unions$size)
  if (ncol(unions$zeros) == 1) {
    error <- sqrt(pmax(diag(unions$covariance), 0))
    is_full <- is_full | !(drop(-unions$slope * unions$zeros) > 3 * error)
  }
  if (!any(is_full)) return(unions)
  abort(
    c(
      "The sketches are too full, or too noisy: a union of them may have no bit at 0.",
      i = "Make larger sketches, or ask for the size of the union."
    ),
    "no_information"
  )
}

# Linear counting: list(size, slope, load, share). The load is the number of marks of a position.
bloom_unions <- function(zeros, m, hashes) {
  zeros <- pmax(zeros, 0)
  load <- -log(zeros / m)
  list(
    size = drop(load) / (-hashes * log1p(-1 / m)),
    slope = -m / (hashes * zeros),
    load = load,
    share = 1
  )
}

# The same of PCSA sketches, a column for each level. The slope is that of the quasi-score's root.
pcsa_unions <- function(zeros, flip, settings) {
  numbers <- union_numbers(length(flip))
  fits <- lapply(seq_len(nrow(zeros)), function(union) {
    pcsa_fit(zeros[union, ], flip[bitwAnd(union, numbers) > 0], settings)
  })
  size <- vapply(fits, `[[`, 0, "size")
  slopes <- lapply(fits, function(fit) -fit$at_size$weight / fit$at_size$information)
  share <- level_shares(settings[["levels"]])
  list(
    size = size,
    slope = matrix(unlist(slopes), nrow(zeros), byrow = TRUE),
    load = outer(size, share) / settings[["buckets"]],
    share = share
  )
}

# The function `what` of the first k of n sketches: list(estimate, gradient), the gradient by the
# sizes of all unions.
union_function <- function(what, k, n, size) {
  index <- seq_along(size)
  total <- as.double(index == 2^k - 1)
  n_sketches <- rowSums(outer(index, union_numbers(n), bitwAnd) > 0)
  gradient <- switch(
    what,
    union = total,
    difference = total - (index == 2^k - 2),
    (index < 2^k) * (-1)^(n_sketches + 1)
  )
  estimate <- sum(gradient * size)
  if (what != "jaccard") return(list(estimate = estimate, gradient = gradient))
  ratio <- estimate / sum(total * size)
  list(estimate = ratio, gradient = (gradient - ratio * total) / sum(total * size))
}

# Rows of a function of the first `n_sets` sketches each: list(table, covariance). A negative
# variance is replaced, for the interval, by that of the least favourable bits.
union_functions <- function(what, n_sets, flip, unions, conf.level) {
  check_not_full(unions)
  functions <- lapply(
    n_sets, union_function, what = what, n = length(flip), size = unions$size
  )
  estimate <- vapply(functions, `[[`, 0, "estimate")
  gradients <- do.call(rbind, lapply(functions, `[[`, "gradient"))
  covariance <- gradients %*% unions$covariance %*% t(gradients)
  error <- sqrt_or_na(diag(covariance))
  diag(covariance) <- error^2
  if (what == "jaccard") {
    total <- 2^max(n_sets) - 1
    warn_ratio(
      unions$size[total], sqrt(max(unions$covariance[total, total], 0))
    )
  }
  largest <- sqrt(apply(gradients, 1, max_noise, unions, flip))
  half_width <- normal_quantile(conf.level) * ifelse(is.na(error), largest, error)
  limits <- normal_interval(estimate, half_width, 0, if (what == "jaccard") 1 else Inf)
  table <- data.frame(
    term = what,
    sets = n_sets,
    estimate = estimate,
    std.error = error,
    conf.low = limits$low,
    conf.high = limits$high
  )
  list(table = table, covariance = covariance)
}

# The variance that the noise adds to a function of sizes if all bits have the least favourable
# pattern.
max_noise <- function(gradient, unions, flip) {
  scores <- crossprod(zero_products(flip)[-1, , drop = FALSE], gradient * unions$slope)
  channel <- pattern_channel(flip)
  noise <- channel %*% scores^2 - (channel %*% scores)^2
  unions$n_positions * sum(apply(noise, 2, max))
}

# ---- the quasi-likelihood of PCSA sketches ----

# The number of items of the highest peak of the quasi-likelihood, from the zeros of each level:
#   size                 the number, 0, or Inf if it has no peak
#   at_size              the moments at this number, within the grid
#   moments, score       functions of the logarithm of a number
#   grid, state, peak    the logarithms looked at, their moments, the one before the peak
#   root_between         the root of a function after a point of the grid
pcsa_fit <- function(zeros, flip, settings) {
  buckets <- settings[["buckets"]]
  levels <- settings[["levels"]]
  moments <- zero_moments(flip, buckets, levels)
  # The quasi-score, which without noise is the likelihood's. Its integral over n shows which of its
  # roots is meant.
  score <- function(log_n, state = moments(log_n)) {
    colSums(state$weight * (state$zeros - zeros))
  }
  grid <- seq(
    log(0.01), log(buckets) + levels * log(2) + 3, by = 0.05
  )
  state <- moments(grid)
  peak <- highest_peak(exp(grid) * score(grid, state))
  last <- length(grid)
  root_between <- function(f, k) {
    exp(
      uniroot(f, grid[c(k, k + 1)], tol = 1e-12)$root
    )
  }
  size <- if (peak == 0) 0 else if (peak == last) Inf else root_between(score, peak)
  list(
    size = size,
    at_size = moments(clamp(log(size), grid[1], grid[last])),
    moments = moments,
    score = score,
    grid = grid,
    state = state,
    peak = peak,
    root_between = root_between
  )
}

# The share of items at each level of a PCSA sketch.
level_shares <- function(levels) {
  if (levels == 1) 1 else 2^-c(seq_len(levels - 1), levels - 1)
}

# A function of the logarithm of a number of items. It returns the expected zeros of each level,
# their weight in the score, the information, and half a bit of the last level. A bucket with x
# expected items at a level has a 0 there with probability exp(-x). Full levels have neither slope
# nor variance, so both are divided by exp(-x) before they meet.
zero_moments <- function(flip, buckets, levels) {
  share <- level_shares(levels)
  v <- flip_variance(flip)
  clear <- expm1(sum(log1p(v)))
  # The noise of a bit that some sketch has: it is largest if only the noisiest sketch has it.
  taken <- max(v / (1 + v)) * exp(sum(log1p(v)))
  function(log_n) {
    x <- outer(share / buckets, exp(log_n))
    full <- -expm1(-x)
    noise <- if (taken > 0) taken * full * exp(x) else 0
    weight <- share / (buckets * (noise + clear + full))
    list(
      zeros = buckets * exp(-x),
      weight = weight,
      information = colSums(weight * share * exp(-x)),
      half = (weight * full)[levels, ] / 2
    )
  }
}

# The point of the grid (0: before the first) after which the score is no longer positive, at the
# highest maximum of its integral.
highest_peak <- function(scores) {
  peaks <- which(c(TRUE, scores > 0) & c(scores <= 0, TRUE)) - 1
  integral <- c(
    0, 0, cumsum(scores[-1] + scores[-length(scores)])
  )
  peaks[which.max(integral[peaks + 1])]
}
