# Joint counts where a column of 0 and 1 will not do: the probability that a report supports a category depends on more
# than whether that is the truth (several blocks of a Hadamard matrix, shared hash functions, any channel), or a report
# says nothing about most categories (dBitFlip), or speaks of bits of filters (RAPPOR). Each report is then replaced by
# unbiased scores, one number u[v] a category with E(u[v] | truth x) = 1{v = x}. Questions are randomised separately, so
# that with u[J] the product of the scores of the categories J, of different questions,
#   E sum over rows of u[J] = the number of rows that hold J,
#   fixed truths     Cov = E sum u[J] u[K] - (rows that hold J and K)      (nobody holds two categories of a question)
#   sampled truths   Cov = n / (n - 1) (sum u[J] u[K] - sum u[J] sum u[K] / n)
# all of which the sums of u[J] u[K] give. These are kept beside the sums of u[J].

# A function from reports to scores, a row each; a column for each category.
score_reader <- function(mechanism, name) UseMethod("score_reader")

#' @export
score_reader.rr_mechanism <- function(mechanism, name) {
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  if (inherits(law, "rr_law_support")) {
    return(function(x) t((t(as.matrix(new_rr_bits(report_sets(mechanism, x), k))) - law$q) / law$difference))
  }
  if (!law_gives(law, "channel", k)) abort_scores(mechanism, name)
  scores <- channel_scores(mechanism, name)
  function(x) scores[report_codes(x, mechanism, name), , drop = FALSE]
}

# The scores of each report: those of the unbiased estimate, which is their mean.
channel_scores <- function(mechanism, name) {
  left_inverse(list(matrix = t(unname(identified_channel(mechanism, name)))))$matrix
}

#' @export
score_reader.rr_local_hash <- function(mechanism, name) {
  if (is.null(mechanism$cohorts)) return(NextMethod())
  scores <- channel_scores(mechanism, name)
  function(x) {
    read <- rr_reports(x, mechanism)
    scores[(read$cohort - 1L) * as.integer(mechanism$g) + read$value, , drop = FALSE]
  }
}

# The sign of a category's row where the report lies in its block, and 0 elsewhere, times the scale of the estimate.
#' @export
score_reader.rr_hadamard <- function(mechanism, name) {
  if (mechanism$one_bit) return(NextMethod())
  law <- rr_law(mechanism)
  block <- (seq_along(mechanism$levels) - 1L) %% law$blocks
  row <- (seq_along(mechanism$levels) - 1L) %/% law$blocks + 1L
  function(x) {
    reports <- rr_reports(x, mechanism)
    signs <- hadamard_signs(as.integer(reports %% law$size), as.integer(row))
    hadamard_scale(law) * signs * outer(reports %/% law$size, block, `==`)
  }
}

#' @export
score_reader.rr_bitflip <- function(mechanism, name) {
  function(x) {
    lists <- unclass_sets(rr_reports(x, mechanism))
    scores <- matrix(0, ncol(lists), mechanism$buckets)
    scores[cbind(as.vector(col(lists)), as.vector(abs(lists)))] <- (as.vector(lists > 0) - mechanism$q) /
      mechanism$p_minus_q * mechanism$buckets / mechanism$d
    scores
  }
}

# With w the debiased bits of a report of cohort j of m, and X[j] that cohort's filters: (sum X'X)^-1 X[j]' w m. Weights
# from an estimate, as rr_estimate() has them, would make the score of one report depend on all others.
#' @export
score_reader.rr_bloom <- function(mechanism, name) {
  law <- rr_law(mechanism)
  ones <- rep(1, law$bits * law$cohorts)
  inverse <- tryCatch(normal_inverse(list(places = law$places, bits = law$bits), ones),
                      candor_error_no_information = function(e) NULL)
  if (is.null(inverse)) {
    abort(c("Joint counts of {.val {name}} need filters that tell its categories apart.",
            x = "Those of {format_count(law$truths)} categories in {format_count(law$cohorts)} cohorts of
                 {format_count(law$bits)} bits depend on each other.",
            i = "Ask about fewer candidates at once, or collect with more bits or cohorts."),
          c("no_information", "law"))
  }
  decoders <- lapply(seq_len(law$cohorts), function(j) law$cohorts * cohort_filters(law, j) %*% inverse)
  function(x) {
    read <- rr_reports(x, mechanism)
    bits <- (as.matrix(read$bits) - law$zero) / (law$one - law$zero)
    scores <- matrix(0, nrow(bits), law$truths)
    for (j in unique(read$cohort)) {
      rows <- which(read$cohort == j)
      scores[rows, ] <- bits[rows, , drop = FALSE] %*% decoders[[j]]
    }
    scores
  }
}

abort_scores <- function(mechanism, name) {
  abort(c("Joint counts do not fit the question {.val {name}} ({mechanism$design}).",
          x = "One report of it has no unbiased score for each category.",
          i = "They are there for mechanisms of categories, for supports, {.fn rr_hadamard}, {.fn rr_local_hash},
               {.fn rr_bitflip} and {.fn rr_bloom}."), c("law", "argument"))
}

# ---- counting ----

# More sets than this have too many pairs to keep.
score_sets_limit <- 2000

# Joint counts of questions of which some are counted in scores, as rr_cooccurrence() returns them: `values` are sums of
# products of scores, 0 for sets of two categories of one question; `scores` has the possible sets, and sums of the
# products of any two of them. So many rows are read at a time that `numbers` products are made of them.
count_scores <- function(reports, questions, order, missing, numbers = 1e7) {
  columns <- score_columns(questions)
  check_set_names(columns$names, "bits")
  d <- length(columns$names)
  order <- check_order(order, d)
  n <- report_number(reports[[1]])
  if (n == 0) abort(c("{.arg bits} must have rows.", x = "It has none: there is nothing to count."), "empty")
  members <- .Call(C_rr_sets, as.double(d), as.double(order), 1, set_total(d, order) - 1)
  possible <- !has_rivals(members, columns$block)
  members <- members[, possible, drop = FALSE]
  if (ncol(members) > score_sets_limit) {
    abort(c("{.arg order} {order} of these questions has too many sets of categories.",
            x = "There are {format_count(ncol(members))}; of reports that are counted in scores, all pairs of at most
                 {format_count(score_sets_limit)} are kept.", i = "Take fewer questions at once, or a lower order."),
          "order")
  }
  readers <- Map(score_reader, questions, names(questions))
  # What is wrong is told with its place among all rows.
  reports <- Map(rr_reports, reports, questions)
  sums <- numeric(ncol(members))
  second <- matrix(0, ncol(members), ncol(members))
  step <- max(1, floor(numbers / ncol(members)))
  for (first in seq(1, n, by = step)) {
    rows <- seq(first, min(n, first + step - 1))
    u <- do.call(cbind, unname(Map(function(reader, report, kept) {
      reader(take_reports(report, rows))[, kept, drop = FALSE]
    }, readers, reports, columns$kept)))
    products <- score_products(u, members)
    sums <- sums + colSums(products)
    second <- second + crossprod(products)
  }
  values <- numeric(set_total(d, order))
  values[1] <- n
  values[1 + which(possible)] <- sums
  # A score is of the truth itself.
  design <- list(p = rep(1, d), q = rep(0, d), block = columns$block, questions = columns$questions)
  new_rr_histogram("cooccurrence", columns$names, order, values, missing = missing, design = design,
                   mechanism = questions, scores = list(members = members, second = second))
}

# A column for yes of a yes/no question that is a category, else one for each category.
score_columns <- function(questions) {
  single <- vapply(questions, is_yes_no, NA)
  kept <- Map(function(m, one) if (one) bit_places(m$levels)[["yes"]] else seq_along(m$levels), questions, single)
  ends <- cumsum(lengths(kept))
  at <- Map(seq, ends - lengths(kept) + 1, ends)
  names <- Map(function(m, one, name) if (one) name else paste(name, m$levels, sep = ":"), questions, single,
               names(questions))
  list(names = unlist(names, use.names = FALSE), kept = kept, block = rep(seq_along(at), lengths(at)),
       questions = Map(function(m, one, at) {
         list(at = at, levels = if (one) m$levels[bit_places(m$levels)] else m$levels)
       }, questions, single, at))
}

score_products <- function(u, members) {
  u <- cbind(1, u)
  products <- u[, members[1, ] + 2L, drop = FALSE]
  for (m in seq_len(nrow(members))[-1]) products <- products * u[, members[m, ] + 2L, drop = FALSE]
  unname(products)
}

merge_scores <- function(parts) {
  scores <- parts[[1]]$scores
  if (!is.null(scores)) scores$second <- Reduce(`+`, lapply(parts, function(part) part$scores$second))
  scores
}

# The design of counts in scores, for the mechanism that a user names again.
score_design <- function(mechanism, counts) {
  questions <- if (inherits(mechanism, "rr_product")) mechanism$questions else mechanism
  same <- is.list(questions) && setequal(names(questions), names(counts$mechanism)) &&
    all(vapply(names(counts$mechanism), function(name) same_mechanism(questions[[name]], counts$mechanism[[name]]), NA))
  if (same) return(counts$design)
  abort(c("{.arg mechanism} must be that of the counts.",
          x = "Their scores were made with other mechanisms of {format_labels(names(counts$mechanism))}."), "mismatch")
}

