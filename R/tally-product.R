# Several questions at once: a report is a row of answers, counted as a cell of their product.

count_reports.rr_product <- function(
  mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...
) {
  check_joint(mechanism)
  joint <- encode_questions(question_frame(x, mechanism), mechanism, na.rm)
  count_codes(joint, 0L, joint, mechanism, groups, weights, na.rm)
}

# The answers as a data frame. The columns of a matrix without names are the questions, in their
# order.
question_frame <- function(x, mechanism) {
  if (is.matrix(x)) {
    if (is.null(colnames(x)) && ncol(x) == length(mechanism$questions)) {
      colnames(x) <- names(mechanism$questions)
    }
    x <- as.data.frame(x)
  }
  check_class(x, "x", "data.frame", "a data frame with a column for each question")
}

# The names of the columns that hold the reports of each question: its name, or, if its reports have
# several columns, those that begin with its name, such as q.slope or q_slope.
question_fields <- function(columns, questions, arg = "x", needed = TRUE) {
  Map(
    function(name, question) {
      if (name %in% columns) return(name)
      fields <- lapply(paste0(name, c(".", "_")), function(start) {
        columns[startsWith(columns, start)]
      })
      fields <- if (!is.null(stored_codec(question))) Find(length, fields)
      if (is.null(fields) && needed) {
        abort("{.arg {arg}} must have a column {.val {name}} for that question.")
      }
      fields
    },
    names(questions), questions
  )
}

# The reports of each question: a column, or a table of several.
question_reports <- function(x, questions, arg = "x") {
  fields <- question_fields(names(x), questions, arg)
  Map(
    function(fields, name) {
      if (identical(fields, name)) return(x[[name]])
      structure(
        as.list(x)[fields],
        names = substring(fields, nchar(name) + 2L),
        row.names = .set_row_names(nrow(x)),
        class = "data.frame"
      )
    },
    fields, names(fields)
  )
}

# The 0-based cells of the reports' product, NA if an answer is missing.
encode_questions <- function(x, mechanism, na.rm) {
  columns <- Map(plain_reports, question_reports(x, mechanism$questions), mechanism$questions)
  Map(tell_reversed, columns, lapply(mechanism$questions, `[[`, "reports"))
  codes <- Map(encode_question, columns, mechanism$questions)
  joint <- .Call(
    C_rr_cells, lapply(codes, `[[`, "codes"), vapply(codes, `[[`, 1L, "first"),
    mechanism$report_sizes
  )
  position <- joint$position
  question <- joint$question
  if (question == 0 && !na.rm && anyNA(joint$cells)) {
    position <- which(is.na(joint$cells))[1]
    is_missing <- vapply(codes, function(code) is.na(code$codes[position]), NA)
    question <- which(is_missing)[1]
  }
  if (question > 0) {
    reports <- if (is.data.frame(columns[[question]])) {
      codes[[question]]$codes
    } else {
      columns[[question]]
    }
    abort_report(reports, position, mechanism$questions[[question]], names(columns)[question])
  }
  joint$cells
}

# Codes of reports that are labels, or combinations of numbers.
encode_question <- function(x, mechanism) {
  if (is.null(report_fields(mechanism$codec))) return(encode_reports(x, mechanism))
  read <- read_reports(x, mechanism, na.rm = TRUE)
  codes <- rep(NA_integer_, report_number(x))
  used <- setdiff(seq_along(codes), read$dropped)
  codes[used] <- number_cells(read$reports, mechanism$codec)
  list(codes = codes, first = 0L)
}

# Counts over the reports' cells as a table with one dimension a question.
question_table <- function(values, questions, side) {
  table <- array(
    values,
    unname(vapply(questions, function(m) length(m[[side]]), 1L)),
    dimnames = lapply(questions, `[[`, side)
  )
  structure(table, class = "table")
}

#' @rdname rr_product
#' @param x A tally or a fit of [rr_product()].
#' @export
as.table.rr_tally <- function(x, ...) {
  check_one_table(x)
  question_table(x$counts, x$mechanism$questions %||% list(report = x$mechanism), "reports")
}

check_one_table <- function(tally) {
  if (is.matrix(tally$counts)) abort("{.arg x} must not be grouped to become one table.")
}

# ---- reports as scores ----

# A report has an unbiased score u[v] of each category v, for joint counts (R/joint-scores.R) and
# survey designs (R/fit-survey.R):
#   E(u[v] | truth x) = 1{v = x}

# A function from reports to scores, a row each; a column for each category.
score_reader <- function(mechanism, name) UseMethod("score_reader")

#' @export
score_reader.rr_mechanism <- function(mechanism, name) {
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  if (law_gives(law, "support")) {
    return(function(x) {
      supports <- as.matrix(new_rr_reports(report_sets(mechanism, x), k))
      t((t(supports) - law$q) / law$difference)
    })
  }
  if (!law_gives(law, "channel")) {
    abort("Reports on {.val {name}} have no unbiased score for each category.",
          c("law", "argument"))
  }
  scores <- channel_scores(mechanism, name)
  function(x) scores[report_codes(x, mechanism, name), , drop = FALSE]
}

# The scores of each report: those of the unbiased estimate, which is their mean.
channel_scores <- function(mechanism, name) {
  channel <- unname(identified_channel(mechanism, name))
  left_inverse(list(matrix = t(channel)))$matrix
}
