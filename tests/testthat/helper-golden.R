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
expect_golden <- function(actual, expected, tolerance = 1e-11, label = NULL) {
  expected <- golden_number(expected)
  actual <- unname(actual)
  # An expectation that compares costs milliseconds, also where it holds: there are thousands of vectors.
  if (length(actual) != length(expected)) return(expect_identical(length(actual), length(expected), label = label))
  finite <- is.finite(expected)
  if (!all(finite)) expect_identical(as.vector(actual)[!finite], as.vector(as.double(expected))[!finite], label = label)
  worst <- max(0, abs(as.vector(actual) - as.vector(expected))[finite])
  expect_lte(worst, tolerance * max(1, abs(expected[finite])), label = label)
}

# The mechanism of a golden case of k categories, given by epsilon or p. An epsilon below 0 stands for a design
# whose truth is the least likely report, which the package takes through its probability.
golden_grr <- function(input, k = length(input$counts)) {
  if (is.null(input$epsilon)) return(rr_grr(k, p = input$p))
  if (input$epsilon > 0) return(rr_grr(k, epsilon = input$epsilon))
  rr_grr(k, p = 1 / (1 + (k - 1) * exp(-input$epsilon)))
}
