/* Intervals of shares whose channel a study measured. */
#include "api.h"
#include "glue.h"

#include <limits.h>

#include "estimate/measured.h"

/* rr_measured_interval(counts, sizes, quantiles): a column of two limits for each column of three counts, with its
 * quantile. */
SEXP rr_measured_interval_call(SEXP counts, SEXP sizes, SEXP quantiles)
{
  const double *count = glue_reals(counts, "counts", ANY_LENGTH);
  const R_xlen_t n = XLENGTH(counts) / 3;
  const double *size = glue_reals(sizes, "sizes", 3 * n);
  const double *quantile = glue_reals(quantiles, "quantiles", n);
  if (3 * n != XLENGTH(counts) || n > INT_MAX) Rf_error("`counts` must be a matrix of three rows");
  SEXP limits = PROTECT(Rf_allocMatrix(REALSXP, 2, (int) n));
  for (R_xlen_t i = 0; i < n; i++)
    glue_check(candor_measured_interval(count + 3 * i, size + 3 * i, quantile[i], REAL(limits) + 2 * i),
               "rr_measured_interval");
  UNPROTECT(1);
  return limits;
}
