/* Both counting routes agree on any bits, larger sets never occur more often, stray entries are found. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "joint/cooccurrence.h"
#include "joint/sets.h"

#define MAX_COLUMNS 7
#define MAX_ROWS 9000

static int cell[MAX_COLUMNS * MAX_ROWS];
static uint64_t words[MAX_COLUMNS * CANDOR_BLOCK_WORDS], work[MAX_COLUMNS * CANDOR_BLOCK_WORDS];

static void must(int condition)
{
  if (!condition) __builtin_trap();
}

static void subsets_are_larger(const candor_set_list *sets, const double *counts)
{
  int members[CANDOR_SET_MAX];
  for (size_t s = 1; s < sets->total; s++) {
    const size_t size = candor_sets_members(sets, s, members);
    for (size_t m = 0; m < size; m++) {
      const size_t all = ((size_t) 1 << size) - 1;
      must(counts[s] >= 0);
      must(counts[candor_sets_position(sets, members, size, all & ~((size_t) 1 << m))] >= counts[s]);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 5) return 0;
  const size_t columns = 1 + data[0] % MAX_COLUMNS, order = 1 + data[1] % columns;
  const size_t rows = 1 + ((size_t) data[2] | (size_t) data[3] << 8) % MAX_ROWS;
  const size_t bytes = size - 4;
  const int *column[MAX_COLUMNS];
  int stray = 0;
  for (size_t j = 0; j < columns; j++) {
    column[j] = cell + j * rows;
    for (size_t i = 0; i < rows; i++) {
      const uint8_t byte = data[4 + (j * 31 + i) % bytes];
      /* One byte value in 256 stands for an entry that is not binary. */
      cell[j * rows + i] = byte == 255 && i % 7 == 3 ? -1 - (int) j : (byte >> ((i + j) % 8)) & 1;
      stray |= cell[j * rows + i] < 0;
    }
  }
  const candor_bits bits = {columns, rows, column};
  size_t sets_work[256];
  candor_set_list sets;
  must(candor_sets_init(&sets, columns, order, sets_work) == CANDOR_OK);
  double table[1 << MAX_COLUMNS] = {0}, by_pattern[1 << MAX_COLUMNS], by_words[1 << MAX_COLUMNS] = {0};
  candor_bit_place bad = {rows, columns};
  const candor_status status = candor_patterns_add(&bits, 0, rows, table, &bad);
  must(status == (stray ? CANDOR_DOMAIN : CANDOR_OK));
  if (stray) {
    must(bad.row < rows && bad.column < columns && column[bad.column][bad.row] < 0);
    must(candor_pack(&bits, 0, rows, words, &bad) == CANDOR_DOMAIN);
    must(bad.row < rows && bad.column < columns && column[bad.column][bad.row] < 0);
    return 0;
  }
  candor_superset_sum(table, columns);
  must(candor_sets_from_patterns(&sets, table, by_pattern) == CANDOR_OK);
  must(candor_pack(&bits, 0, rows, words, &bad) == CANDOR_OK);
  by_words[0] = (double) rows;
  must(candor_cooccurrence_add(words, columns, rows, order, work, by_words) == CANDOR_OK);
  must(memcmp(by_words, by_pattern, sets.total * sizeof *by_words) == 0);
  subsets_are_larger(&sets, by_words);
  return 0;
}
