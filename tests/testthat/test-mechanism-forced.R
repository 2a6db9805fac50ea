# Forced response, the unrelated question and designs with an unknown parameter: matrices, epsilon and edges by hand.

test_that("forced response tells the truth with what is left, and epsilon is that of the rarest forced answer", {
  b <- c(a = 0.1, b = 0.25, c = 0.15)
  m <- rr_forced(b)
  expect_equal(rr_matrix(m), 0.5 * diag(3) + matrix(b, 3, 3, byrow = TRUE), ignore_attr = TRUE)
  expect_equal(rr_epsilon(m)[[1]], log(0.6 / 0.1))
  # By names, whatever the order of the levels.
  expect_equal(rr_matrix(rr_forced(b, levels = c("c", "a", "b"))), 0.5 * diag(3) + matrix(b[c(3, 1, 2)], 3, 3, byrow = TRUE), ignore_attr = TRUE)
  # One number for each answer; epsilon fixes it: (1 - k f + f) / f = e^epsilon.
  expect_equal(rr_matrix(rr_forced(0.2, levels = 4)), 0.2 * diag(4) + 0.2, ignore_attr = TRUE)
  m <- rr_forced(epsilon = log(5), levels = 3)
  expect_equal(rr_matrix(m), (1 + 4 * diag(3)) / 7, ignore_attr = TRUE)
  expect_equal(dimnames(rr_matrix(rr_forced(epsilon = log(5))))[[1]], c("no", "yes"))
  expect_identical(rr_forced(c(yes = 0.1, no = 0.3))$levels, c("no", "yes"))
  expect_equal(rr_forced(c(yes = 0.1, no = 0.3))$innocuous, c(0.3, 0.1))
  # The device dictates all: a sum above 1 by roundings is 1, and no more than 1e-12.
  expect_message(all <- rr_forced(c(0.5, 0.5 + 0.5e-12)), class = "candor_message_forced")
  expect_equal(c(all$truth, sum(all$innocuous), all$epsilon), c(0, 1, 0))
  expect_no_message(rr_forced(c(0.5, 0.4999)))
  expect_error(rr_forced(c(0.5, 0.5 + 2e-12)), class = "candor_error_argument")
  expect_error(rr_forced(), class = "candor_error_argument")
  expect_error(rr_forced(0.2, epsilon = 1), class = "candor_error_argument")
  expect_error(rr_forced(c(yes = 0.2)), class = "candor_error_argument")
  expect_error(rr_forced(yes = 0.2), class = "candor_error_argument")
  expect_error(rr_forced(c(0.1, 0.2), levels = 3), class = "candor_error_argument")
  expect_no_error(rr_forced(0.25))
})

test_that("the unrelated question has the truth with p, else the innocuous shares", {
  pi <- c(a = 0.5, b = 0.2, c = 0.3)
  m <- rr_unrelated(0.7, pi)
  expect_equal(rr_matrix(m), 0.7 * diag(3) + 0.3 * matrix(pi, 3, 3, byrow = TRUE), ignore_attr = TRUE)
  expect_equal(rr_epsilon(m)[[1]], log(1 + 0.7 / 0.06))
  # The share of yes, or of no by its name.
  expect_equal(rr_unrelated(0.6, 0.2)$innocuous, 0.4 * c(0.8, 0.2))
  expect_equal(rr_unrelated(0.6, c(no = 0.2))$innocuous, 0.4 * c(0.2, 0.8))
  expect_equal(rr_unrelated(0.6, c(yes = 0.2))$innocuous, 0.4 * c(0.8, 0.2))
  # Without names, labels must say which is yes, unless the shares are even.
  expect_error(rr_unrelated(0.6, 0.2, levels = c("yes", "no")), class = "candor_error_argument")
  expect_equal(rr_unrelated(0.6, 0.5)$innocuous, c(0.2, 0.2))
  # p from epsilon: the rarest innocuous answer has the ratio e^epsilon.
  m <- rr_unrelated(pi = pi, epsilon = 1.3)
  C <- rr_matrix(m)
  expect_equal(log(max(C[2, 2] / C[1, 2])), 1.3)
  expect_equal(rr_epsilon(m)[[1]], 1.3)
  expect_error(rr_unrelated(0.6, c(0.5, 0.5 + 2e-8)), class = "candor_error_argument")
  expect_equal(sum(rr_unrelated(0.6, c(0.5, 0.5 + 0.5e-8))$innocuous), 0.4)
  expect_error(rr_unrelated(0.6, 0.2, epsilon = 1), class = "candor_error_argument")
})

test_that("designs with an unknown parameter: classes, what is a share of what, and P(yes) as lines of the parameter", {
  known <- function(m, C, parameters) {
    expect_equal(rr_matrix(m), C, ignore_attr = TRUE)
    expect_identical(m$parameters, parameters)
  }
  lie <- rr_lie_detector(0.7)
  known(lie, rbind(c(0.7, 0.3), c(0, 1), c(1, 0)), list(yes = list(2:3, 1:3), honesty = list(2, 2:3)))
  cheat <- rr_cheater_detection(0.3, 0.1)
  known(cheat, rbind(c(0.7, 0.3), c(0.1, 0.9), c(1, 0)), list(yes = list(2, 1:3), cheating = list(3, 1:3)))
  unrelated <- rr_unrelated(0.7, pi = NULL)
  known(unrelated, rbind(c(1, 0), c(0.7, 0.3), c(0.3, 0.7), c(0, 1)), list(yes = list(3:4, 1:4), innocuous = list(c(2, 4), 1:4)))
  # P(yes) of respondents with yes is p0 + p1 t, of those with no q0 + q1 t; classes for a share of yes and a parameter t.
  shares <- list(
    lie = function(yes, t) c(1 - yes, yes * t, yes * (1 - t)),
    cheat = function(yes, t) c(1 - yes - t, yes, t),
    unrelated = function(yes, t) c((1 - yes) * (1 - t), (1 - yes) * t, yes * (1 - t), yes * t)
  )
  designs <- list(lie = lie, cheat = cheat, unrelated = unrelated)
  for (name in names(designs)) {
    lines <- as.list(designs[[name]]$lines)
    for (yes in c(0.2, 0.5)) for (t in c(0.1, 0.3)) {
      p_yes <- drop(shares[[name]](yes, t) %*% rr_matrix(designs[[name]]))[[2]]
      expect_equal(yes * (lines$p0 + lines$p1 * t) + (1 - yes) * (lines$q0 + lines$q1 * t), p_yes)
    }
  }
  expect_identical(lie$levels, c("no", "yes, admitted", "yes, denied"))
  expect_identical(cheat$levels, c("no", "yes", "cheating"))
  expect_error(rr_cheater_detection(0.7, 0.31), class = "candor_error_argument")
  expect_no_error(rr_cheater_detection(0.5, 0.5))
  # Nobody is forced to say no by default, and three answers without names are numbered.
  expect_equal(rr_matrix(rr_cheater_detection(0.3)), rbind(c(0.7, 0.3), c(0, 1), c(1, 0)), ignore_attr = TRUE)
  expect_identical(rr_forced(c(0.1, 0.1, 0.2))$levels, c("1", "2", "3"))
  for (f in list(function(l) rr_lie_detector(0.7, l), function(l) rr_cheater_detection(0.3, levels = l))) {
    expect_error(f(c("yes", "no")), class = "candor_error_argument")
    expect_error(f(c("a", "b", "c")), class = "candor_error_argument")
  }
})
