# Errors say how to mend what newcomers do most often.

die <- rr_forced(1 / 6)
answers <- data.frame(answer = c("yes", "no", "no", "yes"), region = c("a", "a", "b", "b"))

test_that("arguments without a name are told which names there are", {
  expect_error(rr_tally(answers, die, "answer"), 'after `mechanism` must be named.*"answer".*`column`, `weights`, `by`', class = "candor_error_argument")
  expect_error(rr_tally(answers$answer, die, answers$region), "after `mechanism` must be named.*`weights`, `by`", class = "candor_error_argument")
  expect_error(rr_tally(answers, "answer", die), "must be named.*the order is `x` and `mechanism`", class = "candor_error_argument")
  expect_error(rr_tally(answers, die, column = "answer", group = "region"), "Here it is `by`", class = "candor_error_argument")
  expect_error(rr_glm(answer ~ 1, answers, die, family = binomial), "Here it is `link`", class = "candor_error_argument")
})

test_that("the name of a method as mechanism belongs in method", {
  tally <- rr_tally(answers$answer, die)
  expect_error(rr_estimate(tally, "inv"), 'method = "inv"', class = "candor_error_argument")
  expect_error(rr_estimate(answers$answer, "inv"), 'method = "inv"', class = "candor_error_argument")
  # Where there are no methods it is nothing.
  expect_error(rr_tally(answers$answer, "inv"), "Describe how the answers were randomised", class = "candor_error_argument")
})

test_that("swapped arguments are told their order", {
  order <- "`x` is a mechanism.*The order is `x`, `mechanism`"
  expect_error(rr_estimate(die, answers$answer), order, class = "candor_error_argument")
  expect_error(rr_tally(die, answers), order, class = "candor_error_argument")
  expect_error(rr_top(die, 3, answers$answer), "`x` is a mechanism", class = "candor_error_argument")
  expect_error(rr_counts(die, c(yes = 2, no = 2)), "The order is `counts`, `mechanism`", class = "candor_error_argument")
  expect_error(rr_sample_size(0.03, die), "The order is `mechanism`, `margin`", class = "candor_error_argument")
})

test_that("a mechanism that was forgotten is asked for", {
  needed <- "`mechanism` is needed: how the answers were randomised.*Make a mechanism"
  expect_error(rr_tally(answers$answer), needed, class = "candor_error_argument")
  expect_error(rr_estimate(answers$answer), needed, class = "candor_error_argument")
  expect_error(rr_top(answers$answer), needed, class = "candor_error_argument")
  expect_error(rr_choose(answers$answer), needed, class = "candor_error_argument")
  expect_error(rr_estimate(die), "`mechanism` is needed.*`x` is a mechanism", class = "candor_error_argument")
})

test_that("what cannot be tallied is told where its tally or its column is", {
  fit <- rr_estimate(answers$answer, die)
  expect_error(rr_tally(fit), "It is a fit.*x\\$tally", class = "candor_error_argument")
  expect_error(rr_tally(fit, die), "It is a fit.*x\\$tally", class = "candor_error_argument")
  expect_error(rr_tally(answers$answer, die, column = "answer"), "names a column of a data frame.*Give the data frame", class = "candor_error_argument")
  con <- structure(list(), class = "DBIConnection")
  expect_error(rr_tally(con, die, column = "answer"), 'dplyr::tbl\\(connection, "reports"\\)', class = "candor_error_argument")
})

test_that("percent are told the share that may be meant", {
  expect_error(rr_warner(70), "Did you mean 0.7?", fixed = TRUE, class = "candor_error_argument")
  expect_error(rr_kuk(80, 0.2), "Did you mean 0.8?", fixed = TRUE, class = "candor_error_argument")
  expect_error(rr_forced(16.7), "Did you mean 0.167?", fixed = TRUE, class = "candor_error_argument")
  expect_error(rr_sample_size(die, 3), "Did you mean 0.03?", fixed = TRUE, class = "candor_error_argument")
  said <- tryCatch(rr_warner(1.5), error = conditionMessage)
  expect_no_match(said, "Did you mean")
})

test_that("what is no answer is told to be made NA", {
  blanks <- data.frame(answer = c("yes", "", "don't know", "no", ""))
  expect_error(rr_estimate(blanks, die, column = "answer", na.rm = TRUE),
               "If \"\", \"don't know\" are no answers, make them NA, then use `na.rm = TRUE`", class = "candor_error_level")
  expect_error(rr_tally(factor(c("yes", "Refused", "no")), die), "If \"Refused\" is no answer, make it NA", class = "candor_error_level")
  two <- rr_product(a = die, b = die)
  expect_error(rr_tally(data.frame(a = c("no", "n/a"), b = "yes"), two), "make it NA", class = "candor_error_level")
  # What may be a slip is not called that.
  expect_no_match(tryCatch(rr_tally(c("yes", "yse"), die), error = conditionMessage), "NA")
  # The remedy works.
  blanks$answer[blanks$answer %in% c("", "don't know")] <- NA
  expect_identical(suppressMessages(rr_tally(blanks, die, na.rm = TRUE))$missing, 3)
})

test_that("in a database blanks are made NULL, or left out", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "reports", data.frame(answer = c("yes", "", "no")))
  expect_error(rr_tally(dplyr::tbl(con, "reports"), die), "make it NULL.*`dplyr::filter\\(\\)`", class = "candor_error_level")
})

test_that("bare names of columns are told to be text", {
  expect_error(rr_tally(answers, die, column = answer), 'Write `column = "answer"` or `column = ~ answer`', class = "candor_error_argument")
  expect_error(rr_estimate(answers, die, column = "answer", by = region), 'There is no object `region`.*by = "region"', class = "candor_error_argument")
  expect_error(rr_estimate(answers, die, column = "answer", by = c(region, answer)),
               'by = c\\("region", "answer"\\)` or `by = ~ region \\+ answer`', class = "candor_error_argument")
  expect_error(rr_estimate(answers, die, column = "answer", weights = w), 'weights = "w"', class = "candor_error_argument")
  expect_error(rr_counts(data.frame(answer = c("yes", "no"), n = 2:3), die, column = answer), 'column = "answer"', class = "candor_error_argument")
  # Other errors of the user's stay as they are.
  expect_error(rr_tally(answers, die, column = "answer", by = survey$region), "survey")
  expect_error(rr_tally(answers, die, column = "answer", by = survey$region), class = "simpleError")
  expect_error(rr_tally(answers, die, column = stop("mine")), "mine", class = "simpleError")
})

test_that("two letters the wrong way round are one slip", {
  survey <- data.frame(clean = c("yes", "no"), region = "a")
  expect_error(rr_tally(survey, die, column = "claen"), 'Did you mean "clean"', class = "candor_error_argument")
  expect_error(rr_tally(c("yse", "no"), die), 'Did you mean "yes"', class = "candor_error_level")
  expect_error(rr_estimate(c("yes", "no"), die, interval = "wlison"), 'Did you mean "wilson"', class = "candor_error_argument")
  expect_no_match(tryCatch(rr_tally(survey, die, column = "cxaxn"), error = conditionMessage), "Did you mean")
})

test_that("shares, percentages and tables on their side are no counts", {
  expect_error(rr_counts(c(no = 0.341, yes = 0.659), die), "add up to 1, as shares do.*numbers of respondents", class = "candor_error_counts")
  expect_error(rr_counts(c(no = 34.1, yes = 65.9), die), "add up to 100, as percentages do", class = "candor_error_counts")
  expect_error(rr_counts(c(no = 34.1, yes = 12.9), die), "For weighted counts `rr_counts\\(\\)` takes `effective_n`", class = "candor_error_counts")
  expect_error(rr_counts(rbind(a = c(no = 3, yes = 4), b = c(1, 2)), die), "Rows must be reports: give `t\\(counts\\)`", class = "candor_error_level")
  expect_error(rr_counts(c(Yes = 831, no = 1604), die), 'Did you mean "yes"', class = "candor_error_level")
  expect_error(rr_channel(matrix(c(80, 20, 20, 80), 2)), "as percentages do: use `C / 100`", class = "candor_error_argument")
})

test_that("missing weights, names without data and numbers for labels are told what to do", {
  expect_error(rr_tally(answers, die, column = "answer", weights = c(1, NA, NA, 1)), "Weight 2 is NA \\(2 are missing\\).*subset\\(data, !is.na\\(w\\)\\)",
               class = "candor_error_argument")
  expect_error(rr_estimate(answers$answer, die, by = "region"), "Names of columns are for data frames", class = "candor_error_argument")
  expect_error(rr_tally(factor(c("low", "high")), rr_grr(2, epsilon = 1)), "rr_grr\\(levels\\(x\\), ...\\)", class = "candor_error_level")
  expect_error(rr_tally(c("low", "high"), rr_grr(2, epsilon = 1)), "all labels of the questionnaire", class = "candor_error_level")
  expect_message(rr_tally(c("yes", "no"), die, by = c("", "a")), '"group" is blank', class = "candor_message_blank")
})

test_that("a fit where a tally is needed has one", {
  fit <- rr_estimate(answers$answer, die)
  expect_error(rr_write(fit, tempfile()), "Its tally is in `fit\\$tally`", class = "candor_error_argument")
  expect_error(rr_posterior(fit), "Its tally is in `fit\\$tally`", class = "candor_error_argument")
  expect_error(rr_loglinear(~a, fit), "Its tally is in `fit\\$tally`", class = "candor_error_argument")
})

test_that("several methods, and several epsilons, are told how they are had", {
  expect_error(rr_estimate(answers$answer, die, method = c("mle", "inv")), 'lapply\\(c\\("mle", "inv"\\)', class = "candor_error_argument")
  expect_error(rr_grr(3, epsilon = c(1, 2)), "`rr_pool\\(\\)` puts the tallies together", class = "candor_error_argument")
})

test_that("estimates named the other way round, and functions without a name", {
  tally <- rr_counts(cbind(men = c(420, 330, 250), women = c(500, 300, 200)), rr_grr(c("never", "once", "often"), epsilon = 1))
  fit <- rr_estimate(tally, method = "inv")
  expect_error(rr_contrast(fit, c("never:men" = 1, "women:never" = -1)), 'Did you mean "men:never"', class = "candor_error_level")
  expect_identical(rr_contrast(fit, c("women:never" = 1, "men:never" = -1))$term, "women:never - men:never")
  expect_identical(rr_contrast(fit, c("men:once", "men:often"))$term, "men:once + men:often")
  expect_identical(rr_contrast(fit, c(0, 1, 2.5, 0, 0, 0))$term, "men:once + 2.5 men:often")
  expect_identical(rr_contrast(fit, list("men:often", list("men:often", c("men:once", "men:often")), total = rep(1, 6)))$term,
                   c("men:often", "men:often / (men:once + men:often)", "total"))
  expect_identical(rr_contrast(fit, diag(6)[1:2, ])$term, c("men:never", "men:once"))
  expect_identical(rr_contrast(fit, rep(1, 6))$term, "men:never + men:once + men:often ... (6 estimates)")
  expect_identical(rr_contrast(fit, list("men:never", "men:never"))$term, c("men:never", "men:never #1"))
})

test_that("a survey design without a column is called a survey design", {
  skip_if_not_installed("survey")
  design <- survey::svydesign(~1, weights = ~1, data = data.frame(answer = c("yes", "no", "no"), age = 20:22))
  expect_error(rr_estimate(design, die), "is a survey design with 2 columns", class = "candor_error_argument")
  expect_error(rr_tally(design, die), "is a survey design with 2 columns", class = "candor_error_argument")
})

test_that("categories, coefficients and groups that are almost there are named", {
  grr <- rr_grr(c("never", "once", "often"), epsilon = 1)
  fit <- rr_estimate(rr_counts(cbind(men = c(420, 330, 250), women = c(500, 300, 200)), grr))
  expect_error(tidy(fit, terms = "nevre"), 'Did you mean "never"', class = "candor_error_level")
  expect_error(fit["woman"], 'Did you mean "women"', class = "candor_error_level")
  expect_error(confint(rr_contrast(fit, list(all = "men:never")), "al"), 'Did you mean "all"', class = "candor_error_level")
  expect_error(confint(suppressWarnings(rr_multinom(~group, fit$tally)), "once:gruopwomen"), 'Did you mean "once:groupwomen"', class = "candor_error_level")
  expect_error(rr_contrast(list(fit, fit), "never"), "independent samples use `rr_compare\\(\\)`", class = "candor_error_argument")
})

test_that("misspelt arguments of rr_estimate() are known among the options of methods", {
  tally <- rr_counts(c(40, 60), rr_warner(0.8))
  wrong <- function(expr, note) expect_error(expr, note, class = "candor_error_argument", fixed = TRUE)
  wrong(rr_estimate(c("yes", "no"), rr_warner(0.8), weight = 1:2), "Did you mean `weights`?")
  wrong(rr_estimate(tally, conf.lvel = 0.9), "Did you mean `conf.level`?")
  wrong(rr_estimate(tally, level = 0.9), "Here it is `conf.level`.")
  wrong(rr_estimate(tally, method = "ibu", tolerence = 0.1), "Did you mean `tolerance`?")
  wrong(rr_estimate(tally, method = "base_cut", level = 0.1), "`level` is called `alpha` now")
})
