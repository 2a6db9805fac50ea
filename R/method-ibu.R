# The iterative Bayesian update: a stated number of steps, or a stated certificate.
method_ibu <- function() {
  rr_new_method("ibu", "Iterative Bayesian update", estimate_ibu, needs = "likelihood",
                options = c("iterations", "tolerance", "start"), group = "likelihood", cost = 100, place = 5,
                local_map = ibu_map, likelihood = TRUE)
}

estimate_ibu <- function(evidence, options) {
  law <- evidence$law
  options <- ibu_options(options, evidence)
  if (!is.null(options$start)) check_possible_start(law_reported(law, options$start), evidence$counts)
  result <- law_update(law, evidence, options)
  if (is.null(result)) abort_precision()
  n <- evidence$n
  warn_short(options, result$converged, n * result$gap)
  list(estimate = result$estimate, iterations = result$iterations, converged = result$converged,
       gap = n * result$gap, trace = data.frame(iteration = seq_along(result$trace$gap) - 1,
                                                loglik = n * result$trace$loglik, gap = n * result$trace$gap))
}

# A gap of g leaves the estimate about sqrt(2 g) standard errors from the maximum, whose map is then its own.
ibu_map <- function(estimate, evidence) {
  if (!(evidence$details$gap <= 1e-4)) return(NULL)
  law_likelihood_map(evidence$law, evidence, near_maximum(evidence, estimate))
}

near_maximum <- function(evidence, estimate) {
  law_maximum(evidence$law, evidence, list(start = estimate, iterations = 10000))$estimate
}

# Options that were not given are left out.
ibu_options <- function(options, evidence) {
  certified <- is.null(options$iterations)
  iterations <- options$iterations %||% 10000
  tolerance <- options$tolerance %||% (if (certified) 1e-8 else 0)
  list(iterations = check_count(iterations, "iterations"),
       tolerance = check_number(tolerance, "tolerance", min = 0),
       promised = !is.null(options$tolerance) && tolerance > 0,
       start = start_option(options$start, evidence))
}

abort_precision <- function() {
  abort(c("The update cannot be computed for these counts.",
          x = paste("A report is so rare beside the others that double precision cannot tell the share of its category",
                    "from the largest one possible."),
          i = "Use {.code method = \"mle\"}, which needs no iteration."), "precision")
}

# Warn when a requested tolerance was not reached.
warn_short <- function(options, converged, gap) {
  if (converged || !options$promised) return(invisible())
  warn(c("The update stopped before the tolerance was reached.",
         x = paste("After {options$iterations} iterations the log-likelihood is within {format(gap, digits = 3)}",
                   "of its maximum; {format(options$tolerance, digits = 3)} was asked for."),
         i = "Give more {.arg iterations}, or use {.code method = \"mle\"}."), "not_converged")
}

# tidy(fit, type = "trace"): the log-likelihood of every iterate, with its certificate.
fit_trace <- function(fit) {
  traces <- lapply(fit$details, `[[`, "trace")
  if (is.null(traces[[1]])) {
    abort(c("A trace can be had of fits of method {.val ibu}.", x = "Its method is {.val {fit$method}}."), "argument")
  }
  rows <- rep(seq_along(traces), vapply(traces, nrow, 1L))
  tibble::as_tibble(c(lapply(as.list(fit$tally$groups), `[`, rows), as.list(do.call(rbind, traces))))
}
