# Maximum likelihood with the small cells as one.
method_merged <- function() {
  rr_new_method("merged", "Maximum likelihood, small cells merged", estimate_merged, needs = "additive",
                options = "smoothing",
                group = "shrinkage", cost = 5, place = 13, refit = TRUE)
}

# Cells that do not rise above the noise of an empty cell by `smoothing` standard deviations get one common share.
# Merging keeps the channel's form, so that the regularised maximum is again the closed form.
estimate_merged <- function(evidence, options) {
  smoothing <- check_number(options$smoothing %||% 1, "smoothing", min = 0, max_open = TRUE)
  law <- evidence$law
  counts <- evidence$counts
  k <- evidence$k
  b <- rep_len(law$b, k)
  rise <- sign(law$a) * (counts - evidence$n * b)
  small <- rise <= smoothing * sqrt(evidence$n * b * (1 - b))
  if (sum(small) < 2) return(list(estimate = law_maximum(law, evidence)$estimate, merged = 0))
  if (all(small)) return(list(estimate = rep(1 / k, k), merged = k))
  # Merged cells have unequal b, for which a small difference says less.
  if (law_tells_nothing(new_law_additive(law$a, b))) abort_no_information()
  merged <- new_law_additive(law$a, c(b[!small], sum(b[small])))
  fit <- law_maximum(merged, list(counts = c(counts[!small], sum(counts[small]))))$estimate
  estimate <- numeric(k)
  estimate[!small] <- fit[-length(fit)]
  estimate[small] <- fit[length(fit)] / sum(small)
  list(estimate = estimate, merged = sum(small))
}
