# Variables of regressions as people have them: misspelt, named as text, labelled by SPSS.

die <- rr_forced(1 / 6)
set.seed(11)
n <- 1200
people <- data.frame(age = rep(20:69, 24), area = factor(rep(c("north", "south", "east"), 400)), w = rep(c(0.5, 1.5), 600))
people$answer <- as.character(rr_perturb(ifelse(runif(n) < 0.4, "yes", "no"), die, rng = "R"))
grr <- rr_grr(c("never", "once", "often"), epsilon = 2)
people$often <- as.character(rr_perturb(sample(c("never", "never", "once", "often"), n, TRUE), grr, rng = "R"))

quiet <- function(x) suppressMessages(x)

test_that("what is not a column may be where the formula was written", {
  years <- people$age
  degree <- 2
  expect_equal(unname(coef(rr_glm(answer ~ years, people, die))), unname(coef(rr_glm(answer ~ age, people, die))))
  expect_length(coef(rr_glm(answer ~ poly(age, degree), people, die)), 3)
  expect_length(coef(rr_glm(answer ~ sapply(age, sqrt), people, die)), 2)
  answer <- people$answer
  expect_equal(unname(coef(rr_glm(answer ~ years, mechanism = die))), unname(coef(rr_glm(answer ~ age, people, die))))
})

test_that("new data must have the variables, the values and the kinds that were fitted", {
  people$day <- as.Date("2026-03-01") + rep(0:99, 12)
  people$time <- as.POSIXct(people$day, tz = "UTC") + 3600 * people$age
  # A column is not replaced by what happens to have its name elsewhere.
  area <- rep("north", 2)
  for (fit in list(rr_glm(answer ~ age + area + day + time, people, die), rr_multinom(often ~ age + area + day + time, people, grr))) {
    new <- people[1:2, ]
    expect_error(predict(fit, new[names(new) != "area"]), "\"area\"", class = "candor_error_argument")
    expect_error(predict(fit, transform(new, area = "nort")), "nort", class = "candor_error_level")
    expect_refused(predict(fit, transform(new, age = "50")), predict(fit, transform(new, day = "2026-04-01")))
    # A date would be read as that many seconds of 1970.
    expect_error(predict(fit, transform(new, time = day)), "times", class = "candor_error_argument")
    expect_length(predict(fit, new), if (inherits(fit, "rr_glm")) 2 else 6)
  }
  expect_error(predict(rr_glm(answer ~ age + area, people, die), data.frame(age = 30), type = "terms"), "area", class = "candor_error_argument")
})

test_that("weights and arms are columns by name, by formula and bare", {
  wanted <- quiet(coef(rr_glm(answer ~ age, people, die, weights = w)))
  name <- "w"
  expect_identical(quiet(coef(rr_glm(answer ~ age, people, die, weights = "w"))), wanted)
  expect_identical(quiet(coef(rr_glm(answer ~ age, people, die, weights = ~w))), wanted)
  expect_identical(quiet(coef(rr_glm(answer ~ age, people, die, weights = name))), wanted)
  expect_identical(quiet(coef(rr_glm(answer ~ age, people, die, weights = people$w))), wanted)
  wanted <- quiet(coef(rr_multinom(often ~ age, people, grr, weights = w)))
  expect_identical(quiet(coef(rr_multinom(often ~ age, people, grr, weights = "w"))), wanted)
  expect_identical(quiet(coef(rr_multinom(often ~ age, people, grr, weights = ~w))), wanted)
  people$design <- sample(c("die", "cards"), n, TRUE)
  designs <- list(die = die, cards = rr_warner(0.8))
  wanted <- coef(rr_glm(answer ~ age, people, designs, arm = design))
  expect_identical(coef(rr_glm(answer ~ age, people, designs, arm = "design")), wanted)
  expect_identical(coef(rr_glm(answer ~ age, people, designs, arm = ~design)), wanted)
  expect_refused(rr_glm(answer ~ age, people, designs, arm = "desing"), rr_glm(answer ~ agee, people, die), rr_glm(answer ~ t, people, die))
})

# As haven makes them, without it.
labelled <- function(x, labels, ..., class = NULL) structure(as.numeric(x), labels = labels, ..., class = c(class, "haven_labelled", "vctrs_vctr", "double"))
labelled_spss <- function(...) labelled(..., class = "haven_labelled_spss")

test_that("labelled reports and covariates are taken by their labels", {
  plain <- coef(rr_glm(answer ~ area, people, die))
  file <- people
  file$answer <- labelled(1 + (people$answer == "yes"), c(no = 1, yes = 2))
  file$area <- labelled(match(people$area, levels(people$area)), stats::setNames(seq_along(levels(people$area)), levels(people$area)))
  expect_identical(coef(rr_glm(answer ~ area, file, die)), plain)
  expect_identical(coef(rr_multinom(answer ~ area, file, die)), coef(rr_multinom(answer ~ area, people, die)))
  # In new data too.
  fit <- rr_glm(answer ~ area, file, die)
  expect_equal(predict(fit, file[1:5, ], "posterior"), predict(rr_glm(answer ~ area, people, die), people[1:5, ], "posterior"))
  expect_identical(rr_effects(fit)$contrast, rr_effects(rr_glm(answer ~ area, people, die))$contrast)
  # An outcome of a regression on a randomized answer is a number.
  file$income <- labelled(people$age, c(least = 20))
  expect_identical(coef(rr_predictor(income ~ often, file, list(often = grr))), coef(rr_predictor(age ~ often, people, list(often = grr))))
})

test_that("values declared missing are missing, and partly labelled numbers stay numbers", {
  file <- people
  file$answer <- labelled_spss(c(9, 9, (people$answer == "yes")[-(1:2)]), c(no = 0, yes = 1, refused = 9), na_values = 9)
  file$age <- labelled_spss(replace(people$age, 3, 99), c(unknown = 99), na_range = c(98, 99))
  expect_message(fit <- rr_glm(answer ~ age, file, die), "3 rows with missing values dropped")
  expect_identical(unname(coef(fit)), unname(coef(rr_glm(answer ~ age, people[-(1:3), ], die))))
  file$top <- labelled(as.numeric(people$age), c("69 or older" = 69))
  expect_message(fit <- rr_glm(answer ~ top, transform(people, top = file$top), die), "69 or older", class = "candor_message_labelled")
  expect_identical(unname(coef(fit)), unname(coef(rr_glm(answer ~ age, people, die))))
})

test_that("a weighted tally has the standard errors of its effective number of respondents", {
  tally <- rr_tally(people, die, column = "answer", by = "area", weights = "w")
  several <- rr_multinom(~area, tally)
  expect_equal(unname(sqrt(diag(vcov(several)))), unname(sqrt(diag(vcov(rr_glm(~area, tally))))), tolerance = 1e-6)
  expect_identical(nobs(several), 1200)
  # Equal weights, of whatever size, change nothing.
  people$w <- 7
  same <- rr_multinom(~area, rr_tally(people, die, column = "answer", by = "area", weights = "w"))
  expect_equal(vcov(same), vcov(rr_multinom(~area, rr_tally(people, die, column = "answer", by = "area"))), tolerance = 1e-8)
})

test_that("curves of covariates stay those of the fit for several questions too, and only rr_glm() has offsets", {
  both <- rr_product(answer = die, often = grr)
  fit <- rr_multinom(~ poly(age, 2), people, both, starts = 1)
  expect_equal(predict(fit, people[1:3, ]), predict(fit)[1:3, ], tolerance = 1e-10)
  expect_refused(rr_multinom(~ age + offset(w), people, both), rr_multinom(often ~ age + offset(w), people, grr),
                 rr_predictor(age ~ often + offset(w), people, list(often = grr)))
})

test_that("a level without a complete row has no coefficient, as in glm()", {
  people$answer[people$area == "east"] <- NA
  fit <- quiet(rr_glm(answer ~ area, people, die))
  expect_named(coef(fit), c("(Intercept)", "areasouth"))
})
