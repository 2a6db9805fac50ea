#' Picture of a trace
#'
#' Shows how the iterations approached the maximum: the certified gap of each iterate on a logarithmic axis, and below it by how much
#' its log-likelihood is really below that of the last iterate.
#'
#' @param object A trace, see [rr_trace()].
#' @param ... Not used.
#' @return A ggplot object, to be printed, saved or changed.
#' @section Errors:
#' `candor_error_argument` for arguments that are not known or out of range; `candor_error_package` where ggplot2 is not installed.
#' @source Pinzon, C. A. et al. (2025). Estimating the true distribution of data collected with randomized response. Their figure 4 draws the
#'   distance of the iterates from the exact estimate; the certificate of [rr_trace()] replaces it here, since it needs no exact estimate.
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' reports <- rr_counts(c(10, 20, 30, 40), rr_grr(4, epsilon = 0.5))
#' fit <- rr_estimate(reports, method = "ibu", iterations = 100)
#' ggplot2::autoplot(rr_trace(fit))
#' @method autoplot rr_trace
#' @rawNamespace S3method(ggplot2::autoplot,rr_trace)
autoplot.rr_trace <- function(object, ...) {
  check_installed("ggplot2", "to draw a trace")
  groups <- setdiff(names(object), c("iteration", "loglik", "gap"))
  panel <- if (length(groups)) do.call(paste, c(as.list(object[groups]), sep = ", ")) else rep("", nrow(object))
  missing <- stats::ave(object$loglik, panel, FUN = function(l) max(l) - l)
  data <- rbind(data.frame(iteration = object$iteration, value = object$gap, what = "Certified gap", panel = panel),
                data.frame(iteration = object$iteration, value = missing, what = "Short of the best iterate",
                           panel = panel))
  data <- data[data$value > 0, ]
  plot <- ggplot2::ggplot(data, ggplot2::aes(.data$iteration, .data$value, colour = .data$what,
                                             linetype = .data$what)) +
    ggplot2::geom_line(linewidth = 0.8) +
    ggplot2::scale_y_log10(labels = power_labels) +
    ggplot2::scale_colour_manual(values = c("Certified gap" = colour_estimate,
                                            "Short of the best iterate" = colour_reported)) +
    ggplot2::scale_linetype_manual(values = c("Certified gap" = 1, "Short of the best iterate" = 2)) +
    ggplot2::labs(title = "Iterative Bayesian update", x = "Iteration", y = "Log-likelihood (total)", colour = NULL,
                  linetype = NULL,
                  caption = wrap_text("The maximum of the log-likelihood is at most the certified gap away.")) +
    theme_candor()
  if (length(groups)) plot <- plot + ggplot2::facet_wrap(~panel)
  plot
}

#' @rdname autoplot.rr_trace
#' @param x A trace.
#' @export
plot.rr_trace <- function(x, ...) draw(x, ...)
