# The channel law has any matrix of probabilities, or a Kronecker product of several. This file has
# linear inversion and what follows from it. Maximum likelihood and its uncertainty are in
# law-likelihood.R.
#
# A left inverse L of C' has L C' = I. If its columns add up to 1, it turns reported shares into an
# unbiased estimate that adds up to 1. For a square channel it is the inverse. If there are more
# reports than truths, it is the least-squares solution under the constraint of the sum. A product
# of questions has the product of their left inverses.

checked_channel <- function(axes) {
  if (!is.list(axes) || inherits(axes, "rr_law") || is.data.frame(axes)) {
    axes <- list(axes)
  }
  # Each is a factor of the product, as law_axes() has it.
  new_law_channel(
    lapply(axes, function(axis) {
      if (!inherits(axis, "rr_law")) {
        return(list(matrix = unname(t(check_stochastic(axis, 1e-8, "axes")))))
      }
      if (length(axis$b) > 1L) {
        return(law_axes(axis, length(axis$b))[[1]])
      }
      abort("An additive law among {.arg axes} must have one {.arg b} per category.")
    })
  )
}

# `memory` keeps the inverse, which several questions to the law need. `validation` are the counts
# of the study, truths by reports, that measured the one axis.
new_law_channel <- function(axes, validation = NULL) {
  new_rr_law(
    "channel",
    "a report is one of finitely many, with any probabilities",
    axes = axes,
    validation = validation,
    memory = new.env(parent = emptyenv()),
    adds_up = TRUE,
    by_information = TRUE,
    gives = c(
      "likelihood", "channel", "simulation", "scores", "profile", if (length(axes) == 1L) "question"
    )
  )
}

check_stochastic <- function(C, tolerance, arg = "C") {
  if (is.data.frame(C) || inherits(C, "Matrix")) C <- as.matrix(C)
  check_that(
    is.matrix(C) && is.numeric(C) && nrow(C) > 1L && ncol(C) > 1L,
    C, arg, "a numeric matrix with at least two rows (truths) and two columns (reports)"
  )
  bad <- C[is.na(C) | C < 0 | C > 1 + tolerance]
  if (length(bad)) {
    counted <- all(is.finite(C) & C >= 0 & C == floor(C))
    abort(c(
      "{.arg {arg}} must hold probabilities, from 0 to 1.", x = "One is {bad[1]}.",
      i = if (counted) "Counts of a validation study: {.code rr_misclassification(table = )}.",
      i = if (counted) "Without the error of their shares: {.code prop.table({arg}, 1)}."
    ))
  }
  sums <- rowSums(C)
  off <- which(abs(sums - 1) > tolerance)
  if (length(off)) {
    abort(c("The rows of {.arg {arg}} must add up to 1: they are the truths.",
            x = "Row {off[1]} adds up to {format(sums[off[1]], digits = 10)}.",
            i = if (all(abs(colSums(C) - 1) <= tolerance)) "The columns do: use {.code t({arg})}."))
  }
  zero <- which(colSums(C) == 0)[1]
  if (!is.na(zero)) {
    abort("Each report of {.arg {arg}} must be possible: column {zero} is 0 throughout.")
  }
  storage.mode(C) <- "double"
  # A row that adds up to 1 but for roundings stays as it is, to the bit.
  C / ifelse(abs(sums - 1) <= ncol(C) * .Machine$double.eps, 1, sums)
}

# All truths give the same reports: nothing can be learned, of any question.
law_tells_nothing.rr_law_channel <- function(law) {
  all(
    vapply(
      law$axes,
      function(axis) {
        if (is.null(axis$matrix)) {
          axis$a == 0
        } else {
          all(abs(axis$matrix - axis$matrix[, 1]) <= 1e-15)
        }
      },
      NA
    )
  )
}

law_meets.rr_law_channel <- function(law, need) need == "inverse" && !is.null(inverse_axes(law))

law_impossible.rr_law_channel <- function(law, counts) .Call(C_rr_impossible, law$axes, counts)

# ---- the channel as an operator ----

law_axes.rr_law_channel <- function(law, k) law$axes

law_matrix.rr_law_channel <- function(law, k) {
  dense <- lapply(law$axes, function(axis) {
    if (!is.null(axis$matrix)) return(t(axis$matrix))
    law_matrix(new_law_additive(axis$a, axis$b), length(axis$b))
  })
  Reduce(function(x, y) kronecker(y, x), dense)
}

# The matrix of a law that has axes.
law_matrix.rr_law <- function(law, k) {
  axes <- law_axes(law, k)
  if (k * prod(as.double(axis_sizes(axes, "reports"))) > 1e8) {
    abort("The matrix of so many categories would not fit in memory.", c("too_large", "argument"))
  }
  t(.Call(C_rr_channel_rows, axes, seq_len(k)))
}

law_expected.rr_law_channel <- function(law, theta) apply_channel(law$axes, theta)

law_simulate.rr_law_channel <- function(law, truth, nsim) {
  reports <- matrix(0, prod(axis_sizes(law$axes, "reports")), nsim)
  for (x in which(truth > 0)) {
    reports <- reports + draw_multinomial(nsim, truth[x], .Call(C_rr_channel_rows, law$axes, x))
  }
  reports
}

apply_channel <- function(axes, x, kind = c("forward", "adjoint", "square")) {
  .Call(
    C_rr_apply, axes, as.double(x),
    match(kind[1], c("forward", "adjoint", "square")) - 1L
  )
}

# Axes of two values, list(truths, low, high) with the bits of the reports' sets, or with Hadamard's
# `blocks` and `size`: see src/core/estimate/support_axis.h.
axis_sizes <- function(axes, side = "truths") {
  vapply(
    axes,
    function(axis) {
      if (is.null(axis$truths)) {
        return(if (is.null(axis$matrix)) {
          length(axis$b)
        } else {
          dim(axis$matrix)[if (side == "truths") 2L else 1L]
        })
      }
      as.integer(
        if (side == "truths") {
          axis$truths
        } else {
          nrow(axis$bits) %||% (axis$blocks * axis$size)
        }
      )
    },
    1L
  )
}

# list(matrix = L'), or NULL if the channel's rows are dependent.
left_inverse <- function(axis) {
  if (!is.null(axis$truths)) return(NULL)
  if (is.null(axis$matrix)) {
    k <- length(axis$b)
    if (axis$a == 0 || k > 5000) return(NULL)
    # L = (I - b 1') / a, since a + sum(b) = 1: its transpose has b along the rows.
    return(list(
      matrix = (diag(k) - rep(axis$b, each = k)) / axis$a
    ))
  }
  if (!is.null(axis$inverse)) return(list(matrix = axis$inverse))
  M <- axis$matrix
  if (nrow(M) < ncol(M)) return(NULL)
  if (nrow(M) == ncol(M)) {
    inverse <- tryCatch(solve(M, tol = 1e-14), error = function(e) NULL)
    return(if (!is.null(inverse)) list(matrix = t(inverse)))
  }
  decomposition <- qr(M, tol = 1e-12)
  if (decomposition$rank < ncol(M)) return(NULL)
  solution <- qr.coef(decomposition, diag(nrow(M)))
  covariance <- chol2inv(qr.R(decomposition))[
    order(decomposition$pivot), order(decomposition$pivot)
  ]
  direction <- rowSums(covariance) / sum(covariance)
  list(matrix = t(solution + outer(direction, 1 - colSums(solution))))
}

channel_inverse <- function(axes) {
  inverse <- lapply(axes, left_inverse)
  if (!any(vapply(inverse, is.null, NA))) inverse
}

inverse_axes <- function(law) {
  if (is.null(law$memory$inverse)) {
    law$memory$inverse <- list(channel_inverse(law$axes))
  }
  law$memory$inverse[[1]]
}

# ---- the unbiased estimate ----

law_unbiased.rr_law_channel <- function(law, evidence) {
  apply_channel(require_inverse(law), evidence$counts / evidence$n, "adjoint")
}

require_inverse <- function(law) inverse_axes(law) %||% refuse_law(law, "inverse")

# The standard error for a category that is absent. The other categories have the shares of the
# projection of the estimate.
law_null_std_error.rr_law_channel <- function(law, evidence) {
  likely <- .Call(C_rr_project, law_unbiased(law, evidence), 1)
  sqrt(mean_squares(law$axes, require_inverse(law), likely)$second_other / evidence$n)
}

# ---- uncertainty ----

# L diag(phi) L' is the mean product of the terms.
term_products.rr_law_channel <- function(law, evidence, cells) {
  crossprod(
    .Call(C_rr_channel_rows, require_inverse(law), as.integer(cells)) *
      sqrt(evidence$counts / evidence$n)
  )
}

term_squares.rr_law_channel <- function(law, evidence, cells) {
  apply_channel(require_inverse(law), evidence$counts / evidence$n, "square")[cells]
}

# A product of questions has no such moments here: NULL.
law_second_moments.rr_law_channel <- function(law, k, weights) {
  inverse <- if (length(law$axes) == 1L) inverse_axes(law)
  if (is.null(inverse)) return(NULL)
  channel_second_moments(law, weights)
}

# The second moments, under each truth, of the unbiased term that sums the cells by `weights`.
channel_second_moments <- function(law, weights) {
  apply_channel(law$axes, apply_channel(inverse_axes(law), weights)^2, "adjoint")
}

# The score interval of the unbiased estimate: the t with |inv - t| <= z sd(t), where
#    N Var = t A + (1 - t) B - t^2   (sampled truths; - t for fixed truths)
# A and B are the mean squares of L under the cell and under all others as fitted. For a channel
# b[y] + a 1{x = y} it is Wilson's interval of the report's share, carried through.
# A study of yes and no has an interval of its own.
law_intervals.rr_law_channel <- function(
  law, evidence, estimate, interval, conf.level, cells, target
) {
  inverse <- inverse_axes(law)
  unknown <- rep(NA_real_, length(cells))
  if (is.null(inverse)) return(list(low = unknown, high = unknown))
  if (identical(dim(law$validation), c(2L, 2L)) && target == "population") {
    return(measured_limits(law, evidence, cells, conf.level))
  }
  inv <- apply_channel(inverse, evidence$counts / evidence$n, "adjoint")
  if (!is.null(law$validation)) estimate <- .Call(C_rr_project, inv, 1)
  theta <- to_sum_1(pmax(estimate, 0))
  squares <- mean_squares(law$axes, inverse, theta)
  study <- evidence$n * study_variances(law, theta, inverse[[1]]$matrix)
  squares <- lapply(squares, function(square) (square + study)[cells])
  moment_intervals(
    inv[cells], squares$second_true, squares$second_other, evidence$n, conf.level, target
  )
}

# The limits of the share of no (cell 1) or yes (cell 2) for each of `cells`, which may each have a
# level of its own; see src/core/estimate/measured.h.
measured_limits <- function(law, evidence, cells, conf.level) {
  V <- law$validation[2:1, ]
  n <- length(cells)
  counts <- matrix(as.double(c(evidence$counts[2], V[, 2])), 3, n)
  sizes <- matrix(as.double(c(evidence$n, rowSums(V))), 3, n)
  quantiles <- rep_len(normal_quantile(conf.level), n)
  yes <- .Call(C_rr_measured_interval, counts, sizes, quantiles)
  is_no <- cells == 1L
  list(
    low = ifelse(is_no, 1 - yes[2, ], yes[1, ]),
    high = ifelse(is_no, 1 - yes[1, ], yes[2, ])
  )
}

# The score interval of the unbiased share of several cells. The mean squares of its terms, inside
# and outside, are mixed by the nearest distribution. If that distribution has no share there, all
# cells count alike.
law_share_interval.rr_law <- function(law, evidence, cells, share, interval, conf.level, target) {
  inside <- seq_len(evidence$k) %in% cells
  squares <- if (interval == "wilson" && length(cells) > 1L) {
    law_second_moments(law, evidence$k, as.double(inside))
  }
  if (is.null(squares)) return(NULL)
  unbiased <- law_unbiased(law, evidence)
  theta <- .Call(C_rr_project, as.double(unbiased), 1)
  mean_square <- function(is_member) sum(conditional_shares(theta, is_member) * squares[is_member])
  # Laws without a study do not evaluate the terms: not all of them have axes.
  study <- evidence$n * study_variances(
    law, theta, apply_channel(require_inverse(law), as.double(inside))
  )
  moment_intervals(
    sum(unbiased[inside]), mean_square(inside) + study, mean_square(!inside) + study, evidence$n,
    conf.level, target
  )
}

# The shares of the cells that are members (`is_member`), divided by their sum; equal shares if
# their sum is below 1e-8.
conditional_shares <- function(theta, is_member) {
  weights <- if (sum(theta[is_member]) < 1e-8) {
    rep(1, sum(is_member))
  } else {
    theta[is_member]
  }
  weights / sum(weights)
}

# For each cell the mean of L[i, ]^2, as list(second_true, second_other): over the reports of that
# cell, and over those of all other cells as `theta` mixes them. If `theta` holds nothing but that
# cell, all others count alike.
mean_squares <- function(axes, inverse, theta) {
  # sum_j L[i, j]^2 C[i, j] for each i, question by question.
  second_true <- Reduce(
    function(x, y) as.vector(outer(x, y)),
    Map(
      function(axis, inverse) {
        k <- length(axis$b)
        colSums(
          inverse$matrix^2 * (axis$matrix %||%
            (matrix(axis$b, k, k) + diag(axis$a, k)))
        )
      },
      axes, inverse
    )
  )
  others <- function(theta) {
    pmax(
      (apply_channel(inverse, apply_channel(axes, theta), "square") - theta * second_true) /
        pmax(1 - theta, 1e-12),
      0
    )
  }
  mixed <- others(theta)
  # Below 1e-8 the difference has lost half of its digits.
  alone <- which(1 - theta < 1e-8)
  if (length(alone)) {
    mixed[alone] <- others(rep(1 / length(theta), length(theta)))[
      alone
    ]
  }
  list(second_true = second_true, second_other = mixed)
}

# ---- channels that a validation study measured ----
#
# Row x of the study is a sample of its own of m people whose truth is x, with shares C. An estimate
# with the columns J for the reports' shares moves with the error of C by -theta[x] J (dC[x, ]).

# A matrix F, a row an estimate: F F' is the covariance that the study adds, F G' that of two
# groups, which share it.
validation_effects <- function(law, theta, columns) {
  do.call(
    cbind,
    lapply(seq_len(nrow(law$validation)), function(x) {
      theta[x] * study_effects(law$validation[x, ], columns)
    })
  )
}

# F with F F' = D S D', where D are the derivatives of some estimates in the shares of a row of a
# study, a column for each report, `labels` the row, people by report, and S the covariance of its
# shares.
study_effects <- function(labels, D) {
  m <- sum(labels)
  shares <- labels / m
  (D - drop(D %*% shares)) * rep(sqrt(shares / m), each = nrow(D))
}

unbiased_effects <- function(law, evidence, cells) {
  validation_effects(
    law, law_unbiased(law, evidence),
    t(require_inverse(law)[[1]]$matrix)[cells, , drop = FALSE]
  )
}

unbiased_covariance.rr_law_channel <- function(law, evidence, cells, target, unbiased) {
  covariance <- NextMethod()
  if (is.null(law$validation)) {
    covariance
  } else {
    covariance + tcrossprod(unbiased_effects(law, evidence, cells))
  }
}

unbiased_variances.rr_law_channel <- function(law, evidence, cells, target, unbiased) {
  variances <- NextMethod()
  if (is.null(law$validation)) {
    variances
  } else {
    variances + rowSums(unbiased_effects(law, evidence, cells)^2)
  }
}

# The variance that the study adds, at the shares `theta`, to the estimates whose `terms` for the
# reports are the columns of a matrix; 0 if the channel is known. Each row has two more people,
# spread evenly over the reports: an empty cell is not certain.
study_variances <- function(law, theta, terms) {
  V <- law$validation
  if (is.null(V)) return(0)
  m <- rowSums(V)
  C <- (V + 2 / ncol(V)) / (m + 2)
  drop((theta^2 / m) %*% (C %*% terms^2 - (C %*% terms)^2))
}

# The law with the channel of a study that is drawn again, for the bootstrap.
draw_validation <- function(law) {
  V <- t(
    apply(law$validation, 1, function(row) {
      draw_multinomial(1, round(sum(row)), row)
    })
  )
  new_law_channel(
    list(list(matrix = unname(t(V / rowSums(V))))),
    V
  )
}

is_validated <- function(mechanism) {
  inherits(mechanism, "rr_channel") && !is.null(mechanism$validation)
}

# Is any of these mechanisms measured, or a question of one of them?
has_validated <- function(mechanisms) {
  any(vapply(single_questions(mechanisms), is_validated, NA))
}

# The mechanisms of single questions among these and of their products.
single_questions <- function(mechanisms) {
  unlist(
    lapply(unname(mechanisms), function(m) if (is.list(m)) m[["questions"]] %||% list(m)), FALSE
  )
}

people_words <- function(mechanism) paste(format_count(sum(mechanism$validation)), "people")

# An error if a channel was measured: without a term for the error of the study the channel would be
# taken for known.
refuse_validated <- function(mechanisms, what) {
  if (inherits(mechanisms, "rr_mechanism")) mechanisms <- list(mechanisms)
  if (has_validated(mechanisms)) {
    abort(
      c(
        paste(what, "cannot take a channel that a validation study estimated."),
        i = paste(
          "{.fn rr_estimate} includes the error of the study; of an external study survey designs,",
          "{.fn rr_glm} and other regressions do, too."
        )
      ),
      c("law", "argument")
    )
  }
}

# An error if the people of a validation study are respondents whose rows are not in the data.
refuse_internal <- function(mechanism, what) {
  if (!isTRUE(mechanism$internal)) return(invisible())
  abort(
    c(
      paste(what, "needs the labels of an internal validation study in its data."),
      i = "Give their column: {.code rr_misclassification(labels = \"truth\")}."
    ),
    c("law", "argument")
  )
}

# ---- validation within the field sample (Tenenbein, 1970, 1972) ----
#
# The truth of some respondents, drawn at random, was found out too. `internal` are their counts V,
# and the tally has the others. The maximum is P phi, with phi the reports of all and
#    P[x, y] = V[x, y] / V[+, y]
new_law_internal <- function(axes, internal) {
  law <- new_law_channel(axes)
  law[c("words", "gives")] <- list("a part of the respondents say what their reports mean",
                                   c("inverse", "likelihood", "channel", "profile"))
  structure(
    c(unclass(law), list(internal = internal)),
    class = c("rr_law_internal", class(law))
  )
}

label_statistics <- function(law, evidence) {
  seen <- colSums(law$internal)
  n <- evidence$n + sum(seen)
  list(
    P = law$internal / rep(seen, each = nrow(law$internal)),
    phi = (evidence$counts + seen) / n,
    seen = seen,
    n = n
  )
}

law_unbiased.rr_law_internal <- function(law, evidence) {
  statistics <- label_statistics(law, evidence)
  drop(statistics$P %*% statistics$phi)
}

law_maximum.rr_law_internal <- function(law, evidence, options) {
  list(
    estimate = law_unbiased(law, evidence),
    unique = TRUE,
    converged = TRUE,
    gap = 0,
    iterations = 0
  )
}

law_update.rr_law_internal <- function(law, evidence, options) refuse_law(law, "question")

law_second_moments.rr_law_internal <- function(law, k, weights) NULL

# The covariance of the estimates `cells`. For fixed truths it leaves out what comes from sampling
# them.
unbiased_covariance.rr_law_internal <- function(law, evidence, cells, target, unbiased) {
  statistics <- label_statistics(law, evidence)
  theta <- drop(statistics$P %*% statistics$phi)
  label_covariance <- function(weights) {
    diag(drop(statistics$P %*% weights)) -
      statistics$P %*% (weights * t(statistics$P))
  }
  truths <- if (target == "sample") {
    -label_covariance(statistics$phi)
  } else {
    statistics$P %*% (statistics$phi * t(statistics$P)) - tcrossprod(theta)
  }
  (label_covariance(statistics$phi^2 / statistics$seen) + truths / statistics$n)[
    cells, cells, drop = FALSE
  ]
}

unbiased_variances.rr_law_internal <- function(law, evidence, cells, target, unbiased) {
  diag(unbiased_covariance(law, evidence, cells, target, unbiased))
}

# The maximum of the likelihood is the unbiased estimate.
law_likelihood_map.rr_law_internal <- function(law, evidence, estimate) identity_map(evidence$k)

# Wilson's interval, with the number of respondents whose share would have the same variance.
law_intervals.rr_law_internal <- function(
  law, evidence, estimate, interval, conf.level, cells, target
) {
  theta <- law_unbiased(law, evidence)[cells]
  variance <- unbiased_variances(law, evidence, cells, target, TRUE) +
    agreeing_label_variance(law, evidence)[cells]
  wilson_interval(theta, theta * (1 - theta) / variance, normal_quantile(conf.level)^2)
}

# The variance of the estimates through the labels of reports whose labels all agree. The labels'
# own variance is 0, as if these reports were certain: half a label more is spread evenly over the
# truths.
agreeing_label_variance <- function(law, evidence) {
  half_label_variance(law$internal, label_statistics(law, evidence)$phi)
}

# `seen` people of each report have these labels V; `phi` are the shares of the reports.
half_label_variance <- function(V, phi) {
  seen <- colSums(V)
  agreeing <- colSums(V > 0) == 1
  shares <- (V + 1 / (2 * nrow(V))) / rep(seen + 1 / 2, each = nrow(V))
  terms <- ifelse(agreeing, phi^2 / seen, 0)
  drop((shares * (1 - shares)) %*% terms)
}

# Are there more reports than truths, of which none belongs to one truth alone?
has_spare_reports <- function(law, k) {
  general <- !law_gives(law, "exact") && law_gives(law, "channel") && law_gives(law, "profile") &&
    is.null(law$internal)
  general && prod(axis_sizes(law_axes(law, k), "reports")) > k
}
