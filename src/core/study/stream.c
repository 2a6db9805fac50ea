#include "study/stream.h"

#include <string.h>

void candor_stream_start(candor_chacha20 *stream, uint64_t seed, uint64_t cell, uint64_t replicate)
{
  /* The last words tell these streams from those of other users of the cipher. */
  const uint32_t key[CANDOR_CHACHA20_KEY] = {(uint32_t) seed, (uint32_t) (seed >> 32),
                                             (uint32_t) cell, (uint32_t) (cell >> 32),
                                             0x646e6163u,     0x7320726fu,
                                             0x79647574u,     1u};
  const uint32_t nonce[CANDOR_CHACHA20_NONCE] = {(uint32_t) replicate, (uint32_t) (replicate >> 32)};
  candor_chacha20_start(stream, key, nonce, 0);
}

void candor_draw_start(candor_draw *draw, const candor_random *random)
{
  draw->random = random;
  draw->status = CANDOR_OK;
  draw->next = CANDOR_DRAW_WORDS;
}

void candor_draw_refill(candor_draw *draw)
{
  if (draw->status == CANDOR_OK) draw->status = candor_random_fill(draw->random, draw->words, CANDOR_DRAW_WORDS);
  if (draw->status != CANDOR_OK) memset(draw->words, 0, sizeof draw->words);
  draw->next = 0;
}
