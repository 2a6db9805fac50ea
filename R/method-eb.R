# This file has the estimates of empirical Bayes. The core (estimate/eb.h) learns a prior from rows,
# categories that are alike, and gives each row its posterior; here the rows are made, and taken
# back to categories.

# Prior probabilities of the uniform distribution, power laws, two-level truths, and one category
# above a power law, for the numbers of categories at which they were chosen (rows), and
# interpolated between these. The odds of one heavy category against none matter most: among more
# categories, one more often stands out by chance. Up to a hundred categories need an explicit one:
# else a single category that holds half of all is taken for chance if reports barely show it. Among
# very few, shapes that are not even fit by chance. The numbers are those for which even truths lose
# little, and no truth of 20 categories and more loses much against maximum likelihood
# (inst/studies/eb.R).
eb_weights <- function(k) {
  weights <- rbind(
    "5" = c(0.6, 0.2, 0.04, 0.16),
    "20" = c(0.35, 0.15, 0.05, 0.45),
    "100" = c(0.4, 0.35, 0.1, 0.15),
    "1000" = c(0.75, 0.15, 0.1, 0),
    "10000" = c(0.85, 0.12, 0.03, 0)
  )
  between <- function(w) {
    approx(log(as.double(rownames(weights))), w, log(k), rule = 2)$y
  }
  apply(weights, 2, between) *
    c(1, 1, k / (k + 20), 1)
}

# The prior weights of one of two fits, whose hull is an interval. The second has prior weights that
# hardly favour the uniform distribution, since the first may be sure of it before the data
# (inst/studies/eb-uncertainty.R). If there is a reference the weights are those of the reference as
# it is, and of multiples of it.
eb_prior_weights <- function(k, wary, reference = FALSE) {
  if (reference) {
    return(if (wary) {
      c(0.01, 0.99, 0, 0)
    } else {
      c(0.4, 0.6, 0, 0)
    })
  }
  if (wary) c(0.01, 0.45, 0.29, 0.25) else eb_weights(k)
}

# The largest number of distinct counts. More are put in bins, since a large tally would else take
# seconds.
eb_max_rows <- 1000

# Prior odds of the free form against the average of shapes that it sharpens.
eb_free_odds <- 1

eb_options <- function(options, evidence) {
  loss <- check_choice(options$loss %||% "squared", "loss", c("squared", "absolute"))
  pool <- check_flag(options$pool %||% FALSE, "pool")
  ordered <- check_flag(options$ordered %||% FALSE, "ordered")
  reference <- options$reference
  chosen <- c("ordered", "reference", "pool")[c(ordered, !is.null(reference), pool)]
  if (length(chosen) > 1) abort("{.arg {chosen[1]}} and {.arg {chosen[2]}} exclude each other.")
  if (is.table(reference)) reference <- prop.table(reference)
  reference <- distribution_option(reference, "reference", evidence)
  if (any(reference <= 0)) abort("{.arg reference} must hold shares above 0.")
  if (ordered && !law_gives(evidence$law, "additive")) {
    refuse_law(evidence$law, "likelihood", "{.arg ordered}", "Give a {.arg reference}.")
  }
  list(loss = loss, pool = pool, ordered = ordered, reference = reference)
}

# list(a, b, binomial): the law as P(y) = b + a share, for each category or alike for all. Counts
# that add up are not binomial one by one.
eb_additive <- function(law) {
  c(law$binomial[c("a", "b")], list(binomial = !law$adds_up))
}

is_alike <- function(additive) {
  length(unique(additive$a)) == 1 && length(unique(additive$b)) == 1
}

# ---- rows ----

# The categories of one group as rows, in rising order of eb_begin(); `expand` takes values of the
# rows to the categories. A row of categories with equal a and b is a distinct count. If there are
# many, it is a bin of a tenth of a standard deviation, and values are interpolated between the
# means of bins.
eb_rows <- function(counts, n, additive) {
  k <- length(counts)
  if (!is_alike(additive) || length(n) > 1) {
    return(eb_rows_unlike(counts, n, additive, rep(1 / k, k)))
  }
  value <- sort(unique(counts))
  row <- match(counts, value)
  expand <- function(x) x[row]
  size <- tabulate(row, length(value))
  if (length(value) > eb_max_rows) {
    bin <- count_bins(value)
    total <- rowsum(size * value, bin)[, 1]
    size <- rowsum(as.double(size), bin)[, 1]
    knots <- unname(total / size)
    distinct <- value
    expand <- function(x) approx(knots, x, distinct, rule = 2)$y[row]
    value <- knots
  }
  rows <- length(value)
  list(
    count = as.double(value),
    categories = as.double(unname(size)),
    base = rep(n * additive$b[1], rows),
    slope = rep(n * additive$a[1] / k, rows),
    trials = if (isTRUE(additive$binomial)) rep(n, rows),
    share = rep(1 / k, rows),
    expand = expand
  )
}

# The bin of each count, about a twentieth of a standard deviation wide. The smallest and the
# largest count have bins of their own, so that all between is interpolated.
count_bins <- function(value) {
  bin <- floor(20 * sqrt(value + 0.375))
  bin[c(1, length(bin))] <- c(-1, Inf)
  cumsum(c(TRUE, diff(bin) != 0))
}

# The rows of categories that differ in the probability of an innocuous answer, in their expected
# share, or in the number of reports about them.
eb_rows_unlike <- function(counts, n, additive, share) {
  base <- n * rep_len(additive$b, length(counts))
  slope <- n * additive$a * share
  order <- order(eb_begin(counts, base, slope), counts, base, slope)
  columns <- list(
    count = counts[order],
    base = base[order],
    slope = slope[order]
  )
  if (additive$binomial) columns$trials <- rep_len(n, length(counts))[order]
  new <- c(
    TRUE, Reduce(`|`, lapply(columns, function(x) diff(x) != 0))
  )
  row <- cumsum(new)
  category_rows <- replace(order, order, row)
  c(
    lapply(columns, function(x) as.double(x[new])),
    list(
      categories = as.double(tabulate(row)),
      share = share[order][new],
      expand = function(x) x[category_rows]
    )
  )
}

# Does a category stand alone? It keeps the share of its reports; the others are adjusted to make up
# the total. (Sharing the difference with it by variance would be right for the right prior, but has
# twice the risk of maximum likelihood if the prior is a little wrong.)
eb_alone <- function(rows) {
  apart <- diff(2 * sqrt(rows$count + 0.375)) > 8
  alone <- c(TRUE, apart) & c(apart, TRUE) & rows$categories == 1 &
    rows$count > 30 & rows$count > rows$base + 8 * sqrt(rows$base)
  if (sum(rows$categories[!alone]) < 2) alone[] <- FALSE
  alone
}

# ---- the fit ----

# The results of one group, or of several that learn one prior: a list, one a group. `probs` are
# those of quantiles.
eb_fit <- function(groups, probs = double(), wary = FALSE) {
  k <- groups[[1]]$k
  additive <- eb_additive(groups[[1]]$law)
  rows <- lapply(groups, function(evidence) {
    observed <- binomial_counts(evidence$law, evidence)
    rows <- eb_rows(observed$counts, observed$n, additive)
    is_alone <- is_alike(additive) & length(observed$n) == 1 & eb_alone(rows)
    c(rows, list(tilt = ifelse(is_alone, 0, rows$share)))
  })
  call_eb(
    rows, rep(1, length(groups)), k, k,
    eb_prior_weights(k * length(groups), wary), 0, probs
  )
}

# The result of one group whose shares are multiples of a reference.
eb_fit_reference <- function(evidence, reference, probs = double(), wary = FALSE) {
  k <- evidence$k
  observed <- binomial_counts(evidence$law, evidence)
  counts <- observed$counts
  n <- rep_len(observed$n, k)
  additive <- lapply(eb_additive(evidence$law), rep_len, k)
  inv <- (counts / n - additive$b) / additive$a
  exact <- is_precise(counts, n, additive)
  remaining <- list(
    a = additive$a[!exact],
    b = additive$b[!exact],
    binomial = additive$binomial[1]
  )
  rows <- eb_rows_unlike(counts[!exact], n[!exact], remaining, reference[!exact])
  rows$tilt <- rows$share
  weights <- eb_prior_weights(k, wary, TRUE)
  total <- 1 - sum(inv[exact])
  results <- call_eb(list(rows), total, k, 1 / min(reference), weights, 0.03, probs)
  result <- results[[1]]
  # An exact category is as likely as the prior is dense where it lies.
  width <- sqrt(2 * pi * counts[exact]) /
    (n * additive$a * reference)[exact]
  density <- prior_density(result$prior, inv[exact] / reference[exact])
  result$loglik <- result$loglik + sum(log(pmax(density * width, 1e-300)))
  with_exact(result, exact, inv, counts / (n * additive$a)^2, probs)
}

# A result with the categories that were estimated exactly: their estimates `inv`, of this variance,
# are normal.
with_exact <- function(result, exact, inv, variance, probs) {
  k <- length(exact)
  fill_in <- function(x, values) replace(values, !exact, x)
  result$mean <- fill_in(result$mean, inv)
  result$variance <- fill_in(result$variance, variance)
  result$tilted <- fill_in(result$tilted, rep(FALSE, k))
  result$finest <- fill_in(result$finest, numeric(k))
  sd <- sqrt(result$variance)
  normal <- ifelse(is.na(probs), 0, qnorm(probs))
  result$quantile <- vapply(seq_along(probs), function(l) {
    fill_in(result$quantile[, l], inv + normal[l] * sd)
  }, numeric(k))
  result
}

# Is the share of a category so precise by its reports that it is not shrunk? The grid, whose steps
# of 0.03 are a little smaller than the bound of 0.045, need not resolve it. At least two categories
# are left for the grid.
is_precise <- function(counts, n, additive) {
  exact <- sqrt(counts) < 0.045 * (counts - n * additive$b)
  if (sum(!exact) < 2) exact[order(counts)[1:2]] <- FALSE
  exact
}

# The density of the prior at `x`: the mass of each atom is spread up to half-way to its neighbours.
prior_density <- function(prior, x) {
  edges <- c(
    0,
    (prior$x[-1] + prior$x[-nrow(prior)]) / 2,
    max(prior$x)
  )
  (prior$mass / diff(edges))[findInterval(x, edges, all.inside = TRUE)]
}

# The results of all groups, whose rows are one call of the core, in shares of their categories.
call_eb <- function(rows, totals, k, max_x, weights, relative, probs) {
  column <- function(name) unlist(lapply(rows, `[[`, name), use.names = FALSE)
  group <- rep(
    seq_along(rows), vapply(rows, function(r) length(r$count), 0L)
  )
  columns <- lapply(c("count", "categories", "base", "slope", "share", "tilt"), column)
  # The rows of each group are in order; together they are not.
  order <- if (length(rows) > 1) {
    order(eb_begin(columns[[1]], columns[[3]], columns[[4]]))
  } else {
    seq_along(group)
  }
  trials <- list(column("trials")[order])
  fit <- .Call(
    C_rr_eb, c(lapply(columns, `[`, order), trials), as.double(group[order]),
    as.double(totals), as.double(max_x),
    as.double(c(k * length(rows), weights, relative, eb_free_odds)), as.double(probs)
  )
  lapply(seq_along(rows), function(g) {
    index <- which(group[order] == g)
    r <- rows[[g]]
    share <- r$expand(r$share)
    list(
      mean = share * r$expand(fit$mean[index]),
      variance = share^2 * pmax(r$expand(fit$variance[index]), 0),
      tilted = r$expand(r$tilt) > 0,
      quantile = vapply(
        seq_along(probs),
        function(l) share * r$expand(fit$quantile[index, l]), share
      ),
      finest = share * fit$x[2],
      eta = fit$eta[g],
      weights = setNames(fit$weights, c("uniform", "power", "pair", "single", "free")),
      loglik = fit$loglik,
      prior = data.frame(x = fit$x, mass = fit$prior)
    )
  })
}

# The least share from which a count may come, in units of the category's expected share.
eb_begin <- function(count, base, slope) {
  pmax(
    (pmax(sqrt(count + 0.375) - 1.75, 0)^2 - base) / slope, 0
  )
}

# The results for several groups of one mechanism; `probs` are those of quantiles, NA for the shares
# of least absolute error.
eb_results <- function(groups, options, probs = double(), wary = FALSE) {
  if (options$pool) return(eb_fit(groups, probs, wary))
  lapply(groups, function(evidence) {
    base_fit <- eb_fit(list(evidence), probs, wary)[[1]]
    reference <- options$reference
    if (options$ordered) {
      smooth <- estimate_smoothed(evidence, list())$estimate
      reference <- (smooth + 1e-3 / length(smooth)) / (1 + 1e-3)
    }
    if (is.null(reference)) return(base_fit)
    # The reference is used only if it makes the counts more likely, and in both fits of an
    # interval or in neither.
    reference_fit <- eb_fit_reference(evidence, reference, probs, wary)
    reference_fit$gain <- evidence$details$gain %||% (reference_fit$loglik - base_fit$loglik)
    if (reference_fit$gain > 0) reference_fit else c(base_fit, gain = reference_fit$gain)
  })
}

estimate_eb <- function(groups, options) {
  first <- groups[[1]]
  law <- first$law
  options <- c(eb_options(options, first), groups = length(groups))
  # Two categories have one degree of freedom: nothing can be learned, and the risk would be up to
  # 40 times that of `mle` if all respondents hold one answer.
  if (first$k == 2 && law_gives(law, "additive")) {
    return(lapply(groups, eb_fallback, options))
  }
  if (any(law$binomial$a <= 0)) {
    abort("{.val eb} needs reports that speak for their truth: p above q.")
  }
  n <- vapply(groups, `[[`, 0, "n")
  # The grid is as fine as the largest group needs it, over the whole range that the smallest leaves
  # open.
  if (options$pool && max(n) > 1e8 * min(n)) {
    abort("{.code pool = TRUE} takes groups of at most 1e8 times the size of the smallest.")
  }
  absolute <- options$loss == "absolute"
  Map(
    function(result, evidence) {
      # A mean is above 0, though its kernel, cut at e^-46, may give 0.
      estimate <- if (absolute) {
        pmax(result$quantile[, 1], 0)
      } else {
        pmax(result$mean, 1e-20)
      }
      expected <- sum(eb_variance(result))
      c(
        list(
          estimate = estimate / sum(estimate),
          variance = result$variance,
          tilted = result$tilted,
          expected.error = expected,
          weights = result$weights,
          gain = result$gain,
          eb = options
        ),
        eb_check(
          binomial_counts(law, evidence), eb_additive(law), result$mean, result$variance, expected
        )
      )
    },
    eb_results(groups, options, if (absolute) NA_real_ else double()), groups
  )
}

eb_fallback <- function(evidence, options) {
  list(
    estimate = law_maximum(evidence$law, evidence, list())$estimate,
    fallback = TRUE,
    eb = options
  )
}

# list(expected.range, delta): the sum of squared errors by the reports alone, whatever the prior.
# The range is Stein's unbiased estimate for Poisson counts, and two of its standard deviations to
# each side. `delta` is the upper end, divided by the error that the posterior expects. Reports that
# are not about some category say nothing of its error.
eb_check <- function(observed, additive, mean, variance, expected) {
  share <- observed$counts / replace(observed$n, observed$n < 1, NA)
  noise <- share * (1 - share) / observed$n / additive$a^2
  risk <- sum(
    (mean - (share - additive$b) / additive$a)^2 - noise +
      2 * variance * share / (additive$b + additive$a * mean)
  )
  range <- pmax(
    risk + c(-2, 2) * sqrt(2 * sum(noise^2)), 0
  )
  list(expected.range = range, delta = if (expected > 0) range[2] / expected else Inf)
}

# The variances given the sum of the shares: a share with much of the total variance loses much of
# its variance.
eb_variance <- function(result) {
  variance <- result$variance
  total <- sum(variance[result$tilted])
  if (total > 0) variance * ifelse(result$tilted, 1 - variance / total, 1) else variance
}

# The covariance of the shares of the population, diag(diagonal) less common common'; or NA with the
# reason, `unknown`.
eb_covariance <- function(estimate, evidence, target) {
  detail <- evidence$details
  if (isTRUE(detail$fallback)) return(NULL)
  # At least a quarter of the largest error that the reports allow, and no less than the smallest.
  borne_out <- isTRUE(detail$delta <= 4 && detail$expected.error >= detail$expected.range[1])
  unknown <- if (target == "sample") {
    "the posterior is about the population, not about these respondents"
  } else if (!borne_out) {
    "the reports do not bear out the error that the posterior expects"
  }
  nothing <- rep(NA_real_, evidence$k)
  if (!is.null(unknown)) {
    return(list(diagonal = nothing, common = nothing, unknown = unknown))
  }
  total <- sum(detail$variance[detail$tilted])
  common <- if (total > 0) {
    detail$variance * detail$tilted / sqrt(total)
  } else {
    numeric(evidence$k)
  }
  list(diagonal = detail$variance, common = common)
}

# The map of the estimate of two categories, which is that of maximum likelihood; else NULL.
eb_map <- function(estimate, evidence) {
  if (isTRUE(evidence$details$fallback)) law_likelihood_map(evidence$law, evidence, estimate)
}

# The notes that a reader must know before using the numbers.
eb_notes <- function(details) {
  gains <- unlist(lapply(details, `[[`, "gain"))
  c(
    if (isTRUE(details[[1]]$fallback)) {
      paste(
        "Two categories have nothing to learn from each other:",
        "this is the maximum likelihood estimate"
      )
    },
    if (any(gains <= 0)) "The counts are likelier without the reference: it was not used",
    if (length(details) == 1 && isFALSE(is.na(details[[1]]$delta))) {
      text <- vapply(
        c(details[[1]]$expected.error, details[[1]]$expected.range), format, "",
        digits = 2
      )
      sprintf(
        "Expected squared error of all shares together: %s; by the reports alone %s to %s",
        text[1], text[2], text[3]
      )
    }
  )
}

# The credible limits: the hull of two fits, see eb_prior_weights(), and of the errors that the
# reports allow, see eb_allowed_error(). Each fit has equal tails, drawn in towards the mean as far
# as the sum draws in the deviation. If the reports alone cannot tell a share from 0 the interval
# begins there, and it never ends below the finest share of the prior's grid. The tail below the
# noise is a guess of the prior's shapes.
eb_credible <- function(groups, which, conf.level) {
  options <- groups[[1]]$details$eb
  if (options$pool && options$groups != length(groups)) {
    abort("Credible intervals of pooled groups need all groups that were estimated together.")
  }
  learned <- if (options$pool) seq_along(groups) else which
  fits <- lapply(c(FALSE, TRUE), function(wary) {
    results <- eb_results(
      groups[learned], options,
      c((1 - conf.level) / 2, (1 + conf.level) / 2), wary
    )
    Map(eb_interval, results[match(which, learned)], groups[which], conf.level)
  })
  Map(
    function(x, y) {
      list(
        low = pmin(x$low, y$low),
        high = pmax(x$high, y$high)
      )
    },
    fits[[1]], fits[[2]]
  )
}

eb_interval <- function(result, evidence, conf.level) {
  wilson <- law_intervals(
    evidence$law, evidence, evidence$estimate, "wilson", conf.level, seq_len(evidence$k),
    "population"
  )
  draw <- sqrt(eb_variance(result) / pmax(result$variance, 1e-300))
  bound <- function(l) {
    clamp(
      result$mean + (result$quantile[, l] - result$mean) * draw, 0, 1
    )
  }
  low <- ifelse(
    result$quantile[, 1] <= 0 | wilson$low <= 0, 0, bound(1)
  )
  half <- normal_quantile(conf.level) * eb_allowed_error(result, evidence)
  list(
    low = pmin(
      low, evidence$estimate, pmax(result$mean - half, wilson$low, 0)
    ),
    high = pmax(
      bound(2), result$finest, evidence$estimate,
      pmin(result$mean + half, wilson$high, 1)
    )
  )
}

# The errors that the reports alone allow, whatever the prior, as a standard deviation for each
# category, 0 for those that stand alone. The mean square of errors in units of the noise is Stein's
# estimate, or 0 if it is below, plus two of its standard deviations. It is at most 1. Priors with
# an atom for many shares and with shares around it fit alike if the noise is larger than their
# difference. The weight of the atom is a guess, and intervals that end at it excluded most of many
# nearly equal shares.
eb_allowed_error <- function(result, evidence) {
  observed <- binomial_counts(evidence$law, evidence)
  additive <- eb_additive(evidence$law)
  phi <- additive$b + additive$a * result$mean
  noise <- phi * (1 - phi) / observed$n / additive$a^2
  distance <- (observed$counts / observed$n - additive$b) / additive$a - result$mean
  among <- result$tilted
  risk <- sum(
    ((distance^2 + 2 * result$variance) / noise - 1)[among]
  )
  max_risk <- max(risk, 0) +
    2 * sqrt(sum((2 + 1 / (observed$n * phi))[among]))
  ratio <- clamp(max_risk / max(1, sum(among)))
  sqrt(noise * ratio) * among
}
