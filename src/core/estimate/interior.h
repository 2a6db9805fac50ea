/* The interior phase of the solver: only to find out which cells are zero, where products with the channel are cheap
 * beside a Hessian. Internal to the core.
 *
 * NUMERICS   min F(x) over x >= 0 (certificate.h) with multipliers z = 1 - g >= 0 and x z driven to 0 together, cell by
 *            cell, so that no cell is zero before all that keep it positive are known. Only the pattern is wanted:
 *            solutions of low accuracy, an early stop, and Newton's method on the face that is left.
 * REFERENCE  Wright 1997, Primal-dual interior-point methods, doi:10.1137/1.9781611971453. */
#ifndef CANDOR_INTERIOR_H
#define CANDOR_INTERIOR_H

#include "estimate/certificate.h"

/* One step of the phase, which the first step enters and the last one leaves. */
void candor_interior_step(candor_solver *s);

#endif
