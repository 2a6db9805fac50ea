#include "study.h"

#include <math.h>
#include <string.h>

#include "simplex.h"
#include "wide.h"

enum { CHUNK = 512, LANES = 8, PARTS = 128 };

static void *take(unsigned char **memory, size_t bytes)
{
  void *start = *memory;
  *memory += (bytes + 15) / 16 * 16;
  return start;
}

static size_t study_groups(size_t categories, size_t methods, size_t replications)
{
  const size_t most = categories * methods > ((size_t) 1 << 24) / CANDOR_STUDY_GROUPS ? 5 : CANDOR_STUDY_GROUPS;
  return replications < most ? replications : most;
}

size_t candor_study_bytes(size_t categories, int fixed, size_t methods, size_t replications)
{
  const size_t groups = study_groups(categories, methods, replications);
  return candor_simulator_bytes(categories, fixed) + candor_spectrum_bytes(categories) +
         categories * sizeof(double) * (6 + (methods + 1) * groups) + 4096;
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
  study->seen = take(&at, k * sizeof *study->seen);
  study->sums = take(&at, k * n_methods * study->groups * sizeof *study->sums);
  study->shared = take(&at, k * study->groups * sizeof *study->shared);
  void *spectrum = take(&at, candor_spectrum_bytes(k));
  const candor_status status = candor_simulator_start(&study->simulator, world, at);
  if (status != CANDOR_OK) return status;
  candor_spectrum_start(&study->spectrum, &study->simulator.world.channel, world->respondents, spectrum);
  for (size_t i = 0; i < k; i++) {
    reference[i] = world->truth ? world->truth[i] / world->respondents : world->theta[i];
    study->reference_squares += reference[i] * reference[i];
  }
  study->reference = reference;
  return CANDOR_OK;
}

/* ---- errors ---- */

/* Squared and absolute error of the estimates against theta; the estimates are added to `sums`.
 * Lanes, so that no addition waits for the one before. */
static CANDOR_WIDE void add_errors(const double *restrict x, const double *restrict theta, size_t n,
                                   const candor_ramp *r, double *restrict sums, double *squares, double *absolute)
{
  double square[LANES] = {0}, distance[LANES] = {0};
  const double start = r->start, slope = r->slope, least = r->line ? -INFINITY : 0.0;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    double estimate[LANES], error[LANES];
    for (size_t l = 0; l < LANES; l++) estimate[l] = x[i + l] - start;
    for (size_t l = 0; l < LANES; l++) estimate[l] = estimate[l] > least ? estimate[l] : least;
    for (size_t l = 0; l < LANES; l++) estimate[l] *= slope;
    for (size_t l = 0; l < LANES; l++) error[l] = estimate[l] - theta[i + l];
    for (size_t l = 0; l < LANES; l++) sums[i + l] += estimate[l];
    for (size_t l = 0; l < LANES; l++) square[l] += error[l] * error[l];
    for (size_t l = 0; l < LANES; l++) distance[l] += fabs(error[l]);
  }
  for (; i < n; i++) {
    const double estimate = slope * (x[i] - start > least ? x[i] - start : least);
    sums[i] += estimate;
    square[0] += (estimate - theta[i]) * (estimate - theta[i]);
    distance[0] += fabs(estimate - theta[i]);
  }
  for (size_t width = LANES / 2; width > 0; width /= 2) {
    for (size_t l = 0; l < width; l++) square[l] += square[l + width];
    for (size_t l = 0; l < width; l++) distance[l] += distance[l + width];
  }
  *squares += square[0];
  *absolute += distance[0];
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

/* Sums of a group are zeroed when first written to: many cells need only the shared ones, or only the others. */
static double *shared_sums(candor_study *study, size_t group)
{
  const size_t k = study->simulator.world.channel.categories;
  if (!study->has_shared[group]) memset(study->shared + group * k, 0, k * sizeof *study->shared);
  study->has_shared[group] = 1;
  return study->shared + group * k;
}

static void need_sums(candor_study *study, size_t group)
{
  const size_t k = study->simulator.world.channel.categories;
  if (!study->has_sums[group]) memset(group_sums(study, group, 0), 0, study->methods * k * sizeof *study->sums);
  study->has_sums[group] = 1;
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
static void add_seen_errors(candor_study *study, const candor_ramp *r, size_t n_seen, size_t group, size_t m,
                            double *squares, double *absolute)
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

/* Nothing to repair: one estimate stands for all methods. */
static void judge_same(candor_study *study, size_t group)
{
  const size_t k = study->simulator.world.channel.categories;
  const candor_ramp r = candor_ramp_of(&study->spectrum, CANDOR_STUDY_INV);
  double squares = 0.0, absolute = 0.0;
  add_errors(study->counts, study->reference, k, &r, shared_sums(study, group), &squares, &absolute);
  const double nll = candor_counts_nll(&study->spectrum, study->counts);
  for (size_t m = 0; m < study->methods; m++) record(study, m, group, squares, absolute, nll);
}

static void judge_ramps(candor_study *study, size_t group)
{
  const size_t k = study->simulator.world.channel.categories;
  candor_ramp ramps[CANDOR_STUDY_METHODS];
  double squares[CANDOR_STUDY_METHODS] = {0}, absolute[CANDOR_STUDY_METHODS] = {0};
  const size_t n_seen = find_seen(study);
  if (n_seen > 0) {
    candor_spectrum_sparse(&study->spectrum, study->counts, study->seen, n_seen);
  } else {
    if (candor_spectrum_range(&study->spectrum, study->counts)) {
      judge_same(study, group);
      return;
    }
    candor_spectrum_of(&study->spectrum, study->counts);
  }
  need_sums(study, group);
  for (size_t m = 0; m < study->methods; m++) {
    ramps[m] = candor_ramp_of(&study->spectrum, study->method[m]);
    if (n_seen > 0) add_seen_errors(study, &ramps[m], n_seen, group, m, &squares[m], &absolute[m]);
  }
  for (size_t from = 0; from < k && n_seen == 0; from += CHUNK) {
    const size_t n = k - from < CHUNK ? k - from : CHUNK;
    for (size_t m = 0; m < study->methods; m++) {
      add_errors(study->counts + from, study->reference + from, n, &ramps[m], group_sums(study, group, m) + from,
                 &squares[m], &absolute[m]);
    }
  }
  for (size_t m = 0; m < study->methods; m++) {
    record(study, m, group, squares[m], absolute[m], candor_ramp_nll(&study->spectrum, study->method[m], &ramps[m]));
  }
}

/* Unequal b, or p < q: the kernels of simplex.h, category by category. */
static candor_status judge_estimates(candor_study *study, size_t group)
{
  const candor_additive *channel = &study->simulator.world.channel;
  const size_t k = channel->categories;
  const candor_ramp same = {1.0, 0.0, 1};
  candor_simplex_fit fit;
  need_sums(study, group);
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
      const double b = channel->other ? channel->other[y] : channel->other_all;
      if (study->counts[y] > 0) nll -= study->counts[y] * log(b + channel->keep * study->estimate[y]);
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
    if (study->done % CANDOR_STREAMS == 0) candor_streams_start(study->streams, study->seed, study->cell, study->done);
    stream = study->streams[study->done % CANDOR_STREAMS];
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

static CANDOR_WIDE void subtract_shares(double none, double size, const double *restrict reference, size_t n,
                                        double *restrict part)
{
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t l = 0; l < LANES; l++) part[i + l] = none - size * reference[i + l];
  }
  for (; i < n; i++) part[i] = none - size * reference[i];
}

static CANDOR_WIDE void add_to(double *restrict sum, const double *restrict x, size_t n)
{
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t l = 0; l < LANES; l++) sum[i + l] += x[i + l];
  }
  for (; i < n; i++) sum[i] += x[i];
}

static CANDOR_WIDE void add_products(const double *restrict x, const double *restrict y, size_t n, double *xx,
                                     double *xy)
{
  double square[LANES] = {0}, product[LANES] = {0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t l = 0; l < LANES; l++) square[l] += x[i + l] * x[i + l];
    for (size_t l = 0; l < LANES; l++) product[l] += x[i + l] * y[i + l];
  }
  for (; i < n; i++) {
    square[0] += x[i] * x[i];
    product[0] += x[i] * y[i];
  }
  for (size_t l = 0; l < LANES; l++) *xx += square[l];
  for (size_t l = 0; l < LANES; l++) *xy += product[l];
}

static void finish_split(const candor_study *study, size_t m, double *estimate, double *error)
{
  const size_t k = study->simulator.world.channel.categories, groups = study->groups;
  const double r = (double) study->done;
  double length2 = 0.0, own[CANDOR_STUDY_GROUPS] = {0}, product[CANDOR_STUDY_GROUPS] = {0}, squares = 0.0;
  for (size_t from = 0; from < k; from += PARTS) {
    const size_t n = k - from < PARTS ? k - from : PARTS;
    double part[CANDOR_STUDY_GROUPS][PARTS], total[PARTS] = {0}, unused = 0.0;
    for (size_t g = 0; g < groups; g++) {
      subtract_shares(study->group_none[m][g], study->group_size[g], study->reference + from, n, part[g]);
      if (study->has_sums[g]) add_to(part[g], group_sums(study, g, m) + from, n);
      if (study->has_shared[g]) add_to(part[g], study->shared + g * k + from, n);
      add_to(total, part[g], n);
    }
    for (size_t g = 0; g < groups; g++) add_products(part[g], total, n, &own[g], &product[g]);
    add_products(total, total, n, &length2, &unused);
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
