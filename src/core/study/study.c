#include "study/study.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/lanes.h"
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
  double known[REMEMBERED] = {0}, logarithm[REMEMBERED], nll = 0.0;
  const double total = candor_block_sum(x, reported->reports);
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

static inline void add_error(double error, double *squares, double *distance, double *sum)
{
  *squares += error * error;
  *distance += fabs(error);
  *sum += error;
}

void candor_study_judge(const candor_judged *judged, double *losses, double *sums)
{
  const size_t k = judged->categories;
  memset(sums, 0, judged->groups * k * sizeof *sums);
  for (size_t r = 0; r < judged->replications; r++) {
    const double *estimate = judged->estimates + r * k;
    double *loss = losses + r * CANDOR_STUDY_LOSSES, *restrict sum = sums + (judged->group ? (size_t) judged->group[r] * k : 0);
    double squares[CANDOR_LANES] = {0}, distance[CANDOR_LANES] = {0};
    size_t i = 0;
    for (; i + CANDOR_LANES <= k; i += CANDOR_LANES)
      for (size_t l = 0; l < CANDOR_LANES; l++)
        add_error(estimate[i + l] - judged->truth[i + l], &squares[l], &distance[l], &sum[i + l]);
    for (; i < k; i++) add_error(estimate[i] - judged->truth[i], &squares[0], &distance[0], &sum[i]);
    loss[CANDOR_STUDY_MSE] = candor_lane_sum(squares);
    loss[CANDOR_STUDY_TV] = 0.5 * candor_lane_sum(distance);
    loss[CANDOR_STUDY_NLL] = nll_of(judged, r);
  }
}
