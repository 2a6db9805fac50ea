#' @rdname rr_epsilon
#' @export
rr_epsilon.list <- function(mechanism, ..., reports = NULL) {
  check_dots_empty(...)
  if (!length(mechanism)) abort(c("{.arg mechanism} must hold at least one mechanism.", x = "It is an empty list."),
                                "argument")
  names <- names(mechanism) %||% character(length(mechanism))
  places <- ifelse(nzchar(names), paste0("mechanism$", names), sprintf("mechanism[[%d]]", seq_along(mechanism)))
  for (i in seq_along(mechanism)) rr_epsilon(check_mechanism(mechanism[[i]], places[i]))
  if (!is.null(reports)) {
    reports <- ledger_reports(reports, mechanism)
    return(sum(unlist(Map(level_together, mechanism, reports))))
  }
  # A product is as good as its questions.
  questions <- function(one) if (inherits(one, "rr_product")) one$questions else list(one)
  parts <- unlist(lapply(unname(mechanism), questions), recursive = FALSE)
  once <- vapply(parts, level_together, 0)
  all <- vapply(parts, level_for_ever, 0)
  kept <- !is.na(all)
  if (!any(kept)) return(sum(once))
  if (all(kept)) return(c(report = sum(once), permanent = sum(all)))
  c(report = sum(once), kept = sum(all[kept]), each_round = sum(once[!kept]))
}

# The number of reports of each mechanism of a ledger.
ledger_reports <- function(reports, mechanism) {
  n <- length(mechanism)
  if (!is.numeric(reports) || !length(reports) %in% c(1L, n)) {
    abort(c("{.arg reports} must be one number of reports, or one for each mechanism.",
            x = "It is {describe(reports)}; the list holds {n} mechanism{?s}."), "argument")
  }
  if (!is.null(names(reports)) && length(reports) == n) {
    if (!setequal(names(reports), names(mechanism)) || anyDuplicated(names(mechanism))) {
      abort(c("The names of {.arg reports} must be those of the mechanisms.",
              x = "They are {.val {names(reports)}}.", i = "The mechanisms are {.val {names(mechanism)}}."), "argument")
    }
    reports <- reports[names(mechanism)]
  }
  vapply(rep_len(unname(reports), n), check_count, 0, arg = "reports", min = 1)
}

# What r reports of one true answer reveal together, or a bound on it: those drawn anew add up, those of a permanent
# answer reveal no more than it does.
level_together <- function(mechanism, reports = 1) {
  if (inherits(mechanism, "rr_product")) return(sum(vapply(mechanism$questions, level_together, 0, reports)))
  permanent <- level_for_ever(mechanism)
  if (is.na(permanent) || reports == 1) return(mechanism$epsilon * reports)
  tryCatch(rr_epsilon(mechanism, reports = reports),
           candor_error = function(e) min(reports * mechanism$epsilon, permanent))
}

# What any number of reports reveal together; NA where it has no bound.
level_for_ever <- function(mechanism) {
  level <- rr_epsilon(mechanism)
  if ("permanent" %in% names(level)) level[["permanent"]] else NA_real_
}
