#' The frequent strings, found by their prefixes
#'
#' Lengthens prefixes step by step. The candidates of a step are the prefixes that survived the last one, each with all extensions of the next length. The step's own
#' group of respondents estimates them, and those survive whose estimate is too large for strings that nobody holds: such a string adds up one bucket of each
#' function, drawn at random from the table as it is, and Chernoff's bound says how far this sum can go. The strings that survive the last step
#' have been *selected*: their estimates in that group are too large on average. So they are estimated again from the group that was held out, whose
#' reports no step has seen, and which has hash functions of its own. These estimates are unbiased, whatever the search selected.
#'
#' A string whose share is `s` survives a step with probability of about
#' \eqn{\Phi(s / \sigma - z)}, where \eqn{\sigma} is the standard error of an absent string in one group and \eqn{z} the threshold in these. `attr(x, "search")` has both for each step. With \eqn{m}
#' lengths a group has one of \eqn{m + 1} parts of all respondents.
#'
#' Strings longer than the last of `lengths` are cut to it: `term` then stands for all strings that begin so. What the listed strings leave,
#' 1 minus the sum of `estimate`, is the share of the answers that are not listed; since the estimates are unbiased, it may come out below 0.
#'
#' @param x A tally of reports of [rr_prefixes()] without groups, or the reports.
#' @param mechanism The mechanism, if `x` is reports.
#' @param alphabet The characters that strings consist of: single characters, or one text of them. Strings with other ones are not found.
#' @param alpha An upper bound of the probability that a step keeps any prefix that nobody holds, over all candidates of the step and the choice of hash functions. Between 0 and 1.
#' @param most How many prefixes survive a step at most: the most frequent ones. A whole number from 1.
#' @param target What the estimates are about, see [rr_estimate()]. With `"sample"` they are about the respondents held out.
#' @param conf.level Confidence level of the intervals, between 0 and 1.
#' @param simultaneous Should the intervals of all strings that were found hold together (Bonferroni)? By default they are intervals by rank: of the first
#'   \eqn{r} rows at most 5 in 100 intervals are wrong on average, for every \eqn{r}, see [rr_top()]. Both are approximate, since collisions of hash functions are in the counts.
#' @param ... Not used, and refused.
#' @return A tibble of class `rr_heavy_hitters`, one row for each string that was found, the largest estimate first: `term` (the string), `estimate` (its share, unbiased), `std.error`,
#'   `conf.low`, `conf.high`. It may have no rows. Attributes: `search`, a tibble with a row for each length: `length`, `candidates` (their number), `n` (respondents), `error` (\eqn{\sigma}), `threshold` (as a share),
#'   `found` (the number of survivors); `fit`, the [fit][rr_fit] of the group that was held out, or `NULL`; `epsilon`; `n`, the respondents held out. [plot()][autoplot.rr_compare] draws it.
#' @section Errors:
#' `candor_error_argument` for anything but reports of [rr_prefixes()], and for values out of range; `candor_error_empty` for a group in which nobody is;
#' `candor_error_too_large` for more than 2,000,000 candidates in a step.
#' @source Wang, T., Li, N. and Jha, S. (2021). Locally differentially private heavy hitter identification. *IEEE Transactions on Dependable and Secure Computing*.
#'   arXiv:1708.06674 (prefix extending; the group that is held out is not in it.)
#' @examples
#' drinks <- c("tea", "ale", "gin", "rum", "cider", "water")
#' mechanism <- rr_prefixes(epsilon = 4, lengths = c(1, 3, 5), width = 256)
#' set.seed(1)
#' truth <- sample(drinks, 20000, replace = TRUE, prob = c(30, 20, 10, 5, 25, 10))
#' tally <- rr_tally(rr_perturb(truth, mechanism, rng = "R"), mechanism)
#' found <- rr_heavy_hitters(tally)
#' found
#' attr(found, "search")
#' @export
rr_heavy_hitters <- function(x, mechanism = NULL, alphabet = letters, alpha = 0.05, most = 100,
                             target = c("population", "sample"), conf.level = 0.95, simultaneous = FALSE, ...) {
  check_dots_empty(...)
  tally <- if (inherits(x, "rr_tally") || inherits(mechanism, "rr_prefixes")) as_tally(x, mechanism, NULL, NULL, FALSE)
  if (is.null(tally) || !inherits(tally$mechanism, "rr_prefixes")) {
    abort(c("{.arg x} must be a tally of reports of {.fn rr_prefixes}, or these reports with their mechanism.",
            x = "It is {describe(if (is.null(tally)) x else tally$mechanism)}."), "argument")
  }
  if (!is.null(tally$groups)) {
    abort(c("{.arg x} must be a tally without groups.", x = "It has {nrow(tally$groups)}."), "argument")
  }
  alphabet <- check_alphabet(alphabet)
  alpha <- check_alpha(alpha)
  most <- check_count(most, "most", min = 1)
  target <- check_choice(target, "target", c("population", "sample"))
  conf.level <- check_level(conf.level)
  check_flag(simultaneous, "simultaneous")
  found <- search_prefixes(tally, alphabet, alpha, most)
  fit <- NULL
  table <- tibble::tibble(term = character(), estimate = numeric(), std.error = numeric(), conf.low = numeric(),
                          conf.high = numeric())
  if (length(found$strings)) {
    # They are shown, and asked for, without the sign of their end.
    strings <- sub(string_end, "", found$strings, fixed = TRUE)
    fit <- rr_estimate(tally, candidates = strings, target = target, conf.level = conf.level,
                       simultaneous = simultaneous)
    table <- tidy_rows(fit, TRUE, conf.level, ranked = !simultaneous)
    table <- table[order(table$estimate, decreasing = TRUE), ]
  }
  n <- part_tally(tally, held_out)$n
  steps <- found$steps
  rest <- 1 - sum(table$estimate)
  title <- c(
    sprintf("%s found, epsilon = %s", number_of(nrow(table), "string"), format(tally$mechanism$epsilon, digits = 4)),
    paste0("  Survivors by length: ", paste0(steps$length, ": ", format_count(steps$found), " of ",
                                             vapply(steps$candidates, format_count, ""), collapse = "; ")),
    sprintf("  Unbiased estimates from %s respondents held out; target: %s; %s", format_count(n), target,
            interval_words(conf.level, simultaneous = simultaneous, ranked = TRUE)),
    if (!simultaneous) paste0("  ", rank_words(conf.level)),
    sprintf("  Strings are cut to %s; those listed leave %s to others%s", number_of(max(steps$length), "character"),
            percent_labels(rest), if (rest < 0) ", by chance below 0" else ""),
    if (!nrow(table)) "  Only strings of the characters in `alphabet` are found: a to z, unless you say others"
  )
  new_rr_table(table, "rr_heavy_hitters", search = steps, fit = fit, epsilon = tally$mechanism$epsilon, n = n,
               target = target, conf.level = conf.level, simultaneous = simultaneous, title = title)
}

drawn_of.rr_heavy_hitters <- function(x, data, labels) {
  level <- attr(x, "conf.level")
  data$kind <- rep("share", nrow(data))
  together <- isTRUE(attr(x, "simultaneous"))
  caption <- paste0("Lines: ", interval_words(level, ranked = !together),
                    if (together) " that hold for all strings at once", ", from ", format_count(attr(x, "n")),
                    " respondents held out.",
                    if (!together) paste0(" ", rank_words(level), "."))
  list(data = data, title = "Frequent strings, found by their prefixes", caption = caption)
}

check_alphabet <- function(x) {
  if (is.character(x) && length(x) && !anyNA(x)) {
    x <- check_hashed_text(x, "alphabet")
    if (length(x) == 1L) x <- strsplit(x, "")[[1]]
    if (length(x) && all(nchar(x) == 1L) && !anyDuplicated(x) && !string_end %in% x) return(x)
  }
  abort(c("{.arg alphabet} must be different single characters, or one text of them.", x = "It is {describe(x)}."),
        "argument")
}

abort_no_group <- function(name) {
  abort(c("Each group of prefixes must have respondents.", x = "Nobody drew {.val {name}}.",
          i = "With few respondents use fewer lengths."), "empty")
}

search_candidates <- 2e6

# list(strings, steps): what survives the last step, and what happened in each.
search_prefixes <- function(tally, alphabet, alpha, most) {
  lengths <- tally$mechanism$lengths
  survivors <- ""
  steps <- lapply(seq_along(lengths), function(i) {
    more <- lengths[i] - if (i == 1) 0 else lengths[i - 1]
    own <- part_tally(tally, names(tally$mechanism$parts)[i])
    if (own$n <= 0) abort_no_group(names(tally$mechanism$parts)[i])
    candidates <- lengthen(survivors, alphabet, more, lengths[i])
    step <- list(length = lengths[i], candidates = as.double(length(candidates)), n = own$n, error = NA_real_,
                 threshold = NA_real_, found = 0)
    if (!length(candidates)) return(step)
    asked <- candidate_tally(own$mechanism, own, candidates)
    evidence <- group_evidence(asked, 1, rr_law(asked$mechanism))
    estimate <- evidence$unbiased()
    step$error <- evidence$blank_error()
    step$threshold <- absent_threshold(own, asked, alpha / length(candidates))
    chosen <- order(estimate, decreasing = TRUE)
    chosen <- utils::head(chosen[estimate[chosen] > step$threshold], most)
    survivors <<- candidates[chosen]
    step$found <- as.double(length(chosen))
    step
  })
  list(strings = if (steps[[length(steps)]]$found > 0) survivors,
       steps = tibble::as_tibble(do.call(rbind.data.frame, steps)))
}

# The share that the estimate of a string that nobody holds exceeds with probability `alpha` at most. Each function
# sends such a string to a bucket that is drawn at random from the table as it stands, noise, collisions and all.
# Chernoff's bound holds for the sum of their counts; a normal quantile would not, since collisions with frequent
# strings are few and large.
absent_threshold <- function(tally, asked, alpha) {
  width <- tally$mechanism$width
  counts <- matrix(tally$counts, width + 1)[seq_len(width), , drop = FALSE]
  excess <- sweep(counts, 2, colMeans(counts))
  spread <- sqrt(sum(colMeans(excess^2)))
  if (spread == 0) return(Inf)
  largest <- apply(excess, 2, max)
  bound <- function(log_rate) {
    rate <- exp(log_rate)
    logs <- rate * largest + log(colMeans(exp(rate * sweep(excess, 2, largest))))
    (sum(logs) - log(alpha)) / rate
  }
  sum <- stats::optimize(bound, log(c(0.01, 1000) / spread))$objective
  law <- rr_law(asked$mechanism)
  ((sum(colMeans(counts)) + sum) / tally$n - law$q) / law$difference
}

# All extensions of prefixes by up to `more` characters; those that are shorter than `length` have ended.
lengthen <- function(prefixes, alphabet, more, length) {
  ended <- endsWith(prefixes, string_end)
  open <- prefixes[!ended]
  number <- length(open) * sum(length(alphabet)^(0:more))
  if (number > search_candidates) {
    abort(c("A step has too many candidates.",
            x = "There are {format_count(number)}; at most {format_count(search_candidates)} are looked at.",
            i = "Ask for {.arg lengths} in smaller steps, or let fewer survive by {.arg most}."), "too_large")
  }
  found <- prefixes[ended]
  for (step in seq_len(more)) {
    if (length(open)) found <- c(found, paste0(open, string_end))
    open <- as.vector(outer(open, alphabet, paste0))
  }
  c(found, open)
}
