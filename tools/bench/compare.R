# compare.R <ratios> --compare|--baseline: the figures of this run against tools/bench/baseline.csv. Called by tools/bench/run.
arguments <- commandArgs(trailingOnly = TRUE)
limit <- 1.5
file <- file.path("tools", "bench", "baseline.csv")
now <- utils::read.csv(arguments[1])
# Times are those of a machine; ratios travel.
now <- now[!grepl("seconds", now$what), ]
before <- if (file.exists(file)) utils::read.csv(file) else now[0, ]
if (arguments[2] == "--baseline") {
  table <- rbind(before[!before$what %in% now$what, ], now)
  utils::write.csv(table[order(table$what), ], file, row.names = FALSE)
  quit()
}
both <- merge(before, now, by = "what", suffixes = c(".baseline", ""))
# A ratio is our time over another's, and less is better, but where the goal is ">=".
both$worse <- ifelse(startsWith(both$goal, ">="), both$ratio.baseline / both$ratio, both$ratio / both$ratio.baseline)
both <- both[order(-both$worse), ]
cat(sprintf("%-78s %8.3g, was %.3g: %.2f times as bad%s\n", both$what, both$ratio, both$ratio.baseline, both$worse,
            ifelse(both$worse > limit, "  FAILED", "")), sep = "")
cat(sprintf("%d ratios without a baseline\n", sum(!now$what %in% before$what)))
cat(sprintf("%d passed, %d failed\n", sum(both$worse <= limit), sum(both$worse > limit)))
quit(status = any(both$worse > limit) || !nrow(both))
