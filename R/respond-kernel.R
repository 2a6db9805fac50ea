# Reports are drawn here: a position among the levels goes in, a report comes out. The kernels of
# src/core/respond use the operating system's randomness, or R's.

# One report for each position in `answers`.
draw_reports <- function(mechanism, answers, rng = "secure") UseMethod("draw_reports")

draw_reports.rr_mechanism <- function(mechanism, answers, rng = "secure") {
  if (!is.null(mechanism[["draw"]])) {
    drawn <- mechanism[["draw"]](mechanism, answers, rng)
    return(if (is.null(mechanism$codec)) {
      drawn
    } else {
      drawn_bits(drawn, mechanism, length(answers))
    })
  }
  if (draws_bits(mechanism)) return(draw_bit_reports(mechanism, answers, rng))
  if (has_categories(mechanism)) {
    return(draw_plan(answers, category_sampler(mechanism), plan_sizes(mechanism), rng, mechanism))
  }
  abort(c("{.arg mechanism} has no function {.field draw}, so its reports cannot be drawn.",
          x = "It is: {format(mechanism)}."), c("law", "argument"))
}

# Bits that the function of another package has drawn.
drawn_bits <- function(drawn, mechanism, n) {
  if (inherits(drawn, "rr_reports")) return(drawn)
  read <- if (is.logical(drawn) &&
      identical(dim(drawn), c(n, length(mechanism$levels)))) {
    .Call(C_rr_matrix_to_bits, drawn)
  }
  if (is.null(read) || read$position > 0) {
    abort(
      paste(
        "The function {.field draw} must return TRUE or FALSE: a row for each answer,",
        "a column for each level."
      )
    )
  }
  new_rr_reports(read$bits, mechanism$codec$width)
}

# The reports that the kernel of categories draws for positions.
draw_plan <- function(answers, plan, sizes, rng, mechanism = NULL) {
  run_kernel(mechanism, rng, function(generator) {
    .Call(C_rr_perturb, answers, 1L, as.double(sizes), plan_kind(plan), plan$numbers, generator)
  })
}

# The reports that a kernel draws for answers, which are positions.
run_kernel <- function(mechanism, rng, draw) {
  result <- draw(generator(rng))
  if (result$failed) abort_generator(rng)
  if (result$position > 0) {
    abort(
      paste(
        "Answer {format_count(result$position)} is not a position from 1 to",
        "{length(mechanism$levels)}."
      )
    )
  }
  result$reports
}

# The reports of a protocol. `draw` calls one of the samplers of src/glue_protocols.c; `answers` are
# positions.
draw_protocol <- function(mechanism, answers, rng, draw) {
  levels <- as.double(length(mechanism$levels))
  drawn <- run_kernel(mechanism, rng, function(generator) {
    draw(as.integer(answers), levels, generator)
  })
  codec <- mechanism$codec
  if (is.null(codec$width)) join_columns(setNames(drawn, names(codec$numbers)))
  else new_rr_reports(if (is.raw(drawn)) drawn else t(drawn), codec$width)
}

# The reports of a bit for each category.
draw_bit_reports <- function(mechanism, answers, rng) {
  check_report_memory(answers, mechanism)
  draw_protocol(mechanism, answers, rng, function(positions, levels, generator) {
    .Call(C_rr_draw_unary, positions, 1L, levels, mechanism$sampler$numbers, generator)
  })
}

# n whole numbers from 0 to size - 1, all equally likely: a report that does not depend on the
# truth.
draw_uniform <- function(n, size, rng) {
  if (size == 1 || n == 0) return(numeric(n))
  draw_plan(
    rep(1L, n),
    list(kind = "grr", numbers = c(1 / size, 1 / size, 0)),
    c(size, size), rng
  ) - 1
}

# n coins that are TRUE with probability p, rounded down on the grid; `p_false` is 1 - p.
draw_coins <- function(n, p, p_false, rng) {
  if (n == 0 || p == 0) return(logical(n))
  draw_plan(
    rep(2L, n),
    list(kind = "binary", numbers = c(p, p_false, 0, 1)),
    c(2, 2), rng
  ) == 2L
}

# The bits of reports, each randomized once more by the law `second`.
draw_second_bits <- function(second, bits, rng) {
  k <- length(second$levels)
  # A symmetric bit with its own epsilon keeps all digits of 1 - p.
  sampler <- second$sampler
  symmetric <- length(sampler$numbers) == 2L && sampler$numbers[2] == 0
  binary <- if (symmetric) {
    rr_warner(epsilon = sampler$numbers[1] / 2)
  } else {
    rr_binary(sampler$p, sampler$q)
  }
  rows <- max(1, floor(2e7 / k))
  chunks <- lapply(
    seq(1, max(length(bits), 1), by = rows),
    function(start) {
      n_rows <- max(0, min(rows, length(bits) - start + 1))
      chunk <- as.matrix(bits[seq(start, length.out = n_rows)])
      chunk[] <- as.integer(draw_reports(binary, as.vector(chunk) + 1L, rng) - 1L)
      .Call(C_rr_matrix_to_bits, chunk)$bits
    }
  )
  new_rr_reports(do.call(rbind, chunks), k)
}

# ---- randomness ----

# The generator of the kernel. Tests set `source` to "none", which stands for an operating system
# without entropy. No value can weaken the randomness: an unknown one is an error.
entropy <- new.env(parent = emptyenv())
entropy$source <- "secure"

generator <- function(rng) {
  if (rng == "secure" && !identical(entropy$source, "secure")) rng <- "none"
  match(rng, c("secure", "R", "none")) - 1L
}

# There is no fallback: a predictable generator protects nobody.
abort_generator <- function(rng) {
  if (rng == "secure") {
    abort("The operating system provided no randomness, so nothing was randomized.", "entropy")
  }
  abort(c("R's random number generator returned something other than a number between 0 and 1.",
          x = "The kind in use is {.val {RNGkind()[1]}}."), "generator")
}
