# Variables of regressions as people have them: misspelt, named as text, labelled by SPSS.

die <- rr_forced(1 / 6)
set.seed(11)
n <- 1200
people <- data.frame(age = rep(20:69, 24), area = factor(rep(c("north", "south", "east"), 400)), w = rep(c(0.5, 1.5), 600))
people$answer <- as.character(rr_perturb(ifelse(runif(n) < 0.4, "yes", "no"), die, rng = "R"))
grr <- rr_grr(c("never", "once", "often"), epsilon = 2)
people$often <- as.character(rr_perturb(sample(c("never", "never", "once", "often"), n, TRUE), grr, rng = "R"))

quiet <- function(x) suppressMessages(x)

test_that("a misspelt variable is named, with the nearest column and all columns", {
  both <- c('none called "agee".*Did you mean "age"\\?.*age, area, w, answer, often')
  expect_error(rr_glm(answer ~ agee, people, die), both, class = "candor_error_argument")
  expect_error(rr_multinom(often ~ agee, people, grr), both, class = "candor_error_argument")
  expect_error(rr_predictor(age ~ agee + often, people, list(often = grr)), both, class = "candor_error_argument")
  expect_error(rr_glm(anwser ~ age, people, die), 'Did you mean "answer"', class = "candor_error_argument")
  expect_error(rr_glm(answer ~ age, people, die, weights = ww), "`weights`.*\"ww\"", class = "candor_error_argument")
  expect_error(rr_glm(answer ~ age, people, die, subset = aera == "north"), "`subset`.*Did you mean \"area\"", class = "candor_error_argument")
  expect_error(rr_glm(answer ~ age, people, die, weights = "W"), 'Did you mean "w"', class = "candor_error_argument")
  # A function is no variable, though R would find it: t() is transposition.
  expect_error(rr_glm(answer ~ t, people, die), 'none called "t"', class = "candor_error_argument")
})

test_that("what is not a column may be where the formula was written", {
  years <- people$age
  degree <- 2
  expect_equal(unname(coef(rr_glm(answer ~ years, people, die))), unname(coef(rr_glm(answer ~ age, people, die))))
  expect_length(coef(rr_glm(answer ~ poly(age, degree), people, die)), 3)
  expect_length(coef(rr_glm(answer ~ sapply(age, sqrt), people, die)), 2)
  answer <- people$answer
  expect_equal(unname(coef(rr_glm(answer ~ years, mechanism = die))), unname(coef(rr_glm(answer ~ age, people, die))))
})

test_that("new data lack a variable, or have values that were not fitted", {
  fit <- rr_glm(answer ~ age + area, people, die)
  several <- rr_multinom(often ~ age + area, people, grr)
  for (one in list(fit, several)) {
    expect_error(predict(one, data.frame(age = 30)), '`newdata` must have.*none called "area"', class = "candor_error_argument")
    expect_error(predict(one, data.frame(age = 30, aera = "north")), 'Did you mean "aera"', class = "candor_error_argument")
    expect_error(predict(one, data.frame(age = 30, area = "nort")), '"area" is "nort".*Did you mean "north"', class = "candor_error_level")
  }
  # A column is not replaced by what happens to have its name elsewhere.
  area <- rep("north", 2)
  expect_error(predict(fit, data.frame(age = c(30, 40))), 'none called "area"', class = "candor_error_argument")
  expect_error(predict(fit, data.frame(age = 30), type = "terms"), 'none called "area"', class = "candor_error_argument")
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
  expect_error(rr_glm(answer ~ age, people, designs, arm = "desing"), 'Did you mean "design"', class = "candor_error_argument")
})

test_that("a covariate that is text of many numbers is told of", {
  people$age_text <- as.character(people$age)
  people$zip <- sprintf("%02d", people$age %% 20)
  text <- "\"age_text\" is text of numbers: each of 13 is a category"
  few <- people[people$age < 33, ]
  expect_message(suppressWarnings(rr_glm(answer ~ age_text, few, mechanism = die)), text, class = "candor_message_numbers")
  expect_message(suppressWarnings(rr_multinom(often ~ age_text, few, mechanism = grr)), text, class = "candor_message_numbers")
  # Numbers, few categories, codes that begin with 0, factors, and reports are as they are meant.
  expect_no_message(rr_glm(answer ~ age, people, mechanism = die))
  expect_no_message(suppressWarnings(rr_glm(answer ~ as.numeric(age_text), few, mechanism = die)))
  expect_no_message(suppressWarnings(rr_glm(answer ~ age_text, people[people$age < 30, ], mechanism = die)))
  expect_no_message(suppressWarnings(rr_glm(answer ~ zip, people, mechanism = die)))
  expect_no_message(suppressWarnings(rr_glm(answer ~ factor(age_text), few, mechanism = die)))
})

test_that("weights that are not whole are told of", {
  expect_message(rr_multinom(often ~ age, people, grr, weights = w), class = "candor_message_weights")
  expect_no_message(rr_multinom(often ~ age, people, grr, weights = rep(1:2, 600)))
})

test_that("swapped arguments are told their order", {
  order <- "The order is `formula`, `data`, `mechanism`"
  expect_error(rr_glm(answer ~ age, die, people), paste0("`data` must be.*It is a mechanism.*", order), class = "candor_error_argument")
  expect_error(rr_glm(people, answer ~ age, die), paste0("`formula` must be.*a data frame with 5 columns.*", order), class = "candor_error_argument")
  expect_error(rr_glm(die, answer ~ age, people), order, class = "candor_error_argument")
  expect_error(rr_multinom(often ~ age, grr, people), order, class = "candor_error_argument")
  expect_error(rr_multinom(people, often ~ age, grr), order, class = "candor_error_argument")
})

test_that("a survey design has its own argument, or none", {
  design <- structure(list(), class = c("survey.design2", "survey.design"))
  expect_error(rr_glm(answer ~ age, design, die), "It is a survey design.*`design = `", class = "candor_error_argument")
  expect_error(rr_multinom(often ~ age, design, grr), "It is a survey design.*`rr_glm\\(\\)` takes designs", class = "candor_error_argument")
})

# As haven makes them, without it.
labelled <- function(x, labels, ..., class = NULL) {
  structure(as.numeric(x), labels = labels, ..., class = c(class, "haven_labelled", "vctrs_vctr", "double"))
}
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
  expect_identical(coef(rr_predictor(income ~ often, file, list(often = grr))),
                   coef(rr_predictor(age ~ often, people, list(often = grr))))
})

test_that("values declared missing are missing, and partly labelled numbers stay numbers", {
  file <- people
  file$answer <- labelled_spss(c(9, 9, (people$answer == "yes")[-(1:2)]), c(no = 0, yes = 1, refused = 9), na_values = 9)
  file$age <- labelled_spss(replace(people$age, 3, 99), c(unknown = 99), na_range = c(98, 99))
  expect_message(fit <- rr_glm(answer ~ age, file, die), "3 rows with missing values dropped")
  expect_identical(unname(coef(fit)), unname(coef(rr_glm(answer ~ age, people[-(1:3), ], die))))
  file$top <- labelled(as.numeric(people$age), c("69 or older" = 69))
  expect_message(fit <- rr_glm(answer ~ top, transform(people, top = file$top), die), "69 or older",
                 class = "candor_message_labelled")
  expect_identical(unname(coef(fit)), unname(coef(rr_glm(answer ~ age, people, die))))
})

test_that("labels that are almost those of the mechanism are listed, with what to do", {
  file <- people
  file$answer <- labelled(1 + (people$answer == "yes"), c(No = 1, Yes = 2))
  for (fit in list(rr_glm, rr_multinom)) {
    expect_error(fit(answer ~ age, file, die), '"No".*Did you mean "no".*"Yes".*Correct case and space', class = "candor_error_level")
  }
  expect_identical(unname(coef(rr_glm(answer ~ age, file, rr_forced(1 / 6, c("No", "Yes"))))), unname(coef(rr_glm(answer ~ age, people, die))))
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

test_that("dates, times and logical values in new data are of their kind, or the cure is told", {
  people$day <- as.Date("2026-03-01") + rep(0:99, 12)
  people$time <- as.POSIXct(people$day, tz = "UTC")
  people$old <- people$age > 40
  for (fit in list(quiet(rr_glm(answer ~ day + time + old, transform(people, time = time + 3600 * age), die)),
                   rr_multinom(often ~ day + time + old, transform(people, time = time + 3600 * age), grr))) {
    refused <- function(words, ...) {
      new <- people[1:2, ]
      new[[...names()]] <- ..1
      expect_error(predict(fit, new), words, class = "candor_error_argument")
    }
    refused("must have dates where dates were fitted.*`transform\\(newdata, day = as.Date\\(day\\)\\)`", day = "2026-04-01")
    refused("must have dates", day = people$time[1:2])
    refused("as.Date\\(day, origin = \"1970-01-01\"\\)", day = 20000)
    # A date would be read as that many seconds of 1970.
    refused("must have times where times were fitted.*as.POSIXct\\(time, tz = \"UTC\"\\)", time = people$day[1:2])
    refused("must have times", time = "2026-04-01 12:00")
    refused("as.logical\\(old\\)", old = "TRUE")
    expect_length(predict(fit, people[1:2, ]), if (inherits(fit, "rr_glm")) 2 else 6)
  }
})

test_that("several questions are a product, without a left side", {
  both <- rr_product(answer = die, often = grr)
  expect_error(rr_multinom(cbind(answer, often) ~ age, people, both), "Write `~age`", class = "candor_error_argument")
  expect_error(rr_multinom(cbind(answer, often) ~ age, people, die), class = "candor_error_argument")
})

test_that("a design by name is told where its data go", {
  design <- structure(list(), class = c("survey.design2", "survey.design"))
  expect_error(rr_multinom(often ~ age, design = design, mechanism = grr), "survey design.*`rr_glm\\(\\)` takes designs", class = "candor_error_argument")
  expect_error(rr_multinom(often ~ age, people, grr, design = design), "takes designs", class = "candor_error_argument")
  expect_error(rr_predictor(age ~ often, design = design, mechanisms = list(often = grr)), "takes designs", class = "candor_error_argument")
})
