# Several questions at once: a report is a row of answers, counted as a cell of their product.

#' @export
rr_count_reports.rr_product <- function(mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...) {
  check_joint(mechanism)
  joint <- encode_questions(question_frame(x, mechanism), mechanism, na.rm)
  count_codes(joint, 0L, joint, mechanism, groups, weights, na.rm)
}

# A matrix without names has the questions in their order.
question_frame <- function(x, mechanism) {
  if (is.matrix(x)) {
    if (is.null(colnames(x)) && ncol(x) == length(mechanism$questions)) colnames(x) <- names(mechanism$questions)
    x <- as.data.frame(x)
  }
  if (is.data.frame(x)) return(x)
  abort(c("{.arg x} must be a data frame with a column for each question.", x = "It is {describe(x)}."), "argument")
}

# 0-based cells of the reports' product, NA where an answer is missing.
encode_questions <- function(x, mechanism, na.rm) {
  columns <- Map(plain_reports, question_columns(x, mechanism), mechanism$questions)
  Map(tell_reading, columns, mechanism$questions)
  codes <- Map(function(column, question) encode_reports(column, question), columns, mechanism$questions)
  joint <- .Call(C_rr_cells, unname(lapply(codes, `[[`, "codes")), vapply(codes, `[[`, 1L, "first", USE.NAMES = FALSE),
                 unname(mechanism$report_sizes))
  position <- joint$position
  question <- joint$question
  if (question == 0 && !na.rm && anyNA(joint$cells)) {
    position <- which(is.na(joint$cells))[1]
    question <- which(vapply(columns, function(column) is.na(column[position]), NA))[1]
  }
  if (question > 0) {
    abort_question(columns[[question]], position, names(columns)[question], mechanism$questions[[question]])
  }
  joint$cells
}

abort_question <- function(column, position, name, mechanism) {
  at <- format_count(position)
  if (is.na(value_at(column, position))) {
    abort(c("{.arg x} must not have missing reports.", x = "Question {.val {name}} is NA in row {at}.",
            i = "Use {.code na.rm = TRUE} to drop such rows."), "missing")
  }
  unknown <- unknown_reports(column, mechanism)
  lines <- unknown_lines(unknown, sprintf("Row %s", at), sprintf("rows, the first is number %s", at))
  abort(c("{.arg x} must hold reports of this mechanism: question {.val {name}} does not.",
          stats::setNames(sprintf("{lines[%d]}", seq_along(lines)), names(lines)),
          i = "Its levels are {format_labels(mechanism$reports)}.",
          i = if (unknown$relaxed) "{.code match = \"relaxed\"} ignores case and surrounding space."), "level")
}

# Counts over the reports' cells as a table with one dimension a question.
question_table <- function(values, questions, side) {
  table <- array(values, unname(vapply(questions, function(m) length(m[[side]]), 1L)),
                 dimnames = lapply(questions, `[[`, side))
  structure(table, class = "table")
}

#' @rdname rr_product
#' @param x A tally or a fit of a product mechanism.
#' @export
as.table.rr_tally <- function(x, ...) {
  check_one_table(x)
  question_table(x$counts, x$mechanism$questions %||% list(report = x$mechanism), "reports")
}

check_one_table <- function(tally) {
  if (is.matrix(tally$counts)) {
    abort(c("{.arg x} must not be grouped to become one table.", x = "It has {ncol(tally$counts)} groups.",
            i = "Use {.fn as.data.frame}."), "argument")
  }
}
