#' A simulation study of the estimators
#'
#' How well does each method recover a known truth? `rr_study()` answers for a whole grid of truths, privacy levels
#' and numbers of respondents in one call: it simulates the reports, estimates by every method from the same
#' reports, and measures the errors.
#'
#' @section What is measured:
#' For each cell of the grid and each method, over the replications, with \eqn{\theta} the truth and
#' \eqn{\hat\theta} its estimate:
#'
#' | `metric` | what |
#' |---|---|
#' | `mse` | \eqn{E \lVert\hat\theta - \theta\rVert^2}, the squared error summed over categories |
#' | `tv` | \eqn{\frac12 E \sum_i |\hat\theta_i - \theta_i|}, the total variation distance |
#' | `nll` | minus the mean log-likelihood of the reports, in natural logarithms per respondent |
#' | `bias2` | \eqn{\lVert E\hat\theta - \theta\rVert^2}, estimated without bias, so that it may come out below 0 |
#' | `variance` | \eqn{E \lVert\hat\theta - E\hat\theta\rVert^2}; `bias2` + `variance` = `mse` |
#'
#' `mc.error` is the Monte Carlo standard error of each metric, over the replications (for `bias2` and
#' `variance` by the jackknife over ten groups of replications). All methods see the same reports, so the *differences* between methods are known more precisely than
#' `mc.error` says.
#'
#' @section How it is simulated:
#' The study draws counts, not single respondents, at a cost that does not grow with `n`. `target = "population"` draws the respondents of each
#' replication anew from the truth, and \eqn{\theta} is the truth given. `target = "sample"` uses the same \eqn{n} respondents
#' in each replication, as close to the truth as whole numbers allow, and \eqn{\theta} is their shares. Replication \eqn{r} of a cell draws
#' from its own stream, which `seed`, cell and \eqn{r} determine. So the result is the same for any number of workers and after
#' any interruption. R's own generator is used only to draw a `seed` when none is given.
#'
#' @section Interrupting and resuming:
#' A study that is interrupted returns the cells it has, with a warning; `rr_study(resume = study)` goes on from there. (A time limit of
#' [setTimeLimit()] is an error as usual.) A warning names the first cell that a worker could not deliver (it was killed, or ran out of memory); resuming
#' the study computes it. To keep a study, [saveRDS()] what it returns.
#'
#' @param truth The true distributions: a named list of probability vectors, or one such vector; a Zipf distribution over `k` categories is `prop.table(seq_len(k)^-s)`. Data (a factor,
#'   text, or a `table`) are replaced by their shares, in the order given. Names are used only if they are the
#'   category numbers 1, 2, ...
#' @param epsilon Privacy levels, above 0.
#' @param n Numbers of respondents, whole and at least 1.
#' @param method Methods of [rr_estimate()], or a named list of such names and of functions of `counts` and `mechanism` that return
#'   estimated shares. `"oracle"` is the estimator that knows the true shares but not which category has which. It shows how small the error could be, and works
#'   for mechanisms that report all answers other than the truth with one probability.
#' @param replications Number of replications of each cell, a whole number of at least 1.
#' @param mechanism A function of the number of categories and the privacy level that makes a mechanism, such as [rr_grr()], or a named list of
#'   such functions, which adds the column `mechanism`. The first argument of the call is the number of categories. The privacy level is passed as `epsilon` where the function has
#'   an argument of that name, else as the second argument.
#' @param seed A whole number that fixes every draw, or `NULL` for one drawn from R's generator.
#' @param ... Not used, and refused.
#' @param target What the respondents are: `"population"`, sampled anew, or `"sample"`, fixed.
#' @param workers Number of processes; by default the number of cores (`options(mc.cores)` where set), or fewer where there is less work.
#' @param resume An unfinished study: with it only `workers` and `progress` are given.
#' @param progress Show a progress bar?
#' @return A data frame (a tibble of class `rr_study`) with one row per cell, method and metric: `truth`, `k` (number of categories),
#'   `epsilon`, `n`, `method`, `metric`, `estimate`, `mc.error`. Draw it with [plot()][autoplot.rr_study].
#' @section Errors:
#' `candor_error_argument` for an empty grid, a truth that is not a distribution or has one category only, privacy levels
#' and numbers out of range, unknown methods, a `mechanism` that does not return a mechanism for some cell, and arguments beside `resume`. Errors of a mechanism, and of a
#' method that fails wherever it is tried, come before the work starts. `candor_warning_incomplete` names the first cell that is missing.
#' @references Pinzon, C. A. et al. (2025). Estimating the true distribution of data collected with randomized response, section 6.
#'   The figures of that paper are regenerated by the scripts in `system.file("studies", package = "candor")`.
#' @examples
#' study <- rr_study(list(even = prop.table(seq_len(50)^-0.01), steep = prop.table(seq_len(50)^-2.5)),
#'                   epsilon = c(1, 4), n = c(100, 10000), seed = 1)
#' study
#'
#' # Inversion gives impossible values, below 0; which repair of them is best depends on the truth
#' subset(study, metric == "mse" & epsilon == 1 & n == 100)
#' @export
rr_study <- function(truth, epsilon, n, method = c("inv", "invn", "invp", "mle"), replications = 100,
                     mechanism = rr_grr, seed = NULL, ..., target = c("population", "sample"), workers = NULL,
                     resume = NULL, progress = interactive()) {
  check_dots_empty(...)
  check_flag(progress, "progress")
  if (!is.null(workers)) workers <- check_count(workers, "workers", min = 1, max = 1024)
  if (is.null(resume)) {
    design <- list(
      truth = check_truths(truth), epsilon = check_grid(epsilon, "epsilon"), n = check_grid(n, "n", whole = TRUE),
      method = check_methods(method, "oracle"),
      replications = check_count(replications, "replications", min = 1, max = 1e9),
      mechanism = check_constructors(mechanism), target = check_choice(target, "target", c("population", "sample")),
      seed = if (!is.null(seed)) check_count(seed, "seed")
    )
    state <- list(design = design, results = vector("list", length(study_cells(design)$n)))
  } else {
    if (!inherits(resume, "rr_study") || !all(names(match.call())[-1] %in% c("resume", "workers", "progress"))) {
      abort("{.arg resume} must be a study, without another grid beside it.", "argument")
    }
    state <- attr(resume, "study")
  }
  cells <- study_cells(state$design)
  cache <- new.env(parent = emptyenv())
  try_study(state, cells, cache)
  state$design$seed <- state$design$seed %||% draw_study_seed()
  new_rr_study(run_study(state, cells, workers, progress, cache), cells)
}

check_truths <- function(truth) {
  if (!is.list(truth)) truth <- list(truth = truth)
  names <- names(truth) %||% rep("", length(truth))
  names(truth) <- make.unique(ifelse(nzchar(names), names, seq_along(truth)))
  lapply(truth, function(x) {
    x <- tabulated(x)
    theta <- check_distribution(x, "truth")
    # Mechanisms are made for the categories 1, 2, ...: names that are these say which is which.
    at <- match(names(x), seq_along(x))
    if (length(at) && !anyNA(at) && !anyDuplicated(at)) theta[order(at)] else theta
  })
}

check_constructors <- function(mechanism) {
  if (is.function(mechanism)) return(list(mechanism))
  named <- is.list(mechanism) && length(mechanism) && length(unique(names(mechanism))) == length(mechanism)
  if (named && all(vapply(mechanism, is.function, NA))) return(mechanism)
  abort(c("{.arg mechanism} must be a function that makes a mechanism, or a named list of such functions.",
          x = "It is {describe(mechanism)}."), "argument")
}

# The cells, numbered in the order that names their streams.
study_cells <- function(design) {
  cells <- expand.grid(n = design$n, epsilon = design$epsilon, mechanism = seq_along(design$mechanism),
                       truth = seq_along(design$truth), KEEP.OUT.ATTRS = FALSE)
  cells$k <- lengths(design$truth, use.names = FALSE)[cells$truth]
  # A list is faster to read than a data frame.
  as.list(cells)
}

new_rr_study <- function(state, cells = study_cells(state$design)) {
  design <- state$design
  methods <- names(design$method)
  done <- which(lengths(state$results) > 0)
  row <- rep(done, each = length(study_metrics) * length(methods))
  figures <- function(what) as.double(unlist(lapply(state$results[done], `[[`, what)))
  table <- tibble::tibble(
    truth = names(design$truth)[cells$truth[row]], k = cells$k[row],
    mechanism = names(design$mechanism)[cells$mechanism[row]], epsilon = cells$epsilon[row], n = cells$n[row],
    method = rep_len(rep(methods, each = length(study_metrics)), length(row)),
    metric = rep_len(study_metrics, length(row)), estimate = figures("estimate"), mc.error = figures("error")
  )
  mark(table, "rr_study", study = state)
}

#' @export
print.rr_study <- function(x, ...) {
  state <- attr(x, "study")
  missing <- length(study_missing(state))
  cat(sprintf("<rr_study> %s cells, %s replications each, respondents %s, seed %s%s\n",
              format_count(length(state$results)), format_count(state$design$replications),
              if (state$design$target == "sample") "fixed" else "sampled anew",
              format_count(state$design$seed), if (missing) paste("; cells missing:", missing) else ""))
  NextMethod()
  invisible(x)
}

# ---- running a study ----

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

# A cell that fails leaves its message in its place.
study_batch <- function(batch, design, cells, cache = new.env(parent = emptyenv())) {
  lapply(batch, function(i) tryCatch(study_cell(design, cells, i, cache), error = plain_message))
}

run_study <- function(state, cells, workers, progress, cache) {
  todo <- study_missing(state)
  if (!length(todo)) return(state)
  # The relative work of the cells. A call of a method weighs about as much as a hundred categories; few respondents in
  # many categories are drawn sooner.
  cost <- 100 + cells$k / 2 + pmin(cells$k, cells$n / 4) / 2
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
      # The cheapest cells for half a second: a small study needs no second process.
      end <- proc.time()[["elapsed"]] + 0.5
      for (i in todo[order(cost[todo])]) {
        if (proc.time()[["elapsed"]] > end) break
        finish(i, study_batch(i, state$design, cells, cache))
        todo <- setdiff(todo, i)
      }
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

# About eight batches a worker, the largest first. Without workers an interruption loses a cell.
study_batches <- function(cost, todo, workers) {
  if (workers == 1) return(as.list(todo))
  todo <- todo[order(cost[todo], decreasing = TRUE)]
  size <- sum(cost[todo]) / (8 * workers)
  unname(split(todo, floor(cumsum(c(0, cost[todo][-length(todo)])) / size)))
}

# A finished cell is a list(estimate, error).
study_missing <- function(state) which(lengths(state$results) == 0)

study_workers <- function() {
  cores <- getOption("mc.cores") %||% parallel::detectCores()
  max(1, if (nzchar(Sys.getenv("_R_CHECK_LIMIT_CORES_"))) min(cores, 2) else cores, na.rm = TRUE)
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
