# kill.R <seconds> [seed]: tallies of PostgreSQL, of a second PostgreSQL through the first, and of ClickHouse over two servers, again and again, while
# processes of the servers are killed at random. Each answer must be right, or refused by an error of candor, within a minute. Run as
# tools/test-engines --run Rscript tests/engines/kill.R 1800
arguments <- as.integer(commandArgs(trailingOnly = TRUE))
library(candor)
source("tests/engines/helper-engines.R")
seed <- if (is.na(arguments[2])) 1L else arguments[2]
set.seed(seed)

# ---- tables, and the right answers: of the same reports in memory ----

unary <- rr_unary(LETTERS[1:9], 1)
reports <- rr_perturb(sample(LETTERS[1:9], 1e5, TRUE), unary, rng = "R")
ones <- which(as.matrix(reports) == 1, arr.ind = TRUE)
empty <- setdiff(1:1e5, ones[, 1])
noisy <- data.frame(who = rep(sprintf("e%04d", 1:5000), 20), site = rep(letters[1:20], each = 5000), bit = rbinom(1e5, 1, 0.4))
data <- list(people = people(3e5), many = bits(1e5, 22), hexes = data.frame(report = as.character(reports)), noisy = noisy,
             longs = data.frame(id = c(ones[, 1], empty), level = c(LETTERS[ones[, 2]], rep(NA, length(empty)))))
calls <- list(answer = function(x) rr_tally(x$people, m, column = "answer"),
              weighted = function(x) rr_tally(x$people, m, column = "answer", by = "region", weights = "w"),
              estimate = function(x) rr_estimate(x$people, m, column = "answer", by = ~ region),
              product = function(x) rr_tally(x$people, both, by = "wave"),
              text = function(x) rr_tally(x$hexes, unary)$counts,
              long = function(x) rr_tally(x$longs, unary)$counts,
              joint = function(x) rr_cooccurrence(x$many),
              elements = function(x) rr_bit_tally(x$noisy, 0.1, element = "who", set = "site"))
right <- c(lapply(calls[1:7], function(call) call(data)),
           list(elements = rr_bit_tally(matrix(noisy$bit, 5000, dimnames = list(unique(noisy$who), letters[1:20])), 0.1)))
judge <- function(name, tables) {
  if (isTRUE(all.equal(calls[[name]](tables), right[[name]], tolerance = 1e-12))) "right" else "WRONG"
}

engines <- c("postgres", "sharded", if (length(ports("CLICKHOUSE"))) "clickhouse")
open_tables <- function(engine) {
  connection <- if (engine == "clickhouse") clickhouse(ports("CLICKHOUSE")[1]) else postgres(ports("POSTGRES")[1])
  where <- function(name) if (engine == "sharded") dbplyr::in_schema("shards", name) else name
  sapply(names(data), function(name) dplyr::tbl(connection, where(name)), simplify = FALSE)
}
pair <- lapply(ports("POSTGRES"), postgres)
for (name in names(data)) lapply(pair, DBI::dbWriteTable, name, data[[name]])
link_servers(pair)
run(pair[[1]], "CREATE SCHEMA shards", "IMPORT FOREIGN SCHEMA public FROM SERVER shard_2 INTO shards", "CHECKPOINT")
other <- lapply(ports("CLICKHOUSE"), clickhouse)
if (length(other)) for (name in names(data)) distribute(other, data[[name]], name)
for (connection in c(pair, other)) DBI::dbDisconnect(connection)
calm <- lapply(stats::setNames(nm = engines), open_tables)
for (tables in calm) for (name in names(calls)) stopifnot(judge(name, tables) == "right")
for (tables in calm) DBI::dbDisconnect(dbplyr::remote_con(tables[[1]]))
cat("Right without disturbance, ", format(Sys.time()), "\n", sep = "")

# ---- who tallies: a process of its own, a line for each answer; after an error the connection is used again, or not ----

log <- "build/logs/kill.tsv"
note <- function(...) cat(paste(..., sep = "\t"), "\n", sep = "", file = log, append = TRUE)
work <- function(seed) {
  set.seed(seed)
  tables <- list()
  refused <- function(e) c(if (inherits(e, "candor_error")) class(e)[1] else "OTHER ERROR", gsub("\\s+", " ", conditionMessage(e)))
  repeat {
    engine <- sample(engines, 1)
    name <- sample(names(calls), 1)
    if (is.null(tables[[engine]])) tables[[engine]] <- tryCatch(open_tables(engine), error = function(e) NULL)
    outcome <- if (is.null(tables[[engine]])) "no connection" else tryCatch(judge(name, tables[[engine]]), error = refused)
    note(engine, name, outcome[1], c(outcome, "")[2])
    if (outcome[1] == "no connection") Sys.sleep(0.2)
    else if (outcome[1] != "right" && runif(1) < 0.5) tables[[engine]] <- NULL
  }
}

# ---- who kills: a backend of PostgreSQL in three ways, a query of ClickHouse, or a server, which starts again at a later turn ----

servers <- sub("[.]process$", "", list.files(Sys.getenv("CANDOR_ENGINE_SERVERS"), "[.]process$", full.names = TRUE))
process_of <- function(server) readLines(paste0(server, ".process"))
for (server in servers) {
  folder <- file.path("/proc", process_of(server))
  words <- system2("xargs", c("-0", "printf", "'%q '"), stdin = file.path(folder, "cmdline"), stdout = TRUE)
  user <- file.info(folder)$uname
  if (user != Sys.info()[["user"]]) words <- sprintf("setpriv --reuid=%s --regid=%s --init-groups %s", user, user, words)
  writeLines(c(sprintf("echo $$ > %s.process", server), paste("exec", words)), paste0(server, ".sh"))
}
disturb <- function(server) {
  process <- process_of(server)
  signal <- sample(c("KILL", "TERM", "INT", "server"), 1)
  if (!file.exists(file.path("/proc", process, "exe"))) {   # a zombie has none
    system(sprintf("sh %s.sh > /dev/null 2>&1 < /dev/null &", server))
    return("start a server")
  }
  if (signal == "server") return(if (system2("kill", c("-9", process))) "nothing" else "kill a server")
  if (grepl("clickhouse", server)) {
    port <- ports("CLICKHOUSE")[1 + grepl("two", server)]
    system2("clickhouse-client", c("--host 127.0.0.1 --port", port, "--password", Sys.getenv("CANDOR_ENGINE_PASSWORD"),
                                   "--query \"KILL QUERY WHERE query NOT LIKE 'KILL%'\""), stdout = FALSE, stderr = FALSE)
    return("kill queries of ClickHouse")
  }
  victims <- suppressWarnings(system2("pgrep", c("-P", process, "-f", "'postgres: candor'"), stdout = TRUE))
  if (!length(victims) || system2("kill", c("-s", signal, victims[sample(length(victims), 1)]), stderr = FALSE)) return("nothing")
  paste(signal, "a backend")
}

events <- character()
invisible(file.create(log))
worker <- NULL
end <- Sys.time() + arguments[1]
while (Sys.time() < end) {
  crashed <- !is.null(worker) && !is.null(suppressWarnings(parallel::mccollect(worker, wait = FALSE)))
  hung <- !is.null(worker) && !crashed && Sys.time() - file.mtime(log) > 60
  if (hung) tools::pskill(worker$pid, 9)
  if (is.null(worker) || crashed || hung) {
    Sys.setFileTime(log, Sys.time())
    worker <- parallel::mcparallel(work(seed + length(events)))
  }
  events <- c(events, if (hung) "HUNG", if (crashed) "CRASHED", disturb(sample(servers, 1)))
  Sys.sleep(stats::rexp(1, 1))
}
tools::pskill(worker$pid, 9)
cat("Ended ", format(Sys.time()), "\n", sep = "")
answers <- utils::read.delim(log, header = FALSE, quote = "", col.names = c("engine", "call", "outcome", "message"))
print(table(answers$outcome, answers$engine))
print(table(events))
print(unique(answers[grepl("[A-Z]", answers$outcome), ]))
quit(status = any(grepl("[A-Z]", answers$outcome), events %in% c("HUNG", "CRASHED")))
