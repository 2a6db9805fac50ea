naive_counts <- function(bits, order) {
  sets <- unlist(lapply(seq_len(order), function(k) utils::combn(ncol(bits), k, simplify = FALSE)), recursive = FALSE)
  vapply(sets, function(set) sum(apply(bits[, set, drop = FALSE] == 1, 1, all)), 0)
}

draw_bits <- function(n, d) matrix(as.integer(stats::runif(n * d) < rep(seq_len(d) / (d + 1), each = n)), n, dimnames = list(NULL, letters[seq_len(d)]))

test_that("joint counts of every order are those of counting row by row, whatever the storage", {
  set.seed(1)
  for (d in c(1, 2, 5)) {
    bits <- draw_bits(300, d)
    for (order in seq_len(d)) {
      expected <- naive_counts(bits, order)
      forms <- list(bits, bits == 1, bits + 0, as.data.frame(bits), as.data.frame(bits == 1), as.data.frame(bits + 0),
                    as.data.frame(lapply(as.data.frame(bits), factor, levels = 0:1)))
      for (form in forms) {
        counts <- rr_cooccurrence(form, order)
        expect_identical(unname(coef(counts)), as.double(expected))
        expect_identical(counts$columns, letters[seq_len(d)])
      }
      expect_identical(counts$n, 300)
    }
  }
})

test_that("bit patterns and packed words give the same counts", {
  set.seed(2)
  bits <- draw_bits(5000, 11)
  for (order in c(1, 2, 4, 11)) {
    pattern <- .Call(C_rr_cooccurrence, bits, order, TRUE, NULL)
    words <- .Call(C_rr_cooccurrence, bits, order, FALSE, NULL)
    expect_identical(pattern$counts, words$counts)
  }
})

test_that("the truncated orders are the beginning of the complete ones", {
  set.seed(3)
  bits <- draw_bits(200, 7)
  all <- rr_cooccurrence(bits, 7)
  for (order in 1:6) expect_identical(rr_cooccurrence(bits, order)$values, all$values[seq_len(set_total(7, order))])
  expect_identical(tidy(all)$term[8:9], c("a:b", "a:c"))
  expect_identical(tidy(all)$share, tidy(all)$count / 200)
})

test_that("a table and its rows are the same data", {
  set.seed(4)
  bits <- draw_bits(500, 3)
  table <- table(a = bits[, 1], b = bits[, 2], c = bits[, 3])
  expect_identical(rr_cooccurrence(table)$values, rr_cooccurrence(bits, 3)$values)
  expect_identical(rr_cooccurrence(table, 2)$values, rr_cooccurrence(bits, 2)$values)
  expect_identical(rr_cooccurrence(table)$columns, c("a", "b", "c"))
  expect_identical(unname(rowtype(rr_cooccurrence(bits, 3))), as.double(table))
})

test_that("chunks merge to the whole, further sets included", {
  set.seed(5)
  bits <- draw_bits(1000, 8)
  sets <- list(c("a", "b"), c("c", "d"), 5:8)
  whole <- rr_cooccurrence(bits, 2, sets = sets)
  parts <- c(rr_cooccurrence(bits[1:100, ], 2, sets = sets), rr_cooccurrence(bits[101:101, , drop = FALSE], 2, sets = sets),
             rr_cooccurrence(bits[102:1000, ], 2, sets = sets))
  expect_identical(parts, whole)
  labels <- member_labels(whole$more$members, whole$columns)
  expect_identical(whole$more$values, unname(coef(rr_cooccurrence(bits, 8))[labels]))
  expect_true(all(c("a:b:c:d", "a:b:c", "e:f:g:h", "a:b:e:f:g:h") %in% labels))
})

test_that("every table of joint counts and estimates shows the further sets", {
  set.seed(6)
  bits <- draw_bits(300, 5)
  sets <- list(c("a", "b"), c("c", "d", "e"))
  counts <- rr_cooccurrence(bits, 1, sets = sets)
  all <- rr_cooccurrence(bits, 5)
  expected <- naive_counts(bits, 5)
  names(expected) <- names(coef(all))
  table <- tidy(counts)
  expect_true(all(c("a", "e", "a:b", "c:d:e", "a:b:c:d:e") %in% table$term))
  expect_identical(table$count, as.double(expected[table$term]))
  expect_identical(table$order, lengths(strsplit(table$term, ":")))
  expect_identical(as.data.frame(counts), as.data.frame(table))
  expect_identical(names(coef(counts)), table$term)

  design <- list(p = c(0.9, 0.8, 0.7, 0.95, 0.6), q = c(0.1, 0, 0.2, 0.3, 0.4))
  for (target in c("population", "sample")) {
    fit <- rr_tmdh(counts, design, target = target)
    whole <- tidy(rr_tmdh(all, design, target = target), conf.int = TRUE)
    shown <- whole[match(table$term, whole$term), ]
    expect_identical(names(coef(fit)), table$term)
    expect_equal(unname(coef(fit)), shown$estimate)
    expect_equal(tidy(fit, conf.int = TRUE), shown)
    expect_identical(as.data.frame(fit), as.data.frame(tidy(fit, conf.int = TRUE)))
    expect_equal(unname(confint(fit, "c:d:e")), unname(as.matrix(shown[shown$term == "c:d:e", c("conf.low", "conf.high")])))
    # All unions were tallied here: five columns, and every union of the two sets.
    cov <- suppressWarnings(vcov(fit))
    expect_identical(rownames(cov), table$term)
    expect_equal(as.matrix(cov), as.matrix(suppressWarnings(vcov(rr_tmdh(all, design, target = target))))[table$term, table$term])
    # An order says which sets are meant.
    expect_identical(names(coef(rr_tmdh(counts, design, order = 1, target = target))), letters[1:5])
    expect_identical(tidy(rr_tmdh(counts, design, order = 1, target = target))$term, letters[1:5])
  }
  truth <- rr_pmdh(counts, design)
  whole <- rr_pmdh(all, design)
  for (of in c("reports", "estimate")) {
    expect_equal(tidy(truth, of = of), tidy(whole, of = of)[match(table$term, tidy(whole)$term), ])
    expect_equal(vcov(truth, of = of), vcov(whole, of = of)[table$term, table$term])
  }
  expect_identical(names(coef(truth)), table$term)
})

test_that("missing rows are dropped on request and reported", {
  bits <- matrix(c(1L, 0L, NA, 1L, 1L, 1L, 0L, 1L), 4)
  expect_message(counts <- rr_cooccurrence(bits, na.rm = TRUE), "1 row with missing values dropped")
  expect_identical(unname(coef(counts)), c(2, 3, 2))
})

test_that("wrong bits are refused by row and column", {
  bits <- matrix(0L, 2000, 3, dimnames = list(NULL, c("a", "b", "c")))
  two <- bits
  two[1234, "b"] <- 2L
  gap <- bits
  gap[5, "c"] <- NA
  half <- bits + 0
  half[7, "a"] <- 0.5
  expect_refused(rr_cooccurrence(two), rr_cooccurrence(half), class = "level")
  expect_error(rr_cooccurrence(gap), class = "candor_error_missing")
  expect_error(rr_cooccurrence(bits[0, ]), class = "candor_error_empty")
  expect_error(rowtype(rr_cooccurrence(bits, 2)), class = "candor_error_order")
  for (other in list(rr_cooccurrence(bits, order = 3), 1)) expect_error(c(rr_cooccurrence(bits), other), class = "candor_error_mismatch")
  expect_error(rr_cooccurrence(1:3), class = "candor_error_argument")
})

# Every dress of one table of answers, the first being plain 0 and 1, of which base R's table() gives the truth.
dressed <- function(bits) {
  text <- function(labels) as.data.frame(lapply(bits, function(b) labels[b + 1]), stringsAsFactors = FALSE)
  factors <- function(labels, levels = labels) as.data.frame(lapply(text(labels), factor, levels = levels))
  list(numbers = bits, logical = text(c(FALSE, TRUE)), text = text(c("0", "1")), words = text(c("FALSE", "TRUE")),
       factor = factors(c("0", "1")), reversed = factors(c("0", "1"), c("1", "0")), unused = factors(c("0", "1"), c("0", "1", "2")),
       truth = factors(c("FALSE", "TRUE")), turned = factors(c("FALSE", "TRUE"), c("TRUE", "FALSE")),
       yes = factors(c("no", "yes")), no = factors(c("no", "yes"), c("yes", "no")), said = text(c("no", "yes")),
       matrix = as.matrix(bits), characters = as.matrix(text(c("0", "1"))))
}

test_that("joint counts, product tallies and perturbation take the same answers and mean the same by them", {
  set.seed(5)
  bits <- data.frame(a = stats::rbinom(200, 1, 0.3), b = stats::rbinom(200, 1, 0.8))
  mechanism <- rr_product(a = rr_warner(0.8), b = rr_crosswise(0.2))
  cells <- as.vector(table(bits$a, bits$b))
  for (name in names(dressed(bits))) {
    answers <- dressed(bits)[[name]]
    expect_identical(as.vector(rr_tally(answers, mechanism)$counts), as.double(cells), label = name)
    expect_identical(unname(rr_cooccurrence(answers)$values), c(200, sum(bits$a), sum(bits$b), sum(bits$a * bits$b)), label = name)
    # Nothing is flipped, so the reports are the answers.
    kept <- rr_perturb(answers, rr_product(a = rr_binary(1, 0), b = rr_binary(1, 0)))
    expect_identical(as.vector(rr_tally(kept, mechanism)$counts), as.double(cells), label = name)
    if (!is.matrix(answers)) expect_identical(rr_tally(answers$a, mechanism$questions$a)$counts, as.double(table(bits$a)), label = name)
  }
})

test_that("answers that are all the same, or missing, keep their meaning", {
  ones <- data.frame(a = factor(c("1", "1", NA)), b = c("0", "1", "1"))
  mechanism <- rr_product(a = rr_warner(0.8), b = rr_warner(0.8))
  suppressMessages({
    expect_identical(unname(rr_cooccurrence(ones, na.rm = TRUE)$values), c(2, 2, 1, 1))
    expect_identical(as.vector(rr_tally(ones, mechanism, na.rm = TRUE)$counts), c(0, 1, 0, 1))
  })
  expect_refused(rr_cooccurrence(ones), rr_cooccurrence(data.frame(a = NA_character_, b = 1)), class = "missing")
})

test_that("tables whose labels are bits are read by them, in whatever order, and own labels are never mixed with bits", {
  x <- factor(c(1, 0, 1, 1, 1), levels = c(1, 0))
  y <- factor(c(TRUE, TRUE, FALSE, TRUE, FALSE), levels = c(FALSE, TRUE))
  expect_identical(unname(rr_cooccurrence(table(x, y))$values), c(5, 4, 3, 2))
  expect_identical(rr_tally(table(x), rr_warner(0.8))$counts, c(1, 4))
  expect_refused(rr_tally(c("no", "1"), rr_warner(0.8)), rr_tally(c("0", "TRUE"), rr_warner(0.8)), rr_tally(c("0", "1"), rr_grr(c("a", "b"), epsilon = 1)),
                 class = NULL)
  for (a in list(c("0", "2"), factor(c("0", "2")), c("low", "high"))) expect_error(rr_cooccurrence(data.frame(a = a, b = 0:1)), class = "candor_error")
  expect_error(rr_cooccurrence(data.frame(a = factor(c("x", "y", "z")), b = 0)), class = "candor_error_argument")
})

test_that("a label is of one set: names of columns that could be read as sets are refused, others with a colon are not", {
  named <- function(...) matrix(0:1, 20, ...length(), dimnames = list(NULL, c(...)))
  # Which names are ambiguous, by spelling out every set.
  ambiguous <- function(columns) {
    sets <- unlist(lapply(seq_along(columns), function(k) utils::combn(columns, k, paste, collapse = ":")))
    anyDuplicated(sets) > 0
  }
  bad <- list(c("a", "b", "a:b"), c("a", "b:c", "a:b", "c"), c("a", "b:c:d", "a:b", "c:d"), c("a", "a:b:c", "b", "c"))
  good <- list(c("q:u", "q:v", "b"), c("a:b", "b:a"), c("a:b", "a:c:d", "c"))
  for (columns in bad) {
    expect_true(ambiguous(columns))
    expect_error(rr_cooccurrence(do.call(named, as.list(columns))), class = "candor_error_level")
  }
  for (columns in good) {
    expect_false(ambiguous(columns))
    counts <- rr_cooccurrence(do.call(named, as.list(columns)), length(columns))
    # Every label finds its set.
    fit <- rr_tmdh(counts, rr_warner(0.8))
    expect_identical(colnames(vcov(fit, sets = names(coef(fit)))), names(coef(fit)))
  }
  expect_refused(rowtype(1:8, columns = c("a", "b", "a:b")), rowtype(table("a" = 0:1, "b" = 0:1, "a:b" = 0:1)), class = "level")
})

test_that("positive scores are the evidence matrix, equation 15: what the reports of each protocol support", {
  set.seed(5)
  answers <- sample(letters[1:4], 60, TRUE)
  direct <- rr_grr(letters[1:4], 1)
  reports <- rr_perturb(answers, direct, rng = "R")
  expect_identical(unname(rr_score(reports, direct) > 0), unname(outer(as.character(reports), letters[1:4], `==`)))
  bits <- rr_unary(letters[1:4], 1)
  reports <- rr_perturb(answers, bits, rng = "R")
  expect_identical(unname(1 * (rr_score(reports, bits) > 0)), unname(1 * as.matrix(reports)))
  hashing <- rr_local_hash(letters[1:4], 1)
  reports <- rr_perturb(answers, hashing, rng = "R")
  # The function of the help page: floor(((a z + b) mod P) g / P).
  value <- outer(reports$slope, hashing$codes) + reports$shift
  bucket <- floor(value %% hashing$prime * hashing$g / hashing$prime) + 1
  expect_identical(unname(rr_score(reports, hashing) > 0), bucket == reports$value)
  sets <- rr_subset(letters[1:4], 1, size = 2)
  reports <- rr_perturb(answers, sets, rng = "R")
  evidence <- 1 * (rr_score(reports, sets) > 0)
  expect_identical(rowSums(evidence), rep(2, 60))
  counts <- rr_cooccurrence(data.frame(q = I(reports)), 3, mechanism = list(q = sets))
  expect_identical(rr_cooccurrence(evidence, 3)$values, counts$values)
})

test_that("what is no table of bits, no order, and no list of questions by name is refused", {
  bits <- data.frame(a = c(0, 1, 1), b = c(1, 0, 1))
  device <- rr_warner(0.8)
  expect_refused(
    rr_cooccurrence(bits, sets = character()), rr_cooccurrence(bits, na.rm = NA), rr_cooccurrence(bits, order = 0), rr_cooccurrence(bits, order = 3),
    rr_cooccurrence(bits[, 0]), rr_cooccurrence(list(a = 0:1, b = 0:1)), rr_cooccurrence(bits, mechanism = device), rr_cooccurrence(bits, mechanism = list()),
    rr_cooccurrence(bits, mechanism = list(device, device)), rr_cooccurrence(bits, mechanism = list(a = device, device)),
    rr_cooccurrence(bits, mechanism = list(a = device, a = device))
  )
  # Fifteen of thirty columns have 155 million sets.
  expect_refused(rr_cooccurrence(matrix(0:1, 2, 30), order = 15), class = "order")
  expect_refused(rr_cooccurrence(bits, sets = list(c("a", "z"))), rr_cooccurrence(bits, sets = list(c("a", "a"))), rr_cooccurrence(bits, sets = list(3)),
                 rr_cooccurrence(bits, sets = "a:z"), rr_cooccurrence(bits, sets = list(character())), class = "level")
})

test_that("merged counts have all rows, all gaps and all further sets", {
  bits <- data.frame(a = c(0, 1, NA, 1), b = c(1, 1, 0, NA), c = c(1, 0, 1, 1))
  part <- function(rows) suppressMessages(rr_cooccurrence(bits[rows, ], 1, sets = "a:b:c", na.rm = TRUE))
  whole <- c(part(1:3), part(c(1, 2, 4)))
  expect_identical(whole[c("n", "missing")], list(n = 4, missing = 2))
  expect_equal(coef(whole), c(a = 2, b = 4, c = 2, "a:b" = 2, "a:c" = 0, "b:c" = 2, "a:b:c" = 0))
  expect_refused(c(part(1:2), rr_cooccurrence(bits[1:2, ], 1)), c(part(1:2), rr_cooccurrence(bits[1:2, ], 1, sets = "a:b")), class = "mismatch")
})

test_that("columns of one answer keep its meaning, and dates are no bits", {
  same <- data.frame(a = rep("yes", 3), b = factor(rep("no", 3)), c = factor(c("u", "v", "v"), c("v", "u")))
  expect_equal(coef(rr_cooccurrence(same)), c(a = 3, b = 0, c = 1, "a:b" = 0, "a:c" = 1, "b:c" = 0))
  expect_refused(rr_cooccurrence(data.frame(a = as.Date("2026-01-01") + 0:1)), rr_cooccurrence(data.frame(a = I(list(0, 1)))))
})

test_that("reports of a channel that was measured, further sets of scores, and dates of 0 and 1 are refused", {
  measured <- rr_misclassification(table = rbind(no = c(no = 90, yes = 10), yes = c(20, 80)))
  answers <- data.frame(a = c("no", "yes"), b = c("yes", "yes"))
  expect_refused(rr_cooccurrence(answers, mechanism = list(a = measured, b = rr_warner(0.8))), class = "law")
  scored <- list(a = rr_channel(rbind(no = c(u = 0.7, v = 0.2, w = 0.1), yes = c(0.1, 0.3, 0.6))), b = rr_warner(0.8))
  reports <- data.frame(a = c("u", "w", "v"), b = c("yes", "no", "no"))
  expect_refused(rr_cooccurrence(reports, mechanism = scored, sets = "b"))
  expect_identical(rr_cooccurrence(reports, mechanism = scored)$n, 3)
  expect_refused(rr_cooccurrence(data.frame(a = structure(c(0, 1), class = "Date"))), rr_cooccurrence(data.frame(a = c("u", "v"))),
                 rr_cooccurrence(data.frame(a = factor(c("u", "v", "w")))))
})
