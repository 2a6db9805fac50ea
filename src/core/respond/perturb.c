/* Plans of randomization, their alias tables, and the draws themselves. See perturb.h. */
#include "respond/perturb.h"

#include <limits.h>
#include <math.h>

/* ---- plans ----------------------------------------------------------------------------------------- */

static int is_probability(double x)
{
  return x >= 0 && x <= 1;
}

static candor_status check_sizes(size_t truths, size_t reports)
{
  const size_t most = 2147483647u;
  return truths >= 1 && reports >= 1 && truths <= most && reports <= most ? CANDOR_OK : CANDOR_DOMAIN;
}

static void begin_plan(candor_perturb_plan *plan, candor_perturb_kind kind, size_t truths, size_t reports)
{
  plan->kind = kind;
  plan->truths = (uint32_t) truths;
  plan->reports = (uint32_t) reports;
  plan->first = 1;
  plan->chance = plan->yes[0] = plan->yes[1] = candor_grid_zero;
  plan->bits = 0;
  plan->cells = NULL;
}

candor_status candor_plan_grr(size_t levels, double p, double q, double d, candor_perturb_plan *plan)
{
  if (isnan(p) || isnan(q) || isnan(d)) return CANDOR_NOT_FINITE;
  if (levels < 2 || check_sizes(levels, levels) != CANDOR_OK || !is_probability(p) || !is_probability(q) ||
      !(fabs(d) <= 1) || (d > 0 && p < q) || (d < 0 && p > q))
    return CANDOR_DOMAIN;
  const double k = (double) levels;
  begin_plan(plan, CANDOR_PERTURB_ALL, levels, levels);
  if (d >= 0) {
    /* 1 - d = levels * q; one step up covers the rounding of the product. */
    const double noise = q > 0 ? fmin(1, nextafter(k * q, 2)) : 0;
    plan->chance = d > 0 ? candor_grid_down(d, noise) : candor_grid_zero;
    return CANDOR_OK;
  }
  plan->chance = candor_grid_ceiling(p);
  const candor_grid all = candor_grid_multiple(plan->chance, (uint32_t) levels);
  if (candor_grid_less(candor_grid_one, all))
    plan->chance = candor_grid_zero; /* p is within 2^-64 of 1 / levels: uniform over all, whatever the truth */
  else plan->kind = CANDOR_PERTURB_OTHERS;
  return CANDOR_OK;
}

candor_status candor_plan_grr_epsilon(size_t levels, double epsilon, candor_perturb_plan *plan)
{
  if (isnan(epsilon)) return CANDOR_NOT_FINITE;
  if (levels < 2 || !(epsilon >= 0)) return CANDOR_DOMAIN;
  const double margin = 1.7763568394002505e-15; /* 2^-49 */
  const double k = (double) levels, z = exp(-epsilon), total = 1 + (k - 1) * z;
  const double p = 1 / total, d = -expm1(-epsilon) / total * (1 - margin);
  /* exp() may underflow to zero; only an infinite epsilon may tell the truth for certain. */
  const double q = isinf(epsilon) ? 0 : fmax(z / total * (1 + margin), 2.2250738585072014e-308);
  return candor_plan_grr(levels, p, fmin(p, q), isinf(epsilon) ? 1 : d, plan);
}

candor_status candor_plan_binary(double p, double p_no, double q, double q_no, candor_perturb_plan *plan)
{
  if (isnan(p) || isnan(p_no) || isnan(q) || isnan(q_no)) return CANDOR_NOT_FINITE;
  if (!is_probability(p) || !is_probability(p_no) || !is_probability(q) || !is_probability(q_no) ||
      fabs(p + p_no - 1) > CANDOR_ROW_TOLERANCE || fabs(q + q_no - 1) > CANDOR_ROW_TOLERANCE)
    return CANDOR_DOMAIN;
  begin_plan(plan, CANDOR_PERTURB_BINARY, 2, 2);
  /* Beyond 1/2 the complements tell p and q apart where their doubles no longer do. */
  const int p_above = p > q || (p == q && p_no < q_no);
  if (p_above) {
    plan->yes[1] = candor_grid_down(p, p_no);
    plan->yes[0] = candor_grid_up(q, q_no);
  } else {
    plan->yes[1] = candor_grid_up(p, p_no);
    plan->yes[0] = candor_grid_down(q, q_no);
  }
  if (candor_grid_less(plan->yes[p_above], plan->yes[!p_above])) plan->yes[0] = plan->yes[1];
  return CANDOR_OK;
}

/* ---- alias tables ---------------------------------------------------------------------------------- */

unsigned candor_plan_bits(size_t outcomes)
{
  if (outcomes > (size_t) 1 << 30) return 0;
  unsigned bits = 1;
  while (((size_t) 1 << bits) < outcomes) bits++;
  return bits;
}

static candor_alias_cell cell_of(size_t at, unsigned bits, candor_grid weight, uint32_t below, uint32_t above)
{
  const candor_alias_cell cell = {((uint64_t) at << (64 - bits)) + (weight.high << 32) + weight.low, below, above};
  return cell;
}

/* `weights` (2^bits, adding up to one) are used up; outcome i is level first + i. The stack holds the
 * outcomes with less than a cell from the left, the others from the right. */
static void alias_table(unsigned bits, uint32_t first, candor_grid *weights, uint32_t *stack, candor_alias_cell *cells)
{
  const size_t size = (size_t) 1 << bits;
  const candor_grid capacity = {(uint64_t) 1 << (32 - bits), 0};
  size_t poor = 0, rich = size;
  for (size_t i = 0; i < size; i++)
    if (candor_grid_less(weights[i], capacity)) stack[poor++] = (uint32_t) i;
    else stack[--rich] = (uint32_t) i;
  while (poor > 0 && rich < size) {
    const uint32_t taker = stack[--poor], giver = stack[rich];
    cells[taker] = cell_of(taker, bits, weights[taker], first + taker, first + giver);
    weights[giver] = candor_grid_subtract(weights[giver], candor_grid_subtract(capacity, weights[taker]));
    if (candor_grid_less(weights[giver], capacity)) {
      rich++;
      stack[poor++] = giver;
    }
  }
  for (; rich < size; rich++) { /* exactly one cell's worth each */
    const uint32_t whole = stack[rich];
    cells[whole] = cell_of(whole, bits, candor_grid_zero, first + whole, first + whole);
  }
}

static candor_status check_total(const candor_grid *weights, size_t n)
{
  candor_grid sum = candor_grid_zero;
  for (size_t i = 0; i < n; i++) sum = candor_grid_add(sum, weights[i]);
  return sum.high == candor_grid_one.high && sum.low == 0 ? CANDOR_OK : CANDOR_DOMAIN;
}

candor_status candor_plan_innocuous(size_t levels, double a, const double *b, const candor_table_memory *memory,
                                    candor_grid *truth, candor_grid *other, candor_perturb_plan *plan)
{
  const unsigned bits = candor_plan_bits(levels + 1);
  if (bits == 0) return CANDOR_DOMAIN;
  const candor_status status = candor_quantize_innocuous(levels, a, b, truth, other);
  if (status != CANDOR_OK) return status;
  memory->weights[0] = *truth;
  for (size_t i = 1; i < (size_t) 1 << bits; i++) memory->weights[i] = i <= levels ? other[i - 1] : candor_grid_zero;
  alias_table(bits, 0, memory->weights, memory->stack, memory->cells);
  begin_plan(plan, CANDOR_PERTURB_TABLE, levels, levels);
  plan->bits = bits;
  plan->cells = memory->cells;
  return CANDOR_OK;
}

candor_status candor_plan_channel(size_t rows, size_t columns, const candor_grid *achieved,
                                  const candor_table_memory *memory, candor_perturb_plan *plan)
{
  const unsigned bits = candor_plan_bits(columns);
  if (bits == 0 || check_sizes(rows, columns) != CANDOR_OK) return CANDOR_DOMAIN;
  for (size_t x = 0; x < rows; x++) {
    const candor_grid *row = achieved + x * columns;
    if (check_total(row, columns) != CANDOR_OK) return CANDOR_DOMAIN;
    for (size_t y = 0; y < (size_t) 1 << bits; y++) memory->weights[y] = y < columns ? row[y] : candor_grid_zero;
    alias_table(bits, 1, memory->weights, memory->stack, memory->cells + (x << bits));
  }
  begin_plan(plan, CANDOR_PERTURB_ROWS, rows, columns);
  plan->bits = bits;
  plan->cells = memory->cells;
  return CANDOR_OK;
}

/* ---- achieved epsilon ------------------------------------------------------------------------------ */

static double column_epsilon(const candor_grid *entry, size_t n, size_t stride)
{
  candor_grid most = entry[0], least = entry[0];
  for (size_t i = 1; i < n; i++) {
    const candor_grid value = entry[i * stride];
    most = candor_grid_less(most, value) ? value : most;
    least = candor_grid_less(value, least) ? value : least;
  }
  return candor_grid_log_ratio(most, least);
}

double candor_plan_epsilon(const candor_perturb_plan *plan, const candor_grid *achieved)
{
  const candor_grid chance = plan->chance, rest = candor_grid_subtract(candor_grid_one, chance);
  double epsilon = 0;
  switch (plan->kind) {
  case CANDOR_PERTURB_ALL: /* 1 + d / ((1 - d) / k) */
    return log1p(candor_grid_value(candor_grid_multiple(chance, plan->reports)) / candor_grid_value(rest));
  case CANDOR_PERTURB_OTHERS: /* (1 - p) / (k - 1) to p */
    return candor_grid_log_ratio(rest, candor_grid_multiple(chance, plan->reports - 1));
  case CANDOR_PERTURB_BINARY: {
    const candor_grid no[2] = {candor_grid_subtract(candor_grid_one, plan->yes[0]),
                               candor_grid_subtract(candor_grid_one, plan->yes[1])};
    return fmax(column_epsilon(plan->yes, 2, 1), column_epsilon(no, 2, 1));
  }
  case CANDOR_PERTURB_TABLE:
    for (size_t y = 1; y <= plan->reports; y++)
      epsilon = fmax(epsilon, candor_grid_log_ratio(candor_grid_add(achieved[y], achieved[0]), achieved[y]));
    return epsilon;
  case CANDOR_PERTURB_ROWS:
    for (size_t y = 0; y < plan->reports; y++)
      epsilon = fmax(epsilon, column_epsilon(achieved + y, plan->truths, plan->reports));
    return epsilon;
  }
  return NAN;
}

/* ---- runs ------------------------------------------------------------------------------------------ */

/* Everything that a chunk needs. Levels count from 0 in here, of the truths before, of the reports after. */
typedef struct chunk {
  const candor_perturb_plan *plan;
  const candor_random *random;
  size_t n;
  uint32_t *levels, *words, *places;
} chunk;

/* The word tied with the threshold's high digit: is the low one below the threshold's? */
static candor_status settle_tie(const candor_random *random, uint64_t low, int *below)
{
  uint32_t word = 0;
  const candor_status status = candor_random_fill(random, &word, 1);
  *below = word < low;
  return status;
}

/* Lists the places where the truth gives way, without a branch that depends on chance: one that did would
 * be mispredicted half of the time. */
static candor_status choose_places(const chunk *c, size_t *chosen)
{
  const candor_grid chance = c->plan->chance;
  size_t m = 0;
  for (size_t i = 0; i < c->n; i++) {
    const uint64_t word = c->words[i];
    size_t replaced = word >= chance.high;
    if (word == chance.high) {
      int below;
      const candor_status status = settle_tie(c->random, chance.low, &below);
      if (status != CANDOR_OK) return status;
      replaced = !below;
    }
    c->places[m] = (uint32_t) i;
    m += replaced;
  }
  *chosen = m;
  return CANDOR_OK;
}

static candor_status run_uniform(const chunk *c)
{
  const uint32_t others = c->plan->kind == CANDOR_PERTURB_OTHERS;
  const uint32_t bound = c->plan->reports - others;
  size_t m;
  candor_status status = choose_places(c, &m);
  if (status == CANDOR_OK) status = candor_random_fill(c->random, c->words, m);
  for (size_t j = 0; j < m && status == CANDOR_OK; j++) {
    uint32_t value = 0, *level = c->levels + c->places[j];
    status = candor_random_below(c->random, c->words[j], bound, &value);
    /* Over the others: levels from the truth on move up by one. */
    *level = value + (others & (value >= *level));
  }
  return status;
}

static candor_status run_binary(const chunk *c)
{
  const candor_grid *yes = c->plan->yes;
  for (size_t i = 0; i < c->n; i++) {
    const uint64_t word = c->words[i];
    const candor_grid threshold = yes[c->levels[i]];
    int below = word < threshold.high;
    if (word == threshold.high) {
      const candor_status status = settle_tie(c->random, threshold.low, &below);
      if (status != CANDOR_OK) return status;
    }
    c->levels[i] = (uint32_t) below;
  }
  return CANDOR_OK;
}

static candor_status run_table(const chunk *c)
{
  const unsigned bits = c->plan->bits;
  const size_t apart = c->plan->kind == CANDOR_PERTURB_ROWS ? (size_t) 1 << bits : 0;
  for (size_t i = 0; i < c->n; i++) {
    const uint32_t word = c->words[i];
    const candor_alias_cell *cell = c->plan->cells + apart * c->levels[i] + (word >> (32 - bits));
    const uint32_t high = (uint32_t) (cell->cut >> 32);
    int below = word < high;
    if (word == high) {
      const candor_status status = settle_tie(c->random, cell->cut & 0xffffffffu, &below);
      if (status != CANDOR_OK) return status;
    }
    const uint32_t level = below ? cell->below : cell->above;
    c->levels[i] = level == 0 ? c->levels[i] : level - 1;
  }
  return CANDOR_OK;
}

/* Codes to levels; n if all are in range, else the position of the first that is not. Codes below `first`
 * wrap round to at least 2^32 - (first - INT_MIN), which codes_fit() keeps above all levels. */
static size_t read_levels(const candor_perturb_plan *plan, const int *truth, size_t n, uint32_t *levels)
{
  const uint32_t first = (uint32_t) plan->first, truths = plan->truths;
  uint32_t stray = 0;
  for (size_t i = 0; i < n; i++) {
    levels[i] = (uint32_t) truth[i] - first;
    stray |= levels[i] >= truths;
  }
  size_t at = stray ? 0 : n;
  while (at < n && levels[at] < truths) at++;
  return at;
}

size_t candor_perturb_stray(int first, uint32_t truths, const int *truth, size_t n)
{
  const uint32_t base = (uint32_t) first;
  for (size_t from = 0; from < n; from += CANDOR_PERTURB_CHUNK) {
    const size_t to = n - from < CANDOR_PERTURB_CHUNK ? n : from + CANDOR_PERTURB_CHUNK;
    uint32_t stray = 0;
    for (size_t i = from; i < to; i++) stray |= (uint32_t) truth[i] - base >= truths;
    for (size_t i = from; stray && i < to; i++)
      if ((uint32_t) truth[i] - base >= truths) return i;
  }
  return n;
}

static int codes_fit(const candor_perturb_plan *plan)
{
  const uint32_t most = plan->truths > plan->reports ? plan->truths : plan->reports;
  return plan->first > INT_MIN && plan->first + (int64_t) most - 1 <= INT_MAX;
}

static candor_status run_chunk(const chunk *c)
{
  const candor_status status = candor_random_fill(c->random, c->words, c->n);
  if (status != CANDOR_OK) return status;
  switch (c->plan->kind) {
  case CANDOR_PERTURB_ALL:
  case CANDOR_PERTURB_OTHERS: return run_uniform(c);
  case CANDOR_PERTURB_BINARY: return run_binary(c);
  case CANDOR_PERTURB_TABLE:
  case CANDOR_PERTURB_ROWS: return run_table(c);
  }
  return CANDOR_DOMAIN;
}

candor_status candor_perturb_run(const candor_perturb_plan *plan, const int *truth, size_t n, size_t steps,
                                 const candor_random *random, candor_perturb_run_state *state, int *report)
{
  if (!codes_fit(plan)) return CANDOR_DOMAIN;
  while (state->done < n && steps > 0) {
    const size_t left = n - state->done < steps ? n - state->done : steps;
    const size_t size = left < CANDOR_PERTURB_CHUNK ? left : CANDOR_PERTURB_CHUNK;
    const chunk c = {plan, random, size, state->levels, state->words, state->places};
    const size_t stray = read_levels(plan, truth + state->done, size, state->levels);
    if (stray < size) {
      state->done += stray;
      return CANDOR_DOMAIN;
    }
    const candor_status status = run_chunk(&c);
    if (status != CANDOR_OK) return status;
    int *out = report + state->done;
    for (size_t i = 0; i < size; i++) out[i] = plan->first + (int) state->levels[i];
    state->done += size;
    steps -= size;
  }
  return state->done < n ? CANDOR_AGAIN : CANDOR_OK;
}
