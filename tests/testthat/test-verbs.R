# Every verb on every class that a user holds: it works, or it refuses with an error of ours that says what to do.

make_objects <- function() {
  warner <- rr_warner(0.8)
  grr <- rr_grr(c("a", "b", "c"), epsilon = 1)
  bits <- cbind(a = rep(0:1, 50), b = rep(c(0, 0, 1), c(40, 40, 20)), c = rep(c(1, 0, 0, 1), 25))
  tally <- rr_counts(cbind(north = c(40, 60, 50), south = c(30, 80, 20)), grr)
  joint <- rr_estimate(rr_counts(c(40, 20, 20, 20, 30, 20, 20, 10), rr_product(a = warner, b = warner, c = warner)))
  tmdh <- rr_tmdh(rr_cooccurrence(bits, order = 3), list(p = 0.9, q = 0.1), order = 2)
  fit <- rr_estimate(rr_counts(c(400, 320, 280), grr))
  list(
    tally = tally, tally_plain = tally["north"], fit = fit, fit_groups = suppressWarnings(rr_estimate(tally)),
    fit_product = joint, margin = rr_margin(tmdh, c("a", "b")), margin_given = rr_margin(joint, "a", given = "b"),
    association = rr_association(tmdh), association_product = rr_association(joint), tmdh = tmdh,
    pmdh = rr_pmdh(rr_cooccurrence(bits), list(p = 0.9, q = 0.1)), cooccurrence = rr_cooccurrence(bits),
    extreme = rr_extreme(bits, 0.1), size = rr_set_size(bits, 0.1), sizes = rr_set_size(bits, 0.1, cumulative = TRUE),
    incidence = rr_incidence(bits, 0.1), incidence_mle = rr_incidence(bits, 0.1, method = "mle"),
    sketch_size = rr_set_size(rr_sketch(letters)), contrast = rr_contrast(fit, list(ab = c("a", "b"), d = c(a = 1, b = -1))),
    plan = rr_power(warner, margin = c(0.05, 0.1)), power = rr_power(warner, c(100, 200), 0.2),
    study = rr_study(list(even = c(0.5, 0.5)), epsilon = 1, n = c(20, 40), method = c("mle", "inv"), replications = 3, seed = 1),
    trace = tidy(rr_estimate(fit$tally, method = "ibu", iterations = 5), type = "trace"),
    recommendation = rr_recommend(4, epsilon = c(1, 2), n = 100),
    mean = rr_estimate(c(4, 6, 5), rr_mean(c(0, 10), 1)),
    means = rr_estimate(rr_tally(c(4, 6, 5, 2), rr_mean(c(0, 10), 1), by = c("n", "n", "s", "s"))),
    count_mean_sketch = rr_estimate(rr_perturb(rep(c("a", "b"), 50), rr_count_mean_sketch(2, 8, 4)), rr_count_mean_sketch(2, 8, 4), candidates = c("a", "b")),
    hierarchy = rr_estimate(rr_perturb(rep(1:5, 40), rr_hierarchy(5, 2, fanout = 2)), rr_hierarchy(5, 2, fanout = 2)),
    wave = suppressWarnings(rr_estimate(rr_perturb(rep(1:5, 40), rr_square_wave(0:5, 2)), rr_square_wave(0:5, 2))),
    cdf = rr_contrast(rr_estimate(rr_counts(c(400, 320, 280), rr_geometric(3, 1))), cumulative = TRUE),
    compare = suppressWarnings(rr_compare(rr_estimate(tally), terms = "a")),
    effects = rr_effects(rr_glm(report ~ age, data.frame(age = rep(20:69, 8), report = rep(c("no", "yes", "yes", "no"), 100)), warner)),
    top = rr_top(fit$tally, n = 2),
    quantile = rr_quantile(rr_estimate(rr_counts(c(400, 320, 280), rr_geometric(3, 1)))), strings = frequent_strings(),
    choice = rr_choose_method(fit$tally, seed = 1, replications = 20),
    attention = rr_estimate(data.frame(y = rep(0:1, c(60, 40)), a = c(0, 0, 0, 1), g = c("n", "s", "s", "n", "s")), warner,
                            column = c("y", "a"), anchor = rr_anchor(warner), by = "g"),
    survey = if (requireNamespace("survey", quietly = TRUE)) {
      people <- data.frame(cluster = rep(1:10, each = 6), report = rep(c("a", "b", "c"), c(30, 20, 10)), area = rep(c("N", "S"), 30))
      rr_estimate(survey::svydesign(id = ~cluster, weights = ~1, data = people), grr, column = ~report, by = ~area, method = "inv")
    }
  )
}

# Made once.
objects <- local({
  made <- NULL
  function() made <<- made %||% make_objects()
})

frequent_strings <- function() {
  set.seed(5)
  mechanism <- rr_prefixes(epsilon = 4, lengths = 1:2, width = 64)
  truth <- sample(c("ab", "b"), 2000, replace = TRUE, prob = c(0.6, 0.4))
  rr_heavy_hitters(rr_tally(rr_perturb(truth, mechanism, rng = "R"), mechanism), alphabet = c("a", "b"))
}

# What an answer must be like; `x` is the object.
numbers <- function(answer, x) expect_true(is.numeric(answer) && length(answer) > 0 && !is.null(names(answer)))
square <- function(answer, x) {
  expect_identical(nrow(answer), ncol(answer))
  expect_false(is.null(rownames(answer)))
}
table_of <- function(answer, x) expect_true(is.data.frame(answer) && nrow(answer) > 0 && !is.null(names(answer)))
verbs <- list(
  print = list(function(x) utils::capture.output(print(x)), function(answer, x) expect_true(length(answer) > 1 && !any(grepl("attr(", answer, fixed = TRUE)))),
  format = list(format, function(answer, x) expect_true(is.character(unlist(answer)))),
  # The summary of a study is a table of the winners.
  summary = list(summary, function(answer, x) expect_true(inherits(answer, if (inherits(x, "rr_study")) "tbl_df" else c("rr_estimates", "rr_tally", "table")))),
  tidy = list(tidy, table_of),
  tidy_ci = list(function(x) tidy(x, conf.int = TRUE), table_of),
  glance = list(glance, function(answer, x) expect_identical(nrow(answer), 1L)),
  coef = list(coef, numbers), vcov = list(vcov, square),
  confint = list(confint, function(answer, x) expect_true(is.matrix(answer) && ncol(answer) == 2L && all(answer[, 1] <= answer[, 2], na.rm = TRUE))),
  nobs = list(nobs, function(answer, x) expect_true(is.numeric(answer) && length(answer) == 1L)),
  as.data.frame = list(as.data.frame, table_of),
  plot = list(plot, function(answer, x) expect_s3_class(answer, "ggplot")),
  # plot() has drawn it.
  autoplot = list(function(x) ggplot2::autoplot(x), function(answer, x) expect_s3_class(answer, "ggplot")),
  length = list(length, function(answer, x) expect_true(is.numeric(answer) && length(answer) == 1L))
)

test_that("every verb works on every class, or is refused", {
  skip_if_not_installed("ggplot2")
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  objects <- objects()
  # R's own generics have defaults for what is a plain table or a tally; these have no such verb.
  tables <- c("plan", "power", "study", "trace", "recommendation", "choice", "effects")
  counted <- c("tally", "tally_plain", "cooccurrence")
  unasked <- c(
    outer(setdiff(tables, "effects"), c("tidy", "tidy_ci"), paste),
    outer(tables, c("glance", "coef", "vcov", "confint", "nobs", "format", "c"), paste),
    outer(counted, c("glance", "coef", "vcov", "confint", "nobs", "summary", "format"), paste),
    paste("pmdh", c("glance", "summary", "format", "cut", "subset", "c")), paste("cooccurrence", c("cut", "subset")),
    # R draws these as the tables that they are.
    paste(c("choice", "trace"), "plot")
  )
  for (name in names(Filter(Negate(is.null), objects))) for (verb in names(verbs)) {
    if (paste(name, verb) %in% unasked) next
    x <- objects[[name]]
    answer <- tryCatch(suppressWarnings(verbs[[verb]][[1]](x)), error = identity)
    label <- paste(verb, "of", name)
    if (inherits(answer, "error")) {
      # By us, or by R for want of a method: nothing may fail inside.
      refused <- inherits(answer, "candor_error") || grepl("no applicable method|not supported by autoplot|does not have components", conditionMessage(answer))
      expect_true(refused, label = paste(label, "failed:", conditionMessage(answer)))
    } else {
      tryCatch(verbs[[verb]][[2]](answer, x), error = function(e) fail(paste(label, "-", conditionMessage(e))))
    }
  }
})

test_that("coef, vcov, confint and tidy of one object agree", {
  for (x in objects()[c("fit", "fit_groups", "fit_product", "margin", "tmdh", "extreme", "size", "sketch_size",
                        "contrast", "association", "attention", "mean", "means", "hierarchy", "cdf", "compare", "top", "quantile", "strings")]) {
    label <- class(x)[1]
    expect_identical(names(coef(x)), rownames(vcov(x)), label = label)
    expect_identical(names(coef(x)), rownames(confint(x)), label = label)
    rows <- tidy(x, conf.int = TRUE)
    if (inherits(x, "rr_association")) rows <- rows[rows$measure == "correlation", ]
    expect_equal(unname(coef(x)), rows$estimate, label = label)
    # What is held at 0 or 1 has no error in a table.
    errors <- suppressWarnings(sqrt(diag(as.matrix(vcov(x)))))
    if (inherits(x, "rr_fit") && x$method == "mle") errors[coef(x) %in% c(0, 1)] <- NaN
    expect_equal(unname(errors), ifelse(is.na(rows$std.error), NaN, rows$std.error), tolerance = 1e-7, label = label)
    expect_equal(unname(confint(x)), cbind(rows$conf.low, rows$conf.high), label = label)
  }
})

test_that("tidy() of tables of estimates gives the same rows as a plain tibble", {
  for (x in objects()[c("compare", "top", "quantile", "strings")]) {
    expect_identical(class(tidy(x)), class(tibble::tibble()))
    expect_identical(as.list(tidy(x, conf.int = TRUE))[names(x)], as.list(x)[names(x)])
    expect_identical(names(tidy(x)), setdiff(names(x), c("conf.low", "conf.high")))
  }
})

test_that("groups of tallies and fits are cut by position, label and condition, and nothing else changes", {
  keys <- data.frame(day = as.Date("2026-01-01") + rep(0:2, each = 100), site = rep(c("x", "y"), 150))
  set.seed(4)
  grr <- rr_grr(c("a", "b", "c"), epsilon = 2)
  tally <- rr_tally(sample(c("a", "b", "c"), 300, TRUE), grr, by = keys, weights = runif(300, 1, 2))
  expect_identical(length(tally), 6L)
  expect_identical(names(tally)[1], "2026-01-01.x")
  first <- subset(tally, day == as.Date("2026-01-01"))
  expect_identical(names(first), c("2026-01-01.x", "2026-01-01.y"))
  expect_identical(first, tally[c("2026-01-01.x", "2026-01-01.y")])
  expect_identical(first, tally[startsWith(names(tally), "2026-01-01")])
  whole <- tidy(tally)
  expect_identical(tidy(first), whole[whole$day == as.Date("2026-01-01"), ])
  parts <- do.call(c, unname(as.list(tally)))
  expect_equal(tidy(parts), tidy(tally))
  expect_equal(parts$effective_n, tally$effective_n)

  for (interval in c("wilson", "bootstrap")) {
    fit <- suppressWarnings(rr_estimate(tally, simultaneous = TRUE, interval = interval, replications = 20))
    whole <- tidy(fit, conf.int = TRUE)
    part <- subset(fit, site == "y")
    expect_identical(tidy(part, conf.int = TRUE), whole[whole$site == "y", ])
    expect_identical(tidy(fit[5], conf.int = TRUE), whole[13:15, ])
    expect_identical(tidy(fit[5, drop = TRUE], conf.int = TRUE), whole[13:15, -(1:2)])
    expect_identical(vcov(fit[c(5, 6)]), vcov(fit)[13:18, 13:18])
  }
  expect_identical(dimnames(fit$estimate), list(c("a", "b", "c"), names(fit)))
  expect_identical(names(rr_estimate(rr_counts(1:3, grr))$estimate), c("a", "b", "c"))

  expect_refused(tally["z"], tally[7], tally[c(1, 1)], tally[TRUE], class = "level")
  expect_error(subset(tally, site == "z"), class = "candor_error_empty")
  expect_error(subset(tally, nowhere == 1), "nowhere")
  expect_refused(subset(tally, site), rr_counts(1:3, grr)[1])
})

test_that("groups of means, of scrambled numbers and of survey designs are cut as those of a fit", {
  skip_without("survey")
  set.seed(5)
  n <- 400
  data <- data.frame(id = rep(1:100, each = 4), w = runif(n, 1, 2), day = rep(as.Date("2026-01-01") + 0:1, n / 2), site = rep(c("x", "y"), each = n / 2))
  data$grr <- rr_perturb(sample(c("a", "b", "c"), n, TRUE), rr_grr(c("a", "b", "c"), epsilon = 2), rng = "R")
  data$bits <- as.character(rr_perturb(sample(3, n, TRUE), rr_unary(3, 2), rng = "R"))
  data$q1 <- rbinom(n, 1, 0.4)
  data$q2 <- rbinom(n, 1, 0.6)
  hours <- rr_mean(c(0, 24), 2)
  duchi <- rr_mean(c(0, 24), 2, "duchi")
  money <- rr_scramble(c(0, 10), data.frame(value = c(0.5, 1.5), prob = 0.5), data.frame(value = 0:4, prob = 0.2))
  for (name in c("hours", "duchi", "money")) data[[name]] <- rr_perturb(runif(n, 0, 10), get(name), rng = "R")
  design <- survey::svydesign(~id, weights = ~w, data = data)
  again <- survey::as.svrepdesign(design)
  product <- rr_product(q1 = rr_warner(0.8), q2 = rr_warner(0.9))
  groups <- ~ day + site
  for (simultaneous in c(FALSE, TRUE)) {
    estimate <- function(x, ..., by = groups) rr_estimate(x, ..., by = by, simultaneous = simultaneous)
    fits <- list(fit = estimate(data, rr_grr(c("a", "b", "c"), epsilon = 2), column = "grr"),
                 hours = estimate(data, hours, column = "hours"), duchi = estimate(data, duchi, column = "duchi", target = "sample"),
                 money = estimate(data, money, column = "money"), survey = estimate(design, rr_grr(c("a", "b", "c"), epsilon = 2), column = "grr"),
                 inverse = estimate(design, rr_grr(c("a", "b", "c"), epsilon = 2), column = "grr", method = "inv"),
                 total = estimate(design, rr_grr(c("a", "b", "c"), epsilon = 2), column = "grr", total = TRUE),
                 again = estimate(again, rr_grr(c("a", "b", "c"), epsilon = 2), column = "grr"),
                 bits = estimate(design, rr_unary(3, 2), column = "bits"), product = estimate(design, product))
    # What belongs to a family is harder to cut: of what does not, one of each class that is cut in its own way is enough.
    for (name in if (simultaneous) names(fits) else extended(c("fit", "hours", "survey"), names(fits))) {
      fit <- fits[[name]]
      whole <- tidy(fit, conf.int = TRUE)
      rows <- nrow(whole) / 4
      expect_identical(names(fit), c("2026-01-01.x", "2026-01-02.x", "2026-01-01.y", "2026-01-02.y"), label = name)
      expect_length(fit, 4)
      last <- fit[["2026-01-02.y"]]
      expect_identical(last, fit[4], label = name)
      expect_equal(tidy(last, conf.int = TRUE), whole[3 * rows + seq_len(rows), ], info = name)
      expect_equal(tidy(fit[4, drop = TRUE], conf.int = TRUE), whole[3 * rows + seq_len(rows), -(1:2)], info = name)
      expect_equal(tidy(fit[c(4, 2)][2], conf.int = TRUE), whole[rows + seq_len(rows), ], info = name)
      here <- subset(fit, site == "x")
      expect_equal(tidy(here, conf.int = TRUE), whole[whole$site == "x", ], info = name)
      expect_equal(vcov(here), vcov(fit)[seq_len(2 * rows), seq_len(2 * rows)], info = name)
      expect_equal(confint(here), confint(fit)[seq_len(2 * rows), , drop = FALSE], info = name)
      expect_equal(nobs(here) + nobs(fit[3:4]), nobs(fit), info = name)
      expect_identical(lapply(as.list(fit), coef), lapply(stats::setNames(1:4, names(fit)), function(g) coef(fit[g])))
      expect_identical(fit[["tally"]], fit$tally)
      expect_output(print(here), "group", label = name)
      expect_refused(fit["z"], fit[5], fit[[4]][2], class = "level")
      expect_refused(fit[, 1], fit[[1:2]])
      expect_error(subset(fit, site == "z"), class = "candor_error_empty")
    }
    for (fit in list(estimate(data, hours, column = "hours", by = NULL), estimate(design, product, by = NULL))) {
      expect_null(names(fit))
      expect_refused(fit["x"], subset(fit, site == "x"))
      expect_identical(fit[[1]], fit)
      expect_identical(as.list(fit), list(fit))
    }
  }
})

test_that("[[ takes a field or a group, and anything else is refused or NULL as in a list", {
  fit <- rr_estimate(rr_counts(cbind(North = c(40, 60), South = c(30, 70), n = c(50, 50)), rr_warner(0.8)))
  expect_refused(update(objects()$mean, conf.level = 0.9), update(objects()$contrast, conf.level = 0.9))
  for (x in list(fit, fit$tally)) {
    expect_identical(x[["North"]], x["North"])
    expect_identical(x[[2]], x["South"])
    expect_null(x$nothing)
    expect_refused(x[["Nroth"]], x[[4]], class = "level")
    expect_error(x[[1:2]], "One group is taken", class = "candor_error_argument")
    expect_error(x[["yes"]], class = "candor_error_level")
    expect_refused(x[, 1], x[1, ])
  }
  # A field comes first; the group of its name is taken with `[`.
  expect_identical(fit$tally$n, c(100, 100, 100))
  expect_identical(fit[["estimate"]], fit$estimate)
  expect_identical(Map(function(one) coef(one)[[2]], fit), lapply(as.list(fit), function(one) coef(one)[[2]]))
  # Fields that not every fit has are not taken for groups of their names inside the package: all this is as with other names.
  odd <- rr_counts(cbind(family = c(40, 60), replicates = c(30, 70)), rr_warner(0.8))
  plain <- rr_counts(cbind(x = c(40, 60), y = c(30, 70)), rr_warner(0.8))
  expect_identical(tidy(rr_estimate(odd), conf.int = TRUE)[-1], tidy(rr_estimate(plain), conf.int = TRUE)[-1])
  expect_equal(vcov(rr_estimate(odd)), vcov(rr_estimate(plain)), ignore_attr = TRUE)
  whole <- rr_estimate(rr_counts(c(40, 60), rr_warner(0.8)))
  expect_identical(whole[[1]], whole)
  expect_null(whole[["nothing"]])
  expect_error(whole[[2]], class = "candor_error_argument")
})

test_that("a joint fit of one group has margins and associations", {
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.8))
  set.seed(6)
  people <- data.frame(a = rbinom(400, 1, 0.4), b = rbinom(400, 1, 0.4))
  area <- rep(c("N", "S"), 200)
  fit <- rr_estimate(rr_tally(people, survey, by = area), method = "inv")
  alone <- rr_estimate(rr_tally(people[area == "N", ], survey), method = "inv")
  expect_equal(tidy(rr_margin(fit["N"], "a")), tidy(rr_margin(alone, "a")))
  expect_equal(rr_association(fit["N"])$pairs, rr_association(alone)$pairs)
  expect_error(rr_margin(fit, "a"), "fit\\[\"N\"\\]", class = "candor_error_argument")
})
