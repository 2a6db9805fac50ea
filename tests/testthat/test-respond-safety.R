# What leaves the respondent's side besides reports.

two <- rr_product(drugs = rr_warner(0.8), theft = rr_warner(0.8))
truth <- data.frame(id = 1:4, drugs = "no", theft = "yes", secret = "murder", row.names = c("Ann", "Bob", "Cy", "Di"))

test_that("a data frame comes back with what was randomised and nothing else", {
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
  expect_error(rr_perturb(truth, two, keep = "drugs"), class = "candor_error_argument")
  expect_error(rr_perturb(truth, two, keep = "name"), class = "candor_error_argument")
  expect_error(rr_perturb(truth, two, keep = 1), class = "candor_error_argument")
  expect_error(rr_perturb("no", rr_warner(0.8), keep = "id"), class = "candor_error_argument")
})

test_that("no error prints an answer", {
  m <- rr_grr(c("a", "b"), epsilon = 1)
  tries <- expression(
    rr_perturb(c("a", "heroin"), m), rr_perturb(factor(c("a", "heroin")), m), rr_perturb("heroin", two),
    rr_perturb(data.frame(drugs = "heroin", theft = "no"), two), rr_perturb(m, "heroin"), rr_perturb("heroin", "heroin"),
    rr_perturb(list("heroin"), m), rr_perturb(c(1, 4711), m), rr_perturb(c(1, 4711.5), m), rr_perturb(4711L, rr_grr(3, epsilon = 1)),
    rr_perturb(as.Date(4711, "1970-01-01"), m), rr_perturb(4711 + 0i, m), rr_draw_reports(m, 4711L),
    rr_perturb(structure("heroin", class = "drug"), m), rr_perturb(structure(4711L, levels = c("a", "b"), class = "factor"), m),
    rr_perturb(structure(1, labels = c(heroin = 1), class = "haven_labelled"), m)
  )
  for (call in tries) {
    error <- tryCatch(eval(call), candor_error = function(e) e)
    expect_s3_class(error, "candor_error")
    expect_no_match(rlang::cnd_message(error), "heroin|4711|1982")
  }
  expect_snapshot(rr_perturb(c("a", "x", "y", "x"), m), error = TRUE)
})

test_that("swapped arguments are said to be, without an answer", {
  expect_snapshot(error = TRUE, {
    rr_perturb(rr_warner(0.8), c("no", "yes"))
    rr_perturb(rr_warner(0.8), "yes")
  })
})
