/* Any bytes as chances, answers and generator: what a sampler accepts is a well-formed report, and a generator that runs
 * dry is an error. Reports of the one are read by the tally of the other (fuzz_support.c has reports of its own). */
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "respond/protocols.h"
#include "tally/support.h"

#define ASSERT(condition)               \
  do {                                  \
    if (!(condition)) __builtin_trap(); \
  } while (0)

/* A few bytes go a long way: each word repeats one of them, with others mixed in. */
static candor_status dry(void *state, uint32_t *words, size_t n)
{
  bytes *b = state;
  for (size_t i = 0; i < n; i++) {
    if (b->size < 1) return CANDOR_GENERATOR;
    if (i % 64 == 0) {
      b->data++;
      b->size--;
    }
    words[i] = (uint32_t) b->data[-1] * 0x9e3779b9u + (uint32_t) i * 0x85ebca6bu;
    words[i] ^= words[i] >> 15;
  }
  return CANDOR_OK;
}

static double number(bytes *b)
{
  const uint8_t kind = byte(b);
  double x;
  if (kind < 8 && any_double(b, &x)) return x;
  return kind < 32 ? 0 : ldexp(1 + byte(b), -8 - kind % 16);
}

enum { ANSWERS = 20, LEVELS = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static candor_words words;
  static uint8_t bits[ANSWERS * LEVELS / 8 + ANSWERS];
  static int list[ANSWERS * LEVELS], a[ANSWERS], b[ANSWERS], c[ANSWERS], truth[ANSWERS];
  static double counts[2 * LEVELS];
  static uint64_t set[LEVELS / 64 + 1];
  static uint32_t ones[ANSWERS];
  static uint8_t turned[sizeof bits];
  static uint32_t code[LEVELS];
  bytes in = {data, size};
  candor_bit_plan bit;
  candor_grid chance = {0, 0};
  const uint32_t levels = 1 + byte(&in) % LEVELS, part = byte(&in) % 210, kind = byte(&in) % 7;
  const candor_status pair = byte(&in) % 2
                                 ? candor_bit_plan_epsilon(number(&in) * 100, byte(&in) % 2, &bit)
                                 : candor_bit_plan_pair(number(&in), number(&in), number(&in), number(&in), &bit);
  if (pair == CANDOR_OK) ASSERT(candor_bit_plan_epsilon_of(&bit) >= 0);
  const double factor = 1 + number(&in) * 1e4, epsilon = number(&in) * 100;
  if (pair != CANDOR_OK || candor_support_chance(factor, epsilon, &chance) != CANDOR_OK) return 0;
  ASSERT(candor_support_epsilon(factor, chance) <= epsilon * (1 + 1e-14));
  size_t n = byte(&in) % (ANSWERS + 1), bad = n, position = 0;
  for (size_t i = 0; i < n; i++) {
    const uint8_t level = byte(&in);
    truth[i] = level == 255 ? -2147483647 - 1 : (int) (level % (levels + (level > 240)));
    if (bad == n && (truth[i] < 0 || (uint32_t) truth[i] >= levels)) bad = i;
  }
  for (uint32_t v = 0; v < levels; v++) code[v] = levels - 1 - v;
  const candor_answers answers = {truth, n, 0, levels};
  const candor_random random = {dry, &in};
  const candor_support_reports reports = {n, NULL, 1, NULL};
  const uint32_t prime = part % 2 ? 211 : 2147483647, buckets = 2 + part;
  const candor_hash_plan hash = {chance, {prime, buckets}, code};
  const candor_hash_reports hashes = {a, b, c};
  const uint32_t slope[1] = {1 + part % 2}, shift[1] = {part};
  const candor_cohorts cohorts = {slope, shift, 1};
  const candor_subset_plan subset = {chance, part};
  const candor_hadamard_plan hadamard = {chance, part % 8, (uint32_t) 1 << part % 16};
  const candor_bitflip_plan bitflip = {bit, levels, part};
  candor_words_start(&words, &random);
  candor_status status = CANDOR_OK;
  int fits = 1;
  switch (kind) {
  case 0:
    status = candor_unary_run(&bit, &answers, &words, bits, &position);
    if (status == CANDOR_OK) {
      candor_turn_bits(bits, n, candor_bytes_of(levels), turned, n);
      ASSERT(candor_count_bits(&reports, turned, levels, SIZE_MAX, ones, counts, &position) == CANDOR_OK);
    }
    break;
  case 1:
    fits = part >= 1 && part < levels;
    status = candor_subset_run(&subset, &answers, &words, set, bits, NULL, &position);
    if (status == CANDOR_OK) {
      candor_turn_bits(bits, n, candor_bytes_of(levels), turned, n);
      ASSERT(candor_count_bits(&reports, turned, levels, part, ones, counts, &position) == CANDOR_OK);
    }
    break;
  case 2:
    fits = part >= 1 && part < levels;
    status = candor_subset_run(&subset, &answers, &words, set, NULL, list, &position);
    if (status == CANDOR_OK)
      ASSERT(candor_count_lists(&reports, list, part, levels, 0, counts, &position) == CANDOR_OK);
    break;
  case 3:
    fits = hadamard.size >= 2 && hadamard.blocks * (hadamard.size - 1) >= levels;
    status = candor_hadamard_run(&hadamard, &answers, &words, a, &position);
    for (size_t i = 0; i < n && status == CANDOR_OK; i++)
      ASSERT(a[i] >= 0 && (uint32_t) a[i] < hadamard.blocks * hadamard.size);
    break;
  case 4:
    fits = buckets <= prime;
    status = candor_hash_run(&hash, &answers, &words, &hashes, &position);
    if (status == CANDOR_OK && levels <= prime) {
      const candor_hashed hashed = {a, b, c, {prime, buckets}, code};
      ASSERT(candor_check_hashed(&reports, &hashed, &position) == CANDOR_OK);
    }
    break;
  case 5:
    fits = buckets <= prime;
    status = candor_cohort_run(&hash, &cohorts, &answers, &words, a, b, &position);
    for (size_t i = 0; i < n && status == CANDOR_OK; i++) ASSERT(a[i] == 1 && b[i] >= 1 && (uint32_t) b[i] <= buckets);
    break;
  default:
    fits = part >= 1 && part <= levels;
    status = candor_bitflip_run(&bitflip, &answers, &words, set, list, &position);
    if (status == CANDOR_OK)
      ASSERT(candor_count_lists(&reports, list, part, levels, 1, counts, &position) == CANDOR_OK);
  }
  ASSERT(status == CANDOR_OK || status == CANDOR_GENERATOR || status == CANDOR_DOMAIN);
  if (status == CANDOR_DOMAIN) ASSERT(position == (fits ? bad : 0) && (!fits || bad < n));
  if (status == CANDOR_OK) ASSERT(fits && bad == n);
  return 0;
}
