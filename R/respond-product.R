# Randomising several questions: a column of answers each.

#' @export
prepare_answers.rr_product <- function(mechanism, x) {
  columns <- question_columns(answer_frame(x), mechanism)
  Map(prepare_answers, mechanism$questions, columns)
}

#' @export
rr_draw_reports.rr_product <- function(mechanism, answers, rng = c("secure", "R")) {
  # A question that cannot be drawn is found before the first draw.
  for (question in mechanism$questions) {
    if (law_gives(rr_law(question), "channel", length(question$levels))) perturbation(question)
  }
  Map(rr_draw_reports, mechanism$questions, answers, rng)
}

# Only the questions are returned: no columns that were not randomised, and no row names, which may say who answered.
decode_answers.rr_product <- function(mechanism, reports, x) {
  x <- answer_frame(x)
  columns <- lapply(stats::setNames(nm = names(reports)), function(name) {
    column <- decode_answers(mechanism$questions[[name]], reports[[name]], x[[name]])
    # A data frame inside one, which R prints as the columns that it is.
    if (is.data.frame(column)) as.data.frame(column) else column
  })
  structure(columns, row.names = .set_row_names(nrow(x)), class = "data.frame")
}

answer_frame <- function(x) {
  if (is.matrix(x)) x <- as.data.frame(x)
  if (is.data.frame(x)) return(x)
  abort(c("{.arg x} must be a data frame with a column for each question.", x = "It is {describe_kind(x)}."),
        "argument")
}
