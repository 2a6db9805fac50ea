# Residuals, influence and simulated reports of regressions are methods of R's generics.

#' @rdname glm_methods
#' @export
fitted.rr_glm <- function(object, type = c("report", "truth"), ...) {
  type <- check_choice(type)
  values <- if (type == "report") {
    object$fitted.values
  } else {
    truth_curve(object$link)$yes(object$linear.predictors)
  }
  napredict(object$na.action, setNames(values, names(object$linear.predictors)))
}

#' @rdname glm_methods
#' @export
residuals.rr_glm <- function(
  object, type = c("deviance", "pearson", "working", "response", "partial", "truth"), ...
) {
  warn_ignored(..., accepted = names(formals()))
  type <- check_choice(type)
  if (type != "truth") return(NextMethod(type = type))
  rows <- fitted_rows(object)
  naresid(
    object$na.action,
    setNames(row_posterior(object, rows, object$y) - rows$truth, names(object$y))
  )
}

#' @rdname glm_methods
#' @export
hatvalues.rr_glm <- function(model, type = c("expected", "observed"), ...) {
  type <- check_choice(type)
  index <- which(is.finite(model$coefficients))
  x <- model.matrix(model)[, index, drop = FALSE]
  w <- model$prior.weights * fitted_rows(model)[[type]]
  w[!is.finite(model$linear.predictors)] <- 0
  setNames(
    w * rowSums(
      (x %*% model$variance[[type]][index, index, drop = FALSE]) * x
    ),
    names(model$y)
  )
}

#' @rdname glm_methods
#' @export
influence.rr_glm <- function(model, type = c("glm", "deletion", "linearised"), ...) {
  type <- check_choice(type)
  if (type == "glm") {
    class(model) <- c("glm", "lm")
    # Coefficients at infinity have no columns in `qr`.
    model$rank <- model$qr$rank
    is.na(model$coefficients) <- !is.finite(model$coefficients)
    return(influence(model, ...))
  }
  warn_ignored(..., accepted = names(formals()))
  index <- estimated_places(model)
  change <- row_scores(model) %*% bread_of(model)[index, index, drop = FALSE]
  if (type == "deletion") return(change / (1 - hatvalues(model, "observed")))
  weight <- model$prior.weights / model$weight.scale
  change / ifelse(weight > 0, weight, 1)
}

#' @rdname glm_methods
#' @export
simulate.rr_glm <- function(object, nsim = 1, seed = NULL, ...) {
  n <- length(object$y)
  truth <- truth_curve(object$link)$yes(object$linear.predictors)
  row <- row_device(object$device, object$arm, n)
  is_share <- object$y > 0 & object$y < 1
  answers <- if (object$is_counted || any(is_share)) {
    round(object$prior.weights)
  } else {
    rep(1, n)
  }
  response <- model.response(object$model, "any")
  turned <- is_reversed(object$labels)
  drawn_surveys(nsim, seed, names(object$y), function() {
    yes <- rbinom(n, answers, truth)
    reports <- as.double(rbinom(n, yes, row$p)) +
      rbinom(n, answers - yes, row$q)
    # In the form in which the reports came, so that they can be fitted again.
    if (is.matrix(response)) {
      counts <- cbind(reports, answers - reports, deparse.level = 0)
      return(if (turned) counts[, 2:1, drop = FALSE] else counts)
    }
    if (is.factor(response)) {
      return(factor(object$labels[reports + 1], levels(response)))
    }
    if (is.character(response)) return(object$labels[reports + 1])
    if (is.logical(response)) return((reports == 1) != turned)
    shares <- ifelse(answers > 0, reports / answers, 0)
    if (turned) 1 - shares else shares
  })
}

# A column for each survey.
drawn_surveys <- function(nsim, seed, names, draw) {
  nsim <- check_count(nsim, "nsim", min = 1)
  seed <- keep_seed(seed)
  table <- data.frame(row.names = names)
  for (k in seq_len(nsim)) table[[paste0("sim_", k)]] <- draw()
  structure(table, seed = seed)
}

# ---- fits that are no glm ----

#' @rdname regression_methods
#' @export
fitted.rr_regression <- function(object, ...) predict(object, type = "report")

#' @rdname regression_methods
#' @export
residuals.rr_regression <- function(object, ...) regression_reports(object) - fitted(object)

#' @rdname regression_methods
#' @export
residuals.rr_multinom <- function(object, type = c("report", "truth"), ...) {
  if (check_choice(type) == "report") return(residuals.rr_regression(object))
  predict(object, type = "posterior") - predict(object)
}

#' @rdname regression_methods
#' @export
residuals.rr_loglinear <- function(object, type = c("pearson", "response"), ...) {
  type <- check_choice(type)
  remaining <- regression_reports(object) - fitted(object)
  if (type == "response") return(remaining)
  # Weighted counts vary as those of the effective number of respondents.
  remaining * sqrt(
    rep(object$table$units, each = nrow(object$table$counts)) /
      pmax(fitted(object), 1e-300)
  )
}

#' @rdname regression_methods
#' @export
simulate.rr_multinom <- function(object, nsim = 1, seed = NULL, ...) {
  if (attr(object$terms, "response") == 0) abort("Reports are simulated for one column of them.")
  reports <- object$mechanism$reports
  upper <- t(apply(predict(object, type = "report"), 1, cumsum))[
    , -length(reports), drop = FALSE
  ]
  drawn_surveys(nsim, seed, rownames(object$frame), function() {
    factor(reports[1L + rowSums(runif(nrow(upper)) > upper)], reports)
  })
}
