#' Linear functions of the estimates
#'
#' Sums of categories, differences between categories or groups, means of scores: any linear function of the estimated shares, with
#' its standard error from the full covariance matrix.
#'
#' @param fit A fit of [rr_estimate()].
#' @param L What to add up: a character vector of categories to be merged; a numeric vector of weights, named by
#'   [coef()] names (absent ones weigh 0) or with one weight per estimate; a matrix with one such row per function; or a
#'   named list of these.
#' @param conf.level Confidence level of the (Wald) intervals.
#' @return A tibble with one row per function: `term`, `estimate`, `std.error`, `statistic` (their quotient), `p.value` (two-sided, of the
#'   hypothesis that the function is 0), `conf.low`, `conf.high`.
#' @section Errors:
#' `candor_error_level` for names that are not estimates of the fit or appear twice, `candor_error_argument` for weights of the wrong length or
#' all 0, and for empty selections.
#' @source The covariances are those of `vcov()`, see [rr_fit]; a linear function \eqn{L\hat\theta} then has the covariance \eqn{L V L'}, and a score
#'   of ordered categories is one. Groups are independent, because no respondent is in two.
#' @examples
#' mechanism <- rr_grr(c("never", "once", "often"), epsilon = 1)
#' fit <- rr_estimate(rr_counts(cbind(men = c(420, 330, 250), women = c(500, 300, 200)), mechanism))
#' rr_contrast(fit, list(
#'   "ever, men" = c("men:once", "men:often"),
#'   "difference" = c("men:never" = 1, "women:never" = -1)
#' ))
#' @export
rr_contrast <- function(fit, L, conf.level = 0.95) {
  check_given()
  if (!inherits(fit, "rr_fit")) abort(c("{.arg fit} must be a fit.", x = "It is {describe(fit)}."), "argument")
  conf.level <- check_number(conf.level, "conf.level", 0, 1, TRUE, TRUE)
  estimate <- coef(fit)
  weights <- contrast_weights(L, names(estimate))
  needed <- which(colSums(weights != 0) > 0)
  covariance <- contrast_covariance(fit, needed)
  weights <- weights[, needed, drop = FALSE]
  value <- drop(weights %*% estimate[needed])
  variance <- rowSums((weights %*% covariance) * weights)
  # Exact zeros, as of the sum of all shares, come out as roundings of either sign.
  variance[abs(variance) <= 1e-14 * drop(weights^2 %*% diag(covariance))] <- 0
  error <- sqrt(ifelse(variance < 0, NA_real_, variance))
  z <- stats::qnorm((1 + conf.level) / 2)
  tibble::tibble(term = rownames(weights) %||% as.character(seq_len(nrow(weights))), estimate = unname(value),
                 std.error = unname(error),
                 statistic = unname(value / error), p.value = unname(2 * stats::pnorm(-abs(value / error))),
                 conf.low = unname(value - z * error), conf.high = unname(value + z * error))
}

# The covariance of some coefficients: groups are independent, so each brings its own block.
contrast_covariance <- function(fit, needed) {
  k <- length(fit$mechanism$levels)
  category <- (needed - 1) %% k + 1
  group <- (needed - 1) %/% k + 1
  covariance <- matrix(0, length(needed), length(needed))
  for (g in unique(group)) {
    rows <- which(group == g)
    covariance[rows, rows] <- if (is.null(fit$replicates)) estimate_covariance(fit$mechanism, fit, g, category[rows])
                              else stats::var(t(fit$replicates[[g]][category[rows], , drop = FALSE]))
  }
  covariance
}

contrast_weights <- function(L, names, call = caller_env()) {
  if (is.matrix(L) && is.numeric(L)) {
    if (!nrow(L)) abort(c("{.arg L} must hold at least one function.", x = "It has no rows."), "argument", call = call)
    rows <- lapply(seq_len(nrow(L)), function(i) {
      contrast_row(stats::setNames(L[i, ], colnames(L)), names, sprintf("Row %d of {.arg L}", i), call)
    })
    weights <- do.call(rbind, rows)
    rownames(weights) <- rownames(L)
    return(weights)
  }
  if (!is.list(L)) return(rbind(contrast_row(L, names, "{.arg L}", call)))
  if (!length(L)) {
    abort(c("{.arg L} must hold at least one function.", x = "It is an empty list."), "argument", call = call)
  }
  labels <- names(L) %||% rep("", length(L))
  at <- ifelse(nzchar(labels), encodeString(labels, quote = "\""), seq_along(L))
  # Doubled braces, so that no label is taken for a part of the message.
  at <- gsub("}", "}}", gsub("{", "{{", at, fixed = TRUE), fixed = TRUE)
  weights <- do.call(rbind, Map(contrast_row, unname(L), list(names), sprintf("{.code L[[%s]]}", at), list(call)))
  rownames(weights) <- names(L)
  weights
}

# One function's weights; `what` names it in errors.
contrast_row <- function(x, names, what, call) {
  if (is.character(x) && length(x)) x <- stats::setNames(rep(1, length(x)), x)
  if (!length(x) || !is.numeric(x) || is.object(x) || !all(is.finite(x))) {
    abort(c(paste(what, "must be categories to add up, or finite weights."),
            x = if (length(x)) "It is {describe(x)}." else "It is empty: no category is selected."), "argument",
          call = call)
  }
  place <- if (is.null(names(x))) seq_along(x) else match(names(x), names)
  if (is.null(names(x)) && length(x) != length(names)) {
    abort(c(paste(what, "must have one weight per estimate, or names."),
            x = "It has length {length(x)}, and there are {length(names)} estimates."), "argument", call = call)
  }
  if (anyNA(place)) {
    abort(c(paste("The names in", what, "must be estimates of the fit."),
            x = "{.val {names(x)[is.na(place)][1]}} is not one.", i = "They are {format_labels(names)}."), "level",
          call = call)
  }
  if (anyDuplicated(place)) {
    abort(c(paste("The names in", what, "must all differ."),
            x = "{.val {names(x)[anyDuplicated(place)]}} appears more than once."), "level", call = call)
  }
  if (all(x == 0)) {
    abort(c(paste(what, "must weigh at least one estimate."), x = "All its weights are 0."), "argument", call = call)
  }
  row <- numeric(length(names))
  row[place] <- x
  row
}
