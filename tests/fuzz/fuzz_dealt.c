/* Any block, deck and coefficients: a log-likelihood of at most 0, the same with and without derivatives and in any order
 * of the people, finite derivatives, and a complete information that is positive semidefinite along the gradient. */
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "regress/dealt.h"

enum { ROWS = 9, MOST = 3, WORK = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bytes in = {data, size};
  const size_t p = 1 + byte(&in) % MOST, r = 1 + byte(&in) % ROWS, cards = r + 1 + byte(&in) % 6;
  const size_t yes = byte(&in) % cards, no = byte(&in) % (cards - yes);
  if (yes + no >= cards) return 0;
  double z[ROWS * MOST], turned[ROWS * MOST], offset[ROWS], other[ROWS], b[MOST], work[WORK];
  int said[ROWS], back[ROWS];
  for (size_t i = 0; i < r * p; i++) z[i] = ((double) byte(&in) - 128.0) / 32.0;
  for (size_t i = 0; i < r; i++) offset[i] = ((double) byte(&in) - 128.0) / 32.0;
  for (size_t i = 0; i < r; i++) said[i] = byte(&in) % 2;
  for (size_t c = 0; c < p; c++) {
    const uint8_t one = byte(&in);
    b[c] = one == 255 ? (double) INFINITY : one == 254 ? (double) NAN : ((double) one - 128.0) / 4.0;
  }
  for (size_t i = 0; i < r; i++) {
    other[i] = offset[r - 1 - i];
    back[i] = said[r - 1 - i];
    for (size_t c = 0; c < p; c++) turned[c * r + i] = z[c * r + r - 1 - i];
  }
  const candor_link link = (candor_link) (byte(&in) % CANDOR_LINKS);
  const candor_dealt block = {cards, yes, no, r, p, r, z, offset, said, link};
  const candor_dealt reversed = {cards, yes, no, r, p, r, turned, other, back, link};
  if (candor_dealt_work(p, r) > WORK) __builtin_trap();
  double gradient[MOST] = {0}, observed[MOST * MOST] = {0}, complete[MOST * MOST] = {0};
  const double value = candor_dealt_block(&block, b, work, gradient, observed, complete);
  const double again = candor_dealt_block(&block, b, work, NULL, NULL, NULL);
  const double order = candor_dealt_block(&reversed, b, work, NULL, NULL, NULL);
  if (!(value <= 1e-9) || value != again) __builtin_trap();
  if (!isfinite(value)) return 0;
  if (fabs(value - order) > 1e-9 * (1 + fabs(value))) __builtin_trap();
  double along = 0, scale = 0;
  for (size_t c = 0; c < p; c++) {
    if (isnan(gradient[c])) __builtin_trap();
    for (size_t d = 0; d < p; d++) {
      if (isnan(observed[c * p + d]) || !isfinite(complete[c * p + d])) __builtin_trap();
      along += gradient[c] * complete[c * p + d] * gradient[d];
      scale += fabs(gradient[c] * complete[c * p + d] * gradient[d]);
    }
  }
  if (isfinite(scale) && along < -1e-9 * scale) __builtin_trap();
  return 0;
}
