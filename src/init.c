/* Registration of what routines.h lists. Arity is real, so that R itself rejects a call with the wrong number of
 * arguments. */
#include "api.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

/* The number of its arguments, 1 to 12. */
#define COUNT(...) TWELFTH(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TWELFTH(a, b, c, d, e, f, g, h, i, j, k, l, count, ...) count

#define ROUTINE(name, ...) {#name, (DL_FUNC) &name##_call, COUNT(__VA_ARGS__)},
static const R_CallMethodDef routines[] = {
#include "routines.h"
    {NULL, NULL, 0}};
#undef ROUTINE

void attribute_visible R_init_candor(DllInfo *dll)
{
  R_registerRoutines(dll, NULL, routines, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
