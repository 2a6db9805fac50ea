/* Joint counts of the truth and of the reports, carried into each other. */
#include "api.h"
#include "glue_sets.h"

#include <string.h>

#include <R_ext/Utils.h>

#include "joint/cooccurrence.h"

/* All axes of a triangular Kronecker product; over bit masks where all sets are there and few enough. */
static void apply_axes(const candor_set_list *sets, const double *weight, double *x)
{
  if (sets->order < sets->columns || sets->columns > CANDOR_PATTERN_COLUMNS) {
    for (size_t j = 0; j < sets->columns; j++) {
      glue_check(candor_sets_axis(sets, j, weight[2 * j], weight[2 * j + 1], x), "rr_moments");
      R_CheckUserInterrupt();
    }
    return;
  }
  double *masks = (double *) R_alloc(sets->total, sizeof(double));
  double *matrix = (double *) R_alloc(4 * sets->columns, sizeof(double));
  for (size_t j = 0; j < sets->columns; j++) {
    matrix[4 * j] = 1.0;
    matrix[4 * j + 1] = 0.0;
    matrix[4 * j + 2] = weight[2 * j];
    matrix[4 * j + 3] = weight[2 * j + 1];
  }
  glue_check(candor_sets_to_masks(sets, x, masks), "rr_moments");
  glue_check(candor_axes2(masks, sets->columns, matrix), "rr_moments");
  glue_check(candor_sets_from_masks(sets, masks, x), "rr_moments");
}

/* rr_moments(values, columns, order, weight, more | NULL, more_values | NULL) -> list(values, more): the values of
 * all sets under the triangular map whose columns have weights (absent, present), 2 x columns. */
SEXP rr_moments_call(SEXP values, SEXP columns, SEXP order, SEXP weight, SEXP more, SEXP more_values)
{
  const char *names[] = {"values", "more", ""};
  const candor_set_list sets = glue_sets(columns, order);
  const candor_table table = glue_table(&sets, values, more, more_values);
  const double *w = glue_reals(weight, "weight", (R_xlen_t) (2 * sets.columns));
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t) sets.total));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) table.n_more));
  double *out = REAL(VECTOR_ELT(result, 0));
  memcpy(out, table.value, sets.total * sizeof(double));
  apply_axes(&sets, w, out);
  for (size_t s = 0; s < table.n_more; s++) {
    const int *set = table.more + s * table.width;
    const size_t size = glue_set_size(set, table.width);
    double of_set[2 * CANDOR_SET_MAX];
    for (size_t m = 0; m < size; m++) {
      of_set[2 * m] = w[2 * set[m]];
      of_set[2 * m + 1] = w[2 * set[m] + 1];
    }
    const size_t all = ((size_t) 1 << size) - 1;
    glue_check(candor_contract(&table, set, size, 0, all, of_set, REAL(VECTOR_ELT(result, 1)) + s), "rr_moments");
  }
  UNPROTECT(1);
  return result;
}

/* rr_count_law(count, prob) -> the law of a sum of independent binomials, from 0 to sum(count). */
SEXP rr_count_law_call(SEXP count, SEXP prob)
{
  const double *counts = glue_reals(count, "count", ANY_LENGTH);
  const R_xlen_t classes = XLENGTH(count);
  double rows = 0.0;
  for (R_xlen_t c = 0; c < classes; c++) rows += counts[c];
  if (!(rows >= 0.0 && rows <= 1e5)) Rf_error("`count` must add up to at most 1e5");
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) rows + 1));
  glue_check(candor_count_law((size_t) classes, counts, glue_reals(prob, "prob", classes), REAL(result)),
             "rr_count_law");
  UNPROTECT(1);
  return result;
}
