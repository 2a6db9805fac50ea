# Randomising where each respondent answers one part, drawn uniformly: a question of several, or a level of a hierarchy.

# Every answer is looked at, whichever question will be drawn: an error must not say which.
#' @export
prepare_answers.rr_sampled <- function(mechanism, x) {
  x <- answer_frame(x)
  absent <- setdiff(names(mechanism$parts), names(x))
  if (length(absent)) {
    abort(c("{.arg x} must have a column for each question.", x = "There is none called {.val {absent[1]}}.",
            i = "Its columns are {.val {names(x)}}."), "argument")
  }
  columns <- Map(plain_answers, as.list(x)[names(mechanism$parts)], mechanism$parts)
  list(answers = Map(prepare_answers, mechanism$parts, columns), given = columns, n = nrow(x))
}

#' @export
rr_draw_reports.rr_sampled <- function(mechanism, answers, rng = c("secure", "R")) {
  rng <- check_choice(rng, "rng", c("secure", "R"))
  parts <- mechanism$parts
  drawn <- draw_uniform(answers$n, length(parts), rng) + 1
  at <- lapply(seq_along(parts), function(j) which(drawn == j))
  reports <- Map(function(part, answer, given, rows) {
    decode_answers(part, rr_draw_reports(part, answer[rows], rng), given[rows])
  }, parts, answers$answers, answers$given, at)
  columns <- join_reports(unname(reports), at, answers$n)
  tibble::as_tibble(c(stats::setNames(list(names(parts)[drawn]), mechanism$part_column), columns))
}

#' @export
decode_answers.rr_sampled <- function(mechanism, reports, x) reports

# The reports of all parts in the order of the respondents: columns of one kind where they are of one kind, else a list.
join_reports <- function(reports, at, n) {
  kind <- unique(lapply(reports, report_kind))
  if (length(kind) == 1L && !identical(kind[[1]], "other")) {
    order <- order(unlist(at))
    if (is.data.frame(reports[[1]])) return(as.list(do.call(rbind, reports)[order, , drop = FALSE]))
    together <- if (inherits(reports[[1]], "rr_bits")) do.call(c, reports)
                else unlist(lapply(reports, function(part) if (is.factor(part)) as.character(part) else unname(part)))
    return(list(report = together[order]))
  }
  all <- vector("list", n)
  for (j in seq_along(reports)) all[at[[j]]] <- single_reports(reports[[j]])
  list(report = all)
}

# What reports must have in common to stand in one column.
report_kind <- function(x) {
  if (is.data.frame(x)) return(names(x))
  if (inherits(x, "rr_bits")) return(c("bits", attr(x, "levels_number")))
  if (is.object(x) && !is.factor(x)) return("other")
  if (is.numeric(x) && !is.factor(x)) "number" else if (is.logical(x)) "logical" else "text"
}

single_reports <- function(x) {
  if (is.data.frame(x)) return(lapply(seq_len(nrow(x)), function(i) as.list(x[i, , drop = FALSE])))
  if (is.factor(x)) x <- as.character(x)
  unname(as.list(x))
}
