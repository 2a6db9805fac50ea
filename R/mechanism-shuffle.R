# What reports that were shuffled reveal: the privacy blanket of Balle, Bell, Gascon and Nissim (2019), in the closed
# form that it has for every mechanism of two levels, P(y | x) = a(y) (1 + (E - 1) 1{x in S(y)}).
#
# A report is with probability gamma drawn from the blanket, a(y) / gamma, whoever sends it. Of the reports of n
# respondents, n10 are of the blanket and support x alone, n01 x' alone, n11 both and n00 neither. Then, at c =
# e^epsilon,   delta <= (1 / n) E[S_+],  S = (E - 1) (n10 - c n01 - (c - 1) n11) - (c - 1) (n10 + n01 + n11 + n00),
# with the n's multinomial: Balle et al. condition on the number M of blanket reports, 1 + Bin(n - 1, gamma), and weigh
# by gamma / M; a binomial of n weighed by its own value is the same. The bound falls with r11 when r10 + r11 is kept
# (moving mass off the diagonal spreads S in the convex order): of several kinds of pairs the one of least r11 counts.

shuffled_epsilon <- function(mechanism, n, delta) {
  n <- check_count(n, "shuffled", min = 1, max = 1e9)
  if (is.null(delta)) {
    abort(c("{.arg delta} must be given with {.arg shuffled}.",
            i = paste("After shuffling the level holds but with probability {.arg delta}:",
                      "choose one well below 1 / {format_count(n)}.")), "argument")
  }
  delta <- check_number(delta, "delta", min = 0, max = 1, min_open = TRUE, max_open = TRUE)
  if (n * delta > 1 + 1e-9) {
    warn(c("{.arg delta} should be well below 1 / {format_count(n)}.",
           x = paste("It is {format(delta, digits = 3)}: the level would hold even if the reports of",
                     "{format_count(max(1, round(n * delta)))} of {format_count(n)} respondents were not hidden",
                     "at all.")),
         "delta")
  }
  # Above 50 not one of 1e9 reports is of the blanket: shuffling hides nothing.
  # Of one report, where there are several.
  local <- mechanism$epsilon
  shares <- if (local > 0) blanket(mechanism)
  level <- if (local == 0 || local > 50) local else min(local, blanket_epsilon(shares, n, delta, local))
  structure(level, delta = delta)
}

# The blanket of a mechanism of two levels: how likely a report is of it (`weight`), and how likely such a report
# supports one category and not another (`one`), both (`both`), or neither.
blanket <- function(mechanism) {
  law <- rr_law(mechanism)
  shares <- law_blanket(law, length(mechanism$levels))
  if (is.null(shares)) {
    abort(c("{.arg shuffled} needs a mechanism whose reports have two levels of probability.",
            x = "This one is: {format(mechanism)}.",
            i = "These are {.fn rr_grr}, {.fn rr_unary}, {.fn rr_subset}, {.fn rr_local_hash} and {.fn rr_hadamard}."),
          c("law", "argument"))
  }
  shares
}

law_blanket <- function(law, k) UseMethod("law_blanket")

#' @export
law_blanket.rr_law <- function(law, k) NULL

# One number for all others, and the truth likelier than these.
#' @export
law_blanket.rr_law_additive <- function(law, k) {
  if (length(unique(law$b)) > 1L) return(NULL)
  b <- law$b[1]
  # The truth the least likely of two is the other category the likelier.
  if (law$a < 0) return(if (k == 2L) list(weight = 2 * (b + law$a), one = 1 / 2, both = 0))
  list(weight = k * b, one = 1 / k, both = 0)
}

#' @export
law_blanket.rr_law_support <- function(law, k) {
  if (is.null(law$odds) || length(law$p) > 1L || length(law$q) > 1L) return(NULL)
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
#' @export
law_blanket.rr_law_hadamard <- function(law, k) {
  blocks <- law$blocks
  z <- exp(-law$epsilon)
  both <- if (blocks > 1) 0 else 1 / 4
  list(weight = 2 * blocks * z / (1 + (2 * blocks - 1) * z), one = 1 / (2 * blocks) - both, both = both)
}

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
  root <- stats::uniroot(height, c(low, high), tol = tolerance * high, maxiter = 200)$root
  step <- tolerance
  while (root < local && bound(root) > delta) {
    root <- min(local, root * (1 + step))
    step <- 2 * step
  }
  root
}

# The bound is a weighted sum of E[(a X + b)_+], X ~ Bin(t, 1/2) the reports of x among t that are of x or x' alone,
# with a = (E - 1)(c + 1) and b = -(E - 1) t + (c - 1) unit: `coins` are the t, and nothing in `sums` depends on
# epsilon.
blanket_delta <- function(sums, n, epsilon, local) {
  gain <- expm1(local)
  loss <- expm1(epsilon)
  if (loss >= gain) return(0)
  terms <- coins_above(sums$coins, gain * (2 + loss), loss * sums$unit - gain * sums$coins)
  sum(sums$weight * terms) / n + sums$outside * (gain - loss)
}

# E[(a X + b)_+] of X ~ Bin(t, 1/2), a > 0; t and b of one length.
coins_above <- function(t, a, b) {
  least <- pmax(floor(-b / a) + 1, 0)
  above <- stats::pbinom(least - 1, t, 0.5, lower.tail = FALSE)
  weighed <- ifelse(t > 0, t / 2 * stats::pbinom(least - 2, pmax(t - 1, 0), 0.5, lower.tail = FALSE), 0)
  pmax(a * weighed + b * above, 0)
}

# Sums of so many terms are done one by one; longer ones in pieces.
blanket_exact_terms <- 4e4

blanket_sums <- function(shares, n, local, tail) {
  chance <- c(pair = 2 * shares$weight * shares$one, both = shares$weight * shares$both,
              none = shares$weight * max(0, 1 - 2 * shares$one - shares$both))
  # Triples (n10 + n01, n11, n00), or pairs where none is of the second kind.
  terms <- if (shares$both > 0) (n + 1)^3 / 6 else (n + 1)^2 / 2
  if (terms <= blanket_exact_terms) blanket_one_by_one(chance, n, exp(local))
  else blanket_in_pieces(chance, n, exp(local), tail)
}

blanket_one_by_one <- function(chance, n, odds) {
  grid <- expand.grid(none = 0:n, both = if (chance[["both"]] > 0) 0:n else 0, pair = 0:n)
  grid <- grid[grid$none + grid$both + grid$pair <= n, ]
  counts <- cbind(grid$pair, grid$both, grid$none, n - grid$none - grid$both - grid$pair)
  logs <- lfactorial(n) - rowSums(lfactorial(counts))
  chances <- c(chance, max(0, 1 - sum(chance)))
  for (j in seq_along(chances)) logs <- logs + ifelse(counts[, j] > 0, counts[, j] * log(chances[j]), 0)
  list(coins = grid$pair, unit = -odds * (grid$pair + grid$both) - grid$none, weight = exp(logs), outside = 0,
       exact = TRUE)
}

# Pieces of a long sum are each replaced by something of the same mean and larger in the convex order, so that the whole
# can only grow. The number of pairs T, in a block t0 .. t1: t1 pairs and n - t0 others, less the means of those that
# are too many; this is convex in T, so that the ends of the block stand for what lies between. The others: two
# independent binomials (of exclusive events with values of one sign the sum is spread less), on a coarse grid that
# keeps the mean.
blanket_in_pieces <- function(chance, n, odds, tail) {
  blocks <- binomial_blocks(n, chance[["pair"]], tail)
  rest <- max(0, 1 - chance[["pair"]])
  both <- min(1, chance[["both"]] / rest)
  none <- min(1, chance[["none"]] / rest)
  others <- other_values(both, none, odds, n - blocks$start, tail)
  size <- nrow(others$values)
  each <- function(x) rep(x, each = size)
  excess <- (blocks$stop - blocks$at) * (1 + odds) / 2 + (blocks$at - blocks$start) * (both * odds + none)
  list(coins = each(blocks$stop), unit = each(excess - odds * blocks$stop) - as.vector(others$values),
       weight = each(blocks$weight) * as.vector(others$weights), outside = blocks$outside, exact = FALSE)
}

# The number of pairs: blocks start .. stop, and the weights that keep their mass and mean when it lies `at` an end.
# Up to 400 numbers are blocks of one. `outside` is the mass that is left out.
binomial_blocks <- function(n, p, tail) {
  low <- max(0, stats::qbinom(log(tail), n, p, log.p = TRUE) - 1)
  high <- min(n, stats::qbinom(log(tail), n, p, lower.tail = FALSE, log.p = TRUE) + 1)
  outside <- stats::pbinom(low - 1, n, p) + stats::pbinom(high, n, p, lower.tail = FALSE)
  if (high - low < 400) {
    at <- seq(low, high)
    return(list(start = at, stop = at, at = at, weight = stats::dbinom(at, n, p), outside = outside))
  }
  ends <- unique(round(seq(low, high, length.out = 200)))
  start <- rep(utils::head(ends, -1), 2)
  stop <- rep(ends[-1], 2)
  list(start = start, stop = stop, at = c(utils::head(ends, -1), ends[-1]),
       weight = as.vector(block_weights(ends, n, p)), outside = outside)
}

# Blocks (low, high] of a binomial, the first with its own low end: the weights of their low and high ends.
block_weights <- function(ends, n, p) {
  low <- utils::head(ends, -1)
  high <- ends[-1]
  mass <- diff(stats::pbinom(c(ends[1] - 1, high), n, p))
  # sum of i P(i) up to k is n p P(Bin(n - 1, p) <= k - 1)
  mean <- n * p * diff(stats::pbinom(c(ends[1] - 2, high - 1), n - 1, p))
  upper <- pmin(pmax(mean - low * mass, 0), (high - low) * mass) / (high - low)
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
  values <- odds * both$ends[i, , drop = FALSE] + none$ends[j, , drop = FALSE]
  weights <- both$weights[i, , drop = FALSE] * none$weights[j, , drop = FALSE]
  # Back to one grid, each value on the two points beside it.
  spread <- vapply(seq_along(n), function(g) {
    seen <- weights[, g] > 0
    lowest <- min(values[seen, g])
    width <- (max(values[seen, g]) - lowest) / (other_size - 1)
    if (width == 0) return(c(rep(lowest, other_size), 1, numeric(other_size - 1)))
    place <- (values[seen, g] - lowest) / width
    below <- pmin(floor(place), other_size - 2)
    upper <- weights[seen, g] * (place - below)
    sums <- numeric(other_size)
    for (part in list(list(below + 1, weights[seen, g] - upper), list(below + 2, upper))) {
      found <- rowsum(part[[2]], part[[1]])
      sums[as.integer(rownames(found))] <- sums[as.integer(rownames(found))] + found[, 1]
    }
    c(lowest + width * (seq_len(other_size) - 1), sums)
  }, numeric(2 * other_size))
  list(values = spread[seq_len(other_size), , drop = FALSE], weights = spread[-seq_len(other_size), , drop = FALSE])
}

# A binomial of each n on so many points that the mean is kept: 0, and a grid where the mass is. What lies above the
# grid counts as its end, which makes S larger.
coarse_binomial <- function(n, p, tail) {
  if (p == 0) {
    only <- rep(c(1, numeric(other_size - 1)), length(n))
    return(list(ends = matrix(0, other_size, length(n)), weights = matrix(only, other_size)))
  }
  low <- stats::qbinom(log(tail), n, p, log.p = TRUE)
  high <- pmax(stats::qbinom(log(tail), n, p, lower.tail = FALSE, log.p = TRUE), low)
  steps <- seq(0, 1, length.out = other_size - 1)
  ends <- rbind(0, round(outer(1 - steps, low) + outer(steps, high)))
  weights <- vapply(seq_along(n), function(g) {
    distinct <- unique(ends[, g])
    weight <- numeric(other_size)
    if (length(distinct) == 1L) return(replace(weight, 1, 1))
    parts <- block_weights(distinct, n[g], p)
    above <- stats::pbinom(distinct[length(distinct)], n[g], p, lower.tail = FALSE)
    weight[match(distinct, ends[, g])] <- c(parts[, 1], above) + c(0, parts[, 2])
    weight
  }, numeric(other_size))
  list(ends = ends, weights = matrix(weights, other_size))
}
