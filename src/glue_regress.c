#include "glue.h"

#include <string.h>

#include <R_ext/Utils.h>

#include "api.h"
#include "regress/distinct.h"
#include "regress/unknown.h"

/* A model is a list: x, y, weight | NULL, offset | NULL, arm | NULL (0-based), device (5 numbers each: p, q, 1 - p, 1
 * - q, p - q), link, barrier, unknown | NULL (6 numbers a device). */
typedef struct held {
  candor_unknown model;
  int unknown;
} held;

static const double *part(SEXP list, int k, const char *name, R_xlen_t length)
{
  return VECTOR_ELT(list, k) == R_NilValue ? NULL : glue_reals(VECTOR_ELT(list, k), name, length);
}

static held model_of(SEXP list)
{
  held h;
  candor_binary *m = &h.model.base;
  if (TYPEOF(list) != VECSXP || XLENGTH(list) != 9) Rf_error("`model` must be a list of 9 parts");
  m->y = glue_reals(VECTOR_ELT(list, 1), "y", ANY_LENGTH);
  m->rows = (size_t) XLENGTH(VECTOR_ELT(list, 1));
  m->x = glue_reals(VECTOR_ELT(list, 0), "x", ANY_LENGTH);
  const R_xlen_t n = (R_xlen_t) m->rows, size = XLENGTH(VECTOR_ELT(list, 0));
  if (n == 0 || size % n != 0) Rf_error("`x` must have a row for each answer");
  m->columns = (size_t) (size / n);
  m->weight = part(list, 2, "weight", n);
  m->offset = part(list, 3, "offset", n);
  m->arm = VECTOR_ELT(list, 4) == R_NilValue ? NULL : glue_integers(VECTOR_ELT(list, 4), "arm", n);
  const double *device = glue_reals(VECTOR_ELT(list, 5), "device", ANY_LENGTH);
  m->devices = (size_t) XLENGTH(VECTOR_ELT(list, 5)) / 5;
  candor_device *copy = (candor_device *) R_alloc(m->devices + 1, sizeof *copy);
  for (size_t g = 0; g < m->devices; g++) {
    const double *v = device + 5 * g;
    copy[g] = (candor_device){v[0], v[1], v[2], v[3], v[4]};
  }
  m->device = copy;
  m->link = (candor_link) glue_choice(VECTOR_ELT(list, 6), "link", CANDOR_LINKS);
  m->barrier = glue_number(VECTOR_ELT(list, 7), "barrier");
  h.model.family = NULL;
  h.unknown = VECTOR_ELT(list, 8) != R_NilValue;
  if (h.unknown) {
    const double *u = glue_reals(VECTOR_ELT(list, 8), "unknown", 6 * (R_xlen_t) m->devices);
    candor_family_of_devices *family = (candor_family_of_devices *) R_alloc(m->devices + 1, sizeof *family);
    for (size_t g = 0; g < m->devices; g++)
      family[g] =
          (candor_family_of_devices){u[6 * g], u[6 * g + 1], u[6 * g + 2], u[6 * g + 3], u[6 * g + 4], u[6 * g + 5]};
    h.model.family = family;
  }
  return h;
}

static void check_model(const held *h, const char *kernel)
{
  glue_check(h->unknown ? candor_unknown_check(&h->model) : candor_binary_check(&h->model.base), kernel);
}

/* rr_regress_fit(model, start, options: tolerance, longest step, limit, edge) -> list(at, step, c(value, decrement,
 * edge, last, iterations, definite, runaway, stalled)). A start that is impossible has the value -Inf. */
SEXP rr_regress_fit_call(SEXP model, SEXP start, SEXP options)
{
  const char *names[] = {"at", "step", "numbers", ""};
  held h = model_of(model);
  check_model(&h, "rr_regress_fit");
  const candor_objective objective =
      h.unknown ? candor_unknown_objective(&h.model) : candor_binary_objective(&h.model.base);
  const size_t n = objective.size;
  const double *from = glue_reals(start, "start", (R_xlen_t) n), *o = glue_reals(options, "options", 4);
  const candor_ascent_options settings = {o[0], o[1], (size_t) o[2], o[3]};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t) n));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) n));
  SET_VECTOR_ELT(result, 2, Rf_allocVector(REALSXP, 8));
  double *at = REAL(VECTOR_ELT(result, 0)), *numbers = REAL(VECTOR_ELT(result, 2));
  memcpy(at, from, n * sizeof *at);
  double *work = (double *) R_alloc(candor_ascent_work(n), sizeof *work);
  candor_ascent a;
  candor_status status = candor_ascent_init(&a, &objective, &settings, at, work);
  if (status == CANDOR_NOT_FINITE || status == CANDOR_EMPTY) glue_check(status, "rr_regress_fit");
  if (status == CANDOR_OK)
    while ((status = candor_ascent_run(&a, 1)) == CANDOR_AGAIN) R_CheckUserInterrupt();
  else a.value = R_NegInf;
  memcpy(REAL(VECTOR_ELT(result, 1)), a.step, n * sizeof(double));
  numbers[0] = a.value;
  numbers[1] = a.decrement;
  numbers[2] = a.edge;
  numbers[3] = a.last;
  numbers[4] = (double) a.iterations;
  numbers[5] = a.definite;
  numbers[6] = a.runaway;
  numbers[7] = status != CANDOR_OK;
  UNPROTECT(1);
  return result;
}

static void mirror(double *square, size_t n)
{
  for (size_t k = 0; k < n; k++)
    for (size_t l = 0; l < k; l++) square[l * n + k] = square[k * n + l];
}

/* rr_regress_value(model, at) -> list(value, gradient, observed, expected). */
SEXP rr_regress_value_call(SEXP model, SEXP at)
{
  const char *names[] = {"value", "gradient", "observed", "expected", ""};
  held h = model_of(model);
  check_model(&h, "rr_regress_value");
  const size_t n = h.model.base.columns + (size_t) h.unknown;
  const double *b = glue_reals(at, "at", (R_xlen_t) n);
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) n));
  SET_VECTOR_ELT(result, 2, Rf_allocMatrix(REALSXP, (int) n, (int) n));
  SET_VECTOR_ELT(result, 3, Rf_allocMatrix(REALSXP, (int) n, (int) n));
  double *gradient = REAL(VECTOR_ELT(result, 1)), *observed = REAL(VECTOR_ELT(result, 2)),
         *expected = REAL(VECTOR_ELT(result, 3));
  const candor_height height = h.unknown ? candor_unknown_value(&h.model, b, gradient, observed, expected)
                                         : candor_binary_value(&h.model.base, b, gradient, observed, expected);
  mirror(observed, n);
  mirror(expected, n);
  SET_VECTOR_ELT(result, 0, Rf_ScalarReal(height.value));
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
