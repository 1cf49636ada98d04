/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's side of code: rows are found by their keys, or added. */
#include "core/session/code.h"

#include "core/hardware/access.h"
#include "core/session/session_internal.h"
#include "core/session/stacks.h"

#include <stdio.h>
#include <string.h>

/* ---- names of files ---- */

/* How a file of the source is named where no machine's path may be. */

/* The rest of the path from the last `mark` on; NULL: the mark is not in it. */
static const char *from_mark(const char *path, const char *mark)
{
    const char *found = NULL;
    for (const char *at = strstr(path, mark); at; at = strstr(at + 1, mark))
        found = at;
    return !found ? NULL : found + 1;
}

static const char *last_parts(const char *path)
{
    const char *at = path + strlen(path);
    for (int slashes = 0; at > path; at--)
        if (at[-1] == '/' && ++slashes == 2)
            break;
    return at;
}

void code_file_name(const char *path, const char *folder, char *name, size_t size_bytes)
{
    size_t length = !folder ? 0 : strlen(folder);
    const char *kept = path[0] == '/' ? from_mark(path, "/workloads/kernels/") : NULL;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    if (!kept && length > 1 && strncmp(path, folder, length) == 0 && path[length] == '/')
        kept = path + length + 1;
    if (!kept && path[0] == '/')
        kept = from_mark(path, "/include/");
    if (!kept)
        kept = path[0] == '/' || strstr(path, "../") ? last_parts(path) : path;
    snprintf(name, size_bytes, "%s", kept);
}

/* ---- code ---- */

static uint32_t hash_of(const struct session *session, const uint32_t *key, size_t words)
{
    return lookup_hash(session->seed, key, words * sizeof *key);
}

/* ---- functions ---- */
static bool function_equal(const void *context, uint32_t row, const void *key)
{
    const struct function_row *there = session_function(context, row), *wanted = key;
    return there->mangled == wanted->mangled && there->module == wanted->module;
}

uint32_t session_add_function(struct session *session, const struct function_row *row)
{
    const uint32_t key[] = {row->mangled, (uint32_t)row->module, (uint32_t)(row->module >> 32)};
    uint32_t hash = hash_of(session, key, 3);
    uint32_t function = lookup_find(&session->function_lookup, hash, function_equal, session, row);
    if (function == LOOKUP_NONE && session_reserve(session, &session->function_lookup)) {
        function = session_row_add(session, &session->function_rows, row);
        if (function != NONE)
            lookup_add(&session->function_lookup, hash, function);
    }
    return function;
}

/* ---- instructions ---- */
static bool instruction_equal(const void *context, uint32_t row, const void *key)
{
    const struct instruction_row *there = session_instruction(context, row);
    const uint32_t *wanted = key;
    return there->function == wanted[0] && there->pc_offset == wanted[1];
}

uint32_t session_add_instruction(struct session *session, uint32_t function, uint32_t pc_offset)
{
    const uint32_t key[] = {function, pc_offset};
    uint32_t hash = hash_of(session, key, 2);
    if (function >= session_function_count(session))
        return NONE;
    uint32_t instruction = lookup_find(&session->instruction_lookup, hash, instruction_equal, session, key);
    if (instruction == LOOKUP_NONE && session_reserve(session, &session->instruction_lookup)) {
        const struct instruction_row row = {.function = function, .pc_offset = pc_offset};
        instruction = session_row_add(session, &session->instruction_rows, &row);
        if (instruction != NONE)
            lookup_add(&session->instruction_lookup, hash, instruction);
    }
    return instruction;
}

static void set_if(_Atomic uint32_t *field, uint32_t value)
{
    if (value != 0)
        atomic_store_explicit(field, value, memory_order_release);
}

void session_set_instruction(struct session *session, uint32_t instruction, uint32_t text, uint32_t file,
                             uint32_t line)
{
    if (instruction >= session_instruction_count(session))
        return;
    struct instruction_row *row = table_at(&session->instruction_rows, instruction);
    set_if(&row->text, text);
    set_if(&row->line, line);
    set_if(&row->file, file);
}

/* ---- what they cost ---- */
struct cost_key {
    uint32_t run, kernel, instruction, name, period;
};

static bool stall_equal(const void *context, uint32_t row, const void *key)
{
    const struct stall_row *there = session_stall(context, row);
    const struct cost_key *wanted = key;
    return there->run == wanted->run && there->kernel == wanted->kernel &&
           there->instruction == wanted->instruction && there->reason == wanted->name &&
           there->period_cycles == wanted->period;
}

static bool tally_equal(const void *context, uint32_t row, const void *key)
{
    const struct tally_row *there = session_tally(context, row);
    const struct cost_key *wanted = key;
    return there->run == wanted->run && there->kernel == wanted->kernel &&
           there->instruction == wanted->instruction && there->counter == wanted->name;
}

static bool is_sound(const struct session *session, const struct cost_key *key, uint64_t amount)
{
    return key->instruction < session_instruction_count(session) && key->name != 0 &&
           amount <= CODE_AMOUNT_MAX && (key->run == NONE || key->run < session_run_count(session)) &&
           (key->kernel == NONE || key->kernel < session_kernel_count(session));
}

/* Adds to a row's sum, unless that would become too large. */
static bool sum_add(_Atomic uint64_t *sum, uint64_t more)
{
    uint64_t before = atomic_load_explicit(sum, memory_order_relaxed);
    if (more > CODE_AMOUNT_MAX - before)
        return false;
    atomic_store_explicit(sum, before + more, memory_order_relaxed);
    return true;
}

uint32_t session_add_stall(struct session *session, const struct stall_row *row)
{
    const struct cost_key key = {row->run, row->kernel, row->instruction, row->reason, row->period_cycles};
    uint64_t samples = atomic_load_explicit(&row->samples, memory_order_relaxed);
    uint32_t hash = lookup_hash(session->seed, &key, sizeof key);
    if (!is_sound(session, &key, samples))
        return NONE;
    uint32_t stall = lookup_find(&session->stall_lookup, hash, stall_equal, session, &key);
    if (stall != LOOKUP_NONE) {
        struct stall_row *there = table_at(&session->stall_rows, stall);
        if (!sum_add(&there->samples, samples))
            return NONE;
    } else if (session_reserve(session, &session->stall_lookup)) {
        stall = session_row_add(session, &session->stall_rows, row);
        if (stall != NONE)
            lookup_add(&session->stall_lookup, hash, stall);
    }
    return stall;
}

uint32_t session_add_tally(struct session *session, const struct tally_row *row)
{
    const struct cost_key key = {row->run, row->kernel, row->instruction, row->counter, 0};
    uint64_t number = atomic_load_explicit(&row->number, memory_order_relaxed);
    uint32_t launches = atomic_load_explicit(&row->launches, memory_order_relaxed);
    uint32_t hash = lookup_hash(session->seed, &key, sizeof key);
    if (!is_sound(session, &key, number))
        return NONE;
    uint32_t count = lookup_find(&session->tally_lookup, hash, tally_equal, session, &key);
    if (count != LOOKUP_NONE) {
        struct tally_row *there = table_at(&session->tally_rows, count);
        uint32_t before = atomic_load_explicit(&there->launches, memory_order_relaxed);
        if (launches > UINT32_MAX - before || !sum_add(&there->number, number))
            return NONE;
        atomic_store_explicit(&there->launches, before + launches, memory_order_relaxed);
    } else if (session_reserve(session, &session->tally_lookup)) {
        count = session_row_add(session, &session->tally_rows, row);
        if (count != NONE)
            lookup_add(&session->tally_lookup, hash, count);
    }
    return count;
}

/* ---- accesses ---- */
static bool access_read(const struct session *session, const struct access_row *row,
                        struct warp_access *access)
{
    *access = (struct warp_access){.width_bytes = row->width_bytes,
                                   .store = row->flags & ACCESS_IS_STORE,
                                   .local = row->space == ACCESS_LOCAL,
                                   .l1 = row->flags & ACCESS_IS_L1_ON    ? ACCESS_L1_ON
                                         : row->flags & ACCESS_IS_L1_OFF ? ACCESS_L1_OFF
                                                                         : ACCESS_L1_DEFAULT};
    return access_parse(session_string(session, row->addresses), access);
}

void session_access_addresses(const struct session *session, const struct access_row *row,
                              struct warp_access *access)
{
    access_read(session, row, access);
}

uint32_t session_add_access(struct session *session, const struct access_row *row)
{
    struct warp_access access;
    if (row->instruction >= session_instruction_count(session) || row->space >= ACCESS_SPACE_COUNT ||
        row->flags > ACCESS_FLAGS || !access_width_valid(row->width_bytes) ||
        row->all_transfers > CODE_AMOUNT_MAX || row->all_ideal_transfers > CODE_AMOUNT_MAX ||
        (row->run != NONE && row->run >= session_run_count(session)) ||
        (row->kernel != NONE && row->kernel >= session_kernel_count(session)) ||
        !access_read(session, row, &access))
        return NONE;
    return session_row_add(session, &session->access_rows, row);
}

bool session_is_code_text(const struct session *session, uint32_t string)
{
    return ((const struct string_row *)table_at(&session->strings, string))->code;
}

/* ---- sources ---- */
/* There are few files. */
static uint32_t source_find(const struct session *session, uint32_t file)
{
    uint32_t count = session_source_count(session);
    for (uint32_t i = 0; i < count; i++)
        if (session_source(session, i)->file == file)
            return i;
    return NONE;
}

uint32_t session_add_source(struct session *session, uint32_t file, const char *text, size_t size_bytes)
{
    uint32_t there = file == 0 ? NONE : source_find(session, file);
    size_t size = strnlen(text, size_bytes);
    if (there != NONE || file == 0)
        return there;
    if (session->anonymous || size > SOURCE_BYTES_MAX || session->source_bytes + size > SOURCES_BYTES_MAX)
        return NONE;
    const struct source_row row = {.file = file, .text = session_add_code_text(session, text, size)};
    if (row.text == 0)
        return NONE;
    session->source_bytes += size;
    return session_row_add(session, &session->source_rows, &row);
}

const char *session_source_text(const struct session *session, const char *file)
{
    uint32_t count = session_source_count(session);
    for (uint32_t i = 0; i < count; i++) {
        const struct source_row *row = session_source(session, i);
        if (strcmp(session_string(session, row->file), file) == 0)
            return session_string(session, row->text);
    }
    return NULL;
}

/* ---- call paths ---- */

/*
 * Call paths and what was launched from them: rows are found by their keys, or added. A row's caller is
 * always an earlier row, so that every walk outwards ends.
 */

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

static bool is_sound_site(const struct session *session, const struct launch_site_row *row)
{
    return row->stack < session_stack_count(session) && row->kind <= ITEM_SET &&
           row->copy_kind < COPY_KIND_COUNT && (row->run == NONE || row->run < session_run_count(session)) &&
           (row->kernel == NONE || row->kernel < session_kernel_count(session));
}

static void total_add(_Atomic uint64_t *sum, uint64_t more)
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
    if (!is_sound_site(session, row) || launches > SESSION_SUM_MAX_NS || total_ns > SESSION_SUM_MAX_NS)
        return NONE;
    uint32_t site = lookup_find(&session->launch_site_lookup, hash, site_equal, session, row);
    if (site != LOOKUP_NONE) {
        struct launch_site_row *there = table_at(&session->launch_site_rows, site);
        total_add(&there->total_ns, total_ns);
        total_add(&there->launches, launches);
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
        if (!row)
            return stack;
        if ((row->flags & STACK_LIBRARY) == 0)
            return at;
        at = row->caller;
    }
}

void session_stack_text(const struct session *session, uint32_t stack, char *text, size_t size_bytes)
{
    const struct stack_row *row = session_stack(session, stack);
    const char *name = !row ? "" : session_string(session, row->name);
    const char *file = !row ? "" : session_string(session, row->file);
    if (file[0] == '\0')
        snprintf(text, size_bytes, "%s", name);
    else if (row->line > 0)
        snprintf(text, size_bytes, "%s:%u %s", file, row->line, name);
    else
        snprintf(text, size_bytes, "%s (%s)", name, file);
}
