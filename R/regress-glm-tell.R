# What rr_glm() says beside its estimates, before somebody reads them.

# What a user must know before reading the estimates.
tell_about <- function(fit) {
  aliased <- names(fit$coefficients)[is.na(fit$coefficients) & !names(fit$coefficients) %in% fit$boundary$coefficients]
  if (length(aliased)) {
    cli::cli_inform(paste("Not estimated, since {?it is a combination/they are combinations} of other columns:",
                          "{.val {aliased}}."),
                    class = "candor_message_aliased")
  }
  tell_weights(fit)
  doubt <- reports_doubt(fit)
  tell_end(fit)
  # Neither other answers nor a penalty cure a wrong mechanism.
  if (is.null(doubt) || !is.null(fit$boundary)) tell_maxima(fit, doubt) else warn(doubt, "unlikely")
}

# Is the share of yes among all reports of some mechanism beyond what it can give, whatever the truth? Then the words
# that say so. Weights of a survey count with the number of respondents that they are worth.
reports_doubt <- function(fit) {
  if (!is.null(fit$unknown)) return(NULL)
  row <- row_device(fit$device, fit$arm, length(fit$y))
  parts <- split(seq_along(fit$y), row_arms(fit$arm, length(fit$y)))
  for (rows in parts) {
    w <- fit$prior.weights[rows]
    share <- sum(w * fit$y[rows]) / sum(w)
    n <- if (is.null(fit$design)) sum(w) else sum(w)^2 / sum(w^2)
    ends <- range(row$p[rows[1]], row$q[rows[1]])
    if (isTRUE(beyond_range(share * n, n, ends[1], ends[2], false_alarm / length(parts)))) {
      percent <- sprintf("%s%%", format(100 * c(share, ends), digits = 3, trim = TRUE, drop0trailing = TRUE))
      return(c("The reports are unlikely under this design.",
               x = sprintf("%s of them are {.val {fit$labels[2]}}; the mechanism makes %s to %s so.", percent[1],
                           percent[2], percent[3]),
               i = doubt_cure))
    }
  }
  NULL
}

doubt_cure <- paste("Was it another design (probabilities exchanged, labels in another order), or were the answers not",
                    "randomised?")

# Weights count answers here. Those of a survey would pass for them.
tell_weights <- function(fit) {
  if (!is.null(fit$design) || all(fit$y > 0 & fit$y < 1)) return(invisible())
  answers <- fit$prior.weights * pmax(fit$y, 1 - fit$y)
  if (all(abs(answers - round(answers)) <= 1e-6 * pmax(1, answers))) return(invisible())
  cli::cli_inform(c("Weights are taken for numbers of answers, and some are not whole.",
                    i = paste("If they are survey weights, standard errors are wrong: give {.arg design},",
                              "or read {.code vcov(fit, type = \"sandwich\")}.")), class = "candor_message_weights")
}

# The maximum is at infinity, or another one is nearly as high. What is said was measured (inst/studies/README.md).
tell_maxima <- function(fit, doubt) {
  boundary <- fit$boundary
  pressed <- isTRUE(boundary$pressed)
  near <- any(fit$starts < max(fit$starts) - 1e-5 & fit$starts > max(fit$starts) - 2)
  if (is.null(boundary) && (!near || fit$penalty != "none")) return(invisible())
  text <- if (is.null(boundary)) {
    c("Another maximum lies within 2 units of log-likelihood.",
      i = "{.code penalty = \"prior\"} gives an estimate with smaller errors.")
  } else if (pressed) {
    c("The maximum is at the end of the range of the {.val {fit$link}} link.",
      i = "Use {.code link = \"logit\"}, or read it as a bound.")
  } else {
    c("The likelihood has its maximum at infinity: {.val {boundary$coefficients}}.",
      i = "Intervals fail here. {.code penalty = \"prior\"} gives finite estimates with smaller errors.")
  }
  if (!is.null(doubt)) text <- replace(doubt, 1, paste(doubt[[1]], text[[1]]))
  warn(text, c(if (pressed) "boundary", if (!is.null(boundary)) "infinite", if (near) "maxima",
               if (!is.null(doubt)) "unlikely"))
}

# An unknown number of the design at the end of its range.
tell_end <- function(fit) {
  if (!isTRUE(as.vector(fit$parameter) %in% c(0, 1))) return(invisible())
  warn(c("The estimate of {.val {names(fit$parameter)}} is {as.vector(fit$parameter)}, the end of its range.",
         i = "Standard errors are those of a design in which it is known."), "boundary")
}

