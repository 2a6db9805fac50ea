#' @rdname rr_epsilon
#' @export
rr_epsilon.list <- function(mechanism, ...) {
  if ("reports" %in% ...names()) {
    abort(c("{.arg reports} is for one mechanism.", x = "{.arg mechanism} is a list: one report of each is added up.",
            i = paste("For several reports of some repeat these in the list, or add up",
                      "{.code rr_epsilon(mechanism, reports = )}.")), "argument")
  }
  check_dots_empty(...)
  if (!length(mechanism)) abort(c("{.arg mechanism} must hold at least one mechanism.", x = "It is an empty list."),
                                "argument")
  parts <- lapply(mechanism, function(one) rr_epsilon(check_mechanism(one, "mechanism[[i]]")))
  # The epsilons of the questions of a product add up.
  parts <- lapply(parts, function(part) if ("total" %in% names(part)) part[["total"]] else part)
  if (all(lengths(parts) == 1L)) return(sum(unlist(parts)))
  # A two-stage mechanism has a level for one report and one for all reports; for other mechanisms both are the same.
  colSums(do.call(rbind, lapply(parts, function(part) if (length(part) == 1L) c(report = part,
                                                                                permanent = part) else part)))
}
