/* Channels as linear operators: what happens between the truth and the report, without ever forming
 * the joint matrix of several questions. */
#ifndef CANDOR_CHANNEL_H
#define CANDOR_CHANNEL_H

#include <stddef.h>

#include "base/status.h"
#include "estimate/support_axis.h"

typedef enum candor_axis_kind {
  CANDOR_AXIS_DENSE = 0, /* C[x, y] = matrix[x * reports + y] */
  CANDOR_AXIS_ADDITIVE,  /* C[x, y] = base[y] + slope * 1{x = y}, square */
  CANDOR_AXIS_SUPPORT    /* two values, see estimate/support_axis.h; only on its own */
} candor_axis_kind;

/* One question. Every entry of its matrix is finite and >= 0. */
typedef struct candor_axis {
  candor_axis_kind kind;
  size_t truths;
  size_t reports;
  const double *matrix;        /* dense only: the reports of one truth are contiguous */
  const double *base;          /* additive only: `reports` values >= 0 */
  double slope;                /* additive only: base[x] + slope >= 0 for every x */
  candor_support_axis support; /* support only */
} candor_axis;

/* Kronecker product of the axes; the first axis runs fastest, as in an R array. */
typedef struct candor_channel {
  size_t axes; /* >= 1 */
  const candor_axis *axis;
} candor_channel;

/* Number of cells of the truths and of the reports. 0 if the product does not fit a size_t. */
size_t candor_channel_truths(const candor_channel *channel);
size_t candor_channel_reports(const candor_channel *channel);

/* Doubles of workspace that the three products below need: at most two arrays of cells. */
size_t candor_channel_work(const candor_channel *channel);

/* Finite, non-negative, no overflow of sizes. Row sums are the caller's business: a channel whose
 * empty reports were dropped has rows that sum to less than one. */
candor_status candor_channel_check(const candor_channel *channel);

/* SYNOPSIS       forward: m = C' theta.  adjoint: g = C w.  adjoint_square: g_i = sum_j C_ij^2 w_j.
 * PRECONDITIONS  a checked channel; input and output do not overlap each other or `work`.
 * NUMERICS       only sums of products of the arguments: with theta, w >= 0 every output has a
 *                relative error of a few rounding errors, whatever the condition of C.
 *                Additive axes cost O(cells), dense ones O(cells * size of the axis); entries that
 *                are exactly zero in theta are skipped when there is one dense axis.
 * REFERENCE      axis-by-axis products: inst/mathematics/estimation.md 2.1; Fernandes, Plateau and Stewart
 *                1998 doi:10.1145/278298.278303 (the shuffle algorithm). */
void candor_channel_forward(const candor_channel *channel, const double *theta, double *work, double *m);
void candor_channel_adjoint(const candor_channel *channel, const double *w, double *work, double *g);
void candor_channel_adjoint_square(const candor_channel *channel, const double *w, double *work, double *g);

/* g[index[k]] = (C w)[index[k]] for k < n; the other entries of g are unspecified. Cheaper than
 * adjoint() for one dense axis and few indices. */
void candor_channel_adjoint_at(const candor_channel *channel, const double *w, const size_t *index, size_t n,
                               double *work, double *g);

/* row = the reports' probabilities of one cell of truths, in O(reports). */
void candor_channel_row(const candor_channel *channel, size_t truth, double *row);

/* SYNOPSIS       Is a square dense matrix of the form base[y] + slope 1{x = y} with slope >= 0?
 *                Returns 1 and fills `base` and `slope`, or returns 0.
 * NUMERICS       off-diagonal entries of a column must agree to `tolerance` relative to the largest
 *                entry of that column; base is their mean. With `tolerance` = 4 rounding errors the
 *                channel that is found has the same likelihood as the one given.
 * REFERENCE      inst/mathematics/estimation.md 1.7: "truth or an innocuous answer". */
int candor_channel_find_additive(const double *matrix, size_t n, double tolerance, double *base, double *slope);

#endif
