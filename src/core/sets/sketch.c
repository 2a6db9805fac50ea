#include "sets/sketch.h"

#include <math.h>
#include <string.h>

static uint64_t rotate(uint64_t x, int by)
{
  return (x << by) | (x >> (64 - by));
}

typedef struct sip {
  uint64_t v0, v1, v2, v3;
} sip;

static void sip_rounds(sip *s, int rounds)
{
  for (int i = 0; i < rounds; i++) {
    s->v0 += s->v1;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v0 = rotate(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v2 = rotate(s->v2, 32);
  }
}

/* Little-endian by construction, so that a sketch made on one machine merges with one made on another. */
static uint64_t read_word(const unsigned char *bytes, size_t n)
{
  uint64_t word = 0;
  for (size_t i = 0; i < n; i++) word |= (uint64_t) bytes[i] << (8 * i);
  return word;
}

uint64_t candor_siphash(candor_hash_key key, const unsigned char *bytes, size_t n)
{
  sip s = {key.k0 ^ UINT64_C(0x736f6d6570736575), key.k1 ^ UINT64_C(0x646f72616e646f6d),
           key.k0 ^ UINT64_C(0x6c7967656e657261), key.k1 ^ UINT64_C(0x7465646279746573)};
  const size_t whole = n / 8 * 8;
  for (size_t i = 0; i <= whole; i += 8) {
    /* The last word carries the length in its top byte. */
    const uint64_t word = i < whole ? read_word(bytes + i, 8)
                                    : (n > whole ? read_word(bytes + whole, n - whole) : 0) | (uint64_t) n << 56;
    s.v3 ^= word;
    sip_rounds(&s, 2);
    s.v0 ^= word;
  }
  s.v2 ^= 0xff;
  sip_rounds(&s, 4);
  return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

uint64_t candor_hash_number(candor_hash_key key, double number)
{
  const double value = number == 0 ? 0 : number;
  unsigned char bytes[8];
  uint64_t word;
  memcpy(&word, &value, 8);
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char) ((word >> (8 * i)) & 0xff);
  return candor_siphash(key, bytes, 8);
}

candor_status candor_bloom_add(uint64_t hash, size_t hashes, size_t m, int *bits)
{
  if (m == 0 || m >= (UINT64_C(1) << 53) || hashes == 0) return CANDOR_DOMAIN;
  /* A second hash of the first one: a bijection that mixes (multiply, shift, multiply), made odd. */
  uint64_t other = hash ^ (hash >> 32);
  other *= UINT64_C(0x9e3779b97f4a7c15);
  other ^= other >> 29;
  other *= UINT64_C(0xd6e8feb86659fd93);
  other |= 1;
  for (size_t j = 0; j < hashes; j++) bits[(hash + (uint64_t) j * other) % m] = 1;
  return CANDOR_OK;
}

candor_status candor_pcsa_add(uint64_t hash, size_t buckets, size_t levels, int *bits)
{
  if (buckets == 0 || buckets >= (UINT64_C(1) << 32) || levels == 0 || levels > 32) return CANDOR_DOMAIN;
  const size_t bucket = (size_t) (((hash >> 32) * (uint64_t) buckets) >> 32);
  uint64_t low = hash & UINT64_C(0xffffffff);
  size_t level = 0;
  while (level < levels - 1 && (low & 1) == 0) {
    low >>= 1;
    level++;
  }
  bits[bucket + level * buckets] = 1;
  return CANDOR_OK;
}
