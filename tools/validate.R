# validate.R <folder> <quick or full>: measures, and writes <folder>/validation.csv. Called by tools/validate.
#
# Each row holds a figure between its limits `least` and `most`. Draws have one seed (but for samplers.R, which has none). Of m statistics
# that are nearly normal the largest must stay below the bound that m independent ones exceed once in a thousand runs.
suppressPackageStartupMessages(library(candor))
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
full <- arguments[2] == "full"
options(candor.study.functions.only = TRUE)
set.seed(20261123)

rows <- list()
hold <- function(area, case, figure, value, least = -Inf, most = Inf) {
  rows[[length(rows) + 1]] <<- data.frame(area, case, figure, value = unname(value), least, most)
}
bound <- function(m) stats::qnorm(1 - 0.001 / (2 * m))
quietly <- function(expression) suppressMessages(suppressWarnings(expression))
started <- proc.time()[[1]]
section <- function(name) {
  cat(sprintf("%-28s %5.0f s of CPU time so far\n", name, proc.time()[[1]] - started))
}

# ---- intervals of a share named beforehand: coverage without simulation, by the binomial law of its count ----
# The truth has share t in one category. Its count is binomial with probability b + (p - b) t, so that the coverage is a sum over counts. The
# limits are those that ?rr_estimate states: exact intervals hold in 95 of 100 surveys at least, Wilson's in 94 to 100.
shares <- c(0, 0.001, 0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 0.9, 0.99, 1)
two <- list(direct = rr_binary(1, 0), warner = rr_warner(0.75), crosswise = rr_crosswise(0.25), forced = rr_forced(1 / 6), kuk = rr_kuk(0.8, 0.2),
            unrelated = rr_unrelated(0.7, 0.25), mangat = rr_binary(1, 0.3))
for (epsilon in c(0.5, 1, 3)) {
  for (k in c(2, 5, 20)) two[[sprintf("GRR, K = %g, epsilon %g", k, epsilon)]] <- rr_grr(k, epsilon = epsilon)
  two[[sprintf("unary, K = 20, epsilon %g", epsilon)]] <- rr_unary(20, epsilon)
  two[[sprintf("local hashing, K = 20, epsilon %g", epsilon)]] <- rr_local_hash(20, epsilon)
}
bounds_by_count <- function(mechanism, n, interval) {
  y <- 0:n
  k <- length(mechanism$levels)
  support <- inherits(mechanism, "rr_protocol")
  rest <- if (support) matrix(round(n * mechanism$q), k - 1, n + 1) else
    vapply(n - y, function(left) (left + seq_len(k - 1) - 1) %/% (k - 1), numeric(k - 1))
  counts <- rbind(matrix(rest, k - 1), y)
  dimnames(counts) <- list(NULL, y)
  fit <- rr_estimate(rr_counts(counts, mechanism, n = if (support) rep(n, n + 1)), method = if (k == 2) "mle" else "inv", interval = interval)
  table <- quietly(tidy(fit, conf.int = TRUE))
  table <- table[table$term == mechanism$levels[k], ]
  # No interval, such as Wald's of reports that are all alike, covers nothing.
  low <- ifelse(is.na(table$conf.low), Inf, table$conf.low)
  list(y = y, low = low, high = ifelse(is.na(table$conf.high), -Inf, table$conf.high))
}
reported <- function(mechanism, t) {
  if (inherits(mechanism, "rr_protocol")) return(mechanism$q + (mechanism$p - mechanism$q) * t)
  chances <- rr_matrix(mechanism)
  k <- nrow(chances)
  (1 - t) * chances[1, k] + t * chances[k, k]
}
cells <- expand.grid(interval = c("wilson", "exact", "wald", "profile"), n = c(50, 300, if (full) 2000), name = names(two), stringsAsFactors = FALSE)
for (i in seq_len(nrow(cells))) {
  name <- cells$name[i]
  n <- cells$n[i]
  interval <- cells$interval[i]
  if (interval == "profile" && (length(two[[name]]$levels) > 2 || !full && n > 50)) next
  bounds <- bounds_by_count(two[[name]], n, interval)
  coverage <- vapply(shares, function(t) {
    sum(stats::dbinom(bounds$y, n, reported(two[[name]], t)) * (bounds$low <= t + 1e-9 & t - 1e-9 <= bounds$high))
  }, 0)
  case <- sprintf("%s, n = %g", name, n)
  # If two yes of a direct question are expected, none comes with probability exp(-2), and then two are rejected by the profile.
  hold(paste("interval,", interval), case, "least coverage", min(coverage), switch(interval, exact = 0.95, wilson = 0.9, profile = 0.84, -Inf))
  hold(paste("interval,", interval), case, "mean coverage", mean(coverage), switch(interval, exact = 0.95, wilson = 0.94, profile = 0.94, -Inf))
}
section("intervals by enumeration")

# ---- the whole line: perturb, tally, estimate; bias, variance and coverage ----
replications <- if (full) 4000 else 400
C <- rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.05, 0.15, 0.8))
line <- list(
  GRR = rr_grr(5, epsilon = 1), `GRR, p < q` = rr_grr(4, p = 0.1), `GRR, epsilon 3` = rr_grr(20, epsilon = 3),
  warner = rr_warner(0.7), triangular = rr_triangular(0.3),
  kuk = rr_kuk(0.8, 0.2),
  `forced, three levels` = rr_forced(c(a = 0.1, b = 0.1, c = 0.2)), `unrelated, three levels` = rr_unrelated(0.7, c(a = 0.2, b = 0.3, c = 0.5)),
  channel = rr_channel(C), `more reports than truths` = rr_channel(prop.table(cbind(C, c(0.3, 0.1, 0.6)), 1)),
  geometric = rr_geometric(5, 1), exponential = rr_channel(prop.table(exp(-abs(outer(1:4, 1:4, "-")) / 3), 1)),
  composed = rr_compose(rr_forced(c(a = 0.1, b = 0.1, c = 0.1)), rr_grr(c("a", "b", "c"), epsilon = 2)),
  unary = rr_unary(8, 1), `unary, symmetric` = rr_unary(8, 1, optimized = FALSE), subset = rr_subset(9, 1), `local hashing` = rr_local_hash(20, 1),
  `hadamard, one block` = rr_hadamard(12, 1, blocks = 1), `hadamard, blocks` = rr_hadamard(12, 2, blocks = 3),
  `hadamard, one bit` = rr_hadamard(12, 1, one_bit = TRUE),
  dBitFlip = rr_bitflip(8, 1), `dBitFlip, buckets` = rr_bitflip(8, 1, d = 3), hierarchy = rr_hierarchy(8, 2), `grr-grr` = rr_longitudinal(4, 2, 1, "grr-grr"),
  `oue-oue` = rr_longitudinal(6, 4, 1, "oue-oue"), `sue-sue` = rr_longitudinal(6, 2, 1, "sue-sue")
)
judge <- function(area, case, estimate, error, truth, low = NULL, high = NULL, unbiased = TRUE) {
  times <- ncol(estimate)
  if (unbiased) {
    z <- (rowMeans(estimate) - truth) / (apply(estimate, 1, stats::sd) / sqrt(times))
    hold(area, case, "bias, largest z", max(abs(z)), most = bound(length(line) * 2 * length(z)))
    # A mean of squared errors over a variance, whose own relative error is that of a variance of normal estimates, half as large again for others.
    ratio <- rowMeans(error^2) / apply(estimate, 1, stats::var)
    wide <- 1.5 * bound(length(line) * 2 * length(z)) * sqrt(2 / (times - 1))
    hold(area, case, "variance stated / seen, least", min(ratio), least = 1 - wide)
    hold(area, case, "variance stated / seen, most", max(ratio), most = 1 + wide)
  }
  if (!is.null(low)) {
    hold(area, case, "coverage of 0.95, mean", mean(low <= truth & truth <= high, na.rm = TRUE), least = 0.95 - 0.015 - 3 * sqrt(0.05 / times))
  }
}
for (name in names(line)) for (target in c("population", "sample")) {
  mechanism <- line[[name]]
  k <- length(mechanism$levels)
  n <- 120 * if (k > 10) 6 else 3
  # A truth at the boundary: nobody holds the last category.
  held <- c(stats::rmultinom(1, n, 1 / seq_len(k - 1)), 0)
  x <- if (target == "sample") rep(rep(seq_len(k), held), replications) else sample.int(k, n * replications, TRUE, held)
  tally <- rr_tally(quietly(rr_perturb(mechanism$levels[x], mechanism, rng = "R")), mechanism, by = rep(seq_len(replications), each = n))
  table <- quietly(tidy(rr_estimate(tally, method = "inv", target = target), conf.int = TRUE))
  by_term <- function(column) do.call(rbind, split(table[[column]], factor(table$term, mechanism$levels)))
  judge("unbiased estimate", paste0(name, ", ", target), by_term("estimate"), by_term("std.error"), held / n, by_term("conf.low"), by_term("conf.high"))
}
section("estimates of shares")

# ---- other estimates: a survey is drawn anew each time; a table with estimate, std.error, conf.low, conf.high, and the truth ----
bits <- function(n) {
  a <- stats::rbinom(n, 1, 0.3)
  cbind(a = a, b = ifelse(stats::runif(n) < 0.4, a, stats::rbinom(n, 1, 0.5)), c = stats::rbinom(n, 1, 0.1))
}
seen <- cbind(1:500 %in% 1:200, 1:500 %in% 151:300, 1:500 %in% 181:260)
numbers <- function(mechanism) {
  hours <- c(0, 3, 5, 12, 24)[sample.int(5, 500, TRUE, 5:1)]
  tidy(rr_estimate(rr_perturb(hours, mechanism, rng = "R"), mechanism), conf.int = TRUE)
}
hours_mean <- sum(c(0, 3, 5, 12, 24) * 5:1) / 15
hours_variance <- sum(c(0, 3, 5, 12, 24)^2 * 5:1) / 15 - hours_mean^2
answers <- function(mechanism, n, prob) rr_perturb(sample(mechanism$levels, n, TRUE, prob), mechanism, rng = "R")
abc <- rr_grr(c("a", "b", "c"), epsilon = 1.5)
ordered_levels <- rr_grr(0:4, epsilon = 2)
clustered <- function() {
  id <- rep(1:60, each = 10)
  yes <- stats::rbinom(600, 1, stats::plogis(-1 + stats::rnorm(60))[id])
  data <- data.frame(id, y = rr_perturb(c("no", "yes")[yes + 1], two$warner, rng = "R"))
  tidy(rr_estimate(survey::svydesign(~id, weights = ~1, data = data), two$warner, column = "y", method = "inv"), conf.int = TRUE)[2, ]
}
cluster_share <- stats::integrate(function(u) stats::plogis(-1 + u) * stats::dnorm(u), -8, 8)$value
others <- list(
  `union of sets` = list(300, function() tidy(rr_set_size(xor(seen, stats::runif(1500) < 0.1), flip = 0.1), conf.int = TRUE)),
  `intersection of sets` = list(20, function() tidy(rr_set_size(xor(seen, stats::runif(1500) < 0.1), 0.1, "intersection"), conf.int = TRUE)),
  incidence = list(c(200, 190, 90, 20), function() tidy(rr_incidence(xor(seen, stats::runif(1500) < 0.1), 0.1, target = "sample"), conf.int = TRUE)[1:4, ]),
  `co-occurrence` = list(400 * c(0.3, 0.42, 0.1, 0.21, 0.03, 0.042), function() {
    x <- bits(400)
    flipped <- matrix(stats::rbinom(1200, 1, 0.2 + 0.6 * x), 400, dimnames = dimnames(x))
    tidy(rr_tmdh(rr_cooccurrence(flipped, order = 2), rr_warner(0.8)), conf.int = TRUE)
  }),
  `mean, hybrid` = list(hours_mean, function() numbers(rr_mean(c(0, 24), 1))),
  `mean, duchi` = list(hours_mean, function() numbers(rr_mean(c(0, 24), 1, "duchi"))),
  `scrambled numbers` = list(c(hours_mean, hours_variance), function() numbers(rr_scramble(c(0, 24), c(0.5, 1, 1.5), c(0, 5, 10)))),
  contrast = list(c(0.3, 0.1), function() {
    reports <- c(answers(abc, 300, c(0.5, 0.3, 0.2)), answers(abc, 300, c(0.2, 0.4, 0.4)))
    fit <- rr_estimate(rr_tally(reports, abc, by = rep(c("u", "v"), each = 300)), method = "inv")
    rr_contrast(fit, list(one = c("u:a" = 1, "v:a" = -1), two = c("u:c" = -0.5, "v:c" = 0.5)))
  }),
  `survey design with clusters` = list(cluster_share, clustered)
)
judged_alone <- list(
  correlation = list(NA, function() {
    x <- bits(400)
    flipped <- matrix(stats::rbinom(1200, 1, 0.2 + 0.6 * x), 400, dimnames = dimnames(x))
    table <- tidy(rr_association(rr_tmdh(rr_cooccurrence(flipped, order = 2), rr_warner(0.8))), conf.int = TRUE)
    table[table$measure == "correlation" & table$x == "a" & table$y == "b", ]
  }),
  quantile = list(1, function() rr_quantile(rr_estimate(answers(ordered_levels, 300, c(4, 3, 2, 1, 1)), ordered_levels), 0.5)),
  bootstrap = list(c(0.5, 0.3, 0.2), function() tidy(rr_estimate(answers(abc, 300, c(0.5, 0.3, 0.2)), abc, interval = "bootstrap"), conf.int = TRUE)),
  `profile, K = 3` = list(c(0.6, 0.4, 0), function() tidy(rr_estimate(answers(abc, 200, c(0.6, 0.4, 0)), abc, interval = "profile"), conf.int = TRUE)),
  `ratio of shares` = list(0.2 / 0.5, function() {
    rr_contrast(rr_estimate(answers(abc, 600, c(0.5, 0.3, 0.2)), abc, method = "inv"), list(r = list("c", c("b", "c"))))
  })
)
judged_alone$correlation[[1]] <- (0.21 - 0.3 * 0.42) / sqrt(0.3 * 0.7 * 0.42 * 0.58)
times <- if (full) 1500 else 250
collect <- function(case) {
  tables <- lapply(seq_len(times), function(i) quietly(case[[2]]()))
  column <- function(name) do.call(cbind, lapply(tables, function(table) as.numeric(table[[name]])))
  list(estimate = column("estimate"), error = column("std.error"), low = column("conf.low"), high = column("conf.high"))
}
for (name in names(c(others, judged_alone))) {
  if (name == "survey design with clusters" && !requireNamespace("survey", quietly = TRUE)) next
  case <- c(others, judged_alone)[[name]]
  got <- collect(case)
  judge("other estimates", name, got$estimate, got$error, case[[1]], got$low, got$high, unbiased = name %in% names(others))
}
# All intervals of a fit together, and credible ones of a truth that was drawn from the prior.
together <- mean(replicate(times, {
  table <- tidy(rr_estimate(answers(rr_grr(8, epsilon = 2), 400, 8:1), rr_grr(8, epsilon = 2), simultaneous = TRUE), conf.int = TRUE)
  all(table$conf.low <= 8:1 / 36 & 8:1 / 36 <= table$conf.high)
}))
hold("other estimates", "simultaneous, K = 8", "coverage of 0.95 of all", together, 0.95 - 3 * sqrt(0.05 / times))
credible <- mean(replicate(times, {
  truth <- prop.table(stats::rexp(3))
  table <- tidy(rr_posterior(rr_tally(answers(abc, 100, truth), abc), n = 400), conf.int = TRUE)
  mean(table$conf.low <= truth & truth <= table$conf.high)
}))
hold("other estimates", "posterior, truth from its prior", "coverage of 0.95", credible,
     0.94 - 3 * sqrt(0.05 / times), 0.96 + 3 * sqrt(0.05 / times))
section("other estimates")

# ---- privacy: the largest ratio of any report's chances under two truths, over all reports ----
# Of one report where a permanent answer lies behind it.
first_epsilon <- function(mechanism) rr_epsilon(mechanism)[[1]]
largest_ratio <- function(law) {
  law <- law[, colSums(law) > 0, drop = FALSE]
  max(log(apply(law, 2, max)) - log(apply(law, 2, min)))
}
# Doubles of sums of 2^-64 have roundings of some 1e-15.
privacy <- function(area, name, law, mechanism) {
  stopifnot(abs(rowSums(law) - 1) < 1e-12)
  hold(area, name, "largest log ratio - epsilon", largest_ratio(law) - first_epsilon(mechanism), most = 1e-13)
}
for (name in names(c(two, line))) {
  mechanism <- c(two, line)[[name]]
  law <- tryCatch(rr_matrix(mechanism), error = function(e) NULL)
  if (!is.null(law) && is.finite(first_epsilon(mechanism))) privacy("privacy, matrix", name, law, mechanism)
}
# What the clients for browsers and programs draw: each way through their decisions with its exact chance in multiples of 2^-64.
if (nzchar(Sys.which("python3")) && requireNamespace("jsonlite", quietly = TRUE)) {
  source("tests/testthat/helper-client.R", local = TRUE)
  given <- Filter(function(mechanism) is.finite(first_epsilon(mechanism)), clients())
  plans <- tempfile()
  texts <- vapply(given, function(mechanism) paste(readLines(rr_client(mechanism, tempfile(), as = "plan"), warn = FALSE), collapse = "\n"), "")
  writeLines(paste0("[", paste(texts, collapse = ","), "]"), plans)
  said <- system2("python3", c("tests/testthat/client/enumerate.py", system.file("client", package = "candor"), plans), stdout = TRUE)
  ways <- jsonlite::parse_json(paste(said, collapse = "\n"))
  for (i in seq_along(given)) {
    reports <- unique(unlist(lapply(ways[[i]], names)))
    law <- t(vapply(ways[[i]], function(truth) vapply(reports, function(report) sum(truth[[report]]), 0), numeric(length(reports))))
    privacy("privacy, client plan", names(given)[i], law, given[[i]])
  }
}
section("privacy")

# ---- regression against direct maximization: a likelihood written here, climbed by optim() from random points ----
link_data <- function(n, mechanism, k = 2) {
  data <- data.frame(x = stats::rnorm(n), z = stats::rbinom(n, 1, 0.4))
  eta <- outer(0.6 * data$x + 0.3 * data$z - 1, seq_len(k) - 1)
  truth <- apply(exp(eta), 1, function(weights) sample.int(k, 1, prob = weights))
  data$y <- rr_perturb(mechanism$levels[truth], mechanism, rng = "R")
  data
}
# The largest value that optim() reaches from random points, and the value at given coefficients.
direct <- function(data, mechanism, at = NULL, starts = 3) {
  x <- cbind(1, data$x, data$z)
  channel <- unname(rr_matrix(mechanism))[, match(as.character(data$y), mechanism$reports)]
  k <- nrow(channel)
  value <- function(b) {
    eta <- cbind(0, x %*% matrix(b, 3))
    chances <- exp(eta - do.call(pmax, as.data.frame(eta)))
    sum(log(rowSums(chances * t(channel)) / rowSums(chances)))
  }
  if (!is.null(at)) return(value(at))
  max(replicate(starts, stats::optim(stats::rnorm(3 * (k - 1)), value, method = "BFGS", control = list(fnscale = -1, maxit = 500, reltol = 1e-12))$value))
}
for (name in c("warner", "crosswise", "forced", "unrelated", "kuk", "mangat")) for (i in seq_len(if (full) 50 else 4)) {
  data <- link_data(sample(c(200, 500), 1), two[[name]])
  fit <- quietly(rr_glm(y ~ x + z, data, two[[name]]))
  case <- sprintf("rr_glm, %s, survey %d", name, i)
  hold("regression", case, "log-likelihood - optim's", as.numeric(logLik(fit)) - direct(data, two[[name]]), -1e-6)
  if (all(is.finite(coef(fit)))) {
    hold("regression", case, "log-likelihood - that by hand", abs(as.numeric(logLik(fit)) - direct(data, two[[name]], coef(fit))), most = 1e-8)
  }
}
for (i in seq_len(if (full) 50 else 4)) {
  data <- link_data(400, abc, 3)
  fit <- quietly(rr_multinom(y ~ x + z, data, abc))
  hold("regression", sprintf("rr_multinom, GRR, survey %d", i), "log-likelihood - optim's", as.numeric(logLik(fit)) - direct(data, abc), -1e-6)
}
section("regression")

# ---- peers: the same data in both packages; a row names the version ----
peer <- function(package, what, ours, theirs, most) {
  if (!requireNamespace(package, quietly = TRUE)) return(cat("not installed, no row: ", package, "\n", sep = ""))
  # GLMMRR finds its links by their names alone.
  quietly(library(package, character.only = TRUE))
  difference <- tryCatch(quietly(max(abs(unname(ours()) - unname(theirs())))), error = function(e) {
    cat(package, ": ", conditionMessage(e), "\n", sep = "")
    NA
  })
  hold("peer", paste0(package, " ", utils::packageVersion(package), ": ", what), "largest difference", difference, most = most)
}
exams <- transform(exam_simulated, y = as.integer(plagiarism == "yes"))
yes <- function(mechanism, data = exams) tidy(rr_estimate(rr_tally(data$y, mechanism), method = "inv"))[2, ]
die <- rr_forced(1 / 6)
uni <- function(model, p) {
  fit <- RRreg::RRuni(y, data = exams, model = model, p = p, MLest = FALSE)
  utils::tail(fit$pi, 1)
}
for (design in list(list("FR", c(1 / 6, 1 / 6), die), list("Warner", 0.75, two$warner), list("Crosswise", 0.25, two$crosswise),
                    list("Kuk", c(0.8, 0.2), two$kuk), list("UQTknown", c(0.7, 0.25), two$unrelated), list("Mangat", 0.7, rr_binary(1, 0.3)))) {
  peer("RRreg", paste("share by RRuni(),", design[[1]]), function() yes(design[[3]])$estimate, function() uni(design[[1]], design[[2]]), 1e-6)
}
regressed <- quietly(rr_glm(y ~ semester + female, exams, die))
peer("RRreg", "coefficients of RRlog(), forced response", function() coef(regressed), function() {
  RRreg::RRlog(y ~ semester + female, data = exams, model = "FR", p = c(1 / 6, 1 / 6), LR.test = FALSE)$coefficients
}, 1e-3)
peer("rr", "coefficients of rrreg(), forced response", function() coef(regressed), function() {
  rr::rrreg(y ~ semester + female, data = exams, p = 2 / 3, p1 = 1 / 6, p0 = 1 / 6, design = "forced-known")$est
}, 1e-3)
peer("GLMMRR", "coefficients of RRglm(), forced response", function() coef(regressed), function() {
  n <- nrow(exams)
  stats::coef(GLMMRR::RRglm(y ~ semester + female, link = "RRlink.logit", data = exams, item = rep("q", n), RRmodel = rep("Forced", n),
                            p1 = rep(2 / 3, n), p2 = rep(1 / 2, n)))
}, 1e-3)
api <- function() {
  utils::data(api, package = "survey", envir = environment())
  list(survey::svydesign(~dnum, weights = ~pw, data = apiclus1, fpc = ~fpc),
       survey::svydesign(~1, strata = ~stype, weights = ~pw, data = apistrat, fpc = ~fpc))
}
peer("survey", "mean and standard error of direct answers, clusters and strata (apiclus1, apistrat)", function() {
  asked <- rr_binary(1, 0, levels = c("No", "Yes"))
  unlist(lapply(api(), function(design) tidy(rr_estimate(design, asked, column = "both", method = "inv"))[2, c("estimate", "std.error")]))
}, function() unlist(lapply(api(), function(design) {
  mean <- survey::svymean(~both, design)
  c(mean[["bothYes"]], survey::SE(mean)[["bothYes"]])
})), 1e-10)
section("peers")

# ---- the studies of inst/studies that write a file of their own ----
# Into a folder of its own, from where the full run takes the files of results that the package has.
script <- function(name, ...) {
  where <- file.path(tempdir(), "studies")
  dir.create(where, showWarnings = FALSE)
  status <- system2("Rscript", c(file.path("inst", "studies", name), where, ...), stdout = nullfile(), stderr = nullfile())
  if (status != 0) stop("inst/studies/", name, " ended with status ", status)
  file.path(where, sub("[.]R$", ".csv", name))
}
keep_results <- function() {
  files <- list.files(file.path(tempdir(), "studies"), "[.]csv([.]gz)?$", full.names = TRUE)
  packed <- basename(files) %in% sub("[.]gz$", "", list.files("inst/studies", "[.]gz$"))
  for (i in seq_along(files)) {
    to <- file.path(folder, basename(files[i]))
    if (packed[i]) writeLines(readLines(files[i]), gz <- gzfile(paste0(to, ".gz"))) else file.copy(files[i], to, overwrite = TRUE)
    if (packed[i]) close(gz)
  }
}
# Of few reports some tests are left with one cell a truth.
samplers <- subset(utils::read.csv(script("samplers.R", if (full) "1e8" else "2e5")), df > 0)
hold("samplers", sprintf("%d tests of samplers.R", nrow(samplers)), "least p-value times tests", min(samplers$p.value) * nrow(samplers), 1e-5)
source("inst/studies/selection.R", local = selection <- new.env())
cells <- if (full) NULL else subset(selection$selection_cells(), k <= 300 & n == 3e4 & epsilon == 0.7)
table <- if (full) utils::read.csv(script("selection.R")) else
  do.call(rbind, lapply(seq_len(nrow(cells)), function(i) selection$run_selection(transform(cells[i, ], replications = 100))))
for (i in which(!is.na(table$rank.10))) {
  hold("interval, by rank", sprintf("%s, K = %d, n = %g, epsilon %g, %s", table$truth[i], table$k[i], table$n[i], table$epsilon[i], table$mechanism[i]),
       "coverage of the ten largest", table$rank.10[i], 0.95 - 4 * sqrt(0.0475 / (10 * table$replications[i])))
}
source("inst/studies/parameters.R", local = parameters <- new.env())
table <- if (full) utils::read.csv(script("parameters.R")) else parameters$study_parameters(40)
for (i in seq_len(nrow(table))) {
  hold("interval, parameters", sprintf("share %g, honesty %g, n = %g", table$share[i], table$honesty[i], table$n[i]), "coverage of 0.95", table$coverage[i],
       0.95 - 4 * sqrt(0.0475 / table$replications[i]))
}
table <- utils::read.csv(script("regression-coverage.R", if (full) 1000 else 12))
hold("interval, regression", "all kinds of regression-coverage.R", "mean coverage", mean(table$coverage),
     0.935 - 4 * sqrt(0.0475 / (4 * if (full) 1000 else 12)))
surveys <- if (full) 400 else 4
table <- utils::read.csv(script("finite-populations.R", surveys))
hold("interval, regression", "all models of finite-populations.R", "mean coverage", mean(table$coverage), 0.94 - 4 * sqrt(0.0475 / (7 * surveys)))
table <- utils::read.csv(script("dealt.R", if (full) 800 else 40))
for (i in seq_len(nrow(table))) {
  hold("interval, dealt", sprintf("%s, share %g, n = %g, %s", table$deck[i], table$share[i], table$n[i], table$what[i]), "coverage of 0.95", table$coverage[i],
       0.95 - 4 * sqrt(0.0475 / table$surveys[i]))
}
# Coverage of one cell of 12; 95 in 100, five standard errors below, and 93 on average.
surveys <- if (full) 1000 else 20
table <- subset(utils::read.csv(script("class-quantiles.R", surveys)), of != "mean")
hold("interval, class", "quantiles and differences of class-quantiles.R", "mean coverage", mean(table$coverage), 0.94 - 4 * sqrt(0.0475 / (12 * surveys)))
hold("interval, class", "quantiles and differences of class-quantiles.R", "least coverage", min(table$coverage), 0.93 - 5 * sqrt(0.0651 / surveys))
runs <- if (full) 1000 else 20
table <- subset(utils::read.csv(script("anytime.R", runs)), interval == "anytime")
hold("interval, anytime", "all looks of anytime.R", "least share never missed", min(table$never.missed), 0.95 - 4 * sqrt(0.0475 / runs))
surveys <- if (full) 200 else 3
table <- utils::read.csv(script("attention.R", surveys))
table <- table[startsWith(table$figure, "coverage"), ]
for (part in unique(table$part)) {
  own <- table[table$part == part, ]
  hold("interval, latent", sprintf("%d settings of attention.R, %s", nrow(own), part), "mean coverage", mean(own$value),
       0.94 - 4 * sqrt(0.0475 / sum(own$surveys)))
}
surveys <- if (full) 400 else 10
table <- utils::read.csv(script("sketch-sets.R", surveys))
hold("interval, sketches", sprintf("%d cells of sketch-sets.R", nrow(table)), "mean coverage", mean(table$coverage), 0.945 - 4 * sqrt(0.0475 / (12 * surveys)))
hold("interval, sketches", sprintf("%d cells of sketch-sets.R", nrow(table)), "least coverage", min(table$coverage), 0.935 - 5 * sqrt(0.0608 / surveys))
section("studies with limits")

result <- do.call(rbind, rows)
result$ok <- !is.na(result$value) & result$value >= result$least & result$value <= result$most
result[c("value", "least", "most")] <- lapply(result[c("value", "least", "most")], signif, 5)
result <- cbind(result, date = format(Sys.Date()), run = arguments[2], version = as.character(utils::packageVersion("candor")))
file <- file.path(folder, "validation.csv")
# A peer that is not installed here keeps its row of an earlier run.
if (file.exists(file)) {
  before <- utils::read.csv(file)
  result <- rbind(result, before[before$area == "peer" & !sub(" .*", "", before$case) %in% sub(" .*", "", result$case), ])
}
utils::write.csv(result, file, row.names = FALSE, quote = TRUE)
if (any(!result$ok)) print(result[!result$ok, 1:6], row.names = FALSE, right = FALSE)
cat(sprintf("%d passed, %d failed\n", sum(result$ok), sum(!result$ok)))
# ---- the studies without limits, the longest last ----
if (full) {
  others <- c("pinzon-grid.R", "sketch-keys.R", "sketches.R", "choose.R", "regression-starts.R", "eb-more.R", "eb-uncertainty.R",
              "eb-even.R", "random-intercepts.R", "eb.R")
  keep_results()
  for (name in others) {
    script(name, if (name == "eb.R") file.path(Sys.getenv("CANDOR_SHARED_DATA", "."), "kosarak_prefix36682_first_item.csv"))
    keep_results()
    section(name)
  }
}
quit(status = any(!result$ok))
