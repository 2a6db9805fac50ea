# Tallies again and again while servers are killed at random: each answer must be right, or refused by an error of candor, within a minute.
# tools/test-engines --run Rscript tests/engines/kill.R <seconds> [seed]
arguments <- c(as.integer(commandArgs(trailingOnly = TRUE)), 1L)
library(candor)
source("tests/engines/helper-engines.R")
set.seed(arguments[2])
# Tables, and the right answers: of the same reports in memory
unary <- rr_unary(LETTERS[1:9], 1)
reports <- rr_perturb(sample(LETTERS[1:9], 1e5, TRUE), unary, rng = "R")
ones <- which(as.matrix(reports) == 1, arr.ind = TRUE)
noisy <- data.frame(who = rep(sprintf("e%04d", 1:5000), 20), site = rep(letters[1:20], each = 5000), bit = rbinom(1e5, 1, 0.4))
data <- list(people = people(3e5), many = bits(1e5, 22), hexes = data.frame(report = as.character(reports)), noisy = noisy,
             longs = rbind(data.frame(id = ones[, 1], level = LETTERS[ones[, 2]]), data.frame(id = setdiff(1:1e5, ones[, 1]), level = NA)))
calls <- list(answer = function(x) rr_tally(x$people, m, column = "answer"), product = function(x) rr_tally(x$people, both, by = "wave"),
              weighted = function(x) rr_tally(x$people, m, column = "answer", by = "region", weights = "w"),
              estimate = function(x) rr_estimate(x$people, m, column = "answer", by = ~ region),
              text = function(x) rr_tally(x$hexes, unary)$counts, long = function(x) rr_tally(x$longs, unary)$counts,
              joint = function(x) rr_cooccurrence(x$many), elements = function(x) rr_tally(x$noisy, flip = 0.1, element = "who", set = "site"))
right <- lapply(calls[names(calls) != "elements"], function(call) call(data))
right$elements <- rr_tally(matrix(noisy$bit, 5000, dimnames = list(unique(noisy$who), letters[1:20])), flip = 0.1)
judge <- function(name, tables) if (isTRUE(all.equal(calls[[name]](tables), right[[name]], tolerance = 1e-12))) "right" else "WRONG"
engines <- c("postgres", "sharded", if (length(ports("CLICKHOUSE"))) "clickhouse")
open_tables <- function(engine) {
  connection <- if (engine == "clickhouse") clickhouse(ports("CLICKHOUSE")[1]) else postgres(ports("POSTGRES")[1])
  lapply(stats::setNames(nm = names(data)), function(x) dplyr::tbl(connection, if (engine == "sharded") dbplyr::in_schema("shards", x) else x))
}
pair <- lapply(ports("POSTGRES"), postgres)
for (name in names(data)) for (connection in pair) DBI::dbWriteTable(connection, name, data[[name]])
link_servers(pair)
run(pair[[1]], "CREATE SCHEMA shards", "IMPORT FOREIGN SCHEMA public FROM SERVER shard_2 INTO shards", "CHECKPOINT")
if (length(engines) == 3) for (name in names(data)) distribute(lapply(ports("CLICKHOUSE"), clickhouse), data[[name]], name)
for (tables in lapply(engines, open_tables)) for (name in names(calls)) stopifnot(judge(name, tables) == "right")   # nobody kills yet

# Who tallies: a process of its own, a line for each answer. After an error the connection is used again, or not.
work <- function(seed) {
  set.seed(seed)
  tables <- list()
  refused <- function(e) paste0(if (inherits(e, "candor_error")) class(e)[1] else "OTHER ERROR", "\t", gsub("\\s+", " ", conditionMessage(e)))
  repeat {
    at <- c(sample(engines, 1), sample(names(calls), 1))
    if (is.null(tables[[at[1]]])) tables[[at[1]]] <- tryCatch(open_tables(at[1]), error = function(e) NULL)
    outcome <- if (is.null(tables[[at[1]]])) "no connection" else tryCatch(judge(at[2], tables[[at[1]]]), error = refused)
    cat(paste(c(at, outcome), collapse = "\t"), "\n", sep = "", file = log, append = TRUE)
    if (outcome == "no connection") Sys.sleep(0.2) else if (outcome != "right" && runif(1) < 0.5) tables[[at[1]]] <- NULL
  }
}
# Who kills: a backend of PostgreSQL in three ways, the queries of a ClickHouse, or a server, which starts again at a later turn
servers <- sub("[.]process$", "", list.files(Sys.getenv("CANDOR_ENGINE_SERVERS"), "[.]process$", full.names = TRUE))
process_of <- function(server) file.path("/proc", readLines(paste0(server, ".process")))
starts <- sapply(servers, function(server) {
  words <- system2("xargs", c("-0", "printf", "'%q '"), stdin = file.path(process_of(server), "cmdline"), stdout = TRUE)
  user <- file.info(process_of(server))$uname
  if (user != Sys.info()[["user"]]) words <- sprintf("setpriv --reuid=%1$s --regid=%1$s --init-groups %2$s", user, words)
  sprintf("sh -c 'echo $$ > %1$s.new; mv %1$s.new %1$s.process; exec %2$s' < /dev/null &", server, words)
})
client <- paste("clickhouse-client -h 127.0.0.1 --password", Sys.getenv("CANDOR_ENGINE_PASSWORD"),
                "--port %d --query \"KILL QUERY WHERE query NOT LIKE 'KILL%%'\"")
disturb <- function(server, action) {
  process <- basename(process_of(server))
  doing <- if (!file.exists(file.path(process_of(server), "exe"))) c("start a server", starts[[server]])   # a zombie has no exe
    else if (action == "server") c("kill a server", paste("kill -9", process))
    else if (grepl("house", server)) c("kill queries", sprintf(client, ports("CLICKHOUSE")[1 + grepl("two", server)]))
    else c(paste(action, "a backend"), sprintf("kill -s %s $(pgrep -P %s -f 'postgres: candor' | shuf -n 1)", action, process))
  if (system(doing[2], ignore.stdout = TRUE, ignore.stderr = TRUE)) paste(doing[1], "(none there)") else doing[1]
}
invisible(file.create(log <- "build/logs/kill.tsv"))
events <- NULL
end <- Sys.time() + arguments[1]
worker <- parallel::mcparallel(work(arguments[2]))
while (Sys.time() < end) {
  crashed <- !is.null(suppressWarnings(parallel::mccollect(worker, wait = FALSE)))
  hung <- !crashed && difftime(Sys.time(), file.mtime(log), units = "secs") > 60
  if (hung) c(tools::pskill(worker$pid, 9), Sys.setFileTime(log, Sys.time()))
  if (crashed || hung) worker <- parallel::mcparallel(work(arguments[2] + length(events)))
  events <- c(events, if (hung) "HUNG", if (crashed) "CRASHED", disturb(sample(servers, 1), sample(c("KILL", "TERM", "INT", "server"), 1)))
  Sys.sleep(stats::rexp(1, 1 / 2))
}
tools::pskill(worker$pid, 9)
answers <- utils::read.delim(log, header = FALSE, quote = "", col.names = c("engine", "call", "outcome", "message"))
print(list(table(answers$outcome, answers$engine), table(events), unique(answers[grepl("[A-Z]", answers$outcome), ])))
quit(status = any(grepl("[A-Z]", answers$outcome), events %in% c("HUNG", "CRASHED")))
