#' @srrstats {RE7.0, RE7.0a} Collinear columns are named.

data <- data.frame(x = rep(c(-1, 0, 1, 2), 10), y = rep(c(0, 1, 1, 0, 1), 8), arm = rep(c("a", "b"), 20))
warner <- rr_warner(0.8)

test_that("what a regression cannot use has its class", {
  # Of two truths with bits for reports the counts of the bits look like those of two reports.
  bits <- rr_unary(2, 1)
  tally <- rr_tally(rr_perturb(rep(1:2, 20), bits, rng = "R"), bits, by = list(g = rep(1:2, each = 20)))
  expect_refused(rr_glm(~ g, tally), rr_family(bits), class = "law")
  expect_refused(rr_glm(y ~ x, data, rr_binary(0.3, 0.3)),
                 rr_glm(y ~ x, data, list(a = rr_lie_detector(0.2), b = rr_lie_detector(0.2)), arm = arm), class = "no_information")
  expect_refused(rr_glm(I(y * 2) ~ x, data, warner), rr_glm(c("nope", "yes")[y + 1] ~ x, data, warner), class = "level")
  expect_refused(rr_glm(y ~ x, data, warner, weights = replace(rep(1, 40), 4, NA), na.action = na.pass), rr_glm(y ~ x, replace(data, "y", NA_real_), warner),
                 class = "missing")
  expect_refused(rr_glm(y ~ x, data, list(a = warner, c = rr_binary(1, 0)), arm = arm),
                 rr_glm(y ~ x, data, list(a = warner, b = rr_grr(2, p = 0.8)), arm = arm),
                 rr_glm(y ~ x, data, list(a = rr_lie_detector(0.2), b = rr_unrelated(0.2, pi = NULL)), arm = arm), class = "mismatch")
  # The last three: model.frame() would read the bar as "or", and clusters as a covariate.
  expect_refused(rr_glm(y ~ x, data), rr_glm(y ~ x, data, rr_grr(3, p = 0.8)), rr_glm(y ~ x, data, rr_product(drug = warner, tax = warner)),
                 rr_glm(y ~ x, data, warner, wieghts = 1), rr_glm(~x, data, warner), rr_glm(cbind(y, 1 - y, y) ~ x, data, warner),
                 rr_glm(cbind(y, -y) ~ x, data, warner), rr_glm(y ~ x, transform(data, y = 0.5), warner),
                 rr_glm(y ~ x, transform(data, y = rep_len(c(1, 0.5), 40)), warner),
                 rr_glm(y ~ x, data, warner, weights = replace(rep(1, 40), 3, -1)), rr_glm(y ~ x, data, warner, weights = rep(0, 40)),
                 rr_glm(y ~ x, data, warner, offset = 1:3), rr_glm(y ~ x, data, warner, offset = replace(x, 2, Inf)), rr_glm(y ~ I(1 / x), data, warner),
                 rr_glm(y ~ x, data, list(a = warner, b = rr_binary(1, 0))), rr_glm(y ~ x, data[1, ], warner), rr_glm(y ~ x, data, warner, start = "a"),
                 rr_glm(y ~ x, mechanism = warner, design = data), rr_family(list(warner)),
                 rr_glm(y ~ x + (x | arm), data, warner), rr_multinom(y ~ x + (1 | arm), data, warner), rr_glm(y ~ x + cluster(arm), data, warner))
  expect_s3_class(suppressWarnings(rr_glm(y ~ I(x > 0 | arm == "a"), data, warner)), "rr_glm")
  # Names of rows are what stats::glm() takes for text.
  expect_identical(nobs(quietly(rr_glm(y ~ x, data, warner, subset = as.character(1:30)))), 30L)
})

test_that("methods refuse what they cannot do", {
  fit <- quietly(rr_glm(y ~ x, data, warner))
  both <- quietly(rr_glm(y ~ x, data, list(a = warner, b = rr_binary(1, 0)), arm = arm))
  expect_refused(vcov(fit, "sandwich", cluster = 1:3), vcov(fit, "survey"))
  expect_error(confint(fit, "age"), class = "candor_error_level")
  expect_refused(predict(fit, data.frame(x = 1), "posterior"), predict(both, data.frame(x = 1), "report"), class = "mismatch")
  expect_refused(rr_effects(fit, "age"), confint(quietly(rr_glm(y ~ x, data, warner, penalty = "bias")), method = "profile"))
})

test_that("aliased columns are told", {
  data$twice <- 2 * data$x
  expect_message(fit <- quietly(rr_glm(y ~ x + twice, data, warner)), "twice", class = "candor_message_aliased")
  expect_true(is.na(coef(fit)[["twice"]]))
  expect_equal(coef(fit)[1:2], coef(quietly(rr_glm(y ~ x, data, warner))))
  expect_true(all(is.finite(predict(fit, data, "truth"))))
  expect_identical(confint(fit)[3, ], c(`2.5 %` = NA_real_, `97.5 %` = NA_real_))
})

test_that("reports that no truth makes likely are told, with the cure, where the maximum is at infinity", {
  # p and pi exchanged: 70 % of a quarter, and more, would say yes; 9 % do.
  data <- data.frame(group = rep(c("a", "b"), 300), y = rep(c(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0), length.out = 600), weight = rep(c(1, 2), 300))
  wrong <- rr_unrelated(0.25, 0.7)
  told <- NULL
  fit <- withCallingHandlers(rr_glm(y ~ group, data, wrong), warning = function(w) {
    told <<- c(told, list(w))
    invokeRestart("muffleWarning")
  })
  # One warning, not three.
  expect_length(told, 1)
  expect_s3_class(told[[1]], "candor_warning_unlikely")
  expect_s3_class(told[[1]], "candor_warning_infinite")
  expect_snapshot(write_said(fit <- quietly(rr_glm(y ~ group, data, wrong))))
  expect_snapshot(fit)
  expect_warning(rr_glm(y ~ group, data, wrong, penalty = "jeffreys"), class = "candor_warning_unlikely")
  # Infinite for another reason: everybody in one group says yes, which the design allows.
  data$y[data$group == "b"] <- 1
  expect_warning(quietly(rr_glm(y ~ group, data, rr_forced(1 / 6), starts = 3)), "penalty = \"prior\"", class = "candor_warning_infinite")
  quarters <- rr_forced(c(a = .3, b = .3, c = .3))
  many <- data.frame(x = rep(0:1, 300), y = rep(c("a", "b"), each = 300))
  expect_warning(rr_multinom(y ~ x, many, quarters), class = "candor_warning_unlikely")
  pair <- rr_product(first = quarters, second = rr_warner(0.8))
  both <- data.frame(x = rep(0:1, 300), first = rep(c("a", "b"), each = 300), second = rep(c("no", "yes", "no"), 200))
  expect_warning(suppressMessages(rr_multinom(~x, both, pair, starts = 1)), class = "candor_warning_unlikely")
})

test_that("the kernel refuses a model without its parts, and sizes that are no whole numbers", {
  # Two reports of yes and one of no with p = 0.8 and q = 0.2: the share of yes is (2/3 - 0.2) / 0.6 = 7 / 9.
  parts <- regress_kernel(matrix(1, 3, 1), c(1, 1, 0), matrix(c(0.8, 0.2, 0.2, 0.8, 0.6), 5), "logit")
  climb <- function(parts, tolerance = 1e-11, steps = 300) .Call(C_rr_regress_climb, parts, 0, tolerance, steps)
  expect_equal(plogis(climb(rev(parts))$at[1, 1]), 7 / 9, tolerance = 1e-9)
  for (steps in list(NaN, -1, 0.5, NULL)) expect_error(climb(parts, steps = steps), "whole number")
  for (name in c("x", "y", "device", "link", "barrier", "levels")) {
    expect_error(climb(parts[names(parts) != name]), paste0("`", name, "` must"))
  }
  likelihood <- list(evaluate = function(b, need) list(value = -sum(b^2)), reach = abs, metric = diag(1))
  expect_error(climb(likelihood), "`gradient` must")
  expect_error(climb(likelihood[-2]), "two functions and a matrix")
  lines <- cbind(c(0.3, 0.2, 0.1, 0.4, 1, 0))
  short <- replace(parts, c("unknown", "shares"), list(lines, matrix(1, 2, 1)))
  expect_error(climb(short), "`shares` must")
  rows <- function(y, arm) .Call(C_rr_unknown_rows, c(0, 0), c(0, 0), y, arm, lines, 0L, FALSE)
  expect_equal(rows(c(1, 0), NULL)$loglik, log(c(0.35, 0.65)), tolerance = 1e-14)
  expect_error(rows(1, NULL), "`y` must")
  expect_error(rows(c(1, 0), 0:1), "`arm` must")
})

test_that("weights are numbers whatever their class, and labelled covariates are factors in every formula", {
  set.seed(5)
  x <- rnorm(200)
  data <- data.frame(x = x, q = rr_perturb(rbinom(200, 1, plogis(x)), rr_warner(0.8), rng = "R"), a = rr_perturb(rep(0, 200), rr_warner(0.8), rng = "R"),
                     w = rep(c(1, 3), 100))
  expected <- coef(rr_glm(q ~ x, data, rr_warner(0.8), weights = w))
  dresses <- list(ts(data$w), I(data$w), structure(data$w, class = "labelled", label = "weight"),
                  structure(data$w, class = c("haven_labelled", "vctrs_vctr", "double"), labels = c(low = 1)))
  for (dress in dresses) {
    data$dressed <- dress
    expect_identical(coef(rr_glm(q ~ x, data, rr_warner(0.8), weights = dressed)), expected)
    expect_identical(rr_tally(data, rr_warner(0.8), column = "q", weights = "dressed"), rr_tally(data, rr_warner(0.8), column = "q", weights = "w"))
  }
  # A weight that the file declares missing is missing.
  data$dressed <- structure(data$w, class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "double"), na_values = 3)
  expect_refused(rr_tally(data, rr_warner(0.8), column = "q", weights = "dressed"))
  data$sex <- structure(rep(1:2, 100), class = c("haven_labelled", "vctrs_vctr", "integer"), labels = c(m = 1L, f = 2L))
  data$factor <- factor(rep(c("m", "f"), 100), c("m", "f"))
  attention <- function(formula) {
    fit <- suppressWarnings(rr_glm(q ~ x, data, rr_warner(0.8), anchor = list(a = rr_anchor(rr_warner(0.8))), attention = formula))
    unname(coef(fit))
  }
  expect_identical(attention(~ sex), attention(~ factor))
})

test_that("what a fit does not have is said by class", {
  set.seed(6)
  x <- rnorm(300)
  data <- data.frame(x = x, q = rr_perturb(rbinom(300, 1, plogis(x)), rr_warner(0.8), rng = "R"), a = rr_perturb(rep(0, 300), rr_warner(0.8), rng = "R"),
                     one = "u", id = rep(1:100, 3), same = 1, block = rep(1:20, each = 15), r = rep(rep(c("yes", "no"), c(6, 9)), 20))
  die <- rr_warner(0.8)
  anchor <- list(a = rr_anchor(die))
  suppressWarnings(fits <- list(rr_glm(q ~ x, data, die, anchor = anchor, attention = ~ 1), rr_glm(q ~ x + (1 | id), data, die, protective = "no"),
                                rr_glm(r ~ x, data, rr_dealt(c(no = 3, yes = 3), 15)), rr_predictor(q ~ x, data, list(q = die), family = binomial())))
  for (fit in fits) {
    expect_identical(as.vector(model.matrix(fit)), c(rep(1, 300), x))
    expect_refused(drop1(fit), step(fit, trace = 0))
  }
  expect_refused(model.matrix(rr_predictor(x ~ q, data, list(q = die))), rr_effects(fits[[3]]), rr_glm(q ~ one, data, die), rr_multinom(q ~ one, data, die),
                 rr_predictor(x ~ q + one, data, list(q = die)), rr_glm(q ~ x, data, die, anchor = anchor, attention = ~ one),
                 rr_estimate(data, die, column = c("q", "a"), anchor = 0.1))
  expect_refused(rr_glm(q ~ x + (1 | same), data, die, protective = "no"), rr_glm(q ~ x + (1 | same), data, die), class = "no_information")
})
