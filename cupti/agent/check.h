/*
 * The self-check: the first kernel record must agree with what the launch callback saw. CUPTI's record
 * structs grow with each release; a libcupti whose records have another layout than expected must not be
 * used. Done once, on the thread that gets the records.
 */
#ifndef CUPTI_AGENT_CHECK_H
#define CUPTI_AGENT_CHECK_H

#include "core/base/error.h"
#include "core/base/event.h"
#include "cupti/load/load.h"

#include <stdbool.h>

/* Is every kernel checked that needs it? Any thread. */
bool check_done(void);

/* Checks a kernel against its launch in agent.launches, if that is there; a mismatch stops the trace with a
 * notice. */
void check_kernel(const cupti_kernel_record *record);

/* The comparison itself; name: string id of the record's name. STATUS_CHECK with a sentence that names the
 * field and CUPTI's file. */
enum status check_compare(const cupti_kernel_record *record, uint32_t name, const struct event *call,
                          const struct event *shape, const char *cupti_path, struct error *error);

#endif
