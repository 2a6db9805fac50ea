#' Marginal and conditional distributions of several questions
#'
#' `rr_margin()` gives the estimated joint distribution of some questions with its covariance matrix, or their distribution among respondents with certain true answers to other questions.
#'
#' A margin is linear in the joint estimate, so its covariance is exact given the joint covariance. A conditional share is a ratio; its standard error
#' is by the delta method, and `NA` if the estimated share of the condition is not positive.
#'
#' The shares of a question's categories add up to 1. If the estimates of [rr_tmdh()] do not (unary encoding, hashing), the difference is divided equally among them, in the margin and in its
#' covariance. Margins of a margin agree with each other.
#'
#' Joint shares of [rr_tmdh()] and of fits by `method = "inv"` have the score intervals of [rr_tmdh()], for each cell. If the categories were made to add up to 1, the squared quantile of the
#' interval is multiplied by the ratio of the variances after and before. Conditional shares, survey designs and other methods have the normal approximation, cut at 0 and 1.
#'
#' Standard errors of a maximum likelihood fit treat its zeros as known. If a margin contains such zeros, its standard errors are too small, a cell of 0
#' has no interval, and `print()` says so. Use the unbiased estimate then (`method = "inv"`, or [rr_tmdh()]).
#'
#' **Sum scores.** With `sum = TRUE` each share is the share of respondents with 0, 1, 2, ... true yes. Each question may have a device of its own. Intervals are score intervals
#' where the joint shares have them. Errors grow quickly with the number of questions. If all devices are equal, the number of yes in the reports is enough, also of the members of a group:
#' use the mechanism `rr_channel(mechanism, levels = 0:3)` of [rr_channel()].
#'
#' @param fit A joint fit of [rr_estimate()] under a product mechanism, or a fit of [rr_tmdh()]. For \eqn{m} questions a fit of [rr_tmdh()] needs joint counts of order
#'   \eqn{m} (yes/no questions, and questions counted in scores) or \eqn{2m} (other questions).
#' @param vars The questions of the margin, all different: names or positions.
#' @param given `NULL` (default), or questions to condition on: names or positions, none of them in `vars`.
#' @param target For a fit of [rr_tmdh()], `"population"` or `"sample"`; default the target of the fit.
#' @param sum `TRUE`: the distribution of the sum score, the number of the yes/no questions in `vars` whose true answer is yes. Default `FALSE`.
#' @param ... Not used; further arguments give an error.
#' @return An object of class `rr_margin`: a list with `estimate` (an array of shares with one dimension per question) and the `covariance` of its
#'   cells. `tidy()` gives one row per cell: a column per question, `estimate`, `std.error`, and with `conf.int = TRUE`
#'   `conf.low` and `conf.high`. `as.table()` and the methods of [estimate_methods] work; [rr_association()] accepts a margin of two
#'   questions.
#' @section Errors:
#' `candor_error_level` (unknown question), `candor_error_order` (counts that were not tallied), `candor_error_argument`. See [candor_conditions].
#' @references Carette, T. (2022). A normal approximation for joint frequency estimation under local differential privacy. Theorems 3.5 and 3.6.
#' @seealso [rr_association()] for tests, [rr_contrast()] for risk differences and ratios, [as.table()][as.table.rr_histogram] for a proper table.
#' @concept marginal distribution
#' @concept conditional probability
#' @concept sum score
#' @concept number of sensitive behaviors
#' @examples
#' # What share of women, and of men, survived the Titanic, if both answers
#' # are randomized?
#' people <- as.data.frame(Titanic)
#' people <- people[rep(seq_len(32), people$Freq), ]
#' truth <- data.frame(female = people$Sex == "Female",
#'                     survived = people$Survived == "Yes")
#' survey <- rr_product(female = rr_warner(0.9), survived = rr_warner(0.8))
#' set.seed(1)
#' reports <- rr_perturb(truth, survey, rng = "R")
#' fit <- rr_tmdh(rr_cooccurrence(reports), survey)
#' tidy(rr_margin(fit, "survived", given = "female"), conf.int = TRUE)
#' prop.table(table(truth), 1)
#' # 70% and 21%; in truth 73% and 21%
#'
#' # How many of three forbidden things do students do?
#' items <- rr_product(a = rr_forced(1 / 6), b = rr_forced(1 / 6),
#'                     c = rr_warner(0.8))
#' truth <- data.frame(a = rbinom(3000, 1, 0.3),
#'                     b = rbinom(3000, 1, 0.2),
#'                     c = rbinom(3000, 1, 0.1))
#' reports <- rr_perturb(truth, items, rng = "R")
#' done <- rr_estimate(reports, items, method = "inv")
#' tidy(rr_margin(done, c("a", "b", "c"), sum = TRUE), conf.int = TRUE)
#' # None: 53%; in truth 50%
#' @export
rr_margin <- function(fit, vars, given = NULL, target = NULL, sum = FALSE, ...) {
  check_dots_empty(...)
  sum <- check_flag(sum, "sum")
  questions <- joint_questions(fit)
  inside <- distinct_positions(vars, questions, "vars")
  index <- c(inside, if (!is.null(given)) distinct_positions(given, questions, "given"))
  if (anyDuplicated(index)) abort("{.arg given} must not repeat {.arg vars}.")
  cells <- cell_estimates(fit, index, target)
  if (sum) {
    cells <- sum_cells(cells, seq_along(inside))
    inside <- 1
  }
  if (is.null(given)) new_rr_margin(cells, NULL) else condition_cells(cells, seq_along(inside))
}

# Shares and covariance of the cells of the joint distribution of some questions: a list with
# `levels` (named list), `estimate` (a vector, the first question varying fastest), `covariance`,
# `n`, `target`, `conf.level`.
cell_estimates <- function(fit, index, target) UseMethod("cell_estimates")

joint_questions <- function(fit) {
  if (inherits(fit, "rr_tmdh")) {
    return(c(
      fit$columns, setdiff(names(fit$design$questions), fit$columns)
    ))
  }
  is_joint <- inherits(fit, c("rr_fit_product", "rr_survey"))
  if (is_joint && identical(fit$interval, "anytime")) {
    abort("Margins and associations have no intervals that hold while looking, {.val anytime}.")
  }
  questions <- if (is_joint) names(fit$mechanism$questions)
  questions %||% must_be(fit, "fit", "a joint fit")
}

cell_estimates.rr_tmdh <- function(fit, index, target) {
  target <- check_choice(target %||% fit$target, "target", c("population", "sample"))
  names <- joint_questions(fit)[index]
  check_result_names(names, "Columns of a margin must not have")
  questions <- setNames(lapply(names, function(name) margin_question(fit, name)), names)
  levels <- lapply(questions, `[[`, "levels")
  size <- prod(lengths(levels))
  if (size > 1024) {
    abort("A margin has at most 1024 cells. This one would have {format_count(size)}.")
  }
  members <- margin_sets(questions)
  refuse_rivals(fit, members)
  covariance <- histogram_block(fit, members, target)
  counts <- c(fit$n, set_values(fit, members))
  to_cells <- Reduce(
    function(a, b) kronecker(b, a), lapply(questions, `[[`, "map")
  )
  # Reports that are categories make a table.
  tally <- if (all(names %in% fit$columns) && is.null(fit$counts$scores)) {
    reported_margin(fit, index, names, members, to_cells)
  }
  cells_covariance <- to_cells[, -1] %*% covariance %*%
    t(to_cells[, -1]) / fit$n^2
  list(
    levels = levels,
    estimate = as.vector(to_cells %*% counts) / fit$n,
    covariance = cells_covariance,
    squares = margin_squares(
      fit, questions, counts / fit$n, covariance / fit$n^2, diag(cells_covariance)
    ),
    n = fit$n,
    target = target,
    conf.level = fit$conf.level,
    tally = tally,
    supports = if (is.null(tally) && length(index) == 2L) {
      margin_supports(fit, unname(questions))
    }
  )
}

# The moments of the score intervals of cells, with the `n` that they count. Shares that were made
# to add up to 1 vary less, or more, than the products of scores, as if there were more respondents,
# or fewer.
margin_squares <- function(fit, questions, shares, covariance, variances) {
  moments <- column_moments(fit)
  each <- lapply(unname(questions), function(question) {
    v <- moments$v[question$index]
    kappa <- moments$kappa[question$index]
    # The first answer to a yes/no question has the score 1 - u, and its moments are from E (1 -
    # u)^2.
    if (length(question$index) < length(question$levels)) {
      list(
        v = c(v + kappa - 1, v),
        kappa = c(2 - kappa, kappa)
      )
    } else {
      list(v = v, kappa = kappa)
    }
  })
  maps <- lapply(unname(questions), function(question) {
    rbind(c(1, numeric(length(question$index))), question$raw)
  })
  to_raw <- Reduce(
    function(a, b) kronecker(b, a), lapply(questions, `[[`, "raw")
  )
  to_raw <- to_raw[, -1]
  ratio <- variances / rowSums((to_raw %*% covariance) * to_raw)
  ratio[!is.finite(ratio) | ratio <= 0] <- 1
  c(cell_squares(maps, each, shares), list(n = fit$n / ratio))
}

# The sets with at most one column of each question, the first running fastest. The first set is
# empty: its count N is known, and it is left out.
margin_sets <- function(questions) {
  columns <- lapply(questions, function(question) c(-1L, question$index - 1L))
  choices <- as.matrix(expand.grid(columns))[-1, , drop = FALSE]
  members <- apply(choices, 1, function(set) {
    c(
      sort(set[set >= 0]), rep(-1L, sum(set < 0))
    )
  })
  matrix(as.integer(members), nrow = length(questions))
}

# The tally of the reports, with the mechanism of each question.
reported_margin <- function(fit, index, names, members, to_cells) {
  reported <- set_values(
    list(
      columns = fit$columns,
      tallied = fit$tallied,
      more = fit$counts$more,
      values = fit$counts$values
    ),
    members
  )
  questions <- Map(rr_binary, fit$design$p[index], fit$design$q[index])
  margin_tally(
    setNames(questions, names), to_cells %*% c(fit$n, reported),
    list(n = fit$n)
  )
}

# Inversion commutes with taking margins, so its covariance of a margin needs no cell of the other
# questions. For the other methods, and in survey designs, cells are added up.
cell_estimates.rr_fit_product <- function(fit, index, target) {
  target <- check_choice(target %||% fit$target, "target", c("population", "sample"))
  fit <- one_group(fit, "fit")
  covariance <- if (fit$method != "inv") unname(vcov(fit, target = target))
  fit$target <- target
  cells <- product_cells(fit, index, covariance)
  if (fit$method != "inv") return(cells)
  margin <- estimate_quietly(cells$tally, method = "inv", target = fit$target)
  cells$estimate <- margin$estimate
  cells$covariance <- estimate_covariance(margin$mechanism, margin, 1, seq_along(margin$estimate))
  cells$squares <- c(question_squares(margin), list(n = margin$tally$effective_n))
  cells$boundary <- NULL
  cells
}

# The moments of an unbiased joint estimate.
question_squares <- function(fit) {
  questions <- unname(fit$mechanism$questions)
  maps <- lapply(questions, function(question) {
    rbind(1, diag(length(question$levels)), deparse.level = 0)
  })
  moments <- lapply(seq_along(questions), function(j) {
    shares <- rowsum(as.vector(fit$estimate), cell_codes(fit$mechanism$sizes, j))
    score_moments(rr_law(questions[[j]]), as.vector(shares))
  })
  cell_squares(maps, moments, as.vector(fit$estimate))
}

cell_estimates.rr_survey <- function(fit, index, target) {
  if (!identical(target %||% fit$target, fit$target) ||
      NCOL(fit$estimate) > 1L || fit$total) {
    abort("{.arg fit} must be of shares in one group, for its own {.arg target}.")
  }
  cells <- product_cells(fit, index, fit$covariance)
  if (fit$estimator$unbiased) cells$boundary <- NULL
  cells[c("n", "df")] <- list(fit$n, fit$df)
  cells
}

product_cells <- function(fit, index, covariance) {
  code <- cell_codes(fit$mechanism$sizes, index)
  questions <- fit$mechanism$questions[index]
  list(
    levels = lapply(questions, `[[`, "levels"),
    estimate = as.vector(rowsum(as.vector(fit$estimate), code)),
    covariance = if (!is.null(covariance)) code_covariance(covariance, code),
    n = fit$tally$n,
    target = fit$target,
    conf.level = fit$conf.level,
    tally = margin_tally(
      questions, apply(as.table(fit$tally), index, sum), fit$tally
    ),
    boundary = sum(fit$estimate <= 0)
  )
}

margin_tally <- function(questions, reported, tally) {
  new_rr_tally(
    rr_product(questions),
    as.double(reported),
    missing = tally$missing %||% 0,
    n = tally$n,
    weight_squares = tally$weight_squares
  )
}

# The cell of the margin to which each cell of all questions belongs.
cell_codes <- function(sizes, dimensions) {
  index <- seq_len(prod(sizes)) - 1
  strides <- cumprod(c(1, sizes))[seq_along(sizes)]
  inside <- cumprod(c(1, sizes[dimensions]))[seq_along(dimensions)]
  Reduce(
    `+`,
    Map(
      function(j, stride) index %/% strides[j] %% sizes[j] * stride, dimensions, inside
    )
  ) + 1
}

# The covariance of sums of cells, from that of the cells and the sum to which each belongs.
code_covariance <- function(covariance, code) {
  rows <- rowsum(covariance, code)
  sums <- unname(t(rowsum(t(rows), code)))
  size <- rowsum(diag(covariance), code)
  with_variances(sums, without_roundings(diag(sums), size))
}

# ---- sum scores ----

# The cells with the first dimensions, `items`, replaced by the number of their answers that are
# yes.
sum_cells <- function(cells, items) {
  sizes <- lengths(cells$levels)
  if (any(sizes[items] != 2L)) {
    abort(c(
      "{.arg vars} must be yes/no questions for a {.arg sum}.",
      x = "{.val {names(sizes)[items][sizes[items] != 2L][1]}} has {max(sizes[items])} answers."
    ))
  }
  others <- cells$levels[-items]
  if ("sum" %in% names(others)) abort("{.arg given} must not be called {.val sum} beside a sum.")
  n_yes <- Reduce(`+`, lapply(items, function(j) {
    cell_codes(sizes, j) == no_yes_index(cells$levels[[j]])[["yes"]]
  }))
  block <- if (length(others)) cell_codes(sizes, seq_along(sizes)[-items]) else 1
  code <- 1 + n_yes + (length(items) + 1) * (block - 1)
  has_squares <- !is.null(cells$squares) && !is.null(cells$tally)
  cells["squares"] <- list(if (has_squares) sum_squares(cells, code))
  cells$estimate <- as.vector(rowsum(cells$estimate, code))
  cells$covariance <- code_covariance(cells$covariance, code)
  cells$items <- names(cells$levels)[items]
  cells$levels <- c(list(sum = as.character(0:length(items))), others)
  # The sum has no mechanism if devices differ.
  cells[c("tally", "supports")] <- list(NULL)
  cells
}

# The second moments for the score intervals of unbiased sums of cells, as law_share_interval() has
# them for one question, with the `n` that they count.
sum_squares <- function(cells, code) {
  law <- rr_law(cells$tally$mechanism)
  theta <- .Call(C_rr_project, as.double(cells$estimate), 1)
  moments <- vapply(seq_len(max(code)), function(each) {
    is_member <- code == each
    squares <- channel_second_moments(law, as.double(is_member))
    mean_square <- function(cells) sum(conditional_shares(theta, cells) * squares[cells])
    c(mean_square(is_member), mean_square(!is_member), min(squares - is_member))
  }, c(0, 0, 0))
  list(
    second_true = moments[1, ],
    second_other = moments[2, ],
    min_second = moments[3, ],
    n = cells$tally$effective_n
  )
}

# The conditional distribution, with the delta method:
#    P(inside | conditions) = cell / sum of its slice
condition_cells <- function(cells, inside) {
  cells$joint <- cells[c("estimate", "covariance")]
  cells$squares <- NULL
  conditions <- setdiff(seq_along(cells$levels), inside)
  group <- cell_codes(lengths(cells$levels), conditions)
  total <- as.vector(rowsum(cells$estimate, group))[group]
  usable <- ifelse(total > 0, total, NA_real_)
  share <- cells$estimate / usable
  gradient <- diag(1 / usable, length(share)) -
    outer(group, group, `==`) * (share / usable)
  bad <- is.na(usable)
  gradient[bad, ] <- 0
  cells$estimate <- share
  cells$covariance <- gradient %*% cells$covariance %*% t(gradient)
  cells$covariance[bad, ] <- cells$covariance[, bad] <- NA_real_
  new_rr_margin(cells, names(cells$levels)[conditions])
}

new_rr_margin <- function(cells, given) {
  answers <- as.list(expand.grid(cells$levels, KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE))
  error <- sqrt_or_na(diag(cells$covariance))
  rows <- as_tibble(c(
    answers, list(estimate = as.vector(cells$estimate), std.error = error)
  ))
  cells$estimate <- array(cells$estimate, lengths(cells$levels), cells$levels)
  zeros <- cells$boundary %||% 0
  structure(
    c(
      cells,
      list(
        given = given,
        rows = rows,
        labels = do.call(paste, c(unname(answers), sep = ":")),
        notes = if (zeros > 0) {
          paste0("  Cells at 0 in the joint fit, taken as known: ", zeros,
                 ". The standard errors are too small")
        } else if (anyNA(cells$squares$second_true)) {
          no_moments_words
        }
      )
    ),
    class = c("rr_margin", "rr_estimates")
  )
}

# The score intervals of unbiased joint shares; otherwise normal approximations, cut at 0 and 1, but
# not to a point.
bounds_of.rr_margin <- function(x, rows, level) {
  if (!is.null(x$squares)) {
    return(share_limits(
      rows$estimate, x$squares, x$squares$n, level, x$target
    ))
  }
  half <- t_quantile(level, x$df) * rows$std.error
  half[!is.null(x$notes) & half == 0] <- NA
  normal_interval(rows$estimate, half)
}

#' @export
as.table.rr_margin <- function(x, ...) as.table(x$estimate)

title_of.rr_margin <- function(x) paste0(margin_title(x), "; target: ", x$target)

# The title of a margin. One question has no joint shares.
margin_title <- function(x) {
  inside <- x$items %||% setdiff(names(dimnames(x$estimate)), x$given)
  kind <- if (is.null(x$given) && length(inside) > 1L) "Joint shares of " else "Shares of "
  if (!is.null(x$items)) kind <- "Number of yes to "
  paste0(
    kind, paste(inside, collapse = ", "),
    if (!is.null(x$given)) {
      paste0(" given ", paste(x$given, collapse = ", "))
    }
  )
}

# A panel for each answer to the questions that are given, with their names.
drawn_of.rr_margin <- function(x, data, labels) {
  inside <- setdiff(names(dimnames(x$estimate)), x$given)
  data$label <- rows_factor(
    do.call(paste, c(unname(as.list(data[inside])), sep = ", "))
  )
  data$panel <- group_panel(data, x$given)
  data$kind <- rep("share", nrow(data))
  axis <- if (is.null(x$items)) paste(inside, collapse = ", ") else "number of yes"
  list(data = data, title = margin_title(x), rows = axis)
}

# Quantiles of an ordered question given others, from the joint shares: levels, or bins whose
# numbers are uniform.
#' @rdname rr_quantile
#' @export
rr_quantile.rr_margin <- function(
  fit,
  probs = c(0.25, 0.5, 0.75),
  breaks = NULL,
  conf.level = 0.95,
  difference = FALSE,
  ...
) {
  check_dots_empty(...)
  probs <- check_probabilities(probs, "probs")
  conf.level <- check_conf_level(conf.level)
  difference <- check_flag(difference, "difference")
  edges <- margin_edges(fit, breaks)
  z <- t_quantile(conf.level, fit$df)
  sums <- margin_sums(fit)
  crossings <- margin_crossings(fit)
  # The mean of S is 0 at the tested probability: its square is not taken off.
  square <- if (fit$target == "population" && is.null(fit$df)) 1 / fit$tally$effective_n else 0
  k <- nrow(sums$below)
  quantiles <- lapply(seq_len(ncol(sums$below)), function(j) {
    index <- (j - 1) * k + seq_len(k)
    below <- sums$below[, j]
    covariance <- sums$covariance[index, index, drop = FALSE]
    products <- (1 - square) * covariance + square * outer(below, below)
    level_quantiles(probs, z, below, products, crossings[, j], edges)
  })
  correlation <- function(pair, position, prob) {
    rows <- vapply(
      1:2,
      function(i) {
        contrast <- pmax(0, 1 - abs(seq_len(k) - position[i])) -
          prob * (seq_len(k) == k)
        replace(
          numeric(length(sums$below)),
          (pair[i] - 1) * k + seq_len(k), contrast
        )
      },
      numeric(length(sums$below))
    )
    known_correlation(t(rows) %*% sums$covariance %*% rows)
  }
  labels <- as_tibble(expand.grid(fit$levels[fit$given], KEEP.OUT.ATTRS = FALSE))
  new_class_quantiles(
    quantiles,
    labels,
    probs,
    z,
    if (difference) correlation,
    conf.level = conf.level,
    n = fit$n,
    target = fit$target,
    what = names(fit$levels)[1]
  )
}

margin_edges <- function(fit, breaks) {
  if (length(fit$levels) > length(fit$given) + 1L || is.null(fit$tally)) {
    must_be(fit, "fit", "a margin of one question of categories")
  }
  question <- fit$tally$mechanism$questions[[1]]
  if (is.null(breaks) && !has_order(question)) {
    abort("{.arg fit} must be of levels with an order, or bins.")
  }
  quantile_edges(question, breaks)
}

# The joint shares up to each level, a column for each class, and their covariance.
margin_sums <- function(fit) {
  cells <- fit$joint %||% fit[c("estimate", "covariance")]
  k <- length(fit$levels[[1]])
  sums <- kronecker(
    diag(length(fit$estimate) / k), 1 * lower.tri(diag(k), TRUE)
  )
  list(
    below = matrix(sums %*% as.vector(cells$estimate), k),
    covariance = sums %*% cells$covariance %*% t(sums)
  )
}

# For each level and class, how much more variance a member up to the level adds to the number up to
# there than one above; at the last level what a member adds. All are 0 if estimates are no means.
margin_crossings <- function(fit) {
  law <- rr_law(fit$tally$mechanism)
  k <- length(fit$levels[[1]])
  cells <- seq_along(fit$estimate)
  crossing <- vapply(cells, function(last) {
    inside <- (cells - 1) %/% k == (last - 1) %/% k
    up_to <- inside & cells <= last
    above <- inside & !up_to
    squares <- law_second_moments(law, length(cells), as.double(up_to)) %||%
      if (length(law$axes) > 1L && !is.null(inverse_axes(law))) {
        channel_second_moments(law, as.double(up_to))
      } else {
        NA
      }
    mean(squares[up_to]) - sum(squares[above]) / max(1, sum(above))
  }, 0)
  variance <- (crossing - (fit$target == "sample")) / fit$tally$effective_n
  matrix(replace(variance, is.na(variance) | !is.null(fit$boundary), 0), k)
}
