#include "regress/mixture.h"

#include <math.h>
#include <string.h>

/* The numbers of one row, and the sums of each cell: lower triangles of `side` rows. */
typedef struct pass {
  const candor_mixture *m;
  size_t width, side, outcomes; /* predictors of a cell; their columns; where predictors of outcomes begin */
  double sigma, log_sigma;
  double *slope, *z, *eta, *share, *moved, *joint, *residual, *variance, *score, *row, *product, *complete, *squares;
} pass;

static int is_gaussian(const candor_mixture *m)
{
  return m->family == CANDOR_GAUSSIAN;
}

size_t candor_mixture_width(const candor_mixture *m)
{
  size_t width = 1;
  for (size_t t = 0; t < m->truths; t++) width += (size_t) m->levels[t] - 1;
  return width;
}

static size_t side_of(const candor_mixture *m)
{
  return candor_mixture_width(m) * m->columns + (size_t) is_gaussian(m);
}

size_t candor_mixture_work(const candor_mixture *m)
{
  const size_t side = side_of(m);
  return (m->predictors + 1) * m->columns + 3 * m->predictors + 1 + 3 * m->cells + side + m->size + side * m->size +
         2 * m->cells * side * side;
}

static pass pass_of(const candor_mixture *m, double *work)
{
  pass p = {0};
  p.m = m;
  p.width = candor_mixture_width(m);
  p.side = side_of(m);
  p.sigma = 1;
  for (size_t t = 0; t < m->truths; t++) p.outcomes += (size_t) m->levels[t] * (size_t) m->designs[t];
  const size_t sums = m->cells * p.side * p.side;
  double **arrays[] = {&p.slope,    &p.z,     &p.eta, &p.share,   &p.moved,    &p.joint,  &p.residual,
                       &p.variance, &p.score, &p.row, &p.product, &p.complete, &p.squares};
  const size_t lengths[] = {m->predictors * m->columns,
                            m->columns,
                            m->predictors,
                            m->predictors,
                            m->predictors + 1,
                            m->cells,
                            m->cells,
                            m->cells,
                            p.side,
                            m->size,
                            p.side * m->size,
                            sums,
                            sums};
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    *arrays[k] = work;
    work += lengths[k];
  }
  return p;
}

static int has_predictors(const candor_mixture *m, const pass *p)
{
  const int all = (int) m->predictors;
  if (m->columns < 1 || m->cells < 1 || m->size < 1 || p->outcomes >= m->predictors) return 0;
  for (size_t k = 0; k < m->truths * m->cells; k++)
    if (m->level[k] < 0 || m->level[k] >= all) return 0;
  for (size_t k = 0; k < p->width * m->cells; k++)
    if (m->predictor[k] < 0 || m->predictor[k] >= all) return 0;
  return 1;
}

/* The coordinates of which each predictor is a function, from .. to - 1. */
static void find_spans(const candor_mixture *m, size_t *span)
{
  for (size_t q = 0; q < m->predictors; q++) {
    size_t from = m->size, to = 0;
    for (size_t k = 0; k < m->columns; k++) {
      const double *map = m->map + (q * m->columns + k) * m->size;
      for (size_t s = 0; s < m->size; s++) {
        if (map[s] == 0) continue;
        if (s < from) from = s;
        if (s >= to) to = s + 1;
      }
    }
    span[2 * q] = from;
    span[2 * q + 1] = to;
  }
}

static void find_slopes(pass *p, const double *b)
{
  const candor_mixture *m = p->m;
  for (size_t k = 0; k < m->predictors * m->columns; k++) {
    double sum = 0;
    for (size_t s = 0; s < m->size; s++) sum += m->map[k * m->size + s] * b[s];
    p->slope[k] = sum;
  }
  if (!is_gaussian(m)) return;
  p->log_sigma = b[m->size - 1];
  p->sigma = exp(p->log_sigma);
}

/* Predictors of truths become logarithms of their shares. */
static void row_predictors(pass *p, size_t i)
{
  const candor_mixture *m = p->m;
  for (size_t k = 0; k < m->columns; k++) p->z[k] = m->z[k * m->rows + i];
  for (size_t q = 0; q < m->predictors; q++) {
    double sum = 0;
    for (size_t k = 0; k < m->columns; k++) sum += p->z[k] * p->slope[q * m->columns + k];
    p->eta[q] = sum;
  }
  double *eta = p->eta, *share = p->share;
  for (size_t t = 0; t < m->truths; t++) {
    const size_t levels = (size_t) m->levels[t];
    for (int d = 0; d < m->designs[t]; d++, eta += levels, share += levels) {
      double top = eta[0];
      for (size_t j = 1; j < levels; j++) top = fmax(top, eta[j]);
      double sum = share[0] = exp(eta[0] - top);
      for (size_t j = 1; j < levels; j++) sum += share[j] = exp(eta[j] - top);
      const double shift = top + log(sum);
      for (size_t j = 0; j < levels; j++) {
        eta[j] -= shift;
        share[j] /= sum;
      }
    }
  }
}

/* The log-density of the outcome y without what does not depend on eta; its residual and variance in units of sigma. */
static double outcome_at(const pass *p, double y, double eta, double *residual, double *variance)
{
  if (p->m->family == CANDOR_BINOMIAL) {
    const double z = exp(-fabs(eta)), large = 1 / (1 + z), yes = eta < 0 ? z * large : large;
    const double no = eta < 0 ? large : z * large;
    *residual = y > 0.5 ? no : -yes;
    *variance = yes * no;
    return fmin(0, y > 0.5 ? eta : -eta) - log1p(z);
  }
  if (p->m->family == CANDOR_POISSON) {
    const double mean = exp(eta), far = y > 0 ? eta - log(y) : 0;
    *residual = y - mean;
    *variance = mean;
    return y > 0 ? y * (far - expm1(far)) : -mean;
  }
  *residual = (y - eta) / p->sigma;
  *variance = 1 / (p->sigma * p->sigma);
  return -0.5 * *residual * *residual - p->log_sigma;
}

/* The log-likelihood of row i; `joint` becomes the posterior of the cells. */
static double row_value(pass *p, size_t i)
{
  const candor_mixture *m = p->m;
  double top = -INFINITY, sum = 0;
  row_predictors(p, i);
  for (size_t c = 0; c < m->cells; c++) {
    const double y = m->outcome ? m->outcome[i] : m->cell_outcome[c];
    const double eta = p->eta[m->predictor[c * p->width + p->width - 1]];
    double value = m->reports[c * m->rows + i] + outcome_at(p, y, eta, p->residual + c, p->variance + c);
    for (size_t t = 0; t < m->truths; t++) value += p->eta[m->level[c * m->truths + t]];
    p->joint[c] = value;
    if (value > top) top = value;
  }
  if (!isfinite(top)) return -INFINITY;
  for (size_t c = 0; c < m->cells; c++) sum += p->joint[c] = exp(p->joint[c] - top);
  for (size_t c = 0; c < m->cells; c++) p->joint[c] /= sum;
  return top + log(sum);
}

/* Adds h z z' to the block of predictors a >= b. */
static void add_block(const pass *p, double *sums, size_t a, size_t b, double h)
{
  const size_t n = p->m->columns;
  for (size_t k = 0; k < n; k++) {
    double *row = sums + (a * n + k) * p->side + b * n;
    const double hz = h * p->z[k];
    for (size_t l = 0; l < (a == b ? k + 1 : n); l++) row[l] += hz * p->z[l];
  }
}

/* The information of known truths. */
static void add_complete(pass *p, size_t c, double w)
{
  const candor_mixture *m = p->m;
  const int *predictor = m->predictor + c * p->width;
  double *sums = p->complete + c * p->side * p->side;
  size_t first = 0;
  for (size_t t = 0; t < m->truths; first += (size_t) m->levels[t++] - 1) {
    for (size_t a = first; a < first + (size_t) m->levels[t] - 1; a++) {
      const double share = p->share[predictor[a]];
      for (size_t b = first; b <= a; b++)
        add_block(p, sums, a, b, w * share * ((a == b ? 1 : 0) - p->share[predictor[b]]));
    }
  }
  add_block(p, sums, p->width - 1, p->width - 1, w * p->variance[c]);
  if (!is_gaussian(m)) return;
  double *last = sums + (p->side - 1) * p->side;
  const double r = p->residual[c];
  for (size_t k = 0; k < m->columns; k++) last[(p->width - 1) * m->columns + k] += 2 * w * r / p->sigma * p->z[k];
  last[p->side - 1] += 2 * w * r * r;
}

/* The score of a cell and its square. */
static void add_cell(pass *p, size_t c, double w)
{
  const candor_mixture *m = p->m;
  const int *predictor = m->predictor + c * p->width;
  const double r = p->joint[c];
  double *s = p->score, *sums = p->squares + c * p->side * p->side;
  for (size_t l = 0; l < p->width; l++) {
    double slope = l + 1 < p->width ? -p->share[predictor[l]] : p->residual[c] / p->sigma;
    for (size_t t = 0; t < m->truths; t++)
      if (m->level[c * m->truths + t] == predictor[l]) slope += 1;
    p->moved[predictor[l]] += r * slope;
    for (size_t k = 0; k < m->columns; k++) *s++ = slope * p->z[k];
  }
  if (is_gaussian(m)) {
    *s = p->residual[c] * p->residual[c] - 1;
    p->moved[m->predictors] += r * *s;
  }
  for (size_t a = 0; a < p->side; a++) {
    const double ws = w * r * p->score[a];
    double *row = sums + a * p->side;
    for (size_t b = 0; b <= a; b++) row[b] += ws * p->score[b];
  }
  add_complete(p, c, w * r);
}

/* The score of a row in the coordinates, and its square. */
static void add_row(pass *p, size_t i, const size_t *span, candor_mixture_sums *sums)
{
  const candor_mixture *m = p->m;
  const double w = m->weight[i];
  memset(p->moved, 0, (m->predictors + 1) * sizeof *p->moved);
  memset(p->row, 0, m->size * sizeof *p->row);
  for (size_t c = 0; c < m->cells; c++) {
    sums->posterior[c * m->rows + i] = p->joint[c];
    if (p->joint[c] > 0) add_cell(p, c, w);
  }
  for (size_t q = 0; q < m->predictors; q++) {
    for (size_t k = 0; k < m->columns; k++) {
      const double *map = m->map + (q * m->columns + k) * m->size, move = p->moved[q] * p->z[k];
      for (size_t s = span[2 * q]; s < span[2 * q + 1]; s++) p->row[s] += move * map[s];
    }
  }
  if (is_gaussian(m)) p->row[m->size - 1] += p->moved[m->predictors];
  for (size_t s = 0; s < m->size; s++) {
    const double ws = w * p->row[s];
    sums->score[s * m->rows + i] = p->row[s];
    sums->gradient[s] += ws;
    for (size_t r = 0; r <= s; r++) sums->observed[s * m->size + r] += ws * p->row[r];
  }
}

/* The column of the map of number a of a cell. */
static const double *map_of(const pass *p, size_t c, size_t a)
{
  const candor_mixture *m = p->m;
  const size_t l = a / m->columns;
  const size_t q = l < p->width ? (size_t) m->predictor[c * p->width + l] : m->predictors;
  return m->map + (q * m->columns + a % m->columns) * m->size;
}

/* Adds the sums of a cell to a lower triangle in the coordinates. */
static void add_mapped(pass *p, size_t c, const double *sums, double *total)
{
  const size_t n = p->m->size, side = p->side;
  memset(p->product, 0, side * n * sizeof *p->product);
  for (size_t a = 0; a < side; a++) {
    for (size_t b = 0; b < side; b++) {
      const double *map = map_of(p, c, b), sum = b <= a ? sums[a * side + b] : sums[b * side + a];
      for (size_t s = 0; s < n && sum != 0; s++) p->product[a * n + s] += sum * map[s];
    }
  }
  for (size_t a = 0; a < side; a++) {
    const double *map = map_of(p, c, a);
    for (size_t s = 0; s < n; s++)
      for (size_t r = 0; r <= s && map[s] != 0; r++) total[s * n + r] += map[s] * p->product[a * n + r];
  }
}

static void map_cells(pass *p, candor_mixture_sums *sums)
{
  const candor_mixture *m = p->m;
  const size_t square = p->side * p->side, n = m->size;
  for (size_t c = 0; c < m->cells; c++) {
    double *complete = p->complete + c * square, *squares = p->squares + c * square;
    for (size_t k = 0; k < square; k++) squares[k] = complete[k] - squares[k];
    add_mapped(p, c, squares, sums->observed);
    if (is_gaussian(m)) memset(complete + (p->side - 1) * p->side, 0, (p->side - 1) * sizeof *complete);
    add_mapped(p, c, complete, sums->fallback);
  }
  for (size_t s = 0; s < n; s++) {
    for (size_t r = 0; r < s; r++) {
      sums->observed[r * n + s] = sums->observed[s * n + r];
      sums->fallback[r * n + s] = sums->fallback[s * n + r];
    }
  }
}

candor_status candor_mixture_add(const candor_mixture *m, const double *b, double *work, size_t *span,
                                 candor_mixture_sums *sums)
{
  pass p = pass_of(m, work);
  if (!has_predictors(m, &p)) return CANDOR_DOMAIN;
  sums->value = -INFINITY;
  for (size_t s = 0; s < m->size; s++)
    if (!isfinite(b[s])) return CANDOR_OK;
  if (is_gaussian(m) && fabs(b[m->size - 1]) > 30) return CANDOR_OK;
  find_slopes(&p, b);
  if (sums->gradient) {
    find_spans(m, span);
    memset(p.complete, 0, 2 * m->cells * p.side * p.side * sizeof *p.complete);
    memset(sums->gradient, 0, m->size * sizeof *sums->gradient);
    memset(sums->observed, 0, m->size * m->size * sizeof *sums->observed);
    memset(sums->fallback, 0, m->size * m->size * sizeof *sums->fallback);
  }
  double total = 0, rest = 0; /* compensated */
  for (size_t i = 0; i < m->rows; i++) {
    const double value = row_value(&p, i);
    if (!isfinite(value)) return CANDOR_OK;
    const double term = m->weight[i] * value, next = total + term, back = next - total;
    rest += (total - (next - back)) + (term - back);
    total = next;
    if (sums->gradient) add_row(&p, i, span, sums);
  }
  if (!isfinite(total + rest)) return CANDOR_OK;
  sums->value = total + rest;
  if (sums->gradient) map_cells(&p, sums);
  return CANDOR_OK;
}
