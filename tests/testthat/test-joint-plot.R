skip_if_not_installed("ggplot2")

draw <- function(n, d) {
  truth <- matrix(stats::rbinom(n * d, 1, 0.4), n, dimnames = list(NULL, paste0("item", seq_len(d))))
  truth[, 2] <- truth[, 1]
  matrix(stats::rbinom(n * d, 1, 0.15 + 0.7 * truth), n, dimnames = dimnames(truth))
}

test_that("heat maps of few and of many columns draw, outline what is rejected and nothing else", {
  set.seed(21)
  few <- rr_association(rr_tmdh(rr_cooccurrence(draw(2000, 5)), rr_warner(0.85)))
  plot <- ggplot2::autoplot(few)
  expect_identical(nrow(ggplot2::layer_data(plot, 1)), 10L) # all pairs
  outlined <- ggplot2::layer_data(plot, 3) # item1 and item2
  expect_identical(c(as.numeric(outlined$x), as.numeric(outlined$y)), c(1, 4))
  for (measure in c("covariance", "cramers.v")) {
    labels <- ggplot2::layer_data(ggplot2::autoplot(few, measure), 2)$label
    expect_equal(abs(as.numeric(labels)), round(abs(few$pairs[[measure]]), 2), tolerance = 0.011)
  }
  many <- rr_association(rr_tmdh(rr_cooccurrence(draw(1000, 30)), rr_warner(0.85)))
  expect_identical(nrow(ggplot2::layer_data(ggplot2::autoplot(many), 1)), 435L)
  expect_identical(nrow(ggplot2::layer_data(ggplot2::autoplot(rr_association(rr_pmdh(c(4, 3, 2, 1), rr_warner(0.8)))), 1)), 1L)
})

test_that("joint estimates are drawn with their intervals", {
  set.seed(22)
  fit <- rr_tmdh(rr_cooccurrence(draw(1000, 4), 4), rr_warner(0.85))
  estimates <- ggplot2::layer_data(ggplot2::autoplot(fit), 3)
  expect_equal(sort(estimates$x), sort(coef(fit)), ignore_attr = TRUE)
})

test_that("one pair is drawn with its interval", {
  set.seed(4)
  x <- matrix(rbinom(4000, 1, 0.4), 2000, dimnames = list(NULL, c("smoking", "drinking")))
  pair <- rr_association(rr_tmdh(rr_cooccurrence(x), rr_warner(0.85)))
  for (measure in c("correlation", "cramers.v")) {
    plot <- ggplot2::autoplot(pair, measure)
    row <- tidy(pair, conf.int = TRUE)
    row <- row[row$measure == measure, ]
    expect_equal(ggplot2::layer_data(plot, 3)$x, row$estimate)
    expect_equal(ggplot2::layer_data(plot, 2)[c("x", "xend")], data.frame(x = row$conf.low, xend = row$conf.high))
  }
})
