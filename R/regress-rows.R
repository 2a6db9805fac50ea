# From a formula and a data frame to what the likelihoods of this room read: design matrices, codes of reports,
# channels.

# The model frame, as lm() makes it: `call` is that of the fitter, evaluated where the user stands. `reports` are the
# columns that hold reports, `outcome` is one that is a number whatever its labels.
regression_frame <- function(call, formula, data, where, reports = character(), outcome = character()) {
  keep <- match(c("weights", "subset", "na.action"), names(call), 0L)
  further <- as.list(call)[keep]
  home <- environment(formula) %||% where
  check_terms(formula)
  if ("weights" %in% names(further)) further$weights <- column_expression(further$weights, data, home, "weights")
  check_variables(c(list(formula = formula), further[intersect(c("weights", "subset"), names(further))]), data, home)
  for (name in intersect(outcome, setdiff(names(data), reports))) {
    if (is_labelled(data[[name]])) data[[name]] <- as.vector(unclass(without_missing_codes(data[[name]])))
  }
  data <- plain_columns(data, reports, regression_variables(formula, data))
  frame_call <- as.call(c(quote(stats::model.frame), list(formula = formula, data = data, drop.unused.levels = TRUE),
                          further))
  frame <- tryCatch(eval(frame_call, where), error = function(e) {
    if (inherits(e, "candor_error")) stop(e)
    abort(c("The variables of the model cannot be put together.", x = "{conditionMessage(e)}."), "argument")
  })
  if (!is.null(stats::model.offset(frame))) {
    abort(c("{.arg formula} must not have an offset here.", i = "Offsets are for {.fn rr_glm}."), "argument")
  }
  if (!nrow(frame)) {
    abort(c("No row is complete.", x = "Every row has a missing value, or {.arg subset} leaves none."), "empty")
  }
  tell_number_text(frame[setdiff(names(frame), reports)])
  frame
}

# Numbers that a file's reader took for text are fitted as categories, each of them one. A few may be codes, and codes
# may begin with a zero.
tell_number_text <- function(frame) {
  for (name in names(frame)) {
    values <- if (is.character(frame[[name]])) unique(frame[[name]])
    values <- values[!is.na(values)]
    if (length(values) <= 12L || !all(grepl("^-?(0|[1-9][0-9]*)([.][0-9]+)?$", values))) next
    cli::cli_inform(c("{.val {name}} is text of numbers: each of {length(values)} is a category of its own.",
                      i = "If it is a number, make it one: {.code transform(data, {name} = as.numeric({name}))}."),
                    class = "candor_message_numbers")
  }
}

check_formula <- function(formula, response = TRUE) {
  if (inherits(formula, "formula") && (!response || length(formula) == 3L)) return(formula)
  if (inherits(formula, "formula")) {
    abort(c("{.arg formula} must name the response.", x = "It is {.code {deparse1(formula)}}.",
            i = "Write it to the left: {.code answer ~ age + sex}."), "argument")
  }
  abort(c("{.arg formula} must be a formula.", x = "It is {describe(formula)}.",
          i = "For example {.code answer ~ age + sex}."), "argument")
}

frame_weights <- function(frame) {
  weights <- stats::model.weights(frame)
  if (is.null(weights)) return(rep(1, nrow(frame)))
  bad <- if (is.numeric(weights)) which(is.na(weights) | weights < 0 | is.infinite(weights)) else 1L
  if (length(bad)) {
    abort(c("{.arg weights} must be finite numbers, at least 0.",
            x = "Weight {bad[1]} is {describe(weights[bad[1]])}."),
          "argument")
  }
  as.double(weights)
}

# A likelihood takes weights for numbers of respondents. Those of a survey would pass for them.
tell_sampling_weights <- function(weights) {
  if (all(abs(weights - round(weights)) <= 1e-6 * pmax(1, weights))) return(invisible())
  cli::cli_inform(c("Weights are taken for numbers of respondents, and some are not whole.",
                    i = paste("If they are survey weights, standard errors are wrong:",
                              "read {.code vcov(fit, type = \"sandwich\")}.")), class = "candor_message_weights")
}

# A report that no truth can give, by its first row.
check_possible <- function(codes, channel, mechanism, name) {
  never <- which(colSums(channel) == 0)
  bad <- which(codes %in% never)
  if (!length(bad)) return(invisible())
  abort(c("The data are impossible under this mechanism.",
          x = paste("{.val {name}} is {.val {mechanism$reports[codes[bad[1]]]}} in row {bad[1]},",
                    "which no truth can produce.")),
        "impossible")
}

# Columns that the others determine: dropped, told, and NA in the coefficients, as glm() has it.
independent_columns <- function(x, weights = NULL) {
  rows <- if (is.null(weights) || all(weights > 0)) x else x[weights > 0, , drop = FALSE]
  parts <- qr(rows, tol = 1e-9)
  keep <- sort(parts$pivot[seq_len(parts$rank)])
  aliased <- colnames(x)[-keep]
  if (length(keep) < ncol(x) && length(aliased)) {
    cli::cli_inform("{cli::qty(length(aliased))}Coefficient{?s} not determined by the others: {.val {aliased}}.",
                    class = "candor_message_aliased")
  }
  keep
}

check_enough_rows <- function(n, parameters) {
  if (n >= parameters) return(invisible())
  abort(c("There are fewer rows than coefficients.", x = "{n} rows, {parameters} coefficients."), "argument")
}

check_starts <- function(starts) check_count(starts, "starts", min = 1, max = 1000)

# A tally by groups is a table of reports by covariates: one row per cell, its count as the weight.
tally_rows <- function(tally, response) {
  counts <- as.matrix(tally$counts)
  k <- nrow(counts)
  # Weighted reports are worth their effective number, as everywhere.
  counts <- sweep(counts, 2, tally$effective_n / tally$n, `*`)
  keys <- lapply(as.list(tally$groups), rep, each = k)
  rows <- c(stats::setNames(list(factor(rep(tally$mechanism$reports, ncol(counts)), tally$mechanism$reports)),
                            response),
            keys)
  rows <- as.data.frame(rows, optional = TRUE)
  list(data = rows, counts = as.vector(counts))
}
