# All mechanisms that have a client, small enough for their matrices.
clients <- function() {
  abc <- c("a", "b", "c")
  list(
    grr = rr_grr(abc, 1), avoided = rr_grr(abc, p = 0.2), warner = rr_warner(0.7), level = rr_warner(epsilon = 1.2),
    triangular = rr_triangular(0.25), kuk = rr_kuk(0.8, 0.3), forced = rr_forced(c(a = 0.1, b = 0.2, c = 0.15)),
    unrelated = rr_unrelated(0.7, 0.25), channel = rr_channel(rbind(c(0.5, 0.3, 0.2, 0), c(0.1, 0.2, 0.3, 0.4))),
    geometric = rr_geometric(abc, 0.8), wave = rr_square_wave(4, 1), grid = rr_square_wave(c(0, 10, 20, 50), 1, reports = 6),
    composed = rr_compose(rr_grr(abc, 2), rr_grr(abc, 1)),
    unary = rr_unary(abc, 1), symmetric = rr_unary(abc, 1, optimized = FALSE), pair = rr_unary(abc, p = 0.6, q = 0.2),
    subset = rr_subset(5, 1, size = 2), hash = rr_local_hash(abc, 1, g = 3, cohorts = 3), hadamard = rr_hadamard(5, 1, blocks = 2),
    one_block = rr_hadamard(abc, 1, blocks = 1), sign = rr_hadamard(abc, 0.7, one_bit = TRUE),
    bloom = rr_bloom(abc, 1, bits = 4, hashes = 2, cohorts = 2), flipped = rr_bitflip(5, 1, d = 2, buckets = 3),
    flip = rr_bitflip(abc, 1),
    `kept grr` = rr_longitudinal(abc, 2, 1, "grr-grr"), `kept bits` = rr_longitudinal(abc, 2, 1),
    `kept ones` = rr_longitudinal(abc, 2, 1, "sue-oue"), `kept bloom` = rr_bloom(abc, 1, bits = 4, cohorts = 2, permanent = 2)
  )
}

# What a report is called by rr_matrix().
report_label <- function(mechanism, report) {
  levels <- mechanism$levels
  bits <- function(text, k) {
    bytes <- strtoi(substring(text, seq(1, nchar(text), 2), seq(2, nchar(text), 2)), 16)
    paste(as.integer(sapply(bytes, function(byte) intToBits(byte)[1:8]))[seq_len(k)], collapse = "")
  }
  if (inherits(mechanism, "rr_unary")) return(bits(report, length(levels)))
  if (inherits(mechanism, "rr_bloom")) return(paste0(report$cohort, ": ", bits(report$bits, mechanism$bits_number)))
  if (inherits(mechanism, "rr_subset")) return(paste0("{", paste(levels[unlist(report)], collapse = ", "), "}"))
  if (inherits(mechanism, "rr_bitflip")) {
    places <- unlist(report)
    return(paste(levels[abs(places)], "=", as.integer(places > 0), collapse = ", "))
  }
  if (!is.list(report)) return(as.character(report))
  if (is.null(report$sign)) paste0(report$cohort, ":", report$value) else paste0(report$index, ": ", report$sign)
}

# Its matrix by answers: several answers of rr_bitflip() are one truth.
client_channel <- function(mechanism) {
  channel <- rr_matrix(mechanism)
  if (is.null(mechanism$values)) return(channel)
  k <- length(mechanism$values$labels)
  channel[floor((seq_len(k) - 1) * mechanism$buckets / k) + 1, ]
}
