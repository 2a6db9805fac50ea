# Likelihood ratio tests between fits of rr_glm(), and of single terms.

#' @rdname rr_glm_methods
#' @export
anova.rr_glm <- function(object, ..., test = c("LRT", "Chisq", "none")) {
  test <- check_choice(test, "test", c("LRT", "Chisq", "none"))
  others <- list(...)
  refuse_ratio(c(list(object), Filter(function(fit) inherits(fit, "rr_glm"), others)))
  fits <- if (length(others)) c(list(object), others) else term_fits(object)
  if (length(others)) check_comparable(fits)
  df <- vapply(fits, function(f) attr(stats::logLik(f), "df"), 0)
  loglik <- vapply(fits, function(f) as.numeric(stats::logLik(f)), 0)
  # A larger model is at least as high as a smaller one: where its starts missed that, it climbs from there.
  for (i in if (length(others)) seq_along(fits)) for (j in which(df < df[i])) {
    if (loglik[i] < loglik[j] - 1e-6) loglik[i] <- fits[[i]]$constant + nested_height(fits[[i]], fits[[j]])
  }
  rows <- length(fits)
  ratio <- c(NA, 2 * diff(loglik) * ifelse(diff(df) < 0, -1, 1))
  table <- data.frame(df = df, logLik = loglik, Df = c(NA, diff(df)), LR = ratio)
  if (test != "none") {
    table$p <- c(NA, stats::pchisq(pmax(0, table$LR[-1]), abs(table$Df[-1]), lower.tail = FALSE))
    table$p[table$Df == 0] <- NA
  }
  names(table) <- c("Model Df", "logLik", "Df", "LR", if (test != "none") "Pr(>Chi)")
  labels <- if (length(others)) paste0("Model ", seq_len(rows), ": ",
                                       vapply(fits, function(f) deparse1(stats::formula(f)), ""))
  rownames(table) <- if (length(others)) as.character(seq_len(rows)) else names(fits)
  structure(table, heading = c("Likelihood ratio tests of the truth's regression\n", labels),
            class = c("anova", "data.frame"))
}

check_comparable <- function(fits) {
  for (fit in fits[-1]) {
    if (!inherits(fit, "rr_glm")) {
      abort(c("{.fn anova} compares fits of {.fn rr_glm}.", x = "One is {describe(fit)}."), "argument")
    }
    if (length(fit$y) != length(fits[[1]]$y)) {
      abort(c("The fits must be of the same rows.", x = "They have {length(fits[[1]]$y)} and {length(fit$y)}."),
            "mismatch")
    }
    if (!isTRUE(all.equal(fit$device, fits[[1]]$device, check.attributes = FALSE)) && is.null(fit$unknown)) {
      abort("The fits must have the same mechanisms.", "mismatch")
    }
  }
}

# The likelihood of a fit, or what it climbs to from the linear predictors of a smaller one.
nested_height <- function(fit, small) {
  if (fit$penalty != "none") return(fit$loglik)
  data <- fitted_data(fit)
  eta <- predictor_of(stats::model.matrix(small), small$point, small$offset) - (fit$offset %||% 0)
  near <- stats::lm.fit(data$x, eta)$coefficients
  near[is.na(near)] <- 0
  max(fit$loglik, regress_maximum(data, 1, c(near, small$parameter))$value)
}

# The same rows with fewer columns; `near`: coefficients of a smaller model, of the first columns.
refit_columns <- function(fit, columns, near = NULL) {
  data <- fitted_data(fit)
  data$x <- data$x[, columns, drop = FALSE]
  if (!length(columns)) {
    rows <- regress_rows(data$offset %||% numeric(length(data$y)), data$y, data$arm, data$device, data$link)
    return(list(value = sum(data$weight * rows$loglik), rank = 0))
  }
  start <- if (!is.null(near)) {
    first <- seq_len(near$columns)
    c(near$b[first], numeric(length(columns) - near$columns), near$b[-first])
  }
  maximum <- penalty_maximum(data, fit$penalty, fit$starts.asked, start)
  value <- if (fit$penalty == "none") maximum$value else regress_value(maximum$model, maximum$b)$value
  list(value = value, rank = maximum$model$k, b = natural(maximum$model, maximum$b), columns = length(columns))
}

# Terms added one after another, each from the one before.
term_fits <- function(fit) {
  assign <- attr(stats::model.matrix(fit), "assign")
  labels <- attr(fit$terms, "term.labels")
  part <- NULL
  fits <- lapply(c(0, seq_along(labels)), function(k) {
    part <<- refit_columns(fit, which(assign <= k), if (length(part$b)) part)
    structure(list(value = part$value + fit$constant, df = part$rank + length(fit$parameter)), class = "rr_term_fit")
  })
  stats::setNames(fits, c("NULL", labels))
}

#' @export
logLik.rr_term_fit <- function(object, ...) structure(object$value, df = object$df, class = "logLik")

#' @rdname rr_glm_methods
#' @param scope Terms, as a formula or names, see [stats::drop1()]; by default all that can be dropped.
#' @export
drop1.rr_glm <- function(object, scope = NULL, test = c("LRT", "Chisq", "none"), k = 2, ...) {
  test <- check_choice(test, "test", c("LRT", "Chisq", "none"))
  refuse_ratio(list(object))
  labels <- if (is.null(scope)) stats::drop.scope(object)
    else if (is.character(scope)) scope else attr(stats::terms(stats::update.formula(object, scope)), "term.labels")
  x <- stats::model.matrix(object)
  assign <- attr(x, "assign")
  places <- match(labels, attr(object$terms, "term.labels"))
  parts <- lapply(places, function(place) refit_columns(object, which(assign != place)))
  change_table(object, parts, labels, test, k, "Single term deletions")
}

#' @rdname rr_glm_methods
#' @export
add1.rr_glm <- function(object, scope, test = c("LRT", "Chisq", "none"), k = 2, ...) {
  test <- check_choice(test, "test", c("LRT", "Chisq", "none"))
  add_terms(object, scope, test, k, parent.frame())
}

# `caller`: where the data of the fit are found.
add_terms <- function(object, scope, test, k, caller) {
  refuse_ratio(list(object))
  labels <- if (is.character(scope)) scope else stats::add.scope(object, stats::update.formula(object, scope))
  parts <- lapply(labels, function(label) {
    wider <- stats::update(object, stats::as.formula(paste("~ . +", label)), evaluate = FALSE)
    fit <- suppressWarnings(eval(wider, caller))
    check_comparable(list(object, fit))
    list(value = fit$loglik, rank = fit$rank)
  })
  change_table(object, parts, labels, test, k, "Single term additions")
}

# `k`: the price of a parameter, which step() passes on.
change_table <- function(object, parts, labels, test, k, heading) {
  value <- c(object$loglik, vapply(parts, `[[`, 0, "value")) + object$constant
  df <- c(object$rank, vapply(parts, `[[`, 0, "rank")) + length(object$parameter)
  table <- data.frame(Df = c(NA, abs(df[-1] - df[1])), logLik = value, AIC = -2 * value + k * df)
  if (test != "none") {
    table$LRT <- c(NA, 2 * pmax(0, (value[-1] - value[1]) * sign(df[-1] - df[1])))
    table$p <- stats::pchisq(table$LRT, table$Df, lower.tail = FALSE)
    names(table)[5] <- "Pr(>Chi)"
  }
  rownames(table) <- c("<none>", labels)
  structure(table, heading = c(heading, "\nModel:", deparse1(stats::formula(object))), class = c("anova", "data.frame"))
}
