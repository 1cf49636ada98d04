/*
 * Code into the recording. Instructions get their texts and lines late, samples and counts grow: what was
 * written of these is kept, to see a change. Under a size limit texts are written with the row that has them,
 * not with the strings before them: so that one that is too long can be left out.
 */
#include "core/base/array.h"
#include "core/recording/writer/recorder_tables.h"

#include <stdlib.h>
#include <string.h>

void code_fini(struct recorder_code *code)
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

enum status code_write(struct recorder_tables *tables, struct recorder_sink *sink, struct error *error)
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
    return status;
}
