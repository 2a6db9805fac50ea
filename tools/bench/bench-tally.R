# rr_tally() of 1e8 integers against tabulate(): to reach <= 1.5. Of a data frame with groups and weights against the grouped
# sum of data.table, where that is installed: to reach <= 2.
library(candor)
source("common.R", chdir = TRUE)

k <- 100L
x <- sample.int(k, 1e8, replace = TRUE)
mechanism <- rr_grr(k, epsilon = 1)
report("rr_tally(1e8 integers) / tabulate()", ratio(rr_tally(x, mechanism), tabulate(x, k)), "<= 1.5")

big <- 41270L
x <- sample.int(big, 1e7, replace = TRUE)
mechanism <- rr_grr(big, epsilon = 1)
report("rr_tally(1e7 integers of 41,270 levels) / tabulate()", ratio(rr_tally(x, mechanism), tabulate(x, big)), "<= 1.5")

x <- stats::runif(1e7, 0, 100)
mechanism <- rr_scramble(c(0, 60), c(0.5, 1, 1.5), c(0, 5, 10))
report("rr_tally(1e7 scrambled numbers) / sum(x) and sum(x^2)", ratio(rr_tally(x, mechanism), c(sum(x), sum(x^2))), "<= 4")

if (requireNamespace("data.table", quietly = TRUE)) {
  n <- 1e7
  set.seed(1)
  x <- sample.int(k, n, replace = TRUE)
  g <- sample.int(50L, n, replace = TRUE)
  w <- stats::runif(n)
  text <- sprintf("c%03d", seq_len(k))
  regions <- sprintf("g%02d", 1:50)
  frames <- list(integers = data.frame(x, g, w), factors = data.frame(x = factor(text[x], text), g = factor(regions[g]), w),
                 text = data.frame(x = text[x], g = regions[g], w), doubles = data.frame(x = as.double(x), g = as.double(g), w))
  for (kind in names(frames)) {
    frame <- frames[[kind]]
    table <- data.table::as.data.table(frame)
    mechanism <- if (is.numeric(frame$x)) rr_grr(k, epsilon = 1) else rr_grr(text, epsilon = 1)
    # data.table's [ looks for its own columns only where the caller says that it knows them.
    own <- local({
      .datatable.aware <- TRUE
      function() table[, list(sum = sum(w)), by = c("x", "g")]
    })
    report(sprintf("rr_tally(1e7 rows, %s, by, weights) / data.table's sum (%d thread)", kind, data.table::getDTthreads()),
           ratio(rr_tally(frame, mechanism, column = "x", by = "g", weights = "w"), own(), 5), "<= 2")
  }
}
