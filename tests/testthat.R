library(testthat)
library(candor)

# On CRAN, and wherever neither of two variables says otherwise, the slowest files, which DESCRIPTION names to start first,
# are left out.
files <- sub("^test-(.*)[.]R$", "\\1", list.files("testthat", "^test-.*[.]R$"))
if (!"true" %in% Sys.getenv(c("NOT_CRAN", "CANDOR_ALL_FILES"))) {
  files <- setdiff(files, strsplit(packageDescription("candor")[["Config/testthat/start-first"]], "[,[:space:]]+")[[1]])
}
test_check("candor", filter = paste0("^(", paste(files, collapse = "|"), ")$"))
