#' Count-mean sketch: frequencies of strings without a list
#'
#' Respondents hold any text: words, addresses of pages, names of products. A public hash function sends each string to one of `width` buckets. There are
#' `functions` hash functions, and each respondent draws one and reports the bucket of their string, randomized. The tally has a fixed size. Afterwards
#' [rr_estimate()] estimates the share of any string that it is asked for.
#'
#' With `one_bit = FALSE` a report has one bit for each bucket, by symmetric [unary encoding][rr_unary()]: \eqn{p = 1 / (e^{-\epsilon/2} + 1)}. With
#' `one_bit = TRUE` it is one sign, of a column of a Hadamard matrix that may be public, as in [rr_hadamard()]:
#' \eqn{p = e^\epsilon / (e^\epsilon + 1)}, and 1/2 for every other bucket. One bit has the larger variance, by a fifth at \eqn{\epsilon = 1} and by more
#' above. Strings are compared byte by byte in UTF-8, without any normalization.
#'
#' @section Estimates:
#' `rr_estimate(tally, candidates = c("a", "b"))` returns a fit whose levels are the candidates. Their shares need not add up to 1. With \eqn{m} buckets a
#' report supports its own string with probability \eqn{p}, and another string with probability \eqn{q = q_s + (p - q_s) / m} over the choice of functions. The only
#' method is the unbiased inversion \eqn{(c_v / N - q) / ((p - q_s)(1 - 1/m))} of the support counts. Its standard error has two parts:
#'
#' * the randomization, as for a protocol with fresh hash functions. It falls with the number of respondents.
#' * *collisions* in the \eqn{k} shared functions: \eqn{\sum_{x \ne v} \theta_x^2 / (k (m - 1))}{sum over x other than v of theta[x]^2 / (k (m - 1))}, less a
#'   small term for fixed truths. They do not fall with the number of
#'   respondents. The sum of squares is estimated, without bias, from the same table.
#'
#' The printed fit shows the largest standard error that collisions alone can cause (`collision`). More `functions` make it smaller and the table larger.
#' Intervals cover at their nominal rate over keys. Under one key a string has the same collisions in every survey, and its intervals
#' may never cover (`studies/sketch-keys.R` of the site). Use a new `key` for each survey, and many functions; or [rr_bloom()] for a list of candidates.
#'
#' @param epsilon Number, 1e-12 to 700. Privacy budget, in natural logarithms.
#' @param width Whole number \eqn{m}, 2 to 65536; default 1024. Number of buckets.
#' @param functions Whole number \eqn{k}, at least 1; default 256. Number of hash functions. `functions * (width + 1)` may be at most 2^23.
#' @param one_bit Logical, default `FALSE`. Send one bit about a public column?
#' @param key Whole number, 0 to 2^32 - 1; default 1. Public seed of the hash functions.
#' @param ... Must be empty.
#' @return A mechanism of class `c("rr_count_mean_sketch", "rr_mechanism")` with `width`, `cohorts` (the number of functions), `one_bit`, `key`, and `p` and
#'   `q` of one bucket. [rr_perturb()] takes text and returns a data frame with `cohort` (from 1) and `bits` ([packed][rr_reports]), or a tibble with
#'   `cohort`, `index` (from 0) and `sign` (1 or -1). [rr_tally()] keeps for each function the number of reports, and of supports of each bucket.
#' @section Errors:
#' * `candor_error_argument`: numbers out of range, answers or `candidates` that are not valid text, another `method`.
#' * `candor_error_too_large`: a table above its limit. `candor_error_missing`: a missing answer.
#' * `candor_error_report`: a value that is not a report of this mechanism, with its position.
#' @references Apple Differential Privacy Team (2017). Learning with privacy at scale. *Apple Machine Learning Journal* 1(8).
#'   <https://machinelearning.apple.com/research/learning-with-privacy-at-scale> (count mean sketch and its Hadamard form). The covariances and the
#'   collisions are derived in the package's mathematics.
#'
#'   Alon, N., Matias, Y. and Szegedy, M. (1999). The space complexity of approximating the frequency moments. *Journal of Computer and System Sciences* 58(1), 137-147.
#'   \doi{10.1006/jcss.1997.1545} (sums of squares from sketches)
#' @seealso [rr_heavy_hitters()], which finds frequent strings; [rr_bloom()] for a list of candidates and permanent answers; [rr_sketch()] for the
#'   number of different elements.
#' @concept count-mean sketch
#' @concept frequency oracle
#' @concept open dictionary
#' @concept strings
#' @examples
#' # How common are tea, coffee and cocoa among 5,000 free answers?
#' sketch <- rr_count_mean_sketch(epsilon = 4, width = 256, functions = 64)
#' set.seed(1)
#' words <- sample(c("tea", "coffee", "water", "milk"), 5000, replace = TRUE,
#'                 prob = c(5, 3, 1, 1))
#' tally <- rr_tally(rr_perturb(words, sketch, rng = "R"), sketch)
#' tidy(rr_estimate(tally, candidates = c("tea", "coffee", "cocoa")),
#'      conf.int = TRUE)
#' # 0.52, 0.28, 0
#' # Any other string, from the same tally
#' tidy(rr_estimate(tally, candidates = "milk"), conf.int = TRUE)
#' # 0.11 (0.09 to 0.13)
#' @export
rr_count_mean_sketch <- function(
  epsilon,
  width = 1024,
  functions = 256,
  one_bit = FALSE,
  key = 1,
  ...
) {
  check_dots_empty(...)
  epsilon <- check_epsilon(epsilon)
  width <- check_count(width, "width", min = 2, max = 65536)
  functions <- check_count(functions, "functions", min = 1, max = .Machine$integer.max)
  check_flag(one_bit, "one_bit")
  key <- check_key(key)
  if (functions * (width + 1) > sketch_cells) {
    abort(
      "{.arg width} and {.arg functions} must make at most {format_count(sketch_cells)} numbers.",
      "too_large"
    )
  }
  bit <- if (one_bit) {
    rr_hadamard(width, epsilon, one_bit = TRUE)
  } else {
    rr_unary(width, epsilon, optimized = FALSE)
  }
  with_recipe(
    new_rr_mechanism(
      c("count_mean_sketch", "protocol"),
      "any text",
      reports = bloom_reports(width, functions),
      epsilon = epsilon,
      design = sprintf(
        "Count-mean sketch%s (%s buckets, %s)", if (one_bit) " of one bit" else "",
        format_count(width), number_of(functions, "function")
      ),
      width = width,
      bits_number = width,
      cohorts = functions,
      one_bit = one_bit,
      key = key,
      bit = bit,
      p = bit$p,
      q = bit$q,
      p_minus_q = bit$p_minus_q,
      law = new_rr_law(
        "count_mean_sketch",
        "a report is about a bucket of any strings",
        truths = 1,
        bit = bit$law
      ),
      codec = sketch_codec(bit, width, functions)
    ),
    "rr_count_mean_sketch", epsilon = epsilon, width = width, functions = functions,
    one_bit = one_bit, key = key, fields = NULL
  )
}

# The codec of a sketch. A report has the function as its cohort, and beside it a bit of the matrix
# with its index, or the bits of all buckets.
sketch_codec <- function(bit, width, functions) {
  if (!length(bit$codec$numbers)) return(cohort_codec(width, functions))
  do.call(
    report_codec, c(list(cohort = c(1, functions)), bit$codec$numbers)
  )
}

# The largest number of counts of a sketch.
sketch_cells <- 2^23

# The bucket, from 1, of each string (columns) under each function (rows).
sketch_buckets <- function(mechanism, strings) {
  string_buckets <- function(string) {
    counter <- c(5, mechanism$key, label_print(string, mechanism$key))
    .Call(C_rr_public_numbers, counter, mechanism$width, mechanism$cohorts, FALSE)
  }
  buckets <- vapply(strings, string_buckets, integer(mechanism$cohorts), USE.NAMES = FALSE)
  matrix(buckets, mechanism$cohorts) + 1L
}

achieved.rr_count_mean_sketch <- function(mechanism) list(epsilon = achieved(mechanism$bit)$epsilon)

# A sketch has no categories until somebody asks for strings. Their law is in R/law-support.R.

# ---- respondents ----

#' @export
prepare_answers.rr_count_mean_sketch <- function(mechanism, x) {
  if (!(is.character(x) || is.factor(x)) || length(dim(x)) > 1L) {
    abort(c("{.arg x} must be text, or a factor.", x = "It is {describe_kind(x)}."))
  }
  if (anyNA(x)) abort_answer(x, which(is.na(x))[1], mechanism)
  check_hashed_text(
    if (is.factor(x)) factor_text(x, "x") else as.character(x), "x", answers = TRUE
  )
}

# Positions among the levels do not exist here: answers are strings.
client_plan.rr_count_mean_sketch <- function(mechanism) refuse_texts(mechanism)

refuse_texts <- function(mechanism) {
  refuse_client(mechanism, "Any text may be answered, and a plan lists the answers.",
                paste("Offer a list, with {.fn rr_local_hash} or {.fn rr_bloom};",
                      "{.help clients} has the numbers of sketches."))
}

draw_reports.rr_count_mean_sketch <- function(mechanism, answers, rng = "secure") {
  answers <- check_hashed_text(answers, "answers", answers = TRUE)
  cohort <- draw_cohorts(mechanism, length(answers), rng)
  bucket <- integer(length(answers))
  strings <- unique(answers)
  index <- match(answers, strings)
  # A chunk has so many strings that their table fits in memory.
  chunk_size <- max(1, floor(1e7 / mechanism$cohorts))
  for (rows in split(seq_along(answers), (index - 1) %/% chunk_size)) {
    chunk <- strings[unique(index[rows])]
    cells <- cbind(cohort[rows], match(answers[rows], chunk))
    bucket[rows] <- sketch_buckets(mechanism, chunk)[cells]
  }
  reports <- draw_reports(mechanism$bit, bucket, rng)
  columns <- list(cohort = cohort)
  if (mechanism$one_bit) join_columns(c(columns, reports)) else join_columns(columns, reports)
}

# ---- counting ----

# The name of reports of rr_prefixes() about a string as a whole: each is that of a sketch.
held_out <- "held out"

# The counts of reports; one bit supports some of the buckets.
count_reports.rr_count_mean_sketch <- function(
  mechanism, x, groups = NULL, weights = NULL, na.rm = FALSE, ...
) {
  if (is.data.frame(x) && held_out %in% x[["part"]]) {
    abort(
      "{.arg x} must hold reports of this mechanism, not of {.fn rr_prefixes}.",
      c("mismatch", "report")
    )
  }
  if (!mechanism$one_bit) return(NextMethod())
  read <- read_reports(x, mechanism, na.rm, groups, weights)
  counted_reports(count_signs(read, mechanism$bit$size, mechanism$width, mechanism$cohorts), read)
}

# ---- the counts of the strings asked for ----

# A tally of candidates: for each string the number of reports that support it, and last the sum of
# squares of the shares of all strings, times the number of respondents.
candidate_tally <- function(mechanism, tally, candidates, labels = candidates) {
  groups <- seq_len(NCOL(tally$counts))
  cohorts <- mechanism$cohorts
  supports <- matrix(0, length(candidates), length(groups))
  chunk_size <- max(1, floor(1e7 / cohorts))
  offsets <- (seq_len(cohorts) - 1) * (mechanism$width + 1)
  for (chunk in split(seq_along(candidates), (seq_along(candidates) - 1) %/% chunk_size)) {
    cells <- as.vector(sketch_buckets(mechanism, candidates[chunk]) + offsets)
    for (g in groups) {
      supports[chunk, g] <- colSums(matrix(group_counts(tally, g)[cells], cohorts))
    }
  }
  squares <- vapply(groups, function(g) {
    scale <- tally$effective_n[g] / tally$n[g]
    sketch_squares(mechanism, group_counts(tally, g) * scale)
  }, 0)
  collision <- sqrt(max(squares) / (cohorts * (mechanism$width - 1)))
  design <- paste0(
    mechanism$design, ", collisions add at most ", format(collision, digits = 2),
    " to a standard error"
  )
  candidate_mechanism <- new_rr_mechanism(
    "sketch_candidates",
    labels,
    reports = c(labels, "(squares)"),
    epsilon = mechanism$epsilon,
    design = design,
    sketch = mechanism,
    collision = collision,
    law = new_law_candidates(mechanism)
  )
  counts <- rbind(supports, squares * tally$n)
  new_rr_tally(
    candidate_mechanism,
    if (is.matrix(tally$counts)) unname(counts) else as.vector(counts),
    groups = tally$groups,
    n = tally$n,
    missing = tally$missing,
    weight_squares = tally$weight_squares,
    respondents = tally$respondents
  )
}

# The sum of squares of the shares of all strings, without bias. The squared shares of the buckets,
# less their noise, add up to
#   sum + (1 - sum) / m
# on average over the functions.
sketch_squares <- function(mechanism, counts) {
  width <- mechanism$width
  counts <- matrix(counts, width + 1)
  used <- which(counts[width + 1, ] > 1)
  if (!length(used)) return(1)
  n <- counts[width + 1, used]
  buckets <- counts[-(width + 1), used, drop = FALSE]
  phi <- sweep(buckets, 2, n, `/`)
  noise <- sweep(phi * (1 - phi), 2, n - 1, `/`)
  squares <- colSums((phi - mechanism$q)^2 - noise) / mechanism$p_minus_q^2
  mean_square <- sum(n * squares) / sum(n)
  clamp((width * mean_square - 1) / (width - 1))
}

# list(p, q, difference): a report supports its string with probability p, another string with q:
# the bucket of that string is a different one, or the same by chance.
sketch_numbers <- function(sketch) {
  m <- sketch$width
  list(
    p = sketch$p,
    q = sketch$q + sketch$p_minus_q / m,
    difference = sketch$p_minus_q * (1 - 1 / m)
  )
}

new_law_candidates <- function(sketch) {
  m <- sketch$width
  numbers <- sketch_numbers(sketch)
  p <- numbers$p
  q <- numbers$q
  q_bucket <- sketch$q
  new_rr_law(
    "sketch_candidates",
    "a report supports the strings that share a bucket",
    gives = "inverse",
    p = p,
    q = q,
    difference = numbers$difference,
    probabilities = support_texts(p, q),
    both_own = p / m + (1 - 1 / m) * p * q_bucket,
    functions = sketch$cohorts,
    width = m,
    both_other = q / m + (1 - 1 / m) *
      (2 / m * p * q_bucket + (1 - 2 / m) * q_bucket^2)
  )
}

size_words.rr_count_mean_sketch <- function(mechanism) NULL

# The blanket of a sketch. The hash function that was drawn is public. Two strings may lie in
# different buckets of all functions: the report is then of two levels given each function, always
# the same ones.
law_blanket.rr_law_count_mean_sketch <- function(law, k, local) law_blanket(law$bit, k, local)

# ---- strings in a count-mean sketch ----

# A report supports the truth with probability p, any other string with q, over the choice of hash
# functions: the law of supports. The k functions are shared, which adds to the variance of v
#    fixed truths    (sum over x other than v of theta_x^2, less (1 - theta_v) / N) / (k (m - 1))
#    sampled truths  (1 - 1 / N) (sum over x other than v of theta_x^2) / (k (m - 1))
# and theta_v theta_w / (k (m - 1)) to a covariance, with m buckets. The sum of squares is over all
# strings, also those that nobody asked for: it is the last of the counts.

# The variance that sharing the functions adds to strings with the shares `theta`; `squares` is the
# sum of squares of all.
collision_variance <- function(theta, squares, n, functions, width, target) {
  others <- pmax(squares - theta^2, 0)
  others <- if (target == "sample") {
    pmax(others - (1 - theta) / n, 0)
  } else {
    (1 - 1 / n) * others
  }
  others / (functions * (width - 1))
}

law_collisions <- function(law, evidence, cells, target) {
  theta <- clamp(law_unbiased(law, evidence)[cells])
  collision_variance(
    theta, evidence$counts[evidence$k + 1] / evidence$n, evidence$n,
    law$functions, law$width, target
  )
}

law_unbiased.rr_law_sketch_candidates <- function(law, evidence) {
  law_unbiased(support_law(law), evidence)
}

law_null_std_error.rr_law_sketch_candidates <- function(law, evidence) {
  squares <- evidence$counts[evidence$k + 1] / evidence$n
  sqrt(
    law_null_std_error(support_law(law), evidence)^2 +
      squares / (law$functions * (law$width - 1))
  )
}

unbiased_variances.rr_law_sketch_candidates <- function(law, evidence, cells, target, unbiased) {
  unbiased_variances(support_law(law), evidence, cells, target, unbiased) +
    law_collisions(law, evidence, cells, target)
}

unbiased_covariance.rr_law_sketch_candidates <- function(law, evidence, cells, target, unbiased) {
  theta <- clamp(law_unbiased(law, evidence)[cells])
  shared <- outer(theta, theta) / (law$functions * (law$width - 1))
  diag(shared) <- law_collisions(law, evidence, cells, target)
  unbiased_covariance(support_law(law), evidence, cells, target, unbiased) + shared
}

# The score interval of the binomial count, with the collisions beside it.
law_intervals.rr_law_sketch_candidates <- function(
  law, evidence, estimate, interval, conf.level, cells, target
) {
  others <- law$q * (1 - law$q) / law$difference^2 +
    evidence$n * law_collisions(law, evidence, cells, target)
  moment_intervals(
    law_unbiased(law, evidence)[cells],
    others + (1 - 2 * law$q) / law$difference, others, evidence$n, conf.level,
    target
  )
}
