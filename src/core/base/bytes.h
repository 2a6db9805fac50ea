/* Packed bits, lowest first, whatever the order of bytes in the machine's words. */
#ifndef CANDOR_BYTES_H
#define CANDOR_BYTES_H

#include <stdint.h>

/* Eight bytes, lowest first, as a word and back: compilers make one instruction of it where that is so in memory. */
static inline uint64_t candor_get_word(const uint8_t *in)
{
  return (uint64_t) in[0] | (uint64_t) in[1] << 8 | (uint64_t) in[2] << 16 | (uint64_t) in[3] << 24 |
         (uint64_t) in[4] << 32 | (uint64_t) in[5] << 40 | (uint64_t) in[6] << 48 | (uint64_t) in[7] << 56;
}

static inline void candor_put_word(uint64_t word, uint8_t *out)
{
  out[0] = (uint8_t) word;
  out[1] = (uint8_t) (word >> 8);
  out[2] = (uint8_t) (word >> 16);
  out[3] = (uint8_t) (word >> 24);
  out[4] = (uint8_t) (word >> 32);
  out[5] = (uint8_t) (word >> 40);
  out[6] = (uint8_t) (word >> 48);
  out[7] = (uint8_t) (word >> 56);
}

#endif
