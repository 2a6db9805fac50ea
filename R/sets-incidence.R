#' Number of elements in exactly, and at least, t of n noisy sets
#'
#' The union is "at least 1", the intersection "at least n"; `rr_incidence()` estimates all cases between. `plot()` draws them.
#'
#' **Inversion** (`"inv"`) is unbiased and adds up to the universe. Counts may be negative. With one flip probability \eqn{q} the number of sets that report an element follows a
#' channel: \eqn{t} true sets give \eqn{s \sim Bin(t, 1 - q) + Bin(n - t, q)}{s ~ Bin(t, 1 - q) + Bin(n - t, q)} reported sets. Its inverse is
#' \eqn{(-1)^{s + t} P(t \mid s) / (1 - 2q)^n}{(-1)^(s + t) P(t | s) / (1 - 2q)^n} with \eqn{P} the channel itself. With different flips the estimates are coefficients of
#' \eqn{\prod_j (z_j + (1 - z_j) w)}, added up over elements. No assumption about which sets hold which elements is made.
#'
#' **Maximum likelihood** (`"mle"`) fits the distribution of \eqn{t} over elements to the numbers of reporting sets. Its counts are never negative, and its log-likelihood is
#' proved to be within `gap` of the maximum. With different flips, any \eqn{t} of the sets are assumed to be as likely as any other \eqn{t} to hold an element.
#'
#' **Intervals** of inversion are normal, cut to the universe. Intervals of maximum likelihood are profile likelihood intervals, also valid for a count that is estimated as 0 and has no
#' standard error. For `target = "sample"` they are shortened by the part due to sampling the elements.
#'
#' Counts of neighbouring \eqn{t} are hard to separate: errors of inversion grow like \eqn{(1 - 2q)^{-n}}. Sums over several \eqn{t} are much more precise; `vcov()` gives
#' their covariances.
#'
#' @inheritParams rr_set_size
#' @param sets The reported bits, in the forms of [rr_set_size()] except sketches: a matrix, a list of sets with their `universe`, or a tally of bits.
#' @param method `"inv"` (default) or `"mle"`.
#' @param target For `"mle"`: `"population"` (default; the elements are a sample) or `"sample"` (only the randomization is random). Errors of inversion are about the sample.
#' @param tolerance For `"mle"`: largest distance of the log-likelihood from its maximum, see [likelihood_solver]. Default \eqn{10^{-8}}, or \eqn{10^{-14}} per element
#'   if that is more.
#' @param ... Must be empty.
#' @return An object of class `rr_incidence`, with the methods of [estimate_methods]. `tidy()` returns `term`, `sets` (t), `type` (`"exactly"` or `"at least"`), `estimate`, `std.error` and,
#'   with `conf.int = TRUE`, `conf.low` and `conf.high` (`NA` for `"mle"` with more than 200 sets). `coef()` and `vcov()` are about the counts in exactly 0, 1, ..., n sets. Standard errors of
#'   `"mle"` are `NA` for counts estimated as 0 or the whole universe.
#' @section Errors:
#' As in [rr_set_size()]. Warning `candor_warning_not_converged` if the maximum was not reached within `tolerance`.
#' @references Alaggan, M., Cunche, M. and Minier, M. (2017). Non-interactive (t, n)-incidence counting from differentially
#'   private indicator vectors. *Proceedings of the 3rd ACM International Workshop on Security and Privacy Analytics*, 1-9.
#'   \doi{10.1145/3041008.3041017}
#'
#'   Hehir, J. (2023). Easier estimation of extremes under randomized response, section 2.1. arXiv:2306.09394
#' @seealso [rr_set_size()] for unions and intersections; [bit_tallies]; `vignette("counting", package = "candor")`.
#' @concept incidence counting
#' @concept sum estimator
#' @concept recurring visitors
#' @examples
#' # How many of 2,000 devices were seen at exactly two of three sites?
#' set.seed(1)
#' seen <- matrix(runif(6000) < 0.3, 2000, 3)
#' reports <- xor(seen, runif(6000) < 0.1)
#' fit <- rr_incidence(reports, flip = 0.1)
#' tidy(fit, conf.int = TRUE)   # 401 (349 to 453)
#' table(rowSums(seen))   # the truth: 384
#' @export
rr_incidence <- function(
  sets,
  flip = NULL,
  universe = NULL,
  method = c("inv", "mle"),
  target = c("population", "sample"),
  conf.level = 0.95,
  tolerance = NULL,
  ...
) {
  check_dots_empty(...)
  method <- check_choice(method)
  target <- check_choice(target)
  conf.level <- check_conf_level(conf.level)
  if (!is.null(tolerance)) {
    tolerance <- check_number(tolerance, "tolerance", min = 0, min_open = TRUE)
  }
  data <- read_sets(sets, flip, universe)
  # Inversion's errors are about the sets as they are.
  if (method == "inv") target <- "sample"
  check_incidence(data, method)
  fit <- if (method == "inv" && !one_flip(data)) incidence_totals(data)
    else incidence_fit(data, method, target, tolerance)
  structure(
    c(
      list(
        method = method,
        target = target,
        n = data$m,
        sets = data$n,
        flip = data$flip,
        conf.level = conf.level
      ),
      fit
    ),
    class = c("rr_incidence", "rr_estimates")
  )
}

one_flip <- function(data) length(data$flip) == 1L && !is.na(data$flip)

check_incidence <- function(data, method) {
  if (data$n > 5000) abort("Incidence is for at most 5,000 sets.")
  if (one_flip(data)) {
    power <- -data$n * log10(abs(1 - 2 * data$flip))
    if (method == "inv" && power > 300 / log(10)) abort("Inversion of so many sets is too noisy.")
  } else if (is.null(data$bits)) {
    abort("Unequal flips need the sets apart, which a tally has added up.")
  } else if (method == "mle" && is.matrix(data$flip)) {
    abort("{.code method = \"mle\"} needs one flip for each set, the same for all elements.")
  }
}

# The number of sets that report an element is a report about the number that hold it: the rest is
# the package's line, mechanism, tally, fit. Estimates and covariance are in elements.
incidence_fit <- function(data, method, target, tolerance) {
  ones <- if (is.null(data$bits)) {
    data$tally$ones
  } else {
    row_ones(data$bits, "sets")
  }
  # Its inverse is known in closed form.
  channel <- function(inverse) .Call(C_rr_incidence_channel, data$n, data$flip, inverse)
  matrix <- if (length(data$flip) > 1L) {
    .Call(C_rr_incidence_mixture, data$flip)
  } else {
    channel(FALSE)
  }
  mechanism <- new_rr_channel(matrix, channel_labels(matrix, 0:data$n, 0:data$n),
                              sprintf("incidence in %s noisy sets", format_count(data$n)),
                              inverse = if (method == "inv") channel(TRUE))
  tally <- new_rr_tally(mechanism, as.double(tabulate(ones + 1, data$n + 1)))
  options <- c(
    list(tally, method = method, target = target),
    list(tolerance = tolerance)[!is.null(tolerance)]
  )
  fit <- do.call(rr_estimate, options)
  details <- fit$details[[1]]
  likelihood <- method == "mle"
  list(
    estimate = data$m * group_estimate(fit, 1),
    covariance = incidence_covariance(fit, data$m),
    fit = fit,
    gap = if (likelihood) details$gap %||% 0 else NA_real_,
    tolerance = if (likelihood) details$tolerance %||% tolerance %||% 1e-8
  )
}

# The numbers of elements in exactly t sets if flips differ: each element has estimates e_t of
# 1{exactly t sets hold it} from its bits alone. The covariance is E[e_t e_u] - 1{t = u} P(exactly
# t), unbiased given the sets.
incidence_totals <- function(data) {
  # Looks at every entry.
  if (is.matrix(data$flip)) {
    bit_tally(data$bits, data$flip)
  } else {
    row_ones(data$bits, "sets")
  }
  totals <- .Call(
    C_rr_incidence_total, data$bits, data$m, data$n, data$flip, is.matrix(data$flip)
  )
  list(
    estimate = totals$total,
    covariance = totals$cross - diag(totals$total, data$n + 1),
    gap = NA_real_
  )
}

# The covariance of the numbers of elements in exactly t sets.
incidence_covariance <- function(fit, elements) {
  cells <- seq_along(fit$mechanism$levels)
  covariance <- elements^2 * estimate_covariance(fit$mechanism, fit, 1, cells)
  if (fit$method == "inv") return(covariance)
  off <- group_estimate(fit, 1) <= support_share
  if (sum(!off) == 1L) off[] <- TRUE
  covariance[off, ] <- covariance[, off] <- NA_real_
  covariance
}

# Below this a share is estimated as 0.
support_share <- 1e-9

rows_of.rr_incidence <- function(x) {
  n <- x$sets
  estimate <- c(
    x$estimate, rev(cumsum(rev(x$estimate)))[-1]
  )
  sets <- c(0:n, seq_len(n))
  type <- rep(c("exactly", "at least"), c(n + 1, n))
  tibble(term = paste(type, sets), sets = sets, type = type, estimate = estimate,
         std.error = sqrt_or_na(incidence_variances(x$covariance, x, estimate)))
}

bounds_of.rr_incidence <- function(x, rows, level) {
  bounds <- if (x$method == "mle") profile_incidence(x, rows, level)
    else normal_interval(rows$estimate, normal_quantile(level) * rows$std.error, 0, x$n)
  lapply(bounds, clamp, 0, x$n)
}

# The variances of the numbers of elements in exactly, and in at least, t sets. Maximum likelihood
# that puts nobody or everybody there has no standard error: NA.
incidence_variances <- function(covariance, x, estimate) {
  n <- x$sets
  # The variance of a tail sum adds up the lower right corner of the covariance.
  tail <- vapply(
    seq_len(n),
    function(t) {
      sum(
        covariance[(t:n) + 1, (t:n) + 1], na.rm = TRUE
      )
    },
    1
  )
  is_at_boundary <- x$method == "mle" & pmin(estimate, x$n - estimate) <= support_share * x$n
  ifelse(is_at_boundary, NA_real_, c(diag(covariance), tail))
}

profile_incidence <- function(x, table, level) {
  n <- x$sets
  if (n > 200) {
    return(list(
      low = rep(NA_real_, 2 * n + 1),
      high = rep(NA_real_, 2 * n + 1)
    ))
  }
  channel <- unname(rr_matrix(x$fit$mechanism))
  reported <- x$fit$tally$counts
  theta <- group_estimate(x$fit, 1)
  shares <- vapply(
    seq_len(nrow(table)),
    function(i) {
      inside <- if (table$type[i] == "exactly") {
        0:n == table$sets[i]
      } else {
        0:n >= table$sets[i]
      }
      profile_share(channel, reported, inside, theta, level, sum(reported))
    },
    c(low = 0, high = 0)
  )
  bounds <- list(
    low = x$n * shares["low", ],
    high = x$n * shares["high", ]
  )
  if (x$target == "population") return(bounds)
  if (all(x$flip %in% 0:1)) {
    return(list(low = table$estimate, high = table$estimate))
  }
  sample_bounds(x, table, bounds, level)
}

# Given the elements, their sampling adds nothing. The square of a bound's distance loses that of a
# bound without noise, or the variance at the bound where that is less (a bound at 0 stays), but
# keeps its share at the estimate.
sample_bounds <- function(x, table, bounds, level) {
  sampled <- x$fit
  sampled$target <- "population"
  total_variance <- incidence_variances(incidence_covariance(sampled, x$n), x, table$estimate)
  least_share <- clamp(table$std.error^2 / total_variance)
  least_share[is.na(least_share)] <- 0
  clear <- x$n * vapply(
    pmin(table$estimate / x$n, 1), profile_binomial,
    c(low = 0, high = 0), x$n, level
  )
  z2 <- qchisq(level, 1)
  shorten <- function(bound, clear) {
    distance <- bound - table$estimate
    sampling <- pmin(
      (clear - table$estimate)^2, z2 * bound * (1 - bound / x$n)
    )
    table$estimate + distance *
      sqrt(ifelse(distance == 0, 0, pmax(1 - sampling / distance^2, least_share)))
  }
  list(
    low = shorten(bounds$low, clear["low", ]),
    high = shorten(bounds$high, clear["high", ])
  )
}

#' @rdname rr_incidence
#' @param object An object of `rr_incidence()`.
#' @export
coef.rr_incidence <- function(object, ...) setNames(object$estimate, 0:object$sets)

#' @rdname rr_incidence
#' @export
vcov.rr_incidence <- function(object, ...) {
  matrix(
    object$covariance, object$sets + 1,
    dimnames = list(0:object$sets, 0:object$sets)
  )
}

title_of.rr_incidence <- function(x) {
  gap <- if (x$method == "mle") {
    sprintf(
      "; log-likelihood within %s of its maximum", format(max(x$gap, x$tolerance), digits = 2)
    )
  }
  c(paste0(format_count(x$n), " elements in ", number_of(x$sets, "noisy set"),
           if (x$method == "inv") ", by inversion (unbiased)" else ", by maximum likelihood"),
    paste0("  flip ", format_flips(x$flip), gap))
}

# Exactly and at least side by side.
printed_table.rr_incidence <- function(x, n) {
  table <- tidy(x)
  exactly <- table[table$type == "exactly", ]
  least <- c(x$n, table$estimate[table$type == "at least"])
  data.frame(
    sets = exactly$sets,
    exactly = exactly$estimate,
    std.error = exactly$std.error,
    at.least = least,
    std.error = c(0, table$std.error[table$type == "at least"]),
    check.names = FALSE
  )
}

#' @rdname rr_incidence
#' @method autoplot rr_incidence
#' @rawNamespace S3method(ggplot2::autoplot,rr_incidence)
autoplot.rr_incidence <- function(object, ...) {
  data <- tidy(object, conf.int = TRUE)
  panels <- c(exactly = "In exactly t sets", "at least" = "In at least t sets")
  data$type <- factor(panels[data$type], panels)
  methods <- if (object$method == "inv") {
    c("inversion", "Wald")
  } else {
    c("maximum likelihood", "profile likelihood")
  }
  subject <- sprintf(
    "%s elements, %d noisy sets, flip", format_count(object$n), as.integer(object$sets)
  )
  picture_of_sizes(
    data, "How many sets hold an element", "Number of sets t", "Elements", subject, object$flip,
    sprintf(
      "Points: estimates by %s. Bars: %s%% %s intervals. Logarithmic axis through 0.", methods[1],
      format(100 * object$conf.level), methods[2]
    )
  ) + ggplot2::facet_wrap(~ type) + ggplot2::scale_x_continuous(breaks = whole_breaks) +
    scale_y_counts()
}

# Powers of 10 on both sides of 0; 1, 2 and 5 times these if few of them fall between the limits.
count_breaks <- function(limits) {
  inside <- function(steps) {
    ticks <- outer(steps, 10^(1:9))
    Filter(
      function(tick) tick >= limits[1] && tick <= limits[2],
      sort(c(-ticks, 0, ticks))
    )
  }
  if (length(inside(1)) > 2L) {
    inside(1)
  } else {
    inside(c(1, 2, 5))
  }
}

# Counts span magnitudes and may be negative: logarithmic beyond 1 on both sides. ggplot2 3.5
# renamed the argument.
scale_y_counts <- function() {
  scale <- ggplot2::scale_y_continuous
  arguments <- list("pseudo_log", breaks = count_breaks, labels = format_count)
  names(arguments)[1] <- if ("transform" %in% names(formals(scale))) "transform" else "trans"
  do.call(scale, arguments)
}
