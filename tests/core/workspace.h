/* Workspaces of exactly the size that is stated, so that a sanitizer sees the first number beyond, and full of NaN, so that
 * a result shows what was read before it was written. */
#ifndef CANDOR_TEST_WORKSPACE_H
#define CANDOR_TEST_WORKSPACE_H

#include <math.h>
#include <stdlib.h>

static inline double *workspace(size_t n)
{
  double *work = malloc((n > 0 ? n : 1) * sizeof *work);
  for (size_t k = 0; k < n; k++) work[k] = NAN;
  return work;
}

#endif
