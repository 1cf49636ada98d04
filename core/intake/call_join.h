/*
 * API calls by correlation id: they are joined with their device work, and launches that are still open are
 * listed. One thread.
 *
 * A call is stored at its correlation modulo JOINS_SLOTS, and a later call replaces it, so memory is bounded
 * without a search. Far fewer launches can be pending: the driver queues about a thousand per stream. Times
 * are session ns.
 */
#ifndef CORE_INTAKE_CALL_JOIN_H
#define CORE_INTAKE_CALL_JOIN_H

#include "core/base/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOINS_SLOTS (1u << 17)
#define JOINS_OPEN_MAX 1024u

struct join {
    int64_t start_ns, end_ns;
    uint32_t correlation, thread, shape, context,
        stream; /* correlation: the process's own id; 0: the slot is empty */
    uint8_t category, domain;
    bool called; /* the call has ended: start_ns, end_ns and thread are valid */
    bool open;   /* begun, and its device work has not arrived */
    bool done;   /* its device work has arrived */
};

struct joins {
    struct join *slots; /* NULL until needed */
    bool calls_seen;    /* this process sends calls, so device work may have to wait for its call */
    bool open_changed;  /* since the owner looked last */
    uint32_t open_count;
    uint32_t open[JOINS_OPEN_MAX]; /* correlations, as they came */
};

static inline size_t joins_bytes(const struct joins *joins)
{
    return joins->slots != NULL ? JOINS_SLOTS * sizeof *joins->slots : 0;
}

void joins_fini(struct joins *joins); /* a zeroed one is empty */

/* A call (times in session ns) began, or has ended. */
void joins_begin(struct joins *joins, const struct event *call);
void joins_call(struct joins *joins, const struct event *call);
/* Device work of this correlation has arrived. */
void joins_done(struct joins *joins, uint32_t correlation);

/* The outermost known call of the correlation that has ended; NULL if none is known. */
const struct join *joins_find(const struct joins *joins, uint32_t correlation);
/* Is this call (which has ended) inside another one of its correlation? */
bool joins_is_inner(const struct joins *joins, const struct event *call);

/* The i-th open launch, or NULL if a later call replaced it. */
const struct join *joins_open(const struct joins *joins, uint32_t i);
void joins_forget(struct joins *joins, uint32_t i); /* it is no longer open, or not known */

#endif
