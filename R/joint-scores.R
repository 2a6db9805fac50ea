# Joint counts are in scores if a column of 0 and 1 will not do. The probability that a report
# supports a category may depend on more than the truth of that category (several blocks of a
# Hadamard matrix, shared hash functions, any channel). A report may say nothing about most
# categories (dBitFlip), or be about bits of filters (RAPPOR). Each report is then replaced by
# unbiased scores, one number u[v] a category with E(u[v] | truth x) = 1{v = x}. Questions are
# randomized separately. The product u[J] of the scores of the categories J, of different questions,
# has these moments:
#    E sum over rows of u[J] = the number of rows that hold J
#    fixed truths     Cov = E sum u[J] u[K] - (rows that hold J and K)
#                     (nobody holds two categories of a question)
#    sampled truths   Cov = n / (n - 1) (sum u[J] u[K] - sum u[J] sum u[K] / n)
# The sums of u[J] u[K] give them all. They are kept beside the sums of u[J].

# ---- counting ----

# The joint counts of questions of which some are counted in scores, as rr_cooccurrence() returns
# them. `values` are sums of products of scores, 0 for sets of two categories of one question.
# `scores` has the positions of the possible sets, and sums of the products of any two of them. At
# most `numbers` products are made at a time.
count_scores <- function(reports, questions, order, missing, numbers = 1e7) {
  columns <- counted_columns(questions)
  # A score is of the truth itself.
  supports <- lapply(columns$categories, function(categories) {
    list(p = 1, q = 0, width = length(categories), rivals = TRUE)
  })
  design <- list_columns(questions, columns$names, supports)
  check_set_names(columns$names, "bits")
  d <- length(columns$names)
  order <- check_order(order %||% min(2, d), d)
  n <- report_number(reports[[1]])
  if (n == 0) abort("{.arg bits} must have rows: there is nothing to count.", "empty")
  members <- .Call(
    C_rr_sets, d, order, 1, set_total(d, order) - 1
  )
  possible <- !has_rivals(members, design$block)
  members <- members[, possible, drop = FALSE]
  # More sets than this have too many pairs to keep.
  if (ncol(members) > 2000) abort("{.arg order} {order} has too many sets of categories.", "order")
  readers <- Map(score_reader, questions, names(questions))
  # An error message has the position among all rows.
  reports <- Map(rr_reports, reports, questions)
  step <- max(1, floor(numbers / ncol(members)))
  summed <- sum_set_scores(members, n, step, function(rows) {
    do.call(cbind, unname(Map(function(reader, report, categories) {
      reader(take_reports(report, rows))[, categories, drop = FALSE]
    }, readers, reports, columns$categories)))
  })
  values <- numeric(set_total(d, order))
  values[1] <- n
  values[1 + which(possible)] <- summed$sums
  new_rr_histogram(
    "cooccurrence",
    columns$names,
    order,
    values,
    missing = missing,
    design = design,
    mechanism = questions,
    scores = list(index = 1 + which(possible), second = summed$second)
  )
}

# The sums over `n` rows of the products of scores of each set, and of the products of two of these.
# `step` rows are read at once; `scores_of()` returns their scores, a column for each member.
sum_set_scores <- function(members, n, step, scores_of) {
  sums <- numeric(ncol(members))
  second <- matrix(0, ncol(members), ncol(members))
  for (first in seq(1, n, by = step)) {
    # Products over the members of each set; -1 stands for no member.
    u <- cbind(
      1, scores_of(seq(first, min(n, first + step - 1)))
    )
    products <- Reduce(
      `*`,
      lapply(seq_len(nrow(members)), function(m) {
        u[, members[m, ] + 2L, drop = FALSE]
      })
    )
    dimnames(products) <- NULL
    sums <- sums + colSums(products)
    second <- second + crossprod(products)
  }
  list(sums = sums, second = second)
}

# The design of counts in scores. The user's mechanism must be the one of the counts.
score_design <- function(mechanism, counts) {
  questions <- product_questions(mechanism)
  same <- is.list(questions) && setequal(names(questions), names(counts$mechanism)) && all(
    vapply(
      names(counts$mechanism),
      function(name) same_mechanism(questions[[name]], counts$mechanism[[name]]), NA
    )
  )
  if (same) return(counts$design)
  abort("{.arg mechanism} must be that of the counts, whose scores were made with it.", "mismatch")
}
