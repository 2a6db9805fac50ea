/* Sums over the hyperplanes of a projective space: from counts of points to counts of what they support. */
#ifndef CANDOR_HYPERPLANES_H
#define CANDOR_HYPERPLANES_H

#include <stddef.h>

#include "base/field.h"
#include "base/status.h"

/* Ways to add up the same pairs of a point and a hyperplane on which it lies. */
typedef enum candor_hyperplane_way {
  CANDOR_BY_COORDINATES, /* all sums together, one coordinate after the other */
  CANDOR_BY_SUMS,        /* hyperplane by hyperplane */
  CANDOR_BY_VALUES       /* each value other than 0 is added to the sums of the hyperplanes through its point */
} candor_hyperplane_way;

/* Sums that are found in chunks. The caller sets the first six fields and the workspace, the rest is the state. */
typedef struct candor_hyperplanes {
  const candor_field *field;
  uint32_t t;
  size_t k;
  const double *value;
  double *sum;
  candor_hyperplane_way way;
  double *work;   /* CANDOR_BY_COORDINATES: candor_hyperplane_work() elements */
  uint32_t *list; /* otherwise: an element for each point of t - 1 coordinates */
  size_t next;
  uint32_t d;
  size_t apart;
  double flat;
} candor_hyperplanes;

/* SYNOPSIS: sum[x] = the sum of value[u] over the points u whose product with point x is 0, for the first k points x of
 *   a space of t coordinates. candor_hyperplane_begin() checks and clears, then candor_hyperplane_run() returns
 *   CANDOR_AGAIN until all sums are found; a call takes about t v or four million additions.
 * PRECONDITIONS: t >= 2, fewer than 2^31 points, k at most their number, else CANDOR_DOMAIN. `value` has an element a
 *   point.
 * NUMERICS: additions only, so that sums of counts are exact. With v points the way by coordinates takes about t s v of
 *   them, by sums k v / s, by values n v / s if n of them are not 0: at 10,000 points over the field of 3 the first
 *   takes a hundredth of the second, at 1.2 million points over the field of 1,097 and 5,000 categories 700 times as
 *   many.
 *   A point x whose last coordinate is not 0 is -1 in it after scaling: x = (y, -1), and u = (w, c) lies on its
 *   hyperplane if c = w y. The sums over such graphs are found coordinate by coordinate. Points x = (z, 0) are the same
 *   question with one coordinate less, about sums over the last coordinate. */
candor_status candor_hyperplane_begin(candor_hyperplanes *sums);
candor_status candor_hyperplane_run(candor_hyperplanes *sums);

/* SYNOPSIS: the way that takes the least time. PRECONDITIONS: as above. */
candor_hyperplane_way candor_hyperplane_cheapest(const candor_field *field, uint32_t t, const double *value, size_t k);

/* SYNOPSIS: which of the first k points lie on the hyperplanes of n points (from 0): bit x % 8 of byte
 *   bits[x / 8 * n + i] for point[i], as a matrix with a row a point has them.
 * PRECONDITIONS: as above, and points of the space, else CANDOR_DOMAIN. `bits`: (k + 7) / 8 times n bytes. */
candor_status candor_hyperplane_bits(const candor_field *field, uint32_t t, const uint32_t *point, size_t n, size_t k,
                                     uint8_t *bits);

/* SYNOPSIS: doubles of workspace for v points. At most v for the sums over coordinates, as many for the graphs, and
 *   three times as many for the coordinates one after the other, the order being at least 2. */
static inline size_t candor_hyperplane_work(size_t v)
{
  return 5 * v;
}

#endif
