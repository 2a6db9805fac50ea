# The oracle: the posterior mean of a share when the shares are known, but not which category has which share. No
# estimator that treats each count on its own does better on average. With few categories, or with shares that are
# exactly equal, the oracle knows much that no real estimator can know.
#
# It shows in a picture what is possible. It is not a method of rr_estimate(), because it needs the truth.

study_oracle <- function(mechanism, theta, counts, n) {
  form <- alike_law(rr_law(mechanism), length(theta))
  if (is.null(form) || form$reversed) {
    abort(c("{.val oracle} needs a mechanism whose other answers are all alike and less likely than the truth.",
            x = "This one is: {format(mechanism)}."), "argument")
  }
  truth <- distinct_truths(theta, form, n)
  rows <- eb_rows(counts, n, form)
  m <- truth$m
  log_m <- log(m)
  log_rest <- log1p(-pmin(m, 1 - 1e-16))
  posterior <- unlist(lapply(split(rows$count, (seq_along(rows$count) - 1) %/% 200), function(count) {
    likelihood <- outer(count, log_m) + outer(n - count, log_rest)
    likelihood[outer(count == 0, m == 0, `&`)] <- 0
    weight <- exp(likelihood - apply(likelihood, 1, max)) * rep(truth$categories, each = length(count))
    drop(weight %*% truth$share) / rowSums(weight)
  }), use.names = FALSE)
  rows$place(posterior)
}

# Where there are many shares, those that differ by less than a fiftieth of a standard deviation of their counts are
# treated as one.
distinct_truths <- function(theta, form, n) {
  share <- sort(unique(theta))
  categories <- tabulate(match(theta, share))
  if (length(share) > 1500) {
    bin <- floor(100 * sqrt(n * (form$b + form$a * share)))
    bin <- match(bin, unique(bin))
    total <- rowsum(categories * share, bin)[, 1]
    categories <- rowsum(categories, bin)[, 1]
    share <- total / categories
  }
  list(share = share, categories = categories, m = form$b + form$a * share)
}
