# Numbers worked out by hand, and the promises kept by simulation or by exact binomials.

test_that("margins of error", {
  # Forced response, p = 5/6, q = 1/6: m = 1/2 at share 1/2, n = 1.96^2 / 4 / (2/3)^2 / 0.03^2 = 2400.9.
  plan <- rr_power(rr_forced(1 / 6), margin = 0.03)
  expect_equal(c(plan$n, plan$direct, plan$share), c(2401, 1068, 0.5))
  # A triangular design of q = 0.6 can only report "yes" more often: the least favourable share is 0.
  expect_equal(rr_power(rr_triangular(0.6), margin = 0.05)$share, 0)
  # Bonferroni over ten categories.
  many <- rr_power(rr_grr(10, epsilon = 2), margin = 0.02, share = 0.1, simultaneous = TRUE)
  form <- rr_law(rr_grr(10, epsilon = 2))
  m <- form$b + form$a * 0.1
  expect_equal(many$n, ceiling((stats::qnorm(1 - 0.025 / 10) / 0.02)^2 * m * (1 - m) / form$a^2))
  # For these respondents alone a direct question has no error, a randomized one less than for the population.
  sample <- rr_power(rr_forced(1 / 6), margin = 0.03, share = 0.5, target = "sample")
  expect_equal(sample$n, ceiling(stats::qnorm(0.975)^2 * (5 / 36) / (4 / 9) / 0.03^2))
})

test_that("power is the exact binomial one", {
  power <- rr_power(rr_warner(0.8), n = 500, share = 0.1)
  # Under the null yes-reports are Bin(500, 0.2), under the alternative Bin(500, 0.26).
  least <- min(which(stats::pbinom(0:500, 500, 0.2, lower.tail = FALSE) <= 0.05)) - 1
  expect_equal(power$level, stats::pbinom(least, 500, 0.2, lower.tail = FALSE))
  expect_equal(power$power, stats::pbinom(least, 500, 0.26, lower.tail = FALSE))
  expect_lte(power$level, 0.05)
  # Downwards: a share smaller than the null.
  down <- rr_power(rr_warner(0.8), n = 500, share = 0.1, null = 0.3)
  expect_lte(down$level, 0.05)
  expect_gt(down$power, 0.8)
  # p < q turns the counts round and nothing else.
  expect_equal(rr_power(rr_warner(0.2), 500, 0.1)$power, rr_power(rr_warner(0.8), 500, 0.1)$power, tolerance = 1e-12)
})

test_that("a planned test has its power", {
  for (share in c(0.05, 0.1, 0.3)) {
    plan <- rr_power(rr_warner(0.75), power = 0.9, share = share)
    expect_gte(rr_power(rr_warner(0.75), plan$n, share)$power, 0.9)
    # Near the normal approximation, at most a few per cent above.
    sd <- function(s) sqrt((0.25 + 0.5 * s) * (0.75 - 0.5 * s)) / 0.5
    normal <- ((1.644854 * sd(0) + 1.281552 * sd(share)) / share)^2
    expect_lt(plan$n, 1.05 * normal + 20)
  }
})

test_that("mechanisms are compared by their exact variances", {
  # Errata P23: N Var of a category nobody holds, K = 8, epsilon = 1.
  table <- rr_recommend(8, epsilon = 1)
  small <- stats::setNames(table$std.error^2, table$mechanism)
  expect_equal(round(small[c("subset", "grr", "oue")], 2), c(subset = 2.57, grr = 2.95, oue = 3.68))
  expect_equal(table$mechanism[1], "subset")
})

test_that("total errors are the golden ones", {
  for (case in golden("ldp_planner")) {
    table <- rr_recommend(case$input$K, case$input$epsilon, target = "sample")
    expect_golden(stats::setNames(table$mse, table$mechanism)[names(case$expected$total_mse)], unlist(case$expected$total_mse), tolerance = 1e-11)
  }
})

test_that("errors are those of the mechanisms themselves", {
  for (k in c(6, 40)) for (epsilon in c(0.5, 2, 4)) for (target in c("population", "sample")) {
    theta <- zipf_shares(k, 1)
    n <- 500
    table <- rr_recommend(k, epsilon, n, theta, target)
    made <- list(grr = rr_grr(k, epsilon = epsilon), sue = rr_unary(k, epsilon, optimized = FALSE), oue = rr_unary(k, epsilon),
                 subset = rr_subset(k, epsilon), hadamard = rr_hadamard(k, epsilon), olh = rr_local_hash(k, epsilon), blh = rr_local_hash(k, epsilon, FALSE))
    for (name in names(made)) {
      law <- rr_law(made[[name]])
      evidence <- candor:::new_evidence(law, candor:::law_expected(law, theta) * n, n, n, k)
      whole <- candor:::identity_map(k, unbiased = FALSE)
      total <- sum(candor:::law_variances(law, evidence, whole, seq_len(k), target))
      row <- table[table$mechanism == name, ]
      hashed <- name %in% c("olh", "blh")
      expect_equal(row$mse, total, tolerance = if (hashed) 0.02 else 1e-10, label = paste(name, k, epsilon, target))
      # Affine hashing is a trifle better than the ideal one that it is counted with.
      if (hashed) expect_gte(row$mse, total)
      else expect_equal(row$p, if (name == "hadamard") exp(epsilon) / made[[name]]$z else made[[name]]$p, tolerance = 1e-12)
    }
  }
  # The mean support of other categories, by the matrix.
  hadamard <- rr_hadamard(7, 3, blocks = 3)
  signs <- rr_matrix(hadamard)
  supports <- t(apply(signs, 1, function(row) row > min(row) * (1 + 1e-9)))
  both <- signs %*% t(supports)
  expect_equal(hadamard_numbers(7, 3, 3)$q, mean(both[row(both) != col(both)]), tolerance = 1e-12)
  expect_equal(hadamard_numbers(7, 3, 3)$p, both[1, 1], tolerance = 1e-12)
})

test_that("bits are those of the mathematics, longitudinal rows those of their mechanisms", {
  table <- rr_recommend(10000, 1)
  of <- function(what, names) table[[what]][match(names, table$mechanism)]
  expect_equal(ceiling(of("bits", c("grr", "hadamard", "olh", "oue", "sue"))), c(14, 14, 29, 10000, 10000))
  expect_equal(c(round(of("bits", "subset"), -2), of("bits_public", c("hadamard", "olh", "blh"))), c(8400, 1, 2, 1))

  table <- rr_recommend(20, c(0.5, 1.9), permanent = 2)
  for (i in which(!is.na(table$permanent))) {
    row <- table[i, ]
    if (row$mechanism == "local-hash") next
    m <- rr_longitudinal(20, 2, row$epsilon, row$mechanism)
    expect_equal(c(row$p, row$q), c(m$p, m$q), tolerance = 1e-12)
    expect_equal(row$lifetime, 40)
  }
  # Halving the ones does not reach 1.9.
  expect_setequal(setdiff(table$mechanism[table$epsilon == 0.5], table$mechanism[table$epsilon == 1.9]), c("oue-oue", "sue-oue"))
  expect_equal(unique(table$lifetime[table$mechanism == "local-hash"]), 2 * c(rr_local_hash(20, 0.5)$g, rr_local_hash(20, 1.9)$g))
})

test_that("planning knows reports that support sets", {
  # By hand: the count is binomial with q and p.
  m <- rr_unary(8, 1)
  table <- rr_power(list(oue = m, hadamard = rr_hadamard(8, 1, blocks = 1), bit = rr_hadamard(8, 1, one_bit = TRUE), hash = rr_local_hash(8, 1)), 3000, 0.15)
  least <- qbinom(0.05, 3000, m$q, lower.tail = FALSE)
  expect_equal(table$power[1], pbinom(least, 3000, m$q + m$p_minus_q * 0.15, lower.tail = FALSE))
  expect_equal(table$power[2], table$power[3])
  size <- rr_power(rr_subset(8, 1), margin = 0.05, share = 0.2)
  law <- rr_law(rr_subset(8, 1))
  reported <- law$q + law$difference * 0.2
  expect_equal(size$n, ceiling(qnorm(0.975)^2 * reported * (1 - reported) / (0.05 * law$difference)^2))
})

test_that("subset selection keeps its epsilon, by enumeration of all subsets", {
  k <- 6
  w <- rr_subset(k, 0.8)$size
  sets <- utils::combn(k, w)
  weight <- ifelse(colSums(sets == 1) > 0, exp(0.8), 1)
  row <- pure_mechanisms(k, 0.8)[6, ]
  expect_equal(row$p, sum(weight[colSums(sets == 1) > 0]) / sum(weight), tolerance = 1e-12)
  expect_equal(row$q, sum(weight[colSums(sets == 2) > 0]) / sum(weight), tolerance = 1e-12)
  expect_equal(row$difference, row$p - row$q, tolerance = 1e-12)
})

test_that("mechanisms are compared to all digits up to epsilon = 700", {
  for (case in golden("recommend")) {
    k <- case$input$k
    for (target in c("population", "sample")) {
      table <- rr_recommend(k, case$input$epsilon, truth = seq_len(k) / sum(seq_len(k)), target = target)
      expect_equal(table$within + 1, table$mse / min(table$mse), tolerance = 1e-12)
      table <- table[match(c("grr", "sue", "oue", "blh", "olh", "subset", "hadamard"), table$mechanism), ]
      # The file has Hadamard response with one block, the best for small epsilon only.
      same <- table$mechanism != "hadamard" | best_blocks(k, case$input$epsilon) == 1
      expect_relative <- function(actual, expected) expect_lt(max(abs(actual / expected - 1)[same]), 1e-12)
      if (!all(same)) expect_lt(table$mse[!same], case$expected[[target]][!same])
      expected <- c(p = "p", q = "q", mse = target, std.error = "std_error")
      for (column in names(expected)) expect_relative(table[[column]], case$expected[[expected[[column]]]])
    }
  }
  for (epsilon in c(1e-12, 1e-6, 350, 500, 700)) for (target in c("population", "sample")) {
    table <- rr_recommend(5, epsilon, target = target)
    expect_false(anyNA(table))
    expect_equal(min(table$within), 0)
  }
})

test_that("mechanisms are called by their names, or else by their designs, and never taken for each other", {
  plan <- rr_power(list(mild = rr_warner(0.9), rr_warner(0.7), rr_warner(0.7)), margin = 0.05)
  expect_identical(plan$mechanism, c("mild", paste0(rr_warner(0.7)$design, c("", " 1"))))
  expect_identical(plan$n[2:3], rep(rr_power(rr_warner(0.7), margin = 0.05)$n, 2))
})

test_that("bad input is refused", {
  # Power and share that are missing, and what the calculation would ignore.
  expect_refused(rr_power(rr_warner(0.7)), rr_power(rr_warner(0.7), power = 0.8), rr_power(rr_warner(0.7), power = 0.8, share = 0.1, simultaneous = TRUE),
                 rr_power(rr_warner(0.8), 100, 0.2, null = 0.1, versus = 0.1), rr_recommend(1, 1), rr_recommend(4, c(0.5, 1), permanent = 1))
  expect_refused(rr_power(rr_warner(0.5), margin = 0.1), rr_power(rr_bloom(40, 1, bits = 4, cohorts = 2), 100, 0.2), class = "no_information")
  expect_refused(rr_power(rr_warner(0.7), margin = 0.1, category = "maybe"), class = "level")
  expect_refused(rr_recommend(1025, 1, question = "ranges"), class = "too_large")
  # Nothing to detect: no number of respondents is enough.
  expect_identical(rr_power(rr_warner(0.7), power = 0.8, share = 0)$n, Inf)
  expect_identical(rr_power(rr_warner(0.7), power = 0.8, share = 0.2, versus = 0.2)$n, Inf)
})

test_that("recommendations hold their digits to both ends of the range of epsilon", {
  # The formulas of ?rr_recommend as they stand there, where e^epsilon loses nothing.
  k <- 9
  for (epsilon in c(0.5, 2, 5)) {
    e <- exp(epsilon)
    w <- max(1, round(k / (e + 1)))
    g <- max(2, round(e + 1))
    # Hadamard response in blocks is checked against its matrix, above, and projective geometry by its own vectors.
    table <- subset(rr_recommend(k, epsilon), !mechanism %in% c("hadamard", "projective"))
    expected <- rbind(grr = c(e, 1) / (e + k - 1), sue = c(exp(epsilon / 2), 1) / (exp(epsilon / 2) + 1),
                      oue = c(1 / 2, 1 / (e + 1)), blh = c(e / (e + 1), 1 / 2), olh = c(e / (e + g - 1), 1 / g),
                      subset = c(w * e / (w * e + k - w), w * ((w - 1) * e + k - w) / ((k - 1) * (w * e + k - w))))
    expect_equal(cbind(table$p, table$q), unname(expected[table$mechanism, ]), tolerance = 1e-14)
  }
  # At 700 k-ary randomized response is the direct question: the error is (1 - sum(theta^2)) / n.
  mse <- function(epsilon, n) with(rr_recommend(8, epsilon, n), stats::setNames(mse, mechanism))
  expect_equal(mse(700, 10)[["grr"]], (1 - 1 / 8) / 10, tolerance = 1e-12)
  # At 1e-12 every difference is linear in epsilon: for k-ary randomized response epsilon / k, so that q (1 - q) / (n d^2)
  # is (k - 1) / (n epsilon^2) a category.
  expect_equal(mse(1e-12, 1)[c("grr", "oue")], 8 * c(grr = 7, oue = 4) * 1e24, tolerance = 1e-11)
})

test_that("two groups: closed forms by hand", {
  # Direct questions in two equal groups: Fleiss's formula without pooling, 2 (z + z)^2 (p1 q1 + p2 q2) / (p1 - p2)^2.
  direct <- rr_binary(1, 0)
  z <- stats::qnorm(0.95) + stats::qnorm(0.8)
  plan <- rr_power(direct, power = 0.8, share = 0.3, versus = 0.2)
  expect_equal(plan$n, ceiling(2 * z^2 * (0.21 + 0.16) / 0.01))
  expect_equal(plan$direct, plan$n)
  # Warner's design of p = .8: a share s is reported with .2 + .6 s, variances are divided by .36.
  m <- 0.2 + 0.6 * c(0.3, 0.2)
  plan <- rr_power(rr_warner(0.8), power = 0.8, share = 0.3, versus = 0.2)
  expect_equal(plan$n, ceiling(2 * z^2 * sum(m * (1 - m)) / 0.36 / 0.01))
  # A quarter in the first group, which is randomized, and the rest asked directly.
  plan <- rr_power(rr_warner(0.8), margin = 0.05, share = 0.3, versus = 0.2, versus_mechanism = direct, allocation = 0.25)
  expect_equal(plan$n, ceiling(stats::qnorm(0.975)^2 * (m[1] * (1 - m[1]) / 0.36 / 0.25 + 0.16 / 0.75) / 0.05^2))
  expect_equal(plan$direct, ceiling(stats::qnorm(0.975)^2 * (0.21 / 0.25 + 0.16 / 0.75) / 0.05^2))
  # The number planned has the power asked for, and one fewer has not.
  plan <- rr_power(rr_warner(0.8), power = 0.9, share = 0.1, versus = 0.25)
  at <- rr_power(rr_warner(0.8), plan$n + c(0, -1), 0.1, versus = 0.25)$power
  expect_true(at[1] >= 0.9 && at[2] < 0.9)
})

test_that("a power has that of a direct question beside it", {
  # Nobody says yes by mistake: a test of "nobody" rejects as soon as one of 20 does.
  expect_equal(rr_power(rr_warner(0.8), 20, c(0.05, 0.1))$direct, 1 - c(0.95, 0.9)^20)
  # Two groups, of which half of the people answer: the normal approximation by hand.
  two <- rr_power(rr_warner(0.8), 200, 0.3, versus = 0.2, versus_mechanism = rr_forced(1 / 6), response_rate = 0.5)
  expect_equal(two$direct, pnorm(0.1 / sqrt(2 * (0.21 + 0.16) / 100) - qnorm(0.95)))
})

test_that("the power for two groups is that of rr_compare()'s test", {
  withr::local_seed(31)
  power <- rr_power(rr_warner(0.8), n = 1000, share = 0.3, versus = 0.15)$power
  yes <- function(share) stats::rbinom(4000, 500, 0.2 + 0.6 * share)
  x <- yes(0.3)
  y <- yes(0.15)
  # The first of them by rr_compare() itself; all by its formula.
  estimates <- function(yes) (yes / 500 - 0.2) / 0.6
  z <- (estimates(x) - estimates(y)) / sqrt((x / 500 * (1 - x / 500) + y / 500 * (1 - y / 500)) / 499 / 0.36)
  fit <- rr_estimate(rr_counts(cbind(a = c(500 - x[1], x[1]), b = c(500 - y[1], y[1])), rr_warner(0.8)), method = "inv")
  expect_equal(rr_compare(fit)$p.value, 2 * stats::pnorm(-abs(z[1])), tolerance = 1e-6)
  # 4,000 replications have a standard error of .007; the normal approximation is good to about .01 at 500 a group.
  expect_equal(mean(z > stats::qnorm(0.95)), power, tolerance = 0.03)
})

test_that("people approached are worth fewer answers", {
  plan <- function(...) as.list(rr_power(rr_warner(0.8), ...))
  margin <- c("n", "direct")
  plain <- plan(margin = 0.05)[margin]
  expect_equal(plan(margin = 0.05, design_effect = 1.5, response_rate = 0.6)[margin], lapply(plain, function(n) ceiling(n * 1.5 / 0.6)))
  test <- c("level", "power")
  half <- plan(500, 0.1)[test]
  for (worth in list(plan(1000, 0.1, response_rate = 0.5), plan(1000, 0.1, design_effect = 2))) expect_equal(worth[test], half)
  needed <- plan(power = 0.8, share = 0.1, response_rate = 0.7)$n
  expect_gte(plan(needed, 0.1, response_rate = 0.7)$power, 0.8)
  # Nobody answers: no power, no error.
  expect_identical(plan(1, 0.1, response_rate = 0.5)$power, 0)
})

# A filter of one bit for each category, a different one in every cohort: unary encoding.
test_that("RAPPOR is planned by the variance of its least squares", {
  key <- Find(function(key) !any(apply(rr_bloom(3, 1, bits = 12, hashes = 1, cohorts = 4, key = key)$places, 3, anyDuplicated)), 1:50)
  m <- rr_bloom(3, 1, bits = 12, hashes = 1, cohorts = 4, key = key)
  law <- rr_law(m)
  bits <- rr_unary(3, p = law$one, q = law$zero)
  form <- category_model(m, 2)
  for (target in c("population", "sample")) {
    expect_equal(unit_variance(form, c(0, 0.2, 1), target), unit_variance(category_model(bits, 2), c(0, 0.2, 1), target), tolerance = 1e-9)
    expect_equal(rr_power(m, margin = 0.05, target = target)$n, rr_power(bits, margin = 0.05, target = target)$n)
  }
  expect_equal(rr_power(m, 3000, 0.3, versus = 0.2)$power, rr_power(bits, 3000, 0.3, versus = 0.2)$power, tolerance = 1e-9)
  needed <- rr_power(m, power = 0.8, share = 0.1, category = 2)
  expect_gte(rr_power(m, needed$n, 0.1, category = 2)$power, 0.8)
  expect_lt(rr_power(m, floor(0.99 * needed$n), 0.1, category = 2)$power, 0.8)

  # Filters of two bits, which overlap: the least squares estimate and its covariance with whole matrices.
  m <- rr_bloom(6, 2, bits = 12, hashes = 2, cohorts = 3)
  law <- rr_law(m)
  theta <- replace(rep(0.14, 6), 4, 0.3)
  filters <- lapply(1:3, function(j) cohort_filters(law, j))
  X <- do.call(rbind, filters)
  ones <- law$zero + (law$one - law$zero) * drop(X %*% theta)
  W <- diag((law$one - law$zero)^2 / (ones * (1 - ones)))
  # Covariances of the bits of one report: given the truth they are independent.
  V <- matrix(0, 36, 36)
  for (j in 1:3) {
    at <- (j - 1) * 12 + 1:12
    given <- law$zero + (law$one - law$zero) * filters[[j]]
    both <- given %*% diag(theta) %*% t(given)
    diag(both) <- ones[at]
    V[at, at] <- 3 * (both - outer(ones[at], ones[at])) / (law$one - law$zero)^2
  }
  H <- solve(t(X) %*% W %*% X, t(X) %*% W)
  expect_equal(unit_variance(category_model(m, 4), 0.3, "population"), (H %*% V %*% t(H))[4, 4], tolerance = 1e-8)
})

test_that("mechanisms that have no formula are refused, and simulated where they have shares", {
  expect_refused(rr_power(list(rr_mean(c(0, 24), 1), rr_warner(0.8)), 100, 0.2), rr_power(rr_count_mean_sketch(1), margin = 0.1),
                 rr_power(rr_product(a = rr_warner(0.8), b = rr_warner(0.7), asked = 1), margin = 0.1), rr_power(rr_prefixes(1, 1:3), 100, 0.2),
                 rr_power(rr_hierarchy(16, 1, oracle = function(levels, epsilon) rr_bloom(levels, epsilon)), 100, 0.2),
                 rr_power(rr_channel(rbind(a = c(0.5, 0.5), b = c(0.4, 0.6), c = c(0.6, 0.4))), margin = 0.1),
                 rr_choose_method(rr_tally(c(4, 6, 5), rr_mean(c(0, 10), 1))),
                 rr_choose_method(rr_counts(c(3, 1, 2, 3, 1, 2), rr_product(a = rr_warner(0.8), b = rr_warner(0.7), asked = 1), n = 6)), class = "law")
  # The simulation that is named works for these, and is refused with a reason for the others.
  study <- function(mechanism) rr_study(list(zipf = zipf_shares(6, 1)), epsilon = 1, n = 200, method = "inv", mechanism = mechanism, replications = 3, seed = 1)
  for (with_recipe in list(rr_hierarchy, rr_bloom, function(k, epsilon) rr_square_wave(k, epsilon),
                            function(k, epsilon) rr_longitudinal(k, epsilon + 1, epsilon))) {
    found <- study(with_recipe)
    expect_true(all(is.finite(found$estimate[found$metric == "mse"])))
  }
  for (with_recipe in list(function(k, epsilon) rr_mean(c(0, k), epsilon), function(k, epsilon) rr_count_mean_sketch(epsilon, 16, 4),
                    function(k, epsilon) rr_product(a = rr_grr(k, epsilon = epsilon), asked = 1))) {
    expect_error(study(with_recipe), class = "candor_error_argument")
  }
  # Bits and hashes of two stages are planned as of one.
  expect_equal(rr_power(rr_longitudinal(8, 2, 1), 2000, 0.1)$power, rr_power(rr_unary(8, 1), 2000, 0.1)$power, tolerance = 1e-6)
})

test_that("ranges of ordered levels: the mean variance over all ranges, hierarchies among them", {
  # By brute force over all ranges.
  over_ranges <- function(covariance) {
    k <- nrow(covariance)
    ends <- which(outer(seq_len(k), seq_len(k), `<=`), arr.ind = TRUE)
    ends <- ends[!(ends[, 1] == 1 & ends[, 2] == k), ]
    mean(apply(ends, 1, function(e) sum(covariance[e[1]:e[2], e[1]:e[2]])))
  }
  table <- rr_recommend(6, 1, n = 10, question = "ranges")
  error <- stats::setNames(table$mse, table$mechanism)
  # Bits are independent given the truth; truths are drawn.
  m <- rr_unary(6, 1)
  reported <- m$q + m$p_minus_q / 6
  covariance <- matrix(-1 / 36, 6, 6)
  diag(covariance) <- reported * (1 - reported) / m$p_minus_q^2
  expect_equal(error[["oue"]], over_ranges(covariance) / 10, tolerance = 1e-7)
  # Reports of k-ary randomized response are multinomial.
  g <- rr_grr(6, epsilon = 1)
  expect_equal(error[["grr"]], over_ranges((diag(6) / 6 - 1 / 36) / g$p_minus_q^2) / 10, tolerance = 1e-7)
  expect_equal(table$within, table$mse / min(table$mse) - 1)
  # inst/mathematics/protocols.md 8.3, without truths' variance: 256 levels in units of a node's variance, 11.8 for fanout 4, 42.8 with leaves alone.
  table <- rr_recommend(256, 0.01, target = "sample", question = "ranges")
  tree <- table[table$mechanism == "hierarchy", ]
  expect_equal(tree$fanout, 4)
  node <- 4 * exp(0.01) / (exp(0.01) - 1)^2
  expect_equal(tree$mse / node, 11.8, tolerance = 0.01)
  # Subset selection has the smaller variance of a node, with the same tree.
  expect_identical(table$mechanism[1:2], c("hierarchy-subset", "hierarchy"))
  # What the package's own variances of a fit are, at a truth that is not even.
  theta <- zipf_shares(12, 1)
  table <- rr_recommend(12, 2, n = 1e6, truth = theta, question = "ranges")
  m <- rr_hierarchy(12, 2, fanout = table$fanout[table$mechanism == "hierarchy"])
  counts <- round(candor:::law_expected(rr_law(m), theta) * 1e6)
  fit <- rr_estimate(rr_counts(stats::setNames(counts, m$reports), m, n = 1e6), method = "inv")
  expect_equal(table$mse[table$mechanism == "hierarchy"], over_ranges(vcov(fit)), tolerance = 1e-4)
  m <- rr_hierarchy(12, 2, fanout = table$fanout[table$mechanism == "hierarchy-subset"], oracle = rr_subset)
  counts <- round(candor:::law_expected(rr_law(m), theta) * 1e6)
  fit <- rr_estimate(rr_counts(stats::setNames(counts, m$reports), m, n = 1e6), method = "inv")
  expect_equal(table$mse[table$mechanism == "hierarchy-subset"], over_ranges(vcov(fit)), tolerance = 1e-4)
  # No other fanout is much better than the best for independent nodes.
  table <- rr_recommend(80, 2, question = "ranges")
  for (oracle in c("hierarchy", "hierarchy-subset")) {
    made <- if (oracle == "hierarchy") rr_hadamard else rr_subset
    others <- vapply(2:10, function(fanout) candor:::range_error(rr_hierarchy(80, 2, fanout, made), rep(1 / 80, 80), 1, "population"), 0)
    expect_lt(table$mse[table$mechanism == oracle], 1.03 * min(others))
  }
  expect_identical(nrow(rr_recommend(2, 1, question = "ranges")), 8L)
  # Beyond the largest number of hash values and of shares there are fewer rows, and no error.
  expect_true(all(is.finite(rr_recommend(c(3, 20), c(30, 600), question = "ranges")$mse)))
})

test_that("means and strings are compared by their own errors", {
  # inst/mathematics/protocols.md 8.1, of numbers from -1 to 1; a quarter of it from 0 to 1.
  for (epsilon in c(0.4, 1, 3)) {
    table <- rr_recommend(epsilon = epsilon, n = 100, question = "mean")
    worst <- stats::setNames(table$mse, table$mechanism) * 400
    s <- exp(epsilon / 2)
    expect_equal(worst[["duchi"]], ((s^2 + 1) / (s^2 - 1))^2, tolerance = 1e-6)
    expect_equal(worst[["piecewise"]], 1 / (s - 1) + (s + 3) / (3 * (s - 1)^2), tolerance = 1e-6)
    # The hybrid is Duchi's protocol up to .609, and better than both above.
    expect_identical(worst[["hybrid"]] < worst[["duchi"]], epsilon > 0.61)
  }
  # Their worst cases cross at 1.28979.
  first <- function(epsilon) {
    table <- rr_recommend(epsilon = epsilon, question = "mean")
    setdiff(table$mechanism, "hybrid")[1]
  }
  expect_identical(c(first(1.2897), first(1.29)), c("duchi", "piecewise"))
  table <- rr_recommend(epsilon = 1, n = 1000, question = "strings")
  for (one_bit in c(FALSE, TRUE)) {
    sketch <- rr_count_mean_sketch(1, one_bit = one_bit)
    row <- table[table$mechanism == if (one_bit) "sketch-one-bit" else "sketch", ]
    q <- sketch$q + (sketch$p - sketch$q) / 1024
    expect_equal(row$mse, q * (1 - q) / ((sketch$p - sketch$q) * (1 - 1 / 1024))^2 / 1000)
    expect_equal(row$collisions, 1 / sqrt(256 * 1023))
  }
})

# All mechanisms whose plan is not that of a binomial count.
planned_by_moments <- function() {
  flips <- function(levels, epsilon) rr_bitflip(levels, epsilon, d = 2)
  list(rr_bitflip(10, 1, d = 3), rr_bitflip(10, 2), rr_hadamard(20, 3, blocks = 4), rr_hadamard(5, 3, blocks = 4), rr_local_hash(8, 1, cohorts = 6),
       rr_square_wave(5, 2), rr_geometric(5, epsilon = 0.7), rr_hierarchy(16, 1),
       rr_hierarchy(13, 1, fanout = 3, oracle = rr_grr), rr_hierarchy(16, 2, oracle = rr_unary),
       rr_hierarchy(16, 2, oracle = rr_subset), rr_hierarchy(16, 2, oracle = rr_local_hash), rr_hierarchy(27, 1, fanout = 3, oracle = flips))
}

test_that("planned variances are those of the estimates' own covariances, where the others are least favourable", {
  for (m in planned_by_moments()) {
    k <- length(m$levels)
    law <- rr_law(m)
    variance <- function(theta, target) {
      evidence <- new_evidence(law, 1e8 * law_expected(law, theta), 1e8, 1e8, k, m)
      1e8 * law_variances(law, evidence, identity_map(k), 2, target)
    }
    form <- category_model(m, 2)
    for (target in c("population", "sample")) {
      # All others hold one category, whichever it is, or are spread evenly.
      found <- vapply(seq_len(k)[-2], function(other) variance(replace(replace(numeric(k), 2, 0.2), other, 0.8), target), 0)
      even <- variance(replace(rep(0.8 / (k - 1), k), 2, 0.2), target)
      planned <- unit_variance(form, 0.2, target)
      expect_gte(planned * (1 + 1e-6), max(found, even))
      # Of a hierarchy a little more is planned for: the numbers at each depth are known.
      expect_lte(planned / max(found), if (inherits(m, "rr_hierarchy")) 1.03 else 1 + 1e-6)
      worst <- worst_share(form, target)
      expect_gte(unit_variance(form, worst, target) + 1e-12, max(unit_variance(form, seq(0, 1, 0.01), target)))
    }
  }
})

test_that("a category of three is planned by the mean squares of its terms, and by the study that measured them", {
  table <- rbind(c(40, 6, 4), c(5, 30, 15), c(2, 8, 70))
  dimnames(table) <- list(truth = c("a", "b", "c"), report = c("a", "b", "c"))
  channel <- table / rowSums(table)
  for (category in 1:3) {
    terms <- solve(channel)[, category]
    squares <- as.vector(channel %*% terms^2)
    model <- category_model(rr_channel(channel), category)
    expect_identical(model$k, 3L)
    # Those who hold it have the square of its own truth; the others all hold the category of the largest.
    expect_equal(unit_variance(model, 0.2, "population"), 0.2 * squares[category] + 0.8 * max(squares[-category]) - 0.2^2, tolerance = 1e-10)
    expect_equal(unit_variance(model, 0.2, "sample"), 0.2 * squares[category] + 0.8 * max(squares[-category]) - 0.2, tolerance = 1e-10)
    expect_equal(model$turn, (squares[category] - max(squares[-category])) / 2, tolerance = 1e-10)
    expect_null(model$study)
    # A row of the study is a multinomial count of `rowSums(table)`; the mean of the terms of a row is 1 or 0.
    noise <- (squares - (1:3 == category)) / as.vector(rowSums(table))
    measured <- category_model(rr_misclassification(table = table), category)
    expect_equal(unname(measured$study), c(noise[category], max(noise[-category])), tolerance = 1e-10)
    expect_equal(study_variance(measured, 0.3), 0.3^2 * noise[category] + 0.7^2 * max(noise[-category]), tolerance = 1e-10)
  }
})

test_that("tests of means over reports have the planned power", {
  withr::local_seed(13)
  for (m in planned_by_moments()[c(1, 2, 3, 6, 8)]) {
    k <- length(m$levels)
    moments <- law_second_moments(rr_law(m), k, as.double(seq_len(k) == 2))
    truth <- replace(replace(numeric(k), 2, 0.3), which.max(replace(moments, 2, 0)), 0.7)
    n <- rr_power(m, power = 0.8, share = 0.3, null = 0.1, category = 2)$n
    expect_gte(rr_power(m, n, 0.3, null = 0.1, category = 2)$power, 0.8)
    expect_lt(rr_power(m, floor(0.99 * n), 0.3, null = 0.1, category = 2)$power, 0.8)
    error <- sqrt(unit_variance(category_model(m, 2), 0.1, "population") / n)
    # Surveys are groups of one tally. 400 of them: a standard error of .02, and 4 of them.
    reports <- rr_perturb(m$levels[sample(k, 400 * n, TRUE, truth)], m, rng = "R")
    estimates <- coef(rr_estimate(rr_tally(reports, m, by = rep(1:400, each = n)), method = "inv"))[k * (1:400 - 1) + 2]
    expect_equal(mean(estimates - 0.1 > qnorm(0.95) * error), 0.8, tolerance = 0.1)
  }
})

test_that("the margin of a mean is in the unit of its answers, and holds for the worst of these", {
  # Duchi's reports are plus or minus c: of answers half at each end the mean of n has the variance c^2 / n.
  c2 <- 1 / tanh(0.5)^2
  duchi <- rr_mean(c(0, 24), 1, "duchi")
  expect_equal(rr_power(duchi, margin = 0.5)$n, ceiling(qnorm(0.975)^2 * 12^2 * c2 / 0.5^2))
  expect_equal(rr_power(duchi, margin = 0.5)$direct, ceiling(qnorm(0.975)^2 * 12^2 / 0.5^2))
  expect_equal(rr_power(duchi, margin = 0.5, response_rate = 0.5)$n, 2 * rr_power(duchi, margin = 0.5)$n)
  n <- rr_power(rr_mean(c(0, 24), 2), margin = c(1, 2))$n
  expect_equal(n[1] / n[2], 4, tolerance = 0.02)
})

# ---- coefficients, means and differences ----

test_that("the power of a coefficient follows from the expected information by hand", {
  # A binary covariate, half of the people each: the variance of the log odds ratio is the sum of those of two groups.
  die <- rr_forced(1 / 6)
  truth <- stats::plogis(c(-1, -0.2))
  report <- 1 / 6 + truth * 2 / 3
  variance <- sum(2 * report * (1 - report) / (2 / 3 * truth * (1 - truth))^2)
  plan <- rr_power(die, n = 2000, model = ~x, data = data.frame(x = 0:1), coefficients = c(-1, 0.8))
  expect_equal(plan$power, stats::pnorm(0.8 / sqrt(variance / 2000) - stats::qnorm(0.95)))
  direct <- sum(2 / (truth * (1 - truth)))
  expect_equal(plan$direct, stats::pnorm(0.8 / sqrt(direct / 2000) - stats::qnorm(0.95)))
  expect_identical(c(plan$term, plan$coefficient), c("x", "0.8"))
  needed <- rr_power(die, power = 0.9, model = ~x, data = data.frame(x = 0:1), coefficients = c(x = 0.8, `(Intercept)` = -1))
  expect_equal(needed$n, ceiling(variance * ((stats::qnorm(0.95) + stats::qnorm(0.9)) / 0.8)^2))
  # A design matrix, another coefficient, a margin and a design effect.
  x <- cbind(constant = 1, group = 0:1)
  by_matrix <- rr_power(die, margin = 0.3, model = x, coefficients = c(-1, 0.8), term = "constant", design_effect = 1.5)
  first <- 2 * report[1] * (1 - report[1]) / (2 / 3 * truth[1] * (1 - truth[1]))^2
  expect_equal(by_matrix$n, ceiling(1.5 * ceiling(stats::qnorm(0.975)^2 * first / 0.3^2)))
  # Of several mechanisms, with an offset and another link, as the information of a fit at the truth.
  age <- data.frame(age = seq(-2, 2, 0.1), known = rep_len(c(0, 0.3), 41))
  two <- list(warner = rr_warner(0.8), crosswise = rr_crosswise(0.3))
  plan <- rr_power(two, n = 500, model = ~ age + offset(known), data = age, coefficients = c(0.2, 0.3), link = "probit", null = 0.1)
  eta <- 0.2 + 0.3 * age$age + age$known
  for (i in 1:2) {
    p <- c(0.8, 0.3)[i]
    report <- 1 - p + (2 * p - 1) * stats::pnorm(eta)
    information <- crossprod(cbind(1, age$age) * (2 * p - 1) * stats::dnorm(eta) / sqrt(report * (1 - report))) / 41
    expect_equal(plan$power[i], stats::pnorm(0.2 / sqrt(solve(information)[2, 2] / 500) - stats::qnorm(0.95)))
  }
  expect_refused(rr_power(die, 500, model = x, coefficients = 0.8), rr_power(die, 500, 0.3, model = x, coefficients = c(-1, 0.8)))
})

test_that("the planned power of a coefficient is that of simulated surveys", {
  die <- rr_forced(1 / 6)
  design <- data.frame(age = seq(-1.5, 1.5, length.out = 1500))
  planned <- rr_power(die, n = 1500, model = ~age, data = design, coefficients = c(-0.5, 0.24))$power
  eta <- -0.5 + 0.24 * design$age
  withr::local_seed(15)
  found <- replicate(150, {
    survey <- transform(design, y = stats::rbinom(1500, 1, 1 / 6 + 2 / 3 * stats::plogis(eta)))
    fit <- stats::coef(summary(quietly(rr_glm(y ~ age, survey, die, starts = 1))))
    fit[2, 3] > stats::qnorm(0.95)
  })
  expect_gt(planned, 0.7)
  expect_lt(planned, 0.9)
  # 150 surveys: three standard errors are 0.1.
  expect_lte(abs(mean(found) - planned), 3 * sqrt(planned * (1 - planned) / 150))
})

test_that("means of scrambled numbers: tests, differences, and margins at a known truth", {
  cards <- rr_scramble(c(0, 60), multiply = c(0.5, 1, 1.5), add = c(0, 5, 10))
  # Var(score) = v0 + v2 (sd^2 + mean^2) + sd^2, v0 = 50 / 3, v2 = 1 / 6: math-scramble, (2).
  unit <- function(mean, sd) 50 / 3 + (sd^2 + mean^2) / 6 + sd^2
  z <- stats::qnorm(0.95)
  plan <- rr_power(cards, n = 400, share = c(15, 16), sd = 8, null = 14)
  expect_equal(plan$power, stats::pnorm((c(15, 16) - 14) / sqrt(unit(c(15, 16), 8) / 400) - z))
  expect_equal(plan$direct, stats::pnorm((c(15, 16) - 14) / sqrt(64 / 400) - z))
  expect_identical(plan$mean, c(15, 16))
  expect_equal(rr_power(cards, power = 0.8, share = 16, sd = 8, null = 14)$n, ceiling(unit(16, 8) * ((z + stats::qnorm(0.8)) / 2)^2))
  expect_equal(rr_power(cards, margin = 0.5, share = 15, sd = 8)$n, ceiling(stats::qnorm(0.975)^2 * unit(15, 8) / 0.25))
  # These respondents alone: v0 + v2 (sd^2 + mean^2).
  expect_equal(rr_power(cards, margin = 0.5, share = 15, sd = 8, target = "sample")$n, ceiling(stats::qnorm(0.975)^2 * (50 / 3 + (225 + 64) / 6) / 0.25))
  # Without sd the largest that a mean allows, (15 - 0)(60 - 15); without a mean the largest of all.
  expect_equal(rr_power(cards, margin = 1, share = 15)$n, rr_power(cards, margin = 1, share = 15, sd = sqrt(15 * 45))$n)
  worst <- rr_power(cards, margin = 1)
  means <- seq(0, 60, 0.01)
  expect_equal(worst$n, ceiling(stats::qnorm(0.975)^2 * max(unit(means, sqrt(means * (60 - means))))), tolerance = 1e-6)
  expect_identical(worst$mean, NA_real_)
  # Two groups, the second asked directly; and an effective number of respondents.
  shown <- suppressWarnings(rr_scramble(c(0, 60)))
  two <- rr_power(cards, n = 900, share = 16, versus = 14, sd = 8, versus_mechanism = shown, allocation = 2 / 3, design_effect = 1.5)
  expect_equal(two$power, stats::pnorm(2 / sqrt(unit(16, 8) / 400 + 64 / 200) - z))
  expect_refused(rr_power(cards, n = 400, share = 15, sd = 40, null = 14), rr_power(cards, n = 400, share = 70, null = 14))
  # Duchi's protocol: the score is plus or minus c on the scale from -1 to 1, whatever the spread of the truth.
  c2 <- 12^2 / tanh(0.5)^2
  expect_equal(rr_power(rr_mean(c(0, 24), 1, "duchi"), n = 500, share = 9, sd = 2, null = 8)$power, stats::pnorm(1 / sqrt((c2 - 9) / 500) - z))
  # Simulated: 400 tallies, three standard errors.
  planned <- rr_power(cards, n = 400, share = 16, sd = 8, null = 14.5)$power
  withr::local_seed(16)
  found <- replicate(400, {
    s <- rr_score(rr_perturb(sample(c(8, 24), 400, TRUE), cards, rng = "R"), cards)
    (mean(s) - 14.5) / sqrt(stats::var(s) / 400) > z
  })
  expect_lte(abs(mean(found) - planned), 3 * sqrt(planned * (1 - planned) / 400))
})

test_that("a difference of shares with a design effect is that of the effective number of respondents", {
  error <- function(n) sqrt(2 * (0.38 * 0.62 + 0.32 * 0.68) / 0.36 / n)
  plan <- rr_power(rr_warner(0.8), n = 3000, share = 0.3, versus = 0.2, design_effect = 1.5)
  expect_equal(plan$power, stats::pnorm(0.1 / error(2000) - stats::qnorm(0.95)))
  expect_equal(rr_power(rr_warner(0.8), margin = 0.06, share = 0.3, versus = 0.2, design_effect = 1.5)$n,
               ceiling(1.5 * ceiling((stats::qnorm(0.975) * error(1) / 0.06)^2)))
  expect_error(rr_power(rr_warner(0.8), n = 3000, share = 0.3, versus = 0.2, deff = 1.5), class = "candor_error_argument")
})

test_that("designs for a survey are ranked by the standard error of the prevalence, with their devices", {
  table <- rr_recommend(epsilon = 1.5, n = 1000, truth = 0.1, question = "survey")
  expect_setequal(table$mechanism, c("warner", "crosswise", "forced"))
  expect_false(is.unsorted(table$mse))
  expect_true(all(table$privacy <= 1.5))
  # Each by hand from the probabilities of its reports.
  report <- table$q + 0.1 * (table$p - table$q)
  expect_equal(table$std.error, sqrt(report * (1 - report) / 1000) / abs(table$p - table$q))
  expect_equal(table$privacy, log(pmax(table$p / table$q, (1 - table$q) / (1 - table$p), table$q / table$p, (1 - table$p) / (1 - table$q))))
  expect_setequal(table$device[table$mechanism == "crosswise"], rr_device("crosswise", 1.5, 1000, 0.1)$device)
  expect_error(rr_recommend(2, epsilon = 1, question = "survey"), class = "candor_error_argument")
})

test_that("the print of a plan has long names of mechanisms whole", {
  unnamed <- rr_power(list(rr_warner(0.75), rr_forced(1 / 6)), n = 100, share = 0.1)
  shown <- gsub("\n#? *", " ", paste(capture.output(print(unnamed)), collapse = "\n"))
  for (name in unique(unnamed$mechanism)) expect_match(shown, name, fixed = TRUE)
  expect_no_match(capture.output(print(rr_power(list(warner = rr_warner(0.75)), n = 100, share = 0.1))), "Mechanisms")
})

test_that("designs with and without the probability of a negative estimate are rows of one plan", {
  designs <- list(die = rr_forced(1 / 5), deck = rr_dealt(3, cards = 15))
  plan <- rr_power(designs, margin = 0.02, share = c(0.02, 0.05))
  die <- plan[plan$mechanism == "die", ]
  # An estimate is below 0 if fewer than q n of n reports say yes, each with probability q + (p - q) share.
  q <- 1 / 5
  yes <- q + (1 - 2 * q) * die$share
  expect_equal(die$negative, pbinom(ceiling(q * die$n) - 1, die$n, yes))
  expect_identical(is.na(plan$negative), plan$mechanism == "deck")
  expect_identical(plan$n[plan$mechanism == "deck"], rr_power(designs$deck, margin = 0.02, share = c(0.02, 0.05))$n)
})

test_that("the standard error at a known share, and the probability of a negative estimate, are those of the vectors", {
  for (case in Filter(function(case) case$input$op == "negative", golden("doors_small"))) {
    design <- rr_grr(case$input$k, p = case$input$p)
    for (target in c("population", "sample")) {
      plan <- rr_power(design, n = case$input$n, share = case$input$share, null = 0.5, target = target)
      expect_golden(plan$std.error, case$expected[[paste0("se_", target)]])
      expect_golden(plan$negative, case$expected[[paste0("negative_", target)]])
    }
  }
})

test_that("estimates below 0 are counted right on both sides of chance, by all reports of five respondents", {
  for (design in list(rr_warner(0.8), rr_warner(0.2), rr_binary(0.9, 0.3))) {
    channel <- rr_matrix(design)
    estimate <- function(yes) (yes / 5 - channel[1, 2]) / (channel[2, 2] - channel[1, 2])
    p_yes <- 0.7 * channel[1, 2] + 0.3 * channel[2, 2]
    below <- sum(dbinom(0:5, 5, p_yes)[estimate(0:5) < -1e-12])
    expect_equal(rr_power(design, n = 5, share = 0.3)$negative, below, tolerance = 1e-12)
  }
})

test_that("the plan of a union is Theorem 3 for the least favourable sets", {
  plan <- rr_power(list(rr_warner(epsilon = 1), rr_warner(epsilon = 3)), n = c(50, 400), sets = c(1, 3), share = c(0, 0.1))
  expect_identical(nrow(plan), 16L)
  expect_named(plan, c("mechanism", "epsilon", "sets", "share", "n", "std.error", "margin"))
  for (i in seq_len(nrow(plan))) {
    q <- plogis(-plan$epsilon[i])
    # A set has no more than a union: its elements are in one set each.
    truth <- matrix(0, plan$n[i], plan$sets[i])
    truth[seq_len(plan$share[i] * plan$n[i]), 1] <- 1
    exact <- tidy(rr_set_size(truth, q, plan = TRUE))
    expect_equal(plan$std.error[i], exact$std.error, tolerance = 1e-12)
    expect_equal(plan$margin[i], stats::qnorm(0.975) * exact$std.error, tolerance = 1e-12)
  }
  # No other sets with this union have a larger error: every number of sets for each of 5 elements of 50.
  worst <- plan$std.error[plan$n == 50 & plan$sets == 3 & plan$share == 0.1 & plan$epsilon == 3]
  for (holders in 1:3) {
    truth <- matrix(0, 50, 3)
    truth[1:5, seq_len(holders)] <- 1
    expect_lte(tidy(rr_set_size(truth, plogis(-3), plan = TRUE))$std.error, worst * (1 + 1e-12))
  }
  # By default the sets are empty, which is least favourable: the vignette's 20,000 cards and 4 libraries, sqrt(20000 ((1 + v)^4 - 1)).
  v <- plogis(-3) * plogis(3) / (1 - 2 * plogis(-3))^2
  expect_equal(rr_power(rr_warner(epsilon = 3), n = 20000, sets = 4)$std.error, sqrt(20000 * ((1 + v)^4 - 1)), tolerance = 1e-12)
  expect_equal(rr_power(rr_warner(0.2), n = 10, sets = 2)$margin, rr_power(rr_warner(0.8), n = 10, sets = 2)$margin, tolerance = 1e-12)
  expect_refused(rr_power(rr_warner(0.8), margin = 0.1, sets = 2), rr_power(rr_warner(0.8), n = 10, sets = 1.5), rr_power(rr_warner(0.8), n = 10.5, sets = 2),
                 rr_power(rr_warner(0.8), n = 10, sets = 2, null = 0.1), rr_power(rr_forced(1 / 6), n = 10, sets = 2, target = "sample"),
                 rr_power(rr_binary(0.8, 0.1), n = 10, sets = 2), rr_power(rr_grr(3, epsilon = 1), n = 10, sets = 2))
  expect_error(rr_power(rr_warner(0.5), n = 10, sets = 2), class = "candor_error_no_information")
  skip_if_not_installed("ggplot2")
  expect_equal(sort(ggplot2::layer_data(ggplot2::autoplot(plan), 1)$y), sort(log10(plan$margin)))
})

test_that("the error of inversion is of order K^2 / N, with the limit of the vectors", {
  for (case in Filter(function(case) case$input$op == "limit_mse", golden("doors_small"))) {
    for (i in seq_along(case$input$k)) {
      k <- case$input$k[i]
      one <- rr_power(rr_grr(k, epsilon = case$input$epsilon), n = 1, share = 1 / k, null = 0.5, target = "sample", category = 1)
      expect_golden(k * one$std.error^2 / k^2, case$expected$n_mse_over_k2_sample[i], 1e-9)
    }
    expect_equal(case$expected$limit, 1 / expm1(case$input$epsilon)^2)
  }
})

test_that("arguments that a plan does not use are refused, each kind of plan its own", {
  die <- rr_forced(1 / 6)
  data <- data.frame(x = 0:1)
  expect_refused(rr_power(die, margin = 0.1, null = 0.1), rr_power(die, margin = 0.1, alpha = 0.1), rr_power(die, 100, 0.2, conf.level = 0.9),
    rr_power(die, 100, 0.2, simultaneous = FALSE),
                 rr_power(die, 100, 0.2, sd = 1), rr_power(die, 100, 0.2, versus_mechanism = die), rr_power(die, 100, 0.2, allocation = 0.5),
                   rr_power(die, 100, 0.2, data = data),
                 rr_power(die, 100, 0.2, coefficients = 1), rr_power(die, 100, 0.2, term = "x"), rr_power(die, 100, 0.2, link = "logit"),
                   rr_power(die, 100, 0.2, power = 0.8),
                 rr_power(die, 100, model = ~ x, data = data, coefficients = c(0, 1), versus = 0.2),
                   rr_power(die, 100, model = ~ x, data = data, coefficients = c(0, 1), target = "sample"),
                 rr_power(rr_mean(c(0, 1), 1), margin = 0.1, category = 1), rr_power(rr_mean(c(0, 1), 1), margin = 0.1, sd = 0.1), rr_power(die, 100))
  expect_identical(nrow(rr_power(die, margin = 0.1, conf.level = 0.9, simultaneous = TRUE)), 1L)
  expect_identical(nrow(rr_power(die, 100, 0.3, versus = 0.2, allocation = 0.5)), 1L)
})

test_that("each number of a plan at the ends of its range", {
  die <- rr_forced(1 / 6)
  expect_refused(rr_power(die, margin = 1), rr_power(die, margin = 0), rr_power(die, power = 1, share = 0.2), rr_power(die, power = 0, share = 0.2),
    rr_power(die, 0.5, 0.2),
                 rr_power(die, 100, 1.1), rr_power(die, 100, 0.2, null = -0.1), rr_power(die, 100, 0.2, alpha = 0),
                   rr_power(die, 100, 0.2, versus = 0.1, allocation = 0),
                 rr_power(die, 100, 0.2, versus = 0.1, allocation = 1), rr_power(die, 100, 0.2, response_rate = 0),
                   rr_power(die, 100, 0.2, response_rate = 1.1),
                 rr_power(die, 100, 0.2, design_effect = 0.99), rr_power(rr_mean(c(0, 24), 1), margin = 24),
                   rr_power(rr_mean(c(0, 24), 1), margin = 0.5, share = 9, sd = -1),
                 rr_power(list(), 100, 0.2), rr_power(list(1), 100, 0.2))
  expect_identical(check_open(c(1e-9, 1 - 1e-9), "x"), c(1e-9, 1 - 1e-9))
  expect_identical(rr_power(rr_mean(c(0, 24), 1), margin = 23.9)$margin, 23.9)
  expect_identical(answers_worth(0.6, 1.5), 0.6 / 1.5)
  expect_identical(answers_worth(1, 1), 1)
  grr <- rr_grr(c("a", "b", "c"), 1)
  expect_identical(c(category_position(grr, NULL), category_position(grr, "a"), category_position(grr, 2)), c(3, 1, 2))
  for (bad in list("d", 0, 4, 1.5, NA, c(1, 2), TRUE)) expect_error(category_position(grr, bad), class = "candor_error_level")
  expect_error(rr_power(grr, 100, c(a = 0.2)), class = "candor_error_mismatch")
  expect_identical(nrow(rr_power(grr, 100, c(a = 0.2), category = "a")), 1L)
  # A standard deviation that a mean allows: sqrt(9 * 15) at 9 from 0 to 24.
  most <- sqrt(9 * 15)
  expect_identical(nrow(rr_power(rr_mean(c(0, 24), 1), margin = 0.5, share = 9, sd = most)), 1L)
  expect_refused(rr_power(rr_mean(c(0, 24), 1), margin = 0.5, share = 9, sd = most * 1.001))
})

test_that("level and power of exact tests in either direction, with the standard errors of the plan", {
  for (design in list(rr_warner(0.8), rr_warner(0.25))) {
    channel <- rr_matrix(design)
    m <- function(share) (1 - share) * channel[1, 2] + share * channel[2, 2]
    for (case in list(c(0.1, 0.3), c(0.3, 0.1))) {
      plan <- rr_power(design, 40, case[2], null = case[1])
      # All counts as unlikely under the null in the direction of the alternative.
      larger <- m(case[2]) > m(case[1])
      tail <- vapply(0:40, function(count) if (larger) pbinom(count - 1, 40, m(case[1]), lower.tail = FALSE) else pbinom(count, 40, m(case[1])), 0)
      rejected <- which(tail <= 0.05) - 1
      expect_equal(plan$level, sum(dbinom(rejected, 40, m(case[1]))), tolerance = 1e-12)
      expect_equal(plan$power, sum(dbinom(rejected, 40, m(case[2]))), tolerance = 1e-12)
      expect_equal(plan$std.error, sqrt(m(case[2]) * (1 - m(case[2])) / 40) / abs(channel[2, 2] - channel[1, 2]), tolerance = 1e-12)
    }
  }
  # The first number with enough power, and none below within a thousandth.
  n <- rr_power(rr_warner(0.8), power = 0.8, share = 0.4, null = 0.1)$n
  expect_gte(rr_power(rr_warner(0.8), n, 0.4, null = 0.1)$power, 0.8)
  expect_identical(test_power(list(a = 0.6, b = 0.2), 0.5, 0.3, 0.1, 0.05, NULL), c(0, 0))
  expect_identical(negative_probability(list(variance = 1), c(0.1, 0.2), 10, "population"), c(NA_real_, NA_real_))
  expect_identical(negative_probability(list(a = 0.6, b = 0.2), 0.1, c(Inf, 0.5), "population"), NA_real_[c(1, 1)])
  # Half of a person is none: floor of n times the worth.
  expect_identical(rr_power(rr_warner(0.8), 7, 0.3, response_rate = 0.5)$std.error, rr_power(rr_warner(0.8), 3, 0.3)$std.error)
})

test_that("a study of the channel leaves an error that no number of respondents removes", {
  names <- c("no", "yes")
  table <- matrix(c(45, 6, 5, 34), 2, dimnames = list(truth = names, report = names))
  measured <- rr_misclassification(table = table)
  p <- table / rowSums(table)
  # theta = (m - q) / (p - q): its derivatives in q and p, with binomial errors of the rows.
  q <- p["no", "yes"]
  s <- p["yes", "yes"]
  noise <- function(share) ((1 - share) / (s - q))^2 * q * (1 - q) / 50 + (share / (s - q))^2 * s * (1 - s) / 40
  model <- category_model(measured, NULL)
  expect_equal(study_variance(model, 0.3), noise(0.3), tolerance = 1e-10)
  m <- q + 0.3 * (s - q)
  expect_equal(unit_variance(model, 0.3, "population"), m * (1 - m) / (s - q)^2, tolerance = 1e-10)
  plan <- rr_power(measured, n = 500, share = 0.3, null = 0.1)
  expect_equal(plan$std.error, sqrt(m * (1 - m) / (s - q)^2 / 500 + noise(0.3)), tolerance = 1e-10)
  # Both groups share the study's error, which is then that of the slope alone.
  expect_equal(study_variance(model, 0.3, list(share = 0.1, first = 0.5)), 0.2^2 * sum(model$study), tolerance = 1e-12)
  other <- category_model(rr_misclassification(table = 2 * table), NULL)
  expect_equal(study_variance(model, 0.3, list(share = 0.1, first = 0.5, model = other)), noise(0.3) + noise(0.1) / 2, tolerance = 1e-10)
  floor <- qnorm(0.975) * sqrt(noise(0.3))
  expect_message(none <- rr_power(measured, margin = floor * 0.999, share = 0.3), class = "candor_message_floor")
  expect_identical(none$n, Inf)
  enough <- rr_power(measured, margin = 2 * floor, share = 0.3)
  expect_equal(enough$n, ceiling(qnorm(0.975)^2 * m * (1 - m) / (s - q)^2 / (4 * floor^2 - floor^2)))
  expect_refused(rr_power(measured, margin = 0.2), rr_power(measured, 100, model = ~ 1, data = data.frame(x = 1), coefficients = 0.2))
})

test_that("a deck is planned by the cards that ask, numbers that are all alike by the randomization alone", {
  deck <- rr_dealt(c(no = 2, yes = 2), cards = 10)
  z <- stats::qnorm(0.975)
  # 6 of 10 respondents are asked: they are drawn from the population, or without replacement from the 10.
  expect_equal(rr_power(deck, margin = 0.05, share = 0.3)$n, ceiling(z^2 * 0.3 * 0.7 * 10 / 6 / 0.05^2))
  expect_equal(rr_power(deck, margin = 0.05)$n, ceiling(z^2 * 0.25 * 10 / 6 / 0.05^2))
  expect_equal(rr_power(deck, margin = 0.05, share = 0.3, target = "sample")$n, ceiling(z^2 * 0.3 * 0.7 * 10 * (4 / 9) / 6 / 0.05^2))
  # A report of Duchi's mechanism is one of two numbers, of mean 9 or 24 here.
  duchi <- rr_mean(c(0, 24), 1, "duchi")
  square <- (12 * (exp(1) + 1) / (exp(1) - 1))^2
  expect_equal(rr_power(duchi, margin = 0.5, share = 9, sd = 0)$n, ceiling(z^2 * (square - 9) / 0.5^2))
  expect_equal(rr_power(duchi, margin = 0.5, share = 24)$n, ceiling(z^2 * (square - 144) / 0.5^2))
  # Truths that are all 9 have no variance of their own.
  expect_equal(rr_power(duchi, margin = 0.5, share = 9, sd = 0, target = "sample")$n, ceiling(z^2 * (square - 9) / 0.5^2))
})

test_that("two groups of whom nobody answers have no power, and a power below the level needs one person in each", {
  two <- function(...) rr_power(rr_warner(0.8), share = 0.3, versus = 0.2, ...)
  expect_identical(two(1, response_rate = 0.5)$power, 0)
  expect_identical(two(power = 0.01)$n, 2)
})

test_that("one answer is a test, and estimates below 0 have a column in plans of one share alone", {
  # A yes by mistake has 0.04: it rejects "nobody", with 0.5 if half of the truths are yes.
  one <- rr_power(rr_warner(0.96), 1, 0.5)
  expect_equal(c(one$level, one$power, one$negative), c(0.04, 0.5, 0.5))
  expect_true("negative" %in% names(rr_power(rr_warner(0.8), margin = 0.1)))
  expect_false("negative" %in% names(rr_power(rr_warner(0.8), 100, 0.3, versus = 0.2)))
  expect_false("negative" %in% names(rr_power(rr_mean(c(0, 24), 1), margin = 1)))
  expect_refused(rr_power(rr_warner(0.8), 100.5, 0.2), rr_power(rr_warner(0.8), 100, 0.2, versus = -0.1),
                 rr_power(rr_warner(0.8), 100, model = ~x, data = data.frame(x = 0:1), coefficients = c(NA, 0.5)))
})

test_that("the number for a power is the first that has it, and there is none if a study leaves too large an error", {
  for (power in c(0.7, 0.75, 0.8, 0.85, 0.9, 0.95)) {
    n <- rr_power(rr_warner(0.8), power = power, share = 0.3)$n
    at <- rr_power(rr_warner(0.8), n - 0:1, 0.3)$power
    expect_true(at[1] >= power && at[2] < power)
  }
  names <- c("no", "yes")
  measured <- rr_misclassification(table = matrix(c(90, 10, 8, 72), 2, byrow = TRUE, dimnames = list(truth = names, report = names)))
  # P(yes report) is 0.1 + 0.8 share; a study of 90 + 10 and 8 + 72 people has the errors 0.1 0.9 / 100 and 0.1 0.9 / 80.
  study <- c(0.09 / 80, 0.09 / 100) / 0.64
  unit <- function(share) (0.1 + 0.8 * share) * (0.9 - 0.8 * share) / 0.64
  noise <- function(share) sum(c(share, 1 - share)^2 * study)
  z <- stats::qnorm(0.95)
  # Two groups have the study in common: its error is that of the slope, 0.2^2 times both.
  both <- (z + stats::qnorm(0.8))^2
  plan <- rr_power(measured, power = 0.8, share = 0.3, versus = 0.1)
  expect_equal(plan$n, ceiling(both * 2 * (unit(0.3) + unit(0.1)) / (0.04 - both * 0.04 * sum(study))))
  # One group of any number: the error of the study alone, under either truth.
  limit <- function(share) stats::pnorm((share - 0.1 - z * sqrt(noise(0.1))) / sqrt(noise(share)))
  expect_identical(rr_power(measured, power = limit(0.2) + 1e-6, share = 0.2, null = 0.1)$n, Inf)
  n <- rr_power(measured, power = 0.5, share = 0.2, null = 0.1)$n
  power <- function(n) stats::pnorm((0.1 - z * sqrt(unit(0.1) / n + noise(0.1))) / sqrt(unit(0.2) / n + noise(0.2)))
  expect_true(power(n) >= 0.5 && power(n - 1) < 0.5)
})

test_that("margins are below the range of every mean, and those of coefficients have no bound", {
  means <- list(narrow = rr_mean(c(0, 10), 1, "duchi"), wide = rr_mean(c(0, 24), 1, "duchi"))
  expect_refused(rr_power(means, margin = 10), rr_power(rev(means), margin = 10), rr_power(rr_warner(0.8), margin = 1))
  expect_identical(rr_power(means, margin = 9.9)$margin, c(9.9, 9.9))
  coefficient <- rr_power(rr_forced(1 / 6), margin = c(3, 30), model = ~x, data = data.frame(x = 0:1), coefficients = c(-1, 0.8))
  expect_identical(coefficient$margin, c(3, 30))
})

test_that("the estimate of one respondent is below 0 if the report is the one that others give", {
  # Warner's design of 0.8 at a share of 0.3: yes with probability 0.2 + 0.6 * 0.3. For the sample nobody in one holds it.
  expect_equal(rr_power(rr_warner(0.8), n = 1, share = 0.3)$negative, 1 - 0.38)
  expect_equal(rr_power(rr_warner(0.8), n = 1, share = 0.3, target = "sample")$negative, 0.8)
  expect_equal(rr_power(rr_warner(0.8), n = 1, share = 0.7, target = "sample")$negative, 0.2)
})

test_that("the number of respondents is the first with enough exact power from the normal approximation on", {
  for (case in list(c(0.3, 0.1, 0.8), c(0.4, 0, 0.9), c(0.1, 0.45, 0.7), c(0.5, 0.35, 0.85))) {
    yes <- 0.2 + 0.6 * case[2:1]
    sd <- sqrt(yes * (1 - yes))
    power <- function(n) {
      rejected <- if (yes[2] > yes[1]) pbinom(0:n - 1, n, yes[1], lower.tail = FALSE) <= 0.05 else pbinom(0:n, n, yes[1]) <= 0.05
      sum(dbinom(0:n, n, yes[2])[rejected])
    }
    n <- ceiling(((qnorm(0.95) * sd[1] + qnorm(case[3]) * sd[2]) / diff(yes))^2)
    while (power(n) < case[3]) n <- n + 1
    expect_identical(rr_power(rr_warner(0.8), power = case[3], share = case[1], null = case[2])$n, n)
  }
  # A direct yes to a question that nobody answers so by mistake is enough; two groups have one respondent each.
  expect_identical(rr_power(rr_binary(1, 0), power = 0.5, share = 0.9)$n, 1)
  expect_identical(rr_power(rr_warner(0.8), power = 0.01, share = 0.3, versus = 0.2)$n, 2)
})

test_that("a power that the study of a channel rules out needs an infinite number of respondents", {
  names <- c("no", "yes")
  measured <- rr_misclassification(table = matrix(c(45, 6, 5, 34), 2, dimnames = list(truth = names, report = names)))
  model <- category_model(measured, NULL)
  z <- (0.3 - 0.2 - qnorm(0.95) * sqrt(study_variance(model, 0.2))) / sqrt(study_variance(model, 0.3))
  possible <- pnorm(z)
  expect_identical(rr_power(measured, power = possible + 0.001, share = 0.3, null = 0.2)$n, Inf)
  expect_true(is.finite(rr_power(measured, power = possible - 0.01, share = 0.3, null = 0.2)$n))
})
