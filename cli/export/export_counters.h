/*
 * The counter tracks of a Chrome trace: the number of running kernels and copies of a process, and each
 * kernel's metrics while it runs. One thread.
 */
#ifndef CLI_EXPORT_EXPORT_COUNTERS_H
#define CLI_EXPORT_EXPORT_COUNTERS_H

#include "cli/export/export.h"
#include "cli/output/json.h"

/* "ts" and "dur" in us from ns: the smallest double that times 1000 is not below the ns, so that a reader
 * gets the ns back by rounding or by truncation (up to 2^50 ns). */
void export_write_us(struct json *json, const char *key, int64_t ns);

/* An event that gives a counter track of a process its values: they are written between the two calls. */
void export_open_values(struct json *json, const char *track, uint32_t process, int64_t ns);
void export_close_values(struct json *json);

/* Writes the events; their times are the session's minus origin_ns. */
void export_counters(const struct export *export, struct json *json, int64_t origin_ns);

#endif
