benefit <- as.table(array(c(189, 52, 103, 68), c(2, 2), list(item1 = c("no", "yes"), item2 = c("no", "yes"))))
fit <- rr_tmdh(rr_cooccurrence(benefit), rr_kuk(0.8, 0.2))

test_that("a margin of cells that are all held has no interval, though its variance is a rounding", {
  fit <- suppressWarnings(rr_estimate(rr_counts(c(500, 60, 200, 3), rr_product(a = rr_forced(1 / 6), b = rr_warner(0.8)))))
  margin <- rr_margin(fit, "a")
  expect_equal(coef(margin), c(no = 1, yes = 0))
  expect_identical(unname(confint(margin)), matrix(NA_real_, 2, 2))
})

test_that("benefit survey: the published inversion, its margins and the proper table closest to it", {
  expect_equal(unname(rowtype(fit)) / 412, c(0.6667, -0.0251, 0.1812, 0.1772), tolerance = 2e-4)
  joint <- as.table(fit)
  expect_equal(sum(joint), 1)
  # Projection by hand: one negative cell goes to zero, its mass is shared by the three others.
  expect_equal(as.vector(joint), c(0.66667, 0, 0.18123, 0.17718) - c(1, 0, 1, 1) * 0.02508 / 3, tolerance = 1e-4)
  inside <- as.vector(as.table(fit, method = "truncated"))
  expect_true(all(inside > 0))
  expect_equal(sum(inside), 1)
  # The mean of a normal variable above zero, by integration, with the standard errors of the margin.
  cells <- tidy(rr_margin(fit, 1:2))
  above <- mapply(function(m, s) stats::integrate(function(x) x * stats::dnorm(x, m, s), 0, 2)$value / stats::pnorm(m / s), cells$estimate, cells$std.error)
  expect_equal(inside, above / sum(above), tolerance = 1e-6)
  if (requireNamespace("quadprog", quietly = TRUE)) {
    exact <- quadprog::solve.QP(diag(4), unname(rowtype(fit)) / 412, cbind(1, diag(4)), c(1, 0, 0, 0, 0), meq = 1)$solution
    expect_equal(as.vector(joint), exact, tolerance = 1e-12)
  }
})

test_that("margins are linear, conditional shares are ratios", {
  both <- rr_margin(fit, c("item1", "item2"))
  expect_equal(unname(coef(both)), unname(rowtype(fit)) / 412)
  expect_equal(sum(vcov(both)), 0, tolerance = 1e-15)
  one <- rr_margin(fit, "item1")
  to_one <- rbind(c(1, 0, 1, 0), c(0, 1, 0, 1))
  expect_equal(unname(vcov(one)), unname(to_one %*% vcov(both) %*% t(to_one)))
  expect_equal(tidy(one)$std.error[2], tidy(fit)$std.error[1] / 412)
  flipped <- rr_margin(fit, c("item2", "item1"))
  expect_equal(as.vector(t(flipped$estimate)), as.vector(both$estimate))
  given <- rr_margin(fit, "item1", given = "item2")
  yes <- 0.17718447 / (0.17718447 + 0.18122977)
  expect_equal(given$estimate["yes", "yes"], yes, tolerance = 1e-6)
  # Delta method by numerical differentiation.
  share <- function(cells) cells[4] / (cells[3] + cells[4])
  cells <- unname(coef(both))
  gradient <- difference_gradient(share, cells)
  expect_equal(tidy(given)$std.error[4], sqrt(drop(gradient %*% vcov(both) %*% gradient)), tolerance = 1e-6)
})

test_that("association of a fit and of its margin agree, and with numerical derivatives", {
  set.seed(3)
  bits <- cbind(a = rbinom(3000, 1, 0.4), b = rbinom(3000, 1, 0.5))
  bits[, "b"] <- ifelse(stats::runif(3000) < 0.1, bits[, "a"], bits[, "b"])
  for (target in c("sample", "population")) {
    x <- rr_tmdh(rr_cooccurrence(bits, 2), list(p = c(0.9, 0.8), q = c(0.2, 0.1)), target = target)
    direct <- as.data.frame(rr_association(x))
    margin <- as.data.frame(rr_association(rr_margin(x, c("a", "b"))))
    expect_equal(direct[names(margin)], margin, tolerance = 1e-10)
    both <- rr_margin(x, c("a", "b"))
    measures <- list(correlation = function(s) (s[4] - (s[2] + s[4]) * (s[3] + s[4])) / sqrt(prod(s[2] + s[4], s[1] + s[3], s[3] + s[4], s[1] + s[2])),
                     odds.ratio = function(s) s[1] * s[4] / (s[2] * s[3]),
                     covariance = function(s) s[4] - (s[2] + s[4]) * (s[3] + s[4]))
    for (measure in names(measures)) {
      gradient <- difference_gradient(measures[[measure]], unname(coef(both)))
      factor <- if (measure == "covariance" && target == "population") 3000 / 2999 else 1
      expect_equal(direct[[paste0(measure, ".error")]], factor * sqrt(drop(gradient %*% vcov(both) %*% gradient)), tolerance = 1e-5)
    }
  }
})

test_that("the correlation of estimates has the standard error that is stated", {
  # 20,000 surveys of 20,000 rows: the standard deviation of r is known to 0.5%; the delta method is good to 1% here.
  set.seed(4)
  p <- c(0.75, 0.75)
  q <- c(0.125, 0.125)
  truth <- c(7000, 4000, 3000, 6000)
  channel <- kronecker(rbind(c(1 - q[2], q[2]), c(1 - p[2], p[2])), rbind(c(1 - q[1], q[1]), c(1 - p[1], p[1])))
  y <- Reduce(`+`, lapply(1:4, function(x) stats::rmultinom(20000, truth[x], channel[x, ])))
  d <- p - q
  x <- ((y[2, ] + y[4, ]) / 20000 - q[1]) / d[1]
  z <- ((y[3, ] + y[4, ]) / 20000 - q[2]) / d[2]
  both <- (y[4, ] / 20000 - q[2] * (y[2, ] + y[4, ]) / 20000 - q[1] * (y[3, ] + y[4, ]) / 20000 + prod(q)) / prod(d)
  expected <- as.data.frame(rr_association(rr_pmdh(truth, list(p = p, q = q)), target = "sample"))
  covariance <- both - x * z
  expect_equal(mean(covariance), expected$covariance, tolerance = 4 * stats::sd(covariance) / sqrt(20000) / abs(expected$covariance))
  expect_equal(stats::sd(covariance), expected$covariance.error, tolerance = 0.02)
  expect_equal(stats::sd(covariance / sqrt(x * (1 - x) * z * (1 - z))), expected$correlation.error, tolerance = 0.025)
})

test_that("questions that are not there are refused", {
  one <- rr_tmdh(rr_cooccurrence(matrix(0:1, 4, 3), 1), rr_warner(0.8))
  product <- rr_estimate(benefit, rr_product(item1 = rr_kuk(0.8, 0.2), item2 = rr_kuk(0.8, 0.2)))
  expect_refused(rr_margin(fit, "item3"), rr_margin(fit, 3), confint(rr_margin(fit, 1), parm = "item3"), class = "level")
  expect_refused(rr_association(one), as.table(one), class = "order")
  expect_refused(rr_margin(fit, "item1", given = "item1"), rr_margin(1, 1), rr_association(1),
                 rr_association(rr_margin(fit, 1, given = 2)), as.matrix(rr_association(fit), "phi"),
                 rr_association(rr_tmdh(rowtype(c(3, 4)), rr_warner(0.8))))
  expect_snapshot(rr_margin(fit, "item1", given = "item2"))
  expect_snapshot(rr_association(fit))
})

test_that("several categorical questions: margins by inversion and by likelihood", {
  set.seed(6)
  n <- 4000
  survey <- rr_product(drugs = rr_warner(0.8), theft = rr_crosswise(0.25), income = rr_grr(c("low", "middle", "high"), epsilon = 2))
  truth <- data.frame(drugs = stats::rbinom(n, 1, 0.3) == 1, theft = stats::rbinom(n, 1, 0.2) == 1)
  levels <- c("low", "middle", "high")
  truth$income <- ifelse(truth$drugs, sample(levels, n, TRUE, c(0.6, 0.3, 0.1)), sample(levels, n, TRUE, c(0.2, 0.3, 0.5)))
  reports <- rr_perturb(truth, survey, rng = "R")
  for (method in c("inv", "mle")) {
    for (target in c("population", "sample")) {
      x <- rr_estimate(reports, survey, method = method, target = target)
      both <- rr_margin(x, c("income", "drugs"))
      expect_equal(unclass(both$estimate), apply(as.table(x), c(3, 1), sum), ignore_attr = TRUE, tolerance = 1e-10)
      # The covariance of sums of cells, by a matrix of zeros and ones.
      cells <- expand.grid(drugs = 1:2, theft = 1:2, income = 1:3)
      sum_to <- outer(1:6, cells$income + 3 * (cells$drugs - 1), `==`)
      expect_equal(unname(vcov(both)), unname(sum_to %*% vcov(x) %*% t(sum_to)), tolerance = 1e-8)
      shares <- prop.table(table(truth$drugs, truth$income), 1)[, c("low", "middle", "high")]
      given <- tidy(rr_margin(x, "income", given = "drugs"))
      expect_lt(max(abs(given$estimate - as.vector(t(shares))) / given$std.error), 4.5)
    }
    pairs <- as.data.frame(rr_association(x))
    expect_identical(pairs$df, c(1, 2, 2))
    expect_lt(pairs$p.value[2], 1e-10)
    population <- as.data.frame(rr_association(rr_estimate(reports, survey, method = method)))
    chi <- suppressWarnings(stats::chisq.test(table(reports$drugs, reports$income), correct = FALSE))
    expect_equal(population$statistic[2], unname(chi$statistic))
    # Cramer's V of the estimated table, and its error by numerical differentiation.
    cramer <- function(s) {
      s <- matrix(s, 2)
      sqrt(sum(s^2 / outer(rowSums(s), colSums(s))) - 1)
    }
    table <- rr_margin(x, c("drugs", "income"))
    s <- unname(coef(table))
    gradient <- difference_gradient(cramer, s)
    expect_equal(pairs$cramers.v[2], cramer(s))
    expect_equal(pairs$cramers.v.error[2], sqrt(drop(gradient %*% vcov(table) %*% gradient)), tolerance = 1e-5)
  }
})

test_that("yes/no questions: the joint counts and the product of mechanisms tell the same", {
  set.seed(7)
  n <- 2000
  survey <- rr_product(a = rr_warner(0.8), b = rr_kuk(0.9, 0.2), c = rr_crosswise(0.3))
  truth <- as.data.frame(matrix(stats::rbinom(3 * n, 1, 0.4) == 1, n, dimnames = list(NULL, c("a", "b", "c"))))
  reports <- rr_perturb(truth, survey, rng = "R")
  for (target in c("population", "sample")) {
    joint <- rr_tmdh(rr_cooccurrence(reports, 3), survey, target = target)
    inversion <- rr_estimate(reports, survey, method = "inv", target = target)
    expect_equal(unname(rowtype(joint)) / n, unname(coef(inversion)))
    expect_equal(unname(vcov(rr_margin(joint, 1:3))), unname(vcov(inversion)))
    ours <- as.data.frame(rr_association(joint))
    theirs <- as.data.frame(rr_association(inversion))
    expect_equal(ours[names(theirs)], theirs)
  }
})

test_that("the joint table of one estimate starts another, cell by cell whatever the order of its dimensions", {
  set.seed(9)
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.7), c = rr_warner(0.9))
  bits <- as.data.frame(matrix(stats::rbinom(1500, 1, c(0.2, 0.5, 0.7)), 500, byrow = TRUE, dimnames = list(NULL, c("a", "b", "c"))))
  joint <- as.table(rr_tmdh(rr_cooccurrence(bits, 3), survey), method = "truncated")
  # Without a step the iterative update returns its start.
  start <- function(table, ...) unname(coef(rr_estimate(bits, ..., method = "ibu", iterations = 0, start = table)))
  expect_identical(start(joint, survey), as.vector(joint))
  expect_identical(start(aperm(joint, c(3, 1, 2)), survey), as.vector(joint))
  bare <- as.table(rr_tmdh(rr_cooccurrence(bits, 3), list(p = c(0.8, 0.7, 0.9), q = c(0.2, 0.3, 0.1))), method = "truncated")
  expect_identical(dimnames(bare)$a, c("0", "1"))
  expect_identical(start(bare, survey), as.vector(bare))
  for (table in list(joint, as.table(rr_tmdh(rr_cooccurrence(bits, 3), survey)))) {
    expect_equal(coef(rr_estimate(bits, survey, start = table)), coef(rr_estimate(bits, survey)), tolerance = 1e-8)
  }
  # What a fit of several questions, or of one, gives as a table.
  expect_identical(start(as.table(rr_estimate(bits, survey, method = "invp")), survey), unname(coef(rr_estimate(bits, survey, method = "invp"))))
  one <- rr_counts(c(10, 20, 30), rr_grr(c("x", "y", "z"), epsilon = 1))
  expect_identical(coef(rr_estimate(one, method = "ibu", iterations = 0, start = as.table(rr_estimate(one)))), coef(rr_estimate(one)))
  turned <- as.table(rr_estimate(one))[3:1]
  expect_identical(coef(rr_estimate(one, method = "ibu", iterations = 0, start = turned)), coef(rr_estimate(one)))
  for (wrong in list(as.table(joint[, , 1]), structure(joint, dimnames = stats::setNames(dimnames(joint), c("a", "b", "d"))),
                     as.table(joint[2:1, , ]), joint / 2)) expect_error(rr_estimate(bits, survey, start = wrong), class = "candor_error")
})

test_that("EM started from the joint estimate needs fewer steps where that lies inside (the paper's proposal)", {
  set.seed(8)
  n <- 10000
  d <- 4
  survey <- do.call(rr_product, stats::setNames(rep(list(rr_warner(0.8)), d), letters[1:d]))
  trait <- stats::runif(n) < 0.3
  truth <- as.data.frame(lapply(stats::setNames(1:d, letters[1:d]), function(j) stats::runif(n) < ifelse(trait, 0.7, 0.1)))
  reports <- rr_perturb(truth, survey, rng = "R")
  start <- as.vector(as.table(rr_tmdh(rr_cooccurrence(reports, d), survey), method = "truncated"))
  cold <- rr_estimate(reports, survey, method = "ibu", tolerance = 0.5, iterations = 20000)
  warm <- rr_estimate(reports, survey, method = "ibu", tolerance = 0.5, iterations = 20000, start = start)
  expect_lte(warm$details[[1]]$gap, 0.5)
  expect_lt(warm$details[[1]]$iterations, cold$details[[1]]$iterations)
})

test_that("the test of independence has its level, also where estimates leave the simplex", {
  # Independent truths, 300 rows, a rare item: most joint estimates have a negative cell. 20,000 surveys: 5% to within 0.5%.
  set.seed(5)
  one <- function(share) 0.2 + 0.6 * share
  reported <- as.vector(outer(c(1 - one(0.05), one(0.05)), c(1 - one(0.3), one(0.3))))
  y <- stats::rmultinom(20000, 300, reported)
  a <- (y[2, ] + y[4, ]) / 300
  b <- (y[3, ] + y[4, ]) / 300
  statistic <- 300 * (y[4, ] / 300 - a * b)^2 / (a * (1 - a) * b * (1 - b))
  expect_equal(mean(statistic > stats::qchisq(0.95, 1)), 0.05, tolerance = 0.1)
  for (i in 1:20) {
    x <- rr_tmdh(rowtype(y[, i]), rr_warner(0.8))
    expect_equal(as.data.frame(rr_association(x))$statistic, statistic[i])
    expect_equal(as.data.frame(rr_association(rr_margin(x, 1:2)))$statistic, statistic[i])
  }
})

test_that("quantiles are those of one question with an order, whatever it is given", {
  ordered <- rr_grr(factor(c("low", "middle", "high"), c("low", "middle", "high"), ordered = TRUE), epsilon = 3)
  survey <- rr_product(a = ordered, b = ordered, c = rr_warner(0.9), d = rr_grr(c("x", "y"), epsilon = 3))
  fit <- rr_estimate(rr_counts(rep(c(50, 80, 90, 40, 30, 70), 6), survey), method = "inv")
  expect_refused(rr_quantile(rr_margin(fit, c("a", "b"))), rr_quantile(rr_margin(fit, c("a", "b"), given = "c")), rr_quantile(rr_margin(fit, "d")))
  # Two conditions, four classes: the least level at which the estimated shares add up to a half.
  given <- rr_margin(fit, "b", given = c("c", "d"))
  reached <- apply(given$estimate, c(2, 3), function(share) which(cumsum(share) >= 0.5)[1])
  expect_equal(rr_quantile(given, 0.5)$estimate, as.vector(reached))
})

test_that("a truncated table is that of a debiased histogram alone", {
  counted <- as.table(array(c(600, 150, 150, 100), c(2, 2)))
  expect_refused(as.table(rr_cooccurrence(counted), method = "truncated"), as.table(rr_pmdh(counted, rr_warner(0.8)), method = "truncated"))
})

test_that("a margin of inversion takes no cell as known, whatever the joint estimate has at 0", {
  survey <- rr_product(x = rr_warner(0.8), y = rr_warner(0.8))
  tally <- rr_counts(c(90, 40, 40, 10), survey)
  inverted <- rr_margin(rr_estimate(tally, method = "inv"), "x")
  expect_null(inverted$boundary)
  expect_null(inverted$notes)
  fit <- rr_estimate(tally)
  expect_gt(sum(fit$estimate == 0), 0)
  expect_equal(rr_margin(fit, "x")$boundary, sum(fit$estimate == 0))
})

test_that("what has no margin, no sum and no quantile is refused", {
  bits <- matrix(rep(c(0, 1, 1, 0, 1), 11), 10, 11)
  wide <- rr_tmdh(rr_cooccurrence(bits, 1), rr_warner(0.8))
  # 2048 cells.
  expect_refused(rr_margin(wide, 1:11))
  named <- rr_tmdh(rr_cooccurrence(data.frame(estimate = c(0, 1, 1), b = c(1, 1, 0))), rr_warner(0.8))
  expect_refused(rr_margin(named, "estimate"), rr_margin(named, "b", target = "people"), rr_margin(named, "b", sum = NA))
  expect_refused(rr_margin(named, c("b", "b")), rr_margin(named, character()), rr_margin(named, "b", given = 3), rr_margin(named, 1.5), class = "level")
  survey <- rr_product(a = rr_warner(0.8), sum = rr_warner(0.7), k = rr_grr(factor(1:3, ordered = TRUE), p = 0.8))
  tally <- rr_counts(c(30, 20, 25, 15, 12, 18, 22, 16, 24, 14, 19, 21), survey)
  fit <- rr_estimate(tally, method = "inv")
  expect_refused(rr_margin(fit, "a", given = "sum", sum = TRUE), rr_margin(rr_estimate(tally, interval = "anytime"), "a"))
  quantile <- function(...) rr_quantile(rr_margin(fit, "k"), ...)
  expect_refused(quantile(1.5), quantile(conf.level = 1), quantile(difference = NA))
  expect_refused(rr_quantile(rr_margin(fit, "a", sum = TRUE)))
})

test_that("a margin of a survey design is for the target of its fit, of shares in one group", {
  skip_if_not_installed("survey")
  people <- data.frame(a = rep(0:1, 20), b = rep(c(0, 0, 1, 1), 10), area = rep(c("N", "S"), each = 20), w = rep(1:4, 10))
  design <- survey::svydesign(~1, weights = ~w, data = people)
  survey <- rr_product(a = rr_warner(0.8), b = rr_warner(0.9))
  fit <- function(...) rr_estimate(design, survey, method = "inv", ...)
  expect_refused(rr_margin(fit(), "a", target = "sample"), rr_margin(fit(by = ~area), "a"), rr_margin(fit(total = TRUE), "a"))
  # Debiased weighted mean.
  margin <- rr_margin(fit(), "a", target = "population")
  expect_equal(margin$estimate[["yes"]], (weighted.mean(people$a, people$w) - 0.2) / 0.6)
})

test_that("nothing is said given what nobody seems to answer, and no error of a cell that is taken as known", {
  survey <- rr_product(x = rr_warner(0.8), y = rr_warner(0.8))
  # Ten of ninety say yes to y, fewer than the eighteen of whom nobody means it.
  counts <- c(50, 30, 4, 6)
  given <- rr_margin(rr_estimate(rr_counts(counts, survey), method = "inv"), "x", given = "y")
  C <- rr_matrix(rr_warner(0.8))
  cells <- solve(t(C)) %*% matrix(counts / 90, 2) %*% solve(C)
  expect_lt(sum(cells[, 2]), 0)
  expect_equal(unname(given$estimate), cbind(cells[, 1] / sum(cells[, 1]), NA), ignore_attr = TRUE)
  expect_identical(is.na(tidy(given)$std.error), c(FALSE, FALSE, TRUE, TRUE))
  expect_identical(unname(is.na(confint(given)[, 1])), c(FALSE, FALSE, TRUE, TRUE))
  # One cell at 0 by likelihood.
  known <- rr_margin(rr_estimate(rr_counts(c(90, 40, 40, 10), survey)), c("x", "y"))
  at_zero <- coef(known) == 0
  expect_identical(sum(at_zero), 1L)
  expect_identical(is.na(confint(known)[, 1]), tidy(known)$std.error == 0, ignore_attr = TRUE)
  expect_equal(as.table(known), as.table(rr_estimate(rr_counts(c(90, 40, 40, 10), survey))), ignore_attr = TRUE)
  groups <- rr_estimate(rr_counts(cbind(N = c(90, 40, 40, 10), S = c(50, 30, 4, 6)), survey), method = "inv")
  expect_refused(rr_margin(groups, "x"), rr_association(groups))
})

test_that("a margin of a design has its degrees of freedom, and cells below 0 are not taken as known", {
  skip_if_not_installed("survey")
  people <- data.frame(a = rep(0:1, c(34, 6)), b = rep(c(0, 1, 0), c(20, 16, 4)), town = rep(1:10, 4))
  design <- survey::svydesign(~town, weights = ~1, data = people)
  margin <- rr_margin(rr_estimate(design, rr_product(a = rr_warner(0.8), b = rr_warner(0.9)), method = "inv"), c("a", "b"))
  expect_lt(min(coef(margin)), 0)
  expect_null(margin$notes)
  expect_equal(c(margin$n, margin$df), c(40, 9))
})

test_that("the number of yes counts the answer yes, wherever it stands", {
  survey <- rr_product(a = rr_grr(c("yes", "no"), p = 0.8), b = rr_warner(0.9))
  counts <- c(40, 30, 10, 20)
  sums <- rr_margin(rr_estimate(rr_counts(counts, survey), method = "inv"), c("a", "b"), sum = TRUE)
  C <- function(p) rbind(c(p, 1 - p), c(1 - p, p))
  cells <- solve(C(0.8)) %*% matrix(counts / 100, 2) %*% solve(C(0.9))
  # Rows yes and no of a, columns no and yes of b.
  expect_equal(unname(coef(sums)), c(cells[2, 1], cells[1, 1] + cells[2, 2], cells[1, 2]))
})

test_that("supports of an ordered question are no reports of it, and have no quantile", {
  bits <- cbind(a = c(1, 0, 0, 1), b = c(0, 1, 0, 0), c = c(0, 1, 1, 1))
  fit <- rr_tmdh(rr_cooccurrence(bits, 2), list(q = rr_unary(factor(c("a", "b", "c"), ordered = TRUE), 1)))
  expect_refused(rr_quantile(rr_margin(fit, "q")))
})

# The second moments of unbiased scores, a row for each truth and a column for each cell, as intervals of cells use them: mixed by
# the estimated shares, and split by what a member adds if questions are independent.
score_squares <- function(second, shares, kappa) {
  smallest <- apply(second, 2, min)
  other <- pmax(drop(shares %*% second) - kappa * shares, smallest)
  list(second_true = other + kappa, second_other = other, min_second = pmin(diag(second) - 1, smallest))
}

test_that("intervals of cells of yes/no columns have the second moments of products of their scores", {
  bits <- withr::with_seed(3, matrix(rbinom(1200, 1, rep(c(0.3, 0.6), each = 600)), 600, dimnames = list(NULL, c("a", "b"))))
  p <- c(a = 0.8, b = 0.9)
  q <- c(a = 0.1, b = 0.3)
  fit <- rr_tmdh(rr_cooccurrence(bits, 2), list(p = unname(p), q = unname(q)))
  # E(score^2 | truth) of no and yes: rows are truths.
  second <- lapply(c(a = "a", b = "b"), function(column) {
    score <- (0:1 - q[column]) / (p[column] - q[column])
    rbind(c(1 - q[column], q[column]), c(1 - p[column], p[column])) %*% unname(cbind(1 - score, score)^2)
  })
  added <- function(column) diag(second[[column]]) - diag(second[[column]][2:1, ])
  for (vars in list("a", "b", c("a", "b"), c("b", "a"))) {
    margin <- rr_margin(fit, vars)
    squares <- if (length(vars) == 1) second[[vars]] else kronecker(second[[vars[2]]], second[[vars[1]]])
    kappa <- if (length(vars) == 1) added(vars) else as.vector(outer(added(vars[1]), added(vars[2])))
    expect_true(all(margin$estimate > 0))
    expect_equal(margin$squares, c(score_squares(squares, as.vector(margin$estimate), kappa), list(n = rep(600, 2^length(vars)))))
  }
})

test_that("intervals of cells of an inversion have the second moments of each question's inverse, mixed by its own shares", {
  survey <- rr_product(a = rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.6, 0.3), c(0.2, 0.1, 0.7))), b = rr_binary(0.8, 0.3), c = rr_warner(0.9))
  truth <- withr::with_seed(4, data.frame(a = sample(3, 900, TRUE, c(5, 3, 2)), b = sample(c("no", "yes"), 900, TRUE), c = sample(c("no", "yes"), 900, TRUE)))
  fit <- withr::with_seed(5, rr_estimate(rr_perturb(truth, survey, rng = "R"), survey, method = "inv"))
  moments <- lapply(c(a = "a", b = "b", c = "c"), function(question) {
    C <- unname(rr_matrix(survey$questions[[question]]))
    second <- C %*% t(solve(t(C)))^2
    own <- as.vector(rr_margin(fit, question)$estimate)
    others <- vapply(seq_along(own), function(x) sum(own[-x] * second[-x, x]) / sum(own[-x]), 0)
    list(v = others, kappa = diag(second) - others)
  })
  for (vars in list("a", c("a", "b"), c("c", "a"))) {
    margin <- rr_margin(fit, vars)
    expect_true(all(margin$estimate > 0))
    # A category's score has v on average if another is the truth, and v + kappa if it is; the smallest and largest by these.
    tables <- lapply(moments[vars], function(m) t(m$v + diag(m$kappa)))
    products <- function(f) Reduce(function(x, y) as.vector(outer(x, y)), lapply(moments[vars], f))
    second <- Reduce(function(x, y) kronecker(y, x), tables)
    shares <- as.vector(margin$estimate)
    other <- drop(shares %*% second) - products(function(m) m$kappa) * shares
    expect_equal(margin$squares$second_other, pmax(other, products(function(m) pmin(m$v, m$v + m$kappa))))
    expect_equal(margin$squares$second_true, margin$squares$second_other + products(function(m) m$kappa))
    expect_identical(margin$squares$n, 900)
  }
})

test_that("shares that were made to add up to 1 count as many respondents as their variance says", {
  survey <- rr_product(a = rr_unary(c("u", "v", "w"), 1.5), b = rr_warner(0.8))
  truth <- withr::with_seed(6, data.frame(a = sample(c("u", "v", "w"), 500, TRUE, c(5, 3, 2)), b = sample(c("no", "yes"), 500, TRUE)))
  fit <- withr::with_seed(7, rr_tmdh(rr_cooccurrence(rr_perturb(truth, survey, rng = "R"), 4, mechanism = survey), survey, order = 2))
  margin <- rr_margin(fit, "a")
  raw <- diag(vcov(fit, c("a:u", "a:v", "a:w"))) / 500^2
  expect_equal(margin$squares$n, unname(500 * raw / diag(margin$covariance)))
  expect_false(any(abs(margin$squares$n - 500) < 1))
  # Category and yes; category and no is the category less these.
  margin <- rr_margin(fit, c("a", "b"))
  V <- vcov(fit, c("a:u", "a:v", "a:w", "a:u:b", "a:v:b", "a:w:b")) / 500^2
  contrasts <- rbind(cbind(diag(3), -diag(3)), cbind(0 * diag(3), diag(3)))
  expect_equal(margin$squares$n, 500 * diag(contrasts %*% V %*% t(contrasts)) / diag(margin$covariance))
})

test_that("quantiles in classes are those of the terms of each report, and their differences have the correlation of both", {
  survey <- rr_product(a = rr_grr(c(1, 2, 3, 4), epsilon = 2), b = rr_warner(0.9))
  counts <- c(50, 80, 90, 40, 60, 70, 80, 95)
  n <- sum(counts)
  breaks <- c(0, 1, 2.5, 4, 8)
  z <- qnorm(0.975)
  probs <- c(0.25, 0.5, 0.75)
  C <- unname(kronecker(rr_matrix(survey$questions$b), rr_matrix(survey$questions$a)))
  L <- solve(t(C))
  for (target in c("population", "sample")) {
    fit <- rr_estimate(rr_counts(counts, survey), method = "inv", target = target)
    margin <- rr_margin(fit, "a", given = "b")
    # What each report adds to the shares up to each level of a class, and its mean square under each truth.
    classes <- lapply(0:1, function(class) {
      terms <- lower.tri(diag(4), TRUE) %*% L[4 * class + 1:4, ]
      squares <- C %*% t(terms^2)
      crossing <- vapply(1:4, function(level) {
        up_to <- mean(squares[4 * class + seq_len(level), level])
        if (level < 4) up_to - mean(squares[4 * class + (level + 1):4, level]) else up_to
      }, 0)
      list(terms = terms, crossing = (crossing - (target == "sample")) / n)
    })
    expect_equal(margin_crossings(margin), vapply(classes, `[[`, numeric(4), "crossing"))
    found <- rr_quantile(margin, breaks = breaks)
    V <- vcov(fit)
    expected <- lapply(1:2, function(j) {
      below <- drop(classes[[j]]$terms %*% counts) / n
      cumulate <- lower.tri(diag(4), TRUE) %*% diag(8)[4 * (j - 1) + 1:4, ]
      # In a population the mean of what is tested is 0, and its square is not taken off.
      products <- if (target == "population") classes[[j]]$terms %*% (counts / n * t(classes[[j]]$terms)) / n else cumulate %*% V %*% t(cumulate)
      level_quantiles(probs, z, below, products, classes[[j]]$crossing, margin_edges(margin, breaks))
    })
    columns <- c(estimate = "estimate", low = "conf.low", high = "conf.high")
    for (name in names(columns)) expect_equal(found[[columns[[name]]]], unlist(lapply(expected, `[[`, name)))
    # The part of each bin below a quantile less the probability is what is 0 there.
    weights <- function(j, i) {
      part <- pmin(pmax((found$estimate[3 * (j - 1) + i] - breaks[-5]) / diff(breaks), 0), 1)
      replace(numeric(8), 4 * (j - 1) + 1:4, part - probs[i])
    }
    r <- vapply(1:3, function(i) {
      both <- cbind(weights(1, i), weights(2, i))
      cov2cor(t(both) %*% V %*% both)[1, 2]
    }, 0)
    reach <- function(a, b) sqrt(a^2 + b^2 - 2 * r * a * b)
    low <- matrix(found$estimate - found$conf.low, 3)
    high <- matrix(found$conf.high - found$estimate, 3)
    change <- rr_quantile(margin, breaks = breaks, difference = TRUE)
    expect_equal(change$estimate, found$estimate[4:6] - found$estimate[1:3])
    expect_equal(change$conf.low, change$estimate - reach(low[, 2], high[, 1]))
    expect_equal(change$conf.high, change$estimate + reach(high[, 2], low[, 1]))
  }
})

test_that("the rows of a margin are its cells, the first question fastest, and those of a sum the numbers of yes", {
  survey <- rr_product(a = rr_binary(0.8, 0.3), b = rr_grr(c("x", "y", "z"), p = 0.7), c = rr_warner(0.9))
  counts <- c(50, 80, 90, 40, 60, 70, 80, 95, 30, 55, 65, 45)
  fit <- rr_estimate(rr_counts(counts, survey), method = "inv")
  rows <- tidy(rr_margin(fit, c("b", "a")))
  expect_identical(rows[c("b", "a")], tibble::tibble(b = rep(c("x", "y", "z"), 2), a = rep(c("no", "yes"), each = 3)))
  squares <- rr_margin(fit, c("a", "c"), sum = TRUE)$squares
  C <- unname(kronecker(rr_matrix(survey$questions$c), rr_matrix(survey$questions$a)))
  # Both no, one yes, both yes.
  cells <- rbind(c(1, 0, 0, 0), c(0, 1, 1, 0), c(0, 0, 0, 1))
  second <- C %*% t((cells %*% solve(t(C)))^2)
  theta <- as.vector(rr_margin(fit, c("a", "c"))$estimate)
  mixed <- function(weights) colSums(weights * second) / colSums(weights)
  expect_equal(squares$second_true, mixed(theta * t(cells)))
  expect_equal(squares$second_other, mixed(theta * (1 - t(cells))))
  # The variance under the truth that has the least.
  expect_equal(squares$min_second, apply(second - t(cells), 2, min))
})
