/* A channel as R describes it: a list with one element a question, list(matrix = the transposed
 * matrix, so that the reports of one truth are contiguous) or list(a = , b = ) for P(y | x) =
 * b[y] + a 1{x = y}. */
#ifndef CANDOR_GLUE_CHANNEL_H
#define CANDOR_GLUE_CHANNEL_H

#include "glue.h"

#include "estimate/channel.h"

/* The axes are R_alloc'ed; their numbers stay where R has them, so `axes` must stay protected. */
candor_channel glue_channel(SEXP axes);

#endif
