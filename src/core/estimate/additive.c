#include "estimate/additive.h"

#include "base/lanes.h"

static candor_status check_vector(const candor_additive *channel)
{
  const double a = channel->keep;
  candor_sum sum = {a, 0};
  if (fabs(a) < 1e-14) return CANDOR_NO_INFORMATION;
  for (size_t i = 0; i < channel->categories; i++) {
    const double b = channel->other[i];
    if (!isfinite(b)) return CANDOR_NOT_FINITE;
    /* A rounded a may leave b + a a little below its true zero, but b = 0 below it is none. */
    if (b < 0 || b > 1 || b + a < -1e-12 || (b == 0 && a < 0)) return CANDOR_DOMAIN;
    candor_sum_add(&sum, b);
  }
  return fabs(candor_sum_total(&sum) - 1) <= 1e-8 ? CANDOR_OK : CANDOR_DOMAIN;
}

static candor_status check_uniform(const candor_additive *channel)
{
  const double a = channel->keep, b = channel->other_all, odds = channel->odds;
  const double size = (double) channel->categories;
  if (isnan(b) || isnan(odds)) return CANDOR_NOT_FINITE;
  if (odds == 0) return CANDOR_NO_INFORMATION;
  if (b < 0 || b > 1 || (odds < 0) != (a < 0) || odds < -1 || fabs(odds) < 1e-100 || fabs(a) < 1e-150)
    return CANDOR_DOMAIN;
  if (fabs(a + size * b - 1) > 1e-8) return CANDOR_DOMAIN;
  if (b == 0) return isinf(odds) ? CANDOR_OK : CANDOR_DOMAIN;
  /* An odds beyond the range of doubles goes with a b that is nearly or fully lost to underflow. */
  if (isinf(odds)) return b < 1e-300 ? CANDOR_OK : CANDOR_DOMAIN;
  return fabs(a - odds * b) <= 1e-6 * fabs(a) ? CANDOR_OK : CANDOR_DOMAIN;
}

candor_status candor_additive_check(const candor_additive *channel)
{
  if (channel->categories == 0) return CANDOR_DOMAIN;
  if (!isfinite(channel->keep)) return CANDOR_NOT_FINITE;
  if (channel->keep == 0) return CANDOR_NO_INFORMATION;
  if (fabs(channel->keep) > 1) return CANDOR_DOMAIN;
  return channel->other ? check_vector(channel) : check_uniform(channel);
}

candor_status candor_counts_total(const double *counts, size_t categories, double *total)
{
  candor_sum sum = {0, 0};
  double low[CANDOR_LANES] = {0};
  for (size_t i = 0; i < categories; i += CANDOR_BLOCK) {
    const size_t end = i + candor_smaller(CANDOR_BLOCK, categories - i);
    double lane[CANDOR_LANES] = {0};
    size_t j = i;
    for (; j + CANDOR_LANES <= end; j += CANDOR_LANES) {
      for (int l = 0; l < CANDOR_LANES; l++) {
        const double x = counts[j + (size_t) l];
        lane[l] += x;
        low[l] = x < low[l] ? x : low[l];
      }
    }
    for (; j < end; j++) {
      lane[0] += counts[j];
      low[0] = counts[j] < low[0] ? counts[j] : low[0];
    }
    candor_sum_add(&sum, candor_lane_sum(lane));
  }
  double lowest = 0;
  for (int l = 0; l < CANDOR_LANES; l++) lowest = low[l] < lowest ? low[l] : lowest;
  *total = candor_sum_total(&sum);
  if (!isfinite(*total)) return CANDOR_NOT_FINITE;
  if (lowest < 0) return CANDOR_DOMAIN;
  if (*total == 0) return CANDOR_EMPTY;
  return *total >= 1e-100 && *total <= 1e100 ? CANDOR_OK : CANDOR_DOMAIN;
}
