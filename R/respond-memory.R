# Reports made from permanent answers that respondents keep. The memory holds, for each respondent
# and each answer that they have given (with local hashing: each hash value), the permanent answer.
#
# The memory is a list:
#   n           the number of respondents
#   code        the respondent and the answer, (respondent - 1) size + answer
#   permanent   one report of the first stage for each code
#   functions   the slope and shift of each respondent (local hashing), or the cohort (Bloom)
#   first       the first stage, on which the permanent answers depend

# list(reports, memory) for positions of answers.
draw_memoised <- function(mechanism, answers, memory, rng) {
  memory <- kept_answers(memory, mechanism, length(answers), rng)
  size <- memory_size(mechanism)
  code <- (seq_along(answers) - 1) * size + memory_keys(mechanism, answers, memory)
  new <- which(!code %in% memory$code)
  warn_order(mechanism, answers, memory, size, length(new))
  # A memory without respondents holds reports of the right type, and none of them.
  if (length(new) || is.null(memory$permanent)) {
    drawn <- draw_permanent(mechanism, answers, memory, new, rng)
    memory$permanent <- if (is.null(memory$permanent)) drawn else c(memory$permanent, drawn)
    memory$code <- c(memory$code, code[new])
  }
  list(
    reports = draw_second_stage(
      mechanism, memory$permanent[match(code, memory$code)], memory, rng
    ),
    memory = memory
  )
}

# The number of different answers among the codes of one respondent. Hash values may be more than
# categories.
memory_size <- function(stage) as.double(max(length(stage$levels), stage$g))

# These generics are for a mechanism with a permanent first stage:
#   memory_stage()       the stage on which the permanent answers depend
#   draw_functions()   the functions that each respondent draws once, whatever the answer
#   draw_permanent()   the permanent answers of the respondents `who`
#   draw_second_stage()       reports from these
#   memory_keys()      numbers from 1, equal for answers that share a permanent answer
memory_stage <- function(mechanism) UseMethod("memory_stage")
draw_functions <- function(mechanism, n, rng) UseMethod("draw_functions")
draw_permanent <- function(mechanism, answers, memory, who, rng) UseMethod("draw_permanent")
draw_second_stage <- function(mechanism, permanent, memory, rng) UseMethod("draw_second_stage")
memory_keys <- function(mechanism, answers, memory) UseMethod("memory_keys")

draw_functions.rr_mechanism <- function(mechanism, n, rng) NULL

memory_keys.rr_mechanism <- function(mechanism, answers, memory) answers

# A warning that permanent answers are lost. `questions` are those of a product whose first stage is
# permanent. They are to be randomized one by one, and the columns tallied together.
warn_forgotten <- function(questions = NULL) {
  remedy <- if (length(questions)) {
    "Randomize each such question on its own with {.arg memory}."
  } else {
    "Start with {.code memory = list()}, and give the {.field memory} of the result the next time."
  }
  warn(
    c(
      "Every answer{if (length(questions)) ' to '}{.val {questions}} got a new permanent answer.",
      i = paste(
        "Reports about one answer protect it together only if its permanent answer is kept.", remedy
      )
    ),
    "memory"
  )
}

# A warning if the memory seems to be of other respondents. Answers are matched to the memory by
# position. If respondents are in another order, as many have a permanent answer as if these answers
# are in an order that has nothing to do with the memory's. If these are many, nothing is seen.
warn_order <- function(mechanism, answers, memory, size, new) {
  n <- length(answers)
  if (!length(memory$code) || n < 20) return(invisible())
  # The fractions of multiples of the golden ratio are an order without a random number.
  permuted <- order((seq_len(n) * 0.6180339887498949) %% 1)
  chance <- mean(
    ((seq_len(n) - 1) * size +
      memory_keys(mechanism, answers[permuted], memory)) %in% memory$code
  )
  p_present <- 1 - new / n
  limit <- chance + 4 * sqrt(2 * chance * (1 - chance) / n)
  if (chance > 0.6 || p_present > limit) return(invisible())
  warn(
    c(
      "{.arg memory} may be of other respondents, or of the same in another order.",
      x = "{format_count(new)} of {format_count(n)} answers got a new permanent answer."
    ),
    "memory"
  )
}

kept_answers <- function(memory, mechanism, n, rng) {
  if (inherits(memory, "rr_memory")) {
    if (same_mechanism(memory$first, memory_stage(mechanism)) && memory$n == n) return(memory)
    abort(
      c(
        "{.arg memory} must be of this mechanism, and of the same respondents in the same order.",
        x = if (!same_mechanism(memory$first, memory_stage(mechanism))) {
          "It is of another mechanism."
        } else {
          "It is of {format_count(memory$n)} respondents; there are {format_count(n)} answers."
        }
      ),
      "mismatch"
    )
  }
  if (is.null(memory)) {
    warn_forgotten()
  } else if (!identical(memory, list())) {
    abort(
      paste(
        "{.arg memory} must be the {.field memory} of the last {.fn rr_perturb},",
        "or {.code list()} to start."
      )
    )
  }
  structure(
    list(
      n = n,
      code = numeric(),
      permanent = NULL,
      functions = draw_functions(mechanism, n, rng),
      first = memory_stage(mechanism)
    ),
    class = "rr_memory"
  )
}

#' @export
format.rr_memory <- function(x, ...) {
  sprintf("<rr_memory> %s permanent answers of %s respondents\n  keep it with them, do not send it",
          format_count(length(x$code)), format_count(x$n))
}

#' @export
print.rr_memory <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

# ---- respondents who leave and join ----

#' @export
length.rr_memory <- function(x) as.integer(unclass(x)$n)

#' @export
`[.rr_memory` <- function(x, i, ...) {
  if (missing(i)) return(x)
  is_valid <- is.logical(i) && length(i) == x$n ||
    is.numeric(i) && all(abs(i) %in% seq_len(x$n))
  index <- if (is_valid && !anyNA(i)) {
    tryCatch(seq_len(x$n)[i], error = function(e) NULL)
  }
  check_that(
    !is.null(index) && !anyDuplicated(index), i, "i",
    "the respondents who stay, by position or {.code TRUE}"
  )
  size <- memory_size(x$first)
  position <- match((x$code - 1) %/% size + 1, index)
  stays <- which(!is.na(position))
  x$code <- (position[stays] - 1) * size +
    (x$code[stays] - 1) %% size + 1
  x$permanent <- x$permanent[stays]
  if (!is.null(x$functions)) x$functions <- lapply(x$functions, `[`, index)
  x$n <- length(index)
  x
}

#' @export
c.rr_memory <- function(...) {
  memories <- list(...)
  memory <- memories[[1]]
  same <- function(second) {
    inherits(second, "rr_memory") && same_mechanism(memory$first, second$first)
  }
  if (!all(vapply(memories, same, NA))) {
    abort("{.fn c} must get memories of one mechanism only.", "mismatch")
  }
  before <- c(
    0, cumsum(vapply(memories, function(m) as.double(m$n), 0))
  )
  memory$code <- unlist(
    Map(
      function(m, n) m$code + n * memory_size(m$first), memories,
      before[seq_along(memories)]
    )
  )
  memory$permanent <- do.call(c, lapply(memories, function(m) m$permanent))
  if (!is.null(memory$functions)) {
    memory$functions <- do.call(
      Map, c(list(f = c), lapply(memories, function(m) m$functions))
    )
  }
  memory$n <- before[length(before)]
  memory
}
