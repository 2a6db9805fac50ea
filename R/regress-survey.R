# Survey designs: pseudo-likelihood with the design's weights, and the design's variance of the linearised scores.

check_design <- function(design, wanted) {
  if (inherits(design, "svyrep.design")) {
    abort(c("{.arg design} must be made by {.fn survey::svydesign}.", x = "It has replicate weights.",
            i = "Call {.fn rr_glm} inside {.fn survey::withReplicates}."), "argument")
  }
  if (!inherits(design, "survey.design")) {
    abort(c("{.arg design} must be a survey design.", x = "It is {describe(design)}.",
            i = "Make one with {.fn survey::svydesign}."), "argument")
  }
  check_installed("survey", "for survey designs")
  if (!is.null(wanted$weights)) {
    abort(c("The weights are those of {.arg design}.", i = "Leave {.arg weights} out."), "argument")
  }
  design
}

# Scores are sums to be estimated: their variance is the design's, rows that were not fitted being 0.
survey_meat <- function(fit, scores) {
  design <- fit$design
  check_installed("survey", "for survey designs")
  all <- matrix(0, nrow(design$variables), ncol(scores))
  used <- match(row.names(fit$model), row.names(design$variables))
  all[used, ] <- scores
  survey::svyrecvar(all, design$cluster, design$strata, design$fpc, postStrata = design$postStrata)
}
