/*
 * Code into the recording. Instructions get their texts and lines late, samples and counts grow: what was
 * written of these is kept, to see a change.
 */
#include "core/recorder_tables.h"

#include <stdlib.h>
#include <string.h>

void code_fini(struct recorder_code *code)
{
    free(code->instructions);
    free(code->samples);
    free(code->numbers);
    memset(code, 0, sizeof *code);
}

/* Room for `count` rows, the new ones zeroed. */
static enum status reserve(void **rows, uint32_t *room, uint32_t count, size_t row_bytes, struct error *error)
{
    if (count <= *room)
        return STATUS_OK;
    uint32_t wanted = count > UINT32_MAX / 2 ? count : 2 * count;
    char *grown = realloc(*rows, wanted * row_bytes);
    if (grown == NULL)
        return error_set(error, STATUS_MEMORY, "Out of memory while recording.");
    memset(grown + *room * row_bytes, 0, (wanted - *room) * row_bytes);
    *rows = grown;
    *room = wanted;
    return STATUS_OK;
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

static enum status write_sources(struct recorder_tables *tables, struct recorder_sink *sink,
                                 struct error *error)
{
    enum status status = STATUS_OK;
    uint32_t count = session_source_count(sink->session);
    for (; tables->written[TABLE_SOURCE] < count && status == STATUS_OK; tables->written[TABLE_SOURCE]++) {
        struct source_record record = {.id = tables->written[TABLE_SOURCE]};
        record.row = *session_source(sink->session, record.id);
        status = sink_put(sink, TABLE_SOURCE, &record, error);
    }
    return status;
}

static enum status write_instructions(struct recorder_tables *tables, struct recorder_sink *sink,
                                      uint32_t count, struct error *error)
{
    struct recorder_code *code = &tables->code;
    enum status status = reserve((void **)&code->instructions, &code->instruction_room, count,
                                 sizeof *code->instructions, error);
    for (uint32_t id = 0; id < count && status == STATUS_OK; id++) {
        const struct instruction_row *row = session_instruction(sink->session, id);
        struct instruction_record record = {.id = id,
                                            .function = row->function,
                                            .pc_offset = row->pc_offset,
                                            .file = atomic_load_explicit(&row->file, memory_order_acquire),
                                            .line = atomic_load_explicit(&row->line, memory_order_acquire),
                                            .text = atomic_load_explicit(&row->text, memory_order_acquire)};
        if (id < tables->written[TABLE_INSTRUCTION] &&
            memcmp(&record, &code->instructions[id], sizeof record) == 0)
            continue;
        status = sink_put(sink, TABLE_INSTRUCTION, &record, error);
        code->instructions[id] = record;
    }
    tables->written[TABLE_INSTRUCTION] = count;
    return status;
}

static enum status write_stalls(struct recorder_tables *tables, struct recorder_sink *sink, uint32_t count,
                                struct error *error)
{
    struct recorder_code *code = &tables->code;
    enum status status =
        reserve((void **)&code->samples, &code->sample_room, count, sizeof *code->samples, error);
    for (uint32_t id = 0; id < count && status == STATUS_OK; id++) {
        const struct stall_row *row = session_stall(sink->session, id);
        struct stall_record record = {.id = id,
                                      .run = row->run,
                                      .kernel = row->kernel,
                                      .instruction = row->instruction,
                                      .reason = row->reason,
                                      .period_cycles = row->period_cycles,
                                      .samples = atomic_load_explicit(&row->samples, memory_order_relaxed)};
        if (id < tables->written[TABLE_STALL] && record.samples == code->samples[id])
            continue;
        status = sink_put(sink, TABLE_STALL, &record, error);
        code->samples[id] = record.samples;
    }
    tables->written[TABLE_STALL] = count;
    return status;
}

/* What is kept of a row mixes both of its sums. */
static enum status write_tallies(struct recorder_tables *tables, struct recorder_sink *sink, uint32_t count,
                                 struct error *error)
{
    struct recorder_code *code = &tables->code;
    enum status status =
        reserve((void **)&code->numbers, &code->number_room, count, sizeof *code->numbers, error);
    for (uint32_t id = 0; id < count && status == STATUS_OK; id++) {
        const struct tally_row *row = session_tally(sink->session, id);
        struct tally_record record = {.id = id,
                                      .run = row->run,
                                      .kernel = row->kernel,
                                      .instruction = row->instruction,
                                      .counter = row->counter,
                                      .launches = atomic_load_explicit(&row->launches, memory_order_relaxed),
                                      .number = atomic_load_explicit(&row->number, memory_order_relaxed)};
        uint64_t state = record.number ^ (uint64_t)record.launches << 40;
        if (id < tables->written[TABLE_TALLY] && state == code->numbers[id])
            continue;
        status = sink_put(sink, TABLE_TALLY, &record, error);
        code->numbers[id] = state;
    }
    tables->written[TABLE_TALLY] = count;
    return status;
}

enum status code_write(struct recorder_tables *tables, struct recorder_sink *sink, struct error *error)
{
    /* What refers to others is counted first: what it refers to is published by then. */
    uint32_t tallies = session_tally_count(sink->session), stalls = session_stall_count(sink->session);
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
    return status;
}
