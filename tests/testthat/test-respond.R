# Truth from elsewhere: the matrix of each mechanism, naive R versions of the kernels fed with the same
# words, and closed forms.
#
# Chi-square tests under rng = "R" have fixed seeds. Those under rng = "secure" cannot: each rejects a correct
# sampler with probability 1e-9.

mechanisms <- list(
  grr = rr_grr(c("a", "b", "c", "d"), epsilon = 1),
  grr_p = rr_grr(c("a", "b", "c", "d"), p = 0.7),
  grr_least = rr_grr(5, p = 0.05),
  grr_never = rr_grr(3, p = 0),
  direct = rr_grr(3, p = 1),
  noise = rr_grr(4, p = 0.25),
  warner = rr_warner(0.7),
  warner_epsilon = rr_warner(epsilon = 1),
  crosswise = rr_crosswise(0.25),
  triangular = rr_triangular(0.4),
  kuk = rr_kuk(0.2, 0.8),
  mangat = rr_warner(0.7, t = 0.3),
  forced = rr_forced(c(never = 0.1, once = 0.05, often = 0.2)),
  forced_zero = rr_forced(c(0.3, 0, 0.1)),
  unrelated = rr_unrelated(0.6, c(0.5, 0.2, 0.2, 0.1))
)

# Upper tail probability of the reports' chi-square statistic under the mechanism, over all truths.
fit_to_matrix <- function(mechanism, rng, n = 1e5) {
  rows <- unname(rr_matrix(mechanism))
  statistic <- df <- 0
  for (x in seq_len(nrow(rows))) {
    count <- tabulate(rr_perturb(factor(rep(mechanism$levels[x], n), mechanism$levels), mechanism, rng = rng), ncol(rows))
    expected <- n * rows[x, ]
    if (any(count[expected == 0] > 0)) return(0)
    seen <- expected > 0
    statistic <- statistic + sum((count[seen] - expected[seen])^2 / expected[seen])
    df <- df + sum(seen) - 1
  }
  if (df == 0) 1 else pchisq(statistic, df, lower.tail = FALSE)
}

test_that("reports follow the mechanism's matrix", {
  set.seed(20261121)
  for (name in names(mechanisms)) {
    expect_gt(fit_to_matrix(mechanisms[[name]], "R"), 1e-4, label = paste(name, "with R's generator"))
    expect_gt(fit_to_matrix(mechanisms[[name]], "secure"), 1e-9, label = paste(name, "with the secure generator"))
  }
})

test_that("neighbouring reports do not depend on each other", {
  # 1e-9 again: pairs of consecutive reports of one truth
  mechanism <- rr_grr(3, epsilon = 1)
  reports <- rr_perturb(rep(2L, 2e5), mechanism)
  pairs <- table(reports[c(TRUE, FALSE)], reports[c(FALSE, TRUE)])
  expect_gt(chisq.test(pairs)$p.value, 1e-9)
})

# 32-bit words as the glue composes them from R's generator.
words <- function(n) {
  u <- matrix(floor(runif(2 * n) * 65536), 2)
  u[1, ] * 65536 + u[2, ]
}

test_that("the kernels agree with naive versions on the same words", {
  x <- rep_len(1:5, 900) # less than a chunk, so that the words come in one piece
  for (p in c(0.2 + 2^-20, 0.5, 0.9, 0.05)) {
    mechanism <- rr_grr(5, p = p)
    set.seed(1)
    reports <- rr_perturb(x, mechanism, rng = "R")
    set.seed(1)
    keep <- if (p > 0.2) (5 * p - 1) / 4 else p
    replaced <- which(words(900) >= floor(keep * 2^32))
    expected <- x
    if (p > 0.2) {
      expected[replaced] <- floor(words(length(replaced)) * 5 / 2^32) + 1
    } else {
      others <- floor(words(length(replaced)) * 4 / 2^32) + 1
      expected[replaced] <- others + (others >= x[replaced])
    }
    expect_identical(reports, as.integer(expected))
  }
  set.seed(2)
  reports <- rr_perturb(x > 2, rr_kuk(0.8, 0.3), rng = "R")
  set.seed(2)
  expect_identical(reports, words(900) < floor(ifelse(x > 2, 0.8, 0.3) * 2^32))
})

test_that("R's generator is used when asked for, and only then", {
  mechanism <- rr_grr(10, epsilon = 1)
  x <- rep_len(1:10, 5000)
  set.seed(1)
  first <- rr_perturb(x, mechanism, rng = "R")
  after <- runif(1)
  set.seed(1)
  expect_identical(rr_perturb(x, mechanism, rng = "R"), first)
  expect_identical(runif(1), after)
  expect_false(identical(rr_perturb(x, mechanism, rng = "R"), first))

  set.seed(1)
  before <- .Random.seed
  secure <- rr_perturb(x, mechanism)
  expect_identical(.Random.seed, before)
  set.seed(1)
  # 5000 reports of 10 categories agree by chance with probability far below 1e-300
  expect_false(identical(rr_perturb(x, mechanism), secure))
})

test_that("every kind of R's generator serves", {
  old <- RNGkind()
  on.exit(RNGkind(old[1], old[2], old[3]))
  for (kind in c("Wichmann-Hill", "Marsaglia-Multicarry", "Super-Duper", "Knuth-TAOCP-2002", "L'Ecuyer-CMRG")) {
    suppressWarnings(set.seed(3, kind = kind)) # R itself warns of the poor ones
    expect_gt(fit_to_matrix(rr_grr(4, epsilon = 1), "R", n = 2e4), 1e-4, label = kind)
  }
})

test_that("an interrupted run never draws the same numbers again", {
  skip_on_os("windows") # time limits are checked elsewhere there
  x <- rep_len(1:4, 2e7)
  # Where a limit strikes is up to the machine: limits grow until one has struck while numbers were drawn.
  interrupted <- function(limit, ...) {
    on.exit(setTimeLimit())
    tryCatch({
      setTimeLimit(elapsed = limit, transient = TRUE)
      rr_perturb(x, rr_grr(4, epsilon = 1), ...)
      "finished"
    }, error = function(e) {
      setTimeLimit()
      conditionMessage(e)
    })
  }
  moved <- FALSE
  for (limit in rep(0.02 * 1.3^(0:15), 3)) {
    set.seed(1)
    before <- .Random.seed
    outcome <- interrupted(limit, rng = "R")
    moved <- grepl("time limit", outcome) && !identical(.Random.seed, before)
    if (moved) break
  }
  expect_true(moved)
  expect_match(interrupted(0.02), "time limit")
})

test_that("reports are of the type of the answers", {
  labels <- c("a", "b", "c")
  mechanism <- rr_grr(labels, p = 1)
  f <- factor(c("c", "a", "a"), labels)
  for (x in list(c(x = "b", y = "a"), c(3L, 1L), c(3, 1), f, factor(f, labels, ordered = TRUE), setNames(f, c("i", "j", "k")), integer(), character(),
                 factor(character(), labels))) expect_identical(rr_perturb(x, mechanism), x)
  for (x in list(factor(f, rev(labels)), droplevels(f))) expect_identical(rr_perturb(x, mechanism), f)
  for (x in list(c(TRUE, FALSE), c(0L, 1L), c(0, 1), c("no", "yes"))) expect_identical(rr_perturb(x, rr_warner(1)), x)
  for (case in list(list(0:9, 0:9), list(c(-3, -1), -3:0), list(c(2.5, 10), c(0, 2.5, 10)), list(c(20L, 0L), c(0, 10, 20)))) {
    expect_identical(rr_perturb(case[[1]], rr_grr(case[[2]], p = 1)), case[[1]])
  }
  # and what comes out goes into a tally
  mechanism <- rr_grr(labels, epsilon = 1)
  for (x in list(f, c("a", "c"), c(1L, 3L), c(2, 2))) expect_equal(sum(rr_tally(rr_perturb(x, mechanism), mechanism)$counts), length(x))
})

test_that("the achieved epsilon is never above the nominal one, and hardly below", {
  for (epsilon in c(1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1, 2, 5, 10, 20, 30)) {
    for (mechanism in list(rr_grr(2, epsilon), rr_grr(41270, epsilon), rr_warner(epsilon = epsilon))) {
      achieved <- rr_epsilon(mechanism, achieved = TRUE)
      expect_lte(achieved, rr_epsilon(mechanism))
      # one step of 2^-64 in the probability of the truth, or of an other answer
      k <- length(mechanism$levels)
      step <- 2^-63 * (k + exp(epsilon)) * max(1, (1 + exp(epsilon) / k))
      expect_gte(achieved, epsilon * (1 - 1e-14) - step)
    }
  }
  for (epsilon in c(50, 300, 700)) {
    achieved <- rr_epsilon(rr_grr(10, epsilon), achieved = TRUE)
    expect_equal(achieved, 64 * log(2) + log(10), tolerance = 1e-12) # one step of 2^-64 of noise is left
  }
  for (name in names(mechanisms)) {
    mechanism <- mechanisms[[name]]
    achieved <- rr_epsilon(mechanism, achieved = TRUE)
    # these doubles are their own nominal values; log() rounds on both sides
    expect_lte(achieved, rr_epsilon(mechanism) * (1 + 1e-15), label = name)
    expect_equal(achieved, rr_epsilon(mechanism), tolerance = 1e-13, label = name)
  }
})

test_that("achieved probabilities are the nominal ones to the grid", {
  for (name in names(mechanisms)) {
    mechanism <- mechanisms[[name]]
    form <- achieved(mechanism)
    k <- length(mechanism$levels)
    expect_equal(matrix(rep(rep_len(form$b, k), each = k), k) + diag(form$a, k), unname(rr_matrix(mechanism)), tolerance = 1e-14, label = name)
  }
  expect_identical(achieved(rr_warner(0.75))[c("a", "b")], list(a = 0.5, b = c(0.25, 0.25)))
})

test_that("a mechanism with nothing but a matrix is drawn from its rows", {
  rows <- rbind(c(0.7, 0.2, 0.1, 0), c(0.1, 0.5, 0.2, 0.2), c(0.25, 0.25, 0.25, 0.25))
  plan <- list(kind = "channel", numbers = as.double(rows))
  set.seed(4)
  x <- rep(1:3, each = 1e5)
  reports <- .Call(C_rr_perturb, x, 1L, c(3, 4), plan_kind(plan), plan$numbers, 1L)$reports
  counts <- table(x, factor(reports, 1:4))
  expected <- rows * 1e5
  expect_identical(counts[1, 4], 0L, ignore_attr = TRUE)
  statistic <- sum(((counts - expected)^2 / expected)[expected > 0])
  expect_gt(pchisq(statistic, 8, lower.tail = FALSE), 1e-4)
  achieved <- .Call(C_rr_achieved, c(3, 4), plan_kind(plan), plan$numbers)
  expect_equal(matrix(achieved$numbers, 3), rows, tolerance = 1e-15)
  expect_identical(achieved$epsilon, Inf)
})

test_that("a failure of the operating system's entropy is an error, never a fallback", {
  entropy$source <- "none"
  on.exit(entropy$source <- "secure")
  set.seed(1)
  before <- .Random.seed
  expect_error(rr_perturb(1:3, rr_grr(3, epsilon = 1)), class = "candor_error_entropy")
  expect_error(rr_perturb(TRUE, rr_warner(0.7)), class = "candor_error")
  expect_identical(.Random.seed, before)
  expect_length(rr_perturb(1:3, rr_grr(3, epsilon = 1), rng = "R"), 3)
})

test_that("bad answers are refused", {
  mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
  for (bad in list(c("never", "twice"), factor(c("never", "twice")), c(1L, 4L), 1:0, "x")) expect_error(rr_perturb(bad, mechanism), class = "candor_error")
  expect_refused(rr_perturb(c("never", NA, "once"), mechanism), rr_perturb(NA_character_, mechanism), class = "missing")
})

test_that("a hand-made .Call errors and never crashes", {
  good <- list(1:3, 1L, c(3, 3), 0L, c(0.5, 0.25, 0.25), 0L)
  call <- function(at = 1, with = good[[1]]) {
    arguments <- good
    arguments[[at]] <- with
    do.call(.Call, c(list(C_rr_perturb), unname(arguments)))
  }
  expect_length(call()$reports, 3)
  # The number of the argument, and what it is instead.
  bad <- list(list(1, c(1, 2)), list(1, "a"), list(2, 1:2), list(2, 1.5), list(3, 3), list(3, c(NaN, 3)), list(3, c(3, 2^40)), list(3, c(-1, 0)), list(4, 9L),
              list(4, NA_integer_), list(4, 1L), list(4, 4L), list(5, c(0.5, 0.25)), list(5, c(NaN, 0.25, 0.25)), list(5, c(1.5, 0.25, 0.25)), list(5, 1:3),
              list(6, 3L), list(6, "secure"))
  for (arguments in bad) expect_error(do.call(call, arguments))
  for (first in c(NA, .Machine$integer.max)) expect_identical(call(2, first)$position, 1)
  expect_identical(call(1, c(1L, NA, 9L))[c("reports", "position")], list(reports = NULL, position = 2))
  channel <- function(sizes, numbers) .Call(C_rr_perturb, 1L, 1L, sizes, 4L, numbers, 0L)
  expect_error(channel(c(2, 2), c(0.5, 0.5, 0.5, 0.4)), "range")
  expect_error(channel(c(1, 2), c(NA, 0.5)), "NaN")
  expect_error(channel(c(2^31 - 1, 2^31 - 1), 1), "large")
  expect_error(.Call(C_rr_perturb, 1L, 1L, c(2^31 - 1, 1), 3L, 1, 0L), "numbers")
})

test_that("a bad answer leaves R's generator as it was, wherever it stands", {
  m <- rr_grr(c("a", "b", "c"), p = 0.6)
  two <- rr_product(first = m, second = rr_grr(3, p = 0))
  good <- rep("a", 5000)
  bad <- list(c(good, NA), c(good, "z"), structure(c(rep(1L, 5000), 9L), levels = m$levels, class = "factor"),
              c(rep(1L, 1025), 4L), c(rep(1, 1025), 2.5), c(NA, good))
  set.seed(1)
  before <- .Random.seed
  for (x in bad) {
    expect_error(rr_perturb(x, m, rng = "R"), class = "candor_error")
    expect_error(rr_perturb(data.frame(second = 1L, first = x), two, rng = "R"), class = "candor_error")
    expect_error(rr_perturb(data.frame(first = "a", second = c(rep(1L, 1024), NA)), two, rng = "R"), class = "candor_error_missing")
  }
  # Nor does a question that cannot be drawn from, after one that can
  wide <- rr_compose(rr_grr(10001, p = 0), rr_forced(c(0.1, rep(0, 10000)), levels = 10001))
  expect_error(rr_perturb(data.frame(a = "a", b = 1L), rr_product(a = m, b = wide), rng = "R"), class = "candor_error")
  expect_identical(.Random.seed, before)
})

test_that("p < q needs no matrix, with any number of categories", {
  # Few categories: the product of the matrices, as fit_to_matrix() asks
  set.seed(11)
  for (composed in list(rr_compose(rr_grr(4, p = 0), rr_grr(4, epsilon = 1)),
                        rr_compose(rr_grr(3, p = 0.9), rr_grr(3, p = 0.1)),
                        rr_compose(rr_grr(3, p = 0), rr_grr(3, p = 1)))) {
    expect_gt(fit_to_matrix(composed, "R"), 1e-4)
    expect_lte(achieved(composed)$epsilon, rr_epsilon(composed)[["report"]] * (1 + 1e-15))
  }
  # Many: P(y | x) = b + a 1{x = y}, so that the truth is told with probability p and all others are alike
  k <- 20000
  many <- rr_compose(rr_grr(k, p = 0), rr_grr(k, epsilon = 12))
  second <- rr_grr(k, epsilon = 12)
  p <- second$q # what is not the truth comes back to it with q
  truth <- rep(7L, 2e5)
  reports <- rr_perturb(truth, many, rng = "R")
  expect_lt(abs(sum(reports == 7) - 2e5 * p), 4.5 * sqrt(2e5 * p) + 1)
  others <- tabulate((reports[reports != 7] - 1) %/% 1000 + 1, 20)
  expected <- length(reports) * (1 - p) * c(999, rep(1000, 19)) / 19999
  expect_gt(pchisq(sum((others - expected)^2 / expected), 19, lower.tail = FALSE), 1e-4)
  expect_length(rr_perturb(1:5, rr_compose(rr_grr(k, p = 0), rr_grr(k, epsilon = 1))), 5)
  # A vector of b with a < 0 has no such form
  wide <- rr_compose(rr_grr(10001, p = 0), rr_forced(c(0.1, rep(0, 10000)), levels = 10001))
  expect_error(rr_perturb(1L, wide), class = "candor_error")
})

test_that("a bootstrap of these respondents needs no matrix either", {
  k <- 20000
  set.seed(12)
  fit <- rr_estimate(rr_counts(rep(2, k), rr_grr(k, p = 0)), target = "sample", method = "inv", interval = "bootstrap", replications = 20)
  # Mean and variance of a share under p = 0: Var = N q (1 - q) over (N (p - q))^2 for each category that has its share.
  q <- 1 / (k - 1)
  n <- 2 * k
  expected <- (n - 2) * q * (1 - q) / (n * q)^2
  variances <- apply(fit$replicates[[1]], 1, var)
  expect_lt(abs(mean(variances) / expected - 1), 4.5 * sqrt(2 / (19 * k)) + 0.02)
  expect_identical(colSums(simulate(fit, 3, seed = 1)[-1]), c(sim_1 = n, sim_2 = n, sim_3 = n))
})

test_that("a memory of another mechanism is told from a memory of others", {
  memory <- rr_perturb(1:2, rr_longitudinal(3, 2, 1), memory = list())$memory
  expect_error(rr_perturb(1:2, rr_longitudinal(4, 2, 1), memory = memory), "another mechanism", class = "candor_error_mismatch")
  expect_error(rr_perturb(1:3, rr_longitudinal(3, 2, 1), memory = memory), "2 respondents", class = "candor_error_mismatch")
})

test_that("a formula is no category", {
  expect_refused(rr_epsilon(rr_grr(3, 1), sensitive = ~ a), rr_grr(3, 1, sensitive = ~ a), class = "level")
})

test_that("a memory is as long as its respondents are many, and so are its parts", {
  set.seed(9)
  m <- rr_bloom(3, 1, permanent = 3)
  memory <- rr_perturb(rep(1:3, 4), m, rng = "R", memory = list())$memory
  expect_identical(length(memory), 12L)
  expect_identical(length(memory[c(2, 5, 12)]), 3L)
  expect_identical(length(memory[-1]), 11L)
  expect_identical(length(c(memory, memory[1:2])), 14L)
  expect_refused(memory[13], memory[c(1, 1)], memory[c(TRUE, FALSE)], memory[NA_integer_], memory["1"], memory[0.5])
})

test_that("numbers beyond integers are levels if the mechanism has them, and else none", {
  expect_identical(rr_perturb(c(3e9, 0.5), rr_grr(c(0.5, 3e9), p = 1)), c(3e9, 0.5))
  for (x in list(3e9, -3e9, Inf, 1.5)) expect_refused(rr_perturb(x, rr_grr(3, 1)), class = "level")
  expect_refused(rr_perturb(1, rr_grr(c("a", "1", "2"), 1)))
  expect_refused(rr_perturb(data.frame(a = "no", id = 1), rr_product(a = rr_warner(0.8)), keep = c("id", "id")))
})

test_that("columns that are no questions stay out unless they are named, and stand before the reports", {
  two <- rr_product(b = rr_grr(c("x", "y"), p = 1), a = rr_warner(1))
  truth <- data.frame(id = c(7L, 9L), a = c("yes", "no"), note = c("u", "v"), b = c("y", "x"))
  expect_message(kept <- rr_perturb(truth, two, keep = c("note", "id")), class = "candor_message_keep")
  expect_identical(kept, data.frame(note = c("u", "v"), id = c(7L, 9L), b = c("y", "x"), a = c("yes", "no")))
  expect_message(bare <- rr_perturb(truth, two), class = "candor_message_keep")
  expect_identical(bare, kept[c("b", "a")])
  expect_no_message(rr_perturb(truth[c("a", "b")], two))
  expect_message(rr_perturb(truth[c("a", "b", "id")], two, keep = "id"), class = "candor_message_keep")
  expect_identical(rr_perturb(as.matrix(truth[c("a", "b")]), two), bare)
  expect_refused(rr_perturb(truth, two, keep = "a"), rr_perturb(truth, two, keep = "nothing"), rr_perturb(truth, two, keep = TRUE),
                 rr_perturb(truth["a"], two), rr_perturb("yes", rr_warner(1), keep = "id"), rr_perturb(rr_warner(1), "yes"),
                 rr_perturb("yes", rr_warner(1), memory = list()))
})

test_that("a questionnaire with a permanent answer warns that it is lost, others do not", {
  kept <- rr_longitudinal(c("a", "b"), 2, 1)
  truth <- data.frame(q = c("a", "b"), w = c("no", "yes"))
  expect_warning(rr_perturb(truth, rr_product(q = kept, w = rr_warner(0.8)), rng = "R"), class = "candor_warning_memory")
  expect_no_warning(rr_perturb(truth, rr_product(q = rr_grr(c("a", "b"), 1), w = rr_warner(0.8)), rng = "R"))
})

test_that("memory for a bit of each category is asked for before anything is drawn", {
  asked <- function(answers, mechanism) stop(structure(class = c("asked", "error", "condition"), list(message = "")))
  expect_error(with_calls(draw_bit_reports, check_report_memory = asked)(1L, rr_unary(3, 1), "R"), class = "asked")
})

test_that("bits that another package draws are a logical matrix with a row for each answer and a column for each level", {
  drawn <- function(bits) {
    m <- rr_new_mechanism("drawn", c("a", "b", "c"), epsilon = 1, design = "Bits", p = 0.6, q = 0.4, bits = TRUE,
                          law = rr_new_law("support", 0.6, 0.4), draw = function(mechanism, answers, rng) bits)
    rr_perturb(c("a", "c"), m)
  }
  bits <- rbind(c(TRUE, FALSE, TRUE), c(FALSE, FALSE, TRUE))
  expect_identical(as.matrix(drawn(bits)) == 1, bits)
  expect_refused(drawn(bits * 1), drawn(bits[, 1:2]), drawn(bits[1, , drop = FALSE]), drawn(replace(bits, 1, NA)), drawn(as.vector(bits)), class = NULL)
})

test_that("answers outside of a range are refused as levels, missing ones as missing", {
  wave <- rr_square_wave(c(0, 1, 2.5), 1)
  for (m in list(rr_mean(c(0, 2.5), 1), wave)) {
    expect_error(rr_perturb(c(1, 2.6), m), class = "candor_error_level")
    expect_error(rr_perturb(c(1, NA, 3), m), class = "candor_error_missing")
  }
})
