/* The prototypes of all routines of routines.h, which every glue file includes so that the compiler holds its
 * definitions to them. */
#ifndef CANDOR_API_H
#define CANDOR_API_H

#include <Rinternals.h>

#define ROUTINE(name, ...) SEXP name##_call(__VA_ARGS__);
#include "routines.h"
#undef ROUTINE

#endif
