# Every number that vignettes/joint.Rmd says in words, and the printed ones that it turns on.
printed <- function(object, value, digits) expect_equal(round(unname(object), digits), value, tolerance = 1e-12)

test_that("two items, 412 people, and an estimate that cannot be", {
  reported <- xtabs(count ~ item1 + item2, benefit_survey)
  expect_identical(as.vector(reported), c(189L, 52L, 103L, 68L) + 0)
  fit <- rr_tmdh(rr_cooccurrence(reported), rr_kuk(0.8, 0.2))
  printed(coef(fit), c(62.67, 147.67, 73), 2)
  cells <- tidy(rr_margin(fit, c("item1", "item2")), conf.int = TRUE)
  expect_identical(cells$item1, c("no", "yes", "no", "yes"))
  expect_identical(cells$conf.low[2], 0)
  given <- tidy(rr_margin(fit, "item1", given = "item2"))
  printed(given$estimate[c(2, 4)], c(-0.039, 0.494), 3)

  likely <- rr_estimate(reported, rr_product(item1 = rr_kuk(0.8, 0.2), item2 = rr_kuk(0.8, 0.2)))
  printed(coef(likely), c(0.6449, 0, 0.1901, 0.1650), 4) # van den Hout and van der Heijden (2002)
  table <- tidy(likely, conf.int = TRUE)
  printed(table$conf.high[2], 0.06, 2)
  expect_identical(is.na(table$std.error), c(FALSE, TRUE, FALSE, FALSE))
  expect_true(all(table$std.error < cells$std.error, na.rm = TRUE))

  association <- as.data.frame(rr_association(fit))
  printed(association$correlation, 0.71, 2)
  printed(association$correlation.error, 0.18, 2)
  expect_true(is.na(association$odds.ratio))
  printed(association$p.value * 1e5, 6, 0)
  chi <- chisq.test(reported, correct = FALSE)
  expect_equal(association$p.value, chi$p.value)
  printed(sqrt(chi$statistic / 412), 0.20, 2)
})

test_that("the Titanic, randomized on the spot: the known association is recovered", {
  people <- as.data.frame(Titanic)
  people <- people[rep(seq_len(nrow(people)), people$Freq), c("Class", "Sex", "Survived")]
  expect_identical(nrow(people), 2201L)
  survey <- rr_product(Class = rr_grr(levels(people$Class), epsilon = 2.5), Sex = rr_warner(0.9, levels = levels(people$Sex)),
                       Survived = rr_warner(0.9, levels = levels(people$Survived)))
  set.seed(1912)
  reports <- rr_perturb(people, survey, rng = "R")
  titanic <- rr_estimate(reports, survey)
  given <- tidy(rr_margin(titanic, "Survived", given = "Sex"))
  printed(c(given$estimate[4], given$std.error[4]), c(0.735, 0.035), 3)
  cramer <- function(x) sqrt(unname(suppressWarnings(chisq.test(x, correct = FALSE))$statistic) / sum(x) / (min(dim(x)) - 1))
  pairs <- list(c(1, 2), c(1, 3), c(2, 3))
  truth <- vapply(pairs, function(pair) cramer(table(people[pair])), 0)
  shown <- vapply(pairs, function(pair) cramer(table(reports[pair])), 0)
  estimate <- as.data.frame(rr_association(titanic))
  expect_true(all(shown / truth > 0.5 & shown / truth < 0.6))
  expect_true(all(abs(estimate$cramers.v - truth) < 2 * estimate$cramers.v.error))
})

test_that("many columns: what was built in is found", {
  set.seed(10)
  n <- 5000
  trait <- runif(n) < 0.4
  share <- outer(trait, 1:10, function(t, j) ifelse(j <= 4, ifelse(t, 0.6, 0.1), 0.3))
  truth <- matrix(rbinom(10 * n, 1, share), n, dimnames = list(NULL, paste0("item", 1:10)))
  truth[, 10] <- ifelse(runif(n) < 0.5, 1 - truth[, 9], truth[, 10])
  answers <- matrix(rbinom(10 * n, 1, 0.15 + 0.7 * truth), n, dimnames = dimnames(truth))
  many <- rr_tmdh(rr_cooccurrence(answers, order = 2), rr_warner(0.85))
  pairs <- as.data.frame(rr_association(many))
  found <- pairs[p.adjust(pairs$p.value, "holm") < 0.05, ]
  expect_identical(paste(found$x, found$y), c("item1 item2", "item1 item3", "item1 item4", "item2 item3", "item2 item4", "item3 item4", "item9 item10"))
  sets <- list(c("item1", "item2"), c("item3", "item4"))
  expect_error(vcov(many, sets = sets), class = "candor_error_order")
  fixed <- rr_tmdh(rr_cooccurrence(answers, order = 3), rr_warner(0.85), order = 2, target = "sample")
  covariance <- as.matrix(vcov(fixed))
  expect_identical(dim(covariance), c(55L, 55L))
  # By hand: 10 + 180 + 45 + 720 of 55 x 55 pairs of sets share a column
  expect_identical(sum(covariance != 0), 955L)
  printed(955 / 55^2, 0.316, 3)
})

test_that("how normal the estimates are", {
  law <- rr_law(rr_kuk(0.8, 0.1), truth = c(120, 40, 30, 10), set = 1:2)
  both <- tidy(rr_pmdh(c(120, 40, 30, 10), rr_kuk(0.8, 0.1)), target = "sample")[3, ]
  printed(c(sum(law$count * law$probability), both$estimate), c(13.2, 13.2), 8)
  z <- (law$count - both$estimate) / both$std.error
  printed(c(sum(z^3 * law$probability), sum(law$probability[abs(z) > 1.96])), c(0.191, 0.060), 3)
})
