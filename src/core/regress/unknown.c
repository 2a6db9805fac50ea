#include "regress/unknown.h"

#include <math.h>

candor_status candor_unknown_check(const candor_unknown *m)
{
  for (size_t g = 0; g < m->base.devices; g++) {
    const candor_family_of_devices *f = m->family + g;
    for (int end = 0; end < 2; end++) {
      const double p = f->p0 + f->p1 * end, q = f->q0 + f->q1 * end, all = f->all0 + f->all1 * end;
      if (!(p >= -1e-12 && q >= -1e-12 && all - p >= -1e-12 && all - q >= -1e-12 && all <= 1 + 1e-12))
        return CANDOR_DOMAIN;
    }
  }
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

candor_device candor_unknown_device(const candor_family_of_devices *f, double psi)
{
  candor_device v;
  v.p = fmin(1, fmax(0, f->p0 + f->p1 * psi));
  v.q = fmin(1, fmax(0, f->q0 + f->q1 * psi));
  v.p_no = fmin(1, fmax(0, (f->all0 - f->p0) + (f->all1 - f->p1) * psi));
  v.q_no = fmin(1, fmax(0, (f->all0 - f->q0) + (f->all1 - f->q1) * psi));
  v.d = (f->p0 - f->q0) + (f->p1 - f->q1) * psi;
  return v;
}

static double predictor(const candor_binary *m, const double *b, size_t row)
{
  double eta = m->offset ? m->offset[row] : 0;
  for (size_t k = 0; k < m->columns; k++) eta += b[k] * m->x[k * m->rows + row];
  return eta;
}

/* Adds weight * x x' of one row, and cross * x and corner for psi, to a lower triangle. */
static void add_square(const candor_binary *m, size_t row, double weight, double cross, double corner, double *square)
{
  const size_t k = m->columns, n = k + 1;
  if (!square) return;
  for (size_t a = 0; a < k; a++) {
    const double x = m->x[a * m->rows + row];
    for (size_t b = 0; b <= a; b++) square[a * n + b] += weight * x * m->x[b * m->rows + row];
    square[k * n + a] += cross * x;
  }
  square[k * n + k] += corner;
}

static double value_at(const candor_unknown *model, const double *at, double psi, double *gradient, double *observed,
                       double *expected)
{
  const candor_binary *m = &model->base;
  const size_t k = m->columns, n = k + 1;
  double value = 0;
  for (size_t i = 0; gradient && i < n; i++) gradient[i] = 0;
  for (size_t i = 0; observed && i < n * n; i++) observed[i] = 0;
  for (size_t i = 0; expected && i < n * n; i++) expected[i] = 0;
  if (!(psi >= 0 && psi <= 1)) return -INFINITY;
  for (size_t i = 0; i < m->rows; i++) {
    const double w = m->weight ? m->weight[i] : 1, y = m->y[i];
    if (!(w > 0)) continue;
    const candor_family_of_devices *f = model->family + (m->arm ? m->arm[i] : 0);
    const candor_device v = candor_unknown_device(f, psi);
    candor_term t;
    candor_binary_term(m->link, &v, predictor(m, at, i), y, &t);
    if (!(t.loglik > -INFINITY)) return -INFINITY;
    value += w * t.loglik;
    const double yes = y > 0 ? y / t.report : 0, no = y < 1 ? (1 - y) / t.report_no : 0;
    const double yes2 = y > 0 ? yes / t.report : 0, no2 = y < 1 ? no / t.report_no : 0;
    const double lift = v.d * t.curve.slope, spread = t.report * t.report_no, part = spread > 0 ? w / spread : 0;
    /* How the probabilities of a yes and of a no change with psi. */
    const double tilt = t.curve.yes * f->p1 + t.curve.no * f->q1, tilt_no = f->all1 - tilt;
    /* The same of a yes given the other answer, and that answer's own part. */
    const double all = t.report + t.report_no, own = f->all1 / all, inner = tilt - t.report * own;
    if (gradient) {
      for (size_t a = 0; a < k; a++) gradient[a] += w * t.score * m->x[a * m->rows + i];
      gradient[k] += w * (yes * tilt + no * tilt_no);
    }
    add_square(m, i, w * t.observed,
               w * (lift * (yes2 * tilt - no2 * tilt_no) - (yes - no) * t.curve.slope * (f->p1 - f->q1)),
               w * (yes2 * tilt * tilt + no2 * tilt_no * tilt_no), observed);
    add_square(m, i, part * lift * lift, part * lift * inner, part * inner * inner + w * own * own, expected);
  }
  return value;
}

double candor_unknown_value(const candor_unknown *model, const double *at, double *gradient, double *observed,
                            double *expected)
{
  return value_at(model, at, at[model->base.columns], gradient, observed, expected);
}

/* The climb moves the logit of psi, so that an end of its range is an infinity like the others. */
static double value_of(const void *self, const double *at, double *gradient, double *observed, double *fallback)
{
  const candor_unknown *m = (const candor_unknown *) self;
  const size_t k = m->base.columns, n = k + 1;
  const double psi = 1 / (1 + exp(-at[k])), slope = psi / (1 + exp(at[k]));
  const double value = value_at(m, at, psi, gradient, observed, fallback);
  for (size_t i = 0; i < n; i++) {
    if (observed) observed[k * n + i] *= i < k ? slope : slope * slope;
    if (fallback) fallback[k * n + i] *= i < k ? slope : slope * slope;
  }
  if (gradient) {
    gradient[k] *= slope;
    if (observed) observed[k * n + k] -= gradient[k] * (1 - 2 * psi);
  }
  return value;
}

static double reach_of(const void *self, const double *step)
{
  const candor_binary *m = &((const candor_unknown *) self)->base;
  candor_binary bare = *m;
  double top = fabs(step[m->columns]);
  bare.offset = NULL;
  for (size_t i = 0; i < m->rows; i++) top = fmax(top, fabs(predictor(&bare, step, i)));
  return top;
}

void candor_unknown_metric(const candor_unknown *m, double *metric)
{
  const size_t n = m->base.columns + 1;
  for (size_t i = 0; i < n * n; i++) metric[i] = 0;
  for (size_t i = 0; i < m->base.rows; i++) {
    const double w = m->base.weight ? m->base.weight[i] : 1;
    add_square(&m->base, i, w, 0, w, metric);
  }
}

candor_objective candor_unknown_objective(const candor_unknown *m)
{
  return (candor_objective){{0, m->base.columns + 1}, m, NULL, NULL, value_of, reach_of, NULL};
}
