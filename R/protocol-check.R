# The check of a client: reports of known truths are compared with the exact distribution of the
# mechanism.

#' Check a client: do its reports come from the mechanism, and what do they reveal?
#'
#' `rr_check_client()` tests reports of known answers, from any program, against the exact distribution of the mechanism, and bounds the privacy budget
#' \eqn{\epsilon} of the program from below. The name of a file of [rr_client()] can stand in the place of reports: the file passes if it is, byte by byte,
#' what `rr_client()` writes for the mechanism, with any question, `key`, address and words. If not, `problem` names the first line that differs.
#'
#' A client that draws wrongly sends reports that look valid, and some disclose every answer. Let the client randomize known answers, each from a device of its
#' own, at least 1,000 times each, and give the reports in the order in which they were made.
#'
#' @section Tests:
#' \describe{
#' \item{`p.value`}{Pearson's chi-squared test of the parts of a report: cells of categories, bits, supported categories. Rare cells that are equally likely are
#'   one cell. The tail follows a chi-squared distribution with the first three moments of the statistic.}
#' \item{`p.joint`}{The smallest p-value of exact binomial tests, times their number (Bonferroni). Tested are each part and each pair of parts (the first 500), the number of bits that are 1,
#'   equal reports, and for an [rr_product()] the parts of each question given the answers to two. Numbers that no answer should change, such as the slope of a hash function, are tested in
#'   fifths and modulo 2, 3, 5 and 7, together and with the support of the truth, and so is the value of the truth.}
#' \item{sequence}{Also in `p.joint`, over all truths: does each sixteenth of the sequence, and each second to tenth report, support its truth as often as it should? Reports at any distance
#'   from each other, those of the same number in two truths, and with `id` the first and each later report of a respondent must not support their truths together.}
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
#' The scripts `studies/clients.R` and `studies/client-checks.R` of the site have clients that are broken or disclose answers, with the share found. With 10,000 reports of each
#' truth the check finds all that disclose answers but one. With 1,000 reports it sometimes misses probabilities that are 10 % off.
#'
#' No test can find without `id`, and with one report of each respondent, that devices differ at random: if half of them tell the truth and the others lie more often, the reports together are as they should be.
#' Nor can a test find a generator, or a mark in the reports, that only its owner can predict, or a threshold that is slightly wrong. A file has to be checked itself.
#'
#' @param reports The reports, in any form that [rr_tally()] reads; or the name of a file of [rr_client()].
#' @param mechanism A mechanism that has a client, see [rr_client()].
#' @param truth The true answer of each report; for an [rr_product()] a data frame. Not for a file.
#' @param id Who sent each report. By default each report has a respondent of its own. Needed to check permanent answers ([rr_longitudinal()], [rr_bloom()] with
#'   `permanent`): give two reports or more of each respondent about one answer. Without them the verdict is that this was not tested.
#' @param conf.level Number between 0 and 1, default 0.999. Confidence of `epsilon.low`. A correct client is accused with a probability of at most twice 1 - `conf.level`.
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
#' reports <- rr_perturb(truth, mechanism, rng = "R")
#' rr_check_client(reports, mechanism, truth)   # no problem
#'
#' # One random number for all four bits: each bit is as frequent as it should
#' # be
#' is_truth <- outer(truth, mechanism$levels, "==")
#' bits <- 1 * (runif(4000) < ifelse(is_truth, mechanism$p, mechanism$q))
#' rr_check_client(bits, mechanism, truth)$problem[1]
#' # two parts come together too often
#'
#' # A client that sends the answer itself
#' answers <- rep(c("no", "yes"), 1000)
#' rr_check_client(answers, rr_warner(0.8), answers)
#'
#' # A file, its numbers and its code
#' file <- rr_client(mechanism, tempfile(fileext = ".js"), as = "javascript")
#' rr_check_client(file, mechanism)
#' @export
rr_check_client <- function(reports, mechanism, truth = NULL, id = NULL, conf.level = 0.999, ...) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  alpha <- 1 - check_conf_level(conf.level)
  questions <- mechanism$questions

  if (is.null(truth)) {
    audits <- list()
    table <- check_client_file(check_path(reports, "reports"), mechanism)
  } else if (is.null(questions)) {
    audits <- list(new_audit(reports, mechanism, truth, id))
    table <- audit_table(audits[[1]], mechanism, alpha)
  } else {
    reports <- question_columns(answer_frame(reports, "reports"), mechanism, "reports")
    truths <- question_columns(answer_frame(truth, "truth"), mechanism, "truth")
    audits <- Map(new_audit, reports, questions, truths, list(id))
    table <- product_audit_table(audits, mechanism, alpha)
  }
  is_untested <- function(audit) {
    audit$is_permanent && !length(repeated_reports(audit)$second)
  }
  with_class(as_tibble(table), "rr_client_check", untested = any(vapply(audits, is_untested, NA)))
}

#' @export
print.rr_client_check <- function(x, ...) {
  is_untested <- isTRUE(attr(x, "untested"))
  problems <- x$problem[!is.na(x$problem)]
  verdict <- if (length(problems)) {
    problems[1]
  } else if (identical(attr(x, "file_kind"), "plan")) {
    "The file has the numbers of this mechanism."
  } else if (length(attr(x, "file_kind"))) {
    "The file has the code and the numbers of this mechanism."
  } else if (is_untested) {
    "The other tests found nothing."
  } else {
    "No problem was found."
  }
  writeLines(within_80(paste0("<rr_client_check> ", if (is_untested) untested_words, verdict)))
  NextMethod()
}

untested_words <- paste(
  "Not tested: whether permanent answers are kept, and without `id` whether reports depend on each",
  "other. Both need `id`, and two reports of each respondent. "
)

# ---- reports of known truths ----

# The reports of a client, as the tests need them. Vectors have an element for each report:
#   truth         the position of its true answer
#   supports      does it support its truth?
#   p_support     the probability that it does
#   is_first      is it the first of its respondent? Later ones are evidence of permanence alone.
#   reports, id   the reports, as cells if these are few, and their senders
#   truths        the distinct truths
#   facts         client_facts() of the first reports of each of these
#   has_cells     is a report one of few cells?
#   is_ascending  are all lists of positions increasing?
#   is_permanent  does a respondent keep an answer that is randomized once?
new_audit <- function(reports, mechanism, truth, id) {
  checked_plan(mechanism)
  if (isTRUE(mechanism$codec$real) || !is.null(mechanism$codec$part)) {
    refuse_client(mechanism, "No test of its reports is available: check each part by itself.")
  }
  answers <- prepare_answers(mechanism, plain_answers(truth, mechanism))
  n <- report_number(reports)
  check_that(n > 0 && length(answers) == n, answers, "truth", "one answer for each report")
  is_valid <- is.null(id) ||
    (is.atomic(id) && length(id) == n && !anyNA(id))
  check_that(is_valid, id, "id", "one sender for each report")

  is_ascending <- has_ascending_positions(reports, mechanism)
  has_cells <- is_cell(mechanism)
  reports <- if (has_cells) report_cells(mechanism, reports) else rr_reports(reports, mechanism)
  is_first <- !duplicated(id %||% seq_len(n))
  truths <- sort(unique(answers))
  first_reports <- lapply(truths, function(x) some_reports(reports, is_first & answers == x))
  facts <- if (has_cells) {
    cell_facts(mechanism, first_reports, truths)
  } else {
    Map(client_facts, list(mechanism), first_reports, truths)
  }
  p_support <- vapply(facts, `[[`, 0, "p_support")
  audit <- list(
    truth = answers,
    p_support = p_support[match(answers, truths)],
    is_first = is_first,
    reports = reports,
    id = id,
    truths = truths,
    facts = facts,
    has_cells = has_cells,
    is_ascending = is_ascending,
    is_permanent = is_memoised(mechanism)
  )
  audit$supports <- audit_supports(audit, mechanism, seq_len(n), answers)
  audit
}

# Does the report of each of `rows` support the truth that goes with it?
audit_supports <- function(audit, mechanism, rows, truth) {
  reports <- some_reports(audit$reports, rows)
  if (!audit$has_cells) return(reports_support(mechanism, reports, truth))
  supporting <- do.call(rbind, lapply(audit$facts, `[[`, "supporting"))
  supporting[cbind(match(truth, audit$truths), reports)]
}

# The rows of later reports about one answer, of the first reports of the same respondents, and the
# number that each later report has among those of its respondent.
repeated_reports <- function(audit) {
  number <- number_within(match(audit$id, audit$id))
  second <- which(number > 1)
  first <- match(audit$id[second], audit$id)
  is_same <- audit$truth[second] == audit$truth[first]
  list(
    first = first[is_same],
    second = second[is_same],
    number = number[second[is_same]]
  )
}

# Are the positions of each report increasing? Their order can tell the truth, and reading sorts
# them.
has_ascending_positions <- function(reports, mechanism) {
  codec <- mechanism$codec
  size <- codec$ones %||% codec$drawn %||% 1
  if (size == 1) return(TRUE)
  rows <- read_rows(reports, mechanism)$rows
  if (is.raw(rows) || holds_bits(rows, codec)) return(TRUE)
  if (ncol(rows) != size) return(TRUE)
  positions <- abs(rows)
  !any(positions[, -1] < positions[, -size], na.rm = TRUE)
}

# The reports of truth x beside their exact distribution. If a report is one of few cells:
#   cells              the cell of each report
#   counts, prob       the number of reports in each cell, and its probability
#   supporting         does each cell support the truth? It supports the truths whose likeliest
#                      report it is
#   labels             the reports of the cells
# else:
#   bits               a row of 0 and 1 for each report
#   both               P(two bits are 1), on the diagonal P(a bit is 1); NA if it is not known
#   covariance         of the bits of a report, if `both` does not give it
#   truth_bits         the bits that are about the truth
#   p_equal            at least P(two reports are equal)
#   numbers            the ranges of numbers in a report that are drawn, see report_codec()
#   values             the probabilities of the values of the truth, if a number of the report says
#                      one of several values
#   p_odd              P(an odd number of bits is 1), if bits are independent
# and in both cases:
#   p_support          P(a report supports its truth)
#   p_support_twice    P(two reports of one respondent do)
client_facts <- function(mechanism, reports, x) UseMethod("client_facts")

#' @export
client_facts.rr_mechanism <- function(mechanism, reports, x) {
  k <- length(mechanism$levels)
  law <- rr_law(mechanism)
  p_one <- replace(rep(law$q, k), x, law$p)
  p_pair <- matrix(law$both_other, k, k)
  p_pair[x, ] <- p_pair[, x] <- law$both_own
  diag(p_pair) <- p_one

  p_equal <- if (draws_bits(mechanism)) {
    prod(p_one^2 + (1 - p_one)^2)
  } else {
    law$p * mechanism$sampler$factor / n_possible_reports(mechanism$codec)
  }
  p_support_twice <- if (is_memoised(mechanism)) {
    p_first <- c(mechanism$first$p, 1 - mechanism$first$p)
    p_second <- c(mechanism$second$p, mechanism$second$q)
    sum(p_first * p_second^2)
  }
  list(
    bits = .Call(C_rr_bits_to_matrix, report_sets(mechanism, reports), k),
    both = p_pair,
    truth_bits = x,
    p_support = law$p,
    p_support_twice = p_support_twice %||% law$p^2,
    p_equal = p_equal,
    numbers = mechanism$codec$numbers,
    p_odd = if (draws_bits(mechanism)) (1 - prod(1 - 2 * p_one)) / 2
  )
}

# client_facts() of each of `truths`; `cells` are those of its reports.
cell_facts <- function(mechanism, cells, truths) {
  facts <- Map(function(cells, prob) {
    supporting <- prob > max(prob) * (1 - 1e-9)
    p_support <- sum(prob[supporting])
    list(
      cells = cells,
      counts = tabulate(cells, length(prob)),
      prob = prob,
      supporting = supporting,
      labels = paste(":", mechanism$reports),
      p_support = p_support,
      p_support_twice = p_support^2
    )
  }, cells, cell_probs(mechanism, truths))
  if (!is_memoised(mechanism)) return(facts)
  second <- rr_matrix(mechanism$second)
  Map(function(facts, p_first) {
    p_second <- rowSums(second[, facts$supporting, drop = FALSE])
    facts$p_support_twice <- sum(p_first * p_second^2)
    facts
  }, facts, cell_probs(mechanism$first, truths))
}

# Is a report one of finitely many cells?
is_cell <- function(mechanism) {
  has_categories(mechanism) || identical(names(mechanism$codec$numbers), "report")
}

# The probabilities of the cells under each of `truths`.
cell_probs <- function(mechanism, truths) {
  law <- rr_law(mechanism)
  levels <- seq_along(mechanism$levels)
  lapply(truths, function(x) law_expected(law, as.double(levels == x)))
}

# The cell of each report, from 1.
report_cells <- function(mechanism, reports) {
  codec <- mechanism$codec
  if (!length(codec$numbers)) return(report_codes(reports, mechanism))
  number_cells(rr_reports(reports, mechanism), codec) + 1L
}

# The number of values of a column of whole numbers, see report_codec().
n_values <- function(range) (range[2] - range[1]) / range[3] + 1

# The number of different reports.
n_possible_reports <- function(codec) {
  n_subsets <- if (!is.null(codec$ones)) choose(codec$width, codec$ones)
  prod(vapply(codec$numbers, n_values, 0), n_subsets)
}

# Does each report, which is no cell, support the category that goes with it?
reports_support <- function(mechanism, reports, category) UseMethod("reports_support")

#' @export
reports_support.rr_mechanism <- function(mechanism, reports, category) {
  if (!length(category)) return(logical())
  bit <- category - 1
  sets <- report_sets(mechanism, reports)
  bytes <- sets[cbind(seq_along(bit), bit %/% 8 + 1)]
  as.integer(bytes) %/% 2^(bit %% 8) %% 2 == 1
}

# ---- tests ----

# The table of rr_check_client(): a row for each truth, with a chi-squared test of the parts of a
# report and exact tests of what they say together.
audit_table <- function(audit, mechanism, alpha) {
  n_truths <- length(audit$truths)
  bound <- epsilon_bound(mechanism, audit, alpha)
  pooled <- pooled_tests(audit)
  exceeded <- epsilon_problem(bound$low, mechanism)
  tables <- lapply(seq_len(n_truths), function(i) {
    is_used <- audit$is_first & audit$truth == audit$truths[i]
    reports <- some_reports(audit$reports, is_used)
    supports <- audit$supports[is_used]
    facts <- audit$facts[[i]]

    single <- single_test(facts, length(supports))
    joint <- rbind(joint_tests(facts, reports, supports), pooled)
    p_joint <- min(1, nrow(joint) * joint$p)
    rejected <- c(single = single$p, joint = p_joint) < alpha / 2 / n_truths
    problem <- if (any(rejected)) client_problem(rejected, facts, supports, joint)
    if (!audit$is_ascending) {
      problem <- "Positions must be increasing: their order can tell the truth."
    }
    truth <- mechanism$levels[audit$truths[i]]
    audit_row(truth, length(supports), single, p_joint, bound, problem %||% exceeded)
  })
  do.call(rbind, tables)
}

# A row of the table of rr_check_client(), of the chi-squared test, the joint p-value and the bound
# of epsilon. Reports do not bound epsilon from above.
audit_row <- function(truth, n, single, p_joint, bound, problem) {
  tibble(
    truth = truth,
    n = as.double(n),
    statistic = single$statistic,
    df = single$df,
    p.value = single$p,
    p.joint = p_joint,
    epsilon = bound$estimate,
    epsilon.low = bound$low,
    epsilon.high = if (is.na(bound$low)) NA_real_ else Inf,
    problem = problem %||% NA_character_
  )
}

# The test and the bound of a row that has none.
no_test <- list(statistic = NA, df = NA, p = NA)
no_bound <- list(estimate = NA, low = NA)

# Two-sided tests of counts that are binomial, or sums of independent trials with the mean
# probability `prob` (Hoeffding 1956). The column `test` has the kind of test, `detail` a word of
# its sentence, see `test_words`.
exact_tests <- function(test, count, n, prob, detail = "") {
  low <- pbinom(count, n, prob)
  high <- pbinom(count - 1, n, prob, lower.tail = FALSE)
  list2DF(list(
    test = rep(test, length(count)),
    share = count / n,
    prob = prob,
    detail = rep_len(as.character(detail), length(count)),
    p = pmin(1, 2 * pmin(low, high))
  ))
}

# The chi-squared test of n reports of one truth: list(statistic, df, p).
single_test <- function(facts, n) {
  if (is.null(facts$bits)) cells_test(facts, n) else bits_test(facts, n)
}

# The cell of each cell after pooling: rare cells that are equally likely are one. Cells that are
# still rare are left to the exact tests.
pool_rare <- function(prob, n) {
  rounded <- signif(prob, 9)
  is_rare <- n * pmin(prob, 1 - prob) < 5
  ifelse(is_rare, -match(rounded, rounded), seq_along(prob))
}

# Pearson's test of the counts of cells. If it has one degree of freedom it is exact.
cells_test <- function(facts, n) {
  pooled <- pool_rare(facts$prob, n)
  prob <- rowsum(facts$prob, pooled)
  counts <- rowsum(facts$counts, pooled)
  used <- n * prob >= 5
  is_impossible <- any(counts > 0 & prob == 0)
  squares <- (counts - n * prob)[used]^2 / prob[used]
  statistic <- if (is_impossible) Inf else sum(squares) / n
  df <- max(0, sum(used) - 1)
  p <- if (is_impossible) {
    0
  } else if (df == 1) {
    exact_tests("", counts[used][1], n, prob[used][1])$p
  } else {
    moment_p_value(statistic, df, n * prob[used])
  }
  list(statistic = statistic, df = df, p = p)
}

# The squared distance of the numbers of ones from their expectations, by their covariance.
bits_test <- function(facts, n) {
  if (anyNA(facts$both)) return(truth_bits_test(facts, n))
  bits <- paired_bits(facts)
  p_one <- diag(facts$both)[bits]
  difference <- colSums(facts$bits[, bits, drop = FALSE]) - n * p_one
  covariance <- facts$covariance %||% (facts$both - tcrossprod(diag(facts$both)))
  covariance <- covariance[bits, bits]

  pooled <- pool_rare(p_one, n)
  difference <- rowsum(difference, pooled)
  covariance <- n * t(rowsum(t(rowsum(covariance, pooled)), pooled))
  used <- diag(covariance) >= 5
  if (!any(used)) {
    return(list(statistic = 0, df = 0, p = 1))
  }

  axes <- eigen(covariance[used, used, drop = FALSE], symmetric = TRUE)
  positive <- axes$values > 1e-9 * max(axes$values, 0)
  distance <- crossprod(axes$vectors[, positive, drop = FALSE], difference[used])
  statistic <- sum(distance^2 / axes$values[positive])
  df <- sum(positive)
  p <- moment_p_value(statistic, df, diag(covariance)[used])
  list(statistic = statistic, df = df, p = p)
}

# The test of the truth's bits alone. If pairs of bits have no known probability the others are left
# to the exact tests.
truth_bits_test <- function(facts, n) {
  n_ones <- sum(facts$bits[, facts$truth_bits])
  p <- facts$p_support
  cells <- list(
    counts = c(n_ones, n - n_ones),
    prob = c(p, 1 - p)
  )
  cells_test(cells, n)
}

# The bits that are looked at together, the truth's among them.
paired_bits <- function(facts, max_bits = 100) {
  head(unique(c(facts$truth_bits, seq_len(ncol(facts$bits)))), max_bits)
}

# The upper tail of a chi-squared distribution, shifted and scaled to the first three moments of a
# sum of squares of counts with these expectations, which are nearly Poisson if they are small.
moment_p_value <- function(statistic, df, expected) {
  if (df == 0) return(1)
  second <- 2 * df + sum(1 / expected)
  third <- 8 * df + sum(22 / expected + 1 / expected^2)
  scale <- third / (4 * second)
  scaled_df <- second / (2 * scale^2)
  pchisq((statistic - df) / scale + scaled_df, scaled_df, lower.tail = FALSE)
}

# Exact tests of each bit, of each pair of bits, of the numbers that do not depend on the truth,
# with and without it, and of equal reports. `supports`: does each report support its truth?
joint_tests <- function(facts, reports, supports) {
  n <- length(supports)
  if (is.null(facts$bits)) {
    return(exact_tests("share", facts$counts, n, facts$prob, facts$labels))
  }
  n_odd <- sum(rowSums(facts$bits) %% 2)
  rbind(
    exact_tests("share", colSums(facts$bits), n, diag(facts$both)),
    pair_tests(facts),
    if (!is.null(facts$p_odd)) exact_tests("parity", n_odd, n, facts$p_odd),
    marker_test(facts),
    if (length(facts$numbers)) number_tests(facts, reports, supports),
    equal_test(reports, facts$p_equal)
  )
}

# Exact tests of all pairs of at most 500 bits. A random number that two bits share is seen in few
# reports, so that of many bits some reports are enough.
pair_tests <- function(facts) {
  bits <- paired_bits(facts, 500)
  n_used <- min(nrow(facts$bits), floor(5e8 / length(bits)^2))
  p_pair <- facts$both[bits, bits]
  pairs <- upper.tri(p_pair) & !is.na(p_pair)
  counts <- crossprod(facts$bits[seq_len(n_used), bits, drop = FALSE])
  exact_tests("pair", counts[pairs], n_used, p_pair[pairs])
}

# The test of the report of independent bits that comes too often, one of all that are possible;
# NULL if these are very many: then equal reports are rare, and tested.
marker_test <- function(facts) {
  k <- ncol(facts$bits)
  if (is.null(facts$p_odd) || k > 20) return(NULL)
  code <- drop(facts$bits %*% 2^(seq_len(k) - 1))
  bits <- facts$bits[!duplicated(code), , drop = FALSE]
  prob <- exp(
    colSums(log(abs(t(bits) - 1 + diag(facts$both))))
  )
  tests <- exact_tests(
    "marker", tabulate(match(code, unique(code))), length(code), prob
  )
  tests$p <- pmin(1, tests$p * 2^k)
  tests[which.min(tests$p), ]
}

# Exact tests of the numbers of a report. Those that do not depend on the truth are uniform, in each
# fifth of their range and modulo 2, 3, 5 and 7, all numbers together, with and without the support
# of the truth. The number that does is that of the truth if the report supports it, else any other.
number_tests <- function(facts, reports, supports) {
  n <- length(supports)
  p <- facts$p_support
  value_name <- intersect(c("value", "sign"), names(facts$numbers))
  ranges <- facts$numbers[setdiff(names(facts$numbers), value_name)]
  numbers <- as.list(reports)[names(ranges)]

  cells <- c(
    Map(fifth_cells, numbers, ranges),
    lapply(c(2, 3, 5, 7), residue_cells, numbers, ranges)
  )
  tests <- lapply(cells, function(cell) {
    n_cells <- length(cell$prob)
    rbind(
      exact_tests("number", tabulate(cell$cell, n_cells), n, cell$prob),
      exact_tests("number", tabulate(cell$cell[supports], n_cells), n, cell$prob * p)
    )
  })
  if (!length(value_name)) return(do.call(rbind, tests))

  range <- facts$numbers[[value_name]]
  g <- n_values(range)
  value <- (reports[[value_name]] - range[1]) / range[3] + 1
  rbind(
    do.call(rbind, tests),
    exact_tests("value", tabulate(value[supports], g), n, facts$values * p),
    exact_tests(
      "value", tabulate(value[!supports], g), n,
      (1 - facts$values) / (g - 1) * (1 - p)
    )
  )
}

# list(cell, prob): the fifth of its range in which each number is, and the probability of each.
fifth_cells <- function(number, range) {
  n <- n_values(range)
  breaks <- range[1] + ceiling(0:5 * n / 5)
  list(cell = findInterval(number, breaks), prob = diff(breaks) / n)
}

# list(cell, prob): the combination of the numbers modulo q, and the probability of each.
residue_cells <- function(q, numbers, ranges) {
  residue <- seq_len(q) - 1
  shares <- lapply(ranges, function(range) {
    n <- (range[2] - residue) %/% q -
      (range[1] - 1 - residue) %/% q
    n / sum(n)
  })
  list(
    cell = Reduce(function(cell, number) cell * q + number %% q, numbers, 0) +
      1,
    prob = Reduce(function(prob, share) as.vector(outer(share, prob)), shares, 1)
  )
}

# The test of the number of pairs of equal reports, which is nearly Poisson if they are rare; NULL
# if they are not.
equal_test <- function(reports, p_equal) {
  n <- report_number(reports)
  if (is.null(p_equal) || n * p_equal > 0.2) return(NULL)
  columns <- if (is.data.frame(reports)) as.list(reports) else list(reports)
  text <- do.call(paste, lapply(columns, as.character))
  times <- tabulate(match(text, text))
  n_pairs <- sum(times * (times - 1)) / 2
  expected <- n * (n - 1) / 2 * p_equal
  p <- ppois(n_pairs - 1, expected, lower.tail = FALSE)
  data.frame(test = "equal", share = n_pairs, prob = p_equal, detail = "", p = p)
}

# Tests over all truths: do the probabilities change along the sequence, do two respondents share
# random numbers, and do the reports of one respondent go together as they should?
pooled_tests <- function(audit) {
  first <- which(audit$is_first)
  n <- length(first)
  supports <- audit$supports[first]
  p <- audit$p_support[first]
  part <- p_part <- numeric(n)
  for (i in seq_along(audit$truths)) {
    rows <- audit$truth[first] == audit$truths[i]
    facts <- audit$facts[[i]]
    if (audit$has_cells) {
      part[rows] <- facts$cells == 1
      p_part[rows] <- facts$prob[1]
    } else {
      part[rows] <- facts$bits[, 1]
      p_part[rows] <- facts$both[1, 1]
    }
  }
  # Reports of the same number among those of their truths are neighbours.
  restarts <- order(number_within(audit$truth[first]), audit$truth[first])
  rbind(
    group_tests("overall", rep(1, n), supports, p),
    group_tests("overall", rep(1, n), part == 1, p_part),
    group_tests(
      "drift",
      outer(seq_len(n) - 1, 2^(1:4), function(i, m) {
        (i * m) %/% n
      }),
      supports, p
    ),
    group_tests(
      "period", outer(seq_len(n), 2:10, `%%`), supports, p, 2:10
    ),
    # Reports with one permanent answer are alike, and who sent which is not known without `id`.
    if (!audit$is_permanent || !is.null(audit$id)) {
      rbind(copy_tests(supports, p, restarts), copy_tests(part == 1, p_part, restarts))
    },
    function_test(audit, first),
    if (!is.null(audit$id)) repeat_tests(audit)
  )
}

# Tests of the share of reports that support their truth in groups, each column of `groups` by
# itself; `detail` has a word for each column.
group_tests <- function(test, groups, supports, p, detail = "") {
  sums <- lapply(asplit(as.matrix(groups), 2), function(group) {
    rowsum(cbind(supports, 1, p), group)
  })
  detail <- rep(rep_len(detail, length(sums)), vapply(sums, nrow, 0L))
  sums <- do.call(rbind, sums)
  n <- sums[, 2]
  exact_tests(test, sums[, 1], n, sums[, 3] / n, detail)
}

# Tests of the pairs of reports at a distance of 1 to 10, at the distance that looks worst, and of
# neighbours in the order `restarts`; NULL of one report.
copy_tests <- function(supports, p, restarts) {
  sd <- sqrt(pmax(p * (1 - p), 1e-9))
  far <- far_lag((supports - p) / sd)
  tests <- lag_tests("lag", supports, p, c(1:10, far))
  if (is.null(tests)) return(NULL)
  # The worst distance is one of n.
  is_far <- tests$detail %in% far
  tests$p[is_far] <- pmin(1, tests$p[is_far] * length(supports))
  rbind(tests, lag_tests("restart", supports[restarts], p[restarts], 1))
}

# Tests of the pairs of reports that are so many `lags` apart; NULL if there are no pairs. Pairs
# must not overlap: with a lag of 1 they are (1, 2), (3, 4), ..., then (2, 3), (4, 5), ...
lag_tests <- function(test, supports, p, lags) {
  pairs <- lapply(lags, function(lag) {
    start <- seq_len(max(0, length(supports) - lag))
    lapply(split(start, (start - 1) %/% lag %% 2), function(a) {
      list(first = a, second = a + lag, p_both = p[a] * p[a + lag])
    })
  })
  support_tests(test, unlist(pairs, recursive = FALSE), supports, p, rep(lags, lengths(pairs)))
}

# Tests of pairs of reports: how many support their truths both, and how many both or neither; NULL
# without pairs. Each element of `pairs` is tested by itself, with a word of `detail`:
#   first, second   the positions of the reports
#   p_both          the probability that both reports of a pair support their truths
support_tests <- function(test, pairs, supports, p, detail = "") {
  if (!length(pairs)) return(NULL)
  figures <- lapply(pairs, function(pair) {
    a <- pair$first
    b <- pair$second
    p_alike <- 1 - p[a] - p[b] + 2 * pair$p_both
    is_both <- supports[a] & supports[b]
    is_alike <- supports[a] == supports[b]
    cbind(
      count = c(sum(is_both), sum(is_alike)),
      n = length(a),
      prob = c(mean(pair$p_both), mean(p_alike))
    )
  })
  figures <- do.call(rbind, figures)
  exact_tests(
    test, figures[, "count"], figures[, "n"], figures[, "prob"], rep(detail, each = 2)
  )
}

# The lag above 10 at which the residuals are most like themselves, from the autocorrelations of all
# lags.
far_lag <- function(residual) {
  n <- length(residual)
  if (n < 100) return(integer())
  size <- nextn(2 * n)
  spectrum <- Mod(fft(c(residual, numeric(size - n))))^2
  lag <- 11:(n - 20)
  products <- Re(fft(spectrum, inverse = TRUE))[lag + 1] / size
  lag[which.max(abs(products) / sqrt(n - lag))]
}

# The test of equal hash functions over all truths.
function_test <- function(audit, first) {
  numbers <- audit$facts[[1]]$numbers
  numbers <- numbers[setdiff(names(numbers), c("value", "sign"))]
  if (!length(numbers)) return(NULL)
  numbers_drawn <- as.data.frame(as.list(audit$reports)[names(numbers)])[first, ]
  equal_test(numbers_drawn, 1 / prod(vapply(numbers, n_values, 0)))
}

# Tests of the first report of each respondent with each later one about the same answer.
repeat_tests <- function(audit) {
  pairs <- repeated_reports(audit)
  test <- if (audit$is_permanent) "permanent" else "respondent"
  truths <- match(audit$truth, audit$truths)
  p_twice <- vapply(audit$facts, `[[`, 0, "p_support_twice")[truths]
  later <- lapply(split(seq_along(pairs$number), pairs$number), function(index) {
    second <- pairs$second[index]
    list(first = pairs$first[index], second = second, p_both = p_twice[second])
  })
  support_tests(test, later, audit$supports, audit$p_support)
}

# ---- what the reports prove about epsilon ----

# list(estimate, low): the measured epsilon and its lower limit. Each report is paired with another
# truth: it supports its truth alone (a reports), the other alone (b reports), both or none. For any
# client of this epsilon a is binomial given a + b, with odds of at most e^epsilon.
epsilon_bound <- function(mechanism, audit, alpha) {
  n_truths <- length(audit$truths)
  if (n_truths < 2) return(list(estimate = NA_real_, low = 0))
  rows <- which(audit$is_first)
  pairs <- other_truths(match(audit$truth[rows], audit$truths), n_truths)
  rows <- rows[pairs$used]
  second_truth <- audit$truths[pairs$other[pairs$used]]
  supports_truth <- audit$supports[rows]
  supports_other <- audit_supports(audit, mechanism, rows, second_truth)
  a <- sum(supports_truth & !supports_other)
  b <- sum(!supports_truth & supports_other)

  counts <- do.call(rbind, lapply(audit$facts, `[[`, "counts"))
  has_table <- audit$has_cells && length(counts) <= 1000
  low <- if (has_table) {
    c(pairs_bound(a, b, alpha / 2), table_bound(counts, alpha / 2))
  } else {
    pairs_bound(a, b, alpha)
  }
  estimate <- if (a + b > 0) log(a / b) else NA_real_
  list(estimate = estimate, low = max(0, low))
}

# The lower Clopper-Pearson limit of the log odds of a, given a + b.
pairs_bound <- function(a, b, alpha) qlogis(qbeta(alpha, a, b + 1))

# The largest ratio of two probabilities of one report (a column) that the Clopper-Pearson limits of
# all cells prove at once, as a logarithm. Rows are truths.
table_bound <- function(counts, alpha) {
  n <- rowSums(counts)
  alpha <- alpha / 2 / length(counts)
  low <- matrix(qbeta(alpha, counts, n - counts + 1), nrow(counts))
  high <- matrix(
    qbeta(alpha, counts + 1, n - counts, lower.tail = FALSE), nrow(counts)
  )
  max_low <- apply(low, 2, max)
  min_high <- apply(high, 2, min)
  max(log(max_low) - log(min_high))
}

# list(other, used): another truth for each report of the truths `x`, the neighbours in turn on both
# sides. Used are as many reports of each pair of truths as there are in the opposite direction.
other_truths <- function(x, n_truths) {
  turn <- (number_within(x) - 1) %% (n_truths - 1)
  step <- ifelse(
    turn %% 2 == 0, turn / 2 + 1, -(turn + 1) / 2
  )
  other <- (x - 1 + step) %% n_truths + 1
  pair <- (x - 1) * n_truths + other
  reverse_pair <- (other - 1) * n_truths + x
  pairs <- unique(pair)
  n_reverse <- tabulate(match(pair, pairs))[match(reverse_pair, pairs)]
  n_reverse[is.na(n_reverse)] <- 0
  list(other = other, used = number_within(pair) <= n_reverse)
}

# 1, 2, ... within each group.
number_within <- function(group) ave(seq_along(group), group, FUN = seq_along)

# ---- several questions ----

# The tables of the questions, and a last row for all: whether reports of two questions support
# their truths together, and the sum of the budgets.
product_audit_table <- function(audits, mechanism, alpha) {
  questions <- mechanism$questions
  tables <- lapply(names(questions), function(name) {
    table <- audit_table(audits[[name]], questions[[name]], alpha / length(questions))
    add_column(table, question = name, .before = 1)
  })
  table <- do.call(rbind, tables)
  bounds <- table[!duplicated(table$question), ]

  tests <- lapply(combn(length(questions), 2, simplify = FALSE), function(pair) {
    question_tests(audits[pair], questions[pair])
  })
  joint <- do.call(rbind, tests)
  p_joint <- min(1, joint$p * nrow(joint))
  problem <- if (p_joint < alpha / 2) {
    worst <- joint[which.min(joint$p), ]
    put_text(question_words[[worst$test]], "{detail}", worst$detail)
  }
  epsilon_low <- sum(bounds$epsilon.low)
  bound <- list(estimate = sum(bounds$epsilon), low = epsilon_low)
  problem <- problem %||% epsilon_problem(epsilon_low, mechanism)
  row <- audit_row(
    NA_character_, sum(audits[[1]]$is_first), no_test, p_joint, bound, problem
  )
  rbind(table, add_column(row, question = toString(names(questions)), .before = 1))
}

# The sentences of the tests of two questions; `detail` is the question and the other.
question_words <- c(
  questions = "The questions of one respondent are not randomized independently of each other.",
  answer = "The reports of a question depend on the answer to another: {detail}."
)

# Exact tests of two questions: whether their reports support their truths together, the parts of
# each report given both truths, and pairs of parts, one of each. At most 100 combinations of truths
# and 50 parts are looked at.
question_tests <- function(audits, mechanisms) {
  a <- audits[[1]]
  b <- audits[[2]]
  first <- which(a$is_first)
  n_support <- sum((a$supports & b$supports)[first])
  p_both <- mean((a$p_support * b$p_support)[first])
  both <- exact_tests("questions", n_support, length(first), p_both)
  groups <- split(
    first, list(a$truth[first], b$truth[first]), drop = TRUE
  )
  tests <- lapply(
    head(groups[order(-lengths(groups))], 100),
    function(rows) {
      parts <- Map(report_parts, audits, mechanisms, list(rows))
      share_tests <- Map(function(part, name, other) {
        detail <- sprintf("%s, %s", name, other)
        exact_tests("answer", colSums(part$sets), length(rows), part$prob, detail)
      }, parts, names(mechanisms), rev(names(mechanisms)))
      pairs <- crossprod(parts[[1]]$sets, parts[[2]]$sets)
      p_pair <- outer(parts[[1]]$prob, parts[[2]]$prob)
      rbind(
        do.call(rbind, share_tests),
        exact_tests("questions", c(pairs), length(rows), c(p_pair))
      )
    }
  )
  rbind(both, do.call(rbind, tests))
}

# list(sets, prob): the cells or bits of reports of one truth, a row of 0 and 1 for each, and their
# probabilities.
report_parts <- function(audit, mechanism, rows) {
  x <- audit$truth[rows[1]]
  reports <- some_reports(audit$reports, rows)
  if (audit$has_cells) {
    prob <- audit$facts[[match(x, audit$truths)]]$prob
    index <- head(order(-prob), 50)
    sets <- 1 * outer(reports, index, `==`)
    return(list(sets = sets, prob = prob[index]))
  }
  facts <- client_facts(mechanism, reports, x)
  index <- paired_bits(facts, 50)
  list(
    sets = facts$bits[, index, drop = FALSE],
    prob = diag(facts$both)[index]
  )
}

# ---- problems in words ----

# A sentence if the reports prove more than the promised epsilon, else NULL.
epsilon_problem <- function(low, mechanism) {
  if (low <= mechanism$epsilon) return(NULL)
  proved <- format(low, digits = 3)
  promised <- format(mechanism$epsilon, digits = 3)
  sprintf("The reports prove an epsilon of at least %s, above the promised %s.", proved, promised)
}

# The sentence of each kind of test, in the order in which they are given if several tests are
# rejected. Filled in are the share that was seen, the one that should be, and `detail`.
test_words <- c(
  impossible = "A report came that this answer cannot have{detail}.",
  share = paste(
    "{hold} of the reports hold the truth, which should be {should}; or the others are not as",
    "frequent as they should be."
  ),
  number = "The hash function, cohort or index is not uniform, or depends on the answer.",
  value = "The hash function or index is chosen by the answer: the truth's value is not uniform.",
  pair = paste(
    "Two parts of a report come together in {share} of the reports, which should be {prob}: each",
    "needs a random number of its own."
  ),
  parity = "An odd number of bits is 1 in {share} of the reports, which should be {prob}.",
  marker = "One report came in {share} of all cases, which should be {prob}: it may be a mark.",
  overall = "Over all answers a report has a share of {share}, which should be {prob}.",
  period = "Probabilities differ between respondents: one in {detail}, in turn, has others.",
  drift = "Probabilities differ between respondents: they change along the sequence of reports.",
  equal = "Different reports are equal too often: random numbers are used again.",
  restart = "The generator begins again: reports of different answers share random numbers.",
  lag = "A report depends on the one {detail} before it: random numbers are used again.",
  permanent = "The permanent answers were not kept, or not drawn as they should be.",
  respondent = "Probabilities differ between respondents, or their reports depend on each other."
)

# The likeliest reason of the rejected tests. `rejected` has the names single and joint.
client_problem <- function(rejected, facts, supports, joint) {
  if (all(supports) && facts$p_support < 1) {
    return("Every report holds the truth: the answers were not randomized.")
  }
  if (has_reversed_bits(facts, length(supports))) {
    return(paste(
      "The bits of each byte are in the wrong order: the highest comes first, and the lowest",
      "should."
    ))
  }
  joint$test[joint$share > 0 & joint$prob == 0] <- "impossible"
  clear <- joint$test[joint$p * nrow(joint) < 0.001]
  # A wrong share is named first if the chi-squared test saw it.
  tests <- names(test_words)
  if (!rejected[["single"]]) tests <- c(setdiff(tests, "share"), "share")
  # The chi-squared test can see what no single share shows.
  test <- c(intersect(tests, clear), "share")[1]
  worst <- joint[joint$test == test, ]
  worst <- as.list(worst[which.min(worst$p), ])
  values <- c(worst, hold = mean(supports), should = facts$p_support)
  # Numbers that differ have so many digits that they look different.
  difference <- abs(worst$share - worst$prob)
  digits <- clamp(1 - floor(log10(difference)), 3, 10)
  text <- test_words[[test]]
  for (name in names(values)) {
    value <- values[[name]]
    if (is.numeric(value)) value <- format(value, digits = digits)
    text <- put_text(text, paste0("{", name, "}"), value)
  }
  text
}

# Would the counts be as they should if the highest bit of each byte came first?
has_reversed_bits <- function(facts, n) {
  n_bits <- ncol(facts$bits)
  if (is.null(n_bits) || n_bits %% 8 > 0) return(FALSE)
  bit <- seq_len(n_bits) - 1
  facts$bits <- facts$bits[, 8 * (bit %/% 8) + 8 - bit %% 8]
  bits_test(facts, n)$p > 1e-3
}

# ---- files ----

# The table of a file: it must be what rr_client() writes for the mechanism, byte by byte.
check_client_file <- function(file, mechanism) {
  check_that(
    file.exists(file), file, "reports", "reports, or the name of a file that is there",
    c("file", "argument")
  )
  bytes <- readBin(file, "raw", file.size(file))
  written <- written_clients(bytes, mechanism)
  is_same <- vapply(written, identical, NA, bytes)
  problem <- if (!any(is_same)) file_problem(bytes, written)
  table <- audit_row(NA_character_, 0, no_test, NA, no_bound, problem)
  attr(table, "file_kind") <- names(written)[is_same]
  table
}

# The bytes of the clients of each kind. A page is written with the settings that are in the file.
written_clients <- function(bytes, mechanism) {
  plan <- client_text(mechanism)
  settings <- tryCatch(client_settings(bytes, mechanism), error = function(e) list())
  kinds <- eval(formals(rr_client)$as)
  texts <- lapply(kinds, function(as) {
    tryCatch(written_client(as, mechanism, plan, settings), error = function(e) NULL)
  })
  names(texts) <- kinds
  lapply(texts[lengths(texts) > 0], function(text) charToRaw(enc2utf8(text)))
}

# The settings that the file of a page holds, as rr_client() takes them.
client_settings <- function(bytes, mechanism) {
  text <- rawToChar(bytes)
  Encoding(text) <- "UTF-8"
  lines <- strsplit(text, "\n", fixed = TRUE)[[1]]
  line <- grep("^const page = .*;$", lines, value = TRUE)[1]
  settings <- jsonlite::parse_json(sub("^const page = (.*);$", "\\1", line))
  settings$question <- unlist(settings$question)
  names(settings$question) <- names(client_questions(mechanism))
  settings
}

# The first line in which the file differs from the written client that it resembles most.
file_problem <- function(bytes, written) {
  # A hash of changed code stands before the code.
  unhashed <- function(x) {
    charToRaw(gsub("sha256-[^']*", "sha256-", rawToChar(x[x != 0]), useBytes = TRUE))
  }
  same <- vapply(
    written, function(x) n_same_bytes(unhashed(bytes), unhashed(x)), 0
  )
  client <- written[[which.max(same)]]
  if (identical(unhashed(bytes), unhashed(client))) unhashed <- identity
  client <- unhashed(client)
  n <- n_same_bytes(unhashed(bytes), client)
  n_line <- 1 + sum(client[seq_len(n)] == charToRaw("\n"))
  line <- strsplit(rawToChar(client), "\n", fixed = TRUE)[[1]][n_line]
  if (grepl("candor client[\\\\]?\", [\\\\]?\"version", line)) {
    return(sprintf(
      "Line %d does not hold the numbers of this mechanism's sampler, and them alone.", n_line
    ))
  }
  sprintf("Line %d holds other code than this version of the package writes.", n_line)
}

# The number of bytes before the first that differs.
n_same_bytes <- function(x, y) {
  n <- seq_len(min(length(x), length(y)))
  first <- which(x[n] != y[n])[1]
  if (is.na(first)) length(n) else first - 1L
}
