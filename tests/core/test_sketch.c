/* SipHash-2-4 against the vectors of its reference: key 00 01 .. 0f, message 00 01 .. of each length. */
#include "sets/sketch.h"

#include "check.h"

static void test_siphash(void)
{
  const uint64_t vectors[16] = {
      UINT64_C(0x726fdb47dd0e0e31), UINT64_C(0x74f839c593dc67fd), UINT64_C(0x0d6c8009d9a94f5a),
      UINT64_C(0x85676696d7fb7e2d), UINT64_C(0xcf2794e0277187b7), UINT64_C(0x18765564cd99a68d),
      UINT64_C(0xcbc9466e58fee3ce), UINT64_C(0xab0200f58b01d137), UINT64_C(0x93f5f5799a932462),
      UINT64_C(0x9e0082df0ba9e4b0), UINT64_C(0x7a5dbbc594ddb9f3), UINT64_C(0xf4b32f46226bada7),
      UINT64_C(0x751e8fbc860ee5fb), UINT64_C(0x14ea5627c0843d90), UINT64_C(0xf723ca908e7af2ee),
      UINT64_C(0xa129ca6149be45e5)};
  const candor_hash_key key = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
  unsigned char message[16];
  for (int i = 0; i < 16; i++) message[i] = (unsigned char) i;
  for (size_t n = 0; n < 16; n++) CHECK(candor_siphash(key, message, n) == vectors[n]);
  CHECK(candor_hash_number(key, 0.0) == candor_hash_number(key, -0.0));
  CHECK(candor_hash_number(key, 1) != candor_hash_number(key, 2));
  /* 1 is 3ff0000000000000, written from its least byte. */
  const unsigned char one[8] = {0, 0, 0, 0, 0, 0, 0xf0, 0x3f};
  CHECK(candor_hash_number(key, 1) == candor_siphash(key, one, 8));
}

/* Occupancy against its expectation, five standard deviations allowed: fails by chance once in a million seeds, and the
 * seed is fixed. */
static void test_occupancy(void)
{
  enum { m = 4096, buckets = 64, levels = 24, items = 3000 };
  static int bloom[m], pcsa[buckets * levels];
  const candor_hash_key key = {1, 2};
  for (int i = 0; i < items; i++) {
    const uint64_t hash = candor_hash_number(key, i);
    CHECK(candor_bloom_add(hash, 2, m, bloom) == CANDOR_OK);
    CHECK(candor_pcsa_add(hash, buckets, levels, pcsa) == CANDOR_OK);
  }
  double set = 0, expected = m * (1 - exp(2.0 * items * log1p(-1.0 / m)));
  for (int i = 0; i < m; i++) set += bloom[i];
  CHECK_NEAR(set, expected, 5 * sqrt(m * exp(-2.0 * items / m)));
  for (int l = 0; l < levels; l++) {
    double at_level = 0;
    const double zero = exp(-items / (buckets * ldexp(1, l < levels - 1 ? l + 1 : l)));
    for (int b = 0; b < buckets; b++) at_level += pcsa[b + l * buckets];
    CHECK_NEAR(at_level, buckets * (1 - zero), 5 * sqrt(buckets * zero * (1 - zero)) + 1);
  }
}

/* Positions as whoever merges sketches must make them: golden, computed apart in whole numbers of any length. */
static void test_positions(void)
{
  const uint64_t hashes[2] = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)};
  const int golden[2][5] = {{895, 342, 173, 4, 835}, {720, 735, 750, 381, 396}};
  for (int h = 0; h < 2; h++) {
    int bits[1000] = {0}, ones = 0;
    CHECK(candor_bloom_add(hashes[h], 5, 1000, bits) == CANDOR_OK);
    for (int j = 0; j < 5; j++) CHECK(bits[golden[h][j]] == 1);
    for (int i = 0; i < 1000; i++) ones += bits[i];
    CHECK(ones == 5);
  }
  int one[1] = {0}, bits[64] = {0};
  CHECK(candor_bloom_add(hashes[0], 3, 1, one) == CANDOR_OK && one[0] == 1);
  CHECK(candor_bloom_add(1, 1, (size_t) 1 << 53, one) == CANDOR_DOMAIN);
  CHECK(candor_pcsa_add(1, (size_t) 1 << 32, 4, one) == CANDOR_DOMAIN);
  CHECK(candor_pcsa_add(1, 0, 4, one) == CANDOR_DOMAIN);
  /* The upper half says the bucket, trailing zeros of the lower the level: half of 2 buckets, 31 levels up. */
  CHECK(candor_pcsa_add(UINT64_C(0x8000000080000000), 2, 32, bits) == CANDOR_OK && bits[1 + 31 * 2] == 1);
  CHECK(candor_pcsa_add(UINT64_C(0x7fffffff00000004), 2, 32, bits) == CANDOR_OK && bits[0 + 2 * 2] == 1);
  CHECK(candor_pcsa_add(UINT64_C(0xffffffff00000006), 2, 3, bits) == CANDOR_OK && bits[1 + 1 * 2] == 1);
  int ones = 0;
  for (int i = 0; i < 64; i++) ones += bits[i];
  CHECK(ones == 3);
  /* The reference's last vector: 63 bytes. */
  const candor_hash_key key = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
  unsigned char message[63];
  for (int i = 0; i < 63; i++) message[i] = (unsigned char) i;
  CHECK(candor_siphash(key, message, 63) == UINT64_C(0x958a324ceb064572));
}

int main(void)
{
  int bits[4] = {0};
  test_siphash();
  test_occupancy();
  CHECK(candor_bloom_add(1, 0, 4, bits) == CANDOR_DOMAIN);
  CHECK(candor_bloom_add(1, 1, 0, bits) == CANDOR_DOMAIN);
  CHECK(candor_pcsa_add(1, 4, 0, bits) == CANDOR_DOMAIN);
  CHECK(candor_pcsa_add(1, 4, 33, bits) == CANDOR_DOMAIN);
  /* Hash 0 has no trailing one: it stays at the last level. */
  CHECK(candor_pcsa_add(0, 1, 4, bits) == CANDOR_OK && bits[3] == 1 && bits[0] == 0);
  test_positions();
  return check_report();
}
