#include "study/study.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "estimate/simplex.h"

candor_status candor_study_estimate(const candor_additive *channel, int method, const double *counts,
                                    size_t replications, double *work, double *estimates)
{
  candor_status status = CANDOR_OK;
  candor_simplex_fit fit;
  for (size_t r = 0; r < replications && status == CANDOR_OK; r++) {
    const double *tally = counts + r * channel->categories;
    double *estimate = estimates + r * channel->categories;
    switch (method) {
    case CANDOR_STUDY_INV: status = candor_inv(channel, tally, estimate); break;
    case CANDOR_STUDY_INVN: status = candor_invn(channel, tally, estimate); break;
    case CANDOR_STUDY_INVP: status = candor_invp(channel, tally, work, &fit, estimate); break;
    case CANDOR_STUDY_MLE: status = candor_mle(channel, tally, 0, work, &fit, estimate); break;
    default: status = CANDOR_DOMAIN;
    }
  }
  return status;
}

enum { REMEMBERED = 1024 };

/* Reports that were seen as often mostly have the same probability, so that its logarithm is remembered by the count:
 * without that a study of many categories spends half its time on logarithms. */
static double nll_of(const candor_judged *judged, size_t replication)
{
  const candor_reported *reported = &judged->reported;
  const double *counts = judged->counts + replication * reported->reports;
  if (!reported->x) return NAN;
  const double *x = reported->x + replication * reported->reports;
  double known[REMEMBERED] = {0}, logarithm[REMEMBERED], total = 0.0, nll = 0.0;
  for (size_t y = 0; y < reported->reports; y++) total += x[y];
  for (size_t y = 0; y < reported->reports; y++) {
    if (counts[y] <= 0) continue;
    const double p = (reported->other ? reported->other[y] : reported->other_all) * total + reported->keep * x[y];
    const size_t place = counts[y] < 1e9 ? (uint32_t) counts[y] % REMEMBERED : 0;
    if (!(p > 0)) return INFINITY;
    if (known[place] != p) {
      known[place] = p;
      logarithm[place] = log(p);
    }
    nll -= counts[y] * logarithm[place];
  }
  return nll / judged->respondents;
}

void candor_study_judge(const candor_judged *judged, double *losses, double *sums)
{
  memset(sums, 0, judged->categories * sizeof *sums);
  for (size_t r = 0; r < judged->replications; r++) {
    const double *estimate = judged->estimates + r * judged->categories;
    double *loss = losses + r * CANDOR_STUDY_LOSSES, squares = 0.0, distance = 0.0;
    for (size_t i = 0; i < judged->categories; i++) {
      const double error = estimate[i] - judged->truth[i];
      squares += error * error;
      distance += fabs(error);
      sums[i] += error;
    }
    loss[CANDOR_STUDY_MSE] = squares;
    loss[CANDOR_STUDY_TV] = 0.5 * distance;
    loss[CANDOR_STUDY_NLL] = nll_of(judged, r);
  }
}
