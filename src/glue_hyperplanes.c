#include "api.h"
#include "glue.h"

#include <limits.h>

#include <R_ext/Utils.h>

#include "estimate/hyperplanes.h"
#include "glue_field.h"

candor_field glue_field(SEXP field)
{
  if (TYPEOF(field) != VECSXP || XLENGTH(field) != 3) Rf_error("`field` must be a list of three");
  const int *prime = glue_integers(VECTOR_ELT(field, 0), "prime", 1);
  const R_xlen_t powers = XLENGTH(VECTOR_ELT(field, 1));
  const int *power = glue_integers(VECTOR_ELT(field, 1), "power", powers);
  const int *logarithm = glue_integers(VECTOR_ELT(field, 2), "logarithm", powers + 1);
  if (powers < 1 || powers >= INT_MAX || prime[0] < 2) Rf_error("`field` must have at least two elements");
  /* Sums of digits below the prime stay below a power of it. */
  double order = prime[0];
  while (order < (double) powers + 1) order *= prime[0];
  if (order != (double) powers + 1) Rf_error("`field` must have a prime power of elements");
  for (R_xlen_t i = 0; i < powers; i++)
    if (power[i] < 1 || power[i] > powers || logarithm[i + 1] < 0 || logarithm[i + 1] >= powers)
      Rf_error("`field` must hold powers and their logarithms");
  return (candor_field){(uint32_t) powers + 1, (uint32_t) prime[0], (const uint32_t *) power,
                        (const uint32_t *) logarithm};
}

/* rr_hyperplane_sums(values, field, coordinates, k): the sums of the values of the points on the hyperplanes of the
 * first k points. */
SEXP rr_hyperplane_sums_call(SEXP values, SEXP field, SEXP coordinates, SEXP k)
{
  const candor_field over = glue_field(field);
  const size_t t = glue_size(coordinates, "coordinates"), n = glue_size(k, "k");
  const uint32_t points = t < CANDOR_COORDINATES ? candor_field_points(over.order, (uint32_t) t) : UINT32_MAX;
  const double *value = glue_reals(values, "values", ANY_LENGTH);
  if ((double) XLENGTH(values) != (double) points) Rf_error("`values` must have an element for each point");
  if (t < 2 || points == UINT32_MAX || n > points) glue_check(CANDOR_DOMAIN, "rr_hyperplane_sums");
  SEXP sums = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) n));
  candor_hyperplanes state = {.field = &over, .t = (uint32_t) t, .k = n, .value = value, .sum = REAL(sums)};
  state.way = candor_hyperplane_cheapest(&over, state.t, value, n);
  if (state.way == CANDOR_BY_COORDINATES)
    state.work = (double *) R_alloc(candor_hyperplane_work(points), sizeof *state.work);
  else state.list = (uint32_t *) R_alloc(candor_field_points(over.order, state.t - 1), sizeof *state.list);
  candor_status status = candor_hyperplane_begin(&state);
  if (status == CANDOR_OK)
    while ((status = candor_hyperplane_run(&state)) == CANDOR_AGAIN) R_CheckUserInterrupt();
  glue_check(status, "rr_hyperplane_sums");
  UNPROTECT(1);
  return sums;
}

/* rr_hyperplane_bits(points, field, coordinates, k): which of the first k points lie on the hyperplanes of `points`,
 * from 0: a raw matrix with a row a point. */
SEXP rr_hyperplane_bits_call(SEXP points, SEXP field, SEXP coordinates, SEXP k)
{
  const candor_field over = glue_field(field);
  const size_t t = glue_size(coordinates, "coordinates"), width = glue_size(k, "k");
  const int *point = glue_integers(points, "points", ANY_LENGTH);
  if (t >= CANDOR_COORDINATES || width > INT_MAX || XLENGTH(points) > INT_MAX) Rf_error("the sets do not fit a matrix");
  SEXP bits = PROTECT(Rf_allocMatrix(RAWSXP, (int) XLENGTH(points), (int) ((width + 7) / 8)));
  glue_check(
      candor_hyperplane_bits(&over, (uint32_t) t, (const uint32_t *) point, (size_t) XLENGTH(points), width, RAW(bits)),
      "rr_hyperplane_bits");
  UNPROTECT(1);
  return bits;
}
