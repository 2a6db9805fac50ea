# One cell of a study has its reports, the estimates from them, and the errors of the estimates.
# rr_study() and rr_choose_method() share this code.

# ---- reports ----

# The reports of replications first + 0, 1, ... of a cell: one column each.
study_counts <- function(
  mechanism, theta, truth, n, seed, cell, first, replications, law = rr_law(mechanism)
) {
  draw <- function(
    theta, truth, n, cell, a = 1, b = 0, odds = Inf
  ) {
    .Call(
      C_rr_study_counts, theta, truth, n, as.double(a), as.double(b), odds, seed, cell,
      first, replications
    )
  }
  k <- length(mechanism$levels)
  if (law_gives(law, "additive")) {
    return(draw(
      theta, truth, n, cell, law$a, law$b, law$odds
    ))
  }
  if (law$by_information) {
    # Reports of any finite channel are multinomial; for fixed truths they are one multinomial a
    # truth.
    multinomial <- function(shares, n, cell) {
      draw(shares / sum(shares), NULL, n, cell)
    }
    if (is.null(truth)) {
      return(multinomial(pmax(law_expected(law, theta), 0), n, cell))
    }
    rows <- rr_matrix(mechanism)
    counts <- lapply(which(truth > 0), function(x) {
      multinomial(rows[x, ], truth[x], cell + 2^32 * x)
    })
    return(Reduce(`+`, counts))
  }
  # Any other law: the truths are drawn here, and the mechanism draws their counts from R's
  # generator. The generator gets a seed from the number of each replication and is restored
  # afterwards.
  truths <- if (is.null(truth)) draw(theta, NULL, n, cell)
  vapply(seq_len(replications), function(r) {
    keep_generator(name_stream(seed, cell, first + r), {
      as.double(simulate_counts(mechanism, if (is.null(truth)) truths[, r] else truth, 1))
    })
  }, numeric(length(mechanism$reports)))
}

# A seed for set.seed(), by Lehmer's multiplier, which no product of doubles rounds.
name_stream <- function(...) {
  modulus <- 2^31 - 1
  Reduce(
    function(x, y) (((x + y %% modulus) %% modulus) * 48271) %% modulus,
    c(...), 1
  )
}

keep_generator <- function(seed, code) {
  before <- globalenv()$.Random.seed
  kinds <- RNGkind()
  on.exit({
    do.call(RNGkind, as.list(kinds))
    if (is.null(before)) rm(".Random.seed", envir = globalenv())
    else assign(".Random.seed", before, envir = globalenv())
  })
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  code
}

# ---- estimates ----

# The estimate of any method: a name, a method object, or a user's function.
study_estimate <- function(mechanism, counts, method, n, name, truth = NULL) {
  if (identical(method, "oracle")) return(study_oracle(mechanism, truth, counts, n))
  if (!is.function(method)) return(estimate_counts(mechanism, counts, method, n)$estimate)
  estimate <- method(counts, mechanism)
  check_returned(estimate, length(mechanism$levels), name)
  as.double(estimate)
}

# ---- the judge ----

# The losses (mse, tv, nll) of one method on many tallies, a column each, and the sums of its errors
# over groups of tallies, numbered from 0. C computes the estimates of the four kernels itself;
# study.h says why.
judge_tallies <- function(mechanism, law, theta, counts, n, method, name, group) {
  kernel <- if (is.character(method)) {
    c(inv = 0L, invn = 1L, invp = 2L, mle = 3L)[method]
  } else {
    NA
  }
  additive <- law_gives(law, "additive")
  if (!is.na(kernel) && additive) {
    return(.Call(
      C_rr_study_judge, kernel[[1]], theta, counts, n, NULL, as.double(law$a),
      as.double(law$b), law$odds, group
    ))
  }
  estimates <- vapply(
    seq_len(ncol(counts)),
    function(r) study_estimate(mechanism, counts[, r], method, n, name, theta),
    numeric(length(mechanism$levels))
  )
  # The probabilities of the reports are b sum(x) + a x. Counts of other laws have no likelihood.
  x <- if (additive) estimates
    else if (law$by_information) apply(estimates, 2, function(x) law_expected(law, x))
  .Call(
    C_rr_study_judge, estimates, theta, counts, n, x,
    if (additive) as.double(law$a) else 1,
    if (additive) as.double(law$b) else 0, Inf, group
  )
}

# The risks of methods over the replications of one cell: `estimate` and `error`, matrices of
# metrics by methods, and the `losses` of each replication.
judge_methods <- function(mechanism, theta, truth, n, methods, replications, seed, cell) {
  reference <- if (is.null(truth)) theta else truth / n
  law <- rr_law(mechanism)
  # The jackknife leaves out one group of replications after another.
  groups <- min(replications, 10)
  group <- floor((seq_len(replications) - 1) * groups / replications) + 1
  losses <- lapply(methods, function(method) matrix(NA_real_, 3, replications))
  sums <- lapply(methods, function(method) matrix(0, length(theta), groups))
  size <- max(length(mechanism$levels), length(mechanism$reports))
  for (block in chunks(replications, size)) {
    counts <- study_counts(
      mechanism, theta, truth, n, seed, cell, block[1], block[2], law
    )
    columns <- block[1] + seq_len(block[2])
    group_index <- group[columns[1]]:group[columns[length(columns)]]
    position <- as.integer(group[columns] - group_index[1])
    for (m in seq_along(methods)) {
      tallies <- judge_tallies(
        mechanism, law, reference, counts, n, methods[[m]], names(methods)[m],
        position
      )
      losses[[m]][, columns] <- tallies$losses
      sums[[m]][, group_index] <- sums[[m]][, group_index] + tallies$sums
    }
  }
  risks <- Map(summed_risks, losses, sums, list(group))
  table <- function(what) {
    matrix(
      unlist(lapply(risks, `[[`, what)), length(study_metrics),
      dimnames = list(study_metrics, names(methods))
    )
  }
  list(estimate = table("estimate"), error = table("error"), losses = losses)
}

# Means of the losses with standard errors, and bias and variance with the jackknife over groups of
# replications.
summed_risks <- function(losses, sums, group) {
  groups <- ncol(sums)
  replications <- ncol(losses)
  products <- crossprod(sums)
  squares <- as.vector(rowsum(losses[1, ], group))
  total <- split_error(replications, sum(products), sum(squares))
  left_out <- split_error(
    replications - tabulate(group, groups),
    sum(products) - 2 * rowSums(products) + diag(products), sum(squares) - squares
  )
  jackknife <- if (groups > 1) {
    sqrt((groups - 1) / groups * rowSums((left_out - rowMeans(left_out))^2))
  } else {
    c(NA, NA)
  }
  error <- sqrt(
    rowSums((losses - rowMeans(losses))^2) / (replications - 1) / replications
  )
  list(estimate = c(rowMeans(losses), total), error = c(error, jackknife))
}

study_metrics <- c("mse", "tv", "nll", "bias2", "variance")

# Unbiased squared bias and variance, summed over categories, from so many replications whose errors
# add up to a vector of squared length `length2` and whose squared errors add up to `squares`.
split_error <- function(replications, length2, squares) {
  variance <- (squares - length2 / replications) / (replications - 1)
  variance[replications < 2] <- NA
  rbind(length2 / replications^2 - variance / replications, variance, deparse.level = 0)
}

# ---- the oracle ----

# The posterior mean of each share if the shares are known, but not which category has which share.
# No estimator that treats each count by itself does better on average. If there are few categories,
# or shares that are exactly equal, the oracle has much information that no real estimator can have.
#
# It shows in a picture what is possible. It is not a method of rr_estimate(), because it needs the
# truth.
study_oracle <- function(mechanism, theta, counts, n) {
  additive <- alike_law(rr_law(mechanism))
  if (is.null(additive) || additive$reversed) {
    refuse_law(rr_law(mechanism), "alike", "{.val oracle}")
  }
  share <- sort(unique(theta))
  categories <- tabulate(match(theta, share))
  # If there are many shares, those that differ by less than a fiftieth of a standard deviation of
  # their counts are one.
  if (length(share) > 1500) {
    bin <- floor(100 * sqrt(n * (additive$b + additive$a * share)))
    bin <- match(bin, unique(bin))
    total <- rowsum(categories * share, bin)[, 1]
    categories <- rowsum(categories, bin)[, 1]
    share <- total / categories
  }
  rows <- eb_rows(counts, n, additive)
  m <- additive$b + additive$a * share
  log_other <- log1p(-pmin(m, 1 - 1e-16))
  posterior <- unlist(
    lapply(
      split(rows$count, (seq_along(rows$count) - 1) %/% 200),
      function(count) {
        likelihood <- outer(count, log(m)) + outer(n - count, log_other)
        likelihood[outer(count == 0, m == 0, `&`)] <- 0
        weight <- exp(likelihood - apply(likelihood, 1, max)) *
          rep(categories, each = length(count))
        drop(weight %*% share) / rowSums(weight)
      }
    ),
    use.names = FALSE
  )
  rows$expand(posterior)
}

draw_study_seed <- function() floor(runif(1) * 2^31)
