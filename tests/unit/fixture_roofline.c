#include "tests/unit/fixture_roofline.h"

#include "core/metric.h"
#include "core/metric_counters.h"

#include <stdlib.h>
#include <string.h>

static const struct work {
    const char *workload, *kernel;
    double time_ns, adds, doubles, read, written; /* on the GPU; adds and doubles are additions of lanes */
    double model_ns;                              /* 0: it did not run there */
    bool counted;
} works[] = {
    {"copy-offset", "copy_offset", 32000, 0, 0, 67108864, 67108864, 31000, true},
    {"matmul-ab", "matmul_simple", 46432, 268435456, 0, 1048576, 16777216, 37200, true},
    {"matmul-ab", "matmul_ab_tiles", 37440, 268435456, 0, 1048576, 16777216, 28700, true},
    {"math", "math_double_constants", 71328, 0, 268435456, 8388608, 8388608, 60000, true},
    {"math", "math_float_constants", 12769, 268435456, 0, 8388608, 8388608, 0, true},
    {"radix-sort", "radix_sort_passes", 20000, 0, 0, 0, 0, 0, false},
};
#define WORKS (sizeof works / sizeof *works)

struct place {
    struct session *session;
    uint32_t process, device, track;
    enum run_mode mode;
    bool model;
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

static struct place place_open(struct session *session, enum run_mode mode, bool model)
{
    struct place place = {.session = session, .mode = mode, .model = model};
    place.process =
        session_add_process(session, &(struct process_row){.pid = 500 + (int)mode + 10 * model,
                                                           .rank = -1,
                                                           .program = string(session, "lanescope"),
                                                           .mode = (uint8_t)mode,
                                                           .clock = model ? CLOCK_MODEL : CLOCK_WALL,
                                                           .end_ns = INT64_MIN});
    struct device_row device = {.process = place.process,
                                .info = {.name = "NVIDIA H200",
                                         .chip = "GH100",
                                         .is_model = model,
                                         .compute_capability = 90,
                                         .multiprocessors = 132,
                                         .memory_bus_bits = 6016,
                                         .memory_clock_khz = 3201000,
                                         .core_clock_khz = 1980000}};
    place.device = session_add_device(session, &device);
    place.track = session_add_track(session, &(struct track_row){.kind = TRACK_STREAM,
                                                                 .process = place.process,
                                                                 .device = place.device,
                                                                 .clock = model ? CLOCK_MODEL : CLOCK_WALL,
                                                                 .context = 1,
                                                                 .stream = 7});
    return place;
}

static void measure(const struct place *place, uint32_t kernel, const struct work *work)
{
    const struct counter_sample counters[] = {{COUNTER_OPERATION(fadd), work->adds},
                                              {COUNTER_OPERATION(fmul), 0},
                                              {COUNTER_OPERATION(ffma), 0},
                                              {COUNTER_OPERATION(dadd), work->doubles},
                                              {COUNTER_OPERATION(dmul), 0},
                                              {COUNTER_OPERATION(dfma), 0},
                                              {COUNTER_OPERATION(hadd), 0},
                                              {COUNTER_OPERATION(hmul), 0},
                                              {COUNTER_OPERATION(hfma), 0}},
                                memory[] = {{COUNTER_DRAM_READ, work->read},
                                            {COUNTER_DRAM_WRITE, work->written},
                                            {COUNTER_TIME, work->time_ns + 800}},
                                model[] = {{"model.float_operations", work->adds},
                                           {"model.double_operations", work->doubles},
                                           {"model.half_operations", 0},
                                           {"model.dram_read_bytes", work->read},
                                           {"model.dram_write_bytes", 0.9 * work->written}};
    const struct counter_sample *samples = place->model                ? model
                                           : place->mode == RUN_MEMORY ? memory
                                                                       : counters;
    uint32_t count = place->model ? 5 : place->mode == RUN_MEMORY ? 3 : 9;
    struct value_row values[9];
    for (uint32_t i = 0; i < count; i++)
        values[i] = (struct value_row){string(place->session, samples[i].counter), samples[i].number};
    const struct measurement_row row = {.kernel = kernel,
                                        .passes = place->mode == RUN_COUNTERS ? 4 : 1,
                                        .values = count,
                                        .start_ns = 0,
                                        .end_ns = (int64_t)work->model_ns};
    must(session_add_measurement(place->session, &row, values) != NONE);
}

static void add_work(const struct place *place, uint32_t group, const struct work *work, int64_t *now_ns)
{
    struct session *session = place->session;
    const struct run_row run = {.process = place->process,
                                .device = place->device,
                                .group = group,
                                .workload = string(session, work->workload),
                                .variant = string(session, work->kernel),
                                .params = string(session, ""),
                                .mode = (uint8_t)place->mode,
                                .clock = place->model ? CLOCK_MODEL : CLOCK_WALL,
                                .start_ns = *now_ns,
                                .end_ns = *now_ns + 200000,
                                .verified = 1};
    const struct shape_row shape = {.name = string(session, work->kernel),
                                    .grid = {4096, 1, 1},
                                    .block = {256, 1, 1},
                                    .registers_per_thread = 32};
    uint32_t kernel = session_add_kernel(session, session_add_run(session, &run),
                                         session_add_shape(session, &shape), place->device);
    must(kernel != NONE);
    if (place->mode == RUN_TRACE) {
        double ns = place->model ? work->model_ns : work->time_ns;
        struct item item = {.kind = ITEM_LAUNCH};
        item.launch.kernel = kernel;
        item.launch.call_start_ns = INT64_MIN;
        must(session_add_event(session, place->track, *now_ns, *now_ns + (int64_t)ns, &item));
    }
    if (work->counted && (place->mode != RUN_TRACE || place->model))
        measure(place, kernel, work);
    *now_ns += 250000;
}

void fixture_roofline_fill(struct session *session)
{
    int64_t now_ns = 1000, model_ns = 1000;
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
        const struct place gpu = place_open(session, mode, false);
        for (uint32_t i = 0; i < WORKS; i++)
            add_work(&gpu, i + 1, &works[i], &now_ns);
    }
    const struct place model = place_open(session, RUN_TRACE, true);
    for (uint32_t i = 0; i < WORKS; i++)
        if (works[i].model_ns > 0)
            add_work(&model, i + 1, &works[i], &model_ns);
}
