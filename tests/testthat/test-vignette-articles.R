# The numbers that the text of vignettes/articles/compliance.Rmd, choosing.Rmd and rappor.Rmd names.

tally_of <- function(row, mechanism = rr_binary(row$p, row$q)) rr_counts(c(no = row$no, yes = row$yes), mechanism)

test_that("compliance: the mirrored halves, the anchor and the devices that are too alike", {
  honest <- subset(dice_survey, truth == "honest" & design == "forced response")
  expect_equal(round(honest$q * (honest$no + honest$yes)), 121.5, tolerance = 0.01)
  halves <- c(low = coef(rr_estimate(rr_counts(c(no = 36, yes = 136), rr_crosswise(1 / 4)), method = "inv"))[["yes"]],
              high = coef(rr_estimate(rr_counts(c(no = 117, yes = 53), rr_crosswise(3 / 4)), method = "inv"))[["yes"]])
  # (136 / 172 - 3/4) / (1/4 - 3/4) and (53 / 170 - 1/4) / (3/4 - 1/4), by hand.
  expect_equal(halves, c(low = -2 * (136 / 172 - 0.75), high = 2 * (53 / 170 - 0.25)))
  expect_equal(unname(round(halves, 2)), c(-0.08, 0.12))
  crosswise <- subset(dice_survey, truth == "honest" & design == "crosswise")[1, ]
  inattentive <- coef(rr_estimate(tally_of(crosswise, rr_anchor(rr_crosswise(crosswise$p)))))[["inattentive"]]
  expect_equal(inattentive, (crosswise$q - crosswise$yes / (crosswise$no + crosswise$yes)) / (crosswise$q - 1 / 2))
  dice <- subset(exam_survey, item == "copied" & design != "direct")
  fit <- rr_estimate(list(tally_of(dice[1, ], rr_cheater_detection(1 / 6, 1 / 6)), tally_of(dice[2, ], rr_cheater_detection(1 / 6, 1 / 12))))
  cheating <- subset(tidy(fit, type = "parameters"), term == "cheating")
  expect_equal(round(c(cheating$conf.low, cheating$conf.high), 2), c(0, 0.64))
})

test_that("choosing: k-ary randomized response is 34 times worse with a thousand categories, others within a per cent", {
  table <- rr_recommend(1000, epsilon = 2, n = 1e5)
  within <- stats::setNames(table$within, table$mechanism)
  expect_equal(round(1 + within[["grr"]]), 34)
  expect_true(all(within[c("projective", "oue", "olh")] < 0.01))
  expect_equal(table$bits[table$mechanism == "hadamard"], 11)
  expect_equal(round(table$bits[table$mechanism == "projective"]), 12)
  expect_identical(table$tally[table$mechanism == "projective"], table$tally[table$mechanism == "hadamard"])
})

test_that("rappor: epsilon of many reports approaches that of the permanent answer", {
  rappor <- rr_bloom(50, epsilon = 2, permanent = 4, bits = 32, hashes = 2, cohorts = 16, key = 7)
  levels <- vapply(c(1, 2, 5, 20), function(reports) rr_epsilon(rappor, reports = reports), 0)
  expect_equal(round(levels, 3), c(2, 3.223, 3.974, 4))
  # "among 12 million strings of up to five letters"
  expect_equal(round(sum(26^(1:5)) / 1e6), 12)
})
