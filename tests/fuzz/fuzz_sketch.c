/* An item sets at least one and at most `hashes` bits, inside the sketch, and the same ones again. */
#include <stdint.h>
#include <string.h>

#include "require.h"
#include "sets/sketch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { most = 512 };
  int bits[most + 2] = {0}, again[most + 2];
  if (size < 3) return 0;
  const candor_hash_key key = {data[0], data[1]};
  const uint64_t hash = candor_siphash(key, data + 3, size - 3);
  const size_t m = 1 + data[0] * 2u, hashes = 1 + data[1] % 20u;
  size_t set = 0;
  REQUIRE(candor_bloom_add(hash, hashes, m, bits + 1) == CANDOR_OK);
  memcpy(again, bits, sizeof bits);
  REQUIRE(candor_bloom_add(hash, hashes, m, bits + 1) == CANDOR_OK);
  REQUIRE(memcmp(again, bits, sizeof bits) == 0);
  for (size_t i = 0; i < most + 2; i++) set += bits[i] != 0;
  REQUIRE(set >= 1 && set <= hashes && bits[0] == 0 && bits[m + 1] == 0);
  memset(bits, 0, sizeof bits);
  const size_t levels = 1 + data[2] % 32u, buckets = 1 + data[1] % (most / levels);
  REQUIRE(candor_pcsa_add(hash, buckets, levels, bits + 1) == CANDOR_OK);
  set = 0;
  for (size_t i = 0; i < most + 2; i++) set += bits[i] != 0;
  REQUIRE(set == 1 && bits[0] == 0 && bits[buckets * levels + 1] == 0);
  return 0;
}
