test_that("p-values are binomial tails, and intervals follow the rank", {
  mechanism <- rr_grr(4, epsilon = 1)
  counts <- c(60, 45, 50, 45)
  top <- rr_top(rr_counts(counts, mechanism), n = Inf)
  order <- order(counts, decreasing = TRUE)
  expect_identical(top$term, as.character(order))
  expect_identical(top$rank, c(1L, 2L, 3L, 3L))
  expect_equal(top$p.value, pbinom(counts[order] - 1, 200, mechanism$q, lower.tail = FALSE))
  expect_equal(top$estimate, (counts[order] / 200 - mechanism$q) / mechanism$p_minus_q)
  # Clopper and Pearson's limits by their definition: as many reports or more have probability 0.05 rank / 8.
  limit <- function(x, error, lower) {
    uniroot(function(m) (if (lower) pbinom(x - 1, 200, m, lower.tail = FALSE) else pbinom(x, 200, m)) - error, 0:1, tol = 1e-12)$root
  }
  low <- mapply(limit, counts[order], 0.05 * c(1, 2, 3, 3) / 8, TRUE)
  high <- mapply(limit, counts[order], 0.025, FALSE)
  expect_equal(top$conf.low, pmax(0, (low - mechanism$q) / mechanism$p_minus_q), tolerance = 1e-8)
  expect_equal(top$conf.high, (high - mechanism$q) / mechanism$p_minus_q, tolerance = 1e-8)
})

# The golden cases as support counts, whose p and q may be any; `family` is the number of rows of all groups.
golden_support <- function(input) {
  k <- length(input$counts)
  groups <- (input$family %||% k) / k
  mechanism <- rr_unary(k, p = input$p, q = input$q)
  # Effective numbers are those of a tally of ten times as many reports.
  whole <- if (all(c(input$counts, input$n) %% 1 == 0)) 1 else 10
  counts <- if (groups > 1) matrix(input$counts, k, groups, dimnames = list(NULL, seq_len(groups))) else whole * input$counts
  rr_counts(counts, mechanism, n = rep(whole * input$n, groups), effective_n = if (whole > 1) input$n)
}

test_that("limits by rank, and of all together, agree with the vectors", {
  cases <- Filter(function(case) case$input$op == "intervals", golden("selection_intervals"))
  # Rows of a list that hold together (`simultaneous` a number) are not offered.
  cases <- Filter(function(case) !is.numeric(case$input$simultaneous), cases)
  expect_length(cases, 16)
  for (case in cases) {
    input <- case$input
    # Mechanisms have two categories and more: of one alone the rule is the plain limit at 0.025.
    if (length(input$counts) == 1L) {
      alone <- exact_interval(input$counts / input$n, input$n, ranked_level(case$expected$estimate, input$level))
      expect_lt(max(abs((unlist(alone) - input$q) / (input$p - input$q) - c(case$expected$low, case$expected$high))), 1e-10)
      next
    }
    tally <- golden_support(input)
    if (is.null(input$simultaneous)) {
      table <- suppressWarnings(rr_top(tally, n = Inf, conf.level = input$level), "candor_warning_unlikely")
      table <- table[match(seq_along(input$counts), as.integer(table$term)), ]
      expect_identical(table$rank, as.integer(case$expected$rank))
      expect_lt(max(abs(table$estimate - case$expected$estimate)), 1e-9)
    } else {
      table <- tidy(rr_estimate(tally, method = "inv", conf.level = input$level, simultaneous = TRUE), conf.int = TRUE)
      table <- table[seq_along(input$counts), ]
    }
    expect_lt(max(abs(table$conf.low - case$expected$low), abs(table$conf.high - case$expected$high)), 1e-10)
  }
})

test_that("rows do not depend on how many are shown, and ties are alike", {
  set.seed(2)
  tally <- rr_counts(drop(rmultinom(1, 400, c(5, 3, rep(1, 38)))), rr_grr(40, epsilon = 3))
  all <- rr_top(tally, n = Inf)
  for (m in c(1, 7, 40)) expect_identical(as.data.frame(rr_top(tally, n = m)), as.data.frame(all)[seq_len(m), ])
  expect_identical(as.data.frame(head(all, 3)), as.data.frame(rr_top(tally, n = 3)))
  tied <- split(all[c("rank", "conf.low", "conf.high", "p.value")], all$estimate)
  expect_gt(max(vapply(tied, nrow, 0L)), 2)
  for (rows in tied) expect_identical(nrow(unique(rows)), 1L)
})

test_that("adjusted p-values are those of p.adjust() over all categories, of equal counts too, in each group", {
  set.seed(3)
  mechanism <- rr_grr(60, epsilon = 2)
  counts <- cbind(a = rpois(60, c(9, rep(4, 59))), b = rpois(60, c(30, 20, rep(3, 58))))
  for (adjust in c("BH", "BY", "holm")) {
    top <- rr_top(rr_counts(counts, mechanism), n = 12, adjust = adjust, alpha = 0.2)
    for (group in c("a", "b")) {
      x <- counts[, group]
      p <- ifelse(x > 0, pbinom(x - 1, sum(x), mechanism$q, lower.tail = FALSE), 1)
      expected <- p.adjust(p, adjust)
      rows <- top[top$group == group, ]
      expect_identical(rows$term, as.character(order(-x)[1:12]))
      expect_equal(rows$p.adjusted, expected[as.integer(rows$term)])
      expect_identical(unname(attr(top, "found")[match(group, c("a", "b"))]), sum(expected <= 0.2))
    }
  }
})

test_that("one group: few, large, fractional and equal counts are adjusted as p.adjust() adjusts all", {
  set.seed(4)
  mechanism <- rr_grr(40, epsilon = 2)
  small <- rpois(40, c(9, rep(2, 39)))
  for (x in list(small, 5 * small, c(39, rep(0, 39)), rep(c(3, 5), 20), small / 2, small * 1.5)) {
    tally <- rr_tally(1:40, mechanism, weights = x)
    n <- sum(x)^2 / sum(x^2)
    reports <- x * n / sum(x)
    p <- ifelse(x > 0, pbeta(mechanism$q, reports, n - reports + 1), 1)
    if (all(x %% 1 == 0)) {
      tally <- rr_counts(x, mechanism)
      p <- ifelse(x > 0, pbinom(x - 1, sum(x), mechanism$q, lower.tail = FALSE), 1)
    }
    for (adjust in c("BH", "BY", "holm")) {
      top <- suppressWarnings(rr_top(tally, n = Inf, adjust = adjust, alpha = 0.3), classes = "candor_warning_unlikely")
      expect_equal(top$p.value, p[as.integer(top$term)])
      expect_equal(top$p.adjusted, p.adjust(p, adjust)[as.integer(top$term)])
      expect_identical(unname(attr(top, "found")), sum(p.adjust(p, adjust) <= 0.3))
    }
  }
})

test_that("each group is a list of its own by rank, and all rows of all groups hold together", {
  counts <- cbind(a = c(60, 25, 15, 20), b = c(22, 38, 40, 20), c = c(30, 30, 30, 30))
  mechanism <- rr_grr(4, epsilon = 1)
  grouped <- rr_top(rr_counts(counts, mechanism), n = Inf)
  for (group in colnames(counts)) {
    alone <- rr_top(rr_counts(counts[, group], mechanism), n = Inf)
    expect_equal(as.data.frame(grouped[grouped$group == group, -1]), as.data.frame(alone), ignore_attr = TRUE)
  }
  together <- tidy(rr_estimate(rr_counts(counts, mechanism), method = "inv", simultaneous = TRUE), conf.int = TRUE)
  high <- qbeta(0.05 / (2 * 4 * 3), as.vector(counts) + 1, 120 - as.vector(counts), lower.tail = FALSE)
  expect_equal(together$conf.high, pmin(1, (high - mechanism$q) / mechanism$p_minus_q))
})

test_that("an interval above 0 and its p-value never disagree", {
  set.seed(9)
  truth <- sample(24, 4000, TRUE, c(9, 5, 3, 2, rep(0.3, 20)))
  mechanisms <- list(rr_grr(24, epsilon = 1), rr_grr(24, p = 0.01), rr_unary(24, 1), rr_unary(24, p = 0.2, q = 0.5), rr_local_hash(24, 1),
                     rr_subset(24, 1), rr_hadamard(24, 1), rr_hadamard(24, 1, blocks = 4), rr_bitflip(24, 2, d = 6), rr_hierarchy(24, 2),
                     rr_geometric(24, 1.5), rr_bloom(24, 2))
  # 400 reports of one bit in blocks of signs are the hardest.
  mechanisms <- c(mechanisms, rep(list(rr_hadamard(24, 2, blocks = 4)), 5))
  for (m in mechanisms) for (target in c("population", "sample")) for (n in c(60, 400, 4000)) {
    top <- rr_top(rr_perturb(truth[seq_len(n)], m, rng = "R"), n = Inf, mechanism = m, target = target)
    error <- 0.05 * top$rank / (2 * 24)
    exact <- law_gives(rr_law(m), "exact")
    above <- top$conf.low > 0
    expect_false(any(above & top$p.value > error), label = class(m)[1])
    # What is above 0 by rank is present by Benjamini and Hochberg's rule, whose limits are twice as large.
    expect_true(all(top$present[above]))
    if (exact) expect_identical(above, top$p.value < error, label = class(m)[1])
  }
})

test_that("of the first 1, 5 and 50 rows at most 5 in 100 are wrong, where counts are small", {
  # 400 tallies of the design that Wilson's interval at the level of all failed most: expected counts of 2. An error of
  # 0.05 has a standard error of 0.011 in the first row, and is allowed two of these.
  withr::local_seed(19)
  mechanism <- rr_grr(2000, epsilon = 2)
  truth <- zipf_shares(2000, 1.1)
  # Tallies are groups, each of which is ranked alone.
  counts <- rmultinom(400, 4000, mechanism$q + mechanism$p_minus_q * truth)
  top <- rr_top(rr_counts(counts, mechanism), n = 50)
  alone <- rr_top(rr_counts(counts[, 7], mechanism), n = 50)
  expect_equal(as.list(top[top$group == "7", names(alone)]), as.list(alone), ignore_attr = TRUE)
  at <- truth[as.integer(top$term)]
  wrong <- matrix(at < top$conf.low | at > top$conf.high, 50)
  expect_true(all(c(mean(wrong[1, ]), mean(wrong[1:5, ]), mean(wrong)) <= 0.05 + 2 * 0.011))
})

test_that("all intervals hold together where counts are small, with simultaneous = TRUE", {
  # Of 100 tallies; Wilson's held in 12 of them; 0.95 less two standard errors of 0.022.
  withr::local_seed(20)
  mechanism <- rr_grr(2000, epsilon = 2)
  truth <- zipf_shares(2000, 1.1)
  # Each alone: groups of one tally would hold together too.
  hold <- replicate(100, {
    tally <- rr_counts(drop(rmultinom(1, 4000, mechanism$q + mechanism$p_minus_q * truth)), mechanism)
    bounds <- confint(rr_estimate(tally, method = "inv", simultaneous = TRUE))
    all(bounds[, 1] <= truth & truth <= bounds[, 2])
  })
  expect_gte(mean(hold), 0.95 - 2 * 0.022)
})

test_that("the false discovery rate holds where 95 of 100 categories are empty", {
  # 300 surveys; the mean false discovery proportion then has a standard error of about .006, so .05 + .018.
  withr::local_seed(5)
  mechanism <- rr_grr(100, epsilon = 3)
  truth <- c(rep(0.2, 5), rep(0, 95))
  reported <- mechanism$q + mechanism$p_minus_q * truth
  # Surveys are groups, in each of which the rate is controlled.
  top <- rr_top(rr_counts(rmultinom(300, 2000, reported), mechanism), n = Inf)
  false <- vapply(split(top, top$group), function(top) {
    found <- as.integer(top$term[top$present])
    if (length(found)) mean(found > 5) else 0
  }, 0)
  expect_length(false, 300)
  expect_lt(mean(false), 0.068)
})

test_that("groups, other channels and designs against the truth are ranked too", {
  grouped <- rr_top(rr_counts(cbind(a = c(30, 50, 20), b = c(50, 20, 30)), rr_grr(3, p = 0.6)), n = 2)
  expect_identical(grouped$group, c("a", "a", "b", "b"))
  expect_identical(grouped$rank, c(1L, 2L, 1L, 2L))
  expect_identical(grouped$term, c("2", "1", "1", "3"))
  channel <- rr_top(rr_counts(c(500, 300, 200), rr_geometric(3, 1)), n = 3)
  expect_true(all(is.finite(channel$p.value)))
  against <- rr_top(rr_counts(c(10, 50, 40), rr_grr(3, p = 0.1)), n = 1)
  expect_identical(against$term, "1")
  expect_refused(rr_top(rr_counts(1:3, rr_grr(3, p = 0.6)), n = 0), rr_top(rr_counts(1:3, rr_grr(3, p = 0.6)), adjust = "x"),
                 rr_top(rr_counts(1:3, rr_grr(3, p = 0.6)), alpha = 5))
})

test_that("categories of protocols without counts of their own are tested by the error of an absent one", {
  set.seed(3)
  truth <- sample(12, 6000, TRUE, c(5, 3, 2, 1, 1, rep(0, 7)))
  for (m in list(rr_hadamard(12, 3, blocks = 3), rr_bitflip(12, 3, d = 4), rr_hierarchy(12, 3))) {
    top <- rr_top(rr_perturb(truth, m, rng = "R"), n = 12, mechanism = m)
    expect_identical(top$term[1], "1")
    expect_true(all(top$present[1:2]))
    # Seven absent categories, false discovery rate 0.05: more than two found are hardly chance.
    expect_lte(sum(top$present & as.integer(top$term) > 5), 2)
  }
  expect_error(rr_top(c(4, 5, 6), mechanism = rr_mean(c(0, 10), 1)), "one question", class = "candor_error_argument")
})

test_that("pictures that are sorted by size show the limits by rank and say so", {
  skip_if_not_installed("ggplot2")
  set.seed(4)
  tally <- rr_counts(drop(rmultinom(1, 3000, c(9, 5, 3, rep(1, 57)))), rr_grr(paste0("v", 1:60), epsilon = 3))
  top <- rr_top(tally, n = Inf)
  for (order in list(NULL, TRUE)) {
    picture <- ggplot2::autoplot(rr_estimate(tally, method = "inv"), order = order)
    at <- match(top$term, picture$data$term)
    expect_equal(picture$data$conf.low[at], pmax(top$conf.low, 0.5 / 3000))
    expect_equal(picture$data$conf.high[at], top$conf.high)
  }
})

test_that("the study: the first 1, 10 and 100 rows hold by rank in every cell, Wilson's do not, and two cells come out again", {
  table <- read_study("selection.csv")
  here <- new.env()
  sys.source(study_file("selection.R"), here)
  cells <- here$selection_cells()
  expect_equal(table[c("truth", "k", "n", "epsilon", "mechanism")], cells[c("truth", "k", "n", "epsilon", "mechanism")], ignore_attr = TRUE)
  expect_true(all(table[c("rank.10", "rank.100")] >= 0.93, na.rm = TRUE))
  # One cell of 60 tallies has 0.90 for the first row, with a standard error of 0.04. What stood below 0.95 was drawn again, 600 tallies.
  expect_true(all(ifelse(table$rank.1 < 0.95, table$again.1, table$rank.1) >= 0.93))
  expect_equal(sum(table$rank.1 < 0.93), 1)
  expect_lt(min(table$wilson.1), 0.1)
  # ?rr_estimate: of the ten largest estimates of 5,000 categories.
  expect_equal(round(colMeans(table[table$k == 5000, c("wilson.10", "rank.10")]), 2), c(0.27, 0.99), ignore_attr = TRUE)
  for (at in c(which(cells$k == 20 & cells$mechanism == "grr")[2], which(cells$k == 300 & cells$mechanism == "local hash")[3])) {
    # The study draws the counts of local hashing independently: their sum varies less than in reports.
    expect_equal(suppressWarnings(here$run_selection(cells[at, ]), "candor_warning_unlikely"), table[at, names(table) != "again.1"], ignore_attr = TRUE)
  }
})

test_that("a fit while looking is ranked by limits that hold at all looks, the union of the K categories", {
  mechanism <- rr_grr(c("a", "b", "c", "d"), epsilon = 2)
  counts <- c(500, 300, 250, 120)
  fit <- rr_estimate(rr_counts(counts, mechanism), interval = "anytime")
  top <- rr_top(fit)
  b <- rr_matrix(mechanism)[[1, 2]]
  a <- rr_matrix(mechanism)[[1, 1]] - b
  # The limit of rank r is where the mixture is K / (0.05 r) times the likelihood.
  ratio <- function(m, s, n) lbeta(0.5 + s, 0.5 + n - s) - lbeta(0.5, 0.5) - s * log(m) - (n - s) * log1p(-m)
  n <- sum(counts)
  expect_equal(ratio(b + a * top$conf.high, counts, n), log(4 / (0.05 * 1:4)), tolerance = 1e-6)
  expect_equal(ratio(b + a * top$conf.low, counts, n)[1:2], log(4 / (0.05 * 1:2)), tolerance = 1e-6)
  expect_true(all(top$conf.low[4] == 0, top$conf.low <= confint(fit)[, 1], top$conf.high >= confint(fit)[, 2]))
  expect_equal(top$p.value, ifelse(counts / n > b, pmin(1, exp(-ratio(b, counts, n))), 1), tolerance = 1e-9)
  expect_true(all((top$conf.low > 0) == (top$p.value < 0.05 * top$rank / 4)))
  expect_output(print(top), "anytime-valid intervals by rank")
  expect_output(print(top), "wrong,\\s+at\\s+all\\s+looks")
  expect_match(ggplot2::autoplot(top)$labels$caption, "at all looks")
  # Others have half of the error on the upper side, and no word of looks.
  expect_false(any(grepl("looks", capture.output(print(rr_top(fit$tally))))))
  # Any channel has the asymptotic limits at these levels; few reports have none, and show nobody.
  channel <- rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.15, 0.05, 0.8)))
  fit <- rr_estimate(rr_counts(c(700, 450, 350), channel), method = "inv", interval = "anytime", plan = 900)
  top <- rr_top(fit)
  half <- top$std.error * candor:::anytime_quantile(1 - 0.05 * 1:3 / 3, 1500, 900)
  expect_equal(c(top$conf.low, top$conf.high), top$estimate + c(-half, half), tolerance = 1e-9)
  few <- suppressMessages(rr_top(suppressMessages(rr_estimate(rr_counts(c(30, 20, 10), channel), interval = "anytime"))))
  expect_true(all(is.na(few$conf.low), few$p.value == 1, !few$present))
  expect_error(rr_top(fit, target = "sample"), class = "candor_error_argument")
})

test_that("of the first rows at most 5 in 100 limits of an anytime list are wrong at any look", {
  skip_on_cran()
  set.seed(7)
  mechanism <- rr_grr(20, epsilon = 2)
  share <- prop.table(seq_len(20)^-1)
  looks <- c(50, 150, 400, 1000, 3000)
  wrong <- replicate(60, {
    reports <- sample(20, max(looks), TRUE, drop(share %*% rr_matrix(mechanism)))
    each <- vapply(looks, function(n) {
      fit <- rr_estimate(rr_counts(tabulate(reports[seq_len(n)], 20), mechanism), method = "inv", interval = "anytime")
      top <- rr_top(fit, Inf)
      truth <- share[match(top$term, mechanism$levels)]
      cumsum(top$conf.low > truth | top$conf.high < truth)[c(1, 5, 20)] / c(1, 5, 20)
    }, numeric(3))
    apply(each, 1, max)
  })
  # 5 in 100 at most, and four standard errors of 60 runs of which each is wrong or not.
  expect_true(all(rowMeans(wrong) <= 0.05 + 4 * sqrt(0.05 * 0.95 / 60)))
})

test_that("standard errors of the list are those of both targets, by hand, in groups too", {
  mechanism <- rr_grr(4, epsilon = 1)
  counts <- cbind(a = c(60, 45, 50, 45), b = c(90, 30, 60, 20))
  m <- counts / 200
  theta <- (m - mechanism$q) / mechanism$p_minus_q
  # Of reports that are drawn, with n - 1; of fixed truths the variances of p for theta and of q for the others.
  error <- list(
    population = sqrt(m * (1 - m) / 199) / mechanism$p_minus_q,
    sample = sqrt((theta * mechanism$p * (1 - mechanism$p) + (1 - theta) * mechanism$q * (1 - mechanism$q)) / 200) / mechanism$p_minus_q
  )
  for (target in names(error)) {
    both <- rr_top(rr_counts(counts, mechanism), n = 3, target = target)
    expect_equal(both$std.error, error[[target]][cbind(as.integer(both$term), rep(1:2, each = 3))], tolerance = 1e-10)
    one <- rr_top(rr_counts(counts[, "b"], mechanism), n = 2, target = target)
    expect_equal(one$std.error, error[[target]][as.integer(one$term), 2], tolerance = 1e-10)
    expect_identical(glance(both)$target, target)
    expect_identical(nobs(both), 400)
  }
})

test_that("each category has the tail of its own chance, which is 1 where no report speaks for it", {
  expect_equal(upper_tails(c(0, 3, 10), 0.5, 0.2, 10), c(1, pbinom(2, 10, 0.2, lower.tail = FALSE), 0.2^10))
  # Fewer reports than expected speak for a truth that is the least likely report.
  expect_equal(upper_tails(c(0, 3, 10), -0.5, 0.6, 10), c(0.4^10, pbinom(3, 10, 0.6), 1))
  forced <- c(a = 0.2, b = 0.1, c = 0.3)
  top <- rr_top(rr_counts(c(31, 21, 49), rr_forced(forced)))
  expect_identical(top$term, c("c", "b", "a"))
  expect_equal(top$p.value, pbinom(c(48, 20, 30), 101, forced[top$term], lower.tail = FALSE), ignore_attr = TRUE)
  expect_null(c(names(top$p.value), names(top$p.adjusted), names(top$conf.low), names(top$estimate)))
})

test_that("whole counts are positions themselves, others are matched", {
  expect_identical(different_counts(c(0, 2, 2, 5, 1, 0)), list(values = c(0, 1, 2, NA, NA, 5), index = c(1L, 3L, 3L, 6L, 2L, 1L)))
  expect_identical(different_counts(c(0.5, 2, 2)), list(values = c(0.5, 2), index = c(1L, 2L, 2L)))
  expect_identical(different_counts(c(7, 7, 1)), list(values = c(7, 1), index = c(1L, 1L, 2L)))
})

test_that("any channel has limits by rank: the lower one at the error by rank, the upper one that of the fit", {
  fit <- rr_estimate(rr_counts(cbind(x = c(40, 35, 30, 20, 60), y = c(90, 20, 40, 25, 30)), rr_geometric(5, 1)), method = "inv")
  top <- rr_top(fit, n = 3)
  expect_identical(top$rank, rep(1:3, 2))
  terms <- paste(top$group, top$term, sep = ":")
  expect_equal(top$conf.high, confint(fit)[terms, 2], ignore_attr = TRUE)
  low <- mapply(function(term, rank) confint(fit, level = 1 - 0.05 * rank / 5)[term, 1], terms, top$rank)
  expect_equal(top$conf.low, low, ignore_attr = TRUE)
})

test_that("reports that are unlikely are told once: by the fit, or by the list if there is no fit", {
  tally <- rr_counts(c(990, 20), rr_warner(0.8))
  expect_warning(list <- rr_top(tally), class = "candor_warning_unlikely")
  fit <- suppressWarnings(rr_estimate(tally), classes = "candor_warning_unlikely")
  expect_no_warning(of_fit <- rr_top(fit))
  expect_identical(as.data.frame(of_fit), as.data.frame(list))
})
