/*
 * Amdahl's law in the reports: as an object of a run in the JSON, as a table below a program's times.
 * Internal to cli/report; as report.h says of threads and text from outside.
 */
#ifndef CLI_REPORT_REPORT_AMDAHL_H
#define CLI_REPORT_REPORT_AMDAHL_H

#include "cli/output/json.h"
#include "cli/report/data/report_data.h"

/* The member "amdahl" of a run (docs/report.schema.json); its kernels are given by their place in the run's
 * "kernels". null without a trace run. */
enum status report_amdahl_json(struct json *json, const struct report_data *data,
                               const struct report_run *run, struct error *error);

/* For each program its kernels, those with most to gain first; nothing for a bundled workload, whose run is
 * mostly set-up and verification. */
enum status report_amdahl_table(const struct report_data *data, FILE *out, bool wide, struct error *error);

#endif
