doubt <- "No truth makes these reports likely"

test_that("impossible data are told in the print of the fit: width, key, no randomization, means", {
  set.seed(2)
  pages <- c("home", "search", "cart", "pay", "help")
  truth <- sample(pages, 20000, TRUE, c(.4, .3, .15, .1, .05))
  # Ten bits read as sixteen: six were never set.
  narrow <- as.character(rr_perturb(sample(10, 3000, TRUE), rr_unary(10, 1), rng = "R"))
  bloom <- function(...) rr_bloom(pages, epsilon = 2, permanent = 3, ...)
  filters <- rr_perturb(truth, bloom(), memory = list(), rng = "R")$reports
  amounts <- rlnorm(20000, 5, 0.5)
  amounts <- pmin(amounts, 2000)
  money <- rr_mean(c(0, 2000), 1)
  raw <- diag(5)[match(truth, pages), ]
  doubted <- function(...) {
    expect_warning(fit <- rr_estimate(...), class = "candor_warning_unlikely")
    fit
  }
  wrong <- list(
    doubted(narrow, rr_unary(16, 1), method = "inv"), doubted(narrow, rr_unary(16, 1)),
    doubted(filters, bloom(key = 2), method = "inv"),
    doubted(raw, rr_unary(pages, 1)), doubted(truth, rr_grr(pages, epsilon = 1), method = "invp"),
    # Three equal shares lie within [q, p]: only the number of bits of a report shows it.
    doubted(diag(3)[rep_len(1:3, 20000), ], rr_unary(3, 1)),
    doubted(rr_tally(amounts, money))
  )
  for (fit in wrong) expect_output(print(fit), doubt)
  right <- list(
    rr_estimate(rr_perturb(truth, rr_unary(pages, 1), rng = "R"), rr_unary(pages, 1)),
    rr_estimate(filters, bloom(), method = "inv"),
    rr_estimate(rr_perturb(amounts, money, rng = "R"), money)
  )
  for (fit in right) expect_false(any(grepl("No truth", capture.output(print(fit)))))
  expect_snapshot(print(wrong[[7]]))
})

test_that("depths of a hierarchy are told one by one", {
  set.seed(3)
  days <- rr_hierarchy(0:63, 1, oracle = rr_unary)
  # Everybody says 1 to all bits.
  tally <- rr_tally(rr_perturb(sample(0:63, 3000, TRUE), days, rng = "R"), days)
  expect_false(glance(rr_estimate(tally))$unlikely)
  full <- tally
  full$counts[startsWith(days$reports, "2: ")] <- full$counts[which(days$reports == "2")]
  expect_true(glance(suppressWarnings(rr_estimate(full)))$unlikely)
})

test_that("the remark is wrong in one of a thousand fits at most", {
  skip_on_cran()
  set.seed(4)
  mechanisms <- list(rr_unary(6, 1), rr_unary(30, 4), rr_unary(4, 0.2, optimized = FALSE), rr_local_hash(12, 1), rr_local_hash(40, 3), rr_subset(9, 1),
                     rr_hadamard(6, 1), rr_hadamard(50, 4), rr_bitflip(8, 2), rr_grr(5, epsilon = 1), rr_grr(45, epsilon = 3),
                     rr_hierarchy(16, 1), rr_bloom(as.character(1:5), epsilon = 2, permanent = 3))
  # The truths that lie on the edge of what is possible: all alike, one for all; few respondents and many.
  truths <- function(k, n, kind) rep(if (kind == 1) 1L else seq_len(k), length.out = n)
  alarms <- vapply(mechanisms, function(mechanism) {
    law <- rr_law(mechanism)
    k <- length(mechanism$levels)
    # 160 surveys are groups of one tally.
    sizes <- rep_len(c(400, 25), 160)
    answers <- unlist(Map(truths, k, sizes, 1:160 %% 3))
    reports <- if (inherits(mechanism, "rr_bloom")) rr_perturb(as.character(answers), mechanism, memory = list(), rng = "R")$reports
      else rr_perturb(mechanism$levels[answers], mechanism, rng = "R")
    tally <- rr_tally(reports, mechanism, by = rep(1:160, sizes))
    sum(vapply(1:160, function(i) {
      tryCatch(candor:::law_unlikely(law, candor:::group_evidence(tally, i, law), 0.001), candor_error_empty = function(e) FALSE)
    }, NA))
  }, 0)
  # At most 1 in 1,000 of 2,080 fits: more than 8 would have a probability below 0.001.
  expect_lte(sum(alarms), 8)
  means <- lapply(c("hybrid", "piecewise", "duchi"), function(protocol) rr_mean(c(0, 1), 1, protocol))
  alarms <- vapply(means, function(mechanism) {
    # Each alone: groups of one tally would share the level.
    sum(vapply(1:200, function(i) rr_estimate(rr_perturb(rep(c(0.5, 1)[i %% 2 + 1], 300), mechanism, rng = "R"), mechanism)$doubt != "", NA))
  }, 0)
  expect_lte(sum(alarms), 4)
})

test_that("two reports are doubted at an exact bound of 1 in 1,000, for all truths and sizes", {
  # All counts are enumerated. The reported share of yes lies between the two numbers, which are far apart, near, and at the edge.
  for (ends in list(c(1 / 6, 5 / 6), c(.3, .6), c(.02, .3), c(.45, .5), c(.9, .95))) for (n in c(5, 40, 600)) {
    alarm <- vapply(0:n, beyond_range, NA, n = n, low = ends[1], high = ends[2], alpha = 0.001)
    worst <- max(vapply(seq(ends[1], ends[2], length.out = 21), function(share) sum(stats::dbinom(0:n, n, share)[alarm]), 0))
    expect_lte(worst, 0.001)
  }
  # And not much later than it could: one count more is doubted where its own tail is below 1 in 1,000.
  counts <- function(yes) rr_counts(c(no = 1500 - yes, yes = yes), rr_forced(c(no = .1, yes = .3)))
  last <- stats::qbinom(0.001, 1500, 0.3)
  expect_no_warning(rr_estimate(counts(last)))
  for (method in c("mle", "inv")) expect_warning(rr_estimate(counts(last - 1), method = method), class = "candor_warning_unlikely")
})

test_that("the tail of a deviance is that of a mixture of chi-squared distributions", {
  # One degree of freedom: half of the mass is at 0. Two: 1/2 * exp(-limit / 2) is the half of the second.
  expect_equal(deviance_tail(stats::qchisq(0.998, 1), 1), 0.001)
  expect_equal(deviance_tail(11, 2), stats::pnorm(-sqrt(11)) + exp(-11 / 2) / 2)
  # An estimate in the corner of three forced answers: all answer "a", of which the dice make a tenth of the others.
  set.seed(12)
  mechanism <- rr_forced(c(a = .1, b = .1, c = .1))
  alarms <- apply(stats::rmultinom(4000, 400, c(.8, .1, .1)), 2, function(counts) {
    fitted <- reported_shares(mechanism, estimate_counts(mechanism, as.double(counts), "mle", 400)$estimate)
    counts_contradict(mechanism, counts, fitted, 0.02)
  })
  # 80 at most on average: 4.5 standard errors more would have a probability below 1e-5.
  expect_lte(sum(alarms), 80 + 40)
  expect_gte(sum(alarms), 20)
})

test_that("each group has its share of the false alarms", {
  mechanism <- rr_forced(c(no = .1, yes = .3))
  share <- function(alpha) stats::qbinom(alpha, 1500, 0.3)
  groups <- function(first) {
    yes <- c(first, rep(600, 9))
    data <- data.frame(group = rep(letters[1:10], each = 1500), report = unlist(lapply(yes, function(y) rep(c("yes", "no"), c(y, 1500 - y)))))
    rr_estimate(rr_tally(data, mechanism, column = "report", by = "group"))
  }
  expect_false(is_doubted(groups(share(0.001) - 1)))
  expect_warning(fit <- groups(share(0.0001) - 1), "a", class = "candor_warning_unlikely")
  # The test belongs to the group: what is left of the others is not doubted.
  expect_identical(c(is_doubted(fit), is_doubted(fit["a"]), is_doubted(fit[2:10])), c(TRUE, TRUE, FALSE))
})

test_that("clients without randomness and true amounts are told, in memory, merged and from files", {
  set.seed(5)
  for (mechanism in list(rr_local_hash(8, 1), rr_local_hash(1000, 4), rr_local_hash(5, 0.5, g = 2))) {
    k <- length(mechanism$levels)
    reports <- rr_perturb(sample(k, 600, TRUE), mechanism, rng = "R")
    constant <- reports
    constant[c("slope", "shift")] <- reports[rep(1, 600), c("slope", "shift")]
    told <- function(tally) glance(suppressWarnings(rr_estimate(tally, method = "inv"), "candor_warning_unlikely"))$unlikely
    half <- list(seq_len(300), 301:600)
    file <- withr::local_tempfile(fileext = ".json")
    for (broken in c(FALSE, TRUE)) {
      data <- if (broken) constant else reports
      tally <- rr_tally(data, mechanism)
      expect_identical(told(tally), broken)
      expect_identical(told(do.call(c, lapply(half, function(rows) rr_tally(data[rows, ], mechanism)))), broken)
      expect_identical(told(rr_tally(data, mechanism, by = rep(c("a", "b"), 300))), broken)
      rr_write(tally, file)
      expect_identical(rr_read(file), tally)
    }
  }
  for (epsilon in c(0.7, 1, 4)) for (protocol in c("hybrid", "piecewise")) {
    mechanism <- rr_mean(c(0, 100), epsilon, protocol)
    ages <- pmin(rgamma(1000, 2, 2 / 28.5), 100)
    reports <- rr_perturb(ages, mechanism, rng = "R")
    told <- function(x) glance(suppressWarnings(rr_estimate(rr_tally(x, mechanism)), "candor_warning_unlikely"))$unlikely
    expect_identical(c(told(reports), told(ages), told(pmin(pmax(reports, 0), 100))), c(FALSE, TRUE, TRUE))
  }
  # Who keeps a function sends it again and again: that is no sign of a broken client.
  kept <- rr_longitudinal(8, 2, 1, "local-hash")
  memory <- list()
  rounds <- lapply(1:5, function(i) {
    sent <- rr_perturb(rep(1:8, 10), kept, memory = memory, rng = "R")
    memory <<- sent$memory
    sent$reports
  })
  together <- do.call(rbind, lapply(rounds, function(x) data.frame(slope = x$slope, shift = x$shift, value = x$value)))
  expect_false(glance(rr_estimate(rr_tally(together, kept), method = "inv"))$unlikely)
})

test_that("honest reports have as many functions, and as many reports outside of the range, as they must", {
  # The chance that has_few_distinct() computes is that of a tally of honest reports: at most `level` of them are below it.
  # 2,000 tallies: at a level of .01, 20 are expected, and 38 are four standard errors above.
  set.seed(6)
  mechanism <- rr_local_hash(5, 0.5, g = 2)
  functions <- mechanism$prime * (mechanism$prime - 1)
  drawn <- replicate(2000, length(unique(sample(functions, 300, TRUE))))
  expect_lte(sum(witness_chance(mechanism, drawn, 300) < log(0.01)), 38)
  for (mechanism in list(rr_mean(c(-1, 1), 4, "piecewise"), rr_mean(c(-1, 1), 1))) {
    # Answers in the middle are reported outside least often.
    reports <- matrix(abs(rr_perturb(rep(0, 2e5), mechanism, rng = "R")) > 1, 100)
    low <- sum(witness_chance(mechanism, colSums(reports), 100) < log(0.01))
    expect_lte(low, 38)
    # Never below, and near it: 0.21 and 0.16 at epsilon 1, where the window of likely reports reaches outside too.
    excess <- exp(witness_chance(mechanism, 0, 1)) - (1 - mean(reports))
    expect_gt(excess, -0.004)
    expect_lt(excess, 0.06)
  }
})

test_that("support counts of another client are told wherever they are read, and right under the law of that client", {
  # Local hashing that hashes into g values at random: another value is supported with probability 1 / g exactly.
  set.seed(5)
  k <- 200
  p <- exp(2) / (exp(2) + 7)
  theta <- c(prop.table((1:20)^-1), rep(0, k - 20))
  counts <- setNames(stats::rbinom(k, 1e6, 1 / 8 + (p - 1 / 8) * theta), seq_len(k))
  foreign <- rr_counts(counts, rr_local_hash(k, 2), n = 1e6)
  expect_warning(fit <- rr_estimate(foreign, method = "inv"), doubt, class = "candor_warning_unlikely")
  expect_gt(sum(coef(fit)), 1.1)
  # The fit has told it: what is made of it prints it, and only what is made of reports warns again.
  expect_no_warning(top <- rr_top(fit, 3))
  expect_output(print(top), doubt)
  expect_warning(rr_top(foreign, 3), class = "candor_warning_unlikely")
  right <- rr_counts(counts, rr_unary(k, p = p, q = 1 / 8), n = 1e6)
  expect_no_warning(fit <- rr_estimate(right, method = "inv"))
  expect_equal(rr_epsilon(right$mechanism), 2)
  # Wilson's intervals of 200 categories: 9.5 standard errors of a coverage of 0.95 are 0.15.
  bounds <- confint(fit)
  expect_gt(mean(bounds[, 1] <= theta & theta <= bounds[, 2]), 0.9)
  # Six standard deviations of the sum, of k counts with variance n / 8 * 7 / 8 each.
  expect_lt(abs(sum(coef(fit)) - 1), 6 * sqrt(k * 7 / 64 / 1e6) / (p - 1 / 8))
})

test_that("comparisons and several questions tell a doubt, and warn once", {
  data <- data.frame(y = rep(c("yes", "no", "yes", "no"), c(10, 590, 200, 400)), g = rep(c("first", "second"), each = 600))
  seen <- testthat::capture_warnings(fit <- rr_estimate(data, rr_warner(0.2), column = "y", by = "g"))
  expect_match(seen, "first")
  expect_no_match(seen, "second")
  expect_output(suppressWarnings(print(rr_compare(fit)), "candor_warning_boundary"), "unlikely under this design")
})

test_that("what nearly makes the counts is doubted by neither test", {
  # Few reports have the most skewed counts; `alpha` is what a fit of one group has.
  set.seed(8)
  passed <- 0
  doubted <- character()
  for (mechanism in list(rr_warner(0.9), rr_forced(c(no = .02, yes = .03)), rr_grr(4, epsilon = 4), rr_grr(12, epsilon = 2))) {
    law <- rr_law(mechanism)
    k <- length(mechanism$levels)
    for (i in 1:150) {
      counts <- as.double(stats::rmultinom(1, sample(c(3, 20, 300), 1), stats::rexp(k)^2))
      evidence <- group_evidence(rr_counts(counts, mechanism), 1)
      truth <- law_maximum(law, evidence)$estimate
      if (!makes_counts(evidence, truth)) next
      passed <- passed + 1
      tests <- c(deviance = counts_contradict(mechanism, counts, law_expected(law, truth), 0.001), law = law_unlikely(law, evidence, 0.001))
      if (any(tests)) doubted <- c(doubted, paste(c(mechanism$recipe$constructor, names(which(tests)), counts), collapse = " "))
    }
  }
  expect_identical(doubted, character())
  expect_gt(passed, 200)
})
