# Regression of answers that were dealt: the likelihood of blocks (inst/mathematics/dealt.md 5),
# whose passes are src/core/regress/dealt.c. The fit of the rows, each as if its card were drawn by
# itself, gives the starts.

# The name of the column of blocks, if the data have it. Random intercepts, arms and tallies have
# likelihoods of rows. A survey design's variance includes the deal.
block_column <- function(mechanism, data, design, bar) {
  has_arms <- is.list(mechanism) && !inherits(mechanism, "rr_mechanism")
  if (inherits(data, "rr_tally")) refuse_dealt(data$mechanism, "{.fn rr_glm} of a tally")
  if (has_arms && is.null(design)) refuse_dealt(mechanism, "{.arg arm}")
  if (!is.null(bar)) refuse_dealt(mechanism, "A random intercept")
  block <- if (inherits(mechanism, "rr_mechanism")) mechanism$codec$block
  if (is.null(block) || inherits(data, "rr_tally")) return(NULL)
  if (block %in% names(design$variables %||% data)) return(as.name(block))
  cli::cli_inform(
    c(
      paste(
        "The data have no column {.val {block}}: each row counts as",
        "if its card were drawn by itself."
      ),
      i = "With the blocks the likelihood is of all reports of a block together."
    ),
    class = "candor_message_blocks"
  )
}

# The fit of the likelihood of blocks; `base_fit` is the fit of the rows, `data` its checked data.
dealt_fit <- function(base_fit, data, call) {
  refuse_beside("blocks", base_fit, data)
  label <- label_text(base_key(data$frame[["(block)"]]))
  check_dealt_blocks(label, data$y, base_fit$mechanism)
  position <- match(label, unique(label))
  order <- order(position)
  first <- c(0L, cumsum(tabulate(position)))
  keep <- !is_aliased(base_fit)
  x <- data$x[order, keep, drop = FALSE]
  model <- dealt_model(x, data$y[order], first, data$offset[order], base_fit)
  starts <- backsolve(model$slope(), base_fit$ends[keep, , drop = FALSE])
  solution <- fit_likelihood(model, best = highest_maximum(model, cbind(starts, model$start)))
  # The score of a block stands in its first row, so that scores add up by cluster.
  scores <- matrix(
    0, length(label), model$size, dimnames = list(NULL, model$names)
  )
  first_rows <- order[first[-length(first)] + 1L]
  inverse <- backsolve(model$slope(), diag(model$size))
  scores[first_rows, ] <- crossprod(model$block_scores(solution$b), inverse)
  new_rr_glm_dealt(solution, base_fit, call, scores, length(first) - 1)
}

new_rr_glm_dealt <- function(solution, base_fit, call, scores, blocks) {
  title <- sprintf(
    "Regression of the truth \"%s\", %s link, by the likelihood of %s", base_fit$labels[2],
    base_fit$link, number_of(blocks, "block")
  )
  structure(
    c(
      solution, base_fit[c("terms", "data", "mechanism")],
      list(
        scores = scores,
        n = nrow(scores),
        fixed = base_fit,
        frame = base_fit$model,
        call = call,
        title = title
      )
    ),
    class = c("rr_glm_dealt", "rr_regression")
  )
}

check_dealt_blocks <- function(label, y, mechanism) {
  check_block_sizes(label, rep(1, length(label)), mechanism)
  blocks <- merge_blocks(list(list(label = label, counts = rbind(1 - y, y))))
  strayed <- disobedient(rr_law(mechanism), blocks)
  if (strayed > 0) {
    abort(
      c(
        "No deal of the deck gives these reports: blocks say less often what cards dictate.",
        x = "At least {number_of(strayed, 'respondent')} did not follow the cards."
      ),
      "impossible"
    )
  }
}

# The model of new_likelihood() with `block_scores(b)`, a column for each block.
dealt_model <- function(x, reported, first, offset, base_fit) {
  basis <- orthogonal_columns(unname(x), rep(1, nrow(x)))
  pass <- dealt_pass(basis$z, reported, first, offset, base_fit)
  evaluate <- function(b, need) {
    state <- pass(b, need > 0L)
    list(
      value = state$value,
      gradient = rowSums(state$scores),
      observed = state$observed,
      fallback = state$complete
    )
  }
  share <- (mean(reported) - base_fit$mechanism$innocuous[2]) / base_fit$mechanism$truth
  constant <- truth_curve(base_fit$link)$inverse(min(0.95, max(0.05, share)))
  model <- new_likelihood(
    names = colnames(x),
    evaluate = evaluate,
    predictors = function(b) drop(basis$z %*% b),
    to = basis$back,
    total = as.double(nrow(x)),
    start = constant * colMeans(basis$z)
  )
  replace(
    model, c("far", "block_scores"),
    list(far_predictor(base_fit$link), function(b) pass(b, TRUE)$scores)
  )
}

dealt_pass <- function(z, reported, first, offset, base_fit) {
  deck <- c(base_fit$mechanism$cards, rev(base_fit$mechanism$forced))
  link <- match(base_fit$link, regress_links) - 1L
  reported <- as.integer(reported)
  function(b, derive) {
    .Call(C_rr_dealt_value, z, reported, first, offset, deck, link, b, derive)
  }
}

#' @rdname predict.rr_glm
#' @export
predict.rr_glm_dealt <- function(
  object, newdata = NULL, type = c("link", "truth", "report", "response"), ..., vcov. = NULL
) {
  type <- check_choice(type)
  point <- setNames(object$estimate, names(object$coefficients))
  variance <- structure(vcov. %||% object$vcov, dimnames = dimnames(object$vcov))
  predict.rr_glm(replaced_fit(object$fixed, point, variance), newdata, type, ...)
}

regression_reports.rr_glm_dealt <- function(fit) fit$fixed$y

regression_expected.rr_glm_dealt <- function(fit) {
  abort("Dealt answers have no expected information here: take {.val observed} or {.val sandwich}.")
}
