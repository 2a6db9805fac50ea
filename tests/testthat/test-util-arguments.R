# Arguments that no function knows: our own verbs refuse all of them, methods of foreign generics those that were meant for them.

test_that("every exported function takes an unknown argument to say what it is called", {
  # Methods of the first two in other packages need not take more; rr_methods() has no arguments.
  extensions <- c("rr_law", "rr_reports", "rr_methods")
  taking <- vapply(exported(), function(f) "..." %in% names(formals(f)), NA)
  expect_setequal(names(taking)[!taking], extensions)
})

test_that("answers that stand in the wrong place are not printed", {
  cnd <- expect_error(rr_perturb("no", rr_forced(1 / 6), "R", NULL, NULL, "heroin"), class = "candor_error_argument")
  expect_no_match(conditionMessage(cnd), "heroin")
})
