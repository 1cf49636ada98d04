/*
 * Where the time of a traced run went (core/analysis/partition.h), as bars. The table has a line
 * for each class with time in it, and what most of an idle class was.
 */
#ifndef CLI_REPORT_REPORT_PARTITION_H
#define CLI_REPORT_REPORT_PARTITION_H

#include "cli/report/data/report_facts.h"

#include <stdio.h>

/* For the whole run and for its steps; nothing for a run that did nothing on a device. */
void report_partition_table(const struct session *session, const struct report_facts *facts, FILE *out);

#endif
