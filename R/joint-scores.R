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

# H[row, j], a row for each j: 1, or -1 where row and j have an odd number of bits in common.
hadamard_signs <- function(j, row) {
  seen <- sort(unique(j))
  signs <- outer(seen, row, function(j, row) {
    common <- bitwAnd(j, row)
    parity <- integer(length(common))
    while (any(common > 0L)) {
      parity <- bitwXor(parity, bitwAnd(common, 1L))
      common <- bitwShiftR(common, 1L)
    }
    1L - 2L * parity
  })
  signs[match(j, seen), , drop = FALSE]
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

# Which questions can be counted in columns of 0 and 1?
counted_in_bits <- function(questions) !vapply(lapply(questions, evidence_columns), is.null, NA)

# Is a question one column: yes or not?
is_yes_no <- function(mechanism) identical(evidence_columns(mechanism)$width, 1L)

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

# ---- covariances ----

# Places of sets among those whose products are kept, NA for others.
score_places <- function(scores, members) {
  key <- function(x) do.call(paste, c(lapply(seq_len(width), function(m) if (m <= nrow(x)) x[m, ] else -1L), sep = " "))
  width <- max(nrow(members), nrow(scores$members))
  match(key(members), key(scores$members))
}

score_block <- function(x, rows, cols, target) {
  scores <- x$counts$scores
  i <- score_places(scores, rows)
  j <- score_places(scores, cols)
  lost <- c(which(is.na(i)), length(i) + which(is.na(j)))
  if (length(lost)) {
    set <- if (lost[1] <= length(i)) rows[, lost[1]] else cols[, lost[1] - length(i)]
    abort_untallied(x, set[set >= 0])
  }
  second <- scores$second[i, j, drop = FALSE]
  if (target == "population") {
    sums <- set_values(x$counts, scores$members)
    return((second - outer(sums[i], sums[j]) / x$n) * x$n / (x$n - 1))
  }
  second - both_held(x, rows[, rep(seq_along(i), length(j)), drop = FALSE],
                     cols[, rep(seq_along(j), each = length(i)), drop = FALSE], second)
}

# The unbiased numbers of rows that hold the sets `a` and `b` together; `second` has the sums of their products, which
# are these numbers where the sets have no question in common.
both_held <- function(x, a, b, second) {
  scores <- x$counts$scores
  both <- sorted_members(rbind(a, b))
  rivals <- has_rivals(both, x$counts$design$block)
  apart <- !rivals & colSums(both >= 0) == colSums(a >= 0) + colSums(b >= 0)
  held <- ifelse(apart, second, 0)
  shared <- which(!rivals & !apart)
  if (length(shared)) {
    # The product of all scores of the union is one of two sets.
    both <- both[, shared, drop = FALSE]
    width <- x$counts$order
    first <- score_places(scores, both[seq_len(min(width, nrow(both))), , drop = FALSE])
    rest <- both[-seq_len(min(width, nrow(both))), , drop = FALSE]
    alone <- if (nrow(rest)) colSums(rest >= 0) == 0 else rep(TRUE, length(shared))
    sums <- set_values(x$counts, scores$members)
    held[shared[alone]] <- sums[first[alone]]
    if (any(!alone)) {
      held[shared[!alone]] <- scores$second[cbind(first[!alone], score_places(scores, rest[, !alone, drop = FALSE]))]
    }
  }
  held
}

# Variances of the shown sets, NA for those of two categories of one question.
score_variances <- function(x, target) {
  members <- shown_members(x)
  at <- score_places(x$counts$scores, members)
  second <- diag(x$counts$scores$second)[at]
  sums <- shown_values(x)
  if (target == "sample") second - sums else (second - sums^2 / x$n) * x$n / (x$n - 1)
}

# What pair_parts() has for columns of 0 and 1; NA for two categories of one question.
score_pairs <- function(x, target) {
  pairs <- pair_index(length(x$columns))
  share <- x$values / x$n
  k <- length(pairs$i)
  parts <- list(covariance = rep(NA_real_, k), correlation = rep(NA_real_, k), covariance.variance = rep(NA_real_, k),
                correlation.variance = rep(NA_real_, k), moments = matrix(NA_real_, 6, k))
  block <- x$design$block
  for (m in which(block[pairs$i] != block[pairs$j])) {
    sets <- matrix(c(pairs$i[m], 0, pairs$j[m], 0, pairs$i[m], pairs$j[m]), 2) - 1L
    storage.mode(sets) <- "integer"
    covariance <- score_block(x, sets, sets, target)
    z <- share[1 + c(pairs$i[m], pairs$j[m], length(x$columns) + m)]
    along <- function(measure) {
      gradient <- pair_gradient(z, measure) / x$n
      drop(gradient %*% covariance %*% gradient)
    }
    spread <- z[1] * (1 - z[1]) * z[2] * (1 - z[2])
    parts$covariance[m] <- z[3] - z[1] * z[2]
    parts$covariance.variance[m] <- along("covariance")
    if (all(z[1:2] > 0 & z[1:2] < 1)) {
      parts$correlation[m] <- parts$covariance[m] / sqrt(spread)
      parts$correlation.variance[m] <- along("correlation")
    }
    parts$moments[, m] <- covariance[cbind(c(1, 2, 3, 1, 1, 2), c(1, 2, 3, 2, 3, 3))]
  }
  parts
}

# The scores of two questions are uncorrelated if their truths are independent: n times the squared correlation.
score_test <- function(counts) {
  d <- length(counts$columns)
  pairs <- pair_index(d)
  mean <- counts$values[1 + seq_len(d)] / counts$n
  at <- score_places(counts$scores, matrix(seq_len(d) - 1L, 1))
  second <- counts$scores$second[at, at] / counts$n - outer(mean, mean)
  spread <- diag(as.matrix(second))
  index <- cbind(pairs$i, pairs$j)
  ifelse(spread[pairs$i] > 0 & spread[pairs$j] > 0, counts$n * second[index]^2 / (spread[pairs$i] * spread[pairs$j]),
         NA_real_)
}
