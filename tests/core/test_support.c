/* Support counts against the plainest loops, and against a published example worked by hand (affine hashing). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "respond/chacha20.h"
#include "tally/support.h"

static candor_chacha20 stream;

static uint32_t below(uint32_t bound)
{
  uint32_t word;
  candor_chacha20_fill(&stream, &word, 1);
  return (uint32_t) ((uint64_t) word * bound >> 32);
}

enum { N = 1200, GROUPS = 3, MOST = 130 };
static int groups[N];
static double weights[N];
static double counts[GROUPS * MOST * 2], wanted[GROUPS * MOST * 2];

/* Plain, weighted, grouped, both. */
static candor_support_reports reports_of(int kind)
{
  candor_support_reports reports = {N, NULL, 1, NULL};
  for (int i = 0; i < N; i++) {
    groups[i] = 1 + (int) below(GROUPS);
    weights[i] = (double) below(5) / 4;
  }
  if (kind & 1) reports.weights = weights;
  if (kind & 2) reports.groups = groups, reports.n_groups = GROUPS;
  memset(counts, 0, sizeof counts);
  memset(wanted, 0, sizeof wanted);
  return reports;
}

static double weight_at(const candor_support_reports *r, size_t i)
{
  return r->weights ? weights[i] : 1;
}

static size_t group_at(const candor_support_reports *r, size_t i)
{
  return r->groups ? (size_t) groups[i] - 1 : 0;
}

static int same(void)
{
  return memcmp(counts, wanted, sizeof counts) == 0;
}

static void packed_bits(void)
{
  static uint8_t bits[N * (MOST / 8 + 1)];
  static uint32_t work[N];
  const size_t sizes[] = {1, 5, 7, 8, 9, 63, 64, 65, 128, 130};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (int kind = 0; kind < 4; kind++) {
      const size_t k = sizes[s], bytes = (k + 7) / 8;
      const candor_support_reports reports = reports_of(kind);
      memset(bits, 0, sizeof bits);
      for (size_t i = 0; i < N; i++) {
        for (size_t v = 0; v < k; v++) {
          if (below(4) == 0) continue;
          bits[v / 8 * N + i] = (uint8_t) (bits[v / 8 * N + i] | 1 << v % 8);
          wanted[group_at(&reports, i) * k + v] += weight_at(&reports, i);
        }
      }
      size_t position = 77;
      CHECK(candor_count_bits(&reports, bits, k, SIZE_MAX, work, counts, &position) == CANDOR_OK && same());
      if (k % 8 != 0) {
        bits[(bytes - 1) * N + 700] |= 0x80;
        CHECK(candor_count_bits(&reports, bits, k, SIZE_MAX, work, counts, &position) == CANDOR_DOMAIN);
        CHECK(position == 700);
      }
      memset(bits, 0, sizeof bits);
      for (size_t i = 0; i < N; i++) bits[i + N * (i % bytes)] = 1;
      CHECK(candor_count_bits(&reports, bits, k, 1, work, counts, &position) == CANDOR_OK);
      bits[900 + N * (900 % bytes)] = 0;
      CHECK(candor_count_bits(&reports, bits, k, 1, work, counts, &position) == CANDOR_DOMAIN && position == 900);
    }
  }
}

/* More reports than a counter holds, and more bytes than a sum of ones holds: all bits 1, but for those of a few. */
static void many_packed_bits(void)
{
  enum { REPORTS = 4105, K = 560, BYTES = K / 8 };
  static uint8_t bits[REPORTS * BYTES];
  static uint32_t work[REPORTS];
  static double seen[K];
  const candor_support_reports reports = {REPORTS, NULL, 1, NULL};
  size_t position = 77;
  memset(bits, 0xff, sizeof bits);
  memset(seen, 0, sizeof seen);
  CHECK(candor_count_bits(&reports, bits, K, K, work, seen, &position) == CANDOR_OK);
  for (size_t v = 0; v < K; v++) CHECK(seen[v] == REPORTS);
  bits[5 * REPORTS + 4104] = 0xfe;
  bits[5 * REPORTS + 2040] = 0xfe;
  memset(seen, 0, sizeof seen);
  CHECK(candor_count_bits(&reports, bits, K, SIZE_MAX, work, seen, &position) == CANDOR_OK);
  for (size_t v = 0; v < K; v++) CHECK(seen[v] == REPORTS - (v == 40 ? 2 : 0));
  CHECK(candor_count_bits(&reports, bits, K, K, work, seen, &position) == CANDOR_DOMAIN && position == 2040);
}

static void lists(void)
{
  enum { SIZE = 3, K = 9 };
  static int list[N * SIZE];
  for (int kind = 0; kind < 8; kind++) {
    const int with_signs = kind >= 4;
    const candor_support_reports reports = reports_of(kind % 4);
    const size_t rows = with_signs ? 2 * K : K;
    for (size_t i = 0; i < N; i++) {
      int number = 0;
      for (size_t j = 0; j < SIZE; j++) {
        number += 1 + (int) below(3);
        const int negative = with_signs && below(2);
        list[i * SIZE + j] = negative ? -number : number;
        wanted[group_at(&reports, i) * rows + (size_t) (number - 1 + (negative ? K : 0))] += weight_at(&reports, i);
      }
    }
    size_t position = 0;
    CHECK(candor_count_lists(&reports, list, SIZE, K, with_signs, counts, &position) == CANDOR_OK && same());
    const int bad[] = {0, K + 1, -2147483647 - 1, -1, 2147483647};
    for (int b = 0; b < 5; b++) {
      const int kept = list[500 * SIZE + 2];
      list[500 * SIZE + 2] = bad[b];
      CHECK(candor_count_lists(&reports, list, SIZE, K, with_signs, counts, &position) == CANDOR_DOMAIN);
      CHECK(position == 500);
      list[500 * SIZE + 2] = kept;
    }
    list[1] = list[0]; /* twice the same */
    CHECK(candor_count_lists(&reports, list, SIZE, K, with_signs, counts, &position) == CANDOR_DOMAIN && position == 0);
  }
}

static int by_slope(const void *a, const void *b);
static const int *slopes_to_sort;

static int by_slope(const void *a, const void *b)
{
  const int x = slopes_to_sort[*(const uint32_t *) a], y = slopes_to_sort[*(const uint32_t *) b];
  return (x > y) - (x < y);
}

static void hashed(void)
{
  static int slope[N], shift[N], value[N];
  static uint32_t order[N], code[MOST], all[MOST];
  static double work[260];
  const uint32_t primes[] = {7, 53, 131, 257, 2147483647}, buckets[] = {7, 4, 3, 2, 5};
  for (int t = 0; t < 5; t++) {
    for (int kind = 0; kind < 4; kind++) {
      const uint32_t prime = primes[t], g = buckets[t];
      const size_t k = prime < MOST ? prime : MOST;
      const candor_support_reports reports = reports_of(kind);
      for (uint32_t v = 0; v < k; v++)
        all[v] = prime < 1000 ? v * (prime < 260 && prime > MOST ? prime / MOST : 1) : v * 16000000;
      for (uint32_t v = (uint32_t) k; v-- > 0;) { /* in any order */
        const uint32_t j = below(v + 1), swap = all[v];
        all[v] = all[j];
        all[j] = swap;
      }
      memcpy(code, all, sizeof code);
      for (uint32_t i = 0; i < N; i++) {
        slope[i] = 1 + (int) below(prime - 1);
        shift[i] = (int) below(prime);
        value[i] = 1 + (int) below(g);
        order[i] = i;
        for (size_t v = 0; v < k; v++) {
          const uint64_t residue = ((uint64_t) slope[i] * code[v] + (uint64_t) shift[i]) % prime;
          if (residue * g / prime + 1 == (uint64_t) value[i])
            wanted[group_at(&reports, i) * k + v] += weight_at(&reports, i);
        }
      }
      const candor_hashed in = {slope, shift, value, {prime, g}, code};
      size_t position;
      CHECK(candor_check_hashed(&reports, &in, &position) == CANDOR_OK);
      CHECK(candor_count_hashed(&reports, &in, k, counts) == CANDOR_OK && same());
      if (kind < 2 && prime < 260) {
        slopes_to_sort = slope;
        qsort(order, N, sizeof *order, by_slope);
        memset(counts, 0, sizeof counts);
        CHECK(candor_count_hashed_by_slope(&reports, &in, k, order, work, counts) == CANDOR_OK && same());
      }
      int *const field[3] = {slope, shift, value};
      const int most[3] = {(int) (prime - 1), (int) (prime - 1), (int) g}, least[3] = {1, 0, 1};
      for (int f = 0; f < 3; f++) {
        const int bad[] = {most[f] < 2147483647 ? most[f] + 1 : -5, least[f] - 1, -2147483647 - 1};
        for (int b = 0; b < 3; b++) {
          const int kept = field[f][1000];
          field[f][1000] = bad[b];
          CHECK(candor_check_hashed(&reports, &in, &position) == CANDOR_DOMAIN && position == 1000);
          field[f][1000] = kept;
        }
      }
    }
  }
}

/* math-protocols.md 2.2 as enumerated elsewhere (golden file ldp_affine_counts, first case). */
static void hashed_example(void)
{
  const int slope[6] = {4, 4, 2, 6, 1, 2}, shift[6] = {6, 4, 6, 4, 3, 0}, value[6] = {2, 1, 2, 1, 2, 1};
  const uint32_t code[5] = {0, 1, 2, 3, 4}, first_slope[1] = {4}, first_shift[1] = {6};
  const double want[5] = {3, 4, 2, 5, 2};
  const int first[5] = {2, 1, 1, 2, 1};
  const candor_support_reports reports = {6, NULL, 1, NULL};
  const candor_hashed in = {slope, shift, value, {7, 2}, code};
  int table[5];
  memset(counts, 0, sizeof counts);
  CHECK(candor_count_hashed(&reports, &in, 5, counts) == CANDOR_OK && memcmp(counts, want, sizeof want) == 0);
  candor_hash_table(&in.hash, code, 5, first_slope, first_shift, 1, table);
  CHECK(memcmp(table, first, sizeof first) == 0);
}

static void totals(void)
{
  double sums[2] = {0, 0}, squares[2] = {0, 0};
  int group[3] = {1, 2, 2};
  double weight[3] = {0.5, 2, 3};
  size_t position;
  const candor_support_reports reports = {3, group, 2, weight};
  CHECK(candor_count_reports(&reports, sums, squares, &position) == CANDOR_OK);
  CHECK(sums[0] == 0.5 && sums[1] == 5 && squares[0] == 0.25 && squares[1] == 13);
  group[1] = 3;
  CHECK(candor_count_reports(&reports, sums, squares, &position) == CANDOR_DOMAIN && position == 1);
  group[1] = 0;
  CHECK(candor_count_reports(&reports, sums, squares, &position) == CANDOR_DOMAIN && position == 1);
  group[1] = 1, weight[2] = NAN;
  CHECK(candor_count_reports(&reports, sums, squares, &position) == CANDOR_DOMAIN && position == 2);
  weight[2] = INFINITY;
  CHECK(candor_count_reports(&reports, sums, squares, &position) == CANDOR_DOMAIN && position == 2);
}

/* Bad numbers at the first report and at the last, in every field; no reports at all. */
static void edges(void)
{
  double sums[2] = {0}, squares[2] = {0}, seen[20] = {0};
  int group[3] = {1, 2, 1};
  double weight[3] = {1, 1, 1};
  size_t position = 7;
  const candor_support_reports reports = {3, group, 2, weight}, none = {0, NULL, 1, NULL}, plain = {3, NULL, 1, NULL};
  for (int at = 0; at < 3; at++) {
    weight[at] = -0.5;
    CHECK(candor_count_reports(&reports, sums, squares, &position) == CANDOR_DOMAIN && position == (size_t) at);
    weight[at] = 0;
    CHECK(candor_count_reports(&reports, sums, squares, &position) == CANDOR_OK);
  }
  CHECK(candor_count_reports(&none, sums, squares, &position) == CANDOR_OK);
  uint8_t bits[6] = {3, 1, 2, 0, 1, 0};
  uint32_t ones[3];
  /* Nine categories: the last byte of a report holds one. */
  CHECK(candor_count_bits(&plain, bits, 9, SIZE_MAX, ones, seen, &position) == CANDOR_OK);
  CHECK(seen[0] == 2 && seen[1] == 2 && seen[2] == 0 && seen[8] == 1);
  CHECK(candor_count_bits(&plain, bits, 9, 2, ones, seen, &position) == CANDOR_DOMAIN && position == 2);
  bits[3] = 2;
  CHECK(candor_count_bits(&plain, bits, 9, SIZE_MAX, ones, seen, &position) == CANDOR_DOMAIN && position == 0);
  bits[3] = 0, bits[5] = 0x80;
  CHECK(candor_count_bits(&plain, bits, 9, SIZE_MAX, ones, seen, &position) == CANDOR_DOMAIN && position == 2);
  /* Lists: the first number may be 1, the last k. */
  const int lists[6] = {1, 4, 2, 3, 3, 4}, falling[2] = {3, 2}, negative[2] = {-1, -4}, zero[1] = {0};
  const candor_support_reports one = {1, NULL, 1, NULL};
  memset(seen, 0, sizeof seen);
  CHECK(candor_count_lists(&plain, lists, 2, 4, 0, seen, &position) == CANDOR_OK);
  CHECK(seen[0] == 1 && seen[1] == 1 && seen[2] == 2 && seen[3] == 2);
  CHECK(candor_count_lists(&one, falling, 2, 4, 0, seen, &position) == CANDOR_DOMAIN && position == 0);
  CHECK(candor_count_lists(&one, zero, 1, 4, 1, seen, &position) == CANDOR_DOMAIN);
  CHECK(candor_count_lists(&one, negative, 2, 4, 0, seen, &position) == CANDOR_DOMAIN);
  memset(seen, 0, sizeof seen);
  CHECK(candor_count_lists(&one, negative, 2, 4, 1, seen, &position) == CANDOR_OK && seen[4] == 1 && seen[7] == 1);
  CHECK(candor_count_lists(&one, negative, 2, 3, 1, seen, &position) == CANDOR_DOMAIN);
}

static void tables_of_functions(void)
{
  enum { F = 5, K = 9, PRIME = 11, BUCKETS = 4 };
  uint32_t slope[F], shift[F], code[K];
  int table[F * K];
  for (uint32_t m = 0; m < F; m++) slope[m] = 1 + below(PRIME - 1), shift[m] = below(PRIME);
  for (uint32_t v = 0; v < K; v++) code[v] = (3 * v + 1) % PRIME;
  const candor_affine hash = {PRIME, BUCKETS};
  candor_hash_table(&hash, code, K, slope, shift, F, table);
  for (uint32_t m = 0; m < F; m++)
    for (uint32_t v = 0; v < K; v++)
      CHECK(table[v + K * m] == 1 + (int) ((slope[m] * code[v] + shift[m]) % PRIME * BUCKETS / PRIME));
}

/* Products without division against division, and the edges of buckets against the residues that are in them. */
static void affine_arithmetic(void)
{
  const uint32_t primes[] = {2, 3, 7, 65537, 2147483629, 2147483647};
  for (int t = 0; t < 6; t++) {
    const uint32_t prime = primes[t];
    const candor_affine hash = {prime, 2};
    int right = 1;
    for (uint32_t i = 0; i < 20000; i++) {
      const uint32_t slope = i % 5 ? below(prime) : prime - 1, code = i % 7 ? below(prime) : prime - 1,
                     shift = below(prime);
      right &= candor_affine_times(candor_affine_multiplier(&hash, slope), code) == (uint64_t) slope * code % prime;
      right &= candor_affine_residue(&hash, slope, shift, code) == ((uint64_t) slope * code + shift) % prime;
    }
    CHECK(right);
  }
  for (uint32_t buckets = 2; buckets <= 23; buckets++) {
    const candor_affine hash = {23, buckets};
    uint32_t bucket = 0;
    CHECK(candor_affine_edge(&hash, 0) == 0 && candor_affine_edge(&hash, buckets) == 23);
    for (uint32_t residue = 0; residue < 23; residue++) {
      CHECK(candor_affine_bucket(&hash, residue) == residue * buckets / 23);
      for (; bucket < residue * buckets / 23; bucket++) CHECK(candor_affine_edge(&hash, bucket + 1) == residue);
    }
  }
}

int main(void)
{
  const uint32_t key[8] = {13, 20, 26, 3, 141, 59, 26, 5}, nonce[2] = {0, 0};
  candor_chacha20_start(&stream, key, nonce, 0);
  packed_bits();
  many_packed_bits();
  lists();
  hashed();
  hashed_example();
  totals();
  edges();
  tables_of_functions();
  affine_arithmetic();
  return check_report();
}
