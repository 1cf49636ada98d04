#include "tests/unit/fixture_session.h"
#include "tests/unit/fixture_accesses.h"

#include "core/metric.h"
#include "core/metric_counters.h"
#include "tests/unit/fixture_extremes.h"
#include "tests/unit/fixture_model.h"
#include "tests/unit/fixture_roofline.h"
#include "tests/unit/fixture_samples.h"
#include "tests/unit/fixture_source.h"
#include "tests/unit/fixture_timeline.h"
#include "tests/unit/fixture_workloads.h"
#include "tests/unit/made_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t string(struct fixture *f, const char *text)
{
    return session_add_string(f->session, text, strlen(text));
}

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* ---- the host ---- */

static struct session *host_session(void *context)
{
    return ((struct fixture *)context)->session;
}

static void host_state(void *context, struct tui_host_state *state)
{
    *state = ((struct fixture *)context)->state;
}

static enum status host_run(void *context, const char *spec, struct error *error)
{
    struct fixture *f = context;
    snprintf(f->ran, sizeof f->ran, "%s", spec);
    if (strstr(spec, "wrong") != NULL)
        return error_set(error, STATUS_USAGE,
                         "There is no workload 'wrong': `lanescope list` names them all.");
    return STATUS_OK;
}

static enum status host_run_lines(void *context, const char *spec, struct error *error)
{
    struct fixture *f = context;
    (void)error;
    snprintf(f->ran, sizeof f->ran, "lines of %s", spec);
    return STATUS_OK;
}

static enum status host_check(void *context, const char *spec, struct error *error)
{
    (void)context;
    if (strstr(spec, "=99") != NULL)
        return error_set(error, STATUS_USAGE, "%s is outside the range.", spec);
    return STATUS_OK;
}

static enum status host_keep(void *context, const char *path, struct error *error)
{
    (void)error;
    snprintf(((struct fixture *)context)->kept, sizeof((struct fixture *)context)->kept, "%s", path);
    return STATUS_OK;
}

/* ---- rows ---- */

static void add_device(struct fixture *f)
{
    struct device_row row = {.process = f->process, .ordinal = 0};
    row.info = (struct device_info){
        .name = "NVIDIA H200",
        .chip = "GH100",
        .compute_capability = 90,
        .multiprocessors = 132,
        .max_threads_per_multiprocessor = 2048,
        .max_blocks_per_multiprocessor = 32,
        .max_threads_per_block = 1024,
        .registers_per_multiprocessor = 65536,
        .shared_bytes_per_multiprocessor = 233472,
        .shared_bytes_per_block = 49152,
        .shared_bytes_per_block_optin = 232448,
        .shared_bytes_reserved_per_block = 1024,
        .l2_bytes = 62914560,
        .memory_bus_bits = 6144,
        .memory_clock_khz = 3201000,
        .copy_engines = 3,
    };
    f->device = session_add_device(f->session, &row);
}

static uint32_t add_process(struct fixture *f, int32_t pid, const char *program, enum run_mode mode)
{
    struct process_row row = {.pid = pid,
                              .parent_pid = 1,
                              .rank = -1,
                              .host = string(f, "node7"),
                              .program = string(f, program),
                              .command = string(f, program),
                              .mode = (uint8_t)mode,
                              .clock = CLOCK_WALL};
    atomic_init(&row.end_ns, INT64_MIN);
    atomic_init(&row.exit_status, -1);
    return session_add_process(f->session, &row);
}

static uint32_t add_run(struct fixture *f, uint32_t group, enum run_mode mode, const char *workload,
                        const char *variant, const char *params, int64_t start_ns)
{
    struct run_row row = {.process = mode == RUN_TRACE ? f->process : f->counter_process,
                          .device = f->device,
                          .group = group,
                          .workload = workload != NULL ? string(f, workload) : 0,
                          .variant = string(f, variant),
                          .params = string(f, params),
                          .program = workload == NULL ? string(f, "./train --batch 64") : 0,
                          .mode = (uint8_t)mode,
                          .clock = CLOCK_WALL,
                          .start_ns = start_ns};
    atomic_init(&row.end_ns, INT64_MIN);
    atomic_init(&row.verified, (int8_t)-1);
    return session_add_run(f->session, &row);
}

static uint32_t add_shape(struct fixture *f, const char *name, uint32_t grid_x, uint32_t grid_y,
                          uint16_t block_x, uint16_t block_y, uint32_t shared_bytes)
{
    struct shape_row row = {.name = string(f, name),
                            .mangled = string(f, name),
                            .grid = {grid_x, grid_y, 1},
                            .block = {block_x, block_y, 1},
                            .cluster = {1, 1, 1},
                            .registers_per_thread = 24,
                            .static_shared_bytes = shared_bytes};
    return session_add_shape(f->session, &row);
}

static uint32_t add_track(struct fixture *f, enum track_kind kind, uint32_t process, uint32_t stream,
                          uint8_t flags)
{
    struct track_row row = {.kind = (uint8_t)kind,
                            .clock = CLOCK_WALL,
                            .flags = flags,
                            .process = process,
                            .device = kind == TRACK_RANGES ? NONE : f->device,
                            .context = 1,
                            .stream = stream,
                            .thread = kind == TRACK_RANGES || kind == TRACK_CALLS ? 4711 : 0};
    return session_add_track(f->session, &row);
}

static void add_launch(struct fixture *f, uint32_t track, uint32_t kernel, int64_t start_ns,
                       int64_t duration_ns)
{
    static uint32_t correlation;
    struct item item = {.kind = ITEM_LAUNCH, .correlation = ++correlation};
    item.launch.call_start_ns = start_ns - 6000;
    item.launch.call_duration_ns = 4100;
    item.launch.call_thread = 4711;
    item.launch.kernel = kernel;
    must(session_add_event(f->session, track, start_ns, start_ns + duration_ns, &item));
    session_set_now(f->session, CLOCK_WALL, start_ns + duration_ns);
}

static void add_copy(struct fixture *f, uint32_t track, enum copy_kind kind, int64_t start_ns,
                     uint64_t size_bytes)
{
    struct item item = {.kind = ITEM_COPY, .a = (uint8_t)kind, .b = MEMORY_PINNED | MEMORY_DEVICE << 4};
    item.copy.call_start_ns = INT64_MIN;
    item.copy.size_bytes = size_bytes;
    must(session_add_event(f->session, track, start_ns, start_ns + (int64_t)(size_bytes / 50), &item));
}

/* ---- values ---- */

struct counts { /* of one launch */
    double requests, load_sectors, store_sectors, ideal_sectors, shared, load_wavefronts, store_wavefronts;
};

static void add_measurement(struct fixture *f, uint32_t kernel, uint32_t track, const struct counts *c,
                            int64_t start_ns)
{
    struct value_row values[40];
    uint32_t count = 0;
    const struct {
        const char *counter;
        double number;
    } samples[] = {
        {COUNTER_TIME, 123456},
        {COUNTER_OCCUPANCY, 93.4},
        {COUNTER_ACTIVE_THREADS, 32},
        {COUNTER_GLOBAL_REQUESTS(ld), c->requests},
        {COUNTER_GLOBAL_REQUESTS(st), c->requests},
        {COUNTER_GLOBAL_SECTORS(ld), c->load_sectors},
        {COUNTER_GLOBAL_SECTORS(st), c->store_sectors},
        {COUNTER_GLOBAL_BYTES(ld), c->ideal_sectors * 32},
        {COUNTER_GLOBAL_BYTES(st), c->ideal_sectors * 32},
        {COUNTER_SHARED_INSTRUCTIONS(ld), c->shared},
        {COUNTER_SHARED_INSTRUCTIONS(st), c->shared},
        {COUNTER_SHARED_WAVEFRONTS(ld), c->load_wavefronts},
        {COUNTER_SHARED_WAVEFRONTS(st), c->store_wavefronts},
        {COUNTER_GENERIC(ld), 0},
        {COUNTER_GENERIC(st), 0},
        {COUNTER_LOCAL_SECTORS(ld), 0},
        {COUNTER_LOCAL_SECTORS(st), 0},
        {COUNTER_WIDTH(8), 0},
        {COUNTER_WIDTH(16), 0},
        {COUNTER_WIDTH(64), 0},
        {COUNTER_WIDTH(128), 0},
        {COUNTER_DRAM_READ, c->ideal_sectors * 32},
        {COUNTER_DRAM_WRITE, c->ideal_sectors * 31},
        {COUNTER_L1_HIT, 12.5},
        {COUNTER_L2_HIT, 49.9},
    };
    for (; count < sizeof samples / sizeof samples[0]; count++)
        values[count] =
            (struct value_row){.counter = string(f, samples[count].counter), .number = samples[count].number};
    struct measurement_row row = {.kernel = kernel,
                                  .context = 1,
                                  .stream = 7,
                                  .passes = 4,
                                  .values = count,
                                  .start_ns = start_ns,
                                  .end_ns = start_ns + 900000};
    uint32_t measurement = session_add_measurement(f->session, &row, values);
    struct item item = {.kind = ITEM_MEASUREMENT};
    item.measurement.measurement = measurement;
    must(session_add_event(f->session, track, start_ns, start_ns + 900000, &item));
    session_set_now(f->session, CLOCK_WALL, start_ns + 900000);
}

static void add_expected(struct fixture *f, uint32_t run, const char *kernel, const char *metric,
                         double number)
{
    struct expected_row row = {
        .run = run, .kernel_name = string(f, kernel), .metric = string(f, metric), .number = number};
    must(session_add_expected(f->session, &row) != NONE);
}

static void add_expectations(struct fixture *f, uint32_t run, const char *kernel, const struct counts *c)
{
    add_expected(f, run, kernel, "global_load_requests", c->requests);
    add_expected(f, run, kernel, "global_load_sectors", c->load_sectors);
    add_expected(f, run, kernel, "global_load_ideal_sectors", c->ideal_sectors);
    add_expected(f, run, kernel, "global_load_excess_sectors", c->load_sectors - c->ideal_sectors);
    add_expected(f, run, kernel, "global_load_sectors_per_request", c->load_sectors / c->requests);
    add_expected(f, run, kernel, "global_store_requests", c->requests);
    add_expected(f, run, kernel, "global_store_sectors", c->store_sectors);
    add_expected(f, run, kernel, "global_store_ideal_sectors", c->ideal_sectors);
    add_expected(f, run, kernel, "global_store_excess_sectors", c->store_sectors - c->ideal_sectors);
    add_expected(f, run, kernel, "global_store_sectors_per_request", c->store_sectors / c->requests);
    add_expected(f, run, kernel, "shared_load_instructions", c->shared);
    add_expected(f, run, kernel, "shared_load_wavefronts", c->load_wavefronts);
    add_expected(f, run, kernel, "shared_load_ideal_wavefronts", c->shared);
    add_expected(f, run, kernel, "shared_load_conflicts", c->load_wavefronts - c->shared);
    add_expected(f, run, kernel, "shared_store_instructions", c->shared);
    add_expected(f, run, kernel, "shared_store_wavefronts", c->store_wavefronts);
    add_expected(f, run, kernel, "shared_store_ideal_wavefronts", c->shared);
    add_expected(f, run, kernel, "shared_store_conflicts", c->store_wavefronts - c->shared);
}

/* ---- contents ---- */

/* One variant of a workload: a copy in, launches, a copy out; then the counter run of three launches. */
static void add_variant(struct fixture *f, uint32_t group, const char *workload, const char *variant,
                        const char *params, const char *kernel_name, int64_t mean_ns,
                        const struct counts *counts, bool wrong)
{
    int64_t at = 2000000 + (int64_t)group * 12000000;
    uint32_t stream = add_track(f, TRACK_STREAM, f->process, 7, 0);
    uint32_t replay = add_track(f, TRACK_MEASUREMENTS, f->counter_process, 7, 0);
    uint32_t shape = add_shape(f, kernel_name, 256, 256, 32, 8, counts->shared > 0 ? 4096 : 0);
    uint32_t run = add_run(f, group, RUN_TRACE, workload, variant, params, at);
    uint32_t kernel = session_add_kernel(f->session, run, shape, f->device);
    add_expectations(f, run, kernel_name, counts);
    add_copy(f, stream, COPY_HTOD, at + 100000, 64 << 20);
    int64_t launch = at + 100000 + (64 << 20) / 50 + 250000;
    for (int i = 0; i < 20; i++) {
        int64_t duration = mean_ns + (i * 7919 % 13 - 6) * mean_ns / 400;
        add_launch(f, stream, kernel, launch, duration);
        launch += duration + 3200;
    }
    add_copy(f, stream, COPY_DTOH, launch + 40000, 64 << 20);
    session_end_run(f->session, run, launch + 40000 + (64 << 20) / 50 + 90000, wrong ? 0 : 1,
                    wrong ? string(f, "element (3, 17): expected 1041, found 0") : 0);
    int64_t replayed = 400000000 + (int64_t)group * 5000000;
    run = add_run(f, group, RUN_COUNTERS, workload, variant, params, replayed);
    kernel = session_add_kernel(f->session, run, shape, f->device);
    add_expectations(f, run, kernel_name, counts);
    for (int i = 0; i < 3; i++)
        add_measurement(f, kernel, replay, counts, replayed + 100000 + i * 1000000);
    session_end_run(f->session, run, replayed + 4000000, wrong ? 0 : 1, 0);
}

static void add_workloads(struct fixture *f)
{
    const double r = 2097152;
    add_variant(f, 0, "transpose", "naive", "n=8192", "transpose_naive", 412000,
                &(struct counts){r, 4 * r, 32 * r, 4 * r, 0, 0, 0}, false);
    add_variant(f, 1, "transpose", "tile", "n=8192", "transpose_tile", 168000,
                &(struct counts){r, 4 * r, 4 * r, 4 * r, r, 32 * r, r}, false);
    add_variant(f, 2, "transpose", "pad", "n=8192", "transpose_pad", 121000,
                &(struct counts){r, 4 * r, 4 * r, 4 * r, r, r, r}, false);
    for (uint32_t offset = 0; offset < 5; offset++) {
        char params[40];
        bool straight = offset % 8 == 0;
        snprintf(params, sizeof params, "offset=%u,n=67108864", offset);
        add_variant(f, 3 + offset, "copy-offset", "offset", params, "copy_offset", straight ? 141000 : 148000,
                    &(struct counts){r, straight ? 4 * r : 5 * r, straight ? 4 * r : 5 * r, 4 * r, 0, 0, 0},
                    offset == 4);
    }
    const struct notice_row notice = {
        .time_ns = 399000000,
        .text = string(f, "Kernels are run one after the other while counters are taken."),
        .process = f->counter_process,
        .severity = SEVERITY_INFO};
    session_add_notice(f->session, &notice);
    session_end_process(f->session, f->process, 110000000, 0);
    session_end_process(f->session, f->counter_process, 460000000, 0);
    f->state = (struct tui_host_state){.overhead_pct = 3.4};
    f->host.title = "all.lsr";
    f->host.run = NULL;
}

static void add_range(struct fixture *f, uint32_t track, const char *name, int64_t start_ns, int64_t end_ns,
                      uint32_t depth)
{
    struct item item = {.kind = ITEM_RANGE};
    item.range.name = string(f, name);
    item.range.depth = depth;
    must(session_add_event(f->session, track, start_ns, end_ns, &item));
}

static void add_program(struct fixture *f)
{
    static const char *const names[] = {
        "void gemm_tiles<float, 128, 128, 8>(float const*, float const*, float*, int, int, int)",
        "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)",
        "softmax_forward(float*, float const*, int)",
        ("evil\x1b[2J\xe2\x80\xae"
         "txet\xff(int)"),
        "\xe7\xbc\x96\xe7\xa0\x81_kernel(float*)",
    };
    uint32_t run = add_run(f, 0, RUN_TRACE, NULL, "", "", 0), kernels[5], streams[4];
    for (int i = 0; i < 5; i++)
        kernels[i] = session_add_kernel(f->session, run, add_shape(f, names[i], 64, 8, 128, 1, 0), f->device);
    uint32_t ranges = add_track(f, TRACK_RANGES, f->process, 0, 0);
    for (uint32_t i = 0; i < 4; i++)
        streams[i] = add_track(f, TRACK_STREAM, f->process, i == 0 ? 7 : 12 + i, i == 0 ? STREAM_DEFAULT : 0);
    int64_t at = 1000000;
    for (int step = 0; step < 40; step++) {
        int64_t begin = at;
        add_copy(f, streams[3], COPY_HTOD, at, 8 << 20);
        for (int i = 0; i < 24; i++) {
            uint32_t stream = streams[i % 3];
            int64_t duration = i % 5 == 0 ? 180000 : i % 5 == 1 ? 21000 : 9000 + i * 700;
            add_launch(f, stream, kernels[i % 5], at + i * 41000, duration > 120000 ? 118000 : duration);
        }
        at += 24 * 41000 + 60000;
        add_copy(f, streams[3], COPY_DTOH, at - 50000, 1 << 20);
        add_range(f, ranges, "forward", begin, begin + 600000, 0);
        add_range(f, ranges, "backward", begin + 600000, at - 30000, 0);
    }
    struct open_launch open = {.process = f->process,
                               .track = streams[1],
                               .correlation = 99999,
                               .thread = 4711,
                               .shape = session_kernel(f->session, kernels[0])->shape,
                               .call_start_ns = at + 20000};
    session_set_open_launches(f->session, f->process, &open, 1);
    session_set_now(f->session, CLOCK_WALL, at + 900000);
    const struct drop_row drop = {.time_ns = 9000000,
                                  .count = 1234,
                                  .process = f->process,
                                  .kind = EVENT_CALL,
                                  .reason = DROP_RING_FULL};
    session_add_drop(f->session, &drop);
    const struct notice_row notice = {
        .time_ns = 20000000,
        .text = string(f, "No permission for hardware counters: ask the administrator to set "
                          "NVreg_RestrictProfilingToAdminUsers=0."),
        .process = NONE,
        .severity = SEVERITY_WARNING};
    session_add_notice(f->session, &notice);
    f->state = (struct tui_host_state){.live = true, .overhead_pct = 4.8, .lag_rows = 310, .dropped = 1234};
    snprintf(f->state.text, sizeof f->state.text, "recording to run.lsr");
    f->host.title = "./train --batch 64";
}

/* A GPU that works hard; it has no ECC counters. */
static void host_health(void *context, const uint8_t uuid[16], struct device_health *health)
{
    (void)context, (void)uuid;
    device_health_none(health, "");
    health->available = health->processes_known = true;
    health->gpu_use_pct = 97;
    health->core_clock_mhz = 1755;
    health->core_clock_max_mhz = 1980;
    health->power_mw = 655000;
    health->power_limit_mw = 700000;
    health->temperature_c = 61;
    health->memory_used_bytes = INT64_C(12754820096);
    health->memory_total_bytes = INT64_C(150754820096);
    health->process_count = 2;
    health->processes[0] = (struct health_process){4711, 512000000, "./train\x1b[31m"};
    health->processes[1] = (struct health_process){4712, HEALTH_UNKNOWN, ""};
}

void fixture_init(struct fixture *f, enum fixture_content content)
{
    struct error error;
    memset(f, 0, sizeof *f);
    bool both = content == FIXTURE_BOTH || content == FIXTURE_LINES;
    if (both || content == FIXTURE_MODEL)
        f->session = fixture_model_session(both);
    else
        must(session_create(&f->session, INT64_C(1700000000000000000), &error) == STATUS_OK);
    f->host = (struct tui_host){.context = f,
                                .session = host_session,
                                .state = host_state,
                                .run = host_run,
                                .check = host_check,
                                .source = fixture_source,
                                .accesses = fixture_accesses,
                                .keep = host_keep,
                                .title = "workloads"};
    f->state.overhead_pct = -1;
    if (content == FIXTURE_MODEL || content == FIXTURE_MODEL_LIST) {
        f->host.model = "NVIDIA H200";
        f->host.note = "Device model of NVIDIA H200: its numbers are modelled, not measured. Problems are "
                       "small; --size default takes the full ones.";
    }
    if (content == FIXTURE_LINES)
        made_lines_add(f->session, 0, FIXTURE_SOURCE_PATH, 3, fixture_source_text);
    if (both) {
        f->host.run = NULL;
        f->host.title = "both.lsr";
    }
    if (f->host.run != NULL && f->host.model == NULL)
        f->host.run_lines = host_run_lines;
    if (content == FIXTURE_WORKLOADS || content == FIXTURE_PROGRAM) {
        f->process = add_process(f, 4711, "./train", RUN_TRACE);
        f->counter_process = add_process(f, 4712, "./train", RUN_COUNTERS);
        add_device(f);
    }
    if (content == FIXTURE_WORKLOADS)
        add_workloads(f);
    if (content == FIXTURE_TIMELINE || content == FIXTURE_SAMPLED || content == FIXTURE_UNSAMPLED)
        fixture_timeline_fill(f->session);
    if (content == FIXTURE_SAMPLED)
        fixture_samples_fill(f->session);
    if (content == FIXTURE_UNSAMPLED)
        fixture_unsampled_fill(f->session,
                               "Chip GA100 samples its counters by its own clock, whose frequency varies, "
                               "and not by time, as Ampere's GA10x and later do.");
    if (content == FIXTURE_WATCH) {
        fixture_watch_fill(f->session);
        f->host.watch = true;
        f->host.health = host_health;
        f->host.run = NULL;
        f->host.title = "watch";
        f->state.live = true;
    }
    if (content == FIXTURE_ROOFLINE)
        fixture_roofline_fill(f->session);
    if (content == FIXTURE_EXTREMES)
        fixture_extremes_fill(f->session);
    if (content == FIXTURE_PROGRAM) {
        add_program(f);
        f->host.health = host_health;
    }
    if (content != FIXTURE_PROGRAM) {
        f->host.workloads = fixture_workloads;
        f->host.workload_count = FIXTURE_WORKLOAD_COUNT;
    }
}

void fixture_fini(struct fixture *f)
{
    session_destroy(f->session);
    f->session = NULL;
}
