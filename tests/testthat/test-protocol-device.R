test_that("devices are those of the vectors: nearest to the wanted epsilon, never above it", {
  for (case in golden("devices")) {
    input <- case$input
    devices <- rr_device(input$design, input$epsilon)
    row <- devices[devices$device == input$device, ]
    if (is.null(case$expected)) {
      expect_identical(nrow(row), 0L)
      next
    }
    expect_identical(row$fraction, paste0(case$expected$numerator, "/", case$expected$denominator))
    expect_equal(row$probability, case$expected$probability, tolerance = 1e-15)
    expect_equal(row$epsilon, case$expected$epsilon, tolerance = 1e-12)
    expect_lte(row$epsilon, input$epsilon)
    expect_equal(rr_epsilon(row$mechanism[[1]]), row$epsilon, tolerance = 1e-12)
  }
})

test_that("no event of a device lies between its own and the wanted epsilon", {
  # Every event of two dice, counted.
  sums <- outer(1:6, 1:6, `+`)
  shares <- vapply(2:12, function(s) mean(sums <= s), 0)
  for (epsilon in c(0.4, 0.9, 1.7, 3.4)) {
    levels <- abs(log(shares / (1 - shares)))
    row <- rr_device("warner", epsilon)
    expect_equal(row$epsilon[row$device == "two dice, sum at most"], max(levels[levels <= epsilon]), tolerance = 1e-12)
  }
  expect_identical(order(rr_device("crosswise", 1.5)$epsilon, decreasing = TRUE), seq_len(nrow(rr_device("crosswise", 1.5))))
})

test_that("the standard error is that of a simulation, and is largest where the truth is not given", {
  row <- rr_device("forced", 1.7, n = 2000, truth = 0.2)[1, ]
  set.seed(3)
  truth <- rep(c("no", "yes"), c(1600, 400))
  reports <- rr_perturb(sample(c("no", "yes"), 400 * 2000, TRUE, c(0.8, 0.2)), row$mechanism[[1]], rng = "R")
  estimates <- coef(rr_estimate(rr_tally(reports, row$mechanism[[1]], by = rep(1:400, each = 2000)), method = "inv"))[2 * 1:400]
  # A standard deviation of 400 has a relative standard error of 1 / sqrt(800).
  expect_lte(abs(sd(estimates) / row$std.error - 1), 4 / sqrt(800))
  expect_true(all(rr_device("warner", 2, n = 100)$std.error >= rr_device("warner", 2, n = 100, truth = 0.1)$std.error))
})

test_that("shares of births replace the days of the year", {
  births <- c(8, 7.5, 8.3, 8, 8.5, 8.4, 8.9, 8.9, 8.7, 8.5, 8.1, 8.2)
  row <- rr_device("crosswise", 1.2, births = births)
  expect_equal(row$probability[row$device == "birthday, first months"], sum(births[1:3]) / sum(births))
  for (births in list(1:11, rep(-1, 12), rep("a", 12))) expect_error(rr_device("warner", 1, births = births), class = "candor_error_argument")
  for (epsilon in list(0, -1, NA, "1", c(1, 2))) expect_error(rr_device("warner", epsilon), class = "candor_error_argument")
  expect_error(rr_device("mangat", 1), class = "candor_error_argument")
})

test_that("the sheet says what to draw, what to answer, why, and an example for each answer", {
  for (row in lapply(c("warner", "crosswise", "forced"), function(design) rr_device(design, 1.7)[1, ])) {
    sheet <- rr_instructions(row, "Did you ever steal?", "Is your birthday in March?")
    expect_match(sheet, "Did you ever steal?", fixed = TRUE)
    for (event in strsplit(row$event, "; ")[[1]]) expect_match(sheet, event, fixed = TRUE)
    expect_match(sheet, row$fraction, fixed = TRUE)
  }
  mechanisms <- list(rr_warner(0.7), rr_crosswise(0.25), rr_triangular(0.25), rr_forced(1 / 6), rr_unrelated(0.7, 0.25), rr_kuk(0.8, 0.2),
                     rr_grr(c("never", "once", "often"), 1))
  sheets <- vapply(mechanisms, rr_instructions, "", "Did you ever steal?", "Is your birthday in March?")
  expect_identical(anyDuplicated(sheets), 0L)
  expect_false(any(grepl("[{}]|NA|NULL", sheets)))
  file <- withr::local_tempfile(fileext = ".md")
  expect_identical(rr_instructions(mechanisms[[1]], "Q?", file = file), file)
  expect_identical(paste(readLines(file), collapse = "\n"), sub("\n$", "", rr_instructions(mechanisms[[1]], "Q?")))
  expect_match(rr_instructions(mechanisms[[1]], "Q?", words = list(why = "Warum: {epsilon}")), "Warum: 0.847", fixed = TRUE)
  expect_refused(rr_instructions(rr_unary(3, 1), "Q?"), rr_instructions(rr_crosswise(0.2), "Q?"), rr_instructions(mechanisms[[1]], c("a", "b")))
})

test_that("a sheet gives the device's act first, its outcomes as a list, and boxes, in each language", {
  die <- function(design) {
    rows <- rr_device(design, 1.7)
    rows[rows$device == "die", ]
  }
  forced <- strsplit(rr_instructions(die("forced"), "Q?"), "\n+")[[1]]
  expect_identical(forced[3], "1. Throw the die. Do not show it to anybody.")
  # Epsilon 1.7 allows one face in six for each answer: the first and the last.
  expect_identical(grep("^[*] [0-9]", forced, value = TRUE), c("* 1", "* 6"))
  expect_identical(grep("\u2610", forced, value = TRUE), c("\u2610 yes", "\u2610 no"))
  crosswise <- rr_instructions(rr_device("crosswise", 1.7)[1, ], "Q?")
  expect_match(crosswise, "\u2610 The same (both \"yes\", or both \"no\")\n\n\u2610 Different", fixed = TRUE)
  expect_match(crosswise, "Enter \"the same\" as \"yes\"", fixed = TRUE)
  # The question of one's own replaces the device's.
  expect_match(rr_instructions(die("crosswise"), "Q?", "Is it raining?"), "Question B: Is it raining?\n\n3.", fixed = TRUE)
  acts <- c(en = "Throw the die", de = "Werfen Sie den W\u00fcrfel", fr = "Lancez le d\u00e9", es = "Lance el dado", ar = "\u0627\u0644\u0646\u0631\u062f")
  said <- c(en = "yes", de = "ja", fr = "oui", es = "s\u00ed", ar = "\u0646\u0639\u0645")
  for (language in names(acts)) {
    sheet <- rr_instructions(die("forced"), "Q & <A>?", language = language, as = "html")
    expect_match(sheet, acts[[language]], fixed = TRUE)
    expect_match(sheet, paste0("<p class=\"box\">", said[[language]], "</p>"), fixed = TRUE)
    expect_match(sheet, sprintf("<html lang=\"%s\" dir=\"%s\">", language, if (language == "ar") "rtl" else "ltr"), fixed = TRUE)
    expect_match(sheet, "Q &amp; &lt;A>?", fixed = TRUE)
    expect_false(grepl("[{][a-z]|NULL|>NA<", sub("<style>.*</style>", "", sheet)))
    for (tag in c("section", "fieldset", "ul", "p", "li")) {
      expect_identical(lengths(regmatches(sheet, gregexpr(paste0("<", tag, "[ >]"), sheet))),
                       lengths(regmatches(sheet, gregexpr(paste0("</", tag, ">"), sheet))))
    }
  }
})

test_that("every device has its words in every language, and every sheet every line", {
  devices <- sheet_table("devices.dcf")
  for (language in c("en", "de", "fr", "es", "ar")) {
    expect_false(anyNA(devices[, paste0(c("act-", "ask-"), language)]))
    own <- paste0("outcomes-", language)
    if (language == "en") next
    number <- function(column) lengths(strsplit(devices[, column], " "))
    there <- !is.na(devices[, own])
    expect_identical(number(own)[there], number("outcomes")[there])
    # Outcomes that are words are translated.
    expect_identical(there, grepl("[A-Za-z]", devices[, "outcomes"]))
    expect_identical(is.na(devices[, paste0("note-", language)]), devices[, "note"] == "")
  }
  sheets <- sheet_table("instructions.dcf")
  expect_false(anyNA(sheets))
  # The same words in braces, in each language.
  braces <- apply(sheets, c(1, 2), function(text) paste(sort(unlist(regmatches(text, gregexpr("[{][^}]*[}]|%[.0-9a-z]+", text)))), collapse = " "))
  for (column in colnames(sheets)) expect_length(unique(braces[, column]), 1)
})

test_that("shares of 100 people add up to 100, files are kept, and bad input is refused", {
  set.seed(2)
  for (i in 1:50) {
    shares <- prop.table(rexp(sample(2:6, 1)))
    whole <- whole_shares(100, shares)
    expect_equal(sum(whole), 100)
    expect_lt(max(abs(whole - 100 * shares)), 1)
  }
  expect_identical(whole_shares(100, c(0.7, 0.15, 0.15)), c(70, 15, 15))
  file <- withr::local_tempfile(lines = "mine")
  expect_error(rr_instructions(rr_warner(0.7), "Q?", file = file), class = "candor_error_file")
  expect_identical(readLines(file), "mine")
  rr_instructions(rr_warner(0.7), "Q?", file = file, overwrite = TRUE)
  expect_match(readLines(file)[1], "Instructions")
  expect_refused(rr_instructions(rr_device("warner", 2), "Q?"), rr_instructions(rr_device("warner", 2)[0, ], "Q?"),
                 rr_instructions(rr_warner(0.7), "Q?", language = "xx"),
                 rr_instructions(rr_warner(0.7), "Q?", words = list(titel = "A")))
})

test_that("sheets have no English inside other languages, the language's decimal mark, and one word for report", {
  mechanisms <- list(rr_warner(0.7), rr_crosswise(0.25), rr_triangular(0.25), rr_forced(1 / 6), rr_unrelated(0.7, 0.25), rr_kuk(0.8, 0.2),
                     rr_grr(c("A", "B", "C"), 1), rr_dealt(c(1, 1), 6))
  # The page's word for a report, and words that other sheets had.
  words <- list(de = c("Meldung", "Bericht"), fr = c("r\u00e9sultat", "un rapport"), es = c("resultado", "informe"),
                ar = c("\u0644\u0644\u062a\u0642\u0631\u064a\u0631", "\u0625\u062c\u0627\u0628\u062a\u0643"))
  for (language in names(words)) {
    sheets <- vapply(mechanisms, rr_instructions, "", "Q?", "I?", language = language)
    expect_false(any(grepl("design|probability|response|truth|answers", sheets)), label = language)
    expect_true(all(grepl(words[[language]][1], sheets, fixed = TRUE)))
    expect_false(any(grepl(words[[language]][2], sheets, fixed = TRUE)))
    # Warner's p in the sentence for the methods section, and a long fraction of days.
    mark <- if (language == "ar") "." else ","
    expect_match(sheets[1], paste0("p = 0", mark, "7"), fixed = TRUE)
    devices <- rr_device("crosswise", 3)
    row <- devices[which.max(nchar(devices$fraction)), ]
    share <- format(row$probability, digits = 4, decimal.mark = mark)
    expect_match(rr_instructions(row, "Q?", language = language), paste0("; ", share), fixed = TRUE)
  }
  # In English the design is that of print().
  for (mechanism in mechanisms) expect_match(rr_instructions(mechanism, "Q?", "I?"), mechanism$design, fixed = TRUE)
  expect_match(rr_instructions(rr_dealt(c(1, 1), 6), "Q?", language = "de"), "1 \u201eja\u201c", fixed = TRUE)
})

test_that("the sheet of forced response dictates the faces of the articles, and devices are no designs", {
  row <- rr_device("forced", 1.7)
  row <- row[row$device == "die", ]
  expect_identical(row$event, "the die shows 1; the die shows 6")
  lines <- strsplit(rr_instructions(row, "Q?"), "\n+")[[1]]
  says <- function(face) grep("answer \"", lines[-seq_len(match(face, lines))], value = TRUE)[1]
  expect_match(says("* 1"), "\"no\"", fixed = TRUE)
  expect_match(says("* 6"), "\"yes\"", fixed = TRUE)
  expect_error(rr_device("coin"), "one coin", ignore.case = TRUE, class = "candor_error_argument")
  expect_message(rr_instructions(rr_forced(1 / 6), "Q?"), class = "candor_message_device")
  expect_message(rr_instructions(rr_forced(c(no = 0, yes = 1 / 2)), "Q?"), class = "candor_message_device")
  expect_no_message(rr_instructions(row, "Q?"))
})

test_that("print() shows the whole event and its fraction", {
  devices <- rr_device("forced", 1.7, n = 28)
  printed <- capture.output(print(devices))
  text <- paste(trimws(printed), collapse = " ")
  for (i in seq_len(nrow(devices))) {
    expect_match(text, devices$event[i], fixed = TRUE)
    expect_match(text, paste0(devices$device[i], ": ", devices$fraction[i]), fixed = TRUE)
  }
  expect_no_match(paste(capture.output(print(rr_device("warner", 1))), collapse = ""), "standard error")
  expect_output(print(devices["device"]), "tibble")
})

test_that("outcomes have the probability of the row, and no other event of the device comes nearer, for every device by hand", {
  days <- c(31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
  number <- c(coins2 = 4, coins3 = 8, die = 6, suit = 4, rank = 13, slips10 = 10, slips20 = 20, digit = 10)
  shares <- lapply(number, function(n) rep(1 / n, n))
  shares[["two dice, sum at most"]] <- c(1:6, 5:1) / 36
  shares[["birthday, first months"]] <- days / 365.2425
  shares[["birthday, day of the month at most"]] <- rep(12 / 365.2425, 28)
  for (design in c("warner", "crosswise", "forced")) for (epsilon in c(0.3, 1.7)) {
    table <- rr_device(design, epsilon, n = 50, truth = 0.3)
    for (device in names(shares)) {
      p <- cumsum(shares[[device]])
      levels <- if (design == "warner") log(p / (1 - p)) else log((1 - p) / p)
      levels <- levels[is.finite(levels) & levels > 1e-9 & levels <= epsilon]
      # Months are not halved, and two events of one size are at most half of the outcomes each.
      if (design == "forced") levels <- if (device != "birthday, first months") log(1 / p - 1)[2 * seq_along(p) <= length(p)]
      levels <- levels[levels > 1e-9 & levels <= epsilon]
      row <- table[table$device == device, ]
      expect_identical(nrow(row), as.integer(length(levels) > 0))
      if (!nrow(row)) next
      expect_equal(row$epsilon, max(levels), label = paste(design, epsilon, device))
      events <- row$outcomes[[1]]
      for (event in events) expect_equal(sum(shares[[device]][event]), row$probability)
      expect_identical(length(events), if (design == "forced") 2L else 1L)
      expect_false(anyDuplicated(unlist(events)) > 0)
      # P(yes) of 0.3 with the truth yes.
      yes <- switch(design, warner = c(1 - row$probability, row$probability), crosswise = c(row$probability, 1 - row$probability),
                    forced = c(row$probability, 1 - row$probability))
      mean <- sum(c(0.7, 0.3) * yes)
      expect_equal(row$std.error, sqrt(mean * (1 - mean) / 50) / abs(diff(yes)))
    }
  }
})

test_that("births of unequal months make days and fractions of their own, and events name their outcomes", {
  births <- c(8, 7.5, 8.3, 8, 8.5, 8.4, 8.9, 8.9, 8.7, 8.5, 8.1, 8.2)
  days <- c(31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
  rows <- rr_device("crosswise", 1.2, births = births)
  day <- rows[rows$device == "birthday, day of the month at most", ]
  expect_equal(day$probability, length(day$outcomes[[1]][[1]]) * sum(births / days) / sum(births))
  months <- rows[rows$device == "birthday, first months", ]
  expect_identical(months$fraction, format(months$probability, digits = 4))
  events <- function(design, epsilon) {
    table <- rr_device(design, epsilon)
    table$event[match(c("die", "coins3"), table$device)]
  }
  expect_identical(events("forced", 1.2)[1], "the die shows 1 or 2; the die shows 5 or 6")
  expect_match(events("warner", 1.2)[1], "1 to 4")
  expect_match(events("warner", 0.6)[2], "HHH, HHT, HTH, HTT or THH", fixed = TRUE)
})

test_that("the numbers of a sheet are those of its design, by hand", {
  before_methods <- function(sheet) sub("## F\u00fcr den Methodenteil.*", "", sheet)
  numbers <- function(mechanism) {
    sheet <- before_methods(suppressMessages(rr_instructions(mechanism, "Q?", "I?", language = "de")))
    paste(regmatches(sheet, gregexpr("[0-9]+(,[0-9]+)?", sheet))[[1]], collapse = " ")
  }
  # Steps 1 and 2, the device between them; 100 people of each answer; what the interviewer needs.
  expect_identical(numbers(rr_unrelated(0.7, 0.2)), "1 0,7 2 100 94 6 100 24 76")
  expect_identical(numbers(rr_kuk(0.8, 0.3)), "1 2 100 70 30 100 20 80 0,8 0,3")
  expect_identical(numbers(rr_dealt(c(1, 2), 9)), "1 9 1 2 2 100 78 22 100 11 89")
  expect_identical(numbers(rr_forced(c(no = 0.1, yes = 0.25))), "1 0,10 0,25 2 100 75 25 100 10 90")
  expect_identical(numbers(rr_crosswise(0.2)), "1 2 100 20 80 100 80 20")
  expect_identical(numbers(rr_triangular(0.3)), "1 2 100 70 30 100 0 100")
  # The truth is asked for with p - q, and else each answer is drawn alike.
  expect_identical(numbers(rr_grr(c("a", "b", "c"), p = 0.6)), "1 0,4 2 100 60 20 20 100 20 60 20 100 20 20 60")
  expect_match(rr_instructions(rr_dealt(c(1, 2), 9), "Q?", language = "de"), "9 Karten, 6 ", fixed = TRUE)
  # 0.7 / 0.2 = 3.5.
  expect_match(rr_instructions(rr_kuk(0.8, 0.3), "Q?", language = "de"), paste("epsilon =", format(log(3.5), digits = 4, decimal.mark = ",")), fixed = TRUE)
  # What is promised of the best guess, of certain reports and of decks.
  promised <- list(why = rr_warner(0.8), little = rr_warner(0.95), weak = rr_warner(0.995), sure = rr_triangular(0.3), sure = rr_forced(c(no = 0, yes = 0.2)),
                   group = rr_dealt(c(1, 2), 9))
  words <- sheet_words("en", NULL)
  for (i in seq_along(promised)) {
    sheet <- suppressMessages(rr_instructions(promised[[i]], "Q?", "I?"))
    reasons <- unlist(words[c("why", "little", "weak", "sure", "group")])
    expect_identical(names(reasons)[vapply(reasons, grepl, NA, sheet, fixed = TRUE)], names(promised)[i])
  }
})

test_that("shares of births are positive numbers, and a sheet is of one row", {
  for (births in list(rep(0, 12), replace(rep(1, 12), 3, NA), rep(1, 13), replace(rep(1, 12), 1, Inf))) expect_refused(rr_device("warner", 1, births = births))
  expect_refused(rr_device("warner", 1, n = 0), rr_device("warner", 1, truth = 1.1), rr_instructions(list(1), "Q?"))
  # Half of the answers are yes if nothing else is said: the most uncertain for a symmetric design.
  row <- rr_device("warner", 1, n = 25)[1, ]
  expect_equal(row$std.error, sqrt(1 / 4 / 25) / (2 * row$probability - 1))
  chance <- function(unit) rr_device("warner", 1, births = rep(unit, 12))$probability
  for (unit in c(1 / 12, 12)) expect_equal(chance(unit), chance(1))
  expect_identical(rr_device("warner", 1)$std.error[1], NA_real_)
})

test_that("the boxes of a sheet have no first", {
  sheet <- list(different = "d", same = "s", none = "0", some = "1")
  expect_identical(answer_boxes("crosswise", sheet), c("d", "s"))
  expect_identical(answer_boxes("triangular", sheet), c("0", "1"))
})

test_that("the lines of a sheet: fractions in lowest terms, ranges of outcomes, lists and boxes of a page", {
  expect_identical(c(fraction_text(3, 6), fraction_text(6, 4), fraction_text(5, 13), fraction_text(12, 12)), c("1/2", "3/2", "5/13", "1/1"))
  # Shares of births are no whole numbers.
  expect_identical(c(fraction_text(2.5, 10), fraction_text(1, 2.5), fraction_text(1.5, 4.5)), c("0.25", "0.4", "0.3333"))
  event <- function(device, index) event_words(list(device = device, outcomes = letters[1:6], event = "it is %s"), index)
  expect_identical(c(event("die", 1:3), event("die", 2:3), event("die", 4), event("digit", 3:6)), c("it is a to c", "it is b or c", "it is d", "it is c to f"))
  for (device in c("coins2", "coins3", "suit")) {
    expect_identical(c(event(device, 1:4), event(device, 5:6), event(device, 2)), c("it is a, b, c or d", "it is e or f", "it is b"))
  }
  lines <- c("# T", "a < b & c", "* x", "* y", "z", "* w", "## U", "\u2610 no", "* v")
  page <- c("<h1>T</h1>", "<p>a &lt; b &amp; c</p>", "<ul><li>x</li>", "<li>y</li></ul>", "<p>z</p>", "<ul><li>w</li></ul>", "<h2>U</h2>",
    "<p class=\"box\">no</p>", "<ul><li>v</li></ul>")
  expect_identical(html_lines(lines), page)
  expect_identical(html_lines(lines[3:5], "<ul class=\"faces\">"), c("<ul class=\"faces\"><li>x</li>", page[4:5]))
  expect_identical(html_lines("* only"), "<ul><li>only</li></ul>")
  values <- list(no = "a", yes = "b", other = c("two", "texts"), boxes = c("u", "v"))
  expect_identical(fill_sheet(c("first", "{boxes}", "is {no} or {yes}, {no}"), values), c("first", "\u2610 v", "\u2610 u", "is a or b, a"))
  expect_refused(fill_sheet("{other}", values))
  expect_identical(markdown_sheet(list(head = c("# T", "a"), steps = list(c("1. b", "* x", "* y"), "2. c"))), "# T\n\na\n\n1. b\n\n* x\n* y\n\n2. c\n")
  sheet <- list(no = "nein", yes = "ja")
  expect_identical(sheet_labels(rr_warner(0.8), sheet), c("nein", "ja"))
  expect_identical(sheet_labels(rr_grr(c("yes", "no"), 1), sheet), c("yes", "no"))
  expect_identical(answer_boxes("warner", sheet), "{boxes}")
})

test_that("devices have their outcomes, weights and totals, and births replace those of birthdays alone", {
  devices <- physical_devices(NULL)
  names(devices) <- vapply(devices, `[[`, "", "device")
  weights <- function(name) devices[[name]]$weights / devices[[name]]$total
  expect_equal(weights("die"), rep(1 / 6, 6))
  expect_equal(weights("two dice, sum at most"), c(1:6, 5:1) / 36)
  births <- c(8, 7.5, 8.3, 8, 8.5, 8.4, 8.9, 8.9, 8.7, 8.5, 8.1, 8.2)
  others <- physical_devices(births)
  names(others) <- names(devices)
  is_day <- startsWith(names(devices), "birthday")
  expect_identical(others[!is_day], devices[!is_day])
  expect_identical(vapply(devices, is_birthday, NA, USE.NAMES = FALSE), is_day)
  expect_identical(others[["birthday, first months"]][c("weights", "total")], list(weights = births, total = sum(births)))
  day <- others[["birthday, day of the month at most"]]
  expect_equal(day$weights, rep(sum(births / c(31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)), 28))
  expect_identical(day$total, sum(births))
})

test_that("a sheet does not replace a file unless it may, and promises by the worst of its design", {
  file <- withr::local_tempfile(lines = "kept")
  mechanism <- rr_crosswise(0.2)
  expect_error(rr_instructions(mechanism, "Q?", "I?", file = file), class = "candor_error_file")
  expect_identical(readLines(file), "kept")
  expect_identical(rr_instructions(mechanism, "Q?", "I?", file = file, overwrite = TRUE), file)
  sheet <- rr_instructions(mechanism, "Q?", "I?")
  expect_identical(file_text(file), sheet)
  expect_match(rr_instructions(mechanism, "Q?", "I?", as = "html"), "<!doctype html>|<html", ignore.case = TRUE)
  # A name that stands for no question of the design is not asked for.
  words <- sheet_words("en", list(title = "Ours"))
  expect_identical(words$title, "Ours")
  expect_identical(sheet_words("en", NULL)[names(words) != "title"], words[names(words) != "title"])
  expect_refused(sheet_words("en", list(tittle = "Ours")))
  reasons <- function(mechanism, design) {
    first <- sheet_reasons(mechanism, design, words)[1]
    kinds <- c("why", "little", "weak", "sure", "group")
    kinds[match(first, unlist(words[kinds]))]
  }
  promised <- c(reasons(rr_warner(0.8), "warner"), reasons(rr_warner(0.95), "warner"), reasons(rr_warner(0.995), "warner"),
    reasons(rr_triangular(0.3), "triangular"), reasons(rr_dealt(c(1, 2), 9), "dealt"))
  expect_identical(promised, c("why", "little", "weak", "sure", "group"))
  expect_length(sheet_reasons(rr_grr(3, 1), "grr", words), 4)
  values <- function(mechanism, design, language = "en") sheet_values(mechanism, design, words, NULL, "Q?", "I?", language)
  expect_identical(values(rr_warner(0.8), "warner")[c("p", "p1", "p2", "no", "yes", "device")],
    list(p = "0.8", p1 = "0.8", p2 = "0.2", no = words$no, yes = words$yes, device = ""))
  expect_identical(values(rr_grr(c("a", "b", "c"), p = 0.6), "grr", "de")[c("p", "p1", "p2", "answers", "boxes", "entry-no", "entry-yes")],
    list(p = "0,4", p1 = "0,6", p2 = "0,2", answers = "a, b, c", boxes = c("a", "b", "c"), `entry-no` = "a", `entry-yes` = "b"))
  expect_identical(values(rr_forced(c(no = 0.1, yes = 0.25)), "forced", "fr")$named, paste0(words$no, " 0,10; ", words$yes, " 0,25"))
  dealt <- values(rr_dealt(c(1, 2), 9), "dealt")
  expect_identical(as.double(unlist(dealt[c("cards", "truthful")])), c(9, 6))
})

test_that("a device's row gives a sheet its fraction, which is a decimal if it is long, its words and its notes", {
  words <- sheet_words("de", NULL)
  row <- rr_device("warner", 1)
  row <- row[row$device == "die", ]
  mechanism <- row$mechanism[[1]]
  given <- function(fraction, language, design = "warner") {
    row$fraction <- fraction
    sheet_values(mechanism, design, words, row, "Q?", NULL, language)
  }
  expect_identical(row$fraction, "2/3")
  expect_identical(given("10/365", "de")$device, "; 10/365")
  expect_identical(given("100/365", "de")$device, "; 0,6667")
  expect_identical(given("100/365", "ar")$device, "; 0.6667")
  expect_identical(given("100/365", "en")$device, sprintf("; %s, probability 100/365", row$event))
  expect_identical(given("2/3", "de")$event, words$chosen)
  expect_identical(given("2/3", "de", "forced")$event, words$named)
  device <- device_words(row, "en", NULL)
  expect_identical(device$events, list(paste("*", 1:4)))
  die <- sheet_device(row)
  expect_identical(device$act, die[["act-en"]])
  own <- device_words(row, "en", "Own?")
  expect_identical(own[c("ask", "events")], list(ask = "Own?", events = list(NULL)))
  steps <- function(row) sheet_sections(mechanism, "warner", words, row, NULL, "de")$steps
  expect_identical(steps(row)[[1]], paste("1.", die[["act-de"]]))
  expect_identical(steps(row)[[2]][-1], paste("*", 1:4))
  expect_length(steps(NULL), 2)
  # An innocuous question is for designs that have one.
  expect_identical(sheet_sections(mechanism, "warner", words, row, "Own?", "de")$steps, steps(row))
  table <- sheet_table("devices.dcf")
  for (name in table[, "device"]) {
    for (language in c("en", "de")) {
      note <- table[table[, "device"] == name, if (language == "en") "note" else paste0("note-", language)]
      sheet <- sheet_words(language, NULL)
      lines <- function(row) interviewer_lines(mechanism, "warner", sheet, row, language)
      expect_identical(setdiff(lines(data.frame(device = name)), lines(NULL)), if (is.na(note) || note == "") character() else paste("*", unname(note)))
    }
  }
})

test_that("an event whose epsilon is the wanted one itself is taken", {
  die <- function(design, epsilon) {
    table <- rr_device(design, epsilon)
    table[table$device == "die", ]
  }
  # 4 of 6 outcomes have the odds 2, and 2 of 6 those of a half.
  expect_identical(die("warner", log(2))$fraction, "2/3")
  expect_identical(die("crosswise", log(2))$fraction, "1/3")
  expect_identical(nrow(die("warner", log(2) - 1e-9)), 0L)
  expect_identical(die("warner", log(2) + 1e-9)$outcomes, list(list(1:4)))
  # Two events of forced response exclude each other: the first outcomes and the last.
  expect_equal(die("forced", log(2))$outcomes, list(list(1:2, 5:6)))
})

test_that("forced answers of a birthday take up to half of the days that every month has", {
  devices <- rr_device("forced", 0.17)
  # Days 1 to 14 of each month, with the leap days of the Gregorian calendar.
  expect_equal(devices$probability[devices$device == "birthday, day of the month at most"], 14 * 12 / 365.2425)
})
