# Running a study: cells, workers, and what is kept of them.

# ---- one cell ----

study_quick <- c(inv = 0L, invn = 1L, invp = 2L, norm_sub = 2L, mle = 3L)
study_quick_names <- names(study_quick)
study_quick_codes <- unname(study_quick)

# What the core calls a method; NA for methods that it does not know, functions among them.
study_codes <- function(methods) study_quick_codes[match(methods, study_quick_names)]

# The methods that the core judges itself, and the rest, which are estimated in R from the very same reports.
quick_methods <- function(methods) {
  code <- study_codes(methods)
  first <- match(code, code) == seq_along(code)
  !is.na(code) & first
}

# Of the mechanism that nearly every study is about the core needs numbers only.
only_grr <- function(design) length(design$mechanism) == 1 && identical(design$mechanism[[1]], rr_grr)

study_mechanism <- function(design, which, k, epsilon, cache) {
  key <- sprintf("%d %d %.17g", which, k, epsilon)
  cache[[key]] <- cache[[key]] %||% make_mechanism(design$mechanism[[which]], k, epsilon)
  cache[[key]]
}

# Called by the name `epsilon` where there is one, else in the order of the help page.
make_mechanism <- function(make, k, epsilon) {
  names <- names(formals(args(make)))
  if ("epsilon" %in% names || "..." %in% names[seq_len(min(2, length(names)))]) make(k, epsilon = epsilon)
  else make(k, epsilon)
}

# The additive form of a cell's mechanism, or FALSE. Labels for many categories take longer to make than some cells take
# to simulate: the mechanism that nearly every study is about gets none.
study_form <- function(design, which, k, epsilon, cache) {
  if (identical(design$mechanism[[which]], rr_grr)) return(grr_form(grr_numbers(k, epsilon)))
  additive(study_mechanism(design, which, k, epsilon, cache)) %||% FALSE
}

study_cell <- function(design, cells, i, cache) {
  theta <- design$truth[[cells$truth[i]]]
  n <- cells$n[i]
  truth <- if (design$target == "sample") whole_shares(n, theta)
  form <- study_form(design, cells$mechanism[i], length(theta), cells$epsilon[i], cache)
  quick <- if (is.list(form)) quick_methods(design$method) else rep(FALSE, length(design$method))
  estimate <- error <- matrix(NA_real_, length(study_metrics), length(design$method))
  if (any(quick)) {
    result <- .Call(C_rr_study_cells, theta, truth, n, form$a, form$b, form$odds %||% NA_real_,
                    study_codes(design$method[quick]), design$replications, design$seed, as.double(i))[[1]]
    estimate[, quick] <- result$estimate
    error[, quick] <- result$error
  }
  if (any(!quick)) {
    mechanism <- study_mechanism(design, cells$mechanism[i], length(theta), cells$epsilon[i], cache)
    result <- study_cell_r(mechanism, theta, truth, n, design$method[!quick], design$replications, design$seed, i)
    estimate[, !quick] <- result$estimate
    error[, !quick] <- result$error
  }
  list(estimate = estimate, error = error)
}

# Cells of one truth that the core can judge one after the other without coming back.
study_row <- function(design, cells, row, cache) {
  theta <- design$truth[[cells$truth[row[1]]]]
  epsilon <- cells$epsilon[row]
  if (only_grr(design)) {
    form <- grr_form(grr_levels(length(theta), epsilon))
  } else {
    mechanism <- cells$mechanism[row]
    forms <- lapply(seq_along(row), function(i) study_form(design, mechanism[i], length(theta), epsilon[i], cache))
    if (!all(vapply(forms, function(form) is.list(form) && length(form$b) == 1, NA))) return(list(NULL))
    number <- function(name) vapply(forms, function(form) form[[name]] %||% NA_real_, 0)
    form <- list(a = number("a"), b = number("b"), odds = number("odds"))
  }
  .Call(C_rr_study_cells, theta, NULL, cells$n[row], form$a, form$b, form$odds, study_codes(design$method),
        design$replications, design$seed, as.double(row))
}

# Reports of replications first + 0, 1, ... of a cell: one column each.
study_counts <- function(mechanism, theta, truth, n, seed, cell, first, replications) {
  form <- additive(mechanism)
  if (!is.null(form)) {
    return(.Call(C_rr_study_counts, theta, truth, n, form$a, form$b, form$odds %||% NA_real_, seed, cell, first,
                 replications))
  }
  # Any other finite channel: reports are multinomial, for fixed truths one multinomial a truth.
  multinomial <- function(shares, n, cell) .Call(C_rr_study_counts, shares / sum(shares), NULL, n, 1, 0, Inf, seed,
                                                 cell, first, replications)
  if (is.null(truth)) return(multinomial(pmax(reported_shares(mechanism, theta), 0), n, cell))
  rows <- rr_matrix(mechanism)
  Reduce(`+`, lapply(which(truth > 0), function(x) multinomial(rows[x, ], truth[x], cell + 2^32 * x)))
}

study_estimate <- function(mechanism, counts, method, n, name = NULL, call = caller_env()) {
  if (is.function(method)) {
    estimate <- method(counts, mechanism)
    k <- length(mechanism$levels)
    if (is.numeric(estimate) && length(estimate) == k && all(is.finite(estimate))) return(as.double(estimate))
    bad <- if (is.numeric(estimate) && length(estimate) == k) which(!is.finite(estimate))[1]
    abort(c("{.arg method} {.val {name}} must return {k} finite shares, one for each category.",
            x = if (is.null(bad)) "It returned {describe(estimate)}." else "Share {bad} is {format(estimate[bad])}.",
            i = "It is called with the counts of the reports and the mechanism."), "argument", call = call)
  }
  estimate_counts(mechanism, counts, method, n, list(), call)$estimate
}

study_cell_r <- function(mechanism, theta, truth, n, methods, replications, seed, cell) {
  reference <- if (is.null(truth)) theta else truth / n
  groups <- min(replications, 10)
  group <- floor((seq_len(replications) - 1) * groups / replications) + 1
  losses <- array(NA_real_, c(3, length(methods), replications))
  sums <- array(0, c(length(theta), length(methods), groups))
  block <- max(1, floor(2e6 / length(theta)))
  for (first in seq(0, replications - 1, by = block)) {
    counts <- study_counts(mechanism, theta, truth, n, seed, cell, first, min(block, replications - first))
    for (r in seq_len(ncol(counts))) {
      for (m in seq_along(methods)) {
        estimate <- study_estimate(mechanism, counts[, r], methods[[m]], n, names(methods)[m])
        losses[, m, first + r] <- study_losses(mechanism, counts[, r], estimate, reference, n)
        sums[, m, group[first + r]] <- sums[, m, group[first + r]] + (estimate - reference)
      }
    }
  }
  both <- lapply(seq_along(methods),
                 function(m) study_summary(losses[, m, ], matrix(sums[, m, ], ncol = groups), group))
  list(estimate = vapply(both, `[[`, numeric(5), "estimate"), error = vapply(both, `[[`, numeric(5), "error"))
}

study_losses <- function(mechanism, counts, estimate, reference, n) {
  seen <- counts > 0
  shares <- reported_shares(mechanism, estimate)[seen]
  # Rounding aside, an inversion reproduces the reported shares, which are positive where seen.
  nll <- if (any(shares <= 0)) Inf else -sum(counts[seen] * log(shares)) / n
  c(sum((estimate - reference)^2), sum(abs(estimate - reference)) / 2, nll)
}

# Means with standard errors; bias and variance with the jackknife over groups, as in src/core/study.c.
study_summary <- function(losses, sums, group) {
  losses <- matrix(losses, nrow = 3)
  replications <- ncol(losses)
  split <- function(keep) {
    r <- sum(keep)
    if (r < 2) return(c(NA_real_, NA_real_))
    length2 <- sum(rowSums(sums[, unique(group[keep]), drop = FALSE])^2)
    variance <- (sum(losses[1, keep]) - length2 / r) / (r - 1)
    c(length2 / r^2 - variance / r, variance)
  }
  left_out <- vapply(unique(group), function(g) split(group != g), numeric(2))
  groups <- ncol(left_out)
  jackknife <- apply(left_out, 1, function(x) sqrt((groups - 1) / groups * sum((x - mean(x))^2)))
  list(estimate = c(rowMeans(losses), split(rep(TRUE, replications))),
       error = c(apply(losses, 1, stats::sd) / sqrt(replications), if (groups > 1) jackknife else c(NA, NA)))
}

# ---- many cells ----

# Finished cells of a batch; a cell that fails leaves its message in its place.
study_batch <- function(batch, design, cells, cache = new.env(parent = emptyenv())) {
  results <- vector("list", length(batch))
  if (design$target == "population" && all(quick_methods(design$method))) {
    truth <- cells$truth[batch]
    for (x in unique(truth)) {
      row <- which(truth == x)
      # Should one cell of the row fail, its message is found out below.
      results[row] <- tryCatch(study_row(design, cells, batch[row], cache), error = function(e) list(NULL))
    }
  }
  for (j in which(lengths(results) == 0)) {
    results[[j]] <- tryCatch(study_cell(design, cells, batch[j], cache), error = plain_message)
  }
  results
}

# Rough seconds a cell takes: what batches and the progress bar go by.
study_cost <- function(design, cells, quick) {
  design$replications * (1e-6 + 1.6e-9 * cells$k * (1 + sum(quick)) + sum(!quick) * (2e-4 + 1e-7 * cells$k))
}

# Workers are given about a second's work; without them an interruption loses a batch: a tenth of a second's, or one
# cell where R estimates.
study_batches <- function(cost, todo, workers, quick) {
  size <- if (workers == 1) 0.1 * quick else min(1, sum(cost[todo]) / (8 * workers))
  if (sum(cost[todo]) < size) return(list(todo))
  todo <- todo[order(cost[todo], decreasing = TRUE)]
  if (size == 0) return(as.list(todo))
  unname(split(todo, floor(cumsum(c(0, cost[todo][-length(todo)])) / max(size, 1e-9))))
}

# In one line, without the marks of its bullets.
plain_message <- function(error) {
  if (!inherits(error, "rlang_error")) return(conditionMessage(error))
  lines <- strsplit(cli::ansi_strip(conditionMessage(error)), "\n", fixed = TRUE)[[1]]
  paste(c(lines[1], sub("^([xi!*]|[^[:alnum:]`\"(<{]+) ", "", lines[-1])), collapse = " ")
}

run_study <- function(state, cells, workers, progress, cache) {
  todo <- study_missing(state)
  if (!length(todo)) return(state)
  quick <- quick_methods(state$design$method)
  cost <- study_cost(state$design, cells, quick)
  if (isTRUE(attr(workers, "most"))) workers <- min(workers, ceiling(sum(cost[todo]) / 0.5))
  workers <- min(workers, length(todo))
  bar <- if (progress) cli::cli_progress_bar(
    format = "Simulating {cli::pb_bar} {cli::pb_percent} | {cli::pb_eta_str}", total = sum(cost), clear = TRUE
  )
  if (progress) cli::cli_progress_update(set = sum(cost[-todo]), id = bar)
  failure <- NULL
  saved <- proc.time()[["elapsed"]]
  finish <- function(batch, results) {
    done <- vapply(results, is.list, NA)
    state$results[batch[done]] <<- results[done]
    if (!all(done)) failure <<- Find(is.character, results, right = TRUE) %||% failure
    if (progress) cli::cli_progress_update(inc = sum(cost[batch]), id = bar)
    if (!is.null(state$file) && proc.time()[["elapsed"]] - saved > 2) {
      save_study(state)
      saved <<- proc.time()[["elapsed"]]
    }
  }
  interrupted <- FALSE
  tryCatch(
    study_engine(workers)(study_batches(cost, todo, workers, all(quick)), state$design, cells, workers, finish, cache),
    interrupt = function(e) interrupted <<- TRUE
  )
  if (progress) cli::cli_progress_done(id = bar)
  save_study(state)
  warn_incomplete(state, interrupted, failure)
  state
}

# A finished cell is a list(estimate, error).
study_missing <- function(state) which(lengths(state$results) == 0)

warn_incomplete <- function(state, interrupted, failure) {
  missing <- study_missing(state)
  if (!length(missing)) return(invisible())
  cell <- lapply(study_cells(state$design), `[`, missing[1])
  more <- if (length(missing) > 10) ", ..." else ""
  first <- sprintf("truth \"%s\", epsilon %s, n %s", names(state$design$truth)[cell$truth], format(cell$epsilon),
                   format_count(cell$n))
  warn(c("{length(missing)} of {length(state$results)} cells of the study are missing.",
         x = if (interrupted) "It was interrupted."
           else if (is.null(failure)) "A worker died before it delivered them." else "A cell failed: {failure}",
         i = "The first is {first}; the cells are {.val {utils::head(missing, 10)}}{more}.",
         i = paste("{.code rr_study(resume = study)}, with what this call returned,",
                   if (interrupted || is.null(failure)) "does the rest." else "tries them again.")), "incomplete")
}

study_engine <- function(workers) {
  if (workers == 1) return(run_here)
  engine <- getOption("candor.workers", if (.Platform$OS.type == "windows") "cluster" else "fork")
  if (engine == "fork") run_forked else run_cluster
}

run_here <- function(batches, design, cells, workers, finish, cache) {
  for (batch in batches) finish(batch, study_batch(batch, design, cells, cache))
}

run_forked <- function(batches, design, cells, workers, finish, cache) {
  active <- list()
  on.exit(for (job in active) {
    tools::pskill(job$process$pid)
    suppressWarnings(parallel::mccollect(job$process, wait = TRUE))
  })
  while (length(batches) || length(active)) {
    while (length(batches) && length(active) < workers) {
      batch <- batches[[1]]
      batches <- batches[-1]
      process <- parallel::mcparallel(study_batch(batch, design, cells, cache), mc.set.seed = FALSE, silent = TRUE)
      active[[as.character(process$pid)]] <- list(process = process, batch = batch)
    }
    ready <- suppressWarnings(parallel::mccollect(lapply(unname(active), `[[`, "process"), wait = FALSE, timeout = 0.1))
    for (id in names(ready)) {
      job <- active[[id]]
      active[[id]] <- NULL
      # A worker that was killed delivers NULL; the delivery of a living one is followed by its end.
      results <- ready[[id]]
      if (!is.null(results)) suppressWarnings(parallel::mccollect(job$process, wait = TRUE))
      finish(job$batch, if (is.list(results)) results else vector("list", length(job$batch)))
    }
  }
}

run_cluster <- function(batches, design, cells, workers, finish, cache) {
  cluster <- parallel::makeCluster(workers)
  on.exit(try(parallel::stopCluster(cluster), silent = TRUE))
  for (wave in split(seq_along(batches), (seq_along(batches) - 1) %/% workers)) {
    results <- tryCatch(parallel::clusterApply(cluster, batches[wave], study_batch, design, cells),
                        error = function(e) NULL)
    if (is.null(results)) {
      # A dead worker takes its wave with it.
      try(parallel::stopCluster(cluster), silent = TRUE)
      cluster <- parallel::makeCluster(workers)
    }
    for (j in seq_along(wave)) finish(batches[[wave[j]]], results[[j]] %||% vector("list", length(batches[[wave[j]]])))
  }
}
