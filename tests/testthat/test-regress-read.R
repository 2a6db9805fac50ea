# What a formula and its data must be, and what is read of them.

test_that("the calls of a formula, without its operators", {
  calls <- function(formula) vapply(model_calls(formula[[length(formula)]]), deparse1, "")
  expect_identical(calls(y ~ a + log(b) * (c - poly(d, 2)) + offset(exp(e))), c("log(b)", "poly(d, 2)", "exp(e)"))
  expect_identical(calls(~ (1 | id) + cluster(a)), c("1 | id", "cluster(a)"))
  for (formula in list(y ~ (1 | id), y ~ x + (1 || id), y ~ cluster(id), y ~ offset(x))) expect_refused(check_terms(formula))
  expect_error(check_terms(y ~ offset(x), TRUE), NA)
  # A column of that name is no offset.
  expect_error(check_terms(y ~ offset + x), NA)
  expect_refused(check_one_sided(y ~ x, "f"), check_one_sided("x", "f"))
  expect_identical(report_formula(y ~ a + b), .report ~ a + b, ignore_formula_env = TRUE)
})

test_that("weights and arms are columns by name, text or formula", {
  data <- data.frame(w = 1:2, u = c("w", "u"))
  home <- environment()
  read <- function(expression) column_expression(expression, data, home)
  expect_identical(read(quote(w)), quote(w))
  expect_identical(read("w"), quote(w))
  expect_identical(read(quote(~ w)), quote(w))
  expect_identical(read(quote(2 * w)), quote(2 * w))
  # One row of text is text, unless it is the name of a column.
  one <- data.frame(arm = "s")
  expect_identical(column_expression(quote(arm), one, home), quote(arm))
  expect_identical(column_expression("arm", one, home), quote(arm))
})

test_that("weights that are not whole are told beyond a rounding", {
  told <- function(w) length(testthat::capture_messages(tell_sampling_weights(w)))
  expect_identical(c(told(c(1, 2)), told(c(1, 2 + 1.9e-6)), told(c(1, 2 + 2.1e-6)), told(0.9e-6), told(1.1e-6)), c(0L, 0L, 1L, 0L, 1L))
  expect_identical(frame_weights(data.frame(a = 1:3)), c(1, 1, 1))
  expect_identical(design_scale(NULL, 1:3), 1)
  expect_identical(design_scale(list(), c(0, 2, 4)), 2 / 6)
  expect_error(check_enough_rows(2, 3), class = "candor_error_argument")
  expect_error(check_enough_rows(3, 3), NA)
  expect_identical(c(check_starts(1), check_starts(1000)), c(1, 1000))
  expect_refused(check_starts(0), check_starts(1001), check_starts(1.5))
})

test_that("reports that no truth gives, columns that others make, factors of one category", {
  grr <- list(reports = c("a", "b", "c"))
  channel <- rbind(c(0.5, 0.5, 0), c(0.2, 0.8, 0))
  expect_error(check_possible(c(1, 3), channel, grr, "y"), class = "candor_error_impossible")
  expect_error(check_possible(c(1, 2), channel, grr, "y"), NA)
  x <- cbind(a = 1, b = c(1, 2, 5, 3), c = c(2, 3, 6, 4), d = c(0, 0, 1, 7))
  expect_message(keep <- independent_columns(x), class = "candor_message_aliased")
  expect_identical(keep, c(1L, 2L, 4L))
  # Rows of weight 0 do not tell columns apart.
  expect_identical(suppressMessages(independent_columns(x[, -3], c(1, 1, 0, 0))), 1:2)
  expect_identical(suppressMessages(independent_columns(x[, -3], c(1, 1, 1, 0))), 1:3)
  expect_identical(spread_coefficients(c(a = 1, c = 3), c("a", "b", "c")), c(a = 1, `NA` = NA, c = 3), ignore_attr = TRUE)
  fit <- list(coefficients = c(a = NA, b = NA, c = 1), boundary = list(coefficients = "b"))
  expect_identical(unname(is_aliased(fit)), c(TRUE, FALSE, FALSE))
  d <- data.frame(y = c(0, 1, 0, 1, 1), g = "u", h = factor(c("p", "q", "p", "q", "q")), x = c(1, 1, 1, 1, 1))
  expect_error(rr_glm(y ~ g, d, rr_warner(0.8)), class = "candor_error_argument")
  expect_error(check_factors(model.frame(y ~ h + x, d), "y"), NA)
  expect_error(check_factors(model.frame(g ~ h, d), "g"), NA)
})

test_that("kinds of values, and new rows that have them", {
  expect_identical(lapply(list(Sys.Date(), Sys.time(), "a", factor("a"), 1L, TRUE, NULL, as.difftime(1, units = "days")), value_kind),
                   list("dates", "times", "text", "text", "numbers", "numbers", NULL, NULL))
  d <- data.frame(x = 1:3, day = Sys.Date() + 0:2, g = c("a", "b", "a"))
  fit <- list(frame = d, xlevels = list(g = c("a", "b")))
  terms <- terms(~ x + day + g)
  expect_identical(nrow(newdata_frame(fit, terms, d)), 3L)
  expect_identical(nrow(newdata_frame(fit, terms, transform(d, x = NA))), 3L)
  expect_identical(newdata_frame(fit, terms, transform(d, g = c("a", NA, "b")))$g[2], factor(NA, c("a", "b")), ignore_attr = TRUE)
  expect_refused(newdata_frame(fit, terms, d[-1]), newdata_frame(fit, terms, transform(d, x = "1")), newdata_frame(fit, terms, transform(d, day = Sys.time())))
  expect_error(newdata_frame(fit, terms, transform(d, g = "c")), class = "candor_error_level")
  expect_refused(check_columns(c("x", "z"), d), newdata_frame(fit, terms, as.list(d)))
  # Numbers are no text, even if the text has their digits.
  digits <- list(frame = data.frame(g = c("1", "2")), xlevels = list(g = c("1", "2")))
  expect_refused(newdata_frame(digits, ~g, data.frame(g = 1:2)))
  expect_identical(newdata_frame(digits, ~g, data.frame(g = c("2", "1")))$g, factor(c("2", "1")))
  # A column is not replaced by an object of its name, some missing values have a kind, and missing values alone have none.
  x <- 1:3
  expect_refused(newdata_frame(fit, terms, d[-1]), newdata_frame(fit, terms, transform(d, x = c("1", NA, "2"))))
  expect_identical(nrow(newdata_frame(fit, terms, transform(d, day = NA))), 3L)
  # A class of its own is no kind.
  fit$xlevels <- NULL
  fit$frame$gap <- d$gap <- as.difftime(1:3, units = "days")
  expect_identical(newdata_frame(fit, ~gap, d)$gap, d$gap)
})

test_that("labelled covariates are factors of their labels, or numbers if some values have none", {
  labelled <- function(x, labels) structure(x, labels = labels, class = c("haven_labelled", "vctrs_vctr", typeof(x)))
  data <- data.frame(row.names = 1:4)
  data$all <- labelled(c(2, 1, NA, 2), c(low = 1, high = 2, never = 3))
  data$some <- labelled(c(10, 20, 99, 5), c(unknown = 99))
  data$none <- labelled(c(1, 2, 1, 1), c(unknown = 9))
  data$text <- labelled(c("x", "y", "x", "x"), c(Ex = "x"))
  data$report <- labelled(c(1, 2, 1, 2), c(no = 1, yes = 2))
  data$unused <- data$report
  used <- setdiff(names(data), "unused")
  expect_message(plain <- plain_columns(data, "report", used), class = "candor_message_labelled")
  expect_identical(plain$all, factor(c("high", "low", NA, "high"), c("low", "high")))
  expect_identical(plain[c("some", "none")], data.frame(some = c(10, 20, 99, 5), none = c(1, 2, 1, 1)), ignore_attr = TRUE)
  expect_identical(as.character(plain$text), c("Ex", "y", "Ex", "Ex"))
  expect_identical(plain[c("report", "unused")], data[c("report", "unused")])
  # Only `some` is told, unless a fit knows it as a factor.
  expect_no_message(plain_columns(data, used = setdiff(used, "some")))
  expect_no_message(known <- plain_columns(data, used = "some", factors = "some"))
  expect_setequal(levels(known$some), c("5", "10", "20", "unknown"))
  expect_identical(plain_columns(list(1)), list(1))
})

test_that("labels are read of the columns that a formula has, or of all after a dot, and an outcome of numbers has none", {
  labelled <- function(x, labels) structure(x, labels = labels, class = c("haven_labelled", "vctrs_vctr", typeof(x)))
  data <- data.frame(y = rep(0:1, 5), x = 1:10)
  data$part <- labelled(c(1:9, 99), c(unknown = 99))
  frame_of <- function(formula, ...) regression_frame(quote(fit()), formula, data, environment(), ...)
  expect_no_message(one <- frame_of(y ~ x, "y"))
  expect_named(one, c("y", "x"))
  expect_message(all <- frame_of(y ~ ., "y"), class = "candor_message_labelled")
  expect_identical(all$part, c(1:9, 99))
  # An outcome's labels are left out, and a factor stays one.
  data$score <- labelled(c(1, 2, 2, 1, 3, 1, 2, 3, 1, 2), c(low = 1, middle = 2, high = 3))
  data$kind <- factor(rep(c("u", "v"), 5))
  expect_identical(frame_of(score ~ x, outcome = "score")$score, c(1, 2, 2, 1, 3, 1, 2, 3, 1, 2))
  expect_identical(frame_of(score ~ x)$score, factor(c("low", "middle", "high")[c(1, 2, 2, 1, 3, 1, 2, 3, 1, 2)], c("low", "middle", "high")))
  expect_identical(frame_of(kind ~ x, outcome = "kind")$kind, data$kind)
})

test_that("a regression has rows, and none with a missing value", {
  data <- data.frame(y = rep(0:1, 10), x = c(1:19, NA))
  device <- rr_warner(0.8)
  expect_refused(rr_glm(y ~ x, data, device, subset = x > 99), rr_glm(y ~ x, data, device, na.action = na.pass), class = "missing")
  expect_message(fit <- quietly(rr_glm(y ~ x, data, device)), class = "candor_message_missing")
  expect_identical(nobs(fit), 19L)
  expect_refused(rr_glm(5, rr_tally(data$y, device)), rr_glm("y", data, device))
})

test_that("a tally by groups is rows of counts, worth their effective number", {
  tally <- rr_tally(c("yes", "no", "yes", "yes"), rr_warner(0.8), weights = c(1, 2, 3, 1), by = list(g = c("u", "u", "v", "v")))
  data <- grouped_counts(tally)
  expect_identical(as.character(data$g), c("u", "v"))
  # u: 1 yes and 2 no worth 9 / 5 reports; v: 4 yes worth 16 / 10.
  expect_equal(unname(as.matrix(data$.report)), rbind(c(1, 2) / 3 * 9 / 5, c(1.6, 0)), ignore_attr = TRUE)
  expect_identical(colnames(data$.report), c("yes", "no"))
  # Without groups one row.
  alone <- grouped_counts(rr_tally(c("yes", "no", "yes"), rr_warner(0.8)))
  expect_identical(alone, data.frame(.report = I(cbind(yes = 2, no = 1)), row.names = 1L), ignore_attr = TRUE)
  expect_identical(row.names(alone), "1")
})

test_that("the columns of a share, of the fit and of new rows", {
  frame <- data.frame(y = 1:4)
  frame[["(share: a)"]] <- c(1, 2, 3, 5)
  frame[["(share: g)"]] <- c("p", "q", "q", "p")
  shares <- share_columns(~ a + g, frame, "protective")
  expect_equal(unname(shares$v), cbind(1, c(1, 2, 3, 5), c(0, 1, 1, 0)), ignore_attr = TRUE)
  expect_equal(unname(new_share_columns(shares, data.frame(g = "q", a = 7))), cbind(1, 7, 1), ignore_attr = TRUE)
  expect_equal(unname(share_columns(~ 1, frame, "protective")$v), matrix(1, 4), ignore_attr = TRUE)
  expect_equal(unname(new_share_columns(share_columns(~ 1, frame, "protective"), data.frame(z = 1:2))), matrix(1, 2), ignore_attr = TRUE)
  expect_refused(new_share_columns(shares, data.frame(a = 1)), share_columns(y ~ a, frame, "protective"))
  expect_identical(names(share_variables(~ a + log(b))), c("share: a", "share: b"))
})

test_that("what an extension of rr_glm() does not have is refused, by its name", {
  device <- rr_crosswise(0.2)
  data <- data.frame(y = rep(c("no", "yes"), c(50, 30)), a = rep(c("no", "yes"), 40), x = rep(1:4, 20), id = rep(1:20, each = 4), w = rep(1:2, 40))
  anchor <- list(a = rr_anchor(device))
  refused <- function(formula, what, ...) {
    expect_error(suppressWarnings(suppressMessages(rr_glm(formula, data, ...))), what, class = "candor_error_argument")
  }
  intercept <- y ~ x + (1 | id)
  refused(intercept, "random intercept.*an anchor question", device, anchor = anchor)
  refused(intercept, "random intercept.*this link", device, link = "log")
  refused(intercept, "random intercept.*a penalty", device, penalty = "prior")
  refused(y ~ x, "attention.*this link", device, anchor = anchor, attention = ~1, link = "log")
  refused(y ~ x, "attention.*a penalty", device, anchor = anchor, attention = ~1, penalty = "prior")
  dealt <- rr_dealt(c(no = 1, yes = 1), cards = 5, block = "id")
  refused(y ~ x, "blocks.*an anchor question", dealt, anchor = anchor)
  refused(y ~ x, "blocks.*a penalty", dealt, penalty = "prior")
  expect_error(rr_glm(y ~ x, data, dealt, weights = w), "blocks.*weights", class = "candor_error_argument")
  skip_if_not_installed("survey")
  data <- survey::svydesign(ids = ~id, weights = ~w, data = data)
  refused(intercept, "random intercept.*a survey design", device)
})
