#include "glue.h"

#include <math.h>
#include <string.h>

#include <R_ext/Utils.h>

#include "api.h"
#include "regress/distinct.h"
#include "regress/mixed.h"
#include "regress/unknown.h"

/* A model is a list, read by its names: x, y, weight | NULL, offset | NULL, arm | NULL (0-based), device (5 numbers
 * each: p, q, 1 - p, 1 - q, p - q), link, barrier, unknown | NULL (6 numbers a device, in place of these),
 * shares | NULL (columns of the unknown number's logit), separate, level | NULL (0-based, -1: none), levels,
 * prior | NULL (a matrix of all coefficients, an arrow where there are levels). Or it is a likelihood
 * that is written in R: list(evaluate(b, need) -> list(value, gradient, observed, fallback), reach(step), metric: a
 * full matrix). What is needed: 0 the value alone, 1 gradient and observed too, 2 all. */
typedef struct held {
  candor_unknown model;
  int unknown;
  SEXP evaluate, reach, metric; /* evaluate is NULL for a model of this file */
  R_xlen_t size;
  candor_objective objective;
} held;

static SEXP vector_of(const double *x, R_xlen_t n)
{
  SEXP vector = Rf_allocVector(REALSXP, n);
  if (n) memcpy(REAL(vector), x, (size_t) n * sizeof *x);
  return vector;
}

/* An error in R leaves by a long jump: nothing between here and the entry point holds memory of its own. */
static double called_value(const void *self, const double *b, double *gradient, double *observed, double *fallback)
{
  const held *h = self;
  const R_xlen_t n = h->size, sizes[] = {n, n * n, n * n};
  const char *names[] = {"gradient", "observed", "fallback"};
  double *parts[] = {gradient, observed, fallback};
  SEXP at = PROTECT(vector_of(b, h->size)), need = PROTECT(Rf_ScalarInteger(fallback ? 2 : gradient || observed));
  SEXP call = PROTECT(Rf_lang3(h->evaluate, at, need)), found = PROTECT(Rf_eval(call, R_BaseEnv));
  const double value = glue_number(glue_element(found, "value"), "value");
  for (int k = 0; k < 3 && isfinite(value); k++)
    if (parts[k])
      memcpy(parts[k], glue_reals(glue_element(found, names[k]), names[k], sizes[k]),
             (size_t) sizes[k] * sizeof(double));
  UNPROTECT(4);
  return isfinite(value) ? value : -INFINITY;
}

static double called_reach(const void *self, const double *step)
{
  const held *h = self;
  SEXP at = PROTECT(vector_of(step, h->size)), call = PROTECT(Rf_lang2(h->reach, at));
  SEXP found = PROTECT(Rf_eval(call, R_BaseEnv));
  const double reach = glue_number(found, "reach");
  UNPROTECT(3);
  return reach;
}

static const double *part(SEXP list, const char *name, R_xlen_t length)
{
  SEXP x = glue_element(list, name);
  return x == R_NilValue ? NULL : glue_reals(x, name, length);
}

static held likelihood_of(SEXP list)
{
  held h = {0};
  h.evaluate = glue_element(list, "evaluate");
  h.reach = glue_element(list, "reach");
  h.metric = glue_element(list, "metric");
  if (!Rf_isFunction(h.evaluate) || !Rf_isFunction(h.reach) || !Rf_isMatrix(h.metric))
    Rf_error("a model written in R must have two functions and a matrix");
  h.size = Rf_nrows(h.metric);
  glue_reals(h.metric, "metric", h.size * h.size);
  return h;
}

static const candor_family_of_devices *families(SEXP unknown, size_t *devices)
{
  const double *u = glue_reals(unknown, "unknown", ANY_LENGTH);
  *devices = (size_t) XLENGTH(unknown) / 6;
  candor_family_of_devices *family = (candor_family_of_devices *) R_alloc(*devices + 1, sizeof *family);
  for (size_t g = 0; g < *devices; g++, u += 6)
    family[g] = (candor_family_of_devices){u[0], u[1], u[2], u[3], u[4], u[5]};
  return family;
}

static void read_devices(SEXP list, held *h)
{
  candor_binary *m = &h->model.base;
  SEXP unknown = glue_element(list, "unknown");
  h->unknown = unknown != R_NilValue;
  if (h->unknown) {
    h->model.family = families(unknown, &m->devices);
    return;
  }
  SEXP device = glue_element(list, "device");
  const double *v = glue_reals(device, "device", ANY_LENGTH);
  m->devices = (size_t) XLENGTH(device) / 5;
  candor_device *copy = (candor_device *) R_alloc(m->devices + 1, sizeof *copy);
  for (size_t g = 0; g < m->devices; g++, v += 5) copy[g] = (candor_device){v[0], v[1], v[2], v[3], v[4]};
  m->device = copy;
}

/* The columns of the logit of the unknown number, and whether its answers are separate. */
static void read_shares(SEXP list, held *h)
{
  SEXP v = glue_element(list, "shares");
  if (v == R_NilValue) return;
  const R_xlen_t rows = (R_xlen_t) h->model.base.rows;
  h->model.v = glue_reals(v, "shares", ANY_LENGTH);
  if (rows == 0 || XLENGTH(v) % rows != 0) Rf_error("`shares` must have a row for each answer");
  h->model.shares = (size_t) (XLENGTH(v) / rows);
  h->model.separate = glue_flag(glue_element(list, "separate"), "separate");
}

static held model_of(SEXP list)
{
  if (glue_element(list, "evaluate") != R_NilValue) return likelihood_of(list);
  held h = {0};
  candor_binary *m = &h.model.base;
  SEXP x = glue_element(list, "x"), y = glue_element(list, "y"), arm = glue_element(list, "arm");
  m->y = glue_reals(y, "y", ANY_LENGTH);
  m->x = glue_reals(x, "x", ANY_LENGTH);
  const R_xlen_t n = XLENGTH(y);
  m->rows = (size_t) n;
  if (n == 0 || XLENGTH(x) % n != 0) Rf_error("`x` must have a row for each answer");
  m->columns = (size_t) (XLENGTH(x) / n);
  m->weight = part(list, "weight", n);
  m->offset = part(list, "offset", n);
  m->arm = arm == R_NilValue ? NULL : glue_integers(arm, "arm", n);
  read_devices(list, &h);
  read_shares(list, &h);
  m->link = (candor_link) glue_choice(glue_element(list, "link"), "link", CANDOR_LINKS);
  m->barrier = glue_number(glue_element(list, "barrier"), "barrier");
  m->levels = glue_size(glue_element(list, "levels"), "levels");
  m->level = m->levels ? glue_integers(glue_element(list, "level"), "level", n) : NULL;
  return h;
}

/* The entries of a full symmetric matrix that an arrow has. */
static double *arrow_of(const double *square, candor_shape s)
{
  const size_t n = s.levels + s.dense;
  double *arrow = (double *) R_alloc(candor_arrow_size(s), sizeof *arrow), *next = arrow;
  for (size_t g = 0; g < s.levels; g++) *next++ = square[g * n + g];
  for (size_t g = 0; g < s.levels; g++)
    for (size_t k = s.levels; k < n; k++) *next++ = square[g * n + k];
  for (size_t k = s.levels; k < n; k++)
    for (size_t l = s.levels; l < n; l++) *next++ = square[k * n + l];
  return arrow;
}

/* Checks the model, and what the climb needs. `model` must stay where it is. */
static void prepare(held *h, SEXP model, const char *kernel)
{
  if (h->evaluate) {
    h->objective = (candor_objective){0};
    h->objective.shape.dense = (size_t) h->size;
    h->objective.self = h;
    h->objective.value = called_value;
    h->objective.reach = called_reach;
    return;
  }
  glue_check(h->unknown ? candor_unknown_check(&h->model) : candor_binary_check(&h->model.base), kernel);
  h->objective = h->unknown ? candor_unknown_objective(&h->model) : candor_binary_objective(&h->model.base);
  const candor_shape s = h->objective.shape;
  const R_xlen_t n = (R_xlen_t) (s.levels + s.dense);
  const double *prior = part(model, "prior", n * n);
  if (prior) h->objective.prior = arrow_of(prior, s);
}

static void add_metric(held *h)
{
  if (h->evaluate) {
    h->objective.metric = REAL(h->metric);
    return;
  }
  double *metric = (double *) R_alloc(candor_arrow_size(h->objective.shape), sizeof *metric);
  if (h->unknown) candor_unknown_metric(&h->model, metric);
  else candor_binary_metric(&h->model.base, metric);
  h->objective.metric = metric;
}

static R_xlen_t places(const held *h)
{
  return (R_xlen_t) (h->objective.shape.levels + h->objective.shape.dense);
}

/* Climbs from `at` to `at`; `numbers`: value, decrement, steps, pressed. The value of an impossible start is -Inf. */
static void climb_from(double *at, const candor_objective *f, candor_climb_options settings, double *work,
                       double *numbers, const char *kernel)
{
  candor_top top = {R_NegInf, R_PosInf, 0, 0};
  const candor_status status = candor_climb(f, settings, at, work, &top);
  if (status != CANDOR_IMPOSSIBLE) glue_check(status, kernel);
  const double found[4] = {top.value, top.decrement, (double) top.steps, top.pressed};
  memcpy(numbers, found, sizeof found);
}

/* rr_regress_climb(model, starts: a column each, tolerance, steps) -> list(at: a column each, numbers: value,
 * decrement, steps, pressed). */
SEXP rr_regress_climb_call(SEXP model, SEXP starts, SEXP tolerance, SEXP steps)
{
  const char *names[] = {"at", "numbers", ""};
  held h = model_of(model);
  prepare(&h, model, "rr_regress_climb");
  add_metric(&h);
  const R_xlen_t n = places(&h), many = n ? XLENGTH(starts) / n : 0;
  const double *from = glue_reals(starts, "starts", n * many);
  const candor_climb_options settings = {glue_number(tolerance, "tolerance"), glue_size(steps, "steps")};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, (int) n, (int) many));
  SET_VECTOR_ELT(result, 1, Rf_allocMatrix(REALSXP, 4, (int) many));
  double *at = REAL(VECTOR_ELT(result, 0)), *numbers = REAL(VECTOR_ELT(result, 1));
  double *work = (double *) R_alloc(candor_climb_work(h.objective.shape), sizeof *work);
  memcpy(at, from, (size_t) (n * many) * sizeof *at);
  for (R_xlen_t k = 0; k < many; k++) {
    R_CheckUserInterrupt();
    climb_from(at + k * n, &h.objective, settings, work, numbers + 4 * k, "rr_regress_climb");
  }
  UNPROTECT(1);
  return result;
}

/* rr_regress_heights(model, points: a column each) -> their values. */
SEXP rr_regress_heights_call(SEXP model, SEXP points)
{
  held h = model_of(model);
  prepare(&h, model, "rr_regress_heights");
  const R_xlen_t n = places(&h), many = n ? XLENGTH(points) / n : 0;
  const double *b = glue_reals(points, "points", n * many);
  double *work = (double *) R_alloc((size_t) n, sizeof *work);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, many));
  for (R_xlen_t k = 0; k < many; k++)
    REAL(result)[k] = candor_climb_value(&h.objective, b + k * n, NULL, NULL, NULL, work);
  UNPROTECT(1);
  return result;
}

/* The full symmetric matrix. */
static void spread(const double *arrow, candor_shape s, double *square)
{
  const size_t n = s.levels + s.dense;
  const double *cross = arrow + s.levels, *dense = cross + s.levels * s.dense;
  memset(square, 0, n * n * sizeof *square);
  for (size_t g = 0; g < s.levels; g++) {
    square[g * n + g] = arrow[g];
    for (size_t k = 0; k < s.dense; k++)
      square[g * n + s.levels + k] = square[(s.levels + k) * n + g] = cross[g * s.dense + k];
  }
  for (size_t k = 0; k < s.dense; k++)
    for (size_t l = 0; l <= k; l++)
      square[(s.levels + k) * n + s.levels + l] = square[(s.levels + l) * n + s.levels + k] = dense[k * s.dense + l];
}

/* rr_regress_value(model, at, natural) -> list(value, gradient, observed, expected), without the prior. An unknown
 * number is its logit, as in the climb, unless `natural`. */
SEXP rr_regress_value_call(SEXP model, SEXP at, SEXP natural)
{
  const char *names[] = {"value", "gradient", "observed", "expected", ""};
  held h = model_of(model);
  prepare(&h, model, "rr_regress_value");
  const R_xlen_t n = places(&h);
  const double *b = glue_reals(at, "at", n);
  const size_t size = candor_arrow_size(h.objective.shape);
  double *observed = (double *) R_alloc(size, sizeof *observed), *expected = (double *) R_alloc(size, sizeof *expected);
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int k = 1; k < 4; k++)
    SET_VECTOR_ELT(result, k, k == 1 ? Rf_allocVector(REALSXP, n) : Rf_allocMatrix(REALSXP, (int) n, (int) n));
  double *gradient = REAL(VECTOR_ELT(result, 1));
  const double value = h.unknown && glue_flag(natural, "natural")
                           ? candor_unknown_value(&h.model, b, gradient, observed, expected)
                           : h.objective.value(h.objective.self, b, gradient, observed, expected);
  spread(observed, h.objective.shape, REAL(VECTOR_ELT(result, 2)));
  spread(expected, h.objective.shape, REAL(VECTOR_ELT(result, 3)));
  SET_VECTOR_ELT(result, 0, Rf_ScalarReal(value));
  UNPROTECT(1);
  return result;
}

/* rr_regress_rows(eta, y | NULL, arm | NULL, device, link) -> list of vectors: truth, truth_no, slope, bend, report,
 * report_no, loglik, score, observed, expected. Without y the last four but `expected` are those of a yes. */
SEXP rr_regress_rows_call(SEXP eta, SEXP y, SEXP arm, SEXP device, SEXP link)
{
  const char *names[] = {"truth",  "truth_no", "slope",    "bend",     "report", "report_no",
                         "loglik", "score",    "observed", "expected", ""};
  const R_xlen_t n = XLENGTH(eta);
  const double *at = glue_reals(eta, "eta", n), *v = glue_reals(device, "device", ANY_LENGTH);
  const double *given = y == R_NilValue ? NULL : glue_reals(y, "y", n);
  const int *index = arm == R_NilValue ? NULL : glue_integers(arm, "arm", n), devices = (int) (XLENGTH(device) / 5);
  const candor_link curve = (candor_link) glue_choice(link, "link", CANDOR_LINKS);
  if (devices == 0) Rf_error("`device` must not be empty");
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  double *out[10];
  for (int k = 0; k < 10; k++) {
    SET_VECTOR_ELT(result, k, Rf_allocVector(REALSXP, n));
    out[k] = REAL(VECTOR_ELT(result, k));
  }
  for (R_xlen_t i = 0; i < n; i++) {
    const int g = index ? index[i] : 0;
    if (g < 0 || g >= devices) Rf_error("`arm` must be places of devices");
    const double *d = v + 5 * g;
    const candor_device one = {d[0], d[1], d[2], d[3], d[4]};
    candor_term t;
    candor_binary_term(curve, &one, at[i], given ? given[i] : 1, &t);
    const double values[10] = {t.curve.yes, t.curve.no, t.curve.slope, t.curve.bend, t.report,
                               t.report_no, t.loglik,   t.score,       t.observed,   t.expected};
    for (int k = 0; k < 10; k++) out[k][i] = values[k];
  }
  UNPROTECT(1);
  return result;
}

/* rr_unknown_rows(eta, logit, y, arm | NULL, unknown (6 numbers a device), link, separate) -> list of vectors: loglik,
 * truth (its derivative by eta), share (by the logit of the unknown number). */
SEXP rr_unknown_rows_call(SEXP eta, SEXP logit, SEXP y, SEXP arm, SEXP unknown, SEXP link, SEXP separate)
{
  const char *names[] = {"loglik", "truth", "share", ""};
  const R_xlen_t n = XLENGTH(eta);
  const double *at = glue_reals(eta, "eta", n), *zeta = glue_reals(logit, "logit", n), *share = glue_reals(y, "y", n);
  const int *index = arm == R_NilValue ? NULL : glue_integers(arm, "arm", n), two = glue_flag(separate, "separate");
  const candor_link curve = (candor_link) glue_choice(link, "link", CANDOR_LINKS);
  size_t devices;
  const candor_family_of_devices *family = families(unknown, &devices);
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int k = 0; k < 3; k++) SET_VECTOR_ELT(result, k, Rf_allocVector(REALSXP, n));
  double *out[3] = {REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)), REAL(VECTOR_ELT(result, 2))};
  for (R_xlen_t i = 0; i < n; i++) {
    const int g = index ? index[i] : 0;
    if (g < 0 || (size_t) g >= devices) Rf_error("`arm` must be places of devices");
    const candor_psi psi = candor_psi_at(zeta[i]);
    candor_unknown_term u;
    candor_unknown_row(curve, family + g, two, at[i], psi, share[i], &u);
    out[0][i] = u.answer.loglik;
    out[1][i] = u.answer.score;
    out[2][i] = u.score * psi.psi * psi.rest;
  }
  UNPROTECT(1);
  return result;
}

/* rr_regress_collapse(x, y, weight | NULL, offset | NULL, arm | NULL, limit) -> NULL if there are more than `limit`
 * patterns, else list(first (1-based row of each pattern), y (share of yes), weight). */
SEXP rr_regress_collapse_call(SEXP x, SEXP y, SEXP weight, SEXP offset, SEXP arm, SEXP limit)
{
  const char *names[] = {"first", "y", "weight", ""};
  const R_xlen_t n = XLENGTH(y);
  const double *share = glue_reals(y, "y", n), *w = weight == R_NilValue ? NULL : glue_reals(weight, "weight", n);
  const double *cell = glue_reals(x, "x", ANY_LENGTH),
               *shift = offset == R_NilValue ? NULL : glue_reals(offset, "offset", n);
  const size_t most = glue_size(limit, "limit");
  if (n == 0 || XLENGTH(x) % n != 0) Rf_error("`x` must have a row for each answer");
  const size_t k = (size_t) (XLENGTH(x) / n);
  const double **column = (const double **) R_alloc(k + 1, sizeof *column);
  for (size_t j = 0; j < k; j++) column[j] = cell + j * (size_t) n;
  column[k] = shift;
  const candor_rows table = {(size_t) n, k + (shift != NULL), column,
                             arm == R_NilValue ? NULL : glue_integers(arm, "arm", n)};
  size_t slots = 64, count = 0;
  while (slots < 4 * most) slots *= 2;
  int *slot = (int *) R_alloc(slots, sizeof *slot), *id = (int *) R_alloc((size_t) n, sizeof *id);
  size_t *first = (size_t *) R_alloc(most + 1, sizeof *first);
  const candor_status status = candor_distinct(&table, most, slot, slots, id, first, &count);
  if (status == CANDOR_STALLED) return R_NilValue;
  glue_check(status, "rr_regress_collapse");
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int j = 0; j < 3; j++) SET_VECTOR_ELT(result, j, Rf_allocVector(REALSXP, (R_xlen_t) count));
  double *row = REAL(VECTOR_ELT(result, 0)), *yes = REAL(VECTOR_ELT(result, 1)), *sum = REAL(VECTOR_ELT(result, 2));
  for (size_t j = 0; j < count; j++) {
    row[j] = (double) first[j] + 1;
    yes[j] = sum[j] = 0;
  }
  for (R_xlen_t i = 0; i < n; i++) {
    const double one = w ? w[i] : 1;
    sum[id[i]] += one;
    yes[id[i]] += one * share[i];
  }
  for (size_t j = 0; j < count; j++) {
    yes[j] = sum[j] > 0 ? yes[j] / sum[j] : 0;
    if (yes[j] > 1) yes[j] = 1;
  }
  UNPROTECT(1);
  return result;
}

/* `groups`: list(first: the first row of each and the number of rows (integers), weight | NULL, width, halvings, sigma
 * (NA: it is estimated)). */
static candor_mixed mixed_of(SEXP model, SEXP groups)
{
  const held h = model_of(model);
  if (h.unknown) Rf_error("a model with groups has no unknown number");
  candor_mixed m = {h.model.base, 0, NULL, NULL, 0, 0, 0, 0, NULL};
  SEXP first = glue_element(groups, "first");
  m.first = glue_integers(first, "first", ANY_LENGTH);
  const R_xlen_t many = XLENGTH(first) - 1;
  if (many < 1) Rf_error("`groups` must have a group");
  m.groups = (size_t) many;
  m.weight = part(groups, "weight", many);
  m.width = glue_number(glue_element(groups, "width"), "width");
  m.halvings = (int) glue_size(glue_element(groups, "halvings"), "halvings");
  m.sigma = glue_number(glue_element(groups, "sigma"), "sigma");
  m.fixed = !ISNAN(m.sigma);
  m.work = (double *) R_alloc(candor_mixed_work(m.base.columns, m.base.rows), sizeof *m.work);
  glue_check(candor_mixed_check(&m), "rr_mixed");
  return m;
}

/* rr_mixed_climb(model, groups, start, tolerance, steps) -> list(at, numbers: value, decrement, steps,
 * pressed). */
SEXP rr_mixed_climb_call(SEXP model, SEXP groups, SEXP start, SEXP tolerance, SEXP steps)
{
  const char *names[] = {"at", "numbers", ""};
  const candor_mixed m = mixed_of(model, groups);
  candor_objective f = candor_mixed_objective(&m);
  const size_t n = f.shape.dense;
  const double *from = glue_reals(start, "start", (R_xlen_t) n);
  const candor_climb_options settings = {glue_number(tolerance, "tolerance"), glue_size(steps, "steps")};
  double *metric = (double *) R_alloc(candor_arrow_size(f.shape), sizeof *metric);
  for (size_t k = 0; k < n * n; k++) metric[k] = k % (n + 1) == 0 ? (double) m.base.rows : 0;
  f.metric = metric;
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t) n));
  double *at = REAL(VECTOR_ELT(result, 0)), *work = (double *) R_alloc(candor_climb_work(f.shape), sizeof *work);
  memcpy(at, from, n * sizeof *at);
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, 4));
  climb_from(at, &f, settings, work, REAL(VECTOR_ELT(result, 1)), "rr_mixed_climb");
  UNPROTECT(1);
  return result;
}

/* rr_mixed_value(model, groups, at) -> list(value, gradient, observed, loglik, mean, deviation, scores, edge), the last
 * five of each group. */
SEXP rr_mixed_value_call(SEXP model, SEXP groups, SEXP at)
{
  const char *names[] = {"value", "gradient", "observed", "loglik", "mean", "deviation", "scores", "edge", ""};
  const candor_mixed m = mixed_of(model, groups);
  const size_t n = candor_mixed_objective(&m).shape.dense;
  const double *b = glue_reals(at, "at", (R_xlen_t) n);
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) n));
  SET_VECTOR_ELT(result, 2, Rf_allocMatrix(REALSXP, (int) n, (int) n));
  for (int k = 3; k < 8; k++)
    SET_VECTOR_ELT(result, k,
                   k == 6 ? Rf_allocMatrix(REALSXP, (int) m.groups, (int) n)
                          : Rf_allocVector(REALSXP, (R_xlen_t) m.groups));
  double *part_of[8];
  for (int k = 1; k < 8; k++) part_of[k] = REAL(VECTOR_ELT(result, k));
  const candor_mixed_groups told = {part_of[3], part_of[4], part_of[5], part_of[6], part_of[7]};
  const double value = candor_mixed_value(&m, b, part_of[1], part_of[2], NULL, &told);
  for (size_t k = 0; k < n; k++)
    for (size_t l = 0; l < k; l++) part_of[2][l * n + k] = part_of[2][k * n + l];
  SET_VECTOR_ELT(result, 0, Rf_ScalarReal(value));
  UNPROTECT(1);
  return result;
}
