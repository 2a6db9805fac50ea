# The covariance matrix of a fit, group by group.

#' @rdname rr_fit
#' @param target For `vcov()`: what the uncertainty is about; by default what the fit was made for.
#' @export
vcov.rr_fit <- function(object, parm = NULL, target = object$target, ...) {
  object$target <- check_choice(target, "target", c("population", "sample"))
  which <- match_terms(parm, object)
  groups <- if (is.null(object$tally$groups)) 1L else nrow(object$tally$groups)
  if (length(which) * groups > 5000) {
    abort(c("{.fn vcov} of this fit would be a matrix of {length(which) * groups} rows.",
            i = "Name the estimates you need in {.arg parm}; {.fn tidy} gives all standard errors."), "argument")
  }
  blocks <- lapply(seq_len(groups), function(g) {
    if (!is.null(object$replicates)) return(stats::var(t(object$replicates[[g]][which, , drop = FALSE])))
    estimate_covariance(object$mechanism, object, g, which)
  })
  names <- coef_names(object, which)
  size <- length(which)
  matrix <- matrix(0, size * groups, size * groups, dimnames = list(names, names))
  for (g in seq_len(groups)) {
    rows <- (g - 1) * size + seq_len(size)
    matrix[rows, rows] <- blocks[[g]]
  }
  matrix
}
