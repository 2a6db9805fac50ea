#include "study/study.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/lanes.h"
#include "estimate/simplex.h"

candor_status candor_study_estimate(const candor_additive *channel, int method, const double *counts, double *work,
                                    double *estimate)
{
  candor_simplex_fit fit;
  switch (method) {
  case CANDOR_STUDY_INV: return candor_inv(channel, counts, estimate);
  case CANDOR_STUDY_INVN: return candor_invn(channel, counts, estimate);
  case CANDOR_STUDY_INVP: return candor_invp(channel, counts, work, &fit, estimate);
  case CANDOR_STUDY_MLE: return candor_mle(channel, counts, 0, work, &fit, estimate);
  default: return CANDOR_DOMAIN;
  }
}

enum { REMEMBERED = 1024, LANES = 4 };

/* Reports that were seen as often mostly have the same probability, so that its logarithm is remembered by the count:
 * without that a study of many categories spends half its time on logarithms. */
static double nll_of(const candor_judge *judge, const double *x, const double *counts)
{
  double known[REMEMBERED] = {0}, logarithm[REMEMBERED], sums[LANES] = {0};
  const double total = candor_block_sum(x, judge->reports);
  for (size_t y = 0; y < judge->reports; y++) {
    if (counts[y] <= 0) continue;
    const double p = (judge->other ? judge->other[y] : judge->other_all) * total + judge->keep * x[y];
    const size_t place = counts[y] < 1e9 ? (uint32_t) counts[y] % REMEMBERED : 0;
    if (!(p > 0)) return INFINITY;
    if (known[place] != p) {
      known[place] = p;
      logarithm[place] = log(p);
    }
    sums[y % LANES] -= counts[y] * logarithm[place];
  }
  return (sums[0] + sums[1] + sums[2] + sums[3]) / judge->respondents;
}

static inline void add_error(double error, double *squares, double *distance, double *sum)
{
  *squares += error * error;
  *distance += fabs(error);
  *sum += error;
}

void candor_study_judge(const candor_judge *judge, const double *estimate, const double *x, const double *counts,
                        double *losses, double *restrict sums)
{
  double squares[CANDOR_LANES] = {0}, distance[CANDOR_LANES] = {0};
  size_t i = 0;
  for (; i + CANDOR_LANES <= judge->categories; i += CANDOR_LANES)
    for (size_t l = 0; l < CANDOR_LANES; l++)
      add_error(estimate[i + l] - judge->truth[i + l], &squares[l], &distance[l], &sums[i + l]);
  for (; i < judge->categories; i++) add_error(estimate[i] - judge->truth[i], &squares[0], &distance[0], &sums[i]);
  losses[CANDOR_STUDY_MSE] = candor_lane_sum(squares);
  losses[CANDOR_STUDY_TV] = 0.5 * candor_lane_sum(distance);
  losses[CANDOR_STUDY_NLL] = x ? nll_of(judge, x, counts) : NAN;
}
