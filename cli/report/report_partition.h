/*
 * Where the time of a traced run went (core/analysis/partition.h), as bars and as JSON. The table has a line
 * for each class with time in it, and what most of an idle class was.
 */
#ifndef CLI_REPORT_REPORT_PARTITION_H
#define CLI_REPORT_REPORT_PARTITION_H

#include "cli/output/json.h"
#include "cli/report/data/report_facts.h"

#include <stdio.h>

/* For the whole run and for its steps; nothing for a run that did nothing on a device. */
void report_partition_table(const struct session *session, const struct report_facts *facts, FILE *out);
/* The member "time"; no facts: null. */
void report_partition_json(struct json *json, const struct session *session,
                           const struct report_facts *facts);
/* Members of the object "steps", for the run's loop (core/analysis/steps.h). */
void report_steps_json(struct json *json, const struct session *session, const struct report_facts *facts);

#endif
