/* Random numbers from random words: uniform ones, and draws from a table. */
#ifndef CANDOR_VARIATE_H
#define CANDOR_VARIATE_H

#include "random.h"

#define CANDOR_DRAW_WORDS 256

/* Words in store, so that a draw costs no call. A failure of the generator stays in `status`, the words
 * are then zero, and whoever loops over draws looks at it. */
typedef struct candor_draw {
  const candor_random *random;
  size_t next;
  candor_status status;
  uint32_t words[CANDOR_DRAW_WORDS];
} candor_draw;

void candor_draw_start(candor_draw *draw, const candor_random *random);
void candor_draw_refill(candor_draw *draw);

static inline uint32_t candor_draw_word(candor_draw *draw)
{
  if (draw->next == CANDOR_DRAW_WORDS) {
    candor_draw_refill(draw);
  }
  return draw->words[draw->next++];
}

/* 64 bits; a last word of the store that has no partner is passed over. */
static inline uint64_t candor_draw_long(candor_draw *draw)
{
  if (draw->next > CANDOR_DRAW_WORDS - 2) {
    candor_draw_refill(draw);
  }
  const uint64_t high = draw->words[draw->next++];
  return high << 32 | draw->words[draw->next++];
}

/* The next n <= CANDOR_DRAW_WORDS words at once, to be used before the next draw; where the store has fewer, those are
 * passed over. */
static inline const uint32_t *candor_draw_words(candor_draw *draw, size_t n)
{
  if (draw->next > CANDOR_DRAW_WORDS - n) {
    candor_draw_refill(draw);
  }
  draw->next += n;
  return draw->words + draw->next - n;
}

/* Uniform on the midpoints of 2^53 cells of (0, 1): never 0, never 1. */
static inline double candor_draw_uniform(candor_draw *draw)
{
  const uint64_t high = candor_draw_word(draw) >> 6;
  const uint64_t low = candor_draw_word(draw) >> 6;
  return ((double) (high << 26 | low) + 0.5) * (1.0 / 4503599627370496.0);
}

/* One draw of the alias method: the high bits of a word pick a slot, the rest decide between the slot's
 * own value and its other. Only where those bits do not decide is a second word drawn, so that each
 * probability is realised to 2^-64 for the price of one word. */
typedef struct candor_slot {
  uint32_t cut;
  uint32_t other;
} candor_slot;

typedef struct candor_alias {
  candor_slot *slots; /* 2^bits of them */
  uint32_t *low;      /* the lower halves of the cuts */
  uint32_t first;     /* the value of the first weight */
  int bits;           /* 1 to 30 */
} candor_alias;

/* Slots of a table of `size` weights: a power of two. */
size_t candor_alias_slots(size_t size);

/* SYNOPSIS: prepares draws of first + i with probability proportional to weights[i].
 * PRECONDITIONS: 1 <= size <= 2^30; weights >= 0 and finite with a sum above 0; slots and low of the table point
 *   to candor_alias_slots(size) elements; scaled and order, workspace, have as many.
 * REFERENCE: Walker (1977), doi:10.1145/355744.355749; Vose (1991), doi:10.1109/32.92917. */
candor_status candor_alias_build(candor_alias *table, const double *weights, size_t size, uint32_t first,
                                 double *scaled, uint32_t *order);

uint32_t candor_alias_tie(const candor_alias *table, candor_draw *draw, uint32_t word);

static inline uint32_t candor_alias_draw(const candor_alias *table, candor_draw *draw)
{
  const uint32_t word = candor_draw_word(draw);
  const uint32_t place = word >> (32 - table->bits);
  const uint32_t fraction = word << table->bits;
  const candor_slot slot = table->slots[place];
  if (((fraction ^ slot.cut) >> table->bits) == 0) {
    return candor_alias_tie(table, draw, word);
  }
  /* Which of the two is a coin toss: a mask costs less than the branch it would be. */
  const uint32_t own = table->first + place, mask = (uint32_t) 0 - (uint32_t) (fraction < slot.cut);
  return slot.other ^ ((own ^ slot.other) & mask);
}

/* SYNOPSIS: the probabilities, up to one factor, of the values *first .. *first + *size - 1 that a Poisson or
 *   binomial variable takes; what is left out has probability below 2^-64.
 * PRECONDITIONS: mean in [0, 2^20]; weights has room for candor_span(mean, sd) values. */
void candor_poisson_weights(double mean, double *weights, uint32_t *first, size_t *size);
void candor_binomial_weights(uint32_t n, double p, double *weights, uint32_t *first, size_t *size);
size_t candor_span(double mean);

#endif
