# Designs with an unknown parameter in a regression: the probabilities of each group are linear in this parameter.

# The lines p0 + p1 psi and q0 + q1 psi of each mechanism, a column each; those of a known design have no slope. The
# last line is the probability of what else the device says, which only an anchor question does.
unknown_devices <- function(mechanisms, devices) {
  unknown <- Filter(has_unknown, mechanisms)
  kinds <- unique(vapply(unknown, function(mechanism) class(mechanism)[1], ""))
  if (length(kinds) != 1L) {
    named <- unique(vapply(unknown, unknown_name, ""))
    abort(c("The mechanisms must share one unknown number.", x = "They have {length(named)}: {.val {named}}."),
          "mismatch")
  }
  lines <- vapply(seq_along(mechanisms), function(k) {
    c(if (has_unknown(mechanisms[[k]])) unname(mechanisms[[k]]$lines) else c(devices[1, k], 0, devices[2, k], 0), 1, 0)
  }, numeric(6))
  if (nrow(unique(t(lines))) < 2L) {
    abort(c("The unknown number cannot be told from the truth by one device.",
            i = "Give at least two groups whose mechanisms differ in {.arg p}."), c("no_information", "argument"))
  }
  lines
}

has_unknown <- function(mechanism) !is.null(mechanism$lines)

# The name of the parameter of a design.
unknown_name <- function(mechanism) names(mechanism$parameters)[2]

# The devices at psi: what they say about the truth, given what else they said.
unknown_at <- function(lines, psi) {
  other <- other_answer(lines, psi)
  given <- ifelse(other > 0, other, 1)
  share <- function(start, slope) pmin(1, pmax(0, (start + slope * psi) / given))
  rbind(share(lines[1, ], lines[2, ]), share(lines[3, ], lines[4, ]),
        share(lines[5, ] - lines[1, ], lines[6, ] - lines[2, ]),
        share(lines[5, ] - lines[3, ], lines[6, ] - lines[4, ]),
        (lines[1, ] - lines[3, ] + (lines[2, ] - lines[4, ]) * psi) / given)
}

# The probability of what else they said, and the log-likelihood of it in all rows.
other_answer <- function(lines, psi) lines[5, ] + lines[6, ] * psi

other_loglik <- function(data, psi) {
  if (is.null(data$unknown) || all(data$unknown[6, ] == 0)) return(0)
  part <- log(other_answer(data$unknown, psi))[row_arms(data$arm, length(data$y))]
  sum((data$weight * part)[data$weight > 0])
}

# Several starting values of the unknown parameter, since there are many local maxima.
unknown_starts <- function(points) {
  values <- c(0.5, 0.8, 0.2, 0.95, 0.05)
  first <- lapply(values, function(psi) c(points[[1]], psi))
  others <- lapply(seq_along(points)[-1], function(s) {
    if (length(points[[s]]) > length(points[[1]])) points[[s]] else c(points[[s]], values[(s - 1) %% 5 + 1])
  })
  c(first, others)
}

# A climb that ended next to an end of the range of psi, with the coefficients behind: the climb goes on at that end.
climb_at_end <- function(data, x, fit, options) {
  k <- ncol(x)
  psi <- fit$at[k + 1]
  if (fit$finite || min(psi, 1 - psi) > 0.01) return(fit)
  end <- round(psi)
  known <- data
  known$unknown <- NULL
  known$device <- unknown_at(data$unknown, end)
  found <- climb(known, x, fit$at[seq_len(k)], options)
  found$value <- found$value + other_loglik(data, end)
  found$at <- c(found$at, end)
  found$step <- c(found$step, 0)
  # Where the likelihood rises from the end inwards it is no maximum.
  data$x <- x
  slope <- if (is.finite(found$value)) regress_value(data, found$at)$gradient[k + 1] else NA
  if (!isTRUE(found$value >= fit$value - 1e-8 && slope * (1 - 2 * end) <= 1e-6)) return(fit)
  found
}
