# Residuals, simulated reports and a picture of the regressions that are not a glm; or an error that says why there are
# none.

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

#' @rdname rr_regression
#' @method autoplot rr_regression
#' @rawNamespace S3method(ggplot2::autoplot,rr_regression)
autoplot.rr_regression <- function(object, ...) {
  refuse_picture(object, if (inherits(object, "rr_loglinear")) "{.code as.table()} gives the shares of the truths."
                 else "{.code tidy(conf.int = TRUE)} gives the coefficients, {.fn predict} the outcome at each truth.")
}

#' @rdname rr_regression
#' @method autoplot rr_multinom
#' @rawNamespace S3method(ggplot2::autoplot,rr_multinom)
autoplot.rr_multinom <- function(object, variable = NULL, ...) {
  along <- covariate_grid(object, object$frame, variable)
  levels <- object$mechanism$levels
  truth <- predict(object, along$new)
  table <- data.frame(value = rep(along$grid, length(levels)), share = as.vector(truth),
                      level = factor(rep(levels, each = nrow(truth)), levels))
  base <- ggplot2::ggplot(table, ggplot2::aes(x = .data$value, y = .data$share, colour = .data$level,
                                              group = .data$level)) +
    ggplot2::labs(x = along$variable, y = "Probability of the truth", colour = NULL,
                  caption = "Others at typical values") +
    ggplot2::coord_cartesian(ylim = c(0, 1)) + theme_candor()
  if (length(levels) <= length(line_colours)) {
    base <- base + ggplot2::scale_colour_manual(values = line_colours, guide = line_legend(levels))
  }
  if (is.numeric(along$grid)) base + ggplot2::geom_line() else base + ggplot2::geom_point(size = 2)
}

#' @export
plot.rr_regression <- function(x, ...) draw(x, ...)

#' @rdname rr_posterior
#' @method autoplot rr_posterior
#' @rawNamespace S3method(ggplot2::autoplot,rr_posterior)
autoplot.rr_posterior <- function(object, conf.level = 0.95, ...) {
  table <- tidy(object, conf.int = TRUE, conf.level = conf.level)
  table$term <- factor(table$term, rev(object$mechanism$levels))
  groups <- object$tally$groups
  if (!is.null(groups)) table$group <- do.call(paste, c(as.list(table[names(groups)]), sep = ", "))
  picture <- ggplot2::ggplot(table, ggplot2::aes(x = .data$median, y = .data$term, xmin = .data$conf.low,
                                                 xmax = .data$conf.high)) +
    ggplot2::geom_pointrange(colour = colour_estimate) +
    ggplot2::labs(x = "Share", y = NULL,
                  caption = wrap_text(sprintf("Posterior median, and interval that holds %s of the posterior",
                                              percent_labels(conf.level)))) +
    ggplot2::scale_x_continuous(labels = percent_labels) + theme_candor()
  if (is.null(groups)) picture else picture + ggplot2::facet_wrap(ggplot2::vars(.data$group))
}

#' @export
plot.rr_posterior <- function(x, ...) draw(x, ...)
