# How fits of rr_glm() are compared by AIC: with the design effect of their parameters where they have a survey design.

# What a parameter costs under a design is not 1 but its design effect: the trace of the information of the
# pseudo-likelihood times the design's variance (Lumley and Scott, 2015).
effective_parameters <- function(fit) {
  places <- estimated_places(fit)
  sum(survey_meat(fit, row_scores(fit)) * bread_of(fit)[places, places, drop = FALSE])
}

design_aic <- function(fit, k = 2) {
  parameters <- effective_parameters(fit)
  c(eff.p = parameters, AIC = -2 * (fit$loglik + fit$constant) + k * parameters)
}

has_design <- function(fits) vapply(fits, function(fit) inherits(fit, "rr_glm") && !is.null(fit$design), NA)

refuse_pseudo <- function(what) {
  abort(c("A fit of a survey design has no {what}.",
          x = "It has a pseudo-likelihood, whose ratios are not chi-squared.",
          i = "{.fn AIC} compares models, corrected for the design; {.code car::Anova(fit)} is Wald's test of terms.",
          i = "{.code fit$loglik} is the pseudo-log-likelihood."), "argument")
}

#' @rdname rr_glm_methods
#' @importFrom stats AIC BIC extractAIC
#' @export
AIC.rr_glm <- function(object, ..., k = 2) {
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
  if (any(has_design(list(object, ...)))) refuse_pseudo("BIC")
  NextMethod()
}

#' @rdname rr_glm_methods
#' @param fit,scale,k As in [stats::extractAIC()]; `k` is the price of a parameter.
#' @export
extractAIC.rr_glm <- function(fit, scale = 0, k = 2, ...) {
  if (!is.null(fit$design)) return(unname(design_aic(fit, k)))
  NextMethod()
}
