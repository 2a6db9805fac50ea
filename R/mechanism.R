# A mechanism says how an answer was randomized. Each kind has one file: its constructor, its law,
# and the methods for its reports if these are not categories. To add a mechanism, add such a file;
# ?rr_new_mechanism shows how.

# A mechanism:
#   levels, reports      the labels of the truths and of the counts
#   numeric_levels       the numbers that the labels of the reports are, if numbers in the data are
#                        labels, not positions
#   numeric_truths       the same for the truths, if they have other labels
#   bits, truth_bits     the positions of no and yes if 0 and 1 are reports, or truths; else NULL
# `yes_no`: are 0 and 1 answers, to the reports, and to the truths if that differs? Two categories
# called no and yes always have these answers.
new_rr_mechanism <- function(
  kind, levels, ..., reports = levels, numeric_levels = NULL, epsilon, design, yes_no = FALSE
) {
  structure(
    list(
      levels = levels,
      reports = reports,
      numeric_levels = numeric_levels,
      bits = answer_bits(reports, yes_no[1]),
      truth_bits = answer_bits(levels, yes_no[length(yes_no)]),
      epsilon = epsilon,
      design = design,
      ...
    ),
    class = c(paste0("rr_", kind), "rr_mechanism")
  )
}

# The mechanism with its recipe, which makes the same mechanism again, to the last bit. Files and
# functions that ask for the design read it:
#   constructor   the name of the function
#   arguments     its arguments in `...`, without those that are NULL
#   fields        the arguments that are elements of the mechanism, named if the names differ
with_recipe <- function(mechanism, constructor, ..., fields = "levels") {
  as_stored <- function(x) {
    if (is.numeric(x) && is.null(dim(x))) as.double(x) else x
  }
  arguments <- lapply(list(...), as_stored)
  mechanism$recipe <- list(
    constructor = constructor,
    arguments = arguments[lengths(arguments) > 0],
    fields = fields
  )
  mechanism
}

# The argument `levels` that gives these labels and their numbers: the number of labels if they are
# 1, 2, ... and numbers in data are positions; their numbers if their text has not all digits.
level_value <- function(labels, numeric, ordered = FALSE) {
  if (is.null(numeric) && identical(labels, as.character(seq_along(labels)))) {
    return(as.double(length(labels)))
  }
  lacks_digits <- !is.null(numeric) && !identical(numeric, label_numbers(labels))
  if (lacks_digits && all(is.finite(numeric))) return(numeric)
  if (isTRUE(ordered)) factor(labels, labels, ordered = TRUE) else labels
}

# The argument `levels` of a mechanism.
level_argument <- function(mechanism) {
  has_truths <- "numeric_truths" %in% names(mechanism)
  numeric <- mechanism[[if (has_truths) "numeric_truths" else "numeric_levels"]]
  level_value(mechanism$levels, numeric, mechanism$ordered)
}

# Labels of two categories, in lower case, that say which of them is no and which is yes: "the same"
# stands for yes in the crosswise design.
no_yes_labels <- c("no yes", "false true", "0 1", "negative positive", "different same")

# 1:2 if two labels are called no and yes in this order, 2:1 if in the other, else NULL.
no_yes_order <- function(labels) {
  if (length(labels) != 2L) return(NULL)
  words <- tolower(trimws(labels))
  if (paste(words, collapse = " ") %in% no_yes_labels) return(1:2)
  if (paste(rev(words), collapse = " ") %in% no_yes_labels) 2:1
}

# The positions of no and yes among two labels: as they are called, else no is the first. They are
# NULL unless there are two labels.
no_yes_index <- function(labels) {
  if (length(labels) == 2L) {
    setNames(no_yes_order(labels) %||% 1:2, c("no", "yes"))
  }
}

# The positions of no and yes if 0 and 1 are answers; else NULL, and numbers are positions.
answer_bits <- function(labels, yes_no) {
  if (yes_no || !is.null(no_yes_order(labels))) no_yes_index(labels)
}

# Do two mechanisms randomize in the same way over the same labels? Their recipes may differ.
same_mechanism <- function(x, y) {
  x$recipe <- y$recipe <- NULL
  identical(x, y)
}

#' @export
format.rr_mechanism <- function(x, digits = 4, ...) {
  digits <- check_digits(digits)
  permanent <- permanent_epsilon(x)
  is_several <- !is.null(x$questions)
  unit <- if (is_several) " per row" else if (!is.null(permanent)) " a report"
  epsilon <- if (protects(x)) {
    paste0(
      "epsilon = ", format(x$epsilon, digits = digits), unit,
      if (!is.null(x$attention)) " of attention"
    )
  }
  permanent <- if (!is.null(permanent)) paste(format(permanent, digits = digits), "in all")
  paste(c(x$design, size_words(x), epsilon, permanent), collapse = ", ")
}

# Is the first stage one that respondents keep?
is_memoised <- function(mechanism) isTRUE(mechanism$memoised)

# Epsilon of all reports that are made from one first stage; NULL if there is only one stage.
permanent_epsilon <- function(mechanism) {
  if (!is.null(mechanism$second) || is_memoised(mechanism)) {
    mechanism$first$epsilon %||% mechanism$permanent
  }
}

# The number of truths in words, for a line that describes a mechanism; NULL if their number is none
# of its facts.
size_words <- function(mechanism) UseMethod("size_words")

size_words.rr_mechanism <- function(mechanism) category_words(length(mechanism$levels))

#' @export
print.rr_mechanism <- function(x, ..., digits = 4) {
  digits <- check_digits(digits)
  writeLines(within_80(paste0("<", class(x)[1], "> ", x$design)))
  k <- length(x$levels)
  # A reader sees the order of numbers, but not that of other labels.
  needs_order <- isTRUE(x$ordered) &&
    anyNA(suppressWarnings(as.numeric(head(x$levels, 8))))
  if (!isTRUE(x$codec$real)) {
    labels <- format_labels(x$levels, between = if (needs_order) " < " else ", ")
    if (k == 0L) labels <- "those of the data"
    writeLines(within_80(paste0("  categories  ", labels)))
  }
  writeLines(within_80(privacy_lines(x, digits)))
  if (!is.null(x$labels)) return(invisible(x))
  if (is_validated(x)) {
    people <- paste(x$levels, format_count(rowSums(x$validation)), collapse = ", ")
    writeLines(within_80(paste0(
      "  validated   on ", people_words(x), " (", people, ")",
      if (x$internal) ", drawn from the respondents"
    )))
  }
  if (k <= 8 && has_categories(x)) {
    cat("  P(report given truth), rows are truths:\n")
    print(rr_matrix(x), digits = digits)
  } else if (k > 1L) {
    # If there are too many categories for the matrix, lines of the law stand in its place.
    texts <- vapply(rr_law(x)$probabilities, function(prob) {
      if (is.character(prob)) return(prob)
      limits <- format(signif(range(prob), digits), digits = digits)
      paste(unique(limits), collapse = " to ")
    }, "")
    cat(paste0("  ", names(texts), texts), sep = "\n")
  }
  invisible(x)
}

# The lines about epsilon: of one report, and of all reports that are made of a kept answer.
privacy_lines <- function(x, digits) {
  if (!protects(x)) return("  epsilon     none: mistakes protect nobody")
  line <- function(name, epsilon, ...) {
    paste0(name, format(epsilon, digits = digits), "  (", odds_words(epsilon, ...), ")")
  }
  c(
    paste0(
      line("  epsilon     ", x$epsilon), if (!is.null(x$remark)) paste0("; ", x$remark)
    ),
    if (is.null(x$first) && is_memoised(x)) {
      line("  lifetime    ", permanent_epsilon(x), "any series of reports")
    }
  )
}

# The first eight labels, or the first three if they are longer than `width`.
format_labels <- function(labels, width = 60, between = ", ") {
  k <- length(labels)
  first_labels <- function(n) {
    total <- if (k > n) sprintf("... (%s in all)", format_count(k))
    paste(c(encodeString(head(labels, n)), total), collapse = between)
  }
  if (nchar(first_labels(8)) > width) first_labels(3) else first_labels(8)
}

# ---- epsilon in words that need no logarithm ----

# Text such as "a report changes odds by a factor of at most 7.4", and a remark if that protects
# little. `noun` is what changes the odds.
odds_words <- function(epsilon, noun = "a report") {
  if (is.na(epsilon)) return("no level is known")
  if (is.infinite(epsilon)) return(paste(noun, "can rule a truth out"))
  if (epsilon == 0) return(paste(noun, "says nothing about the truth"))
  # The factor has one decimal below 10, and none above.
  factor <- exp(epsilon)
  digits <- if (factor < 1.01) 6 else if (factor < 10) 1 else 0
  rounded <- if (digits < 6) round(factor, digits) else signif(factor, digits)
  text <- if (factor >= 1e6) format(factor, digits = 2) else format_count(rounded)
  # If epsilon exceeds 5 odds change more than 148-fold: a report nearly tells the truth.
  remark <- if (epsilon > 5) ": this protects little" else ""
  sprintf("%s changes odds by a factor of at most %s%s", noun, text, remark)
}

# Does the mechanism protect anybody? Mistakes do not, so that no epsilon is printed for them.
protects <- function(mechanism) !isTRUE(mechanism$error)

# An error: reports do not depend on the truth.
abort_no_information <- function(mechanism = NULL) {
  design <- mechanism$design
  abort(
    c(
      "Nothing can be learned from these reports.",
      x = "A report is equally likely whatever the truth{if (!is.null(design)) ': '}{design}."
    ),
    "no_information"
  )
}

# ---- mechanisms of other packages ----

#' Write a mechanism or a protocol of your own
#'
#' A new mechanism needs only one file. Its constructor calls `rr_new_mechanism()`, and its law, the argument `law` or a method of [rr_law()], describes how
#' reports depend on the truth. If a report is a category, nothing else is needed: printing, [rr_perturb()], [rr_tally()], [rr_estimate()], [rr_product()] and
#' [rr_study()] then work. If a report is one bit for each level, a function draws reports and the rest follows. If a report is something else (a hash value),
#' two functions draw and count reports.
#'
#' * `law`, a law, or a method of `rr_law(mechanism)`: returns how reports depend on the truth, see [rr_law()]. Needed always.
#' * `draw(mechanism, answers, rng)`: returns one report for each answer. Needed if a report is not a category.
#' * `count(mechanism, x, groups, weights, na.rm)`: returns the counts of many reports. Needed if a report is neither a category nor bits.
#' * `simulate(mechanism, truth, nsim)`: returns random counts without drawing reports. Needed for `simulate()` and the bootstrap, if a report is
#'   neither.
#'
#' `print()` and `format()` use `design` and `epsilon`.
#'
#' @section What the package does not promise for you:
#' The package has not seen how `draw()` draws. Therefore `rr_epsilon(achieved = TRUE)`, [rr_client()], [rr_check_client()], [rr_compose()] and
#' [rr_longitudinal()] refuse a protocol with a function `draw`, and [rr_write()] refuses every mechanism that was made so, since a file can only call constructors of this package.
#' A law of supports does not say how likely a report is, so [rr_matrix()] and shuffling need a law of another kind.
#'
#' @section Drawing reports:
#' `answers` are the positions of the true answers among the levels, whole numbers without missing values. `rng` is `"secure"` or `"R"`, see
#' [rr_perturb()]. `draw()` may call [rr_perturb()] with a simpler mechanism to get exact probabilities.
#'
#' @section Counting reports:
#' `count()` receives the reports `x` as the user has them, and must give an error for values that are not reports. `groups` holds the group number (1,
#' 2, ...) of each report, or is `NULL`; `weights` holds a weight per report, or is `NULL`. `count()` returns a list:
#'
#' * `counts`: one number per label in `reports`, or a matrix with one column per group. Counts need not add up to the number of reports.
#' * `dropped`: the positions of missing reports that were left out, only with `na.rm = TRUE`.
#'
#' The number of reports is the number of rows of a matrix or data frame, and otherwise `length(x)`.
#'
#' @section Simulating counts:
#' `truth` is the number of respondents who hold each level. `simulate()` returns a matrix with one row per label in `reports` and one column for each
#' of the `nsim` tallies.
#'
#' @param kind One word. The class of the mechanism is `c("rr_<kind>", "rr_mechanism")`.
#' @param levels Labels of the true answers, or their number.
#' @param ... Further elements of the mechanism, by name.
#' @param reports Labels of the counts; by default the levels. They name the reports, or what is counted if a report is not a category.
#' @param epsilon Number, at least 0, possibly `Inf`. Privacy budget of one report: at least the epsilon of an additive or channel `law`.
#' @param design One line of text that describes the mechanism.
#' @param yes_no Logical, default `FALSE`. May 0 and 1 stand for the two answers and the two reports? They always do if the labels
#'   are no and yes, see [rr_tally()].
#' @param bits Logical, default `FALSE`. Is a report one bit for each level? `draw()` then returns a logical matrix with one row for each answer and one
#'   column for each level. Such reports are read, counted, kept and queried as reports of [rr_unary()] are.
#' @param law A law of [rr_new_law()]. `NULL` (default): a method of [rr_law()] for the class makes it.
#' @param draw,count,simulate Functions, see the table. Two mechanisms are the same only if their functions are: define them outside the constructor.
#' @return A mechanism.
#' @section Errors:
#' `candor_error_argument` for arguments of the wrong type or range, for an `epsilon` below the epsilon of `law`, and for functions that return something else. `candor_error_law` if a needed
#' method or function is missing.
#' @references Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX
#'   Security*, 729-745. arXiv:1705.04421 (the example is their symmetric unary encoding)
#' @seealso [rr_law()]; [rr_new_method()] for an estimator of your own; `articles/extending.html` of the site.
#' @concept extending the package
#' @examples
#' # Symmetric unary encoding: one bit per category, each flipped with
#' # probability 1 - p
#' draw_bits <- function(mechanism, answers, rng) {
#'   bits <- outer(answers, seq_along(mechanism$levels), "==")
#'   flip <- rr_binary(mechanism$p, 1 - mechanism$p)
#'   bits[] <- rr_perturb(as.vector(bits), flip, rng)
#'   bits
#' }
#' rr_toy <- function(levels, epsilon) {
#'   p <- plogis(epsilon / 2)
#'   rr_new_mechanism("toy", levels, epsilon = epsilon,
#'                    design = "Symmetric unary encoding",
#'                    p = p, bits = TRUE, draw = draw_bits,
#'                    law = rr_new_law("support", p, 1 - p))
#' }
#'
#' # Are the shares 0.6, 0.3 and 0.1 found again?
#' mechanism <- rr_toy(c("red", "green", "blue"), epsilon = 2)
#' set.seed(1)
#' truth <- rep(mechanism$levels, c(600, 300, 100))
#' tally <- rr_tally(rr_perturb(truth, mechanism, rng = "R"), mechanism)
#' tidy(rr_estimate(tally, method = "inv"), conf.int = TRUE)
#' # Yes, within two standard errors
#' @export
rr_new_mechanism <- function(
  kind,
  levels,
  ...,
  epsilon,
  design,
  reports = levels,
  yes_no = FALSE,
  bits = FALSE,
  law = NULL,
  draw = NULL,
  count = NULL,
  simulate = NULL
) {
  check_given(rr_new_mechanism, environment())
  is_word <- is.character(kind) && length(kind) == 1L && grepl("^[A-Za-z][A-Za-z0-9._]*$", kind)
  check_that(is_word, kind, "kind", "one word")
  truths <- check_levels(levels)
  labels <- if (missing(reports)) truths else check_levels(reports, "reports")
  codec <- if (check_flag(bits, "bits")) {
    report_codec(levels = truths$labels, numeric_levels = truths$numeric)
  }
  epsilon <- check_number(epsilon, "epsilon", min = 0)
  check_law_epsilon(law, length(truths$labels), epsilon)
  new_rr_mechanism(
    c(kind, if (bits) "protocol"),
    truths$labels,
    codec = codec,
    law = law,
    ...,
    reports = labels$labels,
    numeric_levels = labels$numeric,
    numeric_truths = truths$numeric,
    epsilon = epsilon,
    design = as.character(design),
    yes_no = check_flag(yes_no, "yes_no"),
    draw = draw,
    count = count,
    simulate = simulate
  )
}

# An error if an additive law or a channel has no probabilities for `k` truths, or reveals more than
# `epsilon`.
check_law_epsilon <- function(law, k, epsilon) {
  is_additive <- "additive" %in% law$gives
  if (!is_additive && is.null(law$axes)) return(invisible())
  axes <- if (is_additive) {
    list(list(a = law$a, b = rep_len(law$b, k)))
  } else {
    law$axes
  }
  truth_sums <- function(axis) {
    if (is.null(axis$b)) {
      colSums(axis$matrix)
    } else {
      axis$a + sum(axis$b)
    }
  }
  sums <- unlist(lapply(axes, truth_sums))
  if (any(abs(sums - 1) > 1e-8)) {
    abort(c(
      "{.arg law} must have probabilities that add up to 1 for each truth.",
      x = "One sum is {sums[which.max(abs(sums - 1))]}."
    ))
  }
  min_epsilon <- sum(vapply(axes, axis_epsilon, 0))
  # Logarithms of ratios near 1 have lost digits.
  if (epsilon < min_epsilon * (1 - 1e-8) - 1e-14) {
    abort(c(
      "{.arg epsilon} must be at least the epsilon of {.arg law}.",
      x = paste0(
        "It is {format(epsilon)}, and reports with this law have ",
        "{format(min_epsilon, digits = 6)}."
      )
    ))
  }
}

# Epsilon of one factor of a channel. A factor that has no matrix is additive, and a report that
# nobody gives reveals nothing.
axis_epsilon <- function(axis) {
  if (is.null(axis$b)) {
    reports <- axis$matrix[rowSums(axis$matrix) > 0, , drop = FALSE]
    return(max(
      log(apply(reports, 1, max) / apply(reports, 1, min))
    ))
  }
  b <- axis$b[axis$b + max(axis$a, 0) > 0]
  max(abs(log1p(axis$a / b)))
}

#' @rdname rr_law
#' @export
rr_new_law <- function(kind = c("additive", "channel", "support"), ...) {
  switch(
    check_choice(kind),
    additive = checked_additive(...),
    channel = checked_channel(...),
    support = checked_support(...)
  )
}
