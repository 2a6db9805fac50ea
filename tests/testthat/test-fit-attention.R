# A question with its anchor question, by moments.

attention_survey <- function(input) {
  data <- data.frame(y = input$y, a = input$anchor)
  for (part in c("weights", "stratum", "cluster")) data[[part]] <- input[[part]]
  data
}

attention_designs <- function(input) {
  if (input$op == "crosswise") return(list(rr_crosswise(input$p), rr_anchor(rr_crosswise(input$anchor_p))))
  chance <- input$inattentive_yes[1]
  list(rr_binary(input$q + input$d, input$q), rr_anchor(rr_binary(1, input$anchor_yes_attentive), answer = c(1 - chance, chance)))
}

test_that("golden vectors: estimates, covariances and intervals, with weights and designs", {
  for (case in golden("next_attention")) {
    input <- case$input
    if (input$op == "regression") next
    expected <- case$expected
    designs <- attention_designs(input)
    data <- attention_survey(input)
    weights <- if (!is.null(input$weights)) "weights"
    if (!is.null(input$stratum)) {
      skip_if_not_installed("survey")
      data <- survey::svydesign(~cluster, strata = ~stratum, weights = ~weights, data = data, nest = TRUE)
      weights <- NULL
    }
    fit <- rr_estimate(data, designs[[1]], "inv", column = c("y", "a"), anchor = designs[[2]], weights = weights, conf.level = input$level)
    table <- tidy(fit)
    expect_golden(table$estimate, c(1 - expected$estimate, expected$estimate, expected$attention), 1e-8)
    expect_golden(table$std.error, c(expected$se, expected$se, expected$se_attention), 1e-8)
    # No is 1 less yes.
    covariance <- c(-expected$se^2, expected$covariance, -expected$covariance)
    expect_golden(vcov(fit)[cbind(c("no", "yes", "no"), c("yes", "attentive", "attentive"))], covariance, 1e-8)
    # The vectors' intervals are normal; designs have the t distribution of their degrees of freedom.
    fit$df <- Inf
    expect_golden(unlist(tidy(fit, conf.int = TRUE, terms = "yes")[c("conf.low", "conf.high")]), expected$interval, 1e-8)
  }
})

test_that("groups are what each is alone, and a table of counts is its rows", {
  data <- data.frame(y = rep(c(0, 1, 0, 1, 0, 1, 0, 1), c(30, 90, 20, 160, 50, 70, 40, 140)),
                     a = rep(c(0, 0, 1, 1, 0, 0, 1, 1), c(30, 90, 20, 160, 50, 70, 40, 140)), g = rep(c("x", "z"), each = 300))
  anchor <- rr_anchor(rr_crosswise(0.15))
  fit <- rr_estimate(data, rr_crosswise(0.2), column = ~ y + a, anchor = anchor, by = ~g)
  for (group in c("x", "z")) {
    alone <- rr_estimate(data[data$g == group, ], rr_crosswise(0.2), column = ~ y + a, anchor = anchor)
    expect_equal(tidy(fit, conf.int = TRUE)[rep(c("x", "z"), each = 3) == group, -1], tidy(alone, conf.int = TRUE), tolerance = 1e-12)
  }
  expect_true(all(vcov(fit)[1:3, 4:6] == 0))
  counted <- as.data.frame(table(y = data$y, a = data$a))
  expect_equal(coef(rr_estimate(counted, rr_crosswise(0.2), column = c("y", "a"), anchor = anchor, count = "Freq")),
               coef(rr_estimate(data, rr_crosswise(0.2), column = c("y", "a"), anchor = anchor)), tolerance = 1e-12)
})

test_that("the published example of cWise is met", {
  # The cells of (answer, anchor, weight) of its 2,000 rows; 0.1054 (0.7729 attentive), and weighted 0.1097 (0.7888).
  cells <- data.frame(y = c(0, 1, 0, 1, 0, 1, 0, 1), a = c(0, 0, 1, 1, 0, 0, 1, 1), w = rep(c(1.25, 5), each = 4),
                      n = c(116, 252, 338, 871, 32, 59, 87, 245))
  data <- cells[rep(1:8, cells$n), ]
  anchor <- rr_anchor(rr_crosswise(0.15))
  plain <- rr_estimate(data, rr_crosswise(0.15), column = c("y", "a"), anchor = anchor)
  expect_equal(round(coef(plain)[["yes"]], 4), 0.1054)
  expect_equal(round(coef(plain)[["attentive"]], 4), 0.7729)
  weighted <- rr_estimate(data, rr_crosswise(0.15), column = c("y", "a"), anchor = anchor, weights = "w")
  expect_equal(round(coef(weighted)[c("yes", "attentive")], 4), c(yes = 0.1097, attentive = 0.7888))
})

test_that("attention above 1 is kept by inversion and held by maximum likelihood", {
  data <- data.frame(y = rep(0:1, c(30, 70)), a = rep(c(0, 1, 0, 1), c(1, 29, 4, 66)))
  anchor <- rr_anchor(rr_crosswise(0.15))
  inv <- rr_estimate(data, rr_crosswise(0.15), "inv", column = c("y", "a"), anchor = anchor)
  # By hand: (0.95 - 0.5) / (0.85 - 0.5), and the prevalence from it.
  expect_equal(coef(inv)[["attentive"]], 0.45 / 0.35, tolerance = 1e-12)
  expect_equal(coef(inv)[["yes"]], ((0.7 - 0.5) / (0.45 / 0.35) + 0.5 - 0.85) / -0.7, tolerance = 1e-12)
  held <- rr_estimate(data, rr_crosswise(0.15), column = c("y", "a"), anchor = anchor)
  expect_equal(coef(held)[c("yes", "attentive")], c(yes = (0.7 - 0.85) / -0.7, attentive = 1), tolerance = 1e-12)
  expect_identical(is.na(tidy(held)$std.error), c(FALSE, FALSE, TRUE))
  # An interval that would be empty reaches from the nearest prevalence.
  none <- data.frame(y = rep(0:1, c(2, 998)), a = rep(c(0, 1, 0, 1), c(1, 1, 149, 849)))
  # More yes than 85 of 100, which no truth gives.
  expect_warning(fit <- rr_estimate(none, rr_crosswise(0.15), column = c("y", "a"), anchor = anchor), class = "candor_warning_unlikely")
  ends <- tidy(fit, conf.int = TRUE, terms = "yes")
  expect_identical(c(ends$estimate, ends$conf.low), c(0, 0))
  expect_gt(ends$conf.high, 0)
})

test_that("replicates and finite populations of a design", {
  skip_if_not_installed("survey")
  set.seed(5)
  data <- data.frame(y = rbinom(400, 1, 0.7), a = rbinom(400, 1, 0.78), id = rep(1:80, each = 5))
  anchor <- rr_anchor(rr_crosswise(0.15))
  estimate <- function(design) rr_estimate(design, rr_crosswise(0.2), "inv", column = c("y", "a"), anchor = anchor)
  plain <- survey::svydesign(~id, weights = ~1, data = data)
  # The jackknife agrees with the linearization to a few per cent; its variance is that of the estimates made again.
  replicates <- survey::as.svrepdesign(plain, type = "JK1")
  expect_equal(vcov(estimate(replicates)), vcov(estimate(plain)), tolerance = 0.1)
  again <- survey::withReplicates(replicates, function(w, d) {
    gamma <- (sum(w * d$a) / sum(w) - 0.5) / 0.35
    ((sum(w * d$y) / sum(w) - 0.5) / gamma + 0.5 - 0.8) / -0.6
  })
  expect_equal(vcov(estimate(replicates))["yes", "yes"], attr(again, "var")[1], tolerance = 1e-9)
  # A census leaves the randomization alone, given the truths: the sum of squared scores, less that of their means.
  data$N <- 80
  census <- estimate(survey::svydesign(~id, weights = ~1, fpc = ~N, data = data))
  cells <- as.vector(table(data$y, data$a))
  gamma <- coef(census)[["attentive"]]
  slope <- c(1, 1 / 0.35) * c(1, -(mean(data$y) - 0.5) / gamma) / (gamma * -0.6)
  score <- slope[1] * (c(0, 1, 0, 1) - mean(data$y)) + slope[2] * (c(0, 0, 1, 1) - mean(data$a))
  channel <- cbind(rep(0.25, 4), as.vector(c(0.2, 0.8) %o% c(0.15, 0.85)), as.vector(c(0.8, 0.2) %o% c(0.15, 0.85)))
  truths <- qr.solve(channel, cells)
  by_hand <- (sum(cells * score^2) - sum(truths * drop(score %*% channel)^2)) / 400^2
  expect_equal(vcov(census)["yes", "yes"], by_hand, tolerance = 1e-9)
})

test_that("what has no estimate is refused", {
  data <- data.frame(y = rep(0:1, c(30, 70)), a = rep(0:1, 50))
  anchor <- rr_anchor(rr_crosswise(0.15))
  attentive <- transform(data, a = rep(0:1, c(80, 20)))
  expect_refused(rr_estimate(data, rr_crosswise(0.15), column = c("y", "a"), anchor = anchor),
                 rr_estimate(attentive, rr_crosswise(0.5), column = c("y", "a"), anchor = anchor), class = "no_information")
  expect_refused(rr_estimate(data, rr_crosswise(0.15), column = "y", anchor = anchor),
                 rr_estimate(data, rr_crosswise(0.15), column = c("y", "a"), anchor = rr_crosswise(0.15)),
                 rr_estimate(data, rr_grr(3, p = 0.8), column = c("y", "a"), anchor = anchor),
                 rr_estimate(rr_counts(c(1, 2), rr_crosswise(0.15)), rr_crosswise(0.15), column = c("y", "a"), anchor = anchor),
                 rr_estimate(data, rr_crosswise(0.15), column = c("y", "a"), anchor = anchor, target = "sample"),
                 rr_estimate(data, rr_crosswise(0.15), "ibu", column = c("y", "a"), anchor = anchor))
})

test_that("the interval of the prevalence covers", {
  # 400 surveys of the closed form's smallest setting; 95 per cent, with a simulation error of 1.1, leave 92 and more.
  set.seed(8)
  anchor <- rr_anchor(rr_crosswise(0.2))
  # Surveys are groups of one fit.
  n <- 400 * 300
  attentive <- rbinom(n, 1, 0.7)
  truth <- rbinom(n, 1, 0.2)
  data <- data.frame(survey = rep(1:400, each = 300), y = ifelse(attentive == 1, rbinom(n, 1, ifelse(truth == 1, 0.15, 0.85)), rbinom(n, 1, 0.5)),
                     a = ifelse(attentive == 1, rbinom(n, 1, 0.8), rbinom(n, 1, 0.5)))
  ends <- tidy(rr_estimate(data, rr_crosswise(0.15), "inv", column = c("y", "a"), anchor = anchor, by = "survey"), conf.int = TRUE)
  for (known in list(list("yes", 0.2), list("attentive", 0.7))) {
    rows <- ends[ends$term == known[[1]], ]
    expect_identical(rows$survey, 1:400)
    expect_gt(mean(rows$conf.low <= known[[2]] & known[[2]] <= rows$conf.high), 0.92)
  }
})

test_that("groups are cut as those of other estimates, and are those of the data of that group", {
  set.seed(9)
  data <- data.frame(bl = rep(c("N", "S", "W"), c(400, 500, 600)), sex = rep(1:2, 750), y = rbinom(1500, 1, 0.75), a = rbinom(1500, 1, 0.78))
  crosswise <- rr_crosswise(0.15)
  estimate <- function(data, method = "mle", ...) rr_estimate(data, crosswise, method, column = c("y", "a"), anchor = rr_anchor(crosswise), ...)
  for (method in c("mle", "inv")) for (simultaneous in c(FALSE, TRUE)) {
    fit <- estimate(data, method, by = "bl", simultaneous = simultaneous)
    whole <- tidy(fit, conf.int = TRUE)
    expect_identical(names(fit), c("N", "S", "W"))
    expect_length(fit, 3)
    south <- fit["S"]
    expect_s3_class(south, "rr_attention")
    expect_equal(tidy(south, conf.int = TRUE), whole[whole$bl == "S", ])
    expect_equal(tidy(fit[[2]], conf.int = TRUE), whole[whole$bl == "S", ])
    expect_equal(tidy(subset(fit, bl != "S"), conf.int = TRUE), whole[whole$bl != "S", ])
    expect_equal(tidy(fit[c(3, 1)][2], conf.int = TRUE), whole[whole$bl == "N", ])
    expect_equal(vcov(fit[3:2]), vcov(fit)[c(7:9, 4:6), c(7:9, 4:6)])
    expect_equal(nobs(south), 500)
    expect_equal(unname(coef(as.list(fit)$W)), whole$estimate[7:9])
    # The estimate of that group's data alone.
    alone <- estimate(data[data$bl == "S", ], method)
    if (!simultaneous) expect_equal(tidy(fit["S", drop = TRUE], conf.int = TRUE), tidy(alone, conf.int = TRUE))
    expect_refused(fit["X"], fit[4], class = "level")
    expect_refused(alone["S"])
    expect_output(print(south), "group S")
  }
})

test_that("more than all attentive: the interval contains the estimate, and what no truth gives warns", {
  rows <- function(n11, n10, n01, n00) {
    data.frame(q = rep(c(1, 1, 0, 0), c(n11, n10, n01, n00)), a = rep(c(0, 1, 0, 1), c(n11, n10, n01, n00)))
  }
  anchor <- rr_anchor(rr_crosswise(0.1))
  direct <- rr_binary(1, 0, levels = 0:1)
  few <- rows(12, 598, 28, 1362)
  expect_warning(fit <- rr_estimate(few, direct, column = c("q", "a"), anchor = anchor), class = "candor_warning_unlikely")
  # 40 of 2,000 where at least a tenth is due: attention is held at 1, where the share of yes is the prevalence.
  expect_equal(unname(coef(fit)), c(0.695, 0.305, 1))
  limits <- confint(fit)
  expect_true(all(limits[, 1] <= coef(fit) & coef(fit) <= limits[, 2]))
  expect_output(print(fit), "No truth makes these reports likely")
  expect_true(glance(fit)$unlikely)
  # All answers alike: no standard error, and an interval that is no point.
  none <- suppressWarnings(rr_estimate(rows(0, 0, 0, 300), direct, column = c("q", "a"), anchor = anchor))
  expect_true(all(is.na(tidy(none)$std.error)))
  limits <- confint(none)
  expect_true(all(limits[, 1] <= coef(none), coef(none) <= limits[, 2], limits[, 1] < limits[, 2]))
  # 20 of 200 attentive yes are as expected, and do not warn.
  expect_silent(rr_estimate(rows(2, 20, 18, 160), direct, column = c("q", "a"), anchor = anchor))
})

test_that("limits of prevalence are all that the reports do not refute, and beyond 0 or 1 what is as near as the nearest, by a grid", {
  device <- list(q = 0.2, d = 0.6, attentive = 0.9, inattentive = 0.5)
  V <- rbind(c(4e-4, -1e-4), c(-1e-4, 9e-4))
  z2 <- qnorm(0.975)^2
  gamma <- 0.8
  prevalence <- seq(0, 1, 1e-5)
  t <- device[["q"]] + device[["d"]] * prevalence - device[["inattentive"]]
  for (lambda in c(0.18, 0.24, 0.4, 0.6, 0.76, 0.83)) {
    excess <- lambda - device[["inattentive"]]
    distance <- (excess - t * gamma)^2 / (V[1, 1] - 2 * t * V[1, 2] + t^2 * V[2, 2])
    inside <- distance <= z2 + (if (min(distance) > z2) min(distance) else 0)
    estimate <- (excess / gamma - t[1]) / device[["d"]]
    limits <- attention_interval(c(estimate, gamma, lambda), V, device, z2)
    expect_lte(max(abs(limits - range(prevalence[inside]))), 2e-5)
  }
})

# Two groups of one survey whose clusters reach into both.
grouped_careless <- function(n = 600) {
  withr::with_seed(11, {
    attentive <- rbinom(n, 1, 0.75)
    truth <- rbinom(n, 1, rep(c(0.2, 0.4), n / 2))
    said <- function(p) ifelse(attentive == 1, rbinom(n, 1, p), rbinom(n, 1, 0.5))
    data.frame(g = rep(c("x", "z"), n / 2), id = rep(seq_len(n / 12), each = 12), w = runif(n, 1, 3), y = said(0.85 - 0.7 * truth), a = said(0.8))
  })
}

# Prevalence and attention of one group by the closed form of Atsusaka and Stevenson (2023).
by_moments <- function(data, w) {
  share <- function(x) weighted.mean(x, rep_len(w, length(x)))
  gamma <- (share(data$a) - 0.5) / 0.3
  c(yes = ((share(data$y) - 0.5) / gamma + 0.5 - 0.85) / -0.7, attentive = gamma)
}

test_that("groups are compared and combined: differences of the closed form, with its errors", {
  skip_if_not_installed("ggplot2")
  data <- grouped_careless()
  crosswise <- rr_crosswise(0.15)
  anchor <- rr_anchor(rr_crosswise(0.2))
  fit <- rr_estimate(data, crosswise, "inv", column = c("y", "a"), anchor = anchor, by = "g")
  # Both groups are independent.
  parts <- lapply(split(data, data$g), function(data) {
    mean <- by_moments(data, 1)
    slopes <- vapply(1:2, function(j) {
      step <- replace(c(0, 0), j, 1e-5)
      moved <- function(sign) by_moments(list(y = mean(data$y) + sign * step[1], a = mean(data$a) + sign * step[2]), 1)
      (moved(1) - moved(-1)) / 2e-5
    }, c(0, 0))
    list(estimate = mean, V = slopes %*% (cov(data[c("y", "a")]) * (nrow(data) - 1) / nrow(data)^2) %*% t(slopes))
  })
  difference <- parts$z$estimate - parts$x$estimate
  error <- sqrt(diag(parts$x$V) + diag(parts$z$V))
  table <- rr_compare(fit, c("yes", "attentive"))
  expect_equal(table$estimate, unname(difference), tolerance = 1e-9)
  expect_equal(table$std.error, unname(error), tolerance = 1e-6)
  expect_equal(table$conf.high, unname(difference + qnorm(0.975) * error), tolerance = 1e-6)
  expect_equal(table$p.value, unname(2 * pnorm(-abs(difference / error))), tolerance = 1e-5)
  expect_identical(rr_compare(fit)$term, "yes")
  expect_equal(rr_compare(fit[c("x", "z")]), rr_compare(fit))
  expect_equal(rr_compare(list(x = fit["x"], z = fit["z"]), "attentive")$std.error, unname(error[2]), tolerance = 1e-6)
  ratio <- rr_compare(fit, type = "ratio")
  expect_equal(ratio$estimate, parts$z$estimate[["yes"]] / parts$x$estimate[["yes"]], tolerance = 1e-9)
  contrast <- rr_contrast(fit, list(gap = c("z:yes" = 1, "x:yes" = -1), odd = c("x:yes" = 1, "x:attentive" = 1)))
  expect_equal(contrast$estimate, unname(c(difference[1], sum(parts$x$estimate))), tolerance = 1e-9)
  expect_equal(contrast$std.error, c(error[[1]], sqrt(sum(parts$x$V))), tolerance = 1e-6)
  expect_s3_class(ggplot2::autoplot(contrast), "ggplot")
  expect_s3_class(ggplot2::autoplot(table), "ggplot")
  alone <- rr_estimate(data, crosswise, column = c("y", "a"), anchor = anchor)
  expect_refused(rr_compare(alone), rr_compare(list(fit["x"], rr_estimate(data, crosswise, column = "y"))), rr_contrast(fit, cumulative = TRUE))
  expect_refused(rr_compare(fit, "moon"), rr_contrast(fit, "moon"), class = "level")
})

test_that("comparisons in a design have its covariance: replicates of the closed form", {
  skip_if_not_installed("survey")
  data <- grouped_careless()
  replicates <- survey::as.svrepdesign(survey::svydesign(~id, weights = ~w, data = data), type = "JK1")
  estimate <- function(design) rr_estimate(design, rr_crosswise(0.15), "inv", column = c("y", "a"), anchor = rr_anchor(rr_crosswise(0.2)), by = ~g)
  fit <- estimate(replicates)
  by_hand <- survey::withReplicates(replicates, function(w, data) {
    by_moments(data[data$g == "z", ], w[data$g == "z"]) - by_moments(data[data$g == "x", ], w[data$g == "x"])
  })
  table <- rr_compare(fit, c("yes", "attentive"))
  expect_equal(table$estimate, as.vector(by_hand), tolerance = 1e-9)
  expect_equal(table$std.error, unname(sqrt(diag(attr(by_hand, "var")))), tolerance = 1e-9)
  df <- survey::degf(replicates)
  expect_equal(table$p.value, 2 * pt(-abs(table$estimate / table$std.error), df), tolerance = 1e-12)
  contrast <- rr_contrast(fit, list(gap = c("z:yes" = 1, "x:yes" = -1)))
  expect_equal(contrast$std.error, table$std.error[1], tolerance = 1e-9)
  expect_equal(contrast$conf.low, table$conf.low[1], tolerance = 1e-9)
})

test_that("held estimates have no covariance, and are compared by their intervals", {
  data <- data.frame(g = rep(c("x", "z"), each = 100), y = rep(rep(0:1, 2), c(30, 70, 45, 55)),
                     a = c(rep(c(0, 1, 0, 1), c(1, 29, 4, 66)), rep(c(0, 1), c(25, 75))))
  anchor <- rr_anchor(rr_crosswise(0.15))
  fit <- rr_estimate(data, rr_crosswise(0.15), column = c("y", "a"), anchor = anchor, by = "g")
  expect_identical(coef(fit)[["x:attentive"]], 1)
  expect_identical(unname(is.na(diag(vcov(fit)))), is.na(tidy(fit)$std.error))
  expect_warning(table <- rr_compare(fit, "attentive"), class = "candor_warning_boundary")
  # Newcombe: each side by the distances of both intervals.
  ends <- confint(fit)
  share <- coef(fit)
  reach <- function(z, x) sqrt((share[["z:attentive"]] - ends["z:attentive", z])^2 + (share[["x:attentive"]] - ends["x:attentive", x])^2)
  expect_equal(c(table$conf.low, table$conf.high), table$estimate + c(-1, 1) * c(reach(1, 2), reach(2, 1)), tolerance = 1e-9)
  expect_identical(table$std.error, NA_real_)
  expect_identical(table$p.value < 0.05, table$conf.high < 0)
  expect_warning(contrast <- rr_contrast(fit, list(c("z:attentive" = 1, "x:attentive" = -1))), class = "candor_warning_boundary")
  expect_identical(contrast$std.error, NA_real_)
})

test_that("update() is the estimate of the same data with other arguments", {
  data <- grouped_careless()
  estimate <- function(...) rr_estimate(data, rr_crosswise(0.15), ..., column = c("y", "a"), anchor = rr_anchor(rr_crosswise(0.2)), by = "g")
  fit <- estimate()
  expect_equal(update(fit, conf.level = 0.8), estimate(conf.level = 0.8))
  expect_equal(update(fit, method = "inv", simultaneous = TRUE), estimate("inv", simultaneous = TRUE))
  expect_equal(update(fit["x"], conf.level = 0.8), estimate(conf.level = 0.8)["x"])
  expect_refused(update(fit, method = "ibu"), update(fit, target = "sample"), update(fit, conf.level = 2))
})

test_that("the posterior of the truth is Bayes' rule over attention and truth", {
  data <- grouped_careless()
  fit <- rr_estimate(data, rr_crosswise(0.15), column = c("y", "a"), anchor = rr_anchor(rr_crosswise(0.2)), by = "g")
  table <- predict(fit, c("yes", "no"))
  estimate <- matrix(coef(fit), 3)
  for (g in 1:2) for (row in 1:2) {
    says <- c(0.85, 0.15)
    if (row == 2) says <- 1 - says
    # Attentive with a true no and yes, and inattentive with either.
    cells <- c(estimate[3, g] * estimate[1:2, g] * says, (1 - estimate[3, g]) * estimate[1:2, g] * 0.5)
    rows <- table[table$g == c("x", "z")[g] & table$row == row, ]
    expect_equal(rows$posterior, c(cells[1] + cells[3], cells[2] + cells[4]) / sum(cells), tolerance = 1e-12)
  }
  full <- data.frame(y = rep(0:1, c(30, 70)), a = rep(c(0, 1, 0, 1), c(1, 29, 4, 66)))
  expect_refused(predict(rr_estimate(full, rr_crosswise(0.15), "inv", column = c("y", "a"), anchor = rr_anchor(rr_crosswise(0.15)))))
})

test_that("a picture has groups as rows, and a panel for the prevalence and for attention", {
  skip_if_not_installed("ggplot2")
  device <- rr_crosswise(0.2)
  data <- data.frame(
    q = rep(c("no", "yes", "no", "yes"), c(60, 90, 120, 30)), a = rep(c("yes", "no"), c(230, 70)),
    land = rep(c("Berlin", "Saarland"), 150)
  )
  fit <- rr_estimate(data, device, column = c("q", "a"), anchor = rr_anchor(device), by = "land")
  picture <- ggplot2::autoplot(fit)
  table <- tidy(fit)
  seen <- picture$data
  expect_identical(picture$labels$title, "q, by land")
  expect_identical(levels(seen$label), c("Saarland", "Berlin"))
  expect_identical(levels(seen$panel), c("yes", "attentive"))
  for (i in seq_len(nrow(seen))) {
    row <- table$land == seen$label[i] & table$term == seen$panel[i]
    expect_identical(seen$estimate[i], table$estimate[row])
  }
  # "no" alone is drawn; a fit without groups has one panel with both shares.
  expect_identical(unique(ggplot2::autoplot(fit, terms = "Berlin:no")$data$term), "no")
  whole <- ggplot2::autoplot(rr_estimate(data, device, column = c("q", "a"), anchor = rr_anchor(device)))
  expect_identical(as.character(whole$data$label), c("yes", "attentive"))
})

test_that("copies of reports count once beside an anchor question too, and different reports of one id are refused", {
  device <- rr_crosswise(0.2)
  data <- data.frame(
    q = rep(c("no", "yes", "no", "yes"), c(60, 90, 120, 30)), a = rep(c("yes", "no"), c(230, 70)), sender = 1:300
  )
  estimate <- function(data, ...) rr_estimate(data, device, column = c("q", "a"), anchor = rr_anchor(device), ...)
  twice <- data[c(1:300, 7, 200), ]
  suppressMessages(expect_message(once <- estimate(twice, id = "sender"), class = "candor_message_copies"))
  expect_identical(coef(once), coef(estimate(data)))
  twice$a[301] <- if (twice$a[301] == "yes") "no" else "yes"
  expect_error(estimate(twice, id = "sender"), class = "candor_error_argument")
})

test_that("a group of a design in which nobody answered leaves the errors of the others as they are", {
  skip_if_not_installed("survey")
  device <- rr_crosswise(0.2)
  data <- data.frame(
    q = rep(c("no", "yes", "no", "yes", "no"), c(60, 40, 50, 30, 20)), a = rep(c("yes", "no", "yes", "yes"), 50),
    land = factor(rep(c("x", "y", "z"), length.out = 200)), w = rep(1:5, 40)
  )
  data$q[data$land == "y"] <- NA
  design <- survey::svydesign(ids = ~1, weights = ~w, data = data)
  estimate <- function(design) {
    suppressMessages(suppressWarnings(rr_estimate(
      design, device, column = c("q", "a"), anchor = rr_anchor(device), by = ~land, na.rm = TRUE
    )))
  }
  some <- estimate(design)
  expect_identical(as.character(unique(tidy(some)$land)), c("x", "z"))
  # Groups are domains: the variance of each is that of its rows alone, others count 0.
  alone <- estimate(subset(design, land == "z"))
  expect_equal(tidy(some)[tidy(some)$land == "z", -1], tidy(alone)[, -1], tolerance = 1e-10)
})

test_that("estimates without a likelihood are refused by likelihood ratios, and comparisons of groups remain", {
  data <- data.frame(y = rep(c(0, 1, 0, 1), c(60, 160, 180, 600)), a = rep(c(0, 0, 1, 1), c(60, 160, 180, 600)), g = rep(1:2, 500))
  fit <- rr_estimate(data, rr_crosswise(0.15), column = c("y", "a"), anchor = rr_anchor(rr_crosswise(0.15)), by = "g")
  joint <- rr_estimate(rr_counts(c(180, 90, 80, 110), rr_product(a = rr_warner(0.8), b = rr_warner(0.8))), method = "inv")
  mean <- rr_estimate(rr_tally(rr_perturb(rep(0:4, 20), rr_mean(c(0, 4), 1)), rr_mean(c(0, 4), 1)))
  for (estimate in list(fit, rr_margin(joint, "a"), mean, rr_compare(fit))) {
    expect_refused(anova(estimate), logLik(estimate), AIC(estimate), BIC(estimate))
  }
  expect_error(anova(fit), "rr_compare", class = "candor_error_argument")
  expect_identical(nrow(rr_compare(fit, "yes")), 1L)
})

test_that("the epsilon of an anchor question is of attention, that of the question of the answer", {
  crosswise <- rr_crosswise(0.15)
  anchor <- rr_anchor(crosswise)
  # The largest ratio of two truths' probabilities of a report, by hand: 0.85 / 0.15 of the answer, 0.5 / 0.15 of attention.
  expect_equal(c(crosswise$epsilon, anchor$epsilon), log(c(0.85, 0.5) / 0.15))
  expect_match(format(anchor), "epsilon = 1.204 of attention", fixed = TRUE)
  expect_match(format(crosswise), "epsilon = 1.735$")
  expect_match(paste(capture.output(print(anchor)), collapse = " "), "epsilon +1.204.*of attention")
})

test_that("the attentive have Wilson's interval of the anchor question: of all rows together, and in designs by their degrees of freedom", {
  data <- grouped_careless()
  estimate <- function(data, ...) rr_estimate(data, rr_crosswise(0.15), "inv", column = c("y", "a"), anchor = rr_anchor(rr_crosswise(0.2)), by = "g", ...)
  # An attentive yes has probability 0.8, any other 0.5.
  wilson <- function(share, n, z) {
    (((share + z^2 / (2 * n)) + c(-1, 1) * z * sqrt(share * (1 - share) / n + z^2 / (4 * n^2))) / (1 + z^2 / n) - 0.5) / 0.3
  }
  together <- confint(estimate(data, simultaneous = TRUE, conf.level = 0.9))
  z <- qnorm(1 - 0.1 / 4 / 2)
  expect_equal(together["z:attentive", ], wilson(mean(data$a[data$g == "z"]), 300, z), ignore_attr = TRUE, tolerance = 1e-10)
  skip_if_not_installed("survey")
  design <- survey::svydesign(~id, weights = ~w, data = data)
  fit <- estimate(design)
  share <- with(data[data$g == "x", ], weighted.mean(a, w))
  n <- share * (1 - share) / (0.3^2 * vcov(fit)["x:attentive", "x:attentive"])
  expect_equal(confint(fit)["x:attentive", ], wilson(share, n, qt(0.975, 49)), ignore_attr = TRUE, tolerance = 1e-10)
})

test_that("answers that are all alike vary as if half an answer differed", {
  device <- list(q = 0.2, d = 0.6, attentive = 0.9, inattentive = 0.5)
  # Two groups of 100: nobody said yes to the question, and everybody to the anchor question; 0.3 and 0.7 did.
  V <- diag(c(9, 0, 0, 9, 2, 1))
  V[5, 6] <- V[6, 5] <- -0.4
  moments <- list(covariance = V, device = device, estimate = cbind(c(0.1, 1.25, 0), c(0.4, 0.5, 0.3)))
  expect_equal(attention_covariance(moments, 1, 100), diag(0.005 * 0.995 / 100 / c(1, 0.4^2)), tolerance = 1e-12)
  expect_equal(attention_covariance(moments, 2, 100), rbind(c(1, -0.4), c(-0.4, 2)))
})

test_that("reports are doubted if either question has fewer or more yes than any respondents give, by the tails of binomials", {
  # Yes to the question has a probability of 0.3 to 0.8, the inattentive one, and to the anchor question of 0.6 to 0.8.
  device <- list(q = 0.5, d = -0.2, attentive = 0.6, inattentive = 0.8)
  both <- rr_product(y = rr_warner(0.8), a = rr_warner(0.8))
  doubted <- function(question, anchor, groups) {
    cells <- c(200 - max(question, anchor), max(0, question - anchor), max(0, anchor - question), min(question, anchor))
    unlikely_attention(rr_counts(cbind(cells, c(60, 20, 20, 100))[, seq_len(groups), drop = FALSE], both), device)
  }
  for (groups in 1:2) {
    limit <- 0.001 / groups / 4
    low <- qbinom(limit, 200, c(0.3, 0.6))
    high <- qbinom(limit, 200, 0.8, lower.tail = FALSE)
    expect_identical(c(doubted(low[1], 140, groups)[1], doubted(low[1] - 1, 140, groups)[1]), c(FALSE, TRUE))
    expect_identical(c(doubted(140, low[2], groups)[1], doubted(140, low[2] - 1, groups)[1]), c(FALSE, TRUE))
    expect_identical(c(doubted(140, high, groups)[1], doubted(140, high + 1, groups)[1]), c(FALSE, TRUE))
    expect_identical(c(doubted(high, 140, groups)[1], doubted(high + 1, 140, groups)[1]), c(FALSE, TRUE))
    expect_false(any(doubted(30, 140, groups)[-1]))
  }
})

test_that("weights of rows without an answer, and of groups without any, change nothing", {
  data <- transform(grouped_careless(), g = factor(g, c("x", "u", "z")))
  estimate <- function(data, ...) {
    rr_estimate(data, rr_crosswise(0.15), column = c("y", "a"), anchor = rr_anchor(rr_crosswise(0.2)), by = "g", weights = "w", ...)
  }
  missing <- rbind(data, transform(data[1:9, ], y = NA, w = 50), transform(data[1:9, ], g = "u", a = NA))
  some <- suppressMessages(estimate(missing, na.rm = TRUE))
  expect_identical(names(some), c("x", "z"))
  expect_equal(vcov(some), vcov(estimate(data)), tolerance = 1e-12)
  # By hand: the scores of the attentive are (a - mean) / 0.3, each with its weight.
  by_hand <- vapply(split(data, data$g)[c("x", "z")], function(rows) sum((rows$w * (rows$a - weighted.mean(rows$a, rows$w)) / 0.3 / sum(rows$w))^2), 0)
  expect_equal(diag(vcov(some))[c("x:attentive", "z:attentive")], by_hand, ignore_attr = TRUE, tolerance = 1e-10)
})

test_that("an anchor question needs a yes or no in categories, no study, Wilson's interval, and rows that are people", {
  data <- grouped_careless()
  estimate <- function(mechanism = rr_crosswise(0.15), x = data, ...) {
    rr_estimate(x, mechanism, column = c("y", "a"), anchor = rr_anchor(rr_crosswise(0.2)), ...)
  }
  wide <- rr_channel(rbind(c(0.6, 0.3, 0.1), c(0.1, 0.2, 0.7)), levels = c("0", "1"))
  study <- rr_misclassification(table = rbind("0" = c("0" = 95, "1" = 5), "1" = c(10, 40)))
  expect_refused(estimate(wide), estimate(rr_unary(c("0", "1"), 1)), estimate(study), estimate(interval = "wald"), estimate(other = 1))
  skip_if_not_installed("survey")
  expect_refused(estimate(x = survey::svydesign(~id, weights = ~w, data = data), count = "w"))
})

test_that("moments of both questions give prevalence and attention, with the derivatives by one more respondent", {
  device <- list(q = 0.2, d = 0.6, attentive = 0.9, inattentive = 0.5)
  # 0.8 are attentive and 0.3 hold a yes: they say yes with 0.8 (0.2 + 0.6 0.3) + 0.2 0.5, and to the anchor question with 0.8 0.9 + 0.2 0.5.
  said <- c(question = 0.404, anchor = 0.82)
  # The question varies fastest; the answers of a person go together.
  shares <- c(1 - said[[1]] - said[[2]] + 0.35, said[[1]] - 0.35, said[[2]] - 0.35, 0.35)
  found <- attention_moments(500 * shares, device)
  expect_equal(found$estimate, c(0.3, 0.8, 0.404))
  for (cell in 1:4) {
    moved <- function(step) attention_moments((1 - step) * shares + step * (1:4 == cell), device)$estimate
    expect_equal(found$scores[, cell], (moved(1e-5) - moved(-1e-5)) / 2e-5, tolerance = 1e-7, ignore_attr = TRUE)
  }
  expect_equal(drop(found$scores %*% shares), c(0, 0, 0), ignore_attr = TRUE)
  # The inattentive, and the attentive by their truth.
  channel <- attention_channel(device)
  expect_equal(channel, rbind(rep(0.25, 4), c(0.08, 0.02, 0.72, 0.18), c(0.02, 0.08, 0.18, 0.72)))
  expect_equal(attention_moments(1e4 * drop(c(0.2, 0.8 * c(0.7, 0.3)) %*% channel), device)$estimate, c(0.3, 0.8, 0.404))
})

test_that("estimates beyond 0 and 1 are held without an error, and full attention leaves the question's own estimate", {
  device <- list(q = 0.2, d = 0.6, attentive = 0.9, inattentive = 0.5)
  moments <- list(estimate = cbind(c(0.3, 0.8, 0.4), c(0.25, 1.2, 0.44), c(-0.1, 0.7, 0.2), c(1.3, 1, 0.9), c(0.6, 1.1, 0.1)),
                  covariance = diag(c(4, 9, 1, 4, 16, 1, 4, 9, 1, 4, 0, 1, 25, 9, 1)), device = device)
  free <- attention_estimates(moments, FALSE)
  expect_equal(free$estimate, moments$estimate[1:2, ])
  expect_equal(free$error, cbind(c(2, 3), c(2, 4), c(2, 3), c(2, NA), c(5, 3)))
  held <- attention_estimates(moments, TRUE)
  expect_equal(held$estimate, cbind(c(0.3, 0.8), c((0.44 - 0.2) / 0.6, 1), c(0, 0.7), c(1, 1), c(0, 1)))
  expect_equal(held$error, cbind(c(2, 3), c(2, NA), c(NA, 3), c(NA, NA), c(NA, NA)))
})

test_that("the roots of a ratio are those of its quadratic, and all numbers if the attention may be 0", {
  V <- rbind(c(4e-4, -1e-4), c(-1e-4, 9e-4))
  roots <- attention_roots(0.1, 0.5, V, 4)
  expect_equal((0.1 - roots * 0.5)^2, 4 * (V[1, 1] - 2 * roots * V[1, 2] + roots^2 * V[2, 2]))
  expect_lt(roots[1], roots[2])
  expect_identical(attention_roots(0.1, 0.05, V, 4), c(-Inf, Inf))
})

test_that("attention beyond what the attentive can give has all shares that are as near as full attention", {
  device <- list(q = 0.2, d = 0.6, attentive = 0.9, inattentive = 0.5)
  distance <- function(yes, n) function(p) n * (yes - p)^2 / (p * (1 - p))
  limits <- function(yes, n, allowed) {
    far <- distance(yes, n)
    c(uniroot(function(p) far(p) - allowed, c(1e-6, yes), tol = 1e-12)$root, uniroot(function(p) far(p) - allowed, c(yes, 1 - 1e-6), tol = 1e-12)$root)
  }
  # 0.95 said yes, 0.9 at most do so.
  beyond <- limits(0.95, 400, 2 + distance(0.95, 400)(0.9))
  expect_equal(unname(attention_share((0.95 - 0.5) / 0.4, 0, 400, device, 2)), c((beyond[1] - 0.5) / 0.4, 1), tolerance = 1e-6)
  inside <- limits(0.7, 400, 2)
  expect_equal(unname(attention_share(0.5, 0, 400, device, 2)), (inside - 0.5) / 0.4, tolerance = 1e-6)
  # A variance says how many respondents the answers are worth: 0.7 0.3 / 150 / 0.4^2.
  expect_equal(unname(attention_share(0.5, 0.21 / 150 / 0.16, 400, device, 2)), (limits(0.7, 150, 2) - 0.5) / 0.4, tolerance = 1e-6)
  # An anchor question to which the attentive say no more often.
  turned <- replace(device, "attentive", 0.2)
  expect_equal(unname(attention_share(0.5, 0, 400, turned, 2)), rev(0.5 - limits(0.35, 400, 2)) / 0.3, tolerance = 1e-6)
})
