# Physical devices: dice, coins, cards, slips, digits and birthdays, with the exact chances that they have.

#' Devices that respondents hold in their hands
#'
#' `rr_device()` lists, for a wanted privacy level, the dice, coins, cards, slips of paper, digits and birthdays that come nearest to it without exceeding it. `rr_instructions()` writes the sheet
#' for the respondent, with the sentence for the methods section.
#'
#' A device has few probabilities, and none is 0.15. Among the events of each device the one is listed whose epsilon is largest but not above `epsilon`; a probability of 1/2, which would tell
#' nothing, never is.
#'
#' Days are those of the mean Gregorian year, 365.2425, with a February of 28.2425. Births are not spread evenly over the year: `births` takes the shares of the country.
#'
#' @param design `"warner"` and `"crosswise"` ([rr_warner()], [rr_crosswise()]), or `"forced"` ([rr_forced()] with two events of the same probability).
#' @param epsilon The level that must not be exceeded, in natural logarithms.
#' @param n,theta Number of respondents and the share of "yes", for the standard error of the estimated share. Without `theta` the error is that at 1/2, the largest of `"warner"` and `"crosswise"`.
#' @param births The number or the share of births in each of the twelve months.
#' @param ... Not used, and refused.
#' @return `rr_device()`: a tibble with a row for each device, the largest epsilon first: `device`; `event`, in words (of `"forced"` the event for "yes" and that for "no"); `fraction` (text) and
#'   `probability`, of the event (of `"forced"` of each); `epsilon`; `std.error`, missing without `n`; `note`, what is assumed; and `mechanism`, ready for [rr_tally()].
#' @section Errors:
#' `candor_error_argument` for an epsilon that is not one positive number, a design that is not one of the three, and for `births` that are not twelve shares; for a mechanism without a sheet, and for a
#' missing `innocuous` question.
#' @examples
#' rr_device("crosswise", epsilon = 1.5, n = 1000, theta = 0.1)
#' device <- rr_device("forced", epsilon = 1.7)
#' cat(rr_instructions(device[1, ], "Did you ever take something from a shop without paying?"))
#' @export
rr_device <- function(design = c("warner", "crosswise", "forced"), epsilon, n = NULL, theta = NULL, births = NULL, ...) {
  check_dots_empty(...)
  design <- check_choice(design, "design", eval(formals()$design))
  epsilon <- check_number(epsilon, "epsilon", min = 0, min_open = TRUE)
  if (!is.null(n)) n <- check_count(n, "n", min = 1)
  theta <- if (is.null(theta)) 0.5 else check_probability(theta, "theta")
  if (!is.null(births) && (!is.numeric(births) || length(births) != 12L || !all(is.finite(births) & births > 0))) {
    abort(c("{.arg births} must be the shares of twelve months.", x = "It is {describe(births)}."), "argument")
  }
  rows <- do.call(rbind, lapply(physical_devices(births), device_row, design, epsilon, n, theta))
  rows[order(-rows$epsilon), ]
}

# Each device: its name, the words of an event, its outcomes in their order with their whole weights, and what is assumed.
physical_devices <- function(births) {
  coins <- function(n) do.call(paste0, rev(expand.grid(rep(list(c("H", "T")), n))))
  months <- c(31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
  weights <- if (is.null(births)) round(months * 1e4) else births
  day <- rep(if (is.null(births)) 12e4 else sum(births / months), 28)
  dates <- if (is.null(births)) "Births are taken as spread evenly over the year." else "Births are spread as given."
  device <- function(device, event, outcomes, weights = rep(1, length(outcomes)), note = "", total = sum(weights)) {
    list(device = device, event = event, outcomes = outcomes, weights = weights, note = note, total = total)
  }
  list(
    device("coins2", "two coins show %s (H heads, T tails, in this order)", coins(2)),
    device("coins3", "three coins show %s (H heads, T tails, in this order)", coins(3)),
    device("die", "the die shows %s", 1:6),
    device("two dice, sum at most", "the sum of two dice is %s", 2:12, c(1:6, 5:1)),
    device("suit", "the suit of the card is %s", c("hearts", "diamonds", "clubs", "spades")),
    device("rank", "the rank of the card is %s", c("ace", 2:10, "jack", "queen", "king")),
    device("slips10", "the slip has the number %s", 1:10, note = "There are 10 slips with the numbers 1 to 10."),
    device("slips20", "the slip has the number %s", 1:20, note = "There are 20 slips with the numbers 1 to 20."),
    device("digit", "the last digit of a number that you alone know is %s", 0:9,
           note = "All last digits are taken as equally frequent."),
    device("birthday, first months", "your mother's birthday is in %s", month.name, weights, dates),
    device("birthday, day of the month at most", "your mother's birthday is on a day of the month from %s", 1:28, day, dates, sum(weights))
  )
}

device_row <- function(thing, design, epsilon, n, theta) {
  k <- length(thing$outcomes)
  sizes <- cumsum(thing$weights)
  odds <- switch(design, warner = sizes / (thing$total - sizes), (thing$total - sizes) / sizes)
  forced <- design == "forced"
  fits <- which(odds > 1 + 1e-12 & log(odds) <= epsilon & seq_len(k) < if (forced) k / 2 + 0.5 else k + 1)
  if (forced && thing$device == "birthday, first months") fits <- integer()
  # Without an event there is no row: that of the first one is left out.
  m <- c(fits[which.max(odds[fits])], 1)[1]
  p <- sizes[m] / thing$total
  mechanism <- switch(design, warner = rr_warner(p), crosswise = rr_crosswise(p), forced = rr_forced(p))
  channel <- rr_matrix(mechanism)[, 2]
  yes <- sum(c(1 - theta, theta) * channel)
  last <- if (grepl("day of", thing$device)) m + seq_len(m) else rev(k + 1 - seq_len(m))
  event <- event_words(thing, seq_len(m))
  row <- tibble::tibble(device = thing$device, event = if (forced) paste0(event, "; ", event_words(thing, last)) else event,
                 fraction = fraction_text(sizes[m], thing$total), probability = p, epsilon = log(odds[m]),
                 std.error = if (is.null(n)) NA_real_ else sqrt(yes * (1 - yes) / n) / abs(diff(channel))[[1]],
                 note = thing$note, mechanism = list(mechanism))
  row[length(fits) > 0, ]
}

event_words <- function(device, chosen) {
  names <- device$outcomes[chosen]
  ends <- names[c(1, length(names))]
  words <- if (length(names) > 2 && !startsWith(device$device, "coins") && device$device != "suit") paste(ends, collapse = " to ")
    else sub(", ([^,]*)$", " or \\1", paste(unique(names), collapse = ", "))
  sprintf(device$event, words)
}

# In lowest terms; shares of births that are no whole numbers have decimals.
fraction_text <- function(size, total) {
  if (any(c(size, total) != floor(c(size, total)))) return(format(size / total, digits = 4))
  divisor <- function(a, b) if (b == 0) a else divisor(b, a %% b)
  paste(sprintf("%.0f", c(size, total) / divisor(total, size)), collapse = "/")
}

#' @param x A row of what `rr_device()` returns; or a mechanism of [rr_warner()], [rr_crosswise()], [rr_triangular()], [rr_forced()], [rr_unrelated()], [rr_kuk()] or [rr_grr()].
#' @param question The sensitive question, one text.
#' @param innocuous The question about something harmless, where the design has one and `x` is a mechanism.
#' @param file A file to write, in Markdown; without it the text is returned.
#' @param words Text that replaces the sheet's own, a list with names that the file `instructions.dcf` in `system.file("client", package = "candor")` has. Words in braces are filled in.
#' @return `rr_instructions()`: the text, or invisibly the name of the file.
#' @rdname rr_device
#' @export
rr_instructions <- function(x, question, innocuous = NULL, file = NULL, words = NULL, ...) {
  check_dots_empty(...)
  mechanism <- if (is.data.frame(x) && nrow(x) == 1L) x$mechanism[[1]] else check_mechanism(x, "x")
  # The title of a design, before its numbers.
  designs <- c(Warner = "warner", Crosswise = "crosswise", Triangular = "triangular", Forced = "forced", Unrelated = "unrelated", Kuk = "kuk", `k-ary` = "grr")
  design <- designs[sub("[ '].*", "", mechanism$design)]
  if (is.na(design)) abort(c("{.arg x} has no sheet.", x = "It is: {format(mechanism)}."), "argument")
  paired <- design %in% c("crosswise", "triangular")
  channel <- rr_matrix(mechanism)
  levels <- mechanism$levels
  chance <- function(p) format(p, digits = 4)
  said <- function(p) paste0(shQuote(levels, "cmd"), " (", p, ")", collapse = ", or ")
  event <- sprintf("the device says so (probability %s)", chance(abs(channel[2, 2] - if (design == "warner") 0 else channel[1, 2])))
  if (design == "forced") event <- paste("the device says", said(paste("probability", chance(apply(channel, 2, min)))))
  if (is.data.frame(x)) {
    event <- x$event
    if (design == "forced") event <- sub("; (.*)", sprintf(" (say \"%s\") or \\1 (say \"%s\")", levels[2], levels[1]), event)
    innocuous <- innocuous %||% sprintf("Is it true that %s?", event)
  }
  texts <- list(question = question, innocuous = innocuous)
  for (name in c("question", if (paired || design == "unrelated") "innocuous")) {
    if (!is.character(texts[[name]]) || length(texts[[name]]) != 1L) abort(c("{.arg {name}} must be one text.", x = "It is {describe(texts[[name]])}."), "argument")
  }
  sheet <- utils::modifyList(as.list(read.dcf(system.file("client", "instructions.dcf", package = "candor"))[1, ]), as.list(words))
  epsilon <- format(mechanism$epsilon, digits = 4)
  fill <- function(name, ...) {
    text <- sheet[[name]]
    values <- list(..., question = question, innocuous = innocuous, no = levels[1], yes = levels[2], epsilon = epsilon, event = event)
    for (value in names(values)) text <- gsub(paste0("{", value, "}"), values[[value]] %||% "", text, fixed = TRUE)
    text
  }
  examples <- vapply(seq_along(levels), function(t) {
    shares <- vapply(seq_along(levels), function(y) fill("says", number = round(100 * channel[t, y]), report = levels[y]), "")
    fill("example", truth = levels[t], shares = paste(shares, collapse = ", "))
  }, "")
  text <- c(fill("title"), fill(if (paired) "mind" else "alone"),
            fill(design, p1 = chance(channel[2, 2]), p2 = chance(channel[1, 2]), answers = paste(levels, collapse = ", ")), paste(examples, collapse = "\n"),
            fill(if (is.finite(mechanism$epsilon)) "why" else "sure", factor = ceiling(10 * exp(mechanism$epsilon) - 1e-6) / 10),
            fill("methods", design = format(mechanism$design), event = if (is.data.frame(x)) sprintf("; %s, probability %s", x$event, x$fraction) else ""))
  text <- paste0(paste(text, collapse = "\n\n"), "\n")
  if (is.null(file)) return(text)
  write_whole(text, check_path(file))
  invisible(file)
}
