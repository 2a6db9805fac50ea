#include "api.h"
#include "glue_additive.h"

#include <R_ext/Utils.h>

#include "core/study.h"

/* The world of a study cell; its arrays are those of the arguments. truth: NULL, or whole numbers of respondents. */
static candor_world glue_world(SEXP theta, SEXP truth, SEXP n, SEXP a, SEXP b, SEXP odds)
{
  const double ratio = glue_number(odds, "odds");
  candor_world world = {
    .channel = glue_additive(a, b, &ratio, (size_t) XLENGTH(theta)),
    .theta = glue_reals(theta, "theta", ANY_LENGTH),
    .truth = truth == R_NilValue ? NULL : glue_reals(truth, "truth", XLENGTH(theta)),
    .respondents = glue_number(n, "n")
  };
  return world;
}

/* The memory of one call, kept for the next: a new one comes from the system page by page, which for a cell of many
 * categories takes as long as the cell. Whoever uses it owns it, so that an error or a call within the call finds none.
 * Its size: what a study of 20,000 categories needs. */
static SEXP spare = NULL;
static const size_t LARGEST_SPARE = (size_t) 1 << 24;

static SEXP take_workspace(size_t bytes)
{
  SEXP workspace = spare;
  if (spare == NULL || (size_t) XLENGTH(spare) < bytes) return Rf_allocVector(RAWSXP, (R_xlen_t) bytes);
  spare = NULL;
  R_ReleaseObject(workspace);
  return workspace;
}

static void keep_workspace(SEXP workspace)
{
  if ((size_t) XLENGTH(workspace) > LARGEST_SPARE) return;
  /* May collect garbage, and a finaliser may run a study: `spare` must be an object till then, and is read after. */
  R_PreserveObject(workspace);
  if (spare != NULL) R_ReleaseObject(spare);
  spare = workspace;
}

/* One cell, in memory that the cells of a call share -> list(estimate, error). */
static SEXP judge_cell(const candor_world *world, const int *methods, size_t n_methods, size_t replications,
                       uint64_t seed, uint64_t cell, candor_study *study, void *memory)
{
  const char *names[] = {"estimate", "error", ""};
  glue_check(candor_study_start(study, world, methods, n_methods, replications, seed, cell, memory), "rr_study_cells");
  const size_t chunk = 1 + (size_t) 200000 / (world->channel.categories + 100);
  candor_status status;
  while ((status = candor_study_run(study, chunk)) == CANDOR_AGAIN) R_CheckUserInterrupt();
  glue_check(status, "rr_study_cells");
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, CANDOR_STUDY_METRICS, (int) n_methods));
  SET_VECTOR_ELT(result, 1, Rf_allocMatrix(REALSXP, CANDOR_STUDY_METRICS, (int) n_methods));
  candor_study_finish(study, REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)));
  UNPROTECT(1);
  return result;
}

/* rr_study_cells(theta, truth, n, a, b, odds, methods, replications, seed, cells) -> for each of `cells` a
 * list(estimate, error), matrices of five metrics (mse, tv, nll, bias2, variance) by methods; methods: 0 inv, 1 invn,
 * 2 invp, 3 mle. n, a, b and odds have an element for each cell; b of a single cell may have one for each category. */
SEXP rr_study_cells_call(SEXP theta, SEXP truth, SEXP n, SEXP a, SEXP b, SEXP odds, SEXP methods, SEXP replications,
                         SEXP seed, SEXP cells)
{
  const R_xlen_t n_cells = XLENGTH(cells);
  const double *number = glue_reals(cells, "cells", ANY_LENGTH), *respondents = glue_reals(n, "n", n_cells);
  const double *keep = glue_reals(a, "a", n_cells), *ratio = glue_reals(odds, "odds", n_cells);
  const int *which = glue_integers(methods, "methods", ANY_LENGTH);
  const size_t n_methods = (size_t) XLENGTH(methods), rounds = glue_size(replications, "replications");
  const uint64_t key = glue_size(seed, "seed");
  if (n_methods == 0 || n_methods > CANDOR_STUDY_METHODS) Rf_error("`methods` must have length 1 to 4");
  if (n_cells == 0) return Rf_allocVector(VECSXP, 0);

  candor_world world = {
    .theta = glue_reals(theta, "theta", ANY_LENGTH),
    .truth = truth == R_NilValue ? NULL : glue_reals(truth, "truth", XLENGTH(theta))
  };
  const size_t k = (size_t) XLENGTH(theta);
  const double *other = glue_reals(b, "b", n_cells == 1 && XLENGTH(b) != 1 ? (R_xlen_t) k : n_cells);
  candor_study *study = (candor_study *) R_alloc(1, sizeof *study);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, n_cells));
  SEXP workspace = PROTECT(take_workspace(candor_study_bytes(k, world.truth != NULL, n_methods, rounds)));
  for (R_xlen_t i = 0; i < n_cells; i++) {
    const candor_additive channel = {k, keep[i], XLENGTH(b) == n_cells ? NULL : other, other[i], ratio[i]};
    if (!(number[i] >= 0 && number[i] <= 9007199254740992.0)) Rf_error("`cells` must be whole numbers >= 0");
    world.channel = channel;
    world.respondents = respondents[i];
    SET_VECTOR_ELT(result, i, judge_cell(&world, which, n_methods, rounds, key, (uint64_t) number[i], study,
                                             RAW(workspace)));
    R_CheckUserInterrupt();
  }
  keep_workspace(workspace);
  UNPROTECT(2);
  return result;
}

/* rr_study_counts(theta, truth, n, a, b, odds, seed, cell, first, replications) -> matrix of reports, categories by
 * replications first + 0, 1, ...: the very counts that rr_study_cell() judges. */
SEXP rr_study_counts_call(SEXP theta, SEXP truth, SEXP n, SEXP a, SEXP b, SEXP odds, SEXP seed, SEXP cell, SEXP first,
                          SEXP replications)
{
  const candor_world world = glue_world(theta, truth, n, a, b, odds);
  const size_t k = world.channel.categories, rounds = glue_size(replications, "replications");
  const uint64_t key = glue_size(seed, "seed"), which = glue_size(cell, "cell"), from = glue_size(first, "first");
  candor_simulator *simulator = (candor_simulator *) R_alloc(1, sizeof *simulator);
  void *memory = R_alloc(candor_simulator_bytes(k, world.truth != NULL), 1);
  if (k > INT_MAX || rounds > INT_MAX) Rf_error("too many categories or replications for a matrix");
  glue_check(candor_simulator_start(simulator, &world, memory), "rr_study_counts");

  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) k, (int) rounds));
  candor_stream stream;
  const candor_random random = {candor_stream_fill, &stream};
  candor_draw draw;
  for (size_t r = 0; r < rounds; r++) {
    candor_stream_start(&stream, key, which, from + r);
    candor_draw_start(&draw, &random);
    glue_check(candor_simulate(simulator, &draw, REAL(result) + r * k), "rr_study_counts");
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}

/* rr_binomial(n, p, seed) -> as many binomial draws as n has elements. */
SEXP rr_binomial_call(SEXP n, SEXP p, SEXP seed)
{
  const double *trials = glue_reals(n, "n", ANY_LENGTH), *chance = glue_reals(p, "p", XLENGTH(n));
  SEXP result = PROTECT(Rf_allocVector(REALSXP, XLENGTH(n)));
  candor_stream stream;
  const candor_random random = {candor_stream_fill, &stream};
  candor_draw draw;
  candor_stream_start(&stream, (uint64_t) glue_size(seed, "seed"), 0, 0);
  candor_draw_start(&draw, &random);
  for (R_xlen_t i = 0; i < XLENGTH(n); i++) {
    glue_check(candor_draw_binomial(&draw, trials[i], chance[i], REAL(result) + i), "rr_binomial");
  }
  UNPROTECT(1);
  return result;
}
