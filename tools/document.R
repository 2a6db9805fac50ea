# document.R <folder>: man/ and NAMESPACE of the package there, from the comments in its R files. Nothing is compiled or
# installed: roxygen2 needs the R code and the data sets, not the routines.
folder <- commandArgs(trailingOnly = TRUE)[1L]
load_sources <- function(path) {
  environment <- suppressPackageStartupMessages(roxygen2::load_source(path))
  for (data in list.files(file.path(path, "data"), pattern = "[.]rda$", full.names = TRUE)) {
    load(data, envir = environment)
  }
  environment
}
# The tags of rOpenSci's standards are for its package srr, which lists them by `roclets = "srr::srr_stats_roclet"`.
for (tag in c("srrstats", "srrstatsNA")) {
  registerS3method("roxy_tag_parse", paste0("roxy_tag_", tag), roxygen2::tag_markdown, asNamespace("roxygen2"))
}
# roxygen2 breaks usage at 80 columns, and an argument at 90; help as text indents it by five.
wrap_usage <- sub("width = 80L", "width = 76L", sub("width = 90,", "width = 76,", deparse(roxygen2:::wrap_usage), fixed = TRUE), fixed = TRUE)
assignInNamespace("wrap_usage", eval(parse(text = wrap_usage), asNamespace("roxygen2")), "roxygen2")
roxygen2::roxygenise(folder, load_code = load_sources)
