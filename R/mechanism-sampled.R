#' @export
print.rr_sampled <- function(x, ..., digits = 4) {
  mechanisms <- x$questions %||% x$parts
  depth <- if (identical(x$codec$part, "depth")) "depth "
  heading <- paste0("<", class(x)[1], "> ", format(x, digits = digits))
  writeLines(within_80(heading))
  if (!is.null(depth)) {
    cat("  levels  ", format_labels(x$levels), "\n", sep = "")
  }
  words <- vapply(mechanisms, format, "", digits = digits)
  writeLines(within_80(paste0("  ", depth, format(names(mechanisms)), "  ", words)))
  if (!is.null(x$questions)) {
    cat("  Epsilons add up (", odds_words(x$epsilon, "a row"), ")\n", sep = "")
  }
  invisible(x)
}

#' @export
print.rr_product <- print.rr_sampled

# ---- respondents ----

# The answers to every question, checked whichever question will be drawn, so that an error does not
# reveal which one was drawn.
prepare_answers.rr_sampled <- function(mechanism, x) {
  mechanisms <- mechanism$questions %||% mechanism$parts
  # A question that cannot be drawn must fail before another has been drawn.
  for (question in mechanisms) {
    if (is.null(question$codec) && has_categories(question)) category_sampler(question)
  }
  columns <- question_columns(answer_frame(x), mechanism)
  Map(prepare_answers, mechanisms, Map(plain_answers, columns, mechanisms))
}

prepare_answers.rr_product <- prepare_answers.rr_sampled

draw_reports.rr_product <- function(mechanism, answers, rng = "secure") {
  Map(function(question, answer) draw_reports(question, answer, rng), mechanism$questions, answers)
}

# A data frame of the questions alone: no columns that were not randomized, and no row names, which
# may reveal who answered.
decode_answers.rr_product <- function(mechanism, reports, x) {
  x <- answer_frame(x)
  columns <- lapply(setNames(nm = names(reports)), function(name) {
    column <- decode_answers(mechanism$questions[[name]], reports[[name]], x[[name]])
    # R prints a data frame inside one as the columns that it is.
    if (is.data.frame(column)) as.data.frame(column) else column
  })
  frame_of(columns, nrow(x))
}

# A list of what each respondent drew:
#   drawn         the submechanism of each respondent
#   respondents   the respondents of each submechanism
#   reports       their reports to it
draw_reports.rr_sampled <- function(mechanism, answers, rng = "secure") {
  submechanisms <- mechanism$parts
  drawn <- draw_uniform(length(answers[[1]]), length(submechanisms), rng) + 1
  respondents <- lapply(seq_along(submechanisms), function(j) which(drawn == j))
  draw <- function(submechanism, answer, rows) draw_reports(submechanism, answer[rows], rng)
  list(
    drawn = drawn,
    respondents = respondents,
    reports = Map(draw, submechanisms, answers, respondents)
  )
}

decode_answers.rr_sampled <- function(mechanism, reports, x) {
  columns <- question_columns(answer_frame(x), mechanism)
  respondent_table(mechanism, reports, Map(plain_answers, columns, mechanism$parts))
}

# A tibble with a row for each respondent. `answers` are their answers to each question, which
# determine the type of the reports.
respondent_table <- function(mechanism, reports, answers) {
  decoded <- Map(
    function(submechanism, report, column, rows) decode_answers(submechanism, report, column[rows]),
    mechanism$parts, reports$reports, answers, reports$respondents
  )
  columns <- joined_reports(unname(decoded), order(unlist(reports$respondents)))
  drawn <- setNames(list(names(mechanism$parts)[reports$drawn]), mechanism$codec$part)
  as_tibble(c(drawn, columns))
}

# The reports of all submechanisms in the order of the respondents: as they are if they are of one
# kind, else a column of text, which files and databases hold.
joined_reports <- function(reports, order) {
  # Reports can stand in one column if their kinds are equal.
  kinds <- unique(
    lapply(reports, function(x) {
      if (is.data.frame(x)) {
        return(c(names(x), unlist(lapply(x, attr, "width"))))
      }
      if (inherits(x, "rr_reports") && is.raw(x)) {
        return(c("bits", attr(x, "width")))
      }
      if (is.factor(x)) "character" else if (is.object(x)) "other" else mode(x)
    })
  )
  if (length(kinds) > 1L || identical(kinds[[1]], "other")) {
    reports <- lapply(reports, report_texts)
  }
  if (!is.data.frame(reports[[1]])) {
    reports <- lapply(reports, function(x) list(report = x))
  }
  lapply(setNames(nm = names(reports[[1]])), function(name) {
    columns <- lapply(reports, function(report) {
      column <- report[[name]]
      if (is.factor(column)) as.character(column) else column
    })
    is_packed <- inherits(columns[[1]], "rr_reports")
    column <- if (is_packed) do.call(c, columns) else unlist(lapply(columns, unname))
    column[order]
  })
}

# Each report as text that is read back as the same report: bits in hexadecimal, numbers with all
# their digits, several columns with spaces between them.
report_texts <- function(x) {
  if (is.data.frame(x)) {
    return(do.call(paste, unname(lapply(as.list(x), report_texts))))
  }
  if (is_numbers(x)) number_text(x) else as.character(x)
}

# ---- tallies ----

# The counts of one submechanism after another: how many answered it, then its reports. Tallies
# group, weigh and merge them like other counts.
count_reports.rr_sampled <- function(
  mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...
) {
  read <- read_sampled(x, mechanism, na.rm)
  columns <- max(1L, groups)
  tallies <- Map(
    function(submechanism, rows, name) {
      if (!length(rows)) {
        return(list(counts = matrix(0, length(submechanism$reports) + 1, columns)))
      }
      result <- with_question_errors(name, mechanism, {
        reports <- submechanism_reports(read$reports, rows)
        count_reports(submechanism, reports, groups[rows], weights[rows], na.rm)
      })
      missing <- rows[result$dropped %||% integer()]
      # The kernel drops missing categories and returns how many, but not where they are.
      if (is.null(result$dropped) && isTRUE(result$missing > 0)) {
        missing <- rows[which(is.na(read$reports$report[rows]))]
      }
      used <- setdiff(rows, missing)
      counts <- as.matrix(result$counts)
      counts <- cbind(counts, matrix(0, nrow(counts), columns - ncol(counts)))
      ones <- rep(1, length(used))
      n <- group_sums(weights[used] %||% ones, groups[used] %||% ones, columns)
      list(
        counts = rbind(n, counts, deparse.level = 0),
        dropped = missing
      )
    },
    mechanism$parts, read$rows, names(mechanism$parts)
  )
  counts <- do.call(rbind, lapply(tallies, `[[`, "counts"))
  dropped <- unlist(lapply(tallies, `[[`, "dropped"), use.names = FALSE)
  list(
    counts = if (columns > 1L) unname(counts) else as.vector(counts),
    dropped = sort(c(read$dropped, dropped))
  )
}

# The reports as list(reports, rows of each submechanism, dropped).
read_sampled <- function(x, mechanism, na.rm) {
  key <- mechanism$codec$part
  if (!is.data.frame(x) || !key %in% names(x)) {
    abort(
      c(
        "{.arg x} must be a data frame with a column {.val {key}} beside the reports.",
        x = "It is {describe(x)}.", i = forms_remedy
      ),
      "report"
    )
  }
  x <- frame_of(as.list(x), nrow(x))
  keys <- x[[key]]
  labels <- as.character(if (is.factor(keys)) keys else plain_numbers(keys))
  index <- match(labels, names(mechanism$parts))
  invalid <- which(is.na(index) & !is.na(keys))
  if (length(invalid)) {
    choices <- format_labels(names(mechanism$parts))
    abort_report_at(invalid[1], sprintf("has a %s that is none of %s", key, choices))
  }
  list(
    reports = x[setdiff(names(x), key)],
    rows = lapply(seq_along(mechanism$parts), function(j) which(index == j)),
    dropped = drop_missing_reports(which(is.na(keys)), na.rm)
  )
}

# The reports of some rows, as their submechanism takes them. Reports of several columns that stand
# in one are text of report_texts().
submechanism_reports <- function(reports, rows) {
  if (!"report" %in% names(reports)) return(reports[rows, , drop = FALSE])
  column <- reports$report[rows]
  if (is.factor(column)) as.character(column) else column
}

# The value of `code`; its errors name the question or depth, since positions are among the reports
# of this one.
with_question_errors <- function(name, mechanism, code) {
  tryCatch(code, candor_error = function(cnd) {
    reason <- plain_message(cnd)
    abort(
      c(
        "The reports of {mechanism$codec$part} {.val {name}} must be reports of its mechanism.",
        x = "{reason}", i = "Positions are among the reports of this {mechanism$codec$part}."
      ),
      sub("^candor_error_", "", grep("^candor_error_", class(cnd), value = TRUE))
    )
  })
}

# The tally of one submechanism.
submechanism_tally <- function(tally, name) {
  submechanisms <- tally$mechanism$parts
  rows <- submechanism_rows(submechanisms)[[match(name, names(submechanisms))]]
  counts <- as.matrix(tally$counts)[rows, , drop = FALSE]
  n <- counts[1, ]
  counts <- counts[-1, , drop = FALSE]
  # Weights do not depend on the question that was drawn: each submechanism has its share of the
  # sum of squares.
  weight_squares <- if (!is.null(tally$weight_squares)) {
    ifelse(tally$n > 0, tally$weight_squares * n / tally$n, 0)
  }
  new_rr_tally(
    submechanisms[[name]],
    if (is.matrix(tally$counts)) unname(counts) else as.vector(counts),
    groups = tally$groups,
    n = unname(n),
    weight_squares = unname(weight_squares)
  )
}
