/*
 * `lanescope export`: the events of a recording for other programs, as a Chrome trace (Perfetto opens it,
 * too), as CSV or as JSON. docs/export.md describes their content and how exact their times are; the schemas
 * are docs/export.schema.json and docs/export-chrome.schema.json. Reads a session at rest. One thread.
 */
#ifndef CLI_EXPORT_EXPORT_H
#define CLI_EXPORT_EXPORT_H

#include "cli/export/export_event.h"
#include "cli/options/options.h"

enum status export_command(const struct options *options, struct error *error);

/* The caller checks the stream for write errors. */
void export_chrome(const struct export *export);
void export_csv(const struct export *export);
void export_json(const struct export *export);

#endif
