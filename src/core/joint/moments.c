/* Joint counts carried through each column's two probabilities. See moments.h. */
#include "joint/moments.h"

#include <math.h>
#include <string.h>

candor_status candor_table_check(const candor_table *table)
{
  for (size_t s = 0; s < table->sets->total; s++)
    if (!isfinite(table->value[s])) return CANDOR_NOT_FINITE;
  for (size_t s = 0; s < table->n_more; s++)
    if (!isfinite(table->more_value[s])) return CANDOR_NOT_FINITE;
  return table->value[0] > 0 ? CANDOR_OK : CANDOR_EMPTY;
}

/* < 0, 0, > 0 as the set (bits of present among members) sorts before, at, after a padded stored set. */
static int compare_sets(const int *members, size_t size, size_t present, size_t count, const int *stored, size_t width)
{
  if (count > width || stored[count - 1] < 0) return 1;
  if (count < width && stored[count] >= 0) return -1;
  size_t at = 0;
  for (size_t m = 0; m < size; m++) {
    if ((present >> m) & 1) {
      if (members[m] != stored[at]) return members[m] < stored[at] ? -1 : 1;
      at++;
    }
  }
  return 0;
}

candor_status candor_table_get(const candor_table *table, const int *members, size_t size, size_t present,
                               double *value)
{
  size_t count = 0;
  for (size_t m = 0; m < size; m++) count += (present >> m) & 1;
  if (count <= table->sets->order) {
    *value = table->value[candor_sets_position(table->sets, members, size, present)];
    return CANDOR_OK;
  }
  size_t low = 0, high = table->n_more;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int sign = compare_sets(members, size, present, count, table->more + middle * table->width, table->width);
    if (sign == 0) {
      *value = table->more_value[middle];
      return CANDOR_OK;
    }
    if (sign < 0) high = middle;
    else low = middle + 1;
  }
  return CANDOR_DOMAIN;
}

candor_status candor_columns_check(size_t columns, const double *p, const double *q, size_t *which)
{
  for (size_t j = 0; j < columns; j++) {
    *which = j;
    if (!isfinite(p[j]) || !isfinite(q[j])) return CANDOR_NOT_FINITE;
    if (p[j] < 0 || p[j] > 1 || q[j] < 0 || q[j] > 1) return CANDOR_DOMAIN;
    if (p[j] == q[j]) return CANDOR_NO_INFORMATION;
  }
  return CANDOR_OK;
}

void candor_weights_report(double p, double q, double weight[2])
{
  weight[0] = q;
  weight[1] = p - q;
}

candor_status candor_contract(const candor_table *table, const int *members, size_t size, size_t fixed, size_t free,
                              const double *weight, double *out)
{
  size_t axis[64];
  size_t axes = 0;
  for (size_t m = 0; m < size; m++)
    if ((free >> m) & 1) axis[axes++] = m;
  /* A binary counter: partial[l] is the fold of the 2^l leaves last completed on level l. */
  double partial[65];
  for (size_t leaf = 0; leaf < (size_t) 1 << axes; leaf++) {
    size_t present = fixed;
    for (size_t l = 0; l < axes; l++) present |= ((leaf >> l) & 1) << axis[l];
    double value;
    const candor_status status = candor_table_get(table, members, size, present, &value);
    if (status != CANDOR_OK) return status;
    size_t l = 0;
    for (; (leaf >> l) & 1; l++) value = weight[2 * axis[l]] * partial[l] + weight[2 * axis[l] + 1] * value;
    partial[l] = value;
  }
  *out = partial[axes];
  return CANDOR_OK;
}

candor_status candor_axes2(double *x, size_t columns, const double *matrix)
{
  if (columns > 30) return CANDOR_DOMAIN;
  const size_t total = (size_t) 1 << columns;
  for (size_t j = 0; j < columns; j++) {
    const size_t stride = (size_t) 1 << j;
    const double *b = matrix + 4 * j;
    for (size_t base = 0; base < total; base += 2 * stride) {
      for (size_t i = base; i < base + stride; i++) {
        const double low = x[i], high = x[i + stride];
        x[i] = b[0] * low + b[1] * high;
        x[i + stride] = b[2] * low + b[3] * high;
      }
    }
  }
  return CANDOR_OK;
}

candor_status candor_axes3(const double *x, size_t columns, const double *matrix, double *work, double *y)
{
  if (columns < 1 || columns > 15) return CANDOR_DOMAIN;
  const double *from = x;
  double *to = columns % 2 == 1 ? y : work;
  size_t done = 1;                           /* 3^j: axes already ternary */
  size_t rest = (size_t) 1 << (columns - 1); /* 2^(columns - j - 1): axes still binary */
  for (size_t j = 0; j < columns; j++, done *= 3, rest /= 2) {
    const double *t = matrix + 6 * j;
    for (size_t k = 0; k < rest; k++) {
      for (size_t i = 0; i < done; i++) {
        const double low = from[2 * k * done + i], high = from[(2 * k + 1) * done + i];
        for (size_t digit = 0; digit < 3; digit++)
          to[(3 * k + digit) * done + i] = t[2 * digit] * low + t[2 * digit + 1] * high;
      }
    }
    from = to;
    to = to == y ? work : y;
  }
  return CANDOR_OK;
}

candor_status candor_count_law(size_t classes, const double *count, const double *prob, double *pmf)
{
  for (size_t c = 0; c < classes; c++) {
    if (!isfinite(count[c]) || !isfinite(prob[c])) return CANDOR_NOT_FINITE;
    if (count[c] < 0 || count[c] != floor(count[c]) || prob[c] < 0 || prob[c] > 1) return CANDOR_DOMAIN;
  }
  size_t rows = 0;
  pmf[0] = 1;
  for (size_t c = 0; c < classes; c++) {
    const double success = prob[c], failure = 1 - success;
    for (size_t n = 0; n < (size_t) count[c]; n++) {
      pmf[rows + 1] = success * pmf[rows];
      for (size_t k = rows; k > 0; k--) pmf[k] = failure * pmf[k] + success * pmf[k - 1];
      pmf[0] *= failure;
      rows++;
    }
  }
  return CANDOR_OK;
}
