/* What all glue files share: type and length checks that keep a hand-made .Call from crashing R.
 * Ranges are the core's business, and the user's language is R's. */
#ifndef CANDOR_GLUE_H
#define CANDOR_GLUE_H

#include <stddef.h>

#include <R.h>
#include <Rinternals.h>

#include "base/status.h"

#define ANY_LENGTH ((R_xlen_t) -1)

/* Each returns the payload of `x`, or raises an R error that names `name`. */
const double *glue_reals(SEXP x, const char *name, R_xlen_t length);
const int *glue_integers(SEXP x, const char *name, R_xlen_t length);
double glue_number(SEXP x, const char *name);
size_t glue_size(SEXP x, const char *name);       /* a whole number >= 0 held in a double or an integer */
int glue_choice(SEXP x, const char *name, int n); /* an integer in 0 .. n - 1 */
int glue_flag(SEXP x, const char *name);          /* TRUE or FALSE, never NA */

SEXP glue_element(SEXP list, const char *name); /* NULL if the list has no such element */

/* Raises the R error for any status but CANDOR_OK, of the class that R/util-conditions.R would give it: what a check in
 * R let pass is still caught as what it is. `kernel` names what was running. */
void glue_check(candor_status status, const char *kernel);

#endif
