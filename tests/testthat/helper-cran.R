skip_without <- function(...) for (package in c(...)) skip_if_not_installed(package)

# Packages that Debian does not have and that nothing but these tests needs: they are no suggestion of ours to users, so
# they are not in DESCRIPTION. `tools/setup peers` installs them.
from_cran <- function(package) {
  skip_if_not_installed(package)
  asNamespace(package)
}

data_from_cran <- function(package, name) {
  skip_if_not_installed(package)
  place <- new.env()
  utils::data(list = name, package = package, envir = place)
  place[[name]]
}

# Random worlds in which something exact must hold: more of them where CANDOR_EXTENDED_TESTS is "true", as each week.
extended <- function(few, many) if (identical(Sys.getenv("CANDOR_EXTENDED_TESTS"), "true")) many else few
