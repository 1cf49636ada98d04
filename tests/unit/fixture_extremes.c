#include "tests/unit/fixture_extremes.h"

#include "core/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double extremes[] = {0,       0.00123, 0.9996,   9.994,   99.96,   999.6, 12345, 98765432.0,
                                  29.4e12, 11.7e12, 1.234e15, 9.87e18, 66912e9, 5.5,   1e9,   123456789};
#define EXTREMES ((int)(sizeof extremes / sizeof extremes[0]))
static const int64_t times_ns[] = {1, 999, 1000, 99960, 123456789, 9999999999, 86400000000000};

struct place {
    struct session *session;
    uint32_t process, device, track;
    bool model;
    int64_t now_ns;
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static uint32_t string(struct session *session, const char *text)
{
    return session_add_string(session, text, strlen(text));
}

static struct place place_open(struct session *session, bool model)
{
    struct place place = {.session = session, .model = model, .now_ns = 1000};
    uint8_t clock = model ? CLOCK_MODEL : CLOCK_WALL;
    place.process =
        session_add_process(session, &(struct process_row){.pid = 2147483000 + model,
                                                           .rank = -1,
                                                           .program = string(session, "lanescope"),
                                                           .mode = RUN_TRACE,
                                                           .clock = clock,
                                                           .end_ns = INT64_MIN});
    const struct device_row device = {.process = place.process,
                                      .info = {.name = "NVIDIA H200",
                                               .chip = "GH100",
                                               .is_model = model,
                                               .compute_capability = 90,
                                               .multiprocessors = 132,
                                               .max_threads_per_multiprocessor = 2048,
                                               .max_blocks_per_multiprocessor = 32,
                                               .max_threads_per_block = 1024,
                                               .registers_per_multiprocessor = 65536,
                                               .shared_bytes_per_multiprocessor = 233472,
                                               .shared_bytes_per_block = 49152,
                                               .memory_bus_bits = 6016,
                                               .memory_clock_khz = 3201000,
                                               .core_clock_khz = 1980000}};
    place.device = session_add_device(session, &device);
    place.track = session_add_track(session, &(struct track_row){.kind = TRACK_STREAM,
                                                                 .process = place.process,
                                                                 .device = place.device,
                                                                 .clock = clock,
                                                                 .context = 1,
                                                                 .stream = 4294967290u});
    return place;
}

/* What the n-th run has of a metric; NaN: nothing. */
static double extreme_of(int metric, int n)
{
    return (metric + n) % 19 == 5 ? (double)NAN : extremes[(metric * 5 + n) % EXTREMES];
}

static void measure(const struct place *place, uint32_t kernel, int n)
{
    struct value_row values[METRIC_COUNT];
    uint32_t count = 0;
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        char name[120];
        double number = extreme_of(metric, n);
        snprintf(name, sizeof name, METRIC_MODEL_PREFIX "%s", metric_info((enum metric)metric)->id);
        if (metric != METRIC_time_ns && !isnan(number))
            values[count++] = (struct value_row){string(place->session, name), number};
    }
    const struct measurement_row row = {.kernel = kernel, .passes = 1, .values = count, .end_ns = 1000};
    must(session_add_measurement(place->session, &row, values) != NONE);
}

static void expect(const struct place *place, uint32_t run, const char *kernel, int n)
{
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        const struct expected_row row = {
            .run = run,
            .kernel_name = string(place->session, kernel),
            .metric = string(place->session, metric_info((enum metric)metric)->id),
            .number = extreme_of(metric, n + 3),
            .why = string(place->session, "the data decides which addresses are touched")};
        must(session_add_expected(place->session, &row) != NONE);
    }
}

static void add_copy(struct place *place, uint64_t size_bytes, int64_t ns)
{
    struct item item = {.kind = ITEM_COPY, .a = COPY_HTOD, .b = MEMORY_PINNED | MEMORY_DEVICE << 4};
    item.copy.call_start_ns = INT64_MIN;
    item.copy.size_bytes = size_bytes;
    must(session_add_event(place->session, place->track, place->now_ns, place->now_ns + ns, &item));
    place->now_ns += ns;
}

static void add_run(struct place *place, int n, const char *workload, const char *variant, const char *params,
                    const char *kernel_name)
{
    struct session *session = place->session;
    int64_t start_ns = place->now_ns;
    add_copy(place, n % 2 == 0 ? 1 : UINT64_MAX, times_ns[n % 4]);
    const struct shape_row shape = {.name = string(session, kernel_name),
                                    .grid = {2147483647, 65535, 65535},
                                    .block = {1024, 1, 1},
                                    .registers_per_thread = 255,
                                    .dynamic_shared_bytes = 232448};
    const struct run_row row = {.process = place->process,
                                .device = place->device,
                                .group = (uint32_t)n,
                                .workload = string(session, workload),
                                .variant = string(session, variant),
                                .params = string(session, params),
                                .mode = RUN_TRACE,
                                .clock = place->model ? CLOCK_MODEL : CLOCK_WALL,
                                .start_ns = start_ns,
                                .end_ns = INT64_MIN,
                                .verified = 1};
    uint32_t run = session_add_run(session, &row),
             kernel = session_add_kernel(session, run, session_add_shape(session, &shape), place->device);
    must(kernel != NONE);
    expect(place, run, kernel_name, n);
    for (int i = 0; i < 3; i++) {
        int64_t ns = times_ns[(n + i * n) % (int)(sizeof times_ns / sizeof times_ns[0])];
        struct item item = {.kind = ITEM_LAUNCH};
        item.launch.kernel = kernel;
        item.launch.call_start_ns = INT64_MIN;
        must(session_add_event(session, place->track, place->now_ns, place->now_ns + ns, &item));
        place->now_ns += ns;
    }
    if (place->model)
        measure(place, kernel, n);
    session_end_run(session, run, place->now_ns, 1, 0);
    session_set_now(session, place->model ? CLOCK_MODEL : CLOCK_WALL, place->now_ns);
}

void fixture_extremes_fill(struct session *session)
{
    static const char *const variants[] = {"copy", "naive", "tile", "pad", "swizzle"};
    for (int model = 0; model < 2; model++) {
        struct place place = place_open(session, model);
        int n = 0;
        for (int stride = 1; stride <= FIXTURE_EXTREMES_SWEEP; stride++) {
            char params[80];
            snprintf(params, sizeof params, "n=268435456,stride=%d", stride);
            add_run(&place, n++, "copy-stride", "strided", params, "copy_stride");
        }
        for (int i = 0; i < 5; i++) {
            char params[80];
            snprintf(params, sizeof params, "n=%d,tile=32", 1024 << i);
            add_run(&place, n++, "transpose", variants[i], params,
                    "transpose_of_128x128_tiles_by_1024_threads");
        }
    }
}
