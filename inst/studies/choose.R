# How well rr_choose_method() chooses, and what method = "combine" and "eb" gain, over the grid of Pinzon et al. (2026).
here <- dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "common.R"))

sizes <- c(50, 100, 1000, 5000)
cells <- expand.grid(n = 10^(2:6), epsilon = c(1, 4, 8), s = c(0.01, 1.3, 2.5), k = sizes)
papers <- c("invn", "invp", "mle")
methods <- c(papers, "combine", "merged", "norm_cut", "eb")
set.seed(6)

one <- function(k, s, epsilon, n, repetitions) {
  mechanism <- rr_grr(k, epsilon = epsilon)
  truth <- prop.table(seq_len(k)^-s)
  shares <- mechanism$q + mechanism$p_minus_q * truth
  losses <- vapply(seq_len(repetitions), function(r) {
    tally <- rr_counts(as.double(stats::rmultinom(1, n, shares)), mechanism)
    loss <- vapply(methods, function(m) sum((coef(rr_estimate(tally, method = m)) - truth)^2), 0)
    choice <- rr_choose_method(tally, method = papers, replications = 30)$method[1]
    c(loss, choice = loss[[choice]])
  }, numeric(length(methods) + 1))
  rowMeans(losses)
}
results <- cbind(cells, t(mapply(one, cells$k, cells$s, cells$epsilon, cells$n, ifelse(cells$k > 1000, 20, 40))))
utils::write.csv(signif(results, 6), file.path(folder, "choose.csv"), row.names = FALSE)

best <- do.call(pmin, results[papers])
geometric <- function(x) exp(mean(log(x)))
summary <- data.frame(method = c(methods, "choice"))
summary$mean.mse <- vapply(summary$method, function(m) mean(results[[m]]), 0)
summary$to.best <- vapply(summary$method, function(m) geometric(pmax(results[[m]], 1e-12) / best), 0)
for (s in unique(cells$s)) {
  summary[[paste0("to.best.s", s)]] <- vapply(summary$method, function(m) geometric(pmax(results[[m]], 1e-12)[cells$s == s] / best[cells$s == s]), 0)
}
print(summary, digits = 3, row.names = FALSE)
cat("mean.mse: mean over", nrow(cells), "cells. to.best: geometric mean of the ratio to the best of the three in the cell.\n")

figure <- data.frame(s = rep(cells$s, 3), epsilon = rep(cells$epsilon, 3), k = rep(cells$k, 3), n = rep(cells$n, 3), method = rep(c("mle", "choice", "combine"), each = nrow(cells)),
                     ratio = c(results$mle, results$choice, pmax(results$combine, best / 1000)) / best)
plot <- ggplot(figure, aes(n, ratio, colour = method)) + geom_hline(yintercept = 1, colour = "grey60") +
  geom_point(aes(shape = factor(epsilon)), position = position_dodge(width = 0.3), size = 1.6) +
  facet_grid(factor(paste("K =", k), paste("K =", sizes)) ~ paste("s =", s)) + scale_x_log10() + scale_y_log10() +
  labs(x = "Respondents", y = "MSE over the best of InvN, InvP, MLE in the cell", colour = NULL, shape = "epsilon") +
  theme_minimal() + theme(legend.position = "top")
save_figure(plot, "choose", 9, 8)

figure_of <- function(m, column = "mean.mse") summary[[column]][summary$method == m]
claim("rr_choose_method() among InvN, InvP and MLE has a mean risk no worse than always the MLE.",
      if (figure_of("choice") <= figure_of("mle")) "confirmed" else "NOT confirmed",
      sprintf("mean MSE %.4f against %.4f; %.2f and %.2f times the best in the cell", figure_of("choice"), figure_of("mle"),
              figure_of("choice", "to.best"), figure_of("mle", "to.best")))
claim("method = \"combine\" improves on the best single method on average.",
      if (figure_of("combine") < min(vapply(papers, figure_of, 0))) "confirmed" else "NOT confirmed",
      sprintf("mean MSE %.4f against %.4f; it beats even the best of the three of each cell (%.4f) on average: %s", figure_of("combine"),
              min(vapply(papers, figure_of, 0)), mean(best), figure_of("combine") < mean(best)))
worse <- results$combine / best
claim("It does so everywhere.", "no", sprintf("it is more than 10 %% worse than the best of the three in %d of %d cells, at most %.1f times (K = %g, s = %g, epsilon = %g, N = %g)",
      sum(worse > 1.1), nrow(cells), max(worse), cells$k[which.max(worse)], cells$s[which.max(worse)], cells$epsilon[which.max(worse)], cells$n[which.max(worse)]))
claim("method = \"eb\" has a smaller mean risk than \"combine\".", if (figure_of("eb") < figure_of("combine")) "confirmed" else "NOT confirmed",
      sprintf("mean MSE %.4f against %.4f; %.2f and %.2f times the best in the cell; more than 10 %% above it in %d of %d cells, at most %.1f times",
              figure_of("eb"), figure_of("combine"), figure_of("eb", "to.best"), figure_of("combine", "to.best"), sum(results$eb > 1.1 * best),
              nrow(cells), max(results$eb / best)))
