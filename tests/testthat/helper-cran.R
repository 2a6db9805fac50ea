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

# MTURK or ETHBE of GLMMRR, a mechanism for each `arm` of the rows. A yes is forced with probability 1/6 in all groups, as the margins that were published
# (exam_survey, dice_survey) say. MTURK has in `p2` the probability of yes if the answer is forced, as GLMMRR reads it; ETHBE has 1/6 itself.
glmmrr_survey <- function(name) {
  data <- data_from_cran("GLMMRR", name)
  names(data) <- sub("^RRp", "p", names(data))
  data$y <- as.numeric(as.character(data$RR_response))
  design <- paste(data$RRmodel, data$p1, data$p2)
  data$arm <- paste0("d", match(design, unique(design)))
  first <- data[!duplicated(data$arm), ]
  if (name == "ETHBE") first$p2 <- ifelse(first$RRmodel == "Forced", first$p2 / (1 - first$p1), first$p2)
  parts <- from_cran("GLMMRR")$getRRparameters(as.character(first$RRmodel), first$p1, first$p2)
  list(data = data, mechanisms = stats::setNames(Map(rr_binary, parts$c + parts$d, parts$c), first$arm))
}

# Random worlds in which something exact must hold: more of them where CANDOR_EXTENDED_TESTS is "true", as each week.
extended <- function(few, many) if (identical(Sys.getenv("CANDOR_EXTENDED_TESTS"), "true")) many else few
