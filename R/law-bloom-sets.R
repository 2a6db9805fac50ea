# RAPPOR's own likelihood. A report is a cohort and the bits of a filter, and given the truth v its bits are independent:
#   P(cohort j, bits | v) = 1 / m  product over bits i of  one or zero for bit i of v's filter in cohort j, or the rest.
# Reports that are alike are one row of a channel, for the certified solver; rr_tally(keep = "sets") keeps the different
# ones, their bits followed by four bytes of the cohort. Hardly any are alike where there are many bits, so that the
# channel has a row for nearly each report: it is refused where that does not fit in memory.

#' @export
report_sets.rr_bloom <- function(mechanism, x) {
  read <- read_bloom(x, mechanism)
  cohort <- vapply(0:3, function(byte) read$cohort %/% 256^byte %% 256, numeric(length(read$cohort)))
  bytes <- matrix(as.raw(cohort), ncol = 4)
  cbind(unclass_bits(read$bits), bytes)
}

# A matrix with a row for each report that was kept, a column for each category, each row over its largest number, and
# the logarithms of these.
bloom_rows <- function(law) {
  bits <- law$sets$bits
  width <- ncol(bits) - 4
  numbers <- as.double(nrow(bits)) * law$truths
  if (numbers > bloom_numbers) {
    abort(c("The likelihood of so many different reports does not fit in memory.",
            x = paste("{format_count(nrow(bits))} different reports by {format_count(law$truths)} categories take",
                      "{format_bytes(8 * numbers)}."),
            i = "Estimate with {.val inv} or {.val nnls}, which need the counts of bits only."), "too_large")
  }
  cohort <- drop(matrix(as.integer(bits[, width + 1:4]), ncol = 4) %*% 256^(0:3))
  seen <- .Call(C_rr_bits_to_matrix, bits[, seq_len(width), drop = FALSE], as.double(law$bits))
  logs <- matrix(0, nrow(bits), law$truths)
  # log P(bit | 0) of all bits, and what a 1 in the filter adds.
  blank <- drop(seen %*% rep(log(law$zero) - log1p(-law$zero), law$bits)) + law$bits * log1p(-law$zero)
  one <- log(law$one) - log(law$zero)
  none <- log1p(-law$one) - log1p(-law$zero)
  for (j in unique(cohort)) {
    rows <- which(cohort == j)
    filters <- cohort_filters(law, j)
    logs[rows, ] <- blank[rows] + (one - none) * (seen[rows, , drop = FALSE] %*% filters) +
      none * rep(colSums(filters), each = length(rows))
  }
  largest <- do.call(pmax, as.data.frame(logs))
  list(matrix = exp(logs - largest), logs = largest - log(law$cohorts))
}

bloom_channel <- function(law) new_law_channel(list(list(matrix = bloom_rows(law)$matrix)))

#' @export
law_maximum.rr_law_bloom <- function(law, evidence, options) {
  if (is.null(law$sets)) refuse_law(law, "likelihood")
  law_maximum(bloom_channel(law), sets_evidence(law, evidence), options)
}

#' @export
law_update.rr_law_bloom <- function(law, evidence, options) {
  if (is.null(law$sets)) refuse_law(law, "likelihood")
  law_update(bloom_channel(law), sets_evidence(law, evidence), options)
}

#' @export
law_likelihood_map.rr_law_bloom <- function(law, evidence, estimate) {
  if (!is.null(law$sets)) list(information = estimate)
}

# For fixed truths less what comes from sampling them, as for other sets.
bloom_information <- function(law, evidence, map, which, target) {
  covariance <- law_covariance(bloom_channel(law), sets_evidence(law, evidence), map, which, "population")
  if (target == "population") return(covariance)
  theta <- map$information[which]
  covariance - (diag(theta, length(theta)) - outer(theta, theta)) / evidence$n
}

bloom_loglik <- function(law, evidence, theta) {
  rows <- bloom_rows(law)
  times <- law$sets$times * (evidence$n / evidence$given$n)
  sum(times * (log(drop(rows$matrix %*% theta)) + rows$logs))
}
