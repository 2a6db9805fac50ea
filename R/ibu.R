# The iterative Bayesian update on the closed-form mechanisms: O(K) a step, with its certificate.
estimate_ibu <- function(form, counts, options, call = caller_env()) {
  options <- ibu_options(options, length(counts), call)
  if (!is.null(options$start)) check_possible_start(form$a * options$start + form$b, counts, call)
  result <- .Call(C_rr_ibu, counts, form$a, form$b, options$start, options$iterations, options$tolerance, 2L)
  if (is.null(result)) abort_precision(call)
  n <- sum(counts)
  warn_short(options, result$converged, n * result$gap)
  list(estimate = result$estimate, iterations = result$iterations, converged = result$converged,
       gap = n * result$gap, trace = data.frame(iteration = seq_along(result$trace$gap) - 1,
                                                loglik = n * result$trace$loglik, gap = n * result$trace$gap))
}

# A stated number of steps, or a stated certificate: what was not given stays out of the way.
ibu_options <- function(options, k, call) {
  unknown <- setdiff(names(options), c("iterations", "tolerance", "start"))
  if (length(unknown) || (length(options) && is.null(names(options)))) {
    do.call(check_dots_empty, c(options, call = call))
  }
  certified <- is.null(options$iterations)
  iterations <- options$iterations %||% 10000
  tolerance <- options$tolerance %||% (if (certified) 1e-8 else 0)
  list(iterations = check_count(iterations, "iterations", call = call),
       tolerance = check_number(tolerance, "tolerance", min = 0, call = call),
       promised = !is.null(options$tolerance) && tolerance > 0,
       start = check_start(options$start, k, call))
}

abort_precision <- function(call) {
  abort(c("The update cannot be computed for these counts.",
          x = paste("A report is so rare beside the others that double precision cannot tell the share of its category",
                    "from the largest one possible."),
          i = "Use {.code method = \"mle\"}, which needs no iteration."), "precision", call = call)
}

# Who asked for a certificate is told when it was not reached.
warn_short <- function(options, converged, gap) {
  if (converged || !options$promised) return(invisible())
  warn(c("The update stopped before the tolerance was reached.",
         x = paste("After {options$iterations} iterations the log-likelihood is within {format(gap, digits = 3)}",
                   "of its maximum; {format(options$tolerance, digits = 3)} was asked for."),
         i = "Give more {.arg iterations}, or use {.code method = \"mle\"}."), "not_converged")
}

# A start under the levels of the mechanism; for several questions a table over them, as of rr_joint(), will do as well.
place_start <- function(start, mechanism, call) {
  dimensions <- length(dim(start))
  if (dimensions > 1L && dimensions != length(mechanism$questions)) {
    abort(c("{.arg start} must have one dimension per question.",
            x = "It has {dimensions}; the number of questions is {max(1, length(mechanism$questions))}."), "argument",
          call = call)
  }
  if (dimensions > 1L) start <- flatten_questions(start, mechanism, call, "start", "levels")
  if (dimensions == 1L) start <- stats::setNames(as.vector(start), names(start))
  match_levels(start, mechanism$levels, "start", 0, takes_bits(mechanism), call)
}

check_start <- function(start, k, call) {
  if (is.null(start)) return(NULL)
  start <- check_probabilities(start, "start", call = call)
  if (length(start) != k || abs(sum(start) - 1) > 1e-8) {
    abort(c("{.arg start} must be a distribution over the {k} categories.",
            x = "It has length {length(start)} and adds up to {format(sum(start), digits = 10)}."),
          "argument", call = call)
  }
  as.double(start)
}

#' The trace of an iterative fit
#'
#' The log-likelihood of every iterate, and how far the maximum can be from it at most.
#'
#' @param fit A fit of method `"ibu"`, see [rr_estimate()].
#' @return A data frame with one row per iterate, the start included: the group columns if any, `iteration`, `loglik` (total
#'   log-likelihood of the iterate) and `gap`, its certificate: the maximum of the log-likelihood is at most that much higher.
#' @section Errors:
#' `candor_error_argument` for anything but a fit of method `"ibu"`.
#' @source Carries the certificate \eqn{N \log \max_i g_i}{N log(max g)} with \eqn{g_i = \sum_y \phi_y C_{iy} / m_y}{g[i] = sum over y of phi[y] C[i, y] / m[y]}; it
#'   follows from Jensen's inequality.
#' @examples
#' reports <- rr_counts(c(10, 20, 30, 40), rr_grr(4, epsilon = 0.5))
#' fit <- rr_estimate(reports, method = "ibu", iterations = 20)
#' tail(rr_trace(fit), 3)
#' @export
rr_trace <- function(fit) {
  check_given(fit = "a fit of {.fn rr_estimate} with {.code method = \"ibu\"}")
  if (!inherits(fit, "rr_fit") || is.null(fit$details[[1]]$trace)) {
    abort(c("{.arg fit} must be a fit of method {.val ibu}.",
            x = if (inherits(fit, "rr_fit")) "Its method is {.val {fit$method}}." else "It is {describe(fit)}."),
          "argument")
  }
  traces <- lapply(fit$details, `[[`, "trace")
  table <- tibble::as_tibble(do.call(rbind, traces))
  trace <- function(x) structure(x, class = c("rr_trace", class(x)))
  if (is.null(fit$tally$groups)) return(trace(table))
  rows <- rep(seq_along(traces), vapply(traces, nrow, 1L))
  trace(tibble::as_tibble(c(as.list(fit$tally$groups[rows, , drop = FALSE]), as.list(table))))
}
