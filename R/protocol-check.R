# Reports of known truths, from any client, against the exact distribution of the mechanism.

#' Check a client: do its reports come from the mechanism, and what do they reveal?
#'
#' `rr_check_client()` tests reports of known answers, from any program, against the exact distribution of the mechanism, and bounds the privacy budget
#' \eqn{\epsilon} of the program from below. For the name of a file of [rr_client()] it compares the numbers and the code of the file.
#'
#' A client that draws wrongly sends reports that look valid, and some disclose every answer. Let the client randomize known answers, each from a device of its
#' own, at least 1,000 times each, and give the reports in the order in which they were made.
#'
#' @section Tests:
#' \describe{
#' \item{`p.value`}{Pearson's chi-squared test of the parts of a report: cells of categories, bits, supported categories. Rare cells that are equally likely are
#'   one cell. The tail follows a chi-squared distribution with the first three moments of the statistic.}
#' \item{`p.joint`}{The smallest p-value of exact binomial tests, times their number (Bonferroni). The tests are of each part and each pair of parts, and of equal reports. Numbers that no answer should change,
#'   such as the slope of a hash function, are tested in fifths and as odd or even, alone and with the support of the truth. Two reports must not support their truths together: neighbours, with `id`
#'   reports of one respondent, and questions of an [rr_product()]. Long reports are paired in their first 100 parts.}
#' \item{order}{The positions of a subset or of asked bits must be increasing.}
#' }
#' A problem is named if a p-value is below (1 - `conf.level`) / 2, divided by the number of truths, or if `epsilon.low` exceeds the epsilon of the mechanism. At the default
#' all tests together accuse at most 0.2 % of right clients.
#'
#' @section Measured epsilon:
#' Each report of an answer \eqn{x} is paired with another answer \eqn{v}. \eqn{A} reports support \eqn{x} and not \eqn{v}, \eqn{B} reports support \eqn{v} and not \eqn{x}. For every client of
#' budget \eqn{\epsilon}, \eqn{A} given \eqn{A + B} is binomial with a probability of at most \eqn{1 / (1 + e^{-\epsilon})}{1 / (1 + exp(-epsilon))}. The estimate is
#' \eqn{\log(A / B)}{log(A / B)}, and the lower bound follows from the Clopper-Pearson limit. It is exact for equal numbers of reports of each truth. With at most 1,000 cells (truths times
#' reports) a second bound is taken from simultaneous Clopper-Pearson limits of all cells, each bound at half of the error; it finds a single truth that leaks.
#' No number of reports bounds \eqn{\epsilon} from above, so that `epsilon.high` is `Inf`. The budgets of the questions of an [rr_product()] add up.
#'
#' @section Power:
#' With 10,000 reports of each truth the check finds all 26 broken clients of the study `clients.R` in `system.file("studies", package = "candor")`, such as one random number for all bits or the truth named
#' first in a subset. With 1,000 reports it sometimes misses probabilities that are 10 % off. It cannot find a generator that only its owner can predict, nor a
#' threshold that is slightly wrong. A file is compared to the last of 64 bits.
#'
#' @param reports The reports, in any form that [rr_tally()] reads; or the name of a file of [rr_client()].
#' @param mechanism A mechanism that has a client, see [rr_client()].
#' @param truth The true answer of each report; for an [rr_product()] a data frame. Not for a file.
#' @param id Who sent each report. By default each report has a respondent of its own. Needed to check permanent answers ([rr_longitudinal()], [rr_bloom()] with
#'   `permanent`): give two reports of each respondent about one answer. Without them the verdict is that this was not tested.
#' @param conf.level Number between 0 and 1, default 0.999. Confidence of `epsilon.low`, and 1 less the share of right clients that the tests may accuse.
#' @param ... Must be empty.
#' @return A tibble of class `rr_client_check` with a row for each truth, of an [rr_product()] for each `question` and truth and a last row for all questions, of a file one row.
#'   `print()` begins with the verdict.
#'
#' * `truth`, `n`: the true answer and its number of reports, the first of each respondent.
#' * `statistic`, `df`, `p.value`: the chi-squared test.
#' * `p.joint`: the exact tests of parts and pairs.
#' * `epsilon`, `epsilon.low`, `epsilon.high`: measured budget of one report, from all truths together; in natural logarithms.
#' * `problem`: what seems wrong; `NA` if nothing does.
#' @section Errors:
#' * `candor_error_law`: a mechanism without a client.
#' * `candor_error_argument`: truths, senders and reports of different numbers.
#' * `candor_error_file`: a file that is not there.
#' @references Arcolezi, H. H. and Gambs, S. (2024). Revealing the true cost of locally differentially private protocols: an auditing perspective. *Proceedings on Privacy
#'   Enhancing Technologies* 2024(4), 123-141. \doi{10.56553/popets-2024-0110}
#'
#'   Hoeffding, W. (1956). On the distribution of the number of successes in independent trials. *Annals of Mathematical Statistics* 27(3), 713-721. \doi{10.1214/aoms/1177728178}
#'
#'   Pearson, K. (1900). On the criterion that a given system of deviations from the probable in the case of a correlated system of variables is such that it can be reasonably supposed to have
#'   arisen from random sampling. *Philosophical Magazine* 50(302), 157-175. \doi{10.1080/14786440009463897}
#' @seealso [rr_client()], which writes clients; [clients], the specification of clients in other languages; [rr_epsilon()], the budget that is promised.
#' @concept audit
#' @concept empirical privacy
#' @concept on-device randomization
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' # Does a client draw from the mechanism?
#' mechanism <- rr_unary(letters[1:4], 1.5)
#' truth <- rep(mechanism$levels, each = 1000)
#' set.seed(1)
#' rr_check_client(rr_perturb(truth, mechanism, rng = "R"), mechanism, truth)   # no problem
#'
#' # One random number for all four bits: each bit is as frequent as it should be
#' bits <- 1 * (runif(4000) < ifelse(outer(truth, mechanism$levels, "=="), mechanism$p, mechanism$q))
#' rr_check_client(bits, mechanism, truth)$problem[1]   # two parts come together too often
#'
#' # A client that sends the answer itself
#' rr_check_client(rep(c("no", "yes"), 1000), rr_warner(0.8), rep(c("no", "yes"), 1000))
#'
#' # A file, its numbers and its code
#' file <- rr_client(mechanism, tempfile(fileext = ".js"), as = "javascript")
#' rr_check_client(file, mechanism)
#' @export
rr_check_client <- function(reports, mechanism, truth = NULL, id = NULL, conf.level = 0.999, ...) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  alpha <- 1 - check_level(conf.level)
  questions <- mechanism$questions
  if (is.null(truth)) {
    known <- list()
    rows <- check_client_file(check_path(reports, "reports"), mechanism)
  } else if (is.null(questions)) {
    known <- list(known_reports(reports, mechanism, truth, id))
    rows <- check_rows(known[[1]], mechanism, alpha)
  } else {
    known <- Map(
      known_reports, question_columns(answer_frame(reports, "reports"), mechanism, "reports"),
      questions, question_columns(answer_frame(truth, "truth"), mechanism, "truth"), list(id)
    )
    rows <- product_rows(known, mechanism, alpha)
  }
  is_untested <- any(
    vapply(
      known, function(one) one$memoised && !length(repeated_reports(one)$second), NA
    )
  )
  mark(as_tibble(rows), "rr_client_check", untested = is_untested)
}

#' @export
print.rr_client_check <- function(x, ...) {
  wrong <- which(!is.na(x$problem))[1]
  verdict <- if (!is.na(wrong)) x$problem[wrong]
    else if (!any(x$n > 0)) "The file has the code and the numbers of this mechanism."
    else if (!isTRUE(attr(x, "untested"))) "No problem was found."
    else "The other tests found nothing."
  cat(
    "<rr_client_check> ", if (isTRUE(attr(x, "untested"))) untested_words, verdict, "\n", sep = ""
  )
  NextMethod()
}

untested_words <- "Not tested: whether permanent answers are kept, which needs `id` and two reports of each respondent. "

# ---- reports of known truths ----

known_reports <- function(reports, mechanism, truth, id) {
  checked_plan(mechanism)
  if (isTRUE(mechanism$codec$real) || !is.null(mechanism$part_column)) {
    refuse_client(mechanism, "No test of its reports is available: check each part by itself.")
  }
  x <- prepare_answers(mechanism, plain_answers(truth, mechanism))
  n <- report_number(reports)
  check_that(n > 0 && length(x) == n, x, "truth", "one answer for each report")
  check_that(
    is.null(id) ||
      (is.atomic(id) && length(id) == n && !anyNA(id)),
    id, "id", "one sender for each report"
  )
  ascending <- is_ascending(reports, mechanism$codec)
  reports <- rr_reports(reports, mechanism)
  # What a respondent sends again is no new evidence, but of what is kept.
  first <- !duplicated(id %||% seq_len(n))
  seen <- sort(unique(x))
  facts <- lapply(seen, function(one) {
    client_facts(mechanism, some_reports(reports, first & x == one), one)
  })
  list(
    x = x,
    reports = reports,
    seen = seen,
    facts = facts,
    own = reports_support(mechanism, reports, x),
    chance = vapply(facts, `[[`, 0, "own")[match(x, seen)],
    first = first,
    id = id,
    ascending = ascending,
    memoised = is_memoised(mechanism)
  )
}

# Rows of second reports about one answer, and of the first reports of the same respondents.
repeated_reports <- function(known) {
  second <- if (!is.null(known$id)) {
    which(number_within(match(known$id, known$id)) == 2)
  }
  first <- match(known$id[second], known$id)
  is_same <- known$x[second] == known$x[first]
  list(first = first[is_same], second = second[is_same])
}

# An order of a client's own can tell the truth, and reading sorts the positions.
is_ascending <- function(reports, codec) {
  size <- codec$ones %||% codec$drawn %||% 1
  if (size == 1 || inherits(reports, "rr_reports") || is.raw(reports)) return(TRUE)
  if (is.character(reports) && is.null(dim(reports))) {
    reports <- strsplit(trimws(reports), " +")
  }
  if (length(dim(reports)) == 2L) {
    reports <- if (ncol(reports) == size) asplit(as.matrix(reports), 1)
  }
  positions <- lapply(reports[lengths(reports) == size], function(one) {
    abs(as.numeric(one))
  })
  !any(vapply(positions, is.unsorted, NA))
}

# What reports of truth x say: `counts` of cells of which each report is one, with their chances. Or
# `marks`, bits of a report of which the `first` are about the truth, and `both`, the chance that
# two of them are 1, NA if it is not known. `own` is the chance that a report supports its truth,
# `again` that two of one respondent do, `equal` at least that two reports are equal.
client_facts <- function(mechanism, reports, x) UseMethod("client_facts")

#' @export
client_facts.rr_mechanism <- function(mechanism, reports, x) {
  if (is_cell(mechanism)) return(cell_facts(mechanism, reports, x))
  k <- length(mechanism$levels)
  law <- rr_law(mechanism)
  both <- matrix(law$both_other, k, k)
  both[x, ] <- both[, x] <- law$both_own
  diag(both) <- replace(rep(law$q, k), x, law$p)
  equal <- if (draws_bits(mechanism)) {
    prod(diag(both)^2 + (1 - diag(both))^2)
  } else {
    law$p * mechanism$sampler$factor / report_space(mechanism$codec)
  }
  again <- if (is_memoised(mechanism)) {
    sum(
      c(mechanism$first$p, 1 - mechanism$first$p) *
        c(mechanism$second$p, mechanism$second$q)^2
    )
  }
  list(
    marks = .Call(C_rr_bits_to_matrix, report_sets(mechanism, reports), as.double(k)),
    both = both,
    first = x,
    own = law$p,
    again = again %||% law$p^2,
    equal = equal,
    numbers = mechanism$codec$numbers
  )
}

cell_facts <- function(mechanism, reports, x) {
  chance <- cell_chances(mechanism, x)
  own <- supporting_cells(chance)
  again <- if (is_memoised(mechanism)) {
    sum(
      cell_chances(mechanism$first, x) *
        rowSums(rr_matrix(mechanism$second)[, own, drop = FALSE])^2
    )
  }
  list(
    counts = tabulate(report_cells(mechanism, reports), length(chance)),
    chance = chance,
    own = sum(chance[own]),
    again = again %||% sum(chance[own])^2
  )
}

# Is a report one of finitely many cells?
is_cell <- function(mechanism) {
  has_categories(mechanism) || identical(names(mechanism$codec$numbers), "report")
}

cell_chances <- function(mechanism, x) {
  reported_shares(mechanism, as.double(seq_along(mechanism$levels) == x))
}

report_cells <- function(mechanism, reports) {
  codec <- mechanism$codec
  if (length(codec$numbers)) {
    number_cells(reports, codec) + 1L
  } else {
    report_codes(reports, mechanism, "reports")
  }
}

# A cell supports the truths whose likeliest report it is.
supporting_cells <- function(chance) chance > max(chance) * (1 - 1e-9)

# How many reports there are.
report_space <- function(codec) {
  sizes <- vapply(
    codec$numbers,
    function(range) (range[2] - range[1]) / range[3] + 1, 0
  )
  prod(
    sizes, if (!is.null(codec$ones)) choose(codec$width, codec$ones)
  )
}

# Does each report support the category that goes with it?
reports_support <- function(mechanism, reports, category) UseMethod("reports_support")

#' @export
reports_support.rr_mechanism <- function(mechanism, reports, category) {
  if (!length(category)) return(logical())
  if (is_cell(mechanism)) {
    cells <- split(report_cells(mechanism, reports), category)
    chances <- lapply(as.integer(names(cells)), cell_chances, mechanism = mechanism)
    return(unsplit(
      Map(function(chance, cell) supporting_cells(chance)[cell], chances, cells), category
    ))
  }
  place <- category - 1
  bytes <- report_sets(mechanism, reports)[cbind(seq_along(place), place %/% 8 + 1)]
  as.integer(bytes) %/% 2^(place %% 8) %% 2 == 1
}

# ---- tests ----

# For each truth a chi-squared test of the parts of a report, and exact tests of what they say
# together.
check_rows <- function(known, mechanism, alpha) {
  number <- length(known$seen)
  bound <- epsilon_bound(mechanism, known, alpha)
  pooled <- pooled_tests(known)
  rows <- lapply(seq_len(number), function(i) {
    mine <- known$first & known$x == known$seen[i]
    facts <- known$facts[[i]]
    single <- single_test(facts, sum(mine))
    joint <- rbind(
      joint_tests(facts, some_reports(known$reports, mine), known$own[mine]), pooled
    )
    least <- min(1, nrow(joint) * joint$p)
    wrong <- c(single = single$p, joint = least) < alpha / 2 / number
    problem <- if (any(wrong)) client_problem(wrong, facts, known$own[mine], joint)
    problem <- problem %||% epsilon_problem(bound$low, mechanism)
    if (!known$ascending) problem <- "Positions must be increasing: their order can tell the truth."
    tibble(
      truth = mechanism$levels[known$seen[i]],
      n = as.double(sum(mine)),
      statistic = single$statistic,
      df = single$df,
      p.value = single$p,
      p.joint = least,
      epsilon = bound$estimate,
      epsilon.low = bound$low,
      epsilon.high = Inf,
      problem = problem %||% NA_character_
    )
  })
  do.call(rbind, rows)
}

# Of counts that are binomial, or sums of trials whose mean chance is given (Hoeffding 1956).
exact_tests <- function(what, count, n, chance) {
  p <- 2 * pmin(
    pbinom(count, n, chance), pbinom(count - 1, n, chance, lower.tail = FALSE)
  )
  list2DF(
    list(
      what = rep(what, length(count)),
      share = count / n,
      chance = chance,
      p = pmin(1, p)
    )
  )
}

single_test <- function(facts, n) {
  if (is.null(facts$marks)) cells_test(facts, n) else marks_test(facts, n)
}

# Rare cells that are equally likely are one cell; what is still rare is left to the exact tests.
pool_rare <- function(chance, n) {
  alike <- match(signif(chance, 9), signif(chance, 9))
  ifelse(n * pmin(chance, 1 - chance) < 5, -alike, seq_along(chance))
}

cells_test <- function(facts, n) {
  cell <- pool_rare(facts$chance, n)
  chance <- rowsum(facts$chance, cell)
  counts <- rowsum(facts$counts, cell)
  kept <- n * chance >= 5
  statistic <- if (any(counts > 0 & chance == 0)) {
    Inf
  } else {
    sum((counts - n * chance)[kept]^2 / chance[kept]) / n
  }
  df <- max(0, sum(kept) - 1)
  p <- if (df == 1) {
    exact_tests("", counts[kept][1], n, chance[kept][1])$p
  } else {
    moment_tail(statistic, df, n * chance[kept])
  }
  list(statistic = statistic, df = df, p = p)
}

two_cells <- function(count, chance, n) {
  list(counts = c(count, n - count), chance = c(chance, 1 - chance))
}

# The squared distance of the counts from what they should be, by their covariance.
marks_test <- function(facts, n) {
  near <- near_marks(facts)
  chance <- diag(facts$both)[near]
  # Marks of which pairs have no known chance are left to the exact tests.
  if (anyNA(facts$both)) {
    return(cells_test(
      two_cells(sum(facts$marks[, facts$first]), facts$own, n), n
    ))
  }
  difference <- colSums(facts$marks[, near, drop = FALSE]) - n * chance
  cell <- pool_rare(chance, n)
  spread <- (facts$spread %||% (facts$both - tcrossprod(diag(facts$both))))[
    near, near, drop = FALSE
  ]
  spread <- n * t(rowsum(t(rowsum(spread, cell)), cell))
  kept <- diag(spread) >= 5
  if (!any(kept)) {
    return(list(statistic = 0, df = 0, p = 1))
  }
  axes <- eigen(spread[kept, kept, drop = FALSE], symmetric = TRUE)
  some <- axes$values > 1e-9 * max(axes$values, 0)
  along <- crossprod(
    axes$vectors[, some, drop = FALSE], rowsum(difference, cell)[kept]
  )
  statistic <- sum(along^2 / axes$values[some])
  list(
    statistic = statistic,
    df = sum(some),
    p = moment_tail(statistic, sum(some), diag(spread)[kept])
  )
}

# So many marks are looked at in pairs, those of the truth among them.
near_marks <- function(facts) {
  head(unique(c(facts$first, seq_len(ncol(facts$marks)))), 100)
}

# A chi-squared distribution that is shifted and scaled to the first three moments of a sum of
# squares of counts with these expectations, which are nearly Poisson where they are small.
moment_tail <- function(statistic, df, expected) {
  if (df == 0) return(1)
  second <- 2 * df + sum(1 / expected)
  third <- 8 * df + sum(22 / expected + 1 / expected^2)
  scale <- third / (4 * second)
  freedom <- second / (2 * scale^2)
  pchisq((statistic - df) / scale + freedom, freedom, lower.tail = FALSE)
}

# Every two marks of a report, the numbers that do not depend on the truth with and without it, and
# equal reports.
joint_tests <- function(facts, reports, own) {
  n <- length(own)
  if (is.null(facts$marks)) {
    return(exact_tests("share", facts$counts, n, facts$chance))
  }
  near <- near_marks(facts)
  pairs <- upper.tri(diag(length(near))) &
    !is.na(facts$both[near, near])
  together <- crossprod(facts$marks[, near, drop = FALSE])
  free <- lapply(
    setdiff(names(facts$numbers), c("value", "sign")),
    function(name) {
      number_tests(reports[[name]], facts$numbers[[name]], own, facts$own)
    }
  )
  rbind(exact_tests("share", colSums(facts$marks), n, diag(facts$both)),
        exact_tests("pair", together[pairs], n, facts$both[near, near][pairs]),
        do.call(rbind, free),
        equal_test(reports, facts$equal))
}

# What does not depend on the truth is uniform: in each fifth of its range, odd and even.
number_tests <- function(values, range, own, chance) {
  ends <- range[1] +
    ceiling(0:5 * (range[2] - range[1] + 1) / 5)
  odd <- diff(floor(ends / 2))
  share <- c(diff(ends) - odd, odd) /
    (range[2] - range[1] + 1)
  cell <- findInterval(values, ends) + 5 * (values %% 2)
  rbind(exact_tests("number", tabulate(cell, 10), length(own), share),
        exact_tests("number", tabulate(cell[own], 10), length(own), share * chance))
}

# If equal reports are rare their number is nearly Poisson.
equal_test <- function(reports, equal) {
  n <- report_number(reports)
  if (is.null(equal) || n * equal > 0.2) return(NULL)
  text <- do.call(
    paste, lapply(if (is.data.frame(reports)) as.list(reports) else list(reports), as.character)
  )
  times <- tabulate(match(text, text))
  pairs <- sum(times * (times - 1)) / 2
  chance <- ppois(pairs - 1, n * (n - 1) / 2 * equal, lower.tail = FALSE)
  data.frame(what = "equal", share = pairs, chance = equal, p = chance)
}

# Of all truths together: which reports support their truth, and whether the report that follows, or
# a second one of the same respondent, supports its own too.
pooled_tests <- function(known) {
  first <- which(known$first)
  both <- function(what, a, b, chance) {
    if (length(a)) {
      exact_tests(
        what, sum(known$own[a] & known$own[b]), length(a),
        mean(chance)
      )
    }
  }
  follows <- lapply(1:2, function(from) {
    at <- seq(
      from, by = 2,
      length.out = max(0, (length(first) - from + 1) %/% 2)
    )
    both(
      "next", first[at], first[at + 1],
      known$chance[first[at]] * known$chance[first[at + 1]]
    )
  })
  pairs <- repeated_reports(known)
  again <- vapply(known$facts, `[[`, 0, "again")[
    match(known$x[pairs$second], known$seen)
  ]
  rbind(
    exact_tests(
      "share", sum(known$own[first]), length(first),
      mean(known$chance[first])
    ),
    do.call(rbind, follows), both("again", pairs$first, pairs$second, again)
  )
}

# ---- what the reports prove about epsilon ----

# Of two truths, drawn at random, a report of one supports either it alone (a) or the other alone
# (b). For every client of this epsilon a is binomial given a + b, with at most the odds e^epsilon.
epsilon_bound <- function(mechanism, known, alpha) {
  k <- length(known$seen)
  if (k < 2) return(list(estimate = NA_real_, low = 0))
  at <- which(known$first)
  pairs <- other_truths(match(known$x[at], known$seen), k)
  at <- at[pairs$kept]
  other <- reports_support(
    mechanism, some_reports(known$reports, at), known$seen[pairs$other[pairs$kept]]
  )
  a <- sum(known$own[at] & !other)
  b <- sum(!known$own[at] & other)
  counts <- do.call(rbind, lapply(known$facts, `[[`, "counts"))
  small <- is_cell(mechanism) && length(counts) <= 1000
  levels <- c(
    pairs_bound(a, b, alpha / (1 + small)),
    if (small) table_bound(counts, alpha / 2)
  )
  list(
    estimate = if (a + b > 0) log(a / b) else NA_real_,
    low = max(0, levels)
  )
}

pairs_bound <- function(a, b, alpha) qlogis(qbeta(alpha, a, b + 1))

# Clopper-Pearson limits of all probabilities at once. Rows are truths.
table_bound <- function(counts, alpha) {
  n <- rowSums(counts)
  alpha <- alpha / 2 / length(counts)
  low <- matrix(qbeta(alpha, counts, n - counts + 1), nrow(counts))
  high <- matrix(
    qbeta(alpha, counts + 1, n - counts, lower.tail = FALSE), nrow(counts)
  )
  max(
    log(apply(low, 2, max)) - log(apply(high, 2, min))
  )
}

# Another truth for each report, the neighbours in turn on both sides; only as many as there are
# reports the other way.
other_truths <- function(x, k) {
  turn <- (number_within(x) - 1) %% (k - 1)
  other <- (x - 1 + ifelse(
    turn %% 2 == 0, turn / 2 + 1, -(turn + 1) / 2
  )) %% k + 1
  pair <- (x - 1) * k + other
  found <- unique(pair)
  reverse <- tabulate(match(pair, found))[
    match((other - 1) * k + x, found)
  ]
  list(
    other = other,
    kept = number_within(pair) <= replace(reverse, is.na(reverse), 0)
  )
}

number_within <- function(group) ave(seq_along(group), group, FUN = seq_along)

# ---- several questions ----

# Each question by itself, and whether reports of two questions support their truths together.
product_rows <- function(knowns, mechanism, alpha) {
  questions <- mechanism$questions
  rows <- do.call(rbind, lapply(names(questions), function(name) {
    rows <- check_rows(knowns[[name]], questions[[name]], alpha / length(questions))
    add_column(rows, question = name, .before = 1)
  }))
  bounds <- rows[!duplicated(rows$question), ]
  pairs <- combn(length(questions), 2, simplify = FALSE)
  joint <- do.call(
    rbind,
    lapply(pairs, function(pair) {
      one <- knowns[[pair[1]]]
      other <- knowns[[pair[2]]]
      exact_tests(
        "", sum(one$own & other$own & one$first), sum(one$first),
        mean((one$chance * other$chance)[one$first])
      )
    })
  )
  least <- min(1, joint$p * nrow(joint))
  problem <- if (least < alpha / 2) {
    "The questions of one respondent are not randomized independently of each other."
  }
  low <- sum(bounds$epsilon.low)
  rbind(
    rows,
    tibble(
      question = toString(names(questions)),
      truth = NA_character_,
      n = as.double(sum(knowns[[1]]$first)),
      statistic = NA,
      df = NA,
      p.value = NA,
      p.joint = least,
      epsilon = sum(bounds$epsilon),
      epsilon.low = low,
      epsilon.high = Inf,
      problem = problem %||% epsilon_problem(low, mechanism) %||% NA_character_
    )
  )
}

# ---- words ----

epsilon_problem <- function(low, mechanism) {
  if (low > mechanism$epsilon) {
    sprintf(
      "The reports prove an epsilon of at least %s, above the promised %s.",
      format(low, digits = 3), format(mechanism$epsilon, digits = 3)
    )
  }
}

client_problem <- function(wrong, facts, own, joint) {
  if (all(own) && facts$own < 1) {
    return("Every report holds the truth: the answers were not randomized.")
  }
  if (is_turned(facts, length(own))) {
    return(
      "The bits of each byte are in the wrong order: the highest comes first, and the lowest should."
    )
  }
  joint <- joint[joint$p * nrow(joint) < 0.001, ]
  kinds <- c(
    "equal", if (wrong[["single"]]) "share", "number", "share", "next", "again", "pair"
  )
  what <- c(intersect(kinds, joint$what), "share")[1]
  at <- joint[joint$what == what, ]
  at <- at[which.min(at$p), ]
  shares <- format(c(mean(own), facts$own), digits = 3)
  both <- format(c(at$share, at$chance), digits = 3)
  switch(
    what,
    equal = "Different reports are equal too often: each must be drawn anew.",
    number = "Numbers that no answer should change are not uniform, or depend on the truth.",
    `next` = "A report depends on the report before it: each must be drawn anew.",
    again = "The permanent answers were not kept, or not drawn as they should be.",
    pair = sprintf(
      paste(
        "Two parts of a report come together in %s of the reports, which should be %s: each needs a",
        "random number of its own."
      ),
      both[1], both[2]
    ),
    share = sprintf(
      paste(
        "%s of the reports hold the truth, which should be %s; or the others are not as frequent as",
        "they should be."
      ),
      shares[1], shares[2]
    )
  )
}

# Would the highest bit of each byte first make these counts what they should be?
is_turned <- function(facts, n) {
  width <- ncol(facts$marks)
  if (is.null(width) || width %% 8 > 0) return(FALSE)
  place <- seq_len(width) - 1
  facts$marks <- facts$marks[, 8 * (place %/% 8) + 8 - place %% 8]
  marks_test(facts, n)$p > 1e-3
}

# ---- files ----

# A file has the numbers of the mechanism, and between its settings the code of one of the package's
# files.
check_client_file <- function(file, mechanism) {
  check_that(file.exists(file), file, "reports", "reports, or the name of a file that is there",
             c("file", "argument"))
  text <- file_text(file)
  plan <- client_text(mechanism)
  forms <- c(
    text, gsub("\\u003c", "<", text, fixed = TRUE), gsub("\\\\([\\\\\"])", "\\1", text)
  )
  folder <- system.file("client", package = "candor")
  sources <- list.files(folder, "[.](js|mjs|py|html)$", full.names = TRUE)
  core <- file_text(file.path(folder, "candor.js"))
  problem <- if (!any(grepl(plan, forms, fixed = TRUE))) {
    "The file does not hold the numbers of this mechanism's sampler."
  } else if (trimws(text) != plan &&
      !any(vapply(sources, is_filled, NA, text = text, core = core))) {
    "The file holds other code than this version of the package writes."
  }
  tibble(
    truth = NA_character_,
    n = 0,
    statistic = NA,
    df = NA,
    p.value = NA,
    p.joint = NA,
    epsilon = NA,
    epsilon.low = NA,
    epsilon.high = NA,
    problem = problem %||% NA_character_
  )
}

# The pieces of a source stand in the text in their order, and between them are JSON or words
# without markup.
is_filled <- function(source, text, core) {
  source <- sub("{{client}}", core, file_text(source), fixed = TRUE)
  pieces <- strsplit(source, "\\{\\{[a-z]+\\}\\}|(?<=\nPLAN = )None|(?<= plan: )null", perl = TRUE)[[
    1
  ]]
  for (i in seq_along(pieces)) {
    at <- regexpr(pieces[i], text, fixed = TRUE)
    gap <- substr(text, 1, at - 1)
    # Between tags stands text for who has no scripts.
    words <- if (i > 1 && endsWith(pieces[i - 1], ">")) "^[^<>]*$" else "^[^<>\"; ]*$"
    json <- sub("^json.loads\\((.*)\\)$", "\\1", gap)
    if (at < 0 || (i == 1 && at > 1) ||
        !(grepl(words, gap) || jsonlite::validate(json))) {
      return(FALSE)
    }
    text <- substring(text, at + nchar(pieces[i]))
  }
  !nzchar(text)
}
