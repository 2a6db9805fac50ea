# What epsilon means, in words that need no logarithm.

# Above this the odds change more than 148-fold: a report nearly tells the truth.
weak_epsilon <- 5

# "a report changes odds by a factor of at most 7.4", and a remark where that protects little.
odds_words <- function(epsilon, what = "a report") {
  if (is.na(epsilon)) return("no level is known")
  if (is.infinite(epsilon)) return(paste(what, "can rule a truth out"))
  if (epsilon == 0) return(paste(what, "says nothing about the truth"))
  # One decimal below 10, whole numbers above.
  factor <- exp(epsilon)
  digits <- if (factor < 1.01) 6 else if (factor < 10) 1 else 0
  rounded <- if (digits < 6) round(factor, digits) else signif(factor, digits)
  shown <- if (factor >= 1e6) format(factor, digits = 2) else format_count(rounded)
  sprintf("%s changes odds by a factor of at most %s%s", what, shown,
          if (epsilon > weak_epsilon) ": this protects little" else "")
}

# Mistakes protect nobody, so no privacy level is printed for them.
protects <- function(mechanism) !isTRUE(mechanism$error)

# The mechanism for who follows it and makes no mistake, whose level is that of all. `labels` are those of the answers
# that mistakes, here none, leave as they are.
designed <- function(mechanism, labels = mechanism$levels) {
  if (isTRUE(mechanism$error)) return(rr_grr(labels, p = 1))
  if (inherits(mechanism, "rr_noncompliance")) return(designed(mechanism$first))
  if (!inherits(mechanism, "rr_compose")) return(mechanism)
  first <- designed(mechanism$first, mechanism$second$levels)
  second <- designed(mechanism$second, mechanism$first$reports)
  if (identical(first, mechanism$first) && identical(second, mechanism$second)) return(mechanism)
  rr_compose(first, second)
}

capitalise <- function(text) paste0(toupper(substr(text, 1, 1)), substring(text, 2))
