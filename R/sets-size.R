#' Sizes of unions, intersections and differences of noisy sets
#'
#' Several sets over one universe were reported with noise: each membership of an element in a set was reported wrongly with a known probability. `rr_set_size()` estimates how many elements
#' are in at least one set (`"union"`), in all sets (`"intersection"`), or in the first but in no other set (`"difference"`). `"jaccard"` is the share of the union that is in the
#' intersection. If the universe is unknown, sets are reported as sketches of [rr_sketch()].
#'
#' The estimate is the sum over the universe of unbiased estimates of the OR (or AND) of each element, see [rr_extreme()]. The estimate of one element does not reveal whether the sets
#' hold it.
#'
#' **Standard error.** Only the randomization is random. The squared standard error is the unbiased \eqn{\sum \hat Y (\hat Y - 1)}{sum Y-hat (Y-hat - 1)}. `std.error.max` is the standard error under the
#' least favourable sets, and replaces it if it is negative. It grows exponentially with the number of sets; above 1,000 elements a warning is given.
#'
#' **Intervals.** `"wald"` is the estimate plus or minus a multiple of the standard error, cut to \eqn{[0, m]}. `"exact"` has guaranteed coverage for any sets, and is wider. For one set it inverts the
#' distribution of the number of reported elements, and for several sets Chernoff's bound with the least favourable membership pattern. It needs one flip probability for all sets, or
#' at most 8 sets.
#'
#' **Before any report.** With `plan = TRUE` the sets are the true ones, or an example of them, and the standard errors are those that reports with this `flip` will have. They are exact
#' (Hehir, Theorem 3), for a Jaccard index to first order. [rr_power()] plans unions whose sets are not known.
#'
#' @section Sketches:
#' The size of the union of sketched sets is the number of different items in all of them. The OR of every bit over the sketches is estimated without bias; sketches may have different flip
#' probabilities.
#'
#' * Bloom filters and linear counters: the estimated number \eqn{Z} of bits that are still 0 in the union gives
#'   \eqn{\hat n = \log(Z/m) / (h \log(1 - 1/m))}{n-hat = log(Z/m) / (h log(1 - 1/m))}, with \eqn{m} bits and \eqn{h} hashes. The standard error combines randomized response (the variance
#'   of \eqn{Z}) and hashing, \eqn{m (e^\rho - 1 - \rho)/h^2} with \eqn{\rho = h n/m}. An estimate slightly below 0 is possible.
#' * PCSA: the estimated numbers of ones at each level are fitted by their expectations \eqn{B (1 - \exp(-n \pi_l / B))}{B (1 - exp(-n pi_l / B))}, with \eqn{B} buckets and \eqn{\pi_l} the
#'   share of items at level \eqn{l}. The quasi-likelihood weights each level by its variance (noise and hashing). The estimate is never negative.
#'
#' The interval contains all sizes that the number of zeros (for PCSA the score) does not reject, so that it is valid even if few bits are 0. The interval of a full sketch
#' goes from a finite bound to `Inf`.
#'
#' Intersections, differences and Jaccard indices of sketches are functions of the sizes \eqn{\hat n_S} of all unions \eqn{S}. An intersection is
#' \eqn{\sum_S (-1)^{|S| + 1} \hat n_S}{sum (-1)^(|S| + 1) n-hat_S}, a difference is the size of all sketches less that of all but the first. The covariance of two unions has two parts.
#' With \eqn{Z_S} zeros of union \eqn{S}, \eqn{\rho_S = -\log(Z_S/m)}{rho_S = -log(Z_S/m)}, \eqn{I = S \cap T}{I = S and T} and \eqn{U = S \cup T}{U = S or T}, that of \eqn{Z_S} and \eqn{Z_T} is
#' \deqn{\sum_{R \subset I, R \ne I} \prod_{i \in I \setminus R} v_i\, Z_{(S \triangle T) \cup R} + m\left(e^{-\rho_U} - (1 + \rho_{both}) e^{-\rho_S - \rho_T}\right),}{sum over
#'   R strictly within I of prod of v_i over I without R,
#'   times Z of (S xor T) with R,
#'   + m (exp(-rho_U) - (1 + rho_both) exp(-rho_S - rho_T)),}
#' with \eqn{v_i} as in [rr_extreme()] and \eqn{\rho_{both} = \rho_S + \rho_T - \rho_U}{rho_both = rho_S + rho_T - rho_U}, at least 0. The first part is noise, the second hashing. PCSA sketches add up their levels.
#' The intervals are Wald's, cut at 0. They need at most 10 sketches, none of whose unions is full. With `cumulative = TRUE`, `vcov()` has the covariances.
#'
#' @param sets The reported sets:
#'   * a matrix or data frame of 0 and 1 (or `TRUE` and `FALSE`), elements in rows, sets in columns;
#'   * a list of vectors of the elements that each set *reports*, with `universe`;
#'   * a tally of [bit_tallies] (not for differences);
#'   * a sketch of [rr_sketch()], or a list of sketches with the same settings and key.
#' @param flip Probability, not 1/2, that a membership was reported wrongly: one number, one for each set (names are matched), or a matrix with one for each element and set. Left
#'   out for a tally and for sketches, unless with `plan = TRUE`.
#' @param what `"union"` (default), `"intersection"`, `"difference"` or `"jaccard"` (with Wald's intervals).
#' @param universe For a list of sets: the labels of all elements, or their number if sets hold numbers from 1 on.
#' @param conf.level Number, default 0.95. Confidence level.
#' @param interval `"wald"` (default) or `"exact"`.
#' @param cumulative Logical, default `FALSE`. Estimate after the first set, after the first two, and so on? `plot()` draws this.
#' @param plan Logical, default `FALSE`. Are `sets` the true ones, or sketches without noise, before any report? Then sizes are the true ones, with the standard errors and Wald intervals that reports
#'   with this `flip` will have.
#' @param ... Must be empty.
#' @return An object of class `rr_set_size`, with the methods of [estimate_methods]. `tidy()` returns `term`, `sets` (how many), `estimate`, `std.error`, `std.error.max` and, with `conf.int = TRUE`, `conf.low` and
#'   `conf.high`. Estimates are unbiased and not clipped: they may be negative or above the universe.
#' @section Errors:
#' As in [bit_tallies], and:
#'
#' * `candor_error_level`: an element outside the universe. `candor_error_mismatch`: sketches with different settings or keys.
#' * `candor_error_no_information`: so many noisy sketches that a bit's variance exceeds \eqn{10^{260}}; for an intersection, difference or Jaccard index, sketches so full that the zeros
#'   of a union are within three standard errors of 0.
#' * Warnings: `candor_warning_variance`, too much noise; `candor_warning_ratio`, the denominator of a Jaccard index is within two standard errors of 0;
#'   `candor_warning_saturated`, no bit of the union is 0 and the estimate is `Inf`.
#' @seealso [rr_incidence()] for elements in exactly, or at least, t sets; [rr_sketch()]; `vignette("counting", package = "candor")`.
#' @references Hehir, J. (2023). Easier estimation of extremes under randomized response, section 1 and Theorems 1 and 3. arXiv:2306.09394
#'
#'   Chernoff, H. (1952). A measure of asymptotic efficiency for tests of a hypothesis based on the sum of
#'   observations. *Annals of Mathematical Statistics* 23(4), 493-507. \doi{10.1214/aoms/1177729330}
#'
#'   Swamidass, S. J. and Baldi, P. (2007). Mathematical correction for fingerprint similarity measures to improve
#'   chemical retrieval. *Journal of Chemical Information and Modeling* 47(3), 952-964. \doi{10.1021/ci600526a} (Bloom filters)
#'
#'   Whang, K.-Y., Vander-Zanden, B. T. and Taylor, H. M. (1990). A linear-time probabilistic counting algorithm for database
#'   applications. *ACM Transactions on Database Systems* 15(2), 208-229. \doi{10.1145/78922.78925} (hashing)
#' @concept set size
#' @concept union
#' @concept intersection
#' @concept cardinality
#' @concept distinct count
#' @concept Jaccard index
#' @concept Stanojevic
#' @concept Kreuter
#' @examples
#' # How many of 500 patients were seen by any of three clinics, if
#' # memberships have 10% of noise?
#' set.seed(1)
#' seen <- cbind(north = 1:500 %in% 1:200,
#'               west = 1:500 %in% 151:300,
#'               south = 1:500 %in% 181:260)
#' reports <- xor(seen, runif(1500) < 0.1)
#' rr_set_size(reports, flip = 0.1)                        # 317, truth 300
#' rr_set_size(reports, flip = 0.1, "intersection")        # 23, truth 20
#' rr_set_size(reports[, 1:2], flip = 0.1, "difference")   # 154, truth 150
#' rr_set_size(reports[, 1:2], flip = 0.1, "jaccard")      # 0.163, truth 1/6
#'
#' # How precise will the union be, if each report has this noise?
#' rr_set_size(seen, flip = 0.1, plan = TRUE)   # 300, standard error 11.6
#'
#' # Sketches of what two of them saw
#' published <- lapply(list(1:200, 151:300), rr_sketch, "linear",
#'                     bits = 1024, flip = 0.02, rng = "R")
#' rr_set_size(published, what = "intersection")   # 58, truth 50
#'
#' # As lists of what was reported
#' rr_set_size(list(c("a", "b"), c("b", "d")), flip = 0.05,
#'             universe = letters[1:6])
#' @export
rr_set_size <- function(
  sets,
  flip = NULL,
  what = c("union", "intersection", "difference", "jaccard"),
  universe = NULL,
  conf.level = 0.95,
  interval = c("wald", "exact"),
  cumulative = FALSE,
  plan = FALSE,
  ...
) {
  check_dots_empty(...)
  what <- check_choice(what)
  interval <- check_choice(interval)
  conf.level <- check_conf_level(conf.level)
  plan <- check_flag(plan, "plan")
  if (inherits(sets, "rr_sketch")) sets <- list(sets)
  is_sketches <- is.list(sets) && length(sets) && inherits(sets[[1]], "rr_sketch")
  has_no_exact <- plan || what == "jaccard" || (is_sketches && what != "union")
  if (interval == "exact" && has_no_exact) {
    abort("A plan, a Jaccard index and sketches have no {.val exact} interval.")
  }
  if (is_sketches) return(sketch_size(sets, flip, what, conf.level, cumulative, plan))
  data <- read_sets(sets, flip, universe)
  if (is.null(data$bits) && (cumulative || plan || what == "difference")) {
    abort("{.arg sets} must hold the sets apart, and is a tally, which has added them up.")
  }
  data$plan <- plan
  table <- do.call(
    rbind,
    lapply(if (cumulative) seq_len(data$n) else data$n, function(k) {
      size_row(what, first_sets(data, k), conf.level, interval)
    })
  )
  last <- table[nrow(table), ]
  if (what != "jaccard") warn_variance(last$std.error.max^2, estimated = !is.na(last$std.error))
  new_rr_set_size(
    table,
    paste0(
      if (plan) "Plan: ", set_titles[[what]], " ", number_of(data$n, "noisy set")
    ),
    number_of(data$m, "element"),
    data$m,
    data$flip,
    conf.level,
    c(wald = "Wald", exact = "exact")[[interval]]
  )
}

set_titles <- c(
  union = "Size of the union of",
  intersection = "Size of the intersection of",
  difference = "In the first and none of the others of",
  jaccard = "Jaccard index of"
)

size_row <- function(what, data, conf.level, interval) {
  totals <- set_totals(data, if (what == "difference") seq_len(data$n) > 1)
  # A difference is an intersection with complements.
  kind <- if (what == "union") "union" else "intersection"
  estimate <- totals[[kind]]
  variance <- totals[[paste0(kind, "_variance")]]
  largest <- sqrt(totals$bound)
  if (what == "jaccard") {
    ratio <- estimate / totals$union
    # Var(I - J U) / U^2, to first order; it may be negative like its parts.
    variance <- (variance - 2 * ratio * totals$covariance + ratio^2 * totals$union_variance) /
      totals$union^2
    error <- if (totals$union_variance < 0) largest else sqrt(totals$union_variance)
    warn_ratio(totals$union, error)
    estimate <- ratio
    largest <- largest * (1 + abs(ratio)) / abs(totals$union)
  }
  error <- sqrt_or_na(variance)
  bounds <- if (interval == "exact") {
    exact_size(kind, estimate, data, conf.level)
  } else {
    normal_interval(
      estimate, normal_quantile(conf.level) * ifelse(is.na(error), largest, error), 0,
      if (what == "jaccard") 1 else data$m
    )
  }
  data.frame(
    term = what,
    sets = data$n,
    estimate = estimate,
    std.error = error,
    std.error.max = largest,
    conf.low = bounds[[1]],
    conf.high = bounds[[2]]
  )
}

# Totals of the kernels. `invert` marks sets whose complement is meant.
set_totals <- function(data, invert = NULL) {
  if (!is.null(data$bits)) {
    flips <- if (length(data$flip) == 1L) {
      rep(data$flip, data$n)
    } else {
      data$flip
    }
    result <- .Call(
      C_rr_cardinality, data$bits, data$m, data$n, flips, is.matrix(flips), invert
    )
    totals <- check_kernel(result, data$bits, flips, "sets")
    if (!isTRUE(data$plan)) return(totals)
    true <- true_totals(data$bits, flips, invert)
    return(replace(totals, names(true), true))
  }
  tally <- data$tally
  if (is.null(tally$state)) {
    histogram <- tabulate(tally$ones + 1, tally$n + 1)
    return(.Call(C_rr_cardinality_histogram, as.double(histogram), tally$flip))
  }
  any <- tally_value(tally, "any")
  all <- tally_value(tally, "all")
  list(
    elements = data$m,
    union = sum(any$estimate),
    union_variance = sum(any$variance),
    intersection = sum(all$estimate),
    intersection_variance = sum(all$variance),
    covariance = sum(all$estimate * (any$estimate - 1)),
    bound = sum(any$bound)
  )
}

# The totals that differ if the bits are the true ones: sizes, and exact variances of their
# estimates from reports (Hehir, Theorem 3).
true_totals <- function(bits, flips, invert) {
  x <- bits == 1
  if (!is.null(invert)) x[, invert] <- !x[, invert]
  v <- matrix(
    flip_variance(flips), nrow(x), ncol(x), byrow = !is.matrix(flips)
  )
  any <- rowSums(x) > 0
  all <- rowSums(x) == ncol(x)
  list(
    union = as.double(sum(any)),
    union_variance = sum(exp(rowSums(log(1 - x + v))) - !any),
    intersection = as.double(sum(all)),
    intersection_variance = sum(exp(rowSums(log(x + v))) - all)
  )
}

first_sets <- function(data, k) {
  if (is.null(data$bits)) return(data)
  first <- function(x) {
    if (!is.matrix(x)) return(head(x, k))
    x[, seq_len(k), drop = FALSE]
  }
  replace(
    data, c("bits", "n", "flip"),
    list(first(data$bits), k, first(data$flip))
  )
}

# Reported sets in any of their forms: list(bits or tally, m, n, flip).
read_sets <- function(sets, flip, universe = NULL) {
  if (inherits(sets, "rr_bit_tally")) {
    check_tally_flip(sets, flip)
    return(list(
      tally = sets,
      m = length(sets$ones),
      n = sets$n,
      flip = sets$flip
    ))
  }
  if (is.list(sets) && !is.data.frame(sets)) sets <- list_to_bits(sets, universe)
  bits <- check_bits(sets, "sets")
  check_that(
    is.matrix(bits), sets, "sets",
    "a matrix (elements in rows, sets in columns), a list of sets, or a tally"
  )
  m <- nrow(bits)
  n <- ncol(bits)
  list(
    bits = bits,
    m = m,
    n = n,
    flip = check_flip(flip, m, n, colnames(bits))
  )
}

list_to_bits <- function(sets, universe) {
  if (!length(sets)) abort("{.arg sets} holds no sets.", "empty")
  if (is.numeric(universe) && length(universe) == 1L) {
    universe <- seq_len(check_count(universe, "universe", min = 1, max = .Machine$integer.max))
  }
  check_that(
    is.atomic(universe) && length(universe) && !anyNA(universe) && !anyDuplicated(universe),
    universe, "universe", "all elements, each once, or their number, for a list of sets"
  )
  bits <- matrix(
    0L, length(universe), length(sets), dimnames = list(NULL, names(sets))
  )
  for (j in seq_along(sets)) {
    index <- match(sets[[j]], universe)
    if (anyNA(index)) abort("Sets must lie in the universe: set {j} does not.", "level")
    bits[index, j] <- 1L
  }
  bits
}

# ---- estimated sizes: one row an estimate ----

new_rr_set_size <- function(
  table, title, subject, n, flip, conf.level, interval, covariance = NULL
) {
  structure(
    list(
      table = table,
      title = title,
      subject = subject,
      n = n,
      flip = flip,
      conf.level = conf.level,
      interval = interval,
      covariance = covariance
    ),
    class = c("rr_set_size", "rr_estimates")
  )
}

rows_of.rr_set_size <- function(x) {
  as_tibble(x$table[setdiff(names(x$table), c("conf.low", "conf.high"))])
}

bounds_of.rr_set_size <- function(x, rows, level) {
  check_interval_level(level, x$conf.level)
  list(low = x$table$conf.low, high = x$table$conf.high)
}

labels_of.rr_set_size <- function(x) {
  if (nrow(x$table) > 1) {
    paste0(x$table$term, ".", x$table$sets)
  } else {
    x$table$term
  }
}

title_of.rr_set_size <- function(x) {
  c(
    paste0(x$title, ", ", x$subject),
    paste0("  flip ", format_flips(x$flip), "; intervals: ", x$interval)
  )
}

printed_table.rr_set_size <- function(x, n) x$table[names(x$table) != "term"]

#' @rdname rr_set_size
#' @param object An object of `rr_set_size()`, best with `cumulative = TRUE`.
#' @param truth For `autoplot()`: the true sizes of a simulation, one number per row of the estimate, drawn as a line.
#' @method autoplot rr_set_size
#' @rawNamespace S3method(ggplot2::autoplot,rr_set_size)
autoplot.rr_set_size <- function(object, truth = NULL, ...) {
  data <- object$table
  alone <- nrow(data) == 1L
  picture <- picture_of_sizes(
    data, object$title, "Sets", "Elements", sprintf("%s, flip", object$subject), object$flip,
    sprintf(
      "Points: estimates. Bars: %s%% %s intervals.%s", format(100 * object$conf.level),
      object$interval, if (is.null(truth)) "" else " Dashed: truth."
    )
  ) + ggplot2::scale_y_continuous(labels = format_count) + (if (alone) {
      ggplot2::scale_x_continuous(breaks = data$sets, limits = data$sets + c(-1, 1))
    } else {
      ggplot2::scale_x_continuous(breaks = whole_breaks)
    })
  if (is.null(truth)) return(picture)
  check_that(
    is.numeric(truth) && length(truth) == nrow(data), truth, "truth", "one size for each estimate"
  )
  picture +
    ggplot2::geom_line(ggplot2::aes(y = as.double(truth)), colour = "grey55", linetype = "dashed")
}

# Estimates and their intervals over the number of sets.
picture_of_sizes <- function(data, title, x, y, subject, flip, caption) {
  check_installed("ggplot2", "to draw an estimated size")
  ggplot2::ggplot(data, ggplot2::aes(.data$sets, .data$estimate)) + ggplot2::geom_errorbar(
    ggplot2::aes(ymin = .data$conf.low, ymax = .data$conf.high),
    data[!is.na(data$conf.low), ], colour = colour_estimate, width = 0.25
  ) + ggplot2::geom_point(colour = colour_estimate, size = 1.6) + ggplot2::labs(
      title = title, x = x, y = y,
      subtitle = wrap_text(paste(subject, format_flips(flip)), 64), caption = wrap_text(caption)
    ) + theme_candor()
}

# ---- intervals of guaranteed coverage ----

# A size u is kept while neither tail of the estimate's distribution under it, at the least
# favourable membership patterns, is surely below (1 - level) / 2.
exact_size <- function(what, estimate, data, level) {
  if (!is.null(data$tally$state) || is.matrix(data$flip) ||
      (length(data$flip) > 1L && data$n > 8)) {
    abort(
      "{.code interval = \"exact\"} needs one flip for all sets, or one for each of at most 8 sets."
    )
  }
  if (data$n == 1) return(exact_one_set(data, level))
  chernoff_size(
    estimate, data$m, pattern_law(what, data$n, data$flip),
    (1 - level) / 2
  )
}

# One set: S ~ Bin(t, 1 - q) + Bin(m - t, q) increases stochastically in t when q < 1/2, so t is
# found by bisection.
exact_one_set <- function(data, level) {
  q <- data$flip
  m <- data$m
  s <- if (is.null(data$bits)) {
    sum(data$tally$ones)
  } else {
    sum(data$bits)
  }
  if (q > 0.5) {
    q <- 1 - q
    s <- m - s
  }
  # P(S >= s), or P(S <= s), from binomial terms: those beyond 40 standard deviations, of which each
  # is at most sqrt(t) / 2, are below 1e-300.
  tail <- function(t, upper) {
    reach <- 20 * sqrt(t) + 40
    j <- seq(
      max(0, floor(t * (1 - q) - reach)),
      min(t, ceiling(t * (1 - q) + reach))
    )
    sum(
      dbinom(j, t, 1 - q) *
        pbinom(s - j - upper, m - t, q, lower.tail = !upper)
    )
  }
  alpha <- (1 - level) / 2
  c(
    least_size(function(t) tail(t, TRUE) > alpha, m),
    m - least_size(function(t) tail(m - t, FALSE) > alpha, m)
  )
}

# The least t in 0..m at which an increasing condition holds.
least_size <- function(holds, m) {
  low <- 0
  high <- m
  while (low < high) {
    middle <- floor((low + high) / 2)
    if (holds(middle)) high <- middle else low <- middle + 1
  }
  low
}

# The values y of an element's estimate, and its distribution under every membership pattern: `out`
# for elements that do not count, `inside` for those that do, one pattern a row.
pattern_law <- function(what, n, flip) {
  if (length(flip) == 1L) {
    channel <- .Call(C_rr_incidence_channel, n, flip, FALSE)
    reports <- tally_ones(0:n, n, flip)
  } else {
    patterns <- as.matrix(expand.grid(rep(list(0:1), n)))
    channel <- pattern_channel(flip)
    reports <- bit_tally(patterns, flip)
  }
  kind <- if (what == "union") "any" else "all"
  index <- seq_len(nrow(channel))
  counts <- if (what == "union") index > 1 else index == nrow(channel)
  list(
    y = tally_value(reports, kind)$estimate,
    out = channel[!counts, , drop = FALSE],
    inside = channel[counts, , drop = FALSE]
  )
}

# log E exp(lambda Y) at the pattern that makes it largest, for each lambda.
largest_log_mgf <- function(lambda, y, law) {
  powers <- outer(y, lambda)
  top <- apply(powers, 2, max)
  mean <- law %*% exp(powers - rep(top, each = length(y)))
  top + log(pmax(apply(mean, 2, max), 1e-300))
}

# P(T >= t) <= exp(-lambda t + (m - u) a + u b) for every lambda > 0, with a and b the log moment
# generating functions outside and inside. It is below alpha for all u under (log(alpha) + lambda t
# - m a) / (b - a), whichever lambda: take the best.
chernoff_size <- function(estimate, m, patterns, alpha) {
  excluded <- function(lambda) {
    a <- largest_log_mgf(lambda, patterns$y, patterns$out)
    b <- largest_log_mgf(lambda, patterns$y, patterns$inside)
    # If the difference has the other sign, lambda excludes sizes on the wrong side, and is of no
    # use.
    ifelse(
      sign(lambda) * (b - a) > 0,
      (log(alpha) + lambda * estimate - m * a) / (b - a),
      -sign(lambda) * Inf
    )
  }
  # The best lambda is of the order of the quantile over the standard deviation.
  sd <- sqrt(
    m *
      max(patterns$out %*% patterns$y^2, patterns$inside %*% patterns$y^2, 1e-12)
  )
  grid <- exp(seq(log(1e-3), log(1e4), length.out = 160)) / sd
  best <- function(side) {
    bounds <- excluded(side * grid)
    best_index <- which.max(side * bounds)
    fine <- excluded(
      side * exp(
        seq(
          log(grid[max(best_index - 1, 1)]),
          log(grid[min(best_index + 1, length(grid))]), length.out = 80
        )
      )
    )
    side * max(side * c(bounds, fine))
  }
  # Sizes are whole numbers.
  low <- ceiling(best(1) - 1e-9)
  high <- floor(best(-1) + 1e-9)
  clamp(c(low, high), 0, m)
}

# The sizes of sketches. Functions of several unions need the covariance of all unions, and so at
# most ten sketches.
sketch_size <- function(sketches, flip, what, conf.level, cumulative, plan) {
  sketches <- check_sketches(sketches, if (!plan) flip)
  flip <- sketch_flips(sketches, flip, plan)
  n <- length(flip)
  n_sets <- if (cumulative) seq_len(n) else n
  is_union <- what == "union" && !plan
  if (n > 10 && !is_union) abort("{.arg sets} must be at most 10 sketches, unless for their union.")
  settings <- sketches[[1]]$settings
  unions <- if (n <= 10 && (cumulative || !is_union)) {
    counts <- sketch_patterns(sketches)
    sketch_unions(if (plan) expected_patterns(counts, flip) else counts, flip, settings)
  }
  result <- if (is_union) {
    union_rows(sketches, n_sets, flip, unions, conf.level)
  } else {
    union_functions(what, n_sets, flip, unions, conf.level)
  }
  title <- if (what == "union") "Different items in" else set_titles[[what]]
  new_rr_set_size(
    result$table,
    paste0(if (plan) "Plan: ", title, " ", number_of(n, "sketch", "es")),
    format_settings(sketches[[1]]),
    n,
    flip,
    conf.level,
    if (is_union) "all sizes that are not rejected" else "Wald",
    result$covariance
  )
}

# The flip of each sketch: that of its report, or the one planned if it is without noise.
sketch_flips <- function(sketches, flip, plan) {
  flips <- vapply(sketches, `[[`, 1, "flip")
  if (plan) {
    if (any(flips != 0)) abort("{.arg sets} must be sketches without noise for a plan.")
    flips <- rep_len(check_flip(flip, 1, length(flips)), length(flips))
  }
  if (sum(log1p(flip_variance(flips))) > 600) {
    abort("The sizes of so many noisy sketches cannot be estimated.", "no_information")
  }
  flips
}

# Rows of unions of the first `n_sets` sketches each: list(table, covariance).
union_rows <- function(sketches, n_sets, flip, unions, conf.level) {
  estimate <- if (sketches[[1]]$type == "pcsa") pcsa_size else bloom_size
  bits <- vapply(sketches, `[[`, sketches[[1]]$bits, "bits")
  rows <- lapply(n_sets, function(k) {
    first <- bits[, seq_len(k), drop = FALSE]
    row <- estimate(
      first, flip[seq_len(k)], sketches[[1]]$settings, normal_quantile(conf.level)
    )
    data.frame(term = "items", sets = k, row)
  })
  table <- do.call(rbind, rows)
  index <- 2^n_sets - 1
  covariance <- unions$covariance[index, index]
  if (!is.null(covariance)) diag(covariance) <- table$std.error^2
  list(table = table, covariance = covariance)
}

bloom_size <- function(bits, flip, settings, z) {
  m <- settings[["bits"]]
  h <- settings[["hashes"]]
  totals <- set_totals(
    list(bits = bits, m = m, n = ncol(bits), flip = flip)
  )
  zeros <- m - totals$union
  n_items <- function(zeros) {
    if (zeros > 0) {
      log(zeros / m) / (h * log1p(-1 / m))
    } else {
      Inf
    }
  }
  if (!(zeros > 0)) warn_saturated()
  noise <- if (totals$union_variance > 0) totals$union_variance else totals$bound
  # The share of `mean` that hashing adds to the variance of the number of zero bits: 1 as in a
  # Poisson variable if the mean is small, less if it is not.
  hashing_variance <- function(mean) {
    empty <- max(mean / m, 1e-300)
    max(1 - empty * (1 - log(empty)), 0)
  }
  likely_zeros <- clamp(zeros, 0, m)
  std_error <- sqrt(noise + likely_zeros * hashing_variance(likely_zeros))
  # One end of the means that the zeros do not refute, each with its own variance: at 0 zeros the
  # variance of 0 would be wrong. Zeros that no union can have are taken for the nearest possible
  # number, which only widens. The correction by half a count for whole numbers widens too.
  limit <- function(side) {
    excess <- function(mean) {
      side * (mean - likely_zeros) - hashing_variance(mean) / 2 -
        z * sqrt(noise + mean * hashing_variance(mean))
    }
    end <- if (side > 0) m else m * 1e-300
    if (excess(end) <= 0) return(if (side > 0) m else 0)
    uniroot(
      excess, sort(c(max(likely_zeros, m * 1e-300), end)), tol = 1e-12 * m
    )$root
  }
  list(
    estimate = n_items(zeros),
    std.error = if (zeros > 0) std_error * m / (h * zeros) else NA_real_,
    conf.low = max(n_items(limit(1)), 0),
    conf.high = max(n_items(limit(-1)), 0)
  )
}

pcsa_size <- function(bits, flip, settings, z) {
  zeros <- level_zeros(bits, flip, settings[["buckets"]], settings[["levels"]])
  fit <- pcsa_fit(zeros, flip, settings)
  n <- fit$size
  # The score in units of its standard deviation. The number of items is fixed, which takes n I^2
  # from the information I. `half` corrects for whole numbers, since the last level has few zeros.
  scaled <- function(log_n, corrected, state = fit$moments(log_n)) {
    (fit$score(log_n, state) + corrected * state$half) /
      sqrt(state$information * pmax(1 - exp(log_n) * state$information, 1e-12))
  }
  information <- fit$at_size$information
  std_error <- if (is.infinite(n)) NA_real_ else sqrt(max(1 / information - n, 1e-6))
  bounds <- unrefuted_range(scaled, fit$root_between, fit$state, fit$grid, fit$peak, z)
  if (is.infinite(n)) warn_saturated()
  list(estimate = n, std.error = std_error, conf.low = bounds[1], conf.high = bounds[2])
}

# The lowest and the highest number of items that the score does not refute: every smaller (or
# larger) number is refuted too, since the score need not be monotone. Noise can refute every
# number. Then the limit is as much higher as the nearest number is refuted.
unrefuted_range <- function(scaled, root_between, state, grid, peak, z) {
  last <- length(grid)
  left <- scaled(grid, -1, state)
  right <- scaled(grid, 1, state)
  min_left <- z + if (peak == last) max(left[last], 0) else 0
  max_right <- z + if (peak == 0) max(-right[1], 0) else 0
  first <- min(which(left <= min_left))
  final <- max(which(right >= -max_right))
  low <- if (first == 1) {
    0
  } else {
    root_between(function(x) scaled(x, -1) - min_left, first - 1)
  }
  high <- if (final == last) {
    Inf
  } else {
    root_between(function(x) scaled(x, 1) + max_right, final)
  }
  c(low, high)
}

# The unbiased number of bits that are 0 in all sketches, at each level.
level_zeros <- function(bits, flip, buckets, levels) {
  buckets - vapply(
    seq_len(levels),
    function(l) {
      rows <- bits[(l - 1) * buckets + seq_len(buckets), , drop = FALSE]
      set_totals(list(bits = rows, m = buckets, n = ncol(bits), flip = flip))$union
    },
    1
  )
}
