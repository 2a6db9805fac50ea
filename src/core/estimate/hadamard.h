/* The fast Walsh-Hadamard transform, and Hadamard response's counts as sums of signed counts. */
#ifndef CANDOR_HADAMARD_H
#define CANDOR_HADAMARD_H

#include <stddef.h>

#include "base/status.h"

/* SYNOPSIS: x becomes H x, H[i, j] = (-1)^popcount(i & j), in place, for n = 2^k numbers; else CANDOR_DOMAIN.
 * NUMERICS: n log2 n sums and differences: exact for whole numbers whose absolute values add up to less than 2^53.
 * REFERENCE: Fino and Algazi (1976), doi:10.1109/TC.1976.1674569. */
candor_status candor_hadamard_transform(double *x, size_t n);

/* SYNOPSIS: sums[v] = sum over the columns j of v's block of H[row of v, j] counts[j], for k categories in `blocks`
 *   blocks of `size` columns (respond/protocols.h has the layout). `work`: size doubles.
 * PRECONDITIONS: size a power of two, blocks (size - 1) >= k. */
candor_status candor_hadamard_sums(const double *counts, size_t blocks, size_t size, size_t k, double *work,
                                   double *sums);

#endif
