/* Random words for simulation: one stream for each (seed, cell, replicate), so that the draws do not depend on which
 * process makes them or when. The streams are ChaCha20's, which keeps them independent whatever the numbers that name
 * them. */
#ifndef CANDOR_STREAM_H
#define CANDOR_STREAM_H

#include "respond/chacha20.h"

/* SYNOPSIS   Starts the stream that `seed`, `cell` and `replicate` name; candor_chacha20_fill() reads it.
 * REFERENCE  RFC 8439, doi:10.17487/RFC8439. */
void candor_stream_start(candor_chacha20 *stream, uint64_t seed, uint64_t cell, uint64_t replicate);

enum { CANDOR_DRAW_WORDS = 128 };

/* Words in store, so that a draw costs no call. Where the generator fails, `status` says so and all further words are
 * zero: whoever loops over draws looks at it. */
typedef struct candor_draw {
  const candor_random *random;
  candor_status status;
  size_t next;
  uint32_t words[CANDOR_DRAW_WORDS];
} candor_draw;

/* SYNOPSIS       Begins with an empty store.
 * PRECONDITIONS  `random` outlives the draws. */
void candor_draw_start(candor_draw *draw, const candor_random *random);

void candor_draw_refill(candor_draw *draw);

/* SYNOPSIS   The midpoint of one of 2^52 cells of (0, 1), each as likely: never 0, never 1. */
static inline double candor_draw_uniform(candor_draw *draw)
{
  if (draw->next == CANDOR_DRAW_WORDS) candor_draw_refill(draw);
  const uint64_t high = draw->words[draw->next++] >> 6;
  const uint64_t low = draw->words[draw->next++] >> 6;
  return ((double) (high << 26 | low) + 0.5) * (1.0 / 4503599627370496.0);
}

#endif
