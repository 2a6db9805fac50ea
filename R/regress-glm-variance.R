# Covariances of the coefficients of rr_glm(): from the information, robust, by cluster, and of survey designs.

# The design's columns and the rows that were fitted, as the methods below need them.
fitted_data <- function(fit) {
  list(x = stats::model.matrix(fit), y = unname(fit$y), weight = unname(fit$prior.weights),
       offset = if (!is.null(fit$offset) && any(fit$offset != 0)) as.double(fit$offset), arm = fit$arm,
       device = fit$device,
       link = fit$link, unknown = fit$unknown)
}

fitted_rows <- function(fit) {
  regress_rows(fit$linear.predictors, unname(fit$y), fit$arm, fit$device, fit$link)
}

# Scores of the rows, with weights, in the columns of the estimated coefficients (and the unknown number).
row_scores <- function(fit) {
  data <- fitted_data(fit)
  rows <- fitted_rows(fit)
  open <- is.finite(fit$linear.predictors)
  keep <- which(is.finite(fit$coefficients))
  score <- ifelse(open, data$weight * rows$score, 0)
  scores <- data$x[, keep, drop = FALSE] * score
  if (known_error(fit)) {
    index <- row_arms(fit$arm, length(score))
    other <- other_answer(fit$unknown, as.vector(fit$parameter))[index]
    tilt <- rows$truth * fit$unknown[2, index] + rows$truth_no * fit$unknown[4, index]
    yes <- ifelse(data$y > 0, data$y / rows$report, 0) * tilt
    no <- ifelse(data$y < 1, (1 - data$y) / rows$report_no, 0) * (fit$unknown[6, index] - tilt)
    scores <- cbind(scores, `(parameter)` = data$weight * (yes + no) / other)
  }
  rownames(scores) <- names(fit$linear.predictors)
  scores
}

# The rows and columns of a variance that are estimated: finite coefficients and the unknown number.
estimated_places <- function(fit) {
  c(which(is.finite(fit$coefficients)), if (known_error(fit)) length(fit$coefficients) + 1L)
}

# An unknown number at the end of its range, or beside coefficients at infinity, has no standard error.
known_error <- function(fit) isTRUE(is.finite(attr(fit$parameter, "std.error")))

#' @rdname rr_glm_methods
#' @export
vcov.rr_glm <- function(object, type = c("observed", "expected", "sandwich", "survey"), cluster = NULL,
                        parameter = FALSE,
                        complete = TRUE, ...) {
  types <- c("observed", "expected", "sandwich", "survey")
  type <- if (identical(type, types)) default_variance(object, cluster) else check_choice(type, "type", types)
  if (!is.null(cluster) && type != "sandwich") {
    abort(c("{.arg cluster} goes with {.code type = \"sandwich\"}.", x = "{.arg type} is {.val {type}}."), "argument")
  }
  V <- switch(type, observed = object$variance$observed, expected = object$variance$expected,
              sandwich = spread_variance(object, crossprod(cluster_sums(row_scores(object), cluster, object))),
              survey = survey_variance(object))
  k <- length(object$coefficients)
  names <- c(names(object$coefficients), names(object$parameter))
  dimnames(V) <- list(names, names)[c(1, 1)]
  if (!parameter || is.null(object$unknown)) V <- V[seq_len(k), seq_len(k), drop = FALSE]
  if (complete) return(V)
  kept <- c(!is.na(object$coefficients), rep(TRUE, nrow(V) - k))
  V[kept, kept, drop = FALSE]
}

default_variance <- function(fit, cluster) {
  if (!is.null(cluster)) "sandwich"
  else if (!is.null(fit$design)) "survey"
  else if (fit$penalty %in% c("bias", "jeffreys")) "expected"
  else "observed"
}

survey_variance <- function(fit) {
  if (is.null(fit$design)) {
    abort(c("{.code type = \"survey\"} needs a survey design.",
            i = "Fit with {.code rr_glm(..., design = )}."), "argument")
  }
  spread_variance(fit, survey_meat(fit, row_scores(fit)))
}

bread_of <- function(fit) fit$variance[[if (fit$penalty %in% c("bias", "jeffreys")) "expected" else "observed"]]

# bread meat bread, in the places that are estimated.
spread_variance <- function(fit, meat) {
  places <- estimated_places(fit)
  V <- bread_of(fit)
  bread <- V[places, places, drop = FALSE]
  V[] <- NA_real_
  V[places, places] <- bread %*% meat %*% bread
  V
}

#' @rawNamespace S3method(sandwich::estfun, rr_glm)
estfun.rr_glm <- function(x, ...) {
  scores <- row_scores(x)
  scores[, seq_len(sum(is.finite(x$coefficients))), drop = FALSE]
}

#' @rawNamespace S3method(sandwich::bread, rr_glm)
bread.rr_glm <- function(x, ...) {
  places <- which(is.finite(x$coefficients))
  bread_of(x)[places, places, drop = FALSE] * length(x$y)
}
