counts_of <- function(rows, mechanism) {
  lapply(seq_len(nrow(rows)), function(i) with(rows[i, ], rr_counts(c(no = no, yes = yes), mechanism(p, q))))
}

test_that("two decks of the exam survey pooled give the published share", {
  rows <- subset(exam_survey, item == "copied" & design != "direct")
  fit <- rr_estimate(rr_pool(counts_of(rows, rr_binary)))
  # Published: .246; standard error from the information of both decks together.
  expect_equal(coef(fit)[["yes"]], 0.246, tolerance = 5e-4 / 0.246)
  share <- coef(fit)[["yes"]]
  information <- sum(vapply(1:2, function(i) {
    lambda <- with(rows[i, ], q + (p - q) * share)
    with(rows[i, ], (yes / lambda^2 + no / (1 - lambda)^2) * (p - q)^2)
  }, 0))
  expect_equal(sqrt(vcov(fit)[["yes", "yes"]]), 1 / sqrt(information), tolerance = 1e-6)
})

test_that("the pooled maximum is that of the product of the likelihoods", {
  designs <- list(rr_warner(0.8), rr_forced(1 / 6), rr_binary(1, 0))
  yes <- c(40, 35, 12)
  no <- c(60, 70, 48)
  fit <- rr_estimate(Map(function(design, y, n) rr_counts(c(no = n, yes = y), design), designs, yes, no))
  p <- c(0.8, 5 / 6, 1)
  q <- c(0.2, 1 / 6, 0)
  loglik <- function(t) sum(yes * log(q + (p - q) * t) + no * log(1 - q - (p - q) * t))
  best <- optimize(loglik, c(0.001, 0.999), maximum = TRUE, tol = 1e-12)$maximum
  expect_equal(coef(fit)[["yes"]], best, tolerance = 1e-6)
})

test_that("a direct question is a design like any other, in any order of labels, and groups stay apart", {
  a <- rr_counts(cbind(x = c(no = 60, yes = 40), y = c(50, 50)), rr_warner(0.8))
  b <- rr_counts(cbind(x = c(yes = 10, no = 30), y = c(20, 20)), rr_binary(1, 0, levels = c("no", "yes")))
  fit <- rr_estimate(rr_pool(a, direct = b))
  alone <- rr_estimate(rr_pool(rr_counts(c(no = 60, yes = 40), rr_warner(0.8)), rr_counts(c(yes = 10, no = 30), rr_binary(1, 0))))
  expect_equal(unname(coef(fit)[1:2]), unname(coef(alone)), tolerance = 1e-6)
  expect_true("direct: yes" %in% fit$mechanism$reports)
})

test_that("what cannot be pooled is refused", {
  tally <- rr_counts(c(no = 60, yes = 40), rr_warner(0.8))
  expect_error(rr_pool(tally), class = "candor_error_argument")
  expect_error(rr_pool(tally, 3), class = "candor_error_argument")
  expect_error(rr_pool(tally, rr_counts(1:3, rr_grr(3, p = 0.5))), class = "candor_error_mismatch")
  expect_error(rr_pool(tally, rr_counts(cbind(a = 1:2, b = 2:3), rr_warner(0.8))), class = "candor_error_mismatch")
})
