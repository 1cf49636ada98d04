/*
 * Decides whether the collector may read rings now: not while memory is exhausted, nor while it is full of
 * events that are not recorded yet. The collector's thread; a zeroed struct is ready.
 */
#ifndef CLI_RUN_COLLECT_MEMORY_H
#define CLI_RUN_COLLECT_MEMORY_H

#include "core/session/session.h"

struct collect_memory {
    uint64_t lost;         /* the session's no_memory at the last look */
    int64_t probe_next_ns; /* while it is out */
    bool is_out, told_out, told_lag;
};

bool collect_memory_allows(struct collect_memory *memory, struct session *session, int64_t now_ns);

/* Reports once that memory ran out, as soon as there is memory for the notice. */
void collect_memory_report(struct collect_memory *memory, struct session *session, int64_t now_ns);

#endif
