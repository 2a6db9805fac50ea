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

# ---- exact laws of counts ----

convolved <- function(...) Reduce(function(a, b) stats::convolve(a, rev(b), type = "open"), list(...))

test_that("the law of a sum on a grid is the convolution of its rows, and keeps the mean of values between points", {
  law <- list(rows = c(3, 0, 2), prob = rbind(c(0.7, 0.3), c(0.5, 0.5), c(0.1, 0.9)), values = c(0, 1))
  expect_equal(grid_sum(law, 8), c(convolved(stats::dbinom(0:3, 3, 0.3), stats::dbinom(0:2, 2, 0.9)), 0, 0))
  # Values of 0, 2 and 1 + 3 / 4: of the last three quarters lie at 2 and a quarter at 1.
  law <- list(rows = 2, prob = rbind(c(0.2, 0.3, 0.5)), values = c(0, 2, 1.75))
  one <- c(0.2, 0.125, 0.3 + 0.375)
  expect_equal(grid_sum(law, 6), c(convolved(one, one), 0))
})

test_that("mean, standard deviation and skewness of the sum are those of its rows", {
  law <- list(rows = c(3, 2), prob = rbind(c(0.6, 0.3, 0.1), c(0.2, 0.3, 0.5)), values = c(-1, 2, 4))
  x <- c(-1, 2, 4)
  moments <- apply(law$prob, 1, function(p) {
    m <- sum(p * x)
    c(m, sum(p * (x - m)^2), sum(p * (x - m)^3))
  })
  total <- drop(moments %*% c(3, 2))
  expect_equal(sum_moments(law), list(mean = total[1], sd = sqrt(total[2]), skewness = total[3] / total[2]^1.5))
  expect_error(sum_moments(list(rows = 3, prob = rbind(c(1, 0)), values = 0:1)), class = "candor_error_argument")
})

test_that("bars are the exact probabilities in standard deviations from the mean, one for each value if these are few", {
  law <- list(rows = c(6, 4), prob = rbind(c(0.7, 0.3), c(0.1, 0.9)), values = c(-0.5, 1.5))
  p <- convolved(stats::dbinom(0:6, 6, 0.3), stats::dbinom(0:4, 4, 0.9))
  moments <- sum_moments(law)
  bars <- sum_bars(law, moments)
  # A sum of j larger values is 2 j - 5.
  centre <- (2 * (0:10) - 5 - moments$mean) / moments$sd
  width <- 2 / moments$sd
  shown <- p / width > 1e-4
  expect_equal((bars$low + bars$high) / 2, centre[shown])
  expect_equal(bars$high - bars$low, rep(width, sum(shown)))
  expect_equal(bars$density, (p / width)[shown])
  # Of many rows bars are a fifth of a standard deviation, and their mass and mean those of the law.
  many <- list(rows = 4000, prob = rbind(c(0.7, 0.3)), values = 0:1)
  bars <- sum_bars(many, sum_moments(many))
  width <- unique(round(bars$high - bars$low, 10))
  expect_equal(width, 6 / sqrt(840))
  mass <- bars$density * width
  expect_equal(sum(mass), 1, tolerance = 1e-3)
  expect_lt(abs(sum(mass * (bars$low + bars$high) / 2)), 2e-3)
  expect_equal(sum(mass * ((bars$low + bars$high) / 2)^2), 1 + width^2 / 12, tolerance = 0.02)
  # More than two values: the grid adds a thousandth to the variance.
  three <- list(rows = 300, prob = rbind(c(0.5, 0.3, 0.2)), values = c(0, 1, 2.3))
  bars <- sum_bars(three, sum_moments(three))
  mass <- bars$density * (bars$high - bars$low)
  centre <- (bars$low + bars$high) / 2
  expect_equal(sum(mass), 1, tolerance = 1e-3)
  expect_lt(abs(sum(mass * centre)), 5e-3)
  expect_equal(sum(mass * centre^2), 1, tolerance = 0.02)
})

test_that("what one row adds to a count: its pattern of bits, or all rows mixed, as reports or as products of scores", {
  # 3, 2, 4 and 6 rows of 00, 10, 01 and 11.
  x <- rr_pmdh(c(3, 2, 4, 6), list(p = c(0.8, 0.9), q = c(0.3, 0.2)))
  C <- kronecker(rbind(c(0.8, 0.2), c(0.1, 0.9)), rbind(c(0.7, 0.3), c(0.2, 0.8)))
  law <- set_distribution(x, 0:1, "sample", "reports")
  expect_equal(law$rows, c(3, 2, 4, 6))
  expect_equal(law$prob, C)
  expect_equal(law$values, c(0, 0, 0, 1))
  law <- set_distribution(x, 0:1, "population", "estimate")
  expect_equal(law$rows, 15)
  expect_equal(law$prob, rbind(drop(c(3, 2, 4, 6) %*% C)) / 15, ignore_attr = TRUE)
  u <- (0:1 - 0.3) / 0.5
  v <- (0:1 - 0.2) / 0.7
  expect_equal(law$values, c(u[1] * v[1], u[2] * v[1], u[1] * v[2], u[2] * v[2]))
  # The estimate of a count has the count as its mean, the report its expectation.
  expect_equal(sum_moments(law)$mean, 6)
  expect_equal(sum_moments(set_distribution(x, 1L, "sample", "reports"))$mean, 5 * 0.2 + 10 * 0.9)
  expect_equal(sum_moments(set_distribution(x, 0L, "sample", "estimate"))$mean, 8)
  expect_equal(pattern_rows(x$truth, c(0L, 1L)), c(3, 2, 4, 6), ignore_attr = TRUE)
  expect_equal(pattern_rows(x$truth, 1L), c(5, 10), ignore_attr = TRUE)
  # Rows of fixed truths are whole, of the population only all of them.
  parts <- rr_pmdh(c(2.5, 2, 4, 6.5), list(p = c(0.8, 0.9), q = c(0.3, 0.2)))
  expect_error(set_distribution(parts, 0:1, "sample", "reports"), class = "candor_error_counts")
  expect_equal(set_distribution(parts, 0:1, "population", "reports")$prob, rbind(drop(c(2.5, 2, 4, 6.5) %*% C)) / 15, ignore_attr = TRUE)
})

test_that("the set of each order is the one whose share is farthest from a half", {
  x <- new_rr_histogram("pmdh", c("a", "b", "c"), 2, c(100, 20, 45, 95, 20, 19, 44))
  # Shares .2, .45, .95; then .2, .19, .44.
  expect_identical(extreme_sets(x), cbind(c(2L, -1L), c(0L, 2L)))
  # All sets of five columns: the farthest of each order up to four, and none of five.
  columns <- letters[1:5]
  shares <- withr::with_seed(3, lapply(1:5, function(size) round(runif(choose(5, size)), 3)))
  x <- new_rr_histogram("pmdh", columns, 5, 1000 * c(1, unlist(shares)))
  farthest <- vapply(1:4, function(size) combn(columns, size, paste, collapse = ":")[which.max(abs(shares[[size]] - 0.5))], "")
  expect_identical(member_labels(extreme_sets(x), columns), farthest)
})

test_that("colours are cut at their limits, numbers stand in 12 columns or fewer, and covariances have a scale of their own", {
  frame <- data.frame(x = c("a", "a", "b"), y = c("b", "c", "c"), value = c(0.2, -0.7, 1.3))
  picture <- heat_map(frame, frame[2, ], 1, -1)
  expect_identical(ggplot2::layer_data(picture, 2)$label, c("0.20", "-0.70", "1.30"))
  expect_identical(ggplot2::layer_data(picture, 2)$colour, c("grey15", "white", "white"))
  expect_identical(nrow(ggplot2::layer_data(picture, 3)), 1L)
  # White numbers stand on what is above 0.55 of the limit.
  small <- heat_map(replace(frame, "value", list(c(0.13, -0.14, 0.2))), frame[0, ], 0.25, -1)
  expect_identical(ggplot2::layer_data(small, 2)$colour, c("grey15", "white", "white"))
  fills <- ggplot2::layer_data(picture, 1)$fill
  expect_identical(fills[3], ggplot2::layer_data(heat_map(replace(frame, "value", list(c(0.2, -0.7, 1))), frame[0, ], 1, -1), 1)$fill[3])
  expect_identical(ggplot2::layer_data(heat_map(replace(frame, "value", list(c(0, -0.7, 1))), frame[0, ], 1, 0), 1)$fill[2],
                   ggplot2::layer_data(heat_map(replace(frame, "value", list(c(0, 0, 1))), frame[0, ], 1, 0), 1)$fill[2])
  wide <- function(d) {
    names <- sprintf("v%02d", seq_len(d))
    all <- pair_index(d)
    length(heat_map(data.frame(x = names[all$i], y = names[all$j], value = 0), frame[0, ], 1, -1)$layers)
  }
  expect_identical(c(wide(12), wide(13)), c(3L, 2L))
})

test_that("the bars of a count begin at 0, and their areas are probabilities", {
  for (of in c("reports", "estimate")) {
    plot <- ggplot2::autoplot(rr_pmdh(c(3, 2, 4, 6), rr_warner(0.8)), of = of)
    bars <- ggplot2::layer_data(plot, 1)
    expect_true(all(bars$ymin == 0))
    areas <- tapply((bars$xmax - bars$xmin) * (bars$ymax - bars$ymin), bars$PANEL, sum)
    expect_equal(as.numeric(areas), rep(1, length(areas)), tolerance = 1e-3)
  }
})

test_that("what is rejected is outlined at the level that is asked for, and the scale of covariances is their own", {
  bits <- data.frame(a = rep(c(0, 1, 0, 1), c(60, 20, 25, 45)), b = rep(c(0, 0, 1, 1), c(60, 20, 25, 45)), c = rep(c(0, 1, 0), 50))
  found <- rr_association(rr_tmdh(rr_cooccurrence(bits, 3), rr_warner(0.9)))
  adjusted <- stats::p.adjust(as.data.frame(found)$p.value, "holm")
  for (alpha in c(1e-9, 0.05, 1)) {
    outlined <- ggplot2::autoplot(found, alpha = alpha)$layers[[3]]$data
    expect_identical(nrow(outlined), sum(adjusted < alpha))
  }
  limits <- function(found, measure) ggplot2::autoplot(found, measure)$scales$get_scales("fill")$limits
  largest <- max(abs(as.data.frame(found)$covariance))
  expect_equal(limits(found, "covariance"), c(-largest, largest))
  expect_identical(list(limits(found, "correlation"), limits(found, "cramers.v")), list(c(-1, 1), c(0, 1)))
  # A known truth has no test, and counts are at most a quarter apart.
  expect_identical(nrow(ggplot2::autoplot(rr_association(rr_pmdh(8:1, rr_warner(0.8))))$layers[[3]]$data), 0L)
  expect_refused(ggplot2::autoplot(found, "odds.ratio"), ggplot2::autoplot(found, alpha = 2))
  four <- rr_pmdh(rep(1, 16), rr_warner(0.8))
  expect_refused(ggplot2::autoplot(four, names(coef(four))[1:13]), ggplot2::autoplot(four, of = "truth"))
})

test_that("names of a heat map are turned if they are many or long, and shrink from 16 columns on", {
  text <- function(d, width = 1) {
    names <- sprintf("%s%02d", strrep("v", width - 2), seq_len(d))
    all <- pair_index(d)
    frame <- data.frame(x = names[all$i], y = names[all$j], value = 0)
    heat_map(frame, frame[0, ], 1, -1)$theme
  }
  angle <- function(...) text(...)$axis.text.x$angle
  expect_identical(c(angle(6, 4), angle(6, 5), angle(3, 8), angle(3, 9), angle(7, 2)), c(0, 90, 0, 90, 90))
  # Twelve points are the size of 1.
  size <- function(d) as.numeric(text(d, 2)$axis.text$size)
  expect_equal(c(size(3), size(15), size(20), size(40)) * 12, c(9.5, 9.5, 150 / 20, 4.5))
  edge <- data.frame(x = c("a", "a", "b"), y = c("b", "c", "c"), value = c(0.55, 0.5501, -0.55))
  expect_identical(ggplot2::layer_data(heat_map(edge, edge[0, ], 1, -1), 2)$colour, c("grey15", "white", "grey15"))
})

test_that("laws stand beside each other as their names leave room, with the normal density from -4 to 4", {
  bars <- data.frame(low = c(-1, 0), high = c(0, 1), density = c(0.4, 0.6))
  panels <- function(labels) law_panels(rep(list(bars), length(labels)), labels)
  across <- function(width, n = 4) panels(sprintf("%s%02d", strrep("a", width - 2), seq_len(n)))$facet$params$ncol
  expect_equal(c(across(24), across(25), across(18, 3), across(19, 3), across(18, 6), across(14, 13), across(15, 13)), c(2, 1, 3, 2, 3, 4, 3))
  picture <- panels(c("a", "a:b"))
  drawn <- ggplot2::layer_data(picture, 1)
  expect_equal(drawn[c("xmin", "xmax", "ymin", "ymax")], data.frame(xmin = c(-1, 0), xmax = c(0, 1), ymin = 0, ymax = c(0.4, 0.6))[c(1, 2, 1, 2), ],
               ignore_attr = TRUE)
  expect_identical(as.integer(drawn$PANEL), c(1L, 1L, 2L, 2L))
  curve <- ggplot2::layer_data(picture, 2)
  expect_equal(range(curve$x), c(-4, 4))
  expect_equal(curve$y, dnorm(curve$x))
})

test_that("the law of counts is that of reports in the population unless another one is asked for", {
  truth <- rr_pmdh(c(3, 2, 4, 6), rr_warner(0.8))
  bars <- function(...) ggplot2::layer_data(ggplot2::autoplot(truth, names(coef(truth))[3], ...), 1)[c("xmin", "xmax", "ymax")]
  expect_equal(bars(), bars(target = "population", of = "reports"))
  # The count of 11 of one respondent in 15, by its binomial law.
  share <- coef(truth)[[3]] / 15
  expect_equal(bars()$ymax, Filter(function(density) density > 1e-4, dbinom(0:15, 15, share) * sqrt(15 * share * (1 - share))))
})
