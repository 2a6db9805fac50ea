#include "glue.h"

#include <math.h>
#include <string.h>

static void check_length(SEXP x, const char *name, R_xlen_t length)
{
  if (length != ANY_LENGTH && XLENGTH(x) != length)
    Rf_error("`%s` must have length %.0f, not %.0f", name, (double) length, (double) XLENGTH(x));
}

const double *glue_reals(SEXP x, const char *name, R_xlen_t length)
{
  if (TYPEOF(x) != REALSXP) Rf_error("`%s` must be a double vector, not %s", name, Rf_type2char(TYPEOF(x)));
  if (Rf_inherits(x, "integer64"))
    Rf_error("`%s` is of class integer64, whose bits are not doubles: convert it with as.double()", name);
  check_length(x, name, length);
  return REAL_RO(x);
}

const int *glue_integers(SEXP x, const char *name, R_xlen_t length)
{
  if (TYPEOF(x) != INTSXP && TYPEOF(x) != LGLSXP)
    Rf_error("`%s` must be an integer or logical vector, not %s", name, Rf_type2char(TYPEOF(x)));
  check_length(x, name, length);
  return TYPEOF(x) == INTSXP ? INTEGER_RO(x) : LOGICAL_RO(x);
}

double glue_number(SEXP x, const char *name)
{
  return glue_reals(x, name, 1)[0];
}

size_t glue_size(SEXP x, const char *name)
{
  double value = NAN;
  if (TYPEOF(x) == INTSXP && XLENGTH(x) == 1 && INTEGER_RO(x)[0] != NA_INTEGER) value = INTEGER_RO(x)[0];
  else if (TYPEOF(x) == REALSXP && XLENGTH(x) == 1 && !Rf_inherits(x, "integer64")) value = REAL_RO(x)[0];
  /* R_XLEN_T_MAX is 2^52: every size below it is exact in a double. */
  if (!(value >= 0 && value <= (double) R_XLEN_T_MAX && value == floor(value)))
    Rf_error("`%s` must be one whole number >= 0", name);
  return (size_t) value;
}

int glue_choice(SEXP x, const char *name, int n)
{
  const int value = glue_integers(x, name, 1)[0];
  if (value == NA_INTEGER || value < 0 || value >= n) Rf_error("`%s` must be an integer from 0 to %d", name, n - 1);
  return value;
}

int glue_flag(SEXP x, const char *name)
{
  if (TYPEOF(x) != LGLSXP || XLENGTH(x) != 1 || LOGICAL_RO(x)[0] == NA_LOGICAL)
    Rf_error("`%s` must be TRUE or FALSE", name);
  return LOGICAL_RO(x)[0];
}

SEXP glue_element(SEXP list, const char *name)
{
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  if (TYPEOF(list) == VECSXP)
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
      if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
  return R_NilValue;
}

static void raise_status(const char *class, const char *kernel, const char *meaning)
{
  SEXP name = PROTECT(Rf_mkString("candor"));
  SEXP namespace = PROTECT(R_FindNamespace(name));
  SEXP of_class = PROTECT(Rf_mkString(class));
  SEXP of_kernel = PROTECT(Rf_mkString(kernel));
  SEXP of_meaning = PROTECT(Rf_mkString(meaning));
  SEXP call = PROTECT(Rf_lang4(Rf_install("abort_status"), of_class, of_kernel, of_meaning));
  Rf_eval(call, namespace);
  UNPROTECT(6);
  Rf_error("%s: %s", kernel, meaning);
}

void glue_check(candor_status status, const char *kernel)
{
  switch (status) {
  case CANDOR_OK: return;
  case CANDOR_AGAIN: Rf_error("%s stopped before it was done", kernel);
  case CANDOR_DOMAIN: raise_status("argument", kernel, "an argument lies outside its range"); break;
  case CANDOR_NOT_FINITE: raise_status("argument", kernel, "an input is NaN or infinite"); break;
  case CANDOR_EMPTY: raise_status("empty", kernel, "the counts add up to zero"); break;
  case CANDOR_NO_INFORMATION: raise_status("no_information", kernel, "the reports do not depend on the truth"); break;
  case CANDOR_IMPOSSIBLE: raise_status("impossible", kernel, "a report was seen that no truth can produce"); break;
  case CANDOR_STALLED: raise_status("precision", kernel, "no further progress above the tolerance"); break;
  case CANDOR_GENERATOR: raise_status("generator", kernel, "the random generator failed"); break;
  }
  Rf_error("%s: unknown status %d", kernel, (int) status);
}
