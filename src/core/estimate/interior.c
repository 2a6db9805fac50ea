/* A primal-dual interior phase that finds the pattern of zeros. See interior.h. */
#include "estimate/interior.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "estimate/newton.h"

/* Cells and multipliers start no nearer to zero than this share of the average. */
static const double LEAST_START = 0.1;
/* Each step aims at this share of the complementarity at hand, goes this share of the way to the boundary, and solves
 * its equations to this share of their right-hand side. */
static const double TARGET = 0.3;
static const double INWARD = 0.995;
static const double RESIDUAL = 0.1;
/* The pattern is read when all but this share of the cells are this far on one side, or when x z, summed, nears what
 * rounding leaves of it. */
static const double UNDECIDED = 1e-3;
static const double MARGIN = 10;
static const double LEAST_COMPLEMENTARITY = 1e-22;
enum { MOST_STEPS = 100, MOST_PRODUCTS = 400 };

static double *multipliers(const candor_solver *s)
{
  return s->solution;
}

static void enter(candor_solver *s)
{
  const size_t K = s->truths;
  const double least = LEAST_START / (double) K;
  double *z = multipliers(s);
  for (size_t i = 0; i < K; i++) s->trial[i] = fmax(s->x[i], least);
  candor_certificate_forward(s, s->trial, s->m_trial);
  candor_certificate_accept(s);
  for (size_t i = 0; i < K; i++) {
    z[i] = fmax(1 - s->g[i], LEAST_START * least / s->x[i]);
    s->free_set[i] = i;
  }
  s->free_count = K;
  s->factored_count = 0;
  s->phase = CANDOR_INSIDE;
}

/* Cells that a Newton step of their own would take to zero are zero: on which side of that is a cell? */
static int is_decided(const candor_solver *s)
{
  const double *z = multipliers(s);
  size_t open = 0;
  for (size_t i = 0; i < s->truths; i++) {
    const double height = s->x[i] * s->diagonal[i];
    open += height < MARGIN * z[i] && MARGIN * height > z[i];
  }
  return (double) open <= UNDECIDED * (double) s->truths;
}

static void leave(candor_solver *s)
{
  const double *z = multipliers(s);
  s->phase = CANDOR_AFTER;
  for (size_t i = 0; i < s->truths; i++) s->trial[i] = s->x[i] * s->diagonal[i] < z[i] ? 0 : s->x[i];
  candor_certificate_forward(s, s->trial, s->m_trial);
  if (candor_certificate_possible(s, s->m_trial)) candor_certificate_accept(s);
}

/* Numbers have left the range of double precision: the best certified estimate is where Newton's method goes on. */
static void give_up(candor_solver *s)
{
  s->phase = CANDOR_AFTER;
  memcpy(s->x, s->theta, s->truths * sizeof *s->x);
  memcpy(s->m, s->reported, s->reports * sizeof *s->m);
  candor_certificate_judge(s);
}

/* The largest step, at most 1, that leaves x + step d positive. */
static double length(const double *x, const double *d, size_t n)
{
  double most = 1;
  for (size_t i = 0; i < n; i++)
    if (d[i] < 0) most = fmin(most, -INWARD * x[i] / d[i]);
  return most;
}

void candor_interior_step(candor_solver *s)
{
  const size_t K = s->truths;
  double *z = multipliers(s), *change = s->cells2, *rhs = s->cg_scaled;
  if (s->phase == CANDOR_BEFORE) enter(s);
  const double target = TARGET * candor_vector_dot(s->x, z, K) / (double) K;
  candor_newton_weigh(s);
  for (size_t i = 0; i < K; i++) {
    s->shift[i] = z[i] / s->x[i];
    s->scaling[i] = s->diagonal[i] + s->shift[i];
    rhs[i] = s->g[i] - 1 + target / s->x[i];
  }
  candor_newton_solve(s, rhs, RESIDUAL, MOST_PRODUCTS, s->direction);
  for (size_t i = 0; i < K; i++) change[i] = target / s->x[i] - z[i] - s->shift[i] * s->direction[i];
  const double primal = length(s->x, s->direction, K), dual = length(z, change, K);
  for (size_t i = 0; i < K; i++) {
    s->trial[i] = s->x[i] + primal * s->direction[i];
    z[i] += dual * change[i];
  }
  candor_certificate_forward(s, s->trial, s->m_trial);
  if (!candor_certificate_possible(s, s->m_trial)) {
    give_up(s);
    return;
  }
  candor_certificate_accept(s);
  if (!isfinite(s->excess)) {
    give_up(s);
    return;
  }
  s->inside_steps++;
  if (s->inside_steps == MOST_STEPS || is_decided(s) || candor_vector_dot(s->x, z, K) < LEAST_COMPLEMENTARITY) leave(s);
}
