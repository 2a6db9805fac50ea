#include "respond/chance.h"

#include <math.h>

#include "respond/perturb.h"

candor_status candor_support_chance(double factor, double epsilon, candor_grid *chance)
{
  if (isnan(factor) || isnan(epsilon)) return CANDOR_NOT_FINITE;
  if (!(factor >= 1) || isinf(factor) || !(epsilon >= 0)) return CANDOR_DOMAIN;
  if (isinf(epsilon)) {
    *chance = candor_grid_one;
    return CANDOR_OK;
  }
  const double margin = 1.7763568394002505e-15; /* 2^-49 */
  const double gain = -expm1(-epsilon), noise = factor * exp(-epsilon);
  const double rest = fmax(noise / (gain + noise) * (1 + margin), 2.2250738585072014e-308);
  *chance = gain > 0 ? candor_grid_down(gain / (gain + noise) * (1 - margin), fmin(rest, 1)) : candor_grid_zero;
  return CANDOR_OK;
}

double candor_support_epsilon(double factor, candor_grid chance)
{
  const double odds = candor_grid_value(chance) / candor_grid_value(candor_grid_subtract(candor_grid_one, chance));
  /* factor * odds may overflow where its logarithm is an ordinary number. */
  return odds > 1 ? log(factor) + log(odds + 1 / factor) : log1p(factor * odds);
}

candor_status candor_support_flip(double epsilon, candor_grid *flip)
{
  static const candor_grid unit = {0, 1};
  candor_grid chance = candor_grid_zero;
  const candor_status status = candor_support_chance(2, epsilon, &chance);
  candor_grid rest = candor_grid_subtract(candor_grid_one, chance);
  if (rest.low & 1) rest = candor_grid_add(rest, unit);
  flip->low = (rest.low >> 1) | (rest.high & 1) << 31;
  flip->high = rest.high >> 1;
  return status;
}

candor_status candor_bit_plan_epsilon(double epsilon, int optimized, candor_bit_plan *plan)
{
  static const candor_grid half = {(uint64_t) 1 << 31, 0};
  const candor_status status = candor_support_flip(optimized ? epsilon : epsilon / 2, &plan->other);
  plan->own = optimized ? half : candor_grid_subtract(candor_grid_one, plan->other);
  return status;
}

candor_status candor_bit_plan_pair(double p, double p_no, double q, double q_no, candor_bit_plan *plan)
{
  candor_perturb_plan binary;
  const candor_status status = candor_plan_binary(p, p_no, q, q_no, &binary);
  if (status == CANDOR_OK) {
    plan->own = binary.yes[1];
    plan->other = binary.yes[0];
  }
  return status;
}

static double log_odds_ratio(candor_grid more, candor_grid less)
{
  return candor_grid_log_ratio(more, less) + candor_grid_log_ratio(candor_grid_subtract(candor_grid_one, less),
                                                                   candor_grid_subtract(candor_grid_one, more));
}

double candor_bit_plan_epsilon_of(const candor_bit_plan *plan)
{
  return candor_grid_less(plan->other, plan->own) ? log_odds_ratio(plan->own, plan->other)
                                                  : log_odds_ratio(plan->other, plan->own);
}
