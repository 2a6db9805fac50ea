#include "api.h"
#include "glue.h"

#include <string.h>

#include "estimate/eb.h"

static double *doubles(size_t n)
{
  return (double *) R_alloc(n + 1, sizeof(double));
}

static size_t *sizes(size_t n)
{
  return (size_t *) R_alloc(n + 1, sizeof(size_t));
}

static candor_eb_rows glue_rows(SEXP rows)
{
  const char *names[] = {"count", "categories", "base", "slope", "share", "tilt"};
  const double *column[6];
  if (TYPEOF(rows) != VECSXP || XLENGTH(rows) != 7) Rf_error("`rows` must be a list of 7");
  const R_xlen_t n = Rf_xlength(VECTOR_ELT(rows, 0));
  for (int i = 0; i < 6; i++) column[i] = glue_reals(VECTOR_ELT(rows, i), names[i], n);
  const candor_eb_rows result = {
      .n = (size_t) n,
      .count = column[0],
      .categories = column[1],
      .base = column[2],
      .slope = column[3],
      .share = column[4],
      .tilt = column[5],
      .trials = VECTOR_ELT(rows, 6) == R_NilValue ? NULL : glue_reals(VECTOR_ELT(rows, 6), "trials", n)};
  return result;
}

/* Everything about one fit. */
typedef struct fit {
  candor_eb_rows rows;
  candor_eb_grid grid;
  candor_eb_bands bands;
  double *kernel, *prior;
  candor_eb_summary summary;
} fit;

static void find_prior(fit *f, double most, const double *shapes)
{
  const candor_eb_shapes choice = {shapes[0], shapes[1], shapes[2], shapes[3], shapes[4], shapes[5] > 0, shapes[6]};
  const double relative = shapes[5];
  const size_t points = candor_eb_grid_most(&f->rows, relative), n = f->rows.n;
  double largest;
  f->grid.x = doubles(points);
  f->grid.low = doubles(points);
  f->grid.high = doubles(points);
  glue_check(candor_eb_grid_make(&f->rows, most, relative, &f->grid), "rr_eb");
  f->bands.first = sizes(n);
  f->bands.last = sizes(n);
  f->bands.start = sizes(n);
  glue_check(candor_eb_bands_make(&f->rows, &f->grid, &f->bands), "rr_eb");
  f->kernel = doubles(f->bands.size);
  f->prior = doubles(f->grid.n);
  candor_eb_kernel(&f->rows, &f->grid, &f->bands, f->kernel, &largest);
  double *work = doubles(candor_eb_prior_work(&f->grid));
  glue_check(candor_eb_prior(&f->rows, &f->grid, &f->bands, f->kernel, &choice, work, f->prior, &f->summary), "rr_eb");
  f->summary.loglik += largest;
}

/* The rows of one group, side by side. */
typedef struct group {
  candor_eb_rows rows;
  candor_eb_bands bands;
  size_t *from; /* where they are among all rows */
} group;

static double *gather(const double *x, const group *g)
{
  double *out = doubles(g->rows.n);
  for (size_t i = 0; i < g->rows.n; i++) out[i] = x[g->from[i]];
  return out;
}

static size_t *gather_sizes(const size_t *x, const group *g)
{
  size_t *out = sizes(g->rows.n);
  for (size_t i = 0; i < g->rows.n; i++) out[i] = x[g->from[i]];
  return out;
}

static group gather_group(const fit *f, const double *number, double which)
{
  group g = {.from = sizes(f->rows.n)};
  for (size_t i = 0; i < f->rows.n; i++)
    if (number[i] == which) g.from[g.rows.n++] = i;
  g.rows.count = gather(f->rows.count, &g);
  g.rows.categories = gather(f->rows.categories, &g);
  g.rows.base = gather(f->rows.base, &g);
  g.rows.slope = gather(f->rows.slope, &g);
  g.rows.share = gather(f->rows.share, &g);
  g.rows.tilt = gather(f->rows.tilt, &g);
  if (f->rows.trials) g.rows.trials = gather(f->rows.trials, &g);
  g.bands.first = gather_sizes(f->bands.first, &g);
  g.bands.last = gather_sizes(f->bands.last, &g);
  g.bands.start = gather_sizes(f->bands.start, &g);
  return g;
}

/* rr_eb(rows, groups, totals, most, shapes, levels) -> list(mean, variance, quantile, eta, x, prior, weights, loglik,
 * shapes)
 *
 * rows: list(count, categories, base, slope, share, tilt, trials or NULL); groups: each row's group, from 1; totals:
 * what the shares of each group add up to; most: the largest x; shapes: number of categories, prior weights of point,
 * power laws, pairs and singles, the least relative step of the grid (above 0: there is a reference) and the prior odds
 * of a free form; levels: of the quantiles, NA for that common level of a group at which they add up to its total. */
SEXP rr_eb_call(SEXP rows, SEXP groups, SEXP totals, SEXP most, SEXP shapes, SEXP levels)
{
  const char *names[] = {"mean", "variance", "quantile", "eta", "x", "prior", "weights", "loglik", "shapes", ""};
  fit f = {.rows = glue_rows(rows)};
  const R_xlen_t n = (R_xlen_t) f.rows.n, n_levels = XLENGTH(levels), n_groups = XLENGTH(totals);
  const double *number = glue_reals(groups, "groups", n), *shape = glue_reals(shapes, "shapes", 7);
  const double *total = glue_reals(totals, "totals", ANY_LENGTH), *level = glue_reals(levels, "levels", ANY_LENGTH);
  if (n > INT_MAX || n_levels > INT_MAX) Rf_error("too many rows");
  for (R_xlen_t l = 0; l < n_levels; l++)
    if (!ISNAN(level[l]) && !(level[l] > 0 && level[l] < 1)) Rf_error("`levels` must lie between 0 and 1");
  find_prior(&f, glue_number(most, "most"), shape);

  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, n));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, n));
  SET_VECTOR_ELT(result, 2, Rf_allocMatrix(REALSXP, (int) n, (int) n_levels));
  SET_VECTOR_ELT(result, 3, Rf_allocVector(REALSXP, n_groups));
  SET_VECTOR_ELT(result, 4, Rf_allocVector(REALSXP, (R_xlen_t) f.grid.n));
  SET_VECTOR_ELT(result, 5, Rf_allocVector(REALSXP, (R_xlen_t) f.grid.n));
  SET_VECTOR_ELT(result, 6, Rf_allocVector(REALSXP, 5));
  SET_VECTOR_ELT(result, 7, Rf_ScalarReal(f.summary.loglik));
  SET_VECTOR_ELT(result, 8, Rf_ScalarReal((double) f.summary.shapes));
  double *mean = REAL(VECTOR_ELT(result, 0)), *variance = REAL(VECTOR_ELT(result, 1));
  double *quantile = REAL(VECTOR_ELT(result, 2)), *eta = REAL(VECTOR_ELT(result, 3));
  double *weights = REAL(VECTOR_ELT(result, 6)), *kernel = f.kernel;
  memcpy(REAL(VECTOR_ELT(result, 4)), f.grid.x, f.grid.n * sizeof(double));
  memcpy(REAL(VECTOR_ELT(result, 5)), f.prior, f.grid.n * sizeof(double));
  weights[0] = f.summary.point;
  weights[1] = f.summary.power;
  weights[2] = f.summary.pair;
  weights[3] = f.summary.single;
  weights[4] = f.summary.free;
  for (R_xlen_t i = 0; i < n; i++) mean[i] = variance[i] = NA_REAL;

  for (R_xlen_t w = 0; w < n_groups; w++) {
    const void *stack = vmaxget();
    const group g = gather_group(&f, number, (double) (w + 1));
    double *m = doubles(g.rows.n), *v = doubles(g.rows.n), *q = doubles(g.rows.n);
    eta[w] = 0;
    if (g.rows.n > 0) {
      glue_check(candor_eb_posterior(&g.rows, &f.grid, &g.bands, kernel, f.prior, total[w], eta + w, m, v), "rr_eb");
      if (n_levels > 0) candor_eb_cumulate(&g.rows, &f.grid, &g.bands, f.prior, eta[w], kernel);
    }
    for (size_t i = 0; i < g.rows.n; i++) {
      mean[g.from[i]] = m[i];
      variance[g.from[i]] = v[i];
    }
    for (R_xlen_t l = 0; l < n_levels && g.rows.n > 0; l++) {
      if (ISNAN(level[l])) candor_eb_median(&g.rows, &f.grid, &g.bands, kernel, total[w], q);
      else candor_eb_quantiles(&g.rows, &f.grid, &g.bands, kernel, level[l], q);
      for (size_t i = 0; i < g.rows.n; i++) quantile[(size_t) l * f.rows.n + g.from[i]] = q[i];
    }
    vmaxset(stack);
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}
