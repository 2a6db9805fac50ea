# Rscript tools/client-vectors.R: writes inst/client/vectors.json, examples of plans, answers and words with their reports,
# for who writes a client. The reports are those of candor.py, whose draws tests/testthat/test-protocol-client.R enumerates.
library(candor)
abc <- c("never", "once", "often")
cases <- list(
  list(rr_grr(abc, 1), "once"), list(rr_grr(abc, p = 0.2), "once"), list(rr_warner(0.8), "yes"), list(rr_forced(1 / 6), "no"),
  list(rr_unary(9, 1), "9"), list(rr_subset(5, 1, size = 2), "4"), list(rr_local_hash(abc, 1), "often"),
  list(rr_local_hash(abc, 1, cohorts = 4), "never"), list(rr_hadamard(5, 1, blocks = 2), "5"), list(rr_hadamard(9, 2, blocks = 1), "7"),
  list(rr_hadamard(5, 1, one_bit = TRUE), "4"), list(rr_square_wave(4, 1), "2"), list(rr_square_wave(c(0, 10, 20, 50), 1, reports = 6), 20),
  list(rr_square_wave(c(0, 10, 20, 50), 1, reports = 6), 50), list(rr_bloom(abc, 1, bits = 10, cohorts = 3), "once"),
  list(rr_bitflip(5, 1, d = 2, buckets = 3), "4"), list(rr_product(drugs = rr_warner(0.8), often = rr_grr(abc, 1)), list(drugs = "no", often = "once")),
  list(rr_longitudinal(abc, 2, 1, "grr-grr"), "once", list()), list(rr_longitudinal(abc, 2, 1, "grr-grr"), "once", list(`1` = 2)),
  list(rr_longitudinal(abc, 2, 1), "once", list()), list(rr_longitudinal(abc, 2, 1), "once", list(`1` = "05")),
  list(rr_longitudinal(abc, 2, 1, "local-hash"), "never", list()), list(rr_longitudinal(abc, 2, 1, "local-hash"), "never", list("function" = "5 7")),
  list(rr_bloom(abc, 1, bits = 10, cohorts = 3, permanent = 2), "once", list()),
  list(rr_bloom(abc, 1, bits = 10, cohorts = 3, permanent = 2), "once", list(cohort = 1, `1` = "0102"))
)
set.seed(22)
inputs <- vapply(cases, function(case) {
  file <- tempfile()
  plan <- readLines(rr_client(case[[1]], file, as = "plan"), warn = FALSE)
  words <- paste(sprintf("%.0f", floor(runif(44) * 2^32)), collapse = ", ")
  memory <- if (length(case) > 2) paste0(', "memory": ', if (length(case[[3]])) jsonlite::toJSON(case[[3]], auto_unbox = TRUE) else "{}")
  sprintf('{"client": %s, "answer": %s, "words": [%s]%s}', plan, jsonlite::toJSON(case[[2]], auto_unbox = TRUE), words, if (is.null(memory)) "" else memory)
}, "")
file <- tempfile()
writeLines(paste0("[", paste(inputs, collapse = ",\n"), "]"), file)
system2("python3", c("tools/client-vectors.py", file, "inst/client/vectors.json"))
