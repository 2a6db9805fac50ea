# Dice, coins, cards, slips, digits and birthdays are devices: their exact probabilities, and the
# instructions for respondents and interviewers.

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
#' * `device`, `event`: in words; for `"forced"` the events for "no" and for "yes".
#' * `fraction`, `probability`: how often the event happens, as text and as a number.
#' * `epsilon`, `std.error`: privacy budget, and standard error of the prevalence (`NA` without `n`).
#' * `note`: what is assumed.
#' * `mechanism`: ready for [rr_tally()].
#' * `outcomes`: positions of the outcomes of each event, for `rr_instructions()`.
#'
#' `rr_instructions()`: the text, or invisibly the name of the file. It has three parts: the respondent's sheet, the interviewer's, and a paragraph for the methods section.
#' @section Errors:
#' `candor_error_argument` for arguments out of range, several devices at once, a mechanism without a sheet, a missing `innocuous` question, and names of `words` that no sheet has.
#' `candor_error_file` for a file that is there already.
#' @references Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias. *Journal of the American Statistical Association* 60(309), 63-69.
#'   \doi{10.1080/01621459.1965.10480775}
#'
#'   Yu, J.-W., Tian, G.-L. and Tang, M.-L. (2008). Two new models for survey sampling with sensitive characteristic. *Metrika* 67(3), 251-263. \doi{10.1007/s00184-007-0131-x} (birthdays)
#' @seealso `articles/classroom.html` of the site for a lesson; [rr_binary()], [rr_forced()]; [rr_power()] for the sample size; [rr_client()] for devices that compute;
#'   `vignette("choosing", package = "candor")`.
#' @concept randomizing device
#' @concept classroom
#' @concept teaching
#' @concept coin
#' @concept spinner
#' @concept instructions for respondents
#' @concept birthday
#' @examples
#' # Which birthdays and digits give epsilon 1.5 at most, and with which
#' # standard error?
#' rr_device("crosswise", epsilon = 1.5, n = 1000, truth = 0.1)
#' # a day of the month: epsilon 1.40, standard error 0.023
#' device <- rr_device("forced", epsilon = 1.7)
#' question <- "Did you ever take something from a shop without paying?"
#' cat(rr_instructions(device[1, ], question))
#' # the same to print, in German
#' sheet <- rr_instructions(device[1, ], "Haben Sie je etwas gestohlen?",
#'                          language = "de", as = "html",
#'                          file = tempfile(fileext = ".html"))
#' @export
rr_device <- function(
  design = c("warner", "crosswise", "forced"),
  epsilon,
  n = NULL,
  truth = NULL,
  births = NULL,
  ...
) {
  check_device_design(design, eval(formals()$design))
  check_dots_empty(...)
  design <- check_choice(design)
  epsilon <- check_number(epsilon, "epsilon", min = 0, min_open = TRUE)
  n <- if (is.null(n)) NA_real_ else check_count(n, "n", min = 1)
  truth <- check_probability(truth %||% 0.5, "truth")
  has_shares <- is.numeric(births) && length(births) == 12L &&
    all(is.finite(births) & births > 0)
  check_that(is.null(births) || has_shares, births, "births", "the shares of twelve months")
  tables <- lapply(physical_devices(births), device_row, design, epsilon, n, truth)
  table <- do.call(rbind, tables)
  with_class(table[order(-table$epsilon), ], "rr_devices")
}

# A device in one line and its event below: columns of a tibble cut both off.
#' @export
print.rr_devices <- function(x, ...) {
  columns <- c("device", "event", "fraction", "epsilon", "std.error")
  if (!all(columns %in% names(x))) return(NextMethod())
  writeLines(paste0("<rr_devices> ", number_of(nrow(x), "device"), ", each with its event"))
  figures <- paste0("epsilon ", format(x$epsilon, digits = 4))
  is_known <- !is.na(x$std.error)
  errors <- format(x$std.error, digits = 3)
  figures[is_known] <- paste0(figures, ", standard error ", errors)[is_known]
  lines <- rbind(
    sprintf("  %s: %s, %s", x$device, x$fraction, figures),
    paste0("    ", x$event)
  )
  writeLines(within_80(as.vector(lines)))
  invisible(x)
}

# An error if the name of a device stands for the design that uses it.
check_device_design <- function(design, designs) {
  if (all(design %in% designs)) return(invisible())
  must_be(
    design, "design", paste("one of", toString(dQuote(designs, FALSE))),
    remedy = meant_of(design, designs) %||%
      paste("Coins, dice and cards are rows of the result.", coin_designs)
  )
}

# The devices, a list for each row of the file: `outcomes` in their order, their `weights`, and the
# `total` of all weights. Weights are whole numbers; those of days are ten thousandths. `births`
# replace the weights of birthdays.
physical_devices <- function(births) {
  table <- sheet_table("devices.dcf")
  month_days <- c(
    31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
  )
  lapply(seq_len(nrow(table)), function(i) {
    device <- as.list(table[i, ])
    device[c("outcomes", "weights")] <- strsplit(
      c(device$outcomes, device$weights), " "
    )
    n_outcomes <- length(device$outcomes)
    device$weights <- rep_len(as.double(device$weights), n_outcomes)
    device$total <- if (is.na(device$total)) {
      sum(device$weights)
    } else {
      as.double(device$total)
    }
    if (is.null(births) || !is_birthday(device)) return(device)
    device$total <- sum(births)
    # Each of the days 1 to 28 is in all twelve months.
    device$weights <- if (n_outcomes == 12) births else rep(sum(births / month_days), 28)
    device
  })
}

is_birthday <- function(device) startsWith(device$device, "birthday")

# The row of rr_device() for one device, with the largest epsilon that is not above `epsilon`. A
# device without such an event has no row.
device_row <- function(device, design, epsilon, n, truth) {
  k <- length(device$outcomes)
  sizes <- cumsum(device$weights)
  remaining <- device$total - sizes
  odds <- if (design == "warner") sizes / remaining else remaining / sizes
  # Forced response needs two events that exclude each other: the first outcomes, and the last or,
  # if they are days, the next. Months are not halved.
  is_forced <- design == "forced"
  has_second <- 2 * seq_len(k) <= k & device$device != "birthday, first months"
  can_use <- odds > 1 + 1e-12 & log(odds) <= epsilon & (!is_forced | has_second)
  fits <- which(can_use)
  # If no event fits, the row is that of the first outcome and is left out at the end.
  m <- c(fits[which.max(odds[fits])], 1)[1]
  p <- sizes[m] / device$total
  mechanism <- switch(
    design,
    warner = rr_warner(p),
    crosswise = rr_crosswise(p),
    forced = rr_forced(p)
  )
  channel <- rr_matrix(mechanism)[, 2]
  p_yes <- sum(c(1 - truth, truth) * channel)
  first <- seq_len(m)
  second <- if (is_birthday(device)) m + first else k - m + first
  events <- c(event_words(device, first), if (is_forced) event_words(device, second))
  std_error <- sqrt(p_yes * (1 - p_yes) / n) /
    abs(channel[[2]] - channel[[1]])
  # The columns of a tibble hide `device` from those after them.
  fraction <- fraction_text(sizes[m], device$total)
  note <- device$note
  row <- tibble(
    device = device$device,
    event = paste(events, collapse = "; "),
    fraction = fraction,
    probability = p,
    epsilon = log(odds[m]),
    std.error = std_error,
    note = note,
    mechanism = list(mechanism),
    outcomes = list(c(list(first), if (is_forced) list(second)))
  )
  row[length(fits) > 0, ]
}

# The event that a device shows one of the outcomes at `index`, such as "1 to 4" or "1 or 2".
event_words <- function(device, index) {
  names <- device$outcomes[index]
  is_range <- length(names) > 2 && !device$device %in% c("coins2", "coins3", "suit")
  words <- if (is_range) {
    paste(names[1], "to", names[length(names)])
  } else {
    sub(", ([^,]*)$", " or \\1", paste(names, collapse = ", "))
  }
  sprintf(device$event, words)
}

# The text of size / total in lowest terms; shares of births that are no whole numbers have
# decimals.
fraction_text <- function(size, total) {
  if (size != floor(size) || total != floor(total)) {
    return(format(size / total, digits = 4))
  }
  divisor <- function(a, b) if (b == 0) a else divisor(b, a %% b)
  terms <- c(size, total) / divisor(total, size)
  paste(sprintf("%.0f", terms), collapse = "/")
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
  design <- sub("^rr_", "", mechanism$recipe$constructor %||% "")
  check_that(design %in% sheet_designs, mechanism, "x", "a design that has a sheet")
  if (is.null(row) && design %in% c("warner", "forced")) tell_devices(mechanism, design)
  sections <- sheet_sections(mechanism, design, sheet, row, innocuous, language)
  values <- sheet_values(mechanism, design, sheet, row, question, innocuous, language)
  sections <- rapply(sections, fill_sheet, how = "list", values = values)
  text <- if (as == "html") {
    html_sheet(sections, sheet$title, language)
  } else {
    markdown_sheet(sections)
  }
  if (is.null(file)) return(text)
  file <- check_new_file(file, overwrite)
  write_file(text, file)
  invisible(file)
}

# A message: a sheet without a device has probabilities, which nobody can throw.
tell_devices <- function(mechanism, design) {
  epsilon <- mechanism$epsilon
  budget <- if (is.finite(epsilon) && epsilon > 0) ceiling(10 * epsilon) / 10 else 2
  cli::cli_inform(
    c(
      "This sheet names no device, such as dice or cards.",
      i = "Take a row of {.code rr_device({.val {design}}, epsilon = {budget})} instead."
    ),
    class = "candor_message_device"
  )
}

sheet_designs <- c(
  "warner", "crosswise", "triangular", "forced", "unrelated", "kuk", "grr", "dealt"
)

# The sections of a sheet, as lines of Markdown with placeholders: list(head, steps, reasons,
# interviewer, methods), of which `steps` are a list.
sheet_sections <- function(mechanism, design, sheet, row, innocuous, language) {
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

# The text of a sheet; items of one list stand on lines that follow each other.
markdown_sheet <- function(sections) {
  text <- paste0(paste(unlist(sections), collapse = "\n\n"), "\n")
  gsub("(?m)^([*] .*)\n\n(?=[*] )", "\\1\n", text, perl = TRUE)
}

# A matrix from a file of inst/client, with a row for each record.
sheet_table <- function(name) {
  table <- read.dcf(system.file("client", name, package = "candor"))
  Encoding(table) <- "UTF-8"
  table
}

# The record of the device in a row of rr_device().
sheet_device <- function(row) {
  table <- sheet_table("devices.dcf")
  table[table[, "device"] == row$device, ]
}

# The texts of all sheets in one language, a list; `words` of the user replace them.
sheet_words <- function(language, words) {
  table <- sheet_table("instructions.dcf")
  sheet <- as.list(table[table[, "language"] == language, ])
  unknown <- setdiff(names(words), names(sheet))
  if (length(unknown)) abort("{.arg words} has {.val {unknown}}, which no sheet has.")
  utils::modifyList(sheet, as.list(words))
}

# list(act, ask, events): what the respondent does with a device, the innocuous question, and the
# lines of the outcomes of each event. A user's own innocuous question has no outcomes.
device_words <- function(row, language, innocuous) {
  device <- sheet_device(row)
  column <- paste0("outcomes-", language)
  is_translated <- column %in% names(device) && !is.na(device[[column]])
  outcomes <- device[[if (is_translated) column else "outcomes"]]
  outcomes <- strsplit(outcomes, " ")[[1]]
  events <- lapply(row$outcomes[[1]], function(index) {
    paste("*", outcomes[index])
  })
  if (!is.null(innocuous)) events <- list(NULL)
  list(
    act = device[[paste0("act-", language)]],
    ask = innocuous %||% device[[paste0("ask-", language)]],
    events = events
  )
}

# The steps, a list of lines: each step with its items and boxes. The boxes stand for the reports,
# which are the levels.
sheet_steps <- function(design, sheet, device) {
  boxes <- paste("\u2610", answer_boxes(design, sheet))
  event <- function(i) c(device$ask, device$events[[i]])
  second <- sub("{innocuous}", device$ask %||% "{innocuous}", sheet$second, fixed = TRUE)
  answer <- c(sheet$tick, rev(boxes))
  steps <- if (design %in% c("crosswise", "triangular")) {
    list(
      device$act,
      c(sheet$mind, sheet$first, second, device$events[[1]]),
      c(sheet[[design]], rev(boxes))
    )
  } else if (is.null(device)) {
    any_device <- paste0(design, "-any")
    list(sheet[[if (any_device %in% names(sheet)) any_device else design]], answer)
  } else if (design == "warner") {
    list(device$act, event(1), sheet$warner, sheet$opposite, answer)
  } else {
    list(
      device$act,
      c(event(1), sheet[["forced-no"]]),
      c(event(2), sheet[["forced-yes"]]),
      sheet[["forced-else"]],
      answer
    )
  }
  steps <- steps[lengths(steps) > 0]
  Map(
    function(step, i) {
      replace(step, 1, paste0(i, ". ", step[1]))
    },
    steps, seq_along(steps)
  )
}

# The texts of the boxes, no first; a placeholder if they are the levels.
answer_boxes <- function(design, sheet) {
  switch(
    design,
    crosswise = c(sheet$different, sheet$same),
    triangular = c(sheet$none, sheet$some),
    "{boxes}"
  )
}

# The labels of the answers; no and yes are in the language of the sheet.
sheet_labels <- function(mechanism, sheet) {
  if (identical(mechanism$levels, c("no", "yes"))) {
    c(sheet$no, sheet$yes)
  } else {
    mechanism$levels
  }
}

# The lines that say what client_promise() allows, and how 100 people of each answer would report.
sheet_reasons <- function(mechanism, design, sheet) {
  levels <- sheet_labels(mechanism, sheet)
  boxes <- switch(
    design,
    crosswise = ,
    triangular = sub(" *[(,].*", "", answer_boxes(design, sheet)),
    levels
  )
  channel <- sheet_channel(mechanism)
  examples <- vapply(seq_along(levels), function(x) {
    says <- sprintf(sheet$says, whole_shares(100, channel[x, ]), boxes)
    sprintf(sheet$example, levels[x], paste(says, collapse = ", "))
  }, "")
  promise <- client_promise(list(mechanism), mechanism$epsilon)
  why <- if (design == "dealt") {
    "group"
  } else if (identical(promise$caution, "weak")) {
    "weak"
  } else if (is.null(promise$reveals)) {
    c(promise$caution, "why")[1]
  } else {
    "sure"
  }
  c(sheet[[why]], examples)
}

# The channel of a report by itself: cards of one deck tie the reports of a block.
sheet_channel <- function(mechanism) rr_matrix(mechanism$marginal %||% mechanism)

# The lines for the interviewer: what to read out, how to enter answers, and notes.
interviewer_lines <- function(mechanism, design, sheet, row, language) {
  column <- if (language == "en") "note" else paste0("note-", language)
  note <- if (!is.null(row)) sheet_device(row)[column]
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

# The values of the placeholders, by name.
sheet_values <- function(mechanism, design, sheet, row, question, innocuous, language) {
  levels <- sheet_labels(mechanism, sheet)
  channel <- sheet_channel(mechanism)
  p <- if (design == "warner") {
    channel[2, 2]
  } else {
    channel[2, 2] - channel[1, 2]
  }
  has_comma <- language %in% c("de", "fr", "es")
  digits_text <- function(x) format(x, digits = 4, decimal.mark = if (has_comma) "," else ".")
  # Events have words in English alone, and long fractions are hard to read.
  fraction <- if (!is.null(row)) {
    is_long <- language != "en" && nchar(row$fraction) > 6
    if (is_long) digits_text(row$probability) else row$fraction
  }
  device <- if (is.null(row)) {
    ""
  } else if (language == "en") {
    sprintf("; %s, probability %s", row$event, fraction)
  } else {
    paste0("; ", fraction)
  }
  list(
    event = if (design == "forced") sheet$named else sheet$chosen,
    design = sheet[[paste0("design-", design)]],
    question = question,
    innocuous = innocuous,
    no = levels[1],
    yes = levels[2],
    `entry-no` = mechanism$levels[1],
    `entry-yes` = mechanism$levels[2],
    p = digits_text(p),
    p1 = digits_text(channel[2, 2]),
    p2 = digits_text(channel[1, 2]),
    answers = toString(levels),
    epsilon = digits_text(mechanism$epsilon),
    device = device,
    cards = mechanism$cards,
    truthful = mechanism$cards - sum(mechanism$forced),
    deck = paste(mechanism$forced, sprintf(sheet$quoted, levels), collapse = ", "),
    named = paste0(
      levels, " ", digits_text(apply(channel, 2, min)), collapse = if (has_comma) "; " else ", "
    ),
    boxes = levels
  )
}

# The lines with their placeholders filled in; a line with {boxes} becomes one for each answer.
# `event` and `design` come first among the values: they have braces of their own.
fill_sheet <- function(lines, values) {
  box_lines <- paste("\u2610", rev(values$boxes))
  has_boxes <- grepl("{boxes}", lines, fixed = TRUE)
  lines <- as.list(lines)
  lines[has_boxes] <- list(box_lines)
  lines <- unlist(lines)
  for (name in setdiff(names(values), "boxes")) {
    placeholder <- paste0("{", name, "}")
    if (!any(grepl(placeholder, lines, fixed = TRUE))) next
    check_that(length(values[[name]]) == 1L, values[[name]], name, "one text")
    lines <- gsub(placeholder, values[[name]], lines, fixed = TRUE)
  }
  lines
}

# The sheet as a web page.
html_sheet <- function(sections, title, language) {
  section <- function(...) c("<section>", ..., "</section>")
  steps <- lapply(sections$steps, function(step) {
    c("<fieldset>", html_lines(step, "<ul class=\"faces\">"), "</fieldset>")
  })
  body <- c(
    section(html_lines(sections$head), unlist(steps), html_lines(sections$reasons)),
    section(html_lines(sections$interviewer)), section(html_lines(sections$methods))
  )
  text <- file_text(system.file("client", "sheet.html", package = "candor"))
  put_texts(text, list(
    body = paste(body, collapse = "\n"),
    title = html_text(title),
    direction = if (language == "ar") "rtl" else "ltr",
    language = language
  ))
}

# Lines of Markdown, each a paragraph, an item, a box or a heading, as HTML.
html_lines <- function(lines, list = "<ul>") {
  kind <- match(
    sub(" .*", "", lines), c("#", "##", "*", "\u2610"), nomatch = 5
  )
  text <- html_text(ifelse(kind == 5, lines, sub("^[^ ]* ", "", lines)))
  open <- c("<h1>", "<h2>", "<li>", "<p class=\"box\">", "<p>")[kind]
  close <- c("</h1>", "</h2>", "</li>", "</p>", "</p>")[kind]
  is_item <- kind == 3
  begins_list <- is_item & !c(FALSE, is_item[-length(is_item)])
  ends_list <- is_item & !c(is_item[-1], FALSE)
  paste0(
    ifelse(begins_list, list, ""), open, text, close, ifelse(ends_list, "</ul>", "")
  )
}
