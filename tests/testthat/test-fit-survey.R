skip_if_not_installed("survey")

data("api", package = "survey", envir = environment())
direct <- rr_binary(1, 0, levels = c("No", "Yes"))
warner <- rr_warner(0.8, levels = c("No", "Yes"))

# Designs with clusters, strata, two stages, finite populations and without, a domain, calibrated weights, replicates. Made once.
api_designs <- local({
  designs <- NULL
  function() designs <<- designs %||% make_designs()
})

make_designs <- function() {
  designs <- list(
    clusters = survey::svydesign(id = ~dnum, weights = ~pw, data = apiclus1, fpc = ~fpc),
    infinite = survey::svydesign(id = ~dnum, weights = ~pw, data = apiclus1),
    strata = survey::svydesign(id = ~1, strata = ~stype, weights = ~pw, data = apistrat, fpc = ~fpc),
    two_stages = survey::svydesign(id = ~dnum + snum, fpc = ~fpc1 + fpc2, data = apiclus2)
  )
  designs$domain <- subset(designs$clusters, stype != "H")
  designs$calibrated <- survey::calibrate(designs$clusters, ~stype, c(`(Intercept)` = 6194, stypeH = 755, stypeM = 1018))
  designs$calibrated_domain <- subset(designs$calibrated, stype != "H")
  designs$jackknife <- survey::as.svrepdesign(designs$infinite)
  designs$jackknife_strata <- survey::as.svrepdesign(designs$strata)
  set.seed(8)
  designs$bootstrap <- survey::as.svrepdesign(designs$clusters, type = "bootstrap", replicates = 60)
  designs$mse <- survey::svrepdesign(data = apiclus1, weights = ~pw, type = "JK1", combined.weights = TRUE, mse = TRUE,
    repweights = stats::weights(designs$jackknife, "analysis"), scale = designs$jackknife$scale, rscales = designs$jackknife$rscales)
  designs
}

test_that("a direct question gives what svymean(), svytotal() and svyby() give, to 1e-10", {
  for (name in names(designs <- api_designs())) {
    design <- designs[[name]]
    shares <- survey::svymean(~awards, design)
    numbers <- survey::svytotal(~awards, design)
    by <- survey::svyby(~awards, ~stype, design, survey::svymean)
    theirs <- list(coef(shares), vcov(shares), coef(numbers), vcov(numbers), t(as.matrix(by[2:3])), t(as.matrix(survey::SE(by))))
    for (method in c("mle", "inv")) {
      fit <- rr_estimate(design, direct, column = ~awards, method = method)
      total <- rr_estimate(design, direct, column = ~awards, total = TRUE, method = method)
      groups <- rr_estimate(design, direct, column = ~awards, by = ~stype, method = method)
      ours <- list(coef(fit), vcov(fit), coef(total), vcov(total), coef(groups), tidy(groups)$std.error)
      expect_equal(lapply(ours, as.vector), lapply(theirs, as.vector), tolerance = 1e-10, label = paste(name, method))
    }
  }
})

test_that("groups share clusters: covariances and differences are those of svyby(covmat = TRUE) and svycontrast()", {
  for (design in api_designs()[c("clusters", "two_stages", "jackknife")]) {
    fit <- rr_estimate(design, direct, column = ~awards, by = ~stype, method = "inv")
    theirs <- survey::svyby(~awards, ~stype, design, survey::svymean, covmat = TRUE)
    order <- match(c("E:Yes", "H:Yes", "M:Yes"), names(coef(fit)))
    yes <- grep("Yes", names(coef(theirs)))
    expect_equal(unname(vcov(fit)[order, order]), unname(vcov(theirs)[yes, yes]), tolerance = 1e-10, ignore_attr = TRUE)
    contrast <- survey::svycontrast(theirs, stats::setNames(c(1, -1), names(coef(theirs))[yes[1:2]]))
    ours <- rr_contrast(fit, list(difference = c("E:Yes" = 1, "H:Yes" = -1)))
    expect_equal(c(ours$estimate, ours$std.error), c(coef(contrast), survey::SE(contrast)), tolerance = 1e-10, ignore_attr = TRUE)
    compared <- rr_compare(fit)
    row <- compared[compared$group1 == "E" & compared$group2 == "H", ]
    expect_equal(c(-row$estimate, row$std.error), c(ours$estimate, ours$std.error), tolerance = 1e-12)
    ratio <- rr_compare(fit, type = "ratio")[1, ]
    theirs_ratio <- survey::svycontrast(theirs, bquote(.(as.name(names(coef(theirs))[yes[2]])) / .(as.name(names(coef(theirs))[yes[1]]))))
    expect_equal(c(ratio$estimate, ratio$std.error), c(coef(theirs_ratio), survey::SE(theirs_ratio)), tolerance = 1e-10, ignore_attr = TRUE)
  }
})

test_that("randomized answers without a finite population: svymean() of the unbiased scores", {
  # The scores (y - q) / (p - q), by hand; with replicates and joint questions as well.
  set.seed(4)
  apiclus1$report <- rr_perturb(apiclus1$awards, warner, rng = "R")
  apiclus1$score <- ((apiclus1$report == "Yes") - 0.2) / 0.6
  design <- survey::svydesign(id = ~dnum, weights = ~pw, data = apiclus1)
  for (design in list(design, survey::as.svrepdesign(design))) {
    theirs <- survey::svymean(~score, design)
    for (method in c("inv", "mle")) {
      fit <- rr_estimate(design, warner, column = ~report, method = method)
      expect_equal(c(coef(fit)[["Yes"]], sqrt(vcov(fit)[2, 2])), c(coef(theirs), survey::SE(theirs)), tolerance = 1e-10, ignore_attr = TRUE)
    }
    theirs <- survey::svyby(~score, ~stype, design, survey::svymean)
    fit <- rr_estimate(design, warner, column = ~report, by = ~stype, method = "inv")
    expect_equal(tidy(fit)$std.error[c(2, 4, 6)], survey::SE(theirs), tolerance = 1e-10)
  }
})

test_that("what a correction for a finite population hides is what the design does not count of a respondent's own square", {
  # The quadratic form of the design's variance, for every fifth respondent by itself.
  counted <- function(design, some) {
    one <- diag(length(design_weights(design)))[, some]
    as.vector(diag(as.matrix(stats::vcov(survey::svytotal(one, design)))))
  }
  for (design in api_designs()[c("clusters", "infinite", "strata", "two_stages", "domain", "jackknife", "jackknife_strata", "mse")]) {
    w <- design_weights(design)
    some <- seq(1, length(w), 5)
    expect_equal((hidden_squares(design) / w^2)[some], 1 - counted(design, some) / w[some]^2, tolerance = 1e-9, ignore_attr = TRUE)
  }
  two_stages <- api_designs()$two_stages
  w <- design_weights(two_stages)
  some <- seq(1, length(w), 5)
  expect_equal(hidden_squares(two_stages), w, tolerance = 1e-12)
  withr::local_options(survey.ultimate.cluster = TRUE)
  expect_equal((w^2 - hidden_squares(two_stages))[some], counted(two_stages, some), tolerance = 1e-9, ignore_attr = TRUE)
})

test_that("replicate weights without a finite population give what survey gives for them, whatever made them", {
  people <- withr::with_seed(3, {
    data <- expand.grid(person = 1:6, town = 1:10, stratum = 1:3)
    data$town <- interaction(data$stratum, data$town)
    data$w <- 10 * data$stratum
    data$x <- rnorm(180) + data$stratum / 3
    data$part <- sample(letters[1:3], 180, TRUE)
    data$report <- rbinom(180, 1, 0.2 + 0.6 * rbinom(180, 1, 0.3))
    data
  })
  people$score <- (people$report - 0.2) / 0.6
  strata <- survey::svydesign(~town, strata = ~stratum, weights = ~w, data = people)
  pairs <- survey::svydesign(~town, strata = ~stratum, weights = ~w, data = people[people$town %in% outer(1:3, 1:2, paste, sep = "."), ])
  margins <- c(`(Intercept)` = 3600, x = 1800, partb = 1100, partc = 1300)
  set.seed(4)
  made <- c(list(jackknife = survey::as.svrepdesign(strata),
                 one = survey::as.svrepdesign(survey::svydesign(~town, weights = ~w, data = people))),
            lapply(c(b3 = 3, b10 = 10, b100 = 100), function(n) survey::as.svrepdesign(strata, type = "bootstrap", replicates = n)),
            lapply(c(s3 = 3, s100 = 100), function(n) survey::as.svrepdesign(strata, type = "subbootstrap", replicates = n)),
            list(mrb = suppressWarnings(survey::as.svrepdesign(strata, type = "mrbbootstrap", replicates = 60))))
  calibrated <- lapply(made[names(made) != "b3"], survey::calibrate, ~ x + part, margins, compress = FALSE)
  halves <- list(brr = survey::as.svrepdesign(pairs, type = "BRR"), fay = survey::as.svrepdesign(pairs, type = "Fay", fay.rho = 0.3))
  for (design in c(made, calibrated, halves)) {
    fit <- rr_estimate(design, rr_warner(0.8), column = ~report, method = "inv")
    expect_equal(vcov(fit)[2, 2], as.vector(vcov(survey::svymean(~score, design))), tolerance = 1e-10)
  }
  # Of three replicates all may count the same, and little, by chance.
  eight <- survey::svydesign(~1, weights = ~w, data = people[1:8, ])
  few <- vapply(1:200, function(i) {
    hidden <- hidden_squares(survey::as.svrepdesign(eight, type = "bootstrap", replicates = 3))
    any(hidden != 0)
  }, NA)
  expect_false(any(few))
})

test_that("random replicates and calibrated ones that hold a correction leave the randomization in", {
  # Drawn: 80 per cent. The design itself has the variance, svrVar() has a third of it; bootstraps are as near as their chance allows.
  set.seed(5)
  people <- data.frame(report = rbinom(400, 1, 0.35), x = rnorm(400), size = 500)
  design <- survey::svydesign(~1, fpc = ~size, data = people)
  variance <- function(design) vcov(rr_estimate(design, rr_warner(0.8), column = ~report, method = "inv"))[2, 2]
  known <- variance(design)
  jackknife <- survey::as.svrepdesign(design)
  expect_equal(variance(jackknife), known, tolerance = 1e-10)
  expect_equal(variance(survey::calibrate(jackknife, ~x, c(`(Intercept)` = 500, x = sum(people$x) * 1.3))), known, tolerance = 0.02)
  for (type in c("bootstrap", "mrbbootstrap")) {
    random <- survey::as.svrepdesign(design, type = type, replicates = 60)
    expect_equal(variance(random), known, tolerance = 0.15)
    expect_lt(vcov(survey::svymean(~I((report - 0.2) / 0.6), random))[1], 0.4 * known)
  }
})

test_that("in a census only the randomization is random: its unbiased variance is that of target = sample", {
  set.seed(6)
  n <- 500
  grr <- rr_grr(c("a", "b", "c"), epsilon = 1)
  rows <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.6, 0.3))
  mechanisms <- list(grr, rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.1, 0.3, 0.6))), rr_forced(c(0.1, 0.05, 0.2)))
  for (mechanism in mechanisms) {
    people <- data.frame(report = rr_perturb(sample(3, n, TRUE, c(5, 3, 2)), mechanism, rng = "R"), size = n)
    census <- survey::svydesign(id = ~1, fpc = ~size, data = people)
    fit <- rr_estimate(census, mechanism, column = ~report, method = "inv")
    plain <- rr_estimate(people, mechanism, column = ~report, method = "inv", target = "sample")
    expect_equal(vcov(fit), vcov(plain), tolerance = 1e-10)
    expect_equal(vcov(rr_estimate(census, mechanism, column = ~report, method = "inv", target = "sample")), vcov(plain), tolerance = 1e-10)
    expect_equal(vcov(rr_estimate(census, mechanism, column = ~report, method = "inv", total = TRUE)), vcov(plain) * n^2, tolerance = 1e-10)
    # And people drawn singly from a large population are as independent respondents are.
    people$size <- NULL
    single <- suppressWarnings(survey::svydesign(id = ~1, data = people))
    expect_equal(vcov(rr_estimate(single, mechanism, column = ~report, method = "inv")),
                 vcov(rr_estimate(people, mechanism, column = ~report, method = "inv")), tolerance = 1e-10)
  }
  # More reports than truths: the mean of the variance estimates over the randomization is the variance of the estimates.
  wide <- rr_channel(rows)
  truth <- rep(1:2, c(40, 20))
  census <- survey::svydesign(id = ~1, fpc = ~size, data = data.frame(report = truth, size = 60))
  draws <- replicate(150, {
    census$variables$report <- rr_perturb(truth, wide, rng = "R")
    fit <- rr_estimate(census, wide, column = ~report, method = "inv")
    c(coef(fit)[1], vcov(fit)[1, 1])
  })
  # The relative error of a variance of 150 draws is sqrt(2 / 150) = 11.5 per cent; four of them.
  expect_equal(mean(draws[2, ]), stats::var(draws[1, ]), tolerance = 0.46)
})

test_that("six items of a survey of 710 of 10,777 students: estimates and variances as published", {
  # Drawn without replacement, unrelated question with p = 0.5: the vignette of the package RRTCS 0.0.4 (Cobo, Rueda and Arcos
  # 2021), whose variance is the design's with N = 10777 and the sum of r (r - 1) w, the estimated randomization.
  published <- data.frame(
    yes = c(328, 180, 280, 81, 164, 53), pi = c(1 / 12, 1 / 10, 20 / 30, 1 / 10, 10 / 30, 1 / 12),
    estimate = c(0.8406103, 0.4070423, 0.1220657, 0.128169, 0.1286385, 0.06596244),
    variance = c(0.001389716, 0.001045196, 0.001337415, 0.0005597858, 0.000991658, 0.000383954),
    low = c(0.767545, 0.3436776, 0.05038851, 0.08179667, 0.06691805, 0.02755745)
  )
  for (i in seq_len(nrow(published))) {
    students <- data.frame(report = rep(1:0, c(published$yes[i], 710 - published$yes[i])), size = 10777)
    design <- survey::svydesign(id = ~1, fpc = ~size, data = students)
    fit <- rr_estimate(design, rr_unrelated(0.5, published$pi[i]), column = ~report, method = "inv", interval = "wald")
    expect_equal(coef(fit)[["yes"]], published$estimate[i], tolerance = 1e-6)
    expect_equal(vcov(fit)["yes", "yes"], published$variance[i], tolerance = 1e-6)
    # Theirs are normal intervals, ours of Student's t with 709 degrees of freedom.
    expect_lt(abs(confint(fit)["yes", 1] - published$low[i]), 2e-4)
  }
})

test_that("maximum likelihood in a channel: the sandwich of its scores", {
  set.seed(7)
  C <- rbind(c(0.6, 0.2, 0.1, 0.1), c(0.1, 0.5, 0.3, 0.1), c(0.1, 0.1, 0.2, 0.6))
  channel <- rr_channel(C)
  people <- data.frame(report = rr_perturb(sample(3, 900, TRUE, c(5, 3, 2)), channel, rng = "R"), cluster = rep(1:60, 15), w = runif(900, 1, 3))
  design <- survey::svydesign(id = ~cluster, weights = ~w, data = people)
  fit <- rr_estimate(design, channel, column = ~report)
  # By hand, in the two free shares.
  theta <- coef(fit)
  m <- drop(theta %*% C)
  free <- rbind(diag(2), -1)
  scores <- t(t(free) %*% C)[people$report, ] / m[people$report]
  information <- t(free) %*% C %*% diag(1 / m) %*% t(C) %*% free
  meat <- stats::vcov(survey::svytotal(scores / sum(people$w), design))
  expect_equal(unname(vcov(fit)[1:2, 1:2]), unname(solve(information) %*% meat %*% solve(information)), tolerance = 1e-6, ignore_attr = TRUE)
  # Replicates estimate again; both ways are near each other.
  replicates <- survey::as.svrepdesign(design)
  again <- survey::withReplicates(replicates, function(w, data) {
    unname(coef(rr_estimate(rr_counts(as.vector(rowsum(w, data$report)), channel, effective_n = 500))))
  })
  ours <- rr_estimate(replicates, channel, column = ~report)
  expect_equal(unname(diag(vcov(ours))), diag(attr(again, "var")), tolerance = 1e-4)
  expect_equal(unname(diag(vcov(ours))), unname(diag(vcov(fit))), tolerance = 0.1)
})

test_that("several questions: margins of the joint estimate are the single questions'", {
  set.seed(9)
  survey <- rr_product(award = warner, year = rr_warner(0.7, levels = c("No", "Yes")))
  apiclus1$award <- rr_perturb(apiclus1$awards, warner, rng = "R")
  apiclus1$year <- rr_perturb(apiclus1$yr.rnd, survey$questions$year, rng = "R")
  design <- survey::svydesign(id = ~dnum, weights = ~pw, data = apiclus1, fpc = ~fpc)
  fit <- rr_estimate(design, survey, method = "inv")
  single <- rr_estimate(design, warner, column = ~award, method = "inv")
  margin <- rr_margin(fit, "award")
  expect_equal(unname(coef(margin)), unname(coef(single)), tolerance = 1e-10)
  # The joint estimate adds the hidden randomization of the pair: its margin is that of the question.
  expect_equal(unname(vcov(margin)), unname(vcov(single)), tolerance = 1e-10)
  wald <- rr_estimate(design, warner, column = ~award, method = "inv", interval = "wald")
  expect_equal(unname(confint(margin)), pmin(pmax(unname(confint(wald)), 0), 1), tolerance = 1e-10)
  direct_pair <- rr_estimate(design, rr_product(awards = direct, yr.rnd = direct), method = "inv")
  theirs <- survey::svymean(~interaction(awards, yr.rnd), design)
  expect_equal(unname(coef(direct_pair)), unname(coef(theirs)), tolerance = 1e-10)
  expect_equal(unname(vcov(direct_pair)), unname(vcov(theirs)), tolerance = 1e-10, ignore_attr = TRUE)
  given <- rr_margin(direct_pair, "awards", given = "yr.rnd")
  expect_equal(unname(tidy(given)$std.error[1:2]), rep(as.numeric(survey::SE(survey::svymean(~awards, subset(design, yr.rnd == "No"))))[1], 2),
               tolerance = 1e-8)
  expect_refused(rr_margin(single, "award"), rr_margin(rr_estimate(design, survey, by = ~stype), "award"))
})

test_that("intervals cover under clustered sampling from a finite population, and naive ones do not", {
  # 80 clusters of 30 people with shares from 0.05 to 0.6, of which 20 are drawn, whole. The error of a coverage of 0.95 over
  # 120 samples is 0.02; three of them. Without the clusters the design effect of about two halves what is left outside.
  set.seed(10)
  people <- data.frame(cluster = rep(1:80, each = 30), clusters = 80)
  people$truth <- stats::rbinom(2400, 1, rep(stats::runif(80, 0.05, 0.6), each = 30))
  share <- mean(people$truth)
  mechanism <- rr_warner(0.9)
  design <- survey::svydesign(id = ~cluster, fpc = ~clusters, data = people[people$cluster <= 20, ])
  covered <- replicate(120, {
    drawn <- people[people$cluster %in% sample(80, 20), ]
    drawn$report <- rr_perturb(drawn$truth, mechanism, rng = "R")
    # Clusters have no names that an estimate looks at.
    design$variables <- drawn
    fit <- rr_estimate(design, mechanism, column = ~report, method = "inv")
    wald <- fit
    wald$interval <- "wald"
    covers <- vapply(list(fit, wald), function(each) {
      bounds <- confint(each)["yes", ]
      bounds[[1]] <= share && share <= bounds[[2]]
    }, NA)
    c(covers, sum(drawn$report))
  })
  expect_gt(mean(covered[1, ]), 0.95 - 0.06)
  expect_gt(mean(covered[2, ]), 0.95 - 0.06)
  # The same answers as those of so many people drawn singly: groups of one tally.
  counts <- rbind(600 - covered[3, ], covered[3, ], deparse.level = 0)
  naive <- confint(rr_estimate(rr_counts(counts, mechanism), method = "inv"))[2 * 1:120, ]
  expect_lt(mean(naive[, 1] <= share & share <= naive[, 2]), 0.95 - 0.06)
})

test_that("most of the population drawn: without the hidden part intervals would not cover", {
  # 90 per cent of 400 people; the correction leaves a tenth of the randomization, 0.8 per cent instead of 2.6.
  set.seed(11)
  truth <- rep(0:1, c(300, 100))
  mechanism <- rr_warner(0.75)
  design <- survey::svydesign(id = ~1, fpc = ~size, data = data.frame(report = rep(0, 360), size = 400))
  draws <- replicate(120, {
    design$variables$report <<- rr_perturb(sample(truth, 360), mechanism, rng = "R")
    fit <- rr_estimate(design, mechanism, column = ~report, method = "inv")
    c(coef(fit)[2], vcov(fit)[2, 2])
  })
  # The survey package's variance of the last survey: it hardly differs between surveys.
  theirs <- vcov(survey::svymean(~I((report - 0.25) / 0.5), design))
  # Relative error of a variance of 120 draws: 13 per cent; four of them. Without the hidden part it would be 70 per cent.
  expect_equal(mean(draws[2, ]), stats::var(draws[1, ]), tolerance = 0.52)
  expect_lt(as.vector(theirs), 0.3 * stats::var(draws[1, ]))
})

test_that("intervals stay within 0 and 1, also where all reports are alike", {
  people <- data.frame(cluster = rep(1:10, 5), report = 0)
  design <- survey::svydesign(id = ~cluster, weights = ~1, data = people)
  bounds <- confint(estimate_doubted(design, rr_warner(0.8), column = ~report))
  expect_true(all(bounds >= 0 & bounds <= 1 & bounds[, 1] < bounds[, 2]))
  # One cluster answered yes. Wald's go below 0.
  people$report[1:5] <- 1
  design <- survey::svydesign(id = ~cluster, weights = ~1, data = people)
  expect_true(all(confint(rr_estimate(design, rr_warner(0.8), column = ~report)) >= 0))
  expect_lt(min(confint(rr_estimate(design, rr_warner(0.8), column = ~report, method = "inv", interval = "wald"))), 0)
  one <- rr_estimate(design, rr_warner(0.8), column = ~report)
  both <- rr_estimate(design, rr_warner(0.8), column = ~report, simultaneous = TRUE)
  expect_equal(confint(both), confint(one, level = 0.975), ignore_attr = TRUE)
})

test_that("where all reports are alike the limits of yes are those of no, whatever rounding the variance of either leaves", {
  set.seed(3)
  people <- data.frame(cluster = rep(1:20, each = 3), area = c("a", "b"), report = c("no", "yes", "no", "no"), weight = stats::runif(60, 0.5, 2))
  design <- survey::svydesign(~cluster, weights = ~weight, data = people)
  bounds <- confint(rr_estimate(design, rr_forced(1 / 6), column = ~report, by = ~area))
  # Kish's number of respondents, and t with 19 degrees of freedom: Wilson's limit of 1/6, the share where the truth is no.
  w <- people$weight[people$area == "a"]
  ratio <- stats::qt(0.975, 19)^2 * sum(w^2) / sum(w)^2
  high <- (1 / 6 + ratio / 2 + sqrt(ratio * (5 / 36 + ratio / 4))) / (1 + ratio)
  expect_equal(unname(bounds["a:yes", ]), c(0, (high - 1 / 6) * 1.5), tolerance = 1e-9)
  expect_equal(unname(bounds["a:no", ]), 1 - rev(unname(bounds["a:yes", ])), tolerance = 1e-9)
})

test_that("functions of a share that a design holds at 0 have no error of 0, and groups are compared by their limits", {
  people <- data.frame(cluster = rep(1:20, each = 3), area = c("a", "b"), report = c("no", "yes", "no", "no"), weight = 1:3)
  design <- survey::svydesign(~cluster, weights = ~weight, data = people)
  fit <- rr_estimate(design, rr_forced(1 / 6), column = ~report, by = ~area)
  expect_warning(found <- rr_contrast(fit, list("a:yes", c("a:no", "a:yes"))), class = "candor_warning_boundary")
  # Both shares of a together are 1, whatever the data.
  expect_identical(found$std.error, c(NA, 0))
  expect_identical(found$conf.low, c(NA, 1))
  expect_warning(compared <- rr_compare(fit), class = "candor_warning_boundary")
  # Newcombe's limits, by the limits of both shares.
  limits <- confint(fit, "yes")
  share <- coef(fit)[c("a:yes", "b:yes")]
  expect_equal(compared$conf.low, diff(share)[[1]] - sqrt((share[[2]] - limits[2, 1])^2 + (limits[1, 2] - share[[1]])^2), tolerance = 1e-9)
  expect_true(is.na(compared$std.error))
  expect_warning(rr_compare(fit[c("a", "b")]), class = "candor_warning_boundary")
  total <- rr_estimate(design, rr_forced(1 / 6), column = ~report, by = ~area, total = TRUE)
  expect_identical(unname(confint(total, "a:yes")[1, ]), c(NA_real_, NA_real_))
})

test_that("missing reports and groups are left out as domains are", {
  apiclus1$report <- as.character(apiclus1$awards)
  apiclus1$report[c(3, 50)] <- NA
  apiclus1$kind <- as.character(apiclus1$stype)
  apiclus1$kind[7] <- NA
  design <- survey::svydesign(id = ~dnum, weights = ~pw, data = apiclus1, fpc = ~fpc)
  expect_error(rr_estimate(design, direct, column = ~report), class = "candor_error_missing")
  fit <- suppressMessages(rr_estimate(design, direct, column = ~report, by = ~kind, na.rm = TRUE))
  theirs <- survey::svyby(~report, ~kind, subset(design, !is.na(report) & !is.na(kind)), survey::svymean)
  expect_equal(tidy(fit)$std.error, as.vector(t(as.matrix(survey::SE(theirs)))), tolerance = 1e-10)
})

test_that("a tally of a design has its weights", {
  design <- api_designs()$domain
  tally <- suppressMessages(rr_tally(design, direct, column = ~awards, by = ~stype), "candor_message_design")
  expect_equal(tally$n, as.vector(rowsum(apiclus1$pw, apiclus1$stype))[c(1, 3)])
  calibrated <- suppressMessages(rr_tally(api_designs()$calibrated_domain, direct, column = ~awards), "candor_message_design")
  expect_equal(calibrated$n, 6194 - 755)
})

test_that("what is random is said in print", {
  fit <- rr_estimate(api_designs()$clusters, direct, column = ~awards, by = ~stype)
  expect_snapshot(print(fit))
  expect_identical(nobs(fit), 183)
})

test_that("errors say what a design cannot have", {
  design <- api_designs()$clusters
  people <- data.frame(id = 1:20, first = TRUE, second = rep(c(TRUE, FALSE), 10), report = rep(0:1, 10))
  phases <- survey::twophase(id = list(~id, ~id), subset = ~second, data = people)
  expect_refused(rr_estimate(design, direct, column = ~awards, weights = ~pw), rr_estimate(design, direct, column = ~awards, interval = "exact"),
                 rr_estimate(design, direct, column = ~nowhere), rr_estimate(design, column = ~awards), rr_estimate(phases, rr_warner(0.8), column = ~report),
                 rr_estimate(design, direct, column = ~awards, mispelt = 1), rr_estimate(design, direct, column = ~awards, total = 1),
                 rr_tally(design, direct, column = ~awards, weights = 1), rr_tally(design, "warner", column = ~awards),
                 rr_compare(rr_estimate(design, direct, column = ~awards)))
  expect_error(rr_estimate(design, direct, column = ~stype), class = "candor_error_level")
  expect_error(rr_estimate(design, rr_bloom(2, epsilon = 1), column = ~awards), class = "candor_error_law")
})

test_that("a tally of clusters or strata says that it does not keep them, an estimate keeps them", {
  die <- rr_warner(0.8)
  data <- data.frame(answer = rep(c("yes", "no", "no"), 8), cluster = rep(1:6, each = 4), stratum = rep(1:2, each = 12))
  design <- function(...) survey::svydesign(data = data, weights = rep(1, 24), ...)
  for (one in list(design(ids = ~cluster), survey::as.svrepdesign(design(ids = ~cluster)))) {
    expect_message(rr_tally(one, die, column = "answer"), class = "candor_message_design")
  }
  expect_no_message(rr_tally(design(ids = ~1), die, column = "answer"))
})

test_that("a design has no likelihood, and what needs one says so", {
  people <- data.frame(cluster = rep(1:10, each = 6), report = rep(c("no", "yes", "yes", "no", "no"), 12), area = rep(c("North", "South"), 30))
  fit <- rr_estimate(survey::svydesign(id = ~cluster, weights = ~1, data = people), rr_warner(0.8), column = ~report, by = ~area)
  for (refused in list(logLik, AIC, BIC, anova, rr_goodness_of_fit)) expect_refused(refused(fit))
  expect_error(anova(fit), "regTermTest")
})

test_that("impossible reports are told, and an estimate that is held at 0 has no standard error", {
  set.seed(21)
  data <- data.frame(cluster = rep(1:30, each = 20), weight = rep(c(1, 2, 3), 200), y = stats::rbinom(600, 1, 0.1))
  design <- survey::svydesign(~cluster, weights = ~weight, data = data)
  # The unrelated question is answered yes by 70 %: at least 52.5 % would say yes.
  estimate <- function(...) {
    expect_warning(fit <- rr_estimate(design, rr_unrelated(0.25, 0.7), column = "y", ...), class = "candor_warning_unlikely")
    fit
  }
  expect_identical(tidy(estimate())$std.error, c(NA_real_, NA_real_))
  # The total of all people has one.
  expect_identical(is.na(tidy(estimate(total = TRUE))$std.error), c(FALSE, TRUE))
  expect_true(is_doubted(estimate(method = "inv")))
})

test_that("clusters do not make possible reports look impossible", {
  # Whole clusters hold the truth or do not; given the truths each answer is randomized for itself. All say the truth of the
  # cluster but for the die, and nobody holds it in most surveys: the share of yes is as low as can be.
  set.seed(22)
  mechanism <- rr_forced(c(no = .1, yes = .3))
  design <- survey::svydesign(~cluster, weights = ~weight, data = data.frame(cluster = rep(1:12, each = 25), weight = rep(c(1, 4, 2), 100)))
  alarms <- vapply(1:100, function(i) {
    truth <- rep(stats::rbinom(12, 1, 0.05), each = 25)
    design$variables$y <- stats::rbinom(300, 1, ifelse(truth == 1, .9, .3))
    is_doubted(rr_estimate(design, mechanism, column = "y"))
  }, NA)
  # At most 1 in 1,000: two or more among 100 would have a probability of 0.005.
  expect_lte(sum(alarms), 1)
})

# Reports of respondents as a table, a column or columns of a protocol.
protocol_table <- function(data, reports) {
  if (is.data.frame(reports)) return(cbind(data, reports))
  data$report <- reports
  data
}

test_that("scores give what the channel gives where both are known, in every design, to 1e-10", {
  mechanism <- rr_grr(levels(apiclus1$stype), epsilon = 1.5)
  designs <- api_designs()
  # Schools' types were never randomized.
  rr_estimate <- estimate_odd
  for (name in names(designs)) {
    design <- designs[[name]]
    for (by in list(NULL, ~awards)) {
      plain <- suppressMessages(rr_estimate(rr_tally(design, mechanism, column = ~stype, by = by), method = "inv", interval = "wald"))
      data <- design_data(design, plain$tally, ~stype, by, scored = TRUE)
      # Each target with and without a total, one of both alone and the other by group.
      for (target in c("population", "sample")) {
        total <- (target == "sample") == is.null(by)
        fit <- rr_estimate(design, mechanism, column = ~stype, by = by, method = "inv", target = target, total = total)
        scored <- design_covariance(design, plain, data, target, total, list())
        expect_equal(scored$covariance, fit$covariance, tolerance = 1e-10, label = paste(name, target, total))
        if (!total) expect_equal(scored$inversion$estimate, fit$inversion$estimate, tolerance = 1e-10, ignore_attr = TRUE)
      }
    }
  }
})

test_that("shares of bits are svymean() of the debiased bits", {
  set.seed(4)
  mechanism <- rr_unary(levels(apiclus1$stype), epsilon = 1)
  data <- protocol_table(apiclus1, rr_perturb(apiclus1$stype, mechanism, rng = "R"))
  scores <- (as.matrix(data$report) - mechanism$q) / (mechanism$p - mechanism$q)
  data[c("E", "H", "M")] <- as.data.frame(scores)
  for (replicates in c(FALSE, TRUE)) {
    design <- survey::svydesign(id = ~dnum, weights = ~pw, data = data)
    if (replicates) design <- survey::as.svrepdesign(design)
    fit <- rr_estimate(design, mechanism, column = ~report)
    theirs <- survey::svymean(~ E + H + M, design)
    expect_equal(unname(coef(fit)), unname(coef(theirs)), tolerance = 1e-10)
    expect_equal(unname(vcov(fit)), unname(as.matrix(vcov(theirs))), tolerance = 1e-10, ignore_attr = TRUE)
    total <- rr_estimate(design, mechanism, column = ~report, total = TRUE)
    theirs <- survey::svytotal(~ E + H + M, design)
    expect_equal(unname(vcov(total)), unname(as.matrix(vcov(theirs))), tolerance = 1e-10, ignore_attr = TRUE)
  }
})

test_that("every protocol with scores has the estimate of its tally, and other ones are refused", {
  set.seed(5)
  people <- data.frame(id = rep(1:50, 4), w = rep(runif(50, 1, 3), 4), wave = rep(1:4, each = 50))
  truth <- sample(letters[1:4], 200, TRUE)
  for (mechanism in list(rr_unary(letters[1:4], 2), rr_subset(letters[1:4], 2), rr_local_hash(letters[1:4], 2),
                         rr_local_hash(letters[1:4], 2, cohorts = 5), rr_hadamard(letters[1:4], 2), rr_bitflip(letters[1:4], 2, d = 2),
                         rr_hadamard(letters[1:4], 2, one_bit = TRUE), rr_longitudinal(letters[1:4], 2, 1, "local-hash"))) {
    data <- protocol_table(people, suppressWarnings(rr_perturb(truth, mechanism, rng = "R")))
    column <- if ("report" %in% names(data)) "report"
    design <- survey::svydesign(ids = ~id, weights = ~w, data = data)
    fit <- rr_estimate(design, mechanism, column = column, by = ~wave)
    plain <- rr_estimate(data[setdiff(names(data), "id")], mechanism, column = column, by = "wave", weights = "w", method = "inv")
    expect_equal(coef(fit), coef(plain), tolerance = 1e-10)
    expect_true(all(is.finite(unlist(tidy(fit, conf.int = TRUE)[c("std.error", "conf.low", "conf.high")]))))
  }
  expect_refused(rr_estimate(design, mechanism, target = "sample"), rr_estimate(design, mechanism, method = "mle"))
  for (other in list(rr_bloom(letters[1:4], 2), rr_hierarchy(letters[1:4], 2))) {
    expect_error(rr_estimate(design, other, column = ~value), class = "candor_error_law")
  }
})

test_that("with respondents as clusters intervals of several rounds cover, without them they do not", {
  set.seed(6)
  design <- survey::svydesign(ids = ~id, weights = ~1, data = data.frame(id = rep(1:250, 6)))
  rounds <- function(mechanism, weeks = 6, people = 250) {
    x <- sample(5, people, TRUE, c(5, 2, 1, 1, 1))
    memory <- list()
    data <- do.call(rbind, lapply(seq_len(weeks), function(week) {
      drawn <- if (isTRUE(mechanism$memoised)) rr_perturb(x, mechanism, memory = memory, rng = "R") else list(reports = rr_perturb(x, mechanism, rng = "R"))
      memory <<- drawn$memory
      protocol_table(data.frame(id = seq_along(x)), drawn$reports)
    }))
    covers <- function(fit) {
      bounds <- confint(fit)[1, ]
      bounds[1] <= 0.5 && 0.5 <= bounds[2]
    }
    design$variables <- data
    c(clusters = covers(rr_estimate(design, mechanism, column = ~report)),
      plain = covers(rr_estimate(data["report"], mechanism, method = "inv")))
  }
  # Of 80 intervals of 95 per cent the share that covers has a standard deviation of .024: .853 is four of them below. Plain ones treat six
  # reports of a person as six people: with the variance between people they cover about .75.
  # The doubt takes reports for those of different people: of these designs a few are doubted.
  covered <- suppressWarnings(cbind(replicate(40, rounds(rr_longitudinal(5, 2, 1))), replicate(40, rounds(rr_hadamard(5, 3)))),
                              classes = "candor_warning_unlikely")
  expect_gt(mean(covered["clusters", ]), 0.853)
  expect_lt(mean(covered["plain", ]), 0.853)
})

test_that("a picture of many totals has an axis of people", {
  skip_if_not_installed("ggplot2")
  data <- data.frame(answer = rep(paste0("v", 1:50), 1:50), w = 1000)
  design <- survey::svydesign(ids = ~1, weights = ~w, data = data)
  picture <- ggplot2::autoplot(rr_estimate(design, rr_grr(paste0("v", 1:50), epsilon = 20), column = ~answer, total = TRUE))
  expect_identical(picture$labels$y, "People")
  axis <- ggplot2::ggplot_build(picture)$layout$panel_params[[1]]$y$get_labels()
  expect_false(any(grepl("%", axis)))
})

test_that("a picture of a design that is sorted by size has the limits by rank", {
  skip_if_not_installed("ggplot2")
  set.seed(8)
  m <- rr_grr(letters[1:8], epsilon = 2)
  data <- data.frame(answer = rr_perturb(sample(letters[1:8], 400, TRUE, c(8, 5, 3, 1, 1, 1, 1, 1)), m, rng = "R"), w = rep(c(1, 3), 200))
  for (interval in c("wilson", "wald")) {
    fit <- rr_estimate(survey::svydesign(ids = ~1, weights = ~w, data = data), m, method = "inv", column = ~answer, interval = interval)
    picture <- ggplot2::autoplot(fit, order = TRUE)
    low <- stats::setNames(picture$data$conf.low, picture$data$term)
    for (r in 1:8) {
      term <- names(sort(-coef(fit)))[r]
      expect_equal(low[[term]], confint(fit, term, level = 1 - 0.05 * r / 8)[[1]])
    }
  }
})

test_that("groups of a design are compared with the covariance that they share", {
  skip_if_not_installed("survey")
  people <- data.frame(cluster = rep(1:10, each = 6), report = rep(c("no", "yes", "yes", "no", "no"), 12),
                       area = rep(c("North", "South", "South"), 20))
  design <- survey::svydesign(id = ~cluster, weights = ~1, data = people)
  fit <- rr_estimate(design, rr_warner(0.8), column = ~report, by = ~area, method = "inv")
  expect_error(rr_compare(fit, "North"), class = "candor_error_level")
  compared <- rr_compare(fit)
  contrast <- rr_contrast(fit, c("South:yes" = 1, "North:yes" = -1))
  expect_equal(compared$estimate, contrast$estimate)
  expect_equal(compared$std.error, contrast$std.error)
})

test_that("rows of groups are named by their category, as those of a fit are", {
  data <- data.frame(report = rep(c("no", "yes", "yes", "no", "no"), 12), area = rep(c("North", "South"), 30))
  plain <- rr_estimate(data, rr_warner(0.8), column = "report", by = "area")
  fit <- rr_estimate(survey::svydesign(id = ~1, weights = ~1, data = data), rr_warner(0.8), column = ~report, by = ~area)
  for (terms in list("yes", c("yes", "no"))) {
    expect_identical(tidy(fit, terms = terms)[c("area", "term")], tidy(plain, terms = terms)[c("area", "term")])
    expect_identical(confint(fit, terms)[, 1], tidy(fit, conf.int = TRUE, terms = terms)$conf.low, ignore_attr = TRUE)
  }
  expect_identical(tidy(fit, terms = "South:yes")$estimate, coef(fit)[["South:yes"]])
  expect_error(tidy(fit, terms = "maybe"), class = "candor_error_level")
})

test_that("predict() is what a report says about its respondent, by Bayes' rule with the shares of the population", {
  data <- data.frame(report = rep(c("no", "yes", "yes", "no", "no"), 12), area = rep(c("North", "South"), 30), w = rep(1:3, 20))
  design <- survey::svydesign(id = ~1, weights = ~w, data = data)
  fit <- rr_estimate(design, rr_forced(1 / 6), column = ~report, by = ~area)
  share <- coef(fit)[["South:yes"]]
  said <- subset(predict(fit), area == "South" & report == "yes" & term == "yes")
  expect_equal(said$posterior, share * 5 / 6 / (share * 5 / 6 + (1 - share) / 6))
  expect_identical(nrow(predict(fit, c("yes", "no", "no"))), 12L)
  expect_refused(predict(rr_estimate(design, rr_forced(1 / 6), column = ~report, total = TRUE)))
})

test_that("independent surveys are compared, with Welch's degrees of freedom", {
  data <- data.frame(cluster = rep(1:10, each = 6), report = rep(c("no", "yes", "yes", "no", "no"), 12))
  first <- rr_estimate(survey::svydesign(id = ~cluster, weights = ~1, data = data), rr_warner(0.8), column = ~report, method = "inv")
  second <- rr_estimate(survey::svydesign(id = ~1, weights = ~1, data = data[1:37, ]), rr_warner(0.9), column = ~report, method = "inv")
  v <- c(vcov(first)[2, 2], vcov(second)[2, 2])
  df <- sum(v)^2 / sum(v^2 / c(9, 36))
  difference <- coef(second)[["yes"]] - coef(first)[["yes"]]
  compared <- rr_compare(list(before = first, after = second))
  expect_equal(compared$estimate, difference)
  expect_equal(compared$std.error, sqrt(sum(v)))
  expect_equal(compared$p.value, 2 * pt(-abs(difference) / sqrt(sum(v)), df))
  expect_equal(compared$conf.high, difference + qt(0.975, df) * sqrt(sum(v)))
  expect_identical(compared$group2, "after")
  data$area <- rep(c("a", "b"), 30)
  grouped <- rr_estimate(survey::svydesign(id = ~1, weights = ~1, data = data), rr_warner(0.8), column = ~report, by = ~area)
  plain <- rr_estimate(data, rr_warner(0.8), column = "report")
  expect_refused(rr_compare(list(first, grouped)), rr_compare(list(first, plain)), rr_compare(list(first)))
})

# ---- channels that a validation study measured ----

# The study's part, by hand: A (sum_x theta_gx theta_hx S_x) A' for each pair of groups, with shares in columns of `theta` and `size` people each.
study_part <- function(V, theta, size = rep(1, ncol(theta))) {
  C <- V / rowSums(V)
  A <- solve(t(C))
  S <- lapply(seq_len(nrow(V)), function(x) (diag(C[x, ]) - tcrossprod(C[x, ])) / sum(V[x, ]))
  blocks <- lapply(seq_len(ncol(theta)), function(g) do.call(cbind, lapply(seq_len(ncol(theta)), function(h) {
    size[g] * size[h] * A %*% Reduce(`+`, Map(function(s, t, u) s * t * u, S, theta[, g], theta[, h])) %*% t(A)
  })))
  do.call(rbind, blocks)
}

golden_table <- function(V) structure(V, dimnames = rep(list(as.character(seq_len(nrow(V)))), 2))

golden_design <- function(input) {
  data <- data.frame(report = as.character(input$report), domain = input$domain %||% 1)
  data$w <- input$weight
  if (is.null(input$replicates)) {
    data[c("stratum", "cluster")] <- input[c("stratum", "cluster")]
    return(survey::svydesign(ids = ~cluster, strata = ~stratum, weights = ~w, data = data, nest = TRUE))
  }
  survey::svrepdesign(data = data, weights = ~w, repweights = t(input$replicates), type = "other", scale = input$scale, rscales = 1,
    combined.weights = TRUE, mse = input$centre == "estimate")
}

test_that("a design with a validated test has the vectors' covariance, of domains too", {
  found <- Filter(function(case) case$input$op %in% c("design", "design_replicates"), golden("doors_validated"))
  expect_length(found, 6)
  for (case in found) {
    input <- case$input
    mechanism <- function(...) rr_misclassification(table = golden_table(input$validation), ...)
    estimate <- function(mechanism, method = "inv") {
      rr_estimate(golden_design(input), mechanism, column = ~report, by = if (any(input$domain > 1)) ~domain, total = isTRUE(input$total), method = method)
    }
    fit <- estimate(mechanism())
    expect_golden(coef(fit), t(case$expected$estimate), 1e-8)
    expect_golden(vcov(fit), case$expected$vcov, 1e-8)
    # Maximum likelihood is the inversion inside; the channel that is known is the design's part.
    if (all(case$expected$estimate >= 0)) expect_golden(vcov(estimate(mechanism(), "mle")), case$expected$vcov, 1e-8)
    expect_golden(vcov(estimate(mechanism(validation = "exact"))), case$expected$vcov_design, 1e-8)
  }
})

test_that("finite, calibrated and replicate designs add the study's part, for both targets", {
  V <- rbind(No = c(No = 83, Yes = 17), Yes = c(6, 44))
  known <- rr_misclassification(table = V, validation = "exact")
  test <- rr_misclassification(table = V)
  for (name in c("clusters", "strata", "two_stages", "calibrated", "jackknife", "bootstrap")) for (target in c("population", "sample")) {
    estimate <- function(mechanism, ...) rr_estimate(api_designs()[[name]], mechanism, column = ~awards, by = ~stype, target = target, ...)
    fit <- estimate(test, method = "inv")
    theta <- matrix(coef(fit), 2)
    expect_equal(unname(vcov(fit)), unname(vcov(estimate(known, method = "inv")) + study_part(V, theta)), tolerance = 1e-10, label = paste(name, target))
    total <- estimate(test, method = "inv", total = TRUE)
    part <- study_part(V, theta, matrix(coef(total), 2)[1, ] / theta[1, ])
    expect_equal(unname(vcov(total)), unname(vcov(estimate(known, method = "inv", total = TRUE)) + part), tolerance = 1e-10)
    # Differences of domains: the covariance is known, so that most of the study cancels.
    L <- c(0, -1, 0, 1, 0, 0)
    expect_equal(rr_contrast(fit, stats::setNames(L[L != 0], names(coef(fit))[L != 0]))$std.error, sqrt(drop(L %*% vcov(fit) %*% L)))
    compared <- rr_compare(fit)
    expect_equal(compared$std.error[compared$group1 == "E" & compared$group2 == "H"], sqrt(drop(L %*% vcov(fit) %*% L)))
  }
})

test_that("two surveys that are read with one study share its error", {
  V <- rbind(No = c(No = 83, Yes = 17), Yes = c(6, 44))
  test <- rr_misclassification(table = V)
  first <- rr_estimate(api_designs()$clusters, test, column = ~awards, method = "inv")
  second <- rr_estimate(api_designs()$strata, test, column = ~awards, method = "inv")
  both <- study_part(V, cbind(coef(first), coef(second)))[2, 4]
  compared <- rr_compare(list(a = first, b = second))
  expect_equal(compared$std.error, sqrt(vcov(first)[2, 2] + vcov(second)[2, 2] - 2 * both))
  # Another study is independent of it, and its part of a domain stays with the domain.
  other <- rr_estimate(api_designs()$strata, rr_misclassification(table = V + 1), column = ~awards, method = "inv")
  expect_equal(rr_compare(list(a = first, b = other))$std.error, sqrt(vcov(first)[2, 2] + vcov(other)[2, 2]))
  groups <- rr_estimate(api_designs()$strata, test, column = ~awards, by = ~stype, method = "inv")
  expect_equal(vcov(groups[2]), vcov(groups)[3:4, 3:4])
  expect_equal(rr_compare(list(a = first, b = groups[2, drop = TRUE]))$std.error,
    sqrt(vcov(first)[2, 2] + vcov(groups)[4, 4] - 2 * study_part(V, cbind(coef(first), coef(groups)[3:4]))[2, 4]))
})

# Truth: the variance of the reported share that the survey package gives says of how many independent respondents it is.
test_that("the interval of a measured channel is that of as many independent respondents as have the design's variance", {
  V <- rbind(No = c(No = 83, Yes = 17), Yes = c(6, 44))
  three <- rbind(E = c(E = 60, H = 9, M = 7), H = c(4, 50, 3), M = c(8, 5, 66))
  for (name in c("infinite", "jackknife")) for (column in c("awards", "stype")) {
    design <- api_designs()[[name]]
    mechanism <- rr_misclassification(table = if (column == "awards") V else three)
    shares <- survey::svymean(stats::reformulate(column), design)
    A <- solve(t(rr_matrix(mechanism)))
    phi <- coef(shares)
    independent <- diag(A %*% (diag(phi) - tcrossprod(phi)) %*% t(A))
    n <- independent / diag(A %*% vcov(shares) %*% t(A))
    fit <- rr_estimate(design, mechanism, column = stats::reformulate(column))
    t <- stats::qt(0.975, survey::degf(design))
    for (i in seq_along(n)) {
      tally <- rr_counts(unname(n[i] * phi), mechanism, effective_n = n[[i]])
      expect_equal(confint(fit)[i, ], confint(rr_estimate(tally, conf.level = 1 - 2 * stats::pnorm(-t)))[i, ], tolerance = 1e-8, ignore_attr = TRUE,
        label = paste(name, column, i))
    }
    # Wald's interval is by t; a share that is held at 0 has none.
    wald <- confint(rr_estimate(design, mechanism, column = stats::reformulate(column), interval = "wald"))
    expect_equal(wald[, 2], coef(fit) + t * tidy(fit)$std.error, ignore_attr = TRUE)
  }
  # Two clusters leave one degree of freedom: the interval is still one.
  few <- survey::svydesign(ids = ~g, weights = ~1, data = data.frame(g = rep(1:2, each = 40), y = rep(c("No", "Yes", "No", "No"), c(10, 30, 20, 20))))
  limits <- confint(rr_estimate(few, rr_misclassification(table = V), column = ~y))
  expect_true(all(limits >= 0 & limits <= 1 & limits[, 1] < limits[, 2]))
})

test_that("sums of weights of labels by truth and report, and of all reports, some of which nobody gave", {
  data <- data.frame(truth = c(1, NA, 2, 1), code = c(1, 1, 3, 3))
  sums <- labelled_sums(data, 1:4, c(2, 3, 4, 1), 2, 4)
  expect_equal(sums$labels, rbind(c(2, 0, 1, 0), c(0, 0, 4, 0)))
  expect_equal(sums$predictive, rbind(c(1, 0, 0.2, 0), c(0, 0, 0.8, 0)))
  expect_equal(sums$reports, c(5, 0, 5, 0))
})

test_that("replicates that count less than w^2 hold a correction: jackknives exactly, random ones beyond chance, halves never", {
  replicated <- function(replicates, type, rscales = rep(1, ncol(replicates)), mse = TRUE, scale = 1) {
    data <- data.frame(x = seq_len(nrow(replicates)))
    hidden_squares(suppressWarnings(survey::svrepdesign(data = data, weights = rep(1, nrow(data)), repweights = replicates, type = type, scale = scale,
                                                        rscales = rscales, mse = mse, combined.weights = TRUE)))
  }
  # Replicate i has the weight 1 + a for person i and 1 for the others: it counts a^2 of w^2 = 1.
  raised <- function(n, a) 1 + diag(a, n)
  half <- raised(10, sqrt(0.5))
  for (type in c("JK1", "JKn", "bootstrap", "other")) {
    expect_equal(replicated(half, type), rep(0.5, 10))
    # About the mean 1 + a / 10 it counts (a^2 81 + 9 a^2) / 100.
    expect_equal(replicated(half, type, mse = FALSE), rep(0.55, 10))
    expect_identical(replicated(raised(10, 1), type), numeric(10))
  }
  for (type in c("BRR", "JK2")) expect_identical(replicated(half, type), numeric(10))
  # Nine may count little by chance; a jackknife may not.
  expect_identical(replicated(raised(9, sqrt(0.5)), "bootstrap"), numeric(9))
  expect_equal(replicated(raised(9, sqrt(0.5)), "JK1"), rep(0.5, 9))
  expect_equal(replicated(half, "JK1", rscales = 2 * (1:10 < 6), scale = 0.5), rep(c(0.5, 1), each = 5))
  # A replicate without a scale is in no mean.
  expect_equal(replicated(cbind(half, 7), "bootstrap", rscales = rep(1:0, c(10, 1)), mse = FALSE), rep(0.55, 10))
  # Chance: the one-sided test at 1e-4 that the replicates count less than 1 in all.
  for (a in c(0.4, 0.5)) {
    uneven <- 1 + diag(rep(c(a, 0.9), 6))
    p <- t.test(colSums((uneven - 1)^2) / 12, mu = 1 / 12, alternative = "less")$p.value
    expect_identical(any(replicated(uneven, "bootstrap") != 0), p < 1e-4)
    expect_identical(p < 1e-4, a == 0.5)
  }
})

test_that("groups of a design that are taken out keep their rows, covariances and people", {
  people <- data.frame(cluster = rep(1:12, each = 10), area = c("N", "S", "W"), w = c(rep(1:4, 15), rep(1:3, 20)))
  people$report <- rep_len(c("no", "yes", "no", "no", "yes", "no", "no"), 120)
  design <- survey::svydesign(ids = ~cluster, weights = ~w, data = people)
  rows <- c(5, 6, 1, 2)
  for (asked in list(list(), list(method = "inv"), list(total = TRUE))) {
    fit <- do.call(rr_estimate, c(list(design, rr_warner(0.8), column = "report", by = "area"), asked))
    some <- fit[c("W", "N")]
    expect_equal(as.list(tidy(some, conf.int = TRUE)), as.list(tidy(fit, conf.int = TRUE)[rows, ]))
    expect_equal(vcov(some), vcov(fit)[rows, rows])
    expect_identical(nobs(some), 80)
    expect_equal(some$size, unname(c(tapply(people$w, people$area, sum)[c("W", "N")])))
    expect_equal(as.list(tidy(fit["S"], conf.int = TRUE)), as.list(tidy(fit, conf.int = TRUE)[3:4, ]))
  }
  # With labels, those who have one are people of their group, too.
  people$truth <- ifelse(people$cluster < 7, people$report, NA)
  people$report[people$w == 3] <- "yes"
  people$area[people$cluster > 9] <- "N"
  design <- survey::svydesign(ids = ~cluster, weights = ~w, data = people)
  fit <- rr_estimate(design, rr_misclassification(labels = "truth"), column = "report", by = "area")
  expect_equal(c(nobs(fit), nobs(fit["W"]), nobs(fit["W"]["W"])), c(120, 30, 30))
})

test_that("a reader of a design is told what is held at 0, and what is doubted", {
  # 20 of 100 say yes whatever the truth is; weights of one are those of a plain sample.
  n_notes <- function(yes, ...) {
    data <- data.frame(report = rep(c("no", "yes"), c(100 - yes, yes)))
    fit <- suppressWarnings(rr_estimate(survey::svydesign(ids = ~1, weights = ~1, data = data), rr_warner(0.8), column = ~report, ...))
    length(info_of(fit, "notes"))
  }
  expect_identical(c(n_notes(40), n_notes(19, method = "inv")), c(0L, 0L))
  held <- n_notes(19)
  expect_gt(held, 0L)
  expect_identical(n_notes(82), held)
  expect_gt(n_notes(1), held)
  expect_gt(n_notes(1, method = "inv"), 0L)
})

test_that("shares of a design do not depend on the unit of the weights, in groups too", {
  data <- data.frame(area = rep(c("N", "S"), c(30, 50)), w = rep(c(1, 3), 40), report = rep_len(c("no", "yes", "no", "no", "yes"), 80))
  estimate <- function(unit, ...) {
    data$w <- data$w / unit
    rr_estimate(survey::svydesign(ids = ~1, weights = ~w, data = data), rr_warner(0.8), column = ~report, by = ~area, ...)
  }
  # In the second unit a whole group weighs less than one.
  for (method in c("mle", "inv")) {
    whole <- estimate(1, method = method)
    small <- estimate(1000, method = method)
    expect_equal(as.list(tidy(small, conf.int = TRUE)), as.list(tidy(whole, conf.int = TRUE)))
    expect_equal(vcov(small), vcov(whole))
  }
})

test_that("more than 1000 reports, or 2000 of all groups, have no covariance matrix of a design", {
  data <- data.frame(report = rep(1:4, 6), area = rep(c("N", "S", "W"), 8))
  design <- survey::svydesign(ids = ~1, weights = ~1, data = data)
  refused <- function(...) expect_error(rr_estimate(design, ..., column = ~report), class = "candor_error_too_large")
  refused(rr_grr(1001, 3))
  refused(rr_grr(700, 3), by = ~area)
  # The levels are few, the reports of a channel are many.
  set.seed(1)
  wide <- matrix(runif(2 * 1001), 2)
  refused(rr_channel(wide / rowSums(wide), levels = c("no", "yes"), reports = 1:1001))
})

test_that("designs of decks, and of labels, are estimated only where their randomization is known", {
  data <- data.frame(block = rep(1:6, each = 4), report = rep_len(c("no", "yes", "yes"), 24), truth = c("no", NA, "yes"), units = 40, w = 3)
  finite <- survey::svydesign(ids = ~block, weights = ~w, fpc = ~units, data = data)
  infinite <- survey::svydesign(ids = ~block, weights = ~w, data = data)
  deck <- rr_dealt(c(no = 1, yes = 1), 4)
  labels <- rr_misclassification(labels = "truth")
  expect_refused(rr_estimate(finite, deck, column = ~report), rr_estimate(infinite, deck, column = ~report, target = "sample"),
                 rr_estimate(finite, labels, column = ~report), rr_estimate(infinite, labels, column = ~report, target = "sample"),
                 rr_estimate(infinite, labels, column = ~report, method = "ibu"), rr_estimate(infinite, rr_unary(c("no", "yes"), 2), method = "mle"))
  fits <- lapply(c("mle", "inv"), function(method) coef(rr_estimate(infinite, labels, column = ~report, method = method)))
  expect_equal(fits[[1]], fits[[2]])
  expect_identical(fits[[1]], coef(rr_estimate(infinite, labels, column = ~report)))
})
