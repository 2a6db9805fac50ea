# Every number printed in vignettes/privacy.Rmd. A value is asserted to its printed digits.

test_that("the odds factor and what it does to a suspicion", {
  expect_identical(round(exp(c(0.5, 1, 2, 4, 8)), 1), c(1.6, 2.7, 7.4, 54.6, 2981))
  odds <- exp(1) * 1 / 9
  expect_equal(round(odds / (1 + odds), 2), 0.23)
})

test_that("the posteriors of the Nigerian survey", {
  table <- predict(rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6))))
  yes <- table[table$term == "yes", ]
  expect_equal(round(yes$posterior[yes$report == "yes"], 2), 0.64)
  expect_equal(round(yes$posterior[yes$report == "no"], 2), 0.07)
  expect_equal(round(yes$share[1], 2), 0.26)
})

test_that("designs and ledgers add up", {
  expect_identical(rr_epsilon(rr_triangular(0.25)), Inf)
  both <- rr_product(drugs = rr_warner(epsilon = 1), theft = rr_warner(epsilon = 0.5))
  expect_equal(rr_epsilon(both)[["total"]], 1.5)
  expect_equal(rr_epsilon(list(both, rr_warner(epsilon = 2))), 3.5)
  chain <- rr_compose(rr_grr(5, epsilon = 2), rr_grr(5, epsilon = 1))
  expect_equal(rr_epsilon(list(chain, rr_warner(0.75))), c(report = rr_epsilon(chain)[["report"]] + log(3), kept = 2, each_round = log(3)))
  yearly <- list(daily = rr_longitudinal(5, permanent = 2, epsilon = 1), asked = rr_grr(5, epsilon = 1))
  expect_equal(rr_epsilon(yearly), c(report = 2, kept = 2, each_round = 1))
  expect_equal(round(rr_epsilon(yearly, reports = c(daily = 365, asked = 2)), 4), 4)
  expect_refused(rr_epsilon(list()), rr_epsilon(list(1)))
  ledger <- list(spring = rr_grr(5, epsilon = 1), summer = rr_grr(5, epsilon = 1), autumn = rr_warner(0.75))
  expect_equal(as.numeric(rr_epsilon(ledger)), 2 + log(3))
  expect_equal(round(rr_epsilon(rr_forced(1 / 6)), 2), 1.61)
})
