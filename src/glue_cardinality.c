/* Sizes of unions and intersections of the columns of a bit matrix. */
#include "api.h"
#include "glue.h"

#include "sets/cardinality.h"

static SEXP totals(const candor_cardinality *total)
{
  enum { entries = 11 };
  const char *names[] = {"elements",
                         "union",
                         "union_variance",
                         "union_sign",
                         "union_log",
                         "intersection",
                         "intersection_variance",
                         "intersection_sign",
                         "intersection_log",
                         "covariance",
                         "bound",
                         ""};
  candor_size_estimate either, both;
  double covariance, bound;
  candor_cardinality_value(total, &either, &both, &covariance, &bound);
  const double value[entries] = {total->elements, either.size, either.variance, either.sign, either.log, both.size,
                                 both.variance,   both.sign,   both.log,        covariance,  bound};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; i < entries; i++) SET_VECTOR_ELT(out, i, Rf_ScalarReal(value[i]));
  UNPROTECT(1);
  return out;
}

static SEXP failure(size_t where, int in_flips, candor_status status)
{
  const char *names[] = {"position", "in_flips", "status", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_ScalarReal((double) where + 1));
  SET_VECTOR_ELT(out, 1, Rf_ScalarLogical(in_flips));
  SET_VECTOR_ELT(out, 2, Rf_ScalarInteger((int) status));
  UNPROTECT(1);
  return out;
}

static size_t entries(SEXP rows, SEXP columns, size_t *m, size_t *n)
{
  *m = glue_size(rows, "rows");
  *n = glue_size(columns, "columns");
  if (*n > 0 && *m > (size_t) R_XLEN_T_MAX / *n) Rf_error("the matrix is too large");
  return *m * *n;
}

/* `invert` is NULL or logical, one a column. A list with `position` when an entry or a flip is bad. */
SEXP rr_cardinality_call(SEXP bits, SEXP rows, SEXP columns, SEXP flips, SEXP flip_per_bit, SEXP invert)
{
  candor_membership sets;
  candor_cardinality total;
  size_t where = 0;
  int in_flips = 0;
  const size_t length = entries(rows, columns, &sets.m, &sets.n);
  sets.flip_per_bit = glue_flag(flip_per_bit, "flip_per_bit");
  sets.bits = glue_integers(bits, "bits", (R_xlen_t) length);
  sets.flips = glue_reals(flips, "flip", (R_xlen_t) (sets.flip_per_bit ? length : sets.n));
  sets.invert = NULL;
  if (invert != R_NilValue) {
    const int *flag = glue_integers(invert, "invert", (R_xlen_t) sets.n);
    unsigned char *copy = (unsigned char *) R_alloc(sets.n + 1, 1);
    for (size_t j = 0; j < sets.n; j++) copy[j] = flag[j] != 0;
    sets.invert = copy;
  }
  double *work = (double *) R_alloc(CANDOR_CARDINALITY_WORK, sizeof(double));
  const candor_status status = candor_cardinality_total(&sets, work, &total, &where, &in_flips);
  if (status == CANDOR_OK) return totals(&total);
  if (status == CANDOR_EMPTY) glue_check(status, "rr_cardinality");
  return failure(where, in_flips, status);
}

SEXP rr_cardinality_histogram_call(SEXP histogram, SEXP flip)
{
  const double *count = glue_reals(histogram, "histogram", ANY_LENGTH);
  candor_cardinality total;
  if (XLENGTH(histogram) < 2) Rf_error("`histogram` must have at least 2 entries");
  glue_check(candor_cardinality_histogram(count, (size_t) XLENGTH(histogram) - 1, glue_number(flip, "flip"), &total),
             "rr_cardinality_histogram");
  return totals(&total);
}

/* How many columns report each row; a list with `position` when an entry is bad. */
SEXP rr_row_ones_call(SEXP bits, SEXP rows, SEXP columns)
{
  size_t m, n, where = 0;
  const size_t length = entries(rows, columns, &m, &n);
  const int *x = glue_integers(bits, "bits", (R_xlen_t) length);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) m));
  const candor_status status = candor_row_ones(x, m, n, REAL(out), &where);
  UNPROTECT(1);
  return status == CANDOR_OK ? out : failure(where, 0, status);
}
