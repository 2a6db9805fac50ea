/* How many sets hold an element: channels and totals. */
#include "api.h"
#include "glue.h"

#include <string.h>

#include <R_ext/Utils.h>

#include "sets/incidence.h"

static SEXP new_square(size_t n)
{
  if (n == 0 || n > 20000) Rf_error("the number of sets must be from 1 to 20000");
  return Rf_allocMatrix(REALSXP, (int) n + 1, (int) n + 1);
}

/* Rows are true numbers, columns reported ones; `inverse` has reported numbers as rows. */
SEXP rr_incidence_channel_call(SEXP n, SEXP flip, SEXP inverse)
{
  const size_t sets = glue_size(n, "n");
  const double q = glue_number(flip, "flip");
  SEXP out = PROTECT(new_square(sets));
  glue_check(glue_flag(inverse, "inverse") ? candor_incidence_inverse(sets, q, REAL(out))
                                           : candor_incidence_channel(sets, q, REAL(out)),
             "rr_incidence_channel");
  UNPROTECT(1);
  return out;
}

SEXP rr_incidence_mixture_call(SEXP flips)
{
  const double *q = glue_reals(flips, "flip", ANY_LENGTH);
  const size_t sets = (size_t) XLENGTH(flips);
  SEXP out = PROTECT(new_square(sets));
  double *work = (double *) R_alloc(2 * (sets + 1) * (sets + 1), sizeof(double));
  glue_check(candor_incidence_mixture(sets, q, work, REAL(out)), "rr_incidence_mixture");
  UNPROTECT(1);
  return out;
}

/* Unbiased totals of "exactly t sets", t = 0..n, and of products of two of them. */
SEXP rr_incidence_total_call(SEXP bits, SEXP rows, SEXP columns, SEXP flips, SEXP flip_per_bit)
{
  const char *names[] = {"total", "cross", ""};
  const size_t m = glue_size(rows, "rows"), n = glue_size(columns, "columns"), step = 4096;
  const int per_bit = glue_flag(flip_per_bit, "flip_per_bit");
  if (n > 0 && m > (size_t) R_XLEN_T_MAX / n) Rf_error("the matrix is too large");
  const int *x = glue_integers(bits, "bits", (R_xlen_t) (m * n));
  const double *q = glue_reals(flips, "flip", (R_xlen_t) (per_bit ? m * n : n));
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 1, new_square(n));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, (R_xlen_t) n + 1));
  double *total = REAL(VECTOR_ELT(out, 0)), *cross = REAL(VECTOR_ELT(out, 1));
  double *work = (double *) R_alloc(n + 1, sizeof(double));
  memset(total, 0, (n + 1) * sizeof(double));
  memset(cross, 0, (n + 1) * (n + 1) * sizeof(double));
  for (size_t from = 0; from < m; from += step) {
    const size_t to = m - from < step ? m : from + step;
    glue_check(candor_incidence_total(x, m, n, q, per_bit, from, to, work, total, cross), "rr_incidence_total");
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return out;
}
