#include "regress/mixed.h"

#include <math.h>
#include <string.h>

enum { NODES = 32000, HALVINGS = 2 };

static const double steepest = 60, widest = 10.5, negligible = 1e-18;

/* The nodes, their weights, and e^(sigma u) for the logit link; the predictor of each row at u = 0, and e to it. */
typedef struct grid {
  size_t nodes;
  double sigma, *u, *weight, *odds, *log_product, *posterior, *eta, *row_odds;
} grid;

/* One row at one node: the probability of its report, its score, its curvature. */
typedef struct cell {
  double share, score, observed, expected;
} cell;

size_t candor_mixed_work(size_t columns, size_t rows)
{
  return 5 * (size_t) NODES + 2 * (columns + 1) + 2 * rows;
}

candor_status candor_mixed_check(const candor_mixed *m)
{
  const candor_status status = candor_binary_check(&m->base);
  if (status != CANDOR_OK) return status;
  if (m->base.levels || m->base.weight || m->base.barrier > 0 || m->base.link > CANDOR_CAUCHIT) return CANDOR_DOMAIN;
  if (m->groups == 0) return CANDOR_EMPTY;
  if (m->first[0] != 0 || m->first[m->groups] != (int) m->base.rows) return CANDOR_DOMAIN;
  for (size_t g = 0; g < m->groups; g++) {
    if (m->first[g + 1] <= m->first[g]) return CANDOR_DOMAIN;
    if (m->weight && !(m->weight[g] >= 0 && isfinite(m->weight[g]))) return CANDOR_DOMAIN;
  }
  for (size_t i = 0; i < m->base.rows; i++)
    if (m->base.y[i] != 0 && m->base.y[i] != 1) return CANDOR_DOMAIN;
  if (!(m->width >= 6 && m->width <= widest) || m->halvings < 0 || m->halvings > HALVINGS) return CANDOR_DOMAIN;
  return m->fixed && !(fabs(m->sigma) <= steepest) ? CANDOR_DOMAIN : CANDOR_OK;
}

static double predictor(const candor_binary *b, const double *at, size_t row)
{
  double eta = b->offset ? b->offset[row] : 0;
  for (size_t k = 0; k < b->columns; k++) eta += b->x[k * b->rows + row] * at[k];
  return eta;
}

/* Poles of F come nearer to the real line as sigma grows, by a share that depends on the link. */
static grid grid_of(const candor_mixed *m, const double *at, double sigma)
{
  static const double nearness[] = {0.9, 1.2, 1.8, 2.9};
  grid t = {0};
  const double scaled = fmax(1, nearness[m->base.link] * fabs(sigma));
  const double h = 0.7 / ldexp(1, (int) ceil(log2(scaled)) + m->halvings);
  const long half = (long) ceil(m->width / h);
  t.sigma = sigma;
  t.nodes = (size_t) (2 * half + 1);
  t.u = m->work;
  t.weight = t.u + NODES;
  t.odds = t.weight + NODES;
  t.log_product = t.odds + NODES;
  t.posterior = t.log_product + NODES;
  t.eta = t.posterior + NODES + 2 * (m->base.columns + 1);
  t.row_odds = t.eta + m->base.rows;
  for (size_t k = 0; k < t.nodes; k++) {
    t.u[k] = ((double) k - (double) half) * h;
    t.weight[k] = h * exp(-0.5 * t.u[k] * t.u[k]) * 0.39894228040143267794;
    t.odds[k] = exp(sigma * t.u[k]);
  }
  for (size_t row = 0; row < m->base.rows; row++) {
    t.eta[row] = predictor(&m->base, at, row);
    t.row_odds[row] = exp(fmin(fmax(t.eta[row], -300), 300));
  }
  return t;
}

/* Of the logit link without exp() in a cell, unless numbers are too large for a product. */
static void curve_at(const candor_binary *b, const grid *t, size_t k, size_t row, candor_curve *c)
{
  const double eta = t->eta[row];
  if (b->link != CANDOR_LOGIT || fabs(eta) > 300 || fabs(t->sigma * t->u[k]) > 300) {
    candor_link_at(b->link, eta + t->sigma * t->u[k], c);
    return;
  }
  const double product = t->row_odds[row] * t->odds[k];
  c->no = 1 / (1 + product);
  c->yes = product * c->no;
  c->slope = c->yes * c->no;
  c->bend = c->slope * (c->no - c->yes);
}

static double report_share(const candor_binary *b, size_t row, const candor_curve *c)
{
  const candor_device *v = b->device + (b->arm ? b->arm[row] : 0);
  return b->y[row] > 0 ? v->p * c->yes + v->q * c->no : v->p_no * c->yes + v->q_no * c->no;
}

static cell cell_at(const candor_binary *b, size_t row, const candor_curve *c)
{
  const candor_device *v = b->device + (b->arm ? b->arm[row] : 0);
  const int said = b->y[row] > 0;
  const double a = said ? v->p : v->p_no, z = said ? v->q : v->q_no, d = said ? v->d : -v->d;
  const double share = a * c->yes + z * c->no,
               other = said ? v->p_no * c->yes + v->q_no * c->no : v->p * c->yes + v->q * c->no;
  cell t = {share, 0, 0, 0};
  t.score = d * c->slope / share;
  t.observed =
      b->link == CANDOR_LOGIT ? c->slope * (1 - a * z / (share * share)) : t.score * t.score - d * c->bend / share;
  t.expected = other > 0 ? t.score * t.score * share / other : 0;
  return t;
}

/* log L of a group, with the posterior of the nodes. */
static double integrate(const candor_mixed *m, const grid *t, size_t g)
{
  const candor_binary *b = &m->base;
  for (size_t k = 0; k < t->nodes; k++) t->log_product[k] = 0, t->posterior[k] = 1;
  for (size_t row = (size_t) m->first[g]; row < (size_t) m->first[g + 1]; row++) {
    for (size_t k = 0; k < t->nodes; k++) {
      candor_curve c;
      curve_at(b, t, k, row, &c);
      t->posterior[k] *= report_share(b, row, &c);
      if (t->posterior[k] < 1e-250 && t->posterior[k] > 0) {
        t->log_product[k] += log(t->posterior[k]);
        t->posterior[k] = 1;
      }
    }
  }
  double top = -INFINITY, sum = 0;
  for (size_t k = 0; k < t->nodes; k++)
    if (t->posterior[k] > 0) top = fmax(top, t->log_product[k]);
  if (!(top > -INFINITY)) return -INFINITY;
  for (size_t k = 0; k < t->nodes; k++) sum += t->posterior[k] *= t->weight[k] * exp(t->log_product[k] - top);
  if (!(sum > 0)) return -INFINITY;
  for (size_t k = 0; k < t->nodes; k++) t->posterior[k] /= sum;
  return top + log(sum);
}

/* Adds w (c0 x x', c1 x, c2) to the lower triangle of places x places. */
static void add_row(const candor_binary *b, size_t row, size_t places, const double sums[3], double w, double *matrix)
{
  for (size_t k = 0; k < b->columns; k++) {
    const double left = w * b->x[k * b->rows + row];
    for (size_t l = 0; l <= k; l++) matrix[k * places + l] += left * sums[0] * b->x[l * b->rows + row];
    if (places > b->columns) matrix[b->columns * places + k] += left * sums[1];
  }
  if (places > b->columns) matrix[b->columns * places + b->columns] += w * sums[2];
}

static void add_outer(const double *v, size_t n, double w, double *matrix)
{
  for (size_t k = 0; k < n; k++)
    for (size_t l = 0; l <= k; l++) matrix[k * n + l] += w * v[k] * v[l];
}

/* The curvature of the rows, given u, averaged over its posterior. */
static void add_rows(const candor_mixed *m, const grid *t, size_t g, size_t places, double w, double *observed,
                     double *fallback)
{
  const candor_binary *b = &m->base;
  for (size_t row = (size_t) m->first[g]; row < (size_t) m->first[g + 1]; row++) {
    double seen[3] = {0, 0, 0}, mean[3] = {0, 0, 0};
    for (size_t k = 0; k < t->nodes; k++) {
      if (t->posterior[k] < negligible) continue;
      candor_curve c;
      curve_at(b, t, k, row, &c);
      const cell v = cell_at(b, row, &c);
      double power = t->posterior[k];
      for (int i = 0; i < 3; i++, power *= t->u[k]) {
        seen[i] += power * v.observed;
        mean[i] += power * v.expected;
      }
    }
    if (observed) add_row(b, row, places, seen, w, observed);
    if (fallback) add_row(b, row, places, mean, w, fallback);
  }
}

/* The score of a group, and what its spread over the posterior takes off the curvature. */
static void add_scores(const candor_mixed *m, const grid *t, size_t g, size_t places, double w, double *score,
                       double *observed)
{
  const candor_binary *b = &m->base;
  double *node = score + places;
  memset(score, 0, places * sizeof *score);
  for (size_t k = 0; k < t->nodes; k++) {
    if (t->posterior[k] < negligible) continue;
    memset(node, 0, places * sizeof *node);
    double sum = 0;
    for (size_t row = (size_t) m->first[g]; row < (size_t) m->first[g + 1]; row++) {
      candor_curve c;
      curve_at(b, t, k, row, &c);
      const double s = cell_at(b, row, &c).score;
      for (size_t l = 0; l < b->columns; l++) node[l] += s * b->x[l * b->rows + row];
      sum += s;
    }
    if (places > b->columns) node[b->columns] = t->u[k] * sum;
    for (size_t l = 0; l < places; l++) score[l] += t->posterior[k] * node[l];
    if (observed) add_outer(node, places, -w * t->posterior[k], observed);
  }
  if (observed) add_outer(score, places, w, observed);
}

static void tell(const grid *t, size_t g, double loglik, const candor_mixed_groups *told)
{
  double mean = 0, square = 0;
  for (size_t k = 0; k < t->nodes; k++) {
    mean += t->posterior[k] * t->u[k];
    square += t->posterior[k] * t->u[k] * t->u[k];
  }
  if (told->loglik) told->loglik[g] = loglik;
  if (told->mean) told->mean[g] = mean;
  if (told->deviation) told->deviation[g] = sqrt(fmax(square - mean * mean, 0));
  if (told->edge) told->edge[g] = fmax(t->posterior[0], t->posterior[t->nodes - 1]);
}

double candor_mixed_value(const candor_mixed *m, const double *at, double *gradient, double *observed, double *fallback,
                          const candor_mixed_groups *told)
{
  const size_t places = m->base.columns + !m->fixed;
  const double sigma = m->fixed ? m->sigma : at[m->base.columns];
  if (!(fabs(sigma) <= steepest)) return -INFINITY;
  const grid t = grid_of(m, at, sigma);
  double *score = m->work + 5 * (size_t) NODES, value = 0;
  if (gradient) memset(gradient, 0, places * sizeof *gradient);
  if (observed) memset(observed, 0, places * places * sizeof *observed);
  if (fallback) memset(fallback, 0, places * places * sizeof *fallback);
  for (size_t g = 0; g < m->groups; g++) {
    const double w = m->weight ? m->weight[g] : 1, loglik = integrate(m, &t, g);
    if (!(loglik > -INFINITY)) return -INFINITY;
    value += w * loglik;
    if (told) tell(&t, g, loglik, told);
    if (gradient || observed || (told && told->scores)) {
      add_scores(m, &t, g, places, w, score, observed);
      for (size_t k = 0; gradient && k < places; k++) gradient[k] += w * score[k];
      for (size_t k = 0; told && told->scores && k < places; k++) told->scores[k * m->groups + g] = score[k];
    }
    if (observed || fallback) add_rows(m, &t, g, places, w, observed, fallback);
  }
  return value;
}

static double value_of(const void *self, const double *at, double *gradient, double *observed, double *fallback)
{
  return candor_mixed_value((const candor_mixed *) self, at, gradient, observed, fallback, NULL);
}

/* A step of sigma counts three times: none is longer than 1. */
static double reach_of(const void *self, const double *step)
{
  const candor_mixed *m = (const candor_mixed *) self;
  candor_binary bare = m->base;
  bare.offset = NULL;
  double top = m->fixed ? 0 : 3 * fabs(step[bare.columns]);
  for (size_t i = 0; i < bare.rows; i++) top = fmax(top, fabs(predictor(&bare, step, i)));
  return top;
}

static double room_of(const void *self, const double *at, const double *step)
{
  const candor_mixed *m = (const candor_mixed *) self;
  const size_t k = m->base.columns;
  if (m->fixed || step[k] == 0) return INFINITY;
  return (steepest - (step[k] > 0 ? at[k] : -at[k])) / fabs(step[k]);
}

candor_objective candor_mixed_objective(const candor_mixed *m)
{
  return (candor_objective){{0, m->base.columns + !m->fixed}, m, NULL, NULL, value_of, reach_of, room_of};
}
