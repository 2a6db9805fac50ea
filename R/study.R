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
#' [setTimeLimit()] is an error as usual: all cells are lost except those in the file.) With a file name in
#' `resume`, finished cells are also kept in that file during the study, and repeating the call
#' continues it. A warning names cells that a worker could not deliver (it was killed, or ran out of memory); resuming
#' the study computes them.
#'
#' @param truth The true distributions: a named list of probability vectors, or one such vector; see [rr_zipf()]. Data (a factor,
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
#' @param resume An unfinished study, or the name of a file to keep finished cells in.
#' @param progress Show a progress bar?
#' @return A data frame (a tibble of class `rr_study`) with one row per cell, method and metric: `truth`, `k` (number of categories),
#'   `epsilon`, `n`, `method`, `metric`, `estimate`, `mc.error`. Draw it with [plot()][autoplot.rr_study].
#' @section Errors:
#' `candor_error_argument` for an empty grid, a truth that is not a distribution or has one category only, privacy levels
#' and numbers out of range, unknown methods, a `mechanism` that does not return a mechanism for some cell, and methods that fail wherever they are tried before
#' the work starts (then also the errors of [rr_estimate()]); `candor_error_resume` when `resume` holds another study; `candor_error_file` when
#' the file cannot be written at the start. Later, a full disk is a warning (`candor_warning_file`) and the study goes
#' on in memory. `candor_warning_incomplete` names the cells that are missing.
#' @source Pinzon, C. A. et al. (2025). Estimating the true distribution of data collected with randomized response, section 6.
#'   The figures of that paper are regenerated by the scripts in `system.file("studies", package = "candor")`.
#' @examples
#' study <- rr_study(list(even = rr_zipf(50, 0.01), steep = rr_zipf(50, 2.5)),
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
  design <- if (!missing(truth) || is.null(resume)) list(
    truth = check_truths(truth), epsilon = check_grid(epsilon, "epsilon"), n = check_grid(n, "n", whole = TRUE),
    method = check_methods(method, "oracle"),
    replications = check_count(replications, "replications", min = 1, max = 1e9),
    mechanism = check_constructors(mechanism), target = check_choice(target, "target", c("population", "sample")),
    seed = if (!is.null(seed)) check_count(seed, "seed")
  )
  workers <- check_workers(workers)
  cache <- new.env(parent = emptyenv())
  check_study_size(design, workers)
  state <- start_study(design, resume, cache)
  cells <- study_cells(state$design)
  new_rr_study(run_study(state, cells, workers, progress, cache), cells)
}

#' A Zipf distribution
#'
#' The distribution of the papers' simulations: \eqn{\theta_i \propto i^{-s}} over \eqn{k} categories, from almost uniform
#' (\eqn{s} = 0.01) to very concentrated (\eqn{s} = 2.5).
#'
#' @param k Number of categories, a whole number of at least 2.
#' @param s Exponent, a number of at least 0; 0 is the uniform distribution.
#' @param ... Not used, and refused.
#' @return A vector of `k` probabilities, the largest first.
#' @section Errors:
#' `candor_error_argument` for numbers out of range.
#' @source Pinzon, C. A. et al. (2025). Estimating the true distribution of data collected with randomized response, section 6.1, which takes
#'   \eqn{s} = 0.01, 1.3 and 2.5.
#' @examples
#' rr_zipf(5, 1.3)
#' @export
rr_zipf <- function(k, s, ...) {
  check_dots_empty(...)
  k <- check_count(k, "k", min = 2, max = 2^30)
  s <- check_number(s, "s", min = 0, max_open = TRUE)
  weights <- exp(-s * log(seq_len(k)))
  weights / sum(weights)
}

# The cells, numbered in the order that names their streams.
study_cells <- function(design) {
  per_epsilon <- length(design$n)
  per_mechanism <- per_epsilon * length(design$epsilon)
  per_truth <- per_mechanism * length(design$mechanism)
  size <- study_size(design)
  truth <- rep(seq_along(design$truth), each = per_truth)
  # Not a data frame, which takes longer to make and to read.
  list(
    n = rep_len(design$n, size),
    epsilon = rep(design$epsilon, each = per_epsilon, length.out = size),
    mechanism = rep(seq_along(design$mechanism), each = per_mechanism, length.out = size),
    truth = truth,
    k = lengths(design$truth, use.names = FALSE)[truth]
  )
}

study_size <- function(design) {
  length(design$n) * length(design$epsilon) * length(design$mechanism) * length(design$truth)
}

new_rr_study <- function(state, cells = study_cells(state$design)) {
  design <- state$design
  methods <- names(design$method)
  done <- which(lengths(state$results) > 0)
  each <- length(study_metrics) * length(methods)
  size <- each * length(done)
  row <- rep(done, each = each)
  figures <- unlist(state$results[done], use.names = FALSE)
  columns <- list(
    truth = names(design$truth)[cells$truth[row]],
    k = cells$k[row],
    mechanism = names(design$mechanism)[cells$mechanism[row]],
    epsilon = cells$epsilon[row],
    n = cells$n[row],
    method = rep(methods, each = length(study_metrics), length.out = size),
    metric = rep_len(study_metrics, size),
    estimate = as.double(figures[rep(c(TRUE, FALSE), each = each)]),
    mc.error = as.double(figures[rep(c(FALSE, TRUE), each = each)])
  )
  if (is.null(columns$mechanism)) columns$mechanism <- NULL
  # Not tibble::new_tibble(), whose checks take longer than some cells.
  attr(columns, "row.names") <- .set_row_names(size)
  attr(columns, "study") <- state
  class(columns) <- c("rr_study", "tbl_df", "tbl", "data.frame")
  columns
}

# A data frame with a class and attributes of its own. (structure() would leave row names that are no longer automatic.)
mark <- function(table, class, ...) {
  attributes <- list(...)
  for (name in names(attributes)) attr(table, name) <- attributes[[name]]
  class(table) <- c(class, base::class(table))
  table
}

study_state <- function(study) {
  attr(study, "study") %||%
    abort(c("{.arg resume} must be a study as {.fn rr_study} returned it.", x = "It has lost its design."), "resume")
}

#' @export
print.rr_study <- function(x, ...) {
  state <- attr(x, "study")
  if (!is.null(state)) {
    design <- state$design
    missing <- length(study_missing(state))
    cat(sprintf("<rr_study> %s cells, %s replications each, %s, seed %s%s\n",
                format_count(length(state$results)),
                format_count(design$replications),
                c(population = "respondents sampled anew", sample = "respondents fixed")[[design$target]],
                format(design$seed, scientific = FALSE),
                if (missing) sprintf("; %s cells missing", format_count(missing)) else ""))
  }
  NextMethod()
  invisible(x)
}

plain_study <- function(x) {
  attr(x, "study") <- NULL
  class(x) <- c("tbl_df", "tbl", "data.frame")
  x
}
