#' Scrambled numbers: incomes, amounts, numbers of events
#'
#' A respondent draws cards in secret and reports a number that combines the cards and the truth. One law holds for all designs in the list. It gives the
#' mean and the variance of the truth, groups, regression and the whole distribution.
#'
#' A report is \eqn{z = A y + B}: the truth \eqn{y} with probability `truth`, otherwise \eqn{W y + U}, or \eqn{W (y + U)} with `inside = TRUE`. \eqn{W} is
#' a card of `multiply` and \eqn{U} a card of `add`. With \eqn{\alpha = E A}{alpha = E A} and \eqn{\beta = E B}{beta = E B} the score
#' \eqn{s = (z - \beta) / \alpha}{s = (z - beta) / alpha} has mean \eqn{y} and a variance
#' \eqn{v(y) = v_0 + v_1 y + v_2 y^2}{v(y) = v0 + v1 y + v2 y^2} that follows from the cards.
#'
#' * multiplied (Eichhorn and Hayre 1983): a report is \eqn{W y}; `multiply = W`.
#' * truth or multiplied (Bar-Lev, Bobovitch and Boukai 2004): a report is \eqn{y} or \eqn{W y}; `multiply = W, truth = p`.
#' * added (Pollock and Bek 1976; Himmelfarb and Edgell 1980): a report is \eqn{y + U}; `add = U`.
#' * truth or added: optional scrambling: a report is \eqn{y} or \eqn{y + U}; `add = U, truth = p`.
#' * Saha (2007): a report is \eqn{W (y + U)}; `multiply = W, add = U, inside = TRUE`.
#' * Diana and Perri (2010), first: a report is \eqn{y} or \eqn{W (y + U)}; `multiply = W, add = U, truth = p, inside = TRUE`.
#' * Diana and Perri (2010), second: a report is \eqn{W (b U + (1 - b) y)}; `multiply = (1 - b) * W, add = b * U / (1 - b), inside = TRUE`.
#' * two boxes (Chaudhuri and Christofides 2013): a report is \eqn{W y + U}; `multiply = W, add = U`.
#' * unrelated number (Greenberg, Kuebler, Abernathy and Horvitz 1971): a report is \eqn{y} or \eqn{U}; `multiply = 0, add = U, truth = p`.
#' * forced number (Eriksson 1973): a report is \eqn{y} or a fixed number; `multiply = 0, add = numbers, truth = p`.
#' * any of these with cards of unequal probability: `data.frame(value = , prob = )` for `W` or `U`.
#'
#' Optional randomized response with an unknown share of direct answers is not available.
#'
#' @section Estimates:
#' [rr_estimate()] returns the mean (the plain mean of the scores) and the variance of the truth (the variance of the scores less the variance due to the
#' cards). Both are unbiased, and the variance may be negative in small samples. The interval of the mean is normal. The interval of the variance is normal for the logarithm of the
#' variance of truth and cards together. If few respondents hold most of the variance no interval can hold:
#' `studies/scrambles.R` of the site has the coverage. `print()` says so if the standard error exceeds a quarter of that variance. With
#' `interval = "anytime"` the variance has no interval before the standard error is a tenth of it. `glance()` has `truth.share`, the truth's part of
#' the variance of the reports within groups; in this literature protection is one minus this part. With `target = "sample"` the standard error of the mean is due to the
#' cards alone. It is `NA` if its estimated variance is negative, or if all reports are alike. The standard error of the variance is then an upper bound.
#'
#' The mean of a score is the truth. Linear models of scores therefore need only robust standard errors: `lm(rr_score(z, mechanism) ~ x)`, and for survey
#' designs `survey::svymean(~rr_score(z, mechanism), design)`, `survey::svyby()` and `survey::svyglm()`. Categories have a score for each level.
#'
#' @section Distribution:
#' Cards are finite. If the truth has given levels, the reports are finite too, and `rr_channel(mechanism, levels = 0:10)` is their channel, for
#' `rr_estimate(method = "mle")`, [rr_quantile()] and [rr_glm()]. Reports are rounded at the 14th digit of the largest report. Numbers that were
#' computed elsewhere may need `round()` to match a report.
#'
#' @section Privacy:
#' Epsilon is infinite, because a report rules most truths out. If nothing is added, a report of 0 shows a truth of 0. Epsilon is finite only if every
#' report can come from every truth. An example is the unrelated number on its own levels: use [rr_unrelated()] with numbers as levels, and [rr_contrast()]
#' with these numbers for the mean.
#'
#' @param range Two increasing numbers: the smallest and the largest possible answer, fixed before any answer is seen. Answers outside give an error.
#' @param multiply,add The cards: a vector of numbers (each card is equally likely); a data frame with the columns `value` and `prob`; or
#'   `list(mean = , sd = , range = )` of a continuous device. Reports of a continuous device can be estimated, but neither drawn nor made a channel.
#' @param truth Number, at least 0 and below 1; default 0. Probability that the report is the truth.
#' @param inside Logical, default `FALSE`. Is the card of `add` added before multiplying?
#' @param x Reports.
#' @param mechanism A mechanism of `rr_scramble()` or [rr_mean()], or of one question with categories.
#' @param ... Must be empty.
#' @return `rr_scramble()`: a mechanism of class `c("rr_scramble", "rr_mean", "rr_mechanism")`. [rr_tally()] keeps the sums of four powers of its reports, as
#'   shares of their range. [rr_estimate()] returns an object of class `c("rr_mean_fit", "rr_estimates")` with the terms `mean` and `variance`.
#'   `rr_score()`: numbers whose expectation is the truth. For categories it is a matrix with a row for each report and a column for each level; the
#'   expectation is 1 in the column of the truth and 0 elsewhere. The means of the columns are the
#'   estimate of `method = "inv"`, except for [rr_bloom()], whose estimate weighs the bits.
#' @section Errors:
#' * `candor_error_argument`: cards or levels that are not numbers, probabilities that are negative or do not add up to 1, \eqn{\alpha = 0}{alpha = 0}, a
#'   `range` that does not increase.
#' * `candor_error_law`: scores of a mechanism that a validation study measured.
#' * `candor_error_level`: an answer outside the range. `candor_error_report`: a number that no answer can produce.
#' * Warning `candor_warning_reveals`: cards that hide nothing, or that show a truth of 0.
#' @references Bar-Lev, S. K., Bobovitch, E. and Boukai, B. (2004). A note on randomized response models for quantitative data. *Metrika* 60, 255-260.
#'   \doi{10.1007/s001840300308}
#'
#'   Diana, G. and Perri, P. F. (2010). New scrambled response models for estimating the mean of a sensitive quantitative character. *Journal of Applied
#'   Statistics* 37, 1875-1890. \doi{10.1080/02664760903186031}
#'
#'   Eichhorn, B. H. and Hayre, L. S. (1983). Scrambled randomized response methods for obtaining sensitive quantitative data. *Journal of Statistical
#'   Planning and Inference* 7, 307-316. \doi{10.1016/0378-3758(83)90002-2}
#'
#'   Eriksson, S. A. (1973). A new model for randomized response. *International Statistical Review* 41, 101-113.
#'
#'   Greenberg, B. G., Kuebler, R. R., Abernathy, J. R. and Horvitz, D. G. (1971). Application of the randomized response technique in obtaining quantitative data. *Journal of the American Statistical
#'   Association* 66, 243-250. \doi{10.1080/01621459.1971.10482248}
#'
#'   Pollock, K. H. and Bek, Y. (1976). A comparison of three randomized response models for quantitative data. *Journal of the American Statistical
#'   Association* 71, 884-886. \doi{10.1080/01621459.1976.10480963}
#'
#'   Saha, A. (2007). A simple randomized response technique in complex surveys. *Metron* 65, 59-66.
#' @seealso [rr_mean()], which has a finite epsilon; [survey_designs]; `articles/numbers.html` of the site.
#' @concept scrambled response
#' @concept quantitative randomized response
#' @concept unrelated question for amounts
#' @concept optional randomized response
#' @concept income
#' @concept additive and multiplicative noise
#' @examples
#' # What is the mean monthly income, in hundreds? One card multiplies it,
#' # another is added
#' mechanism <- rr_scramble(c(0, 60), multiply = c(0.5, 1, 1.5),
#'                          add = c(0, 5, 10))
#' set.seed(1)
#' town <- rep(0:1, 1000)
#' income <- round(pmin(rgamma(2000, 3, 0.2) + 5 * town, 60))
#' reports <- rr_perturb(income, mechanism, rng = "R")
#' fit <- rr_estimate(reports, mechanism)
#' tidy(fit, conf.int = TRUE)   # 17.9 (17.3 to 18.4)
#' c(mean(income), var(income))   # the truth: 17.7 and 82
#' # How much more do people in town earn? Regression by the scores
#' coef(lm(rr_score(reports, mechanism) ~ town))   # 5.3
#' # The distribution of the number of children
#' children <- rr_scramble(c(0, 4), multiply = c(1, 2), add = c(1, 3))
#' truth <- rep(0:4, c(500, 300, 200, 60, 40))
#' reports <- rr_perturb(truth, children, rng = "R")
#' fit <- rr_estimate(reports, rr_channel(children, levels = 0:4))
#' tidy(fit, conf.int = TRUE)   # none: 0.47
#' @export
rr_scramble <- function(
  range,
  multiply = 1,
  add = 0,
  truth = 0,
  inside = FALSE,
  ...
) {
  check_dots_empty(...)
  check_answer_range(range)
  cards <- list(multiply = read_cards(multiply, "multiply"), add = read_cards(add, "add"))
  truth <- check_number(truth, "truth", 0, 1, max_open = TRUE)
  check_flag(inside, "inside")
  moments <- scramble_moments(cards$multiply, cards$add, truth, inside)
  check_that(
    abs(moments$alpha) > 1e-12 * max(truth, abs(cards$multiply$range)),
    moments$alpha, "multiply", "cards that do not multiply the truth by 0 on average"
  )
  w <- cards$multiply
  u <- cards$add
  warn_revealing(w, u, truth, range)
  # Reports are linear in each of their terms, so that they are extreme at the limits of these.
  extremes <- expand.grid(y = range, w = w$range, u = u$range)
  reports <- if (inside) {
    extremes$w * (extremes$y + extremes$u)
  } else {
    extremes$w * extremes$y + extremes$u
  }
  design <- paste0(
    "Scrambled number from ", range_words(range), " (",
    if (truth > 0) sprintf("the truth with probability %s, else ", format(truth, digits = 4)),
    if (inside) "multiply * (y + add))" else "multiply * y + add)"
  )
  with_recipe(
    new_rr_mechanism(
      c("scramble", "mean"),
      "mean",
      reports = paste("sum of", c("shares", "squares", "cubes", "fourth powers")),
      epsilon = Inf,
      design = design,
      range = as.double(range),
      cards = cards,
      truth = truth,
      inside = inside,
      moments = moments,
      codec = report_codec(range = range(reports, if (truth > 0) range)),
      on_levels = scrambled_channel,
      law = new_rr_law("scramble", "a report is a number that cards make of the truth", truths = 1)
    ),
    "rr_scramble", range = range, multiply = card_argument(multiply), add = card_argument(add),
    truth = truth, inside = inside, fields = NULL
  )
}

warn_revealing <- function(w, u, truth, range) {
  is_constant <- diff(w$range) == 0 && diff(u$range) == 0
  is_truth <- w$range[1] == 1 && u$range[1] == 0
  if (is_constant && (truth == 0 || is_truth)) {
    warn("These cards hide nothing: every report is the same function of the truth.", "reveals")
  } else if (all(u$range == 0) && prod(range) <= 0 &&
      !any(w$value == 0)) {
    warn("These cards show a truth of 0: its report is 0, and no other truth's is.", "reveals")
  }
}

# The cards as files hold them: a data frame as the list of its columns.
card_argument <- function(x) if (is.list(x)) lapply(as.list(x), as.double) else x

# The cards: values with their probabilities (NULL if each is as likely as another) and their
# moments. A continuous device has the moments alone.
read_cards <- function(x, arg) {
  numbers <- function(x) is_numbers(x) && length(x) && all(is.finite(x))
  if (is.list(x) && setequal(names(x), c("mean", "sd", "range"))) {
    # The variance of numbers in a range is at most (largest - mean) (mean - least).
    n_fields <- unname(lengths(x[c("mean", "sd", "range")]))
    is_valid <- numbers(unlist(x)) && identical(n_fields, c(1L, 1L, 2L)) &&
      x$sd >= 0 && x$sd^2 <= (x$range[2] -
        x$mean) * (x$mean - x$range[1]) * (1 + 1e-9)
    check_that(
      is_valid, x, arg, "the {.field mean} and {.field sd} of numbers in their {.field range}"
    )
    return(list(
      mean = as.double(x$mean),
      variance = as.double(x$sd)^2,
      range = as.double(x$range)
    ))
  }
  prob <- if (is.list(x)) check_probabilities(x$prob, arg)
  value <- if (is.list(x)) x$value else x
  check_that(
    numbers(value), value, arg,
    "cards: numbers, {.field value} and {.field prob}, or a device's moments"
  )
  has_prob <- length(prob) == length(value) && abs(sum(prob) - 1) <= 1e-8
  is_valid <- is.null(prob) || has_prob
  check_that(is_valid, prob, arg, "cards with a probability each, which add up to 1")
  value <- as.double(value)
  weight <- prob %||% rep(1 / length(value), length(value))
  mean <- sum(weight * value)
  list(
    value = value,
    prob = prob,
    mean = mean,
    variance = sum(weight * (value - mean)^2),
    range = range(value)
  )
}

# The moments of a report A y + B:
#   alpha, beta   the means of A and B
#   v             the three numbers of Var(score | y) = v[1] + v[2] y + v[3] y^2
scramble_moments <- function(w, u, truth, inside) {
  cards <- c(u, covariance = 0)
  if (inside) {
    cards <- list(
      mean = w$mean * u$mean,
      covariance = w$variance * u$mean,
      variance = w$variance * (u$variance + u$mean^2) +
        w$mean^2 * u$variance
    )
  }
  alpha <- truth + (1 - truth) * w$mean
  # A mixture with (A, B) = (1, 0) adds truth (1 - truth) times the products of the distances of the
  # means.
  mixed <- function(within, between) {
    (1 - truth) * (within + truth * between) / alpha^2
  }
  list(
    alpha = alpha,
    beta = (1 - truth) * cards$mean,
    v = c(
      mixed(cards$variance, cards$mean^2),
      2 * mixed(cards$covariance, (w$mean - 1) * cards$mean),
      mixed(w$variance, (w$mean - 1)^2)
    )
  )
}

#' @rdname rr_scramble
#' @export
rr_score <- function(x, mechanism, ...) {
  check_dots_empty(...)
  refuse_validated(check_mechanism(mechanism), "{.fn rr_score}")
  if (!isTRUE(mechanism$codec$real)) {
    scores <- score_reader(mechanism, "x")(x)
    colnames(scores) <- mechanism$levels
    return(scores)
  }
  if (!is_numbers(x)) abort_form(x, "numbers")
  report_shares(x, mechanism)
  read_scores(x, mechanism)
}

achieved.rr_scramble <- function(mechanism) list(epsilon = Inf)

# ---- respondents ----

#' @export
prepare_answers.rr_scramble <- function(mechanism, x) {
  NextMethod()
  as.double(x)
}

draw_reports.rr_scramble <- function(mechanism, answers, rng = "secure") {
  cards <- finite_cards(mechanism)
  n <- length(answers)
  w <- draw_cards(cards$multiply, n, rng)
  u <- draw_cards(cards$add, n, rng)
  reports <- if (mechanism$inside) w * (answers + u) else w * answers + u
  is_truth <- draw_coins(n, mechanism$truth, 1 - mechanism$truth, rng)
  reports[is_truth] <- answers[is_truth]
  round_reports(reports, mechanism)
}

decode_answers.rr_scramble <- function(mechanism, reports, x) setNames(reports, names(x))

draw_cards <- function(cards, n, rng) {
  if (is.null(cards$prob)) {
    return(cards$value[draw_uniform(n, length(cards$value), rng) + 1])
  }
  k <- length(cards$value)
  if (k == 1L || n == 0) return(rep(cards$value[1], n))
  plan <- list(kind = "innocuous", numbers = c(0, cards$prob))
  cards$value[
    draw_plan(rep(1L, n), plan, c(k, k), rng)
  ]
}

client_plan.rr_scramble <- function(mechanism) {
  if (all(mechanism$moments$v == 0)) refuse_client(mechanism, "Its cards hide nothing.")
  cards <- lapply(finite_cards(mechanism), function(cards) {
    k <- as.double(length(cards$value))
    numbers <- c(0, cards$prob %||% rep(1 / k, k))
    words <- if (k > 1) {
      .Call(C_rr_plan_words, c(k, k), plan_kind(list(kind = "innocuous")), numbers)$words
    }
    list(
      values = I(cards$value),
      cuts = list(I(as.character(words[seq_len(k - 1)])))
    )
  })
  new_plan(
    "cards",
    mechanism,
    low = mechanism$range[1],
    high = mechanism$range[2],
    multiply = cards$multiply,
    add = cards$add,
    inside = mechanism$inside,
    lie = coin_words(mechanism$truth, 1 - mechanism$truth),
    digits = max(0, report_digits(mechanism)),
    decimals = number_decimals(c(mechanism$range, cards$add$values)),
    levels = character()
  )
}

# The most decimals of any of the numbers. Cards do not hide further decimals of an answer.
number_decimals <- function(x) {
  text <- format(x, digits = 15, scientific = FALSE)
  max(nchar(sub("^[^.]*[.]?", "", text)))
}

finite_cards <- function(mechanism) {
  finite <- lengths(lapply(mechanism$cards, `[[`, "value")) > 0
  if (!all(finite)) {
    abort("{.arg {names(finite)[!finite][1]}} must be cards, not a continuous device.")
  }
  mechanism$cards
}

# The pairs of a card that multiplies and a card that is added:
#   multiply, add   their numbers
#   prob            the probability that a respondent draws them, (1 - truth) P(w) P(u)
card_pairs <- function(mechanism) {
  cards <- finite_cards(mechanism)
  prob <- function(cards) {
    cards$prob %||% rep(1 / length(cards$value), length(cards$value))
  }
  card_probs <- as.vector(outer(prob(cards$multiply), prob(cards$add)))
  list(
    multiply = rep(cards$multiply$value, length(cards$add$value)),
    add = rep(cards$add$value, each = length(cards$multiply$value)),
    prob = (1 - mechanism$truth) * card_probs
  )
}

# The reports without the last digits of doubles, so that equal products are equal reports.
round_reports <- function(x, mechanism) round(x, report_digits(mechanism))

report_digits <- function(mechanism) {
  14 -
    ceiling(log10(max(abs(c(mechanism$codec$range, mechanism$range)))))
}

# ---- the channel on given levels ----

scrambled_channel <- function(mechanism, levels) {
  pairs <- card_pairs(mechanism)
  range <- mechanism$range
  is_valid <- is_numbers(levels) && length(levels) > 1L && !anyDuplicated(levels) &&
    all(levels >= range[1] & levels <= range[2])
  check_that(is_valid, levels, "levels", "different numbers of its range")
  w <- pairs$multiply
  u <- pairs$add
  probs <- c(pairs$prob, mechanism$truth)
  reports_of <- function(y) {
    c(if (mechanism$inside) w * (y + u) else w * y + u, y)
  }
  values <- vapply(as.double(levels), reports_of, numeric(length(probs)))
  values <- round_reports(values, mechanism)
  possible <- probs > 0
  reports <- sort(unique(as.vector(values[possible, ])))
  if (length(reports) < 2L) abort("These cards give the same report for all {.arg levels}.")
  check_report_number(mechanism, length(reports))
  C <- t(apply(values[possible, , drop = FALSE], 2, function(z) {
    group_sums(probs[possible], match(z, reports), length(reports))
  }))
  list(matrix = C, levels = as.double(levels), reports = reports)
}

# Each card of a report explains it by another number. `guess` is the
# probability of the truth given its report if all numbers of the range are equally likely. At most
# 500 numbers are looked at, the ends of the range among them.
report_evidence.rr_scramble <- function(mechanism) {
  pairs <- card_pairs(mechanism)
  w <- pairs$multiply
  u <- if (mechanism$inside) w * pairs$add else pairs$add
  p <- pairs$prob
  if (mechanism$truth > 0) {
    w <- c(w, 1)
    u <- c(u, 0)
    p <- c(p, mechanism$truth)
  }
  # A card of 0 hides the truth: its reports explain nothing.
  used <- w != 0
  w <- w[used]
  u <- u[used]
  p <- p[used]
  weight <- p / abs(w)
  low <- mechanism$range[1]
  high <- mechanism$range[2]
  tolerance <- 1e-9 * (high - low)
  evidence <- vapply(
    evidence_truths(w, u, low, high),
    function(x) {
      explained <- explaining_numbers(w * x + u, w, u)
      possible <- explained > low - tolerance & explained < high + tolerance
      is_truth <- possible & abs(explained - x) < tolerance
      total <- drop(possible %*% weight)
      true <- drop(is_truth %*% weight)
      c(
        sum(p * true / total),
        sum(p[rowSums(possible & !is_truth) == 0])
      )
    },
    numeric(2)
  )
  list(guess = max(evidence[1, ]), certain = max(evidence[2, ]))
}

# The numbers (report - u) / w that explain reports, a row for each report and a column for each
# pair of cards w and u.
explaining_numbers <- function(reports, w, u) {
  sweep(outer(reports, u, `-`), 2, w, `/`)
}

# The truths whose reports are looked at: the ends of the range, and one number between each two at
# which the cards that explain a report change, because one of them reaches an end; at most 500.
evidence_truths <- function(w, u, low, high) {
  extremes <- c(w * low + u, w * high + u)
  changes <- c(low, high, explaining_numbers(extremes, w, u))
  changes <- unique(sort(pmin(high, pmax(low, changes))))
  truths <- c(low, high, head(changes, -1) + diff(changes) / 2)
  index <- seq(1, length(truths), length.out = min(500, length(truths)))
  truths[unique(round(index))]
}
