# Every survey shipped with the package, estimated to the figures published for it. The published digits
# set the tolerance: half a unit of the last one (and one ulp of slack for the comparison itself).

published <- function(object, value, digits) expect_lt(max(abs(unname(object) - value)), 0.5 * 10^-digits + 1e-12)

estimate_row <- function(row, method = "mle") rr_estimate(rr_counts(c(no = row$no, yes = row$yes), rr_binary(row$p, row$q)), method = method)

yes <- function(fit) {
  table <- tidy(fit)
  table[table$term == "yes", ]
}

test_that("the tables have the documented columns, orientation and totals", {
  for (survey in list(nigeria_survey, plagiarism_survey, exam_survey, dice_survey, minaret_survey)) {
    expect_identical(names(survey)[2:6], c("design", "p", "q", "no", "yes"))
    expect_true(all(survey$no >= 0 & survey$yes >= 0))
    expect_true(all(survey$q >= 0 & survey$q <= 1))
    expect_true(all(survey$design != "direct" | (survey$p == 1 & survey$q == 0)))
  }
  size <- function(survey) survey$no + survey$yes
  expect_identical(names(benefit_survey), c("item1", "item2", "p", "q", "count"))
  expect_identical(sum(benefit_survey$count), 412)
  expect_identical(size(nigeria_survey), 2457 - 22)
  expect_identical(size(plagiarism_survey), c(310, 96, 310, 96))
  expect_identical(size(exam_survey), rep(c(722, 695, 720), 5))
  expect_identical(size(dice_survey), c(40, 35, 34, 17, 729, 534, 539, 364))
  expect_identical(sum(size(minaret_survey)), 1621)
})

test_that("Nigeria: .26191 (.01441)", {
  fit <- yes(estimate_row(nigeria_survey))
  published(fit$estimate, 0.26191, 5)
  published(fit$std.error, 0.01441, 5)

  forced <- rr_estimate(rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)))
  expect_equal(coef(forced), coef(estimate_row(nigeria_survey)), tolerance = 1e-14)
})

test_that("plagiarism: crosswise .2226 (.0547) and .0161 (.0498), direct 7 and 1 of 96", {
  # Published with the unbiased variance (N - 1), which is that of the inversion
  fits <- lapply(seq_len(4), function(i) yes(estimate_row(plagiarism_survey[i, ], "inv")))
  estimate <- vapply(fits, function(fit) fit$estimate, 0)
  published(estimate[c(1, 3)], c(0.2226, 0.0161), 4)
  published(vapply(fits[c(1, 3)], function(fit) fit$std.error, 0), c(0.0547, 0.0498), 4)
  expect_equal(estimate[c(2, 4)], c(7, 1) / 96, tolerance = 1e-14)

  by_name <- rr_estimate(rr_counts(c(no = 112, yes = 198), rr_crosswise(0.25)))
  expect_equal(unname(coef(by_name)["yes"]), estimate[1], tolerance = 1e-14)
})

test_that("exams and papers: the two forced-response groups pool to .246 .158 -.004 .027 -.020", {
  forced <- subset(exam_survey, design == "forced response")
  pooled <- vapply(unique(forced$item), function(item) {
    rows <- forced[forced$item == item, ]
    fits <- lapply(1:2, function(i) yes(estimate_row(rows[i, ], "inv")))
    weight <- vapply(fits, function(fit) 1 / fit$std.error^2, 0)
    sum(weight * vapply(fits, function(fit) fit$estimate, 0)) / sum(weight)
  }, 0)
  published(pooled, c(0.246, 0.158, -0.004, 0.027, -0.020), 3)

  # Inversion hides no negative estimate, and maximum likelihood has none
  inv <- vapply(seq_len(nrow(forced)), function(i) yes(estimate_row(forced[i, ], "inv"))$estimate, 0)
  mle <- vapply(seq_len(nrow(forced)), function(i) yes(estimate_row(forced[i, ]))$estimate, 0)
  expect_identical(sum(inv < 0), 3L)
  expect_equal(mle, pmax(inv, 0), tolerance = 1e-12)
})

test_that("dice game: the documented shares among cheaters and the honest", {
  inv <- vapply(seq_len(8), function(i) yes(estimate_row(dice_survey[i, ], "inv"))$estimate, 0)
  published(inv, c(0.411, 0.605, 0.451, 0.706, -0.043, 0.088, 0.149, 0.008), 3)
})

test_that("minarets: stochastic lie detector .8707 (.0411) and .6358 (.0173)", {
  groups <- subset(minaret_survey, design != "direct")
  q <- groups$q
  n <- groups$yes + groups$no
  lambda <- groups$yes / n
  width <- q[1] - q[2]
  share <- 1 - (lambda[1] - lambda[2]) / width
  honesty <- (q[1] * lambda[2] - q[2] * lambda[1]) / (width * share)
  slope_share <- c(-1, 1) / width
  slope_honesty <- (c(-q[2], q[1]) / width - honesty * slope_share) / share
  se <- function(slope) sqrt(sum(slope^2 * lambda * (1 - lambda) / n))
  published(c(share, honesty, se(slope_share), se(slope_honesty)), c(0.8707, 0.6358, 0.0411, 0.0173), 4)

  # Given the honesty each group alone is an ordinary design and returns the same share
  groups$p <- honesty
  expect_equal(vapply(1:2, function(i) coef(estimate_row(groups[i, ]))[["yes"]], 0), rep(share, 2), tolerance = 1e-12)
})

test_that("benefits: margins, and the joint boundary case", {
  kuk <- rr_kuk(0.8, 0.2)
  item1 <- rr_estimate(rr_counts(xtabs(count ~ item1, benefit_survey), kuk))
  item2 <- rr_estimate(rr_counts(xtabs(count ~ item2, benefit_survey), kuk))
  published(coef(item1)["yes"], 0.1521, 4)
  published(coef(item2)["yes"], 0.3584, 4)

  joint <- rr_counts(xtabs(count ~ item1 + item2, benefit_survey), rr_product(item1 = kuk, item2 = kuk))
  inversion <- as.vector(as.table(rr_estimate(joint, method = "inv")))
  mle <- as.vector(as.table(rr_estimate(joint)))
  # First item fastest: no/no, yes/no, no/yes, yes/yes
  published(inversion, c(0.6667, -0.0251, 0.1812, 0.1772), 4)
  published(mle, c(0.6449, 0, 0.1901, 0.1650), 4)

  # The same by hand: inversion on the 4 x 4 channel, and the conditions of a maximum (gradient 1 on the
  # support, at most 1 on the empty cell)
  channel <- unname(kronecker(rr_matrix(kuk), rr_matrix(kuk)))
  reported <- as.vector(xtabs(count ~ item1 + item2, benefit_survey)) / 412
  expect_equal(inversion, as.vector(solve(t(channel), reported)), tolerance = 1e-12)
  gradient <- as.vector(channel %*% (reported / as.vector(crossprod(channel, mle))))
  expect_equal(gradient[-2], rep(1, 3), tolerance = 1e-6)
  expect_lt(gradient[2], 1)
})

test_that("the simulated survey is what its page says", {
  expect_identical(dim(exam_simulated), c(2000L, 7L))
  expect_identical(levels(exam_simulated$cheating), c("never", "once", "often"))
  # Reports are the truth with the stated probabilities: .8 of three, 5/6 of two.
  kept <- c(mean(exam_simulated$cheating == exam_simulated$true_cheating), mean(exam_simulated$plagiarism == exam_simulated$true_plagiarism))
  expect_true(all(abs(kept - c(0.8, 5 / 6)) < 4 * sqrt(0.8 * 0.2 / 2000)))
})
