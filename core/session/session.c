/* SPDX-License-Identifier: Apache-2.0 */
/* The session's life. Events and lanes. Strings and tables: session_rows.c; what is read: session_read.c. */
#include "core/session/code.h"

#include "core/session/samples_internal.h"
#include "core/session/session_internal.h"
#include "core/session/stacks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* ---- life ---- */

enum status session_create(struct session **session, int64_t start_ns, struct error *error)
{
    struct session *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "for a session (%zu bytes)", sizeof *made);
    made->start_ns = start_ns;
    if (getrandom(&made->seed, sizeof made->seed, GRND_NONBLOCK) != (ssize_t)sizeof made->seed) {
        made->seed = (uint64_t)start_ns ^
                     (uint64_t)(uintptr_t)made; /* the seed only makes collisions harder to choose */
    }
    for (int clock = 0; clock < CLOCK_COUNT; clock++)
        atomic_store_explicit(&made->first_ns[clock], INT64_MAX, memory_order_relaxed);
    table_init(&made->strings, sizeof(struct string_row), 4);
    table_init(&made->process_rows, sizeof(struct process_row), 3);
    table_init(&made->device_rows, sizeof(struct device_row), 2);
    table_init(&made->run_rows, sizeof(struct run_row), 4);
    table_init(&made->shape_rows, sizeof(struct shape_row), 5);
    table_init(&made->kernel_rows, sizeof(struct kernel_row), 5);
    table_init(&made->track_rows, sizeof(struct track), 3);
    table_init(&made->measurement_rows, sizeof(struct measurement_row), 6);
    table_init(&made->value_rows, sizeof(struct value_row), 9);
    table_init(&made->expected_rows, sizeof(struct expected_row), 6);
    table_init(&made->notice_rows, sizeof(struct notice_row), 4);
    table_init(&made->drop_rows, sizeof(struct drop_row), 4);
    table_init(&made->bookmark_rows, sizeof(struct bookmark_row), 4);
    table_init(&made->function_rows, sizeof(struct function_row), 4);
    table_init(&made->instruction_rows, sizeof(struct instruction_row), 8);
    table_init(&made->stall_rows, sizeof(struct stall_row), 8);
    table_init(&made->tally_rows, sizeof(struct tally_row), 8);
    table_init(&made->access_rows, sizeof(struct access_row), 8);
    table_init(&made->source_rows, sizeof(struct source_row), 3);
    table_init(&made->stack_rows, sizeof(struct stack_row), 6);
    table_init(&made->launch_site_rows, sizeof(struct launch_site_row), 6);
    table_init(&made->event_use_rows, sizeof(struct event_use_row), 6);
    table_init(&made->graph_node_rows, sizeof(struct graph_node_row), 6);
    table_init(&made->series_rows, sizeof(struct series_row), 4);
    table_init(&made->collective_rows, sizeof(struct collective_row), 4);
    table_init(&made->samplings, sizeof(struct sampling), 1);
    atomic_store_explicit(&made->memory_bytes, sizeof *made, memory_order_relaxed);
    session_limit_init(made);
    bool holds = session_holds_init(made);
    struct string_row *empty = !holds ? NULL : table_next(&made->strings, &made->memory_bytes);
    if (!empty) {
        session_destroy(made);
        return error_no_memory(error, "for a session's strings");
    }
    empty->text = "";
    table_publish(&made->strings);
    *session = made;
    return STATUS_OK;
}

static void session_open_fini(struct session *session)
{
    free(session->open.rows);
    for (size_t i = 0; i < SESSION_OPEN_LAUNCHES_MAX / OPEN_BLOCK; i++)
        free(atomic_load_explicit(&session->open.blocks[i], memory_order_relaxed));
}

void session_destroy(struct session *session)
{
    if (!session)
        return;
    for (uint32_t i = 0; i < table_count(&session->track_rows); i++)
        track_fini(table_at(&session->track_rows, i));
    for (uint32_t i = 0; i < table_count(&session->samplings); i++)
        sampling_fini(table_at(&session->samplings, i));
    table_fini(&session->samplings);
#define SESSION_TABLE_FINI(noun) table_fini(&session->noun##_rows);
    SESSION_TABLE_LIST(SESSION_TABLE_FINI)
#undef SESSION_TABLE_FINI
    table_fini(&session->strings);
    while (session->string_blocks) {
        struct string_block *next = session->string_blocks->next;
        free(session->string_blocks);
        session->string_blocks = next;
    }
    lookup_fini(&session->string_lookup);
    lookup_fini(&session->group_lookup);
    lookup_fini(&session->shape_lookup);
    lookup_fini(&session->kernel_lookup);
    lookup_fini(&session->track_lookup);
    lookup_fini(&session->function_lookup);
    lookup_fini(&session->instruction_lookup);
    lookup_fini(&session->stall_lookup);
    lookup_fini(&session->tally_lookup);
    lookup_fini(&session->stack_lookup);
    lookup_fini(&session->launch_site_lookup);
    session_open_fini(session);
    session_holds_fini(session);
    lane_pool_fini(&session->pool);
    free(session);
}

/* ---- events and lanes ---- */

/*
 * The writer's side of events: tracks take them, kernels count them, launches that are open are replaced.
 */

static void kernel_count(struct kernel_row *kernel, uint64_t duration_ns)
{
    uint64_t launches = atomic_load_explicit(&kernel->launches, memory_order_relaxed);
    if (launches == 0 || duration_ns < atomic_load_explicit(&kernel->min_ns, memory_order_relaxed))
        atomic_store_explicit(&kernel->min_ns, duration_ns, memory_order_relaxed);
    if (duration_ns > atomic_load_explicit(&kernel->max_ns, memory_order_relaxed))
        atomic_store_explicit(&kernel->max_ns, duration_ns, memory_order_relaxed);
    uint64_t total_ns = atomic_load_explicit(&kernel->total_ns, memory_order_relaxed);
    atomic_store_explicit(&kernel->total_ns, session_add_sum(total_ns, duration_ns), memory_order_relaxed);
    counter_add(&kernel->launches, 1);
}

/* Updates the first and last launch of the kernel's run. */
static void run_see_launch(struct session *session, const struct kernel_row *kernel, int64_t start_ns)
{
    if (kernel->run >= table_count(&session->run_rows))
        return;
    struct run_row *run = table_at(&session->run_rows, kernel->run);
    if (start_ns < atomic_load_explicit(&run->first_launch_ns, memory_order_relaxed))
        atomic_store_explicit(&run->first_launch_ns, start_ns, memory_order_relaxed);
    if (start_ns > atomic_load_explicit(&run->last_launch_ns, memory_order_relaxed))
        atomic_store_explicit(&run->last_launch_ns, start_ns, memory_order_relaxed);
}

void session_set_kernel_sums(struct session *session, uint32_t kernel, uint64_t launches, uint64_t total_ns,
                             uint64_t min_ns, uint64_t max_ns)
{
    session->sums_given = true;
    if (kernel < table_count(&session->kernel_rows)) {
        struct kernel_row *row = table_at(&session->kernel_rows, kernel);
        atomic_store_explicit(&row->min_ns, min_ns, memory_order_relaxed);
        atomic_store_explicit(&row->max_ns, max_ns, memory_order_relaxed);
        atomic_store_explicit(&row->total_ns, total_ns < SESSION_SUM_MAX_NS ? total_ns : SESSION_SUM_MAX_NS,
                              memory_order_relaxed);
        atomic_store_explicit(&row->launches, launches, memory_order_relaxed);
    }
}

static uint32_t engine_of(struct session *session, struct track *track, uint8_t copy_kind)
{
    uint32_t kind = copy_kind < COPY_KIND_COUNT ? copy_kind : (uint32_t)COPY_OTHER;
    if (track->engines[kind] == NONE) {
        struct track_row row = {.kind = TRACK_COPY_ENGINE,
                                .clock = track->row.clock,
                                .copy_kind = (uint8_t)kind,
                                .process = track->row.process,
                                .device = track->row.device,
                                .context = NONE,
                                .stream = NONE,
                                .thread = NONE};
        track->engines[kind] = session_add_track(session, &row);
    }
    return track->engines[kind];
}

static bool event_add(struct session *session, struct track *track, int64_t start_ns, int64_t end_ns,
                      const struct item *item, bool *late)
{
    uint32_t first_lane = 0;
    if (item->kind == ITEM_RANGE) {
        first_lane =
            item->range.depth < SESSION_TRACK_LANES_MAX ? item->range.depth : SESSION_TRACK_LANES_MAX - 1;
    }
    enum track_result result = track_add(track, start_ns, end_ns, item, first_lane, &session->memory_bytes);
    if (result == TRACK_NO_MEMORY)
        counter_add(&session->no_memory, 1);
    else if (result == TRACK_TOO_MANY_LANES)
        counter_add(&session->refused, 1);
    *late = result == TRACK_ADDED_LATE;
    return result == TRACK_ADDED || result == TRACK_ADDED_LATE;
}

bool session_add_event(struct session *session, uint32_t track, int64_t start_ns, int64_t end_ns,
                       const struct item *item)
{
    if (track >= table_count(&session->track_rows) || end_ns < start_ns || start_ns < -SESSION_TIME_MAX_NS ||
        end_ns > SESSION_TIME_MAX_NS) {
        counter_add(&session->refused, 1);
        return false;
    }
    struct track *owner = table_at(&session->track_rows, track);
    bool late;
    if (!event_add(session, owner, start_ns, end_ns, item, &late))
        return false;
    if (late)
        counter_add(&session->late, 1);
    if (owner->row.kind != TRACK_COPY_ENGINE)
        counter_add(&session->events, 1);
    if (item->kind == ITEM_LAUNCH) {
        counter_add(&session->launches, 1);
        if (item->launch.kernel < table_count(&session->kernel_rows)) {
            struct kernel_row *kernel = table_at(&session->kernel_rows, item->launch.kernel);
            run_see_launch(session, kernel, start_ns);
            if (!session->sums_given)
                kernel_count(kernel, (uint64_t)(end_ns - start_ns));
        }
    } else if (item->kind == ITEM_COPY && owner->row.kind == TRACK_STREAM) {
        uint32_t engine = engine_of(session, owner, item->a);
        if (engine != NONE)
            event_add(session, table_at(&session->track_rows, engine), start_ns, end_ns, item, &late);
    }
    session_see(session, owner->row.clock, start_ns, end_ns);
    session_fold_when_full(session);
    return true;
}

/* ---- launches still open ---- */
static int open_compare(const void *a, const void *b)
{
    const struct open_launch *left = a, *right = b;
    return (left->call_start_ns > right->call_start_ns) - (left->call_start_ns < right->call_start_ns);
}

/* Of a launch below the count. */
static _Atomic uint64_t *open_word(const struct open_launches *open, size_t launch, size_t word)
{
    struct open_block *block = atomic_load_explicit(&open->blocks[launch / OPEN_BLOCK], memory_order_acquire);
    return &block->words[launch % OPEN_BLOCK][word];
}

/* Makes room for this many more. */
static bool open_reserve(struct session *session, uint32_t more)
{
    struct open_launches *open = &session->open;
    uint32_t wanted = open->row_count + more;
    if (wanted > open->row_room) {
        uint32_t room = (wanted + OPEN_BLOCK - 1) / OPEN_BLOCK * OPEN_BLOCK;
        struct open_launch *rows = realloc(open->rows, room * sizeof *rows);
        if (!rows)
            return false;
        atomic_fetch_add_explicit(&session->memory_bytes, (room - open->row_room) * sizeof *rows,
                                  memory_order_relaxed);
        open->rows = rows;
        open->row_room = room;
    }
    for (uint32_t i = 0; i < SESSION_OPEN_LAUNCHES_MAX / OPEN_BLOCK && i * OPEN_BLOCK < wanted; i++) {
        if (atomic_load_explicit(&open->blocks[i], memory_order_relaxed))
            continue;
        struct open_block *block = calloc(1, sizeof *block);
        if (!block)
            return false;
        atomic_store_explicit(&open->blocks[i], block, memory_order_release);
        atomic_fetch_add_explicit(&session->memory_bytes, sizeof *block, memory_order_relaxed);
    }
    return true;
}

void session_set_open_launches(struct session *session, uint32_t process, const struct open_launch *launches,
                               size_t count)
{
    struct open_launches *open = &session->open;
    uint32_t kept = 0;
    if (!open_reserve(session,
                      count < SESSION_OPEN_LAUNCHES_MAX ? (uint32_t)count : SESSION_OPEN_LAUNCHES_MAX)) {
        counter_add(&session->no_memory, 1);
        return;
    }
    for (uint32_t i = 0; i < open->row_count; i++)
        if (open->rows[i].process != process)
            open->rows[kept++] = open->rows[i];
    for (size_t i = 0; i < count && i < SESSION_OPEN_LAUNCHES_MAX; i++) {
        open->rows[kept] = launches[i];
        open->rows[kept++].process = process;
    }
    if (kept > 0)
        qsort(open->rows, kept, sizeof open->rows[0], open_compare);
    open->row_count = kept < SESSION_OPEN_LAUNCHES_MAX ? kept : SESSION_OPEN_LAUNCHES_MAX;

    /* Release stores keep the order version, words, version; no fence is used, since the thread sanitizer
     * does not know fences. */
    uint32_t version = atomic_load_explicit(&open->version, memory_order_relaxed);
    atomic_store_explicit(&open->version, version + 1, memory_order_relaxed);
    atomic_store_explicit(&open->count, open->row_count, memory_order_release);
    for (uint32_t i = 0; i < open->row_count; i++) {
        uint64_t words[OPEN_LAUNCH_WORDS];
        memcpy(words, &open->rows[i], sizeof words);
        for (size_t word = 0; word < OPEN_LAUNCH_WORDS; word++)
            atomic_store_explicit(open_word(open, i, word), words[word], memory_order_release);
    }
    atomic_store_explicit(&open->version, version + 2, memory_order_release);
}

size_t session_open_launches(const struct session *session, struct open_launch *launches, size_t most)
{
    const struct open_launches *open = &session->open;
    for (;;) {
        uint32_t version = atomic_load_explicit(&open->version, memory_order_acquire);
        uint32_t count = atomic_load_explicit(&open->count, memory_order_acquire);
        size_t copied = count < most ? count : most;
        for (size_t i = 0; i < copied; i++) {
            uint64_t words[OPEN_LAUNCH_WORDS];
            for (size_t word = 0; word < OPEN_LAUNCH_WORDS; word++)
                words[word] = atomic_load_explicit(open_word(open, i, word), memory_order_acquire);
            memcpy(&launches[i], words, sizeof words);
        }
        if (version % 2 == 0 && version == atomic_load_explicit(&open->version, memory_order_relaxed))
            return copied;
    }
}
