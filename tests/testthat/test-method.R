# Methods as objects: the registry, and methods of the user's own.

tally <- rr_counts(c(420, 330, 250), rr_grr(3, epsilon = 1))

test_that("the registry is what the help page, the choices and the errors say", {
  methods <- rr_methods()
  expect_identical(methods$method, c("mle", "composite", "inv", "invn", "invp", "ibu", "base_cut", "norm", "norm_cut", "norm_sub", "power",
                                     "power_ns", "combine", "nnls", "lasso", "merged", "smoothed", "eb"))
  expect_identical(methods$method[methods$unbiased], c("inv", "norm"))
  groups <- split(methods$method, factor(methods$group, unique(methods$group)))
  expect_identical(groups, list(
    likelihood = c("mle", "composite", "ibu"), inversion = c("inv", "invn", "invp"),
    `post-processing` = c("base_cut", "norm", "norm_cut", "norm_sub", "power", "power_ns", "nnls", "lasso"),
    shrinkage = c("combine", "merged", "smoothed", "eb")
  ))
  # Least squares of bits need not add up to 1.
  expect_identical(methods$valid[methods$needs == "bits"], c(FALSE, FALSE))
  # No method is missing from the help page that is installed.
  page <- tryCatch(utils::capture.output(tools::Rd2txt(tools::Rd_db("candor")[["estimators.Rd"]], options = list(underline_titles = FALSE))),
                   error = function(e) NULL)
  skip_if(length(page) == 0)
  page <- paste(page, collapse = " ")
  for (name in methods$method) expect_match(page, paste0("\"", name, "\""), fixed = TRUE)
})

test_that("options and standard errors of methods are those of ?estimators and ?intervals", {
  methods <- rr_methods()
  with_option <- function(option) methods$method[vapply(strsplit(methods$options, ", "), function(names) option %in% names, NA)]
  expect_identical(with_option("tolerance"), c("mle", "ibu", "smoothed"))
  expect_identical(with_option("iterations"), c("mle", "ibu", "smoothed"))
  expect_identical(with_option("start"), c("mle", "ibu"))
  expect_identical(with_option("alpha"), c("base_cut", "lasso"))
  expect_identical(with_option("smoothing"), "merged")
  for (option in c("loss", "pool", "reference", "ordered")) expect_identical(with_option(option), "eb")
  expect_identical(methods$method[!methods$standard.error], c("power", "power_ns", "combine", "nnls", "lasso", "merged", "smoothed"))
  # Leaving a report out is for methods that treat all categories alike and are no inversion, neither of supports and bits, nor by iteration.
  again <- vapply(methods$method, function(name) isTRUE(check_method(name)$refit), NA)
  expect_identical(methods$method[!again], c("composite", "inv", "ibu", "norm", "nnls", "lasso", "smoothed"))
})

halfway <- rr_new_method(
  "halfway", "Half-way to uniform",
  estimate = function(evidence, options) (evidence$unbiased() + 1 / evidence$k) / 2,
  local_map = function(estimate, evidence) list(jacobian = diag(evidence$k) / 2)
)

test_that("a user's method estimates with standard errors, intervals, tables and the bootstrap", {
  inv <- rr_estimate(tally, method = "inv")
  fit <- rr_estimate(tally, method = halfway)
  expect_equal(coef(fit), (coef(inv) + 1 / 3) / 2)
  # The delta method with N where the unbiased estimate has N - 1.
  expect_equal(vcov(fit), vcov(inv) / 4 * 999 / 1000, tolerance = 1e-12)
  expect_equal(tidy(fit)$std.error, sqrt(diag(vcov(fit))), ignore_attr = TRUE)
  expect_true(all(tidy(fit, conf.int = TRUE)$conf.low <= coef(fit)))
  expect_snapshot(fit)
  expect_snapshot(halfway)
  set.seed(1)
  boot <- rr_estimate(tally, method = halfway, interval = "bootstrap", replications = 2000)
  expect_equal(tidy(boot)$std.error, tidy(fit)$std.error, tolerance = 0.08)
  # The same through a map of support, alpha and u, on every law.
  shift <- rr_new_method("shift", "Mean-centred", function(evidence, options) list(estimate = postprocess_norm(evidence$unbiased()), note = 1),
                         local_map = function(estimate, evidence) list(support = rep(TRUE, 3), alpha = 1, u = rep(1 / 3, 3)))
  for (one in list(tally, rr_counts(c(50, 30, 20), rr_geometric(3, 1)), rr_counts(c(50, 30, 20), toy_unary(letters[1:3]), n = 80))) {
    jacobian <- rr_new_method("j", "j", shift$estimate, local_map = function(estimate, evidence) list(jacobian = diag(3) - 1 / 3))
    for (target in c("population", "sample")) {
      expect_equal(vcov(rr_estimate(one, method = shift, target = target)), vcov(rr_estimate(one, method = jacobian, target = target)), tolerance = 1e-10)
    }
    expect_identical(rr_estimate(one, method = shift)$details[[1]]$note, 1)
  }
  # No map: no standard error.
  expect_true(all(is.na(tidy(rr_estimate(tally, method = rr_new_method("flat", "Uniform", function(evidence, options) rep(1 / 3, 3))))$std.error)))
})

test_that("a user's method takes options, and refuses others", {
  towards <- rr_new_method("towards", "Towards uniform", options = "weight",
                           estimate = function(evidence, options) {
                             w <- if (is.null(options$weight)) 0.5 else options$weight
                             (1 - w) * evidence$unbiased() + w / evidence$k
                           })
  expect_equal(unname(coef(rr_estimate(tally, method = towards, weight = 1))), rep(1 / 3, 3))
  expect_error(rr_estimate(tally, method = towards, wieght = 1), class = "candor_error_argument")
  # Options are values: a call is described, not evaluated.
  expect_refused(rr_estimate(tally, method = "base_cut", alpha = quote(stop("evaluated"))), rr_estimate(tally, nonsense = quote(stop("evaluated"))))
})

test_that("a user's method works in studies, risks and choices, beside plain functions", {
  plain <- function(counts, mechanism) (counts / sum(counts) + 1 / length(counts)) / 2
  study <- rr_study(c(0.5, 0.3, 0.2), epsilon = 1, n = 200, method = list("inv", mine = halfway, plain = plain), replications = 30, seed = 1, progress = FALSE)
  expect_setequal(unique(as.character(study$method)), c("inv", "mine", "plain"))
  expect_true(all(is.finite(study$estimate[study$metric == "mse"])))
  risk <- rr_study(c(0.5, 0.3, 0.2), n = 200, method = list("inv", halfway), replications = 2000, seed = 1, mechanism = rr_grr(3, epsilon = 1))
  # Half the noise, a quarter of the variance, and half of the distance to uniform as bias.
  variance <- risk$estimate[risk$metric == "variance"]
  expect_equal(variance[2], variance[1] / 4, tolerance = 0.1)
  expect_equal(risk$estimate[risk$metric == "bias2"][2], sum((c(0.5, 0.3, 0.2) - 1 / 3)^2) / 4, tolerance = 0.1)
  choice <- rr_choose_method(tally, method = list("mle", halfway), replications = 20, seed = 1)
  expect_setequal(choice$method, c("mle", "halfway"))
})

test_that("what is no method, or returns no shares, is refused", {
  expect_error(rr_new_method(1, "a", function(evidence, options) 1), class = "candor_error_argument")
  expect_error(rr_new_method("a"), class = "simpleError")
  expect_error(rr_estimate(tally, method = function(counts, mechanism) counts), class = "candor_error_argument")
  expect_error(tidy(rr_estimate(tally, method = rr_new_method("m", "m", halfway$estimate, local_map = function(estimate, evidence) 3))), class = "simpleError")
})

test_that("valid methods return distributions, and the others need not", {
  methods <- rr_methods()
  counts <- withr::with_seed(7, cbind(rmultinom(25, 40, c(0.6, 0.2, 0.1, 0.1, 0)), c(40, 0, 0, 0, 0)))
  bits <- withr::with_seed(7, matrix(rbinom(600, 1, 0.3), 100, 6))
  is_distribution <- function(x) all(x >= -1e-9 & x <= 1 + 1e-9) && abs(sum(x) - 1) < 1e-8
  shares <- function(method, needs) {
    estimate <- function(...) suppressMessages(suppressWarnings(unname(coef(rr_estimate(..., method = method)))))
    if (needs == "support") return(list(estimate(bits, rr_unary(6, epsilon = 1))))
    lapply(seq_len(ncol(counts)), function(i) estimate(rr_counts(counts[, i], rr_grr(5, p = 0.5))))
  }
  for (i in which(methods$needs != "bits")) {
    estimates <- shares(methods$method[i], methods$needs[i])
    expect_identical(all(vapply(estimates, is_distribution, NA)), methods$valid[i], label = methods$method[i])
  }
  # Table 1 of the paper: the three repairs of inversion and the exact maximum are linear in K.
  linear <- methods$method[methods$complexity %in% "K"]
  expect_true(all(c("inv", "invn", "invp", "mle") %in% linear))
})

test_that("each field of a method is checked, and each need is one of a law", {
  estimate <- function(evidence, options) rep(1 / evidence$k, evidence$k)
  refused <- function(...) expect_error(rr_new_method(...), class = "candor_error_argument")
  refused("a", 1, estimate)
  refused("a", "a", 3)
  refused("a", "a", estimate, group = 1)
  refused("a", "a", estimate, no_intervals = TRUE)
  refused("a", "a", estimate, unbiased = NA)
  refused("a", "a", estimate, needs = "nothing")
  refused("a", "a", estimate, needs = c("inverse", "luck"))
  refused("a", "a", estimate, needs = 1)
  for (field in c("local_map", "estimate_groups", "spread", "credible", "notes")) {
    expect_error(do.call(rr_new_method, c(list("a", "a", estimate), stats::setNames(list(1), field))), class = "candor_error_argument")
  }
  method <- rr_new_method("a", "A", estimate, needs = character(), notes = function(details) "n", extra = 7)
  expect_identical(method[c("name", "title", "needs", "unbiased", "options", "group", "extra")],
                   list(name = "a", title = "A", needs = character(), unbiased = FALSE, options = character(), group = "own", extra = 7))
  expect_output(print(method), "needs    nothing\n  biased   yes", fixed = FALSE)
  expect_output(print(rr_new_method("b", "B", estimate, c("shares", "question"), TRUE, c("x", "y"))),
                "counts that each follow from the share of one category; finitely many\\s+reports.*biased   no\n  options  x, y")
})

test_that("several methods have their names, functions need one, and no name is used twice", {
  own <- rr_new_method("own", "Own", function(evidence, options) 1)
  f <- function(counts, mechanism) counts
  expect_identical(names(check_methods(c("mle", "inv"))), c("mle", "inv"))
  expect_identical(names(check_methods(list("mle", own, mine = f, other = "inv"))), c("mle", "own", "mine", "other"))
  expect_identical(check_methods(own), list(own = own))
  expect_identical(names(check_methods("oracle", also = "oracle")), "oracle")
  for (bad in list("oracle", f, list(f), list("mle", "mle"), list(mle = "inv", "mle"), list(), character(), list(3), list(c("mle", "inv")))) {
    expect_error(check_methods(bad), class = "candor_error_argument")
  }
  expect_identical(check_methods(list(mine = f))$mine, f)
  expect_identical(check_method("inv")$name, "inv")
  expect_identical(check_method(own), own)
  expect_error(check_method("none"), class = "candor_error_argument")
})

test_that("a method is possible where its law meets each need, and the default says what it is", {
  possible <- function(m) possible_methods(m)
  expect_false("composite" %in% possible(rr_grr(3, epsilon = 1)))
  expect_true("combine" %in% possible(rr_grr(3, epsilon = 1)))
  expect_false("combine" %in% possible(rr_forced(c(a = 0.1, b = 0.2, c = 0.1))))
  expect_true("merged" %in% possible(rr_forced(c(a = 0.1, b = 0.2, c = 0.1))))
  expect_identical(unmet_need(list(needs = c("inverse", "support")), rr_law(rr_grr(3, epsilon = 1))), "support")
  expect_null(unmet_need(list(needs = character()), rr_law(rr_grr(3, epsilon = 1))))
  expect_identical(default_method(rr_law(rr_warner(0.8))), "mle")
  expect_message(method <- default_method(rr_law(rr_unary(3, 1))), class = "candor_message_composite")
  expect_identical(method, "composite")
  expect_message(method <- default_method(rr_law(rr_bitflip(3, 1, d = 2))), class = "candor_message_method")
  expect_identical(method, "norm_sub")
})
