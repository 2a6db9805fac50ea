# The models that are climbed, from a design matrix and reports: identical rows are put together,
# columns are made orthogonal. Nothing here draws random numbers.

# A model: the data with their orthogonal columns and the arguments of the kernel. `data` has the
# fields x, y (share of yes), weight, offset | NULL, arm | NULL, device, link, unknown | NULL;
# `prior` is the precision of a normal prior of the coefficients of x, a matrix.
regress_model <- function(data, prior = NULL, basis = regress_basis(data)) {
  k <- basis$rank
  size <- k + !is.null(data$unknown)
  if (!is.null(prior)) {
    inner <- crossprod(basis$back, prior[basis$keep, basis$keep] %*% basis$back)
    prior <- block_diagonal(list(inner, diag(0, size - k)))
  }
  model <- list(
    data = data,
    basis = basis,
    z = basis$z,
    k = k,
    size = size,
    prior = prior,
    far = far_predictor(data$link)
  )
  with_parameters(with_kernel(model))
}

# The linear predictor at which a truth is 0 or 1 to rounding.
far_predictor <- function(link) switch(link, probit = 9, cauchit = 1e8, 37)

# The arguments of the kernel, which reads them by these names (src/glue_regress.c).
regress_kernel <- function(
  x, y, device, link, weight = NULL, offset = NULL, arm = NULL, barrier = 0,
  unknown = NULL, shares = NULL, separate = FALSE, level = NULL, levels = 0, prior = NULL
) {
  list(
    x = x,
    y = y,
    weight = weight,
    offset = offset,
    arm = arm,
    device = device,
    link = match(link, regress_links) - 1L,
    barrier = barrier,
    unknown = unknown,
    shares = shares,
    separate = separate,
    level = level,
    levels = levels,
    prior = prior
  )
}

# The model with the arguments of the kernel, which is quicker without weights, and
#   metric  X'WX in the coordinates of the model; for an unknown number the sum of the weights
#   work    the work of one step of a climb: rows times the square of the columns
with_kernel <- function(model, barrier = 0) {
  data <- model$data
  levels <- model$basis$levels
  model$work <- length(data$y) * (model$size - levels + 1)^2
  model$metric <- diag(sum(data$weight), model$size)
  if (levels) {
    k <- seq_len(model$k)
    model$metric[k, k] <- crossprod(model$z, data$weight * model$z)
  }
  model$kernel <- regress_kernel(
    if (levels) model$z[, -seq_len(levels), drop = FALSE] else model$z,
    data$y, data$device, data$link,
    weight = if (barrier > 0 || any(data$weight != 1)) data$weight,
    offset = data$offset, arm = data$arm, barrier = barrier, unknown = data$unknown,
    level = model$basis[["level"]], levels = as.double(levels), prior = model$prior
  )
  model
}

# The model with the functions of new_likelihood(): its parameters are the coefficients of x and the
# logit of the unknown number.
with_parameters <- function(model) {
  k <- seq_len(model$k)
  columns <- ncol(model$data$x)
  offset <- model$data$offset
  model$reach <- function(step) {
    max(abs(model$z %*% step[k]), abs(step[-k]))
  }
  # Aliased coefficients are 0.
  model$natural <- function(b) {
    coefficients <- replace(
      numeric(columns), model$basis$keep, model$basis$back %*% b[k]
    )
    c(coefficients, plogis(b[-k]))
  }
  model$slope <- function(b) {
    to <- matrix(0, columns + model$size - model$k, model$size)
    to[model$basis$keep, k] <- model$basis$back
    to[-seq_len(columns), -k] <- 1
    to
  }
  model$unbounded <- function(b, N) {
    list(
      eta = c(
        predictor_of(model$z, b[k], offset), b[-k]
      ),
      move = rbind(
        model$z %*% N[k, , drop = FALSE], N[-k, , drop = FALSE]
      )
    )
  }
  model
}

# The model of the search for starts: with many rows a sample of them.
search_model <- function(model) {
  n <- length(model$data$y)
  bounded <- model$data$link %in% c("log", "identity")
  if (n < 8000 || bounded) return(model)
  c(thin_model(model, some_rows(n, 2000)), sampled = TRUE)
}

# Some of n sorted rows: multiples of the golden section, which no pattern of period 2, 3, ... of
# the rows repeats.
some_rows <- function(n, max_rows) {
  if (n <= max_rows) return(seq_len(n))
  sort(
    unique(1 + floor(n * ((seq_len(max_rows) * 0.6180339887498949) %% 1)))
  )
}

# The model of some rows, in the same columns.
thin_model <- function(model, rows) {
  model$data <- take_rows(model$data, rows)
  model$z <- model$z[rows, , drop = FALSE]
  model$basis[["level"]] <- model$basis[["level"]][rows]
  with_parameters(with_kernel(model))
}

# Value, gradient and information; an unknown number is its logit, unless `natural`.
regress_value <- function(model, b, natural = FALSE) {
  .Call(C_rr_regress_value, model$kernel, as.double(b), natural)
}

regress_rows <- function(eta, y, arm, device, link) {
  link <- match(link, regress_links) - 1L
  .Call(C_rr_regress_rows, as.double(eta), y, arm, device, link)
}

# The log-likelihood and its derivatives for each row of the data, at these linear predictors.
data_rows <- function(data, eta) {
  regress_rows(eta, data$y, data$arm, data$device, data$link)
}

# The log-likelihood of each row of data with an unknown number, and its derivatives by the linear
# predictor of the truth and by the logit of the number.
unknown_number_rows <- function(data, eta, logit) {
  .Call(
    C_rr_unknown_rows, eta, logit, data$y, data$arm, data$unknown,
    match(data$link, regress_links) - 1L, data$separate
  )
}

row_devices <- function(data) {
  row_device(
    if (is.null(data$unknown)) data$device else unknown_at(data$unknown, 0.5),
    data$arm, length(data$y)
  )
}

take_rows <- function(data, rows) {
  data$x <- data$x[rows, , drop = FALSE]
  fields <- c("y", "weight", "offset", "arm")
  replace(data, fields, lapply(data[fields], `[`, rows))
}

# The data in the order of their content, without the rows of weight 0. Equal rows are one row with
# the sum of their weights if that makes the table at least four times shorter.
collapse_rows <- function(data) {
  n <- length(data$y)
  limit <- as.double(min(n %/% 4, 1e6))
  same <- if (n >= 200) {
    .Call(
      C_rr_regress_collapse, data$x, data$y, data$weight, data$offset, data$arm, limit
    )
  }
  if (!is.null(same)) {
    fields <- c("y", "weight")
    data <- replace(take_rows(data, same$first), fields, same[fields])
  }
  if (any(data$weight == 0)) {
    data <- take_rows(data, which(data$weight > 0))
  }
  take_rows(
    data, content_order(data$x, data[c("offset", "arm", "y", "weight")])
  )
}

# The order of rows by their content alone: sums, samples of the rows and the axes of the columns do
# then not depend on the order of the data.
content_order <- function(x, columns) {
  covariates <- lapply(seq_len(ncol(x)), function(j) x[, j])
  columns <- c(covariates, columns[lengths(columns) > 0])
  do.call(order, c(unname(columns), list(method = "radix")))
}

# A power of 2 that weights are divided by before a climb, whose tolerances are in units of one
# answer: weights of a tiny or huge mean get a mean of about 1. A power of 2 loses no digit.
weight_unit <- function(weight) {
  unit <- 2^floor(log2(mean(weight)))
  if (is.finite(unit) && (unit < 1 || unit > 1e9)) unit else 1
}

# The basis of a model: columns z of unit size that are orthogonal over the weighted rows, without
# those that are combinations of others. They follow
#   z = x[, keep] back
# The columns of a factor of many levels stay as they are, and come first: `level` is the position
# of each row among them, from 0, and `levels` their number.
regress_basis <- function(data) {
  size <- sqrt(data$weight / mean(data$weight))
  fit <- .lm.fit(data$x * size, numeric(length(size)), tol = 1e-11)
  keep <- sort(fit$pivot[seq_len(fit$rank)])
  factor_columns <- if (is.null(data$unknown)) {
    level_columns(data$x[, keep, drop = FALSE])
  }
  keep <- c(keep[factor_columns], setdiff(keep, keep[factor_columns]))
  levels <- length(factor_columns)
  back <- diag(fit$rank)
  level <- if (levels) {
    as.integer(
      drop(data$x[, keep[seq_len(levels)]] %*% seq_len(levels))
    ) - 1L
  }
  dense <- seq_len(fit$rank) > levels
  if (any(dense)) {
    index <- seq_len(fit$rank)
    root <- if (levels) {
      qr.R(
        qr(data$x[, keep[dense], drop = FALSE] * size, tol = 0)
      )
    } else {
      fit$qr[index, index, drop = FALSE]
    }
    back[dense, dense] <- backsolve(root, diag(sum(dense))) *
      sqrt(length(size))
  }
  z <- data$x[, keep, drop = FALSE]
  z[, dense] <- z[, dense, drop = FALSE] %*% back[dense, dense]
  list(
    keep = keep,
    back = back,
    z = z,
    rank = fit$rank,
    level = level,
    levels = levels
  )
}

# The columns of the factor with the most levels: at least 10 columns of 0 and 1, of which a row has
# at most one 1. NULL if there is no such factor.
level_columns <- function(x) {
  if (ncol(x) < 12) return(NULL)
  best <- run <- integer()
  taken <- numeric(nrow(x))
  for (j in seq_len(ncol(x))) {
    column <- x[, j]
    if (!all(column == 0 | column == 1)) next
    if (any(column & taken)) {
      run <- integer()
      taken <- numeric(nrow(x))
    }
    run <- c(run, j)
    taken <- taken + column
    if (length(run) > length(best)) best <- run
  }
  if (length(best) >= 10) best
}

inside_link <- function(eta, link) {
  switch(
    link,
    log = all(eta < -1e-9),
    identity = all(eta > 1e-9 & eta < 1 - 1e-9),
    TRUE
  )
}

predictor_of <- function(x, b, offset) as.vector(x %*% b) + (offset %||% 0)

# Coefficients of x and the unknown number in the coordinates of the model.
coordinates <- function(model, b) {
  psi <- c(b[-seq_len(ncol(model$data$x))], 0.5)[
    1
  ]
  inner <- backsolve(model$basis$back, b[model$basis$keep])
  c(
    inner,
    if (model$size > model$k) {
      qlogis(min(1 - 1e-15, max(1e-15, psi)))
    }
  )
}

# A square matrix with square blocks along its diagonal.
block_diagonal <- function(blocks) {
  join <- function(a, b) {
    upper <- cbind(a, matrix(0, nrow(a), ncol(b)))
    lower <- cbind(matrix(0, nrow(b), ncol(a)), b)
    rbind(upper, lower)
  }
  Reduce(join, blocks)
}
