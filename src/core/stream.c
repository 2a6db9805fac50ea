#include "stream.h"

#include <string.h>

#include "chacha20.h"
#include "wide.h"

enum { LANES = CANDOR_STREAM_LANES, BLOCKS = LANES / 2 };

/* The key's last words only tell these streams from other users of the block function. */
static void name_key(uint32_t key[CANDOR_CHACHA20_KEY], uint64_t seed, uint64_t cell)
{
  const uint32_t words[CANDOR_CHACHA20_KEY] = {
    (uint32_t) seed, (uint32_t) (seed >> 32), (uint32_t) cell, (uint32_t) (cell >> 32),
    0x646e6163u, 0x7320726fu, 0x79647574u, 1u
  };
  memcpy(key, words, sizeof words);
}

/* The generators of a stream one after the other, each with four numbers of two words. */
static void set_state(candor_stream *stream, const uint32_t words[BLOCKS * CANDOR_CHACHA20_BLOCK])
{
  for (size_t l = 0; l < LANES; l++) {
    for (size_t i = 0; i < 4; i++) {
      const uint32_t *word = words + 8 * l + 2 * i;
      stream->state[i][l] = ((uint64_t) word[0] << 32) | word[1];
    }
    stream->state[0][l] |= 1u; /* the all-zero state is the one that must not be */
  }
}

static void start(candor_stream *streams, size_t n, uint64_t seed, uint64_t cell, uint64_t replicate)
{
  candor_chacha20 blocks;
  uint32_t key[CANDOR_CHACHA20_KEY], words[CANDOR_STREAMS][BLOCKS * CANDOR_CHACHA20_BLOCK];
  const uint32_t nonce[CANDOR_CHACHA20_NONCE] = {0u, 0u};
  name_key(key, seed, cell);
  candor_chacha20_start(&blocks, key, nonce, BLOCKS * replicate);
  candor_chacha20_fill(&blocks, words[0], n * BLOCKS * CANDOR_CHACHA20_BLOCK);
  for (size_t r = 0; r < n; r++) set_state(&streams[r], words[r]);
}

void candor_stream_start(candor_stream *stream, uint64_t seed, uint64_t cell, uint64_t replicate)
{
  start(stream, 1, seed, cell, replicate);
}

void candor_streams_start(candor_stream streams[CANDOR_STREAMS], uint64_t seed, uint64_t cell, uint64_t replicate)
{
  start(streams, CANDOR_STREAMS, seed, cell, replicate);
}

#define EACH_LANE(statement) \
  for (size_t l = 0; l < LANES; l++) statement

/* The next words of all generators: first the upper halves, then the lower. */
static CANDOR_WIDE void fill(uint64_t state[4][LANES], uint32_t *restrict words, size_t n)
{
  uint64_t a[LANES], b[LANES], c[LANES], d[LANES], x[LANES], t[LANES];
  memcpy(a, state[0], sizeof a);
  memcpy(b, state[1], sizeof b);
  memcpy(c, state[2], sizeof c);
  memcpy(d, state[3], sizeof d);
  for (size_t i = 0; i < n; i += 2 * LANES) {
    EACH_LANE(x[l] = a[l] + d[l]);
    EACH_LANE(x[l] = ((x[l] << 23) | (x[l] >> 41)) + a[l]);
    EACH_LANE(t[l] = b[l] << 17);
    EACH_LANE(c[l] ^= a[l]);
    EACH_LANE(d[l] ^= b[l]);
    EACH_LANE(b[l] ^= c[l]);
    EACH_LANE(a[l] ^= d[l]);
    EACH_LANE(c[l] ^= t[l]);
    EACH_LANE(d[l] = (d[l] << 45) | (d[l] >> 19));
    EACH_LANE(words[i + l] = (uint32_t) (x[l] >> 32));
    EACH_LANE(words[i + LANES + l] = (uint32_t) x[l]);
  }
  memcpy(state[0], a, sizeof a);
  memcpy(state[1], b, sizeof b);
  memcpy(state[2], c, sizeof c);
  memcpy(state[3], d, sizeof d);
}

candor_status candor_stream_fill(void *state, uint32_t *words, size_t n)
{
  candor_stream *stream = state;
  const size_t rest = n % (2 * LANES);
  fill(stream->state, words, n - rest);
  if (rest > 0) {
    uint32_t last[2 * LANES];
    fill(stream->state, last, 2 * LANES);
    memcpy(words + n - rest, last, rest * sizeof *words);
  }
  return CANDOR_OK;
}
