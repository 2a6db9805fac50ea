# The law of one question of many: its questions have laws, it has none that estimators of one distribution could use.

#' @export
law_words.rr_law_sampled <- function(law) "a report answers one of several questions"

#' @export
law_gives.rr_law_sampled <- function(law, need, k) FALSE

#' @export
law_tells_nothing.rr_law_sampled <- function(law) FALSE
