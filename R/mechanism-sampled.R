#' One question of many
#'
#' Each respondent answers one of the questions, drawn uniformly, with the whole `epsilon` of its mechanism. For many questions this is better than
#' asking all of them with a part of `epsilon` each: with \eqn{d} questions the variance grows like \eqn{d}, not like \eqn{d^2}.
#'
#' The drawn question does not depend on the answers, so a report reveals no more than its own mechanism allows: the privacy level is the largest one
#' among the questions. Each question is estimated from the respondents who drew it; with `target = "sample"` the estimate is about these respondents. Nothing is learned
#' about the association of different questions; for that, [rr_product()] asks every respondent all questions.
#'
#' @param ... Mechanisms, named by question; or one named list of them. Their reports may be of different kinds: bits, hashes, numbers of [rr_mean()].
#' @return A mechanism of class `c("rr_sampled", "rr_mechanism")`, with `parts`, the mechanisms. [rr_perturb()] takes a data frame with a column for each question and
#'   returns a tibble with `question` and `report`; where all reports are rows of the same columns (as of [rr_local_hash()]) these stand in place of `report`, and
#'   where they differ in kind `report` is text: bits in hexadecimal, numbers with all their digits, and with spaces between them what takes several columns. So CSV files and
#'   databases can hold it (read it as text: `colClasses = c(report = "character")`); a list of reports is read as well. [rr_tally()] takes this tibble. [rr_estimate()] returns a list with one fit for each question, named by the questions;
#'   its arguments apply to all questions. [rr_epsilon()] gives the level of each question and `total`, the largest.
#' @section Errors:
#' `candor_error_argument` for anything but named mechanisms of one question, and for those with a permanent answer ([rr_longitudinal()], [rr_memoised()],
#' `rr_bloom(permanent = )`): it would be drawn anew for each report, so that several reports would reveal more than it does; `candor_error_report` for reports without a question or with one that does not exist, and
#' `candor_error_empty` for a question that nobody drew.
#' @source Arcolezi, H. H., Couchot, J.-F., Al Bouna, B. and Xiao, X. (2021). Random sampling plus fake data: multidimensional frequency estimates with local
#'   differential privacy. *CIKM*. \doi{10.1145/3459637.3482467} (the solution SMP. Their own proposal, fake data for the other questions,
#'   protects a whole row less than it says and is not offered.)
#' @examples
#' survey <- rr_sample_questions(
#'   drugs = rr_warner(epsilon = 2),
#'   often = rr_unary(c("never", "once", "often"), epsilon = 2),
#'   hours = rr_mean(c(0, 24), epsilon = 2)
#' )
#' survey
#' set.seed(1)
#' often <- sample(c("never", "once", "often"), 3000, replace = TRUE, prob = c(6, 3, 1))
#' answers <- data.frame(drugs = rbinom(3000, 1, 0.2), often = often, hours = runif(3000, 0, 8))
#' reports <- rr_perturb(answers, survey, rng = "R")
#' reports
#' fits <- rr_estimate(reports, survey, method = "inv")
#' fits$often
#' fits$hours
#' @export
rr_sample_questions <- function(...) {
  parts <- list(...)
  one <- if (length(parts) == 1L) parts[[1]]
  if (is.list(one) && !inherits(one, "rr_mechanism")) parts <- one
  check_parts(parts)
  epsilons <- vapply(parts, function(m) m$epsilon, 0)
  new_rr_mechanism("sampled", names(parts), reports = part_labels(parts), epsilon = max(epsilons),
                   design = sprintf("One question of %d", length(parts)), parts = parts, part_column = "question")
}

check_parts <- function(parts) {
  names <- names(parts)
  if (!length(parts) || is.null(names) || !all(nzchar(names)) || anyDuplicated(names)) {
    abort(c("Questions must be mechanisms with different names.",
            i = "For example {.code rr_sample_questions(drugs = rr_warner(0.8), theft = rr_crosswise(0.25))}."),
          "argument")
  }
  check_result_names(names, "Questions must not have", "question")
  for (name in names) {
    part <- check_mechanism(parts[[name]], name)
    refuse_kept(part, "{.arg {name}}", paste("Ask the question of everybody, on its own and with a memory of its own.",
                                             "For one report a respondent a mechanism of one stage is as good."), name)
    if (!inherits(part, c("rr_product", "rr_sampled"))) next
    abort(c("{.arg {name}} must be a single question.", x = "It is: {format(part)}."), "argument")
  }
}

# What is counted: for each part how many drew it, then its own counts.
part_labels <- function(parts) {
  labels <- unlist(Map(function(name, part) c(name, paste0(name, ": ", part$reports)), names(parts), parts),
                   use.names = FALSE)
  if (anyDuplicated(labels)) {
    abort(c("Questions and their reports must be told apart by name.",
            x = "{.val {labels[anyDuplicated(labels)]}} appears more than once.",
            i = "Rename the question."), "argument")
  }
  labels
}

#' @export
rr_law.rr_sampled <- function(mechanism) new_rr_law("sampled", truths = length(mechanism$parts))

# Its questions have laws; it has none that estimators of one distribution could use.

law_words.rr_law_sampled <- function(law) "a report answers one of several questions"

#' @export
rr_epsilon.rr_sampled <- function(mechanism, ..., achieved = FALSE, shuffled = NULL, delta = NULL, reports = NULL) {
  check_dots_empty(...)
  asked <- check_level_kind(achieved, shuffled, delta, reports)
  if (asked == "shuffled") return(shuffled_epsilon(mechanism, shuffled, delta))
  each <- vapply(mechanism$parts,
                 if (asked == "achieved") function(m) achieved(m)$epsilon else function(m) m$epsilon, 0)
  # Chance may draw the same question each time.
  if (asked == "reports") each <- each * check_count(reports, "reports", min = 1)
  c(each, total = max(each))
}

#' @export
format.rr_sampled <- function(x, digits = 4, ...) {
  sprintf("%s, epsilon = %s", x$design, format(x$epsilon, digits = check_digits(digits)))
}

#' @export
print.rr_sampled <- function(x, ..., digits = 4) {
  cat("<rr_sampled> ", format(x, digits = digits), "\n", sep = "")
  cat(paste0("  ", format(names(x$parts)), "  ", vapply(x$parts, format, "", digits = digits), "\n"), sep = "")
  invisible(x)
}

# ---- respondents: each answers one part, drawn uniformly, a question or a depth of a hierarchy ----

# Every answer is checked, whichever question will be drawn, so that an error does not reveal which one was drawn.
#' @export
prepare_answers.rr_sampled <- function(mechanism, x) {
  x <- answer_frame(x)
  absent <- setdiff(names(mechanism$parts), names(x))
  if (length(absent)) {
    abort(c("{.arg x} must have a column for each question.", x = "There is none called {.val {absent[1]}}.",
            i = "Its columns are {.val {names(x)}}."), "argument")
  }
  columns <- as.list(x)[names(mechanism$parts)]
  Map(prepare_answers, mechanism$parts, Map(plain_answers, columns, mechanism$parts))
}

#' @export
rr_draw_reports.rr_sampled <- function(mechanism, answers, rng = c("secure", "R")) {
  rng <- check_choice(rng, "rng", c("secure", "R"))
  if (!is.list(answers) || length(answers) != length(mechanism$parts) || length(unique(lengths(answers))) != 1L) {
    abort(c("{.arg answers} must be a list of the answers to each question.", x = "It is {describe_kind(answers)}."),
          "argument")
  }
  draw_parts(mechanism, answers, rng)
}

# list(drawn, at, reports): which part each respondent drew, who drew each part, and their reports to it.
draw_parts <- function(mechanism, answers, rng) {
  parts <- mechanism$parts
  drawn <- draw_uniform(length(answers[[1]]), length(parts), rng) + 1
  at <- lapply(seq_along(parts), function(j) which(drawn == j))
  list(drawn = drawn, at = at,
       reports = Map(function(part, answer, rows) rr_draw_reports(part, answer[rows], rng), parts, answers, at))
}

decode_answers.rr_sampled <- function(mechanism, reports, x) {
  x <- as.list(answer_frame(x))[names(mechanism$parts)]
  collect_parts(mechanism, reports, Map(plain_answers, x, mechanism$parts))
}

# A tibble with a row for each respondent; `given` are their answers to each part, which say of what type reports are.
collect_parts <- function(mechanism, reports, given) {
  parts <- Map(function(part, own, column, rows) decode_answers(part, own, column[rows]),
               mechanism$parts, reports$reports, given, reports$at)
  columns <- join_reports(unname(parts), reports$at, length(reports$drawn))
  key <- stats::setNames(list(names(mechanism$parts)[reports$drawn]), mechanism$part_column)
  tibble::as_tibble(c(key, columns))
}

# The reports of all parts in the order of the respondents: columns of one kind where they are of one kind, else a list.
join_reports <- function(reports, at, n) {
  kind <- unique(lapply(reports, report_kind))
  if (length(kind) == 1L && !identical(kind[[1]], "other")) {
    order <- order(unlist(at))
    if (is.data.frame(reports[[1]])) {
      columns <- stats::setNames(nm = names(reports[[1]]))
      return(lapply(columns, function(name) join_field(reports, name)[order]))
    }
    together <- if (inherits(reports[[1]], "rr_bits")) do.call(c, reports)
                else unlist(lapply(reports, function(part) if (is.factor(part)) as.character(part) else unname(part)))
    return(list(report = together[order]))
  }
  # A column of text is one that files and databases hold.
  texts <- lapply(reports, report_texts)
  as_text <- !any(vapply(texts, is.null, NA))
  all <- vector(if (as_text) "character" else "list", n)
  for (j in seq_along(reports)) all[at[[j]]] <- if (as_text) texts[[j]] else single_reports(reports[[j]])
  list(report = all)
}

# Each report as text that is read back as the same report: hexadecimal for bits, numbers with all their digits, with
# spaces between them what takes several columns. NULL for reports of other kinds, which other packages may define.
report_texts <- function(x) {
  if (is.data.frame(x)) {
    columns <- lapply(as.list(x), report_texts)
    return(if (!any(vapply(columns, is.null, NA))) do.call(paste, unname(columns)))
  }
  if (inherits(x, c("rr_reports", "factor"))) return(as.character(x))
  if (is.object(x) || !is.atomic(x) || length(dim(x)) > 1L) return(NULL)
  if (is.numeric(x)) number_text(x) else as.character(x)
}

join_field <- function(reports, name) {
  parts <- lapply(reports, `[[`, name)
  if (inherits(parts[[1]], "rr_bits")) do.call(c, parts) else unlist(parts)
}

# What reports must have in common to stand in one column.
report_kind <- function(x) {
  if (is.data.frame(x)) return(c(names(x), unlist(lapply(x, attr, "levels_number"))))
  if (inherits(x, "rr_bits")) return(c("bits", attr(x, "levels_number")))
  if (is.object(x) && !is.factor(x)) return("other")
  if (is.numeric(x) && !is.factor(x)) "number" else if (is.logical(x)) "logical" else "text"
}

single_reports <- function(x) {
  if (is.data.frame(x)) return(lapply(seq_len(nrow(x)), function(i) as.list(x[i, , drop = FALSE])))
  if (is.factor(x)) x <- as.character(x)
  unname(as.list(x))
}

# ---- tallies ----

# What is counted is, part after part, how many answered it and its own counts, so that tallies group, weigh and merge
# as others do.
#' @export
rr_count_reports.rr_sampled <- function(mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...) {
  read <- read_parts(x, mechanism, na.rm)
  columns <- max(1L, groups)
  dropped <- read$dropped
  counted <- Map(function(part, rows, name) {
    if (!length(rows)) return(list(counts = matrix(0, length(part$reports) + 1, columns)))
    own <- list(groups = groups[rows], weights = weights[rows])
    result <- in_part(name, mechanism, {
      rr_count_reports(part, part_reports(read$reports, rows, part), own$groups, own$weights, na.rm)
    })
    gone <- rows[result$dropped %||% integer()]
    # Categories are dropped by their kernel, which says how many but not where.
    if (is.null(result$dropped) && isTRUE(result$missing > 0)) gone <- rows[missing_reports(read$reports$report[rows])]
    stay <- setdiff(rows, gone)
    counts <- as.matrix(result$counts)
    counts <- cbind(counts, matrix(0, nrow(counts), columns - ncol(counts)))
    each <- weights[stay] %||% rep(1, length(stay))
    # Every group has its number, also where none of it drew this part.
    n <- rowsum(c(each, numeric(columns)), c(groups[stay] %||% rep(1, length(stay)), seq_len(columns)))
    list(counts = rbind(as.vector(n), counts), gone = gone)
  }, mechanism$parts, read$rows, names(mechanism$parts))
  counts <- do.call(rbind, lapply(counted, `[[`, "counts"))
  list(counts = if (columns > 1L) unname(counts) else as.vector(counts),
       dropped = sort(c(dropped, unlist(lapply(counted, `[[`, "gone"), use.names = FALSE))))
}

missing_reports <- function(x) {
  which(if (is.list(x)) vapply(x, function(one) length(one) == 1L && is.na(one), NA) else is.na(x))
}

# For the own likelihood: the depth, then what its oracle keeps of a report, see depth_laws().
report_sets.rr_hierarchy <- function(mechanism, x) {
  if (!keeps_sets(mechanism)) return(NextMethod())
  read <- read_parts(x, mechanism, FALSE)
  laws <- lapply(mechanism$parts, rr_law)
  widths <- vapply(seq_along(laws), function(l) set_bytes(laws[[l]], mechanism$nodes[l]), 0)
  bits <- matrix(as.raw(0), nrow(x), 1 + max(widths))
  for (l in seq_along(laws)) {
    rows <- read$rows[[l]]
    bits[rows, 1] <- as.raw(l)
    if (!length(rows) || widths[l] == 0) next
    part <- mechanism$parts[[l]]
    bits[rows, 1 + seq_len(widths[l])] <- in_part(names(mechanism$parts)[l], mechanism, {
      report_sets(part, part_reports(read$reports, rows, part))
    })
  }
  bits
}

#' @export
rr_reports.rr_sampled <- function(x, mechanism) {
  read <- read_parts(x, mechanism, FALSE)
  Map(function(part, rows, name) {
    if (length(rows)) in_part(name, mechanism, rr_reports(part_reports(read$reports, rows, part), part))
  }, mechanism$parts, read$rows, names(mechanism$parts))
  x
}

# Answers to several questions are a table with a column for each.
are_part_answers <- function(x, mechanism) {
  if (is.data.frame(x)) all(names(mechanism$parts) %in% names(x)) else are_answers(x, mechanism)
}

# list(reports, rows of each part, dropped).
read_parts <- function(x, mechanism, na.rm) {
  key <- mechanism$part_column
  if (!is.data.frame(x) || !key %in% names(x)) {
    abort(c("{.arg x} must be a data frame with a column {.val {key}} beside the reports.",
            x = "It is {describe(x)}.", i = if (are_part_answers(x, mechanism)) answers_remedy
              else "Give the table that holds them all, and leave {.arg column} out."), "report")
  }
  x <- structure(as.list(x), row.names = .set_row_names(nrow(x)), class = "data.frame")
  given <- x[[key]]
  place <- match(as.character(if (is.factor(given)) given else plain_numbers(given)), names(mechanism$parts))
  missing <- is.na(given)
  bad <- which(is.na(place) & !missing)
  if (length(bad)) {
    abort_report_at(bad[1], sprintf("has the %s %s, which is none of %s", key,
                                    encodeString(as.character(given[bad[1]]), quote = "\""),
                                    format_labels(names(mechanism$parts))))
  }
  dropped <- drop_missing_reports(which(missing), na.rm)
  list(reports = x[setdiff(names(x), key)], rows = lapply(seq_along(mechanism$parts), function(j) which(place == j)),
       dropped = dropped)
}

# The reports of some rows, as their own mechanism takes them.
part_reports <- function(reports, rows, part) {
  if (!"report" %in% names(reports)) return(reports[rows, , drop = FALSE])
  column <- reports$report[rows]
  if (is.factor(column)) column <- as.character(column)
  if (is.character(column)) return(split_texts(column, part))
  if (!is.list(column) || is.data.frame(column)) return(column)
  if (any(vapply(column, is.raw, NA))) return(column)
  # Sets of one category are a matrix all the same.
  if (inherits(part, c("rr_subset", "rr_bitflip"))) return(set_matrix(column))
  if (is.list(column[[1]])) {
    fields <- stats::setNames(nm = names(column[[1]]))
    return(structure(lapply(fields, function(name) join_field(column, name)), class = "data.frame",
                     row.names = .set_row_names(length(column))))
  }
  odd <- which(lengths(column) != 1L)
  if (length(odd)) abort_report_at(odd[1], sprintf("is of length %s", length(column[[odd[1]]])))
  unlist(column)
}

# Text of reports that take several columns, as report_texts() writes them.
split_texts <- function(texts, part) {
  fields <- report_fields(part) %||% if (inherits(part, c("rr_bloom", "rr_sketch_counts"))) c("cohort", "bits")
  if (is.null(fields)) return(texts)
  values <- strsplit(trimws(texts), " +")
  values[is.na(texts)] <- list(rep(NA_character_, length(fields)))
  odd <- which(lengths(values) != length(fields))
  if (length(odd)) {
    abort_report_at(odd[1], sprintf("is %s; %s numbers are needed: %s", encodeString(texts[odd[1]], quote = "\""),
                                    length(fields), paste(fields, collapse = ", ")))
  }
  columns <- lapply(seq_along(fields), function(j) vapply(values, `[`, "", j))
  as.data.frame(stats::setNames(columns, fields))
}

set_matrix <- function(column) {
  odd <- which(lengths(column) != length(column[[1]]))
  if (length(odd)) abort_report_at(odd[1], "differs in size from the first")
  do.call(rbind, column)
}

# What is wrong with the reports of one part, told as such: their positions are among its own.
in_part <- function(name, mechanism, code) {
  tryCatch(code, candor_error = function(cnd) {
    kind <- sub("^candor_error_", "", grep("^candor_error_", class(cnd), value = TRUE))
    lines <- gsub("}", "}}", gsub("{", "{{", cnd$body, fixed = TRUE), fixed = TRUE)
    abort(c("{.arg x} must hold reports of this mechanism: those of {mechanism$part_column} {.val {name}} do not.",
            lines,
            i = "Positions are among the reports of this {mechanism$part_column}."), kind)
  })
}

# The tally of one part.
part_tally <- function(tally, name) {
  parts <- tally$mechanism$parts
  rows <- part_rows(parts)[[match(name, names(parts))]]
  counts <- as.matrix(tally$counts)[rows, , drop = FALSE]
  n <- counts[1, ]
  counts <- counts[-1, , drop = FALSE]
  # Weights do not depend on the question that was drawn: each part is worth its share of the effective number.
  squares <- if (!is.null(tally$weight_squares)) ifelse(tally$n > 0, tally$weight_squares * n / tally$n, 0)
  new_rr_tally(parts[[name]], if (is.matrix(tally$counts)) unname(counts) else as.vector(counts), groups = tally$groups,
               n = unname(n), weight_squares = unname(squares))
}

mechanism_recipe.rr_sampled <- function(mechanism) {
  list(kind = "sampled", questions = list_recipe(mechanism$parts))
}

from_recipe.recipe_sampled <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "questions"))
  rr_sample_questions(recipe_list(r$questions, "questions"))
}
