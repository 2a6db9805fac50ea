# Tests of terms and coefficients that other packages make of a fit of rr_glm(). They would take it for a plain glm:
# refit it without its penalty and its unknown number, and take ratios of a pseudo-likelihood for chi-squared.

#' @exportS3Method car::Anova
Anova.rr_glm <- function(mod, type = c("II", "III", 2, 3), test.statistic = NULL, ...) {
  type <- check_choice(as.character(type[1]), "type", c("II", "III", "2", "3"))
  design <- !is.null(mod$design)
  choices <- if (design) c("F", "Wald", "LR") else c("LR", "Wald")
  statistic <- check_choice(test.statistic %||% choices[1], "test.statistic", choices)
  if (statistic == "LR") {
    refuse_ratio(list(mod))
    return(term_ratios(mod, type %in% c("II", "2")))
  }
  check_wald(mod)
  # The tests of coefficients that car makes of any model, which it does not export.
  wald <- utils::getS3method("Anova", "default", envir = asNamespace("car"))
  wald(mod, type = type, test.statistic = if (statistic == "F") "F" else "Chisq", ...)
}

# Each term against the model without it; by type II without the interactions that it is part of as well.
term_ratios <- function(fit, marginal) {
  assign <- attr(stats::model.matrix(fit), "assign")
  parts <- attr(fit$terms, "factors") > 0
  labels <- attr(fit$terms, "term.labels")
  whole <- list(value = fit$loglik, rank = fit$rank)
  rows <- vapply(seq_along(labels), function(k) {
    containing <- setdiff(which(vapply(seq_along(labels), function(j) all(parts[parts[, k], j]), NA)), k)
    if (!marginal) containing <- integer()
    large <- if (length(containing)) refit_columns(fit, which(!assign %in% containing)) else whole
    small <- refit_columns(fit, which(!assign %in% c(k, containing)))
    c(2 * (large$value - small$value), large$rank - small$rank)
  }, numeric(2))
  table <- data.frame(LR = rows[1, ], Df = rows[2, ], row.names = labels)
  table$LR[table$Df == 0] <- NA
  table$p <- stats::pchisq(pmax(0, table$LR), table$Df, lower.tail = FALSE)
  names(table) <- c("LR Chisq", "Df", "Pr(>Chisq)")
  structure(table, heading = c(sprintf("Likelihood ratio tests of the truth's regression (type %s)\n",
                                       if (marginal) "II" else "III"), paste("Model:", deparse1(stats::formula(fit)))),
            class = c("anova", "data.frame"))
}

check_wald <- function(fit) {
  infinite <- names(fit$coefficients)[is.infinite(fit$coefficients)]
  if (length(infinite)) {
    abort(c("A Wald test needs finite coefficients.", x = "Not finite: {.val {infinite}}.",
            i = "Simplify the model, or fit it with {.code penalty = \"bias\"}."), "argument")
  }
  check_freedom(fit)
}

check_freedom <- function(fit) {
  if (!is.na(coefficient_freedom(fit))) return(invisible())
  abort(c("No degrees of freedom are left for a test.",
          x = "The design has {fit$df.residual + fit$rank - 1}, the model {fit$rank} coefficients.",
          i = "Take fewer covariates."), "argument")
}

#' @exportS3Method car::linearHypothesis
linearHypothesis.rr_glm <- function(model, hypothesis.matrix, rhs = NULL, test = NULL, ...) {
  check_wald(model)
  statistic <- test %||% if (is.null(model$design)) "Chisq" else "F"
  NextMethod(test = statistic)
}

# lmtest takes the coefficients of any glm for normal.
#' @exportS3Method lmtest::coeftest
coeftest.rr_glm <- function(x, vcov. = NULL, df = NULL, ...) {
  freedom <- df %||% outer_freedom(x, vcov.)
  NextMethod(df = freedom)
}

#' @exportS3Method lmtest::coefci
coefci.rr_glm <- function(x, parm = NULL, level = 0.95, vcov. = NULL, df = NULL, ...) {
  freedom <- df %||% outer_freedom(x, vcov.)
  NextMethod(df = freedom)
}

# As in emm_basis(): a covariance from outside need not be the design's.
outer_freedom <- function(fit, vcov.) {
  if (!is.null(vcov.)) return(Inf)
  check_freedom(fit)
  coefficient_freedom(fit)
}

#' @exportS3Method MASS::dropterm
dropterm.rr_glm <- function(object, scope = NULL, scale = 0, test = c("none", "Chisq"), k = 2, sorted = FALSE, ...) {
  sort_changes(drop1(object, scope, check_choice(test, "test", c("none", "Chisq")), k), sorted)
}

#' @exportS3Method MASS::addterm
addterm.rr_glm <- function(object, scope, scale = 0, test = c("none", "Chisq"), k = 2, sorted = FALSE, ...) {
  sort_changes(add_terms(object, scope, check_choice(test, "test", c("none", "Chisq")), k, parent.frame()), sorted)
}

sort_changes <- function(table, sorted) if (sorted) table[order(table$AIC), ] else table

# Fits of rr_multinom(), rr_loglinear() and rr_predictor(): their terms are tested by comparing two fits.
refuse_terms <- function(fit) {
  likelihood <- !is.null(fit$loglik)
  abort(c("Single terms of a fit of {.fn {class(fit)[1]}} are not tested or dropped by themselves.",
          i = if (likelihood) paste("Fit the model without the term and compare: {.code anova(small, large)} tests",
                                    "by likelihood ratio, {.fn AIC} compares models.")
              else "{.fn summary} has a Wald test of each coefficient."), "argument")
}

#' @exportS3Method car::Anova
Anova.rr_regression <- function(mod, ...) {
  refuse_terms(mod)
}

#' @exportS3Method MASS::dropterm
dropterm.rr_regression <- function(object, ...) drop1.rr_regression(object)

#' @exportS3Method MASS::addterm
addterm.rr_regression <- function(object, ...) drop1.rr_regression(object)

#' @export
drop1.rr_regression <- function(object, ...) {
  refuse_terms(object)
}

#' @export
add1.rr_regression <- function(object, ...) drop1.rr_regression(object)

# step() asks for it first.
#' @export
extractAIC.rr_regression <- function(fit, ...) {
  refuse_terms(fit)
}
