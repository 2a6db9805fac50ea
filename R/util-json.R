# This file writes and reads JSON text of lists, numbers and text. Numbers are read back to the last
# bit. Strings are quoted and texts are read by jsonlite; its own numbers have 15 digits.

# The JSON text of `x`. Vectors of one entry are that entry; I() makes them arrays. Lists with names
# are objects.
json_text <- function(x) {
  if (is.null(x)) return("null")
  if (is.list(x)) {
    texts <- vapply(x, json_text, "", USE.NAMES = FALSE)
    if (is.null(names(x))) {
      return(paste0("[", paste(texts, collapse = ", "), "]"))
    }
    members <- paste0(vapply(names(x), json_text, ""), ": ", texts, collapse = ", ")
    return(paste0("{", members, "}"))
  }
  is_scalar <- length(x) == 1L && !inherits(x, "AsIs")
  x <- as.vector(unclass(x))
  if (is.character(x)) return(as.character(jsonlite::toJSON(x, auto_unbox = is_scalar)))
  texts <- if (is.logical(x)) ifelse(x, "true", "false") else json_numbers(x)
  if (is_scalar) texts else paste0("[", paste(texts, collapse = ", "), "]")
}

# The text of each number, the shorter of 15 and 17 digits that is the number: 0.1, not
# 0.10000000000000001. Whole numbers above 2^53 have an exponent, since digits without one would all
# count.
json_numbers <- function(x) {
  if (!length(x)) return(character())
  text <- sprintf("%.15g", x)
  numbers <- as.double(parse_json_text(paste0("[", paste(text, collapse = ","), "]")))
  inexact <- which(numbers != x)
  is_large <- abs(x[inexact]) > 2^53
  formats <- c("%.17g", "%.16e")[1 + is_large]
  text[inexact] <- sprintf(formats, x[inexact])
  text
}

# The object that JSON text describes. Whole numbers that a double does not hold come as text.
# (jsonlite::fromJSON() would open what looks like an address, and its vectors have 1 for true.)
parse_json_text <- function(text) plain_arrays(jsonlite::parse_json(text, bigint_as_char = TRUE))

# Arrays of one kind of values become vectors; all others stay lists.
plain_arrays <- function(x) {
  if (is.integer(x)) return(as.double(x))
  if (!is.list(x)) return(x)
  kinds <- if (is.null(names(x))) {
    sub("integer", "double", unique(vapply(x, typeof, "")))
  }
  if (length(unique(kinds)) != 1L ||
      !kinds[1] %in% c("double", "character", "logical")) {
    return(lapply(x, plain_arrays))
  }
  plain_arrays(unlist(x))
}

# Does text have one half of a character without the other? JSON may write a character beyond 16
# bits as two halves.
has_half_character <- function(text) {
  if (!grepl("\\\\u[dD][89a-fA-F]", text)) return(FALSE)
  bare <- gsub("\\\\\\\\", "", text)
  remaining <- gsub("\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F]", "", bare)
  grepl("\\\\u[dD][89a-fA-F]", remaining)
}
