# Covariances of joint counts in scores, from the sums of the products of two sets' scores: see joint-scores.R.

# Places of sets among those whose products are kept, NA for others.
score_places <- function(scores, members) {
  key <- function(x) do.call(paste, c(lapply(seq_len(width), function(m) if (m <= nrow(x)) x[m, ] else -1L), sep = " "))
  width <- max(nrow(members), nrow(scores$members))
  match(key(members), key(scores$members))
}

# list(covariance) of chosen sets, or list(missing), the members of one whose products were not kept.
score_block <- function(counts, rows, cols, target) {
  scores <- counts$scores
  i <- score_places(scores, rows)
  j <- score_places(scores, cols)
  lost <- c(which(is.na(i)), length(i) + which(is.na(j)))
  if (length(lost)) {
    set <- if (lost[1] <= length(i)) rows[, lost[1]] else cols[, lost[1] - length(i)]
    return(list(missing = set[set >= 0]))
  }
  second <- scores$second[i, j, drop = FALSE]
  if (target == "population") {
    sums <- set_values(counts, scores$members)
    return(list(covariance = (second - outer(sums[i], sums[j]) / counts$n) * counts$n / (counts$n - 1)))
  }
  held <- both_held(counts, rows[, rep(seq_along(i), length(j)), drop = FALSE],
                    cols[, rep(seq_along(j), each = length(i)), drop = FALSE], second)
  list(covariance = second - held)
}

# The unbiased numbers of rows that hold the sets `a` and `b` together; `second` has the sums of their products, which
# are these numbers where the sets have no question in common.
both_held <- function(counts, a, b, second) {
  scores <- counts$scores
  both <- sorted_members(rbind(a, b))
  rivals <- has_rivals(both, counts$design$block)
  apart <- !rivals & colSums(both >= 0) == colSums(a >= 0) + colSums(b >= 0)
  held <- ifelse(apart, second, 0)
  shared <- which(!rivals & !apart)
  if (length(shared)) {
    # The product of all scores of the union is one of two sets.
    both <- both[, shared, drop = FALSE]
    width <- counts$order
    first <- score_places(scores, both[seq_len(min(width, nrow(both))), , drop = FALSE])
    rest <- both[-seq_len(min(width, nrow(both))), , drop = FALSE]
    alone <- if (nrow(rest)) colSums(rest >= 0) == 0 else rep(TRUE, length(shared))
    sums <- set_values(counts, scores$members)
    held[shared[alone]] <- sums[first[alone]]
    if (any(!alone)) {
      held[shared[!alone]] <- scores$second[cbind(first[!alone], score_places(scores, rest[, !alone, drop = FALSE]))]
    }
  }
  held
}

# Variances of sets with these sums of products, NA for sets of two categories of one question.
score_variances <- function(counts, members, sums, target) {
  second <- diag(counts$scores$second)[score_places(counts$scores, members)]
  if (target == "sample") second - sums else (second - sums^2 / counts$n) * counts$n / (counts$n - 1)
}
