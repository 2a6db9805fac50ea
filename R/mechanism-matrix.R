# The probabilities of the reports given the truths as a matrix, and what is read from it.

#' @rdname rr_channel
#' @param mechanism A mechanism, as made by [rr_grr()], [rr_binary()], [rr_forced()] and the other constructors.
#' @export
rr_matrix <- function(mechanism, ...) {
  check_dots_empty(...)
  UseMethod("rr_matrix")
}

#' @export
rr_matrix.default <- function(mechanism, ...) check_mechanism(mechanism)

matrix_limit <- 10000

#' @export
rr_matrix.rr_mechanism <- function(mechanism, ...) {
  if (draws_bits(mechanism)) return(drawn_bits_matrix(mechanism))
  check_report_number(mechanism, 0)
  k <- length(mechanism$levels)
  law <- check_law(rr_law(mechanism))
  if (!law_gives(law, "channel")) {
    refuse_law(law, "channel", "{.fn rr_matrix}", "Its law, {.fn rr_law}, says what is known.")
  }
  named_matrix(mechanism, law_matrix(law, k), mechanism$reports)
}

# An error if there are too many reports to be listed; `number` are all that are possible.
check_report_number <- function(mechanism, number) {
  if (max(number, length(mechanism$levels)) > matrix_limit) {
    abort(
      paste0(
        "The matrix of {.arg mechanism} is limited to {format_count(matrix_limit)} ",
        "categories and reports."
      ),
      c("law", "argument")
    )
  }
}

# The matrix of reports that are independent bits, rows are truths. `one` and `zero` have a row for
# each truth and a column for each bit, with its probabilities to be 1 and 0. The first bit runs
# fastest.
bits_matrix <- function(one, zero) {
  chances <- matrix(1, nrow(one), 1)
  labels <- ""
  for (bit in seq_len(ncol(one))) {
    chances <- cbind(chances * zero[, bit], chances * one[, bit])
    labels <- c(paste0(labels, "0"), paste0(labels, "1"))
  }
  colnames(chances) <- labels
  chances
}

drawn_bits_matrix <- function(mechanism) {
  k <- length(mechanism$levels)
  check_report_number(mechanism, 2^k)
  sampler <- mechanism$sampler
  one <- matrix(sampler$q, k, k)
  zero <- 1 - one
  diag(one) <- sampler$p
  # A bit of the truth that is 0: by epsilon, since 1 - p loses the digits of a p near 1.
  diag(zero) <- if (length(sampler$numbers) == 2L) {
    sampler$p * (1 - sampler$q) / sampler$q * exp(-mechanism$epsilon)
  } else 1 - sampler$p
  named_matrix(mechanism, bits_matrix(one, zero))
}

named_matrix <- function(mechanism, chances, reports = colnames(chances)) {
  dimnames(chances) <- list(truth = mechanism$levels, report = reports)
  chances
}

# ---- what the kernel of categories is given ----

# The sampler that the mechanism declares, or that follows from its law: its additive form, or else
# its matrix.
category_sampler <- function(mechanism) {
  if (isTRUE(mechanism$sampler$kind %in% category_kinds)) return(mechanism$sampler)
  law <- rr_law(mechanism)
  k <- length(mechanism$levels)
  if (law_gives(law, "additive") && law$a >= 0) {
    return(list(
      kind = "innocuous",
      numbers = c(law$a, rep_len(law$b, k))
    ))
  }
  # If all others are alike it is GRR, whatever it is made of. A rounding must not take p below 0.
  if (length(law[["b"]]) == 1L && k > 2L) {
    return(list(
      kind = "grr",
      numbers = c(
        max(0, law$a + law$b), law$b, law$a
      )
    ))
  }
  list(kind = "channel", numbers = as.double(rr_matrix(mechanism)))
}

# ---- can the truths be told apart? ----

# P(report | truth) with truths as rows, or an error. If it lacks full row rank, some truths give
# the same reports, and nothing about each of them can be estimated.
identified_channel <- function(mechanism, arg = "mechanism") {
  check_mechanism(mechanism, arg)
  law <- rr_law(mechanism)
  if (!law_gives(law, "channel")) {
    refuse_law(
      law, "channel", sprintf("The model of {.arg %s}", arg), "{.fn rr_estimate} takes its reports."
    )
  }
  channel <- rr_matrix(mechanism)
  # Relative to the truth's own part, as the additive form would be: a small epsilon is no lack of
  # rank.
  centred <- channel[-1, , drop = FALSE] -
    rep(channel[1, ], each = nrow(channel) - 1)
  if (nrow(channel) <= ncol(channel) &&
      qr(t(centred), tol = 1e-9)$rank == nrow(channel) - 1 &&
      max(abs(centred)) > 1e-13) {
    return(channel)
  }
  abort(
    c(
      "The truths cannot be told apart from these reports.",
      x = "The rows of the matrix of {.arg {arg}} ({mechanism$design}) depend on each other."
    ),
    "no_information"
  )
}

# The R x K matrix B that makes reports into truths without bias, C B = I: the inverse if C is
# square, else the least-squares one.
unbiased_matrix <- function(channel) {
  if (nrow(channel) == ncol(channel)) return(solve(channel))
  t(channel) %*% solve(tcrossprod(channel))
}
