#include "api.h"
#include "glue_additive.h"

#include <R_ext/Utils.h>

#include "estimate/simplex.h"
#include "study/simulate.h"
#include "study/study.h"

/* rr_study_counts(theta, truth, n, a, b, odds, seed, cell, first, replications) -> matrix of reports, categories by
 * replications first + 0, 1, ... of the stream that seed and cell name. truth: NULL, or whole numbers of respondents.
 * */
SEXP rr_study_counts_call(SEXP theta, SEXP truth, SEXP n, SEXP a, SEXP b, SEXP odds, SEXP seed, SEXP cell, SEXP first,
                          SEXP replications)
{
  const double ratio = glue_number(odds, "odds");
  const size_t k = (size_t) XLENGTH(theta), rounds = glue_size(replications, "replications");
  const uint64_t key = glue_size(seed, "seed"), which = glue_size(cell, "cell"), from = glue_size(first, "first");
  const candor_world world = {.channel = glue_additive(a, b, &ratio, k),
                              .theta = glue_reals(theta, "theta", ANY_LENGTH),
                              .truth = truth == R_NilValue ? NULL : glue_reals(truth, "truth", XLENGTH(theta)),
                              .respondents = glue_number(n, "n")};
  candor_simulator simulator;
  if (k > INT_MAX || rounds > INT_MAX) Rf_error("too many categories or replications for a matrix");
  glue_check(candor_simulator_start(&simulator, &world, glue_workspace(candor_simulator_work(k))), "rr_study_counts");

  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) k, (int) rounds));
  candor_chacha20 stream;
  const candor_random random = {candor_chacha20_fill, &stream};
  candor_draw draw;
  for (size_t r = 0; r < rounds; r++) {
    candor_stream_start(&stream, key, which, from + r);
    candor_draw_start(&draw, &random);
    glue_check(candor_simulate(&simulator, &draw, REAL(result) + r * k), "rr_study_counts");
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}

/* rr_study_estimate(counts, a, b, odds, method) -> matrix of estimates, a column for each of counts; method: 0 inv, 1
 * invn, 2 invp, 3 mle. */
SEXP rr_study_estimate_call(SEXP counts, SEXP a, SEXP b, SEXP odds, SEXP method)
{
  const double *tallies = glue_reals(counts, "counts", ANY_LENGTH), ratio = glue_number(odds, "odds");
  const int which = glue_choice(method, "method", CANDOR_STUDY_METHODS);
  if (!Rf_isMatrix(counts)) Rf_error("`counts` must be a matrix");
  const candor_additive channel = glue_additive(a, b, &ratio, (size_t) Rf_nrows(counts));
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, Rf_nrows(counts), Rf_ncols(counts)));
  double *work = glue_workspace(candor_simplex_work(&channel));
  glue_check(candor_study_estimate(&channel, which, tallies, (size_t) Rf_ncols(counts), work, REAL(result)),
             "rr_study_estimate");
  UNPROTECT(1);
  return result;
}

/* rr_study_judge(estimates, truth, counts, n, x, a, b, group) -> list(losses, sums): mse, tv and nll of each column of
 * estimates, and the sums of their errors, categories by groups. x, a and b: the reports' probabilities are b sum(x) +
 * a x; x NULL: not known. group: the group of each column, from 0 to the largest. */
SEXP rr_study_judge_call(SEXP estimates, SEXP truth, SEXP counts, SEXP n, SEXP x, SEXP a, SEXP b, SEXP group)
{
  const char *names[] = {"losses", "sums", ""};
  const R_xlen_t k = XLENGTH(truth), rounds = k > 0 ? XLENGTH(estimates) / k : 0;
  const R_xlen_t reports = rounds > 0 ? XLENGTH(counts) / rounds : 0;
  if (rounds > INT_MAX) Rf_error("too many replications for a matrix");
  const candor_additive channel = glue_additive(a, b, NULL, (size_t) reports);
  const int *groups = glue_integers(group, "group", rounds);
  int last = 0;
  for (R_xlen_t r = 0; r < rounds; r++) {
    if (groups[r] < 0 || groups[r] >= rounds) Rf_error("`group` must be numbers from 0");
    if (groups[r] > last) last = groups[r];
  }
  const candor_judged judged = {.categories = (size_t) k,
                                .replications = (size_t) rounds,
                                .estimates = glue_reals(estimates, "estimates", k * rounds),
                                .truth = glue_reals(truth, "truth", ANY_LENGTH),
                                .counts = glue_reals(counts, "counts", reports * rounds),
                                .respondents = glue_number(n, "n"),
                                .reported = {.reports = (size_t) reports,
                                             .x = x == R_NilValue ? NULL : glue_reals(x, "x", reports * rounds),
                                             .keep = channel.keep,
                                             .other = channel.other,
                                             .other_all = channel.other_all},
                                .groups = (size_t) last + 1,
                                .group = groups};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, CANDOR_STUDY_LOSSES, (int) rounds));
  SET_VECTOR_ELT(result, 1, Rf_allocMatrix(REALSXP, (int) k, last + 1));
  candor_study_judge(&judged, REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)));
  UNPROTECT(1);
  return result;
}

/* rr_binomial(n, p, seed) -> as many binomial draws as n has elements. For the tests, which ask R's own distribution.
 * */
SEXP rr_binomial_call(SEXP n, SEXP p, SEXP seed)
{
  const double *trials = glue_reals(n, "n", ANY_LENGTH), *chance = glue_reals(p, "p", XLENGTH(n));
  SEXP result = PROTECT(Rf_allocVector(REALSXP, XLENGTH(n)));
  candor_chacha20 stream;
  const candor_random random = {candor_chacha20_fill, &stream};
  candor_draw draw;
  candor_stream_start(&stream, (uint64_t) glue_size(seed, "seed"), 0, 0);
  candor_draw_start(&draw, &random);
  for (R_xlen_t i = 0; i < XLENGTH(n); i++)
    glue_check(candor_draw_binomial(&draw, trials[i], chance[i], REAL(result) + i), "rr_binomial");
  UNPROTECT(1);
  return result;
}
