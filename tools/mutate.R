# mutate.R map <map> [pattern]: which functions of the installed package each test calls, and how long the test takes, for
# each test file, or anew for those that match the pattern. The table goes to <map>; functions that no test calls are printed.
# mutate.R run <map> <n> <seed> [pattern]: n random mutants of R/ against the tests that call their functions, until a test
# fails. The pattern chooses files, or functions of files: "regress-profile:^profile_".
#
# A mutant is one function of the installed package with one change: a sign, a number, a condition, an argument or a
# statement. It meets the tests of its own R file, and then those of the other test files, the fastest first, as many as
# take MUTANT_SECONDS (150) without a mutant. A test file runs without the tests that do not call the function. The mutant is
# noticed if a test fails, if R dies, or if a file takes four times as long: by the time of the processor, since a busy
# machine is no mutant. It survives if they pass. Prints a line for each mutant with its file and line, and the survivors
# again at the end.
suppressPackageStartupMessages({
  library(testthat)
  library(candor)
})
Sys.setenv(NOT_CRAN = "true", TESTTHAT_PARALLEL = "false")
namespace <- asNamespace("candor")
# Packages whose generics have methods here, which are replaced only where they are loaded, and those of databases and designs.
declared <- parseNamespaceFile("candor", dirname(system.file(package = "candor")))$S3methods
for (package in c("DBI", "dbplyr", "survey", unique(na.omit(declared[, 4])))) requireNamespace(package, quietly = TRUE)
folder <- file.path("tests", "testthat")
processes <- as.integer(Sys.getenv("TESTTHAT_CPUS", "2"))
arguments <- commandArgs(trailingOnly = TRUE)

# Puts `value` in place of a function of the package, also where it is registered as a method, of several classes perhaps.
replace_function <- function(name, value) {
  suppressWarnings(try(utils::assignInNamespace(name, value, namespace), silent = TRUE))
  registered <- unique(c(name, paste(declared[, 1], declared[, 2], sep = ".")[declared[, 3] == name]))
  for (package in loadedNamespaces()) {
    methods <- asNamespace(package)[[".__S3MethodsTable__."]]
    for (method in registered) if (!is.null(methods[[method]])) assign(method, value, methods)
  }
}

# The top-level expressions of a test file, each as its lines; is_test: it holds tests.
file_expressions <- function(file) {
  source <- parse(file.path(folder, file), keep.source = TRUE)
  list(
    lines = lapply(attr(source, "srcref"), as.character),
    is_test = vapply(source, function(e) "test_that" %in% all.names(e), NA)
  )
}

file_sums <- function(files) setNames(tools::md5sum(file.path(folder, files)), files)

# The path of the file with other lines, in a tree that links to all other files: tests read files of the project and
# write snapshots.
linked_file <- function(file, lines) {
  link <- function(from, to, names) file.symlink(file.path(normalizePath(from), names), file.path(to, names))
  tree <- tempfile("tree")
  tests <- file.path(tree, folder)
  dir.create(tests, recursive = TRUE)
  link(".", tree, setdiff(list.files("."), "tests"))
  link(folder, tests, setdiff(list.files(folder), c(file, "_snaps")))
  file.copy(file.path(folder, "_snaps"), tests, recursive = TRUE)
  writeLines(unlist(lines), file.path(tests, file))
  file.path(tests, file)
}

# Does each test of these lines of a test file hold? The first that fails ends it.
lines_hold <- function(file, lines) {
  path <- linked_file(file, lines)
  on.exit(unlink(dirname(dirname(dirname(path))), recursive = TRUE))
  run <- function() {
    suppressMessages(test_file(
      path, package = "candor", load_package = "installed", stop_on_failure = FALSE,
      reporter = ProgressReporter$new(max_failures = 1L, show_praise = FALSE)
    ))
  }
  tryCatch({
    utils::capture.output(results <- as.data.frame(run()))
    sum(results$failed) == 0 && !any(results$error)
  }, error = function(e) FALSE)
}

# ---- the map ----------------------------------------------------------------------------------------------------

# calls: a row for each function of the package that a test of these files calls: name, file, expression (0: between the tests
# of the file) and the seconds of the expression. Each function notes its own call. names: the functions; sums: of the files.
function_map <- function(files) {
  is_own <- function(name) {
    value <- namespace[[name]]
    is.function(value) && !is.primitive(value) && identical(environment(value), namespace)
  }
  names <- Filter(is_own, ls(namespace, all.names = TRUE))
  calls <- new.env()
  note_call <- function(name) assign(name, TRUE, envir = calls)
  for (name in names) {
    value <- namespace[[name]]
    body(value) <- bquote({
      .(note_call)(.(name))
      .(body(value))
    })
    replace_function(name, value)
  }
  table <- NULL
  started <- 0
  # Notes the calls since the last mark as calls of this expression.
  assign("mark_calls", envir = globalenv(), value = function(expression) {
    noted <- ls(calls, all.names = TRUE)
    if (length(noted)) {
      seconds <- proc.time()[["elapsed"]] - started
      table <<- rbind(table, data.frame(name = noted, expression = expression, seconds = seconds))
    }
    rm(list = noted, envir = calls)
    # What is made once is made in each test, so that each is known to call the functions that make it.
    rm(list = ls(namespace$registry), envir = namespace$registry)
    started <<- proc.time()[["elapsed"]]
  })
  run_file <- function(file) {
    # On one processor all files run in this process.
    table <<- NULL
    expressions <- file_expressions(file)
    marks <- sprintf("mark_calls(%d)", seq_along(expressions$lines) * expressions$is_test)
    # What the helpers call is nobody's.
    holds <- lines_hold(file, c("mark_calls(-1)", rbind(expressions$lines, marks)))
    list(holds = holds, calls = if (!is.null(table)) cbind(file = file, table))
  }
  map <- parallel::mclapply(files, run_file, mc.cores = processes, mc.preschedule = FALSE)
  # A file that fails without a mutant could not tell one.
  holds <- vapply(map, function(file) is.list(file) && file$holds, NA)
  cat(sprintf("without mutants %s fails\n", files[!holds]), sep = "")
  list(calls = do.call(rbind, lapply(map[holds], `[[`, "calls")), names = names, sums = file_sums(files))
}

# ---- mutants ----------------------------------------------------------------------------------------------------

swaps <- c(
  "+" = "-", "-" = "+", "*" = "/", "/" = "*", "<" = "<=", "<=" = "<", ">" = ">=", ">=" = ">", "==" = "!=", "!=" = "==",
  "&&" = "||", "||" = "&&", "&" = "|", "|" = "&",
  min = "max", max = "min", pmin = "pmax", pmax = "pmin", any = "all", all = "any", rowSums = "colSums", colSums = "rowSums"
)
operators <- c("'+'", "'-'", "'*'", "'/'", "LT", "LE", "GT", "GE", "EQ", "NE", "AND", "AND2", "OR", "OR2")
# Texts are what snapshots hold, so calls that lay them out are left alone.
texts <- c("abort", "warn", "cli_inform", "sprintf", "cat", "paste", "paste0", "format_labels", "refuse", "labs", "wrap_text")
# Their arguments have no order.
commutative <- c("max", "min", "pmax", "pmin", "sum", "any", "all", "identical")
binders <- c("LEFT_ASSIGN", "EQ_ASSIGN", "IF", "FOR", "WHILE", "REPEAT")

# What may stand in place of a constant: the other truth value, one more, or half of it.
other_constant <- function(text) {
  if (text %in% c("TRUE", "FALSE")) return(if (text == "TRUE") "FALSE" else "TRUE")
  if (text %in% c("0", "1", "2", "3", "4")) return(as.character(as.integer(text) + 1L))
  if (text %in% c("0L", "1L", "2L", "3L", "4L")) return(paste0(as.integer(substr(text, 1L, 1L)) + 1L, "L"))
  if (text %in% c("0.5", ".5")) return("0.25")
  NA_character_
}

# The possible mutants of one file: a row each, with the place of the text (line and columns, from, to) that `new` replaces,
# and the name and lines of the function around it.
file_mutants <- function(file) {
  source <- parse(file, keep.source = TRUE)
  lines <- readLines(file)
  tree <- utils::getParseData(source, includeText = TRUE)
  children <- list2env(split(seq_len(nrow(tree)), tree$parent))
  children_of <- function(id) children[[as.character(id)]]
  row_of <- match(tree$parent, tree$id)

  change <- function(row, new, kind) {
    data.frame(row = row, line = tree$line1[row], last = tree$line2[row], from = tree$col1[row], to = tree$col2[row],
               old = tree$text[row], new = new, kind = kind)
  }
  is_unary <- function(row) length(children_of(tree$parent[row])) == 2L
  operator_change <- function(row) {
    if (is_unary(row)) return(if (tree$text[row] == "-") change(row, "", "sign"))
    change(row, swaps[[tree$text[row]]], "sign")
  }
  condition_change <- function(row) {
    condition <- children_of(tree$parent[row])[3L]
    change(condition, paste0("!(", tree$text[condition], ")"), "condition")
  }
  statement_changes <- function(row) {
    statements <- Filter(function(child) tree$token[child] == "expr", children_of(tree$parent[row]))
    is_call <- function(child) !any(tree$token[children_of(tree$id[child])] %in% binders)
    droppable <- Filter(is_call, utils::head(statements, -1L))
    lapply(droppable, change, new = "invisible()", kind = "statement")
  }
  argument_change <- function(row) {
    call <- tree$parent[row_of[row]]
    inside <- children_of(call)
    tokens <- tree$token[inside]
    if (tree$text[row] %in% commutative) return(NULL)
    if (length(inside) < 6L || !identical(tokens[2:5], c("'('", "expr", "','", "expr"))) return(NULL)
    pair <- inside[c(3L, 5L)]
    if (tree$text[pair[1L]] == tree$text[pair[2L]] || tree$line2[pair[2L]] > tree$line1[pair[1L]]) return(NULL)
    swapped <- change(pair[1L], paste0(tree$text[pair[2L]], ", ", tree$text[pair[1L]]), "argument")
    swapped$to <- tree$col2[pair[2L]]
    swapped$old <- paste0(tree$text[pair[1L]], ", ", tree$text[pair[2L]])
    swapped
  }
  changes_of <- function(row) {
    token <- tree$token[row]
    text <- tree$text[row]
    if (token %in% operators) return(list(operator_change(row)))
    if (token == "'!'") return(list(change(row, "", "condition")))
    if (token == "IF") return(list(condition_change(row)))
    if (token == "'{'") return(statement_changes(row))
    if (token == "NUM_CONST" && !is.na(other_constant(text))) return(list(change(row, other_constant(text), "number")))
    if (token != "SYMBOL_FUNCTION_CALL") return(NULL)
    list(if (text %in% names(swaps)) change(row, swaps[[text]], "sign"), argument_change(row))
  }
  # Is the token inside the call of a text?
  in_text <- function(row) {
    while (!is.na(row)) {
      first <- utils::head(children_of(tree$id[row]), 1L)
      if (any(tree$text[first] %in% texts)) return(TRUE)
      row <- row_of[row]
    }
    FALSE
  }
  places <- do.call(rbind, as.list(unlist(lapply(seq_len(nrow(tree)), changes_of), recursive = FALSE)))
  if (is.null(places)) return(NULL)
  places <- places[!vapply(places$row, in_text, NA), ]

  is_function <- vapply(source, function(e) {
    is.call(e) && identical(e[[1L]], quote(`<-`)) && is.name(e[[2L]]) && is.call(e[[3L]]) && identical(e[[3L]][[1L]], quote(`function`))
  }, NA)
  references <- attr(source, "srcref")[is_function]
  definitions <- data.frame(
    name = vapply(source[is_function], function(e) as.character(e[[2L]]), ""),
    start = vapply(references, `[`, 0L, 1L),
    end = vapply(references, `[`, 0L, 3L)
  )
  index <- findInterval(places$line, definitions$start)
  inside <- index > 0L & places$last <= c(NA, definitions$end)[index + 1L]
  if (!any(inside, na.rm = TRUE)) return(NULL)
  cbind(file = basename(file), places[which(inside), ], definitions[index[which(inside)], ])
}

# The function of the mutant: its definition with the text of one place replaced.
mutant_function <- function(mutant) {
  lines <- readLines(file.path("R", mutant$file))
  before <- substr(lines[mutant$line], 1L, mutant$from - 1L)
  after <- substring(lines[mutant$last], mutant$to + 1L)
  text <- c(lines[seq_len(mutant$line - 1L)], paste0(before, mutant$new, after), lines[-seq_len(mutant$last)])
  end <- mutant$end - (mutant$last - mutant$line)
  definition <- tryCatch(parse(text = text[mutant$start:end], keep.source = FALSE), error = function(e) NULL)
  if (is.null(definition)) NULL else eval(definition[[1L]][[3L]], namespace)
}

processor_seconds <- function(pid) sum(as.numeric(system2("ps", c("-o", "cputimes=", "-p", pid), stdout = TRUE)))

# A row for each test file that calls the function, in the order of the run: the expressions that call it and their seconds.
tests_of <- function(mutant, map) {
  calls <- map[map$name == mutant$name & map$expression >= 0, ]
  # A call between the tests is a call of every test of the file.
  beside <- unique(calls$file[calls$expression == 0])
  calls <- rbind(calls[!calls$file %in% beside, ], map[map$file %in% beside & map$expression >= 0, ])
  calls <- unique(calls[c("file", "expression", "seconds")])
  files <- unique(calls$file)
  tests <- data.frame(file = files, seconds = tapply(calls$seconds, calls$file, sum)[files])
  tests$expressions <- split(calls$expression, calls$file)[files]
  tests <- tests[order(tests$file != paste0("test-", mutant$file), tests$seconds), ]
  tests[cumsum(tests$seconds) <= max(tests$seconds[1L], as.numeric(Sys.getenv("MUTANT_SECONDS", "150"))), ]
}

# "noticed" with the test file that failed, "survived", or "uncalled".
judge_mutant <- function(mutant, map) {
  tests <- tests_of(mutant, map$calls)
  if (!nrow(tests)) return(data.frame(result = "uncalled", by = "", seconds = 0))
  value <- mutant_function(mutant)
  if (is.null(value)) return(data.frame(result = "unparsed", by = "", seconds = 0))

  job <- parallel::mcparallel({
    replace_function(mutant$name, value)
    failure <- ""
    for (i in seq_len(nrow(tests))) {
      setTimeLimit(cpu = 10 + 4 * tests$seconds[i])
      expressions <- file_expressions(tests$file[i])
      is_run <- !expressions$is_test | seq_along(expressions$lines) %in% tests$expressions[[i]]
      if (!lines_hold(tests$file[i], expressions$lines[is_run])) {
        failure <- tests$file[i]
        break
      }
    }
    failure
  })
  started <- proc.time()[["elapsed"]]
  limit <- 60 + 4 * sum(tests$seconds)
  repeat {
    answer <- parallel::mccollect(job, wait = FALSE, timeout = 1)
    elapsed <- proc.time()[["elapsed"]] - started
    if (!is.null(answer)) break
    if (elapsed > limit && (elapsed > 5 * limit || processor_seconds(job$pid) > limit)) {
      tools::pskill(job$pid, tools::SIGKILL)
      parallel::mccollect(job, wait = FALSE, timeout = 1)
      answer <- list("the limit of seconds")
      break
    }
  }
  by <- if (is.character(answer[[1L]])) answer[[1L]] else "the end of R"
  data.frame(result = if (by == "") "survived" else "noticed", by = by, seconds = round(elapsed))
}

run_mutants <- function(map, n, seed, pattern) {
  files <- list.files("R", "[.]R$")
  patterns <- c(strsplit(pattern, ":")[[1L]], "", "")
  mutants <- do.call(rbind, lapply(file.path("R", files[grepl(patterns[1L], files)]), file_mutants))
  mutants <- mutants[grepl(patterns[2L], mutants$name), ]
  cat(nrow(mutants), "possible mutants\n")
  set.seed(seed)
  mutants <- mutants[sample(nrow(mutants), min(n, nrow(mutants))), ]
  results <- parallel::mclapply(seq_len(nrow(mutants)), function(i) {
    mutant <- mutants[i, ]
    result <- judge_mutant(mutant, map)
    text <- sprintf("%-9s %4.0f s  R/%s:%d %s() [%s] %s -> %s  (%s)\n", result$result, result$seconds, mutant$file, mutant$line,
                    mutant$name, mutant$kind, substr(mutant$old, 1L, 70L), substr(mutant$new, 1L, 70L), result$by)
    cat(gsub("\n(?=.)", " ", text, perl = TRUE))
    cbind(result, text = text)
  }, mc.cores = processes, mc.preschedule = FALSE)
  results <- do.call(rbind, results)
  cat("\n", results$text[results$result %in% c("survived", "uncalled")], sep = "")
  counts <- table(factor(results$result, c("noticed", "survived", "uncalled", "unparsed")))
  cat(sprintf("%d %s", counts, names(counts)), sep = ", ")
  cat("\n")
}

pattern <- c(arguments[-seq_len(if (arguments[1L] == "map") 2L else 4L)], "")[1L]
if (arguments[1L] == "map") {
  map <- function_map(list.files(folder, paste0("^test-.*", pattern, ".*[.]R$")))
  if (pattern != "") {
    old <- readRDS(arguments[2L])
    map$calls <- rbind(old$calls[!old$calls$file %in% names(map$sums), ], map$calls)
    map$sums <- c(old$sums[setdiff(names(old$sums), names(map$sums))], map$sums)
  }
  saveRDS(map, arguments[2L])
  called <- unique(map$calls$name)
  cat(length(unique(map$calls$file)), "files call", length(called), "of", length(map$names), "functions. No test calls:\n")
  cat(setdiff(map$names, called), fill = TRUE)
} else {
  map <- readRDS(arguments[2L])
  # The map holds the places of the tests in their files.
  is_old <- map$sums != file_sums(names(map$sums))
  if (anyNA(is_old) || any(is_old)) {
    stop("Test files have changed since the map: ", toString(names(map$sums)[!is_old %in% FALSE]), ". Make it anew.")
  }
  run_mutants(map, as.integer(arguments[3L]), as.integer(arguments[4L]), pattern)
}
