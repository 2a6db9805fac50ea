# arrows.R <folder of R files>: who uses whom. From the parsed files: which file defines a name and which files use it.
# Fails where a step of the line uses a later one, where the line uses a side room, where one side room uses another,
# where there are more than two circles between files, or one of more than three, and where a file asks a mechanism or a
# law of another file for its class, or reads a field of it that is private. The order and the facts are those of ARCHITECTURE.md.
# "--classes" and "--fields" show who asks and who reads.
folder <- grep("^--", commandArgs(trailingOnly = TRUE), value = TRUE, invert = TRUE)
files <- sort(list.files(folder, pattern = "[.]R$", full.names = TRUE))
if (length(folder) != 1L || !length(files)) stop("one folder of R files is needed: Rscript tools/arrows.R R", call. = FALSE)

# Steps of equal rank may use each other.
rank <- c(util = 0, law = 1, mechanism = 1, protocol = 3, respond = 3, tally = 3, method = 4, estimate = 4, uncertainty = 5, fit = 6)
rooms <- c("joint", "sets", "regress", "plan", "study")
# Judges of estimators may use every room.
judges <- c("study", "plan")

parsed <- lapply(files, parse, keep.source = FALSE)
names(parsed) <- basename(files)

defined <- function(expressions) {
  unlist(lapply(expressions, function(e) {
    if (is.call(e) && as.character(e[[1]])[1] %in% c("<-", "=") && is.name(e[[2]])) as.character(e[[2]])
  }))
}
home <- unlist(lapply(names(parsed), function(file) {
  names <- defined(parsed[[file]])
  stats::setNames(rep(file, length(names)), names)
}))

# A protocol is one file: how its reports are drawn and counted stands beside its constructor.
protocols <- unique(home[grepl("^(draw_reports|draw_permanent|prepare_answers)[.]", names(home)) & grepl("^mechanism", home)])

step_of <- function(file) {
  if (file %in% protocols) return("protocol")
  sub("[-.].*$", "", file)
}

# Names in the code of a file that another file defines; names that it binds itself, as arguments or variables, are its own.
# Positions of the parts of a call that are there: x[, 1] has an empty one, and so has an argument without a default.
present <- function(e) Filter(function(i) !identical(e[[i]], quote(expr = )), seq_along(e))

uses <- lapply(names(parsed), function(file) {
  found <- character()
  # `bound` are the arguments and variables of the functions around.
  walk <- function(e, bound) {
    if (is.name(e)) {
      name <- as.character(e)
      if (nzchar(name) && !name %in% bound) found <<- c(found, name)
      return(invisible())
    }
    if (!is.call(e)) {
      if (is.pairlist(e) || is.expression(e)) for (i in present(e)) walk(e[[i]], bound)
      return(invisible())
    }
    head <- e[[1]]
    if (identical(head, quote(`function`))) {
      inner <- structure(c(bound, names(e[[2]]), locals(e[[3]])),
                         functions = c(attr(bound, "functions"), names(e[[2]]), locals(e[[3]], TRUE)))
      for (i in present(e[[2]])) walk(e[[2]][[i]], inner)
      return(walk(e[[3]], inner))
    }
    if (identical(head, quote(`$`)) || identical(head, quote(`@`))) return(walk(e[[2]], bound))
    if (identical(head, quote(`::`)) || identical(head, quote(`:::`))) return(invisible())
    if (is.name(head)) {
      # A function is found past variables of its name, but not past a function that is defined there.
      if (!as.character(head) %in% c(setdiff(bound, names(home)), attr(bound, "functions"))) found <<- c(found, as.character(head))
    } else walk(head, bound)
    for (i in setdiff(present(e), 1L)) walk(e[[i]], bound)
  }
  # Names that are assigned to, or only those that are assigned functions.
  locals <- function(e, functions = FALSE) {
    if (!is.call(e) || identical(e[[1]], quote(`function`))) return(character())
    own <- if (as.character(e[[1]])[1] %in% c("<-", "=", "<<-", "for") && is.name(e[[2]]) &&
               (!functions || is.call(e[[3]]) && identical(e[[3]][[1]], quote(`function`)))) as.character(e[[2]])
    parts <- lapply(setdiff(present(e), 1L), function(i) locals(e[[i]], functions))
    unique(c(own, unlist(parts)))
  }
  for (e in parsed[[file]]) walk(if (is.call(e) && identical(e[[1]], quote(`<-`))) e[[3]] else e, character())
  table <- home[intersect(unique(found), names(home))]
  table[table != file]
})
names(uses) <- names(parsed)

# Steps side by side of which one knows nothing of the other.
strangers <- c("respond tally", "tally respond", "respond protocol", "tally protocol")

bad <- FALSE
complain <- function(...) {
  cat(sprintf(...), "\n", sep = "")
  bad <<- TRUE
}
for (file in names(uses)) {
  from <- step_of(file)
  for (name in names(uses[[file]])) {
    target <- uses[[file]][[name]]
    to <- step_of(target)
    if (to == from || to == "util") next
    if (from %in% names(rank) && to %in% names(rank) && rank[[to]] > rank[[from]]) {
      complain("R/%s uses %s() of R/%s: a step never uses a later one", file, name, target)
    }
    if (paste(from, to) %in% strangers) {
      complain("R/%s uses %s() of R/%s: %s does not use %s", file, name, target, from, to)
    }
    if (from %in% names(rank) && to %in% rooms) complain("R/%s uses %s() of R/%s: the line never uses a side room", file, name, target)
    if (from %in% setdiff(rooms, judges) && to %in% rooms) {
      complain("R/%s uses %s() of R/%s: side rooms do not use each other", file, name, target)
    }
  }
}

# Circles: the strongly connected components of the files (Tarjan).
edges <- lapply(uses, function(u) unique(unname(u)))
index <- low <- stats::setNames(rep(NA_integer_, length(edges)), names(edges))
counter <- 0L
stack <- character()
circles <- list()
visit <- function(file) {
  counter <<- counter + 1L
  index[file] <<- low[file] <<- counter
  stack <<- c(stack, file)
  for (next_file in edges[[file]]) {
    if (is.na(index[next_file])) {
      visit(next_file)
      low[file] <<- min(low[file], low[next_file])
    } else if (next_file %in% stack) low[file] <<- min(low[file], index[next_file])
  }
  if (low[file] == index[file]) {
    at <- match(file, stack)
    component <- stack[at:length(stack)]
    stack <<- stack[seq_len(at - 1L)]
    if (length(component) > 1L) circles[[length(circles) + 1L]] <<- sort(component)
  }
}
for (file in names(edges)) if (is.na(index[file])) visit(file)
circles <- circles[order(-lengths(circles))]
cat(sprintf("arrows: %d files, %d circles, the largest of %d files\n", length(edges), length(circles),
            if (length(circles)) length(circles[[1]]) else 1L))
if (length(circles) > 2L || any(lengths(circles) > 3L)) complain("at most 2 circles of at most 3 files")
for (circle in circles) cat("  ", paste(sub("[.]R$", "", circle), collapse = " "), "\n", sep = "")

# ---- who asks a mechanism or a law for its class ----

# A string is no arrow, so that the arrows above miss inherits(x, "rr_law_support"). A class of a mechanism or a law is
# what a constructor of these steps is given as its `kind`. At home are the file that makes it, and those that are called
# after it.
question_budget <- 4

strings <- function(e) {
  if (is.character(e)) return(c(e, names(e)))
  if (is.call(e)) unlist(lapply(present(e), function(i) c(names(e)[i], strings(e[[i]]))))
}
# The outermost calls that are such.
calls <- function(e, found) {
  if (is.call(e) && found(e)) return(list(e))
  if (is.call(e) || is.pairlist(e) || is.expression(e)) {
    unlist(lapply(present(e), function(i) calls(e[[i]], found)), recursive = FALSE)
  }
}
called <- function(e, names) is.call(e) && is.name(e[[1]]) && as.character(e[[1]]) %in% names

# The functions with an argument `kind` that make one, or have it made.
owners <- grep("^(mechanism|law)", names(parsed), value = TRUE)
makers <- list()
for (e in unlist(lapply(parsed[owners], as.list), recursive = FALSE)) {
  if (!called(e, "<-") || !called(e[[3]], "function") || !"kind" %in% names(e[[3]][[2]])) next
  makes <- function(call) is.name(call[[1]]) && startsWith(as.character(call[[1]]), "new_rr_")
  if (makes(e[-1]) || length(calls(e[[3]][[3]], makes))) makers[[as.character(e[[2]])]] <- e[[3]][[2]]
}
kinds <- do.call(rbind, lapply(names(parsed), function(file) {
  kind <- unlist(lapply(calls(parsed[[file]], function(e) called(e, names(makers))), function(e) {
    maker <- makers[[as.character(e[[1]])]]
    given <- match.call(as.function(c(maker, list(NULL))), e)[["kind"]]
    strings(if (is.null(given)) maker$kind else given)
  }))
  if (length(kind)) data.frame(kind = unique(kind), file = file)
}))
classes <- c(paste0("rr_", kinds$kind), paste0("rr_law_", kinds$kind))
is_home <- function(class, file) {
  kind <- sub("^rr_(law_)?", "", class)
  file %in% kinds$file[kinds$kind == kind] || grepl(gsub("_", "-", kind), file, fixed = TRUE)
}
questions <- unlist(lapply(names(parsed), function(file) {
  asks <- function(e) called(e, "inherits") || (!called(e, "class") && any(vapply(as.list(e)[-1], called, NA, "class")))
  asked <- calls(parsed[[file]], asks)
  unlist(lapply(asked, function(e) {
    away <- Filter(function(class) !is_home(class, file), intersect(strings(e), classes))
    if (length(away)) paste0(file, ": ", paste(deparse(e), collapse = " "))
  }))
}))
cat(sprintf("arrows: %d questions for the class of a mechanism or a law outside its home\n", length(questions)))
if ("--classes" %in% commandArgs(TRUE)) cat(paste0("  R/", questions, "\n"), sep = "")
if (length(questions) > question_budget) {
  complain("at most %d such questions: ask for a fact, see CONTRIBUTING.md", question_budget)
}
# ---- private fields that are read away from home ----

# A fact is everybody's: an argument of new_rr_mechanism() or new_rr_law(), or a name in the first
# column of a table of ARCHITECTURE.md under "Facts". Every other named argument of a call that makes
# a mechanism or a law is private to the files that set it and to those named after a kind that they
# make.
field_budget <- 26

legend <- readLines(file.path(dirname(normalizePath(folder)), "ARCHITECTURE.md"))
legend <- legend[cumsum(grepl("^## ", legend)) == which(grep("^## ", legend, value = TRUE) == "## Facts")]
first_column <- sub("^[|]([^|]*)[|].*", "\\1", grep("^[|] `", legend, value = TRUE))
words <- unlist(regmatches(first_column, gregexpr("`[^`]+`", first_column)))
facts <- c(gsub("`", "", words), unlist(lapply(makers[c("new_rr_mechanism", "new_rr_law")], names)))

fields <- do.call(rbind, lapply(names(parsed), function(file) {
  do.call(rbind, lapply(calls(parsed[[file]], function(e) called(e, names(makers))), function(e) {
    maker <- makers[[as.character(e[[1]])]]
    full <- match.call(as.function(c(maker, list(NULL))), e, expand.dots = FALSE)
    kind <- strings(if (is.null(full$kind)) maker$kind else full$kind)
    field <- setdiff(names(e), c("", names(maker), facts))
    # Every protocol has the kind "protocol".
    kind <- setdiff(kind, "protocol")
    if (length(field)) expand.grid(field = field, kind = if (length(kind)) kind else "", file = file, stringsAsFactors = FALSE)
  }))
}))
is_private <- function(field, file) {
  homes <- fields[fields$field == field, ]
  nrow(homes) > 0 && !file %in% homes$file && !any(vapply(homes$kind, function(kind) nzchar(kind) && is_home(kind, file), NA))
}
holder <- "(^|[_$])(sub)?(mechanism|law|question)([$](first|second))?$"
reads <- unlist(lapply(names(parsed), function(file) {
  found <- character()
  walk <- function(e) {
    if (called(e, c("$", "[[")) && length(e) == 3L && grepl(holder, deparse(e[[2]])[1])) {
      is_name <- if (called(e, "$")) !is.call(e[[3]]) else is.character(e[[3]])
      if (is_name && is_private(as.character(e[[3]]), file)) found <<- c(found, paste0(file, ": ", deparse(e)))
    }
    if (is.call(e) || is.pairlist(e) || is.expression(e)) for (i in present(e)) walk(e[[i]])
  }
  walk(parsed[[file]])
  found
}))
cat(sprintf("arrows: %d reads of a private field of a mechanism or a law outside its home\n", length(reads)))
if ("--fields" %in% commandArgs(TRUE)) cat(paste0("  R/", reads, "\n"), sep = "")
if (length(reads) > field_budget) {
  complain("at most %d such reads: read the field at home, or declare a fact, see ARCHITECTURE.md", field_budget)
}
quit(status = bad)
