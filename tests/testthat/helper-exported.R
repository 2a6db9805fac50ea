# The package's own exported functions, for tests that look at all of them, and the arguments that each cannot do without.
exported <- function() {
  functions <- lapply(stats::setNames(nm = grep("^rr_", getNamespaceExports("candor"), value = TRUE)), getExportedValue, ns = "candor")
  functions[order(names(functions))]
}

needed <- function(f) {
  arguments <- formals(f)
  setdiff(names(arguments)[vapply(arguments, function(default) is.symbol(default) && !nzchar(as.character(default)), NA)], "...")
}
