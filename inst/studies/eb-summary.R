# What the grid of eb.R says: the ratio of each method's loss to the best of all others that exist, chosen with hindsight
# in each cell. Both losses are taken with 2 % of the maximum likelihood estimate's added, so that two that are negligible
# make no ratio of a thousand. `known`: the share of cells in which the standard error of the logarithm of the ratio of "eb" is at most 5 %.

rivals <- c("mle", "inv", "invn", "invp", "base_cut", "norm_cut", "merged", "combine", "power_ns")
distributions <- c("mle", "invn", "invp", "norm_cut", "merged", "combine", "power_ns")

ratios_eb <- function(table, method, loss = "mse") {
  column <- function(m) table[[paste0(loss, ".", m)]]
  floor <- 0.02 * column("mle")
  best <- do.call(pmin, lapply(if (loss == "mse") rivals else distributions, column))
  (column(method) + floor) / (best + floor)
}

summarise_eb <- function(table) {
  parts <- list("all but uniform" = table$truth != "uniform", uniform = table$truth == "uniform")
  for (k in unique(table$k)) parts[[paste("K =", format(k, scientific = FALSE))]] <- table$k == k & table$truth != "uniform"
  geometric <- function(x) exp(mean(log(x)))
  rows <- lapply(names(parts), function(name) {
    part <- table[parts[[name]], ]
    eb <- ratios_eb(part, "eb")
    data.frame(cells = name, number = nrow(part), eb = geometric(eb), worst = max(eb), within10 = mean(eb <= 1.1),
               mle = geometric(ratios_eb(part, "mle")), invp = geometric(ratios_eb(part, "invp")),
               power_ns = geometric(ratios_eb(part, "power_ns")), combine = geometric(ratios_eb(part, "combine")),
               oracle = geometric(ratios_eb(part, "oracle")), eb.tv = geometric(ratios_eb(part, "eb", "tv")),
               combine.tv = geometric(ratios_eb(part, "combine", "tv")),
               above.mle = sum(part$mse.eb > 1.25 * part$mse.mle), known = mean(part$mse.ratio.error <= 0.05))
  })
  do.call(rbind, rows)
}
