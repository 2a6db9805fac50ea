#include "api.h"
#include "glue_additive.h"

#include <string.h>

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

/* rr_study_judge(estimates, truth, counts, n, x, a, b, odds, group) -> list(losses, sums): mse, tv and nll of each
 * column of counts, and the sums of the estimates' errors, categories by groups. estimates: a matrix, or an integer:
 * 0 inv, 1 invn, 2 invp, 3 mle, computed here. x, a and b: the reports' probabilities are b sum(x) + a x, with the
 * estimates for x where they are computed here; x NULL: not known. group: of each column, from 0 to the largest. */
SEXP rr_study_judge_call(SEXP estimates, SEXP truth, SEXP counts, SEXP n, SEXP x, SEXP a, SEXP b, SEXP odds, SEXP group)
{
  const char *names[] = {"losses", "sums", ""};
  const R_xlen_t k = XLENGTH(truth), rounds = XLENGTH(group);
  const int own = Rf_isInteger(estimates) && XLENGTH(estimates) == 1;
  const int method = own ? glue_choice(estimates, "estimates", CANDOR_STUDY_METHODS) : 0;
  const R_xlen_t reports = own ? k : rounds > 0 ? XLENGTH(counts) / rounds : 0;
  if (k > INT_MAX || rounds > INT_MAX) Rf_error("too many categories or replications for a matrix");
  const double ratio = glue_number(odds, "odds");
  const candor_additive channel = glue_additive(a, b, &ratio, (size_t) reports);
  const double *tallies = glue_reals(counts, "counts", reports * rounds);
  const double *given = own ? NULL : glue_reals(estimates, "estimates", k * rounds);
  const double *shares = own || x == R_NilValue ? NULL : glue_reals(x, "x", reports * rounds);
  const candor_judge judge = {.categories = (size_t) k,
                              .reports = (size_t) reports,
                              .truth = glue_reals(truth, "truth", ANY_LENGTH),
                              .respondents = glue_number(n, "n"),
                              .keep = channel.keep,
                              .other = channel.other,
                              .other_all = channel.other_all};
  const int *groups = glue_integers(group, "group", rounds);
  int last = 0;
  for (R_xlen_t r = 0; r < rounds; r++) {
    if (groups[r] < 0 || groups[r] >= rounds) Rf_error("`group` must be numbers from 0");
    if (groups[r] > last) last = groups[r];
  }
  double *work = own ? glue_workspace(candor_simplex_work(&channel)) : NULL;
  double *fresh = own ? glue_workspace((size_t) k) : NULL;

  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, CANDOR_STUDY_LOSSES, (int) rounds));
  SET_VECTOR_ELT(result, 1, Rf_allocMatrix(REALSXP, (int) k, last + 1));
  double *losses = REAL(VECTOR_ELT(result, 0)), *sums = REAL(VECTOR_ELT(result, 1));
  memset(sums, 0, (size_t) (k * (last + 1)) * sizeof *sums);
  for (R_xlen_t r = 0; r < rounds; r++) {
    const double *tally = tallies + r * reports;
    if (own) glue_check(candor_study_estimate(&channel, method, tally, work, fresh), "rr_study_judge");
    candor_study_judge(&judge, own ? fresh : given + r * k,
                       own      ? fresh
                       : shares ? shares + r * reports
                                : NULL,
                       tally, losses + r * CANDOR_STUDY_LOSSES, sums + groups[r] * k);
  }
  UNPROTECT(1);
  return result;
}
