#' @srrstats {G5.4c} Published regressions.

# Published analyses, where the packages that carry their data are installed. Numbers: math by an independent
# implementation, and the publication where it is right.

quietly_all <- function(expr) suppressMessages(quietly(expr))

expect_digits <- function(actual, expected, digits) expect_lte(max(abs(unname(actual) - expected)), 0.51 * 10^-digits)

test_that("Nigeria: contact with armed groups (Blair, Imai and Zhou 2015, table 3)", {
  nigeria <- data_from_cran("rr", "nigeria")
  formula <- rr.q1 ~ cov.asset.index + cov.married + I(cov.age / 10) + I((cov.age / 10)^2) + I(cov.education) + I(cov.female)
  fit <- quietly_all(rr_glm(formula, nigeria, rr_forced(c(1 / 6, 1 / 6))))
  expect_digits(fit$loglik, -1540.11785048, 8)
  expect_digits(coef(fit), c(-.34016722, .07896242, -.26742498, -.35282823, .04099253, -.00690752, -.55439455), 8)
  se <- function(V) sqrt(diag(V))
  expect_digits(se(vcov(fit)), c(.49291797, .04042152, .24136748, .26368055, .02713005, .04466056, .16268326), 8)
  expect_digits(se(vcov(fit, "expected")), c(.50251968, .04092449, .24959034, .26392559, .02643433, .04517253, .16249280), 8)
  expect_digits(se(solve(crossprod(candor:::row_scores(fit)))), c(.50856, .04136, .25451, .26423, .02603, .04558, .16244), 5)
  effects <- rr_effects(fit, "cov.female")
  expect_digits(c(effects$estimate[1], effects$std.error[1]), c(.262131, .014329), 6)
  expect_digits(c(effects$estimate[2], effects$std.error[2]), c(-.103407, .029433), 6)
  expect_digits(confint(fit, "I(cov.female)"), c(-.882606, -.241476), 6)
  expect_digits(drop1(fit)["I(cov.female)", "LRT"], 12.2765, 4)
  expect_silent(many <- suppressMessages(rr_glm(formula, nigeria, rr_forced(c(1 / 6, 1 / 6)), starts = 20)))
  expect_equal(coef(many), coef(fit))
})

test_that("Minarets: stochastic lie detector, without and with the direct questions (Heck and Moshagen 2018)", {
  minarets <- data_from_cran("RRreg", "minarets")
  minarets <- data.frame(lapply(minarets, as.vector))
  groups <- list(`0` = rr_binary(1, 0), `1` = rr_lie_detector(2 / 12), `2` = rr_lie_detector(10 / 12))
  fit <- quietly_all(rr_glm(rrt ~ age.c * leftRight.c, subset(minarets, condition != 0), groups[-1], arm = condition))
  expect_digits(fit$loglik, -821.0840, 4)
  expect_digits(coef(fit), c(1.896365, .013601, .624465, -.020390), 6)
  expect_digits(sqrt(diag(vcov(fit))), c(.381163, .060759, .156849, .011642), 6)
  expect_digits(c(fit$parameter, attr(fit$parameter, "std.error")), c(.651709, .017997), 6)
  # Each column left out by itself. The published 15.96 for leftRight.c is that of a local maximum.
  without <- vapply(2:4, function(j) 2 * (fit$loglik - candor:::refit_columns(fit, setdiff(1:4, j))$value), 0)
  expect_digits(without, c(.0634, 12.6147, 1.9996), 4)
  both <- quietly_all(rr_glm(rrt ~ RRdesign * leftRight.c, minarets, groups, arm = condition))
  expect_digits(both$loglik, -1051.46645, 5)
  expect_digits(coef(both), c(.765158, 1.055680, .477655, .096765), 6)
  expect_digits(sqrt(diag(vcov(both))), c(.178038, .178038, .080006, .080006), 6)
  expect_digits(c(both$parameter, attr(both$parameter, "std.error")), c(.652997, .018053), 6)
})

test_that("Plagiarism: direct and crosswise arms (data of GLMMRR)", {
  Plagiarism <- data_from_cran("GLMMRR", "Plagiarism")
  arms <- list(DQ = rr_binary(1, 0), Crosswise = rr_crosswise(0.25))
  data <- Plagiarism
  data$arm <- as.character(data$RRmodel)
  data$arm[data$arm != "DQ"] <- "Crosswise"
  fit <- quietly_all(rr_glm(response ~ Gender + RR + pp + age, data, arms, arm = arm))
  expect_digits(fit$loglik, -400.4446, 4)
  expect_digits(coef(fit), c(.834952, -.044124, 1.332362, 2.389940, -.263068), 5)
  expect_digits(sqrt(diag(vcov(fit, "expected"))), c(3.072796, .519155, .522676, 1.084412, .132663), 6)
  expect_digits(sqrt(diag(vcov(fit))), c(3.122265, .523601, .521919, .955712, .140643), 6)
})
