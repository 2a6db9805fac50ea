#include "study/simulate.h"

#include <math.h>
#include <string.h>

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

size_t candor_simulator_work(size_t categories)
{
  return 8 * categories;
}

candor_status candor_simulator_start(candor_simulator *simulator, const candor_world *world, double *work)
{
  candor_status status = candor_additive_check(&world->channel);
  if (status == CANDOR_OK) status = check_world(world);
  if (status != CANDOR_OK) return status;

  const size_t k = world->channel.categories;
  const double a = world->truth ? 0.0 : world->channel.keep;
  simulator->world = *world;
  simulator->sums = work;
  simulator->splits = work + 2 * k;
  simulator->nodes = work + 4 * k;
  simulator->ends = work + 6 * k;
  simulator->begin = work + 7 * k;
  for (size_t y = 0; y < k; y++) simulator->sums[k + y] = fmax(0.0, other(&world->channel, y) + a * world->theta[y]);
  candor_tree_start(k, simulator->sums, simulator->splits);
  if (simulator->sums[1] > 0) candor_pick_start(k, simulator->sums + k, simulator->ends, simulator->begin);
  return CANDOR_OK;
}

/* Fixed truth, a >= 0: who tells it. The root has the others. */
static candor_status keep_truths(candor_simulator *simulator, candor_draw *draw, double *counts)
{
  const candor_world *world = &simulator->world;
  double *left = &simulator->nodes[1];
  *left = world->respondents;
  for (size_t x = 0; x < world->channel.categories; x++) {
    const candor_status status =
        candor_draw_binomial(draw, world->truth[x], fmin(1.0, world->channel.keep), &counts[x]);
    if (status != CANDOR_OK) return status;
    *left -= counts[x];
  }
  return CANDOR_OK;
}

enum { DEPTH = 64 };

/* Fixed truth, a < 0: the reports of those with truth x are x itself with probability b_x + a, else any other in
 * proportion to b. Seen from a node of the tree over the reports, whoever leaves for the half without x is distributed
 * over that half by b alone, whatever x is. So each truth only divides its holders along the path to its own leaf. */
static candor_status leave_path(candor_simulator *simulator, candor_draw *draw, size_t x, double *kept)
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
    double leaving;
    status = candor_draw_first(draw, left, sums[beside[depth]], inner[depth], &leaving);
    simulator->nodes[beside[depth]] += leaving;
    left -= leaving;
  }
  return status;
}

candor_status candor_simulate(candor_simulator *simulator, candor_draw *draw, double *counts)
{
  const candor_world *world = &simulator->world;
  const size_t k = world->channel.categories;
  double *nodes = simulator->nodes;
  candor_status status = CANDOR_OK;
  memset(counts, 0, k * sizeof *counts);
  memset(nodes, 0, 2 * k * sizeof *nodes);
  if (!world->truth) {
    nodes[1] = world->respondents;
  } else if (world->channel.keep >= 0) {
    status = keep_truths(simulator, draw, counts);
  } else {
    for (size_t x = 0; x < k && status == CANDOR_OK; x++)
      if (world->truth[x] > 0) status = leave_path(simulator, draw, x, &counts[x]);
  }
  if (status != CANDOR_OK) return status;
  if (nodes[1] > 0 && nodes[1] <= (double) (2 * k))
    return candor_pick_draw(draw, k, simulator->ends, simulator->begin, nodes[1], counts);
  status = candor_tree_draw(draw, k, simulator->sums, simulator->splits, nodes);
  for (size_t y = 0; y < k; y++) counts[y] += nodes[k + y];
  return status == CANDOR_OK ? draw->status : status;
}
