# The two fits of rr_predictor(): corrected estimating equations, and the likelihood of a mixture over the truths.

# Weight of each respondent in each combination of truths: products of the unbiased scores. They may be negative, and
# add up to 1.
moment_scores <- function(rows) {
  scores <- matrix(1, nrow(rows$frame), length(rows$x))
  for (name in rows$covariates) {
    u <- unbiased_matrix(rows$channels[[name]])[rows$codes[[name]], , drop = FALSE]
    scores <- scores * u[, rows$cells[[name]], drop = FALSE]
  }
  scores
}

# Without whatever is the same in all rows, so that scores of a channel that is not square add up to 1 exactly.
fit_moments <- function(rows) {
  u <- moment_scores(rows) * rows$weights
  o <- rows$outcome
  family <- rows$family
  # In orthonormal columns: of dates, which are large numbers that differ little, the cross-products would be singular.
  scale <- qr.R(qr(do.call(rbind, rows$x), tol = 1e-12))
  designs <- lapply(rows$x, function(x) t(backsolve(scale, t(x), transpose = TRUE)))
  evaluate <- function(b) {
    slope <- 0
    rows_psi <- 0
    for (cell in seq_along(designs)) {
      x <- designs[[cell]]
      mu <- family$linkinv(drop(x %*% b))
      slope <- slope + crossprod(x * (u[, cell] * family$variance(mu)), x)
      rows_psi <- rows_psi + x * (u[, cell] * (o - mu))
    }
    list(slope = slope, psi = rows_psi, equation = colSums(rows_psi))
  }
  solved <- solve_moments(evaluate, rows, scale)
  solved$b <- backsolve(scale, solved$b)
  solved$at$psi <- solved$at$psi %*% scale
  inverse <- backsolve(scale, t(backsolve(scale, t(solve(solved$at$slope)))))
  names <- rows$names[rows$keep]
  coefficients <- stats::setNames(rep(NA_real_, length(rows$names)), rows$names)
  coefficients[names] <- solved$b
  sigma <- if (family$family == "gaussian" && !rows$response %in% names(rows$mechanisms)) {
    square <- sum(vapply(seq_along(rows$x), function(cell) sum(u[, cell] * (o - rows$x[[cell]] %*% solved$b)^2), 0))
    n <- sum(rows$weights)
    sqrt(max(square, 0) / n * sum(rows$weights > 0) / max(sum(rows$weights > 0) - length(names), 1))
  }
  list(coefficients = coefficients, estimate = solved$b,
       vcov = structure(inverse %*% crossprod(solved$at$psi) %*% t(inverse), dimnames = list(names, names)),
       psi = solved$at$psi, bread = inverse, sigma = sigma, df = length(names), converged = solved$converged)
}

# Newton's method on the equations, halving steps that do not bring them nearer to 0. Linear ones are solved by the
# first.
solve_moments <- function(evaluate, rows, columns) {
  b <- numeric(length(rows$keep))
  if ("(Intercept)" %in% colnames(rows$x[[1]]) && rows$family$family != "gaussian") {
    mean <- stats::weighted.mean(rows$outcome, rows$weights)
    b[1] <- rows$family$linkfun(if (rows$family$family == "binomial") min(max(mean, 0.02), 0.98) else max(mean, 0.02))
  }
  b <- drop(columns %*% b)
  now <- evaluate(b)
  size <- function(at) sum((at$equation * scale)^2)
  scale <- 1 / sqrt(pmax(colSums(now$psi^2), 1e-300))
  for (iteration in seq_len(50)) {
    step <- tryCatch(solve(now$slope, now$equation, tol = 1e-14), error = function(e) abort_moments(rows))
    share <- 1
    repeat {
      then <- evaluate(b + share * step)
      if (all(is.finite(then$equation)) && size(then) < (1 - 1e-4 * share) * size(now)) break
      share <- share / 2
      if (share < 1e-8) break
    }
    if (share < 1e-8) break
    b <- b + share * step
    now <- then
    if (size(now) < 1e-26) break
  }
  converged <- size(now) < 1e-12
  if (!converged) {
    abort(c("The moment equations have no solution here.",
            x = "Their scores, which may be negative, leave too little information for {length(b)} coefficients.",
            i = "Use {.code method = \"ml\"}, or a simpler formula."), "argument")
  }
  list(b = b, at = now, converged = converged)
}

abort_moments <- function(rows) {
  abort(c("The moments do not determine the coefficients.",
          x = "The corrected cross-products of {length(rows$keep)} columns are singular.",
          i = "Use {.code method = \"ml\"}, or a simpler formula."), "argument")
}

# The likelihood. Parameters: the truth models' coefficients (covariate by covariate, level by level), the outcome's,
# and for a Gaussian outcome the logarithm of its standard deviation.
mixture_model <- function(rows) {
  n <- nrow(rows$frame)
  gaussian <- rows$family$family == "gaussian"
  hidden <- rows$response %in% names(rows$mechanisms)
  truth <- lapply(rows$covariates, function(name) mixture_truth(rows, name))
  sizes <- vapply(truth, function(part) ncol(part$z[[1]]) * (part$k - 1L), 0)
  ends <- cumsum(sizes)
  at_truth <- Map(function(end, size) end - size + seq_len(size), ends, sizes)
  at_outcome <- sum(sizes) + seq_len(ncol(rows$x[[1]]))
  total <- sum(sizes) + ncol(rows$x[[1]]) + gaussian
  # Cells of the mixture: combinations of truths, and of the outcome's truth where that is not seen either.
  cells <- expand.grid(cell = seq_along(rows$x), outcome = if (hidden) 0:1 else NA)
  known <- vapply(seq_len(nrow(cells)), function(c) {
    value <- rep(0, n)
    for (name in rows$covariates) {
      value <- value + log(rows$channels[[name]][rows$cells[[name]][cells$cell[c]], ][rows$codes[[name]]])
    }
    if (hidden) {
      value <- value + log(rows$channels[[rows$response]][cells$outcome[c] + 1, ][rows$codes[[rows$response]]])
    }
    value
  }, numeric(n))
  known <- matrix(known, n)
  density <- function(o, eta, sigma) {
    switch(rows$family$family, gaussian = stats::dnorm(o, eta, sigma, log = TRUE),
           binomial = stats::plogis((2 * o - 1) * eta, log.p = TRUE), poisson = stats::dpois(o, exp(eta), log = TRUE))
  }
  parts <- function(b) {
    sigma <- if (gaussian) exp(b[total]) else 1
    joint <- known
    shares <- lapply(seq_along(truth), function(j) {
      lapply(truth[[j]]$z, function(z) multinomial_truths(z, matrix(b[at_truth[[j]]], ncol(z))))
    })
    eta <- lapply(rows$x, function(x) drop(x %*% b[at_outcome]))
    for (c in seq_len(nrow(cells))) {
      cell <- cells$cell[c]
      for (j in seq_along(truth)) {
        joint[, c] <- joint[, c] + log(shares[[j]][[truth[[j]]$of[cell]]][, truth[[j]]$level[cell]])
      }
      joint[, c] <- joint[, c] + density(if (hidden) cells$outcome[c] else rows$outcome, eta[[cell]], sigma)
    }
    top <- joint[cbind(seq_len(n), max.col(joint, "first"))]
    e <- exp(joint - top)
    sum <- rowSums(e)
    list(sigma = sigma, shares = shares, eta = eta, r = e / sum, loglik = top + log(sum))
  }
  # The complete-data scores of one cell, one row a respondent, and the sum of the complete-data informations.
  cell_scores <- function(b, now, c) {
    cell <- cells$cell[c]
    s <- matrix(0, n, total)
    for (j in seq_along(truth)) {
      z <- truth[[j]]$z[[truth[[j]]$of[cell]]]
      own <- -now$shares[[j]][[truth[[j]]$of[cell]]][, -1, drop = FALSE]
      level <- truth[[j]]$level[cell]
      if (level > 1) own[, level - 1] <- own[, level - 1] + 1
      m <- ncol(own)
      s[, at_truth[[j]]] <- own[, rep(seq_len(m), each = ncol(z)), drop = FALSE] * z[, rep(seq_len(ncol(z)),
                                                                                           m), drop = FALSE]
    }
    o <- if (hidden) cells$outcome[c] else rows$outcome
    residual <- o - rows$family$linkinv(now$eta[[cell]])
    s[, at_outcome] <- rows$x[[cell]] * (residual / now$sigma^2)
    if (gaussian) s[, total] <- (residual / now$sigma)^2 - 1
    s
  }
  cell_information <- function(b, now, c, w) {
    cell <- cells$cell[c]
    i <- matrix(0, total, total)
    for (j in seq_along(truth)) {
      z <- truth[[j]]$z[[truth[[j]]$of[cell]]]
      share <- now$shares[[j]][[truth[[j]]$of[cell]]][, -1, drop = FALSE]
      p <- ncol(z)
      for (a in seq_len(ncol(share))) for (d in seq_len(a)) {
        block <- crossprod(z * (w * share[, a] * ((a == d) - share[, d])), z)
        rows_at <- at_truth[[j]][(a - 1) * p + seq_len(p)]
        columns_at <- at_truth[[j]][(d - 1) * p + seq_len(p)]
        i[rows_at, columns_at] <- block
        i[columns_at, rows_at] <- t(block)
      }
    }
    mu <- rows$family$linkinv(now$eta[[cell]])
    i[at_outcome, at_outcome] <- crossprod(rows$x[[cell]] * (w * rows$family$variance(mu) / now$sigma^2),
                                           rows$x[[cell]])
    if (gaussian) {
      residual <- rows$outcome - mu
      i[at_outcome, total] <- i[total, at_outcome] <- colSums(rows$x[[cell]] * (2 * w * residual / now$sigma^2))
      i[total, total] <- sum(2 * w * (residual / now$sigma)^2)
    }
    i
  }
  # Louis: the complete-data information less the variance of the complete-data score given what was seen.
  evaluate <- function(b) {
    if (gaussian && (b[total] < -30 || b[total] > 30)) return(list(loglik = -Inf))
    now <- parts(b)
    if (!all(is.finite(now$loglik))) return(list(loglik = -Inf))
    s <- 0
    information <- spread <- 0
    for (c in seq_len(nrow(cells))) {
      own <- cell_scores(b, now, c)
      r <- now$r[, c]
      s <- s + own * r
      information <- information + cell_information(b, now, c, rows$weights * r)
      spread <- spread + crossprod(own * (rows$weights * r), own)
    }
    observed <- information - spread + crossprod(s * rows$weights, s)
    list(loglik = sum(rows$weights * now$loglik), score = colSums(s * rows$weights), scores = s * rows$weights,
         observed = (observed + t(observed)) / 2, fallback = function() {
           # The information of EM's M-step at its own maximum: its cross term with the error's variance left out.
           if (gaussian) information[at_outcome, total] <- information[total, at_outcome] <- 0
           information
         })
  }
  unit <- if (gaussian) max(stats::sd(rows$outcome), 1e-300) else 1
  reach <- function(step) {
    far <- max(abs(vapply(rows$x, function(x) max(abs(x %*% step[at_outcome])), 0))) / unit
    for (j in seq_along(truth)) for (z in truth[[j]]$z) far <- max(far, abs(z %*% matrix(step[at_truth[[j]]], ncol(z))))
    if (gaussian) max(far, abs(step[total])) else far
  }
  size <- c(unlist(lapply(truth, function(part) rep(column_size(part$z, rows$weights), part$k - 1L))),
            column_size(rows$x, rows$weights) / unit, if (gaussian) sqrt(sum(rows$weights)))
  list(evaluate = evaluate, reach = reach, size = size, parts = parts, cells = cells, truth = truth, total = total,
       at_truth = unlist(at_truth), at_outcome = at_outcome, gaussian = gaussian, unit = unit)
}

# The norm of each column, where it is largest: a truth's indicator is 0 in most of the designs.
column_size <- function(designs, weights) sqrt(colSums(weights * Reduce(pmax, lapply(designs, abs))^2))

# The truth model of one randomized covariate: its distinct designs, and which of them, and which level, each cell has.
mixture_truth <- function(rows, name) {
  position <- match(name, rows$covariates)
  before <- rows$covariates[seq_len(position - 1)]
  formula <- rows$truth_formulas[[name]]
  used <- intersect(before, all.vars(formula))
  key <- if (length(used)) do.call(paste, rows$cells[used]) else rep("", nrow(rows$cells))
  first <- which(!duplicated(key))
  z <- predictor_designs(stats::terms(formula), rows$frame, list(cells = rows$cells[first, , drop = FALSE],
                                                                covariates = rows$covariates, levels = rows$levels))
  keep <- independent_columns(do.call(rbind, z), rep(rows$weights, length(z)))
  list(name = name, k = length(rows$levels[[name]]), z = lapply(z, function(x) x[, keep, drop = FALSE]), keep = keep,
       made = attr(z, "made"), of = match(key, key[first]), level = rows$cells[[name]], first = first,
       names = colnames(z[[1]])[keep])
}

# "taxyes ~ age": the log odds of the truth, on age. A colon would be an interaction of the outcome's model.
truth_names <- function(rows, truth) {
  unlist(lapply(truth, function(part) {
    levels <- paste0(part$name, rows$levels[[part$name]][-1])
    as.vector(t(outer(levels, part$names, paste, sep = " ~ ")))
  }))
}

fit_mixture <- function(rows, starts) {
  model <- mixture_model(rows)
  check_enough_rows(sum(rows$weights > 0), model$total)
  best <- best_maximum(model$evaluate, mixture_start(rows, model), model$reach, model$size, starts)
  check_maximum(best)
  warn_maxima(best)
  found <- limit_estimates(best$b, best$at$observed, best$directions, model$size)
  truth <- truth_names(rows, model$truth)
  names <- c(truth, rows$names[rows$keep], if (model$gaussian) "log(sigma)")
  if (any(found$infinite)) warn_infinite(names[found$infinite], "Some truths are fitted as certain.")
  coefficients <- stats::setNames(rep(NA_real_, length(rows$names)), rows$names)
  coefficients[rows$keep] <- found$b[model$at_outcome]
  all <- structure(found$vcov, dimnames = list(names, names))
  outcome <- all[model$at_outcome, model$at_outcome, drop = FALSE]
  list(coefficients = coefficients, estimate = best$b, vcov = outcome, vcov_all = all,
       truth = stats::setNames(found$b[model$at_truth], truth), model = model, scores = best$at$scores,
       sigma = if (model$gaussian) exp(best$b[model$total]), loglik = best$at$loglik, df = length(found$b),
       infinite = names[found$infinite], starts = best$starts, decrement = best$decrement, iterations = best$iterations,
       converged = best$converged)
}

# Truths: the shares without covariates. Outcome: the moments, where they have a solution.
mixture_start <- function(rows, model) {
  start <- numeric(model$total)
  at <- 0
  for (part in model$truth) {
    own <- multinomial_start(part$z[[1]], rows$codes[[part$name]], rows$weights, rows$channels[[part$name]])
    start[at + seq_along(own)] <- own
    at <- at + length(own)
  }
  copy <- rows
  if (is.null(copy$outcome)) copy$outcome <- predictor_outcome(rows, "moments")
  moments <- tryCatch(fit_moments(copy), candor_error = function(e) NULL)
  small <- !is.null(moments) && model$reach(replace(start * 0, model$at_outcome, moments$estimate)) < 10
  start[model$at_outcome] <- if (small) moments$estimate else 0
  if (model$gaussian) start[model$total] <- log(max(moments$sigma %||% 0, 0.3 * model$unit))
  start
}
