/* A fast stream of words for simulation, one per (seed, cell, replicate). Its state is two blocks of ChaCha20, so that
 * streams are independent whatever the numbers that name them; from there on it is xoshiro256++, four generators side
 * by side, which cost a seventh. Not for answers that leave a respondent: those use ChaCha20 itself. */
#ifndef CANDOR_STREAM_H
#define CANDOR_STREAM_H

#include "random.h"

enum { CANDOR_STREAM_LANES = 4 };

typedef struct candor_stream {
  uint64_t state[4][CANDOR_STREAM_LANES];
} candor_stream;

/* SYNOPSIS: starts the stream that `seed`, `cell` and `replicate` name.
 * REFERENCE: Blackman and Vigna (2021), ACM Transactions on Mathematical Software 47(4),
 *   doi:10.1145/3460772 (xoshiro256++); RFC 8439 (the block function). */
void candor_stream_start(candor_stream *stream, uint64_t seed, uint64_t cell, uint64_t replicate);

enum { CANDOR_STREAMS = 8 };

/* SYNOPSIS: the same for `replicate` and those after it, at the price of two or three. */
void candor_streams_start(candor_stream streams[CANDOR_STREAMS], uint64_t seed, uint64_t cell, uint64_t replicate);

/* A `fill` for candor_random, with `state` a candor_stream. What a request leaves of the last eight words, two of each
 * generator, is passed over. Never fails. */
candor_status candor_stream_fill(void *state, uint32_t *words, size_t n);

#endif
