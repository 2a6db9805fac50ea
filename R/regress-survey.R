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

# Degrees of freedom of the t distribution of a coefficient: as survey::svyglm() counts them, in the rows that were
# fitted. Without a design, and for other standard errors, coefficients are taken for normal. NA: there are none left.
coefficient_freedom <- function(fit, type = "survey") {
  if (is.null(fit$design) || type != "survey") return(Inf)
  check_installed("survey", "for survey designs")
  used <- match(row.names(fit$model), row.names(fit$design$variables))
  df <- survey::degf(fit$design[used, ]) - (fit$rank - 1)
  if (df > 0) df else NA_real_
}

coefficient_quantile <- function(fit, level, type = "survey") {
  stats::qt((1 - level) / 2, coefficient_freedom(fit, type), lower.tail = FALSE)
}

# What a parameter costs under a design is not 1 but its design effect: the trace of the information of the
# pseudo-likelihood times the design's variance (Lumley and Scott, 2015).
effective_parameters <- function(fit) {
  places <- estimated_places(fit)
  information <- if (fit$penalty == "none") fit$variance$observed else fit$variance$expected
  sum(survey_meat(fit, row_scores(fit)) * information[places, places, drop = FALSE])
}

design_aic <- function(fit, k = 2) {
  parameters <- effective_parameters(fit)
  c(eff.p = parameters, AIC = -2 * (fit$loglik + fit$constant) + k * parameters)
}

has_design <- function(fits) vapply(fits, function(fit) inherits(fit, "rr_glm") && !is.null(fit$design), NA)

refuse_pseudo <- function(what) {
  abort(c("A fit of a survey design has no {what}.", x = "It has a pseudo-likelihood, whose ratios are not chi-squared.",
          i = "{.fn AIC} corrects for the design; {.code fit$loglik} is the pseudo-log-likelihood."), "argument")
}

#' @rdname rr_glm_methods
#' @importFrom stats AIC BIC extractAIC
#' @export
AIC.rr_glm <- function(object, ..., k = 2) {
  check_object(object)
  fits <- list(object, ...)
  design <- has_design(fits)
  if (!any(design)) return(NextMethod())
  if (!all(design)) {
    abort(c("The fits must all be of a survey design, or none.",
            x = "Fit {which(design)[1]} has a pseudo-likelihood, fit {which(!design)[1]} a likelihood."), "argument")
  }
  table <- vapply(fits, design_aic, c(eff.p = 0, AIC = 0), k = k)
  if (length(fits) == 1L) return(table[["AIC", 1]])
  data.frame(t(table), row.names = make.unique(vapply(as.list(match.call())[-1][seq_along(fits)], deparse1, "")))
}

#' @rdname rr_glm_methods
#' @export
BIC.rr_glm <- function(object, ...) {
  check_object(object)
  if (any(has_design(list(object, ...)))) refuse_pseudo("BIC")
  NextMethod()
}

#' @rdname rr_glm_methods
#' @param fit,scale,k As in [stats::extractAIC()]; `k` is the price of a parameter.
#' @export
extractAIC.rr_glm <- function(fit, scale = 0, k = 2, ...) {
  check_object(fit)
  if (!is.null(fit$design)) return(unname(design_aic(fit, k)))
  NextMethod()
}

# A pseudo-likelihood sums over the population what was asked of clusters: its ratios are not chi-squared.
refuse_ratio <- function(fits) {
  if (all(vapply(fits, function(fit) is.null(fit$design), NA))) return(invisible())
  abort(c("Likelihood ratio tests need a likelihood.",
          x = "A fit of a survey design has a pseudo-likelihood.",
          i = paste("Use a Wald test with {.code vcov(fit)}: {.code summary(fit)} for one coefficient,",
                    "{.code car::linearHypothesis(fit, ...)} for several. {.fn AIC} compares models.")), "argument")
}
