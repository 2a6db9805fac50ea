#' Recommend a mechanism of local differential privacy
#'
#' Compares mechanisms by the exact variance of their unbiased estimates, for a number of categories and a privacy budget. `plot()` draws the error against
#' \eqn{\epsilon}.
#'
#' @details
#' All mechanisms but the last are *pure*: a report supports the category of its truth with probability \eqn{p}, and any other with probability
#' \eqn{q}. The unbiased estimate of a share \eqn{\theta} then has the variance \eqn{m(1 - m) / (N (p - q)^2)}, \eqn{m = q + (p - q)\theta}.
#'
#' The probabilities are on the pages of the constructors: `grr` is [rr_grr()], `sue` (basic RAPPOR) and `oue` are the symmetric and the optimized form of [rr_unary()], `blh` and `olh` are the forms of
#' [rr_local_hash()], and `subset`, `projective` and `hadamard` are [rr_subset()], [rr_projective()] and [rr_hadamard()].
#'
#' Each has its best whole number: \eqn{g} hash values, \eqn{\omega} categories, \eqn{B} blocks. Local hashing is computed with an ideal random hash; the
#' package's hash is slightly better. For several Hadamard blocks `q` is the mean over the other categories, and the error follows from the formula of [rr_hadamard()]. With
#' `permanent` there are also rows for the protocols of [rr_longitudinal()].
#'
#' The papers state that k-ary randomized response is optimal if \eqn{K < 3e^\epsilon + 2}. That rule compares it only with `oue` and `olh`, for a category
#' that nobody holds. In total error `grr` is better than `oue` if
#' \eqn{K < (2e^\epsilon + 3 + \sqrt{(2e^\epsilon + 3)^2 + 4(e^{2\epsilon} - 1)}) / 2}{K < (2 e^epsilon + 3 + sqrt((2 e^epsilon + 3)^2 + 4 (e^(2 epsilon) - 1))) / 2}.
#' Subset selection contains `grr` (\eqn{\omega = 1}) and is never worse. But `grr` sends the least, its tally is a table of counts, and its maximum likelihood estimate is exact and
#' immediate.
#'
#' @section Other questions:
#' * `"shares"`: the shares of all categories, as above.
#' * `"ranges"`: the share of a range of ordered levels, on average over all ranges of neighbouring levels. Besides the same mechanisms there are [rr_hierarchy()] with its default
#'   oracle (`hierarchy`) and with `oracle = rr_subset` (`hierarchy-subset`), with the best `fanout` for independent nodes. [rr_square_wave()] is not compared, because its
#'   bias depends on the truth; use [rr_study()].
#' * `"mean"`: the mean of numbers, as a share of their range, by [rr_mean()]. `mse` is the largest variance that the randomization can add.
#' * `"survey"`: the prevalence of a yes/no question on paper or by interview, with the designs and devices of [rr_device()]: [rr_warner()], [rr_crosswise()] and [rr_forced()]
#'   with dice, coins, cards, digits or birthdays. `privacy` is the epsilon of the device, at most `epsilon`. The error is the error at the prevalence `truth`, by default 0.5.
#' * `"strings"`: the share of a string that nobody holds, by [rr_count_mean_sketch()] with its default `width` and `functions`: `sketch`, and `sketch-one-bit`. `collisions`
#'   times the root of the sum of squared shares is what sharing the functions adds to a standard error, whatever the number of respondents.
#'
#' @order 1
#' @param k Numbers of categories, whole and at least 2; one or several. At most 1,024 for `"ranges"`; not for means, strings and surveys.
#' @param epsilon Privacy budgets, 1e-12 to 700, in natural logarithms; one or several.
#' @param n Numbers of respondents, whole and at least 1; one or several.
#' @param truth The truth: a distribution over `k` categories, by default uniform; for `"survey"` one prevalence. Not for means and strings.
#' @param target `"population"` (default) or `"sample"`, see [rr_estimate()]. Only for `"shares"` and `"ranges"`.
#' @param permanent Number above every `epsilon`: privacy budget of all reports about one true answer, for repeated reports. Only for `"shares"`.
#' @param question `"shares"` (default), `"ranges"`, `"mean"`, `"strings"` or `"survey"`, see *Other questions*.
#' @param ... Must be empty.
#' @return A data frame of class `rr_recommendation`, the best mechanism of each `k`, `epsilon` and `n` first. `plot()` and `autoplot()` return a ggplot.
#'
#' * `k`, `epsilon`, `n`: as given.
#' * `mechanism`, `p`, `q`: see above.
#' * `mse`: mean squared error, summed over categories, or the variance of the `question`.
#' * `std.error`: standard error for a category that nobody holds; for other questions the root of `mse`.
#' * `within`: `mse` over the smallest, less 1.
#' * `success`: how often the best guess of a true answer from its report is right, if all answers are equally likely beforehand; for `"shares"` and
#'   `"survey"`.
#' * `influence`: the largest change of an estimated share that one report can make; for `"shares"` and `"survey"`.
#' * `bits`, `bits_public`: size of a report, and its size if a hash function or column is drawn in public.
#' * `tally`: growth of the counting time; \eqn{P} is the prime of the hash functions, at least \eqn{K}.
#' * `permanent`, `lifetime`: for repeated reports: epsilon of all reports of one answer, and of all answers of a respondent.
#' * `fanout`, `collisions`: for `"ranges"` and `"strings"`.
#' * `device`, `event`, `privacy`: for `"survey"`.
#' @section Errors:
#' `candor_error_argument` for values out of range, for arguments that a `question` does not have, and if no device keeps within `epsilon`. `candor_error_too_large` for ranges of more than 1,024 levels.
#' @references Wang, T., Blocki, J., Li, N. and Jha, S. (2017). Locally differentially private protocols for frequency estimation. *USENIX
#'   Security*, 729-745. arXiv:1705.04421
#'
#'   Ye, M. and Barg, A. (2018). Optimal schemes for discrete distribution estimation under locally differential privacy.
#'   *IEEE Transactions on Information Theory* 64(8), 5662-5676. arXiv:1702.00610
#'
#'   Acharya, J., Sun, Z. and Zhang, H. (2019). Hadamard response. *AISTATS*, 1120-1129. arXiv:1802.04705
#'
#'   Erlingsson, U., Pihur, V. and Korolova, A. (2014). RAPPOR. *CCS*, 1054-1067. \doi{10.1145/2660267.2660348}
#'
#'   Arcolezi, H. H. and Gambs, S. (2024). Revealing the true cost of locally differentially private protocols: an auditing perspective. *Proceedings on Privacy
#'   Enhancing Technologies* 2024(4), 123-141. \doi{10.56553/popets-2024-0110} (`success`)
#'
#'   Cao, X., Jia, J. and Gong, N. Z. (2021). Data poisoning attacks to local differential privacy protocols. *USENIX Security*, 947-964. arXiv:1911.02046 (`influence`)
#' @seealso [rr_power()] for the sample size; [rr_choose_method()] for the estimator; `articles/planning.html` of the site.
#' @concept frequency oracle
#' @concept choice of mechanism
#' @concept domain size
#' @concept communication cost
#' @examples
#' # Which mechanism for 8 categories at epsilon 1?
#' rr_recommend(8, epsilon = 1, n = 10000)   # subset selection
#' # The best guess of an answer is right in 0.24 of the cases, and without a
#' # report in 0.125
#'
#' # For which numbers of categories is k-ary randomized response the best of
#' # all?
#' best <- rr_recommend(c(2, 4, 8, 16, 32), epsilon = c(0.5, 1, 2, 4),
#'                      n = 10000)
#' subset(best, within == 0 & mechanism == "grr", c("k", "epsilon"))
#' # k = 2 at all epsilons, 4 from epsilon 1 on, 8 from 2 on, 32 at 4
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(best)
#'
#' # A survey of 1,000 people with a prevalence of 0.1: which design, with
#' # which device?
#' rr_recommend(epsilon = 1.5, n = 1000, truth = 0.1, question = "survey")
#' # the crosswise design with a birthday, standard error 0.023
#'
#' # Ages in years: shares of ranges of ages
#' rr_recommend(100, epsilon = 1, n = 10000, question = "ranges")
#' # a hierarchy of subset selection
#' @export
rr_recommend <- function(
  k = NULL,
  epsilon,
  n = 1,
  truth = NULL,
  target = c("population", "sample"),
  permanent = NULL,
  question = c("shares", "ranges", "mean", "strings", "survey"),
  ...
) {
  check_dots_empty(...)
  question <- check_choice(question)
  is_levels <- question %in% c("shares", "ranges")
  idle <- c(
    if (!is_levels) c("k", if (question != "survey") "truth", "target"),
    if (question != "shares") "permanent"
  )
  unused <- intersect(idle, names(match.call()))
  if (length(unused)) {
    abort("{.arg {unused}} {?does/do} not belong to {.code question = \"{question}\"}.")
  }
  epsilon <- check_epsilons(epsilon)
  n <- check_grid(n, "n")
  target <- check_choice(target)
  k <- if (is_levels) check_level_numbers(k, question) else NA_real_
  if (!is.null(truth) && is_levels) {
    truth <- check_distribution(tabulated(truth))
    if (any(k != length(truth))) abort("{.arg truth} must have {.arg k} shares.")
  }
  if (!is.null(permanent)) {
    permanent <- check_number(permanent, "permanent", max(epsilon), 700, min_open = TRUE)
  }
  cells <- expand.grid(n = n, epsilon = epsilon, k = k, KEEP.OUT.ATTRS = FALSE)
  tables <- Map(
    function(n, epsilon, k) {
      table <- switch(
        question,
        shares = recommend_cell(k, epsilon, n, truth, target, permanent),
        ranges = recommend_ranges(k, epsilon, n, truth, target, pure_mechanisms(k, epsilon)),
        mean = recommend_mean(epsilon, n),
        strings = recommend_strings(epsilon, n),
        survey = recommend_survey(epsilon, n, truth)
      )
      question_rows(table, epsilon, n)
    },
    cells$n, cells$epsilon, cells$k
  )
  with_class(do.call(rbind, tables), "rr_recommendation", question = question)
}

# The numbers of levels, checked.
check_level_numbers <- function(k, question) {
  k <- check_grid(k, "k")
  if (any(k < 2)) abort("{.arg k} must be at least 2.")
  # More levels than this make covariances that are slow to compute.
  if (question == "ranges" && any(k > 1024)) {
    abort("{.arg k} must be at most 1,024 for ranges.", "too_large")
  }
  k
}

# The table of mechanisms of one category: p, q, 1 - p and p - q of a report's support, from the
# functions that make them, and the bits of a report. Local hashing has an ideal hash, which its
# hash functions come near from below.
pure_mechanisms <- function(k, epsilon) {
  # Beyond the largest number of hash values that is drawn from, the real best one.
  best <- list(
    size = best_subset_size(k, epsilon),
    g = if (epsilon > 17) exp(epsilon) + 1 else best_buckets(epsilon),
    blocks = best_blocks(k, epsilon),
    order = best_order(k, epsilon)
  )
  figures <- pure_figures(k, epsilon, best)
  table <- as_tibble(figures)
  table$success <- pure_success(k, epsilon, best, figures)
  table$influence <- pmax(table$q, 1 - table$q) / table$difference
  hadamard_influence <- (1 + (2 * best$blocks - 1) * exp(-epsilon)) /
    -expm1(-epsilon)
  table$influence[rownames(figures) == "hadamard"] <- hadamard_influence
  table[c("bits", "bits_public")] <- pure_bits(k, epsilon, best)
  table$tally <- c("n", "n K", "n K", "n + P K", "n + P K", "n K", "n + K log K", "n + K log K")
  add_column(table, mechanism = rownames(figures), .before = 1)
}

# The table of p, q, the probability of a lie that costs, and p - q, a row for each mechanism.
pure_figures <- function(k, epsilon, best) {
  grr <- grr_levels(k, epsilon)
  sue <- unary_epsilon(epsilon, FALSE)
  oue <- unary_epsilon(epsilon, TRUE)
  subset <- subset_numbers(k, epsilon, best$size)
  figures <- rbind(
    grr = c(
      grr$p, grr$q, (k - 1) * grr$q, grr$p_minus_q
    ),
    sue = c(sue$p, sue$q, sue$q, sue$difference),
    oue = c(oue$p, oue$q, oue$p, oue$difference),
    blh = unlist(ideal_hash(epsilon, 2)),
    olh = unlist(ideal_hash(epsilon, best$g)),
    subset = c(subset$p, subset$q, subset$lie, subset$difference),
    hadamard = unlist(hadamard_numbers(k, epsilon, best$blocks)),
    projective = unlist(
      projective_numbers(k, epsilon, best$order)[c("p", "q", "lie", "difference")]
    )
  )
  colnames(figures) <- c("p", "q", "lie", "difference")
  figures
}

# The probability that the truth is guessed from a report, by mechanism.
pure_success <- function(k, epsilon, best, figures) {
  supports <- vapply(c("sue", "oue", "blh", "olh"), function(name) {
    support_success(k, figures[name, "p"], figures[name, "q"])
  }, 0)
  unname(c(figures["grr", "p"], supports, figures["subset", "p"] / best$size,
           hadamard_success(k, epsilon, best$blocks), projective_success(k, epsilon, best$order)))
}

# Bits of a report, by mechanism: all of them, and those that remain if the hash function or the
# column of the matrix is public.
pure_bits <- function(k, epsilon, best) {
  value <- log2(best$g)
  chosen <- lchoose(k, best$size) / log(2)
  column <- ceiling(log2(best$blocks * hadamard_size(k, best$blocks)))
  point <- log2(projective_numbers(k, epsilon, best$order)$points)
  binary_hash <- hash_bits(k, 2) + 1
  best_hash <- hash_bits(k, best$g) + value
  public_column <- if (best$blocks == 1) 1 else column
  list(
    c(log2(k), k, k, binary_hash, best_hash, chosen, column, point),
    c(log2(k), k, k, 1, value, chosen, public_column, point)
  )
}

# The probability that the truth is guessed from n bits about each of k categories. The bits support
# the truth with probability p and any other category with q. The best guess is one of those with
# the most supports, all truths being as likely beforehand.
support_success <- function(k, p, q, n = 1) {
  counts <- 0:n
  below <- pbinom(counts, n, q, log.p = TRUE)
  tied <- exp(dbinom(counts, n, q, log = TRUE) - below)
  won <- ifelse(
    tied > 0, -expm1(k * log1p(-tied)) / (k * tied), 1
  )
  sum(dbinom(counts, n, p) * exp((k - 1) * below) * won)
}

# The same probability from a matrix of probabilities, rows being truths.
matrix_success <- function(channel) sum(apply(channel, 2, max)) / nrow(channel)

# Bits of the slope and the shift of a hash function.
hash_bits <- function(k, g) sum(log2(hash_prime(k, g) - 0:1))

# The rows of longitudinal protocols whose first stage is `permanent`. Their reports are those of
# mechanisms of one stage, unless the second stage halves the ones. `lifetime` is what the permanent
# answers of all values together reveal: one for each category or, with hashing, for each hash
# value.
longitudinal_mechanisms <- function(k, epsilon, permanent, table) {
  same <- c(`oue-sue` = "oue", `sue-sue` = "sue", `grr-grr` = "grr", `local-hash` = "olh")
  rows <- table[match(same, table$mechanism), ]
  rows$mechanism <- names(same)
  for (protocol in c("oue-oue", "sue-oue")) {
    mechanism <- tryCatch(
      rr_longitudinal(2, permanent, epsilon, protocol), candor_error_argument = function(e) NULL
    )
    if (is.null(mechanism)) next
    row <- rows[1, ]
    row[c("mechanism", "p", "q", "lie", "difference", "success", "influence")] <- list(
      protocol,
      mechanism$p,
      mechanism$q,
      1 - mechanism$p,
      mechanism$p_minus_q,
      support_success(k, mechanism$p, mechanism$q),
      max(mechanism$q, 1 - mechanism$q) / mechanism$p_minus_q
    )
    rows <- rbind(rows, row)
  }
  rows$permanent <- permanent
  rows$lifetime <- permanent *
    ifelse(rows$mechanism == "local-hash", min(k, best_buckets(epsilon)), k)
  rows
}

# The table of mechanisms for the shares of k categories.
recommend_cell <- function(k, epsilon, n, theta, target, permanent) {
  table <- pure_mechanisms(k, epsilon)
  if (!is.null(permanent)) {
    table[c("permanent", "lifetime")] <- NA_real_
    table <- rbind(table, longitudinal_mechanisms(k, epsilon, permanent, table))
  }
  # Mean squared error of inversion, summed over categories: sum q (1 - q) + theta d (1 - d - 2 q),
  # with 1 - d - 2 q = (1 - p) - q, over N d^2, and what sampling adds.
  noise <- k * table$q * (1 - table$q) / table$difference +
    (table$lie - table$q)
  mse <- noise / table$difference / n
  sampling <- if (target == "sample") {
    0
  } else if (is.null(theta)) {
    1 - 1 / k
  } else {
    sum(theta * (1 - theta))
  }
  table$std.error <- sqrt(table$q * (1 - table$q) / n) / table$difference
  # Hadamard response in blocks has another error.
  hadamard <- table$mechanism == "hadamard"
  block_risk <- hadamard_risk(k, epsilon, best_blocks(k, epsilon), theta)
  mse[hadamard] <- block_risk$total / n
  table$std.error[hadamard] <- sqrt(block_risk$blank / n)
  # Subset selection of one category is k-ary randomized response: rounding must not part them.
  table$mse <- signif(mse + sampling / n, 13)
  table$influence <- table$influence / n
  table$k <- k
  table[setdiff(names(table), c("lie", "difference"))]
}

# The table, below a sentence about the best mechanism, and the one that is best known beside it.
#' @export
print.rr_recommendation <- function(x, ...) {
  keys <- intersect(c("k", "epsilon", "n"), names(x))
  is_one_cell <- nrow(unique(as.data.frame(x)[keys])) == 1L
  if (!is.null(x[["within"]]) && is_one_cell) {
    reference <- if (!is.null(x[["k"]])) {
      match("grr", x$mechanism)
    } else if (is.null(x[["device"]])) {
      nrow(x)
    } else {
      NA
    }
    text <- if (isTRUE(x$within[reference] > 0)) {
      larger <- larger_words(1 + x$within[reference])
      sprintf("; the error of \"%s\" is %s", x$mechanism[reference], larger)
    }
    best <- x$mechanism[1]
    writeLines(within_80(paste0(
      "<rr_recommendation> \"", best, "\" has the smallest error", text
    )))
  }
  NextMethod()
}

# ---- other questions ----

# Questions of rr_recommend() that are not about the shares of categories: each compares one error
# of the mechanisms that answer it.

# The table of one question with the columns that all questions have, in the order of `mse`.
question_rows <- function(table, epsilon, n) {
  # Errors of 0, or of infinity beyond the range of a double, exceed themselves by 0.
  smallest <- min(table$mse)
  table$within <- ifelse(table$mse == smallest, 0, table$mse / smallest - 1)
  table$std.error <- table[["std.error"]] %||% sqrt(table$mse)
  table[c("epsilon", "n")] <- list(epsilon, n)
  first <- c("k", "epsilon", "n", "mechanism", "fanout", "p", "q", "mse", "std.error", "within")
  table <- table[
    order(table$mse, table[["bits"]] %||% seq_len(nrow(table))),
  ]
  table[union(intersect(first, names(table)), names(table))]
}

# ---- ranges of ordered levels ----

# The table of mechanisms for ranges. `pure` is pure_mechanisms(), for the bits of reports.
recommend_ranges <- function(k, epsilon, n, theta, target, pure) {
  theta <- theta %||% rep(1 / k, k)
  # A mechanism has no row if this epsilon is beyond its limits.
  or_null <- function(code) tryCatch(code, candor_error = function(e) NULL)
  mechanisms <- Filter(
    Negate(is.null),
    list(
      grr = or_null(rr_grr(k, epsilon)),
      sue = or_null(rr_unary(k, epsilon, optimized = FALSE)),
      oue = or_null(rr_unary(k, epsilon)),
      blh = or_null(rr_local_hash(k, epsilon, optimized = FALSE)),
      olh = or_null(rr_local_hash(k, epsilon)),
      subset = or_null(rr_subset(k, epsilon)),
      hadamard = or_null(rr_hadamard(k, epsilon)),
      projective = or_null(rr_projective(k, epsilon)),
      hierarchy = if (k > 2) or_null(best_hierarchy(k, epsilon, rr_hadamard)),
      `hierarchy-subset` = if (k > 2) or_null(best_hierarchy(k, epsilon, rr_subset))
    )
  )
  index <- match(names(mechanisms), pure$mechanism)
  table <- tibble(
    mechanism = names(mechanisms),
    k = k,
    fanout = NA_real_,
    mse = vapply(mechanisms, range_error, 0, theta, n, target, USE.NAMES = FALSE),
    bits = pure$bits[index],
    bits_public = pure$bits_public[index],
    tally = pure$tally[index]
  )
  for (tree in which(startsWith(table$mechanism, "hierarchy"))) {
    hadamard <- table$mechanism[tree] == "hierarchy"
    bits <- node_bits(mechanisms[[tree]], hadamard)
    table$fanout[tree] <- mechanisms[[tree]]$fanout
    table$bits[tree] <- log2(mechanisms[[tree]]$height) + bits[1]
    table$bits_public[tree] <- bits[2]
    table$tally[tree] <- if (hadamard) "n + K log K" else "n K"
  }
  table
}

# Bits of a report about a node, on average, and those where the column of a matrix is public.
node_bits <- function(mechanism, hadamard) {
  bits_of <- function(submechanism) {
    if (!hadamard) {
      bits <- lchoose(length(submechanism$levels), submechanism$size) / log(2)
      return(c(bits, bits))
    }
    bits <- log2(submechanism$blocks * submechanism$size)
    c(bits, if (submechanism$blocks == 1) 1 else bits)
  }
  rowMeans(vapply(mechanism$parts, bits_of, c(0, 0)))
}

# The variance of the estimated share of a range, on average over all ranges of neighbouring levels
# except that of all levels.
range_error <- function(mechanism, theta, n, target) {
  k <- length(theta)
  law <- rr_law(mechanism)
  # Theta is the truth: at so many respondents the divisor N - 1 of estimated variances is N.
  n_large <- 1e9
  evidence <- new_evidence(law, law_expected(law, theta) * n_large, n_large, n_large, k, mechanism)
  covariance <- law_covariance(law, evidence, identity_map(k, FALSE), seq_len(k), target)
  covariance <- covariance * (n_large / n)
  prefixes <- apply(apply(covariance, 2, cumsum), 1, cumsum)
  mean_over_ranges(sum(diag(prefixes)), sum(prefixes), prefixes[k, k], k)
}

# The mean of a variance over the ranges, which are pairs of the bounds 0, ..., k. The sum of
# Var(F_j - F_i) over all pairs is (k + 1) times the sum of the variances, less that of all
# covariances. The variance of all levels together, `total`, is subtracted.
mean_over_ranges <- function(total_variance, total_covariance, total, k) {
  ((k + 1) * total_variance - total_covariance - total) /
    (k * (k + 1) / 2 - 1)
}

# The hierarchy whose fanout has the least error of ranges if the nodes of a depth were independent.
# The smallest fanout of one height is the one whose tree has the fewest empty nodes.
best_hierarchy <- function(k, epsilon, oracle) {
  smallest_fanout <- function(height) {
    fanout <- 2
    while (fanout^height < k) fanout <- fanout + 1
    fanout
  }
  fanouts <- unique(vapply(seq(2, ceiling(log2(k))), smallest_fanout, 0))
  error <- vapply(
    fanouts,
    function(fanout) {
      law <- rr_law(rr_hierarchy(k, epsilon, fanout, oracle))
      weights <- node_functions(law, lower.tri(diag(k), TRUE), law$unit)
      # The sum over all ranges, as in mean_over_ranges(): the share of all levels is known.
      sums <- vapply(weights, function(w) {
        (k + 1) * sum(w^2) - sum(colSums(w)^2)
      }, 0)
      length(law$nodes) * sum(law$unit * sums)
    },
    0
  )
  rr_hierarchy(k, epsilon, fanouts[which.min(error)], oracle)
}

# ---- the mean of numbers ----

# The table of protocols for the mean of numbers from 0 to 1, with the largest variance that the
# randomization gives. A report of t, on the scale from -1 to 1, has the variance constant + slope
# t^2. Sampled truths vary alike for all protocols.
recommend_mean <- function(epsilon, n) {
  do.call(
    rbind,
    lapply(c("hybrid", "piecewise", "duchi"), function(protocol) {
      mechanism <- rr_mean(c(0, 1), epsilon, protocol)
      variance <- mean_variance(mechanism)
      worst <- variance$constant + max(variance$slope, 0)
      bits <- if (mechanism$share > 0) {
        log2(mechanism$fine$steps + mechanism$fine$window)
      } else {
        1
      }
      tibble(mechanism = protocol, mse = worst / 4 / n, bits = bits, tally = "n")
    })
  )
}

# ---- strings that nobody has a list of ----

# The table of sketches, with the variance of the share of a string that nobody holds, if every
# respondent had a different hash function.
recommend_strings <- function(epsilon, n) {
  do.call(
    rbind,
    lapply(c(FALSE, TRUE), function(one_bit) {
      sketch <- rr_count_mean_sketch(epsilon, one_bit = one_bit)
      m <- sketch$width
      law <- sketch_numbers(sketch)
      bits <- log2(sketch$cohorts) +
        if (one_bit) log2(sketch$bit$size) + 1 else m
      tibble(
        mechanism = if (one_bit) "sketch-one-bit" else "sketch",
        p = law$p,
        q = law$q,
        mse = law$q * (1 - law$q) / law$difference^2 / n,
        bits = bits,
        bits_public = if (one_bit) 1 else m,
        tally = if (one_bit) "n + F W log W" else "n W",
        collisions = 1 / sqrt(sketch$cohorts * (m - 1))
      )
    })
  )
}

# ---- a yes/no question of a survey, with what respondents hold in their hands ----

recommend_survey <- function(epsilon, n, truth) {
  table <- do.call(
    rbind,
    lapply(eval(formals(rr_device)$design), function(design) {
      rows <- rr_device(design, epsilon, n, truth)
      channels <- lapply(rows$mechanism, rr_matrix)
      yes <- vapply(channels, function(channel) channel[, 2], c(0, 0))
      tibble(
        mechanism = rep(design, nrow(rows)),
        device = rows$device,
        event = rows$event,
        p = yes[2, ],
        q = yes[1, ],
        privacy = rows$epsilon,
        mse = rows$std.error^2,
        success = vapply(channels, matrix_success, 0),
        influence = pmax(yes[1, ], 1 - yes[1, ]) /
          abs(yes[2, ] - yes[1, ]) / n
      )
    })
  )
  if (nrow(table)) table else abort("No device keeps within {.arg epsilon} {epsilon}.")
}
