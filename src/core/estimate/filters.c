#include "estimate/filters.h"

#include <string.h>

size_t candor_filter_members(const candor_filters *filters)
{
  return 2 * filters->bits + 1 + filters->hashes * filters->categories;
}

/* Where the members of each bit start, for one cohort; 0 if a place is out of range. */
static int start_members(const candor_filters *f, const int *places, int *start)
{
  memset(start, 0, (f->bits + 1) * sizeof *start);
  for (size_t i = 0; i < f->hashes * f->categories; i++) {
    if (places[i] < 1 || (size_t) places[i] > f->bits) return 0;
    start[places[i]]++;
  }
  for (size_t b = 0; b < f->bits; b++) start[b + 1] += start[b];
  return 1;
}

/* Is place s of a category the first of its places at that bit? Hashes of other libraries may meet. */
static int is_new(const int *places, size_t s)
{
  for (size_t before = 0; before < s; before++)
    if (places[before] == places[s]) return 0;
  return 1;
}

static void add_to(const int *member, int n, double weight, double *column)
{
  for (int i = 0; i < n; i++) column[member[i]] += weight;
}

/* The lower triangle from the upper one, in tiles: whole columns of a large matrix would be read from far apart. */
static void mirror(size_t k, double *x)
{
  enum { TILE = 32 };
  for (size_t first = 0; first < k; first += TILE)
    for (size_t u = first; u < k; u++)
      for (size_t v = first; v < u && v < first + TILE; v++) x[u + k * v] = x[v + k * u];
}

candor_status candor_filter_squares(const candor_filters *f, const double *inner, int dense, int *members, double *row,
                                    double *out)
{
  const size_t k = f->categories, bits = f->bits, hashes = f->hashes;
  int *start = members, *held = members + bits + 1, *member = held + bits;
  memset(out, 0, k * k * sizeof *out);
  for (size_t j = 0; j < f->cohorts; j++) {
    const int *places = f->places + hashes * k * j;
    const double *own = inner + (dense ? bits : 1) * bits * j;
    if (!start_members(f, places, start)) return CANDOR_DOMAIN;
    memset(held, 0, bits * sizeof *held);
    /* Categories join the members of their bits in turn, so that each meets those before it, and itself. */
    for (size_t v = 0; v < k; v++, places += hashes) {
      for (size_t s = 0; s < hashes; s++) {
        if (!is_new(places, s)) continue;
        const int b = places[s] - 1;
        member[start[b] + held[b]++] = (int) v;
      }
      double *column = out + k * v;
      if (!dense) {
        for (size_t s = 0; s < hashes; s++) {
          if (!is_new(places, s)) continue;
          const int b = places[s] - 1;
          add_to(member + start[b], held[b], own[b], column);
        }
        continue;
      }
      memset(row, 0, bits * sizeof *row);
      for (size_t s = 0; s < hashes; s++) {
        if (!is_new(places, s)) continue;
        const double *line = own + bits * (size_t) (places[s] - 1);
        for (size_t b = 0; b < bits; b++) row[b] += line[b];
      }
      for (size_t b = 0; b < bits; b++) add_to(member + start[b], held[b], row[b], column);
    }
  }
  mirror(k, out);
  return CANDOR_OK;
}
