#include "estimate/support_axis.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const size_t table_size = 256;

size_t candor_support_axis_work(const candor_support_axis *axis)
{
  return axis->bits ? table_size : 2 * axis->size;
}

int candor_support_axis_holds(const candor_support_axis *axis)
{
  const size_t truths = axis->truths, reports = axis->reports;
  if (!(axis->low >= 0 && axis->high >= 0) || isinf(axis->low) || isinf(axis->high) || truths == 0 || reports == 0)
    return 0;
  if (!axis->bits) {
    return axis->blocks > 0 && axis->size >= 2 && (axis->size & (axis->size - 1)) == 0 &&
           axis->size <= SIZE_MAX / axis->blocks && reports == axis->blocks * axis->size &&
           truths <= axis->blocks * (axis->size - 1);
  }
  const unsigned char *last = axis->bits + truths / 8 * reports;
  for (size_t s = 0; truths % 8 != 0 && s < reports; s++)
    if (last[s] >> truths % 8 != 0) return 0;
  return 1;
}

static double total(const double *x, size_t n)
{
  double lane[8] = {0};
  for (size_t i = 0; i < n; i++) lane[i % 8] += x[i];
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* ---- sets ---------------------------------------------------------------------------------------- */

/* m += high sum of theta in the set + low sum of the others, for eight truths of each set. Both sums are of positive
 * terms: the low of those outside is not taken from the total. */
static void add_eight(const candor_support_axis *axis, const double *theta, size_t n, const unsigned char *bits,
                      double *table, double *m)
{
  table[0] = axis->low * total(theta, n);
  for (size_t v = 1; v < (size_t) 1 << n; v++) {
    double in = 0, out = 0;
    for (size_t i = 0; i < n; i++)
      if (v >> i & 1) in += theta[i];
      else out += theta[i];
    table[v] = axis->high * in + axis->low * out;
  }
  for (size_t s = 0; s < axis->reports; s++) m[s] += table[bits[s]];
}

static void sets_forward(const candor_support_axis *axis, const double *theta, double *table, double *m)
{
  memset(m, 0, axis->reports * sizeof *m);
  for (size_t x = 0; x < axis->truths; x += 8) {
    const size_t n = axis->truths - x < 8 ? axis->truths - x : 8;
    add_eight(axis, theta + x, n, axis->bits + x / 8 * axis->reports, table, m);
  }
}

static void sets_adjoint(const candor_support_axis *axis, double low, double high, const double *w, double *table,
                         double *g)
{
  for (size_t x = 0; x < axis->truths; x += 8) {
    const size_t n = axis->truths - x < 8 ? axis->truths - x : 8;
    const unsigned char *bits = axis->bits + x / 8 * axis->reports;
    memset(table, 0, table_size * sizeof *table);
    for (size_t s = 0; s < axis->reports; s++) table[bits[s]] += w[s];
    for (size_t i = 0; i < n; i++) {
      double in = 0, out = 0;
      for (size_t v = 0; v < (size_t) 1 << n; v++)
        if (v >> i & 1) in += table[v];
        else out += table[v];
      g[x + i] = high * in + low * out;
    }
  }
}

/* ---- Hadamard -------------------------------------------------------------------------------------- */

/* even[j] and odd[j]: the sums of the x[i] with popcount(i & j) even and odd. On entry even holds x, odd zeros. */
static void parities(double *even, double *odd, size_t n)
{
  for (size_t half = 1; half < n; half *= 2) {
    for (size_t from = 0; from < n; from += 2 * half) {
      for (size_t j = from; j < from + half; j++) {
        const double e0 = even[j], e1 = even[j + half], o0 = odd[j], o1 = odd[j + half];
        even[j] = e0 + e1;
        odd[j] = o0 + o1;
        even[j + half] = e0 + o1;
        odd[j + half] = o0 + e1;
      }
    }
  }
}

static void hadamard_forward(const candor_support_axis *axis, const double *theta, double *work, double *m)
{
  const size_t size = axis->size, blocks = axis->blocks;
  double *even = work, *odd = work + size;
  /* What the other blocks hold, at first in m: sums from the left and from the right, without a difference. */
  double before = 0, after = 0;
  for (size_t block = 0; block < blocks; block++) {
    m[block * size] = before;
    for (size_t x = block; x < axis->truths; x += blocks) before += theta[x];
  }
  for (size_t block = blocks; block-- > 0;) {
    const double rest = m[block * size] + after;
    memset(work, 0, 2 * size * sizeof *work);
    for (size_t x = block, row = 1; x < axis->truths; x += blocks, row++) even[row] = theta[x];
    for (size_t x = block; x < axis->truths; x += blocks) after += theta[x];
    parities(even, odd, size);
    for (size_t j = 0; j < size; j++) m[block * size + j] = axis->high * even[j] + axis->low * (odd[j] + rest);
  }
}

static void hadamard_adjoint(const candor_support_axis *axis, double low, double high, const double *w, double *work,
                             double *g)
{
  const size_t size = axis->size, blocks = axis->blocks, truths = axis->truths;
  double *even = work, *odd = work + size;
  double before = 0, after = 0;
  for (size_t block = 0; block < blocks; block++) {
    if (block < truths) g[block] = before; /* a block without categories has no row to fill */
    before += total(w + block * size, size);
  }
  for (size_t block = blocks; block-- > 0;) {
    const double rest = (block < truths ? g[block] : 0) + after;
    after += total(w + block * size, size);
    memcpy(even, w + block * size, size * sizeof *even);
    memset(odd, 0, size * sizeof *odd);
    parities(even, odd, size);
    for (size_t x = block, row = 1; x < truths; x += blocks, row++) g[x] = high * even[row] + low * (odd[row] + rest);
  }
}

/* ---- both -------------------------------------------------------------------------------------------- */

void candor_support_forward(const candor_support_axis *axis, const double *theta, double *work, double *m)
{
  if (axis->bits) sets_forward(axis, theta, work, m);
  else hadamard_forward(axis, theta, work, m);
}

void candor_support_adjoint(const candor_support_axis *axis, int square, const double *w, double *work, double *g)
{
  const double low = square ? axis->low * axis->low : axis->low, high = square ? axis->high * axis->high : axis->high;
  if (axis->bits) sets_adjoint(axis, low, high, w, work, g);
  else hadamard_adjoint(axis, low, high, w, work, g);
}

double candor_support_entry(const candor_support_axis *axis, size_t truth, size_t report)
{
  if (axis->bits) return axis->bits[truth / 8 * axis->reports + report] >> truth % 8 & 1 ? axis->high : axis->low;
  if (report / axis->size != truth % axis->blocks) return axis->low;
  int odd = 0;
  for (size_t both = (truth / axis->blocks + 1) & (report % axis->size); both != 0; both &= both - 1) odd = !odd;
  return odd ? axis->low : axis->high;
}
