#include "tally/cells.h"

candor_status candor_add_question(const int *codes, size_t n, int first, size_t categories, size_t stride, int missing,
                                  size_t *position, int *cell)
{
  const unsigned k = (unsigned) categories, step = (unsigned) stride;
  unsigned worst = 0;
  for (size_t i = 0; i < n; i++) {
    /* Unsigned, so that one comparison sees both ends, and overflow is defined. */
    const unsigned offset = (unsigned) codes[i] - (unsigned) first;
    const int is_missing = codes[i] == missing;
    const unsigned sum = (unsigned) cell[i] + offset * step;
    worst |= (unsigned) (offset >= k) & (unsigned) !is_missing;
    cell[i] = is_missing || cell[i] == missing ? missing : (int) (sum & 0x7fffffffu);
  }
  for (size_t i = 0; worst && i < n; i++) {
    if (codes[i] != missing && (unsigned) codes[i] - (unsigned) first >= k) {
      *position = i;
      return CANDOR_DOMAIN;
    }
  }
  return CANDOR_OK;
}
