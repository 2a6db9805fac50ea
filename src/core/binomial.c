#include "binomial.h"

#include <math.h>

#include "binomial_proposal.h"
#include "wide.h"

enum { PROPOSALS = 1 << 20, LANES = 8 };

/* ---- few successes ---- */

/* Sequential search from zero, for n p below about 4. */
static candor_status binomial_inversion(candor_draw *draw, double n, double p, double *value)
{
  const double odds = p / (1.0 - p);
  const double none = exp(n * log1p(-p));
  for (int proposal = 0; proposal < PROPOSALS && draw->status == CANDOR_OK; proposal++) {
    double u = candor_draw_uniform(draw);
    double f = none;
    /* Beyond 120 lies less than 1e-60: what gets there is the rounding of the sum. */
    for (double k = 0; k <= n && k < 120; k++) {
      if (u <= f) {
        *value = k;
        return CANDOR_OK;
      }
      u -= f;
      f *= odds * (n - k) / (k + 1.0);
    }
  }
  return CANDOR_GENERATOR;
}

/* ---- the exact probability ---- */

/* log(n!) minus Stirling's approximation. */
static double stirling_error(double n)
{
  static const double small[16] = {
    0, 0.081061466795327258, 0.041340695955409294, 0.027677925684998339,
    0.020790672103765093, 0.016644691189821192, 0.013876128823070747, 0.011896709945891769,
    0.010411265261972097, 0.0092554621827127335, 0.0083305634333628714, 0.0075736754879518412,
    0.0069428401072095288, 0.0064089941880042077, 0.005951370112758849, 0.0055547335519627999
  };
  if (n < 16) return small[(int) n];
  const double inverse = 1.0 / n, r = inverse * inverse;
  return (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188))))) * inverse;
}

/* x log(x / mean) + mean - x >= 0 without cancellation, and log(x / mean): with v = (x - mean) / (x + mean) and
 * o = v^2 / 3 + v^4 / 5 + ... they are v (x - mean + 2 x o) and 2 v (1 + o). */
static inline double deviance(double x, double mean, double *logarithm)
{
  const double difference = x - mean, v = difference / (x + mean), w = v * v;
  if (w > 0.01) {
    *logarithm = log(x / mean);
    return x * *logarithm - difference;
  }
  const double o = w * (1.0 / 3 + w * (1.0 / 5 + w * (1.0 / 7 + w * (1.0 / 9 + w * (1.0 / 11 + w * (1.0 / 13 +
                   w * (1.0 / 15 + w * (1.0 / 17))))))));
  *logarithm = 2.0 * v * (1.0 + o);
  return v * (difference + 2.0 * x * o);
}

/* Logarithm of the binomial probability of k times s sqrt(2 pi). */
static double log_probability(double n, double p, double k)
{
  const double mean = n * p, rest = n * (1.0 - p);
  if (k <= 0 || k >= n) {
    if (k < 0 || k > n) return -INFINITY;
    return (k == 0 ? n * log1p(-p) : n * log(p)) + 0.5 * log(mean * (1.0 - p)) + 0.91893853320467274178;
  }
  double log_k, log_rest;
  const double deviances = deviance(k, mean, &log_k) + deviance(n - k, rest, &log_rest);
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviances - 0.5 * (log_k + log_rest);
}

/* ---- proposals ---- */

/* A binomial of p <= 1/2 and of a variance from LEAST_VARIANCE on; skew: 1 - 2 p. */
typedef struct target {
  double n, p, mean, variance, deviation, skew;
} target;

static inline target target_of(double n, double p)
{
  const double mean = n * p, variance = mean * (1.0 - p);
  const target t = {n, p, mean, variance, sqrt(variance), 1.0 - 2.0 * p};
  return t;
}

/* What a proposal is made from: a layer and 23 bits of a height, (0, 1] in steps of 2^-23, from the word that goes
 * before the two that make the place in the layer. */
static inline size_t layer_of(uint32_t word)
{
  return word >> 23;
}

static inline double height_of(uint32_t word)
{
  return (double) ((int32_t) (word & 0x7fffff) + 1) * 0x1p-23;
}

/* The z that bend() takes to `distance`, on the branch that rises. */
static double unbend(const target *t, double distance)
{
  const double lift = distance + t->skew / 6.0, root = t->variance + t->skew / 1.5 * lift;
  return root <= 0.0 ? -3.0 * t->deviation / t->skew : 2.0 * lift / (t->deviation + sqrt(root));
}

/* Logarithm of the probability of proposing k, times s sqrt(2 pi). */
static double log_proposal(const target *t, double k)
{
  const double low = unbend(t, k - t->mean - 0.5), high = unbend(t, k - t->mean + 0.5);
  const double root_half = 0.70710678118654752440, middle = 0.5 * (low + high);
  if (!(low < high)) return -INFINITY;
  if (t->deviation < 100.0) {
    const double twice = low > 0.0 ? erfc(low * root_half) - erfc(high * root_half)
                       : high < 0.0 ? erfc(-high * root_half) - erfc(-low * root_half)
                                    : erf(high * root_half) - erf(low * root_half);
    return log(t->deviation * twice) + 0.22579135264472743236;
  }
  /* The difference would lose digits. The width, from what bend() adds, and the series about the middle do not. */
  const double width = 1.0 / (t->deviation + t->skew / 3.0 * middle), w = width * width, m = middle * middle;
  return log(t->deviation * width) - 0.5 * m + log1p(w * ((m - 1.0) / 24.0 + w * (m * m - 6.0 * m + 3.0) / 1920.0));
}

/* Whether z, outside the inner part of its layer, is a normal number all the same; in the lowest layer the tail gives
 * another. */
static int is_normal(candor_draw *draw, size_t layer, double *z)
{
  const double v = candor_draw_uniform(draw), outer = edge[layer], inner = edge[layer + 1];
  if (layer == 0) {
    const double beyond = -log(candor_draw_uniform(draw)) / TAIL_RATE, far = inner + beyond;
    *z = copysign(far, *z);
    return log(v) <= TAIL_RATE * beyond - 0.5 * beyond * (far + inner);
  }
  const double rise = 0.5 * (outer - inner) * (outer + inner), chord = (outer - fabs(*z)) / (outer - inner);
  if (fabs(v - chord) > chord_error(inner, outer)) return v < chord;
  return v * expm1(rise) <= expm1(0.5 * (outer * outer - *z * *z));
}

/* Whether the proposal from a normal z is accepted: if so, *value is it. */
static int is_accepted(candor_draw *draw, const target *t, double z, double height, double *value)
{
  if (t->skew * z <= -3.0 * t->deviation) return 0;
  const double place = t->mean + 0.5 + bend(z, t->deviation, t->skew);
  if (!(place >= 0.0 && place < t->n + 1.0)) return 0;
  *value = (double) (int64_t) place;
  if (fabs(z) <= edge[1] && height * t->variance <= t->variance - doubt(z)) return 1;
  const double ratio = log_probability(t->n, t->p, *value) - log_proposal(t, *value) - HIGHER / t->variance;
  return log(height - 0x1p-23 * candor_draw_uniform(draw)) <= ratio;
}

static candor_status binomial_rejection(candor_draw *draw, const target *t, double *value)
{
  for (int proposal = 0; proposal < PROPOSALS && draw->status == CANDOR_OK; proposal++) {
    const uint32_t word = candor_draw_word(draw);
    const size_t layer = layer_of(word);
    double z = signed_uniform(candor_draw_long(draw)) * edge[layer];
    if (fabs(z) >= edge[layer + 1] && !is_normal(draw, layer, &z)) continue;
    if (is_accepted(draw, t, z, height_of(word), value)) return CANDOR_OK;
  }
  return CANDOR_GENERATOR;
}

/* p <= 1/2 */
static candor_status draw_lighter(candor_draw *draw, double n, double p, double *value)
{
  const target t = target_of(n, p);
  return t.variance < LEAST_VARIANCE ? binomial_inversion(draw, n, p, value)
                                     : binomial_rejection(draw, &t, value);
}

candor_status candor_draw_binomial(candor_draw *draw, double n, double p, double *value)
{
  if (!(n >= 0 && n <= 9007199254740992.0 && n == floor(n) && p >= 0 && p <= 1)) return CANDOR_DOMAIN;
  if (n == 0 || p == 0 || p == 1) {
    *value = p == 1 ? n : 0.0;
    return CANDOR_OK;
  }
  const int swap = p > 0.5;
  const double rare = swap ? 1.0 - p : p;
  const candor_status status = draw_lighter(draw, n, rare, value);
  if (status == CANDOR_OK && swap) {
    *value = n - *value;
  }
  return status;
}

void candor_tree_plan(candor_tree *tree, size_t cells, double *sums)
{
  tree->cells = cells;
  for (size_t j = cells; j-- > 1;) {
    const double first = sums[2 * j], second = sums[2 * j + 1];
    sums[j] = first + second;
    tree->first[j] = sums[j] > 0.0 ? first / sums[j] : 0.0;
    tree->second[j] = sums[j] > 0.0 ? second / sums[j] : 0.0;
  }
}

/* The children of a node whose lighter one, the first if p < q, gets `value`. */
static void give(double n, double p, double q, double value, double *children)
{
  children[0] = p < q ? value : n - value;
  children[1] = p < q ? n - value : value;
}

/* Divides the count of a node among its children. */
static candor_status divide(const candor_tree *tree, candor_draw *draw, size_t j, double *counts)
{
  const double n = counts[j], p = tree->first[j], q = tree->second[j];
  double value = 0.0;
  if (n > 0.0 && p > 0.0 && q > 0.0) {
    const candor_status status = draw_lighter(draw, n, p < q ? p : q, &value);
    if (status != CANDOR_OK) return status;
  }
  give(n, p, q, value, counts + 2 * j);
  return CANDOR_OK;
}

/* The square root, in operations that make vectors: a call to sqrt() is one that may set errno. Newton's steps for its
 * inverse from a first guess that halves the exponent, wrong by 3.5 %, and Heron's for itself leave it within a unit in
 * the last place. */
static inline double root_of(double x)
{
  uint64_t bits;
  double inverse;
  memcpy(&bits, &x, sizeof bits);
  bits = 0x5fe6eb50c7b537a9u - (bits >> 1);
  memcpy(&inverse, &bits, sizeof inverse);
  const double half = 0.5 * x;
  inverse *= 1.5 - half * inverse * inverse;
  inverse *= 1.5 - half * inverse * inverse;
  inverse *= 1.5 - half * inverse * inverse;
  const double root = x * inverse;
  return root + (x - root * root) * (0.5 * inverse);
}

/* Numbers below 2^51 become whole when this is added, since from 2^52 to 2^53 no double has a fraction. But large ones
 * have few binary digits after the point to begin with: 2^48 has four, so that a tie, which goes to the even number, is
 * every 16th, and what the lighter of two children gets is off by as much. So counts above LARGEST_ROUNDED are left to
 * is_accepted(), which makes the lighter child of the same z and cuts digits off. */
static const double TO_WHOLE = 0x1.8p52, LARGEST_ROUNDED = 0x1p32;

/* Divides the counts of LANES nodes that stand side by side, by the first look at one proposal each. It is not the last
 * where `inside` is negative, since z is beyond the inner part of its layer, or where `room` is, since the number may
 * be refused; returns the least of these. The loops are such that a compiler at -O2 makes vectors of them. */
static CANDOR_WIDE double divide_many(const double *restrict first, const double *restrict second,
                                      const double *restrict counts, const uint32_t *restrict words,
                                      double *restrict children, double *restrict z, double *restrict inside,
                                      double *restrict room)
{
  double outer[LANES], mean[LANES], variance[LANES], deviation[LANES], least[LANES], value[LANES];
  for (size_t l = 0; l < LANES; l++) {
    outer[l] = edge[layer_of(words[l])];
    inside[l] = edge[layer_of(words[l]) + 1];
  }
  for (size_t l = 0; l < LANES; l++) {
    z[l] = signed_uniform((uint64_t) words[LANES + l] << 32 | words[2 * LANES + l]) * outer[l];
    mean[l] = counts[l] * first[l];
    variance[l] = mean[l] * second[l];
  }
  for (size_t l = 0; l < LANES; l++) deviation[l] = root_of(variance[l]);
  for (size_t l = 0; l < LANES; l++) {
    value[l] = mean[l] + bend(z[l], deviation[l], second[l] - first[l]);
    room[l] = variance[l] - doubt(z[l]) - height_of(words[l]) * variance[l];
    inside[l] -= fabs(z[l]);
    least[l] = variance[l] - LEAST_VARIANCE;
  }
  /* To whole numbers, by way of memory, where no register has more digits than a double. */
  for (size_t l = 0; l < LANES; l++) value[l] += TO_WHOLE;
  for (size_t l = 0; l < LANES; l++) value[l] -= TO_WHOLE;
  for (size_t l = 0; l < LANES; l++) room[l] = room[l] < least[l] ? room[l] : least[l];
  for (size_t l = 0; l < LANES; l++) room[l] = room[l] < value[l] ? room[l] : value[l];
  for (size_t l = 0; l < LANES; l++) least[l] = LARGEST_ROUNDED - counts[l];
  for (size_t l = 0; l < LANES; l++) room[l] = room[l] < least[l] ? room[l] : least[l];
  for (size_t l = 0; l < LANES; l++) outer[l] = counts[l] - value[l];
  for (size_t l = 0; l < LANES; l++) room[l] = room[l] < outer[l] ? room[l] : outer[l];
  for (size_t l = 0; l < LANES; l++) {
    children[2 * l] = value[l];
    children[2 * l + 1] = outer[l];
  }
  for (size_t l = 0; l < LANES; l++) least[l] = room[l] < inside[l] ? room[l] : inside[l];
  for (size_t l = 0; l < LANES / 2; l++) least[l] = least[l] < least[l + LANES / 2] ? least[l] : least[l + LANES / 2];
  for (size_t l = 1; l < LANES / 2; l++) least[0] = least[0] < least[l] ? least[0] : least[l];
  return least[0];
}

/* The second look at the proposal of a node, which then makes others if that is refused. */
static candor_status look_again(const candor_tree *tree, candor_draw *draw, size_t j, uint32_t word, double z,
                                double inside, double room, double *counts)
{
  const size_t layer = layer_of(word);
  if (inside < 0.0 && !is_normal(draw, layer, &z)) return divide(tree, draw, j, counts);
  if (room >= 0.0 && layer > 0) return CANDOR_OK;
  const double n = counts[j], p = tree->first[j], q = tree->second[j];
  const target t = target_of(n, p < q ? p : q);
  double value;
  if (t.variance < LEAST_VARIANCE || !is_accepted(draw, &t, p < q ? z : -z, height_of(word), &value)) {
    return divide(tree, draw, j, counts);
  }
  give(n, p, q, value, counts + 2 * j);
  return CANDOR_OK;
}

candor_status candor_tree_draw(const candor_tree *tree, candor_draw *draw, double *counts)
{
  const size_t one_by_one = LANES < tree->cells ? LANES : tree->cells;
  size_t j = 1;
  candor_status status = CANDOR_OK;
  for (; j < one_by_one && status == CANDOR_OK; j++) status = divide(tree, draw, j, counts);
  /* From here on the children of LANES nodes lie behind them. */
  double z[LANES] = {0.0}, inside[LANES] = {0.0}, room[LANES] = {0.0};
  for (; j + LANES <= tree->cells && status == CANDOR_OK; j += LANES) {
    const uint32_t *words = candor_draw_words(draw, 3 * LANES);
    if (divide_many(tree->first + j, tree->second + j, counts + j, words, counts + 2 * j, z, inside, room) >= 0.0) {
      continue;
    }
    uint32_t word[LANES];
    memcpy(word, words, sizeof word);
    for (size_t l = 0; l < LANES && status == CANDOR_OK; l++) {
      if (inside[l] >= 0.0 && room[l] >= 0.0) continue;
      status = look_again(tree, draw, j + l, word[l], z[l], inside[l], room[l], counts);
    }
  }
  for (; j < tree->cells && status == CANDOR_OK; j++) status = divide(tree, draw, j, counts);
  return status == CANDOR_OK ? draw->status : status;
}
