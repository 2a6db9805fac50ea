# What rr_estimate() chooses, keeps and refuses.

counts <- c(a = 500, b = 300, c = 200)
grr <- rr_grr(c("a", "b", "c"), 2)

test_that("an update keeps what was asked for, but for an interval that another method may not have", {
  fit <- rr_estimate(rr_counts(counts, grr), interval = "exact", conf.level = 0.9, simultaneous = TRUE)
  asked <- function(fit) unclass(fit)[c("method", "target", "interval", "conf.level", "simultaneous")]
  expect_identical(asked(update(fit)), list(method = "mle", target = "population", interval = "exact", conf.level = 0.9, simultaneous = TRUE))
  other <- update(fit, method = "inv")
  expect_identical(c(other$method, other$interval), c("inv", "wilson"))
  expect_identical(other$conf.level, 0.9)
  expect_identical(update(fit, target = "sample")$interval, "wilson")
  expect_identical(update(fit, conf.level = 0.8)$conf.level, 0.8)
  expect_identical(update(fit, method = "inv", interval = "wald")$interval, "wald")
  looking <- rr_estimate(rr_counts(counts, grr), interval = "anytime", plan = 300)
  expect_identical(update(looking, conf.level = 0.8)$plan, 300)
  # Functions of anytime intervals are of the fit by inversion, at the same level and plan.
  base <- anytime_fit(looking)
  expect_identical(c(base$method, base$interval), c("inv", "anytime"))
  expect_identical(base$plan, 300)
  expect_identical(anytime_fit(fit), fit)
  expect_identical(anytime_fit(base), base)
})

test_that("simultaneous limits of groups that were taken out hold for all groups after an update too", {
  fit <- rr_estimate(rr_counts(cbind(x = c(no = 7, yes = 30), y = c(60, 41), z = c(5, 9)), rr_warner(0.8)), simultaneous = TRUE)
  expect_equal(confint(update(fit["x"], conf.level = 0.9)), confint(update(fit, conf.level = 0.9))[1:2, ])
  # Six estimates share the error.
  alone <- rr_estimate(rr_counts(c(no = 7, yes = 30), rr_warner(0.8)), interval = "exact")
  expect_equal(confint(update(fit["x"], conf.level = 0.9)), confint(alone, level = 1 - 0.1 / 6), ignore_attr = TRUE)
})

test_that("an update keeps the options of the method, and the number of replications", {
  tally <- rr_counts(counts, grr)
  # Two steps of the update by hand, from equal shares.
  C <- rr_matrix(grr)
  step <- function(theta) theta * drop(C %*% (counts / 1000 / drop(theta %*% C)))
  fit <- rr_estimate(tally, method = "ibu", iterations = 2, interval = "wald")
  expect_equal(coef(update(fit, conf.level = 0.9)), step(step(rep(1 / 3, 3))), ignore_attr = TRUE, tolerance = 1e-12)
  # Shares that are not above the noise at this level are 0.
  few <- rr_estimate(rr_counts(c(a = 500, b = 300, c = 130), grr), method = "base_cut", alpha = 1e-9)
  expect_identical(coef(update(few, conf.level = 0.9)), coef(few))
  expect_gt(sum(coef(update(few, alpha = 0.99)) > 0), sum(coef(few) > 0))
  expect_identical(update(few, method = "mle")$method, "mle")
  drawn <- rr_estimate(tally, interval = "bootstrap", replications = 21)
  expect_identical(ncol(update(drawn, conf.level = 0.9)$replicates[[1]]), 21L)
})

test_that("the default interval has the estimate in its centre: profile if there are spare reports", {
  wide <- rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.1, 0.2, 0.7)), levels = c("no", "yes"), reports = c("x", "y", "z"))
  kind <- function(mechanism, ...) rr_estimate(rr_counts(c(300, 250, 250), mechanism), ...)$interval
  expect_identical(c(kind(wide), kind(wide, method = "inv"), kind(wide, target = "sample"), kind(grr)), c("profile", "wilson", "wilson", "wilson"))
  # The update ends near that maximum.
  expect_identical(c(kind(wide, method = "ibu"), kind(grr, method = "ibu")), c("profile", "wilson"))
  expect_identical(fit_default_interval(rr_estimate(rr_counts(c(300, 250, 250), wide))), "profile")
})

test_that("arguments at their bounds; a tally takes nothing that is about its rows", {
  tally <- rr_counts(counts, grr)
  expect_refused(rr_estimate(tally, conf.level = 1), rr_estimate(tally, plan = 0.9), rr_estimate(tally, simultaneous = NA),
    rr_estimate(tally, target = "people"),
                 rr_estimate(tally, interval = "normal"), rr_estimate(tally, other = 1), rr_estimate(tally, weights = "w"), rr_estimate(tally, by = "g"),
                   rr_estimate(tally, na.rm = TRUE),
                 rr_estimate(tally, column = "x"), rr_estimate(tally, count = "n"), rr_estimate(c("a", "b")),
                   rr_estimate(tally, interval = "bootstrap", replications = 19))
  expect_error(rr_estimate(tally, rr_grr(c("a", "b", "c"), 1)), class = "candor_error_mismatch")
  expect_identical(coef(rr_estimate(tally, grr)), coef(rr_estimate(tally)))
  expect_length(rr_estimate(tally, interval = "bootstrap", replications = 20)$replicates, 1)
  expect_identical(dim(rr_estimate(tally, interval = "bootstrap", replications = 20)$replicates[[1]]), c(3L, 20L))
  # Tallies of several rounds are pooled.
  expect_equal(coef(rr_estimate(list(tally, tally))), coef(rr_estimate(tally)))
  reports <- rep(c("a", "b", "c", NA), c(5, 3, 2, 1))
  expect_error(rr_estimate(reports, grr), class = "candor_error_missing")
  expect_identical(suppressWarnings(rr_estimate(reports, grr, na.rm = TRUE))$tally$n, 10)
})

test_that("a fit by group is that of each group, with the doubt of each", {
  both <- suppressWarnings(rr_estimate(rr_counts(cbind(u = counts, v = c(990, 5, 5)), grr)))
  expect_equal(unname(both$estimate[, "u"]), unname(coef(rr_estimate(rr_counts(counts, grr)))), tolerance = 1e-12)
  expect_identical(class(both)[1:3], c("rr_fit_grr", "rr_fit", "rr_estimates"))
  # Nobody could report "b" or "c" so rarely: p = .787, and each other by .107 at least.
  expect_identical(nzchar(both$doubt), c(FALSE, TRUE))
  warned <- tryCatch(rr_estimate(rr_counts(cbind(u = counts, v = c(990, 5, 5)), grr)), warning = identity)
  expect_s3_class(warned, "candor_warning_unlikely")
  expect_match(paste(conditionMessage(warned), collapse = " "), "\"v\"")
  expect_silent(estimate_quietly(rr_counts(c(990, 5, 5), grr)))
  expect_identical(warn_doubt(list(doubt = "", a = 1)), list(doubt = "", a = 1))
})

test_that("candidates of a sketch: different strings", {
  sketch <- rr_count_mean_sketch(3, hashes = 4, cohorts = 8) |> tryCatch(error = function(e) rr_count_mean_sketch(3))
  reports <- withr::with_seed(4, rr_perturb(rep(c("tea", "coffee"), c(300, 200)), sketch, rng = "R"))
  tally <- rr_tally(reports, sketch)
  expect_refused(rr_estimate(tally), rr_estimate(tally, candidates = c("tea", "tea")), rr_estimate(tally, candidates = c("tea", NA)),
    rr_estimate(tally, candidates = 1),
                 rr_estimate(tally, candidates = character()), rr_estimate(tally, candidates = "tea", method = "mle"),
                   rr_estimate(tally, candidates = "tea", interval = "exact"))
  found <- rr_estimate(tally, candidates = factor(c("tea", "water")))
  expect_identical(found$mechanism$levels, c("tea", "water"))
  # Five standard errors.
  expect_lt(abs(coef(found)[["tea"]] - 0.6), 5 * tidy(found)$std.error[1])
})

test_that("an estimate takes the identifiers of reports as a tally does", {
  data <- data.frame(r = c("no", "yes", "yes", "no"), sender = c(1, 2, 2, 3))
  once <- suppressMessages(rr_estimate(data, rr_warner(0.8), column = "r", id = "sender"))
  expect_identical(once$tally$n, 3)
  expect_error(rr_estimate(once$tally, id = "sender"), class = "candor_error_argument")
  skip_if_not_installed("survey")
  design <- survey::svydesign(ids = ~1, weights = ~1, data = data)
  expect_error(rr_estimate(design, rr_warner(0.8), column = ~r, id = ~sender), class = "candor_error_argument")
})

test_that("channels with more reports than truths have the profile interval up to 500 truths", {
  kind <- function(k) {
    mechanism <- rr_channel(cbind(0.5 * diag(k), 0.5))
    default_interval(mechanism, list(likelihood = TRUE), "population", rr_law(mechanism))
  }
  expect_identical(c(kind(500), kind(501)), c("profile", "wilson"))
})

test_that("one question of many: each has the estimate of those who drew it, and somebody must have; so must those held out", {
  asked <- rr_product(a = rr_warner(0.8), b = rr_warner(0.9), asked = 1)
  fits <- rr_estimate(rr_counts(c(30, 12, 18, 50, 40, 10), asked, n = 80))
  expect_equal(c(coef(fits$a)[["yes"]], coef(fits$b)[["yes"]]), c((0.6 - 0.2) / 0.6, (0.2 - 0.1) / 0.8), tolerance = 1e-10)
  expect_error(rr_estimate(rr_counts(c(30, 12, 18, 0, 0, 0), asked, n = 30)), class = "candor_error_empty")
  prefixes <- rr_prefixes(1, c(1, 2), width = 8, functions = 2)
  none <- rr_counts(numeric(length(prefixes$reports)), prefixes, n = 5)
  expect_error(rr_estimate(none, candidates = "ab"), class = "candor_error_empty")
})

test_that("dealt answers need their blocks, and have no exact interval", {
  deck <- rr_dealt(c(no = 1, yes = 2), cards = 8)
  data <- data.frame(block = rep(1:6, each = 6), report = rep(c("no", "yes", "yes"), 12))
  # 2 of 3 yes, where 2 of 8 cards say so and 5 ask for the truth.
  expect_equal(coef(rr_estimate(data, deck, column = "report"))[["yes"]], (2 / 3 - 2 / 8) / (5 / 8))
  expect_refused(rr_estimate(rr_counts(c(10, 20), deck)), rr_estimate(data, deck, column = "report", interval = "exact"))
})

test_that("an internal study is of one question and one group, or has labels in each group", {
  study <- rbind(no = c(no = 90, yes = 10), yes = c(5, 45))
  internal <- rr_misclassification(table = study, validation = "internal")
  external <- rr_misclassification(table = study)
  # The shares of all reports, and of the labels of each report.
  expect_equal(coef(rr_estimate(rr_counts(cbind(a = c(80, 20)), internal)))[["a:yes"]], (175 * 5 / 95 + 75 * 45 / 55) / 250)
  groups <- cbind(a = c(80, 20), b = c(70, 30))
  expect_refused(rr_estimate(rr_counts(groups, internal)), rr_estimate(rr_counts(1:4, rr_product(a = external, b = rr_warner(0.8)))))
  # (0.2 - 1 / 10) / (8 / 10), and so on.
  expect_equal(unname(coef(rr_estimate(rr_counts(groups, external)))[c(2, 4)]), c(0.125, 0.25))
  data <- data.frame(r = rep(c("no", "yes"), c(100, 60)), truth = rep(c("no", "yes", NA, "no", "yes", NA), c(40, 5, 55, 6, 30, 24)), g = c("a", "b"))
  fit <- rr_estimate(data, rr_misclassification(labels = "truth"), column = "r", by = "g")
  by_hand <- vapply(split(data, data$g), function(rows) sum(tapply(rows$truth == "yes", rows$r, mean, na.rm = TRUE) * prop.table(table(rows$r))), 0)
  expect_equal(coef(fit)[c("a:yes", "b:yes")], by_hand, ignore_attr = TRUE)
})

test_that("reports are kept as sets if the method needs a likelihood that counts do not have", {
  unary <- rr_unary(3, 1)
  expect_identical(c(needs_sets("mle", unary), needs_sets("mle", rr_subset(5, 1, size = 2)), needs_sets("mle", grr)), c(TRUE, TRUE, FALSE))
  expect_identical(c(needs_sets("inv", unary), needs_sets(NULL, unary), needs_sets("mle", NULL)), c(FALSE, FALSE, FALSE))
})

test_that("copies of a pair of answers count once beside an anchor question, and kinds of intervals that do not hold here are refused", {
  crosswise <- rr_crosswise(0.15)
  data <- data.frame(y = rep(0:1, c(30, 70)), a = rep_len(c(1, 1, 0, 1), 100), sender = 1:100)
  estimate <- function(data, ...) rr_estimate(data, crosswise, column = c("y", "a"), anchor = rr_anchor(crosswise), ...)
  once <- suppressMessages(estimate(data[c(1:100, 80:100, 1:10), ], id = "sender"))
  expect_equal(coef(once), coef(estimate(data)))
  expect_identical(nobs(once), 100)
  tally <- rr_counts(counts, grr)
  channel <- rr_counts(unname(counts), rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.15, 0.05, 0.8))))
  expect_refused(rr_estimate(tally, interval = "credible"), rr_estimate(tally, interval = "profile", target = "sample"),
                 rr_estimate(tally, interval = "anytime", target = "sample"))
  expect_error(rr_estimate(channel, interval = "exact"), class = "candor_error")
})
