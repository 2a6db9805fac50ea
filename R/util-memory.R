# Refuse work that will not fit in the machine's memory before it begins.

# Bytes of main memory that are free, or that the process may have; infinite where the system does not say.
machine_memory <- function() {
  stated <- function(file, name) {
    lines <- tryCatch(readLines(file, warn = FALSE), error = function(e) "", warning = function(w) "")
    found <- grepl(sprintf("^%s:? *[0-9]+", name), lines)
    if (any(found)) as.numeric(sub(sprintf("^%s:? *([0-9]+).*", name), "\\1", lines[found][1])) else Inf
  }
  min(1024 * stated("/proc/meminfo", "MemAvailable"), stated("/proc/self/limits", "Max address space"))
}

check_memory <- function(bytes, arg, what) {
  if (bytes <= machine_memory()) return(invisible())
  abort(c("{.arg {arg}} is too large for this machine's memory.", x = "{what} would take {format_bytes(bytes)}."),
        "argument")
}

format_bytes <- function(bytes) {
  power <- min(floor(log(bytes, 1000)), 8)
  units <- c("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB")
  paste(format(signif(bytes / 1000^power, 2)), units[power + 1])
}
