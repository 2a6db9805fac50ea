# Distribution and quantiles of an exact variable within each true class follow from the moments of
# a randomized covariate. The score u[i, k] of a row, the row of C^-1 of its report, has the mean 1
# if its truth is k, else 0, whatever the outcome.

#' @rdname rr_quantile
#' @export
rr_quantile.rr_predictor <- function(
  fit,
  probs = c(0.25, 0.5, 0.75),
  conf.level = 0.95,
  target = c("population", "sample"),
  difference = FALSE,
  ...
) {
  check_dots_empty(...)
  probs <- check_probabilities(probs, "probs")
  conf.level <- check_conf_level(conf.level)
  difference <- check_flag(difference, "difference")
  classes <- read_classes(fit, check_choice(target))
  z <- if (classes$target == "sample") {
    normal_quantile(conf.level)
  } else {
    coefficient_quantile(fit, conf.level)
  }
  quantiles <- lapply(seq_along(classes$total), function(k) {
    class_quantiles(classes, k, probs, z)
  })
  correlation <- function(pair, rows, prob) score_correlation(classes, pair, rows, prob)
  new_class_quantiles(
    quantiles,
    classes$labels,
    probs,
    z,
    if (difference) correlation,
    conf.level = conf.level,
    n = fit$n,
    target = classes$target,
    what = fit$rows$response
  )
}

# A fit as quantiles need it: its rows in the order of the outcome, their scores, a column for each
# class, the distinct values of the outcome, the numbers of rows that have them, and the last row of
# each, without rows of weight 0. `squares` estimates how much the members of each class add to its
# sum of squares.
read_classes <- function(fit, target) {
  rows <- fit$rows
  exact <- setdiff(all.vars(delete.response(rows$terms)), rows$covariates)
  if (length(exact) || rows$response %in% names(rows$mechanisms) ||
      !length(rows$covariates)) {
    abort(
      "{.arg fit} must be of an exact outcome on randomized variables alone: {.code y ~ 0 + class}."
    )
  }
  used <- which(rows$weights > 0)
  rows$outcome <- rows$outcome[used]
  rows$weights <- rows$weights[used]
  rows$codes <- lapply(rows$codes, `[`, used)
  rows$arms <- lapply(rows$arms, `[`, used)
  rows$frame <- fit$frame <- rows$frame[used, , drop = FALSE]
  order <- order(rows$outcome)
  y <- rows$outcome[order]
  last_rows <- c(
    which(y[-1] != y[-length(y)]), length(y)
  )
  w <- rows$weights
  # Squares of weights may overflow; those of designs have the mean 1.
  if (is.null(fit$design)) w <- w / max(w)
  u <- moment_shares(rows)
  classes <- list(
    fit = fit,
    target = target,
    order = order,
    u = u[order, , drop = FALSE],
    w = w[order],
    labels = as_tibble(rows$cells),
    total = colSums(w * u),
    squares = colSums(w^2 * truth_squares(rows) * u),
    values = y[last_rows],
    sizes = diff(c(0L, last_rows)),
    last_rows = last_rows
  )
  c(classes, list(noise = noise_squares(classes)))
}

# The mean of each row's squared score of a class if its truth is that class, a column for each
# class.
truth_squares <- function(rows) {
  squares <- matrix(1, nrow(rows$frame), nrow(rows$cells))
  for (name in rows$covariates) {
    moments <- vapply(
      rows$columns[[name]],
      function(columns) {
        channel <- rows$channels[[name]][, columns, drop = FALSE]
        rowSums(
          channel * t(rows$unbiased[[name]][columns, , drop = FALSE]^2)
        )
      },
      numeric(length(rows$levels[[name]]))
    )
    squares <- squares * t(moments)[
      rows$arms[[name]], rows$cells[[name]], drop = FALSE
    ]
  }
  squares
}

# The sums of class k: the number up to each distinct value, the variance of that sum, and the
# variance that one member adds.
class_sums <- function(classes, k) {
  u <- classes$u[, k]
  d <- classes$w * u
  below <- cumsum(d)[classes$last_rows]
  # The last sum, so that nothing is left of S and its variance at the largest value if prob is 1.
  total <- below[length(below)]
  member <- (classes$squares[k] - sum(classes$noise * u)) / total
  list(
    below = below,
    total = total,
    variances = class_spread(classes, u, d),
    member = member
  )
}

# The quantiles of class k. S(t) is the sum of w u (1{y <= t} - prob).
class_quantiles <- function(classes, k, probs, z) {
  last_rows <- classes$last_rows
  values <- classes$values
  sums <- class_sums(classes, k)
  heights <- cumsum(classes$sizes * sums$below) / sums$total
  index <- vapply(
    probs,
    function(prob) {
      # Up to the first minimum of the sums of F - prob over the rows the isotonic regression of F
      # is below prob.
      fall <- heights - (prob - 1e-12) * last_rows
      lowest <- which.min(fall)
      if (prob > 0 && length(lowest) && fall[lowest] < 0) {
        min(lowest + 1L, length(values))
      } else {
        1L
      }
    },
    1L
  )
  limits <- inverted_limits(probs, z, sums, level_hull(values))
  class_rows(probs, values[index], limits, sums$total, last_rows[index])
}

# The share of each class up to the values `at`.
cumulative_shares.rr_predictor <- function(fit, points, conf.level) {
  classes <- read_classes(fit, "population")
  values <- classes$values
  check_that(
    is.null(points) || (is.numeric(points) && length(points) && !anyNA(points)),
    points, "L", "values of the outcome"
  )
  points <- points %||% values
  z <- coefficient_quantile(fit, conf.level)
  tables <- lapply(seq_along(classes$total), function(k) {
    as_tibble(c(
      list(value = points), class_shares(classes, k, findInterval(points, values), z)
    ))
  })
  new_rr_table(
    bind_groups(tables, classes$labels),
    "rr_contrast",
    keys = c(names(classes$labels), "value"),
    conf.level = conf.level,
    n = fit$n,
    target = "population",
    axis_kind = "share",
    title = sprintf("Cumulative shares of %s in true classes", fit$rows$response)
  )
}

# The shares of class k up to the distinct values at `index`. The limits are Fieller's: the
# shares p at which the sum of w u (1{y <= t} - p) is within z standard deviations of 0; all of them
# if the class may be empty.
class_shares <- function(classes, k, index, z) {
  sums <- class_sums(classes, k)
  total <- sums$total
  up_to <- function(sums) c(0, sums)[index + 1L]
  below <- up_to(sums$below)
  variance_below <- up_to(sums$variances$below)
  cross <- up_to(sums$variances$cross)
  variance_total <- sums$variances$total
  share <- below / if (total > 0) total else NA
  std_error <- sqrt_or_na(variance_below - 2 * share * cross + share^2 * variance_total) / total
  # The tested variance less S member (1 - 2 p), see inverted_limits(), in powers of p.
  square <- total^2 - z^2 * (variance_total - 2 * sums$member * total)
  product <- below * total -
    z^2 * (cross - sums$member * (total / 2 + below))
  constant <- below^2 - z^2 * (variance_below - sums$member * below)
  centre <- if (square > 0) product / square else 0
  half <- if (square > 0) sqrt_or_na(centre^2 - constant / square) else Inf
  list(
    estimate = share,
    std.error = std_error,
    conf.low = clamp(pmin(centre - half, share), 0, 1),
    conf.high = clamp(pmax(centre + half, share), 0, 1)
  )
}

# The estimated variance of S(t) is below - 2 prob cross + prob^2 total, of three sums over the rows
# up to each distinct t. The noise is that of the randomization alone, or what a finite population
# hides of it, see R/uncertainty-design.R.
class_spread <- function(classes, u, d) {
  last_rows <- classes$last_rows
  fit <- classes$fit
  # The mean of S is 0 at the tested probability, so that its square is not taken off.
  if (classes$target == "population" && is.null(fit$design)) {
    return(square_spread(d * d, last_rows))
  }
  noise <- square_spread(classes$noise * (u^2 - u), last_rows)
  if (classes$target == "sample") return(noise)
  if (inherits(fit$design, "svyrep.design")) {
    return(add_spread(replicate_sums(classes, u), noise))
  }
  stages <- stage_sums(classes, d)
  total <- drop(survey_meat(fit, cbind(d[order(classes$order)])))
  if (!isTRUE(all.equal(stages$total, total, tolerance = 1e-8))) {
    abort(c("Quantiles in classes need a design without calibration.",
            i = "Give replicate weights: {.fn survey::as.svrepdesign}."))
  }
  add_spread(stages, noise)
}

add_spread <- function(x, y) Map(`+`, x, y)

square_spread <- function(squares, last_rows) {
  up_to <- cumsum(squares)[last_rows]
  list(below = up_to, cross = up_to, total = up_to[length(up_to)])
}

# The variance function of `factor` times the square of a sum, which is `up_to` each distinct value.
total_spread <- function(up_to, factor) {
  total <- up_to[length(up_to)]
  list(
    below = factor * up_to * up_to,
    cross = factor * total * up_to,
    total = factor * total * total
  )
}

# The variance function of the squares of the sums of d in groups, times `factor`. A row adds to the
# sum of its group alone.
group_spread <- function(d, last_rows, factor, group) {
  running <- ave(d, group, FUN = cumsum)
  total <- factor * d * ave(d, group, FUN = sum)
  list(
    below = cumsum(factor * (running^2 - (running - d)^2))[last_rows],
    cross = cumsum(total)[last_rows],
    total = sum(total)
  )
}

# The part of the square of each row's score that counts as randomization.
noise_squares <- function(classes) {
  fit <- classes$fit
  if (classes$target == "sample") return(classes$w^2)
  if (is.null(fit$design)) return(0)
  hidden_squares(fit$design)[design_places(classes)] * fit$weight.scale^2
}

design_places <- function(classes) fitted_in(classes$fit, classes$fit$design)[classes$order]

# The variance between the clusters of each stage, within its strata, as survey::svyrecvar() adds
# them up.
stage_sums <- function(classes, d) {
  design <- classes$fit$design
  index <- design_places(classes)
  population <- design$fpc$popsize
  one <- is.null(population) || isTRUE(getOption("survey.ultimate.cluster"))
  share <- 1
  sums <- NULL
  for (stage in if (one) 1L else seq_along(design$cluster)) {
    n <- as.matrix(design$fpc$sampsize)[index, stage]
    drawn <- if (is.null(population)) 0 else n / as.matrix(population)[index, stage]
    factor <- share * (1 - drawn) * n / pmax(n - 1, 1)
    stratum <- paste(
      if (stage > 1L) design$cluster[index, stage - 1L],
      design$strata[index, stage]
    )
    between <- add_spread(group_spread(d, classes$last_rows, factor, design$cluster[index, stage]),
                          group_spread(d, classes$last_rows, -factor / n, stratum))
    sums <- if (is.null(sums)) between else add_spread(sums, between)
    share <- share * drawn
  }
  sums
}

replicate_sums <- function(classes, u) {
  changes <- replicate_changes(classes)
  Reduce(
    add_spread,
    lapply(seq_along(changes$scale), function(r) {
      total_spread(
        cumsum(changes$weights[, r] * u)[classes$last_rows], changes$scale[r]
      )
    })
  )
}

# The weights of each replicate less those at their centre, see replicate_covariance().
replicate_changes <- function(classes) {
  design <- classes$fit$design
  weights <- weights(design, "analysis")[design_places(classes), , drop = FALSE] *
    classes$fit$weight.scale
  scale <- design$scale * rep_len(design$rscales, ncol(weights))
  centre <- if (isTRUE(design$mse)) {
    classes$w
  } else {
    rowMeans(weights[, scale > 0, drop = FALSE])
  }
  list(weights = unname(weights - centre), scale = scale)
}

# The correlation of the sums S at the quantiles of two classes, whose means are 0 there; `rows`:
# the last rows up to these.
score_correlation <- function(classes, pair, rows, prob) {
  fit <- classes$fit
  u <- classes$u[, pair]
  g <- 1 * outer(seq_along(classes$w), rows, `<=`) - prob
  squares <- classes$noise
  products <- crossprod(u * g * squares, u * g) -
    diag(colSums(squares * u * g^2))
  if (classes$target == "population") {
    scores <- classes$w * u * g
    products <- products + if (is.null(fit$design)) {
      crossprod(scores)
    } else if (!inherits(fit$design, "svyrep.design")) {
      survey_meat(fit, scores[order(classes$order), ])
    } else {
      changes <- replicate_changes(classes)
      moved <- crossprod(changes$weights, u * g)
      crossprod(moved * changes$scale, moved)
    }
  }
  known_correlation(products)
}
