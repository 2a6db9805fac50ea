/* Products with a channel, axis by axis. See channel.h. */
#include "estimate/channel.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/lanes.h"
#include "base/vector.h"

typedef enum { FORWARD, ADJOINT, SQUARE } product;

/* ---- sizes ------------------------------------------------------------------------------------ */

static size_t times(size_t a, size_t b)
{
  return a == 0 || b == 0 || a > SIZE_MAX / sizeof(double) / b ? 0 : a * b;
}

size_t candor_channel_truths(const candor_channel *channel)
{
  size_t n = 1;
  for (size_t d = 0; d < channel->axes; d++) n = times(n, channel->axis[d].truths);
  return n;
}

size_t candor_channel_reports(const candor_channel *channel)
{
  size_t n = 1;
  for (size_t d = 0; d < channel->axes; d++) n = times(n, channel->axis[d].reports);
  return n;
}

/* The largest array between two axes, in either direction. */
static size_t largest_stage(const candor_channel *channel)
{
  size_t largest = 0;
  for (size_t d = 0; d + 1 < channel->axes; d++) {
    size_t forward = 1, adjoint = 1;
    for (size_t e = 0; e < channel->axes; e++) {
      const candor_axis *axis = &channel->axis[e];
      forward = times(forward, e <= d ? axis->reports : axis->truths);
      adjoint = times(adjoint, e <= d ? axis->truths : axis->reports);
    }
    if (forward > largest) largest = forward;
    if (adjoint > largest) largest = adjoint;
  }
  return largest;
}

size_t candor_channel_work(const candor_channel *channel)
{
  if (channel->axis->kind == CANDOR_AXIS_SUPPORT) return candor_support_axis_work(&channel->axis->support);
  return 2 * largest_stage(channel);
}

candor_status candor_channel_check(const candor_channel *channel)
{
  if (channel->axes == 0 || candor_channel_truths(channel) == 0 || candor_channel_reports(channel) == 0)
    return CANDOR_DOMAIN;
  for (size_t d = 0; d < channel->axes; d++) {
    const candor_axis *axis = &channel->axis[d];
    if (axis->kind == CANDOR_AXIS_SUPPORT) {
      if (channel->axes > 1 || !candor_support_axis_holds(&axis->support)) return CANDOR_DOMAIN;
      continue;
    }
    const int dense = axis->kind == CANDOR_AXIS_DENSE;
    const double *values = dense ? axis->matrix : axis->base;
    const size_t n = dense ? times(axis->truths, axis->reports) : axis->reports;
    if (n == 0 || (!dense && axis->truths != axis->reports)) return CANDOR_DOMAIN;
    if (!dense && !isfinite(axis->slope)) return CANDOR_NOT_FINITE;
    for (size_t i = 0; i < n; i++) {
      if (!isfinite(values[i])) return CANDOR_NOT_FINITE;
      if (values[i] < 0 || (!dense && values[i] + axis->slope < 0)) return CANDOR_DOMAIN;
    }
  }
  return CANDOR_OK;
}

/* ---- one dense axis --------------------------------------------------------------------------- */

/* out += x1 a1 + ... + x4 a4: four rows at a time quarter the traffic through `out`. */
static void add_rows(const double *x, const double *const *row, size_t n, double *restrict out)
{
  const double *restrict a = row[0], *restrict b = row[1], *restrict c = row[2], *restrict d = row[3];
  const double xa = x[0], xb = x[1], xc = x[2], xd = x[3];
  size_t j = 0;
  for (; j + 4 <= n; j += 4)
    for (size_t k = 0; k < 4; k++) out[j + k] += (xa * a[j + k] + xb * b[j + k]) + (xc * c[j + k] + xd * d[j + k]);
  for (; j < n; j++) out[j] += (xa * a[j] + xb * b[j]) + (xc * c[j] + xd * d[j]);
}

static void dense_forward(const candor_axis *axis, const double *in, double *out)
{
  const size_t n = axis->reports;
  const double *row[4];
  double x[4];
  size_t waiting = 0;
  memset(out, 0, n * sizeof *out);
  for (size_t i = 0; i < axis->truths; i++) {
    if (in[i] == 0) continue;
    x[waiting] = in[i];
    row[waiting++] = axis->matrix + i * n;
    if (waiting == 4) {
      add_rows(x, row, n, out);
      waiting = 0;
    }
  }
  for (size_t k = 0; k < waiting; k++)
    for (size_t j = 0; j < n; j++) out[j] += x[k] * row[k][j];
}

static double dot_square(const double *a, const double *b, size_t n)
{
  double lane[CANDOR_LANES] = {0};
  size_t j = 0;
  for (; j + CANDOR_LANES <= n; j += CANDOR_LANES)
    for (size_t k = 0; k < CANDOR_LANES; k++) lane[k] += a[j + k] * a[j + k] * b[j + k];
  for (size_t k = 0; j + k < n; k++) lane[k] += a[j + k] * a[j + k] * b[j + k];
  return candor_lane_sum(lane);
}

static size_t input_size(const candor_axis *axis, product kind)
{
  return kind == FORWARD ? axis->truths : axis->reports;
}

static size_t output_size(const candor_axis *axis, product kind)
{
  return kind == FORWARD ? axis->reports : axis->truths;
}

/* ---- one axis of several: in[l + left * (v + n_in * r)] -> out[l + left * (u + n_out * r)] -------- */

/* y += factor x, and y = factor x + share z: four at a time, as vector instructions. */
static inline void add_scaled(double factor, const double *restrict x, double *restrict y, size_t n)
{
  size_t l = 0;
  for (; l + 4 <= n; l += 4)
    for (size_t k = 0; k < 4; k++) y[l + k] += factor * x[l + k];
  for (; l < n; l++) y[l] += factor * x[l];
}

static inline void combine(double factor, const double *restrict x, double share, const double *restrict z,
                           double *restrict y, size_t n)
{
  size_t l = 0;
  for (; l + 4 <= n; l += 4)
    for (size_t k = 0; k < 4; k++) y[l + k] = factor * x[l + k] + share * z[l + k];
  for (; l < n; l++) y[l] = factor * x[l] + share * z[l];
}

static void dense_stage(const candor_axis *axis, product kind, size_t left, size_t right, const double *in, double *out)
{
  const size_t n_in = input_size(axis, kind), n_out = output_size(axis, kind);
  const size_t step_in = kind == FORWARD ? axis->reports : 1;
  const size_t step_out = kind == FORWARD ? 1 : axis->reports;
  for (size_t r = 0; r < right; r++) {
    const double *from = in + r * n_in * left;
    for (size_t u = 0; u < n_out; u++) {
      double *to = out + (r * n_out + u) * left;
      const double *c = axis->matrix + u * step_out;
      for (size_t l = 0; l < left; l++) to[l] = 0;
      for (size_t v = 0; v < n_in; v++) {
        const double entry = c[v * step_in];
        const double factor = kind == SQUARE ? entry * entry : entry;
        const double *source = from + v * left;
        add_scaled(factor, source, to, left);
      }
    }
  }
}

/* The first axis: its cells are contiguous. Sums of an axis of many categories are compensated between blocks: the
 * certificate asks for relative errors of 1e-14. */
static double weighted_total(const double *b, product kind, const double *from, size_t n)
{
  candor_sum total = {0, 0};
  for (size_t start = 0; start < n; start += CANDOR_BLOCK) {
    const size_t end = start + candor_smaller(CANDOR_BLOCK, n - start);
    double sum[4] = {0, 0, 0, 0};
    for (size_t y = start; y < end; y++)
      sum[y & 3] += (kind == FORWARD ? 1 : kind == ADJOINT ? b[y] : b[y] * b[y]) * from[y];
    candor_sum_add(&total, (sum[0] + sum[1]) + (sum[2] + sum[3]));
  }
  return candor_sum_total(&total);
}

static void additive_first(const candor_axis *axis, product kind, size_t right, const double *in, double *out)
{
  const size_t n = axis->reports;
  const double *b = axis->base;
  const double a = axis->slope;
  for (size_t r = 0; r < right; r++) {
    const double *from = in + r * n;
    double *to = out + r * n;
    const double total = weighted_total(b, kind, from, n);
    for (size_t y = 0; y < n; y++)
      to[y] = (kind == SQUARE ? a * (2 * b[y] + a) : a) * from[y] + (kind == FORWARD ? b[y] : 1) * total;
  }
}

/* A later axis: `left` sums run side by side, kept where the last category's result will go; of long axes, sums of
 * 256 categories are made next to it first, which bounds their rounding. */
static void additive_stage(const candor_axis *axis, product kind, size_t left, size_t right, const double *in,
                           double *out)
{
  enum { PART = 256 };
  const size_t n = axis->reports;
  const double a = axis->slope;
  for (size_t r = 0; r < right; r++) {
    const double *from = in + r * n * left;
    double *to = out + r * n * left;
    double *total = to + (n - 1) * left, *part = n > PART ? total - left : total;
    for (size_t l = 0; l < left; l++) total[l] = 0;
    for (size_t start = 0; start < n; start += PART) {
      const size_t end = start + candor_smaller(PART, n - start);
      for (size_t l = 0; part != total && l < left; l++) part[l] = 0;
      for (size_t y = start; y < end; y++) {
        const double b = axis->base[y], factor = kind == FORWARD ? 1 : kind == ADJOINT ? b : b * b;
        add_scaled(factor, from + left * y, part, left);
      }
      if (part != total) add_scaled(1, part, total, left);
    }
    for (size_t y = 0; y < n; y++) {
      const double b = axis->base[y];
      const double slope = kind == SQUARE ? a * (2 * b + a) : a, share = kind == FORWARD ? b : 1;
      if (y + 1 < n) combine(slope, from + left * y, share, total, to + left * y, left);
      else
        for (size_t l = 0; l < left; l++) total[l] = slope * from[l + left * y] + share * total[l];
    }
  }
}

/* out_u = sum_v M[u][v] in_v of a binary question. */
static void as_two_by_two(const candor_axis *axis, product kind, double M[2][2])
{
  for (size_t x = 0; x < 2; x++) {
    for (size_t y = 0; y < 2; y++) {
      const double c =
          axis->kind == CANDOR_AXIS_DENSE ? axis->matrix[2 * x + y] : axis->base[y] + (x == y ? axis->slope : 0);
      if (kind == FORWARD) M[y][x] = c;
      else M[x][y] = kind == ADJOINT ? c : c * c;
    }
  }
}

/* y_u = sum_v M[u][v] x_v for four pairs side by side: a constant number of steps, stored only when all is read, is
 * what gcc turns into vector instructions at -O2. */
static inline void two_by_two(double m0, double m1, const double *restrict x0, const double *restrict x1,
                              double y[restrict 4])
{
  for (size_t k = 0; k < 4; k++) y[k] = m0 * x0[k] + m1 * x1[k];
}

/* Two yes/no axes in one pass: half the traffic through memory. `left` is a multiple of 4. Measured on twelve yes/no
 * questions: the general stages take 4 to 5 times as long, and one pass an axis 1.7 times; the joint estimate of
 * bench-solver.R must not take more than three times the making of its tally. */
static void binary_pair(double A[2][2], double B[2][2], size_t left, size_t right, const double *restrict in,
                        double *restrict out)
{
  const double a00 = A[0][0], a01 = A[0][1], a10 = A[1][0], a11 = A[1][1];
  const double b00 = B[0][0], b01 = B[0][1], b10 = B[1][0], b11 = B[1][1];
  for (size_t r = 0; r < right; r++) {
    const double *restrict x = in + 4 * left * r;
    double *restrict y = out + 4 * left * r;
    for (size_t l = 0; l < left; l += 4) {
      double u0[4], u1[4], u2[4], u3[4];
      two_by_two(a00, a01, x + l, x + l + left, u0);
      two_by_two(a10, a11, x + l, x + l + left, u1);
      two_by_two(a00, a01, x + l + 2 * left, x + l + 3 * left, u2);
      two_by_two(a10, a11, x + l + 2 * left, x + l + 3 * left, u3);
      two_by_two(b00, b01, u0, u2, y + l);
      two_by_two(b00, b01, u1, u3, y + l + left);
      two_by_two(b10, b11, u0, u2, y + l + 2 * left);
      two_by_two(b10, b11, u1, u3, y + l + 3 * left);
    }
  }
}

/* The same for the first two axes, whose four cells lie side by side: a 4 x 4 matrix, column by column. */
static void binary_first(double A[2][2], double B[2][2], size_t right, const double *restrict in, double *restrict out)
{
  double c[4][4];
  for (size_t v = 0; v < 4; v++)
    for (size_t u = 0; u < 4; u++) c[v][u] = B[u / 2][v / 2] * A[u % 2][v % 2];
  for (size_t r = 0; r < right; r++) {
    const double x0 = in[4 * r], x1 = in[4 * r + 1], x2 = in[4 * r + 2], x3 = in[4 * r + 3];
    double *restrict y = out + 4 * r;
    for (size_t u = 0; u < 4; u++) y[u] = (c[0][u] * x0 + c[1][u] * x1) + (c[2][u] * x2 + c[3][u] * x3);
  }
}

static void binary_axes(const candor_axis *axis, product kind, size_t left, size_t right, const double *in, double *out)
{
  double A[2][2], B[2][2];
  as_two_by_two(axis, kind, A);
  as_two_by_two(axis + 1, kind, B);
  if (left == 1) binary_first(A, B, right, in, out);
  else binary_pair(A, B, left, right, in, out);
}

static int is_binary(const candor_axis *axis)
{
  return axis->truths == 2 && axis->reports == 2;
}

/* Cells of the largest array between two axes in this direction. */
static size_t largest_between(const candor_channel *channel, product kind)
{
  size_t cells = 1, largest = 0;
  for (size_t d = 0; d < channel->axes; d++) cells *= input_size(&channel->axis[d], kind);
  for (size_t d = 0; d + 1 < channel->axes; d++) {
    cells = cells / input_size(&channel->axis[d], kind) * output_size(&channel->axis[d], kind);
    if (cells > largest) largest = cells;
  }
  return largest;
}

static void several_axes(const candor_channel *channel, product kind, const double *in, double *work, double *out)
{
  double *buffer[2] = {work, work + largest_between(channel, kind)};
  const double *source = in;
  size_t left = 1, right = 1;
  int turn = 0;
  for (size_t d = 0; d < channel->axes; d++) right *= input_size(&channel->axis[d], kind);
  for (size_t d = 0; d < channel->axes;) {
    const candor_axis *axis = &channel->axis[d];
    const int pair = (left == 1 || left % 4 == 0) && d + 1 < channel->axes && is_binary(axis) && is_binary(axis + 1);
    const size_t next = d + (pair ? 2 : 1);
    double *target = next == channel->axes ? out : buffer[turn];
    right /= pair ? 4 : input_size(axis, kind);
    if (pair) binary_axes(axis, kind, left, right, source, target);
    else if (axis->kind == CANDOR_AXIS_ADDITIVE && left == 1) additive_first(axis, kind, right, source, target);
    else if (axis->kind == CANDOR_AXIS_ADDITIVE) additive_stage(axis, kind, left, right, source, target);
    else dense_stage(axis, kind, left, right, source, target);
    left *= pair ? 4 : output_size(axis, kind);
    source = target;
    turn = !turn;
    d = next;
  }
}

static int is_support(const candor_channel *channel)
{
  return channel->axis->kind == CANDOR_AXIS_SUPPORT;
}

static int is_one_dense(const candor_channel *channel)
{
  return channel->axes == 1 && channel->axis->kind == CANDOR_AXIS_DENSE;
}

void candor_channel_forward(const candor_channel *channel, const double *theta, double *work, double *m)
{
  if (is_support(channel)) candor_support_forward(&channel->axis->support, theta, work, m);
  else if (is_one_dense(channel)) dense_forward(channel->axis, theta, m);
  else several_axes(channel, FORWARD, theta, work, m);
}

/* g = C w, or with the squares of C's entries. */
static void adjoint(const candor_channel *channel, product kind, const double *w, double *work, double *g)
{
  const candor_axis *axis = channel->axis;
  if (is_support(channel)) {
    candor_support_adjoint(&axis->support, kind == SQUARE, w, work, g);
  } else if (!is_one_dense(channel)) {
    several_axes(channel, kind, w, work, g);
  } else {
    double (*const dot)(const double *, const double *, size_t) = kind == SQUARE ? dot_square : candor_vector_dot;
    for (size_t i = 0; i < axis->truths; i++) g[i] = dot(axis->matrix + i * axis->reports, w, axis->reports);
  }
}

void candor_channel_adjoint(const candor_channel *channel, const double *w, double *work, double *g)
{
  adjoint(channel, ADJOINT, w, work, g);
}

void candor_channel_adjoint_square(const candor_channel *channel, const double *w, double *work, double *g)
{
  adjoint(channel, SQUARE, w, work, g);
}

void candor_channel_adjoint_at(const candor_channel *channel, const double *w, const size_t *index, size_t n,
                               double *work, double *g)
{
  const candor_axis *axis = channel->axis;
  if (is_support(channel) || !is_one_dense(channel)) {
    adjoint(channel, ADJOINT, w, work, g);
    return;
  }
  const size_t J = axis->reports;
  for (size_t k = 0; k < n; k++) g[index[k]] = candor_vector_dot(axis->matrix + index[k] * J, w, J);
}

void candor_channel_row(const candor_channel *channel, size_t truth, double *row)
{
  if (is_support(channel)) {
    for (size_t y = 0; y < channel->axis->reports; y++)
      row[y] = candor_support_entry(&channel->axis->support, truth, y);
    return;
  }
  size_t length = 1;
  row[0] = 1;
  for (size_t d = 0; d < channel->axes; d++) {
    const candor_axis *axis = &channel->axis[d];
    const size_t x = truth % axis->truths;
    truth /= axis->truths;
    /* Downwards, so that the block of y = 0 is overwritten last: it holds the factors so far. */
    for (size_t y = axis->reports; y-- > 0;) {
      const double c = axis->kind == CANDOR_AXIS_DENSE ? axis->matrix[x * axis->reports + y]
                                                       : axis->base[y] + (x == y ? axis->slope : 0);
      for (size_t l = 0; l < length; l++) row[y * length + l] = c * row[l];
    }
    length *= axis->reports;
  }
}

/* ---- structure hidden in a dense matrix --------------------------------------------------------- */

int candor_channel_find_additive(const double *matrix, size_t n, double tolerance, double *base, double *slope)
{
  double least = HUGE_VAL, most = -HUGE_VAL, scale = 0;
  if (n < 2) return 0;
  for (size_t y = 0; y < n; y++) base[y] = matrix[(y == 0 ? n : 0) + y];
  for (size_t x = 0; x < n; x++) {
    for (size_t y = 0; y < n; y++) {
      const double c = matrix[x * n + y];
      if (x != y && !(fabs(c - base[y]) <= tolerance * fmax(c, base[y]))) return 0;
    }
  }
  for (size_t y = 0; y < n; y++) {
    const double c = matrix[y * n + y] - base[y];
    if (c < least) least = c;
    if (c > most) most = c;
    scale = fmax(scale, matrix[y * n + y]);
  }
  *slope = 0.5 * (least + most);
  return least >= 0 && most - least <= tolerance * scale;
}
