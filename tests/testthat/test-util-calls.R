# Whether errors name the function that the user called.

# Each expression must fail, and its error name the function that it calls.
expect_names_caller <- function(expressions, env = parent.frame()) {
  for (expression in as.list(expressions)) {
    label <- paste(deparse(expression), collapse = " ")
    cnd <- tryCatch({
      utils::capture.output(eval(expression, env))
      simpleCondition("it passed")
    }, error = identity)
    # What went wrong where it was no error of ours, for the report of the failure.
    named <- if (inherits(cnd, "candor_error")) deparse(conditionCall(cnd)[[1]]) else paste("not refused:", conditionMessage(cnd))
    expect_identical(named, deparse(expression[[1]]), label = label)
  }
}

headed <- function(expressions) unique(vapply(as.list(expressions), function(e) as.character(e[[1]]), ""))

mechanism_errors <- expression(
  rr_binary(2, 0.1), rr_binary(0.8, NA), rr_binary(0.8, 0.1, levels = letters[1:3]),
  rr_binary(0.8, 0.1, levels = c("a", "a")), rr_binary(),
  rr_warner(), rr_warner(0.8, epsilon = 1), rr_warner(-1), rr_warner(epsilon = 0), rr_warner(0.8, levels = "a"),
  rr_crosswise(2), rr_crosswise("a"), rr_crosswise(0.2, levels = 1), rr_crosswise(),
  rr_triangular(2), rr_triangular("a"), rr_triangular(0.2, levels = 1), rr_triangular(),
  rr_mangat(2, 0.1), rr_mangat(0.2, 2), rr_mangat(0.7, 0.1, levels = 1:3), rr_mangat(0.7), rr_mangat1994(2), rr_mangat1994(),
  rr_kuk(2, 0.1), rr_kuk(0.1, 2), rr_kuk(0.7, 0.1, levels = 1:3), rr_kuk(0.7),
  rr_grr(), rr_grr(1, epsilon = 1), rr_grr(3), rr_grr(3, p = 2), rr_grr(3, epsilon = 1, p = 0.5),
  rr_grr(3, epsilon = -1), rr_grr(TRUE, p = 0.5),
  rr_forced(2), rr_forced(c(0.7, 0.7)), rr_forced("a"), rr_forced(c(a = 0.1, b = 0.1), levels = c("b", "c")),
  rr_forced(),
  rr_unrelated(2, 0.3), rr_unrelated(0.7, 2), rr_unrelated(0.7, c(0.2, 0.2)),
  rr_unrelated(0.7, c(a = 0.5, b = 0.5), levels = c("a", "c")),
  rr_channel("a"), rr_channel(matrix(1:4, 2)), rr_channel(diag(2), levels = 1:3), rr_channel(diag(2), tolerance = 1),
  rr_channel(diag(1)),
  rr_geometric(1, 1), rr_geometric(4, -1), rr_geometric(4, "a"), rr_geometric(4),
  rr_exponential(1, 1), rr_exponential(4, -1), rr_exponential(4, 1, utility = "a"),
  rr_exponential(4, 1, utility = diag(3)),
  rr_pram(2), rr_pram(0.5), rr_pram(c(0.5, 0.6), margin = 3), rr_pram(0.5, levels = 3, margin = c(0.5, 0.5)),
  rr_pram("a", 3),
  rr_misclassification(), rr_misclassification(2, 0.1), rr_misclassification(0.9, 0.8, levels = 1:3),
  rr_misclassification(table = "a"), rr_misclassification(table = matrix(-1, 2, 2)),
  rr_compose(1, warner), rr_compose(warner, 1), rr_compose(warner, grr), rr_compose(survey, warner), rr_compose(),
  rr_noncompliance(1, 0.1), rr_noncompliance(warner, 2), rr_noncompliance(warner, 0.1, "perhaps"),
  rr_noncompliance(survey, 0.1), rr_noncompliance(warner, 0.1, c(0.5, 0.6)),
  rr_product(), rr_product(warner), rr_product(a = 1), rr_product(a = warner, a = warner), rr_product(a = survey),
  rr_epsilon(1), rr_epsilon(), rr_epsilon(warner, achieved = 1), rr_epsilon(warner, mispelt = 1),
  rr_epsilon(survey, mispelt = 1),
  rr_matrix(1), rr_matrix(), rr_matrix(warner, mispelt = 1), rr_matrix(rr_grr(1e5, epsilon = 1)),
  rr_matrix(survey, mispelt = 1),
  rr_perturb(c(0, 2), warner), rr_perturb(c(0, NA), warner), rr_perturb(0, 1), rr_perturb(0, warner, rng = "best"),
  rr_perturb(1, survey), rr_perturb(data.frame(a = 0, b = 3), survey), rr_perturb(1L, wide),
  rr_perturb(data.frame(a = 1L), rr_product(a = wide)), rr_perturb()
)

tally_errors <- expression(
  rr_tally(c(0, 1, 9), warner), rr_tally(c(0, 1), 1), rr_tally(c(0, NA), warner),
  rr_tally(c(0, 1), warner, weights = -1), rr_tally(c(0, 1), warner, mispelt = 1), rr_tally(data.frame(a = 1), survey),
  rr_tally(matrix(0, 1, 3), survey), rr_tally(table(c("a", "b")), warner), rr_tally(c(0, 1), warner, by = 1:3),
  rr_counts(c(1, -1), warner), rr_counts("a", warner), rr_counts(1:3, warner), rr_counts(c(0, 0), warner),
  rr_tally_chunks(), rr_tally_chunks(1, warner), rr_tally_chunks(function() 9, warner), rr_tally_chunks(function() NULL, warner),
  rr_write(), rr_write(1, "x"), rr_write(tally, 1), rr_write(tally, file.path(tempdir(), "no", "where")),
  rr_read(), rr_read(1), rr_read("nowhere.json"), rr_read(system.file("DESCRIPTION", package = "candor")),
  rr_query(), rr_query(1, warner), rr_query(data.frame(a = 1), warner),
  rr_counts(1:2, 1), rr_counts(1:2, warner, 0), rr_counts(c(a = 1, b = 2), warner), rr_counts(),
  rr_bit_tally("a", 0.1), rr_bit_tally(c(0, 2), 0.1), rr_bit_tally(c(0, NA), 0.1), rr_bit_tally(0:1, 0.5),
  rr_bit_tally(0:1, 2), rr_bit_tally(0:1, 0.1, n = 3), rr_bit_tally(as.raw(1), 0.1, n = 99),
  rr_bit_tally(0:1, c(0.1, 0.2, 0.3)),
  rr_bit_counts(-1, 3, 0.1), rr_bit_counts("a", 3, 0.1), rr_bit_counts(1, 0, 0.1), rr_bit_counts(1, 3, 0.5),
  rr_bit_counts(1, 3, 2),
  rr_cooccurrence(1), rr_cooccurrence(cbind(0:1, 2)), rr_cooccurrence(bits, order = 9),
  rr_cooccurrence(bits, na.rm = 1), rr_cooccurrence(bits, mispelt = 1), rr_cooccurrence(bits, sets = list("z")),
  rr_cooccurrence(cbind(a = c(0, NA), b = 0)),
  rr_rowtype("a"), rr_rowtype(1:3), rr_rowtype(1:4, columns = "a"), rr_rowtype(rr_cooccurrence(three, order = 1)),
  rr_rowtype(),
  rr_merge_bits("a", 0.1), rr_merge_bits(bits, 0.5), rr_merge_bits(bits, 2), rr_merge_bits(bits, 0.1, type = "none"),
  rr_merge_bits(bits, 0.1, rng = "none"),
  rr_sketch(list()), rr_sketch(letters, type = "x"), rr_sketch(letters, bits = -1), rr_sketch(letters, hashes = 0),
  rr_sketch(NA),
  rr_perturb_sketch(1, 1), rr_perturb_sketch(sketch), rr_perturb_sketch(sketch, 1, 0.1),
  rr_perturb_sketch(sketch, flip = 2), rr_perturb_sketch(sketch, 1, rng = "x")
)

estimate_errors <- expression(
  rr_estimate(tally, method = "base_cut", alpha = 2), rr_estimate(tally, method = "base_cut", mispelt = 2),
  rr_estimate(tally, method = "best"), rr_estimate(tally, mispelt = 1), rr_estimate(channel_tally, mispelt = 1),
  rr_estimate(channel_tally, method = "base_cut", alpha = 2), rr_estimate(channel_tally, method = "combine"),
  rr_estimate(tally, method = "ibu", iterations = -1), rr_estimate(tally, method = "ibu", start = c(1, 1)),
  rr_estimate(grr_tally, method = "merged", smoothing = -1),
  rr_estimate(grr_tally, method = "smoothed", iterations = -1), rr_estimate(kuk_tally, method = "combine"),
  rr_estimate(tally, interval = "best"), rr_estimate(tally, conf.level = 2), rr_estimate(tally, target = "x"),
  rr_estimate(tally, interval = "bootstrap", replications = 1), rr_estimate(tally, simultaneous = 1),
  rr_estimate(c(0, 1, 9), warner), rr_estimate(c(0, 1), warner, weights = -1), rr_estimate(c(0, 1)),
  rr_estimate(tally, grr), rr_estimate(fit), rr_estimate(rr_counts(1:2, rr_warner(0.5))),
  rr_estimate(singular_tally, method = "inv"), rr_estimate(rr_counts(c(3, 4), rr_triangular(1))),
  rr_estimate(data.frame(a = 0, b = 9), survey), rr_estimate(grr_tally, interval = "bootstrap", replications = 1e15),
  rr_estimate(),
  rr_choose(tally, method = "best"), rr_choose(kuk_tally, method = "combine"), rr_choose(tally, replications = 1),
  rr_choose(tally, seed = -1), rr_choose(c(0, 9), warner), rr_choose(rr_counts(1:2, rr_warner(0.5))),
  rr_choose(tally, method = list(short = function(counts, mechanism) 1)),
  rr_choose(tally, method = function(counts, mechanism) counts),
  rr_choose(rr_counts(c(1, 2, 3), rr_grr(3, p = 1 / 3))), rr_choose(tally, mispelt = 1),
  rr_risk(warner, c(0.5, 0.6), 10), rr_risk(warner, c(0.5, 0.5), 0), rr_risk(warner, c(0.5, 0.5), 10, method = "x"),
  rr_risk(warner, c(0.5, 0.5), 10, target = "x"), rr_risk(rr_warner(0.5), c(0.5, 0.5), n = 10),
  rr_risk(rr_warner(0.5), c(0.5, 0.5), n = 10, method = "mle"), rr_risk(1, 1, 1),
  rr_risk(warner, c(0.5, 0.5), 10, replications = -1), rr_risk(warner, c(0.5, 0.5), 10, seed = "a"),
  rr_risk(warner, c(a = 0.5, b = 0.5), 10),
  rr_study(c(0.5, 0.6), 1, 10), rr_study(c(0.5, 0.5), -1, 10), rr_study(c(0.5, 0.5), 1, 0),
  rr_study(c(0.5, 0.5), 1, 10, method = "x"),
  rr_study(c(0.5, 0.5), 1, 10, method = function(counts, mechanism) counts),
  rr_study(c(0.5, 0.5), 1, 10, mechanism = 1), rr_study(c(0.5, 0.5), 1, 10, workers = 0),
  rr_study(c(0.5, 0.5), 1, 10, mechanism = function(k, epsilon) rr_grr(k, p = 2)),
  rr_study(c(0.5, 0.5), 1, 10, mechanism = function(k, epsilon) rr_warner(0.5)),
  rr_study(c(0.5, 0.5), 1, 10, method = list(short = function(counts, mechanism) 1)),
  rr_study(c(0.5, 0.5), 1, 10, resume = 3),
  rr_study(c(0.2, 0.8), 1, 10, mechanism = function(k, epsilon) rr_kuk(0.8, 0.3), method = "combine"),
  rr_zipf(0, 1), rr_zipf(3, -1), rr_zipf(3, "a"), rr_zipf(3),
  rr_trace(1), rr_trace(fit), rr_trace(),
  rr_contrast(1, 1), rr_contrast(fit, "z"), rr_contrast(fit, 1:3), rr_contrast(fit, "yes", conf.level = 2),
  rr_contrast(fit, list(1)),
  rr_sample_size(warner), rr_sample_size(warner, margin = 2), rr_sample_size(warner, power = 0.8, share = 0),
  rr_sample_size(warner, power = 0.8), rr_sample_size(1, margin = 0.1),
  rr_sample_size(warner, margin = 0.1, category = "z"), rr_sample_size(rr_sketch_counts(1), margin = 0.1),
  rr_sample_size(rr_warner(0.5), margin = 0.1), rr_sample_size(rr_warner(0.5), power = 0.8, share = 0.1),
  rr_sample_size(warner, power = 2, share = 0.1), rr_sample_size(rr_sketch_counts(1), power = 0.8, share = 0.1),
  rr_power(warner, 0, 0.1), rr_power(warner, 10, 2), rr_power(1, 10, 0.1), rr_power(warner, 10, 0.1, category = "z"),
  rr_power(rr_sketch_counts(1), 10, 0.1), rr_power(rr_warner(0.5), 10, 0.1), rr_power(warner, 10, 0.1, alpha = 2),
  rr_recommend(1, 1), rr_recommend(3, -1), rr_recommend(3, 1, n = 0), rr_recommend(3, 1, theta = c(0.5, 0.5)),
  rr_recommend(3, 1, target = "x")
)

regress_errors <- expression(
  rr_multinom(cheating ~ semester, exam_simulated, 1), rr_multinom(grade ~ semester, exam_simulated, often),
  rr_multinom(cheating ~ semester, exam_simulated, often, weights = -grade), rr_multinom(~semester, exam_simulated, survey),
  rr_multinom(cheating ~ semester, grr_tally), rr_multinom(cheating ~ 1, exam_simulated, often, type = "cumulative", start = 2),
  rr_multinom(cheating ~ 1, exam_simulated, often, mispelt = 1), rr_multinom(cheating ~ 0, exam_simulated, often, type = "cumulative"),
  rr_multinom(cheating ~ semester, exam_simulated[1:2, ], often), rr_multinom(),
  rr_predictor(grade ~ cheating, exam_simulated, often), rr_predictor(grade ~ semester, exam_simulated, list(cheating = often)),
  rr_predictor(grade ~ cheating, exam_simulated, list(cheating = survey)),
  rr_predictor(grade ~ cheating, exam_simulated, list(cheating = warner)),
  rr_predictor(grade ~ cheating, exam_simulated, list(cheating = often), family = binomial()),
  rr_predictor(grade ~ cheating, exam_simulated, list(cheating = often), truth = 1), rr_predictor(),
  rr_loglinear(~ a, grr_tally), rr_loglinear(a ~ b, grr_tally), rr_loglinear(~ report, 1), rr_loglinear(~ report, grr_tally, starts = 0),
  rr_loglinear(~ report, singular_tally), rr_loglinear(),
  rr_posterior(1), rr_posterior(tally, prior = -1), rr_posterior(grr_tally), rr_posterior(tally, n = 0.5), rr_posterior(),
  rr_association(exam_simulated, list(x = often)), rr_association(exam_simulated[3:4], list(cheating = warner))
)

joint_errors <- expression(
  rr_tmdh(1, warner), rr_tmdh(counts, 1), rr_tmdh(counts, warner, order = 9), rr_tmdh(counts, rr_warner(0.5)),
  rr_tmdh(counts, list(p = 2, q = 0)), rr_tmdh(counts, list(a = warner)), rr_tmdh(counts, grr),
  rr_tmdh(counts, rr_geometric(3, 1)), rr_tmdh(counts, warner, conf.level = 2), rr_tmdh(counts, warner, mispelt = 1),
  rr_pmdh("a", warner), rr_pmdh(c(1, 2, 3), warner), rr_pmdh(c(-1, 2, 3, 4), warner), rr_pmdh(counts, 1),
  rr_pmdh(counts, warner, order = 9),
  rr_reported_law("a", warner), rr_reported_law(c(0.5, 1, 2, 3), warner), rr_reported_law(c(1, 2, 3, 4), 1),
  rr_reported_law(low_counts, warner), rr_reported_law(c(1, 2, 3, 4), warner, set = "z"),
  rr_margin(1, 1), rr_margin(tmdh, "z"), rr_margin(tmdh, c("a", "a")), rr_margin(tmdh, "a", given = "a"),
  rr_margin(tmdh, "a", target = "x"), rr_margin(joint, "z"), rr_margin(joint, "a", given = "a"), rr_margin(fit, "a"),
  rr_association(1), rr_association(fit), rr_association(tmdh, mispelt = 1), rr_association(joint, mispelt = 1),
  rr_association(),
  rr_joint(1), rr_joint(joint), rr_joint(tmdh, method = "x"), rr_joint(low_tmdh), rr_joint(),
  rr_moment_matrix(2, 0.1), rr_moment_matrix(0.8, 1.1), rr_moment_matrix(0.8, 0.1, order = 9),
  rr_moment_matrix(0.8, 0.1, columns = 30, order = 5), rr_moment_matrix(0.5, 0.5, inverse = TRUE),
  rr_moment_matrix(0.8, 0.1, columns = 3, total = "z"), rr_moment_matrix(c(0.8, 0.7), c(0.1, 0.1, 0.1)),
  rr_incidence_matrix(0, 1, 1), rr_incidence_matrix(3, 9, 1), rr_incidence_matrix(3, 1, 9),
  rr_incidence_matrix(30, 5, 5),
  rr_any("a", 0.1), rr_any(c(0, 2), 0.1), rr_any(c(0, NA), 0.1), rr_any(0:1, 0.5), rr_any(0:1, c(0.1, 0.2, 0.3)),
  rr_any(0:1), rr_any(bit_tally, 0.2),
  rr_all("a", 0.1), rr_all(c(0, 2), 0.1), rr_all(c(0, NA), 0.1), rr_all(0:1, 0.5), rr_all(0:1, c(0.1, 0.2, 0.3)),
  rr_all(0:1), rr_all(bit_tally, 0.2),
  rr_extreme_variance("a", 0.1), rr_extreme_variance(c(0, 2), 0.1), rr_extreme_variance(0:1, 0.5),
  rr_extreme_variance(0:1, 0.1, type = "x"), rr_extreme_variance(0:1, 0.1, log = 1),
  rr_union_size("a", 0.1), rr_union_size(bits, 0.5), rr_union_size(bits, 2), rr_union_size(bits),
  rr_union_size(bits, 0.1, conf.level = 2), rr_union_size(bits + 1, 0.1),
  rr_intersection_size("a", 0.1), rr_intersection_size(bits, 0.5), rr_intersection_size(bits, 2),
  rr_intersection_size(bits, 0.1, interval = "x"), rr_intersection_size(bits + 1, 0.1),
  rr_difference_size("a", 0.1), rr_difference_size(bits, 0.5), rr_difference_size(bits, 2),
  rr_difference_size(bits, 0.1, conf.level = 2), rr_difference_size(bits + 1, 0.1),
  rr_jaccard("a", 0.1), rr_jaccard(bits, 0.5), rr_jaccard(bits, 2), rr_jaccard(bits), rr_jaccard(bits + 1, 0.1),
  rr_incidence("a", 0.1), rr_incidence(bits, 0.5), rr_incidence(bits, c(0.1, 0.5)),
  rr_incidence(bits, matrix(0.5, 100, 2)), rr_incidence(bits + 1, 0.1), rr_incidence(bits, 0.1, method = "x"),
  rr_incidence(bits, 0.1, method = "mle", tolerance = -1), rr_incidence(bits, matrix(0.1, 100, 2), method = "mle"),
  rr_incidence(cbind(bits, 3), matrix(0.1, 100, 3)),
  rr_sketch_size(), rr_sketch_size(1), rr_sketch_size(noisy, letters), rr_sketch_size(noisy, mispelt = 1),
  rr_sketch_size(noisy, conf.level = 2)
)

protocol_errors <- expression(
  rr_unary(), rr_unary(3), rr_subset(), rr_subset(3), rr_local_hash(), rr_local_hash(3), rr_hadamard(), rr_hadamard(3),
  rr_bitflip(), rr_bitflip(3), rr_longitudinal(), rr_longitudinal(3, 1, 2), rr_memoised(), rr_memoised(1, 2), rr_bloom(),
  rr_bloom(3), rr_reports(), rr_reports(1, 2),
  rr_square_wave(), rr_square_wave(3), rr_square_wave(c(1, 0, 2), 1), rr_square_wave(3, 1, reports = 4), rr_perturb(9, rr_square_wave(0:4, 1)),
  rr_mean(), rr_mean(1, 1), rr_mean(c(0, 1), 1, "x"), rr_perturb(9, rr_mean(c(0, 1), 1)), rr_tally(99, rr_mean(c(0, 1), 1)),
  rr_estimate(c(0, 1), rr_mean(c(0, 1), 1), method = "mle"),
  rr_hierarchy(), rr_hierarchy(3), rr_hierarchy(5, 1, fanout = 9), rr_hierarchy(5, 1, oracle = function(levels, epsilon) 1), rr_perturb(9, rr_hierarchy(5, 1)),
  rr_tally(1, rr_hierarchy(5, 1)), rr_estimate(data.frame(depth = "1", report = 1), rr_hierarchy(5, 1)),
  rr_sketch_counts(), rr_sketch_counts(1, 1), rr_sketch_counts(1, 1e4, 1e6), rr_perturb(1, rr_sketch_counts(1, 4, 2)), rr_tally(1, rr_sketch_counts(1, 4, 2)),
  rr_estimate(rr_counts(numeric(10), rr_sketch_counts(1, 4, 2), n = 2)), rr_estimate(rr_counts(numeric(10), rr_sketch_counts(1, 4, 2), n = 2), candidates = 1),
  rr_prefixes(), rr_prefixes(1, 0), rr_perturb(1, rr_prefixes(1, 2, 4, 2)), rr_heavy_hitters(), rr_heavy_hitters(tally), rr_heavy_hitters(1),
  rr_estimate(rr_counts(numeric(22), rr_prefixes(1, 2, 4, 2), n = 2), candidates = "a"), rr_power(rr_mean(c(0, 1), 1), 9, 0.1),
  rr_sample_questions(), rr_sample_questions(a = 1), rr_perturb(1, rr_sample_questions(a = warner)), rr_tally(1, rr_sample_questions(a = warner)),
  rr_tally(data.frame(question = "a", report = 7), rr_sample_questions(a = warner)),
  rr_cdf(), rr_cdf(1), rr_cdf(fit), rr_quantile(), rr_quantile(1), rr_quantile(fit),
  rr_law(), rr_law(1), rr_law_additive(), rr_law_additive("a", 1), rr_law_channel(), rr_law_channel("a"),
  rr_law_support(), rr_law_support(2, 0), rr_new_mechanism(), rr_new_mechanism(1, 2, epsilon = 1, design = "x"),
  rr_new_method(), rr_new_method(1, "x", mean), rr_draw_reports(), rr_count_reports(), rr_simulate_counts()
)

reading_errors <- expression(
  rr_pool(tally), rr_pool(tally, 1), rr_lie_detector(), rr_lie_detector(2), rr_cheater_detection(), rr_cheater_detection(0.7, 0.7),
  rr_parameters(), rr_parameters(fit), rr_goodness_of_fit(), rr_goodness_of_fit(1), rr_top(), rr_top(tally, m = 0),
  rr_compare(), rr_compare(fit), rr_family(), rr_family(grr), rr_glm(), rr_effects(), rr_effects(1), rr_anchor(), rr_anchor(grr), rr_anchor(warner, 2),
  rr_anchor(warner, answer = "perhaps")
)

method_errors <- expression(
  tidy(fit, conf.int = 1), tidy(fit, conf.level = 2, conf.int = TRUE), tidy(tmdh, scale = "x"),
  confint(fit, level = 2), confint(fit, parm = "z"), confint(fit, parm = 9), confint(margin, level = 2),
  confint(margin, parm = "z"), confint(tmdh, level = 2), confint(size, parm = "z"),
  confint(size, level = 0.5),
  simulate(fit, nsim = -1), simulate(fit, seed = "a"), simulate(huge),
  residuals(fit, type = "x"),
  print(fit, digits = 0), print(warner, digits = 0),
  c(tally, 1), c(tally, grr_tally), c(counts, 1), c(bit_tally, 1)
)

picture_errors <- expression(
  autoplot(study, metric = "x"), autoplot(size, truth = 1:2)
)

test_that("errors name the function that the user called", {
  warner <- rr_warner(0.8)
  grr <- rr_grr(3, epsilon = 1)
  survey <- rr_product(a = warner, b = warner)
  channel <- rr_geometric(3, epsilon = 1)
  wide <- rr_compose(rr_grr(10001, p = 0), rr_forced(c(0.1, rep(0, 10000)), levels = 10001))
  tally <- rr_counts(c(40, 60), warner)
  grr_tally <- rr_counts(c(40, 60, 50), grr)
  kuk_tally <- rr_counts(c(40, 60), rr_kuk(0.8, 0.3))
  channel_tally <- rr_counts(c(40, 60, 50), channel)
  singular_tally <- rr_counts(c(40, 60), rr_channel(matrix(c(0.5, 0.5, 0.2, 0.8, 0.35, 0.65), 3, byrow = TRUE)))
  fit <- rr_estimate(tally)
  huge <- rr_estimate(rr_counts(c(2e16, 2e16), warner, effective_n = 2^53 * 4))
  joint <- rr_estimate(rr_counts(c(40, 20, 20, 20), survey))
  bits <- cbind(a = rep(0:1, 50), b = rep(c(0, 0, 1), c(40, 40, 20)))
  three <- cbind(bits, c = rep(1:0, each = 50))
  counts <- rr_cooccurrence(bits)
  low_counts <- rr_cooccurrence(three, order = 1)
  tmdh <- rr_tmdh(counts, list(p = 0.9, q = 0.1))
  low_tmdh <- rr_tmdh(low_counts, list(p = 0.9, q = 0.1))
  margin <- rr_margin(tmdh, c("a", "b"))
  association <- rr_association(tmdh)
  bit_tally <- rr_bit_tally(bits, 0.1)
  incidence <- rr_incidence(bits, 0.1)
  size <- rr_union_size(bits, 0.1)
  sketch <- rr_sketch(letters)
  noisy <- rr_perturb_sketch(sketch, epsilon = 3)
  study <- rr_study(c(0.5, 0.5), epsilon = 1, n = 20, method = c("mle", "inv"), replications = 2, seed = 1)
  often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
  all <- c(mechanism_errors, tally_errors, estimate_errors, regress_errors, protocol_errors, reading_errors, joint_errors, method_errors)
  # Whatever needs an argument misses it. Functions that need none have an error above; rr_methods() takes no arguments.
  wanting <- names(Filter(function(f) length(needed(f)) > 0, exported()))
  expect_setequal(setdiff(names(exported()), c(wanting, headed(all), "rr_methods")), character())
  expect_names_caller(c(as.list(all), lapply(wanting, function(name) call(name))))
  skip_if_not_installed("ggplot2")
  autoplot <- ggplot2::autoplot
  expect_names_caller(picture_errors)
})

test_that("an error of a call that is an argument names this call, as in a pipe", {
  # As users write it: not in the namespace, where tests run.
  user <- new.env(parent = globalenv())
  user$die <- rr_forced(1 / 6)
  expect_names <- function(expression, name) {
    cnd <- tryCatch(eval(expression, user), error = identity)
    expect_identical(deparse(conditionCall(cnd)[[1]]), name)
  }
  expect_names(quote(rr_estimate(rr_tally(c("Yes", "No"), die))), "rr_tally")
  expect_names(quote(rr_estimate(rr_tally(data.frame(a = "Yes"), die, column = "a"))), "rr_tally")
  expect_names(quote(rr_estimate(rr_counts(c(no = 0.6, yes = 0.4), die))), "rr_counts")
  expect_names(quote(tidy(rr_estimate(rr_counts(c(no = 6, yes = 4), die), method = "best"))), "rr_estimate")
  expect_names(quote(rr_estimate(rr_counts(c(no = 6, yes = 4), rr_forced(2)))), "rr_forced")
  # What is called within another function of ours, or through lapply(), is that of the user all the same.
  expect_names(quote(rr_estimate(c("Yes", "No"), die)), "rr_estimate")
  expect_names(quote(rr_tally(c("Yes", "No"), die)), "rr_tally")
  expect_names(quote(plot(rr_estimate(rr_counts(c(no = 6, yes = 4), die)), terms = "perhaps")), "plot")
})
