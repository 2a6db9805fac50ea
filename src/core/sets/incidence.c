#include "sets/incidence.h"

#include <math.h>

/* Below this a flip's odds overflow a double, and every entry off the diagonal is no more than n times it. */
#define LEAST_FLIP 1e-290

static candor_status channel_status(double flip)
{
  if (isnan(flip)) return CANDOR_NOT_FINITE;
  return flip >= 0 && flip <= 1 ? CANDOR_OK : CANDOR_DOMAIN;
}

/* Where the recurrence's middle coefficient changes sign: t (1-q)^2 + (n - t) q^2 over q^2 + (1-q)^2. */
static double turning_point(size_t n, size_t t, double keep, double flip)
{
  const double k = keep * keep, f = flip * flip;
  return ((double) t * k + (double) (n - t) * f) / (k + f);
}

/* x^n as value * 2^exponent: squaring loses n roundings, exp(n log x) would lose n |log x| of them. */
static double power(double x, size_t n, double *exponent)
{
  double value = 1, square = x, square_exponent = 0;
  int shift;
  *exponent = 0;
  for (; n > 0; n >>= 1) {
    square = frexp(square, &shift);
    square_exponent += shift;
    if (n & 1) {
      value = frexp(value * square, &shift);
      *exponent += square_exponent + shift;
    }
    square *= square;
    square_exponent *= 2;
  }
  return value;
}

/* Ascending part of row t: entries 0 .. last, written with stride `step` from `row`. The values are kept as
 * value * 2^exponent, since the first one may be far below the least double. */
static void ascend(size_t n, size_t t, double keep, double flip, size_t last, double *row, ptrdiff_t step)
{
  double taken, more, before = 0, now = power(flip, t, &taken);
  now *= power(keep, n - t, &more);
  taken += more;
  const double w = keep * flip, k = keep * keep, f = flip * flip;
  const double middle = (double) t * k + (double) (n - t) * f;
  for (size_t s = 0;; s++) {
    row[(ptrdiff_t) s * step] = taken < -1100 ? 0 : ldexp(now, (int) taken);
    if (s == last) return;
    const double next = ((middle - (k + f) * (double) s) / w * now + (double) (n - s + 1) * before) / (double) (s + 1);
    int shift;
    before = now;
    now = frexp(next, &shift);
    before = ldexp(before, -shift);
    taken += shift;
  }
}

candor_status candor_incidence_channel(size_t n, double flip, double *channel)
{
  const size_t k = n + 1;
  const candor_status status = channel_status(flip);
  if (status != CANDOR_OK) return status;
  if (n == 0) return CANDOR_EMPTY;
  if (flip < LEAST_FLIP || 1 - flip < LEAST_FLIP) {
    for (size_t i = 0; i < k * k; i++) channel[i] = 0;
    for (size_t t = 0; t < k; t++) channel[t + (flip < 0.5 ? t : n - t) * k] = 1;
    return CANDOR_OK;
  }
  for (size_t t = 0; t < k; t++) {
    /* From above, reported ones and zeros change places: s -> n - s, t -> n - t is the same channel. */
    const double turn = turning_point(n, t, 1 - flip, flip);
    const size_t below = (size_t) floor(turn);
    ascend(n, t, 1 - flip, flip, below < n ? below : n, channel + t, (ptrdiff_t) k);
    if (below < n) ascend(n, n - t, 1 - flip, flip, n - below - 1, channel + t + n * k, -(ptrdiff_t) k);
  }
  return CANDOR_OK;
}

candor_status candor_incidence_inverse(size_t n, double flip, double *inverse)
{
  const size_t k = n + 1;
  if (flip == 0.5) return CANDOR_NO_INFORMATION;
  const candor_status status = candor_incidence_channel(n, flip, inverse);
  if (status != CANDOR_OK) return status;
  const double log_size = -(double) n * log(fabs(1 - 2 * flip));
  if (log_size > 700) return CANDOR_DOMAIN;
  const double size = exp(log_size), d_sign = flip > 0.5 && n % 2 != 0 ? -1 : 1;
  for (size_t t = 0; t < k; t++)
    for (size_t s = 0; s < k; s++) inverse[t + s * k] *= (s + t) % 2 != 0 ? -size * d_sign : size * d_sign;
  return CANDOR_OK;
}

candor_status candor_incidence_mixture(size_t n, const double *flips, double *work, double *channel)
{
  const size_t k = n + 1;
  double *now = work, *next = work + k * k;
  if (n == 0) return CANDOR_EMPTY;
  for (size_t i = 0; i < 2 * k * k; i++) work[i] = 0;
  now[0] = 1;
  /* now[t + s k]: mean over the choices of t among the first j sets; the last one chosen has weight t / j. */
  for (size_t j = 1; j <= n; j++) {
    const double q = flips[j - 1];
    const candor_status status = channel_status(q);
    if (status != CANDOR_OK) return status;
    for (size_t s = 0; s <= j; s++) {
      for (size_t t = 0; t <= j; t++) {
        const double in = (double) t / (double) j;
        double p = 0;
        if (t > 0) p += in * (q * now[t - 1 + s * k] + (s > 0 ? (1 - q) * now[t - 1 + (s - 1) * k] : 0));
        if (t < j) p += (1 - in) * ((1 - q) * now[t + s * k] + (s > 0 ? q * now[t + (s - 1) * k] : 0));
        next[t + s * k] = p;
      }
    }
    double *const swap = now;
    now = next;
    next = swap;
  }
  for (size_t i = 0; i < k * k; i++) channel[i] = now[i];
  return CANDOR_OK;
}

candor_status candor_incidence_element(const int *bits, size_t bit_stride, const double *flips, size_t flip_stride,
                                       size_t n, double *exactly)
{
  exactly[0] = 1;
  for (size_t j = 0; j < n; j++) {
    const double q = flips[j * flip_stride], x = bits[j * bit_stride];
    if (!(q >= 0 && q <= 1)) return isnan(q) ? CANDOR_NOT_FINITE : CANDOR_DOMAIN;
    if (q == 0.5) return CANDOR_NO_INFORMATION;
    if (x != 0 && x != 1) return CANDOR_DOMAIN;
    const double in = (x - q) / (1 - 2 * q), out = (1 - x - q) / (1 - 2 * q);
    exactly[j + 1] = in * exactly[j];
    for (size_t t = j; t > 0; t--) exactly[t] = out * exactly[t] + in * exactly[t - 1];
    exactly[0] *= out;
  }
  return CANDOR_OK;
}

candor_status candor_incidence_total(const int *bits, size_t m, size_t n, const double *flips, int flip_per_bit,
                                     size_t from, size_t to, double *work, double *total, double *cross)
{
  const size_t k = n + 1;
  for (size_t i = from; i < to; i++) {
    const double *const flip = flip_per_bit ? flips + i : flips;
    const candor_status status = candor_incidence_element(bits + i, m, flip, flip_per_bit ? m : 1, n, work);
    if (status != CANDOR_OK) return status;
    for (size_t u = 0; u < k; u++) {
      total[u] += work[u];
      for (size_t t = u; t < k; t++) cross[t + u * k] += work[t] * work[u];
    }
  }
  if (to == m) {
    for (size_t u = 0; u < k; u++)
      for (size_t t = 0; t < u; t++) cross[t + u * k] = cross[u + t * k];
  }
  return CANDOR_OK;
}
