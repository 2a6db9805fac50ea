/* Both routes against counting row by row. */
#include "check.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "joint/cooccurrence.h"
#include "joint/sets.h"

static uint64_t state = 12345;

static int draw(unsigned below, unsigned of)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned) (state >> 40) % of < below;
}

typedef struct data {
  int *cell;
  const int **column;
  candor_bits bits;
} data;

static data make(size_t columns, size_t rows)
{
  data d;
  d.cell = malloc((columns * rows + 1) * sizeof *d.cell);
  d.column = malloc(columns * sizeof *d.column);
  for (size_t j = 0; j < columns; j++) {
    d.column[j] = d.cell + j * rows;
    for (size_t i = 0; i < rows; i++) d.cell[j * rows + i] = draw(1 + (unsigned) j, 3 + (unsigned) j);
  }
  d.bits.columns = columns;
  d.bits.rows = rows;
  d.bits.column = d.column;
  return d;
}

static void discard(data *d)
{
  free(d->cell);
  free((void *) d->column);
}

static double naive(const candor_bits *bits, const int *members, size_t size)
{
  double count = 0;
  for (size_t i = 0; i < bits->rows; i++) {
    int joint = 1;
    for (size_t m = 0; m < size; m++) joint &= bits->column[members[m]][i];
    count += joint;
  }
  return count;
}

static void packed(const candor_bits *bits, size_t order, double *counts, const int *chosen, size_t n,
                   double *chosen_counts)
{
  uint64_t *words = malloc(bits->columns * CANDOR_BLOCK_WORDS * sizeof *words);
  uint64_t *work = malloc(candor_cooccurrence_work(bits->columns) * sizeof *work);
  candor_bit_place bad;
  counts[0] = (double) bits->rows;
  for (size_t first = 0; first < bits->rows; first += CANDOR_BLOCK_ROWS) {
    const size_t left = bits->rows - first, rows = left < CANDOR_BLOCK_ROWS ? left : CANDOR_BLOCK_ROWS;
    CHECK(candor_pack(bits, first, rows, words, &bad) == CANDOR_OK);
    CHECK(candor_cooccurrence_add(words, bits->columns, rows, order, work, counts) == CANDOR_OK);
    CHECK(candor_cooccurrence_chosen(words, bits->columns, rows, chosen, n, bits->columns, work, chosen_counts) ==
          CANDOR_OK);
  }
  free(words);
  free(work);
}

static void compare(size_t columns, size_t rows, size_t order)
{
  data d = make(columns, rows);
  size_t *sets_work = malloc(candor_sets_work(columns, order) * sizeof *sets_work);
  candor_set_list sets;
  CHECK(candor_sets_init(&sets, columns, order, sets_work) == CANDOR_OK);
  double *by_words = calloc(sets.total, sizeof *by_words);
  double *by_pattern = calloc(sets.total, sizeof *by_pattern);
  double *by_choice = calloc(sets.total, sizeof *by_choice);
  double *table = calloc((size_t) 1 << columns, sizeof *table);
  int *chosen = malloc(sets.total * columns * sizeof *chosen);
  int members[CANDOR_SET_MAX];
  for (size_t position = 1; position < sets.total; position++) {
    const size_t size = candor_sets_members(&sets, position, members);
    for (size_t m = 0; m < columns; m++) chosen[(position - 1) * columns + m] = m < size ? members[m] : -1;
  }
  packed(&d.bits, order, by_words, chosen, sets.total - 1, by_choice + 1);
  candor_bit_place bad;
  CHECK(candor_patterns_add(&d.bits, 0, rows / 3, table, &bad) == CANDOR_OK);
  CHECK(candor_patterns_add(&d.bits, rows / 3, rows - rows / 3, table, &bad) == CANDOR_OK);
  candor_superset_sum(table, columns);
  CHECK(candor_sets_from_patterns(&sets, table, by_pattern) == CANDOR_OK);
  for (size_t position = 0; position < sets.total; position++) {
    const size_t size = candor_sets_members(&sets, position, members);
    const double truth = naive(&d.bits, members, size);
    CHECK_NEAR(by_words[position], truth, 0);
    CHECK_NEAR(by_pattern[position], truth, 0);
    CHECK(position == 0 || by_choice[position] == truth);
  }
  free(sets_work);
  free(by_words);
  free(by_pattern);
  free(by_choice);
  free(table);
  free(chosen);
  discard(&d);
}

static void all_ones(size_t rows)
{
  data d = make(3, rows);
  for (size_t i = 0; i < 3 * rows; i++) d.cell[i] = 1;
  double counts[8] = {0}, chosen_count = 0;
  const int chosen[3] = {0, 2, -1};
  packed(&d.bits, 3, counts, chosen, 1, &chosen_count);
  for (size_t position = 0; position < 8; position++) CHECK_NEAR(counts[position], (double) rows, 0);
  CHECK_NEAR(chosen_count, (double) rows, 0);
  discard(&d);
}

static void superset_both_ways(size_t columns)
{
  const size_t total = (size_t) 1 << columns;
  double *x = malloc(total * sizeof *x), *y = malloc(total * sizeof *y);
  for (size_t i = 0; i < total; i++) x[i] = y[i] = (double) (i * 7919 % 101) - 50;
  candor_superset_sum(y, columns);
  if (columns <= 8) {
    for (size_t s = 0; s < total; s++) {
      double sum = 0;
      for (size_t t = 0; t < total; t++) sum += (t & s) == s ? x[t] : 0;
      CHECK_NEAR(y[s], sum, 0);
    }
  }
  candor_superset_difference(y, columns);
  CHECK(memcmp(x, y, total * sizeof *x) == 0);
  free(x);
  free(y);
}

static void stray_entries(void)
{
  const int stray[3] = {2, -1, INT_MIN};
  for (int s = 0; s < 3; s++) {
    for (size_t rows = 5000; rows <= 5000 + CANDOR_GROUP_ROWS; rows += CANDOR_GROUP_ROWS) {
      data d = make(4, rows);
      d.cell[2 * rows + rows - 7] = stray[s];
      uint64_t *words = malloc(4 * CANDOR_BLOCK_WORDS * sizeof *words);
      double table[16] = {0};
      candor_bit_place bad = {0, 0};
      CHECK(candor_pack(&d.bits, 0, rows, words, &bad) == CANDOR_DOMAIN);
      CHECK(bad.row == rows - 7 && bad.column == 2);
      bad.row = bad.column = 0;
      CHECK(candor_patterns_add(&d.bits, 0, rows, table, &bad) == CANDOR_DOMAIN);
      CHECK(bad.row == rows - 7 && bad.column == 2);
      free(words);
      discard(&d);
    }
  }
}

/* x[T] = product of a_j over T: the sum over all supersets of S is the product of a_j in S and 1 + a_j outside. */
static void products(size_t columns)
{
  const size_t total = (size_t) 1 << columns;
  double *x = malloc(total * sizeof *x);
  for (size_t t = 0; t < total; t++) {
    x[t] = 1;
    for (size_t j = 0; j < columns; j++) x[t] *= (t >> j) & 1 ? (double) (1 + j % 3) : 1;
  }
  candor_superset_sum(x, columns);
  int right = 1;
  for (size_t s = 0; s < total; s++) {
    double expected = 1;
    for (size_t j = 0; j < columns; j++) expected *= (double) (1 + j % 3) + ((s >> j) & 1 ? 0 : 1);
    right &= x[s] == expected;
  }
  CHECK(right);
  free(x);
}

static void refusals(void)
{
  static int cell[30];
  static uint64_t words[3 * CANDOR_BLOCK_WORDS];
  const int *column[30];
  for (int j = 0; j < 30; j++) column[j] = cell;
  candor_bits bits = {3, 10, column};
  candor_bit_place bad;
  uint64_t work[40 * 1];
  double table[8] = {0}, counts[8] = {0};
  CHECK(candor_patterns_add(&bits, 10, 0, table, &bad) == CANDOR_OK);
  CHECK(candor_patterns_add(&bits, 11, 0, table, &bad) == CANDOR_DOMAIN);
  CHECK(candor_patterns_add(&bits, 4, 7, table, &bad) == CANDOR_DOMAIN);
  CHECK(candor_patterns_add(&bits, 4, 6, table, &bad) == CANDOR_OK && table[0] == 6);
  bits.columns = 0;
  CHECK(candor_patterns_add(&bits, 0, 1, table, &bad) == CANDOR_DOMAIN);
  bits.columns = CANDOR_PATTERN_COLUMNS + 1;
  CHECK(candor_patterns_add(&bits, 0, 1, table, &bad) == CANDOR_DOMAIN);
  bits.columns = 3;
  CHECK(candor_pack(&bits, 0, 0, words, &bad) == CANDOR_DOMAIN);
  CHECK(candor_pack(&bits, 4, 7, words, &bad) == CANDOR_DOMAIN);
  CHECK(candor_pack(&bits, 11, 1, words, &bad) == CANDOR_DOMAIN);
  CHECK(candor_pack(&bits, 4, 6, words, &bad) == CANDOR_OK);
  bits.rows = 2 * CANDOR_BLOCK_ROWS;
  CHECK(candor_pack(&bits, 0, CANDOR_BLOCK_ROWS + 1, words, &bad) == CANDOR_DOMAIN);
  CHECK(candor_cooccurrence_add(words, 3, 6, 0, work, counts) == CANDOR_DOMAIN);
  CHECK(candor_cooccurrence_add(words, 40, 6, 33, work, counts) == CANDOR_DOMAIN);
  CHECK(candor_cooccurrence_add(words, 3, CANDOR_BLOCK_ROWS + 1, 2, work, counts) == CANDOR_DOMAIN);
  const int sets[] = {0, 2, 3, -1, -1, 1};
  CHECK(candor_cooccurrence_chosen(words, 3, 6, sets, 1, 2, work, counts) == CANDOR_OK);
  CHECK(candor_cooccurrence_chosen(words, 3, 6, sets, 2, 2, work, counts) == CANDOR_DOMAIN);     /* column 3 of 3 */
  CHECK(candor_cooccurrence_chosen(words, 3, 6, sets + 4, 1, 2, work, counts) == CANDOR_DOMAIN); /* no member */
  CHECK(candor_cooccurrence_chosen(words, 3, 0, sets, 1, 2, work, counts) == CANDOR_DOMAIN);
  CHECK(candor_cooccurrence_chosen(words, 3, CANDOR_BLOCK_ROWS + 1, sets, 1, 2, work, counts) == CANDOR_DOMAIN);
  CHECK(candor_cooccurrence_chosen(words, 3, 6, sets, 1, 0, work, counts) == CANDOR_DOMAIN);
  CHECK(candor_cooccurrence_chosen(words, 3, 6, sets, 1, 33, work, counts) == CANDOR_DOMAIN);
  CHECK(candor_cooccurrence_work(1) == 1 && candor_cooccurrence_work(2) == 1);
  CHECK(candor_cooccurrence_work(5) == 3 * CANDOR_BLOCK_WORDS);
}

int main(void)
{
  const size_t rows[6] = {1, 63, 1024, 4096, 5000, CANDOR_BLOCK_ROWS + 4097};
  for (size_t r = 0; r < 6; r++) {
    for (size_t columns = 1; columns <= 6; columns++)
      for (size_t order = 1; order <= columns; order++) compare(columns, rows[r], order);
  }
  compare(9, 777, 4);
  compare(11, 300, 5);
  all_ones(CANDOR_BLOCK_ROWS);
  all_ones(CANDOR_BLOCK_ROWS - 1);
  for (size_t columns = 1; columns <= 14; columns++) superset_both_ways(columns);
  stray_entries();
  double counts[8] = {0};
  uint64_t none[1] = {0};
  CHECK(candor_cooccurrence_add(none, 3, 0, 2, none, counts) == CANDOR_DOMAIN);
  CHECK(candor_cooccurrence_add(none, 3, 1, 4, none, counts) == CANDOR_DOMAIN);
  for (size_t columns = 1; columns <= 15; columns++) products(columns);
  refusals();
  return check_report();
}
