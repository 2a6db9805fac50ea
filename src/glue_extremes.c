/* OR and AND of noisy bits, states as columns of 12 numbers. */
#include "api.h"
#include "glue.h"

#include <limits.h>
#include <string.h>

#include <R_ext/Utils.h>

#include "sets/extremes.h"

/* States cross as a matrix of CANDOR_EXTREME_FIELDS rows and one column an element: nothing but doubles. */
static candor_extreme read_state(const double *column)
{
  candor_extreme state;
  memcpy(&state, column, sizeof state);
  return state;
}

static void write_state(const candor_extreme *state, double *column)
{
  memcpy(column, state, sizeof *state);
}

static SEXP new_states(R_xlen_t elements)
{
  if (sizeof(candor_extreme) != CANDOR_EXTREME_FIELDS * sizeof(double)) Rf_error("a state has padding");
  if (elements > INT_MAX) Rf_error("more than 2^31 - 1 elements");
  return Rf_allocMatrix(REALSXP, CANDOR_EXTREME_FIELDS, (int) elements);
}

static const double *states(SEXP x, const char *name, R_xlen_t *elements)
{
  const double *value = glue_reals(x, name, ANY_LENGTH);
  if (XLENGTH(x) % CANDOR_EXTREME_FIELDS != 0) Rf_error("`%s` is not a matrix of states", name);
  *elements = XLENGTH(x) / CANDOR_EXTREME_FIELDS;
  return value;
}

/* c(ones, position): position counts from 1, and is 0 when every entry is 0 or 1. A raw vector holds 8 bits a byte. */
SEXP rr_count_ones_call(SEXP bits, SEXP n)
{
  double result[2] = {0, 0};
  if (TYPEOF(bits) == RAWSXP) {
    const size_t length = glue_size(n, "n");
    if (length > 8 * (size_t) XLENGTH(bits)) Rf_error("`n` is more than the bits there are");
    candor_count_packed(RAW_RO(bits), length, result);
  } else {
    size_t where = 0;
    const int *x = glue_integers(bits, "bits", ANY_LENGTH);
    const candor_status status = candor_count_ones(x, (size_t) XLENGTH(bits), result, &where);
    if (status == CANDOR_DOMAIN) result[1] = (double) where + 1;
    else glue_check(status, "rr_count_ones");
  }
  SEXP out = Rf_allocVector(REALSXP, 2);
  memcpy(REAL(out), result, sizeof result);
  return out;
}

/* Doubles that are 0 or 1 as integers; other values become NA, for the kernels to refuse with their position. */
SEXP rr_bits_call(SEXP x)
{
  const double *value = glue_reals(x, "bits", ANY_LENGTH);
  const R_xlen_t n = XLENGTH(x);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, n));
  int *bit = INTEGER(out);
  for (R_xlen_t i = 0; i < n; i++) bit[i] = value[i] == 0 ? 0 : value[i] == 1 ? 1 : NA_INTEGER;
  UNPROTECT(1);
  return out;
}

static SEXP failure(size_t where, candor_status status)
{
  const char *names[] = {"position", "status", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_ScalarReal((double) where + 1));
  SET_VECTOR_ELT(out, 1, Rf_ScalarInteger((int) status));
  UNPROTECT(1);
  return out;
}

#define STRETCH ((size_t) 1 << 22) /* bits between two looks at the interrupt flag */

/* One element, a flip for every bit. A list(position, status) instead of a state when an entry is bad. */
SEXP rr_extreme_bits_call(SEXP bits, SEXP flips)
{
  const R_xlen_t n = XLENGTH(bits);
  const int *x = glue_integers(bits, "bits", ANY_LENGTH);
  const double *q = glue_reals(flips, "flip", n);
  candor_extreme state;
  candor_extreme_start(&state);
  for (size_t from = 0; from < (size_t) n; from += STRETCH) {
    const size_t left = (size_t) n - from, length = left < STRETCH ? left : STRETCH;
    size_t where = 0;
    const candor_status status = candor_extreme_bits(x + from, q + from, length, &state, &where);
    if (status != CANDOR_OK) return failure(from + where, status);
    R_CheckUserInterrupt();
  }
  SEXP out = PROTECT(new_states(1));
  write_state(&state, REAL(out));
  UNPROTECT(1);
  return out;
}

/* One element a row; flips one a column, or one a bit. */
SEXP rr_extreme_rows_call(SEXP bits, SEXP rows, SEXP columns, SEXP flips, SEXP flip_per_bit)
{
  const size_t m = glue_size(rows, "rows"), n = glue_size(columns, "columns");
  const int per_bit = glue_flag(flip_per_bit, "flip_per_bit");
  if (n > 0 && m > (size_t) R_XLEN_T_MAX / n) Rf_error("the matrix is too large");
  const int *x = glue_integers(bits, "bits", (R_xlen_t) (m * n));
  const double *q = glue_reals(flips, "flip", (R_xlen_t) (per_bit ? m * n : n));
  int *row = (int *) R_alloc(n + 1, sizeof(int));
  double *flip = (double *) R_alloc(n + 1, sizeof(double));
  SEXP out = PROTECT(new_states((R_xlen_t) m));
  for (size_t j = 0; j < n && !per_bit; j++) flip[j] = q[j];
  for (size_t i = 0; i < m; i++) {
    candor_extreme state;
    size_t where = 0;
    candor_extreme_start(&state);
    for (size_t j = 0; j < n; j++) {
      row[j] = x[i + j * m];
      if (per_bit) flip[j] = q[i + j * m];
    }
    const candor_status status = candor_extreme_bits(row, flip, n, &state, &where);
    if (status != CANDOR_OK) {
      UNPROTECT(1);
      return failure(i + where * m, status);
    }
    write_state(&state, REAL(out) + CANDOR_EXTREME_FIELDS * i);
    if (i % 65536 == 0) R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return out;
}

/* States from counts of bits that share one flip; `n` is one number or one an element. */
SEXP rr_extreme_counts_call(SEXP n, SEXP ones, SEXP flip)
{
  const R_xlen_t elements = XLENGTH(ones), one_n = XLENGTH(n) == 1;
  const double *count = glue_reals(ones, "ones", ANY_LENGTH), q = glue_number(flip, "flip");
  const double *bits = glue_reals(n, "n", one_n ? 1 : elements);
  SEXP out = PROTECT(new_states(elements));
  for (R_xlen_t i = 0; i < elements; i++) {
    candor_extreme state;
    candor_extreme_start(&state);
    glue_check(candor_extreme_equal(bits[one_n ? 0 : i], count[i], q, &state), "rr_extreme_counts");
    write_state(&state, REAL(out) + CANDOR_EXTREME_FIELDS * i);
  }
  UNPROTECT(1);
  return out;
}

SEXP rr_extreme_merge_call(SEXP x, SEXP y)
{
  R_xlen_t elements, others;
  const double *a = states(x, "x", &elements), *b = states(y, "y", &others);
  if (elements != others) Rf_error("`x` and `y` are states of different numbers of elements");
  SEXP out = PROTECT(new_states(elements));
  for (R_xlen_t i = 0; i < elements; i++) {
    candor_extreme state = read_state(a + CANDOR_EXTREME_FIELDS * i);
    const candor_extreme other = read_state(b + CANDOR_EXTREME_FIELDS * i);
    candor_extreme_merge(&other, &state);
    write_state(&state, REAL(out) + CANDOR_EXTREME_FIELDS * i);
  }
  UNPROTECT(1);
  return out;
}

SEXP rr_extreme_value_call(SEXP state, SEXP kind)
{
  enum { columns = 6 };
  const char *names[] = {"estimate", "variance", "bound", "sign", "log", "log_bound", ""};
  R_xlen_t elements;
  const double *x = states(state, "state", &elements);
  const candor_extreme_kind which = (candor_extreme_kind) glue_choice(kind, "kind", 2);
  double *column[columns];
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int j = 0; j < columns; j++) {
    SET_VECTOR_ELT(out, j, Rf_allocVector(REALSXP, elements));
    column[j] = REAL(VECTOR_ELT(out, j));
  }
  for (R_xlen_t i = 0; i < elements; i++) {
    candor_extreme_estimate value;
    const candor_extreme one = read_state(x + CANDOR_EXTREME_FIELDS * i);
    glue_check(candor_extreme_value(&one, which, &value), "rr_extreme_value");
    column[0][i] = value.estimate;
    column[1][i] = value.variance;
    column[2][i] = value.bound;
    column[3][i] = value.sign;
    column[4][i] = value.log;
    column[5][i] = value.log_bound;
  }
  UNPROTECT(1);
  return out;
}
