pair_fit <- function(types, p, q, target) rr_tmdh(rowtype(types), list(p = p, q = q), target = target)

test_that("covariance, correlation and their variances of estimates (math 3.5)", {
  for (case in golden("correlation_estimate")) {
    input <- case$input
    expected <- case$expected
    for (target in c("sample", "population")) {
      fit <- pair_fit(input$reported_row_types, input$p1, input$p0, target)
      table <- as.data.frame(rr_association(fit))
      n <- sum(input$reported_row_types)
      kind <- if (target == "sample") "fixed_truth" else "iid_rows"
      factor <- if (target == "sample") 1 else n / (n - 1)
      expect_golden(unname(coef(fit) / n), c(expected$x, expected$y, expected$z))
      expect_golden(table$covariance, if (target == "sample") expected$cov else expected$cov_iid_unbiased)
      expect_golden(table$correlation, expected$corr)
      expect_golden((table$covariance.error / factor)^2, expected[[paste0("var_cov_", kind)]])
      expect_golden(table$correlation.error^2, expected[[paste0("var_corr_", kind)]])
      expect_golden(unlist(pair_gradient(unname(coef(fit) / n), "correlation")), expected$grad_corr)
      expect_golden(unlist(pair_gradient(unname(coef(fit) / n), "covariance")), expected$grad_cov)
    }
  }
})

test_that("association of a known truth, with the errors its estimates will have", {
  for (case in golden("correlation_exact")) {
    input <- case$input
    expected <- case$expected
    x <- rr_pmdh(input$truth_row_types, list(p = input$p1, q = input$p0))
    sample <- as.data.frame(rr_association(x, target = "sample"))
    population <- as.data.frame(rr_association(x, target = "population"))
    expect_golden(sample$covariance, expected$cov)
    expect_golden(sample$correlation, expected$corr)
    expect_golden(sample$covariance.error^2, expected$var_cov_exact_fixed_truth)
    expect_golden(sample$correlation.error^2, expected$var_corr_delta_fixed_truth)
    expect_golden(population$covariance.error^2, expected$var_cov_delta_iid_rows)
    expect_golden(population$correlation.error^2, expected$var_corr_delta_iid_rows)
    expect_golden(pair_estimates(x$truth, "sample", TRUE)$covariance.variance, expected$var_cov_delta_fixed_truth)
  }
})

test_that("the joint covariance of several correlations", {
  for (case in golden("correlation_matrix")) {
    input <- case$input
    pairs <- lapply(seq_len(nrow(input$pairs)), function(i) input$pairs[i, ] + 1)
    for (target in c("sample", "population")) {
      all <- rr_association(rr_tmdh(rowtype(input$reported_row_types), list(p = input$p1, q = input$p0), target = target))
      labels <- vapply(pairs, function(pair) paste0("x", pair, collapse = ":"), "")
      expect_golden(as.data.frame(all)$correlation[match(labels, paste(all$pairs$x, all$pairs$y, sep = ":"))], case$expected$corr)
      expect_golden(vcov(all, pairs), case$expected[[if (target == "sample") "cov_of_corr_fixed_truth" else "cov_of_corr_iid_rows"]])
    }
  }
})

test_that("the joint covariance of covariances has their errors on its diagonal, and is that of the full matrices", {
  set.seed(16)
  n <- 30
  survey <- rr_product(a = rr_warner(0.8), b = rr_binary(0.9, 0.3), c = rr_crosswise(0.2))
  bits <- as.data.frame(matrix(stats::rbinom(3 * n, 1, 0.4), n, dimnames = list(NULL, c("a", "b", "c"))))
  K <- unname(rr_matrix(survey))
  phi <- rr_tally(bits, survey)$counts / n
  theta <- drop(solve(t(K), phi))
  # z - xy of the pairs, and the factor that makes it unbiased for the population.
  cells <- as.matrix(expand.grid(0:1, 0:1, 0:1))
  covariances <- function(t) {
    share <- drop(t %*% cells)
    c(sum(t * cells[, 1] * cells[, 2]) - share[1] * share[2], sum(t * cells[, 1] * cells[, 3]) - share[1] * share[3],
      sum(t * cells[, 2] * cells[, 3]) - share[2] * share[3])
  }
  gradient <- difference_gradient(covariances, theta, 1e-5)
  spread <- list(population = (diag(phi) - tcrossprod(phi)) / (n - 1), sample = (diag(phi) - t(K) %*% (theta * K)) / n)
  for (target in c("population", "sample")) {
    x <- rr_association(rr_tmdh(rr_cooccurrence(bits, 3), survey, target = target))
    factor <- if (target == "population") n / (n - 1) else 1
    map <- factor * gradient %*% t(solve(K))
    covariance <- suppressWarnings(vcov(x, measure = "covariance"))
    expect_equal(unname(covariance), unname(map %*% spread[[target]] %*% t(map)), tolerance = 1e-7)
    expect_equal(unname(diag(covariance)), as.data.frame(x)$covariance.error^2, tolerance = 1e-12)
    expect_equal(unname(diag(vcov(x))), as.data.frame(x)$correlation.error^2, tolerance = 1e-12)
  }
})

test_that("a correlation that is not defined is NA", {
  table <- as.data.frame(rr_association(rr_tmdh(rowtype(c(6, 0, 0, 0)), rr_warner(0.8))))
  for (measure in c("correlation", "cramers.v")) expect_identical(table[[measure]], NA_real_)
})

# ---- the test of independence ----------------------------------------------------------------------------------

# Its statistic by weighted least squares on all products of differences of the channels' rows: the explained part.
score_test <- function(reported, C, D) {
  share <- reported / sum(reported)
  expected <- outer(rowSums(share), colSums(share))
  differences <- function(M) apply(M, 2, diff)
  design <- kronecker(t(matrix(differences(D), nrow(D) - 1)), t(matrix(differences(C), nrow(C) - 1)))
  fit <- stats::lm.wfit(design, as.vector(share - expected), 1 / as.vector(expected), tol = 1e-10)
  list(statistic = sum(reported) * sum(fit$fitted.values^2 / as.vector(expected)), df = fit$rank)
}

tested_channels <- list(
  wide = rbind(c(0.6, 0.3, 0.1), c(0.1, 0.3, 0.6)), wider = rbind(c(0.5, 0.2, 0.1, 0.1, 0.1), c(0.1, 0.1, 0.1, 0.2, 0.5)),
  tall = rbind(c(0.8, 0.2), c(0.5, 0.5), c(0.1, 0.9)), deficient = rbind(c(0.6, 0.3, 0.1), c(0.1, 0.3, 0.6), c(0.35, 0.3, 0.35)),
  square = rbind(c(0.7, 0.2, 0.1), c(0.1, 0.6, 0.3), c(0.2, 0.1, 0.7)), bit = rbind(c(0.8, 0.2), c(0.3, 0.7))
)
as_question <- function(C) rr_channel(C, reports = paste0("r", seq_len(ncol(C))))

test_that("the test of independence looks at what the truths can move, whatever the shape of the channels", {
  set.seed(11)
  # Ranks known by construction.
  rank <- c(wide = 2, wider = 2, tall = 2, deficient = 2, square = 3, bit = 2)
  for (a in names(tested_channels)) {
    for (b in names(tested_channels)) {
      C <- tested_channels[[a]]
      D <- tested_channels[[b]]
      survey <- rr_product(a = as_question(C), b = as_question(D))
      reported <- matrix(stats::rpois(ncol(C) * ncol(D), 30), ncol(C))
      fit <- suppressWarnings(rr_estimate(rr_counts(as.vector(reported), survey)))
      pair <- as.data.frame(rr_association(fit))
      expected <- score_test(reported, C, D)
      expect_identical(pair$df, unname((rank[a] - 1) * (rank[b] - 1)))
      expect_equal(pair$df, expected$df)
      expect_equal(pair$statistic, expected$statistic, tolerance = 1e-10)
      expect_equal(as.data.frame(rr_association(rr_margin(fit, 2:1)))$statistic, expected$statistic, tolerance = 1e-10)
      expect_equal(pair$p.value, stats::pchisq(expected$statistic, expected$df, lower.tail = FALSE))
      if (nrow(C) == 2 && nrow(D) == 2) {
        # Two truths each: N times the squared correlation of the reports' scores (C[2, y] - C[1, y]) / m_y.
        cells <- which(reported >= 0, arr.ind = TRUE)[rep(seq_along(reported), reported), ]
        scores <- lapply(list(list(C, 1), list(D, 2)), function(x) (diff(x[[1]]) / tabulate(cells[, x[[2]]]))[cells[, x[[2]]]])
        expect_equal(pair$statistic, sum(reported) * stats::cor(scores[[1]], scores[[2]])^2)
      }
      if (a %in% c("square", "bit") && b %in% c("square", "bit")) expect_equal(pair$statistic, unname(stats::chisq.test(reported, correct = FALSE)$statistic))
    }
  }
})

# The p-values of many surveys, a column of counts each, worth `n` respondents.
p_values <- function(test, survey, counts, n = colSums(counts)) {
  tally <- rr_counts(counts[, 1], survey, effective_n = n[1])
  vapply(seq_len(ncol(counts)), function(i) {
    tally[c("counts", "n", "effective_n")] <- lapply(list(counts[, i], sum(counts[, i]), n[i]), as.double)
    found <- test(tally)
    stats::pchisq(found$statistic, found$df, lower.tail = FALSE)
  }, 0)
}

test_that("the test of independence has its level for channels of every shape", {
  skip_on_cran()
  # 500 surveys of 800 with independent truths in each of six pairs, 1000 in the long tests each week: 5% to within 4 standard
  # deviations in each and in all, which are 0.97% and 0.4% of 500.
  surveys <- extended(500, 1000)
  error <- sqrt(c(0.05 * 0.95, 0.5 * 0.5) / surveys)
  set.seed(12)
  pairs <- list(c("wide", "wide"), c("wider", "square"), c("tall", "tall"), c("tall", "wider"), c("deficient", "wide"), c("square", "bit"))
  rejected <- vapply(pairs, function(pair) {
    survey <- do.call(rr_product, lapply(stats::setNames(tested_channels[pair], c("a", "b")), as_question))
    truths <- lapply(survey$sizes, function(k) seq_len(k) / sum(seq_len(k)))
    counts <- stats::rmultinom(surveys, 800, drop(as.vector(outer(truths$a, truths$b)) %*% rr_matrix(survey)))
    p <- p_values(reported_table_test, survey, counts)
    expect_lt(abs(mean(p < 0.05) - 0.05), 4 * error[1])
    expect_lt(abs(mean(p < 0.5) - 0.5), 4 * error[2])
    for (i in 1:3) {
      fit <- suppressWarnings(rr_estimate(rr_counts(counts[, i], survey)))
      expect_identical(as.data.frame(rr_association(fit))$p.value, p[i])
    }
    mean(p < 0.05)
  }, 0)
  expect_lt(abs(mean(rejected) - 0.05), 4 * error[1] / sqrt(6))
})

test_that("reports that nobody gave leave the test, and a constant question leaves none", {
  survey <- rr_product(a = rr_grr(c("x", "y", "z"), epsilon = 1), b = rr_warner(0.8))
  reported <- matrix(c(30, 0, 20, 10, 0, 40), 3)
  pair <- as.data.frame(rr_association(rr_estimate(rr_counts(as.vector(reported), survey), method = "inv")))
  expect_identical(pair$df, 1)
  expect_equal(pair$statistic, unname(stats::chisq.test(reported[-2, ], correct = FALSE)$statistic))
  constant <- rr_product(a = rr_warner(0.8), b = rr_warner(0.7))
  joint <- rr_tmdh(rowtype(c(3, 0, 5, 0), columns = c("a", "b")), constant)
  doors <- list(rr_association(rr_estimate(rr_counts(c(3, 0, 5, 0), constant), method = "inv")), rr_association(joint), rr_association(rr_margin(joint, 1:2)))
  for (door in doors) expect_identical(unlist(as.data.frame(door)[c("statistic", "df", "p.value")], use.names = FALSE), c(NA, 0, NA))
})

test_that("weights count for their effective number in the test too", {
  skip_on_cran()
  set.seed(13)
  survey <- rr_product(a = rr_warner(0.8), b = rr_grr(c("x", "y", "z"), p = 0.8))
  truth <- data.frame(a = stats::rbinom(400, 1, 0.4) == 1, b = sample(c("x", "y", "z"), 400, TRUE))
  reports <- rr_perturb(truth, survey, rng = "R")
  test <- function(weights) as.data.frame(rr_association(rr_estimate(rr_tally(reports, survey, weights = weights), method = "inv")))
  # Equal weights are none, whatever their scale, and the scale of others does not matter.
  expect_equal(test(rep(10, 400)), test(NULL))
  weights <- stats::rexp(400)
  expect_equal(test(50 * weights), test(weights))
  # Kish's number times the squared coefficient of contingency of the weighted table.
  table <- stats::xtabs(weights ~ reports$a + reports$b)
  phi2 <- suppressWarnings(stats::chisq.test(table, correct = FALSE)$statistic) / sum(table)
  expect_equal(test(weights)$statistic, unname(phi2) * sum(weights)^2 / sum(weights^2))
  # Its level, weights being drawn independently of the answers: 3000 surveys, 5% to within 4 standard deviations of 0.4%.
  cell <- as.vector(outer(c(0.6, 0.4), c(0.5, 0.3, 0.2))) %*% rr_matrix(survey)
  weights <- matrix(50 * stats::rexp(400 * 3000), 400)
  at <- sample(6, 400 * 3000, TRUE, cell)
  counts <- t(vapply(1:6, function(k) colSums(weights * (at == k)), numeric(3000)))
  effective <- colSums(weights)^2 / colSums(weights^2)
  p <- p_values(reported_table_test, survey, counts, effective)
  expect_lt(abs(mean(p < 0.05) - 0.05), 0.016)
  for (i in 1:3) {
    fit <- rr_estimate(rr_counts(counts[, i], survey, effective_n = effective[i]), method = "inv")
    expect_equal(as.data.frame(rr_association(rr_margin(fit, 1:2)))$p.value, p[i])
  }

  # The covariance of the population is (Kish's n) / (n - 1) times that of the weighted table.
  bits <- rr_product(a = rr_warner(0.8), b = rr_binary(0.9, 0.3))
  effective <- 120
  fit <- rr_estimate(rr_counts(c(160.5, 39.5, 80, 120), bits, effective_n = effective), method = "inv")
  cells <- drop(solve(t(rr_matrix(bits)), c(160.5, 39.5, 80, 120) / 400))
  pair <- as.data.frame(rr_association(fit))
  expect_equal(pair$covariance, (cells[4] - sum(cells[c(2, 4)]) * sum(cells[3:4])) * effective / (effective - 1), ignore_attr = TRUE)
})

test_that("for the sample the joint counts, their margin and the product of mechanisms make the same test", {
  set.seed(14)
  survey <- rr_product(a = rr_warner(0.8), b = rr_binary(0.9, 0.3), c = rr_crosswise(0.2))
  bits <- as.data.frame(matrix(stats::rbinom(1500, 1, 0.4), 500, dimnames = list(NULL, c("a", "b", "c"))))
  joint <- rr_tmdh(rr_cooccurrence(bits, 2), survey, target = "sample")
  test <- function(x) as.data.frame(x)[c("statistic", "df", "p.value")]
  ours <- rr_association(joint)
  table <- as.data.frame(ours)
  expect_equal(table$statistic, (table$covariance / table$covariance.error)^2)
  # Also after maximum likelihood or a repair of the estimate: it is a test of the reports.
  for (method in c("inv", "mle", "invp")) {
    fit <- rr_estimate(bits, survey, method = method, target = "sample")
    expect_equal(test(rr_association(fit)), test(ours), tolerance = 1e-9)
    expect_equal(test(rr_association(rr_margin(fit, c("c", "a")))), test(ours)[2, ], tolerance = 1e-9, ignore_attr = TRUE)
  }
  # Answers that were not randomized are known: no test, by any door.
  plain <- rr_product(a = rr_binary(1, 0), b = rr_binary(1, 0))
  joint <- rr_tmdh(rr_cooccurrence(bits[1:2], 2), plain, target = "sample")
  doors <- list(rr_association(joint), rr_association(rr_margin(joint, 1:2)), rr_association(rr_estimate(bits[1:2], plain, target = "sample")))
  for (door in doors) expect_identical(as.data.frame(door)$p.value, NA_real_)
})

test_that("the test for the sample is Wald's of the full matrices, and has its level", {
  skip_on_cran()
  # Truths that are exactly independent, and fixed.
  designs <- list(list(rr_warner(0.8), rr_warner(0.7), c(1, 1), c(1, 1), 1000), list(rr_warner(0.97), rr_warner(0.97), c(1, 1), c(1, 1), 1000),
                  list(rr_warner(0.8), rr_grr(3, p = 0.7), c(2, 3), c(1, 2, 2), 500),
                  list(rr_forced(c(0.1, 0.05, 0.15)), as_question(tested_channels$wide), c(2, 3, 5), c(1, 1), 1000))
  set.seed(15)
  # 5% to within 4 standard deviations in each design and in all four, which are 0.97% and 0.49% of 500 surveys.
  surveys <- extended(500, 1000)
  error <- sqrt(0.05 * 0.95 / surveys)
  rejected <- c()
  for (design in designs) {
    survey <- rr_product(a = design[[1]], b = design[[2]])
    K <- unname(rr_matrix(survey))
    share <- as.vector(outer(design[[3]], design[[4]]) / sum(outer(design[[3]], design[[4]])))
    n <- design[[5]]
    counts <- Reduce(`+`, lapply(seq_along(share), function(x) stats::rmultinom(surveys, n * share[x], K[x, ])))
    p <- p_values(true_table_test, survey, counts)
    expect_lt(abs(mean(p < 0.05) - 0.05), 4 * error)
    rejected <- c(rejected, mean(p < 0.05))
    x <- counts[, 1]
    pair <- as.data.frame(rr_association(rr_estimate(rr_counts(x, survey), target = "sample")))
    expect_identical(pair$p.value, p[1])
    expect_identical(pair$df, prod(survey$sizes - 1))
    if (nrow(K) != ncol(K)) next
    # Interactions by hand, their gradient by differences, the covariance of the reports given the truths by the full matrix.
    interactions <- function(t) {
      t <- matrix(t, survey$sizes[1])
      as.vector((t - outer(rowSums(t), colSums(t)))[-1, -1])
    }
    theta <- drop(solve(t(K), x / n))
    V <- t(solve(K)) %*% (diag(x / n) - t(K) %*% (theta * K)) %*% solve(K) / n
    gradient <- matrix(difference_gradient(interactions, theta), ncol = length(theta))
    expect_equal(pair$statistic, drop(interactions(theta) %*% solve(gradient %*% V %*% t(gradient), interactions(theta))), tolerance = 1e-6)
  }
  expect_lt(abs(mean(rejected) - 0.05), 4 * error / 2)
})

test_that("a channel that cannot be inverted leaves no test for the sample", {
  survey <- rr_product(a = as_question(tested_channels$tall), b = rr_warner(0.8))
  pair <- as.data.frame(suppressWarnings(rr_association(rr_estimate(rr_counts(c(30, 20, 10, 40), survey), target = "sample"))))
  expect_identical(pair$statistic, NA_real_)
  expect_identical(pair$df, 2)
})

test_that("survey designs have associations by their own covariance", {
  skip_if_not_installed("survey")
  questions <- rr_product(drug = rr_forced(1 / 6), tax = rr_crosswise(0.25))
  people <- expand.grid(drug = c("no", "yes"), tax = c("no", "yes"))[rep(1:4, c(60, 50, 90, 40)), ]
  # Neighbours answer alike: clusters of five in their order.
  people$town <- rep(1:48, each = 5)
  people$w <- rep(c(0.5, 1, 2, 1.5), 60)
  design <- survey::svydesign(~town, data = people, weights = ~w)
  fit <- rr_estimate(design, questions, method = "inv")
  ours <- as.data.frame(rr_association(fit))
  # Unbiased scores of the two truths: what a report says of one truth, and the mean of products what it says of both.
  # Forced response says yes with 5/6 and 1/6, the crosswise model with 3/4 and 1/4 the other way round.
  rows <- rr_matrix(rr_crosswise(0.25))[, 2]
  u <- (as.integer(people$drug == "yes") - 1 / 6) / (2 / 3)
  v <- (as.integer(people$tax == "yes") - rows[[1]]) / (rows[[2]] - rows[[1]])
  people$product <- (u - weighted.mean(u, people$w)) * (v - weighted.mean(v, people$w))
  direct <- survey::svymean(~product, survey::svydesign(~town, data = people, weights = ~w))
  expect_equal(ours$covariance, as.numeric(direct))
  expect_equal(ours$covariance.error, as.numeric(survey::SE(direct)))
  # One interaction: the test is that of t with 47 degrees of freedom.
  expect_equal(ours$p.value, 2 * stats::pt(-abs(as.numeric(direct) / as.numeric(survey::SE(direct))), 47))
  half <- stats::qt(0.975, 47) * as.numeric(survey::SE(direct))
  interval <- confint(rr_association(fit), measure = "covariance")
  expect_equal(as.vector(interval), as.numeric(direct) + c(-half, half))
  # The margin of the pair says the same.
  expect_equal(as.data.frame(rr_association(rr_margin(fit, c("drug", "tax")))), ours)
})

test_that("an association is a symmetric matrix with 1 on its diagonal", {
  tally <- rr_tally(data.frame(a = rep(0:1, 50), b = rep(c(0, 0, 1, 1), 25), c = rep(c(0, 1, 1, 0, 0), 20)),
                    rr_product(a = rr_binary(1, 0), b = rr_binary(1, 0), c = rr_binary(1, 0)))
  matrix <- as.matrix(rr_association(rr_estimate(tally)))
  data <- data.frame(a = rep(0:1, 50), b = rep(c(0, 0, 1, 1), 25), c = rep(c(0, 1, 1, 0, 0), 20))
  # Of direct answers it is the correlation of the columns.
  expect_equal(matrix, stats::cor(data), tolerance = 1e-10)
})

test_that("an interval leaves independence out if and only if the test rejects it, up to a correlation of 1", {
  die <- rr_forced(1 / 6)
  questions <- rr_product(a = die, b = die)
  chance <- t(rr_matrix(die))
  set.seed(9)
  decided <- list()
  for (truth in list(c(0.49, 0.21, 0.21, 0.09), c(0.55, 0.15, 0.15, 0.15), c(0.7, 0, 0, 0.3), c(0.4, 0.3, 0.3, 0))) {
    counts <- rmultinom(12, 300, as.vector(kronecker(chance, chance) %*% truth))
    for (j in seq_len(ncol(counts))) for (method in c("inv", "mle")) {
      found <- suppressWarnings(rr_association(rr_estimate(rr_counts(counts[, j], questions), method = method)))
      p_value <- as.data.frame(found)$p.value
      for (level in c(0.9, 0.99)) {
        rows <- tidy(found, conf.int = TRUE, conf.level = level)
        none <- ifelse(rows$measure == "odds.ratio", 1, 0)
        decided[[paste(c(method, level, counts[, j]), collapse = " ")]] <- data.frame(
          rejected = p_value < 1 - level, left_out = rows$conf.low > none | rows$conf.high < none, ordered = rows$conf.low <= rows$conf.high)
      }
    }
  }
  decided <- do.call(rbind, decided)
  expect_identical(rownames(decided)[!decided$ordered | decided$left_out != decided$rejected], character())
  # Both are decided, often.
  expect_gt(min(table(decided$rejected)), 100)
})

test_that("limits between independence and the estimate solve their equation", {
  pairs <- data.frame(statistic = c(9, 2, 0.5), df = 1)
  estimate <- c(0.6, 0.6, -0.3)
  error <- c(0.1, 0.3, 0.2)
  limits <- test_limits(estimate, error, pairs, 1.96)
  null <- estimate^2 / pairs$statistic
  variance <- null[1] + (error[1]^2 - null[1]) * limits$low[1] / estimate[1]
  expect_equal((estimate[1] - limits$low[1])^2, 1.96^2 * variance)
  # Beyond independence the variance is that of the test.
  expect_equal(limits$low[2], estimate[2] - 1.96 * sqrt(null[2]))
  expect_equal(limits$high[3], estimate[3] + 1.96 * sqrt(null[3]))
  expect_equal(c(limits$high[1], limits$low[3]), c(0.6 + 0.196, -0.3 - 0.392))
  # The published shape of the review's table: an estimate of .985, p = 3e-35, must not have -1 in its interval.
  die <- rr_forced(1 / 6)
  table <- as.table(matrix(c(498, 130, 151, 221), 2, dimnames = list(a = c("no", "yes"), b = c("no", "yes"))))
  for (method in c("inv", "mle")) {
    near_one <- rr_association(suppressWarnings(rr_estimate(rr_counts(table, rr_product(a = die, b = die)), method = method)))
    bounds <- confint(near_one)
    expect_gt(bounds[1], 0.75)
    expect_identical(unname(bounds[2]), 1)
    ratio <- tidy(near_one, conf.int = TRUE)
    expect_identical(ratio$conf.high[ratio$measure == "odds.ratio"], Inf)
    expect_gt(ratio$conf.low[ratio$measure == "odds.ratio"], 50)
  }
})

test_that("limits of an odds ratio solve the equation of the share of yes to both, and the labels do not matter", {
  die <- rr_forced(1 / 6)
  questions <- rr_product(a = die, b = die)
  counts <- c(420, 190, 160, 230)
  found <- rr_association(rr_estimate(rr_counts(counts, questions), method = "inv"))
  interval <- unlist(tidy(found, conf.int = TRUE)[3, c("conf.low", "conf.high")])
  # By hand: the cells of the truths and their covariance, from the inverse channel.
  inverse <- solve(kronecker(t(rr_matrix(die)), t(rr_matrix(die))))
  share <- counts / 1000
  yes <- rbind(c(0, 1, 0, 1), c(0, 0, 1, 1), c(0, 0, 0, 1)) %*% inverse
  z <- drop(yes %*% share)
  variance <- yes %*% (diag(share) - tcrossprod(share)) %*% t(yes) / 999
  # The share of yes to both that two shares of yes and an odds ratio make is a root of the odds ratio's definition.
  both <- function(x, y, ratio) {
    uniroot(function(s) s * (1 - x - y + s) - ratio * (x - s) * (y - s), c(max(0, x + y - 1), min(x, y)), tol = 1e-14)$root
  }
  distance <- function(ratio) z[3] - both(z[1], z[2], ratio)
  own <- function(ratio) {
    slope <- c(both(z[1] + 1e-5, z[2], ratio) - both(z[1] - 1e-5, z[2], ratio), both(z[1], z[2] + 1e-5, ratio) - both(z[1], z[2] - 1e-5, ratio)) / 2e-5
    drop(c(-slope, 1) %*% variance %*% c(-slope, 1))
  }
  ratio <- z[3] * (1 - z[1] - z[2] + z[3]) / ((z[1] - z[3]) * (z[2] - z[3]))
  pearson <- unname(chisq.test(matrix(counts, 2), correct = FALSE)$statistic)
  place <- function(ratio) ratio / (1 + ratio)
  weight <- (place(ratio) - place(interval[[1]])) / (place(ratio) - 1 / 2)
  low <- own(interval[[1]]) + weight * (distance(1)^2 / pearson - own(1))
  expect_equal(distance(interval[[1]])^2, qnorm(0.975)^2 * low, tolerance = 1e-6)
  expect_equal(distance(interval[[2]])^2, qnorm(0.975)^2 * own(interval[[2]]), tolerance = 1e-6)
  # If the labels of one question change places, the odds ratio is the reciprocal.
  turned <- rr_association(rr_estimate(rr_counts(counts[c(2, 1, 4, 3)], questions), method = "inv"))
  expect_equal(unlist(tidy(turned, conf.int = TRUE)[3, c("conf.high", "conf.low")], use.names = FALSE), 1 / unname(interval))
})

test_that("intervals of odds ratios cover if a cell is empty or nearly so", {
  # 25 pairs of bits in a table, 400 surveys a truth. A share of 400 has a standard error of .011 at .95: .915 is 3 of them away. The normal
  # interval of the logarithm covers .91 of the first, .69 of the second.
  die <- rr_forced(1 / 6)
  set.seed(21)
  for (truth in list(c(0.641, 0.009, 0.159, 0.191), c(0.8, 0.1, 0.1, 0), c(0.7, 0, 0, 0.3))) {
    ratio <- truth[1] * truth[4] / (truth[2] * truth[3])
    cover <- replicate(16, {
      person <- matrix(sample(4, 300 * 25, TRUE, truth), 300)
      bits <- cbind(person %% 2 == 0, person > 2)
      reports <- (runif(length(bits)) < ifelse(bits, 5 / 6, 1 / 6)) + 0
      colnames(reports) <- paste0(rep(c("x", "y"), each = 25), 1:25)
      found <- rr_association(rr_tmdh(rr_cooccurrence(reports), die))
      rows <- tidy(found, conf.int = TRUE, terms = paste0("x", 1:25, ":y", 1:25))
      rows <- rows[rows$measure == "odds.ratio", ]
      rows$conf.low <= ratio & ratio <= rows$conf.high
    })
    expect_gt(mean(cover), 0.915)
  }
})

test_that("in groups and in survey designs an interval leaves independence out if and only if the test rejects it", {
  die <- rr_forced(1 / 6)
  questions <- rr_product(a = die, b = die)
  leaves_out <- function(rows) rows$conf.low > (rows$measure == "odds.ratio") | rows$conf.high < (rows$measure == "odds.ratio")
  set.seed(22)
  for (truth in list(c(0.49, 0.21, 0.21, 0.09), c(0.55, 0.15, 0.15, 0.15), c(0.7, 0, 0, 0.3))) for (times in 1:4) {
    person <- sample(4, 400, TRUE, truth)
    answer <- function(yes) rr_perturb(ifelse(yes, "yes", "no"), die, rng = "R")
    people <- data.frame(a = answer(person %% 2 == 0), b = answer(person > 2), town = rep(1:40, each = 10))
    half <- rep(c("f", "m"), each = 200)
    fit <- suppressWarnings(rr_estimate(rr_tally(people[c("a", "b")], questions, by = half)))
    for (group in c("f", "m")) {
      found <- rr_association(fit[group])
      alone <- suppressWarnings(rr_association(rr_estimate(rr_tally(people[half == group, c("a", "b")], questions))))
      rows <- tidy(found, conf.int = TRUE)
      expect_identical(rows, tidy(alone, conf.int = TRUE))
      expect_identical(leaves_out(rows), rep(as.data.frame(found)$p.value < 0.05, 4))
    }
    skip_if_not_installed("survey")
    found <- suppressWarnings(rr_association(rr_estimate(survey::svydesign(~town, data = people, weights = ~1), questions)))
    for (level in c(0.9, 0.99)) {
      rows <- tidy(found, conf.int = TRUE, conf.level = level)
      expect_identical(leaves_out(rows), rep(as.data.frame(found)$p.value < 1 - level, 4))
    }
  }
})

test_that("reports that are independent to the last count have intervals around independence", {
  # The covariance is 0 but for a rounding, and so is the statistic.
  lie <- rr_warner(0.8)
  for (counts in list(c(120, 60, 80, 40), c(126, 54, 84, 36), c(91, 39, 119, 51), c(165, 55, 60, 20))) {
    bits <- data.frame(a = rep(c(0, 1, 0, 1), counts), b = rep(c(0, 0, 1, 1), counts))
    table <- rr_estimate(rr_counts(counts, rr_product(a = lie, b = lie)), method = "inv")
    for (found in list(rr_association(table), rr_association(rr_tmdh(rr_cooccurrence(bits), lie)))) {
      rows <- tidy(found, conf.int = TRUE)[1:3, ]
      # Without an association the covariance's variance is the product of the reports' variances, in scores: over (2p - 1)^4 n.
      reported <- c(sum(counts[c(2, 4)]), sum(counts[3:4])) / 300
      half <- qnorm(0.975) * sqrt(prod(reported * (1 - reported)) / 300) / 0.36
      expect_equal(unlist(rows[1, c("conf.low", "conf.high")], use.names = FALSE), c(-half, half), tolerance = 0.01)
      expect_lt(rows$conf.low[3], 0.8)
      expect_gt(rows$conf.high[3], 1.25)
    }
  }
})

test_that("a share of yes of 0 but for a rounding leaves no correlation and no odds ratio", {
  # 60 of 300 yes: by Warner's device with 0.8 the estimate is exactly 0.
  lie <- rr_warner(0.8)
  counts <- c(190, 50, 50, 10)
  bits <- data.frame(a = rep(c(0, 1, 0, 1), counts), b = rep(c(0, 0, 1, 1), counts))
  table <- rr_estimate(rr_counts(counts, rr_product(a = lie, b = lie)), method = "inv")
  columns <- rr_tmdh(rr_cooccurrence(bits), lie)
  for (found in list(rr_association(table), rr_association(columns), rr_association(bits, list(a = lie, b = lie)))) {
    rows <- tidy(found, conf.int = TRUE)
    of <- rows$measure != "covariance"
    expect_true(all(is.na(rows[of, c("estimate", "std.error", "conf.low", "conf.high")])))
    expect_equal(rows$estimate[!of], (10 / 300 - 0.04) / 0.36 * 300 / 299)
  }
})

test_that("rows that say the same are one: the associations are those of each respondent's own score", {
  set.seed(4)
  often <- rr_grr(c("never", "once", "often"), epsilon = 1.5)
  die <- rr_forced(1 / 6)
  people <- data.frame(a = rr_perturb(sample(often$levels, 400, TRUE), often, rng = "R"), b = rr_perturb(sample(c("no", "yes"), 400, TRUE), die, rng = "R"))
  for (w in list(rep(1, 400), runif(400))) {
    found <- as.data.frame(rr_association(people, list(a = often, b = die), weights = w))
    share <- w / sum(w)
    # By hand: scores are entries of the inverse channel, a row for each respondent.
    u <- solve(rr_matrix(often))[match(people$a, often$levels), ]
    v <- solve(rr_matrix(die))[match(people$b, c("no", "yes")), 2]
    effective <- 1 / sum(share^2)
    for (k in 1:3) {
      product <- (u[, k] - sum(share * u[, k])) * (v - sum(share * v))
      covariance <- sum(share * product)
      expect_equal(found$covariance[k], covariance * effective / (effective - 1), tolerance = 1e-12)
      expect_equal(found$covariance.error[k], sqrt(sum(share^2 * (product - covariance)^2)) * effective / (effective - 1), tolerance = 1e-12)
    }
  }
})

test_that("print() has the chi-squared statistic, its degrees of freedom and p", {
  people <- as.data.frame(Titanic)
  people <- people[rep(seq_len(32), people$Freq), ]
  # Answers that are told exactly have the statistic of the table itself.
  direct <- rr_product(sex = rr_grr(levels(people$Sex), p = 1), class = rr_grr(levels(people$Class), p = 1))
  fit <- rr_estimate(data.frame(sex = people$Sex, class = people$Class), direct)
  printed <- capture.output(print(rr_association(fit)))
  by_hand <- stats::chisq.test(table(people$Sex, people$Class), correct = FALSE)
  expect_match(printed[2], "chisq +df +p.value")
  row <- scan(text = sub("<", "", sub("^ *sex +class", "", printed[3])), quiet = TRUE)
  names(row) <- scan(text = sub("^ *x +y", "", printed[2]), what = "", quiet = TRUE)
  expect_equal(row[["df"]], 3)
  expect_equal(row[["chisq"]], by_hand$statistic[[1]], tolerance = 1e-3)
  expect_lte(max(nchar(printed)), 80)
  expect_equal(row[["cramers.v"]], sqrt(by_hand$statistic[[1]] / nrow(people)), tolerance = 1e-3)
})

# ---- the pieces by hand ----

test_that("derivatives of covariance and correlation are those of differences, and none where a share does not vary", {
  z <- c(0.3, 0.6, 0.25)
  measures <- list(covariance = function(z) z[3] - z[1] * z[2],
                   correlation = function(z) (z[3] - z[1] * z[2]) / sqrt(z[1] * (1 - z[1]) * z[2] * (1 - z[2])))
  V <- rbind(c(4, 1, 2), c(1, 5, 1.5), c(2, 1.5, 3)) / 1000
  estimates <- moment_estimates(z, V)
  of_pair <- binary_measures(estimates, z[1], z[2], z[3], 1, 1)
  for (measure in names(measures)) {
    gradient <- vapply(1:3, function(i) (measures[[measure]](z + 1e-6 * (1:3 == i)) - measures[[measure]](z - 1e-6 * (1:3 == i))) / 2e-6, 0)
    expect_equal(unlist(pair_gradient(z, measure)), gradient, tolerance = 1e-6)
    expect_equal(of_pair[[measure]], measures[[measure]](z))
    expect_equal(of_pair[[paste0(measure, ".error")]]^2, drop(gradient %*% V %*% gradient), tolerance = 1e-6)
  }
  expect_equal(estimates$moments, c(4, 5, 3, 1, 2, 1.5) / 1000)
  for (z in list(c(0, 0.6, 0), c(0.3, 1, 0.3))) {
    expect_identical(pair_gradient(z, "correlation"), as.list(rep(NA_real_, 3)))
    expect_identical(binary_measures(moment_estimates(z, V), z[1], z[2], z[3], 1, 1)$correlation, NA_real_)
  }
  # A rounding beside an end is one.
  expect_identical(varies(c(1e-13, 1.1e-13, 0.5, 1 - 1.1e-13, 1 - 0.9e-13)), c(FALSE, TRUE, TRUE, TRUE, FALSE))
  expect_equal(quadratic_form(list(2, -1, 3), matrix(estimates$moments)), drop(c(2, -1, 3) %*% V %*% c(2, -1, 3)))
})

test_that("odds ratios of cells have the error of their logarithm's derivatives, and none with an empty cell", {
  cells <- list(c(25, 3), c(15, 4), c(20, 0), c(40, 5))
  V <- rbind(c(4, 1, 2), c(1, 5, 1.5), c(2, 1.5, 3))
  v <- cbind(c(4, 5, 3, 1, 2, 1.5), 1)
  odds <- odds_ratio(cells, c(100, 12), v)
  expect_equal(odds$ratio, c(25 * 40 / (15 * 20), NA))
  # x = 40, y = 45 and both = 25 of 100.
  log_odds <- function(z) log(z[3] * (100 - z[1] - z[2] + z[3]) / ((z[1] - z[3]) * (z[2] - z[3])))
  g <- vapply(1:3, function(i) (log_odds(c(40, 45, 25) + 1e-4 * (1:3 == i)) - log_odds(c(40, 45, 25) - 1e-4 * (1:3 == i))) / 2e-4, 0)
  expect_equal(odds$error, c(odds$ratio[1] * sqrt(drop(g %*% V %*% g)), NA), tolerance = 1e-6)
  measures <- binary_measures(list(moments = v[, 1], covariance = 0.07, covariance.variance = 0.0009), 40, 45, 25, 100, 1.25)
  expect_equal(unname(unlist(measures[inner_columns])), c(0.4, 0.45, 0.25, v[, 1] / 1e4))
  expect_equal(measures$covariance, 0.0875)
  expect_equal(measures$covariance.error, 0.0375)
  correlation <- function(z) (z[3] - z[1] * z[2]) / sqrt(z[1] * (1 - z[1]) * z[2] * (1 - z[2]))
  z <- c(0.4, 0.45, 0.25)
  g <- vapply(1:3, function(i) (correlation(z + 1e-6 * (1:3 == i)) - correlation(z - 1e-6 * (1:3 == i))) / 2e-6, 0)
  expect_equal(measures$correlation, correlation(z))
  expect_equal(measures$correlation.error, sqrt(drop(g %*% V %*% g)) / 100, tolerance = 1e-6)
  expect_equal(c(measures$odds.ratio, measures$odds.ratio.error), c(odds$ratio[1], odds$error[1]))
  expect_identical(c(unbiased_factor("population", 5), unbiased_factor("sample", 5)), c(1.25, 1))
  expect_identical(pair_index(4), list(i = c(1L, 1L, 1L, 2L, 2L, 3L), j = c(2L, 3L, 4L, 3L, 4L, 4L)))
})

test_that("the exact variance of a covariance of these rows, by all reports", {
  # Three rows: 11, 10, 00; p and q differ between columns.
  p <- c(0.8, 0.9)
  q <- c(0.3, 0.2)
  truth <- rbind(c(1, 1), c(1, 0), c(0, 0))
  reports <- as.matrix(expand.grid(rep(list(0:1), 6)))
  one <- ifelse(as.vector(truth) == 1, rep(p, each = 3), rep(q, each = 3))
  chance <- apply(reports, 1, function(r) prod(ifelse(r == 1, one, 1 - one)))
  covariance <- apply(reports, 1, function(r) {
    u <- (matrix(r, 3) - rep(q, each = 3)) / rep(p - q, each = 3)
    mean(u[, 1] * u[, 2]) - mean(u[, 1]) * mean(u[, 2])
  })
  variance <- sum(chance * covariance^2) - sum(chance * covariance)^2
  x <- list(columns = c("a", "b"), design = list(p = p, q = q), n = 3, values = c(3, 2, 1, 1))
  expect_equal(exact_covariance_variance(x), variance)
})

test_that("weighted scores have the covariance, correlation and test of their influence, respondent by respondent", {
  set.seed(6)
  n <- 40
  weights <- stats::runif(n, 0.5, 2)
  w <- weights / sum(weights)
  u <- cbind(x = sample(c(-0.4, 1.6), n, TRUE), y = stats::rnorm(n))
  u[, "y"] <- u[, "y"] + 0.5 * u[, "x"]
  result <- score_associations(u, 1:2, c(TRUE, FALSE), w, w^2)
  mean <- colSums(w * u)
  centred <- u - rep(mean, each = n)
  effective <- 1 / sum(w^2)
  covariance <- sum(w * centred[, 1] * centred[, 2])
  # The first is yes or no: its truths vary by mean (1 - mean); the second is known.
  scale <- sqrt(mean[1] * (1 - mean[1]) * sum(w * centred[, 2]^2))
  influence <- centred[, 1] * centred[, 2] - covariance
  correlation <- covariance / scale
  relative <- (1 - 2 * mean[1]) * centred[, 1] / (mean[1] * (1 - mean[1])) + centred[, 2]^2 / sum(w * centred[, 2]^2) - 1
  expect_equal(result$covariance, covariance * effective / (effective - 1))
  expect_equal(result$covariance.error, sqrt(sum(w^2 * influence^2)) * effective / (effective - 1))
  expect_equal(unname(result$correlation), unname(correlation))
  expect_equal(unname(result$correlation.error), sqrt(sum(w^2 * (influence / scale - correlation / 2 * relative)^2)))
  statistic <- effective * covariance^2 / prod(colSums(w * centred^2))
  expect_equal(unname(result$statistic), statistic)
  expect_equal(unname(result$p.value), stats::pchisq(statistic, 1, lower.tail = FALSE))
  expect_identical(unlist(result[c("x", "y")], use.names = FALSE), c("x", "y"))
  # Pairs within one question are none of associations.
  three <- score_associations(cbind(u, z = u[, 1] * 2), c(1, 2, 1), c(TRUE, FALSE, TRUE), w, w^2)
  expect_identical(three[c("x", "y")], list(x = c("x", "y"), y = c("y", "z")))
  # Rows that say the same are one: a table of values and their numbers has the measures of all rows.
  codes <- list(match(u[, 1], c(-0.4, 1.6)), sample(3, n, TRUE))
  first <- list(u = matrix(c(-0.4, 1.6), dimnames = list(NULL, "x")), codes = codes[[1]], randomized = TRUE)
  second <- list(u = matrix(c(0, 1, 5), dimnames = list(NULL, "v")), codes = codes[[2]], randomized = FALSE)
  all <- cbind(x = u[, 1], v = c(0, 1, 5)[codes[[2]]])
  expect_equal(paired_scores(first, second, list(w = w, squares = w^2, equal = FALSE)), score_associations(all, 1:2, c(TRUE, FALSE), w, w^2))
  even <- rep(1 / n, n)
  expect_equal(paired_scores(first, second, list(w = even, squares = even^2, equal = TRUE)), score_associations(all, 1:2, c(TRUE, FALSE), even, even^2))
  # A pair of values that nobody has, and one of a single row.
  second$codes <- replace(ifelse(codes[[1]] == 1, 2, codes[[2]]), which(codes[[1]] == 1)[1], 3)
  some <- cbind(x = u[, 1], v = c(0, 1, 5)[second$codes])
  for (each in list(w, even)) {
    expect_equal(paired_scores(first, second, list(w = each, squares = each^2, equal = all(each == each[1]))),
                 score_associations(some, 1:2, c(TRUE, FALSE), each, each^2))
  }
  # More different values than rows: one by one.
  expect_equal(paired_scores(list(u = u[, 1, drop = FALSE], codes = seq_len(n), randomized = TRUE), list(u = all[, 2, drop = FALSE],
    codes = seq_len(n), randomized = FALSE),
                             list(w = w, squares = w^2, equal = FALSE)), score_associations(all, 1:2, c(TRUE, FALSE), w, w^2))
  # Nothing varies, nothing is known.
  still <- score_associations(cbind(a = rep(1, 5), b = 1:5), 1:2, c(TRUE, FALSE), rep(0.2, 5), rep(0.04, 5))
  expect_true(is.na(still$correlation) && is.na(still$statistic))
})

test_that("associations of fewer than two questions, or of what was not counted, are refused", {
  device <- rr_warner(0.8)
  one <- rr_grr(3, 1)
  bits <- data.frame(a = c(0, 1, 1, 0), b = c(0, 1, 0, 1), c = c(1, 1, 0, 0))
  expect_refused(rr_association(rr_tmdh(rr_cooccurrence(diag(3)), one)), rr_association(rr_pmdh(c(3, 4), device)),
                 rr_association(rr_pmdh(1:4, device), target = "people"))
  expect_refused(rr_association(rr_pmdh(rr_cooccurrence(bits, 1), device)), class = "order")
  found <- rr_association(rr_tmdh(rr_cooccurrence(bits, 3), device))
  expect_refused(vcov(found, "a:b:c"), vcov(found, "a"), vcov(found, c("a:b", "c")), vcov(found, measure = "odds.ratio"), coef(found, measure = "phi"),
                 confint(found, measure = "chi"))
  expect_refused(tidy(found, terms = "a:d"), vcov(found, "a:d"), class = "level")
})

test_that("pairs of a product of questions have their own variances and no known covariances; large tables have Cramer's V", {
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.9), k = rr_grr(3, p = 0.8))
  fit <- rr_estimate(rr_counts(c(30, 20, 25, 15, 12, 18, 22, 16, 24, 14, 19, 21), survey), method = "inv")
  found <- rr_association(fit)
  pairs <- as.data.frame(found)
  labels <- c("a:b", "a:k", "b:k")
  for (measure in c("correlation", "covariance")) {
    errors <- pairs[[paste0(measure, ".error")]]
    expect_equal(vcov(found, measure = measure), matrix(c(errors[1]^2, rep(NA, 8)), 3, dimnames = list(labels, labels)))
  }
  expect_identical(coef(found), setNames(pairs$cramers.v, labels))
  expect_identical(diag(as.matrix(found, "cramers.v")), c(a = 1, b = 1, k = 1))
  expect_identical(as.matrix(found, "cramers.v")["k", "a"], pairs$cramers.v[2])
  expect_identical(diag(as.matrix(found, "covariance")), c(a = NA_real_, b = NA, k = NA))
  expect_identical(coef(rr_association(rr_margin(fit, c("b", "a")))), c("b:a" = pairs$correlation[1]))
})

test_that("a table of associations has limits only if they are asked for, and the measures in their order for each pair", {
  fit <- rr_estimate(rr_counts(c(50, 20, 30, 40), rr_product(a = rr_warner(0.8), b = rr_warner(0.9))), method = "inv")
  association <- rr_association(fit)
  expect_identical(names(tidy(association)), c("x", "y", "measure", "estimate", "std.error"))
  expect_identical(names(tidy(association, conf.int = TRUE)), c("x", "y", "measure", "estimate", "std.error", "conf.low", "conf.high"))
  expect_identical(tidy(association)$measure, c("covariance", "correlation", "odds.ratio", "cramers.v"))
  expect_false(any(grepl("^share|[.]both", names(as.data.frame(association)))))
})

test_that("the test of two questions whose reports are bits is that of the correlations that truths can move, by dense algebra", {
  survey <- rr_product(a = rr_unary(c("u", "v", "w"), 1.5), b = rr_unary(c("x", "y", "z", "t"), 1))
  truth <- withr::with_seed(8, data.frame(a = sample(c("u", "v", "w"), 300, TRUE), b = sample(c("x", "y", "z", "t"), 300, TRUE)))
  reports <- withr::with_seed(9, rr_perturb(truth, survey, rng = "R"))
  fit <- rr_tmdh(rr_cooccurrence(reports, 4, mechanism = survey), survey, order = 2)
  association <- as.data.frame(rr_association(rr_margin(fit, c("a", "b"))))
  bits <- lapply(reports, as.matrix)
  means <- lapply(bits, colMeans)
  # Along the contrasts M of categories, in the metric of the covariance S.
  sides <- lapply(bits, function(bits) {
    S <- crossprod(bits) / 300 - tcrossprod(colMeans(bits))
    M <- rbind(-1, diag(ncol(bits) - 1))
    solve(S) %*% M %*% solve(t(M) %*% solve(S) %*% M) %*% t(M) %*% solve(S)
  })
  C <- crossprod(bits$a, bits$b) / 300 - tcrossprod(means$a, means$b)
  expect_equal(association$statistic, 300 * sum(diag(sides$a %*% C %*% sides$b %*% t(C))))
  expect_identical(association$df, 6)
  expect_equal(association$p.value, pchisq(association$statistic, 6, lower.tail = FALSE))
})
