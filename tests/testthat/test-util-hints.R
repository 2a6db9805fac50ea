# What errors and messages tell people to call exists, and takes the arguments that they are told of.

ours <- asNamespace("candor")

# All text in the body and the defaults of a function, or in a list of texts.
texts_in <- function(e) {
  if (is.character(e)) return(e)
  if (is.function(e)) e <- c(as.list(formals(e)), body(e))
  if (!is.call(e) && !is.list(e) && !is.pairlist(e)) return(character())
  parts <- as.list(e)
  unlist(lapply(seq_along(parts), function(i) if (!identical(parts[[i]], quote(expr = ))) texts_in(parts[[i]])))
}

# Within braces of cli; what stands in braces of its own inside of these is filled in when it is said, and is "{}" here.
marked <- function(text, mark) {
  text <- gsub("\\{[^.{}][^{}]*\\}", "<>", text)
  found <- unlist(regmatches(text, gregexpr(sprintf("\\{\\.%s [^{}]+\\}", mark), text)))
  gsub("<>", "{}", substring(found, nchar(mark) + 4, nchar(found) - 1), fixed = TRUE)
}

# The function that a hint calls: of this package, of another one that is named, or of R. NULL where that package is
# not there.
named_function <- function(name) {
  parts <- strsplit(name, "::", fixed = TRUE)[[1]]
  if (length(parts) == 2L) {
    if (requireNamespace(parts[1], quietly = TRUE)) getExportedValue(parts[1], parts[2])
  } else if (name %in% getNamespaceExports(ours)) {
    get(name, ours)
  } else {
    get(name, envir = as.environment("package:stats"), mode = "function")
  }
}

texts <- lapply(mget(ls(ours, all.names = TRUE), ours), texts_in)
texts <- texts[lengths(texts) > 0]

test_that("functions that messages name exist", {
  expect_error(named_function("rr_nowhere"))
  seen <- 0
  for (place in names(texts)) {
    for (name in marked(texts[[place]], "fn")) {
      seen <- seen + 1
      if (grepl("%|\\{", name)) next
      expect_error(named_function(name), NA, info = sprintf("%s says %s()", place, name))
    }
  }
  expect_gt(seen, 100)
})

# Named arguments in calls of exported functions, within a piece of code.
calls_in <- function(e) {
  if (!is.call(e)) return(list())
  own <- if (is.name(e[[1]]) && as.character(e[[1]]) %in% getNamespaceExports(ours)) {
    list(list(name = as.character(e[[1]]), given = setdiff(names(e), c("", NA))))
  }
  parts <- as.list(e)[-1]
  c(own, unlist(lapply(parts[!vapply(parts, identical, NA, quote(expr = ))], calls_in), recursive = FALSE))
}

# What a function takes, and its methods take; rr_estimate() also takes the options of methods of estimation.
arguments_of <- function(name) {
  methods <- ls(ours, pattern = paste0("^", gsub(".", "[.]", name, fixed = TRUE), "[.]"), all.names = TRUE)
  takes <- unlist(lapply(mget(c(name, methods), ours, inherits = TRUE), function(f) names(formals(f))))
  if (name == "rr_estimate") c(takes, unlist(strsplit(rr_methods()$options, ", ", fixed = TRUE)), "candidates") else takes
}

test_that("calls that messages show have arguments of these names", {
  expect_false("reports" %in% arguments_of("rr_tally"))
  seen <- 0
  for (place in names(texts)) {
    for (code in marked(texts[[place]], "code")) {
      # `...` and what is filled in when it is said stand for anything.
      call <- tryCatch(str2lang(gsub("{}", "anything", gsub("...", "anything", code, fixed = TRUE), fixed = TRUE)), error = function(e) NULL)
      for (one in calls_in(call)) {
        # Their arguments are the names of the questions.
        if (one$name %in% c("rr_product", "rr_sample_questions")) next
        seen <- seen + length(one$given)
        odd <- setdiff(one$given, arguments_of(one$name))
        expect(!length(odd), sprintf("%s says %s", place, code))
      }
    }
  }
  expect_gt(seen, 15)
})
