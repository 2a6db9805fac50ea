# dplyr's verbs are for tables, and an object of estimates is none: which columns it should keep, and what its intervals
# are afterwards, nobody could say. The errors show the same call on its table.

#' @exportS3Method dplyr::filter
filter.rr_tally <- function(.data, ...) abort_filter(.data, "tally")

#' @exportS3Method dplyr::filter
filter.rr_estimates <- function(.data, ...) abort_filter(.data, "fit")

abort_filter <- function(x, name) {
  groups <- if (inherits(x, "rr_tally")) x$groups else if (inherits(x, "rr_fit")) x$tally$groups
  key <- if (is.null(groups)) "group" else names(groups)[1]
  abort_summary(x, "filter", c(
    i = sprintf("Categories are rows of its table: {.code tidy(%s) |> dplyr::filter(term == ...)}.", name),
    i = if (!is.null(groups)) sprintf("Groups are taken by {.code subset(%s, %s == ...)}.", name, key)
  ))
}

abort_table <- function(x, verb, values = "...") {
  abort_summary(x, verb, sprintf(paste("The table of its estimates is {.code tidy(fit, conf.int = TRUE)}:",
                                       "{.code tidy(fit) |> dplyr::%s(%s)}."), verb, values))
}

#' @exportS3Method dplyr::mutate
mutate.rr_estimates <- function(.data, ...) abort_table(.data, "mutate")

#' @exportS3Method dplyr::transmute
transmute.rr_estimates <- function(.data, ...) abort_table(.data, "transmute")

#' @exportS3Method dplyr::select
select.rr_estimates <- function(.data, ...) abort_table(.data, "select")

#' @exportS3Method dplyr::rename
rename.rr_estimates <- function(.data, ...) abort_table(.data, "rename")

#' @exportS3Method dplyr::relocate
relocate.rr_estimates <- function(.data, ...) abort_table(.data, "relocate")

#' @exportS3Method dplyr::arrange
arrange.rr_estimates <- function(.data, ...) abort_table(.data, "arrange", "estimate")

#' @exportS3Method dplyr::slice
slice.rr_estimates <- function(.data, ...) abort_table(.data, "slice")

#' @exportS3Method dplyr::slice_head
slice_head.rr_estimates <- function(.data, ...) abort_table(.data, "slice_head")

#' @exportS3Method dplyr::slice_tail
slice_tail.rr_estimates <- function(.data, ...) abort_table(.data, "slice_tail")

#' @exportS3Method dplyr::slice_max
slice_max.rr_estimates <- function(.data, ...) abort_table(.data, "slice_max", "estimate")

#' @exportS3Method dplyr::slice_min
slice_min.rr_estimates <- function(.data, ...) abort_table(.data, "slice_min", "estimate")

#' @exportS3Method dplyr::distinct
distinct.rr_estimates <- function(.data, ...) abort_table(.data, "distinct")

#' @exportS3Method dplyr::pull
pull.rr_estimates <- function(.data, ...) abort_table(.data, "pull", "estimate")

#' @exportS3Method dplyr::group_by
group_by.rr_estimates <- function(.data, ...) abort_table(.data, "group_by")

#' @exportS3Method dplyr::summarise
summarise.rr_estimates <- function(.data, ...) abort_table(.data, "summarise")

#' @exportS3Method dplyr::count
count.rr_estimates <- function(x, ...) abort_table(x, "count")

#' @exportS3Method dplyr::left_join
left_join.rr_estimates <- function(x, y, ...) abort_table(x, "left_join")

#' @exportS3Method dplyr::right_join
right_join.rr_estimates <- function(x, y, ...) abort_table(x, "right_join")

#' @exportS3Method dplyr::inner_join
inner_join.rr_estimates <- function(x, y, ...) abort_table(x, "inner_join")

#' @exportS3Method dplyr::full_join
full_join.rr_estimates <- function(x, y, ...) abort_table(x, "full_join")
