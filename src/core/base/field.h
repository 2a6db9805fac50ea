/* A finite field of prime power order s, and the points of a projective space over it.
 *
 * An element is a number 0 .. s - 1 whose digits to the base p are the coefficients of a polynomial, lowest first. The
 * caller gives the powers of a generator: power[i] for i in 0 .. s - 2, and their logarithms, logarithm[power[i]] = i.
 *
 * A point of t coordinates has a first coordinate other than 0 that is 1. Points are numbered from 0: those whose first
 * coordinate is 1 come first, then those whose second is the first other than 0, and so on; the coordinates that follow
 * are digits to the base s, the highest first. So point (u, a) has the number s times that of u, plus a. */
#ifndef CANDOR_FIELD_H
#define CANDOR_FIELD_H

#include <stdint.h>

#define CANDOR_COORDINATES 32 /* more than any space of less than 2^31 points has */

typedef struct candor_field {
  uint32_t order, prime;
  const uint32_t *power, *logarithm; /* order - 1 and order of them; logarithm[0] is not looked at */
} candor_field;

static inline uint32_t candor_field_sum(const candor_field *field, uint32_t a, uint32_t b)
{
  if (field->prime == field->order) return (uint32_t) (((uint64_t) a + b) % field->order);
  if (field->prime == 2) return a ^ b;
  uint32_t sum = 0;
  for (uint32_t place = 1; a > 0 || b > 0; place *= field->prime, a /= field->prime, b /= field->prime)
    sum += (a % field->prime + b % field->prime) % field->prime * place;
  return sum;
}

static inline uint32_t candor_field_product(const candor_field *field, uint32_t a, uint32_t b)
{
  if (a == 0 || b == 0) return 0;
  const uint64_t log = (uint64_t) field->logarithm[a] + field->logarithm[b];
  return field->power[log % (field->order - 1)];
}

/* -a / b, for b other than 0. */
static inline uint32_t candor_field_minus_ratio(const candor_field *field, uint32_t a, uint32_t b)
{
  if (a == 0) return 0;
  /* -1 is 1 where p = 2, else the power (s - 1) / 2. */
  const uint64_t n = field->order - 1, minus = field->prime == 2 ? 0 : n / 2;
  return field->power[(field->logarithm[a] + (n - field->logarithm[b]) + minus) % n];
}

/* SYNOPSIS: how many points a space of t coordinates has, UINT32_MAX if that is 2^31 or more. PRECONDITIONS: s >= 2. */
static inline uint32_t candor_field_points(uint32_t order, uint32_t t)
{
  uint64_t points = 0;
  for (uint32_t j = 0; j < t; j++) {
    points = points * order + 1;
    if (points > INT32_MAX) return UINT32_MAX;
  }
  return (uint32_t) points;
}

/* SYNOPSIS: the t coordinates of a point, and back. */
static inline void candor_field_coordinates(const candor_field *field, uint32_t t, uint32_t point, uint32_t *x)
{
  uint32_t last = t;
  /* Digits from the end, until what is left is the last point of so many coordinates: (0, 1). */
  while (last > 1) {
    const uint32_t fewer = candor_field_points(field->order, last - 1);
    last--;
    if (point == fewer * field->order) {
      x[last] = 1;
      while (last > 0) x[--last] = 0;
      return;
    }
    x[last] = point % field->order;
    point /= field->order;
  }
  x[0] = 1;
}

static inline uint32_t candor_field_point(const candor_field *field, uint32_t t, const uint32_t *x)
{
  uint32_t first = 0;
  while (x[first] == 0) first++;
  /* The last point of first + 1 coordinates. */
  uint32_t point = candor_field_points(field->order, first) * field->order;
  for (uint32_t j = first + 1; j < t; j++) point = point * field->order + x[j];
  return point;
}

/* SYNOPSIS: a point whose product with point x is 0: the one that point `number` of t - 1 coordinates becomes. It gets
 *   one coordinate more, at the last place where x is not 0, which the product decides: each is made once. */
static inline uint32_t candor_field_hyperplane_point(const candor_field *field, uint32_t t, uint32_t x, uint32_t number)
{
  uint32_t at[CANDOR_COORDINATES], u[CANDOR_COORDINATES], last = t - 1, product = 0;
  candor_field_coordinates(field, t, x, at);
  candor_field_coordinates(field, t - 1, number, u);
  while (at[last] == 0) last--;
  for (uint32_t j = t - 1; j > last; j--) u[j] = u[j - 1];
  for (uint32_t j = 0; j < last; j++)
    product = candor_field_sum(field, product, candor_field_product(field, u[j], at[j]));
  u[last] = candor_field_minus_ratio(field, product, at[last]);
  return candor_field_point(field, t, u);
}

#endif
