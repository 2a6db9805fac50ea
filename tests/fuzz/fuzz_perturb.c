/* Any bytes as probabilities, answers and generator: a plan that is accepted never yields a report out of range
 * or one of probability zero, its rows add up to one, no ratio grew, and a generator that runs dry
 * is an error. */
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "respond/perturb.h"

#define ASSERT(condition)               \
  do {                                  \
    if (!(condition)) __builtin_trap(); \
  } while (0)

static candor_status dry(void *state, uint32_t *words, size_t n)
{
  bytes *b = state;
  if (b->size < n * sizeof *words) return CANDOR_GENERATOR;
  memcpy(words, b->data, n * sizeof *words);
  b->data += n * sizeof *words;
  b->size -= n * sizeof *words;
  return CANDOR_OK;
}

/* Half of the numbers are any double at all, the others sensible. */
static double number(bytes *b)
{
  const uint8_t kind = byte(b);
  double x;
  if (kind < 8 && any_double(b, &x)) return x;
  return kind < 32 ? 0 : ldexp(1 + byte(b), -8 - (kind % 64 < 48 ? kind % 4 : kind % 64));
}

enum { MOST = 12, CELLS = 16 };

static int positive(candor_grid g)
{
  return g.high > 0 || g.low > 0;
}

static void check_sum(const candor_grid *row, size_t n, candor_grid sum)
{
  for (size_t i = 0; i < n; i++) sum = candor_grid_add(sum, row[i]);
  ASSERT(sum.high == candor_grid_one.high && sum.low == 0);
}

/* Ratios in long double, whose 64 bits leave a relative 2^-60 of doubt. */
static void check_ratios(const double *c, const candor_grid *out, size_t rows, size_t columns)
{
  for (size_t y = 0; y < columns; y++) {
    for (size_t x = 0; x < rows; x++) {
      for (size_t w = 0; w < rows; w++) {
        double low = 2, high = 0;
        for (size_t v = 0; v < rows; v++) {
          low = fmin(low, c[v + y * rows]);
          high = fmax(high, c[v + y * rows]);
        }
        const candor_grid a = out[x * columns + y], b = out[w * columns + y];
        const long double left = ((long double) a.high * 4294967296.0L + (long double) a.low) * low,
                          right = ((long double) b.high * 4294967296.0L + (long double) b.low) * high;
        ASSERT(low == 0 || left <= right * (1 + 0x1p-60L));
      }
    }
  }
}

static int make_plan(bytes *b, candor_perturb_plan *plan, candor_alias_cell *cells, double *c, candor_grid *out)
{
  static candor_grid bound[2 * MOST], weights[CELLS], other[MOST];
  static uint32_t stack[CELLS];
  static double work[2 * MOST];
  const candor_table_memory memory = {weights, stack, cells};
  const uint8_t kind = byte(b) % 5;
  if (kind == 0) {
    const double epsilon = number(b) * 1000;
    return candor_plan_grr_epsilon((size_t) byte(b) + ((size_t) byte(b) << 26), epsilon, plan) == CANDOR_OK;
  }
  if (kind == 1) {
    const double p = number(b), q = number(b), d = byte(b) % 2 ? p - q : number(b);
    return candor_plan_grr(byte(b), p, q, d, plan) == CANDOR_OK;
  }
  if (kind == 2) {
    const double p = number(b), q = number(b);
    return candor_plan_binary(p, 1 - p, q, 1 - q, plan) == CANDOR_OK;
  }
  const size_t rows = 1 + byte(b) % MOST, columns = 1 + byte(b) % MOST;
  for (size_t x = 0; x < rows; x++) {
    double sum = 0;
    for (size_t y = 0; y < columns; y++) sum += c[x + y * rows] = number(b);
    for (size_t y = 0; y < columns && byte(b) < 250; y++) c[x + y * rows] /= sum;
  }
  if (kind == 3) {
    candor_grid truth;
    const double a = number(b);
    for (size_t y = 0; y < columns; y++) c[y] = c[y * rows] * (1 - a);
    if (candor_plan_innocuous(columns, a, c, &memory, &truth, other, plan) != CANDOR_OK) return 0;
    check_sum(other, columns, truth);
    for (size_t y = 0; y < columns; y++) ASSERT(c[y] > 0 || !positive(other[y]));
    return 1;
  }
  if (candor_quantize_channel(rows, columns, c, work, bound, out) != CANDOR_OK) return 0;
  for (size_t x = 0; x < rows; x++) check_sum(out + x * columns, columns, candor_grid_zero);
  check_ratios(c, out, rows, columns);
  ASSERT(candor_plan_channel(rows, columns, out, &memory, plan) == CANDOR_OK);
  return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static candor_alias_cell cells[MOST * CELLS];
  static candor_grid out[MOST * MOST];
  static double c[MOST * MOST];
  static candor_perturb_run_state state;
  bytes b = {data, size};
  candor_perturb_plan plan;
  int truth[64], report[64];
  if (!make_plan(&b, &plan, cells, c, out)) return 0;
  if (plan.kind != CANDOR_PERTURB_TABLE) ASSERT(candor_plan_epsilon(&plan, out) >= 0);
  int valid = 1;
  const size_t n = byte(&b) % 65;
  for (size_t i = 0; i < n; i++) {
    const uint8_t code = byte(&b);
    truth[i] = code == 255 ? -2147483647 - 1 : code == 254 ? 0 : (int) (1 + code % (plan.truths + (code > 200)));
    valid = valid && truth[i] >= 1 && (uint32_t) truth[i] <= plan.truths;
    report[i] = -7;
  }
  const candor_random random = {dry, &b};
  state.done = 0;
  candor_status status;
  while ((status = candor_perturb_run(&plan, truth, n, 1 + byte(&b), &random, &state, report)) == CANDOR_AGAIN) {
  }
  ASSERT(status == CANDOR_OK || status == CANDOR_GENERATOR || (status == CANDOR_DOMAIN && !valid));
  ASSERT(status != CANDOR_OK || valid);
  for (size_t i = 0; i < n && status == CANDOR_OK; i++) {
    ASSERT(report[i] >= 1 && (uint32_t) report[i] <= plan.reports);
    if (plan.kind == CANDOR_PERTURB_ROWS) {
      ASSERT(positive(out[(size_t) (truth[i] - 1) * plan.reports + (size_t) report[i] - 1]));
    } else if (plan.kind != CANDOR_PERTURB_BINARY && plan.kind != CANDOR_PERTURB_TABLE) {
      ASSERT(plan.chance.high < candor_grid_one.high || report[i] == truth[i]);
      ASSERT(plan.kind == CANDOR_PERTURB_ALL || positive(plan.chance) || report[i] != truth[i]);
    }
  }
  return 0;
}
