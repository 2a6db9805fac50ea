# Tallies of data frames and survey designs, whose columns hold reports, groups and weights.

#' @rdname rr_tally
#' @export
rr_tally.data.frame <- function(
  x,
  mechanism,
  ...,
  column = NULL,
  count = NULL,
  weights = NULL,
  by = NULL,
  id = NULL,
  na.rm = FALSE,
  keep = c("counts", "sets")
) {
  check_dots_empty(...)
  check_mechanism(mechanism, has_data = TRUE)
  if (!is.null(mechanism$labels)) {
    if (!is.null(c(count, weights, id))) {
      abort("Data with labels take no {.arg count}, {.arg weights} and {.arg id}: give a design.")
    }
    return(labelled_tally(labelled_rows(x, mechanism, column, by, na.rm)))
  }
  read <- function(x) frame_answers(x, mechanism, column, weights, by, count, id)
  reports <- function() read(x)$reports
  answers <- read(if (is.null(id)) x else drop_copies(x, id, reports))
  inform_frequencies(answers$weights)
  tally_answers(answers, mechanism, na.rm, keep)
}

# The rows of a data frame without copies: an identifier is that of one report, which counts once.
# `reports()` returns the reports of all rows.
drop_copies <- function(x, id, reports) {
  named <- frame_names(as_plain_frame(x), id, "id", single = TRUE) %||% refuse_vector(id, "id")
  ids <- x[[named]]
  is_id <- !is.na(ids) & grepl("[^[:space:]]", ids)
  check_that(all(is_id), ids, "id", "a column without missing or empty identifiers")
  copies <- which(duplicated(ids))
  if (!length(copies)) return(x)
  first <- match(ids[copies], ids)
  columns <- reports()
  if (!is.data.frame(columns)) columns <- list(columns)
  is_copy <- vapply(seq_along(copies), function(i) {
    all(vapply(columns, function(column) {
      identical(some_reports(column, copies[i]), some_reports(column, first[i]))
    }, NA))
  }, NA)
  if (!all(is_copy)) {
    abort_shared_ids(unique(ids[copies[!is_copy]]))
  }
  inform_copies(length(copies))
  x[-copies, , drop = FALSE]
}

# The error of identifiers that are those of different reports; `ids` may be the first of `n`.
abort_shared_ids <- function(ids, n = length(ids)) {
  n_further <- n - length(ids)
  further <- if (n_further > 0) sprintf(", and %s more", format_count(n_further))
  abort(c(
    "{.arg id} must be the identifiers of single reports.",
    x = "Different reports share an identifier: {format_labels(ids)}{further}.",
    i = "Drop their rows, or all but one of each: none is known to be the right one.",
    i = "Several reports of one respondent need identifiers of their own."
  ))
}

inform_copies <- function(n) {
  if (n == 0) return(invisible())
  cli::cli_inform(
    "Counted once: {format_count(n)} report{cli::qty(n)}{?s} that came again.",
    class = "candor_message_copies"
  )
}

# A tally with the name of its question, which pictures show: the label of the column of `data`, as
# files of statistics programs have it, or the text of `column` if that is one name.
named_tally <- function(tally, column, data) {
  if (inherits(column, "formula")) column <- all.vars(column)
  if (!is.character(column) || length(column) != 1L) return(tally)
  label <- if (is.data.frame(data)) attr(data[[column]], "label", exact = TRUE)
  has_label <- is.character(label) && length(label) == 1L && isTRUE(nzchar(label))
  tally$question <- if (has_label) label else column
  tally
}

# list(reports, weights, times, by): the answers of a data frame, see tally_answers(). Columns are
# named by text or a formula; vectors are taken as they are. Groups of dplyr::group_by() come first.
frame_answers <- function(x, mechanism, column, weights, by, count = NULL, id = NULL) {
  frame <- as_plain_frame(x)
  arguments <- list(by = by, weights = weights, count = count, id = id)
  arguments <- arguments[lengths(arguments) > 0L]
  named <- Map(function(columns, arg) {
    frame_names(frame, columns, arg, single = arg != "by")
  }, arguments, names(arguments))
  by <- if (!is.null(named$by)) as.list(frame)[named$by]
    else if (is.null(by) || is.list(by)) as.list(by) else list(group = by)
  grouped <- setdiff(names(attr(x, "groups")), ".rows")
  if (length(grouped)) {
    by <- c(
      as.list(frame)[grouped], by[setdiff(names(by), grouped)]
    )
  }
  others <- c(names(by), named$weights, named$count, named$id)
  columns <- report_columns(frame, mechanism, column, others)
  # Fields are read from all columns that are left, by which reports of other protocols are
  # recognized.
  if (length(columns) > 1L && is.null(column) && is.null(mechanism$questions) &&
      !is_bits(mechanism$codec)) {
    columns <- setdiff(names(x), others)
  }
  # A question has one column; numbers of packed reports stay a table, one number a report.
  single <- length(columns) == 1L && is.null(mechanism$questions) && (!is_bits(
    mechanism$codec
  ) || !is.numeric(frame[[columns]]) || inherits(frame[[columns]], "rr_reports"))
  reports <- if (single) {
    frame[[columns]]
  } else if (identical(columns, names(x))) {
    x
  } else {
    frame[columns]
  }
  list(
    reports = reports,
    weights = if (is.null(named$weights)) weights else frame[[named$weights]],
    times = if (is.null(named$count)) count else frame[[named$count]],
    by = by
  )
}

# A data frame without groups and foreign classes, so that `[` and `[[` do what base R documents.
as_plain_frame <- function(x) {
  structure(
    as.list(x),
    names = names(x),
    row.names = .set_row_names(nrow(x)),
    class = "data.frame"
  )
}

# The names of the columns that an argument names; NULL if it is the values themselves.
frame_names <- function(x, columns, arg, single = FALSE) {
  if (inherits(columns, "formula")) {
    wanted <- all.vars(columns)
    if (length(columns) != 2L || !length(wanted) ||
        !all(all.names(columns) %in% c(wanted, "~", "+"))) {
      must_be(columns, arg, "a formula of column names, such as {.code ~ region + year}")
    }
  } else if (is.character(columns) && !is.object(columns) && length(columns) > 0L &&
      (length(columns) != nrow(x) || all(columns %in% names(x)))) {
    wanted <- columns
  } else {
    return(NULL)
  }
  absent <- setdiff(wanted, names(x))
  if (length(absent)) {
    near <- meant_of(absent, names(x)) %||% sprintf("Its columns are %s.", format_labels(names(x)))
    abort(c(
      "{.arg {arg}} must name columns of the data.", x = "There is none called {.val {absent[1]}}.",
      i = "{near}"
    ))
  }
  if (single && length(wanted) != 1L) {
    abort("{.arg {arg}} must name one column, not {format_labels(wanted)}.")
  }
  unique(wanted)
}

# The columns that hold the reports: those that are named, or those called as the questions or as
# the fields of the protocol. Else they are all that are left, if that is one, or if any may hold
# bits.
report_columns <- function(x, mechanism, column, others) {
  if (!is.null(mechanism$questions)) {
    if (is.null(column)) {
      return(unlist(question_fields(names(x), mechanism$questions), use.names = FALSE))
    }
    abort("{.arg column} is not for several questions: their names are the columns.")
  }
  if (!is.null(column)) {
    named <- frame_names(x, column, "column", single = !is_bits(mechanism$codec)) %||%
      refuse_vector(column, "column")
    return(c(intersect(mechanism$codec$block, names(x)), named))
  }
  left <- setdiff(names(x), others)
  layout <- Find(function(columns) all(columns %in% left), stored_forms(mechanism)$columns)
  if (!is.null(layout)) return(layout)
  # The questions or depths have columns of their own if there is no column of reports.
  has_fields <- isTRUE(mechanism$codec$part %in% left) ||
    (isTRUE(mechanism$codec$block %in% left) && length(left) == 2L)
  if (has_fields || length(left) == 1L || is_bits(mechanism$codec)) return(left)
  abort(c(
    "{.arg column} is needed: the name of the column that holds the reports.",
    x = "Its columns are {format_labels(names(x))}. A table of counts is for {.fn rr_counts}."
  ))
}

# Columns are named: vectors cannot stand beside a table.
refuse_vector <- function(value, arg) {
  if (!is.null(value)) must_be(value, arg, "names of columns, as text or a formula")
}

# ---- designs of the package survey ----

is_design <- function(x) inherits(x, c("survey.design", "svyrep.design", "twophase", "twophase2"))

# Designs must hold their data, and have a variance that needs no joint probabilities.
check_design <- function(design, arg) {
  check_installed("survey", "for survey designs")
  is_supported <- inherits(design, c("survey.design2", "svyrep.design")) &&
    !inherits(design, c("pps", "DBIsvydesign", "twophase", "twophase2"))
  check_that(
    is_supported, design, arg,
    "a design of {.fn survey::svydesign} or {.fn survey::svrepdesign} that holds its data"
  )
}

design_weights <- function(design) {
  unname(as.double(if (inherits(design, "svyrep.design")) design$pweights else 1 / design$prob))
}

# Does a design have clusters or strata, which a tally does not have?
has_clusters <- function(design) {
  inherits(design, "svyrep.design") || isTRUE(design$has.strata) ||
    any(duplicated(design$cluster[[1]]))
}

# The positions of the rows that count. Rows of weight 0 are outside the domain that was taken from
# the design.
design_rows <- function(design) which(design_weights(design) > 0)

#' @rdname rr_tally
#' @export
rr_tally.survey.design <- function(
  x,
  mechanism,
  ...,
  column = NULL,
  weights = NULL,
  by = NULL,
  na.rm = FALSE
) {
  check_dots_empty(...)
  tally <- tally_design(x, mechanism, column, weights, by, na.rm)
  if (has_clusters(x)) {
    cli::cli_inform(
      "Clusters and strata are not kept in a tally: give the design to {.fn rr_estimate}.",
      class = "candor_message_design"
    )
  }
  tally
}

tally_design <- function(x, mechanism, column, weights, by, na.rm) {
  check_mechanism(mechanism)
  check_design(x, "x")
  if (!is.null(weights)) abort("{.arg weights} must be left out: they are those of the design.")
  rows <- design_rows(x)
  answers <- frame_answers(
    x$variables[rows, , drop = FALSE], mechanism, column, design_weights(x)[rows],
    by
  )
  tally_answers(answers, mechanism, na.rm)
}

#' @rdname rr_tally
#' @export
rr_tally.svyrep.design <- rr_tally.survey.design

# ---- data of an internal validation study: a column of reports, and a column of labels ----
#
# The labels hold the truth of some respondents, and NA where nobody looked.

# list(mechanism, code, truth, group, keys, index): the mechanism with the table of all who have a
# label. Rows that count have the positions `index`. `code`, `truth` (or NA) and `group` are the
# positions of their report, of their label and of their group.
labelled_rows <- function(x, mechanism, column, by, na.rm) {
  read <- read_labels(x, mechanism, column, by)
  index <- reported_rows(read, na.rm)
  truth <- labels_seen(read$truth[index], mechanism$levels)
  reports <- labels_seen(read$reports[index], mechanism$levels)
  if (all(is.na(truth))) abort("{.val {read$name}} must hold labels of some respondents.", "empty")
  # Its names say which way round the table is.
  study <- unclass(table(truth = truth, report = reports))
  measured <- rr_misclassification(table = study, validation = "internal")
  keys <- lapply(read$by, function(key) key[index])
  groups <- if (length(keys)) make_groups(keys, length(index))
  list(
    mechanism = measured,
    code = match(reports, measured$reports),
    truth = match(truth, measured$levels),
    group = groups$codes %||% rep(1L, length(index)),
    keys = groups$keys,
    index = index
  )
}

# list(name, truth, reports, by): the column of labels with its name, the reports and the groups.
read_labels <- function(x, mechanism, column, by) {
  frame <- as_plain_frame(x)
  name <- frame_names(frame, mechanism$labels, "labels", single = TRUE)
  remaining <- setdiff(names(x), c(name, frame_names(frame, by, "by")))
  if (is.null(column) && length(remaining) == 1L) column <- remaining
  if (is.null(column)) abort("{.arg column} is needed: the name of the column of the reports.")
  answers <- frame_answers(x[setdiff(names(x), name)], mechanism, column, NULL, by)
  list(
    name = name,
    truth = frame[[name]],
    reports = answers$reports,
    by = name_groups(answers$by, mechanism)
  )
}

# The positions of the rows with a report and a group.
reported_rows <- function(read, na.rm) {
  is_missing <- is.na(read$reports)
  if (any(is_missing & !is.na(read$truth))) {
    abort("Each label of {.val {read$name}} must have a report.", c("missing", "argument"))
  }
  lost <- union(
    which(is_missing), if (na.rm) rows_without_group(read$by, length(is_missing))
  )
  if (length(lost) && !na.rm) {
    abort("Reports must not be missing: {.code na.rm = TRUE} drops such rows.", "missing")
  }
  if (length(lost)) {
    cli::cli_inform("{length(lost)} missing report{?s} dropped.", class = "candor_message_missing")
  }
  setdiff(seq_along(is_missing), lost)
}

# The values as a factor, with the levels that are there: those of the mechanism, if it has any.
labels_seen <- function(values, levels) {
  text <- label_text(values)
  known <- if (length(levels)) {
    levels
  } else if (is.factor(values)) {
    levels(values)
  } else {
    label_text(sort(unique(values)))
  }
  unknown <- setdiff(text, c(known, NA))
  if (length(unknown)) {
    abort("{.val {unknown[1]}} is none of the levels {format_labels(known)}.", "level")
  }
  # Levels that were asked for stay: a truth that nobody has is an empty row, which is refused.
  factor(text, if (length(levels)) known else intersect(known, text))
}

# The tally of those without a label, with the counts of the others as its `labels`, a table for
# each group. Predictive values differ between groups, so that no group borrows them.
labelled_tally <- function(rows, weights = NULL) {
  mechanism <- rows$mechanism
  groups <- seq_len(max(rows$group))
  each <- weights %||% rep(1, length(rows$code))
  counted <- function(is_counted, codes, n_codes) {
    sums <- numeric(n_codes)
    found <- rowsum(each[is_counted], codes[is_counted])
    replace(sums, as.integer(rownames(found)), found)
  }
  n_reports <- length(mechanism$reports)
  n_truths <- length(mechanism$levels)
  has_label <- !is.na(rows$truth)
  counts <- vapply(groups, function(g) {
    counted(rows$group == g & !has_label, rows$code, n_reports)
  }, numeric(n_reports))
  labels <- lapply(groups, function(g) {
    cells <- (rows$code - 1L) * n_truths + rows$truth
    matrix(counted(rows$group == g & has_label, cells, n_truths * n_reports), n_truths)
  })
  check_labels(counts, labels, mechanism, rows$keys)
  sum_of_free <- function(x) as.double(tapply(x * !has_label, rows$group, sum))
  tally <- new_rr_tally(
    mechanism,
    if (is.null(rows$keys)) as.vector(counts) else counts,
    groups = rows$keys,
    weight_squares = if (!is.null(weights)) sum_of_free(weights^2),
    respondents = if (!is.null(weights)) sum_of_free(1)
  )
  if (!is.null(rows$keys) || !is.null(weights)) tally$labels <- labels
  tally
}

# Each group must have people without a label, and labels for each of their reports.
check_labels <- function(counts, labels, mechanism, keys) {
  for (g in seq_along(labels)) {
    where <- if (!is.null(keys)) sprintf(" in group \"%s\"", group_labels(keys)[g])
    if (sum(counts[, g]) == 0) {
      abort("Some respondents must be without a label{where}.", c("empty", "argument"))
    }
    unseen <- which(counts[, g] > 0 & colSums(labels[[g]]) == 0)
    if (length(unseen)) {
      abort(c(
        "Each report must have a label of somebody who gave it{where}.",
        x = "Nobody who reported {.val {mechanism$reports[unseen[1]]}} has one.",
        i = "Take fewer groups, or give the table of all of them with {.code table =}."
      ), "no_information")
    }
  }
}
