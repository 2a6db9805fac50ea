#include "api.h"
#include "glue.h"

#include <limits.h>

#include "estimate/filters.h"

/* rr_filter_squares(places (hashes x categories x cohorts), bits, inner (bits x cohorts, or bits x bits x cohorts)) */
SEXP rr_filter_squares_call(SEXP places, SEXP bits, SEXP inner)
{
  SEXP dim = Rf_getAttrib(places, R_DimSymbol);
  if (TYPEOF(places) != INTSXP || TYPEOF(dim) != INTSXP || XLENGTH(dim) != 3)
    Rf_error("`places` must be an integer array of three dimensions");
  const int *size = INTEGER_RO(dim);
  const candor_filters filters = {(size_t) size[0], (size_t) size[1], (size_t) size[2], glue_size(bits, "bits"),
                                  INTEGER_RO(places)};
  if (filters.bits > 1u << 20 || XLENGTH(places) > INT_MAX) Rf_error("`places` or `bits` are too large");
  const R_xlen_t diagonal = (R_xlen_t) (filters.bits * filters.cohorts);
  const int dense = XLENGTH(inner) != diagonal;
  const double *numbers = glue_reals(inner, "inner", dense ? diagonal * (R_xlen_t) filters.bits : diagonal);
  int *members = (int *) R_alloc(candor_filter_members(&filters), sizeof *members);
  double *row = (double *) R_alloc(filters.bits + 1, sizeof *row);
  SEXP squares = PROTECT(Rf_allocMatrix(REALSXP, size[1], size[1]));
  glue_check(candor_filter_squares(&filters, numbers, dense, members, row, REAL(squares)), "candor_filter_squares");
  UNPROTECT(1);
  return squares;
}
