/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A seed makes the same session with every compiler: rows are filled field by field, since C leaves open in
 * which order the expressions of one initialiser, call or sum are evaluated.
 */
#include "tests/shared/made/made_session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random ---- */
uint64_t made_random(struct maker *maker, uint64_t below)
{
    uint64_t x = maker->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (x ^ (x >> 31)) % below;
}

static uint32_t random_u32(struct maker *maker)
{
    /* Small ones, and now and then any. */
    return (uint32_t)made_random(maker, made_random(maker, 8) ? 100 : UINT64_C(1) << 32);
}

static uint32_t random_string(struct maker *maker)
{
    static const char bytes[] = "abc<>:,~ \x1b[\x07\x01\xc3\xa9\xff\xfe_0";
    char text[40];
    size_t size = made_random(maker, sizeof text);
    for (size_t i = 0; i < size; i++)
        text[i] = bytes[made_random(maker, sizeof bytes - 1)];
    return session_add_string(maker->session, text, size);
}

static double random_double(struct maker *maker)
{
    switch (made_random(maker, 5)) {
    case 0: return NAN;
    case 1: return (double)made_random(maker, 1000);
    case 2: return -1.0 / (double)(1 + made_random(maker, 1000));
    case 3: return INFINITY;
    default: return (double)made_random(maker, UINT64_C(1) << 60) * 1e-3;
    }
}

/* A row of a table, or NONE now and then when `optional`. */
static uint32_t random_row(struct maker *maker, uint32_t count, bool optional)
{
    return count == 0 || (optional && made_random(maker, 10) == 0) ? NONE
                                                                   : (uint32_t)made_random(maker, count);
}

static uint32_t own_id(struct maker *maker)
{
    return made_random(maker, 6) ? random_u32(maker) : NONE;
}

/* ---- tables ---- */
static void add_process(struct maker *maker)
{
    struct process_row row = {.start_ns = maker->now_ns, .end_ns = INT64_MIN, .exit_status = -1};
    row.pid = (int32_t)random_u32(maker);
    row.parent_pid = (int32_t)made_random(maker, 5000);
    row.rank = (int32_t)made_random(maker, 4) - 1;
    row.host = random_string(maker);
    row.program = random_string(maker);
    row.command = made_random(maker, 2) ? random_string(maker) : 0;
    row.role = (uint8_t)made_random(maker, 3);
    row.mode = (uint8_t)made_random(maker, 2);
    session_add_process(maker->session, &row);
}

static void add_device(struct maker *maker)
{
    struct device_row row = {.info = {.compute_capability = 90, .copy_engines = 3, .driver_version = 13000}};
    row.process = random_row(maker, session_process_count(maker->session), false);
    row.ordinal = (uint32_t)made_random(maker, 8);
    row.info.multiprocessors = random_u32(maker);
    row.info.l2_bytes = random_u32(maker);
    row.info.memory_bytes = made_random(maker, UINT64_C(1) << 50);
    snprintf(row.info.name, sizeof row.info.name, "GPU %u \x1b[31m", (unsigned)made_random(maker, 10));
    snprintf(row.info.chip, sizeof row.info.chip, "GH100");
    for (size_t i = 0; i < sizeof row.info.uuid; i++)
        row.info.uuid[i] = (uint8_t)made_random(maker, 256);
    session_add_device(maker->session, &row);
}

static void add_run(struct maker *maker)
{
    struct run_row row = {.start_ns = maker->now_ns, .end_ns = INT64_MIN, .verified = -1};
    row.process = random_row(maker, session_process_count(maker->session), false);
    row.device = random_row(maker, session_device_count(maker->session), true);
    row.group = (uint32_t)made_random(maker, 4);
    row.workload = random_string(maker);
    row.variant = random_string(maker);
    row.params = random_string(maker);
    row.program = random_string(maker);
    row.mode = (uint8_t)made_random(maker, 2);
    row.clock = (uint8_t)made_random(maker, 2);
    row.effective_bytes = random_double(maker);
    row.effective_kernel = random_string(maker);
    session_add_run(maker->session, &row);
}

static void add_kernel(struct maker *maker)
{
    struct shape_row shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    shape.name = random_string(maker);
    shape.mangled = random_string(maker);
    shape.grid[0] = random_u32(maker);
    shape.block[0] = (uint16_t)made_random(maker, 1025);
    shape.cluster[2] = (uint16_t)made_random(maker, 2);
    shape.registers_per_thread = (uint16_t)made_random(maker, 256);
    shape.flags = (uint16_t)made_random(maker, 2);
    shape.dynamic_shared_bytes = random_u32(maker);
    shape.shared_config_bytes = random_u32(maker);
    uint32_t row = session_add_shape(maker->session, &shape);
    uint32_t run = random_row(maker, session_run_count(maker->session), true);
    uint32_t device = random_row(maker, session_device_count(maker->session), true);
    session_add_kernel(maker->session, run, row, device);
}

static void add_track_of(struct maker *maker, uint8_t kind)
{
    struct track_row row = {.kind = kind};
    row.clock = (uint8_t)made_random(maker, 2);
    row.flags = (uint8_t)made_random(maker, 8);
    row.process = random_row(maker, session_process_count(maker->session), false);
    row.device = random_row(maker, session_device_count(maker->session), true);
    row.context = own_id(maker);
    row.stream = own_id(maker);
    row.thread = own_id(maker);
    row.priority = (int32_t)made_random(maker, 6) - 3;
    session_add_track(maker->session, &row);
}

static void add_track(struct maker *maker)
{
    /* Copy engines come by themselves, with the copies of streams. */
    static const uint8_t kinds[] = {TRACK_STREAM, TRACK_STREAM, TRACK_STREAM,   TRACK_CALLS,
                                    TRACK_RANGES, TRACK_SYNCS,  TRACK_OVERHEAD, TRACK_MEASUREMENTS};
    add_track_of(maker, kinds[made_random(maker, sizeof kinds)]);
}

static void add_measurement(struct maker *maker)
{
    struct value_row values[8];
    struct measurement_row row = {.start_ns = maker->now_ns, .end_ns = maker->now_ns + 1000};
    row.kernel = random_row(maker, session_kernel_count(maker->session), false);
    row.correlation = random_u32(maker);
    row.context = own_id(maker);
    row.stream = own_id(maker);
    row.passes = (uint32_t)made_random(maker, 12);
    row.values = (uint32_t)made_random(maker, 9);
    for (uint32_t v = 0; v < row.values; v++) {
        values[v].counter = random_string(maker);
        values[v].number = random_double(maker);
    }
    if (row.kernel != NONE)
        session_add_measurement(maker->session, &row, values);
}

static void set_open(struct maker *maker)
{
    struct open_launch open[5];
    size_t count = made_random(maker, 6);
    for (size_t i = 0; i < count; i++) {
        open[i] = (struct open_launch){.track = random_row(maker, session_track_count(maker->session), true)};
        open[i].correlation = random_u32(maker);
        open[i].thread = random_u32(maker);
        open[i].shape = random_row(maker, session_shape_count(maker->session), true);
        open[i].call_start_ns =
            maker->now_ns - 1000000 + 1000 * (int64_t)i + (int64_t)made_random(maker, 100);
    }
    session_set_open_launches(maker->session, random_row(maker, session_process_count(maker->session), false),
                              open, count);
}

static void add_leaf(struct maker *maker)
{
    struct session *session = maker->session;
    uint32_t process = random_row(maker, session_process_count(session), true);
    uint32_t run = random_row(maker, session_run_count(session), false);
    switch (made_random(maker, 6)) {
    case 0: {
        struct notice_row row = {.time_ns = maker->now_ns, .process = process};
        row.text = random_string(maker);
        row.severity = (uint8_t)made_random(maker, 3);
        row.status = (uint8_t)made_random(maker, STATUS_COUNT);
        session_add_notice(session, &row);
        break;
    }
    case 1: {
        struct bookmark_row mark = {.time_ns = maker->now_ns,
                                    .clock = (uint8_t)made_random(maker, CLOCK_COUNT)};
        snprintf(mark.text, sizeof mark.text, "mark %u \xc3\xa9", (unsigned)made_random(maker, 100));
        session_add_bookmark(session, &mark);
        struct drop_row row = {.time_ns = maker->now_ns, .process = process};
        row.count = made_random(maker, UINT64_C(1) << 40);
        row.kind = (uint32_t)made_random(maker, 20);
        row.reason = (uint32_t)made_random(maker, 5);
        session_add_drop(session, &row);
        break;
    }
    case 2: {
        struct expected_row row = {.run = run};
        row.kernel_name = random_string(maker);
        row.metric = random_string(maker);
        row.why = random_string(maker);
        row.number = random_double(maker);
        session_add_expected(session, &row);
        break;
    }
    case 3: {
        int verified = (int)made_random(maker, 3) - 1;
        session_end_run(session, run, maker->now_ns, (int8_t)verified, random_string(maker));
        break;
    }
    case 4:
        if (process != NONE)
            session_end_process(session, process, maker->now_ns, (int32_t)made_random(maker, 200) - 1);
        break;
    default:
        if (process != NONE)
            session_set_process_command(session, process, random_string(maker));
        break;
    }
}

/* ---- events ---- */
/* A call that asks for work, which then may come, or not. */
static void ask(struct maker *maker, struct item *item, uint32_t process, int64_t start_ns, int64_t end_ns)
{
    item->b = (uint8_t)(CALL_LAUNCH + made_random(maker, 3));
    item->correlation = ++maker->correlation;
    item->flags = made_random(maker, 10) == 0;
    item->call.result = made_random(maker, 10) == 0;
    maker->calls[maker->call_count++ % MADE_CALLS] =
        (struct made_call){.process = process,
                           .correlation = item->correlation,
                           .duration_ns = (uint32_t)(end_ns - start_ns),
                           .start_ns = start_ns,
                           .category = item->b};
}

/* The work that a call asked for: mostly the oldest that is left. */
static void answer(struct maker *maker, struct item *item, uint32_t process)
{
    static const uint8_t kinds[] = {
        [CALL_LAUNCH] = ITEM_LAUNCH, [CALL_COPY] = ITEM_COPY, [CALL_SET] = ITEM_SET};
    uint64_t start = made_random(maker, 4) ? maker->call_count : made_random(maker, MADE_CALLS);
    for (uint64_t i = 0; i < MADE_CALLS; i++) {
        struct made_call *call = &maker->calls[(start + i) % MADE_CALLS];
        if (call->correlation == 0 || call->process != process)
            continue;
        item->kind = kinds[call->category];
        item->correlation = call->correlation;
        item->launch.call_start_ns = call->start_ns + (made_random(maker, 20) == 0);
        item->launch.call_duration_ns = call->duration_ns;
        if (made_random(maker, 8))
            call->correlation = 0; /* else more of it follows, as of a graph */
        return;
    }
}

static void set_call(struct maker *maker, struct item *item, int64_t start_ns)
{
    item->launch.call_start_ns =
        made_random(maker, 5) ? start_ns - (int64_t)made_random(maker, 100000) + 50 : INT64_MIN;
    item->launch.call_duration_ns = random_u32(maker);
    item->launch.call_thread = random_u32(maker);
}

static struct item random_item(struct maker *maker, uint8_t track_kind, uint32_t process, int64_t start_ns,
                               int64_t end_ns)
{
    struct item item = {.correlation = random_u32(maker)};
    item.flags = (uint8_t)made_random(maker, 8);
    switch (track_kind) {
    case TRACK_STREAM:
        item.kind = (uint8_t)(made_random(maker, 4) ? ITEM_LAUNCH : ITEM_COPY + made_random(maker, 2));
        set_call(maker, &item, start_ns);
        if (made_random(maker, 3))
            answer(maker, &item, process);
        if (item.kind == ITEM_LAUNCH) {
            item.launch.kernel = random_row(maker, session_kernel_count(maker->session), true);
            item.launch.graph = made_random(maker, 4) ? 0 : random_u32(maker);
        } else {
            item.a = (uint8_t)made_random(maker, item.kind == ITEM_COPY ? 4 : 6);
            item.b = item.kind == ITEM_COPY ? (uint8_t)made_random(maker, 6) : 0;
            if (item.kind == ITEM_COPY)
                item.b |= (uint8_t)(made_random(maker, 6) << 4);
            item.copy.size_bytes = made_random(maker, UINT64_C(1) << 62);
        }
        break;
    case TRACK_CALLS:
        item.kind = ITEM_CALL;
        item.a = (uint8_t)made_random(maker, 3);
        item.b = (uint8_t)made_random(maker, 8);
        item.call.name = random_string(maker);
        item.call.result = (int32_t)made_random(maker, 5) - 2;
        item.call.context = own_id(maker);
        item.call.stream = own_id(maker);
        if (made_random(maker, 3))
            ask(maker, &item, process, start_ns, end_ns);
        break;
    case TRACK_RANGES:
        item.kind = ITEM_RANGE;
        item.range.name = random_string(maker);
        item.range.domain = random_string(maker);
        item.range.color = random_u32(maker);
        item.range.depth = (uint32_t)made_random(maker, 5);
        item.range.payload = random_double(maker);
        break;
    case TRACK_SYNCS:
        item.kind = ITEM_SYNC;
        item.a = (uint8_t)made_random(maker, 5);
        item.sync.context = own_id(maker);
        item.sync.stream = own_id(maker);
        item.sync.thread = own_id(maker);
        break;
    case TRACK_MEASUREMENTS:
        item.kind = ITEM_MEASUREMENT;
        item.measurement.measurement = random_row(maker, session_measurement_count(maker->session), false);
        break;
    default:
        item.kind = ITEM_OVERHEAD;
        item.overhead.name = random_string(maker);
        break;
    }
    return item;
}

static void add_event(struct maker *maker)
{
    uint32_t track = random_row(maker, session_track_count(maker->session), false);
    uint8_t kind = session_track(maker->session, track)->kind;
    if (kind == TRACK_COPY_ENGINE ||
        (kind == TRACK_MEASUREMENTS && session_measurement_count(maker->session) == 0))
        return;
    int64_t steps = (int64_t)made_random(maker, 4);
    maker->now_ns += steps * (int64_t)made_random(maker, made_random(maker, 20) ? 10 : 5000000);
    int64_t end_ns = maker->now_ns - (made_random(maker, 20) ? 0 : (int64_t)made_random(maker, 300));
    int64_t start_ns = end_ns - (int64_t)made_random(maker, made_random(maker, 3) ? 4 : 200);
    struct item item =
        random_item(maker, kind, session_track(maker->session, track)->process, start_ns, end_ns);
    session_add_event(maker->session, track, start_ns, end_ns, &item);
}

/* ---- samples ---- */
static void add_sampling(struct maker *maker)
{
    static const char *const names[] = {"sm__warps_active.avg.pct_of_peak_sustained_active",
                                        "dram__read_throughput.avg.pct_of_peak_sustained_elapsed",
                                        "model.dram_write_bytes_per_second", "a name of nobody's"};
    uint32_t strings[SAMPLING_SERIES_MAX];
    struct sampling_row row = {.interval_ns = 1000};
    row.process = random_row(maker, session_process_count(maker->session), false);
    row.device = random_row(maker, session_device_count(maker->session), true);
    row.series = (uint16_t)(1 + made_random(maker, made_random(maker, 3) ? 12 : SAMPLING_SERIES_MAX));
    row.clock = (uint8_t)made_random(maker, CLOCK_COUNT);
    row.flags = (uint8_t)made_random(maker, 2);
    for (uint32_t i = 0; i < row.series; i++) {
        const char *name = names[made_random(maker, 4)];
        strings[i] = session_add_string(maker->session, name, strlen(name));
    }
    sampling_add(maker->session, &row, strings);
}

/* A sample of the newest sampling of its clock, up to now or before. */
static void add_sample(struct maker *maker)
{
    float numbers[SAMPLING_SERIES_MAX];
    uint32_t sampling = sampling_count(maker->session) - 1;
    const struct sampling_row *row = sampling_at(maker->session, sampling);
    int64_t *sampled_ns = &maker->sampled_ns[row->clock];
    int64_t start_ns = *sampled_ns + (made_random(maker, 5) ? 0 : (int64_t)made_random(maker, 100));
    int64_t end_ns = start_ns + 1 + (int64_t)made_random(maker, made_random(maker, 3) ? 2 : 40);
    for (uint32_t i = 0; i < row->series; i++) {
        double number = random_double(maker);
        numbers[i] = i % 3 == 0 ? 0 : (float)number;
    }
    if (end_ns > maker->now_ns)
        return;
    sample_add(maker->session, sampling, start_ns, (uint32_t)(end_ns - start_ns), numbers);
    *sampled_ns = end_ns;
}

static void add_samples(struct maker *maker)
{
    uint64_t state = maker->state;
    maker->state = maker->sample_state;
    if (made_random(maker, 200) == 0)
        add_sampling(maker);
    if (sampling_count(maker->session) > 0)
        add_sample(maker);
    maker->sample_state = maker->state;
    maker->state = state;
}

void maker_init(struct maker *maker, uint64_t seed)
{
    *maker = (struct maker){
        .state = seed, .code_state = seed, .sample_state = ~seed, .sampled_ns = {-700, -700}, .now_ns = -500};
    session_create(&maker->session, INT64_C(1790000000000000000) + (int64_t)seed, NULL);
    add_process(maker);
    add_device(maker);
    add_run(maker);
    for (int i = 0; i < 4; i++)
        add_kernel(maker);
    for (uint8_t kind = 0; kind < TRACK_KIND_COUNT; kind++)
        if (kind != TRACK_COPY_ENGINE)
            add_track_of(maker, kind);
}

void maker_grow(struct maker *maker, size_t rows)
{
    made_code_grow(maker, rows / 20 + 1);
    while (rows-- > 0) {
        switch (made_random(maker, 60)) {
        case 0: add_leaf(maker); break;
        case 1: add_measurement(maker); break;
        case 2: set_open(maker); break;
        case 3:
            if (session_track_count(maker->session) < 30)
                add_track(maker);
            break;
        case 4: add_kernel(maker); break;
        case 5:
            if (made_random(maker, 5) == 0) {
                add_process(maker);
                add_device(maker);
                add_run(maker);
            }
            break;
        default: add_event(maker); break;
        }
        add_samples(maker);
    }
    session_set_now(maker->session, CLOCK_WALL, maker->now_ns + 7);
    session_set_now(maker->session, CLOCK_MODEL, maker->now_ns + 9);
}

void maker_end(struct maker *maker)
{
    for (uint32_t p = 0; p < session_process_count(maker->session); p++) {
        session_end_process(maker->session, p, maker->now_ns, 0);
        session_set_open_launches(maker->session, p, NULL, 0);
    }
    for (uint32_t r = 0; r < session_run_count(maker->session); r++)
        session_end_run(maker->session, r, maker->now_ns, 1, 0);
}
