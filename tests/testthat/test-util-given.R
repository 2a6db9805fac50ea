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

# One object of every class that has methods.
one_of_each <- function() {
  warner <- rr_warner(0.8)
  survey <- rr_product(a = warner, b = warner)
  joint <- rr_estimate(rr_counts(c(40, 20, 20, 20), survey))
  bits <- cbind(a = rep(0:1, 50), b = rep(c(0, 0, 1), c(40, 40, 20)))
  counts <- rr_cooccurrence(bits)
  tmdh <- rr_tmdh(counts, list(p = 0.9, q = 0.1))
  study <- rr_study(list(even = c(0.5, 0.5)), epsilon = 1, n = 20, method = c("mle", "inv"), replications = 2, seed = 1)
  list(
    rr_mechanism = warner, rr_channel = rr_channel(matrix(c(0.8, 0.3, 0.2, 0.7), 2)), rr_noncompliance = rr_noncompliance(warner, 0.1),
    rr_compose = rr_compose(warner, warner), rr_bloom = rr_bloom(3, 1),
    rr_product = survey, rr_tally = joint$tally, rr_fit = rr_estimate(rr_counts(c(40, 60), warner)), rr_fit_product = joint,
    summary.rr_fit = summary(joint), rr_trace = rr_trace(rr_estimate(rr_counts(c(40, 60), warner), method = "ibu", iterations = 3)),
    rr_cooccurrence = counts, rr_histogram = counts, rr_tmdh = tmdh, rr_pmdh = rr_pmdh(counts, list(p = 0.9, q = 0.1)),
    rr_margin = rr_margin(tmdh, c("a", "b")), rr_association = rr_association(tmdh),
    rr_bit_tally = rr_bit_tally(bits, 0.1), rr_extreme = rr_any(bits, 0.1), rr_set_size = rr_union_size(bits, 0.1),
    rr_incidence = rr_incidence(bits, 0.1), rr_sketch = rr_sketch(letters), rr_sketch_size = rr_sketch_size(rr_sketch(letters)),
    rr_study = study, rr_choice = rr_choose(rr_counts(c(40, 60, 50), rr_grr(3, epsilon = 1)), seed = 1), rr_plan = rr_sample_size(warner, margin = 0.1),
    rr_power = rr_power(warner, 100, 0.2), rr_recommendation = rr_recommend(4, epsilon = 1, n = 100),
    rr_regression = rr_multinom(cheating ~ 1, exam_simulated, rr_grr(c("never", "once", "often"), p = 0.8)),
    rr_posterior = rr_posterior(rr_counts(c(40, 60), warner)), rr_contrast = rr_contrast(joint, c(1, 0, 0, 0)), rr_estimates = tmdh,
    rr_unary = rr_unary(3, 1), rr_subset = rr_subset(3, 1), rr_bitflip = rr_bitflip(3, 1), rr_hadamard = rr_hadamard(3, 1, one_bit = TRUE),
    rr_sampled = rr_sample_questions(a = warner, b = warner), rr_hierarchy = rr_hierarchy(5, 1),
    rr_reports = rr_perturb(c("1", "2"), rr_unary(2, 1), rng = "R"), rr_sketch_counts = rr_sketch_counts(1, 4, 2), rr_prefixes = rr_prefixes(1, 2, 4, 2),
    rr_mean_fit = rr_estimate(c(4, 6, 5), rr_mean(c(0, 10), 1)),
    rr_glm = rr_glm(I(cheating == "often") ~ 1, exam_simulated, warner), list = list(warner),
    rr_survey = structure(list(), class = "rr_survey"),
    survey.design = structure(list(), class = "survey.design"), svyrep.design = structure(list(), class = "svyrep.design"),
    data.frame = data.frame(a = 0:1, b = 0:1), matrix = bits, table = table(c("no", "yes")), default = 1,
    # A table of a database, if need be as a class alone: nothing is read before the arguments are.
    tbl_lazy = if (requireNamespace("dbplyr", quietly = TRUE)) dbplyr::lazy_frame(x = "", con = dbplyr::simulate_hive())
               else structure(list(), class = c("tbl_lazy", "tbl"))
  )
}

methods_with_dots <- function() {
  namespace <- asNamespace("candor")
  registered <- getNamespaceInfo(namespace, "S3methods")
  # Not those that tests have registered, as another package would.
  own <- vapply(registered[, 3], function(name) is.character(name) && exists(name, namespace, inherits = FALSE), NA)
  registered <- apply(registered[own, 1:3], 2, as.character)
  takes <- vapply(registered[, 3], function(name) "..." %in% names(formals(get(name, namespace))), NA)
  data.frame(generic = registered[takes, 1], class = registered[takes, 2], name = registered[takes, 3])
}

test_that("a misspelt argument is refused by every method of our own verbs", {
  # Methods of rr_count_reports() are called by rr_tally(), which refuses for them.
  methods <- subset(methods_with_dots(), startsWith(generic, "rr_") & generic != "rr_count_reports")
  objects <- one_of_each()
  expect_setequal(setdiff(methods$class, names(objects)), character())
  for (i in seq_len(nrow(methods))) {
    object <- objects[[methods$class[i]]]
    verb <- get(methods$generic[i], asNamespace("candor"))
    more <- if (methods$generic[i] == "rr_tally") {
      list(mechanism = if (methods$class[i] == "data.frame") objects$rr_product else objects$rr_mechanism)
    }
    utils::capture.output(cnd <- tryCatch(do.call(verb, c(list(object), more, mispelt = 1)), error = identity))
    expect_s3_class(cnd, "candor_error")
    # Three methods are there to refuse their first argument.
    refusing <- c("rr_association.default", "rr_epsilon.default", "rr_matrix.default")
    if (!methods$name[i] %in% refusing) expect_match(conditionMessage(cnd), "mispelt", label = methods$name[i])
  }
})

test_that("and by every exported function that takes them", {
  taking <- Filter(function(f) "..." %in% names(formals(f)), exported())
  generic <- vapply(taking, function(f) "UseMethod" %in% all.names(body(f)), NA)
  # Methods are looked at above. These take in whatever is given: questions, sketches, tallies, and what a method of estimation wants.
  # Constructors of extensions keep what they are given as elements.
  reading <- c("rr_estimate", "rr_product", "rr_sample_questions", "rr_sketch_size", "rr_pool", "rr_new_mechanism", "rr_new_method")
  for (name in setdiff(names(taking)[!generic], reading)) {
    f <- taking[[name]]
    given <- lapply(stats::setNames(nm = needed(f)), function(x) 0.5)
    cnd <- expect_error(do.call(f, c(given, mispelt = 1)), class = "candor_error_argument")
    expect_match(conditionMessage(cnd), "mispelt", label = name)
  }
  expect_error(rr_product(a = rr_warner(0.8), mispelt = 1), class = "candor_error_argument")
  expect_error(rr_sketch_size(rr_sketch(letters), mispelt = 1), class = "candor_error_argument")
  tallies <- list(rr_counts(c(40, 60), rr_warner(0.8)), rr_counts(c(40, 60), rr_channel(matrix(c(0.8, 0.3, 0.2, 0.7), 2))),
                  rr_counts(c(30, 30, 50), rr_geometric(3, epsilon = 1)), rr_counts(c(4, 2, 2, 2), rr_product(a = rr_warner(0.8), b = rr_warner(0.7))))
  for (tally in tallies) for (method in rr_methods()$method) {
    expect_error(rr_estimate(tally, method = method, mispelt = 1), class = "candor_error_argument", label = method)
  }
})

test_that("objects in a data frame are the tables that they are as one, with its arguments", {
  objects <- one_of_each()
  for (name in subset(methods_with_dots(), generic == "as.data.frame")$class) {
    frame <- as.data.frame(objects[[name]])
    expect_s3_class(frame, "data.frame", exact = TRUE)
    # Reports are one column, which data.frame() and as.data.frame() name by what was written.
    named <- if (name == "rr_reports") function(frame) stats::setNames(frame, "reports") else identity
    expect_identical(named(data.frame(objects[[name]])), named(frame))
    rows <- paste0("r", seq_len(nrow(frame)))
    expect_identical(named(as.data.frame(objects[[name]], row.names = rows)), named(`row.names<-`(frame, rows)))
  }
  expect_identical(as.data.frame(objects$rr_fit, stringsAsFactors = TRUE)$term, factor(c("no", "yes")))
})
