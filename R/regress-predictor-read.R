# Methods of fits of rr_predictor(): two sets of coefficients, and predicted means and truths of new respondents.

#' @rdname rr_predictor
#' @param object,x A fit of `rr_predictor()`.
#' @param part Which coefficients, see the value.
#' @export
coef.rr_predictor <- function(object, part = c("outcome", "truth", "both"), ...) {
  part <- check_choice(part, "part", c("outcome", "truth", "both"))
  if (part == "both") return(list(outcome = object$coefficients, truth = object$truth))
  if (part == "outcome") return(object$coefficients)
  if (is.null(object$truth)) abort_no_truth()
  object$truth
}

abort_no_truth <- function() {
  abort(c("A fit by moments has no model of the truth.", i = "Fit with {.code method = \"ml\"} for one."), "argument")
}

#' @rdname rr_predictor
#' @param type For `vcov()` `"observed"` (default of `"ml"`) or `"sandwich"` (the only one of `"moments"`), see [rr_regression]; for `predict()` see the value.
#' @param cluster For the sandwich, see [rr_regression].
#' @export
vcov.rr_predictor <- function(object, type = c("observed", "sandwich"), cluster = NULL,
                              part = c("outcome", "truth", "all"), ...) {
  part <- check_choice(part, "part", c("outcome", "truth", "all"))
  choices <- c("observed", "sandwich")
  type <- if (identical(type, choices)) {
    if (is.null(cluster) && object$method == "ml") "observed" else "sandwich"
  } else check_choice(type, "type", choices)
  if (object$method == "moments") {
    if (type == "observed") abort(c("A fit by moments only has the sandwich.", i = "Leave {.arg type} out."),
                                  "argument")
    if (part == "truth") abort_no_truth()
    return(structure(sandwich_covariance(object$bread, object$psi, cluster, object), dimnames = dimnames(object$vcov)))
  }
  if (type == "observed" && !is.null(cluster)) {
    abort(c("{.arg cluster} is for {.code type = \"sandwich\"}.", x = "{.arg type} is {.val {type}}."), "argument")
  }
  all <- object$vcov_all
  if (type == "sandwich") {
    if (length(object$infinite)) {
      abort(c("With coefficients at infinity there is only the observed information.",
              x = "Infinite: {.val {utils::head(object$infinite, 5)}}."), "argument")
    }
    all <- structure(sandwich_covariance(all, object$scores, cluster, object), dimnames = dimnames(all))
  }
  if (part == "all") return(all)
  at <- if (part == "truth") object$model$at_truth else object$model$at_outcome
  all[at, at, drop = FALSE]
}

#' @importFrom stats sigma
#' @export
sigma.rr_predictor <- function(object, ...) {
  if (!is.null(object$sigma)) return(object$sigma)
  abort(c("This fit has no standard deviation of errors.", x = "Its family is {object$family$family}."), "argument")
}

#' @export
tidy.rr_predictor <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, ...) {
  if (check_flag(exponentiate, "exponentiate")) check_logarithms(x)
  table <- tibble::add_column(coefficient_table(x$coefficients, vcov(x), conf.int, conf.level), component = "outcome",
                              .before = 1)
  if (length(x$truth)) {
    truth <- coefficient_table(x$truth, vcov(x, part = "truth"), conf.int, conf.level)
    table <- rbind(table, tibble::add_column(truth, component = "truth", .before = 1))
  }
  if (exponentiate) exponentiated(table) else table
}

# Of a logistic and a Poisson outcome the coefficients are logarithms of odds and of rates, and those of the truth are
# logarithms of odds; of a linear outcome they are differences of means.
check_logarithms <- function(fit) {
  if (fit$family$family != "gaussian") return(invisible())
  abort(c("{.arg exponentiate} must be {.val {FALSE}} for a fit of {.fn rr_predictor} with a linear outcome.",
          x = "Its coefficients are differences of means, not logarithms.",
          i = "Those of the truth are: {.code exp(fit$truth)}."), "argument")
}

#' @export
glance.rr_predictor <- function(x, ...) {
  tibble::add_column(NextMethod(), method = x$method, family = x$family$family, sigma = x$sigma %||% NA_real_,
                     .before = 1)
}

#' @rdname rr_predictor
#' @param newdata A data frame; by default the data of the fit.
#' @param se.fit Standard errors too, as a list of `fit` and `se.fit`?
#' @export
predict.rr_predictor <- function(object, newdata = NULL, truth = NULL, type = c("outcome", "link", "truth",
                                                                                "posterior"),
                                 se.fit = FALSE, ...) {
  type <- check_choice(type, "type", c("outcome", "link", "truth", "posterior"))
  check_flag(se.fit, "se.fit")
  rows <- object$rows
  if (type %in% c("truth", "posterior") && object$method == "moments") abort_no_truth()
  if (type == "posterior") {
    if (!is.null(newdata)) abort(c("{.arg newdata} is not for posteriors.", x = "They are of the rows of the fit."),
                                 "argument")
    return(label_cells(cell_sums(object, object$model$parts(object$estimate)$r), rows))
  }
  shares <- object$method == "ml" && (type == "truth" || is.null(truth))
  frame <- if (is.null(newdata)) rows$frame else predictor_newdata(object, newdata, type != "truth", shares)
  if (type == "truth") return(label_cells(truth_shares(object, frame), rows))
  if (length(rows$covariates) && is.null(truth)) {
    if (object$method == "moments") {
      abort(c("{.arg truth} is needed: a fit by moments does not know how the truth is distributed.",
              i = "For example {.code truth = list({rows$covariates[1]} = \"{rows$levels[[1]][2]}\")}."), "argument")
    }
    if (se.fit || type == "link") {
      abort(c("{.arg se.fit} and {.code type = \"link\"} need {.arg truth}."), "argument")
    }
    means <- vapply(new_designs(object, frame),
                    function(x) object$family$linkinv(drop(x %*% free_coefficients(object))),
                    numeric(nrow(frame)))
    return(rowSums(matrix(means, nrow(frame)) * truth_shares(object, frame)))
  }
  x <- new_designs(object, frame, truth_cell(rows, truth))[[1]]
  b <- object$estimate[if (object$method == "ml") object$model$at_outcome else seq_along(object$estimate)]
  eta <- drop(x %*% b)
  mean <- if (type == "link") eta else object$family$linkinv(eta)
  if (!se.fit) return(mean)
  slope <- if (type == "link") 1 else object$family$mu.eta(eta)
  list(fit = mean, se.fit = abs(slope) * sqrt(pmax(rowSums((x %*% object$vcov) * x), 0)))
}

truth_cell <- function(rows, truth) {
  if (!length(rows$covariates)) return(1L)
  good <- is.list(truth) || is.character(truth)
  if (!good || !setequal(names(truth), rows$covariates)) {
    abort(c("{.arg truth} must name a truth for each randomized covariate.", x = "It is {describe(truth)}.",
            i = "The covariates are {format_labels(rows$covariates)}."), "argument")
  }
  at <- vapply(rows$covariates, function(name) {
    place <- match_labels(label_text(truth[[name]]), list(reports = rows$levels[[name]]))
    if (length(place) == 1L && !is.na(place)) return(place)
    abort(c("{.arg truth} must hold levels.", x = "{.val {name}} is {describe(truth[[name]])}.",
            i = "The levels are {format_labels(rows$levels[[name]])}."), "level")
  }, 0L)
  which(Reduce(`&`, Map(function(name, place) rows$cells[[name]] == place, rows$covariates, at)))
}

# New rows with the exact covariates of the model of the outcome, and with `shares` those of the models of the truth.
predictor_newdata <- function(object, newdata, outcome, shares) {
  if (!is.data.frame(newdata)) {
    abort(c("{.arg newdata} must be a data frame.", x = "It is {describe(newdata)}."), "argument")
  }
  rows <- object$rows
  models <- c(if (outcome) list(stats::delete.response(rows$terms)), if (shares) unname(rows$truth_formulas))
  needed <- setdiff(unique(unlist(lapply(models, all.vars))), rows$covariates)
  known <- needed[needed %in% names(rows$frame)]
  absent <- setdiff(known, names(newdata))
  if (length(absent)) abort_variable(absent[1], "newdata", newdata, "newdata")
  xlevels <- c(rows$made$xlevels,
               if (shares) unlist(lapply(object$model$truth, function(part) part$made$xlevels), recursive = FALSE))
  fitting_columns(object, newdata, needed, xlevels[setdiff(names(xlevels), rows$covariates)])
}

new_designs <- function(object, frame, which = seq_len(max(1L, nrow(object$rows$cells)))) {
  rows <- object$rows
  rows$cells <- rows$cells[which, , drop = FALSE]
  lapply(predictor_designs(NULL, frame, rows, rows$made), function(x) x[, rows$names[rows$keep], drop = FALSE])
}

# P(combination of truths | covariates) of new rows.
truth_shares <- function(object, frame) {
  rows <- object$rows
  shares <- matrix(1, nrow(frame), nrow(rows$cells))
  at <- 0
  for (part in object$model$truth) {
    rows$cells <- object$rows$cells[part$first, , drop = FALSE]
    z <- predictor_designs(NULL, frame, rows, part$made)
    b <- matrix(object$estimate[at + seq_len(length(part$keep) * (part$k - 1))], length(part$keep))
    at <- at + length(b)
    each <- lapply(z, function(x) multinomial_truths(x[, part$names, drop = FALSE], b))
    for (cell in seq_len(ncol(shares))) shares[, cell] <- shares[, cell] * each[[part$of[cell]]][, part$level[cell]]
  }
  shares
}

# Over the outcome's own truth, where that is not seen.
cell_sums <- function(object, r) {
  cell <- object$model$cells$cell
  vapply(seq_along(object$rows$x), function(c) rowSums(r[, cell == c, drop = FALSE]), numeric(nrow(r)))
}

label_cells <- function(shares, rows) {
  labels <- Map(function(name, place) rows$levels[[name]][place], rows$covariates, as.list(rows$cells))
  shares <- matrix(shares, ncol = max(1L, nrow(rows$cells)))
  if (length(labels)) colnames(shares) <- do.call(paste, c(unname(labels), sep = ", "))
  shares
}

#' @rdname rr_predictor
#' @export
augment.rr_predictor <- function(x, ...) {
  frame <- as.list(x$frame[setdiff(names(x$frame), "(weights)")])
  if (x$method == "moments") return(tibble::as_tibble(frame))
  posterior <- predict(x, type = "posterior")
  if (length(x$rows$covariates)) colnames(posterior) <- paste0(".posterior.",
                                                               colnames(posterior)) else posterior <- NULL
  tibble::as_tibble(c(frame, list(.fitted = unname(predict(x))),
                      if (!is.null(posterior)) as.list(as.data.frame(posterior, optional = TRUE))))
}
