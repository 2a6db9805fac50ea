# Groups of every kind of column: the truth is base R's sorted distinct values, and counting row by row.

m <- rr_grr(c("no", "some", "often"), epsilon = 2)

expect_groups <- function(key, values = sort(unique(key))) {
  set.seed(1)
  reports <- sample(m$levels, length(key), TRUE)
  tally <- rr_tally(reports, m, by = data.frame(key = key))
  expect_identical(tally$groups$key, values)
  expect_identical(tally$counts, unname(vapply(as.character(values), function(value) {
    as.double(table(factor(reports[as.character(key) == value], m$levels)))
  }, numeric(3))))
}

test_that("groups are the sorted values that occur, of the type that they have", {
  set.seed(2)
  for (size in c(30, 20000)) {
    for (values in list(c(3L, -7L, 12L), c(.Machine$integer.max, -.Machine$integer.max, 0L), 5:7, 1:3, c(0.5, -2, 1e300), c("b", "a", "\u00e4"), c(TRUE, FALSE),
                        as.Date(c("2026-01-02", "2025-12-31")), structure(c(20000L, 20400L), class = "Date"))) expect_groups(sample(values, size, TRUE))
    # Levels keep their order; those that no row has are no groups, but stay levels.
    expect_groups(factor(sample(c("x", "z"), size, TRUE), c("z", "y", "x")), factor(c("z", "x"), c("z", "y", "x")))
  }
  expect_identical(nrow(rr_tally(character(), m, by = list(a = character(), b = integer()))$groups), 0L)
  # A value that only a late row has
  expect_groups(c(rep("b", 10000), "a", "c"))
  expect_groups(c(rep(0.5, 10000), 0.25))
})

test_that("of several columns the combinations that occur are groups, the first running fastest", {
  set.seed(3)
  for (values in list(1:3, sample.int(1e6, 200))) {
    by <- data.frame(a = sample(values, 500, TRUE), b = sample(c("u", "v", "w"), 500, TRUE), c = sample(values, 500, TRUE))
    by <- by[!(by$a == values[1] & by$b == "v"), ]
    tally <- rr_tally(sample(m$levels, nrow(by), TRUE), m, by = by)
    wanted <- unique(by)
    wanted <- wanted[order(wanted$c, wanted$b, wanted$a, method = "radix"), ]
    expect_identical(as.data.frame(tally$groups), data.frame(wanted, row.names = NULL))
    expect_identical(tally$n, as.double(table(factor(do.call(paste, by), do.call(paste, wanted)))))
  }
})
