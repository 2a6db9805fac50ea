# Refuse work that will not fit in the machine's memory before it begins.

# Bytes of main memory; infinite where the system does not say.
machine_memory <- function() {
  line <- tryCatch(readLines("/proc/meminfo", n = 1, warn = FALSE), error = function(e) "", warning = function(w) "")
  kilobytes <- suppressWarnings(as.numeric(sub("^MemTotal: *([0-9]+) kB$", "\\1", line)))
  if (length(kilobytes) == 1 && is.finite(kilobytes)) 1024 * kilobytes else Inf
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
