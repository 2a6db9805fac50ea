skip_if_not_installed("jsonlite")

schema <- jsonlite::read_json(system.file("schema", "tally-1.json", package = "candor"))

weighted_tally <- function(keep = "counts", mechanism = rr_grr(3, epsilon = 1)) {
  set.seed(3)
  reports <- rr_perturb(sample(length(mechanism$levels), 200, TRUE), mechanism, rng = "R")
  any_of <- function(values) values[sample(length(values), 200, TRUE)]
  rr_tally(reports, mechanism, weights = runif(200), keep = keep, by = list(
    day = any_of(as.Date("2024-02-28") + 0:2), place = factor(any_of(c("x", "y")), c("y", "x", "z")),
    rank = factor(any_of(c("lo", "hi")), c("lo", "hi"), ordered = TRUE), whole = any_of(2:3), part = any_of(c(0.1, 1 / 3)),
    yes = any_of(c(TRUE, FALSE)), time = .POSIXct(any_of(c(1.5, 1e9)), "UTC"), text = any_of(c("\u00e4", "q\""))))
}

test_that("tallies of every mechanism come back to the last bit, and fit the schema", {
  set.seed(1)
  mechanisms <- travelling_mechanisms()
  file <- withr::local_tempfile()
  for (name in names(mechanisms)) {
    tally <- any_tally(mechanisms[[name]])
    rr_write(tally, file)
    expect_identical(rr_read(file), tally, label = name)
    expect_null(schema_problem(jsonlite::read_json(file), schema, schema), label = name)
  }
})

test_that("no kind of mechanism is forgotten, here or in the schema", {
  # Whoever makes a law can be tallied. Those that the package cannot make again are named here, and refused below.
  laws <- sub("^rr_law[.]", "", grep("^rr_law[.]", ls(asNamespace("candor"), all.names = TRUE), value = TRUE))
  kinds <- setdiff(laws, c("default", "rr_sketch_candidates"))
  tested <- unique(unlist(lapply(travelling_mechanisms(), class)))
  expect_identical(setdiff(kinds, tested), character())
  in_schema <- vapply(schema[["$defs"]]$mechanism$oneOf, function(part) part$properties$kind$const, "")
  made <- sub("^from_recipe[.]recipe_", "", grep("^from_recipe[.]recipe_", ls(asNamespace("candor")), value = TRUE))
  expect_setequal(in_schema, made)
})

test_that("sums of numbers, and what two stages and many depths make of reports, come back and are estimated alike", {
  set.seed(2)
  hours <- runif(300, 0, 24)
  tally <- rr_tally(rr_perturb(hours, rr_mean(c(0, 24), 1), rng = "R"), rr_mean(c(0, 24), 1), by = rep(1:3, 100))
  expect_identical(there_and_back(tally), tally)
  expect_identical(coef(rr_estimate(there_and_back(tally))), coef(rr_estimate(tally)))
  for (mechanism in list(rr_hierarchy(9, 2, 3), rr_square_wave(9, 2), rr_bloom(9, 2, bits = 16), rr_longitudinal(9, 3, 2))) {
    reports <- suppressWarnings(rr_perturb(rep(1:9, 20), mechanism, rng = "R"))
    tally <- rr_tally(reports, mechanism)
    expect_identical(there_and_back(tally), tally)
    expect_identical(coef(rr_estimate(there_and_back(tally), method = "inv")), coef(rr_estimate(tally, method = "inv")))
  }
})

test_that("recipes of the protocols are checked", {
  refused <- function(mechanism, tally, pattern) {
    file <- withr::local_tempfile()
    text <- sprintf('{"format": "candor tally", "version": 1, "n": 6, "counts": [%s], "mechanism": %s}', tally, mechanism)
    writeLines(text, file)
    expect_error(rr_read(file), pattern, class = "candor_error_file")
  }
  refused('{"kind": "square_wave", "epsilon": 1, "half_width": 0}', "1, 2", "either levels or breaks")
  refused('{"kind": "mean", "range": [1, 0], "epsilon": 1, "protocol": "duchi"}', "1, 2", "range")
  refused('{"kind": "hierarchy", "levels": 3, "fanout": 3, "depths": [{"name": "1", "mechanism": {"kind": "grr", "levels": 2, "epsilon": 1}}]}',
          "6, 1, 2, 3", "3 nodes")
  refused('{"kind": "hierarchy", "levels": 3, "fanout": 3, "depths": [{"name": "a", "mechanism": {"kind": "grr", "levels": 3, "epsilon": 1}}]}',
          "6, 1, 2, 3", "named 1, 2")
  refused('{"kind": "bloom", "levels": 3, "bits": 4, "hashes": 1, "cohorts": 1, "key": 1, "epsilon": 1, "f": 0.5}', "1, 2, 1, 1, 6", "Either")
  refused('{"kind": "longitudinal", "levels": 3, "permanent": 1, "epsilon": 2, "protocol": "oue-sue"}', "1, 2, 3", "above")
  refused('{"kind": "sketch_counts", "epsilon": 1, "width": 65536, "functions": 1000, "one_bit": false, "key": 1}', "1, 2", "too large")
})

test_that("weights, groups of all types, sets, pools, and counts up to 2^53 come back", {
  expect_identical(there_and_back(weighted_tally()), weighted_tally())
  for (mechanism in list(rr_unary(6, epsilon = 1), rr_subset(9, 1), rr_local_hash(20, 1), rr_hadamard(20, 1, one_bit = TRUE))) {
    tally <- weighted_tally("sets", mechanism)
    expect_identical(there_and_back(tally), tally)
  }
  grr <- rr_grr(3, epsilon = 1)
  most <- rr_counts(c(2^53 - 10, 7, 3), grr)
  expect_identical(there_and_back(most)$counts, c(9007199254740982, 7, 3))
  expect_identical(there_and_back(rr_counts(c(1.5, exp(1), pi), grr, effective_n = 5)), rr_counts(c(1.5, exp(1), pi), grr, effective_n = 5))
  pool <- rr_pool(a = rr_counts(c(10, 20), rr_lie_detector(0.8)), b = rr_counts(c(11, 21), rr_lie_detector(0.3)))
  expect_identical(there_and_back(pool), pool)
  suppressMessages(with_missing <- rr_tally(c(0, 1, NA), rr_warner(0.8), na.rm = TRUE))
  expect_equal(there_and_back(with_missing)$missing, 1)
  one_group <- rr_tally(c(0, 1, 1), rr_warner(0.8), by = c("a", "a", "a"))
  expect_identical(there_and_back(one_group), one_group)
})

test_that("estimates of a tally that has travelled are the same", {
  tally <- rr_counts(c(no = 112, yes = 198), rr_crosswise(0.25))
  expect_identical(tidy(rr_estimate(there_and_back(tally)), conf.int = TRUE), tidy(rr_estimate(tally), conf.int = TRUE))
})

test_that("what another program writes is read", {
  file <- withr::local_tempfile()
  other <- function(text) {
    writeLines(text, file)
    expect_null(schema_problem(jsonlite::read_json(file), schema, schema))
    rr_read(file)
  }
  expect_identical(other('{"n":310,"counts":[112,198],"version":1,"format":"candor tally",
    "mechanism":{"kind":"binary","levels":["no","yes"],"p":0.25,"q":0.75}}'), rr_counts(c(112, 198), rr_binary(0.25, 0.75)))
  grouped <- other('{"format": "candor tally", "version": 1, "mechanism": {"kind": "grr", "levels": 3, "epsilon": 1},
    "groups": [{"name": "region", "type": "text", "values": ["north", "south"]}], "n": [6, 15], "counts": [[1, 2, 3], [4, 5, 6]]}')
  expect_identical(grouped, rr_counts(data.frame(region = rep(c("north", "south"), each = 3), term = 1:3, n = 1:6), rr_grr(3, epsilon = 1)))
  # The checksum as documented, made by hand: of all bytes before its name.
  body <- '{"format": "candor tally", "version": 1, "mechanism": {"kind": "grr", "levels": 2, "p": 0.75}, "n": 3, "counts": [1, 2], '
  writeLines(body, file, sep = "")
  sum <- unname(tools::md5sum(file))
  expect_identical(other(sprintf('%s"checksum": "md5:%s"}', body, sum))$counts, c(1, 2))
})

test_that("what was written with labels such as 1e+05 is read, and merged with what is counted now", {
  file <- withr::local_tempfile()
  body <- '{"format": "candor tally", "version": 1, "mechanism": {"kind": "grr", "levels": ["1e+05", "2e+05"], "epsilon": 1}, "n": 3, "counts": [1, 2]}'
  writeLines(body, file)
  old <- rr_read(file)
  now <- rr_counts(c(10, 20), rr_grr(c(1e5, 2e5), 1))
  expect_identical(c(old, now)$counts, c(11, 22))
  rr_write(now, file)
  expect_identical(rr_read(file), now)
  expect_match(paste(readLines(file), collapse = ""), '"levels": ["100000","200000"]', fixed = TRUE)
  # An escaped backslash before u0000 is text, and texts that are called like numbers are text.
  writeLines(sub('"1e+05", "2e+05"', '"\\\\u0000", "Inf"', body, fixed = TRUE), file)
  expect_identical(rr_read(file)$mechanism$levels, c("\\u0000", "Inf"))
  # Weights whose sum is above 2^53
  weighted <- rr_tally(c(1, 2, 2), rr_grr(2, epsilon = 1), weights = c(3, 5, 7) * 2^53)
  rr_write(weighted, file)
  expect_identical(rr_read(file), weighted)
})

test_that("a text that was changed is refused with its reason", {
  file <- withr::local_tempfile()
  good <- '{"format": "candor tally", "version": 1, "mechanism": MECHANISM, "n": N, "counts": COUNTS MORE}'
  refused <- function(mechanism = '{"kind": "grr", "levels": ["a", "b", "c"], "epsilon": 1}', n = "6", counts = "[1, 2, 3]", more = "", text = good) {
    text <- sub("MECHANISM", mechanism, text, fixed = TRUE)
    text <- sub("MORE", more, sub("COUNTS", counts, sub("N,", paste0(n, ","), text, fixed = TRUE), fixed = TRUE), fixed = TRUE)
    writeLines(text, file)
    plain_message(expect_error(rr_read(file), class = "candor_error_file"))
  }
  grr <- function(...) sprintf('{"kind": "grr", "levels": 3, %s}', paste(..., sep = ", "))
  expect_match(refused(n = "7"), "add up to 6, and `n` is 7|add up to 6, and n is 7")
  expect_match(refused(counts = "[1, 2, -3]"), "Number 3 is -3")
  expect_match(refused(counts = "[1, 2.5, 2.5]"), "whole")
  expect_match(refused(counts = "[1, 2]", n = "3"), "3 numbers")
  expect_match(refused(counts = "[1, 2, null]"), "3 numbers")
  expect_match(refused(counts = "[1, 2, \"3\"]"), "3 numbers")
  expect_match(refused(counts = "[\"1\", \"2\", \"3\"]"), "character")
  expect_match(refused(counts = "[[1, 2, 3]]"), "list")
  expect_match(refused(n = "[3, 3]"), "1 number")
  expect_match(refused(counts = "[9007199254740993, 2, 3]", n = "9007199254740998"), "2\\^53")
  expect_match(refused(more = ', "weight_squares": 1, "respondents": 2'), "weights")
  # The squares of weights add up to at most the square of their sum.
  expect_match(refused(more = ', "weight_squares": 36.1'), "weights")
  expect_match(refused(counts = "[true, 2, 3]"), "3 numbers")
  expect_match(refused(counts = "[1, 2, 3.5, true]"), "3 numbers")
  # 2^53 + 1, which a double rounds to 2^53
  expect_match(refused(counts = "[9007199254740993, 0, 0]", n = "9007199254740993"), "3 numbers")
  expect_match(refused(n = "9007199254740993", counts = "[9007199254740992, 0, 0]"), "1 number")
  expect_match(refused('{"kind": "grr", "levels": ["a", "b", "c\\u0000d"], "epsilon": 1}'), "no text has")
  expect_match(refused(sprintf('{"kind": "grr", "levels": ["a", "b", "%s"], "epsilon": 1}', strrep("c", 1e5))), "10,000")
  groups <- sprintf(', "groups": [{"name": "g", "type": "text", "values": ["%s"]}]', strrep("c", 1e5))
  expect_match(refused(more = groups, n = "[6]", counts = "[[1, 2, 3]]"), "10,000")
  questions <- paste(sprintf('{"name": "q%d", "mechanism": {"kind": "binary", "levels": ["no", "yes"], "p": 0.25, "q": 0.75}}', 1:60), collapse = ", ")
  expect_match(refused(sprintf('{"kind": "product", "questions": [%s]}', questions)), "too many questions")
  expect_match(refused(more = ', "respondents": 6'), "weight_squares")
  expect_match(refused(more = ', "colour": 6'), "colour")
  expect_match(refused(more = ', "n": 6'), "twice")
  expect_match(refused(more = ', "missing": -1'), "missing")
  expect_match(refused(more = ', "chunks": ["a", "a"]'), "chunks")
  expect_match(refused(more = ', "sets": []'), "sets")
  expect_match(refused(more = ', "groups": [{"name": "g", "type": "text", "values": ["x"]}]'), "one for each group")
  expect_match(refused(more = ', "groups": [{"name": "estimate", "type": "text", "values": ["x"]}]', counts = "[[1, 2, 3]]"), "estimate")
  expect_match(refused(more = ', "groups": [{"name": "g", "type": "text", "values": ["x", "x"]}]', n = "[3, 3]", counts = "[[1, 1, 1], [1, 1, 1]]"), "twice")
  expect_match(refused(more = ', "groups": [{"name": "g", "type": "date", "values": ["2023-02-29"]}]', counts = "[[1, 2, 3]]"), "dates")
  expect_match(refused(more = ', "groups": [{"name": "g", "type": "list", "values": ["x"]}]', counts = "[[1, 2, 3]]"), "type")
  expect_match(refused(more = ', "checksum": "md5:00000000000000000000000000000000"'), "damaged")
  expect_match(refused(more = ', "checksum": "none"'), "last member")
  expect_match(refused(grr('"epsilon": -1')), "epsilon")
  expect_match(refused(grr('"epsilon": "1"')), "epsilon")
  expect_match(refused(grr('"epsilon": 1', '"p": 0.5')), "Both")
  expect_match(refused(grr('"epsilon": 1', '"code": "system(1)"')), "code")
  expect_match(refused('{"kind": "grr", "levels": ["a", "a", "b"], "epsilon": 1}'), "differ")
  expect_match(refused('{"kind": "grr", "levels": 2000000000, "epsilon": 1}'), "2,000,000,000")
  expect_match(refused('{"kind": "default", "levels": 3}'), "unknown kind")
  expect_match(refused('{"kind": "nothing"}'), "unknown kind")
  expect_match(refused('{"levels": 3}'), "kind")
  expect_match(refused('"grr"'), "kind")
  expect_match(refused('{"kind": "channel", "levels": 3, "matrix": [[0.7, 0.2, 0.1], [0.1, 0.8, 0.2], [0, 0, 1]]}'), "add up to 1")
  expect_match(refused('{"kind": "channel", "levels": 3, "matrix": [[0.7, 0.3], [0.1, 0.8, 0.1]]}'), "rows")
  expect_match(refused('{"kind": "channel", "levels": 2, "matrix": [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0, 0, 1]]}'), "one row per level")
  expect_match(refused('{"kind": "forced", "levels": 3, "truth": 0.9, "innocuous": [0.1, 0.1, 0.1]}'), "add up to 1")
  expect_match(refused('{"kind": "binary", "levels": ["no", "yes"], "p": 1.5, "q": 0}', counts = "[1, 5]"), "probability")
  expect_match(refused('{"kind": "binary", "levels": ["no", "yes"], "design": "warner", "p": 0.8, "q": 0.3}', counts = "[1, 5]"), "fit together")
  # Not a tally at all, another format, a newer one, one that was cut off.
  expect_match(refused(text = "mean(1:10)"), "not JSON")
  expect_match(refused(text = "[1, 2]"), "format")
  expect_match(refused(text = '{"format": "other", "version": 1}'), "format")
  expect_match(refused(text = sub('"version": 1', '"version": 2', good, fixed = TRUE)), "version 2 .* reads version 1")
  whole <- sub("MECHANISM", grr('"epsilon": 1'), sub("N,", "6,", sub("COUNTS MORE", "[1, 2, 3]", good, fixed = TRUE), fixed = TRUE), fixed = TRUE)
  for (size in c(0, 1, 20, nchar(whole) - 1)) expect_match(refused(text = substr(whole, 1, size)), "not JSON|format")
  # Nested too deep for any reader.
  expect_match(refused(text = paste0(strrep("[", 1e5), strrep("]", 1e5))), "JSON|format")
  expect_match(refused(paste0(strrep("{\"kind\": \"compose\", \"first\": ", 2000), "1", strrep("}", 2000))), "second|nested|JSON|deep")
  writeBin(as.raw(c(123, 0, 125)), file)
  expect_error(rr_read(file), class = "candor_error_file")
  writeBin(as.raw(c(34, 255, 34)), file)
  expect_error(rr_read(file), class = "candor_error_file")
})

test_that("sets that were not counted are refused", {
  tally <- weighted_tally("sets", rr_unary(6, epsilon = 1))
  tally$sets[[1]]$times[1] <- tally$sets[[1]]$times[1] * 2
  expect_error(rr_write(tally, withr::local_tempfile()), "not those that were counted", class = "candor_error_file")
})

# Unary encoding, then bits of some buckets, then categories: what is kept of a report differs between depths.
mixed_hierarchy <- function() {
  rr_hierarchy(30, 2, 3, function(levels, epsilon) {
    if (levels < 4) rr_grr(levels, epsilon = epsilon) else if (levels < 11) rr_bitflip(levels, epsilon, d = 3)
    else if (levels < 20) rr_unary(levels, epsilon) else rr_bloom(levels, epsilon, bits = 12, cohorts = 3)
  })
}

test_that("kept reports of hierarchies, filters and bits of buckets come back, and have the likelihood that they had", {
  set.seed(4)
  answers <- sample(30, 400, TRUE, prob = 30:1)
  for (mechanism in list(mixed_hierarchy(), rr_hierarchy(30, 2, 4, rr_unary), rr_bloom(30, 2, bits = 20, cohorts = 300),
                         rr_bitflip(30, 2, d = 5, buckets = 10))) {
    reports <- rr_perturb(answers, mechanism, rng = "R")
    for (weights in list(NULL, runif(400))) {
      tally <- rr_tally(reports, mechanism, keep = "sets", weights = weights, by = rep(c("a", "b"), 200))
      expect_identical(there_and_back(tally), tally)
    }
    # The counts that the kept reports determine are those of counting the reports.
    tally <- rr_tally(reports, mechanism, keep = "sets")
    counted <- kept_counts(rr_law(mechanism), tally$sets[[1]]$bits, tally$sets[[1]]$times, 30)
    known <- !is.na(counted)
    expect_equal(counted[known], tally$counts[known], tolerance = 1e-12)
    if (inherits(mechanism, "rr_hierarchy")) {
      expect_identical(coef(rr_estimate(there_and_back(tally), method = "mle")), coef(rr_estimate(tally, method = "mle")))
    }
  }
  expect_identical(sum(is.na(kept_counts(rr_law(mixed_hierarchy()), matrix(as.raw(0), 0, set_bytes(rr_law(mixed_hierarchy()), 30)), numeric(), 30))), 2L)
  file <- withr::local_tempfile()
  tally <- rr_tally(rr_perturb(answers, mixed_hierarchy(), rng = "R"), mixed_hierarchy(), keep = "sets")
  expect_null(schema_problem({
    rr_write(tally, file)
    jsonlite::read_json(file)
  }, schema, schema))
})

test_that("kept reports that no depth, cohort or bucket has are refused", {
  set.seed(5)
  refused <- function(mechanism, change, pattern) {
    tally <- rr_tally(suppressMessages(rr_perturb(rep(1:30, 5), mechanism, rng = "R")), mechanism, keep = "sets")
    tally$sets[[1]] <- change(tally$sets[[1]])
    expect_error(rr_write(tally, withr::local_tempfile()), pattern, class = "candor_error_file")
  }
  byte <- function(row, column, value) function(sets) {
    sets$bits[row, column] <- as.raw(value)
    sets
  }
  none <- "no report of this mechanism"
  tree <- mixed_hierarchy()
  refused(tree, byte(1, 1, 0), none)
  refused(tree, byte(1, 1, 5), none)
  refused(tree, function(sets) byte(which(sets$bits[, 1] == 1)[1], 2, 1)(sets), none)
  refused(tree, function(sets) within(sets, times <- rev(times) + c(1, numeric(length(times) - 1))), "not those that were counted")
  refused(rr_bloom(30, 2, bits = 20, cohorts = 3), byte(1, 4, 4), none)
  refused(rr_bitflip(30, 2, d = 5, buckets = 10), byte(1, 3, 255), none)
  refused(rr_bitflip(30, 2, d = 5, buckets = 10), byte(1, 2, 255), none)
  refused(rr_unary(30, 2), byte(1, 4, 255), none)
})

test_that("random changes of bytes are noticed, or change nothing", {
  # 160 files with one to four bytes changed. With a checksum no other tally may come back: a change in white space after it
  # may go unnoticed.
  set.seed(20)
  file <- withr::local_tempfile()
  tallies <- list(weighted_tally(), any_tally(travelling_mechanisms()$product_3), any_tally(rr_unary(6, epsilon = 1)))
  bytes <- lapply(tallies, function(tally) charToRaw(tally_text(tally)))
  outcome <- vapply(seq_len(160), function(i) {
    which <- i %% 3 + 1
    changed <- bytes[[which]]
    at <- sample(length(changed), sample(4, 1))
    changed[at] <- as.raw(bitwXor(as.integer(changed[at]), sample(255, length(at), TRUE)))
    if (i %% 10 == 0) changed <- changed[seq_len(sample(length(changed), 1))]
    writeBin(changed, file)
    result <- tryCatch(rr_read(file), error = identity)
    if (inherits(result, "candor_error_file")) "refused" else if (identical(result, tallies[[which]])) "same" else "other"
  }, "")
  expect_identical(setdiff(outcome, c("refused", "same")), character())
  expect_gt(sum(outcome == "refused"), 140)
})

test_that("without a checksum damage gives a classed error or a tally that could be", {
  set.seed(21)
  file <- withr::local_tempfile()
  mechanisms <- travelling_mechanisms()[c("grr", "binary", "channel", "noncompliance", "bitflip")]
  for (i in seq_len(100)) {
    tally <- any_tally(mechanisms[[i %% 5 + 1]])
    text <- charToRaw(sub(",\n  \"checksum.*", "\n}\n", tally_text(tally)))
    at <- sample(length(text), 1)
    text[at] <- as.raw(sample(c(32:126), 1))
    writeBin(text, file)
    result <- tryCatch(rr_read(file), error = identity)
    expect_true(inherits(result, "rr_tally") || inherits(result, "candor_error_file"))
    if (inherits(result, "rr_tally")) expect_true(all(result$counts >= 0 & is.finite(result$counts)))
  }
})

test_that("what cannot come back is not written", {
  registerS3method("rr_law", "rr_mine", function(mechanism) rr_new_law("additive", 0.5, 0.25), envir = asNamespace("candor"))
  own <- rr_counts(c(1, 2), rr_new_mechanism("mine", 2, epsilon = 1, design = "My own"))
  file <- withr::local_tempfile()
  expect_error(rr_write(own, file), "rr_mine", class = "candor_error_file")
  # The counts of strings that were asked for are no tally to send: the sketch is.
  sketch <- rr_tally(rr_perturb("a", rr_sketch_counts(1, 4, 2)), rr_sketch_counts(1, 4, 2))
  asked <- rr_estimate(sketch, candidates = "a")$tally
  expect_error(rr_write(asked, file), "not know how it is made", class = "candor_error_file")
  inside <- rr_counts(c(1, 2, 3, 4), rr_product(a = own$mechanism, b = rr_warner(0.8)))
  expect_error(rr_write(inside, file), "rr_mine", class = "candor_error_file")
  changed <- rr_counts(c(1, 2), rr_warner(0.8))
  changed$mechanism$epsilon <- 0.1
  expect_error(rr_write(changed, file), "not come back", class = "candor_error_file")
  changed <- rr_counts(c(1, 2), rr_warner(0.8))
  changed$n <- 5
  expect_error(rr_write(changed, file), "add up", class = "candor_error_file")
  expect_false(file.exists(file))
})

test_that("a file is written whole or not at all", {
  folder <- withr::local_tempdir()
  file <- file.path(folder, "tally.json")
  tally <- rr_counts(c(1, 2), rr_warner(0.8))
  expect_identical(withVisible(rr_write(tally, file)), list(value = tally, visible = FALSE))
  rr_write(rr_counts(c(3, 4), rr_warner(0.8)), file)
  expect_identical(rr_read(file)$counts, c(3, 4))
  # Nothing is left beside it.
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), "tally.json")
  expect_error(rr_write(tally, file.path(folder, "nowhere", "tally.json")), class = "candor_error_file")
  # A folder in the place of the file: what is there stays.
  dir.create(file.path(folder, "taken"))
  expect_error(rr_write(tally, file.path(folder, "taken")), class = "candor_error_file")
  expect_setequal(list.files(folder, all.files = TRUE, no.. = TRUE), c("tally.json", "taken"))
})

test_that("nothing of a file is run, and an address is not opened", {
  file <- withr::local_tempfile()
  marker <- withr::local_tempfile()
  for (text in c(sprintf("file.create(\"%s\")", marker), "https://example.org/tally.json", marker)) {
    writeLines(text, file)
    expect_error(rr_read(file), class = "candor_error_file")
  }
  label <- sprintf("`r file.create(\"%s\")` {file.create('%s')}", marker, marker)
  tally <- rr_counts(c(1, 2), rr_binary(0.8, 0.1, levels = c(label, "b")))
  expect_identical(there_and_back(tally), tally)
  expect_output(print(there_and_back(tally)))
  writeLines(sub("\"n\": 3", "\"n\": 4", sub(",\n  \"checksum.*", "}", tally_text(tally))), file)
  expect_error(rr_read(file), class = "candor_error_file")
  expect_false(file.exists(marker))
})

test_that("tallies with a chunk in common are not merged", {
  one <- rr_counts(c(1, 2), rr_warner(0.8))
  a <- b <- ab <- one
  a$chunks <- "monday"
  b$chunks <- "tuesday"
  ab$chunks <- c("monday", "tuesday")
  expect_identical(c(a, b)$chunks, c("monday", "tuesday"))
  expect_identical(c(a, one)$chunks, "monday")
  expect_identical(there_and_back(ab), ab)
  expect_error(c(a, ab), "monday", class = "candor_error_mismatch")
})

test_that("errors say what is wrong", {
  file <- withr::local_tempfile()
  expect_error(rr_write(1, file), class = "candor_error_argument")
  expect_error(rr_write(rr_counts(c(1, 2), rr_warner(0.8)), c("a", "b")), class = "candor_error_argument")
  expect_error(rr_read(1), class = "candor_error_argument")
  expect_error(rr_read(file), "exists", class = "candor_error_file")
  local_edition(3)
  writeLines('{"format": "candor tally", "version": 1, "mechanism": {"kind": "grr", "levels": 3, "epsilon": 1}, "n": 7, "counts": [1, 2, 3]}', file)
  expect_snapshot(rr_read(file), error = TRUE, transform = function(lines) gsub(file, "tally.json", lines, fixed = TRUE))
})
