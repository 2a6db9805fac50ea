/* Sums over the hyperplanes of a projective space: from counts of points to counts of what they support. */
#ifndef CANDOR_HYPERPLANES_H
#define CANDOR_HYPERPLANES_H

#include <stddef.h>

#include "base/field.h"
#include "base/status.h"

/* SYNOPSIS: sum[x] = the sum of value[u] over the points u whose product with point x is 0, for the first k points x of
 *   a space of t coordinates.
 * PRECONDITIONS: t >= 2, fewer than 2^31 points, k at most their number, else CANDOR_DOMAIN. `value` has an element a
 *   point; `work` has candor_hyperplane_work() elements.
 * NUMERICS: additions only, so that sums of counts are exact. With v points it takes about t s v of them, where adding
 *   up hyperplane by hyperplane takes k v / s: a hundredth at 10,000 points over the field of 3.
 *   A point x whose last coordinate is not 0 is -1 in it after scaling: x = (y, -1), and u = (w, c) lies on its
 *   hyperplane if c = w y. The sums over such graphs are found coordinate by coordinate. Points x = (z, 0) are the same
 *   question with one coordinate less, about sums over the last coordinate. */
candor_status candor_hyperplane_sums(const candor_field *field, uint32_t t, const double *value, size_t k, double *work,
                                     double *sum);

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
