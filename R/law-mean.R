# The law of numbers whose mean is estimated: there are no categories, and nothing of what estimators of shares need. Estimates are
# made in R/fit-mean.R.

#' @export
law_words.rr_law_mean <- function(law) "a report is a number whose mean is the truth"

#' @export
law_gives.rr_law_mean <- function(law, need, k) FALSE

#' @export
law_tells_nothing.rr_law_mean <- function(law) FALSE
