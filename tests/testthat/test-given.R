exported <- function() {
  functions <- lapply(stats::setNames(nm = grep("^rr_", getNamespaceExports("candor"), value = TRUE)), getExportedValue, ns = "candor")
  functions[order(names(functions))]
}

needed <- function(f) {
  arguments <- formals(f)
  setdiff(names(arguments)[vapply(arguments, function(default) is.symbol(default) && !nzchar(as.character(default)), NA)], "...")
}

test_that("every exported function says which argument is missing and what it is, whichever is left out", {
  for (name in names(exported())) {
    f <- exported()[[name]]
    for (arg in needed(f)) {
      given <- lapply(stats::setNames(nm = setdiff(needed(f), arg)), function(x) 0.5)
      cnd <- expect_error(do.call(f, given), class = "candor_error_argument")
      expect_match(conditionMessage(cnd), sprintf("^`%s` is needed: [^N].*[.]", arg), label = paste(name, arg))
    }
    if (length(needed(f)) > 1) {
      cnd <- expect_error(f(), class = "candor_error_argument")
      # A tally holds its flip: it is asked for only when the rest is known.
      for (arg in setdiff(needed(f), "flip")) expect_match(conditionMessage(cnd), sprintf("`%s`", arg), label = name)
    }
  }
})

test_that("what is left out is missed by the user's function too", {
  mine <- function(answers, design) rr_tally(answers, design)
  expect_error(mine(1), "`mechanism` is needed", class = "candor_error_argument")
})

test_that("what a function can do without is not asked for", {
  tally <- rr_bit_tally(matrix(c(0, 1, 1, 0), 2), 0.1)
  expect_silent(rr_any(tally))
  expect_silent(rr_union_size(tally))
})

test_that("missing arguments are named with what they are and how to mend", {
  expect_snapshot(error = TRUE, {
    rr_compose()
    rr_compose(rr_warner(0.8))
    rr_geometric(5)
    rr_geometric()
    rr_grr()
    rr_tally(c("yes", "no"))
    rr_estimate()
    rr_bit_tally(c(0, 1))
    rr_contrast()
    rr_study()
    rr_power(rr_warner(0.8), share = 0.1)
  })
})
