#include "respond/protocols.h"

#include <limits.h>
#include <string.h>

#include "base/bytes.h"

/* The level of answer i, from 0; `levels` or more for a code that is none. Codes below `first` wrap round. */
static uint32_t level_of(const candor_answers *answers, size_t i)
{
  return (uint32_t) answers->truth[i] - (uint32_t) answers->first;
}

static int are_codes(const candor_answers *answers)
{
  return answers->levels >= 1 && answers->levels <= INT_MAX && answers->first > INT_MIN &&
         answers->first + (int64_t) answers->levels - 1 <= INT_MAX;
}

/* CANDOR_DOMAIN, with its place, for a code that is no level. */
static candor_status read_level(const candor_answers *answers, size_t i, uint32_t *level, size_t *position)
{
  *level = level_of(answers, i);
  if (*level < answers->levels) return CANDOR_OK;
  *position = i;
  return CANDOR_DOMAIN;
}

static candor_status begin(const candor_answers *answers, int fits, size_t *position)
{
  *position = 0;
  return fits && are_codes(answers) ? CANDOR_OK : CANDOR_DOMAIN;
}

/* ---- bits ------------------------------------------------------------------------------------------- */

static void put_bytes(uint64_t word, uint8_t *out, size_t n)
{
  if (n >= 8) {
    candor_put_word(word, out);
    return;
  }
  for (size_t b = 0; b < n; b++) out[b] = (uint8_t) (word >> (8 * b));
}

static uint64_t low_bits(uint32_t n)
{
  return n >= 64 ? UINT64_MAX : ((uint64_t) 1 << n) - 1;
}

/* Words of a report that are drawn together. */
enum { TOGETHER = 64 };

static candor_status unary_report(const candor_bit_plan *plan, uint32_t levels, uint32_t truth, candor_words *words,
                                  uint8_t *report)
{
  const size_t bytes = candor_bytes_of(levels), n = ((size_t) levels + 63) / 64;
  for (size_t from = 0; from < n; from += TOGETHER) {
    const size_t some = n - from < TOGETHER ? n - from : TOGETHER;
    uint64_t ones[TOGETHER];
    const candor_status status = candor_words_many_bits(words, plan->other, some, ones);
    if (status != CANDOR_OK) return status;
    if (from + some == n) ones[some - 1] &= low_bits(levels - (uint32_t) (64 * (n - 1)));
    for (size_t w = 0; w < some; w++) put_bytes(ones[w], report + 8 * (from + w), bytes - 8 * (from + w));
  }
  int own = 0;
  const candor_status status = candor_words_chance(words, plan->own, &own);
  const uint8_t bit = (uint8_t) (1u << truth % 8);
  report[truth / 8] = (uint8_t) ((report[truth / 8] & ~bit) | (own ? bit : 0));
  return status;
}

candor_status candor_unary_run(const candor_bit_plan *plan, const candor_answers *answers, candor_words *words,
                               uint8_t *report, size_t *position)
{
  const size_t bytes = candor_bytes_of(answers->levels);
  candor_status status = begin(answers, 1, position);
  for (size_t i = 0; i < answers->n && status == CANDOR_OK; i++) {
    uint32_t truth = 0;
    status = read_level(answers, i, &truth, position);
    if (status == CANDOR_OK) status = unary_report(plan, answers->levels, truth, words, report + i * bytes);
  }
  return status;
}

/* ---- sets ------------------------------------------------------------------------------------------- */

static size_t words_of(uint32_t n)
{
  return ((size_t) n + 63) / 64;
}

/* The place of the lowest bit. A loop over halves: no compiler has to know a builtin. */
static uint32_t lowest_bit(uint64_t word)
{
  uint32_t place = 0;
  for (uint32_t half = 32; half > 0; half /= 2) {
    if ((word & low_bits(half)) == 0) {
      word >>= half;
      place += half;
    }
  }
  return place;
}

/* Numbers from 1, increasing; returns how many. */
static size_t list_members(const uint64_t *set, uint32_t n, int *out)
{
  size_t m = 0;
  for (size_t w = 0; w < words_of(n); w++)
    for (uint64_t rest = set[w]; rest != 0; rest &= rest - 1) out[m++] = (int) (64 * w + lowest_bit(rest)) + 1;
  return m;
}

static candor_status draw_subset(const candor_subset_plan *plan, uint32_t levels, uint32_t truth, candor_words *words,
                                 uint64_t *set)
{
  int told = 0;
  const candor_status status = candor_words_chance(words, plan->chance, &told);
  if (status != CANDOR_OK) return status;
  memset(set, 0, words_of(levels) * sizeof *set);
  if (!told) return candor_words_subset(words, levels, plan->size, levels, set);
  set[truth / 64] |= (uint64_t) 1 << (truth % 64);
  return candor_words_subset(words, levels, plan->size - 1, truth, set);
}

candor_status candor_subset_run(const candor_subset_plan *plan, const candor_answers *answers, candor_words *words,
                                uint64_t *set, uint8_t *bits, int *index, size_t *position)
{
  const uint32_t levels = answers->levels;
  const size_t bytes = candor_bytes_of(levels);
  candor_status status = begin(answers, plan->size >= 1 && plan->size < levels, position);
  for (size_t i = 0; i < answers->n && status == CANDOR_OK; i++) {
    uint32_t truth = 0;
    status = read_level(answers, i, &truth, position);
    if (status == CANDOR_OK) status = draw_subset(plan, levels, truth, words, set);
    if (status != CANDOR_OK) return status;
    if (index != NULL) {
      list_members(set, levels, index + i * plan->size);
      continue;
    }
    for (size_t w = 0; w < words_of(levels); w++) put_bytes(set[w], bits + i * bytes + 8 * w, bytes - 8 * w);
  }
  return status;
}

/* ---- Hadamard response ------------------------------------------------------------------------------- */

/* 1 where the entry (-1)^popcount(row & column) is -1. */
static int is_negative(uint32_t row, uint32_t column)
{
  uint32_t both = row & column;
  both ^= both >> 16;
  both ^= both >> 8;
  both ^= both >> 4;
  both ^= both >> 2;
  both ^= both >> 1;
  return (int) (both & 1);
}

static int is_power(uint32_t n)
{
  return n >= 2 && (n & (n - 1)) == 0;
}

/* A uniform report has a uniform column: one draw serves both cases, and no branch depends on which it is. */
static candor_status hadamard_report(const candor_hadamard_plan *plan, uint32_t truth, candor_words *words, int *report)
{
  uint32_t any = 0;
  int told = 0;
  candor_status status = candor_words_chance(words, plan->chance, &told);
  if (status == CANDOR_OK) status = candor_words_below(words, plan->blocks * plan->size, &any);
  const uint32_t row = truth / plan->blocks + 1, column = any & (plan->size - 1);
  const uint32_t turned = column ^ ((row & (0u - row)) * (uint32_t) is_negative(row, column));
  const uint32_t own = truth % plan->blocks * plan->size + turned;
  *report = (int) (any ^ ((any ^ own) & (0u - (uint32_t) told)));
  return status;
}

candor_status candor_hadamard_run(const candor_hadamard_plan *plan, const candor_answers *answers, candor_words *words,
                                  int *report, size_t *position)
{
  const uint64_t reports = (uint64_t) plan->blocks * plan->size;
  const int fits =
      is_power(plan->size) && reports <= INT_MAX && (uint64_t) plan->blocks * (plan->size - 1) >= answers->levels;
  candor_status status = begin(answers, fits, position);
  for (size_t i = 0; i < answers->n && status == CANDOR_OK; i++) {
    uint32_t truth = 0;
    status = read_level(answers, i, &truth, position);
    if (status == CANDOR_OK) status = hadamard_report(plan, truth, words, report + i);
  }
  return status;
}

candor_status candor_hadamard_bit_run(candor_grid flip, uint32_t size, const candor_answers *answers,
                                      candor_words *words, int *column, int *sign, size_t *position)
{
  candor_status status = begin(answers, is_power(size) && size >= answers->levels && size <= INT_MAX, position);
  for (size_t i = 0; i < answers->n && status == CANDOR_OK; i++) {
    uint32_t truth = 0, any = 0;
    int turned = 0;
    status = read_level(answers, i, &truth, position);
    if (status == CANDOR_OK) status = candor_words_below(words, size, &any);
    if (status == CANDOR_OK) status = candor_words_chance(words, flip, &turned);
    column[i] = (int) any;
    sign[i] = is_negative(truth, any) == turned ? 1 : -1;
  }
  return status;
}

/* ---- projective geometry response -------------------------------------------------------------------- */

static candor_status projective_report(const candor_projective_plan *plan, uint32_t truth, candor_words *words,
                                       int *report)
{
  const uint32_t t = plan->coordinates;
  uint32_t any = 0, number = 0;
  int told = 0;
  candor_status status = candor_words_chance(words, plan->chance, &told);
  if (status == CANDOR_OK) status = candor_words_below(words, candor_field_points(plan->field.order, t), &any);
  if (status == CANDOR_OK) status = candor_words_below(words, candor_field_points(plan->field.order, t - 1), &number);
  if (status != CANDOR_OK) return status;
  const uint32_t own = candor_field_hyperplane_point(&plan->field, t, truth, number);
  *report = (int) (any ^ ((any ^ own) & (0u - (uint32_t) told))) + 1;
  return CANDOR_OK;
}

candor_status candor_projective_run(const candor_projective_plan *plan, const candor_answers *answers,
                                    candor_words *words, int *report, size_t *position)
{
  const uint32_t points = candor_field_points(plan->field.order, plan->coordinates);
  candor_status status =
      begin(answers, plan->coordinates >= 2 && points < UINT32_MAX && points >= answers->levels, position);
  for (size_t i = 0; i < answers->n && status == CANDOR_OK; i++) {
    uint32_t truth = 0;
    status = read_level(answers, i, &truth, position);
    if (status == CANDOR_OK) status = projective_report(plan, truth, words, report + i);
  }
  return status;
}

/* ---- hashing ------------------------------------------------------------------------------------------ */

static int hash_fits(const candor_hash_plan *plan)
{
  return plan->hash.buckets >= 2 && plan->hash.buckets <= plan->hash.prime && plan->hash.prime <= INT_MAX;
}

static candor_status hash_value(const candor_hash_plan *plan, uint32_t slope, uint32_t shift, uint32_t truth,
                                candor_words *words, int *value)
{
  int told = 0;
  uint32_t bucket = 0;
  candor_status status = candor_words_chance(words, plan->chance, &told);
  if (status != CANDOR_OK) return status;
  if (told)
    bucket = candor_affine_bucket(&plan->hash, candor_affine_residue(&plan->hash, slope, shift, plan->code[truth]));
  else status = candor_words_below(words, plan->hash.buckets, &bucket);
  *value = (int) bucket + 1;
  return status;
}

candor_status candor_hash_run(const candor_hash_plan *plan, const candor_answers *answers, candor_words *words,
                              const candor_hash_reports *report, size_t *position)
{
  candor_status status = begin(answers, hash_fits(plan), position);
  for (size_t i = 0; i < answers->n && status == CANDOR_OK; i++) {
    uint32_t truth = 0, slope = 0, shift = 0;
    status = read_level(answers, i, &truth, position);
    if (status == CANDOR_OK) status = candor_words_below(words, plan->hash.prime - 1, &slope);
    if (status == CANDOR_OK) status = candor_words_below(words, plan->hash.prime, &shift);
    if (status != CANDOR_OK) return status;
    slope++;
    report->slope[i] = (int) slope;
    report->shift[i] = (int) shift;
    status = hash_value(plan, slope, shift, truth, words, report->value + i);
  }
  return status;
}

candor_status candor_cohort_run(const candor_hash_plan *plan, const candor_cohorts *cohorts,
                                const candor_answers *answers, candor_words *words, int *cohort, int *value,
                                size_t *position)
{
  candor_status status =
      begin(answers, hash_fits(plan) && cohorts->functions >= 1 && cohorts->functions <= INT_MAX, position);
  for (size_t i = 0; i < answers->n && status == CANDOR_OK; i++) {
    uint32_t truth = 0, which = 0;
    status = read_level(answers, i, &truth, position);
    if (status == CANDOR_OK) status = candor_words_below(words, cohorts->functions, &which);
    if (status != CANDOR_OK) return status;
    cohort[i] = (int) which + 1;
    status = hash_value(plan, cohorts->slope[which], cohorts->shift[which], truth, words, value + i);
  }
  return status;
}

/* ---- dBitFlip ------------------------------------------------------------------------------------------ */

candor_status candor_bitflip_run(const candor_bitflip_plan *plan, const candor_answers *answers, candor_words *words,
                                 uint64_t *set, int *report, size_t *position)
{
  candor_status status =
      begin(answers, plan->size >= 1 && plan->size <= plan->buckets && plan->buckets <= answers->levels, position);
  for (size_t i = 0; i < answers->n && status == CANDOR_OK; i++) {
    uint32_t truth = 0;
    int *out = report + i * plan->size;
    status = read_level(answers, i, &truth, position);
    if (status == CANDOR_OK) {
      memset(set, 0, words_of(plan->buckets) * sizeof *set);
      status = candor_words_subset(words, plan->buckets, plan->size, plan->buckets, set);
    }
    if (status != CANDOR_OK) return status;
    const int own = (int) ((uint64_t) truth * plan->buckets / answers->levels) + 1;
    list_members(set, plan->buckets, out);
    for (uint32_t j = 0; j < plan->size && status == CANDOR_OK; j++) {
      int yes = 0;
      status = candor_words_chance(words, out[j] == own ? plan->bit.own : plan->bit.other, &yes);
      out[j] = yes ? out[j] : -out[j];
    }
  }
  return status;
}
