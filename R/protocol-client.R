# Randomizing on the respondent's device: plans with the numbers of the sampler, and files that draw from them.

#' A client: randomize on the respondent's own device
#'
#' `rr_client()` writes one file that turns a true answer into a report on the respondent's device. The file needs nothing else. It draws with exactly the
#' probabilities of [rr_perturb()], so that `rr_epsilon(mechanism, achieved = TRUE)` holds for it, and [rr_tally()] counts its reports.
#' [rr_check_client()] tests whether the reports of a client come from its mechanism.
#'
#' The file depends on `as`:
#'
#' * `"page"`: a web page that asks `question`, randomizes in the browser, explains what it does, and shows, copies or sends (`send`) the report.
#' * `"javascript"`: `candorClient.report(candorClient.plan, answer)` draws a report; `candorClient.once(key, candorClient.plan, answer)` always returns the
#'   same report. A node module has the same functions.
#' * `"python"`: `report(PLAN, answer)`, or `Client(PLAN)` with `report()` and `once()`.
#' * `"plan"`: the numbers, for a client in another language, see [clients].
#'
#' The page sends nothing but the report: a Content-Security-Policy in the file forbids every other request. Random numbers come from
#' `crypto.getRandomValues()` or the module `secrets`. Without them a client stops and sends nothing.
#'
#' **A second report about one answer reveals more.** `once()` and the page therefore keep the report under `key` and return it again, even if the answer was
#' changed. With a permanent answer ([rr_longitudinal()], [rr_bloom()] with `permanent`) the device keeps the permanent answers under `key`, and each load of
#' the page makes a new report from them. If the browser cannot keep anything, the page warns before it asks.
#'
#' @param mechanism A mechanism: [rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()], [rr_bloom()], [rr_bitflip()], their forms with a permanent answer, or any mechanism
#'   whose reports are categories (survey designs, [rr_square_wave()]) with at most 1,000 levels ([rr_grr()]: any number). Or an [rr_product()] of these.
#' @param file Name of the file to write.
#' @param as `"page"` (default), `"javascript"`, `"python"` or `"plan"`, see the table.
#' @param question For a page: the question, one text. For an [rr_product()] one text per question, named.
#' @param key For a page: the name under which the device keeps the report. Each study needs its own key.
#' @param send For a page: an `https://` address that receives the report as JSON by POST. The server must allow requests of other origins. By default the
#'   respondent copies the report.
#' @param words For a page: a list of texts that replace the page's own, with names among `language` (`"de"`), `title`, `intro`, `storage`, `draw`, `sent`, `after`,
#'   `again`, `copy`, `failed`.
#' @param overwrite Logical, default `FALSE`. Replace an existing file?
#' @param ... Must be empty.
#' @return The name of the file, invisibly.
#' @section Errors:
#' * `candor_error_law`: a mechanism without a client, or a mechanism that describes what people do ([rr_noncompliance()], [rr_misclassification()], [rr_lie_detector()],
#'   [rr_cheater_detection()], [rr_anchor()]).
#' * `candor_error_file`: an existing file, or a file that cannot be written.
#' * `candor_error_argument`: other arguments.
#' @references Erlingsson, U., Pihur, V. and Korolova, A. (2014). RAPPOR. *CCS*, 1054-1067. \doi{10.1145/2660267.2660348} (permanent answers on the device)
#'
#'   Mironov, I. (2012). On significance of the least significant bits for differential privacy. *CCS*, 650-661. \doi{10.1145/2382196.2382264}
#' @seealso [rr_check_client()]; [clients] specifies clients in other languages; `vignette("asking-in-the-browser", package = "candor")` puts a page into survey tools.
#' @concept web survey
#' @concept JavaScript
#' @concept on-device randomization
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' # A page for a sensitive question
#' mechanism <- rr_warner(0.8)
#' page <- rr_client(mechanism, tempfile(fileext = ".html"), question = "Did you ever steal?",
#'                   key = "theft-2026")
#' plan <- rr_client(mechanism, tempfile(fileext = ".json"), as = "plan")
#' readLines(plan, warn = FALSE)
#' @export
rr_client <- function(mechanism, file, as = c("page", "javascript", "python", "plan"), question = NULL, key = NULL,
                      send = NULL, words = NULL, overwrite = FALSE, ...) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  as <- check_choice(as, "as", eval(formals()$as))
  file <- check_path(file)
  if (file.exists(file) && !check_flag(overwrite, "overwrite")) {
    abort("{.file {file}} is there already: {.code overwrite = TRUE} replaces it.", c("file", "argument"))
  }
  check_installed("jsonlite", "to write a client")
  plan <- client_text(mechanism)
  text <- switch(
    as, plan = plan, javascript = client_source("candor.js", "plan: null", paste("plan:", plan)),
    python = client_source("candor.py", "None", sprintf("json.loads(\"%s\")", gsub("([\\\"])", "\\\\\\1", plan))),
    page = client_page(mechanism, plan, question, key, send, as.list(words))
  )
  write_whole(text, file)
  invisible(file)
}

# A file of inst/client whose first `place` is filled in.
client_source <- function(name, place, text) {
  file <- system.file("client", name, package = "candor")
  content <- readChar(file, file.size(file), useBytes = TRUE)
  Encoding(content) <- "UTF-8"
  put_text(content, place, text)
}

put_text <- function(text, place, value) {
  at <- regexpr(place, text, fixed = TRUE)
  paste0(substr(text, 1, at - 1), value, substring(text, at + nchar(place)))
}

client_text <- function(mechanism) {
  questions <- mechanism$questions
  each <- lapply(names(questions), function(name) list(name = name, plan = checked_plan(questions[[name]])))
  members <- list(format = "candor client", version = 1, epsilon = if (is.finite(mechanism$epsilon)) mechanism$epsilon,
                  mechanism = tryCatch(plain_argument(mechanism), candor_error = function(e) NULL),
                  plan = if (is.null(questions)) checked_plan(mechanism), questions = if (length(each)) each)
  json_text(members[lengths(members) > 0])
}

# What people do, or the interviewer's mistakes, no device can draw.
checked_plan <- function(mechanism) {
  if (identical(designed(mechanism), mechanism) && is.null(mechanism$parameters)) {
    return(client_plan(mechanism))
  }
  refuse_behaviour(mechanism)
}

refuse_behaviour <- function(mechanism) {
  refuse_client(mechanism, "It describes what people do, which no device draws: give the design in it.")
}

refuse_client <- function(mechanism, why) {
  abort(c("{.arg mechanism} has no client, see {.help rr_client}.", x = "It is: {format(mechanism)}.", x = why),
        c("law", "argument"))
}

# ---- plans: what the sampler draws, as ?clients describes it ----

client_plan <- function(mechanism) UseMethod("client_plan")

# `numbers` are what the sampler of bits is given.
new_plan <- function(kind, mechanism, ..., numbers = NULL, reports = NULL, levels = mechanism$levels) {
  bits <- if (!is.null(numbers)) .Call(C_rr_bit_words, as.double(numbers))
  members <- list(kind = kind, k = length(mechanism$levels), own = bits[1], other = bits[2], ...)
  c(members[lengths(members) > 0], list(levels = I(levels), reports = I(as.character(reports))))
}

client_plan.rr_mechanism <- function(mechanism) {
  if (draws_bits(mechanism)) return(new_plan("bits", mechanism, numbers = mechanism$sampler$numbers))
  if (!has_categories(mechanism)) refuse_client(mechanism, "Its reports are of another kind.")
  numbers <- category_sampler(mechanism)
  k <- length(mechanism$levels)
  if (k > 1000 && !startsWith(numbers$kind, "grr")) refuse_client(mechanism, "It has more than 1,000 levels.")
  drawn <- .Call(C_rr_plan_words, plan_sizes(mechanism), plan_kind(numbers), as.double(numbers$numbers))
  if (drawn$kind != "rows") return(new_plan(drawn$kind, mechanism, chance = drawn$words, reports = mechanism$reports))
  cuts <- unname(lapply(split(drawn$words, rep(seq_len(k), each = length(drawn$words) / k)), I))
  new_plan("rows", mechanism, cuts = cuts, reports = mechanism$reports, breaks = I(as.double(mechanism$breaks)))
}

client_plan.rr_compose <- function(mechanism) {
  if (!is_memoised(mechanism)) return(NextMethod())
  second <- if (draws_bits(mechanism$second)) again_plan(mechanism$second) else client_plan(mechanism$second)
  new_plan("memoised", mechanism, first = client_plan(mechanism$first), second = second,
           reports = if (has_categories(mechanism)) mechanism$reports)
}

# Bits of a first stage, drawn once more.
again_plan <- function(unary) new_plan("again", unary, numbers = unary$sampler$numbers)

client_plan.rr_bloom <- function(mechanism) {
  places <- lapply(seq_len(mechanism$cohorts), function(cohort) {
    lapply(seq_along(mechanism$levels), function(x) I(mechanism$places[, x, cohort] - 1))
  })
  first <- if (mechanism$memoised) turned_bits(mechanism) else single_bits(mechanism)
  plan <- new_plan("bloom", mechanism, numbers = first$sampler$numbers, cohorts = mechanism$cohorts, places = places)
  plan$k <- mechanism$bits_number
  if (!mechanism$memoised) return(plan)
  new_plan("memoised", mechanism, first = plan, second = again_plan(mechanism$second))
}

client_plan.rr_bitflip <- function(mechanism) {
  new_plan("flipped", mechanism, size = mechanism$d, numbers = c(2 * mechanism$bit_epsilon, 0),
           levels = mechanism$values$labels %||% mechanism$levels)
}

client_plan.rr_subset <- function(mechanism) {
  new_plan("subset", mechanism, chance = support_words(mechanism), size = mechanism$size)
}

support_words <- function(mechanism) .Call(C_rr_chance_words, mechanism$sampler$factor, mechanism$epsilon)

client_plan.rr_local_hash <- function(mechanism) {
  if (mechanism$g * mechanism$prime >= 2^52) refuse_client(mechanism, "It hashes to too many values.")
  functions <- lapply(mechanism$functions, I)
  new_plan("hash", mechanism, chance = support_words(mechanism), g = mechanism$g, prime = mechanism$prime,
           codes = I(mechanism$codes),
           slopes = functions$slope, shifts = functions$shift)
}

client_plan.rr_hadamard <- function(mechanism) {
  if (mechanism$one_bit) {
    return(new_plan("sign", mechanism, size = mechanism$size, flip = .Call(C_rr_bit_words, c(mechanism$epsilon, 1))[2]))
  }
  new_plan("hadamard", mechanism, chance = support_words(mechanism), blocks = mechanism$blocks, size = mechanism$size)
}

# ---- the page ----

# Text goes in as JSON and is shown as text, never as HTML. The hashes let this script and this style run, and no other.
client_page <- function(mechanism, plan, question, key, send, words) {
  questions <- mechanism$questions %||% list(mechanism)
  if (!is.null(names(questions))) question <- unlist(as.list(question)[names(questions)])
  lines <- list(question = question, key = key, levels = unlist(lapply(questions, `[[`, "levels")))
  wanted <- c(length(questions), 1, length(lines$levels))
  for (i in seq_along(lines)) {
    x <- lines[[i]]
    if (is.character(x) && length(x) == wanted[i] && all(grepl("[^[:space:]]", x) & !grepl("[[:cntrl:]]", x))) next
    abort(c("{.arg {names(lines)[i]}} must be {wanted[i]} line{?s} of text.", x = "It is {describe(x)}."), "argument")
  }
  check_that(is.null(send) || isTRUE(grepl("^https://[^[:space:][:cntrl:];,'\"<>]+$", send)), send, "send",
             "an address that starts with https://")
  words$language <- words$language %||% "en"
  settings <- list(question = I(unname(question)), key = key, words = words, send = send)
  settings <- json_text(settings[lengths(settings) > 0])
  settings <- gsub("<", "\\u003c", paste0("{\"client\": ", plan, ", ", substring(settings, 2)), fixed = TRUE)
  text <- client_source("page.html", "{{client}}", client_source("candor.js", "", ""))
  text <- put_text(text, "{{page}}", settings)
  for (part in c("script", "style")) {
    inside <- sub(sprintf(".*<%s>(.*)</%s>.*", part, part), "\\1", text)
    bytes <- cli::hash_raw_sha256(charToRaw(enc2utf8(inside)))
    hash <- jsonlite::base64_enc(as.raw(strtoi(substring(bytes, 2 * 1:32 - 1, 2 * 1:32), 16)))
    text <- put_text(text, paste0("{{", part, "}}"), hash)
  }
  text <- put_text(text, "{{connect}}", if (is.null(send)) "'none'" else sub("[?#].*", "", send))
  put_text(text, "{{language}}", words$language)
}
