/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the columns of a recording lie in the C records. A column that stands here and not in the CREATE
 * statements of recording_schema.c, or the other way round, fails the first INSERT: the unit test writes
 * every table.
 */
#include "core/recording/recording_schema.h"

#include "core/hardware/access.h"
#include "core/recording/recording.h"

#include <stdarg.h>
#include <stdio.h>

#define U32_MOST ((int64_t)UINT32_MAX)
#define ROWS_MOST (U32_MOST - 1) /* NONE is no row */

/* clang-format off */
#define AT(record, member) .offset = offsetof(struct record, member), .size_bytes = sizeof((struct record *)0)->member
#define NUMBER(column, kind, record, member, from, to) \
    {.name = column, .type = COLUMN_##kind, AT(record, member), .least = from, .most = to}
#define NULLABLE(column, kind, record, member, none, from, to) \
    {.name = column, .type = COLUMN_##kind, AT(record, member), .nullable = true, .null = none, .least = from, .most = to}
#define ROW_ID(record) NUMBER("id", U32, record, id, 0, ROWS_MOST)
#define U8(column, record, member, to) NUMBER(column, U8, record, member, 0, to)
#define U16(column, record, member) NUMBER(column, U16, record, member, 0, UINT16_MAX)
#define U32(column, record, member) NUMBER(column, U32, record, member, 0, U32_MOST)
#define OWN_ID(column, record, member) NULLABLE(column, U32, record, member, NONE, 0, ROWS_MOST)
#define I32(column, record, member) NUMBER(column, I32, record, member, INT32_MIN, INT32_MAX)
#define U64(column, record, member) NUMBER(column, U64, record, member, 0, INT64_MAX)
#define SUM(column, record, member) \
    {.name = column, .type = COLUMN_U64, AT(record, member), .sum = true, .least = 0, .most = INT64_MAX}
#define F64(column, record, member) {.name = column, .type = COLUMN_F64, AT(record, member), .nullable = true}
#define TIME(column, record, member) \
    NUMBER(column, I64, record, member, -SESSION_TIME_MAX_NS, SESSION_TIME_MAX_NS)
#define OPTIONAL_TIME(column, record, member) \
    NULLABLE(column, I64, record, member, INT64_MIN, -SESSION_TIME_MAX_NS, SESSION_TIME_MAX_NS)
#define DURATION(column, record, member) NUMBER(column, I64, record, member, 0, 2 * SESSION_TIME_MAX_NS)
#define STRING(column, record, member) \
    {.name = column, .type = COLUMN_U32, AT(record, member), .reference = REFERS_STRING, \
     .nullable = true, .null = 0, .least = 1, .most = U32_MOST}
#define ROW(column, record, member, table) \
    {.name = column, .type = COLUMN_U32, AT(record, member), .reference = REFERS_##table, .most = ROWS_MOST}
#define OPTIONAL_ROW(column, record, member, table) \
    {.name = column, .type = COLUMN_U32, AT(record, member), .reference = REFERS_##table, \
     .nullable = true, .null = NONE, .most = ROWS_MOST}
#define TEXT(column, record, member) {.name = column, .type = COLUMN_TEXT, AT(record, member)}
#define BLOB(column, record, member) {.name = column, .type = COLUMN_BLOB, AT(record, member), .nullable = true}
#define BYTES(column, record, member) {.name = column, .type = COLUMN_BYTES, AT(record, member)}

static const struct record_column process_columns[] = {
    ROW_ID(process_record),
    I32("pid", process_record, row.pid),
    I32("parent_pid", process_record, row.parent_pid),
    NULLABLE("rank", I32, process_record, row.rank, -1, 0, INT32_MAX),
    STRING("host", process_record, row.host),
    STRING("program", process_record, row.program),
    STRING("command", process_record, command),
    U8("role", process_record, row.role, UINT8_MAX),
    U8("mode", process_record, row.mode, RUN_MODE_COUNT - 1),
    U8("clock", process_record, row.clock, CLOCK_MODEL),
    TIME("start_ns", process_record, row.start_ns),
    OPTIONAL_TIME("end_ns", process_record, end_ns),
    NULLABLE("exit_status", I32, process_record, exit_status, -1, INT32_MIN, INT32_MAX),
};

#define INFO(member) U32(#member, device_record, row.info.member)
static const struct record_column device_columns[] = {
    ROW_ID(device_record),
    ROW("process", device_record, row.process, PROCESS),
    U32("ordinal", device_record, row.ordinal),
    TEXT("name", device_record, row.info.name),
    TEXT("chip", device_record, row.info.chip),
    BYTES("uuid", device_record, row.info.uuid),
    INFO(is_model), INFO(compute_capability), INFO(multiprocessors), INFO(max_threads_per_multiprocessor),
    INFO(max_blocks_per_multiprocessor), INFO(max_threads_per_block), INFO(registers_per_multiprocessor),
    INFO(registers_per_block), INFO(shared_bytes_per_multiprocessor), INFO(shared_bytes_per_block),
    INFO(shared_bytes_per_block_optin), INFO(shared_bytes_reserved_per_block), INFO(l2_bytes), INFO(memory_bus_bits),
    INFO(memory_clock_khz), INFO(core_clock_khz), INFO(copy_engines), INFO(concurrent_kernels), INFO(ecc),
    INFO(driver_version),
    U64("memory_bytes", device_record, row.info.memory_bytes),
};

static const struct record_column run_columns[] = {
    ROW_ID(run_record),
    ROW("process", run_record, row.process, PROCESS),
    OPTIONAL_ROW("device", run_record, row.device, DEVICE),
    U32("run_group", run_record, row.group),
    STRING("workload", run_record, row.workload),
    STRING("variant", run_record, row.variant),
    STRING("params", run_record, row.params),
    STRING("program", run_record, row.program),
    U8("mode", run_record, row.mode, RUN_MODE_COUNT - 1),
    U8("clock", run_record, row.clock, CLOCK_MODEL),
    TIME("start_ns", run_record, row.start_ns),
    OPTIONAL_TIME("end_ns", run_record, end_ns),
    NULLABLE("verified", I8, run_record, verified, -1, 0, 1),
    STRING("detail", run_record, detail),
    F64("effective_bytes", run_record, row.effective_bytes),
    STRING("effective_kernel", run_record, row.effective_kernel),
};

static const struct record_column shape_columns[] = {
    ROW_ID(shape_record),
    STRING("name", shape_record, row.name),
    STRING("mangled", shape_record, row.mangled),
    U32("grid_x", shape_record, row.grid[0]),
    U32("grid_y", shape_record, row.grid[1]),
    U32("grid_z", shape_record, row.grid[2]),
    U16("block_x", shape_record, row.block[0]),
    U16("block_y", shape_record, row.block[1]),
    U16("block_z", shape_record, row.block[2]),
    U16("cluster_x", shape_record, row.cluster[0]),
    U16("cluster_y", shape_record, row.cluster[1]),
    U16("cluster_z", shape_record, row.cluster[2]),
    U16("registers_per_thread", shape_record, row.registers_per_thread),
    U16("flags", shape_record, row.flags),
    U32("static_shared_bytes", shape_record, row.static_shared_bytes),
    U32("dynamic_shared_bytes", shape_record, row.dynamic_shared_bytes),
    U32("local_bytes_per_thread", shape_record, row.local_bytes_per_thread),
    U32("shared_config_bytes", shape_record, row.shared_config_bytes),
};

static const struct record_column kernel_columns[] = {
    ROW_ID(kernel_record),
    OPTIONAL_ROW("run", kernel_record, run, RUN),
    OPTIONAL_ROW("shape", kernel_record, shape, SHAPE),
    OPTIONAL_ROW("device", kernel_record, device, DEVICE),
    U64("launches", kernel_record, launches),
    SUM("total_ns", kernel_record, total_ns),
    U64("min_ns", kernel_record, min_ns),
    U64("max_ns", kernel_record, max_ns),
};

static const struct record_column track_columns[] = {
    ROW_ID(track_record),
    U8("kind", track_record, row.kind, TRACK_KIND_COUNT - 1),
    U8("clock", track_record, row.clock, CLOCK_MODEL),
    U8("flags", track_record, row.flags, UINT8_MAX),
    U8("copy_kind", track_record, row.copy_kind, COPY_DTOA),
    OPTIONAL_ROW("process", track_record, row.process, PROCESS),
    OPTIONAL_ROW("device", track_record, row.device, DEVICE),
    OWN_ID("context", track_record, row.context),
    OWN_ID("stream", track_record, row.stream),
    OWN_ID("thread", track_record, row.thread),
    I32("priority", track_record, row.priority),
};

static const struct record_column measurement_columns[] = {
    ROW_ID(measurement_record),
    ROW("kernel", measurement_record, row.kernel, KERNEL),
    U32("correlation", measurement_record, row.correlation),
    OWN_ID("context", measurement_record, row.context),
    OWN_ID("stream", measurement_record, row.stream),
    U32("passes", measurement_record, row.passes),
    U32("first_value", measurement_record, row.first_value),
    U32("value_count", measurement_record, row.values),
    TIME("start_ns", measurement_record, row.start_ns),
    TIME("end_ns", measurement_record, row.end_ns),
};

static const struct record_column value_columns[] = {
    ROW_ID(value_record),
    ROW("measurement", value_record, measurement, MEASUREMENT),
    STRING("counter", value_record, row.counter),
    F64("number", value_record, row.number),
};

static const struct record_column expected_columns[] = {
    ROW_ID(expected_record),
    OPTIONAL_ROW("run", expected_record, row.run, RUN),
    STRING("kernel_name", expected_record, row.kernel_name),
    STRING("metric", expected_record, row.metric),
    F64("number", expected_record, row.number),
    STRING("why", expected_record, row.why),
};

static const struct record_column notice_columns[] = {
    ROW_ID(notice_record),
    TIME("time_ns", notice_record, row.time_ns),
    U8("severity", notice_record, row.severity, SEVERITY_ERROR),
    U8("status", notice_record, row.status, STATUS_COUNT - 1),
    OPTIONAL_ROW("process", notice_record, row.process, PROCESS),
    STRING("text", notice_record, row.text),
};

static const struct record_column drop_columns[] = {
    ROW_ID(drop_record),
    TIME("time_ns", drop_record, row.time_ns),
    OPTIONAL_ROW("process", drop_record, row.process, PROCESS),
    U32("kind", drop_record, row.kind),
    U32("reason", drop_record, row.reason),
    U64("count", drop_record, row.count),
};

static const struct record_column bookmark_columns[] = {
    ROW_ID(bookmark_record),
    TIME("time_ns", bookmark_record, row.time_ns),
    U8("clock", bookmark_record, row.clock, CLOCK_MODEL),
    TEXT("text", bookmark_record, row.text),
};

static const struct record_column function_columns[] = {
    ROW_ID(function_record),
    STRING("name", function_record, row.name),
    STRING("mangled", function_record, row.mangled),
    NUMBER("module", I64, function_record, row.module, INT64_MIN, INT64_MAX),
    U32("size_bytes", function_record, row.size_bytes),
};

static const struct record_column instruction_columns[] = {
    ROW_ID(instruction_record),
    ROW("function", instruction_record, function, FUNCTION),
    U32("pc_offset", instruction_record, pc_offset),
    STRING("text", instruction_record, text),
    STRING("file", instruction_record, file),
    U32("line", instruction_record, line),
};

static const struct record_column stall_columns[] = {
    ROW_ID(stall_record),
    OPTIONAL_ROW("run", stall_record, run, RUN),
    OPTIONAL_ROW("kernel", stall_record, kernel, KERNEL),
    ROW("instruction", stall_record, instruction, INSTRUCTION),
    STRING("reason", stall_record, reason),
    U32("period_cycles", stall_record, period_cycles),
    U64("samples", stall_record, samples),
};

static const struct record_column tally_columns[] = {
    ROW_ID(tally_record),
    OPTIONAL_ROW("run", tally_record, run, RUN),
    OPTIONAL_ROW("kernel", tally_record, kernel, KERNEL),
    ROW("instruction", tally_record, instruction, INSTRUCTION),
    STRING("counter", tally_record, counter),
    U32("launches", tally_record, launches),
    U64("number", tally_record, number),
};

static const struct record_column access_columns[] = {
    ROW_ID(access_record),
    OPTIONAL_ROW("run", access_record, row.run, RUN),
    OPTIONAL_ROW("kernel", access_record, row.kernel, KERNEL),
    ROW("instruction", access_record, row.instruction, INSTRUCTION),
    U16("part", access_record, row.part),
    U8("space", access_record, row.space, ACCESS_SPACE_COUNT - 1),
    U8("width_bytes", access_record, row.width_bytes, 16),
    U8("flags", access_record, row.flags, ACCESS_FLAGS),
    U64("block", access_record, row.block),
    U16("warp", access_record, row.warp),
    STRING("addresses", access_record, row.addresses),
    U16("transfers", access_record, row.transfers),
    U16("ideal_transfers", access_record, row.ideal_transfers),
    U32("requests", access_record, row.requests),
    U64("all_transfers", access_record, row.all_transfers),
    U64("all_ideal_transfers", access_record, row.all_ideal_transfers),
};

static const struct record_column source_columns[] = {
    ROW_ID(source_record),
    STRING("file", source_record, row.file),
    STRING("text", source_record, row.text),
};

static const struct record_column stack_columns[] = {
    ROW_ID(stack_record),
    OPTIONAL_ROW("caller", stack_record, row.caller, STACK),
    STRING("name", stack_record, row.name),
    STRING("file", stack_record, row.file),
    U32("line", stack_record, row.line),
    U32("flags", stack_record, row.flags),
};

static const struct record_column launch_site_columns[] = {
    ROW_ID(launch_site_record),
    OPTIONAL_ROW("run", launch_site_record, run, RUN),
    OPTIONAL_ROW("kernel", launch_site_record, kernel, KERNEL),
    ROW("stack", launch_site_record, stack, STACK),
    U8("kind", launch_site_record, kind, ITEM_SET),
    U8("copy_kind", launch_site_record, copy_kind, COPY_DTOA),
    U64("launches", launch_site_record, launches),
    U64("total_ns", launch_site_record, total_ns),
};

static const struct record_column event_use_columns[] = {
    ROW_ID(event_use_record),
    ROW("process", event_use_record, row.process, PROCESS),
    U32("correlation", event_use_record, row.correlation),
    U8("use", event_use_record, row.use, EVENT_USE_COUNT - 1),
    U32("event", event_use_record, row.event),
    NUMBER("record", I64, event_use_record, row.record, INT64_MIN, INT64_MAX),
    U32("context", event_use_record, row.context),
    U32("stream", event_use_record, row.stream),
};

static const struct record_column collective_columns[] = {
    ROW_ID(collective_record),
    ROW("process", collective_record, row.process, PROCESS),
    U32("correlation", collective_record, row.correlation),
    STRING("communicator", collective_record, row.group),
    STRING("function", collective_record, row.function),
    U32("ranks", collective_record, row.ranks),
    NULLABLE("sequence", I64, collective_record, row.sequence, -1, 0, INT64_MAX),
    NULLABLE("bytes", I64, collective_record, row.bytes, -1, 0, INT64_MAX),
};

static const struct record_column graph_node_columns[] = {
    ROW_ID(graph_node_record),
    ROW("process", graph_node_record, row.process, PROCESS),
    U32("graph", graph_node_record, row.graph),
    U32("node", graph_node_record, row.node),
    OWN_ID("dependency", graph_node_record, row.dependency),
    U32("stream", graph_node_record, row.stream),
    TIME("start_ns", graph_node_record, row.start_ns),
};

static const struct record_column series_columns[] = {
    ROW_ID(series_record),
    ROW("process", series_record, row.process, PROCESS),
    OPTIONAL_ROW("device", series_record, row.device, DEVICE),
    STRING("name", series_record, row.name),
    U32("interval_ns", series_record, row.interval_ns),
    U32("sampling", series_record, row.sampling),
    NUMBER("place", U16, series_record, row.place, 0, SAMPLING_SERIES_MAX - 1),
    U8("clock", series_record, row.clock, CLOCK_MODEL),
    U8("flags", series_record, row.flags, UINT8_MAX),
};

#define SAMPLE_IDS_MOST ((int64_t)1 << 48)
static const struct record_column sample_time_columns[] = {
    NUMBER("id", I64, sample_time_record, id, 1, SAMPLE_IDS_MOST),
    U32("sampling", sample_time_record, sampling),
    NUMBER("count", U32, sample_time_record, count, 1, SAMPLES_PER_ROW),
    TIME("start_ns", sample_time_record, start_ns),
    TIME("end_ns", sample_time_record, end_ns),
    BLOB("times", sample_time_record, times),
};

static const struct record_column sample_columns[] = {
    NUMBER("id", I64, sample_record, id, 1, SAMPLE_IDS_MOST * SAMPLING_SERIES_MAX),
    ROW("series", sample_record, series, SERIES),
    F64("number", sample_record, number),
    BLOB("numbers", sample_record, numbers),
};

static const struct record_column open_launch_columns[] = {
    ROW_ID(open_launch_record),
    OPTIONAL_ROW("process", open_launch_record, row.process, PROCESS),
    OPTIONAL_ROW("track", open_launch_record, row.track, TRACK),
    OPTIONAL_ROW("shape", open_launch_record, row.shape, SHAPE),
    U32("correlation", open_launch_record, row.correlation),
    U32("thread", open_launch_record, row.thread),
    TIME("call_start_ns", open_launch_record, row.call_start_ns),
};

static const struct record_column summary_columns[] = {
    ROW_ID(summary_record),
    ROW("track", summary_record, track, TRACK),
    U32("lane", summary_record, lane),
    U64("first_index", summary_record, first_index),
    U64("events", summary_record, events),
    TIME("start_ns", summary_record, start_ns),
    TIME("end_ns", summary_record, end_ns),
    DURATION("busy_ns", summary_record, busy_ns),
    DURATION("longest_ns", summary_record, longest_ns),
};

#define EVENT_HEAD \
    NUMBER("id", I64, event_record, id, 1, INT64_MAX - 1), ROW("track", event_record, track, TRACK), \
    TIME("start_ns", event_record, start_ns), DURATION("duration_ns", event_record, duration_ns)
#define EVENT_CALL \
    NULLABLE("call_lead_ns", I64, event_record, call_lead_ns, INT64_MIN, \
             -2 * SESSION_TIME_MAX_NS, 2 * SESSION_TIME_MAX_NS), \
    U32("call_duration_ns", event_record, item.launch.call_duration_ns), \
    U32("call_thread", event_record, item.launch.call_thread), \
    {.name = "call_track", .type = COLUMN_U32, AT(event_record, call_track), .reference = REFERS_TRACK, \
     .nullable = true, .null = NONE, .most = ROWS_MOST}, \
    {.name = "call_name", .type = COLUMN_U32, AT(event_record, call.call.name), .reference = REFERS_STRING, \
     .nullable = true, .least = 1, .most = U32_MOST}, \
    {.name = "call_domain", .type = COLUMN_U8, AT(event_record, call.a),  .most = UINT8_MAX}, \
    {.name = "call_context", .type = COLUMN_U32, AT(event_record, call.call.context), \
     .nullable = true, .null = NONE, .most = ROWS_MOST}, \
    {.name = "call_stream", .type = COLUMN_U32, AT(event_record, call.call.stream), \
     .nullable = true, .null = NONE, .most = ROWS_MOST}
#define EVENT_TAIL \
    U32("correlation", event_record, item.correlation), U8("flags", event_record, item.flags, UINT8_MAX)

static const struct record_column launch_columns[] = {
    EVENT_HEAD,
    OPTIONAL_ROW("kernel", event_record, item.launch.kernel, KERNEL),
    U32("graph", event_record, item.launch.graph),
    EVENT_CALL, EVENT_TAIL,
};

static const struct record_column copy_columns[] = {
    EVENT_HEAD,
    U8("kind", event_record, item.a, COPY_DTOA),
    U8("source_memory", event_record, source_memory, 15),
    U8("destination_memory", event_record, destination_memory, 15),
    U64("size_bytes", event_record, item.copy.size_bytes),
    EVENT_CALL, EVENT_TAIL,
};

static const struct record_column memset_columns[] = {
    EVENT_HEAD,
    U8("memory", event_record, item.a, UINT8_MAX),
    U64("size_bytes", event_record, item.set.size_bytes),
    EVENT_CALL, EVENT_TAIL,
};

static const struct record_column call_columns[] = {
    EVENT_HEAD,
    STRING("name", event_record, item.call.name),
    U8("domain", event_record, item.a, UINT8_MAX),
    U8("category", event_record, item.b, UINT8_MAX),
    I32("result", event_record, item.call.result),
    OWN_ID("context", event_record, item.call.context),
    OWN_ID("stream", event_record, item.call.stream),
    EVENT_TAIL,
};

static const struct record_column range_columns[] = {
    EVENT_HEAD,
    STRING("name", event_record, item.range.name),
    STRING("domain", event_record, item.range.domain),
    U32("color", event_record, item.range.color),
    U32("depth", event_record, item.range.depth),
    F64("payload", event_record, item.range.payload),
    EVENT_TAIL,
};

static const struct record_column sync_columns[] = {
    EVENT_HEAD,
    U8("kind", event_record, item.a, UINT8_MAX),
    OWN_ID("context", event_record, item.sync.context),
    OWN_ID("stream", event_record, item.sync.stream),
    OWN_ID("thread", event_record, item.sync.thread),
    EVENT_TAIL,
};

static const struct record_column overhead_columns[] = {
    EVENT_HEAD,
    STRING("name", event_record, item.overhead.name),
    EVENT_TAIL,
};

static const struct record_column replay_columns[] = {
    EVENT_HEAD,
    ROW("measurement", event_record, item.measurement.measurement, MEASUREMENT),
    EVENT_TAIL,
};

#define TABLE(id, noun, record) TABLE_CALLED(id, noun, #noun, record)
#define TABLE_CALLED(id, noun, called, record) \
    [TABLE_##id] = {.name = called, .columns = noun##_columns, \
                    .column_count = sizeof noun##_columns / sizeof noun##_columns[0], .record_bytes = sizeof(struct record)}
static const struct record_table tables[TABLE_COUNT] = {
    TABLE(PROCESS, process, process_record),
    TABLE(DEVICE, device, device_record),
    TABLE(RUN, run, run_record),
    TABLE(SHAPE, shape, shape_record),
    TABLE(KERNEL, kernel, kernel_record),
    TABLE(TRACK, track, track_record),
    TABLE(MEASUREMENT, measurement, measurement_record),
    TABLE(VALUE, value, value_record),
    TABLE(EXPECTED, expected, expected_record),
    TABLE(NOTICE, notice, notice_record),
    TABLE(DROP, drop, drop_record),
    TABLE(BOOKMARK, bookmark, bookmark_record),
    TABLE(FUNCTION, function, function_record),
    TABLE(INSTRUCTION, instruction, instruction_record),
    TABLE(STALL, stall, stall_record),
    TABLE_CALLED(TALLY, tally, "instruction_count", tally_record),
    TABLE(ACCESS, access, access_record),
    TABLE(SOURCE, source, source_record),
    TABLE(STACK, stack, stack_record),
    TABLE(LAUNCH_SITE, launch_site, launch_site_record),
    TABLE(EVENT_USE, event_use, event_use_record),
    TABLE(GRAPH_NODE, graph_node, graph_node_record),
    TABLE(COLLECTIVE, collective, collective_record),
    TABLE(SERIES, series, series_record),
    TABLE(SAMPLE_TIME, sample_time, sample_time_record),
    TABLE(SAMPLE, sample, sample_record),
    TABLE(OPEN_LAUNCH, open_launch, open_launch_record),
    TABLE(SUMMARY, summary, summary_record),
    TABLE(LAUNCH, launch, event_record),
    TABLE(COPY, copy, event_record),
    TABLE(MEMSET, memset, event_record),
    TABLE(CALL, call, event_record),
    TABLE(RANGE, range, event_record),
    TABLE(SYNC, sync, event_record),
    TABLE(OVERHEAD, overhead, event_record),
    TABLE(REPLAY, replay, event_record),
};
/* clang-format on */

const struct record_table *recording_table(enum recording_table table)
{
    return &tables[table];
}

/* Appends to sql[*length...]; false if it does not fit. */
__attribute__((format(printf, 4, 5))) static bool append(char *sql, size_t size_bytes, size_t *length,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(sql + *length, size_bytes - *length, format, arguments);
    va_end(arguments);
    if (more < 0 || (size_t)more >= size_bytes - *length)
        return false;
    *length += (size_t)more;
    return true;
}

static bool append_columns(const struct record_table *table, char *sql, size_t size_bytes, size_t *length)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (!append(sql, size_bytes, length, "%s\"%s\"", i ? ", " : "", table->columns[i].name))
            return false;
    return true;
}

bool recording_insert_sql(const struct record_table *table, unsigned rows, char *sql, size_t size_bytes)
{
    size_t length = 0;
    /* Events never change. OR FAIL: SQLite then keeps no copies of the pages that a statement with many rows
     * changes, which it would need to undo the first rows if the last one fails. */
    const char *verb = table < &tables[TABLE_EVENT_FIRST] ? "REPLACE" : "INSERT OR FAIL";
    if (!append(sql, size_bytes, &length, "%s INTO \"%s\" (", verb, table->name) ||
        !append_columns(table, sql, size_bytes, &length) || !append(sql, size_bytes, &length, ") VALUES "))
        return false;
    for (unsigned row = 0; row < rows; row++)
        for (size_t i = 0; i < table->column_count; i++)
            if (!append(sql, size_bytes, &length, "%s?%s",
                        i     ? ","
                        : row ? ",("
                              : "(",
                        i + 1 == table->column_count ? ")" : ""))
                return false;
    return true;
}

bool recording_select_sql(const struct record_table *table, char *sql, size_t size_bytes)
{
    size_t length = 0;
    return append(sql, size_bytes, &length, "SELECT ") && append_columns(table, sql, size_bytes, &length) &&
           append(sql, size_bytes, &length, " FROM \"%s\" NOT INDEXED WHERE id > ? ORDER BY id", table->name);
}
