# Data with a column of reports and one of labels, NA where nobody looked. Truth: the golden vectors of internal studies (math-doors.md A3).

labels_of <- function(op) Filter(function(case) case$input$op == op, golden("doors_validated"))

labelled_data <- function(input) {
  data <- data.frame(verdict = as.character(input$report), truth = as.character(input$truth))
  data[c("group", "w", "stratum", "cluster")] <- list(input$group %||% 1, input$weight %||% 1, input$stratum %||% 1, input$cluster %||% seq_along(input$report))
  data
}

test_that("groups of labelled data have the vectors' estimates, covariances and intervals", {
  found <- labels_of("internal_groups")
  expect_length(found, 3)
  for (case in found) {
    fit <- rr_estimate(labelled_data(case$input), rr_misclassification(labels = "truth"), column = "verdict", by = "group", conf.level = case$input$level)
    for (g in seq_along(case$expected$groups)) {
      expected <- case$expected$groups[[g]]
      one <- fit[g, drop = TRUE]
      expect_golden(one$tally$counts, expected$unlabelled, 1e-12)
      expect_golden(coef(one), expected$estimate, 1e-8)
      expect_golden(vcov(one), expected$vcov_population, 1e-8)
      expect_golden(vcov(one, target = "sample"), expected$vcov_sample, 1e-8)
      expect_golden(confint(one), expected$interval, 1e-6)
      # A group by itself is the data of its rows.
      rows <- labelled_data(case$input)
      alone <- rr_estimate(rows[rows$group == g, ], rr_misclassification(labels = ~truth), column = "verdict", conf.level = case$input$level)
      expect_equal(confint(alone), confint(one), ignore_attr = TRUE)
    }
    # Groups are independent.
    if (length(fit) == 2) {
      expect_equal(rr_compare(fit, terms = 2)$std.error[1], sqrt(vcov(fit[1])[2, 2] + vcov(fit[2])[2, 2]))
      expect_equal(vcov(fit)[1, ncol(vcov(fit))], 0)
    }
  }
})

test_that("labelled data of one sample are the table of a study and the counts of the others", {
  data <- data.frame(verdict = rep(c("no", "yes", "no", "yes"), c(80, 20, 5, 45)), truth = rep(c("no", "yes"), c(100, 50)))
  data$truth[seq(1, 150, 3)] <- NA
  table <- table(truth = data$truth, report = data$verdict)
  counts <- table(data$verdict[is.na(data$truth)])
  fit <- rr_estimate(data, rr_misclassification(labels = "truth"), column = "verdict")
  plain <- rr_estimate(rr_counts(c(counts), rr_misclassification(table = table, validation = "internal")))
  expect_equal(tidy(fit, conf.int = TRUE), tidy(plain, conf.int = TRUE))
  # In other forms: factors, logical values, numbers, several columns of groups, rows without a report.
  as_factors <- transform(data, verdict = factor(verdict, c("yes", "no")), truth = factor(truth, c("yes", "no")))
  expect_equal(coef(rr_estimate(as_factors, rr_misclassification(labels = "truth"), column = "verdict")), rev(coef(fit)))
  logical <- transform(data, verdict = verdict == "yes", truth = truth == "yes")
  expect_equal(unname(coef(rr_estimate(logical, rr_misclassification(labels = "truth")))), unname(coef(fit)))
  numbers <- transform(logical, verdict = as.integer(verdict), truth = as.numeric(truth))
  expect_equal(unname(coef(rr_estimate(numbers, rr_misclassification(labels = "truth"), column = "verdict"))), unname(coef(fit)))
  data$verdict[1] <- NA
  expect_message(dropped <- rr_estimate(data, rr_misclassification(labels = "truth"), column = "verdict", na.rm = TRUE), class = "candor_message_missing")
  expect_equal(dropped$tally$n, fit$tally$n - 1)
  expect_error(rr_estimate(data, rr_misclassification(labels = "truth"), column = "verdict"), class = "candor_error_missing")
})

test_that("labels that cannot be used are refused", {
  data <- data.frame(verdict = rep(c("no", "yes"), 50), truth = rep(c("no", "no", NA, "yes"), 25), g = rep(1:2, each = 50))
  m <- rr_misclassification(labels = "truth")
  estimate <- function(data, mechanism = m, ...) rr_estimate(data, mechanism, column = "verdict", ...)
  expect_s3_class(estimate(data), "rr_fit")
  expect_output(print(m), "labels in column")
  # A label without its report, nobody without a label, no label at all.
  expect_error(estimate(transform(data, verdict = replace(verdict, 1, NA))), class = "candor_error_missing")
  expect_error(estimate(subset(data, !is.na(truth))), class = "candor_error_empty")
  expect_error(estimate(transform(data, truth = NA_character_)), class = "candor_error_empty")
  # A report of a group whose labels do not show it; a truth that nobody was found to have; a label that is no level.
  data$truth[data$g == 2 & data$verdict == "yes"] <- NA
  expect_error(estimate(data, by = "g"), class = "candor_error_no_information")
  expect_refused(estimate(data, rr_misclassification(labels = "truth", levels = c("no", "yes", "maybe"))))
  expect_error(estimate(data, rr_misclassification(labels = "truth", levels = c("no", "maybe"))), class = "candor_error_level")
  expect_refused(rr_misclassification(0.8, 0.9, labels = "truth"), rr_misclassification(labels = "truth", validation = "exact"),
    rr_estimate(data, m, column = "verdict", weights = "g"), estimate(data, rr_misclassification(labels = "label")))
  # Without data there is no table.
  expect_refused(rr_counts(c(5, 6), m), rr_tally(data$verdict, m), rr_matrix(m), rr_posterior(m), rr_perturb("no", m),
    rr_glm(verdict ~ g, data, m), rr_score("no", m), rr_product(a = m))
  grouped <- data.frame(verdict = rep(c("no", "yes"), 50), truth = rep(c("no", "yes", NA, NA, "no", "no"), length.out = 100), g = rep(1:2, each = 50))
  fit <- estimate(grouped, by = "g")
  expect_refused(rr_write(fit$tally, tempfile()), predict(fit), fitted(fit), residuals(fit))
})

# Truth: the linearized scores of math-doors.md A3 by hand, given to survey::svytotal(); the vectors have weights of the labels of their own,
# so that these are taken where they are the design's.
by_hand <- function(data, w, design, labels = w) {
  levels <- sort(unique(stats::na.omit(data$truth)))
  reports <- sort(unique(data$verdict))
  v <- ifelse(is.na(data$truth), 0, labels)
  phi <- tapply(w, data$verdict, sum) / sum(w)
  share <- function(x, y) sum(v[data$verdict == y & data$truth %in% x]) / sum(v[data$verdict == y])
  P <- vapply(reports, function(y) vapply(levels, share, 0, y), numeric(length(levels)))
  theta <- drop(P %*% phi)
  V <- tapply(v, data$verdict, sum)
  u <- t(vapply(seq_along(w), function(i) {
    y <- data$verdict[i]
    e <- if (is.na(data$truth[i])) P[, y] else as.numeric(levels == data$truth[i])
    w[i] * (P[, y] - theta) / sum(w) + v[i] * phi[[y]] / V[[y]] * (e - P[, y])
  }, theta))
  # svytotal() weighs the rows again.
  list(estimate = theta, vcov = unname(vcov(survey::svytotal(u / w, design))))
}

test_that("labelled rows of a design have the variance of the linearized scores", {
  skip_if_not_installed("survey")
  found <- labels_of("internal_design")
  expect_length(found, 2)
  for (case in found) {
    data <- labelled_data(case$input)
    design <- survey::svydesign(ids = ~cluster, strata = ~stratum, weights = ~w, data = data, nest = TRUE)
    # By hand are the vectors, whose labels have weights of their own.
    own <- by_hand(data, data$w, design, case$input$label_weight)
    expect_golden(own$estimate, case$expected$estimate, 1e-8)
    expect_golden(own$vcov, case$expected$vcov, 1e-8)
    expected <- by_hand(data, data$w, design)
    fit <- rr_estimate(design, rr_misclassification(labels = "truth"), column = ~verdict)
    expect_equal(unname(coef(fit)), unname(expected$estimate), tolerance = 1e-12)
    expect_equal(unname(vcov(fit)), expected$vcov, tolerance = 1e-10)
    expect_identical(nobs(fit), nrow(data))
    # Wilson's interval by the variance with half a label, where labels agree.
    share <- unname(expected$estimate)
    expect_true(all(confint(fit)[, 1] < share & share < confint(fit)[, 2]))
    # Jackknife replicates of the same clusters agree to second order.
    jackknife <- rr_estimate(survey::as.svrepdesign(design), rr_misclassification(labels = "truth"), column = ~verdict)
    expect_equal(unname(coef(jackknife)), share)
    expect_equal(sqrt(diag(vcov(jackknife))), sqrt(diag(vcov(fit))), tolerance = 0.3)
    totals <- rr_estimate(design, rr_misclassification(labels = "truth"), column = ~verdict, total = TRUE)
    expect_equal(unname(coef(totals)), share * sum(data$w))
  }
  # Equal weights and independent people: the counts of an internal study, up to n / (n - 1).
  set.seed(3)
  n <- 2000
  data <- data.frame(truth = sample(c("no", "yes"), n, TRUE, c(0.8, 0.2)), g = rep(c("a", "b"), n / 2))
  data$verdict <- ifelse(stats::runif(n) < 0.9, data$truth, sample(c("no", "yes"), n, TRUE))
  data$truth[sample(n, 1700)] <- NA
  plain <- rr_estimate(data, rr_misclassification(labels = "truth"), column = "verdict", by = "g")
  design <- survey::svydesign(ids = ~1, weights = ~1, data = data)
  fit <- rr_estimate(design, rr_misclassification(labels = "truth"), column = ~verdict, by = ~g)
  expect_equal(coef(fit), coef(plain))
  expect_equal(vcov(fit), vcov(plain), tolerance = 0.01)
  expect_equal(tidy(fit, conf.int = TRUE)$conf.low, tidy(plain, conf.int = TRUE)$conf.low, tolerance = 0.02)
  expect_equal(coef(fit[2]), coef(fit)[3:4])
  expect_output(print(fit), "2,000 respondents")
  # No finite population, nor these very respondents.
  data$size <- 5000
  finite <- survey::svydesign(ids = ~1, fpc = ~size, data = data)
  expect_refused(rr_estimate(finite, rr_misclassification(labels = "truth"), column = ~verdict),
    rr_estimate(design, rr_misclassification(labels = "truth"), column = ~verdict, target = "sample"))
})

test_that("the weights of those without a label are counts, those of the others a table of truth by report, by hand", {
  study <- matrix(c(20, 2, 3, 15, 2, 8), 2, dimnames = list(c("a", "b"), c("x", "y", "z")))
  mechanism <- rr_misclassification(table = study, validation = "internal")
  rows <- list(mechanism = mechanism, code = c(1, 2, 3, 1, 3, 2, 3, 1, 3, 2, 1), truth = c(1, 2, 2, NA, NA, 1, 1, 2, NA, NA, NA),
               group = c(1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2), keys = list(g = c("u", "v")))
  weights <- c(1:5, 10 * 1:6)
  tally <- labelled_tally(rows, weights)
  expect_equal(tally$counts, cbind(c(4, 0, 5), c(60, 50, 40)), ignore_attr = TRUE)
  expect_equal(tally$labels, list(rbind(c(1, 0, 0), c(0, 2, 3)), rbind(c(0, 10, 20), c(30, 0, 0))))
  expect_equal(unname(tally$n), c(9, 150))
  expect_identical(unname(tally$respondents), c(2, 3))
  expect_equal(unname(tally$weight_squares), c(4^2 + 5^2, 40^2 + 50^2 + 60^2))
  counted <- labelled_tally(rows)
  expect_equal(counted$counts, cbind(c(1, 0, 1), c(1, 1, 1)), ignore_attr = TRUE)
  expect_equal(counted$labels, list(rbind(c(1, 0, 0), c(0, 1, 1)), rbind(c(0, 1, 1), c(1, 0, 0))))
  # One group without weights has its labels in the mechanism, with weights both.
  one <- replace(rows, c("group", "keys"), list(rep(1, 11), NULL))
  expect_null(labelled_tally(one)$labels)
  expect_identical(labelled_tally(one)$counts, c(2, 1, 2))
  expect_identical(labelled_tally(one, weights)$labels, list(rbind(c(1, 10, 20), c(30, 2, 3))))
})

test_that("labels that are seen are levels: of the mechanism, of the factor as far as they are there, or sorted", {
  expect_identical(labels_seen(c("b", "a", NA), character()), factor(c("b", "a", NA), c("a", "b")))
  expect_identical(labels_seen(c(10, 9, 2), NULL), factor(c("10", "9", "2"), c("2", "9", "10")))
  expect_identical(labels_seen(factor(c("b", "a"), c("b", "z", "a")), NULL), factor(c("b", "a"), c("b", "a")))
  # Those of the mechanism stay, seen or not.
  expect_identical(labels_seen("b", c("z", "b")), factor("b", c("z", "b")))
  expect_error(labels_seen(c("b", "x"), c("z", "b")), class = "candor_error_level")
})

test_that("rows need a report, and a group where there are groups; a label needs a report", {
  read <- function(reports, truth, by = NULL) list(name = "seen", reports = reports, truth = truth, by = by)
  expect_identical(reported_rows(read(c("a", "b"), c(NA, "b")), FALSE), 1:2)
  expect_error(reported_rows(read(c("a", NA), c("a", NA)), FALSE), class = "candor_error_missing")
  expect_message(kept <- reported_rows(read(c("a", NA, "b"), c("a", NA, NA), list(g = c(1, 2, NA))), TRUE), class = "candor_message_missing")
  expect_identical(kept, 1L)
  expect_error(reported_rows(read(c("a", NA), c("a", "b")), TRUE), class = "candor_error_missing")
})
