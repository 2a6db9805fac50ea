/* The injected generator. A kernel that needs randomness takes a `candor_random` and never knows
 * whether the words come from ChaCha20, from R's generator or from a fuzzer.
 *
 * CONTRACT of fill(): writes exactly n words, each uniform on 0 .. 2^32 - 1 and independent of every
 * other word ever written, and returns CANDOR_OK; or returns another status, and then the words must
 * not be used. A kernel that meets a failure returns CANDOR_GENERATOR at once: there is no fallback.
 * No word is ever handed out twice, so a kernel may stop and resume between any two calls.
 *
 * A 64-bit number is two words, the first of them the high one. Most decisions fall on the high word
 * alone, which is why the unit is 32 bits: see candor_random_below() and perturb.h.
 */
#ifndef CANDOR_RANDOM_H
#define CANDOR_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct candor_random {
  candor_status (*fill)(void *state, uint32_t *words, size_t n);
  void *state;
} candor_random;

static inline candor_status candor_random_fill(const candor_random *random, uint32_t *words, size_t n)
{
  return random->fill(random->state, words, n) == CANDOR_OK ? CANDOR_OK : CANDOR_GENERATOR;
}

/* SYNOPSIS: *value is uniform on 0 .. bound - 1, exactly; `word` is one fresh word.
 * PRECONDITIONS: bound >= 1.
 * NUMERICS: the product word * bound falls into `bound` classes of its high half; 2^32 mod bound of
 *   the words are surplus and are drawn again, so that each class keeps the same number of words. The
 *   division is needed with probability bound / 2^32 only.
 * REFERENCE: Lemire (2019), ACM Transactions on Modeling and Computer Simulation 29(1),
 *   doi:10.1145/3230636, algorithm 5. */
static inline candor_status candor_random_below(const candor_random *random, uint32_t word, uint32_t bound,
                                                uint32_t *value)
{
  uint64_t product = (uint64_t) word * bound;
  if ((uint32_t) product < bound) {
    const uint32_t surplus = (uint32_t) (0u - bound) % bound;
    while ((uint32_t) product < surplus) {
      uint32_t fresh = 0; /* every filler that returns OK has written it, which gcc -fanalyzer cannot see */
      const candor_status status = candor_random_fill(random, &fresh, 1);
      if (status != CANDOR_OK) return status;
      product = (uint64_t) fresh * bound;
    }
  }
  *value = (uint32_t) (product >> 32);
  return CANDOR_OK;
}

#endif
