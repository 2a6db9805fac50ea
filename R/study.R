#' Simulation study of the estimators
#'
#' How well does each method recover a known truth? `rr_study()` simulates reports for a grid of truths, privacy budgets and numbers of respondents, estimates by every
#' method from the same reports, and measures the errors. `plot()` draws them.
#'
#' @section Metrics:
#' For each cell of the grid and each method, over the replications, with \eqn{\theta} the truth and \eqn{\hat\theta} its estimate:
#'
#' * `mse`: \eqn{E \lVert\hat\theta - \theta\rVert^2}{E sum (estimate - theta)^2}, the squared error summed over categories.
#' * `tv`: \eqn{\frac12 E \sum_i |\hat\theta_i - \theta_i|}{E sum |estimate - theta| / 2}, the total variation distance.
#' * `nll`: minus the mean log-likelihood of the reports, in natural logarithms per respondent.
#' * `bias2`: \eqn{\lVert E\hat\theta - \theta\rVert^2}{sum (E estimate - theta)^2}, estimated without bias, so that it may be negative.
#' * `variance`: \eqn{E \lVert\hat\theta - E\hat\theta\rVert^2}{E sum (estimate - E estimate)^2}; `bias2` + `variance` = `mse`.
#'
#' `mc.error` is the Monte Carlo standard error of each metric (for `bias2` and `variance` by the jackknife over ten groups of replications). All methods see the same
#' reports, so that *differences* between methods are more precise than `mc.error`.
#'
#' @section Simulation:
#' The study draws counts, not single respondents, at a cost that does not grow with `n`. `target = "population"` samples the respondents of each replication from the
#' truth. `target = "sample"` uses the same \eqn{n} respondents in each replication, as close to the truth as whole numbers allow, and \eqn{\theta} is their shares. Each replication has its own
#' random stream, which `seed`, cell and replication determine. The result is the same for any number of workers and after any interruption. R's generator only draws a missing
#' `seed`.
#'
#' An interrupted study returns the cells it has, with a warning, and `rr_study(resume = study)` goes on. A warning names the first cell that a worker could not deliver; resuming computes it. To
#' keep a study, [saveRDS()] it.
#'
#' @section Joint counts:
#' If `mechanism` is a [rr_product()], `order` also judges the joint counts of [rr_tmdh()]: a row for each metric and each set of answers to at most `order` questions, with the columns
#' `term` and `order`, and the method `"tmdh"`. Counts are divided by `n`.
#'
#' * `bias`: mean estimate less the truth.
#' * `std.error`: square root of the mean estimated variance, divided by the standard deviation of the estimates. It is 1 if the standard error is right.
#' * `coverage`: part of the 95% intervals that hold the truth.
#'
#' The questions may have any mechanism that [rr_tmdh()] takes. Other methods are judged too if `method` is given, and the product must then have finitely many reports.
#'
#' @section Picture:
#' Axes are logarithmic, and values that are not above 0 are left out. Ribbons are two Monte Carlo standard errors wide on either side. The picture of joint counts has a point for each set and
#' a line for the mean of each order.
#'
#' @order 1
#' @param truth The true distributions: a named list of probability vectors, or one vector. A Zipf distribution over `k` categories is `prop.table(seq_len(k)^-s)`. Data (a factor, text, a `table`) are replaced by
#'   their shares. Names are used only if they are the category numbers 1, 2, ..., or levels of a mechanism, in which absent levels are 0.
#' @param epsilon Privacy budgets, above 0. Left out for a mechanism, which has its own.
#' @param n Numbers of respondents, whole and at least 1.
#' @param method Methods of [rr_estimate()]; by default these four, or none if `order` is given. Or a named list of such names and of functions of `counts` and `mechanism` that return shares. `"oracle"` knows the true
#'   shares but not which category has which, and shows how small the error could be; it needs a mechanism that reports all answers other than the truth with one
#'   probability.
#' @param replications Whole number, at least 1; default 100. Replications of each cell.
#' @param mechanism A mechanism; or a function of the number of categories and epsilon that makes a mechanism, such as [rr_grr()] (default), or a named list of such functions, which
#'   adds the column `mechanism`. Epsilon is passed by name if the function has an argument `epsilon`, else second.
#' @param seed Whole number that fixes every draw, or `NULL` (default).
#' @param ... Must be empty.
#' @param target `"population"` (default) or `"sample"`: are respondents sampled again, or fixed?
#' @param workers Number of processes; by default `options("mc.cores")` or the number of cores, or fewer if there is less work.
#' @param resume An unfinished study. Only `workers` and `progress` may be given with it.
#' @param progress Logical. Show a progress bar?
#' @param order For a product of questions: largest number of questions in a joint count that is judged; default `NULL`, no joint counts.
#' @param metric For `plot()`: `"mse"` (default), `"tv"`, `"nll"`, `"bias2"` or `"variance"`; of joint counts `"coverage"` (default if they alone are judged), `"bias"` or `"std.error"`.
#' @param methods For `plot()`: methods to draw, a character vector; by default all.
#' @return A tibble of class `rr_study` with one row per cell, method and metric: `truth`, `k` (number of categories), `epsilon`, `n`, `method`, `metric`, `estimate`,
#'   `mc.error`. `plot()` and `autoplot()` return a ggplot. `summary()` returns a tibble with a row for each cell and metric (`mse`, `tv`, `nll`):
#'   the `method` with the smallest `estimate` (for `nll` without methods that are not `valid` in [rr_methods()]), the `second`, its `margin` over the winner, `tie` (is the margin below 1e-12, so that neither is better?), and `mc.error`, an upper bound of the Monte Carlo error of the margin.
#' @section Errors:
#' * `candor_error_argument`: an empty grid, a truth that is not a distribution over at least two categories, values out of range, unknown methods, a `mechanism` that returns none.
#'   These errors, and errors of a method that always fails, come before the work starts.
#' * `candor_error_mismatch`: names of a truth that are not levels of the mechanism.
#' * `candor_error_order`: a joint count of more questions than the mechanism has.
#' * Warning `candor_warning_incomplete`: names the first missing cell.
#' @references Pinzon, C. A. et al. (2026). Estimating the true distribution of data collected with randomized response, section 6. arXiv:2601.08603. The script
#'   `studies/pinzon-grid.R` of the site regenerates its figures.
#'
#'   Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX Security*, 729-745. arXiv:1705.04421
#' @seealso [rr_choose_method()] for real reports; [rr_recommend()] and [rr_power()] for exact variances; `articles/which-estimator.html` of the site.
#' @concept Monte Carlo simulation
#' @concept comparison of estimators
#' @concept mean squared error
#' @concept total variation
#' @concept Kosarak
#' @concept bias and variance
#' @examples
#' # Which estimator has the smaller error, for an even and for a steep truth?
#' truths <- list(even = rep(0.02, 50), steep = prop.table(seq_len(50)^-2.5))
#' study <- rr_study(truths, epsilon = c(1, 4), n = c(100, 10000),
#'                   replications = 50, seed = 1)
#' subset(study, metric == "mse" & epsilon == 1 & n == 100)
#' # "invn" for both
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(study)
#'
#' # Do the intervals of joint counts hold with 100 respondents?
#' bit <- rr_binary(0.8, 0.1)
#' joint <- rr_study(c(0.63, 0.07, 0.27, 0.03), n = 100,
#'                   mechanism = rr_product(a = bit, b = bit), order = 2,
#'                   replications = 200, seed = 1)
#' subset(joint, metric == "coverage")
#' @export
rr_study <- function(
  truth = NULL,
  epsilon = NULL,
  n = NULL,
  method = if (is.null(order)) c("inv", "invn", "invp", "mle"),
  replications = 100,
  mechanism = rr_grr,
  seed = NULL,
  ...,
  target = c("population", "sample"),
  workers = NULL,
  resume = NULL,
  progress = interactive(),
  order = NULL
) {
  check_dots_empty(...)
  check_flag(progress, "progress")
  if (!is.null(workers)) workers <- check_count(workers, "workers", min = 1, max = 1024)
  if (is.null(resume)) {
    if (!is.null(order)) order <- check_count(order, "order", min = 1)
    is_joint <- !is.null(order) && is.null(method)
    is_mechanism <- inherits(mechanism, "rr_mechanism")
    if (is_mechanism && !is.null(epsilon)) {
      abort("{.arg epsilon} must be left out for a mechanism, which has its own.")
    }
    design <- list(
      truth = check_truths(truth, if (is_mechanism) mechanism),
      epsilon = if (is_mechanism) {
        mechanism$epsilon
      } else {
        check_grid(epsilon, "epsilon", is_whole = FALSE)
      },
      n = check_grid(n, "n"),
      method = if (is_joint) list() else check_methods(method, "oracle"),
      replications = check_count(replications, "replications", min = 1, max = 1e9),
      mechanism = check_constructors(mechanism),
      target = check_choice(target),
      seed = if (!is.null(seed)) check_count(seed, "seed"),
      order = order
    )
    state <- list(
      design = design,
      results = vector("list", length(study_cells(design)$n))
    )
  } else {
    if (!inherits(resume, "rr_study") ||
        !all(names(match.call())[-1] %in% c("resume", "workers", "progress"))) {
      abort("{.arg resume} must be a study, without another grid beside it.")
    }
    state <- attr(resume, "study")
  }
  cells <- study_cells(state$design)
  mechanisms <- lapply(
    which(!duplicated(cells$mechanism_index)), study_mechanism, design = state$design, cells = cells
  )
  check_study_order(state$design$order, mechanisms)
  try_study(state, cells, mechanisms)
  state$design$seed <- state$design$seed %||% draw_study_seed()
  new_rr_study(run_study(state, cells, mechanisms, workers, progress), cells)
}

# The truths as shares, by name. Names, and the values of data, are levels of a mechanism that is
# given.
check_truths <- function(truth, mechanism) {
  if (!is.list(truth)) truth <- list(truth = truth)
  names <- rlang::names2(truth)
  names(truth) <- make.unique(
    ifelse(nzchar(names), names, as.character(seq_along(truth)))
  )
  lapply(truth, function(x) {
    x <- tabulated(x)
    theta <- check_distribution(x)
    if (!is.null(mechanism)) {
      named <- setNames(theta, names(x))
      theta <- as.double(match_levels(named, mechanism$levels, "truth", 0, mechanism$truth_bits))
      check_that(length(theta) == length(mechanism$levels), theta, "truth", "one share per level")
      return(theta)
    }
    # Mechanisms are made for the categories 1, 2, ...: names that are these give their order.
    index <- match(names(x), seq_along(x))
    is_order <- length(index) && !anyNA(index) && !anyDuplicated(index)
    if (is_order) theta[order(index)] else theta
  })
}

check_constructors <- function(mechanism) {
  if (is.function(mechanism) || inherits(mechanism, "rr_mechanism")) return(list(mechanism))
  is_named <- is.list(mechanism) && length(mechanism) &&
    length(unique(names(mechanism))) == length(mechanism)
  check_that(is_named && all(vapply(mechanism, is.function, NA)), mechanism, "mechanism",
             "a mechanism, a function that makes one, or a named list of such functions")
  mechanism
}

# The cells, numbered in the order that names their streams; `mechanism_index` numbers their
# mechanisms.
study_cells <- function(design) {
  cells <- expand.grid(
    n = design$n, epsilon = design$epsilon, mechanism = seq_along(design$mechanism),
    truth = seq_along(design$truth), KEEP.OUT.ATTRS = FALSE
  )
  cells$k <- lengths(design$truth, use.names = FALSE)[cells$truth]
  key <- sprintf("%d %d %.17g", cells$mechanism, cells$k, cells$epsilon)
  cells$mechanism_index <- match(key, unique(key))
  # A list is faster to read than a data frame.
  as.list(cells)
}

new_rr_study <- function(state, cells = study_cells(state$design)) {
  design <- state$design
  methods <- as.character(names(design$method))
  done <- which(lengths(state$results) > 0)
  row <- rep(done, each = length(study_metrics) * length(methods))
  figures <- function(field) {
    as.double(unlist(lapply(state$results[done], `[[`, field)))
  }
  table <- tibble(
    study_keys(design, cells, row),
    method = rep_len(rep(methods, each = length(study_metrics)), length(row)),
    metric = rep_len(study_metrics, length(row)),
    estimate = figures("estimate"),
    mc.error = figures("error")
  )
  joint <- joint_rows(state, cells, done)
  if (!is.null(joint)) {
    table <- tibble(table, term = NA_character_, order = NA_integer_)[names(joint)]
    table <- rbind(table, joint)
  }
  with_class(table, "rr_study", study = state)
}

#' @export
print.rr_study <- function(x, ...) {
  state <- attr(x, "study")
  missing <- length(study_missing(state))
  writeLines(within_80(
    sprintf(
      "<rr_study> %s cells, %s replications each, respondents %s, seed %s%s",
      format_count(length(state$results)), format_count(state$design$replications),
      if (state$design$target == "sample") "fixed" else "sampled anew",
      format_count(state$design$seed), if (missing) paste("; cells missing:", missing) else ""
    )
  ))
  NextMethod()
}

# The method with the smallest error in each cell, and its margin over the second. Estimates that
# are no distribution have no likelihood to compare.
#' @rdname rr_study
#' @export
summary.rr_study <- function(object, ...) {
  data <- as.data.frame(object)
  data <- data[data$metric %in% c("mse", "tv", "nll") & !is.na(data$estimate), ]
  table <- rr_methods()
  invalid <- table$method[table$valid %in% FALSE]
  data <- data[data$metric != "nll" | !data$method %in% invalid, ]
  keys <- intersect(c("truth", "k", "mechanism", "epsilon", "n", "metric"), names(data))
  cells <- split(seq_len(nrow(data)), unname(as.list(data[keys])), drop = TRUE)
  rows <- lapply(cells[order(vapply(cells, min, 0L))], function(rows) {
    best <- data[rows[order(data$estimate[rows])][1:2], ]
    data.frame(
      best[1, keys, drop = FALSE],
      method = best$method[1],
      estimate = best$estimate[1],
      second = best$method[2],
      margin = diff(best$estimate),
      tie = diff(best$estimate) < 1e-12,
      mc.error = sqrt(sum(best$mc.error^2))
    )
  })
  as_tibble(do.call(rbind, unname(rows)))
}

# ---- one cell ----

# The mechanism of cell i. Its maker is called by the name `epsilon` if it has such an argument,
# else in the order of the help page.
study_mechanism <- function(i, design, cells) {
  make <- design$mechanism[[cells$mechanism[i]]]
  k <- cells$k[i]
  names <- if (is.function(make)) names(formals(args(make)))
  has_epsilon <- "epsilon" %in% names || "..." %in% head(names, 2)
  mechanism <- if (!is.function(make)) {
    make
  } else if (has_epsilon) {
    make(k, epsilon = cells$epsilon[i])
  } else {
    make(k, cells$epsilon[i])
  }
  check_that(
    inherits(mechanism, "rr_mechanism") && length(mechanism$levels) == k, mechanism, "mechanism",
    "a maker of mechanisms of the given number of categories"
  )
  refuse_validated(mechanism, "{.fn rr_study}")
  if (!length(design$method)) return(mechanism)
  if (law_tells_nothing(rr_law(mechanism))) abort_no_information(mechanism)
  mechanism
}

study_cell <- function(i, design, cells, mechanisms) {
  theta <- design$truth[[cells$truth[i]]]
  n <- cells$n[i]
  truth <- if (design$target == "sample") whole_shares(n, theta)
  mechanism <- mechanisms[[cells$mechanism_index[i]]]
  risks <- if (length(design$method)) {
    judge_methods(mechanism, theta, truth, n, design$method, design$replications, design$seed, i)
  }
  joint <- if (!is.null(design$order)) {
    judge_joint(mechanism, theta, truth, n, design, i)
  }
  c(risks[c("estimate", "error")], list(joint = joint))
}

# An error of a method that can never work, before the work starts: it fails on one replication in
# each of ten cells of a mechanism. A method that fails in some is reported with the cells that are
# missing.
try_study <- function(state, cells, mechanisms) {
  design <- state$design
  design$replications <- 1
  design$seed <- design$seed %||% 1
  missing <- study_missing(state)
  for (index in split(missing, cells$mechanism[missing])) {
    chosen <- unique(
      round(seq(1, length(index), length.out = min(10, length(index))))
    )
    for (i in index[chosen]) {
      result <- tryCatch(study_cell(i, design, cells, mechanisms), error = identity)
      if (!inherits(result, "error")) break
    }
    if (inherits(result, "error")) stop(result)
  }
}

# ---- many cells ----

# The risks of some cells. A cell that fails leaves its message instead.
study_batch <- function(batch, ...) {
  lapply(batch, function(i) tryCatch(study_cell(i, ...), error = plain_message))
}

run_study <- function(state, cells, mechanisms, workers, progress) {
  todo <- study_missing(state)
  if (!length(todo)) return(state)
  # The relative work of the cells. A call of a method weighs about as much as a hundred categories;
  # few respondents in many categories are drawn sooner.
  cost <- 100 + cells$k / 2 + pmin(cells$k, cells$n / 4) / 2
  bar <- if (progress) {
    cli::cli_progress_bar(
      format = "Simulating {cli::pb_bar} {cli::pb_percent} | {cli::pb_eta_str}",
      total = sum(cost[todo]), clear = TRUE
    )
  }
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
        finish(i, study_batch(i, state$design, cells, mechanisms))
        todo <- setdiff(todo, i)
      }
      workers <- default_workers()
    }
    # A worker has about eight batches, of similar cost. One process alone has a cell in each, so
    # that an interruption loses only that.
    todo <- todo[order(cost[todo], decreasing = TRUE)]
    batch_index <- if (workers == 1) seq_along(todo) else seq_along(todo) %% (8 * workers)
    run_batches(unname(split(todo, batch_index)), workers, finish, state$design, cells, mechanisms)
  }, interrupt = function(e) failure <<- "it was interrupted.")
  if (progress) cli::cli_progress_done(id = bar)
  warn_missing_cells(state, cells, failure)
  state
}

default_workers <- function() {
  cores <- getOption("mc.cores") %||% parallel::detectCores()
  if (nzchar(Sys.getenv("_R_CHECK_LIMIT_CORES_"))) cores <- min(cores, 2)
  max(1, cores, na.rm = TRUE)
}

warn_missing_cells <- function(state, cells, failure) {
  missing <- study_missing(state)
  if (!length(missing)) return(invisible())
  cell <- lapply(cells, `[`, missing[1])
  warn(
    c(
      "{length(missing)} of {length(state$results)} cells of the study are missing: {failure}",
      x = paste0(
        "The first has truth {names(state$design$truth)[cell$truth]}, ",
        "epsilon {cell$epsilon}, n {cell$n}."
      ),
      i = "{.code rr_study(resume = study)}, with what this call returned, does the rest."
    ),
    "incomplete"
  )
}

# The cells that are missing; a finished cell is a list(estimate, error).
study_missing <- function(state) which(lengths(state$results) == 0)

# The batches, finished one after another. A process that dies delivers nothing, and its cells are
# missing.
run_batches <- function(batches, workers, finish, ...) {
  fork <- getOption("candor.workers", if (.Platform$OS.type == "windows") "cluster" else "fork") ==
    "fork"
  if (workers > 1 && !fork) {
    cluster <- parallel::makeCluster(workers)
    on.exit(try(parallel::stopCluster(cluster), silent = TRUE))
  }
  for (wave in split(batches, (seq_along(batches) - 1) %/% workers)) {
    results <- if (workers == 1) {
      lapply(wave, study_batch, ...)
    } else if (fork) {
      suppressWarnings(
        parallel::mclapply(
          wave, study_batch, ..., mc.cores = workers, mc.preschedule = FALSE, mc.set.seed = FALSE,
          mc.silent = TRUE
        )
      )
    } else {
      tryCatch(parallel::clusterApply(cluster, wave, study_batch, ...), error = function(e) NULL)
    }
    for (j in seq_along(wave)) {
      if (is.list(results[[j]])) {
        finish(wave[[j]], results[[j]])
      }
    }
  }
}
