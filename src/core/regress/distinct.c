#include "regress/distinct.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 512 };

static uint64_t bits_of(double x)
{
  uint64_t bits;
  x += 0.0; /* -0 becomes 0 */
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static uint64_t mix(uint64_t h, uint64_t bits)
{
  h = (h ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ (h >> 29);
}

static int same(const candor_rows *t, size_t i, size_t j)
{
  if (t->code && t->code[i] != t->code[j]) return 0;
  for (size_t k = 0; k < t->columns; k++)
    if (bits_of(t->column[k][i]) != bits_of(t->column[k][j])) return 0;
  return 1;
}

candor_status candor_distinct(const candor_rows *t, size_t limit, int *slot, size_t slots, int *id, size_t *first,
                              size_t *count)
{
  uint64_t hash[BLOCK];
  if (slots < 2 * limit || (slots & (slots - 1)) != 0 || limit > INT_MAX / 2) return CANDOR_DOMAIN;
  for (size_t s = 0; s < slots; s++) slot[s] = -1;
  *count = 0;
  for (size_t from = 0; from < t->rows; from += BLOCK) {
    const size_t length = t->rows - from < BLOCK ? t->rows - from : BLOCK;
    for (size_t i = 0; i < length; i++) hash[i] = t->code ? (uint64_t) t->code[from + i] + 1 : 1;
    for (size_t k = 0; k < t->columns; k++) {
      const double *x = t->column[k] + from;
      for (size_t i = 0; i < length; i++) hash[i] = mix(hash[i], bits_of(x[i]));
    }
    for (size_t i = 0; i < length; i++) {
      size_t s = (size_t) (hash[i] >> 7) & (slots - 1);
      while (slot[s] >= 0 && !same(t, from + i, first[slot[s]])) s = (s + 1) & (slots - 1);
      if (slot[s] < 0) {
        if (*count == limit) return CANDOR_STALLED;
        slot[s] = (int) *count;
        first[(*count)++] = from + i;
      }
      id[from + i] = slot[s];
    }
  }
  return CANDOR_OK;
}
