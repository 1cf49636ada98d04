/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over the copies and sets; a row for each kind and host memory that occurs. */
#include "core/analysis/copy_times.h"

#include "core/session/session_walk.h"

#include <stdlib.h>

enum copy_host copy_host_of(const struct item *item)
{
    uint8_t from = item_copy_source(item), to = item_copy_destination(item);
    if (item_copy_is_staged(item))
        return COPY_HOST_STAGED;
    if (from == MEMORY_PAGEABLE || to == MEMORY_PAGEABLE)
        return COPY_HOST_PAGEABLE;
    return from == MEMORY_PINNED || to == MEMORY_PINNED ? COPY_HOST_PINNED : COPY_HOST_NONE;
}

const char *copy_host_text(enum copy_host host)
{
    static const char *const texts[COPY_HOST_COUNT] = {[COPY_HOST_NONE] = "none",
                                                       [COPY_HOST_PAGEABLE] = "pageable",
                                                       [COPY_HOST_PINNED] = "pinned",
                                                       [COPY_HOST_STAGED] = "staged"};
    return texts[host];
}

static bool add_event(void *context, const struct walk_event *event)
{
    struct copy_times *times = context;
    const struct item *item = &event->item;
    bool copy = item->kind == ITEM_COPY;
    uint8_t kind = !copy                       ? (uint8_t)COPY_KIND_COUNT
                   : item->a < COPY_KIND_COUNT ? item->a
                                               : (uint8_t)COPY_OTHER;
    enum copy_host host = copy ? copy_host_of(item) : COPY_HOST_NONE;
    uint64_t bytes = copy ? item->copy.size_bytes : item->set.size_bytes;
    int64_t duration_ns = event->end_ns - event->start_ns;
    size_t at = 0;
    while (at < times->count && (times->rows[at].kind != kind || times->rows[at].host != host))
        at++;
    struct copy_time *row = &times->rows[at];
    if (at == times->count) {
        times->count++;
        *row = (struct copy_time){.kind = kind, .host = host, .longest_ns = -1};
    }
    row->count++;
    row->bytes = bytes <= UINT64_MAX - row->bytes ? row->bytes + bytes : UINT64_MAX;
    row->total_ns = session_add_ns(row->total_ns, duration_ns);
    if (duration_ns > row->longest_ns) {
        row->longest_ns = duration_ns;
        row->longest = event->ref;
    }
    return true;
}

static int compare_rows(const void *a, const void *b)
{
    const struct copy_time *left = a, *right = b;
    if (left->total_ns != right->total_ns)
        return left->total_ns > right->total_ns ? -1 : 1;
    return left->kind != right->kind ? left->kind - right->kind : (int)left->host - (int)right->host;
}

void copy_times_make(const struct session *session, uint32_t run, struct copy_times *times)
{
    const struct walk walk = {
        .run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(COPY) | WALK_ITEM(SET)};
    times->count = 0;
    times->complete = session_walk(session, &walk, add_event, times);
    qsort(times->rows, times->count, sizeof *times->rows, compare_rows);
}
