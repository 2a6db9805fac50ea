#include "joint/sets.h"

#include <math.h>
#include <stdint.h>

static const double largest_total = 4503599627370496.0; /* 2^52: exact in a double and in R's lengths */

double candor_sets_total(size_t columns, size_t order)
{
  double total = 1, binomial = 1;
  for (size_t k = 1; k <= order && k <= columns; k++) {
    binomial = binomial * (double) (columns - k + 1) / (double) k;
    total += binomial;
  }
  return total;
}

size_t candor_sets_work(size_t columns, size_t order)
{
  return (columns + 1) * (order + 2) + order + 2;
}

candor_status candor_sets_init(candor_set_list *sets, size_t columns, size_t order, size_t *work)
{
  if (order < 1 || order > columns || order > CANDOR_SET_MAX || !(candor_sets_total(columns, order) < largest_total))
    return CANDOR_DOMAIN;
  const size_t width = order + 2;
  for (size_t n = 0; n <= columns; n++) {
    size_t *row = work + n * width;
    const size_t *above = n == 0 ? row : row - width;
    row[0] = 1;
    for (size_t k = 1; k < width; k++) {
      /* Column order + 1 is never addressed with a meaning; it may wrap, harmlessly. */
      row[k] = n == 0 ? 0 : above[k - 1] + above[k];
    }
  }
  size_t *start = work + (columns + 1) * width;
  start[0] = 0;
  for (size_t k = 0; k <= order; k++) start[k + 1] = start[k] + work[columns * width + k];
  sets->columns = columns;
  sets->order = order;
  sets->total = start[order + 1];
  sets->binomial = work;
  sets->start = start;
  return CANDOR_OK;
}

size_t candor_sets_position(const candor_set_list *sets, const int *members, size_t size, size_t present)
{
  const size_t width = sets->order + 2;
  size_t count = 0, skipped = 0;
  for (size_t m = size; m-- > 0;) {
    if ((present >> m) & 1) {
      count++;
      skipped += sets->binomial[(sets->columns - 1 - (size_t) members[m]) * width + count];
    }
  }
  return sets->start[count + 1] - 1 - skipped;
}

size_t candor_sets_rank(const candor_set_list *sets, const int *members, size_t size)
{
  return candor_sets_position(sets, members, size, ~(size_t) 0);
}

size_t candor_sets_members(const candor_set_list *sets, size_t position, int *members)
{
  const size_t width = sets->order + 2;
  size_t size = 0;
  while (position >= sets->start[size + 1]) size++;
  size_t rank = position - sets->start[size];
  size_t column = 0;
  for (size_t m = 0; m < size; m++) {
    for (;; column++) {
      const size_t block = sets->binomial[(sets->columns - 1 - column) * width + size - m - 1];
      if (rank < block) break;
      rank -= block;
    }
    members[m] = (int) column++;
  }
  return size;
}

int candor_sets_next(size_t columns, int *members, size_t size)
{
  for (size_t m = size; m-- > 0;) {
    if ((size_t) members[m] < columns - (size - m)) {
      members[m]++;
      for (size_t l = m + 1; l < size; l++) members[l] = members[l - 1] + 1;
      return 1;
    }
  }
  return 0;
}

candor_status candor_sets_axis(const candor_set_list *sets, size_t j, double w0, double w1, double *x)
{
  if (j >= sets->columns) return CANDOR_DOMAIN;
  if (!isfinite(w0) || !isfinite(w1)) return CANDOR_NOT_FINITE;
  /* `others` runs over the sets of the remaining columns, renumbered without j; `with` puts j back. */
  int others[CANDOR_SET_MAX], with[CANDOR_SET_MAX + 1];
  for (size_t size = 0; size < sets->order && size < sets->columns; size++) {
    for (size_t m = 0; m < size; m++) others[m] = (int) m;
    do {
      size_t at = 0;
      while (at < size && (size_t) others[at] < j) {
        with[at] = others[at];
        at++;
      }
      with[at] = (int) j;
      for (size_t m = at; m < size; m++) with[m + 1] = others[m] + 1;
      const size_t all = ((size_t) 1 << (size + 1)) - 1;
      const size_t here = candor_sets_position(sets, with, size + 1, all);
      const size_t without = candor_sets_position(sets, with, size + 1, all & ~((size_t) 1 << at));
      x[here] = w0 * x[without] + w1 * x[here];
    } while (candor_sets_next(sets->columns - 1, others, size));
  }
  return CANDOR_OK;
}

/* A walk in depth meets the sets of each size in lexicographic order, so one running position a size
 * replaces the address calculation. `mask` holds the members; the stack is the mask itself. */
typedef struct walk {
  size_t position[CANDOR_SET_MAX + 2];
  int member[CANDOR_SET_MAX + 1];
  size_t size;
  size_t mask;
  size_t bit[32]; /* the bit of each column in the mask */
} walk;

static void walk_start(const candor_set_list *sets, int reversed, walk *w)
{
  for (size_t j = 0; j < sets->columns; j++) w->bit[j] = (size_t) 1 << (reversed ? sets->columns - 1 - j : j);
  for (size_t k = 0; k <= sets->order; k++) w->position[k] = sets->start[k];
  w->size = 0;
  w->mask = 0;
}

/* Visits the next non-empty set; 0 at the end. */
static int walk_next(const candor_set_list *sets, walk *w)
{
  int column = w->size > 0 ? w->member[w->size - 1] + 1 : 0;
  if (w->size == sets->order || (size_t) column == sets->columns) {
    /* No deeper: advance the last member, dropping those that have run out. */
    for (;;) {
      if (w->size == 0) return 0;
      w->size--;
      column = w->member[w->size];
      w->mask &= ~w->bit[column];
      column++;
      if ((size_t) column < sets->columns) break;
    }
  }
  w->member[w->size] = column;
  w->mask |= w->bit[column];
  w->size++;
  return 1;
}

static candor_status gather(const candor_set_list *sets, int reversed, const double *by_mask, double *by_set)
{
  if (sets->columns > 30) return CANDOR_DOMAIN;
  walk w;
  walk_start(sets, reversed, &w);
  by_set[0] = by_mask[0];
  while (walk_next(sets, &w)) by_set[w.position[w.size]++] = by_mask[w.mask];
  return CANDOR_OK;
}

candor_status candor_sets_from_masks(const candor_set_list *sets, const double *by_mask, double *by_set)
{
  return gather(sets, 0, by_mask, by_set);
}

candor_status candor_sets_from_patterns(const candor_set_list *sets, const double *by_pattern, double *by_set)
{
  return gather(sets, 1, by_pattern, by_set);
}

candor_status candor_sets_to_masks(const candor_set_list *sets, const double *by_set, double *by_mask)
{
  if (sets->columns > 30 || sets->order != sets->columns) return CANDOR_DOMAIN;
  walk w;
  walk_start(sets, 0, &w);
  by_mask[0] = by_set[0];
  while (walk_next(sets, &w)) by_mask[w.mask] = by_set[w.position[w.size]++];
  return CANDOR_OK;
}
