/* Vectors: RFC 8439 section 2.3.2 and appendix A.1 (all five); one 64-bit counter vector by the definition
 * (the RFC's block with the counter's high word in the first nonce word). */
#include <string.h>

#include "check.h"
#include "respond/chacha20.h"

/* The RFC's block: the first 16 words of a stream that starts there. */
static void block_at(const uint32_t key[8], const uint32_t rest[4], uint32_t out[16])
{
  candor_chacha20 stream;
  candor_chacha20_start(&stream, key, rest + 2, (uint64_t) rest[1] << 32 | rest[0]);
  CHECK(candor_chacha20_fill(&stream, out, 16) == CANDOR_OK);
}

static void check_block(const uint32_t key[8], const uint32_t rest[4], const uint32_t expected[16])
{
  uint32_t out[16];
  block_at(key, rest, out);
  for (int i = 0; i < 16; i++) CHECK(out[i] == expected[i]);
}

static void rfc_vectors(void)
{
  uint32_t counting[8];
  for (uint32_t i = 0; i < 8; i++) counting[i] = 0x03020100u + 0x04040404u * i;
  {
    const uint32_t rest[4] = {1, 0x09000000u, 0x4a000000u, 0};
    const uint32_t expected[16] = {0xe4e7f110u, 0x15593bd1u, 0x1fdd0f50u, 0xc47120a3u, 0xc7f4d1c7u, 0x0368c033u,
                                   0x9aaa2204u, 0x4e6cd4c3u, 0x466482d2u, 0x09aa9f07u, 0x05d7c214u, 0xa2028bd9u,
                                   0xd19c12b5u, 0xb94e16deu, 0xe883d0cbu, 0x4e3c50a2u};
    check_block(counting, rest, expected);
  }
  const uint32_t zero[8] = {0}, last[8] = {0, 0, 0, 0, 0, 0, 0, 0x01000000u}, second[8] = {0x0000ff00u};
  {
    const uint32_t rest[4] = {0, 0, 0, 0};
    const uint32_t expected[16] = {0xade0b876u, 0x903df1a0u, 0xe56a5d40u, 0x28bd8653u, 0xb819d2bdu, 0x1aed8da0u,
                                   0xccef36a8u, 0xc70d778bu, 0x7c5941dau, 0x8d485751u, 0x3fe02477u, 0x374ad8b8u,
                                   0xf4b8436au, 0x1ca11815u, 0x69b687c3u, 0x8665eeb2u};
    check_block(zero, rest, expected);
  }
  {
    const uint32_t rest[4] = {1, 0, 0, 0};
    const uint32_t expected[16] = {0xbee7079fu, 0x7a385155u, 0x7c97ba98u, 0x0d082d73u, 0xa0290fcbu, 0x6965e348u,
                                   0x3e53c612u, 0xed7aee32u, 0x7621b729u, 0x434ee69cu, 0xb03371d5u, 0xd539d874u,
                                   0x281fed31u, 0x45fb0a51u, 0x1f0ae1acu, 0x6f4d794bu};
    check_block(zero, rest, expected);
  }
  {
    const uint32_t rest[4] = {1, 0, 0, 0};
    const uint32_t expected[16] = {0x2452eb3au, 0x9249f8ecu, 0x8d829d9bu, 0xddd4ceb1u, 0xe8252083u, 0x60818b01u,
                                   0xf38422b8u, 0x5aaa49c9u, 0xbb00ca8eu, 0xda3ba7b4u, 0xc4b592d1u, 0xfdf2732fu,
                                   0x4436274eu, 0x2561b3c8u, 0xebdd4aa6u, 0xa0136c00u};
    check_block(last, rest, expected);
  }
  {
    const uint32_t rest[4] = {2, 0, 0, 0};
    const uint32_t expected[16] = {0xfb4dd572u, 0x4bc42ef1u, 0xdf922636u, 0x327f1394u, 0xa78dea8fu, 0x5e269039u,
                                   0xa1bebbc1u, 0xcaf09aaeu, 0xa25ab213u, 0x48a6b46cu, 0x1b9d9bcbu, 0x092c5be6u,
                                   0x546ca624u, 0x1bec45d5u, 0x87f47473u, 0x96f0992eu};
    check_block(second, rest, expected);
  }
  {
    const uint32_t rest[4] = {0, 0, 0, 0x02000000u};
    const uint32_t expected[16] = {0x374dc6c2u, 0x3736d58cu, 0xb904e24au, 0xcd3f93efu, 0x88228b1au, 0x96a4dfb3u,
                                   0x5b76ab72u, 0xc727ee54u, 0x0e0e978au, 0xf3145c95u, 0x1b748ea8u, 0xf786c297u,
                                   0x99c28f5fu, 0x628314e8u, 0x398a19fau, 0x6ded1b53u};
    check_block(zero, rest, expected);
  }
}

/* The stream is the blocks in order, across the carry into the counter's high word, however it is cut. */
static void stream_is_the_blocks(void)
{
  enum { BLOCKS = 40, WORDS = 16 * BLOCKS };
  const uint32_t key[8] = {1, 2, 3, 4, 5, 6, 7, 8}, nonce[2] = {9, 10};
  const uint64_t first = 0xfffffff0u;
  static uint32_t expected[WORDS], words[WORDS];
  for (uint64_t b = 0; b < BLOCKS; b++) {
    const uint32_t rest[4] = {(uint32_t) (first + b), (uint32_t) ((first + b) >> 32), 9, 10};
    block_at(key, rest, expected + 16 * b);
  }
  const size_t cuts[] = {1, 3, 16, 63, 64, 65, 127, 128, 129, WORDS};
  for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
    candor_chacha20 stream;
    candor_chacha20_start(&stream, key, nonce, first);
    memset(words, 0, sizeof words);
    for (size_t done = 0; done < WORDS; done += cuts[c]) {
      const size_t n = cuts[c] < WORDS - done ? cuts[c] : WORDS - done;
      CHECK(candor_chacha20_fill(&stream, words + done, n) == CANDOR_OK);
    }
    CHECK(memcmp(words, expected, sizeof words) == 0);
  }
}

static void never_repeats_and_wipes(void)
{
  const uint32_t key[8] = {1}, nonce[2] = {0, 0};
  static uint32_t words[4 * CANDOR_CHACHA20_BATCH];
  candor_chacha20 stream;
  candor_chacha20_start(&stream, key, nonce, UINT64_MAX - CANDOR_CHACHA20_LANES - 1);
  CHECK(candor_chacha20_fill(&stream, words, 1) == CANDOR_OK);
  CHECK(candor_chacha20_fill(&stream, words, 4 * CANDOR_CHACHA20_BATCH) == CANDOR_GENERATOR);
  CHECK(candor_chacha20_fill(&stream, words, 1) == CANDOR_GENERATOR);

  candor_chacha20_start(&stream, key, nonce, 0);
  CHECK(candor_chacha20_fill(&stream, words, 5) == CANDOR_OK);
  candor_chacha20_wipe(&stream);
  int nonzero = 0;
  for (int i = 0; i < 16; i++) nonzero |= stream.input[i] != 0;
  for (int i = 0; i < CANDOR_CHACHA20_BATCH; i++) nonzero |= stream.ready[i] != 0;
  CHECK(!nonzero);
  CHECK(candor_chacha20_fill(&stream, words, 1) == CANDOR_GENERATOR);
}

static candor_status scripted(void *state, uint32_t *words, size_t n)
{
  const uint32_t **next = state;
  for (size_t i = 0; i < n; i++) words[i] = *(*next)++;
  return CANDOR_OK;
}

/* For bounds near 2^31 half of all words are surplus; the class of each word is found by division. */
static void bounded_draws(void)
{
  const uint32_t bounds[] = {1, 2, 3, 5, 10, 1000, 0x80000000u, 0x80000001u, 0xffffffffu};
  for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
    const uint64_t bound = bounds[b], surplus = ((uint64_t) 1 << 32) % bound;
    for (uint32_t i = 0; i < 64; i++) {
      const uint32_t word = i < 32 ? i : 0xffffffffu - 0x05000000u * (i - 32), fallback = 0x90000000u;
      const uint32_t script[2] = {fallback, 0xffffffffu}, *next = script;
      const candor_random random = {scripted, &next};
      const int surplus_word = (uint32_t) (word * bound) < surplus;
      uint32_t value = 0;
      CHECK(candor_random_below(&random, word, (uint32_t) bound, &value) == CANDOR_OK);
      CHECK(value < bound);
      if (!surplus_word) CHECK(value == (uint32_t) ((word * bound) >> 32));
      else CHECK(next > script);
    }
  }
}

int main(void)
{
  rfc_vectors();
  stream_is_the_blocks();
  never_repeats_and_wipes();
  bounded_draws();
  return check_report();
}
