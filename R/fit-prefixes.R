# Heavy hitters: strings that nobody listed are found by their prefixes.

#' Heavy hitters: frequent strings found by their prefixes
#'
#' `rr_prefixes()` randomizes strings of which nobody has a list, such as addresses of pages. `rr_heavy_hitters()` finds the frequent strings in its reports and estimates their shares without bias.
#'
#' @section The search:
#' Prefixes are lengthened step by step. The candidates of a step are the prefixes that survived the last step, each with all extensions of the next length. A
#' group of respondents of its own estimates them. Those survive whose estimate exceeds a threshold, a Chernoff bound on the estimate of a string that nobody holds.
#'
#' The survivors of the last step have been selected, so their estimates in that group are too large on average. They are estimated again from a group that was held out, with hash
#' functions of its own. These estimates are unbiased.
#'
#' A string with share `s` survives a step with probability of about \eqn{\Phi(s / \sigma - z)}, with \eqn{\sigma} the standard error of an absent string in one group and \eqn{z} the threshold in units
#' of \eqn{\sigma}. `attr(x, "search")` has both for each step. With \eqn{m} lengths a group has one of \eqn{m + 1} parts of all respondents.
#'
#' Strings longer than the last of `lengths` are cut: `term` then stands for all strings that begin so. The share of answers that are not listed is 1 minus the sum of
#' `estimate`; it may come out below 0.
#'
#' @param x A tally of reports of [rr_prefixes()] without groups, or the reports.
#' @param mechanism The mechanism, if `x` is reports.
#' @param alphabet The characters of the strings: single characters, or one text of them; default `letters`. Strings with other characters are not found.
#' @param alpha Upper bound of the probability that a step keeps any prefix that nobody holds, a number in (0, 1); default 0.05.
#' @param most Largest number of prefixes that survive a step, the most frequent ones; a whole number of at least 1, default 100.
#' @param target `"population"` (default) or `"sample"`, the respondents held out; see [`?intervals`][intervals].
#' @param conf.level Confidence level, a number in (0, 1); default 0.95.
#' @param simultaneous Logical, default `FALSE`. Should the intervals of all strings hold together (Bonferroni)? By default they are intervals by rank, see [rr_top()]. Both are
#'   approximate, because collisions of hash functions are in the counts.
#' @param ... Not used; further arguments give an error.
#' @return `rr_heavy_hitters()`: a tibble of class `rr_heavy_hitters` with one row per string, the largest estimate first: `term`, `estimate`, `std.error`,
#'   `conf.low`, `conf.high`. It may have no rows. [plot()][autoplot.rr_compare] draws it. Attributes:
#'
#'   * `search`: a tibble with a row per length: `length`, `candidates` (their number), `n` (respondents), `error` (\eqn{\sigma}), `threshold` (as a share),
#'     `found` (survivors).
#'   * `fit`: the [fit][fit_methods] of the group that was held out, or `NULL`.
#'   * `epsilon`, `n`: the privacy budget; the respondents held out.
#' @section Errors:
#' `candor_error_argument` (also for answers that are not valid text or contain the sign U+0004), `candor_error_missing`, `candor_error_report`, `candor_error_empty` (a group without respondents), `candor_error_too_large` (more than 2,000,000 candidates in a step). See [candor_conditions].
#' @references Wang, T., Li, N. and Jha, S. (2021). Locally differentially private heavy hitter identification. *IEEE Transactions on Dependable and Secure Computing*.
#'   \doi{10.48550/arXiv.1708.06674} (prefix extending, without the group that is held out)
#' @seealso [rr_count_mean_sketch()] for strings that are asked for, [rr_bloom()] for a list of candidates, [rr_top()] for known categories.
#' @concept heavy hitters
#' @concept frequent strings
#' @concept open dictionary
#' @concept prefix extending method
#' @examples
#' # Which drinks are frequent, if nobody has a list of drinks?
#' drinks <- c("tea", "ale", "gin", "rum", "cider", "water")
#' mechanism <- rr_prefixes(epsilon = 4, lengths = c(1, 3, 5), width = 256)
#' set.seed(1)
#' truth <- sample(drinks, 20000, replace = TRUE,
#'                 prob = c(30, 20, 10, 5, 25, 10))
#' tally <- rr_tally(rr_perturb(truth, mechanism, rng = "R"), mechanism)
#' found <- rr_heavy_hitters(tally)
#' found
#' # All six. The true shares are 30, 25, 20, 10, 10 and 5%
#' attr(found, "search")
#' @export
rr_heavy_hitters <- function(
  x,
  mechanism = NULL,
  alphabet = letters,
  alpha = 0.05,
  most = 100,
  target = c("population", "sample"),
  conf.level = 0.95,
  simultaneous = FALSE,
  ...
) {
  check_dots_empty(...)
  tally <- prefix_tally(x, mechanism)
  alphabet <- check_alphabet(alphabet)
  alpha <- check_alpha(alpha)
  most <- check_count(most, "most", min = 1)
  target <- check_choice(target)
  conf.level <- check_conf_level(conf.level)
  check_flag(simultaneous, "simultaneous")
  search <- search_prefixes(tally, alphabet, alpha, most)
  fit <- NULL
  table <- tibble(
    term = character(),
    estimate = numeric(),
    std.error = numeric(),
    conf.low = numeric(),
    conf.high = numeric()
  )
  if (length(search$strings)) {
    # They are shown, and asked for, without the sign of their end.
    strings <- sub(string_end, "", search$strings, fixed = TRUE)
    fit <- rr_estimate(tally, candidates = strings, target = target, conf.level = conf.level,
                       simultaneous = simultaneous)
    table <- tidy_rows(fit, TRUE, conf.level, ranked = !simultaneous)
    table <- table[order(table$estimate, decreasing = TRUE), ]
  }
  n <- submechanism_tally(tally, held_out)$n
  epsilon <- tally$mechanism$epsilon
  how <- held_out_words(n, target, conf.level, simultaneous)
  new_rr_table(
    table,
    "rr_heavy_hitters",
    search = search$steps,
    fit = fit,
    epsilon = epsilon,
    n = n,
    target = target,
    conf.level = conf.level,
    simultaneous = simultaneous,
    ranked = !simultaneous,
    title = found_title(table, search$steps, epsilon, how),
    axis_kind = "share"
  )
}

# The tally of prefixes that `x` is, or that its reports make.
prefix_tally <- function(x, mechanism) {
  tally <- if (inherits(x, "rr_tally") || inherits(mechanism, "rr_prefixes")) {
    as_tally(x, mechanism, NULL, NULL, FALSE)
  }
  check_that(inherits(tally$mechanism, "rr_prefixes"), tally$mechanism %||% x, "x",
             "a tally of reports of {.fn rr_prefixes}, or these reports with their mechanism")
  if (!is.null(tally$groups)) abort("{.arg x} must be a tally without groups.")
  tally
}

held_out_words <- function(n, target, conf.level, simultaneous) {
  c(
    sprintf(
      "  Unbiased estimates from %s respondents held out; target: %s; %s", format_count(n), target,
      interval_words(conf.level, simultaneous = simultaneous, ranked = TRUE)
    ),
    if (!simultaneous) paste0("  ", rank_words(conf.level))
  )
}

found_title <- function(table, steps, epsilon, how) {
  remaining <- 1 - sum(table$estimate)
  c(
    sprintf(
      "%s found, epsilon = %s", number_of(nrow(table), "string"), format(epsilon, digits = 4)
    ),
    paste0(
      "  Survivors by length: ",
      paste0(
        steps$length, ": ", format_count(steps$found), " of ",
        vapply(steps$candidates, format_count, ""), collapse = "; "
      )
    ),
    how,
    sprintf(
      "  Strings are cut to %s; those listed leave %s to others%s",
      number_of(max(steps$length), "character"), percent_labels(remaining),
      if (remaining < 0) ", by chance below 0" else ""
    ),
    if (!nrow(table)) {
      "  Only strings of the characters in `alphabet` are found: a to z, unless you say others"
    }
  )
}

check_alphabet <- function(x) {
  if (is.character(x) && length(x) && !anyNA(x)) {
    x <- check_hashed_text(x, "alphabet")
    if (length(x) == 1L) x <- strsplit(x, "")[[1]]
    if (length(x) && all(nchar(x) == 1L) && !anyDuplicated(x) &&
        !string_end %in% x) {
      return(x)
    }
  }
  must_be(x, "alphabet", "different single characters, or one text of them")
}

search_candidates <- 2e6

# list(strings, steps): what survives the last step, and what happened in each.
search_prefixes <- function(tally, alphabet, alpha, most) {
  lengths <- tally$mechanism$lengths
  survivors <- ""
  steps <- lapply(seq_along(lengths), function(i) {
    more <- lengths[i] - if (i == 1) 0 else lengths[i - 1]
    submechanism <- submechanism_tally(tally, names(tally$mechanism$parts)[i])
    if (submechanism$n <= 0) {
      abort("Each group of prefixes must have respondents: group {i} has none.", "empty")
    }
    candidates <- prefix_extensions(survivors, alphabet, more, lengths[i])
    step <- list(
      length = lengths[i],
      candidates = as.double(length(candidates)),
      n = submechanism$n,
      error = NA_real_,
      threshold = NA_real_,
      found = 0
    )
    if (!length(candidates)) return(step)
    listed <- candidate_tally(submechanism$mechanism, submechanism, candidates)
    evidence <- group_evidence(listed, 1, rr_law(listed$mechanism))
    step$error <- evidence$blank_error()
    step$threshold <- absent_threshold(submechanism, listed, alpha / length(candidates))
    chosen <- largest_above(evidence$unbiased(), step$threshold, most)
    survivors <<- candidates[chosen]
    step$found <- as.double(length(chosen))
    step
  })
  list(strings = if (steps[[length(steps)]]$found > 0) survivors,
       steps = as_tibble(do.call(rbind.data.frame, steps)))
}

largest_above <- function(estimate, threshold, most) {
  chosen <- order(estimate, decreasing = TRUE)
  head(chosen[estimate[chosen] > threshold], most)
}

# The share that the estimate of a string that nobody holds exceeds with probability `alpha` at
# most. Each function sends such a string to a bucket that is drawn at random from the table as it
# stands, noise, collisions and all. Chernoff's bound holds for the sum of their counts; a normal
# quantile would not, since collisions with frequent strings are few and large.
absent_threshold <- function(tally, listed, alpha) {
  width <- tally$mechanism$width
  counts <- matrix(tally$counts, width + 1)[seq_len(width), , drop = FALSE]
  excess <- sweep(counts, 2, colMeans(counts))
  std_error <- sqrt(sum(colMeans(excess^2)))
  if (std_error == 0) return(Inf)
  largest <- apply(excess, 2, max)
  bound <- function(log_rate) {
    rate <- exp(log_rate)
    (sum(
      rate * largest + log(colMeans(exp(rate * sweep(excess, 2, largest))))
    ) - log(alpha)) / rate
  }
  sum <- optimize(bound, log(c(0.01, 1000) / std_error))$objective
  law <- rr_law(listed$mechanism)
  ((sum(colMeans(counts)) + sum) / tally$n - law$q) /
    law$difference
}

# All extensions of prefixes by up to `more` characters; those that are shorter than `length` have
# ended.
prefix_extensions <- function(prefixes, alphabet, more, length) {
  ended <- endsWith(prefixes, string_end)
  open <- prefixes[!ended]
  number <- length(open) * sum(length(alphabet)^(0:more))
  if (number > search_candidates) {
    abort("A step has too many candidates: {format_count(number)}.", "too_large")
  }
  strings <- prefixes[ended]
  for (step in seq_len(more)) {
    if (length(open)) strings <- c(strings, paste0(open, string_end))
    open <- as.vector(outer(open, alphabet, paste0))
  }
  c(strings, open)
}
