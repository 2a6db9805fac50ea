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
  tell_infinite(fit, doubt)
  tell_end(fit)
  tell_maxima(fit)
  # Neither other answers nor a penalty cure a wrong mechanism.
  if (is.null(doubt)) tell_information(fit)
  else if (is.null(fit$boundary)) warn(doubt, c("information", "unlikely"))
}

# Is the share of yes among all reports of some mechanism beyond what it can give, whatever the truth? Then the words
# that say so. Weights of a survey count with the number of respondents that they are worth.
reports_doubt <- function(fit) {
  if (!is.null(fit$unknown)) return(NULL)
  row <- row_device(fit$device, fit$arm, length(fit$y))
  parts <- split(seq_along(fit$y), list(row$p, row$q), drop = TRUE)
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

tell_infinite <- function(fit, doubt) {
  boundary <- fit$boundary
  if (is.null(boundary)) return(invisible())
  rows <- length(boundary$rows)
  sides <- paste(sort(unique(boundary$truth)), collapse = " or ")
  shown <- boundary$coefficients
  if (!is.null(doubt)) {
    doubt[[1]] <- paste(doubt[[1]], "The likelihood has its maximum",
                        if (isTRUE(boundary$pressed)) "at the end of the range of the link." else "at infinity.")
    return(warn(doubt, c(if (isTRUE(boundary$pressed)) "boundary", "infinite", "unlikely")))
  }
  if (isTRUE(boundary$pressed)) {
    return(warn(c("The maximum is at the end of the range of the {.val {fit$link}} link.",
                  x = "The truth of {rows} row{?s} is {sides}, where standard errors do not hold.",
                  i = "Use {.code link = \"logit\"}, or read it as a bound."), c("boundary", "infinite")))
  }
  warn(c("The likelihood has its maximum at infinity.",
         x = if (length(shown)) "Not finite: {.val {shown}}." else "Its limit could not be named.",
         x = "The fitted truth of {rows} row{?s} is {sides}.",
         i = "{.code confint()} gives the profile likelihood intervals, which have one finite end.",
         i = "{.code penalty = \"bias\"} gives a finite estimate."), "infinite")
}

# An unknown number of the design at the end of its range.
tell_end <- function(fit) {
  if (!isTRUE(as.vector(fit$parameter) %in% c(0, 1))) return(invisible())
  warn(c("The estimate of {.val {names(fit$parameter)}} is {as.vector(fit$parameter)}, the end of its range.",
         i = "Standard errors are those of a design in which it is known."), "boundary")
}

tell_maxima <- function(fit) {
  if (fit$penalty != "none" || !is.null(fit$boundary)) return(invisible())
  values <- fit$starts[attr(fit$starts, "finite")]
  best <- max(values)
  near <- values[values < best - 1e-5 & values > best - 2]
  if (length(near)) {
    warn(c("The likelihood has several maxima.",
           x = "The best has log-likelihood {format(best, digits = 8)}, another one {format(max(near), digits = 8)}.",
           i = "The estimate is the best of {length(fit$starts)} starts; give more with {.arg starts}."), "maxima")
  }
}

tell_information <- function(fit) {
  k <- fit$rank
  total <- sum(fit$weights)
  if (k > 0 && total < 10 * k) {
    warn(c("The reports carry little information for {k} coefficient{?s}.",
           x = "They are worth as much as {format(4 * total, digits = 2)} direct answers of even odds.",
           i = if (fit$penalty == "none") "Use {.code penalty = \"bias\"}, and profile intervals: {.code confint()}."
               else "More answers would help, or a design with more information."), "information")
  }
}
