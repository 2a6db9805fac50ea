client_file <- function(name) system.file("client", name, package = "candor")

plan_file <- function(mechanism) {
  file <- withr::local_tempfile(fileext = ".json", .local_envir = parent.frame())
  jsonlite::parse_json(readLines(rr_client(mechanism, file, as = "plan"), warn = FALSE))
}

written_plan <- function(mechanism) plan_file(mechanism)$plan

# 16 hexadecimal digits as a number below 1, to the last of a double's digits; "1" is 1.
grid_value <- function(text) {
  text <- as.character(unlist(text))
  ifelse(text == "1", 1, (strtoi(substr(text, 1, 4), 16) + strtoi(substr(text, 5, 8), 16) / 2^16 +
    strtoi(substr(text, 9, 12), 16) / 2^32 + strtoi(substr(text, 13, 16), 16) / 2^48) / 2^16)
}

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
    one_block = rr_hadamard(abc, 1, blocks = 1), sign = rr_hadamard(abc, 1, one_bit = TRUE),
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

test_that("plans are those of the vectors: R's own thresholds, never on the side of less privacy", {
  bounds <- function(text, range) expect_identical(order(c(range$least, text, range$most), method = "radix"), 1:3)
  for (case in golden("client_plans")) {
    input <- case$input
    arguments <- input[setdiff(names(input), "constructor")]
    if (!is.null(arguments$k)) names(arguments)[names(arguments) == "k"] <- "levels"
    mechanism <- do.call(input$constructor, arguments)
    plan <- written_plan(mechanism)
    expected <- case$expected
    if (is.null(expected$p_yes_given_yes)) {
      expect_identical(plan$kind, expected$kind)
      for (name in intersect(names(expected), c("chance", "own", "other"))) bounds(plan[[name]], expected[[name]])
      for (x in seq_along(expected$cuts)) bounds(plan$cuts[[x]][[1]], expected$cuts[[x]])
    } else {
      no <- grid_value(plan$cuts)
      expect_equal(1 - no, c(expected$p_yes_given_no, expected$p_yes_given_yes), tolerance = 1e-15)
      expect_lte(max(log((1 - no[2]) / (1 - no[1])), log(no[1] / no[2])), expected$epsilon_at_most * (1 + 1e-15))
    }
  }
})

test_that("thresholds are those that rr_epsilon(achieved = TRUE) is about", {
  for (mechanism in list(rr_unary(7, 0.3), rr_unary(7, 2.5, optimized = FALSE), rr_unary(3, p = 0.6, q = 0.2))) {
    plan <- written_plan(mechanism)
    own <- grid_value(plan$own)
    other <- grid_value(plan$other)
    expect_equal(rr_epsilon(mechanism, achieved = TRUE), log(own / (1 - own) * (1 - other) / other), tolerance = 1e-14)
  }
  chance <- grid_value(written_plan(rr_subset(12, 0.9, size = 5))$chance)
  expect_equal(log1p(12 / 5 * chance / (1 - chance)), rr_epsilon(rr_subset(12, 0.9, size = 5), achieved = TRUE), tolerance = 1e-14)
})

node <- function(script, input) {
  skip_if_not(nzchar(Sys.which("node")), "node")
  run_client("node", script, input)
}
python <- function(script, input) {
  skip_if_not(nzchar(Sys.which("python3")), "python3")
  run_client("python3", script, input)
}
run_client <- function(program, script, input) {
  file <- withr::local_tempfile()
  writeLines(input, file)
  jsonlite::parse_json(paste(system2(program, c(test_path("client", script), client_file(""), file), stdout = TRUE), collapse = "\n"))
}

test_that("the clients make of given words the reports of the vectors, and take as many", {
  vectors <- readLines(test_path("golden", "client_reports.json"))
  # The file that is shipped has the kinds that the golden one lacks, too.
  shipped <- readLines(client_file("vectors.json"))
  for (input in list(vectors, shipped)) {
    n <- length(jsonlite::parse_json(paste(input, collapse = "\n"))$cases)
    expect_identical(node("vectors.js", input), list(passed = n, failed = list()))
    expect_identical(python("vectors.py", input), list(passed = n, failed = list()))
  }
})

test_that("every way through the client's draws, enumerated with its exact chance, gives the mechanism's matrix", {
  mechanisms <- clients()
  input <- paste0("[", paste(vapply(mechanisms, function(m) {
    paste(readLines(rr_client(m, tempfile(), as = "plan"), warn = FALSE), collapse = "\n")
  }, ""), collapse = ","), "]")
  enumerated <- python("enumerate.py", input)
  for (i in seq_along(mechanisms)) {
    mechanism <- mechanisms[[i]]
    expected <- client_channel(mechanism)
    drawn <- expected * 0
    for (x in seq_along(enumerated[[i]])) {
      for (report in names(enumerated[[i]][[x]])) {
        label <- report_label(mechanism, jsonlite::fromJSON(report))
        drawn[x, label] <- enumerated[[i]][[x]][[report]]
      }
    }
    expect_equal(drawn, expected, tolerance = 1e-13, label = names(mechanisms)[i])
  }
})
