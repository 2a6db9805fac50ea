# Reports of several questions as columns of 0 and 1, whatever protocol made them: one column for a yes/no question,
# else one for each category, 1 where the report supports it. rr_tmdh() knows them by their names.

# list(reports, questions, missing): both by question, and how many rows were dropped.
read_questions <- function(x, mechanism, na.rm) {
  questions <- if (inherits(mechanism, "rr_product")) mechanism$questions else mechanism
  named <- is.list(questions) && !inherits(questions, "rr_mechanism") && length(questions) && !is.null(names(questions))
  if (!named || !all(nzchar(names(questions))) || anyDuplicated(names(questions))) {
    abort(c("{.arg mechanism} must be a {.fn rr_product}, or a list of mechanisms named by the questions.",
            x = "It is {describe(mechanism)}."), "argument")
  }
  if (inherits(x, "tbl_lazy")) {
    abort("{.arg mechanism} is for reports in memory: an engine counts columns of 0 and 1.", "argument")
  }
  reports <- question_reports(x, questions)
  gone <- Reduce(`|`, lapply(reports, absent_reports))
  if (any(gone) && !na.rm) {
    abort(c("{.arg bits} must not have missing entries.", x = "Row {which(gone)[1]} has one.",
            i = "Use {.code na.rm = TRUE} to drop such rows."), "missing")
  }
  if (any(gone)) reports <- lapply(reports, function(one) take_reports(one, !gone))
  list(reports = reports, questions = questions, missing = as.double(sum(gone)))
}

# The column, or columns, of each question: those of a hash value may stand beside the others, as q.slope or q_slope.
question_reports <- function(x, questions) {
  if (is.matrix(x)) x <- as.data.frame(x)
  lapply(stats::setNames(nm = names(questions)), function(name) {
    if (name %in% names(x)) return(x[[name]])
    for (start in paste0(name, c(".", "_"))) {
      own <- names(x)[startsWith(names(x), start)]
      if (length(own)) {
        return(structure(as.list(x)[own], names = substring(own, nchar(start) + 1L),
                         row.names = .set_row_names(nrow(x)), class = "data.frame"))
      }
    }
    abort(c("{.arg bits} must be a data frame with a column for each question.",
            x = "There is none called {.val {name}}."), "argument")
  })
}

absent_reports <- function(x) {
  if (is.data.frame(x)) return(Reduce(`|`, lapply(x, is.na)))
  if (is.list(x)) vapply(x, function(one) is.null(one) || anyNA(one), NA) else is.na(x)
}

take_reports <- function(x, keep) if (is.data.frame(x)) x[keep, , drop = FALSE] else x[keep]

support_bits <- function(x, mechanism, name) {
  part <- support_columns(mechanism)
  law <- rr_law(mechanism)
  bits <- if (inherits(law, "rr_law_support")) as.matrix(new_rr_reports(report_sets(mechanism, x), length(mechanism$levels)))
    # 1 for the report that support_columns() takes for yes.
    else if (part$width == 1L) matrix(as.integer(report_codes(plain_reports(x, mechanism), mechanism, name) ==
                                                   bit_places(mechanism$reports)[["yes"]]))
    # In one block a report supports the categories whose sign in its column is 1.
    else if (inherits(law, "rr_law_hadamard")) (hadamard_signs(rr_reports(x, mechanism),
                                                               seq_along(mechanism$levels)) + 1L) %/% 2L
    else 1L * outer(report_codes(plain_reports(x, mechanism), mechanism, name), seq_along(mechanism$levels), `==`)
  names <- if (part$width == 1L) name else paste(name, mechanism$levels, sep = ":")
  stats::setNames(lapply(seq_len(ncol(bits)), function(j) bits[, j]), names)
}

# ---- the margins of questions ----

# The questions of several categories, by name: list(at = their columns, levels).
named_questions <- function(x) {
  parts <- x$design$questions
  parts[!names(parts) %in% x$columns]
}

# A question, or a column, as a linear map from 1 and its columns' shares to the shares of its categories. Those of
# several categories are known to add up to 1: what is missing is given to all alike, which keeps them unbiased.
margin_part <- function(fit, name) {
  question <- named_questions(fit)[[name]]
  if (is.null(question)) {
    at <- match(name, fit$columns)
    own <- Filter(function(part) identical(part$at, at), fit$design$questions)
    levels <- if (length(own)) own[[1]]$levels else column_levels(fit)[[at]]
    return(list(at = at, levels = levels, map = matrix(c(1, 0, -1, 1), 2)))
  }
  k <- length(question$at)
  list(at = question$at, levels = question$levels, map = cbind(1 / k, diag(k) - 1 / k))
}

# The reports' own moments of two questions; NULL where pairs of columns were not tallied.
margin_supports <- function(fit, parts) {
  counts <- fit$counts
  block <- function(a, b) {
    if (!is.null(counts$scores)) {
      place <- function(at) score_places(counts$scores, matrix(at - 1L, 1))
      return(counts$scores$second[place(a), place(b), drop = FALSE] / fit$n)
    }
    members <- sorted_members(rbind(rep(a, length(b)), rep(b, each = length(a))) - 1L)
    matrix(set_values(counts, members) / fit$n, length(a))
  }
  d <- fit$design$p - fit$design$q
  list(parts = lapply(parts, function(part) {
    k <- length(part$at)
    differences <- if (k == 1L) matrix(1) else diag(k)[, -1, drop = FALSE] - diag(k)[, 1]
    list(first = counts$values[1 + part$at] / fit$n, second = block(part$at, part$at),
         contrasts = d[part$at] * differences)
  }), between = block(parts[[1]]$at, parts[[2]]$at))
}
