# Objects are lists, and lists can be changed, cut and forged. A damaged one would fail deep inside, in R's own words
# ("$ operator is invalid for atomic vectors"), or worse not fail. check_object() looks at the fields of an object at
# the doors: check_given() does for the arguments of every exported function, and methods of other packages' generics
# begin with it. It looks at types and sizes, not at each number, so that it costs nothing beside any work.

check_object <- function(x) {
  for (class in class(x)) {
    fields <- object_fields[[class]]
    if (is.null(fields)) next
    parts <- unclass(x)
    if (!is.list(parts)) abort_damaged(x, sprintf("It is %s.", describe_kind(parts)))
    for (field in fields) {
      value <- parts[[field$name]]
      if (is.null(value) && field$optional) next
      if (!field$test(value)) {
        abort_damaged(x, sprintf("Its field `%s` is %s, which it cannot be.", field$name, describe(value)))
      }
    }
    unfit <- if (!is.null(object_fits[[class]])) object_fits[[class]](parts)
    if (!is.null(unfit)) abort_damaged(x, sprintf("Its field `%s` does not fit the others.", unfit))
  }
  invisible(x)
}

# For arguments: only what has one of our classes is looked at, lists of such objects too.
check_argument_object <- function(x) {
  if (is.object(x)) {
    if (any(class(x) %in% names(object_shapes))) check_object(x)
  } else if (is.list(x) && length(x) <= 1000) {
    for (part in x) if (is.object(part) && any(class(part) %in% names(object_shapes))) check_object(part)
  }
  invisible(x)
}

abort_damaged <- function(x, problem, remedy = NULL) {
  problem <- gsub("}", "}}", gsub("{", "{{", problem, fixed = TRUE), fixed = TRUE)
  abort(c("An object of class {.cls {class(x)[1]}} is damaged.", x = problem,
          i = paste("Objects are made by the package's functions and read by them: make it again,",
                    "and change copies of its parts."), i = remedy), "argument")
}

plain_number <- function(x) is.numeric(x) && !is.object(x)

object_kinds <- list(
  numbers = plain_number,
  # Of long vectors the type must do.
  finite = function(x) plain_number(x) && length(x) > 0 && (length(x) > 1e6 || all(is.finite(x))),
  number = function(x) plain_number(x) && length(x) == 1L && !is.na(x),
  count = function(x) plain_number(x) && length(x) == 1L && is.finite(x) && x >= 0,
  size = function(x) plain_number(x) && length(x) == 1L && is.finite(x) && x >= 1,
  probability = function(x) plain_number(x) && length(x) == 1L && !is.na(x) && x >= 0 && x <= 1,
  level = function(x) plain_number(x) && length(x) == 1L && !is.na(x) && x > 0 && x < 1,
  target = function(x) identical(x, "population") || identical(x, "sample"),
  text = function(x) is.character(x) && length(x) == 1L && !is.na(x),
  # Labels of a mere number of categories are made when asked for: not here.
  labels = function(x) is.character(x) && length(x) > 0,
  mark = function(x) is.logical(x) && length(x) == 1L,
  flag = function(x) is.logical(x) && length(x) == 1L && !is.na(x),
  matrix = function(x) is.matrix(x) && is.numeric(x),
  array = function(x) is.array(x) && is.numeric(x),
  list = function(x) is.list(x),
  frame = function(x) is.data.frame(x) && all(vapply(x, NROW, 0) == nrow(x)),
  keys = function(x) is.data.frame(x) && nrow(x) > 0 && length(x) > 0 && all(lengths(x) == nrow(x)),
  `function` = is.function,
  mechanisms = function(x) {
    if (!is.list(x) || !length(x) || is.null(names(x)) || !all(vapply(x, inherits, NA, "rr_mechanism"))) return(FALSE)
    for (one in x) check_object(one)
    TRUE
  },
  # One mechanism, or one a column; pairs of probabilities are no objects of ours.
  design = function(x) is.list(x) && plain_number(x$p) && plain_number(x$q) && length(x$p) == length(x$q) &&
    length(x$p) > 0 && !anyNA(x$p) && !anyNA(x$q)
)

yes_no_shape <- c(p = "probability", q = "probability")
support_shape <- c(p = "probability", q = "probability", p_minus_q = "number")
estimates_shape <- c(target = "target", conf.level = "level")
regression_shape <- c(coefficients = "numbers", df = "number", n = "number", frame = "frame?", converged = "flag",
                      title = "text")

# The fields of each class and what kind of thing they are; `?` where they may be NULL.
object_shapes <- list(
  rr_mechanism = c(levels = "any_text", reports = "any_text", numeric_levels = "numbers?", numeric_truths = "numbers?",
                   bits = "numbers?", truth_bits = "numbers?", epsilon = "number", design = "text",
                   form = "rr_law?"),
  rr_binary = c(yes_no_shape, p_minus_q = "number", p_no = "probability", q_no = "probability",
                from_epsilon = "flag"),
  rr_grr = c(support_shape, odds = "number", from_epsilon = "flag"),
  rr_forced = c(truth = "number", innocuous = "finite"),
  rr_unrelated = c(truth = "number", innocuous = "finite"),
  rr_channel = c(matrix = "matrix"),
  rr_pooled = c(designs = "mechanisms", shares = "finite"),
  rr_compose = c(first = "rr_mechanism", second = "rr_mechanism"),
  rr_noncompliance = c(first = "rr_mechanism", second = "rr_mechanism?", share = "probability"),
  rr_product = c(questions = "mechanisms", sizes = "finite", report_sizes = "finite"),
  rr_unary = c(support_shape, odds = "number", both_own = "numbers?", both_other = "numbers?", optimized = "mark?",
               from_epsilon = "flag"),
  rr_subset = c(support_shape, size = "size", odds = "number", both_own = "numbers?", both_other = "numbers?"),
  rr_local_hash = c(support_shape, g = "size", prime = "numbers?", odds = "numbers?", collision = "numbers?",
                    both_own = "numbers?", both_other = "numbers?"),
  rr_hadamard = c(blocks = "numbers?", size = "numbers?", odds = "numbers?", z = "numbers?", one_bit = "flag"),
  rr_bitflip = c(support_shape, d = "size", buckets = "size", bit_epsilon = "number"),
  rr_law_additive = c(a = "number", b = "finite"),
  rr_law_channel = c(axes = "list"),
  rr_law_support = c(p = "finite", q = "finite", difference = "finite"),
  rr_method = c(name = "text", title = "text", estimate = "function", needs = "any_text", unbiased = "flag",
                options = "any_text", local_map = "function?", cost = "number", group = "text",
                estimate_groups = "function?", spread = "function?", credible = "function?", notes = "function?"),
  rr_tally = c(mechanism = "rr_mechanism", counts = "finite", n = "finite", effective_n = "finite",
               weight_squares = "finite?", respondents = "finite?", groups = "keys?", missing = "count",
               sets = "list?"),
  rr_fit = c(estimate = "finite", method = "text", target = "target", interval = "interval", conf.level = "level",
             simultaneous = "flag", tally = "rr_tally", mechanism = "rr_mechanism", details = "list",
             replicates = "list?", family = "count?", estimator = "rr_method"),
  summary.rr_fit = c(fit = "rr_fit", estimates = "frame", measures = "frame"),
  rr_histogram = c(columns = "labels", order = "size", n = "finite", values = "finite", more = "list?",
                   tallied = "size", further = "flag"),
  rr_cooccurrence = c(missing = "count?"),
  rr_tmdh = c(counts = "rr_cooccurrence", design = "design", estimates_shape),
  rr_pmdh = c(truth = "rr_histogram", design = "design"),
  rr_margin = c(estimate = "array", covariance = "matrix", given = "labels?", n = "count", estimates_shape,
                tally = "rr_tally?", supports = "list?", boundary = "count"),
  rr_association = c(pairs = "frame", fit = "any_fit", target = "target", conf.level = "level", n = "count",
                     df = "number?"),
  rr_bit_tally = c(flip = "numbers", n = "count", ones = "finite", labels = "labels?", state = "numbers?"),
  rr_extreme = c(kind = "text", n = "count", flip = "numbers", labels = "labels?", conf.level = "level",
                 estimate = "numbers", variance = "numbers", bound = "numbers", sign = "numbers", log = "numbers",
                 log_bound = "numbers"),
  rr_set_size = c(what = "text", table = "frame", elements = "count", flip = "numbers", conf.level = "level",
                  interval = "interval"),
  rr_incidence = c(method = "text", target = "target", elements = "count", sets = "size", flip = "numbers",
                   conf.level = "level", estimate = "numbers", covariance = "matrix", fit = "any_fit"),
  rr_sketch = c(bits = "finite", type = "sketch_type", settings = "finite", key = "text?", flip = "number"),
  rr_sketch_size = c(table = "frame", type = "sketch_type", settings = "finite", flip = "numbers",
                     conf.level = "level"),
  summary.rr_estimates = c(object = "rr_estimates", estimates = "frame", measures = "frame"),
  rr_regression = regression_shape,
  rr_multinom = c(vcov = "matrix", loglik = "number", dropped = "number", mechanism = "rr_mechanism", model = "list",
                  type = "text"),
  rr_loglinear = c(vcov = "matrix", loglik = "number", tally = "rr_tally", mechanism = "rr_mechanism",
                   table = "list", model = "list"),
  rr_predictor = c(vcov = "matrix", mechanism = "mechanisms", method = "text", sigma = "number?"),
  rr_posterior = c(parts = "list", tally = "rr_tally", mechanism = "rr_mechanism", prior = "finite"),
  rr_glm = c(coefficients = "numbers", fitted.values = "numbers", linear.predictors = "numbers", y = "numbers",
             weights = "numbers", prior.weights = "numbers", residuals = "numbers", family = "family", qr = "qr",
             rank = "count", deviance = "number", df.residual = "number", model = "frame", terms = "terms",
             formula = "formula", labels = "labels", link = "text", penalty = "text", information = "list",
             variance = "list", loglik = "number", constant = "number", point = "numbers")
)

object_kinds$any_text <- is.character
object_kinds$interval <- function(x) is.character(x) && length(x) == 1L && x %in% c(interval_kinds, "none")
object_kinds$sketch_type <- function(x) is.character(x) && length(x) == 1L && x %in% c("bloom", "linear", "pcsa")
object_kinds$any_fit <- function(x) {
  if (!inherits(x, c("rr_fit", "rr_survey", "rr_histogram", "rr_margin")) && !is.null(x)) return(FALSE)
  if (!is.null(x)) check_object(x)
  TRUE
}

# How the sizes of fields go together: each names the first that does not fit, or says NULL.
object_fits <- list(
  # The cells of many questions have no labels of their own.
  rr_mechanism = function(x) {
    if (!is.null(x$questions)) NULL
    else if (!length(x$levels)) "levels"
    else if (!length(x$reports)) "reports"
  },
  rr_channel = function(x) {
    if (!all(dim(x$matrix) == c(length(x$levels), length(x$reports)))) "matrix"
    else if (length(x$matrix) <= 1e6 && !all(is.finite(x$matrix))) "matrix"
  },
  rr_forced = function(x) if (length(x$innocuous) != length(x$levels)) "innocuous",
  rr_unrelated = function(x) if (length(x$innocuous) != length(x$levels)) "innocuous",
  rr_product = function(x) {
    if (length(x$sizes) != length(x$questions)) "sizes"
    else if (length(x$report_sizes) != length(x$questions)) "report_sizes"
  },
  rr_tally = function(x) {
    groups <- NCOL(x$counts)
    if (NROW(x$counts) != length(x$mechanism$reports)) "counts"
    else if (length(x$n) != groups) "n"
    else if (length(x$effective_n) != groups) "effective_n"
    else if (!is.null(x$groups) && nrow(x$groups) != groups) "groups"
    else if (!is.null(x$groups) && !is.matrix(x$counts)) "counts"
    else if (any(x$n < 0)) "n"
    else if (any(x$effective_n < 0)) "effective_n"
  },
  rr_fit = function(x) {
    groups <- NCOL(x$estimate)
    if (NROW(x$estimate) != length(x$mechanism$levels)) "estimate"
    else if (length(x$details) != groups) "details"
    else if (!all(vapply(x$details, is.list, NA))) "details"
    else if (length(x$tally$n) != groups) "tally"
    else if (length(x$tally$mechanism$reports) != length(x$mechanism$reports)) "mechanism"
    else if (is.matrix(x$estimate) != is.matrix(x$tally$counts)) "estimate"
    else if (!is.null(x$replicates) && !identical(lapply(x$replicates, nrow), rep(list(NROW(x$estimate)), groups))) {
      "replicates"
    }
  },
  rr_histogram = function(x) {
    d <- length(x$columns)
    if (length(x$n) != 1L) "n"
    else if (x$order > d || x$order != floor(x$order)) "order"
    else if (x$tallied > d || x$tallied < x$order || x$tallied != floor(x$tallied)) "tallied"
    else if (length(x$values) != sum(choose(d, 0:x$tallied))) "values"
    else if (x$further && is.null(x$more)) "more"
    else if (!is.null(x$more) && !(is.matrix(x$more$members) && is.numeric(x$more$values) &&
                                   length(x$more$values) == ncol(x$more$members))) "more"
  },
  summary.rr_estimates = function(x) if (!all(c("estimates", "nobs") %in% names(x$measures))) "measures",
  summary.rr_fit = function(x) if (!all(c("logLik", "nobs", "epsilon") %in% names(x$measures))) "measures",
  rr_margin = function(x) {
    if (any(dim(x$covariance) != length(x$estimate))) "covariance"
    else if (is.null(names(dimnames(x$estimate)))) "estimate"
    else if (is.null(x$tally) && is.null(x$given) && length(dim(x$estimate)) == 2L && !margin_moments(x)) "supports"
  },
  rr_bit_tally = function(x) {
    if (length(x$flip) != 1L) "flip"
    else if (!is.null(x$labels) && length(x$labels) != length(x$ones)) "labels"
    else if (!is.null(x$state) && !identical(dim(x$state), c(12L, length(x$ones)))) "state"
  },
  rr_sketch = function(x) {
    if (!identical(names(x$settings), if (x$type == "pcsa") c("buckets", "levels") else c("bits", "hashes"))) "settings"
  },
  rr_extreme = function(x) {
    sizes <- lengths(x[c("estimate", "variance", "bound", "sign", "log", "log_bound")])
    if (!is.null(x$labels) && length(x$labels) != sizes[1]) "labels"
    else if (any(sizes != sizes[1])) names(sizes)[sizes != sizes[1]][1]
  },
  rr_incidence = function(x) {
    if (length(x$estimate) != x$sets + 1) "estimate"
    else if (!is.null(x$covariance) && any(dim(x$covariance) != length(x$estimate))) "covariance"
  },
  rr_regression = function(x) if (is.null(names(x$coefficients))) "coefficients"
)

# The table as the loop of check_object() reads it: made once, since every call of an exported function pays for it.
object_fields <- lapply(object_shapes, function(shape) {
  unname(Map(function(name, kind) {
    optional <- endsWith(kind, "?")
    kind <- sub("?", "", kind, fixed = TRUE)
    of_class <- function(x) {
      if (!inherits(x, kind)) return(FALSE)
      check_object(x)
      TRUE
    }
    list(name = name, optional = optional, test = object_kinds[[kind]] %||% of_class)
  }, names(shape), shape))
})

# Tables of ours are data frames that users cut and bind: any rows and columns that are left can be shown, and only
# what is drawn or read needs its columns, `numbers` and `words`.
check_table <- function(x, numbers = character(), words = character()) {
  parts <- unclass(x)
  if (!is.list(parts) || is.null(names(parts)) || !length(parts)) abort_damaged(x, "It is no table.")
  rows <- vapply(parts, NROW, 0)
  if (any(rows != .row_names_info(x, 2L)) || !all(vapply(parts, is.atomic, NA) | vapply(parts, is.list, NA))) {
    abort_damaged(x, "Its columns have different lengths.")
  }
  lost <- setdiff(c(numbers, words), names(parts))
  if (length(lost)) {
    abort(c("A table of class {.cls {class(x)[1]}} has lost columns that are needed here.",
            x = "There is no {.field {lost[1]}}.", i = "Make it again, or keep all its columns."), "argument")
  }
  for (name in numbers) {
    if (!plain_number(parts[[name]]) || !is.null(dim(parts[[name]]))) {
      abort_damaged(x, sprintf("Its column `%s` is %s.", name, describe_kind(parts[[name]])))
    }
  }
  for (name in words) {
    if (!is.character(parts[[name]]) && !is.factor(parts[[name]])) {
      abort_damaged(x, sprintf("Its column `%s` is %s.", name, describe_kind(parts[[name]])))
    }
  }
  if (length(numbers) && !nrow(x)) {
    abort(c("A table of class {.cls {class(x)[1]}} has no rows left.", i = "There is nothing to draw or read."),
          "empty")
  }
  invisible(x)
}

# The moments of reports that support sets, of the two questions of a margin.
margin_moments <- function(x) {
  parts <- x$supports$parts
  fits <- function(part) {
    is.list(part) && plain_number(part$d) && plain_number(part$first) && length(part$first) == length(part$d) &&
      is.matrix(part$second) && is.numeric(part$second) && all(dim(part$second) == length(part$d))
  }
  is.list(parts) && length(parts) == 2L && all(vapply(parts, fits, NA)) && is.matrix(x$supports$between) &&
    is.numeric(x$supports$between) &&
    identical(dim(x$supports$between), c(length(parts[[1]]$d), length(parts[[2]]$d)))
}
