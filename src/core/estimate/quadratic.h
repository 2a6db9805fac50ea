/* A quadratic programme over the orthant whose Hessian is a channel's Fisher information. */
#ifndef CANDOR_QUADRATIC_H
#define CANDOR_QUADRATIC_H

#include <stddef.h>

#include "base/status.h"
#include "estimate/channel.h"

/* min x'(H + damping diag) x / 2 - (linear + damping diag centre)' x over x >= 0, H = C diag(weights) C'. */
typedef struct candor_quadratic {
  const candor_channel *channel;
  const double *weights;  /* one per report, >= 0 */
  const double *diagonal; /* of H, > 0 */
  const double *linear;
  const double *centre;
  double damping;
  double tolerance; /* on the multipliers of the cells at zero */
  size_t limit;     /* most cells that may be positive at once */
  size_t budget;    /* gives up after the price of about this many products with the channel */
} candor_quadratic;

size_t candor_quadratic_work(const candor_channel *channel, size_t limit);

/* SYNOPSIS       Minimizes by the active-set method of Lawson and Hanson: one cell enters at a time,
 *                cells that would turn negative leave, a Cholesky factor of the positive cells is
 *                updated and downdated.
 * PRECONDITIONS  `set[0 .. *count - 1]` is the starting set of positive cells (may be empty), with
 *                x > 0 on it and 0 elsewhere. `set` has room for `limit` entries, `blocked` for one
 *                flag a truth.
 * RETURNS        CANDOR_OK       the multipliers meet the tolerance.
 *                CANDOR_AGAIN    `limit` or `budget` was reached, or rounding let no cell enter.
 *                CANDOR_DOMAIN   the same, and the starting set was too large or dependent.
 *                CANDOR_STALLED  it gave up because far more than `limit` cells will be positive.
 *                In any case x >= 0 and `set` are consistent; with OK or AGAIN the objective is not above its start.
 * NUMERICS       a cell whose pivot is below 1e-15 of its diagonal depends on the set: it may not
 *                enter. Each entry costs two products with the channel and O(count^2).
 * REFERENCE      Lawson and Hanson 1974, ch. 23 (doi:10.1137/1.9781611971217); as the inner problem of
 *                maximum likelihood of mixtures: Wang 2007 doi:10.1111/j.1467-9868.2007.00583.x. */
candor_status candor_quadratic_minimize(const candor_quadratic *problem, size_t *set, size_t *count,
                                        unsigned char *blocked, double *work, size_t *products, double *x);

#endif
