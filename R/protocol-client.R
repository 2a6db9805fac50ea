# Randomizing on the respondent's device: plans with the numbers of the sampler, and files that draw
# from them.

#' A client: randomize on the respondent's own device
#'
#' `rr_client()` writes one file that turns a true answer into a report on the respondent's device. The file needs nothing else. It draws with exactly the
#' probabilities of [rr_perturb()], so that `rr_epsilon(mechanism, achieved = TRUE)` holds for it, and [rr_tally()] counts its reports.
#' [rr_check_client()] tests whether the reports of a client come from its mechanism.
#'
#' The file depends on `as`:
#'
#' * `"page"`: a web page that asks `question`, explains what it does, randomizes in the browser, and shows, copies or sends (`send`) the report.
#' * `"javascript"`: a script, also a node module. `candorClient.report(candorClient.plan, answer)` draws a report. `candorClient.once(key, candorClient.plan, answer)`
#'   promises `{id, report}`, and always the same. `candorClient.fields(candorClient.plan, kept)` makes texts of it for the fields of a survey tool.
#' * `"module"`: the same as an ES module, `candor.mjs`.
#' * `"jspsych"`, `"surveyjs"`: a plugin for jsPsych (from version 7), and a question type for SurveyJS (from version 2). It asks one question that has a list of
#'   answers. A page can have several of these files, each with a `key` of its own: a trial or question takes the file of its key.
#' * `"python"`: `report(PLAN, answer)`, or `Client(PLAN)` with `report()` and `once()`.
#' * `"plan"`: the numbers, for a client in another language, see [`?clients`][clients].
#'
#' The page sends nothing but the report and a random identifier of the report: a Content-Security-Policy in the file forbids every other request. (As with any request the server also sees
#' an address and what the browser says of itself, and the page says so.) Random numbers come from `crypto.getRandomValues()` or the module `secrets`. Without them, or if they repeat themselves, a client stops.
#'
#' **A second report about one answer reveals more.** `once()` and the page therefore keep the report under `key`, in the browser's database and before it is shown or sent, and return
#' it again, even if the answer was changed. Another law under the same `key` is another place; another language is not. Once the report has arrived, the page does not show it on later
#' visits. With a permanent answer ([rr_longitudinal()], [rr_bloom()] with `permanent`) the
#' device draws the permanent answers to *all* levels at the first visit and keeps them alone, so that what is kept does not reveal the truth. Each visit makes a new report from them. Safari
#' deletes what pages keep after seven days without a visit. If the browser cannot keep anything, the page warns before it asks. A page cannot know that a window is private: it asks not to use one.
#'
#' **What is sent** is a JSON object: `id`, and a text for each question (`report`, for one question). `jsonlite::stream_in()` reads lines of these, and `rr_tally(posted, mechanism, column =
#' "report", id = "id")` counts each `id` once. A refusal (`decline`) is `null`: `na.rm = TRUE` drops it, and the tally's `missing` is the number of refusals. It is not randomized: it
#' discloses that this person declined, and estimates are then about those who did not.
#'
#' @param mechanism A mechanism: [rr_unary()], [rr_subset()], [rr_local_hash()], [rr_hadamard()], [rr_bloom()], [rr_bitflip()], their forms with a permanent answer, [rr_mean()],
#'   [rr_scramble()], or any mechanism whose reports are categories (survey designs, [rr_square_wave()]) with at most 1,000 levels ([rr_grr()]: any number). Or an [rr_product()] or
#'   [`rr_product(asked = 1)`][rr_product] of these.
#' @param file Name of the file to write.
#' @param as `"page"` (default), `"javascript"`, `"module"`, `"jspsych"`, `"surveyjs"`, `"python"` or `"plan"`, see the list.
#' @param question For a page: the question, one text. For an [rr_product()] one text per question, named.
#' @param key For a page or a plugin: the name under which the device keeps the report. Each study needs its own key, and so does each question that has a file of its own.
#' @param send For a page: an `https://` address that receives the report as JSON by POST, in the letters of ASCII. The server must allow requests of other origins. By default the
#'   respondent copies the report.
#' @param words For a page or a plugin: a named list of texts that replace the page's own. `intro`, which is empty, stands before the explanation: consent, contact. All names, in the order of the page:
#'   `old`, `title`, `intro`, `quote`, `how`, `lots`, `one`, `little`, `weak`, `certain`, `excluded`, `sure`, `some`, `more`, `picture`, `few`, `most`, `number`, `cards`, `nobody`, `guess`, `permanent`, `private`, `storage`, `frame`,
#'   `random`, `broken`, `trial`, `imagine`, `try`, `tried`, `asked`, `surely`, `unsure`, `right`, `wrong`, `choose`, `outside`, `decimals`, `decline`, `declined`, `draw`, `send`, `result`, `answered`,
#'   `shown`, `sent`, `differs`, `kept`, `drafts`, `also`, `waiting`, `retrying`, `failed`, `after`, `retry`, `full`, `copy`, `copied`, `next`. The texts are in the file `words.json` of
#'   `system.file("client", package = "candor")`. Words in braces are filled in.
#' @param language For a page or a plugin: the tag of its language. `"en"` (default), `"de"`, `"fr"`, `"es"` and `"ar"` have texts; any other needs all of `words`.
#' @param decline For a page: logical, default `FALSE`. Offer "I prefer not to say"?
#' @param practice For a page: logical, default `FALSE`. Let respondents first draw two reports as a trial, and ask what a report shows?
#' @param interviewer For a page: logical, default `FALSE`. Do several people answer on one device, one after another? The page then has a button for the next person, once the
#'   report has arrived. Not for permanent answers.
#' @param overwrite Logical, default `FALSE`. Replace an existing file?
#' @param ... Must be empty.
#' @return The name of the file, invisibly.
#' @section Errors:
#' * `candor_error_law`: a mechanism without a client; a plugin for several questions or for numbers; a mechanism whose reports reveal an answer (`rr_warner(1)`); or a mechanism that describes what people do
#'   ([rr_noncompliance()], [rr_misclassification()], [rr_lie_detector()], [rr_cheater_detection()], [rr_anchor()]).
#' * `candor_error_file`: an existing file, or a file that cannot be written.
#' * `candor_error_argument`: other arguments, and an argument that a file of this kind does not use.
#' @references Erlingsson, U., Pihur, V. and Korolova, A. (2014). RAPPOR. *CCS*, 1054-1067. \doi{10.1145/2660267.2660348} (permanent answers on the device)
#'
#'   Mironov, I. (2012). On significance of the least significant bits for differential privacy. *CCS*, 650-661. \doi{10.1145/2382196.2382264}
#' @seealso [rr_check_client()]; [clients] specifies clients in other languages; `articles/asking-in-the-browser.html` of the site puts a page into survey tools.
#' @concept web survey
#' @concept JavaScript
#' @concept Python
#' @concept on-device randomization
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' # A page for a sensitive question
#' mechanism <- rr_warner(0.8)
#' page <- rr_client(mechanism, tempfile(fileext = ".html"),
#'                   question = "Did you ever steal?", key = "theft-2026")
#' plan <- rr_client(mechanism, tempfile(fileext = ".json"), as = "plan")
#' readLines(plan, warn = FALSE)
#' @export
rr_client <- function(
  mechanism,
  file,
  as = c("page", "javascript", "module", "jspsych", "surveyjs", "python", "plan"),
  question = NULL,
  key = NULL,
  send = NULL,
  words = NULL,
  language = "en",
  decline = FALSE,
  practice = FALSE,
  interviewer = FALSE,
  overwrite = FALSE,
  ...
) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  as <- check_choice(as)
  file <- check_new_file(file, overwrite)
  check_installed("jsonlite", "to write a client")
  settings <- list(
    question = question,
    key = key,
    send = send,
    words = words,
    language = language,
    decline = decline,
    practice = practice,
    interviewer = interviewer
  )
  check_settings(as, settings)
  text <- written_client(as, mechanism, client_text(mechanism), settings)
  write_file(text, file)
  invisible(file)
}

# The text of a client of the kind `as`. `settings` are the other arguments of rr_client().
written_client <- function(as, mechanism, plan, settings) {
  script <- client_source("candor.js", "plan: null", paste("plan:", plan))
  switch(
    as,
    plan = plan,
    javascript = script,
    python = client_source(
      "candor.py", "None", sprintf("json.loads(\"%s\")", gsub("([\\\"])", "\\\\\\1", plan))
    ),
    page = client_page(
      mechanism, plan, settings$question, settings$key,
      list(
        send = check_address(settings$send),
        words = page_words(settings$words, settings$language),
        language = settings$language,
        decline = check_flag(settings$decline, "decline"),
        practice = check_flag(settings$practice, "practice"),
        interviewer = check_flag(settings$interviewer, "interviewer")
      )
    ),
    module = client_source("candor.mjs", "{{client}}", script),
    client_plugin(paste0(as, ".js"), mechanism, script, settings)
  )
}

# An error if settings are given that the file does not use.
check_settings <- function(as, settings) {
  plugin <- c("key", "words", "language")
  used <- list(page = names(settings), jspsych = plugin, surveyjs = plugin)[[as]]
  unset <- list(NULL, NULL, NULL, NULL, "en", FALSE, FALSE, FALSE)
  unused <- setdiff(names(settings)[!mapply(identical, settings, unset)], used)
  if (length(unused)) {
    abort(c(
      "{.arg {unused[1]}} must not be given for {.code as = {.val {as}}}.",
      x = "The file does not use it."
    ))
  }
}

# The text of a plugin: it asks one question, whose answers are buttons.
client_plugin <- function(source, mechanism, script, settings) {
  levels <- if (is.null(client_questions(mechanism))) checked_plan(mechanism)$levels
  if (!length(levels)) {
    abort(
      c(
        "A plugin must ask one question with a list of answers.",
        x = "{.arg mechanism} is: {format(mechanism)}."
      ),
      c("law", "argument")
    )
  }
  check_lines(
    list(key = settings$key, levels = unlist(levels)),
    c(1, length(levels))
  )
  page <- list(
    key = settings$key,
    words = page_words(settings$words, settings$language),
    language = settings$language
  )
  text <- client_source(source, "{{ask}}", client_source("ask.js", "{{page}}", json_text(page)))
  # Last, since labels in the script may look like a placeholder.
  put_text(text, "{{client}}", script)
}

# The path, or an error if the file is there and must not be replaced.
check_new_file <- function(file, overwrite) {
  file <- check_path(file)
  if (file.exists(file) && !check_flag(overwrite, "overwrite")) {
    abort(
      "{.file {file}} is there already: {.code overwrite = TRUE} replaces it.",
      c("file", "argument")
    )
  }
  file
}

# The text of a file of inst/client, with `text` in place of its first `placeholder`.
client_source <- function(name, placeholder, text) {
  put_text(file_text(system.file("client", name, package = "candor")), placeholder, text)
}

# The text with `value` in place of its first `placeholder`. Every character of `value` stands for
# itself.
put_text <- function(text, placeholder, value) sub(placeholder, value, text, fixed = TRUE)

# The text with each of `values` in place of its name in braces, one after another.
put_texts <- function(text, values) {
  for (name in names(values)) {
    text <- put_text(text, paste0("{{", name, "}}"), values[[name]])
  }
  text
}

# The text of a file in UTF-8, with line ends of Unix.
file_text <- function(file) {
  lines <- readLines(file, encoding = "UTF-8", warn = FALSE)
  paste0(lines, "\n", collapse = "")
}

# The text as HTML that shows it.
html_text <- function(text) {
  gsub("<", "&lt;", gsub("&", "&amp;", text, fixed = TRUE), fixed = TRUE)
}

# The questions of a mechanism, whether a respondent answers each of them or one; NULL if it has
# none.
client_questions <- function(mechanism) {
  mechanism$questions %||% if (identical(mechanism$codec$part, "question")) mechanism$parts
}

# The plan file of a mechanism: JSON, which clients read and candor reads back.
client_text <- function(mechanism) {
  questions <- client_questions(mechanism)
  plans <- lapply(names(questions), function(name) {
    list(name = name, plan = checked_plan(questions[[name]]))
  })
  members <- list(
    format = "candor client",
    version = 1,
    epsilon = if (is.finite(mechanism$epsilon)) mechanism$epsilon,
    mechanism = tryCatch(plain_argument(mechanism), candor_error = function(e) NULL),
    plan = if (is.null(questions)) checked_plan(mechanism),
    questions = if (length(plans)) plans,
    sample = if (length(plans) && is.null(mechanism$questions)) TRUE
  )
  json_text(members[lengths(members) > 0])
}

# The plan of a mechanism, or an error. No device can draw what people do, nor the interviewer's
# mistakes, and no device shall draw what protects nobody.
checked_plan <- function(mechanism) {
  if (!identical(designed(mechanism), mechanism) || !is.null(mechanism$parameters)) {
    refuse_behaviour(mechanism)
  }
  plan <- client_plan(mechanism)
  if (is.infinite(mechanism$epsilon) && has_revealed_answer(plan, mechanism)) {
    refuse_client(mechanism, "Each report to some answer reveals that answer.")
  }
  plan
}

# Is there an answer whose every report no other answer has?
has_revealed_answer <- function(plan, mechanism) {
  if (!is.null(plan$own)) {
    return(all(
      c(plan$own, plan$other) %in% c("1", strrep("0", 16))
    ))
  }
  if (identical(plan$chance, "1")) return(TRUE)
  # Sums of the probabilities of cards have rounding errors.
  isTRUE(report_evidence(mechanism)$certain > 1 - 1e-9)
}

# ---- what may be promised ----

# The rule for what a page or a sheet may say of questions whose reports have this epsilon together:
#   caution   "little" or "weak" if the answer is guessed right in more than 90 or 99 of 100 cases,
#             else NULL
#   guess     the most of 100 cases in which one of two equally likely answers is guessed right
#             from a report; NULL if epsilon is infinite
#   reveals   "sure" if some report shows an answer for certain, "some" if some rules one out, else
#             NULL
client_promise <- function(questions, epsilon) {
  evidence <- list(guess = 1 / (1 + exp(-epsilon)), certain = 0)
  if (is.infinite(epsilon)) {
    unbounded <- questions[vapply(questions, `[[`, 0, "epsilon") == Inf]
    # Methods that are not registered are found from here, not from lapply().
    pieces <- lapply(unbounded, function(question) report_evidence(question))
    evidence <- lapply(
      c(guess = "guess", certain = "certain"),
      function(name) max(vapply(pieces, `[[`, 0, name))
    )
  }
  guess <- round(100 * evidence$guess, 9)
  n_limits <- sum(guess > c(90, 99))
  list(
    caution = if (n_limits > 0) c("little", "weak")[n_limits],
    guess = if (is.finite(epsilon)) ceiling(guess),
    reveals = if (is.infinite(epsilon)) {
      if (evidence$certain > 0) "sure" else "some"
    }
  )
}

# How many of 100 people with each answer, a list, make each report, a list: NULL if none can. NULL
# if there are too many answers or reports for pictures.
pictured_shares <- function(mechanism) {
  plan <- client_plan(mechanism)
  if (!length(plan$reports) ||
      max(lengths(plan[c("levels", "reports")])) > 4) {
    return(NULL)
  }
  channel <- unname(rr_matrix(mechanism))
  lapply(seq_len(nrow(channel)), function(x) {
    shares <- whole_shares(100, channel[x, ])
    Map(function(share, p) if (p > 0) share, shares, channel[x, ])
  })
}

# What reports show if some of them rule out an answer, at the worst answers: list(guess, certain).
# `guess` is the probability that the right one of two equally likely answers is guessed; `certain`,
# that a report can come from one answer alone.
report_evidence <- function(mechanism) UseMethod("report_evidence")

report_evidence.default <- function(mechanism) {
  if (draws_bits(mechanism)) {
    p <- mechanism$sampler$p
    q <- mechanism$sampler$q
    k <- length(mechanism$levels)
    # A bit of 1 is the truth's if q is 0, and the only bit of 1 is if p is 1. A bit of 0 is the
    # truth's if q is 1, and the only bit of 0 is if p is 0.
    certain <- c(
      if (q == 0) p,
      if (p == 1) (1 - q)^(k - 1),
      if (q == 1) 1 - p,
      if (p == 0) q^(k - 1)
    )
    return(list(
      guess = (1 + abs(p - q)) / 2,
      certain = max(0, certain)
    ))
  }
  if (!has_categories(mechanism) || length(mechanism$levels) > 1000) {
    return(list(guess = 1, certain = 0))
  }
  channel <- rr_matrix(mechanism)
  possible <- channel > 0
  certain <- rowSums(
    channel * (possible & col(possible) %in% which(colSums(possible) == 1))
  )
  list(
    guess = (1 + max(dist(channel, "manhattan")) / 2) / 2,
    certain = max(certain)
  )
}

# An error: the mechanism includes what respondents do.
refuse_behaviour <- function(mechanism) {
  refuse_client(
    mechanism, "It describes what people do, which no device draws: give the design in it."
  )
}

# An error: a client cannot draw from the mechanism.
refuse_client <- function(mechanism, why, instead = NULL) {
  abort(
    c(
      "{.arg mechanism} has no client, see {.help rr_client}.", x = "It is: {format(mechanism)}.",
      x = why, i = instead
    ),
    c("law", "argument")
  )
}

# ---- plans: the numbers of the sampler, as ?clients describes them ----

# The plan of a mechanism: a list that becomes JSON.
client_plan <- function(mechanism) UseMethod("client_plan")

# A plan without its empty members. `numbers` are those of the sampler of bits, whose words become
# `own` and `other`: P(1) of the truth's bit and of any other bit.
new_plan <- function(
  kind, mechanism, ..., numbers = NULL, reports = NULL, levels = mechanism$levels
) {
  bits <- if (!is.null(numbers)) .Call(C_rr_bit_words, as.double(numbers))
  members <- list(
    kind = kind,
    k = length(mechanism$levels),
    own = bits[1],
    other = bits[2],
    ...
  )
  c(
    members[lengths(members) > 0],
    list(levels = I(levels), reports = I(as.character(reports)))
  )
}

client_plan.rr_mechanism <- function(mechanism) {
  if (draws_bits(mechanism)) {
    return(new_plan("bits", mechanism, numbers = mechanism$sampler$numbers))
  }
  if (!has_categories(mechanism)) refuse_client(mechanism, "Its reports are of another kind.")
  sampler <- category_sampler(mechanism)
  k <- length(mechanism$levels)
  if (k > 1000 && !startsWith(sampler$kind, "grr")) {
    refuse_client(mechanism, "It has more than 1,000 levels.")
  }
  numbers <- as.double(sampler$numbers)
  result <- .Call(C_rr_plan_words, plan_sizes(mechanism), plan_kind(sampler), numbers)
  words <- result$words
  if (result$kind != "rows") {
    return(new_plan(result$kind, mechanism, chance = words, reports = mechanism$reports))
  }
  truth <- rep(seq_len(k), each = length(words) / k)
  cuts <- unname(lapply(split(words, truth), I))
  new_plan(
    "rows",
    mechanism,
    cuts = cuts,
    reports = mechanism$reports,
    breaks = I(as.double(mechanism$breaks))
  )
}

client_plan.rr_compose <- function(mechanism) {
  if (!is_memoised(mechanism)) return(NextMethod())
  second <- if (draws_bits(mechanism$second)) {
    second_bits_plan(mechanism)
  } else {
    client_plan(mechanism$second)
  }
  new_plan("memoised", mechanism, first = client_plan(mechanism$first), second = second,
           reports = if (has_categories(mechanism)) mechanism$reports)
}

# The plan of a second stage that draws the bits of the first once more.
second_bits_plan <- function(mechanism) {
  new_plan("again", mechanism$second, numbers = mechanism$second$sampler$numbers)
}

# The probability 1 - p of a coin's second side, in words for a plan, as draw_coins() draws it.
# `p_second` is 1 - p without loss of digits.
coin_words <- function(p, p_second) {
  if (p == 0) return("1")
  kind <- plan_kind(list(kind = "binary"))
  words <- .Call(
    C_rr_plan_words, c(2, 2), kind, c(p, p_second, 0, 1)
  )$words
  words[2]
}

# The probability that a report supports its truth, in words for a plan.
support_words <- function(mechanism) {
  .Call(C_rr_chance_words, mechanism$sampler$factor, mechanism$epsilon)
}

# ---- the page ----

# The text of a web page that asks the questions and randomizes the answers. Text goes in as JSON
# and is shown as text, never as HTML. The hashes let this script and this style run, and no other.
client_page <- function(mechanism, plan, question, key, settings) {
  questions <- client_questions(mechanism) %||% list(mechanism)
  if (!is.null(names(questions))) {
    question <- unlist(as.list(question)[names(questions)])
  }
  lines <- list(
    question = question,
    key = key,
    levels = unlist(lapply(questions, `[[`, "levels"))
  )
  check_lines(lines, c(length(questions), 1, length(lines$levels)))
  if (settings$interviewer && any(vapply(questions, is_memoised, NA))) {
    abort(c(
      "{.arg interviewer} must be {.code FALSE} for permanent answers.",
      x = "A device keeps those of one person."
    ))
  }
  promise <- client_promise(questions, lasting_epsilon(questions, mechanism))
  settings <- c(
    settings,
    list(
      question = I(unname(question)),
      shares = unname(lapply(questions, pictured_shares)),
      key = key
    ),
    promise[lengths(promise) > 0]
  )
  members <- json_text(settings[lengths(settings) > 0])
  page <- paste0("{\"client\": ", plan, ", ", substring(members, 2))
  page <- gsub("<", "\\u003c", page, fixed = TRUE)
  text <- client_source(
    "page.html", "{{client}}", file_text(system.file("client", "candor.js", package = "candor"))
  )
  text <- put_text(text, "{{page}}", page)
  for (tag in c("script", "style")) {
    text <- put_text(text, paste0("{{", tag, "}}"), element_hash(text, tag))
  }
  send <- settings$send
  address <- if (is.null(send)) "'none'" else sub("[?].*", "", send)
  right_to_left <- "^(ar|arc|ckb|dv|fa|he|ks|ps|sd|syr|ug|ur|yi)(-|$)|-(Arab|Hebr|Thaa)(-|$)"
  direction <- if (grepl(right_to_left, settings$language)) "rtl" else "ltr"
  put_texts(text, list(
    connect = address,
    language = settings$language,
    dir = direction,
    old = html_text(settings$words$old)
  ))
}

# An error if one of `lines` is not as many lines of text as `n_lines` says.
check_lines <- function(lines, n_lines) {
  is_line <- function(text) grepl("[^[:space:]]", text) & !grepl("[[:cntrl:]]", text)
  for (i in seq_along(lines)) {
    text <- lines[[i]]
    if (is.character(text) && length(text) == n_lines[i] && all(is_line(text))) {
      next
    }
    abort(c(
      "{.arg {names(lines)[i]}} must be {n_lines[i]} line{?s} of text.",
      x = "It is {describe(text)}."
    ))
  }
}

# The hash of a page's script or style, in base64.
element_hash <- function(text, tag) {
  content <- sub(sprintf(".*<%s>(.*)</%s>.*", tag, tag), "\\1", text)
  hash <- cli::hash_raw_sha256(charToRaw(enc2utf8(content)))
  bytes <- strtoi(
    substring(hash, 2 * 1:32 - 1, 2 * 1:32), 16
  )
  jsonlite::base64_enc(as.raw(bytes))
}

# Epsilon of all reports of a device together: a page of permanent answers makes many.
lasting_epsilon <- function(questions, mechanism) {
  if (all(vapply(questions, is_memoised, NA))) {
    sum(vapply(questions, permanent_epsilon, 0))
  } else {
    mechanism$epsilon
  }
}

# The texts of the page, a list: those of the user, else those of the language.
page_words <- function(words, language) {
  shipped <- jsonlite::read_json(system.file("client", "words.json", package = "candor"))
  check_that(
    is.character(language) && grepl("^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", language), language,
    "language", "one tag of a language, such as {.val de} or {.val pt-BR}"
  )
  words <- as.list(words)
  unknown <- setdiff(names(words), names(shipped$en))
  if (length(unknown) || length(words) != sum(nzchar(names(words)))) {
    suggestion <- if (length(unknown)) meant_of(unknown, names(shipped$en))
    abort(c(
      "{.arg words} must have names of the page's texts, see {.help rr_client}.",
      x = "It is {describe(words)}.",
      x = if (length(unknown)) "There is no text {.val {unknown[1]}}.", i = suggestion
    ))
  }
  for (name in names(words)) {
    text <- words[[name]]
    is_text <- is.character(text) && length(text) == 1L && !is.na(text)
    check_that(is_text, text, paste0("words$", name), "one text")
  }
  translation <- shipped[[sub("-.*", "", tolower(language))]]
  lacking <- if (is.null(translation)) setdiff(names(shipped$en), names(words))
  if (length(lacking)) {
    abort(c(
      "{.arg words} must have all texts: there are none in {.arg language} {.val {language}}.",
      x = "It lacks {format_labels(lacking)}."
    ))
  }
  utils::modifyList(translation %||% list(), words)[names(shipped$en)]
}

# The address for reports, or an error. Browsers send to no other address: a policy has no letters
# beyond ASCII, and is not compared with an address that browsers rewrite; a request has no name or
# password.
check_address <- function(send) {
  port <- "(:([0-5]?[0-9]{1,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
  label <- "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?"
  byte <- "(25[0-5]|2[0-4][0-9]|1?[1-9]?[0-9])"
  # A last label that begins with a digit is read as a number.
  host <- sprintf(
    "((%s[.])*[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?|(%s[.]){3}%s)", label, byte, byte
  )
  pattern <- paste0(
    "^https://", host, port, "([/?]([A-Za-z0-9._~!$&()*+=:@/?-]|%[0-9A-Fa-f]{2})*)?$"
  )
  is_address <- is.character(send) && length(send) == 1L && grepl(pattern, send) &&
    !grepl("/([.]|%2e){1,2}(/|$)", sub("[?].*", "", send), ignore.case = TRUE)
  check_that(
    is.null(send) || is_address, send, "send",
    paste(
      "an address that starts with https://, in ASCII, without a name and password, and written",
      "as browsers write it"
    )
  )
}
