# A tally as a table, and as people read it.

#' @export
as.data.frame.rr_tally <- function(x, ...) {
  plain_frame(tidy(x), ...)
}

#' @export
tidy.rr_tally <- function(x, ...) {
  counts <- as.matrix(x$counts)
  k <- nrow(counts)
  table <- tibble::as_tibble(c(list(term = rep(x$mechanism$reports, ncol(counts))),
                               cell_answers(x$mechanism, "reports", ncol(counts)),
                               list(count = as.vector(counts), share = as.vector(sweep(counts, 2, x$n, `/`)))))
  if (is.null(x$groups)) return(table)
  tibble::as_tibble(c(lapply(x$groups, rep, each = k), table))
}

#' @export
print.rr_tally <- function(x, ...) {
  lines <- tally_lines(x)
  writeLines(c(paste("<rr_tally>", lines[1]), lines[-1]))
  k <- length(x$mechanism$reports)
  if (k <= 1e6) {
    print(tidy(x))
  } else {
    # Labels of all categories would take more than their counts.
    first <- group_counts(x, 1)[1:10]
    print(tibble::tibble(term = x$mechanism$reports[1:10], count = first, share = first / x$n[1]))
    cat("  ... and ", format_count(length(x$counts) - 10), " more rows\n", sep = "")
  }
  invisible(x)
}

#' @exportS3Method knitr::knit_print
knit_print.rr_tally <- function(x, ...) {
  table <- tidy(x)
  knit_result(x, tally_lines(x), utils::head(table, 25), nrow(table))
}

# What the rows are where they are not all reports of one kind.
part_line <- function(mechanism) {
  first <- mechanism$reports[1:2]
  if (inherits(mechanism, "rr_bloom")) {
    all <- mechanism$reports[mechanism$bits_number + 1]
    return(sprintf(paste("  Row \"%s\" counts all reports of cohort 1, \"%s\" those of them with this bit;",
                         "shares are of all reports"), all, first[1]))
  }
  if (!inherits(mechanism, "rr_sampled")) return(NULL)
  sprintf(paste("  Row \"%s\" counts all reports of this %s, \"%s\" those of them that say so;",
                "shares are of all reports"), first[1],
          if (inherits(mechanism, "rr_hierarchy")) "depth" else "question", first[2])
}

tally_lines <- function(x) {
  c(paste0(report_words(x), if (!is.null(x$groups)) in_groups(x),
           if (x$missing > 0) sprintf(", %s missing dropped", format_count(x$missing))),
    paste0("  ", format(x$mechanism)),
    part_line(x$mechanism),
    if (!is.null(x$chunks)) chunk_words(length(x$chunks)),
    if (!is.null(x$sets)) {
      paste0("  with ", format_count(sum(vapply(x$sets, function(s) length(s$times), 0L))), " different sets, ",
             format(structure(sum(vapply(x$sets, function(s) length(s$bits) + 8 * length(s$times), 0)),
                              class = "object_size"),
                    units = "auto"))
    })
}

# Of a tally some of whose chunks have labels, or of some of its groups.
chunk_words <- function(number) {
  sprintf(if (number == 1) "  with the label of %s chunk" else "  with the labels of %s chunks", format_count(number))
}

# The print is the summary: without it a tally of groups, which is read like a list, would be listed as one.
#' @export
summary.rr_tally <- function(object, ...) {
  object
}
