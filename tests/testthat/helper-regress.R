# A golden case of regression_binary and its kin as data, formula and mechanism.
golden_regression <- function(input) {
  x <- input$x
  data <- as.data.frame(x[, -1, drop = FALSE])
  covariates <- names(data) <- paste0("x", seq_len(ncol(data)))
  data$y <- input$y
  for (part in c("weights", "offset", "cluster", "strata")) if (!is.null(input[[part]])) data[[part]] <- input[[part]]
  formula <- reformulate(c(covariates, if (!is.null(input$offset)) "offset(offset)"), "y")
  mechanism <- if (length(input$p) == 1) rr_binary(input$p, input$q)
  if (is.null(mechanism)) {
    data$arm <- paste(input$p, input$q)
    mechanism <- lapply(split(seq_along(input$p), data$arm), function(rows) rr_binary(input$p[rows[1]], input$q[rows[1]]))
  }
  list(data = data, formula = formula, mechanism = mechanism, link = input$link)
}

# Warnings about little information are about small data sets, which golden cases are.
quietly <- function(expr) {
  withCallingHandlers(expr, candor_warning_information = function(w) invokeRestart("muffleWarning"),
                      candor_message_weights = function(m) invokeRestart("muffleMessage"))
}

fit_golden <- function(input, ...) {
  case <- golden_regression(input)
  call <- list(case$formula, case$data, case$mechanism, case$link, ...)
  if (!is.null(input$weights)) call$weights <- quote(weights)
  if (length(input$p) > 1) call$arm <- quote(arm)
  withCallingHandlers(quietly(do.call(rr_glm, call)), candor_warning_maxima = function(w) {
    if (!inherits(w, "candor_warning_infinite")) invokeRestart("muffleWarning")
  })
}

# Results, and the vectors of the same names.
expect_goldens <- function(actual, expected, ...) {
  for (j in seq_along(actual)) expect_golden(actual[[j]], expected[[names(actual)[j]]], ...)
}
