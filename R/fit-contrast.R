# Contrasts: a tibble with the methods of all estimates, so that contrasts can be filtered and bound like any other
# table; their methods then use the rows that are left.

plain_contrast <- function(x) {
  for (name in c("covariance", "n", "target", "conf.level", "kinds", "levels")) attr(x, name) <- NULL
  class(x) <- c("tbl_df", "tbl", "data.frame")
  x
}

rows_of.rr_contrast <- function(x) {
  # Cumulative shares have no test.
  tested <- if (is.null(attr(x, "levels"))) c("statistic", "p.value")
  plain_contrast(x)[c("term", "estimate", "std.error", tested)]
}

bounds_of.rr_contrast <- function(x, rows, level) {
  check_made_level(level, attr(x, "conf.level"))
  list(low = x$conf.low, high = x$conf.high)
}

observations_of.rr_contrast <- function(x) attr(x, "n")

covariance_of.rr_contrast <- function(x) {
  covariance <- attr(x, "covariance")
  if (is.null(covariance)) {
    abort(c("The covariance of more than {format_count(contrast_limit)} functions is not kept."), "argument")
  }
  at <- match(x$term, rownames(covariance))
  if (anyNA(at) || anyDuplicated(at)) {
    abort(c("The covariance is known of the functions of one {.fn rr_contrast}.",
            x = "{.val {x$term[is.na(at) | duplicated(at)][1]}} is not one of them, or stands there twice."),
          "argument")
  }
  covariance[at, at, drop = FALSE]
}

# dplyr knows a data frame by its last class, so that rr_estimates cannot be one of them: these are its methods.

labels_of.rr_contrast <- function(x) labels_of.rr_estimates(x)

#' @export
coef.rr_contrast <- function(object, ...) coef.rr_estimates(object, ...)

#' @export
vcov.rr_contrast <- function(object, ...) vcov.rr_estimates(object, ...)

#' @export
nobs.rr_contrast <- function(object, ...) nobs.rr_estimates(object, ...)

#' @exportS3Method ggplot2::autoplot
autoplot.rr_contrast <- function(object, ...) autoplot.rr_estimates(object, ...)

#' @exportS3Method parameters::model_parameters
model_parameters.rr_contrast <- function(model, ...) model_parameters.rr_estimates(model, ...)

#' @exportS3Method performance::model_performance
model_performance.rr_contrast <- function(model, ...) model_performance.rr_estimates(model, ...)

#' @export
tidy.rr_contrast <- function(x, conf.int = FALSE, conf.level = attr(x, "conf.level"), terms = NULL, ...) {
  tidy.rr_estimates(x, conf.int, conf.level, terms)
}

#' @export
confint.rr_contrast <- function(object, parm = NULL, level = attr(object, "conf.level"), ...) {
  confint.rr_estimates(object, parm, level)
}

#' @export
glance.rr_contrast <- function(x, ...) {
  tibble::tibble(target = attr(x, "target"), nobs = nobs(x), estimates = nrow(x), conf.level = attr(x, "conf.level"))
}

#' @export
as.data.frame.rr_contrast <- function(x, ...) {
  plain_frame(plain_contrast(x), ...)
}

#' @export
plot.rr_contrast <- function(x, ...) draw(x, ...)

# Shares, differences and ratios have axes of their own; cumulative shares (rr_cdf()) say up to which level.
drawn_of.rr_contrast <- function(x, data, labels) {
  kinds <- attr(x, "kinds")
  data$kind <- if (is.null(kinds)) rep("number", nrow(data)) else unname(kinds[match(labels, names(kinds))])
  data$kind[is.na(data$kind)] <- "number"
  data$panel <- factor(rep("", nrow(data)))
  data$label <- rows_factor(labels)
  levels <- attr(x, "levels")
  at <- match(labels, levels$term)
  if (!is.null(levels) && !anyNA(at)) {
    data$label <- rows_factor(levels$label[at])
    data$panel <- factor(levels$group[at], unique(levels$group[at]))
    data$number <- levels$number[at]
    return(list(data = data, title = "Cumulative shares"))
  }
  titles <- c(share = "Sums of shares", difference = "Differences of shares", ratio = "Ratios of shares",
              number = "Functions of the shares")
  kind <- unique(data$kind)
  together <- c(share = "shares", difference = "differences", ratio = "ratios", number = "other functions")
  together <- together[names(together) %in% kind]
  title <- if (length(kind) == 1L) titles[[kind]] else {
    paste(paste(utils::head(together, -1), collapse = ", "), "and", utils::tail(together, 1))
  }
  list(data = data, title = paste0(toupper(substr(title, 1, 1)), substring(title, 2)))
}
