# Arguments that no function knows: our own verbs refuse all of them, methods of foreign generics those that were meant for them.

test_that("every exported function takes an unknown argument to say what it is called", {
  # Methods of the first in other packages need not take more; rr_methods() has no arguments.
  extensions <- c("rr_reports", "rr_methods")
  taking <- vapply(exported(), function(f) "..." %in% names(formals(f)), NA)
  expect_setequal(names(taking)[!taking], extensions)
})

test_that("every exported function asks for an argument that is missing", {
  # Generics leave it to their methods.
  asks <- function(f) "check_dots_empty" %in% all.names(body(f)) && length(needed(f))
  functions <- Filter(asks, exported())
  expect_gt(length(functions), 50)
  for (name in names(functions)) expect_error(functions[[name]](), class = "candor_error_argument", info = name)
  expect_error(rr_longitudinal(4, epsilon = 1), "`permanent` must be given", class = "candor_error_argument")
  expect_error(rr_predictor(mpg ~ am, mtcars), "`mechanisms` must be given", class = "candor_error_argument")
})

test_that("every verb refuses an argument that it does not know, by its name", {
  # What these take further is options of a method or a law, or tallies.
  takes_more <- c("rr_estimate", "rr_new_law", "rr_new_mechanism", "rr_new_method", "rr_pool")
  is_generic <- vapply(exported(), function(f) "UseMethod" %in% all.names(body(f)), NA)
  verbs <- exported()[!is_generic & !names(is_generic) %in% c(takes_more, "rr_reports", "rr_methods")]
  methods <- ls(asNamespace("candor"), pattern = "^rr_(tally|association|quantile|goodness_of_fit)[.]")
  verbs <- c(verbs, mget(setdiff(methods, "rr_quantile.default"), asNamespace("candor")))
  expect_gt(length(verbs), 80)
  for (name in names(verbs)) {
    refusal <- expect_error(verbs[[name]](unknown_argument = 1), class = "candor_error", info = name)
    expect_match(conditionMessage(refusal), "unknown_argument", fixed = TRUE, info = name)
  }
})

test_that("answers that stand in the wrong place are not printed", {
  cnd <- expect_error(rr_perturb("no", rr_forced(1 / 6), "R", NULL, NULL, "heroin"), class = "candor_error_argument")
  expect_no_match(conditionMessage(cnd), "heroin")
})

# The methods of generics of other packages that take further arguments: generic, class.
foreign_methods <- function() {
  registered <- Filter(function(line) line[[1]] == "S3method", as.list(parse(system.file("NAMESPACE", package = "candor"))))
  said <- function(part) gsub("\"", "", vapply(registered, function(line) deparse1(line[[part]], backtick = FALSE), ""))
  methods <- data.frame(generic = sub("^.*::", "", said(2)), class = said(3), from = sub("::.*$|^[^:]*$", "", said(2)))
  own <- asNamespace("candor")
  # A method may be registered under another class than its name says.
  names <- ifelse(lengths(registered) > 3L, vapply(registered, function(line) as.character(line[[length(line)]]), ""),
                  paste(methods$generic, methods$class, sep = "."))
  takes <- vapply(names, function(name) "..." %in% names(formals(get(name, own))), NA)
  methods[takes & !vapply(methods$generic, exists, NA, envir = own, inherits = FALSE), ]
}

test_that("every method of a generic of another package warns of an argument that it ignores", {
  methods <- foreign_methods()
  objects <- object_of_each_class()
  # What other packages call with arguments of their own, or take from `...` themselves.
  theirs <- c("vec_cast", "vec_proxy", "vec_proxy_compare", "vec_proxy_equal", "vec_proxy_order", "vec_ptype2", "vec_restore", "pillar_shaft", "tbl_sum",
              "ggplot_add", "emm_basis", "recover_data", "AIC", "c", "linearHypothesis", "coeftest", "coefci", "get_df", "model_parameters",
              "r2_tjur", "str", "print", "subset")
  expect_gt(nrow(methods), 180)
  installed <- vapply(methods$from, function(package) package == "" || requireNamespace(package, quietly = TRUE), NA)
  methods <- methods[installed & !methods$generic %in% theirs, ]
  tried <- logical(nrow(methods))
  for (name in names(objects)) {
    object <- objects[[name]]
    for (generic in unique(methods$generic[methods$class %in% class(object)])) {
      rows <- which(methods$generic == generic)
      row <- rows[match(TRUE, methods$class[rows] == intersect(class(object), methods$class[rows])[1])]
      if (tried[row]) next
      tried[row] <- TRUE
      f <- if (methods$from[row] == "") as.name(generic) else call("::", as.name(methods$from[row]), as.name(generic))
      said <- tryCatch(suppressMessages(eval(as.call(list(f, quote(object), conf.lvl = 0.5)))), candor_warning_argument = function(w) "warned",
                       candor_error_argument = function(e) "refused", error = function(e) if (grepl("unused argument", conditionMessage(e))) "refused")
      expect_true(is.character(said) && said %in% c("warned", "refused"), label = paste(generic, "of", name))
    }
  }
  expect_identical(paste(methods$generic, methods$class)[!tried], character())
})
