# Between the cells of several questions and their answers.

# The answers of the cells, question by question: further columns of tidy tables.
cell_answers <- function(mechanism, side, times = 1, cells = NULL) {
  if (is.null(mechanism$questions)) return(NULL)
  labels <- lapply(mechanism$questions, `[[`, side)
  sizes <- lengths(labels)
  strides <- cumprod(c(1, sizes))[seq_along(sizes)]
  cells <- (cells %||% seq_len(prod(sizes))) - 1
  Map(function(answers, stride) rep(answers[1 + cells %/% stride %% length(answers)], times), labels, strides)
}

# An array with one dimension per question becomes a vector of cells, with names only if the array has them. `side`:
# what the cells are made of, "reports" or "levels".
flatten_questions <- function(counts, mechanism, arg = "counts", side = "reports") {
  questions <- length(mechanism$questions)
  if (questions == 0L) return(counts)
  check_joint(mechanism)
  if (length(dim(counts)) != questions) return(counts)
  if (side == "reports" && has_cells_by_groups(counts, mechanism)) return(counts)
  counts <- order_dimensions(counts, mechanism, arg)
  sizes <- if (side == "reports") mechanism$report_sizes else mechanism$sizes
  if (!identical(as.integer(dim(counts)), unname(sizes))) {
    abort(c("{.arg {arg}} must have one dimension per question, each with one entry per {sub('s$', '', side)}.",
            x = "Its dimensions are {dim(counts)}; the questions have {sizes} {side}.",
            i = if (questions == 2L && side == "reports") {
              "For groups: one row per cell, {length(mechanism$reports)}, and one column per group."
            }),
          "argument")
  }
  names <- dimnames(counts)
  for (d in seq_along(names)) {
    labels <- mechanism$questions[[d]][[side]]
    if (!is.null(names[[d]]) && !identical(names[[d]], labels) && !are_bits(names[[d]], mechanism$questions[[d]])) {
      abort(c("The labels of {.arg {arg}} must be those of its question, in their order.",
              x = "Dimension {d} is labelled {format_labels(names[[d]])}.",
              i = "Question {.val {names(mechanism$questions)[d]}} has {format_labels(labels)}."), "level")
    }
  }
  as.vector(unclass(counts))
}

# A matrix for two questions may be their table, or have one row per cell and one column per group. Its number of rows
# tells which: there are more cells than either question has reports, and fewer rows must name their cells.
has_cells_by_groups <- function(counts, mechanism) {
  if (length(dim(counts)) != 2L || setequal(names(dimnames(counts)), names(mechanism$questions))) return(FALSE)
  rows <- rownames(counts)
  if (is.null(rows)) return(nrow(counts) == prod(mechanism$report_sizes))
  any(rows %in% mechanism$reports) && !identical(rows, mechanism$questions[[1]]$reports)
}

# The labels that table() gives to bits, for a question that takes bits.
are_bits <- function(labels, question) {
  takes_bits(question) && question$bits[["yes"]] == 2L &&
    (identical(labels, c("0", "1")) || identical(labels, c("FALSE", "TRUE")))
}

# A table whose dimensions are named is put into the order of the questions.
# Made of vectors, a table has labels and no names: questions with the same answers may be swapped in it.
tell_dimensions <- function(counts, mechanism, arg) {
  alike <- anyDuplicated(lapply(unname(mechanism$questions), `[[`, "reports"))
  if (is.null(dimnames(counts)) || !alike) return(invisible())
  questions <- names(mechanism$questions)
  example <- paste(questions, "=", collapse = " , ")
  cli::cli_inform(c("The dimensions of {.arg {arg}} have no names: they are taken to be {questions}, in this order.",
                    i = "Names make sure: {.code table({example} )}."), class = "candor_message_dimensions")
}

order_dimensions <- function(counts, mechanism, arg) {
  dims <- names(dimnames(counts))
  questions <- names(mechanism$questions)
  if (is.null(dims) || !all(nzchar(dims))) {
    tell_dimensions(counts, mechanism, arg)
    return(counts)
  }
  if (identical(dims, questions)) return(counts)
  if (!setequal(dims, questions)) {
    abort(c("The dimensions of {.arg {arg}} must be the questions.",
            x = "They are named {format_labels(dims)}; the questions are {format_labels(questions)}."), "mismatch")
  }
  aperm(counts, match(questions, dims))
}
