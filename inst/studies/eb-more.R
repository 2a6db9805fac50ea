# What eb.R leaves out about method = "eb": three and four categories, protocols whose reports support several categories, groups that learn one
# spread, a reference distribution, ordered categories, what rr_choose_method() gains from it, and what each part of it buys. Rscript eb-more.R [folder]
#
# One row of eb-more.csv (in the package as eb-more.csv.gz) is a method in a cell: its mean squared error, and the ratio to that of the method it is compared with (the first of the
# cell), with the standard error of the ratio's logarithm. All methods of a cell see the same reports.
library(candor)
folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) folder <- tempdir()

truth_of <- function(name, k) {
  i <- seq_len(k)
  weight <- switch(name, uniform = rep(1, k), zipf0.3 = i^-0.3, zipf1 = 1 / i, zipf1.3 = i^-1.3, zipf2.5 = i^-2.5,
                   geometric = if (k < 20) 0.5^i else exp(-10 * i / k),
                   spike = {
                     top <- max(1, round(0.02 * k))
                     c(rep(0.5 / top, top), rep(0.5 / (k - top), k - top))
                   })
  weight / sum(weight)
}

draw <- function(mechanism, truth, n) {
  law <- rr_law(mechanism)
  if (inherits(law, "rr_law_support")) {
    drawn <- list(mechanism = mechanism, truth = as.double(stats::rmultinom(1, n, truth)))
    # Its methods are the package's own: they are found from inside.
    counts <- eval(quote(simulate_counts(mechanism, truth)), drawn, asNamespace("candor"))
    return(rr_counts(as.double(counts), mechanism, n = n))
  }
  rr_counts(as.double(stats::rmultinom(1, n, mechanism$q + mechanism$p_minus_q * truth)), mechanism)
}

# `losses`: a matrix, one column a method, the first what the others are compared with.
rows_of <- function(part, cell, losses) {
  losses <- do.call(rbind, losses)
  mean <- colMeans(losses)
  ratio <- mean / mean[1]
  error <- apply(losses, 2, function(x) stats::sd(x / base::mean(x) - losses[, 1] / mean[1]) / sqrt(nrow(losses)))
  data.frame(part = part, cell, replications = nrow(losses), method = colnames(losses), mse = signif(mean, 5), ratio = signif(ratio, 4),
             ratio.error = signif(error, 3), row.names = NULL)
}

over <- function(part, cells, replications, one) {
  do.call(rbind, lapply(seq_len(nrow(cells)), function(i) {
    cell <- as.list(cells[i, ])
    set.seed(i)
    rows <- rows_of(part, cells[i, ], lapply(seq_len(replications), function(r) one(cell)))
    rows
  }))
}

compared <- function(methods, mechanism_of) function(cell) {
  truth <- truth_of(cell$truth, cell$k)
  tally <- draw(mechanism_of(cell), truth, cell$n)
  vapply(methods, function(m) sum((coef(rr_estimate(tally, method = m)) - truth)^2), 0)
}
cells_of <- function(...) expand.grid(..., stringsAsFactors = FALSE)
results <- list()
say <- function(name) cat(format(Sys.time()), name, round(proc.time()[[1]]), "s of CPU time\n")

results$few <- over("few categories", cells_of(truth = c("uniform", "zipf1", "zipf2.5", "geometric"), epsilon = c(0.5, 1, 4), n = c(1e2, 1e3, 1e4, 1e6),
                                               k = c(3, 4), detail = ""), 20, compared(c("mle", "eb"), function(cell) rr_grr(cell$k, epsilon = cell$epsilon)))
say("few categories")

protocols <- list(unary = function(cell) rr_unary(cell$k, epsilon = cell$epsilon), hash = function(cell) rr_local_hash(cell$k, epsilon = cell$epsilon),
                  subset = function(cell) rr_subset(cell$k, epsilon = cell$epsilon))
results$protocols <- over("protocols", cells_of(truth = c("uniform", "zipf1", "zipf2.5", "spike"), epsilon = c(1, 4), n = c(1e3, 1e5), k = c(20, 100, 1000),
                                                detail = names(protocols)), 4, function(cell) {
  compared(c("inv", "base_cut", "norm_sub", "eb"), function(cell) protocols[[cell$detail]](cell))(cell)
})
say("protocols")

# Twenty days of 500 reports; each day's shares are the common ones times log-normal factors.
results$pool <- over("pool", cells_of(truth = c("uniform", "zipf1"), epsilon = 2, n = 500, k = c(5, 20, 100), detail = c(0.2, 1)), 4, function(cell) {
  mechanism <- rr_grr(cell$k, epsilon = cell$epsilon)
  base <- truth_of(cell$truth, cell$k)
  days <- replicate(20, {
    share <- base * exp(cell$detail * stats::rnorm(cell$k))
    share / sum(share)
  })
  reports <- lapply(1:20, function(d) rep(seq_len(cell$k), stats::rmultinom(1, cell$n, mechanism$q + mechanism$p_minus_q * days[, d])))
  tally <- rr_tally(unlist(reports), mechanism, by = rep(1:20, each = cell$n))
  loss <- function(...) mean(colSums((rr_estimate(tally, ...)$estimate - days)^2))
  c(eb = loss(method = "eb"), mle = loss(), "eb pooled" = loss(method = "eb", pool = TRUE))
})
say("pool")

# A reference that is right but for factors exp(.3 z), one with factors exp(.7 z), and one in a wrong order; and the order of
# the categories, for shares that fall (Zipf) and for the same in random order.
results$reference <- over("reference", cells_of(truth = c("zipf1", "geometric"), epsilon = 2, n = c(1e3, 1e5), k = c(20, 100, 1000), detail = ""), 8, function(cell) {
  mechanism <- rr_grr(cell$k, epsilon = cell$epsilon)
  other <- function(x, s) {
    x <- x * exp(s * stats::rnorm(cell$k))
    x / sum(x)
  }
  truth <- truth_of(cell$truth, cell$k)
  near <- other(truth, 0.3)
  far <- other(truth, 0.7)
  tally <- draw(mechanism, truth, cell$n)
  mixed <- sample(cell$k)
  shuffled <- rr_counts(as.double(tally$counts)[mixed], mechanism)
  loss <- function(x, truth, ...) sum((coef(rr_estimate(x, method = "eb", ...)) - truth)^2)
  c(eb = loss(tally, truth), near = loss(tally, truth, reference = near), far = loss(tally, truth, reference = far),
    wrong = loss(tally, truth, reference = sample(near)), ordered = loss(tally, truth, ordered = TRUE),
    "ordered wrong" = loss(shuffled, truth[mixed], ordered = TRUE))
})
say("reference")

# What rr_choose_method() takes of its candidates with and without "eb": its simulated risks, without the column `unbiased`, which takes long
# and decides nothing.
old <- c("inv", "invn", "invp", "mle", "combine")
risks <- function(tally, methods) {
  counts <- as.double(tally$counts)
  smooth <- candor:::smooth_truth(tally$mechanism, counts, tally$n)
  candor:::judge_methods(tally$mechanism, smooth, NULL, tally$n, candor:::check_methods(methods), 20, 1, 1)$estimate["mse", ]
}
results$choose <- over("rr_choose", cells_of(truth = c("uniform", "zipf1", "zipf2.5", "spike"), epsilon = c(1, 4), n = c(1e3, 1e5), k = c(20, 100),
                                             detail = ""), 2, function(cell) {
  truth <- truth_of(cell$truth, cell$k)
  tally <- draw(rr_grr(cell$k, epsilon = cell$epsilon), truth, cell$n)
  risk <- risks(tally, c(old, "eb"))
  loss <- vapply(c(old, "eb"), function(m) sum((coef(rr_estimate(tally, method = m)) - truth)^2), 0)
  c(mle = loss[["mle"]], combine = loss[["combine"]], eb = loss[["eb"]], "choice without eb" = loss[[which.min(risk[seq_along(old)])]],
    "choice with eb" = loss[[which.min(risk)]])
})
say("rr_choose")

# What each part of the estimator buys: the same without it. Losses have 2 % of those of "mle" added, as in eb.R. A kind of shape that is left out
# gives its prior weight to the power laws, and these theirs to the pairs; "always free" has no weights by leaving one out.
put <- function(name, value) utils::assignInNamespace(name, value, "candor")
parts <- c("eb_weights", "eb_alone", "eb_free_odds", "eb_most_rows")
whole <- stats::setNames(lapply(parts, utils::getFromNamespace, "candor"), parts)
without <- function(kind, heir = 2) function() {
  put("eb_weights", function(k) {
    weights <- whole$eb_weights(k)
    weights[heir] <- weights[heir] + weights[kind]
    replace(weights, kind, 0)
  })
}
variants <- list(eb = function() NULL, "no free form" = function() put("eb_free_odds", 0), "always free" = function() put("eb_free_odds", 1e300),
                 "no heads" = function() put("eb_alone", function(rows) rep(FALSE, length(rows$count))), "no power laws" = without(2, 3),
                 "no pairs" = without(3), "no singles" = without(4), "no bins" = function() put("eb_most_rows", Inf))
seconds <- stats::setNames(numeric(length(variants)), names(variants))
for (loss in c("squared", "absolute")) {
  part <- paste("parts", loss)
  error_of <- if (loss == "squared") function(x) sum(x^2) else function(x) sum(abs(x)) / 2
  results[[part]] <- over(part, cells_of(truth = c("uniform", "zipf0.3", "zipf1", "zipf1.3", "zipf2.5", "geometric", "spike"), epsilon = c(1, 4, 8),
                                         n = c(1e2, 1e4, 1e6, 1e8), k = c(20, 100, 1000, 10000), detail = ""), 4, function(cell) {
    truth <- truth_of(cell$truth, cell$k)
    tally <- draw(rr_grr(cell$k, epsilon = cell$epsilon), truth, cell$n)
    mle <- error_of(coef(rr_estimate(tally)) - truth)
    floor <- 0.02 * mle
    errors <- vapply(names(variants), function(variant) {
      variants[[variant]]()
      started <- proc.time()[[1]]
      error <- error_of(coef(rr_estimate(tally, method = "eb", loss = loss)) - truth)
      seconds[[variant]] <<- seconds[[variant]] + proc.time()[[1]] - started
      for (name in parts) put(name, whole[[name]])
      error + floor
    }, 0)
    c(errors, mle = mle + floor)
  })
  say(part)
}
cat("Seconds of CPU time:\n")
print(round(seconds, 1))

results <- do.call(rbind, results)
utils::write.csv(results, file.path(folder, "eb-more.csv"), row.names = FALSE, quote = FALSE)
geometric <- function(x) signif(exp(mean(log(x))), 3)
print(aggregate(ratio ~ method + k + part, results[results$truth != "uniform", ], geometric))
print(aggregate(ratio ~ method + k + part, results[results$truth == "uniform", ], geometric))
# The bound on a cell: what is the largest ratio to "mle"?
squared <- results[results$part == "parts squared" & results$truth != "uniform", ]
mle <- rep(squared$ratio[squared$method == "mle"], each = length(variants) + 1)
print(round(tapply(squared$ratio / mle, list(squared$method, K = squared$k), max), 2))
