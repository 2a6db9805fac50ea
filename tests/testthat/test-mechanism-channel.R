test_that("a channel keeps its matrix, labels and epsilon", {
  C <- rbind(a = c(x = 0.7, y = 0.2, z = 0.1), b = c(0.2, 0.3, 0.5))
  channel <- rr_channel(C)
  expect_identical(channel$levels, c("a", "b"))
  expect_identical(channel$reports, c("x", "y", "z"))
  expect_equal(unname(rr_matrix(channel)), unname(C))
  expect_equal(rr_epsilon(channel), log(5)) # the last column: 0.5 against 0.1
  expect_identical(rr_epsilon(rr_channel(rbind(c(1, 0), c(0.5, 0.5)))), Inf)
  expect_snapshot(channel)
})

test_that("a square channel without column names reports its own levels, numbers included", {
  channel <- rr_channel(rbind("0" = c(0.8, 0.2), "1" = c(0.3, 0.7)))
  expect_identical(channel$reports, c("0", "1"))
  wide <- rr_channel(random_channel(3, 4), levels = 0:2, reports = 0:3)
  expect_identical(wide$numeric_levels, c(0, 1, 2, 3))
  expect_identical(rr_tally(c(0, 3, 3, 1), wide)$counts, c(1, 1, 0, 2))
})

test_that("a matrix that tells the truth or else draws an innocuous answer is recognized and solved in closed form", {
  grr <- rr_grr(30, epsilon = 0.5)
  channel <- rr_channel(unname(rr_matrix(grr)))
  expect_equal(channel$law$odds, grr$odds, tolerance = 1e-13)
  counts <- 100 + 10 * seq_len(30)
  expect_equal(unname(coef(rr_estimate(rr_counts(counts, channel)))), unname(coef(rr_estimate(rr_counts(counts, grr)))), tolerance = 1e-12)
  forced <- rr_forced(c(0.1, 0.2, 0.05))
  expect_equal(rr_channel(unname(rr_matrix(forced)))$law, rr_new_law("additive", 0.65, c(0.1, 0.2, 0.05)))
  expect_null(rr_channel(unname(rr_matrix(rr_grr(3, p = 0.1))))$law) # p < q
  expect_null(rr_geometric(4, 1)$law)
  # Relabelled reports are no longer the truths.
  expect_null(rr_channel(unname(rr_matrix(grr)), reports = paste0("r", 1:30))$law)
})

test_that("operators agree with the matrix", {
  set.seed(1)
  product <- rr_product(a = rr_channel(random_channel(3, 5)), b = rr_warner(0.8), c = rr_grr(4, epsilon = 1), d = rr_crosswise(0.3))
  C <- rr_matrix(product)
  expect_equal(dim(C), c(48, 80))
  expect_equal(unname(rowSums(C)), rep(1, 48))
  axes <- channel_axes(product)
  theta <- stats::rexp(48)
  w <- stats::rexp(80)
  expect_equal(apply_channel(axes, theta), unname(drop(crossprod(C, theta))))
  expect_equal(apply_channel(axes, w, "adjoint"), unname(drop(C %*% w)))
  expect_equal(apply_channel(axes, w, "square"), unname(drop(C^2 %*% w)))
  # The first question runs fastest: cell 2 differs from cell 1 in it alone.
  expect_equal(unname(C[2, 1] / C[1, 1]), unname(rr_matrix(product$questions$a)[2, 1] / rr_matrix(product$questions$a)[1, 1]))
})

test_that("geometric and misclassification channels are what they say", {
  geometric <- rr_geometric(5, epsilon = 0.7)
  z <- exp(-0.7)
  expect_equal(unname(rr_matrix(geometric)[3, ]), c(z^2, z * (1 - z), (1 - z), z * (1 - z), z^2) / (1 + z))
  expect_equal(rr_epsilon(geometric), 4 * 0.7)
  expect_equal(unname(rowSums(rr_matrix(geometric))), rep(1, 5))
  # Rogan and Gladen (1978): (0.12 + 0.95 - 1) / (0.8 + 0.95 - 1).
  expect_equal(coef(rr_estimate(rr_counts(c(880, 120), rr_misclassification(sensitivity = 0.8, specificity = 0.95))))[["yes"]], 0.07 / 0.75)
  study <- rr_misclassification(table = rbind(no = c(no = 95, yes = 5), yes = c(20, 80)))
  expect_equal(unname(rr_matrix(study)), rbind(c(0.95, 0.05), c(0.2, 0.8)))
})

test_that("reports are drawn from the rows of the matrix", {
  set.seed(2)
  C <- rbind(a = c(x = 0.5, y = 0.3, z = 0.2), b = c(0.1, 0.2, 0.7))
  drawn <- table(rep(c("a", "b"), each = 5000), rr_perturb(rep(c("a", "b"), each = 5000), rr_channel(C), rng = "R"))
  # Twelve standard deviations of 0.007: a swap or a transpose would be far outside.
  expect_lt(max(abs(unname(unclass(drawn)) / 5000 - unname(C))), 0.03)
})

test_that("a small epsilon of a channel keeps its digits and is never below the true one", {
  # log((.5 + d) / (.5 - d)) = 2 atanh(2 d) = 4 d (1 + (2 d)^2 / 3 + ...), with d a power of 2, so that all numbers are exact.
  for (d in 2^-c(20, 30, 42, 50)) {
    epsilon <- rr_epsilon(rr_channel(rbind(c(0.5 + d, 0.5 - d), c(0.5 - d, 0.5 + d))))
    true <- 4 * d * (1 + (2 * d)^2 / 3)
    expect_gte(epsilon, true)
    expect_lt(epsilon / true - 1, 1e-14)
  }
})

test_that("bad channels are refused in the user's language", {
  skip_on_cran()
  good <- rbind(c(0.8, 0.2), c(0.3, 0.7))
  expect_refused(rr_channel(c(0.8, 0.2)), rr_channel(rbind(yes = c(0.8, 0.2), no = c(0.3, 0.6))), rr_channel(t(rbind(c(0.8, 0.2), c(0.3, 0.7)))),
                 rr_channel(rbind(c(1.2, -0.2), c(0.3, 0.7))), rr_channel(rbind(c(NaN, 0.2), c(0.3, 0.7))), rr_channel(cbind(good, refused = 0)),
                 rr_channel(good, levels = c("a", "b", "c")), rr_geometric(4, epsilon = 0), rr_misclassification(sensitivity = 0.9),
                 rr_misclassification(table = rbind(c(1, 2), c(0, 0))))
  expect_identical(rowSums(rr_matrix(rr_channel(rbind(c(0.333, 0.667), c(0.3, 0.699)), tolerance = 0.01))), c("1" = 1, "2" = 1))
})

test_that("counts in place of probabilities have their remedy", {
  counts <- matrix(c(9808, 200, 192, 800), 2)
  expect_error(rr_channel(counts), "rr_misclassification", class = "candor_error_argument")
  expect_error(rr_channel(counts), "prop.table", class = "candor_error_argument")
  expect_false(grepl("prop.table", conditionMessage(tryCatch(rr_channel(matrix(c(1.5, 0.2, 0.1, 0.8), 2)), error = identity))))
  expect_error(rr_counts(c(no = 2.5, yes = 3), rr_warner(0.8)), "effective_n", class = "candor_error_counts")
})

test_that("what is lost is a last report, \"not seen\"", {
  response <- rbind(signal = c(signal = 0.7, noise = 0.1), noise = c(0.2, 0.5))
  complete <- cbind(response, "not seen" = c(0.2, 0.3))
  mechanism <- rr_channel(response, unseen = "not seen")
  expect_equal(unclass(rr_matrix(mechanism)), unclass(rr_matrix(rr_channel(complete))), tolerance = 1e-15)
  expect_identical(mechanism$reports, c("signal", "noise", "not seen"))
  # Reports have the labels of the truths, their numbers, or those that are given, in any order.
  expect_identical(rr_channel(unname(response), c("a", "b"), unseen = "lost")$reports, c("a", "b", "lost"))
  expect_identical(rr_channel(cbind(unname(response), 0.1), unseen = "lost")$reports, c("1", "2", "3", "lost"))
  turned <- rr_channel(response, reports = c("noise", "signal"), unseen = "lost")
  expect_equal(unname(unclass(rr_matrix(turned))), unname(complete[, c(2, 1, 3)]), tolerance = 1e-15)
  # Steps of Bayes' theorem (Richardson 1972, Lucy 1974, D'Agostini 1995) by hand.
  counts <- c(120, 90, 90)
  theta <- c(0.5, 0.5)
  for (step in 1:4) theta <- drop(theta * (complete %*% (counts / 300 / drop(theta %*% complete))))
  expect_equal(unname(coef(rr_estimate(rr_counts(counts, mechanism), method = "ibu", iterations = 4))), unname(theta), tolerance = 1e-12)
  file <- withr::local_tempfile()
  rr_write(rr_counts(counts, mechanism), file)
  expect_true(same_mechanism(rr_read(file)$mechanism, mechanism))
  expect_refused(rr_channel(complete, unseen = "lost"), rr_channel(2 * response, unseen = "lost"), rr_channel(response, unseen = NA),
                 rr_channel(response, unseen = "noise"), rr_channel(3, unseen = "lost"), rr_channel(response, unseen = 1),
                 rr_channel(response, unseen = c("lost", "late")))
  # One report is possible alone: nothing is said.
  expect_identical(matrix_epsilon(rbind(c(1, 0), c(1, 0))), 0)
})

test_that("a validation table is counts of people, of each truth and, inside the survey, of each report", {
  study <- function(validation, ...) {
    counts <- matrix(c(...), 2, byrow = TRUE, dimnames = list(c("no", "yes"), c("no", "yes")))
    rr_misclassification(table = counts, validation = validation)
  }
  for (row in list(c(0, 0), c(8, -1), c(8, NA), c(8, Inf))) expect_refused(study("external", 60, 20, row))
  # Shares and percentages, rounded perhaps, do not say how many people; an exact channel needs none.
  for (shares in list(c(0.75, 0.25, 0.1, 0.9), c(75.1, 24.9, 10.2, 89.8), c(75, 25.4, 10, 90))) {
    expect_refused(study("external", shares), study("internal", shares))
    expect_equal(unname(rr_matrix(study("exact", shares))), proportions(matrix(shares, 2, byrow = TRUE), 1))
  }
  expect_no_warning(study("external", 75, 25, 10, 90))
  for (counts in list(c(75, 25.6, 10, 90), c(60.5, 20, 8, 72))) {
    expect_warning(study("external", counts), class = "candor_warning_weights")
    expect_no_warning(study("exact", counts))
  }
  expect_error(study("internal", 60, 0, 8, 0), class = "candor_error_no_information")
})

test_that("the channel of a sum needs equal yes/no devices and the numbers that they can add up to", {
  die <- rr_binary(0.9, 0.2)
  # By hand: of two answers no, yes and yes, yes, with P(yes) 0.2 and 0.9.
  by_hand <- rbind(c(0.64, 0.32, 0.04), c(0.08, 0.74, 0.18), c(0.01, 0.18, 0.81))
  three <- rr_product(a = die, b = die, c = rr_binary(0.8, 0.2))
  expect_equal(unname(rr_matrix(rr_channel(die, levels = 0:2))), by_hand)
  expect_equal(unname(rr_matrix(rr_channel(rr_product(a = die, b = die)))), by_hand)
  # Labels that say which answer is yes, in the other order.
  turned <- rr_channel(rbind(yes = c(yes = 0.9, no = 0.1), no = c(0.2, 0.8)))
  expect_equal(unname(rr_matrix(rr_channel(turned, levels = 0:2))), by_hand)
  expect_equal(unname(rr_matrix(rr_channel(die, levels = 0:1))), unname(rr_matrix(die)))
  # Devices that differ by a rounding are equal.
  expect_equal(unname(rr_matrix(rr_channel(rr_product(a = die, b = rr_binary(0.9 + 1e-13, 0.2))))), by_hand)
  expect_refused(rr_channel(three), rr_channel(rr_product(a = die, b = rr_binary(0.9 + 1e-11, 0.2))), rr_channel(die, levels = 0),
                 rr_channel(die, levels = c(0, 2)),
                 rr_channel(rr_product(a = die, b = die), levels = 0:1), rr_channel(die, levels = 0:10000),
                 rr_channel(rr_unary(c("no", "yes"), 1), levels = 0:2), rr_channel(rr_dealt(c(2, 2), cards = 10), levels = 0:2),
                 rr_channel(rr_channel(rbind(c(0.5, 0.3, 0.2), c(0.1, 0.2, 0.7))), levels = 0:2))
})

test_that("names of a matrix that are the labels in another order put its rows and columns in theirs", {
  C <- rbind(a = c(x = 0.7, y = 0.2, z = 0.1), b = c(0.2, 0.3, 0.5))
  turned <- rr_channel(C, levels = factor(c("b", "a"), c("b", "a")), reports = c("z", "x", "y"))
  expect_equal(unname(rr_matrix(turned)), rbind(c(0.5, 0.2, 0.3), c(0.1, 0.7, 0.2)))
  # Other labels replace the names, one by one.
  expect_equal(unname(rr_matrix(rr_channel(C, levels = c("b", "c"), reports = c("z", "x", "w")))), unname(C))
  expect_refused(rr_channel(C, levels = c("a", "b", "c")), rr_channel(C, reports = c("x", "y")), rr_channel(C, levels = c("a", "a")))
  expect_refused(rr_channel(C * 0.6, tolerance = 0.51), rr_channel(C * 0.6, tolerance = -0.1), rr_channel(C * 0.6, tolerance = 0.39))
  expect_equal(unname(rr_matrix(rr_channel(C * 0.5, tolerance = 0.5))), unname(C))
  expect_identical(check_matrix_size(10000), 10000)
  expect_refused(check_matrix_size(10001))
})

test_that("a channel is measured by two probabilities, by a table, or by labels, and by one of these alone", {
  table <- rbind(no = c(no = 60, yes = 20), yes = c(8, 72))
  expect_refused(rr_misclassification(), rr_misclassification(0.9), rr_misclassification(specificity = 0.9), rr_misclassification(0.9, 0.8, table),
                 rr_misclassification(0.9, table = table), rr_misclassification(0.9, 0.8, validation = "exact"), rr_misclassification(table = table, n = 100),
                 rr_misclassification(0.9, labels = "truth"), rr_misclassification(table = table, labels = "truth"),
                 rr_misclassification(labels = "truth", validation = "external"), rr_misclassification(labels = c("a", "b")),
                 rr_misclassification(labels = NA_character_))
  expect_identical(rr_misclassification(labels = "truth")$levels, character())
  expect_identical(rr_misclassification(labels = ~truth, levels = c("a", "b"))$levels, c("a", "b"))
})

test_that("sums are of questions that are all yes/no, of one device", {
  warner <- rr_warner(0.8)
  expect_refused(rr_channel(rr_product(a = warner, b = rr_grr(3, 1)), levels = 0:2), rr_channel(rr_product(a = warner, b = rr_warner(0.7)), levels = 0:2),
                 rr_channel(rr_product(a = warner, b = warner), levels = 0:3), rr_channel(warner, levels = 1:3), rr_channel(rr_grr(3, 1), levels = 0:2))
  expect_identical(dim(rr_matrix(rr_channel(rr_product(a = warner, b = warner)))), c(3L, 3L))
})

test_that("rows of a hundred people are counts, rows of percent and shares are not", {
  expect_equal(rr_misclassification(table = rbind(c(90, 10), c(20, 80)))$validation, rbind(c(90, 10), c(20, 80)), ignore_attr = TRUE)
  expect_refused(rr_misclassification(table = rbind(c(90.5, 9.5), c(20, 80))), rr_misclassification(table = rbind(c(90.25, 9.25), c(20.25, 80.25))),
                 rr_misclassification(table = rbind(c(0.9, 0.1), c(0.2, 0.8))), rr_misclassification(table = rbind(c(0.9, 0.1), c(0.2, 0.8 + 0.9e-8))))
  # Neither percent nor shares: sums of weights.
  for (table in list(rbind(c(90.5, 10.5), c(20, 80)), rbind(c(1.5, 0.5), c(0.2, 0.8)))) {
    expect_warning(rr_misclassification(table = table), class = "candor_warning_weights")
  }
  expect_no_warning(rr_misclassification(table = rbind(c(0.9, 0.1), c(0.2, 0.8)), validation = "exact"))
  # A report that nobody of a study gave has no truths to go back to.
  unused <- rbind(c(a = 10, b = 0, c = 4), c(5, 0, 9))
  expect_error(rr_misclassification(table = unused, validation = "internal"), class = "candor_error_no_information")
  expect_no_error(rr_misclassification(table = unused[, -2], validation = "internal"))
  expect_refused(rr_misclassification(table = rbind(c(5, 5), c(0, 0))), rr_misclassification(table = rbind(c(5, -1), c(1, 4))),
                 rr_misclassification(table = rbind(c(5, NA), c(1, 4))), rr_misclassification(table = c(5, 4)),
                 rr_misclassification(table = rbind(c("5", "1"), c("1", "4"))), rr_misclassification(0.9, 0.8, sensitvity = 0.9),
                 rr_misclassification(0.9), rr_misclassification(0.9, 0.8, table = diag(2) + 1), rr_misclassification(0.9, 0.8, validation = "exact"),
                 rr_misclassification(0.9, 0.8, labels = "gold"), rr_misclassification(labels = c("a", "b")), rr_misclassification(labels = NA_character_))
})

test_that("margins of a table are refused if they are called sums and are", {
  counts <- rbind(no = c(no = 45, yes = 5), yes = c(6, 34))
  with_sums <- rbind(counts, Total = colSums(counts))
  expect_refused(rr_misclassification(table = with_sums), rr_misclassification(table = cbind(counts, Sum = rowSums(counts))))
  # A report that is called so and has other numbers.
  expect_no_error(refuse_margins(cbind(counts, total = c(1, 2))))
  expect_no_error(refuse_margins(cbind(counts, summer = rowSums(counts))))
})
