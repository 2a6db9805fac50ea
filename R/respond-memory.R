# Reports made from permanent answers that respondents keep. The memory says for each respondent and each answer that he or
# she has given (with local hashing: each hash value) what its permanent answer is.
#
# A list: `n` respondents; `code`, which answer of whom, (respondent - 1) size + answer; `permanent`, one report of the
# first stage for each code; `functions`, for local hashing the slope and the shift of each respondent; `first`, the
# first stage.

# list(reports, memory) for positions of answers.
draw_memoised <- function(mechanism, answers, memory, rng) {
  first <- permanent_stage(mechanism)
  memory <- kept_answers(memory, mechanism, length(answers), rng)
  size <- as.double(length(first$levels))
  keys <- memory_keys(mechanism, answers, memory)
  code <- (seq_along(answers) - 1) * size + keys
  new <- which(!code %in% memory$code)
  if (length(new)) {
    drawn <- rr_draw_reports(first, as.integer(keys[new]), rng)
    memory$permanent <- if (is.null(memory$permanent)) drawn else c(memory$permanent, drawn)
    memory$code <- c(memory$code, code[new])
  }
  place <- match(code, memory$code)
  permanent <- memory$permanent[place]
  reports <- if (inherits(mechanism, "rr_unary")) draw_bits_again(mechanism$second, permanent, rng)
    else rr_draw_reports(mechanism$second, as.integer(permanent), rng)
  if (!is.null(memory$functions)) reports <- tibble::as_tibble(c(memory$functions, list(value = reports)))
  list(reports = reports, memory = memory)
}

# The bits of a report, each once more.
draw_bits_again <- function(second, bits, rng) {
  k <- length(second$levels)
  binary <- rr_binary(second$p, second$q)
  rows <- max(1, floor(2e7 / k))
  starts <- seq(1, max(length(bits), 1), by = rows)
  parts <- lapply(starts, function(start) {
    part <- as.matrix(bits[seq(start, length.out = max(0, min(rows, length(bits) - start + 1)))])
    part[] <- rr_draw_reports(binary, as.vector(part) + 1L, rng) - 1L
    storage.mode(part) <- "integer"
    .Call(C_rr_matrix_to_bits, unname(part))$bits
  })
  new_rr_bits(do.call(rbind, parts), k)
}

warn_forgotten <- function() {
  warn(c("Every answer got a new permanent answer.",
         i = paste("Reports about one answer protect it together only if its permanent answer is kept:",
                   "give the attribute",
                   "{.val memory} of these reports as {.arg memory} the next time ({.code memory = list()} starts).")),
       "memory")
}

kept_answers <- function(memory, mechanism, n, rng) {
  if (is.null(memory)) {
    warn_forgotten()
  } else if (!inherits(memory, "rr_memory") && !identical(memory, list())) {
    abort(c("{.arg memory} must be the attribute {.val memory} of former reports, or {.code list()} to start.",
            x = "It is {describe_kind(memory)}."), "argument")
  }
  if (inherits(memory, "rr_memory")) {
    if (!same_mechanism(memory$first, mechanism$first)) {
      abort(c("{.arg memory} must be of this mechanism.",
              x = "Its permanent answers were drawn by another first stage."), "mismatch")
    }
    if (memory$n != n) {
      abort(c("{.arg memory} must be of the same respondents, in the same order.",
              x = "It is of {format_count(memory$n)}; there are {format_count(n)} answers."), "mismatch")
    }
    return(memory)
  }
  memory <- list(n = n, code = numeric(), permanent = NULL, first = mechanism$first)
  if (inherits(mechanism, "rr_local_hash")) {
    # A report of nobody has the functions: they do not depend on answers.
    drawn <- rr_draw_reports(mechanism$first, rep(1L, n), rng)
    memory$functions <- list(slope = drawn$slope, shift = drawn$shift)
  }
  structure(memory, class = "rr_memory")
}

# Answers, or their hash values.
memory_keys <- function(mechanism, answers, memory) {
  if (is.null(memory$functions)) return(answers)
  hash_values(mechanism, answers, memory$functions)
}

# floor(((a z + b) mod P) g / P) + 1. A product of two numbers below 2^31 is taken in halves: no double loses a digit.
hash_values <- function(mechanism, answers, functions) {
  prime <- mechanism$prime
  z <- as.double(mechanism$codes[answers])
  a <- as.double(functions$slope)
  high <- floor(a / 65536)
  product <- ((high * z) %% prime * 65536 + (a - 65536 * high) * z) %% prime
  u <- (product + functions$shift) %% prime
  (u * mechanism$g) %/% prime + 1
}

#' @export
format.rr_memory <- function(x, ...) {
  sprintf("<rr_memory> %s permanent answers of %s respondents: keep it with them, do not send it",
          format_count(length(x$code)), format_count(x$n))
}

#' @export
print.rr_memory <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}
