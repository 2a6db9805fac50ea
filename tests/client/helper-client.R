source(file.path("..", "testthat", "helper-client.R"))

client_file <- function(name) system.file("client", name, package = "candor")
plan_text <- function(mechanism) paste(readLines(rr_client(mechanism, tempfile(), as = "plan"), warn = FALSE), collapse = "\n")

# A draw of each kind, n in all, for answers that are all as frequent.
draw_task <- function(mechanism, n) {
  plan <- plan_text(mechanism)
  levels <- jsonlite::parse_json(plan)$plan$levels
  sprintf("{\"client\": %s, \"answers\": %s, \"n\": %d}", plan, jsonlite::toJSON(unlist(levels)), ceiling(n / length(levels)))
}

# The drawn counts of an answer against the row of the mechanism's matrix: one p-value.
draws_p_value <- function(counts, mechanism, x) {
  channel <- client_channel(mechanism)[x, ]
  drawn <- channel * 0
  for (report in names(counts)) {
    label <- report_label(mechanism, jsonlite::fromJSON(report))
    drawn[label] <- drawn[label] + counts[[report]]
  }
  if (any(drawn[channel == 0] > 0)) return(0)
  seen <- channel > 0
  if (sum(seen) == 1) return(1)
  suppressWarnings(stats::chisq.test(drawn[seen], p = channel[seen] / sum(channel[seen])))$p.value
}
