/* The exact probabilities of the protocols whose reports support a set of categories, on the grid of 2^-64.
 *
 * All but unary encoding tell the truth in one and the same way: with a probability `chance` a report is drawn
 * uniformly among those that support the truth, else uniformly among all. If one report in f supports a category, then
 * P(y | x) is proportional to 1 + f chance / (1 - chance) 1{y supports x}, whatever the protocol: f is K for k-ary
 * randomized response, g for hashing to g values, K / w for subsets of w, 2 B for Hadamard response in B blocks. */
#ifndef CANDOR_CHANCE_H
#define CANDOR_CHANCE_H

#include "base/status.h"
#include "respond/quantize.h"

/* SYNOPSIS: the largest chance, but for a relative 2^-49 and 2^-64, whose epsilon is at most the given one:
 *   chance = (e^epsilon - 1) / (e^epsilon - 1 + factor), rounded down.
 * PRECONDITIONS: factor >= 1 and finite; epsilon >= 0, may be infinite; else CANDOR_DOMAIN (CANDOR_NOT_FINITE for NaN).
 * NUMERICS: as candor_plan_grr_epsilon(), which is the case of a whole factor: the few roundings of chance and of its
 *   complement are less than the margin of 2^-49 that is taken off first. */
candor_status candor_support_chance(double factor, double epsilon, candor_grid *chance);

/* SYNOPSIS: the epsilon achieved, log(1 + factor chance / (1 - chance)), possibly infinite. */
double candor_support_epsilon(double factor, candor_grid chance);

/* SYNOPSIS: the smallest grid point, but for the same margins, that is at least 1 / (1 + e^epsilon): the probability of
 *   turning a bit over so that the bit has this epsilon. NUMERICS: (1 - chance) / 2 of the case of two values. */
candor_status candor_support_flip(double epsilon, candor_grid *flip);

/* What the bits of unary encoding are: one of the truth is 1 with probability own, any other with probability other. */
typedef struct candor_bit_plan {
  candor_grid own, other;
} candor_bit_plan;

/* SYNOPSIS: unary encoding of an epsilon: symmetric (own = 1 - other, SUE), or optimized (own = 1/2, OUE).
 * NUMERICS: the epsilon of a report is that of two bits, both symmetric, or that of one: `other` is the flip of
 *   epsilon / 2 or of epsilon; halving is exact. */
candor_status candor_bit_plan_epsilon(double epsilon, int optimized, candor_bit_plan *plan);

/* SYNOPSIS: from given probabilities, own = p and other = q, with their complements (candor_plan_binary). */
candor_status candor_bit_plan_pair(double p, double p_no, double q, double q_no, candor_bit_plan *plan);

/* SYNOPSIS: |log own (1 - other) / (other (1 - own))|, possibly infinite: one truth differs from another in two bits.
 * */
double candor_bit_plan_epsilon_of(const candor_bit_plan *plan);

#endif
