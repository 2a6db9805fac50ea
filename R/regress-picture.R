# Residuals, simulated reports and a picture of the regressions that are not a glm; or an error that says why there are
# none.

#' @rdname rr_regression
#' @export
residuals.rr_regression <- function(object, type = NULL, ...) {
  check_dots_near(...)
  check_choice(type %||% "none", "type", "none")
  abort(c("A fit of {.fn {class(object)[1]}} has no residuals.",
          x = "The outcome is expected at a truth, and nobody's truth is known.",
          i = "{.code predict(fit, type = \"posterior\")} of a likelihood fit says how probable each truth is."),
        "argument")
}

#' @rdname rr_regression
#' @export
residuals.rr_multinom <- function(object, type = c("report", "truth"), ...) {
  check_dots_near(...)
  type <- check_choice(type, "type", c("report", "truth"))
  if (type == "truth") return(predict(object, type = "posterior") - predict(object))
  fitted <- predict(object, type = "report")
  seen <- col(fitted) == object$model$codes
  seen - fitted
}

#' @rdname rr_regression
#' @export
residuals.rr_loglinear <- function(object, type = c("pearson", "response"), ...) {
  check_dots_near(...)
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
  check_dots_near(...)
  abort(c("Reports are not simulated from a fit of {.fn {class(object)[1]}}.",
          i = if (inherits(object, "rr_loglinear")) {
            "Draw tables of them: {.code rmultinom(1, n, predict(fit, \"report\"))}."
          } else "Draw truths and an outcome of your own, and the reports by {.fn rr_perturb}."), "argument")
}

#' @rdname rr_regression
#' @export
simulate.rr_multinom <- function(object, nsim = 1, seed = NULL, ...) {
  check_dots_near(...)
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

#' @rdname rr_regression
#' @method autoplot rr_regression
#' @rawNamespace S3method(ggplot2::autoplot,rr_regression)
autoplot.rr_regression <- function(object, ...) {
  check_dots_near(...)
  refuse_picture(object, if (inherits(object, "rr_loglinear")) "{.code as.table()} gives the shares of the truths."
                 else "{.code tidy(conf.int = TRUE)} gives the coefficients, {.fn predict} the outcome at each truth.")
}

#' @rdname rr_regression
#' @method autoplot rr_multinom
#' @rawNamespace S3method(ggplot2::autoplot,rr_multinom)
autoplot.rr_multinom <- function(object, variable = NULL, conf.level = 0.95, ...) {
  check_object(object)
  check_dots_near(...)
  check_installed("ggplot2", "to draw a regression")
  along <- covariate_grid(object, object$frame, variable)
  levels <- object$mechanism$levels
  truth <- predict(object, along$new, se.fit = TRUE)
  bounds <- logit_interval(truth$fit, truth$se.fit, conf.level)
  table <- data.frame(value = rep(along$grid, length(levels)), fit = as.vector(truth$fit), lwr = as.vector(bounds$low),
                      upr = as.vector(bounds$high), level = factor(rep(levels, each = nrow(truth$fit)), levels))
  limits <- ggplot2::aes(ymin = .data$lwr, ymax = .data$upr)
  draw_levels(draw_along(table, along, "Probability of each truth", conf.level), along, limits)
}

# Wald's interval of a probability on the logit scale, which stays between 0 and 1.
logit_interval <- function(p, error, level) {
  half <- normal_quantile(check_level(level)) * error / (p * (1 - p))
  half[!is.finite(half)] <- 0
  list(low = stats::plogis(stats::qlogis(p) - half), high = stats::plogis(stats::qlogis(p) + half))
}

#' @export
plot.rr_regression <- function(x, ...) draw(x, ...)

#' @rdname rr_posterior
#' @method autoplot rr_posterior
#' @rawNamespace S3method(ggplot2::autoplot,rr_posterior)
autoplot.rr_posterior <- function(object, conf.level = 0.95, ...) {
  check_dots_near(...)
  check_installed("ggplot2", "to draw a posterior")
  table <- as.data.frame(tidy(object, conf.int = TRUE, conf.level = conf.level))
  levels <- object$mechanism$levels
  keys <- names(object$tally$groups)
  data <- data.frame(label = factor(table$term, rev(levels)), panel = group_panel(table, keys),
                     kind = rep("share", nrow(table)),
                     estimate = table$median, conf.low = table$conf.low, conf.high = table$conf.high)
  axis <- "Share"
  # The two shares of a yes/no question add up to 1: a row for each group, as in the picture of a fit.
  if (nlevels(data$panel) > 1L && length(levels) == 2L) {
    data <- data[table$term == levels[2], ]
    data$label <- rows_factor(as.character(data$panel))
    data$panel <- factor(rep("", nrow(data)))
    axis <- sprintf("Share of \"%s\"", levels[2])
  }
  draw_intervals(data, "Posterior of the shares",
                 sprintf("Points: medians. Lines: intervals that hold %s of the posterior.",
                         percent_labels(conf.level)), axis) +
    ggplot2::labs(subtitle = wrap_text(object$mechanism$design, 64))
}

#' @export
plot.rr_posterior <- function(x, ...) draw(x, ...)
