/* Random decisions one after the other, exact to 2^-64, from a buffer of the generator's words: for the protocols whose
 * reports take a number of words that is not known beforehand.
 *
 * The buffer holds words that will be used: wipe the struct (candor_wipe) on every way out. */
#ifndef CANDOR_WORDS_H
#define CANDOR_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"
#include "respond/quantize.h"

#define CANDOR_WORDS_BUFFER 512

typedef struct candor_words {
  const candor_random *random;
  size_t next; /* words from here on are unused */
  uint32_t word[CANDOR_WORDS_BUFFER];
} candor_words;

static inline void candor_words_start(candor_words *words, const candor_random *random)
{
  words->random = random;
  words->next = CANDOR_WORDS_BUFFER;
}

static inline candor_status candor_words_next(candor_words *words, uint32_t *word)
{
  if (words->next == CANDOR_WORDS_BUFFER) {
    const candor_status status = candor_random_fill(words->random, words->word, CANDOR_WORDS_BUFFER);
    if (status != CANDOR_OK) return status;
    words->next = 0;
  }
  *word = words->word[words->next++];
  return CANDOR_OK;
}

/* SYNOPSIS: *yes is 1 with probability `chance`. */
candor_status candor_words_chance(candor_words *words, candor_grid chance, int *yes);

/* SYNOPSIS: *value is uniform on 0 .. bound - 1, exactly (random.h). PRECONDITIONS: bound >= 1. */
candor_status candor_words_below(candor_words *words, uint32_t bound, uint32_t *value);

/* SYNOPSIS: each of the bits of `lanes` is kept in *ones with probability `chance`, all independent.
 * NUMERICS: 64 comparisons of a random binary fraction with `chance` at once, digit by digit from the top, until all
 *   are decided: exact, and without a logarithm. It takes 7.4 words of 64 bits on average for 64 lanes, fewer where the
 *   digits of `chance` end early (one for 1/2). */
candor_status candor_words_bits(candor_words *words, candor_grid chance, uint64_t lanes, uint64_t *ones);

/* SYNOPSIS: the same for all 64 lanes of each of n words.
 * NUMERICS: the first six digits of four words side by side, without a branch; the one lane in 64 that is then still
 *   undecided compares the next eight digits with a byte of its own. It takes 6.1 words of 64 bits for 64 lanes. After
 *   four digits it would take 4.5 and be slower: a branch for each of four lanes costs more than two words of
 *   ChaCha20 with AVX-512, as much as these with AVX2, and a tenth less with SSE2. */
candor_status candor_words_many_bits(candor_words *words, candor_grid chance, size_t n, uint64_t *ones);

/* SYNOPSIS: a uniformly distributed set of `size` of the numbers 0 .. n - 1, or of these without `left_out` (if it is
 *   below n), as bits of `set` ((n + 63) / 64 words).
 * PRECONDITIONS: size <= n, or n - 1 if one is left out; n < 2^31; `set` all 0 but for the number left out.
 * NUMERICS: exact. Small sets by Floyd's method, one draw a member. Others from independent bits whose number is
 *   brought to `size` by adding or taking away numbers that are drawn uniformly: whatever the bits' probability, all
 *   sets of one size stay equally likely, since nothing depends on the names of the numbers. 4 times as fast at 1,000
 *   of 10,000 and more.
 * REFERENCE: Floyd, in Bentley (1987), Programming pearls: a sample of brilliance, doi:10.1145/30401.315746. */
candor_status candor_words_subset(candor_words *words, uint32_t n, uint32_t size, uint32_t left_out, uint64_t *set);

/* SYNOPSIS: n reports of `bytes` bytes, one after the other, into rows of a matrix: byte b of report i goes to
 *   out[b * rows + i]. NUMERICS: squares of 8 by 8 bytes are turned in registers, 5 times as fast as byte by byte. */
void candor_turn_bits(const uint8_t *reports, size_t n, size_t bytes, uint8_t *out, size_t rows);

/* Bytes of a packed report: bits lowest first. */
static inline size_t candor_bytes_of(size_t bits)
{
  return (bits + 7) / 8;
}

#endif
