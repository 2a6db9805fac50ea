# Joint counts of questions under different protocols, against the enumeration of all reports of two respondents.

bit_patterns <- function(m) list(bits = matrix(0:1), law = t(unname(rr_matrix(m))))

# Means and covariances of two respondents' estimates over all reports, and the mean of the estimated covariance.
# `truths` are two cells (a, b), or a matrix of their shares in the population.
enumerate_pairs <- function(a, b, survey, truths) {
  cells <- expand.grid(i = seq_len(nrow(a$bits)), j = seq_len(nrow(b$bits)))
  fixed <- is.list(truths)
  law <- function(cell) a$law[cells$i, cell[1]] * b$law[cells$j, cell[2]]
  one <- if (fixed) vapply(truths, law, numeric(nrow(cells))) else matrix(rowSums(a$law[cells$i, ] %*% truths * b$law[cells$j, ]), nrow(cells), 2)
  target <- if (fixed) "sample" else "population"
  columns <- cbind(a$bits[cells$i, , drop = FALSE], b$bits[cells$j, , drop = FALSE])
  names <- unlist(Map(function(name, m) if (candor:::support_columns(m)$width == 1L) name else paste0(name, ":", m$levels), names(survey), survey))
  storage.mode(columns) <- "integer"
  colnames(columns) <- names
  sums <- NULL
  for (first in seq_len(nrow(cells))) for (second in first:nrow(cells)) {
    weight <- one[first, 1] * one[second, 2] + (first != second) * one[second, 1] * one[first, 2]
    fit <- rr_tmdh(rr_cooccurrence(columns[c(first, second), ], ncol(columns)), survey, order = 2, target = target)
    margin <- rr_margin(fit, names(survey))
    mu <- coef(fit)
    covariance <- as.matrix(quiet_covariance(fit))
    share <- as.vector(margin$estimate)
    new <- list(mu, outer(mu, mu), covariance, share, outer(share, share), margin$covariance)
    sums <- if (is.null(sums)) lapply(new, `*`, weight) else Map(function(x, y) x + weight * y, sums, new)
  }
  sums
}

expect_enumerated <- function(a, b, survey, truths, shares) {
  sums <- enumerate_pairs(a, b, survey, truths)
  mu <- sums[[1]]
  wide <- vapply(survey, function(m) candor:::support_columns(m)$width > 1L, NA)
  known <- unlist(Map(function(share, m, name) {
    if (wide[[name]]) stats::setNames(share, paste0(name, ":", m$levels)) else stats::setNames(share[2], name)
  }, list(rowSums(shares), colSums(shares)), survey, names(survey)))
  names(known) <- sub("^[^.]*[.]", "", names(known))
  expect_equal(mu[names(known)], 2 * known, tolerance = 1e-9)
  expect_equal(sums[[4]], as.vector(shares), tolerance = 1e-9)
  expect_equal(unname(sums[[3]]), unname(sums[[2]] - outer(mu, mu)), tolerance = 1e-8)
  expect_equal(unname(sums[[6]]), sums[[5]] - outer(sums[[4]], sums[[4]]), tolerance = 1e-8)
}

test_that("estimates and covariances of two questions are unbiased for both targets, by all reports of two respondents", {
  labels <- letters[1:3]
  bit <- rr_binary(0.8, 0.1)
  cases <- list(
    list(unary_patterns, rr_unary(labels, 1.2), bit_patterns, bit),
    list(unary_patterns, rr_unary(labels[1:2], p = 0.7, q = 0.2), grr_patterns, rr_grr(labels, epsilon = 1)),
    list(subset_patterns, rr_subset(letters[1:4], 1, size = 2), bit_patterns, bit),
    list(hash_patterns, rr_local_hash(labels, 1, g = 2), bit_patterns, bit),
    list(hadamard_patterns, rr_hadamard(labels, 1, blocks = 1), bit_patterns, bit)
  )
  for (case in cases) {
    survey <- list(a = case[[2]], b = case[[4]])
    a <- case[[1]](case[[2]])
    b <- case[[3]](case[[4]])
    expect_equal(colSums(a$law), rep(1, ncol(a$law)))
    k <- ncol(a$law)
    l <- ncol(b$law)
    fixed <- matrix(0, k, l)
    fixed[1, 2] <- fixed[k, 1] <- 0.5
    expect_enumerated(a, b, survey, list(c(1, 2), c(k, 1)), fixed)
    shares <- matrix(seq_len(k * l)^2, k) / sum(seq_len(k * l)^2)
    expect_enumerated(a, b, survey, shares, shares)
  }
})

test_that("reports are read as their protocols give them: what they support, by name", {
  set.seed(4)
  labels <- c("saw", "drill", "file")
  survey <- rr_product(tool = rr_unary(labels, 1), sex = rr_warner(0.9), town = rr_grr(letters[1:4], 2),
                       hash = rr_local_hash(labels, 1), few = rr_subset(letters[1:9], 2, size = 2),
                       number = rr_hadamard(labels, 1, blocks = 1), sign = rr_hadamard(labels, 1, one_bit = TRUE))
  n <- 60
  truth <- data.frame(tool = sample(labels, n, TRUE), sex = sample(c("no", "yes"), n, TRUE), town = sample(letters[1:4], n, TRUE))
  truth$hash <- truth$number <- truth$sign <- truth$tool
  truth$few <- sample(letters[1:9], n, TRUE)
  reports <- rr_perturb(truth, survey, rng = "R")
  expect_identical(names(reports), names(survey$questions))
  counts <- rr_cooccurrence(reports, mechanism = survey)
  few <- as.matrix(reports$few)
  # Sylvester's matrix by its definition.
  sylvester <- function(times) Reduce(kronecker, rep(list(matrix(c(1, 1, 1, -1), 2)), times))
  bits <- cbind(as.matrix(reports$tool), reports$sex == "yes", outer(reports$town, letters[1:4], `==`),
                as.matrix(rr_reports(candor:::new_rr_reports(candor:::report_sets(survey$questions$hash, reports$hash), 3), rr_unary(labels, 1))),
                t(apply(few, 1, function(set) 1:9 %in% set)),
                t(sylvester(2)[2:4, reports$number + 1] > 0),
                t(sylvester(log2(survey$questions$sign$size))[1:3, reports$sign$index + 1]) * reports$sign$sign > 0)
  names <- c(paste0("tool:", labels), "sex", paste0("town:", letters[1:4]), paste0("hash:", labels), paste0("few:", letters[1:9]),
             paste0("number:", labels), paste0("sign:", labels))
  colnames(bits) <- names
  expect_identical(counts, rr_cooccurrence(1 * bits))
  expect_identical(c(rr_cooccurrence(reports[1:20, ], mechanism = survey), rr_cooccurrence(reports[-(1:20), ], mechanism = survey)), counts)
  # The columns of a hash value stand beside the others in a file.
  flat <- data.frame(tool = as.character(reports$tool), reports$hash, sex = reports$sex)
  names(flat)[2:4] <- paste0("hash_", names(flat)[2:4])
  part <- survey$questions[c("tool", "hash", "sex")]
  expect_identical(rr_cooccurrence(flat, mechanism = part), rr_cooccurrence(1 * bits[, c(1:3, 9:11, 4)]))
  # Both names of yes.
  reversed <- rr_cooccurrence(data.frame(x = c("1", "0", "1")), 1, mechanism = list(x = suppressMessages(rr_warner(0.8, levels = c("1", "0")))))
  expect_identical(reversed$values, c(3, 2))
  # Missing reports.
  holes <- reports
  holes$sex[3] <- NA
  expect_error(rr_cooccurrence(holes, mechanism = survey), "row 3 has one", class = "candor_error_missing")
  expect_message(rest <- rr_cooccurrence(holes, mechanism = survey, na.rm = TRUE), "1 row", class = "candor_message_missing")
  expect_identical(rest$values, rr_cooccurrence(1 * bits[-3, ])$values)
})

test_that("margins of questions add up to 1 and agree with each other; of categories alone they are the inversion", {
  set.seed(5)
  survey <- rr_product(tool = rr_unary(3, 1.5), town = rr_grr(letters[1:4], 2), hash = rr_local_hash(3, 1.5), sex = rr_warner(0.8))
  truth <- data.frame(tool = sample(3, 400, TRUE), town = sample(letters[1:4], 400, TRUE), hash = sample(3, 400, TRUE), sex = sample(c("no", "yes"), 400, TRUE))
  reports <- rr_perturb(truth, survey, rng = "R")
  fit <- rr_tmdh(rr_cooccurrence(reports, 4, mechanism = survey), survey)
  both <- rr_margin(fit, c("tool", "hash"))
  expect_equal(rowSums(both$estimate), c(rr_margin(fit, "tool")$estimate))
  expect_equal(colSums(both$estimate), c(rr_margin(fit, "hash")$estimate))
  expect_equal(sum(both$estimate), 1)
  expect_equal(sum(both$covariance), 0)
  three <- rr_margin(fit, c("sex", "tool"), target = "sample")
  expect_equal(colSums(three$estimate), c(rr_margin(fit, "tool")$estimate))
  # Direct reports: inversion of the table of reports, with both of its covariances.
  pair <- rr_product(survey$questions[c("town", "sex")])
  for (target in c("population", "sample")) {
    direct <- rr_margin(fit, c("town", "sex"), target = target)
    inverted <- rr_margin(rr_estimate(reports[c("town", "sex")], pair, method = "inv", target = target), c("town", "sex"))
    expect_equal(direct$estimate, inverted$estimate)
    expect_equal(direct$covariance, inverted$covariance)
    tests <- lapply(list(direct, inverted), function(margin) as.data.frame(rr_association(margin)))
    expect_equal(tests[[1]], tests[[2]])
  }
})

test_that("the tests of independence between a unary, a hashed and a direct question have their level and find what is there", {
  # 200 surveys of 300, 300 in the long tests each week: a level of 5 per cent within 4 standard errors, of 1.5 per cent.
  times <- extended(200, 300)
  set.seed(6)
  survey <- rr_product(a = rr_unary(3, 2), b = rr_grr(letters[1:3], epsilon = 2), c = rr_local_hash(4, 2))
  all <- times * 300
  truth <- data.frame(a = sample(3, all, TRUE, c(0.5, 0.3, 0.2)), b = sample(letters[1:3], all, TRUE), c = sample(4, all, TRUE))
  reports <- rr_perturb(truth, survey, rng = "R")
  p <- sapply(seq_len(times), function(i) {
    fit <- rr_tmdh(rr_cooccurrence(reports[300 * (i - 1) + 1:300, ], 4, mechanism = survey), survey)
    c(rr_association(rr_margin(fit, c("a", "b")))$pairs$p.value, rr_association(rr_margin(fit, c("c", "b")))$pairs$p.value,
      rr_association(rr_margin(fit, c("a", "c")))$pairs$p.value, rr_association(rr_margin(fit, c("a", "b"), target = "sample"))$pairs$p.value)
  })
  expect_lte(max(abs(rowMeans(p[1:3, ] < 0.05) - 0.05)), 4 * sqrt(0.05 * 0.95 / times))
  # Of fixed truths what is tested is their own table, which is hardly ever a product: the level is above 5 per cent.
  expect_gte(mean(p[4, ] < 0.05, na.rm = TRUE), 0.03)
  truth <- data.frame(a = rep(1:3, each = 200))
  truth$b <- letters[truth$a]
  truth$c <- truth$a
  fit <- rr_tmdh(rr_cooccurrence(rr_perturb(truth, survey, rng = "R"), 4, mechanism = survey), survey)
  for (pair in list(c("a", "b"), c("b", "c"), c("a", "c"))) {
    expect_lt(rr_association(rr_margin(fit, pair))$pairs$p.value, 1e-6)
    expect_lt(rr_association(rr_margin(fit, pair, target = "sample"))$pairs$p.value, 1e-6)
  }
})

test_that("scores of reports give the association of a unary or hashed question with a direct one and a number", {
  # 300 surveys: the mean of 400 within 4 standard errors of the truth's covariance, and their variance within 4 of its own.
  set.seed(7)
  mechanisms <- list(a = rr_unary(3, 2), b = rr_grr(letters[1:2], epsilon = 1), c = rr_local_hash(3, 2))
  all <- 300 * 400
  a <- sample(3, all, TRUE)
  b <- ifelse(stats::runif(all) < ifelse(a == 1, 0.7, 0.3), "b", "a")
  data <- data.frame(a = rr_perturb(a, mechanisms$a, rng = "R"), b = rr_perturb(b, mechanisms$b, rng = "R"), age = a + stats::rnorm(all))
  data$c <- rr_perturb(a, mechanisms$c, rng = "R")
  draws <- sapply(1:300, function(i) {
    table <- rr_association(data[400 * (i - 1) + 1:400, ], mechanisms)$pairs
    chosen <- table[match(c("a=1 b", "a=1 age", "b c=1"), paste(table$x, table$y)), ]
    c(chosen$covariance, chosen$covariance.error^2)
  })
  truth <- c((0.7 - 0.7 / 3 - 0.6 / 3) / 3, (1 - 2) / 3, (0.7 - 0.7 / 3 - 0.6 / 3) / 3)
  spread <- apply(draws[1:3, ], 1, stats::sd)
  expect_lte(max(abs(rowMeans(draws[1:3, ]) - truth) / spread * sqrt(300)), 4)
  expect_lte(max(abs(rowMeans(draws[4:6, ]) / spread^2 - 1)), 4 * sqrt(2 / 299))
})

test_that("the order that an error asks for is the one that is needed: one less is not enough", {
  set.seed(8)
  labels <- letters[1:3]
  survey <- rr_product(a = rr_unary(labels, 2), b = rr_unary(labels, 2))
  reports <- rr_perturb(data.frame(a = sample(labels, 50, TRUE), b = sample(labels, 50, TRUE)), survey, rng = "R")
  margin <- function(order, target) rr_margin(rr_tmdh(rr_cooccurrence(reports, order, mechanism = survey), survey), c("a", "b"), target = target)
  # Two pairs of categories are four columns.
  for (target in c("population", "sample")) {
    expect_refused(margin(2, target), margin(3, target), class = "order")
    expect_s3_class(margin(4, target), "rr_margin")
  }
  # Yes/no questions need less where only sets that meet matter.
  bits <- matrix(c(0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1), 4, dimnames = list(NULL, letters[1:3]))
  fit <- rr_tmdh(rr_cooccurrence(bits, 2), list(p = 0.8, q = 0.1), target = "sample")
  expect_error(vcov(fit, sets = c("a:b", "b:c")), "order = 3", class = "candor_error_order")
})
