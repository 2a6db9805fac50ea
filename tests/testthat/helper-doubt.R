# Fits of counts that no truth makes likely, which are tested for something else: rr_estimate() must say it.
estimate_doubted <- function(...) {
  testthat::expect_warning(fit <- rr_estimate(...), class = "candor_warning_unlikely")
  fit
}

# Files whose counts are enumerated, or lie at the edges on purpose, use it in place of rr_estimate().
estimate_odd <- function(...) suppressWarnings(candor::rr_estimate(...), classes = "candor_warning_unlikely")
