# Draws man/figures/README-recovery.png, the picture of the README.
#
# Run from the top of the package, with candor installed:  Rscript tools/readme/make-picture.R

library(candor)
library(ggplot2)

set.seed(2026)
answers <- c("never", "once", "a few times", "monthly", "weekly", "most days", "daily", "all day")
shares <- c(0.34, 0.24, 0.15, 0.10, 0.08, 0.05, 0.03, 0.01)
n <- 20000

mechanism <- rr_grr(answers, epsilon = 1)
truth <- sample(answers, n, replace = TRUE, prob = shares)
reports <- rr_perturb(truth, mechanism, rng = "R")
fit <- rr_estimate(reports, mechanism, target = "sample")

panels <- c("The truth\nnobody sees it", "The reports\nall that is collected", "The estimate\n95% intervals; tick: the truth")
held <- as.vector(proportions(table(factor(truth, answers))))
seen <- as.vector(proportions(table(factor(reports, answers))))
table <- tidy(fit, conf.int = TRUE)
blank <- rep(NA_real_, length(answers))
bars <- data.frame(
  panel = factor(rep(panels, each = length(answers)), panels),
  answer = factor(rep(answers, 3), rev(answers)),
  share = c(held, seen, table$estimate),
  low = c(blank, blank, table$conf.low),
  high = c(blank, blank, table$conf.high),
  tick = c(blank, blank, held)
)

picture <- ggplot(bars, aes(share, answer)) +
  geom_col(aes(fill = panel), width = 0.72, show.legend = FALSE) +
  geom_errorbarh(aes(xmin = low, xmax = high), height = 0.25, linewidth = 0.4, na.rm = TRUE) +
  geom_tile(aes(x = tick), width = 0.0035, height = 0.72, fill = "#d95f02", na.rm = TRUE) +
  facet_wrap(~panel) +
  scale_fill_manual(values = c("#6b7a8f", "#c9cfd6", "#7fb2d9")) +
  scale_x_continuous(labels = function(x) paste0(round(100 * x), "%"), expand = expansion(c(0, 0.04))) +
  labs(x = NULL, y = NULL) +
  theme_minimal(base_size = 11) +
  theme(panel.grid.major.y = element_blank(), panel.grid.minor = element_blank(),
        panel.spacing = unit(14, "pt"), strip.text = element_text(hjust = 0, lineheight = 1.1),
        plot.background = element_rect(fill = "white", colour = NA))

dir.create("man/figures", recursive = TRUE, showWarnings = FALSE)
ggsave("man/figures/README-recovery.png", picture, width = 7.5, height = 2.9, dpi = 144)
