/* SPDX-License-Identifier: Apache-2.0 */
/* What core/import knows of a format: a row of the table in import.c. */
#ifndef CORE_IMPORT_FORMAT_H
#define CORE_IMPORT_FORMAT_H

#include "core/import/import.h"
#include "core/import/sender.h"

#define FORMAT_HEAD_BYTES 4096u

struct import_format {
    const char *name; /* with its article: "an export of Nsight Systems" */
    /* By the file's first bytes, unpacked if they are gzip's. path: to look further. */
    bool (*recognises)(const char *path, const char *head, size_t size_bytes);
    /* Creates *session and a trace to it; *reader is the format's. */
    enum status (*open)(void **reader, struct session **session, struct sender **sender, const char *path,
                        struct error *error);
    enum status (*step)(void *reader, size_t most, bool *done, struct error *error);
    double (*progress)(const void *reader);
    void (*close)(void *reader); /* not the trace */
};
extern const struct import_format import_nsys, import_kineto;

#endif
