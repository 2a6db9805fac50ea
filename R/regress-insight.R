# What the packages on insight (parameters, modelsummary, performance, ...) ask of a fit of rr_glm(). Its family is that
# of the reports, whose link no package knows; its coefficients are about the truth, whose link decides what they are
# called and what exponentiating them gives.

# The family of the truth.
truth_family <- function(fit) {
  stats::binomial(if (fit$link == "identity") stats::make.link("identity") else fit$link)
}

#' @exportS3Method insight::model_info
model_info.rr_glm <- function(x, ...) {
  x$family <- truth_family(x)
  class(x) <- c("glm", "lm")
  info <- insight::model_info(x, ...)
  # parameters calls the exponential of every other coefficient of a binomial model a risk ratio, which only that of a
  # log link is. Of an unknown family they are coefficients.
  if (is.list(info) && !x$link %in% c("logit", "log")) info$family <- "unknown"
  info
}

#' @exportS3Method insight::link_function
link_function.rr_glm <- function(x, ...) stats::make.link(x$link)$linkfun

#' @exportS3Method insight::link_inverse
link_inverse.rr_glm <- function(x, ...) stats::make.link(x$link)$linkinv

#' @exportS3Method insight::find_statistic
find_statistic.rr_glm <- function(x, ...) if (is.null(x$design)) "z-statistic" else "t-statistic"

#' @exportS3Method insight::get_df
get_df.rr_glm <- function(x, type = "residual", ...) {
  if (!is.character(type) || type %in% c("residual", "model", "analytical")) return(NextMethod())
  coefficient_freedom(x)
}
