# Do the intervals of attention, of evasion and of the small designs cover?
#
#     Rscript attention.R <folder> <surveys>
#
# Writes attention.csv: part, setting, figure, value, and the number of surveys. Nominal level .95. Surveys of moments are the groups of one table, up to
# 1,500. Truths and settings are other ones than those of the derivations (inst/mathematics/mixed.md 7 to 9).
library(candor)

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) < 1) tempdir() else arguments[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
surveys <- if (length(arguments) < 2) 200 else as.integer(arguments[2])
groups <- min(25 * surveys, 1500)
set.seed(20261126)

rows <- list()
hold <- function(part, setting, figure, value, n) {
  rows[[length(rows) + 1]] <<- data.frame(part, setting, figure, value = round(value, 4), surveys = n)
}
quietly <- function(expression) suppressMessages(suppressWarnings(expression))
inside <- function(low, high, truth) mean(low <= truth & truth <= high, na.rm = TRUE)

# ---- attention by moments: a crosswise question of .2, an anchor question of .1; attention of persons, and of answers ----
crosswise <- rr_crosswise(0.2)
anchor <- rr_anchor(rr_crosswise(0.1))
cells <- data.frame(y = c(0, 1, 0, 1), a = c(0, 0, 1, 1))
outer4 <- function(question, anchor) as.vector(outer(c(1 - question, question), c(1 - anchor, anchor)))
for (i in 1:6) {
  n <- c(250, 250, 600, 600, 1500, 1500)[i]
  gamma <- c(0.65, 0.85, 0.75, 0.9, 0.7, 0.95)[i]
  pi <- c(0.15, 0.4, 0.05, 0.25, 0.02, 0.1)[i]
  question <- 0.8 - 0.6 * pi
  persons <- gamma * outer4(question, 0.9) + (1 - gamma) * outer4(0.5, 0.5)
  answers <- outer4(gamma * question + (1 - gamma) / 2, gamma * 0.9 + (1 - gamma) / 2)
  for (kind in c("persons", "answers")) {
    counts <- stats::rmultinom(groups, n, if (kind == "persons") persons else answers)
    data <- data.frame(cells[rep(1:4, ncol(counts)), ], n = as.vector(counts), survey = rep(seq_len(ncol(counts)), each = 4))
    table <- tidy(rr_estimate(data, crosswise, "inv", column = c("y", "a"), anchor = anchor, count = "n", by = "survey"), conf.int = TRUE)
    yes <- table[table$term == "yes", ]
    share <- table[table$term == "attentive", ]
    setting <- sprintf("n %g, attention of %s %g, prevalence %g", n, kind, gamma, pi)
    hold("attention, moments", setting, "coverage of the prevalence", inside(yes$conf.low, yes$conf.high, pi), groups)
    hold("attention, moments", setting, "coverage of attention", inside(share$conf.low, share$conf.high, gamma), groups)
    hold("attention, moments", setting, "standard deviation over median standard error", stats::sd(yes$estimate) / stats::median(yes$std.error), groups)
  }
}

# ---- attention by regression ----
careless <- function(n, kind) {
  x <- stats::rbinom(n, 1, 0.4)
  v <- stats::rnorm(n)
  once <- stats::runif(n)
  again <- if (kind == "persons") once else stats::runif(n)
  share <- stats::plogis(1.4 + 0.6 * v)
  truth <- stats::rbinom(n, 1, stats::plogis(-1.3 + 0.9 * x))
  said <- function(own, yes) ifelse(own < share, stats::rbinom(n, 1, yes), stats::rbinom(n, 1, 0.5))
  data.frame(x, v, y = said(once, ifelse(truth == 1, 0.2, 0.8)), a = said(again, 0.9))
}
for (kind in c("persons", "answers")) {
  for (by in c("question", if (kind == "persons") "person")) {
    hits <- replicate(surveys, {
      fit <- quietly(rr_glm(y ~ x, careless(1500, kind), crosswise, anchor = list(a = anchor), attention = ~v, attention.by = by, starts = 1))
      abs(coef(fit) - c(-1.3, 0.9, 1.4, 0.6)) <= 1.959964 * sqrt(diag(vcov(fit)))
    })
    names <- c("intercept", "slope", "attention", "slope of attention")
    for (j in 1:4) {
      hold("attention, regression", sprintf("n 1500, attention of %s, by %s", kind, by), paste("coverage,", names[j]), mean(hits[j, ], na.rm = TRUE), surveys)
    }
  }
}

# ---- evasion: forced response, and a crosswise question ----
evading <- function(n, items, gamma, mechanism, safe) {
  people <- expand.grid(item = factor(seq_len(items)), id = seq_len(n))
  evades <- stats::runif(n) < gamma
  truth <- stats::rbinom(n * items, 1, stats::plogis(-1.4 + 0.25 * as.numeric(people$item) + stats::rnorm(n)[people$id]))
  people$y <- ifelse(evades[people$id], safe, stats::rbinom(n * items, 1, rr_matrix(mechanism)[truth + 1, 2]))
  people
}
for (i in 1:5) {
  items <- c(3, 4, 5, 5, 5)[i]
  gamma <- c(0.2, 0.1, 0.1, 0.1, 0)[i]
  mechanism <- list(rr_forced(0.125), rr_forced(0.125), rr_forced(0.125), rr_crosswise(0.2), rr_forced(0.125))[[i]]
  safe <- 1 * (i == 4)
  found <- replicate(surveys, {
    fit <- quietly(rr_glm(y ~ 0 + item + (1 | id), evading(1000, items, gamma, mechanism, safe), mechanism, protective = c("no", "yes")[safe + 1]))
    c(fit$evasion$share, confint(fit, "self-protective"), fit$evasion$p.value, fit$sigma, fit$without$sigma)
  })
  setting <- sprintf("n 1000, %d items, %s, share %g", items, if (i == 4) "crosswise .2" else "forced 1/8", gamma)
  if (gamma > 0) {
    hold("evasion", setting, "coverage of the share", inside(found[2, ], found[3, ], gamma), surveys)
    hold("evasion", setting, "mean share", mean(found[1, ]), surveys)
    hold("evasion", setting, "median sigma (truth 1)", stats::median(found[5, ]), surveys)
    hold("evasion", setting, "median sigma without the class", stats::median(found[6, ]), surveys)
  }
  hold("evasion", setting, "share of tests below .05", mean(found[4, ] < 0.05), surveys)
}

# ---- sensitive categories, several cards, optional answers: groups of one table ----
many <- groups
for (n in c(200, 2000)) {
  mechanism <- rr_grr(20, 1, sensitive = 1:3)
  truth <- c(0.1, 0.02, 0.01, rep(0.87 / 17, 17))
  counts <- stats::rmultinom(many, n, drop(truth %*% rr_matrix(mechanism)))
  fit <- quietly(rr_estimate(rr_counts(matrix(counts, 20, dimnames = list(NULL, seq_len(many))), mechanism), method = "inv"))
  table <- tidy(fit, conf.int = TRUE, terms = c("1", "3", "20"))
  for (term in c("1", "3", "20")) {
    own <- table[table$term == term, ]
    share <- truth[as.numeric(term)]
    hold("sensitive categories", sprintf("n %g, 3 of 20, epsilon 1, share %.3f", n, share), "coverage", inside(own$conf.low, own$conf.high, share), many)
  }
  cards <- rr_kuk(0.8, 0.5, draws = 4)
  counts <- stats::rmultinom(many, n, drop(c(0.85, 0.15) %*% rr_matrix(cards)))
  tally <- rr_counts(matrix(counts, 5, dimnames = list(NULL, seq_len(many))), cards)
  for (method in c("inv", "mle")) {
    own <- tidy(quietly(rr_estimate(tally, method = method)), conf.int = TRUE, terms = "yes")
    hold("four cards", sprintf("n %g, decks .8 and .5, prevalence .15, %s", n, method), "coverage", inside(own$conf.low, own$conf.high, 0.15), many)
  }
  devices <- list(rr_binary(0.85, 0.2), rr_binary(0.7, 0.1), rr_binary(0.6, 0.35))
  # Yes: half opt out; no: nine in ten do.
  shares <- vapply(devices, function(m) 0.06 + 0.06 * m$p + 0.088 * m$q, 0)
  tallies <- lapply(1:3, function(g) {
    yes <- stats::rbinom(many, n, shares[g])
    rr_counts(matrix(rbind(n - yes, yes), 2, dimnames = list(NULL, seq_len(many))), devices[[g]])
  })
  own <- tidy(rr_estimate(rr_pool(tallies, optional = TRUE), method = "inv"), conf.int = TRUE, terms = "yes")
  hold("optional answers", sprintf("three devices of %g, prevalence .12", n), "coverage", inside(own$conf.low, own$conf.high, 0.12), many)
  hold("optional answers", sprintf("three devices of %g, prevalence .12", n), "mean estimate", mean(own$estimate), many)
}

table <- do.call(rbind, rows)
utils::write.csv(table, file.path(folder, "attention.csv"), row.names = FALSE)
print(table[grepl("coverage", table$figure), ])
cat("lowest coverage ", min(table$value[grepl("coverage", table$figure)]), "\n")
