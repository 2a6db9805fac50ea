#' Forced answers from a deck that is dealt without replacement
#'
#' A block of people shares one deck of cards: some cards dictate an answer, the others ask for the truth. The cards are dealt without replacement, so that the
#' number of dictated answers in a full block is known. At a prevalence of 2 to 5 % the standard error is half of the standard error of [rr_forced()].
#'
#' With \eqn{b} cards of which \eqn{m} ask for the truth, \eqn{k} dictate "yes" and \eqn{T} of the \eqn{r} people of a block say yes, the number of true yes is
#' estimated by \eqn{(T - r k / b) b / m}. In a full block \eqn{T - k} is the number of true yes among \eqn{m} people who were drawn at random.
#'
#' @section Blocks:
#' Reports are a data frame with the column `block` beside the reports: the label of each respondent's block. [rr_tally()] finds it by its name, and takes
#' the reports from `column`, from a column called `report`, or from the only other column. Everybody who has the same label got cards of one deck, so labels must not be
#' used twice (by two interviewers, say). Tallies keep the people and the reports of each block, and merge by `c()`.
#'
#' A block may have fewer people than cards: the last one, or a block in which somebody did not take a card. Nonresponse after the card was seen biases the
#' estimate. If the cards that were left over are shown, the block is a full block of another deck. Groups (`by`) may lie across blocks; their estimates are then
#' correlated, which `vcov()`, [rr_contrast()] and [rr_compare()] take into account. By moments a difference of groups within blocks is no more precise than with a
#' die: use [rr_glm()], or deal to each group its own decks.
#'
#' @section Privacy:
#' A report by itself changes the odds of a truth as a report of [rr_forced()] with the same probabilities does. Somebody who knows the truths and reports of
#' all others in the block may know which cards are left: against this person no epsilon is finite. [rr_epsilon()] returns both.
#'
#' @section Estimates:
#' `rr_estimate()` uses `method = "inv"` by default, which is unbiased; `"norm_sub"` cuts the estimate at 0 and 1. Variances are exact. `interval = "wilson"` is the score
#' interval of the exact variance; with `target = "sample"` it is widened by half a report on either side, without which it would exclude true yes that are never reported. `"exact"` is Clopper and Pearson's interval of the cards that asked for the truth, and for full blocks only. For one block and
#' `target = "sample"` it has every number of true yes that the report does not reject. `"anytime"` is exact for full blocks; with short blocks it is `NA` before 20 cards that
#' asked for the truth said yes, and 20 no. If no block says more yes than its cards dictate, standard errors are `NA`. Survey designs are estimated by scores, and each block must lie
#' in one primary sampling unit. [rr_power()] plans full blocks.
#'
#' A block that says yes less often than cards dictate it (or no) has people who did not follow their cards. The warning `candor_warning_unlikely` says how many at least;
#' the estimate is made all the same.
#'
#' @param forced Whole numbers of at least 0, not all 0: how many cards dictate each answer. One number holds for each answer; names can serve as `levels`.
#' @param cards Whole number, at least 2: cards in the deck, more than all that dictate an answer.
#' @param levels Labels of the answers, all different, or their number. By default `c("no", "yes")`, or the names of `forced`.
#' @param block Name of the column of blocks, one text; default `"block"`.
#' @param ... Must be empty.
#' @return A mechanism of class `c("rr_dealt", "rr_mechanism")`: a list with `levels`, `forced` (one number per level), `cards` and others. `truth` is
#'   the part of the cards that asks for the truth, `innocuous` the parts that dictate each answer, and `epsilon` is for a report by itself.
#'
#'   [rr_perturb()] deals: to a data frame with the blocks and one column of answers, or to a vector, whose people form blocks in their order. It returns a tibble with
#'   the columns `block` and `report`.
#' @section Errors:
#' * `candor_error_argument`: cards that are no whole numbers, no card for the truth, no card that dictates, or weights without a survey design.
#' * `candor_error_report`: a block with more people than cards, or reports without blocks. `candor_error_level`: a report that is not in the deck.
#' @references Boudreau, L., Chassang, S., Gonzalez-Torres, A. and Heath, R. (2023). Monitoring harassment in organizations. *NBER Working Paper* 31011.
#'   \doi{10.3386/w31011} (hard garbling by blocks)
#'
#'   Hoeffding, W. (1956). On the distribution of the number of successes in independent trials. *Annals of Mathematical Statistics* 27(3), 713-721.
#'   \doi{10.1214/aoms/1177728178} (why the exact interval holds for fixed truths)
#' @seealso [rr_forced()] for dice; [`rr_product(asked = 1)`][rr_product], whose reports also have a column beside them; `vignette("choosing", package = "candor")`.
#' @concept block garbling
#' @concept hard garbling
#' @concept sampling without replacement
#' @concept deck of cards
#' @concept forced response
#' @examples
#' # How common is harassment by supervisors? Decks of 15 cards: 3 say "no", 3
#' # say "yes"
#' mechanism <- rr_dealt(c(no = 3, yes = 3), cards = 15)
#' set.seed(1)
#' truth <- sample(c("no", "yes"), 600, replace = TRUE, prob = c(0.95, 0.05))
#' reports <- rr_perturb(truth, mechanism, rng = "R")
#' fit <- rr_estimate(reports, mechanism)
#' tidy(fit, conf.int = TRUE, terms = "yes")
#' # 6.4% (4.2% to 9.5%); a die has twice the width
#' rr_epsilon(mechanism)
#' rr_power(mechanism, share = 0.05, margin = 0.02)
#' @export
rr_dealt <- function(forced, cards, levels = NULL, block = "block", ...) {
  check_dots_empty(...)
  cards <- check_count(cards, "cards", min = 2, max = 1e6)
  is_count <- function(x) x >= 0 & x < Inf & x == floor(x)
  is_valid <- is.numeric(forced) && length(forced) && all(is_count(forced))
  check_that(is_valid, forced, "forced", "whole numbers of cards, at least 0")
  levels <- innocuous_levels(forced, levels, "forced")
  forced <- match_levels(forced, levels$labels, "forced")
  forced <- as.double(rep_len(forced, length(levels$labels)))
  n_truthful <- cards - sum(forced)
  check_that(
    n_truthful > 0 && n_truthful < cards, sum(forced), "forced",
    "cards that are more than 0 together and fewer than {.arg cards}"
  )
  check_that(
    rlang::is_string(block) && !block %in% c("", "report"), block, "block",
    "the name of a column, other than \"report\""
  )
  die <- new_rr_innocuous("forced", levels, n_truthful / cards, forced / cards, "")
  mechanism <- new_rr_mechanism(
    "dealt",
    levels$labels,
    numeric_levels = levels$numeric,
    yes_no = TRUE,
    epsilon = die$epsilon,
    marginal = die,
    design = sprintf(
      "Dealt answers (decks of %s cards, %s for the truth)", format_count(cards),
      format_count(n_truthful)
    ),
    forced = forced,
    cards = cards,
    truth = die$truth,
    innocuous = die$innocuous,
    remark = "Inf for whoever knows all others of the block",
    codec = report_codec(block = block),
    law = new_law_dealt(forced, cards)
  )
  with_recipe(
    with_order(mechanism, levels), "rr_dealt", forced = forced, cards = cards, block = block
  )
}

# Epsilon of a report, and of somebody informed: who knows the truths and reports of all others in
# the block may know which cards are left.
#' @export
rr_epsilon.rr_dealt <- function(mechanism, ...) c(report = NextMethod(), informed = Inf)

# Cards are drawn exactly.
achieved.rr_dealt <- function(mechanism) list(epsilon = mechanism$epsilon)

# An error if cards were dealt to blocks: a likelihood of rows takes each card for drawn by itself.
refuse_dealt <- function(mechanisms, noun) {
  if (inherits(mechanisms, "rr_mechanism")) mechanisms <- list(mechanisms)
  is_dealt <- vapply(mechanisms, function(mechanism) !is.null(mechanism$codec$block), NA)
  if (any(is_dealt)) {
    abort(
      c(
        paste(noun, "cannot take answers of {.fn rr_dealt}: their reports depend on each other."),
        i = "{.fn rr_glm} takes one mechanism, and data with the column of blocks."
      ),
      c("law", "argument")
    )
  }
}

# ---- respondents ----

# list(block, answers): the blocks of respondents and the positions of their answers. A vector is
# dealt to in its order.
#' @export
prepare_answers.rr_dealt <- function(mechanism, x) {
  if (!is.data.frame(x)) {
    return(list(
      block = (seq_along(x) - 1) %/% mechanism$cards + 1,
      answers = prepare_answers(mechanism$marginal, x)
    ))
  }
  columns <- block_columns(x, mechanism)
  if (anyNA(columns$block)) abort("{.arg x} must not have missing blocks.", "missing")
  check_block_sizes(label_text(columns$block), rep(1, nrow(x)), mechanism)
  list(block = columns$block, answers = prepare_answers(mechanism$marginal, columns$reports))
}

# list(block, reports): the column of blocks of a table, and the column beside it.
block_columns <- function(x, mechanism) {
  block <- mechanism$codec$block
  others <- setdiff(names(x), block)
  column <- if ("report" %in% others) "report" else others
  if (!is.data.frame(x) || !block %in% names(x) || length(column) != 1L) {
    abort(c("{.arg x} must be a data frame with a column {.val {block}} and one beside it.",
            x = "It is {describe(x)}."), "report")
  }
  list(block = base_key(x[[block]]), reports = x[[column]])
}

# The cards are drawn in turns, the first of each block, then the second: each card that is left is
# as likely as any other.
draw_reports.rr_dealt <- function(mechanism, answers, rng = "secure") {
  block <- match(answers$block, unique(answers$block))
  turn <- ave(block, block, FUN = seq_along)
  # The cards that are left, a row for each block: those of each forced answer, then of the truth.
  deck <- c(mechanism$forced, mechanism$cards - sum(mechanism$forced))
  n_kinds <- length(deck)
  remaining <- matrix(rep(deck, each = max(block, 0)), ncol = n_kinds)
  reports <- answers$answers
  for (rows in split(seq_along(block), turn)) {
    blocks <- block[rows]
    drawn <- draw_uniform(
      length(blocks), mechanism$cards - turn[rows[1]] + 1, rng
    )
    cumulative <- remaining[blocks, 1L]
    card <- rep(1L, length(blocks))
    for (kind in seq_len(n_kinds - 1L)) {
      card <- card + (drawn >= cumulative)
      cumulative <- cumulative + remaining[blocks, kind + 1L]
    }
    cell <- cbind(blocks, card)
    remaining[cell] <- remaining[cell] - 1
    is_forced <- card < n_kinds
    reports[rows[is_forced]] <- card[is_forced]
  }
  list(block = answers$block, reports = reports)
}

decode_answers.rr_dealt <- function(mechanism, reports, x) {
  truth <- if (is.data.frame(x)) block_columns(x, mechanism)$reports else x
  decoded <- decode_answers(mechanism$marginal, reports$reports, truth)
  columns <- list(reports$block, unname(decoded))
  as_tibble(setNames(columns, report_fields(mechanism$codec)))
}

# ---- tallies ----

# Reports by category and group, and in `blocks`, for each group, the labels of its blocks and their
# counts: a column each, whose sum is the number of people.
count_reports.rr_dealt <- function(
  mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...
) {
  columns <- block_columns(x, mechanism)
  codes <- report_codes(columns$reports, mechanism, absent = TRUE)
  dropped <- drop_missing_reports(which(is.na(codes) | is.na(columns$block)), na.rm)
  used <- setdiff(seq_along(codes), dropped)
  k <- length(mechanism$reports)
  n_groups <- max(1L, groups)
  labels <- label_text(columns$block)
  used_groups <- groups[used] %||% rep(1L, length(used))
  group_rows <- split(used, factor(used_groups, seq_len(n_groups)))
  blocks <- lapply(unname(group_rows), function(rows) {
    label <- unique(labels[rows])
    cells <- (match(labels[rows], label) - 1L) * k + codes[rows]
    row_weights <- weights[rows] %||% rep(1, length(rows))
    counts <- group_sums(row_weights, cells, k * length(label))
    list(label = label, counts = matrix(counts, k))
  })
  counts <- vapply(blocks, function(block) rowSums(block$counts), numeric(k))
  counted_reports(counts, list(each = n_groups, dropped = dropped), blocks = blocks)
}

#' @export
score_reader.rr_dealt <- function(mechanism, name) {
  scores <- t((diag(length(mechanism$levels)) - mechanism$innocuous) / mechanism$truth)
  function(x) {
    codes <- report_codes(block_columns(x, mechanism)$reports, mechanism, absent = TRUE)
    scores[codes, , drop = FALSE]
  }
}

client_plan.rr_dealt <- function(mechanism) {
  refuse_client(mechanism, "A device does not deal cards to a block of people.")
}
