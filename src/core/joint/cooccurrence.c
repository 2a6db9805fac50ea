/* Joint counts by bit patterns and by packed words. See cooccurrence.h. */
#include "joint/cooccurrence.h"

#include <string.h>

#include "joint/sets.h"

/* The rows whose patterns are assembled together: small enough for the first-level cache, and a
 * constant, so that the compiler unrolls and vectorises without a remainder loop. */
#define STRIP 1024

static candor_bit_place find_bad(const candor_bits *bits, size_t first, size_t rows)
{
  candor_bit_place bad = {first, 0};
  for (size_t j = 0; j < bits->columns; j++) {
    for (size_t i = first; i < first + rows; i++) {
      if (((unsigned) bits->column[j][i] & ~1u) != 0) {
        bad.row = i;
        bad.column = j;
        return bad;
      }
    }
  }
  return bad;
}

/* pattern = pattern << 4 | four columns, over a strip; returns the OR of all entries, which shows any stray
 * bit. Four at a time, because a pattern in memory costs more than an entry of a column. */
static uint32_t strip_four(const int *restrict a, const int *restrict b, const int *restrict c, const int *restrict d,
                           uint32_t *restrict pattern)
{
  uint32_t seen = 0;
  for (size_t i = 0; i < STRIP; i++) {
    const uint32_t p = (uint32_t) a[i], q = (uint32_t) b[i], r = (uint32_t) c[i], s = (uint32_t) d[i];
    seen |= (p | q) | (r | s);
    pattern[i] = pattern[i] << 4 | (p << 3 | q << 2) | (r << 1 | s);
  }
  return seen;
}

static uint32_t strip_one(const int *restrict a, uint32_t *restrict pattern)
{
  uint32_t seen = 0;
  for (size_t i = 0; i < STRIP; i++) {
    const uint32_t p = (uint32_t) a[i];
    seen |= p;
    pattern[i] = pattern[i] << 1 | p;
  }
  return seen;
}

static uint32_t strip_all(const candor_bits *bits, size_t first, uint32_t *pattern)
{
  const int *const *x = bits->column;
  uint32_t seen = 0;
  size_t j = 0;
  for (; j + 4 <= bits->columns; j += 4)
    seen |= strip_four(x[j] + first, x[j + 1] + first, x[j + 2] + first, x[j + 3] + first, pattern);
  for (; j < bits->columns; j++) seen |= strip_one(x[j] + first, pattern);
  return seen;
}

static uint32_t part_all(const candor_bits *bits, size_t first, size_t n, uint32_t *pattern)
{
  uint32_t seen = 0;
  for (size_t j = 0; j < bits->columns; j++) {
    for (size_t i = 0; i < n; i++) {
      const uint32_t value = (uint32_t) bits->column[j][first + i];
      seen |= value;
      pattern[i] = pattern[i] << 1 | value;
    }
  }
  return seen;
}

candor_status candor_patterns_add(const candor_bits *bits, size_t first, size_t rows, double *table,
                                  candor_bit_place *bad)
{
  if (bits->columns < 1 || bits->columns > CANDOR_PATTERN_COLUMNS || first > bits->rows || rows > bits->rows - first)
    return CANDOR_DOMAIN;
  uint32_t pattern[STRIP];
  for (size_t done = 0; done < rows; done += STRIP) {
    const size_t n = rows - done < STRIP ? rows - done : STRIP;
    memset(pattern, 0, sizeof pattern);
    const uint32_t seen =
        n == STRIP ? strip_all(bits, first + done, pattern) : part_all(bits, first + done, n, pattern);
    if ((seen & ~1u) != 0) {
      *bad = find_bad(bits, first + done, n);
      return CANDOR_DOMAIN;
    }
    for (size_t i = 0; i < n; i++) table[pattern[i]] += 1;
  }
  return CANDOR_OK;
}

/* One axis: lower half of each pair += sign * upper half. */
static void axis_add(double *x, size_t total, size_t stride, double sign)
{
  for (size_t base = 0; base < total; base += 2 * stride) {
    double *restrict low = x + base;
    const double *restrict high = x + base + stride;
    for (size_t i = 0; i < stride; i += 4)
      for (size_t l = 0; l < 4; l++) low[i + l] += sign * high[i + l];
  }
}

/* Axes 0 and 1 together: four neighbours at a time. */
static void axis_first_two(double *x, size_t total, double sign)
{
  for (size_t i = 0; i < total; i += 4) {
    const double d = x[i + 3], c = x[i + 2] + sign * d;
    x[i] += sign * x[i + 1] + sign * c;
    x[i + 1] += sign * d;
    x[i + 2] = c;
  }
}

/* Axes `stride` and 2 `stride` in one pass over memory. */
static void axis_two(double *x, size_t total, size_t stride, double sign)
{
  for (size_t base = 0; base < total; base += 4 * stride) {
    double *restrict a = x + base;
    double *restrict b = a + stride;
    double *restrict c = b + stride;
    const double *restrict d = c + stride;
    for (size_t i = 0; i < stride; i += 4) {
      for (size_t l = 0; l < 4; l++) {
        const double top = d[i + l], third = c[i + l] + sign * top;
        a[i + l] += sign * b[i + l] + sign * third;
        b[i + l] += sign * top;
        c[i + l] = third;
      }
    }
  }
}

static void superset(double *x, size_t columns, double sign)
{
  if (columns < 2) {
    if (columns == 1) x[0] += sign * x[1];
    return;
  }
  /* 2^11 doubles are half of a first-level cache. */
  const size_t inner = columns < 11 ? columns : 11;
  const size_t total = (size_t) 1 << columns, block = (size_t) 1 << inner;
  for (size_t base = 0; base < total; base += block) {
    axis_first_two(x + base, block, sign);
    for (size_t j = 2; j < inner; j++) axis_add(x + base, block, (size_t) 1 << j, sign);
  }
  size_t j = inner;
  for (; j + 1 < columns; j += 2) axis_two(x, total, (size_t) 1 << j, sign);
  if (j < columns) axis_add(x, total, (size_t) 1 << j, sign);
}

void candor_superset_sum(double *x, size_t columns)
{
  superset(x, columns, 1);
}

void candor_superset_difference(double *x, size_t columns)
{
  superset(x, columns, -1);
}

/* Half-words side by side; row k * HALVES + l of a group is bit k of half-word l. Packing is then a shift
 * and an OR of whole vectors, and the order of rows inside a group does not matter to any count. */
#define HALVES (2 * CANDOR_GROUP_WORDS)

static uint32_t pack_group(const int *restrict x, uint64_t *restrict words)
{
  uint32_t half[HALVES];
  uint32_t seen = 0;
  memset(half, 0, sizeof half);
  for (unsigned k = 0; k < 32; k += 4) {
    const int *restrict row = x + (size_t) k * HALVES;
    for (size_t l = 0; l < HALVES; l++) {
      const uint32_t a = (uint32_t) row[l], b = (uint32_t) row[l + HALVES];
      const uint32_t c = (uint32_t) row[l + 2 * HALVES], d = (uint32_t) row[l + 3 * HALVES];
      seen |= (a | b) | (c | d);
      half[l] |= ((a | b << 1) | (c << 2 | d << 3)) << k;
    }
  }
  memcpy(words, half, sizeof half);
  return seen;
}

candor_status candor_pack(const candor_bits *bits, size_t first, size_t rows, uint64_t *words, candor_bit_place *bad)
{
  if (rows < 1 || rows > CANDOR_BLOCK_ROWS || first > bits->rows || rows > bits->rows - first) return CANDOR_DOMAIN;
  const size_t whole = rows / CANDOR_GROUP_ROWS, rest = rows % CANDOR_GROUP_ROWS;
  uint32_t seen = 0;
  int tail[CANDOR_GROUP_ROWS];
  memset(tail, 0, sizeof tail);
  for (size_t j = 0; j < bits->columns; j++) {
    const int *x = bits->column[j] + first;
    uint64_t *to = words + j * CANDOR_BLOCK_WORDS;
    for (size_t g = 0; g < whole; g++) seen |= pack_group(x + g * CANDOR_GROUP_ROWS, to + g * CANDOR_GROUP_WORDS);
    if (rest > 0) {
      memcpy(tail, x + whole * CANDOR_GROUP_ROWS, rest * sizeof *tail);
      seen |= pack_group(tail, to + whole * CANDOR_GROUP_WORDS);
    }
  }
  if ((seen & ~1u) != 0) {
    *bad = find_bad(bits, first, rows);
    return CANDOR_DOMAIN;
  }
  return CANDOR_OK;
}

/* Ones in each byte of x (Warren 2013, Hacker's Delight, 5-1). */
static uint64_t byte_counts(uint64_t x)
{
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  return (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
}

/* Number of rows in which both are 1: a group of 64 words at a time, in four sums of bytes that hold 16 * 8 at most. */
static double and_count(const uint64_t *a, const uint64_t *b, size_t groups)
{
  const uint64_t even = 0x00ff00ff00ff00ffu;
  uint64_t count = 0;
  for (size_t g = 0; g < groups; g++) {
    uint64_t bytes[4] = {0, 0, 0, 0}, sum = 0;
    for (size_t i = g * CANDOR_GROUP_WORDS; i < (g + 1) * CANDOR_GROUP_WORDS; i += 4)
      for (size_t l = 0; l < 4; l++) bytes[l] += byte_counts(a[i + l] & b[i + l]);
    for (size_t l = 0; l < 4; l++) sum += (bytes[l] & even) + ((bytes[l] >> 8) & even);
    count += (sum * 0x0001000100010001u) >> 48;
  }
  return (double) count;
}

static void and_words(const uint64_t *restrict a, const uint64_t *restrict b, size_t groups, uint64_t *restrict out)
{
  for (size_t g = 0; g < groups; g++)
    for (size_t i = 0; i < CANDOR_GROUP_WORDS; i++)
      out[g * CANDOR_GROUP_WORDS + i] = a[g * CANDOR_GROUP_WORDS + i] & b[g * CANDOR_GROUP_WORDS + i];
}

size_t candor_cooccurrence_work(size_t order)
{
  return order > 2 ? (order - 2) * CANDOR_BLOCK_WORDS : 1;
}

/* The state of the walk along the tree of sets: node m is the AND of the first m members. Sets of each
 * size are met in lexicographic order, so a running position a size is all the addressing there is. */
typedef struct tree {
  const uint64_t *words;
  uint64_t *work;
  size_t columns, groups, order;
  int member[CANDOR_SET_MAX + 1];
  const uint64_t *node[CANDOR_SET_MAX + 1];
  double *next[CANDOR_SET_MAX + 1];
} tree;

/* Counts all one-member extensions of the node of size m whose new column follows `column`. */
static void count_children(tree *t, size_t m, size_t column)
{
  double *next = t->next[m + 1];
  for (size_t k = column + 1; k < t->columns; k++)
    *next++ += and_count(t->node[m], t->words + k * CANDOR_BLOCK_WORDS, t->groups);
  t->next[m + 1] = next;
}

/* Moves down to the first child of the node of size m, and sets its words. */
static void descend(tree *t, size_t m, size_t column)
{
  uint64_t *to = t->work + (m - 1) * CANDOR_BLOCK_WORDS;
  and_words(t->node[m], t->words + column * CANDOR_BLOCK_WORDS, t->groups, to);
  t->member[m + 1] = (int) column;
  t->node[m + 1] = to;
}

/* All sets that start with column i, beyond {i} itself. A node is visited only if its children are not the
 * last level: those were counted by their parent. */
static void walk_from(tree *t, size_t i)
{
  size_t m = 1, column = i + 1;
  t->member[1] = (int) i;
  t->node[1] = t->words + i * CANDOR_BLOCK_WORDS;
  count_children(t, 1, i);
  while (t->order > 2) {
    if (column + 1 < t->columns) {
      descend(t, m, column);
      m++;
      count_children(t, m, column);
      if (m + 1 < t->order) {
        column++;
        continue;
      }
    } else if (m == 1) {
      return;
    }
    column = (size_t) t->member[m] + 1;
    m--;
  }
}

candor_status candor_cooccurrence_add(const uint64_t *words, size_t columns, size_t rows, size_t order, uint64_t *work,
                                      double *counts)
{
  if (order < 1 || order > columns || order > CANDOR_SET_MAX || rows < 1 || rows > CANDOR_BLOCK_ROWS)
    return CANDOR_DOMAIN;
  tree t;
  t.words = words;
  t.work = work;
  t.columns = columns;
  t.groups = (rows + CANDOR_GROUP_ROWS - 1) / CANDOR_GROUP_ROWS;
  t.order = order;
  double *next = counts + 1;
  for (size_t k = 1; k <= order; k++) {
    t.next[k] = next;
    next += (size_t) (candor_sets_total(columns, k) - candor_sets_total(columns, k - 1));
  }
  for (size_t i = 0; i < columns; i++) {
    const uint64_t *column = words + i * CANDOR_BLOCK_WORDS;
    *t.next[1]++ += and_count(column, column, t.groups);
  }
  for (size_t i = 0; order > 1 && i + 1 < columns; i++) walk_from(&t, i);
  return CANDOR_OK;
}

/* Number of members of a padded set, 0 where one is out of range. */
static size_t set_size(const int *set, size_t width, size_t columns)
{
  size_t size = 0;
  while (size < width && set[size] >= 0) {
    if ((size_t) set[size] >= columns) return 0;
    size++;
  }
  return size;
}

candor_status candor_cooccurrence_chosen(const uint64_t *words, size_t columns, size_t rows, const int *members,
                                         size_t n, size_t width, uint64_t *work, double *counts)
{
  if (rows < 1 || rows > CANDOR_BLOCK_ROWS || width < 1 || width > CANDOR_SET_MAX) return CANDOR_DOMAIN;
  const size_t groups = (rows + CANDOR_GROUP_ROWS - 1) / CANDOR_GROUP_ROWS;
  size_t known = 0; /* how many leading members the nodes in `work` stand for */
  const int *previous = members;
  for (size_t s = 0; s < n; s++) {
    const int *set = members + s * width;
    const size_t size = set_size(set, width, columns);
    if (size == 0) return CANDOR_DOMAIN;
    size_t m = 0;
    while (m < known && m + 1 < size && set[m] == previous[m]) m++;
    /* Node m, the AND of m members, lives at work + (m - 2); node 1 is the column itself. */
    const uint64_t *node = words + (size_t) set[0] * CANDOR_BLOCK_WORDS;
    if (m > 1) node = work + (m - 2) * CANDOR_BLOCK_WORDS;
    for (m = m > 1 ? m : 1; m + 1 < size; m++) {
      uint64_t *to = work + (m - 1) * CANDOR_BLOCK_WORDS;
      and_words(node, words + (size_t) set[m] * CANDOR_BLOCK_WORDS, groups, to);
      node = to;
    }
    counts[s] += and_count(node, words + (size_t) set[size - 1] * CANDOR_BLOCK_WORDS, groups);
    known = size - 1;
    previous = set;
  }
  return CANDOR_OK;
}
