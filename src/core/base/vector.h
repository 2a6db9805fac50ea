/* What conjugate gradients and other iterations do with whole vectors. Sums run in 16 lanes that are added up pairwise:
 * one accumulator would cost the latency of an addition an element, and the order of additions, and so their rounding,
 * is the same on every machine. */
#ifndef CANDOR_VECTOR_H
#define CANDOR_VECTOR_H

#include <stddef.h>

/* sum x, to about one rounding however long x is: certificates rest on it */
double candor_vector_sum(const double *x, size_t n);
/* sum x y */
double candor_vector_dot(const double *x, const double *y, size_t n);
/* y <- x y */
void candor_vector_multiply(const double *x, double *y, size_t n);
/* out <- x / y */
void candor_vector_divide(const double *x, const double *y, double *out, size_t n);
/* y <- y + a x */
void candor_vector_add(double a, const double *x, double *y, size_t n);
/* out <- out + x y */
void candor_vector_add_product(const double *x, const double *y, double *out, size_t n);
/* y <- x + a y */
void candor_vector_follow(double a, const double *x, double *y, size_t n);

#endif
