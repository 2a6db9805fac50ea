/* The average of shapes against the list of inst/mathematics, summed shape by shape from textbook closed forms, and the
 * grid, quantiles and medians of empirical Bayes against their definitions. Grids and kernels are small and made up. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "estimate/eb.h"
#include "uniform.h"
#include "workspace.h"

enum { CELLS = 60, ROWS = 6 };

static double x[CELLS], low[CELLS], high[CELLS], kernel[ROWS * CELLS];
static double count[ROWS], categories[ROWS], base[ROWS], slope[ROWS], share[ROWS];
static size_t first[ROWS], last[ROWS], start[ROWS];

/* ---- the shapes, by definition ---- */

typedef struct sums {
  const candor_eb_rows *rows;
  const candor_eb_grid *grid;
  double prior[CELLS], shape[CELLS], kinds[4], total;
  size_t shapes;
} sums;

/* L of the density x^-rho on [L, U] with this mean, or 0 with the part at 0 that the mean leaves over. */
static double moment(double power, double L, double U)
{
  return fabs(power) < 1e-12 ? log(U / L) : (pow(U, power) - pow(L, power)) / power;
}

static double least(double rho, double U)
{
  if (rho < 1 && U * (1 - rho) / (2 - rho) >= 1) return 0;
  double a = 1e-300, b = 1;
  for (int step = 0; step < 200; step++) {
    const double middle = sqrt(a * b);
    if (moment(2 - rho, middle, U) / moment(1 - rho, middle, U) > 1) b = middle;
    else a = middle;
  }
  return sqrt(a * b);
}

/* Adds `mass` times the power law up to U, all x times `unit`. */
static void add_power_law(sums *s, double rho, double U, double unit, double mass)
{
  const double L = least(rho, U), atom = L > 0 ? 0 : 1 - (2 - rho) / ((1 - rho) * U);
  const double integral = moment(1 - rho, L, U);
  for (size_t j = 0; j < s->grid->n; j++) {
    const double from = fmin(fmax(s->grid->low[j] / unit, L), U), to = fmin(fmax(s->grid->high[j] / unit, L), U);
    if (to > from) s->shape[j] += mass * (1 - atom) * moment(1 - rho, from, to) / integral;
  }
  s->shape[0] += mass * atom;
}

/* A mass between two touching cells keeps its mean; in a gap it is lost, else it is its cell's. */
static void add_mass(sums *s, double point, double mass)
{
  const candor_eb_grid *g = s->grid;
  for (size_t j = 0; j < g->n; j++) {
    if (point == g->x[j]) {
      s->shape[j] += mass;
      return;
    }
    if (j + 1 == g->n || point > g->x[j + 1] || point < g->x[j]) {
      if (j + 1 == g->n && point > g->x[j] && point < g->high[j]) s->shape[j] += mass;
      continue;
    }
    if (point == g->x[j + 1]) continue;
    if (g->high[j] >= g->low[j + 1]) {
      s->shape[j] += mass * (g->x[j + 1] - point) / (g->x[j + 1] - g->x[j]);
      s->shape[j + 1] += mass * (point - g->x[j]) / (g->x[j + 1] - g->x[j]);
    } else if (point < g->high[j]) {
      s->shape[j] += mass;
    } else if (point >= g->low[j + 1]) {
      s->shape[j + 1] += mass;
    }
    return;
  }
}

static double row_likelihood(size_t i, const double *mass)
{
  double f = 0;
  for (size_t j = first[i]; j < last[i]; j++) f += kernel[start[i] + j - first[i]] * mass[j];
  return f;
}

static void weigh(sums *s, double weight, int kind)
{
  double chance = weight;
  for (size_t i = 0; i < s->rows->n; i++) chance *= pow(row_likelihood(i, s->shape), categories[i]);
  for (size_t j = 0; j < s->grid->n; j++) {
    s->prior[j] += chance * s->shape[j];
    s->shape[j] = 0;
  }
  s->kinds[kind] += chance;
  s->total += chance;
  s->shapes++;
}

static void all_shapes(sums *s, const candor_eb_shapes *w)
{
  const double exponents[] = {0, 0.5, 1, 1.25, 1.5, 1.75, 2, 2.5, 3}, others_rho[] = {1, 1.5, 2};
  const double parts[] = {1, 2, 5, 15, 50, 200, 1000, 5000}, K = w->categories, top = s->grid->x[s->grid->n - 1];
  const double spreads[] = {0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1, 1.3, 1.6, 2, 2.5, 3};
  add_mass(s, 1, 1);
  weigh(s, w->point, 0);
  if (w->reference) {
    for (int r = 0; r < 13; r++) {
      for (size_t j = 0; j < s->grid->n; j++) {
        const double z = (log(s->grid->high[j]) + spreads[r] * spreads[r] / 2) / spreads[r];
        const double y = (log(s->grid->low[j]) + spreads[r] * spreads[r] / 2) / spreads[r];
        s->shape[j] = erfc(-z * sqrt(0.5)) / 2 - (j > 0 ? erfc(-y * sqrt(0.5)) / 2 : 0);
      }
      weigh(s, w->power / 13, 1);
    }
    return;
  }
  /* Three upper ends an octave, from 1.25 to the largest point, at least two. */
  const double octaves = log2(fmax(top, 2) / 1.25), n = fmax(2, ceil(3 * octaves));
  for (int r = 0; w->power > 0 && r < 9; r++) {
    for (double i = 0; i < n; i++) {
      add_power_law(s, exponents[r], 1.25 * pow(fmax(top, 1.25) / 1.25, i / (n - 1)), 1, 1);
      weigh(s, w->power / (9 * n), 1);
    }
  }
  /* Larger shares: all points above 1.2 (there are fewer than 40 of them). */
  double pairs = 0, sum = 0;
  for (int pass = 0; w->pair > 0 && pass < 2; pass++) {
    for (size_t j = 0; j < s->grid->n; j++) {
      for (int p = 0; p < 10; p++) {
        const double share_above = p < 8 ? parts[p] / K : p == 8 ? 0.5 : 0.8, U = s->grid->x[j];
        if ((p < 8 && share_above >= 0.4) || U <= 1.2 || U * share_above >= 1) continue;
        if (pass == 0) {
          pairs++;
          continue;
        }
        add_mass(s, U, share_above);
        add_mass(s, (1 - U * share_above) / (1 - share_above), 1 - share_above);
        weigh(s, w->pair / pairs, 2);
      }
    }
  }
  for (int pass = 0; w->single > 0 && pass < 2; pass++) {
    for (size_t j = 0; j < s->grid->n; j++) {
      const double U = s->grid->x[j], others = (1 - U / K) / (1 - 1 / K);
      if (U <= 1.2 || U / K >= 1) continue;
      if (pass == 0) sum += U;
      for (int r = 0; pass == 1 && r < 3; r++) {
        add_mass(s, U, 1 / K);
        add_power_law(s, others_rho[r], U / others, others, 1 - 1 / K);
        weigh(s, w->single / 3 * U / sum, 3);
      }
    }
  }
}

/* ---- the free form, by definition ---- */

/* Masses numerator / (weight + nu (x - 1)) with mean 1; nu by bisection. */
static void with_mean_one(const candor_eb_grid *grid, const double *numerator, double weight, double *mass)
{
  double a = -weight / (grid->x[grid->n - 1] - 1), b = weight;
  for (int step = 0; step < 200; step++) {
    const double nu = (a + b) / 2;
    double off = 0;
    for (size_t j = 0; j < grid->n; j++) off += numerator[j] * (grid->x[j] - 1) / (weight + nu * (grid->x[j] - 1));
    if (off > 0) a = nu;
    else b = nu;
  }
  double sum = 0;
  for (size_t j = 0; j < grid->n; j++) sum += mass[j] = numerator[j] / (weight + (a + b) / 2 * (grid->x[j] - 1));
  for (size_t j = 0; j < grid->n; j++) mass[j] /= sum;
}

/* 200 steps of EM with the average counted as ten categories; the gain is what each category is foretold from the
 * others better than by the average. */
static double free_form(sums *s, const double *prior, double odds, double *mixed)
{
  double next[CELLS], to[CELLS], many = 10, gain = log(odds);
  const candor_eb_grid *grid = s->grid;
  for (size_t i = 0; i < s->rows->n; i++) many += categories[i];
  memcpy(to, prior, grid->n * sizeof *to);
  for (int step = 0; step < 200; step++) {
    for (size_t j = 0; j < grid->n; j++) next[j] = 10 * prior[j];
    for (size_t i = 0; i < s->rows->n; i++) {
      const double f = row_likelihood(i, to);
      for (size_t j = first[i]; j < last[i]; j++)
        next[j] += categories[i] * kernel[start[i] + j - first[i]] * to[j] / f;
    }
    with_mean_one(grid, next, many, to);
  }
  for (size_t i = 0; i < s->rows->n; i++) {
    const double f = row_likelihood(i, to);
    double without = 0; /* the likelihood under (many prior - the row's own posterior) / (many - 1) */
    for (size_t j = first[i]; j < last[i]; j++) {
      const double k = kernel[start[i] + j - first[i]];
      without += k * (many * to[j] - k * to[j] / f) / (many - 1);
    }
    gain += categories[i] * (log(without) - log(row_likelihood(i, prior)));
  }
  const double weight = 1 / (1 + exp(-gain));
  for (size_t j = 0; j < grid->n; j++) mixed[j] = (1 - weight) * prior[j] + weight * to[j];
  return weight;
}

/* A grid with gaps and touching cells, three rows of which each sees a part of it. */
static candor_eb_grid small_grid(int which, candor_eb_rows *rows, candor_eb_bands *bands)
{
  candor_eb_grid grid = {0, x, low, high};
  const double tops[] = {3, 6, 1.6, 9, 3, 3}, centres[] = {0.6, 0.6, 0.6, 0.6, -0.3, 2};
  for (double next = 0; next <= tops[which]; next += next < 1.5 ? 0.125 : which >= 3 ? 0.25 : 0.5) x[grid.n++] = next;
  if (which == 1) x[grid.n - 1] += 0.2;
  for (size_t j = 0; j < grid.n; j++) {
    low[j] = j == 0 ? 0 : high[j - 1];
    high[j] = j + 1 < grid.n ? (x[j] + x[j + 1]) / 2 : x[j] + 0.1;
    if (which == 1 && j % 5 == 3) high[j] = x[j] + 0.01; /* a gap */
    if (which == 1 && j > 0 && j % 5 == 4) low[j] = x[j] - 0.02;
  }
  *rows = (candor_eb_rows){3, count, categories, base, slope, NULL, share, share};
  *bands = (candor_eb_bands){first, last, start, 0};
  for (size_t i = 0; i < 3; i++) {
    categories[i] = 1 + (double) i;
    count[i] = 4 + 8 * (double) i;
    base[i] = 1;
    slope[i] = 10;
    share[i] = 0.1;
    first[i] = i == 2 ? grid.n / 4 : 0;
    last[i] = i == 0 ? grid.n - 2 : grid.n;
    start[i] = bands->size;
    bands->size += last[i] - first[i];
    for (size_t j = first[i]; j < last[i]; j++)
      kernel[start[i] + j - first[i]] =
          exp(-0.7 * pow(2 * (x[j] - centres[which] - (which < 4 ? 0.4 : 0.1) * (double) i), 2));
  }
  return grid;
}

static void shapes(void)
{
  const candor_eb_shapes cases[] = {
      {10, 0.4, 0.3, 0.1, 0.2, 0, 0}, {4, 0.4, 0, 0.6, 0, 0, 0},  {40, 1e-3, 0, 0, 1, 0, 0},
      {7, 0.2, 0.8, 0, 0, 0, 0},      {10, 0.1, 0.9, 3, 3, 1, 0}, {5001, 1, 0, 2, 1, 0, 0},
      {10, 0.4, 0.3, 0.1, 0.2, 0, 1}, {4, 0.5, 0, 0, 1, 0, 0},    {12, 0.5, 0.5, 0, 0, 1, 30}};
  for (int which = 0; which < 6; which++) {
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
      candor_eb_rows rows;
      candor_eb_bands bands;
      candor_eb_summary summary;
      const candor_eb_grid grid = small_grid(which, &rows, &bands);
      double prior[CELLS], expected[CELLS], sum = 0;
      double *work = workspace(candor_eb_prior_work(&grid));
      sums s = {.rows = &rows, .grid = &grid};
      all_shapes(&s, &cases[c]);
      CHECK(candor_eb_prior(&rows, &grid, &bands, kernel, &cases[c], work, prior, &summary) == CANDOR_OK);
      free(work);
      for (size_t j = 0; j < grid.n; j++) sum += s.prior[j];
      /* A millionth of the mass is spread over the grid. */
      for (size_t j = 0; j < grid.n; j++) expected[j] = s.prior[j] / sum * (1 - 1e-6) + 1e-6 / (double) grid.n;
      const double weight = cases[c].free > 0 ? free_form(&s, expected, cases[c].free, expected) : 0;
      CHECK_NEAR(summary.free, weight, 1e-7);
      for (size_t j = 0; j < grid.n; j++) CHECK_NEAR(prior[j], expected[j], 1e-7 * expected[j] + 1e-12);
      CHECK(summary.shapes == s.shapes);
      CHECK_NEAR(summary.loglik, log(s.total), 1e-9);
      CHECK_NEAR(summary.point, s.kinds[0] / s.total, 1e-9);
      CHECK_NEAR(summary.power, s.kinds[1] / s.total, 1e-9);
      CHECK_NEAR(summary.pair, s.kinds[2] / s.total, 1e-9);
      CHECK_NEAR(summary.single, s.kinds[3] / s.total, 1e-9);
    }
  }
}

/* ---- posteriors, quantiles and medians ---- */

/* Posterior masses of row i under exp(-eta tilt x), by plain sums. */
static void posterior(const candor_eb_bands *bands, const double *prior, const double *tilt, double eta, size_t i,
                      const double *likelihood, double *mass)
{
  double sum = 0;
  for (size_t j = first[i]; j < last[i]; j++) {
    mass[j] = likelihood[bands->start[i] + j - first[i]] * prior[j] * exp(-eta * tilt[i] * x[j]);
    sum += mass[j];
  }
  for (size_t j = first[i]; j < last[i]; j++) mass[j] /= sum;
}

/* The level's quantile: the mass of a point lies evenly between the middles to its neighbours, that of 0 at 0. */
static double quantile_of(const candor_eb_grid *grid, const double *mass, size_t i, double level)
{
  double below = 0;
  size_t j = first[i];
  while (j + 1 < last[i] && below + mass[j] < level) below += mass[j++];
  if (j == 0) return 0;
  const double left = (x[j - 1] + x[j]) / 2, right = j + 1 < grid->n ? (x[j] + x[j + 1]) / 2 : x[j];
  return left + (right - left) * (level - below) / mass[j];
}

static void posteriors(void)
{
  for (int which = 0; which < 4; which++) {
    candor_eb_rows rows;
    candor_eb_bands bands;
    const candor_eb_grid grid = small_grid(which, &rows, &bands);
    const double tilts[] = {0.3, 0, 2};
    double prior[CELLS], likelihood[ROWS * CELLS], mean[3], variance[3], quantiles[3], mass[3][CELLS], eta,
        start_total = 0;
    rows.tilt = tilts;
    for (size_t j = 0; j < grid.n; j++) prior[j] = 0.1 + uniform();
    memcpy(likelihood, kernel, sizeof likelihood);
    CHECK(candor_eb_posterior(&rows, &grid, &bands, kernel, prior, NAN, &eta, mean, variance) == CANDOR_NOT_FINITE);
    CHECK(candor_eb_posterior(&rows, &grid, &bands, kernel, prior, -1, &eta, mean, variance) == CANDOR_OK && eta == 0);
    for (size_t i = 0; i < 3; i++) start_total += categories[i] * share[i] * mean[i];
    for (int side = -1; side <= 1; side += 2) {
      const double total = start_total * (1 + 0.03 * side);
      CHECK(candor_eb_posterior(&rows, &grid, &bands, kernel, prior, total, &eta, mean, variance) == CANDOR_OK);
      CHECK(eta * side < 0);
      double reached = 0;
      for (size_t i = 0; i < 3; i++) {
        double sum = 0, squares = 0;
        posterior(&bands, prior, tilts, eta, i, likelihood, mass[i]);
        for (size_t j = first[i]; j < last[i]; j++) sum += mass[i][j] * x[j];
        for (size_t j = first[i]; j < last[i]; j++) squares += mass[i][j] * (x[j] - sum) * (x[j] - sum);
        CHECK_NEAR(mean[i], sum, 1e-12);
        CHECK_NEAR(variance[i], squares, 1e-12);
        reached += categories[i] * share[i] * sum;
      }
      CHECK_NEAR(reached, total, 1e-11);
    }
    candor_eb_cumulate(&rows, &grid, &bands, prior, eta, kernel);
    for (int step = 1; step < 40; step++) {
      candor_eb_quantiles(&rows, &grid, &bands, kernel, step / 40.0, quantiles);
      for (size_t i = 0; i < 3; i++) CHECK_NEAR(quantiles[i], quantile_of(&grid, mass[i], i, step / 40.0), 1e-9);
    }
    /* One level for all rows has the total: by bisection of the definition. */
    for (int step = 1; step < 10; step++) {
      double from = 0, upto = 1, wanted = 0, medians[3];
      for (size_t i = 0; i < 3; i++) wanted += categories[i] * share[i] * quantile_of(&grid, mass[i], i, step / 10.0);
      candor_eb_median(&rows, &grid, &bands, kernel, wanted, medians);
      for (int halving = 0; halving < 60; halving++) {
        double sum = 0;
        for (size_t i = 0; i < 3; i++)
          sum += categories[i] * share[i] * quantile_of(&grid, mass[i], i, (from + upto) / 2);
        if (sum > wanted) upto = (from + upto) / 2;
        else from = (from + upto) / 2;
      }
      for (size_t i = 0; i < 3; i++) CHECK_NEAR(medians[i], quantile_of(&grid, mass[i], i, from), 1e-7);
    }
    /* A total out of reach: the nearest level, 0 or 1, as near as forty halvings come. */
    candor_eb_median(&rows, &grid, &bands, kernel, 0, quantiles);
    for (size_t i = 0; i < 3; i++)
      CHECK_NEAR(quantiles[i], first[i] == 0 ? 0 : (x[first[i] - 1] + x[first[i]]) / 2, 1e-6);
    candor_eb_median(&rows, &grid, &bands, kernel, 1e9, quantiles);
    for (size_t i = 0; i < 3; i++) CHECK_NEAR(quantiles[i], quantile_of(&grid, mass[i], i, 1 - ldexp(1, -40)), 1e-3);
  }
}

/* ---- bands and kernels ---- */

/* log of the chance of a count, less that where the count is expected: Poisson, or binomial of `trials`. */
static double relative_chance(double c, double mean, double trials)
{
  const double poisson = (c > 0 ? c * log(mean / c) : 0) - (trials > 0 ? 0 : mean - c);
  return trials > c ? poisson + (trials - c) * log((trials - mean) / (trials - c)) : poisson;
}

static void kernels(void)
{
  for (int binomial = 0; binomial < 2; binomial++) {
    const double counts[] = {0, 1, 40, 200}, trials[] = {200, 200, 200, 200};
    double expected = 0, loglik;
    candor_eb_grid grid = {40, x, low, high};
    candor_eb_bands bands = {first, last, start, 0};
    for (size_t j = 0; j < 40; j++) x[j] = 0.1 * (double) (j * j);
    for (size_t i = 0; i < 4; i++) {
      count[i] = counts[i];
      categories[i] = 1 + (double) i;
      base[i] = i == 3 ? 0 : 0.5;
      slope[i] = i == 3 ? 1.25 : 1 + (double) i / 4;
      share[i] = 1;
    }
    const candor_eb_rows rows = {4, count, categories, base, slope, binomial ? trials : NULL, share, share};
    CHECK(candor_eb_bands_make(&rows, &grid, &bands) == CANDOR_OK);
    candor_eb_kernel(&rows, &grid, &bands, kernel, &loglik);
    size_t size = 0;
    for (size_t i = 0; i < 4; i++) {
      double exact[40], top = -INFINITY;
      for (size_t j = 0; j < 40; j++) {
        const double mean = base[i] + slope[i] * x[j];
        const int possible = (mean > 0 || count[i] == 0) && (!binomial || mean < 200);
        exact[j] = possible ? relative_chance(count[i], mean, binomial ? 200 : 0) : -INFINITY;
        top = fmax(top, exact[j]);
      }
      expected += categories[i] * top;
      CHECK(start[i] == size);
      size += last[i] - first[i];
      for (size_t j = 0; j < 40; j++) {
        const int inside = j >= first[i] && j < last[i];
        CHECK(inside == (exact[j] - top > -46));
        if (inside) CHECK_NEAR(kernel[start[i] + j - first[i]], exp(exact[j] - top), 1e-12);
      }
    }
    CHECK(bands.size == size);
    CHECK_NEAR(loglik, expected, 1e-9);
    /* A count that no point of the grid can have made. */
    grid.n = 1;
    base[1] = 0;
    CHECK(candor_eb_bands_make(&rows, &grid, &bands) == CANDOR_IMPOSSIBLE);
  }
}

/* ---- the grid ---- */

static double deviations(double value)
{
  return 2 * sqrt(base[0] + slope[0] * value);
}

/* Points of rows alike: three and a half deviations around each count, starting anew behind a gap, a quarter of one apart
 * where two categories or more are within one, else a half; then 0 and the fixed points. None is within a fiftieth of a
 * step of the one before it and 0.05 in x, but 1. */
static size_t expected_grid(size_t n, double most, double *out, size_t *steps)
{
  const double fixed[] = {0, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 5, 10, 20};
  double all[400];
  size_t total = 0, used = 0;
  double u = deviations(0), end = -1;
  for (size_t i = 0; i < n; i++) {
    const double from = 2 * fmax(sqrt(count[i] + 0.375) - 1.75, 0), upto = 2 * (sqrt(count[i] + 0.375) + 1.75);
    if (fmax(from, deviations(0)) > end) u = fmax(from, deviations(0));
    end = fmax(upto, deviations(0));
    while (u <= end) {
      double near = 0;
      for (size_t k = 0; k < n; k++) near += fabs(2 * sqrt(count[k] + 0.375) - u) <= 1 ? categories[k] : 0;
      all[total++] = fmax((u * u / 4 - base[0]) / slope[0], 0);
      u += near >= 2 ? 0.25 : 0.5;
    }
  }
  *steps = total;
  for (size_t j = 0; j < 15; j++) all[total++] = fixed[j];
  for (size_t j = 1; j < total; j++)
    for (size_t k = j; k > 0 && all[k - 1] > all[k]; k--) {
      const double swap = all[k];
      all[k] = all[k - 1];
      all[k - 1] = swap;
    }
  for (size_t j = 0; j < total && all[j] <= most * (1 + 1e-9); j++) {
    const double before = used > 0 ? out[used - 1] : -1;
    const int near = used > 0 && deviations(all[j]) - deviations(before) <= 0.005 && all[j] - before <= 0.05;
    if (all[j] == 1 && near && before > 0) out[used - 1] = 1;
    else if (!near) out[used++] = all[j];
  }
  return used;
}

static void grids(void)
{
  const struct {
    size_t n;
    double counts[4], many, base, slope, most;
  } cases[] = {{1, {100}, 1, 20, 40, 30},    {1, {100}, 2, 20, 40, 30},    {1, {0}, 2, 0, 5, 12},
               {2, {5, 900}, 1, 0, 100, 60}, {2, {5, 900}, 2, 1, 100, 60}, {3, {2, 10, 5000}, 4, 0, 50, 400},
               {1, {4}, 2, 1e6, 1, 15},      {1, {1e6}, 2, 1e6, 0.5, 8},   {2, {20, 20}, 1, 2, 18, 6},
               {1, {50}, 1.9, 0, 50, 1.01},  {1, {9}, 1, 0, 10, 1e6},      {3, {10, 14, 18}, 1, 1, 6, 50}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double expected[400];
    size_t steps;
    for (size_t i = 0; i < cases[c].n; i++) {
      count[i] = cases[c].counts[i];
      categories[i] = cases[c].many;
      base[i] = cases[c].base;
      slope[i] = cases[c].slope;
      share[i] = 1;
    }
    const candor_eb_rows rows = {cases[c].n, count, categories, base, slope, NULL, share, share};
    const size_t n = expected_grid(cases[c].n, cases[c].most, expected, &steps);
    const size_t room = candor_eb_grid_most(&rows, 0);
    CHECK(room == steps + 15);
    double *point = malloc(room * sizeof *point), *from = malloc(room * sizeof *from),
           *upto = malloc(room * sizeof *upto);
    candor_eb_grid grid = {0, point, from, upto};
    CHECK(candor_eb_grid_make(&rows, cases[c].most, 0, &grid) == CANDOR_OK);
    CHECK(grid.n == n);
    for (size_t j = 0; j < n && j < grid.n; j++) CHECK_NEAR(point[j], expected[j], 1e-9 * (1 + expected[j]));
    /* Cells touch in the middle up to three deviations, else they end one and a half beyond their point. */
    for (size_t j = 0; j < grid.n; j++) {
      const double u = deviations(point[j]), beyond = fmax((pow(u + 1.5, 2) / 4 - base[0]) / slope[0], 0);
      const int touch = j + 1 < grid.n && deviations(point[j + 1]) - u <= 3;
      CHECK_NEAR(upto[j], touch ? (point[j] + point[j + 1]) / 2 : beyond, 1e-9 * (1 + beyond));
      const double v = j > 0 ? deviations(point[j]) - 1.5 : 0;
      const int joined = j > 0 && deviations(point[j]) - deviations(point[j - 1]) <= 3;
      const double before = j == 0 ? 0 : joined ? upto[j - 1] : fmax((v * v / 4 - base[0]) / slope[0], 0);
      CHECK_NEAR(from[j], before, 1e-9 * (1 + before));
    }
    free(point), free(from), free(upto);
  }
}

/* Rows that differ: each count's own reach is covered, in steps of a quarter on the most exact scale, or of `relative`. */
static void different_rows(void)
{
  static double point[4000], from[4000], upto[4000];
  const double relative[] = {0, 0.03};
  for (int r = 0; r < 2; r++) {
    double bases[] = {4, 9, 1}, slopes[] = {30, 12, 90}, counts[] = {3, 14, 300}, ones[] = {1, 1, 1};
    const candor_eb_rows rows = {3, counts, ones, bases, slopes, NULL, ones, ones};
    candor_eb_grid grid = {0, point, from, upto};
    CHECK(candor_eb_grid_most(&rows, relative[r]) <= 4000);
    CHECK(candor_eb_grid_make(&rows, 50, relative[r], &grid) == CANDOR_OK);
    for (size_t i = 0; i < 3; i++) {
      const double root = sqrt(counts[i] + 0.375);
      const double begin = fmax((pow(fmax(root - 1.75, 0), 2) - bases[i]) / slopes[i], 0);
      const double end = (pow(root + 1.75, 2) - bases[i]) / slopes[i];
      for (size_t j = 0; j + 1 < grid.n; j++) {
        if (point[j] < begin || point[j + 1] > end) continue;
        const double gap = 2 * (sqrt(1 + 90 * point[j + 1]) - sqrt(1 + 90 * point[j]));
        CHECK(gap <= 0.25 + 1e-9 || point[j + 1] <= point[j] * (1 + relative[r]) * (1 + 1e-9));
      }
      CHECK(point[grid.n - 1] >= end || i < 2 || 2 * (sqrt(1 + 90 * end) - sqrt(1 + 90 * point[grid.n - 1])) < 0.25);
    }
    for (size_t j = 0; r == 1 && j + 1 < grid.n; j++) CHECK(upto[j] == from[j + 1]);
  }
  /* A group of ten reports beside one of 1e15 needs more than four million points. */
  double counts[] = {10, 1e15}, bases[] = {0, 0}, slopes[] = {1, 1e14}, ones[] = {1, 1};
  const candor_eb_rows rows = {2, counts, ones, bases, slopes, NULL, ones, ones};
  CHECK(candor_eb_grid_most(&rows, 0) == 0);
}

/* Each column of the rows has its domain: [0, 1e17], above 1e-17 where it must be positive, and counts within trials. */
static void domains(void)
{
  double value[7][2] = {{1, 2}, {1, 1}, {1, 1}, {3, 3}, {8, 8}, {1, 1}, {0, 1}};
  const candor_eb_rows rows = {2, value[0], value[1], value[2], value[3], value[4], value[5], value[6]};
  const double above[] = {0, 1e-17, 0, 1e-17, 0, 1e-17, 0};
  candor_eb_grid grid = {0, x, low, high};
  candor_eb_bands bands = {first, last, start, 0};
  CHECK(candor_eb_grid_make(&rows, 2, 0, &grid) == CANDOR_OK);
  for (int column = 0; column < 7; column++) {
    for (int row = 0; row < 2; row++) {
      const double before = value[column][row];
      const double bad[] = {NAN, INFINITY, -1, 1.1e17, above[column]};
      for (int b = 0; b < 5; b++) {
        if (b == 4 && above[column] == 0) continue;
        value[column][row] = bad[b];
        const candor_status expected = b < 2 ? CANDOR_NOT_FINITE : CANDOR_DOMAIN;
        CHECK(candor_eb_bands_make(&rows, &grid, &bands) == expected);
        CHECK(candor_eb_grid_most(&rows, 0) == 0);
      }
      value[column][row] = before;
    }
  }
  value[4][1] = 2; /* as many trials as reports */
  CHECK(candor_eb_bands_make(&rows, &grid, &bands) == CANDOR_OK);
  value[4][1] = 1.999;
  CHECK(candor_eb_bands_make(&rows, &grid, &bands) == CANDOR_DOMAIN);
  value[4][1] = value[0][1] = 1e17;
  value[2][1] = 5e16;
  CHECK(candor_eb_bands_make(&rows, &grid, &bands) == CANDOR_OK);
}

int main(void)
{
  uniform_seed = 31;
  shapes();
  posteriors();
  kernels();
  grids();
  different_rows();
  domains();
  return check_report();
}
