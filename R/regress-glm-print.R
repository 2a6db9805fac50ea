# Printing fits of rr_glm() and their summaries.

#' @rdname rr_glm_methods
#' @export
summary.rr_glm <- function(object, type = c("observed", "expected", "sandwich", "survey"), cluster = NULL, ...) {
  types <- c("observed", "expected", "sandwich", "survey")
  type <- if (identical(type, types)) default_variance(object, cluster) else check_choice(type, "type", types)
  V <- stats::vcov(object, type, cluster)
  estimate <- object$coefficients[!is.na(object$coefficients)]
  se <- sqrt(diag(V))[names(estimate)]
  z <- estimate / se
  z[!is.finite(estimate)] <- NA
  df <- coefficient_freedom(object, type)
  table <- cbind(estimate, se, z, 2 * stats::pt(-abs(z), df))
  letter <- if (is.infinite(df)) "z" else "t"
  colnames(table) <- c("Estimate", "Std. Error", paste(letter, "value"), paste0("Pr(>|", letter, "|)"))
  kept <- names(estimate)
  scaled <- V[kept, kept, drop = FALSE]
  structure(c(object[c("call", "terms", "family", "deviance", "aic", "contrasts", "df.residual", "null.deviance",
                       "df.null", "iter",
                       "na.action", "mechanism", "link", "labels", "penalty", "boundary",
                       "parameter", "starts", "loglik")],
              list(deviance.resid = stats::residuals(object, "deviance"), coefficients = table,
                   aliased = is.na(object$coefficients), dispersion = 1, df = c(object$rank, object$df.residual,
                                                                                length(object$coefficients)),
                   cov.unscaled = scaled, cov.scaled = scaled, type = type, n = length(object$y), freedom = df,
                   pseudo = !is.null(object$design))),
            class = c("summary.rr_glm", "summary.glm"))
}

variance_words <- c(observed = "observed information", expected = "expected information", sandwich = "sandwich",
                    survey = "survey design, linearised")

mechanism_lines <- function(mechanism) {
  if (inherits(mechanism, "rr_mechanism")) return(format(mechanism))
  paste0(names(mechanism), ": ", vapply(mechanism, format, ""))
}

print_regression <- function(x, digits) {
  cat("Regression of the truth \"", x$labels[2], "\", ", x$link, " link",
      switch(x$penalty, bias = ", bias reduced", jeffreys = ", Jeffreys' prior", prior = ", weak normal prior", ""),
      "\n", sep = "")
  cat(paste0("  ", mechanism_lines(x$mechanism)), sep = "\n")
}

print_notes <- function(x, digits) {
  if (!is.null(x$parameter)) {
    cat("\nUnknown number of the design: ", names(x$parameter), " ", format(as.vector(x$parameter), digits = digits),
        " (standard error ",
        format(attr(x$parameter, "std.error"), digits = digits), ")\n", sep = "")
  }
  if (!is.null(x$boundary)) {
    cat("\nThe fitted truth of ", length(x$boundary$rows),
        " rows is 0 or 1: penalty = \"prior\" gives finite estimates.\n", sep = "")
  }
}

#' @rdname rr_glm_methods
#' @export
print.rr_glm <- function(x, digits = 4, ...) {
  print_regression(x, digits)
  cat("\nCoefficients:\n")
  print(format(x$coefficients, digits = digits), quote = FALSE)
  print_notes(x, digits)
  cat(if (is.null(x$design)) "\nLog-likelihood " else "\nPseudo-log-likelihood ",
      format(x$loglik + x$constant, digits = digits + 3), " on ", x$rank + length(x$parameter),
      " degrees of freedom, ", format_count(length(x$y)), " rows\n", sep = "")
  invisible(x)
}

#' @rdname rr_glm_methods
#' @export
print.summary.rr_glm <- function(x, digits = 4, ...) {
  print_regression(x, digits)
  cat("\nStandard errors: ", variance_words[[x$type]],
      if (is.na(x$freedom)) "; no degrees of freedom are left"
      else if (is.finite(x$freedom)) paste0("; t with ", x$freedom, " degrees of freedom"), "\n\n", sep = "")
  stats::printCoefmat(x$coefficients, digits = digits, signif.stars = FALSE, na.print = "NA", cs.ind = 1:2, tst.ind = 3)
  print_notes(x, digits)
  cat(if (x$pseudo) "\nPseudo-log-likelihood " else "\nLog-likelihood ", format(x$loglik, digits = digits + 3),
      if (length(x$starts) > 1) paste0(", the best of ", length(x$starts), " maxima"),
      if (!x$pseudo) paste0("; AIC ", format(x$aic, digits = digits + 3)), "; ", format_count(x$n), " rows\n", sep = "")
  invisible(x)
}
