# Channels whose truths can be told apart, and unbiased scores of the truths for each report.

# P(report | truth) with truths as rows; without full row rank some truths give the same reports, and nothing about
# each of them can be estimated. `counted` reports are those of a tally, which of sets and bits are no columns of it.
identified_channel <- function(mechanism, arg = "mechanism", counted = TRUE) {
  check_mechanism(mechanism, arg)
  law <- rr_law(mechanism)
  if (counted && !law_gives(law, "channel", length(mechanism$levels))) {
    refuse_law(law, "channel", sprintf("The model of {.arg %s}", arg), "{.fn rr_estimate} takes its reports.")
  }
  channel <- rr_matrix(mechanism)
  # Relative to the truth's own part, as the additive form would be: a small epsilon is no lack of rank.
  centred <- channel[-1, , drop = FALSE] - rep(channel[1, ], each = nrow(channel) - 1)
  if (nrow(channel) <= ncol(channel) && qr(t(centred), tol = 1e-9)$rank == nrow(channel) - 1 &&
      max(abs(centred)) > 1e-13) {
    return(channel)
  }
  abort(c("The truths cannot be told apart from these reports.",
          x = "The matrix of {.arg {arg}} ({mechanism$design}) has {nrow(channel)} rows that depend on each other.",
          i = "The rows must be independent: at least as many reports as truths, and p unlike q."),
        "no_information")
}

# Reports to truths without bias: R x K with C B = I, the inverse where C is square, else the least-squares one.
unbiased_matrix <- function(channel) {
  if (nrow(channel) == ncol(channel)) return(solve(channel))
  t(channel) %*% solve(tcrossprod(channel))
}
