/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that readers may be in is freed by epochs: a reader notes the epoch in which it came; what the
 * writer retired in an epoch is freed when all readers are of a later one.
 */
#include "core/session/session_internal.h"

#include <sched.h>
#include <stdlib.h>

bool session_holds_init(struct session *session)
{
    session->holds = calloc(1, sizeof *session->holds);
    if (session->holds)
        atomic_init(&session->holds->epoch, 1);
    return session->holds != NULL;
}

static void retired_free(struct session *session, struct retired *retired)
{
    if (retired->release) {
        retired->release(retired);
        return;
    }
    lane_chunk_free(&session->pool, retired->memory, retired->bytes);
    free(retired);
}

void session_holds_fini(struct session *session)
{
    while (session->limit.first) {
        struct retired *next = session->limit.first->next;
        retired_free(session, session->limit.first);
        session->limit.first = next;
    }
    free(session->holds);
}

/* ---- readers ---- */
unsigned session_hold(const struct session *session)
{
    struct session_holds *holds = session->holds;
    for (unsigned hold = 0;; hold = (hold + 1) % SESSION_HOLDS_MOST) {
        uint64_t nobody = 0, epoch = atomic_load(&holds->epoch), now;
        if (!atomic_compare_exchange_strong(&holds->since[hold], &nobody, epoch)) {
            if (hold + 1 == SESSION_HOLDS_MOST)
                sched_yield();
            continue;
        }
        /* An eviction may have come before this hold was visible: take the new epoch, and check again. */
        for (; (now = atomic_load(&holds->epoch)) != epoch; epoch = now)
            atomic_store(&holds->since[hold], now);
        return hold;
    }
}

void session_let_go(const struct session *session, unsigned hold)
{
    atomic_store(&session->holds->since[hold], 0);
}

uint64_t session_oldest_hold(const struct session *session)
{
    uint64_t oldest = UINT64_MAX;
    for (unsigned hold = 0; hold < SESSION_HOLDS_MOST; hold++) {
        uint64_t since = atomic_load(&session->holds->since[hold]);
        oldest = since != 0 && since < oldest ? since : oldest;
    }
    return oldest;
}

/* ---- writer ---- */
void session_free_retired(struct session *session)
{
    struct session_limit *limit = &session->limit;
    uint64_t oldest = session_oldest_hold(session);
    while (limit->first && limit->first->epoch < oldest) {
        struct retired *freed = limit->first;
        limit->first = freed->next;
        if (!limit->first)
            limit->last = &limit->first;
        limit->retired_bytes -= freed->bytes;
        atomic_fetch_sub_explicit(&session->memory_bytes, freed->bytes, memory_order_relaxed);
        retired_free(session, freed);
    }
}

void session_retire(struct session *session, struct retired *retired)
{
    struct session_limit *limit = &session->limit;
    retired->next = NULL;
    retired->epoch = atomic_fetch_add(&session->holds->epoch, 1);
    *limit->last = retired;
    limit->last = &retired->next;
    limit->retired_bytes += retired->bytes;
}
