# Makes data/*.rda: published randomized-response surveys, as counts.
#
# Run from the top of the package:  Rscript tools/data/make-data.R
#
# Counts are facts of the literature and are typed in here, each with its source. Nothing is read from a
# file. In every table p = P(yes given yes) and q = P(yes given no), and `yes` counts the report that has
# these probabilities; under a crosswise design that report is "both answers are the same".

library(tibble)

answers <- function(x) factor(x, levels = c("no", "yes"))

# van den Hout, A. and van der Heijden, P. G. M. (2002). Randomized response, statistical disclosure control
# and misclassification: a review. International Statistical Review 70(2), 269-288. Kuk's design with 80 and
# 20 per cent red cards on both items, n = 412.
benefit_survey <- tibble(
  item1 = answers(c("no", "no", "yes", "yes")),
  item2 = answers(c("no", "yes", "no", "yes")),
  p = 0.8,
  q = 0.2,
  count = c(189, 103, 52, 68)
)

# Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the randomized response technique.
# Journal of the American Statistical Association 110(511), 1304-1319. One throw of a die: 1 forces "no",
# 6 forces "yes". 2457 respondents, 22 without an answer to this item.
nigeria_survey <- tibble(
  item = "contact with armed groups",
  design = "forced response",
  p = 5 / 6,
  q = 1 / 6,
  no = 1604,
  yes = 831
)

# Jann, B., Jerke, J. and Krumpal, I. (2012). Asking sensitive questions using the crosswise model: an
# experimental survey measuring plagiarism. Public Opinion Quarterly 76(1), 32-49. ETH Zurich, LMU Munich
# and the University of Leipzig; the innocuous question holds for a quarter of the population.
plagiarism_survey <- tibble(
  item = rep(c("partial", "severe"), each = 2),
  design = rep(c("crosswise", "direct"), times = 2),
  p = rep(c(0.25, 1), times = 2),
  q = rep(c(0.75, 0), times = 2),
  no = c(310 - 198, 96 - 7, 310 - 230, 96 - 1),
  yes = c(198, 7, 230, 1)
)

# Hoeglinger, M., Jann, B. and Diekmann, A. (2016). Sensitive questions in online surveys. Survey Research
# Methods 10(3), 171-187, doi:10.18148/srm/2016.v10i3.6703. Students of the University of Bern and ETH Zurich.
# Two forced-response groups (truth with probability 2/3, n = 722, and 3/4, n = 695; forced yes 1/6 in
# both) and direct questions (n = 720).
exam_items <- c("copied", "crib notes", "drugs", "plagiarism", "other's work")
exam_yes <- rbind(
  c(237, 246, 157),
  c(195, 199, 74),
  c(115, 117, 21),
  c(126, 137, 21),
  c(108, 108, 11)
)
exam_n <- c(722, 695, 720)
exam_survey <- tibble(
  item = rep(exam_items, each = 3),
  design = rep(c("forced response", "forced response", "direct"), times = 5),
  p = rep(c(2 / 3 + 1 / 6, 3 / 4 + 1 / 6, 1), times = 5),
  q = rep(c(1 / 6, 1 / 6, 0), times = 5),
  no = rep(exam_n, times = 5) - as.vector(t(exam_yes)),
  yes = as.vector(t(exam_yes))
)

# Hoeglinger, M. and Jann, B. (2018). More is not always better: an experimental individual-level validation of
# the randomized response technique and the crosswise model. PLoS ONE 13(8), e0201770. Respondents whose
# play in the dice game is known.
dice_n <- c(40, 35, 34, 17, 729, 534, 539, 364)
dice_yes <- c(19, 15, 18, 12, 98, 417, 384, 3)
dice_survey <- tibble(
  truth = rep(c("cheated", "honest"), each = 4),
  design = rep(c("forced response", "crosswise", "crosswise", "direct"), times = 2),
  p = rep(c(3 / 4 + 1 / 6, 0.1594625, 0.1971293, 1), times = 2),
  q = rep(c(1 / 6, 0.8405375, 0.8028707, 0), times = 2),
  no = dice_n - dice_yes,
  yes = dice_yes
)

# Radukic and Musch (2014), as distributed with Heck, D. W. and Moshagen, M. (2018). RRreg: an R package for
# correlation and regression analyses of randomized response data. Journal of Statistical Software 85(2),
# 1-29, doi:10.18637/jss.v085.i02 (data set minarets, 1621 respondents). Stochastic lie detector with
# P(no given no) = 2/12 and 10/12; P(yes given yes) is unknown.
minaret_survey <- tibble(
  item = "minaret ban",
  design = c("stochastic lie detector", "stochastic lie detector", "direct"),
  p = c(NA, NA, 1),
  q = c(1 - 2 / 12, 1 - 10 / 12, 0),
  no = c(564 - 373, 692 - 398, 365 - 158),
  yes = c(373, 398, 158)
)

# Simulated, not surveyed: 2000 students, for examples of regression. Effects in R/data.R. R's generator is named, so that every
# version of R makes the same table.
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
set.seed(20250301)
students <- 2000
semester <- sample(1:10, students, replace = TRUE)
female <- rbinom(students, 1, 0.5)
often <- c("never", "once", "often")
weight <- cbind(1, exp(-1.2 + 0.15 * semester - 0.4 * female), exp(-2 + 0.25 * semester - 0.8 * female))
level <- 1 + rowSums(runif(students) > t(apply(weight / rowSums(weight), 1, cumsum)))
copied <- rbinom(students, 1, plogis(-2 + 0.5 * (level - 1) + 0.1 * semester))
grade <- round(4 + 0.05 * semester + c(0, 0.2, 0.5)[level] + rnorm(students, sd = 0.6), 2)
report <- ifelse(runif(students) < 0.7, level, sample(3, students, replace = TRUE))
die <- sample(6, students, replace = TRUE)
exam_simulated <- tibble(
  semester = semester,
  female = female,
  grade = grade,
  cheating = factor(often[report], often),
  plagiarism = answers(c("no", "yes")[1 + ifelse(die == 1, 0, ifelse(die == 6, 1, copied))]),
  true_cheating = factor(often[level], often),
  true_plagiarism = answers(c("no", "yes")[1 + copied])
)

dir.create("data", showWarnings = FALSE)
for (name in c("benefit_survey", "nigeria_survey", "plagiarism_survey", "exam_survey", "dice_survey",
               "minaret_survey", "exam_simulated")) {
  save(list = name, file = file.path("data", paste0(name, ".rda")), version = 2, compress = "bzip2")
}
