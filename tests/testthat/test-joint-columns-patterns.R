#' @srrstats {G5.4c} Published margins of surveys.

# Surveys whose patterns of answers are in a folder of data, not in the package: CANDOR_SHARED_DATA names it.
patterns <- function(file) {
  path <- file.path(Sys.getenv("CANDOR_SHARED_DATA"), file)
  skip_if_not(nzchar(Sys.getenv("CANDOR_SHARED_DATA")) && file.exists(path), "the folder of survey patterns is not there")
  utils::read.csv(path, colClasses = c(pattern = "character"))
}

row_types <- function(pattern, n) {
  bits <- do.call(rbind, strsplit(pattern, ""))
  types <- numeric(2^ncol(bits))
  at <- 1 + drop((bits == "1") %*% 2^(seq_len(ncol(bits)) - 1))
  for (i in seq_along(at)) types[at[i]] <- types[at[i]] + n[i]
  types
}

test_that("five items of the exam survey, forced response in two groups: margins as published, joint routes agree", {
  data <- patterns("ethbe_forced_patterns.csv")
  items <- c("copied", "crib notes", "drugs", "plagiarism", "other's work")
  yes <- list(c(237, 195, 115, 126, 108), c(246, 199, 117, 137, 108))
  truth <- c(2 / 3, 3 / 4)
  size <- c(722, 695)
  total <- 0
  for (g in 1:2) {
    group <- data[abs(data$p1 - truth[g]) < 1e-3, ]
    counts <- rowtype(row_types(group$pattern, group$Freq), columns = items)
    expect_identical(counts$n, size[g])
    expect_identical(unname(coef(counts))[1:5], yes[[g]])
    fit <- rr_tmdh(counts, list(p = truth[g] + 1 / 6, q = 1 / 6))
    expect_equal(unname(coef(fit))[1:5], (yes[[g]] - size[g] / 6) / truth[g])
    total <- total + unname(coef(fit))[1:5]
    survey <- do.call(rr_product, stats::setNames(rep(list(rr_kuk(truth[g] + 1 / 6, 1 / 6)), 5), items))
    cells <- array(row_types(group$pattern, group$Freq), rep(2, 5))
    tally <- new_rr_tally(survey, as.vector(cells))
    expect_equal(unname(rowtype(fit)) / size[g], unname(coef(rr_estimate(tally, method = "inv"))))
    likely <- rr_estimate(tally)
    expect_lte(likely$details[[1]]$gap, 1e-6)
    joint <- as.table(fit)
    expect_equal(sum(joint), 1)
    expect_true(all(joint >= 0))
    # Many cells are truly close to 0: the unbiased estimate leaves the simplex, the margins of the proper tables stay close.
    expect_lt(min(rowtype(fit)), 0)
    for (item in 1:2) {
      margins <- c(unname(coef(fit))[item] / size[g], apply(joint, item, sum)[2], tidy(rr_margin(likely, item))$estimate[2])
      expect_lt(max(margins) - min(margins), 0.05)
    }
    # Copying and crib notes go together: both groups say so.
    association <- as.data.frame(rr_association(fit))
    expect_gt(association$correlation[1], 2 * association$correlation.error[1])
  }
  # Hoeglinger, Jann and Diekmann (2016), pooled over the groups by their standard errors; here by size.
  expect_equal(total / sum(size), c(0.246, 0.158, -0.004, 0.027, -0.020), tolerance = 0.05)
})

test_that("six items of the unrelated-question survey: counts of sets from patterns", {
  data <- patterns("rrtcs_horvitz710_patterns.csv")
  counts <- rowtype(row_types(data$pattern, data$n))
  expect_identical(counts$n, 710)
  expect_identical(unname(coef(counts))[1:6], c(328, 180, 280, 81, 164, 53))
  bits <- do.call(rbind, strsplit(rep(data$pattern, data$n), ""))
  storage.mode(bits) <- "integer"
  expect_identical(rr_cooccurrence(bits, 6)$values, counts$values)
  expect_identical(rr_cooccurrence(bits, 3)$values, counts$values[seq_len(set_total(6, 3))])
})
