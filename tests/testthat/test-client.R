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
