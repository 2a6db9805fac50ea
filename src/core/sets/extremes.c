/* OR and AND of noisy bits, their products kept as sign and logarithm. See extremes.h. */
#include "sets/extremes.h"

#include <stdint.h>
#include <string.h>

#define ABREAST 8
#define BLOCK 64
#define LOG_TWO_HI 0.693147180559945286226764
#define LOG_TWO_LO 2.319046813846299558417771e-17

void candor_extreme_start(candor_extreme *state)
{
  const candor_product one = {0, 0, {0, 0}};
  state->bits = 0;
  state->ones = 0;
  state->none = one;
  state->all = one;
  state->bound = (candor_twofold){0, 0};
}

static int flip_ok(double flip)
{
  return flip >= 0 && flip <= 1 && flip != 0.5;
}

static candor_status flip_status(double flip)
{
  if (isnan(flip)) return CANDOR_NOT_FINITE;
  return flip == 0.5 ? CANDOR_NO_INFORMATION : CANDOR_DOMAIN;
}

/* log |a / b| with the quotient's own rounding made good: it matters where the quotient is near 1 (q = 1/3 for
 * a reported 1), since the logarithm's error is then multiplied by the number of bits. */
static candor_twofold log_ratio(candor_twofold a, candor_twofold b)
{
  const double ratio = a.hi / b.hi;
  if (ratio == 0 || fabs(ratio) > 1e290 || fabs(ratio) < 1e-290 || fabs(a.hi) < 1e-290)
    return (candor_twofold){log(fabs(a.hi)) - log(fabs(b.hi)), 0};
  const candor_twofold back = candor_two_product(ratio, b.hi);
  const double rest = ((a.hi - back.hi) - back.lo + a.lo - ratio * b.lo) / b.hi;
  return candor_two_sum(log(fabs(ratio)), rest / ratio);
}

typedef struct factors {
  candor_twofold log_keep; /* log |(1 - q) / (1 - 2q)| */
  candor_twofold log_flip; /* log |q / (1 - 2q)| */
  candor_twofold log_bound;
} factors;

static factors factors_of(double flip)
{
  const candor_twofold keep = candor_two_sum(1, -flip), d = candor_two_sum(1, -2 * flip);
  factors f = {{0, 0}, {0, 0}, {0, 0}};
  if (flip < 1) f.log_keep = log_ratio(keep, d);
  if (flip > 0) f.log_flip = log_ratio((candor_twofold){flip, 0}, d);
  f.log_bound.hi = log1p(flip * keep.hi / (d.hi * d.hi));
  return f;
}

/* `count` factors of one kind; for q < 1/2 the factor of a wrong-looking bit, -q / (1 - 2q), is the negative one. */
static void multiply(candor_product *product, double count, candor_twofold log_factor, int zero, int negative)
{
  if (count == 0) return;
  if (zero) {
    product->zeros += count;
    return;
  }
  if (negative) product->negatives += count;
  product->log = candor_twofold_add(product->log, candor_twofold_scale(log_factor, count));
}

candor_status candor_extreme_equal(double bits, double ones, double flip, candor_extreme *state)
{
  if (!flip_ok(flip)) return flip_status(flip);
  if (!(bits >= 0 && bits < 9007199254740992.0 && ones >= 0 && ones <= bits)) return CANDOR_DOMAIN;
  if (floor(bits) != bits || floor(ones) != ones) return CANDOR_DOMAIN;
  const factors f = factors_of(flip);
  const int keep_zero = flip == 1, flip_zero = flip == 0;
  const int keep_negative = flip > 0.5, flip_negative = flip < 0.5;
  multiply(&state->none, bits - ones, f.log_keep, keep_zero, keep_negative);
  multiply(&state->none, ones, f.log_flip, flip_zero, flip_negative);
  multiply(&state->all, ones, f.log_keep, keep_zero, keep_negative);
  multiply(&state->all, bits - ones, f.log_flip, flip_zero, flip_negative);
  state->bound = candor_twofold_add(state->bound, candor_twofold_scale(f.log_bound, bits));
  state->bits += bits;
  state->ones += ones;
  return CANDOR_OK;
}

/* Ones of up to 2^30 entries; entries other than 0 and 1 leave a mark in `seen`. */
static uint32_t count_block(const int *bits, size_t n, uint32_t *seen)
{
  uint32_t ones = 0, marks = 0;
  for (size_t i = 0; i < n; i++) {
    ones += (uint32_t) bits[i];
    marks |= (uint32_t) bits[i];
  }
  *seen |= marks;
  return ones;
}

/* Running products as mantissa times a power of two, and to first order what rounding took from the factors. */
typedef struct scaled {
  double mantissa;
  double exponent;
} scaled;

typedef struct products {
  scaled none, all, difference, bound;
  double lost_none, lost_all;
  double ones;
} products;

/* 64 factors >= 2^-15 cannot underflow: v = q (1 - q) in this range keeps q, 1 - q and |1 - 2q| above that. */
#define LEAST_V 6.2e-5
#define GREATEST_V (0.25 - 3.1e-10)

typedef struct lanes {
  double none[ABREAST], all[ABREAST], difference[ABREAST], bound[ABREAST];
  double lost_none[ABREAST], lost_all[ABREAST], outside[ABREAST];
} lanes;

/* 1 / (1 - q) to nine percent on [0, 1/2], for corrections that are themselves of the order of the rounding: a million
 * of them are then off by 1e-11 at most. */
#define RECIPROCAL(q) (0.914 + 2 * (q))

/* Eight products of each kind side by side: one of each takes twice as long (14 plain sums of the bits instead of 7),
 * more than the six sum() of R that a flip for each bit may cost. */
static void multiply_lanes(const int *restrict bits, const double *restrict flips, lanes *restrict p)
{
  /* Converted ahead of the arithmetic: a loop over two widths of number is not vectorised. */
  double values[BLOCK];
  for (int i = 0; i < BLOCK; i++) values[i] = bits[i];
  for (int i = 0; i < BLOCK; i += ABREAST) {
    const double *restrict flip = flips + i;
    const double *restrict value = values + i;
    for (int l = 0; l < ABREAST; l++) {
      const double q = flip[l], x = value[l], y = 1 - x, twice = q + q, keep = 1 - q;
      const double none = y - q, all = x - q, difference = 1 - twice, minus_v = none * all;
      const double inside = (minus_v + LEAST_V) * (minus_v + GREATEST_V);
      /* Exact remainders of the subtractions from 1; they are 0 where RECIPROCAL would not hold. */
      const double lost_keep = ((1 - keep) - q) * RECIPROCAL(q);
      const double lost_difference = ((1 - difference) - twice) * RECIPROCAL(twice);
      p->none[l] *= none;
      p->all[l] *= all;
      p->difference[l] *= difference;
      p->bound[l] *= 1 + 3 * minus_v;
      p->lost_none[l] += y * lost_keep - lost_difference;
      p->lost_all[l] += x * lost_keep - lost_difference;
      p->outside[l] += fabs(inside) + inside; /* 0 as long as all flips are in range; NaN stays NaN */
    }
  }
}

static void scale(scaled *p, double factor)
{
  int exponent;
  p->mantissa = frexp(p->mantissa * factor, &exponent);
  p->exponent += exponent;
}

static double product_of(const double *lane)
{
  return ((lane[0] * lane[1]) * (lane[2] * lane[3])) * ((lane[4] * lane[5]) * (lane[6] * lane[7]));
}

static double sum_of(const double *lane)
{
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* One block of 64 bits; 0, and nothing done, if a bit is not 0/1 or a flip is NaN or too extreme for 64 factors:
 * the caller then goes bit by bit. */
static int multiply_block(const int *bits, const double *flips, products *p)
{
  lanes block = {{1, 1, 1, 1, 1, 1, 1, 1},
                 {1, 1, 1, 1, 1, 1, 1, 1},
                 {1, 1, 1, 1, 1, 1, 1, 1},
                 {1, 1, 1, 1, 1, 1, 1, 1},
                 {0},
                 {0},
                 {0}};
  uint32_t seen = 0;
  const uint32_t ones = count_block(bits, BLOCK, &seen);
  multiply_lanes(bits, flips, &block);
  if (seen > 1 || !(sum_of(block.outside) == 0)) return 0;
  scale(&p->none, product_of(block.none));
  scale(&p->all, product_of(block.all));
  scale(&p->difference, product_of(block.difference));
  scale(&p->bound, product_of(block.bound));
  p->lost_none += sum_of(block.lost_none);
  p->lost_all += sum_of(block.lost_all);
  p->ones += ones;
  return 1;
}

/* log |a / b| = (difference of exponents) log 2 + log of the mantissas, the large part first and exactly. */
static candor_twofold log_scaled(scaled a, scaled b, double lost)
{
  const candor_twofold log_two = {LOG_TWO_HI, LOG_TWO_LO};
  const candor_twofold whole = candor_twofold_scale(log_two, a.exponent - b.exponent);
  return candor_twofold_add(whole, candor_two_sum(log(fabs(a.mantissa / b.mantissa)), lost));
}

static void add_products(const products *p, double bits, candor_extreme *state)
{
  /* Of the number of negative factors only its parity is known here, and only that is needed. */
  state->none.negatives += p->none.mantissa / p->difference.mantissa < 0;
  state->all.negatives += p->all.mantissa / p->difference.mantissa < 0;
  state->none.log = candor_twofold_add(state->none.log, log_scaled(p->none, p->difference, p->lost_none));
  state->all.log = candor_twofold_add(state->all.log, log_scaled(p->all, p->difference, p->lost_all));
  const scaled square = {p->difference.mantissa * p->difference.mantissa, 2 * p->difference.exponent};
  state->bound = candor_twofold_add(state->bound, log_scaled(p->bound, square, 0));
  state->bits += bits;
  state->ones += p->ones;
}

candor_status candor_extreme_bits(const int *bits, const double *flips, size_t n, candor_extreme *state, size_t *where)
{
  const scaled one = {1, 0};
  products p = {one, one, one, one, 0, 0, 0};
  candor_extreme next = *state;
  double in_blocks = 0;
  size_t i = 0;
  while (i < n) {
    if (n - i >= BLOCK && multiply_block(bits + i, flips + i, &p)) {
      in_blocks += BLOCK;
      i += BLOCK;
      continue;
    }
    const size_t end = n - i < BLOCK ? n : i + BLOCK;
    for (; i < end; i++) {
      candor_status status = bits[i] == 0 || bits[i] == 1 ? CANDOR_OK : CANDOR_DOMAIN;
      if (status == CANDOR_OK) status = candor_extreme_equal(1, bits[i], flips[i], &next);
      if (status != CANDOR_OK) {
        *where = i;
        return status;
      }
    }
  }
  if (in_blocks > 0) add_products(&p, in_blocks, &next);
  *state = next;
  return CANDOR_OK;
}

static void merge_product(const candor_product *other, candor_product *product)
{
  product->zeros += other->zeros;
  product->negatives += other->negatives;
  product->log = candor_twofold_add(product->log, other->log);
}

void candor_extreme_merge(const candor_extreme *other, candor_extreme *state)
{
  state->bits += other->bits;
  state->ones += other->ones;
  merge_product(&other->none, &state->none);
  merge_product(&other->all, &state->all);
  state->bound = candor_twofold_add(state->bound, other->bound);
}

candor_status candor_extreme_value(const candor_extreme *state, candor_extreme_kind kind,
                                   candor_extreme_estimate *value)
{
  if (!(state->bits > 0)) return CANDOR_EMPTY;
  const candor_product *product = kind == CANDOR_ANY ? &state->none : &state->all;
  const double l = product->log.hi + product->log.lo;
  if (isnan(l) || isnan(product->negatives)) return CANDOR_NOT_FINITE;
  value->log_bound = state->bound.hi + state->bound.lo;
  value->bound = expm1(value->log_bound);
  value->sign = product->zeros > 0 ? 0 : fmod(product->negatives, 2) != 0 ? -1 : 1;
  value->log = product->zeros > 0 ? -INFINITY : l;
  const double size = exp(value->log);
  /* P (P - 1) is the variance estimate of P and of 1 - P alike; expm1 keeps 1 - P when P is near 1. */
  if (value->sign > 0) {
    const double rest = -expm1(l);
    value->estimate = kind == CANDOR_ANY ? rest : size;
    value->variance = -rest * size;
  } else if (value->sign < 0) {
    value->estimate = kind == CANDOR_ANY ? 1 + size : -size;
    value->variance = size * (1 + size);
  } else {
    value->estimate = kind == CANDOR_ANY;
    value->variance = 0;
  }
  return CANDOR_OK;
}

candor_status candor_count_ones(const int *bits, size_t n, double *ones, size_t *where)
{
  const size_t step = (size_t) 1 << 16;
  double count = 0;
  for (size_t i = 0; i < n; i += step) {
    const size_t length = n - i < step ? n - i : step;
    uint32_t seen = 0;
    count += count_block(bits + i, length, &seen);
    if (seen > 1) {
      while (bits[i] == 0 || bits[i] == 1) i++;
      *where = i;
      return CANDOR_DOMAIN;
    }
  }
  *ones = count;
  return CANDOR_OK;
}

/* Ones in each 8-bit field of x: pairs, quads, then bytes are added in place (Warren 2013, Hacker's Delight, 5-1). */
static uint64_t ones_by_byte(uint64_t x)
{
  x -= (x >> 1) & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
  return (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
}

static uint64_t sum_of_bytes(uint64_t x)
{
  const uint64_t pairs = (x & UINT64_C(0x00ff00ff00ff00ff)) + ((x >> 8) & UINT64_C(0x00ff00ff00ff00ff));
  return (pairs * UINT64_C(0x0001000100010001)) >> 48;
}

void candor_count_packed(const unsigned char *bytes, size_t n, double *ones)
{
  const size_t words = n / 64, rest = n % 64;
  uint64_t count = 0;
  size_t i = 0;
  while (i < words) {
    const size_t end = words - i < 31 ? words : i + 31; /* 31 words of at most 8 in a byte stay below 256 */
    uint64_t fields = 0, word;
    for (; i < end; i++) {
      memcpy(&word, bytes + 8 * i, 8);
      fields += ones_by_byte(word);
    }
    count += sum_of_bytes(fields);
  }
  for (size_t bit = 0; bit < rest; bit++) count += (uint64_t) (bytes[8 * words + bit / 8] >> (bit % 8)) & 1;
  *ones = (double) count;
}
