/* Sketches of sets that survive randomized response, since a union's sketch is the OR of the sketches' bits: Bloom
 * filters (linear counting is one with one hash function) and Flajolet-Martin's PCSA. And the hash behind them. */
#ifndef CANDOR_SKETCH_H
#define CANDOR_SKETCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A secret or public 128-bit key: parties whose sketches are to be merged use the same one. */
typedef struct candor_hash_key {
  uint64_t k0;
  uint64_t k1;
} candor_hash_key;

/* SYNOPSIS      SipHash-2-4, 64 bits: keyed, so that nobody without the key can choose colliding items.
 * REFERENCE     Aumasson and Bernstein (2012) "SipHash: a fast short-input PRF" doi:10.1007/978-3-642-34931-7_28. */
uint64_t candor_siphash(candor_hash_key key, const unsigned char *bytes, size_t n);

/* SYNOPSIS      The hash of a number: of its eight bytes as a little-endian IEEE double, -0 as 0; so 1L and 1 agree. */
uint64_t candor_hash_number(candor_hash_key key, double number);

/* SYNOPSIS      Sets the `hashes` bits of one item in a Bloom filter of m bits. The j-th position is
 *               (h1 + j h2) mod m with h2 odd, from two hashes of the item.
 * PRECONDITIONS 1 <= m < 2^53, 1 <= hashes.
 * REFERENCE     Bloom (1970) doi:10.1145/362686.362692; Kirsch and Mitzenmacher (2008) doi:10.1002/rsa.20208. */
candor_status candor_bloom_add(uint64_t hash, size_t hashes, size_t m, int *bits);

/* SYNOPSIS      Sets the bit of one item in a PCSA sketch: bits[bucket + level * buckets], bucket uniform, level l with
 *               probability 2^-(l+1), and what is left at the last level.
 * PRECONDITIONS 1 <= buckets < 2^32, 1 <= levels <= 32.
 * REFERENCE     Flajolet and Martin (1985) doi:10.1016/0022-0000(85)90041-8. */
candor_status candor_pcsa_add(uint64_t hash, size_t buckets, size_t levels, int *bits);

#endif
