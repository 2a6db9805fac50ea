draw <- function(n, d) {
  truth <- matrix(stats::rbinom(n * d, 1, 0.4), n, dimnames = list(NULL, paste0("item", seq_len(d))))
  truth[, 2] <- truth[, 1]
  matrix(stats::rbinom(n * d, 1, 0.15 + 0.7 * truth), n, dimnames = dimnames(truth))
}

test_that("heat maps of few and of many columns draw, outline what is rejected and nothing else", {
  skip_if_not_installed("ggplot2")
  set.seed(21)
  few <- rr_association(rr_tmdh(rr_cooccurrence(draw(2000, 5)), rr_warner(0.85)))
  plot <- ggplot2::autoplot(few)
  expect_s3_class(plot, "ggplot")
  built <- ggplot2::ggplot_build(plot)
  expect_identical(nrow(built$data[[1]]), 10L) # all pairs
  expect_identical(nrow(built$data[[3]]), 1L) # item1 and item2
  expect_match(plot$labels$subtitle, "(Holm, 10 pairs)", fixed = TRUE)
  for (measure in c("covariance", "cramers.v")) expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(few, measure)))
  many <- rr_association(rr_tmdh(rr_cooccurrence(draw(1000, 30)), rr_warner(0.85)))
  expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(many)))
  expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(rr_association(rr_pmdh(c(4, 3, 2, 1), rr_warner(0.8))))))
})

test_that("pictures of estimates and of their covariance", {
  skip_if_not_installed("ggplot2")
  set.seed(22)
  reports <- draw(1000, 4)
  fit <- rr_tmdh(rr_cooccurrence(reports, 4), rr_warner(0.85))
  estimates <- ggplot2::ggplot_build(ggplot2::autoplot(fit))
  expect_identical(nrow(estimates$data[[3]]), 30L) # 15 sets, estimated and reported
  for (target in c("population", "sample")) {
    fit <- rr_tmdh(rr_cooccurrence(reports, 4), rr_warner(0.85), order = 2, target = target)
    expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(fit, type = "covariance")))
  }
  expect_snapshot(error = TRUE, ggplot2::autoplot(rr_tmdh(rr_cooccurrence(matrix(0:1, 4, 30)), rr_warner(0.8))))
})
