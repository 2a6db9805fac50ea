# Recipes: a mechanism as plain numbers and text, from which it is made again. Files hold them (R/tally-file.R), so a
# recipe has only what decides, in the words of the constructors; all else follows from it. What is read is checked as
# what a user gives is: by the constructors, or here where these would round again.
#
# A kind of mechanism that travels has two methods: mechanism_recipe() says its members, from_recipe() makes it.
# Arrays are marked by I(), for an array of one is not its entry. Protocols have theirs in their own files.

mechanism_recipe <- function(mechanism) UseMethod("mechanism_recipe")

mechanism_recipe.default <- function(mechanism) {
  abort(c("A mechanism of class {.cls {class(mechanism)[1]}} cannot be written.",
          x = "The package does not know how it is made again.",
          i = "Write {.code as.data.frame(tally)}, and give it to {.fn rr_counts} with the mechanism."),
        "file")
}

from_recipe <- function(recipe) UseMethod("from_recipe")

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
