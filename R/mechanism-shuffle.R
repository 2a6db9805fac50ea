# Epsilon of shuffled reports follows from the privacy blanket of Balle, Bell, Gascon and Nissim
# (2019). It has a closed form for every mechanism of two levels,
#   P(y | x) = a(y) (1 + (E - 1) 1{x in S(y)}).
#
# A report is with probability gamma drawn from the blanket, a(y) / gamma, whoever sends it. The
# reports of n respondents are counted: n10 are of the blanket and support x alone, n01 x' alone,
# n11 both and n00 neither. These n's are multinomial. At c = e^epsilon,
#   delta <= (1 / n) E[S_+],
#   S = (E - 1) (n10 - c n01 - (c - 1) n11) - (c - 1) (n10 + n01 + n11 + n00).
# Balle et al. condition on the number M of blanket reports, 1 + Bin(n - 1, gamma), and weigh by
# gamma / M; a binomial of n weighed by its own value is the same. The bound falls with r11 when r10
# + r11 is kept, since moving mass off the diagonal spreads S in the convex order. If there are
# several kinds of pairs, the one of least r11 counts.
#
# The same bound holds for every other mechanism. Its blanket is min over x of P(y | x), or anything
# below it; gamma is what this adds up to. A blanket report y has A = P(y | x) / blanket(y) and B,
# of x', from 1 to E, and adds A - c B to the sum S. A and B are replaced by 1 or E, at random with
# the same means and together if possible: E[S_+] can only grow. The reports are then of two levels,
# with
#   (E - 1) gamma r10 = distance,   (E - 1) gamma (r10 + r11) = 1 - gamma.
# The distance is the total variation between the reports of x and x': the largest of all pairs
# counts. For reports of two levels nothing is replaced. If the randomness of cohorts, depths or
# positions is public it is part of y.

# The epsilon of n shuffled reports at this delta, with `delta` as an attribute.
shuffled_epsilon <- function(mechanism, n, delta) {
  n <- check_count(n, "shuffled", min = 1, max = 1e9)
  delta <- check_number(delta, "delta", min = 0, max = 1, min_open = TRUE, max_open = TRUE)
  if (n * delta > 1 + 1e-9) {
    warn("{.arg delta} is above 1 / {format_count(n)}: a report may not be hidden.", "delta")
  }
  warn_linked(mechanism)
  # Above 50 not one of 1e9 reports is of the blanket: shuffling hides nothing.
  # `local` is the epsilon of one report, if a respondent sends several.
  local <- mechanism$epsilon
  blanket <- if (local > 0) mechanism_blanket(mechanism)
  if (local > 0 && is.null(blanket)) {
    abort(c("{.arg shuffled} needs a mechanism whose reports have known probabilities.",
            x = "This one is: {format(mechanism)}."), c("law", "argument"))
  }
  epsilon <- if (local == 0 || local > 50) {
    local
  } else {
    min(local, blanket_epsilon(blanket, n, delta, local))
  }
  structure(epsilon, delta = delta)
}

# A warning if a respondent keeps something and sends it beside each report: from the second report
# on it identifies like a name.
warn_linked <- function(mechanism) {
  for (question in mechanism$questions) warn_linked(question)
  linked <- mechanism$linked
  if (is.null(linked) || !is_memoised(mechanism)) return(invisible())
  warn(
    paste0(
      "Shuffling hides one report of each respondent: ",
      "the {linked} that it carries links it to later reports."
    ),
    "linked"
  )
}

# The blanket of a mechanism, NULL if its law has none:
#   weight     probability that a report is of the blanket
#   p_single   probability that such a report, of two levels, supports one category and not another
#   p_pair     probability that it supports both
mechanism_blanket <- function(mechanism) {
  mechanisms <- mechanism$questions %||% mechanism$parts
  if (is.null(mechanisms)) {
    mechanism <- designed(mechanism)
    return(law_blanket(rr_law(mechanism), length(mechanism$levels), mechanism$epsilon))
  }
  # Figures are the weight of the blanket and the largest distance, a column for each mechanism.
  figures <- lapply(mechanisms, function(mechanism) {
    if (mechanism$epsilon == 0) return(c(1, 0))
    blanket <- mechanism_blanket(mechanism)
    if (!is.null(blanket)) {
      c(blanket$weight, blanket$p_single * blanket$weight * expm1(mechanism$epsilon))
    }
  })
  if (!all(lengths(figures) == 2L)) return(NULL)
  figures <- matrix(unlist(figures), 2)
  # All reports of one respondent to a product are one message. It is of the blanket if the reports
  # to all questions are, and differs from that of another respondent only if one of them does.
  if (!is.null(mechanism$questions)) return(joint_blanket(figures, mechanism$epsilon))
  # A report is about one question, depth or length of prefix, which is public and drawn whatever
  # the truth is. Two respondents may differ in all of them.
  two_level_blanket(mean(figures[1, ]), mean(figures[2, ]), mechanism$epsilon)
}

# The blanket of a law with k truths; `local` is the epsilon of one report.
law_blanket <- function(law, k, local) UseMethod("law_blanket")

law_blanket.rr_law <- function(law, k, local) NULL

# The blanket of two levels from its weight and the largest distance, with 2 p_single + p_pair at
# most 1.
two_level_blanket <- function(weight, distance, local) {
  gain <- expm1(local) * weight
  p_support <- max(1 - weight, 0) / gain
  p_single <- max(min(distance / gain, p_support, 1 - p_support), 0)
  list(weight = weight, p_single = p_single, p_pair = p_support - p_single)
}

# The blanket of several independent reports from `figures`: the weight and the largest distance of
# each, a column each.
joint_blanket <- function(figures, local) {
  distance <- -expm1(sum(log1p(-pmin(figures[2, ], 1))))
  two_level_blanket(prod(figures[1, ]), distance, local)
}

# The blanket if all other categories have one probability b, and the truth a higher one. If b
# differs by category, two truths differ in their own reports alone, as far as the truth is likelier
# there, or less likely.
law_blanket.rr_law_additive <- function(law, k, local) {
  b <- rep_len(law$b, k)
  if (law$a < 0) {
    return(two_level_blanket(sum(b + law$a), -law$a, local))
  }
  if (length(unique(law$b)) > 1L) {
    return(two_level_blanket(sum(b), law$a, local))
  }
  list(weight = k * b[1], p_single = 1 / k, p_pair = 0)
}

# The blanket of all questions: a report differs from another only if its report to one question
# does.
law_blanket.rr_law_channel <- function(law, k, local) {
  figures <- vapply(
    law$axes,
    function(axis) {
      if (is.null(axis$matrix)) {
        return(c(
          sum(axis$b + min(axis$a, 0)), abs(axis$a)
        ))
      }
      c(sum(do.call(pmin, as.data.frame(axis$matrix))), largest_distance(axis$matrix))
    },
    numeric(2)
  )
  joint_blanket(figures, local)
}

# Total variation between the columns (truths) of a matrix: the largest of all pairs, or a bound
# that no pair exceeds if these are too many.
largest_distance <- function(matrix) {
  if (as.double(nrow(matrix)) * ncol(matrix)^2 > 4e9) {
    return(1 - sum(do.call(pmin, as.data.frame(matrix))))
  }
  max(dist(t(matrix), method = "manhattan")) / 2
}

law_blanket.rr_law_support <- function(law, k, local) {
  has_categories <- length(law$p) > 1L || length(law$q) > 1L
  if (is.null(law$odds) || has_categories) return(NULL)
  p <- law$p
  p_pair <- law$both_own %||% (p * law$q)
  odds <- 1 + law$odds
  # If the truth is less likely supported, a report says what it does not support.
  if (odds < 1) {
    p_pair <- 1 - p - law$q + p_pair
    p <- 1 - p
    odds <- 1 / odds
  }
  weight <- 1 - p + p / odds
  p_pair <- p_pair / (odds * weight)
  list(weight = weight, p_single = p / (odds * weight) - p_pair, p_pair = p_pair)
}

# The smallest epsilon whose bound is at most delta, from above.
blanket_epsilon <- function(blanket, n, delta, local) {
  sums <- blanket_sums(blanket, n, local, tail = 1e-12 * delta / expm1(local))
  bound <- function(epsilon) blanket_delta(sums, n, epsilon, local)
  if (bound(0) <= delta) return(0)
  # Epsilon is small, so that its bracket grows from below, by factors of 2, until the bound is met.
  high <- min(local, sqrt(log(2 / delta) / n))
  low <- 0
  while (high < local && bound(high) > delta) {
    low <- high
    high <- min(local, 2 * high)
  }
  tolerance <- if (sums$exact) 1e-14 else 1e-6
  height <- function(epsilon) log(max(bound(epsilon), 1e-300)) - log(delta)
  root <- uniroot(height, c(low, high), tol = tolerance * high, maxiter = 200)$root
  step <- tolerance
  while (root < local && bound(root) > delta) {
    root <- min(local, root * (1 + step))
    step <- 2 * step
  }
  root
}

# The bound of delta at this epsilon: a weighted sum of E[(a X + b)_+], X ~ Bin(t, 1/2), plus the
# mass left out. X are the reports of x among t that are of x or x' alone, with
#   a = (E - 1)(c + 1),   b = -(E - 1) t + (c - 1) unit.
# Here `coins` are the t, and nothing in `sums` depends on epsilon.
blanket_delta <- function(sums, n, epsilon, local) {
  gain <- expm1(local)
  loss <- expm1(epsilon)
  if (loss >= gain) return(0)
  t <- sums$coins
  a <- gain * (2 + loss)
  b <- loss * sums$unit - gain * t
  smallest <- pmax(floor(-b / a) + 1, 0)
  above <- pbinom(smallest - 1, t, 0.5, lower.tail = FALSE)
  above_less_one <- pbinom(smallest - 2, pmax(t - 1, 0), 0.5, lower.tail = FALSE)
  mean_above <- ifelse(t > 0, t / 2 * above_less_one, 0)
  inside <- sum(sums$weight * pmax(a * mean_above + b * above, 0))
  inside / n + sums$outside * (gain - loss)
}

# The terms of the bound: list(coins, unit, weight, outside, exact), with a value for each term.
# `tail` is the mass that may be left out on each side.
blanket_sums <- function(blanket, n, local, tail) {
  prob <- c(
    single = 2 * blanket$weight * blanket$p_single,
    pair = blanket$weight * blanket$p_pair,
    none = blanket$weight * max(0, 1 - 2 * blanket$p_single - blanket$p_pair)
  )
  # The terms are triples (n10 + n01, n11, n00), or pairs if n11 is 0. Many terms are summed in
  # pieces.
  n_terms <- if (blanket$p_pair > 0) {
    (n + 1)^3 / 6
  } else {
    (n + 1)^2 / 2
  }
  if (n_terms <= 4e4) {
    blanket_one_by_one(prob, n, exp(local))
  } else {
    blanket_in_pieces(prob, n, exp(local), tail)
  }
}

# The terms of the bound, each by itself: `prob` has the probabilities of reports of one truth
# alone, of a pair and of none.
blanket_one_by_one <- function(prob, n, odds) {
  pairs <- if (prob[["pair"]] > 0) 0:n else 0
  grid <- expand.grid(none = 0:n, pair = pairs, single = 0:n)
  grid <- grid[grid$none + grid$pair + grid$single <= n, ]
  counts <- cbind(
    grid$single, grid$pair, grid$none,
    n - grid$none - grid$pair - grid$single
  )
  log_prob <- lfactorial(n) - rowSums(lfactorial(counts))
  probs <- c(prob, max(0, 1 - sum(prob)))
  for (j in seq_along(probs)) {
    log_prob <- log_prob + ifelse(
      counts[, j] > 0, counts[, j] * log(probs[j]), 0
    )
  }
  list(
    coins = grid$single,
    unit = -odds * (grid$single + grid$pair) - grid$none,
    weight = exp(log_prob),
    outside = 0,
    exact = TRUE
  )
}

# The terms of the bound in pieces. Each piece is replaced by something of the same mean and larger
# in the convex order, so that the sum can only grow. The number T of reports of x or x' alone lies
# in a block t0 .. t1: it is replaced by t1 of these and n - t0 others, less the means of those that
# are too many. This is convex in T, so that the edges of the block stand for what lies between. The
# others are two independent binomials, on a coarse grid of the same mean. Exclusive events with
# values of one sign vary less in sum.
blanket_in_pieces <- function(prob, n, odds, tail) {
  blocks <- binomial_blocks(n, prob[["single"]], tail)
  remaining <- max(0, 1 - prob[["single"]])
  p_pair <- min(1, prob[["pair"]] / remaining)
  p_none <- min(1, prob[["none"]] / remaining)
  others <- other_values(p_pair, p_none, odds, n - blocks$start, tail)
  repeated <- function(values) rep(values, each = nrow(others$values))
  excess <- (blocks$stop - blocks$mean_at) * (1 + odds) / 2 +
    (blocks$mean_at - blocks$start) * (p_pair * odds + p_none)
  list(
    coins = repeated(blocks$stop),
    unit = repeated(excess - odds * blocks$stop) - as.vector(others$values),
    weight = repeated(blocks$weight) * as.vector(others$weights),
    outside = blocks$outside,
    exact = FALSE
  )
}

# Blocks start .. stop of a binomial number, and the weights that keep their mass and mean if it
# lies at the edge `mean_at`. Up to 400 numbers are blocks of one. `outside` is the mass that is
# left out.
binomial_blocks <- function(n, p, tail) {
  low <- max(0, qbinom(log(tail), n, p, log.p = TRUE) - 1)
  high <- min(
    n, qbinom(log(tail), n, p, lower.tail = FALSE, log.p = TRUE) + 1
  )
  outside <- pbinom(low - 1, n, p) +
    pbinom(high, n, p, lower.tail = FALSE)
  if (high - low < 400) {
    values <- seq(low, high)
    return(list(
      start = values,
      stop = values,
      mean_at = values,
      weight = dbinom(values, n, p),
      outside = outside
    ))
  }
  edges <- unique(round(seq(low, high, length.out = 200)))
  start <- head(edges, -1)
  list(
    start = rep(start, 2),
    stop = rep(edges[-1], 2),
    mean_at = c(start, edges[-1]),
    weight = as.vector(block_weights(edges, n, p)),
    outside = outside
  )
}

# The weights of the low and the high edge of blocks (low, high] of a binomial, a row for each
# block. The first block includes its low edge.
block_weights <- function(edges, n, p) {
  low <- head(edges, -1)
  high <- edges[-1]
  mass <- diff(pbinom(c(edges[1] - 1, high), n, p))
  # The sum of i P(i) up to k is n p P(Bin(n - 1, p) <= k - 1).
  mean <- n * p * diff(
    pbinom(c(edges[1] - 2, high - 1), n - 1, p)
  )
  upper <- clamp(mean - low * mass, 0, (high - low) * mass) /
    (high - low)
  cbind(mass - upper, upper)
}

# The number of points of a grid.
grid_size <- 25

# The values of odds n11 + n00 and their weights, a column for each number of others in `n`.
other_values <- function(p_pair, p_none, odds, n, tail) {
  none <- coarse_binomial(n, p_none, tail)
  if (p_pair == 0) return(none)
  pairs <- coarse_binomial(n, p_pair, tail)
  i <- rep(seq_len(grid_size), grid_size)
  j <- rep(seq_len(grid_size), each = grid_size)
  values <- odds * pairs$values[i, , drop = FALSE] +
    none$values[j, , drop = FALSE]
  weights <- pairs$weights[i, , drop = FALSE] *
    none$weights[j, , drop = FALSE]
  grids <- vapply(seq_along(n), function(g) {
    seen <- weights[, g] > 0
    grid_points(values[seen, g], weights[seen, g])
  }, numeric(2 * grid_size))
  list(
    values = grids[seq_len(grid_size), , drop = FALSE],
    weights = grids[-seq_len(grid_size), , drop = FALSE]
  )
}

# The points of an even grid, then their weights: each value is divided between the two points
# beside it.
grid_points <- function(values, weights) {
  lowest <- min(values)
  width <- (max(values) - lowest) / (grid_size - 1)
  if (width == 0) {
    return(c(rep(lowest, grid_size), 1, numeric(grid_size - 1)))
  }
  position <- (values - lowest) / width
  below <- pmin(floor(position), grid_size - 2)
  upper <- weights * (position - below)
  c(
    lowest + width * (seq_len(grid_size) - 1),
    group_sums(weights - upper, below + 1, grid_size) + group_sums(upper, below + 2, grid_size)
  )
}

# A binomial of each n on so many points that its mean stays: 0, and a grid where the mass is. Mass
# above the grid counts at its last point, which makes S larger.
coarse_binomial <- function(n, p, tail) {
  if (p == 0) {
    only <- rep(c(1, numeric(grid_size - 1)), length(n))
    return(list(
      values = matrix(0, grid_size, length(n)),
      weights = matrix(only, grid_size)
    ))
  }
  low <- qbinom(log(tail), n, p, log.p = TRUE)
  high <- pmax(
    qbinom(log(tail), n, p, lower.tail = FALSE, log.p = TRUE), low
  )
  fractions <- seq(0, 1, length.out = grid_size - 1)
  edges <- rbind(
    0, round(outer(1 - fractions, low) + outer(fractions, high))
  )
  weights_of <- function(j) edge_weights(edges[, j], n[j], p)
  weights <- vapply(seq_along(n), weights_of, numeric(grid_size))
  list(values = edges, weights = matrix(weights, grid_size))
}

# The weights of the edges. Equal edges have their weight at the first of them.
edge_weights <- function(edges, n, p) {
  distinct <- unique(edges)
  weights <- numeric(grid_size)
  if (length(distinct) == 1L) return(replace(weights, 1, 1))
  block <- block_weights(distinct, n, p)
  above <- pbinom(distinct[length(distinct)], n, p, lower.tail = FALSE)
  weights[match(distinct, edges)] <- c(block[, 1], above) +
    c(0, block[, 2])
  weights
}
