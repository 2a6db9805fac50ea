/* Any places and whole weights: what the kernel accepts adds up as the plainest loops do, and is symmetric. */
#include <string.h>

#include "bytes.h"
#include "estimate/filters.h"

enum { HASHES = 4, CATEGORIES = 12, COHORTS = 4, BITS = 9 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Is place s unlike the ones before it? A bit that two hashes set is one bit. */
static int counts(const int *own, size_t s)
{
  for (size_t before = 0; before < s; before++)
    if (own[before] == own[s]) return 0;
  return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static int places[HASHES * CATEGORIES * COHORTS], members[2 * BITS + 1 + HASHES * CATEGORIES];
  static double inner[BITS * BITS * COHORTS], row[BITS], out[CATEGORIES * CATEGORIES];
  bytes in = {data, size};
  const int dense = byte(&in) % 2;
  const candor_filters f = {1 + byte(&in) % HASHES, 1 + byte(&in) % CATEGORIES, 1 + byte(&in) % COHORTS,
                            1 + byte(&in) % BITS, places};
  int bad = 0;
  for (size_t i = 0; i < f.hashes * f.categories * f.cohorts; i++) {
    const uint8_t x = byte(&in);
    places[i] = x < 254 ? 1 + x % (int) f.bits : x == 254 ? -2147483647 - 1 : (int) f.bits + 1;
    bad |= x >= 254;
  }
  for (size_t j = 0; j < f.cohorts; j++)
    for (size_t a = 0; a < f.bits; a++)
      for (size_t b = 0; b <= a; b++) {
        const double x = (double) byte(&in) - 128;
        if (dense) inner[a + f.bits * (b + f.bits * j)] = inner[b + f.bits * (a + f.bits * j)] = x;
        else if (a == b) inner[a + f.bits * j] = x;
      }
  const candor_status status = candor_filter_squares(&f, inner, dense, members, row, out);
  if ((status == CANDOR_DOMAIN) != bad) __builtin_trap();
  if (bad) return 0;
  for (size_t u = 0; u < f.categories; u++)
    for (size_t v = 0; v < f.categories; v++) {
      double sum = 0;
      for (size_t j = 0; j < f.cohorts; j++)
        for (size_t s = 0; s < f.hashes; s++)
          for (size_t t = 0; t < f.hashes; t++) {
            if (!counts(places + f.hashes * (u + f.categories * j), s) ||
                !counts(places + f.hashes * (v + f.categories * j), t))
              continue;
            const size_t a = (size_t) places[s + f.hashes * (u + f.categories * j)] - 1,
                         b = (size_t) places[t + f.hashes * (v + f.categories * j)] - 1;
            if (dense) sum += inner[a + f.bits * (b + f.bits * j)];
            else if (a == b) sum += inner[a + f.bits * j];
          }
      if (out[u + f.categories * v] != sum) __builtin_trap();
    }
  return 0;
}
