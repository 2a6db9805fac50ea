# Running a study: cells, workers, and the results that are kept.

# ---- one cell ----

study_mechanism <- function(design, which, k, epsilon, cache) {
  key <- sprintf("%d %d %.17g", which, k, epsilon)
  if (is.null(cache[[key]])) {
    mechanism <- make_mechanism(design$mechanism[[which]], k, epsilon)
    if (!inherits(mechanism, "rr_mechanism") || length(mechanism$levels) != k) {
      abort(c("{.arg mechanism} must make a mechanism of so many categories.",
              x = "For {k} categories and epsilon {epsilon} it made {describe(mechanism)}."), "argument")
    }
    if (law_tells_nothing(rr_law(mechanism))) abort_no_information(mechanism)
    cache[[key]] <- mechanism
  }
  cache[[key]]
}

# Called by the name `epsilon` where there is one, else in the order of the help page.
make_mechanism <- function(make, k, epsilon) {
  names <- names(formals(args(make)))
  if ("epsilon" %in% names || "..." %in% names[seq_len(min(2, length(names)))]) make(k, epsilon = epsilon)
  else make(k, epsilon)
}

study_cell <- function(design, cells, i, cache) {
  theta <- design$truth[[cells$truth[i]]]
  n <- cells$n[i]
  mechanism <- study_mechanism(design, cells$mechanism[i], length(theta), cells$epsilon[i], cache)
  truth <- if (design$target == "sample") whole_shares(n, theta)
  judge_methods(mechanism, theta, truth, n, design$method, design$replications, design$seed, i)[c("estimate", "error")]
}

# What can never work is refused before the work starts: every mechanism is made, and its methods are tried on one
# replication. A method is refused if it fails in each of ten cells of a mechanism: one that fails in some is reported
# with the cells that are missing.
try_study <- function(state, cells, cache) {
  design <- state$design
  design$replications <- 1
  design$seed <- design$seed %||% 1
  todo <- study_missing(state)
  for (own in split(todo, cells$mechanism[todo])) {
    for (i in own) study_mechanism(design, cells$mechanism[i], cells$k[i], cells$epsilon[i], cache)
    for (i in own[unique(round(seq(1, length(own), length.out = min(10, length(own)))))]) {
      tried <- tryCatch(study_cell(design, cells, i, cache), error = identity)
      if (!inherits(tried, "error")) break
    }
    if (inherits(tried, "error")) stop(tried)
  }
}

# ---- many cells ----

# Finished cells of a batch; a cell that fails leaves its message in its place.
study_batch <- function(batch, design, cells, cache = new.env(parent = emptyenv())) {
  lapply(batch, function(i) {
    tryCatch(study_cell(design, cells, i, cache),
             error = function(e) if (is_time_limit(e)) stop(e) else plain_message(e))
  })
}

# The error of setTimeLimit() is not an error of a cell. It has no class, so only its message can be recognised.
is_time_limit <- function(error) {
  words <- c("reached elapsed time limit", "reached CPU time limit", "reached session elapsed time limit",
             "reached session CPU time limit")
  conditionMessage(error) %in% c(words, gettext(words, domain = "R"))
}

# The relative work of the cells, for batches and for the progress bar. A call of a method weighs about as much as a
# hundred categories; few respondents in many categories are drawn sooner.
study_cost <- function(cells) 100 + cells$k / 2 + pmin(cells$k, cells$n / 4) / 2

# About eight batches a worker, the largest first. Without workers an interruption loses a cell.
study_batches <- function(cost, todo, workers) {
  if (workers == 1) return(as.list(todo))
  todo <- todo[order(cost[todo], decreasing = TRUE)]
  size <- sum(cost[todo]) / (8 * workers)
  unname(split(todo, floor(cumsum(c(0, cost[todo][-length(todo)])) / size)))
}

run_study <- function(state, cells, workers, progress, cache) {
  todo <- study_missing(state)
  if (!length(todo)) return(state)
  cost <- study_cost(cells)
  bar <- if (progress) cli::cli_progress_bar(
    format = "Simulating {cli::pb_bar} {cli::pb_percent} | {cli::pb_eta_str}", total = sum(cost[todo]), clear = TRUE
  )
  failure <- "a worker died."
  finish <- function(batch, results) {
    done <- vapply(results, is.list, NA)
    state$results[batch[done]] <<- results[done]
    if (!all(done)) failure <<- results[[which(!done)[1]]]
    if (progress) cli::cli_progress_update(inc = sum(cost[batch]), id = bar)
  }
  tryCatch({
    if (is.null(workers)) {
      todo <- run_first(todo, state$design, cells, cost, finish, cache)
      workers <- study_workers()
    }
    run_batches(study_batches(cost, todo, workers), state$design, cells, workers, finish, cache)
  }, interrupt = function(e) failure <<- "it was interrupted.")
  if (progress) cli::cli_progress_done(id = bar)
  missing <- study_missing(state)
  if (length(missing)) {
    first <- lapply(cells, `[`, missing[1])
    warn(c("{length(missing)} of {length(state$results)} cells of the study are missing: {failure}",
           x = "The first has truth {names(state$design$truth)[first$truth]}, epsilon {first$epsilon}, n {first$n}.",
           i = "{.code rr_study(resume = study)}, with what this call returned, does the rest."), "incomplete")
  }
  state
}

# A finished cell is a list(estimate, error).
study_missing <- function(state) which(lengths(state$results) == 0)

study_workers <- function() {
  cores <- getOption("mc.cores") %||% parallel::detectCores()
  max(1, if (nzchar(Sys.getenv("_R_CHECK_LIMIT_CORES_"))) min(cores, 2) else cores, na.rm = TRUE)
}

# The cheapest cells for half a second: a small study needs no second process. Returns those that are left.
run_first <- function(todo, design, cells, cost, finish, cache) {
  end <- proc.time()[["elapsed"]] + 0.5
  for (i in todo[order(cost[todo])]) {
    if (proc.time()[["elapsed"]] > end) break
    finish(i, study_batch(i, design, cells, cache))
    todo <- setdiff(todo, i)
  }
  todo
}

# A process that dies delivers nothing, and its cells are missing.
run_batches <- function(batches, design, cells, workers, finish, cache) {
  fork <- getOption("candor.workers", if (.Platform$OS.type == "windows") "cluster" else "fork") == "fork"
  if (workers > 1 && !fork) {
    cluster <- parallel::makeCluster(workers)
    on.exit(try(parallel::stopCluster(cluster), silent = TRUE))
  }
  for (wave in split(batches, (seq_along(batches) - 1) %/% workers)) {
    results <- if (workers == 1) lapply(wave, study_batch, design, cells, cache)
      else if (fork) suppressWarnings(parallel::mclapply(wave, study_batch, design, cells, cache, mc.cores = workers,
                                                         mc.preschedule = FALSE, mc.set.seed = FALSE, mc.silent = TRUE))
      else tryCatch(parallel::clusterApply(cluster, wave, study_batch, design, cells), error = function(e) NULL)
    for (j in seq_along(wave)) if (is.list(results[[j]])) finish(wave[[j]], results[[j]])
  }
}
