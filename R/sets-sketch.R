#' Sketches of sets, to count distinct items with noise
#'
#' A sketch is a short vector of bits made from a set of items, and the sketch of a union is the OR of the sketches. Each of many sites sketches the identifiers that it saw, flips every
#' bit at random, and publishes the result. [rr_set_size()] estimates from the published sketches how many different items the sites saw together. No site shows its list to
#' anybody.
#'
#' There are three types:
#'
#' * `"bloom"`: Bloom filter of `bits` bits; each item sets `hashes` bits.
#' * `"linear"`: linear counting, a Bloom filter with one hash.
#' * `"pcsa"`: Flajolet and Martin's sketch: an item falls into one of `buckets` and sets the bit of level \eqn{l} with probability \eqn{2^{-l}}. It counts to
#'   \eqn{2^{levels}} items per bucket.
#'
#' A Bloom filter must be large enough for the union. A PCSA sketch need not be, but each of its bits carries less information.
#'
#' Items are hashed with SipHash-2-4, 64 bits, under `key`. Sites that merge must use the same key, and should keep it secret from anybody who might choose items that collide. Numbers
#' are hashed as doubles (`1L` and `1` agree), text as UTF-8.
#'
#' @param items The items: text, factor, or numbers. Repeated items count once. May be empty.
#' @param type `"bloom"` (default), `"linear"` or `"pcsa"`.
#' @param bits Whole number, default 4096. Number of bits of a Bloom filter or a linear counter.
#' @param hashes Whole number, default 2. Number of bits that an item sets in a Bloom filter.
#' @param buckets,levels Whole numbers, defaults 256 and 24; `levels` is at most 32. A PCSA sketch has `buckets * levels` bits.
#' @param key Text that selects the hash function.
#' @param epsilon Number above 0. Privacy budget of one *item*: whether a site saw it. Each bit is flipped with probability \eqn{1/(1 + e^{\epsilon/hashes})}, because an item sets at
#'   most `hashes` bits (in PCSA one).
#' @param flip Flip probability of each bit, in place of `epsilon`. Without either no bit is flipped: do not publish such a sketch.
#' @param rng `"secure"` (default) or `"R"`, see [rr_perturb()].
#' @param ... Must be empty.
#' @return An object of class `rr_sketch`, a list of `bits` (integer 0 and 1), `type`, `settings`, `key` and `flip`.
#' @section Errors:
#' `candor_error_argument`, `candor_error_missing` for missing items, `candor_error_no_information` for a flip of 1/2, `candor_error_entropy` as in [rr_perturb()].
#' @references Bloom, B. H. (1970). Space/time trade-offs in hash coding with allowable errors. *Communications of the ACM*
#'   13(7), 422-426. \doi{10.1145/362686.362692}
#'
#'   Whang, K.-Y., Vander-Zanden, B. T. and Taylor, H. M. (1990). A linear-time probabilistic counting algorithm for database
#'   applications. *ACM Transactions on Database Systems* 15(2), 208-229. \doi{10.1145/78922.78925}
#'
#'   Flajolet, P. and Martin, G. N. (1985). Probabilistic counting algorithms for data base applications. *Journal of
#'   Computer and System Sciences* 31(2), 182-209. \doi{10.1016/0022-0000(85)90041-8}
#'
#'   Aumasson, J.-P. and Bernstein, D. J. (2012). SipHash: a fast short-input PRF. *INDOCRYPT 2012*, 489-508.
#'   \doi{10.1007/978-3-642-34931-7_28}
#'
#'   Hehir, J., Ting, D. and Cormode, G. (2023). Sketch-Flip-Merge: mergeable sketches for private distinct
#'   counting. \doi{10.48550/arXiv.2302.02056}
#' @seealso [rr_set_size()], which counts; [rr_merge_bits()]; [rr_count_mean_sketch()] for frequencies; `vignette("counting", package = "candor")`.
#' @concept distinct count
#' @concept Bloom filter
#' @concept linear counting
#' @concept PCSA
#' @concept Sketch-Flip-Merge
#' @concept cardinality
#' @examples
#' # How many different devices did two sites see, if they publish sketches
#' # with epsilon = 3?
#' visitors <- paste0("device-", 1:3000)
#' set.seed(1)
#' sites <- list(north = visitors[1:2000], south = visitors[1001:3000])
#' published <- lapply(sites, rr_sketch, type = "linear", bits = 4096,
#'                     epsilon = 3, rng = "R")
#' rr_set_size(published)   # 3,009 (2,909 to 3,112)
#'
#' # Without noise
#' rr_set_size(rr_sketch(visitors, "linear", bits = 4096))   # 3,069
#' @export
rr_sketch <- function(
  items,
  type = c("bloom", "linear", "pcsa"),
  bits = 4096,
  hashes = if (type == "bloom") 2 else 1,
  buckets = 256,
  levels = 24,
  key = "candor",
  epsilon = NULL,
  flip = NULL,
  rng = c("secure", "R"),
  ...
) {
  check_dots_empty(...)
  type <- check_choice(type)
  rng <- check_choice(rng)
  items <- check_items(items)
  check_that(
    is.character(key) && length(key) == 1L && !is.na(key), key, "key", "one text"
  )
  key <- check_hashed_text(key, "key")
  if (type == "pcsa") {
    settings <- c(buckets = check_count(buckets, "buckets", min = 1, max = 2^26),
                  levels = check_count(levels, "levels", min = 1, max = 32))
    bits_set <- .Call(C_rr_pcsa_sketch, items, key, settings[["buckets"]], settings[["levels"]])
  } else {
    settings <- c(
      bits = check_count(bits, "bits", min = 2, max = 2^31),
      hashes = check_count(hashes, "hashes", min = 1, max = if (type == "linear") 1 else 64)
    )
    bits_set <- .Call(C_rr_bloom_sketch, items, key, settings[["bits"]], settings[["hashes"]])
  }
  sketch <- new_rr_sketch(bits_set, type, settings, key, 0)
  if (is.null(epsilon) && is.null(flip)) return(sketch)
  if (!is.null(epsilon) && !is.null(flip)) abort("Give either {.arg epsilon} or {.arg flip}.")
  epsilon <- check_number(epsilon %||% 1, "epsilon", min = 0, min_open = TRUE)
  if (is.null(flip)) flip <- plogis(-epsilon / item_bits(sketch))
  sketch$flip <- check_flip(flip, 1, 1)
  # Under 1/2 rounding at 2^-64 goes to the noisy side, so that epsilon is kept.
  sketch$bits <- draw_bits(
    bits_set + 1L, c(sketch$flip, 1 - sketch$flip), rng
  )
  sketch
}

check_items <- function(items) {
  if (is.factor(items)) items <- factor_text(items, "items")
  if (is.null(items)) items <- character()
  if (anyNA(items)) abort("{.arg items} must not be missing.", "missing")
  if (is.character(items)) return(check_hashed_text(items, "items", answers = TRUE))
  if (is.numeric(items) && !is.object(items)) return(items)
  abort(c("{.arg items} must be text or numbers.", x = "It is {describe_kind(items)}."))
}

new_rr_sketch <- function(bits, type, settings, key, flip) {
  structure(
    list(bits = bits, type = type, settings = settings, key = key, flip = flip),
    class = "rr_sketch"
  )
}

# A list of sketches, all alike. A `flip` beside them is an error unless it is theirs.
check_sketches <- function(sketches, flip) {
  alike <- vapply(sketches, function(sketch) {
    settings <- c("type", "settings", "key")
    inherits(sketch, "rr_sketch") && identical(sketch[settings], sketches[[1]][settings])
  }, NA)
  if (!length(alike)) abort("{.arg bits} holds no sketches.", "empty")
  if (!all(alike)) abort("Sketches must have the same settings and the same key.", "mismatch")
  flips <- vapply(sketches, `[[`, 1, "flip")
  if (!is.null(flip) && !(is.numeric(flip) &&
      length(flip) %in% c(1L, length(flips)) && all(flip == flips) %in% TRUE)) {
    abort("{.arg flip} must be left out for sketches, which hold their own.", "mismatch")
  }
  sketches
}

format_settings <- function(x) {
  kind <- c(bloom = "a Bloom filter", linear = "a linear counter", pcsa = "a PCSA sketch")[[x$type]]
  paste(
    kind, "with",
    paste(names(x$settings), format_count(x$settings), sep = " = ", collapse = ", ")
  )
}

item_bits <- function(sketch) if (sketch$type == "pcsa") 1 else sketch$settings[["hashes"]]

# Bits that are 1 with probability[group], through the kernel of rr_perturb().
draw_bits <- function(group, probability, rng) {
  plan <- list(kind = "channel", numbers = as.double(c(1 - probability, probability)))
  draw_plan(as.integer(group), plan, c(length(probability), 2), rng) - 1L
}

#' @export
print.rr_sketch <- function(x, ...) {
  epsilon <- item_bits(x) * abs(qlogis(x$flip))
  flip <- if (x$flip == 0) {
    "none: do not publish"
  } else {
    sprintf("%s (epsilon %s an item)", format(x$flip, digits = 4), format(epsilon, digits = 4))
  }
  cat(
    "<rr_sketch> ", format_settings(x), ", ones: ", format_count(sum(x$bits)), "\n  flip  ", flip,
    "\n", sep = ""
  )
  invisible(x)
}

# ---- the size of a union of sketches ----

warn_saturated <- function() {
  warn("The sketch is full: no bit of the union seems to be 0.", "saturated")
}

# ---- bits merged into one ----

#' @rdname bit_tallies
#' @export
rr_merge_bits <- function(
  bits,
  flip = NULL,
  type = c("any", "all"),
  rng = c("secure", "R"),
  ...
) {
  check_dots_empty(...)
  type <- check_choice(type)
  rng <- check_choice(rng)
  if (inherits(bits, "rr_sketch")) bits <- list(bits)
  if (is.list(bits) && !is.data.frame(bits)) {
    sketches <- check_sketches(bits, flip)
    first <- sketches[[1]]
    merged <- merge_rows(
      vapply(sketches, `[[`, first$bits, "bits"), vapply(sketches, `[[`, 1, "flip"),
      "any", rng
    )
    return(replace(first, names(merged), merged))
  }
  bits <- check_bits(bits)
  if (is.raw(bits) || is.matrix(flip)) {
    abort(
      "{.arg bits} must not be packed, and {.arg flip} must be one number, or one for each column."
    )
  }
  rows <- if (is.matrix(bits)) {
    bits
  } else {
    matrix(bits, 1, dimnames = list(NULL, names(bits)))
  }
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
    abort(
      "So many bits cannot be merged into one: {.fn rr_extreme} estimates it.", "no_information"
    )
  }
  storage.mode(rows) <- "integer"
  turned <- flip > 0.5
  rows[, turned] <- 1L - rows[, turned]
  estimate <- tally_value(bit_tally(unname(rows), pmin(flip, 1 - flip)), type)$estimate
  different <- unique(estimate)
  # Exact at both ends but for rounding.
  probability <- clamp(star + (1 - 2 * star) * different)
  list(bits = draw_bits(match(estimate, different), probability, rng), flip = star)
}
