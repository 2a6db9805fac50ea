# Objects can be forged, cut and changed by hand, and arguments can be anything. Whatever is asked of them: an answer, or an error of this package
# that says what is wrong, never one of R's own ("$ operator is invalid for atomic vectors", "subscript out of bounds") from inside.

fixtures <- function() {
  warner <- rr_warner(0.8)
  grr <- rr_grr(c("a", "b", "c"), epsilon = 1)
  unary <- rr_unary(4, epsilon = 1)
  subset <- rr_subset(5, epsilon = 1)
  bits <- cbind(a = rep(0:1, 50), b = rep(c(0, 0, 1), c(40, 40, 20)), c = rep(c(1, 0, 0, 1), 25))
  tally <- rr_counts(cbind(north = c(40, 60, 50), south = c(30, 80, 20)), grr)
  joint <- rr_estimate(rr_counts(c(40, 20, 20, 20, 30, 20, 20, 10), rr_product(a = warner, b = warner, c = warner)))
  tmdh <- rr_tmdh(rr_cooccurrence(bits, order = 3), list(p = 0.9, q = 0.1), order = 2)
  fit <- rr_estimate(rr_counts(c(400, 320, 280), grr))
  size <- rr_union_size(bits, 0.1)
  often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
  some <- exam_simulated[1:200, ]
  list(
    mechanism = warner, grr = grr, channel = rr_geometric(3, 1), product = joint$mechanism, forced = rr_forced(1 / 6), unary = unary,
    hash = rr_local_hash(4, epsilon = 1), hadamard = rr_hadamard(4, epsilon = 1), subset = subset, bitflip = rr_bitflip(4, epsilon = 1),
    noncompliance = rr_noncompliance(warner, 0.1), compose = rr_compose(warner, warner), lie = rr_lie_detector(0.8),
    law = rr_law(grr), law_channel = rr_law(rr_geometric(3, 1)), law_support = rr_law(unary),
    bits = rr_perturb(1:4, unary, rng = "R"), sets = rr_perturb(1:4, subset, rng = "R"),
    tally = tally, tally_support = rr_tally(rr_perturb(rep(1:4, 3), unary, rng = "R"), unary),
    pool = rr_pool(rr_counts(c(40, 60), warner), rr_counts(c(30, 9), rr_forced(1 / 6))),
    fit = fit, fit_groups = rr_estimate(tally, method = "inv"), fit_product = joint, bootstrap = rr_estimate(tally, interval = "bootstrap", replications = 20),
    margin = rr_margin(tmdh, c("a", "b")), margin_given = rr_margin(joint, "a", given = "b"), association = rr_association(tmdh),
    association_product = rr_association(joint), tmdh = tmdh, pmdh = rr_pmdh(rr_cooccurrence(bits), list(p = 0.9, q = 0.1)),
    cooccurrence = rr_cooccurrence(bits), bit_tally = rr_bit_tally(bits, 0.1), sketch = rr_sketch(letters), extreme = rr_any(bits, 0.1),
    size = size, sizes = rr_union_size(bits, 0.1, cumulative = TRUE), incidence = rr_incidence(bits, 0.1),
    incidence_mle = rr_incidence(bits, 0.1, method = "mle"), sketch_size = rr_sketch_size(rr_sketch(letters)),
    contrast = rr_contrast(fit, list(ab = c("a", "b"), d = c(a = 1, b = -1))), plan = rr_sample_size(warner, margin = c(0.05, 0.1)),
    power = rr_power(warner, c(100, 200), 0.2),
    study = rr_study(list(even = c(0.5, 0.5)), epsilon = 1, n = c(20, 40), method = c("mle", "inv"), replications = 3, seed = 1),
    trace = rr_trace(rr_estimate(fit$tally, method = "ibu", iterations = 5)), recommendation = rr_recommend(4, epsilon = c(1, 2), n = 100),
    choice = rr_choose(fit$tally, seed = 1, replications = 20), risk = rr_risk(grr, c(0.5, 0.3, 0.2), 100, method = "inv"), top = rr_top(fit$tally),
    summary_fit = summary(fit), summary_size = summary(size),
    method = rr_new_method("x", "X", function(evidence, options) list(estimate = evidence$unbiased())),
    glm = rr_glm(I(cheating == "often") ~ grade, some, warner), multinom = rr_multinom(cheating ~ 1, some, often),
    loglinear = rr_loglinear(~ a * b + c, joint$tally), predictor = rr_predictor(grade ~ cheating, some, list(cheating = often)),
    posterior = rr_posterior(rr_counts(c(40, 60), warner))
  )
}

hostile <- function() {
  list(NULL, NA, 1, -1, 0.5, c(1, 2, 3), "a", c("a", "b"), character(), list(), list(1), TRUE, mean, data.frame(x = 1), matrix(1, 2, 2), Inf, factor("a"))
}

# What is asked of an object: the methods of its class for what users call, and the exported functions that read it.
asked <- function(x) {
  registered <- getNamespaceInfo(asNamespace("candor"), "S3methods")
  users <- c("print", "format", "summary", "tidy", "glance", "augment", "coef", "vcov", "confint", "nobs", "logLik", "as.data.frame", "as.list",
             "as.table", "as.matrix", "plot", "length", "names", "predict", "anova", "fitted", "residuals", "rr_epsilon", "rr_matrix", "rr_law",
             "rr_association", "simulate", "c", "as.character", "rev", "unique", "quantile", "sigma", "formula", "family", "model.matrix")
  verbs <- lapply(stats::setNames(nm = intersect(registered[registered[, 2] %in% class(x), 1], users)), get)
  more <- list(
    rr_mechanism = list(rr_tally = function(x) rr_tally("a", x), rr_counts = function(x) rr_counts(1:2, x), rr_product = function(x) rr_product(a = x),
                        rr_perturb = function(x) rr_perturb("yes", x, rng = "R"), rr_compose = function(x) rr_compose(x, x),
                        rr_noncompliance = function(x) rr_noncompliance(x, 0.1), rr_sample_size = function(x) rr_sample_size(x, margin = 0.1),
                        rr_power = function(x) rr_power(x, 100, 0.1), rr_risk = function(x) rr_risk(x, c(0.5, 0.5), 10),
                        ledger = function(x) rr_epsilon(list(x)), achieved = function(x) rr_epsilon(x, achieved = TRUE), rr_family = rr_family,
                        rr_reports = function(x) rr_reports(1:3, x), rr_tmdh = function(x) rr_tmdh(rr_cooccurrence(cbind(a = 0:1, b = 1:0)), x)),
    rr_tally = list(rr_estimate = rr_estimate, rr_top = rr_top, rr_pool = function(x) rr_pool(x, x), rr_posterior = rr_posterior,
                    rr_choose = function(x) rr_choose(x, replications = 20), rr_loglinear = function(x) rr_loglinear(~a, x), cut = function(x) x[1],
                    subset = function(x) subset(x, TRUE)),
    rr_fit = list(rr_contrast = function(x) rr_contrast(x, 1), rr_compare = rr_compare, rr_goodness_of_fit = rr_goodness_of_fit,
                  rr_parameters = rr_parameters, rr_trace = rr_trace, rr_margin = function(x) rr_margin(x, "a"), cut = function(x) x[1], rr_top = rr_top),
    rr_histogram = list(rr_tmdh = function(x) rr_tmdh(x, list(p = 0.9, q = 0.1)), rr_pmdh = function(x) rr_pmdh(x, list(p = 0.9, q = 0.1)),
                        rr_rowtype = rr_rowtype, rr_margin = function(x) rr_margin(x, "a"), rr_joint = rr_joint,
                        rr_reported_law = function(x) rr_reported_law(x, rr_warner(0.8))),
    rr_bit_tally = list(rr_any = rr_any, rr_all = rr_all, rr_union_size = rr_union_size, rr_intersection_size = rr_intersection_size,
                        rr_extreme_variance = rr_extreme_variance, rr_incidence = rr_incidence),
    rr_sketch = list(rr_sketch_size = rr_sketch_size, rr_perturb_sketch = function(x) rr_perturb_sketch(x, 1)),
    rr_reports = list(rr_tally = function(x) rr_tally(x, rr_unary(4, epsilon = 1)), rr_tally_sets = function(x) rr_tally(x, rr_subset(5, epsilon = 1))),
    rr_method = list(rr_estimate = function(x) rr_estimate(rr_counts(c(4, 6), rr_warner(0.8)), method = x)),
    rr_study = list(rr_study = function(x) rr_study(resume = x)), rr_glm = list(rr_effects = rr_effects)
  )
  for (class in intersect(names(more), class(x))) verbs <- c(verbs, more[[class]])
  verbs
}

# One field replaced, or one field of a field; now and then the whole object.
forged <- function(x, values) {
  value <- values[sample(length(values), 1)]
  parts <- unclass(x)
  if (!is.list(parts) || stats::runif(1) < 0.05) {
    whole <- value[[1]]
    if (is.null(whole) || is.function(whole)) whole <- list()
    return(list(object = structure(whole, class = class(x)), what = "all"))
  }
  at <- sample(length(parts), 1)
  what <- names(parts)[at]
  if (is.list(parts[[at]]) && length(parts[[at]]) && stats::runif(1) < 0.3) {
    inner <- unclass(parts[[at]])
    place <- sample(length(inner), 1)
    what <- paste0(what, "$", names(inner)[place] %||% place)
    inner[place] <- value
    parts[[at]] <- structure(inner, class = attr(parts[[at]], "class"))
  } else parts[at] <- value
  attr(parts, "class") <- class(x)
  list(object = parts, what = what)
}

answers <- function(call) {
  utils::capture.output(answer <- tryCatch(suppressMessages(suppressWarnings(call())), error = identity))
  answer
}

test_that("forged objects are refused, or answered, by everything that reads them", {
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  objects <- suppressMessages(suppressWarnings(fixtures()))
  withr::local_seed(20)
  values <- hostile()
  refused <- 0
  # Each object three times: some 180 calls. Errors are what takes time.
  for (name in rep(names(objects), 3)) {
    verbs <- asked(objects[[name]])
    if (!length(verbs)) next
    verb <- sample(names(verbs), 1)
    fake <- forged(objects[[name]], values)
    answer <- answers(function() verbs[[verb]](fake$object))
    if (!inherits(answer, "error")) next
    refused <- refused + 1
    expect_true(inherits(answer, "candor_error"),
                label = sprintf("%s() of %s with a forged %s, refused by \"%s\",", verb, name, fake$what, conditionMessage(answer)))
  }
  expect_gt(refused, 80)
})

test_that("every exported function answers or refuses arguments of any kind", {
  withr::local_seed(21)
  values <- c(hostile(), list(rr_warner(0.8), rr_counts(c(40, 60), rr_warner(0.8)), rr_estimate(rr_counts(c(40, 60), rr_warner(0.8))), y ~ x))
  for (name in rep(grep("^rr_", getNamespaceExports("candor"), value = TRUE), 2)) {
    f <- getExportedValue("candor", name)
    arguments <- setdiff(names(formals(f)), "...")
    needed <- arguments[vapply(formals(f)[arguments], function(default) is.symbol(default) && !nzchar(as.character(default)), NA)]
    given <- union(needed, if (length(arguments) && stats::runif(1) < 0.5) sample(arguments, 1))
    drawn <- stats::setNames(values[sample(length(values), length(given), TRUE)], given)
    answer <- answers(function() do.call(f, drawn, quote = TRUE))
    if (!inherits(answer, "error")) next
    shown <- paste(given, vapply(drawn, function(x) substr(deparse1(if (is.object(x)) class(x) else x), 1, 20), ""), sep = " = ", collapse = ", ")
    expect_true(inherits(answer, "candor_error"), label = sprintf("%s(%s), refused by \"%s\",", name, shown, conditionMessage(answer)))
  }
})

test_that("objects as they are made are whole", {
  for (object in suppressMessages(suppressWarnings(fixtures()))) expect_identical(check_object(object), object)
})

test_that("a damaged object is named with what is wrong", {
  tally <- rr_counts(c(40, 60), rr_warner(0.8))
  fit <- rr_estimate(tally)
  broken <- function(x, field, value) {
    parts <- unclass(x)
    parts[field] <- list(value)
    structure(parts, class = class(x))
  }
  expect_snapshot(error = TRUE, {
    rr_estimate(broken(tally, "counts", "many"))
    print(broken(tally, "n", c(1, 2)))
    coef(broken(fit, "tally", NULL))
    tidy(structure(1, class = c("rr_fit", "rr_estimates")))
    rr_epsilon(broken(rr_warner(0.8), "p", 3))
    rr_compare(list(fit, broken(fit, "estimate", list())))
  })
  # Tables may be cut by rows and columns, as tables are.
  expect_output(print(rr_power(rr_warner(0.8), 100, 0.2)[c("n", "power")]), "power")
})
