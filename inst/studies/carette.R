# The numerical study of Carette (2022), section 4, figures 1 to 3: four independent yes/no questions whose yes is
# kept with probability 0.8 and whose no becomes a yes with probability 0.1; from 10 to 100,000 respondents.
#
# As a script it draws the figures and says which of the paper's claims they confirm.
#
# The paper does not say which true shares it used; these are 0.1, 0.3, 0.5 and 0.7. (It puts epsilon at about 2,
# which is that of one column; a row of four has 8.3.)
library(candor)

carette_survey <- rr_product(x1 = rr_binary(0.8, 0.1), x2 = rr_binary(0.8, 0.1), x3 = rr_binary(0.8, 0.1), x4 = rr_binary(0.8, 0.1))
carette_truth <- Reduce(function(a, b) as.vector(outer(a, c(1 - b, b))), c(0.1, 0.3, 0.5, 0.7), 1)
carette_sets <- c("x1", "x3:x4", "x1:x2:x3:x4")

carette_study <- function(n = round(10^seq(1, 5, by = 0.5)), replications = 1000, seed = 1) {
  rr_study(carette_truth, n = n, mechanism = carette_survey, order = 4, replications = replications, seed = seed)
}

# Rows with these shares, as near as whole numbers are, and what their reports are expected to be.
carette_expected <- function(n) {
  rows <- floor(n * carette_truth)
  first <- order(n * carette_truth - rows, decreasing = TRUE)[seq_len(n - sum(rows))]
  rows[first] <- rows[first] + 1
  rr_pmdh(array(rows, rep(2, 4)), carette_survey)
}

# Mean, variance and skewness of each reported count, from its exact law.
carette_laws <- function(expected) {
  t(vapply(names(coef(expected)), function(set) {
    law <- rr_law(carette_survey, truth = expected$truth, set = strsplit(set, ":")[[1]])
    mean <- sum(law$count * law$probability)
    moment <- function(k) sum((law$count - mean)^k * law$probability)
    c(mean = mean, variance = moment(2), skewness = moment(3) / moment(2)^1.5)
  }, numeric(3)))
}

if (sys.nframe() == 0L) {
  source(file.path(dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
  study <- carette_study()
  for (n in c(10, 200, 10000)) save_figure(autoplot(carette_expected(n), target = "sample"), paste0("carette-2-reported-", n))
  save_figure(autoplot(carette_expected(200), carette_sets, "sample", "estimate"), "carette-3d-f-estimated-200", 10, 4)
  for (metric in c("bias", "std.error", "coverage")) save_figure(autoplot(study, metric), paste0("carette-3-", metric))

  small <- c(10, 100, 1000)
  laws <- lapply(small, function(n) carette_laws(carette_expected(n)))
  off <- max(unlist(Map(function(n, law) {
    expected <- carette_expected(n)
    abs(c(coef(expected), diag(vcov(expected, target = "sample"))) / c(law[, "mean"], law[, "variance"]) - 1)
  }, small, laws)))
  claim("The calculated parameters of reported joint counts agree with the simulations within the numerical accuracy (4, figure 1).",
        if (off < 1e-9) "confirmed" else "NOT confirmed", sprintf("means and variances of the exact laws differ by at most %.0e", off))
  skew <- vapply(laws, function(law) max(abs(law[, "skewness"])), 0)
  claim("The divergence from the normal law diminishes with the size of the data set (4, figure 2).",
        if (all(diff(skew) < 0)) "confirmed" else "NOT confirmed",
        paste("largest skewness of a reported count:", paste(sprintf("%.2f (N = %d)", skew, small), collapse = ", ")))
  # The largest of so many normal numbers is below this bound in 99 of 100 studies.
  agreement <- function(metric, target) {
    rows <- study[study$metric == metric & study$mc.error > 0, ]
    z <- (rows$estimate - target) / rows$mc.error
    bound <- stats::qnorm(1 - (1 - 0.99^(1 / nrow(rows))) / 2)
    list(agrees = max(abs(z)) < bound, evidence = sprintf("simulated less exact, in Monte Carlo errors: sd %.2f, largest %.2f of %d (99 in 100 studies: below %.2f)",
                                                          stats::sd(z), max(abs(z)), nrow(rows), bound))
  }
  bias <- agreement("bias", 0)
  claim("The estimated joint counts are right on average (4.2, figure 3).", if (bias$agrees) "confirmed" else "NOT confirmed", bias$evidence)
  error <- agreement("std.error", 1)
  claim("The variance estimator is off by more than 1% for rare sets below 1,000 respondents, from the approximation, not from noise (4).",
        if (error$agrees) "wrong, it is unbiased for any number (errata C20)" else "NOT refuted", error$evidence)
  coverage <- study[study$metric == "coverage", ]
  claim("The normal approximation is useful from few respondents on (5).", "by score intervals",
        paste("mean coverage of 95% intervals by order 1 to 4:", paste(sprintf("%.3f", tapply(coverage$estimate, coverage$order, mean)), collapse = ", "),
              sprintf("lowest %.3f", min(coverage$estimate))))
  claim("p = 0.8 and q = 0.1 correspond to an epsilon of about 2 (4; errata C19).", "for one column only",
        sprintf("epsilon is %.3f for a column, %.3f for a row of four", rr_binary(0.8, 0.1)$epsilon, carette_survey$epsilon))
}
