# The own likelihood of protocols whose reports are bits, but support no sets of categories with one ratio: RAPPOR and
# dBitFlip. Given the truth the bits of a report are independent:
#   RAPPOR     P(cohort j, bits | v) = 1 / m  product over bits i of  one or zero for bit i of v's filter, or the rest
#   dBitFlip   P(buckets, bits | v) = 1 / (b choose d)  product over the drawn buckets of  p if v's, else q, or the rest
# Reports that are alike are one row of a channel, for the certified solver; rr_tally(keep = "sets") keeps the different
# ones. Hardly any are alike where there are many bits, so that the channel has a row for nearly each report: it is
# refused where that does not fit in memory.

# list(matrix, logs): a row for each report that was kept, a column for each category, each row over its largest number,
# and the logarithms of these.
report_rows <- function(law) UseMethod("report_rows")

scaled_rows <- function(logs, constant) {
  largest <- do.call(pmax, as.data.frame(logs))
  list(matrix = exp(logs - largest), logs = largest + constant)
}

# Matrices of more numbers than this are not made.
rows_numbers <- 2.5e8

check_rows_size <- function(reports, truths) {
  numbers <- as.double(reports) * truths
  if (numbers <= rows_numbers) return(invisible())
  abort(c("The likelihood of so many different reports does not fit in memory.",
          x = "It takes {format_bytes(8 * numbers)}; {.code method = \"inv\"} needs the counts only."), "too_large")
}

rows_channel <- function(law, evidence) {
  if (is.null(law$sets)) refuse_law(law, "likelihood")
  rows <- report_rows(law)
  list(law = new_law_channel(list(list(matrix = rows$matrix))), evidence = sets_evidence(law, evidence),
       logs = rows$logs)
}

report_channel.rr_law_bloom <- rows_channel

report_channel.rr_law_bitflip <- rows_channel
