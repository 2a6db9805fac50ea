#include "solver.h"

#include <math.h>
#include <string.h>

#include "cholesky.h"
#include "quadratic.h"
#include "vector.h"

/* Armijo's constant; a coordinate is given up when this share of its own Newton step reaches zero. */
static const double SUFFICIENT = 1e-4;
static const double GIVE_UP = 1.0;
/* Differences of F below this are rounding errors of the sum of phi_j log1p(.). */
static const double NOISE = 4e-16;
static const double LEAST_DAMPING = 1e-14;
/* Below this a report counts as impossible: phi / m^2 must not overflow. */
static const double LEAST_PROBABILITY = 1e-150;
/* Newton steps that had to be shortened before the quadratic model is solved instead. */
static const size_t PATIENCE = 6;
static const size_t MANY_CELLS = 400;

/* ---- workspace -------------------------------------------------------------------------------- */

candor_solver_options candor_solver_defaults(const candor_channel *channel)
{
  /* 8 MB of Hessian at least, four arrays of cells at most for large products. */
  const double cells = 4.0 * (double) candor_channel_truths(channel);
  const candor_solver_options options = {1e-8, (size_t) sqrt(fmax(1048576.0, cells)), 8};
  return options;
}

static size_t newton_limit(const candor_channel *channel, const candor_solver_options *options)
{
  const size_t truths = candor_channel_truths(channel);
  return options->newton_limit < truths ? options->newton_limit : truths;
}

static size_t gram_rows(const candor_channel *channel)
{
  return channel->axes == 1 ? CANDOR_GRAM_ROWS * candor_channel_reports(channel) : 0;
}

size_t candor_solver_work(const candor_channel *channel, const candor_solver_options *options)
{
  const size_t limit = newton_limit(channel, options);
  return 15 * candor_channel_truths(channel) + 7 * candor_channel_reports(channel) + gram_rows(channel)
         + candor_channel_work(channel) + candor_quadratic_work(channel, limit);
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
  const size_t K = s->truths, J = s->reports, limit = newton_limit(s->channel, &s->options);
  double **of_truths[] = {&s->theta, &s->score, &s->g, &s->x, &s->direction, &s->trial, &s->diagonal,
                          &s->cg_residual, &s->cg_direction, &s->cg_scaled, &s->cg_image, &s->cells, &s->cells2,
                          &s->solution, &s->free_diagonal};
  double **of_reports[] = {&s->reported, &s->phi, &s->m, &s->w, &s->m_trial, &s->weights, &s->cg_reports};
  for (size_t k = 0; k < sizeof of_truths / sizeof *of_truths; k++) *of_truths[k] = take(&work, K);
  for (size_t k = 0; k < sizeof of_reports / sizeof *of_reports; k++) *of_reports[k] = take(&work, J);
  s->scaled_rows = take(&work, gram_rows(s->channel));
  s->channel_work = take(&work, candor_channel_work(s->channel));
  /* The Hessian of a Newton step and the workspace of the quadratic programme are never in use together. */
  s->hessian = s->quadratic_work = take(&work, candor_quadratic_work(s->channel, limit));
}

/* ---- the certificate --------------------------------------------------------------------------- */

/* x -> m. */
static void forward(candor_solver *s, const double *x, double *m)
{
  candor_channel_forward(s->channel, x, s->channel_work, m);
  s->products++;
}

/* The estimate as it stands becomes the result. */
static void keep(candor_solver *s)
{
  s->gap = s->total * log1p(s->excess);
  s->loglik = 0;
  for (size_t j = 0; j < s->reports; j++) {
    if (s->phi[j] > 0) s->loglik += s->total * s->phi[j] * log(s->m[j]);
  }
  memcpy(s->theta, s->x, s->truths * sizeof *s->x);
  memcpy(s->score, s->g, s->truths * sizeof *s->g);
  memcpy(s->reported, s->m, s->reports * sizeof *s->m);
}

/* Given x and m = C' x: rescales both to sum(x) = 1, fills g and the excess max g - 1, and keeps the
 * estimate if it is the best certified so far. */
static void judge(candor_solver *s)
{
  const size_t K = s->truths, J = s->reports;
  double sum = 0, largest = 0, all = 0;
  for (size_t i = 0; i < K; i++) sum += s->x[i];
  for (size_t i = 0; i < K; i++) s->x[i] /= sum;
  for (size_t j = 0; j < J; j++) {
    s->m[j] /= sum;
    s->w[j] = s->phi[j] > 0 ? s->phi[j] / s->m[j] : 0;
  }
  candor_channel_adjoint(s->channel, s->w, s->channel_work, s->g);
  s->products++;
  for (size_t i = 0; i < K; i++) {
    largest = fmax(largest, s->g[i]);
    all += s->x[i] * s->g[i];
  }
  /* sum theta g = 1 is an identity: where it fails, numbers have left the range of double precision,
   * and a maximum that skips NaN would certify nonsense. */
  s->excess = fabs(all - 1) < 1e-9 ? fmax(largest - 1, 0) : HUGE_VAL;
  if (s->total * log1p(s->excess) < s->gap) keep(s);
}

/* F(trial) - F(x), from m_trial and m, without cancellation. */
static double change(const candor_solver *s, const double *trial, const double *m_trial)
{
  double mass = 0, likelihood = 0;
  for (size_t i = 0; i < s->truths; i++) mass += trial[i] - s->x[i];
  for (size_t j = 0; j < s->reports; j++) {
    if (s->phi[j] == 0) continue;
    if (!(m_trial[j] >= LEAST_PROBABILITY)) return HUGE_VAL;
    const double ratio = (m_trial[j] - s->m[j]) / s->m[j];
    likelihood += s->phi[j] * (fabs(ratio) < 0.5 ? log1p(ratio) : log(m_trial[j] / s->m[j]));
  }
  return mass - likelihood;
}

static void accept(candor_solver *s)
{
  double *swap = s->x;
  s->x = s->trial;
  s->trial = swap;
  swap = s->m;
  s->m = s->m_trial;
  s->m_trial = swap;
  judge(s);
}

/* ---- expectation-maximisation, accelerated ------------------------------------------------------- */

/* trial = x g, accepted. */
static void em_step(candor_solver *s)
{
  for (size_t i = 0; i < s->truths; i++) s->trial[i] = s->x[i] * s->g[i];
  forward(s, s->trial, s->m_trial);
  accept(s);
}

/* Varadhan and Roland's scheme S3: two EM steps span an extrapolation, taken only if it gains. */
static void accelerated_cycle(candor_solver *s)
{
  const size_t K = s->truths;
  double *first = s->cg_residual, *second = s->cg_direction;
  double rr = 0, vv = 0;
  for (size_t i = 0; i < K; i++) first[i] = s->x[i];
  em_step(s);
  for (size_t i = 0; i < K; i++) second[i] = s->x[i] - first[i];
  em_step(s);
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
  forward(s, s->trial, s->m_trial);
  if (change(s, s->trial, s->m_trial) < 0) accept(s);
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
      s->free_diagonal[s->free_count] = s->diagonal[i];
      s->free_set[s->free_count++] = i;
    }
  }
}

/* cells2 = C diag(weights) C' cells, where it is asked for: on the free set. */
static void curve(candor_solver *s)
{
  forward(s, s->cells, s->cg_reports);
  candor_vector_multiply(s->weights, s->cg_reports, s->reports);
  candor_channel_adjoint_at(s->channel, s->cg_reports, s->free_set, s->free_count, s->channel_work, s->cells2);
  s->products++;
}

/* image = H v on the free set (both compact), H = C diag(weights) C' + damping * diagonal. */
static void hessian_product(candor_solver *s, const double *v, double *image)
{
  const size_t n = s->free_count;
  memset(s->cells, 0, s->truths * sizeof *s->cells);
  for (size_t k = 0; k < n; k++) s->cells[s->free_set[k]] = v[k];
  curve(s);
  for (size_t k = 0; k < n; k++) image[k] = s->cells2[s->free_set[k]] + s->damping * s->free_diagonal[k] * v[k];
}

/* rhs = g - 1 - H_FB direction_B, compact: what the free cells must make up for. */
static void right_hand_side(candor_solver *s, double *rhs)
{
  const size_t n = s->free_count;
  memcpy(s->cells, s->direction, s->truths * sizeof *s->cells);
  for (size_t k = 0; k < n; k++) s->cells[s->free_set[k]] = 0;
  curve(s);
  for (size_t k = 0; k < n; k++) rhs[k] = s->g[s->free_set[k]] - 1 - s->cells2[s->free_set[k]];
}

/* Whether the factor at hand is of this free set, if of an earlier Hessian. */
static int has_factor(const candor_solver *s)
{
  return s->factored_count == s->free_count &&
         memcmp(s->factored_set, s->free_set, s->free_count * sizeof *s->free_set) == 0;
}

/* out = (approximately) H^-1 r: by the last factor of the same free set, or by the diagonal. */
static void precondition(const candor_solver *s, int by_factor, const double *r, double *out)
{
  const size_t n = s->free_count;
  if (by_factor) {
    memcpy(out, r, n * sizeof *out);
    candor_cholesky_solve(s->hessian, n, out);
  } else {
    candor_vector_divide(r, s->free_diagonal, out, n);
  }
}

/* Preconditioned conjugate gradients for H v = rhs; 1 if the residual fell below `share` of its start
 * within `limit` products. `v` is usable either way: each iterate is a descent direction. */
static int conjugate_gradients(candor_solver *s, const double *rhs, double share, size_t limit, double *v)
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

/* The Hessian on the free set. */
static void fill_hessian(candor_solver *s)
{
  const size_t n = s->free_count, J = s->reports;
  const candor_axis *axis = s->channel->axis;
  if (s->channel->axes == 1 && axis->kind == CANDOR_AXIS_DENSE) {
    candor_gram(axis->matrix, J, s->free_set, n, s->weights, s->scaled_rows, s->hessian);
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

static int factorise(candor_solver *s)
{
  const size_t n = s->free_count;
  s->factored_count = 0;
  fill_hessian(s);
  for (size_t k = 0; k < n; k++) s->hessian[k * n + k] *= 1 + s->damping;
  if (!candor_cholesky(s->hessian, n)) return 0;
  s->factored_count = n;
  memcpy(s->factored_set, s->free_set, n * sizeof *s->free_set);
  return 1;
}

/* Conjugate gradients up to the price of a factor, then the factor: at most twice the cheaper. */
static void newton_direction(candor_solver *s)
{
  const size_t n = s->free_count, J = s->reports;
  const int storable = n <= s->options.newton_limit;
  const double share = fmin(0.1, sqrt(s->excess));
  const size_t price = storable ? n / 4 + n * n / (12 * J) + 2 : 200;
  double *rhs = s->cg_scaled, *v = s->solution;
  right_hand_side(s, rhs);
  if (!conjugate_gradients(s, rhs, share, price, v) && storable) {
    while (!factorise(s) && s->damping < 1) s->damping *= 100;
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
    forward(s, s->trial, s->m_trial);
    if (change(s, s->trial, s->m_trial) <= SUFFICIENT * slope + NOISE) {
      /* A full step asks for less damping, a short one for more. */
      s->damping = halvings == 0 ? fmax(LEAST_DAMPING, 0.1 * s->damping)
                                 : halvings > 2 ? fmin(1, fmax(1e-10, 10 * s->damping)) : s->damping;
      s->trouble += halvings > 0;
      accept(s);
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
  const size_t limit = newton_limit(s->channel, &s->options);
  return s->channel->axes > 1 && limit > MANY_CELLS ? MANY_CELLS : limit;
}

/* The whole quadratic model minimised over the orthant: dearer than a Newton step, and the remedy when
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
  const candor_quadratic problem = {s->channel, s->weights, s->diagonal, s->cells, s->x, s->damping,
                                    fmax(1e-16, 1e-3 * s->excess), limit,
                                    100 + s->products};
  s->factored_count = 0; /* its workspace is the factor's */
  const int solved = candor_quadratic_minimise(&problem, s->set, &count, s->blocked, s->quadratic_work,
                                               &s->products, s->solution);
  if (solved < 0 || (solved == 0 && !s->sparse)) {
    s->refused |= solved == -2 || count == limit;
    return 0;
  }
  for (size_t i = 0; i < K; i++) s->direction[i] = s->solution[i] - s->x[i];
  s->sparse = 1;
  s->free_count = count;
  return 1;
}

/* Towards the cell that the certificate blames, with the step that maximises the likelihood. */
static int vertex_step(candor_solver *s)
{
  size_t best = 0;
  for (size_t i = 1; i < s->truths; i++) {
    if (s->g[i] > s->g[best]) best = i;
  }
  candor_channel_row(s->channel, best, s->cg_reports);
  double low = 0, high = 1;
  for (int k = 0; k < 60; k++) {
    const double t = 0.5 * (low + high);
    double derivative = 0;
    for (size_t j = 0; j < s->reports; j++) {
      const double step = s->cg_reports[j] - s->m[j];
      if (s->phi[j] > 0) derivative += s->phi[j] * step / (s->m[j] + t * step);
    }
    if (derivative > 0) low = t;
    else high = t;
  }
  for (size_t i = 0; i < s->truths; i++) s->trial[i] = (1 - low) * s->x[i] + (i == best ? low : 0);
  forward(s, s->trial, s->m_trial);
  if (!(change(s, s->trial, s->m_trial) < -NOISE)) return 0;
  accept(s);
  return 1;
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
  for (size_t i = 1; i < s->truths; i++) {
    if (s->g[i] > s->g[best]) best = i;
  }
  if (s->x[best] > 0 || !vertex_step(s)) accelerated_cycle(s);
}

static void newton_step(candor_solver *s)
{
  const double before = s->gap;
  for (size_t j = 0; j < s->reports; j++) s->weights[j] = s->phi[j] > 0 ? s->w[j] / s->m[j] : 0;
  candor_channel_adjoint_square(s->channel, s->weights, s->channel_work, s->diagonal);
  s->products++;
  if (s->trouble <= PATIENCE || !quadratic_direction(s)) {
    if (s->trouble > PATIENCE) s->trouble = 0;
    choose_free(s);
    newton_direction(s);
  }
  if (!line_search(s) && !vertex_step(s)) {
    const double was = s->excess;
    em_step(s);
    if (s->excess >= was) s->stalls += 4;
  }
  s->stalls = s->gap < 0.9 * before ? 0 : s->stalls + 1;
  if (s->stalls > 2 && s->gap < 1e-6 * s->total) s->trouble = PATIENCE + 1;
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
  for (size_t j = 0; j < s->reports; j++) {
    s->weights[j] = s->phi[j] > 0 ? s->phi[j] / (s->reported[j] * s->reported[j]) : 0;
  }
  candor_channel_adjoint_square(s->channel, s->weights, s->channel_work, s->diagonal);
  s->products++;
  for (size_t i = 0; i < s->truths; i++) {
    const double decrease = 1 - s->score[i];
    if (s->x[i] > 0 && decrease > 1e-12 && s->x[i] * s->diagonal[i] <= decrease) {
      s->x[i] = 0;
      remnants++;
    }
  }
  if (remnants == 0) return;
  forward(s, s->x, s->m);
  for (size_t j = 0; j < s->reports; j++) {
    if (s->phi[j] > 0 && !(s->m[j] >= LEAST_PROBABILITY)) return;
  }
  judge(s);
  if (s->total * log1p(s->excess) <= s->options.tolerance) keep(s);
}

/* ---- public ---------------------------------------------------------------------------------------- */

size_t candor_impossible(const candor_channel *channel, const double *counts, double *work)
{
  const size_t K = candor_channel_truths(channel), J = candor_channel_reports(channel);
  double *uniform = work, *m = work + K;
  for (size_t i = 0; i < K; i++) uniform[i] = 1;
  candor_channel_forward(channel, uniform, m + J, m);
  for (size_t j = 0; j < J; j++) {
    if (counts[j] > 0 && !(m[j] >= LEAST_PROBABILITY)) return j;
  }
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
    int possible = 1;
    for (size_t i = 0; i < s->truths; i++) s->x[i] = attempt == 0 ? start[i] / sum : 1 / (double) s->truths;
    forward(s, s->x, s->m);
    for (size_t j = 0; j < s->reports; j++) possible &= s->phi[j] == 0 || s->m[j] >= LEAST_PROBABILITY;
    if (possible) return CANDOR_OK;
  }
  return CANDOR_IMPOSSIBLE;
}

candor_status candor_solver_init(candor_solver *s, const candor_channel *channel, const double *counts,
                                 const double *start, const candor_solver_options *options, double *work,
                                 size_t *index)
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
  s->damping = LEAST_DAMPING;
  s->gap = HUGE_VAL;
  lay_out(s, work);
  status = check_counts(counts, s->reports, &s->total);
  if (status != CANDOR_OK) return status;
  for (size_t j = 0; j < s->reports; j++) s->phi[j] = counts[j] / s->total;
  status = set_start(s, start);
  if (status != CANDOR_OK) return status;
  judge(s);
  return s->status = verdict(s);
}

int candor_solver_unique(candor_solver *s, size_t limit)
{
  const size_t most = newton_limit(s->channel, &s->options);
  if (limit > most) limit = most;
  s->free_count = s->factored_count = 0;
  for (size_t i = 0; i < s->truths; i++) {
    if (s->theta[i] == 0 && s->score[i] < 1 - 1e-6) continue;
    if (s->free_count == limit) return 0;
    s->free_set[s->free_count++] = i;
  }
  for (size_t j = 0; j < s->reports; j++) {
    s->weights[j] = s->phi[j] > 0 ? s->phi[j] / (s->reported[j] * s->reported[j]) : 0;
  }
  const size_t n = s->free_count;
  fill_hessian(s);
  for (size_t k = 0; k < n; k++) s->cg_image[k] = s->hessian[k * n + k];
  if (!candor_cholesky(s->hessian, n)) return 0;
  for (size_t k = 0; k < n; k++) {
    const double pivot = s->hessian[k * n + k];
    if (!(pivot * pivot > 1e-10 * s->cg_image[k])) return 0;
  }
  return 1;
}

candor_status candor_solver_run(candor_solver *s, size_t steps)
{
  for (size_t k = 0; k < steps && s->status == CANDOR_AGAIN; k++) {
    if (is_far(s)) far_step(s);
    else if (s->iterations < s->options.warm_cycles) accelerated_cycle(s);
    else newton_step(s);
    s->iterations++;
    s->status = verdict(s);
    if (s->status == CANDOR_OK) clear_remnants(s);
  }
  return s->status;
}
