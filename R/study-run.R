# Running a study: cells, workers, and the results that are kept.

# ---- one cell ----

study_mechanism <- function(design, which, k, epsilon, cache) {
  key <- sprintf("%d %d %.17g", which, k, epsilon)
  cache[[key]] <- cache[[key]] %||% make_mechanism(design$mechanism[[which]], k, epsilon)
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
    format = "Simulating {cli::pb_bar} {cli::pb_percent} | {cli::pb_eta_str}", total = sum(cost), clear = TRUE
  )
  if (progress) cli::cli_progress_update(set = sum(cost[-todo]), id = bar)
  failure <- NULL
  saved <- proc.time()[["elapsed"]]
  finish <- function(batch, results) {
    done <- vapply(results, is.list, NA)
    state$results[batch[done]] <<- results[done]
    if (!all(done)) failure <<- Find(is.character, results, right = TRUE) %||% failure
    if (progress) cli::cli_progress_update(inc = sum(cost[batch]), id = bar)
    if (!is.null(state$file) && proc.time()[["elapsed"]] - saved > 2) {
      save_study(state)
      saved <<- proc.time()[["elapsed"]]
    }
  }
  on.exit(save_study(state))
  interrupted <- FALSE
  tryCatch({
    if (isTRUE(attr(workers, "most")) && workers > 1) todo <- run_first(todo, state$design, cells, cost, finish, cache)
    workers <- min(workers, length(todo))
    if (length(todo)) {
      study_engine(workers)(study_batches(cost, todo, workers), state$design, cells, workers, finish, cache)
    }
  }, interrupt = function(e) interrupted <<- TRUE)
  if (progress) cli::cli_progress_done(id = bar)
  warn_incomplete(state, interrupted, failure)
  state
}

# The cheapest cells for half a second: a small study needs no second process. Returns those that are left.
run_first <- function(todo, design, cells, cost, finish, cache) {
  end <- proc.time()[["elapsed"]] + 0.5
  for (i in todo[order(cost[todo])]) {
    if (proc.time()[["elapsed"]] > end) break
    run_here(list(i), design, cells, 1, finish, cache)
    todo <- setdiff(todo, i)
  }
  todo
}

# A finished cell is a list(estimate, error).
study_missing <- function(state) which(lengths(state$results) == 0)

warn_incomplete <- function(state, interrupted, failure) {
  missing <- study_missing(state)
  if (!length(missing)) return(invisible())
  cell <- lapply(study_cells(state$design), `[`, missing[1])
  more <- if (length(missing) > 10) ", ..." else ""
  first <- sprintf("truth \"%s\", epsilon %s, n %s", names(state$design$truth)[cell$truth], format(cell$epsilon),
                   format_count(cell$n))
  warn(c("{length(missing)} of {length(state$results)} cells of the study are missing.",
         x = if (interrupted) "It was interrupted."
           else if (is.null(failure)) "A worker died before it delivered them." else "A cell failed: {failure}",
         i = "The first is {first}; the cells are {.val {utils::head(missing, 10)}}{more}.",
         i = paste("{.code rr_study(resume = study)}, with what this call returned,",
                   if (interrupted || is.null(failure)) "does the rest." else "tries them again.")), "incomplete")
}

study_engine <- function(workers) {
  if (workers == 1) return(run_here)
  engine <- getOption("candor.workers", if (.Platform$OS.type == "windows") "cluster" else "fork")
  if (engine == "fork") run_forked else run_cluster
}

run_here <- function(batches, design, cells, workers, finish, cache) {
  for (batch in batches) finish(batch, study_batch(batch, design, cells, cache))
}

run_forked <- function(batches, design, cells, workers, finish, cache) {
  active <- list()
  on.exit(for (job in active) {
    tools::pskill(job$process$pid)
    suppressWarnings(parallel::mccollect(job$process, wait = TRUE))
  })
  while (length(batches) || length(active)) {
    while (length(batches) && length(active) < workers) {
      batch <- batches[[1]]
      batches <- batches[-1]
      process <- parallel::mcparallel(study_batch(batch, design, cells, cache), mc.set.seed = FALSE, silent = TRUE)
      active[[as.character(process$pid)]] <- list(process = process, batch = batch)
    }
    ready <- suppressWarnings(parallel::mccollect(lapply(unname(active), `[[`, "process"), wait = FALSE, timeout = 0.1))
    for (id in names(ready)) {
      job <- active[[id]]
      active[[id]] <- NULL
      # A worker that was killed delivers NULL; a living worker ends after it has delivered.
      results <- ready[[id]]
      if (!is.null(results)) suppressWarnings(parallel::mccollect(job$process, wait = TRUE))
      finish(job$batch, if (is.list(results)) results else vector("list", length(job$batch)))
    }
  }
}

run_cluster <- function(batches, design, cells, workers, finish, cache) {
  cluster <- parallel::makeCluster(workers)
  on.exit(try(parallel::stopCluster(cluster), silent = TRUE))
  for (wave in split(seq_along(batches), (seq_along(batches) - 1) %/% workers)) {
    results <- tryCatch(parallel::clusterApply(cluster, batches[wave], study_batch, design, cells),
                        error = function(e) NULL)
    if (is.null(results)) {
      # All cells that a dead worker was given are lost.
      try(parallel::stopCluster(cluster), silent = TRUE)
      cluster <- parallel::makeCluster(workers)
    }
    for (j in seq_along(wave)) finish(batches[[wave[j]]], results[[j]] %||% vector("list", length(batches[[wave[j]]])))
  }
}
