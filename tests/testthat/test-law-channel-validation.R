# Counts are made by hand here, also those that no truth makes likely.
rr_estimate <- estimate_odd

# Channels that a validation study estimated: its error enters all uncertainty. Truth: golden vectors
# (math-validation.md), finite differences, simulation.

validated <- function(input, ...) rr_misclassification(table = input$validation, validation = input$design, ...)

field <- function(input) rr_counts(if (is.matrix(input$counts)) cbind(a = input$counts[1, ], b = input$counts[2, ]) else input$counts, validated(input))

# Matrices to the file's tolerance for variances, 1e-7 of the largest.
expect_covariance <- function(actual, expected, label = NULL) expect_lte(max(abs(unname(actual) - expected)), 1e-7 * max(abs(expected)), label = label)

cases <- function(keep) Filter(function(case) keep(case$input, case$expected), golden("validated_channel"))

test_that("covariances of the inversion have the part of the validation study", {
  found <- cases(function(input, expected) !is.null(expected$vcov_inverse_population))
  expect_length(found, 17)
  for (case in found) {
    expected <- case$expected
    fit <- rr_estimate(field(case$input), method = "inv")
    expect_golden(coef(fit), expected$inverse, 1e-8)
    n <- sum(case$input$counts)
    known <- expected$vcov_inverse_channel_known
    # The unbiased estimate has the divisor N - 1 in the part of the field.
    expect_covariance(vcov(fit), known * n / (n - 1) + expected$vcov_validation_part)
    expect_covariance(expected$vcov_inverse_population, known + expected$vcov_validation_part)
    expect_covariance(vcov(fit, target = "sample"), expected$vcov_inverse_sample)
    exact <- replace(case$input, "design", list("exact"))
    expect_covariance(vcov(rr_estimate(field(exact), method = "inv")), known * n / (n - 1))
  }
})

test_that("maximum likelihood inside has the inverse joint information", {
  found <- cases(function(input, expected) isFALSE(expected$boundary) && ncol(input$validation) == nrow(input$validation))
  expect_length(found, 13)
  for (case in found) {
    fit <- rr_estimate(field(case$input), method = "mle")
    expect_golden(coef(fit), case$expected$mle, 1e-8)
    expect_covariance(vcov(fit), case$expected$vcov_mle)
  }
})

# With more reports than truths the estimate is not the joint maximum. Its covariance has the part J diag(S) J', with J
# by differences of the estimate in the shares of the table, at reports as the fit expects them.
test_that("maxima with more reports than truths move with the table as differences say", {
  found <- cases(function(input, expected) input$design == "external" && ncol(input$validation) > nrow(input$validation))
  expect_length(found, 4)
  for (case in found) {
    V <- case$input$validation
    shares <- V / rowSums(V)
    counts <- round(1e10 * drop(case$expected$mle %*% shares))
    fit <- rr_estimate(rr_counts(counts, validated(case$input)), method = "mle")
    refit <- function(C) coef(rr_estimate(rr_counts(counts, rr_channel(C)), method = "mle"))
    part <- 0
    for (x in seq_len(nrow(V))) {
      J <- vapply(seq_len(ncol(V)), function(y) {
        # A step towards report y keeps the row's sum.
        toward <- as.double(seq_len(ncol(V)) == y)
        step <- function(h) refit(rbind(shares[-x, , drop = FALSE], (1 - h) * shares[x, ] + h * toward)[order(c(seq_len(nrow(V))[-x], x)), ])
        (4 * (step(1e-4) - step(0)) - (step(2e-4) - step(0))) / 2e-4
      }, numeric(nrow(V)))
      part <- part + J %*% (diag(shares[x, ]) - tcrossprod(shares[x, ])) %*% t(J) / sum(V[x, ])
    }
    known <- vcov(rr_estimate(rr_counts(counts, rr_channel(shares)), method = "mle"))
    # The differences leave out the third derivative times 1e-8.
    expect_lte(max(abs(vcov(fit) - known - part)), 1e-5 * max(abs(part)))
  }
})

test_that("groups share the error of the validation study", {
  found <- cases(function(input, expected) !is.null(expected$cross_covariance))
  expect_length(found, 4)
  for (case in found) {
    expected <- case$expected
    fit <- rr_estimate(field(case$input), method = "inv")
    k <- nrow(case$input$validation)
    V <- unname(vcov(fit))
    expect_covariance(V[seq_len(k), k + seq_len(k)], expected$cross_covariance)
    expect_equal(V, t(V))
    # Maximum likelihood, here inside, has the divisor N, as the vectors have.
    fit <- rr_estimate(field(case$input), method = "mle")
    L <- cbind(-diag(k), diag(k))
    expect_covariance(L %*% vcov(fit) %*% t(L), expected$vcov_difference)
    errors <- sqrt(diag(expected$vcov_difference))
    expect_equal(rr_compare(fit, terms = seq_len(k))$std.error, errors, tolerance = 1e-7)
    contrasts <- stats::setNames(lapply(seq_len(k), function(i) stats::setNames(L[i, ], names(coef(fit)))), seq_len(k))
    expect_equal(rr_contrast(fit, contrasts)$std.error, errors, tolerance = 1e-7)
    expect_covariance(vcov(rr_contrast(fit, contrasts)), expected$vcov_difference)
    apart <- list(a = fit[1, drop = TRUE], b = fit[2, drop = TRUE])
    expect_equal(rr_compare(apart, terms = seq_len(k))$std.error, errors, tolerance = 1e-7)
  }
})

test_that("internal designs are the closed maximum", {
  found <- cases(function(input, expected) input$design == "internal")
  expect_length(found, 6)
  for (case in found) {
    for (method in c("mle", "inv")) {
      fit <- rr_estimate(field(case$input), method = method)
      expect_golden(coef(fit), case$expected$mle, 1e-8)
      expect_covariance(vcov(fit), case$expected$vcov_mle)
    }
  }
})

test_that("labels of one report that all agree are not certain, by the vectors of internal studies", {
  groups <- Filter(function(case) case$input$op %in% c("internal_groups", "internal_counts"), golden("doors_validated"))
  expect_length(groups, 5)
  for (case in groups) for (expected in case$expected$groups %||% list(c(case$input[c("unlabelled", "table")], case$expected))) {
    labels <- as.character(seq_along(expected$unlabelled))
    study <- matrix(expected$table, nrow(expected$table), dimnames = list(labels[seq_len(nrow(expected$table))], labels))
    fit <- rr_estimate(rr_counts(expected$unlabelled, rr_misclassification(table = study, validation = "internal")), conf.level = case$input$level)
    expect_golden(coef(fit), expected$estimate, 1e-8)
    expect_golden(vcov(fit), expected$vcov_population, 1e-8)
    expect_golden(vcov(fit, target = "sample"), expected$vcov_sample, 1e-8)
    expect_golden(confint(fit), expected$interval, 1e-6)
  }
})

test_that("intervals of internal studies cover a rare truth", {
  withr::local_seed(11)
  truths <- c(0.98, 0.02)
  C <- rbind(c(0.99, 0.01), c(0.1, 0.9))
  hits <- replicate(400, {
    labels <- matrix(0, 2, 2)
    # A study without both truths and both reports is refused.
    while (any(rowSums(labels) == 0, colSums(labels) == 0)) {
      labels <- matrix(stats::rmultinom(1, 100, truths * C), 2, dimnames = list(c("no", "yes"), c("no", "yes")))
    }
    unlabelled <- drop(stats::rmultinom(1, 1900, truths %*% C))
    limits <- confint(rr_estimate(rr_counts(unlabelled, rr_misclassification(table = labels, validation = "internal"))), "yes")
    limits[1] <= 0.02 && 0.02 <= limits[2]
  })
  # It was .77. The error of 400 surveys is .011.
  expect_gte(mean(hits), 0.92)
})

test_that("regressions have the part of the validation study, in two steps", {
  found <- golden("validated_regression")
  expect_length(found, 15)
  for (case in found) {
    input <- case$input
    table <- structure(input$validation, dimnames = list(c("no", "yes"), c("no", "yes")))
    data <- data.frame(yes = input$yes, no = input$n - input$yes)
    data$x <- input$x
    fit <- function(validation) suppressWarnings(rr_glm(cbind(yes, no) ~ x - 1, data, rr_misclassification(table = table, validation = validation)))
    two <- fit("external")
    expect_golden(coef(two), case$expected$coef, 1e-8)
    expect_covariance(vcov(two), case$expected$vcov)
    expect_covariance(vcov(fit("exact")), case$expected$vcov_channel_known)
    # The sandwich has the same second part.
    part <- vcov(two, type = "sandwich") - vcov(fit("exact"), type = "sandwich")
    expect_covariance(part, case$expected$vcov_validation_part)
    # Two arms with the same study share its error: the same fit in two halves.
    half <- rbind(data, data)
    half[c("yes", "no")] <- half[c("yes", "no")] / 2
    half$arm <- rep(c("a", "b"), each = nrow(data))
    mechanism <- rr_misclassification(table = table)
    even <- all(half$yes == floor(half$yes), half$no == floor(half$no))
    if (even) {
      arms <- suppressWarnings(rr_glm(cbind(yes, no) ~ x - 1, half, list(a = mechanism, b = mechanism), arm = arm))
      expect_covariance(vcov(arms), case$expected$vcov)
    }
  }
  expect_message(ends <- confint(two), class = "candor_message_wald")
  expect_equal(unname(ends), unname(coef(two) + sqrt(diag(vcov(two))) %o% qnorm(c(0.025, 0.975))))
  expect_refused(confint(two, method = "profile"), drop1(two))
  expect_equal(anova(two)$Wald, drop(coef(two) %*% solve(vcov(two), coef(two))))
})

# Rows 1, 3 and 5 of the table of section 7, the default interval of maximum likelihood. Of 200 samples the error of a
# coverage of 0.95 is 0.0154; three of these are allowed.
test_that("score intervals cover, where those of a known channel do not", {
  set.seed(23)
  rows <- list(list(theta = 0.12, se = 0.80, sp = 0.95, m = c(50, 100), n = 1000, score = 0.947, known = 0.652),
               list(theta = 0.015, se = 0.83, sp = 0.995, m = c(122, 401), n = 3330, score = 0.956, known = 0.709),
               list(theta = 0.20, se = 0.70, sp = 0.90, m = c(25, 60), n = 5000, score = 0.949, known = 0.244))
  for (row in rows) {
    covered <- replicate(200, {
      yes <- rbinom(1, row$m[1], row$se)
      false <- rbinom(1, row$m[2], 1 - row$sp)
      positive <- rbinom(1, row$n, row$theta * row$se + (1 - row$theta) * (1 - row$sp))
      table <- rbind(c(row$m[2] - false, false), c(row$m[1] - yes, yes))
      if (any(colSums(table) == 0) || yes / row$m[1] <= false / row$m[2]) return(c(NA, NA))
      vapply(c("external", "exact"), function(validation) {
        mechanism <- rr_misclassification(table = table, validation = validation)
        ends <- confint(rr_estimate(rr_counts(c(row$n - positive, positive), mechanism), method = "mle"))[2, ]
        ends[1] <= row$theta && row$theta <= ends[2]
      }, NA)
    })
    expect_lt(mean(is.na(covered[1, ])), 0.01)
    found <- rowMeans(covered, na.rm = TRUE)
    expect_lt(abs(found[1] - row$score), 3 * 0.0154)
    expect_lt(abs(found[2] - row$known), 3 * sqrt(row$known * (1 - row$known) / 200))
  }
})

test_that("intervals of yes and no are those of the vectors, without and with the design's effective number", {
  found <- Filter(function(case) grepl("^interval_two", case$input$op), golden("doors_validated"))
  expect_length(found, 9)
  for (case in found) {
    input <- case$input
    yes <- input[["yes"]] %||% input$yes_effective
    sizes <- c(input[["n"]] %||% input$n_effective, rowSums(input$validation)[2:1])
    quantile <- stats::qt((1 - input$level) / 2, input$df %||% Inf, lower.tail = FALSE)
    limits <- .Call(C_rr_measured_interval, as.double(c(yes, input$validation[2:1, 2])), as.double(sizes), quantile)
    expect_golden(drop(limits), case$expected$interval, 1e-6)
    if (!is.null(input$df)) next
    fit <- rr_estimate(rr_counts(c(input$n - yes, yes), suppressMessages(rr_misclassification(table = input$validation))), method = "inv",
      conf.level = input$level)
    expect_golden(confint(fit)[2, ], case$expected$interval, 1e-6)
    expect_equal(confint(fit)[1, ], 1 - confint(fit)[2, 2:1], ignore_attr = TRUE)
  }
})

test_that("score intervals have the study's error at the estimate, by the vectors", {
  found <- Filter(function(case) case$input$op == "interval_plug", golden("doors_validated"))
  expect_length(found, 4)
  for (case in found) {
    input <- case$input
    fit <- rr_estimate(rr_counts(input$counts, rr_misclassification(table = input$validation)), method = "inv", target = input$target, conf.level = input$level)
    for (i in seq_along(case$expected$rows)) expect_golden(confint(fit)[i, ], case$expected$rows[[i]]$interval, 1e-6)
  }
})

# All counts of the field and of the study, each with its probability: no simulation.
test_that("intervals of yes and no cover, by enumeration", {
  cells <- list(list(theta = 0.3, C = c(0.7, 0.02), sizes = c(60, 12, 20)), list(theta = 0.05, C = c(0.85, 0.03), sizes = c(80, 10, 25)),
                list(theta = 0.9, C = c(0.9, 0.2), sizes = c(50, 25, 6)))
  for (cell in cells) {
    counts <- t(expand.grid(lapply(cell$sizes, seq, from = 0)))
    prob <- c(sum(c(cell$theta, 1 - cell$theta) * cell$C), cell$C)
    storage.mode(counts) <- "double"
    chance <- exp(colSums(stats::dbinom(counts, cell$sizes, prob, log = TRUE)))
    expect_equal(sum(chance), 1)
    limits <- .Call(C_rr_measured_interval, counts, matrix(cell$sizes, 3, ncol(counts)), rep(stats::qnorm(0.975), ncol(counts)))
    expect_gte(sum(chance[limits[1, ] <= cell$theta & cell$theta <= limits[2, ]]), 0.93)
  }
})

test_that("the study: intervals of yes and no are narrow and cover, and a cell comes out again", {
  table <- read_study("measured.csv")
  here <- new.env()
  sys.source(study_file("measured.R"), here)
  cells <- here$measured_cells()
  expect_equal(table[names(cells)], cells, ignore_attr = TRUE)
  # The error of 1,000 surveys is .007.
  expect_gte(min(table$package.coverage), 0.93 - 3 * 0.007)
  narrowest <- pmin(table$lang.reiczigel.width, table$profile.width, table$score.width)
  expect_lte(mean(table$package.width / narrowest), 1.05)
  here$profile <- here$score
  again <- here$run_measured(cells[66, ])
  expect_equal(again[!grepl("profile", names(again))], table[66, !grepl("profile", names(table))], ignore_attr = TRUE)
})

test_that("few people of a truth in a study are told", {
  few <- rbind(no = c(no = 40, yes = 3), yes = c(2, 12))
  for (validation in c("external", "internal")) {
    expect_message(rr_misclassification(table = few, validation = validation), class = "candor_message_labels")
    expect_no_message(rr_misclassification(table = few + c(0, 1, 0, 0), validation = validation))
  }
  expect_no_message(rr_misclassification(table = few, validation = "exact"))
})

santa_clara <- function(...) rr_misclassification(table = rbind(no = c(no = 399, yes = 2), yes = c(19, 103)), ...)

test_that("Santa Clara's antibody survey has the published figures", {
  fit <- rr_estimate(rr_counts(c(3280, 50), santa_clara()))
  # Bendavid et al. (2021): 50 of 3,330 positive. The error is that of Rogan and Gladen (1978).
  se <- 103 / 122
  sp <- 399 / 401
  theta <- (50 / 3330 + sp - 1) / (se + sp - 1)
  variance <- 50 / 3330 * (1 - 50 / 3330) / 3330 + theta^2 * se * (1 - se) / 122 + (1 - theta)^2 * sp * (1 - sp) / 401
  row <- tidy(fit, conf.int = TRUE)[2, ]
  expect_equal(row$estimate, theta)
  expect_equal(row$std.error, sqrt(variance) / (se + sp - 1))
  expect_equal(c(row$conf.low, row$conf.high), c(0, 0.019684254618180432), tolerance = 1e-6)
  expect_equal(glance(fit)$validation, 523)
  # The bootstrap makes the study again: of 400 replications the standard error is known to 1 / sqrt(800), here twice.
  set.seed(23)
  again <- rr_estimate(rr_counts(c(3280, 50), santa_clara()), interval = "bootstrap", replications = 400, method = "inv")
  expect_equal(tidy(again)$std.error[2], row$std.error, tolerance = 2 / sqrt(800))
})

test_that("plans have the study's part, and say what it makes impossible", {
  mechanism <- santa_clara()
  z <- qnorm(0.975)
  margin <- function(n) {
    phi <- 0.02 * 103 / 122 + 0.98 * 2 / 401
    field <- phi * (1 - phi) / n
    part <- 0.02^2 * 103 * 19 / 122^3 + 0.98^2 * 399 * 2 / 401^3
    z * sqrt(field + part) / (103 / 122 + 399 / 401 - 1)
  }
  found <- rr_power(mechanism, margin = 0.012, share = 0.02)$n
  expect_lte(margin(found), 0.012)
  expect_gt(margin(found - 1), 0.012)
  expect_message(none <- rr_power(mechanism, margin = 0.005, share = 0.02), class = "candor_message_floor")
  expect_identical(none$n, Inf)
  expect_gt(margin(1e12), 0.005)
  expect_error(rr_power(mechanism, margin = 0.05), class = "candor_error_argument")
  power <- rr_power(mechanism, n = 2000, share = 0.3, versus = 0.25)$power
  # The groups share the study, so that it nearly cancels.
  expect_equal(power, rr_power(santa_clara(validation = "exact"), n = 2000, share = 0.3, versus = 0.25)$power, tolerance = 0.01)
  enough <- rr_power(mechanism, power = 0.8, share = 0.05, null = 0.02)$n
  expect_gte(rr_power(mechanism, n = enough, share = 0.05, null = 0.02)$power, 0.8)
})

test_that("bad tables, and what takes the channel for known, are refused", {
  counts <- rbind(c(95, 5), c(10, 40))
  expect_refused(rr_misclassification(table = counts / rowSums(counts)), rr_misclassification(table = rbind(c(95.5, 4.5), c(20, 80))),
                 rr_misclassification(0.8, 0.9, validation = "exact"))
  expect_warning(rr_misclassification(table = counts + 0.5), class = "candor_warning_weights")
  expect_silent(rr_misclassification(table = counts / rowSums(counts), validation = "exact"))
  expect_refused(rr_misclassification(table = rbind(c(8, 2, 0), c(1, 9, 0)), validation = "internal"), class = "no_information")
  mechanism <- rr_misclassification(table = counts)
  fit <- rr_estimate(tally <- rr_counts(c(800, 200), mechanism))
  expect_refused(confint(fit, interval = "exact"), confint(fit, interval = "profile"),
                 rr_estimate(rr_counts(c(5, 6, 7, 8), rr_product(a = mechanism, b = rr_warner(0.8)))),
                 rr_pool(a = tally, b = tally), rr_compose(mechanism, rr_grr(2, epsilon = 1)), rr_noncompliance(mechanism, 0.1),
                 rr_estimate(rr_counts(cbind(a = c(80, 20), b = c(70, 30)), rr_misclassification(table = counts, validation = "internal"))))
})

test_that("a posterior, a family, scores and an anchor have no place for the study's error", {
  for (validation in c("external", "internal")) {
    mechanism <- rr_misclassification(table = rbind(no = c(no = 60, yes = 20), yes = c(8, 72)), validation = validation)
    expect_refused(rr_family(mechanism), rr_score(c("no", "yes"), mechanism), rr_anchor(mechanism),
      class = "law")
    three <- rr_misclassification(table = rbind(a = c(a = 80, b = 15, c = 5), b = c(10, 70, 20), c = c(5, 15, 80)), validation = validation)
    expect_refused(rr_score("a", three), class = "law")
    # No way out that leaves the error out is offered.
    said <- tryCatch(rr_score(c("no", "yes"), mechanism), error = conditionMessage)
    expect_no_match(said, "exact")
  }
})

# As caret, yardstick and epiR write them, by hand: 100 people without and 100 with the condition.
test_that("the names of its dimensions turn a table, and contradictions and margins are refused", {
  right <- rr_misclassification(table = rbind(neg = c(neg = 80, pos = 20), pos = c(5, 95)))
  counted <- function(first, second, labels = list(c("neg", "pos"), c("neg", "pos")), counts = c(80, 20, 5, 95)) {
    as.table(matrix(counts, 2, dimnames = stats::setNames(labels, c(first, second))))
  }
  turned <- list(c("Prediction", "Reference"), c("Prediction", "Truth"), c("predicted", "actual"), c("Test", "Outcome"), c("MAP", "reference"),
                 c("classified.as", "true_class"), c("report", "truth"), c("Observed", "Gold standard"), c("test result", "Actual"))
  for (names in turned) {
    expect_message(mechanism <- rr_misclassification(table = counted(names[1], names[2])), class = "candor_message_transposed")
    expect_true(same_mechanism(mechanism, right), label = toString(names))
    straight <- t(counted(names[1], names[2]))
    expect_true(same_mechanism(expect_no_message(rr_misclassification(table = straight)), right))
  }
  # 300 of 1,000 are positive: (0.3 - 0.2) / (0.95 - 0.2).
  expect_message(mechanism <- rr_misclassification(table = counted("Prediction", "Reference")), class = "candor_message_transposed")
  expect_equal(coef(rr_estimate(rr_counts(c(neg = 700, pos = 300), mechanism)))[["pos"]], 0.1 / 0.75)
  # epiR names labels in place of dimensions.
  epi <- counted("", "", list(c("Test +", "Test -"), c("Outcome +", "Outcome -")), c(95, 5, 20, 80))
  expect_message(mechanism <- rr_misclassification(table = epi), class = "candor_message_transposed")
  expect_equal(unname(rr_matrix(mechanism)), rbind(c(0.95, 0.05), c(0.2, 0.8)))
  expect_identical(mechanism$levels, c("Outcome +", "Outcome -"))
  # Names that say nothing leave it, as does half of what is right.
  for (names in list(c("", ""), c("x", "y"), c("Truth", ""), c("", "Prediction"), c("truth", "class"))) {
    expect_true(same_mechanism(rr_misclassification(table = t(counted(names[2], names[1]))), right), label = toString(names))
  }
  for (names in list(c("predicted", "observed"), c("truth", "actual"), c("Prediction", ""), c("", "Truth"), c("true test", "truth"), c("class", "gold"))) {
    expect_error(rr_misclassification(table = counted(names[1], names[2])), class = "candor_error_argument", label = toString(names))
  }
  # `levels` belong to the truths of the turned table.
  expect_message(mechanism <- rr_misclassification(table = counted("Prediction", "Reference"), levels = c("pos", "neg")), class = "candor_message_transposed")
  expect_equal(unname(rr_matrix(mechanism)[, "pos"]), c(0.95, 0.2))
})

test_that("margins of a table are no category", {
  study <- as.table(rbind(no = c(no = 95, yes = 5), yes = c(10, 40)))
  with_margins <- addmargins(study)
  expect_refused(rr_misclassification(table = with_margins), rr_misclassification(table = addmargins(study, 1)),
    rr_misclassification(table = addmargins(study, 2)))
  for (name in c("-SUM-", "Total", "total", "SUM")) {
    dimnames(with_margins) <- rep(list(c("no", "yes", name)), 2)
    expect_error(rr_misclassification(table = with_margins), class = "candor_error_argument", label = name)
  }
  # A category of that name whose counts are not the sums is one.
  dimnames(with_margins) <- rep(list(c("no", "yes", "Total")), 2)
  with_margins[3, ] <- c(1, 2, 30)
  with_margins[1:2, 3] <- c(3, 4)
  expect_identical(rr_misclassification(table = with_margins)$levels, c("no", "yes", "Total"))
})

test_that("files keep the counts and the design of the study", {
  for (validation in c("external", "internal", "exact")) {
    tally <- rr_counts(c(3280, 50), santa_clara(validation = validation))
    path <- withr::local_tempfile(fileext = ".json")
    rr_write(tally, path)
    expect_identical(vcov(rr_estimate(rr_read(path))), vcov(rr_estimate(tally)))
  }
})

# The maximum by optimize(), and math-validation.md 3: (B' (Sigma + W)^- B)^-1 on the simplex.
test_that("two tests of the same people are one report, the pair", {
  V <- rbind(no = c(neg.neg = 180, pos.neg = 9, neg.pos = 8, pos.pos = 3), yes = c(6, 14, 15, 65))
  people <- data.frame(first = rep(c("neg", "pos", "neg", "pos"), c(800, 70, 60, 70)), second = rep(c("neg", "neg", "pos", "pos"), c(800, 70, 60, 70)))
  people$pair <- interaction(people$first, people$second)
  expect_identical(levels(people$pair), colnames(V))
  fit <- rr_estimate(people, rr_misclassification(table = V), column = "pair", method = "mle")
  C <- V / rowSums(V)
  n <- c(800, 70, 60, 70)
  theta <- optimize(function(t) sum(n * log((1 - t) * C[1, ] + t * C[2, ])), 0:1, maximum = TRUE, tol = 1e-10)$maximum
  expect_equal(coef(fit)[["yes"]], theta, tolerance = 1e-6)
  phi <- drop(c(1 - theta, theta) %*% C)
  multinomial <- function(p) diag(p) - tcrossprod(p)
  total <- multinomial(phi) / 1000 + (1 - theta)^2 * multinomial(C[1, ]) / 200 + theta^2 * multinomial(C[2, ]) / 100
  slope <- (C[2, ] - C[1, ])[-1]
  expect_equal(tidy(fit)$std.error[2], drop(1 / sqrt(slope %*% solve(total[-1, -1]) %*% slope)), tolerance = 0.02)
})
