/* Binomial counts, and the division of a whole among many cells by one binomial after the other. */
#ifndef CANDOR_BINOMIAL_H
#define CANDOR_BINOMIAL_H

#include "variate.h"

/* SYNOPSIS: *value is Binomial(n, p).
 * PRECONDITIONS: n a whole number in [0, 2^53]; p in [0, 1]; else CANDOR_DOMAIN.
 * NUMERICS: expected time bounded for all n and p: inversion where the variance s^2 is below 2, else rejection from a
 *   rounded normal number that has been bent by the skewness (binomial_proposal.h), of which at most 0.125 / s^2 are
 *   refused. All but 0.8 % and 0.3 / s^2 of the proposals need no probability to be settled; where one is needed it is
 *   formed from deviances, not from differences of log-factorials, which at n = 10^9 would have lost six digits.
 *   CANDOR_GENERATOR if the words are so far from random that 2^20 proposals are refused.
 * REFERENCE: Cornish and Fisher (1938), doi:10.2307/1400905 (the bend); Marsaglia and Tsang (2000), Journal of
 *   Statistical Software 5(8), doi:10.18637/jss.v005.i08 (normal numbers); Kachitvichyanukul and Schmeiser (1988),
 *   doi:10.1145/42372.42381 (inversion); Loader (2000), Fast and accurate computation of binomial probabilities
 *   (deviances). */
candor_status candor_draw_binomial(candor_draw *draw, double n, double p, double *value);

/* A binary tree over cells: node j has the children 2 j and 2 j + 1, cell c is node cells + c, node 1 is the root.
 * Unlike a chain of conditional binomials it has draws that do not wait for each other. */
typedef struct candor_tree {
  size_t cells;
  double *first, *second; /* of each inner node: what share of it falls to each child */
} candor_tree;

/* SYNOPSIS: prepares the division of a whole among cells in proportion to their weights.
 * PRECONDITIONS: 1 <= cells < 2^31; the weights in sums[cells] .. sums[2 cells - 1], >= 0 and finite; first and second
 *   point to `cells` elements. The rest of `sums` is workspace. */
void candor_tree_plan(candor_tree *tree, size_t cells, double *sums);

/* SYNOPSIS: counts[cells] .. counts[2 cells - 1] are Multinomial(counts[1], weights).
 * PRECONDITIONS: counts[1] a whole number in [0, 2^53]; the other counts before `cells` are workspace. */
candor_status candor_tree_draw(const candor_tree *tree, candor_draw *draw, double *counts);

#endif
