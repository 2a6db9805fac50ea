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

test_that("files hold what they say, and nothing that a client must not have", {
  labels <- c("no", "</script><b>yes", "\u202e\U1F600", "\\\"quoted\"")
  mechanism <- rr_product(a = rr_grr(labels, 1), b = rr_longitudinal(c("x", "y"), 2, 1))
  file <- withr::local_tempfile()
  for (as in c("page", "javascript", "python", "plan")) {
    expect_identical(rr_client(mechanism, file, as, question = c(b = "B?", a = "A?"), key = "k", overwrite = TRUE), file)
    text <- paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
    expect_false(grepl("Math[.]random|eval\\(|innerHTML|import random|https?:", text))
  }
  rr_client(mechanism, file, question = c(b = "B?", a = "A?"), key = "k", send = "https://example.org/x?y=1", overwrite = TRUE)
  text <- paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  expect_identical(unique(regmatches(text, gregexpr("https?://[^\"' ;]*", text))[[1]]), c("https://example.org/x", "https://example.org/x?y=1"))
  # The policy has the hashes of the script and of the style that are there, as openssl would write them.
  for (part in c("script", "style")) {
    inside <- sub(paste0(".*<", part, ">(.*)</", part, ">.*"), "\\1", text)
    hash <- jsonlite::base64_enc(as.raw(strtoi(substring(cli::hash_sha256(inside), 2 * 1:32 - 1, 2 * 1:32), 16)))
    expect_match(text, paste0(part, "-src 'sha256-", hash, "'"), fixed = TRUE)
  }
  # A label cannot end the script.
  expect_identical(lengths(regmatches(text, gregexpr("</script", text, fixed = TRUE))), 1L)
})

test_that("files of JavaScript and Python run as they are, with labels of any kind", {
  labels <- c("no", "</script><b>yes", "\u202e\U1F600", "\\\"quoted\"")
  js <- withr::local_tempfile(fileext = ".js")
  rr_client(rr_grr(labels, p = 1), js, "javascript")
  py <- file.path(withr::local_tempdir(), "client_file.py")
  rr_client(rr_grr(labels, p = 1), py, "python")
  if (nzchar(Sys.which("node"))) {
    script <- sprintf("const c = require('%s'); console.log(JSON.stringify(c.plan.plan.levels.map(level => c.report(c.plan, level))))", js)
    expect_identical(jsonlite::fromJSON(system2("node", c("-e", shQuote(script)), stdout = TRUE)), labels)
  }
  if (nzchar(Sys.which("python3"))) {
    script <- sprintf("import sys, json; sys.dont_write_bytecode = True; sys.path.insert(0, '%s'); import client_file as c;
print(json.dumps([c.report(c.PLAN, x) for x in c.PLAN['plan']['levels']]))", dirname(py))
    expect_identical(jsonlite::fromJSON(system2("python3", c("-c", shQuote(script)), stdout = TRUE)), labels)
  }
})

test_that("once() keeps the report, a plan with a threshold that is a unit off works, one of a newer version does not", {
  skip_if_not(nzchar(Sys.which("node")), "node")
  plan <- sub("ccccccccccccd000", "ccccccccccccd001", readLines(rr_client(rr_warner(0.8), withr::local_tempfile(), "plan"), warn = FALSE))
  script <- "const c = require(process.argv[1]), plan = JSON.parse(process.argv[2]), kept = new Map();
    const store = { getItem: k => kept.has(k) ? kept.get(k) : null, setItem: (k, v) => { kept.set(k, v); } };
    const first = c.once('k', plan, 'no', { store });
    let same = true, thrown = 0;
    for (let i = 0; i < 200; i++) same = same && c.once('k', plan, i % 2 ? 'no' : 'yes', { store }) === first;
    const attempts = [() => c.report(Object.assign({}, plan, { version: 2 }), 'no'), () => c.report(plan, 'perhaps'), () => c.report(plan, null),
      () => c.report(Object.assign({}, plan, { plan: Object.assign({}, plan.plan, { cuts: [['12'], ['34']] }) }), 'no')];
    for (const attempt of attempts) try { attempt(); } catch (error) { thrown += error.message.includes('perhaps') ? 0 : 1; }
    Object.defineProperty(globalThis, 'crypto', { value: undefined });
    try { c.report(plan, 'no'); } catch (error) { thrown++; }
    console.log(JSON.stringify([['no', 'yes'].includes(c.once('k', plan, 'no', { store })), same, thrown]));"
  out <- system2("node", c("-e", shQuote(script), shQuote(client_file("candor.js")), shQuote(plan)), stdout = TRUE)
  expect_identical(jsonlite::fromJSON(out), c(1L, 1L, 5L))
})

test_that("what has no client is refused with the reason, and so are pages that cannot be", {
  file <- withr::local_tempfile()
  for (mechanism in list(rr_noncompliance(rr_warner(0.8), 0.1), rr_misclassification(0.9, 0.9), rr_lie_detector(0.7), rr_cheater_detection(0.2),
                         rr_anchor(rr_crosswise(0.15)), rr_unrelated(0.7, NULL), rr_product(a = rr_warner(0.8), b = rr_misclassification(0.9, 0.9)),
                         rr_compose(rr_misclassification(0.9, 0.9), rr_warner(0.8)))) {
    expect_error(rr_client(mechanism, file, "plan"), "describes what people do", class = "candor_error_law")
  }
  for (mechanism in list(rr_mean(c(0, 1), 1), rr_hierarchy(8, 1), rr_count_mean_sketch(1), rr_sample_questions(a = rr_warner(0.8), b = rr_warner(0.7)),
                         rr_geometric(1001, 1))) expect_error(rr_client(mechanism, file, "plan"), class = "candor_error_law")
  expect_false(file.exists(file))
  expect_identical(length(written_plan(rr_grr(1001, 1))$levels), 1001L)
  mechanism <- rr_warner(0.8)
  page <- function(...) rr_client(mechanism, file, ...)
  for (bad in list(list(), list(question = "Q?"), list(question = c("a", "b"), key = "k"), list(question = "Q?\n", key = "k"), list(question = " ", key = "k"),
                   list(question = "Q?", key = "k", send = "http://example.org"), list(question = "Q?", key = "k", send = "https://a b"),
                   list(question = "Q?", key = "k", send = c("https://a", "https://b")), list(question = "Q?", key = "k", as = "pdf"),
                   list(question = 1, key = "k"))) expect_error(do.call(page, bad), class = "candor_error_argument")
  expect_refused(rr_client(rr_grr(c("", "b"), 1), file, question = "Q?", key = "k"),
                 rr_client(rr_product(a = mechanism, b = mechanism), file, question = c(a = "A?"), key = "k"), rr_client("warner", file))
  expect_error(rr_client(mechanism, file.path(file, "none", "a.json"), "plan"), class = "candor_error_file")
  rr_client(mechanism, file, "plan")
  expect_error(rr_client(mechanism, file, "plan"), class = "candor_error_file")
})
