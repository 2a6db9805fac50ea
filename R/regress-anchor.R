# An anchor question has a known truth: its reports show how many respondents ignore the
# instructions.

#' Anchor question: estimate the share of inattentive respondents
#'
#' An anchor question reveals respondents who do not read or follow the instructions. It has the form of the sensitive question, but its true share of yes is known: usually nobody ("I
#' was born on the moon"). If more reports are yes than the design allows, some respondents are inattentive. Such respondents bias the estimates of the sensitive question.
#'
#' The truths of this mechanism are `attentive` and `inattentive`. [rr_estimate()] of its reports gives the share of both.
#'
#' With both reports of each respondent there are three ways to correct the sensitive question:
#'
#' * `rr_estimate(data, mechanism, column = c("question", "anchor"), anchor = )` estimates prevalence and attention by moments, see *The corrected prevalence*.
#' * [rr_glm()] with `anchor = ` and `attention = ~ x` is a regression of the truth beside a regression of attention.
#' * [rr_glm()] with `anchor = ` alone has one share of inattentive persons.
#'
#' If a survey has several anchor questions, each question names its own.
#'
#' @section The corrected prevalence:
#' If a share \eqn{\gamma} is attentive, `yes` is reported with probability \eqn{\gamma (q + d \pi) + (1 - \gamma) c}{gamma (q + d pi) + (1 - gamma) c} to the sensitive question and
#' with probability \eqn{\gamma a + (1 - \gamma) c}{gamma a + (1 - gamma) c} to the anchor question. Two shares of reports give \eqn{\gamma} and the prevalence \eqn{\pi}{pi}. Both questions must have the same *share* of attentive
#' respondents; the same persons are not needed. `data` is a data frame or a survey design ([survey_designs]); groups (`by`), `weights` and `count` are as in [rr_estimate()].
#'
#' The result is of class `c("rr_attention", "rr_estimates")` with the terms of the question and `attentive`. The interval of the prevalence holds the values that both shares of reports make likely, by their
#' covariance (Fieller's method; the \eqn{t} quantile for designs). The interval of attention is Wilson's. Method `"mle"` (default) holds estimates at 0 and 1; `"inv"` does not. A share of attentive respondents of at
#' most 0 is an error. If more than all seem attentive, `"mle"` takes everybody for attentive, and the interval is widened to contain that estimate. Answers to one of the
#' questions that no shares of yes make likely give the warning `candor_warning_unlikely`. [rr_compare()], [rr_contrast()] and [predict()][predict.rr_fit] take such an estimate;
#' `update()` changes `method`, `conf.level` and `simultaneous`.
#'
#' @param mechanism How the answer to the anchor question was randomized: a mechanism of two categories and two reports.
#' @param share Known share of true yes (the second label) among attentive respondents, a number from 0 to 1; default 0.
#' @param answer What inattentive respondents report: `"uniform"` (default; either report at random), a report that they always give, or a distribution over the
#'   reports.
#' @param ... Not used; further arguments give an error.
#' @return A mechanism of class `c("rr_anchor", "rr_channel", "rr_mechanism")` with the truths `attentive` and `inattentive` and the reports of `mechanism`.
#'   Its `epsilon` is that of attention, and `mechanism$epsilon` that of the answer.
#' @section Errors:
#' `candor_error_argument`, `candor_error_law` (a validation study, dealt answers), `candor_error_no_information` (attentive and inattentive respondents answer alike, or nobody seems to be attentive). See [candor_conditions].
#' @references Atsusaka, Y. and Stevenson, R. T. (2023). A bias-corrected estimator for the crosswise model with inattentive respondents. *Political
#'   Analysis* 31(1), 134-148. \doi{10.1017/pan.2021.43}
#' @seealso [rr_lie_detector()], [rr_cheater_detection()], [rr_noncompliance()], [rr_goodness_of_fit()]; `articles/compliance.html` of the site.
#' @concept inattentive respondents
#' @concept crosswise model
#' @concept noncompliance
#' @examples
#' # No attentive respondent has a true yes, so 85% would report "agree" to a
#' # crosswise anchor question; 78% did. How many are inattentive?
#' anchor <- rr_anchor(rr_crosswise(0.15))
#' tidy(rr_estimate(rr_counts(c(220, 780), anchor)), conf.int = TRUE)
#' # 20%
#'
#' # What is the prevalence, if the same 1,000 people answered a crosswise
#' # question too?
#' answers <- data.frame(report = rep(c(0, 1, 0, 1), c(60, 160, 180, 600)),
#'                       moon = rep(c(0, 0, 1, 1), c(60, 160, 180, 600)))
#' fit <- rr_estimate(answers, rr_crosswise(0.15),
#'                    column = c("report", "moon"), anchor = anchor)
#' tidy(fit, conf.int = TRUE)
#' # 4%; without the correction it would be 13%
#' @export
rr_anchor <- function(mechanism, share = 0, answer = "uniform", ...) {
  check_dots_empty(...)
  refuse_validated(check_mechanism(mechanism), "{.fn rr_anchor}")
  refuse_dealt(mechanism, "{.fn rr_anchor}")
  device <- regress_device(mechanism)
  share <- check_probability(share, "share")
  if (identical(answer, "truth") && !"truth" %in% mechanism$reports) {
    abort("{.arg answer} cannot be {.val truth}: who answers truthfully is attentive.")
  }
  answers <- noncompliant_answer(answer, mechanism$reports, mechanism$bits)
  yes <- device[["p"]] * share + device[["q"]] * (1 - share)
  if (abs(yes - answers[2]) < 1e-10) {
    abort("The attentive and the inattentive give the same answers to the anchor question.",
          c("no_information", "argument"))
  }
  no <- device[["p_no"]] * share + device[["q_no"]] * (1 - share)
  C <- rbind(c(no, yes), answers)
  new_rr_channel(
    unname(C),
    list(levels = anchor_truths, reports = mechanism$reports, numeric = mechanism$numeric_levels),
    sprintf(
      "Anchor question, %s of the attentive have a true %s; %s", format_share(share),
      mechanism$levels[2], mechanism$design
    ),
    c("anchor", "channel"),
    yes_no = c(!is.null(mechanism$bits), FALSE),
    remark = "this is of attention, and not of the answer",
    attention = list(attentive = unname(yes), inattentive = answers[2])
  )
}

anchor_truths <- c("attentive", "inattentive")

client_plan.rr_anchor <- function(mechanism) refuse_behaviour(mechanism)

# `anchor` is list(column = mechanism).
check_anchor <- function(anchor) {
  mechanism <- if (is.list(anchor) && length(names(anchor)) == 1L) anchor[[1]]
  is_valid <- inherits(mechanism, "rr_mechanism") && identical(mechanism$levels, anchor_truths) &&
    length(mechanism$reports) == 2L
  check_that(
    is_valid, anchor, "anchor",
    "like {.code list(column = rr_anchor(rr_crosswise(0.15)))}"
  )
}

# The devices with two arms for each: respondents whose anchor report is no, and yes. The unknown
# number is the share of inattentive respondents, who give both answers by chance. The probabilities
# of an answer, together with that of the anchor question if attention belongs to persons, are
# therefore linear in it, as in other designs with an unknown number.
anchor_devices <- function(devices, anchor, column, by = "person") {
  if (!is.null(devices$unknown)) {
    abort("A regression has at most one unknown number, and {.arg anchor} is one.")
  }
  mechanism <- anchor[[1]]
  reported <- anchor_reports(column, mechanism)
  separate <- by == "question"
  C <- unname(rr_matrix(mechanism))
  line <- function(g, a) {
    beside <- if (separate) c(1, 1) else C[, a]
    p <- beside[1] * devices$device[1, g]
    q <- beside[1] * devices$device[2, g]
    inattentive <- beside[2] * C[2, 2]
    c(
      p, inattentive - p, q, inattentive - q, C[1, a],
      C[2, a] - C[1, a]
    )
  }
  lines <- lapply(seq_len(ncol(devices$device)), function(g) {
    vapply(1:2, function(a) line(g, a), numeric(6))
  })
  arm <- 2L * (devices$arm %||% integer(length(reported))) + reported
  replace(
    devices, c("arm", "unknown", "parameter", "device", "separate"),
    list(arm, do.call(cbind, lines), "inattentive", NULL, separate)
  )
}

# 0 for the first report, 1 for the second.
anchor_reports <- function(column, mechanism) {
  reported <- read_response(column, mechanism$reports)$y
  check_that(
    length(reported) == length(column) && all(reported %in% c(0, 1)), column,
    "anchor", "0 and 1, logical, or a label in each row", c("level", "input")
  )
  as.integer(reported)
}
