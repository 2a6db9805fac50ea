# Residuals and simulated reports of the regressions that are not a glm; or an error that says why there are none.

#' @rdname rr_regression
#' @export
residuals.rr_regression <- function(object, type = NULL, ...) {
  check_choice(type %||% "none", "type", "none")
  abort(c("A fit of {.fn {class(object)[1]}} has no residuals.",
          x = "The outcome is expected at a truth, and nobody's truth is known.",
          i = "{.code predict(fit, type = \"posterior\")} of a likelihood fit says how probable each truth is."),
        "argument")
}

#' @rdname rr_regression
#' @export
residuals.rr_multinom <- function(object, type = c("report", "truth"), ...) {
  type <- check_choice(type, "type", c("report", "truth"))
  if (type == "truth") return(predict(object, type = "posterior") - predict(object))
  fitted <- predict(object, type = "report")
  seen <- col(fitted) == object$model$codes
  seen - fitted
}

#' @rdname rr_regression
#' @export
residuals.rr_loglinear <- function(object, type = c("pearson", "response"), ...) {
  type <- check_choice(type, "type", c("pearson", "response"))
  expected <- predict(object, "report")
  rest <- array(object$table$counts, dim(expected), dimnames(expected)) - expected
  if (type == "response") return(rest)
  # Weighted counts vary as those of the effective number of respondents.
  units <- rep(object$table$units, each = nrow(object$table$counts))
  rest * sqrt(units / pmax(expected, 1e-300))
}

#' @rdname rr_regression
#' @export
simulate.rr_regression <- function(object, nsim = 1, seed = NULL, ...) {
  abort(c("Reports are not simulated from a fit of {.fn {class(object)[1]}}.",
          i = if (inherits(object, "rr_loglinear")) {
            "Draw tables of them: {.code rmultinom(1, n, predict(fit, \"report\"))}."
          } else "Draw truths and an outcome of your own, and the reports by {.fn rr_perturb}."), "argument")
}

#' @rdname rr_regression
#' @export
simulate.rr_multinom <- function(object, nsim = 1, seed = NULL, ...) {
  if (attr(object$terms, "response") == 0) {
    abort(c("Reports are simulated for one column of them.", x = "This fit is of a {object$response}.",
            i = "Draw rows of {.code predict(fit, type = \"report\")}."), "argument")
  }
  nsim <- check_count(nsim, "nsim", min = 1)
  seed <- keep_seed(seed)
  reports <- object$mechanism$reports
  upper <- t(apply(predict(object, type = "report"), 1, cumsum))
  n <- nrow(upper)
  draws <- lapply(seq_len(nsim), function(k) {
    factor(reports[1L + rowSums(stats::runif(n) > upper[, -ncol(upper), drop = FALSE])], reports)
  })
  names(draws) <- paste0("sim_", seq_len(nsim))
  structure(as.data.frame(draws, row.names = rownames(object$frame)), seed = seed)
}
