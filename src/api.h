/* Every routine that R can call, one line each, grouped by topic in the order of the line
 * respondent -> report -> tally -> fit. The definitions are in glue_<topic>.c. */
#ifndef CANDOR_API_H
#define CANDOR_API_H

#include <Rinternals.h>

/* perturb: truths -> reports */
SEXP rr_perturb_call(SEXP truths, SEXP first, SEXP sizes, SEXP kind, SEXP numbers, SEXP generator);
SEXP rr_check_answers_call(SEXP truths, SEXP first, SEXP levels);
SEXP rr_achieved_call(SEXP sizes, SEXP kind, SEXP numbers);

/* tally: reports -> counts */
SEXP rr_tally_call(SEXP codes, SEXP first, SEXP k, SEXP groups, SEXP n_groups, SEXP weights, SEXP skip_missing);
SEXP rr_check_counts_call(SEXP counts, SEXP whole);

/* simplex: counts -> estimate, in closed form */
SEXP rr_mle_call(SEXP counts, SEXP a, SEXP b, SEXP odds);
SEXP rr_inv_call(SEXP counts, SEXP a, SEXP b);
SEXP rr_invn_call(SEXP counts, SEXP a, SEXP b);
SEXP rr_invp_call(SEXP counts, SEXP a, SEXP b);
SEXP rr_project_call(SEXP x, SEXP total);

/* ibu: counts -> estimate, by steps */
SEXP rr_ibu_call(SEXP counts, SEXP a, SEXP b, SEXP start, SEXP iterations, SEXP tolerance, SEXP keep_trace);
SEXP rr_loglik_call(SEXP counts, SEXP a, SEXP b, SEXP theta, SEXP keep_gradient);

/* channel: several questions as one report, and channels as operators */
SEXP rr_cells_call(SEXP codes, SEXP first, SEXP sizes);
SEXP rr_find_additive_call(SEXP transposed);
SEXP rr_apply_call(SEXP axes, SEXP x, SEXP kind);
SEXP rr_channel_rows_call(SEXP axes, SEXP cells);

/* solver: tally -> fit for any channel */
SEXP rr_solver_call(SEXP axes, SEXP counts, SEXP start, SEXP tolerance);
SEXP rr_solver_run_call(SEXP solver, SEXP steps);
SEXP rr_solver_result_call(SEXP solver, SEXP unique_limit);
SEXP rr_solver_information_call(SEXP solver, SEXP cells, SEXP rhs);
SEXP rr_impossible_call(SEXP axes, SEXP counts);
SEXP rr_em_call(SEXP axes, SEXP counts, SEXP start, SEXP iterations, SEXP tolerance);

/* cooccurrence: bits -> joint counts of all sets of columns */
SEXP rr_cooccurrence_call(SEXP bits, SEXP order, SEXP patterns, SEXP more);
SEXP rr_sets_call(SEXP columns, SEXP order, SEXP from, SEXP n);
SEXP rr_set_positions_call(SEXP columns, SEXP order, SEXP members);
SEXP rr_rowtype_call(SEXP x, SEXP columns, SEXP to_counts);

/* moments: joint counts of the truth <-> of the reports */
SEXP rr_moments_call(SEXP values, SEXP columns, SEXP order, SEXP weight, SEXP more, SEXP more_values);
SEXP rr_moment_matrix_call(SEXP columns, SEXP order, SEXP weight);
SEXP rr_count_law_call(SEXP count, SEXP prob);

/* tmdh: covariances of joint counts, and correlations */
SEXP rr_tmdh_centre_call(SEXP reported, SEXP columns, SEXP order, SEXP p, SEXP q, SEXP more, SEXP more_reported);
SEXP rr_tmdh_block_call(SEXP values, SEXP columns, SEXP order, SEXP more, SEXP more_values, SEXP design,
                        SEXP rows, SEXP cols, SEXP reported);
SEXP rr_tmdh_variances_call(SEXP values, SEXP columns, SEXP order, SEXP design, SEXP of_order, SEXP reported, SEXP more,
                            SEXP more_values);
SEXP rr_tmdh_all_call(SEXP counts, SEXP values, SEXP columns, SEXP design);
SEXP rr_tmdh_sparse_call(SEXP values, SEXP columns, SEXP order, SEXP design, SEXP of_order);
SEXP rr_correlations_call(SEXP values, SEXP columns, SEXP order, SEXP design);

/* extremes: bits -> states, one column of 12 numbers an element -> OR and AND */
SEXP rr_bits_call(SEXP x);
SEXP rr_count_ones_call(SEXP bits, SEXP n);
SEXP rr_extreme_bits_call(SEXP bits, SEXP flips);
SEXP rr_extreme_rows_call(SEXP bits, SEXP rows, SEXP columns, SEXP flips, SEXP flip_per_bit);
SEXP rr_extreme_counts_call(SEXP n, SEXP ones, SEXP flip);
SEXP rr_extreme_merge_call(SEXP x, SEXP y);
SEXP rr_extreme_value_call(SEXP state, SEXP kind);
SEXP rr_extreme_variance_call(SEXP truth, SEXP flips, SEXP kind);

/* cardinality: a matrix of elements x sets -> sizes of unions and intersections */
SEXP rr_cardinality_call(SEXP bits, SEXP rows, SEXP columns, SEXP flips, SEXP flip_per_bit, SEXP invert);
SEXP rr_cardinality_histogram_call(SEXP histogram, SEXP flip);
SEXP rr_row_ones_call(SEXP bits, SEXP rows, SEXP columns);

/* incidence: how many sets hold an element */
SEXP rr_incidence_channel_call(SEXP n, SEXP flip, SEXP inverse);
SEXP rr_incidence_mixture_call(SEXP flips);
SEXP rr_incidence_total_call(SEXP bits, SEXP rows, SEXP columns, SEXP flips, SEXP flip_per_bit);

/* sketches: items -> bits */
SEXP rr_bloom_sketch_call(SEXP items, SEXP key, SEXP bits, SEXP hashes);
SEXP rr_pcsa_sketch_call(SEXP items, SEXP key, SEXP buckets, SEXP levels);

/* study: worlds -> risks of the estimators */
SEXP rr_study_cells_call(SEXP theta, SEXP truth, SEXP n, SEXP a, SEXP b, SEXP odds, SEXP methods, SEXP replications,
                         SEXP seed, SEXP cells);
SEXP rr_study_counts_call(SEXP theta, SEXP truth, SEXP n, SEXP a, SEXP b, SEXP odds, SEXP seed, SEXP cell, SEXP first,
                          SEXP replications);
SEXP rr_binomial_call(SEXP n, SEXP p, SEXP seed);

#endif
