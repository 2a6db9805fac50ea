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

test_that("no kind of mechanism is forgotten", {
  # Whoever makes a law can be tallied. Those that the package cannot make again are named here, and refused below.
  laws <- sub("^rr_law[.]", "", grep("^rr_law[.]", ls(asNamespace("candor"), all.names = TRUE), value = TRUE))
  kinds <- setdiff(laws, c("default", "joint_counts", "rr_sketch_candidates"))
  expect_identical(setdiff(kinds, unlist(lapply(travelling_mechanisms(), class))), character())
  used <- vapply(travelling_mechanisms(), function(mechanism) mechanism$recipe$constructor, "")
  expect_setequal(c(used, "rr_pool"), file_constructors)
})

test_that("equal mechanisms are written alike, whatever was given", {
  written <- function(mechanism) tally_text(rr_counts(rep(1, length(mechanism$reports)), mechanism))
  expect_identical(written(rr_grr(3L, 1L)), written(rr_grr(3, epsilon = 1)))
  expect_identical(written(rr_forced(c(yes = 0.1, no = 0.2))), written(rr_forced(c(0.2, 0.1), c("no", "yes"))))
  expect_identical(written(rr_unrelated(0.7, 0.25)), written(rr_unrelated(0.7, c(no = 0.75, yes = 0.25))))
  expect_identical(written(rr_noncompliance(rr_warner(0.8), 0.1, "no")), written(rr_noncompliance(rr_warner(0.8), 0.1, c(no = 1))))
  expect_match(written(rr_crosswise(0.25)), '"mechanism": {"constructor": "rr_crosswise", "arguments": {"levels": ["no","yes"], "p": 0.25}}', fixed = TRUE)
})

test_that("sums of numbers, and what two stages and many depths make of reports, come back and are estimated alike", {
  set.seed(2)
  hours <- runif(300, 0, 24)
  tally <- rr_tally(rr_perturb(hours, rr_mean(c(0, 24), 1), rng = "R"), rr_mean(c(0, 24), 1), by = rep(1:3, 100))
  expect_identical(there_and_back(tally), tally)
  expect_identical(coef(rr_estimate(there_and_back(tally))), coef(rr_estimate(tally)))
  for (mechanism in list(rr_hierarchy(9, 2, 3), rr_square_wave(9, 2), rr_bloom(9, 2, bits = 16), rr_longitudinal(9, 3, 2))) {
    tally <- rr_tally(suppressWarnings(rr_perturb(rep(1:9, 20), mechanism, rng = "R")), mechanism)
    expect_identical(there_and_back(tally), tally)
    expect_identical(coef(rr_estimate(there_and_back(tally), method = "inv")), coef(rr_estimate(tally, method = "inv")))
  }
})

test_that("arguments of the protocols are checked by their constructors", {
  refused <- function(constructor, arguments, counts) {
    file <- withr::local_tempfile()
    writeLines(sprintf('{"format": "candor tally", "version": 1, "n": 6, "counts": [%s], "mechanism": {"constructor": "rr_%s", "arguments": %s}}',
                       counts, constructor, arguments), file)
    expect_error(rr_read(file), class = "candor_error_file", label = constructor)
  }
  grr <- function(levels) sprintf('{"constructor": "rr_grr", "arguments": {"levels": %d, "epsilon": 1}}', levels)
  refused("hierarchy", sprintf('{"levels": 3, "epsilon": 1, "fanout": 3, "oracle": [%s]}', grr(2)), "6, 1, 2, 3")
  refused("hierarchy", sprintf('{"levels": 3, "epsilon": 1, "fanout": 3, "oracle": [%s, %s]}', grr(3), grr(3)), "6, 1, 2, 3")
  refused("hierarchy", sprintf('{"levels": 3, "epsilon": 0.5, "fanout": 3, "oracle": [%s]}', grr(3)), "6, 1, 2, 3")
  refused("bloom", '{"levels": 3, "bits": 4, "hashes": 1, "cohorts": 1, "key": 1, "epsilon": 1, "f": 0.5}', "1, 2, 1, 1, 6")
  refused("count_mean_sketch", '{"epsilon": 1, "width": 65536, "functions": 1000, "one_bit": false, "key": 1}', "1, 2")
  refused("pool", sprintf('{"designs": {"a": %s, "b": %s}, "shares": [0.5]}', grr(2), grr(2)), "1, 2, 3, 0")
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

test_that("what another program writes is read", {
  file <- withr::local_tempfile()
  other <- function(text) {
    writeLines(text, file)
    expect_null(schema_problem(jsonlite::read_json(file), schema, schema))
    rr_read(file)
  }
  expect_identical(other('{"n":310,"counts":[112,198],"version":1,"format":"candor tally",
    "mechanism":{"constructor":"rr_binary","arguments":{"levels":["no","yes"],"p":0.25,"q":0.75}}}'), rr_counts(c(112, 198), rr_binary(0.25, 0.75)))
  grouped <- other('{"format": "candor tally", "version": 1, "mechanism": {"constructor": "rr_grr", "arguments": {"levels": 3, "epsilon": 1}},
    "groups": [{"name": "region", "type": "text", "values": ["north", "south"]}], "n": [6, 15], "counts": [[1, 2, 3], [4, 5, 6]]}')
  expect_identical(grouped, rr_counts(data.frame(region = rep(c("north", "south"), each = 3), term = 1:3, n = 1:6), rr_grr(3, epsilon = 1)))
  # The checksum as documented, made by hand: of all bytes before its name.
  body <- '{"format": "candor tally", "version": 1, "mechanism": {"constructor": "rr_grr", "arguments": {"levels": 2, "p": 0.75}}, "n": 3, "counts": [1, 2], '
  writeLines(body, file, sep = "")
  sum <- unname(tools::md5sum(file))
  expect_identical(other(sprintf('%s"checksum": "md5:%s"}', body, sum))$counts, c(1, 2))
})

test_that("what was written with labels such as 1e+05 is read, and merged with what is counted now", {
  file <- withr::local_tempfile()
  body <- paste0('{"format": "candor tally", "version": 1, "n": 3, "counts": [1, 2], "mechanism": ',
                 '{"constructor": "rr_grr", "arguments": {"levels": ["1e+05", "2e+05"], "epsilon": 1}}}')
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

test_that("a text that was changed is refused", {
  file <- withr::local_tempfile()
  made <- function(constructor, arguments) sprintf('{"constructor": "rr_%s", "arguments": {%s}}', constructor, arguments)
  whole <- function(mechanism = made("grr", '"levels": ["a", "b", "c"], "epsilon": 1'), n = "6", counts = "[1, 2, 3]", more = "") {
    sprintf('{"format": "candor tally", "version": 1, "mechanism": %s, "n": %s, "counts": %s %s}', mechanism, n, counts, more)
  }
  grr <- function(...) made("grr", paste('"levels": 3', ..., sep = ", "))
  refused <- function(..., text = whole(...)) {
    writeLines(text, file)
    expect_error(rr_read(file), class = "candor_error_file", label = substr(text, 1, 300))
  }
  writeLines(whole(), file)
  expect_identical(rr_read(file)$counts, c(1, 2, 3))
  refused(n = "7")
  for (counts in c("[1, 2, -3]", "[1, 2.5, 2.5]", "[1, 2, null]", "[1, 2, \"3\"]", "[[1, 2, 3]]", "[true, 2, 3]")) refused(counts = counts)
  # 2^53 + 1, which a double rounds to 2^53
  refused(counts = "[9007199254740993, 0, 0]", n = "9007199254740993")
  refused(counts = "[9007199254740992, 0, 0]", n = "9007199254740993")
  # The squares of weights add up to at most the square of their sum.
  for (more in c('"weight_squares": 1, "respondents": 2', '"weight_squares": 36.1', '"respondents": 6', '"colour": 6', '"n": 6', '"missing": -1',
                 '"chunks": ["a", "a"]', '"sets": []', '"checksum": "md5:00000000000000000000000000000000"')) refused(more = paste(",", more))
  groups <- function(type, values, n = "[6]", counts = "[[1, 2, 3]]") {
    refused(more = sprintf(', "groups": [{"name": "g", "type": "%s", "values": [%s]}]', type, values), n = n, counts = counts)
  }
  groups("text", '"x", "x"', "[3, 3]", "[[1, 1, 1], [1, 1, 1]]")
  groups("date", '"2023-02-29"')
  groups("text", sprintf('"%s"', strrep("c", 1e5)))
  # Mechanisms
  questions <- paste(sprintf('"q%d": %s', 1:60, made("crosswise", '"p": 0.25')), collapse = ", ")
  for (mechanism in c(made("grr", '"levels": ["a", "b", "c\\u0000d"], "epsilon": 1'), made("grr", '"levels": ["a", "a", "b"], "epsilon": 1'),
                      grr('"epsilon": -1'), grr('"epsilon": "1"'), grr('"epsilon": 1, "p": 0.5'), grr('"epsilon": 1, "code": "system(1)"'),
                      made("estimate", '"levels": 3'), '{"constructor": "system", "arguments": {"command": "true"}}', '{"constructor": "rr_grr"}', '"grr"',
                      made("product", sprintf('"questions": {%s}', questions)), made("channel", '"levels": ["a", "b", "c"], "C": [[0.7, 0.3], [0.1, 0.9]]'),
                      made("forced", '"levels": 3, "forced": [0.6, 0.3, 0.3]'))) refused(mechanism)
  # Not a tally at all, another format, a newer one, one that was cut off, nested too deep for any reader, bytes that are no text.
  for (text in c("mean(1:10)", "1", '{"format": "other", "version": 1}', sub('"version": 1', '"version": 2', whole(), fixed = TRUE), "",
                 substr(whole(), 1, nchar(whole()) - 1), paste0(strrep("[", 1e5), strrep("]", 1e5)),
                 whole(paste0(strrep('{"constructor": "rr_compose", "arguments": {"first": ', 2000), "1", strrep("}}", 2000))))) refused(text = text)
  for (bytes in list(c(123, 0, 125), c(34, 255, 34))) {
    writeBin(as.raw(bytes), file)
    expect_error(rr_read(file), class = "candor_error_file")
  }
})

test_that("kept sets need their checksum, and as many as there are respondents", {
  tally <- weighted_tally("sets", rr_unary(6, epsilon = 1))
  file <- withr::local_tempfile()
  writeLines(sub(",\n  \"checksum.*", "}", tally_text(tally)), file)
  expect_error(rr_read(file), class = "candor_error_file")
  tally$sets[[1]]$times[1] <- tally$sets[[1]]$times[1] * 2
  expect_error(rr_write(tally, file), class = "candor_error_file")
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
    tally <- rr_tally(reports, mechanism, keep = "sets")
    if (inherits(mechanism, "rr_hierarchy")) {
      expect_identical(coef(rr_estimate(there_and_back(tally), method = "mle")), coef(rr_estimate(tally, method = "mle")))
    }
  }
  file <- withr::local_tempfile()
  tally <- rr_tally(rr_perturb(answers, mixed_hierarchy(), rng = "R"), mixed_hierarchy(), keep = "sets")
  expect_null(schema_problem({
    rr_write(tally, file)
    jsonlite::read_json(file)
  }, schema, schema))
})

test_that("random changes of bytes are noticed, or change nothing", {
  # 30 files with one to four bytes changed, 3,000 in the long tests each week. With a checksum no other tally may come back: a
  # change in white space after it may go unnoticed.
  set.seed(20)
  file <- withr::local_tempfile()
  tallies <- list(weighted_tally(), any_tally(travelling_mechanisms()$product_3), any_tally(rr_unary(6, epsilon = 1)))
  bytes <- lapply(tallies, function(tally) charToRaw(tally_text(tally)))
  outcome <- vapply(seq_len(extended(30, 3000)), function(i) {
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
  expect_gt(mean(outcome == "refused"), 0.87)
})

test_that("without a checksum damage gives a classed error or a tally that could be", {
  set.seed(21)
  file <- withr::local_tempfile()
  mechanisms <- travelling_mechanisms()[c("grr", "binary", "channel", "noncompliance", "bitflip")]
  for (i in seq_len(extended(25, 2000))) {
    text <- charToRaw(sub(",\n  \"checksum.*", "\n}\n", tally_text(any_tally(mechanisms[[i %% 5 + 1]]))))
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
  expect_error(rr_write(own, file), class = "candor_error_file")
  # The counts of strings that were asked for are no tally to send: the sketch is.
  sketch <- rr_tally(rr_perturb("a", rr_count_mean_sketch(1, 4, 2)), rr_count_mean_sketch(1, 4, 2))
  asked <- rr_estimate(sketch, candidates = "a")$tally
  expect_error(rr_write(asked, file), class = "candor_error_file")
  # The constructor would make another mechanism than this one.
  altered <- rr_counts(c(1, 2), rr_warner(0.8))
  altered$mechanism$epsilon <- 9
  expect_error(rr_write(altered, file), class = "candor_error_file")
  expect_error(rr_write(altered$mechanism, file), class = "candor_error_file")
  inside <- rr_counts(c(1, 2, 3, 4), rr_product(a = own$mechanism, b = rr_warner(0.8)))
  expect_error(rr_write(inside, file), class = "candor_error_file")
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

test_that("anything but a tally and a file is refused", {
  file <- withr::local_tempfile()
  expect_refused(rr_write(1, file), rr_write(rr_counts(c(1, 2), rr_warner(0.8)), c("a", "b")), rr_read(1))
  expect_error(rr_read(file), class = "candor_error_file")
})

test_that("mechanisms travel as tallies do, and what is no longer the same is refused", {
  skip_if_not_installed("jsonlite")
  file <- withr::local_tempfile(fileext = ".json")
  for (mechanism in c(clients(), list(product = rr_product(a = rr_warner(0.8), b = rr_unary(3, 1)), mean = rr_mean(c(0, 1), 1),
                                      crosswise = rr_crosswise(epsilon = 1), kuk = rr_kuk(epsilon = 1), forced = rr_forced(epsilon = 1)))) {
    expect_identical(rr_write(mechanism, file), mechanism)
    expect_true(candor:::same_mechanism(rr_read(file), mechanism), label = format(mechanism))
  }
  rr_write(rr_warner(0.8), file)
  writeLines(sub("0.8", "0.9", readLines(file), fixed = TRUE), file)
  expect_error(rr_read(file), class = "candor_error_file")
  own <- rr_new_mechanism("own", 3, epsilon = 1, design = "own", law = rr_law(rr_grr(3, 1)))
  expect_error(rr_write(own, file), class = "candor_error_file")
})

test_that("a short file takes little memory, whatever it says of its size", {
  file <- withr::local_tempfile()
  short <- function(mechanism) {
    writeLines(sprintf('{"format":"candor tally","version":1,"mechanism":%s,"n":19,"counts":[5,6,8]}', mechanism), file)
    before <- gc(reset = TRUE)[, 2]
    expect_error(rr_read(file), "but the file has 3 counts", class = "candor_error_file", info = mechanism)
    # Megabytes: a matrix of 10,000 categories has 800.
    expect_lt(sum(gc()[, 6] - before), 100)
  }
  short('{"constructor":"rr_geometric","arguments":{"epsilon":1,"levels":10000}}')
  short('{"constructor":"rr_bitflip","arguments":{"levels":1e8,"epsilon":1}}')
  short('{"constructor":"rr_bitflip","arguments":{"levels":10,"epsilon":1,"buckets":1e8}}')
  short('{"constructor":"rr_bloom","arguments":{"levels":["a","b"],"epsilon":1,"bits":1e8}}')
  short('{"constructor":"rr_product","arguments":{"a":{"constructor":"rr_geometric","arguments":{"epsilon":1,"levels":9000}}}}')
})

test_that("the beginning of an argument's name is no name, and half a character no text", {
  file <- withr::local_tempfile()
  rr_write(rr_counts(c(a = 3, b = 4, c = 5), rr_grr(c("a", "b", "c"), 1)), file)
  # Without the checksum, which would refuse each change.
  text <- sub(",\n *\"checksum\": \"[^\"]*\"", "", paste(readLines(file), collapse = "\n"))
  expect_false(grepl("checksum", text))
  read <- function(text) {
    writeLines(text, file)
    rr_read(file)
  }
  expect_identical(read(text)$counts, c(3, 4, 5))
  for (other in c(sub("\"epsilon\"", "\"eps\"", text), sub("\"a\"", "\"\\\\ud83d\"", text), sub("\"a\"", "\"\\\\ude00\"", text))) {
    expect_false(other == text)
    expect_error(read(other), class = "candor_error_file")
  }
  # Both halves are a character, and a backslash before the u is one.
  expect_identical(read(sub("\"a\"", "\"\\\\ud83d\\\\ude00\"", text))$mechanism$levels[1], "\U1f600")
  expect_identical(read(sub("\"a\"", "\"\\\\\\\\ud83d\"", text))$mechanism$levels[1], "\\ud83d")
})

test_that("a hand-made file adds up, of blocks too, and its flags are flags", {
  file <- withr::local_tempfile(fileext = ".json")
  read <- function(tally, from, to) {
    text <- sub(",\n  \"checksum.*", "}", tally_text(tally))
    expect_match(text, from, fixed = TRUE)
    writeLines(sub(from, to, text, fixed = TRUE), file)
    rr_read(file)
  }
  dealt <- rr_tally(data.frame(block = rep(1:3, each = 5), r = rep(c("yes", "no"), c(8, 7))), rr_dealt(c(no = 1, yes = 1), 5), column = "r")
  expect_identical(read(dealt, "\"n\": 15", "\"n\": 15"), dealt)
  expect_error(read(dealt, "\"n\": 15", "\"n\": 30"), class = "candor_error_file")
  optional <- rr_pool(a = rr_counts(3:4, rr_warner(0.8)), b = rr_counts(5:6, rr_warner(0.7)), optional = TRUE)
  expect_identical(read(optional, "\"optional\": true", "\"optional\": true")$mechanism, optional$mechanism)
  expect_error(read(optional, "\"optional\": true", "\"optional\": \"yes\""), class = "candor_error")
})

test_that("a field of numbers has as many as it must, finite, not negative, and whole where they count", {
  expect_identical(file_numbers(c(0, 2.5), "weights", 2), c(0, 2.5))
  expect_identical(file_numbers(c(0, 2), "counts", 2, TRUE), c(0, 2))
  wrong <- list(1, c(1, 2, 3), c("1", "2"), list(1, 2), c(TRUE, TRUE), c(-1, 2), c(NA, 2), c(Inf, 2), NULL)
  for (x in wrong) expect_error(file_numbers(x, "counts", 2), class = "candor_error_file")
  expect_error(file_numbers(c(1, 2.5), "counts", 2, TRUE), class = "candor_error_file")
})

test_that("files of Mangat's design of 1994 are read", {
  file <- withr::local_tempfile()
  text <- sub(",\n  \"checksum.*", "}", tally_text(rr_counts(c(42, 58), rr_warner(0.7, t = 0.2))))
  writeLines(sub("\"t\": 0.2", "\"variant\": \"1994\"", text, fixed = TRUE), file)
  # Yes from all who hold it, and from .3 of the others: (.58 - .3) / .7.
  expect_equal(coef(rr_estimate(rr_read(file)))[["yes"]], 0.4)
})

test_that("numbers of a file at the ends of what they may be", {
  refused <- function(...) for (call in as.list(substitute(list(...)))[-1]) expect_error(eval(call, parent.frame()), class = "candor_error_file",
    label = deparse1(call))
  passes <- function(...) for (call in as.list(substitute(list(...)))[-1]) expect_error(eval(call, parent.frame()), NA, label = deparse1(call))
  expect_identical(file_numbers(c(0, 2.5), "n", 2), c(0, 2.5))
  refused(file_numbers(c(0, 2.5), "n", 2, TRUE), file_numbers(1, "n", 2), file_numbers(c(1, -1), "n", 2), file_numbers(c(1, Inf), "n", 2),
    file_numbers("1", "n", 1))
  grr <- rr_grr(c("a", "b"), 1)
  unary <- rr_unary(3, 1)
  passes(check_adds_up(c(3, 4), 7, NULL, NULL, grr), check_adds_up(c(2^53 - 1, 1), 2^53, NULL, NULL, grr), check_adds_up(c(3, 7, 0), 7, NULL, NULL, unary))
  refused(check_adds_up(c(3, 4), 8, NULL, NULL, grr), check_adds_up(c(3.5, 3.5), 7, NULL, NULL, grr), check_adds_up(c(2^53 + 2, 0), 2^53 + 2, NULL, NULL, grr),
          check_adds_up(c(3, 8, 0), 7, NULL, NULL, unary))
  # Weighted: within 1e-9; squares between those of equal weights and of one.
  passes(check_adds_up(c(3, 4), 7 * (1 + 0.9e-9), 49, NULL, grr), check_adds_up(c(3, 4), 7, 49 / 10, 10, grr), check_adds_up(c(0, 0), 0, 0, 0, grr))
  refused(check_adds_up(c(3, 4), 7 * (1 + 1.2e-9), 49, NULL, grr), check_adds_up(c(3, 4), 7, 49.1, NULL, grr), check_adds_up(c(3, 4), 7, 4.8, 10, grr),
    check_adds_up(c(3, 4), 7, 0, NULL, grr),
          check_adds_up(c(0, 0), 0, 1, NULL, grr))
  passes(check_sizes(list(levels = 1000), 2), check_sizes(list(levels = 1001), 1001), check_sizes(list(bits = 8, levels = 5000), 8), check_sizes(5, 1))
  refused(check_sizes(list(levels = 1001), 1000), check_sizes(list(a = list(bits = 1001)), 3), check_sizes(list(cohorts = 2000), 1999))
  expect_identical(read_counts(list(c(1, 2), c(3, 4)), data.frame(g = 1:2), 2), rbind(c(1, 3), c(2, 4)))
  refused(read_counts(list(c(1, 2)), data.frame(g = 1:2), 2), read_counts(c(1, 2, 3), NULL, 2))
  column <- function(type, values, ...) read_group(list(type = type, values = values, ...))
  expect_identical(column("integer", c(1, 3)), c(1L, 3L))
  expect_identical(column("date", "2026-02-28"), as.Date("2026-02-28"))
  expect_identical(column("ordered", c("u", "v"), levels = c("v", "u")), factor(c("u", "v"), c("v", "u"), ordered = TRUE))
  expect_identical(column("factor", "u", levels = c("v", "u")), factor("u", c("v", "u")))
  expect_identical(as.double(column("time", 60, tz = "UTC")), 60)
  refused(column("integer", 1.5), column("factor", "w", levels = "u"), column("number", NA), column("date", "2026-02-30"))
  refused(file_members(list(a = 1), "b", noun = "x"), file_members(list(a = 1, c = 2), "a", noun = "x"), file_members(list(a = 1, a = 2), "a", noun = "x"))
  expect_identical(file_members(list(a = 1, c = 2), "a", "c", noun = "x"), list(a = 1, c = 2))
  expect_identical(c(holds_sums(rr_mean(c(0, 1), 1)), holds_sums(grr)), c(TRUE, FALSE))
})

test_that("arguments of a mechanism as JSON has them, and back", {
  expect_identical(read_argument(list(c(1, 2), c(3, 4))), rbind(c(1, 2), c(3, 4)))
  named <- rbind(a = c(x = 1, y = 2), b = c(3, 4))
  written <- plain_argument(named)
  expect_identical(read_argument(list(matrix = lapply(written$matrix, as.double), rows = written$rows, columns = written$columns)), named)
  expect_identical(plain_argument(rbind(a = c(1, 2))), list(matrix = list(I(c(1, 2))), rows = "a"))
  expect_identical(plain_argument(cbind(x = c(1, 2))), list(matrix = list(I(1), I(2)), columns = "x"))
  expect_error(read_argument(list(c(1, 2), 3)), class = "candor_error_file")
  expect_identical(read_argument(list(ordered = c("b", "a"))), factor(c("b", "a"), c("b", "a"), ordered = TRUE))
  expect_identical(read_argument(list(a = list(1, "x"), b = 2)), list(a = list(1, "x"), b = 2))
  expect_identical(plain_argument(factor("b", c("b", "a"), ordered = TRUE)), list(ordered = I(c("b", "a"))))
  expect_identical(plain_argument(c(a = 1, b = 2)), c(1, 2))
  expect_identical(read_mechanism(list(constructor = "rr_warner", arguments = list(p = 0.8)))$p, 0.8)
  for (bad in list(list(constructor = "rr_tally", arguments = list()), list(constructor = 1, arguments = list()),
    list(constructor = c("rr_warner", "rr_grr"), arguments = list()))) {
    expect_error(read_mechanism(bad), class = "candor_error_file")
  }
})

test_that("counts of a file add up, and their weights are those of somebody", {
  grr <- rr_grr(3, epsilon = 1)
  unary <- rr_unary(3, epsilon = 1)
  counts <- cbind(c(2, 3, 5), c(1, 1, 2))
  holds <- function(counts, n, squares = NULL, respondents = NULL, mechanism = grr) {
    expect_no_error(check_adds_up(counts, n, squares, respondents, mechanism))
  }
  fails <- function(counts, n, squares = NULL, respondents = NULL, mechanism = grr) {
    expect_error(check_adds_up(counts, n, squares, respondents, mechanism), class = "candor_error_file")
  }
  holds(counts, c(10, 4))
  fails(counts, c(10, 5))
  fails(counts, c(11, 4))
  # A count of a report that supports sets is at most n.
  holds(counts, c(5, 2), mechanism = unary)
  fails(counts, c(4, 2), mechanism = unary)
  fails(counts, c(5, 1), mechanism = unary)
  # Sums of weights come with their squares, and beyond 2^53 whole numbers are not all doubles.
  fails(counts + 0.25, c(10.75, 4.75))
  holds(counts + 0.25, c(10.75, 4.75), c(20, 8))
  holds(cbind(c(2^53, 0, 0)), 2^53)
  fails(cbind(c(2^53 + 2, 0, 0)), 2^53 + 2)
  # sum w^2 <= (sum w)^2 <= m sum w^2, with equality for one person and for equal weights of m people.
  holds(counts, c(10, 4), c(100, 16))
  fails(counts, c(10, 4), c(101, 8))
  fails(counts, c(10, 4), c(100, 17))
  holds(counts, c(10, 4), c(20, 8), c(5, 2))
  fails(counts, c(10, 4), c(20, 8), c(4, 2))
  # No squares belong to nobody, and to nobody alone.
  holds(cbind(counts, 0), c(10, 4, 0), c(20, 8, 0))
  fails(cbind(counts, 0), c(10, 4, 0), c(20, 8, 1))
  fails(counts, c(10, 4), c(0, 8))
})

test_that("JSON text of numbers is the shorter of 15 and 17 digits, of whole numbers beyond 2^53 with an exponent, and reads back to the bit", {
  skip_if_not_installed("jsonlite")
  expect_identical(json_text(c(0.1, 1 / 3, 5, 2^53)), "[0.1, 0.33333333333333331, 5, 9007199254740992]")
  expect_identical(json_text(2^60), "1.1529215046068470e+18")
  set.seed(1)
  numbers <- c(runif(50) * 2^sample(-40:40, 50, TRUE), 2^(50:70) + 2^(0:20), -1 / 3, 1e300, 5e-324)
  expect_identical(parse_json_text(json_text(numbers)), numbers)
  expect_identical(json_text(I(7)), "[7]")
  expect_identical(json_text(I(numeric())), "[]")
  expect_identical(json_text(c(TRUE, FALSE)), "[true, false]")
  expect_identical(json_text("a\"b"), "\"a\\\"b\"")
  expect_identical(json_text(list(a = 1, b = NULL, c = list("x", 2))), "{\"a\": 1, \"b\": null, \"c\": [\"x\", 2]}")
})

test_that("JSON arrays of one kind of values are vectors, others are lists, and whole numbers that no double holds are text", {
  skip_if_not_installed("jsonlite")
  expect_identical(parse_json_text("[1, 2.5]"), c(1, 2.5))
  expect_identical(parse_json_text("[1, 2]"), c(1, 2))
  expect_identical(parse_json_text("[true, false]"), c(TRUE, FALSE))
  expect_identical(parse_json_text("[\"a\", \"b\"]"), c("a", "b"))
  expect_identical(parse_json_text("[1, true]"), list(1, TRUE))
  expect_identical(parse_json_text("[1, null]"), list(1, NULL))
  expect_identical(parse_json_text("[[1, 2], [3, 4]]"), list(c(1, 2), c(3, 4)))
  expect_identical(parse_json_text("{\"a\": 1, \"b\": [2, 3]}"), list(a = 1, b = c(2, 3)))
  expect_identical(parse_json_text("[]"), list())
  expect_identical(parse_json_text("[9007199254740993]"), "9007199254740993")
})

test_that("a half of a character beyond 16 bits is told from two halves, and from a backslash before letters", {
  expect_false(has_half_character("\\ud83d\\ude00"))
  expect_false(has_half_character("plain \\u00fc"))
  expect_true(has_half_character("\\ud83d"))
  expect_true(has_half_character("\\uDE00"))
  expect_true(has_half_character("\\ude00\\ud83d"))
  expect_true(has_half_character("\\ud83d\\ude00\\ud83d"))
  expect_true(has_half_character("\\ud83d \\ude00"))
  expect_false(has_half_character("\\\\ud83d"))
  expect_true(has_half_character("\\\\\\ud83d"))
})

test_that("a group's column has its type, and beside its values the levels of a factor or the time zone of times", {
  expect_identical(group_column("g", c("b", "a")), list(name = "g", type = "text", values = I(c("b", "a"))))
  expect_identical(group_column("g", c(0.5, 2)), list(name = "g", type = "number", values = I(c(0.5, 2))))
  expect_identical(group_column("g", 3:2), list(name = "g", type = "integer", values = I(3:2)))
  expect_identical(group_column("g", c(TRUE, FALSE)), list(name = "g", type = "logical", values = I(c(TRUE, FALSE))))
  expect_identical(group_column("g", as.Date("2026-02-28")), list(name = "g", type = "date", values = I("2026-02-28")))
  column <- list(name = "g", type = "factor", values = I(c("v", "u")), levels = I(c("w", "v", "u")))
  expect_identical(group_column("g", factor(c("v", "u"), c("w", "v", "u"))), column)
  expect_identical(group_column("g", factor(c("v", "u"), c("w", "v", "u"), ordered = TRUE)), replace(column, "type", "ordered"))
  time <- list(name = "g", type = "time", values = I(60), tz = "Asia/Tokyo")
  expect_identical(group_column("g", .POSIXct(60, "Asia/Tokyo")), time)
  expect_identical(group_column("g", .POSIXct(60)), replace(time, "tz", ""))
  expect_error(group_column("g", structure(1, class = "difftime")), class = "candor_error_file")
})

test_that("weighted tallies of files have squares beside respondents, whole respondents, and whole numbers of missing reports and witnesses", {
  file <- list(format = "candor tally", version = 1, n = 3, counts = c(1, 2), mechanism = list(constructor = "rr_warner", arguments = list(p = 0.8)))
  made <- function(...) make_tally(utils::modifyList(file, list(...)))
  expect_identical(made(), rr_counts(c(1, 2), rr_warner(0.8)))
  weighted <- made(weight_squares = 4.5, respondents = 2)
  expect_identical(unclass(weighted)[c("n", "effective_n", "weight_squares", "respondents", "missing")],
    list(n = 3, effective_n = 2, weight_squares = 4.5, respondents = 2, missing = 0))
  expect_identical(made(weight_squares = 4.5)$respondents, NULL)
  expect_identical(made(missing = 4)$missing, 4)
  expect_identical(made(chunks = c("a", "b"))$chunks, c("a", "b"))
  expect_identical(made(witness = 5)$witness, 5)
  expect_error(made(respondents = 2), class = "candor_error_file")
  expect_error(made(weight_squares = 4.5, respondents = 2.5), class = "candor_error_file")
  expect_error(made(weight_squares = c(4, 5)), class = "candor_error_file")
  expect_error(made(chunks = c("a", "a")), class = "candor_error_file")
  expect_error(made(other = 1), class = "candor_error_file")
  expect_error(made(n = 4), class = "candor_error_file")
  for (wrong in list(list(missing = 0.5), list(missing = -1), list(witness = 0.5), list(witness = -1))) {
    expect_error(do.call(made, wrong), class = "candor_error")
  }
  groups <- list(list(name = "g", type = "text", values = c("u", "v")))
  grouped <- made(groups = groups, n = c(3, 7), counts = list(c(1, 2), c(3, 4)))
  expect_identical(unname(grouped$counts), rbind(c(1, 3), c(2, 4)))
  expect_identical(grouped$groups$g, c("u", "v"))
  for (wrong in list(list(), replace(groups, 1, list(replace(groups[[1]], "values", list(c("u", "u"))))))) {
    expect_error(make_tally(replace(file, c("groups", "n", "counts"), list(wrong, c(3, 7), list(c(1, 2), c(3, 4))))), class = "candor_error_file")
  }
})

test_that("kept sets of a file are different texts of whole bytes that add up, one object a group", {
  unary <- rr_counts(c(2, 3, 3), rr_unary(3, 1), n = 5)
  read <- function(..., tally = unary) read_kept_sets(list(list(...)), tally)
  expect_identical(read(bits = c("01", "06"), times = c(2, 3)), list(list(bits = matrix(as.raw(c(1, 6))), times = c(2, 3))))
  wide <- rr_counts(numeric(9), rr_unary(9, 1), n = 1)
  expect_identical(read(bits = "0a01", times = 1, tally = wide)[[1]]$bits, matrix(as.raw(c(10, 1)), 1))
  refused <- function(...) expect_error(read(...), class = "candor_error_file")
  refused(bits = c("01", "01"), times = c(2, 3))
  refused(bits = c("01", "06"), times = c(2, 2))
  refused(bits = c("01", "06"), times = 5)
  refused(bits = c("01", "0006"), times = c(2, 3))
  refused(bits = c("01", "g6"), times = c(2, 3))
  refused(bits = c("01", "06"), times = c(6, -1))
  refused(bits = c("01", "06"))
  refused(bits = c("01", "06"), times = c(2, 3), other = 1)
  refused(bits = c("01", "06"), times = c(2, 3), tally = rr_counts(c(2, 3), rr_warner(0.8)))
  sets <- list(bits = c("01", "06"), times = c(2, 3))
  expect_error(read_kept_sets(list(sets, sets), unary), class = "candor_error_file")
  expect_error(read_kept_sets(list(a = sets), unary), class = "candor_error_file")
  expect_identical(set_members(read(bits = c("01", "06"), times = c(2, 3))[[1]]), list(bits = I(c("01", "06")), times = I(c(2, 3))))
})

test_that("blocks of a file have people, labels of their own and the counts of the tally", {
  dealt <- rr_counts(c(3, 5), rr_warner(0.8))
  dealt$mechanism <- rr_dealt(c(no = 1, yes = 1), 5)
  read <- function(label, ..., tally = dealt) read_blocks(list(list(label = label, counts = list(...))), tally)
  expect_identical(read(c("a", "b"), c(1, 4), c(2, 1)), list(list(label = c("a", "b"), counts = cbind(c(1, 4), c(2, 1)))))
  expect_identical(read(7:8, c(1, 4), c(2, 1))[[1]]$label, c("7", "8"))
  refused <- function(...) expect_error(read(...), class = "candor_error_file")
  refused(c("a", "a"), c(1, 4), c(2, 1))
  refused("a", c(1, 4), c(2, 1))
  refused(c("a", "b", "c"), c(1, 4), c(2, 1), c(0, 0))
  refused(c("a", "b"), c(1, 4), c(2, 2))
  refused(c("a", "b"), c(1, 4), c(1, 2))
  refused(c("a", "b"), c(1.5, 4), c(1.5, 1))
  refused(c("a", "b"), c(1, 4), 3)
  refused(c("a", "b"), c(1, 4), c(2, 1), tally = rr_counts(c(3, 5), rr_warner(0.8)))
  block <- list(label = c("a", "b"), counts = list(c(1, 4), c(2, 1)))
  expect_error(read_blocks(list(block, block), dealt), class = "candor_error_file")
  expect_error(read_blocks(list(a = block), dealt), class = "candor_error_file")
  written <- block_members(read(c("a", "b"), c(1, 4), c(2, 1))[[1]])
  expect_identical(written, list(label = I(c("a", "b")), counts = list(I(c(1, 4)), I(c(2, 1)))))
})

test_that("a checksum is that of all bytes before it, the last member, and needed only with sets", {
  body <- "{\"a\": \"checksum\", "
  sum <- cli::hash_raw_md5(charToRaw(body))
  check <- function(text, needed = TRUE) check_checksum(charToRaw(text), needed)
  expect_no_error(check(sprintf("%s\"checksum\": \"md5:%s\"}", body, sum)))
  expect_no_error(check(sprintf("%s\"checksum\"\n:\t\"md5:%s\" } \r\n", body, sum)))
  expect_no_error(check("{\"a\": 1}", FALSE))
  refused <- function(...) expect_error(check(...), class = "candor_error_file")
  refused("{\"a\": 1}")
  refused(sprintf("%s \"checksum\": \"md5:%s\"}", body, sum))
  refused(sprintf("%s\"checksum\": \"md5:%s\", \"b\": 1}", body, sum), FALSE)
  refused(sprintf("%s\"checksum\": \"%s\"}", body, sum), FALSE)
  refused(sprintf("%s\"checksum\": \"md5:%s\"}", body, chartr("0123456789abcdef", "123456789abcdef0", sum)), FALSE)
  refused(sprintf("%s\"checksum\": \"md5:%s\"}", body, toupper(paste0(substr(sum, 1, 31), "A"))), FALSE)
  # Of two the last is meant, and holds the first.
  twice <- sprintf("%s\"checksum\": \"md5:%s\", ", body, sum)
  expect_no_error(check(sprintf("%s\"checksum\": \"md5:%s\"}", twice, cli::hash_raw_md5(charToRaw(twice)))))
  text <- signed_text(list(a = 1, b = "c"))
  expect_match(text, "^[{]\n  \"a\": 1,\n  \"b\": \"c\",\n  \"checksum\": \"md5:[0-9a-f]{32}\"\n[}]\n$")
  expect_no_error(check(text))
})

test_that("a text is written in UTF-8 in place of a file, and a file that cannot be written leaves nothing", {
  folder <- withr::local_tempdir()
  file <- file.path(folder, "f")
  write_file("old", file)
  write_file("\u00fc\n", file)
  expect_identical(readBin(file, "raw", 9), as.raw(c(0xc3, 0xbc, 0x0a)))
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), "f")
  dir.create(file.path(folder, "g"))
  writeLines("x", file.path(folder, "g", "x"))
  expect_error(write_file("new", file.path(folder, "g")), class = "candor_error_file")
  expect_error(write_file("new", file.path(folder, "none", "f")), class = "candor_error_file")
  expect_identical(sort(list.files(folder, all.files = TRUE, no.. = TRUE)), c("f", "g"))
  expect_identical(check_path("~/a"), path.expand("~/a"))
  expect_identical(check_path("a"), "a")
  expect_refused(check_path(""), check_path(NA_character_), check_path(c("a", "b")), check_path(1), check_path(character()))
})
