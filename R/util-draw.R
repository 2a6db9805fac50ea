# Drawing counts: multinomial, and whole numbers that stand for shares.

# R's own generators of counts end at 2^31 - 1; the core's take words from a stream whose name R's generator draws.
largest_size <- .Machine$integer.max

draw_seed <- function() sum(floor(stats::runif(2) * 2^26) * c(2^26, 1))

# As simulate() of lm(): a seed is for the calling function alone; without one R's generator goes on. Returns the
# attribute "seed" that stats::simulate() describes.
keep_seed <- function(seed, frame = parent.frame()) {
  if (!is.null(seed)) check_count(seed, "seed", min = -.Machine$integer.max, max = .Machine$integer.max)
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) stats::runif(1)
  state <- get(".Random.seed", envir = globalenv(), inherits = FALSE)
  if (is.null(seed)) return(invisible(state))
  do.call(on.exit, list(bquote(assign(".Random.seed", .(state), envir = globalenv())), add = TRUE), envir = frame)
  set.seed(seed)
  invisible(structure(seed, kind = as.list(RNGkind())))
}

draw_multinomial <- function(nsim, n, shares) {
  if (n > largest_size) {
    return(.Call(C_rr_study_counts, as.double(shares / sum(shares)), NULL, n, 1, 0, Inf, draw_seed(), 0, 0, nsim))
  }
  do.call(cbind, lapply(blocks(0, nsim, length(shares)), function(part) {
    # rmultinom() does not look for interrupts, and the few other calls here do not either.
    Sys.sleep(0)
    stats::rmultinom(part[2], n, shares)
  }))
}

# Columns of `size` numbers from `start` to before `end` in parts of about 200,000 numbers, which stay in the
# processor's cache and take an interrupt between them: a list of c(first, how many).
blocks <- function(start, end, size) {
  step <- max(1, floor(2e5 / size))
  first <- seq(start, end - 1, by = step)
  Map(c, first, pmin(step, end - first))
}

# Whole counts closest to n * shares that add up to n.
whole_shares <- function(n, shares) {
  exact <- n * shares
  whole <- floor(exact)
  short <- round(n - sum(whole))
  if (short > 0) {
    first <- order(exact - whole, decreasing = TRUE)[seq_len(min(short, length(whole)))]
    whole[first] <- whole[first] + 1
  }
  # Near 2^53 the products are themselves rounded to whole numbers, and by more than one in all.
  largest <- which.max(whole)
  whole[largest] <- whole[largest] + (n - sum(whole))
  whole
}
