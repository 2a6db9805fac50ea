labels <- function(k) paste0("level", seq_len(k))

test_that("packed bits go round through raw, hexadecimal text, lists, 0 and 1, long tables and data frames", {
  set.seed(1)
  for (k in c(3, 8, 9, 20)) {
    m <- rr_unary(labels(k), 1)
    reports <- rr_perturb(sample(m$levels, 50, TRUE), m, rng = "R")
    reports <- reports[rowSums(as.matrix(reports)) > 0]
    expect_s3_class(reports, "rr_reports")
    bits <- as.matrix(reports)
    named <- stats::setNames(as.data.frame(bits), m$levels)[rev(m$levels)]
    long <- data.frame(id = row(bits)[bits == 1], level = m$levels[col(bits)[bits == 1]])
    text <- as.character(reports)
    for (form in list(candor:::report_values(reports), text, paste0("\\x", toupper(text)), as.list(reports), bits, bits == 1, named, long[order(long$id), ])) {
      expect_identical(rr_reports(form, m), reports)
    }
    expect_identical(rev(rev(reports)), reports)
    expect_identical(packBits(as.raw(c(bits[1, ], rep(0, -k %% 8)))), candor:::report_values(reports)[1, ])
    tally <- rr_tally(reports, m)
    expect_identical(tally$counts, as.double(colSums(bits)))
    expect_identical(tally$n, as.double(length(reports)))
    expect_equal(c(rr_tally(reports[1:7], m), rr_tally(reports[-(1:7)], m)), tally)
  }
})

test_that("sets of numbers go round, sorted whatever their order", {
  set.seed(2)
  m <- rr_subset(labels(20), 3)
  reports <- rr_perturb(sample(m$levels, 40, TRUE), m, rng = "R")
  expect_s3_class(reports, "rr_reports")
  lists <- as.matrix(reports)
  expect_identical(rr_reports(lists, m), reports)
  expect_identical(rr_reports(lists[, rev(seq_len(ncol(lists))), drop = FALSE], m), reports)
  bits <- t(apply(lists, 1, function(set) as.integer(seq_len(20) %in% set)))
  if (m$size == 1) bits <- t(vapply(lists[, 1], function(set) as.integer(seq_len(20) %in% set), integer(20)))
  expect_identical(rr_reports(bits, m), reports)
  long <- data.frame(id = rep(seq_len(40), m$size), level = m$levels[as.vector(lists)])
  expect_identical(rr_reports(long, m), reports)
  expect_identical(rr_tally(reports, m)$counts, as.double(colSums(bits)))
  expect_identical(rr_tally(bits, m)$counts, as.double(colSums(bits)))
  many <- rr_subset(20, 0.5)
  expect_s3_class(rr_perturb(1:20, many), "rr_reports")
  expect_s3_class(rr_reports(t(vapply(1:3, function(i) sort(sample(20, many$size)), numeric(many$size))), many), "rr_reports")
})

test_that("the order of a set carries nothing", {
  # Each member equally often in each place as the sets themselves say: with the truth put first it would stand there.
  m <- rr_subset(30, 2, size = 4)
  reports <- as.matrix(rr_perturb(rep(15, 20000), m))
  expect_true(all(apply(reports, 1, function(set) !is.unsorted(set, strictly = TRUE))))
  # Given that the truth is in, its place has the law of the number of smaller ones of 3 drawn from the other 29.
  place <- apply(reports, 1, function(set) match(15, set, nomatch = 0L))
  inside <- place[place > 0]
  expect_gt(chisq.test(tabulate(inside, 4), p = dhyper(0:3, 14, 15, 3))$p.value, 1e-6)
  expect_equal(mean(place > 0), m$p, tolerance = 0.05)
})

test_that("every (truth bit, report bit) has its probability", {
  m <- rr_unary(12, 1)
  x <- rep(1:12, 2000)
  bits <- as.matrix(rr_perturb(x, m))
  truth <- outer(x, 1:12, "==")
  for (v in 1:12) {
    own <- mean(bits[truth[, v], v])
    other <- mean(bits[!truth[, v], v])
    expect_lte(abs(own - m$p), 5 * sqrt(m$p * (1 - m$p) / 2000))
    expect_lte(abs(other - m$q), 5 * sqrt(m$q * (1 - m$q) / 22000))
  }
})

test_that("what is no report is named with its position", {
  m <- rr_unary(labels(37), 1)
  good <- as.character(rr_perturb(m$levels[1:20], m))
  for (text in c(paste0(good[17], strrep("00", 7)), "1", "00000000ff")) expect_refused(rr_tally(replace(good, 17, text), m), class = "report")
  expect_error(rr_tally(replace(good, 17, "zz00000000"), m), "Report 17 is \"zz00000000\"", class = "candor_error_report")
  bad <- replace(good, 17, NA)
  expect_refused(rr_tally(bad, m), class = "missing")
  expect_message(tally <- rr_tally(bad, m, na.rm = TRUE), class = "candor_message_missing")
  without <- rr_tally(good[-17], m)
  without$missing <- tally$missing
  expect_identical(tally, without)
  expect_refused(rr_tally(as.list(1:3), m), rr_tally(matrix(raw(1), 3, 4), m), rr_tally(matrix(c(0, 2), 2, 37), m), rr_tally(matrix(0, 2, 36), m),
                 rr_tally(data.frame(id = 1:2, level = c("level1", "nowhere")), m), class = "report")
  expect_error(rr_tally(rr_perturb(1:3, rr_unary(36, 1)), m), class = "candor_error_mismatch")
  s <- rr_subset(labels(9), 1, size = 2)
  expect_refused(rr_tally(rbind(c(1, 2), c(3, 3)), s), rr_tally(rbind(c(1, 2), c(3, 10)), s),
                 rr_tally(rbind(diag(9)[1, ] + diag(9)[2, ], diag(9)[1, ]), s), class = "report")
  h <- rr_hadamard(3, 1)
  expect_refused(rr_tally(c(0, 4), h), class = "report")
  expect_refused(rr_tally(c(0, NA), h), class = "missing")
  l <- rr_local_hash(5, 1)
  r <- rr_perturb(1:5, l)
  for (column in names(r)) expect_refused(rr_tally(replace(r, column, list(replace(r[[column]], 4, 100000L))), l), class = "report")
  expect_refused(rr_tally(r["slope"], l), rr_tally(data.frame(index = 0, sign = 0), rr_hadamard(3, 1, one_bit = TRUE)), class = "report")
})

test_that("numbers may be text, as a file's reader leaves them", {
  texts <- function(x) {
    x <- as.data.frame(x)
    x[] <- lapply(x, as.character)
    x
  }
  set.seed(4)
  for (m in list(rr_local_hash(5, 1), rr_local_hash(5, 1, cohorts = 4), rr_hadamard(5, 1, one_bit = TRUE),
                 rr_subset(9, 1, size = 2), rr_unary(5, 1))) {
    reports <- rr_perturb(rep(1:5, 4), m)
    numbers <- if (is.data.frame(reports)) reports else as.matrix(reports)
    expect_identical(rr_tally(texts(numbers), m), rr_tally(reports, m))
    expect_identical(rr_tally(as.data.frame(lapply(texts(numbers), factor)), m), rr_tally(reports, m))
  }
  wrong <- texts(rr_perturb(1:5, rr_local_hash(5, 1)))
  wrong$slope[2] <- "3.5"
  expect_refused(rr_tally(wrong, rr_local_hash(5, 1)), rr_tally(transform(wrong, slope = replace(slope, 2, "1234")), rr_local_hash(5, 1)), class = "report")
})

test_that("numbers come back from databases", {
  skip_without("RSQLite", "DBI")
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(connection))
  set.seed(3)
  x <- sample(6, 300, TRUE)
  for (m in list(rr_local_hash(6, 1), rr_local_hash(6, 1, cohorts = 3), rr_hadamard(6, 1, one_bit = TRUE))) {
    reports <- rr_perturb(x, m)
    DBI::dbWriteTable(connection, "reports", reports, overwrite = TRUE)
    expect_identical(rr_tally(DBI::dbReadTable(connection, "reports"), m), rr_tally(reports, m))
  }
  m <- rr_unary(20, 1)
  reports <- rr_perturb(x, m)
  DBI::dbWriteTable(connection, "bits", data.frame(hex = as.character(reports), blob = I(as.list(reports))), overwrite = TRUE)
  back <- DBI::dbReadTable(connection, "bits")
  expect_identical(rr_reports(back$hex, m), reports)
  expect_identical(rr_reports(unclass(back$blob), m), reports)
  h <- rr_hadamard(6, 1)
  numbers <- rr_perturb(x, h)
  DBI::dbWriteTable(connection, "numbers", data.frame(report = numbers), overwrite = TRUE)
  grouped <- DBI::dbGetQuery(connection, "SELECT report, COUNT(*) AS n FROM numbers GROUP BY report")
  expect_equal(rr_counts(stats::setNames(grouped$n, grouped$report), h)$counts, rr_tally(numbers, h)$counts)
  if (requireNamespace("bit64", quietly = TRUE)) expect_identical(rr_reports(bit64::as.integer64(numbers), h), numbers)
})

test_that("a seed reproduces reports, and secure ones differ", {
  for (m in list(rr_unary(9, 1), rr_subset(9, 1), rr_hadamard(9, 1), rr_local_hash(9, 1), rr_bitflip(9, 1, d = 3))) {
    set.seed(9)
    first <- rr_perturb(rep(1:9, 20), m, rng = "R")
    set.seed(9)
    expect_identical(rr_perturb(rep(1:9, 20), m, rng = "R"), first)
    expect_false(identical(rr_perturb(rep(1:9, 20), m), rr_perturb(rep(1:9, 20), m)))
    expect_error(rr_perturb(c(1, 10), m), "Answer 2", class = "candor_error_level")
  }
})

test_that("answers that nobody has randomized are no reports", {
  answers <- rep(c("mail", "web", "chat"), 4)
  mechanisms <- list(
    rr_unary(answers[1:3], 2), rr_subset(answers[1:3], 2), rr_local_hash(answers[1:3], 2), rr_hadamard(answers[1:3], 2),
    rr_hadamard(answers[1:3], 2, one_bit = TRUE), rr_bitflip(answers[1:3], 2, buckets = 3, d = 2), rr_bloom(answers[1:3], 16, 2, 1, epsilon = 2),
    rr_count_mean_sketch(2, 8, 4), rr_count_mean_sketch(2, 8, 4, one_bit = TRUE), rr_prefixes(4, c(1, 3), 16, 4), rr_hierarchy(answers[1:3], 2, fanout = 2)
  )
  for (mechanism in mechanisms) expect_refused(rr_tally(answers, mechanism), rr_tally(factor(answers), mechanism), class = "report")
})

test_that("reports of other widths, forms and protocols are not put together", {
  nine <- rr_perturb(1:3, rr_unary(9, 1), rng = "R")
  for (other in list(rr_perturb(1:3, rr_unary(10, 1), rng = "R"), rr_perturb(1:3, rr_subset(20, 2.5, size = 2), rng = "R"), "00")) {
    expect_error(c(nine, other), class = "candor_error_mismatch")
  }
  expect_error(c(rr_perturb(1:3, rr_subset(20, 2.5, size = 2), rng = "R"), rr_perturb(1:3, rr_subset(20, 2, size = 3), rng = "R")),
    class = "candor_error_mismatch")
})

test_that("the fields of reports and the forms of their tables follow from the codec", {
  expect_null(report_fields(report_codec(report = c(0, 5))))
  expect_identical(report_fields(report_codec(index = c(0, 15), value = c(1, 4))), c("index", "value"))
  expect_identical(report_fields(cohort_codec(8, 3)), c("cohort", "bits"))
  expect_null(report_fields(report_codec(levels = c("a", "b"))))
  expect_identical(report_fields(report_codec(part = "question")), c("question", "report"))
  expect_identical(report_fields(report_codec(block = "block")), c("block", "report"))
  # Numbers go from, to and by 1 unless they say by what.
  expect_identical(report_codec(index = c(0, 15), sign = c(-1, 1, 2))$numbers, list(index = c(0, 15, 1), sign = c(-1, 1, 2)))
  expect_identical(stored_forms(rr_mean(c(0, 1), 1)), list(alone = "number"))
  expect_null(stored_forms(rr_grr(3, 1)))
  expect_null(stored_forms(rr_hadamard(3, 1)))
  expect_identical(stored_forms(rr_local_hash(3, 1)), list(columns = list(rows = c("slope", "shift", "value"))))
  bits <- stored_forms(rr_unary(c("a", "b"), 1))
  expect_identical(bits, list(columns = list(bits = c("a", "b"), long = c("id", "level")), alone = "text"))
  flips <- stored_forms(rr_bitflip(c("a", "b", "c"), 1, d = 2))
  expect_identical(flips$columns[c("positions", "long")], list(positions = c("position_1", "position_2"), long = c("id", "level", "bit")))
  expect_null(flips$columns$text)
  expect_null(flips$alone)
  expect_identical(stored_forms(rr_bitflip(c("a", "b", "c"), 1, d = 1))$alone, "positions")
  filters <- stored_forms(rr_bloom(3, 1, bits = 3, hashes = 1, cohorts = 2))
  expect_identical(filters$columns, list(text = c("cohort", "bits"), bits = c("cohort", "bit_1", "bit_2", "bit_3"), long = c("id", "cohort", "level")))
  expect_null(filters$alone)
})

test_that("reports are packed bits unless a few positions take less room", {
  expect_identical(vapply(c(1, 8, 9, 16, 17), function(width) codec_bytes(list(width = width)), 0), c(1, 1, 2, 2, 3))
  expect_true(packs_bits(list(width = 16)))
  # A position among 16 takes 4 bits.
  expect_identical(vapply(3:5, function(ones) packs_bits(list(width = 16, ones = ones)), NA), c(FALSE, TRUE, TRUE))
  expect_false(packs_bits(list(width = 16, ones = 5, drawn = 2)))
  expect_identical(short_reports(c(strrep("a", 60), strrep("a", 61))), c(strrep("a", 60), paste0(strrep("a", 57), "...")))
})

test_that("reports are cut, replaced and put together one by one, and missing ones stay missing", {
  x <- new_rr_reports(matrix(as.raw(c(1, 2, 3, 5)), 4), 3)
  text <- as.character(x)
  expect_identical(length(x), 4L)
  expect_identical(as.character(x[c(4, 2)]), text[c(4, 2)])
  expect_identical(as.character(x[[3]]), text[3])
  expect_identical(as.character(x[]), text)
  expect_identical(as.character(x[c(1, 9)]), c(text[1], NA))
  expect_identical(is.na(x[c(1, 9, NA)]), c(FALSE, TRUE, TRUE))
  lost <- x[c(1, 9)]
  expect_identical(is.na(c(x, lost)), rep(c(FALSE, TRUE), c(5, 1)))
  expect_identical(as.matrix(lost)[2, ], rep(NA_integer_, 3))
  expect_identical(as.matrix(x)[4, ], c(1L, 0L, 1L))
  y <- x
  y[2] <- x[4]
  expect_identical(as.character(y), text[c(1, 4, 3, 4)])
  y[] <- x[c(2, 2, 2, 2)]
  expect_identical(as.character(y), text[c(2, 2, 2, 2)])
  expect_identical(as.character(unique(c(x, x[2:1]))), text)
  expect_error(c(x, new_rr_reports(matrix(as.raw(1:2), 2), 4)), class = "candor_error_mismatch")
  expect_error(c(x, 1), class = "candor_error_mismatch")
  expect_identical(as.list(lost), list(as.raw(1), NULL))
  frame <- as.data.frame(x, nm = "seen")
  expect_identical(names(frame), "seen")
  expect_identical(frame[2:3, ], x[2:3])
  # Rows that a join made of nothing are missing.
  restored <- vec_restore.rr_reports(data.frame(values = I(matrix(as.raw(c(1, 0)), 2)), here = c(TRUE, NA)), x)
  expect_identical(is.na(restored), c(FALSE, TRUE))
})
