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

# Peers are slow, so fewer repetitions of them and several of ours for each.
for (n in c(1e4, 1e5)) {
  data <- survey(n)
  size <- format(n)
  times <- if (n > 1e4) 3 else 5
  inner <- if (n > 1e4) 3 else 10
  report(sprintf("rr_glm(%s rows, 4 columns, 5 starts) / glm(binomial)", size),
         ratio(rr_glm(y ~ x1 + x2 + x3, data, forced), glm(y ~ x1 + x2 + x3, binomial, data)), "<= 1 at 1e5")
  if (requireNamespace("rr", quietly = TRUE)) {
    report(sprintf("rr::rrreg / rr_glm, %s rows", size),
           1 / ratio(rr_glm(y ~ x1 + x2 + x3, data, forced),
                     rr::rrreg(y ~ x1 + x2 + x3, data = data, p = 2 / 3, p0 = 1 / 6, p1 = 1 / 6, design = "forced-known"),
                     times, inner, 1), ">= 10")
  }
  if (requireNamespace("RRreg", quietly = TRUE)) {
    report(sprintf("RRreg::RRlog without tests / rr_glm, %s rows", size),
           1 / ratio(rr_glm(y ~ x1 + x2 + x3, data, forced),
                     RRreg::RRlog(y ~ x1 + x2 + x3, data, model = "FR", p = c(1 / 6, 1 / 6), LR.test = FALSE), times, inner, 1), ">= 20")
  }
}
if (requireNamespace("RRreg", quietly = TRUE)) {
  set.seed(1)
  n <- 1e4
  z <- rnorm(n)
  truth <- rbinom(n, 1, plogis(z))
  people <- data.frame(z, q = rbinom(n, 1, 1 / 6 + 2 / 3 * truth), o = z + truth + rnorm(n))
  report("RRreg::RRlin / rr_predictor by likelihood, 1e4 rows",
         1 / ratio(rr_predictor(o ~ z + q, people, list(q = forced), method = "ml"),
                   RRreg::RRlin(o ~ q + z, people, models = "FR", p.list = list(c(1 / 6, 1 / 6))), 3, 3, 1), ">= 10")
}

# One million rows of 200 patterns: the fit costs next to nothing once rows are put together.
n <- 1e6
x <- cbind(1, sample(20, n, TRUE), sample(10, n, TRUE)) + 0
parts <- list(x = x, y = as.double(runif(n) < plogis(x[, 2] / 10 - 1) / 2 + 0.2), weight = rep(1, n), offset = NULL, arm = NULL,
              device = candor:::regress_device(rr_warner(0.8)), link = "logit", unknown = NULL)
parts$device <- matrix(parts$device)
report("collapse and fit / collapse, 1e6 rows of 200 patterns",
       ratio(candor:::regress_maximum(parts), candor:::collapse_rows(parts)), "<= 2")
