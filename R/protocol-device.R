# Physical devices: dice, coins, cards, slips, digits and birthdays, with the exact chances that they have.

#' Dice, coins, cards and birthdays for a privacy budget
#'
#' `rr_device()` lists the dice, coins, cards, slips of paper, digits and birthdays whose epsilon is nearest to a wanted epsilon without exceeding it.
#' `rr_instructions()` writes the sheet for the respondent, with a sentence for the methods section.
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
#'
#' `rr_instructions()`: the text, or invisibly the name of the file.
#' @section Errors:
#' `candor_error_argument` for arguments out of range, a mechanism without a sheet, and a missing `innocuous` question.
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
#' @export
rr_device <- function(design = c("warner", "crosswise", "forced"), epsilon, n = NULL, truth = NULL, births = NULL,
                      ...) {
  check_dots_empty(...)
  design <- check_choice(design, "design", eval(formals()$design))
  epsilon <- check_number(epsilon, "epsilon", min = 0, min_open = TRUE)
  n <- if (is.null(n)) NA_real_ else check_count(n, "n", min = 1)
  truth <- check_probability(truth %||% 0.5, "truth")
  check_that(is.null(births) || (is.numeric(births) && length(births) == 12L && all(is.finite(births) & births > 0)),
             births, "births", "the shares of twelve months")
  rows <- do.call(rbind, lapply(physical_devices(births), device_row, design, epsilon, n, truth))
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

device_row <- function(thing, design, epsilon, n, truth) {
  k <- length(thing$outcomes)
  sizes <- cumsum(thing$weights)
  odds <- switch(design, warner = sizes / (thing$total - sizes), (thing$total - sizes) / sizes)
  # Two events that exclude each other: the first outcomes and the last, of days the next. Months are not halved.
  forced <- design == "forced"
  halves <- 2 * seq_len(k) <= k & thing$device != "birthday, first months"
  fits <- which(odds > 1 + 1e-12 & log(odds) <= epsilon & (!forced | halves))
  # Without an event there is no row: that of the first one is left out.
  m <- c(fits[which.max(odds[fits])], 1)[1]
  p <- sizes[m] / thing$total
  mechanism <- switch(design, warner = rr_warner(p), crosswise = rr_crosswise(p), forced = rr_forced(p))
  channel <- rr_matrix(mechanism)[, 2]
  yes <- sum(c(1 - truth, truth) * channel)
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
  if (size != floor(size) || total != floor(total)) return(format(size / total, digits = 4))
  divisor <- function(a, b) if (b == 0) a else divisor(b, a %% b)
  paste(sprintf("%.0f", c(size, total) / divisor(total, size)), collapse = "/")
}

#' @param x A row of what `rr_device()` returns; or a mechanism of [rr_warner()], [rr_crosswise()], [rr_triangular()], [rr_forced()], [rr_unrelated()], [rr_kuk()] or [rr_grr()].
#' @param question The sensitive question, one text.
#' @param innocuous The innocuous question, if the design has one and `x` is a mechanism.
#' @param file Name of a Markdown file to write. By default the text is returned.
#' @param words A list of texts that replace the sheet's own, with the names in the file `instructions.dcf` of `system.file("client", package = "candor")`. Words in
#'   braces are filled in.
#' @rdname rr_device
#' @export
rr_instructions <- function(x, question, innocuous = NULL, file = NULL, words = NULL, ...) {
  check_dots_empty(...)
  mechanism <- check_mechanism(if (is.data.frame(x)) x$mechanism[[1]] else x, "x")
  sheet <- as.list(read.dcf(system.file("client", "instructions.dcf", package = "candor"))[1, ])
  sheet <- utils::modifyList(sheet, as.list(words))
  design <- sub("^rr_", "", mechanism$made$constructor %||% "")
  check_that(!is.null(sheet[[design]]), mechanism, "x", "a design that has a sheet")
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
    check_that(length(values[[name]]) == 1L, values[[name]], name, "one text")
    text <- gsub(place, values[[name]], text, fixed = TRUE)
  }
  if (is.null(file)) return(text)
  write_whole(text, check_path(file))
  invisible(file)
}
