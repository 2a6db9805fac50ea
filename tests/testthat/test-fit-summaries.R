test_that("mean, median and quantile name the verb that answers, with a standard error", {
  wave <- rr_square_wave(seq(0, 50, 10), epsilon = 2)
  fit <- rr_estimate(rr_counts(c(10, 30, 40, 50, 20), wave), method = "inv")
  grouped <- rr_estimate(rr_counts(cbind(a = c(10, 30, 40, 50, 20), b = c(30, 20, 40, 50, 20)), wave), method = "inv")
  letters <- rr_estimate(rr_counts(c(40, 60, 50), rr_grr(c("a", "b", "c"), epsilon = 2)))
  joint <- rr_estimate(rr_counts(c(40, 20, 20, 20), rr_product(a = rr_warner(0.8), b = rr_warner(0.8))))
  number <- rr_estimate(c(4, 6, 5), rr_mean(c(0, 10), 1))
  expect_snapshot(error = TRUE, {
    mean(fit)
    mean(grouped)
    median(fit)
    quantile(fit, 0.1)
    mean(letters)
    median(letters)
    mean(joint)
    mean(rr_estimate(rr_counts(c(10, 20, 30), rr_grr(c(0, 1, 2), epsilon = 2))))
    mean(fit$tally)
    median(fit$tally)
    quantile(fit$tally)
    mean(number)
    quantile(rr_contrast(fit, c(5, 15, 25, 35, 45)))
    sort(letters)
    max(letters)
    merge(letters$tally, letters$tally)
  })
  # What the message says works.
  expect_equal(rr_contrast(fit, list(mean = c(5, 15, 25, 35, 45)))$estimate, sum(coef(fit) * seq(5, 45, 10)))
  expect_equal(rr_contrast(grouped[1], list(mean = c(5, 15, 25, 35, 45)))$estimate, sum(grouped$estimate[, 1] * seq(5, 45, 10)))
})

test_that("filter() of dplyr names subset()", {
  skip_if_not_installed("dplyr")
  grouped <- rr_estimate(rr_counts(cbind(a = c(10, 30), b = c(30, 20)), rr_warner(0.8)))
  expect_snapshot(error = TRUE, {
    dplyr::filter(grouped, group == "a")
    dplyr::filter(grouped$tally, group == "a")
  })
  expect_identical(coef(subset(grouped, group == "a")), coef(grouped["a"]))
})

test_that("dplyr's verbs name the table that they are for", {
  skip_if_not_installed("dplyr")
  fit <- rr_estimate(rr_counts(c(no = 10, yes = 30), rr_warner(0.8)))
  expect_snapshot(error = TRUE, {
    dplyr::mutate(fit, percent = 100 * estimate)
    dplyr::summarise(fit, mean(estimate))
    dplyr::left_join(fit, data.frame(term = "yes"))
    dplyr::slice_max(rr_estimate(rr_tally(c(-1, 1), rr_mean(c(-1, 1), 1))), estimate)
  })
  verbs <- c("filter", "mutate", "transmute", "select", "rename", "relocate", "arrange", "slice", "slice_head", "slice_tail", "slice_max", "slice_min",
             "distinct", "pull", "group_by", "summarise", "count", "left_join", "right_join", "inner_join", "full_join")
  for (verb in verbs) {
    call <- getExportedValue("dplyr", verb)
    error <- expect_error(call(fit), class = "candor_error_argument")
    # The table takes what the error shows, and the error names the verb.
    expect_match(conditionMessage(error), sprintf("`%s()` is not for", verb), fixed = TRUE)
    expect_match(gsub("\\s+", " ", conditionMessage(error)), sprintf("tidy(fit) |> dplyr::%s(", verb), fixed = TRUE)
  }
})

test_that("dplyr takes contrasts for the tables that they are", {
  skip_if_not_installed("dplyr")
  fit <- rr_estimate(rr_counts(c(no = 30, maybe = 20, yes = 50), rr_grr(c("no", "maybe", "yes"), epsilon = 2)))
  both <- rr_contrast(fit, list(a = c(0, 1, 1), b = c(1, 0, -1)))
  a <- rr_contrast(fit, list(a = c(0, 1, 1)))
  only <- dplyr::filter(both, term == "a")
  expect_equal(tidy(only, conf.int = TRUE), tidy(a, conf.int = TRUE))
  expect_equal(vcov(only), vcov(a))
  expect_equal(vcov(dplyr::arrange(both, dplyr::desc(term))), vcov(both)[2:1, 2:1])
  expect_identical(dplyr::mutate(both, percent = 100 * estimate)$percent, 100 * both$estimate)
  expect_identical(dplyr::pull(dplyr::slice_max(both, estimate), term), both$term[which.max(both$estimate)])
  bound <- dplyr::bind_rows(first = a, second = both, .id = "fit")
  expect_identical(bound$estimate, c(a$estimate, both$estimate))
  # Of rows of two contrasts nobody knows the covariance.
  expect_error(vcov(bound), "stands there twice", class = "candor_error_argument")
})
