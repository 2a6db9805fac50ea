# Linear functions of shares and their quotients, by hand.

three <- function(counts = c(a = 500, b = 300, c = 200), ...) rr_estimate(rr_counts(counts, rr_grr(ordered(c("a", "b", "c")), 3)), ...)

test_that("a matrix of one column is of the estimate that names it", {
  fit <- rr_estimate(rr_counts(c(no = 700, yes = 300), rr_warner(0.8)))
  expect_equal(rr_contrast(fit, cbind(yes = c(1, 2)))$estimate, c(1, 2) * 0.1 / 0.6)
  expect_equal(rr_contrast(fit, matrix(3, 1, 1, dimnames = list("thrice", "yes")))$estimate, 0.3 / 0.6)
})

test_that("sums, differences, scores and ratios with their delta-method errors", {
  fit <- three()
  b <- coef(fit)
  V <- vcov(fit)
  found <- rr_contrast(fit, list(c("a", "c"), c(a = 1, b = -1), c(0, 1, 2), list(c("a"), c(b = 2)), halves = c(b = 0.5, c = 0.5)), conf.level = 0.9)
  weights <- rbind(c(1, 0, 1), c(1, -1, 0), c(0, 1, 2), NA, c(0, 0.5, 0.5))
  ratio <- b[["a"]] / (2 * b[["b"]])
  value <- drop(weights %*% b)
  value[4] <- ratio
  slope <- weights
  slope[4, ] <- (c(1, 0, 0) - ratio * c(0, 2, 0)) / (2 * b[["b"]])
  error <- sqrt(diag(slope %*% V %*% t(slope)))
  expect_equal(found$estimate, unname(value), tolerance = 1e-10)
  expect_equal(found$std.error, unname(error), tolerance = 1e-10)
  expect_equal(unname(vcov(found))[c(1, 2, 3, 5), c(1, 2, 3, 5)], unname(slope %*% V %*% t(slope))[c(1, 2, 3, 5), c(1, 2, 3, 5)], tolerance = 1e-10)
  z <- qnorm(0.95)
  expect_equal(found$conf.low[c(1, 2, 3, 5)], unname(value - z * error)[c(1, 2, 3, 5)], tolerance = 1e-10)
  expect_equal(found$conf.high[c(1, 2, 3, 5)], unname(value + z * error)[c(1, 2, 3, 5)], tolerance = 1e-10)
  expect_identical(found$term, c("a + c", "a - b", "b + 2 c", "a / (2 b)", "halves"))
  # Covariances of rows that were left out, doubled or bound from elsewhere.
  expect_equal(unname(vcov(found[c(3, 1), ])), unname(vcov(found))[c(3, 1), c(3, 1)])
  expect_true(is.na(vcov(found[c(1, 1), ])[1, 2]))
  expect_identical(dim(covariance_of(found[1, ])), c(1L, 1L))
  foreign <- found
  foreign$term[1] <- "x"
  expect_true(is.na(vcov(foreign)[1, 2]))
  by_matrix <- rr_contrast(fit, rbind(sum = c(1, 0, 1), c(1, -1, 0)))
  expect_identical(by_matrix$term, c("sum", "a - b"))
  expect_equal(by_matrix$estimate, unname(value[1:2]), tolerance = 1e-10)
})

test_that("the kind of functions says which axis they have", {
  kind <- function(...) info_of(rr_contrast(three(), list(...)), "axis_kind")
  expect_identical(c(kind("a"), kind(c("a", "b")), kind(c(a = 1, b = -1)), kind(c(0, 1, 2)), kind(list("a", "b")), kind("a", c(a = 1, b = -1)),
    kind(c(0.5, 0.5, 0)),
                     kind(c(a = 1, b = -2))), c("share", "share", "difference", "number", "ratio", "number", "share", "number"))
  # Of two groups each adds up to 1: a difference of their shares is one, their sum is not a share.
  read <- function(w) list(weights = rbind(w), divisor = 0L, is_shown = TRUE)
  groups <- c(0, 0, 1, 1)
  kinds <- c(function_kind(read(c(1, 0, -1, 0)), groups), function_kind(read(c(1, 0, 1, 0)), groups), function_kind(read(c(0.5, 0, 0.5, 0)), groups),
             function_kind(read(c(1, 0, 1, 0)), c(0, 0, 0, 0)))
  expect_identical(kinds, c("difference", "number", "share", "share"))
})

test_that("functions are named by their terms, many by the first three", {
  names <- letters[1:6]
  words <- function(...) weighted_words(c(...), names)
  expect_identical(words(1, 0, 0, 0, 0, 0), "a")
  expect_identical(words(-1, 0, 2, 0, 0, 0), "2 c - a")
  expect_identical(words(-1, -0.5, 0, 0, 0, 0), "-a - 0.5 b")
  expect_identical(words(0.5, 2, -0.5, 0, 0, 0), "0.5 a + 2 b - 0.5 c")
  expect_identical(words(2, 0.5, 0, 0, 0, 0), "2 a + 0.5 b")
  expect_identical(words(1, 1, 1, 1, 0, 0), "a + b + c + d")
  expect_identical(words(1, 1, 1, 1, 1, 0), "a + b + c ... (5 estimates)")
  found <- contrast_functions(list("a", list("b", c("a", "c")), "a"), c("a", "b", "c"))
  expect_identical(found$terms, c("a", "b / (a + c)", "a #1"))
  expect_identical(found$divisor, c(0L, 4L, 0L, 0L))
  expect_identical(found$is_shown, c(TRUE, TRUE, TRUE, FALSE))
  expect_equal(unname(found$weights), rbind(c(1, 0, 0), c(0, 1, 0), c(1, 0, 0), c(1, 0, 1)))
  fit <- three()
  expect_refused(rr_contrast(fit, list()), rr_contrast(fit, list(list("a", "b", "c"))), rr_contrast(fit, c(0, 0, 0)), rr_contrast(fit, c(1, 2)),
                 rr_contrast(fit, c(1, NA, 0)), rr_contrast(fit, TRUE), rr_contrast(fit, "a", cumulative = NA), rr_contrast(coef(fit), "a"))
  expect_refused(rr_contrast(fit, "d"), rr_contrast(fit, c(a = 1, a = 1)), class = "level")
})

test_that("cumulative shares are sums of the levels below, cut at 0 and 1", {
  counts <- cbind(u = c(a = 500, b = 300, c = 200), v = c(300, 300, 400))
  fit <- three(counts)
  found <- rr_contrast(fit, c("b", "a"), cumulative = TRUE)
  b <- coef(fit)
  expect_equal(found$estimate, unname(c(b[1] + b[2], b[1], b[4] + b[5], b[4])), tolerance = 1e-10)
  expect_identical(found$term, c("u:up to b", "u:up to a", "v:up to b", "v:up to a"))
  weights <- rbind(c(1, 1, 0, 0, 0, 0), c(1, 0, 0, 0, 0, 0), c(0, 0, 0, 1, 1, 0), c(0, 0, 0, 1, 0, 0))
  expect_equal(unname(cumulative_rows(fit, c(2, 1))), weights)
  expect_identical(rownames(cumulative_rows(fit, c(2, 1))), c("u:b", "u:a", "v:b", "v:a"))
  expect_equal(unname(cumulative_rows(fit, c(2, 1), 2)), weights[3:4, ])
  expect_equal(found$std.error, unname(sqrt(diag(weights %*% vcov(fit) %*% t(weights)))), tolerance = 1e-10)
  expect_identical(dimnames(attr(found, "covariance")), list(found$term, found$term))
  expect_false(any(c("statistic", "p.value") %in% names(found)))
  expect_identical(rr_contrast(three(), cumulative = TRUE)$conf.high[3], 1)
  # Bins are called by their upper ends.
  wave <- rr_estimate(rr_counts(c(100, 400, 300, 200), rr_square_wave(c(0, 10, 20, 30, 60), 600)))
  expect_identical(suppressWarnings(rr_contrast(wave, c(4, 1), cumulative = TRUE))$term, c("up to 60", "up to 10"))
  expect_refused(rr_contrast(rr_estimate(rr_counts(c(5, 5, 5) * 90, rr_grr(c("x", "y", "z"), 3))), cumulative = TRUE))
  expect_identical(c(has_order(rr_grr(c(1, 2, 3), 1)), has_order(rr_grr(c(1, 3, 2), 1)), has_order(rr_grr(c("a", "b"), 1)),
    has_order(rr_grr(ordered(c("b", "a")), 1))),
                   c(TRUE, FALSE, FALSE, TRUE))
})

test_that("the kind of functions of groups and of conditional shares: what adds up to 1 is one share", {
  kind <- function(fit, ...) info_of(rr_contrast(fit, list(...)), "axis_kind")
  groups <- three(cbind(u = c(a = 500, b = 300, c = 200), v = c(230, 300, 470)))
  expect_identical(c(kind(groups, c("u:a", "u:c")), kind(groups, c("u:c", "v:a")), kind(groups, c("u:a" = 1, "v:a" = -1))), c("share", "number", "difference"))
  joint <- rr_estimate(rr_counts(c(180, 90, 80, 110), rr_product(drugs = rr_warner(0.8), theft = rr_warner(0.8))), method = "inv")
  given <- rr_margin(joint, "theft", given = "drugs")
  # Of those who used drugs: both answers about theft, and the share of theft under both answers about drugs.
  expect_identical(kind(given, c("no:yes", "yes:yes")), "share")
  expect_identical(kind(given, c("yes:yes", "yes:no")), "number")
})

test_that("more than 2,000 functions have no joint covariance, and no ratios", {
  fit <- three()
  many <- setNames(rep(list("a"), 2001), 1:2001)
  found <- rr_contrast(fit, many)
  expect_null(attr(found, "covariance"))
  expect_equal(found$std.error[c(1, 2001)], rep(tidy(fit)$std.error[1], 2))
  expect_false(is.null(attr(rr_contrast(fit, many[-1]), "covariance")))
  expect_refused(rr_contrast(fit, replace(many, 1, list(list("a", "b")))))
})

test_that("a contrast of one boundary among others warns, says if errors are unknown, and keeps its columns, people, target and looks", {
  fit <- suppressWarnings(rr_estimate(rr_counts(cbind(u = c(no = 900, yes = 100), v = c(600, 400)), rr_warner(0.8))))
  expect_warning(found <- rr_contrast(fit, list(inside = "v:yes", held = "u:yes")), class = "candor_warning_boundary")
  expect_identical(names(found), c("term", "estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high"))
  expect_identical(is.na(found$std.error), c(FALSE, TRUE))
  expect_silent(inside <- rr_contrast(fit, list(inside = "v:yes")))
  expect_identical(nobs(inside), 2000)
  expect_identical(c(glance(inside)$target, glance(rr_contrast(suppressWarnings(update(fit, target = "sample")), "v:yes"))$target), c("population", "sample"))
  unknown <- three()
  unknown$estimator$spread <- function(theta, evidence, target) list(diagonal = rep(NA_real_, 3), common = c(0, 0, 0), unknown = "a reason")
  expect_message(lost <- rr_contrast(unknown, "a"), class = "candor_message_no_intervals")
  expect_identical(lost$std.error, NA_real_)
  looking <- rr_contrast(three(interval = "anytime", plan = 500), "a")
  expect_identical(c(info_of(looking, "looking"), info_of(inside, "looking")), c(TRUE, FALSE))
})

test_that("Wald's limits of a cumulative share that pass 0 or 1 end there, as far from the nearest share as the estimate and the error allow", {
  p <- exp(3) / (exp(3) + 2)
  q <- 1 / (exp(3) + 2)
  # A level has x of 1000 reports, which are binomial.
  wald <- function(x) {
    estimate <- (x / 1000 - q) / (p - q)
    half <- qnorm(0.975) * sqrt(x / 1000 * (1 - x / 1000) / 999) / (p - q)
    nearest <- min(max(estimate, 0), 1)
    half <- if (estimate - half < 0 || estimate + half > 1) sqrt(half^2 + (estimate - nearest)^2) else half
    pmin(pmax(estimate + c(-1, 1) * half, 0), 1)
  }
  limits <- function(...) {
    found <- rr_contrast(three(c(a = 0, b = 0, c = 0) + c(...), method = "inv"), 1:2, cumulative = TRUE)
    unname(cbind(found$conf.low, found$conf.high))
  }
  # The share up to b is 1 less the share of c.
  both <- function(a, c) rbind(wald(a), 1 - rev(wald(c)))
  for (case in list(c(55, 500, 445), c(40, 505, 455), c(470, 480, 50), c(470, 487, 43), c(300, 400, 300))) {
    expect_equal(limits(case), both(case[1], case[3]), tolerance = 1e-9)
  }
})
