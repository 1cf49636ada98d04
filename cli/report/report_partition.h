/*
 * Where the time of a traced run went (core/analysis/partition.h), as bars and as JSON. The table has a line
 * for each class with time in it, and what most of an idle class was.
 */
#ifndef CLI_REPORT_REPORT_PARTITION_H
#define CLI_REPORT_REPORT_PARTITION_H

#include "cli/output/json.h"
#include "core/analysis/partition.h"

#include <stdio.h>

/* Nothing of a run that did nothing on a device. STATUS_STATE: events were evicted. */
enum status report_partition_table(const struct session *session, uint32_t run, FILE *out,
                                   struct error *error);
/* The member "time"; run NONE: null. STATUS_STATE likewise, and nothing was written. */
enum status report_partition_json(struct json *json, const struct session *session, uint32_t run,
                                  struct error *error);
/* The member "steps", of the run's loop (core/analysis/steps.h); null where there is none. As above. */
enum status report_steps_json(struct json *json, const struct session *session, uint32_t run,
                              struct error *error);

#endif
