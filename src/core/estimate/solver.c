/* Sets the solver up and drives its phases: accelerated EM, interior steps, Newton steps. See solver.h. */
#include "estimate/solver.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "estimate/certificate.h"
#include "estimate/cholesky.h"
#include "estimate/interior.h"
#include "estimate/newton.h"
#include "estimate/quadratic.h"

/* ---- workspace -------------------------------------------------------------------------------- */

/* Where a product with the channel is cheap beside a Hessian, a dozen interior steps find the zeros that projected
 * Newton steps would take scores of faces to find. */
static int pays_inside(const candor_channel *channel)
{
  return channel->axes > 1 || channel->axis->kind != CANDOR_AXIS_DENSE;
}

candor_solver_options candor_solver_defaults(const candor_channel *channel)
{
  /* 8 MB of Hessian at least, four arrays of cells at most for large products. */
  const double cells = 4.0 * (double) candor_channel_truths(channel);
  const candor_solver_options options = {1e-8, (size_t) sqrt(fmax(1048576.0, cells)), pays_inside(channel) ? 3 : 8};
  return options;
}

static size_t gram_row(const candor_channel *channel)
{
  return channel->axes == 1 ? candor_channel_reports(channel) : 0;
}

size_t candor_solver_work(const candor_channel *channel, const candor_solver_options *options)
{
  const size_t limit = candor_newton_limit(channel, options);
  return 16 * candor_channel_truths(channel) + 7 * candor_channel_reports(channel) + gram_row(channel) +
         candor_channel_work(channel) + candor_quadratic_work(channel, limit);
}

size_t candor_solver_index(const candor_channel *channel)
{
  /* Three index sets and one byte a truth. */
  return 4 * candor_channel_truths(channel);
}

static double *take(double **work, size_t n)
{
  double *here = *work;
  *work += n;
  return here;
}

static void lay_out(candor_solver *s, double *work)
{
  const size_t K = s->truths, J = s->reports, limit = candor_newton_limit(s->channel, &s->options);
  double **of_truths[] = {&s->theta,        &s->score,     &s->g,        &s->x,
                          &s->direction,    &s->trial,     &s->diagonal, &s->cg_residual,
                          &s->cg_direction, &s->cg_scaled, &s->cg_image, &s->cells,
                          &s->cells2,       &s->solution,  &s->scaling,  &s->shift};
  double **of_reports[] = {&s->reported, &s->phi, &s->m, &s->w, &s->m_trial, &s->weights, &s->cg_reports};
  for (size_t k = 0; k < sizeof of_truths / sizeof *of_truths; k++) *of_truths[k] = take(&work, K);
  for (size_t k = 0; k < sizeof of_reports / sizeof *of_reports; k++) *of_reports[k] = take(&work, J);
  s->scaled_row = take(&work, gram_row(s->channel));
  s->channel_work = take(&work, candor_channel_work(s->channel));
  /* The Hessian of a Newton step and the workspace of the quadratic programme are never in use together. */
  s->hessian = s->quadratic_work = take(&work, candor_quadratic_work(s->channel, limit));
}

/* ---- expectation-maximization, accelerated ------------------------------------------------------- */

/* Varadhan and Roland's scheme S3: two EM steps span an extrapolation, taken only if it gains. */
static void accelerated_cycle(candor_solver *s)
{
  const size_t K = s->truths;
  double *first = s->cg_residual, *second = s->cg_direction;
  double rr = 0, vv = 0;
  for (size_t i = 0; i < K; i++) first[i] = s->x[i];
  candor_certificate_em_step(s);
  for (size_t i = 0; i < K; i++) second[i] = s->x[i] - first[i];
  candor_certificate_em_step(s);
  for (size_t i = 0; i < K; i++) {
    const double v = s->x[i] - first[i] - 2 * second[i];
    rr += second[i] * second[i];
    vv += v * v;
  }
  if (!(vv > 0)) return;
  const double alpha = sqrt(rr / vv);
  if (alpha <= 1) return;
  for (size_t i = 0; i < K; i++) {
    const double v = s->x[i] - first[i] - 2 * second[i];
    const double y = first[i] + 2 * alpha * second[i] + alpha * alpha * v;
    s->trial[i] = y > 0 ? y : 0.1 * s->x[i];
  }
  candor_certificate_forward(s, s->trial, s->m_trial);
  if (candor_certificate_change(s, s->trial, s->m_trial) < 0) candor_certificate_accept(s);
}

/* Far from the maximum, where a Newton step on a logarithm could only double what is too small by orders
 * of magnitude: EM multiplies it, and the vertex revives what is zero. */
static int is_far(const candor_solver *s)
{
  return s->excess > 2;
}

static void far_step(candor_solver *s)
{
  size_t best = 0;
  for (size_t i = 1; i < s->truths; i++)
    if (s->g[i] > s->g[best]) best = i;
  if (s->x[best] > 0 || !candor_certificate_vertex_step(s)) accelerated_cycle(s);
}

static candor_status verdict(const candor_solver *s)
{
  if (s->gap <= s->options.tolerance) return CANDOR_OK;
  /* Far from the end the gap may well rise for a while; at the level of rounding it may not. */
  return s->stalls > (s->gap < 1e-11 * s->total ? 8 : 200) ? CANDOR_STALLED : CANDOR_AGAIN;
}

/* EM only approaches zero. Cells that a Newton step of their own would take there are set to zero, if the
 * certificate survives it. */
static void clear_remnants(candor_solver *s)
{
  size_t remnants = 0;
  memcpy(s->x, s->theta, s->truths * sizeof *s->x);
  candor_newton_weigh_best(s);
  for (size_t i = 0; i < s->truths; i++) {
    const double decrease = 1 - s->score[i];
    if (s->x[i] > 0 && decrease > 1e-12 && s->x[i] * s->diagonal[i] <= decrease) {
      s->x[i] = 0;
      remnants++;
    }
  }
  if (remnants == 0) return;
  candor_certificate_forward(s, s->x, s->m);
  if (!candor_certificate_possible(s, s->m)) return;
  candor_certificate_judge(s);
  if (s->total * log1p(s->excess) <= s->options.tolerance) candor_certificate_keep(s);
}

/* ---- public ---------------------------------------------------------------------------------------- */

size_t candor_impossible(const candor_channel *channel, const double *counts, double *work)
{
  const size_t K = candor_channel_truths(channel), J = candor_channel_reports(channel);
  double *uniform = work, *m = work + K;
  for (size_t i = 0; i < K; i++) uniform[i] = 1;
  candor_channel_forward(channel, uniform, m + J, m);
  for (size_t j = 0; j < J; j++)
    if (counts[j] > 0 && !(m[j] >= CANDOR_LEAST_PROBABILITY)) return j;
  return J;
}

static candor_status check_counts(const double *counts, size_t n, double *total)
{
  *total = 0;
  for (size_t j = 0; j < n; j++) {
    if (!isfinite(counts[j])) return CANDOR_NOT_FINITE;
    if (counts[j] < 0) return CANDOR_DOMAIN;
    *total += counts[j];
  }
  if (!isfinite(*total)) return CANDOR_NOT_FINITE;
  return *total > 0 ? CANDOR_OK : CANDOR_EMPTY;
}

/* The start, or the uniform distribution if there is none or it cannot produce what was reported. */
static candor_status set_start(candor_solver *s, const double *start)
{
  double sum = 0;
  for (size_t i = 0; start != NULL && i < s->truths; i++) {
    if (!isfinite(start[i])) return CANDOR_NOT_FINITE;
    if (start[i] < 0) return CANDOR_DOMAIN;
    sum += start[i];
  }
  if (start != NULL && !(sum > 0 && isfinite(sum))) return CANDOR_DOMAIN;
  for (int attempt = start == NULL; attempt < 2; attempt++) {
    for (size_t i = 0; i < s->truths; i++) s->x[i] = attempt == 0 ? start[i] / sum : 1 / (double) s->truths;
    candor_certificate_forward(s, s->x, s->m);
    if (candor_certificate_possible(s, s->m)) return CANDOR_OK;
  }
  return CANDOR_IMPOSSIBLE;
}

candor_status candor_solver_init(candor_solver *s, const candor_channel *channel, const double *counts,
                                 const double *start, const candor_solver_options *options, double *work, size_t *index)
{
  candor_status status = candor_channel_check(channel);
  if (status != CANDOR_OK) return status;
  if (!(options->tolerance >= 0)) return CANDOR_DOMAIN;
  memset(s, 0, sizeof *s);
  s->channel = channel;
  s->options = *options;
  s->truths = candor_channel_truths(channel);
  s->reports = candor_channel_reports(channel);
  s->free_set = index;
  s->set = index + s->truths;
  s->factored_set = index + 2 * s->truths;
  s->blocked = (unsigned char *) (index + 3 * s->truths);
  s->damping = CANDOR_LEAST_DAMPING;
  s->gap = HUGE_VAL;
  lay_out(s, work);
  status = check_counts(counts, s->reports, &s->total);
  if (status != CANDOR_OK) return status;
  for (size_t j = 0; j < s->reports; j++) s->phi[j] = counts[j] / s->total;
  status = set_start(s, start);
  if (status != CANDOR_OK) return status;
  candor_certificate_judge(s);
  return s->status = verdict(s);
}

int candor_solver_unique(candor_solver *s, size_t limit)
{
  const size_t most = candor_newton_limit(s->channel, &s->options);
  if (limit > most) limit = most;
  s->free_count = s->factored_count = 0;
  for (size_t i = 0; i < s->truths; i++) {
    if (s->theta[i] == 0 && s->score[i] < 1 - 1e-6) continue;
    if (s->free_count == limit) return 0;
    s->free_set[s->free_count++] = i;
  }
  candor_newton_weigh_best(s);
  const size_t n = s->free_count;
  candor_newton_hessian(s);
  for (size_t k = 0; k < n; k++) s->cg_image[k] = s->hessian[k * n + k];
  if (!candor_cholesky(s->hessian, n)) return 0;
  for (size_t k = 0; k < n; k++) {
    const double pivot = s->hessian[k * n + k];
    if (!(pivot * pivot > 1e-10 * s->cg_image[k])) return 0;
  }
  return 1;
}

int candor_solver_information(candor_solver *s, const size_t *set, size_t n, const double *rhs, size_t limit, double *v)
{
  candor_newton_weigh_best(s);
  for (size_t k = 0; k < n; k++) {
    s->free_set[k] = set[k];
    s->scaling[k] = s->diagonal[set[k]];
    s->shift[k] = 0;
  }
  s->free_count = n;
  s->factored_count = 0;
  return candor_newton_solve(s, rhs, 1e-10, limit, v);
}

candor_status candor_solver_run(candor_solver *s, size_t steps)
{
  for (size_t k = 0; k < steps && s->status == CANDOR_AGAIN; k++) {
    if (s->phase == CANDOR_INSIDE) candor_interior_step(s);
    else if (is_far(s)) far_step(s);
    else if (s->iterations < s->options.warm_cycles) accelerated_cycle(s);
    else if (s->phase == CANDOR_BEFORE && pays_inside(s->channel)) candor_interior_step(s);
    else candor_newton_step(s);
    s->iterations++;
    s->status = verdict(s);
    if (s->status == CANDOR_OK) clear_remnants(s);
  }
  return s->status;
}
