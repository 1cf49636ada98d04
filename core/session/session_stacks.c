/*
 * Call paths and what was launched from them: rows are found by their keys, or added. A row's caller is
 * always an earlier row, so that every walk outwards ends.
 */
#include "core/session/session_internal.h"
#include "core/session/stacks.h"

#include <stdio.h>
#include <string.h>

static bool stack_equal(const void *context, uint32_t row, const void *key)
{
    return memcmp(session_stack(context, row), key, sizeof(struct stack_row)) == 0;
}

uint32_t session_add_stack(struct session *session, const struct stack_row *row)
{
    uint32_t hash = lookup_hash(session->seed, row, sizeof *row);
    if (row->caller != NONE && row->caller >= session_stack_count(session))
        return NONE;
    uint32_t stack = lookup_find(&session->stack_lookup, hash, stack_equal, session, row);
    if (stack == LOOKUP_NONE && session_reserve(session, &session->stack_lookup)) {
        stack = session_row_add(session, &session->stack_rows, row);
        if (stack != NONE)
            lookup_add(&session->stack_lookup, hash, stack);
    }
    return stack;
}

static bool site_equal(const void *context, uint32_t row, const void *key)
{
    const struct launch_site_row *there = session_launch_site(context, row), *wanted = key;
    return there->run == wanted->run && there->kernel == wanted->kernel && there->stack == wanted->stack &&
           there->kind == wanted->kind && there->copy_kind == wanted->copy_kind;
}

static bool is_sound(const struct session *session, const struct launch_site_row *row)
{
    return row->stack < session_stack_count(session) && row->kind <= ITEM_SET &&
           row->copy_kind < COPY_KIND_COUNT && (row->run == NONE || row->run < session_run_count(session)) &&
           (row->kernel == NONE || row->kernel < session_kernel_count(session));
}

static void sum_add(_Atomic uint64_t *sum, uint64_t more)
{
    uint64_t before = atomic_load_explicit(sum, memory_order_relaxed);
    atomic_store_explicit(sum, session_add_sum(before, more), memory_order_relaxed);
}

uint32_t session_add_launch_site(struct session *session, const struct launch_site_row *row)
{
    const uint32_t key[] = {row->run, row->kernel, row->stack, row->kind, row->copy_kind};
    uint64_t launches = atomic_load_explicit(&row->launches, memory_order_relaxed);
    uint64_t total_ns = atomic_load_explicit(&row->total_ns, memory_order_relaxed);
    uint32_t hash = lookup_hash(session->seed, key, sizeof key);
    if (!is_sound(session, row) || launches > SESSION_SUM_MAX_NS || total_ns > SESSION_SUM_MAX_NS)
        return NONE;
    uint32_t site = lookup_find(&session->launch_site_lookup, hash, site_equal, session, row);
    if (site != LOOKUP_NONE) {
        struct launch_site_row *there = table_at(&session->launch_site_rows, site);
        sum_add(&there->total_ns, total_ns);
        sum_add(&there->launches, launches);
    } else if (session_reserve(session, &session->launch_site_lookup)) {
        site = session_row_add(session, &session->launch_site_rows, row);
        if (site != NONE)
            lookup_add(&session->launch_site_lookup, hash, site);
    }
    return site;
}

/* ---- readers ---- */
uint32_t session_stack_own(const struct session *session, uint32_t stack)
{
    for (uint32_t at = stack;;) {
        const struct stack_row *row = session_stack(session, at);
        if (row == NULL)
            return stack;
        if ((row->flags & STACK_LIBRARY) == 0)
            return at;
        at = row->caller;
    }
}

void session_stack_text(const struct session *session, uint32_t stack, char *text, size_t size_bytes)
{
    const struct stack_row *row = session_stack(session, stack);
    const char *name = row == NULL ? "" : session_string(session, row->name);
    const char *file = row == NULL ? "" : session_string(session, row->file);
    if (file[0] == '\0')
        snprintf(text, size_bytes, "%s", name);
    else if (row->line > 0)
        snprintf(text, size_bytes, "%s:%u %s", file, row->line, name);
    else
        snprintf(text, size_bytes, "%s (%s)", name, file);
}
