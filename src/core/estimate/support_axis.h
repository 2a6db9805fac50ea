/* Products with the channels whose entries take two values, high where the report supports the truth and low elsewhere:
 * the likelihood of every protocol whose reports support sets of categories. Never a matrix of truths by reports.
 *
 * Sets: reports are the columns of a list of different sets, as many as were seen. Bit x of set s is bit x % 8 of
 * bits[x / 8 * reports + s]: the bytes of one eight of truths are contiguous.
 * Hadamard: reports are blocks * size columns in the layout of respond/protocols.h, low outside of the truth's block.
 *
 * The three products and the row are what estimate/channel.h says of them, and sums of positive terms throughout: a
 * plain Hadamard transform would lose digits by cancellation, which the certificate of the solver cannot spare. */
#ifndef CANDOR_SUPPORT_AXIS_H
#define CANDOR_SUPPORT_AXIS_H

#include <stddef.h>

typedef struct candor_support_axis {
  size_t truths, reports;
  double low, high;          /* >= 0 */
  const unsigned char *bits; /* sets: (truths + 7) / 8 * reports bytes, 0 beyond the truths; NULL for Hadamard */
  size_t blocks, size;       /* Hadamard: size a power of two, blocks (size - 1) >= truths, reports = blocks size */
} candor_support_axis;

/* Doubles of workspace of the products. */
size_t candor_support_axis_work(const candor_support_axis *axis);

/* Are the numbers in their ranges and the bits beyond the truths 0? */
int candor_support_axis_holds(const candor_support_axis *axis);

/* SYNOPSIS: m = C' theta. g = C w; with `square` the entries of C are squared.
 * NUMERICS: sets: eight truths at a time, by a table of their 256 partial sums: reports * truths / 8 look-ups.
 *   Hadamard: sums over the +1 and over the -1 of each column by the butterflies of the fast transform, in pairs: twice
 *   its work, and no cancellation. */
void candor_support_forward(const candor_support_axis *axis, const double *theta, double *work, double *m);
void candor_support_adjoint(const candor_support_axis *axis, int square, const double *w, double *work, double *g);

double candor_support_entry(const candor_support_axis *axis, size_t truth, size_t report);

#endif
