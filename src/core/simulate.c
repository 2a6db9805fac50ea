#include "simulate.h"

#include <math.h>
#include <string.h>

enum {
  LARGEST_KEPT = 1500,   /* a binomial of more trials gets no table */
  NO_TABLE = CANDOR_MULTINOMIAL_CLASSES - 1
};

static void *take(unsigned char **memory, size_t bytes)
{
  void *start = *memory;
  *memory += (bytes + 15) / 16 * 16;
  return start;
}

/* Slots of the tables of truthful reports: one table for each distinct number of holders, at most. */
static size_t kept_slots(size_t categories)
{
  const size_t span = candor_alias_slots(candor_span(LARGEST_KEPT));
  return categories < CANDOR_MULTINOMIAL_SLOTS / span ? span * (categories + 1) : CANDOR_MULTINOMIAL_SLOTS;
}

static size_t kept_bytes(size_t categories)
{
  const size_t span = candor_alias_slots(candor_span(LARGEST_KEPT));
  return kept_slots(categories) * (sizeof(candor_slot) + sizeof(uint32_t)) + CANDOR_MULTINOMIAL_CLASSES * 64 +
         span * (2 * sizeof(double) + sizeof(uint32_t)) + 4096;
}

size_t candor_simulator_bytes(size_t categories, int fixed)
{
  const size_t slots = candor_alias_slots(categories);
  return candor_multinomial_bytes(categories) + (fixed ? kept_bytes(categories) : 0) +
         slots * (6 * sizeof(double) + sizeof(uint32_t) + 1) + 4096;
}

/* One table for each number of holders that several categories share, as far as the memory goes. */
static candor_status plan_kept(candor_simulator *simulator, unsigned char **memory)
{
  const candor_world *world = &simulator->world;
  const size_t span = candor_alias_slots(candor_span(LARGEST_KEPT));
  double *scaled = take(memory, span * sizeof *scaled), *pmf = take(memory, span * sizeof *pmf);
  uint32_t *order = take(memory, span * sizeof *order);
  unsigned char class_of[LARGEST_KEPT + 1];
  size_t left = kept_slots(world->channel.categories), classes = 0;
  memset(class_of, NO_TABLE, sizeof class_of);
  candor_status status = CANDOR_OK;
  simulator->n_holders = 0;
  for (size_t i = 0; i < world->channel.categories && status == CANDOR_OK; i++) {
    const double n = world->truth[i];
    if (n <= 0) continue;
    simulator->holders[simulator->n_holders] = (uint32_t) i;
    if (n <= LARGEST_KEPT && class_of[(size_t) n] == NO_TABLE && classes < NO_TABLE && left >= span) {
      uint32_t first;
      size_t size;
      candor_alias *table = &simulator->kept[classes];
      candor_binomial_weights((uint32_t) n, world->channel.keep, pmf, &first, &size);
      const size_t slots = candor_alias_slots(size);
      table->slots = take(memory, slots * sizeof *table->slots);
      table->low = take(memory, slots * sizeof *table->low);
      status = candor_alias_build(table, pmf, size, first, scaled, order);
      left -= slots;
      class_of[(size_t) n] = (unsigned char) classes++;
    }
    simulator->kept_class[simulator->n_holders++] = n <= LARGEST_KEPT ? class_of[(size_t) n] : NO_TABLE;
  }
  return status;
}

static candor_status check_world(const candor_world *world)
{
  const size_t k = world->channel.categories;
  double shares = 0.0, truth = 0.0;
  if (!(world->respondents >= 1)) return world->respondents == 0 ? CANDOR_EMPTY : CANDOR_DOMAIN;
  if (world->respondents > 9007199254740992.0 || world->respondents != floor(world->respondents)) return CANDOR_DOMAIN;
  for (size_t i = 0; i < k; i++) {
    if (!(world->theta[i] >= 0.0)) return CANDOR_DOMAIN;
    shares += world->theta[i];
    if (world->truth) {
      if (!(world->truth[i] >= 0.0) || world->truth[i] != floor(world->truth[i])) return CANDOR_DOMAIN;
      truth += world->truth[i];
    }
  }
  if (!(fabs(shares - 1.0) <= 1e-8)) return CANDOR_DOMAIN;
  return world->truth && truth != world->respondents ? CANDOR_DOMAIN : CANDOR_OK;
}

static double other(const candor_additive *channel, size_t y)
{
  return channel->other ? channel->other[y] : channel->other_all;
}

candor_status candor_simulator_start(candor_simulator *simulator, const candor_world *world, void *memory)
{
  candor_status status = candor_additive_check(&world->channel);
  if (status == CANDOR_OK) status = check_world(world);
  if (status != CANDOR_OK) return status;

  const size_t k = world->channel.categories;
  const double a = world->channel.keep, n = world->respondents;
  unsigned char *at = memory;
  simulator->world = *world;
  simulator->n_holders = 0;
  simulator->scratch = take(&at, candor_multinomial_scratch(k) * sizeof *simulator->scratch);
  simulator->holders = take(&at, k * sizeof *simulator->holders);
  simulator->kept_class = take(&at, k);
  double *weights = take(&at, k * sizeof *weights);
  simulator->sums = take(&at, 2 * k * sizeof *simulator->sums);
  double total = 0.0;
  for (size_t y = 0; y < k; y++) {
    const double m = other(&world->channel, y) + (world->truth ? 0.0 : a * world->theta[y]);
    weights[y] = m > 0.0 ? m : 0.0;
    total += weights[y];
  }
  if (world->truth && a < 0) {
    memcpy(simulator->sums + k, weights, k * sizeof *weights);
    for (size_t j = k; j-- > 1;) simulator->sums[j] = simulator->sums[2 * j] + simulator->sums[2 * j + 1];
    return CANDOR_OK;
  }
  if (world->truth) status = plan_kept(simulator, &at);
  /* With a = 1 and a fixed truth nobody is left for the others. */
  if (status != CANDOR_OK || !(total > 0.0)) return status;
  return world->truth ? candor_multinomial_plan(&simulator->reports, weights, k, n * (1.0 - a), n * a * (1.0 - a), at)
                      : candor_multinomial_plan(&simulator->reports, weights, k, n, 0.0, at);
}

enum { DEPTH = 64 };

/* The reports of those with truth x: x itself with probability b_x + a, else any other in proportion to b. Seen from a
 * node of the tree over the reports, whoever leaves for the half without x is distributed over that half by b alone,
 * whatever x is. So each truth only divides its holders along the path to its own leaf. */
static candor_status leave_path(const candor_simulator *simulator, candor_draw *draw, size_t x, double *leavers,
                                double *kept)
{
  const candor_additive *channel = &simulator->world.channel;
  const double *sums = simulator->sums;
  double inner[DEPTH], rest = 0.0, left = simulator->world.truth[x];
  size_t beside[DEPTH], depth = 0;
  candor_status status = candor_draw_binomial(draw, left, fmax(0.0, other(channel, x) + channel->keep), kept);
  left -= *kept;
  /* Added up from the leaf, so that a large b_x cancels nothing. */
  for (size_t node = channel->categories + x; node > 1; node /= 2) {
    inner[depth] = rest;
    beside[depth] = node ^ 1;
    rest += sums[beside[depth++]];
  }
  while (status == CANDOR_OK && left > 0 && depth-- > 0) {
    const double share = sums[beside[depth]];
    double leaving;
    status = candor_draw_binomial(draw, left, share / (share + inner[depth]), &leaving);
    leavers[beside[depth]] += leaving;
    left -= leaving;
  }
  return status;
}

/* a < 0, fixed truth. */
static candor_status simulate_rows(const candor_simulator *simulator, candor_draw *draw, double *counts)
{
  const size_t k = simulator->world.channel.categories;
  const double *sums = simulator->sums;
  double *nodes = simulator->scratch;
  memset(nodes, 0, 2 * k * sizeof *nodes);
  for (size_t x = 0; x < k; x++) {
    if (simulator->world.truth[x] <= 0) continue;
    const candor_status status = leave_path(simulator, draw, x, nodes, &counts[x]);
    if (status != CANDOR_OK) return status;
  }
  for (size_t j = 1; j < k; j++) {
    double first;
    if (nodes[j] == 0) continue;
    const candor_status status = candor_draw_binomial(draw, nodes[j], sums[2 * j] / sums[j], &first);
    if (status != CANDOR_OK) return status;
    nodes[2 * j] += first;
    nodes[2 * j + 1] += nodes[j] - first;
  }
  for (size_t y = 0; y < k; y++) counts[y] += nodes[k + y];
  return draw->status;
}

candor_status candor_simulate(candor_simulator *simulator, candor_draw *draw, double *counts)
{
  const candor_world *world = &simulator->world;
  memset(counts, 0, world->channel.categories * sizeof *counts);
  if (world->truth && world->channel.keep < 0) return simulate_rows(simulator, draw, counts);
  double kept = 0.0;
  for (size_t h = 0; h < simulator->n_holders; h++) {
    const size_t i = simulator->holders[h];
    double count = 0.0;
    if (simulator->kept_class[h] != NO_TABLE) {
      count = candor_alias_draw(&simulator->kept[simulator->kept_class[h]], draw);
    } else {
      const candor_status status = candor_draw_binomial(draw, world->truth[i], world->channel.keep, &count);
      if (status != CANDOR_OK) return status;
    }
    counts[i] = count;
    kept += count;
  }
  if (kept == world->respondents) return draw->status;
  return candor_multinomial_draw(&simulator->reports, draw, world->respondents - kept, simulator->scratch, counts);
}
