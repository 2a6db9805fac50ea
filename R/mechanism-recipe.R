# Recipes: a mechanism as plain numbers and text, from which it is made again. Files hold them (R/tally-file.R), so a
# recipe has only what decides, in the words of the constructors; all else follows from it. What is read is checked as
# what a user gives is: by the constructors, or here where these would round again.
#
# A kind of mechanism that travels has two methods: mechanism_recipe() says its members, from_recipe() makes it.
# Arrays are marked by I(), for an array of one is not its entry. Protocols have theirs in their own files.

mechanism_recipe <- function(mechanism) UseMethod("mechanism_recipe")

#' @export
mechanism_recipe.default <- function(mechanism) {
  abort(c("A mechanism of class {.cls {class(mechanism)[1]}} cannot be written.",
          x = "The package does not know how it is made again.",
          i = "Write {.code as.data.frame(tally)}, and give it to {.fn rr_counts} with the mechanism."),
        "file")
}

from_recipe <- function(recipe) UseMethod("from_recipe")

#' @export
from_recipe.default <- function(recipe) {
  abort(c("The mechanism is of an unknown kind.", x = "It is {describe(unclass(recipe)$kind)}."), "file")
}

# The kind decides which method is called, and only the package's own are there to be called.
recipe_mechanism <- function(recipe) {
  kind <- if (is.list(recipe)) recipe$kind
  if (!is.character(kind) || length(kind) != 1L || is.na(kind)) {
    abort("A mechanism must say its {.field kind}.", "file")
  }
  from_recipe(structure(recipe, class = paste0("recipe_", kind)))
}

# The members of an object: all that are required, nothing that is not known, nothing twice.
recipe_members <- function(object, required, optional = character(), what = "mechanism") {
  object <- unclass(object)
  if (!is.list(object) || (length(object) && is.null(names(object)))) {
    abort(c("The {what} must be an object.", x = "It is {describe(object)}."), "file")
  }
  names <- names(object)
  absent <- setdiff(required, names)
  if (length(absent)) abort("The {what} must have the member {.field {absent[1]}}.", "file")
  stray <- setdiff(names, c(required, optional))
  if (length(stray)) abort(c("The {what} has a member that is not known.", x = "It is {describe(stray[1])}."), "file")
  if (anyDuplicated(names)) abort("The {what} has the member {.field {names[anyDuplicated(names)]}} twice.", "file")
  # Whole numbers are read as integers.
  lapply(object, function(value) if (is.integer(value)) as.double(value) else value)
}

# ---- labels ----

# A number where the labels are 1, 2, ... and numbers in data are positions; text; or the numbers that the labels are,
# where their text has not all digits.
recipe_labels <- function(labels, numeric) {
  if (is.null(numeric) && identical(labels, as.character(seq_along(labels)))) return(length(labels))
  if (!is.null(numeric) && !identical(numeric, label_numbers(labels)) && all(is.finite(numeric))) return(I(numeric))
  I(labels)
}

given_labels <- function(value, ordered = NULL) {
  if (!is.character(value) && !is.numeric(value)) {
    abort(c("{.field levels} must be labels, or their number.", x = "It is {describe(value)}."), "file")
  }
  if (is.null(ordered) || !check_flag(ordered, "ordered")) return(value)
  if (anyNA(value) || anyDuplicated(value)) abort("{.field levels} must all differ.", "file")
  factor(value, value, ordered = TRUE)
}

# The member is left out where it is not set.
ordered_member <- function(mechanism) list(ordered = TRUE)[isTRUE(mechanism$ordered)]

# Which of the levels' numbers are those of the truths?
level_recipe <- function(mechanism) {
  numeric <- if ("numeric_truths" %in% names(mechanism)) mechanism$numeric_truths else mechanism$numeric_levels
  recipe_labels(mechanism$levels, numeric)
}

# A name, "" where it is none.
one_text <- function(x) if (is.character(x) && length(x) == 1L && !is.na(x)) x else ""

# ---- one question with a closed form ----

#' @export
mechanism_recipe.rr_grr <- function(mechanism) {
  c(list(kind = "grr", levels = level_recipe(mechanism)),
    if (mechanism$from_epsilon) list(epsilon = mechanism$epsilon) else list(p = mechanism$p), ordered_member(mechanism))
}

#' @export
from_recipe.recipe_grr <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "levels"), c("epsilon", "p", "ordered"))
  rr_grr(given_labels(r$levels, r$ordered), epsilon = r$epsilon, p = r$p)
}

# What print() calls the designs, by their names in files.
binary_designs <- c(question = "Randomized yes/no question", warner = "Warner's design", crosswise = "Crosswise design",
                    triangular = "Triangular design", mangat = "Two-stage design of Mangat and Singh",
                    kuk = "Kuk's design", misclassification = "Misclassified answer")

# The two probabilities, and their difference: in a few designs that has digits which subtracting loses.
#' @export
mechanism_recipe.rr_binary <- function(mechanism) {
  title <- sub(" \\(p = [^()]*\\)$", "", mechanism$design)
  design <- names(binary_designs)[match(title, binary_designs)]
  if (is.na(design)) return(mechanism_recipe.default(mechanism))
  start <- list(kind = "binary", design = design, levels = level_recipe(mechanism))
  if (mechanism$from_epsilon) return(c(start, list(epsilon = mechanism$epsilon)))
  c(start, list(p = mechanism$p, q = mechanism$q),
    list(p_minus_q = mechanism$p_minus_q)[mechanism$p_minus_q != mechanism$p - mechanism$q])
}

#' @export
from_recipe.recipe_binary <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "levels"), c("design", "epsilon", "p", "q", "p_minus_q"))
  design <- check_choice(r$design %||% "question", "design", names(binary_designs))
  levels <- given_labels(r$levels)
  if (!is.null(r$epsilon)) {
    if (design != "warner" || !is.null(r$p) || !is.null(r$q)) {
      abort("{.field epsilon} is for {.val warner}, without {.field p} and {.field q}.", "file")
    }
    return(rr_warner(epsilon = r$epsilon, levels = levels))
  }
  p <- check_probability(r$p, "p")
  q <- check_probability(r$q, "q")
  difference <- check_number(r$p_minus_q %||% (p - q), "p_minus_q", -1, 1)
  symmetric <- design %in% c("warner", "crosswise", "mangat")
  if (abs(difference - (p - q)) > 1e-14 || (symmetric && abs(p + q - 1) > 1e-14)) {
    abort(c("The probabilities of the mechanism do not fit together.",
            x = "{.field p} is {p}, {.field q} is {q}{if (symmetric) ', which should add up to 1'}."), "file")
  }
  error <- list(error = TRUE)[design == "misclassification"]
  do.call(new_rr_binary, c(list(p, q, levels, binary_designs[[design]], difference, symmetric,
                                size = if (length(error)) 1 else max(p, q)), error))
}

#' @export
mechanism_recipe.rr_forced <- function(mechanism) {
  c(list(kind = sub("^rr_", "", class(mechanism)[1]), levels = level_recipe(mechanism), truth = mechanism$truth,
         innocuous = I(mechanism$innocuous)), ordered_member(mechanism))
}

#' @export
mechanism_recipe.rr_unrelated <- mechanism_recipe.rr_forced

#' @export
from_recipe.recipe_forced <- function(recipe) innocuous_recipe(recipe, "Forced response (truth with probability %s)")

#' @export
from_recipe.recipe_unrelated <- function(recipe) {
  innocuous_recipe(recipe, "Unrelated question (truth with probability %s)")
}

innocuous_recipe <- function(recipe, design) {
  r <- recipe_members(recipe, c("kind", "levels", "truth", "innocuous"), "ordered")
  levels <- check_levels(given_labels(r$levels, r$ordered))
  truth <- check_probability(r$truth, "truth")
  innocuous <- check_probabilities(r$innocuous, "innocuous")
  if (length(innocuous) != length(levels$labels) || abs(sum(innocuous) + truth - 1) > 1e-8) {
    abort(c("{.field truth} and {.field innocuous} must add up to 1, with one number of {.field innocuous} per level.",
            x = paste("They are {1 + length(innocuous)} numbers that add up to",
                      "{format(sum(innocuous) + truth, digits = 10)}.")),
          "file")
  }
  new_rr_innocuous(r$kind, levels, truth, innocuous, sprintf(design, format(truth, digits = 4)))
}

# ---- channels ----

#' @export
mechanism_recipe.rr_channel <- function(mechanism) {
  if (!identical(class(mechanism), c("rr_channel", "rr_mechanism"))) return(mechanism_recipe.default(mechanism))
  levels <- level_recipe(mechanism)
  reports <- recipe_labels(mechanism$reports, mechanism$numeric_levels)
  c(list(kind = "channel", design = mechanism$design, levels = levels),
    if (!identical(levels, reports)) list(reports = reports),
    list(matrix = matrix_rows(mechanism$matrix)), ordered_member(mechanism),
    list(error = TRUE)[isTRUE(mechanism$error)])
}

# Rows are truths, here as everywhere.
matrix_rows <- function(matrix) lapply(seq_len(nrow(matrix)), function(i) I(unname(matrix[i, ])))

#' @export
from_recipe.recipe_channel <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "levels", "matrix"), c("design", "reports", "ordered", "error"))
  C <- recipe_matrix(r$matrix)
  levels <- check_levels(given_labels(r$levels))
  reports <- if (is.null(r$reports)) levels else check_levels(given_labels(r$reports))
  if (length(levels$labels) != nrow(C) || length(reports$labels) != ncol(C)) {
    abort(c("{.field matrix} must have one row per level and one column per report.",
            x = "It is {nrow(C)} by {ncol(C)}; there are {length(levels$labels)} and {length(reports$labels)}."),
            "file")
  }
  design <- check_design_line(r$design %||% sprintf("Channel of %d truths and %d reports", nrow(C), ncol(C)))
  labels <- list(levels = levels$labels, reports = reports$labels, numeric = reports$numeric, truths = levels$numeric)
  error <- list(error = TRUE)[!is.null(r$error) && check_flag(r$error, "error")]
  result <- do.call(new_rr_channel, c(list(C, labels, design), error))
  with_order(result, list(ordered = !is.null(r$ordered) && check_flag(r$ordered, "ordered")))
}

# A row that adds up to 1 but for roundings stays as it is, to the bit.
recipe_matrix <- function(rows) {
  if (!is.list(rows) || !length(rows) || !all(vapply(rows, is.numeric, NA)) || length(unique(lengths(rows))) != 1L) {
    abort("{.field matrix} must be an array of rows, each an array of as many probabilities.", "file")
  }
  C <- matrix(as.double(unlist(rows, use.names = FALSE)), length(rows), byrow = TRUE)
  scaled <- check_stochastic(C, 1e-8, "matrix")
  if (all(abs(rowSums(C) - 1) <= 1e-12)) C else scaled
}

# What print() shows of a mechanism is one line without control characters.
check_design_line <- function(design) {
  if (is.character(design) && length(design) == 1L && !is.na(design) && nchar(design) <= 1000 &&
      !grepl("[[:cntrl:]]", design)) return(design)
  abort(c("{.field design} must be one line of text.", x = "It is {describe(design)}."), "file")
}

#' @export
mechanism_recipe.rr_compose <- function(mechanism) {
  list(kind = "compose", first = mechanism_recipe(mechanism$first), second = mechanism_recipe(mechanism$second))
}

#' @export
from_recipe.recipe_compose <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "first", "second"))
  rr_compose(recipe_mechanism(r$first), recipe_mechanism(r$second))
}

# What the others answer: a distribution over the reports, or the truth.
#' @export
mechanism_recipe.rr_noncompliance <- function(mechanism) {
  behaviour <- mechanism$second
  c(list(kind = "noncompliance", mechanism = mechanism_recipe(mechanism$first), share = mechanism$share),
    if (is.null(behaviour)) list(answer = "truth") else list(innocuous = I(behaviour$innocuous)))
}

#' @export
from_recipe.recipe_noncompliance <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "mechanism", "share"), c("answer", "innocuous"))
  mechanism <- recipe_mechanism(r$mechanism)
  share <- check_number(r$share, "share", min = 0, max = 1, max_open = TRUE)
  if (!is.null(r$answer)) {
    check_choice(r$answer, "answer", "truth")
    return(rr_noncompliance(mechanism, share, "truth"))
  }
  # Refuses the mechanisms and shares that there cannot be.
  rr_noncompliance(mechanism, share)
  innocuous <- check_probabilities(r$innocuous, "innocuous")
  if (length(innocuous) != length(mechanism$reports) || abs(sum(innocuous) - share) > 1e-8) {
    abort(c("{.field innocuous} must add up to {.field share}, with one number per report.",
            x = "It is {length(innocuous)} numbers that add up to {format(sum(innocuous), digits = 10)}."), "file")
  }
  noncompliant_mechanism(mechanism, share, innocuous)
}

#' @export
mechanism_recipe.rr_product <- function(mechanism) {
  list(kind = "product", questions = list_recipe(mechanism$questions))
}

#' @export
from_recipe.recipe_product <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "questions"))
  rr_product(recipe_list(r$questions, "questions"))
}

# An array of objects with a name and a mechanism: members of an object have no order in every language.
list_recipe <- function(mechanisms) {
  unname(Map(function(name, mechanism) list(name = name, mechanism = mechanism_recipe(mechanism)), names(mechanisms),
             mechanisms))
}

recipe_list <- function(objects, what) {
  if (!is.list(objects) || !is.null(names(objects))) abort("{.field {what}} must be an array.", "file")
  parts <- lapply(objects, recipe_members, c("name", "mechanism"), what = "list entry")
  names <- vapply(parts, function(part) one_text(part$name), "")
  stats::setNames(lapply(parts, function(part) recipe_mechanism(part$mechanism)), names)
}

# ---- designs with an unknown number ----

#' @export
mechanism_recipe.rr_lie_detector <- function(mechanism) {
  list(kind = "lie_detector", levels = I(mechanism$reports), p = unname(mechanism$matrix[1, 1]))
}

#' @export
from_recipe.recipe_lie_detector <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "levels", "p"))
  rr_lie_detector(r$p, given_labels(r$levels))
}

#' @export
mechanism_recipe.rr_cheater_detection <- function(mechanism) {
  list(kind = "cheater_detection", levels = I(mechanism$reports), yes = unname(mechanism$matrix[1, 2]),
       no = unname(mechanism$matrix[2, 1]))
}

#' @export
from_recipe.recipe_cheater_detection <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "levels", "yes", "no"))
  rr_cheater_detection(r$yes, r$no, given_labels(r$levels))
}

#' @export
mechanism_recipe.rr_unrelated_unknown <- function(mechanism) {
  list(kind = "unrelated_unknown", levels = I(mechanism$reports), p = unname(mechanism$matrix[3, 2]))
}

#' @export
from_recipe.recipe_unrelated_unknown <- function(recipe) {
  r <- recipe_members(recipe, c("kind", "levels", "p"))
  rr_unrelated(r$p, NULL, given_labels(r$levels))
}
