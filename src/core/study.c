#include "study.h"

#include <math.h>
#include <string.h>

#include "lanes.h"
#include "simplex.h"

enum {
  LARGEST_KEPT = 1500,   /* a binomial of more trials gets no table */
  NO_TABLE = CANDOR_MULTINOMIAL_CLASSES - 1,
  HISTOGRAM = 4096,      /* counts from here on are not sorted into a histogram */
  HISTOGRAM_FROM = 32,   /* nor are those of fewer categories, nor counts above 4 K */
  CHUNK = 512
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
         slots * (4 * sizeof(double) + sizeof(uint32_t) + 1) + 4096;
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
  simulator->scratch = take(&at, k * sizeof *simulator->scratch);
  simulator->holders = take(&at, k * sizeof *simulator->holders);
  simulator->kept_class = take(&at, k);
  double *weights = take(&at, k * sizeof *weights);
  double total = 0.0;
  for (size_t y = 0; y < k; y++) {
    const double m = other(&world->channel, y) + (world->truth ? 0.0 : a * world->theta[y]);
    weights[y] = m > 0.0 ? m : 0.0;
    total += weights[y];
  }
  if (world->truth && a < 0) return CANDOR_OK;
  if (world->truth) status = plan_kept(simulator, &at);
  /* With a = 1 and a fixed truth nobody is left for the others. */
  if (status != CANDOR_OK || !(total > 0.0)) return status;
  return world->truth ? candor_multinomial_plan(&simulator->reports, weights, k, n * (1.0 - a), n * a * (1.0 - a), at)
                      : candor_multinomial_plan(&simulator->reports, weights, k, n, 0.0, at);
}

/* a < 0, fixed truth: from each truth its own row, by one conditional binomial after the other. */
static candor_status simulate_rows(const candor_simulator *simulator, candor_draw *draw, double *counts)
{
  const candor_additive *channel = &simulator->world.channel;
  for (size_t x = 0; x < channel->categories; x++) {
    double left = simulator->world.truth[x], tail = 1.0;
    for (size_t y = 0; y < channel->categories && left > 0; y++) {
      const double p = fmax(0.0, other(channel, y) + (x == y ? channel->keep : 0.0));
      double count = left;
      if (y + 1 < channel->categories && p < tail) {
        const candor_status status = candor_draw_binomial(draw, left, p / tail, &count);
        if (status != CANDOR_OK) return status;
      }
      counts[y] += count;
      left -= count;
      tail -= p;
    }
  }
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

/* ---- estimates as ramps: slope * max(0, count - start), or without the max ---- */

typedef struct ramp {
  double slope, start;
  int line; /* without */
} ramp;

/* Counts below it are sorted into histograms. */
static size_t bins(size_t categories)
{
  return 4 * categories < HISTOGRAM ? 4 * categories : HISTOGRAM;
}

static size_t study_groups(size_t categories, size_t methods, size_t replications)
{
  const size_t most = categories * methods > ((size_t) 1 << 24) / CANDOR_STUDY_GROUPS ? 5 : CANDOR_STUDY_GROUPS;
  return replications < most ? replications : most;
}

size_t candor_study_bytes(size_t categories, int fixed, size_t methods, size_t replications)
{
  return candor_simulator_bytes(categories, fixed) + 4 * bins(categories) * sizeof(uint32_t) +
         categories * sizeof(double) * (11 + methods * study_groups(categories, methods, replications)) + 4096;
}

candor_status candor_study_start(candor_study *study, const candor_world *world, const int *methods,
                                 size_t n_methods, size_t replications, uint64_t seed, uint64_t cell, void *memory)
{
  const size_t k = world->channel.categories;
  if (n_methods == 0 || n_methods > CANDOR_STUDY_METHODS || replications == 0) return CANDOR_DOMAIN;
  unsigned seen = 0;
  for (size_t m = 0; m < n_methods; m++) {
    if (methods[m] < 0 || methods[m] >= CANDOR_STUDY_METHODS || seen >> methods[m] & 1) return CANDOR_DOMAIN;
    seen |= 1u << methods[m];
  }
  memset(study, 0, sizeof *study);
  study->seed = seed;
  study->cell = cell;
  study->replications = replications;
  study->methods = n_methods;
  study->groups = study_groups(k, n_methods, replications);
  memcpy(study->method, methods, n_methods * sizeof *methods);

  unsigned char *at = memory;
  double *reference = take(&at, k * sizeof *reference);
  study->counts = take(&at, k * sizeof *study->counts);
  study->estimate = take(&at, k * sizeof *study->estimate);
  study->work = take(&at, 2 * k * sizeof *study->work);
  study->value = take(&at, (k + 1) * sizeof *study->value);
  study->multiplicity = take(&at, (k + 1) * sizeof *study->multiplicity);
  study->logs = take(&at, (k + 1) * sizeof *study->logs);
  study->seen = take(&at, (k + 1) * sizeof *study->seen);
  study->histogram = take(&at, 4 * bins(k) * sizeof *study->histogram);
  study->sums = take(&at, k * n_methods * study->groups * sizeof *study->sums);
  const candor_status status = candor_simulator_start(&study->simulator, world, at);
  if (status != CANDOR_OK) return status;
  memset(study->histogram, 0, 4 * bins(k) * sizeof *study->histogram);
  memset(study->sums, 0, k * n_methods * study->groups * sizeof *study->sums);
  for (size_t i = 0; i < k; i++) {
    reference[i] = world->truth ? world->truth[i] / world->respondents : world->theta[i];
    study->reference_squares += reference[i] * reference[i];
  }
  study->reference = reference;
  return CANDOR_OK;
}

/* Each category's count into one of four histograms, in turn: equal neighbours, zeros above all, would
 * otherwise wait for each other. Counts too large for them are listed. Returns how many those are. */
static size_t fill_histograms(const double *counts, size_t k, uint32_t *histogram, double *large, size_t *highest)
{
  const double limit = (double) bins(k);
  size_t d = 0, top = 0;
  for (size_t i = 0; i < k; i++) {
    if (counts[i] < limit) {
      const size_t place = (size_t) (int64_t) counts[i];
      histogram[4 * place + i % 4]++;
      top = place > top ? place : top;
    } else {
      large[d++] = counts[i];
    }
  }
  *highest = top;
  return d;
}

/* The distinct counts and how many categories have each: all that the estimates depend on. `n_seen` as find_seen()
 * says. */
static void count_counts(candor_study *study, size_t n_seen)
{
  const size_t k = study->simulator.world.channel.categories;
  size_t d = 0, highest = 0;
  if (n_seen > 0) {
    for (; d < n_seen; d++) {
      study->value[d] = study->counts[study->seen[d]];
      study->multiplicity[d] = 1.0;
    }
    study->value[d] = 0.0;
    study->multiplicity[d++] = (double) (k - n_seen);
  } else if (k < HISTOGRAM_FROM) {
    memcpy(study->value, study->counts, k * sizeof *study->value);
    d = k;
  } else {
    d = fill_histograms(study->counts, k, study->histogram, study->value, &highest);
  }
  for (size_t i = 0; i < d && n_seen == 0; i++) {
    study->multiplicity[i] = 1.0;
  }
  for (size_t v = 0; n_seen == 0 && k >= HISTOGRAM_FROM && v <= highest; v++) {
    uint32_t *bin = study->histogram + 4 * v;
    const uint32_t categories = (bin[0] + bin[1]) + (bin[2] + bin[3]);
    bin[0] = bin[1] = bin[2] = bin[3] = 0;
    study->value[d] = (double) v;
    study->multiplicity[d] = categories;
    d += categories > 0;
  }
  study->distinct = d;
  study->lowest = INFINITY;
  for (size_t j = 0; j < d; j++) {
    study->lowest = study->value[j] < study->lowest ? study->value[j] : study->lowest;
    study->logs[j] = study->value[j] > 1.0 ? log(study->value[j]) : 0.0;
  }
}

/* Sum and number of the categories with a count above `start`. */
static void above(const candor_study *study, double start, double *sum, double *number)
{
  const double *value = study->value, *multiplicity = study->multiplicity;
  double s[4] = {0, 0, 0, 0}, n[4] = {0, 0, 0, 0};
  for (size_t d = 0; d < study->distinct; d++) {
    const double weight = value[d] > start ? multiplicity[d] : 0.0;
    s[d % 4] += weight * value[d];
    n[d % 4] += weight;
  }
  *sum = (s[0] + s[1]) + (s[2] + s[3]);
  *number = (n[0] + n[1]) + (n[2] + n[3]);
}

/* The start at which sum max(0, count - start) = target + r start / 1: Newton's steps from below, see
 * simplex.h. They end, because each drops a category. */
static double solve_start(const candor_study *study, double target, double r, double *sum, double *number)
{
  *sum = study->simulator.world.respondents;
  *number = (double) study->simulator.world.channel.categories;
  for (;;) {
    const double next = (*sum - target) / (*number + r);
    double s, n;
    above(study, next, &s, &n);
    if (n == *number || n == 0.0) return next;
    *sum = s;
    *number = n;
  }
}

static ramp find_ramp(const candor_study *study, int method)
{
  const candor_additive *channel = &study->simulator.world.channel;
  const double n = study->simulator.world.respondents, a = channel->keep;
  const double at_zero = n * (1.0 - a) / (double) channel->categories; /* the count whose inversion is zero */
  double sum, number;
  ramp r = {1.0 / (n * a), at_zero, 0};
  switch (method) {
  case CANDOR_STUDY_INV:
    r.line = 1;
    break;
  case CANDOR_STUDY_INVN:
    above(study, at_zero, &sum, &number);
    r.slope = 1.0 / (sum - number * at_zero);
    break;
  case CANDOR_STUDY_INVP:
    r.start = solve_start(study, n * a, 0.0, &sum, &number);
    break;
  default:
    if (isinf(channel->odds)) {
      r.start = 0.0;
      r.slope = 1.0 / n;
    } else {
      r.start = solve_start(study, 0.0, channel->odds, &sum, &number);
      r.slope = (number + channel->odds) / (sum * channel->odds);
    }
  }
  return r;
}

/* sum_d n_d log n_d over the counts above `start`, and the reports at or below it. */
static double own_logs(const candor_study *study, double start, double *below)
{
  double sum = 0.0;
  *below = 0.0;
  for (size_t d = 0; d < study->distinct; d++) {
    const double value = study->value[d], weight = study->multiplicity[d] * value;
    if (value > start) sum += weight * study->logs[d];
    else *below += weight;
  }
  return sum;
}

/* Minus the mean log-likelihood of the reports under a ramp, m = b + a slope max(0, count - start). Inversion
 * reproduces the reported shares, and so does every estimate that clips nothing; the MLE reproduces them up to a
 * factor where it is not zero. */
static double ramp_nll(const candor_study *study, int method, const ramp *r)
{
  const candor_additive *channel = &study->simulator.world.channel;
  const double n = study->simulator.world.respondents, b = channel->other_all;
  const double slope = channel->keep * r->slope, level = b - slope * r->start;
  const int same = method == CANDOR_STUDY_INV || r->start < study->lowest;
  double below = 0.0, sum = 0.0;
  if (same || method == CANDOR_STUDY_MLE) {
    sum = own_logs(study, same ? 0.0 : r->start, &below) + (n - below) * log(same ? 1.0 / n : slope);
  } else {
    for (size_t d = 0; d < study->distinct; d++) {
      const double value = study->value[d], weight = study->multiplicity[d] * value;
      if (value > r->start) sum += weight * log(level + slope * value);
      else below += weight;
    }
  }
  return -(sum + (below > 0.0 ? below * log(b) : 0.0)) / n;
}

/* ---- errors ---- */

/* Squared and absolute error of the estimates against theta; the estimates are added to `sums`.
 * Lanes, so that no addition waits for the one before; max(0, x) as (x + |x|) / 2, which is exact, so that a
 * compiler at -O2 finds vectors in them. */
static void add_errors(const double *restrict x, const double *restrict theta, size_t n, const ramp *r,
                       double *restrict sums, double *squares, double *absolute)
{
  double square[4] = {0, 0, 0, 0}, distance[4] = {0, 0, 0, 0};
  const double start = r->start, linear = r->line ? r->slope : 0.5 * r->slope, bent = r->line ? 0.0 : linear;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    double estimate[4], error[4];
    for (size_t l = 0; l < 4; l++) estimate[l] = x[i + l] - start;
    for (size_t l = 0; l < 4; l++) estimate[l] = linear * estimate[l] + bent * fabs(estimate[l]);
    for (size_t l = 0; l < 4; l++) error[l] = estimate[l] - theta[i + l];
    for (size_t l = 0; l < 4; l++) sums[i + l] += estimate[l];
    for (size_t l = 0; l < 4; l++) square[l] += error[l] * error[l];
    for (size_t l = 0; l < 4; l++) distance[l] += fabs(error[l]);
  }
  for (; i < n; i++) {
    const double estimate = linear * (x[i] - start) + bent * fabs(x[i] - start);
    sums[i] += estimate;
    square[0] += (estimate - theta[i]) * (estimate - theta[i]);
    distance[0] += fabs(estimate - theta[i]);
  }
  *squares += (square[0] + square[1]) + (square[2] + square[3]);
  *absolute += (distance[0] + distance[1]) + (distance[2] + distance[3]);
}

static void add_moment(candor_moments *moments, double x)
{
  const double difference = x - moments->mean;
  moments->n += 1.0;
  moments->mean += difference / moments->n;
  moments->squares += difference * (x - moments->mean);
}

static double *group_sums(const candor_study *study, size_t group, size_t method)
{
  return study->sums + (group * study->methods + method) * study->simulator.world.channel.categories;
}

static void record(candor_study *study, size_t m, size_t group, double squares, double absolute, double nll)
{
  add_moment(&study->moments[m][CANDOR_STUDY_MSE], squares);
  add_moment(&study->moments[m][CANDOR_STUDY_TV], 0.5 * absolute);
  add_moment(&study->moments[m][CANDOR_STUDY_NLL], nll);
  study->group_squares[m][group] += squares;
}

/* Where most categories have no report, those that have: how many, and their places in `seen`. 0: too many. */
static size_t find_seen(candor_study *study)
{
  const size_t k = study->simulator.world.channel.categories;
  const double *counts = study->counts;
  size_t seen = 0;
  if (study->simulator.world.respondents > 0.25 * (double) k) return 0;
  for (size_t from = 0; from < k; from += 8) {
    const size_t to = k - from < 8 ? k : from + 8;
    double any = 0.0;
    for (size_t i = from; i < to; i++) any += counts[i];
    for (size_t i = from; i < to && any > 0.0; i++) {
      study->seen[seen] = (uint32_t) i;
      seen += counts[i] > 0.0;
    }
  }
  return seen;
}

/* The errors of one method, from the seen categories: all others have one estimate, which lies at or below zero, so
 * that its errors add up to what the shares of the truth add up to. */
static void add_seen_errors(candor_study *study, const ramp *r, size_t n_seen, size_t group, size_t m, double *squares,
                            double *absolute)
{
  const double k = (double) study->simulator.world.channel.categories;
  const double none = r->line ? -r->slope * r->start : 0.0;
  double *sums = group_sums(study, group, m);
  double shares = 1.0, shares2 = study->reference_squares, square = 0.0, distance = 0.0;
  for (size_t j = 0; j < n_seen; j++) {
    const size_t i = study->seen[j];
    const double raw = r->slope * (study->counts[i] - r->start), estimate = r->line || raw > 0.0 ? raw : 0.0;
    const double theta = study->reference[i], error = estimate - theta;
    sums[i] += estimate - none;
    square += error * error;
    distance += fabs(error);
    shares -= theta;
    shares2 -= theta * theta;
  }
  const double others = k - (double) n_seen;
  shares = shares > 0.0 ? shares : 0.0;
  shares2 = shares2 > 0.0 ? shares2 : 0.0;
  study->group_none[m][group] += none;
  *squares = square + others * none * none - 2.0 * none * shares + shares2;
  *absolute = distance + shares - others * none;
}

static void judge_ramps(candor_study *study, size_t group)
{
  const size_t k = study->simulator.world.channel.categories;
  ramp ramps[CANDOR_STUDY_METHODS];
  double squares[CANDOR_STUDY_METHODS] = {0}, absolute[CANDOR_STUDY_METHODS] = {0};
  const size_t n_seen = find_seen(study);
  count_counts(study, n_seen);
  for (size_t m = 0; m < study->methods; m++) {
    ramps[m] = find_ramp(study, study->method[m]);
    if (n_seen > 0) add_seen_errors(study, &ramps[m], n_seen, group, m, &squares[m], &absolute[m]);
  }
  for (size_t m = 0; m < study->methods && n_seen > 0; m++) {
    record(study, m, group, squares[m], absolute[m], ramp_nll(study, study->method[m], &ramps[m]));
  }
  if (n_seen > 0) return;
  for (size_t from = 0; from < k; from += CHUNK) {
    const size_t n = k - from < CHUNK ? k - from : CHUNK;
    for (size_t m = 0; m < study->methods; m++) {
      add_errors(study->counts + from, study->reference + from, n, &ramps[m], group_sums(study, group, m) + from,
                 &squares[m], &absolute[m]);
    }
  }
  for (size_t m = 0; m < study->methods; m++) {
    record(study, m, group, squares[m], absolute[m], ramp_nll(study, study->method[m], &ramps[m]));
  }
}

/* Unequal b, or p < q: the kernels of simplex.h, category by category. */
static candor_status judge_estimates(candor_study *study, size_t group)
{
  const candor_additive *channel = &study->simulator.world.channel;
  const size_t k = channel->categories;
  const ramp same = {1.0, 0.0, 1};
  candor_simplex_fit fit;
  for (size_t m = 0; m < study->methods; m++) {
    candor_status status;
    switch (study->method[m]) {
    case CANDOR_STUDY_INV: status = candor_inv(channel, study->counts, study->estimate); break;
    case CANDOR_STUDY_INVN: status = candor_invn(channel, study->counts, study->estimate); break;
    case CANDOR_STUDY_INVP: status = candor_invp(channel, study->counts, study->work, &fit, study->estimate); break;
    default: status = candor_mle(channel, study->counts, 0, study->work, &fit, study->estimate);
    }
    if (status != CANDOR_OK) return status;
    double nll = 0.0, squares = 0.0, absolute = 0.0;
    for (size_t y = 0; y < k; y++) {
      if (study->counts[y] > 0) nll -= study->counts[y] * log(other(channel, y) + channel->keep * study->estimate[y]);
    }
    add_errors(study->estimate, study->reference, k, &same, group_sums(study, group, m), &squares, &absolute);
    record(study, m, group, squares, absolute, nll / study->simulator.world.respondents);
  }
  return CANDOR_OK;
}

candor_status candor_study_run(candor_study *study, size_t chunk)
{
  const candor_additive *channel = &study->simulator.world.channel;
  candor_stream stream;
  const candor_random random = {candor_stream_fill, &stream};
  candor_draw draw;
  for (size_t done = 0; done < chunk && study->done < study->replications; done++) {
    const size_t group = study->done * study->groups / study->replications;
    candor_stream_start(&stream, study->seed, study->cell, study->done);
    candor_draw_start(&draw, &random);
    candor_status status = candor_simulate(&study->simulator, &draw, study->counts);
    if (status != CANDOR_OK) return status;
    if (channel->keep > 0 && !channel->other) judge_ramps(study, group);
    else status = judge_estimates(study, group);
    if (status != CANDOR_OK) return status;
    study->group_size[group] += 1.0;
    study->done++;
  }
  return study->done < study->replications ? CANDOR_AGAIN : CANDOR_OK;
}

/* ---- results ---- */

/* Unbiased variance and squared bias, summed over categories, from R replications whose errors add up to a
 * vector of squared length `length2` and whose squared errors add up to `squares`. */
static void split_error(double r, double length2, double squares, double *bias2, double *variance)
{
  *variance = r < 2.0 ? NAN : (squares - length2 / r) / (r - 1.0);
  *bias2 = length2 / (r * r) - *variance / r;
}

static void spread_of(const double *x, size_t n, double *error)
{
  double mean = 0.0, squares = 0.0;
  for (size_t g = 0; g < n; g++) mean += x[g] / (double) n;
  for (size_t g = 0; g < n; g++) squares += (x[g] - mean) * (x[g] - mean);
  *error = n > 1 ? sqrt(squares * ((double) n - 1.0) / (double) n) : NAN;
}

static void finish_split(const candor_study *study, size_t m, double *estimate, double *error)
{
  const size_t k = study->simulator.world.channel.categories, groups = study->groups;
  const double r = (double) study->done;
  double length2 = 0.0, own[CANDOR_STUDY_GROUPS] = {0}, product[CANDOR_STUDY_GROUPS] = {0}, squares = 0.0;
  for (size_t i = 0; i < k; i++) {
    double part[CANDOR_STUDY_GROUPS], total = 0.0;
    for (size_t g = 0; g < groups; g++) {
      part[g] = group_sums(study, g, m)[i] + study->group_none[m][g] - study->group_size[g] * study->reference[i];
      total += part[g];
    }
    length2 += total * total;
    for (size_t g = 0; g < groups; g++) {
      own[g] += part[g] * part[g];
      product[g] += part[g] * total;
    }
  }
  double bias2[CANDOR_STUDY_GROUPS], variance[CANDOR_STUDY_GROUPS];
  for (size_t g = 0; g < groups; g++) squares += study->group_squares[m][g];
  for (size_t g = 0; g < groups; g++) {
    split_error(r - study->group_size[g], length2 - 2.0 * product[g] + own[g], squares - study->group_squares[m][g],
                &bias2[g], &variance[g]);
  }
  split_error(r, length2, squares, &estimate[CANDOR_STUDY_BIAS2], &estimate[CANDOR_STUDY_VARIANCE]);
  spread_of(bias2, groups, &error[CANDOR_STUDY_BIAS2]);
  spread_of(variance, groups, &error[CANDOR_STUDY_VARIANCE]);
}

void candor_study_finish(const candor_study *study, double *estimate, double *error)
{
  for (size_t m = 0; m < study->methods; m++) {
    for (size_t j = 0; j < CANDOR_STUDY_BIAS2; j++) {
      const candor_moments *moments = &study->moments[m][j];
      estimate[m * CANDOR_STUDY_METRICS + j] = moments->mean;
      error[m * CANDOR_STUDY_METRICS + j] =
        moments->n > 1 ? sqrt(moments->squares / (moments->n - 1.0) / moments->n) : NAN;
    }
    finish_split(study, m, estimate + m * CANDOR_STUDY_METRICS, error + m * CANDOR_STUDY_METRICS);
  }
}
