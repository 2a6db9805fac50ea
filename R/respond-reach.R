# Probabilities are multiples of 2^-64. Where one of a mechanism is below that, or so near to 1, reports have another
# epsilon than the one that was asked for. Nobody should find that out from the results.

# The part of epsilon that may be lost. A probability of at least one step is at most doubled by rounding: as long as no
# probability is below a step, a level that large, 64 log(2), loses at most log(2) of it.
reach_slack <- 1 / 64

# Within these, with probabilities from the level, the loss is far below the slack: of 2^-64 / exp(-40), that is 1 / 78.
reach_sure <- c(1e-3, 40)

# Refuses what rr_perturb() cannot draw at its level. Where a report is an answer to a question, which as good as nobody
# randomises at such a level, a warning must do: the reports are the truth, but for one in 1e19. Each question, and each
# part that a respondent may draw.
check_reach <- function(mechanism) {
  parts <- mechanism$questions %||% mechanism$parts
  if (!is.null(parts)) {
    for (part in parts) check_reach(part)
  } else if (!surely_reached(mechanism) && drawn_on_grid(mechanism)) {
    nominal <- rr_epsilon(mechanism)
    achieved <- rr_epsilon(mechanism, achieved = TRUE)
    short <- which(achieved < nominal * (1 - reach_slack))
    if (length(short)) tell_reach(mechanism, achieved[short[1]], nominal[[short[1]]])
  }
}

# Looking closer takes long for large matrices.
surely_reached <- function(mechanism) {
  levels <- c(mechanism$epsilon, mechanism$permanent, mechanism$first$epsilon)
  given <- c(mechanism$p, mechanism$q)
  all(levels == 0 | is.infinite(levels) | (levels >= reach_sure[1] & levels <= reach_sure[2]), na.rm = TRUE) &&
    !any(given > 0 & given < 2^-56, na.rm = TRUE)
}

# Of a protocol of a user's own nobody but its author knows how reports are drawn.
drawn_on_grid <- function(mechanism) {
  !is.null(mechanism$memoised) || law_gives(rr_law(mechanism), "channel", length(mechanism$levels)) ||
    any(vapply(setdiff(class(mechanism), "rr_mechanism"), function(kind) exists(paste0("achieved.", kind)), NA))
}

# `achieved` has a name where a mechanism has two levels.
tell_reach <- function(mechanism, achieved, nominal) {
  whose <- if (identical(names(achieved), "permanent")) "All reports together" else "A report"
  shown <- function(x) format(unname(x), digits = 4)
  # Rounded down, so that a mechanism with the epsilon that is named can be drawn.
  largest <- format(floor(unname(achieved) * 100) / 100)
  remedy <- if (is.null(names(achieved)) && isFALSE(mechanism$from_epsilon)) "give 0, 1 or larger ones."
    else if (nominal < 1) "use a larger epsilon, or fewer categories."
    else "use a smaller epsilon, here at most {largest}."
  answers <- inherits(mechanism, c("rr_binary", "rr_grr", "rr_channel", "rr_forced", "rr_unrelated"))
  tell <- if (answers) warn else abort
  tell(c("The epsilon of {.arg mechanism} is out of the reach of probabilities that can be drawn.",
         x = "{whose} would have epsilon = {shown(achieved)}, not {shown(nominal)}: {format(mechanism)}.",
         i = paste("Probabilities are multiples of 2^-64:", remedy),
         i = "Planning and estimation work with any epsilon."), "precision")
}
