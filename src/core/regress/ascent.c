#include "regress/ascent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "estimate/cholesky.h"

enum { HALVINGS = 50, SLOW_STEPS = 8 };

/* After a last step longer than this, in units of the linear predictor, the climb has not ended. */
static const double still_moving = 0.02;
/* Ratio of the pivots beyond which a matrix is taken for singular. */
static const double worst_condition = 1e12;

candor_ascent_options candor_ascent_defaults(void)
{
  return (candor_ascent_options){1e-12, 3, 200, 3e-7};
}

size_t candor_ascent_work(size_t size)
{
  return size * (3 * size + 4);
}

candor_status candor_ascent_init(candor_ascent *a, const candor_objective *objective,
                                 const candor_ascent_options *options, double *at, double *work)
{
  const size_t n = objective->size;
  *a = (candor_ascent){0};
  if (n == 0) return CANDOR_EMPTY;
  a->objective = *objective;
  a->options = *options;
  a->at = at;
  a->curvature = work;
  a->factor = a->curvature + n * n;
  a->trial_curvature = a->factor + n * n;
  a->gradient = a->trial_curvature + n * n;
  a->trial = a->gradient + n;
  a->trial_gradient = a->trial + n;
  a->step = a->trial_gradient + n;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(at[i])) return CANDOR_NOT_FINITE;
    a->step[i] = 0;
  }
  const candor_height here = objective->value(objective->self, at, a->gradient, a->curvature, NULL);
  a->value = here.value;
  a->edge = here.edge;
  return isfinite(here.value) ? CANDOR_OK : CANDOR_IMPOSSIBLE;
}

/* Factor of a matrix scaled to a unit diagonal; 0 if it is not positive definite, or too near to being singular. The
 * scale is put back into the factor. */
static int factorise(const double *matrix, size_t n, double *factor)
{
  for (size_t k = 0; k < n; k++)
    if (!(matrix[k * n + k] > 0)) return 0;
  for (size_t k = 0; k < n; k++)
    for (size_t l = 0; l <= k; l++)
      factor[k * n + l] = matrix[k * n + l] / (sqrt(matrix[k * n + k]) * sqrt(matrix[l * n + l]));
  if (!candor_cholesky(factor, n)) return 0;
  for (size_t k = 0; k < n; k++) {
    if (!(factor[k * n + k] * factor[k * n + k] > 1 / worst_condition)) return 0;
    const double scale = sqrt(matrix[k * n + k]);
    for (size_t l = 0; l <= k; l++) factor[k * n + l] *= scale;
  }
  return 1;
}

static double dot(const double *x, const double *y, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* The step into a->step: Newton's, else the fallback's, else uphill along the gradient. */
static void find_step(candor_ascent *a)
{
  const size_t n = a->objective.size;
  a->definite = factorise(a->curvature, n, a->factor);
  memcpy(a->step, a->gradient, n * sizeof *a->step);
  if (!a->definite) {
    a->objective.value(a->objective.self, a->at, a->trial_gradient, NULL, a->trial_curvature);
    int usable = factorise(a->trial_curvature, n, a->factor);
    /* Singular to rounding: a little of its diagonal makes it regular. */
    for (double ridge = 1e-10; !usable && ridge <= 1; ridge *= 100) {
      double top = 0;
      for (size_t k = 0; k < n; k++) top = fmax(top, a->trial_curvature[k * n + k]);
      if (!(top > 0)) break;
      for (size_t k = 0; k < n; k++) a->trial_curvature[k * n + k] += ridge * top;
      usable = factorise(a->trial_curvature, n, a->factor);
    }
    if (!usable) return;
  }
  candor_cholesky_solve(a->factor, n, a->step);
}

static double try_at(candor_ascent *a, double t, double *edge)
{
  const size_t n = a->objective.size;
  for (size_t i = 0; i < n; i++) a->trial[i] = a->at[i] + t * a->step[i];
  const candor_height there =
      a->objective.value(a->objective.self, a->trial, a->trial_gradient, a->trial_curvature, NULL);
  *edge = there.edge;
  return there.value;
}

static void move(candor_ascent *a, double value, double edge, double length)
{
  const size_t n = a->objective.size;
  memcpy(a->at, a->trial, n * sizeof *a->at);
  memcpy(a->gradient, a->trial_gradient, n * sizeof *a->gradient);
  memcpy(a->curvature, a->trial_curvature, n * n * sizeof *a->curvature);
  /* Near an infinite maximum the value creeps up for ever. */
  a->slow = edge < a->options.edge && value - a->value < 1e-7 ? a->slow + 1 : 0;
  a->value = value;
  a->edge = edge;
  a->last = length;
  a->iterations++;
}

static candor_status one_step(candor_ascent *a)
{
  const size_t n = a->objective.size;
  const double slack = 64 * DBL_EPSILON * (1 + fabs(a->value));
  find_step(a);
  double rise = dot(a->gradient, a->step, n), edge;
  if (!isfinite(rise)) return CANDOR_STALLED;
  a->decrement = 0.5 * rise;
  const double reach = a->objective.reach(a->objective.self, a->step);
  double t = reach > a->options.longest ? a->options.longest / reach : 1;
  if (a->objective.room) {
    const double room = a->objective.room(a->objective.self, a->at, a->step);
    if (t > room || (room < 1 && t > 0.95 * room)) t = 0.95 * room;
  }
  if (a->definite && a->decrement <= a->options.tolerance) {
    a->runaway = reach > still_moving && a->edge < a->options.edge;
    const double value = try_at(a, t, &edge);
    if (value >= a->value - slack) move(a, value, edge, t * reach);
    else a->last = reach;
    return CANDOR_OK;
  }
  /* Pressed against the end of the domain. */
  if (t * reach < 1e-13) return CANDOR_STALLED;
  for (int k = 0; k < HALVINGS; k++, t *= 0.5) {
    const double value = try_at(a, t, &edge);
    if (value >= a->value + 1e-4 * t * rise - slack) {
      move(a, value, edge, t * reach);
      if (a->slow < SLOW_STEPS) return CANDOR_AGAIN;
      a->runaway = 1;
      return CANDOR_OK;
    }
  }
  return CANDOR_STALLED;
}

candor_status candor_ascent_run(candor_ascent *a, size_t steps)
{
  while (steps-- > 0) {
    if (a->iterations >= a->options.limit) return CANDOR_STALLED;
    const candor_status status = one_step(a);
    if (status != CANDOR_AGAIN) return status;
  }
  return CANDOR_AGAIN;
}
