/* The Newton direction, its line search, and the quadratic model for where they stall. See newton.h. */
#include "estimate/newton.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "estimate/cholesky.h"
#include "estimate/quadratic.h"

/* Armijo's constant; a coordinate is given up when this share of its own Newton step reaches zero. */
static const double SUFFICIENT = 1e-4;
static const double GIVE_UP = 1.0;
/* Newton steps that had to be shortened before the quadratic model is solved instead. */
static const size_t PATIENCE = 6;
static const size_t MANY_CELLS = 400;

void candor_newton_weigh(candor_solver *s)
{
  for (size_t j = 0; j < s->reports; j++) s->weights[j] = s->phi[j] > 0 ? s->w[j] / s->m[j] : 0;
  candor_channel_adjoint_square(s->channel, s->weights, s->channel_work, s->diagonal);
  s->products++;
}

void candor_newton_weigh_best(candor_solver *s)
{
  for (size_t j = 0; j < s->reports; j++)
    s->weights[j] = s->phi[j] > 0 ? s->phi[j] / (s->reported[j] * s->reported[j]) : 0;
  candor_channel_adjoint_square(s->channel, s->weights, s->channel_work, s->diagonal);
  s->products++;
}

size_t candor_newton_limit(const candor_channel *channel, const candor_solver_options *options)
{
  const size_t truths = candor_channel_truths(channel);
  return options->newton_limit < truths ? options->newton_limit : truths;
}

/* ---- the Newton direction ------------------------------------------------------------------------ */

/* Splits the cells into free ones and those to be set to zero, whose direction is -x. */
static void choose_free(candor_solver *s)
{
  s->free_count = 0;
  for (size_t i = 0; i < s->truths; i++) {
    const double decrease = 1 - s->g[i];
    const int enters = -decrease > 0.1 * s->excess;
    const int leaves = decrease > 0 && s->x[i] * s->diagonal[i] <= GIVE_UP * decrease;
    if (leaves || (s->x[i] == 0 && !enters)) {
      s->direction[i] = -s->x[i];
    } else {
      s->scaling[s->free_count] = s->diagonal[i];
      s->shift[s->free_count] = s->damping * s->diagonal[i];
      s->free_set[s->free_count++] = i;
    }
  }
}

/* image = C diag(weights) C' x, where it is asked for: on the free set. */
static void curve(candor_solver *s, const double *x, double *image)
{
  candor_certificate_forward(s, x, s->cg_reports);
  candor_vector_multiply(s->weights, s->cg_reports, s->reports);
  candor_channel_adjoint_at(s->channel, s->cg_reports, s->free_set, s->free_count, s->channel_work, image);
  s->products++;
}

/* image = (H + diag(shift)) v on the free set, both compact. */
static void hessian_product(candor_solver *s, const double *v, double *image)
{
  const size_t n = s->free_count;
  if (n == s->truths) {
    curve(s, v, image);
  } else {
    memset(s->cells, 0, s->truths * sizeof *s->cells);
    for (size_t k = 0; k < n; k++) s->cells[s->free_set[k]] = v[k];
    curve(s, s->cells, s->cells2);
    for (size_t k = 0; k < n; k++) image[k] = s->cells2[s->free_set[k]];
  }
  candor_vector_add_product(s->shift, v, image, n);
}

/* rhs = g - 1 - H_FB direction_B, compact: what the free cells must make up for. */
static void right_hand_side(candor_solver *s, double *rhs)
{
  const size_t n = s->free_count;
  memcpy(s->cells, s->direction, s->truths * sizeof *s->cells);
  for (size_t k = 0; k < n; k++) s->cells[s->free_set[k]] = 0;
  curve(s, s->cells, s->cells2);
  for (size_t k = 0; k < n; k++) rhs[k] = s->g[s->free_set[k]] - 1 - s->cells2[s->free_set[k]];
}

/* Whether the factor at hand is of this free set, if of an earlier Hessian. */
static int has_factor(const candor_solver *s)
{
  return s->factored_count == s->free_count &&
         memcmp(s->factored_set, s->free_set, s->free_count * sizeof *s->free_set) == 0;
}

/* out = (approximately) H^-1 r: by the last factor of the same free set, or by `scaling`. */
static void precondition(const candor_solver *s, int by_factor, const double *r, double *out)
{
  const size_t n = s->free_count;
  if (by_factor) {
    memcpy(out, r, n * sizeof *out);
    candor_cholesky_solve(s->hessian, n, out);
  } else {
    candor_vector_divide(r, s->scaling, out, n);
  }
}

int candor_newton_solve(candor_solver *s, const double *rhs, double share, size_t limit, double *v)
{
  const size_t n = s->free_count;
  const int by_factor = n > 0 && has_factor(s);
  double *r = s->cg_residual, *p = s->cg_direction, *image = s->cg_image, *z = s->cells;
  memset(v, 0, n * sizeof *v);
  memcpy(r, rhs, n * sizeof *r);
  precondition(s, by_factor, r, p);
  double rho = candor_vector_dot(r, p, n);
  const double goal = share * share * rho;
  for (size_t step = 0; step < (by_factor ? 12 : limit) && rho > goal; step++) {
    hessian_product(s, p, image);
    const double curvature = candor_vector_dot(p, image, n);
    if (!(curvature > 0)) break;
    const double alpha = rho / curvature;
    candor_vector_add(alpha, p, v, n);
    candor_vector_add(-alpha, image, r, n);
    precondition(s, by_factor, r, z);
    const double next = candor_vector_dot(r, z, n);
    candor_vector_follow(next / rho, z, p, n);
    rho = next;
  }
  return rho <= goal;
}

void candor_newton_hessian(candor_solver *s)
{
  const size_t n = s->free_count, J = s->reports;
  const candor_axis *axis = s->channel->axis;
  if (s->channel->axes == 1 && axis->kind == CANDOR_AXIS_DENSE) {
    candor_gram(axis->matrix, J, s->free_set, n, s->weights, s->scaled_row, s->hessian);
  } else {
    for (size_t k = 0; k < n; k++) {
      candor_channel_row(s->channel, s->free_set[k], s->cg_reports);
      for (size_t j = 0; j < J; j++) s->cg_reports[j] *= s->weights[j];
      candor_channel_adjoint(s->channel, s->cg_reports, s->channel_work, s->cells2);
      for (size_t l = 0; l <= k; l++) s->hessian[k * n + l] = s->cells2[s->free_set[l]];
      s->products++;
    }
  }
}

static int factorize(candor_solver *s)
{
  const size_t n = s->free_count;
  s->factored_count = 0;
  candor_newton_hessian(s);
  for (size_t k = 0; k < n; k++) s->hessian[k * n + k] *= 1 + s->damping;
  if (!candor_cholesky(s->hessian, n)) return 0;
  s->factored_count = n;
  memcpy(s->factored_set, s->free_set, n * sizeof *s->free_set);
  return 1;
}

/* Products that a factor is worth, in pairs: rows of a product channel must be made first, and arithmetic on a factor
 * is several times slower than the butterflies of a product. */
static size_t price_of_factor(const candor_solver *s)
{
  const size_t n = s->free_count, J = s->reports, axes = s->channel->axes;
  if (n > s->options.newton_limit) return axes > 1 ? 1000 : 200;
  return axes > 1 ? n / 2 + n * n / (10 * axes) * n / J + 2 : n / 4 + n * n / (12 * J) + 2;
}

/* How far the residual must fall: the better the estimate, the further (so that Newton converges superlinearly), but
 * never below what the tolerance needs. */
static double forcing(const candor_solver *s)
{
  const double enough = 0.3 * s->options.tolerance / (s->total * s->excess);
  return fmin(0.1, fmax(enough, sqrt(s->excess)));
}

/* Conjugate gradients up to the price of a factor, then the factor: at most twice the cheaper. */
static void newton_direction(candor_solver *s)
{
  const size_t n = s->free_count;
  double *rhs = s->cg_scaled, *v = s->solution;
  right_hand_side(s, rhs);
  if (!candor_newton_solve(s, rhs, forcing(s), price_of_factor(s), v) && n <= s->options.newton_limit) {
    while (!factorize(s) && s->damping < 1) s->damping *= 100;
    memcpy(v, rhs, n * sizeof *v);
    candor_cholesky_solve(s->hessian, n, v);
  }
  for (size_t k = 0; k < n; k++) s->direction[s->free_set[k]] = v[k];
}

/* ---- one step ------------------------------------------------------------------------------------- */

/* Clips x + alpha direction at zero; returns the slope of F along the clipped move. */
static double clipped(candor_solver *s, double alpha)
{
  double slope = 0;
  for (size_t i = 0; i < s->truths; i++) {
    const double y = s->x[i] + alpha * s->direction[i];
    s->trial[i] = y > 0 ? y : 0;
    slope += (1 - s->g[i]) * (s->trial[i] - s->x[i]);
  }
  return slope;
}

static int line_search(candor_solver *s)
{
  double alpha = 1;
  for (int halvings = 0; halvings < 24; halvings++, alpha *= 0.5) {
    const double slope = clipped(s, alpha);
    if (!(slope < 0)) continue;
    candor_certificate_forward(s, s->trial, s->m_trial);
    if (candor_certificate_change(s, s->trial, s->m_trial) <= SUFFICIENT * slope + CANDOR_NOISE) {
      /* A full step asks for less damping, a short one for more. */
      s->damping = halvings == 0  ? fmax(CANDOR_LEAST_DAMPING, 0.1 * s->damping)
                   : halvings > 2 ? fmin(1, fmax(1e-10, 10 * s->damping))
                                  : s->damping;
      s->trouble += halvings > 0;
      candor_certificate_accept(s);
      return 1;
    }
  }
  s->trouble++;
  s->damping = fmin(1, fmax(1e-8, 100 * s->damping));
  return 0;
}

/* One cell at a time pays for small supports only; a product's rows cost a product each besides. */
static size_t quadratic_limit(const candor_solver *s)
{
  const size_t limit = candor_newton_limit(s->channel, &s->options);
  return s->channel->axes > 1 && limit > MANY_CELLS ? MANY_CELLS : limit;
}

/* The whole quadratic model minimized over the orthant: dearer than a Newton step, and the remedy when
 * the channel is so smooth that no single Newton direction shows which cells are zero. It may cost as
 * much as everything before it, and is worth a direction only if it was finished, or if it started
 * from the present estimate. */
static int quadratic_direction(candor_solver *s)
{
  const size_t K = s->truths;
  size_t count = 0;
  for (size_t i = 0; i < K; i++) {
    s->cells[i] = 2 * s->g[i] - 1;
    s->solution[i] = s->sparse ? s->x[i] : 0;
    if (s->solution[i] > 0) s->set[count++] = i;
  }
  const size_t limit = quadratic_limit(s);
  if (count > limit || (!s->sparse && s->refused && s->free_count > limit)) return 0;
  const candor_quadratic problem = {
      s->channel, s->weights,       s->diagonal, s->cells, s->x, s->damping, fmax(1e-16, 1e-3 * s->excess),
      limit,      100 + s->products};
  s->factored_count = 0; /* its workspace is the factor's */
  const candor_status status =
      candor_quadratic_minimize(&problem, s->set, &count, s->blocked, s->quadratic_work, &s->products, s->solution);
  if (status != CANDOR_OK && !(status == CANDOR_AGAIN && s->sparse)) {
    s->refused |= status == CANDOR_STALLED || count == limit;
    return 0;
  }
  for (size_t i = 0; i < K; i++) s->direction[i] = s->solution[i] - s->x[i];
  s->sparse = 1;
  s->free_count = count;
  return 1;
}

void candor_newton_step(candor_solver *s)
{
  const double before = s->gap;
  candor_newton_weigh(s);
  if (s->trouble <= PATIENCE || !quadratic_direction(s)) {
    if (s->trouble > PATIENCE) s->trouble = 0;
    choose_free(s);
    newton_direction(s);
  }
  if (!line_search(s) && !candor_certificate_vertex_step(s)) {
    const double was = s->excess;
    candor_certificate_em_step(s);
    if (s->excess >= was) s->stalls += 4;
  }
  s->stalls = s->gap < 0.9 * before ? 0 : s->stalls + 1;
  if (s->stalls > 2 && s->gap < 1e-6 * s->total) s->trouble = PATIENCE + 1;
}
