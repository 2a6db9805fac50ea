# Regressions that are no glm, as multiples of what R users know, timed in turns in one run:
#   1. rr_multinom() of 10 categories, 1e5 respondents, 4 columns, 5 starts, in multiples of glm(binomial) of the same size;
#   2. rr_predictor() of 1e4 respondents by moments and by likelihood, in multiples of lm() and glm();
#   3. rr_posterior() of a million respondents, in multiples of one hundred calls of qbeta();
#   4. rr_glm() of 1e4 dealt answers in 400 blocks by the likelihood of blocks, in multiples of glm();
#   5. random intercepts against lme4 and in real data, coverage with validated channels, respondents who protect themselves.
# Rscript tools/bench/bench-regress-more.R [quick]
library(candor)
here <- grep("^--file=", commandArgs(), value = TRUE)
source(file.path(dirname(sub("^--file=", "", here)), "common.R"))
times <- if ("quick" %in% commandArgs(TRUE)) 1 else 5

set.seed(1)
n <- 1e5
x <- cbind(rnorm(n), rnorm(n), rbinom(n, 1, 0.5))
eta <- cbind(0, cbind(1, x) %*% matrix(rnorm(36, sd = 0.4), 4))
truth <- max.col(eta - log(-log(matrix(runif(n * 10), n))))
grr <- rr_grr(10, epsilon = 2)
people <- data.frame(y = rr_perturb(truth, grr, rng = "R"), b = as.integer(truth > 5), x1 = x[, 1], x2 = x[, 2], x3 = x[, 3])
report("rr_multinom(), K = 10, n = 1e5, 4 columns, 5 starts, in glm()", ratio(
  rr_multinom(y ~ x1 + x2 + x3, people, grr), glm(b ~ x1 + x2 + x3, binomial, people), times), "20")
report("the same from one start", ratio(
  rr_multinom(y ~ x1 + x2 + x3, people, grr, starts = 1), glm(b ~ x1 + x2 + x3, binomial, people), times), "20")

n <- 1e4
z <- rnorm(n)
truth <- rbinom(n, 1, plogis(z))
forced <- rr_forced(1 / 6)
people <- data.frame(z, q = rr_perturb(truth, forced, rng = "R"), o = z + truth + rnorm(n), b = rbinom(n, 1, plogis(z + truth)))
dealt <- rr_dealt(c(no = 0, yes = 5), cards = 25)
people$said <- rr_perturb(truth, dealt, rng = "R")$report
people$block <- rep(1:400, each = 25)
report("rr_glm() of dealt answers, n = 1e4, 400 blocks, in glm()", ratio(
  rr_glm(said ~ z, people, dealt), glm(b ~ z, binomial, people), times), "20")

# Many covariates, weak and strong: 5,000 respondents with 100.
for (size in c(weak = 0.03, strong = 0.15)) {
  many <- matrix(rnorm(5e5), 5000)
  truth <- rbinom(5000, 1, plogis(-1 + many %*% rnorm(100, sd = size)))
  surveyed <- data.frame(many, q = rr_perturb(truth, forced, rng = "R"), b = truth)
  columns <- names(surveyed)[1:100]
  report(sprintf("rr_glm() of 100 covariates (effects of %g), n = 5,000, in glm()", size), ratio(
    rr_glm(reformulate(columns, "q"), surveyed, forced), glm(reformulate(columns, "b"), binomial, surveyed), times), "<= 6")
}

# Processor time, the median of several.
seconds_of <- function(expression) stats::median(replicate(times, sum(system.time(expression())[1:2])))
line <- function(what, value, goal) cat(sprintf("%-78s %8.3g   (goal %s)\n", what, value, goal))
line("rr_predictor(), n = 1e4, gaussian, moments, seconds", seconds_of(function() rr_predictor(o ~ z + q, people, list(q = forced))), "0.5")
line("rr_predictor(), n = 1e4, gaussian, likelihood, 5 starts, seconds",
     seconds_of(function() rr_predictor(o ~ z + q, people, list(q = forced), method = "ml")), "0.5")
line("rr_predictor(), n = 1e4, binomial, likelihood, 5 starts, seconds",
     seconds_of(function() rr_predictor(b ~ z + q, people, list(q = forced), binomial())), "0.5")
report("rr_predictor(), n = 1e4, gaussian, moments, in lm()", ratio(
  rr_predictor(o ~ z + q, people, list(q = forced)), lm(o ~ z + q, people), times), "-")

million <- rr_counts(c(6e5, 4e5), forced)
report("rr_posterior() of 1e6 respondents with its table, in 100 x qbeta()", ratio(
  tidy(rr_posterior(million), conf.int = TRUE), for (i in 1:100) qbeta(0.3, 4e5, 6e5), times), "-")

# Direct answers: 60 persons with 3 items, against 25 nodes of lme4.
if (requireNamespace("lme4", quietly = TRUE)) {
  set.seed(3)
  people <- data.frame(id = rep(1:60, each = 3), x = rnorm(180))
  people$y <- rbinom(180, 1, plogis(-0.4 + 0.7 * people$x + rnorm(60)[people$id]))
  fit <- rr_glm(y ~ x + (1 | id), people, rr_binary(1, 0))
  tight <- lme4::glmerControl(optimizer = "bobyqa", tolPwrss = 1e-13, optCtrl = list(rhoend = 1e-12, maxfun = 1e5))
  other <- lme4::glmer(y ~ x + (1 | id), people, binomial(), nAGQ = 25, control = tight)
  line("random intercept, direct answers: log-likelihood less glmer's with 25 nodes", abs(as.numeric(logLik(fit)) - as.numeric(logLik(other))), "1e-8")
  line("the same, largest difference of an estimate",
       max(abs(c(coef(fit), fit$sigma) - c(lme4::fixef(other), attr(lme4::VarCorr(other)$id, "stddev")))), "1e-6")
}

# Persons who evade, beside the same model without them: 1,500 persons with 5 items.
set.seed(4)
people <- expand.grid(item = factor(1:5), id = 1:1500)
truth <- rbinom(7500, 1, plogis(-1.5 + 1.2 * rnorm(1500)[people$id]))
people$y <- ifelse((runif(1500) < 0.15)[people$id], 0, rbinom(7500, 1, 1 / 6 + truth * 2 / 3))
report("rr_glm(report ~ 0 + item + (1 | id), protective = \"no\") / the same without it", ratio(
  rr_glm(y ~ 0 + item + (1 | id), people, forced, protective = "no"), rr_glm(y ~ 0 + item + (1 | id), people, forced), times), "<= 3")

# The real surveys: all arms, with an effect of each item and arm; of ETHBE also the arm with the largest sigma.
if (requireNamespace("GLMMRR", quietly = TRUE)) {
  place <- new.env()
  utils::data(list = c("MTURK", "ETHBE"), package = "GLMMRR", envir = place)
  real <- function(what, data, formula, goal) {
    numbers <- data[c(grep("p1$", names(data)), grep("p2$", names(data)))]
    # MTURK has in p2 the probability of yes if the answer is forced, ETHBE that of a forced yes.
    forced <- names(numbers)[2] == "p2" & data$RRmodel == "Forced"
    numbers[forced, 2] <- numbers[forced, 2] / (1 - numbers[forced, 1])
    key <- do.call(paste, c(list(data$RRmodel), numbers))
    designs <- lapply(which(!duplicated(key)), function(i) {
      device <- GLMMRR::getRRparameters(as.character(data$RRmodel[i]), numbers[i, 1], numbers[i, 2])
      rr_binary(device$c + device$d, device$c)
    })
    data$arm <- paste0("d", match(key, unique(key)))
    data$y <- as.numeric(as.character(data$RR_response))
    fitted <- function() suppressMessages(suppressWarnings(rr_glm(formula, data, setNames(designs, unique(data$arm)), arm = arm)))
    fit <- fitted()
    line(sprintf("%s (log-likelihood %.4f, sigma %.3f), seconds", what, fit$loglik, fit$sigma), seconds_of(fitted), goal)
  }
  joint <- y ~ 0 + Question + RRmodel + (1 | id)
  real("MTURK, all arms", place$MTURK, joint, "2")
  real("ETHBE, all arms", place$ETHBE, joint, "3")
  real("ETHBE, unrelated question", place$ETHBE[place$ETHBE$RRmodel == "UQM", ], y ~ 0 + Question + (1 | id), "-")
}

# Coverage of the default intervals with a channel that a study of m people measured: 2,000 samples a row, each table
# that says nothing left out.
set.seed(23)
settings <- rbind(c(0.12, 0.80, 0.95, 50, 100, 1000), c(0.35, 0.90, 0.85, 200, 200, 400), c(0.015, 0.83, 0.995, 122, 401, 3330),
                  c(0.50, 0.75, 0.80, 30, 30, 250), c(0.20, 0.70, 0.90, 25, 60, 5000), c(0.08, 0.95, 0.97, 1000, 1000, 800),
                  c(0.02, 0.90, 0.98, 60, 300, 1000), c(0.30, 0.85, 0.90, 1000, 1000, 1e5))
for (i in seq_len(nrow(settings))) {
  v <- settings[i, ]
  covered <- replicate(if (times == 1) 100 else 2000, {
    yes <- rbinom(1, v[4], v[2])
    false <- rbinom(1, v[5], 1 - v[3])
    positive <- rbinom(1, v[6], v[1] * v[2] + (1 - v[1]) * (1 - v[3]))
    table <- rbind(c(v[5] - false, false), c(v[4] - yes, yes))
    if (any(colSums(table) == 0) || yes / v[4] <= false / v[5]) return(NA)
    ends <- confint(rr_estimate(rr_counts(c(v[6] - positive, positive), rr_misclassification(table = table))))[2, ]
    ends[1] <= v[1] && v[1] <= ends[2]
  })
  line(sprintf("coverage, prevalence %g, sensitivity %g of %d, specificity %g of %d, n = %d", v[1], v[2], v[4], v[3], v[5], v[6]),
       mean(covered, na.rm = TRUE), "0.93 to 0.97")
}

# Respondents who protect themselves: five questions, forced answers, 722 respondents of whom a tenth say no throughout.
set.seed(1)
names <- paste0("i", 1:5)
survey <- do.call(rr_product, setNames(rep(list(rr_forced(1 / 6)), 5), names))
shift <- rnorm(722)
truths <- as.data.frame(lapply(setNames(c(0.3, 0.2, 0.05, 0.05, 0.02), names), function(p) rbinom(722, 1, plogis(qlogis(p) + shift))))
reports <- rr_perturb(truths, survey, rng = "R")
reports[1:72, ] <- 0L
tally <- rr_tally(reports, survey)
for (order in 1:3) {
  formula <- reformulate(if (order == 1) names else sprintf("(%s)^%d", paste(names, collapse = " + "), order))
  fitted <- function() suppressMessages(suppressWarnings(rr_loglinear(formula, tally, protective = "no")))
  line(sprintf("rr_loglinear(protective = ), five questions, terms of order %d, 5 starts, seconds", order), seconds_of(fitted),
       if (order < 3) "0.5" else "-")
}

# Quantiles within true classes of a million rows, in sorts of the outcome (sort() by radix).
set.seed(4)
n <- 1e6
coin <- rr_grr(c("low", "high"), epsilon = 1)
rows <- data.frame(y = rexp(n), x = rr_perturb(c("low", "high")[1 + rbinom(n, 1, 0.3)], coin, rng = "R"))
by_class <- rr_predictor(y ~ 0 + x, rows, list(x = coin))
report("rr_quantile() of two classes, n = 1e6, one probability, in sort()", ratio(rr_quantile(by_class, 0.75), sort(rows$y), times), "3")
report("the same, in sort(method = 'quick')", ratio(rr_quantile(by_class, 0.75), sort(rows$y, method = "quick"), times), "3")
