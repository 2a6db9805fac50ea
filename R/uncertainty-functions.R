# Reading what functions of the shares are asked for: names, weights, quotients.

# The functions that `L` says: `weights`, a row each; `divisor`, the row that each is divided by (0 for none); `shown`,
# whether it is in the table, of which `terms` are the names.
contrast_functions <- function(L, names) {
  if (is.matrix(L) && is.numeric(L)) {
    if (!nrow(L)) abort(c("{.arg L} must hold at least one function.", x = "It has no rows."), "argument")
    rows <- lapply(seq_len(nrow(L)), function(i) {
      contrast_row(stats::setNames(L[i, ], colnames(L)), names, sprintf("Row %d of {.arg L}", i))
    })
    return(plain_functions(do.call(rbind, rows), rownames(L), names))
  }
  if (!is.list(L)) return(plain_functions(rbind(contrast_row(L, names, "{.arg L}")), NULL, names))
  if (!length(L)) {
    abort(c("{.arg L} must hold at least one function.", x = "It is an empty list."), "argument")
  }
  labels <- names(L) %||% rep("", length(L))
  at <- ifelse(nzchar(labels), encodeString(labels, quote = "\""), seq_along(L))
  # Doubled braces, so that no label is taken for a part of the message.
  at <- gsub("}", "}}", gsub("{", "{{", at, fixed = TRUE), fixed = TRUE)
  above <- function(x) if (is.list(x) && !is.object(x)) check_quotient(x)[[1]] else x
  what <- sprintf("{.code L[[%s]]}", at)
  weights <- do.call(rbind, Map(contrast_row, lapply(unname(L), above), list(names), what))
  ratio <- which(vapply(L, function(x) is.list(x) && !is.object(x), NA))
  under <- Map(contrast_row, lapply(unname(L[ratio]), `[[`, 2), list(names), what[ratio])
  read <- plain_functions(rbind(weights, do.call(rbind, under)), NULL, names)
  read$divisor[ratio] <- length(L) + seq_along(ratio)
  read$shown[-seq_along(L)] <- FALSE
  read$terms <- ifelse(nzchar(labels), labels, function_names(read, names))
  read
}

plain_functions <- function(weights, terms, names) {
  size <- nrow(weights)
  read <- list(weights = unname(weights), divisor = integer(size), shown = rep(TRUE, size))
  read$terms <- terms %||% function_names(read, names)
  read
}

# What functions without a name are called: what they are, as "men:never - women:never". One of many estimates is
# called by its first three.
function_names <- function(read, names) {
  shown <- which(read$shown)
  words <- vapply(shown, function(row) weighted_words(read$weights[row, ], names), "")
  for (row in which(read$divisor[shown] > 0)) {
    below <- weighted_words(read$weights[read$divisor[shown[row]], ], names)
    parts <- c(words[row], below)
    long <- grepl(" ", parts, fixed = TRUE)
    parts[long] <- sprintf("(%s)", parts[long])
    words[row] <- paste(parts, collapse = " / ")
  }
  make.unique(words, " #")
}

weighted_words <- function(weights, names) {
  at <- which(weights != 0)
  at <- at[order(weights[at] < 0)]
  first <- utils::head(at, if (length(at) > 4L) 3L else 4L)
  size <- abs(weights[first])
  times <- ifelse(size == 1, "", paste0(vapply(size, format, "", digits = 4), " "))
  sign <- ifelse(weights[first] < 0, " - ", " + ")
  sign[1] <- if (weights[first[1]] < 0) "-" else ""
  more <- if (length(at) > length(first)) sprintf(" ... (%s estimates)", format_count(length(at)))
  paste0(paste0(sign, times, names[first], collapse = ""), more)
}

check_quotient <- function(x) {
  if (length(x) == 2L) return(x)
  abort(c("A ratio in {.arg L} must be a list of two functions, first over second.",
          x = "There {?is/are} {length(x)} in it."), "argument")
}

# Estimates of groups are called group:category. Many write it the other way round.
near_estimate <- function(name, names) {
  halves <- regmatches(name, gregexpr(":", name, fixed = TRUE))[[1]]
  parts <- if (length(halves) == 1L) strsplit(name, ":", fixed = TRUE)[[1]]
  turned <- paste(rev(parts), collapse = ":")
  if (length(parts) == 2L && turned %in% names) turned else nearest_label(name, names)
}

# One function's weights; `what` names it in errors.
contrast_row <- function(x, names, what) {
  if (is.character(x) && length(x)) x <- stats::setNames(rep(1, length(x)), x)
  if (!length(x) || !is.numeric(x) || is.object(x) || !all(is.finite(x))) {
    abort(c(paste(what, "must be categories to add up, or finite weights."),
            x = if (length(x)) "It is {describe(x)}." else "It is empty: no category is selected."), "argument")
  }
  place <- if (is.null(names(x))) seq_along(x) else match(names(x), names)
  if (is.null(names(x)) && length(x) != length(names)) {
    abort(c(paste(what, "must have one weight per estimate, or names."),
            x = "It has length {length(x)}, and there are {length(names)} estimates.",
            i = if (all(x %in% names)) "Categories to add up are given as text: {.fn as.character}."), "argument")
  }
  if (anyNA(place)) {
    odd <- names(x)[is.na(place)][1]
    near <- near_estimate(odd, names)
    abort(c(paste("The names in", what, "must be estimates of the fit."), x = "{.val {odd}} is not one.",
            i = if (!is.na(near)) "Did you mean {.val {near}}?",
            i = "They are {format_labels(names, if (length(names) <= 8) 400 else 60)}."), "level")
  }
  if (anyDuplicated(place)) {
    abort(c(paste("The names in", what, "must all differ."),
            x = "{.val {names(x)[anyDuplicated(place)]}} appears more than once."), "level")
  }
  if (all(x == 0)) {
    abort(c(paste(what, "must weigh at least one estimate."), x = "All its weights are 0."), "argument")
  }
  row <- numeric(length(names))
  row[place] <- x
  row
}
