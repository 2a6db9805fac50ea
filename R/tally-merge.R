# Merging tallies: what makes two mechanisms the same, and what to say where they are not.

# The tally with its counts in the order of another mechanism's levels, if only that order differs; NULL if anything
# else does.
reorder_tally <- function(tally, mechanism) {
  from <- tally$mechanism
  # Reports that are kept whole are in the order of their own mechanism.
  if (!is.null(tally$sets) || !is.null(mechanism$questions) || identical(from$reports, mechanism$reports) ||
      !identical(class(from), class(mechanism)) ||
      length(from$reports) != length(mechanism$reports) || length(from$levels) != length(mechanism$levels)) return(NULL)
  reports <- match(mechanism$reports, from$reports)
  levels <- match(mechanism$levels, from$levels)
  if (anyNA(reports) || anyNA(levels) || !same_bits(from, mechanism) || !same_law(from, mechanism, levels,
                                                                                  reports)) return(NULL)
  tally$counts <- if (is.matrix(tally$counts)) tally$counts[reports, , drop = FALSE] else tally$counts[reports]
  tally$mechanism <- mechanism
  tally
}

# "no" and "yes" must have the same labels in both.
same_bits <- function(x, y) {
  identical(x$reports[x$bits], y$reports[y$bits]) && identical(x$levels[x$truth_bits], y$levels[y$truth_bits])
}

# The same probabilities, when those of `x` are put into the order of `y`.
same_law <- function(x, y, levels, reports) {
  a <- rr_law(x)
  b <- rr_law(y)
  if (!identical(class(a), class(b)) || !identical(x$epsilon, y$epsilon)) return(FALSE)
  if (inherits(a, "rr_law_additive")) {
    noise <- if (length(a$b) > 1L) a$b[reports] else a$b
    return(identical(a$a, b$a) && identical(noise, b$b) && identical(levels, reports))
  }
  if (inherits(a, "rr_law_channel")) {
    if (max(length(levels), length(reports)) > matrix_limit) return(FALSE)
    return(identical(unname(rr_matrix(x))[levels, reports], unname(rr_matrix(y))))
  }
  same <- function(p, q) identical(if (length(p) > 1L) p[reports] else p, q)
  identical(levels, reports) && same(a$p, b$p) && same(a$q,
                                                       b$q) && !is.matrix(a$both_own) && !is.matrix(a$both_other) &&
    same(a$both_own, b$both_own) && identical(a$both_other, b$both_other)
}

# One sentence about what differs between mechanism `x`, of `this`, and `y`, of `that`.
mechanism_difference <- function(x, y, this, that) {
  if (!identical(class(x), class(y))) {
    return(sprintf("%s is of: %s. %s is of: %s.", this, format(x), that, format(y)))
  }
  if (!is.null(x$questions)) return(question_difference(x, y, this, that))
  for (side in c("levels", "reports")) {
    a <- x[[side]]
    b <- y[[side]]
    if (identical(a, b)) next
    if (length(a) != length(b)) {
      return(sprintf("%s has %s %s, %s has %s.", this, format_count(length(a)), side, tolower(that),
                     format_count(length(b))))
    }
    only <- c(setdiff(a, b), setdiff(b, a))
    if (length(only)) {
      return(sprintf("The %s differ: %s is in one and not in the other.", side, encodeString(only[1], quote = "\"")))
    }
    at <- which(a != b)[1]
    return(sprintf(paste("The %s stand in another order, with other probabilities or another meaning of 0 and 1:",
                         "number %s is %s in %s and %s in %s."),
                   side, format_count(at), encodeString(a[at], quote = "\""), tolower(this),
                   encodeString(b[at], quote = "\""), tolower(that)))
  }
  if (!identical(x$numeric_levels, y$numeric_levels) || !identical(x$numeric_truths, y$numeric_truths)) {
    kind <- function(m) if (is.null(m$numeric_levels)) "positions" else "labels"
    return(sprintf("The labels are the same, but numbers in the data are %s in %s and %s in %s.", kind(x),
                   tolower(this), kind(y),
                   tolower(that)))
  }
  field <- Find(function(name) !identical(x[[name]], y[[name]]), setdiff(union(names(x), names(y)), "design"))
  if (is.null(field)) return(sprintf("They differ in the design: %s and %s.", x$design, y$design))
  field_difference(field, x[[field]], y[[field]], tolower(this), tolower(that))
}

field_difference <- function(field, a, b, this, that) {
  if (identical(field, "from_epsilon")) {
    made <- function(epsilon) if (isTRUE(epsilon)) "epsilon" else "p"
    return(sprintf(paste("One mechanism was made from epsilon and one from p, which are rounded differently:",
                         "%s from %s, %s from %s."),
                   this, made(a), that, made(b)))
  }
  if (is.numeric(a) && is.numeric(b) && length(a) == length(b)) {
    at <- which(is.na(a) != is.na(b) | a != b)[1]
    if (!is.na(at)) {
      digits <- 15
      while (digits < 17 && format(a[at], digits = digits) == format(b[at], digits = digits)) digits <- digits + 1
      place <- if (length(a) > 1L) sprintf("[%s]", format_count(at)) else ""
      return(sprintf("`%s`%s is %s in %s and %s in %s.", field, place, format(a[at], digits = digits), this,
                     format(b[at], digits = digits), that))
    }
  }
  sprintf("`%s` is not the same in %s and %s.", field, this, that)
}

question_difference <- function(x, y, this, that) {
  names <- list(names(x$questions), names(y$questions))
  if (!identical(names[[1]], names[[2]])) {
    return(sprintf("The questions of %s are %s, those of %s %s.", tolower(this), format_labels(names[[1]]),
                   tolower(that),
                   format_labels(names[[2]])))
  }
  for (name in names[[1]]) {
    a <- x$questions[[name]]
    b <- y$questions[[name]]
    if (!same_mechanism(a, b)) return(sprintf("Question %s: %s", encodeString(name, quote = "\""),
                                              mechanism_difference(a, b, this, that)))
  }
  "They differ in their names."
}

# A chunk that is in two tallies would be counted twice, but for tallies of different groups: a report has one group.
merge_chunks <- function(tallies) {
  all <- unlist(lapply(tallies, `[[`, "chunks"))
  if (!anyDuplicated(all)) return(all)
  twice <- unique(all[duplicated(all)])
  twice <- twice[vapply(twice, function(label) {
    holders <- Filter(function(tally) label %in% tally$chunks, tallies)
    groups <- lapply(holders, function(tally) {
      if (is.null(tally$groups)) "" else do.call(paste, c(lapply(unname(tally$groups), as.character), sep = "\r"))
    })
    anyDuplicated(unlist(groups)) > 0
  }, NA)]
  if (!length(twice)) return(unique(all))
  more <- if (length(twice) > 1) sprintf(", and %s more", format_count(length(twice) - 1)) else ""
  abort(c("Tallies that hold the same chunk cannot be merged: its reports would count twice.",
          x = "{.val {twice[1]}} is in two of them{more}.",
          i = "{.fn rr_tally_chunks} with {.arg onto} leaves out the chunks that a tally holds already."), "mismatch")
}

# The groups of a tally at these places.
keep_groups <- function(tally, which) {
  for (field in c("n", "effective_n", "weight_squares", "respondents", "sets")) {
    if (!is.null(tally[[field]])) tally[[field]] <- tally[[field]][which]
  }
  tally$counts <- tally$counts[, which, drop = FALSE]
  tally$groups <- tally$groups[which, , drop = FALSE]
  tally
}

# How many people answered, NA where only weighted counts were given.
respondent_number <- function(tally) {
  if (is.null(tally$weight_squares)) return(sum(tally$n))
  if (is.null(tally$respondents)) NA_real_ else sum(tally$respondents)
}

# "1,180 reports"; for weighted reports also the sum of weights and the effective number.
report_words <- function(tally) {
  if (is.null(tally$weight_squares)) return(paste(format_count(sum(tally$n)), "reports"))
  one <- function(x) format_count(round(x, 1))
  weights <- sprintf("weights add up to %s, worth %s respondents", one(sum(tally$n)), one(sum(tally$effective_n)))
  respondents <- respondent_number(tally)
  if (is.na(respondents)) return(sprintf("weighted counts (%s)", weights))
  sprintf("%s reports (%s)", format_count(respondents), weights)
}
