# The rows of people in blocks: `people` and `yes` of each block, in a group.
block_rows <- function(people, yes, group = "all") {
  rows <- function(block) data.frame(block = block, report = rep(c("no", "yes"), c(people[block] - yes[block], yes[block])), group = rep(group, people[block]))
  do.call(rbind, lapply(seq_along(people), rows))
}

deck_of <- function(row) rr_dealt(c(no = row[[3]], yes = row[[2]]), cards = row[[1]])

test_that("golden: estimates, variances, score and exact intervals of blocks of one deck", {
  cases <- Filter(function(case) case$input$op == "estimate", golden("next_dealt"))
  one <- Filter(function(case) nrow(unique(matrix(case$input$blocks, ncol = 5)[, 1:3, drop = FALSE])) == 1, cases)
  expect_identical(length(one), 8L)
  for (case in one) {
    blocks <- matrix(case$input$blocks, ncol = 5)
    mechanism <- deck_of(blocks[1, ])
    tally <- rr_tally(block_rows(blocks[, 4], blocks[, 5]), mechanism, column = "report")
    for (target in c("population", "sample")) {
      fit <- rr_estimate(tally, target = target, conf.level = case$input$level)
      close <- function(actual, name) expect_golden(actual, case$expected[[name]], 1e-9, paste(target, name))
      close(coef(fit)[["yes"]], "estimate")
      close(vcov(fit)["yes", "yes"], paste0("variance_", target))
      # The vectors' limits for fixed truths are those without the correction by half a report.
      score <- if (target == "population") confint(fit, "yes") else {
        evidence <- candor:::group_evidence(tally, 1L)
        unlist(candor:::dealt_score(evidence$law, evidence, 2L, case$input$level, target))
      }
      close(as.vector(score), paste0("score_", target))
      exact <- case$expected[[paste0("exact_", target)]]
      if (is.null(exact)) next
      fit <- rr_estimate(tally, target = target, interval = "exact", conf.level = case$input$level)
      close(as.vector(confint(fit, "yes")), paste0("exact_", target))
    }
  }
})

test_that("golden: the terms of several decks add up to the variance of all", {
  cases <- Filter(function(case) case$input$op == "estimate", golden("next_dealt"))
  for (case in cases) {
    rows <- matrix(case$input$blocks, ncol = 5)
    R <- sum(rows[, 4])
    terms <- apply(rows, 1, function(row) {
      law <- rr_law(deck_of(row))
      law$blocks <- list(label = "1", counts = cbind(c(row[4] - row[5], row[5])))
      quadratic <- candor:::block_quadratic(law, law$beta[2], "population") * (row[4] / R)^2
      c(row[4] / R * candor:::law_unbiased(law, list(counts = drop(law$blocks$counts), n = row[4]))[2], quadratic)
    })
    total <- rowSums(terms)
    expect_golden(total[1], case$expected$estimate, 1e-9)
    expect_golden(sum(total[2:4] * total[1]^(0:2)) / (1 + total[4]), case$expected$variance_population, 1e-9)
  }
})

test_that("golden: groups within blocks, and several answers", {
  for (case in Filter(function(case) case$input$op == "estimates of two groups", golden("next_dealt"))) {
    b <- matrix(case$input$blocks, ncol = 7)
    rows <- rbind(block_rows(b[, 4], b[, 5], "a"), block_rows(b[, 6], b[, 7], "b"))
    for (target in c("population", "sample")) {
      fit <- rr_estimate(rows, deck_of(b[1, ]), column = "report", by = "group", target = target)
      V <- vcov(fit)[c("a:yes", "b:yes"), c("a:yes", "b:yes")]
      expect_golden(coef(fit)[c("a:yes", "b:yes")], case$expected$estimate, 1e-9)
      expect_golden(diag(V), case$expected[[paste0("variance_", target)]], 1e-9)
      expect_golden(V[1, 2], case$expected[[paste0("covariance_", target)]], 1e-9)
      # A comparison is a contrast with this covariance.
      expect_equal(rr_compare(fit)$std.error, sqrt(sum(V * c(1, -1, -1, 1))), tolerance = 1e-12)
      expect_equal(rr_contrast(fit, c("a:yes" = 1, "b:yes" = -1))$std.error, sqrt(sum(V * c(1, -1, -1, 1))), tolerance = 1e-12)
    }
  }
  for (case in Filter(function(case) case$input$op == "categories", golden("next_dealt"))) {
    counts <- case$input$counts
    rows <- data.frame(block = 1, report = rep(letters[1:3], counts))
    mechanism <- rr_dealt(stats::setNames(case$input$forced, letters[1:3]), case$input$cards)
    for (target in c("population", "sample")) {
      fit <- rr_estimate(rows, mechanism, target = target)
      expect_golden(coef(fit), case$expected$estimate, 1e-9)
      expect_golden(vcov(fit), case$expected[[paste0("vcov_", target)]], 1e-9)
    }
  }
})

test_that("golden: the law of a block, and what a report says", {
  # The distribution by dealing, from the cards: an oracle of two lines.
  for (case in Filter(function(case) case$input$op == "law", golden("next_dealt"))) {
    input <- case$input
    if (input$people > 7 || input$cards > 8) next
    law <- rr_law(rr_dealt(c(no = input$no, yes = input$yes), input$cards))
    law$blocks <- list(counts = cbind(c(input$people - input$true_yes, input$true_yes)))
    quadratic <- candor:::block_quadratic(law, law$beta[2], "population") * (law$truth * input$people)^2
    expect_golden(sum(quadratic * input$share^(0:2)), case$expected$variance_population, 1e-9)
    share <- input$true_yes / input$people
    quadratic <- candor:::block_quadratic(law, law$beta[2], "sample") * (law$truth * input$people)^2
    expect_golden(sum(quadratic * share^(0:2)), case$expected$variance_given, 1e-9)
  }
  for (case in Filter(function(case) case$input$op == "privacy", golden("next_dealt"))) {
    epsilon <- rr_epsilon(rr_dealt(c(no = case$input$no, yes = case$input$yes), case$input$cards))
    expect_golden(epsilon[["report"]], case$expected$epsilon_one_report, 1e-9)
    expect_identical(epsilon[["informed"]], Inf)
  }
})

# All deals of a deck to the people of a block, in equal shares: a row each, 0 for a card that asks for the truth.
deals <- function(cards) {
  if (length(cards) == 1L) return(matrix(cards))
  unique(do.call(rbind, lapply(seq_along(cards), function(i) cbind(cards[i], deals(cards[-i])))))
}

test_that("every deal and every truth of a full and a short block: estimates and all their covariances are unbiased", {
  # Three answers, two groups across both blocks. Deals are distinct arrangements, all equally likely.
  deck <- c(1, 2, 2, 0, 0)
  mechanism <- rr_dealt(c(a = 1, b = 2, c = 0), cards = 5)
  block <- rep(1:2, c(5, 3))
  group <- c("g", "h", "g", "h", "g", "g", "h", "h")
  dealt <- deals(deck)
  short <- unique(dealt[, 1:3])
  chance <- apply(short, 1, function(row) mean(apply(dealt[, 1:3], 1, identical, row)))
  expect_equal(sum(chance), 1)
  truth <- c(1, 3, 3, 2, 3, 3, 1, 3)
  outcomes <- expand.grid(first = seq_len(nrow(dealt)), second = seq_len(nrow(short)))
  reports <- apply(outcomes, 1, function(at) {
    card <- c(dealt[at[[1]], ], short[at[[2]], ])
    ifelse(card == 0, truth, card)
  })
  p <- chance[outcomes$second] / nrow(dealt)
  # Reports that give the same counts by block and group have one estimate.
  key <- apply(reports, 2, function(r) paste(table(factor(block), factor(group), factor(r, 1:3)), collapse = " "))
  p <- tapply(p, key, sum)
  fits <- lapply(match(names(p), key), function(j) {
    rr_estimate(data.frame(block, report = letters[reports[, j]]), mechanism, by = list(group = group), target = "sample")
  })
  estimates <- vapply(fits, coef, numeric(6))
  expect_equal(drop(estimates %*% p), c(1, 0, 3, 1, 1, 2) / 4, ignore_attr = TRUE, tolerance = 1e-12)
  spread <- estimates %*% (as.vector(p) * t(estimates)) - tcrossprod(estimates %*% p)
  expected <- matrix(vapply(fits, function(fit) as.vector(vcov(fit)), numeric(36)) %*% p, 6)
  expect_equal(expected, spread, ignore_attr = TRUE, tolerance = 1e-10)
})

test_that("drawn truths: yes or no in a full and a short block with two groups, by enumeration", {
  mechanism <- rr_dealt(c(no = 1, yes = 1), cards = 4)
  block <- rep(1:2, c(4, 2))
  group <- rep(c("g", "h"), 3)
  theta <- c(g = 0.2, h = 0.6)
  dealt <- deals(c(1, 2, 0, 0))
  short <- dealt[, 1:2]
  truths <- as.matrix(expand.grid(rep(list(1:2), 6)))
  weight <- apply(truths, 1, function(t) prod(ifelse(t == 2, theta[group], 1 - theta[group])))
  outcomes <- expand.grid(first = seq_len(nrow(dealt)), second = seq_len(nrow(short)))
  cards <- cbind(dealt[outcomes$first, ], short[outcomes$second, ])
  probability <- new.env()
  for (j in seq_len(nrow(truths))) {
    said <- ifelse(cards == 0, truths[rep(j, nrow(cards)), ], cards)
    keys <- do.call(paste0, as.data.frame(said))
    counted <- table(keys) * weight[j] / nrow(cards)
    for (key in names(counted)) probability[[key]] <- (if (is.null(probability[[key]])) 0 else probability[[key]]) + counted[[key]]
  }
  keys <- ls(probability)
  p <- unlist(mget(keys, probability))
  expect_equal(sum(p), 1)
  fits <- lapply(keys, function(key) {
    rr_estimate(data.frame(block, report = c("no", "yes")[as.integer(strsplit(key, "")[[1]])]), mechanism, by = list(group = group))
  })
  estimates <- vapply(fits, coef, numeric(4))
  expect_equal(drop(estimates %*% p), c(1 - theta[[1]], theta[[1]], 1 - theta[[2]], theta[[2]]), ignore_attr = TRUE)
  spread <- estimates %*% (p * t(estimates)) - tcrossprod(estimates %*% p)
  expected <- matrix(vapply(fits, function(fit) as.vector(vcov(fit)), numeric(16)) %*% p, 4)
  expect_equal(expected, spread, ignore_attr = TRUE, tolerance = 1e-10)
})

test_that("a deal is a random order of the deck, and shows nothing else", {
  mechanism <- rr_dealt(c(no = 1, yes = 2), cards = 4)
  set.seed(11)
  n <- 6000
  truth <- rep(c("yes", "no", "no", "no"), n)
  reports <- rr_perturb(truth, mechanism, rng = "R")
  expect_identical(reports$block, rep(seq_len(n), each = 4) + 0)
  said <- matrix(reports$report == "yes", 4)
  # Two cards say yes; the one for the truth adds one if it comes to the first person.
  expect_true(all(colSums(said) == 2 + (said[1, ] & colSums(said) == 3)))
  # Of the 12 arrangements each in 500 of 6,000 deals; by reports: 3 of 12 have the first person's truth.
  expected <- c(3, 3, 3, 3) / 12
  pairs <- table(paste(said[1, ], said[2, ], said[3, ], said[4, ]))
  # The oracle: reports of all arrangements.
  oracle <- table(apply(deals(c(1, 2, 2, 0)), 1, function(card) paste(ifelse(card == 0, c(TRUE, FALSE, FALSE, FALSE), card == 2), collapse = " ")))
  expect_setequal(names(pairs), names(oracle))
  # A chi-squared tail of 1 in 1,000 at this seed's fixed draw.
  expect_gt(suppressWarnings(chisq.test(as.vector(pairs[names(oracle)]), p = as.vector(oracle) / sum(oracle)))$p.value, 0.001)
  set.seed(11)
  expect_identical(rr_perturb(truth, mechanism, rng = "R"), reports)
  secure <- rr_perturb(truth[1:400], mechanism)
  expect_true(all(tapply(secure$report == "yes", secure$block, sum) %in% 2:3))
})

test_that("blocks of a data frame are dealt to as they stand, and answers keep their type", {
  mechanism <- rr_dealt(1, cards = 3, block = "team")
  people <- data.frame(team = c("x", "y", "x", "y", "x", "z"), harassed = factor(c("no", "yes", "no", "no", "yes", "no")))
  set.seed(1)
  reports <- rr_perturb(people, mechanism, rng = "R")
  expect_identical(names(reports), c("team", "report"))
  expect_identical(reports$team, people$team)
  expect_s3_class(reports$report, "factor")
  full <- reports$report[reports$team == "x"]
  expect_true(all(c("no", "yes") %in% full))
  expect_identical(class(rr_perturb(c(0, 1, 1), mechanism)$report), "numeric")
  expect_identical(nrow(expect_silent(rr_perturb(character(), mechanism))), 0L)
})

test_that("tallies know the column, keep people and reports of blocks, and merge whatever the parts", {
  mechanism <- rr_dealt(c(no = 1, yes = 2), cards = 6)
  set.seed(3)
  data <- rr_perturb(rep(c("no", "yes"), c(40, 9)), mechanism, rng = "R")
  data$sex <- rep(c("f", "m", "m"), length.out = 49)
  whole <- rr_tally(data, mechanism, by = "sex", column = "report")
  expect_identical(rr_tally(stats::setNames(data, c("block", "answer", "sex")), mechanism, by = ~sex), whole)
  expect_identical(rr_tally(data, mechanism, by = ~sex, column = ~report), whole)
  fit <- function(tally) rr_estimate(tally, target = "sample")
  # Blocks lie in two parts, and groups too.
  parts <- split(seq_len(49), rep(1:3, length.out = 49))
  merged <- do.call(c, lapply(unname(parts), function(rows) rr_tally(data[rows, ], mechanism, by = "sex", column = "report")))
  expect_equal(vcov(fit(merged)), vcov(fit(whole)), tolerance = 1e-14)
  expect_equal(confint(fit(whole["f"])), confint(fit(whole))[1:2, ], tolerance = 1e-14)
  expect_identical(there_and_back(whole), whole)
  counted <- aggregate(n ~ block + report + sex, transform(data, n = 1), sum)
  expect_equal(vcov(fit(rr_tally(counted, mechanism, count = "n", by = "sex"))), vcov(fit(whole)), tolerance = 1e-14)
})

test_that("a database counts blocks by one query", {
  skip_if_not_installed("dbplyr")
  skip_if_not_installed("RSQLite")
  mechanism <- rr_dealt(c(no = 1, yes = 2), cards = 6)
  set.seed(4)
  data <- as.data.frame(rr_perturb(rep(c("no", "yes"), c(40, 9)), mechanism, rng = "R"))
  data$answer <- data$report
  data$report <- NULL
  data$sex <- rep(c("f", "m", "m"), length.out = 49)
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(connection))
  DBI::dbWriteTable(connection, "people", data)
  from <- rr_tally(dplyr::tbl(connection, "people"), mechanism, column = "answer", by = "sex")
  here <- rr_tally(data, mechanism, column = "answer", by = "sex")
  expect_equal(vcov(rr_estimate(from)), vcov(rr_estimate(here)), tolerance = 1e-14)
  expect_match(rr_query(dplyr::tbl(connection, "people"), mechanism, column = "answer"), "block")
})

test_that("blocks that the deck cannot give warn with the number of people, and are estimated all the same", {
  mechanism <- rr_dealt(c(no = 3, yes = 3), cards = 15)
  rows <- block_rows(c(15, 15, 10), c(1, 14, 0))
  expect_warning(fit <- rr_estimate(rows, mechanism, column = "report"), "At least 4 respondents", class = "candor_warning_unlikely")
  expect_equal(coef(fit)[["yes"]], (15 / 40 - 0.2) / 0.6)
  expect_output(print(fit), "At least 4 respondents")
  expect_silent(rr_estimate(block_rows(c(15, 15), c(3, 12)), mechanism, column = "report"))
})

test_that("what cannot be dealt, counted or estimated is refused in one sentence", {
  refused <- function(code, class) expect_error(code, class = paste0("candor_error_", class))
  refused(rr_dealt(c(no = 3, yes = 3), cards = 6), "argument")
  refused(rr_dealt(0, cards = 6), "argument")
  refused(rr_dealt(c(no = 0.2, yes = 0.2), cards = 6), "argument")
  refused(rr_dealt(1, cards = 6, block = "report"), "argument")
  mechanism <- rr_dealt(c(no = 1, yes = 1), cards = 4)
  refused(rr_tally(block_rows(5, 2), mechanism, column = "report"), "report")
  refused(rr_perturb(data.frame(block = 1, answer = rep("no", 5)), mechanism), "report")
  refused(rr_tally(c("no", "yes"), mechanism), "report")
  refused(rr_tally(data.frame(block = 1, report = "maybe"), mechanism), "level")
  refused(rr_tally(data.frame(block = c(1, NA), report = "no"), mechanism), "missing")
  expect_message(tally <- rr_tally(data.frame(block = c(1, NA, 1), report = c("no", "no", NA)), mechanism, na.rm = TRUE), "2 missing")
  expect_identical(tally$n, 1)
  refused(c(rr_tally(block_rows(4, 2), mechanism, column = "report"), rr_tally(block_rows(4, 2), mechanism, column = "report")), "report")
  refused(rr_counts(c(no = 3, yes = 1), mechanism), "argument")
  short <- rr_tally(block_rows(3, 2), mechanism, column = "report")
  refused(rr_estimate(short, interval = "exact"), "law")
  refused(rr_estimate(short, interval = "bootstrap"), "argument")
  refused(rr_estimate(short, interval = "profile"), "law")
  refused(rr_estimate(short, method = "mle"), "law")
  refused(rr_estimate(data.frame(block = 1, report = "no"), mechanism, weights = 2), "argument")
  refused(rr_product(a = mechanism, b = rr_warner(0.8)), "argument")
  refused(rr_client(mechanism, tempfile(), as = "plan"), "law")
  one <- rr_estimate(block_rows(4, 2), rr_dealt(c(no = 2, yes = 1), cards = 4), column = "report", target = "sample")
  expect_message(vcov(one), class = "candor_message_target")
})

test_that("privacy is stated twice, plans are of full blocks, and estimates are cut on request", {
  mechanism <- rr_dealt(c(no = 3, yes = 3), cards = 15)
  expect_equal(rr_epsilon(mechanism, achieved = TRUE), c(report = log(4), informed = Inf))
  expect_identical(rr_epsilon(list(mechanism, rr_warner(0.8))), Inf)
  # theta (1 - theta) / (m / b) / se^2
  expect_equal(rr_power(mechanism, share = 0.05, margin = 0.02)$n, ceiling(qnorm(0.975)^2 * 0.05 * 0.95 / 0.6 / 0.02^2))
  expect_equal(rr_power(mechanism, share = 0.05, margin = 0.02, target = "sample")$n,
               ceiling(qnorm(0.975)^2 * 0.05 * 0.95 / 0.6 * 0.4 * 15 / 14 / 0.02^2))
  rows <- block_rows(c(15, 9), c(3, 0))
  expect_lt(coef(rr_estimate(rows, mechanism, column = "report"))[["yes"]], 0)
  expect_identical(coef(rr_estimate(rows, mechanism, column = "report", method = "norm_sub"))[["yes"]], 0)
  inner <- block_rows(c(15, 9), c(6, 4))
  expect_equal(vcov(rr_estimate(inner, mechanism, column = "report", method = "norm_sub")), vcov(rr_estimate(inner, mechanism, column = "report")))
})

test_that("a survey design has blocks in its sampling units, and equals the mean of the scores", {
  skip_if_not_installed("survey")
  mechanism <- rr_dealt(c(no = 1, yes = 2), cards = 6)
  set.seed(5)
  data <- rr_perturb(rep(c("no", "yes"), c(50, 10))[sample(60)], mechanism, rng = "R")
  data$w <- rep(1:3, 20)
  design <- survey::svydesign(ids = ~block, weights = ~w, data = data)
  fit <- rr_estimate(design, mechanism, column = ~report)
  score <- ((data$report == "yes") - 1 / 3) / 0.5
  direct <- survey::svymean(~score, stats::update(design, score = score))
  expect_equal(coef(fit)[["yes"]], as.vector(coef(direct)), tolerance = 1e-12)
  expect_equal(vcov(fit)["yes", "yes"], as.vector(vcov(direct)), tolerance = 1e-12)
  alone <- survey::svydesign(ids = ~1, weights = ~w, data = data)
  expect_error(rr_estimate(alone, mechanism, column = ~report), "primary sampling unit", class = "candor_error_argument")
  expect_error(rr_estimate(design, mechanism, column = ~report, target = "sample"), class = "candor_error_argument")
})

test_that("the sheet for respondents shows the deck", {
  sheet <- rr_instructions(rr_dealt(c(no = 3, yes = 4), cards = 15), "Did you ever steal?")
  expect_match(sheet, "3 \"no\", 4 \"yes\"", fixed = TRUE)
  expect_match(sheet, "deck of 15 cards", fixed = TRUE)
  expect_match(sheet, "know the answers of all others", fixed = TRUE)
  expect_false(grepl("{", sheet, fixed = TRUE))
})

test_that("intervals held in the study of this package", {
  table <- read_study("dealt.csv")
  expect_identical(nrow(table), 75L)
  # Of 0.95 less four standard errors in each cell, and 0.94 on average.
  expect_true(all(table$coverage > 0.95 - 4 * sqrt(0.0475 / table$surveys)))
  expect_gt(mean(table$coverage), 0.94)
  # Less than half of a die's at 1 to 3 %: see vignette("choosing").
  expect_lt(max(subset(table, what == "population" & share <= 0.03)$over.die), 0.5)
})

# The distribution of the number of true yes by the cards for the truth, of full blocks with these true yes.
block_sum <- function(yes, cards, asked) {
  Reduce(function(before, y) {
    p <- dhyper(0:asked, y, cards - y, asked)
    rowSums(vapply(0:asked, function(a) c(numeric(a), before, numeric(asked - a)) * p[a + 1], numeric(length(before) + asked)))
  }, yes, 1)
}

test_that("fixed truths: no deal of any number of true yes is covered by less than 93 of 100 intervals, by enumeration", {
  for (deck in list(c(25, 0, 5), c(25, 3, 3), c(50, 5, 5), c(25, 0, 1), c(15, 6, 6), c(6, 1, 1))) for (blocks in c(1, 4, 10)) {
    cards <- deck[1]
    asked <- cards - sum(deck[2:3])
    mechanism <- rr_dealt(c(no = deck[2], yes = deck[3]), cards = cards)
    law <- rr_law(mechanism)
    limits <- vapply(0:(blocks * asked), function(true) {
      said <- blocks * deck[3] + true
      law$blocks <- list(counts = rbind(rep(cards, blocks) - c(said, numeric(blocks - 1)), c(said, numeric(blocks - 1))))
      evidence <- candor:::new_evidence(law, rowSums(law$blocks$counts), cards * blocks, cards * blocks, 2L, mechanism)
      unlist(candor:::law_intervals(law, evidence, NULL, "wilson", 0.95, 2L, "sample"))
    }, numeric(2))
    for (yes in unique(pmin(c(1:4, 6, 9, 15), cards * blocks %/% 2))) {
      spread <- tabulate((seq_len(yes) - 1) %% blocks + 1, blocks)
      clumped <- diff(pmin(c(0, seq_len(blocks) * cards), yes))
      covered <- limits[1, ] <= yes / (cards * blocks) + 1e-12 & limits[2, ] >= yes / (cards * blocks) - 1e-12
      for (held in list(spread, clumped)) expect_gt(sum(block_sum(held, cards, asked)[covered]), 0.93)
    }
  }
})

test_that("anytime: cards that asked for the truth are counted, exactly in full blocks", {
  mechanism <- rr_dealt(c(no = 0, yes = 5), cards = 25)
  fit <- rr_estimate(block_rows(rep(25, 8), rep(5, 8)), mechanism, column = "report", interval = "anytime")
  # None of 160: the share m at which (1 - m)^160 is alpha of the mixture.
  root <- 1 - exp((lbeta(0.5, 160.5) - lbeta(0.5, 0.5) + log(0.05)) / 160)
  expect_equal(unname(confint(fit, "yes")[1, ]), c(0, root), tolerance = 1e-9)
  # 40 of 160: both shares m at which m^40 (1 - m)^120 is alpha of the mixture.
  some <- rr_estimate(block_rows(rep(25, 8), rep(10, 8)), mechanism, column = "report", interval = "anytime")
  excess <- function(m) 40 * log(m) + 120 * log(1 - m) - log(0.05) - lbeta(40.5, 120.5) + lbeta(0.5, 0.5)
  expect_equal(excess(confint(some, "yes")), c(0, 0), ignore_attr = TRUE, tolerance = 1e-6)
  # The chance of ever missing in 40 blocks, block by block, by the binomial numbers of their true yes.
  for (share in c(0.005, 0.02, 0.3)) {
    inside <- 1
    for (chunks in 1:40) {
      n <- 20 * chunks
      inside <- vapply(0:n, function(s) {
        a <- max(0, s - length(inside) + 1):min(20, s)
        sum(inside[s - a + 1] * dbinom(a, 20, share))
      }, 0)
      bounds <- candor:::anytime_interval((0:n) / n, n, 0.95)
      inside[bounds$low > share | bounds$high < share] <- 0
    }
    expect_gt(sum(inside), 0.95)
  }
  # Short blocks: 20 of either kind by the cards for the truth, not by what cards dictate.
  short <- function(yes) {
    rr_estimate(block_rows(rep(20, 12), rep(yes, 12)), mechanism, column = "report", interval = "anytime")
  }
  expect_message(none <- short(5), class = "candor_message_no_intervals")
  expect_true(all(is.na(confint(none))))
  some <- expect_silent(short(7))
  half <- sqrt(vcov(some)[2, 2]) * candor:::anytime_quantile(0.95, 240, 500)
  expect_equal(unname(confint(some, "yes")[1, ]), coef(some)[["yes"]] + c(-half, half), tolerance = 1e-9)
  expect_true(is.na(suppressMessages(rr_contrast(none, "yes"))$conf.low))
})

test_that("no block with more yes than dictated: the variance is unknown, and functions follow from the reports", {
  mechanism <- rr_dealt(c(no = 3, yes = 3), cards = 15)
  for (target in c("population", "sample")) {
    fit <- rr_estimate(block_rows(rep(15, 20), rep(3, 20)), mechanism, column = "report", target = target)
    expect_true(all(is.na(tidy(fit)$std.error)))
    expect_warning(one <- rr_contrast(fit, "yes"), class = "candor_warning_boundary")
    expect_identical(one$std.error, NA_real_)
    expect_equal(c(one$conf.low, one$conf.high), unname(confint(fit, "yes")[1, ]), tolerance = 1e-12)
    expect_true(all(is.na(confint(fit, interval = "wald"))))
  }
  rows <- rbind(block_rows(rep(15, 20), rep(3, 20), "a"), transform(block_rows(rep(15, 20), rep(4, 20), "b"), block = block + 20))
  fit <- rr_estimate(rows, mechanism, column = "report", by = "group")
  expect_warning(pair <- rr_compare(fit), class = "candor_warning_boundary")
  expect_warning(same <- rr_contrast(fit, c("b:yes" = 1, "a:yes" = -1)), class = "candor_warning_boundary")
  limits <- confint(fit)[c("a:yes", "b:yes"), ]
  share <- coef(fit)[c("a:yes", "b:yes")]
  # Newcombe's: the distances to the limits of both.
  below <- sqrt((share[[2]] - limits[2, 1])^2 + (limits[1, 2] - share[[1]])^2)
  above <- sqrt((limits[2, 2] - share[[2]])^2 + (share[[1]] - limits[1, 1])^2)
  expect_equal(c(pair$conf.low, pair$conf.high), diff(unname(share)) + c(-below, above), tolerance = 1e-9)
  expect_equal(c(same$conf.low, same$conf.high), c(pair$conf.low, pair$conf.high), tolerance = 1e-9)
  expect_identical(c(pair$std.error, same$std.error), c(NA_real_, NA_real_))
  ranked <- rr_top(fit)
  expect_identical(is.na(ranked$std.error), ranked$group == "a")
})

test_that("a finite population correction of dealt answers is refused by its name", {
  skip_if_not_installed("survey")
  data <- transform(block_rows(rep(6, 8), rep(3, 8)), size = 100)
  design <- survey::svydesign(ids = ~block, fpc = ~size, data = data)
  mechanism <- rr_dealt(c(no = 1, yes = 2), cards = 6)
  expect_error(rr_estimate(design, mechanism, column = ~report), "fpc", class = "candor_error_argument")
})

test_that("the standard error of an answer that nobody holds is that of its forced cards, drawn without replacement", {
  # Blocks of 10 and of 6 people, a deck of 10 cards with two and three forced answers.
  mechanism <- rr_dealt(c(no = 3, yes = 2), cards = 10)
  tally <- rr_tally(block_rows(c(10, 6, 3), c(3, 2, 1)), mechanism, column = "report")
  evidence <- group_evidence(tally, 1L)
  beta <- c(0.3, 0.2)
  hypergeometric <- vapply(beta, function(b) sum(c(10, 6, 3) * b * (1 - b) * (10 - c(10, 6, 3)) / 9), 0)
  expect_equal(evidence$blank_error(), sqrt(hypergeometric) / (0.5 * 19), tolerance = 1e-10)
})

test_that("a deck has whole cards of two kinds at least, one of which asks for the truth", {
  expect_refused(rr_dealt(c(no = 0, yes = 0), 2), rr_dealt(c(no = 1, yes = 1), 2), rr_dealt(c(no = 0, yes = 1), 1), rr_dealt(c(no = 1, yes = 1.5), 6),
                 rr_dealt(c(no = -1, yes = 2), 6), rr_dealt(c(no = Inf, yes = 1), 6), rr_dealt(c(no = NA, yes = 1), 6), rr_dealt("1", 6),
                 rr_dealt(numeric(), 6), rr_dealt(1, 1e6 + 1), rr_dealt(1, 6.5), rr_dealt(1, 6, block = ""), rr_dealt(1, 6, block = c("a", "b")),
                 rr_dealt(1, 6, block = 1))
  least <- rr_dealt(c(no = 0, yes = 1), 2)
  expect_identical(c(least$truth, least$innocuous), c(0.5, 0, 0.5))
  # Answers of other labels may be 0 and 1 too. Scores are (1{report} - b) / a, also of one report.
  other <- rr_dealt(c(u = 1, v = 2), 6)
  rows <- data.frame(block = 1, report = c(1, 0, 1))
  expect_identical(rr_tally(rows, other)$counts, c(1, 2))
  scores <- rbind(c(-1 / 6, 2 / 3), c(5 / 6, -1 / 3), c(-1 / 6, 2 / 3)) / 0.5
  expect_equal(unname(rr_score(rows, other)), scores)
  expect_equal(unname(rr_score(rows[1, ], other)), scores[1, , drop = FALSE])
})
