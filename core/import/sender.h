/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the readers of other tools' traces send: events of several processes, through an intake each, into one
 * session. A reader sends the events roughly in order of their starts and says with sender_until how far it is;
 * intake puts them in order of their ends. Times are ns from the session's start, which the reader chooses.
 * One thread, the session's writer.
 */
#ifndef CORE_IMPORT_SENDER_H
#define CORE_IMPORT_SENDER_H

#include "core/base/error.h"
#include "core/base/event.h"
#include "core/hardware/device_info.h"
#include "core/import/import.h"
#include "core/session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sender;

/* The time of an event from the session's start; INT64_MAX, which intake refuses, if it is none. */
static inline int64_t sender_time(int64_t ns, int64_t base_ns)
{
    int64_t time_ns;
    return __builtin_sub_overflow(ns, base_ns, &time_ns) ? INT64_MAX : time_ns;
}

/* What is known of a process; texts "" if not. */
struct sender_process {
    int32_t pid, rank; /* rank -1: not known */
    char program[128], host[128], command[1024];
};

/* Creates the session, too, whose time 0 is this UTC time, in ns since 1970; a time that is not known, or cannot
 * be, is replaced by 1. The session is the caller's, also after an error. */
enum status sender_create(struct sender **sender, struct session **session, int64_t utc_ns,
                          struct error *error);
/* Publishes what is held, ends the processes at the last time sent, and frees. NULL: nothing. */
void sender_end(struct sender *sender);

/* The process with this key of the trace, UINT32_MAX: there is none yet. */
uint32_t sender_find(const struct sender *sender, uint64_t key);
/* Adds a process and its run; UINT32_MAX: no memory, or more than SENDER_PROCESSES_MAX. */
#define SENDER_PROCESSES_MAX 4096u
uint32_t sender_add(struct sender *sender, uint64_t key, const struct sender_process *what);

bool sender_has_device(const struct sender *sender, uint32_t process, uint16_t ordinal);
void sender_device(struct sender *sender, uint32_t process, uint16_t ordinal, const struct device_info *info);
/* The id of a text among all processes, for sender_text_id; 0 for an empty one, or if there is no memory. */
uint32_t sender_intern(struct sender *sender, const char *text, size_t size_bytes);
const char *sender_interned_text(const struct sender *sender, uint32_t interned);
/* The text as the process may name it in its events. */
uint32_t sender_text_id(struct sender *sender, uint32_t process, uint32_t interned);
uint32_t sender_text(struct sender *sender, uint32_t process, const char *text);
/* The same of a kernel's shape: a SHAPE event without id, whose name is an interned text. 0: no memory. */
uint32_t sender_intern_shape(struct sender *sender, const struct event *shape);
uint32_t sender_shape_id(struct sender *sender, uint32_t process, uint32_t interned);

/* An event whose times and ids are set. Times that are not possible are counted as malformed. */
void sender_event(struct sender *sender, uint32_t process, const struct event *event);
/* A call by its name in the trace ("cudaLaunchKernel_v7000", "hipMemcpyAsync"). */
struct sender_call {
    int64_t start_ns, end_ns;
    uint32_t correlation, thread;
    int32_t result;
    enum api_domain domain;
    const char *name;
};
void sender_call(struct sender *sender, uint32_t process, const struct sender_call *call);
/* Was the call of this correlation, sent before, one that does not wait? */
bool sender_is_asynchronous(const struct sender *sender, uint32_t process, uint32_t correlation);
/* A range of a thread; it may end after others that begin later. */
struct sender_range {
    int64_t start_ns, end_ns;             /* end_ns below start_ns: a mark */
    uint32_t thread, name, domain, color; /* texts of the process */
    double payload;
};
void sender_range(struct sender *sender, uint32_t process, const struct sender_range *range);

/* What the trace says of a collective, beside its kernel; the row's process is filled in. */
void sender_collective(struct sender *sender, uint32_t process, const struct collective_row *row);

/* Nothing that starts before this is still to come. */
void sender_until(struct sender *sender, int64_t time_ns);

__attribute__((format(printf, 3, 4))) void sender_notice(struct sender *sender, enum severity severity,
                                                         const char *format, ...);

/* How counters of a program on AMD's GPUs are taken, for session_set_origin. */
#define COUNTING_ON_ROCM "rocprof-compute profile --name counted --"

/* What core/import knows of a format: a row of the table in import.c. */

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
extern const struct import_format import_nsys, import_rocpd, import_kineto;

#endif
