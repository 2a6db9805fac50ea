# An anchor question: its truth is known, so that its reports tell how many respondents ignore the instructions.

#' An anchor question, whose true share of yes is known
#'
#' Respondents who do not read or do not follow the instructions of a randomized question bias its estimates. An anchor question reveals their share. It
#' has the same form as the question of interest, but it is known how many of those who follow the instructions have a true yes: mostly nobody
#' ("I was born on the moon"). If more reports are yes than the design allows, some respondents are inattentive.
#'
#' The truths of this mechanism are whether a respondent is `attentive` or `inattentive`. [rr_estimate()] of its reports alone gives the share of both. The argument
#' `anchor` of [rr_glm()] uses the reports of the anchor question beside those of the question of interest: both reports of a respondent come from the same attentive or
#' inattentive person.
#'
#' @param mechanism How the answer to the anchor question was randomised: a mechanism of two categories and two reports.
#' @param share The known share of true yes (the second label) among attentive respondents, from 0 to 1.
#' @param answer What inattentive respondents report: `"uniform"` for either report at random, a report that they always give, or a distribution over the
#'   reports.
#' @param ... Not used, and refused.
#' @return A mechanism of class `c("rr_channel", "rr_mechanism")` with the truths `attentive` and `inattentive` and the reports of `mechanism`.
#' @section Errors:
#' `candor_error_argument` for a mechanism that is not of a yes/no question, for a share outside 0 to 1 and for an `answer` that is neither a
#' report nor a distribution over them; `candor_error_no_information` if attentive and inattentive respondents answer alike.
#' @references Atsusaka, Y. and Stevenson, R. T. (2021). A bias-corrected estimator for the crosswise model with inattentive respondents. *Political
#'   Analysis* 31(1), 134-148. \doi{10.1017/pan.2021.43}
#' @examples
#' # A crosswise question to which no attentive respondent has a true yes: "agree" would be
#' # reported by 85 per cent
#' anchor <- rr_anchor(rr_crosswise(0.15))
#' rr_matrix(anchor)
#' coef(rr_estimate(rr_counts(c(220, 780), anchor)))
#' @export
rr_anchor <- function(mechanism, share = 0, answer = "uniform", ...) {
  check_dots_empty(...)
  device <- regress_device(mechanism)
  share <- check_probability(share, "share")
  if (identical(answer, "truth") && !"truth" %in% mechanism$reports) {
    abort(c("{.arg answer} cannot be {.val truth}.", x = "Who answers truthfully, without the device, is attentive."),
          "argument")
  }
  other <- noncompliant_answer(answer, mechanism$reports, takes_bits(mechanism))
  yes <- device[["p"]] * share + device[["q"]] * (1 - share)
  if (abs(yes - other[2]) < 1e-10) {
    abort(c("The anchor question cannot tell who is inattentive.",
            x = "Everybody reports {.val {mechanism$reports[2]}} with probability {format(yes, digits = 6)}."),
          c("no_information", "argument"))
  }
  C <- rbind(c(device[["p_no"]] * share + device[["q_no"]] * (1 - share), yes), other)
  new_rr_channel(unname(C), list(levels = anchor_truths, reports = mechanism$reports,
                                 numeric = mechanism$numeric_levels),
                 sprintf("Anchor question, %s of the attentive have a true %s; %s", format_share(share),
                         mechanism$levels[2], mechanism$design))
}

anchor_truths <- c("attentive", "inattentive")

# `anchor` is list(column = mechanism).
check_anchor <- function(anchor) {
  if (is.null(anchor)) return(invisible())
  mechanism <- if (is.list(anchor) && !is.object(anchor) && length(anchor) == 1L) anchor[[1]]
  good <- length(names(anchor)) == 1L && inherits(mechanism, "rr_mechanism") &&
    identical(mechanism$levels, anchor_truths) && length(mechanism$reports) == 2L
  if (!good) {
    abort(c("{.arg anchor} must name the column of the anchor question and its mechanism, of {.fn rr_anchor}.",
            x = "It is {describe(anchor)}.",
            i = "Write {.code anchor = list(column = rr_anchor(rr_crosswise(0.15)))}."), "argument")
  }
}

# Two arms for each one there was: those who said no to the anchor question, and those who said yes. The unknown number
# is the share of inattentive respondents, who give both answers by chance. So the probabilities of an answer together
# with that of the anchor question are linear in it, as those of other designs with an unknown number are.
anchor_devices <- function(devices, anchor, column) {
  if (is.null(anchor)) return(devices)
  if (!is.null(devices$unknown)) {
    abort(c("A regression has at most one unknown number.",
            x = "{.arg anchor} has the share of inattentive respondents, and {.arg mechanism} another one."),
          "argument")
  }
  mechanism <- anchor[[1]]
  said <- anchor_reports(column, mechanism)
  C <- unname(rr_matrix(mechanism))
  lines <- lapply(seq_len(ncol(devices$device)), function(g) vapply(1:2, function(a) {
    p <- C[1, a] * devices$device[1, g]
    q <- C[1, a] * devices$device[2, g]
    none <- C[2, a] * C[2, 2]
    c(p, none - p, q, none - q, C[1, a], C[2, a] - C[1, a])
  }, numeric(6)))
  devices$arm <- 2L * (devices$arm %||% integer(length(said))) + said
  devices$unknown <- do.call(cbind, lines)
  devices$parameter <- "inattentive"
  devices["device"] <- list(NULL)
  devices
}

# 0 for the first report, 1 for the second.
anchor_reports <- function(column, mechanism) {
  said <- regress_response(column, mechanism$reports)$y
  if (length(said) != length(column) || !all(said %in% c(0, 1))) {
    abort(c("Reports of the anchor question must be 0 and 1, logical, or labels.", x = "They are {describe(column)}."),
          c("level", "input"))
  }
  as.integer(said)
}
