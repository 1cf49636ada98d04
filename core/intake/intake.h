/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intake: turns the events of ONE process into rows of the session. Lives on the session's writer thread.
 *
 * It maps the process's ids to the session's, joins device work with the call that issued it, pairs ranges,
 * keeps the list of launches still open, and holds events back until a WATERMARK says that nothing earlier is
 * coming, so that tracks are appended in order of end.
 *   - Without a watermark, events are published once others that end a second later have come.
 *   - Device work whose call has not come yet waits for it, and all after it, for at most 20 ms of
 * watermarks.
 *   - Of two nested calls with one correlation (runtime and driver), the outer one is joined and drawn.
 *   - A kernel belongs to the run of its process that is under way when it starts; runs come from the
 * session's table, so they may be announced by another ring of the process. Read that ring first. A producer
 * may be two rings of one process (agent and workload): each has its own intake with the same process row.
 *
 * Data from the ring are not trusted: ids, counts and times are checked, malformed events are counted and
 * left out, and memory is bounded (strings, streams, threads, open ranges, events held) however much is sent.
 */
#ifndef CORE_INTAKE_INTAKE_H
#define CORE_INTAKE_INTAKE_H

#include "core/base/progress.h"
#include "core/session/session.h"
#include "core/wire/wire.h"

struct intake;

/* process: the session's row for this ring's process. run: the run of its events until RUN_BEGIN/RUN_END
 * events of the same process say otherwise (NONE: none). */
enum status intake_create(struct intake **intake, struct session *session, uint32_t process, uint32_t run,
                          struct error *error);
void intake_destroy(struct intake *intake);

/* Returns the text of the source file that line information calls `path`, to be freed by the caller; false:
 * the file is not on this machine, or not text. */
typedef bool intake_read_source(void *context, const char *path, char **text, size_t *size_bytes);
/* Sources are kept in the session; names of files under `folder` (constant, NULL: none) are relative to it.
 */
void intake_set_sources(struct intake *intake, const char *folder, intake_read_source *read, void *context);

/* Takes one event from wire_consumer_next. Malformed events are counted, never trusted. */
void intake_event(struct intake *intake, const struct event *event, const uint8_t *blob);

/* Events of the process were lost, so the end of a range may be among them: of each thread only the newest
 * open ranges stay open, or lost ends would make nesting deeper, and memory grow, for as long as the process
 * runs. */
void intake_tell_loss(struct intake *intake);

/* The producer has ended or died: publish all held events, and mark work that never ended. */
void intake_finish(struct intake *intake);

/* The newest PROGRESS, which becomes no row of the session. */
struct intake_progress {
    uint64_t number; /* of PROGRESS events so far; 0: none, and the rest is not valid */
    uint32_t kernel; /* the session's string, demangled */
    struct progress of;
};
const struct intake_progress *intake_progress(const struct intake *intake);

struct intake_stats {
    uint64_t events, malformed, held, unmatched_ranges;
    uint64_t inner_calls; /* not drawn, since an outer call of the same correlation is */
    int64_t watermark_ns; /* session time */
    int64_t ahead_ns;     /* the most ns that a time was ahead of lanescope's clock; 0: none was */
    uint64_t refused[EVENT_KIND_COUNT]; /* malformed events by kind; events of an unknown kind at index 0 */
    uint64_t unkept[EVENT_KIND_COUNT];  /* events that the session had no room for */
};
void intake_stats(const struct intake *intake, struct intake_stats *stats);

#endif
