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
#' @references Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias. *Journal of the American Statistical Association* 60(309), 63-69.
#'   \doi{10.1080/01621459.1965.10480775}
#'
#'   Yu, J.-W., Tian, G.-L. and Tang, M.-L. (2008). Two new models for survey sampling with sensitive characteristic. *Metrika* 67(3), 251-263. \doi{10.1007/s00184-007-0131-x} (birthdays)
#' @examples
#' rr_device("crosswise", epsilon = 1.5, n = 1000, theta = 0.1)
#' device <- rr_device("forced", epsilon = 1.7)
#' cat(rr_instructions(device[1, ], "Did you ever take something from a shop without paying?"))
#' @export
rr_device <- function(design = c("warner", "crosswise", "forced"), epsilon, n = NULL, theta = NULL, births = NULL,
                      ...) {
  check_dots_empty(...)
  design <- check_choice(design, "design", eval(formals()$design))
  epsilon <- check_number(epsilon, "epsilon", min = 0, min_open = TRUE)
  n <- if (is.null(n)) NA_real_ else check_count(n, "n", min = 1)
  theta <- check_probability(theta %||% 0.5, "theta")
  if (!is.null(births) && !(is.numeric(births) && length(births) == 12L && all(is.finite(births) & births > 0))) {
    abort(c("{.arg births} must be the shares of twelve months.", x = "It is {describe(births)}."), "argument")
  }
  rows <- do.call(rbind, lapply(physical_devices(births), device_row, design, epsilon, n, theta))
  rows[order(-rows$epsilon), ]
}

# The file lists for each device the outcomes in their order, and their whole weights: of days ten thousandths.
physical_devices <- function(births) {
  table <- read.dcf(system.file("client", "devices.dcf", package = "candor"))
  days <- c(31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
  lapply(seq_len(nrow(table)), function(i) {
    thing <- as.list(table[i, ])
    thing[c("outcomes", "weights")] <- strsplit(c(thing$outcomes, thing$weights), " ")
    thing$weights <- rep_len(as.double(thing$weights), length(thing$outcomes))
    thing$total <- if (is.na(thing$total)) sum(thing$weights) else as.double(thing$total)
    if (is.null(births) || !startsWith(thing$device, "birthday")) return(thing)
    thing$total <- sum(births)
    thing$weights <- if (length(thing$outcomes) == 12) births else rep(sum(births / days), 28)
    thing
  })
}

device_row <- function(thing, design, epsilon, n, theta) {
  k <- length(thing$outcomes)
  sizes <- cumsum(thing$weights)
  odds <- switch(design, warner = sizes / (thing$total - sizes), (thing$total - sizes) / sizes)
  # Two events that exclude each other: the first outcomes and the last, of days the next. Months are not halved.
  forced <- design == "forced"
  fits <- which(odds > 1 + 1e-12 & log(odds) <= epsilon & (!forced | 2 * seq_len(k) <= k))
  if (forced && thing$device == "birthday, first months") fits <- integer()
  # Without an event there is no row: that of the first one is left out.
  m <- c(fits[which.max(odds[fits])], 1)[1]
  p <- sizes[m] / thing$total
  mechanism <- switch(design, warner = rr_warner(p), crosswise = rr_crosswise(p), forced = rr_forced(p))
  channel <- rr_matrix(mechanism)[, 2]
  yes <- sum(c(1 - theta, theta) * channel)
  last <- if (startsWith(thing$device, "birthday")) m + seq_len(m) else k - m + seq_len(m)
  events <- c(event_words(thing, seq_len(m)), if (forced) event_words(thing, last))
  row <- tibble::tibble(device = thing$device, event = paste(events, collapse = "; "),
                        fraction = fraction_text(sizes[m], thing$total), probability = p, epsilon = log(odds[m]),
                        std.error = sqrt(yes * (1 - yes) / n) / abs(channel[[2]] - channel[[1]]), note = thing$note,
                        mechanism = list(mechanism))
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
  mechanism <- check_mechanism(if (is.data.frame(x)) x$mechanism[[1]] else x, "x")
  sheet <- as.list(read.dcf(system.file("client", "instructions.dcf", package = "candor"))[1, ])
  sheet <- utils::modifyList(sheet, as.list(words))
  design <- sub("^rr_", "", mechanism$made$constructor)
  if (is.null(sheet[[design]])) abort(c("{.arg x} has no sheet.", x = "It is: {format(mechanism)}."), "argument")
  levels <- mechanism$levels
  channel <- rr_matrix(mechanism)
  event <- if (is.data.frame(x)) x$event[1] else if (design == "forced") sheet$named else sheet$chosen
  innocuous <- innocuous %||% if (is.data.frame(x)) sprintf(sheet$true, event)
  if (design == "forced") event <- sub("(.*); (.*)", sheet$two, event)
  paired <- design %in% c("crosswise", "triangular")
  share <- channel[2, 2] - if (design == "warner") 0 else channel[1, 2]
  says <- function(t) paste(sprintf(sheet$says, round(100 * channel[t, ]), levels), collapse = ", ")
  examples <- vapply(seq_along(levels), function(t) sprintf(sheet$example, levels[t], says(t)), "")
  text <- c(sheet$title, if (paired) sheet$mind else sheet$alone, sheet[[design]], paste(examples, collapse = "\n"),
            if (is.finite(mechanism$epsilon)) sheet$why else sheet$sure, sheet$methods)
  text <- paste0(paste(text, collapse = "\n\n"), "\n")
  values <- list(event = event, question = question, innocuous = innocuous, no = levels[1], yes = levels[2],
                 p = format(share, digits = 4), p1 = format(channel[2, 2], digits = 4),
                 p2 = format(channel[1, 2], digits = 4), answers = paste(levels, collapse = ", "),
                 epsilon = format(mechanism$epsilon, digits = 4), design = mechanism$design,
                 factor = ceiling(10 * exp(mechanism$epsilon) - 1e-6) / 10,
                 device = if (is.data.frame(x)) sprintf("; %s, probability %s", x$event[1], x$fraction[1]) else "",
                 named = paste0(levels, " ", format(apply(channel, 2, min), digits = 4), collapse = ", "))
  for (name in names(values)) {
    place <- paste0("{", name, "}")
    if (!grepl(place, text, fixed = TRUE)) next
    value <- values[[name]]
    if (length(value) != 1L) abort(c("{.arg {name}} must be one text.", x = "It is {describe(value)}."), "argument")
    text <- gsub(place, value, text, fixed = TRUE)
  }
  if (is.null(file)) return(text)
  write_whole(text, check_path(file))
  invisible(file)
}
