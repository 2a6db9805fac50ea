#include "multinomial.h"

#include <math.h>
#include <string.h>

#include "wide.h"

/* Measured costs in nanoseconds: a single ball (into cells that fit the first cache, or not), a table look-up a cell,
 * and a slot of a table, over a hundred draws. */
static const double BALL = 3.5, FAR_BALL = 7.0, LOOKUP = 2.5, SLOT = 0.1;
enum { FAR = 2048 };

static double ball_cost(size_t cells)
{
  return cells < FAR ? BALL : FAR_BALL;
}

/* A binomial, which the tree divides about equally between two cells of this mean. */
static double binomial_cost(double mean)
{
  if (mean >= 20.0) return mean >= 60.0 ? 6.5 : 8.5;
  return mean >= 6.0 ? 14.0 : 30.0;
}

/* Cells of a mean above one of these get binomials, and below the last no cell does alone. */
static const double LIMITS[] = {500.0, 100.0, 20.0, 5.0};
enum { N_LIMITS = sizeof LIMITS / sizeof *LIMITS };

/* Below this mean a cell is left to single balls. */
static const double SMALLEST = 0.05;

enum { EMPTY = CANDOR_MULTINOMIAL_CLASSES - 1, TRIES = 30, LANES = 8 };

static void *take(unsigned char **memory, size_t bytes)
{
  void *start = *memory;
  *memory += (bytes + 15) / 16 * 16;
  return start;
}

static size_t table_bytes(size_t slots)
{
  return slots * (sizeof(candor_slot) + sizeof(uint32_t)) + 64;
}

/* Slots that all tables of the levels may have together: few cells do not deserve many. */
static size_t slot_budget(size_t cells)
{
  return cells < CANDOR_MULTINOMIAL_SLOTS / 256 ? 2048 + 248 * cells : CANDOR_MULTINOMIAL_SLOTS;
}

/* The largest span of a table: that of the heap's size, whose mean may be half the cells. */
static size_t longest_span(size_t cells)
{
  const size_t heap = candor_span(0.5 * (double) cells + 64.0), level = candor_span(LIMITS[0]);
  return heap > level ? heap : level;
}

static size_t workspace(size_t cells)
{
  const size_t slots = candor_alias_slots(cells), span = candor_alias_slots(longest_span(cells));
  return slots > span ? slots : span;
}

size_t candor_multinomial_bytes(size_t cells)
{
  const size_t slots = candor_alias_slots(cells);
  const size_t each = 2 * sizeof(uint32_t) + 6 * sizeof(double) + CANDOR_MULTINOMIAL_LEVELS;
  return cells * each + 2 * table_bytes(slots) + table_bytes(candor_alias_slots(longest_span(cells))) +
         table_bytes(slot_budget(cells)) + CANDOR_MULTINOMIAL_LEVELS * CANDOR_MULTINOMIAL_CLASSES * table_bytes(2) +
         workspace(cells) * (sizeof(double) + sizeof(uint32_t)) + longest_span(cells) * sizeof(double) + 4096;
}

size_t candor_multinomial_scratch(size_t cells)
{
  return 2 * cells + 2;
}

typedef struct builder {
  unsigned char *memory;
  double *scaled;    /* workspace of the table builds */
  uint32_t *order;
  double *pmf;
  double *rest;      /* of each small cell: the mean not yet given to a level */
  size_t slots_left;
} builder;

static candor_status new_table(builder *b, candor_alias *table, const double *weights, size_t size, uint32_t first)
{
  const size_t slots = candor_alias_slots(size);
  table->slots = take(&b->memory, slots * sizeof *table->slots);
  table->low = take(&b->memory, slots * sizeof *table->low);
  return candor_alias_build(table, weights, size, first, b->scaled, b->order);
}

static candor_status poisson_table(builder *b, candor_alias *table, double mean)
{
  uint32_t first;
  size_t size;
  candor_poisson_weights(mean, b->pmf, &first, &size);
  return new_table(b, table, b->pmf, size, first);
}

/* Gives each cell the largest mean of a geometric ladder below its own. A ladder of one rung stands on the
 * smallest cell, so that equal cells leave nothing over. */
static candor_status new_level(builder *b, candor_level *level, size_t cells)
{
  double highest = 0.0, lowest = INFINITY;
  for (size_t i = 0; i < cells; i++) {
    if (b->rest[i] > highest) highest = b->rest[i];
    if (b->rest[i] < lowest && b->rest[i] >= SMALLEST) lowest = b->rest[i];
  }
  if (lowest < highest * 1e-3) lowest = highest * 1e-3;
  const double spread = log(highest / lowest);
  size_t rungs = b->slots_left / candor_alias_slots(candor_span(highest));
  if (rungs > cells / 32) rungs = cells / 32;
  if (rungs >= EMPTY) rungs = EMPTY - 1;
  if (rungs < 1 || spread < 1e-9) rungs = 1;
  const double step = spread / (double) rungs;

  level->classes = take(&b->memory, cells);
  const double zero[1] = {1.0};
  candor_status status = new_table(b, &level->tables[EMPTY], zero, 1, 0);
  unsigned char used[CANDOR_MULTINOMIAL_CLASSES] = {0};
  double mean[CANDOR_MULTINOMIAL_CLASSES];
  for (size_t i = 0; i < cells; i++) {
    size_t rung = EMPTY;
    if (b->rest[i] >= lowest) {
      const double height = step > 0 ? floor(log(b->rest[i] / lowest) / step) : 0.0;
      rung = height >= (double) rungs ? rungs - 1 : (size_t) height;
      if (!used[rung]) {
        used[rung] = 1;
        mean[rung] = lowest * exp((double) rung * step);
        status = status == CANDOR_OK ? poisson_table(b, &level->tables[rung], mean[rung]) : status;
        const size_t slots = (size_t) 1 << level->tables[rung].bits;
        b->slots_left = b->slots_left > slots ? b->slots_left - slots : 0;
      }
      b->rest[i] = b->rest[i] > mean[rung] ? b->rest[i] - mean[rung] : 0.0;
    }
    level->classes[i] = (unsigned char) rung;
  }
  return status;
}

static double sum(const double *x, size_t n)
{
  double total = 0.0;
  for (size_t i = 0; i < n; i++) {
    total += x[i];
  }
  return total;
}

/* The levels, until what is left over costs less than another pass. */
static candor_status add_levels(candor_multinomial *plan, builder *b, double mean)
{
  candor_status status = CANDOR_OK;
  double left = mean;
  while (status == CANDOR_OK && plan->levels < CANDOR_MULTINOMIAL_LEVELS &&
         left * ball_cost(plan->small) > LOOKUP * (double) plan->small && b->slots_left > 1024) {
    status = new_level(b, &plan->level[plan->levels++], plan->small);
    left = sum(b->rest, plan->small);
  }
  /* The heap has a table of its size, so it must not be of any size. */
  if (status == CANDOR_OK && left > 0.5 * (double) plan->small + 64.0) {
    plan->levels = 0;
    return CANDOR_OK;
  }
  plan->has_heap = left > 1e-12 * mean;
  if (status != CANDOR_OK || plan->levels == 0 || !plan->has_heap) return status;
  status = new_table(b, &plan->heap, b->rest, plan->small, 0);
  return status == CANDOR_OK ? poisson_table(b, &plan->heap_size, left) : status;
}

/* What the plan would cost with the cells above a weight in the tree; `margin`: how far the mean of the Poisson
 * total is then kept below the number of the small cells' balls, infinite where tables cost more than balls. */
static double cost_of(const double *weights, size_t cells, double limit, double total, double mean, double variance,
                      double *margin)
{
  double n = 0.0, binomials = 0.0, sum_small = 0.0, largest = 0.0;
  for (size_t i = 0; i < cells; i++) {
    const double weight = weights[i];
    if (weight > limit) {
      binomials += binomial_cost(weight * (mean / total));
    } else if (weight > 0.0) {
      n += 1.0;
      sum_small += weight;
      largest = weight > largest ? weight : largest;
    }
  }
  const double share = sum_small / total, expected = mean * share;
  const double spread = sqrt(expected * (2.0 - share) + variance * share * share);
  const double ball = ball_cost((size_t) n), one_by_one = expected * ball;
  /* Each level leaves over about half a rung of its ladder. */
  const double rungs = n < 32.0 * EMPTY ? n / 32.0 + 1.0 : EMPTY;
  double levels = 1.0, heap = sum_small > 0.0 ? expected * log(largest * n / sum_small) / (2.0 * rungs) : 0.0;
  while (levels < CANDOR_MULTINOMIAL_LEVELS && heap * ball > LOOKUP * n) {
    levels += 1.0;
    heap /= 2.0 * rungs;
  }
  const double pass = LOOKUP * n * levels + heap * ball;
  const double slots = levels * rungs * (double) candor_span(largest * mean / total);
  double best = one_by_one;
  *margin = INFINITY;
  for (double m = 0.0; m <= 3.5; m += 0.5) {
    /* A try succeeds with probability Phi(m), and then leaves over m + phi(m) / Phi(m) standard deviations. */
    const double success = 0.5 * erfc(-m * 0.70710678118654752440);
    const double density = exp(-0.5 * m * m) * 0.39894228040143267794;
    const double passes = pass / success + spread * (m + density / success) * ball + 0.25 * LOOKUP * n + SLOT * slots;
    if (passes < best && expected > 2.0 * m * spread) {
      best = passes;
      *margin = m * spread;
    }
  }
  return best + binomials;
}

/* Divides the cells into big and small, and plans the tree; returns the weight of the small ones. */
static double divide(candor_multinomial *plan, const double *weights, double limit, double *sums)
{
  double small = 0.0;
  plan->big = 0;
  for (size_t i = 0; i < plan->cells; i++) {
    plan->big += weights[i] > limit;
  }
  plan->small = 0;
  size_t big = 0;
  for (size_t i = 0; i < plan->cells; i++) {
    if (weights[i] > limit) {
      plan->index[big++] = (uint32_t) i;
    } else if (weights[i] > 0.0) {
      plan->index[plan->big + plan->small++] = (uint32_t) i;
      small += weights[i];
    }
  }
  const size_t leaves = plan->big + (plan->small > 0);
  for (size_t j = 0; j < plan->big; j++) {
    sums[leaves + j] = weights[plan->index[j]];
  }
  if (plan->small > 0) sums[leaves + plan->big] = small;
  candor_tree_plan(&plan->tree, leaves, sums);
  return small;
}

candor_status candor_multinomial_plan(candor_multinomial *plan, const double *weights, size_t cells,
                                      double mean, double variance, void *memory)
{
  if (cells == 0 || cells > (size_t) 1 << 30 || !(mean >= 0.0) || !(variance >= 0.0)) return CANDOR_DOMAIN;
  double total = 0.0, smallest = INFINITY;
  for (size_t i = 0; i < cells; i++) {
    if (!(weights[i] >= 0.0)) return CANDOR_DOMAIN;
    total += weights[i];
    smallest = weights[i] < smallest ? weights[i] : smallest;
  }
  if (!(total > 0.0) || isinf(total)) return CANDOR_DOMAIN;

  builder b = {.memory = memory, .slots_left = slot_budget(cells)};
  plan->cells = cells;
  plan->levels = 0;
  plan->has_heap = 0;
  plan->index = take(&b.memory, cells * sizeof *plan->index);
  plan->tree.first = take(&b.memory, (cells + 1) * sizeof *plan->tree.first);
  plan->tree.second = take(&b.memory, (cells + 1) * sizeof *plan->tree.second);
  double *sums = take(&b.memory, (2 * cells + 2) * sizeof *sums);
  b.rest = take(&b.memory, cells * sizeof *b.rest);
  b.scaled = take(&b.memory, workspace(cells) * sizeof *b.scaled);
  b.order = take(&b.memory, workspace(cells) * sizeof *b.order);
  b.pmf = take(&b.memory, longest_span(cells) * sizeof *b.pmf);

  /* With all cells in the tree, or those above one of the limits. */
  double margin, limit = 0.0, best = cost_of(weights, cells, 0.0, total, mean, variance, &margin);
  for (size_t l = 0; l < N_LIMITS; l++) {
    double its_margin;
    const double its_limit = LIMITS[l] * (total / (mean > 0.0 ? mean : 1.0));
    if (its_limit < smallest) break;
    const double cost = cost_of(weights, cells, its_limit, total, mean, variance, &its_margin);
    if (cost < best) {
      best = cost;
      limit = its_limit;
      margin = its_margin;
    }
  }
  const double small = divide(plan, weights, limit, sums);
  if (plan->small == 0) return CANDOR_OK;
  for (size_t s = 0; s < plan->small; s++) {
    b.rest[s] = weights[plan->index[plan->big + s]] / small;
  }
  candor_status status = new_table(&b, &plan->single, b.rest, plan->small, 0);
  if (status != CANDOR_OK || isinf(margin)) return status;
  const double wanted = mean * (small / total) - margin;
  for (size_t s = 0; s < plan->small; s++) {
    b.rest[s] *= wanted;
  }
  status = add_levels(plan, &b, wanted);
  /* Balls one by one would be too many. */
  if (status == CANDOR_OK && plan->levels == 0) divide(plan, weights, 0.0, sums);
  return status;
}

/* n draws from one table, in blocks for which the words are there: `each` cell in turn gets its draw added, or (not
 * each) the draw names the cell that gets a ball. Returns the sum of the draws. A tie draws a word of its own, so the
 * block ends with it. */
static inline uint64_t draw_block(const candor_alias *table, candor_draw *draw, size_t n, const int each, double *cells)
{
  const candor_slot *slots = table->slots;
  const int bits = table->bits, rest = 32 - table->bits;
  const uint32_t first = table->first;
  uint64_t total = 0;
  while (n > 0) {
    if (draw->next == CANDOR_DRAW_WORDS) candor_draw_refill(draw);
    const size_t left = CANDOR_DRAW_WORDS - draw->next, block = n < left ? n : left;
    const uint32_t *words = draw->words + draw->next;
    size_t j = 0;
    int tie = 0;
    for (; j < block && !tie; j++) {
      const uint32_t place = words[j] >> rest, fraction = words[j] << bits;
      const candor_slot slot = slots[place];
      const uint32_t own = first + place, mask = (uint32_t) 0 - (uint32_t) (fraction < slot.cut);
      uint32_t value = slot.other ^ ((own ^ slot.other) & mask);
      if (((fraction ^ slot.cut) >> bits) == 0) {
        tie = 1;
        const uint32_t word = words[j];
        draw->next += j + 1;
        value = candor_alias_tie(table, draw, word);
      }
      total += value;
      cells[each ? j : value] += each ? (double) value : 1.0;
    }
    if (!tie) draw->next += j;
    if (each) cells += j;
    n -= j;
  }
  return total;
}

static void throw_balls(const candor_alias *table, candor_draw *draw, double balls, double *cells)
{
  while (balls > 0 && draw->status == CANDOR_OK) {
    const double block = balls < 1048576.0 ? balls : 1048576.0;
    draw_block(table, draw, (size_t) block, 0, cells);
    balls -= block;
  }
}

/* Independent Poisson counts of the small cells; their total. */
static double draw_levels(const candor_multinomial *plan, candor_draw *draw, double *cells)
{
  double total = 0.0;
  memset(cells, 0, plan->small * sizeof *cells);
  for (size_t l = 0; l < plan->levels; l++) {
    const candor_level *level = &plan->level[l];
    uint64_t level_total = 0;
    for (size_t from = 0, to; from < plan->small; from = to) {
      const unsigned char rung = level->classes[from];
      for (to = from + 1; to < plan->small && level->classes[to] == rung; to++) {}
      if (rung != EMPTY) level_total += draw_block(&level->tables[rung], draw, to - from, 1, cells + from);
    }
    total += (double) level_total;
  }
  if (plan->has_heap) {
    const double heap = candor_alias_draw(&plan->heap_size, draw);
    throw_balls(&plan->heap, draw, heap, cells);
    total += heap;
  }
  return total;
}

static CANDOR_WIDE void add_counts(double *restrict counts, const double *restrict more, size_t n)
{
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t l = 0; l < LANES; l++) counts[i + l] += more[i + l];
  }
  for (; i < n; i++) counts[i] += more[i];
}

/* To the n cells of the index, which are in order: all of them need none. */
static void add_at(double *counts, const uint32_t *index, const double *more, size_t n, size_t cells)
{
  if (n == cells) {
    add_counts(counts, more, n);
  } else {
    for (size_t j = 0; j < n; j++) counts[index[j]] += more[j];
  }
}

candor_status candor_multinomial_draw(const candor_multinomial *plan, candor_draw *draw, double total,
                                      double *scratch, double *counts)
{
  if (!(total >= 0 && total <= 9007199254740992.0 && total == floor(total))) return CANDOR_DOMAIN;
  const size_t leaves = plan->tree.cells;
  double left = total;
  if (plan->big > 0) {
    scratch[1] = total;
    const candor_status status = candor_tree_draw(&plan->tree, draw, scratch);
    if (status != CANDOR_OK) return status;
    add_at(counts, plan->index, scratch + leaves, plan->big, plan->cells);
    left = plan->small > 0 ? scratch[leaves + plan->big] : 0.0;
  }
  if (left == 0) return draw->status;

  double levels = 0.0;
  for (int tries = 0; plan->levels > 0; tries++) {
    levels = draw_levels(plan, draw, scratch);
    if (levels <= left) break;
    /* Many times over only if `total` is far below the mean of the plan. */
    if (tries == TRIES || draw->status != CANDOR_OK) {
      levels = 0.0;
      break;
    }
  }
  if (levels == 0.0) memset(scratch, 0, plan->small * sizeof *scratch);
  throw_balls(&plan->single, draw, left - levels, scratch);
  add_at(counts, plan->index + plan->big, scratch, plan->small, plan->cells);
  return draw->status;
}
