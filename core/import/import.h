/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of other tools, opened as if they were recordings: an export of Nsight Systems (SQLite), a database of
 * rocprofv3 or rocmProfileData (SQLite), a trace of PyTorch's profiler (JSON, plain or gzip). What a trace is is found by its content, never by its name. A
 * format is one row of the table in import.c. What a format lacks stays unknown; a notice says which program
 * and release wrote the trace and what it leaves out.
 *
 * An import belongs to the session's writer thread; it fills the session through intake. The file is read
 * only, and nothing is written beside it.
 */
#ifndef CORE_IMPORT_IMPORT_H
#define CORE_IMPORT_IMPORT_H

#include "core/base/error.h"
#include "core/session/session.h"

#include <stdbool.h>
#include <stddef.h>

struct import;

/* Is the file a trace of another tool? What such a trace is called ("an export of Nsight Systems"), NULL: none
 * that is known. */
const char *import_recognises(const char *path);

/* The sentence for a file of another tool that is known, but cannot be read: what it is, and how to make one that can.
 * STATUS_OK: it is none of these. */
enum status import_explain(const char *path, struct error *error);

/* Creates *session, with devices and processes as they are met. STATUS_FORMAT: the trace is not what it seems,
 * or holds no events; STATUS_IO, STATUS_MEMORY. */
enum status import_open(struct import **import, struct session **session, const char *path,
                        struct error *error);
/* Takes about `most` more events. *done: there are no more, and what was held is published. */
enum status import_step(struct import *import, size_t most, bool *done, struct error *error);
double import_progress(const struct import *import); /* 0...1 */
void import_close(struct import *import);            /* the session stays; NULL: nothing */

#endif
