/* Secret bytes from the operating system. The only input/output of the C code, hence not in core/. */
#ifndef CANDOR_ENTROPY_H
#define CANDOR_ENTROPY_H

#include <stddef.h>

#include "base/status.h"

/* Asks once for up to `n` bytes: the number written, or -1 on failure, or 0 for "interrupted, ask
 * again". candor_entropy_system is the operating system; candor_entropy_none always fails, so that
 * a test can see what a failure does. */
typedef long candor_entropy_source(void *bytes, size_t n);
candor_entropy_source candor_entropy_system;
candor_entropy_source candor_entropy_none;

/* SYNOPSIS: fills `bytes`, asking as often as needed. Whatever the source refuses is CANDOR_GENERATOR, and
 *   the bytes are then zero: there is no second-best source to fall back on. */
candor_status candor_entropy(candor_entropy_source *source, void *bytes, size_t n);

#endif
