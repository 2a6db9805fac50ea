test_that("golden: likelihood, score and information of single blocks", {
  for (case in Filter(function(case) case$input$op == "likelihood", golden("next_dealt"))) {
    input <- case$input
    n <- length(input$eta)
    found <- .Call(candor:::C_rr_dealt_value, diag(n), as.integer(input$reports), c(0L, n), NULL, c(input$cards, input$yes, input$no) + 0, 0L, input$eta, TRUE)
    expect_golden(found$value, case$expected$loglik, 1e-9)
    expect_golden(found$scores, case$expected$score, 1e-8)
    expect_golden(found$observed, case$expected$information, 1e-8)
  }
})

test_that("golden: regressions by blocks, by rows, and by rows with a sandwich by block", {
  for (case in Filter(function(case) case$input$op == "regression", golden("next_dealt"))) {
    input <- case$input
    x <- if (is.matrix(input$x)) input$x else matrix(input$x)
    data <- data.frame(y = input$y, block = input$block, x = I(x))
    mechanism <- rr_dealt(c(no = input$no, yes = input$yes), input$cards)
    fit <- rr_glm(y ~ 0 + x, data, mechanism)
    full <- case$expected$full
    expect_golden(coef(fit), full$coef, 1e-8)
    expect_golden(as.numeric(logLik(fit)), full$loglik, 1e-8)
    expect_golden(vcov(fit), full$vcov_observed, 1e-8)
    names(data)[2] <- "deck"
    expect_message(rows <- rr_glm(y ~ 0 + x, data, mechanism), class = "candor_message_blocks")
    expect_golden(coef(rows), case$expected$rows$coef, 1e-8)
    expect_golden(as.numeric(logLik(rows)), case$expected$rows$loglik, 1e-8)
    expect_golden(vcov(rows), case$expected$rows$vcov_observed, 1e-8)
    # Clusters have the factor C / (C - 1) here.
    C <- length(unique(input$block))
    expect_golden((C - 1) / C * vcov(rows, cluster = ~deck), case$expected$rows$vcov_by_block, 1e-8)
  }
})

# All deals of a deck, a row each: cards 1 for yes, 0 for no, NA for the truth.
deals <- function(deck) {
  if (length(deck) == 1L) return(matrix(deck))
  do.call(rbind, lapply(seq_along(deck), function(i) cbind(deck[i], deals(deck[-i]))))
}

# The likelihood of a block is the mean over all deals.
deal_likelihood <- function(dealt, said, truth) {
  chance <- 1
  for (i in seq_along(said)) chance <- chance * ifelse(is.na(dealt[, i]), if (said[i] == 1) truth[i] else 1 - truth[i], dealt[, i] == said[i])
  mean(chance)
}

dealt_people <- function(n = 46, sizes = c(5, 5, 5, 3)) {
  set.seed(8)
  data <- data.frame(x = round(rnorm(n), 2), z = rep(c(0, 0.5), length.out = n))
  data$team <- rep(seq_len(n), rep_len(sizes, n))[seq_len(n)]
  data$true <- rbinom(n, 1, plogis(-0.5 + data$x))
  data
}

test_that("full and short blocks: value and curvature of every link against all deals", {
  mechanism <- rr_dealt(c(no = 1, yes = 1), cards = 5, block = "team")
  data <- dealt_people()
  data$said <- rr_perturb(data[c("team", "true")], mechanism, rng = "R")$report
  dealt <- deals(c(1, 0, NA, NA, NA))
  teams <- split(seq_len(46), data$team)
  for (link in c("logit", "probit", "cloglog", "cauchit")) {
    fit <- rr_glm(said ~ x + offset(z), data, mechanism, link = link)
    inverse <- binomial(link)$linkinv
    loglik <- function(b) {
      truth <- inverse(b[1] + b[2] * data$x + data$z)
      sum(vapply(teams, function(rows) log(deal_likelihood(dealt, data$said[rows], truth[rows])), 0))
    }
    expect_equal(as.numeric(logLik(fit)), loglik(coef(fit)), tolerance = 1e-10, label = link)
    # Differences of second order with steps of 1e-3.
    expect_equal(unname(solve(vcov(fit))), -optimHess(coef(fit), loglik), tolerance = 1e-4, ignore_attr = TRUE, label = link)
    # A maximum: no step of a tenth of a standard error is higher.
    for (step in list(c(0.1, 0), c(-0.1, 0), c(0, 0.1), c(0, -0.1))) expect_lt(loglik(coef(fit) + step * sqrt(diag(vcov(fit)))), loglik(coef(fit)))
  }
})

test_that("the score of a block is that of all deals and stands in its first row, whatever the order of rows", {
  mechanism <- rr_dealt(c(no = 1, yes = 1), cards = 5, block = "team")
  data <- dealt_people(23)
  data$said <- rr_perturb(data[c("team", "true")], mechanism, rng = "R")$report
  data <- data[order(data$x), ]
  fit <- suppressWarnings(rr_glm(said ~ x + offset(z), data, mechanism))
  dealt <- deals(c(1, 0, NA, NA, NA))
  loglik <- function(b) {
    truth <- plogis(b[1] + b[2] * data$x + data$z)
    vapply(unique(data$team), function(team) {
      rows <- data$team == team
      log(deal_likelihood(dealt, data$said[rows], truth[rows]))
    }, 0)
  }
  scores <- matrix(0, 23, 2)
  scores[!duplicated(data$team), ] <- difference_gradient(loglik, unname(coef(fit)))
  expect_equal(unname(fit$scores), scores, tolerance = 1e-6)
  V <- unname(vcov(fit))
  expect_equal(unname(vcov(fit, type = "sandwich")), V %*% crossprod(scores) %*% V, tolerance = 1e-6)
})

test_that("each full block says no and yes as often as its cards dictate, or somebody did not follow them", {
  mechanism <- rr_dealt(c(no = 2, yes = 1), cards = 5)
  check <- function(yes, no = 5 - yes) check_dealt_blocks(rep("a", yes + no), rep(1:0, c(yes, no)), mechanism)
  for (yes in 1:3) expect_no_error(check(yes))
  expect_refused(check(0), check(4), class = "impossible")
  expect_refused(check(3, 3), class = "report")
})

test_that("a constant in full blocks is the share of true yes among those who were asked", {
  mechanism <- rr_dealt(c(no = 2, yes = 3), cards = 10)
  yes <- c(4, 5, 3, 6)
  data <- data.frame(block = rep(1:4, each = 10), report = unlist(lapply(yes, function(t) rep(c("yes", "no"), c(t, 10 - t)))))
  share <- sum(yes - 3) / 20
  fit <- rr_glm(report ~ 1, data, mechanism)
  expect_equal(plogis(coef(fit)[[1]]), share, tolerance = 1e-9)
  expect_equal(vcov(fit)[1, 1], 1 / (20 * share * (1 - share)), tolerance = 1e-8)
  # The order of people does not matter.
  other <- rr_glm(report ~ 1, data[sample(40), ], mechanism)
  expect_equal(coef(other), coef(fit), tolerance = 1e-9)
})

test_that("robust errors are by block, or by clusters of blocks", {
  mechanism <- rr_dealt(c(no = 1, yes = 1), cards = 5, block = "team")
  data <- dealt_people(200)
  set.seed(2)
  data$said <- rr_perturb(data[c("team", "true")], mechanism, rng = "R")$report
  fit <- rr_glm(said ~ x, data, mechanism)
  blocks <- length(unique(data$team))
  expect_equal(vcov(fit, type = "sandwich") * blocks / (blocks - 1), vcov(fit, cluster = data$team), tolerance = 1e-12)
  expect_false(isTRUE(all.equal(vcov(fit, cluster = data$team %/% 10), vcov(fit, type = "sandwich"))))
  expect_error(vcov(fit, type = "expected"), class = "candor_error_argument")
  truth <- predict(fit, data.frame(x = 0:1), type = "truth", se.fit = TRUE)
  expect_equal(unname(truth$fit), unname(plogis(cumsum(coef(fit)))), tolerance = 1e-12)
  expect_equal(unname(predict(fit, data.frame(x = 0), type = "link", se.fit = TRUE)$se.fit), sqrt(vcov(fit)[1, 1]), tolerance = 1e-12)
  # Another covariance, whose standard error at x = 1 is sqrt(4 + 9 + 2).
  other <- predict(fit, data.frame(x = 0:1), type = "link", se.fit = TRUE, vcov. = rbind(c(4, 1), c(1, 9)))
  expect_equal(unname(other$se.fit), c(2, sqrt(15)), tolerance = 1e-12)
  expect_output(print(fit), "blocks")
  expect_identical(tidy(fit)$term, c("(Intercept)", "x"))
  expect_lt(anova(rr_glm(said ~ 1, data, mechanism), fit)$`Pr(>Chi)`[2], 1)
})

test_that("coefficients at infinity, and columns that others determine", {
  mechanism <- rr_dealt(c(no = 0, yes = 1), cards = 3, block = "team")
  data <- data.frame(team = rep(1:6, each = 3), x = rep(0:1, each = 9))
  # No true yes at x = 0: each block says yes once.
  data$said <- c(1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0)
  fit <- suppressWarnings(rr_glm(said ~ 0 + factor(x), data, mechanism))
  expect_identical(unname(coef(fit)[1]), -Inf)
  expect_equal(plogis(coef(fit)[[2]]), 2 / 6, tolerance = 1e-7)
  expect_warning(rr_glm(said ~ 0 + factor(x), data, mechanism), class = "candor_warning_infinite")
  mechanism <- rr_dealt(c(no = 1, yes = 1), cards = 5, block = "team")
  data <- dealt_people(200)
  set.seed(2)
  data$said <- rr_perturb(data[c("team", "true")], mechanism, rng = "R")$report
  twice <- rr_glm(said ~ x + I(2 * x), data, mechanism)
  expect_equal(coef(twice), coef(rr_glm(said ~ x, data, mechanism)), tolerance = 1e-9)
})

test_that("what has no likelihood of blocks is refused, and designs cluster by block", {
  mechanism <- rr_dealt(c(no = 1, yes = 1), cards = 5, block = "team")
  data <- dealt_people(200)
  set.seed(2)
  data$said <- rr_perturb(data[c("team", "true")], mechanism, rng = "R")$report
  data$w <- rep(1:2, 100)
  refused <- function(code, class = "argument") expect_error(code, class = paste0("candor_error_", class))
  refused(rr_glm(said ~ x, data, mechanism, weights = w))
  refused(rr_glm(said ~ x, data, mechanism, penalty = "prior"))
  refused(rr_glm(said ~ x, transform(data, team = 1), mechanism), "report")
  # Likelihoods of rows would leave the deal out.
  refused(rr_glm(said ~ x + (1 | team), data, mechanism), "law")
  refused(rr_glm(said ~ x + (1 | w), data[names(data) != "team"], mechanism), "law")
  refused(rr_glm(said ~ 1 + (1 | team), data, mechanism, protective = "no"), "law")
  refused(rr_glm(said ~ x, data, list(a = mechanism, b = rr_forced(0.1)), arm = rep(c("a", "b"), 100)), "law")
  refused(rr_glm(~group, rr_tally(data[c("team", "said")], mechanism, by = data$x)), "law")
  refused(rr_family(mechanism), "law")
  refused(rr_anchor(mechanism), "law")
  refused(rr_power(mechanism, 100, model = ~x, data = data.frame(x = 0:1), coefficients = c(0, 1)), "law")
  # What the deck cannot give has no likelihood.
  refused(rr_glm(said ~ 1, data.frame(team = rep(1:3, each = 5), said = 0), mechanism), "impossible")
  skip_if_not_installed("survey")
  fit <- rr_glm(said ~ x, survey::svydesign(ids = ~team, weights = ~w, data = data), mechanism)
  expect_s3_class(fit, "rr_glm")
  alone <- survey::svydesign(ids = ~1, weights = ~w, data = transform(data, moon = rep_len(c(0, 0, 0, 1), nrow(data))))
  refused(rr_glm(said ~ x, alone, mechanism))
  refused(rr_glm(said ~ 1, alone, mechanism, anchor = list(moon = rr_anchor(rr_warner(0.8))), attention = ~1))
})

test_that("blocks of hundreds of people have a likelihood, full or not", {
  # The sum over the numbers of truths, in logarithms: coefficients person by person.
  logs <- function(share) {
    Reduce(function(value, p) {
      up <- c(-Inf, value + log(p))
      value <- c(value, -Inf)
      pmax(value, up) + log1p(exp(-abs(value - up)) * is.finite(pmax(value, up) - pmin(value, up)))
    }, share, 0)
  }
  falling <- function(n, j) ifelse(j >= 0 & j <= n, lgamma(n + 1) - lgamma(n - pmax(0, pmin(j, n)) + 1), -Inf)
  own <- function(share, said, cards, no, yes) {
    n_yes <- sum(said)
    n_no <- sum(!said)
    truth <- cards - no - yes
    sum_of <- function(k, l) {
      falling(yes, n_yes - k) + falling(no, n_no - l) + falling(truth, k + l) - falling(cards, n_yes + n_no)
    }
    terms <- outer(0:n_yes, 0:n_no, sum_of) + outer(logs(share[said]), logs(1 - share[!said]), `+`)
    max(terms) + log(sum(exp(terms - max(terms))))
  }
  # Two full decks of 800, and 650 people of a deck of 1,000.
  cases <- list(list(cards = 800, people = c(800, 800)), list(cards = 1000, people = 650))
  for (case in cases) {
    data <- withr::with_seed(3, {
      block <- rep(seq_along(case$people), case$people)
      x <- rnorm(length(block))
      truth <- rbinom(length(block), 1, plogis(-1 + 0.5 * x))
      dictated <- case$cards * c(0.1, 0.2)
      deal <- function(n) sample(rep(c("no", "yes", "truth"), c(dictated, case$cards - sum(dictated))), n)
      card <- unlist(lapply(case$people, deal))
      data.frame(block, x, r = ifelse(card == "truth", c("no", "yes")[truth + 1], card))
    })
    mechanism <- rr_dealt(c(no = dictated[1], yes = dictated[2]), case$cards)
    seconds <- system.time(fit <- suppressWarnings(rr_glm(r ~ x, data, mechanism)))[["user.self"]]
    value <- function(b) {
      share <- plogis(b[1] + b[2] * data$x)
      parts <- split(seq_along(data$block), data$block)
      sum(vapply(parts, function(rows) {
        own(share[rows], data$r[rows] == "yes", case$cards, dictated[1], dictated[2])
      }, 0))
    }
    expect_equal(fit$loglik, value(coef(fit)), tolerance = 1e-9)
    # The gradient is 0 by differences, and the curvature that of the variance.
    h <- 0.01
    along <- vapply(-1:1, function(k) value(coef(fit) + c(0, k * h)), 0)
    expect_lt(abs(along[3] - along[1]) / (2 * h), 0.05)
    expect_equal((2 * along[2] - along[1] - along[3]) / h^2, solve(vcov(fit))[2, 2], tolerance = 1e-2)
    # It took a minute.
    expect_lt(seconds, 10)
  }
})
