# The order of the rows changes nothing in rr_glm() and its extensions: rows as they came, reversed and sorted have one
# log-likelihood. Small surveys with rare truths, where the likelihood has several maxima.

yes_no_designs <- list(rr_warner(0.75), rr_forced(1 / 6), rr_crosswise(0.25), rr_kuk(0.8, 0.2), rr_unrelated(0.7, 0.3))
deck <- rr_dealt(c(no = 3, yes = 3), 15)
cross_anchor <- list(a = rr_anchor(rr_crosswise(0.2)))

# 150 respondents, in ten blocks of a deck.
yes_no_survey <- function(seed) {
  mechanism <- yes_no_designs[[seed %% 5 + 1]]
  withr::with_seed(seed, {
    data <- data.frame(x = rnorm(150), z = rbinom(150, 1, 0.4), block = rep(1:10, each = 15))
    truth <- rbinom(150, 1, plogis(qlogis(c(0.05, 0.1, 0.2)[seed %% 3 + 1]) + 0.6 * data$x))
    card <- unlist(lapply(1:10, function(block) sample(rep(c("no", "yes", "truth"), c(3, 3, 9)))))
    data$y <- rbinom(150, 1, unname(rr_matrix(mechanism))[cbind(truth + 1, 2)])
    data$r <- ifelse(card == "truth", c("no", "yes")[truth + 1], card)
    data
  })
}

anchored_survey <- function(seed, n) {
  withr::with_seed(seed, {
    x <- rnorm(n)
    attentive <- rbinom(n, 1, plogis(1.4 - 0.5 * x)) == 1
    truth <- rbinom(n, 1, plogis(-1 + 0.7 * x))
    said <- function(p) ifelse(attentive, rbinom(n, 1, p), rbinom(n, 1, 0.5))
    data.frame(x, y = said(ifelse(truth == 1, 0.15, 0.85)), a = said(0.8))
  })
}

item_survey <- function(seed) {
  withr::with_seed(seed, {
    id <- rep(1:40, each = 4)
    x <- rnorm(160)
    truth <- rbinom(160, 1, plogis(-1 + 0.5 * x + rnorm(40)[id]))
    data.frame(id, x, y = rbinom(160, 1, 1 / 6 + 2 / 3 * truth))
  })
}

# Each class: how many surveys in a usual run, the survey of a seed, and the fit.
glm_classes <- list(
  plain = list(50, yes_no_survey, function(d, seed) rr_glm(y ~ x + z, d, yes_no_designs[[seed %% 5 + 1]])),
  dealt = list(20, yes_no_survey, function(d, seed) rr_glm(r ~ x, d, deck)),
  anchored = list(10, function(seed) anchored_survey(seed, 150),
                  function(d, seed) rr_glm(y ~ x, d, rr_crosswise(0.15), anchor = cross_anchor)),
  attention = list(4, function(seed) anchored_survey(seed + 40, 300),
                   function(d, seed) rr_glm(y ~ x, d, rr_crosswise(0.15), anchor = cross_anchor, attention = ~x)),
  mixed = list(6, item_survey, function(d, seed) rr_glm(y ~ x + (1 | id), d, rr_forced(1 / 6))),
  evasion = list(4, item_survey,
                 function(d, seed) rr_glm(y ~ x + (1 | id), d, rr_forced(1 / 6), protective = "no"))
)

test_that("rows reversed and sorted have the same log-likelihood", {
  for (name in names(glm_classes)) {
    class <- glm_classes[[name]]
    for (seed in seq_len(extended(class[[1]], 50))) {
      data <- class[[2]](seed)
      rows <- list(seq_len(nrow(data)), rev(seq_len(nrow(data))), do.call(order, unname(as.list(data))))
      heights <- vapply(rows, function(index) {
        fit <- suppressMessages(suppressWarnings(class[[3]](data[index, ], seed)))
        as.numeric(fit$loglik)
      }, 0)
      expect_lt(diff(range(heights)), 1e-8, label = paste(name, seed))
    }
  }
})

test_that("weights of any size give the coefficients of equal weights, with their log-likelihood and variance", {
  plain <- yes_no_survey(2)
  careful <- anchored_survey(5, 300)
  items <- item_survey(3)
  fitters <- list(
    function(w) rr_glm(y ~ x, plain, rr_crosswise(0.25), weights = rep(w, 150)),
    function(w) rr_glm(y ~ x, careful, rr_crosswise(0.15), weights = rep(w, 300), anchor = cross_anchor,
                       attention = ~1, attention.by = "person"),
    function(w) rr_glm(y ~ x + (1 | id), items, rr_forced(1 / 6), weights = rep(w, 160))
  )
  for (fit in fitters) {
    quiet <- function(w) suppressMessages(suppressWarnings(fit(w)))
    equal <- quiet(1)
    for (size in c(1e-12, 1e12)) {
      weighted <- quiet(size)
      expect_equal(coef(weighted), coef(equal), tolerance = 1e-6)
      expect_equal(weighted$loglik / size, equal$loglik, tolerance = 1e-10)
      expect_equal(vcov(weighted) * size, vcov(equal), tolerance = 1e-5)
    }
  }
})

test_that("a covariate in milliseconds since 1970 is the same covariate as in days", {
  days <- transform(yes_no_survey(2), day = seq_len(150) / 10)
  days$ms <- 1.7e12 + 86400e3 * days$day
  careful <- cbind(anchored_survey(5, 150), days[c("day", "ms")])
  fits <- function(term) {
    quiet <- function(fit) suppressMessages(suppressWarnings(fit))
    list(
      plain = quiet(rr_glm(reformulate(term, "y"), days, rr_crosswise(0.25))),
      dealt = quiet(rr_glm(reformulate(term, "r"), days, deck)),
      attention = quiet(rr_glm(reformulate(term, "y"), careful, rr_crosswise(0.15), anchor = cross_anchor,
                               attention = ~1, attention.by = "person"))
    )
  }
  small <- fits("day")
  large <- fits("ms")
  for (name in names(small)) {
    expect_equal(as.numeric(large[[name]]$loglik), as.numeric(small[[name]]$loglik), tolerance = 1e-9)
    expect_equal(coef(large[[name]])[[2]] * 86400e3, coef(small[[name]])[[2]], tolerance = 1e-5)
    ratio <- diag(vcov(large[[name]]))[[2]] * 86400e3^2 / diag(vcov(small[[name]]))[[2]]
    expect_equal(ratio, 1, tolerance = 1e-3)
  }
  expect_equal(confint(large$plain)[2, ] * 86400e3, confint(small$plain)[2, ], tolerance = 1e-5)
})

test_that("covariates of 64-bit integers are numbers, and a formula needs a column", {
  data <- transform(yes_no_survey(2), whole = seq_len(150))
  bits <- writeBin(as.integer(rbind(seq_len(150), 0L)), raw(), endian = "little")
  data$long <- structure(readBin(bits, "double", 150, endian = "little"), class = "integer64")
  fit <- function(term) suppressWarnings(rr_glm(reformulate(term, "y"), data, rr_crosswise(0.25)))
  expect_equal(unname(coef(fit("long"))), unname(coef(fit("whole"))))
  expect_error(rr_glm(y ~ 0, data, rr_crosswise(0.25)), class = "candor_error_argument")
})
