# drivers.R <library> <name[>=version]>...: R packages that no Debian package brings are built into <library>, in this
# order. Ends with an error where one cannot be loaded afterwards.
arguments <- commandArgs(trailingOnly = TRUE)
library <- arguments[1L]

there <- function(name, version) {
  path <- suppressWarnings(tryCatch(find.package(name), error = function(e) NULL))
  !is.null(path) && (is.na(version) || utils::packageVersion(name, dirname(path)) >= version)
}

for (wanted in strsplit(arguments[-1L], ">=", fixed = TRUE)) {
  name <- wanted[1L]
  version <- wanted[2L]
  if (there(name, version)) next
  # Whatever archive this R is set to; where it is set to none, R's first.
  if (!length(getOption("repos")) || "@CRAN@" %in% getOption("repos")) utils::chooseCRANmirror(ind = 1L)
  utils::install.packages(name, lib = library, dependencies = FALSE)
  if (!there(name, version)) stop("not built: ", name)
}
