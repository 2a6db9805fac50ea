#include "api.h"
#include "glue.h"

#include <string.h>

#include <R_ext/Utils.h>

#include "regress/category.h"

/* rr_category(x, codes, weights, channel, beta, kind: 0 observed, 1 complete, 2 expected) -> list(loglik, score,
 * information) of a multinomial logit of the truth. */
SEXP rr_category_call(SEXP x, SEXP codes, SEXP weights, SEXP channel, SEXP beta, SEXP kind)
{
  const char *names[] = {"loglik", "score", "information", ""};
  if (!Rf_isMatrix(x) || !Rf_isMatrix(channel)) Rf_error("`x` and `channel` must be matrices");
  const R_xlen_t n = Rf_nrows(x), p = Rf_ncols(x), k = Rf_nrows(channel), reports = Rf_ncols(channel);
  if (p < 1 || k < 2 || reports < 1) Rf_error("`x` and `channel` must have columns, and `channel` two rows");
  const candor_category_rows rows = {(size_t) n,
                                     (size_t) p,
                                     (size_t) k,
                                     (size_t) reports,
                                     glue_reals(x, "x", n * p),
                                     glue_integers(codes, "codes", n),
                                     glue_reals(weights, "weights", n),
                                     glue_reals(channel, "channel", k * reports)};
  const R_xlen_t size = p * (k - 1);
  const double *b = glue_reals(beta, "beta", size);
  const candor_category_curvature curvature = (candor_category_curvature) glue_choice(kind, "kind", 3);

  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, size));
  SET_VECTOR_ELT(result, 2, Rf_allocMatrix(REALSXP, (int) size, (int) size));
  const size_t packed = candor_category_packed(&rows);
  candor_category_sums sums = {0.0, 0.0, REAL(VECTOR_ELT(result, 1)), (double *) R_alloc(packed, sizeof(double))};
  memset(sums.score, 0, (size_t) size * sizeof(double));
  memset(sums.packed, 0, packed * sizeof(double));
  double *work = (double *) R_alloc(candor_category_work(&rows), sizeof *work);
  const size_t block = 16384;
  for (size_t from = 0; from < rows.n; from += block) {
    const size_t to = rows.n - from < block ? rows.n : from + block;
    glue_check(candor_category_add(&rows, b, curvature, from, to, work, &sums), "rr_category");
    R_CheckUserInterrupt();
  }
  candor_category_unpack(&rows, sums.packed, REAL(VECTOR_ELT(result, 2)));
  SET_VECTOR_ELT(result, 0, Rf_ScalarReal(sums.loglik + sums.rest));
  UNPROTECT(1);
  return result;
}
