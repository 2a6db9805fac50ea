# demo.R <picture>: the main job twice, on a published survey and on a million reports of a telemetry-sized alphabet.
# Run by tools/demo, which sets everything up.
picture <- commandArgs(trailingOnly = TRUE)[1L]
library(candor)
options(width = 132)

seconds <- function(expression) unname(system.time(expression)[["elapsed"]])
heading <- function(...) cat("\n", strrep("-", 100), "\n", ..., "\n\n", sep = "")
methods <- c("mle", "inv", "invn", "invp", "ibu", "base_cut", "norm", "norm_cut", "norm_sub", "power", "power_ns", "merged",
             "combine", "eb")

# ---- a real survey ----------------------------------------------------------------------------------------------

heading("1. A published survey: misconduct among students of Bern and Zurich, forced response\n",
        "   (Hoeglinger, Jann and Diekmann 2016, doi:10.18148/srm/2016.v10i3.6703), 722 answers to each of five questions")
survey <- subset(exam_survey, design == "forced response" & p == min(p[design == "forced response"]))
mechanism <- rr_binary(p = survey$p[1], q = survey$q[1])
print(mechanism)

counts <- rbind(no = survey$no, yes = survey$yes)
colnames(counts) <- as.character(survey$item)
tally <- rr_counts(counts, mechanism)

cat("\nEstimated share of yes, by every method. Linear inversion is unbiased and may be negative; it is shown as it is.\n\n")
shares <- sapply(methods, function(method) {
  estimates <- tidy(rr_estimate(tally, method = method))
  estimates$estimate[estimates$term == "yes"]
})
print(data.frame(question = colnames(counts), round(shares, 4)), row.names = FALSE)

fit <- rr_estimate(tally)
cat("\nThe maximum likelihood fit, and its tidy table:\n\n")
print(fit)
cat("\n")
print(tidy(fit, conf.int = TRUE), n = Inf)

if (capabilities("cairo")) options(bitmapType = "cairo")
grDevices::png(picture, width = 2000, height = 1200, res = 200)
print(ggplot2::autoplot(fit))
invisible(grDevices::dev.off())
cat("\nPicture: ", normalizePath(picture), " (", file.size(picture), " bytes)\n", sep = "")

# ---- as large as telemetry --------------------------------------------------------------------------------------

k <- 41270L
n <- 1000000L
heading("2. As large as telemetry: ", format(k, big.mark = ","), " categories, ", format(n, big.mark = ","),
        " true answers drawn from Zipf's law,\n   randomized on the spot with epsilon = 8 by the secure generator")
mechanism <- rr_grr(k, epsilon = 8)
truth <- sample.int(k, n, replace = TRUE, prob = 1 / seq_len(k))
spent <- c(
  randomize = seconds(reports <- rr_perturb(truth, mechanism)),
  count = seconds(tally <- rr_tally(reports, mechanism)),
  estimate = seconds(fit <- rr_estimate(tally)),
  intervals = seconds(table <- tidy(fit, conf.int = TRUE))
)
print(fit)
cat("\nThe ten most frequent, beside the shares that were randomized away:\n\n")
table$truth <- tabulate(truth, k) / n
print(table[order(-table$truth)[1:10], ])
cat("\nThe intervals rest on each answer's own reports. A distribution over so many rare answers takes from the frequent\n",
    "ones, so the estimates lie at the lower ends of their intervals; linear inversion (method = \"inv\") stays unbiased.\n",
    sep = "")
cat("\nDistance from the true shares (total variation), every method:\n\n")
distance <- sapply(methods, function(method) {
  time <- seconds(estimate <- coef(rr_estimate(tally, mechanism, method = method)))
  c(distance = sum(abs(estimate - table$truth)) / 2, seconds = time)
})
print(round(t(distance), 4))
cat("\nSeconds, on this machine: ", paste(names(spent), format(round(spent, 3)), sep = " ", collapse = ", "),
    "\n", sep = "")
