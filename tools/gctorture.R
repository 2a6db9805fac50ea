# Calls every routine with the collector running at each allocation it makes: an object that C code forgot to protect
# is then freed under its feet, and the answer differs or R dies. Only .Call is tortured, so that the R code around it
# runs at its usual speed: the package's functions are copied beside a .Call of our own.
library(candor)

space <- asNamespace("candor")
shim <- new.env(parent = space)
for (name in ls(space, all.names = TRUE)) {
  value <- get(name, space)
  if (is.function(value) && !is.primitive(value) && identical(environment(value), space)) {
    environment(value) <- shim
    assign(name, value, shim)
  }
}
called <- integer()
enough <- 25L   # tortured calls of one routine
shim$.Call <- function(.NAME, ...) {
  arguments <- list(.NAME, ...)
  name <- .NAME$name
  times <- if (name %in% names(called)) called[[name]] else 0L
  if (!torture || times >= enough) return(do.call(base::.Call, arguments))
  called[name] <<- times + 1L
  gctorture2(step = 1L)
  on.exit(gctorture2(step = 0L))
  do.call(base::.Call, arguments)
}

yes_no <- rr_warner(0.7)
letters3 <- rr_grr(c("a", "b", "c"), epsilon = 1)
four <- rr_grr(4, epsilon = 1)
counts <- c(5, 3, 0, 9)
channel <- rr_channel(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.2, 0.2, 0.6)))
bits <- cbind(a = c(0, 1, 1, 0), b = c(1, 1, 0, 0), c = c(0, 1, 0, 1))
shim$tally_sets <- function(mechanism) {
  set.seed(1)
  report_sets(mechanism, rr_perturb(1:5, mechanism, rng = "R"))
}
environment(shim$tally_sets) <- shim
calls <- alist(
  projective_axis = projective_axis(rr_law(rr_projective(7, epsilon = 1)), 1:3)$bits,
  dealt = coef(rr_glm(y ~ 1, data.frame(block = rep(1:3, each = 4), y = c(1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0)),
                      rr_dealt(1, cards = 4))),
  mixture = .Call(C_rr_mixture, list(
    rows = list(exact = cbind(rep(1, 3)), weights = c(1, 2, 1), outcome = c(0, 1, 1), loglik_reports = matrix(-log(2:7), 3)),
    map = cbind(0, diag(3)), distribution = 1L, cell_outcomes = c(0, 0), n_levels = 2L, n_designs = 1L, level = 0:1,
    predictor = c(1L, 2L, 1L, 3L)
  ), c(0.1, 0.2, 0.3), 1L),
  perturb_secure = length(rr_perturb(c("a", "b", "c", "a"), letters3)),
  perturb_factor = {
    set.seed(1)
    rr_perturb(factor(c("a", "b"), levels = c("a", "b", "c")), letters3, rng = "R")
  },
  perturb_forced = {
    set.seed(1)
    rr_perturb(c(1L, 2L, 3L), rr_forced(c(0.1, 0.1, 0.1), 3), rng = "R")
  },
  achieved = list(rr_epsilon(four, achieved = TRUE), rr_epsilon(rr_forced(c(0.1, 0.1, 0.1), 3), achieved = TRUE)),
  tally_factor = rr_tally(factor(c("a", "b", "c")), letters3),
  tally_character = rr_tally(c("a", "b", "a"), letters3),
  tally_integer = rr_tally(c(1L, 4L, 2L), four),
  tally_logical = rr_tally(c(TRUE, FALSE, TRUE), yes_no),
  tally_weights = rr_tally(c(1L, 4L, 2L), four, weights = c(0.5, 1, 2)),
  tally_by = rr_tally(c(1L, 2L, 2L), four, by = c("u", "v", "v")),
  tally_missing = rr_tally(c(1L, NA, 2L), four),
  mle = tidy(rr_estimate(rr_counts(counts, four), method = "mle")),
  inv = tidy(rr_estimate(rr_counts(counts, four), method = "inv")),
  invn = coef(rr_estimate(rr_counts(counts, four), method = "invn")),
  invp = coef(rr_estimate(rr_counts(counts, four), method = "invp")),
  ibu = coef(rr_estimate(rr_counts(counts, four), method = "ibu")),
  postprocessed = lapply(
    c("base_cut", "norm", "norm_cut", "norm_sub", "power", "power_ns"),
    function(method) tryCatch(coef(rr_estimate(rr_counts(counts, four), method = method)), error = class)
  ),
  forced = coef(rr_estimate(rr_counts(c(5, 3, 7), rr_forced(c(0.1, 0.1, 0.1), 3)))),
  likelihood = logLik(rr_estimate(rr_counts(counts, four))),
  measured = .Call(C_rr_measured_interval, c(120, 40, 5), c(1000, 50, 100), 2),
  project = .Call(C_rr_project, c(0.6, 0.7, -0.2), 1),
  covariance = vcov(rr_estimate(rr_counts(counts, four))),
  refused = rr_counts(c(-1, 3), yes_no),
  extreme_bits = coef(rr_extreme(c(0, 1, 1), c(0.1, 0.2, 0.3))),
  extreme_rows = coef(rr_extreme(cbind(0:1, 1:0), c(0.1, 0.2), type = "all")),
  extreme_merged = coef(rr_extreme(c(rr_tally(cbind(0:1, 1:0), flip = 0.1), rr_tally(ones = 0:1, n = 1, flip = 0.2)))),
  extreme_refused = rr_extreme(c(0L, 7L), c(0.1, 0.2)),
  set_sizes = tidy(rr_set_size(cbind(0:1, 1:0), c(0.1, 0.2), "difference")),
  set_tally = coef(rr_set_size(rr_tally(ones = 1:2, n = 3, flip = 0.1))),
  set_refused = rr_set_size(cbind(c(0L, 5L), 1:0), 0.1),
  incidence_mixture = coef(rr_incidence(cbind(0:1, 1:0), c(0.1, 0.2), method = "mle")),
  incidence_total = coef(rr_incidence(cbind(0:1, 1:0), c(0.1, 0.2))),
  em = coef(rr_estimate(rr_counts(c(5, 3, 4), channel), method = "ibu", iterations = 3)),
  information = information_functions(rr_law(channel), list(counts = c(5, 3, 4), n = 12), c(0.4, 0.3, 0.3), rbind(c(1, -1, 0)), "population"),
  tmdh_all = vcov(rr_tmdh(rr_cooccurrence(bits, order = 3), rr_warner(0.8), order = 3)),
  tmdh_sparse = vcov(rr_tmdh(rr_cooccurrence(bits, order = 2), rr_warner(0.8), target = "sample")),
  pcsa = rr_sketch(c("a", "b"), "pcsa", buckets = 4, levels = 8),
  plans = list(client_plan(rr_unary(3, 1)), client_plan(rr_subset(5, 1, size = 2))),
  grid = list(rr_epsilon(rr_unary(3, 1), achieved = TRUE), rr_epsilon(rr_subset(5, 1), achieved = TRUE)),
  hash_table = hash_table(rr_local_hash(5, 1, cohorts = 3)),
  unknown_rows = .Call(C_rr_unknown_rows, c(0, 1), c(0.2, -1), c(1, 0), NULL, cbind(c(0.3, 0.2, 0.1, 0.4, 1, 0)), 0L, FALSE),
  bits_to_lists = .Call(C_rr_bits_to_lists, matrix(as.raw(c(3, 0, 0)), 1), 20, 2),
  lists_to_bits = tally_sets(rr_subset(20, 1, size = 2)),
  hashed_to_bits = tally_sets(rr_local_hash(5, 1)),
  sketch = coef(rr_set_size(list(rr_sketch(c("a", "b")), rr_sketch(c("b", "c")))))
)

run <- function(call) tryCatch(eval(call, new.env(parent = shim)), error = function(e) class(e))
bad <- 0L
for (name in names(calls)) {
  torture <- FALSE
  calm <- run(calls[[name]])
  torture <- TRUE
  same <- isTRUE(all.equal(calm, run(calls[[name]])))
  note <- if (is.character(calm) && "error" %in% calm) paste0(" (", calm[1L], ")")
  cat(if (same) "ok      " else "DIFFERS ", name, note, "\n", sep = "")
  bad <- bad + !same
}

# Then every example of the manual, which reaches what the list above does not name. Errors in an example are R CMD
# check's business, not ours.
torture <- TRUE
pages <- tools::Rd_db("candor")
example <- tempfile(fileext = ".R")
grDevices::pdf(NULL)
for (page in names(pages)) {
  unlink(example)
  tools::Rd2ex(pages[[page]], example)
  if (!file.exists(example)) next
  envir <- new.env(parent = shim)
  utils::capture.output(suppressWarnings(suppressMessages(tryCatch(
    for (expression in parse(example)) {
      value <- withVisible(eval(expression, envir))
      if (value$visible) eval(call("print", value$value), envir)
    },
    error = function(e) NULL
  ))))
  cat("ok      examples of ", page, "\n", sep = "")
}

# A routine that nothing reached is one nobody tortures: it needs a call in the list above, or an example.
never <- setdiff(names(getDLLRegisteredRoutines("candor")$.Call), names(called))
if (length(never)) cat("never called here: ", paste(never, collapse = ", "), "\n", sep = "")
quit(status = bad > 0L || length(never) > 0L)
