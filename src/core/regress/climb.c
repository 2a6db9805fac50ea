#include "regress/climb.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLENDS = 10, COARSE = 5 };

static const double longest = 3, shortest = 1e-11, creeping = 0.1;

typedef struct climb {
  const candor_objective *f;
  double *gradient, *observed, *fallback, *mixed, *factor, *step, *trial, *trial_gradient, *trial_observed, *product;
  double last; /* the reach of the last step */
} climb;

size_t candor_climb_work(candor_shape s)
{
  return 5 * candor_arrow_size(s) + 5 * (s.levels + s.dense);
}

double candor_climb_value(const candor_objective *f, const double *b, double *gradient, double *observed,
                          double *fallback, double *work)
{
  double value = f->value(f->self, b, gradient, observed, fallback);
  if (!f->prior) return value;
  const size_t n = f->shape.levels + f->shape.dense, size = candor_arrow_size(f->shape);
  value -= 0.5 * candor_arrow_form(f->shape, f->prior, b, work);
  for (size_t k = 0; gradient && k < n; k++) gradient[k] -= work[k];
  for (size_t k = 0; observed && k < size; k++) observed[k] += f->prior[k];
  for (size_t k = 0; fallback && k < size; k++) fallback[k] += f->prior[k];
  return value;
}

static double dot(const double *x, const double *y, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Each level has its own share of the fallback: one on bad ground does not slow the others. */
static void blend(climb *c, double t, double ridge)
{
  const candor_shape s = c->f->shape;
  const size_t size = candor_arrow_size(s);
  const double *J = c->observed, *E = c->fallback, *M = c->f->metric;
  for (size_t k = 0; k < size; k++) c->mixed[k] = (t > 0 ? (1 - t) * J[k] + t * E[k] : J[k]) + ridge * M[k];
  for (size_t g = 0; g < s.levels; g++)
    c->mixed[g] = (t < 1 && J[g] > 0.1 * E[g] ? J[g] : E[g]) + (ridge + 1e-12) * M[g];
}

/* The step, and t, the share of the fallback in it; 0 if there is none. Steps of a share far above what is missing are
 * as short as those of EM: a climb that creeps tries small ones first. */
static int find_step(climb *c, const double *b, double *t)
{
  static const double shares[BLENDS] = {0, 0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 1, 1};
  const size_t n = c->f->shape.levels + c->f->shape.dense;
  const int first = c->last < creeping ? 1 : COARSE;
  for (int k = 0; k < BLENDS; k = k == 0 ? first : k + 1) {
    *t = shares[k];
    if (k == first && c->f->shape.levels == 0) {
      c->f->value(c->f->self, b, NULL, NULL, c->fallback);
      for (size_t i = 0; c->f->prior && i < candor_arrow_size(c->f->shape); i++) c->fallback[i] += c->f->prior[i];
    }
    blend(c, *t, k == BLENDS - 1 ? 1e-6 : 1e-13);
    if (!candor_arrow_factor(c->f->shape, c->mixed, c->factor)) continue;
    memcpy(c->step, c->gradient, n * sizeof *c->step);
    candor_arrow_solve(c->f->shape, c->factor, c->step);
    if (dot(c->step, c->gradient, n) >= 0) return 1;
  }
  return 0;
}

static double at_share(climb *c, const double *b, double share)
{
  const size_t n = c->f->shape.levels + c->f->shape.dense;
  for (size_t k = 0; k < n; k++) c->trial[k] = b[k] + share * c->step[k];
  const double value = candor_climb_value(c->f, c->trial, c->trial_gradient, c->trial_observed,
                                          c->f->shape.levels ? c->mixed : NULL, c->product);
  return isfinite(value) ? value : -INFINITY;
}

static void accept(climb *c, double *b)
{
  const candor_shape s = c->f->shape;
  const size_t n = s.levels + s.dense, size = candor_arrow_size(s);
  memcpy(b, c->trial, n * sizeof *b);
  memcpy(c->gradient, c->trial_gradient, n * sizeof *b);
  memcpy(c->observed, c->trial_observed, size * sizeof *b);
  if (s.levels) memcpy(c->fallback, c->mixed, size * sizeof *b);
}

/* One step; 0 at the end. */
static int climb_on(climb *c, double tolerance, double *b, candor_top *top)
{
  const size_t n = c->f->shape.levels + c->f->shape.dense;
  const double slack = 64 * DBL_EPSILON * (1 + fabs(top->value));
  double t;
  if (!find_step(c, b, &t)) return 0;
  const double rise = dot(c->step, c->gradient, n);
  top->decrement = 0.5 * rise;
  const double far = fmax(c->f->reach(c->f->self, c->step), 1e-300);
  const double room = c->f->room ? 0.95 * c->f->room(c->f->self, b, c->step) : INFINITY;
  if (!isfinite(rise) || !isfinite(far)) return 0;
  if (top->decrement <= (t == 0 ? fmax(tolerance, slack) : 1e-3 * tolerance)) {
    /* A plain step gains digits, which the value no longer tells. */
    const double value = far < 0.1 && room > 1 ? at_share(c, b, 1) : -INFINITY;
    if (value >= top->value - slack) {
      accept(c, b);
      top->value = value;
    }
    return 0;
  }
  double share = fmin(1, fmin(longest / far, room)), value;
  top->pressed = share * far < 1e-9 && share < 1;
  for (;; share *= 0.5) {
    if (share * far < shortest) return 0;
    value = at_share(c, b, share);
    if (value >= top->value + 2e-4 * share * top->decrement) break;
    /* Doubles tell no further. */
    if (share * top->decrement < 0.1 * slack) return 0;
  }
  while (share < 1 && 2 * share < room && dot(c->step, c->trial_gradient, n) > top->decrement) {
    const double more = at_share(c, b, fmin(1, 2 * share));
    if (!(more > value)) {
      value = at_share(c, b, share);
      break;
    }
    value = more;
    share = fmin(1, 2 * share);
  }
  accept(c, b);
  c->last = share * far;
  top->value = value;
  return 1;
}

candor_status candor_climb(const candor_objective *f, candor_climb_options options, double *b, double *work,
                           candor_top *top)
{
  const size_t n = f->shape.levels + f->shape.dense, size = candor_arrow_size(f->shape);
  climb c = {0};
  c.f = f;
  c.last = INFINITY;
  *top = (candor_top){-INFINITY, INFINITY, 0, 0};
  if (n == 0) return CANDOR_EMPTY;
  double **vectors[] = {&c.gradient, &c.step, &c.trial, &c.trial_gradient, &c.product};
  double **arrows[] = {&c.observed, &c.fallback, &c.mixed, &c.factor, &c.trial_observed};
  for (size_t k = 0; k < 5; k++, work += n) *vectors[k] = work;
  for (size_t k = 0; k < 5; k++, work += size) *arrows[k] = work;
  for (size_t k = 0; k < n; k++)
    if (!isfinite(b[k])) return CANDOR_NOT_FINITE;
  top->value = candor_climb_value(f, b, c.gradient, c.observed, f->shape.levels ? c.fallback : NULL, c.product);
  if (!isfinite(top->value)) return CANDOR_IMPOSSIBLE;
  while (top->steps < options.steps && climb_on(&c, options.tolerance, b, top)) top->steps++;
  return CANDOR_OK;
}
