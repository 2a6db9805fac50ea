digits <- function(x, prime) x %/% prime^(0:6) %% prime

test_that("fields are those of the golden vectors", {
  for (case in Filter(function(case) case$input$op == "field", golden("next_block"))) {
    s <- case$input$s
    prime <- prime_base(s)
    modulus <- least_irreducible(prime, round(log(s, prime)))
    expect_identical(sum(modulus * prime^(seq_along(modulus) - 1)), as.double(case$expected$modulus))
    field <- finite_field(s, prime)
    product <- function(a, b) field$power[(field$logarithm[a + 1] + field$logarithm[b + 1]) %% (s - 1) + 1]
    expect_identical(product(case$input$pairs[, 1], case$input$pairs[, 2]), as.integer(case$expected$products))
    sums <- apply(case$input$pairs, 1, function(pair) sum((digits(pair[1], prime) + digits(pair[2], prime)) %% prime * prime^(0:6)))
    expect_identical(sums, as.double(case$expected$sums))
  }
})

test_that("each power of a generator is given once, and logarithms undo powers", {
  for (s in c(2, 3, 4, 5, 7, 8, 9, 16, 25, 27, 32, 49, 101)) {
    field <- finite_field(s, prime_base(s))
    expect_identical(sort(field$power), seq_len(s - 1))
    expect_identical(field$logarithm[field$power + 1], seq_len(s - 1) - 1L)
  }
  expect_identical(prime_base(c(2, 6, 8, 12, 49, 97, 100, 121)), c(2, NA, 2, NA, 7, 97, NA, 11))
})

test_that("the plan is the golden one", {
  for (case in Filter(function(case) case$input$op == "plan", golden("next_block"))) {
    m <- rr_projective(case$input$K, case$input$epsilon)
    want <- case$expected
    expect_identical(c(m$order, m$coordinates, m$points), as.double(c(want$s, want$t, want$v)))
    expect_golden(c(m$p, m$q, m$p_minus_q, m$q * (1 - m$q) / m$p_minus_q^2),
                  c(want$p, want$q, want$difference, want$n_variance_at_0), 1e-9)
    # The size of least variance of a share of 0, near the default size, which is of least total variance.
    sizes <- rr_subset(case$input$K, case$input$epsilon)$size
    subset <- vapply(max(1, sizes - 2):min(case$input$K - 1, sizes + 2), function(size) {
      one <- subset_numbers(case$input$K, case$input$epsilon, size)
      one$q * (1 - one$q) / one$difference^2
    }, 0)
    expect_golden(m$q * (1 - m$q) / m$p_minus_q^2 / min(subset), want$over_subset, 1e-9)
  }
})

test_that("supports, estimates and covariances are the golden ones", {
  for (case in Filter(function(case) case$input$op == "design", golden("next_block"))) {
    input <- case$input
    m <- rr_projective(input$K, input$epsilon, order = input$s)
    matrix <- rr_matrix(m)
    expect_equal(rowSums(matrix), rep(1, input$K), ignore_attr = TRUE)
    expect_equal(max(log(apply(matrix, 2, max) / apply(matrix, 2, min))), input$epsilon)
    sets <- lapply(seq_len(ncol(matrix)), function(u) which(matrix[, u] > 1.0001 * min(matrix)))
    want <- case$expected$supports
    if (is.matrix(want)) want <- lapply(seq_len(nrow(want)), function(u) want[u, ])
    expect_identical(lapply(sets, unname), lapply(want, as.integer))
    tally <- rr_counts(input$counts, m)
    expect_golden(binomial_counts(rr_law(m), group_evidence(tally, 1))$counts, case$expected$support_counts, 0)
    expect_golden(coef(rr_estimate(tally, method = "inv")), case$expected$inv, 1e-9)
    exact <- rr_estimate(rr_counts(1e6 * drop(input$theta %*% matrix), m, effective_n = 1e6), method = "inv")
    expect_golden(vcov(exact, target = "population") * (1e6 - 1), case$expected$n_vcov_population, 1e-9)
    expect_golden(vcov(exact, target = "sample") * 1e6, case$expected$n_vcov_sample, 1e-9)
    expect_equal(tidy(exact)$std.error, unname(sqrt(diag(vcov(exact)))))
  }
})

test_that("two coordinates are found if they have the least variance, and are a design", {
  # A line over the field of q: each of q + 1 reports supports one category, which with K < q + 1 is
  # k-ary randomized response of q + 1 reports: p = E / (E + q), q = 1 / (E + q).
  least <- c("100" = 101, "20" = 19, "5000" = 4999, "60" = 59, "5" = 4)
  for (case in list(c(100, 4), c(20, 3), c(5000, 8), c(60, 5), c(5, 1))) {
    m <- rr_projective(case[1], case[2])
    order <- least[[as.character(case[1])]]
    expect_identical(c(m$order, m$coordinates, m$points), c(order, 2, order + 1))
    total <- exp(case[2]) + order
    expect_equal(c(m$p, m$q, m$p_minus_q), c(exp(case[2]), 1, expm1(case[2])) / total, tolerance = 1e-14)
    if (case[1] > 100) next
    C <- unclass(rr_matrix(m))
    expect_equal(rowSums(C), rep(1, case[1]), ignore_attr = TRUE)
    expect_equal(max(log(apply(C, 2, max) / apply(C, 2, min))), case[2])
    supports <- C > 1.0001 * min(C)
    expect_true(all(rowSums(supports) == 1, crossprod(t(supports)) == diag(case[1])))
    expect_equal(rowSums(C * supports), rep(m$p, case[1]), ignore_attr = TRUE)
    others <- C %*% t(supports)
    expect_equal(others[row(others) != col(others)], rep(m$q, case[1] * (case[1] - 1)))
  }
  # No other order has less variance: all prime powers, of which a space of any number of coordinates has K points.
  for (case in list(c(100, 4), c(100, 2), c(40, 3.5), c(300, 5), c(12, 0.7))) {
    orders <- Filter(function(s) !is.na(prime_base(s)), 2:(2 * case[1]))
    variance <- vapply(orders, function(s) {
      t <- 2
      while ((s^t - 1) / (s - 1) < case[1]) t <- t + 1
      points <- (s^(t - 0:2) - 1) / (s - 1)
      total <- points[2] * exp(case[2]) + points[1] - points[2]
      q <- (points[3] * exp(case[2]) + points[2] - points[3]) / total
      q * (1 - q) / (points[2] * exp(case[2]) / total - q)^2
    }, 0)
    m <- rr_projective(case[1], case[2])
    expect_equal(m$q * (1 - m$q) / m$p_minus_q^2, min(variance), tolerance = 1e-12)
  }
  m <- rr_projective(100, 4)
  subset <- vapply(1:6, function(size) {
    one <- subset_numbers(100, 4, size)
    one$q * (1 - one$q) / one$difference^2
  }, 0)
  expect_lt(m$q * (1 - m$q) / m$p_minus_q^2 / min(subset), 1.014)
})

test_that("few reports of many categories are counted by their hyperplanes", {
  # Additions coordinate by coordinate would take 4e9. A report of point (0, 0, 1) supports the points
  # (1, a, 0), of numbers 1 + 1097 a; the point (0, 1, 0) the points (1, 0, c), of numbers 1 to 1097.
  m <- rr_projective(5000, 7)
  expect_identical(c(m$order, m$coordinates), c(1097, 3))
  v <- m$points
  tally <- rr_tally(rep(c(v, v - 1097), c(60, 40)), m)
  time <- system.time(fit <- rr_estimate(tally, method = "inv"))
  expect_lt(time[["elapsed"]], 2)
  counts <- 60 * (seq_len(5000) %% 1097 == 1) + 40 * (seq_len(5000) <= 1097)
  expect_equal(unname(coef(fit)), (counts / 100 - m$q) / m$p_minus_q, tolerance = 1e-12)
})

test_that("functions of shares and plans have the matrix's moments", {
  m <- rr_projective(10, 1, order = 3)
  law <- rr_law(m)
  scores <- (outer(1:10, 1:13, Vectorize(function(x, u) rr_matrix(m)[x, u] > 1.01 * min(rr_matrix(m)))) - m$q) / m$p_minus_q
  weights <- c(1, -2, 0, 0.5, 3, 0, 0, 1, 1, -1)
  expect_equal(law_second_moments(law, 10, weights), drop(rr_matrix(m) %*% drop(weights %*% scores)^2), ignore_attr = TRUE)
  fit <- rr_estimate(rr_counts(c(30, 35, 48, 35, 44, 36, 40, 40, 31, 34, 31, 37, 59), m), method = "inv")
  expect_equal(rr_contrast(fit, weights)$std.error, sqrt(drop(weights %*% vcov(fit) %*% weights)))
})

test_that("maximum likelihood is that of the matrix, and reports that nobody gave change nothing", {
  set.seed(4)
  for (m in list(rr_projective(6, 1), rr_projective(9, 2, order = 4), rr_projective(12, 0.5, order = 2))) {
    k <- length(m$levels)
    tally <- rr_tally(rr_perturb(sample(k, 60, TRUE, seq_len(k)), m, rng = "R"), m)
    fit <- rr_estimate(tally)
    dense <- rr_estimate(rr_counts(as.vector(tally$counts), rr_channel(unname(rr_matrix(m)))))
    expect_equal(coef(fit), coef(dense), tolerance = 1e-5, ignore_attr = TRUE)
    expect_equal(as.numeric(logLik(fit)), as.numeric(logLik(dense)))
  }
})

test_that("reports have the law, and estimates its variances", {
  # 1,000 reports a truth in 13 or 21 cells: within five standard deviations, at a fixed seed.
  set.seed(8)
  for (m in list(rr_projective(10, 1, order = 3), rr_projective(18, 1.5, order = 4))) {
    k <- length(m$levels)
    seen <- t(vapply(seq_len(k), function(x) tabulate(rr_perturb(rep(x, 1000), m, rng = "R"), m$points), numeric(m$points)))
    expected <- 1000 * rr_matrix(m)
    expect_lte(max(abs(seen - expected) / sqrt(expected)), 5)
  }
  expect_simulated(rr_projective(6, 1), c(200, 100, 50, 30, 20, 0), 1500)
})

test_that("Wilson's intervals cover", {
  # 1,500 tallies: the standard error of a coverage of .95 is .006.
  set.seed(6)
  m <- rr_projective(13, 1)
  truth <- c(0.5, 0.3, 0.1, 0.05, 0.05, rep(0, 8))
  counts <- rmultinom(1500, 1000, truth %*% rr_matrix(m))
  dimnames(counts) <- list(NULL, paste("survey", 1:1500))
  bounds <- confint(rr_estimate(rr_counts(counts, m), method = "inv"))
  covered <- matrix(bounds[, 1] <= truth & truth <= bounds[, 2], 13)
  expect_true(all(rowMeans(covered) > 0.93))
})

test_that("many categories need no matrix, and the achieved epsilon is at most the nominal one", {
  m <- rr_projective(1e5, 1)
  fit <- rr_estimate(rr_perturb(rep(c(1, 7, 99999), c(5000, 3000, 2000)), m), m, method = "inv")
  expect_lt(abs(coef(fit)[1] - 0.5), 6 * tidy(fit, terms = "1")$std.error)
  for (epsilon in c(0.1, 1, 4, 9)) {
    achieved <- rr_epsilon(rr_projective(50, epsilon), achieved = TRUE)[[1]]
    expect_true(achieved <= epsilon && achieved > epsilon - 1e-8)
  }
  expect_error(rr_projective(10, 1, order = 6), class = "candor_error_argument")
  expect_error(rr_projective(10, 1, order = 1), class = "candor_error_argument")
  expect_error(rr_projective(3e9, 1), class = "candor_error")
})

test_that("a client draws by the rows of the matrix, and right reports pass its check", {
  set.seed(3)
  m <- rr_projective(letters[1:6], 2)
  truth <- rep(letters[1:6], 300)
  plan <- client_plan(m)
  expect_identical(plan$kind, "rows")
  expect_identical(as.character(plan$reports), m$reports)
  check <- rr_check_client(rr_perturb(truth, m, rng = "R"), m, truth = truth)
  expect_true(all(is.na(check$problem)))
  # Reports of another epsilon are found.
  expect_false(all(is.na(rr_check_client(rr_perturb(truth, rr_projective(letters[1:6], 5, order = m$order), rng = "R"), m, truth = truth)$problem)))
})

test_that("functions of shares vary as the covariance matrix says, for both targets", {
  m <- rr_projective(9, 1.5, order = 3)
  tally <- rr_counts(withr::with_seed(8, as.vector(rmultinom(1, 4000, drop(prop.table(9:1) %*% rr_matrix(m))))), m)
  evidence <- group_evidence(tally, 1)
  L <- rbind(c(1, -1, numeric(7)), c(0, 0, 1, 1, 1, numeric(4)), 1:9)
  for (target in c("population", "sample")) {
    V <- unname(vcov(rr_estimate(tally, method = "inv", target = target)))
    expect_equal(law_functions(rr_law(m), evidence, L, target), L %*% V %*% t(L), tolerance = 1e-8)
    expect_equal(law_functions(rr_law(m), evidence, L, target, variances = TRUE), diag(L %*% V %*% t(L)), tolerance = 1e-8)
  }
})

test_that("numbers for plans are those of the matrix, at any order and number of categories", {
  for (world in list(c(7, 2, 1), c(8, 2, 0.7), c(13, 3, 1.2), c(14, 3, 2), c(9, 3, 1), c(5, 4, 1.5), c(6, 4, 0.5), c(2, 2, 1), c(3, 2, 1), c(4, 2, 1),
                     c(31, 5, 1), c(57, 7, 0.8))) {
    k <- world[1]
    order <- world[2]
    epsilon <- world[3]
    numbers <- projective_numbers(k, epsilon, order)
    coordinates <- 2
    while (sum(order^(seq_len(coordinates) - 1)) < k) coordinates <- coordinates + 1
    expect_identical(numbers$coordinates, coordinates)
    expect_identical(numbers$points, sum(order^(seq_len(coordinates) - 1)))
    C <- unclass(unname(rr_matrix(rr_projective(k, epsilon, order = order))))
    expect_equal(ncol(C), numbers$points)
    supports <- C > 1.0001 * min(C)
    given <- C %*% t(supports)
    expect_equal(diag(given), rep(numbers$p, k))
    expect_equal(given[row(given) != col(given)], rep(numbers$q, k * (k - 1)))
    expect_equal(numbers$lie, 1 - numbers$p)
    expect_equal(numbers$difference, numbers$p - numbers$q)
    expect_equal(projective_success(k, epsilon, order), sum(apply(C, 2, max)) / k)
  }
  # Several orders at once; the least order of a line of k points.
  expect_equal(projective_numbers(13, 1, c(2, 3, 12))$points, c(15, 13, 13))
  expect_identical(c(line_order(2), line_order(3), line_order(6), line_order(7), line_order(34)), c(2, 2, 5, 7, 37))
  expect_null(line_order(46342))
  expect_identical(line_order(46338), 46337)
})

test_that("orders are prime powers up to 46,340", {
  expect_refused(rr_projective(5, 1, order = 46349), rr_projective(5, 1, order = 12), rr_projective(5, 1, order = 2.5))
  expect_identical(rr_projective(5, 1, order = 8)[c("order", "coordinates", "points")], list(order = 8, coordinates = 2, points = 9))
})

test_that("the order is the prime power of least variance, and a line takes the least that has enough points", {
  expect_identical(prime_base(c(2, 4, 6, 9, 12, 49, 50, 64, 97)), c(2, 2, NA, 3, NA, 7, NA, 2, 97))
  orders <- Filter(function(order) !is.na(prime_base(order)), 2:120)
  for (k in c(2, 3, 7, 20, 57)) for (epsilon in c(0.5, 1.5, 3)) {
    variance <- function(order) {
      numbers <- projective_numbers(k, epsilon, order)
      numbers$q * (1 - numbers$q) / numbers$difference^2
    }
    best <- best_order(k, epsilon)
    expect_true(best %in% orders)
    expect_equal(variance(best), min(variance(orders)), tolerance = 1e-12)
    expect_identical(line_order(k), min(as.double(orders[orders + 1 >= k])))
  }
})

test_that("polynomials are multiplied and divided over their prime, and powers run through a field from 1 on", {
  expect_identical(digits_of(11, 3, 3), c(2, 0, 1))
  expect_identical(multiply_polynomials(c(1, 2), c(3, 1)), c(3, 7, 2))
  # x^2 is -1 over x^2 + 1; x^4 + x is x - 1 over x^3 + x + 1, where x^3 = -x - 1.
  expect_identical(remainder_of(c(0, 0, 1), c(1, 0, 1), 3), c(2, 0))
  expect_identical(remainder_of(c(0, 1, 0, 0, 1), c(1, 1, 0, 1), 2), c(0, 0, 1))
  expect_identical(remainder_of(c(1, 2), c(1, 0, 1), 3), c(1, 2))
  expect_identical(powers_of(3, 7, 7, NULL), c(1, 3, 2, 6, 4, 5))
  expect_identical(powers_of(2, 7, 7, NULL), c(1, 2, 4, 1, 2, 4))
  expect_identical(list(least_irreducible(2, 2), least_irreducible(2, 3), least_irreducible(3, 2)), list(c(1, 1, 1), c(1, 1, 0, 1), c(1, 0, 1)))
  # x + 1 over x^2 + 1 and 3, elements as numbers of two digits: 1, x + 1, 2 x, 2 x + 1, 2, ...
  expect_identical(powers_of(4, 9, 3, c(1, 0, 1)), c(1, 4, 6, 7, 2, 8, 3, 5))
  field <- finite_field(9, 3)
  expect_setequal(field$power, 1:8)
  expect_identical(field$power[field$logarithm[1 + 1:8] + 1], 1:8)
})
