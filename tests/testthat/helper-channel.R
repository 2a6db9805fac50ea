# The same mechanism as a bare matrix, and without its closed form: what any other channel goes through.
as_general <- function(mechanism) {
  general <- rr_channel(unname(rr_matrix(mechanism)), mechanism$levels, mechanism$reports)
  general["form"] <- list(NULL)
  general
}

# The certificate N log max g from its definition.
certificate <- function(C, counts, theta) {
  m <- drop(crossprod(C, theta))
  seen <- counts > 0
  sum(counts) * log(max(C[, seen, drop = FALSE] %*% (counts[seen] / sum(counts) / m[seen])))
}

random_channel <- function(k, j, shape = 1) {
  C <- matrix(stats::rgamma(k * j, shape), k)
  C / rowSums(C)
}
