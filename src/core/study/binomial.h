/* Binomial counts, and the division of a whole among many cells by one binomial after the other. */
#ifndef CANDOR_BINOMIAL_H
#define CANDOR_BINOMIAL_H

#include "study/stream.h"

/* SYNOPSIS       *value is Binomial(n, p).
 * PRECONDITIONS  n a whole number in [0, 2^53]; p in [0, 1]; else CANDOR_DOMAIN.
 * NUMERICS       Exact but for the rounding of doubles. With p <= 1/2 (else the failures are drawn): sequential search
 *                where n p < 10, and from there on Hoermann's transformed rejection, whose two bounds test_binomial.c
 *                checks by search. A proposal needs its probability in one case of seven or fewer; it is formed from
 *                deviances, since differences of log-factorials lose six digits at n = 10^9.
 *                CANDOR_GENERATOR where the generator fails, or where its words are so far from random that 2^16
 *                proposals in turn are refused.
 * REFERENCE      Hoermann (1993), The generation of binomial random variates, Journal of Statistical Computation and
 *                Simulation 46, 101-110, doi:10.1080/00949659308811496 (algorithms BTRS and BTRD); Loader (2000), Fast
 *                and accurate computation of binomial probabilities (deviances). */
candor_status candor_draw_binomial(candor_draw *draw, double n, double p, double *value);

/* SYNOPSIS       *value is Binomial(n, first / (first + second)).
 * PRECONDITIONS  n a whole number in [0, 2^53]; first, second >= 0 and finite, and not both 0 if n > 0.
 * NUMERICS       The share of the lighter one is what is computed, so that a tiny one keeps its digits. */
candor_status candor_draw_first(candor_draw *draw, double n, double first, double second, double *value);

/* A binary tree over cells: node j has the children 2 j and 2 j + 1, cell c is node cells + c, node 1 is the root.
 * SYNOPSIS       sums[1] .. sums[cells - 1] from the weights in sums[cells] .. sums[2 cells - 1], and for each inner
 *                node its split: the lighter child's share of it, and the logarithm of the other's.
 * PRECONDITIONS  cells >= 1; weights >= 0 with a finite sum; sums and splits: 2 cells doubles each. */
void candor_tree_start(size_t cells, double *sums, double *splits);

/* SYNOPSIS       Divides the counts of all inner nodes among the cells below them, in proportion to the weights, and
 *                adds each node's share to what the children hold: with all but nodes[1] zero,
 *                nodes[cells] .. nodes[2 cells - 1] become Multinomial(nodes[1], weights).
 * PRECONDITIONS  sums and splits as candor_tree_start() leaves them; nodes: 2 cells whole numbers >= 0 with a sum of at
 *                most 2^53. */
candor_status candor_tree_draw(candor_draw *draw, size_t cells, const double *sums, const double *splits,
                               double *nodes);

/* The same for few among many: cells drawn one at a time by a uniform number, with a table of where to begin.
 * SYNOPSIS       ends[c]: the share of the cells 0 .. c; begin[g]: the first cell that ends after g / cells.
 * PRECONDITIONS  cells >= 1; weights >= 0 with a finite sum > 0; ends and begin: cells doubles each. */
void candor_pick_start(size_t cells, const double *weights, double *ends, double *begin);

/* SYNOPSIS       Adds n draws to counts: Multinomial(n, weights).
 * NUMERICS       12 ns a draw, where the tree takes 45 ns a cell: with n <= 2 cells the papers' study takes a fourth
 *                less time. A cell of weight 0 is never drawn. */
candor_status candor_pick_draw(candor_draw *draw, size_t cells, const double *ends, const double *begin, double n,
                               double *counts);

#endif
