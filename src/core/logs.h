/* Logarithms of many numbers at a time. */
#ifndef CANDOR_LOGS_H
#define CANDOR_LOGS_H

#include <stddef.h>

/* SYNOPSIS: logarithm[i] = log(x[i]).
 * PRECONDITIONS: x finite and not subnormal, above 0; `logarithm` may be x.
 * NUMERICS: within 2 units in the last place, the same wherever arithmetic is IEEE's and no compiler fuses
 *   multiplication with addition. log(m 2^e) for m between sqrt(1/2) and sqrt(2) is e log 2 +
 *   2 atanh((m - 1) / (m + 1)), by a polynomial. A library's logarithm is more exact and, one call a number, five to
 *   fifteen times slower. */
void candor_logs(const double *x, size_t n, double *logarithm);

#endif
