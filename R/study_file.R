# Starting, keeping and resuming a study.

study_print <- function(design) {
  list(design$truth, design$epsilon, design$n, design$replications, design$target,
       lapply(design$method, function(m) if (is.function(m)) deparse(m) else m), lapply(design$mechanism, deparse))
}

start_study <- function(design, resume, call = caller_env()) {
  file <- if (is.character(resume)) check_file(resume, call)
  earlier <- if (inherits(resume, "rr_study")) study_state(resume, call)
    else if (!is.null(file) && file.exists(file)) read_study(file, call)
  if (!is.null(resume) && is.null(file) && is.null(earlier)) {
    abort(c("{.arg resume} must be a study, or the name of a file.", x = "It is {describe(resume)}."), "argument",
          call = call)
  }
  if (is.null(earlier) && is.null(design)) {
    abort(c("{.arg resume} names a file that does not exist.", x = "It is {.file {file}}.",
            i = "A new study needs its grid too."),
          "resume", call = call)
  }
  if (is.null(earlier)) {
    if (is.null(design$seed)) design$seed <- floor(stats::runif(1) * 2^31)
    earlier <- list(design = design, results = vector("list", study_size(design)))
  } else if (is.null(design)) {
    design <- earlier$design
  } else if (!identical(study_print(design), study_print(earlier$design)) ||
             !(is.null(design$seed) || identical(design$seed, earlier$design$seed))) {
    abort(c("{.arg resume} holds another study.",
            x = "Its truths, grid, methods, mechanism, replications or seed differ from those given.",
            i = "Give the same, or leave them all out: {.code rr_study(resume = study)}."), "resume", call = call)
  }
  earlier$file <- file
  if (!is.null(file)) save_study(earlier, abort_with = call)
  earlier
}

check_file <- function(resume, call) {
  if (length(resume) == 1 && !is.na(resume) && nzchar(resume)) return(normalizePath(resume, mustWork = FALSE))
  abort(c("{.arg resume} must be a study, or the name of one file.", x = "It is {describe(resume)}."), "argument",
        call = call)
}

read_study <- function(file, call) {
  state <- tryCatch(readRDS(file), error = function(e) NULL, warning = function(w) NULL)
  if (is.list(state) && all(c("design", "results") %in% names(state))) return(state)
  abort(c("{.arg resume} names a file that holds no study.", x = "It is {.file {file}}."), "resume", call = call)
}

# Written beside and moved into place once it has been read back: whatever happens, a complete file is there. (R does
# not notice a full disk when it closes a compressed file.)
save_study <- function(state, abort_with = NULL) {
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
  if (!is.null(abort_with)) abort(message, "file", call = abort_with)
  warn(c(message, i = "The study goes on; what the file held before is kept."), "file")
  invisible(FALSE)
}
