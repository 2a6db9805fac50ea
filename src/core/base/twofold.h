/* Sums carried in two doubles (Dekker 1971 doi:10.1007/BF01397083, Knuth TAOCP 2, 4.2.2): about 106 bits, so that
 * a sum rounded to one double at the end does not depend on the order in which its parts arrived. */
#ifndef CANDOR_TWOFOLD_H
#define CANDOR_TWOFOLD_H

#include <math.h>

typedef struct candor_twofold {
  double hi;
  double lo;
} candor_twofold;

/* a + b without error, for finite a and b whose sum does not overflow. */
static inline candor_twofold candor_two_sum(double a, double b)
{
  const double hi = a + b;
  const double part = hi - a;
  return (candor_twofold){hi, (a - (hi - part)) + (b - part)};
}

/* a * b without error, for |a|, |b| < 2^995: splitting by 2^27 + 1 would overflow above. */
static inline candor_twofold candor_two_product(double a, double b)
{
  const double ta = 134217729.0 * a, tb = 134217729.0 * b;
  const double ah = ta - (ta - a), bh = tb - (tb - b);
  const double al = a - ah, bl = b - bh;
  const double hi = a * b;
  return (candor_twofold){hi, ((ah * bh - hi) + ah * bl + al * bh) + al * bl};
}

static inline candor_twofold candor_twofold_add(candor_twofold a, candor_twofold b)
{
  const candor_twofold high = candor_two_sum(a.hi, b.hi);
  const candor_twofold low = candor_two_sum(a.lo, b.lo);
  const candor_twofold sum = candor_two_sum(high.hi, high.lo + low.hi);
  return candor_two_sum(sum.hi, sum.lo + low.lo);
}

static inline candor_twofold candor_twofold_scale(candor_twofold a, double b)
{
  const candor_twofold product = candor_two_product(a.hi, b);
  return candor_two_sum(product.hi, product.lo + a.lo * b);
}

#endif
