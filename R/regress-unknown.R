# Designs with an unknown parameter in a regression: the probabilities of each group are linear in this parameter.

# The lines p0 + p1 psi and q0 + q1 psi of each mechanism, a column each; those of a known design have no slope.
unknown_devices <- function(mechanisms, devices) {
  unknown <- Filter(has_unknown, mechanisms)
  kinds <- unique(vapply(unknown, function(mechanism) class(mechanism)[1], ""))
  if (length(kinds) != 1L) {
    named <- unique(vapply(unknown, unknown_name, ""))
    abort(c("The mechanisms must share one unknown number.", x = "They have {length(named)}: {.val {named}}."),
          "mismatch")
  }
  lines <- vapply(seq_along(mechanisms), function(k) {
    if (has_unknown(mechanisms[[k]])) unname(mechanisms[[k]]$lines) else c(devices[1, k], 0, devices[2, k], 0)
  }, numeric(4))
  if (nrow(unique(t(lines))) < 2L) {
    abort(c("The unknown number cannot be told from the truth by one device.",
            i = "Give at least two groups with different {.arg p}."), c("no_information", "argument"))
  }
  lines
}

has_unknown <- function(mechanism) !is.null(mechanism$lines)

# The name of the parameter of a design.
unknown_name <- function(mechanism) names(mechanism$parameters)[2]

unknown_at <- function(lines, psi) {
  clip <- function(x) pmin(1, pmax(0, x))
  rbind(clip(lines[1, ] + lines[2, ] * psi), clip(lines[3, ] + lines[4, ] * psi),
        clip(1 - lines[1, ] - lines[2, ] * psi), clip(1 - lines[3, ] - lines[4, ] * psi),
        lines[1, ] - lines[3, ] + (lines[2, ] - lines[4, ]) * psi)
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
