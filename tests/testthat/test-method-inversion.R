test_that("a left inverse takes every row to its unit vector and keeps the sum", {
  set.seed(1)
  for (size in list(c(3, 3), c(3, 7), c(5, 6))) {
    C <- random_channel(size[1], size[2])
    L <- t(left_inverse(list(matrix = t(C)))$matrix)
    expect_equal(L %*% t(C), diag(size[1]))
    expect_equal(colSums(L), rep(1, size[2]))
  }
  expect_null(left_inverse(list(matrix = t(random_channel(4, 3)))))
  expect_null(left_inverse(list(matrix = cbind(c(0.5, 0.3, 0.2), c(0.5, 0.3, 0.2)))))
  expect_equal(t(left_inverse(list(a = 0.3, b = rep(0.7 / 3, 3)))$matrix), solve(diag(0.3, 3) + 0.7 / 3), tolerance = 1e-12)
})

test_that("rectangular inversion is least squares under the constraint of the sum", {
  skip_if_not_installed("quadprog")
  set.seed(2)
  C <- random_channel(3, 6)
  counts <- c(10, 20, 5, 30, 12, 9)
  phi <- counts / sum(counts)
  by_quadprog <- quadprog::solve.QP(C %*% t(C), C %*% phi, matrix(1, 3, 1), 1, meq = 1)$solution
  expect_equal(unname(coef(rr_estimate(rr_counts(counts, rr_channel(C)), method = "inv"))), by_quadprog)
})

test_that("covariances of inversion equal the enumeration over all histograms, for both targets", {
  C <- rbind(c(0.6, 0.3, 0.1), c(0.2, 0.2, 0.6))
  channel <- rr_channel(C)
  n <- 3
  reports <- as.matrix(expand.grid(rep(list(1:3), n)))
  counts <- t(apply(reports, 1, tabulate, 3))
  fits <- apply(counts, 1, function(x) {
    inv <- rr_estimate(rr_counts(x, channel), method = "inv")
    c(coef(inv), vcov(inv), vcov(inv, target = "sample"))
  })
  expectation <- function(weights) {
    mean <- drop(fits %*% weights)
    second <- fits[1:2, ] %*% (weights * t(fits[1:2, ]))
    list(estimate = mean[1:2], covariance = second - outer(mean[1:2], mean[1:2]), population = mean[3:6], sample = mean[7:10])
  }
  theta <- c(0.3, 0.7)
  sampled <- expectation(apply(reports, 1, function(y) prod(drop(theta %*% C)[y])))
  expect_equal(unname(sampled$estimate), theta)
  expect_equal(as.vector(sampled$covariance), unname(sampled$population))
  # Truths 1, 2, 2.
  fixed <- expectation(apply(reports, 1, function(y) prod(C[cbind(c(1, 2, 2), y)])))
  expect_equal(unname(fixed$estimate), c(1, 2) / 3)
  expect_equal(as.vector(fixed$covariance), unname(fixed$sample))
})

test_that("the covariance of the maximum is the inverse information, by numerical differentiation", {
  set.seed(3)
  C <- random_channel(3, 5)
  counts <- as.vector(round(2000 * drop(c(0.5, 0.3, 0.2) %*% C)))
  fit <- rr_estimate(rr_counts(counts, rr_channel(C)), tolerance = 1e-10)
  loglik <- function(free) {
    theta <- c(free, 1 - sum(free))
    sum(counts * log(drop(theta %*% C)))
  }
  hessian <- stats::optimHess(unname(coef(fit))[1:2], loglik, control = list(ndeps = c(1e-4, 1e-4)))
  expect_equal(unname(vcov(fit))[1:2, 1:2], unname(solve(-hessian)), tolerance = 1e-4)
  expect_equal(unname(rowSums(vcov(fit))), rep(0, 3), tolerance = 1e-12)
})

test_that("score intervals cover in a rectangular channel", {
  set.seed(4)
  C <- random_channel(3, 5, 0.5)
  channel <- rr_channel(C)
  theta <- c(0.05, 0.35, 0.6)
  counts <- stats::rmultinom(400, 300, drop(theta %*% C))
  covered <- apply(counts, 2, function(x) {
    bounds <- confint(rr_estimate(rr_counts(x, channel)))
    bounds[, 1] <= theta & theta <= bounds[, 2]
  })
  # Nominal 0.95; the standard error of a mean of 400 is 0.011.
  expect_true(all(rowMeans(covered) > 0.915))
})

# Questions that are b[y] + a 1{x = y} with unequal b, each next to a yes/no question; `reversed` has a < 0.
unequal_questions <- function() {
  list(forced = rr_forced(c(0.1, 0.05, 0.15)), unrelated = rr_unrelated(0.7, c(0.5, 0.2, 0.3)),
       channel = rr_channel(0.5 * diag(3) + rep(c(0.3, 0.05, 0.15), each = 3)),
       composed = rr_compose(rr_forced(c(0.1, 0.05, 0.15)), rr_grr(3, p = 0.8)),
       reversed = rr_compose(rr_grr(3, p = 0.1), rr_forced(c(0.1, 0.05, 0.15))),
       four = rr_forced(c(0.02, 0.2, 0.1, 0.05)))
}

test_that("one respondent, unequal innocuous answers: the inversion is unbiased, truth by truth and exactly", {
  for (question in unequal_questions()) {
    expect_gt(diff(range(rr_law(question)$b)), 0.01)
    products <- list(rr_product(x = question), rr_product(x = question, y = rr_warner(0.8)), rr_product(y = rr_binary(0.9, 0.2), x = question),
                     rr_product(x = question, y = rr_grr(3, p = 0.6)), rr_product(x = question, y = rr_warner(0.8), z = question))
    for (survey in products) {
      K <- unname(rr_matrix(survey))
      estimates <- t(vapply(seq_len(ncol(K)), function(y) {
        coef(rr_estimate(rr_counts(as.double(seq_len(ncol(K)) == y), survey), method = "inv"))
      }, numeric(nrow(K))))
      expect_equal(K %*% unname(estimates), diag(nrow(K)), tolerance = 1e-12)
    }
  }
})

test_that("products with unequal innocuous answers: everything is that of the dense joint channel", {
  set.seed(9)
  for (question in unequal_questions()) {
    k <- length(question$levels)
    for (survey in list(rr_product(x = question, y = rr_warner(0.8)), rr_product(y = rr_warner(0.8), x = question))) {
      K <- kronecker(unname(rr_matrix(survey$questions[[2]])), unname(rr_matrix(survey$questions[[1]])))
      expect_equal(unname(rr_matrix(survey)), K)
      # L c / N is the inversion; its covariance L diag(phi) L' less the outer product of the estimate, or less its diagonal.
      L <- t(solve(K))
      inside <- (1:(2 * k)) / sum(1:(2 * k))
      for (counts in list(round(3000 * drop(inside %*% K)), stats::rpois(2 * k, 40))) {
        n <- sum(counts)
        theta <- drop(L %*% counts) / n
        second <- L %*% diag(counts / n) %*% t(L)
        population <- (second - tcrossprod(theta)) / (n - 1)
        sample <- (second - diag(theta)) / n
        tally <- rr_counts(counts, survey)
        fit <- rr_estimate(tally, method = "inv")
        expect_equal(unname(coef(fit)), theta, tolerance = 1e-12)
        expect_equal(unname(vcov(fit)), population, tolerance = 1e-11)
        expect_equal(unname(vcov(fit, target = "sample")), sample, tolerance = 1e-11)
        expect_equal(tidy(fit)$std.error, sqrt(diag(population)), tolerance = 1e-11)

        # The shares t with (theta - t)^2 / Var(t) n, less its value at the share nearest to theta, of at most z^2, the other
        # cells being mixed as fitted: bounds by their equation.
        z <- stats::qnorm(0.975)
        mle <- rr_estimate(tally)
        off <- list()
        for (target in c("population", "sample")) {
          bounds <- confint(rr_estimate(tally, target = target))
          spread <- function(i, t) {
            others <- coef(mle)
            others[i] <- 0
            truth <- (1 - t) * others / sum(others)
            truth[i] <- t
            sum(L[i, ]^2 * drop(truth %*% K)) - if (target == "population") t^2 else t
          }
          for (i in seq_along(theta)) {
            end <- min(max(theta[i], 0), 1)
            least <- if (end == theta[i]) 0 else n * (theta[i] - end)^2 / spread(i, end)
            excess <- function(t) (theta[i] - t)^2 - (z^2 + least) * spread(i, t) / n
            open <- bounds[i, ][bounds[i, ] > 0 & bounds[i, ] < 1 & bounds[i, ] != coef(mle)[i]]
            off[[paste(names(coef(mle))[i], target)]] <- abs(vapply(open, excess, 0))
          }
        }
        off <- unlist(off)
        expect_identical(names(off)[off >= 1e-10], character())

        # Where the inversion is a distribution it is the maximum, and so are its errors for these very respondents.
        if (all(theta > 0.01)) {
          expect_equal(unname(coef(mle)), theta, tolerance = 1e-9)
          expect_equal(unname(vcov(mle, target = "sample")), sample, tolerance = 1e-7)
          expect_equal(unname(vcov(mle)), population * (n - 1) / n, tolerance = 1e-7)
        }

        # Margins: sums of cells, in either order.
        both <- rr_margin(fit, c("y", "x"))
        dims <- unname(survey$sizes)
        cells <- array(theta, dims)
        place <- array(seq_along(theta), dims)
        if (names(survey$sizes)[1] == "x") {
          cells <- t(cells)
          place <- t(place)
        }
        expect_equal(as.vector(both$estimate), as.vector(cells), tolerance = 1e-12)
        expect_equal(unname(vcov(both)), population[place, place], tolerance = 1e-11)
        one <- rr_margin(fit, "x", target = "sample")
        to_x <- t(outer(as.vector(col(cells)), 1:k, `==`))[, order(as.vector(place))] + 0
        expect_equal(as.vector(one$estimate), drop(to_x %*% theta), tolerance = 1e-12)
        expect_equal(unname(vcov(one)), to_x %*% sample %*% t(to_x), tolerance = 1e-10)
        expect_equal(as.vector(one$estimate), unname(coef(rr_estimate(rr_counts(drop(to_x %*% counts), question), method = "inv"))), tolerance = 1e-12)

        # Cramer's V of the inverted table and its delta-method error.
        if (all(theta > 0.01)) {
          pair <- as.data.frame(rr_association(fit))
          cramer <- function(t) sqrt(sum(matrix(t, dims[1])^2 / outer(rowSums(matrix(t, dims[1])), colSums(matrix(t, dims[1])))) - 1)
          step <- function(i) 1e-6 * (seq_along(theta) == i)
          gradient <- vapply(seq_along(theta), function(i) (cramer(theta + step(i)) - cramer(theta - step(i))) / 2e-6, 0)
          expect_equal(pair$cramers.v, cramer(theta), tolerance = 1e-10)
          expect_equal(pair$cramers.v.error, sqrt(drop(gradient %*% population %*% gradient)), tolerance = 1e-5)
        }
      }
    }
  }
})

test_that("at the boundary too, the maximum of such a product has the errors of the dense joint channel", {
  set.seed(10)
  for (question in unequal_questions()[c("forced", "unrelated", "composed")]) {
    survey <- rr_product(x = question, y = rr_warner(0.8))
    K <- unname(rr_matrix(survey))
    counts <- as.vector(stats::rmultinom(1, 500, drop(c(0.5, 0.3, 0, 0, 0.2, 0) %*% K)))
    n <- sum(counts)
    fit <- rr_estimate(rr_counts(counts, survey))
    on <- which(coef(fit) > 0)
    expect_lt(length(on), 6)
    # The maximum on its support solves sum_y phi C[i, y] / m = 1: by the implicit function theorem a change of phi moves it by
    # I^-1 (rows / m), and the covariance of phi given the truths is diag(phi) - K' diag(truths) K.
    phi <- counts / n
    m <- drop(coef(fit) %*% K)
    information <- K[on, ] %*% (phi / m^2 * t(K[on, ]))
    toward <- solve(information, K[on, ] %*% diag(1 / m))
    truths <- drop(solve(t(K), phi))
    sampled <- toward %*% (diag(phi) - tcrossprod(phi)) %*% t(toward)
    given <- toward %*% (diag(phi) - t(K) %*% (truths * K)) %*% t(toward)
    expect_equal(unname(vcov(fit))[on, on], sampled / n, tolerance = 1e-6)
    expect_equal(unname(vcov(fit, target = "sample"))[on, on], given / n, tolerance = 1e-6)
  }
})

test_that("the details of the maximum have Algorithm 1's threshold and what it leaves, by hand", {
  mechanism <- rr_grr(5, 1)
  counts <- c(300, 500, 200, 5, 250)
  q <- 1 / (exp(1) + 4)
  details <- suppressWarnings(rr_estimate(rr_counts(counts, mechanism), method = "mle"))$details[[1]]
  # Categories 3 and 4 stay below the threshold, so that i = 2.
  kept <- c(300, 500, 250)
  expect_equal(details$threshold, q * sum(kept) / (1 - 2 * q))
  expect_true(details$threshold > 200 && details$threshold < 250)
  expect_equal(unlist(details[c("active", "active.count", "zeros")]), c(active = 3, active.count = 1050, zeros = 2))
  expect_equal(details$tau, 250 / 1255)
  expect_equal(details$c_tau, (1 - 2 * q) / (sum(kept) / 1255))
})
