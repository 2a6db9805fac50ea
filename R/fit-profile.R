#' Profile likelihood of shares and coefficients
#'
#' How fast the likelihood falls if one share or coefficient is held at other values than the estimate and the rest is fitted again. This is the curve behind
#' intervals with `interval = "profile"` and behind [confint()][confint.rr_glm].
#'
#' The interval is the set of values whose `deviance` is at most the quantile of chi-squared with one degree of freedom (3.84 for 95%). If the curve is far from a
#' parabola, do not use estimate \eqn{\pm}{+-} 1.96 standard errors. If the curve ends at 0 or 1 before it reaches the quantile, so does the interval.
#'
#' The curve of a fit of [rr_estimate()] is the curve of the likelihood, whatever the method of the fit. Each group has its own curve. Weighted reports count with their effective number.
#'
#' @param fitted A fit of [rr_estimate()] with at most 500 categories and `target = "population"`, or of [rr_glm()] without penalty and survey design.
#' @param parm Categories or coefficients, by name or position; default all.
#' @param level The curves reach as far as the interval of this confidence level; default 0.99 for `profile()`, 0.95 for `confint()`.
#' @param points Number of values per curve besides the estimate, a whole number from 5 to 1,000; default 20.
#' @param x,object A profile.
#' @param conf.level Confidence level of the intervals that the picture marks; default 0.95.
#' @param ... Not used.
#' @return `profile()` returns a tibble of class `rr_profile` with the columns of the groups and
#'
#'   * `term`: category or coefficient.
#'   * `value`: value of the share or coefficient; values that the link does not allow are left out.
#'   * `deviance`: twice the fall of the log-likelihood from its maximum.
#'   * `z`: root of the deviance, negative below the estimate.
#'
#'   `confint()` returns the profile likelihood intervals of the fit, computed and not read off the curve. `plot()` and `autoplot()` draw up to 12 curves.
#' @section Errors:
#' `candor_error_law` (no likelihood), `candor_error_level`, `candor_error_argument`. See [candor_conditions].
#' @references Venzon, D. J. and Moolgavkar, S. H. (1988). A method for computing profile-likelihood-based confidence intervals. *Applied Statistics* 37(1), 87-94.
#'   \doi{10.2307/2347496}
#' @seealso [`?intervals`][intervals], [confint.rr_glm()].
#' @concept likelihood ratio interval
#' @name likelihood_profile
#' @examples
#' # Is the interval of a small share symmetric?
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' fit <- rr_estimate(rr_counts(c(never = 130, once = 40, often = 30),
#'                              mechanism))
#' curve <- profile(fit, "often")
#' curve
#' confint(curve)
#' # No: the estimate is 0, and the interval reaches up to 5.6%
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(curve)
NULL

#' @rdname likelihood_profile
#' @export
profile.rr_fit <- function(fitted, parm = NULL, level = 0.99, points = 20, ...) {
  level <- check_conf_level(level)
  points <- check_count(points, "points", min = 5, max = 1000)
  fitted <- with_interval(fitted, "profile")
  which <- match_terms(parm, fitted)
  profiles <- lapply(seq_len(NCOL(fitted$estimate)), function(g) {
    top <- profile_top(fitted, g)
    best <- top$best
    do.call(
      rbind,
      lapply(which, function(i) {
        deviance <- ratio_deviance(top$rows, top$counts, top$n, i, top$loglik)
        limits <- profile_ratio(deviance, best[i], level)
        value <- sort(
          unique(c(
            best[i], seq(limits[1], limits[2], length.out = points)
          ))
        )
        fall <- vapply(
          value,
          function(t) {
            if (t == best[i]) 0 else max(0, deviance(t))
          },
          0
        )
        data.frame(term = fitted$mechanism$levels[i], value = value, deviance = fall,
                   z = sign(value - best[i]) * sqrt(fall))
      })
    )
  })
  new_rr_profile(bind_groups(profiles, fitted$tally$groups), fitted, names(fitted$tally$groups))
}

# The fit, whose intervals are of this kind, is kept with the table, whose rows anybody may have
# changed.
new_rr_profile <- function(table, fit, groups = NULL) {
  structure(table, class = c("rr_profile", class(table)), fit = fit, groups = groups)
}

#' @rdname likelihood_profile
#' @export
confint.rr_profile <- function(object, parm = NULL, level = 0.95, ...) {
  terms <- unique(object$term)
  if (!is.null(parm)) terms <- terms[match_rows(parm, terms, "terms")]
  confint(attr(object, "fit"), terms, level)
}

#' @rdname likelihood_profile
#' @exportS3Method ggplot2::autoplot
autoplot.rr_profile <- function(object, conf.level = 0.95, ...) {
  fit <- attr(object, "fit")
  conf.level <- check_conf_level(conf.level)
  check_installed("ggplot2", "to draw a profile")
  keys <- attr(object, "groups")
  panel <- profile_panels(object, keys)
  if (nlevels(panel) > 12L) abort("A picture holds up to 12 profiles, see {.arg parm}.")
  limit <- qchisq(conf.level, 1)
  data <- data.frame(value = object$value, fall = -object$deviance / 2, panel = panel)
  bounds <- confint(fit, unique(object$term), conf.level)
  # The rows of confint() are one for each panel, groups slowest, as panels are.
  limits <- data.frame(
    value = as.vector(bounds),
    panel = factor(
      rep(levels(panel)[seq_len(nrow(bounds))], 2), levels(panel)
    )
  )
  limits <- limits[is.finite(limits$value), ]
  share <- inherits(fit, "rr_fit")
  title <- picture_title(
    if (share) question_of(fit$tally) else answer_name(fit$terms), keys, "Profile likelihood"
  )
  layout <- row_layout(nlevels(panel), "", levels(panel))
  ggplot2::ggplot(data, ggplot2::aes(.data$value, .data$fall)) +
    ggplot2::geom_hline(yintercept = -limit / 2, linetype = 2, colour = colour_line) +
    ggplot2::geom_segment(
      ggplot2::aes(xend = .data$value, y = -limit / 2, yend = -Inf),
      limits, linetype = 3, colour = colour_aside
    ) + ggplot2::geom_line(linewidth = 0.8, colour = colour_estimate) + ggplot2::geom_point(
      data = data[object$deviance == 0, ], colour = colour_estimate, size = 2
    ) + theme_candor() + row_panels(layout, "free_x") + ggplot2::scale_x_continuous(
      labels = if (share) percent_labels else ggplot2::waiver(), guide = no_overlap(),
      breaks = if (layout$across > 2) few_breaks(2, 2) else layout$breaks
    ) + ggplot2::labs(
      title = wrap_text(title, 46), x = if (share) "True proportion" else "Coefficient",
      y = "Log-likelihood,\nbelow its maximum",
      caption = wrap_text(
        sprintf(
          "Dotted: the %s interval, where the curve is above the dashed line.",
          percent_labels(conf.level)
        )
      )
    )
}

profile_panels <- function(object, keys) {
  term <- as.character(object$term)
  panel <- if (length(keys)) {
    paste(group_panel(object, keys), term, sep = ", ")
  } else {
    term
  }
  factor(panel, unique(panel))
}

#' @rdname likelihood_profile
#' @export
plot.rr_profile <- function(x, ...) draw(x, ...)

# ---- the unknown parameters of a design, read from a fit of its latent classes ----

design_parameters <- function(fit, conf.level) {
  parameters <- fit$mechanism$parameters
  if (is.null(parameters) || !identical(fit$method, "mle")) {
    abort("Parameters need a maximum likelihood fit of a design with an unknown parameter.")
  }
  rows <- lapply(seq_len(NCOL(fit$estimate)), function(g) {
    parameter_rows(fit, g, parameters, conf.level)
  })
  bind_groups(rows, fit$tally$groups)
}

parameter_rows <- function(fit, g, parameters, conf.level) {
  C <- unname(rr_matrix(fit$mechanism))
  n <- fit$tally$effective_n[g]
  counts <- group_evidence(fit$tally, g)$counts
  theta <- group_estimate(fit, g)
  top <- sum_log(counts, as.vector(theta %*% C))
  indicator <- function(classes) as.double(seq_len(nrow(C)) %in% classes)
  rows <- Map(
    function(parameter, term) {
      joint <- identified_functions(
        C, counts / n, theta, n,
        rbind(indicator(parameter[[1]]), indicator(parameter[[2]]))
      )
      estimate <- joint$value[1] / joint$value[2]
      # A ratio needs a share above 0 in its denominator.
      is_identified <- all(joint$identified) && joint$value[2] > 0
      slope <- if (length(parameter[[2]]) == nrow(C)) {
        c(1, 0)
      } else {
        c(1, -estimate) / joint$value[2]
      }
      deviance <- ratio_deviance(C, counts, n, parameter[[1]], top, parameter[[2]])
      bounds <- if (is.nan(estimate)) {
        c(low = 0, high = 1)
      } else {
        profile_ratio(deviance, estimate, conf.level)
      }
      # At 0 and 1 the information says nothing about the error, as of other shares.
      inside <- is_identified && estimate > 0 && estimate < 1
      tibble(
        term = term,
        estimate = if (is_identified) estimate else NA_real_,
        std.error = if (inside) sqrt(drop(slope %*% joint$covariance %*% slope)) else NA_real_,
        conf.low = bounds[["low"]],
        conf.high = bounds[["high"]],
        identified = is_identified
      )
    },
    parameters, names(parameters)
  )
  do.call(rbind, unname(rows))
}
