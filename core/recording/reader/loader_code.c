/*
 * The tables of code. Functions and instructions are referred to, so they must be dense and each its own;
 * they are looked at anew when there is news, since instructions get their texts late, and so are samples and
 * counts, which grow.
 */
#include "core/recording/reader/loader_internal.h"

#include "core/session/code.h"

/* Adds the row to the session. NULL if it is valid, else the column that is not. */
typedef const char *take_code(struct loader *loader, const void *record);

static const char *take_function(struct loader *loader, const void *at)
{
    const struct function_record *record = at;
    return session_add_function(loader->session, &record->row) == record->id ? NULL
                                                                             : "mangled (it is there twice)";
}

static const char *take_instruction(struct loader *loader, const void *at)
{
    const struct instruction_record *record = at;
    if (session_add_instruction(loader->session, record->function, record->pc_offset) != record->id)
        return "pc_offset (it is there twice)";
    session_set_instruction(loader->session, record->id, record->text, record->file, record->line);
    return NULL;
}

static const char *take_source(struct loader *loader, const void *at)
{
    const struct source_record *record = at;
    const char *text = session_string(loader->session, record->row.text);
    if (text[0] == '\0') /* a follower can see the row before its text is written */
        return NULL;
    return record->row.file != 0 &&
                   session_add_source(loader->session, record->row.file, text, SOURCE_BYTES_MAX + 1) != NONE
               ? NULL
               : "text";
}

static const char *take_stall(struct loader *loader, const void *at)
{
    const struct stall_record *record = at;
    struct stall_row row = {.run = record->run,
                            .kernel = record->kernel,
                            .instruction = record->instruction,
                            .reason = record->reason,
                            .period_cycles = record->period_cycles};
    uint32_t stall = session_add_stall(loader->session, &row);
    const struct stall_row *there = session_stall(loader->session, stall);
    if (there == NULL)
        return "reason";
    uint64_t before = atomic_load_explicit(&there->samples, memory_order_relaxed);
    atomic_init(&row.samples, record->samples - before); /* the increase since it was loaded last */
    return record->samples >= before && session_add_stall(loader->session, &row) != NONE ? NULL : "samples";
}

static const char *take_tally(struct loader *loader, const void *at)
{
    const struct tally_record *record = at;
    struct tally_row row = {.run = record->run,
                            .kernel = record->kernel,
                            .instruction = record->instruction,
                            .counter = record->counter};
    const struct tally_row *there = session_tally(loader->session, session_add_tally(loader->session, &row));
    if (there == NULL)
        return "counter";
    uint64_t number = atomic_load_explicit(&there->number, memory_order_relaxed);
    uint32_t launches = atomic_load_explicit(&there->launches, memory_order_relaxed);
    if (record->launches < launches)
        return "launches";
    atomic_init(&row.number, record->number - number);
    atomic_init(&row.launches, record->launches - launches);
    return record->number >= number && session_add_tally(loader->session, &row) != NONE ? NULL : "number";
}

/* Rows of accesses do not change. */
static const char *take_access(struct loader *loader, const void *at)
{
    const struct access_record *record = at;
    return record->id <= loader->last_id[TABLE_ACCESS] ||
                   session_add_access(loader->session, &record->row) != NONE
               ? NULL
               : "addresses";
}

static const char *take_stack(struct loader *loader, const void *at)
{
    const struct stack_record *record = at;
    return session_add_stack(loader->session, &record->row) == record->id ? NULL : "name (it is there twice)";
}

static const char *take_launch_site(struct loader *loader, const void *at)
{
    const struct launch_site_record *record = at;
    struct launch_site_row row = {.run = record->run,
                                  .kernel = record->kernel,
                                  .stack = record->stack,
                                  .kind = record->kind,
                                  .copy_kind = record->copy_kind};
    const struct launch_site_row *there =
        session_launch_site(loader->session, session_add_launch_site(loader->session, &row));
    if (there == NULL)
        return "stack";
    uint64_t launches = atomic_load_explicit(&there->launches, memory_order_relaxed);
    uint64_t total_ns = atomic_load_explicit(&there->total_ns, memory_order_relaxed);
    if (record->launches < launches || record->total_ns < total_ns)
        return "launches";
    atomic_init(&row.launches, record->launches - launches);
    atomic_init(&row.total_ns, record->total_ns - total_ns);
    return session_add_launch_site(loader->session, &row) != NONE ? NULL : "total_ns";
}

/* dense: rows that others refer to: an invalid one makes the file unusable; other invalid rows are skipped.
 */
static enum status read_rows(struct loader *loader, enum recording_table number, uint32_t *dense,
                             take_code *take, struct error *error)
{
    union {
        struct function_record function;
        struct instruction_record instruction;
        struct stall_record stall;
        struct tally_record tally;
        struct access_record access;
        struct source_record source;
        struct stack_record stack;
        struct launch_site_record launch_site;
    } record;
    const struct table *table = recording_table(number);
    sqlite3_stmt *select = loader->select[number];
    enum status status = STATUS_OK;
    if (select == NULL) /* a recording of an earlier release */
        return STATUS_OK;
    int result = sqlite3_bind_int64(select, 1, -1);
    for (uint32_t next = 0; status == STATUS_OK && (result = sqlite3_step(select)) == SQLITE_ROW; next++) {
        int64_t id = sqlite3_column_int64(select, 0);
        const char *bad = row_read(select, table, &loader->limits, &record);
        if (bad == NULL && dense != NULL && id != next)
            bad = "id";
        if (bad == NULL)
            bad = take(loader, &record);
        if (bad != NULL && dense != NULL)
            status = loader_damaged(loader, table->name, id, bad, error);
        else if (bad != NULL && id > loader->last_id[number])
            loader_skip(loader, number, id, bad);
        else if (dense != NULL && next == *dense)
            ++*dense;
        if (id > loader->last_id[number])
            loader->last_id[number] = id;
    }
    if (status == STATUS_OK && result != SQLITE_DONE)
        status = recording_error(loader->database, loader->path, "reading its code", error);
    sqlite3_reset(select);
    return status;
}

enum status loader_read_code(struct loader *loader, struct error *error)
{
    enum status status =
        read_rows(loader, TABLE_FUNCTION, &loader->limits.rows[REFERS_FUNCTION], take_function, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_INSTRUCTION, &loader->limits.rows[REFERS_INSTRUCTION],
                           take_instruction, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_SOURCE, NULL, take_source, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_STALL, NULL, take_stall, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_TALLY, NULL, take_tally, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_ACCESS, NULL, take_access, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_STACK, &loader->limits.rows[REFERS_STACK], take_stack, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_LAUNCH_SITE, NULL, take_launch_site, error);
    return status;
}
