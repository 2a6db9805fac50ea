/* Shared by the glue of joint counts: the family of sets of a call, and its table. */
#ifndef CANDOR_GLUE_SETS_H
#define CANDOR_GLUE_SETS_H

#include "glue.h"

#include "joint/moments.h"
#include "joint/sets.h"

/* The family of `columns` columns up to `order`; raises an R error where there is none. */
candor_set_list glue_sets(SEXP columns, SEXP order);

/* values: one double a set, the empty set first. more: NULL, or an integer matrix with one column a set of
 * 0-based members padded with -1, with more_values. `sets` must outlive the table. */
candor_table glue_table(const candor_set_list *sets, SEXP values, SEXP more, SEXP more_values);

/* The same of values that are no counts: the empty set's may be 0. */
candor_table glue_values(const candor_set_list *sets, SEXP values, SEXP more, SEXP more_values);

/* An integer matrix of padded 0-based members, one column a set: its rows, and the size of each set. */
const int *glue_members(SEXP x, const char *name, size_t columns, size_t *width, size_t *n);
size_t glue_set_size(const int *set, size_t width);

#endif
