# Attention with covariates: a regression of the truth beside one of attention, from a question and its anchor question
# (inst/mathematics/mixed.md 9). Coefficients are those of the truth, then those of attention.

# `plain` is the fit without attention, `data` its checked data, and `shares` what a share of some covariates needs.
attention_fit <- function(plain, data, shares, anchor, by, starts, call) {
  refuse_beside("{.arg attention}", plain, data, c(`this link` = !data$link %in% mixed_links))
  plain["anchor"] <- list(NULL)
  keep <- !is_aliased(plain)
  rows <- attention_rows(data, anchor_reports(plain$model[["(anchor)"]], anchor[[1]]), anchor[[1]]$attention, by)
  model <- attention_model(rows, data$x[, keep, drop = FALSE], shares$v)
  check_enough_rows(sum(data$weight > 0), model$size)
  fit <- fit_likelihood(model, min(starts, 5L))
  attention <- plogis(predictor_of(shares$v, fit$estimate[-seq_len(sum(keep))], NULL))
  structure(c(fit, list(
    scores = model$scores(fit$at), n = sum(data$weight > 0), by = by, shares = shares, attention = attention,
    fixed = plain, weights = data$weight, anchor = anchor, mechanism = plain$mechanism,
    frame = plain$model, terms = plain$terms, call = call,
    title = sprintf("Regression of the truth \"%s\" with the attention of each %s, %s link", plain$labels[2], by,
                    data$link),
    note = sprintf("attentive: %s on average",
                   format_share(signif(sum(data$weight * attention) / sum(data$weight), 3)))
  )), class = c("rr_glm_attention", "rr_regression"))
}

# What was said, as factors of the likelihood of a row: each has the probability `chance` of an inattentive respondent,
# and `base` + `slope` F(x'b) of an attentive one.
attention_rows <- function(data, said, attention, by) {
  device <- row_device(data$device, data$arm, length(data$y))
  of <- function(yes, y) ifelse(y == 1, yes, 1 - yes)
  question <- list(base = of(device$q, data$y), slope = device$d * (2 * data$y - 1),
                   chance = of(attention[["inattentive"]], data$y))
  anchor <- list(base = of(attention[["attentive"]], said), slope = numeric(length(said)),
                 chance = of(attention[["inattentive"]], said))
  both <- list(base = question$base * anchor$base, slope = question$slope * anchor$base,
               chance = question$chance * anchor$chance)
  list(factors = if (by == "person") list(both) else list(question, anchor), weight = data$weight,
       offset = data$offset %||% 0, curve = truth_curve(data$link),
       start = attention_start(data, said, attention, device))
}

# By moments: attention, and the prevalence.
attention_start <- function(data, said, attention, device) {
  mean <- function(x) sum(data$weight * x) / sum(data$weight)
  inside <- function(share) min(max(share, 0.05), 0.95)
  gamma <- inside((mean(said) - attention[["inattentive"]]) / (attention[["attentive"]] - attention[["inattentive"]]))
  excess <- mean(data$y) - attention[["inattentive"]]
  truth <- (excess / gamma + attention[["inattentive"]] - mean(device$q)) / mean(device$d)
  c(truth_curve(data$link)$inverse(inside(truth)), qlogis(gamma))
}

attention_model <- function(rows, x, v) {
  basis <- orthogonal_columns(unname(x), rows$weight)
  own <- orthogonal_columns(unname(v), rows$weight)
  k <- seq_len(ncol(x))
  derivatives <- function(b) {
    attention_derivatives(rows, drop(basis$z %*% b[k]) + rows$offset, drop(own$z %*% b[-k]))
  }
  to <- block_diagonal(list(basis$back, own$back))
  start <- drop(solve(to, c(project_constant(x, rows$start[1]), project_constant(v, rows$start[2]))))
  model <- new_likelihood(
    names = c(colnames(x), paste0("attention:", colnames(v))),
    evaluate = function(b, need) attention_state(rows$weight, derivatives(b), basis$z, own$z),
    predictors = function(b) c(basis$z %*% b[k], own$z %*% b[-k]), to = to, total = sum(rows$weight), start = start)
  model$scores <- function(b) {
    now <- derivatives(b)
    rows$weight * cbind(now$truth * unname(x), now$attention * unname(v))
  }
  model
}

# Value, score, information, and a curvature that is never indefinite, from the derivatives of the rows.
attention_state <- function(weight, now, x, v) {
  value <- sum(weight * now$loglik)
  if (!is.finite(value)) return(list(value = value))
  scores <- cbind(now$truth * x, now$attention * v)
  cross <- crossprod(x, weight * now$cross * v)
  observed <- rbind(cbind(crossprod(x, weight * now$curve * x), cross),
                    cbind(t(cross), crossprod(v, weight * now$bend * v)))
  list(value = value, gradient = colSums(weight * scores), observed = observed,
       fallback = crossprod(scores, weight * scores))
}

# Coefficients whose predictor is nearest to a constant.
project_constant <- function(x, value) unname(.lm.fit(x, rep(value, nrow(x)))$coefficients)

# Of each row in both linear predictors: log-likelihood, score and minus the second derivatives.
attention_derivatives <- function(rows, eta, zeta) {
  gamma <- plogis(zeta)
  slack <- plogis(-zeta)
  truth <- rows$curve$yes(eta)
  first <- rows$curve$derivative(eta, 1)
  second <- rows$curve$derivative(eta, 2)
  Reduce(function(sum, part) Map(`+`, sum, part), lapply(rows$factors, function(f) {
    attentive <- f$base + f$slope * truth
    share <- gamma * attentive + slack * f$chance
    of_truth <- gamma * f$slope * first / share
    of_attention <- gamma * slack * (attentive - f$chance) / share
    list(loglik = log(share), truth = of_truth, attention = of_attention,
         curve = of_truth^2 - gamma * f$slope * second / share,
         cross = of_truth * of_attention - gamma * slack * f$slope * first / share,
         bend = of_attention^2 - of_attention * (slack - gamma))
  }))
}

# ---- methods ----

#' @export
vcov.rr_glm_attention <- function(object, type = NULL, cluster = NULL, ...) {
  if (!length(object$infinite)) {
    type <- check_choice(type %||% if (object$by == "question" || !is.null(cluster)) "sandwich" else "observed", "type",
                         c("observed", "sandwich"))
  }
  vcov.rr_regression(object, type, cluster)
}

#' @export
anova.rr_glm_attention <- function(object, ...) {
  if (object$by == "question") {
    abort("Likelihood ratios need {.code attention.by = \"person\"}: two answers of a person may depend on each other.",
          "argument")
  }
  NextMethod()
}

#' @rdname predict.rr_glm
#' @export
predict.rr_glm_attention <- function(object, newdata = NULL, type = c("truth", "attention", "report", "link"), ...) {
  type <- check_choice(type)
  plain <- plain_fit(object)
  new <- prediction_rows(plain, newdata, type)
  attention <- if (is.null(newdata)) object$attention else {
    own <- object$estimate[startsWith(names(object$coefficients), "attention:")]
    plogis(drop(new_share_columns(object$shares, newdata) %*% own))
  }
  truth <- truth_curve(plain$link)$yes(new$eta)
  setNames(switch(type, truth = truth, link = new$eta, attention = attention, report = {
    chance <- object$anchor[[1]]$attention[["inattentive"]]
    attention * reported(plain$device, new$arm, truth) + (1 - attention) * chance
  }), new$names)
}

regression_reports.rr_glm_attention <- function(fit) fit$fixed$y

# At infinity the points are finite.
plain_fit.rr_glm_attention <- function(fit) {
  replaced_fit(fit$fixed, setNames(fit$estimate, names(fit$coefficients)), vcov(fit))
}
