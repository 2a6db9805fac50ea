# Designs of the package survey as tables of people: their data, and their weights.

is_design <- function(x) inherits(x, c("survey.design", "svyrep.design", "twophase", "twophase2"))

check_survey_design <- function(design) {
  check_installed("survey", "for survey designs")
  if (!inherits(design, c("survey.design2", "svyrep.design")) || inherits(design, c("pps", "DBIsvydesign", "twophase",
                                                                                    "twophase2"))) {
    abort(c("{.arg x} must be a design of {.fn survey::svydesign} or {.fn survey::svrepdesign} that holds its data.",
            x = "It is {describe(design)}.",
            i = "Two-phase designs and designs by joint probabilities are not known here."),
          "argument")
  }
  design
}

design_weights <- function(design) {
  unname(as.double(if (inherits(design, "svyrep.design")) design$pweights else 1 / design$prob))
}

# Are there clusters or strata, of which a tally knows nothing?
has_clusters <- function(design) {
  if (inherits(design, "svyrep.design")) return(TRUE)
  isTRUE(design$has.strata) || any(duplicated(design$cluster[[1]]))
}

# Which rows count: those of weight 0 are outside the domain that was taken from the design.
design_rows <- function(design) which(design_weights(design) > 0)

#' @rdname rr_tally
#' @export
rr_tally.survey.design <- function(x, mechanism, ..., column = NULL, weights = NULL, by = NULL, na.rm = FALSE,
                                   match = c("exact", "relaxed")) {
  check_dots_empty(...)
  tally <- tally_design(x, mechanism, column, weights, by, na.rm, match)
  if (has_clusters(x)) {
    cli::cli_inform("Clusters and strata are not kept in a tally: give the design to {.fn rr_estimate}.",
                    class = "candor_message_design")
  }
  tally
}

tally_design <- function(x, mechanism, column, weights, by, na.rm, match) {
  check_mechanism(mechanism)
  check_survey_design(x)
  if (!is.null(weights)) {
    abort(c("The weights are those of the design.", i = "Leave {.arg weights} out."), "argument")
  }
  rows <- design_rows(x)
  data <- as_plain_frame(x$variables)
  report_columns(data, mechanism, column, names(frame_groups(data, by)), "a survey design")
  rr_tally(x$variables[rows, , drop = FALSE], mechanism, column = column, weights = design_weights(x)[rows], by = by,
           na.rm = na.rm,
           match = match)
}

#' @rdname rr_tally
#' @export
rr_tally.svyrep.design <- rr_tally.survey.design
