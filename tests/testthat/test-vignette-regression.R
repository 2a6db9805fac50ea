# Every number in the text of vignettes/regression.Rmd and vignettes/articles/coming-from.Rmd. A value is asserted to its printed digits.

die <- rr_forced(1 / 6)
exams <- transform(exam_simulated, reported = as.integer(plagiarism == "yes"), true = as.integer(true_plagiarism == "yes"))
fit <- rr_glm(plagiarism ~ semester + female, exams, die)

test_that("the effect of a semester on the reports, by rr_glm() and on the truths", {
  reports <- coef(glm(reported ~ semester + female, binomial, exams))[["semester"]]
  truths <- coef(glm(true ~ semester + female, binomial, exams))[["semester"]]
  # "a third of the effect", "1.6 standard errors below"
  expect_equal(reports / truths, 1 / 3, tolerance = 0.1)
  expect_equal(round((truths - coef(fit)[["semester"]]) / sqrt(vcov(fit)["semester", "semester"]), 1), 1.6)
  expect_equal(round(rr_effects(fit)$estimate, c(2, 3, 3)), c(0.25, 0.016, -0.029))
  expect_equal(unname(round(predict(fit, data.frame(semester = c(1, 10), female = mean(exams$female)), type = "truth"), 2)), c(0.18, 0.32))
})

test_that("what 2000 answers behind a die are worth", {
  truth <- fitted(fit, "truth")
  worth <- sum(fit$weights) / sum(truth * (1 - truth))
  expect_equal(round(2000 * worth, -1), 750)
  # By hand: the expected information of an answer is d^2 pi^2 (1 - pi)^2 / (mu (1 - mu)), d = 2/3, mu = 1/6 + d pi.
  report <- 1 / 6 + 2 / 3 * truth
  expect_equal(unname(worth), sum((2 / 3)^2 * (truth * (1 - truth))^2 / (report * (1 - report))) / sum(truth * (1 - truth)))
})

test_that("school B is at minus infinity, and its profile end is where the likelihood of its own reports falls", {
  answers <- data.frame(school = c("A", "B", "C"), yes = c(31, 14, 28), no = c(69, 86, 62))
  schools <- suppressWarnings(rr_glm(cbind(yes, no) ~ school, answers, die))
  expect_identical(coef(schools)[["schoolB"]], -Inf)
  expect_equal(round(100 / 6, 1), 16.7)
  # School A has its own share, so the difference to it is profiled over A's log odds alone.
  loglik <- function(eta, yes, no) {
    report <- 1 / 6 + 2 / 3 * plogis(eta)
    yes * log(report) + no * log(1 - report)
  }
  top <- loglik(qlogis((0.31 - 1 / 6) * 1.5), 31, 69) + 14 * log(1 / 6) + 86 * log(5 / 6)
  profile <- function(b) optimize(function(a) loglik(a, 31, 69) + loglik(a + b, 14, 86), c(-10, 5), maximum = TRUE, tol = 1e-10)$objective
  end <- uniroot(function(b) 2 * (top - profile(b)) - qchisq(0.95, 1), c(-5, 0), tol = 1e-10)$root
  ends <- confint(schools, "schoolB")
  expect_identical(ends[[1]], -Inf)
  expect_equal(ends[[2]], end, tolerance = 1e-6)
})

test_that("what the reports of cheating taken for truths take away", {
  often <- rr_grr(levels(exams$cheating), p = 0.8)
  right <- coef(rr_predictor(grade ~ semester + cheating, exams, list(cheating = often)))
  naive <- coef(lm(grade ~ semester + cheating, exams))
  expect_equal(unname(round(100 * (1 - naive[3:4] / right[3:4]))), c(28, 37))
})

test_that("the designs of the table are those of RRreg", {
  skip_if_not_installed("RRreg")
  matrix_of <- getExportedValue("RRreg", "getPW")
  pairs <- list(list("FR", c(1, 1) / 6, die), list("Warner", 0.75, rr_warner(0.75)), list("Crosswise", 0.25, rr_crosswise(0.25)),
                list("Triangular", 0.25, rr_triangular(0.25)), list("UQTknown", c(0.7, 0.25), rr_unrelated(0.7, 0.25)),
                list("Kuk", c(0.8, 0.2), rr_kuk(0.8, 0.2)), list("Mangat", 0.7, rr_binary(1, 0.3)))
  # Theirs has truths in its columns.
  for (pair in pairs) expect_equal(unname(rr_matrix(pair[[3]])), unname(t(matrix_of(pair[[1]], pair[[2]]))), ignore_attr = TRUE)
})

test_that("rr's designs are those that the table says", {
  skip_if_not_installed("rr")
  probabilities <- get("rrcd", asNamespace("rr"))
  for (pair in list(list(list(2 / 3, 1 / 6, 1 / 6, design = "forced-known"), die), list(list(0.8, design = "mirrored"), rr_warner(0.8)),
                    list(list(0.8, design = "disguised"), rr_binary(0.8, 0.2)))) {
    theirs <- do.call(probabilities, stats::setNames(pair[[1]], c(c("p", "p0", "p1")[seq_len(length(pair[[1]]) - 1)], "design")))
    expect_equal(rr_matrix(pair[[2]])[2:1, 2], c(theirs$c + theirs$d, theirs$d), ignore_attr = TRUE)
  }
})

test_that("chance answers pull the share of yes up, and the anchor question mends it", {
  item <- rr_crosswise(0.15)
  anchor <- rr_anchor(rr_crosswise(0.25))
  set.seed(1)
  online <- data.frame(age = runif(3000, 18, 68))
  truth <- rbinom(3000, 1, plogis(-2 - 0.03 * (online$age - 43)))
  chance <- runif(3000) < 0.2
  online$report <- ifelse(chance, rbinom(3000, 1, 0.5), rbinom(3000, 1, rr_matrix(item)[truth + 1, "yes"]))
  online$moon <- ifelse(chance, rbinom(3000, 1, 0.5), rbinom(3000, 1, rr_matrix(anchor)["attentive", "yes"]))
  ignored <- rr_effects(rr_glm(report ~ age, online, item))[1, ]
  anchored <- rr_effects(rr_glm(report ~ age, online, item, anchor = list(moon = anchor)))[1, ]
  expect_gt(ignored$conf.low, mean(truth))
  expect_true(anchored$conf.low < mean(truth) && mean(truth) < anchored$conf.high)
  expect_gt(anchored$conf.high - anchored$conf.low, ignored$conf.high - ignored$conf.low)
})

test_that("the study of coverage is the one that the text describes", {
  coverage <- read_study("regression-coverage.csv")
  expect_identical(nrow(coverage), 48L)
  # A share c of 1,000 surveys has the error sqrt(c (1 - c) / 1000).
  expect_equal(coverage$mc.error, sqrt(coverage$coverage * (1 - coverage$coverage) / 1000), tolerance = 0.01)
  expect_lte(max(coverage$mc.error), 0.0085)
  averages <- tapply(coverage$coverage, list(coverage$interval, coverage$n), mean)
  expect_true(all(abs(averages - 0.95) < 0.02))
})

test_that("the standard deviation of the classes by gam() and by rr_glm()", {
  skip_if_not_installed("mgcv")
  set.seed(1)
  classes <- data.frame(class = factor(rep(1:50, each = 24)), girl = rep(0:1, 600))
  truth <- rbinom(1200, 1, plogis(-0.5 + 0.5 * classes$girl + rnorm(50)[classes$class]))
  classes$report <- rbinom(1200, 1, rr_matrix(die)[truth + 1, "yes"])
  areas <- mgcv::gam(report ~ girl + s(class, bs = "re"), rr_family(die), classes, method = "REML")
  # The penalty over the scale is one over the variance of a random effect.
  expect_equal(round(unname(sqrt(areas$sig2 / areas$sp)), 2), 0.83)
  expect_equal(round(rr_glm(report ~ girl + (1 | class), classes, die)$sigma, 2), 0.87)
})
