# Reports as unbiased scores of the truth, one number u[v] a category with E(u[v] | truth x) = 1{v = x}: for joint
# counts (R/joint-scores.R) and survey designs (R/fit-survey.R).

# A function from reports to scores, a row each; a column for each category.
score_reader <- function(mechanism, name) UseMethod("score_reader")

#' @export
score_reader.rr_mechanism <- function(mechanism, name) {
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  if (inherits(law, "rr_law_support")) {
    return(function(x) t((t(as.matrix(new_rr_reports(report_sets(mechanism, x), k))) - law$q) / law$difference))
  }
  if (!law_gives(law, "channel", k)) abort_scores(mechanism, name)
  scores <- channel_scores(mechanism, name)
  function(x) scores[report_codes(x, mechanism, name), , drop = FALSE]
}

# The scores of each report: those of the unbiased estimate, which is their mean.
channel_scores <- function(mechanism, name) {
  left_inverse(list(matrix = t(unname(identified_channel(mechanism, name, counted = FALSE)))))$matrix
}

#' @export
score_reader.rr_local_hash <- function(mechanism, name) {
  if (is.null(mechanism$cohorts)) return(NextMethod())
  scores <- channel_scores(mechanism, name)
  function(x) {
    read <- rr_reports(x, mechanism)
    scores[(read$cohort - 1L) * as.integer(mechanism$g) + read$value, , drop = FALSE]
  }
}

# The sign of a category's row where the report lies in its block, and 0 elsewhere, times the scale of the estimate.
#' @export
score_reader.rr_hadamard <- function(mechanism, name) {
  if (mechanism$one_bit) return(NextMethod())
  law <- rr_law(mechanism)
  block <- (seq_along(mechanism$levels) - 1L) %% law$blocks
  row <- (seq_along(mechanism$levels) - 1L) %/% law$blocks + 1L
  function(x) {
    reports <- rr_reports(x, mechanism)
    signs <- hadamard_signs(as.integer(reports %% law$size), as.integer(row))
    hadamard_scale(law) * signs * outer(reports %/% law$size, block, `==`)
  }
}

#' @export
score_reader.rr_bitflip <- function(mechanism, name) {
  function(x) {
    rows <- report_values(rr_reports(x, mechanism))
    scores <- matrix(0, nrow(rows), mechanism$buckets)
    scores[cbind(as.vector(row(rows)), as.vector(abs(rows)))] <- (as.vector(rows > 0) - mechanism$q) /
      mechanism$p_minus_q * mechanism$buckets / mechanism$d
    scores
  }
}

# With w the debiased bits of a report of cohort j of m, and X[j] that cohort's filters: (sum X'X)^-1 X[j]' w m. Weights
# from an estimate, as rr_estimate() has them, would make the score of one report depend on all others.
#' @export
score_reader.rr_bloom <- function(mechanism, name) {
  law <- rr_law(mechanism)
  ones <- rep(1, law$bits * law$cohorts)
  inverse <- tryCatch(normal_inverse(list(places = law$places, bits = law$bits), ones),
                      candor_error_no_information = function(e) NULL)
  if (is.null(inverse)) {
    abort(c("Joint counts of {.val {name}} need filters that tell its categories apart.",
            x = "Those of {format_count(law$truths)} categories in {format_count(law$cohorts)} cohorts of
                 {format_count(law$bits)} bits depend on each other.",
            i = "Ask about fewer candidates at once, or collect with more bits or cohorts."),
          c("no_information", "law"))
  }
  decoders <- lapply(seq_len(law$cohorts), function(j) law$cohorts * cohort_filters(law, j) %*% inverse)
  function(x) {
    read <- rr_reports(x, mechanism)
    bits <- (as.matrix(read$bits) - law$zero) / (law$one - law$zero)
    scores <- matrix(0, nrow(bits), law$truths)
    for (j in unique(read$cohort)) {
      rows <- which(read$cohort == j)
      scores[rows, ] <- bits[rows, , drop = FALSE] %*% decoders[[j]]
    }
    scores
  }
}

abort_scores <- function(mechanism, name) {
  abort(c("Joint counts do not fit the question {.val {name}} ({mechanism$design}).",
          x = "One report of it has no unbiased score for each category.",
          i = "They are there for mechanisms of categories, for supports, {.fn rr_hadamard}, {.fn rr_local_hash},
               {.fn rr_bitflip} and {.fn rr_bloom}."), c("law", "argument"))
}
