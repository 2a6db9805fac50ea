/* The shapes a prior may have, and their average weighed by likelihood. */
#include <math.h>

#include "estimate/eb.h"

static const double EXPONENTS[] = {0, 0.5, 1, 1.25, 1.5, 1.75, 2, 2.5, 3};
enum { EXPONENT_COUNT = sizeof EXPONENTS / sizeof EXPONENTS[0], LARGER = 40 };
static const double PARTS[] = {1, 2, 5, 15, 50, 200, 1000, 5000};
enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };
static const double REST[] = {1, 1.5, 2};
enum { REST_COUNT = sizeof REST / sizeof REST[0], KINDS = 4 };
static const double SPREADS[] = {0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1, 1.3, 1.6, 2, 2.5, 3};
enum { SPREAD_COUNT = sizeof SPREADS / sizeof SPREADS[0] };
static const double FLOOR = 1e-300, SPREAD_MASS = 1e-6, PSEUDO = 10;
enum { FREE_STEPS = 200 };

typedef struct average {
  const candor_eb_rows *rows;
  const candor_eb_grid *grid;
  const candor_eb_bands *bands;
  const double *kernel;
  double *shape; /* masses of the shape at hand */
  double *prior; /* of those so far, in units of e^top */
  double top, total, kinds[KINDS];
  size_t shapes;
} average;

static double log_likelihood(const average *a)
{
  double sum = 0;
  for (size_t i = 0; i < a->rows->n; i++) {
    const double *row = a->kernel + a->bands->start[i], *mass = a->shape + a->bands->first[i];
    const size_t n = a->bands->last[i] - a->bands->first[i];
    double f = 0;
    for (size_t j = 0; j < n; j++) f += row[j] * mass[j];
    sum += a->rows->categories[i] * log(fmax(f, FLOOR));
  }
  return sum;
}

/* Adds the shape at hand, whose prior weight is e^weight. */
static void add_shape(average *a, double weight, int kind)
{
  const size_t n = a->grid->n;
  const double value = weight + log_likelihood(a);
  a->shapes++;
  if (value > a->top) {
    const double less = exp(a->top - value);
    for (size_t j = 0; j < n; j++) a->prior[j] *= less;
    for (int k = 0; k < KINDS; k++) a->kinds[k] *= less;
    a->total *= less;
    a->top = value;
  }
  const double part = exp(value - a->top);
  if (part < 1e-14) return;
  for (size_t j = 0; j < n; j++) a->prior[j] += part * a->shape[j];
  a->kinds[kind] += part;
  a->total += part;
}

static void clear(average *a)
{
  for (size_t j = 0; j < a->grid->n; j++) a->shape[j] = 0;
}

/* A mass at x, parted between the points next to it so that its mean is x; lost in a gap. */
static void add_mass(average *a, double x, double mass)
{
  const candor_eb_grid *grid = a->grid;
  size_t low = 0, high = grid->n;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (grid->x[middle] <= x) low = middle;
    else high = middle;
  }
  if (high < grid->n && grid->high[low] >= grid->low[high]) {
    const double part = (x - grid->x[low]) / (grid->x[high] - grid->x[low]);
    a->shape[low] += mass * (1 - part);
    a->shape[high] += mass * part;
  } else if (x < grid->high[low]) {
    a->shape[low] += mass;
  } else if (high < grid->n && x >= grid->low[high]) {
    a->shape[high] += mass;
  }
}

static void point(average *a, double weight)
{
  clear(a);
  add_mass(a, 1, 1);
  add_shape(a, log(weight), 0);
}

/* ---- power laws ---- */

/* The integral of x^(k - rho) from e^low to e^high, less the factor e^(high (k + 1 - rho)), which is common to all uses
 * with one k. */
static double relative_integral(double exponent, double low, double high)
{
  return fabs(exponent) < 1e-9 ? high - low : -expm1(exponent * (low - high)) / exponent;
}

/* log L for which x^-rho on [L, U] has mean 1: the mean rises with L. */
static double lower_end(double rho, double high)
{
  double low = -2 * exp(high) - 300, most = 0;
  for (int step = 0; step < 100 && most - low > 1e-12 * (1 + fabs(low)); step++) {
    const double middle = (low + most) / 2;
    /* Powers of e^low may overflow where rho > 1: both integrals are taken in
     * units of the larger end's, which makes e^(exponent (low - high)) of them. */
    const double mean = exp(high) * relative_integral(2 - rho, middle, high) / relative_integral(1 - rho, middle, high);
    if (mean > 1) most = middle;
    else low = middle;
  }
  return (low + most) / 2;
}

/* Antiderivative of the density at each cell's ends: x^(1 - rho) or log x. */
static void ends(const candor_eb_grid *grid, double rho, double *at_low, double *at_high)
{
  const double e = 1 - rho;
  for (size_t j = 0; j < grid->n; j++) {
    at_low[j] = j > 0 && grid->low[j] == grid->high[j - 1] ? at_high[j - 1]
                : fabs(e) < 1e-9                           ? log(grid->low[j])
                                                           : exp(e * log(grid->low[j]));
    at_high[j] = fabs(e) < 1e-9 ? log(grid->high[j]) : exp(e * log(grid->high[j]));
  }
}

/* Adds `mass` times the law of density ~ x^-rho up to e^high, with mean 1, in units of `scale`. */
static void power_law(average *a, double rho, double high, double scale, double mass, const double *at_low,
                      const double *at_high)
{
  const double e = 1 - rho, U = exp(high);
  const int logs = fabs(e) < 1e-9;
  const double full = e > 1e-9 ? U * e / (1 + e) : 0; /* the mean where L = 0 */
  const double low = full > 1 ? -INFINITY : lower_end(rho, high), L = full > 1 ? 0 : exp(low) * scale;
  const double atom = full > 1 ? 1 - 1 / full : 0, most = U * scale, unit = log(scale);
  const double from = logs ? low + unit : full > 1 ? 0 : exp(e * (low + unit));
  const double upto = logs ? high + unit : exp(e * (high + unit));
  for (size_t j = 0; j < a->grid->n; j++) {
    const double left = a->grid->low[j] <= L ? from : a->grid->low[j] >= most ? upto : at_low[j];
    const double right = a->grid->high[j] <= L ? from : a->grid->high[j] >= most ? upto : at_high[j];
    a->shape[j] += mass * (1 - atom) * fmax((right - left) / (upto - from), 0);
  }
  a->shape[0] += mass * atom;
}

/* U three to an octave, from 1.25 to the largest x in sight. */
static void power_laws(average *a, double weight, double most, double *work)
{
  const double octaves = log(fmax(most, 2) / 1.25) / log(2.0), begin = log(1.25), end = log(fmax(most, 1.25));
  const size_t uppers = (size_t) fmax(2, ceil(3 * octaves));
  double *at_low = work, *at_high = work + a->grid->n;
  for (size_t r = 0; r < EXPONENT_COUNT; r++) {
    ends(a->grid, EXPONENTS[r], at_low, at_high);
    for (size_t i = 0; i < uppers; i++) {
      clear(a);
      power_law(a, EXPONENTS[r], begin + (end - begin) * (double) i / (double) (uppers - 1), 1, 1, at_low, at_high);
      add_shape(a, log(weight / (double) (uppers * EXPONENT_COUNT)), 1);
    }
  }
}

/* ---- pairs ---- */

static size_t parts(double categories, double *part)
{
  size_t n = 0;
  for (size_t i = 0; i < PART_COUNT; i++)
    if (PARTS[i] / categories < 0.4) part[n++] = PARTS[i] / categories;
  part[n++] = 0.5;
  part[n++] = 0.8;
  return n;
}

/* The points that larger shares are taken from: all above 1.2, or LARGER of them at equal distances. */
static size_t larger_points(const candor_eb_grid *grid, double *point)
{
  size_t begin = 0;
  while (begin < grid->n && grid->x[begin] <= 1.2) begin++;
  const size_t many = grid->n - begin, n = many < LARGER ? many : LARGER;
  for (size_t i = 0; i < n; i++) point[i] = grid->x[begin + (n > 1 ? i * (many - 1) / (n - 1) : 0)];
  return n;
}

static void pairs(average *a, double weight, double categories)
{
  double part[PART_COUNT + 2], point[LARGER];
  const size_t n_parts = parts(categories, part), larger = larger_points(a->grid, point);
  size_t count = 0;
  /* Two passes: the first counts the pairs, the second adds them. */
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < larger; i++) {
      const double U = point[i];
      for (size_t k = 0; k < n_parts; k++) {
        if (U * part[k] >= 1) continue;
        if (pass == 0) {
          count++;
          continue;
        }
        clear(a);
        add_mass(a, (1 - U * part[k]) / (1 - part[k]), 1 - part[k]);
        add_mass(a, U, part[k]);
        add_shape(a, log(weight / (double) count), 2);
      }
    }
  }
}

/* ---- one above the rest ---- */

/* One category has x = U, the others follow a power law that ends there; the prior weight rises with U. Without these
 * shapes a category that stands out by three standard deviations is taken for chance: of the power laws few have so
 * much in one category, and the pairs, which do, leave no place for a second category that is larger than the rest. */
static void singles(average *a, double weight, double categories, double *work)
{
  double point[LARGER], sum = 0;
  const size_t larger = larger_points(a->grid, point);
  const double part = 1 / categories;
  double *at_low = work, *at_high = work + a->grid->n;
  size_t count = 0;
  while (count < larger && point[count] * part < 1) sum += point[count++];
  for (size_t r = 0; r < REST_COUNT; r++) {
    ends(a->grid, REST[r], at_low, at_high);
    for (size_t i = 0; i < count; i++) {
      const double U = point[i], rest = (1 - U * part) / (1 - part);
      clear(a);
      add_mass(a, U, part);
      power_law(a, REST[r], log(U / rest), rest, 1 - part, at_low, at_high);
      add_shape(a, log(weight / REST_COUNT * U / sum), 3);
    }
  }
}

/* ---- log-normal laws ---- */

static double normal_below(double z)
{
  return 0.5 * erfc(-z / sqrt(2.0));
}

static void log_normals(average *a, double weight)
{
  for (size_t r = 0; r < SPREAD_COUNT; r++) {
    const double s = SPREADS[r];
    for (size_t j = 0; j < a->grid->n; j++) {
      const double left = j == 0 ? 0 : normal_below((log(a->grid->low[j]) + s * s / 2) / s);
      a->shape[j] = fmax(normal_below((log(a->grid->high[j]) + s * s / 2) / s) - left, 0);
    }
    add_shape(a, log(weight / SPREAD_COUNT), 1);
  }
}

/* ---- free form ---- */

/* The masses that maximize sum part log(mass) under mass adding up to 1 and mean 1: part / (weight + nu (x - 1)), with
 * `weight` the sum of the parts. The difference of the mean falls in nu. */
static void with_mean_one(const candor_eb_grid *grid, const double *part, double weight, double *nu, double *mass)
{
  const double least = grid->x[0] - 1, most = grid->x[grid->n - 1] - 1;
  double low = -weight / most, high = weight / -least;
  *nu = *nu > low && *nu < high ? *nu : 0;
  for (int step = 0; step < 50; step++) {
    double off = 0, rate = 0;
    for (size_t j = 0; j < grid->n; j++) {
      const double t = grid->x[j] - 1;
      mass[j] = part[j] / (weight + *nu * t);
      off += mass[j] * t;
      rate += mass[j] * t * t / (weight + *nu * t);
    }
    if (fabs(off) < 1e-9) break;
    if (off > 0) low = *nu;
    else high = *nu;
    const double next = *nu + off / rate;
    *nu = next > low && next < high ? next : (low + high) / 2;
  }
  /* They add up to 1 where the mean is met; where rounding keeps it from that, they still do. */
  double sum = 0;
  for (size_t j = 0; j < grid->n; j++) sum += mass[j];
  for (size_t j = 0; j < grid->n; j++) mass[j] /= sum;
}

/* Steps of EM for the likelihood plus PSEUDO log(prior) in the direction of the average of shapes: each sharpens the
 * prior where the shapes are too smooth for the counts. After s steps the prior of equal shares is about 1/sqrt(s)
 * standard deviations wide. */
static void sharpen(average *a, const double *from, double *next, double *to)
{
  const size_t n = a->grid->n;
  double weight = PSEUDO, nu = 0;
  for (size_t i = 0; i < a->rows->n; i++) weight += a->rows->categories[i];
  for (size_t j = 0; j < n; j++) to[j] = from[j];
  for (int step = 0; step < FREE_STEPS; step++) {
    for (size_t j = 0; j < n; j++) next[j] = PSEUDO * from[j];
    for (size_t i = 0; i < a->rows->n; i++) {
      const double *row = a->kernel + a->bands->start[i];
      const size_t first = a->bands->first[i], width = a->bands->last[i] - first;
      double f = 0;
      for (size_t j = 0; j < width; j++) f += row[j] * to[first + j];
      const double part = a->rows->categories[i] / f;
      for (size_t j = 0; j < width; j++) next[first + j] += part * row[j] * to[first + j];
    }
    with_mean_one(a->grid, next, weight, &nu, to);
  }
}

/* How well a prior foretells each category from the others: its own part in the prior, one step of EM, taken out. */
static double left_out(const average *a, const double *prior, double pseudo)
{
  double weight = pseudo, sum = 0;
  for (size_t i = 0; i < a->rows->n; i++) weight += a->rows->categories[i];
  for (size_t i = 0; i < a->rows->n; i++) {
    const double *row = a->kernel + a->bands->start[i];
    const size_t first = a->bands->first[i], width = a->bands->last[i] - first;
    double f = 0, own = 0;
    for (size_t j = 0; j < width; j++) {
      const double mass = row[j] * prior[first + j];
      f += mass;
      own += mass * row[j];
    }
    const double rest = pseudo > 0 ? (weight * f - own / f) / (weight - 1) : f;
    sum += a->rows->categories[i] * log(fmax(rest, FLOOR));
  }
  return sum;
}

/* The weight of the free form against the average of shapes, and their mean in `prior`. */
static double add_free_form(average *a, double odds, double *work)
{
  double *sharp = work, *next = work + a->grid->n;
  sharpen(a, a->prior, next, sharp);
  const double gain = log(odds) + left_out(a, sharp, PSEUDO) - left_out(a, a->prior, 0);
  double total = 0;
  int positive = 1;
  for (size_t j = 0; j < a->grid->n; j++) {
    total += sharp[j];
    positive = positive && sharp[j] > 0;
  }
  /* Rows of counts near the largest double may overflow the free form, or round one of its masses below 0; the average
   * stands without it. */
  if (isnan(gain) || !isfinite(total) || !positive) return 0;
  const double weight = gain > 0 ? 1 / (1 + exp(-gain)) : exp(gain) / (1 + exp(gain));
  /* Not prior + weight (sharp - prior), which is 0 where sharp is below the rounding of prior. */
  for (size_t j = 0; j < a->grid->n; j++) a->prior[j] = (1 - weight) * a->prior[j] + weight * sharp[j];
  return weight;
}

/* ---- the average ---- */

size_t candor_eb_prior_work(const candor_eb_grid *grid)
{
  return 3 * grid->n;
}

candor_status candor_eb_prior(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                              const double *kernel, const candor_eb_shapes *shapes, double *work, double *prior,
                              candor_eb_summary *summary)
{
  const double weights[] = {shapes->point,  shapes->power, shapes->pair,
                            shapes->single, shapes->free,  shapes->categories};
  for (int i = 0; i < 6; i++) {
    if (!isfinite(weights[i])) return CANDOR_NOT_FINITE;
    if (weights[i] < 0) return CANDOR_DOMAIN;
  }
  if (!(shapes->point > 0) || shapes->categories < 1 || grid->n == 0) return CANDOR_DOMAIN;
  average a = {
      .rows = rows, .grid = grid, .bands = bands, .kernel = kernel, .shape = work, .prior = prior, .top = -INFINITY};
  for (size_t j = 0; j < grid->n; j++) prior[j] = 0;
  point(&a, shapes->point);
  if (shapes->power > 0 && !shapes->reference) power_laws(&a, shapes->power, grid->x[grid->n - 1], work + grid->n);
  if (shapes->power > 0 && shapes->reference) log_normals(&a, shapes->power);
  if (shapes->pair > 0 && !shapes->reference) pairs(&a, shapes->pair, shapes->categories);
  if (shapes->single > 0 && !shapes->reference) singles(&a, shapes->single, shapes->categories, work + grid->n);
  double sum = 0;
  for (size_t j = 0; j < grid->n; j++) sum += prior[j];
  if (!(sum > 0) || isinf(sum)) return CANDOR_STALLED;
  for (size_t j = 0; j < grid->n; j++) prior[j] = (1 - SPREAD_MASS) * prior[j] / sum + SPREAD_MASS / (double) grid->n;
  *summary = (candor_eb_summary){a.kinds[0] / a.total,
                                 a.kinds[1] / a.total,
                                 a.kinds[2] / a.total,
                                 a.kinds[3] / a.total,
                                 0,
                                 a.top + log(a.total),
                                 a.shapes};
  if (shapes->free > 0) summary->free = add_free_form(&a, shapes->free, work + grid->n);
  return CANDOR_OK;
}
