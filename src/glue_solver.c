/* The certified solver, which lives between calls as an external pointer, and EM on any channel. */
#include "glue_channel.h"

#include <string.h>

#include <R_ext/Utils.h>

#include "api.h"
#include "estimate/em.h"
#include "estimate/solver.h"

/* A solver lives between calls in vectors of R's own: an interrupt, an error or a forgotten solver
 * leaves nothing behind but garbage to collect. */
typedef struct held {
  candor_channel channel;
  candor_solver solver;
} held;

/* What tells our pointers from those of others. */
static SEXP solver_tag(void)
{
  return Rf_install("candor_solver");
}

/* A pointer that was saved and loaded has lost its address. */
static candor_solver *held_solver(SEXP pointer)
{
  const int ours = TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrTag(pointer) == solver_tag();
  held *h = ours ? (held *) R_ExternalPtrAddr(pointer) : NULL;
  if (h == NULL) Rf_error("`solver` must be a solver of this session");
  return &h->solver;
}

static SEXP keep(SEXP list, int k, SEXPTYPE type, size_t length)
{
  SET_VECTOR_ELT(list, k, Rf_allocVector(type, (R_xlen_t) length));
  return VECTOR_ELT(list, k);
}

/* rr_solver(axes, counts, start | NULL, tolerance) -> solver (an external pointer). Everything it points
 * to is kept alive by its protected list: axes, counts, struct, axis array, workspace, index. */
SEXP rr_solver_call(SEXP axes, SEXP counts, SEXP start, SEXP tolerance)
{
  const candor_channel channel = glue_channel(axes);
  candor_solver_options options = candor_solver_defaults(&channel);
  options.tolerance = glue_number(tolerance, "tolerance");
  const double *n = glue_reals(counts, "counts", (R_xlen_t) candor_channel_reports(&channel));
  const R_xlen_t truths = (R_xlen_t) candor_channel_truths(&channel);
  const double *from = start == R_NilValue ? NULL : glue_reals(start, "start", truths);

  SEXP kept = PROTECT(Rf_allocVector(VECSXP, 5));
  SET_VECTOR_ELT(kept, 0, axes);
  held *h = (held *) RAW(keep(kept, 1, RAWSXP, sizeof *h));
  candor_axis *axis = (candor_axis *) RAW(keep(kept, 2, RAWSXP, channel.axes * sizeof *axis));
  double *work = REAL(keep(kept, 3, REALSXP, candor_solver_work(&channel, &options)));
  size_t *index = (size_t *) REAL(keep(kept, 4, REALSXP, candor_solver_index(&channel)));
  memcpy(axis, channel.axis, channel.axes * sizeof *axis);
  h->channel.axes = channel.axes;
  h->channel.axis = axis;
  const candor_status status = candor_solver_init(&h->solver, &h->channel, n, from, &options, work, index);
  if (status != CANDOR_OK && status != CANDOR_AGAIN) glue_check(status, "rr_solver");
  SEXP pointer = R_MakeExternalPtr(h, solver_tag(), kept);
  UNPROTECT(1);
  return pointer;
}

/* rr_solver_run(solver, steps) -> c(status: 0 done, 1 go on, 2 stalled; gap; iterations; products). */
SEXP rr_solver_run_call(SEXP solver, SEXP steps)
{
  candor_solver *s = held_solver(solver);
  size_t left = glue_size(steps, "steps");
  candor_status status = candor_solver_run(s, 0);
  while (left-- > 0 && status == CANDOR_AGAIN) {
    R_CheckUserInterrupt();
    status = candor_solver_run(s, 1);
  }
  SEXP result = PROTECT(Rf_allocVector(REALSXP, 4));
  REAL(result)[0] = status == CANDOR_OK ? 0.0 : status == CANDOR_AGAIN ? 1.0 : 2.0;
  REAL(result)[1] = s->gap;
  REAL(result)[2] = (double) s->iterations;
  REAL(result)[3] = (double) s->products;
  UNPROTECT(1);
  return result;
}

/* rr_solver_result(solver, unique_limit) -> list(estimate, fitted, score, loglik, unique): unique is
 * TRUE if proved for at most unique_limit cells, else NA. */
SEXP rr_solver_result_call(SEXP solver, SEXP unique_limit)
{
  candor_solver *s = held_solver(solver);
  const char *names[] = {"estimate", "fitted", "score", "loglik", "unique", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  memcpy(REAL(keep(result, 0, REALSXP, s->truths)), s->theta, s->truths * sizeof(double));
  memcpy(REAL(keep(result, 1, REALSXP, s->reports)), s->reported, s->reports * sizeof(double));
  memcpy(REAL(keep(result, 2, REALSXP, s->truths)), s->score, s->truths * sizeof(double));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal(s->loglik));
  const size_t limit = glue_size(unique_limit, "unique_limit");
  SET_VECTOR_ELT(result, 4, Rf_ScalarLogical(limit > 0 && candor_solver_unique(s, limit) ? TRUE : NA_LOGICAL));
  UNPROTECT(1);
  return result;
}

/* rr_solver_information(solver, cells (1-based, integer), rhs: a row a cell, a column a system) -> matrix v with
 * I v = rhs, I the information of one observation on these cells; a column that could not be solved is NA. */
SEXP rr_solver_information_call(SEXP solver, SEXP cells, SEXP rhs)
{
  candor_solver *s = held_solver(solver);
  const R_xlen_t n = XLENGTH(cells), columns = n > 0 ? XLENGTH(rhs) / n : 0;
  const double *right = glue_reals(rhs, "rhs", n * columns);
  if (TYPEOF(cells) != INTSXP) Rf_error("`cells` must be integers");
  size_t *set = (size_t *) R_alloc((size_t) n, sizeof *set);
  for (R_xlen_t k = 0; k < n; k++) {
    const int cell = INTEGER_RO(cells)[k];
    if (cell < 1 || (size_t) cell > s->truths || (k > 0 && cell <= INTEGER_RO(cells)[k - 1]))
      Rf_error("`cells` must be increasing places of truths");
    set[k] = (size_t) cell - 1;
  }
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) n, (int) columns));
  for (R_xlen_t c = 0; c < columns; c++) {
    R_CheckUserInterrupt();
    double *v = REAL(result) + c * n;
    if (!candor_solver_information(s, set, (size_t) n, right + c * n, 10000, v))
      for (R_xlen_t k = 0; k < n; k++) v[k] = NA_REAL;
  }
  UNPROTECT(1);
  return result;
}

/* rr_impossible(axes, counts) -> 1-based place of the first counted report that no truth can produce, or 0. */
SEXP rr_impossible_call(SEXP axes, SEXP counts)
{
  const candor_channel channel = glue_channel(axes);
  const size_t truths = candor_channel_truths(&channel), reports = candor_channel_reports(&channel);
  const double *n = glue_reals(counts, "counts", (R_xlen_t) reports);
  double *work = (double *) R_alloc(truths + reports + candor_channel_work(&channel), sizeof *work);
  const size_t first = candor_impossible(&channel, n, work);
  return Rf_ScalarReal(first == reports ? 0.0 : (double) first + 1.0);
}

/* rr_em(axes, counts, start | NULL, iterations, tolerance, maximum | NULL) -> list(estimate, iterations, converged,
 * gap, trace = list(gap, loglik, distance)): gaps and log-likelihoods are per observation, distances those from the
 * maximum, entry k about iterate k - 1. */
SEXP rr_em_call(SEXP axes, SEXP counts, SEXP start, SEXP iterations, SEXP tolerance, SEXP maximum)
{
  const char *names[] = {"estimate", "iterations", "converged", "gap", "trace", ""};
  const char *parts[] = {"gap", "loglik", "distance", ""};
  const candor_channel channel = glue_channel(axes);
  const size_t truths = candor_channel_truths(&channel), limit = glue_size(iterations, "iterations");
  const double *n = glue_reals(counts, "counts", (R_xlen_t) candor_channel_reports(&channel));
  const double *from = start == R_NilValue ? NULL : glue_reals(start, "start", (R_xlen_t) truths);
  const double *goal = maximum == R_NilValue ? NULL : glue_reals(maximum, "maximum", (R_xlen_t) truths);
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  double *theta = REAL(keep(result, 0, REALSXP, truths));
  for (size_t i = 0; i < truths; i++) theta[i] = from ? from[i] : 1.0 / (double) truths;
  double *work = (double *) R_alloc(candor_em_work(&channel), sizeof *work);
  double *gap = (double *) R_alloc(limit + 1, sizeof *gap), *loglik = (double *) R_alloc(limit + 1, sizeof *loglik);
  double *distance = goal ? (double *) R_alloc(limit + 1, sizeof *distance) : NULL;
  const candor_ibu_trace trace = {gap, loglik, distance, goal};
  candor_em em;
  glue_check(candor_em_start(&em, &channel, n, theta, work), "rr_em");
  em.limit = limit;
  em.tolerance = glue_number(tolerance, "tolerance");
  candor_status status;
  while ((status = candor_em_run(&em, 16, &trace)) == CANDOR_AGAIN) R_CheckUserInterrupt();
  glue_check(status, "rr_em");
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal((double) em.steps));
  SET_VECTOR_ELT(result, 2, Rf_ScalarLogical(em.tolerance > 0 && em.total * em.gap <= em.tolerance));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal(em.gap));
  SET_VECTOR_ELT(result, 4, Rf_mkNamed(VECSXP, parts));
  memcpy(REAL(keep(VECTOR_ELT(result, 4), 0, REALSXP, em.steps + 1)), gap, (em.steps + 1) * sizeof *gap);
  memcpy(REAL(keep(VECTOR_ELT(result, 4), 1, REALSXP, em.steps + 1)), loglik, (em.steps + 1) * sizeof *loglik);
  if (goal)
    memcpy(REAL(keep(VECTOR_ELT(result, 4), 2, REALSXP, em.steps + 1)), distance, (em.steps + 1) * sizeof *distance);
  UNPROTECT(1);
  return result;
}
