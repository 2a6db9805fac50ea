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
    settings <- if (as == "page") list(question = c(b = "B?", a = "A?"), key = "k")
    expect_identical(do.call(rr_client, c(list(mechanism, file, as, overwrite = TRUE), settings)), file)
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
  # At this epsilon one report in 1e17 is not the answer.
  rr_client(rr_grr(labels, 40), js, "javascript")
  py <- file.path(withr::local_tempdir(), "client_file.py")
  rr_client(rr_grr(labels, 40), py, "python")
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
    const store = { change: async (k, make) => { kept.set(k, make(kept.get(k))); return kept.get(k); } };
    const first = c.once('k', plan, 'no', { store });
    let thrown = 0;
    const attempts = [() => c.report(Object.assign({}, plan, { version: 2 }), 'no'), () => c.report(plan, 'perhaps'), () => c.report(plan, null),
      () => c.report(Object.assign({}, plan, { plan: Object.assign({}, plan.plan, { cuts: [['12'], ['34']] }) }), 'no')];
    for (const attempt of attempts) try { attempt(); } catch (error) { thrown += error.message.includes('perhaps') ? 0 : 1; }
    Object.defineProperty(globalThis, 'crypto', { value: undefined });
    try { c.report(plan, 'no'); } catch (error) { thrown++; }
    first.then(async function (first) {
      let same = ['no', 'yes'].includes(first.report) && /^[0-9a-f]{32}$/.test(first.id) && !first.before;
      for (let i = 0; i < 200; i++) {
        const again = await c.once('k', plan, i % 2 ? 'no' : 'yes', { store });
        same = same && again.before && again.report === first.report && again.id === first.id;
      }
      // Another plan under the same key is another place.
      const other = await c.once('k', Object.assign({}, plan, { epsilon: 1 }), 'no', { store }).catch(() => 'drawn');
      console.log(JSON.stringify([kept.size === 1, same && other === 'drawn', thrown]));
    });"
  out <- system2("node", c("-e", shQuote(script), shQuote(client_file("candor.js")), shQuote(plan)), stdout = TRUE)
  expect_identical(jsonlite::fromJSON(out), c(1L, 1L, 5L))
})

test_that("once() in Python means what it means in JavaScript, and a dead generator is refused", {
  skip_if_not(nzchar(Sys.which("python3")), "python3")
  plans <- c(vapply(list(rr_warner(0.8), rr_warner(0.8, levels = c("nein", "ja")), rr_warner(0.7),
                         rr_longitudinal(letters[1:3], 3, 2, "grr-grr"), rr_longitudinal(letters[1:3], 3, 2, "local-hash"),
                         rr_bloom(letters[1:3], 1, bits = 8, cohorts = 2, permanent = 2),
                         rr_product(w = rr_warner(0.8), p = rr_longitudinal(letters[1:3], 3, 2, "grr-grr")), rr_mean(c(0, 2), 1),
                         rr_unary(70, 1)), client_text, ""))
  file <- withr::local_tempfile(lines = paste0("[", paste(plans, collapse = ","), "]"))
  script <- withr::local_tempfile(lines = c(
    "import itertools, json, sys", "sys.dont_write_bytecode = True", "sys.path.insert(0, sys.argv[1])", "import candor", "out = {}",
    "plans = json.load(open(sys.argv[2], encoding='utf-8'))",
    "warner, german, other, grr, hashed, bloom, product, mean, unary = [candor.Client(p) for p in plans]",
    "store = {}", "first = warner.once('k', 'no', store)",
    "out['same'] = all(warner.once('k', level, store) == first for level in ['no', 'yes'] * 20)",
    "out['language'] = german.once('k', 'ja', store) == first and len(store) == 1",
    "other.once('k', 'no', store)", "out['law'] = len(store) == 2",
    "out['declined'] = warner.once('d', None, {}, decline=True)['report'] is None",
    "kept = [dict(), dict(), dict()]", "reports = [{str(c.once('k', 'a', s)['report']) for _ in range(60)} for c, s in zip((grr, hashed, bloom), kept)]",
    "out['anew'] = all(len(r) > 1 for r in reports)",
    "out['alone'] = all([list(json.loads(entry)) for entry in s.values()] == [['permanent']] for s in kept)",
    "out['product'] = sorted(product.once('k', {'w': 'no', 'p': 'a'}, {})['report']) == ['p', 'w']",
    "def refused(call, kind):", "    try:", "        call()", "    except kind:", "        return True", "    return False",
    "out['true'] = refused(lambda: mean.report(True), ValueError) and refused(lambda: warner.report(None), ValueError)",
    "words = itertools.cycle(bytes(range(256)))",
    "dead = [lambda n: bytes(n), lambda n: b'\x07' * n, lambda n: bytes(next(words) for _ in range(n))]",
    "for i, source in enumerate(dead):", "    candor.secrets.token_bytes = source",
    "    out['dead %d' % i] = all(refused(lambda: candor.report(plans[c], a), RuntimeError) for c, a in ((0, 'no'), (8, '1'), (7, 1)))",
    # A generator that dies later.
    "    out['dead %d' % i] = out['dead %d' % i] and (i == 2 or refused(lambda: unary.report('1'), RuntimeError))",
    "print(json.dumps(out))"
  ))
  out <- jsonlite::fromJSON(system2("python3", c(script, client_file(""), file), stdout = TRUE))
  expect_true(all(unlist(out)), label = paste(names(out)[!unlist(out)], collapse = ", "))
  expect_length(out, 11)
})

test_that("what has no client is refused with the reason, and so are pages that cannot be", {
  file <- withr::local_tempfile()
  for (mechanism in list(rr_noncompliance(rr_warner(0.8), 0.1), rr_misclassification(0.9, 0.9), rr_lie_detector(0.7), rr_cheater_detection(0.2),
                         rr_anchor(rr_crosswise(0.15)), rr_unrelated(0.7, NULL), rr_product(a = rr_warner(0.8), b = rr_misclassification(0.9, 0.9)),
                         rr_compose(rr_misclassification(0.9, 0.9), rr_warner(0.8)))) {
    expect_error(rr_client(mechanism, file, "plan"), "describes what people do", class = "candor_error_law")
  }
  expect_error(rr_client(rr_geometric(1001, 1), file, "plan"), "more than 1,000 levels", class = "candor_error_law")
  # The error says what to do instead.
  expect_error(rr_client(rr_hierarchy(8, 1), file, "plan"), "Draw a depth for each respondent", class = "candor_error_law")
  for (mechanism in list(rr_count_mean_sketch(1), rr_prefixes(1, 1:2))) {
    expect_error(rr_client(mechanism, file, "plan"), "Offer a list", class = "candor_error_law")
  }
  # A truth that no report hides: all, or one of several.
  for (mechanism in list(rr_warner(1), rr_crosswise(0), rr_grr(3, p = 1), rr_grr(2000, p = 1), rr_channel(diag(2)), rr_unary(3, p = 1, q = 0), rr_kuk(1, 0),
                         rr_product(a = rr_warner(0.8), b = rr_warner(1)), rr_channel(rbind(c(1, 0, 0), c(0, 0.5, 0.5), c(0, 0.5, 0.5))))) {
    expect_error(rr_client(mechanism, file, "plan"), "reveals that answer", class = "candor_error_law")
  }
  expect_error(rr_client(suppressWarnings(rr_scramble(c(0, 9), 2, 3)), file, "plan"), "hide nothing", class = "candor_error_law")
  # Some report rules an answer out, and every answer is hidden by another report.
  for (mechanism in list(rr_triangular(0.25), rr_forced(c(no = 0, yes = 0.2)), rr_grr(3, p = 0))) expect_true(is.list(written_plan(mechanism)))
  expect_false(file.exists(file))
  expect_identical(length(written_plan(rr_grr(1001, 1))$levels), 1001L)
  mechanism <- rr_warner(0.8)
  page <- function(...) rr_client(mechanism, file, ...)
  for (bad in list(list(), list(question = "Q?"), list(question = c("a", "b"), key = "k"), list(question = "Q?\n", key = "k"), list(question = " ", key = "k"),
                   list(question = "Q?", key = "k", send = "http://example.org"), list(question = "Q?", key = "k", send = "https://a b"),
                   list(question = "Q?", key = "k", send = c("https://a", "https://b")), list(question = "Q?", key = "k", as = "pdf"),
                   list(question = "Q?", key = "k", send = "https://x.org/\u00e4"), list(question = "Q?", key = "k", send = "https://user:pw@x.org/"),
                   list(question = "Q?", key = "k", send = "https://x.org\\y"), list(question = "Q?", key = "k", send = "https://x.org:65536/"),
                   list(question = "Q?", key = "k", words = list(titel = "T")), list(question = "Q?", key = "k", words = list("T")),
                   list(question = "Q?", key = "k", words = list(title = 1)), list(question = "Q?", key = "k", words = list(title = NA)),
                   list(question = "Q?", key = "k", language = "de\"><b>"), list(question = "Q?", key = "k", language = "it"),
                   list(question = "Q?", key = "k", language = "it", words = list(title = "T")), list(question = "Q?", key = "k", decline = NA),
                   list(question = 1, key = "k"))) expect_error(do.call(page, bad), class = "candor_error_argument")
  # Addresses that the page's own policy would refuse, since browsers rewrite them, and some that it would not.
  for (send in c("https://x.org/a/../b", "https://x.org/./a", "https://x.org/%2e%2E/", "https://x.org/a/..", "https://x..org", "https://1.2.3/",
                 "https://1.2.3.256/", "https://01.2.3.4/", "https://x.0x7f/", "https://x.org/%zz", "https://x.org./", "https://-x.org/", "https://x-.org/")) {
    expect_error(page(question = "Q?", key = "k", send = send), class = "candor_error_argument", label = send)
  }
  for (send in c("https://x.org", "https://x.org/a..b/.c/...?/../", "https://1.2.3.4:8080/", "https://x2.example-1.org/%C3%A4", "https://localhost/")) {
    expect_identical(page(question = "Q?", key = "k", send = send, overwrite = TRUE), file)
  }
  unlink(file)
  expect_error(rr_client(rr_longitudinal(c("a", "b"), 2, 1), file, question = "Q?", key = "k", interviewer = TRUE), "permanent",
               class = "candor_error_argument")
  expect_refused(rr_client(rr_grr(c("", "b"), 1), file, question = "Q?", key = "k"),
                 rr_client(rr_product(a = mechanism, b = mechanism), file, question = c(a = "A?"), key = "k"), rr_client("warner", file))
  expect_error(rr_client(mechanism, file.path(file, "none", "a.json"), "plan"), class = "candor_error_file")
  rr_client(mechanism, file, "plan")
  expect_error(rr_client(mechanism, file, "plan"), class = "candor_error_file")
})

test_that("what a file does not use is refused, and so are plugins that could not ask", {
  file <- withr::local_tempfile()
  mechanism <- rr_warner(0.8)
  settings <- list(question = "Q?", key = "k", send = "https://x.org/", words = list(title = "T"), language = "xx", decline = TRUE, practice = TRUE)
  used <- list(jspsych = c("key", "words", "language"), surveyjs = c("key", "words", "language"))
  for (as in c("javascript", "module", "python", "plan", "jspsych", "surveyjs")) {
    for (name in setdiff(names(settings), used[[as]])) {
      needed <- if (as %in% names(used)) settings["key"]
      expect_error(do.call(rr_client, c(list(mechanism, file, as), settings[name], needed[setdiff(names(needed), name)])), "does not use",
                   class = "candor_error_argument", label = paste(as, name))
    }
  }
  for (as in names(used)) {
    expect_error(rr_client(mechanism, file, as), "key", class = "candor_error_argument")
    expect_error(rr_client(mechanism, file, as, key = "k", language = "xx"), "language", class = "candor_error_argument")
    for (other in list(rr_product(a = mechanism, b = mechanism), rr_product(a = mechanism, b = mechanism, asked = 1), rr_mean(c(0, 1), 1),
                       rr_scramble(c(0, 10), add = c(-2, 0, 2)))) {
      expect_error(rr_client(other, file, as, key = "k"), "plugin", class = "candor_error_law")
    }
  }
  expect_false(file.exists(file))
  # Words of the language, and labels that look like a placeholder.
  rr_client(rr_grr(c("{{ask}}", "{{page}}"), 1), file, "jspsych", key = "k", language = "de")
  text <- file_text(file)
  expect_true(grepl("Ihr Ger\u00e4t", text, fixed = TRUE))
  expect_identical(lengths(regmatches(text, gregexpr("\"{{ask}}\"", text, fixed = TRUE))), 3L)
})

test_that("pages have the words of their language, and their direction", {
  all <- jsonlite::read_json(client_file("words.json"))
  # Five languages with the same names and the same places to fill in, none left in English.
  expect_identical(unique(lapply(all, names)), list(names(all$en)))
  places <- function(text) sort(unique(regmatches(text, gregexpr("[{][a-z]+[}]", text))[[1]]))
  for (language in setdiff(names(all), "en")) {
    expect_identical(lapply(all[[language]], places), lapply(all$en, places))
    same <- unlist(all[[language]])[unlist(all[[language]]) == unlist(all$en)]
    expect_true(all(nchar(same) < 3))
  }
  # The help lists each name.
  source <- test_path("..", "..", "R", "protocol-client.R")
  if (file.exists(source)) {   # the folder of the package is beside the tests, unless R CMD check runs them
    help <- paste(readLines(source, encoding = "UTF-8"), collapse = " ")
    for (name in names(all$en)) expect_true(grepl(paste0("`", name, "`"), help, fixed = TRUE), label = name)
  }
  page <- function(...) {
    file <- withr::local_tempfile()
    paste(readLines(rr_client(rr_warner(0.8), file, question = "?", key = "k", ...), encoding = "UTF-8"), collapse = "\n")
  }
  text <- page(language = "ar-EG")
  expect_true(grepl("<html lang=\"ar-EG\" dir=\"rtl\">", text, fixed = TRUE))
  for (word in setdiff(all$ar, "")) expect_true(grepl(word, text, fixed = TRUE), label = word)
  expect_true(grepl("<html lang=\"de\" dir=\"ltr\">", page(language = "de"), fixed = TRUE))
  expect_true(grepl("<p id=\"old\" class=\"note\">&lt;b>a &amp; b</p>", page(words = list(old = "<b>a & b")), fixed = TRUE))
  # With all words a page may be of any language, and has no English then.
  text <- page(language = "it", words = lapply(all$de, toupper))
  expect_true(grepl(toupper(all$de$lots), text, fixed = TRUE))
  for (word in Filter(function(word) nchar(word) > 12, all$en)) expect_false(grepl(word, text, fixed = TRUE), label = word)
  expect_lte(nchar(text, "bytes"), 60000)
})

test_that("the pictures of a page show whole people of 100, and no report that an answer cannot have", {
  expect_identical(pictured_shares(rr_warner(0.8)), list(list(80, 20), list(20, 80)))
  # 99.5 and 0.5 have equal remainders: the first is rounded up. A third of 100 is 34 or 33.
  channel <- rr_channel(rbind(c(0.995, 0.005, 0), c(0, 1, 0), rep(1, 3) / 3))
  expect_identical(pictured_shares(channel), list(list(100, 0, NULL), list(NULL, 100, NULL), list(34, 33, 33)))
  # Too many reports for a picture, reports of bits, numbers.
  for (mechanism in list(rr_grr(5, 1), rr_unary(3, 1), rr_mean(c(0, 1), 1))) expect_null(pictured_shares(mechanism))
})

# Reports of a client in node, as a survey tool would keep them: a row of texts for each answer.
posted <- function(mechanism, truth) {
  skip_if_not(nzchar(Sys.which("node")), "node")
  files <- withr::local_tempfile(lines = readLines(rr_client(mechanism, withr::local_tempfile(), "plan"), warn = FALSE))
  answers <- withr::local_tempfile(lines = jsonlite::toJSON(truth, digits = NA))
  script <- "const c = require(process.argv[1]), [plan, answers] = process.argv.slice(2).map(name => JSON.parse(require('fs').readFileSync(name)));
    answers.forEach((answer, i) => console.log(JSON.stringify(c.fields(plan, { id: 'r' + i, report: c.report(plan, answer, { decline: true }) }))));"
  text <- system2("node", c("-e", shQuote(script), shQuote(client_file("candor.js")), files, answers), stdout = TRUE)
  jsonlite::stream_in(textConnection(text), verbose = FALSE)
}

test_that("reports as texts of a survey tool are read, copies once, and refusals counted", {
  levels <- letters[1:5]
  truth <- rep(levels, c(900, 500, 300, 200, 100))
  for (mechanism in list(rr_grr(levels, 2), rr_unary(levels, 2), rr_subset(levels, 1, size = 2), rr_local_hash(levels, 2),
                         rr_local_hash(levels, 2, cohorts = 5), rr_hadamard(levels, 2), rr_hadamard(levels, 2, one_bit = TRUE),
                         rr_bloom(levels, 2, bits = 16, cohorts = 4), rr_bitflip(levels, 2, d = 2))) {
    data <- posted(mechanism, truth)
    expect_true(is.character(data$report))
    expect_message(tally <- rr_tally(rbind(data, data[5:7, ]), mechanism, column = "report", id = "id"), "3 reports that came again",
                   class = "candor_message_copies")
    expect_identical(tally$counts, rr_tally(data, mechanism, column = "report", id = ~ id)$counts)
    # Draws have no seed: 1 in 1e7 estimates is as far away as 5.5 standard errors.
    estimate <- tidy(rr_estimate(tally, method = "inv"))
    expect_lte(max(abs(estimate$estimate - c(9, 5, 3, 2, 1) / 20) / estimate$std.error), 5.5, label = format(mechanism))
  }
  data <- posted(rr_local_hash(levels, 2), c(levels, NA))
  expect_error(rr_tally(data, rr_local_hash(levels, 2), column = "report"), class = "candor_error_missing")
  expect_identical(suppressMessages(rr_tally(data, rr_local_hash(levels, 2), column = "report", na.rm = TRUE))$missing, 1)
  expect_error(rr_reports("5 7", rr_local_hash(levels, 2)), "slope, shift, value", class = "candor_error_report")
  data$id[3] <- NA
  expect_error(rr_tally(data, rr_local_hash(levels, 2), column = "report", id = "id", na.rm = TRUE), "identifiers", class = "candor_error_argument")
  several <- rr_product(a = rr_warner(0.8), h = rr_local_hash(c("x", "y"), 1, cohorts = 3))
  expect_identical(rr_tally(posted(several, data.frame(a = rep("yes", 60), h = "x")), several, id = "id")$n, 60)
})

# One-sample p-values of 8,000 draws without a seed, 20,000 in the long tests each week: each bound fails once in 1e6.
test_that("numbers are drawn as the literature says", {
  draws <- extended(8000, 20000)
  t <- 0.3
  epsilon <- 1.2
  answers <- rep(5 + 10 * t, draws)
  s <- exp(epsilon / 2)
  on_scale <- function(mechanism) (as.numeric(posted(mechanism, answers)$report) - 5) / 10
  # Duchi et al. 2018: two reports.
  reports <- on_scale(rr_mean(c(-5, 15), epsilon, protocol = "duchi"))
  edge <- (s^2 + 1) / (s^2 - 1)
  expect_equal(sort(unique(reports)), c(-edge, edge), tolerance = 1e-12)
  expect_gt(stats::binom.test(sum(reports > 0), length(reports), 0.5 + t / (2 * edge))$p.value, 1e-6)
  # Wang et al. 2019, algorithm 2: a density that is e^epsilon times as large from l to r.
  reports <- on_scale(rr_mean(c(-5, 15), epsilon, protocol = "piecewise"))
  wide <- (s + 1) / (s - 1)
  l <- (wide + 1) / 2 * t - (wide - 1) / 2
  high <- (s^2 - s) / (2 * s + 2)
  cumulated <- function(x) high * (pmin(pmax(x - l, 0), wide - 1) + (x + wide - pmin(pmax(x - l, 0), wide - 1)) / s^2)
  expect_equal(cumulated(wide), 1)
  # Two cells in 2^30 may be drawn twice.
  expect_gt(suppressWarnings(stats::ks.test(reports, cumulated))$p.value, 1e-6)
  # Cards, by enumeration.
  mechanism <- rr_scramble(c(0, 60), multiply = c(0.5, 1), add = list(value = c(0, 7), prob = c(0.3, 0.7)), truth = 0.2)
  counts <- table(factor(posted(mechanism, rep(8, draws))$report, c("4", "8", "11", "15")))
  expect_gt(stats::chisq.test(counts, p = c(0.12, 0.12 + 0.2, 0.28, 0.28))$p.value, 1e-6)
  # One question of two.
  one <- rr_product(a = rr_warner(0.9), n = rr_mean(c(0, 1), 2, protocol = "duchi"), asked = 1)
  data <- posted(one, data.frame(a = rep("yes", draws), n = 0.5))
  expect_gt(stats::binom.test(sum(data$question == "a"), draws, 0.5)$p.value, 1e-6)
  expect_gt(stats::binom.test(sum(data$report[data$question == "a"] == "yes"), sum(data$question == "a"), 0.9)$p.value, 1e-6)
  expect_equal(names(coef(rr_estimate(rr_tally(data, one, id = "id"))$n)), "mean")
})

test_that("a scramble takes the precision it was planned with, and a number within its range, in JavaScript and Python", {
  # The most decimals of the ends of the range and the cards that are added: others would be in the report.
  mechanisms <- list(rr_scramble(c(0, 10), add = c(-2, 0, 2)), rr_scramble(c(0, 10), multiply = c(0.125, 1), add = c(-2, 0.25)),
                     rr_scramble(c(0.5, 10), multiply = c(0.5, 2)), rr_mean(c(0, 10), 1))
  plans <- vapply(mechanisms, client_text, "")
  expect_identical(lapply(lapply(plans, jsonlite::fromJSON), function(client) client$plan$decimals), list(0L, 2L, 1L, NULL))
  answers <- "[3, 3.27, 3.2, 3.275, 0.3, 11, -1, \"3\", true]"
  taken <- rbind(c(1, 0, 0, 0, 0, 0, 0, 0, 0), c(1, 1, 1, 0, 1, 0, 0, 0, 0), c(1, 0, 1, 0, 0, 0, 0, 0, 0), c(1, 1, 1, 1, 1, 0, 0, 0, 0)) == 1
  input <- withr::local_tempfile(lines = sprintf("[[%s], %s]", paste(plans, collapse = ", "), answers))
  js <- "const c = require(process.argv[1]), [plans, answers] = JSON.parse(require('fs').readFileSync(process.argv[2]));
    const taken = plan => answers.map(answer => { try { c.report(plan, answer); return true; } catch (error) { return !/^candor: /.test(error.message); } });
    console.log(JSON.stringify(plans.map(taken)));"
  py <- c("import json, sys", "sys.dont_write_bytecode = True", "sys.path.insert(0, sys.argv[1])", "import candor",
          "plans, answers = json.load(open(sys.argv[2], encoding='utf-8'))", "def taken(plan, answer):", "    try:", "        candor.report(plan, answer)",
          "    except ValueError:", "        return False", "    return True", "print(json.dumps([[taken(p, a) for a in answers] for p in plans]))")
  run <- function(program, ...) jsonlite::fromJSON(system2(program, c(..., input), stdout = TRUE))
  if (nzchar(Sys.which("node"))) expect_identical(run("node", "-e", shQuote(js), shQuote(client_file("candor.js"))), taken)
  if (nzchar(Sys.which("python3"))) expect_identical(run("python3", withr::local_tempfile(lines = py), shQuote(client_file(""))), taken)
})

test_that("what a device keeps of permanent answers does not tell the answer", {
  skip_if_not(nzchar(Sys.which("node")), "node")
  script <- "const c = require(process.argv[1]), clients = JSON.parse(process.argv[2]);
    (async function () { const out = [];
      for (const client of clients) for (const level of ['a', 'b', 'c']) {
        let kept; const store = { change: async (at, make) => kept = make(kept) };
        const answer = client.questions ? { p: level, w: 'no' } : level;
        await c.once('k', client, answer, { store }); const first = JSON.stringify(kept.permanent || null);
        await c.once('k', client, answer, { store });
        out.push([Object.keys((kept.permanent || { '': {} })['']).filter(x => /^[0-9]+$/.test(x)).join(' '), first === JSON.stringify(kept.permanent || null)]);
      } console.log(JSON.stringify(out)); })();"
  abc <- letters[1:3]
  plans <- vapply(list(rr_longitudinal(abc, 3, 2, "grr-grr"), rr_longitudinal(abc, 3, 2), rr_bloom(abc, 1, bits = 8, cohorts = 2, permanent = 2),
                       rr_product(w = rr_warner(0.8), p = rr_longitudinal(abc, 3, 2, "grr-grr"))), client_text, "")
  out <- system2("node", c("-e", shQuote(script), shQuote(client_file("candor.js")), shQuote(paste0("[", paste(plans, collapse = ","), "]"))), stdout = TRUE)
  kept <- jsonlite::fromJSON(out)
  # All levels, whichever was answered; nothing of a product whose one report is kept.
  expect_identical(kept[, 1], rep(c("0 1 2", ""), c(9, 3)))
  expect_identical(kept[, 2], rep("TRUE", 12))
})

test_that("what a page and a sheet promise follows from the reports: what they rule out, and how well they let guess", {
  promise <- function(mechanism) client_promise(list(mechanism), mechanism$epsilon)
  # The worst pair of answers and the surest answer, from the probabilities of all reports.
  enumerated <- function(channel) {
    k <- nrow(channel)
    distance <- outer(1:k, 1:k, Vectorize(function(x, z) sum(abs(channel[x, ] - channel[z, ])) / 2))
    identifies <- colSums(channel > 0) == 1
    list(guess = (1 + max(distance)) / 2, certain = max(channel %*% identifies))
  }
  for (mechanism in list(rr_triangular(0.25), rr_triangular(1e-6), rr_unary(5, p = 1, q = 0.001), rr_unary(5, p = 0.5, q = 0), rr_forced(c(no = 0, yes = 0.2)),
                         rr_grr(3, p = 0), rr_channel(rbind(c(0.99, 0, 0.01), c(0, 0.99, 0.01))))) {
    expect_equal(report_evidence(mechanism), enumerated(rr_matrix(mechanism)), tolerance = 1e-12, label = format(mechanism))
  }
  expect_identical(promise(rr_unary(5, p = 1, q = 0.001)), list(caution = "weak", guess = NULL, reveals = "sure"))
  expect_identical(promise(rr_unary(5, p = 0.5, q = 0)), list(caution = NULL, guess = NULL, reveals = "sure"))
  expect_identical(promise(rr_triangular(1e-6))$caution, "weak")
  expect_identical(promise(rr_grr(3, p = 0)), list(caution = NULL, guess = NULL, reveals = "some"))
  # One limit, whatever the design: the odds of the best guess are exp(epsilon).
  for (case in list(list(0.9, NULL, 90), list(0.91, "little", 91), list(0.99, "little", 99), list(0.992, "weak", 100))) {
    expect_identical(promise(rr_warner(case[[1]])), list(caution = case[[2]], guess = case[[3]], reveals = NULL))
    # The sheet has the same limit as the page.
    sheet <- rr_instructions(rr_warner(case[[1]]), "Q?")
    expect_identical(grepl("nobody can be sure", sheet), is.null(case[[2]]))
    expect_identical(grepl("almost sure", sheet), identical(case[[2]], "weak"))
  }
  # Numbers from 0 to 10, and cards that add 0 or 4: a report from 4 to 10 has two explanations, any other has one.
  scramble <- rr_scramble(c(0, 10), multiply = 1, add = c(0, 4))
  number <- seq(0, 10, 0.01)
  one <- vapply(number, function(x) mean(c(x < 4 - 1e-9, x + 4 > 10 + 1e-9)), 0)
  evidence <- report_evidence(scramble)
  expect_equal(evidence$certain, max(one))
  expect_equal(evidence$guess, max(one + (1 - one) / 2))
  expect_identical(promise(scramble), list(caution = NULL, guess = NULL, reveals = "sure"))
  # Far cards reveal every number, as 107 and 7 reveal 7; the truth among few lies nearly does.
  file <- withr::local_tempfile()
  expect_error(rr_client(rr_scramble(c(0, 10), multiply = 1, add = c(0, 100)), file, "plan"), "reveals that answer", class = "candor_error_law")
  lies <- rr_scramble(c(0, 10), multiply = 1, add = c(-3, -2, -1, 1, 2, 3), truth = 0.999)
  expect_identical(promise(lies)$caution, "weak")
  # A page holds what the rule says.
  held <- function(mechanism) {
    page <- paste(readLines(rr_client(mechanism, file, question = "Q?", key = "k", overwrite = TRUE), encoding = "UTF-8"), collapse = "\n")
    regmatches(page, gregexpr("\"(caution|guess|reveals)\": (\"[a-z]{4,6}\"|[0-9]+)", page))[[1]]
  }
  expect_identical(held(rr_warner(0.8)), "\"guess\": 80")
  expect_identical(held(rr_unary(5, p = 1, q = 0.001)), c("\"caution\": \"weak\"", "\"reveals\": \"sure\""))
})

test_that("a page of permanent answers promises what all of its reports together show", {
  permanent <- function(epsilon) rr_longitudinal(c("a", "b"), permanent = epsilon, epsilon = 1, protocol = "grr-grr")
  both <- rr_product(x = permanent(2), y = permanent(1.5))
  mixed <- rr_product(x = permanent(2), y = rr_warner(0.8))
  expect_equal(lasting_epsilon(list(permanent(2)), permanent(2)), 2)
  expect_equal(lasting_epsilon(both$questions, both), 3.5)
  expect_equal(lasting_epsilon(mixed$questions, mixed), rr_epsilon(mixed)[["total"]])
  # 100 / (1 + e^-2) = 88.1 of 100 guesses.
  file <- withr::local_tempfile()
  rr_client(permanent(2), file, question = "Q?", key = "k")
  expect_match(file_text(file), "\"guess\": 89", fixed = TRUE)
})

test_that("what shows nothing or too much to list promises the worst", {
  expect_identical(report_evidence(rr_grr(1001, p = 0)), list(guess = 1, certain = 0))
  expect_equal(report_evidence(rr_grr(1000, p = 0)), list(guess = (1 + 1 / 999) / 2, certain = 0))
  # The worst question without a finite epsilon: 1 + 0.95 of the triangle over 2, and 1 + 1 / 2 of three categories over 2.
  triple <- list(rr_grr(3, p = 0), rr_triangular(0.05), rr_warner(0.999))
  expect_identical(client_promise(triple, Inf), list(caution = "little", guess = NULL, reveals = "sure"))
  expect_identical(client_promise(triple[-2], Inf), list(caution = NULL, guess = NULL, reveals = "some"))
})

test_that("hashes of a page are SHA-256 in base64, and words of a coin its probability in 64 bits", {
  # FIPS 180: the hash of "abc".
  expect_identical(element_hash("<p><script>abc</script>", "script"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
  # 1/2 and 3/4 of 2^64; what is certain has a word of its own.
  expect_identical(c(coin_words(0.5, 0.5), coin_words(0.25, 0.75), coin_words(0, 1)), c("8000000000000000", "c000000000000000", "1"))
})

test_that("what a report of bits or of a category gives away is that of all reports, by enumeration", {
  shown <- function(chance) {
    alone <- apply(chance, 1, function(p) sum(p[colSums(chance > 0) == 1 & p > 0]))
    list(guess = (1 + max(stats::dist(chance, "manhattan")) / 2) / 2, certain = max(alone))
  }
  for (numbers in list(c(0.7, 0, 3), c(1, 0.25, 3), c(1, 0.25, 2), c(1, 0, 3), c(0, 0.5, 3), c(0.4, 1, 3), c(0, 0.5, 2))) {
    k <- numbers[3]
    reports <- as.matrix(expand.grid(rep(list(0:1), k)))
    chance <- t(vapply(seq_len(k), function(x) {
      one <- ifelse(seq_len(k) == x, numbers[1], numbers[2])
      apply(reports, 1, function(bits) prod(ifelse(bits == 1, one, 1 - one)))
    }, numeric(nrow(reports))))
    expect_equal(report_evidence.default(suppressMessages(rr_unary(k, p = numbers[1], q = numbers[2]))), shown(chance))
  }
  for (C in list(rbind(c(0.5, 0.5, 0), c(0, 0.6, 0.4), c(0, 0.1, 0.9)), rbind(c(0.5, 0.25, 0.25), c(0, 0.6, 0.4), c(0, 0.1, 0.9)),
    rbind(c(0.7, 0.3), c(0.2, 0.8)))) {
    expect_equal(report_evidence.default(rr_channel(C)), shown(C))
  }
  # Each report to an answer reveals it: words of certain bits, a coin of one side, or reports of their own.
  none <- strrep("0", 16)
  plans <- list(list(own = "1", other = none), list(own = "1", other = "1"), list(own = none, other = none), list(own = "1", other = "8000000000000000"),
    list(own = "c000000000000000", other = none), list(chance = "1"))
  expect_identical(vapply(plans, has_revealed_answer, NA, rr_warner(0.8)), c(TRUE, TRUE, TRUE, FALSE, FALSE, TRUE))
  certain <- list(rr_warner(1), rr_triangular(0.3), rr_warner(0.8), rr_channel(rbind(c(0.5, 0.5, 0), c(0, 0, 1))))
  expect_identical(vapply(certain, function(mechanism) has_revealed_answer(list(), mechanism), NA), c(TRUE, FALSE, FALSE, TRUE))
})

test_that("the pieces of a client's file: its plan, its settings, its lines, its name", {
  warner <- rr_warner(0.8)
  expect_identical(written_client("plan", warner, "{}", list()), "{}")
  for (as in c("javascript", "module")) {
    text <- written_client(as, warner, "{\"a\": \"\\\\1\"}", list())
    expect_match(text, "plan: {\"a\": \"\\\\1\"}", fixed = TRUE)
    expect_no_match(text, "plan: null|[{][{]client[}][}]")
  }
  expect_match(written_client("python", warner, "{\"a\": \"\\\\\"}", list()), "json.loads(\"{\\\"a\\\": \\\"\\\\\\\\\\\"}\")", fixed = TRUE)
  settings <- list(question = NULL, key = NULL, send = NULL, words = NULL, language = "en", decline = FALSE, practice = FALSE, interviewer = FALSE)
  others <- list(question = "q", key = "k", send = "https://a.b", words = list(title = "t"), language = "de", decline = TRUE,
    practice = TRUE, interviewer = TRUE)
  used <- function(as, name) tryCatch(is.null(check_settings(as, replace(settings, name, others[name]))), candor_error_argument = function(e) FALSE)
  plugin <- names(settings) %in% c("key", "words", "language")
  for (as in c("page", "javascript", "module", "jspsych", "surveyjs", "python", "plan")) {
    expect_null(check_settings(as, settings))
    allowed <- if (as == "page") rep(TRUE, 8) else if (as %in% c("jspsych", "surveyjs")) plugin else rep(FALSE, 8)
    expect_identical(vapply(names(settings), used, NA, as = as, USE.NAMES = FALSE), allowed)
  }
  file <- withr::local_tempfile(lines = c("a", "b"))
  expect_identical(file_text(file), "a\nb\n")
  expect_error(check_new_file(file, FALSE), class = "candor_error_file")
  expect_identical(check_new_file(file, TRUE), file)
  expect_identical(check_new_file(paste0(file, "-new"), FALSE), paste0(file, "-new"))
  expect_refused(check_new_file(file, "yes"))
  lines <- function(text, n = 1) check_lines(list(key = text), n)
  expect_null(lines("a b"))
  expect_null(check_lines(list(key = c("a", "b"), levels = "c"), c(2, 1)))
  expect_refused(lines(" "), lines(""), lines("a\nb"), lines(c("a", "b")), lines(1), lines(NULL), lines(c("a", ""), 2),
    check_lines(list(key = "a", levels = "\t"), c(1, 1)))
  expect_identical(html_text("a < b & c > <d>&"), "a &lt; b &amp; c > &lt;d>&amp;")
  expect_identical(put_texts("{{a}} {{b}} {{a}}", list(a = "\\1 {{b}}", b = "x")), "\\1 x {{b}} {{a}}")
  shares <- function(mechanism) pictured_shares(mechanism)
  expect_identical(shares(rr_channel(rbind(c(0.7, 0.3), c(0, 1)))), list(list(70, 30), list(NULL, 100)), ignore_attr = TRUE)
  expect_length(shares(rr_grr(4, 1)), 4)
  expect_null(shares(rr_grr(5, 1)))
  expect_null(shares(rr_unary(3, 1)))
})

test_that("a page sends to addresses that browsers do not rewrite", {
  accepts <- function(send) tryCatch(is.null(check_address(send)) || TRUE, candor_error_argument = function(e) FALSE)
  good <- c("https://a.b", "https://a.b/c?d=e", "https://a.b:65535/", "https://a.b:80", "https://255.249.1.10/x", "https://a-b.c/%2F", "https://a.b/x?../y")
  bad <- c("http://a.b", "https://a.b:65536", "https://256.1.1.1", "https://u:p@a.b/", "https://a.b/../c", "https://a.b/%2e/", "https://a.1", "https://-a.b",
    "https://a.b/\u00fc", "https://a.b#c", "https://a.b/%2", "https://")
  expect_identical(vapply(good, accepts, NA, USE.NAMES = FALSE), rep(TRUE, length(good)))
  expect_identical(vapply(bad, accepts, NA, USE.NAMES = FALSE), rep(FALSE, length(bad)))
  expect_identical(check_address(good[2]), good[2])
  expect_null(check_address(NULL))
  expect_refused(check_address(good[1:2]), check_address(1))
})

test_that("reports of one answer alone are added up for their answer, and steps upwards matter in the path of an address alone", {
  # 0.3 and 0.4 of the first answer are its own.
  expect_equal(report_evidence.default(rr_channel(rbind(c(0.3, 0.4, 0.3), c(0, 0, 1)))), list(guess = 0.85, certain = 0.7))
  expect_equal(report_evidence.default(rr_channel(rbind(c(0.4, 0.6, 0), c(0.2, 0.8, 0), c(0, 0.5, 0.5))))$certain, 0.5)
  expect_identical(check_address("https://a.b/x?/../y"), "https://a.b/x?/../y")
  expect_refused(check_address("https://a.b/%2E/x"), check_address("https://a.b/x/%2E%2e"), check_address("https://a.b/./x?y"))
  expect_refused(check_lines(list(key = c("a", "")), 2), check_lines(list(key = c("a\n", "b")), 2))
})
