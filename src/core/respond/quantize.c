#include "respond/quantize.h"

#include <math.h>

#define BASE 4294967296.0 /* 2^32 */

const candor_grid candor_grid_zero = {0, 0};
const candor_grid candor_grid_one = {(uint64_t) 1 << 32, 0};

/* ---- grid arithmetic ------------------------------------------------------------------------------- */

/* Scaling by 2^32 and taking off the whole part are exact in binary floating point. */
static candor_grid split(double x, int *inexact)
{
  candor_grid g;
  const double scaled = x * BASE, high = floor(scaled);
  const double rest = (scaled - high) * BASE, low = floor(rest);
  g.high = (uint64_t) high;
  g.low = (uint64_t) low;
  *inexact = rest > low;
  return g;
}

candor_grid candor_grid_floor(double x)
{
  int inexact;
  return split(x, &inexact);
}

candor_grid candor_grid_ceiling(double x)
{
  static const candor_grid unit = {0, 1};
  int inexact;
  const candor_grid g = split(x, &inexact);
  return inexact ? candor_grid_add(g, unit) : g;
}

candor_grid candor_grid_down(double p, double complement)
{
  return p <= complement ? candor_grid_floor(p)
                         : candor_grid_subtract(candor_grid_one, candor_grid_ceiling(complement));
}

candor_grid candor_grid_up(double p, double complement)
{
  return p <= complement ? candor_grid_ceiling(p)
                         : candor_grid_subtract(candor_grid_one, candor_grid_floor(complement));
}

candor_grid candor_grid_add(candor_grid x, candor_grid y)
{
  const uint64_t low = x.low + y.low;
  const candor_grid sum = {x.high + y.high + (low >> 32), low & 0xffffffffu};
  return sum;
}

candor_grid candor_grid_subtract(candor_grid x, candor_grid y)
{
  const uint64_t borrow = x.low < y.low;
  const candor_grid difference = {x.high - y.high - borrow, x.low + (borrow << 32) - y.low};
  return difference;
}

candor_grid candor_grid_multiple(candor_grid x, uint32_t times)
{
  const uint64_t low = x.low * times;
  const candor_grid product = {x.high * times + (low >> 32), low & 0xffffffffu};
  return product;
}

int candor_grid_less(candor_grid x, candor_grid y)
{
  return x.high < y.high || (x.high == y.high && x.low < y.low);
}

double candor_grid_value(candor_grid x)
{
  return ((double) x.high + (double) x.low / BASE) / BASE;
}

double candor_grid_log_ratio(candor_grid more, candor_grid less)
{
  if (!candor_grid_less(less, more)) return 0;
  return log1p(candor_grid_value(candor_grid_subtract(more, less)) / candor_grid_value(less));
}

static candor_grid least(candor_grid x, candor_grid y)
{
  return candor_grid_less(x, y) ? x : y;
}

/* Checks one row of probabilities, `stride` apart, plus `extra`, for range and sum. */
static candor_status check_row(const double *row, size_t n, size_t stride, double extra)
{
  double sum = extra;
  for (size_t i = 0; i < n; i++) {
    const double value = row[i * stride];
    if (isnan(value)) return CANDOR_NOT_FINITE;
    if (!(value >= 0 && value <= 1)) return CANDOR_DOMAIN;
    sum += value;
  }
  return fabs(sum - 1) <= CANDOR_ROW_TOLERANCE ? CANDOR_OK : CANDOR_DOMAIN;
}

static size_t largest(const candor_grid *x, size_t n)
{
  size_t at = 0;
  for (size_t i = 1; i < n; i++) at = candor_grid_less(x[at], x[i]) ? i : at;
  return at;
}

/* Takes `excess` from the largest entries, never to zero while another can give. */
static void take_from_largest(candor_grid *x, size_t n, candor_grid excess)
{
  static const candor_grid unit = {0, 1};
  while (candor_grid_less(candor_grid_zero, excess)) {
    candor_grid *giver = x + largest(x, n);
    const candor_grid gives = least(excess, candor_grid_subtract(*giver, unit));
    if (!candor_grid_less(candor_grid_zero, gives)) return;
    *giver = candor_grid_subtract(*giver, gives);
    excess = candor_grid_subtract(excess, gives);
  }
}

/* ---- truth, or an innocuous answer ----------------------------------------------------------------- */

candor_status candor_quantize_innocuous(size_t n, double a, const double *b, candor_grid *truth, candor_grid *other)
{
  if (n < 1 || isnan(a)) return n < 1 ? CANDOR_DOMAIN : CANDOR_NOT_FINITE;
  if (!(a >= 0 && a <= 1)) return CANDOR_DOMAIN;
  const candor_status status = check_row(b, n, 1, a);
  if (status != CANDOR_OK) return status;
  candor_grid sum = candor_grid_zero;
  for (size_t y = 0; y < n; y++) {
    other[y] = candor_grid_ceiling(b[y]);
    sum = candor_grid_add(sum, other[y]);
  }
  if (!candor_grid_less(candor_grid_zero, sum)) {
    *truth = candor_grid_one;
    return CANDOR_OK;
  }
  if (candor_grid_less(candor_grid_one, sum)) {
    take_from_largest(other, n, candor_grid_subtract(sum, candor_grid_one));
    *truth = candor_grid_zero;
    return CANDOR_OK;
  }
  const candor_grid left = candor_grid_subtract(candor_grid_one, sum);
  *truth = least(left, candor_grid_floor(a));
  candor_grid *receiver = other + largest(other, n);
  *receiver = candor_grid_add(*receiver, candor_grid_subtract(left, *truth));
  return CANDOR_OK;
}

/* ---- any channel ----------------------------------------------------------------------------------- */

typedef struct channel {
  size_t rows, columns;
  const double *c;           /* column-major */
  const double *low, *high;  /* m_y, M_y */
  candor_grid *bottom, *top; /* the boxes */
} channel;

/* t * x on the grid, on the safe side; the product is exact at t = 1. */
static candor_grid scaled_up(double x, double t)
{
  const double product = t == 1 ? x : nextafter(t * x, 2);
  return product >= 1 ? candor_grid_one : candor_grid_ceiling(product);
}

static candor_grid scaled_down(double x, double t)
{
  const double product = t == 1 ? x : nextafter(t * x, 0);
  return product >= 1 ? candor_grid_one : candor_grid_floor(product);
}

static void set_boxes(const channel *ch, double t)
{
  static const candor_grid unit = {0, 1};
  for (size_t y = 0; y < ch->columns; y++) {
    if (ch->low[y] > 0) {
      ch->bottom[y] = scaled_up(ch->low[y], t);
      ch->top[y] = scaled_down(ch->high[y], t);
      if (candor_grid_less(ch->top[y], ch->bottom[y])) ch->top[y] = ch->bottom[y];
    } else {
      ch->bottom[y] = unit;
      ch->top[y] = candor_grid_one;
    }
  }
}

/* By how much row x's boxes miss 1: > 0 if even their tops add up to less, < 0 if their bottoms add up
 * to more, 0 if the row fits. */
static double misfit(const channel *ch, size_t x)
{
  candor_grid bottoms = candor_grid_zero, tops = candor_grid_zero;
  for (size_t y = 0; y < ch->columns; y++) {
    if (ch->c[x + y * ch->rows] > 0) {
      bottoms = candor_grid_add(bottoms, ch->bottom[y]);
      tops = candor_grid_add(tops, ch->top[y]);
    }
  }
  if (candor_grid_less(tops, candor_grid_one)) return candor_grid_value(candor_grid_subtract(candor_grid_one, tops));
  if (candor_grid_less(candor_grid_one, bottoms))
    return -candor_grid_value(candor_grid_subtract(bottoms, candor_grid_one));
  return 0;
}

/* The worst misfits over all rows, upwards and downwards. */
static int fits(const channel *ch, double *lacks, double *exceeds)
{
  *lacks = *exceeds = 0;
  for (size_t x = 0; x < ch->rows; x++) {
    const double by = misfit(ch, x);
    *lacks = fmax(*lacks, by);
    *exceeds = fmax(*exceeds, -by);
  }
  return *lacks == 0 && *exceeds == 0;
}

/* Finds the scale and leaves the boxes set; 0 if no scale serves. */
static int find_boxes(const channel *ch)
{
  const double slack = 8 * 2.220446049250313e-16;
  double lacks, exceeds, again, beyond;
  set_boxes(ch, 1);
  if (fits(ch, &lacks, &exceeds)) return 1;
  if (lacks > 0 && exceeds > 0) return 0;
  /* The misfit is at most the tolerance of a row's sum, so dividing by the part of the row that is there
   * is the first-order answer up to its square; the slack covers both. */
  set_boxes(ch, lacks > 0 ? (1 + slack) / (1 - lacks) : (1 - slack) / (1 + exceeds));
  return fits(ch, &again, &beyond);
}

/* How far entry y may still move in the direction wanted. */
static candor_grid room(const channel *ch, const candor_grid *out, size_t y, int upwards)
{
  return upwards ? candor_grid_subtract(ch->top[y], out[y]) : candor_grid_subtract(out[y], ch->bottom[y]);
}

/* Moves entry y by at most `left`, as far as its box allows; returns what is left then. */
static candor_grid move(const channel *ch, candor_grid *out, size_t y, int upwards, candor_grid left)
{
  const candor_grid by = least(left, room(ch, out, y, upwards));
  out[y] = upwards ? candor_grid_add(out[y], by) : candor_grid_subtract(out[y], by);
  return candor_grid_subtract(left, by);
}

static void fit_row(const channel *ch, size_t x, candor_grid *out)
{
  candor_grid sum = candor_grid_zero;
  for (size_t y = 0; y < ch->columns; y++) {
    const double value = ch->c[x + y * ch->rows];
    out[y] = candor_grid_zero;
    if (value > 0) {
      out[y] = candor_grid_floor(value);
      out[y] = candor_grid_less(out[y], ch->bottom[y]) ? ch->bottom[y] : least(out[y], ch->top[y]);
    }
    sum = candor_grid_add(sum, out[y]);
  }
  const int upwards = candor_grid_less(sum, candor_grid_one);
  candor_grid left = upwards ? candor_grid_subtract(candor_grid_one, sum) : candor_grid_subtract(sum, candor_grid_one);
  /* The largest entry whose box takes all of it is changed least, relatively; where all boxes are tiny, each
   * takes its share in turn. */
  size_t taker = ch->columns;
  for (size_t y = 0; y < ch->columns; y++)
    if (ch->c[x + y * ch->rows] > 0 && !candor_grid_less(room(ch, out, y, upwards), left) &&
        (taker == ch->columns || candor_grid_less(out[taker], out[y])))
      taker = y;
  if (taker < ch->columns) left = move(ch, out, taker, upwards, left);
  for (size_t y = 0; y < ch->columns && candor_grid_less(candor_grid_zero, left); y++)
    if (ch->c[x + y * ch->rows] > 0) left = move(ch, out, y, upwards, left);
}

/* One law for every truth, on the columns that every truth can produce. */
static void constant_rows(const channel *ch, candor_grid *out)
{
  candor_grid sum = candor_grid_zero;
  for (size_t y = 0; y < ch->columns; y++) {
    out[y] = candor_grid_ceiling(ch->low[y]);
    sum = candor_grid_add(sum, out[y]);
  }
  if (candor_grid_less(candor_grid_one, sum)) {
    take_from_largest(out, ch->columns, candor_grid_subtract(sum, candor_grid_one));
  } else {
    candor_grid *receiver = out + largest(out, ch->columns);
    *receiver = candor_grid_add(*receiver, candor_grid_subtract(candor_grid_one, sum));
  }
  for (size_t x = 1; x < ch->rows; x++)
    for (size_t y = 0; y < ch->columns; y++) out[x * ch->columns + y] = out[y];
}

candor_status candor_quantize_channel(size_t rows, size_t columns, const double *c, double *work, candor_grid *bound,
                                      candor_grid *out)
{
  if (rows < 1 || columns < 1) return CANDOR_DOMAIN;
  for (size_t x = 0; x < rows; x++) {
    const candor_status status = check_row(c + x, columns, rows, 0);
    if (status != CANDOR_OK) return status;
  }
  for (size_t y = 0; y < columns; y++) {
    double low = c[y * rows], high = low;
    for (size_t x = 1; x < rows; x++) {
      low = fmin(low, c[x + y * rows]);
      high = fmax(high, c[x + y * rows]);
    }
    work[y] = low;
    work[columns + y] = high;
  }
  const channel ch = {rows, columns, c, work, work + columns, bound, bound + columns};
  if (!find_boxes(&ch)) {
    constant_rows(&ch, out);
    return CANDOR_OK;
  }
  for (size_t x = 0; x < rows; x++) fit_row(&ch, x, out + x * columns);
  return CANDOR_OK;
}
