# The pages and plugins of states.js, written into `folder`.
page <- function(name, mechanism, question = "Did you ever steal?", ...) {
  rr_client(mechanism, file.path(folder, paste0(name, ".html")), question = question, key = name, ..., overwrite = TRUE)
}
collector <- "https://collector.example/"
# A second draw of this one would nearly always be another report.
page("race", rr_grr(letters[1:10], 0.1), send = paste0(collector, "ok"))
for (way in c("ok", "slow", "hang", "drop", "error", "redirect", "silent", "flaky")) {
  page(paste0("send-", way), rr_warner(0.8), send = paste0(collector, way))
}
page("permanent", rr_longitudinal(c("a", "b", "c"), 3, 2, "grr-grr"))
for (name in c("pilot", "study")) {
  rr_client(rr_warner(c(pilot = 0.8, study = 0.7)[[name]]), file.path(folder, paste0(name, ".html")), question = "?", key = "theft")
}
rr_client(rr_grr(letters[1:10], 0.1), file.path(folder, "named-candor.html"), question = "?", key = "candor")
page("wide", rr_grr(c(strrep("Donaudampfschiff", 5), "no"), 1), strrep("Donaudampfschiff", 5))
page("several", rr_product(drugs = rr_warner(0.8), often = rr_grr(c("never", "weekly", "daily"), 1.5)), c(drugs = "Drugs?", often = "How often?"),
     words = list(intro = "A survey of the university.\nContact: office@university.example"))
page("trial", rr_warner(0.8), practice = TRUE)
page("number", rr_mean(c(0, 24), 1), "How many hours?", decline = TRUE)
page("cards", rr_scramble(c(0, 10), add = c(-2, 0, 2)), "How many?")
page("arabic", rr_warner(0.8, levels = c("\u0644\u0627", "\u0646\u0639\u0645")), "\u0647\u0644 \u0641\u0639\u0644\u062a\u061f", language = "ar",
     send = paste0(collector, "ok"))
page("decline", rr_warner(0.8), decline = TRUE, send = paste0(collector, "ok"))
page("triangular", rr_triangular(0.25))
page("weak", rr_grr(5, 20))
page("list", rr_unary(letters, 1))
cards <- rr_channel(rbind(c(0.7, 0.3), c(0.2, 0.8)), levels = c("innocent", "guilty"), reports = c("red", "black"))
rr_client(cards, file.path(folder, "module.mjs"), "module")
# A second file of each kind, whose reports have other labels.
other <- rr_channel(rbind(c(0.7, 0.3), c(0.2, 0.8)), levels = c("innocent", "guilty"), reports = c("green", "blue"))
for (as in c("jspsych", "surveyjs")) {
  rr_client(cards, file.path(folder, paste0(as, ".js")), as, key = "theft")
  rr_client(other, file.path(folder, paste0(as, "-other.js")), as, key = "fraud")
}
# The lines of the article, twice on one page. Their reports hold the answer but for one in 1e17.
yes_no <- list(rr_grr(c("no", "yes"), 40), rr_channel(rbind(c(1 - 1e-12, 1e-12), c(1e-12, 1 - 1e-12)), levels = c("no", "yes"), reports = c("green", "blue")))
article <- readLines(file.path("..", "..", "vignettes", "articles", "asking-in-the-browser.Rmd"), encoding = "UTF-8")
first <- which(article == "<div>")[1]
lines <- paste(article[first:(first + which(article[-seq_len(first)] == "</div>")[1])], collapse = "\n")
copies <- vapply(1:2, function(i) {
  script <- readLines(rr_client(yes_no[[i]], tempfile(), "javascript"), encoding = "UTF-8")
  copy <- sub("keep(report);", "(window.kept = window.kept || []).push(report);", sub("theft-2026", paste0("copy-", i), lines, fixed = TRUE), fixed = TRUE)
  paste(c("<script>", script, "</script>", copy), collapse = "\n")
}, "")
writeLines(c("<!doctype html><meta charset=utf-8><title>article</title><body>", copies), file.path(folder, "article.html"), useBytes = TRUE)
for (way in c("ok", "error")) page(paste0("interviewer-", way), rr_grr(letters[1:10], 0.1), send = paste0(collector, way), interviewer = TRUE)
page("english", rr_warner(0.8), send = paste0(collector, "ok"))
rr_client(rr_warner(0.8, levels = c("nein", "ja")), file.path(folder, "german.html"), question = "?", key = "english",
          language = "de", send = paste0(collector, "ok"))
