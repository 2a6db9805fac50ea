#' A family for `glm()` and other models of randomized answers
#'
#' With this family R's own models can be fitted to randomized yes/no answers: [stats::glm()], `survey::svyglm()`,
#' `lme4::glmer()`, `mgcv::gam()` and `bam()`. The truth follows the model with the chosen link. The report is "yes"
#' with probability \eqn{\mu = q + (p - q) F(\eta)}{mu = q + (p - q) F(eta)}.
#'
#' * The fitted and predicted *response* is the report. The truth is \eqn{F(\eta)}{F(eta)} of the linear predictor, such as `plogis(predict(fit))`. A slope of the truth is the slope of the
#'   report divided by \eqn{p - q}.
#' * [rr_glm()] gives the truth directly and is more reliable: `glm()` has no step control and can miss the maximum in small surveys. For more than five digits give
#'   `glm()` the argument `control = list(epsilon = 1e-14)`.
#' * For a random intercept use [rr_glm()] with `(1 | id)`, see [random_intercept]. The quadrature of `glmer()` is wrong for randomized answers, often without a warning. For random slopes use
#'   `glmer()` and raise `nAGQ` until the log-likelihood does not change.
#' * The link is named `"rr(logit)"`, because with a link named "logit" `glmer()` would fit ordinary logistic regression. Package 'parameters' therefore labels exponentiated coefficients "risk
#'   ratios"; with `link = "logit"` they are odds ratios.
#' * Mechanisms that differ between rows need [rr_glm()]. So do mechanisms of a validation study and dealt answers, which are refused: a family has no place
#'   for the error of the study, nor for blocks.
#'
#' @param mechanism How the answers were randomized: a mechanism of two categories and two reports.
#' @param link Link of the truth: `"logit"` (default), `"probit"`, `"cloglog"`, `"cauchit"`, `"log"` or `"identity"`.
#' @param quasi Logical, default `FALSE`. Estimate the dispersion, as [stats::quasibinomial()]? Survey software needs this.
#' @param ... Not used; further arguments give an error.
#' @return An object of class `family` with the further elements `mechanism`, `p`, `q` and `truth` (the name of the link).
#'   Responses may be 0 and 1, logical, a factor or text with the mechanism's labels, shares with weights, or a matrix of two
#'   columns (yes, no).
#' @section Errors:
#' `candor_error_argument`, `candor_error_law` (a validation study, dealt answers), `candor_error_no_information` (reports do not depend on the truth), `candor_error_level`. See [candor_conditions].
#' @references van den Hout, A., van der Heijden, P. G. M. and Gilchrist, R. (2007). The logistic regression model with response variables
#'   subject to randomized response. *Computational Statistics & Data Analysis* 51(12), 6060-6069.
#'   \doi{10.1016/j.csda.2006.12.002}
#' @seealso [rr_glm()].
#' @concept generalized linear model
#' @concept link function
#' @examples
#' # What is the prevalence of plagiarism in semesters 1 and 8?
#' fit <- glm(plagiarism ~ semester, rr_family(rr_forced(1 / 6)),
#'            exam_simulated)
#' plogis(predict(fit, data.frame(semester = c(1, 8))))
#' # 18% and 29%
#' @export
rr_family <- function(mechanism, link = "logit", quasi = FALSE, ...) {
  check_dots_empty(...)
  refuse_validated(check_mechanism(mechanism), "{.fn rr_family}")
  refuse_dealt(mechanism, "{.fn rr_family}")
  device <- regress_device(mechanism)
  # glm() begins anew from its numbers, which are of the second level: 1 must be "yes" there.
  check_no_first(mechanism$levels)
  new_regress_family(device, mechanism, mechanism$levels, check_choice(link, "link", regress_links),
                     check_flag(quasi, "quasi"))
}

# `device` is one, or one for each row that was fitted: then the family is of those rows only.
new_regress_family <- function(device, mechanism, labels, link, quasi = FALSE) {
  device <- as.matrix(device)
  family <- if (quasi) quasibinomial() else binomial()
  curve <- regress_link(device[1, ], device[2, ], device[5, ], link)
  family[names(curve)] <- curve
  family$validmu <- function(mu) {
    all(is.finite(mu)) && all(mu >= 0 & mu <= 1)
  }
  family$mechanism <- mechanism
  p <- family$p <- device[1, ]
  q <- family$q <- device[2, ]
  start <- function(y) {
    unname(
      q + (p - q) * (0.25 +
        0.5 * ((p > q) * y + (p < q) * (1 - y)))
    )
  }
  # glm() and its kin evaluate this in their frame: it makes y, weights, n and mustart.
  family$initialize <- as.expression(bquote({
    rr_response <- .(regress_response)(y, .(labels), weights)
    y <- rr_response$y
    weights <- rr_response$weights
    n <- rr_response$n
    mustart <- .(start)(y)
    rm(rr_response)
  }))
  family$truth <- link
  family
}

regress_link <- function(p, q, d, link) {
  curve <- truth_curve(link)
  # How far a linear predictor may go before its truth is 0 or 1 to rounding; beyond, iterations of
  # other packages run away.
  range <- switch(
    link,
    log = c(-35, 0),
    identity = c(0, 1),
    cauchit = c(-1e8, 1e8),
    c(-35, 35)
  )
  least <- .Machine$double.eps
  eta_of <- function(mu) {
    curve$inverse(pmin(1 - least, pmax(least, (mu - q) / d)))
  }
  c(
    list(
      link = sprintf("rr(%s)", link),
      linkfun = eta_of,
      linkinv = function(eta) {
        mu <- p * curve$yes(eta) + q * curve$no(eta)
        pmin(1 - least, pmax(least, mu))
      },
      mu.eta = function(eta) d * curve$derivative(eta, 1),
      valideta = function(eta) {
        all(is.finite(eta)) && all(eta >= range[1] & eta <= range[2])
      }
    ),
    link_derivatives(function(mu, k) d * curve$derivative(eta_of(mu), k))
  )
}

# Derivatives of the linear predictor by the report, from the derivatives of the report by the
# linear predictor: mgcv needs them.
link_derivatives <- function(h) {
  list(
    d2link = function(mu) -h(mu, 2) / h(mu, 1)^3,
    d3link = function(mu) {
      (3 * h(mu, 2)^2 -
        h(mu, 1) * h(mu, 3)) / h(mu, 1)^5
    },
    d4link = function(mu) {
      (-15 * h(mu, 2)^3 +
        10 * h(mu, 1) * h(mu, 2) * h(mu, 3) -
        h(mu, 1)^2 * h(mu, 4)) / h(mu, 1)^7
    }
  )
}

# ---- reports ----

# The reports of data as regress_response() reads them. Numbers of data are shares of the category
# called yes, which may be the first; columns of counts without its name begin with it.
read_response <- function(y, labels, weights = NULL) {
  if (is_reversed(labels)) {
    if (is.matrix(y) && !setequal(colnames(y), labels)) {
      y <- y[, rev(seq_len(ncol(y))), drop = FALSE]
    } else if (is.numeric(y) && is.null(dim(y)) && !is.object(y)) {
      y <- 1 - y
    }
  }
  regress_response(y, labels, weights)
}

# Any form of a response as a share of the second level with its number of answers. `n` is what
# binomial()'s aic() wants.
regress_response <- function(y, labels, weights = NULL) {
  if (is.matrix(y) || is.data.frame(y)) {
    return(counted_response(as.matrix(y), labels, weights))
  }
  if (is_labelled(y)) y <- labelled_reports(y, list(reports = labels))
  if (is.factor(y) || is.character(y)) {
    index <- match_labels(as.character(y), list(reports = labels, bits = no_yes_index(labels)))
    unmatched <- y[is.na(index) & !is.na(y)]
    if (length(unmatched)) {
      abort(
        c(
          "Reports must be labels of the mechanism, {format_labels(labels)}.",
          x = "One is {.val {as.character(unmatched[1])}}.",
          i = empty_words(unmatched)
        ),
        c("level", "input")
      )
    }
    y <- index == 2L
  } else if (is.logical(y)) {
    y <- y == (no_yes_index(labels)[["yes"]] == 2L)
  }
  check_that(
    is.logical(y) || is.numeric(y), y, "response",
    "reports: 0 and 1, logical values, labels, or counts in two columns", c("argument", "input")
  )
  y <- as.double(y)
  check_that(
    all(y >= 0 & y <= 1, na.rm = TRUE), y, "response",
    "0 or 1, or shares of {.arg weights} answers", c("level", "input")
  )
  list(
    y = y,
    weights = weights %||% rep(1, length(y)),
    n = rep(1, length(y))
  )
}

# The response from the numbers of yes and of no.
counted_response <- function(y, labels, weights) {
  check_that(
    ncol(y) == 2L && is.numeric(y) && all(y >= 0 & is.finite(y)),
    y, "response", "the numbers of yes and of no: {.code cbind(yes, no)}", c("argument", "input")
  )
  # Names that are the labels say which column is which; without them yes comes first, as with
  # binomial().
  y <- unname(
    if (setequal(colnames(y), labels)) {
      y[, rev(labels), drop = FALSE]
    } else {
      y
    }
  )
  n <- y[, 1] + y[, 2]
  list(
    y = ifelse(n > 0, y[, 1] / n, 0),
    weights = (weights %||% rep(1, nrow(y))) * n,
    n = n
  )
}

# ---- mechanisms ----

# A regression needs from a mechanism the two probabilities of "yes", with their complements and
# their difference in all digits.
regress_device <- function(mechanism, arg = "mechanism") {
  check_mechanism(mechanism, arg)
  # The device of one answer by itself, if answers are dealt to blocks.
  mechanism <- mechanism$marginal %||% mechanism
  check_that(length(mechanism$levels) == 2L && length(mechanism$reports) == 2L, mechanism, arg,
             "of a yes/no question, else see {.fn rr_multinom}")
  check_that(
    has_categories(mechanism), mechanism, arg, "of answers of a yes/no question",
    c("law", "argument")
  )
  matrix <- unname(rr_matrix(mechanism))
  p <- matrix[2, 2]
  q <- matrix[1, 2]
  # The difference between the smaller numbers has lost fewer digits.
  difference <- mechanism$p_minus_q %||% (if (p + q < 1) {
    p - q
  } else {
    matrix[1, 1] - matrix[2, 1]
  })
  if (abs(difference) < 1e-14) {
    abort(
      c(
        "Nothing can be learned from reports of {.arg {arg}}.",
        x = paste(
          "They are {.val {mechanism$reports[2]}} with probability",
          "{format(q, digits = 6)} whatever the truth."
        )
      ),
      c("no_information", "argument")
    )
  }
  c(
    p = p, q = q, p_no = matrix[2, 1],
    q_no = matrix[1, 1], d = difference
  )
}

fit_mechanisms <- function(fit) {
  if (inherits(fit$mechanism, "rr_mechanism")) {
    list(fit$mechanism)
  } else {
    unname(as.list(fit$mechanism))
  }
}

# One mechanism, or a named list of them and the name of the one of each row.
regress_devices <- function(mechanism, arm, n) {
  index <- NULL
  if (inherits(mechanism, "rr_mechanism") || !is.list(mechanism)) {
    mechanism <- list(mechanism = mechanism)
  } else {
    index <- match_arms(arm, names(mechanism), n)
  }
  for (one_mechanism in mechanism) check_mechanism(one_mechanism)
  # A yes/no question has two truths. They are split into latent classes
  # if the design has an unknown number.
  unknown <- vapply(mechanism, has_unknown, NA)
  labels <- unique(unname(Map(`[[`, mechanism, ifelse(unknown, "reports", "levels"))))
  if (length(labels) > 1L) abort("The mechanisms must have the same two labels.", "mismatch")
  device <- vapply(names(mechanism), function(name) {
    if (unknown[[name]]) numeric(5) else regress_device(mechanism[[name]], name)
  }, numeric(5))
  list(
    mechanisms = mechanism,
    arm = index,
    labels = labels[[1]],
    unknown = if (any(unknown)) unknown_devices(mechanism, device),
    parameter = if (any(unknown)) {
      names(mechanism[unknown][[1]]$parameters)[2]
    },
    device = if (!any(unknown)) unname(device)
  )
}

# list(formula, mechanisms, arm) of a formula whose right side makes a mechanism from the columns of
# a row: one mechanism for each combination of their values, and the name of that of each row. NULL
# if `mechanism` is no formula.
row_mechanisms <- function(mechanism, data, arm) {
  if (!inherits(mechanism, "formula")) return(NULL)
  check_one_sided(mechanism, "mechanism")
  check_class(data, "data", "data.frame", "a data frame, or a survey design")
  if (!is.null(arm)) abort("{.arg arm} must not be given with a formula as {.arg mechanism}.")
  labels <- formula_labels(mechanism, data)
  first <- which(!duplicated(labels) & !is.na(labels))
  columns <- formula_columns(mechanism, data)
  mechanisms <- lapply(first, function(row) {
    values <- lapply(columns, `[`, row)
    one_mechanism <- tryCatch(
      eval(mechanism[[2]], values, environment(mechanism)),
      candor_error = function(e) rlang::cnd_signal(e),
      error = function(e) {
        abort(c(
          "{.arg mechanism} must make a mechanism of each row.", x = "{conditionMessage(e)}."
        ))
      }
    )
    check_mechanism(one_mechanism)
  })
  list(formula = mechanism, mechanisms = setNames(mechanisms, labels[first]), arm = labels)
}

# The columns of `data` that a formula of mechanisms reads.
formula_columns <- function(formula, data) {
  as.list(data)[intersect(all.vars(formula), names(data))]
}

# The name of the mechanism of each row: the values of its columns, to the last digit. It is NA if
# one is missing.
formula_labels <- function(formula, data) {
  columns <- formula_columns(formula, data)
  if (!length(columns)) abort("{.arg mechanism} must be a formula of columns of {.arg data}.")
  texts <- Map(function(values, name) {
    text <- if (is.numeric(values)) number_text(values) else as.character(values)
    ifelse(is.na(values), NA, paste(name, text, sep = " = "))
  }, columns, names(columns))
  labels <- do.call(paste, c(unname(texts), sep = ", "))
  replace(labels, !complete.cases(data.frame(columns)), NA)
}

# The call with the mechanism of each row, for its model frame.
with_row_arms <- function(call, by_row) {
  if (!is.null(by_row)) call$arm <- by_row$arm
  call
}

match_arms <- function(arm, names, n) {
  check_that(
    length(arm) == n && !is.null(names) && !anyDuplicated(names), arm, "arm",
    "the name of each row's mechanism, in a list of mechanisms with different names"
  )
  index <- match(label_text(arm), names)
  unmatched <- as.character(arm)[is.na(index)]
  if (length(unmatched)) {
    abort(
      paste(
        "Every {.arg arm} must be the name of a mechanism, {.val",
        "{names}}, and not {.val {unmatched[1]}}."
      ),
      "mismatch"
    )
  }
  index - 1L
}

# The column of each row's device.
row_arms <- function(arm, n) {
  if (is.null(arm)) rep_len(1L, n) else arm + 1L
}

# P(yes | yes) and P(yes | no) of each row.
row_device <- function(device, arm, n) {
  rows <- row_arms(arm, n)
  list(
    p = device[1, rows],
    q = device[2, rows],
    d = device[5, rows]
  )
}

# The probability of a report of yes in rows (of a matrix) with these truths.
reported <- function(device, arm, truth) {
  row <- row_device(device, arm, NROW(truth))
  row$q + row$d * truth
}

# ---- links of the truth ----

# R's link functions with derivatives up to the fourth, which mgcv needs.
truth_curve <- function(link) truth_curves[[link]]

logit_curve <- list(
  inverse = qlogis,
  yes = plogis,
  no = function(eta) plogis(-eta),
  derivative = function(eta, k) {
    share <- plogis(eta)
    f <- dlogis(eta)
    switch(
      k,
      f,
      f * (1 - 2 * share),
      f * (1 - 6 * f),
      f * (1 - 2 * share) * (1 - 12 * f)
    )
  }
)

probit_curve <- list(
  inverse = qnorm,
  yes = pnorm,
  no = function(eta) pnorm(-eta),
  derivative = function(eta, k) {
    f <- dnorm(eta)
    switch(
      k,
      f,
      -eta * f,
      (eta^2 - 1) * f,
      (3 * eta - eta^3) * f
    )
  }
)

cloglog_curve <- list(
  inverse = function(pi) log(-log1p(-pi)),
  yes = function(eta) -expm1(-exp(eta)),
  no = function(eta) exp(-exp(eta)),
  derivative = function(eta, k) {
    r <- pmin(exp(eta), 745)
    exp(-r) * r * switch(
      k,
      1,
      1 - r,
      1 - 3 * r + r^2,
      1 - 7 * r + 6 * r^2 - r^3
    )
  }
)

cauchit_curve <- list(
  inverse = qcauchy,
  yes = pcauchy,
  no = function(eta) pcauchy(-eta),
  derivative = function(eta, k) {
    s <- 1 + eta^2
    switch(
      k,
      1 / s,
      -2 * eta / s^2,
      (6 * eta^2 - 2) / s^3,
      24 * eta * (1 - eta^2) / s^4
    ) / pi
  }
)

log_curve <- list(
  inverse = log,
  yes = exp,
  no = function(eta) -expm1(eta),
  derivative = function(eta, k) exp(eta)
)

identity_curve <- list(
  inverse = identity,
  yes = identity,
  no = function(eta) 1 - eta,
  derivative = function(eta, k) {
    rep(if (k == 1) 1 else 0, length(eta))
  }
)

truth_curves <- list(
  logit = logit_curve,
  probit = probit_curve,
  cloglog = cloglog_curve,
  cauchit = cauchit_curve,
  log = log_curve,
  identity = identity_curve
)

regress_links <- names(truth_curves)

# ---- designs with an unknown number: the probabilities of each group are linear in it ----

has_unknown <- function(mechanism) !is.null(mechanism$lines)

# The lines p0 + p1 psi and q0 + q1 psi of each mechanism, a column each; those of a known design
# have no slope. The last line is the probability of what else the device says, which only an anchor
# question does.
unknown_devices <- function(mechanisms, devices) {
  unknown <- Filter(has_unknown, mechanisms)
  if (length(unique(lapply(unknown, class))) != 1L) {
    abort("The mechanisms must share one unknown number.", "mismatch")
  }
  lines <- vapply(
    seq_along(mechanisms),
    function(k) {
      c(
        if (has_unknown(mechanisms[[k]])) {
          unname(mechanisms[[k]]$lines)
        } else {
          c(devices[1, k], 0, devices[2, k], 0)
        },
        1, 0
      )
    },
    numeric(6)
  )
  if (nrow(unique(t(lines))) < 2L) {
    abort("The unknown number needs two groups whose mechanisms differ in {.arg p}.", c(
      "no_information", "argument"
    ))
  }
  lines
}

# The devices at psi, a column each: probabilities of a report, given the answer to the other
# question.
unknown_at <- function(lines, psi) {
  other <- other_answer(lines, psi)
  p_other <- ifelse(other > 0, other, 1)
  share <- function(start, slope) {
    clamp((start + slope * psi) / p_other)
  }
  rbind(
    share(lines[1, ], lines[2, ]),
    share(lines[3, ], lines[4, ]),
    share(
      lines[5, ] - lines[1, ], lines[6, ] - lines[2, ]
    ),
    share(
      lines[5, ] - lines[3, ], lines[6, ] - lines[4, ]
    ),
    (lines[1, ] - lines[3, ] +
      (lines[2, ] - lines[4, ]) * psi) / p_other
  )
}

# The probability of the answer to the other question.
other_answer <- function(lines, psi) lines[5, ] + lines[6, ] * psi
