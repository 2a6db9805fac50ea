/* Closed-form estimates of additive channels. */
#include "api.h"
#include "glue_additive.h"

#include "estimate/simplex.h"

/* rr_mle(counts, a, b, odds) -> list(estimate, active, active.count, threshold, zeros, unique, passes)
 * for C[x, y] = b_y + a 1{x = y}; odds = a / b = expm1(epsilon), read if length(b) is 1. */
SEXP rr_mle_call(SEXP counts, SEXP a, SEXP b, SEXP odds)
{
  const char *names[] = {"estimate", "active", "active.count", "threshold", "zeros", "unique", "passes", ""};
  const double *n = glue_reals(counts, "counts", ANY_LENGTH);
  const double ratio = glue_number(odds, "odds");
  const candor_additive channel = glue_additive(a, b, &ratio, (size_t) XLENGTH(counts));
  candor_simplex_fit fit;
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, XLENGTH(counts)));
  double *work = glue_workspace(candor_simplex_work(&channel));
  glue_check(candor_mle(&channel, n, 0, work, &fit, REAL(VECTOR_ELT(result, 0))), "rr_mle");
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal((double) fit.active));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal(fit.active_sum));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal(fit.threshold));
  SET_VECTOR_ELT(result, 4, Rf_ScalarReal((double) fit.zeros));
  SET_VECTOR_ELT(result, 5, Rf_ScalarLogical(fit.unique));
  SET_VECTOR_ELT(result, 6, Rf_ScalarReal((double) fit.passes));
  UNPROTECT(1);
  return result;
}

static SEXP closed_form(SEXP counts, SEXP a, SEXP b, const char *kernel,
                        candor_status (*estimate)(const candor_additive *, const double *, double *))
{
  const double *n = glue_reals(counts, "counts", ANY_LENGTH);
  const candor_additive channel = glue_additive(a, b, NULL, (size_t) XLENGTH(counts));
  SEXP result = PROTECT(Rf_allocVector(REALSXP, XLENGTH(counts)));
  glue_check(estimate(&channel, n, REAL(result)), kernel);
  UNPROTECT(1);
  return result;
}

/* rr_inv(counts, a, b) -> double[K], which may leave the simplex. */
SEXP rr_inv_call(SEXP counts, SEXP a, SEXP b)
{
  return closed_form(counts, a, b, "rr_inv", candor_inv);
}

/* rr_invn(counts, a, b) -> double[K]: clipped at 0 and rescaled. */
SEXP rr_invn_call(SEXP counts, SEXP a, SEXP b)
{
  return closed_form(counts, a, b, "rr_invn", candor_invn);
}

/* rr_invp(counts, a, b) -> double[K]: projected on the simplex. */
SEXP rr_invp_call(SEXP counts, SEXP a, SEXP b)
{
  const double *n = glue_reals(counts, "counts", ANY_LENGTH);
  const candor_additive channel = glue_additive(a, b, NULL, (size_t) XLENGTH(counts));
  SEXP result = PROTECT(Rf_allocVector(REALSXP, XLENGTH(counts)));
  double *work = glue_workspace(candor_simplex_work(&channel));
  glue_check(candor_invp(&channel, n, work, NULL, REAL(result)), "rr_invp");
  UNPROTECT(1);
  return result;
}

/* rr_project(x, total) -> double[length(x)]: Euclidean projection on {v >= 0, sum v = total}. */
SEXP rr_project_call(SEXP x, SEXP total)
{
  const double *values = glue_reals(x, "x", ANY_LENGTH);
  const double sum = glue_number(total, "total");
  const size_t n = (size_t) XLENGTH(x);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, XLENGTH(x)));
  glue_check(candor_project(values, n, sum, glue_workspace(n), REAL(result)), "rr_project");
  UNPROTECT(1);
  return result;
}
