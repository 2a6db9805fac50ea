#' @rdname rr_product
#' @export
rr_sample_questions <- function(...) {
  parts <- named_mechanisms(...)
  for (name in names(parts)) refuse_kept(parts[[name]], name)
  mechanism <- new_rr_sampled(
    "sampled",
    names(parts),
    parts,
    "question",
    sprintf("One question of %d", length(parts))
  )
  made(mechanism, "rr_sample_questions", fields = c(questions = "parts"))
}

# A mechanism of parts of which each respondent reports one, drawn uniformly: a question, the depth
# of a hierarchy, the length of a prefix. `part_column` of its reports says which.
new_rr_sampled <- function(kind, levels, parts, part_column, design, ...) {
  # What is counted: for each part how many drew it, then its own counts.
  reports <- unlist(
    Map(
      function(name, part) c(name, paste0(name, ": ", part$reports)),
      names(parts), parts
    ),
    use.names = FALSE
  )
  if (anyDuplicated(reports)) abort("Questions and their reports must have different names.")
  new_rr_mechanism(
    unique(c(kind, "sampled")),
    levels,
    reports = reports,
    design = design,
    parts = parts,
    epsilon = max(vapply(parts, function(m) m$epsilon, 0)),
    part_column = part_column,
    codec = report_codec(part = part_column),
    law = new_rr_law(
      "sampled",
      "a report answers one of several questions",
      truths = length(parts)
    ),
    ...
  )
}

# If respondents draw which part they report, nothing keeps their permanent answers: each report
# would have a new one.
refuse_kept <- function(part, name) {
  check_that(
    !is_memoised(part), part, name,
    "without a permanent answer, which would be drawn anew each time"
  )
}

size_words.rr_sampled <- function(mechanism) NULL

#' @export
print.rr_sampled <- function(x, ..., digits = 4) {
  parts <- x$questions %||% x$parts
  depth <- if (identical(x$part_column, "depth")) "depth "
  cat(
    "<", class(x)[1], "> ", format(x, digits = digits), "\n",
    sep = ""
  )
  if (!is.null(depth)) {
    cat("  levels  ", format_labels(x$levels), "\n", sep = "")
  }
  cat(
    paste0(
      "  ", depth, format(names(parts)), "  ",
      vapply(parts, format, "", digits = digits), "\n"
    ),
    sep = ""
  )
  if (!is.null(x$questions)) {
    cat("  Epsilons add up (", odds_words(x$epsilon, "a row"), ")\n", sep = "")
  }
  invisible(x)
}

#' @export
print.rr_product <- print.rr_sampled

# ---- respondents ----

# Every answer is checked, whichever question will be drawn, so that an error does not reveal which
# one was drawn.
prepare_answers.rr_sampled <- function(mechanism, x) {
  parts <- mechanism$questions %||% mechanism$parts
  Map(
    prepare_answers, parts, Map(plain_answers, question_columns(answer_frame(x), mechanism), parts)
  )
}

prepare_answers.rr_product <- prepare_answers.rr_sampled

draw_reports.rr_product <- function(mechanism, answers, rng = "secure") {
  Map(function(question, own) draw_reports(question, own, rng), mechanism$questions, answers)
}

# Only the questions are returned: no columns that were not randomized, and no row names, which may
# say who answered.
decode_answers.rr_product <- function(mechanism, reports, x) {
  x <- answer_frame(x)
  columns <- lapply(setNames(nm = names(reports)), function(name) {
    column <- decode_answers(mechanism$questions[[name]], reports[[name]], x[[name]])
    # A data frame inside one, which R prints as the columns that it is.
    if (is.data.frame(column)) as.data.frame(column) else column
  })
  frame_of(columns, nrow(x))
}

# list(drawn, at, reports): which part each respondent drew, who drew each part, and their reports
# to it.
draw_reports.rr_sampled <- function(mechanism, answers, rng = "secure") {
  parts <- mechanism$parts
  drawn <- draw_uniform(length(answers[[1]]), length(parts), rng) + 1
  at <- lapply(seq_along(parts), function(j) which(drawn == j))
  list(
    drawn = drawn,
    at = at,
    reports = Map(
      function(part, answer, rows) draw_reports(part, answer[rows], rng), parts, answers,
      at
    )
  )
}

decode_answers.rr_sampled <- function(mechanism, reports, x) {
  collect_parts(
    mechanism, reports,
    Map(plain_answers, question_columns(answer_frame(x), mechanism), mechanism$parts)
  )
}

# A tibble with a row for each respondent; `given` are their answers to each part, which say of what
# type reports are.
collect_parts <- function(mechanism, reports, given) {
  parts <- Map(
    function(part, own, column, rows) decode_answers(part, own, column[rows]),
    mechanism$parts, reports$reports, given, reports$at
  )
  columns <- join_reports(unname(parts), order(unlist(reports$at)))
  as_tibble(c(
    setNames(list(names(mechanism$parts)[reports$drawn]), mechanism$part_column), columns
  ))
}

# The reports of all parts in the order of the respondents: as they are if they are of one kind,
# else a column of text, which files and databases hold.
join_reports <- function(reports, order) {
  # What reports must have in common to stand in one column.
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
    columns <- lapply(reports, function(own) {
      if (is.factor(own[[name]])) {
        as.character(own[[name]])
      } else {
        own[[name]]
      }
    })
    (if (inherits(columns[[1]], "rr_reports")) do.call(c, columns) else unlist(lapply(columns, unname)))[
      order
    ]
  })
}

# Each report as text that is read back as the same report: hexadecimal for bits, numbers with all
# their digits, with spaces between them what takes several columns.
report_texts <- function(x) {
  if (is.data.frame(x)) {
    return(do.call(paste, unname(lapply(as.list(x), report_texts))))
  }
  if (is_numbers(x)) number_text(x) else as.character(x)
}

# ---- tallies ----

# What is counted is, part after part, how many answered it and its own counts, so that tallies
# group, weigh and merge as others do.
count_reports.rr_sampled <- function(
  mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...
) {
  read <- read_parts(x, mechanism, na.rm)
  columns <- max(1L, groups)
  counted <- Map(
    function(part, rows, name) {
      if (!length(rows)) {
        return(list(counts = matrix(0, length(part$reports) + 1, columns)))
      }
      result <- in_part(
        name, mechanism,
        {
          count_reports(
            part, part_reports(read$reports, rows, part), groups[rows], weights[rows], na.rm
          )
        }
      )
      gone <- rows[result$dropped %||% integer()]
      # Categories are dropped by their kernel, which says how many but not where.
      if (is.null(result$dropped) && isTRUE(result$missing > 0)) {
        gone <- rows[which(is.na(read$reports$report[rows]))]
      }
      stay <- setdiff(rows, gone)
      counts <- as.matrix(result$counts)
      counts <- cbind(counts, matrix(0, nrow(counts), columns - ncol(counts)))
      one <- rep(1, length(stay))
      list(
        counts = rbind(
          group_sums(weights[stay] %||% one, groups[stay] %||% one, columns), counts
        ),
        gone = gone
      )
    },
    mechanism$parts, read$rows, names(mechanism$parts)
  )
  counts <- do.call(rbind, lapply(counted, `[[`, "counts"))
  list(
    counts = if (columns > 1L) unname(counts) else as.vector(counts),
    dropped = sort(c(
      read$dropped, unlist(lapply(counted, `[[`, "gone"), use.names = FALSE)
    ))
  )
}

# list(reports, rows of each part, dropped).
read_parts <- function(x, mechanism, na.rm) {
  key <- mechanism$part_column
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
  given <- x[[key]]
  place <- match(
    as.character(if (is.factor(given)) given else plain_numbers(given)), names(mechanism$parts)
  )
  bad <- which(is.na(place) & !is.na(given))
  if (length(bad)) {
    abort_report_at(
      bad[1], sprintf("has a %s that is none of %s", key, format_labels(names(mechanism$parts)))
    )
  }
  list(
    reports = x[setdiff(names(x), key)],
    rows = lapply(seq_along(mechanism$parts), function(j) which(place == j)),
    dropped = drop_missing_reports(which(is.na(given)), na.rm)
  )
}

# The reports of some rows, as their own mechanism takes them. Text of reports that take several
# columns is as report_texts() writes it.
part_reports <- function(reports, rows, part) {
  if (!"report" %in% names(reports)) return(reports[rows, , drop = FALSE])
  column <- reports$report[rows]
  if (is.factor(column)) as.character(column) else column
}

# What is wrong with the reports of one part, told as such: their positions are among its own.
in_part <- function(name, mechanism, code) {
  tryCatch(code, candor_error = function(cnd) {
    reason <- plain_message(cnd)
    abort(
      c(
        "The reports of {mechanism$part_column} {.val {name}} must be reports of its mechanism.",
        x = "{reason}", i = "Positions are among the reports of this {mechanism$part_column}."
      ),
      sub("^candor_error_", "", grep("^candor_error_", class(cnd), value = TRUE))
    )
  })
}

# The tally of one part.
part_tally <- function(tally, name) {
  parts <- tally$mechanism$parts
  counts <- as.matrix(tally$counts)[
    part_rows(parts)[[match(name, names(parts))]], , drop = FALSE
  ]
  n <- counts[1, ]
  counts <- counts[-1, , drop = FALSE]
  # Weights do not depend on the question that was drawn: each part is worth its share of the
  # effective number.
  squares <- if (!is.null(tally$weight_squares)) {
    ifelse(tally$n > 0, tally$weight_squares * n / tally$n, 0)
  }
  new_rr_tally(
    parts[[name]],
    if (is.matrix(tally$counts)) unname(counts) else as.vector(counts),
    groups = tally$groups,
    n = unname(n),
    weight_squares = unname(squares)
  )
}
