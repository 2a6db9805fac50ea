#include "stream.h"

#include <string.h>

#include "chacha20.h"

/* The key's last words only tell these streams from other users of the block function. */
static void name_key(uint32_t key[CANDOR_CHACHA20_KEY], uint64_t seed, uint64_t cell)
{
  const uint32_t words[CANDOR_CHACHA20_KEY] = {
    (uint32_t) seed, (uint32_t) (seed >> 32), (uint32_t) cell, (uint32_t) (cell >> 32),
    0x646e6163u, 0x7320726fu, 0x79647574u, 1u
  };
  memcpy(key, words, sizeof words);
}

static void set_state(candor_stream *stream, const uint32_t block[CANDOR_CHACHA20_BLOCK])
{
  for (int i = 0; i < 4; i++) {
    stream->state[i] = ((uint64_t) block[2 * i] << 32) | block[2 * i + 1];
  }
  stream->state[0] |= 1u; /* the all-zero state is the one that must not be */
}

void candor_stream_start(candor_stream *stream, uint64_t seed, uint64_t cell, uint64_t replicate)
{
  uint32_t key[CANDOR_CHACHA20_KEY], block[CANDOR_CHACHA20_BLOCK];
  const uint32_t rest[4] = {(uint32_t) replicate, (uint32_t) (replicate >> 32), 0u, 0u};
  name_key(key, seed, cell);
  candor_chacha20_block(key, rest, block);
  set_state(stream, block);
}

void candor_streams_start(candor_stream streams[CANDOR_STREAMS], uint64_t seed, uint64_t cell, uint64_t replicate)
{
  /* The replicate is the block's counter. */
  candor_chacha20 blocks;
  uint32_t key[CANDOR_CHACHA20_KEY], words[CANDOR_STREAMS * CANDOR_CHACHA20_BLOCK];
  const uint32_t nonce[CANDOR_CHACHA20_NONCE] = {0u, 0u};
  name_key(key, seed, cell);
  candor_chacha20_start(&blocks, key, nonce, replicate);
  candor_chacha20_fill(&blocks, words, CANDOR_STREAMS * CANDOR_CHACHA20_BLOCK);
  for (size_t r = 0; r < CANDOR_STREAMS; r++) set_state(&streams[r], words + r * CANDOR_CHACHA20_BLOCK);
}

static inline uint64_t rotate(uint64_t x, int left)
{
  return (x << left) | (x >> (64 - left));
}

candor_status candor_stream_fill(void *state, uint32_t *words, size_t n)
{
  candor_stream *stream = state;
  uint64_t a = stream->state[0], b = stream->state[1], c = stream->state[2], d = stream->state[3];
  for (size_t i = 0; i < n; i += 2) {
    const uint64_t result = rotate(a + d, 23) + a;
    const uint64_t t = b << 17;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = rotate(d, 45);
    words[i] = (uint32_t) (result >> 32);
    if (i + 1 < n) {
      words[i + 1] = (uint32_t) result;
    }
  }
  stream->state[0] = a;
  stream->state[1] = b;
  stream->state[2] = c;
  stream->state[3] = d;
  return CANDOR_OK;
}
