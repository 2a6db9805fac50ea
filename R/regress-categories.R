# Likelihoods of a category seen through a channel: multinomial and cumulative logit. Rows are visited in blocks that
# stay in the cache.

row_block <- 8192L

# A model is a list: `names` of its parameters, evaluate(b, scores), truths(b, x), gradients(b, x) (the derivative of
# the truths in the coefficients, one matrix a category), reach, size, start, inward and outward (from the coefficients
# to the parameters that are maximised over, and back), vcov_of(information in parameters).
category_model <- function(type, x, codes, weights, channel, levels) {
  if (type == "cumulative") return(cumulative_model(x, codes, weights, channel, levels))
  multinomial_model(x, codes, weights, channel, levels)
}

multinomial_model <- function(x, codes, weights, channel, levels) {
  k <- nrow(channel)
  keep <- independent_columns(x, weights)
  columns <- colnames(x)
  x <- x[, keep, drop = FALSE]
  m <- k - 1L
  p <- ncol(x)
  name <- function(terms) as.vector(t(outer(levels[-1], terms, paste, sep = ":")))
  # The pass over the rows is the one thing that a fit waits for: src/core/regress/category.c.
  pass <- function(b, curvature) {
    .Call(C_rr_category, x, codes, weights, channel, b, match(curvature, c("observed", "fallback", "expected")) - 1L)
  }
  evaluate <- function(b) {
    now <- pass(b, "observed")
    list(loglik = now$loglik, score = now$score, observed = now$information,
         fallback = function() pass(b, "fallback")$information)
  }
  dimnames(x) <- list(NULL, colnames(x))
  size <- rep(sqrt(colSums(weights * x^2)), m)
  list(names = name(colnames(x)), all_names = name(columns), columns = columns, keep = keep, evaluate = evaluate,
       weights = weights, size = size, x = x, codes = codes, channel = channel, levels = levels,
       reach = function(step) max(abs(x %*% matrix(step, p))),
       start = multinomial_start(x, codes, weights, channel),
       expected = function(b) pass(b, "expected")$information,
       scores = function(b) {
         theta <- multinomial_truths(x, matrix(b, p))
         r <- theta * t(channel[, codes, drop = FALSE])
         s <- weights * (r / rowSums(r) - theta)[, -1, drop = FALSE]
         s[, rep(seq_len(m), each = p), drop = FALSE] * x[, rep(seq_len(p), m), drop = FALSE]
       },
       truths = function(b, at = x) multinomial_truths(at, matrix(b, p)),
       gradients = function(b, at = x) {
         theta <- multinomial_truths(at, matrix(b, p))
         lapply(seq_len(k), function(j) {
           own <- -theta[, j] * theta[, -1, drop = FALSE]
           if (j > 1) own[, j - 1] <- own[, j - 1] + theta[, j]
           own[, rep(seq_len(m), each = p), drop = FALSE] * at[, rep(seq_len(p), m), drop = FALSE]
         })
       },
       inward = identity,
       outward = function(best) {
         c(limit_estimates(best$b, best$at$observed, best$directions, size), list(names = name(colnames(x))))
       },
       to_coefficients = function(b) diag(length(b)))
}

row_blocks <- function(n) {
  starts <- seq(1, n, by = row_block)
  Map(function(from, to) from:to, starts, pmin(starts + row_block - 1, n))
}

multinomial_truths <- function(x, beta) {
  eta <- x %*% beta
  top <- pmax(0, eta[cbind(seq_len(nrow(eta)), max.col(eta, "first"))])
  e <- cbind(exp(-top), exp(eta - top))
  e / rowSums(e)
}

# The shares without covariates, kept off the boundary, as the linear predictor that comes nearest to them.
multinomial_start <- function(x, codes, weights, channel) {
  target <- log(start_shares(codes, weights, channel))
  fit <- qr.coef(qr(x), rep(1, nrow(x)))
  fit[is.na(fit)] <- 0
  as.vector(outer(unname(fit), target[-1] - target[1]))
}

start_shares <- function(codes, weights, channel) {
  counts <- as.vector(tabulate_weights(codes, weights, ncol(channel)))
  shares <- drop(counts %*% unbiased_matrix(channel)) / max(sum(counts), 1e-300)
  shares <- pmax(shares, 0.05 / nrow(channel))
  shares / sum(shares)
}

tabulate_weights <- function(codes, weights, size) {
  sums <- rowsum(weights, codes)
  counts <- numeric(size)
  counts[as.integer(rownames(sums))] <- sums
  counts
}

cumulative_model <- function(x, codes, weights, channel, levels) {
  k <- nrow(channel)
  if (k < 3) abort(c("A cumulative logit needs at least 3 categories.", x = "The mechanism has {k}.",
                     i = "For two use {.fn rr_glm}, or {.code type = \"multinomial\"}."), "argument")
  if (!"(Intercept)" %in% colnames(x)) {
    abort(c("A cumulative logit has thresholds in place of an intercept, so the formula must have one.",
            i = "Leave {.code - 1} out."), "argument")
  }
  keep <- setdiff(independent_columns(x, weights), match("(Intercept)", colnames(x)))
  columns <- setdiff(colnames(x), "(Intercept)")
  x <- x[, keep, drop = FALSE]
  m <- k - 1L
  p <- ncol(x)
  thresholds <- paste(levels[-k], levels[-1], sep = "|")
  steps <- channel[-k, , drop = FALSE] - channel[-1, , drop = FALSE]
  blocks <- row_blocks(length(codes))
  # Thresholds stay in order by the logarithms of their distances.
  outward <- function(b) c(cumsum(c(b[1], exp(b[-1][seq_len(m - 1)]))), b[-seq_len(m)])
  jacobian <- function(b) {
    t <- diag(length(b))
    for (j in seq_len(m)[-1]) t[j:m, j] <- exp(b[j])
    t[seq_len(m), 1] <- 1
    t
  }
  pass <- function(ab, expected = FALSE) {
    alpha <- ab[seq_len(m)]
    total <- list(loglik = 0, score = numeric(m + p), information = matrix(0, m + p, m + p))
    for (rows in blocks) {
      part <- x[rows, , drop = FALSE]
      w <- weights[rows]
      f <- cumulative_parts(alpha, drop(part %*% ab[-seq_len(m)]))
      seen <- rowSums(f$theta * t(channel[, codes[rows], drop = FALSE]))
      total$loglik <- total$loglik + sum((w * log(seen))[w > 0])
      g <- t(steps[, codes[rows], drop = FALSE]) / seen
      s <- f$density * g
      total$score <- total$score + c(colSums(w * s), -crossprod(part, w * rowSums(s)))
      if (expected) {
        all <- f$theta %*% channel
        for (y in seq_len(ncol(channel))) {
          s <- f$density * rep(steps[, y], each = length(rows))
          total$information <- total$information + ordered_information(s, 0 * s, part, w / all[, y])
        }
      } else {
        total$information <- total$information + ordered_information(s, f$slope * g, part, w)
      }
    }
    total
  }
  evaluate <- function(b) {
    now <- pass(outward(b))
    t <- jacobian(b)
    bent <- vapply(seq_along(b), function(j) {
      if (j >= 2 && j <= m) exp(b[j]) * sum(now$score[j:m]) else 0
    }, 0)
    list(loglik = if (all(is.finite(now$score))) now$loglik else -Inf, score = drop(crossprod(t, now$score)),
         observed = crossprod(t, now$information %*% t) - diag(bent, length(b)),
         fallback = function() crossprod(t, pass(outward(b), TRUE)$information %*% t))
  }
  shares <- cumsum(start_shares(codes, weights, channel))[-k]
  alpha <- stats::qlogis(shares)
  inward <- function(ab) {
    if (any(diff(ab[seq_len(m)]) <= 0)) abort(c("The thresholds in {.arg start} must increase."), "argument")
    c(ab[1], log(diff(ab[seq_len(m)])), ab[-seq_len(m)])
  }
  size <- c(rep(sqrt(sum(weights)), m), sqrt(colSums(weights * x^2)))
  names <- c(thresholds, colnames(x))
  list(names = names, all_names = c(thresholds, columns), columns = columns, keep = keep, evaluate = evaluate,
       weights = weights, size = size, x = x, codes = codes, channel = channel, levels = levels,
       reach = function(step) max(abs(step[seq_len(m)])) + if (p) max(abs(x %*% step[-seq_len(m)])) else 0,
       start = inward(c(alpha, numeric(p))),
       expected = function(b) pass(outward(b), TRUE)$information,
       scores = function(b) {
         ab <- outward(b)
         f <- cumulative_parts(ab[seq_len(m)], drop(x %*% ab[-seq_len(m)]))
         seen <- rowSums(f$theta * t(channel[, codes, drop = FALSE]))
         s <- weights * f$density * t(steps[, codes, drop = FALSE]) / seen
         cbind(s, -rowSums(s) * x)
       },
       truths = function(b, at = x) {
         ab <- outward(b)
         cumulative_parts(ab[seq_len(m)], drop(at %*% ab[-seq_len(m)]))$theta
       },
       gradients = function(b, at = x) {
         ab <- outward(b)
         f <- cumulative_parts(ab[seq_len(m)], drop(at %*% ab[-seq_len(m)]))$density
         lapply(seq_len(k), function(j) {
           own <- 0 * f
           if (j <= m) own[, j] <- f[, j]
           if (j > 1) own[, j - 1] <- -f[, j - 1]
           cbind(own, -rowSums(own) * at)
         })
       },
       inward = inward,
       outward = function(best) {
         found <- limit_estimates(best$b, best$at$observed, best$directions, size)
         ab <- outward(best$b)
         far <- found$infinite & !seq_along(ab) %in% seq_len(m)[-1]
         ab[far] <- found$b[far]
         t <- jacobian(best$b)
         # A distance of 0 between two thresholds is a category without respondents: its neighbours are determined.
         closed <- found$infinite & seq_along(ab) %in% seq_len(m)[-1] & best$b < 0
         v <- found$vcov
         v[closed, ] <- v[, closed] <- 0
         list(b = ab, vcov = t %*% v %*% t(t), limit = t %*% found$limit %*% t(t), infinite = found$infinite,
              names = names)
       },
       to_coefficients = jacobian)
}

# Shares of the categories, F(a_k) - F(a_{k-1}) = F(a_k) F(-a_{k-1}) (1 - exp(a_{k-1} - a_k)) without cancellation, and
# the logistic density and its slope at each threshold.
cumulative_parts <- function(alpha, shift) {
  a <- outer(-shift, alpha, `+`)
  m <- length(alpha)
  below <- stats::plogis(a)
  above <- stats::plogis(-a)
  middle <- below[, -1, drop = FALSE] * above[, -m, drop = FALSE] * rep(-expm1(-diff(alpha)), each = nrow(a))
  density <- below * above
  list(theta = cbind(below[, 1], middle, above[, m]), density = density, slope = density * (above - below))
}

# sum of w (s s' - diag(d)) in the linear predictors a_k = alpha_k - x'b.
ordered_information <- function(s, d, x, w) {
  m <- ncol(s)
  top <- crossprod(s * w, s) - diag(colSums(w * d), m)
  row <- s * rowSums(s) - d
  side <- -crossprod(row * w, x)
  rbind(cbind(top, side), cbind(t(side), crossprod(x * (w * rowSums(row)), x)))
}
