# Physical devices: dice, coins, cards, slips, digits and birthdays, with the exact chances that
# they have.

#' Dice, coins, cards and birthdays for a privacy budget
#'
#' `rr_device()` lists the dice, coins, cards, slips of paper, digits and birthdays whose epsilon is nearest to a wanted epsilon without exceeding it.
#' `rr_instructions()` writes the sheet for the respondent, what the interviewer does, and a sentence for the methods section, in five languages.
#'
#' A device has few probabilities. For each device `rr_device()` lists the event with the largest epsilon within the budget. An event of probability
#' 1/2, which carries no information, is never listed. Days are days of the mean Gregorian year, 365.2425, with a February of 28.2425. Births are not
#' spread evenly over the year: `births` takes the shares of the country.
#'
#' @param design `"warner"` (default), `"crosswise"`, or `"forced"` ([rr_forced()] with two events of the same probability).
#' @param epsilon Number above 0. Privacy budget that must not be exceeded, in natural logarithms.
#' @param n Number of respondents, for the standard error of the prevalence.
#' @param truth Number, 0 to 1. Prevalence, for the standard error; by default 1/2, the worst case of `"warner"` and `"crosswise"`.
#' @param births Number or share of births in each of the twelve months.
#' @param ... Must be empty.
#' @return `rr_device()`: a tibble with a row for each device, the largest epsilon first.
#'
#' | column | what |
#' |---|---|
#' | `device`, `event` | in words; for `"forced"` the events for "yes" and for "no" |
#' | `fraction`, `probability` | of the event, as text and as a number |
#' | `epsilon`, `std.error` | privacy budget, and standard error of the prevalence (`NA` without `n`) |
#' | `note` | what is assumed |
#' | `mechanism` | ready for [rr_tally()] |
#' | `outcomes` | positions of the outcomes of each event, for `rr_instructions()` |
#'
#' `rr_instructions()`: the text, or invisibly the name of the file. It has three parts: the respondent's sheet, the interviewer's, and a paragraph for the methods section.
#' @section Errors:
#' `candor_error_argument` for arguments out of range, several devices at once, a mechanism without a sheet, a missing `innocuous` question, and names of `words` that no sheet has.
#' `candor_error_file` for a file that is there already.
#' @references Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias. *Journal of the American Statistical Association* 60(309), 63-69.
#'   \doi{10.1080/01621459.1965.10480775}
#'
#'   Yu, J.-W., Tian, G.-L. and Tang, M.-L. (2008). Two new models for survey sampling with sensitive characteristic. *Metrika* 67(3), 251-263. \doi{10.1007/s00184-007-0131-x} (birthdays)
#' @seealso [rr_binary()], [rr_forced()]; [rr_power()] for the sample size; [rr_client()] for devices that compute;
#'   `vignette("choosing", package = "candor")`.
#' @concept randomizing device
#' @concept instructions for respondents
#' @concept birthday
#' @examples
#' # Which birthdays and digits give epsilon 1.5 at most, and with which standard error?
#' rr_device("crosswise", epsilon = 1.5, n = 1000, truth = 0.1)
#' # a day of the month: epsilon 1.40, standard error 0.023
#' device <- rr_device("forced", epsilon = 1.7)
#' cat(rr_instructions(device[1, ], "Did you ever take something from a shop without paying?"))
#' # the same to print, in German
#' sheet <- rr_instructions(device[1, ], "Haben Sie je etwas gestohlen?", language = "de",
#'                          as = "html", file = tempfile(fileext = ".html"))
#' @export
rr_device <- function(
  design = c("warner", "crosswise", "forced"),
  epsilon,
  n = NULL,
  truth = NULL,
  births = NULL,
  ...
) {
  check_dots_empty(...)
  design <- check_choice(design)
  epsilon <- check_number(epsilon, "epsilon", min = 0, min_open = TRUE)
  n <- if (is.null(n)) NA_real_ else check_count(n, "n", min = 1)
  truth <- check_probability(truth %||% 0.5, "truth")
  check_that(
    is.null(births) || (is.numeric(births) && length(births) == 12L &&
      all(is.finite(births) & births > 0)),
    births, "births", "the shares of twelve months"
  )
  rows <- do.call(rbind, lapply(physical_devices(births), device_row, design, epsilon, n, truth))
  rows[order(-rows$epsilon), ]
}

# The file lists for each device the outcomes in their order, and their whole weights: of days ten
# thousandths.
physical_devices <- function(births) {
  table <- sheet_table("devices.dcf")
  days <- c(
    31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
  )
  lapply(seq_len(nrow(table)), function(i) {
    thing <- as.list(table[i, ])
    thing[c("outcomes", "weights")] <- strsplit(
      c(thing$outcomes, thing$weights), " "
    )
    thing$weights <- rep_len(as.double(thing$weights), length(thing$outcomes))
    thing$total <- if (is.na(thing$total)) {
      sum(thing$weights)
    } else {
      as.double(thing$total)
    }
    if (is.null(births) || !startsWith(thing$device, "birthday")) return(thing)
    thing$total <- sum(births)
    thing$weights <- if (length(thing$outcomes) == 12) {
      births
    } else {
      rep(sum(births / days), 28)
    }
    thing
  })
}

device_row <- function(thing, design, epsilon, n, truth) {
  k <- length(thing$outcomes)
  sizes <- cumsum(thing$weights)
  odds <- switch(
    design,
    warner = sizes / (thing$total - sizes),
    (thing$total - sizes) / sizes
  )
  # Two events that exclude each other: the first outcomes and the last, of days the next. Months
  # are not halved.
  forced <- design == "forced"
  halves <- 2 * seq_len(k) <= k & thing$device != "birthday, first months"
  fits <- which(odds > 1 + 1e-12 & log(odds) <= epsilon & (!forced | halves))
  # Without an event there is no row: that of the first one is left out.
  m <- c(fits[which.max(odds[fits])], 1)[1]
  p <- sizes[m] / thing$total
  mechanism <- switch(
    design,
    warner = rr_warner(p),
    crosswise = rr_crosswise(p),
    forced = rr_forced(p)
  )
  channel <- rr_matrix(mechanism)[, 2]
  yes <- sum(c(1 - truth, truth) * channel)
  last <- if (startsWith(thing$device, "birthday")) {
    m + seq_len(m)
  } else {
    k - m + seq_len(m)
  }
  events <- c(
    event_words(thing, seq_len(m)), if (forced) event_words(thing, last)
  )
  row <- tibble(
    device = thing$device,
    event = paste(events, collapse = "; "),
    fraction = fraction_text(sizes[m], thing$total),
    probability = p,
    epsilon = log(odds[m]),
    std.error = sqrt(yes * (1 - yes) / n) /
      abs(channel[[2]] - channel[[1]]),
    note = thing$note,
    mechanism = list(mechanism),
    outcomes = list(c(list(seq_len(m)), if (forced) list(last)))
  )
  row[length(fits) > 0, ]
}

event_words <- function(thing, chosen) {
  names <- thing$outcomes[chosen]
  range <- length(names) > 2 && !thing$device %in% c("coins2", "coins3", "suit")
  words <- if (range) paste(names[1], "to", names[length(names)])
    else sub(", ([^,]*)$", " or \\1", paste(names, collapse = ", "))
  sprintf(thing$event, words)
}

# In lowest terms; shares of births that are no whole numbers have decimals.
fraction_text <- function(size, total) {
  if (size != floor(size) || total != floor(total)) {
    return(format(size / total, digits = 4))
  }
  divisor <- function(a, b) if (b == 0) a else divisor(b, a %% b)
  paste(
    sprintf("%.0f", c(size, total) / divisor(total, size)), collapse = "/"
  )
}

#' @param x One row of what `rr_device()` returns; or a mechanism of [rr_warner()], [rr_crosswise()], [rr_triangular()], [rr_forced()], [rr_unrelated()], [rr_kuk()] or [rr_grr()].
#' @param question The sensitive question, one text.
#' @param innocuous The innocuous question, if the design has one. By default the device's.
#' @param file Name of a file to write. By default the text is returned.
#' @param words A list of texts that replace the sheet's own, with the names in the file `instructions.dcf` of `system.file("client", package = "candor")`. Words in
#'   braces are filled in.
#' @param language `"en"` (default), `"de"`, `"fr"`, `"es"` or `"ar"`.
#' @param as `"markdown"` (default); or `"html"`, a sheet to print: one page for the respondent, one for the interviewer.
#' @param overwrite Logical, default `FALSE`. Replace an existing file?
#' @rdname rr_device
#' @export
rr_instructions <- function(
  x,
  question,
  innocuous = NULL,
  file = NULL,
  words = NULL,
  language = c("en", "de", "fr", "es", "ar"),
  as = c("markdown", "html"),
  overwrite = FALSE,
  ...
) {
  check_dots_empty(...)
  language <- check_choice(language)
  as <- check_choice(as)
  row <- if (is.data.frame(x)) x
  check_that(
    is.null(row) || nrow(row) == 1L, x, "x", "one row of what rr_device() returns, or a mechanism"
  )
  mechanism <- check_mechanism(if (is.null(row)) x else row$mechanism[[1]], "x")
  sheet <- sheet_words(language, words)
  design <- sub("^rr_", "", mechanism$made$constructor %||% "")
  check_that(
    design %in%
      c("warner", "crosswise", "triangular", "forced", "unrelated", "kuk", "grr", "dealt"),
    mechanism, "x", "a design that has a sheet"
  )
  parts <- sheet_parts(mechanism, design, sheet, row, innocuous, language)
  values <- sheet_values(mechanism, design, sheet, row, question, innocuous)
  if (language != "en" && !is.null(row)) values$device <- paste0("; ", row$fraction)
  parts <- rapply(parts, fill_sheet, how = "list", values = values)
  text <- if (as == "html") html_sheet(parts, sheet$title, language) else markdown_sheet(parts)
  if (is.null(file)) return(text)
  file <- check_new_file(file, overwrite)
  write_whole(text, file)
  invisible(file)
}

sheet_parts <- function(mechanism, design, sheet, row, innocuous, language) {
  if (!design %in% c("crosswise", "triangular")) innocuous <- NULL
  device <- if (!is.null(row)) device_words(row, language, innocuous)
  list(
    head = c(paste("#", sheet$title), sheet$alone),
    steps = sheet_steps(design, sheet, device),
    reasons = sheet_reasons(mechanism, design, sheet),
    interviewer = interviewer_lines(mechanism, design, sheet, row, language),
    methods = c(paste("##", sheet$methods), sheet$report)
  )
}

markdown_sheet <- function(parts) {
  text <- paste0(paste(unlist(parts), collapse = "\n\n"), "\n")
  gsub("(?m)^([*] .*)\n\n(?=[*] )", "\\1\n", text, perl = TRUE)
}

sheet_table <- function(name) {
  table <- read.dcf(system.file("client", name, package = "candor"))
  Encoding(table) <- "UTF-8"
  table
}

sheet_words <- function(language, words) {
  table <- sheet_table("instructions.dcf")
  sheet <- as.list(table[table[, "language"] == language, ])
  unknown <- setdiff(names(words), names(sheet))
  if (length(unknown)) abort("{.arg words} has {.val {unknown}}, which no sheet has.")
  utils::modifyList(sheet, as.list(words))
}

# What the respondent does with a device, and which outcomes count: a list of them for each event.
device_words <- function(row, language, innocuous) {
  table <- sheet_table("devices.dcf")
  thing <- table[table[, "device"] == row$device, ]
  own <- paste0("outcomes-", language)
  outcomes <- if (own %in% names(thing) && !is.na(thing[[own]])) {
    thing[[own]]
  } else {
    thing[["outcomes"]]
  }
  faces <- lapply(row$outcomes[[1]], function(at) {
    paste("*", strsplit(outcomes, " ")[[1]][at])
  })
  if (!is.null(innocuous)) faces <- list(NULL)
  list(
    act = thing[[paste0("act-", language)]],
    ask = innocuous %||% thing[[paste0("ask-", language)]],
    faces = faces
  )
}

# The steps, each with what belongs to it. The boxes stand for the reports, which are the levels.
sheet_steps <- function(design, sheet, device) {
  boxes <- paste("\u2610", answer_boxes(design, sheet))
  event <- function(i) c(device$ask, device$faces[[i]])
  second <- sub("{innocuous}", device$ask %||% "{innocuous}", sheet$second, fixed = TRUE)
  answer <- c(sheet$tick, rev(boxes))
  steps <- if (design %in% c("crosswise", "triangular")) {
    list(
      device$act,
      c(sheet$mind, sheet$first, second, device$faces[[1]]),
      c(sheet[[design]], rev(boxes))
    )
  } else if (is.null(device)) {
    any <- paste0(design, "-any")
    list(sheet[[if (any %in% names(sheet)) any else design]], answer)
  } else if (design == "warner") {
    list(device$act, event(1), sheet$warner, sheet$opposite, answer)
  } else {
    list(
      device$act,
      c(event(1), sheet[["forced-yes"]]),
      c(event(2), sheet[["forced-no"]]),
      sheet[["forced-else"]],
      answer
    )
  }
  steps <- steps[lengths(steps) > 0]
  Map(
    function(step, number) {
      replace(step, 1, paste0(number, ". ", step[1]))
    },
    steps, seq_along(steps)
  )
}

answer_boxes <- function(design, sheet) {
  switch(
    design,
    crosswise = c(sheet$different, sheet$same),
    triangular = c(sheet$none, sheet$some),
    "{boxes}"
  )
}

# Answers that are no and yes are said in the language of the sheet.
sheet_labels <- function(mechanism, sheet) {
  if (identical(mechanism$levels, c("no", "yes"))) {
    c(sheet$no, sheet$yes)
  } else {
    mechanism$levels
  }
}

# Of 100 people of each answer, and why nobody can be sure.
sheet_reasons <- function(mechanism, design, sheet) {
  levels <- sheet_labels(mechanism, sheet)
  boxes <- switch(
    design,
    crosswise =,
    triangular = sub(" *[(,].*", "", answer_boxes(design, sheet)),
    levels
  )
  channel <- sheet_channel(mechanism)
  examples <- vapply(
    seq_along(levels),
    function(t) {
      says <- paste(
        sprintf(sheet$says, shares_of_100(channel[t, ]), boxes), collapse = ", "
      )
      sprintf(sheet$example, levels[t], says)
    },
    ""
  )
  epsilon <- mechanism$epsilon
  why <- if (design == "dealt") {
    "group"
  } else if (epsilon == Inf) {
    "sure"
  } else if (epsilon > 5) {
    "little"
  } else {
    "why"
  }
  c(sheet[[why]], examples)
}

# What a report says by itself; cards of one deck tie the reports of a block.
sheet_channel <- function(mechanism) rr_matrix(mechanism$marginal %||% mechanism)

# Whole numbers that add up to 100: the largest remainders are rounded up.
shares_of_100 <- function(shares) {
  whole <- floor(100 * shares + 1e-9)
  left <- order(whole - 100 * shares)
  whole + (order(left) <= 100 - sum(whole))
}

interviewer_lines <- function(mechanism, design, sheet, row, language) {
  table <- sheet_table("devices.dcf")
  column <- if (language == "en") "note" else paste0("note-", language)
  note <- if (!is.null(row)) table[table[, "device"] == row$device, column]
  note <- note[!is.na(note) & nzchar(note)]
  enter <- sheet[[paste0("enter-", design)]]
  if (is.null(enter) && !identical(sheet_labels(mechanism, sheet), mechanism$levels)) {
    enter <- sheet$enter
  }
  lines <- c(
    sheet$script, sheet$rule, enter, if (design == "kuk") sheet$packs, note
  )
  c(paste("##", sheet$interviewer), paste("*", lines))
}

sheet_values <- function(mechanism, design, sheet, row, question, innocuous) {
  levels <- sheet_labels(mechanism, sheet)
  channel <- sheet_channel(mechanism)
  number <- function(x) format(x, digits = 4)
  list(
    event = if (design == "forced") sheet$named else sheet$chosen,
    question = question,
    innocuous = innocuous,
    no = levels[1],
    yes = levels[2],
    `entry-no` = mechanism$levels[1],
    `entry-yes` = mechanism$levels[2],
    p = number(
      channel[2, 2] - if (design == "warner") 0 else channel[1, 2]
    ),
    p1 = number(channel[2, 2]),
    p2 = number(channel[1, 2]),
    answers = toString(levels),
    epsilon = number(mechanism$epsilon),
    design = mechanism$design,
    device = if (is.null(row)) "" else sprintf("; %s, probability %s", row$event, row$fraction),
    cards = mechanism$cards,
    deck = paste(mechanism$forced, paste0("\"", levels, "\""), collapse = ", "),
    named = paste0(
      levels, " ", number(apply(channel, 2, min)), collapse = ", "
    ),
    boxes = levels
  )
}

# A line with {boxes} becomes one for each answer. `event` comes first: it has braces of its own.
fill_sheet <- function(lines, values) {
  lines <- unlist(
    lapply(lines, function(line) {
      if (grepl("{boxes}", line, fixed = TRUE)) {
        paste("\u2610", rev(values$boxes))
      } else {
        line
      }
    })
  )
  for (name in setdiff(names(values), "boxes")) {
    place <- paste0("{", name, "}")
    if (!any(grepl(place, lines, fixed = TRUE))) next
    check_that(length(values[[name]]) == 1L, values[[name]], name, "one text")
    lines <- gsub(place, values[[name]], lines, fixed = TRUE)
  }
  lines
}

html_sheet <- function(parts, title, language) {
  section <- function(...) c("<section>", ..., "</section>")
  steps <- lapply(parts$steps, function(step) {
    c("<fieldset>", html_lines(step, "<ul class=\"faces\">"), "</fieldset>")
  })
  body <- c(
    section(html_lines(parts$head), unlist(steps), html_lines(parts$reasons)),
    section(html_lines(parts$interviewer)), section(html_lines(parts$methods))
  )
  text <- file_text(system.file("client", "sheet.html", package = "candor"))
  text <- put_text(text, "{{body}}", paste(body, collapse = "\n"))
  text <- put_text(text, "{{title}}", html_text(title))
  text <- put_text(text, "{{direction}}", if (language == "ar") "rtl" else "ltr")
  put_text(text, "{{language}}", language)
}

# Lines of Markdown, each a paragraph, an item, a box or a heading, as HTML.
html_lines <- function(lines, list = "<ul>") {
  kind <- match(
    sub(" .*", "", lines), c("#", "##", "*", "\u2610"), nomatch = 5
  )
  text <- html_text(ifelse(kind == 5, lines, sub("^[^ ]* ", "", lines)))
  text <- paste0(c("<h1>", "<h2>", "<li>", "<p class=\"box\">", "<p>")[kind], text,
                 c("</h1>", "</h2>", "</li>", "</p>", "</p>")[kind])
  item <- kind == 3
  paste0(
    ifelse(item & !c(FALSE, item[-length(item)]), list, ""),
    text, ifelse(item & !c(item[-1], FALSE), "</ul>", "")
  )
}
