/* Reports counted by category and group. */
#include "api.h"
#include "glue.h"

#include <limits.h>

#include <R_ext/Utils.h>

#include "tally/tally.h"

/* rr_tally(codes, first, k, groups | NULL, n_groups, weights | NULL, skip_missing) ->
 * list(counts = double[k * n_groups], weight_squares = double[n_groups], missing, position): position
 * is the 1-based place of the first bad report, or 0. */
SEXP rr_tally_call(SEXP codes, SEXP first, SEXP k, SEXP groups, SEXP n_groups, SEXP weights, SEXP skip_missing)
{
  const char *names[] = {"counts", "weight_squares", "missing", "position", ""};
  const size_t n = (size_t) XLENGTH(codes), n_cells = glue_size(k, "k"), n_group = glue_size(n_groups, "n_groups");
  if (n_cells > 0 && n_group > (size_t) R_XLEN_T_MAX / n_cells) Rf_error("`k` times `n_groups` is too large");

  candor_tally_reports all = {.codes = glue_integers(codes, "codes", ANY_LENGTH),
                              .groups = groups == R_NilValue ? NULL : glue_integers(groups, "groups", (R_xlen_t) n),
                              .weights = weights == R_NilValue ? NULL : glue_reals(weights, "weights", (R_xlen_t) n),
                              .first = glue_integers(first, "first", 1)[0],
                              .missing = INT_MIN,
                              .skip_missing = glue_flag(skip_missing, "skip_missing")};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t) (n_cells * n_group)));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) n_group));
  double *counts = REAL(VECTOR_ELT(result, 0)), *squares = REAL(VECTOR_ELT(result, 1));
  for (size_t j = 0; j < n_cells * n_group; j++) counts[j] = 0.0;
  for (size_t j = 0; j < n_group; j++) squares[j] = 0.0;
  uint32_t *work = (uint32_t *) R_alloc(candor_tally_work(n_cells), sizeof(uint32_t));

  double missing = 0.0;
  size_t position = 0, done = 0;
  candor_status status = CANDOR_OK;
  while (done < n && status == CANDOR_OK) {
    candor_tally_reports block = all;
    block.n = n - done < CANDOR_TALLY_BLOCK ? n - done : CANDOR_TALLY_BLOCK;
    block.codes += done;
    if (block.groups) block.groups += done;
    if (block.weights) block.weights += done;
    status = candor_tally(&block, n_cells, n_group, work, counts, squares, &missing, &position);
    if (status == CANDOR_OK) done += block.n;
    R_CheckUserInterrupt();
  }
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal(missing));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal(status == CANDOR_OK ? 0.0 : (double) (done + position) + 1.0));
  UNPROTECT(1);
  return result;
}

/* rr_tally_powers(x, limits, groups | NULL, n_groups, weights | NULL) -> the sums of four powers of the shares of x
 * between the limits, a column a group; NULL if a share is not from 0 to 1. */
SEXP rr_tally_powers_call(SEXP x, SEXP limits, SEXP groups, SEXP n_groups, SEXP weights)
{
  const size_t n = (size_t) XLENGTH(x), n_group = glue_size(n_groups, "n_groups");
  const double *ends = glue_reals(limits, "limits", 2);
  if (n_group == 0 || n_group > INT_MAX / CANDOR_POWERS) Rf_error("`n_groups` is out of range");
  candor_tally_numbers block = {.x = glue_reals(x, "x", ANY_LENGTH),
                                .groups = groups == R_NilValue ? NULL : glue_integers(groups, "groups", (R_xlen_t) n),
                                .weights = weights == R_NilValue ? NULL : glue_reals(weights, "weights", (R_xlen_t) n),
                                .low = ends[0],
                                .width = ends[1] - ends[0]};
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, CANDOR_POWERS, (int) n_group));
  long double *sums = R_allocLD(CANDOR_POWERS * n_group);
  for (size_t j = 0; j < CANDOR_POWERS * n_group; j++) sums[j] = 0.0L;
  size_t position = 0;
  for (size_t done = 0; done < n; done += block.n) {
    block.n = n - done < CANDOR_TALLY_BLOCK ? n - done : CANDOR_TALLY_BLOCK;
    if (candor_tally_powers(&block, n_group, sums, &position) != CANDOR_OK) {
      UNPROTECT(1);
      return R_NilValue;
    }
    block.x += block.n;
    if (block.groups) block.groups += block.n;
    if (block.weights) block.weights += block.n;
    R_CheckUserInterrupt();
  }
  for (size_t j = 0; j < CANDOR_POWERS * n_group; j++) REAL(result)[j] = (double) sums[j];
  UNPROTECT(1);
  return result;
}

/* rr_check_counts(counts, whole) -> c(total, position): position is the 1-based place of the first
 * bad count, or 0. */
SEXP rr_check_counts_call(SEXP counts, SEXP whole)
{
  const double *values = glue_reals(counts, "counts", ANY_LENGTH);
  double total = 0.0;
  size_t position = 0;
  const candor_status status =
      candor_check_counts(values, (size_t) XLENGTH(counts), glue_flag(whole, "whole"), &total, &position);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, 2));
  REAL(result)[0] = total;
  REAL(result)[1] = status == CANDOR_OK ? 0.0 : (double) position + 1.0;
  UNPROTECT(1);
  return result;
}
