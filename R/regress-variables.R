# The variables of a regression: whether they are there, and what labelled ones stand for.

# The first three arguments of a regression are of three kinds, which tell when they were swapped. `design` says
# whether the function takes a survey design.
check_model_order <- function(formula, data, mechanism, design = FALSE) {
  given <- list(formula = formula, data = data, mechanism = mechanism)
  if (is_design(data)) abort_design("{.arg data} must be a data frame, or a tally by groups.", design)
  kinds <- vapply(given, model_part, "")
  swapped <- which(!is.na(kinds) & kinds != names(given))
  if (!length(swapped)) return(invisible())
  wanted <- c(formula = "a formula, as in {.code report ~ age}", data = "a data frame, or a tally by groups",
              mechanism = "a mechanism")
  # An argument that nobody gave is not named as the one that is wrong.
  first <- names(given)[swapped[1]]
  what <- c(formula = "a formula", data = describe(given[[first]]), mechanism = "a mechanism")[[kinds[swapped[1]]]]
  abort(c(paste0("{.arg {first}} must be ", wanted[[first]], "."), x = "It is {what}.",
          i = "The order is {.arg formula}, {.arg data}, {.arg mechanism}, or name them."), "argument")
}

abort_design <- function(what, design = FALSE) {
  abort(c(what, x = "It is a survey design.",
          i = if (design) "Name it: {.code design = }."
              else paste("Give its data, its weights, and {.code vcov(fit, type = \"sandwich\", cluster = )};",
                         "{.fn rr_glm} takes designs.")), "argument")
}

# Those who know rr_glm() give designs by name to the other regressions.
refuse_design <- function(...) {
  if ("design" %in% ...names()) abort_design("{.arg design} is not an argument here: the data go to {.arg data}.")
}

model_part <- function(x) {
  if (inherits(x, "formula")) "formula"
  else if (is.data.frame(x) || inherits(x, "rr_tally")) "data"
  else if (inherits(x, "rr_mechanism") || (is.list(x) && length(x) && all(vapply(x, inherits, NA, "rr_mechanism"))))
    "mechanism"
  else NA_character_
}

# Every variable must be a column of the data or an object where the formula was written: R's own error does not say
# which columns there are. `written` are expressions, each named by its argument.
check_variables <- function(written, data, where, table = "data") {
  # glm() takes lists and environments too.
  if (!is.data.frame(data) && !is.null(data)) return(invisible())
  for (i in seq_along(written)) {
    names <- setdiff(all.vars(without_parts(written[[i]])), c(".", names(data)))
    # Functions are called like columns more often than not: c, t, sample.
    bare <- bare_variables(written[[i]])
    there <- vapply(names, function(name) {
      modes <- if (name %in% bare) c("numeric", "logical", "character", "list") else "any"
      any(vapply(modes, function(mode) exists(name, where, mode = mode), NA))
    }, NA)
    if (all(there)) next
    abort_variable(names[!there][1], names(written)[i], data, table)
  }
}

abort_variable <- function(absent, arg, data, table = "data") {
  near <- if (length(data)) nearest_label(absent, names(data)) else NA
  abort(c(if (arg == table) "{.arg {table}} must have the variables of the model."
          else if (is.null(data)) "The variables of {.arg {arg}} must exist."
          else "The variables of {.arg {arg}} must be columns of {.arg {table}}.",
          x = "There is none called {.val {absent}}.",
          i = if (!is.na(near)) "Did you mean {.val {near}}?",
          i = if (is.null(data)) "Variables are columns of {.arg {table}}, which is not given."
              else "The columns are {format_labels(names(data))}."), "argument")
}

# The expression with `table` for `table$column`: what stands behind the sign is no variable.
without_parts <- function(e) {
  if (!is.call(e)) return(e)
  if (is.name(e[[1]]) && as.character(e[[1]]) %in% c("$", "@")) return(without_parts(e[[2]]))
  # An argument may be empty, as in table[, 1].
  for (i in seq_along(e)) if (!identical(e[[i]], quote(expr = ))) e[[i]] <- without_parts(e[[i]])
  e
}

# The names that stand for values of a row themselves, and not inside the call of a function.
bare_variables <- function(e) {
  if (is.name(e)) return(as.character(e))
  operators <- c("~", "+", "-", "*", ":", "/", "^", "(", "%in%")
  if (!is.call(e) || !is.name(e[[1]]) || !as.character(e[[1]]) %in% operators) return(character())
  unlist(lapply(as.list(e)[-1], bare_variables))
}

# The columns that `weights` and `arm` name as text or in a formula, as rr_tally() takes them; every other expression
# stays as it is.
column_expression <- function(expression, data, where, arg) {
  if (is.null(expression) || !is.data.frame(data)) return(expression)
  value <- tryCatch(eval(expression, data, where), error = function(e) NULL)
  named <- inherits(value, "formula") ||
    (is.character(value) && length(value) == 1L && (nrow(data) != 1L || value %in% names(data)))
  if (!named) return(expression)
  as.name(frame_names(as_plain_frame(data), value, arg, one = TRUE))
}

# The variables of a formula, in which a dot stands for all others.
regression_variables <- function(formula, data) {
  names <- all.vars(formula)
  if ("." %in% names) names(data) else names
}

# ---- labelled columns ----

is_labelled <- function(x) inherits(x, c("haven_labelled", "labelled"))

# Labelled covariates, as from SPSS or Stata files, become what rr_tally() makes of them: factors of their labels.
# Where some values have no label they are numbers, some of which are explained. Reports stay labelled, since only
# their mechanism knows whether the labels or the values are its reports. `factors` are variables that a fit knows as
# such.
plain_columns <- function(data, reports = character(), used = names(data), factors = character()) {
  if (!is.data.frame(data)) return(data)
  labelled <- names(data)[vapply(data, is_labelled, NA)]
  for (name in intersect(labelled, used)) {
    values <- without_missing_codes(data[[name]])
    data[[name]] <- if (name %in% reports) values else labelled_covariate(values, name, name %in% factors)
  }
  data
}

labelled_covariate <- function(x, name, factor = FALSE) {
  labels <- attr(x, "labels", exact = TRUE)
  plain <- as.vector(unclass(x))
  attributes(plain) <- NULL
  values <- unique(plain[!is.na(plain)])
  known <- values %in% labels
  if (length(labels) && (factor || is.character(plain) || all(known))) return(droplevels(plain_group(x)))
  if (any(known)) {
    odd <- values[known][1]
    cli::cli_inform(c("{.val {name}} has labels for some of its values only, and is taken as numbers.",
                      i = "{odd} is {.val {names(labels)[match(odd, labels)]}}: make it NA if it is no number."),
                    class = "candor_message_labelled")
  }
  plain
}

# Values that the file declares to be missing are.
without_missing_codes <- function(x) {
  limits <- attr(x, "na_range", exact = TRUE)
  class <- oldClass(x)
  x <- unclass(x)
  gone <- x %in% attr(x, "na_values", exact = TRUE)
  if (length(limits) == 2L) gone <- gone | (!is.na(x) & x >= limits[1] & x <= limits[2])
  x[gone] <- NA
  oldClass(x) <- class
  x
}

# ---- new data ----

# The model frame of new rows. `known` are the columns of the data that were fitted: new data need those that the model
# uses, even if there is an object of that name elsewhere.
newdata_frame <- function(fit, terms, newdata, known = NULL) {
  if (!is.data.frame(newdata)) {
    abort(c("{.arg newdata} must be a data frame.", x = "It is {describe(newdata)}."), "argument")
  }
  needed <- all.vars(terms)
  absent <- setdiff(intersect(needed, known), names(newdata))
  if (length(absent)) abort_variable(absent[1], "newdata", newdata, "newdata")
  check_variables(list(newdata = terms[[length(terms)]]), newdata, environment(terms), "newdata")
  newdata <- fitting_columns(fit, newdata, needed, fit$xlevels)
  tryCatch(stats::model.frame(terms, newdata, na.action = stats::na.pass, xlev = fit$xlevels), error = function(e) {
    abort(c("The variables of {.arg newdata} cannot be put together.", x = "{conditionMessage(e)}."), "argument")
  })
}

# The columns of new rows, which must be of the kinds that were fitted.
fitting_columns <- function(fit, newdata, needed, xlevels) {
  newdata <- plain_columns(newdata, used = needed, factors = names(xlevels))
  for (name in intersect(names(xlevels), names(newdata))) check_new_levels(newdata[[name]], xlevels[[name]], name)
  for (name in intersect(needed, names(newdata))) check_new_kind(newdata[[name]], fitted_column(fit, name), name)
  newdata
}

fitted_column <- function(fit, name) {
  for (data in Filter(is.data.frame, list(fit$data, fit$frame, fit$model))) {
    if (name %in% names(data)) return(data[[name]])
  }
  NULL
}

# Text in place of numbers or dates would be a factor of its own, and a date in place of a time is one of 1970, since
# days pass for seconds.
check_new_kind <- function(values, fitted, name) {
  kind <- value_kind(fitted)
  given <- value_kind(values)
  if (is.null(kind) || kind == "text" || identical(given, kind) || all(is.na(values))) return(invisible())
  if (kind %in% c("numbers", "logical values") && !identical(given, "text")) return(invisible())
  origin <- if (identical(given, "numbers")) ", origin = \"1970-01-01\"" else ""
  cure <- switch(kind, numbers = "as.numeric(as.character({name}))", `logical values` = "as.logical({name})",
                 dates = paste0("as.Date({name}", origin, ")"),
                 times = paste0("as.POSIXct({name}", origin, ", tz = \"UTC\")"))
  abort(c("{.arg newdata} must have {kind} where {kind} were fitted.", x = "{.val {name}} is {describe(values)}.",
          i = paste0("Convert it: {.code transform(newdata, {name} = ", cure, ")}.")), "argument")
}

value_kind <- function(x) {
  if (inherits(x, "Date")) "dates" else if (inherits(x, "POSIXct")) "times"
  else if (is.character(x) || is.factor(x)) "text" else if (is.object(x)) NULL
  else if (is.logical(x)) "logical values" else if (is.numeric(x)) "numbers"
}

check_new_levels <- function(values, levels, name) {
  values <- unique(as.character(values))
  new <- setdiff(values[!is.na(values)], levels)
  if (!length(new)) return(invisible())
  near <- nearest_label(new[1], levels)
  abort(c("{.arg newdata} must have values that were fitted.", x = "{.val {name}} is {.val {new[1]}}.",
          i = if (!is.na(near)) "Did you mean {.val {near}}?",
          i = "The levels are {format_labels(levels)}."), "level")
}
