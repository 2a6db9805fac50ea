/* The stream equals the blocks of RFC 8439 for any key and counter, however the requests are cut. */
#include <string.h>

#include "respond/chacha20.h"

#define ASSERT(condition)               \
  do {                                  \
    if (!(condition)) __builtin_trap(); \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  uint32_t head[12], block[16], words[600];
  if (size < sizeof head) return 0;
  memcpy(head, data, sizeof head);
  const uint64_t counter = ((uint64_t) head[11] << 32) | head[10];
  candor_chacha20 stream;
  candor_chacha20_start(&stream, head, head + 8, counter);
  size_t done = 0;
  candor_status status = CANDOR_OK;
  for (size_t i = sizeof head; i < size && status == CANDOR_OK; i++) {
    const size_t n = data[i];
    if (done + n > 600) break;
    status = candor_chacha20_fill(&stream, words + done, n);
    done += status == CANDOR_OK ? n : 0;
  }
  ASSERT(status == CANDOR_OK || (status == CANDOR_GENERATOR && counter > UINT64_MAX - 600));
  /* Any 16 words are those of a stream that starts at their block, but for the last blocks, which are given up. */
  for (size_t i = 0; i < done; i++) {
    if (i % 16 == 0) {
      candor_chacha20 again;
      candor_chacha20_start(&again, head, head + 8, counter + i / 16);
      if (candor_chacha20_fill(&again, block, 16) != CANDOR_OK) {
        ASSERT(counter + i / 16 > UINT64_MAX - 600);
        break;
      }
    }
    ASSERT(words[i] == block[i % 16]);
  }
  candor_chacha20_wipe(&stream);
  ASSERT(candor_chacha20_fill(&stream, words, 1) == CANDOR_GENERATOR);
  return 0;
}
