/* The additive channel from its R description, for all glue that takes one, and doubles of R's to work in. */
#ifndef CANDOR_GLUE_ADDITIVE_H
#define CANDOR_GLUE_ADDITIVE_H

#include "estimate/additive.h"
#include "glue.h"

/* a: one double. b: one double, or one for each of the k categories. odds: a / b to full precision,
 * read if b is one number; NULL (the C pointer) where the kernel has no use for it. */
static inline candor_additive glue_additive(SEXP a, SEXP b, const double *odds, size_t k)
{
  candor_additive channel = {k, glue_number(a, "a"), NULL, 0, 0};
  const double *other = glue_reals(b, "b", Rf_xlength(b) == 1 ? 1 : (R_xlen_t) k);
  if (Rf_xlength(b) == 1) {
    channel.other_all = other[0];
    channel.odds = odds ? *odds : channel.keep / other[0];
  } else {
    channel.other = other;
  }
  return channel;
}

static inline double *glue_workspace(size_t n)
{
  return (double *) R_alloc(n, sizeof(double));
}

#endif
