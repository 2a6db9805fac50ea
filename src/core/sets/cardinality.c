/* Sizes of unions and intersections, in blocks of rows. See cardinality.h. */
#include "sets/cardinality.h"

#include <math.h>

#include "sets/extremes.h"

#define ROWS CANDOR_CARDINALITY_ROWS
/* Without rescaling, squares of products must stay below 2^1023. */
#define SAFE_BITS 500.0
/* With it, 16 factors below 2^53 times a mantissa below 1 stay below 2^1023. */
#define STRIDE 16

static void wide_add(candor_wide *sum, double mantissa, double exponent)
{
  int shift;
  if (mantissa == 0) return;
  if (sum->mantissa == 0 || exponent - sum->exponent > 1000) *sum = (candor_wide){mantissa, exponent};
  else if (exponent - sum->exponent > -1000) sum->mantissa += ldexp(mantissa, (int) (exponent - sum->exponent));
  sum->mantissa = frexp(sum->mantissa, &shift);
  sum->exponent = sum->mantissa == 0 ? 0 : sum->exponent + shift;
}

static double wide_value(candor_wide x)
{
  if (x.mantissa == 0 || x.exponent < -1100) return 0;
  if (x.exponent > 1024) return copysign(INFINITY, x.mantissa);
  return ldexp(x.mantissa, (int) x.exponent);
}

static double wide_log(candor_wide x)
{
  return x.mantissa == 0 ? -INFINITY : log(fabs(x.mantissa)) + x.exponent * 0.69314718055994530942;
}

/* Running products of a block of rows, and the exponents taken out of them. */
typedef struct block {
  double *none, *all, *bound, *none_exponent, *all_exponent, *bound_exponent;
  int rescaled;
} block;

static void rescale(double *product, double *exponent, size_t rows)
{
  int taken;
  for (size_t i = 0; i < rows; i++) {
    product[i] = frexp(product[i], &taken);
    exponent[i] += taken;
  }
}

static void fold(block *b, size_t rows)
{
  rescale(b->none, b->none_exponent, rows);
  rescale(b->all, b->all_exponent, rows);
  rescale(b->bound, b->bound_exponent, rows);
  b->rescaled = 1;
}

static candor_status check_flips(const candor_membership *sets, size_t *where)
{
  const size_t length = sets->flip_per_bit ? sets->m * sets->n : sets->n;
  for (size_t i = 0; i < length; i++) {
    const double q = sets->flips[i];
    if (q >= 0 && q <= 1 && q != 0.5) continue;
    *where = i;
    return isnan(q) ? CANDOR_NOT_FINITE : q == 0.5 ? CANDOR_NO_INFORMATION : CANDOR_DOMAIN;
  }
  return CANDOR_OK;
}

/* The factors of one set, by what it reports. */
typedef struct factors {
  double none[2], all[2];
} factors;

static factors factors_of(const candor_membership *sets, size_t j)
{
  const double q = sets->flips[j], d = 1 - 2 * q, keep = (1 - q) / d, flip = -q / d;
  const int inverted = sets->invert != NULL && sets->invert[j] != 0;
  return inverted ? (factors){{flip, keep}, {keep, flip}} : (factors){{keep, flip}, {flip, keep}};
}

/* The greatest possible growth over all sets, in bits. */
static double growth(const candor_membership *sets)
{
  double bits = 0;
  for (size_t j = 0; j < sets->n; j++) {
    const factors f = factors_of(sets, j);
    bits += log2(fmax(fabs(f.none[0]), fabs(f.none[1])));
  }
  return bits;
}

static uint32_t block_by_set(const candor_membership *sets, size_t from, size_t rows, int wide, block *b)
{
  uint32_t seen = 0;
  for (size_t j = 0; j < sets->n; j++) {
    const int *const bits = sets->bits + from + j * sets->m;
    const factors f = factors_of(sets, j);
    for (size_t i = 0; i < rows; i++) {
      seen |= (uint32_t) bits[i];
      b->none[i] *= f.none[bits[i] & 1];
      b->all[i] *= f.all[bits[i] & 1];
    }
    if (wide && j % STRIDE == STRIDE - 1) fold(b, rows);
  }
  if (wide) fold(b, rows);
  return seen;
}

static uint32_t block_by_bit(const candor_membership *sets, size_t from, size_t rows, double *difference, block *b)
{
  uint32_t seen = 0;
  for (size_t j = 0; j < sets->n; j++) {
    const int *const bits = sets->bits + from + j * sets->m;
    const double *const flips = sets->flips + from + j * sets->m;
    const int inverted = sets->invert != NULL && sets->invert[j] != 0;
    if (j % STRIDE == 0)
      for (size_t i = 0; i < rows; i++) difference[i] = 1;
    for (size_t i = 0; i < rows; i++) {
      const double x = inverted ? 1 - bits[i] : bits[i];
      seen |= (uint32_t) bits[i];
      b->none[i] *= 1 - x - flips[i];
      b->all[i] *= x - flips[i];
      b->bound[i] *= 1 - 3 * flips[i] * (1 - flips[i]);
      difference[i] *= 1 - 2 * flips[i];
    }
    if (j % STRIDE == STRIDE - 1 || j == sets->n - 1) {
      for (size_t i = 0; i < rows; i++) {
        b->none[i] /= difference[i];
        b->all[i] /= difference[i];
        b->bound[i] = b->bound[i] / difference[i] / difference[i];
      }
      fold(b, rows);
    }
  }
  return seen;
}

static void add_wide_row(double none, double none_exponent, double all, double all_exponent, double weight,
                         candor_cardinality *total)
{
  wide_add(&total->none, weight * none, none_exponent);
  wide_add(&total->none_square, weight * none * none, 2 * none_exponent);
  wide_add(&total->all, weight * all, all_exponent);
  wide_add(&total->all_square, weight * all * all, 2 * all_exponent);
  wide_add(&total->none_all, weight * none * all, none_exponent + all_exponent);
}

static void add_plain(const block *b, size_t rows, candor_cardinality *total)
{
  double none = 0, none_square = 0, all = 0, all_square = 0, none_all = 0;
  for (size_t i = 0; i < rows; i++) {
    none += b->none[i];
    none_square += b->none[i] * b->none[i];
    all += b->all[i];
    all_square += b->all[i] * b->all[i];
    none_all += b->none[i] * b->all[i];
  }
  wide_add(&total->none, none, 0);
  wide_add(&total->none_square, none_square, 0);
  wide_add(&total->all, all, 0);
  wide_add(&total->all_square, all_square, 0);
  wide_add(&total->none_all, none_all, 0);
}

/* Exponents go back into the mantissas where all of a block fit a double, as nearly always. */
static void add_block(block *b, size_t rows, candor_cardinality *total)
{
  int small = 1;
  for (size_t i = 0; b->rescaled && i < rows; i++)
    small &= fabs(b->none_exponent[i]) < SAFE_BITS && fabs(b->all_exponent[i]) < SAFE_BITS;
  for (size_t i = 0; b->rescaled && i < rows; i++) {
    if (small) {
      b->none[i] = ldexp(b->none[i], (int) b->none_exponent[i]);
      b->all[i] = ldexp(b->all[i], (int) b->all_exponent[i]);
    } else {
      add_wide_row(b->none[i], b->none_exponent[i], b->all[i], b->all_exponent[i], 1, total);
    }
  }
  if (small) add_plain(b, rows, total);
}

static candor_wide bound_times(candor_wide product, double flip)
{
  const double d = 1 - 2 * flip;
  int shift;
  product.mantissa = frexp(product.mantissa * (1 + flip * (1 - flip) / (d * d)), &shift);
  product.exponent += shift;
  return product;
}

/* The same bound for every element. */
static void add_bound(const double *flips, size_t n, candor_cardinality *total)
{
  candor_wide product = {1, 0};
  for (size_t j = 0; j < n; j++) product = bound_times(product, flips[j]);
  wide_add(&total->bound, total->elements * product.mantissa, product.exponent);
}

static size_t first_not_binary(const candor_membership *sets, size_t from, size_t rows)
{
  for (size_t j = 0; j < sets->n; j++) {
    for (size_t i = from; i < from + rows; i++) {
      const int bit = sets->bits[i + j * sets->m];
      if (bit != 0 && bit != 1) return i + j * sets->m;
    }
  }
  return 0;
}

static void start(double elements, candor_cardinality *total)
{
  const candor_wide zero = {0, 0};
  *total = (candor_cardinality){elements, zero, zero, zero, zero, zero, zero};
}

candor_status candor_cardinality_total(const candor_membership *sets, double *work, candor_cardinality *total,
                                       size_t *where, int *in_flips)
{
  block b = {work, work + ROWS, work + 2 * ROWS, work + 3 * ROWS, work + 4 * ROWS, work + 5 * ROWS, 0};
  double *const difference = work + 6 * ROWS;
  if (sets->m == 0 || sets->n == 0) return CANDOR_EMPTY;
  const candor_status status = check_flips(sets, where);
  *in_flips = status != CANDOR_OK;
  if (status != CANDOR_OK) return status;
  const int wide = !sets->flip_per_bit && growth(sets) > SAFE_BITS;
  start((double) sets->m, total);
  for (size_t from = 0; from < sets->m; from += ROWS) {
    const size_t rows = sets->m - from < ROWS ? sets->m - from : ROWS;
    for (size_t i = 0; i < rows; i++) {
      b.none[i] = b.all[i] = b.bound[i] = 1;
      b.none_exponent[i] = b.all_exponent[i] = b.bound_exponent[i] = 0;
    }
    const uint32_t seen =
        sets->flip_per_bit ? block_by_bit(sets, from, rows, difference, &b) : block_by_set(sets, from, rows, wide, &b);
    if (seen > 1) {
      *where = first_not_binary(sets, from, rows);
      return CANDOR_DOMAIN;
    }
    add_block(&b, rows, total);
    for (size_t i = 0; sets->flip_per_bit && i < rows; i++) wide_add(&total->bound, b.bound[i], b.bound_exponent[i]);
  }
  if (!sets->flip_per_bit) add_bound(sets->flips, sets->n, total);
  return CANDOR_OK;
}

/* sign * exp(log) as mantissa and exponent. */
static candor_wide wide_exp(double sign, double log_size)
{
  candor_wide x = {0, 0};
  if (sign != 0) {
    x.exponent = floor(log_size / 0.69314718055994530942);
    x.mantissa = sign * exp(log_size - x.exponent * 0.69314718055994530942);
  }
  return x;
}

candor_status candor_cardinality_histogram(const double *histogram, size_t n, double flip, candor_cardinality *total)
{
  double elements = 0;
  candor_wide bound = {1, 0};
  if (n == 0) return CANDOR_EMPTY;
  start(0, total);
  for (size_t s = 0; s <= n; s++) {
    candor_extreme state;
    candor_extreme_estimate any, every;
    if (!(histogram[s] >= 0 && histogram[s] <= 9007199254740992.0)) return CANDOR_DOMAIN;
    candor_extreme_start(&state);
    candor_status status = candor_extreme_equal((double) n, (double) s, flip, &state);
    if (status == CANDOR_OK) status = candor_extreme_value(&state, CANDOR_ANY, &any);
    if (status == CANDOR_OK) status = candor_extreme_value(&state, CANDOR_ALL, &every);
    if (status != CANDOR_OK) return status;
    const candor_wide none = wide_exp(any.sign, any.log), all = wide_exp(every.sign, every.log);
    add_wide_row(none.mantissa, none.exponent, all.mantissa, all.exponent, histogram[s], total);
    elements += histogram[s];
  }
  total->elements = elements;
  for (size_t j = 0; j < n; j++) bound = bound_times(bound, flip);
  wide_add(&total->bound, elements * bound.mantissa, bound.exponent);
  return elements > 0 ? CANDOR_OK : CANDOR_EMPTY;
}

/* a - b without Inf - Inf. */
static double wide_difference(candor_wide a, candor_wide b)
{
  wide_add(&a, -b.mantissa, b.exponent);
  return wide_value(a);
}

void candor_cardinality_value(const candor_cardinality *total, candor_size_estimate *set_union,
                              candor_size_estimate *intersection, double *covariance, double *bound)
{
  candor_wide elements = {0, 0};
  wide_add(&elements, total->elements, 0);
  set_union->size = wide_difference(elements, total->none);
  set_union->variance = wide_difference(total->none_square, total->none);
  set_union->sign = (total->none.mantissa > 0) - (total->none.mantissa < 0);
  set_union->log = wide_log(total->none);
  intersection->size = wide_value(total->all);
  intersection->variance = wide_difference(total->all_square, total->all);
  intersection->sign = (total->all.mantissa > 0) - (total->all.mantissa < 0);
  intersection->log = wide_log(total->all);
  /* E[(1 - N) A] - OR AND and OR AND = AND: what is left is - N A. */
  *covariance = -wide_value(total->none_all);
  *bound = fmax(wide_difference(total->bound, elements), 0);
}

candor_status candor_row_ones(const int *bits, size_t m, size_t n, double *ones, size_t *where)
{
  int counts[ROWS];
  for (size_t from = 0; from < m; from += ROWS) {
    const size_t rows = m - from < ROWS ? m - from : ROWS;
    uint32_t seen = 0;
    for (size_t i = 0; i < rows; i++) counts[i] = 0;
    for (size_t j = 0; j < n; j++) {
      const int *const column = bits + from + j * m;
      for (size_t i = 0; i < rows; i++) {
        seen |= (uint32_t) column[i];
        counts[i] += column[i] & 1;
      }
    }
    if (seen > 1) {
      const candor_membership sets = {bits, m, n, NULL, 0, NULL};
      *where = first_not_binary(&sets, from, rows);
      return CANDOR_DOMAIN;
    }
    for (size_t i = 0; i < rows; i++) ones[from + i] = counts[i];
  }
  return CANDOR_OK;
}
