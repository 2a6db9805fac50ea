# The exact test vectors, each a list of cases with `input` and `expected`.
golden <- function(name, part = "cases") {
  skip_if_not_installed("jsonlite")
  file <- jsonlite::fromJSON(test_path("golden", paste0(name, ".json")), simplifyVector = TRUE, simplifyDataFrame = FALSE, simplifyMatrix = TRUE)
  file[[part]]
}

# Infinities are written as text in JSON.
golden_number <- function(x) {
  if (!is.character(x)) return(x)
  as.numeric(sub("inf", "Inf", x, fixed = TRUE))
}

# The files' common tolerance: |x - y| <= tolerance * max(1, largest entry of the expected array).
# One expectation, since there are thousands and each costs milliseconds.
expect_golden <- function(actual, expected, tolerance = 1e-11, label = deparse1(substitute(actual))) {
  expected <- as.vector(as.double(golden_number(expected)))
  actual <- as.vector(unname(actual))
  finite <- is.finite(expected)
  if (length(actual) != length(expected)) return(testthat::fail(sprintf("%s has length %d, not %d", label, length(actual), length(expected))))
  worst <- max(0, abs(actual - expected)[finite])
  near <- !is.na(worst) && worst <= tolerance * max(1, abs(expected[finite]))
  testthat::expect(near && identical(actual[!finite], expected[!finite]), sprintf("%s is off by %g, or not infinite or missing where it must be", label, worst))
}

# The mechanism of a golden case of k categories, given by epsilon or p. An epsilon below 0 stands for a design
# whose truth is the least likely report, which the package takes through its probability.
golden_grr <- function(input, k = length(input$counts)) {
  if (is.null(input$epsilon)) return(rr_grr(k, p = input$p))
  if (input$epsilon > 0) return(rr_grr(k, epsilon = input$epsilon))
  rr_grr(k, p = 1 / (1 + (k - 1) * exp(-input$epsilon)))
}
