#include "active.h"

#include "lanes.h"

/* Heap sort: in place, no recursion, O(n log n) whatever the order. w may be NULL (weights 1). */
static int below(const double *x, const double *w, size_t i, size_t j)
{
  return w ? x[i] * w[j] < x[j] * w[i] : x[i] < x[j];
}

static void swap(double *x, size_t i, size_t j)
{
  const double held = x[i];
  x[i] = x[j];
  x[j] = held;
}

static void sift(double *x, double *w, size_t root, size_t n)
{
  for (;;) {
    size_t child = 2 * root + 1;
    if (child >= n) {
      return;
    }
    if (child + 1 < n && below(x, w, child, child + 1)) {
      child++;
    }
    if (!below(x, w, root, child)) {
      return;
    }
    swap(x, root, child);
    if (w) {
      swap(w, root, child);
    }
    root = child;
  }
}

static void sort_ascending(double *x, double *w, size_t n)
{
  for (size_t i = n / 2; i-- > 0;) {
    sift(x, w, i, n);
  }
  for (size_t i = n; i-- > 1;) {
    swap(x, 0, i);
    if (w) {
      swap(w, 0, i);
    }
    sift(x, w, 0, i);
  }
}

/* From the largest ratio down: a category is active as long as it reaches the threshold that it
 * would have with all those above it. */
void candor_active_sort(double *x, double *w, size_t n, const candor_active_rule *rule, candor_active *set)
{
  candor_sum sum = {0, 0}, weight = {0, 0};
  size_t count = 0;
  sort_ascending(x, w, n);
  for (size_t i = n; i-- > 0; count++) {
    candor_sum next = sum, next_weight = weight;
    const double wi = w ? w[i] : 1;
    candor_sum_add(&next, x[i]);
    candor_sum_add(&next_weight, wi);
    const double room = candor_sum_total(&next_weight) + rule->r;
    /* Equals stay together whatever the rounding. */
    if (count > 0 && x[i] * room < (candor_sum_total(&next) - rule->target) * wi && below(x, w, i, i + 1)) {
      break;
    }
    sum = next;
    weight = next_weight;
  }
  set->count = count;
  set->sum = candor_sum_total(&sum);
  set->weight = candor_sum_total(&weight);
  set->threshold = (set->sum - rule->target) / (set->weight + rule->r);
  set->sorted = 1;
  for (size_t i = 0; i < count; i++) {
    x[i] = x[n - count + i];
  }
}
