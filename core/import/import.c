/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats, and which of them a file is: by its head, which is unpacked if it is gzip's. */
#include "core/import/sender.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

static const struct import_format *const formats[] = {&import_nsys, &import_rocpd, &import_kineto};
#define FORMATS (sizeof formats / sizeof *formats)

struct import {
    const struct import_format *format;
    void *reader;
    struct sender *sender;
    bool done;
};

/* Unpacked if it is gzip's; 0: no file that could be read. */
static size_t read_head(const char *path, char *head, unsigned size_bytes)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) /* a FIFO would block */
        return 0;
    gzFile file = gzopen(path, "rbe");
    const int size = file ? gzread(file, head, size_bytes) : 0;
    gzclose(file);
    return size > 0 ? (size_t)size : 0;
}

static const struct import_format *format_of(const char *path)
{
    char head[FORMAT_HEAD_BYTES];
    const size_t size_bytes = read_head(path, head, sizeof head);
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->recognises(path, head, size_bytes))
            return formats[i];
    return NULL;
}

const char *import_recognises(const char *path)
{
    const struct import_format *format = format_of(path);
    return format ? format->name : NULL;
}

/* By their names where what is in them is not documented, else by their heads. */
enum status import_explain(const char *path, struct error *error)
{
    static const struct {
        const char *ending, *sentence;
    } rows[] = {
        {".nsys-rep",
         "%s is a report of Nsight Systems in a format of its own. With nsys on PATH lanescope opens it; else export it, and open "
         "the export: nsys export --type sqlite --lazy true %s"},
        {".qdrep",
         "%s is a report of an old Nsight Systems in a format of its own. Export it, and open the export: nsys export "
         "--type sqlite %s"},
        {".ncu-rep",
         "%s is a report of Nsight Compute in a format of its own, which lanescope does not read. It prints its "
         "values by: ncu --import %s --csv --page raw"},
        {".pftrace",
         "%s is a trace of Perfetto in its own format, which lanescope does not read. Its JSON form it does: "
         "traceconv json %s"},
    };
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t ending = strlen(rows[i].ending);
        if (length > ending && strcmp(path + length - ending, rows[i].ending) == 0)
            return error_set(error, STATUS_FORMAT, rows[i].sentence, path, path);
    }
    char head[FORMAT_HEAD_BYTES + 1];
    head[read_head(path, head, FORMAT_HEAD_BYTES)] = '\0';
    if (strstr(head, "\"rocprofiler-sdk-tool\""))
        return error_set(
            error, STATUS_FORMAT,
            "%s is the JSON of rocprofv3, which lanescope does not read. Its database it does: rocprofv3 "
            "--sys-trace --output-format rocpd -- PROGRAM",
            path);
    return STATUS_OK;
}

enum status import_open(struct import **result, struct session **session, const char *path,
                        struct error *error)
{
    *session = NULL;
    *result = NULL;
    struct import *import = calloc(1, sizeof *import);
    if (!import)
        return error_no_memory(error, "to open %s", path);
    import->format = format_of(path);
    enum status status = import->format
                             ? import->format->open(&import->reader, session, &import->sender, path, error)
                             : error_set(error, STATUS_FORMAT, "%s is no trace that lanescope reads.", path);
    if (status == STATUS_OK) {
        *result = import;
        return STATUS_OK;
    }
    import_close(import);
    session_destroy(*session);
    *session = NULL;
    return status;
}

enum status import_step(struct import *import, size_t most, bool *done, struct error *error)
{
    enum status status = STATUS_OK;
    if (!import->done)
        status = import->format->step(import->reader, most, &import->done, error);
    if (status != STATUS_OK || import->done) {
        sender_end(import->sender);
        import->sender = NULL;
        import->done = true;
    }
    *done = import->done;
    return status;
}

double import_progress(const struct import *import)
{
    return import->done ? 1 : import->format->progress(import->reader);
}

void import_close(struct import *import)
{
    if (!import)
        return;
    sender_end(import->sender);
    if (import->reader)
        import->format->close(import->reader);
    free(import);
}
