# A case of doors_pmdh: the questions as a product, a mechanism each, and the table of the truths.
pmdh_survey <- function(input) {
  kinds <- list(
    grr = function(x) rr_grr(x$K, p = x$p),
    unary = function(x) rr_unary(x$K, p = x$p, q = x$q),
    # The odds that the kept share p of sets of w from K has.
    subset = function(x) rr_subset(x$K, epsilon = log(x$p * (x$K - x$w) / (x$w * (1 - x$p))), size = x$w),
    # Ideal hashing: all functions, as the file says.
    hash = function(x) {
      law_mechanism(rr_new_law("support", x$p, 1 / x$g, both_own = x$p / x$g, both_other = 1 / x$g^2), x$K)
    }
  )
  questions <- lapply(input$questions, function(x) kinds[[x$kind]](x))
  stats::setNames(questions, letters[seq_along(questions)])
}

pmdh_table <- function(input) {
  truths <- do.call(rbind, as.list(as.data.frame(t(input$truths))))
  columns <- Map(function(x, question) factor(x, seq_len(question$K)), asplit(truths, 2), input$questions)
  names(columns) <- letters[seq_along(columns)]
  table(as.data.frame(columns))
}

# Sets of [question, category] as a linear map of the package's sets and 1: no is 1 - yes.
pmdh_map <- function(sets, survey, labels) {
  map <- matrix(0, length(sets), 1 + length(labels))
  for (s in seq_along(sets)) {
    terms <- list(list(name = NULL, sign = 1))
    set <- matrix(unlist(sets[[s]]), ncol = 2, byrow = is.list(sets[[s]]))
    for (i in seq_len(nrow(set))) {
      question <- survey[[set[i, 1]]]
      name <- names(survey)[set[i, 1]]
      column <- if (length(question$levels) > 2) paste0(name, ":", question$levels[set[i, 2]]) else name
      with <- lapply(terms, function(term) list(name = c(term$name, column), sign = term$sign))
      no <- length(question$levels) == 2 && set[i, 2] == 1
      terms <- if (no) c(terms, lapply(with, function(term) utils::modifyList(term, list(sign = -term$sign)))) else with
    }
    for (term in terms) {
      at <- if (is.null(term$name)) 1 else 1 + match(paste(term$name, collapse = ":"), labels)
      map[s, at] <- map[s, at] + term$sign
    }
  }
  map
}

test_that("means and covariances of reports and estimates of all pure protocols are those of the golden vectors", {
  for (case in golden("doors_pmdh")) {
    survey <- pmdh_survey(case$input)
    expected <- rr_pmdh(pmdh_table(case$input), survey)
    map <- pmdh_map(case$input$sets, survey, names(coef(expected)))
    n <- nobs(expected)
    for (of in c("reports", "estimate")) {
      truth <- case$expected[[c(reports = "reports", estimate = "estimates")[of]]]
      table <- tidy(expected, of = of)
      expect_golden(drop(map %*% c(n, table$estimate)), truth$mean, 1e-10)
      for (target in c("sample", "population")) {
        covariance <- vcov(expected, target = target, of = of)
        expect_golden(map[, -1] %*% covariance %*% t(map[, -1]), truth[[paste0("vcov_", target)]], 1e-10)
        expect_equal(tidy(expected, target = target, of = of)$std.error, sqrt(pmax(diag(covariance), 0)), ignore_attr = TRUE)
      }
    }
  }
})

# Moments of reports and estimates over all reports of the rows of a table, by patterns of supports (helper-joint.R).
enumerated_moments <- function(a, b, survey, cells) {
  d <- function(m) unlist(candor:::support_columns(m)[c("p", "q")])
  scores <- function(pattern, m) t((t(pattern$bits) - d(m)[2]) / (d(m)[1] - d(m)[2]))
  grid <- expand.grid(i = seq_len(nrow(a$bits)), j = seq_len(nrow(b$bits)))
  products <- function(x, y) {
    x <- x[grid$i, , drop = FALSE]
    y <- y[grid$j, , drop = FALSE]
    cbind(x, y, x[, rep(seq_len(ncol(x)), each = ncol(y))] * y[, rep(seq_len(ncol(y)), ncol(x))])
  }
  moments <- function(values) {
    mean <- second <- within <- 0
    for (r in which(cells > 0)) {
      weight <- a$law[grid$i, row(cells)[r]] * b$law[grid$j, col(cells)[r]]
      row_mean <- colSums(weight * values)
      mean <- mean + cells[r] * row_mean
      second <- second + cells[r] * crossprod(values, weight * values)
      within <- within + cells[r] * outer(row_mean, row_mean)
    }
    list(mean = mean, sample = second - within, population = second - outer(mean, mean) / sum(cells))
  }
  list(reports = moments(products(a$bits, b$bits)), estimate = moments(products(scores(a, survey[[1]]), scores(b, survey[[2]]))))
}

test_that("real hashing and subsets have the moments of the enumeration of all their reports", {
  labels <- c("u", "v", "w")
  cells <- matrix(c(4, 0, 3, 1, 5, 2, 0, 2, 1), 3)
  cases <- list(
    list(hash_patterns, rr_local_hash(labels, 1, g = 2), subset_patterns, rr_subset(labels, 1.5, size = 2)),
    list(grr_patterns, rr_grr(labels, 1), hash_patterns, rr_local_hash(labels, 1.3, g = 3)),
    list(unary_patterns, rr_unary(labels, 1), grr_patterns, rr_grr(labels, 2))
  )
  for (case in cases) {
    survey <- rr_product(a = case[[2]], b = case[[4]])
    expected <- rr_pmdh(as.table(array(cells, c(3, 3), list(a = labels, b = labels))), survey)
    truth <- enumerated_moments(case[[1]](case[[2]]), case[[3]](case[[4]]), survey$questions, cells)
    for (of in names(truth)) {
      expect_equal(tidy(expected, of = of)$estimate, unname(truth[[of]]$mean), tolerance = 1e-10)
      for (target in c("sample", "population")) {
        covariance <- truth[[of]][[target]]
        # both_other of hashing is its mean over the codes of a third category: 0.09 of the largest entry, 84.5, is 0.1 %.
        allowed <- max(abs(covariance)) * if (any(grepl("hash", lapply(survey$questions, class)))) 1.2e-3 else 1e-12
        expect_lt(max(abs(vcov(expected, target = target, of = of) - covariance)), allowed)
        expect_equal(diag(vcov(expected, target = target, of = of)), diag(covariance), ignore_attr = TRUE)
      }
    }
    # The same truth as joint counts of columns of 0 and 1.
    rows <- cbind(row(cells)[rep(1:9, cells)], col(cells)[rep(1:9, cells)])
    bits <- cbind(outer(rows[, 1], 1:3, `==`), outer(rows[, 2], 1:3, `==`))
    colnames(bits) <- paste0(rep(c("a:", "b:"), each = 3), labels)
    counted <- rr_pmdh(rr_cooccurrence(bits, 2, sets = c("a:u:b:v", "a:w:b:v")), survey)
    both <- c("a:u:b:v", "a:w:b:v")
    expect_equal(vcov(counted, both), vcov(expected, both))
    expect_equal(vcov(counted, both, of = "estimate"), vcov(expected, both, of = "estimate"))
    expect_error(vcov(counted, c("a:u:b:v", "b:w")), class = "candor_error_order")
    # The exact law of a count is a sum of Bernoulli variables with these probabilities.
    law <- rr_law(survey, truth = as.table(array(cells, c(3, 3), list(a = labels, b = labels))), set = c("a:u", "b:v"))
    expect_equal(sum(law$count * law$probability), coef(expected)[["a:u:b:v"]])
    variance <- sum(law$count^2 * law$probability) - sum(law$count * law$probability)^2
    expect_equal(variance, vcov(expected, "a:u:b:v", "sample")[[1]])
  }
})

test_that("a fit's estimates taken for the truth have the covariance of the fit: equations 36 to 39 and Theorem 3.6", {
  set.seed(3)
  survey <- rr_product(a = rr_grr(3, 2), b = rr_local_hash(3, 2), c = rr_warner(0.8))
  truths <- data.frame(a = sample(3, 200, TRUE), b = sample(3, 200, TRUE), c = sample(c("no", "yes"), 200, TRUE))
  fit <- rr_tmdh(rr_cooccurrence(rr_perturb(truths, survey, rng = "R"), 4, mechanism = survey), survey, order = 2)
  expected <- rr_pmdh(fit)
  expect_equal(tidy(expected, of = "estimate")$estimate, unname(coef(fit)))
  # The reports that a fit of yes/no columns expects are those that were counted.
  bits <- matrix(rbinom(400, 1, 0.4), 100)
  counts <- rr_cooccurrence(bits, 4)
  simple <- rr_tmdh(counts, list(p = 0.8, q = 0.1))
  M <- rr_matrix(simple)
  expect_equal(coef(rr_pmdh(simple)), tidy(counts)$count, ignore_attr = TRUE)
  reported <- vcov(rr_pmdh(simple), target = "sample")
  expect_equal(solve(M) %*% reported %*% t(solve(M)), suppressWarnings(as.matrix(vcov(simple, target = "sample"))), tolerance = 1e-9, ignore_attr = TRUE)
  expect_equal(vcov(rr_pmdh(simple), of = "estimate"), vcov(simple) * 99 / 100, tolerance = 1e-9)
})

test_that("the incidence matrix K is where the moment matrix is not 0: equations 26, 90, 94", {
  M <- rr_matrix(rr_pmdh(rep(1, 8), list(p = 0.8, q = 0.1)))
  K <- (M != 0) * 1
  expect_identical(unname(K[4:6, 1:3]), rbind(c(1, 1, 0), c(1, 0, 1), c(0, 1, 1)))
  expect_equal(K[7, 4:6] %*% K[4:6, 1:3], 2 * K[7, 1:3, drop = FALSE], ignore_attr = TRUE)
  order <- lengths(strsplit(rownames(M), ":"))
  expect_equal(M, K * 0.7^rep(order, each = 7) * 0.1^pmax(outer(order, order, `-`), 0), ignore_attr = TRUE)
})

test_that("Table 2: k categories of one question are supported with the probabilities of the help page", {
  triple <- function(pattern) colSums(pattern$law * apply(pattern$bits[, 1:3], 1, prod))[1]
  unary <- rr_unary(4, p = 0.5, q = 0.2)
  expect_equal(triple(unary_patterns(unary)), 0.5 * 0.2^2)
  expect_equal(triple(grr_patterns(rr_grr(4, 1))), 0)
  subset <- rr_subset(5, 1, size = 3)
  expect_equal(triple(subset_patterns(subset)), rr_law(subset)$p * 2 / 4 * 1 / 3)
  hash <- rr_local_hash(4, 1, g = 2)
  expect_equal(triple(hash_patterns(hash)), hash$p / 4, tolerance = 0.03)
})

test_that("the picture draws the exact law in standard deviations, and its caption has the skewness", {
  skip_if_not_installed("ggplot2")
  rows <- c(20, 9, 8, 13)
  design <- list(p = 0.8, q = 0.1)
  x <- rr_pmdh(rows, design)
  law <- rr_law(design, truth = rows, set = 1:2)
  mean <- sum(law$count * law$probability)
  sd <- sqrt(sum((law$count - mean)^2 * law$probability))
  skewness <- sum((law$count - mean)^3 * law$probability) / sd^3
  plot <- ggplot2::autoplot(x, "x1:x2", "sample")
  expect_match(plot$labels$caption, sprintf("x1:x2: %.2f", skewness), fixed = TRUE)
  bars <- ggplot2::layer_data(plot, 1)
  expect_equal(sum(bars$ymax * (bars$xmax - bars$xmin)), 1, tolerance = 1e-3)
  # One bar for each count: sd is below 5.
  at <- round(sd * (bars$xmin + bars$xmax) / 2 + mean)
  expect_equal(bars$ymax, law$probability[at + 1] * sd, tolerance = 1e-9)
  # Sampled rows: a binomial count.
  drawn <- ggplot2::layer_data(ggplot2::autoplot(x, "x1:x2"), 1)
  share <- mean / 50
  sd <- sqrt(50 * share * (1 - share))
  expect_equal(drawn$ymax, dbinom(round(sd * (drawn$xmin + drawn$xmax) / 2 + mean), 50, share) * sd, tolerance = 1e-9)
  # The law of an estimate, by all reports of three rows.
  few <- rr_pmdh(c(1, 1, 0, 1), design)
  u <- c(-0.1, 0.9) / 0.7
  values <- as.vector(outer(u, u))
  chance <- function(a, b) as.vector(outer(if (a) c(0.2, 0.8) else c(0.9, 0.1), if (b) c(0.2, 0.8) else c(0.9, 0.1)))
  sums <- as.vector(outer(outer(values, values, `+`), values, `+`))
  prob <- as.vector(outer(outer(chance(0, 0), chance(1, 0)), chance(1, 1)))
  sums <- sums - sum(sums * prob)
  exact <- sum(sums^3 * prob) / sum(sums^2 * prob)^1.5
  estimated <- ggplot2::autoplot(few, "x1:x2", "sample", "estimate")
  expect_match(estimated$labels$caption, sprintf("x1:x2: %.2f", exact), fixed = TRUE)
  bars <- ggplot2::layer_data(estimated, 1)
  sums <- sums / sqrt(sum(sums^2 * prob))
  # A value of one row is moved by at most a step of the grid, sqrt(4e-3 / rows) standard deviations.
  below <- function(z) vapply(z, function(x) sum(prob[sums < x]), 0)
  moved <- 3 * sqrt(4e-3 / 3)
  cumulated <- cumsum(bars$ymax * (bars$xmax - bars$xmin))
  expect_true(all(cumulated >= below(bars$xmax - moved) - 1e-3 & cumulated <= below(bars$xmax + moved) + 1e-3))
  # One panel for each order, and for each set that is named.
  expect_identical(nlevels(ggplot2::layer_data(ggplot2::autoplot(x), 1)$PANEL), 2L)
  expect_identical(levels(ggplot2::autoplot(x, c("x2", "x1"))$data$panel), c("x2", "x1"))
  expect_refused(ggplot2::autoplot(rr_pmdh(c(0.5, 0.25, 0.15, 0.1), design), target = "sample"), class = "counts")
  expect_refused(ggplot2::autoplot(x, "x3"), class = "level")
})

test_that("what has no expected counts is refused in one sentence", {
  survey <- list(a = rr_grr(3, 1), b = rr_local_hash(3, 1))
  cells <- table(a = factor(1:3), b = factor(1:3))
  expect_refused(rr_pmdh(cells, survey, order = 7))
  expect_refused(rr_pmdh(cells[, 1], survey), rr_pmdh(table(a = 1:3, b = 4:6), survey), class = "mismatch")
  expect_refused(rr_pmdh(-1 * cells, survey), class = "counts")
  expect_refused(rr_pmdh(0 * cells, survey), class = "empty")
  expect_refused(rr_pmdh(table(1:4), list(x = rr_hadamard(4, 1, blocks = 1))), rr_pmdh(table(1:3), rr_bitflip(3, 3, d = 2)), class = "law")
  expect_refused(vcov(rr_pmdh(cells, survey), c("a:1:a:2")), rr_pmdh(c(1, 2, 3, 4)), rr_law(survey, truth = cells))
  bits <- matrix(1, 4, 3, dimnames = list(NULL, c("1", "2", "3")))
  expect_refused(rr_pmdh(rr_cooccurrence(bits, 2), rr_grr(3, 1)), class = "impossible")
  # The order is that of the truth.
  expect_refused(rr_pmdh(rr_cooccurrence(diag(4), 2), rr_warner(0.8), order = 3), class = "order")
})

test_that("a table of truths is read by its names and labels, or by its sizes where it has none", {
  questions <- list(x = rr_grr(c("u", "v", "w"), 1), y = rr_warner(0.8))
  counts <- matrix(c(3, 1, 4, 1, 5, 9), 3)
  labelled <- as.table(structure(counts, dimnames = list(x = c("u", "v", "w"), y = c("no", "yes"))))
  expect_equal(table_of_truths(labelled, questions), counts, ignore_attr = TRUE)
  expect_equal(table_of_truths(t(labelled), questions), counts, ignore_attr = TRUE)
  expect_equal(table_of_truths(labelled[3:1, 2:1], questions), counts, ignore_attr = TRUE)
  expect_equal(table_of_truths(unname(counts), questions), counts, ignore_attr = TRUE)
  # Levels that the table lacks have no rows.
  expect_equal(table_of_truths(labelled[c(1, 3), ], questions), replace(counts, cbind(2, 1:2), 0), ignore_attr = TRUE)
  refused <- function(truth, class = "mismatch") expect_error(table_of_truths(truth, questions), class = paste0("candor_error_", class))
  refused(counts[1:2, ])
  refused(t(unname(counts)))
  refused(labelled["u", ])
  refused(as.table(structure(counts, dimnames = list(x = c("u", "v", "z"), y = c("no", "yes")))))
  refused(replace(labelled, 1, -1), "counts")
  refused(replace(labelled, 1, Inf), "counts")
  expect_equal(table_of_truths(c(no = 3, yes = 4), list(y = rr_warner(0.8))), c(3, 4), ignore_attr = TRUE)
})

test_that("one question of categories has its table by itself; what no truth can be is refused", {
  # 5, 3 and 2 of ten: each category is reported with 0.2 and 0.4 more by its own.
  expect_equal(coef(rr_pmdh(c(a = 5, b = 3, c = 2), list(q = rr_grr(letters[1:3], p = 0.6)))), c("q:a" = 4, "q:b" = 3.2, "q:c" = 2.8))
  device <- rr_warner(0.8)
  bits <- matrix(c(1, 0, 1, 1, 0, 1), 3)
  expect_refused(rr_pmdh(rr_pmdh(1:4, device), device), rr_pmdh(1:4, "warner"), rr_law(rr_grr(3, p = 0.6), truth = table(1:3), set = 1:2))
  expect_refused(rr_law(device, truth = rr_cooccurrence(bits, 1), set = 1:2), class = "order")
  expect_refused(rr_law(device, truth = c(1.5, 2)), class = "counts")
  # 136 rows of eight types have more than a million histograms.
  expect_refused(rr_law(device, truth = c(100, 2:8)))
  # Two categories of one question in a row, among the further sets.
  three <- cbind(bits, 0, 1)
  colnames(three) <- c("u", "v", "w", "b")
  expect_refused(rr_pmdh(rr_cooccurrence(three, 1, sets = list(1:2)), list(rr_grr(c("u", "v", "w"), p = 0.6), device)), class = "impossible")
})

test_that("counts of rivals are sums of mean products over all reports, in the family and among the further sets", {
  survey <- rr_product(a = rr_grr(c("u", "v", "w"), p = 0.6), b = rr_warner(0.8), c = rr_grr(c("x", "y", "z"), p = 0.5))
  truths <- data.frame(a = c(1, 2, 2, 3, 1, 3, 2), b = c(1, 0, 1, 1, 1, 0, 0), c = c(3, 1, 2, 2, 1, 1, 3))
  bits <- cbind(outer(truths$a, 1:3, `==`), truths$b, outer(truths$c, 1:3, `==`))
  colnames(bits) <- c("a:u", "a:v", "a:w", "b", "c:x", "c:y", "c:z")
  # For each person the mean, over the reports of a question, of the product of the scores of some of its three categories.
  mean_products <- function(question, categories) {
    C <- unname(rr_matrix(survey$questions[[question]]))
    scores <- (diag(3) - C[1, 2]) / (C[1, 1] - C[1, 2])
    (C %*% apply(scores[, categories, drop = FALSE], 1, prod))[truths[[question]]]
  }
  product <- function(set) {
    # Three categories of one question are not made of pairs, and stay 0.
    if (all(1:3 %in% set) || all(5:7 %in% set)) return(0)
    sum(mean_products("a", set[set < 4]) * (if (4 %in% set) truths$b else 1) * mean_products("c", set[set > 4] - 4))
  }
  further <- list(c("a:u", "a:v", "c:x", "c:y"), c("a:v", "a:w", "b", "c:y"), c("a:u", "a:v", "a:w", "c:z"), c("b", "c:x", "c:z"))
  for (order in 1:3) {
    counted <- rr_cooccurrence(bits, order, sets = further)
    counts <- with_rivals(counted, column_design(survey, counted$columns))
    sets <- .Call(C_rr_sets, 7, as.double(counted$tallied), 0, length(counted$values))
    expect_equal(counts$values[-1], apply(sets, 2, function(set) product(set[set >= 0] + 1))[-1])
    expect_equal(counts$more$values, apply(counted$more$members, 2, function(set) product(set[set >= 0] + 1)))
  }
})

test_that("the joint counts of a table of two questions are its sums, of twice the order and of no more than all columns", {
  cells <- array(c(3, 1, 4, 1, 5, 9), c(3, 2))
  columns <- list(names = c("q:u", "q:v", "q:w", "b"), categories = list(1:3, 2L))
  # All, u, v, w and yes; then uv, uw, u and yes, vw, v and yes, w and yes.
  up_to_pairs <- c(23, 4, 6, 13, 15, 0, 0, 1, 0, 5, 9)
  one <- table_histogram(cells, columns, 1)
  expect_equal(one$values, up_to_pairs)
  expect_identical(c(one$order, one$tallied, one$n), c(1, 2, 23))
  for (order in c(2, 3)) {
    all <- table_histogram(cells, columns, order)
    expect_equal(all$values, c(up_to_pairs, rep(0, 5)))
    expect_identical(c(all$order, all$tallied), c(order, 4))
  }
  expect_identical(table_histogram(cells, columns, NULL)$order, 2)
  # Three yes/no questions: three yes are no pair.
  bits <- table_histogram(array(1:8, c(2, 2, 2)), list(names = c("a", "b", "c"), categories = list(2L, 2L, 2L)), 1)
  expect_equal(bits$values, c(36, 2 + 4 + 6 + 8, 3 + 4 + 7 + 8, 5 + 6 + 7 + 8, 4 + 8, 6 + 8, 7 + 8))
  expect_error(table_histogram(array(0, 2), list(names = "a", categories = list(2L)), NULL), class = "candor_error_empty")
})

test_that("fitted counts of rivals are 0, in the family and among the further sets, and others stay", {
  further <- list(members = cbind(c(0L, 1L, 3L), c(0L, 2L, 3L), c(0L, 3L, -1L)), values = c(0.4, 5, 6))
  fit <- new_rr_histogram("cooccurrence", c("u", "v", "w", "b"), 2, c(20, 7, 8, 5, 9, 0.1, 2, 3, -0.3, 4, 1), more = further)
  free <- without_rivals(fit, c(1L, 1L, -1L, -1L), TRUE)
  expect_identical(free$values, replace(fit$values, 6, 0))
  expect_identical(free$more$values, c(0, 5, 6))
  expect_error(without_rivals(fit, c(1L, 1L, -1L, -1L), FALSE), class = "candor_error_impossible")
  expect_identical(without_rivals(fit, NULL, FALSE), fit)
  # Columns that stand alone are no rivals.
  expect_identical(without_rivals(fit, rep(-1L, 4), FALSE), fit)
})

test_that("reports of one question vary as multinomials of each truth, and of the population as one", {
  truth <- c(a = 5, b = 3, c = 2)
  mechanism <- rr_grr(letters[1:3], p = 0.6)
  C <- unname(rr_matrix(mechanism))
  expected <- rr_pmdh(truth, list(q = mechanism))
  multinomial <- function(p) diag(p) - tcrossprod(p)
  sample <- Reduce(`+`, lapply(1:3, function(x) truth[[x]] * multinomial(C[x, ])))
  expect_equal(as.matrix(vcov(expected, of = "reports", target = "sample")), sample, ignore_attr = TRUE)
  expect_equal(as.matrix(vcov(expected, of = "reports")), 10 * multinomial(drop(truth %*% C) / 10), ignore_attr = TRUE)
})
