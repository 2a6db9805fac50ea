# The clients where they run: node and headless Chromium. Called by tools/test-client.

folder <- tempfile("client-")
dir.create(folder)
source("pages.R", local = TRUE)
mechanisms <- clients()
# So many draws of each in node, where they have a seed, and a tenth of them in Chromium.
n <- as.integer(Sys.getenv("CANDOR_CLIENT_DRAWS", "100000"))
tasks <- vapply(mechanisms, draw_task, "", n)
# Numbers: their distributions are those of the tests of rr_client(), by hand.
cards <- rr_scramble(c(0, 60), multiply = c(0.5, 1), add = list(value = c(0, 7), prob = c(0.3, 0.7)), truth = 0.2)
duchi <- rr_mean(c(-5, 15), 1.2, protocol = "duchi")
one <- rr_product(a = rr_warner(0.9), b = rr_grr(c("x", "y", "z"), 1), asked = 1)
numbers <- sprintf("{\"client\": %s, \"answers\": [%s], \"n\": %d}", c(plan_text(cards), plan_text(duchi), plan_text(one)),
                   c("8", "8", "{\"a\": \"yes\", \"b\": \"x\"}"), n)
writeLines(paste0("[", paste(c(tasks, numbers), collapse = ",\n"), "]"), file.path(folder, "tasks-node.json"))
writeLines(paste0("[", paste(vapply(mechanisms, draw_task, "", n / 10), collapse = ",\n"), "]"), file.path(folder, "tasks.json"))
file.copy(file.path("..", "testthat", "golden", "client_reports.json"), file.path(folder, "vectors-golden.json"))
file.copy(client_file("vectors.json"), file.path(folder, "vectors-shipped.json"))
answers <- rep(0:1, c(42, 18))
writeLines(jsonlite::toJSON(answers), file.path(folder, "answers.json"))
theft <- rr_warner(0.9)
rr_client(theft, file.path(folder, "page.html"), question = "Did you ever steal?", key = "theft")
labels <- c("never", "</script><b>once", "\u202eoften \U1F600")
several <- rr_product(drugs = rr_warner(0.8), often = rr_grr(labels, 1))
rr_client(several, file.path(folder, "send.html"), question = c(often = "How often?", drugs = "Ever?"), key = "health",
          send = "https://collector.example/ok")

run <- function(script, ...) system2("node", c(script, ...))
# Side by side: each takes a core.
node <- function() run("in-node.js", client_file("candor.js"), file.path(folder, "tasks-node.json"), file.path(folder, "node.json"))
chromium <- function() run("in-browser.js", folder, client_file("candor.js"))
states <- function() {
  second <- file.path(folder, "states")
  dir.create(second)
  file.copy(list.files(folder, "[.](html|js|mjs)$", full.names = TRUE), second)
  run("states.js", second, Sys.getenv("CANDOR_NPM", file.path(folder, "none")))
}
invisible(parallel::mclapply(list(function() c(node(), chromium()), states), function(f) f(), mc.cores = 2))
result_of <- function(...) jsonlite::parse_json(readLines(file.path(folder, ...), warn = FALSE))
browser <- result_of("browser.json")
drawn <- result_of("node.json")
seen <- result_of("states", "states.json")

# tools/test-client prints it.
tell <- function(...) cat(..., file = Sys.getenv("CANDOR_CLIENT_TABLE", file.path(folder, "table.txt")), append = TRUE)
tell("Seconds of Chromium after the draws, after the respondents, at the end:", unlist(browser$seconds), "\n")
tell("Seconds of the states:", paste(names(seen$times), unlist(seen$times)), "\n\n")
for (row in seen$rows) {
  tell(sprintf("%-9s %-88s %s%s\n", row$part, row$what, row$found, if (row$found == row$wanted) "" else paste("  WANTED:", row$wanted)))
}

test_that("devices, servers, visits, plugins and axe-core find nothing amiss", {
  for (row in seen$rows) expect_identical(row$found, row$wanted, label = paste(row$part, row$what))
})
for (row in Filter(function(row) row$found == "not installed", seen$rows)) {
  test_that(paste("in Chromium:", row$part, row$what), skip("its package of npm is not installed"))
}

test_that("draws in node and in Chromium have the mechanism's distribution", {
  p <- list(node = NULL, chromium = NULL)
  places <- list(node = drawn[seq_along(mechanisms)], chromium = browser$counts)
  for (place in names(places)) {
    p[[place]] <- unlist(lapply(seq_along(mechanisms), function(i) {
      vapply(seq_along(places[[place]][[i]]), function(x) draws_p_value(places[[place]][[i]][[x]], mechanisms[[i]], x), 0)
    }))
  }
  # Draws in node have a seed. In Chromium they have none: the bound fails once in 1e6 tests.
  expect_gt(min(p$node), 1e-4)
  expect_gt(min(p$chromium), 1e-6)
  tell("\nSmallest p-value of", length(p$node), "truths in node and in Chromium:", format(c(min(p$node), min(p$chromium)), digits = 2), "\n")
})

test_that("numbers and one question of several are drawn in node as by hand", {
  counts <- lapply(drawn[length(mechanisms) + 1:3], function(task) unlist(task[[1]]))
  chance <- function(counts, p) {
    expect_setequal(names(counts), names(p))
    stats::chisq.test(counts[names(p)], p = p)$p.value
  }
  expect_gt(chance(counts[[1]], c(`4` = 0.12, `8` = 0.32, `11` = 0.28, `15` = 0.28)), 1e-4)
  # Duchi et al. (2018): the upper report has the chance 1/2 + t / (2 edge).
  upper <- counts[[2]][which.max(as.numeric(names(counts[[2]])))]
  expect_gt(stats::binom.test(upper, sum(counts[[2]]), 0.5 + 0.3 * (exp(1.2) - 1) / (exp(1.2) + 1) / 2)$p.value, 1e-4)
  p <- c(0.05, 0.45, c(exp(1), 1, 1) / (exp(1) + 2) / 2)
  names(p) <- sprintf("{\"question\":\"%s\",\"report\":\"%s\"}", c("a", "a", "b", "b", "b"), c("no", "yes", "x", "y", "z"))
  expect_gt(chance(counts[[3]], p), 1e-4)
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
  # The page asks for nothing but itself, keeps the report in one place and draws no second one.
  expect_identical(setdiff(unlist(browser$requests), c("page.html", "about:blank")), character())
  expect_identical(unique(unlist(browser$again)), browser$page[[1]])
  expect_match(browser$note, "You have answered")
  expect_identical(browser$left, 0L)
  expect_identical(browser$kept, "0,,")
})

test_that("a page of a permanent answer draws each report from it", {
  # At this level of the second stage 40 reports are not all alike, but for one time in 1e4.
  expect_gt(length(unique(unlist(browser$permanent))), 1)
})

test_that("a page sends the report, its identifier and nothing else", {
  expect_identical(length(browser$sent), 1L)
  body <- jsonlite::fromJSON(browser$sent[[1]]$body)
  expect_identical(body[-1], jsonlite::fromJSON(browser$shown))
  expect_match(body$id, "^[0-9a-f]{32}$")
  expect_identical(names(body), c("id", "drugs", "often"))
  expect_true(body$often %in% labels)
  expect_null(browser$sent[[1]]$cookie)
  # Labels are text, whatever is in them.
  expect_match(browser$html, "&lt;/script&gt;&lt;b&gt;once", fixed = TRUE)
})

test_that("without storage the page says so", {
  expect_match(browser$refused, "answer only once")
  expect_true(browser$unstored %in% c("no", "yes"))
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
