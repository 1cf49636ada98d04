/*
 * Counters over time in exports: a counter track for each series in a Chrome trace, lines of kind `sample` in
 * CSV, series and samples in JSON. Only samples on the selected clocks are written. One thread.
 */
#ifndef CLI_EXPORT_EXPORT_SAMPLES_H
#define CLI_EXPORT_EXPORT_SAMPLES_H

#include "cli/export/export.h"
#include "cli/output/json.h"

/* Has the process series to be exported? */
bool export_samples_of(const struct export *export, uint32_t process);

void export_samples_chrome(const struct export *export, struct json *json, int64_t origin_ns);
void export_samples_csv(const struct export *export);
void export_samples_json(const struct export *export, struct json *json);

#endif
