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
# One expectation, since there are thousands.
expect_golden <- function(actual, expected, tolerance = 1e-11, label = deparse1(substitute(actual))) {
  expected <- as.vector(golden_number(expected))
  actual <- as.vector(unname(actual))
  finite <- is.finite(expected)
  problem <- if (length(actual) != length(expected)) sprintf("has length %d, not %d", length(actual), length(expected))
    else if (!identical(actual[!finite], as.double(expected)[!finite])) "is not infinite or missing where it must be"
    else if (!isTRUE((worst <- max(0, abs(actual - expected)[finite])) <= tolerance * max(1, abs(expected[finite])))) sprintf("is off by %g", worst)
  testthat::expect(is.null(problem), paste(label, problem))
}

# The mechanism of a golden case of k categories, given by epsilon or p. An epsilon below 0 stands for a design
# whose truth is the least likely report, which the package takes through its probability.
golden_grr <- function(input, k = length(input$counts)) {
  if (is.null(input$epsilon)) return(rr_grr(k, p = input$p))
  if (input$epsilon > 0) return(rr_grr(k, epsilon = input$epsilon))
  rr_grr(k, p = 1 / (1 + (k - 1) * exp(-input$epsilon)))
}
