# The likelihood of the reports themselves, for protocols whose reports support sets of categories:
#   l(theta) = sum over reports of log(1 + (E - 1) theta(S)) + const,   theta(S) = sum of theta over the set S,
# with E the odds ratio of p and q. It needs the sets, not their counts: rr_tally(keep = "sets") keeps the different
# ones and how often each was given. They are then the reports of a channel of two values, for the certified solver.
#
# law$sets: NULL, or list(bits = raw matrix, a row a set; times = how often, in the weights of the tally).

# The columns of the channel but for a factor that does not depend on theta. The larger value is 1: no overflow.
sets_channel <- function(law, evidence) {
  ratio <- 1 + (law$odds %||% 0)
  axis <- list(bits = law$sets$bits, truths = evidence$k, low = if (ratio > 1) 1 / ratio else 1, high = min(1, ratio))
  new_law_channel(list(axis))
}

sets_evidence <- function(law, evidence) {
  evidence$counts <- law$sets$times * (evidence$n / evidence$given$n)
  evidence
}

# The law of a group of a tally: that of the mechanism, with the sets that were kept.
tally_law <- function(tally, g, law = rr_law(tally$mechanism)) {
  keeps <- c("rr_law_support", "rr_law_bloom", "rr_law_bitflip", "rr_law_hierarchy")
  if (!is.null(tally$sets) && inherits(law, keeps)) law$sets <- tally$sets[[g]]
  law
}

# The constant of the log-likelihood is that of 1 + (E - 1) theta(S).
report_channel.rr_law_support <- function(law, evidence) {
  if (is.null(law$sets)) refuse_law(law, "likelihood")
  log <- if (is.finite(law$odds) && law$odds > 0) log1p(law$odds) else 0
  list(law = sets_channel(law, evidence), evidence = sets_evidence(law, evidence),
       logs = rep(log, length(law$sets$times)))
}

# ---- sets of a tally ----

sets_bits_limit <- 2^31

# A list with one element a group: the different sets and how often each was given.
keep_sets <- function(bits, groups, weights, group_number) {
  text <- .Call(C_rr_to_hex, bits)
  lapply(seq_len(group_number), function(g) {
    chosen <- if (is.null(groups)) seq_along(text) else which(groups == g)
    distinct_sets(bits[chosen, , drop = FALSE], if (is.null(weights)) rep(1, length(chosen)) else weights[chosen],
                  text[chosen])
  })
}

distinct_sets <- function(bits, times, text = .Call(C_rr_to_hex, bits)) {
  first <- which(!duplicated(text))
  list(bits = bits[first, , drop = FALSE], times = as.vector(rowsum(times, match(text, text[first]), reorder = TRUE)))
}

# Of tallies that are merged: by pairs of groups.
merge_sets <- function(parts) {
  if (length(parts) == 1L) return(parts[[1]])
  distinct_sets(do.call(rbind, lapply(parts, `[[`, "bits")), unlist(lapply(parts, `[[`, "times")))
}

check_sets_size <- function(n, k) {
  if (as.double(n) * k <= sets_bits_limit) return(invisible())
  abort(c("The sets of so many reports are too many to keep.",
          x = "{format_count(n)} reports of {format_count(k)} bits take {format_bytes(as.double(n) * k / 8)}."),
        "too_large")
}
