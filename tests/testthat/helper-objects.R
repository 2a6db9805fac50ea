# A small object of each class that has methods for generics of other packages, for tests that look at all of them.
object_of_each_class <- function() {
  set.seed(1)
  die <- rr_forced(1 / 6)
  two <- rr_counts(cbind(North = c(no = 300, yes = 200), South = c(220, 80)), die)
  fit <- rr_estimate(two)
  people <- exam_simulated[1:400, ]
  often <- rr_grr(levels(people$cheating), p = 0.8)
  glm <- rr_glm(plagiarism ~ semester + female, people, die)
  predictor <- rr_predictor(grade ~ semester + cheating, people, list(cheating = often))
  truth <- matrix(rbinom(600, 1, 0.3), 200, dimnames = list(NULL, c("a", "b", "c")))
  bits <- matrix(rbinom(600, 1, 0.2 + 0.6 * truth), 200, dimnames = dimnames(truth))
  counted <- rr_cooccurrence(bits, order = 2)
  items <- rr_product(item1 = rr_kuk(0.8, 0.2), item2 = rr_kuk(0.8, 0.2))
  joint <- rr_estimate(rr_counts(c(180, 90, 80, 110), rr_product(drugs = rr_warner(0.8), theft = rr_warner(0.8))), method = "inv")
  asked <- data.frame(y = rbinom(300, 1, 0.4), x = rep(0:1, 150), id = rep(1:100, 3))
  crosswise <- rr_crosswise(0.15)
  anchored <- data.frame(y = rbinom(300, 1, 0.75), a = rbinom(300, 1, 0.78), x = rep(0:1, 150))
  asked$item <- factor(rep(1:3, each = 100))
  permanent <- rr_compose(rr_warner(0.9), rr_warner(0.8))
  mean_mechanism <- rr_mean(c(0, 24), epsilon = 1)
  objects <- list(
    tally = two, fit = fit, one = rr_estimate(rr_counts(c(no = 300, yes = 200), die)), compare = rr_compare(fit), top = rr_top(fit),
    mean = rr_estimate(rr_tally(rr_perturb(runif(100, 4, 20), mean_mechanism, rng = "R"), mean_mechanism)), contrast = rr_contrast(fit, "North:yes"),
    profile = profile(fit, "yes"), power = rr_power(die, c(100, 1000), 0.2), recommendation = rr_recommend(8, 1),
    posterior = rr_posterior(two, n = 50), glm = glm, summary.glm = summary(glm), effects = rr_effects(glm), predictor = predictor,
    summary = summary(predictor), multinom = rr_multinom(cheating ~ female + semester, people, often),
    mixed = suppressMessages(rr_glm(y ~ x + (1 | id), asked, rr_binary(1, 0))),
    evasion = suppressWarnings(suppressMessages(rr_glm(y ~ 0 + item + (1 | id), asked, die, protective = "no"))),
    attention = suppressWarnings(rr_glm(y ~ x, anchored, crosswise, anchor = list(a = rr_anchor(crosswise)), attention = ~1)),
    anchor = rr_estimate(anchored, crosswise, column = c("y", "a"), anchor = rr_anchor(crosswise), by = "x"),
    dealt = rr_glm(y ~ x, data.frame(y = rep(c(1, 0, 1, 0, 0, 0, 1, 1, 0, 0), 3), x = rep(c(0, 1, 1), 10), block = rep(1:6, each = 5)), rr_dealt(1, cards = 5)),
    loglinear = rr_loglinear(~ item1 + item2, rr_counts(xtabs(count ~ item1 + item2, benefit_survey), items)),
    cooccurrence = counted, tmdh = rr_tmdh(counted, rr_warner(0.8)), pmdh = rr_pmdh(as.table(array(c(600, 150, 150, 100), c(2, 2))), rr_warner(0.8)),
    margin = rr_margin(joint, "theft"), association = rr_association(joint), bit_tally = rr_tally(c(0, 0, 1), flip = 0.1),
    set_size = rr_set_size(bits, flip = 0.1), incidence = rr_incidence(bits, flip = 0.1), sketch = rr_sketch(1:20, "linear", bits = 256),
    study = rr_study(list(even = rep(0.25, 4)), epsilon = 1, n = 100, method = c("mle", "inv"), replications = 5, seed = 1),
    mechanism = die, compose = permanent, product = items, sampled = rr_hierarchy(8, epsilon = 1),
    law = rr_law(die), method = rr_new_method("own", "Own", function(evidence, options) NULL),
    memory = rr_perturb(c("a", "b"), rr_longitudinal(c("a", "b"), 2, 1), rng = "R", memory = list())$memory,
    reports = rr_perturb(c("a", "b"), rr_unary(c("a", "b"), 1), rng = "R"))
  if (requireNamespace("survey", quietly = TRUE)) {
    design <- survey::svydesign(~1, weights = ~1, data = data.frame(answer = rep(c("no", "yes"), c(200, 100)), area = rep(c("N", "S", "S"), 100)))
    objects$survey <- rr_estimate(design, die, column = ~answer, by = ~area)
  }
  objects
}
