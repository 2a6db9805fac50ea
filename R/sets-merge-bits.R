#' Merge noisy bits into noisy bits
#'
#' For pipelines that must keep bits: the OR (or AND) of noisy bits, drawn so that it is again a noisy bit, wrong with one
#' known probability \eqn{q^*} whatever the truth. It can be used like any other randomised response. If only an estimate is wanted,
#' [rr_any()] and [rr_set_size()] are more precise, since merging draws anew and adds noise.
#'
#' With \eqn{z_i} as in [rr_any()], a merged OR is 1 with probability \eqn{q^* + (1 - 2 q^*)(1 - \prod z_i)}. The least
#' \eqn{q^*} that makes all of these probabilities is given by
#' \deqn{\frac{1 - q^*}{1 - 2 q^*} = \prod_i \frac{1 - q_i}{1 - 2 q_i},}{(1 - q^*)/(1 - 2 q^*) =
#'   prod_i (1 - q_i)/(1 - 2 q_i),}
#' so merging two by two, in any order, costs the same as merging all at once. Flips above 1/2 are turned round first.
#' Merging only post-processes reports, so nobody loses privacy.
#'
#' @param bits A vector of noisy bits (one element) or a matrix (one element a row), or a list of sketches of
#'   [rr_sketch()] with the same settings and key.
#' @param flip Probability that a bit was reported wrongly: one number, or one for each bit of a vector or column of a
#'   matrix, in any order with their names. Left out for sketches, which know theirs.
#' @param type `"any"` (OR) or `"all"` (AND); sketches are always merged by OR.
#' @param rng `"secure"` or `"R"`, see [rr_perturb()].
#' @param ... Not used, and refused.
#' @return An integer vector of 0 and 1, one an element, with attribute `flip`: \eqn{q^*}. For sketches, a sketch.
#' @section Errors:
#' As in [rr_bit_tally()] and [rr_perturb()]; `candor_error_mismatch` for sketches that differ, and for a `flip` beside
#' them that is not theirs.
#' @source Hehir, J., Ting, D. and Cormode, G. (2023). Sketch-Flip-Merge: mergeable sketches for private distinct
#'   counting, Theorem A.2. \doi{10.48550/arXiv.2302.02056}
#' @examples
#' set.seed(1)
#' seen <- matrix(runif(3000) < 0.3, 1000, 3)
#' reports <- xor(seen, runif(3000) < 0.05)
#' merged <- rr_merge_bits(reports, flip = 0.05, rng = "R")
#' attr(merged, "flip")
#' # The merged bits are randomised responses to "in any set?"
#' rr_set_size(cbind(merged), flip = attr(merged, "flip"))
#' sum(rowSums(seen) > 0)
#' @export
rr_merge_bits <- function(bits, flip = NULL, type = c("any", "all"), rng = c("secure", "R"), ...) {
  check_dots_empty(...)
  type <- check_choice(type, "type", c("any", "all"))
  rng <- check_choice(rng, "rng", c("secure", "R"))
  if (inherits(bits, "rr_sketch")) bits <- list(bits)
  if (is.list(bits) && !is.data.frame(bits)) {
    sketches <- check_sketches(bits, flip)
    first <- sketches[[1]]
    merged <- merge_rows(vapply(sketches, `[[`, first$bits, "bits"), vapply(sketches, `[[`, 1, "flip"), "any", rng)
    return(new_rr_sketch(merged$bits, first$type, first$settings, first$key, merged$flip))
  }
  bits <- check_bits(bits)
  if (is.raw(bits) || is.matrix(flip)) {
    abort("{.arg bits} must not be packed, and {.arg flip} must be one number, or one for each column.", "argument")
  }
  rows <- if (is.matrix(bits)) bits else matrix(bits, 1, dimnames = list(NULL, names(bits)))
  flip <- check_flip(flip, nrow(rows), ncol(rows), colnames(rows))
  row_ones(rows)
  merged <- merge_rows(rows, rep_len(flip, ncol(rows)), type, rng)
  structure(merged$bits, names = rownames(rows), flip = merged$flip)
}

merged_flip <- function(flip) {
  flip <- pmin(flip, 1 - flip)
  # log of prod (1 - q) / (1 - 2q), which is 1 + r* with r* = q* / (1 - 2q*)
  excess <- expm1(sum(log1p(flip / (1 - 2 * flip))))
  if (is.infinite(excess)) 0.5 else excess / (1 + 2 * excess)
}

merge_rows <- function(rows, flip, type, rng) {
  star <- merged_flip(flip)
  if (star >= 0.5) {
    abort(c("Merging so many bits leaves nothing of the truth.", x = "Merged bits would be wrong with probability 1/2.",
            i = "Estimate with {.fn rr_any} instead, or merge fewer bits."), "no_information")
  }
  storage.mode(rows) <- "integer"
  turned <- flip > 0.5
  rows[, turned] <- 1L - rows[, turned]
  estimate <- tally_value(rr_bit_tally(unname(rows), pmin(flip, 1 - flip)), type)$estimate
  different <- unique(estimate)
  # Exact at both ends but for rounding.
  probability <- pmin(pmax(star + (1 - 2 * star) * different, 0), 1)
  list(bits = draw_bits(match(estimate, different), probability, rng), flip = star)
}
