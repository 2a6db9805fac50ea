# Terms that mean something in other packages' formulas, and nothing or something else here.

# `family` says that other packages' models can be fitted with rr_family(). model.frame() would read a bar as "or".
check_terms <- function(formula, family = FALSE) {
  where <- environment(formula) %||% globalenv()
  for (term in model_calls(formula[[length(formula)]])) {
    # package::function() is there, or R says that it is not.
    if (!is.name(term[[1]])) next
    name <- as.character(term[[1]])
    shown <- deparse1(term)
    if (name %in% c("|", "||")) abort_random(shown, deparse1(term[[3]]), family)
    own <- mget(name, where, mode = "function", inherits = TRUE, ifnotfound = list(NULL))[[1]]
    if (name %in% c("s", "te", "ti", "t2") && is_foreign(own, c("mgcv", "gam"))) {
      abort_smooth(shown, deparse1(term[[2]]), family)
    }
    if (name == "cluster" && is_foreign(own, "survival")) abort_cluster(shown, deparse1(term[[2]]))
    if (is.null(own)) abort_function(name, shown)
  }
}

# The calls that make up the right side of a formula, with the operators of formulas taken off.
model_calls <- function(e) {
  if (!is.call(e)) return(list())
  operators <- c("~", "+", "-", "*", ":", "/", "^", "(", "%in%", "offset")
  if (!is.name(e[[1]]) || !as.character(e[[1]]) %in% operators) return(list(e))
  unlist(lapply(as.list(e)[-1], model_calls), recursive = FALSE)
}

# A function that is not there, or is that of a package for such terms.
is_foreign <- function(f, packages) {
  if (is.null(f)) return(TRUE)
  home <- environment(f)
  isNamespace(home) && getNamespaceName(home) %in% packages
}

abort_random <- function(term, group, family) {
  abort(c("{.arg formula} must not have random effects.", x = "{.code {term}} is one.",
          i = "For standard errors by cluster: {.code vcov(fit, type = \"sandwich\", cluster = ~{group})}.",
          i = if (family) "{.code lme4::glmer(family = rr_family(mechanism))} fits random effects."
              else "For one coefficient a group: {.code factor({group})}."), "argument")
}

abort_smooth <- function(term, variable, family) {
  abort(c("{.arg formula} must not have smooth terms.", x = "{.code {term}} is one.",
          i = "A curve: {.code splines::ns({variable}, 3)} or {.code poly({variable}, 2)}.",
          i = if (family) "{.code mgcv::gam(family = rr_family(mechanism))} fits smooth terms."), "argument")
}

abort_cluster <- function(term, variable) {
  abort(c("{.arg formula} must not have clusters.", x = "{.code {term}} is one.",
          i = "Give them to the fit: {.code vcov(fit, type = \"sandwich\", cluster = ~{variable})}."), "argument")
}

abort_function <- function(name, term) {
  homes <- c(ns = "splines", bs = "splines", rcs = "rms", strata = "survival", pspline = "survival")
  home <- if (name %in% names(homes)) homes[[name]]
  abort(c("The functions of {.arg formula} must exist.", x = "There is none called {.fn {name}}, as in {.code {term}}.",
          i = if (name == "strata") "One coefficient a group: {.fn factor}."
              else if (!is.null(home)) "Write {.code {home}::{name}()}."
              else "Attach the package that has it, or write {.code package::{name}()}."), "argument")
}
