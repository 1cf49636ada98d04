/*
 * The accesses of a warp that the tests of the screen look at: of a copy, lane l loads word l x stride +
 * offset and stores it to that word of shared memory, as the spec says; all else has none.
 */
#ifndef TESTS_UNIT_FIXTURE_ACCESSES_H
#define TESTS_UNIT_FIXTURE_ACCESSES_H

#include "core/error.h"
#include "tui/host.h"

/* As tui_host.accesses. Aborts when memory runs out. */
enum status fixture_accesses(void *context, const struct tui_access_query *query,
                             struct tui_accesses *accesses, struct error *error);

#endif
