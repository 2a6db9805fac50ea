# Numbers whose mean is wanted are counted as two sums, of reports and of their squares, each as a share of the range of reports: so they are
# never below 0, whatever the numbers, and are added as counts are.

#' @export
rr_reports.rr_mean <- function(x, mechanism) {
  read_means(x, mechanism)
  x
}

#' @export
rr_count_reports.rr_mean <- function(mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...) {
  read <- read_means(x, mechanism, na.rm)
  weights <- kept(weights, read) %||% rep(1, length(read$reports))
  groups <- kept(groups, read)
  sums <- function(each) if (is.null(groups)) sum(each) else as.vector(rowsum(each, factor(groups, seq_len(group_number(groups)))))
  counts <- rbind(sums(weights * read$reports), sums(weights * read$reports^2))
  list(counts = if (ncol(counts) > 1L) counts else as.vector(counts), dropped = read$dropped)
}

# list(reports, dropped): numbers as shares, from 0 to 1, of the range of reports.
read_means <- function(x, mechanism, na.rm = FALSE) {
  x <- plain_numbers(x)
  if (!is.numeric(x) || is.object(x) || length(dim(x)) > 1L) {
    abort(c("{.arg x} must be numbers: reports of {.fn rr_mean}.", x = "It is {describe(x)}."), "report")
  }
  dropped <- drop_missing_reports(which(is.na(x)), na.rm)
  share <- ((as.double(x) - mean(mechanism$range)) / (diff(mechanism$range) / 2) / mechanism$reach + 1) / 2
  # Reports that went through text have lost some digits.
  near <- 1e-6
  stray <- if (mechanism$share > 0) share < -near | share > 1 + near else pmin(abs(share), abs(share - 1)) > near
  bad <- which(stray)
  if (length(bad)) abort_report_at(bad[1], sprintf("is %s, which no answer can produce", format(x[bad[1]], digits = 6)))
  share <- pmin(pmax(share, 0), 1)
  if (mechanism$share == 0) share <- round(share)
  list(reports = if (length(dropped)) share[-dropped] else share, dropped = dropped)
}
