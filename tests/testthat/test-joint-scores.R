# Joint counts in scores against the enumeration of all reports: list(reports = all of them, law = P(report | truth), a
# column a truth).

hadamard_reports <- function(m) list(reports = seq_len(m$blocks * m$size) - 1L, law = t(unname(rr_matrix(m))))

cohort_reports <- function(m) {
  list(reports = tibble::tibble(cohort = rep(seq_len(m$cohorts), each = m$g), value = rep(seq_len(m$g), m$cohorts)), law = t(unname(rr_matrix(m))))
}

# d of b buckets, and their bits.
flip_reports <- function(m) {
  sets <- utils::combn(m$buckets, m$d)
  signs <- t(as.matrix(expand.grid(rep(list(c(-1, 1)), m$d))))
  lists <- do.call(cbind, lapply(seq_len(ncol(sets)), function(s) sets[, s] * signs))
  law <- vapply(seq_len(m$buckets), function(x) apply(lists, 2, function(l) {
    one <- ifelse(abs(l) == x, m$p, m$q)
    prod(ifelse(l > 0, one, 1 - one)) / ncol(sets)
  }), numeric(ncol(lists)))
  storage.mode(lists) <- "integer"
  list(reports = t(lists), law = law)
}

filter_reports <- function(m) {
  bits <- as.matrix(expand.grid(rep(list(0:1), m$bits_number)))
  cohort <- rep(seq_len(m$cohorts), each = nrow(bits))
  all <- bits[rep(seq_len(nrow(bits)), m$cohorts), ]
  law <- vapply(seq_along(m$levels), function(x) vapply(seq_along(cohort), function(i) {
    one <- ifelse(seq_len(m$bits_number) %in% m$places[, x, cohort[i]], m$one, m$zero)
    prod(ifelse(all[i, ] == 1, one, 1 - one)) / m$cohorts
  }, 0), numeric(length(cohort)))
  packed <- candor:::new_rr_reports(.Call(candor:::C_rr_matrix_to_bits, all)$bits, m$bits_number)
  list(reports = structure(list(cohort = cohort, bits = packed), class = "data.frame", row.names = seq_along(cohort)), law = law)
}

category_reports <- function(m) list(reports = m$reports, law = t(unname(rr_matrix(m))))

all_reports <- function(m) {
  if (inherits(m, "rr_hadamard")) hadamard_reports(m)
  else if (inherits(m, "rr_local_hash")) cohort_reports(m)
  else if (inherits(m, "rr_bitflip")) flip_reports(m)
  else if (inherits(m, "rr_bloom")) filter_reports(m)
  else category_reports(m)
}

rows_of_reports <- function(x, i) if (length(dim(x)) == 2L) x[i, , drop = FALSE] else x[i]

# `population`: also for sampled truths, which takes all pairs of two respondents' reports.
expect_unbiased <- function(first, second, population = TRUE) {
  survey <- list(a = first, b = second)
  a <- all_reports(first)
  b <- all_reports(second)
  expect_equal(colSums(a$law), rep(1, ncol(a$law)))
  expect_equal(colSums(b$law), rep(1, ncol(b$law)))
  cells <- expand.grid(i = seq_len(nrow(a$law)), j = seq_len(nrow(b$law)))
  pick <- function(all, i, m) {
    part <- rows_of_reports(all$reports, i)
    if (is.matrix(part)) candor:::new_rr_reports(part, m$buckets) else part
  }
  counts <- lapply(seq_len(nrow(cells)), function(c) {
    row <- structure(list(a = pick(a, cells$i[c], first), b = pick(b, cells$j[c], second)), class = "data.frame", row.names = 1L)
    rr_cooccurrence(row, mechanism = survey)
  })
  k <- ncol(a$law)
  l <- ncol(b$law)
  names_b <- if (l == 2 && inherits(second, "rr_binary")) "b" else paste0("b:", second$levels)
  truths <- function(x, y) {
    c(stats::setNames(1 * (seq_len(k) == x), paste0("a:", first$levels)),
      if (identical(names_b, "b")) c(b = 1 * (y == 2)) else stats::setNames(1 * (seq_len(l) == y), names_b))
  }
  # Fixed truths: one respondent with each pair of truths.
  fits <- lapply(counts, rr_tmdh, mechanism = survey, target = "sample")
  mu <- vapply(fits, coef, coef(fits[[1]]))
  covariances <- lapply(fits, quiet_covariance)
  for (x in seq_len(k)) for (y in seq_len(l)) {
    weight <- a$law[cells$i, x] * b$law[cells$j, y]
    covariance <- Reduce(`+`, Map(`*`, covariances, weight))
    mean <- drop(mu %*% weight)
    single <- truths(x, y)
    expect_equal(mean[names(single)], single, tolerance = 1e-9)
    # A pair is there where both are.
    cross <- outer(single[seq_len(k)], single[-seq_len(k)])
    expect_equal(unname(mean[-seq_along(single)]), as.vector(t(cross)), tolerance = 1e-9)
    expect_equal(unname(covariance), unname(mu %*% (weight * t(mu)) - outer(mean, mean)), tolerance = 1e-8)
  }
  if (!population) return(invisible())
  # A population, two respondents.
  shares <- matrix(seq_len(k * l)^2, k) / sum(seq_len(k * l)^2)
  one <- rowSums(a$law[cells$i, ] %*% shares * b$law[cells$j, ])
  sums <- 0
  for (f in seq_along(counts)) for (s in f:length(counts)) {
    fit <- rr_tmdh(c(counts[[f]], counts[[s]]), survey)
    margin <- rr_margin(fit, c("a", "b"))
    cell <- as.vector(margin$estimate)
    weight <- one[f] * one[s] * (1 + (f != s))
    mu <- coef(fit)
    sums <- sums + weight * c(mu, outer(mu, mu), vcov(fit), cell, outer(cell, cell), margin$covariance)
  }
  S <- length(mu)
  C <- k * l
  parts <- split(unname(sums), rep(1:6, c(S, S^2, S^2, C, C^2, C^2)))
  expect_equal(parts[[3]], parts[[2]] - as.vector(outer(parts[[1]], parts[[1]])), tolerance = 1e-8)
  expect_equal(parts[[4]], as.vector(shares), tolerance = 1e-8)
  expect_equal(parts[[6]], parts[[5]] - as.vector(outer(parts[[4]], parts[[4]])), tolerance = 1e-8)
}

test_that("estimates and covariances of questions counted in scores are unbiased for both targets, by all reports", {
  bit <- rr_binary(0.8, 0.1)
  expect_unbiased(rr_hadamard(3, 1.5, blocks = 2), bit)
  expect_unbiased(rr_local_hash(3, 1.5, g = 2, cohorts = 3), bit)
  expect_unbiased(rr_bitflip(3, 1.5, d = 2), bit, population = FALSE)
  # Two bits in two cohorts tell three categories apart under this key.
  expect_unbiased(rr_bloom(3, 1.5, bits = 2, hashes = 1, cohorts = 2, key = 2), bit)
  skewed <- rr_channel(matrix(c(0.7, 0.2, 0.1, 0.1, 0.5, 0.4, 0.3, 0.1, 0.6), 3, byrow = TRUE))
  expect_unbiased(skewed, rr_bitflip(2, 2, d = 1))
})

mixed <- list(h = rr_hadamard(6, 3, blocks = 2), c = rr_local_hash(3, 2, cohorts = 8), f = rr_bitflip(3, 3, d = 2), r = rr_bloom(4, 4, bits = 8, cohorts = 6),
              u = rr_unary(3, 2), s = rr_warner(0.9), g = rr_grr(letters[1:3], epsilon = 2))

mixed_reports <- function(n, survey = mixed) {
  six <- sample(6, n, TRUE, 6:1)
  three <- ifelse(stats::runif(n) < 0.6, (six + 1) %/% 2, sample(3, n, TRUE))
  truth <- list(h = six, c = three, f = three, r = pmin(six, 4), u = three, s = c("no", "yes")[1 + (three == 1)], g = letters[three])
  reports <- data.frame(h = rr_perturb(six, survey$h, rng = "R"))
  for (name in setdiff(names(survey), "h")) reports[[name]] <- rr_perturb(truth[[name]], survey[[name]], rng = "R")
  list(truth = truth, reports = reports)
}

test_that("one question alone has its unbiased estimate and covariance; what is 0 or 1 is counted as ever", {
  set.seed(1)
  reports <- mixed_reports(500)$reports
  for (target in c("population", "sample")) {
    fit <- rr_tmdh(rr_cooccurrence(reports, mechanism = mixed), mixed, target = target)
    covariance <- suppressWarnings(vcov(fit))
    for (name in c("h", "c")) {
      own <- rr_estimate(reports[[name]], mixed[[name]], method = "inv", target = target)
      labels <- paste0(name, ":", mixed[[name]]$levels)
      expect_equal(unname(coef(fit)[labels]) / 500, unname(coef(own)))
      expect_equal(unname(covariance[labels, labels]) / 500^2, unname(vcov(own)))
    }
    expect_equal(unname(coef(fit)[paste0("f:", 1:3)]) / 500, unname(coef(rr_estimate(reports$f, mixed$f, method = "inv"))))
    bits <- mixed[c("u", "s", "g")]
    plain <- rr_tmdh(rr_cooccurrence(reports[names(bits)], 4, mechanism = bits), bits, order = 2, target = target)
    labels <- names(coef(plain))
    expect_equal(coef(fit)[labels], coef(plain))
    expect_equal(covariance[labels, labels], suppressWarnings(vcov(plain)), tolerance = 1e-8)
    expect_equal(tidy(fit, terms = "u:1:g:b")$std.error, tidy(plain, terms = "u:1:g:b")$std.error)
    a <- as.data.frame(rr_association(fit))
    b <- as.data.frame(rr_association(plain))
    shared <- match(paste(b$x, b$y), paste(a$x, a$y))
    expect_equal(a[shared, ], b, ignore_attr = TRUE, tolerance = 1e-8)
    expect_equal(rr_association(rr_margin(fit, c("u", "g")))$pairs, rr_association(rr_margin(plain, c("u", "g")))$pairs, tolerance = 1e-8)
  }
})

test_that("rows are counted in any parts, with missing ones dropped", {
  set.seed(2)
  reports <- mixed_reports(90)$reports
  whole <- rr_cooccurrence(reports, mechanism = mixed)
  merged <- c(rr_cooccurrence(reports[1:40, ], mechanism = mixed), rr_cooccurrence(reports[41:90, ], mechanism = mixed))
  expect_equal(merged, whole)
  expect_equal(candor:::count_scores(reports, mixed, 2, 0, numbers = 5000), whole)
  holes <- reports
  holes$h[3] <- NA
  expect_error(rr_cooccurrence(holes, mechanism = mixed), "row 3 has one", class = "candor_error_missing")
  expect_message(rest <- rr_cooccurrence(holes, mechanism = mixed, na.rm = TRUE), class = "candor_message_missing")
  expect_equal(rest$values, rr_cooccurrence(reports[-3, ], mechanism = mixed)$values)
})

test_that("three questions have a margin of their own order, and conditional shares", {
  set.seed(3)
  data <- mixed_reports(3000)
  survey <- mixed[c("h", "f", "s")]
  fit <- rr_tmdh(rr_cooccurrence(data$reports[names(survey)], 3, mechanism = survey), survey)
  margin <- rr_margin(fit, names(survey))
  truth <- table(data$truth$h, data$truth$f, data$truth$s) / 3000
  expect_true(all(abs(margin$estimate - truth) <= 5 * sqrt(diag(margin$covariance))))
  expect_equal(colSums(margin$estimate), rr_margin(fit, c("f", "s"))$estimate, ignore_attr = TRUE)
  sample <- rr_margin(fit, names(survey), target = "sample")
  expect_lt(sum(diag(sample$covariance)), sum(diag(margin$covariance)))
})

test_that("the tests of independence of questions counted in scores have their level and find what is there", {
  # 150 surveys of 300: a level of 5 per cent within 4 standard errors, of 1.8 per cent.
  set.seed(4)
  survey <- list(h = rr_hadamard(3, 3, blocks = 2), r = rr_bloom(3, 5, bits = 6, cohorts = 3), c = rr_local_hash(3, 3, cohorts = 6))
  all <- 150 * 300
  reports <- data.frame(h = rr_perturb(sample(3, all, TRUE, 3:1), survey$h, rng = "R"))
  reports$r <- rr_perturb(sample(3, all, TRUE), survey$r, rng = "R")
  reports$c <- rr_perturb(sample(3, all, TRUE), survey$c, rng = "R")
  p <- sapply(1:150, function(i) {
    fit <- rr_tmdh(rr_cooccurrence(reports[300 * (i - 1) + 1:300, ], mechanism = survey), survey)
    c(rr_association(rr_margin(fit, c("h", "r")))$pairs$p.value, rr_association(rr_margin(fit, c("r", "c")))$pairs$p.value)
  })
  expect_lte(max(abs(rowMeans(p < 0.05) - 0.05)), 4 * sqrt(0.05 * 0.95 / 150))
  reports <- mixed_reports(2000)$reports
  fit <- rr_tmdh(rr_cooccurrence(reports, mechanism = mixed), mixed)
  for (pair in list(c("h", "c"), c("r", "f"), c("s", "r"))) {
    for (target in c("population", "sample")) expect_lt(rr_association(rr_margin(fit, pair, target = target))$pairs$p.value, 1e-6)
  }
  # The same covariances straight from the respondents.
  straight <- rr_association(reports, mixed)$pairs
  both <- as.data.frame(rr_association(fit))
  at <- match("h=1 r=2", paste(straight$x, straight$y))
  with <- match("h:1 r:2", paste(both$x, both$y))
  expect_equal(straight$covariance[at], both$covariance[with])
  expect_equal(straight$statistic[at], both$statistic[with])
})

test_that("what cannot be counted in scores is refused, with what to do instead", {
  withr::local_options(cli.width = 100)
  set.seed(5)
  reports <- mixed_reports(30)$reports
  counts <- rr_cooccurrence(reports, mechanism = mixed)
  fit <- rr_tmdh(counts, mixed)
  few <- rr_bloom(9, 2, bits = 4, hashes = 1, cohorts = 2)
  expect_error(rr_cooccurrence(reports, sets = list(c("h:1", "c:1", "f:1")), mechanism = mixed), class = "candor_error_argument")
  expect_error(rr_cooccurrence(data.frame(a = 1:2), mechanism = list(a = rr_hierarchy(4, 1))), class = "candor_error_law")
  nine <- structure(list(a = rr_perturb(1:9, few)), class = "data.frame", row.names = 1:9)
  expect_error(rr_cooccurrence(nine, mechanism = list(a = few)), class = "candor_error_law")
  expect_error(rr_cooccurrence(data.frame(a = c(0, 9999)), mechanism = list(a = mixed$h)), class = "candor_error_report")
  wide <- list(a = rr_hadamard(60, 5), b = rr_hadamard(60, 5))
  expect_error(rr_cooccurrence(data.frame(a = 0, b = 0), mechanism = wide), class = "candor_error_order")
  for (refused in expression(rr_tmdh(counts, mixed, order = 3), rr_margin(fit, c("h", "c", "f")))) expect_error(eval(refused), class = "candor_error_order")
  others <- rr_cooccurrence(reports, mechanism = replace(mixed, "s", list(rr_warner(0.8))))
  for (refused in expression(rr_tmdh(counts, mixed[-1]), c(counts, others))) expect_error(eval(refused), class = "candor_error_mismatch")
  for (refused in expression(vcov(fit, sets = list(c("h:1", "h:2"))), rowtype(counts), as.table(fit))) {
    expect_error(eval(refused), class = "candor_error_argument")
  }
  expect_snapshot(print(counts, n = 3))
})

test_that("scores are counted of at least one row, up to pairs, and by one mechanism alone", {
  survey <- list(c = rr_local_hash(3, 2, cohorts = 4), s = rr_warner(0.9))
  set.seed(6)
  reports <- data.frame(c = rr_perturb(sample(3, 20, TRUE), survey$c, rng = "R"))
  reports$s <- rr_perturb(rep(c("no", "yes"), 10), survey$s, rng = "R")
  expect_error(rr_cooccurrence(reports[0, ], mechanism = survey), class = "candor_error_empty")
  counts <- rr_cooccurrence(reports, mechanism = survey)
  expect_identical(counts$order, 2)
  expect_identical(rr_cooccurrence(reports["s"], mechanism = survey["s"])$order, 1)
  for (other in list(rr_warner(0.9), survey["s"], replace(survey, "c", list(rr_local_hash(3, 2, cohorts = 8))))) {
    expect_error(rr_tmdh(counts, other), class = "candor_error_mismatch")
  }
  # Without tables of reports a sum of bits has the normal interval.
  both <- list(c = survey$c, s = survey$s, t = survey$s)
  reports$t <- rep(c("no", "no", "yes", "yes"), 5)
  margin <- rr_margin(rr_tmdh(rr_cooccurrence(reports, mechanism = both), both), c("s", "t"), sum = TRUE)
  half <- qnorm(0.975) * tidy(margin)$std.error
  expect_equal(unname(confint(margin)), unname(cbind(pmax(coef(margin) - half, 0), pmin(coef(margin) + half, 1))))
})

test_that("standard errors of counts in scores are those of sums of the scores, for both targets", {
  C <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.5, 0.4), c(0.3, 0.1, 0.6))
  survey <- list(a = rr_channel(C, levels = c("x", "y", "z")))
  counts <- c(20, 35, 25)
  scores <- solve(C)[rep(1:3, counts), ]
  total <- colSums(scores)
  squares <- colSums(scores^2)
  reported <- rr_cooccurrence(data.frame(a = rep(survey$a$reports, counts)), mechanism = survey)
  fit <- function(target) tidy(rr_tmdh(reported, survey, target = target))
  expect_equal(fit("sample")$estimate, total)
  expect_equal(fit("sample")$std.error, sqrt(squares - total))
  expect_equal(fit("population")$std.error, sqrt((squares - total^2 / 80) * 80 / 79))
})
