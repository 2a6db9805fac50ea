#include "tally/support.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"

static double weight_of(const candor_support_reports *reports, size_t i)
{
  return reports->weights ? reports->weights[i] : 1.0;
}

static size_t group_of(const candor_support_reports *reports, size_t i)
{
  return reports->groups ? (size_t) ((unsigned) reports->groups[i] - 1u) : 0;
}

candor_status candor_count_reports(const candor_support_reports *reports, double *sums, double *squares,
                                   size_t *position)
{
  for (size_t i = 0; i < reports->n; i++) {
    const double weight = weight_of(reports, i);
    const size_t group = group_of(reports, i);
    if (!(weight >= 0.0) || isinf(weight) || group >= reports->n_groups) {
      *position = i;
      return CANDOR_DOMAIN;
    }
    sums[group] += weight;
    squares[group] += weight * weight;
  }
  return CANDOR_OK;
}

/* ---- packed bits --------------------------------------------------------------------------------------- */

/* How many bits of each byte are 1, in the place of the byte. */
static uint64_t count_ones(uint64_t bytes)
{
  bytes -= bytes >> 1 & 0x5555555555555555u;
  bytes = (bytes & 0x3333333333333333u) + (bytes >> 2 & 0x3333333333333333u);
  return (bytes + (bytes >> 4)) & 0x0f0f0f0f0f0f0f0fu;
}

/* Bytes whose ones a byte can hold. */
enum { SUMMED = 31 };

/* The ones of each of n reports, of eight reports at a time. */
static void count_members(const uint8_t *bits, size_t n, size_t bytes, uint32_t *ones)
{
  const size_t whole = n / 8 * 8;
  for (size_t i = 0; i < n; i++) ones[i] = 0;
  for (size_t from = 0; from < bytes; from += SUMMED) {
    const size_t to = bytes - from < SUMMED ? bytes : from + SUMMED;
    for (size_t i = 0; i < whole; i += 8) {
      uint64_t sums = 0;
      for (size_t b = from; b < to; b++) sums += count_ones(candor_get_word(bits + b * n + i));
      for (size_t r = 0; r < 8; r++) ones[i + r] += (uint32_t) (sums >> 8 * r & 255u);
    }
    for (size_t i = whole; i < n; i++)
      for (size_t b = from; b < to; b++) ones[i] += (uint32_t) count_ones(bits[b * n + i]);
  }
}

static candor_status check_bits(const uint8_t *bits, size_t n, size_t k, size_t size, uint32_t *ones, size_t *position)
{
  const uint8_t *last = bits + k / 8 * n;
  for (size_t i = 0; k % 8 != 0 && i < n; i++) {
    if (last[i] >> k % 8 != 0) {
      *position = i;
      return CANDOR_DOMAIN;
    }
  }
  if (size == SIZE_MAX) return CANDOR_OK;
  count_members(bits, n, (k + 7) / 8, ones);
  for (size_t i = 0; i < n; i++) {
    if (ones[i] != size) {
      *position = i;
      return CANDOR_DOMAIN;
    }
  }
  return CANDOR_OK;
}

/* Adds the bits of 8 n bytes: of each place in a byte eight counters side by side in a word, which hold 255. */
static void count_words(const uint8_t *byte, size_t n, uint64_t total[8])
{
  uint64_t counters[8] = {0};
  for (size_t i = 0; i < n; i++) {
    const uint64_t word = candor_get_word(byte + 8 * i);
    for (int bit = 0; bit < 8; bit++) counters[bit] += word >> bit & 0x0101010101010101u;
  }
  for (int bit = 0; bit < 8; bit++) {
    const uint64_t pairs = (counters[bit] & 0x00ff00ff00ff00ffu) + (counters[bit] >> 8 & 0x00ff00ff00ff00ffu);
    total[bit] += (pairs * 0x0001000100010001u) >> 48;
  }
}

static void count_bytes(const uint8_t *byte, size_t n, size_t bits, double *counts)
{
  uint64_t total[8] = {0};
  size_t i = 0;
  for (; i + 8 <= n; i += 8 * 255) count_words(byte + i, (n - i) / 8 < 255 ? (n - i) / 8 : 255, total);
  for (i = n / 8 * 8; i < n; i++)
    for (int bit = 0; bit < 8; bit++) total[bit] += byte[i] >> bit & 1u;
  for (size_t bit = 0; bit < bits; bit++) counts[bit] += (double) total[bit];
}

static void add_bits(unsigned byte, double weight, double *counts)
{
  for (size_t bit = 0; byte != 0; byte >>= 1, bit++)
    if (byte & 1u) counts[bit] += weight;
}

candor_status candor_count_bits(const candor_support_reports *reports, const uint8_t *bits, size_t k, size_t size,
                                uint32_t *ones, double *counts, size_t *position)
{
  const size_t n = reports->n;
  const int plain = !reports->groups && !reports->weights;
  const candor_status status = check_bits(bits, n, k, size, ones, position);
  for (size_t v = 0; v < k && status == CANDOR_OK; v += 8) {
    const uint8_t *byte = bits + v / 8 * n;
    if (plain) {
      count_bytes(byte, n, k - v < 8 ? k - v : 8, counts + v);
      continue;
    }
    for (size_t i = 0; i < n; i++) add_bits(byte[i], weight_of(reports, i), counts + group_of(reports, i) * k + v);
  }
  return status;
}

/* ---- lists ----------------------------------------------------------------------------------------------- */

candor_status candor_count_lists(const candor_support_reports *reports, const int *lists, size_t size, size_t k,
                                 int with_signs, double *counts, size_t *position)
{
  const size_t rows = with_signs ? 2 * k : k;
  for (size_t i = 0; i < reports->n; i++) {
    const int *list = lists + i * size;
    const double weight = weight_of(reports, i);
    double *of_group = counts + group_of(reports, i) * rows;
    size_t last = 0;
    for (size_t j = 0; j < size; j++) {
      const int negative = list[j] < 0;
      const size_t number = negative ? (size_t) 0 - (size_t) list[j] : (size_t) list[j];
      if ((negative && !with_signs) || number <= last || number > k) {
        *position = i;
        return CANDOR_DOMAIN;
      }
      of_group[number - 1 + (negative ? k : 0)] += weight;
      last = number;
    }
  }
  return CANDOR_OK;
}

/* ---- hashing ---------------------------------------------------------------------------------------------- */

candor_status candor_check_hashed(const candor_support_reports *reports, const candor_hashed *hashed, size_t *position)
{
  const uint32_t prime = hashed->hash.prime, buckets = hashed->hash.buckets;
  for (size_t i = 0; i < reports->n; i++) {
    const uint32_t slope = (uint32_t) hashed->slope[i], value = (uint32_t) hashed->value[i];
    if (slope - 1u >= prime - 1u || (uint32_t) hashed->shift[i] >= prime || value - 1u >= buckets) {
      *position = i;
      return CANDOR_DOMAIN;
    }
  }
  return CANDOR_OK;
}

/* A report supports the residues slope z mod prime of `from` and the width - 1 after it, cyclically. */
typedef struct interval {
  uint32_t from, width;
} interval;

static interval interval_of(const candor_hashed *hashed, size_t i)
{
  const uint32_t bucket = (uint32_t) hashed->value[i] - 1u, shift = (uint32_t) hashed->shift[i];
  const uint32_t low = candor_affine_edge(&hashed->hash, bucket);
  const uint32_t from = low >= shift ? low - shift : low + (hashed->hash.prime - shift);
  const interval out = {from, candor_affine_edge(&hashed->hash, bucket + 1) - low};
  return out;
}

candor_status candor_count_hashed(const candor_support_reports *reports, const candor_hashed *hashed, size_t k,
                                  double *counts)
{
  const uint32_t prime = hashed->hash.prime;
  for (size_t i = 0; i < reports->n; i++) {
    const interval in = interval_of(hashed, i);
    const candor_affine_slope slope = candor_affine_multiplier(&hashed->hash, (uint32_t) hashed->slope[i]);
    const double weight = weight_of(reports, i);
    double *of_group = counts + group_of(reports, i) * k;
    for (size_t v = 0; v < k; v++) {
      const uint32_t residue = candor_affine_times(slope, hashed->code[v]);
      const uint32_t behind = residue >= in.from ? residue - in.from : residue + (prime - in.from);
      of_group[v] += behind < in.width ? weight : 0.0;
    }
  }
  return CANDOR_OK;
}

static void mark(const candor_support_reports *reports, const candor_hashed *hashed, size_t i, double *marks)
{
  const uint32_t prime = hashed->hash.prime;
  const interval in = interval_of(hashed, i);
  const double weight = weight_of(reports, i);
  marks[in.from] += weight;
  if (in.width <= prime - in.from) {
    marks[in.from + in.width] -= weight;
  } else {
    marks[prime] -= weight;
    marks[0] += weight;
    marks[in.width - (prime - in.from)] -= weight;
  }
}

candor_status candor_count_hashed_by_slope(const candor_support_reports *reports, const candor_hashed *hashed, size_t k,
                                           const uint32_t *order, double *work, double *counts)
{
  const uint32_t prime = hashed->hash.prime;
  for (size_t i = 0; i < reports->n;) {
    const uint32_t slope = (uint32_t) hashed->slope[order[i]];
    memset(work, 0, ((size_t) prime + 1) * sizeof *work);
    for (; i < reports->n && (uint32_t) hashed->slope[order[i]] == slope; i++) mark(reports, hashed, order[i], work);
    double sum = 0.0;
    for (uint32_t t = 0; t < prime; t++) work[t] = sum += work[t];
    const candor_affine_slope by = candor_affine_multiplier(&hashed->hash, slope);
    for (size_t v = 0; v < k; v++) counts[v] += work[candor_affine_times(by, hashed->code[v])];
  }
  return CANDOR_OK;
}

void candor_hash_table(const candor_affine *hash, const uint32_t *code, size_t k, const uint32_t *slope,
                       const uint32_t *shift, size_t functions, int *value)
{
  for (size_t m = 0; m < functions; m++) {
    for (size_t v = 0; v < k; v++) {
      const uint32_t residue = candor_affine_residue(hash, slope[m], shift[m], code[v]);
      value[v + k * m] = (int) candor_affine_bucket(hash, residue) + 1;
    }
  }
}
