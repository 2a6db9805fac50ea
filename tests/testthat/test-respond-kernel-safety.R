# What leaves the respondent's side besides reports.

two <- rr_product(drugs = rr_warner(0.8), theft = rr_warner(0.8))
truth <- data.frame(id = 1:4, drugs = "no", theft = "yes", secret = "murder", row.names = c("Ann", "Bob", "Cy", "Di"))

test_that("a data frame comes back with what was randomized and nothing else", {
  expect_message(reports <- rr_perturb(truth, two), "secret", class = "candor_message_keep")
  expect_identical(names(reports), c("drugs", "theft"))
  expect_identical(attributes(reports)[c("class", "row.names")], list(class = "data.frame", row.names = 1:4))
  attr(truth, "note") <- "the truth"
  expect_message(kept <- rr_perturb(truth, two, keep = "id"), "\"id\"", class = "candor_message_keep")
  expect_identical(names(kept), c("id", "drugs", "theft"))
  expect_identical(kept$id, 1:4)
  expect_null(attr(kept, "note"))
  # A question that was forgotten
  expect_message(reports <- rr_perturb(truth[c("drugs", "theft")], rr_product(drugs = rr_warner(0.8))), "theft")
  expect_identical(names(reports), "drugs")
  expect_silent(rr_perturb(truth[c("drugs", "theft")], two))
  expect_refused(rr_perturb(truth, two, keep = "drugs"), rr_perturb(truth, two, keep = "name"), rr_perturb(truth, two, keep = 1),
                 rr_perturb("no", rr_warner(0.8), keep = "id"))
})

test_that("no error prints an answer", {
  m <- rr_grr(c("a", "b"), epsilon = 1)
  tries <- expression(
    rr_perturb(c("a", "heroin"), m), rr_perturb(factor(c("a", "heroin")), m), rr_perturb("heroin", two),
    rr_perturb(data.frame(drugs = "heroin", theft = "no"), two), rr_perturb(m, "heroin"), rr_perturb("heroin", "heroin"),
    rr_perturb(list("heroin"), m), rr_perturb(c(1, 4711), m), rr_perturb(c(1, 4711.5), m), rr_perturb(4711L, rr_grr(3, epsilon = 1)),
    rr_perturb(as.Date(4711, "1970-01-01"), m), rr_perturb(4711 + 0i, m), draw_reports(m, 4711L),
    rr_perturb(structure("heroin", class = "drug"), m), rr_perturb(structure(4711L, levels = c("a", "b"), class = "factor"), m),
    rr_perturb(structure(1, labels = c(heroin = 1), class = "haven_labelled"), m)
  )
  for (call in tries) {
    error <- tryCatch(eval(call), candor_error = function(e) e)
    expect_s3_class(error, "candor_error")
    expect_no_match(rlang::cnd_message(error), "heroin|4711|1982")
  }
})

# The text of a condition and of those that it stands for, without the bullets and lines that cli makes of it, which take
# most of the time.
text_of <- function(cnd) {
  c(if (inherits(cnd, "rlang_error")) c(cnd$message, as.character(cnd$body)) else conditionMessage(cnd), if (!is.null(cnd$parent)) text_of(cnd$parent))
}

# Every condition of a call, as text.
said_by <- function(code) {
  said <- character()
  hear <- function(cnd) said <<- c(said, text_of(cnd))
  error <- tryCatch(withCallingHandlers(suppressWarnings(suppressMessages(code)), condition = hear), error = function(e) e)
  list(text = said, error = inherits(error, "error"), known = inherits(error, "candor_error"))
}

test_that("no condition of any mechanism holds an answer", {
  withr::local_options(warn = 1)
  mechanisms <- c(travelling_mechanisms(), list(
    halves = rr_grr(c(0.5, 1.5, 2.5), epsilon = 1), ages = rr_grr(0:99, epsilon = 1), ages_unary = rr_unary(0:99, 1),
    ages_hash = rr_local_hash(0:99, 1), ages_hierarchy = rr_hierarchy(0:99, 1), ages_wave = rr_square_wave(as.character(0:9), 1),
    rows = rr_product(age = rr_grr(0:99, epsilon = 1), b = rr_unary(3, 1), c = rr_bloom(4, 1, bits = 8), d = rr_bitflip(8, 1)),
    mixed = rr_product(age = rr_local_hash(0:99, 1), b = rr_mean(c(0, 1), 1), c = rr_count_mean_sketch(1, 16, 3), asked = 1)
  ))
  answers <- list(
    c(1, 37.9), 37900000000, matrix(37.9, 2, 2), c("a", "SENTINEL"), factor(c("SENTINEL", "a"), ordered = TRUE), "\u0004SENTINEL",
    list("SENTINEL"), structure(c(37.9, NA), labels = c(SENTINEL = 37.9), class = "haven_labelled")
  )
  # One mechanism of each way of reading answers has the odd ones too, and one of each reader all of those above.
  odd <- list(
    37.9, c(37.9, 38.9), -379L, 37.9 + 0i, c(a = 37.9), "SENTINEL", factor("SENTINEL"), "SENTINEL\xff", list(37.9),
    factor(c("c", "a", "SENTINEL"), c("c", "a", "SENTINEL"), ordered = TRUE), as.Date("3007-09-01"), quote(SENTINEL),
    structure(37.9, class = "age"), structure(379L, levels = "a", class = "factor"), as.POSIXct("3007-09-01", "UTC")
  )
  all_ways <- c("ordered", "mean", "wave_breaks", "flip_buckets", "ages_hierarchy", "bloom", "sketch_bit", "prefixes", "product")
  tell_tale <- "SENTINEL|37\\.?9|38\\.9|3007"
  table_of <- function(columns) structure(columns, class = "data.frame", row.names = seq_along(columns[[1]]))
  # Who reads the answers, and whether labels are numbers. Weekly all mechanisms have all answers.
  read_by <- function(mechanism) {
    reader <- Find(function(class) !is.null(getS3method("prepare_answers", class, optional = TRUE)), class(mechanism))
    paste(reader, if (is.null(mechanism$questions)) anyNA(truth_side(mechanism)$numeric_levels))
  }
  again <- duplicated(vapply(mechanisms, read_by, "")) & !names(mechanisms) %in% all_ways
  leaks <- unknown <- character()
  for (name in names(mechanisms)) {
    mechanism <- mechanisms[[name]]
    given_here <- if (again[[match(name, names(mechanisms))]]) extended(answers[c(1, 4)], answers) else answers
    parts <- names(mechanism$questions %||% if (!inherits(mechanism, c("rr_hierarchy", "rr_prefixes"))) mechanism$parts)
    refused <- 0
    for (x in c(given_here, if (name %in% all_ways) odd)) {
      given <- list(x)
      # Of several questions each has it in turn.
      if (length(parts) && is.atomic(x) && is.null(dim(x))) {
        given <- lapply(parts, function(part) table_of(lapply(stats::setNames(nm = parts), function(other) if (other == part) x else rep(1, length(x)))))
      }
      for (one in given) {
        said <- said_by(rr_perturb(one, mechanism))
        if (any(grepl(tell_tale, said$text))) leaks <- c(leaks, paste(name, deparse(x)[1], said$text[1]))
        if (said$error && !said$known) unknown <- c(unknown, paste(name, deparse(x)[1], said$text[1]))
        refused <- refused + said$error
      }
    }
    expect_gt(refused, if (length(given_here) > 2) 2 else 1)
  }
  expect_identical(leaks, character())
  expect_identical(unknown, character())
})
