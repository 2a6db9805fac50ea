# Draws of the shares of K categories, and what is read off a posterior.

drawn_posterior <- function(counts, channel, prior, n) {
  draws <- if (all(prior == 1)) rejection_draws(counts, channel, n)
  method <- if (is.null(draws)) "data augmentation" else "rejection"
  if (is.null(draws)) draws <- augmentation_draws(counts, channel, prior, n)
  effective <- if (method == "rejection") rep(n, ncol(draws)) else apply(draws, 2, effective_draws)
  list(method = method, draws = draws, mean = colMeans(draws), sd = apply(draws, 2, stats::sd), evidence = NA_real_,
       effective = effective, quantile = NULL)
}

# With a uniform prior and P(y | x) = b[y] + a 1{x = y}, the reported shares are Dirichlet(n + 1) where all m[y] >=
# b[y].
rejection_draws <- function(counts, channel, n) {
  k <- nrow(channel)
  if (k != ncol(channel)) return(NULL)
  b <- (colSums(channel) - diag(channel)) / (k - 1)
  a <- mean(diag(channel) - b)
  if (a <= 0 || max(abs(channel - rep(b, each = k) - diag(a, k))) > 1e-12) return(NULL)
  kept <- matrix(0, 0, k)
  tried <- 0
  while (nrow(kept) < n) {
    size <- max(1000, 2 * (n - nrow(kept)))
    m <- matrix(stats::rgamma(size * k, rep(counts + 1, each = size)), size)
    m <- m / rowSums(m)
    kept <- rbind(kept, m[rowSums(m < rep(b, each = size)) == 0, , drop = FALSE])
    tried <- tried + size
    if (nrow(kept) < 0.02 * tried) return(NULL)
  }
  theta <- (kept[seq_len(n), , drop = FALSE] - rep(b, each = n)) / a
  theta / rowSums(theta)
}

augmentation_draws <- function(counts, channel, prior, n, warm = 500L) {
  k <- nrow(channel)
  seen <- which(counts > 0)
  theta <- start_shares(seq_along(counts), counts, channel)
  draws <- matrix(0, n, k)
  for (sweep in seq_len(warm + n)) {
    truths <- prior
    for (y in seen) truths <- truths + stats::rmultinom(1, counts[y], theta * channel[, y])[, 1]
    theta <- stats::rgamma(k, truths)
    theta <- theta / sum(theta)
    if (sweep > warm) draws[sweep - warm, ] <- theta
  }
  draws
}

# By the initial positive sequence of Geyer (1992).
effective_draws <- function(x) {
  n <- length(x)
  if (n < 10 || stats::var(x) == 0) return(n)
  rho <- stats::acf(x, lag.max = min(n - 1, 1000), plot = FALSE)$acf[-1]
  pairs <- rho[seq(1, length(rho) - 1, 2)] + rho[seq(2, length(rho), 2)]
  stop <- match(TRUE, pairs < 0, nomatch = length(pairs) + 1) - 1
  n / max(1, 1 + 2 * sum(rho[seq_len(2 * stop)]))
}

# One matrix of quantiles a group: a row per level, a column per probability.
posterior_quantiles <- function(x, probs) {
  lapply(x$parts, function(part) {
    if (is.null(part$quantile)) return(t(apply(part$draws, 2, stats::quantile, probs, names = FALSE)))
    yes <- part$quantile(probs)
    rbind(1 - part$quantile(1 - probs), yes)
  })
}

#' @rdname rr_posterior
#' @param x,object A posterior.
#' @param probs Probabilities, from 0 to 1.
#' @param ... Ignored.
#' @param ... Not used, and refused.
#' @importFrom stats quantile
#' @export
quantile.rr_posterior <- function(x, probs = c(0.025, 0.25, 0.5, 0.75, 0.975), ...) {
  probs <- check_probabilities(probs, "probs")
  tables <- lapply(posterior_quantiles(x, probs), matrix, ncol = length(probs))
  matrix(unlist(lapply(tables, t)), ncol = length(probs), byrow = TRUE,
         dimnames = list(posterior_names(x), paste0(format(100 * probs, trim = TRUE, digits = 5), "%")))
}

posterior_names <- function(x) {
  levels <- x$mechanism$levels
  groups <- x$tally$groups
  if (is.null(groups)) return(levels)
  keys <- do.call(paste, c(as.list(groups), sep = "."))
  paste(rep(keys, each = length(levels)), levels, sep = ":")
}

posterior_moments <- function(x, what) {
  unlist(lapply(x$parts, function(part) {
    value <- part[[what]]
    if (length(value) > 1L) return(value)
    if (what == "mean") c(1 - value, value) else c(value, value)
  }))
}

#' @export
coef.rr_posterior <- function(object, ...) {
  stats::setNames(posterior_moments(object, "mean"), posterior_names(object))
}

#' @rdname rr_posterior
#' @param parm Names or positions of levels; all by default.
#' @param level,conf.level Probability between the ends, equal tails.
#' @export
confint.rr_posterior <- function(object, parm = NULL, level = 0.95, ...) {
  level <- check_level(level)
  quantile(object, c((1 - level) / 2, (1 + level) / 2))[match_coefficients(parm,
                                                                           posterior_names(object)), , drop = FALSE]
}

#' @export
nobs.rr_posterior <- function(object, ...) {
  sum(object$tally$n)
}

#' @rdname rr_posterior
#' @param conf.int Add the columns `conf.low` and `conf.high`?
#' @export
tidy.rr_posterior <- function(x, conf.int = FALSE, conf.level = 0.95, ...) {
  check_flag(conf.int, "conf.int")
  conf.level <- check_level(conf.level)
  levels <- x$mechanism$levels
  groups <- lapply(as.list(x$tally$groups), rep, each = length(levels))
  quantiles <- unname(quantile(x, c((1 - conf.level) / 2, 0.5, (1 + conf.level) / 2)))
  columns <- c(groups, list(term = rep(levels, length(x$parts)), estimate = posterior_moments(x, "mean"),
                            std.error = posterior_moments(x, "sd"), median = quantiles[, 2]))
  if (conf.int) columns <- c(columns, list(conf.low = quantiles[, 1], conf.high = quantiles[, 3]))
  tibble::as_tibble(columns)
}

#' @export
glance.rr_posterior <- function(x, ...) {
  tibble::tibble(nobs = nobs(x), log.evidence = sum(vapply(x$parts, `[[`, 0, "evidence")),
                 method = paste(unique(vapply(x$parts, `[[`, "", "method")), collapse = ", "),
                 draws = if (is.null(x$parts[[1]]$draws)) 0 else nrow(x$parts[[1]]$draws),
                 effective = if (is.null(x$parts[[1]]$draws)) NA_real_ else min(unlist(lapply(x$parts, `[[`,
                                                                                              "effective"))))
}

#' @export
as.data.frame.rr_posterior <- function(x, ...) {
  if (is.null(x$draws)) return(plain_frame(tidy(x, conf.int = TRUE), ...))
  if (is.null(x$tally$groups)) return(plain_frame(tibble::as_tibble(x$draws), ...))
  keys <- as.data.frame(x$tally$groups)
  each <- nrow(x$draws[[1]])
  plain_frame(cbind(keys[rep(seq_len(nrow(keys)), each = each), , drop = FALSE], do.call(rbind, x$draws),
                    row.names = NULL),
              ...)
}

#' @export
print.rr_posterior <- function(x, digits = 4, ...) {
  look <- glance(x)
  cat("<rr_posterior> Shares given ", format_count(look$nobs), " reports",
      if (!is.null(x$tally$groups)) sprintf(" in %d groups", nrow(x$tally$groups)), "; ", look$method,
      if (look$draws > 0) sprintf(", %s draws (worth at least %s)", format_count(look$draws),
                                  format_count(floor(look$effective))), "\n", sep = "")
  cat("  ", format(x$mechanism), "; prior ", if (length(x$prior) == 2) "Beta" else "Dirichlet", "(",
      paste(format(if (length(x$prior) == 2) rev(x$prior) else utils::head(x$prior, 8), digits = 3, trim = TRUE),
            collapse = ", "),
      if (length(x$prior) > 8) ", ...", ")\n", sep = "")
  print(as.data.frame(utils::head(tidy(x, conf.int = TRUE), 20)), digits = check_digits(digits), row.names = FALSE)
  invisible(x)
}
