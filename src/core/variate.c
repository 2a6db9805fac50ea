#include "variate.h"

#include <math.h>
#include <string.h>

void candor_draw_start(candor_draw *draw, const candor_random *random)
{
  draw->random = random;
  draw->next = CANDOR_DRAW_WORDS;
  draw->status = CANDOR_OK;
}

void candor_draw_refill(candor_draw *draw)
{
  if (draw->status == CANDOR_OK) {
    draw->status = candor_random_fill(draw->random, draw->words, CANDOR_DRAW_WORDS);
  }
  if (draw->status != CANDOR_OK) {
    memset(draw->words, 0, sizeof draw->words);
  }
  draw->next = 0;
}

size_t candor_alias_slots(size_t size)
{
  size_t slots = 2;
  while (slots < size) {
    slots *= 2;
  }
  return slots;
}

static void set_slot(candor_alias *table, size_t place, double own, uint32_t other)
{
  if (own >= 1.0) {
    table->slots[place].cut = UINT32_MAX;
    table->low[place] = UINT32_MAX;
    table->slots[place].other = table->first + (uint32_t) place;
    return;
  }
  const uint64_t cut = (uint64_t) (own * 18446744073709551616.0);
  table->slots[place].cut = (uint32_t) (cut >> 32);
  table->low[place] = (uint32_t) cut;
  table->slots[place].other = other;
}

candor_status candor_alias_build(candor_alias *table, const double *weights, size_t size, uint32_t first,
                                 double *scaled, uint32_t *order)
{
  double total = 0.0;
  for (size_t i = 0; i < size; i++) {
    if (!(weights[i] >= 0.0)) return CANDOR_DOMAIN;
    total += weights[i];
  }
  if (size == 0 || size > (size_t) 1 << 30 || !(total > 0.0) || isinf(total)) return CANDOR_DOMAIN;
  const size_t slots = candor_alias_slots(size);
  table->first = first;
  table->bits = 0;
  while ((size_t) 1 << table->bits < slots) {
    table->bits++;
  }
  /* Short slots from the front of `order`, long ones from its back. */
  size_t n_short = 0, long_from = slots;
  size_t largest = 0;
  for (size_t i = 0; i < slots; i++) {
    scaled[i] = i < size ? weights[i] * ((double) slots / total) : 0.0;
    if (scaled[i] > scaled[largest]) largest = i;
    if (scaled[i] < 1.0) order[n_short++] = (uint32_t) i;
    else order[--long_from] = (uint32_t) i;
  }
  while (n_short > 0 && long_from < slots) {
    const uint32_t place = order[--n_short];
    const uint32_t giver = order[long_from];
    set_slot(table, place, scaled[place], first + giver);
    scaled[giver] -= 1.0 - scaled[place];
    if (scaled[giver] < 1.0) {
      long_from++;
      order[n_short++] = giver;
    }
  }
  while (long_from < slots) {
    set_slot(table, order[long_from++], 1.0, 0);
  }
  /* Only rounding leaves a short slot here: it is full but for 1e-16, unless it is padding. */
  while (n_short > 0) {
    const uint32_t place = order[--n_short];
    set_slot(table, place, scaled[place] > 0.5 ? 1.0 : scaled[place], first + (uint32_t) largest);
  }
  return CANDOR_OK;
}

/* The word's fraction equals the cut as far as it goes: 32 more bits decide. */
uint32_t candor_alias_tie(const candor_alias *table, candor_draw *draw, uint32_t word)
{
  const uint32_t place = word >> (32 - table->bits);
  const candor_slot slot = table->slots[place];
  const uint64_t cut = ((uint64_t) slot.cut << 32) | table->low[place];
  const uint64_t fraction = ((uint64_t) (word << table->bits) << 32) +
                            ((uint64_t) candor_draw_word(draw) << table->bits);
  return fraction < cut ? table->first + place : slot.other;
}

/* Values on either side of the mean until their probability is below 1e-23 of the largest. */
size_t candor_span(double mean)
{
  return (size_t) (2.0 * 10.5 * sqrt(mean)) + 80;
}

typedef double (*step_up)(double k, double n, double p);

static double poisson_up(double k, double mean, double unused)
{
  (void) unused;
  return mean / (k + 1.0);
}

static double binomial_up(double k, double n, double p)
{
  return k >= n ? 0.0 : (n - k) / (k + 1.0) * (p / (1.0 - p));
}

/* From the mode outwards by the ratio of neighbours. */
static void neighbour_weights(step_up up, double x, double y, double mode, double mean, double *weights,
                              uint32_t *first, size_t *size)
{
  const size_t half = candor_span(mean) / 2;
  const size_t below = mode < (double) half ? (size_t) mode : half - 1;
  size_t from = below, to = below;
  weights[below] = 1.0;
  while (from > 0) {
    const double next = weights[from] / up(mode - (double) (below - from) - 1.0, x, y);
    if (!(next > 1e-23)) break;
    weights[--from] = next;
  }
  while (to + 1 < candor_span(mean)) {
    const double next = weights[to] * up(mode + (double) (to - below), x, y);
    if (!(next > 1e-23)) break;
    weights[++to] = next;
  }
  memmove(weights, weights + from, (to - from + 1) * sizeof *weights);
  *first = (uint32_t) (mode - (double) (below - from));
  *size = to - from + 1;
}

void candor_poisson_weights(double mean, double *weights, uint32_t *first, size_t *size)
{
  neighbour_weights(poisson_up, mean, 0.0, floor(mean), mean, weights, first, size);
}

void candor_binomial_weights(uint32_t n, double p, double *weights, uint32_t *first, size_t *size)
{
  const double mode = p >= 1.0 ? n : floor((n + 1.0) * p);
  if (p >= 1.0 || p <= 0.0) {
    weights[0] = 1.0;
    *first = p >= 1.0 ? n : 0;
    *size = 1;
    return;
  }
  neighbour_weights(binomial_up, n, p, mode > n ? n : mode, n * p, weights, first, size);
}
