# Many categories: the risk of method = "eb" and of its rivals over a grid of truths, numbers of categories and
# respondents and privacy levels. Rscript eb.R [folder] [kosarak.csv] [workers]
#
# One row of eb.csv (in the package as eb.csv.gz) is a cell. All methods see the same reports: 12, 12, 10, 8, 6 and 5 replications for 5, 20,
# 100, 1000, 10000 and 41270 categories. More replications follow, of "eb", "mle" and the rival that is the best, until both hold:
#
# * The ratio of "eb" to that rival (of mean squared errors, both with 2 % of that of "mle" added) has a standard error of 5 %: the column
#   mse.ratio.error, of the ratio's logarithm.
# * The ratio of "eb" to "mle" was never within two standard errors of 1.25, or its standard error (mle.ratio.error, of the logarithm) is at most
#   1 %. Such a cell goes on whatever it then shows: one that stopped as soon as it looked good would look too good.
#
# or until there are 100,000 replications; for the second alone, 960, 1600, 1200, 1600, 480 and 240 are the most. Even truths and
# nearly even ones (Zipf's exponent .3), where an error is rarely large, always get 240, 400, 300, 400, 120 and 60: a standard error that has seen no rare event yet is none. The squared errors of the other
# rivals are those of the first replications, as ratios to "mle"; if that makes another rival the best, it gets all the others' replications.
# Absolute errors and divergences are those of the first replications, intervals those of the first four. Each replication has a seed of its own,
# so that the numbers do not depend on `workers`.
#
# Truths: uniform, Zipf, geometric, "spike" (half the mass on 2 % of the categories), one draw of a Dirichlet(0.1), and,
# where their file is given, the clicks of the Kosarak prefix, sorted.
library(candor)
argument <- commandArgs(trailingOnly = TRUE)
folder <- if (length(argument) > 0) argument[1] else tempdir()
workers <- if (length(argument) > 2) as.integer(argument[3]) else 1L
clicks <- if (length(argument) > 1 && file.exists(argument[2])) sort(utils::read.csv(argument[2])$count, decreasing = TRUE)

truth_of <- function(name, k) {
  i <- seq_len(k)
  weight <- switch(name,
    uniform = rep(1, k), zipf0.3 = i^-0.3, zipf1 = i^-1, zipf1.3 = i^-1.3, zipf2.5 = i^-2.5,
    geometric = if (k < 20) 0.5^i else exp(-10 * i / k),
    spike = {
      top <- max(1, round(0.02 * k))
      c(rep(0.5 / top, top), rep(0.5 / (k - top), k - top))
    },
    dirichlet = {
      set.seed(k)
      stats::rgamma(k, 0.1)
    },
    clicks = c(clicks, numeric(max(0, k - length(clicks))))[i]
  )
  weight / sum(weight)
}
truths <- c("uniform", "zipf0.3", "zipf1", "zipf1.3", "zipf2.5", "geometric", "spike", "dirichlet", if (length(clicks)) "clicks")
cells <- rbind(
  expand.grid(truth = truths, epsilon = c(0.5, 1, 2, 4, 8), n = c(1e2, 1e3, 1e4, 1e5, 1e6, 1e8), k = c(5, 20, 100, 1000)),
  expand.grid(truth = truths, epsilon = c(1, 4, 8), n = c(1e2, 1e4, 1e6, 1e8), k = c(10000, 41270))
)
cells$truth <- as.character(cells$truth)
first <- c("5" = 12, "20" = 12, "100" = 10, "1000" = 8, "10000" = 6, "41270" = 5)
even <- c("5" = 240, "20" = 400, "100" = 300, "1000" = 400, "10000" = 120, "41270" = 60)
most <- 1e5
with_intervals <- 4
methods <- c("mle", "inv", "invn", "invp", "base_cut", "norm_cut", "merged", "combine", "power_ns", "eb", "oracle")

losses <- function(estimate, truth) {
  on <- truth > 0
  c(mse = sum((estimate - truth)^2), tv = sum(abs(estimate - truth)) / 2,
    kl = if (all(estimate[on] > 0)) sum(truth[on] * log(truth[on] / estimate[on])) else Inf)
}

# Standard error of the logarithm of the ratio of two means, 2 % of the mean of `mle` added to both.
ratio_error <- function(above, below, mle, floor = 0.02) {
  above <- above + floor * mle
  below <- below + floor * mle
  stats::sd(above / mean(above) - below / mean(below)) / sqrt(length(mle))
}

one <- function(cell) {
  truth <- truth_of(cell$truth, cell$k)
  mechanism <- rr_grr(cell$k, epsilon = cell$epsilon)
  of_k <- function(numbers) numbers[[format(cell$k, scientific = FALSE)]]
  m <- mechanism$q + mechanism$p_minus_q * truth
  # Drawn again when they are needed again: 100,000 reports of 41,270 categories do not fit into memory.
  draw <- function(r) {
    set.seed(cell$seed * most + r)
    as.double(stats::rmultinom(1, cell$n, m))
  }
  estimate <- function(counts, method, ...) {
    if (method == "oracle") return(candor:::study_oracle(mechanism, truth, counts, cell$n))
    candor:::estimate_counts(mechanism, counts, method, cell$n, list(...))$estimate
  }
  size <- of_k(first)

  # All that is measured on the first replications.
  loss <- array(NA_real_, c(length(methods), 3, size), list(methods, c("mse", "tv", "kl"), NULL))
  cover <- matrix(NA_real_, 4, size)
  top <- order(-truth)[seq_len(max(1, min(10, cell$k %/% 5)))]
  for (r in seq_len(size)) {
    counts <- draw(r)
    for (method in methods) loss[method, , r] <- losses(estimate(counts, method), truth)
    # The absolute loss has an estimate of its own.
    loss["eb", "tv", r] <- losses(estimate(counts, "eb", loss = "absolute"), truth)[["tv"]]
    if (cell$k >= 20 && r <= with_intervals) {
      inside <- function(bounds) bounds[, 1] <= truth * (1 + 1e-9) & truth <= bounds[, 2] * (1 + 1e-9) + 1e-15
      fit <- rr_estimate(rr_counts(counts, mechanism), method = "eb", loss = "absolute")
      credible <- confint(fit, interval = "credible")
      wilson <- confint(fit)
      cover[, r] <- c(mean(inside(credible)), mean(inside(credible)[top]), mean(inside(wilson)[top]),
                      fit$details[[1]]$expected.error)
    }
  }
  mean_loss <- apply(loss, 1:2, mean)

  # Squared errors of each method, on its first replications or on all; the means of those that have not all are scaled by "mle".
  squared <- stats::setNames(lapply(methods, function(method) loss[method, "mse", ]), methods)
  complete <- function(method) {
    missing <- seq_len(size)[-seq_along(squared[[method]])]
    more <- vapply(missing, function(r) losses(estimate(draw(r), method), truth)[["mse"]], 0)
    squared[[method]] <<- c(squared[[method]], more)
  }
  mean_of <- function(method) {
    own <- squared[[method]]
    mean(own) / mean(squared$mle[seq_along(own)]) * mean(squared$mle)
  }
  find_best <- function() {
    complete("mle")
    complete("eb")
    rivals <- setdiff(methods, c("eb", "oracle"))
    repeat {
      best <- rivals[which.min(vapply(rivals, mean_of, 0))]
      if (length(squared[[best]]) == size) return(best)
      complete(best)
    }
  }
  uncertain <- FALSE
  repeat {
    best <- find_best()
    error <- ratio_error(squared$eb, squared[[best]], squared$mle)
    mle_error <- ratio_error(squared$eb, squared$mle, squared$mle, 0)
    uncertain <- uncertain || abs(log(mean(squared$eb) / mean(squared$mle) / 1.25)) < 2 * mle_error
    enough <- !cell$truth %in% c("uniform", "zipf0.3") || size >= of_k(even)
    if (enough && error <= 0.05 && (!uncertain || mle_error <= 0.01 || size >= 4 * of_k(even)) || size >= most) break
    size <- min(ceiling(1.5 * size), most)
  }
  mean_loss[, "mse"] <- vapply(methods, mean_of, 0)
  named <- function(x, prefix) stats::setNames(as.list(signif(x, 5)), paste0(prefix, names(x)))
  average <- function(i, digits) round(mean(cover[i, ], na.rm = TRUE), digits)
  data.frame(truth = cell$truth, k = cell$k, epsilon = cell$epsilon, n = cell$n, replications = size,
             named(mean_loss[, "mse"], "mse."), mse.eb.error = signif(stats::sd(squared$eb) / sqrt(size), 3),
             mse.ratio.error = round(error, 4), mle.ratio.error = round(mle_error, 4), named(mean_loss[, "tv"], "tv."),
             named(mean_loss[c("mle", "combine", "eb"), "kl"], "kl."),
             credible = average(1, 4), credible.top = average(2, 4), wilson.top = average(3, 4),
             expected.mse = signif(mean(cover[4, ], na.rm = TRUE), 4))
}

cells$seed <- seq_len(nrow(cells))
file <- file.path(folder, "eb.csv")
for (k in unique(cells$k)) {
  part <- cells[cells$k == k, ]
  rows <- do.call(rbind, parallel::mclapply(seq_len(nrow(part)), function(i) one(part[i, ]), mc.cores = workers, mc.preschedule = FALSE))
  utils::write.table(rows, file, sep = ",", row.names = FALSE, col.names = k == cells$k[1], append = k != cells$k[1], quote = FALSE)
  cat(format(Sys.time()), "K =", k, "done:", round(sum(proc.time()[c(1, 4)])), "s of CPU time\n")
}
source(file.path(dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "eb-summary.R"))
print(summarise_eb(utils::read.csv(file)), digits = 3, row.names = FALSE)
