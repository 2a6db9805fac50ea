/* Several answers of one respondent as one cell of the product of the questions. */
#ifndef CANDOR_CELLS_H
#define CANDOR_CELLS_H

#include <stddef.h>

#include "base/status.h"

/* SYNOPSIS       cell[i] += (codes[i] - first) * stride for n respondents: call it once a question, with
 *                cell starting at 0. A missing code makes the cell `missing`, and so it stays.
 * PRECONDITIONS  categories * stride - 1 fits an int; missing is negative.
 * RETURNS        CANDOR_DOMAIN with the 0-based *position of the first code that is neither missing nor
 *                in first .. first + categories - 1. */
candor_status candor_add_question(const int *codes, size_t n, int first, size_t categories, size_t stride, int missing,
                                  size_t *position, int *cell);

#endif
