# Arguments that no function knows: our own verbs refuse all of them, methods of foreign generics those that were meant for them.
die <- rr_forced(1 / 6)
fit <- rr_estimate(rr_counts(c(no = 780, yes = 420), die))
survey <- data.frame(age = rep(20:69, 8), report = rep(c("no", "no", "yes", "no", "yes"), each = 2, 40))
model <- rr_glm(report ~ age, survey, die)

test_that("every exported function takes an unknown argument to say what it is called", {
  # Methods of the first two in other packages need not take more; rr_methods() has no arguments.
  extensions <- c("rr_law", "rr_reports", "rr_methods")
  taking <- vapply(exported(), function(f) "..." %in% names(formals(f)), NA)
  expect_setequal(names(taking)[!taking], extensions)
})

test_that("answers that stand in the wrong place are not printed", {
  cnd <- expect_error(rr_perturb("no", die, "R", NULL, NULL, "heroin"), class = "candor_error_argument")
  expect_no_match(conditionMessage(cnd), "heroin")
})
