# What reports that were shuffled reveal: the privacy blanket of Balle, Bell, Gascon and Nissim
# (2019), in the closed form that it has for every mechanism of two levels, P(y | x) = a(y) (1 + (E
# - 1) 1{x in S(y)}).
#
# A report is with probability gamma drawn from the blanket, a(y) / gamma, whoever sends it. Of the
# reports of n respondents, n10 are of the blanket and support x alone, n01 x' alone, n11 both and
# n00 neither. Then, at c = e^epsilon, delta <= (1 / n) E[S_+], S = (E - 1) (n10 - c n01 - (c - 1)
# n11) - (c - 1) (n10 + n01 + n11 + n00), with the n's multinomial: Balle et al. condition on the
# number M of blanket reports, 1 + Bin(n - 1, gamma), and weigh by gamma / M; a binomial of n
# weighed by its own value is the same. The bound falls with r11 when r10 + r11 is kept (moving mass
# off the diagonal spreads S in the convex order): of several kinds of pairs the one of least r11
# counts.
#
# The same bound holds for every other mechanism. Its blanket is min over x of P(y | x), or anything
# below it; gamma is what this adds up to. A blanket report y has A = P(y | x) / blanket(y) and B,
# of x', from 1 to E, and adds A - c B to the sum S. A and B are replaced by 1 or E, at random with
# the same means and together where possible: a spread, under which E[S_+] can only grow. What is
# left are reports of two levels, with
#   (E - 1) gamma r10 = distance,   (E - 1) gamma (r10 + r11) = 1 - gamma,
# the distance being the total variation between the reports of x and x': the largest of all pairs
# counts. For reports of two levels nothing is replaced. If the randomness of cohorts, depths or
# positions is public it is part of y.

shuffled_epsilon <- function(mechanism, n, delta) {
  n <- check_count(n, "shuffled", min = 1, max = 1e9)
  delta <- check_number(delta, "delta", min = 0, max = 1, min_open = TRUE, max_open = TRUE)
  if (n * delta > 1 + 1e-9) {
    warn("{.arg delta} is above 1 / {format_count(n)}: a report may not be hidden.", "delta")
  }
  warn_linked(mechanism)
  # Above 50 not one of 1e9 reports is of the blanket: shuffling hides nothing.
  # Of one report, where there are several.
  local <- mechanism$epsilon
  shares <- if (local > 0) mechanism_blanket(mechanism)
  if (local > 0 && is.null(shares)) {
    abort(c("{.arg shuffled} needs a mechanism whose reports have known probabilities.",
            x = "This one is: {format(mechanism)}."), c("law", "argument"))
  }
  level <- if (local == 0 || local > 50) {
    local
  } else {
    min(local, blanket_epsilon(shares, n, delta, local))
  }
  structure(level, delta = delta)
}

# What a respondent keeps and sends beside each report is as good as a name from the second report
# on.
warn_linked <- function(mechanism) {
  for (question in mechanism$questions) warn_linked(question)
  sent <- mechanism$linked
  if (is.null(sent) || !is_memoised(mechanism)) return(invisible())
  warn(
    "Shuffling hides one report of each respondent: the {sent} that it carries links it to later reports.",
    "linked"
  )
}

# The blanket of a mechanism: how likely a report is of it (`weight`), and how likely such a report,
# of two levels, supports one category and not another (`one`), both (`both`), or neither. NULL
# where its law does not say.
mechanism_blanket <- function(mechanism) {
  parts <- mechanism$questions %||% mechanism$parts
  if (is.null(parts)) {
    mechanism <- designed(mechanism)
    return(law_blanket(rr_law(mechanism), length(mechanism$levels), mechanism$epsilon))
  }
  # The weight of the blanket and the largest distance, a column for each part.
  found <- lapply(parts, function(part) {
    if (part$epsilon == 0) return(c(1, 0))
    shares <- mechanism_blanket(part)
    if (!is.null(shares)) {
      c(shares$weight, shares$one * shares$weight * expm1(part$epsilon))
    }
  })
  if (!all(lengths(found) == 2L)) return(NULL)
  found <- matrix(unlist(found), 2)
  # All reports of one respondent to a product are one message. It is of the blanket where every
  # part is, and another than that of somebody else only where one of its parts is.
  if (!is.null(mechanism$questions)) return(joint_blanket(found, mechanism$epsilon))
  # A report is about one part, a question, a depth or a length of prefix, which is public and drawn
  # whatever the truth is. Two respondents may differ in all parts.
  spread_blanket(mean(found[1, ]), mean(found[2, ]), mechanism$epsilon)
}

# `local` is the epsilon of one report.
law_blanket <- function(law, k, local) UseMethod("law_blanket")

law_blanket.rr_law <- function(law, k, local) NULL

# By the weight of the blanket and the largest distance. Chances of two levels: 2 one + both is at
# most 1.
spread_blanket <- function(weight, distance, local) {
  gain <- expm1(local) * weight
  each <- max(1 - weight, 0) / gain
  one <- max(min(distance / gain, each, 1 - each), 0)
  list(weight = weight, one = one, both = each - one)
}

joint_blanket <- function(parts, local) {
  spread_blanket(
    prod(parts[1, ]),
    -expm1(sum(log1p(-pmin(parts[2, ], 1)))), local
  )
}

# One number for all others, and the truth likelier than these. With several numbers every two
# truths differ in their own reports alone, as far as the truth is likelier there, or less likely.
law_blanket.rr_law_additive <- function(law, k, local) {
  b <- rep_len(law$b, k)
  if (law$a < 0) {
    return(spread_blanket(sum(b + law$a), -law$a, local))
  }
  if (length(unique(law$b)) > 1L) {
    return(spread_blanket(sum(b), law$a, local))
  }
  list(weight = k * b[1], one = 1 / k, both = 0)
}

# Of several questions the blanket is that of all of them, and a report is another only where one of
# its parts is.
law_blanket.rr_law_channel <- function(law, k, local) {
  joint_blanket(
    vapply(
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
    ),
    local
  )
}

# Total variation between the columns (truths) of a matrix: the largest of all pairs, or, where
# these are too many, what no pair exceeds.
largest_distance <- function(matrix) {
  if (as.double(nrow(matrix)) * ncol(matrix)^2 > 4e9) {
    return(1 - sum(do.call(pmin, as.data.frame(matrix))))
  }
  max(dist(t(matrix), method = "manhattan")) / 2
}

law_blanket.rr_law_support <- function(law, k, local) {
  if (is.null(law$odds) || length(law$p) > 1L ||
      length(law$q) > 1L) {
    return(NULL)
  }
  p <- law$p
  both <- law$both_own %||% (p * law$q)
  odds <- 1 + law$odds
  # Where the truth is less likely supported, that a report does not support is what it says.
  if (odds < 1) {
    both <- 1 - p - law$q + both
    p <- 1 - p
    odds <- 1 / odds
  }
  weight <- 1 - p + p / odds
  both <- both / (odds * weight)
  list(weight = weight, one = p / (odds * weight) - both, both = both)
}

# Two categories of different blocks are never supported together.
law_blanket.rr_law_hadamard <- function(law, k, local) {
  blocks <- law$blocks
  z <- exp(-law$epsilon)
  both <- if (blocks > 1) 0 else 1 / 4
  list(
    weight = 2 * blocks * z / (1 + (2 * blocks - 1) * z),
    one = 1 / (2 * blocks) - both,
    both = both
  )
}

# Of d bits, those of buckets that were drawn, r = p / q: a report is 1 / r times as likely as under
# a truth outside these buckets, or more. Two truths differ where the bucket of at least one of them
# was drawn. One bit has two levels.
law_blanket.rr_law_bitflip <- function(law, k, local) {
  b <- law$truths
  d <- law$d
  if (d == 1) {
    return(list(
      weight = 2 * law$q,
      one = 1 / b,
      both = 1 / 2 - 1 / b
    ))
  }
  apart <- (b - d) * (b - d - 1) /
    (b * (b - 1))
  list(
    weight = law$q / law$p,
    one = law$p * law$q * (1 - apart),
    both = law$q * (law$q + law$p * apart)
  )
}

# The least likely filter for the bits of a report has its ones where these are 0, as far as there
# are enough. Filters of two categories have at most so many ones where the other has none.
law_blanket.rr_law_bloom <- function(law, k, local) {
  chances <- c(law$one, law$zero)
  if (law$one < law$zero) chances <- 1 - chances
  one <- chances[1]
  zero <- chances[2]
  hashes <- dim(law$places)[1]
  ones <- 0:law$bits
  covered <- pmin(hashes, law$bits - ones)
  least <- covered * (log1p(-one) - log1p(-zero)) +
    (hashes - covered) * (log(one) - log(zero))
  pairs <- 0:min(hashes, law$bits - hashes)
  own <- dbinom(pairs, max(pairs), one)
  other <- dbinom(pairs, max(pairs), zero)
  distance <- sum(abs(outer(own, other) - outer(other, own))) / 2
  spread_blanket(
    sum(exp(dbinom(ones, law$bits, zero, log = TRUE) + least)),
    distance, local
  )
}

# A cell that is drawn from all cells is of the blanket. The windows of the least and the largest
# answer share none.
law_blanket.rr_law_mean <- function(law, k, local) spread_blanket(law$other, law$chance, local)

# Which hash function was drawn is public. Two strings may lie in different buckets of all
# functions: given each the report is of two levels, always the same ones.
law_blanket.rr_law_count_mean_sketch <- function(law, k, local) law_blanket(law$bit, k, local)

# The least epsilon whose bound is at most delta, from above.
blanket_epsilon <- function(shares, n, delta, local) {
  sums <- blanket_sums(shares, n, local, tail = 1e-12 * delta / expm1(local))
  bound <- function(epsilon) blanket_delta(sums, n, epsilon, local)
  if (bound(0) <= delta) return(0)
  # From below, since it is small: by factors of 2 to where the bound is met.
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

# The bound is a weighted sum of E[(a X + b)_+], X ~ Bin(t, 1/2) the reports of x among t that are
# of x or x' alone, with a = (E - 1)(c + 1) and b = -(E - 1) t + (c - 1) unit: `coins` are the t,
# and nothing in `sums` depends on epsilon.
blanket_delta <- function(sums, n, epsilon, local) {
  gain <- expm1(local)
  loss <- expm1(epsilon)
  if (loss >= gain) return(0)
  t <- sums$coins
  a <- gain * (2 + loss)
  b <- loss * sums$unit - gain * t
  least <- pmax(floor(-b / a) + 1, 0)
  above <- pbinom(least - 1, t, 0.5, lower.tail = FALSE)
  weighed <- ifelse(
    t > 0,
    t / 2 *
      pbinom(least - 2, pmax(t - 1, 0), 0.5, lower.tail = FALSE),
    0
  )
  sum(sums$weight * pmax(a * weighed + b * above, 0)) / n +
    sums$outside * (gain - loss)
}

blanket_sums <- function(shares, n, local, tail) {
  chance <- c(
    pair = 2 * shares$weight * shares$one, both = shares$weight * shares$both,
    none = shares$weight * max(0, 1 - 2 * shares$one - shares$both)
  )
  # Triples (n10 + n01, n11, n00), or pairs where none is of the second kind. Many terms are summed
  # in pieces.
  terms <- if (shares$both > 0) {
    (n + 1)^3 / 6
  } else {
    (n + 1)^2 / 2
  }
  if (terms <= 4e4) {
    blanket_one_by_one(chance, n, exp(local))
  } else {
    blanket_in_pieces(chance, n, exp(local), tail)
  }
}

blanket_one_by_one <- function(chance, n, odds) {
  grid <- expand.grid(
    none = 0:n, both = if (chance[["both"]] > 0) 0:n else 0,
    pair = 0:n
  )
  grid <- grid[grid$none + grid$both + grid$pair <= n, ]
  counts <- cbind(
    grid$pair, grid$both, grid$none,
    n - grid$none - grid$both - grid$pair
  )
  logs <- lfactorial(n) - rowSums(lfactorial(counts))
  chances <- c(chance, max(0, 1 - sum(chance)))
  for (j in seq_along(chances)) {
    logs <- logs + ifelse(
      counts[, j] > 0, counts[, j] * log(chances[j]), 0
    )
  }
  list(
    coins = grid$pair,
    unit = -odds * (grid$pair + grid$both) - grid$none,
    weight = exp(logs),
    outside = 0,
    exact = TRUE
  )
}

# Pieces of a long sum are each replaced by something of the same mean and larger in the convex
# order, so that the whole can only grow. The number of pairs T, in a block t0 .. t1: t1 pairs and n
# - t0 others, less the means of those that are too many. This is convex in T, so that the ends of
# the block stand for what lies between. The others: two independent binomials (of exclusive events
# with values of one sign the sum is spread less), on a coarse grid that keeps the mean.
blanket_in_pieces <- function(chance, n, odds, tail) {
  blocks <- binomial_blocks(n, chance[["pair"]], tail)
  rest <- max(0, 1 - chance[["pair"]])
  both <- min(1, chance[["both"]] / rest)
  none <- min(1, chance[["none"]] / rest)
  others <- other_values(both, none, odds, n - blocks$start, tail)
  each <- function(x) rep(x, each = nrow(others$values))
  excess <- (blocks$stop - blocks$at) * (1 + odds) / 2 +
    (blocks$at - blocks$start) * (both * odds + none)
  list(
    coins = each(blocks$stop),
    unit = each(excess - odds * blocks$stop) - as.vector(others$values),
    weight = each(blocks$weight) * as.vector(others$weights),
    outside = blocks$outside,
    exact = FALSE
  )
}

# The number of pairs: blocks start .. stop, and the weights that keep their mass and mean when it
# lies `at` an end. Up to 400 numbers are blocks of one. `outside` is the mass that is left out.
binomial_blocks <- function(n, p, tail) {
  low <- max(0, qbinom(log(tail), n, p, log.p = TRUE) - 1)
  high <- min(
    n, qbinom(log(tail), n, p, lower.tail = FALSE, log.p = TRUE) + 1
  )
  outside <- pbinom(low - 1, n, p) +
    pbinom(high, n, p, lower.tail = FALSE)
  if (high - low < 400) {
    at <- seq(low, high)
    return(list(
      start = at,
      stop = at,
      at = at,
      weight = dbinom(at, n, p),
      outside = outside
    ))
  }
  ends <- unique(round(seq(low, high, length.out = 200)))
  start <- head(ends, -1)
  list(
    start = rep(start, 2),
    stop = rep(ends[-1], 2),
    at = c(start, ends[-1]),
    weight = as.vector(block_weights(ends, n, p)),
    outside = outside
  )
}

# Blocks (low, high] of a binomial, the first with its own low end: the weights of their low and
# high ends.
block_weights <- function(ends, n, p) {
  low <- head(ends, -1)
  high <- ends[-1]
  mass <- diff(pbinom(c(ends[1] - 1, high), n, p))
  # sum of i P(i) up to k is n p P(Bin(n - 1, p) <= k - 1)
  mean <- n * p * diff(
    pbinom(c(ends[1] - 2, high - 1), n - 1, p)
  )
  upper <- nearest(mean - low * mass, 0, (high - low) * mass) /
    (high - low)
  cbind(mass - upper, upper)
}

other_size <- 25

# odds n11 + n00 and its weights, a column for each number of others in `n`.
other_values <- function(both, none, odds, n, tail) {
  none <- coarse_binomial(n, none, tail)
  if (both == 0) return(list(values = none$ends, weights = none$weights))
  both <- coarse_binomial(n, both, tail)
  i <- rep(seq_len(other_size), other_size)
  j <- rep(seq_len(other_size), each = other_size)
  values <- odds * both$ends[i, , drop = FALSE] +
    none$ends[j, , drop = FALSE]
  weights <- both$weights[i, , drop = FALSE] *
    none$weights[j, , drop = FALSE]
  spread <- vapply(seq_along(n), function(g) {
    seen <- weights[, g] > 0
    even_grid(values[seen, g], weights[seen, g])
  }, numeric(2 * other_size))
  list(
    values = spread[seq_len(other_size), , drop = FALSE],
    weights = spread[-seq_len(other_size), , drop = FALSE]
  )
}

# The points of an even grid, and their weights: each value is spread on the two points beside it.
even_grid <- function(values, weights) {
  lowest <- min(values)
  width <- (max(values) - lowest) / (other_size - 1)
  if (width == 0) {
    return(c(rep(lowest, other_size), 1, numeric(other_size - 1)))
  }
  place <- (values - lowest) / width
  below <- pmin(floor(place), other_size - 2)
  upper <- weights * (place - below)
  c(
    lowest + width * (seq_len(other_size) - 1),
    group_sums(weights - upper, below + 1, other_size) + group_sums(upper, below + 2, other_size)
  )
}

# A binomial of each n on so many points that the mean is kept: 0, and a grid where the mass is.
# What lies above the grid counts as its end, which makes S larger.
coarse_binomial <- function(n, p, tail) {
  if (p == 0) {
    only <- rep(c(1, numeric(other_size - 1)), length(n))
    return(list(
      ends = matrix(0, other_size, length(n)),
      weights = matrix(only, other_size)
    ))
  }
  low <- qbinom(log(tail), n, p, log.p = TRUE)
  high <- pmax(
    qbinom(log(tail), n, p, lower.tail = FALSE, log.p = TRUE), low
  )
  steps <- seq(0, 1, length.out = other_size - 1)
  ends <- rbind(
    0, round(outer(1 - steps, low) + outer(steps, high))
  )
  weights <- vapply(
    seq_along(n),
    function(g) end_weights(ends[, g], n[g], p), numeric(other_size)
  )
  list(ends = ends, weights = matrix(weights, other_size))
}

# Equal ends have their weight at the first of them.
end_weights <- function(ends, n, p) {
  distinct <- unique(ends)
  weight <- numeric(other_size)
  if (length(distinct) == 1L) return(replace(weight, 1, 1))
  parts <- block_weights(distinct, n, p)
  above <- pbinom(distinct[length(distinct)], n, p, lower.tail = FALSE)
  weight[match(distinct, ends)] <- c(parts[, 1], above) +
    c(0, parts[, 2])
  weight
}
