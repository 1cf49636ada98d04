/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table's new rows are those from written[table] to the published count. Processes and runs may still
 * change in their atomic fields; what was written of these is kept, to see a change. Kernels' sums are ours,
 * of the launches that are in the file: so that every transaction's sums and rows agree.
 *
 * Code: instructions get their texts and lines late, samples and counts grow: what was
 * written of these is kept, to see a change. Under a size limit texts are written with the row that has them,
 * not with the strings before them: so that one that is too long can be left out.
 */
#include "core/recording/writer/recorder_internal.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- code ---- */

static void code_fini(struct recorder_code *code)
{
    free(code->instructions);
    free(code->samples);
    free(code->numbers);
    free(code->launches);
    free(code->texts);
    memset(code, 0, sizeof *code);
}

static enum status out_of_memory(struct error *error)
{
    return error_no_memory(error, "to record");
}

static enum status write_functions(struct recorder_tables *tables, struct recorder_sink *sink,
                                   struct error *error)
{
    enum status status = STATUS_OK;
    uint32_t count = session_function_count(sink->session);
    for (; tables->written[TABLE_FUNCTION] < count && status == STATUS_OK;
         tables->written[TABLE_FUNCTION]++) {
        struct function_record record = {.id = tables->written[TABLE_FUNCTION]};
        record.row = *session_function(sink->session, record.id);
        status = sink_put(sink, TABLE_FUNCTION, &record, error);
    }
    return status;
}

/* ---- room ---- */
#define ROW_BYTES 32 /* of an instruction, a sample or a count, including its share of a page */

enum room { ROOM, ROOM_LATER, ROOM_NEVER };

/* Takes the bytes from *left if there are enough. most: the most that one row may take. */
static enum room rows_take(struct recorder_code *code, uint64_t *left, uint64_t bytes, uint64_t most)
{
    if (*left == UINT64_MAX)
        return ROOM;
    if (bytes > most) {
        code->left_out = true;
        return ROOM_NEVER;
    }
    if (bytes > code->batch_left) {
        code->more = true;
        return ROOM_LATER;
    }
    code->batch_left -= bytes;
    *left -= bytes;
    return ROOM;
}

/* A row that replaces an older version of itself needs no room. */
static enum room take_row(struct recorder_code *code, bool grows)
{
    return grows ? rows_take(code, &code->rows_left, ROW_BYTES, code->rows_left) : ROOM;
}

static enum status mark_text(struct recorder_code *code, uint32_t string, struct error *error)
{
    if (!array_grow_zeroed(code->texts, code->texts_bytes, string / 8, 1))
        return out_of_memory(error);
    code->texts[string / 8] |= (uint8_t)(1u << string % 8);
    return STATUS_OK;
}

/* Writes the text of a row of code, if its string is still empty in the file. most: the most of *left that
 * one text may take. */
static enum status write_text(struct recorder_code *code, struct recorder_sink *sink, uint32_t string,
                              uint64_t *left, uint64_t most, enum room *room, struct error *error)
{
    *room = ROOM;
    if (!sink->texts_later || string == 0 || !session_is_code_text(sink->session, string) ||
        (string / 8 < code->texts_bytes && (code->texts[string / 8] >> string % 8 & 1) != 0))
        return STATUS_OK;
    *room = rows_take(code, left, strlen(session_string(sink->session, string)), most);
    if (*room != ROOM)
        return STATUS_OK;
    enum status status = sink_put_text_of(sink, string, error);
    return status == STATUS_OK ? mark_text(code, string, error) : status;
}

/* ---- rows ---- */
static enum status write_sources(struct recorder_tables *tables, struct recorder_sink *sink,
                                 struct error *error)
{
    struct recorder_code *code = &tables->code;
    enum status status = STATUS_OK;
    uint32_t count = session_source_count(sink->session);
    for (; tables->written[TABLE_SOURCE] < count; tables->written[TABLE_SOURCE]++) {
        struct source_record record = {.id = tables->written[TABLE_SOURCE]};
        enum room room;
        record.row = *session_source(sink->session, record.id);
        status = write_text(code, sink, record.row.text, &code->sources_left, code->sources_left / 4, &room,
                            error);
        if (status == STATUS_OK && room == ROOM)
            status = sink_put(sink, TABLE_SOURCE, &record, error);
        if (status != STATUS_OK || room == ROOM_LATER)
            break;
    }
    return status;
}

/* The ids of instructions have no gaps in a file: if one has no room, no later one is written. */
static enum status write_instructions(struct recorder_tables *tables, struct recorder_sink *sink,
                                      uint32_t count, struct error *error)
{
    struct recorder_code *code = &tables->code;
    uint32_t *written = &tables->written[TABLE_INSTRUCTION];
    enum status status = array_grow_zeroed(code->instructions, code->instruction_room, count, 0)
                             ? STATUS_OK
                             : out_of_memory(error);
    for (uint32_t id = 0; id < count && status == STATUS_OK; id++) {
        const struct instruction_row *row = session_instruction(sink->session, id);
        struct instruction_record record = {.id = id,
                                            .function = row->function,
                                            .pc_offset = row->pc_offset,
                                            .file = atomic_load_explicit(&row->file, memory_order_acquire),
                                            .line = atomic_load_explicit(&row->line, memory_order_acquire),
                                            .text = atomic_load_explicit(&row->text, memory_order_acquire)};
        struct instruction_record known = record;
        enum room room;
        if (id < *written && memcmp(&record, &code->instructions[id], sizeof record) == 0)
            continue;
        status = write_text(code, sink, record.text, &code->rows_left, code->rows_left, &room, error);
        if (status != STATUS_OK || room == ROOM_LATER)
            break;
        record.text = room == ROOM ? record.text : 0;
        if (take_row(code, id >= *written) != ROOM)
            break;
        status = sink_put(sink, TABLE_INSTRUCTION, &record, error);
        code->instructions[id] = known;
        *written = id + 1 > *written ? id + 1 : *written;
    }
    return status;
}

#define NOT_WRITTEN UINT64_MAX /* state of a row that has no room, or whose instruction was not written */

/* Is a row of an instruction to be written: has it changed, and is there room? */
static enum room row_room(struct recorder_tables *tables, enum recording_table table, uint32_t id,
                          uint32_t instruction, uint64_t *state, uint64_t now)
{
    bool known = id < tables->written[table], there = known && *state != NOT_WRITTEN;
    enum room room = there && *state == now                              ? ROOM_NEVER
                     : instruction >= tables->written[TABLE_INSTRUCTION] ? ROOM_NEVER
                                                                         : take_row(&tables->code, !there);
    if (room == ROOM_LATER)
        return room;
    *state = room == ROOM ? now : there ? *state : NOT_WRITTEN;
    tables->written[table] = known ? tables->written[table] : id + 1;
    return room;
}

static enum status write_stalls(struct recorder_tables *tables, struct recorder_sink *sink, uint32_t count,
                                struct error *error)
{
    struct recorder_code *code = &tables->code;
    enum status status =
        array_grow_zeroed(code->samples, code->sample_room, count, 0) ? STATUS_OK : out_of_memory(error);
    for (uint32_t id = 0; id < count && status == STATUS_OK; id++) {
        const struct stall_row *row = session_stall(sink->session, id);
        struct stall_record record = {.id = id,
                                      .run = row->run,
                                      .kernel = row->kernel,
                                      .instruction = row->instruction,
                                      .reason = row->reason,
                                      .period_cycles = row->period_cycles,
                                      .samples = atomic_load_explicit(&row->samples, memory_order_relaxed)};
        enum room room =
            row_room(tables, TABLE_STALL, id, row->instruction, &code->samples[id], record.samples);
        if (room == ROOM_LATER)
            break;
        if (room == ROOM)
            status = sink_put(sink, TABLE_STALL, &record, error);
    }
    return status;
}

/* The state of a row combines both of its sums. */
static enum status write_tallies(struct recorder_tables *tables, struct recorder_sink *sink, uint32_t count,
                                 struct error *error)
{
    struct recorder_code *code = &tables->code;
    enum status status =
        array_grow_zeroed(code->numbers, code->number_room, count, 0) ? STATUS_OK : out_of_memory(error);
    for (uint32_t id = 0; id < count && status == STATUS_OK; id++) {
        const struct tally_row *row = session_tally(sink->session, id);
        struct tally_record record = {.id = id,
                                      .run = row->run,
                                      .kernel = row->kernel,
                                      .instruction = row->instruction,
                                      .counter = row->counter,
                                      .launches = atomic_load_explicit(&row->launches, memory_order_relaxed),
                                      .number = atomic_load_explicit(&row->number, memory_order_relaxed)};
        enum room room = row_room(tables, TABLE_TALLY, id, row->instruction, &code->numbers[id],
                                  record.number ^ (uint64_t)record.launches << 40);
        if (room == ROOM_LATER)
            break;
        if (room == ROOM)
            status = sink_put(sink, TABLE_TALLY, &record, error);
    }
    return status;
}

#define ACCESS_BYTES 512 /* of an access, with its addresses */

/* The addresses of equal accesses are one string: the room is an upper bound. */
static enum status write_accesses(struct recorder_tables *tables, struct recorder_sink *sink, uint32_t count,
                                  struct error *error)
{
    struct recorder_code *code = &tables->code;
    uint32_t *written = &tables->written[TABLE_ACCESS];
    enum status status = STATUS_OK;
    for (; *written < count && status == STATUS_OK; ++*written) {
        struct access_record record = {.id = *written, .row = *session_access(sink->session, *written)};
        if (record.row.instruction >= tables->written[TABLE_INSTRUCTION])
            continue;
        enum room room = rows_take(code, &code->rows_left, ACCESS_BYTES, code->rows_left);
        if (room == ROOM_LATER)
            break;
        if (room == ROOM)
            status = sink_put(sink, TABLE_ACCESS, &record, error);
    }
    return status;
}

/* ---- call paths ---- */
static enum status write_stacks(struct recorder_tables *tables, struct recorder_sink *sink,
                                struct error *error)
{
    enum status status = STATUS_OK;
    uint32_t count = session_stack_count(sink->session);
    for (; tables->written[TABLE_STACK] < count && status == STATUS_OK; tables->written[TABLE_STACK]++) {
        struct stack_record record = {.id = tables->written[TABLE_STACK]};
        record.row = *session_stack(sink->session, record.id);
        status = sink_put(sink, TABLE_STACK, &record, error);
    }
    return status;
}

static enum status write_event_uses(struct recorder_tables *tables, struct recorder_sink *sink,
                                    struct error *error)
{
    enum status status = STATUS_OK;
    uint32_t *written = &tables->written[TABLE_EVENT_USE];
    for (uint32_t count = session_event_use_count(sink->session); *written < count && status == STATUS_OK;
         ++*written) {
        const struct event_use_record record = {.id = *written,
                                                .row = *session_event_use(sink->session, *written)};
        status = sink_put(sink, TABLE_EVENT_USE, &record, error);
    }
    return status;
}

static enum status write_collectives(struct recorder_tables *tables, struct recorder_sink *sink,
                                     struct error *error)
{
    enum status status = STATUS_OK;
    uint32_t *written = &tables->written[TABLE_COLLECTIVE];
    for (uint32_t count = session_collective_count(sink->session); *written < count && status == STATUS_OK;
         ++*written) {
        const struct collective_record record = {.id = *written,
                                                 .row = *session_collective(sink->session, *written)};
        status = sink_put(sink, TABLE_COLLECTIVE, &record, error);
    }
    return status;
}

static enum status write_graph_nodes(struct recorder_tables *tables, struct recorder_sink *sink,
                                     struct error *error)
{
    enum status status = STATUS_OK;
    uint32_t *written = &tables->written[TABLE_GRAPH_NODE];
    for (uint32_t count = session_graph_node_count(sink->session); *written < count && status == STATUS_OK;
         ++*written) {
        const struct graph_node_record record = {.id = *written,
                                                 .row = *session_graph_node(sink->session, *written)};
        status = sink_put(sink, TABLE_GRAPH_NODE, &record, error);
    }
    return status;
}

/* The sums of a row grow together; the count is read first, so that if the sum is newer the row is written
 * again. */
static enum status write_launch_sites(struct recorder_tables *tables, struct recorder_sink *sink,
                                      uint32_t count, struct error *error)
{
    struct recorder_code *code = &tables->code;
    enum status status =
        array_grow_zeroed(code->launches, code->launch_room, count, 0) ? STATUS_OK : out_of_memory(error);
    for (uint32_t id = 0; id < count && status == STATUS_OK; id++) {
        const struct launch_site_row *row = session_launch_site(sink->session, id);
        uint64_t launches = atomic_load_explicit(&row->launches, memory_order_acquire);
        if (code->launches[id] == launches)
            continue;
        struct launch_site_record record = {.id = id,
                                            .run = row->run,
                                            .kernel = row->kernel,
                                            .stack = row->stack,
                                            .kind = row->kind,
                                            .copy_kind = row->copy_kind,
                                            .launches = launches,
                                            .total_ns =
                                                atomic_load_explicit(&row->total_ns, memory_order_relaxed)};
        status = sink_put(sink, TABLE_LAUNCH_SITE, &record, error);
        code->launches[id] = launches;
    }
    return status;
}

/* Writes call paths, and the functions, instructions, sources, samples and counts that are new or have
 * changed, as far as there is room. A source takes at most a quarter of what is left, so that the largest are
 * left out first. */
static enum status code_write(struct recorder_tables *tables, struct recorder_sink *sink, struct error *error)
{
    /* Read the counts of tables that refer to others first: the rows that they refer to are published by
     * then. */
    uint32_t sites = session_launch_site_count(sink->session);
    uint32_t tallies = session_tally_count(sink->session), stalls = session_stall_count(sink->session);
    uint32_t accesses = session_access_count(sink->session);
    uint32_t instructions = session_instruction_count(sink->session);
    enum status status = write_functions(tables, sink, error);
    if (status == STATUS_OK)
        status = write_sources(tables, sink, error);
    if (status == STATUS_OK)
        status = write_instructions(tables, sink, instructions, error);
    if (status == STATUS_OK)
        status = write_stalls(tables, sink, stalls, error);
    if (status == STATUS_OK)
        status = write_tallies(tables, sink, tallies, error);
    if (status == STATUS_OK)
        status = write_accesses(tables, sink, accesses, error);
    if (status == STATUS_OK)
        status = write_stacks(tables, sink, error);
    if (status == STATUS_OK)
        status = write_launch_sites(tables, sink, sites, error);
    if (status == STATUS_OK)
        status = write_event_uses(tables, sink, error);
    if (status == STATUS_OK)
        status = write_graph_nodes(tables, sink, error);
    if (status == STATUS_OK)
        status = write_collectives(tables, sink, error);
    return status;
}

/* ---- tables ---- */

void tables_fini(struct recorder_tables *tables)
{
    free(tables->processes);
    free(tables->runs);
    free(tables->kernels);
    free(tables->open);
    code_fini(&tables->code);
    memset(tables, 0, sizeof *tables);
}

/* ---- rows that change ---- */
static enum status write_process(struct recorder_sink *sink, uint32_t id, const struct process_state *state,
                                 struct error *error)
{
    const struct process_row *row = session_process(sink->session, id);
    struct process_record record = {.id = id,
                                    .row = {.pid = row->pid,
                                            .parent_pid = row->parent_pid,
                                            .rank = row->rank,
                                            .host = row->host,
                                            .program = row->program,
                                            .role = row->role,
                                            .mode = row->mode,
                                            .clock = row->clock,
                                            .start_ns = row->start_ns},
                                    .command = state->command,
                                    .end_ns = state->end_ns,
                                    .exit_status = state->exit_status};
    return sink_put(sink, TABLE_PROCESS, &record, error);
}

static enum status write_processes(struct recorder_tables *tables, struct recorder_sink *sink,
                                   struct error *error)
{
    uint32_t count = session_process_count(sink->session);
    if (!array_grow(tables->processes, tables->process_room, count, 0))
        return out_of_memory(error);
    for (uint32_t id = 0; id < count; id++) {
        const struct process_row *row = session_process(sink->session, id);
        struct process_state *old = &tables->processes[id];
        struct process_state state = {.command = atomic_load(&row->command),
                                      .end_ns = atomic_load(&row->end_ns),
                                      .exit_status = atomic_load(&row->exit_status)};
        if (id < tables->written[TABLE_PROCESS] && state.command == old->command &&
            state.end_ns == old->end_ns && state.exit_status == old->exit_status)
            continue;
        enum status status = write_process(sink, id, &state, error);
        if (status != STATUS_OK)
            return status;
        *old = state;
    }
    tables->written[TABLE_PROCESS] = count;
    return STATUS_OK;
}

static enum status write_run(struct recorder_sink *sink, uint32_t id, const struct run_state *state,
                             struct error *error)
{
    const struct run_row *row = session_run(sink->session, id);
    struct run_record record = {
        .id = id, .end_ns = state->end_ns, .verified = state->verified, .detail = state->detail};
    memcpy(&record.row, row, offsetof(struct run_row, end_ns));
    record.row.effective_bytes = row->effective_bytes;
    record.row.effective_kernel = row->effective_kernel;
    return sink_put(sink, TABLE_RUN, &record, error);
}

static enum status write_runs(struct recorder_tables *tables, struct recorder_sink *sink, struct error *error)
{
    uint32_t count = session_run_count(sink->session);
    if (!array_grow(tables->runs, tables->run_room, count, 0))
        return out_of_memory(error);
    for (uint32_t id = 0; id < count; id++) {
        const struct run_row *row = session_run(sink->session, id);
        struct run_state *old = &tables->runs[id];
        struct run_state state = {.end_ns = atomic_load(&row->end_ns),
                                  .detail = atomic_load(&row->detail),
                                  .verified = atomic_load(&row->verified)};
        if (id < tables->written[TABLE_RUN] && state.end_ns == old->end_ns &&
            state.verified == old->verified && state.detail == old->detail)
            continue;
        enum status status = write_run(sink, id, &state, error);
        if (status != STATUS_OK)
            return status;
        *old = state;
    }
    tables->written[TABLE_RUN] = count;
    return STATUS_OK;
}

/* ---- rows that do not ---- */
static enum status write_values(struct recorder_tables *tables, struct recorder_sink *sink,
                                uint32_t measurement, const struct measurement_row *row, struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t v = 0; v < row->values && status == STATUS_OK; v++) {
        struct value_record record = {.id = row->first_value + v,
                                      .measurement = measurement,
                                      .row = *session_value(sink->session, row->first_value + v)};
        status = sink_put(sink, TABLE_VALUE, &record, error);
        tables->written[TABLE_VALUE]++;
    }
    return status;
}

#define WRITE_NEW(TABLE, noun)                                                                           \
    for (uint32_t count = session_##noun##_count(sink->session); tables->written[TABLE_##TABLE] < count; \
         tables->written[TABLE_##TABLE]++) {                                                             \
        struct noun##_record record = {.id = tables->written[TABLE_##TABLE]};                            \
        record.row = *session_##noun(sink->session, record.id);                                          \
        enum status status = sink_put(sink, TABLE_##TABLE, &record, error);                              \
        if (status != STATUS_OK)                                                                         \
            return status;                                                                               \
    }

static enum status write_tracks(struct recorder_tables *tables, struct recorder_sink *sink,
                                struct error *error)
{
    uint32_t count = session_track_count(sink->session);
    for (; tables->written[TABLE_TRACK] < count; tables->written[TABLE_TRACK]++) {
        struct track_record record = {.id = tables->written[TABLE_TRACK]};
        memcpy(&record.row, session_track(sink->session, record.id), offsetof(struct track_row, lane_count));
        enum status status = sink_put(sink, TABLE_TRACK, &record, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status write_measurements(struct recorder_tables *tables, struct recorder_sink *sink,
                                      struct error *error)
{
    uint32_t count = session_measurement_count(sink->session);
    for (; tables->written[TABLE_MEASUREMENT] < count; tables->written[TABLE_MEASUREMENT]++) {
        struct measurement_record record = {.id = tables->written[TABLE_MEASUREMENT]};
        record.row = *session_measurement(sink->session, record.id);
        enum status status = sink_put(sink, TABLE_MEASUREMENT, &record, error);
        if (status == STATUS_OK)
            status = write_values(tables, sink, record.id, &record.row, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static bool same_open(const struct open_launch *a, const struct open_launch *b)
{
    return a->process == b->process && a->track == b->track && a->correlation == b->correlation &&
           a->thread == b->thread && a->shape == b->shape && a->call_start_ns == b->call_start_ns;
}

static enum status write_open_launches(struct recorder_tables *tables, struct recorder_sink *sink,
                                       struct error *error)
{
    struct open_launch now[SESSION_OPEN_LAUNCHES_MAX];
    size_t count = session_open_launches(sink->session, now, SESSION_OPEN_LAUNCHES_MAX);
    bool same = count == tables->open_count;
    for (size_t i = 0; same && i < count; i++)
        same = same_open(&now[i], &tables->open[i]);
    if (same)
        return STATUS_OK;
    if (!tables->open && !(tables->open = malloc(sizeof now)))
        return out_of_memory(error);
    enum status status = sink_execute(sink, "DELETE FROM open_launch", error);
    uint32_t id = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct open_launch_record record = {.id = id++, .row = now[i]};
        /* Refers to a row that was published after this transaction read the counts: the next transaction
         * writes it. */
        if ((now[i].process != NONE && now[i].process >= tables->written[TABLE_PROCESS]) ||
            (now[i].track != NONE && now[i].track >= tables->written[TABLE_TRACK]) ||
            (now[i].shape != NONE && now[i].shape >= tables->written[TABLE_SHAPE]))
            continue;
        status = sink_put(sink, TABLE_OPEN_LAUNCH, &record, error);
        tables->open[kept++] = now[i];
    }
    tables->open_count = kept;
    return status;
}

/* Read the counts of tables that refer to others first: the rows that they refer to are published by then. */
static enum status write_leaves(struct recorder_tables *tables, struct recorder_sink *sink,
                                struct error *error)
{
    WRITE_NEW(EXPECTED, expected)
    WRITE_NEW(NOTICE, notice)
    WRITE_NEW(DROP, drop)
    WRITE_NEW(BOOKMARK, bookmark)
    return STATUS_OK;
}

static enum status write_nouns(struct recorder_tables *tables, struct recorder_sink *sink,
                               struct error *error)
{
    WRITE_NEW(DEVICE, device)
    WRITE_NEW(SHAPE, shape)
    return STATUS_OK;
}

enum status tables_write(struct recorder_tables *tables, struct recorder_sink *sink, struct error *error)
{
    /* The order of writing does not matter within a transaction; the order of reading the counts does. */
    enum status status = write_leaves(tables, sink, error);
    if (status == STATUS_OK)
        status = write_measurements(tables, sink, error);
    if (status == STATUS_OK)
        status = code_write(tables, sink, error);
    tables->kernels_published = session_kernel_count(sink->session);
    if (status == STATUS_OK)
        status = write_tracks(tables, sink, error);
    if (status == STATUS_OK)
        status = write_runs(tables, sink, error);
    if (status == STATUS_OK)
        status = write_nouns(tables, sink, error);
    if (status == STATUS_OK)
        status = write_processes(tables, sink, error);
    if (status == STATUS_OK)
        status = write_open_launches(tables, sink, error);
    return status;
}

/* ---- kernels ---- */
static enum status kernels_grow(struct recorder_tables *tables, uint32_t count, struct error *error)
{
    return array_grow_zeroed(tables->kernels, tables->kernel_count, count, 0) ? STATUS_OK
                                                                              : out_of_memory(error);
}

enum status tables_count_launch(struct recorder_tables *tables, uint32_t kernel, int64_t duration_ns,
                                struct error *error)
{
    enum status status = kernels_grow(tables, kernel + 1, error);
    if (status != STATUS_OK)
        return status;
    struct kernel_sums *sums = &tables->kernels[kernel];
    uint64_t ns = (uint64_t)duration_ns;
    sums->min_ns = sums->launches == 0 || ns < sums->min_ns ? ns : sums->min_ns;
    sums->max_ns = ns > sums->max_ns ? ns : sums->max_ns;
    sums->total_ns = session_add_sum(sums->total_ns, ns);
    sums->launches++;
    sums->changed = true;
    return STATUS_OK;
}

enum status tables_write_kernels(struct recorder_tables *tables, struct recorder_sink *sink,
                                 struct error *error)
{
    uint32_t count = tables->kernels_published;
    enum status status = kernels_grow(tables, count, error);
    for (uint32_t id = 0; id < count && status == STATUS_OK; id++) {
        struct kernel_sums *sums = &tables->kernels[id];
        if (id < tables->written[TABLE_KERNEL] && !sums->changed)
            continue;
        const struct kernel_row *row = session_kernel(sink->session, id);
        struct kernel_record record = {.id = id,
                                       .run = row->run,
                                       .shape = row->shape,
                                       .device = row->device,
                                       .launches = sums->launches,
                                       .total_ns = sums->total_ns,
                                       .min_ns = sums->min_ns,
                                       .max_ns = sums->max_ns};
        status = sink_put(sink, TABLE_KERNEL, &record, error);
        sums->changed = false;
    }
    tables->written[TABLE_KERNEL] = count;
    return status;
}
