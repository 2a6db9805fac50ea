# The simulation study of Pinzon et al. (2026), section 6 and supplement D: K in 50, 100, 1000, 5000, 10000; epsilon 1 to 10;
# N 100 to 1,000,000; Zipf truths with s = 0.01, 1.3, 2.5; 100 replications; Inv, InvN, InvP, MLE. Figures 1, 2 and 5 to 10.
here <- dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "common.R"))

sizes <- c(50, 100, 1000, 5000, 10000)
exponents <- c(0.01, 1.3, 2.5)
truths <- list()
for (s in exponents) for (k in sizes) truths[[sprintf("s = %g, K = %g", s, k)]] <- prop.table(seq_len(k)^-s)

started <- Sys.time()
grid <- rr_study(truths, epsilon = 1:10, n = 10^(2:6), replications = 100, seed = 2025)
cat(sprintf("%d cells in %.1f seconds\n", nrow(grid) / 20, as.numeric(Sys.time() - started, units = "secs")))
grid$s <- as.numeric(sub("s = ([0-9.]+),.*", "\\1", grid$truth))

# ---- figures ----

colours <- c(inv = "#0072B2", invn = "#E69F00", invp = "#009E73", mle = "#D55E00")
lines_of <- function(data, x, metric, xlab) {
  names <- c(mse = "Mean squared error", nll = "Negative log-likelihood per respondent")
  plot <- ggplot(data[data$metric == metric & data$method != "inv", ], aes(.data[[x]], estimate, colour = method, fill = method)) +
    geom_ribbon(aes(ymin = pmax(estimate - 2 * mc.error, estimate / 10), ymax = estimate + 2 * mc.error), alpha = 0.2, colour = NA) +
    geom_line(linewidth = 0.8) + geom_point(size = 1.5) +
    facet_wrap(~paste("s =", s), scales = "free_y") +
    scale_colour_manual(values = colours, aesthetics = c("colour", "fill")) +
    labs(x = xlab, y = names[[metric]], colour = NULL, fill = NULL) + theme_minimal() + theme(legend.position = "top")
  if (x == "n") plot <- plot + scale_x_log10()
  if (metric == "mse") plot + scale_y_log10() else plot
}
figure1 <- grid[grid$k == 10000 & grid$epsilon == 4, ]
figure2 <- grid[grid$k == 10000 & grid$n == 1e6, ]
save_figure(lines_of(figure1, "n", "mse", "Respondents"), "figure-1a", 9, 3.5)
save_figure(lines_of(figure1, "n", "nll", "Respondents"), "figure-1b", 9, 3.5)
save_figure(lines_of(figure2, "epsilon", "mse", "Privacy level epsilon"), "figure-2a", 9, 3.5)
save_figure(lines_of(figure2, "epsilon", "nll", "Privacy level epsilon"), "figure-2b", 9, 3.5)
number <- 5
for (metric in c("mse", "nll")) for (s in exponents) {
  plot <- autoplot(grid[grid$s == s, ], metric, methods = c("invn", "invp", "mle"))
  save_figure(plot, sprintf("figure-%d-%s-s%g", number, metric, s), 22, 11)
  number <- number + 1
}

# ---- claims ----

wide <- function(metric, column = "estimate") {
  part <- as.data.frame(grid[grid$metric == metric, ])
  cells <- unique(part[c("truth", "s", "k", "epsilon", "n")])
  for (m in c("inv", "invn", "invp", "mle")) cells[[m]] <- part[[column]][part$method == m]
  cells
}
mse <- wide("mse")
error <- wide("mse", "mc.error")
nll <- wide("nll")
utils::write.csv(cbind(mse[c("s", "k", "epsilon", "n")], signif(mse[c("inv", "invn", "invp", "mle")], 6)),
                 file.path(folder, "pinzon-mse.csv"), row.names = FALSE)

low <- pmin(mse$invn, mse$invp)
high <- pmax(mse$invn, mse$invp)
outside <- mse$mle < low * (1 - 1e-9) | mse$mle > high * (1 + 1e-9)
worst <- mse$mle > high * (1 + 1e-9)
clear <- worst & mse$mle - high > 3 * error$mle
claim("The MSE of the MLE is always between those of InvN and InvP (abstract, 5; errata P22).",
      if (any(outside)) "not quite" else "confirmed in this grid",
      sprintf("below both in %d of %d cells, above both, the worst of the three, in %d (in %d by more than 3 Monte Carlo errors)",
              sum(outside & !worst), nrow(mse), sum(worst), sum(clear)))

best <- c("invn", "invp", "mle")[max.col(-mse[c("invn", "invp", "mle")], ties.method = "first")]
shares <- function(s) {
  apart <- high / low > 1.01 & mse$s == s
  table(factor(best[apart], c("invn", "invp", "mle")))
}
even <- shares(0.01)
steep <- shares(2.5)
claim("InvN is best for near-uniform truths (s = 0.01), InvP for concentrated ones (s = 2.5).",
      if (even[["invp"]] == 0 && steep[["invn"]] == 0) "confirmed" else "mostly",
      sprintf("where they differ by more than 1 %%: s = 0.01: InvN best in %d, InvP in %d, MLE in %d; s = 2.5: %d, %d, %d",
              even[["invn"]], even[["invp"]], even[["mle"]], steep[["invn"]], steep[["invp"]], steep[["mle"]]))

claim("The MLE has the lowest negative log-likelihood of the valid estimates.",
      if (all(nll$mle <= pmin(nll$invn, nll$invp) + 1e-12)) "confirmed (by definition it must)" else "NOT confirmed",
      sprintf("in %d of %d cells", sum(nll$mle <= pmin(nll$invn, nll$invp) + 1e-12), nrow(nll)))

excess <- mse$mle / pmin(mse$invn, mse$invp)
claim("The MLE stays close to the best estimator.", "not in all cells",
      sprintf("its MSE is %.2f times the best in the median cell, more than 2 times in %d of %d, and up to %.0f times (%s, epsilon = %g, N = %g)",
              stats::median(excess), sum(excess > 2), nrow(mse), max(excess), mse$truth[which.max(excess)],
              mse$epsilon[which.max(excess)], mse$n[which.max(excess)]))

at_one <- mse[mse$epsilon == 1 & mse$n == 1e4 & mse$s == 1.3, ]
claim("MSE is in O(K / N) (5.4, theorem 9; errata P4).", "wrong at fixed epsilon for Inv, which grows as K^2 / N",
      paste0("N MSE / K^2 at epsilon = 1, s = 1.3: ", paste(sprintf("%.4f", at_one$n * at_one$inv / at_one$k^2), collapse = ", "),
             " for K = ", paste(at_one$k, collapse = ", ")))
exact <- vapply(seq_len(nrow(mse)), function(i) {
  table <- rr_recommend(mse$k[i], mse$epsilon[i], mse$n[i], truths[[mse$truth[i]]])
  table$mse[table$mechanism == "grr"]
}, 0)
z <- (mse$inv - exact) / error$inv
claim("Theorem 9's closed form of the MSE of Inv, corrected (errata P3).", if (max(abs(z)) < 5) "confirmed" else "NOT confirmed",
      sprintf("simulated less exact, in Monte Carlo errors: mean %.2f, sd %.2f, largest %.2f over %d cells", mean(z), stats::sd(z), max(abs(z)), length(z)))

q <- 1 / (exp(4) + 9999)
negative <- vapply(c(1e2, 1e4, 1e6), function(n) stats::pbinom(ceiling(n * q) - 1, n, q), 0)
claim("P(estimate < 0) is close to 1/2 for a category that nobody holds, regardless of N (5.1; errata P19).", "wrong",
      sprintf("K = 10,000, epsilon = 4: %.3f, %.3f, %.3f for N = 1e2, 1e4, 1e6", negative[1], negative[2], negative[3]))

eight <- rr_recommend(8, epsilon = 1)
small <- stats::setNames(eight$std.error^2, eight$mechanism)
claim("Randomized response is optimal among all mechanisms for K < 3 e^epsilon + 2 (1; errata P23).", "wrong",
      sprintf("K = 8 < %.2f, epsilon = 1: N Var is %.2f for GRR, %.2f for OUE, %.2f for subset selection",
              3 * exp(1) + 2, small[["grr"]], small[["oue"]], small[["subset"]]))
