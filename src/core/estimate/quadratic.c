#include "estimate/quadratic.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

static const double LEAST_PIVOT = 1e-15;

typedef struct minimiser {
  const candor_quadratic *q;
  size_t *set;
  size_t count;
  size_t products;
  size_t wanting; /* cells at zero whose multiplier is above the tolerance */
  size_t spent;   /* products, and the work on the factor in units of one product */
  unsigned char *blocked;
  double *x, *z, *multiplier, *cells, *reports, *channel_work;
  double *factor; /* lower triangle by rows, leading dimension q->limit */
} minimiser;

size_t candor_quadratic_work(const candor_channel *channel, size_t limit)
{
  return 2 * candor_channel_truths(channel) + candor_channel_reports(channel) + candor_channel_work(channel) + limit +
         limit * limit;
}

static double *row_of(const minimiser *s, size_t k)
{
  return s->factor + k * s->q->limit;
}

/* One more row of the factor for cell i; 0 if the cell depends on the set or there is no room. */
static int append(minimiser *s, size_t i)
{
  const size_t n = s->count, J = candor_channel_reports(s->q->channel);
  if (n == s->q->limit) return 0;
  candor_channel_row(s->q->channel, i, s->reports);
  for (size_t j = 0; j < J; j++) s->reports[j] *= s->q->weights[j];
  candor_channel_adjoint_at(s->q->channel, s->reports, s->set, n, s->channel_work, s->cells);
  s->products++;
  double *row = row_of(s, n), pivot = s->q->diagonal[i] * (1 + s->q->damping);
  for (size_t k = 0; k < n; k++) {
    const double *above = row_of(s, k);
    row[k] = (s->cells[s->set[k]] - candor_vector_dot(above, row, k)) / above[k];
  }
  pivot -= candor_vector_dot(row, row, n);
  if (!(pivot > LEAST_PIVOT * s->q->diagonal[i])) return 0;
  row[n] = sqrt(pivot);
  s->set[s->count++] = i;
  s->spent += 1 + n * n / (2 * J);
  return 1;
}

/* Drops row k of the factor: the rows below turn Hessenberg, and rotations of columns repair them. */
static void drop(minimiser *s, size_t k)
{
  const size_t n = s->count;
  s->x[s->set[k]] = 0;
  for (size_t r = k + 1; r < n; r++) {
    memcpy(row_of(s, r - 1), row_of(s, r), (r + 1) * sizeof(double));
    s->set[r - 1] = s->set[r];
  }
  for (size_t c = k; c + 1 < n; c++) {
    const double a = row_of(s, c)[c], b = row_of(s, c)[c + 1], h = hypot(a, b);
    const double cosine = a / h, sine = b / h;
    for (size_t r = c; r + 1 < n; r++) {
      double *row = row_of(s, r) + c;
      const double x = row[0], y = row[1];
      row[0] = cosine * x + sine * y;
      row[1] = cosine * y - sine * x;
    }
  }
  s->count--;
}

/* z = the minimiser with the cells outside the set at zero and those inside free. */
static void solve(minimiser *s)
{
  const size_t n = s->count;
  for (size_t k = 0; k < n; k++) {
    const size_t i = s->set[k];
    const double *row = row_of(s, k);
    double sum = s->q->linear[i] + s->q->damping * s->q->diagonal[i] * s->q->centre[i];
    for (size_t l = 0; l < k; l++) sum -= row[l] * s->z[l];
    s->z[k] = sum / row[k];
  }
  for (size_t k = n; k-- > 0;) {
    const double *row = row_of(s, k);
    s->z[k] /= row[k];
    for (size_t l = 0; l < k; l++) s->z[l] -= row[l] * s->z[k];
  }
}

/* Moves to the minimiser on the set; cells that reach zero on the way leave it. */
static void settle(minimiser *s)
{
  while (s->count > 0) {
    double alpha = 1;
    solve(s);
    for (size_t k = 0; k < s->count; k++) {
      const double x = s->x[s->set[k]];
      if (s->z[k] <= 0 && x / (x - s->z[k]) < alpha) alpha = x / (x - s->z[k]);
      else if (s->z[k] <= 0 && x == 0) alpha = 0;
    }
    if (alpha == 1) {
      int all = 1;
      for (size_t k = 0; k < s->count; k++) all &= s->z[k] > 0;
      if (all) {
        for (size_t k = 0; k < s->count; k++) s->x[s->set[k]] = s->z[k];
        return;
      }
    }
    for (size_t k = s->count; k-- > 0;) {
      const size_t i = s->set[k];
      const double x = s->x[i], z = s->z[k];
      s->x[i] = x + alpha * (z - x);
      /* The ratio test decides who leaves: a rounded difference might not be exactly zero. */
      if (z <= 0 && (x == 0 || x / (x - z) <= alpha * (1 + 1e-14) || s->x[i] <= 0)) s->x[i] = 0;
    }
    for (size_t k = s->count; k-- > 0;)
      if (s->x[s->set[k]] == 0) drop(s, k);
  }
}

/* Minus the gradient; returns the cell at zero that promises most, or the number of truths. */
static size_t most_promising(minimiser *s)
{
  const candor_quadratic *q = s->q;
  const size_t K = candor_channel_truths(q->channel), J = candor_channel_reports(q->channel);
  size_t best = K;
  double most = 0;
  s->wanting = 0;
  candor_channel_forward(q->channel, s->x, s->channel_work, s->reports);
  for (size_t j = 0; j < J; j++) s->reports[j] *= q->weights[j];
  candor_channel_adjoint(q->channel, s->reports, s->channel_work, s->multiplier);
  s->products += 2;
  s->spent += 2;
  for (size_t i = 0; i < K; i++) {
    if (s->x[i] > 0 || s->blocked[i]) continue;
    const double w = q->linear[i] - s->multiplier[i] + q->damping * q->diagonal[i] * q->centre[i];
    s->wanting += w > q->tolerance;
    if (w > q->tolerance && w * w > most * q->diagonal[i]) {
      most = w * w / q->diagonal[i];
      best = i;
    }
  }
  return best;
}

/* The factor of the starting set; 1 if every cell of it found a place. */
static int start(minimiser *s, size_t count)
{
  int complete = 1;
  for (size_t k = 0; k < count; k++) {
    const size_t i = s->set[k];
    if (!append(s, i)) {
      s->x[i] = 0;
      complete = 0;
    }
  }
  return complete;
}

candor_status candor_quadratic_minimize(const candor_quadratic *q, size_t *set, size_t *count, unsigned char *blocked,
                                        double *work, size_t *products, double *x)
{
  const size_t K = candor_channel_truths(q->channel), J = candor_channel_reports(q->channel);
  minimiser s = {q, set, 0, 0, 0, 0, blocked, x, NULL, work, work + K, work + 2 * K, NULL, NULL};
  int solved = 0, any_blocked = 0, hopeless = 0;
  s.channel_work = s.reports + J;
  s.z = s.channel_work + candor_channel_work(q->channel);
  s.factor = s.z + q->limit;
  memset(blocked, 0, K);
  const int complete = start(&s, *count);
  settle(&s);
  while (s.spent < q->budget) {
    const size_t i = most_promising(&s);
    if (i == K) {
      solved = !any_blocked;
      break;
    }
    /* Where the end is near, few cells still want to enter; with a fifth of the room taken and half of all
     * cells still wanting, there will be no room. */
    if (q->limit < K / 2 && s.count >= q->limit / 5 && s.wanting > K / 2) {
      hopeless = 1;
      break;
    }
    const size_t before = s.count;
    if (!append(&s, i)) {
      blocked[i] = 1;
      any_blocked = 1;
      if (s.count == q->limit) break;
      continue;
    }
    settle(&s);
    /* A cell that enters and leaves at once would do so for ever; a changed set clears the record. */
    if (!(x[i] > 0)) {
      blocked[i] = 1;
      any_blocked = 1;
    } else if (s.count != before && any_blocked) {
      memset(blocked, 0, K);
      any_blocked = 0;
    }
  }
  *count = s.count;
  *products += s.products;
  if (solved) return CANDOR_OK;
  return hopeless ? CANDOR_STALLED : complete ? CANDOR_AGAIN : CANDOR_DOMAIN;
}
