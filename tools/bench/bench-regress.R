# rr_glm() against plain glm(binomial) and against the two packages that do the same, in one run.
library(candor)
source("common.R", chdir = TRUE)

forced <- rr_forced(c(1 / 6, 1 / 6))
survey <- function(n) {
  set.seed(1)
  data <- data.frame(x1 = rnorm(n), x2 = rnorm(n), x3 = rbinom(n, 1, 0.5))
  truth <- rbinom(n, 1, plogis(-1 + 0.5 * data$x1 - 0.3 * data$x2 + 0.4 * data$x3))
  device <- sample(6, n, TRUE)
  data$y <- ifelse(device == 1, 0, ifelse(device == 6, 1, truth))
  data
}

data <- survey(1e5)
report("rr_glm(1e5 rows, 4 columns, 5 starts) / glm(binomial)",
       ratio(rr_glm(y ~ x1 + x2 + x3, data, forced), glm(y ~ x1 + x2 + x3, binomial, data)), "<= 1")
if (requireNamespace("rr", quietly = TRUE)) {
  report("rr::rrreg / rr_glm, 1e5 rows",
         ratio(rr::rrreg(y ~ x1 + x2 + x3, data = data, p = 2 / 3, p0 = 1 / 6, p1 = 1 / 6, design = "forced-known"),
               rr_glm(y ~ x1 + x2 + x3, data, forced), times = 1), ">= 10")
}
if (requireNamespace("RRreg", quietly = TRUE)) {
  report("RRreg::RRlog / rr_glm, 1e5 rows",
         ratio(RRreg::RRlog(y ~ x1 + x2 + x3, data, model = "FR", p = c(1 / 6, 1 / 6), LR.test = FALSE),
               rr_glm(y ~ x1 + x2 + x3, data, forced), times = 1), ">= 20")
}

# One million rows of 200 patterns: the fit costs next to nothing once rows are put together.
n <- 1e6
x <- cbind(1, sample(20, n, TRUE), sample(10, n, TRUE)) + 0
parts <- list(x = x, y = as.double(runif(n) < plogis(x[, 2] / 10 - 1) / 2 + 0.2), weight = rep(1, n), offset = NULL, arm = NULL,
              device = candor:::regress_device(rr_warner(0.8)), link = "logit", unknown = NULL)
parts$device <- matrix(parts$device)
report("collapse and fit / collapse, 1e6 rows of 200 patterns",
       ratio(candor:::regress_maximum(parts), candor:::collapse_rows(parts)), "<= 2")
