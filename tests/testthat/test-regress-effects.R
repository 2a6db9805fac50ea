survey_of <- function(n, seed) {
  withr::with_seed(seed, {
    data <- data.frame(age = runif(n, 18, 80), g = factor(sample(letters[1:3], n, TRUE)), z = rbinom(n, 1, 0.5))
    truth <- rbinom(n, 1, plogis(-1 + 0.03 * (data$age - 50) + 0.5 * (data$g == "b")))
    data$y <- ifelse(runif(n) < 2 / 3, truth, rbinom(n, 1, 0.5))
    data
  })
}
forced <- rr_forced(c(1 / 6, 1 / 6))
data <- survey_of(1200, 1)

# By brute force: every row's prediction with the covariate moved, the gradient by differences in the coefficients.
brute <- function(fit, value) {
  at <- function(b) {
    moved <- fit
    moved$point <- b
    moved$coefficients[] <- b
    x <- stats::model.matrix(fit)
    moved$linear.predictors[] <- as.vector(x %*% b)
    value(moved)
  }
  b <- fit$point
  gradient <- vapply(seq_along(b), function(k) {
    h <- replace(numeric(length(b)), k, 1e-5)
    (at(b + h) - at(b - h)) / 2e-5
  }, 0)
  c(at(b), sqrt(drop(gradient %*% vcov(fit) %*% gradient)))
}

test_that("averages and their errors are those of brute force, for curves and interactions too", {
  for (formula in list(y ~ age + g, y ~ poly(age, 2) * z, y ~ log(age) + I((age / 10)^2) + g:z)) {
    fit <- quietly(rr_glm(formula, data, forced))
    effects <- rr_effects(fit)
    slope <- brute(fit, function(f) {
      up <- predict(f, transform(data, age = age + 1e-3), "truth")
      mean(up - predict(f, transform(data, age = age - 1e-3), "truth")) / 2e-3
    })
    row <- effects[effects$term == "age", ]
    expect_equal(row$estimate, slope[1], tolerance = 1e-5)
    expect_equal(row$std.error, slope[2], tolerance = 1e-4)
    if ("z" %in% effects$term) {
      step <- brute(fit, function(f) mean(predict(f, transform(data, z = 1), "truth") - predict(f, transform(data, z = 0), "truth")))
      row <- effects[effects$term == "z", ]
      expect_identical(row$contrast, "1 - 0")
      expect_equal(c(row$estimate, row$std.error), step, tolerance = 1e-6)
    }
  }
})

test_that("a matrix of one column, as scale() gives, is a number", {
  effects <- function(age) as.data.frame(rr_effects(rr_glm(y ~ age + g, transform(data, age = age), forced)))
  expect_equal(effects(scale(data$age)), effects(as.numeric(scale(data$age))), tolerance = 1e-8)
})

test_that("groups have their own averages, and the tallies' shares are met", {
  effects <- rr_effects(rr_glm(y ~ g, data, forced), character(), by = "g")
  moment <- (tapply(data$y, data$g, mean) - 1 / 6) / (2 / 3)
  expect_equal(effects$estimate, as.vector(moment), tolerance = 1e-8)
  # A saturated model: the error of the moment estimate with the fitted report share.
  m <- tapply(data$y, data$g, mean)
  expect_equal(effects$std.error, as.vector(sqrt(m * (1 - m) / table(data$g)) / (2 / 3)), tolerance = 1e-8)
})

test_that("an infinite estimate has finite averages", {
  rare <- data.frame(g = rep(c("a", "b"), each = 60), y = rep(c(0, 1, 0, 1), c(50, 10, 57, 3)))
  fit <- suppressWarnings(rr_glm(y ~ g, rare, rr_warner(0.8)))
  expect_warning(effects <- rr_effects(fit), class = "candor_warning_infinite")
  expect_true(all(is.finite(effects$estimate)) && all(is.na(effects$std.error)))
})

# Forty rows of each town and age; the slope differs between the towns.
crossed <- expand.grid(age = 1:20, town = c("large", "small"), k = 1:40, stringsAsFactors = FALSE)
crossed$report <- ifelse((crossed$age * 7 + crossed$k * 11) %% 40 < ifelse(crossed$town == "large", crossed$age + 8, 22), "yes", "no")

test_that("an interaction has a line for each level within its band, and plot() draws the picture of autoplot()", {
  skip_if_not_installed("ggplot2")
  fit <- rr_glm(report ~ age * town, crossed, rr_forced(1 / 6))
  picture <- ggplot2::autoplot(fit)
  b <- coef(fit)
  at <- data.frame(age = c(1, 20, 1, 20), small = c(0, 0, 1, 1))
  ends <- picture$data[picture$data$value %in% c(1, 20), ]
  expect_identical(as.character(ends$level), c("large", "large", "small", "small"))
  expect_equal(ends$fit, stats::plogis(b[[1]] + b[[2]] * at$age + b[[3]] * at$small + b[[4]] * at$age * at$small))
  expect_true(all(picture$data$lwr <= picture$data$fit & picture$data$fit <= picture$data$upr))
  # Without one, and by request, there is one line.
  plain <- rr_glm(report ~ age + town, crossed, rr_forced(1 / 6))
  for (one in list(ggplot2::autoplot(plain), ggplot2::autoplot(fit, by = character()))) expect_identical(nlevels(one$data$level), 1L)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(plain, "age", by = "town")
  expect_equal(ggplot2::last_plot()$data, ggplot2::autoplot(plain, "age", by = "town")$data)
})

# ---- dates ----

dated <- transform(data, number = rep(0:59, 20))
dated$day <- as.Date("2026-03-01") + dated$number
dated$time <- as.POSIXct(dated$day, tz = "UTC") + 3600 * 9

test_that("the effect of a date or a time is that of the number of days", {
  wanted <- rr_effects(rr_glm(y ~ number * g, dated, forced))
  number <- wanted$term == "number"
  for (formula in list(y ~ day * g, y ~ time * g)) {
    effects <- rr_effects(rr_glm(formula, dated, forced))
    expect_identical(effects$contrast, sub("^dY/dX$", "dY/dX per day", wanted$contrast))
    expect_equal(effects$estimate, wanted$estimate, tolerance = 1e-5)
    expect_equal(effects$std.error, wanted$std.error, tolerance = 1e-4)
  }
  # A factor of days has no slope: each day against the first.
  weeks <- transform(dated, day = as.Date("2026-03-01") + 7 * (number %/% 20))
  effects <- rr_effects(rr_glm(y ~ factor(day), weeks, forced))
  expect_identical(effects$contrast[-1], c("2026-03-08 - 2026-03-01", "2026-03-15 - 2026-03-01"))
  moment <- (tapply(weeks$y, weeks$day, mean) - 1 / 6) / (2 / 3)
  expect_equal(effects$estimate[-1], as.vector(moment[-1] - moment[1]), tolerance = 1e-7)
  # So has one of numbers.
  expect_equal(rr_effects(rr_glm(y ~ factor(number %/% 20), dated, forced), "number")$contrast[2], "1 - 0")
})

test_that("pictures have an axis of time, and hold dates at their mean", {
  skip_if_not_installed("ggplot2")
  for (name in c("day", "time")) {
    fit <- rr_glm(stats::reformulate(c(name, "g"), "y"), dated, forced)
    at <- function(times, g) stats::setNames(data.frame(times, g), c(name, "g"))
    picture <- ggplot2::autoplot(fit)
    ends <- picture$data[c(1, 101), ]
    expect_equal(ends$value, range(dated[[name]]))
    scale <- ggplot2::ggplot_build(picture)$layout$panel_scales_x[[1]]
    expect_s3_class(scale, if (name == "day") "ScaleContinuousDate" else "ScaleContinuousDatetime")
    expect_equal(ends$fit, unname(predict(fit, at(ends$value, names(which.max(table(dated$g)))), "truth")))
    expect_equal(ggplot2::autoplot(fit, "g")$data$fit, unname(predict(fit, at(mean(dated[[name]]), letters[1:3]), "truth")), tolerance = 1e-6)
  }
  # A date that is in the model as a factor alone has points at its own values, and is held at one of them.
  expect_identical(ggplot2::autoplot(rr_glm(y ~ months(day) + age, dated, forced), "day")$data$value, sort(unique(dated$day)))
  answers <- rr_multinom(y ~ day + g, transform(dated, y = c("no", "yes")[y + 1]), forced)
  expect_identical(range(ggplot2::autoplot(answers)$data$value), range(dated$day))
})

# ---- a poststratification table ----

test_that("the poststratified prevalence of a saturated model is the weighted mean of the cells, with its variance by hand", {
  fit <- rr_glm(y ~ g, data, forced)
  cells <- data.frame(g = c("a", "b", "c", "b"), region = c("north", "north", "south", "south"), people = c(500, 200, 300, 0))
  m <- tapply(data$y, data$g, mean)
  share <- (m - 1 / 6) / (2 / 3)
  variance <- m * (1 - m) / table(data$g) / (2 / 3)^2
  w <- c(a = 0.5, b = 0.2, c = 0.3)
  post <- rr_effects(fit, character(), newdata = cells, weights = people)
  expect_equal(post$estimate, sum(w * share), tolerance = 1e-8)
  expect_equal(post$std.error, sqrt(sum(w^2 * variance)), tolerance = 1e-8)
  expect_identical(rr_effects(fit, character(), newdata = cells, weights = "people"), post)
  regions <- rr_effects(fit, character(), by = "region", newdata = cells, weights = cells$people)
  expect_identical(regions$region, c("north", "south"))
  expect_equal(regions$estimate, c((5 * share[["a"]] + 2 * share[["b"]]) / 7, share[["c"]]), tolerance = 1e-8)
  expect_equal(regions$std.error, sqrt(c((25 * variance[["a"]] + 4 * variance[["b"]]) / 49, variance[["c"]])), tolerance = 1e-8)
  # Without weights each row counts once; effects are averages over the table too.
  expect_equal(rr_effects(fit, newdata = cells)$estimate, c(sum(share * c(1, 2, 1)) / 4, share[["b"]] - share[["a"]], share[["c"]] - share[["a"]]),
               tolerance = 1e-8)
  # A part of the table without people is left out.
  expect_identical(nrow(rr_effects(fit, character(), by = "region", newdata = cells, weights = c(1, 1, 0, 0))), 1L)
})

test_that("poststratified standard errors are those of a numerical delta method", {
  cells <- expand.grid(age = c(20, 35, 60, 75), z = 0:1)
  cells$people <- c(3, 1, 4, 1, 5, 9, 2, 6)
  fit <- rr_glm(y ~ poly(age, 2) * z + offset(age / 100), data, forced)
  share <- cells$people / sum(cells$people)
  truth <- function(f) sum(share * predict(f, cells, "truth"))
  post <- rr_effects(fit, newdata = cells, weights = people)
  expect_equal(c(post$estimate[1], post$std.error[1]), brute(fit, truth), tolerance = 1e-6)
  step <- brute(fit, function(f) sum(share * (predict(f, transform(cells, z = 1), "truth") - predict(f, transform(cells, z = 0), "truth"))))
  expect_equal(unlist(post[post$term == "z", c("estimate", "std.error")], use.names = FALSE), step, tolerance = 1e-6)
})

test_that("weights of a table that are no weights are refused, and levels that were not fitted", {
  fit <- rr_glm(y ~ g, data, forced)
  cells <- data.frame(g = c("a", "b", "c"))
  for (bad in list(c(1, NA, 1), c(1, -1, 1), c(0, 0, 0))) {
    expect_error(rr_effects(fit, newdata = cells, weights = bad), "weights", class = "candor_error_argument")
  }
  expect_error(rr_effects(fit, newdata = data.frame(g = "d")), class = "candor_error_level")
})

test_that("an average does not depend on which of two columns of the same information is left out", {
  twice <- transform(data, months = 12 * age + 3)
  fit <- rr_glm(y ~ age + g, twice, forced)
  expect_message(aliased <- rr_glm(y ~ age + months + g, twice, forced), "months")
  for (variables in list(character(), "g")) {
    expect_equal(as.data.frame(rr_effects(aliased, variables)), as.data.frame(rr_effects(fit, variables)), tolerance = 1e-8)
  }
})

test_that("an effect per ten units is the effect of the covariate in tens", {
  data$decades <- data$age / 10
  data$day <- as.Date("2026-01-01") + round(data$age)
  data$weeks <- as.numeric(data$day) / 7
  per_ten <- rr_effects(rr_glm(y ~ age + g, data, forced), per = c(age = 10))
  numbers <- c("estimate", "std.error", "conf.low", "conf.high")
  in_tens <- rr_effects(rr_glm(y ~ decades + g, data, forced))
  expect_equal(per_ten[numbers], in_tens[numbers], tolerance = 1e-6, ignore_attr = TRUE)
  expect_identical(per_ten$contrast, c("average", "dY/dX per 10", "b - a", "c - a"))
  by_day <- rr_effects(rr_glm(y ~ day, data, forced), per = c(day = 7))[2, ]
  by_week <- rr_effects(rr_glm(y ~ weeks, data, forced))[2, ]
  expect_equal(by_day[numbers], by_week[numbers], tolerance = 1e-6, ignore_attr = TRUE)
  expect_identical(by_day$contrast, "dY/dX per 7 days")
})

test_that("units are numbers above 0 of covariates that have derivatives", {
  fit <- rr_glm(y ~ age + g, data, forced)
  for (per in list(10, c(age = 0), c(age = Inf), c(height = 10), c(g = 2), "10")) {
    expect_error(rr_effects(fit, per = per), class = "candor_error_argument")
  }
})

test_that("units that are not given are 1, and each that is given is checked", {
  expect_identical(effect_units(c(b = 2.5), c("a", "b")), c(a = 1, b = 2.5))
  expect_identical(effect_units(NULL, c("a", "b")), c(a = 1, b = 1))
  for (bad in list(c(a = 1, b = -1), c(a = 1, b = Inf), c(a = 1, b = NA), c(a = 1, d = 1), c(a = "1"), c(1, 2))) {
    expect_refused(effect_units(bad, c("a", "b")))
  }
})

test_that("effects at one row, at a value of 0 too, with each type of variance and their intervals: by hand", {
  clustered <- transform(data, school = rep(1:60, 20), w = rep(c(1, 2, 1), 400))
  fit <- quietly(rr_glm(y ~ age + I(age^2) + g + z, clustered, forced, weights = w))
  b <- unname(coef(fit))
  for (age in c(50, 0)) {
    row <- data.frame(age, g = factor("b", letters[1:3]), z = 1)
    x <- c(1, age, age^2, 1, 0, 1)
    p <- plogis(sum(x * b))
    dx <- c(0, 1, 2 * age, 0, 0, 0)
    slope <- sum(dx * b)
    gradient <- p * (1 - p) * rbind(x, (1 - 2 * p) * slope * x + dx)
    for (kind in list(list(), list(type = "expected"), list(type = "sandwich"), list(cluster = clustered$school))) {
      effects <- do.call(rr_effects, c(list(fit, "age", newdata = row, conf.level = 0.8), kind))
      expect_equal(effects$estimate, c(p, p * (1 - p) * slope), tolerance = 1e-8)
      V <- do.call(vcov, c(list(fit), kind))
      error <- unname(sqrt(rowSums((gradient %*% V) * gradient)))
      expect_equal(effects$std.error, error, tolerance = 1e-7)
      expect_equal(effects$conf.low, effects$estimate - qnorm(0.9) * error, tolerance = 1e-7)
      expect_equal(effects$conf.high, effects$estimate + qnorm(0.9) * error, tolerance = 1e-7)
    }
  }
  # The rows of the fit count with its weights, and a covariate of two levels has the difference of its averages.
  all <- rr_effects(fit, "z")
  share <- function(level) weighted.mean(predict(fit, replace(clustered, "z", level), "truth"), clustered$w)
  expect_equal(all$estimate, c(weighted.mean(fitted(fit, "truth"), clustered$w), share(1) - share(0)), tolerance = 1e-8)
  expect_refused(rr_effects(fit, "w"), rr_effects(fit, 1), rr_effects(fit, by = "none"), rr_effects(fit, weights = 1:3), rr_effects(fit, type = "survey"))
})

test_that("a variable that the model has as factors alone has no slope", {
  data <- data.frame(y = c(0, 1, 1, 0), day = c(1, 2, 3, 4), z = c(2, 5, 1, 3))
  through_factor <- function(formula, name = "day") in_factor(name, terms(formula), model.frame(formula, data))
  for (formula in c(y ~ factor(day), y ~ z + cut(day, 2), y ~ as.character(day), y ~ I(day > 2) + z, y ~ factor(day) * (day > 2))) {
    expect_true(through_factor(formula))
  }
  for (formula in c(y ~ day, y ~ factor(day) + day, y ~ (day > 2) + log(day), y ~ z, day ~ z, factor(day) ~ z)) expect_false(through_factor(formula))
  expect_false(through_factor(y ~ factor(day) + z, "z"))
})

test_that("rows that were not fitted are in no average, and other columns of the data make the groups", {
  some <- transform(data, area = rep(c("south", "north"), 600))
  some$age[c(3, 50)] <- NA
  some$y[7] <- NA
  fit <- suppressMessages(quietly(rr_glm(y ~ age, some, forced, subset = age > 25)))
  used <- which(!is.na(some$y) & some$age > 25)
  p <- plogis(coef(fit)[[1]] + coef(fit)[[2]] * some$age[used])
  effects <- rr_effects(fit, by = c("area", "g"))
  of_groups <- function(x) as.vector(tapply(x, list(some$g[used], some$area[used]), mean))
  expect_identical(effects$area, rep(c("north", "south"), each = 6))
  expect_identical(as.character(effects$g), rep(rep(c("a", "b", "c"), each = 2), 2))
  expect_equal(effects$estimate, as.vector(rbind(of_groups(p), of_groups(p * (1 - p) * coef(fit)[[2]]))), tolerance = 1e-8)
})

test_that("an average of truths that are not at infinity keeps its standard error beside truths that are", {
  # 21 of 60 yes in a: a share of (0.35 - 0.2) / 0.6. In b fewer say yes than would if nobody were a yes.
  some <- data.frame(g = rep(c("a", "b"), each = 60), y = rep(c(0, 1, 0, 1), c(39, 21, 57, 3)))
  fit <- suppressWarnings(rr_glm(y ~ g, some, rr_warner(0.8)))
  expect_warning(effects <- rr_effects(fit, by = "g"), class = "candor_warning_infinite")
  expect_identical(effects$term, rep(c("(truth)", "g"), 2))
  expect_equal(effects$estimate, c(0.25, -0.25, 0, -0.25), tolerance = 1e-7)
  expect_equal(effects$std.error, c(sqrt(0.35 * 0.65 / 60) / 0.6, NA, NA, NA), tolerance = 1e-6)
  expect_equal(effects$conf.high[1], 0.25 + qnorm(0.975) * effects$std.error[1], tolerance = 1e-7)
  # Rows of a alone have no truth at infinity.
  expect_no_warning(alone <- rr_effects(fit, character(), newdata = data.frame(g = "a")), class = "candor_warning_infinite")
  expect_equal(alone$std.error, effects$std.error[1], tolerance = 1e-8)
})

test_that("the standard error of an average is NA if it depends on a coefficient at infinity, and not on an aliased one", {
  fit <- list(coefficients = c(a = 1, b = NA, c = NA, d = 2), boundary = list(coefficients = "c"))
  V <- matrix(NA_real_, 4, 4)
  V[c(1, 4), c(1, 4)] <- rbind(c(4, 1), c(1, 9))
  error <- average_error(fit, V)
  expect_equal(error(c(1, 0, 0, 0)), 2)
  expect_equal(error(c(1, 7, 0, -2)), sqrt(4 - 4 + 36))
  expect_equal(error(c(0, NA, 0, 0)), 0)
  expect_identical(is.na(c(error(c(1, 0, 0.1, 0)), error(c(1, 0, -0.1, 0)), error(c(1, 0, NA, 0)))), c(TRUE, TRUE, FALSE))
  # One coefficient that has a variance; and a variance that rounding makes negative.
  expect_equal(average_error(fit[1], diag(c(NA, NA, NA, 9)))(c(0, 0, 0, 2)), 6)
  expect_identical(average_error(list(coefficients = c(a = 1)), matrix(-1e-20))(3), 0)
})

test_that("averages are weighted within the combinations of their keys, and rows of weight 0 are in none", {
  averages <- list(list(term = "x", contrast = "one", value = c(1, 5, 2, 100, 7), gradient = cbind(1:5, c(0, 0, 0, 9, 1))),
                   list(term = "y", contrast = "two", value = c(0, 1, 0, 1, 0), gradient = cbind(rep(0.5, 5), 2)))
  keys <- data.frame(area = c("s", "n", "s", "s", "n"), sex = c("f", "f", "f", "m", "f"))
  weight <- c(1, 0.25, 3, 0, 0.75)
  error <- function(gradient) sum(gradient * c(1, 10))
  table <- weighted_averages(averages, keys, weight, error, 2)
  expect_identical(names(table), c("area", "sex", "term", "contrast", "estimate", "std.error", "conf.low", "conf.high"))
  expect_identical(table$area, c("n", "n", "s", "s"))
  expect_identical(table$sex, rep("f", 4))
  expect_identical(paste(table$term, table$contrast), rep(c("x one", "y two"), 2))
  expect_equal(table$estimate, c(5 / 4 + 21 / 4, 0.25, 1 / 4 + 6 / 4, 0))
  # Weighted gradients: (2 + 15) / 4 and 3 / 4; (1 + 9) / 4 and 0.
  expect_equal(table$std.error, c(17 / 4 + 30 / 4, 20.5, 10 / 4, 20.5))
  expect_equal(table$conf.low, table$estimate - 2 * table$std.error)
  expect_equal(table$conf.high, table$estimate + 2 * table$std.error)
  expect_equal(weighted_averages(averages, keys[0], weight, error, 2)$estimate, c((1 + 5 / 4 + 6 + 21 / 4) / 5, 0.05))
})

test_that("a table of effects is a tibble whose first class is its own, and says what a yes is", {
  answers <- transform(data[1:300, ], y = c("never", "once")[y + 1])
  effects <- rr_effects(quietly(rr_glm(y ~ z, answers, rr_forced(1 / 6, levels = c("never", "once")))), conf.level = 0.9)
  expect_identical(class(effects)[1], "rr_effects")
  expect_identical(attr(effects, "conf.level"), 0.9)
  expect_identical(pillar::tbl_sum(effects)[["Truth"]], "\"once\"")
  expect_identical(names(pillar::tbl_sum(structure(effects, truth = NULL))), setdiff(names(pillar::tbl_sum(effects)), "Truth"))
  expect_identical(class(tidy(effects)), class(tibble::tibble()))
  expect_identical(tidy(effects)$estimate, effects$estimate)
  expect_refused(rr_effects(quietly(rr_glm(y ~ z, answers, rr_forced(1 / 6, levels = c("never", "once")))), unknown = 1))
})

test_that("effects of covariates with a curve that is steep at the end of its range are the averages of its slopes", {
  set.seed(4)
  n <- 800
  data <- data.frame(x = rlnorm(n, 0, 2))
  data$y <- rbinom(n, 1, 1 / 6 + 2 / 3 * plogis(-0.5 + 0.3 * log(data$x)))
  curves <- list(list(y ~ log(x), log, function(x) 1 / x), list(y ~ sqrt(x), sqrt, function(x) 0.5 / sqrt(x)),
                 list(y ~ I(1 / x), function(x) 1 / x, function(x) -1 / x^2))
  for (curve in curves) {
    fit <- quietly(rr_glm(curve[[1]], data, rr_forced(1 / 6)))
    b <- coef(fit)
    effect <- expect_silent(rr_effects(fit))
    expect_equal(effect$estimate[2], mean(dlogis(b[[1]] + b[[2]] * curve[[2]](data$x)) * b[[2]] * curve[[3]](data$x)), tolerance = 1e-4)
  }
  # Incomes of 0 in a logarithm of 1 and more.
  data$income <- ifelse(data$x < 0.3, 0, 20000 * data$x)
  fit <- rr_glm(y ~ log1p(income), data, rr_forced(1 / 6))
  expected <- mean(dlogis(predict(fit)) * coef(fit)[[2]] / (1 + data$income))
  expect_equal(rr_effects(fit)$estimate[2], expected, tolerance = 1e-4)
})

test_that("groups that are missing, or called like a result, are refused and not left out", {
  data <- data.frame(x = rep(c(-1, 0, 2, 1), 25), y = rep(c(0, 1, 1, 0, 1), 20), group = rep(c("a", NA), 50), term = "a")
  fit <- quietly(rr_glm(y ~ x, data, rr_binary(0.9, 0.2)))
  expect_refused(rr_effects(fit, character(), by = "group"), class = "missing")
  expect_refused(rr_effects(fit, character(), by = "term"))
  cells <- data.frame(x = 0:2, region = c("north", NA, "south"), people = 1:3)
  expect_refused(rr_effects(fit, character(), by = "region", newdata = cells, weights = people), class = "missing")
})
