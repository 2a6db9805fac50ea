drawn <- function(mechanism, n = 2000) {
  truth <- rep(mechanism$levels, each = n)
  reports <- if (!isTRUE(mechanism$memoised)) rr_perturb(truth, mechanism, rng = "R") else rr_perturb(truth, mechanism, rng = "R", memory = list())$reports
  list(truth = truth, reports = reports)
}

test_that("reports of the package's own sampler pass, whatever the protocol", {
  set.seed(41)
  abc <- c("a", "b", "c")
  mechanisms <- list(rr_grr(abc, 1), rr_grr(abc, p = 0.1), rr_warner(0.7), rr_triangular(0.3), rr_forced(c(a = 0.1, b = 0.2, c = 0.3)),
                     rr_square_wave(5, 1), rr_unary(9, 1), rr_subset(7, 1, size = 3), rr_local_hash(5, 1), rr_local_hash(5, 1, cohorts = 8),
                     rr_hadamard(6, 1, blocks = 2), rr_hadamard(6, 1, one_bit = TRUE), rr_bloom(abc, 2, bits = 16, cohorts = 3), rr_bitflip(6, 1, d = 2),
                     rr_longitudinal(abc, 2, 1), rr_longitudinal(abc, 2, 1, "grr-grr"), rr_longitudinal(abc, 2, 1, "local-hash"),
                     rr_bloom(abc, 1, bits = 16, cohorts = 3, permanent = 2))
  p <- unlist(lapply(mechanisms, function(mechanism) {
    one <- drawn(mechanism)
    check <- rr_check_client(one$reports, mechanism, one$truth)
    expect_identical(check$truth, mechanism$levels)
    expect_identical(check$n, rep(2000, length(mechanism$levels)))
    expect_true(all(is.na(check$problem)), label = format(mechanism))
    check$p.value
  }))
  # p-values are uniform: a Kolmogorov-Smirnov test that fails once in 10,000.
  expect_gt(suppressWarnings(ks.test(p, "punif")$p.value), 1e-4)
})

test_that("the broken clients of the review are found, and it is said what is wrong", {
  set.seed(42)
  problem <- function(reports, mechanism, truth) rr_check_client(reports, mechanism, truth)$problem
  unary <- rr_unary(8, 1)
  one <- drawn(unary, 500)
  bits <- rr_reports(one$reports, unary)
  ones <- matrix(as.integer(rawToBits(t(unclass(bits)))), ncol = 8, byrow = TRUE)
  expect_match(problem(ones[, 8:1], unary, one$truth), "wrong order", all = TRUE)
  expect_match(problem(1 * outer(match(one$truth, unary$levels), 1:8, `==`), unary, one$truth), "not randomized", all = TRUE)
  wide <- rr_perturb(one$truth, rr_unary(8, 2.5), rng = "R")
  expect_match(problem(wide, unary, one$truth), "should be", all = TRUE)

  yes_no <- rep(c("no", "yes"), each = 2000)
  expect_match(problem(yes_no, rr_warner(0.8), yes_no), "not randomized", all = TRUE)
  expect_match(problem(rr_perturb(yes_no, rr_warner(0.9), rng = "R"), rr_warner(0.8), yes_no), "0.9.* should be 0.8", all = TRUE)

  hash <- rr_local_hash(5, 1)
  one <- drawn(hash, 1000)
  fixed <- one$reports
  fixed[c("slope", "shift")] <- list(7L, 11L)
  own <- candor:::hash_values(hash, match(one$truth, hash$levels), fixed)
  keep <- runif(nrow(fixed)) < (exp(1) / (exp(1) + hash$g - 1) - 1 / hash$g) / (1 - 1 / hash$g)
  fixed$value <- as.integer(ifelse(keep, own, sample(hash$g, nrow(fixed), TRUE)))
  expect_match(problem(fixed, hash, one$truth), "hash function", all = TRUE)

  # A client of Hadamard response that starts with row 0: its reports are numbers like any.
  hadamard <- rr_hadamard(6, 1, blocks = 1)
  truth <- rep(1:6, each = 2000)
  column <- sample(0:7, length(truth), TRUE)
  odd <- function(x) vapply(x, function(one) sum(as.integer(intToBits(one))) %% 2 == 1, NA)
  told <- runif(length(truth)) < (exp(1) - 1) / (exp(1) + 1)
  row <- truth - 1
  turned <- told & odd(bitwAnd(row, column))
  column[turned] <- bitwXor(column, bitwAnd(row, -row))[turned]
  expect_false(anyNA(problem(column, hadamard, as.character(truth))))
})

test_that("questions of a product are checked one by one, and numbers that are not enough say nothing", {
  set.seed(43)
  mechanism <- rr_product(drugs = rr_warner(0.8), often = rr_grr(c("a", "b", "c"), 1))
  truth <- data.frame(drugs = rep(c("no", "yes"), 1500), often = rep(c("a", "b", "c"), each = 1000))
  reports <- rr_perturb(truth, mechanism, rng = "R")
  reports$often <- truth$often
  check <- rr_check_client(reports, mechanism, truth)
  expect_identical(check$question, rep(c("drugs", "often", "drugs, often"), c(2, 3, 1)))
  # The epsilon of all questions is above the promised one, as that of the second is.
  expect_identical(is.na(check$problem), rep(c(TRUE, FALSE), c(2, 4)))
  expect_true(is.na(rr_check_client("yes", rr_warner(0.8), "yes")$problem))
  expect_refused(rr_check_client(c("yes", "no"), rr_warner(0.8), "yes"), rr_check_client("yes", rr_noncompliance(rr_warner(0.8), 0.1), "yes"))
})

test_that("a file is checked number by number: one threshold off by a unit is found there, and nowhere else", {
  skip_if_not_installed("jsonlite")
  # Each file passes, and not with one threshold or one line of its code changed.
  mechanism <- rr_product(`</script>` = rr_warner(0.8), often = rr_grr(c("a\\", "\"b", "c"), 1))
  for (as in c("plan", "javascript", "python", "page")) {
    file <- withr::local_tempfile()
    settings <- if (as == "page") list(question = c(often = "Often?", `</script>` = "Ever?"), key = "k")
    do.call(rr_client, c(list(mechanism, file, as), settings))
    expect_identical(rr_check_client(file, mechanism)$problem, NA_character_)
    writeLines(sub("ccccccccccccd000", "ccccccccccccd001", readLines(file, warn = FALSE), fixed = TRUE), file)
    expect_match(rr_check_client(file, mechanism)$problem, "numbers")
    if (as == "page") {
      settings <- utils::modifyList(settings, list(key = "k2", send = "https://example.org/reports?x=1", language = "de",
                                                   words = list(title = "A \"title\" and <b>")))
    }
    do.call(rr_client, c(list(mechanism, file, as, overwrite = TRUE), settings))
    expect_identical(rr_check_client(file, mechanism)$problem, NA_character_)
    text <- file_text(file)
    broken <- switch(
      as, plan = c(sub("\\{", "{\"more\": 1, ", text), paste(text, "x")),
      javascript = c(sub("=> uniform(words) < grid(p);", "=> true;", text, fixed = TRUE),
                     sub("getRandomValues(buffer)", "getRandomValues; buffer.fill(7)", text, fixed = TRUE), paste0(text, "candorClient.x = 1;")),
      python = c(sub("return self.number() < p", "return True", text, fixed = TRUE), sub("json.loads(", "broken(", text, fixed = TRUE)),
      page = c(sub("default-src 'none'", "default-src *", text, fixed = TRUE), sub("connect-src [^;]*;", "connect-src *;  script-src *;", text),
               sub("const page = (.*?);\n", "const page = (steal(), \\1);\n", text, perl = TRUE), sub("lang=\"de\"", "lang=\"de\" onclick=\"x()\"", text),
               sub("</body>", "<script>1</script></body>", text, fixed = TRUE), paste0(text, "<img src=x>"))
    )
    expect_false(text %in% broken)
    for (one in broken) {
      write_file(one, file)
      expect_match(rr_check_client(file, mechanism)$problem, "holds? ", label = paste(as, which(broken == one)))
    }
  }
  expect_refused(rr_check_client("no such file.html", mechanism))
})

test_that("a file that tells the truth does not pass, in whichever way it does", {
  skip_if_not_installed("jsonlite")
  mechanism <- rr_warner(0.8)
  plan <- client_text(mechanism)
  # The thresholds of the right plan, replaced: each answer is reported as it is.
  evil <- gsub("cuts\": \\[.*?\\]\\]", "cuts\": [[\"1\"], [\"0000000000000000\"]]", plan)
  expect_false(identical(evil, plan))
  put <- function(pattern, replacement) function(text) sub(pattern, replacement, text, fixed = TRUE)
  inside <- function(json, member, value) paste0(sub("}$", "", json), ", \"", member, "\": ", value, "}")
  quoted <- function(json) gsub("([\\\"])", "\\\\\\1", json)
  # What is done to the text of every kind of file.
  anywhere <- list(
    before = function(text) paste0("{}\n", text), after = function(text) paste0(text, "\n0"), blank = function(text) paste0(text, "\n"),
    wide = function(text) iconv(text, "UTF-8", "UTF-16LE", toRaw = TRUE)[[1]], mark = function(text) paste0("\ufeff", text),
    zero = function(text) c(charToRaw(text), as.raw(0), charToRaw("tell()")), lines = function(text) gsub("\n", "\r\n", text)
  )
  script <- list(
    decoy = put(plan, inside(evil, "decoy", plan)), twice = put(plan, inside(plan, "plan", evil)), evil = put(plan, evil),
    comment = put(plan, paste0(evil, "/*", plan, "*/")), eval = put(plan, paste0("eval(\"", quoted(evil), "\")")),
    escapes = put("\"plan\"", "\"pl\\u0061n\""), crypto = put("function has(", "globalThis.crypto = { getRandomValues: b => b.fill(7) };\nfunction has("),
    truth = put("if (truths[at] === null)", "if (truths[at] !== null) return q.plan.levels[truths[at]];\n    if (truths[at] === null)"),
    spelt = put("if (!has(draw", "if (!h\\u0061s(draw"), getter = put(plan, paste0("JSON.parse('", quoted(evil), "')"))
  )
  # A policy that lets a changed script run.
  hashed <- function(change) {
    function(text) {
      for (tag in c("script", "style")) {
        text <- sub(paste0("(", tag, "-src 'sha256-)[^']*"), paste0("\\1", element_hash(change(text), tag)), change(text))
      }
      text
    }
  }
  page <- c(lapply(script, hashed), lapply(list(
    member = function(text) sub("(\nconst page = [^\n]*)};", paste0("\\1, \"client\": ", evil, "};"), text),
    second = put("</main>", "<script>tell()</script></main>"),
    words = put("\"words\": {", "\"words\": {\"title\": \"\", "), event = put("<main>", "<main onclick=\"tell()\">"),
    base = put("<title>", "<base href=\"https://other.example/\"><title>"), unknown = put("\"practice\": false", "\"more\": 1, \"practice\": false"),
    policy = put("connect-src 'none'", "connect-src *"), key = put("\"key\": \"k\"", "\"key\": 7")
  ), hashed))
  python <- list(
    decoy = put(quoted(plan), quoted(inside(evil, "decoy", plan))), twice = put(quoted(plan), quoted(inside(plan, "plan", evil))),
    comment = put("\nPLAN = ", paste0("\nPLAN = json.loads(\"", quoted(evil), "\")  # ")), code = put("import struct", "import struct, os"),
    coding = put("\"\"\"candor", "# coding: utf-7\n\"\"\"candor"), number = put("import json\n", "import json as secrets\n")
  )
  kinds <- list(plan = c(anywhere[names(anywhere) != "lines"], evil = put(plan, evil), decoy = put(plan, inside(evil, "decoy", plan))),
                javascript = c(anywhere, script), python = c(anywhere, python), page = c(anywhere, page))
  # These files hold the same script: their end, a plan and a line of code are tried.
  kinds[c("module", "jspsych", "surveyjs")] <- list(c(anywhere["after"], script[c("evil", "crypto")]))
  file <- withr::local_tempfile()
  for (as in names(kinds)) {
    settings <- if (as == "page") list(question = "Q?") else list()
    if (as %in% c("page", "jspsych", "surveyjs")) settings$key <- "k"
    do.call(rr_client, c(list(mechanism, file, as, overwrite = TRUE), settings))
    expect_identical(rr_check_client(file, mechanism)$problem, NA_character_, label = as)
    text <- file_text(file)
    for (attack in names(kinds[[as]])) {
      broken <- kinds[[as]][[attack]](text)
      expect_false(identical(broken, text), label = paste(as, attack))
      writeBin(if (is.raw(broken)) broken else charToRaw(enc2utf8(broken)), file)
      expect_match(rr_check_client(file, mechanism)$problem, "^Line [0-9]+ ", label = paste(as, attack))
    }
  }
  # The place is that of the change, not of the hash that was made anew.
  rr_client(mechanism, file, question = "Q?", key = "k", overwrite = TRUE)
  text <- file_text(file)
  line <- grep("function has(", strsplit(text, "\n")[[1]], fixed = TRUE)
  write_file(page$crypto(text), file)
  expect_match(rr_check_client(file, mechanism)$problem, sprintf("^Line %d holds other code", line))
  write_file(page$evil(text), file)
  expect_match(rr_check_client(file, mechanism)$problem, "does not hold the numbers")
  # A plan has no code.
  verdict <- function(as, ...) utils::capture.output(print(rr_check_client(rr_client(mechanism, file, as, ..., overwrite = TRUE), mechanism)))[1]
  expect_match(verdict("plan"), "The file has the numbers of this mechanism.")
  expect_match(verdict("python"), "The file has the code and the numbers of this mechanism.")
})

test_that("what parts of reports say together is found, and right clients pass", {
  options(candor.study.functions.only = TRUE)
  withr::defer(options(candor.study.functions.only = NULL))
  study <- new.env()
  sys.source(study_file("clients.R"), study)
  set.seed(44)
  found <- function(client, n) {
    truth <- study$truths(client[[1]], n)
    if (length(client) < 3) return(study$is_found(client[[1]], client[[2]](truth), truth))
    study$is_found(client[[1]], client[[2]](truth), rep(truth, 2), rep(seq_along(truth), 2))
  }
  # Those whose separate parts are right or nearly so; clients.csv has the share found of all.
  joint <- c("one random number for all bits", "a random number for each two bits", "dBitFlip always asks the own bucket", "subset names the truth first",
             "product with one random number", "permanent answer drawn anew", "parity of the slope tells the truth", "one hash function for all",
             "generator of 4,096 states", "each random number used for two respondents")
  for (name in joint) expect_true(found(study$broken[[name]], 1000), label = name)
  # A right client that is asked twice: 0.2 % false alarms at most.
  kept <- rr_longitudinal(c("a", "b", "c"), 2, 1, "grr-grr")
  truth <- rep(kept$levels, each = 1000)
  first <- rr_perturb(truth, kept, rng = "R", memory = list())
  second <- rr_perturb(truth, kept, rng = "R", memory = first$memory)
  twice <- rr_check_client(c(first$reports, second$reports), kept, rep(truth, 2), id = rep(1:3000, 2))
  expect_identical(twice$problem, rep(NA_character_, 3))
  expect_identical(twice$n, rep(1000, 3))
  anew <- rr_perturb(truth, kept, rng = "R", memory = list())$reports
  expect_match(rr_check_client(c(first$reports, anew), kept, rep(truth, 2), id = rep(1:3000, 2))$problem, "permanent", all = TRUE)
})

test_that("the chi-squared test of counts, rare ones pooled or not, has the tail that it says", {
  # Counts of cells by their exact distribution, 8,000 draws, 20,000 in the long tests each week: four standard errors of 5e-3 are
  # allowed, 8e-4 each. 5,000 draws of bits: three, 1e-3 each.
  set.seed(45)
  tail_share <- function(p) mean(p < 5e-3)
  cells <- c(0.6, rep(0.1, 3), rep(0.005, 18), rep(1e-4, 100))
  times <- extended(8000, 20000)
  draws <- rmultinom(times, 1000, cells / sum(cells))
  p <- apply(draws, 2, function(counts) cells_test(list(counts = counts, prob = cells / sum(cells)), 1000)$p)
  expect_lt(tail_share(p), 5e-3 + 4 * sqrt(5e-3 / times))
  bits <- c(0.5, rep(0.0045, 19))
  both <- outer(bits, bits)
  diag(both) <- bits
  draws <- matrix(rbinom(20 * 5000, 1000, bits), 20)
  shares <- tail_share(apply(draws, 2, function(counts) bits_test(list(bits = rbind(counts), both = both, truth_bits = 1), 1000)$p))
  expect_lt(shares, 8e-3)
})

test_that("measured epsilon has the bounds of the vectors", {
  for (case in golden("next_attack")) {
    input <- case$input
    if (input$op == "pairs") {
      estimate <- log(input$own / input$other)
      expect_equal(estimate, golden_number(case$expected$epsilon), tolerance = 1e-9)
      expect_equal(max(0, pairs_bound(input$own, input$other, 1 - input$level)), case$expected$lower, tolerance = 1e-9)
    }
    if (input$op == "table") expect_equal(table_bound(input$counts, 1 - input$level), case$expected$lower, tolerance = 1e-9)
  }
})

test_that("pairs are drawn as often from either truth, and a bound above the promise is a problem by name", {
  x <- rep(1:6, c(30, 30, 30, 7, 30, 30))
  pairs <- other_truths(x, 6)
  table <- table(factor(x, 1:6)[pairs$used], factor(pairs$other, 1:6)[pairs$used])
  expect_true(isSymmetric(unname(unclass(table))))
  expect_true(all(pairs$other != x))
  expect_identical(unname(diag(table)), rep(0L, 6))
  set.seed(46)
  truth <- rep(letters[1:8], each = 2000)
  grr <- rr_grr(letters[1:8], 1)
  check <- rr_check_client(rr_perturb(truth, grr, rng = "R"), grr, truth)
  # E(A) = 16,000 e / (e + 7), E(B) = 16,000 / (e + 7) / 7 + ...: the estimate has a standard error of about 0.03.
  expect_lt(abs(check$epsilon[1] - 1), 0.12)
  expect_lt(check$epsilon.low[1], 1)
  expect_gt(check$epsilon.low[1], 0.8)
  expect_identical(check$epsilon.high, rep(Inf, 8))
  # A design that says more than was promised, by a name of its own.
  promised <- replace(grr, "epsilon", 0.5)
  expect_match(rr_check_client(rr_perturb(truth, grr, rng = "R"), promised, truth)$problem,
               "prove an epsilon of at least 0.8.*above the promised 0.5", all = TRUE)
  expect_output(print(check), "No problem was found")
})

test_that("without second reports the verdict is that permanence was not tested", {
  set.seed(47)
  people <- 2000
  truth <- rep(c("a", "b"), people / 2)
  memoised <- rr_longitudinal(c("a", "b"), permanent = 1, epsilon = 0.9, protocol = "grr-grr")
  product <- rr_product(x = memoised, y = rr_warner(0.8))
  answers <- data.frame(x = truth, y = rep(c("no", "yes"), each = people / 2))
  # A client that draws everything anew keeps nothing, of which rr_perturb() warns, and passes all other tests.
  perturb <- function(...) suppressWarnings(rr_perturb(..., rng = "R"))
  once <- perturb(truth, memoised)
  verdict <- function(...) gsub("\\s+", " ", paste(utils::capture.output(print(rr_check_client(...))), collapse = " "))
  expect_untested <- function(line) {
    expect_no_match(line, "No problem was found")
    expect_match(line, "Not tested: whether permanent answers are kept")
  }
  expect_untested(verdict(once, memoised, truth))
  expect_untested(verdict(once, memoised, truth, id = seq_len(people)))
  expect_untested(verdict(perturb(answers, product), product, answers))
  # Nobody is accused of copies who keeps permanent answers, if who sent which report is not said.
  first <- perturb(truth, memoised, memory = list())
  kept <- c(first$reports, perturb(truth, memoised, memory = first$memory)$reports)
  found <- rr_check_client(kept, memoised, c(truth, truth))
  expect_false(any(grepl("depends on the one", found$problem)))
  # Two reports of each: drawn anew they are found, and kept they pass.
  ids <- rep(seq_len(people), 2)
  twice <- c(once, perturb(truth, memoised))
  expect_match(verdict(twice, memoised, c(truth, truth), id = ids), "permanent answers were not kept")
  first <- perturb(truth, memoised$first)
  kept <- c(perturb(first, memoised$second), perturb(first, memoised$second))
  expect_match(verdict(kept, memoised, c(truth, truth), id = ids), "No problem was found")
  expect_match(verdict(rr_perturb(truth, rr_grr(c("a", "b"), 1), rng = "R"), rr_grr(c("a", "b"), 1), truth), "No problem was found")
})

test_that("one report of each truth is no evidence of anything, whatever the protocol", {
  set.seed(3)
  for (mechanism in list(rr_grr(3, 1), rr_hadamard(3, 1), rr_projective(3, 1), rr_unary(3, 1), rr_subset(3, 1), rr_local_hash(3, 1))) {
    check <- rr_check_client(rr_perturb(1:3, mechanism, rng = "R"), mechanism, 1:3)
    expect_identical(check$problem, rep(NA_character_, 3))
    expect_identical(check$epsilon.low, numeric(3))
  }
  check <- rr_check_client(c("a", "b", "c"), rr_grr(c("a", "b", "c"), 1), c("a", "b", "c"))
  expect_identical(check$epsilon, rep(NA_real_, 3))
  expect_false(any(grepl("*", capture.output(print(check)), fixed = TRUE)))
})

test_that("the facts about a report are the frequencies of a right client's reports", {
  abc <- letters[1:4]
  mechanisms <- list(rr_unary(abc, 1), rr_subset(abc, 1, size = 2), rr_local_hash(abc, 1), rr_hadamard(abc, 1, one_bit = TRUE), rr_bitflip(abc, 1),
                     rr_bitflip(abc, 1, d = 2), rr_bloom(abc, 1, bits = 6, hashes = 2, cohorts = 2), rr_grr(abc, epsilon = 1), rr_hadamard(abc, 1))
  n <- 4000
  for (m in mechanisms) for (x in c(1, 3)) {
    reports <- withr::with_seed(14, rr_perturb(rep(abc[x], n), m, rng = "R"))
    audit <- new_audit(reports, m, rep(abc[x], n), NULL)
    facts <- audit$facts[[1]]
    near <- function(share, p) expect_true(all(abs(share - p) <= 5 * sqrt(p * (1 - p) / n) + 1e-12))
    if (is.null(facts$bits)) {
      near(facts$counts / n, facts$prob)
      expect_equal(sum(facts$prob), 1)
    } else if (!anyNA(facts$both)) {
      near(crossprod(facts$bits) / n, facts$both)
      if (!is.null(facts$covariance)) expect_lte(max(abs(cov(facts$bits) - facts$covariance)), 5 / sqrt(n))
    }
    near(mean(audit$supports), facts$p_support)
    # Another report of the same truth is drawn anew where nothing is kept.
    if (!isTRUE(m$memoised)) expect_equal(facts$p_support_twice, facts$p_support^2, tolerance = 1e-9)
    # Two reports are equal with at most this probability, with room for five deviations of the pairs; for bits it is exact.
    if (!is.null(facts$p_equal)) {
      text <- do.call(paste, lapply(if (is.data.frame(reports)) reports else list(reports), as.character))
      equal <- sum(choose(table(text), 2)) / choose(n, 2)
      room <- 5 * sqrt(facts$p_equal / choose(n, 2)) + 4 * facts$p_equal / sqrt(n)
      expect_lte(equal, facts$p_equal + room)
      if (draws_bits(m)) expect_gte(equal, facts$p_equal - room)
    }
  }
})

test_that("exact tests double the smaller tail, and equal reports are pairs", {
  tests <- exact_tests("share", c(3, 40, 10), 50, c(0.2, 0.2, 0.2))
  tail <- c(pbinom(3, 50, 0.2), pbinom(39, 50, 0.2, lower.tail = FALSE))
  expect_equal(tests$p, c(2 * tail, 1))
  expect_equal(tests$share, c(3, 40, 10) / 50)
  reports <- rep(c("a", "b", "c", "d"), c(4, 3, 1, 2))
  # 6 + 3 + 0 + 1 pairs of 45.
  equal <- equal_test(reports, 0.01)
  expect_equal(c(equal$share, equal$p), c(10, ppois(9, 0.45, lower.tail = FALSE)))
  expect_null(equal_test(reports, 0.03))
  expect_null(equal_test(reports, NULL))
})

test_that("counts of cells have Pearson's statistic, and those of bits Mahalanobis' distance", {
  found <- cells_test(list(counts = c(30, 50, 20), prob = c(0.4, 0.4, 0.2)), 100)
  expect_equal(c(found$statistic, found$df), c(100 / 40 + 100 / 40, 2))
  expect_equal(found$p, moment_p_value(5, 2, c(40, 40, 20)))
  # The tail in the limit of many reports is that of chi-squared.
  many <- cells_test(list(counts = 1e6 + c(2000, -1000, -1000), prob = rep(1 / 3, 3)), 3e6)
  expect_equal(many$p, pchisq(many$statistic, 2, lower.tail = FALSE), tolerance = 1e-3)
  expect_identical(cells_test(list(counts = c(99, 1, 0), prob = c(0.5, 0, 0.5)), 100)$statistic, Inf)
  p <- c(0.7, 0.3, 0.3)
  bits <- withr::with_seed(15, matrix(rbinom(600, 1, rep(p, each = 200)), 200))
  both <- tcrossprod(p)
  diag(both) <- p
  found <- bits_test(list(bits = bits, both = both, truth_bits = 1), 200)
  expect_equal(found$statistic, sum((colSums(bits) - 200 * p)^2 / (200 * p * (1 - p))))
  expect_equal(found$df, 3)
})

test_that("clients that disclose answers although each part of a report looks right are found, and the kind of defect is named", {
  options(candor.study.checks.only = TRUE)
  withr::defer(options(candor.study.checks.only = NULL, candor.study.functions.only = NULL))
  study <- new.env()
  sys.source(study_file("client-checks.R"), study, chdir = TRUE)
  withr::defer(detach("helpers"))
  # client-checks.csv has the share found of all; these are found in each run with 1,000 reports a truth.
  kinds <- c(
    `p drifts from .9 to .7` = "along the sequence", `every second device tells the truth` = "one in 2, in turn",
    `half of the devices tell the truth, two reports with id` = "differ between respondents",
    `generator restarts for each truth, categories` = "begins again", `generator restarts for each truth, bits` = "begins again",
    `generator restarts for each truth, hash` = "numbers are used again|begins again",
    `noise of the respondent two before` = "the one 2 before", `noise of the respondent 137 before` = "the one 137 before",
    `the truth hashes to 1` = "chosen by the answer", `slope modulo 5 is the truth` = "depends on the answer",
    `parity of slope and shift tells the truth` = "depends on the answer", `parity of the bits tells the truth` = "odd number",
    `bits v and v + 128 share a number` = "come together", `a marker in 1 of 200 reports` = "a mark"
  )
  set.seed(48)
  clients <- c(study$review, study$others)
  for (name in names(kinds)) {
    problem <- study$client_problems(clients[[name]], 1000)
    expect_match(problem[!is.na(problem)][1], kinds[[name]], label = name)
  }
  # Of a product the row of both questions says which answer is told.
  problem <- study$client_problems(clients[["which lie tells the answer to another question"]], 1000)
  expect_match(problem[length(problem)], "answer to another: b, a", fixed = TRUE)
  problem <- study$client_problems(clients[["the lie of one question is that of another"]], 1000)
  expect_match(problem[length(problem)], "not randomized independently")
  # A tenth of the reports of one memory is drawn anew: the 11th to the 20th are tested too.
  problem <- study$client_problems(clients[["permanent answer anew every 10th time"]], 10000)
  expect_match(problem, "permanent answers were not kept", all = TRUE)
})

test_that("the probabilities of the exact tests are those of an enumeration", {
  # Residues of a slope of 1 to 256 and a shift of 0 to 256, and the values of all hash functions.
  hash <- rr_local_hash(5, 1)
  all <- expand.grid(slope = 1:(hash$prime - 1), shift = 0:(hash$prime - 1))
  for (q in c(2, 3, 5, 7)) {
    cells <- residue_cells(q, as.list(all), hash$codec$numbers[c("slope", "shift")])
    expect_equal(tabulate(cells$cell, q^2) / nrow(all), cells$prob, tolerance = 1e-12)
  }
  fifths <- fifth_cells(all$slope, hash$codec$numbers$slope)
  expect_equal(tabulate(fifths$cell, 5) / nrow(all), fifths$prob, tolerance = 1e-12)
  values <- client_facts(hash, rr_reports(data.frame(slope = 1L, shift = 0L, value = 1L), hash), 3)$values
  expect_equal(tabulate(hash_values(hash, rep(3, nrow(all)), all), hash$g) / nrow(all), values, tolerance = 1e-12)
  # The sign of the truth in Hadamard response, over all columns: (-1)^(bits that row and column share).
  hadamard <- rr_hadamard(6, 1, one_bit = TRUE)
  one <- rr_reports(data.frame(index = 0L, sign = 1L), hadamard)
  for (x in 1:6) {
    odd <- vapply(0:7, function(column) sum(as.integer(intToBits(bitwAnd(x - 1L, column)))) %% 2, 0)
    expect_equal(client_facts(hadamard, one, x)$values, c(mean(odd), 1 - mean(odd)))
  }
  # An odd number of ones among independent bits.
  unary <- rr_unary(4, p = 0.7, q = 0.2)
  bits <- as.matrix(expand.grid(rep(list(0:1), 4)))
  p <- c(0.2, 0.2, 0.7, 0.2)
  prob <- apply(bits, 1, function(bit) prod(ifelse(bit == 1, p, 1 - p)))
  facts <- client_facts(unary, rr_reports(bits, unary), 3)
  expect_equal(facts$p_odd, sum(prob[rowSums(bits) %% 2 == 1]))
  # 60 reports more than expected of one: its binomial tail, doubled, times the number of reports.
  counts <- round(1000 * prob) + c(60, rep(0, 15))
  facts$bits <- bits[rep(1:16, counts), ]
  expect_equal(marker_test(facts)$p, 16 * 2 * pbinom(counts[1] - 1, sum(counts), prob[1], lower.tail = FALSE))
  # Both support, or are alike: 0.6 and 0.5 are independent.
  pair <- list(first = 1, second = 2, p_both = 0.3)
  tests <- support_tests("lag", list(pair), c(TRUE, FALSE), c(0.6, 0.5))
  expect_equal(tests$prob, c(0.3, 0.6 * 0.5 + 0.4 * 0.5))
  # Pairs at a distance of 3 do not overlap, and each is in one of two tests.
  p <- rep(0.5, 20)
  # (1, 4), (2, 5), (3, 6), (7, 10), ..., (15, 18); and (4, 7), (5, 8), (6, 9), (10, 13), ..., (17, 20).
  expect_equal(lag_tests("lag", seq_len(20) <= 10, p, 3)$share * c(9, 9, 8, 8), c(4, 7, 3, 7), tolerance = 1e-12)
  # The worst distance: noise that comes again after 40.
  set.seed(49)
  noise <- rnorm(40)
  expect_identical(far_lag(c(noise, noise, rnorm(40))), 40L)
})

test_that("a report that an answer cannot have is named, and truths whose reports are right are not blamed for it", {
  channel <- rr_channel(rbind(c(0.5, 0.5, 0), c(0, 0.5, 0.5)))
  truth <- rep(channel$levels, each = 1000)
  reports <- channel$reports[c(rep(1:2, 500), rep(2:3, 500))]
  reports[1] <- channel$reports[3]
  check <- rr_check_client(reports, channel, truth)
  expect_match(check$problem[1], paste("cannot have:", channel$reports[3]))
  expect_identical(check$p.value[1], 0)
  expect_match(check$problem[2], "Over all answers a report has a share of 0.9995, which should be 1", fixed = TRUE)
})

test_that("a problem that the chi-squared test alone sees has a sentence", {
  joint <- exact_tests("share", c(510, 330), 1000, c(0.5, 1 / 3))
  facts <- list(p_support = 0.5)
  rejected <- c(single = TRUE, joint = FALSE)
  problem <- client_problem(rejected, facts, rep(c(TRUE, FALSE), 500), joint)
  expect_match(problem, "0.5 of the reports hold the truth, which should be 0.5", fixed = TRUE)
})

test_that("tests of groups, pairs, numbers and repeated reports count what they say", {
  supports <- c(TRUE, FALSE, TRUE, TRUE, FALSE, TRUE)
  p <- c(0.8, 0.8, 0.6, 0.6, 0.5, 0.5)
  tests <- group_tests("period", cbind(c(1, 1, 2, 2, 2, 1), rep(1, 6)), supports, p, 2:3)
  expect_equal(tests[c("share", "prob", "detail")], data.frame(share = c(2 / 3, 2 / 3, 4 / 6), prob = c(0.7, 1.7 / 3, 3.8 / 6), detail = c("2", "2", "3")),
    ignore_attr = TRUE)
  expect_equal(tests$p, exact_tests("", c(2, 2, 4), c(3, 3, 6), c(0.7, 1.7 / 3, 3.8 / 6))$p)
  bits <- rbind(c(1, 1, 0), c(1, 1, 1), c(0, 1, 0), c(1, 0, 0))
  both <- rbind(c(0.6, 0.3, 0.1), c(0.3, 0.5, NA), c(0.1, NA, 0.2))
  pairs <- pair_tests(list(bits = bits, both = both, truth_bits = 2))
  expect_equal(pairs$share, c(2, 1) / 4)
  expect_equal(pairs$prob, c(0.3, 0.1))
  expect_identical(paired_bits(list(bits = matrix(0, 1, 5), truth_bits = 4), 3), c(4, 1, 2))
  expect_null(marker_test(list(bits = matrix(0, 1, 21), p_odd = 0.5)))
  # The test of the truth's bit alone.
  alone <- truth_bits_test(list(bits = rbind(c(1, 0), c(1, 1), c(0, 1))[rep(1:3, 20), ], truth_bits = 1, p_support = 0.5), 60)
  expect_equal(alone$p, min(1, 2 * pbinom(39, 60, 0.5, lower.tail = FALSE)))
  # 40 of 60 have it, and 0.6 of them should.
  alone <- truth_bits_test(list(bits = rbind(1, 1, 0)[rep(1:3, 20), , drop = FALSE], truth_bits = 1, p_support = 0.6), 60)
  expect_equal(alone, list(statistic = 16 / 36 + 16 / 24, df = 1, p = 2 * pbinom(39, 60, 0.6, lower.tail = FALSE)))
  # Numbers from 1 to 10 in fifths and residues, with and without support; the value is that of the truth or any other.
  reports <- data.frame(slope = c(1, 4, 10, 7), value = c(1, 2, 3, 3))
  facts <- list(p_support = 0.6, numbers = list(slope = c(1, 10, 1), value = c(1, 3, 1)), values = c(0.5, 0.25, 0.25))
  found <- number_tests(facts, reports, c(TRUE, FALSE, TRUE, TRUE))
  expect_identical(nrow(found), as.integer(2 * (5 + 2 + 3 + 5 + 7) + 3 + 3))
  expect_equal(found$share[1:10], c(1, 1, 0, 1, 1, 1, 0, 0, 1, 1) / 4)
  expect_equal(found$prob[1:10], rep(c(0.2, 0.2 * 0.6), each = 5))
  values <- utils::tail(found, 6)
  expect_equal(values$share, c(1, 0, 2, 0, 1, 0) / 4)
  expect_equal(values$prob, c(c(0.5, 0.25, 0.25) * 0.6, c(0.5, 0.75, 0.75) / 2 * 0.4))
  # The first report of a respondent with each later one about the same answer.
  audit <- list(id = c("u", "v", "u", "u", "v", "w"), truth = c(1, 2, 1, 1, 1, 2), truths = c(1, 2), is_permanent = TRUE,
    supports = c(TRUE, TRUE, FALSE, TRUE, TRUE, FALSE),
                p_support = c(0.8, 0.6, 0.8, 0.8, 0.8, 0.6), facts = list(list(p_support_twice = 0.7), list(p_support_twice = 0.4)))
  expect_identical(repeated_reports(audit), list(first = c(1L, 1L), second = c(3L, 4L), number = 2:3))
  again <- repeat_tests(audit)
  expect_identical(unique(again$test), "permanent")
  expect_equal(again$share, c(0, 0, 1, 1))
  expect_equal(again$prob, rep(c(0.7, 1 - 1.6 + 1.4), 2))
  expect_identical(number_within(c("a", "b", "a", "a", "b")), c(1L, 1L, 2L, 3L, 2L))
})

test_that("rare cells that are equally likely are one, and small counts have a longer tail than chi-squared", {
  expect_equal(pool_rare(c(0.5, 0.01, 0.01, 0.48), 100), c(1, -2, -2, 4))
  expect_equal(pool_rare(c(0.05, 0.95), 100), c(1, 2))
  expect_equal(pool_rare(c(0.049, 0.951), 100), c(-1, -2))
  # Moments of the sum of (count - m)^2 / m of Poisson counts: the variance is 2 + 1 / m each, the third 8 + 22 / m + 1 / m^2.
  m <- 6
  cumulants <- function(k) {
    x <- 0:200
    prob <- dpois(x, m)
    value <- (x - m)^2 / m
    mean <- sum(prob * value)
    c(mean, sum(prob * (value - mean)^2), sum(prob * (value - mean)^3))
  }
  expect_equal(cumulants(), c(1, 2 + 1 / m, 8 + 22 / m + 1 / m^2), tolerance = 1e-10)
  # A gamma with these moments: shape 4 k2^3 / k3^2, scale k3 / (2 k2).
  k <- 3 * cumulants()
  shape <- 4 * k[2]^3 / k[3]^2
  scale <- k[3] / (2 * k[2])
  expect_equal(moment_p_value(9, 3, rep(m, 3)), pgamma(9 - k[1] + shape * scale, shape, scale = scale, lower.tail = FALSE), tolerance = 1e-10)
  expect_identical(moment_p_value(9, 0, numeric()), 1)
})

test_that("positions in their order, bits in reverse, bytes alike, and the number of reports", {
  pairs <- rr_subset(5, 1, size = 2)
  two_drawn <- rr_bitflip(5, 1, d = 2)
  expect_identical(c(has_ascending_positions(c("1 4", "2 3"), pairs), has_ascending_positions(c("1 4", "3 2"), pairs),
    has_ascending_positions(rbind(c(1, 4), c(3, 2)), pairs),
                     has_ascending_positions(list(c(-1, 4), c(2, -3)), two_drawn), has_ascending_positions(list(c(-4, 1)), two_drawn),
                     has_ascending_positions(rbind(c(0, 1, 1, 0, 0)), pairs), has_ascending_positions(c(5, 1), rr_grr(5, 1))),
                       c(TRUE, FALSE, FALSE, TRUE, FALSE, TRUE, TRUE))
  # A bit for each bucket, all of which were drawn, is no position: its columns have an order of their own.
  expect_true(has_ascending_positions(rbind(c(1, 0), c(0, 1)), rr_bitflip(2, 1, d = 2)))
  expect_identical(n_same_bytes(charToRaw("abcd"), charToRaw("abxd")), 2L)
  expect_identical(n_same_bytes(charToRaw("abc"), charToRaw("abcd")), 3L)
  expect_equal(n_possible_reports(list(ones = 2, width = 5, numbers = list(a = c(1, 4, 1), s = c(-1, 1, 2)))), choose(5, 2) * 4 * 2)
  p <- c(0.9, rep(0.1, 7))
  both <- tcrossprod(p)
  diag(both) <- p
  bits <- withr::with_seed(16, matrix(rbinom(8 * 400, 1, rep(rev(p), each = 400)), 400))
  facts <- list(bits = bits, both = both, truth_bits = 1)
  expect_true(has_reversed_bits(facts, 400))
  expect_false(has_reversed_bits(replace(facts, "bits", list(bits[, 8:1])), 400))
  expect_false(has_reversed_bits(list(bits = bits[, 1:7], both = both[1:7, 1:7]), 400))
  expect_false(has_reversed_bits(list(counts = 1), 400))
  # The bound of epsilon: pairs of the truths in turn, and the table of cells, each at half of alpha.
  grr <- rr_grr(c("a", "b"), 1)
  truth <- rep(c("a", "b"), each = 50)
  reports <- c(rep(c("a", "b"), c(40, 10)), rep(c("a", "b"), c(15, 35)))
  audit <- new_audit(reports, grr, truth, NULL)
  bound <- epsilon_bound(grr, audit, 0.01)
  expect_equal(bound$estimate, log(75 / 25))
  counts <- rbind(c(40, 10), c(15, 35))
  expect_equal(bound$low, max(0, qlogis(qbeta(0.005, 75, 26)), table_bound(counts, 0.005)))
  expect_identical(epsilon_bound(grr, new_audit(c("a", "b"), grr, c("a", "a"), NULL), 0.01), list(estimate = NA_real_, low = 0))
  expect_null(epsilon_problem(1, list(epsilon = 1)))
  expect_match(epsilon_problem(1.01, list(epsilon = 1)), "at least 1.01")
})

test_that("two questions: what the reports of both say, by hand", {
  mechanisms <- list(x = rr_binary(0.8, 0.2), y = rr_binary(0.9, 0.3))
  truth <- list(rep(c("no", "yes"), c(6, 4)), rep(c("no", "yes"), 5))
  reports <- list(rep(c("no", "yes", "yes"), length.out = 10), rep(c("yes", "no", "no", "yes"), length.out = 10))
  audits <- Map(function(reports, mechanism, truth) new_audit(reports, mechanism, truth, NULL), reports, mechanisms, truth)
  tests <- question_tests(audits, mechanisms)
  own <- Map(function(report, truth) report == truth, reports, truth)
  # A truth is supported with .8 by either report of x, and with .7 and .9 of y.
  expect_equal(tests$share[1], mean(own[[1]] & own[[2]]))
  expect_equal(tests$prob[1], mean(0.8 * ifelse(truth[[2]] == "yes", 0.9, 0.7)))
  # Then of each pair of truths, the largest first: the parts of both reports, and pairs of these.
  rows <- which(truth[[1]] == "no" & truth[[2]] == "no")
  first <- tests[2:9, ]
  part <- function(i) c(mean(reports[[i]][rows] == "no"), mean(reports[[i]][rows] == "yes"))
  expect_setequal(round(first$share[1:4], 9), round(c(part(1), part(2)), 9))
  expect_setequal(round(first$prob[1:4], 9), c(0.8, 0.2, 0.7, 0.3))
  expect_identical(first$detail[1:4], rep(c("x, y", "y, x"), each = 2))
  expect_equal(sum(first$share[5:8]), 1)
  expect_setequal(round(first$prob[5:8], 9), round(c(outer(c(0.8, 0.2), c(0.7, 0.3))), 9))
  expect_identical(nrow(tests), 1L + 4L * 8L)
})

test_that("two truths have an epsilon of their reports, one has none", {
  set.seed(12)
  warner <- rr_warner(0.8)
  truth <- rep(c("no", "yes"), each = 2000)
  check <- rr_check_client(rr_perturb(truth, warner, rng = "R"), warner, truth)
  # The bound is below the epsilon of the design with the confidence .999, and above 0 by far: the log odds have an error of .1.
  expect_true(all(check$epsilon.low > 0 & check$epsilon.low <= log(4)))
  alone <- rr_check_client(rr_perturb(truth[1:2000], warner, rng = "R"), warner, truth[1:2000])
  expect_equal(alone$epsilon.low, 0)
})

test_that("several questions share the error: two tests of each of two questions have a quarter of alpha each", {
  mechanism <- rr_product(a = rr_warner(0.8), b = rr_warner(0.8))
  truth <- data.frame(a = rep("yes", 100), b = rep("yes", 100))
  checked <- withr::with_seed(3, lapply(62:92, function(n) {
    reports <- data.frame(a = sample(rep(c("yes", "no"), c(n, 100 - n))), b = sample(rep(c("yes", "no"), c(80, 20))))
    as.data.frame(rr_check_client(reports, mechanism, truth, conf.level = 0.95))[1, ]
  }))
  table <- do.call(rbind, checked)
  rejected <- pmin(table$p.value, table$p.joint) < 0.05 / 4
  expect_identical(!is.na(table$problem), rejected)
  # Both neighbours of the limit are there: a p-value between a half of it and itself, and above it up to 0.05.
  expect_true(any(table$p.value > 0.05 / 8 & rejected) && any(table$p.value < 0.05 & !rejected))
})

test_that("the tests of two questions together have half of alpha", {
  mechanism <- rr_product(a = rr_warner(0.8), b = rr_warner(0.8))
  truth <- data.frame(a = rep("yes", 100), b = rep("yes", 100))
  # Both questions have 80 answers of yes, and n respondents say yes to both: 64 on average.
  last_row <- function(n, conf.level) {
    a <- rep(c("yes", "no"), c(80, 20))
    b <- rep(c("yes", "no", "yes", "no"), c(n, 80 - n, 80 - n, n - 60))
    order <- withr::with_seed(4, sample(100))
    utils::tail(rr_check_client(data.frame(a, b)[order, ], mechanism, truth, conf.level = conf.level), 1)
  }
  p <- vapply(c(70, 73), function(n) last_row(n, 0.95)$p.joint, 0)
  expect_true(all(p > 1e-4 & p < 0.4))
  for (i in 1:2) for (factor in c(0.999, 1.001)) {
    expect_identical(is.na(last_row(c(70, 73)[i], 1 - 2 * p[i] * factor)$problem), factor < 1)
  }
})

test_that("the bound of epsilon is the larger of two exact limits, by binom.test()", {
  alpha <- 0.02
  lower <- function(a, n, alpha) binom.test(a, n, alternative = "greater", conf.level = 1 - alpha)$conf.int[1]
  # 7 reports of a, 5 of b: each of b has a partner. Pairs: 4 of 5 reports of a and 3 of 5 of b hold their truth alone.
  grr <- rr_grr(letters[1:2], 3)
  audit <- new_audit(strsplit("aaabaabaabbb", "")[[1]], grr, rep(c("a", "b"), c(7, 5)), NULL)
  bound <- epsilon_bound(grr, audit, alpha)
  expect_equal(bound$estimate, log(7 / 3))
  expect_identical(bound$low, 0)
  # A report of 3 that a alone can hold in one of 40: the cells prove more than the pairs, which do without it.
  channel <- rr_channel(rbind(a = c(0.6, 0.1, 0.3), b = c(0.45, 0.54, 0.01)))
  reports <- channel$reports[c(rep(1:3, c(60, 10, 30)), rep(1:3, c(60, 38, 2)))]
  audit <- new_audit(reports, channel, rep(c("a", "b"), each = 100), NULL)
  bound <- epsilon_bound(channel, audit, alpha)
  # Likeliest are 1 of a, 2 of b: 60 and 38 support their truth alone, 10 and 60 the other.
  expect_equal(bound$estimate, log(98 / 70))
  # Six cells, each with two limits.
  share <- alpha / 2 / 2 / 6
  expect_equal(bound$low, log(lower(30, 100, share) / (1 - lower(98, 100, share))))
  expect_gt(bound$low, qlogis(lower(98, 168, alpha / 2)))
  # Many cells have no table, and the pairs all of alpha: 1,000 cells have one, 1,002 have none.
  for (k in c(500, 501)) {
    grr <- rr_grr(k, 9)
    audit <- new_audit(rep(1:2, c(40, 40)), grr, rep(c(1, 2, 1, 2), c(38, 2, 2, 38)), NULL)
    expect_equal(epsilon_bound(grr, audit, alpha)$low, qlogis(lower(76, 80, if (k == 500) alpha / 2 else alpha)))
  }
  # Bits: a report can support both truths or none. The third truth is nobody's.
  unary <- rr_unary(3, 1)
  bits <- rbind(c(1, 0, 1), c(1, 1, 0), c(0, 1, 0), c(0, 0, 1), c(0, 1, 1), c(0, 1, 0))
  audit <- new_audit(bits[rep(1:6, each = 10), ], unary, rep(1:2, each = 30), NULL)
  few <- function(bits) epsilon_bound(unary, new_audit(bits, unary, 1:2, NULL), alpha)$estimate
  expect_identical(c(few(rbind(c(1, 0, 0), c(1, 1, 0))), few(rbind(c(0, 1, 0), c(1, 1, 0))), few(matrix(1, 2, 3))), c(Inf, -Inf, NA))
  # 1 alone, both, 2 alone; none, 2 alone, 2 alone.
  expect_equal(epsilon_bound(unary, audit, alpha), list(estimate = log(30 / 10), low = qlogis(lower(30, 40, alpha))))
})

test_that("the row of all questions has the sum of their budgets, the worst pair of questions and the number of respondents", {
  mechanism <- rr_product(x = rr_grr(letters[1:3], p = 0.5), y = rr_warner(0.7), z = rr_warner(0.6))
  set.seed(61)
  truth <- data.frame(x = sample(letters[1:3], 300, TRUE), y = sample(c("no", "yes"), 300, TRUE), z = sample(c("no", "yes"), 300, TRUE))
  other <- c(no = "yes", yes = "no", a = "b", b = "c", c = "a")
  # The lie about z is that about y.
  is_true <- cbind(runif(300) < 0.5, runif(300) < 0.7)[, c(1, 2, 2)]
  reports <- as.data.frame(Map(function(truth, j) unname(ifelse(is_true[, j], truth, other[truth])), truth, 1:3))
  audits <- Map(new_audit, reports, mechanism$questions, truth, list(c(1:200, 1:100)))
  table <- product_audit_table(audits, mechanism, 0.01)
  expect_identical(names(table)[1:2], c("question", "truth"))
  expect_identical(table$question, rep(c("x", "y", "z", "x, y, z"), c(3, 2, 2, 1)))
  all <- as.list(table[8, ])
  expect_identical(all[c("truth", "n", "df", "epsilon.high")], list(truth = NA_character_, n = 200, df = NA_real_, epsilon.high = Inf))
  expect_equal(all$epsilon, sum(table$epsilon[c(1, 4, 6)]))
  expect_equal(all$epsilon.low, sum(table$epsilon.low[c(1, 4, 6)]))
  # y and z support their truths together as often as y does: 0.7 x 0.6 of 200 should. Of each pair of truths are tested all reports of
  # either question and all pairs of these.
  tests <- 3 + 2 * 6 * (3 + 2 + 6) + 4 * (2 + 2 + 4)
  expect_equal(all$p.joint, min(1, tests * 2 * pbinom(sum(is_true[1:200, 2]) - 1, 200, 0.42, lower.tail = FALSE)))
  expect_match(all$problem, "not randomized independently")
  # Of two respondents nothing is proved.
  few <- utils::tail(rr_check_client(reports[1:2, ], mechanism, truth[1:2, ]), 1)
  expect_identical(c(few$n, few$p.joint), c(2, 1))
})

test_that("tests over all truths look at first reports in their order, and at neighbours of different truths, by hand", {
  # The second row is a later report of the first respondent; its supports and bits count for nothing here.
  truth <- c(1, 1, 1, 2, 1, 2, 2, 1, 2, 1)
  supports <- c(TRUE, FALSE, TRUE, TRUE, FALSE, FALSE, TRUE, TRUE, FALSE, TRUE)
  is_one <- c(0, 1, 1, 1, 0, 0, 1, 0, 1, 1)
  is_first <- seq_len(10) != 2
  p <- c(0.8, 0.6)[truth]
  p_one <- c(0.7, 0.4)[truth]
  facts <- lapply(1:2, function(x) {
    index <- is_first & truth == x
    list(bits = cbind(is_one[index], 1), both = diag(c(0.7, 0.4)[x], 2), p_support_twice = 0.5)
  })
  audit <- list(truth = truth, truths = 1:2, supports = supports, p_support = p, is_first = is_first, facts = facts, has_cells = FALSE,
                is_permanent = FALSE, id = NULL)
  tests <- pooled_tests(audit)
  # A cell counts as a bit does.
  cells <- lapply(1:2, function(x) list(cells = 2 - facts[[x]]$bits[, 1], prob = c(0.7, 0.4)[x] + c(0, 1)))
  expect_equal(pooled_tests(replace(audit, c("has_cells", "facts"), list(TRUE, cells))), tests)
  rows <- function(test) tests[tests$test == test, ]
  first <- which(is_first)
  expect_equal(rows("overall")$share, c(6, 5) / 9, ignore_attr = TRUE)
  expect_equal(rows("overall")$prob, c(mean(p[first]), mean(p_one[first])), ignore_attr = TRUE)
  # The sequence in 2, 4, 8 and 16 pieces: of nine reports five and four; each by itself in 16.
  drift <- rows("drift")
  expect_identical(nrow(drift), 2L + 4L + 8L + 9L)
  expect_equal(drift$share[1:6], c(mean(supports[first[1:5]]), mean(supports[first[6:9]]), mean(supports[first[1:3]]), mean(supports[first[4:5]]),
                                   mean(supports[first[6:7]]), mean(supports[first[8:9]])), ignore_attr = TRUE)
  expect_equal(utils::tail(drift$prob, 9), p[first], ignore_attr = TRUE)
  # Each second, third, ... report.
  period <- rows("period")
  expect_identical(period$detail, as.character(c(rep(2:8, 2:8), rep(9, 9), rep(10, 9))))
  expect_equal(period$share[1:2], c(mean(supports[first[c(2, 4, 6, 8)]]), mean(supports[first[c(1, 3, 5, 7, 9)]])), ignore_attr = TRUE)
  # Neighbours: (1, 2), (3, 4), ... and (2, 3), ...; and a report of each truth in turn.
  pairs <- function(x, p, a) c(mean(x[a] & x[a + 1]), mean(x[a] == x[a + 1]), mean(p[a] * p[a + 1]))
  both <- function(x, p) cbind(pairs(x, p, c(1, 3, 5, 7)), pairs(x, p, c(2, 4, 6, 8)))
  turns <- first[c(1, 3, 2, 5, 4, 6, 7, 8, 9)]
  expect_identical(truth[turns], c(1, 2, 1, 2, 1, 2, 1, 2, 1))
  for (test in c("lag", "restart")) {
    order <- if (test == "lag") first else turns
    expected <- cbind(both(supports[order], p[order]), both(is_one[order] == 1, p_one[order]))
    found <- rows(test)[rows(test)$detail == "1", ]
    expect_equal(found$share, as.vector(expected[1:2, ]), ignore_attr = TRUE)
    expect_equal(found$prob[c(1, 3, 5, 7)], expected[3, ], ignore_attr = TRUE)
  }
  # Permanent answers are alike: without identifiers nobody is compared.
  expect_identical(unique(pooled_tests(replace(audit, "is_permanent", TRUE))$test), c("overall", "drift", "period"))
  with_id <- pooled_tests(replace(audit, c("is_permanent", "id"), list(TRUE, c(1, 1, 2:9))))
  expect_identical(unique(with_id$test), c("overall", "drift", "period", "lag", "restart", "permanent"))
  expect_equal(utils::tail(with_id$share, 2), c(0, 0), ignore_attr = TRUE)
})

test_that("two reports with one permanent answer support its truth together as often as the reports of a right client do", {
  abc <- letters[1:4]
  n <- 5000
  kinds <- list(rr_longitudinal(abc, 2, 1), rr_longitudinal(abc, 2, 1, "sue-oue"), rr_longitudinal(abc, 2, 1, "grr-grr"),
                rr_longitudinal(abc, 2, 1, "local-hash"), rr_bloom(abc, 1, bits = 8, hashes = 2, cohorts = 2, permanent = 2))
  for (m in kinds) for (x in 2:3) {
    truth <- rep(abc[x], n)
    reports <- withr::with_seed(15, {
      first <- rr_perturb(truth, m, rng = "R", memory = list())
      second <- rr_perturb(truth, m, rng = "R", memory = first$memory)$reports
      if (is.data.frame(second)) rbind(first$reports, second) else c(first$reports, second)
    })
    audit <- new_audit(reports, m, c(truth, truth), rep(seq_len(n), 2))
    both <- mean(audit$supports[1:n] & audit$supports[n + 1:n])
    p <- audit$facts[[1]]$p_support_twice
    # Five standard deviations; reports that are drawn anew would lie outside.
    room <- 5 * sqrt(p * (1 - p) / n)
    expect_lte(abs(both - p), room)
    expect_gt(p - audit$facts[[1]]$p_support^2, room)
  }
})

test_that("two reports of RAPPOR that are the same: all pairs of filters of one cohort", {
  m <- rr_bloom(4, 1.5, bits = 5, hashes = 2, cohorts = 3)
  reports <- rr_perturb(rep(m$levels, 5), m, rng = "R")
  filters <- as.matrix(expand.grid(rep(list(0:1), 5)))
  # Two bits are those of the truth.
  p <- c(m$one, m$zero)[c(1, 1, 2, 2, 2)]
  prob <- apply(filters, 1, function(bit) prod(ifelse(bit == 1, p, 1 - p)))
  expect_equal(sum(prob), 1)
  expect_equal(client_facts(m, reports, 1)$p_equal, sum(prob^2) / 3)
})

test_that("what has no test of its reports is refused, and so are truths and senders that do not fit the reports", {
  yes <- c("yes", "no", "yes")
  warner <- rr_warner(0.8)
  for (mechanism in list(rr_mean(c(0, 1), 1), rr_product(a = warner, b = warner, asked = 1))) {
    expect_refused(rr_check_client(data.frame(question = "a", report = 1), mechanism, data.frame(a = "yes", b = "no")), class = "law")
  }
  expect_refused(rr_check_client(character(), warner, character()), rr_check_client(yes, warner, yes[1:2]), rr_check_client(yes, warner, yes, id = 1:2),
                 rr_check_client(yes, warner, yes, id = c(1, NA, 2)), rr_check_client(yes, warner, yes, id = list(1, 2, 3)),
                 rr_check_client(yes, warner, yes, conf.level = 1))
})

test_that("the first report of each respondent counts, in each question of several and in all together", {
  mechanism <- rr_product(x = rr_warner(0.8), y = rr_grr(letters[1:3], 1))
  truth <- data.frame(x = c("no", "yes", "yes", "no", "no"), y = c("a", "b", "b", "b", "a"))
  check <- rr_check_client(truth, mechanism, truth, id = c(1, 2, 2, 3, 1))
  expect_identical(check$n, c(2, 1, 1, 2, 3))
})

test_that("two cells have the exact binomial test, rare ones are pooled, and one cell says nothing", {
  # At one half binom.test() doubles the smaller tail too.
  found <- cells_test(list(counts = c(61, 39), prob = c(0.5, 0.5)), 100)
  expect_equal(found, list(statistic = 2 * 11^2 / 50, df = 1, p = binom.test(61, 100)$p.value))
  # Rare cells of one probability are one, of 6 reports; one of another probability, 3 reports on average, is left out.
  rare <- cells_test(list(counts = c(85, 1, 4, 1, 9), prob = c(0.91, 0.02, 0.02, 0.02, 0.03)), 100)
  expect_equal(rare[c("statistic", "df")], list(statistic = 36 / 91, df = 1))
  expect_identical(cells_test(list(counts = c(97, 3), prob = c(0.97, 0.03)), 100)$p, 1)
  # Five reports on average are not rare.
  expect_equal(cells_test(list(counts = c(12, 88), prob = c(0.05, 0.95)), 100)[c("statistic", "df")], list(statistic = 49 / 5 + 49 / 95, df = 1))
})

test_that("bits have Mahalanobis' distance: with bits in one report that are bound together, pooled rare ones, and none that are frequent", {
  # Two of five positions: the sum of the bits is always 2, so that four are free. By the generalized inverse over all subsets.
  subset <- rr_subset(5, 1, size = 2)
  sets <- t(combn(5, 2, function(set) 1 * (1:5 %in% set)))
  prob <- rr_matrix(subset)[3, ]
  both <- crossprod(sets * prob, sets)
  bits <- withr::with_seed(20, sets[sample(10, 20000, TRUE, prob), ])
  found <- bits_test(client_facts(subset, rr_reports(bits, subset), 3), 20000)
  axes <- svd(20000 * (both - tcrossprod(diag(both))))
  difference <- colSums(bits) - 20000 * diag(both)
  expect_equal(found[c("statistic", "df")], list(statistic = sum(crossprod(axes$u[, 1:4], difference)^2 / axes$d[1:4]), df = 4))
  expect_equal(found$p, pchisq(found$statistic, 4, lower.tail = FALSE), tolerance = 1e-3)
  # 300 bits of probability 1/2, and three of 1/100, whose sum has the mean 9 and the variance 8.91.
  unary <- rr_unary(4, p = 0.5, q = 0.01)
  ones <- function(n, times) rep(1:0, c(times, n - times))
  facts <- client_facts(unary, rr_reports(cbind(ones(300, 170), ones(300, 9), ones(300, 2), ones(300, 5)), unary), 1)
  expect_equal(bits_test(facts, 300)[c("statistic", "df")], list(statistic = 20^2 / 75 + 7^2 / 8.91, df = 2))
  # A variance of 19 / 4 is too small, of 5 it is not.
  few <- function(n) bits_test(client_facts(unary, rr_reports(cbind(ones(n, 0), 0, 0, 0), unary), 1), n)
  expect_equal(few(19), list(statistic = 0, df = 0, p = 1))
  expect_equal(few(20)[c("statistic", "df")], list(statistic = 20, df = 1))
})

test_that("the exact tests of bits are of each, each pair, an odd number, the most frequent report and equal reports, by hand", {
  unary <- rr_unary(3, p = 0.6, q = 0.3)
  bits <- rbind(c(1, 0, 1), c(1, 1, 1), c(0, 1, 0), c(1, 0, 1), c(0, 0, 0))
  facts <- client_facts(unary, rr_reports(bits, unary), 2)
  joint <- joint_tests(facts, rr_reports(bits, unary), c(FALSE, TRUE, TRUE, FALSE, FALSE))
  expect_identical(joint$test, rep(c("share", "pair", "parity", "marker"), c(3, 3, 1, 1)))
  expect_equal(joint$share, c(3, 2, 3, 1, 1, 3, 2, 2) / 5)
  # The truth's bit comes first: (2, 1), (2, 3), (1, 3).
  expect_equal(joint$prob[1:6], c(0.3, 0.6, 0.3, 0.18, 0.18, 0.09))
  expect_equal(joint$prob[8], 0.3 * 0.4 * 0.3)
  expect_equal(joint$p[8], min(1, 8 * 2 * pbinom(1, 5, 0.036, lower.tail = FALSE)))
  # Cells have a test of each.
  grr <- rr_grr(letters[1:3], p = 0.5)
  cells <- joint_tests(cell_facts(grr, list(c(1, 1, 3, 1)), 2)[[1]], NULL, c(FALSE, FALSE, FALSE, FALSE))
  expect_equal(cells[c("share", "prob", "detail")], list2DF(list(share = c(3, 0, 1) / 4, prob = c(0.25, 0.5, 0.25), detail = paste(":", letters[1:3]))))
  # Twenty bits are a report that can come too often, if they are independent.
  twenty <- list(bits = matrix(0, 3, 20), both = diag(0.1, 20), p_odd = 0.5)
  expect_equal(marker_test(twenty)[c("share", "prob")], list2DF(list(share = 1, prob = 0.9^20)))
  expect_null(marker_test(twenty[1:2]))
})

test_that("an odd number of bits is odd within a report; of 500 bits few reports are enough, but not as few as four", {
  unary <- rr_unary(3, p = 0.6, q = 0.3)
  bits <- rbind(c(1, 0, 0), c(1, 0, 0), c(0, 0, 0))
  joint <- joint_tests(client_facts(unary, rr_reports(bits, unary), 1), rr_reports(bits, unary), c(TRUE, TRUE, FALSE))
  expect_equal(joint$share[joint$test == "parity"], 2 / 3)
  bits <- matrix(0, 10, 500)
  bits[6:10, 1:2] <- 1
  tests <- pair_tests(list(bits = bits, both = matrix(0.1, 500, 500), truth_bits = 2))
  expect_identical(tests$share[1:2], c(0.5, 0))
})

test_that("two reports are equal with at most the chance of the likeliest one", {
  for (mechanism in list(rr_subset(5, 1, size = 2), rr_hadamard(3, 0.7, one_bit = TRUE))) {
    reports <- rr_reports(rr_perturb(1L, mechanism, rng = "R"), mechanism)
    expect_equal(client_facts(mechanism, reports, 1)$p_equal, max(rr_matrix(mechanism)[1, ]), label = format(mechanism))
  }
  # Bits of any number: two are equal one by one.
  p <- c(0.6, 0.3, 0.3)
  unary <- rr_unary(3, p = 0.6, q = 0.3)
  expect_equal(client_facts(unary, rr_reports(diag(3), unary), 1)$p_equal, prod(p^2 + (1 - p)^2))
  # Reports of several columns are equal if all columns are; at 0.2 equal reports per report they are still rare.
  reports <- data.frame(slope = c(1, 1, 2, 2, 1), shift = c(1, 2, 1, 1, 2))
  expect_identical(equal_test(reports, 0.04)$share, 2)
  expect_null(equal_test(reports, 0.041))
})

test_that("functions are equal if all of their numbers are, and the value is none", {
  numbers <- list(slope = c(1, 100, 1), shift = c(0, 99, 1), value = c(1, 4, 1))
  reports <- data.frame(slope = c(7, 7, 7, 9, 7), shift = c(3, 3, 4, 3, 3), value = c(1, 2, 1, 1, 3))
  audit <- list(facts = list(list(numbers = numbers)), reports = reports)
  # One pair of ten among the first four.
  found <- function_test(audit, 1:4)
  expect_equal(c(found$share, found$prob, found$p), c(1, 1e-4, ppois(0, 6e-4, lower.tail = FALSE)))
  audit$facts[[1]]$numbers <- numbers["value"]
  expect_null(function_test(audit, 1:4))
})

test_that("the distance at which residuals are most alike is that of all products, by plain sums", {
  for (n in c(100, 131)) for (seed in 1:3) {
    residual <- withr::with_seed(seed, rexp(n) - 1)
    lags <- 11:(n - 20)
    alike <- vapply(lags, function(lag) abs(sum(residual[seq_len(n - lag)] * residual[-seq_len(lag)])) / sqrt(n - lag), 0)
    expect_identical(far_lag(residual), lags[which.max(alike)])
  }
  expect_identical(far_lag(rep(1, 99)), integer())
})

test_that("the worst distance pays for all that were looked at", {
  p <- rep(c(0.6, 0.5), 75)
  supports <- withr::with_seed(21, runif(150)) < p
  supports[61:150] <- supports[1:90]
  tests <- copy_tests(supports, p, 150:1)
  expect_identical(tests$detail, as.character(c(rep(c(1:10, 60), each = 4), rep(1, 4))))
  far <- tests[tests$detail == "60", ]
  # Pairs (1, 61), ..., (60, 120); (61, 121), ..., (90, 150).
  both <- c(sum(supports[1:60] & supports[61:120]), sum(supports[61:90] & supports[121:150]))
  prob <- c(mean((p[1:60] * p[61:120])), mean(p[61:90] * p[121:150]))
  expect_equal(far$share[c(1, 3)], both / c(60, 30))
  expect_equal(far$p[c(1, 3)], pmin(1, 150 * 2 * pbinom(both - 1, c(60, 30), prob, lower.tail = FALSE)))
  # In the other order the neighbours are (150, 149), (148, 147), ...
  expect_equal(tests$share[45], mean(supports[seq(150, 2, -2)] & supports[seq(149, 1, -2)]))
  expect_null(copy_tests(TRUE, 0.5, 1))
})

test_that("the worst distance is that of Pearson's residuals", {
  for (seed in 1:6) {
    p <- withr::with_seed(seed, sample(c(0.5, 0.9, 0.99), 120, TRUE))
    supports <- withr::with_seed(seed + 10, runif(120)) < p
    residual <- (supports - p) / sqrt(p * (1 - p))
    alike <- vapply(11:100, function(lag) abs(sum(residual[seq_len(120 - lag)] * residual[-seq_len(lag)])) / sqrt(120 - lag), 0)
    expect_identical(copy_tests(supports, p, 1:120)$detail[41], as.character((11:100)[which.max(alike)]))
  }
})

test_that("a report is paired with its truth's neighbours in turn, on both sides", {
  expect_equal(other_truths(rep(1, 8), 5)$other, rep(c(2, 5, 3, 4), 2))
  expect_equal(other_truths(rep(3, 4), 4)$other, c(4, 2, 1, 4))
  expect_equal(other_truths(c(1, 2, 2, 1), 2)[c("other", "used")], list(other = c(2, 1, 1, 2), used = rep(TRUE, 4)))
})

test_that("two questions are tested in 100 pairs of truths and 50 parts, the truth's among them", {
  audit <- function(mechanism, reports, truth) new_audit(reports, mechanism, truth, NULL)
  grr <- rr_grr(11, 1)
  pairs <- expand.grid(1:11, 1:11)
  tests <- question_tests(list(audit(grr, pairs[[1]], pairs[[1]]), audit(grr, pairs[[2]], pairs[[2]])), list(a = grr, b = grr))
  expect_identical(nrow(tests), as.integer(1 + 100 * (11 + 11 + 11^2)))
  # One report, of bits: the truth's comes first.
  single <- question_tests(list(audit(rr_unary(3, 1), rbind(c(0, 1, 0)), 2L), audit(grr, 4L, 4L)), list(a = rr_unary(3, 1), b = grr))
  expect_equal(single$share[2:4], c(1, 0, 0))
  # Sixty bits, and sixty cells: 50 of each, the likeliest first.
  unary <- rr_unary(60, p = 0.7, q = 0.2)
  many <- rr_grr(60, p = 0.3)
  bits <- matrix(0, 4, 60)
  bits[c(1, 3), 60] <- bits[2:4, 1] <- 1
  mechanisms <- list(bits = unary, cells = many)
  tests <- question_tests(list(audit(unary, bits, rep(60L, 4)), audit(many, c(58L, 1L, 58L, 2L), rep(58L, 4))), mechanisms)
  expect_identical(nrow(tests), 1L + 50L + 50L + 2500L)
  expect_equal(tests$share[c(2, 3, 4)], c(2, 3, 0) / 4)
  expect_equal(tests$prob[2:51], c(0.7, rep(0.2, 49)))
  expect_equal(tests$share[52:54], c(2, 1, 1) / 4)
  expect_equal(tests$prob[52:53], c(0.3, 0.7 / 59))
  # Pairs of the truth's bit with the truth, and of the first bit with it.
  expect_equal(tests$share[102:103], c(2, 1) / 4)
  expect_equal(tests$prob[102:103], c(0.7, 0.2) * 0.3)
})

test_that("shares that are nearly what they should be are written with the digits that differ, ten at most", {
  facts <- list(p_support = 0.5)
  problem <- function(share) {
    joint <- list2DF(list(test = "pair", share = share, prob = 0.25, detail = "", p = 1e-9))
    client_problem(c(single = FALSE, joint = TRUE), facts, c(TRUE, FALSE), joint)
  }
  shown <- function(share) regmatches(problem(share), regexpr("0[.][0-9]+", problem(share)))
  expect_identical(vapply(c(0.4, 0.2531, 0.2500314, 0.25 + 1.4e-10), shown, ""), c("0.4", "0.2531", "0.250031", "0.2500000001"))
})

test_that("a report that always holds the truth is no problem if it should", {
  joint <- list2DF(list(test = c("period", "share"), share = c(1, 0.9), prob = c(1, 0.5), detail = c("2", ""), p = c(1, 1e-9)))
  problem <- function(p_support) client_problem(c(single = FALSE, joint = TRUE), list(p_support = p_support), c(TRUE, TRUE), joint)
  expect_match(problem(0.9), "not randomized")
  expect_match(problem(1), "should be 1")
})

test_that("bits are in reverse byte by byte", {
  p <- seq(0.1, 0.85, 0.05)
  both <- tcrossprod(p)
  diag(both) <- p
  bits <- withr::with_seed(22, matrix(rbinom(16 * 400, 1, rep(p, each = 400)), 400))
  expect_true(has_reversed_bits(list(bits = bits[, c(8:1, 16:9)], both = both, truth_bits = 1), 400))
  expect_false(has_reversed_bits(list(bits = bits[, 16:1], both = both, truth_bits = 1), 400))
})

test_that("two tests of each of two truths have a quarter of alpha each", {
  warner <- rr_warner(0.8)
  truth <- rep(c("no", "yes"), each = 100)
  checked <- lapply(62:72, function(n) {
    reports <- withr::with_seed(5, c(sample(rep(c("no", "yes"), c(80, 20))), sample(rep(c("yes", "no"), c(n, 100 - n)))))
    rr_check_client(reports, warner, truth, conf.level = 0.95)[2, ]
  })
  table <- do.call(rbind, lapply(checked, as.data.frame))
  expect_true(all(table$epsilon.low < warner$epsilon))
  p <- pmin(table$p.value, table$p.joint)
  expect_identical(!is.na(table$problem), p < 0.05 / 4)
  expect_true(any(p > 0.05 / 8 & p < 0.05 / 4) && any(p > 0.05 / 4 & p < 0.05 / 2))
})

test_that("signs are two values: the truth's if the report supports it, the other if not", {
  facts <- list(p_support = 0.7, numbers = list(index = c(0, 3, 1), sign = c(-1, 1, 2)), values = c(0.5, 0.5))
  reports <- data.frame(index = c(0, 1, 2, 3, 1), sign = c(1, 1, -1, 1, -1))
  values <- utils::tail(number_tests(facts, reports, c(TRUE, TRUE, TRUE, FALSE, FALSE)), 4)
  expect_identical(values$test, rep("value", 4))
  # Of those that support it -1 and 1, then of the others.
  expect_equal(values$share, c(1, 2, 1, 1) / 5)
  expect_equal(values$prob, c(0.35, 0.35, 0.15, 0.15))
})
