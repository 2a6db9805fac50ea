# Families of sets of columns, by utils::combn(), and the covariances of sums of scores by their definition.

columns <- c("a", "b", "c", "d", "e")

test_that("a family has the empty set, then all sets by size and order of columns", {
  expect_identical(set_total(5, 3), 1 + 5 + 10 + 10)
  expect_identical(set_labels(columns, 3), unlist(lapply(1:3, function(k) utils::combn(columns, k, paste, collapse = ":"))))
  x <- new_rr_histogram("cooccurrence", columns, 2, as.double(1:16), further = TRUE)
  expect_identical(c(x$n, x$tallied), c(1, 2))
  expect_false(x$further)
  expect_identical(family_size(x), 15)
  expect_identical(shown_sizes(x), rep(1:2, c(5, 10)))
  expect_equal(shown_values(x), 2:16)
  members <- shown_members(x)
  expect_equal(members[, 1:5], rbind(0:4, -1L))
  expect_equal(members[, 6:15], utils::combn(5, 2) - 1L)
  # Further sets stand behind the family, if they are shown.
  more <- list(members = cbind(c(0L, 1L, 2L, -1L), c(1L, 2L, 3L, 4L)), values = c(7, 3))
  y <- new_rr_histogram("cooccurrence", columns, 2, as.double(1:16), more = more)
  expect_true(y$further)
  expect_equal(tail(shown_values(y), 2), c(7, 3))
  expect_identical(tail(shown_labels(y), 2), c("a:b:c", "b:c:d:e"))
  expect_identical(tail(shown_sizes(y), 2), c(3L, 4L))
  expect_identical(dim(shown_members(y)), c(4L, 17L))
  expect_identical(shown_members(y)[, 16:17], more$members)
  expect_identical(shown_members(y)[, 6], c(0L, 1L, -1L, -1L))
  expect_false(new_rr_histogram("cooccurrence", columns, 2, as.double(1:16), more = more, further = FALSE)$further)
  # Values of any sets: those of the family, those beyond, and none.
  sets <- cbind(c(1L, 3L, -1L, -1L), c(1L, 2L, 3L, 4L), c(0L, 1L, 3L, -1L), c(4L, -1L, -1L, -1L))
  expect_equal(set_values(y, sets), c(1 + 5 + 6, 3, NA, 6))
  expect_equal(set_values(x, sets), c(1 + 5 + 6, NA, NA, 6))
  expect_error(check_order(6, 5), class = "candor_error_argument")
  expect_equal(check_order(5, 5), 5)
  # 2^26 sets are allowed, one order more of 200 columns is not: 200 choose 4 is 6.5e7, with all below 6.6e7.
  expect_equal(check_order(4, 200), 4)
  expect_error(check_order(4, 202), class = "candor_error_order")
})

test_that("sets are read from labels, lists of names and positions, whatever their order", {
  expect_identical(parse_sets(c("c:a", "b"), columns), cbind(c(0L, 2L), c(1L, -1L)))
  expect_identical(parse_sets(list(c("e", "a", "c"), 2), columns), cbind(c(0L, 2L, 4L), c(1L, -1L, -1L)))
  expect_identical(parse_sets(list(5:4), columns), cbind(c(3L, 4L)))
  for (bad in list("f", "a:f", "a:a", list(0), list(6), list(c(1, 1)), list(1.5), list(character()))) {
    expect_error(parse_sets(bad, columns), class = "candor_error_level")
  }
  # A colon in a name is of the name.
  expect_identical(split_label("x:1:y", c("x:1", "y")), c("x:1", "y"))
  expect_identical(split_label("y:x:1", c("x:1", "y")), c("y", "x:1"))
  expect_identical(split_label("y:z", c("x:1", "y")), c("y", "z"))
  expect_error(check_set_names(c("a", "a:b", "c"), "x"), class = "candor_error_level")
  expect_identical(check_set_names(c("a", "ab", "x:y"), "x"), c("a", "ab", "x:y"))
  expect_identical(member_labels(cbind(c(2L, 3L, -1L), c(0L, 1L, 4L), c(1L, -1L, -1L)), columns), c("c:d", "a:b:e", "b"))
})

test_that("members are sorted, once each, and all sets between two are found", {
  x <- cbind(c(3L, 0L, 3L, -1L), c(2L, 1L, -1L, 0L), c(0L, 3L, -1L, 0L), c(4L, 4L, 4L, 4L))
  sorted <- cbind(c(0L, 3L, -1L, -1L), c(0L, 1L, 2L, -1L), c(0L, 3L, -1L, -1L), c(4L, -1L, -1L, -1L))
  expect_identical(sorted_members(x), sorted)
  expect_identical(unique_columns(x), sorted[, c(1, 2, 4)])
  expect_identical(sorted_members(rbind(c(2L, 0L))), rbind(c(2L, 0L)))
  # Subsets of more than `order` of the unions of two sets each, by brute force.
  members <- cbind(c(0L, 1L, 2L), c(1L, 3L, -1L), c(4L, -1L, -1L))
  sets <- lapply(asplit(members, 2), function(m) m[m >= 0])
  for (order in 1:4) {
    all <- list()
    for (i in 1:3) for (j in 1:3) {
      union <- sort(unique(c(sets[[i]], sets[[j]])))
      for (k in seq_along(union)) if (k > order) all <- c(all, utils::combn(length(union), k, function(s) union[s], simplify = FALSE))
    }
    all <- unique(all)
    between <- sets_between(members, order)
    if (!length(all)) {
      expect_null(between)
      next
    }
    text <- function(set) paste(set, collapse = " ")
    expect_setequal(apply(between, 2, function(m) text(m[m >= 0])), vapply(all, text, ""))
    # By size, then by their members.
    sizes <- colSums(between >= 0)
    expect_false(is.unsorted(sizes))
    for (size in unique(sizes)) {
      keys <- colSums(between[seq_len(size), sizes == size, drop = FALSE] * 10^(size - seq_len(size)))
      expect_false(is.unsorted(keys))
    }
    expect_equal(nrow(between), max(sizes))
  }
})

test_that("rivals are two columns of one block; columns of block -1 stand alone", {
  block <- c(1L, 1L, -1L, -1L, 2L, 2L)
  members <- cbind(c(0L, 1L, -1L), c(0L, 2L, 4L), c(2L, 3L, -1L), c(1L, 4L, 5L), c(3L, -1L, -1L), c(0L, 4L, 1L))
  expect_identical(has_rivals(members, block), c(TRUE, FALSE, FALSE, TRUE, FALSE, TRUE))
})

test_that("weights of a channel and of its inverse take counts there and back", {
  design <- list(p = c(0.8, 0.9), q = c(0.3, 0.2))
  expect_equal(moment_weights(design, FALSE), rbind(c(0.3, 0.2), c(0.5, 0.7)), ignore_attr = TRUE)
  expect_equal(moment_weights(design, TRUE), rbind(-c(0.3 / 0.5, 0.2 / 0.7), 1 / c(0.5, 0.7)), ignore_attr = TRUE)
  # Two columns of 100 rows: 40 and 30 ones, 20 of both. A reported 1 has q + (p - q) bit.
  x <- new_rr_histogram("cooccurrence", c("a", "b"), 2, c(100, 40, 30, 20))
  through <- through_columns(x, moment_weights(design, FALSE))
  expect_equal(through$values, c(100, 100 * 0.3 + 40 * 0.5, 100 * 0.2 + 30 * 0.7, 100 * 0.3 * 0.2 + 40 * 0.5 * 0.2 + 30 * 0.3 * 0.7 + 20 * 0.5 * 0.7))
  expect_null(through$more)
  back <- through_columns(new_rr_histogram("cooccurrence", c("a", "b"), 2, through$values), moment_weights(design, TRUE))
  expect_equal(back$values, c(100, 40, 30, 20))
})

test_that("covariances of counts in scores are those of the products of scores, row by row", {
  set.seed(5)
  truth <- data.frame(x = sample(c("u", "v", "w"), 300, TRUE, 3:1), y = sample(c("no", "yes"), 300, TRUE), z = sample(c("no", "yes"), 300, TRUE, 2:1))
  mechanisms <- list(x = rr_geometric(c("u", "v", "w"), 2), y = rr_binary(0.9, 0.2), z = rr_warner(0.85))
  reports <- as.data.frame(Map(function(column, m) rr_perturb(column, m, rng = "R"), truth, mechanisms))
  counts <- rr_cooccurrence(reports, order = 2, mechanism = mechanisms)
  fit <- rr_tmdh(counts, mechanisms)
  score <- function(name) {
    C <- unname(rr_matrix(mechanisms[[name]]))
    u <- solve(C)[match(reports[[name]], mechanisms[[name]]$reports), ]
    if (ncol(u) == 2) u[, 2, drop = FALSE] else u
  }
  u <- cbind(score("x"), score("y"), score("z"))
  members <- cbind(c(0L, -1L), c(1L, 3L), c(3L, 4L), c(4L, -1L), c(2L, 4L))
  products <- apply(members, 2, function(m) apply(u[, m[m >= 0] + 1, drop = FALSE], 1, prod))
  expect_equal(set_values(fit, members), colSums(products))
  expect_equal(score_block(fit, members, "population"), 300 * stats::cov(products))
  # These rows: less the number of rows that hold both sets, without bias; rivals are held by none.
  union <- function(i, j) {
    index <- sort(unique(c(members[, i], members[, j])))
    index <- index[index >= 0] + 1
    if (sum(index <= 3) > 1) 0 else sum(apply(u[, index, drop = FALSE], 1, prod))
  }
  expected <- crossprod(products) - outer(1:5, 1:5, Vectorize(union))
  expect_equal(score_block(fit, members, "sample"), expected)
  # A set whose products were not kept is named, with the order that has them.
  alone <- rr_tmdh(rr_cooccurrence(reports, order = 1, mechanism = mechanisms), mechanisms)
  expect_error(score_block(alone, cbind(c(0L, -1L, -1L), c(3L, 4L, -1L)), "sample"), "y:z.*order = 2[)]", class = "candor_error_order")
})

test_that("printed rows are the first, with the number of all", {
  x <- new_rr_histogram("cooccurrence", columns, 3, as.double(26:1))
  x["missing"] <- 0
  table <- printed_table(x, 3)
  expect_identical(attr(table, "total"), 25)
  expect_identical(nrow(table), 5L)
  expect_identical(nrow(printed_table(x, 5)), 5L)
  expect_identical(nrow(printed_table(x, 6)), 15L)
  expect_identical(nrow(printed_table(x, 1000)), 25L)
  expect_equal(as.data.frame(table)$share, (25:21) / 26)
})

test_that("an indefinite covariance is told, a semidefinite one is not", {
  expect_warning(warn_indefinite(matrix(c(1, 2, 2, 1), 2)), class = "candor_warning_indefinite")
  expect_warning(warn_indefinite(diag(c(1, -1e-12))), class = "candor_warning_indefinite")
  expect_no_warning(warn_indefinite(matrix(1, 2, 2)))
  # Of 400 variances at most the eigenvalues are looked at: 1 + 2 and 1 - 2.
  bound <- function(d) replace(diag(d), cbind(1:2, 2:1), 2)
  expect_warning(warn_indefinite(bound(400)), class = "candor_warning_indefinite")
  expect_no_warning(warn_indefinite(bound(401)))
  expect_no_warning(warn_indefinite(matrix(c(1, 1 + 1e-10, 1 + 1e-10, 1), 2)))
})
