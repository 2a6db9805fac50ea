/* A finite field as R has it: list(prime, power, logarithm), each of whose numbers is looked at. */
#ifndef CANDOR_GLUE_FIELD_H
#define CANDOR_GLUE_FIELD_H

#include "base/field.h"
#include "glue.h"

candor_field glue_field(SEXP field);

#endif
