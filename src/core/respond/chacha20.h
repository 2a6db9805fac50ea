/* ChaCha20 as a generator: the keystream of a secret key is computationally indistinguishable from
 * uniform words, so whoever sees the randomized answers learns no more than their probabilities say. */
#ifndef CANDOR_CHACHA20_H
#define CANDOR_CHACHA20_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"

#define CANDOR_CHACHA20_KEY 8 /* words */
#define CANDOR_CHACHA20_NONCE 2
#define CANDOR_CHACHA20_BLOCK 16

/* Blocks of a batch; the words do not depend on it, nor on how many are computed side by side: chacha20.c. */
#define CANDOR_CHACHA20_LANES 16
#define CANDOR_CHACHA20_BATCH (CANDOR_CHACHA20_LANES * CANDOR_CHACHA20_BLOCK)

/* Holds the key: call candor_chacha20_wipe() on every way out. */
typedef struct candor_chacha20 {
  uint32_t input[CANDOR_CHACHA20_BLOCK]; /* constants, key, 64-bit counter, nonce */
  uint32_t ready[CANDOR_CHACHA20_BATCH]; /* keystream not handed out yet, from `next` on */
  size_t next;
  int exhausted; /* the counter came round: no more words under this key */
} candor_chacha20;

/* SYNOPSIS: starts the stream of `key` and `nonce` at block `counter`. The counter has 64 bits (words 12
 *   and 13), as in Bernstein's original: 2^70 bytes under one key, where the RFC's 32 bits give 2^38.
 *   16 words are the block of RFC 8439 section 2.3 whose counter and nonce, 4 words, are `counter` (low word first)
 *   and `nonce`; the RFC's byte string is their little-endian serialisation.
 * REFERENCE: Bernstein (2008), ChaCha, a variant of Salsa20, Workshop Record of SASC; Nir and Langley (2018), RFC 8439,
 *   doi:10.17487/RFC8439. */
void candor_chacha20_start(candor_chacha20 *stream, const uint32_t key[CANDOR_CHACHA20_KEY],
                           const uint32_t nonce[CANDOR_CHACHA20_NONCE], uint64_t counter);

/* SYNOPSIS: the next n words; a `fill` for candor_random, with `state` a candor_chacha20. The words do
 *   not depend on how the requests are cut. CANDOR_GENERATOR once the counter has come round. */
candor_status candor_chacha20_fill(void *state, uint32_t *words, size_t n);

/* Overwrites `n` bytes in a way that the compiler may not leave out. */
void candor_wipe(void *memory, size_t n);

/* Overwrites key and keystream; the stream then fails until it is started again. */
void candor_chacha20_wipe(candor_chacha20 *stream);

#endif
