/*
 * A table's new rows are those from written[table] to the published count. Processes and runs may still
 * change in their atomic fields; what was written of these is kept, to see a change. Kernels' sums are ours,
 * of the launches that are in the file: so that every transaction's sums and rows agree.
 */
#include "core/recording/writer/recorder_tables.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

void tables_fini(struct recorder_tables *tables)
{
    free(tables->processes);
    free(tables->runs);
    free(tables->kernels);
    free(tables->open);
    code_fini(&tables->code);
    memset(tables, 0, sizeof *tables);
}

static enum status out_of_memory(struct error *error)
{
    return error_no_memory(error, "to record");
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
