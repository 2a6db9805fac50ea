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
