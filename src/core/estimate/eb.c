#include "estimate/eb.h"

#include <math.h>

/* On the scale u = 2 sqrt(mean) a Poisson count has standard deviation 1. */
static const double STEP = 0.25, REACH = 3.5, HALF_CELL = 1.5, DROP = 46, LARGEST = 1e17;
/* Where no count says anything, the shapes still need points to differ at. */
static const double AROUND[] = {0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 5, 10, 20};
enum { AROUNDS = sizeof AROUND / sizeof AROUND[0], MOST_POINTS = 4000000 };

static candor_status check_rows(const candor_eb_rows *rows)
{
  if (rows->n == 0) return CANDOR_EMPTY;
  for (size_t i = 0; i < rows->n; i++) {
    const double values[] = {rows->count[i],
                             rows->categories[i],
                             rows->base[i],
                             rows->slope[i],
                             rows->trials ? rows->trials[i] : rows->count[i],
                             rows->share[i],
                             rows->tilt[i]};
    for (int v = 0; v < 7; v++) {
      if (!isfinite(values[v])) return CANDOR_NOT_FINITE;
      if (values[v] < 0 || values[v] > LARGEST) return CANDOR_DOMAIN;
    }
    if (!(values[1] > 1 / LARGEST) || !(values[3] > 1 / LARGEST) || values[4] < values[0] || !(values[5] > 1 / LARGEST))
      return CANDOR_DOMAIN;
  }
  return CANDOR_OK;
}

/* ---- the grid ---- */

/* The most exact row: least base, greatest slope. The scale u is its. */
typedef struct ruler {
  double base, slope, low;
  int alike; /* one base and slope, and counts in rising order */
} ruler;

static double deviations(const ruler *s, double x)
{
  return 2 * sqrt(s->base + s->slope * x);
}

static double share_at(const ruler *s, double u)
{
  const double x = (u * u / 4 - s->base) / s->slope;
  return x > 0 ? x : 0;
}

static ruler find_ruler(const candor_eb_rows *rows)
{
  ruler s = {rows->base[0], rows->slope[0], 0, 1};
  for (size_t i = 1; i < rows->n; i++) {
    s.alike = s.alike && rows->base[i] == rows->base[0] && rows->slope[i] == rows->slope[0] &&
              rows->count[i] >= rows->count[i - 1];
    s.base = fmin(s.base, rows->base[i]);
    s.slope = fmax(s.slope, rows->slope[i]);
  }
  s.low = deviations(&s, 0);
  return s;
}

/* Where on the scale row i's count may come from: its own reach is that of its own deviations. */
static void window(const candor_eb_rows *rows, const ruler *s, size_t i, double *begin, double *end)
{
  const double root = sqrt(rows->count[i] + 0.375), below = fmax(root - REACH / 2, 0), above = root + REACH / 2;
  *begin = deviations(s, fmax((below * below - rows->base[i]) / rows->slope[i], 0));
  *end = deviations(s, fmax((above * above - rows->base[i]) / rows->slope[i], 0));
}

/* Steps near some count; `x` may be NULL, to count them. Where less than one category a deviation is met, steps of
 * twice the size will do; `relative` is the least step in units of x. */
static size_t near_counts(const candor_eb_rows *rows, const ruler *s, double relative, double *x)
{
  size_t n = 0, next = 0, from = 0, upto = 0;
  double u = s->low, end = -1, within = 0;
  while (n <= MOST_POINTS) {
    for (double begin, last; next < rows->n; next++) {
      window(rows, s, next, &begin, &last);
      if (begin > u) break;
      end = fmax(end, last);
    }
    if (u > end) {
      if (next == rows->n) break;
      window(rows, s, next, &u, &end);
      continue;
    }
    const double at = share_at(s, u);
    if (x && n < MOST_POINTS) x[n] = at;
    n++;
    double step = STEP;
    if (s->alike) {
      for (; upto < rows->n && 2 * sqrt(rows->count[upto] + 0.375) <= u + 1; upto++) within += rows->categories[upto];
      for (; from < upto && 2 * sqrt(rows->count[from] + 0.375) < u - 1; from++) within -= rows->categories[from];
      step = within >= 2 ? STEP : 2 * STEP;
    }
    u = fmax(u + step, relative > 0 ? deviations(s, at * (1 + relative)) : 0);
  }
  return n;
}

size_t candor_eb_grid_most(const candor_eb_rows *rows, double relative)
{
  if (check_rows(rows) != CANDOR_OK) return 0;
  const ruler s = find_ruler(rows);
  const size_t near = near_counts(rows, &s, relative, NULL);
  return near > MOST_POINTS ? 0 : 1 + AROUNDS + near;
}

static void insert(candor_eb_grid *grid, double x)
{
  size_t j = grid->n++;
  for (; j > 0 && grid->x[j - 1] > x; j--) grid->x[j] = grid->x[j - 1];
  grid->x[j] = x;
}

/* Points that no count can tell apart, unless they are far apart in x; 0 and 1 stay. */
static void thin(const ruler *s, double most, candor_eb_grid *grid)
{
  size_t kept = 0;
  for (size_t j = 0; j < grid->n; j++) {
    const double x = grid->x[j];
    if (x > most * (1 + 1e-9)) break;
    const double last = kept > 0 ? grid->x[kept - 1] : -1;
    const int near = kept > 0 && deviations(s, x) - deviations(s, last) <= STEP / 50 && x - last <= 0.05;
    if (x == 1 && near && last != 1 && last > 0) grid->x[kept - 1] = 1;
    else if (!near || (x == 1 && last != 1)) grid->x[kept++] = x;
  }
  grid->n = kept;
}

static void make_cells(const ruler *s, double relative, candor_eb_grid *grid)
{
  grid->low[0] = 0;
  for (size_t j = 0; j < grid->n; j++) {
    const double u = deviations(s, grid->x[j]);
    grid->high[j] = share_at(s, u + HALF_CELL);
    if (j + 1 < grid->n) {
      const double next = deviations(s, grid->x[j + 1]);
      const int touch = relative > 0 || next - u <= 2 * HALF_CELL;
      const double middle = (grid->x[j] + grid->x[j + 1]) / 2;
      grid->high[j] = touch ? middle : grid->high[j];
      grid->low[j + 1] = touch ? middle : share_at(s, next - HALF_CELL);
    }
  }
}

candor_status candor_eb_grid_make(const candor_eb_rows *rows, double most, double relative, candor_eb_grid *grid)
{
  const candor_status status = check_rows(rows);
  if (status != CANDOR_OK) return status;
  if (!(most > 1) || !(relative >= 0)) return CANDOR_DOMAIN;
  const ruler s = find_ruler(rows);
  grid->n = near_counts(rows, &s, relative, grid->x);
  if (grid->n > MOST_POINTS) return CANDOR_DOMAIN;
  insert(grid, 0);
  for (size_t j = 0; j < AROUNDS; j++) insert(grid, AROUND[j]);
  thin(&s, most, grid);
  make_cells(&s, relative, grid);
  return CANDOR_OK;
}

/* ---- the kernel ---- */

/* log of the chance of `count` where `mean` are expected, less that where `count` are. */
static double log_poisson(double count, double mean)
{
  if (!(count > 0)) return -mean;
  const double t = mean - count;
  return mean > 0 ? count * log1p(t / count) - t : -INFINITY;
}

static double log_kernel(const candor_eb_rows *rows, size_t i, double x)
{
  const double count = rows->count[i], mean = rows->base[i] + rows->slope[i] * x;
  if (!rows->trials) return log_poisson(count, mean);
  const double rest = rows->trials[i] - mean;
  /* Twice Poisson: the deviations of the one are those of the other, with the sign changed. */
  return log_poisson(count, mean) + (rest > 0 ? log_poisson(rows->trials[i] - count, rest) : -INFINITY);
}

/* log_kernel() at x less that at `from`, by the difference of the means. Where a count lies far off the grid both
 * values are as large as the count, and what is left of them after a subtraction may be all rounding. */
static double log_change(const candor_eb_rows *rows, size_t i, double from, double x)
{
  const double count = rows->count[i], mean = rows->base[i] + rows->slope[i] * from, t = rows->slope[i] * (x - from);
  const double change = (count > 0 ? count * log1p(fmax(t / mean, -1)) : 0) - t;
  if (!rows->trials) return change;
  const double rest = rows->trials[i] - mean, other = rows->trials[i] - count;
  if (!(t < rest)) return -INFINITY;
  return change + (other > 0 ? other * log1p(-t / rest) : 0) + t;
}

/* The best point for row i: the kernel rises up to its maximum and falls from there. */
static size_t find_top(const candor_eb_rows *rows, const candor_eb_grid *grid, size_t i)
{
  const double x = (rows->count[i] - rows->base[i]) / rows->slope[i];
  size_t low = 0, high = grid->n;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (grid->x[middle] <= x) low = middle;
    else high = middle;
  }
  if (high == grid->n) return low;
  return log_change(rows, i, grid->x[low], grid->x[high]) > 0 ? high : low;
}

candor_status candor_eb_bands_make(const candor_eb_rows *rows, const candor_eb_grid *grid, candor_eb_bands *bands)
{
  const candor_status status = check_rows(rows);
  if (status != CANDOR_OK) return status;
  bands->size = 0;
  for (size_t i = 0; i < rows->n; i++) {
    const size_t top = find_top(rows, grid, i);
    const double at = grid->x[top];
    if (!isfinite(log_kernel(rows, i, at))) return CANDOR_IMPOSSIBLE;
    size_t first = top, last = top + 1;
    while (first > 0 && log_change(rows, i, at, grid->x[first - 1]) > -DROP) first--;
    while (last < grid->n && log_change(rows, i, at, grid->x[last]) > -DROP) last++;
    bands->first[i] = first;
    bands->last[i] = last;
    bands->start[i] = bands->size;
    bands->size += last - first;
  }
  return CANDOR_OK;
}

void candor_eb_kernel(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                      double *kernel, double *loglik)
{
  *loglik = 0;
  for (size_t i = 0; i < rows->n; i++) {
    double *row = kernel + bands->start[i];
    const double *x = grid->x + bands->first[i], top = grid->x[find_top(rows, grid, i)];
    for (size_t j = 0; j < bands->last[i] - bands->first[i]; j++) row[j] = exp(log_change(rows, i, top, x[j]));
    *loglik += rows->categories[i] * log_kernel(rows, i, top);
  }
}

/* ---- the posterior ---- */

typedef struct world {
  const candor_eb_rows *rows;
  const candor_eb_grid *grid;
  const candor_eb_bands *bands;
  const double *prior;
} world;

/* Posterior weights of row i, adding up to 1; `weight` may be the row's kernel itself. */
static void weigh(const world *w, size_t i, double eta, const double *kernel, double *weight)
{
  const size_t first = w->bands->first[i], n = w->bands->last[i] - first;
  const double centre = (w->rows->count[i] - w->rows->base[i]) / w->rows->slope[i], tilt = eta * w->rows->tilt[i];
  double most = -INFINITY, sum = 0;
  for (size_t j = 0; j < n; j++) {
    const double mass = kernel[j] * w->prior[first + j];
    weight[j] = mass > 0 ? log(mass) - tilt * (w->grid->x[first + j] - centre) : -INFINITY;
    most = fmax(most, weight[j]);
  }
  for (size_t j = 0; j < n; j++) {
    weight[j] = exp(weight[j] - most);
    sum += weight[j];
  }
  for (size_t j = 0; j < n; j++) weight[j] /= sum;
}

/* Mean and variance of row i under the tilt; without one, no logarithms. */
static void moments(const world *w, size_t i, double eta, const double *kernel, double *mean, double *variance)
{
  const size_t first = w->bands->first[i], n = w->bands->last[i] - first;
  const double *x = w->grid->x + first, *prior = w->prior + first;
  const double tilt = eta * w->rows->tilt[i];
  /* Centred where the row's kernel has its top, so that the exponent cannot overflow by more than the band's width. */
  size_t top = 0;
  double best = -INFINITY;
  for (size_t j = 0; j < n; j++) {
    const double mass = kernel[j] * prior[j];
    const double value = mass > 0 ? log(mass) - tilt * (x[j] - x[0]) : -INFINITY;
    if (value > best) {
      best = value;
      top = j;
    }
  }
  double sum = 0, first_moment = 0, second = 0;
  for (size_t j = 0; j < n; j++) {
    const double t = x[j] - x[top], mass = kernel[j] * prior[j] * exp(-tilt * t);
    sum += mass;
    first_moment += mass * t;
    second += mass * t * t;
  }
  first_moment /= sum;
  *mean = x[top] + first_moment;
  *variance = fmax(second / sum - first_moment * first_moment, 0);
}

/* How far all shares together are from their total, and the rate at which the tilt changes that. */
static double excess(const world *w, const double *kernel, double eta, double total, double *rate, double *mean,
                     double *variance)
{
  double sum = -total;
  *rate = 0;
  for (size_t i = 0; i < w->rows->n; i++) {
    moments(w, i, eta, kernel + w->bands->start[i], mean + i, variance + i);
    const double share = w->rows->categories[i] * w->rows->share[i];
    sum += share * mean[i];
    *rate += share * w->rows->tilt[i] * variance[i];
  }
  return sum;
}

candor_status candor_eb_posterior(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                                  const double *kernel, const double *prior, double total, double *eta, double *mean,
                                  double *variance)
{
  const world w = {rows, grid, bands, prior};
  double scale = 0, rate;
  *eta = 0;
  for (size_t i = 0; i < rows->n; i++) scale = fmax(scale, rows->slope[i] / rows->share[i]);
  if (!isfinite(total)) return CANDOR_NOT_FINITE;
  double off = excess(&w, kernel, 0, total, &rate, mean, variance);
  if (!(total > 0)) return CANDOR_OK;
  for (int step = 0; step < 60 && fabs(off) > 1e-12 * total && rate > 1e-25 * total; step++) {
    const double most = 0.5 * (scale + fabs(*eta));
    double move = fmax(fmin(off / rate, most), -most), next = INFINITY, next_rate = 0;
    int halvings = 0;
    for (; halvings < 20; halvings++) {
      next = excess(&w, kernel, *eta + move, total, &next_rate, mean, variance);
      if (isfinite(next) && fabs(next) < fabs(off)) break;
      move /= 4;
    }
    if (halvings == 20) break;
    *eta += move;
    off = next;
    rate = next_rate;
  }
  excess(&w, kernel, *eta, total, &rate, mean, variance);
  return CANDOR_OK;
}

void candor_eb_cumulate(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                        const double *prior, double eta, double *kernel)
{
  const world w = {rows, grid, bands, prior};
  for (size_t i = 0; i < rows->n; i++) {
    double *row = kernel + bands->start[i];
    weigh(&w, i, eta, row, row);
    for (size_t j = 1; j < bands->last[i] - bands->first[i]; j++) row[j] += row[j - 1];
  }
}

void candor_eb_quantiles(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                         const double *cumulated, double level, double *quantile)
{
  for (size_t i = 0; i < rows->n; i++) {
    const double *row = cumulated + bands->start[i];
    const size_t first = bands->first[i], n = bands->last[i] - first;
    size_t low = 0, high = n - 1; /* the first column whose cumulated weight reaches the level */
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (row[middle] < level) low = middle + 1;
      else high = middle;
    }
    const size_t j = first + low;
    const double before = low > 0 ? row[low - 1] : 0, mass = row[low] - before;
    const double left = j > 0 ? (grid->x[j - 1] + grid->x[j]) / 2 : 0;
    const double right = j == 0 ? 0 : j + 1 < grid->n ? (grid->x[j] + grid->x[j + 1]) / 2 : grid->x[j];
    const double part = mass > 0 ? fmin(fmax((level - before) / mass, 0), 1) : 0.5;
    quantile[i] = left + (right - left) * part;
  }
}

void candor_eb_median(const candor_eb_rows *rows, const candor_eb_grid *grid, const candor_eb_bands *bands,
                      const double *cumulated, double total, double *median)
{
  double low = 0, high = 1, middle = 0.5;
  for (int step = 0; step < 40; step++) {
    double sum = -total;
    candor_eb_quantiles(rows, grid, bands, cumulated, middle, median);
    for (size_t i = 0; i < rows->n; i++) sum += rows->categories[i] * rows->share[i] * median[i];
    if (fabs(sum) <= 1e-10 * total) break;
    if (sum > 0) high = middle;
    else low = middle;
    middle = (low + high) / 2;
  }
}
