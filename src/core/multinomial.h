/* Multinomial counts, planned once and drawn many times.
 *
 * N balls into K cells cost N draws one by one and K binomials in a tree; both are slow where N is not small and
 * K is large. The plan has a third way for the cells of moderate size: independent Poisson counts, whose
 * total P falls a little short of N by design, and N - P more balls. Given its total a vector of independent Poisson
 * counts is multinomial, so the sum is exactly multinomial too (should P exceed N, it is drawn again). Poisson
 * counts come from tables shared by all cells of about the same mean: a cell of mean 10.3 takes one count of
 * mean 10 and its share of a heap of single balls, by superposition again. */
#ifndef CANDOR_MULTINOMIAL_H
#define CANDOR_MULTINOMIAL_H

#include "binomial.h"
#include "variate.h"

#define CANDOR_MULTINOMIAL_LEVELS 3
#define CANDOR_MULTINOMIAL_CLASSES 256
#define CANDOR_MULTINOMIAL_SLOTS ((size_t) 1 << 16)

typedef struct candor_level {
  candor_alias tables[CANDOR_MULTINOMIAL_CLASSES];
  unsigned char *classes; /* of each small cell; its own last table is the constant zero */
} candor_level;

typedef struct candor_multinomial {
  size_t cells;
  size_t big;              /* cells drawn first, in a tree whose last leaf is all the small ones together */
  size_t small;            /* the others, in `index` after the big ones */
  uint32_t *index;
  candor_tree tree;
  size_t levels;           /* 0: the small cells get single balls only */
  candor_level level[CANDOR_MULTINOMIAL_LEVELS];
  candor_alias single;     /* where one ball falls among the small cells */
  candor_alias heap;       /* and one of the heap that the levels left over */
  candor_alias heap_size;  /* Poisson */
  int has_heap;
} candor_multinomial;

/* Bytes of memory for a plan of `cells` cells, and numbers of workspace for a draw. */
size_t candor_multinomial_bytes(size_t cells);
size_t candor_multinomial_scratch(size_t cells);

/* SYNOPSIS: plans draws of Multinomial(N, weights), for N of about the given mean and variance.
 * PRECONDITIONS: 1 <= cells <= 2^30; weights >= 0 and finite with a sum above 0; memory of
 *   candor_multinomial_bytes() bytes, aligned for double, outlives the plan.
 * NUMERICS: the mean and the variance decide the cost only: any N may be drawn. */
candor_status candor_multinomial_plan(candor_multinomial *plan, const double *weights, size_t cells,
                                      double mean, double variance, void *memory);

/* SYNOPSIS: counts of `total` balls, added to `counts`.
 * PRECONDITIONS: total a whole number in [0, 2^53]; `counts` has plan->cells elements, `scratch` has
 *   candor_multinomial_scratch(plan->cells). */
candor_status candor_multinomial_draw(const candor_multinomial *plan, candor_draw *draw, double total,
                                      double *scratch, double *counts);

#endif
