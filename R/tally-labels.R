# Data of an internal validation study as people have them: a column of reports, and a column of
# labels, which holds the truth of some respondents and NA where nobody looked.

# list(mechanism, code, truth, group, keys, index): the mechanism with the table of all who have a
# label, and for each row that counts, `index`, the positions of its report, of its label (or NA) and
# of its group.
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
  is_free <- split(!has_label, rows$group)
  squares <- if (!is.null(weights)) {
    as.vector(tapply(each^2 * !has_label, rows$group, sum))
  }
  tally <- new_rr_tally(
    mechanism,
    if (is.null(rows$keys)) as.vector(counts) else counts,
    groups = rows$keys,
    weight_squares = squares,
    respondents = if (!is.null(weights)) as.double(unname(vapply(is_free, sum, 0L)))
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
