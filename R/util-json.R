# JSON text of lists, numbers and text, with numbers that are read back to the last bit. Strings are quoted and texts
# are read by jsonlite; its own numbers have 15 digits.

# Vectors of one entry are that entry; I() makes them arrays. Lists with names are objects.
json_text <- function(x) {
  if (is.null(x)) return("null")
  if (is.list(x)) {
    parts <- vapply(x, json_text, "", USE.NAMES = FALSE)
    if (is.null(names(x))) return(paste0("[", paste(parts, collapse = ", "), "]"))
    return(paste0("{", paste0(vapply(names(x), json_text, ""), ": ", parts, collapse = ", "), "}"))
  }
  one <- length(x) == 1L && !inherits(x, "AsIs")
  x <- as.vector(unclass(x))
  if (is.character(x)) return(as.character(jsonlite::toJSON(x, auto_unbox = one)))
  parts <- if (is.logical(x)) ifelse(x, "true", "false") else json_numbers(x)
  if (one) parts else paste0("[", paste(parts, collapse = ", "), "]")
}

# The shorter of 15 and 17 digits that is the number: 0.1, not 0.10000000000000001. Whole numbers above 2^53 have an
# exponent: without it they say that every digit counts.
json_numbers <- function(x) {
  if (!length(x)) return(character())
  text <- sprintf("%.15g", x)
  other <- which(as.double(parse_json_text(paste0("[", paste(text, collapse = ","), "]"))) != x)
  text[other] <- sprintf(c("%.17g", "%.16e")[1 + (abs(x[other]) > 2^53)], x[other])
  text
}

# Whole numbers that a double does not hold come as text. (jsonlite::fromJSON() would open what looks like an address,
# and its vectors have 1 for true.)
parse_json_text <- function(text) plain_arrays(jsonlite::parse_json(text, bigint_as_char = TRUE))

# Arrays of one kind of values become vectors; all others stay lists.
plain_arrays <- function(x) {
  if (!is.list(x)) return(x)
  kinds <- if (is.null(names(x))) sub("integer", "double", unique(vapply(x, typeof, "")))
  if (length(unique(kinds)) == 1L && kinds[1] %in% c("double", "character", "logical")) return(unlist(x))
  lapply(x, plain_arrays)
}

# Written beside, read back, and moved into place: whatever happens, a complete file is there.
write_whole <- function(text, file) {
  bytes <- charToRaw(enc2utf8(text))
  beside <- tempfile(paste0(".", basename(file), "-"), dirname(file))
  good <- tryCatch({
    writeBin(bytes, beside)
    identical(readBin(beside, "raw", length(bytes) + 1), bytes) && file.rename(beside, file)
  }, error = function(e) FALSE, warning = function(w) FALSE)
  if (good) return(invisible())
  unlink(beside)
  abort(c("The file {.file {file}} cannot be written.",
          x = "The disk may be full, or the folder missing or protected.",
          i = if (file.exists(file)) "What the file held before is kept."), "file")
}

# The MD5 sum of bytes: that of a file which holds them.
md5 <- function(bytes) {
  file <- tempfile("candor-")
  on.exit(unlink(file))
  writeBin(bytes, file)
  unname(tools::md5sum(file))
}

check_path <- function(x, arg = "file") {
  if (is.character(x) && length(x) == 1L && !is.na(x) && nzchar(x)) return(path.expand(x))
  abort(c("{.arg {arg}} must be the name of one file.", x = "It is {describe(x)}."), "argument")
}
