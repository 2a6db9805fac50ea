# From a formula and data, or tallies, to the numbers that rr_glm() fits.

check_fit_start <- function(start, parts) {
  k <- ncol(parts$data$x) + !is.null(parts$data$unknown)
  if (!is.numeric(start) || is.object(start) || !length(start) %in% c(k, ncol(parts$data$x)) ||
      !all(is.finite(start))) {
    abort(c("{.arg start} must be one finite number per coefficient.",
            x = "It is {describe(start)}; there are {k} coefficients."), "argument")
  }
  as.double(start)
}

# The model frame, with arm, anchor, weights and offset inside it so that rows stay together.
regress_frame <- function(call, formula, data, design, anchor, caller) {
  mechanism <- NULL
  if (!inherits(formula, "formula")) {
    abort(c("{.arg formula} must be a formula, as in {.code report ~ age}.", x = "It is {describe(formula)}."),
          "argument")
  }
  wanted <- call[c(1L, match(c("subset", "weights", "offset", "arm"), names(call), 0L))]
  if (!is.null(anchor)) wanted$anchor <- as.name(names(anchor))
  if (!is.null(design)) {
    design <- check_design(design, wanted)
    data <- design$variables
    wanted$weights <- 1 / design$prob
  }
  tally <- if (inherits(data, "rr_tally")) data else response_tally(formula, data)
  if (!is.null(tally)) {
    table <- tally_table(tally)
    formula <- stats::formula(stats::terms(replace_response(formula), data = table$data))
    data <- table$data
    mechanism <- tally$mechanism
  }
  if (length(formula) != 3L) {
    abort(c("{.arg formula} must have a response.", x = "It is {.code {deparse1(formula)}}.",
            i = "Only for a tally as {.arg data} may it be left out."), "argument")
  }
  where <- environment(formula) %||% caller
  check_terms(formula, family = TRUE)
  for (arg in intersect(c("weights", "arm"), names(wanted))) {
    wanted[[arg]] <- column_expression(wanted[[arg]], data, where, arg)
  }
  check_variables(c(list(formula = formula), as.list(wanted)[c("weights", "subset", "offset", "arm")]), data, where)
  check_subset(wanted$subset, data, where)
  data <- plain_columns(data, all.vars(formula[[2]]), regression_variables(formula, data))
  wanted$formula <- formula
  wanted$data <- quote(.data)
  wanted$drop.unused.levels <- TRUE
  wanted$na.action <- stats::na.pass
  wanted[[1L]] <- quote(stats::model.frame)
  check_offset_length(call$offset, data, formula, caller)
  here <- new.env(parent = caller)
  here$.data <- data
  frame <- tryCatch(eval(wanted, here), error = function(e) {
    if (inherits(e, "candor_error")) stop(e)
    abort(c("The variables of the model cannot be put together.", x = "{conditionMessage(e)}."), "argument")
  })
  terms <- attr(frame, "terms")
  dropped <- drop_missing(frame, call$na.action, caller)
  check_constant_text(dropped$frame, terms)
  tell_number_text(dropped$frame[-1L])
  list(frame = dropped$frame, terms = terms, formula = formula, data = data, na.action = dropped$na.action,
       mechanism = mechanism,
       xlevels = stats::.getXlevels(terms, dropped$frame), design = design)
}

# A condition in quotes would be taken for names of rows, of which there are none.
check_subset <- function(expression, data, where) {
  if (is.null(expression)) return(invisible())
  value <- tryCatch(eval(expression, data, where), error = function(e) NULL)
  if (!is.character(value) || all(value %in% row.names(data))) return(invisible())
  abort(c("{.arg subset} must be a condition on the rows.", x = "It is {describe(value)}.",
          i = "Write it without quotes, as in {.code subset = age > 30}."), "argument")
}

# R's own message, about contrasts, names no column.
check_constant_text <- function(frame, terms) {
  used <- intersect(names(frame), rownames(attr(stats::delete.response(terms), "factors")))
  single <- vapply(frame[used], function(x) {
    if (is.factor(x)) nlevels(x) < 2L else is.character(x) && is.null(dim(x)) && length(unique(x)) < 2L
  }, NA)
  if (!any(single)) return(invisible())
  name <- used[single][1]
  abort(c("Covariates of text must have at least two different values.",
          x = "{.val {name}} is {.val {as.character(frame[[name]])[1]}} in every row.",
          i = "Leave it out of {.arg formula}."), c("argument", "input"))
}

# model.frame() says "variable lengths differ (found for '(offset)')"; this error also says the length.
check_offset_length <- function(expression, data, formula, caller) {
  if (is.null(expression)) return(invisible())
  value <- eval(expression, data, caller)
  n <- if (is.data.frame(data)) nrow(data) else length(value)
  if (!is.numeric(value) || !length(value) %in% c(n, 1L) || (length(value) == 1L && n != 1L)) {
    abort(c("{.arg offset} must be one number per row.", x = "It is {describe(value)}; there are {n} rows."),
          "argument")
  }
}

arm_column <- function(expression, data) {
  if (is.character(expression) && length(expression) == 1L && expression %in% names(data)) return(as.name(expression))
  if (is.call(expression) && identical(expression[[1]], quote(`~`)) && length(expression) == 2L) return(expression[[2]])
  expression
}

response_tally <- function(formula, data) {
  if (length(formula) != 3L || !is.name(formula[[2]]) || as.character(formula[[2]]) %in% names(data)) return(NULL)
  value <- get0(as.character(formula[[2]]), environment(formula))
  if (inherits(value, "rr_tally")) value
}

replace_response <- function(formula) {
  right <- formula[[length(formula)]]
  stats::as.formula(call("~", quote(.report), right), environment(formula))
}

# One row a group, with the counts of its reports. Weighted counts are scaled to the effective number of respondents.
tally_table <- function(tally) {
  regress_device(tally$mechanism)
  counts <- matrix(tally$counts, nrow = 2L)
  counts <- counts * rep(tally$effective_n / tally$n, each = 2L)
  data <- if (is.null(tally$groups)) data.frame(row.names = seq_len(ncol(counts))) else as.data.frame(tally$groups)
  data$.report <- t(counts)[, 2:1, drop = FALSE]
  colnames(data$.report) <- rev(tally$mechanism$levels)
  list(data = data)
}

drop_missing <- function(frame, action, caller) {
  missing <- !stats::complete.cases(frame)
  terms <- attr(frame, "terms")
  if (!any(missing)) return(list(frame = frame, na.action = NULL))
  action <- if (is.null(action)) getOption("na.action", "na.omit") else eval(action, caller)
  name <- if (is.character(action)) action else
    c("na.omit", "na.exclude", "na.fail", "na.pass")[vapply(list(stats::na.omit, stats::na.exclude, stats::na.fail,
                                                                 stats::na.pass),
                                                           identical, NA, action)]
  if (length(name) && name %in% c("na.fail", "na.pass")) {
    column <- names(frame)[vapply(frame, function(x) anyNA(as.matrix(x)[which(missing)[1], ]), NA)][1]
    abort(c("The data must not have missing values.",
            x = "Row {which(missing)[1]} has a missing {.val {column}} ({sum(missing)} such row{?s} in all).",
            i = "Use {.code na.action = na.omit} to drop them."), c("missing", "input"))
  }
  kept <- match.fun(action)(frame)
  if (!nrow(kept)) {
    abort(c("No row is complete.", x = "All {nrow(frame)} rows have a missing value."), c("missing", "input"))
  }
  cli::cli_inform("{sum(missing)} row{?s} with missing values dropped.", class = "candor_message_missing")
  attr(kept, "terms") <- terms
  list(frame = kept, na.action = attr(kept, "na.action"))
}

# A share says nothing of the number of answers that it is of: without weights each would count as one.
check_share_weights <- function(response, weights) {
  if (!is.null(weights) || !is.numeric(response) || is.object(response) || is.matrix(response)) return(invisible())
  between <- which(response > 0 & response < 1)
  if (!length(between)) return(invisible())
  abort(c("Shares of answers need {.arg weights}: the numbers of answers.",
          x = "Row {between[1]} is {format(response[between[1]], digits = 6)}: of how many answers is not said.",
          i = "Give {.code weights = yes + no}, or the response {.code cbind(yes, no)}."), c("argument", "input"))
}

# The checked input of the kernel.
regress_data <- function(frame, mechanism, link, anchor = NULL) {
  mf <- frame$frame
  n <- nrow(mf)
  if (!n) abort("There are no rows to fit.", c("empty", "input"))
  devices <- anchor_devices(regress_devices(mechanism, mf[["(arm)"]], n), anchor, mf[["(anchor)"]])
  weights <- mf[["(weights)"]]
  check_fit_weights(weights, n)
  tell_reversed(mf[[attr(frame$terms, "response")]], devices$labels)
  response <- mf[[attr(frame$terms, "response")]]
  check_share_weights(response, weights)
  response <- regress_response(response, devices$labels, weights, mechanism)
  x <- stats::model.matrix(frame$terms, mf)
  offset <- stats::model.offset(mf)
  check_fit_offset(offset, x)
  weight <- as.double(response$weights)
  scale <- if (is.null(frame$design)) 1 else sum(weight > 0) / sum(weight)
  # Names of the rows are long text that every product would carry along.
  rownames(x) <- NULL
  storage.mode(x) <- "double"
  data <- list(x = x, y = response$y, weight = weight * scale, offset = if (!is.null(offset) &&
                                                                            any(offset != 0)) as.double(offset),
               arm = devices$arm, device = devices$device, link = link, unknown = devices$unknown)
  check_rows(data)
  list(data = data, devices = devices, offset = offset, answers = response$n, scale = scale)
}

check_fit_weights <- function(weights, n) {
  if (is.null(weights)) return(invisible())
  if (!is.numeric(weights) || is.object(weights)) {
    abort(c("{.arg weights} must be numbers, one per row.", x = "It is {describe(weights)}."), "argument")
  }
  bad <- which(is.na(weights) | weights < 0 | is.infinite(weights))
  if (length(bad)) {
    abort(c("{.arg weights} must be finite and at least 0.", x = "Weight {bad[1]} is {weights[bad[1]]}."), "argument")
  }
}

check_fit_offset <- function(offset, x) {
  bad <- which(!is.finite(offset))
  if (length(bad)) {
    abort(c("{.arg offset} must be finite.", x = "Entry {bad[1]} is {offset[bad[1]]}."), "argument")
  }
  bad <- which(!is.finite(x))
  if (length(bad)) {
    row <- (bad[1] - 1) %% nrow(x) + 1
    column <- colnames(x)[(bad[1] - 1) %/% nrow(x) + 1]
    abort(c("Covariates must be finite.", x = "{.val {column}} is {x[bad[1]]} in row {row}."), c("argument", "input"))
  }
}

check_rows <- function(data) {
  used <- sum(data$weight > 0)
  k <- ncol(data$x)
  if (used == 0) abort("All {.arg weights} are 0.", c("empty", "argument"))
  answers <- sum(data$weight)
  if (k == 0) abort(c("The model has no coefficients.", i = "Leave an intercept in: {.code ~ 1}."), "argument")
  if (used < k && qr(data$x, tol = 1e-11)$rank < k && used < qr(data$x)$rank + 1L) {
    abort(c("There must be at least as many rows as coefficients.",
            x = "{used} row{?s} cannot tell {k} coefficient{?s}."), "argument")
  }
}
