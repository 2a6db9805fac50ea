# The clients where they run: node and headless Chromium. Called by tools/test-client.

folder <- tempfile("client-")
dir.create(folder)
mechanisms <- clients()
# So many draws of one mechanism of each kind of plan, a twentieth of the others.
n <- as.integer(Sys.getenv("CANDOR_CLIENT_DRAWS", "1000000"))
each <- c("grr", "avoided", "forced", "unary", "subset", "hash", "hadamard", "sign", "bloom", "flipped", "kept grr", "kept bits", "kept bloom")
tasks <- mapply(draw_task, mechanisms, ifelse(names(mechanisms) %in% each, n, n / 20))
writeLines(paste0("[", paste(tasks, collapse = ",\n"), "]"), file.path(folder, "tasks.json"))
file.copy(file.path("..", "testthat", "golden", "client_reports.json"), file.path(folder, "vectors-golden.json"))
file.copy(client_file("vectors.json"), file.path(folder, "vectors-shipped.json"))
answers <- rep(0:1, c(70, 30))
writeLines(jsonlite::toJSON(answers), file.path(folder, "answers.json"))
theft <- rr_warner(0.9)
rr_client(theft, file.path(folder, "page.html"), question = "Did you ever steal?", key = "theft")
rr_client(rr_longitudinal(c("a", "b", "c"), 3, 2, "grr-grr"), file.path(folder, "permanent.html"), question = "Which?", key = "which")
labels <- c("never", "</script><b>once", "\u202eoften \U1F600")
several <- rr_product(drugs = rr_warner(0.8), often = rr_grr(labels, 1))
rr_client(several, file.path(folder, "send.html"), question = c(often = "How often?", drugs = "Ever?"), key = "health",
          send = "https://collector.example/reports")

run <- function(script, ...) system2("node", c(script, ...))
# Side by side: each takes a core.
node <- function() run("in-node.js", client_file("candor.js"), file.path(folder, "tasks.json"), file.path(folder, "node.json"))
chromium <- function() run("in-browser.js", folder, client_file("candor.js"))
invisible(parallel::mclapply(list(node, chromium), function(f) f(), mc.cores = 2))
browser <- jsonlite::parse_json(readLines(file.path(folder, "browser.json"), warn = FALSE))

cat("Seconds of Chromium after the draws, after the respondents, at the end:", unlist(browser$seconds), "\n")

test_that("draws in node and in Chromium have the mechanism's distribution", {
  drawn <- list(node = jsonlite::parse_json(readLines(file.path(folder, "node.json"), warn = FALSE)), chromium = browser$counts)
  for (place in names(drawn)) {
    for (i in seq_along(mechanisms)) {
      for (x in seq_along(drawn[[place]][[i]])) {
        # Draws have no seed: the bound fails once in 1e6 tests.
        expect_gt(draws_p_value(drawn[[place]][[i]][[x]], mechanisms[[i]], x), 1e-6, label = paste(place, names(mechanisms)[i], x))
      }
    }
  }
})

test_that("Chromium makes the reports of the vectors", {
  expect_identical(browser$vectors, lapply(c("golden", "shipped"), function(name) {
    length(jsonlite::read_json(file.path(folder, paste0("vectors-", name, ".json")))$cases)
  }))
})

test_that("a page made by one line of R is answered, and its reports are tallied and estimated", {
  fit <- rr_estimate(rr_tally(unlist(browser$page), theft), method = "inv")
  estimate <- tidy(fit)
  expect_lte(max(abs(estimate$estimate - c(0.7, 0.3)) / estimate$std.error), 4)
  # The page asks for nothing but itself, keeps the report and draws no second one.
  expect_identical(setdiff(unlist(browser$requests), c("page.html", "about:blank")), character())
  expect_identical(unique(unlist(browser$again)), browser$again[[1]])
  expect_match(browser$note, "You have answered")
  expect_identical(browser$left, 0L)
  expect_identical(jsonlite::fromJSON(browser$stored), list(theft = jsonlite::toJSON(browser$again[[1]], auto_unbox = TRUE)), ignore_attr = TRUE)
})

test_that("a page of a permanent answer keeps it, and draws each report from it", {
  kept <- jsonlite::fromJSON(browser$memory)
  expect_identical(names(kept), "which permanent 0")
  # At this level of the second stage 40 reports are not all alike, but for one time in 1e4.
  reports <- table(unlist(browser$permanent))
  expect_gt(length(reports), 1)
})

test_that("a page sends the report and nothing else, once, and again where it failed", {
  expect_identical(unique(vapply(browser$sent, `[[`, "", "url")), "https://collector.example/reports")
  expect_identical(length(browser$sent), 2L)
  expect_identical(browser$sent[[1]]$body, browser$sent[[2]]$body)
  expect_identical(browser$sent[[1]]$body, browser$shown)
  report <- jsonlite::fromJSON(browser$shown)
  expect_identical(names(report), c("drugs", "often"))
  expect_true(report$often %in% labels)
  expect_null(browser$sent[[1]]$cookie)
  expect_match(browser$failed, "not known whether")
  expect_identical(browser$offered, browser$failed)
  expect_match(browser$done, "was sent")
  # Labels are text, whatever is in them.
  expect_match(browser$html, "&lt;/script&gt;&lt;b&gt;once", fixed = TRUE)
})

test_that("without storage the page says so, and without secure random numbers it draws nothing", {
  expect_match(browser$refused, "answer only once")
  expect_true(browser$unstored %in% c("no", "yes"))
  expect_match(browser$insecure[[1]], "no secure random numbers")
  expect_identical(browser$insecure[-1], list("", 0L))
})

test_that("reports go from the client through CSV and a database to estimates", {
  skip_if_not_installed("RSQLite")
  levels <- c("a", "b", "c", "d")
  times <- c(50000, 30000, 15000, 5000)
  kinds <- list(grr = rr_grr(levels, 1),
                warner = rr_forced(c(a = 0.1, b = 0.1, c = 0.2, d = 0.1)), wave = rr_square_wave(levels, 1), unary = rr_unary(levels, 1),
                subset = rr_subset(levels, 1), hash = rr_local_hash(levels, 1), cohorts = rr_local_hash(levels, 1, cohorts = 20),
                hadamard = rr_hadamard(levels, 1), sign = rr_hadamard(levels, 1, one_bit = TRUE), bloom = rr_bloom(levels, 2, bits = 16, cohorts = 4),
                flipped = rr_bitflip(levels, 2, d = 2), kept = rr_longitudinal(levels, 2, 1), `kept hash` = rr_longitudinal(levels, 2, 1, "local-hash"),
                `kept bloom` = rr_bloom(levels, 2, bits = 16, cohorts = 4, permanent = 4))
  files <- file.path(folder, paste0(names(kinds), ".csv"))
  tasks <- Map(function(mechanism, file) {
    sprintf("{\"client\": %s, \"answers\": %s, \"times\": %s, \"file\": %s}", plan_text(mechanism), jsonlite::toJSON(levels),
            jsonlite::toJSON(times), jsonlite::toJSON(file, auto_unbox = TRUE))
  }, kinds, files)
  writeLines(paste0("[", paste(tasks, collapse = ","), "]"), file.path(folder, "trips.json"))
  run("in-node.js", client_file("candor.js"), shQuote(file.path(folder, "trips.json")), file.path(folder, "trips-done.json"))
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(con))
  for (i in seq_along(kinds)) {
    data <- utils::read.csv(files[i], colClasses = "character")
    # Numbers between spaces are not taken apart by a database.
    tally <- if (names(kinds)[i] %in% c("subset", "flipped")) {
      rr_tally(data$report, kinds[[i]])
    } else {
      whole <- setdiff(names(data), c("report", "bits"))
      data[whole] <- lapply(data[whole], as.integer)
      DBI::dbWriteTable(con, names(kinds)[i], data)
      rr_tally(dplyr::tbl(con, names(kinds)[i]), kinds[[i]], column = if ("report" %in% names(data)) "report")
    }
    estimate <- tidy(rr_estimate(tally, method = "inv"))
    expect_lte(max(abs(estimate$estimate - times / sum(times)) / estimate$std.error), 4, label = names(kinds)[i])
  }
})
