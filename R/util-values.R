# Values as other packages and files hand them over, made plain.

# Counts and weights of class integer64 are 64-bit integers in the bits of doubles. They are read without bit64, whose
# methods may not be loaded: the halves as 32-bit integers, the lower one without a sign.
plain_numbers <- function(x) {
  if (!inherits(x, "integer64")) return(x)
  names <- names(x)
  shape <- dim(x)
  halves <- matrix(readBin(writeBin(as.vector(unclass(x)), raw()), "integer", 2L * length(x), 4L), 2L)
  if (.Platform$endian == "big") halves <- halves[2:1, , drop = FALSE]
  low <- as.double(halves[1, ])
  low[is.na(low)] <- -2^31
  low[low < 0] <- low[low < 0] + 2^32
  x <- halves[2, ] * 2^32 + low
  names(x) <- names
  dim(x) <- shape
  x
}

# Numbers in columns: files and databases may give them as text. Where one is no number, the column stays as it is.
column_numbers <- function(x) {
  if (is.factor(x)) x <- as.character(x)
  x <- plain_numbers(x)
  if (!is.character(x)) return(x)
  numbers <- suppressWarnings(as.numeric(x))
  if (any(is.na(numbers) & !is.na(x) & nzchar(trimws(x)) & x != "NA")) x else numbers
}

# Numbers as text, each in one way whatever its type and the options of the session: whole ones without an exponent,
# others with as many digits as give the same number again.
number_text <- function(x, digits = 17) {
  if (is.integer(x)) return(as.character(x))
  x <- as.double(plain_numbers(x))
  text <- rep(NA_character_, length(x))
  whole <- !is.na(x) & x == floor(x) & is.finite(x)
  text[whole] <- sprintf("%.0f", x[whole] + 0)
  other <- !is.na(x) & !whole
  text[other] <- sprintf("%.15g", x[other])
  if (digits > 15) {
    short <- which(other & as.numeric(text) != x)
    text[short] <- sprintf("%.17g", x[short])
  }
  text
}

# Labels: of numbers the 15 digits that R and files show, unless two of them would be the same.
label_text <- function(x) {
  if (!is.numeric(x)) return(as.character(x))
  text <- number_text(x, digits = 15)
  if (anyDuplicated(text[!duplicated(x)])) number_text(x) else text
}

# The number that text says, however it is written. NA for other text, and beyond what a double holds to the unit.
written_numbers <- function(text) {
  numbers <- rep(NA_real_, length(text))
  good <- grepl("^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$", text, perl = TRUE)
  numbers[good] <- as.numeric(text[good])
  numbers[which(abs(numbers) >= 2^53)] <- NA
  numbers
}

# "1 element", "50 elements".
number_of <- function(n, noun, plural = "s") paste0(format_count(n), " ", noun, if (n != 1) plural)

# "1 category", "50 categories".
category_words <- function(number) paste(format_count(number), if (number == 1) "category" else "categories")

# The label that somebody may have meant: the same but for case and surrounding space, or else the nearest by edits,
# where that is near. NA if none is.
nearest_label <- function(value, labels) {
  if (is.na(value) || length(labels) > 1e4) return(NA_character_)
  same <- match(relax(value), relax(labels))
  if (!is.na(same)) return(labels[same])
  distance <- as.vector(utils::adist(relax(value), relax(labels)))
  # Two letters the wrong way round are one slip.
  letters_of <- function(text) lapply(strsplit(text, ""), sort)
  two <- which(distance == 2)
  distance[two[letters_of(relax(labels[two])) %in% letters_of(relax(value))]] <- 1
  nearest <- which.min(distance)
  if (length(nearest) && distance[nearest] <= max(1, nchar(value) %/% 3) &&
      distance[nearest] < nchar(labels[nearest])) {
    labels[nearest]
  } else {
    NA_character_
  }
}

# The nearest to the first of some names that is none, for an error; NULL where none is near.
meant_of <- function(given, labels) {
  if (!is.character(given) && !is.factor(given)) return(NULL)
  near <- nearest_label(setdiff(as.character(given), labels)[1], labels)
  if (!is.na(near)) sprintf("Did you mean %s?", encodeString(near, quote = "\""))
}

# Without case and surrounding space. The letters are those of Latin, Greek and Cyrillic alphabets: tolower() would
# follow the language of the session, in which "I" may not be "i".
relax <- function(text) chartr(letter_cases[1], letter_cases[2], trimws(text, whitespace = "[\\h\\v]"))

letter_cases <- local({
  # Above 0x100 each capital is followed by its small letter, but for a few letters without one.
  pairs <- c(seq(0x100, 0x136, 2), seq(0x139, 0x147, 2), seq(0x14a, 0x176, 2), seq(0x179, 0x17d, 2))
  pairs <- setdiff(pairs, 0x130)
  blocks <- c(0x41:0x5a, 0xc0:0xd6, 0xd8:0xde, 0x391:0x3a1, 0x3a3:0x3a9, 0x410:0x42f)
  capitals <- c(blocks, 0x400:0x40f, pairs, 0x130, 0x178)
  c(intToUtf8(capitals), intToUtf8(c(blocks + 32, 0x450:0x45f, pairs + 1, 0x69, 0xff)))
})

# The text of a factor, whose codes may be no places among its levels where it was made by hand or damaged.
factor_text <- function(x, arg) {
  codes <- x
  attributes(codes) <- NULL
  if (is.integer(codes) && is.character(levels(x)) && all(is.na(codes) | (codes >= 1L & codes <= length(levels(x))))) {
    return(levels(x)[codes])
  }
  abort(c("{.arg {arg}} must be a proper factor.", x = "Some of its codes are no places among its levels.",
          i = "Give it as text."), "argument")
}

interval_kinds <- c("wilson", "exact", "wald", "bootstrap", "profile", "credible")

# How many standard deviations a two-sided interval reaches; from the upper tail, whose digits a level next to 1 has.
normal_quantile <- function(level) stats::qnorm((1 - level) / 2, lower.tail = FALSE)

capitalise <- function(text) paste0(toupper(substr(text, 1, 1)), substring(text, 2))
