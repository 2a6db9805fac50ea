/* Means and covariances against complete enumeration: every report of every row, for a fixed truth and for
 * rows drawn from its proportions. Three columns, probabilities of their own, one with p < q. */
#include "check.h"
#include "inverse_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "joint/association.h"
#include "joint/cooccurrence.h"
#include "joint/tmdh.h"

#define COLUMNS 3
#define ROWS 3
#define SETS 8

static double p[COLUMNS] = {0.8, 0.95, 0.25};
static double q[COLUMNS] = {0.1, 0.3, 0.6};

static candor_set_list sets;
static size_t work[256];
static int member[SETS][CANDOR_SET_MAX];
static size_t size_of[SETS];

static double channel(size_t x, size_t y)
{
  double probability = 1;
  for (size_t j = 0; j < COLUMNS; j++) {
    const double one = (x >> j) & 1 ? p[j] : q[j];
    probability *= (y >> j) & 1 ? one : 1 - one;
  }
  return probability;
}

static void count(const size_t *row, double by_set[SETS])
{
  double by_mask[SETS] = {0};
  for (size_t i = 0; i < ROWS; i++) by_mask[row[i]] += 1;
  candor_superset_sum(by_mask, COLUMNS);
  candor_sets_from_masks(&sets, by_mask, by_set);
}

static void estimate(const double c[SETS], double mean[SETS])
{
  memcpy(mean, c, SETS * sizeof *mean);
  for (size_t j = 0; j < COLUMNS; j++) {
    double weight[2];
    inverse_weights(p[j], q[j], weight);
    CHECK(candor_sets_axis(&sets, j, weight[0], weight[1], mean) == CANDOR_OK);
  }
}

typedef struct centring {
  double base[COLUMNS], scale[COLUMNS], value[SETS];
} centring;

static centring centred_of(const double c[SETS])
{
  centring centre;
  const candor_table reported = {&sets, c, 0, 0, NULL, NULL};
  CHECK(candor_centre(&reported, p, q, centre.base, centre.scale, centre.value, NULL) == CANDOR_OK);
  return centre;
}

/* First and second moments of reported counts and of estimates, and the mean of the covariance estimate. */
typedef struct moments {
  double weight;
  double c[SETS], mu[SETS], cc[SETS][SETS], mumu[SETS][SETS], covariance[SETS][SETS];
} moments;

static void add(moments *m, double probability, const size_t *report, candor_target target)
{
  double c[SETS], mu[SETS];
  count(report, c);
  estimate(c, mu);
  const candor_table table = {&sets, mu, 0, 0, NULL, NULL};
  const centring centre = centred_of(c);
  const candor_table deviations = {&sets, centre.value, 0, 0, NULL, NULL};
  const candor_centred centred = {&deviations, centre.base, centre.scale};
  const candor_histogram h = {&table, p, q, target, 0, NULL, &centred};
  m->weight += probability;
  for (size_t a = 0; a < SETS; a++) {
    m->c[a] += probability * c[a];
    m->mu[a] += probability * mu[a];
    for (size_t b = 0; b < SETS; b++) {
      m->cc[a][b] += probability * c[a] * c[b];
      m->mumu[a][b] += probability * mu[a] * mu[b];
      if (a > 0 && b > 0) {
        double entry;
        CHECK(candor_tmdh_entry(&h, member[a], size_of[a], member[b], size_of[b], &entry) == CANDOR_OK);
        m->covariance[a][b] += probability * entry;
      }
    }
  }
}

/* Theorems 3.1 to 3.3 (reports), 3.5 and 3.6 (estimates): exact for the truth t, unbiased from reports. */
static void compare(const moments *m, const double t[SETS], candor_target target)
{
  const candor_table table = {&sets, t, 0, 0, NULL, NULL};
  double expected[SETS];
  memcpy(expected, t, sizeof expected);
  for (size_t j = 0; j < COLUMNS; j++) {
    double weight[2];
    candor_weights_report(p[j], q[j], weight);
    CHECK(candor_sets_axis(&sets, j, weight[0], weight[1], expected) == CANDOR_OK);
  }
  const centring centre = centred_of(expected);
  const candor_table deviations = {&sets, centre.value, 0, 0, NULL, NULL};
  const candor_centred centred = {&deviations, centre.base, centre.scale};
  const candor_histogram known = {&table, p, q, target, 1, NULL, &centred};
  CHECK_NEAR(m->weight, 1, 1e-12);
  for (size_t a = 1; a < SETS; a++) {
    CHECK_NEAR(m->mu[a], t[a], 1e-10);
    for (size_t b = 1; b < SETS; b++) {
      double entry;
      CHECK(candor_pmdh_entry(&known, member[a], size_of[a], member[b], size_of[b], &entry) == CANDOR_OK);
      CHECK_NEAR(entry, m->cc[a][b] - m->c[a] * m->c[b], 1e-11);
      CHECK(candor_tmdh_entry(&known, member[a], size_of[a], member[b], size_of[b], &entry) == CANDOR_OK);
      CHECK_NEAR(entry, m->mumu[a][b] - m->mu[a] * m->mu[b], 1e-9);
      CHECK_NEAR(m->covariance[a][b], entry, 1e-9);
    }
  }
}

static void enumerate(void)
{
  const size_t truth[ROWS] = {7, 2, 4};
  double t[SETS];
  moments *fixed = calloc(1, sizeof *fixed), *sampled = calloc(1, sizeof *sampled);
  count(truth, t);
  for (size_t report = 0; report < 512; report++) {
    const size_t y[ROWS] = {report & 7, (report >> 3) & 7, report >> 6};
    double probability = 1, sampled_probability = 1;
    for (size_t i = 0; i < ROWS; i++) {
      probability *= channel(truth[i], y[i]);
      double mixture = 0;
      for (size_t k = 0; k < ROWS; k++) mixture += channel(truth[k], y[i]) / ROWS;
      sampled_probability *= mixture;
    }
    add(fixed, probability, y, CANDOR_SAMPLE);
    add(sampled, sampled_probability, y, CANDOR_POPULATION);
  }
  compare(fixed, t, CANDOR_SAMPLE);
  compare(sampled, t, CANDOR_POPULATION);
  free(fixed);
  free(sampled);
}

/* The block of all sets, the sparse columns and the pairs say what the single entries say. */
static void agree(void)
{
  const size_t report[ROWS] = {5, 3, 6};
  double c[SETS], mu[SETS], by_mask[SETS] = {0}, mean_by_mask[SETS], all[49], spare[54 + 32];
  count(report, c);
  estimate(c, mu);
  candor_sets_to_masks(&sets, c, by_mask);
  candor_sets_to_masks(&sets, mu, mean_by_mask);
  const candor_table table = {&sets, mu, 0, 0, NULL, NULL};
  const centring centre = centred_of(c);
  const candor_table deviations = {&sets, centre.value, 0, 0, NULL, NULL};
  const candor_centred centred = {&deviations, centre.base, centre.scale};
  double nonzero = 0;
  for (int target = 0; target < 2; target++) {
    const candor_histogram h = {&table, p, q, target ? CANDOR_POPULATION : CANDOR_SAMPLE, 0, NULL, &centred};
    CHECK(candor_tmdh_all(by_mask, mean_by_mask, COLUMNS, p, q, h.target, spare, all) == CANDOR_OK);
    for (size_t a = 1; a < SETS; a++) {
      int row[SETS];
      double value[SETS], entry;
      size_t n = 0, at = 0, mask_a = 0;
      if (h.target == CANDOR_SAMPLE) {
        CHECK(candor_tmdh_column(&h, &sets, a, row, value, &n) == CANDOR_OK);
        nonzero += (double) n;
      } else {
        CHECK(candor_tmdh_column(&h, &sets, a, row, value, &n) == CANDOR_DOMAIN);
      }
      for (size_t m = 0; m < size_of[a]; m++) mask_a |= (size_t) 1 << member[a][m];
      for (size_t b = 1; b <= a; b++) {
        size_t mask_b = 0;
        for (size_t m = 0; m < size_of[b]; m++) mask_b |= (size_t) 1 << member[b][m];
        CHECK(candor_tmdh_entry(&h, member[a], size_of[a], member[b], size_of[b], &entry) == CANDOR_OK);
        CHECK_NEAR(all[(mask_a - 1) + (mask_b - 1) * 7], entry, 1e-10 * (1 + fabs(entry)));
        if (h.target == CANDOR_SAMPLE && (mask_a & mask_b) != 0) {
          CHECK(at < n && row[at] == (int) b - 1);
          CHECK_NEAR(value[at], entry, 0);
          at++;
        }
      }
      CHECK(h.target != CANDOR_SAMPLE || at == n);
    }
    double covariance[3], v_covariance[3], moments[18];
    const candor_pairs out = {covariance, v_covariance, moments};
    CHECK(candor_pair_covariances(&h, &out) == CANDOR_OK);
    for (size_t pair = 0; pair < 3; pair++) {
      const size_t at[3] = {(size_t) member[4 + pair][0] + 1, (size_t) member[4 + pair][1] + 1, 4 + pair};
      const double x = mu[at[0]] / ROWS, y = mu[at[1]] / ROWS, z = mu[at[2]] / ROWS;
      const double gradient[3] = {-y / ROWS, -x / ROWS, 1.0 / ROWS};
      double variance = 0;
      const size_t order[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
      for (size_t k = 0; k < 6; k++) {
        const size_t a = at[order[k][0]], b = at[order[k][1]];
        double entry;
        CHECK(candor_tmdh_entry(&h, member[a], size_of[a], member[b], size_of[b], &entry) == CANDOR_OK);
        CHECK_NEAR(moments[6 * pair + k], entry, 1e-10 * (1 + fabs(entry)));
      }
      for (size_t a = 0; a < 3; a++) {
        for (size_t b = 0; b < 3; b++) {
          double entry;
          CHECK(candor_tmdh_entry(&h, member[at[a]], size_of[at[a]], member[at[b]], size_of[at[b]], &entry) ==
                CANDOR_OK);
          variance += gradient[a] * gradient[b] * entry;
        }
      }
      CHECK_NEAR(covariance[pair], z - x * y, 1e-12);
      CHECK_NEAR(v_covariance[pair], variance, 1e-10 * (1 + fabs(variance)));
    }
  }
  CHECK_NEAR(nonzero, candor_overlaps_total(COLUMNS, COLUMNS), 0);
}

/* Errata C1: one column, N = 10, c = 6, p = .8, q = .1 gives 20/7; (40) as printed gives -390/49.
 * Errata C20: N = 100 and no reports at all: the variance estimate of a pair is -4800/2401. */
static void worked_values(void)
{
  candor_set_list two;
  size_t two_work[64];
  const double pp[2] = {0.8, 0.8}, qq[2] = {0.1, 0.1};
  CHECK(candor_sets_init(&two, 2, 2, two_work) == CANDOR_OK);
  const int one_set[1] = {0}, pair_set[2] = {0, 1};
  double mu[4] = {10, (6 - 1) / 0.7, 0, 0}, entry;
  candor_table table = {&two, mu, 0, 0, NULL, NULL};
  const candor_histogram h = {&table, pp, qq, CANDOR_SAMPLE, 0, NULL, NULL};
  CHECK(candor_tmdh_entry(&h, one_set, 1, one_set, 1, &entry) == CANDOR_OK);
  CHECK_NEAR(entry, 20.0 / 7, 1e-13);
  mu[0] = 100;
  mu[1] = mu[2] = -10 / 0.7;
  mu[3] = 1 / 0.49;
  CHECK(candor_tmdh_entry(&h, pair_set, 2, pair_set, 2, &entry) == CANDOR_OK);
  CHECK_NEAR(entry, -4800.0 / 2401, 1e-12);
}

/* In symmetric designs the union's weight vanishes, so pairs do not need triples. */
static void symmetric_needs_less(void)
{
  candor_set_list low, high;
  size_t low_work[64], high_work[64];
  const double pp[3] = {0.8, 0.9, 0.7}, qq[3] = {0.2, 0.1, 0.3};
  CHECK(candor_sets_init(&low, 3, 2, low_work) == CANDOR_OK);
  CHECK(candor_sets_init(&high, 3, 3, high_work) == CANDOR_OK);
  const double mu[8] = {100, 31, 42, 53, 11, 12, 23, 7};
  const candor_table less = {&low, mu, 0, 0, NULL, NULL}, more = {&high, mu, 0, 0, NULL, NULL};
  const int a[2] = {0, 1}, b[2] = {1, 2};
  double without, with;
  const candor_histogram h_less = {&less, pp, qq, CANDOR_SAMPLE, 0, NULL, NULL},
                         h_more = {&more, pp, qq, CANDOR_SAMPLE, 0, NULL, NULL};
  CHECK(candor_tmdh_entry(&h_less, a, 2, b, 2, &without) == CANDOR_OK);
  CHECK(candor_tmdh_entry(&h_more, a, 2, b, 2, &with) == CANDOR_OK);
  CHECK_NEAR(without, with, 1e-12);
  double base[3], scale[3], value[7];
  const candor_table reported = {&low, mu, 0, 0, NULL, NULL}, deviations = {&low, value, 0, 0, NULL, NULL};
  CHECK(candor_centre(&reported, pp, qq, base, scale, value, NULL) == CANDOR_OK);
  const candor_centred centred = {&deviations, base, scale};
  const candor_histogram skew = {&less, p, q, CANDOR_SAMPLE, 0, NULL, NULL},
                         sampled = {&less, pp, qq, CANDOR_POPULATION, 0, NULL, &centred};
  CHECK(candor_tmdh_entry(&skew, a, 2, b, 2, &without) == CANDOR_DOMAIN);
  CHECK(candor_tmdh_entry(&sampled, a, 2, b, 2, &without) == CANDOR_DOMAIN);
}

/* A question of three categories answered directly (GRR, keep .6, each other .2) beside a yes/no question: its
 * one-hot columns are not independent. Two rows, all reports; sets with at most one category. */
static void direct_encoding(void)
{
  candor_set_list four;
  size_t four_work[256];
  CHECK(candor_sets_init(&four, 4, 4, four_work) == CANDOR_OK);
  const double pp[4] = {0.6, 0.6, 0.6, 0.9}, qq[4] = {0.2, 0.2, 0.2, 0.3};
  const int block[4] = {0, 0, 0, -1};
  const size_t truth[2][2] = {{0, 1}, {2, 0}}; /* category, yes */
  const int set[7][2] = {{0, -1}, {1, -1}, {2, -1}, {3, -1}, {0, 3}, {1, 3}, {2, 3}};
  double mean[7] = {0}, product[7][7] = {{0}}, estimated[7][7] = {{0}};
  for (size_t report = 0; report < 36; report++) {
    const size_t row[2] = {report % 6, report / 6};
    double probability = 1, c[16] = {0}, by_set[16];
    for (size_t i = 0; i < 2; i++) {
      const size_t category = row[i] % 3, yes = row[i] / 3;
      const double one = truth[i][1] ? pp[3] : qq[3];
      probability *= (category == truth[i][0] ? 0.6 : 0.2) * (yes ? one : 1 - one);
      c[((size_t) 1 << category) | yes << 3] += 1;
    }
    candor_superset_sum(c, 4);
    candor_sets_from_masks(&four, c, by_set);
    for (size_t j = 0; j < 4; j++) {
      double weight[2];
      inverse_weights(pp[j], qq[j], weight);
      candor_sets_axis(&four, j, weight[0], weight[1], by_set);
    }
    const candor_table table = {&four, by_set, 0, 0, NULL, NULL};
    const candor_histogram h = {&table, pp, qq, CANDOR_SAMPLE, 0, block, NULL};
    double mu[7];
    for (size_t a = 0; a < 7; a++) {
      mu[a] = by_set[candor_sets_rank(&four, set[a], set[a][1] < 0 ? 1 : 2)];
      mean[a] += probability * mu[a];
    }
    for (size_t a = 0; a < 7; a++) {
      for (size_t b = 0; b < 7; b++) {
        double entry;
        CHECK(candor_tmdh_entry(&h, set[a], set[a][1] < 0 ? 1 : 2, set[b], set[b][1] < 0 ? 1 : 2, &entry) == CANDOR_OK);
        product[a][b] += probability * mu[a] * mu[b];
        estimated[a][b] += probability * entry;
      }
    }
  }
  const double t[7] = {1, 0, 1, 1, 1, 0, 0};
  for (size_t a = 0; a < 7; a++) {
    CHECK_NEAR(mean[a], t[a], 1e-12);
    for (size_t b = 0; b < 7; b++) CHECK_NEAR(estimated[a][b], product[a][b] - mean[a] * mean[b], 1e-11);
  }
}

/* Reports that do not vary have variance 0 under the population target, whatever their number; where one column does
 * vary, what is left is that column's binomial variance times the others' constant. */
static void constant_reports(void)
{
  const double rows[3] = {2, 1001, 757594423};
  for (size_t r = 0; r < 3; r++) {
    for (size_t same = 0; same < 8; same++) {
      for (int vary = 0; vary < 2; vary++) {
        double c[SETS], mu[SETS], by_mask[SETS] = {0}, mean_by_mask[SETS], all[49], spare[54 + 32];
        const double other = vary ? 1 : 0;
        by_mask[same] = rows[r] - other;
        by_mask[same ^ 1] += other;
        candor_superset_sum(by_mask, COLUMNS);
        candor_sets_from_masks(&sets, by_mask, c);
        estimate(c, mu);
        candor_sets_to_masks(&sets, mu, mean_by_mask);
        const candor_table table = {&sets, mu, 0, 0, NULL, NULL};
        const centring centre = centred_of(c);
        const candor_table deviations = {&sets, centre.value, 0, 0, NULL, NULL};
        const candor_centred centred = {&deviations, centre.base, centre.scale};
        const candor_histogram h = {&table, p, q, CANDOR_POPULATION, 0, NULL, &centred};
        CHECK(candor_tmdh_all(by_mask, mean_by_mask, COLUMNS, p, q, CANDOR_POPULATION, spare, all) == CANDOR_OK);
        for (size_t a = 1; a < SETS; a++) {
          for (size_t b = 1; b < SETS; b++) {
            size_t mask_a = 0, mask_b = 0;
            double entry, expected = vary ? 1 - 1 / rows[r] : 0;
            for (size_t m = 0; m < size_of[a]; m++) mask_a |= (size_t) 1 << member[a][m];
            for (size_t m = 0; m < size_of[b]; m++) mask_b |= (size_t) 1 << member[b][m];
            if ((mask_a & mask_b & 1) == 0) expected = 0;
            for (size_t j = 0; j < COLUMNS; j++) {
              const double d = p[j] - q[j], u = (double) ((same >> j) & 1) - q[j];
              expected *= (mask_a >> j) & 1 ? (j == 0 ? 1 / d : u / d) : 1;
              expected *= (mask_b >> j) & 1 ? (j == 0 ? 1 / d : u / d) : 1;
            }
            expected *= rows[r] / (rows[r] - 1);
            CHECK(candor_tmdh_entry(&h, member[a], size_of[a], member[b], size_of[b], &entry) == CANDOR_OK);
            CHECK_NEAR(entry, expected, 1e-14 * fabs(expected));
            CHECK_NEAR(all[(mask_a - 1) + (mask_b - 1) * 7], expected, 1e-14 * fabs(expected));
          }
        }
      }
    }
  }
  /* Without what it is made from there is no population covariance. */
  const double mu[SETS] = {10, 1, 1, 1, 1, 1, 1, 1};
  const candor_table table = {&sets, mu, 0, 0, NULL, NULL};
  const candor_histogram bare = {&table, p, q, CANDOR_POPULATION, 0, NULL, NULL};
  double entry;
  CHECK(candor_tmdh_entry(&bare, member[1], 1, member[1], 1, &entry) == CANDOR_DOMAIN);
}

/* Sets beyond the order of the family are centred as those within it. */
static void further_sets(void)
{
  candor_set_list low;
  size_t low_work[64];
  CHECK(candor_sets_init(&low, COLUMNS, 1, low_work) == CANDOR_OK);
  const size_t report[ROWS] = {5, 7, 6};
  const int further[4 * 3] = {0, 1, -1, 0, 2, -1, 1, 2, -1, 0, 1, 2};
  double c[SETS], base[COLUMNS], scale[COLUMNS], value[4], more_value[4];
  count(report, c);
  const centring centre = centred_of(c);
  const candor_table reported = {&low, c, 4, 3, further, c + 4};
  CHECK(candor_centre(&reported, p, q, base, scale, value, more_value) == CANDOR_OK);
  for (size_t s = 0; s < 4; s++) {
    CHECK_NEAR(value[s], centre.value[s], 0);
    CHECK_NEAR(more_value[s], centre.value[4 + s], 1e-15);
  }
  const candor_table gaps = {&low, c, 1, 3, further + 9, c + 7};
  CHECK(candor_centre(&gaps, p, q, base, scale, value, more_value) == CANDOR_DOMAIN);
}

static void overlaps_of_larger_families(void)
{
  static size_t large_work[4096];
  candor_set_list family;
  for (size_t columns = 2; columns <= 7; columns++) {
    for (size_t order = 1; order <= columns; order++) {
      CHECK(candor_sets_init(&family, columns, order, large_work) == CANDOR_OK);
      double total = 0;
      for (size_t position = 1; position < family.total; position++) {
        int k[CANDOR_SET_MAX], j[CANDOR_SET_MAX];
        const size_t n_k = candor_sets_members(&family, position, k);
        size_t expected = 0;
        for (size_t other = 1; other <= position; other++) {
          const size_t n_j = candor_sets_members(&family, other, j);
          int shared = 0;
          for (size_t a = 0; a < n_j; a++)
            for (size_t b = 0; b < n_k; b++) shared |= j[a] == k[b];
          expected += (size_t) shared;
        }
        total += (double) expected;
      }
      CHECK_NEAR(candor_overlaps_total(columns, order), total, 0);
    }
  }
}

static void refusals(void)
{
  double nobody[SETS] = {0}, one[SETS] = {1, 1, 0, 0, 0, 0, 0, 0}, out[49], spare[3 * 4096], base[3] = {0},
         scale[3] = {1};
  const candor_table empty = {&sets, nobody, 0, 0, NULL, NULL}, single = {&sets, one, 0, 0, NULL, NULL};
  const candor_centred nothing = {&empty, base, scale};
  candor_histogram h = {&single, p, q, CANDOR_POPULATION, 0, NULL, &nothing};
  double entry;
  /* One row says nothing about a population, unless it is the truth. */
  CHECK(candor_tmdh_entry(&h, member[1], 1, member[1], 1, &entry) == CANDOR_EMPTY);
  h.known = 1;
  CHECK(candor_tmdh_entry(&h, member[1], 1, member[1], 1, &entry) == CANDOR_OK);
  h.table = &empty;
  CHECK(candor_tmdh_entry(&h, member[1], 1, member[1], 1, &entry) == CANDOR_EMPTY);
  CHECK(candor_pmdh_entry(&h, member[1], 1, member[1], 1, &entry) == CANDOR_EMPTY);
  for (int target = 0; target < 2; target++) {
    const candor_target kind = target ? CANDOR_POPULATION : CANDOR_SAMPLE;
    CHECK(candor_tmdh_all(nobody, nobody, 3, p, q, kind, spare, out) == CANDOR_EMPTY);
    CHECK(candor_tmdh_all(one, one, 3, p, q, kind, spare, out) == (target ? CANDOR_EMPTY : CANDOR_OK));
    CHECK(candor_tmdh_all(one, one, 0, p, q, kind, spare, out) == CANDOR_DOMAIN);
    CHECK(candor_tmdh_all(one, one, 13, p, q, kind, spare, out) == CANDOR_DOMAIN);
  }
  int long_set[CANDOR_SET_MAX];
  for (int m = 0; m < CANDOR_SET_MAX; m++) long_set[m] = m;
  CHECK(candor_tmdh_entry(&h, long_set, 32, long_set, 32, &entry) == CANDOR_DOMAIN);
  CHECK(candor_pmdh_entry(&h, long_set, 32, long_set, 32, &entry) == CANDOR_DOMAIN);
  /* Sparse columns: of sets that exist, other than the empty one, without blocks. */
  int row[SETS];
  double value[SETS];
  size_t n;
  const int block[3] = {-1, -1, -1};
  h = (candor_histogram){&single, p, q, CANDOR_SAMPLE, 0, NULL, NULL};
  CHECK(candor_tmdh_column(&h, &sets, 7, row, value, &n) == CANDOR_OK && n == 7);
  CHECK(candor_tmdh_column(&h, &sets, 8, row, value, &n) == CANDOR_DOMAIN);
  CHECK(candor_tmdh_column(&h, &sets, 0, row, value, &n) == CANDOR_DOMAIN);
  h.block = block;
  CHECK(candor_tmdh_column(&h, &sets, 1, row, value, &n) == CANDOR_DOMAIN);
  /* Pairs: order 2, and somebody. */
  double covariance[3], v_covariance[3];
  const candor_pairs pairs = {covariance, v_covariance, NULL};
  h = (candor_histogram){&empty, p, q, CANDOR_SAMPLE, 0, NULL, NULL};
  CHECK(candor_pair_covariances(&h, &pairs) == CANDOR_EMPTY);
  h.table = &single;
  CHECK(candor_pair_covariances(&h, &pairs) == CANDOR_OK);
  h.target = CANDOR_POPULATION;
  CHECK(candor_pair_covariances(&h, &pairs) == CANDOR_EMPTY);
  candor_set_list low;
  size_t low_work[64];
  CHECK(candor_sets_init(&low, COLUMNS, 1, low_work) == CANDOR_OK);
  const candor_table lower = {&low, one, 0, 0, NULL, NULL};
  h.table = &lower;
  h.target = CANDOR_SAMPLE;
  CHECK(candor_pair_covariances(&h, &pairs) == CANDOR_DOMAIN);
}

int main(void)
{
  CHECK(candor_sets_init(&sets, COLUMNS, COLUMNS, work) == CANDOR_OK);
  for (size_t s = 0; s < SETS; s++) size_of[s] = candor_sets_members(&sets, s, member[s]);
  enumerate();
  agree();
  /* Symmetric designs, in which the union's weight vanishes, and one column that is reported as it is. */
  const double symmetric[COLUMNS] = {0.75, 0.9, 0.375};
  for (size_t j = 0; j < COLUMNS; j++) p[j] = symmetric[j], q[j] = 1 - symmetric[j];
  enumerate();
  agree();
  p[1] = 1;
  q[1] = 0;
  enumerate();
  agree();
  refusals();
  p[0] = 0.8, p[1] = 0.95, p[2] = 0.25;
  q[0] = 0.1, q[1] = 0.3, q[2] = 0.6;
  worked_values();
  symmetric_needs_less();
  direct_encoding();
  constant_reports();
  further_sets();
  overlaps_of_larger_families();
  return check_report();
}
