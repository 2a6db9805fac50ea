# What every benchmark in R shares. Machines are noisy: a figure is the ratio of two things measured in turns in
# one run, and the median of several such ratios.

seconds <- function(expression, envir, inner) {
  started <- Sys.time()
  for (i in seq_len(inner)) eval(expression, envir)
  as.numeric(Sys.time() - started, units = "secs")
}

# Median ratio of the times of two expressions; `inner` repetitions of each make one measurement.
ratio <- function(this, that, times = 11, inner = 1, that_inner = inner) {
  this <- substitute(this)
  that <- substitute(that)
  envir <- parent.frame()
  eval(this, envir)
  eval(that, envir)
  ratios <- vapply(seq_len(times), function(i) {
    (seconds(this, envir, inner) / inner) / (seconds(that, envir, that_inner) / that_inner)
  }, 0)
  stats::median(ratios)
}

# Where CANDOR_BENCH_RATIOS names a file, figures go there too, for the comparison with baseline.csv.
report <- function(what, ratio, goal) {
  file <- Sys.getenv("CANDOR_BENCH_RATIOS")
  if (nzchar(file)) cat(sprintf("\"%s\",%.4g,\"%s\",%s\n", gsub("\"", "'", what), ratio, goal, format(Sys.Date())), file = file, append = TRUE)
  cat(sprintf("%-78s %8.3g   (goal %s)\n", what, ratio, goal))
}

rr_zipf_shares <- function(k, s = 1) prop.table(seq_len(k)^-s)
