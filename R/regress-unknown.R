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

# The probability of what else they said.
other_answer <- function(lines, psi) lines[5, ] + lines[6, ] * psi
