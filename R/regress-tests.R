# Likelihood ratio tests between fits of rr_glm() and of single terms, here and for other packages,
# which would take these fits for a plain glm: refit it without its penalty and its unknown number.

#' @rdname glm_methods
#' @export
anova.rr_glm <- function(object, ..., test = c("LRT", "Chisq", "none")) {
  test <- check_choice(test)
  fits <- given_models(object, ..., accepted = names(formals()))
  if (length(fits) == 2L && inherits(fits[[2]], "rr_glm_mixed")) {
    return(anova(fits[[2]], object))
  }
  if (length(fits) == 1L && has_study(fits)) return(wald_terms(object, test))
  refuse_ratios(fits)
  alone <- length(fits) == 1L
  steps <- if (alone) sequential_steps(object) else nested_steps(fits)
  labels <- if (alone) {
    c("NULL", attr(object$terms, "term.labels"))
  } else {
    as.character(seq_along(fits))
  }
  gain <- diff(steps[1, ])
  table <- data.frame(
    df = steps[1, ],
    logLik = steps[2, ],
    Df = c(NA, gain),
    LR = c(
      NA, 2 * diff(steps[2, ]) * ifelse(gain < 0, -1, 1)
    ),
    row.names = labels
  )
  names(table)[1] <- "Model Df"
  models <- paste0(
    "Model ", labels, ": ", lapply(fits, function(fit) deparse1(formula(fit)))
  )
  ratio_table(table, "LR", test, c(ratio_heading, if (!alone) models))
}

# Degrees of freedom and log-likelihood of terms added one after another, each from the one before.
sequential_steps <- function(fit) {
  assign <- column_terms(fit)
  step <- NULL
  vapply(seq(0, max(assign)), function(k) {
    step <<- refit_columns(fit, which(assign <= k), if (length(step$b)) step)
    c(step$rank + length(fit$parameter), step$value + fit$constant)
  }, c(0, 0))
}

#' @rdname rr_goodness_of_fit
#' @export
rr_goodness_of_fit.rr_glm <- function(fit, groups = 10, ...) {
  check_dots_empty(...)
  groups <- check_count(groups, "groups", min = 3)
  if (!is.null(fit$design)) abort("{.fn rr_goodness_of_fit} is not available with a survey design.")
  refuse_validated(fit_mechanisms(fit), "{.fn rr_goodness_of_fit}")
  used <- fit$prior.weights > 0
  w <- fit$prior.weights[used]
  mu <- fit$fitted.values[used]
  y <- fit$y[used]
  patterns <- length(unique(signif(mu, 12)))
  many <- patterns > groups
  breaks <- if (many) unique(quantile(mu, seq(0, groups) / groups))
  group <- if (many) {
    findInterval(mu, breaks, left.open = TRUE, rightmost.closed = TRUE)
  } else {
    signif(mu, 12)
  }
  seen <- rowsum(w * cbind(y, 1 - y), group)
  expected <- rowsum(w * cbind(mu, 1 - mu), group)
  df <- as.double(
    min(
      patterns - fit$rank - length(fit$parameter), if (many) nrow(seen) - 2
    )
  )
  statistic <- c(
    sum((seen - expected)^2 / expected),
    2 * sum(ifelse(seen > 0, seen * log(seen / expected), 0))
  )
  p <- if (df > 0) pchisq(statistic, df, lower.tail = FALSE) else NA_real_
  with_class(
    tibble(test = c("Pearson", "deviance"), statistic = statistic, df = df, p.value = p),
    "rr_goodness"
  )
}

# Each term beside all others.
wald_terms <- function(fit, test) {
  check_wald(fit)
  assign <- column_terms(fit)
  V <- vcov(fit)
  terms <- seq_along(attr(fit$terms, "term.labels"))
  columns <- lapply(terms, function(term) which(assign == term & is.finite(fit$coefficients)))
  table <- data.frame(
    Df = lengths(columns),
    Wald = vapply(
      columns,
      function(index) {
        if (!length(index)) {
          NA_real_
        } else {
          sum(
            fit$coefficients[index] * solve(V[index, index], fit$coefficients[index])
          )
        }
      },
      0
    ),
    row.names = attr(fit$terms, "term.labels")
  )
  ratio_table(
    table, "Wald", test,
    c(
      "Wald tests of the truth's regression, each term beside all others\n",
      "A validation study estimated the channel: likelihood ratios take it for known\n"
    )
  )
}

ratio_heading <- "Likelihood ratio tests of the truth's regression\n"

# The table with the p values of the column `ratio`.
ratio_table <- function(table, ratio, test, heading) {
  if (test != "none") {
    Df <- abs(table$Df)
    table[["Pr(>Chi)"]] <- ifelse(
      Df > 0, pchisq(pmax(0, table[[ratio]]), Df, lower.tail = FALSE),
      NA
    )
  }
  structure(table, heading = heading, class = c("anova", "data.frame"))
}

# The term of each column of the design matrix.
column_terms <- function(fit) attr(model.matrix(fit), "assign")

check_comparable <- function(fits) {
  first <- fits[[1]]
  for (fit in fits[-1]) {
    check_class(fit, "...", "rr_glm", "fits of {.fn rr_glm}")
    same <- !is.null(fit$unknown) ||
      isTRUE(all.equal(fit$device, first$device, check.attributes = FALSE))
    if (!same || length(fit$y) != length(first$y)) {
      abort("The fits must be of the same rows and mechanisms.", "mismatch")
    }
  }
  check_same_reports(fits)
}

# A larger model is at least as high as a smaller one: where its starts missed that, it climbs from
# there.
nested_steps <- function(fits) {
  check_comparable(fits)
  df <- vapply(fits, function(fit) fit$df, 0)
  value <- vapply(fits, function(fit) fit$loglik + fit$constant, 0)
  for (i in seq_along(fits)) {
    for (j in which(df < df[i])) {
      fit <- fits[[i]]
      if (value[i] >= value[j] - 1e-6 || fit$penalty != "none") next
      small <- fits[[j]]
      data <- fitted_data(fit)
      eta <- predictor_of(model.matrix(small), small$point, small$offset) -
        (fit$offset %||% 0)
      near <- lm.fit(data$x, eta)$coefficients
      near[is.na(near)] <- 0
      value[i] <- fit$constant +
        max(fit$loglik, regress_maximum(data, 1, c(near, small$parameter))$value)
    }
  }
  rbind(df, value)
}

# The same rows with fewer columns; `near`: coefficients of a smaller model, of the first columns.
refit_columns <- function(fit, columns, near = NULL) {
  data <- fitted_data(fit)
  data$x <- data$x[, columns, drop = FALSE]
  if (!length(columns)) {
    n <- length(data$y)
    value <- if (is.null(data$unknown)) {
      rows <- data_rows(data, data$offset %||% numeric(n))
      sum(data$weight * rows$loglik)
    } else {
      # The unknown number is estimated alone.
      starts <- qlogis(c(0.05, 0.2, 0.5, 0.8, 0.95))
      max(climb(regress_model(data, basis = empty_basis(n)), starts)$value)
    }
    return(list(value = value, rank = 0))
  }
  start <- if (!is.null(near)) {
    first <- seq_len(near$columns)
    c(
      near$b[first], numeric(length(columns) - near$columns),
      near$b[-first]
    )
  }
  maximum <- regress_maximum(data, fit$starts.asked, start, fit$penalty)
  value <- if (fit$penalty == "none") {
    maximum$value
  } else {
    regress_value(maximum$model, maximum$b)$value
  }
  list(
    value = value,
    rank = maximum$model$k,
    b = maximum$model$natural(maximum$b),
    columns = length(columns)
  )
}

# ---- single terms ----

#' @rdname glm_methods
#' @export
drop1.rr_glm <- function(
  object, scope = NULL, test = c("LRT", "Chisq", "none"), k = 2, ...
) {
  refuse_ratios(list(object))
  labels <- if (is.null(scope)) {
    drop.scope(object)
  } else if (is.character(scope)) {
    scope
  } else {
    attr(terms(update.formula(object, scope)), "term.labels")
  }
  assign <- column_terms(object)
  index <- match(labels, attr(object$terms, "term.labels"))
  check_that(!anyNA(index), scope, "scope", "terms of the fit, as a formula or their names")
  fits <- lapply(index, function(term) refit_columns(object, which(assign != term)))
  change_table(object, fits, labels, test, k, "Single term deletions")
}

#' @rdname glm_methods
#' @export
add1.rr_glm <- function(
  object, scope, test = c("LRT", "Chisq", "none"), k = 2, ...
) {
  add_terms(object, scope, test, k, parent.frame())
}

# `caller`: where the data of the fit are found.
add_terms <- function(object, scope, test, k, caller) {
  refuse_ratios(list(object))
  labels <- if (is.character(scope)) scope else add.scope(object, update.formula(object, scope))
  fits <- lapply(labels, function(label) {
    wider <- update(object, as.formula(paste("~ . +", label)), evaluate = FALSE)
    fit <- suppressWarnings(eval(wider, caller))
    check_comparable(list(object, fit))
    list(value = fit$loglik, rank = fit$rank)
  })
  change_table(object, fits, labels, test, k, "Single term additions")
}

# `k`: the price of a parameter, which step() passes on.
change_table <- function(object, fits, labels, test, k, heading) {
  test <- check_choice(test, "test", c("LRT", "Chisq", "none"))
  check_number(k, "k")
  value <- c(object$loglik, vapply(fits, `[[`, 0, "value")) + object$constant
  df <- c(object$rank, vapply(fits, `[[`, 0, "rank")) +
    length(object$parameter)
  table <- data.frame(
    Df = c(NA, abs(df[-1] - df[1])),
    logLik = value,
    AIC = -2 * value + k * df,
    row.names = c("<none>", labels)
  )
  if (test != "none") {
    table$LRT <- c(
      NA,
      2 * pmax(
        0,
        (value[-1] - value[1]) *
          sign(df[-1] - df[1])
      )
    )
  }
  ratio_table(table, "LRT", test, c(heading, "\nModel:", deparse1(formula(object))))
}

#' @exportS3Method MASS::dropterm
dropterm.rr_glm <- function(
  object, scope = NULL, scale = 0, test = "none", k = 2, sorted = FALSE, ...
) {
  table <- drop1(object, scope, test[1], k)
  if (sorted) table[order(table$AIC), ] else table
}

#' @exportS3Method MASS::addterm
addterm.rr_glm <- function(
  object, scope, scale = 0, test = "none", k = 2, sorted = FALSE, ...
) {
  table <- add_terms(object, scope, test[1], k, parent.frame())
  if (sorted) table[order(table$AIC), ] else table
}

# ---- tests of other packages ----

#' @exportS3Method car::Anova
Anova.rr_glm <- function(
  mod, type = c("II", "III", 2, 3), test.statistic = NULL, ...
) {
  type <- check_choice(as.character(type[1]), "type")
  choices <- c(
    if (!is.null(mod$design)) "F",
    if (is.null(mod$design) && !has_study(list(mod))) "LR", "Wald", "LR"
  )
  statistic <- check_choice(test.statistic %||% choices[1], "test.statistic", unique(choices))
  if (statistic == "LR") {
    warn_ignored(..., accepted = names(formals()))
    refuse_ratios(list(mod))
    return(term_ratios(mod, type %in% c("II", "2")))
  }
  check_wald(mod)
  # The tests of coefficients that car makes of any model, which it does not export.
  wald <- getS3method("Anova", "default", envir = asNamespace("car"))
  wald(mod, type = type, test.statistic = if (statistic == "F") "F" else "Chisq", ...)
}

# car would test a part of these coefficients, some for each category.
#' @exportS3Method car::Anova
Anova.rr_regression <- function(mod, ...) {
  refuse_pseudo(list(mod))
  abort(c(
    "Terms of these models are tested by two fits: {.code anova(small, large)}.",
    i = "Coefficients of randomized variables: {.code car::linearHypothesis()}."
  ))
}

# Each term against the model without it; by type II without the interactions that it is part of as
# well.
term_ratios <- function(fit, marginal) {
  assign <- column_terms(fit)
  factors <- attr(fit$terms, "factors") > 0
  labels <- attr(fit$terms, "term.labels")
  rows <- vapply(
    seq_along(labels),
    function(k) {
      containing <- setdiff(
        which(
          colSums(factors[factors[, k], , drop = FALSE]) ==
            sum(factors[, k])
        ),
        k
      )
      if (!marginal) containing <- integer()
      large <- refit_columns(fit, which(!assign %in% containing))
      small <- refit_columns(fit, which(!assign %in% c(k, containing)))
      c(
        2 * max(0, large$value - small$value), large$rank - small$rank
      )
    },
    numeric(2)
  )
  rows[1, rows[2, ] == 0] <- NA
  table <- data.frame(
    `LR Chisq` = rows[1, ],
    Df = rows[2, ],
    row.names = labels,
    check.names = FALSE
  )
  table <- ratio_table(
    table, "LR Chisq", "LRT", c(ratio_heading, paste("Model:", deparse1(formula(fit))))
  )
  names(table)[3] <- "Pr(>Chisq)"
  table
}

# Wald's tests need finite coefficients, and degrees of freedom of the design.
check_wald <- function(fit) {
  if (any(is.infinite(fit$coefficients)) || is.na(coefficient_freedom(fit))) {
    abort("A Wald test needs finite coefficients, and degrees of freedom.")
  }
}

#' @exportS3Method car::linearHypothesis
linearHypothesis.rr_glm <- function(model, hypothesis.matrix, rhs = NULL, test = NULL, ...) {
  check_wald(model)
  statistic <- test %||% if (is.null(model$design)) "Chisq" else "F"
  NextMethod(test = statistic)
}

#' @exportS3Method car::linearHypothesis
linearHypothesis.rr_regression <- linearHypothesis.rr_glm

# The coefficients have the names of the covariance, such as "once:age".
#' @exportS3Method car::linearHypothesis
linearHypothesis.rr_multinom <- function(model, ...) NextMethod(coef. = model$coefficients)

# lmtest takes the coefficients of any glm for normal.
#' @exportS3Method lmtest::coeftest
coeftest.rr_glm <- function(x, vcov. = NULL, df = NULL, ...) {
  freedom <- df %||% outer_freedom(x, vcov.)
  NextMethod(df = freedom)
}

#' @exportS3Method lmtest::coefci
coefci.rr_glm <- function(
  x, parm = NULL, level = 0.95, vcov. = NULL, df = NULL, ...
) {
  freedom <- df %||% outer_freedom(x, vcov.)
  NextMethod(df = freedom)
}

# A covariance from outside need not be the design's.
outer_freedom <- function(fit, vcov.) {
  if (!is.null(vcov.)) return(Inf)
  if (!is.null(fit$design)) check_wald(fit)
  coefficient_freedom(fit)
}

#' @rawNamespace S3method(sandwich::estfun, rr_glm)
estfun.rr_glm <- function(x, ...) {
  row_scores(x)[, seq_len(sum(is.finite(x$coefficients))), drop = FALSE]
}

#' @rawNamespace S3method(sandwich::bread, rr_glm)
bread.rr_glm <- function(x, ...) {
  refuse_validated(fit_mechanisms(x), "{.fn bread}")
  if (!is.null(x$design)) {
    abort("{.fn bread} has no place for a survey design, whose variance is {.code vcov(fit)}.")
  }
  index <- which(is.finite(x$coefficients))
  bread_of(x)[index, index, drop = FALSE] * length(x$y)
}
