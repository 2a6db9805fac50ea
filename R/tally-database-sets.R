# From the rows of the queries of R/tally-query-sets.R to tallies.

# ---- a few numbers: rows that are alike are counted as one report with a weight ----

tally_numbers <- function(rows, mechanism, asked, times, sums, dropped, na.rm) {
  reports <- lapply(rows[asked$answers], plain_numbers)
  gone <- Reduce(`|`, lapply(reports, is.na))
  missing <- sum(times[gone])
  if (missing > 0) {
    name <- asked$answers[vapply(reports, function(x) any(is.na(x)), NA)][1]
    if (!na.rm) abort_null(name, sum(times[is.na(reports[[name]])]), sum(times))
    cli::cli_inform("{missing} missing report{?s} dropped.", class = "candor_message_missing")
    if (all(gone)) abort_dropped("All {format_count(missing)} reports are NULL.")
  }
  keys <- as.list(rows)[asked$keys]
  by <- if (length(keys)) name_groups(lapply(keys, `[`, !gone), mechanism)
  sums <- lapply(sums, `[`, !gone)
  reports <- structure(lapply(reports, `[`, !gone), row.names = .set_row_names(sum(!gone)), class = "data.frame")
  groups <- make_groups(by, nrow(reports))
  counted <- tryCatch(rr_count_reports(mechanism, reports, groups = groups$codes, weights = sums$weight),
                      candor_error_report = function(e) abort_row(e, reports, times[!gone]))
  total <- function(each) if (is.null(groups)) sum(each) else as.vector(rowsum(each, groups$codes))
  weighted <- !is.null(asked$weight)
  if (weighted) check_total(total(sums$weight), "weights")
  new_rr_tally(mechanism, counted$counts, groups = groups$keys, missing = missing + dropped, n = total(sums$weight),
               weight_squares = if (weighted) total(sums$squares), respondents = if (weighted) total(times[!gone]))
}

# The row of a query has no place in the table: it is told by what it holds.
abort_row <- function(e, reports, times) {
  at <- e$position
  if (is.null(at)) rlang::cnd_signal(e)
  row <- vapply(reports, function(x) as.character(x[at]), "")
  often <- format_count(times[at])
  abort(c("The database table must hold reports of this mechanism.",
          x = paste("The report {.val {paste(names(row), row, sep = ' = ', collapse = ', ')}}, given {often}",
                    "{if (often == '1') 'time' else 'times'}, {e$problem}.")), "report")
}

# ---- bits: sums ----

tally_sums_of <- function(rows, mechanism, asked, na.rm) {
  rows[] <- lapply(rows, plain_numbers)
  times <- as.double(rows$n)
  absent <- rows$reports_missing == 1
  missing <- sum(times[absent])
  if (sum(times) == 0) {
    abort(c("The database table must hold at least one report.", x = "The query gave no rows."), "empty")
  }
  if (missing > 0 && !na.rm) abort_null(asked$answers[1], missing, sum(times))
  if (missing > 0) cli::cli_inform("{missing} missing report{?s} dropped.", class = "candor_message_missing")
  if (all(absent)) abort_dropped("All {format_count(missing)} reports are NULL.")
  rows <- rows[!absent, , drop = FALSE]
  times <- times[!absent]
  weighted <- !is.null(asked$weight)
  sums <- if (weighted) row_weights(rows, times) else list(weight = times)
  left <- keep_grouped(rows, asked$keys, times, na.rm, sums)
  rows <- left$rows
  times <- left$times
  sums <- left$sums
  refuse_wrong(sum(as.double(rows$reports_wrong)), sum(times), mechanism, asked$form)
  groups <- make_groups(if (length(asked$keys)) name_groups(as.list(rows)[asked$keys], mechanism), nrow(rows))
  total <- function(each) if (is.null(groups)) sum(each) else as.vector(rowsum(each, groups$codes))
  counts <- matrix(as.double(unlist(rows[asked$sums])), nrow(rows))
  counts <- if (!is.null(asked$split)) by_cohort(cbind(counts, sums$weight), rows["cohort"], groups, mechanism, times)
    else if (is.null(groups)) colSums(counts) else t(unname(rowsum(counts, groups$codes)))
  if (weighted) check_total(total(sums$weight), "weights")
  new_rr_tally(mechanism, counts, groups = groups$keys, missing = missing + left$dropped, n = total(sums$weight),
               weight_squares = if (weighted) total(sums$squares), respondents = if (weighted) total(times))
}

# Each row is of one cohort and group: its numbers, bits and how many reports, stand in the place of the cohort.
by_cohort <- function(numbers, cohort, groups, mechanism, times) {
  block <- ncol(numbers)
  first <- cohort_places(cohort, block, mechanism, times)
  counts <- matrix(0, block * mechanism$cohorts, max(1L, groups$n))
  group <- groups$codes %||% rep(1L, nrow(numbers))
  for (i in seq_along(first)) {
    at <- first[i] + seq_len(block)
    counts[at, group[i]] <- counts[at, group[i]] + numbers[i, ]
  }
  if (is.null(groups)) counts[, 1] else counts
}

# After which place of the counts those of each row's cohort begin.
cohort_places <- function(cohort, block, mechanism, times) {
  read <- tryCatch(read_columns(cohort, list(cohort = c(1, mechanism$cohorts)), FALSE),
                   candor_error_report = function(e) abort_row(e, cohort, times))
  (read$reports$cohort - 1) * block
}

refuse_wrong <- function(number, total, mechanism, form) {
  if (number == 0) return(invisible())
  k <- mechanism$bits_number %||% length(mechanism$levels)
  d <- format_count(mechanism[["d"]] %||% 1)
  what <- switch(form,
    number = "a number that an answer can produce",
    positions = sprintf("%s different position%s from 1 to %s, negative where the bit is 0", d,
                        if (d == "1") "" else "s", format_count(k)),
    bits = if (inherits(mechanism, "rr_bitflip")) sprintf("0 or 1 in %s of its columns, NULL in the others", d)
      else "0 or 1 in each column",
    sprintf("%s hexadecimal digits, no bit beyond the last of %s %s", format_count(2 * ((k + 7) %/% 8)),
            format_count(k), if (is.null(mechanism$bits_number)) "categories" else "bits")
  )
  size <- if (!is.null(mechanism$size)) sprintf(", and %s bits of 1", format_count(mechanism$size))
  abort(c("The database table must hold reports of this mechanism.",
          x = "{format_count(number)} of {format_count(total)} are none.", i = "A report has {what}{size}."), "report")
}

# ---- long tables ----

tally_long <- function(rows, reports, mechanism, asked, na.rm) {
  rows[] <- lapply(rows, plain_numbers)
  reports[] <- lapply(reports, plain_numbers)
  if (!nrow(rows)) {
    abort(c("The database table must hold at least one report.", x = "The query gave no rows."), "empty")
  }
  refuse <- function(x, i = NULL) {
    abort(c("The database table must hold reports of this mechanism.", x = x, i = i), "report")
  }
  if (any(reports$lost == 1)) refuse("{.val id} is NULL in some rows: it says which report a row is of.")
  twice <- which(as.double(rows$n) > as.double(rows$reports))
  if (length(twice)) {
    shown <- describe(rows$level[twice[1]])
    refuse("Some reports support {shown} twice.")
  }
  if (any(as.double(reports$different) < as.double(reports$size) - reports$without)) {
    refuse("Some reports have two bits of one level.")
  }
  kept <- keep_grouped(reports, asked$keys, as.double(reports$n), na.rm)
  reports <- kept$rows
  rows <- rows[Reduce(`&`, lapply(rows[asked$keys], function(key) !is.na(key)), rep(TRUE, nrow(rows))), , drop = FALSE]
  times <- as.double(reports$n)
  if (!is.null(asked$split) && anyNA(reports$cohort)) refuse("{.val cohort} is NULL in some rows.")
  size <- mechanism$size %||% mechanism[["d"]]
  empty <- reports$without > 0
  wrong <- if (is.null(size)) empty & reports$size > 1 else empty | reports$size != size
  if (any(wrong)) {
    wanted <- if (is.null(size)) "A report that supports no category has one row, whose level is NULL."
      else sprintf("Each report has %s rows.", format_count(size))
    refuse("{format_count(sum(times[wrong]))} of {format_count(sum(times))} have other rows.", wanted)
  }
  check_empty_reports(mechanism, sum(times), sum(times[empty]))
  some <- !is.na(rows$level)
  level <- rows$level
  levels <- mechanism[["bit"]] %||% mechanism
  place <- match_long(level, levels)
  stray <- which(some & is.na(place))
  if (length(stray)) {
    shown <- encodeString(as.character(level[stray[1]]), quote = "\"")
    often <- as.double(rows$n)[stray[1]]
    refuse("{often} row{?s} support{?s/} {shown}, which is not a level.",
           "The levels are {format_labels(levels$levels)}.")
  }
  if ("bit" %in% asked$answers) {
    odd <- which(!rows$bit %in% 0:1)
    often <- sum(as.double(rows$n)[odd])
    if (length(odd)) refuse("{often} row{?s} ha{?s/ve} another {.val bit} than 0 or 1.")
    place <- place + ifelse(rows$bit == 1, 0, length(levels$levels))
  }
  keys <- function(rows) if (length(asked$keys)) name_groups(as.list(rows)[asked$keys], mechanism)
  both <- make_groups(keys(rbind(reports[asked$keys], rows[asked$keys])), nrow(reports) + nrow(rows))
  group <- function(at) if (is.null(both)) rep(1L, length(at)) else both$codes[at]
  counts <- matrix(0, length(mechanism$reports), max(1L, both$n))
  add <- function(place, group, number) {
    summed <- rowsum(number, (group - 1) * nrow(counts) + place)
    counts[as.integer(rownames(summed))] <<- counts[as.integer(rownames(summed))] + summed
  }
  # The bits of a cohort, then how many reports it has.
  block <- length(levels$levels) + 1
  first <- function(rows) {
    if (is.null(asked$split)) 0 else cohort_places(rows["cohort"], block, mechanism, as.double(rows$n))
  }
  of_reports <- group(seq_len(nrow(reports)))
  if (!is.null(asked$split)) add(first(reports) + block, of_reports, times)
  add((first(rows) + place)[some], group(nrow(reports) + seq_len(nrow(rows)))[some], as.double(rows$n)[some])
  n <- as.vector(rowsum(times, of_reports))
  new_rr_tally(mechanism, if (is.null(both)) as.vector(counts) else counts, groups = both$keys, missing = kept$dropped,
               n = n)
}
