# Draws figure.png of paper.md: coverage of two intervals, by the binomial law of the count. Rscript inst/paper/figure.R, from the top of the clone.
library(candor)
library(ggplot2)

n <- 300
shares <- seq(0, 0.3, by = 0.0025)
designs <- list(`Warner's design, p = 0.75` = rr_warner(0.75), `Forced response, a die` = rr_forced(1 / 6))
coverage <- function(mechanism, interval) {
  counts <- rbind(n:0, 0:n)
  dimnames(counts) <- list(NULL, 0:n)
  table <- tidy(rr_estimate(rr_counts(counts, mechanism), interval = interval), conf.int = TRUE)
  table <- table[table$term == "yes", ]
  yes <- rr_matrix(mechanism)[, "yes"]
  vapply(shares, function(t) {
    sum(dbinom(0:n, n, (1 - t) * yes[1] + t * yes[2]) * (table$conf.low <= t & t <= table$conf.high))
  }, 0)
}
cells <- expand.grid(design = names(designs), interval = c("wilson", "wald"), stringsAsFactors = FALSE)
lines <- do.call(rbind, Map(function(design, interval) {
  data.frame(design, interval = c(wilson = "Wilson (default)", wald = "Wald")[[interval]], share = shares,
             coverage = suppressMessages(suppressWarnings(coverage(designs[[design]], interval))))
}, cells$design, cells$interval))
plot <- ggplot(lines, aes(share, coverage, colour = interval, linetype = interval)) +
  geom_hline(yintercept = 0.95, colour = "grey60") + geom_line() + facet_wrap(~design) +
  scale_colour_manual(values = c("#b3532b", "#2a6f97")) +
  labs(x = "True share of the trait", y = "Coverage", colour = NULL, linetype = NULL) + theme_bw() + theme(legend.position = "bottom")
ggsave(file.path("inst", "paper", "figure.png"), plot, width = 6.5, height = 3.2, dpi = 150)
