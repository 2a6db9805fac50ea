/* Registration only. Arity is real, so that R itself rejects a call with the wrong number of arguments. */
#include "api.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ROUTINE(name, arity) { #name, (DL_FUNC) &name##_call, arity }

static const R_CallMethodDef routines[] = {
  ROUTINE(rr_perturb, 6),
  ROUTINE(rr_check_answers, 3),
  ROUTINE(rr_achieved, 3),
  ROUTINE(rr_tally, 7),
  ROUTINE(rr_check_counts, 2),
  ROUTINE(rr_mle, 4),
  ROUTINE(rr_inv, 3),
  ROUTINE(rr_invn, 3),
  ROUTINE(rr_invp, 3),
  ROUTINE(rr_project, 2),
  ROUTINE(rr_ibu, 7),
  ROUTINE(rr_loglik, 5),
  ROUTINE(rr_cells, 3),
  ROUTINE(rr_find_additive, 1),
  ROUTINE(rr_apply, 3),
  ROUTINE(rr_channel_rows, 2),
  ROUTINE(rr_solver, 4),
  ROUTINE(rr_solver_run, 2),
  ROUTINE(rr_solver_result, 2),
  ROUTINE(rr_solver_information, 3),
  ROUTINE(rr_impossible, 2),
  ROUTINE(rr_em, 5),
  ROUTINE(rr_cooccurrence, 4),
  ROUTINE(rr_sets, 4),
  ROUTINE(rr_set_positions, 3),
  ROUTINE(rr_rowtype, 3),
  ROUTINE(rr_moments, 6),
  ROUTINE(rr_moment_matrix, 3),
  ROUTINE(rr_count_law, 2),
  ROUTINE(rr_tmdh_centre, 7),
  ROUTINE(rr_tmdh_block, 9),
  ROUTINE(rr_tmdh_variances, 8),
  ROUTINE(rr_tmdh_all, 4),
  ROUTINE(rr_tmdh_sparse, 5),
  ROUTINE(rr_correlations, 4),
  ROUTINE(rr_bits, 1),
  ROUTINE(rr_count_ones, 2),
  ROUTINE(rr_extreme_bits, 2),
  ROUTINE(rr_extreme_rows, 5),
  ROUTINE(rr_extreme_counts, 3),
  ROUTINE(rr_extreme_merge, 2),
  ROUTINE(rr_extreme_value, 2),
  ROUTINE(rr_extreme_variance, 3),
  ROUTINE(rr_cardinality, 6),
  ROUTINE(rr_cardinality_histogram, 2),
  ROUTINE(rr_row_ones, 3),
  ROUTINE(rr_incidence_channel, 3),
  ROUTINE(rr_incidence_mixture, 1),
  ROUTINE(rr_incidence_total, 5),
  ROUTINE(rr_bloom_sketch, 4),
  ROUTINE(rr_pcsa_sketch, 4),
  ROUTINE(rr_study_cells, 10),
  ROUTINE(rr_study_counts, 10),
  ROUTINE(rr_binomial, 3),
  {NULL, NULL, 0}
};

void attribute_visible R_init_candor(DllInfo *dll)
{
  R_registerRoutines(dll, NULL, routines, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
