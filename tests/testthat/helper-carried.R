# Worlds and verbs for test-verbs-carried.R. A world is what a user has: data or a survey design, a mechanism, and what was made of them.
# Of each fact that an object carries beside its shares there are two worlds, which differ in it alone.

# 480 people: half of each group, so that weights and clusters that are even over reports leave the estimates as they are.
carried_data <- function(yes = c(a = 96, b = 144)) {
  data <- data.frame(x = rep(c("a", "b"), each = 240), y = unlist(lapply(yes, function(n) rep(c("yes", "no"), c(n, 240 - n)))),
    z = rep(rep(c(0, 1, 0), c(50, 150, 40)), 2))
  # Every answer of a person is given twice below, by `id`; decks of 10 hold both reports.
  data$w <- rep(c(1, 1, 3, 3), 120)
  data$a <- rep(c("no", "yes", "yes", "yes", "yes", "no"), 80)
  data$id <- rep(1:240, each = 2)
  data$m <- rep(withr::with_seed(1, rr_perturb(stats::runif(240, 0, 24), carried_mean(), rng = "R")), each = 2)
  data$r <- rep(c("yes", "no", "no"), 160)
  data$person <- rep(1:80, 6)
  data$block <- rep(1:48, 10)
  data$three <- rep(c("0", "1", "2"), 160)
  data
}

carried_mean <- function() rr_mean(c(0, 24), 2, "duchi")

# The arguments with the new ones in their places.
replaced <- function(arguments, new) {
  for (name in names(new)) arguments[name] <- new[name]
  arguments
}

# `source`: data or a design. `fit`, `glm`: further arguments of rr_estimate() and rr_glm().
carried_world <- function(mechanism, source = carried_data(), fit = list(), glm = list(), by = "x", weights = NULL) {
  column <- fit$column %||% "y"
  w <- list(fit_arguments = fit[setdiff(names(fit), c("column", "anchor"))], row_weights = if (!is.null(weights)) list(weights = as.name(weights)),
    mechanism = mechanism, source = source, by = by, data = if (is.data.frame(source)) source else source$variables, weights = weights)
  counted <- c(list(x = source, mechanism = mechanism, column = column[1], by = by), if (!is.null(weights)) list(weights = weights))
  w$estimate <- function(...) do.call(rr_estimate, replaced(counted, c(fit, list(...))))
  w$regress <- function(formula = y ~ x, ...) {
    do.call(rr_glm, c(list(formula, source, mechanism), glm, if (!is.null(weights)) list(weights = as.name(weights)), list(...)))
  }
  w <- list2env(w)
  delayedAssign("tally", do.call(rr_tally, counted), assign.env = w)
  delayedAssign("fit", w$estimate(), assign.env = w)
  delayedAssign("glm", w$regress(), assign.env = w)
  delayedAssign("multinom", do.call(rr_multinom, c(list(y ~ x, source, mechanism), w$row_weights)), assign.env = w)
  delayedAssign("mean", do.call(rr_estimate,
    replaced(counted, c(list(mechanism = carried_mean(), column = "m"), w$fit_arguments[setdiff(names(w$fit_arguments), "method")]))), assign.env = w)
  w
}

carried_worlds <- function() {
  study <- rbind(no = c(no = 60, yes = 20), yes = c(8, 72))
  validated <- function(validation) rr_misclassification(table = study, validation = validation)
  warner <- rr_warner(0.8)
  die <- rr_forced(c(no = 0.2, yes = 0.2))
  deck <- rr_dealt(c(no = 2, yes = 2), cards = 10)
  crosswise <- rr_crosswise(0.15)
  anchor <- rr_anchor(crosswise)
  two <- rr_longitudinal(c("no", "yes"), permanent = 2, epsilon = 1, protocol = "grr-grr")
  ignored <- rr_noncompliance(warner, 0.2)
  C <- unname(rr_matrix(ignored))
  high <- carried_data(c(a = 168, b = 192))
  data <- carried_data()
  list(
    external = list(with = carried_world(validated("external")), without = carried_world(validated("exact"))),
    internal = list(with = carried_world(validated("internal"), by = NULL), without = carried_world(validated("exact"), by = NULL)),
    dealt = list(with = carried_world(deck), without = carried_world(die)),
    anytime = list(with = carried_world(warner, fit = list(interval = "anytime", method = "inv")), without = carried_world(warner, fit = list(method = "inv"))),
    plan = list(with = carried_world(warner, fit = list(interval = "anytime", method = "inv", plan = 1e5)),
      without = carried_world(warner, fit = list(interval = "anytime", method = "inv"))),
    anchor = list(with = carried_world(crosswise, high, fit = list(column = c("y", "a"), anchor = anchor), glm = list(anchor = list(a = anchor))),
      without = carried_world(crosswise, high)),
    weights = list(with = carried_world(warner, weights = "w"), without = carried_world(warner)),
    design = if (requireNamespace("survey", quietly = TRUE)) {
      list(with = carried_world(warner, survey::svydesign(ids = ~id, weights = ~1, data = data)), without = carried_world(warner))
    },
    permanent = list(with = carried_world(two), without = carried_world(rr_binary(two$p, two$q))),
    mistakes = list(with = carried_world(ignored), without = carried_world(rr_binary(C[2, 2], C[1, 2])))
  )
}

# The numbers of a table, without the objects that it carries.
numbers_of <- function(table) Filter(is.numeric, as.list(table))

# Each verb as a function of a world.
carried_verbs <- function() {
  once <- function(w) rr_counts(c(no = 300, yes = 100), w$mechanism)
  twice <- function(w) {
    do.call(rr_estimate, c(list(w$source, rr_product(y = w$mechanism, r = w$mechanism)), w$fit_arguments, if (!is.null(w$weights)) list(weights = w$weights)))
  }
  verbs <- list(
    # ---- mechanisms ----
    rr_anchor = function(w) rr_matrix(rr_anchor(w$mechanism)),
    rr_check_client = function(w) {
      set.seed(1)
      check <- rr_check_client(suppressWarnings(rr_perturb(rep(c("no", "yes"), 200), w$mechanism, rng = "R")), w$mechanism, rep(c("no", "yes"), 200))
      utils::capture.output(print(check))[1]
    },
    rr_client = function(w) {
      file <- withr::local_tempfile(fileext = ".js")
      readLines(rr_client(w$mechanism, file, as = "javascript"))
    },
    rr_compose = function(w) {
      m <- rr_compose(w$mechanism, rr_warner(0.9))
      list(rr_matrix(m), rr_epsilon(m))
    },
    rr_epsilon = function(w) rr_epsilon(w$mechanism),
    `rr_epsilon list` = function(w) rr_epsilon(list(w$mechanism, rr_warner(0.6))),
    `rr_epsilon sensitive` = function(w) rr_epsilon(w$mechanism, sensitive = "yes"),
    `rr_epsilon reports` = function(w) rr_epsilon(w$mechanism, reports = 3),
    `rr_epsilon shuffled` = function(w) rr_epsilon(w$mechanism, shuffled = 1000, delta = 1e-6),
    `rr_epsilon achieved` = function(w) rr_epsilon(w$mechanism, achieved = TRUE),
    rr_family = function(w) summary(glm(y ~ x, rr_family(w$mechanism), transform(w$data, y = y == "yes")))$coefficients[, 2],
    rr_instructions = function(w) rr_instructions(w$mechanism, "Did you?"),
    rr_law = function(w) Filter(is.numeric, unclass(rr_law(w$mechanism))[c("validation", "internal", "cards", "forced")]),
    rr_matrix = function(w) rr_matrix(w$mechanism),
    rr_noncompliance = function(w) rr_epsilon(rr_noncompliance(w$mechanism, 0.1)),
    # What it returns of it: blocks, a memory.
    rr_perturb = function(w) {
      answers <- rep("yes", 100)
      memory <- tryCatch(rr_perturb(answers, w$mechanism, rng = "R", memory = list()), candor_error = function(e) NULL)
      list(names(rr_perturb(answers, w$mechanism, rng = "R")), is.list(memory))
    },
    rr_pmdh = function(w) tidy(rr_pmdh(as.table(array(c(600, 150, 150, 100), c(2, 2))), w$mechanism)),
    `rr_law truth` = function(w) rr_law(w$mechanism, truth = as.table(array(c(4, 3, 2, 6), c(2, 2)))),
    rr_power = function(w) numbers_of(rr_power(w$mechanism, n = c(100, 1000), share = 0.3, null = 0.2)),
    `rr_power margin` = function(w) numbers_of(rr_power(w$mechanism, margin = 0.15, share = 0.3)),
    `rr_power versus` = function(w) numbers_of(rr_power(w$mechanism, n = 1000, share = 0.3, versus = 0.2)),
    `rr_power model` = function(w) numbers_of(rr_power(w$mechanism, n = 1000, model = ~x, data = w$data, coefficients = c(-1, 0.5), term = "xb")),
    rr_product = function(w) rr_epsilon(rr_product(q = w$mechanism, r = rr_warner(0.8))),
    `rr_product asked` = function(w) {
      m <- rr_product(q = w$mechanism, r = rr_warner(0.8), asked = 1)
      fits <- rr_estimate(data.frame(question = rep(c("q", "r"), 240), report = w$data$y), m)
      list(rr_epsilon(m), tidy(fits$q))
    },
    rr_score = function(w) rr_score(if (is.null(w$mechanism$codec$block)) w$data$y else w$data[c("block", "y")], w$mechanism),
    rr_study = function(w) rr_study(list(s = c(0.7, 0.3)), n = 100, method = "inv", replications = 20, mechanism = function(k, epsilon) w$mechanism,
      epsilon = 1, seed = 1)$estimate,
    rr_tmdh = function(w) tidy(rr_tmdh(rr_cooccurrence(cbind(q = w$data$y == "yes", r = w$data$x == "b")), w$mechanism), conf.int = TRUE),
    rr_cooccurrence = function(w) unclass(rr_cooccurrence(data.frame(q = w$data$y, r = w$data$y),
      mechanism = rr_product(q = w$mechanism, r = w$mechanism)))$counts,
    # ---- data and tallies ----
    rr_tally = function(w) list(tidy(w$tally), w$tally$effective_n, w$tally$blocks),
    rr_counts = function(w) tidy(rr_estimate(once(w)), conf.int = TRUE),
    rr_reports = function(w) rr_reports(w$data$y, w$mechanism),
    rr_estimate = function(w) w$fit,
    `rr_estimate tally` = function(w) rr_estimate(w$tally),
    `rr_estimate survey` = function(w) rr_estimate(survey::svydesign(ids = ~id, weights = ~1, data = w$data), w$mechanism, column = "y", by = w$by),
    `rr_compare survey` = function(w) rr_compare(rr_estimate(survey::svydesign(ids = ~id, weights = ~1, data = w$data), w$mechanism, column = "y", by = "x")),
    `rr_estimate bootstrap` = function(w) {
      set.seed(1)
      rr_estimate(w$tally, interval = "bootstrap", replications = 50)
    },
    rr_choose_method = function(w) rr_choose_method(if (is.null(w$by)) w$tally else w$tally[1, drop = TRUE], method = c("mle", "inv"), replications = 20,
      seed = 1)$risk,
    rr_pool = function(w) rr_estimate(rr_pool(q = w$tally, r = w$tally)),
    rr_posterior = function(w) withr::with_seed(1, rr_posterior(w$tally, n = 100)),
    rr_top = function(w) rr_top(w$tally), `rr_top fit` = function(w) rr_top(w$fit),
    rr_write = function(w) {
      file <- withr::local_tempfile()
      rr_write(w$tally, file)
      rr_estimate(rr_read(file))
    },
    # ---- fits ----
    rr_compare = function(w) rr_compare(w$fit),
    rr_contrast = function(w) rr_contrast(w$fit, stats::setNames(c(1, -1), names(coef(w$fit))[c(2, length(coef(w$fit)))])),
    rr_margin = function(w) rr_margin(twice(w), "r"), rr_association = function(w) rr_association(twice(w)),
    rr_quantile = function(w) {
      fit <- w$fit
      fit$mechanism$ordered <- TRUE
      rr_quantile(fit, seq(0.4, 0.99, 0.005))
    },
    rr_goodness_of_fit = function(w) {
      set.seed(1)
      if (is_validated(w$mechanism) || !is.null(w$mechanism$codec$block)) return(rr_goodness_of_fit(w$fit))
      unlist(numbers_of(rr_goodness_of_fit(w$estimate(mechanism = rr_kuk(0.7, 0.4, draws = 2), column = "three", method = "mle"), replications = 99)))
    },
    as.table = function(w) as.table(twice(w)),
    # ---- regressions ----
    rr_glm = function(w) w$glm,
    `rr_glm intercept` = function(w) w$regress(y ~ x + (1 | person)),
    `rr_glm protective` = function(w) w$regress(y ~ 1 + (1 | person), protective = "no"),
    `rr_glm arm` = function(w) {
      if (is.data.frame(w$source)) w$source$arm <- rep(1:2, 240) else w$source$variables$arm <- rep(1:2, 240)
      do.call(rr_glm, c(list(y ~ x, w$source, list(`1` = w$mechanism, `2` = rr_warner(0.7)), arm = quote(arm)), w$row_weights))
    },
    `rr_glm tally` = function(w) rr_glm(~x, w$tally),
    `rr_glm penalty` = function(w) w$regress(penalty = "prior"),
    `rr_goodness_of_fit glm` = function(w) unlist(numbers_of(rr_goodness_of_fit(w$regress(y ~ x + z)))),
    rr_multinom = function(w) do.call(rr_multinom, c(list(y ~ x, w$source, w$mechanism), w$row_weights)),
    `rr_multinom tally` = function(w) rr_multinom(~x, w$tally),
    rr_predictor = function(w) do.call(rr_predictor, c(list(z ~ y, w$source, list(y = w$mechanism), family = binomial()), w$row_weights)),
    rr_loglinear = function(w) {
      product <- rr_product(y = w$mechanism, r = w$mechanism)
      rr_loglinear(~ y + r, do.call(rr_tally, c(list(w$source, product), if (!is.null(w$weights)) list(weights = w$weights))))
    },
    rr_effects = function(w) rr_effects(w$glm)
  )
  c(verbs, carried_methods())
}

# Methods of R's and of other packages' generics.
carried_methods <- function() {
  seeded <- function(f) function(x) {
    set.seed(1)
    f(x)
  }
  calls <- list(
    tally = list(tidy = tidy, as.data.frame = as.data.frame, summary = function(x) tidy(summary(x)), c = function(x) tidy(rr_estimate(c(x, x))),
                 `[` = function(x) tidy(rr_estimate(x[2]), conf.int = TRUE), subset = function(x) tidy(rr_estimate(subset(x, x == "b")), conf.int = TRUE),
                 rowsum = function(x) tidy(rr_estimate(rowsum(x, ~x)), conf.int = TRUE),
                   print = function(x) utils::capture.output(print(x))),
    fit = list(tidy = function(x) tidy(x, conf.int = TRUE), glance = function(x) unlist(numbers_of(glance(x))), coef = coef, confint = confint,
      vcov = function(x) sqrt(diag(vcov(x))), nobs = nobs, logLik = logLik,
               `confint wald` = function(x) confint(x, interval = "wald"), `confint exact` = function(x) confint(x, interval = "exact"),
                 `confint profile` = function(x) confint(x, interval = "profile"),
               `vcov sample` = function(x) sqrt(diag(vcov(x, target = "sample"))),
               summary = function(x) tidy(summary(x), conf.int = TRUE), as.data.frame = as.data.frame, fitted = fitted, residuals = residuals,
                 predict = predict, anova = anova, profile = function(x) numbers_of(as.data.frame(profile(x))),
               simulate = seeded(function(x) simulate(x, 2)), update = function(x) tidy(update(x, conf.level = 0.9), conf.int = TRUE),
                 augment = function(x) augment(x), format = format,
               `[` = function(x) tidy(x[2], conf.int = TRUE), print = function(x) utils::capture.output(print(x)), autoplot = function(x) {
                 picture <- ggplot2::autoplot(x)
                 lapply(seq_along(picture$layers), function(i) ggplot2::layer_data(picture, i))
               }),
    glm = list(tidy = function(x) tidy(x, conf.int = TRUE), confint = confint, vcov = function(x) sqrt(diag(vcov(x))),
      `vcov sandwich` = function(x) sqrt(diag(vcov(x, type = "sandwich"))), `vcov expected` = function(x) sqrt(diag(vcov(x, type = "expected"))),
               predict = function(x) predict(x, data.frame(x = "a"), type = "truth", se.fit = TRUE), anova = function(x) unlist(numbers_of(anova(x))),
                 drop1 = function(x) unlist(numbers_of(drop1(x))), add1 = function(x) unlist(numbers_of(add1(x, ~ . + z))),
               profile = function(x) numbers_of(as.data.frame(profile(x))), simulate = seeded(function(x) simulate(x, 2)), residuals = residuals,
                 fitted = fitted, logLik = logLik, AIC = AIC, glance = function(x) unlist(numbers_of(glance(x))),
               summary = function(x) coef(summary(x)), augment = function(x) augment(x), `residuals truth` = function(x) residuals(x, type = "pearson"),
                 hatvalues = hatvalues,
               bread = function(x) diag(sandwich::bread(x)), coeftest = function(x) lmtest::coeftest(x)[, 2], coefci = function(x) lmtest::coefci(x),
                 linearHypothesis = function(x) car::linearHypothesis(x, "xb=0")[2, 3],
               emm_basis = function(x) as.data.frame(emmeans::emmeans(x, "x"))$SE, Anova = function(x) unlist(numbers_of(car::Anova(x))),
                 model_parameters = function(x) parameters::model_parameters(x)$SE, extractAIC = extractAIC,
                   print = function(x) utils::capture.output(print(x)))
  )
  calls$mean <- list(tidy = function(x) tidy(x, conf.int = TRUE), confint = confint, vcov = function(x) sqrt(diag(vcov(x))),
    `[` = function(x) tidy(x[2], conf.int = TRUE), coef = coef, nobs = nobs)
  calls$multinom <- list(tidy = function(x) tidy(x, conf.int = TRUE), confint = confint, vcov = function(x) sqrt(diag(vcov(x))),
    `vcov sandwich` = function(x) sqrt(diag(vcov(x, type = "sandwich"))),
                         logLik = logLik, predict = function(x) predict(x, data.frame(x = "a")), simulate = seeded(function(x) simulate(x, 2)))
  rows <- lapply(names(calls), function(object) {
    verbs <- lapply(calls[[object]], function(call) function(w) call(w[[object]]))
    stats::setNames(verbs, paste(names(verbs), object))
  })
  do.call(c, rows)
}

# ---- the table ----

# What each verb does with each fact, compared with the same object without it:
#   larger, smaller  its errors or the widths of its intervals are
#   other            its result is another one
#   refuses          it gives an error, of ours or for want of a method
#   =<why>           its result is the same, for the reason of this name in carried_reasons
#   .                it is not given an object that carries the fact
#   later            another part of issue 40 mends it
carried_table <- function() {
  utils::read.table(header = TRUE, row.names = 1, comment.char = "", quote = "", colClasses = "character", text = "
verb                       external internal dealt    anytime  plan     anchor   weights  design   permanent mistakes
rr_anchor                  refuses  refuses  refuses  .        .        .        .        .        =law     =law
rr_check_client            refuses  refuses  refuses  .        .        .        .        .        other    refuses
rr_client                  refuses  refuses  refuses  .        .        .        .        .        other    refuses
rr_compose                 refuses  refuses  refuses  .        .        .        .        .        refuses  other
rr_epsilon                 =inf     =inf     other    .        .        .        .        .        other    other
rr_epsilon_list            =inf     =inf     other    .        .        .        .        .        other    other
rr_epsilon_sensitive       =inf     =inf     other    .        .        .        .        .        other    other
rr_epsilon_reports         =inf     =inf     other    .        .        .        .        .        other    other
rr_epsilon_shuffled        =inf     =inf     refuses  .        .        .        .        .        =law     other
rr_epsilon_achieved        =inf     =inf     other    .        .        .        .        .        other    other
rr_family                  refuses  refuses  refuses  .        .        .        .        .        =law     =law
rr_instructions            refuses  refuses  other    .        .        .        .        .        refuses  refuses
rr_law                     other    other    other    .        .        .        .        .        =law     =law
rr_matrix                  =law     =law     refuses  .        .        .        .        .        =law     =law
rr_noncompliance           refuses  refuses  refuses  .        .        .        .        .        other    other
rr_perturb                 =law     =law     other    .        .        .        .        .        other    =law
rr_pmdh                    refuses  refuses  refuses  .        .        .        .        .        =law     =law
rr_law_truth               refuses  refuses  refuses  .        .        .        .        .        =law     =law
rr_power                   other    refuses  other    .        .        .        .        .        =law     other
rr_power_margin            other    refuses  other    .        .        .        .        .        =law     other
rr_power_versus            other    refuses  other    .        .        .        .        .        =law     other
rr_power_model             refuses  refuses  refuses  .        .        .        .        .        =law     other
rr_product                 =inf     refuses  refuses  .        .        .        .        .        =law     other
rr_product_asked           other    other    refuses  .        .        .        .        .        refuses  other
rr_score                   refuses  refuses  =law     .        .        .        .        .        =law     =law
rr_study                   refuses  refuses  refuses  .        .        .        .        .        =law     =law
rr_tmdh                    refuses  refuses  refuses  .        .        .        .        .        =law     =law
rr_cooccurrence            refuses  refuses  refuses  .        .        .        .        .        =law     =law
rr_tally                   =law     =law     other    .        .        .        other    =told    =law     =law
rr_counts                  larger   other    refuses  .        .        .        .        .        =law     =law
rr_reports                 =law     =law     refuses  .        .        .        .        .        =law     =law
rr_estimate                larger   other    smaller  larger   =exact   other    larger   larger   =law     =law
rr_estimate_tally          larger   other    smaller  .        .        .        larger   =told    =law     =law
rr_estimate_survey         larger   refuses  .        .        .        .        .        .        .        .
rr_compare_survey          larger   refuses  .        .        .        .        .        .        .        .
rr_estimate_bootstrap      larger   refuses  refuses  .        .        .        larger   =told    =law     =law
rr_choose_method           refuses  refuses  refuses  .        .        .        other    =told    =law     =law
rr_pool                    refuses  refuses  refuses  .        .        .        larger   =told    =law     =law
rr_posterior               larger   other    refuses  .        .        .        refuses  refuses  =law     =law
rr_top                     larger   other    later    .        .        .        larger   =told    =law     =law
rr_top_fit                 larger   other    later    later    =exact   refuses  larger   refuses  =law     =law
rr_write                   larger   other    smaller  .        .        .        larger   =told    =law     =law
rr_compare                 larger   refuses  other    larger   larger   other    larger   larger   =law     =law
rr_contrast                larger   refuses  other    larger   larger   other    larger   larger   =law     =law
rr_margin                  refuses  refuses  refuses  refuses  refuses  .        larger   other    =law     =law
rr_association             refuses  refuses  refuses  refuses  refuses  .        larger   other    =law     =law
rr_quantile                larger   other    other    larger   larger   refuses  larger   refuses  =law     =law
rr_goodness_of_fit         refuses  refuses  refuses  refuses  refuses  refuses  other    refuses  =law     =law
as.table                   refuses  refuses  refuses  =even    =even    .        =even    refuses  =law     =law
rr_glm                     larger   refuses  other    .        .        other    smaller  larger   =law     =law
rr_glm_intercept           larger   refuses  refuses  .        .        refuses  smaller  refuses  =law     =law
rr_glm_protective          refuses  refuses  refuses  .        .        refuses  smaller  refuses  =law     =law
rr_glm_arm                 larger   refuses  refuses  .        .        .        smaller  larger   =law     =law
rr_glm_tally               larger   refuses  refuses  .        .        .        larger   =told    =law     =law
rr_glm_penalty             larger   refuses  refuses  .        .        other    smaller  larger   =law     =law
rr_goodness_of_fit_glm     refuses  refuses  refuses  .        .        other    other    refuses  =law     =law
rr_multinom                larger   refuses  refuses  .        .        .        smaller  larger   =law     =law
rr_multinom_tally          larger   refuses  refuses  .        .        .        larger   =told    =law     =law
rr_predictor               larger   refuses  refuses  .        .        .        smaller  larger   =law     =law
rr_loglinear               larger   refuses  refuses  .        .        .        larger   =told    =law     =law
rr_effects                 larger   refuses  refuses  .        .        other    smaller  larger   =law     =law
tidy_tally                 =law     =law     =law     .        .        .        other    =told    =law     =law
as.data.frame_tally        =law     =law     =law     .        .        .        other    =told    =law     =law
summary_tally              =law     =law     =law     .        .        .        other    =told    =law     =law
c_tally                    larger   other    refuses  .        .        .        larger   =told    =law     =law
[_tally                    larger   refuses  smaller  .        .        .        larger   =told    =law     =law
subset_tally               larger   refuses  smaller  .        .        .        larger   =told    =law     =law
rowsum_tally               larger   refuses  smaller  .        .        .        larger   =told    =law     =law
print_tally                =law     =law     other    .        .        .        other    other    other    other
tidy_fit                   larger   other    smaller  larger   =exact   other    larger   larger   =law     =law
glance_fit                 other    other    other    =even    =exact   other    other    other    =law     other
coef_fit                   =even    other    =even    =even    =exact   other    =even    =even    =law     =law
confint_fit                other    other    other    other    =exact   other    other    other    =law     =law
vcov_fit                   other    other    other    =even    =exact   other    other    other    =law     =law
nobs_fit                   =even    =even    =even    =even    =exact   =even    other    =even    =law     =law
logLik_fit                 =point   other    other    =even    =exact   refuses  other    refuses  =law     =law
confint_wald_fit           other    other    other    =named   =named   other    other    other    =law     =law
confint_exact_fit          refuses  refuses  refuses  =named   =named   other    other    other    =law     =law
confint_profile_fit        refuses  refuses  refuses  =named   =named   other    other    other    =law     =law
vcov_sample_fit            other    other    other    =even    =exact   other    other    other    =law     =law
summary_fit                larger   other    smaller  larger   =exact   other    larger   larger   =law     =law
as.data.frame_fit          larger   other    smaller  larger   =exact   other    larger   larger   =law     =law
fitted_fit                 =even    other    =even    =even    =exact   other    other    other    =law     =law
residuals_fit              =even    other    =even    =even    =exact   other    =even    other    =law     =law
predict_fit                =even    other    refuses  =even    =exact   other    =even    =even    =law     =law
anova_fit                  refuses  refuses  refuses  refuses  refuses  refuses  refuses  refuses  =law     =law
profile_fit                refuses  refuses  refuses  =named   =named   refuses  other    refuses  =law     =law
simulate_fit               =point   other    refuses  =even    =exact   refuses  other    refuses  =law     =law
update_fit                 larger   other    smaller  larger   =exact   other    larger   refuses  =law     =law
augment_fit                =even    other    =even    =even    =exact   refuses  other    refuses  =law     =law
format_fit                 =even    =even    other    =even    =exact   other    other    other    other    other
[_fit                      larger   refuses  smaller  larger   =exact   other    larger   larger   =law     =law
print_fit                  other    other    other    other    =exact   other    other    other    other    other
autoplot_fit               other    other    other    other    =exact   other    other    other    =law     =law
tidy_glm                   larger   refuses  other    .        .        other    smaller  larger   =law     =law
confint_glm                other    refuses  other    .        .        other    other    other    =law     =law
vcov_glm                   other    refuses  other    .        .        other    other    other    =law     =law
vcov_sandwich_glm          other    refuses  other    .        .        other    other    =named   =law     =law
vcov_expected_glm          other    refuses  refuses  .        .        other    other    =named   =law     =law
predict_glm                other    refuses  other    .        .        other    other    other    =law     =law
anova_glm                  other    refuses  refuses  .        .        other    other    refuses  =law     =law
drop1_glm                  refuses  refuses  refuses  .        .        other    other    refuses  =law     =law
add1_glm                   refuses  refuses  refuses  .        .        other    other    refuses  =law     =law
profile_glm                refuses  refuses  refuses  .        .        other    other    refuses  =law     =law
simulate_glm               =point   refuses  refuses  .        .        other    =even    =even    =law     =law
residuals_glm              =even    refuses  other    .        .        other    other    =even    =law     =law
fitted_glm                 =even    refuses  other    .        .        other    =even    =even    =law     =law
logLik_glm                 =point   refuses  other    .        .        other    other    refuses  =law     =law
AIC_glm                    =point   refuses  other    .        .        other    other    other    =law     =law
glance_glm                 =point   refuses  other    .        .        other    other    other    =law     other
summary_glm                other    refuses  other    .        .        other    other    other    =law     =law
augment_glm                =even    refuses  refuses  .        .        other    other    =even    =law     =law
residuals_truth_glm        =even    refuses  other    .        .        other    other    =even    =law     =law
hatvalues_glm              =even    refuses  refuses  .        .        other    other    =named   =law     =law
bread_glm                  refuses  refuses  other    .        .        other    other    refuses  =law     =law
coeftest_glm               other    refuses  other    .        .        other    other    other    =law     =law
coefci_glm                 other    refuses  other    .        .        other    other    other    =law     =law
linearHypothesis_glm       other    refuses  other    .        .        refuses  other    other    =law     =law
emm_basis_glm              other    refuses  refuses  .        .        other    other    other    =law     =law
Anova_glm                  other    refuses  refuses  .        .        other    other    other    =law     =law
model_parameters_glm       other    refuses  other    .        .        other    other    other    =law     =law
extractAIC_glm             =point   refuses  refuses  .        .        other    other    other    =law     =law
print_glm                  other    refuses  other    .        .        other    other    other    other    other
tidy_mean                  .        .        .        larger   larger   .        larger   refuses  .        .
confint_mean               .        .        .        other    other    .        other    refuses  .        .
vcov_mean                  .        .        .        =even    =exact   .        other    refuses  .        .
[_mean                     .        .        .        larger   larger   .        larger   refuses  .        .
coef_mean                  .        .        .        =even    =exact   .        other    refuses  .        .
nobs_mean                  .        .        .        =even    =exact   .        other    refuses  .        .
tidy_multinom              larger   refuses  refuses  .        .        .        smaller  larger   =law     =law
confint_multinom           other    refuses  refuses  .        .        .        other    other    =law     =law
vcov_multinom              other    refuses  refuses  .        .        .        other    other    =law     =law
vcov_sandwich_multinom     other    refuses  refuses  .        .        .        other    =named   =law     =law
logLik_multinom            =point   refuses  refuses  .        .        .        other    refuses  =law     =law
predict_multinom           =even    refuses  refuses  .        .        .        =even    =even    =law     =law
simulate_multinom          =point   refuses  refuses  .        .        .        =even    =even    =law     =law
")
}

carried_reasons <- c(
  law = "one report, one count and its estimate follow the law of a report, which the fact leaves as it is; the mechanism still carries it",
  even = "the fact moves errors or intervals, and this is a share, a residual, or a standard error of another fact",
  exact = "intervals of binomial counts hold at all looks without a plan",
  named = "a variance or an interval of another kind is asked for by its name",
  inf = "a mistake protects nobody: Inf, whether the channel is measured or known",
  told = "a tally of a survey design keeps its weights alone, which a message says",
  point = "the help page says that likelihoods, AIC and simulated reports are those of the study's shares"
)

# Exported functions that are given nothing that carries a fact.
carries_nothing <- list(
  `numbers, which make a mechanism, a law or a method` = c(
    "rr_binary", "rr_bitflip", "rr_bloom", "rr_channel", "rr_cheater_detection", "rr_count_mean_sketch", "rr_crosswise", "rr_dealt", "rr_forced",
      "rr_geometric", "rr_grr",
    "rr_hadamard", "rr_hierarchy", "rr_kuk", "rr_lie_detector", "rr_local_hash", "rr_longitudinal", "rr_mean", "rr_methods",
      "rr_misclassification", "rr_new_law",
    "rr_new_mechanism", "rr_new_method", "rr_prefixes", "rr_projective", "rr_scramble", "rr_square_wave", "rr_subset", "rr_triangular", "rr_unary",
      "rr_unrelated", "rr_warner"),
  `numbers, which choose a design` = c("rr_device", "rr_recommend"),
  `bits and sketches with a flip probability` = c("rr_extreme", "rr_incidence", "rr_merge_bits", "rr_set_size", "rr_sketch"),
  `prefixes, which have a mechanism of their own` = "rr_heavy_hitters",
  `a database, whose tallies test-tally-database.R compares with those of data frames` = "rr_query",
  `a file of rr_write()` = "rr_read"
)

# Generics of methods that show an object, take it apart, or compute from what other methods return.
follows_from <- list(
  `groups, fields and names of an object` = c("[[", "length", "names", "as.list", ".DollarNames", "str", "[<-", "dim", "is.array", "is.matrix", "is.na",
    "unique", "as.character", "as.matrix"),
  `pictures of what tidy() returns` = c("plot", "ggplot_add"),
  `coef(), vcov() and residuals()` = c("addterm", "dropterm", "recover_data", "formula", "family", "influence", "get_df", "get_loglikelihood",
    "model_performance", "r2_efron", "r2_tjur",
                                       "glance_custom", "VarCorr", "fixef", "ranef", "sigma", "estfun", "model.frame", "model.matrix"),
  `a posterior, which carries none of the facts` = "quantile",
  `reports, laws and mechanisms by themselves` = c("client_facts", "prepare_answers", "reports_support", "score_reader", "set_bytes", "pillar_shaft", "tbl_sum",
    "vec_proxy", "vec_proxy_compare",
                                                   "vec_proxy_equal", "vec_proxy_order", "vec_restore", "vec_cast", "vec_ptype2")
)
