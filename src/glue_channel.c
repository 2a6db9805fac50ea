/* Channels as R describes them, and their products with vectors. */
#include "glue_channel.h"

#include <limits.h>
#include <string.h>

#include "api.h"
#include "tally/cells.h"

/* list(truths, low, high, bits = raw matrix, a row a set and a column an eight of truths) or list(truths, low, high,
 * blocks, size). */
static candor_axis support_axis(SEXP one, SEXP bits)
{
  candor_support_axis axis = {glue_size(glue_element(one, "truths"), "truths"),
                              0,
                              glue_number(glue_element(one, "low"), "low"),
                              glue_number(glue_element(one, "high"), "high"),
                              NULL,
                              0,
                              0};
  if (bits != R_NilValue) {
    if (TYPEOF(bits) != RAWSXP || !Rf_isMatrix(bits) || (size_t) Rf_ncols(bits) != (axis.truths + 7) / 8)
      Rf_error("`bits` must be a raw matrix with a column for each eight of `truths`");
    axis.reports = (size_t) Rf_nrows(bits);
    axis.bits = RAW_RO(bits);
  } else {
    axis.blocks = glue_size(glue_element(one, "blocks"), "blocks");
    axis.size = glue_size(glue_element(one, "size"), "size");
    axis.reports = axis.blocks * axis.size;
  }
  if (!candor_support_axis_holds(&axis)) Rf_error("the numbers of one of `axes` are out of range");
  const candor_axis out = {CANDOR_AXIS_SUPPORT, axis.truths, axis.reports, NULL, NULL, 0, axis};
  return out;
}

candor_channel glue_channel(SEXP axes)
{
  if (TYPEOF(axes) != VECSXP || XLENGTH(axes) < 1) Rf_error("`axes` must be a list with one element a question");
  const size_t n = (size_t) XLENGTH(axes);
  candor_axis *axis = (candor_axis *) R_alloc(n, sizeof *axis);
  for (size_t d = 0; d < n; d++) {
    SEXP one = VECTOR_ELT(axes, (R_xlen_t) d);
    if (TYPEOF(one) != VECSXP) Rf_error("each of `axes` must be a list");
    SEXP matrix = glue_element(one, "matrix"), bits = glue_element(one, "bits");
    if (bits != R_NilValue || glue_element(one, "blocks") != R_NilValue) {
      if (n > 1) Rf_error("an axis of supports stands alone");
      axis[d] = support_axis(one, bits);
    } else if (matrix != R_NilValue) {
      if (!Rf_isMatrix(matrix)) Rf_error("`matrix` must be a matrix");
      const size_t reports = (size_t) Rf_nrows(matrix), truths = (size_t) Rf_ncols(matrix);
      axis[d] =
          (candor_axis){CANDOR_AXIS_DENSE, truths, reports, glue_reals(matrix, "matrix", ANY_LENGTH), NULL, 0, {0}};
    } else {
      SEXP b = glue_element(one, "b");
      const double *base = glue_reals(b, "b", ANY_LENGTH);
      axis[d] = (candor_axis){CANDOR_AXIS_ADDITIVE,
                              (size_t) XLENGTH(b),
                              (size_t) XLENGTH(b),
                              NULL,
                              base,
                              glue_number(glue_element(one, "a"), "a"),
                              {0}};
    }
  }
  const candor_channel channel = {n, axis};
  if (candor_channel_truths(&channel) == 0 || candor_channel_reports(&channel) == 0)
    Rf_error("`axes` have no cells, or too many");
  return channel;
}

/* rr_apply(axes, x, kind) -> kind 0: C' x; 1: C x; 2: (C^2) x with the squares entry by entry. The
 * entries may be negative: left inverses are applied by this too. */
SEXP rr_apply_call(SEXP axes, SEXP x, SEXP kind)
{
  const candor_channel channel = glue_channel(axes);
  const int which = glue_choice(kind, "kind", 3);
  const size_t truths = candor_channel_truths(&channel), reports = candor_channel_reports(&channel);
  const double *values = glue_reals(x, "x", (R_xlen_t) (which == 0 ? truths : reports));
  double *work = (double *) R_alloc(candor_channel_work(&channel) + 1, sizeof *work);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) (which == 0 ? reports : truths)));
  if (which == 0) candor_channel_forward(&channel, values, work, REAL(result));
  else if (which == 1) candor_channel_adjoint(&channel, values, work, REAL(result));
  else candor_channel_adjoint_square(&channel, values, work, REAL(result));
  UNPROTECT(1);
  return result;
}

/* rr_channel_rows(axes, cells) -> matrix, reports by cells: the rows of the channel for 1-based cells. */
SEXP rr_channel_rows_call(SEXP axes, SEXP cells)
{
  const candor_channel channel = glue_channel(axes);
  const size_t truths = candor_channel_truths(&channel), reports = candor_channel_reports(&channel);
  const int *which = glue_integers(cells, "cells", ANY_LENGTH);
  const R_xlen_t n = XLENGTH(cells);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) reports, (int) n));
  for (R_xlen_t k = 0; k < n; k++) {
    if (which[k] < 1 || (size_t) which[k] > truths) Rf_error("`cells` must lie in 1 .. %.0f", (double) truths);
    candor_channel_row(&channel, (size_t) which[k] - 1, REAL(result) + (size_t) k * reports);
  }
  UNPROTECT(1);
  return result;
}

/* rr_find_additive(transposed) -> NULL, or list(a, b) with P(y | x) = b[y] + a 1{x = y}. */
SEXP rr_find_additive_call(SEXP transposed)
{
  const double *matrix = glue_reals(transposed, "transposed", ANY_LENGTH);
  if (!Rf_isMatrix(transposed) || Rf_nrows(transposed) != Rf_ncols(transposed)) return R_NilValue;
  const char *names[] = {"a", "b", ""};
  const size_t n = (size_t) Rf_nrows(transposed);
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, 1));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) n));
  double *a = REAL(VECTOR_ELT(result, 0)), *b = REAL(VECTOR_ELT(result, 1));
  const int found = candor_channel_find_additive(matrix, n, 1e-15, b, a);
  UNPROTECT(1);
  return found ? result : R_NilValue;
}

/* rr_cells(codes, first, sizes) -> list(cells, question, position): 0-based joint cells of the questions'
 * codes, NA where one is missing; question and position (1-based) of the first bad code, or 0. */
SEXP rr_cells_call(SEXP codes, SEXP first, SEXP sizes)
{
  const char *names[] = {"cells", "question", "position", ""};
  if (TYPEOF(codes) != VECSXP || XLENGTH(codes) < 1) Rf_error("`codes` must be a list with one element a question");
  const R_xlen_t questions = XLENGTH(codes), n = XLENGTH(VECTOR_ELT(codes, 0));
  const int *firsts = glue_integers(first, "first", questions), *size = glue_integers(sizes, "sizes", questions);
  size_t stride = 1, position = 0;
  R_xlen_t bad = 0;
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, n));
  int *cell = INTEGER(VECTOR_ELT(result, 0));
  memset(cell, 0, (size_t) n * sizeof *cell);
  for (R_xlen_t d = 0; d < questions && bad == 0; d++) {
    const int *code = glue_integers(VECTOR_ELT(codes, d), "codes", n);
    if (size[d] < 1 || stride > (size_t) INT_MAX / (size_t) size[d]) Rf_error("`sizes` make too many cells");
    const candor_status status =
        candor_add_question(code, (size_t) n, firsts[d], (size_t) size[d], stride, NA_INTEGER, &position, cell);
    if (status != CANDOR_OK) bad = d + 1;
    stride *= (size_t) size[d];
    R_CheckUserInterrupt();
  }
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal((double) bad));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal(bad ? (double) position + 1.0 : 0.0));
  UNPROTECT(1);
  return result;
}
