/* What a fuzz target reads its numbers from: the bytes of the input, then zeros. */
#ifndef CANDOR_FUZZ_BYTES_H
#define CANDOR_FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct bytes {
  const uint8_t *data;
  size_t size;
} bytes;

static inline uint8_t byte(bytes *b)
{
  if (b->size == 0) return 0;
  b->size--;
  return *b->data++;
}

/* Any double at all, if the input is long enough: 1, else 0. */
static inline int any_double(bytes *b, double *x)
{
  if (b->size < sizeof *x) return 0;
  memcpy(x, b->data, sizeof *x);
  b->data += sizeof *x;
  b->size -= sizeof *x;
  return 1;
}

#endif
