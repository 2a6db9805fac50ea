# Methods of fits of rr_multinom(): predictions, posteriors, tables.

#' @export
coef.rr_multinom <- function(object, ...) {
  if (object$type == "cumulative") return(object$coefficients)
  levels <- object$model$levels[-1]
  matrix(object$coefficients, length(levels), byrow = TRUE, dimnames = list(levels, object$model$columns))
}

regression_expected.rr_multinom <- function(fit) fit$model$expected(fit$estimate)

regression_scores.rr_multinom <- function(fit) fit$model$scores(fit$estimate)

#' @rdname rr_multinom
#' @param object,x A fit of `rr_multinom()`.
#' @param newdata A data frame with the covariates, for `"posterior"` with the reports too; by default the data of the fit.
#' @param se.fit Standard errors too?
#' @export
predict.rr_multinom <- function(object, newdata = NULL, type = c("truth", "report", "posterior", "class"),
                                se.fit = FALSE,
                                ...) {
  type <- check_choice(type[1], "type", c("truth", "report", "posterior", "class"))
  check_flag(se.fit, "se.fit")
  mechanism <- object$mechanism
  if (se.fit && type %in% c("posterior", "class")) {
    abort(c("{.arg se.fit} is for {.code type = \"truth\"} and {.code \"report\"}."), "argument")
  }
  rows <- multinom_newdata(object, newdata, type == "posterior")
  truth <- object$model$truths(object$estimate, rows$x)
  dimnames(truth) <- list(rows$names, mechanism$levels)
  if (type == "class") return(factor(mechanism$levels[max.col(truth, "first")], mechanism$levels))
  if (type == "posterior") {
    joint <- truth * t(object$model$channel[, rows$codes, drop = FALSE])
    return(joint / rowSums(joint))
  }
  fit <- if (type == "truth") truth else {
    structure(truth %*% object$model$channel, dimnames = list(rows$names, mechanism$reports))
  }
  if (!se.fit) return(fit)
  gradients <- object$model$gradients(object$estimate, rows$x)
  if (type == "report") {
    channel <- object$model$channel
    gradients <- lapply(seq_len(ncol(channel)), function(y) Reduce(`+`, Map(`*`, gradients, channel[, y])))
  }
  v <- object$limit
  error <- vapply(gradients, function(g) sqrt(pmax(rowSums((g %*% v) * g), 0)), numeric(nrow(fit)))
  list(fit = fit, se.fit = matrix(error, nrow(fit), dimnames = dimnames(fit)))
}

multinom_newdata <- function(object, newdata, reports) {
  if (is.null(newdata)) {
    return(list(x = object$model$x, codes = object$model$codes, names = rownames(object$frame)))
  }
  terms <- stats::delete.response(object$terms)
  frame <- newdata_frame(object, terms, newdata, all.vars(terms))
  x <- stats::model.matrix(terms, frame, contrasts.arg = object$contrasts)
  x <- x[, colnames(object$model$x), drop = FALSE]
  codes <- NULL
  if (reports && inherits(object$mechanism, "rr_product") && attr(object$terms, "response") == 0) {
    questions <- object$mechanism$questions
    absent <- setdiff(names(questions), names(newdata))
    if (length(absent)) abort_variable(absent[1], "newdata", newdata, "newdata")
    each <- Map(function(name, question) report_codes(newdata[[name]], question, name), names(questions), questions)
    codes <- as.integer(Reduce(`+`, Map(function(code, stride) (code - 1) * stride, each,
                                        cumprod(c(1, object$mechanism$report_sizes))[seq_along(each)])) + 1)
  } else if (reports) {
    if (attr(object$terms, "response") == 0 || !all(all.vars(object$terms[[2]]) %in% names(newdata))) {
      abort(c("A posterior needs the report, and {.arg newdata} has no {.val {object$response}}.",
              i = "{.code type = \"truth\"} does without."), "argument")
    }
    codes <- report_codes(eval(object$terms[[2]], newdata, environment(object$terms)), object$mechanism,
                          object$response)
  }
  list(x = x, codes = codes, names = rownames(newdata))
}

# The element `model`, which R would take for the data, holds the likelihood.
#' @importFrom stats model.frame
#' @export
model.frame.rr_multinom <- function(formula, ...) {
  formula$frame
}

#' @export
fitted.rr_multinom <- function(object, ...) {
  predict(object)
}

#' @export
tidy.rr_multinom <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, ...) {
  table <- NextMethod()
  if (x$type == "cumulative") return(table)
  levels <- x$model$levels[-1]
  table$term <- rep(x$model$columns, length(levels))
  tibble::add_column(table, y.level = rep(levels, each = length(x$model$columns)), .before = 1)
}

#' @export
glance.rr_multinom <- function(x, ...) {
  tibble::add_column(NextMethod(), type = x$type, categories = length(x$model$levels), .before = 1)
}

#' @rdname rr_multinom
#' @export
augment.rr_multinom <- function(x, ...) {
  truth <- predict(x)
  posterior <- predict(x, type = "posterior")
  colnames(truth) <- paste0(".truth.", colnames(truth))
  colnames(posterior) <- paste0(".posterior.", colnames(posterior))
  frame <- x$frame[setdiff(names(x$frame), "(weights)")]
  tibble::as_tibble(c(as.list(frame), as.list(as.data.frame(truth, optional = TRUE)),
                      as.list(as.data.frame(posterior, optional = TRUE)), list(.class = predict(x, type = "class"))))
}
