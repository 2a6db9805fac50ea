#include "respond/words.h"

#include "base/bytes.h"

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

/* At least `n` words in the buffer; those that are left over are not used. */
static candor_status have(candor_words *words, size_t n)
{
  if (words->next + n <= CANDOR_WORDS_BUFFER) return CANDOR_OK;
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
    const candor_status status = have(words, 2);
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

enum { ROW = 4, DIGITS = 6 };

/* The digits of a threshold from some place on, as a threshold. */
static candor_grid digits_from(uint64_t digits, int place)
{
  const candor_grid out = {digits << place >> 32, (uint32_t) (digits << place)};
  return out;
}

/* The first DIGITS comparisons of ROW words. */
static candor_status begin_row(candor_words *words, uint64_t digits, uint64_t below[ROW], uint64_t undecided[ROW])
{
  const candor_status status = have(words, 2 * ROW * DIGITS);
  if (status != CANDOR_OK) return status;
  for (int l = 0; l < ROW; l++) {
    below[l] = 0;
    undecided[l] = UINT64_MAX;
  }
  for (int place = 0; place < DIGITS; place++) {
    const uint64_t digit = 0 - (digits << place >> 63);
    const uint32_t *word = words->word + words->next;
    words->next += 2 * ROW;
    for (int l = 0; l < ROW; l++) {
      const uint64_t random = (uint64_t) word[2 * l] | (uint64_t) word[2 * l + 1] << 32;
      below[l] |= undecided[l] & digit & ~random;
      undecided[l] &= digit ^ ~random;
    }
  }
  return CANDOR_OK;
}

/* Bytes, four of each word. */
typedef struct byte_pool {
  uint32_t bytes;
  int left;
} byte_pool;

/* Each lane of `undecided` goes on by itself, from digit DIGITS on. */
static candor_status end_word(candor_words *words, byte_pool *pool, uint64_t digits, uint64_t undecided,
                              uint64_t *below)
{
  const uint32_t next = (uint32_t) (digits << DIGITS >> 56);
  for (; undecided != 0; undecided &= undecided - 1) {
    const uint64_t lane = undecided & (0 - undecided);
    if (pool->left == 0) {
      const candor_status status = candor_words_next(words, &pool->bytes);
      if (status != CANDOR_OK) return status;
      pool->left = 4;
    }
    const uint32_t byte = pool->bytes & 255;
    pool->bytes >>= 8;
    pool->left--;
    *below |= byte < next ? lane : 0;
    if (byte == next) {
      uint64_t late = 0;
      const candor_status status = candor_words_bits(words, digits_from(digits, DIGITS + 8), lane, &late);
      if (status != CANDOR_OK) return status;
      *below |= late;
    }
  }
  return CANDOR_OK;
}

candor_status candor_words_many_bits(candor_words *words, candor_grid chance, size_t n, uint64_t *ones)
{
  const uint64_t digits = (chance.high << 32) | chance.low;
  const size_t rows = chance.high > UINT32_MAX ? 0 : n / ROW * ROW;
  byte_pool pool = {0, 0};
  candor_status status = CANDOR_OK;
  for (size_t i = 0; i < rows && status == CANDOR_OK; i += ROW) {
    uint64_t below[ROW], undecided[ROW];
    status = begin_row(words, digits, below, undecided);
    for (size_t l = 0; l < ROW && status == CANDOR_OK; l++) {
      status = end_word(words, &pool, digits, undecided[l], below + l);
      ones[i + l] = below[l];
    }
  }
  for (size_t i = rows; i < n && status == CANDOR_OK; i++)
    status = candor_words_bits(words, chance, UINT64_MAX, ones + i);
  return status;
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
  const size_t n_words = ((size_t) n + 63) / 64;
  const uint64_t last = n % 64 == 0 ? UINT64_MAX : ((uint64_t) 1 << n % 64) - 1;
  const uint64_t apart = left_out < n ? (uint64_t) 1 << left_out % 64 : 0;
  const uint64_t there = apart == 0 ? 0 : set[left_out / 64] & apart;
  uint32_t members = 0;
  candor_status status = candor_words_many_bits(words, chance, n_words, set);
  if (status != CANDOR_OK) return status;
  set[n_words - 1] &= last;
  if (apart != 0) set[left_out / 64] &= ~apart;
  for (size_t w = 0; w < n_words; w++) members += count_ones(set[w]);
  if (apart != 0) set[left_out / 64] |= there;
  while (members != size) {
    const int adding = members < size;
    uint32_t number = 0;
    status = candor_words_below(words, n, &number);
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

/* ---- turning ------------------------------------------------------------------------------------------- */

/* Swaps the upper half of each pair of parts of x with the lower half of y's: one step of turning a square. */
static void swap_parts(uint64_t *x, uint64_t *y, int shift, uint64_t lower)
{
  const uint64_t changed = (*x >> shift ^ *y) & lower;
  *y ^= changed;
  *x ^= changed << shift;
}

static void turn_square(uint64_t row[8])
{
  for (int i = 0; i < 4; i++) swap_parts(row + i, row + i + 4, 32, 0x00000000ffffffffu);
  for (int i = 0; i < 8; i += i % 4 == 1 ? 3 : 1) swap_parts(row + i, row + i + 2, 16, 0x0000ffff0000ffffu);
  for (int i = 0; i < 8; i += 2) swap_parts(row + i, row + i + 1, 8, 0x00ff00ff00ff00ffu);
}

void candor_turn_bits(const uint8_t *reports, size_t n, size_t bytes, uint8_t *out, size_t rows)
{
  const size_t whole_reports = n / 8 * 8, whole_bytes = bytes / 8 * 8;
  for (size_t b = 0; b < whole_bytes; b += 8) {
    for (size_t i = 0; i < whole_reports; i += 8) {
      uint64_t square[8];
      for (size_t r = 0; r < 8; r++) square[r] = candor_get_word(reports + (i + r) * bytes + b);
      turn_square(square);
      for (size_t c = 0; c < 8; c++) candor_put_word(square[c], out + (b + c) * rows + i);
    }
  }
  for (size_t b = 0; b < bytes; b++)
    for (size_t i = b < whole_bytes ? whole_reports : 0; i < n; i++) out[b * rows + i] = reports[i * bytes + b];
}
