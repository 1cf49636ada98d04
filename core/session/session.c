/* The session's life. Strings and tables: session_rows.c; events and lanes: session_events.c; what is read:
 * session_read.c. */
#include "core/session/code.h"
#include "core/session/samples_internal.h"
#include "core/session/session_internal.h"
#include "core/session/stacks.h"

#include <stdlib.h>
#include <sys/random.h>

enum status session_create(struct session **session, int64_t start_ns, struct error *error)
{
    struct session *made = calloc(1, sizeof *made);
    if (made == NULL)
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
    table_init(&made->series_rows, sizeof(struct series_row), 4);
    table_init(&made->samplings, sizeof(struct sampling), 1);
    atomic_store_explicit(&made->memory_bytes, sizeof *made, memory_order_relaxed);
    session_limit_init(made);
    bool holds = session_holds_init(made);
    struct string_row *empty = !holds ? NULL : table_next(&made->strings, &made->memory_bytes);
    if (empty == NULL) {
        session_destroy(made);
        return error_no_memory(error, "for a session's strings");
    }
    empty->text = "";
    table_publish(&made->strings);
    *session = made;
    return STATUS_OK;
}

void session_destroy(struct session *session)
{
    if (session == NULL)
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
    while (session->string_blocks != NULL) {
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
