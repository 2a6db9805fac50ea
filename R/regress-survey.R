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

# As survey::svyglm() counts them, in the rows that were fitted; 0 or less if the coefficients use them up.
residual_freedom <- function(fit) {
  check_installed("survey", "for survey designs")
  used <- match(row.names(fit$model), row.names(fit$design$variables))
  as.double(survey::degf(fit$design[used, ]) + 1 - fit$rank)
}

# Degrees of freedom of the t distribution of a coefficient. Without a design, and for other standard errors,
# coefficients are taken for normal. NA: there are none left.
coefficient_freedom <- function(fit, type = "survey") {
  if (is.null(fit$design) || type != "survey") return(Inf)
  if (fit$df.residual > 0) fit$df.residual else NA_real_
}

coefficient_quantile <- function(fit, level, type = "survey") {
  stats::qt((1 - level) / 2, coefficient_freedom(fit, type), lower.tail = FALSE)
}

# A pseudo-likelihood sums over the population what was asked of clusters: its ratios are not chi-squared.
refuse_ratio <- function(fits) {
  if (all(vapply(fits, function(fit) is.null(fit$design), NA))) return(invisible())
  abort(c("Likelihood ratio tests need a likelihood.",
          x = "A fit of a survey design has a pseudo-likelihood.",
          i = paste("Use a Wald test: {.code summary(fit)} for a coefficient, {.code survey::regTermTest(fit, ~ x)}",
                    "for a term, {.code car::Anova(fit)} for all. {.fn AIC} compares models.")), "argument")
}
