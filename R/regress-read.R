# Model frames, design matrices and weights, which the likelihoods of regressions read, from a
# formula and data.

# ---- model frames ----

# model.frame() would read the bar of a random effect as "or", and clusters as a covariate.
check_terms <- function(formula, offset = FALSE) {
  if (!offset && "offset" %in% setdiff(all.names(formula), all.vars(formula))) {
    abort("{.arg formula} must not have an offset here.")
  }
  calls <- vapply(
    model_calls(formula[[length(formula)]]),
    function(term) deparse1(term[[1]]), ""
  )
  if (any(calls %in% c("|", "||", "cluster"))) {
    abort(c(
      paste(
        "{.arg formula} must have no clusters and no random effects; {.fn",
        "rr_glm} takes one {.code (1 | id)}."
      ),
      i = "For standard errors by cluster: {.code vcov(fit, type = \"sandwich\", cluster = )}."
    ))
  }
}

# The calls that make up the right side of a formula, with the operators of formulas taken off.
model_calls <- function(e) {
  if (!is.call(e)) return(list())
  operators <- c("~", "+", "-", "*", ":", "/", "^", "(", "%in%", "offset")
  if (!as.character(e[[1]])[1] %in% operators) return(list(e))
  unlist(lapply(as.list(e)[-1], model_calls), recursive = FALSE)
}

# The model frame and the data that it was made of. `call` is that of the fitter, evaluated where
# the user stands; `arguments` are those of it that stay with the rows, `beside` further ones, and
# `reports` the columns that hold reports.
read_frame <- function(
  call, formula, data, where, reports, arguments = c("weights", "subset", "arm"), beside = NULL
) {
  check_terms(formula, "offset" %in% arguments)
  arguments_given <- c(as.list(call)[match(arguments, names(call), 0L)], beside)
  home <- environment(formula) %||% where
  for (arg in intersect(c("weights", "arm"), names(arguments_given))) {
    arguments_given[[arg]] <- column_expression(arguments_given[[arg]], data, home)
  }
  used <- c(all.vars(formula), unlist(lapply(beside, all.vars)))
  data <- plain_columns(data, reports, if ("." %in% used) names(data) else used)
  frame_call <- as.call(c(
    quote(model.frame),
    list(
      formula = formula,
      data = data,
      drop.unused.levels = TRUE,
      na.action = call$na.action %||% getOption("na.action")
    ),
    arguments_given
  ))
  frame <- tryCatch(eval(frame_call, where), error = function(e) {
    abort(c("The variables of the model cannot be put together.", x = "{conditionMessage(e)}."))
  })
  if (!nrow(frame) || !all(complete.cases(frame))) {
    abort("There must be rows, and none with missing values.", c("missing", "argument", "input"))
  }
  check_factors(frame, reports)
  dropped <- length(attr(frame, "na.action"))
  if (dropped) {
    cli::cli_inform(
      "{dropped} row{?s} with missing values dropped.", class = "candor_message_missing"
    )
  }
  list(frame = frame, data = data)
}

# A covariate of categories has at least two of them; reports may agree.
check_factors <- function(frame, reports) {
  terms <- delete.response(attr(frame, "terms"))
  names <- c(
    rownames(attr(terms, "factors")), grep("^[(]share: ", names(frame), value = TRUE)
  )
  for (name in setdiff(intersect(names, names(frame)), reports)) {
    values <- frame[[name]]
    if (!(is.factor(values) || is.character(values)) || length(unique(values)) > 1L) {
      next
    }
    name <- sub("^[(]share: (.*)[)]$", "\\1", name)
    abort(
      c(
        "Covariates must have at least two different categories.",
        x = "{.val {name}} is {.val {as.character(values[1])}} in all rows."
      ),
      c("argument", "input")
    )
  }
}

# The columns that `weights` and `arm` name as text or in a formula, as rr_tally() takes them; every
# other expression stays as it is.
column_expression <- function(expression, data, where) {
  value <- if (is.data.frame(data)) {
    tryCatch(eval(expression, data, where), error = function(e) NULL)
  }
  if (inherits(value, "formula")) return(value[[length(value)]])
  named <- is.character(value) && length(value) == 1L &&
    (nrow(data) != 1L || value %in% names(data))
  if (named) as.name(value) else expression
}

# The model frame of the regressions that are not a glm. `outcome` is a column that is a number
# whatever its labels.
regression_frame <- function(
  call, formula, data, where, reports = character(), outcome = character()
) {
  for (name in intersect(outcome, setdiff(names(data), reports))) {
    if (is_labelled(data[[name]])) {
      data[[name]] <- as.vector(unclass(without_missing_codes(data[[name]])))
    }
  }
  read_frame(call, formula, data, where, reports)$frame
}

# The model frame of rr_glm(), with the columns `beside` those of the formula.
regress_frame <- function(call, formula, data, design, where, beside) {
  check_formula(formula, FALSE)
  call <- design_call(call, design)
  data <- design$variables %||% data
  tally <- if (inherits(data, "rr_tally")) data
  if (!is.null(tally)) {
    data <- grouped_counts(tally)
    formula <- formula(terms(report_formula(formula), data = data))
  }
  read <- read_frame(call, check_formula(formula), data, where, all.vars(formula[[2]]),
                     c("subset", "weights", "offset", "arm"), beside[lengths(beside) > 0])
  terms <- attr(read$frame, "terms")
  list(frame = read$frame, terms = terms, formula = formula, data = read$data,
       na.action = attr(read$frame, "na.action"), mechanism = tally$mechanism,
       xlevels = .getXlevels(terms, read$frame), design = design)
}

# One row a group, with the counts of its reports. Weighted counts are scaled to the effective
# number of respondents.
grouped_counts <- function(tally) {
  regress_device(tally$mechanism)
  counts <- matrix(tally$counts, nrow = 2L) *
    rep(tally$effective_n / tally$n, each = 2L)
  data <- if (is.null(tally$groups)) data.frame(row.names = 1L) else as.data.frame(tally$groups)
  data$.report <- t(counts)[, 2:1, drop = FALSE]
  colnames(data$.report) <- rev(tally$mechanism$levels)
  data
}

# The covariates of a share of respondents (attention, evasion) ride along as columns of the model
# frame.
share_variables <- function(formula) {
  names <- all.vars(formula)
  setNames(lapply(names, as.name), sprintf("share: %s", names))
}

# The design matrix of a share, and what it needs for new rows.
share_columns <- function(formula, frame, arg) {
  check_one_sided(formula, arg)
  names <- all.vars(formula)
  data <- frame[sprintf("(share: %s)", names)]
  names(data) <- names
  model <- model.frame(formula, data)
  terms <- attr(model, "terms")
  v <- model.matrix(terms, if (length(names)) model else frame)
  list(
    v = v[, independent_columns(v), drop = FALSE],
    terms = terms,
    xlevels = .getXlevels(terms, model)
  )
}

# The design matrix of a share in new rows.
new_share_columns <- function(shares, newdata) {
  check_columns(all.vars(shares$terms), newdata)
  model <- model.frame(shares$terms, newdata, na.action = na.pass, xlev = shares$xlevels)
  model.matrix(shares$terms, if (ncol(model)) model else newdata)[
    , colnames(shares$v), drop = FALSE
  ]
}

report_formula <- function(formula) {
  as.formula(
    call("~", quote(.report), formula[[length(formula)]]), environment(formula)
  )
}

# ---- what the frame must hold ----

frame_weights <- function(frame) {
  weights <- frame[["(weights)"]]
  if (is.null(weights)) return(rep(1, nrow(frame)))
  weights <- check_weights(weights, nrow(frame))
  if (!any(weights > 0)) abort("{.arg weights} must not all be 0.")
  weights
}

# A likelihood takes weights for numbers of respondents. Weights of a survey would pass for numbers
# of answers.
tell_sampling_weights <- function(weights) {
  if (all(abs(weights - round(weights)) <= 1e-6 * pmax(1, weights))) {
    return(invisible())
  }
  cli::cli_inform(
    c(
      "Weights are taken for numbers of respondents, and some are not whole.",
      i = paste(
        "Of survey weights only {.code vcov(fit, type =",
        "\"sandwich\")} is right, or a survey design."
      )
    ),
    class = "candor_message_weights"
  )
}

check_possible <- function(codes, channel, mechanism, name) {
  never <- intersect(codes, which(colSums(channel) == 0))
  if (!length(never)) return(invisible())
  abort(
    "No truth can produce the report {.val {mechanism$reports[never[1]]}} of {.val {name}}.",
    "impossible"
  )
}

# Columns that the others determine: dropped, told, and NA in the coefficients, as glm() has it.
independent_columns <- function(x, weights = NULL) {
  rows <- if (is.null(weights) || all(weights > 0)) {
    x
  } else {
    x[weights > 0, , drop = FALSE]
  }
  decomposition <- qr(rows, tol = 1e-9)
  keep <- sort(decomposition$pivot[seq_len(decomposition$rank)])
  tell_aliased(colnames(x)[setdiff(seq_len(ncol(x)), keep)])
  keep
}

# Coefficients of columns that others determine. Coefficients at infinity may be NA too.
is_aliased <- function(fit) {
  is.na(fit$coefficients) & !names(fit$coefficients) %in% fit$boundary$coefficients
}

# NA for the coefficients of `names` that are not estimated.
spread_coefficients <- function(b, names) setNames(b[names], names)

tell_aliased <- function(names) {
  if (!length(names)) return(invisible())
  cli::cli_inform("Not estimated, since other columns determine {?it/them}: {.val {names}}.",
                  class = "candor_message_aliased")
}

check_enough_rows <- function(n, parameters) {
  if (n < parameters) {
    abort("There are {n} rows, which is fewer than the {parameters} coefficients.")
  }
}

check_starts <- function(starts) check_count(starts, "starts", min = 1, max = 1000)

# ---- labelled columns ----

# Labelled covariates, as from SPSS or Stata files, become what rr_tally() makes of them: factors of
# their labels. If some values have no label they are numbers, some of which are explained. Reports
# stay labelled, since only their mechanism knows whether the labels or the values are its reports.
# `factors` are variables that a fit knows as such. Columns of class integer64 become numbers.
plain_columns <- function(
  data, reports = character(), used = names(data), factors = character()
) {
  if (!is.data.frame(data)) return(data)
  used <- intersect(names(data), used)
  for (name in used[
      vapply(used, function(name) inherits(data[[name]], "integer64"), NA)
    ]) {
    data[[name]] <- plain_numbers(data[[name]])
  }
  for (name in used[
      vapply(used, function(name) is_labelled(data[[name]]), NA)
    ]) {
    values <- data[[name]] <- without_missing_codes(data[[name]])
    if (name %in% reports) next
    labels <- attr(values, "labels", exact = TRUE)
    values_alone <- as.vector(unclass(values))
    has_label <- na.omit(unique(values_alone)) %in% labels
    named <- length(labels) && (name %in% factors || is.character(values_alone) || all(has_label))
    data[[name]] <- if (named) droplevels(base_key(values)) else values_alone
    if (named || !any(has_label)) next
    odd <- names(labels)[labels %in% values_alone][1]
    cli::cli_inform(
      "{.val {name}} is taken as numbers. Some have labels, as {.val {odd}}: NA, if they are none.",
      class = "candor_message_labelled"
    )
  }
  data
}

# ---- new data ----

covariate_terms <- function(fit) delete.response(fit$terms)

# The model frame of a fit. A glm has it as the element `model`.
fitted_frame <- function(fit) fit$frame %||% fit[["model"]]

# The model frame of new rows.
newdata_frame <- function(fit, terms, newdata, further = NULL) {
  newdata <- fitting_columns(fit, newdata, all.vars(terms), fit$xlevels, further)
  tryCatch(
    model.frame(terms, newdata, na.action = na.pass, xlev = fit$xlevels),
    error = function(e) {
      abort(c(
        "The variables of {.arg newdata} cannot be put together.", x = "{conditionMessage(e)}."
      ))
    }
  )
}

# The columns of new rows, which must be those that were fitted, even if there is an object of that
# name elsewhere, and of their kinds: text in place of numbers would be a factor of its own, a date
# in place of a time one of 1970.
fitting_columns <- function(fit, newdata, needed, xlevels, further = NULL) {
  check_class(newdata, "newdata", "data.frame", "a data frame")
  fitted <- Filter(is.data.frame, list(fit$data, fit$frame, fit[["model"]]))[[
    1
  ]]
  check_columns(intersect(needed, c(names(fitted), further)), newdata)
  newdata <- plain_columns(newdata, used = needed, factors = names(xlevels))
  for (name in intersect(needed, names(newdata))) {
    values <- newdata[[name]]
    new <- if (name %in% names(xlevels)) {
      setdiff(as.character(values), c(xlevels[[name]], NA))
    }
    if (length(new)) {
      abort(
        c(
          "{.arg newdata} must have values that were fitted.",
          x = "{.val {name}} is {.val {new[1]}}."
        ),
        "level"
      )
    }
    kind <- value_kind(fitted[[name]])
    if (is.null(kind) || all(is.na(values)) ||
        identical(value_kind(values), kind)) {
      next
    }
    abort(c(
      "{.arg newdata} must have {kind} where {kind} were fitted.",
      x = "{.val {name}} is {describe(values)}."
    ))
  }
  newdata
}

check_columns <- function(needed, data, arg = "newdata") {
  absent <- setdiff(needed, names(data))
  if (length(absent)) {
    abort("{.val {absent[1]}} must be a variable of {.arg {arg}} and of the data.")
  }
}

value_kind <- function(x) {
  if (inherits(x, "Date")) {
    "dates"
  } else if (inherits(x, "POSIXct")) {
    "times"
  } else if (is.character(x) || is.factor(x)) {
    "text"
  } else if (!is.object(x) && !is.null(x)) {
    "numbers"
  }
}

# ---- survey designs ----

# The design that a fitter got as its data, NULL if it got others.
given_design <- function(data, call) {
  if (!is_design(data)) return(NULL)
  check_design(data, "data")
  if (!is.null(call$weights)) {
    abort("{.arg weights} must be left out: they are those of the design.")
  }
  data
}

# The call of a fitter, with the weights of the design.
design_call <- function(call, design) {
  if (!is.null(design)) call$weights <- design_weights(design)
  call
}

# Weights of respondents sum to their number: a likelihood would take their sum for it.
design_scale <- function(design, weights) {
  if (is.null(design)) 1 else sum(weights > 0) / sum(weights)
}

# ---- extensions of rr_glm() ----

# The likelihoods that take the place of the likelihood of single reports, and what each does not
# have. None has a penalty, an unknown parameter or counts of reports.
extensions <- list(
  intercept = list(
    noun = "A random intercept",
    refuses = c("a survey design", "an anchor question", "this link")
  ),
  blocks = list(
    noun = "The likelihood of blocks",
    refuses = c("an anchor question", "weights")
  ),
  attention = list(noun = "{.arg attention}", refuses = "this link")
)

# An error if `base_fit`, the fit of single reports, or its checked `data` have something that an
# extension does not have.
refuse_beside <- function(extension, base_fit, data) {
  has <- c(
    `a survey design` = !is.null(base_fit$design),
    `an anchor question` = !is.null(base_fit$anchor),
    weights = any(data$weight != 1),
    `this link` = !data$link %in% mixed_links,
    `a penalty` = base_fit$penalty != "none",
    `an unknown parameter` = !is.null(data$unknown),
    `counts of reports` = !all(data$y %in% 0:1)
  )
  extension <- extensions[[extension]]
  refused <- c(extension$refuses, "a penalty", "an unknown parameter", "counts of reports")
  refused <- refused[has[refused]]
  if (length(refused)) abort(paste(extension$noun, "is not available with {refused[1]}."))
}
