# mean(), median() and quantile() of a fit: R would say NA, or fail in words of its own. The verbs for these give a
# standard error too.

#' @export
mean.rr_fit <- function(x, ...) abort_summary(x, "mean", mean_remedy(x))

#' @importFrom stats median
#' @export
median.rr_fit <- function(x, na.rm = FALSE, ...) abort_summary(x, "median", quantile_remedy(x, "0.5"))

#' @export
quantile.rr_fit <- function(x, ...) abort_summary(x, "quantile", quantile_remedy(x, "c(0.25, 0.5, 0.75)"))

#' @export
mean.rr_estimates <- function(x, ...) abort_summary(x, "mean", estimates_remedy(x))

#' @importFrom stats median
#' @export
median.rr_estimates <- function(x, na.rm = FALSE, ...) abort_summary(x, "median", estimates_remedy(x))

#' @export
quantile.rr_estimates <- function(x, ...) abort_summary(x, "quantile", estimates_remedy(x))

#' @export
mean.rr_tally <- function(x, ...) abort_summary(x, "mean", "Estimate first, with {.fn rr_estimate}.")

#' @importFrom stats median
#' @export
median.rr_tally <- function(x, na.rm = FALSE, ...) {
  abort_summary(x, "median", "Estimate first, with {.fn rr_estimate}, then {.fn rr_quantile}.")
}

#' @export
quantile.rr_tally <- function(x, ...) {
  abort_summary(x, "quantile", "Estimate first, with {.fn rr_estimate}, then {.fn rr_quantile}.")
}

abort_summary <- function(x, what, remedy) {
  class <- intersect(class(x), c("rr_fit", "rr_tally"))
  if (is.null(names(remedy))) names(remedy) <- rep("i", length(remedy))
  abort(c("{.fn {what}} is not for objects of class {.cls {c(class, class(x))[1]}}.", remedy), "argument")
}

# Numbers of levels: a mean is a sum of shares times these. In groups there is one mean for each.
mean_remedy <- function(fit) {
  check_object(fit)
  if (!is.null(fit$mechanism$questions)) return("One question is taken out by {.fn rr_margin}.")
  breaks <- fit$mechanism$breaks
  values <- if (!is.null(breaks)) (breaks[-1] + breaks[-length(breaks)]) / 2 else level_numbers(fit$mechanism)
  if (is.null(values)) return("The shares of the categories are {.code coef(fit)}; for scores see {.fn rr_contrast}.")
  shown <- if (length(values) <= 8L) sprintf("c(%s)", paste(format(values, trim = TRUE, digits = 7), collapse = ", "))
    else if (is.null(breaks)) "the numbers of the levels" else "the middles of the bins"
  one <- if (NCOL(fit$estimate) > 1L) "[1]" else ""
  sprintf("The mean with its standard error: {.code rr_contrast(fit%s, list(mean = %s))}.", one, shown)
}

quantile_remedy <- function(fit, probs) {
  check_object(fit)
  if (!is.null(fit$mechanism$questions)) return("One question is taken out by {.fn rr_margin}.")
  if (!in_order(fit$mechanism)) return("Its categories have no order: their shares are {.code coef(fit)}.")
  sprintf("With an interval: {.code rr_quantile(fit, %s)}.", probs)
}

estimates_remedy <- function(x) {
  if (inherits(x, "rr_mean_fit")) return("The mean is {.code coef(fit)}, its interval {.code confint(fit)}.")
  "Its estimates are the rows of {.fn tidy}."
}

# What R would do to the list that an object is.

#' @export
sort.rr_fit <- function(x, decreasing = FALSE, ...) {
  abort_summary(x, "sort", "Sort the rows of {.fn tidy}, or draw them sorted: {.code plot(fit, order = TRUE)}.")
}

#' @export
Summary.rr_fit <- function(..., na.rm = FALSE) {
  abort_summary(..1, .Generic, "The shares are {.code coef(fit)}, as numbers.")
}

#' @export
merge.rr_tally <- function(x, y, ...) {
  abort_summary(x, "merge", "Tallies of one mechanism are put together by {.fn c}, of several by {.fn rr_pool}.")
}

#' @exportS3Method ggplot2::fortify
fortify.rr_fit <- function(model, data, ...) {
  abort(c("A fit is no table that {.fn ggplot2::ggplot} could draw.",
          i = "Its picture is {.code ggplot2::autoplot(fit)}, to which you can add.",
          i = "Its table is {.code tidy(fit, conf.int = TRUE)}, to draw another one."), "argument")
}

#' @export
Math.rr_fit <- function(x, ...) {
  abort_summary(x, .Generic, "The shares are {.code coef(fit)}, as numbers.")
}

# A category or a group in the place of a field would be NULL. Only the user is asked what was meant: code of packages
# looks for fields that are not there.
take_field <- function(x, name, asking, labels, remedy) {
  value <- .subset2(x, name)
  if (!is.null(value) || !identical(topenv(asking), globalenv()) || name %in% attr(x, "names")) return(value)
  if (!name %in% labels(x)) return(value)
  abort(c("Fields are taken with {.code $}, and {.val {name}} is none.", i = remedy(x)), "argument")
}

#' @export
`$.rr_fit` <- function(x, name) {
  take_field(x, name, parent.frame(), function(x) c(x$mechanism$levels, group_labels(x$tally$groups)), function(x) {
    if (name %in% x$mechanism$levels) "The share of a category is {.code coef(fit)[[\"{name}\"]]}, of one group."
    else "A group is taken by its name: {.code fit[\"{name}\"]}."
  })
}

#' @export
`$.rr_tally` <- function(x, name) {
  take_field(x, name, parent.frame(), function(x) c(x$mechanism$reports, group_labels(x$groups)), function(x) {
    if (name %in% x$mechanism$reports) "The counts of reports are rows of {.code tidy(tally)}."
    else "A group is taken by its name: {.code tally[\"{name}\"]}."
  })
}
