#include "regress/unknown.h"

#include <math.h>

static size_t shares(const candor_unknown *m)
{
  return m->v ? m->shares : 1;
}

candor_status candor_unknown_check(const candor_unknown *m)
{
  for (size_t g = 0; g < m->base.devices; g++) {
    const candor_family_of_devices *f = m->family + g;
    for (int end = 0; end < 2; end++) {
      const double p = f->p0 + f->p1 * end, q = f->q0 + f->q1 * end, all = f->all0 + f->all1 * end;
      const double most = m->separate ? 1 : all;
      if (!(p >= -1e-12 && q >= -1e-12 && most - p >= -1e-12 && most - q >= -1e-12)) return CANDOR_DOMAIN;
      if (!(all >= -1e-12 && all <= 1 + 1e-12)) return CANDOR_DOMAIN;
    }
  }
  for (size_t i = 0; m->v && i < m->base.rows * m->shares; i++)
    if (!isfinite(m->v[i])) return CANDOR_NOT_FINITE;
  const candor_device any = {1, 0, 0, 1, 1};
  candor_binary base = m->base;
  if (base.levels) return CANDOR_DOMAIN;
  base.device = &any;
  base.devices = 1;
  base.arm = NULL;
  for (size_t i = 0; m->base.arm && i < m->base.rows; i++)
    if (m->base.arm[i] < 0 || (size_t) m->base.arm[i] >= m->base.devices) return CANDOR_DOMAIN;
  return candor_binary_check(&base);
}

/* The line from `start` at psi = 0 that rises by `rise` up to psi = 1. */
static double line(double start, double rise, candor_psi at)
{
  return start * at.rest + (start + rise) * at.psi;
}

static double probability(double start, double rise, candor_psi at)
{
  return fmin(1, fmax(0, line(start, rise, at)));
}

candor_device candor_unknown_device(const candor_family_of_devices *f, candor_psi at)
{
  candor_device v;
  v.p = probability(f->p0, f->p1, at);
  v.q = probability(f->q0, f->q1, at);
  v.p_no = probability(f->all0 - f->p0, f->all1 - f->p1, at);
  v.q_no = probability(f->all0 - f->q0, f->all1 - f->q1, at);
  v.d = line(f->p0 - f->q0, f->p1 - f->q1, at);
  return v;
}

candor_psi candor_psi_at(double logit)
{
  return (candor_psi){1 / (1 + exp(-logit)), 1 / (1 + exp(logit))};
}

void candor_unknown_row(candor_link link, const candor_family_of_devices *family, int separate, double eta,
                        candor_psi at, double y, candor_unknown_term *u)
{
  candor_family_of_devices f = *family;
  if (separate) {
    f.all0 = 1;
    f.all1 = 0;
  }
  const candor_device v = candor_unknown_device(&f, at);
  candor_term *t = &u->answer;
  candor_binary_term(link, &v, eta, y, t);
  const double yes = y > 0 ? y / t->report : 0, no = y < 1 ? (1 - y) / t->report_no : 0;
  const double yes2 = y > 0 ? yes / t->report : 0, no2 = y < 1 ? no / t->report_no : 0;
  const double lift = v.d * t->curve.slope, product = t->report * t->report_no;
  const double part = product > 0 ? 1 / product : 0;
  /* How the probabilities of a yes and of a no change with psi. */
  const double tilt = t->curve.yes * f.p1 + t->curve.no * f.q1, tilt_no = f.all1 - tilt;
  /* The same of the other answer, in units of its probability, and of a yes given that answer. */
  const double other = f.all1 / (t->report + t->report_no), inner = tilt - t->report * other;
  u->score = yes * tilt + no * tilt_no;
  u->observed = yes2 * tilt * tilt + no2 * tilt_no * tilt_no;
  u->observed_cross = lift * (yes2 * tilt - no2 * tilt_no) - (yes - no) * t->curve.slope * (f.p1 - f.q1);
  u->expected = part * inner * inner + other * other;
  u->expected_cross = part * lift * inner;
  if (!separate) return;
  const double all = probability(family->all0, family->all1, at), beside = family->all1 / all;
  t->loglik += log(all);
  u->score += beside;
  u->observed += beside * beside;
  u->expected += beside * beside;
}

static double predictor(const candor_binary *m, const double *b, size_t row)
{
  double eta = m->offset ? m->offset[row] : 0;
  for (size_t k = 0; k < m->columns; k++) eta += b[k] * m->x[k * m->rows + row];
  return eta;
}

static double share_predictor(const candor_unknown *m, const double *b, size_t row)
{
  if (!m->v) return *b;
  double zeta = 0;
  for (size_t k = 0; k < m->shares; k++) zeta += b[k] * m->v[k * m->base.rows + row];
  return zeta;
}

static double column(const candor_unknown *m, size_t row, size_t k)
{
  const candor_binary *base = &m->base;
  if (k < base->columns) return base->x[k * base->rows + row];
  return m->v ? m->v[(k - base->columns) * base->rows + row] : 1;
}

/* Adds to a lower triangle the products of the columns of one row: `weight` times those of x, `cross` times those of x
 * and v, `corner` times those of v. */
static void add_square(const candor_unknown *m, size_t row, double weight, double cross, double corner, double *square)
{
  const size_t k = m->base.columns, n = k + shares(m);
  for (size_t a = 0; square && a < n; a++) {
    const double x = column(m, row, a);
    for (size_t b = 0; b <= a; b++)
      square[a * n + b] += (a < k ? weight : b < k ? cross : corner) * x * column(m, row, b);
  }
}

static double value_at(const candor_unknown *model, const double *at, int natural, double *gradient, double *observed,
                       double *expected)
{
  const candor_binary *m = &model->base;
  const size_t k = m->columns, n = k + shares(model);
  double value = 0;
  for (size_t i = 0; gradient && i < n; i++) gradient[i] = 0;
  for (size_t i = 0; observed && i < n * n; i++) observed[i] = 0;
  for (size_t i = 0; expected && i < n * n; i++) expected[i] = 0;
  for (size_t i = 0; i < m->rows; i++) {
    const double w = m->weight ? m->weight[i] : 1, zeta = share_predictor(model, at + k, i);
    if (!(w > 0)) continue;
    const candor_psi psi = natural ? (candor_psi){zeta, 1 - zeta} : candor_psi_at(zeta);
    if (!(psi.psi >= 0 && psi.rest >= 0)) return -INFINITY;
    candor_unknown_term u;
    candor_unknown_row(m->link, model->family + (m->arm ? m->arm[i] : 0), model->separate, predictor(m, at, i), psi,
                       m->y[i], &u);
    const candor_term *t = &u.answer;
    if (!(t->loglik > -INFINITY)) return -INFINITY;
    value += w * t->loglik;
    const double slope = natural ? 1 : psi.psi * psi.rest, bend = natural ? 0 : slope * (psi.rest - psi.psi);
    for (size_t a = 0; gradient && a < n; a++)
      gradient[a] += w * (a < k ? t->score : u.score * slope) * column(model, i, a);
    add_square(model, i, w * t->observed, w * u.observed_cross * slope,
               w * (u.observed * slope * slope - u.score * bend), observed);
    const double by_zeta = u.score * slope;
    if (model->v)
      add_square(model, i, w * t->score * t->score, w * t->score * by_zeta, w * by_zeta * by_zeta, expected);
    else add_square(model, i, w * t->expected, w * u.expected_cross * slope, w * u.expected * slope * slope, expected);
  }
  return value;
}

double candor_unknown_value(const candor_unknown *model, const double *at, double *gradient, double *observed,
                            double *expected)
{
  return value_at(model, at, 1, gradient, observed, expected);
}

/* The climb moves the logit of psi, so that an end of its range is an infinity like the others. */
static double value_of(const void *self, const double *at, double *gradient, double *observed, double *fallback)
{
  return value_at(self, at, 0, gradient, observed, fallback);
}

static double reach_of(const void *self, const double *step)
{
  const candor_unknown *m = self;
  candor_binary bare = m->base;
  double top = 0;
  bare.offset = NULL;
  for (size_t i = 0; i < bare.rows; i++)
    top = fmax(top, fmax(fabs(predictor(&bare, step, i)), fabs(share_predictor(m, step + bare.columns, i))));
  return top;
}

void candor_unknown_metric(const candor_unknown *m, double *metric)
{
  const size_t n = m->base.columns + shares(m);
  for (size_t i = 0; i < n * n; i++) metric[i] = 0;
  for (size_t i = 0; i < m->base.rows; i++) {
    const double w = m->base.weight ? m->base.weight[i] : 1;
    add_square(m, i, w, 0, w, metric);
  }
}

candor_objective candor_unknown_objective(const candor_unknown *m)
{
  return (candor_objective){{0, m->base.columns + shares(m)}, m, NULL, NULL, value_of, reach_of, NULL};
}
