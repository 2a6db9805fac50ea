# Channels that a validation study estimated: two steps (Murphy and Topel, 1985). The study is
# independent of the respondents. If the estimates solve U(b, C) = 0, their covariance is
#    (that of a known channel) + B [ sum_x G_x S_x G_x' ] B'
#    B     the inverse of -dU/db, the bread of the fit
#    G_x   dU/dC[x, ], a row for each parameter and a column for each report
#    S_x   the covariance of row x of the study
# Weights of a design enter U, and thereby B and G, and nothing else of the second part.

has_study <- function(fits) {
  any(vapply(fits, function(fit) has_validated(fit_mechanisms(fit)), NA))
}

# In a likelihood of rows, row i has the truths with probabilities pi_ix, whose logarithms have the
# derivatives s_ix, and the report with probability P_i. Its score is U_i = sum_x tau_ix s_ix, where
# tau_ix = pi_ix C[x, y_i] / P_i. Then column y of G_x is
#    sum over rows with y_i = y of w_i (pi_ix / P_i) (s_ix - U_i)

# The derivatives G of a fit: a list with an element for each of its channels that a study measured,
# list(mechanism, slopes). `slopes` has a matrix for each truth.
channel_slopes <- function(fit) UseMethod("channel_slopes")

# The sum of G_x S_x G_x' over all rows of all studies. Channels with one table have one error:
# their G are added before.
study_meat <- function(fit) {
  channels <- channel_slopes(fit)
  meat <- 0
  while (length(channels)) {
    mechanism <- channels[[1]]$mechanism
    is_same <- vapply(
      channels, function(channel) same_mechanism(channel$mechanism, mechanism), NA
    )
    slopes <- do.call(Map, c(
      function(...) Reduce(`+`, list(...)), unname(lapply(channels[is_same], `[[`, "slopes"))
    ))
    for (x in seq_along(slopes)) {
      meat <- meat + tcrossprod(study_effects(mechanism$validation[x, ], slopes[[x]]))
    }
    channels <- channels[!is_same]
  }
  meat
}

# The variance that the studies add to a fit with this bread; 0 without a study.
study_covariance <- function(fit, bread) {
  if (has_study(list(fit))) sandwich(bread, study_meat(fit)) else 0
}

# The fit with variances of predictions, `limit`, that have the study's part. They do not hold
# combinations of coefficients at infinity, which are finite, if there is a study.
with_study_limit <- function(fit) {
  if (has_study(list(fit))) fit$limit <- vcov(fit)
  fit
}

# An error if a regression with a study would be without the study's error. `refused` names what it
# must not have, TRUE if it is there.
refuse_study_beside <- function(mechanisms, what, refused = logical()) {
  refused <- c(
    `a study of respondents (internal)` = any(
      vapply(single_questions(mechanisms), function(m) isTRUE(m$internal), NA)
    ),
    refused
  )
  if (any(refused)) {
    refuse_validated(mechanisms, paste(what, "with", names(refused)[refused][1]))
  }
}

# Likelihoods take the channel for known.
refuse_ratios <- function(fits) {
  refuse_pseudo(fits)
  if (has_study(fits)) {
    abort(c("A likelihood ratio takes the channel for known, and a validation study estimated it.",
            i = "Use a Wald test: {.fn summary}, or {.code anova(fit)} of {.fn rr_glm}."))
  }
}

tell_wald <- function() {
  cli::cli_inform(
    paste(
      "Wald intervals: a validation study estimated the channel,",
      "which a profile takes for known."
    ),
    class = "candor_message_wald"
  )
}

# Sums of the rows by their report: a row for each column of `rows`, a column for each report.
sums_by_report <- function(rows, codes, n_reports) {
  crossprod(rows, outer(codes, seq_len(n_reports), `==`))
}

# bread meat bread', in the places that have a variance: what is infinite has none, and takes none
# from the others.
sandwich <- function(bread, meat) {
  index <- which(!is.na(diag(bread)))
  if (nrow(meat) > length(index)) meat <- meat[index, index, drop = FALSE]
  finite_bread <- bread[index, index, drop = FALSE]
  V <- replace(bread, TRUE, NA)
  V[index, index] <- finite_bread %*% meat %*% t(finite_bread)
  V
}
