/*
 * The members of a run that say where its time went (docs/report.schema.json): copies, calls, ranges, time,
 * steps, overlap. Internal to cli/report; one thread.
 */
#ifndef CLI_REPORT_REPORT_JSON_TIME_H
#define CLI_REPORT_REPORT_JSON_TIME_H

#include "cli/output/json.h"
#include "cli/report/data/report_data.h"

/* If events are not in memory, writes null, sets the error's sentence and returns STATUS_OK. */
enum status report_time_json(struct json *json, const struct report_data *data, const struct report_run *run,
                             struct error *error);

#endif
