# The classes of the protocols' reports: packed bits, and sets of numbers.

# `missing`: NULL, or which reports are missing, as a join of tables leaves them: bits alone cannot say so.
new_rr_bits <- function(bits, k, missing = NULL) {
  structure(bits, levels_number = k, missing = if (any(missing)) missing, class = c("rr_bits", "rr_reports"))
}

# Before anything is drawn: reports of a bit a category may need more memory than there is. Counting copies them.
check_report_memory <- function(n, k) {
  bytes <- n * ceiling(k / 8)
  if (2 * bytes <= machine_memory()) return(invisible())
  abort(c("These reports are too large for this machine's memory.",
          x = paste("{format_count(n)} reports of {format_count(k)} bits would take {format_bytes(bytes)}, and",
                    "counting them as much again."),
          i = paste("Draw and tally them in parts: tallies merge with {.fn c}. Reports of {.fn rr_hadamard} take 4",
                    "bytes each, those of {.fn rr_local_hash} 12.")), "too_large")
}

unclass_bits <- function(x) {
  check_reports(x, "raw")
  attributes(x) <- list(dim = attr(x, "dim"))
  x
}

# Matrices of one type that know their number of categories.
check_reports <- function(x, type) {
  k <- attr(x, "levels_number")
  # Parts that were taken out of reports are plain matrices.
  number <- !is.object(x) || (is.numeric(k) && length(k) == 1L && isTRUE(k >= 1))
  if (number && typeof(x) == type && length(attr(x, "dim")) == 2L) return(invisible())
  abort(c("The reports have lost their number of categories.",
          i = "{.code as.character(reports)}, made before, can be stored anywhere."), "argument")
}

#' @export
#' @rdname rr_reports
length.rr_bits <- function(x) nrow(unclass_bits(x))

#' @export
`[.rr_bits` <- function(x, i, j, ..., drop = FALSE) {
  bits <- unclass_bits(x)
  if (!missing(j)) return(bits[i, j, drop = drop])
  if (is.character(i <- if (missing(i)) TRUE else i)) abort("Reports have no names: choose them by position.",
                                                            "argument")
  if (anyNA(i) || (is.numeric(i) && any(abs(i) > nrow(bits)))) {
    abort(c("Reports are chosen by positions from 1 to {format_count(nrow(bits))}."), "argument")
  }
  new_rr_bits(bits[i, , drop = FALSE], attr(x, "levels_number"), attr(x, "missing")[i])
}

#' @export
`[[.rr_bits` <- function(x, i, ...) x[i]

#' @export
c.rr_bits <- function(...) {
  parts <- list(...)
  k <- attr(parts[[1]], "levels_number")
  for (part in parts) {
    if (!inherits(part, "rr_bits") || !isTRUE(attr(part, "levels_number") == k)) {
      abort(c("Only reports of the same categories can be put together.", x = "One is {describe_kind(part)}."),
            "mismatch")
    }
  }
  new_rr_bits(do.call(rbind, lapply(parts, unclass_bits)), k, unlist(lapply(parts, is.na)))
}

#' @export
is.na.rr_bits <- function(x) attr(x, "missing") %||% logical(length(x))

#' @export
rev.rr_bits <- function(x) x[rev(seq_along(x))]

#' @export
as.character.rr_bits <- function(x, ...) {
  text <- .Call(C_rr_to_hex, unclass_bits(x))
  text[attr(x, "missing")] <- NA
  text
}

#' @export
format.rr_bits <- function(x, ...) as.character(x)

#' @export
as.matrix.rr_bits <- function(x, ...) {
  bits <- .Call(C_rr_bits_to_matrix, unclass_bits(x), as.double(attr(x, "levels_number")))
  bits[attr(x, "missing"), ] <- NA
  bits
}

#' @export
as.list.rr_bits <- function(x, ...) {
  bits <- unclass_bits(x)
  gone <- is.na(x)
  lapply(seq_len(nrow(bits)), function(i) if (!gone[i]) bits[i, ])
}

#' @export
unique.rr_bits <- function(x, ...) x[!duplicated(as.character(x))]

#' @export
print.rr_bits <- function(x, ..., n = 10) {
  cat("<rr_bits> ", format_count(length(x)), " reports of ", format_count(attr(x, "levels_number")), " bits\n",
      sep = "")
  print_some(x, n)
}

print_some <- function(x, n) {
  shown <- format(x[seq_len(min(length(x), n))])
  if (length(shown)) print(short_reports(shown), quote = FALSE)
  if (length(x) > n) cat("  ... and ", format_count(length(x) - n), " more\n", sep = "")
  invisible(x)
}

short_reports <- function(text) ifelse(nchar(text) > 60, paste0(substr(text, 1, 57), "..."), text)

# ---- sets of numbers ----

new_rr_sets <- function(lists, k) structure(lists, levels_number = k, class = c("rr_sets", "rr_reports"))

unclass_sets <- function(x) {
  check_reports(x, "integer")
  attributes(x) <- list(dim = attr(x, "dim"))
  x
}

#' @export
#' @rdname rr_reports
length.rr_sets <- function(x) ncol(unclass_sets(x))

#' @export
`[.rr_sets` <- function(x, i, ...) {
  new_rr_sets(unclass_sets(x)[, if (missing(i)) TRUE else i, drop = FALSE], attr(x, "levels_number"))
}

#' @export
c.rr_sets <- function(...) {
  parts <- list(...)
  k <- attr(parts[[1]], "levels_number")
  size <- nrow(unclass_sets(parts[[1]]))
  for (part in parts) {
    if (!inherits(part, "rr_sets") || !isTRUE(attr(part, "levels_number") == k) || nrow(unclass_sets(part)) != size) {
      abort(c("Only reports of the same categories and size can be put together.", x = "One is {describe_kind(part)}."),
            "mismatch")
    }
  }
  new_rr_sets(do.call(cbind, lapply(parts, unclass_sets)), k)
}

#' @export
rev.rr_sets <- function(x) x[rev(seq_along(x))]

#' @export
as.matrix.rr_sets <- function(x, ...) t(unclass_sets(x))

#' @export
as.list.rr_sets <- function(x, ...) {
  lists <- unclass_sets(x)
  lapply(seq_len(ncol(lists)), function(i) lists[, i])
}

#' @export
is.na.rr_sets <- function(x) colSums(is.na(unclass_sets(x))) > 0

#' @export
as.character.rr_sets <- function(x, ...) {
  text <- vapply(as.list(x), paste, "", collapse = " ")
  text[is.na(x)] <- NA
  text
}

#' @export
format.rr_sets <- function(x, ...) as.character(x)

#' @export
print.rr_sets <- function(x, ..., n = 10) {
  cat("<rr_sets> ", format_count(length(x)), " reports of ", format_count(nrow(unclass_sets(x))), " of ",
      format_count(attr(x, "levels_number")), " categories\n", sep = "")
  print_some(x, n)
}
