# A protocol in one file, written as another package would write it: with what candor exports, and nothing else.
# Unary encoding: a report has a bit for each category, 1 with probability p if that is the truth and q if not.

toy_unary <- function(levels, p = 0.75, q = 0.25, ...) {
  rr_new_mechanism("toy_unary", levels, epsilon = abs(log(p * (1 - q) / (q * (1 - p)))), p = p, q = q, draw = toy_draw,
                   count = toy_count, design = sprintf("Toy unary encoding (p = %s, q = %s)", format(p), format(q)), ...)
}

rr_law.rr_toy_unary <- function(mechanism) rr_new_law("support", mechanism$p, mechanism$q)

# A matrix of bits: a row per respondent, a column per category.
toy_draw <- function(mechanism, answers, rng) {
  bits <- outer(answers, seq_along(mechanism$levels), "==")
  bits[] <- rr_perturb(as.vector(bits), rr_binary(mechanism$p, mechanism$q), rng)
  dimnames(bits) <- list(NULL, mechanism$levels)
  bits
}

toy_count <- function(mechanism, x, groups, weights, na.rm) {
  if (!is.matrix(x) || ncol(x) != length(mechanism$levels)) stop("a report has one bit per category")
  dropped <- which(rowSums(is.na(x)) > 0)
  if (length(dropped) && !na.rm) stop("a bit is missing")
  if (is.null(weights)) weights <- rep(1, nrow(x))
  if (is.null(groups)) groups <- rep(1, nrow(x))
  weights[dropped] <- 0
  x[dropped, ] <- FALSE
  list(counts = t(rowsum(x * weights, groups)), dropped = dropped)
}

# A package says this in its NAMESPACE.
registerS3method("rr_law", "rr_toy_unary", rr_law.rr_toy_unary, envir = asNamespace("candor"))
