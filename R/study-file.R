# Starting, keeping and resuming a study.

# A fingerprint that tells one study from another.
study_fingerprint <- function(design) {
  list(design$truth, design$epsilon, design$n, design$replications, design$target,
       lapply(design$method, function(m) if (is.function(m)) deparse(m) else m), lapply(design$mechanism, deparse))
}

start_study <- function(design, resume, cache) {
  file <- if (is.character(resume)) check_file(resume)
  earlier <- if (inherits(resume, "rr_study")) study_state(resume)
    else if (!is.null(file) && file.exists(file)) read_study(file)
  if (!is.null(resume) && is.null(file) && is.null(earlier)) {
    abort(c("{.arg resume} must be a study, or the name of a file.", x = "It is {describe(resume)}."), "argument")
  }
  if (is.null(earlier) && is.null(design)) {
    abort(c("{.arg resume} names a file that does not exist.", x = "It is {.file {file}}.",
            i = "A new study needs its grid too."),
          "resume")
  }
  if (is.null(earlier)) {
    earlier <- list(design = design, results = vector("list", study_size(design)))
  } else if (is.null(design)) {
    design <- earlier$design
  } else if (!identical(study_fingerprint(design), study_fingerprint(earlier$design)) ||
             !(is.null(design$seed) || identical(design$seed, earlier$design$seed %||% design$seed))) {
    abort(c("{.arg resume} holds another study.",
            x = "Its truths, grid, methods, mechanism, replications or seed differ from those given.",
            i = "Give the same, or leave them all out: {.code rr_study(resume = study)}."), "resume")
  }
  try_study(earlier, cache)
  earlier$file <- file
  if (!is.null(file)) save_study(earlier, must = TRUE)
  # The seed is drawn after all checks, so that an error leaves R's generator as it was.
  if (is.null(earlier$design$seed)) {
    earlier$design$seed <- design$seed %||% floor(stats::runif(1) * 2^31)
    save_study(earlier)
  }
  earlier
}

# ---- what can never work is refused before the work starts ----

# Every mechanism of the cells to come is made, and its methods are tried. A method is refused if it fails in each of
# ten cells of a mechanism: one that fails in some is reported with the cells that are missing.
try_study <- function(state, cache) {
  design <- state$design
  cells <- study_cells(design)
  todo <- study_missing(state)
  for (which in unique(cells$mechanism[todo])) {
    own <- todo[cells$mechanism[todo] == which]
    try_mechanisms(design, which, unique(as.data.frame(cells[c("k", "epsilon")])[own, ]), cache)
    for (i in own[unique(round(seq(1, length(own), length.out = min(10, length(own)))))]) {
      failure <- try_methods(design, cells, i, cache)
      if (is.null(failure)) break
    }
    if (!is.null(failure)) stop(failure)
  }
}

try_mechanisms <- function(design, which, grid, cache) {
  name <- names(design$mechanism)[which]
  label <- if (is.null(name)) "{.arg mechanism}" else "{.arg mechanism} {.val {name}}"
  for (i in seq_len(nrow(grid))) {
    k <- grid$k[i]
    epsilon <- grid$epsilon[i]
    mechanism <- tryCatch(study_mechanism(design, which, k, epsilon, cache), error = identity)
    what <- if (inherits(mechanism, "error")) "stopped: {plain_message(mechanism)}"
      else if (!inherits(mechanism, "rr_mechanism")) "returned {describe(mechanism)}."
      else if (length(mechanism$levels) != k) "returned a mechanism of {length(mechanism$levels)} categories."
    if (!is.null(what)) {
      # Means, strings and several questions have no categories that a study could compare.
      shareless <- inherits(mechanism, c("rr_mean", "rr_sampled", "rr_sketch_counts")) &&
        !inherits(mechanism, "rr_hierarchy")
      remedy <- if (shareless) "Studies are of the shares of one question: its page says what its error is."
        else "An example is {.code function(k, epsilon) rr_grr(k, epsilon = epsilon)}."
      abort(c(paste(label, "must make a mechanism from the number of categories and {.arg epsilon}."),
              x = paste("Called with", format_count(k), "categories and epsilon {format(epsilon, digits = 15)}, it",
                        what),
              i = remedy),
            "argument")
    }
    if (law_tells_nothing(rr_law(mechanism))) abort_no_information(mechanism)
  }
}

# The first error of a method, on the first reports of a cell, or NULL.
try_methods <- function(design, cells, i, cache) {
  theta <- design$truth[[cells$truth[i]]]
  n <- cells$n[i]
  mechanism <- study_mechanism(design, cells$mechanism[i], length(theta), cells$epsilon[i], cache)
  truth <- if (design$target == "sample") whole_shares(n, theta)
  counts <- study_counts(mechanism, theta, truth, n, design$seed %||% 1, i, 0, 1)[, 1]
  for (name in names(design$method)) {
    failure <- try_method(mechanism, counts, design$method[[name]], name, n, theta)
    if (!is.null(failure)) return(failure)
  }
}

check_file <- function(resume) {
  if (length(resume) == 1 && !is.na(resume) && nzchar(resume)) return(normalizePath(resume, mustWork = FALSE))
  abort(c("{.arg resume} must be a study, or the name of one file.", x = "It is {describe(resume)}."), "argument")
}

read_study <- function(file) {
  state <- tryCatch(readRDS(file), error = function(e) NULL, warning = function(w) NULL)
  if (is.list(state) && all(c("design", "results") %in% names(state))) return(state)
  abort(c("{.arg resume} names a file that holds no study.", x = "It is {.file {file}}."), "resume")
}

# Written beside and moved into place once it has been read back: whatever happens, a complete file is there. (R does
# not notice a full disk when it closes a compressed file.)
save_study <- function(state, must = FALSE) {
  if (is.null(state$file)) return(invisible(TRUE))
  beside <- paste0(state$file, ".part")
  good <- tryCatch({
    saveRDS(state[c("design", "results")], beside, compress = FALSE)
    length(readRDS(beside)$results) == length(state$results) && file.rename(beside, state$file)
  }, error = function(e) FALSE, warning = function(w) FALSE)
  if (good) return(invisible(TRUE))
  unlink(beside)
  message <- c("The file {.file {state$file}} cannot be written.",
               x = "The disk may be full, or the folder missing or protected.")
  if (must) abort(message, "file")
  warn(c(message, i = "The study goes on; what the file held before is kept."), "file")
  invisible(FALSE)
}
