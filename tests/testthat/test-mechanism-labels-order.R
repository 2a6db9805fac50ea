# The order of the two levels of a yes/no question: which is "no" decides whose the probabilities of a design are, and
# what regressions, power and pictures are about.

told <- function(object) expect_message(object, class = "candor_message_order")
turned <- c("yes", "no")

test_that("a design that treats yes and no differently does not take yes for no", {
  designs <- expression(rr_binary(0.9, 0.2, levels = turned), rr_kuk(0.9, 0.2, levels = turned), rr_triangular(0.2, levels = turned),
                        rr_binary(1, 0.3, levels = turned), rr_unrelated(0.7, 0.25, levels = turned), rr_lie_detector(0.7, levels = turned),
                        rr_cheater_detection(0.2, 0.1, levels = turned), rr_misclassification(0.9, 0.8, levels = turned))
  for (design in designs) expect_error(eval(design), 'levels = c("no", "yes")', fixed = TRUE, class = "candor_error_argument")
  # In other dress
  for (words in list(c("Yes ", "NO"), c(TRUE, FALSE), c(1, 0), c("1", "0"), factor(c("yes", "no"), turned))) {
    expect_error(rr_binary(0.9, 0.2, levels = words), class = "candor_error_argument")
  }
  # Words that say nothing of yes and no stand as given, and so do those in the right order.
  for (words in list(c("doped", "clean"), c("a", "b"), c("1", "2"), c("no", "yes"), c("nein", "ja"), c(0, 1))) {
    expect_no_message(expect_equal(rr_matrix(rr_kuk(0.9, 0.2, levels = words))[[2, 2]], 0.9))
  }
})

test_that("what each level has is stated where names or one number per level say it", {
  # P(yes | yes) = 0.7 + 0.3 * 0.25 whatever the order
  for (pi in list(c(yes = 0.25, no = 0.75), c(no = 0.75, yes = 0.25), c(yes = 0.25), c(no = 0.75))) {
    design <- suppressMessages(rr_unrelated(0.7, pi, levels = turned))
    expect_identical(design$levels, turned)
    expect_equal(rr_matrix(design)["yes", "yes"], 0.775)
    expect_equal(rr_matrix(design)["no", "yes"], 0.075)
  }
  expect_equal(rr_matrix(suppressMessages(rr_unrelated(0.7, c(0.25, 0.75), levels = turned)))["no", "yes"], 0.075)
})

test_that("a symmetric design keeps the other order, and says what it turns round", {
  designs <- list(function(...) rr_warner(0.8, ...), function(...) rr_warner(epsilon = 1, ...), function(...) rr_crosswise(0.2, ...),
                  function(...) rr_warner(0.7, t = 0.3, ...), function(...) rr_forced(1 / 6, ...), function(...) rr_binary(0.8, 0.2, ...),
                  function(...) rr_kuk(0.3, 0.7, ...), function(...) rr_unrelated(0.7, 0.5, ...), function(...) rr_misclassification(0.9, 0.9, ...))
  for (design in designs) {
    told(other <- design(levels = turned))
    expect_identical(other$levels, turned)
    plain <- expect_no_message(design())
    expect_equal(rr_matrix(other)[2:1, 2:1], rr_matrix(plain))
    # By name the estimates are the same.
    counts <- c(no = 55, yes = 45)
    expect_equal(coef(rr_estimate(rr_counts(counts, other)))[2:1], coef(rr_estimate(rr_counts(counts, plain))))
  }
  # "The same" is the yes of the crosswise design.
  told(rr_crosswise(0.2, levels = c("same", "different")))
  expect_no_message(rr_crosswise(0.2, levels = c("different", "same")))
})

test_that("names of forced answers say what belongs to what, and not that no is modelled", {
  plain <- rr_forced(c(no = 0.1, yes = 0.3))
  expect_no_message(named <- rr_forced(c(yes = 0.3, no = 0.1)))
  expect_identical(named, plain)
  expect_identical(rr_unrelated(0.7, c(yes = 0.25, no = 0.75)), rr_unrelated(0.7, c(no = 0.75, yes = 0.25)))
  expect_identical(rr_forced(c(often = 0.1, never = 0.2))$levels, c("often", "never"))
  # By hand: 50 of 100 said yes, the die forces 30, 60 told the truth.
  expect_equal(coef(rr_estimate(rr_counts(c(yes = 50, no = 50), named)))[["yes"]], (0.5 - 0.3) / 0.6)
  expect_equal(coef(rr_estimate(rep(c(0, 1), 50), named))[["yes"]], (0.5 - 0.3) / 0.6)
  # An odds ratio is that of yes: 20 and 40 of 100 gave (0.2 - 1/6) / (2/3) = 0.05 and 0.35.
  die <- rr_forced(c(yes = 1 / 6, no = 1 / 6))
  people <- data.frame(sex = rep(c("f", "m"), each = 100), said = rep(c("yes", "no", "yes", "no"), c(20, 80, 40, 60)))
  ratio <- (0.35 / 0.65) / (0.05 / 0.95)
  fit <- suppressWarnings(rr_glm(said ~ sex, people, die))
  expect_equal(tidy(fit, exponentiate = TRUE)$estimate[2], ratio, tolerance = 1e-6)
  # One who wants the other order names the levels.
  told(other <- rr_forced(c(yes = 0.3, no = 0.1), levels = turned))
  expect_identical(other$levels, turned)
  expect_equal(rr_matrix(other)["no", "yes"], 0.3)
})

test_that("a file of a symmetric design in that order is read as it was written", {
  path <- withr::local_tempfile(fileext = ".json")
  tally <- rr_counts(c(yes = 50, no = 60), suppressMessages(rr_forced(1 / 6, levels = turned)))
  rr_write(tally, path)
  expect_identical(rr_read(path), tally)
})
