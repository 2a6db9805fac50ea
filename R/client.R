# Randomising on the respondent's device: plans with the numbers of the sampler, and files that draw from them.

#' A client: randomizing on the respondent's own device
#'
#' `rr_client()` writes one file that turns a true answer into a report where the answer is given: a web page, JavaScript, Python, or the numbers alone. The file needs
#' nothing else. It draws with exactly the probabilities of [rr_perturb()], which are whole numbers of \eqn{2^{-64}}{2^-64}, so that `rr_epsilon(mechanism, achieved = TRUE)` holds for it
#' too. [rr_tally()] counts its reports.
#'
#' * `"page"`: a page that asks `question`, randomizes in the browser, says in plain words what it does, and shows, copies or sends (`send`) the report. It sends nothing else: a
#'   Content-Security-Policy in the file forbids every other request.
#' * `"javascript"`: `candorClient.report(candorClient.plan, answer)` is a report, drawn anew; `candorClient.once(key, candorClient.plan, answer)` is the same report for ever. A module of node
#'   has the same functions.
#' * `"python"`: `report(PLAN, answer)`, or `Client(PLAN)` with `report()` and `once()`.
#' * `"plan"`: the numbers, for a client in another language. The page [clients] says what they mean.
#'
#' Random numbers come from `crypto.getRandomValues()` or the module `secrets`. Without them a client stops and sends nothing.
#'
#' **A second report about one answer tells more.** `once()` and the page therefore keep the report under `key` and return it again, also if the answer was changed. With a permanent answer
#' ([rr_longitudinal()], [rr_memoised()], [rr_bloom()] with `permanent`) the device keeps the permanent answers under `key`, and each load of the page makes a new report from them.
#' If the browser keeps nothing, the page says so before it asks.
#'
#' @param mechanism A mechanism. There are clients for mechanisms whose reports are categories (at most 1,000 levels; any number of [rr_grr()]), which all survey designs and
#'   [rr_square_wave()] are, for [rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()], [rr_bloom()], [rr_bitflip()], their forms with a permanent answer, and an [rr_product()] of these.
#' @param file The name of the file to write.
#' @param as What to write, see above.
#' @param question For a page: the question, one text; for an [rr_product()] a text for each question, with the names of the questions.
#' @param key For a page: the name under which the device keeps the report. Another study needs another key.
#' @param send For a page: an address (`https://`) to which the report is sent as JSON by POST; the server must allow requests of other origins. Without it the respondent copies the report.
#' @param words For a page: text that replaces the page's own, a list with names among `language` (`"de"`), `title`, `intro` (what happens, with its numbers), `storage`, `draw`, `sent`, `after`,
#'   `again`, `copy`, `failed`.
#' @param overwrite Replace a file that is there?
#' @param ... Not used, and refused.
#' @return The name of the file, invisibly.
#' @section Errors:
#' `candor_error_law` for a mechanism without a client, and for one that describes what people do ([rr_noncompliance()], [rr_misclassification()], [rr_lie_detector()],
#' [rr_cheater_detection()], [rr_anchor()]): a device cannot draw that; `candor_error_argument` for the rest; `candor_error_file` for a file that is there or cannot be written.
#' @seealso [rr_check_client()] tests the reports of any client; `vignette("asking-in-the-browser")` puts a page into survey tools.
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
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
    abort(c("{.file {file}} is there already.", i = "{.code overwrite = TRUE} replaces it."), c("file", "argument"))
  }
  check_installed("jsonlite", "to write a client")
  plan <- json_text(client_members(mechanism))
  write_whole(switch(as,
    plan = plan,
    javascript = client_source("candor.js", "plan: null", paste("plan:", plan)),
    python = client_source("candor.py", "PLAN = None", sprintf("PLAN = json.loads(\"%s\")", gsub("([\\\"])", "\\\\\\1", plan))),
    page = client_page(mechanism, plan, question, key, send, words)
  ), file)
  invisible(file)
}

# A file of inst/client with one place filled in.
client_source <- function(name, place, text) {
  lines <- readLines(system.file("client", name, package = "candor"), encoding = "UTF-8")
  parts <- strsplit(paste0(paste(lines, collapse = "\n"), "\n"), place, fixed = TRUE)[[1]]
  paste(parts, collapse = text)
}

client_members <- function(mechanism) {
  questions <- mechanism$questions
  members <- list(format = "candor client", version = 1, epsilon = if (is.finite(mechanism$epsilon)) mechanism$epsilon,
                  mechanism = tryCatch(mechanism_recipe(mechanism), candor_error = function(e) NULL),
                  plan = if (is.null(questions)) checked_plan(mechanism),
                  questions = if (!is.null(questions)) {
                    unname(Map(function(name, one) list(name = name, plan = checked_plan(one)), names(questions), questions))
                  })
  members[!vapply(members, is.null, NA)]
}

# What people do, or the interviewer's mistakes, no device can draw.
checked_plan <- function(mechanism) {
  describes <- !identical(designed(mechanism), mechanism) || !is.null(mechanism$parameters) ||
    identical(mechanism$levels, anchor_truths)
  if (describes) refuse_client(mechanism, "It describes what people do, which no device draws: give the design in it.")
  client_plan(mechanism)
}

refuse_client <- function(mechanism, why) {
  abort(c("{.arg mechanism} has no client.", x = "It is: {format(mechanism)}.", x = why, i = "See {.help rr_client}."),
        c("law", "argument"))
}

# ---- plans: what the sampler draws, as ?clients describes it ----

client_plan <- function(mechanism) UseMethod("client_plan")

new_plan <- function(kind, mechanism, ..., reports = character(), levels = mechanism$levels) {
  list(kind = kind, k = length(mechanism$levels), ..., levels = I(levels), reports = I(reports))
}

client_plan.rr_mechanism <- function(mechanism) {
  if (!has_categories(mechanism)) refuse_client(mechanism, "Its reports are of another kind.")
  numbers <- perturbation(mechanism)
  k <- length(mechanism$levels)
  if (k > 1000 && !startsWith(numbers$kind, "grr")) refuse_client(mechanism, "It has more than 1,000 levels.")
  drawn <- .Call(C_rr_plan_words, plan_sizes(mechanism), plan_kind(numbers), as.double(numbers$numbers))
  if (drawn$kind != "rows") return(new_plan(drawn$kind, mechanism, chance = drawn$words, reports = mechanism$reports))
  cuts <- lapply(split(drawn$words, rep(seq_len(k), each = length(drawn$words) / k)), I)
  plan <- new_plan("rows", mechanism, cuts = unname(cuts), reports = mechanism$reports)
  if (!is.null(mechanism$breaks)) plan$breaks <- I(mechanism$breaks)
  plan
}

client_plan.rr_compose <- function(mechanism) {
  if (!is_memoised(mechanism)) return(NextMethod())
  second <- mechanism$second
  two_plans(mechanism, client_plan(mechanism$first), if (inherits(second, "rr_unary")) again_plan(second) else client_plan(second))
}

two_plans <- function(mechanism, first, second) {
  list(kind = "memoised", levels = I(mechanism$levels), reports = if (has_categories(mechanism)) second$reports else I(character()),
       first = first, second = second)
}

bit_plan <- function(kind, unary, mechanism, ...) {
  words <- .Call(C_rr_bit_words, as.double(unary_plan(unary)))
  new_plan(kind, mechanism, own = words[1], other = words[2], ...)
}

# Bits of a first stage, drawn once more.
again_plan <- function(unary) bit_plan("again", unary, unary)[c("kind", "k", "own", "other")]

client_plan.rr_unary <- function(mechanism) bit_plan("bits", mechanism, mechanism)

client_plan.rr_bloom <- function(mechanism) {
  places <- apply(mechanism$places - 1, 3, function(cohort) apply(cohort, 2, I, simplify = FALSE), simplify = FALSE)
  filter <- function(unary) {
    plan <- bit_plan("bloom", unary, mechanism, cohorts = mechanism$cohorts, places = unname(places))
    plan$k <- mechanism$bits_number
    plan
  }
  if (!mechanism$memoised) return(filter(single_bits(mechanism)))
  second <- rr_unary(mechanism$bits_number, p = mechanism$given_1, q = mechanism$given_0)
  two_plans(mechanism, filter(turned_bits(mechanism)), again_plan(second))
}

client_plan.rr_bitflip <- function(mechanism) {
  words <- .Call(C_rr_bit_words, c(2 * mechanism$bit_epsilon, 0))
  new_plan("flipped", mechanism, size = mechanism$d, own = words[1], other = words[2],
           levels = mechanism$values$labels %||% mechanism$levels)
}

chance_plan <- function(kind, mechanism, factor, ...) {
  new_plan(kind, mechanism, chance = .Call(C_rr_chance_words, as.double(factor), mechanism$epsilon), ...)
}

client_plan.rr_subset <- function(mechanism) {
  chance_plan("subset", mechanism, length(mechanism$levels) / mechanism$size, size = mechanism$size)
}

client_plan.rr_local_hash <- function(mechanism) {
  if (mechanism$g * mechanism$prime >= 2^52) refuse_client(mechanism, "It hashes to too many values.")
  functions <- lapply(mechanism$functions, I)
  do.call(chance_plan, c(list("hash", mechanism, mechanism$g, g = mechanism$g, prime = mechanism$prime, codes = I(mechanism$codes)),
                         if (length(functions)) list(slopes = functions$slope, shifts = functions$shift)))
}

client_plan.rr_hadamard <- function(mechanism) {
  if (mechanism$one_bit) {
    return(new_plan("sign", mechanism, size = mechanism$size, flip = .Call(C_rr_bit_words, c(mechanism$epsilon, 1))[2]))
  }
  chance_plan("hadamard", mechanism, 2 * mechanism$blocks, blocks = mechanism$blocks, size = mechanism$size)
}

# ---- the page ----

# Text goes in as JSON and is shown as text, never as HTML. The hashes let this script and this style run, and no other.
client_page <- function(mechanism, plan, question, key, send, words) {
  names <- names(mechanism$questions)
  one_line <- function(x) is.character(x) && length(x) == 1L && !is.na(x) && grepl("^[^[:cntrl:]]*[^[:space:][:cntrl:]][^[:cntrl:]]*$", x)
  if (!is.null(names)) question <- as.list(question)[names] else question <- list(question)
  if (!all(vapply(question, one_line, NA))) {
    abort(c("{.arg question} must be one line of text{if (!is.null(names)) ' for each question, by its name'}."), "argument")
  }
  if (!one_line(key)) abort(c("{.arg key} must be one line of text for a page.", x = "It is {describe(key)}."), "argument")
  if (!is.null(send) && !(one_line(send) && grepl("^https://[^[:space:];,'\"<>]+$", send))) {
    abort(c("{.arg send} must be an address that starts with {.val https://}.", x = "It is {describe(send)}."), "argument")
  }
  labels <- unlist(lapply(mechanism$questions %||% list(mechanism), `[[`, "levels"))
  if (!all(vapply(labels, one_line, NA))) abort(c("The levels must be lines of text for a page.", x = "One is empty or has several lines."), "argument")
  settings <- list(question = I(unlist(question, use.names = FALSE)), key = key, send = send, words = as.list(words))
  settings <- json_text(settings[!vapply(settings, is.null, NA)])
  settings <- sub("^[{]", paste0("{\"client\": ", plan, ", "), gsub("\"words\": \\[\\]", "\"words\": {}", settings))
  text <- client_source("page.html", "{{page}}", gsub("<", "\\u003c", settings, fixed = TRUE))
  fill <- function(name, value) text <<- paste(strsplit(text, paste0("{{", name, "}}"), fixed = TRUE)[[1]], collapse = value)
  fill("client", client_source("candor.js", "\n", "\n"))
  for (part in c("script", "style")) {
    inside <- sub(sprintf(".*<%s>(.*)</%s>.*", part, part), "\\1", text)
    bytes <- cli::hash_raw_sha256(charToRaw(enc2utf8(inside)))
    fill(part, jsonlite::base64_enc(as.raw(strtoi(substring(bytes, 2 * 1:32 - 1, 2 * 1:32), 16))))
  }
  fill("connect", if (is.null(send)) "'none'" else sub("[?#].*", "", send))
  fill("language", as.list(words)$language %||% "en")
  text
}
