# Protocols of a few lines, as CONTRIBUTING tells to write them. Whoever asks a mechanism for its class, and not for a
# fact, treats them in another way than the mechanism of the package with the same numbers.

# Bits that are drawn one by one: rr_unary() with p and q.
rr_noisybits <- function(levels, p, q, ...) {
  levels <- check_levels(levels)
  with_recipe(new_rr_mechanism(
    c("noisybits", "protocol"), levels$labels, numeric_levels = levels$numeric, p = p, q = q, law = bits_law(p, q),
    epsilon = abs(log(p * (1 - q) / (q * (1 - p)))), design = "Noisy bits", sampler = bit_sampler(p, q),
    codec = report_codec(levels = levels$labels, numeric_levels = levels$numeric)
  ), "rr_noisybits", p = p, q = q)
}

# A spinner that points to the answer to give: rr_channel() with a matrix.
rr_spinner <- function(levels, share, ...) {
  levels <- check_levels(levels)
  k <- length(levels$labels)
  C <- spinner_matrix(k, share)
  with_recipe(new_rr_mechanism("spinner", levels$labels, numeric_levels = levels$numeric, epsilon = matrix_epsilon(C),
                        design = "Spinner", law = new_law_channel(list(list(matrix = t(C))))), "rr_spinner", share = share)
}

# The next category is likelier than the others.
spinner_matrix <- function(k, share) {
  turned <- outer(seq_len(k), seq_len(k), function(x, y) (y - x) %% k)
  rest <- rev(seq_len(k - 1)) * (1 - share) / sum(seq_len(k - 1))
  matrix(c(share, rest)[turned + 1], k)
}

# The bits as another package would write them: with exported names and nothing else.
rr_exported_bits <- function(levels, p, q) {
  rr_new_mechanism("exported_bits", levels, epsilon = abs(log(p * (1 - q) / (q * (1 - p)))), design = "Bits", p = p, q = q, bits = TRUE,
                   law = rr_new_law("support", p, q, p * q, q^2, odds = (p - q) / (q * (1 - p))), draw = draw_exported_bits)
}

draw_exported_bits <- function(mechanism, answers, rng) {
  rr_perturb(mechanism$levels[answers], rr_unary(mechanism$levels, p = mechanism$p, q = mechanism$q), rng)
}

# What is left of a result without its mechanisms: numbers, text and condition classes.
without_mechanism <- function(x) {
  if (inherits(x, c("rr_mechanism", "rr_law")) || is.function(x) || is.environment(x) || is.language(x)) return(NULL)
  if (inherits(x, "ggplot")) x <- lapply(seq_along(x$layers), function(i) ggplot2::layer_data(x, i))
  kept <- attributes(x)[intersect(names(attributes(x)), c("dim", "dimnames", "levels", "row.names"))]
  if (is.list(x)) {
    x <- unclass(x)
    x <- lapply(x[setdiff(names(x) %||% seq_along(x), c("mechanism", "design", "call"))], without_mechanism)
  } else x <- as.vector(x)
  list(x, kept)
}

# A result, or the classes of the refusal; and the classes of what was said on the way.
outcome_of <- function(call, where) {
  said <- character()
  classes <- function(condition) grep("^candor_", class(condition), value = TRUE)
  value <- withCallingHandlers(
    tryCatch(without_mechanism(eval(call, where)), error = function(e) c("refused", classes(e), if (!length(classes(e))) conditionMessage(e))),
    warning = function(w) {
      said <<- c(said, classes(w))
      invokeRestart("muffleWarning")
    },
    message = function(m) {
      said <<- c(said, classes(m))
      invokeRestart("muffleMessage")
    }
  )
  list(value = value, said = said)
}

call_texts <- function(calls) vapply(as.list(calls)[-1], function(call) paste(deparse(call), collapse = " "), "")

# What each call does with a mechanism, from one seed.
outcomes_of <- function(calls, m, prepare) {
  where <- new.env(parent = environment(outcomes_of))
  # One name, so that lines that describe it are alike.
  where$m <- replace(m, "design", "A design")
  for (part in prepare) eval(part, where)
  lapply(as.list(calls)[-1], function(call) {
    set.seed(11)
    outcome_of(call, new.env(parent = where))
  })
}

# Each call does the same with a toy as with its model, whose outcomes are `model`. Of `unpromised` the toy refuses each
# with an error of the package; `redrawn` have results that rest on random numbers of its own.
expect_alike <- function(calls, toy, model, prepare, unpromised = character(), redrawn = character()) {
  texts <- call_texts(calls)
  results <- list(outcomes_of(calls, toy, prepare), model)
  is_refused <- function(results) vapply(results, function(result) identical(result$value[1], "refused"), NA)
  testthat::expect_setequal(texts[is_refused(results[[1]]) & !is_refused(results[[2]])], unpromised)
  for (i in which(!texts %in% c(unpromised, redrawn))) testthat::expect_equal(results[[1]][[i]], results[[2]][[i]], tolerance = 1e-10, label = texts[i])
  # A test in which all is refused would show nothing.
  invisible(is_refused(results[[2]]))
}
