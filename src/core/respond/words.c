#include "respond/words.h"

candor_status candor_words_chance(candor_words *words, candor_grid chance, int *yes)
{
  uint32_t word = 0;
  candor_status status = candor_words_next(words, &word);
  *yes = word < chance.high;
  if (status == CANDOR_OK && word == chance.high) {
    status = candor_words_next(words, &word);
    *yes = word < chance.low;
  }
  return status;
}

static candor_status fill_from_words(void *state, uint32_t *out, size_t n)
{
  candor_status status = CANDOR_OK;
  for (size_t i = 0; i < n && status == CANDOR_OK; i++) status = candor_words_next(state, out + i);
  return status;
}

candor_status candor_words_below(candor_words *words, uint32_t bound, uint32_t *value)
{
  const candor_random random = {fill_from_words, words};
  uint32_t word = 0;
  const candor_status status = candor_words_next(words, &word);
  return status == CANDOR_OK ? candor_random_below(&random, word, bound, value) : status;
}

/* At least two words in the buffer; one that is left over is not used. */
static candor_status have_two(candor_words *words)
{
  if (words->next + 2 <= CANDOR_WORDS_BUFFER) return CANDOR_OK;
  const candor_status status = candor_random_fill(words->random, words->word, CANDOR_WORDS_BUFFER);
  words->next = status == CANDOR_OK ? 0 : CANDOR_WORDS_BUFFER;
  return status;
}

candor_status candor_words_bits(candor_words *words, candor_grid chance, uint64_t lanes, uint64_t *ones)
{
  *ones = 0;
  if (chance.high > UINT32_MAX) { /* one */
    *ones = lanes;
    return CANDOR_OK;
  }
  /* The digits of `chance` that are left: where all are 0, no fraction that is still undecided lies below it. */
  uint64_t digits = (chance.high << 32) | chance.low, undecided = lanes, below = 0;
  while (undecided != 0 && digits != 0) {
    const candor_status status = have_two(words);
    if (status != CANDOR_OK) return status;
    const uint64_t random = ((uint64_t) words->word[words->next] << 32) | words->word[words->next + 1];
    const uint64_t digit = 0 - (digits >> 63); /* all ones, or none */
    words->next += 2;
    below |= undecided & digit & ~random;
    undecided &= digit ^ ~random;
    digits <<= 1;
  }
  *ones = below;
  return CANDOR_OK;
}

/* ---- subsets ------------------------------------------------------------------------------------------ */

static int holds(const uint64_t *set, uint32_t number)
{
  return (int) (set[number / 64] >> (number % 64) & 1);
}

static candor_status draw_few(candor_words *words, uint32_t n, uint32_t size, uint32_t left_out, uint64_t *set)
{
  const uint32_t numbers = n - (left_out < n); /* numbers from `left_out` on stand for the next one */
  for (uint32_t last = numbers - size; last < numbers; last++) {
    uint32_t draw = 0;
    const candor_status status = candor_words_below(words, last + 1, &draw);
    if (status != CANDOR_OK) return status;
    const uint32_t place = draw + (draw >= left_out);
    const uint32_t taken = holds(set, place) ? last + (last >= left_out) : place;
    set[taken / 64] |= (uint64_t) 1 << (taken % 64);
  }
  return CANDOR_OK;
}

static uint32_t count_ones(uint64_t word)
{
  word -= (word >> 1) & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (uint32_t) ((word * 0x0101010101010101u) >> 56);
}

static candor_status draw_many(candor_words *words, uint32_t n, uint32_t size, uint32_t left_out, uint64_t *set)
{
  const candor_grid chance = {((uint64_t) size * 64 / n) << 26, 0};
  uint32_t members = 0;
  for (uint32_t w = 0; w * 64 < n; w++) {
    uint64_t lanes = n - 64 * w >= 64 ? UINT64_MAX : ((uint64_t) 1 << (n - 64 * w)) - 1, ones = 0;
    if (left_out / 64 == w) lanes &= ~((uint64_t) 1 << (left_out % 64));
    const candor_status status = candor_words_bits(words, chance, lanes, &ones);
    if (status != CANDOR_OK) return status;
    set[w] |= ones;
    members += count_ones(ones);
  }
  while (members != size) {
    const int adding = members < size;
    uint32_t number = 0;
    const candor_status status = candor_words_below(words, n, &number);
    if (status != CANDOR_OK) return status;
    if (number == left_out || holds(set, number) == adding) continue;
    set[number / 64] ^= (uint64_t) 1 << (number % 64);
    members = adding ? members + 1 : members - 1;
  }
  return CANDOR_OK;
}

/* A member of Floyd's method costs as much as about 12 numbers of the other. */
candor_status candor_words_subset(candor_words *words, uint32_t n, uint32_t size, uint32_t left_out, uint64_t *set)
{
  return size < n / 12 || n < 64 ? draw_few(words, n, size, left_out, set) : draw_many(words, n, size, left_out, set);
}
