# current.R <library> <packages>: builds in the library the versions of the packages that CRAN has today, and prints
# which version of each is found first; those whose present version wants a newer R are named.
arguments <- commandArgs(trailingOnly = TRUE)
library <- arguments[1L]
wanted <- arguments[-1L]
if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) utils::chooseCRANmirror(ind = 1)
known <- utils::available.packages()
all <- utils::available.packages(filters = "duplicates")
for (name in setdiff(intersect(wanted, rownames(all)), rownames(known))) {
  cat(sprintf("%s %s wants a newer R: left as it is here\n", name, all[name, "Version"]))
}
here <- utils::installed.packages(library)
old <- Filter(function(name) {
  !name %in% rownames(here) || package_version(here[name, "Version"]) < known[name, "Version"]
}, intersect(wanted, rownames(known)))
if (length(old)) utils::install.packages(old, lib = library, quiet = TRUE, Ncpus = parallel::detectCores())
for (name in wanted) {
  version <- tryCatch(format(utils::packageVersion(name, c(library, .libPaths()))), error = function(e) "missing")
  cat(sprintf("%-12s %s\n", name, version))
}
