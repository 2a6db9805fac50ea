# A regression of a survey design is the maximum of a pseudo-likelihood with the design's weights.
# Its variance is the variance of the linearized scores, or follows from fits with each set of
# replicate weights.

# A pseudo-likelihood sums over the population what was asked of clusters: its ratios are not
# chi-squared.
refuse_pseudo <- function(fits) {
  if (!any(has_design(fits))) return(invisible())
  # Terms of other models have coefficients for several categories, or of several models.
  remedy <- switch(
    class(fits[[1]])[1],
    rr_glm = paste(
      "Use {.code survey::regTermTest(fit, ~ x)} or {.code",
      "car::Anova(fit)}; {.fn AIC} compares models."
    ),
    rr_glm_attention = "Use {.code survey::regTermTest(fit, ~ x)}.",
    "{.code car::linearHypothesis(fit, names)} tests coefficients, by the names of {.fn vcov}."
  )
  abort(c(
    "A likelihood, or a ratio of two, is needed.",
    x = "A fit of a survey design has a pseudo-likelihood.", i = remedy
  ))
}

has_design <- function(fits) {
  vapply(fits, function(fit) is.list(fit) && !is.null(fit$design), NA)
}

# The variance of the coefficients; `spread` takes it from that of the scores.
survey_variance <- function(fit, scores, sandwich_of) {
  hidden <- hidden_meat(fit)
  if (is.null(fit$replicated)) return(sandwich_of(survey_meat(fit, scores) + hidden))
  fit$replicated + if (any(hidden != 0)) sandwich_of(hidden) else 0
}

# Scores are sums to be estimated: their variance is the design's, rows that were not fitted being
# 0.
survey_meat <- function(fit, scores) {
  all <- matrix(0, nrow(fit$design$variables), ncol(scores))
  all[fitted_in(fit, fit$design), ] <- scores
  total_covariance(fit$design, all)
}

# The part of the randomization of the scores that a finite population hides, see
# R/uncertainty-design.R. Unknown numbers of the mechanism are taken for known, and what respondents
# do about it for randomization.
hidden_meat <- function(fit) {
  rows <- fitted_in(fit, fit$design)
  squares <- hidden_squares(fit$design)[rows] * fit$weight.scale^2
  if (!any(squares != 0)) return(0)
  channels <- possible_reports(fit)
  Reduce(
    `+`,
    lapply(channels, function(channel_group) {
      channel_randomization(
        channel_group$scores,
        channel_group$counts * rep(squares[channel_group$rows], each = nrow(channel_group$counts)),
        channel_group$channel, t(unbiased_matrix(channel_group$channel))
      )
    })
  )
}

# For groups of rows with one channel: `scores` of an answer for each report that it might have
# been, by report, row and parameter, and `counts` of the reports, a column for each row.
possible_reports <- function(fit) UseMethod("possible_reports")

# The scores of the reports of each row, from a matrix of scores for each report. A report that a
# row cannot have has 0 / 0.
scored_reports <- function(scores, counts, channel, rows = seq_len(ncol(counts))) {
  scores <- lapply(scores, function(s) s[rows, , drop = FALSE])
  size <- c(dim(scores[[1]]), length(scores))
  scores <- aperm(array(unlist(scores), size), c(3, 1, 2))
  list(
    rows = rows,
    scores = replace(scores, is.nan(scores), 0),
    counts = counts[, rows, drop = FALSE],
    channel = channel
  )
}

fitted_in <- function(fit, design) {
  match(row.names(fitted_frame(fit)), row.names(design$variables))
}

# As survey::svyglm() counts them, in the rows that were fitted; 0 or less if the coefficients use
# them up.
residual_freedom <- function(fit, design, coefficients) {
  as.double(survey::degf(design[fitted_in(fit, design), ]) + 1 - coefficients)
}

# Degrees of freedom of the t distribution of a coefficient. Coefficients are taken for normal if
# there is no design, and for other standard errors. NA: there are none left.
coefficient_freedom <- function(fit, type = "survey") {
  if (is.null(fit$design) || type != "survey") return(Inf)
  if (fit$df.residual > 0) fit$df.residual else NA_real_
}

coefficient_quantile <- function(fit, level, type = "survey") {
  t_quantile(level, coefficient_freedom(fit, type))
}

# ---- replicate weights ----

# A fit that is no glm, with its design. `refit` gives the estimates with other weights of the rows,
# or NA.
with_design <- function(fit, design, scale, refit) {
  if (is.null(design)) return(fit)
  check_independent(fit_mechanisms(fit), design)
  fit$design <- design
  fit$weight.scale <- scale
  fit$df.residual <- residual_freedom(fit, design, sum(!is.na(fit$coefficients)))
  fit$replicated <- replicate_vcov(
    fit, design, setNames(fit$estimate, rownames(fit$vcov)), refit
  )
  fit
}

replicate_vcov <- function(fit, design, centre, refit) {
  if (!inherits(design, "svyrep.design")) return(NULL)
  if (!length(centre)) return(matrix(0, 0, 0))
  weights <- weights(design, "analysis")[fitted_in(fit, design), , drop = FALSE]
  thetas <- matrix(apply(weights, 2, refit), length(centre))
  lost <- sum(colSums(is.na(thetas)) > 0)
  if (lost) {
    warn(c("{lost} of {ncol(thetas)} replicates have estimates that are not finite.",
           i = "The standard errors of these coefficients are NA."), "infinite")
  }
  structure(
    replicate_covariance(design, thetas, centre, "na.pass"),
    dimnames = list(names(centre), names(centre))
  )
}

# The parameters at the end of a climb from `b`, the maximum with the weights of the sample: NA
# where the replicate leaves them at infinity or undetermined. (Another maximum would be no small
# change of the sample.)
climb_replicate <- function(model, b) {
  b <- climb(model, b)$points[, 1]
  flat <- flat_directions_of(
    model, regress_value(model, b)$observed + (model$prior %||% 0), 1e-9
  )
  slope <- model$slope(b)
  replace(model$natural(b), is_flat(slope, slope %*% flat), NA)
}

# The variance from the estimates of the replicates, NA for parameters that are not estimated;
# NULL if the design has no replicate weights. `data` is the checked data of the fit, and `index`
# the positions of the parameters that are estimated.
glm_replicates <- function(fit, data, index) {
  design <- data$design
  if (!inherits(design, "svyrep.design")) return(NULL)
  if (fit$penalty %in% c("bias", "jeffreys")) {
    abort("{.arg penalty} must be {.val none} or {.val prior} for replicate weights.")
  }
  columns <- which(!is_aliased(fit))
  data$x <- data$x[, columns, drop = FALSE]
  start <- c(fit$point[columns], as.vector(fit$parameter))
  prior <- if (fit$penalty == "prior") prior_precision(data)
  V <- replace(fit$variance$observed, TRUE, NA)
  V[index, index] <- replicate_vcov(
    fit, design, c(fit$coefficients, fit$parameter)[index],
    function(w) {
      estimate <- glm_replicate(replace(data, "weight", list(w * data$scale)), start, prior)
      estimate[match(index, c(columns, length(fit$coefficients) + 1L))]
    }
  )
  V
}

# The estimates with the weights of one replicate: NA for columns that others determine in it, such
# as a level without rows, and for these others.
glm_replicate <- function(data, start, prior) {
  data <- take_rows(data, which(data$weight > 0))
  model <- regress_model(data, prior)
  estimate <- climb_replicate(model, coordinates(model, start))
  keep <- model$basis$keep
  determined <- setdiff(seq_len(ncol(data$x)), keep)
  shared <- qr.coef(
    qr(data$x[, keep, drop = FALSE]),
    data$x[, determined, drop = FALSE]
  )
  replace(estimate, c(determined, keep[rowSums(abs(shared)) > 1e-7]), NA)
}
