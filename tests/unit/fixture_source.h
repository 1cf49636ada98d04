/*
 * A kernel's source on the screens of the tests, with what the model counts of seven PTX instructions: line 5
 * moves most, line 4 takes most instructions.
 */
#ifndef TESTS_UNIT_FIXTURE_SOURCE_H
#define TESTS_UNIT_FIXTURE_SOURCE_H

#include "tui/host.h"

#define FIXTURE_SOURCE_PATH "workloads/kernels/kernel.cu"
extern const char fixture_source_text[];

/* A tui_host's source; there is none of histogram. */
enum status fixture_source(void *context, const struct tui_source_query *query, struct tui_source *source,
                           struct error *error);

#endif
