/* The iterative Bayesian update of additive channels, with its trace. */
#include "api.h"
#include "glue_additive.h"

#include <math.h>
#include <string.h>

#include <R_ext/Utils.h>

#include "estimate/ibu.h"

enum { TRACE_NONE, TRACE_GAPS, TRACE_ALL, TRACE_KINDS };

static void set_start(SEXP start, size_t k, double *theta)
{
  if (start != R_NilValue) {
    memcpy(theta, glue_reals(start, "start", (R_xlen_t) k), k * sizeof(double));
    return;
  }
  for (size_t i = 0; i < k; i++) theta[i] = 1 / (double) k;
}

/* A trace of `limit` + 1 values would waste memory if the tolerance stops early: it grows by doubling. */
static double *grown(double *trace, size_t filled, size_t size)
{
  double *larger = glue_workspace(size);
  if (filled > 0) memcpy(larger, trace, filled * sizeof(double));
  return larger;
}

static SEXP trace_vector(const double *trace, size_t n)
{
  if (!trace) return R_NilValue;
  SEXP result = Rf_allocVector(REALSXP, (R_xlen_t) n);
  memcpy(REAL(result), trace, n * sizeof(double));
  return result;
}

/* Runs to the end, a chunk of about 2^22 updates of a category between checks for an interrupt. */
static candor_ibu_trace run(candor_ibu *ibu, int keep, const double *maximum, candor_status *outcome)
{
  const size_t chunk = 1 + ((size_t) 1 << 22) / (1 + ibu->channel.categories);
  candor_ibu_trace trace = {NULL, NULL, NULL, maximum};
  size_t size = 0;
  candor_status status;
  do {
    if (keep != TRACE_NONE && ibu->steps + chunk + 1 > size) {
      const size_t filled = size == 0 ? 0 : ibu->steps + 1;
      size = 2 * (ibu->steps + chunk + 1);
      if (size > ibu->limit + 1) size = ibu->limit + 1;
      trace.gap = grown(trace.gap, filled, size);
      trace.loglik = keep == TRACE_ALL ? grown(trace.loglik, filled, size) : NULL;
      trace.distance = maximum ? grown(trace.distance, filled, size) : NULL;
    }
    R_CheckUserInterrupt();
    status = candor_ibu_run(ibu, chunk, &trace);
  } while (status == CANDOR_AGAIN);
  *outcome = status;
  return trace;
}

/* rr_ibu(counts, a, b, start | NULL, iterations, tolerance, keep_trace, maximum | NULL) ->
 * list(estimate, iterations, converged, loglik, gap, trace = list(loglik, gap, distance)), or NULL where doubles
 * cannot hold the next step. distance is that of the iterates from the maximum. gap is log max g, per observation, at
 * the estimate; keep_trace: 0 nothing, 1 gaps, 2 gaps and mean log-likelihoods. */
SEXP rr_ibu_call(SEXP counts, SEXP a, SEXP b, SEXP start, SEXP iterations, SEXP tolerance, SEXP keep_trace,
                 SEXP maximum)
{
  const char *names[] = {"estimate", "iterations", "converged", "loglik", "gap", "trace", ""};
  const char *trace_names[] = {"loglik", "gap", "distance", ""};
  const double *n = glue_reals(counts, "counts", ANY_LENGTH);
  const size_t k = (size_t) XLENGTH(counts);
  const candor_additive channel = glue_additive(a, b, NULL, k);
  const size_t limit = glue_size(iterations, "iterations");
  const double enough = glue_number(tolerance, "tolerance");
  const int keep = glue_choice(keep_trace, "keep_trace", TRACE_KINDS);
  const double *goal = maximum == R_NilValue ? NULL : glue_reals(maximum, "maximum", (R_xlen_t) k);
  if (!(enough >= 0)) Rf_error("`tolerance` must be one number >= 0");
  candor_ibu ibu;
  double loglik, gap;
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, XLENGTH(counts)));
  double *theta = REAL(VECTOR_ELT(result, 0));
  set_start(start, k, theta);
  glue_check(candor_ibu_start(&ibu, &channel, n, theta, glue_workspace(k)), "rr_ibu");
  ibu.limit = limit;
  ibu.tolerance = enough;
  candor_status status;
  const candor_ibu_trace trace = run(&ibu, keep, goal, &status);
  if (status == CANDOR_STALLED) {
    UNPROTECT(1);
    return R_NilValue;
  }
  glue_check(status, "rr_ibu");
  glue_check(candor_loglik(&channel, n, theta, &loglik, &gap, NULL), "rr_ibu");
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal((double) ibu.steps));
  SET_VECTOR_ELT(result, 2, Rf_ScalarLogical(enough > 0 && ibu.total * ibu.gap <= enough));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal(loglik));
  SET_VECTOR_ELT(result, 4, Rf_ScalarReal(ibu.gap));
  SET_VECTOR_ELT(result, 5, Rf_mkNamed(VECSXP, trace_names));
  SET_VECTOR_ELT(VECTOR_ELT(result, 5), 0, trace_vector(trace.loglik, ibu.steps + 1));
  SET_VECTOR_ELT(VECTOR_ELT(result, 5), 1, trace_vector(trace.gap, ibu.steps + 1));
  SET_VECTOR_ELT(VECTOR_ELT(result, 5), 2, trace_vector(trace.distance, ibu.steps + 1));
  UNPROTECT(1);
  return result;
}
