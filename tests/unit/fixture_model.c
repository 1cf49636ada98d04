#include "tests/unit/fixture_model.h"

#include "core/intake.h"
#include "core/metric.h"
#include "core/metric_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZERO_NS INT64_C(1700000000000000000) /* the session's start on the wall clock */
#define WORDS 16384.0

static const struct work {
    const char *workload, *variant, *params, *kernel;
    double requests, sectors, ideal;
    double gpu_sectors; /* what the GPU counted; the model, and the rules, say `sectors` */
    bool expected;
} works[FIXTURE_MODEL_CASES] = {
    {"copy-stride", "strided", "stride=1", "copy_stride", WORDS / 32, WORDS / 8, WORDS / 8, WORDS / 8, true},
    {"copy-stride", "strided", "stride=8", "copy_stride", WORDS / 32, WORDS, WORDS / 8, WORDS, true},
    {"histogram", "global", "bins=256", "histogram", WORDS / 32, WORDS / 8, WORDS / 8, WORDS / 8 + 1, false},
};

/* One process that sends. */
struct producer {
    struct intake *intake;
    bool model;
    enum run_mode mode;
    int64_t now_ns; /* of its clock */
    uint32_t strings, correlation;
    const char *texts[64];
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void send(const struct producer *p, uint8_t kind, struct event event)
{
    event.kind = kind;
    intake_event(p->intake, &event, NULL);
}

static uint32_t string(struct producer *p, const char *text)
{
    for (uint32_t i = 0; i < p->strings; i++)
        if (strcmp(p->texts[i], text) == 0)
            return i + 1;
    must(p->strings < sizeof p->texts / sizeof p->texts[0]);
    p->texts[p->strings++] = text;
    const struct event event = {
        .kind = EVENT_BLOB,
        .blob = {.type = BLOB_STRING, .id = p->strings, .size_bytes = (uint32_t)strlen(text)}};
    intake_event(p->intake, &event, (const uint8_t *)text);
    return p->strings;
}

static struct producer producer_open(struct session *session, int32_t pid, bool model, enum run_mode mode,
                                     int64_t start_ns)
{
    const struct process_row row = {.pid = pid,
                                    .rank = -1,
                                    .host = session_add_string(session, "laptop", 6),
                                    .program = session_add_string(session, "lanescope", 9),
                                    .mode = (uint8_t)mode,
                                    .clock = model ? CLOCK_MODEL : CLOCK_WALL,
                                    .start_ns = start_ns,
                                    .end_ns = INT64_MIN,
                                    .exit_status = -1};
    const struct device_info info = {.name = "NVIDIA H200",
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
                                     .shared_bytes_reserved_per_block = 1024,
                                     .copy_engines = 3};
    struct producer p = {.model = model, .mode = mode, .now_ns = model ? 0 : ZERO_NS + start_ns};
    must(intake_create(&p.intake, session, session_add_process(session, &row), NONE, NULL) == STATUS_OK);
    const struct event device = {.kind = EVENT_BLOB,
                                 .blob = {.type = BLOB_DEVICE, .id = 0, .size_bytes = sizeof info}};
    intake_event(p.intake, &device, (const uint8_t *)&info);
    return p;
}

static void producer_close(struct producer *p)
{
    send(p, EVENT_WATERMARK, (struct event){.watermark = {.time_ns = p->now_ns}});
    intake_finish(p->intake);
    intake_destroy(p->intake);
}

/* ---- one case ---- */
static void send_expected(struct producer *p, uint32_t run, const struct work *w)
{
    const struct {
        enum metric metric;
        double number;
    } rows[] = {{METRIC_global_load_requests, w->requests},
                {METRIC_global_load_sectors, w->sectors},
                {METRIC_global_load_ideal_sectors, w->ideal},
                {METRIC_global_load_excess_sectors, w->sectors - w->ideal},
                {METRIC_global_load_sectors_per_request, w->sectors / w->requests}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        send(p, EVENT_EXPECTED,
             (struct event){
                 .expected = {
                     .run = run,
                     .kernel = string(p, w->kernel),
                     .metric = string(p, metric_info(rows[i].metric)->id),
                     .number = w->expected ? rows[i].number : (double)NAN,
                     .why = w->expected ? 0 : string(p, "the data decides which addresses are touched")}});
}

static void send_measurement(struct producer *p, const struct work *w, int64_t start_ns, int64_t end_ns)
{
    const struct {
        const char *counter;
        double number;
    } gpu[] = {{COUNTER_GLOBAL_REQUESTS(ld), w->requests},
               {COUNTER_GLOBAL_SECTORS(ld), w->gpu_sectors},
               {COUNTER_GLOBAL_BYTES(ld), w->ideal * 32},
               {COUNTER_GENERIC(ld), 0},
               {COUNTER_WIDTH(8), 0},
               {COUNTER_WIDTH(16), 0},
               {COUNTER_WIDTH(64), 0},
               {COUNTER_WIDTH(128), 0},
               {COUNTER_OCCUPANCY, 88.5}},
      model[] = {{"model.global_load_requests", w->requests},
                 {"model.global_load_sectors", w->sectors},
                 {"model.global_load_ideal_sectors", w->ideal},
                 {"model.l1_hit_pct", 0},
                 {"model.achieved_occupancy_pct", 91.25}};
    uint32_t count = p->model ? sizeof model / sizeof model[0] : sizeof gpu / sizeof gpu[0];
    send(p, EVENT_MEASUREMENT,
         (struct event){.measurement = {.start_ns = start_ns,
                                        .end_ns = end_ns,
                                        .id = ++p->correlation,
                                        .shape = 1 + (w->kernel[0] == 'h'),
                                        .context = 1,
                                        .stream = 7,
                                        .passes = 1,
                                        .values = count}});
    for (uint32_t i = 0; i < count; i++)
        send(p, EVENT_VALUE,
             (struct event){.value = {.measurement = p->correlation,
                                      .counter = string(p, p->model ? model[i].counter : gpu[i].counter),
                                      .number = p->model ? model[i].number : gpu[i].number}});
}

static void send_launch(struct producer *p, const struct work *w, int64_t duration_ns)
{
    int64_t start_ns = p->now_ns + 4000;
    p->now_ns = start_ns + duration_ns;
    if (p->mode == RUN_TRACE) {
        uint32_t correlation = ++p->correlation;
        send(p, EVENT_CALL,
             (struct event){.call = {.start_ns = start_ns - 3000,
                                     .end_ns = start_ns - 1000,
                                     .correlation = correlation,
                                     .thread = 1,
                                     .name = string(p, "launch"),
                                     .domain = API_OPS,
                                     .category = CALL_LAUNCH}});
        send(p, EVENT_KERNEL,
             (struct event){.kernel = {.start_ns = start_ns,
                                       .end_ns = p->now_ns,
                                       .correlation = correlation,
                                       .shape = 1 + (w->kernel[0] == 'h'),
                                       .context = 1,
                                       .stream = 7}});
    }
    if (p->model || p->mode == RUN_COUNTERS)
        send_measurement(p, w, start_ns, p->now_ns);
}

static void send_copy(struct producer *p, enum copy_kind kind)
{
    int64_t start_ns = p->now_ns + 1000;
    p->now_ns = start_ns + 1500;
    send(p, EVENT_COPY,
         (struct event){.copy = {.start_ns = start_ns,
                                 .end_ns = p->now_ns,
                                 .size_bytes = (uint64_t)WORDS * 4,
                                 .context = 1,
                                 .stream = 7,
                                 .copy_kind = (uint8_t)kind,
                                 .source_memory = kind == COPY_HTOD ? MEMORY_PINNED : MEMORY_DEVICE,
                                 .destination_memory = kind == COPY_HTOD ? MEMORY_DEVICE : MEMORY_PINNED}});
}

static void send_work(struct producer *p, uint32_t run, const struct work *w)
{
    struct event event = {.run = {.time_ns = p->now_ns,
                                  .id = run,
                                  .workload = string(p, w->workload),
                                  .variant = string(p, w->variant),
                                  .params = string(p, w->params),
                                  .verified = -1,
                                  .mode = (uint8_t)p->mode,
                                  .clock = p->model ? CLOCK_MODEL : CLOCK_WALL,
                                  .effective_bytes = 8 * WORDS,
                                  .kernel = string(p, w->kernel)}};
    send(p, EVENT_RUN_BEGIN, event);
    send_expected(p, run, w);
    if (p->mode == RUN_TRACE)
        send_copy(p, COPY_HTOD);
    for (int i = 0; i < (p->model || p->mode == RUN_COUNTERS ? 1 : 3); i++)
        send_launch(p, w, p->model ? FIXTURE_MODEL_TIME_NS + 500 * (int64_t)(run - 1) : 2900 + 100 * i);
    if (p->mode == RUN_TRACE)
        send_copy(p, COPY_DTOH);
    event.run.time_ns = p->now_ns += 500;
    event.run.verified = 1;
    send(p, EVENT_RUN_END, event);
    send(p, EVENT_WATERMARK, (struct event){.watermark = {.time_ns = p->now_ns}});
}

static void run_all(struct session *session, int32_t pid, bool model, enum run_mode mode, int64_t start_ns)
{
    struct producer p = producer_open(session, pid, model, mode, start_ns);
    static const char *const kernels[] = {"copy_stride", "histogram"};
    for (uint32_t i = 0; i < 2; i++)
        send(&p, EVENT_SHAPE,
             (struct event){.shape = {.id = i + 1,
                                      .name = string(&p, kernels[i]),
                                      .grid = {64, 1, 1},
                                      .block = {256, 1, 1},
                                      .registers_per_thread = 16}});
    for (uint32_t i = 0; i < FIXTURE_MODEL_CASES; i++)
        send_work(&p, i + 1, &works[i]);
    producer_close(&p);
    session_end_process(session, session_process_count(session) - 1, start_ns + 50000000, 0);
}

struct session *fixture_model_session(bool gpu)
{
    struct session *session;
    must(session_create(&session, ZERO_NS, NULL) == STATUS_OK);
    if (gpu) {
        run_all(session, 100, false, RUN_TRACE, 10000000);
        run_all(session, 101, false, RUN_COUNTERS, 200000000);
    }
    run_all(session, 102, true, RUN_TRACE, 400000000);
    return session;
}

uint32_t fixture_model_kernel(const struct session *session, uint32_t which, enum clock_kind clock,
                              enum run_mode mode)
{
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct run_row *run = session_run(session, session_kernel(session, i)->run);
        if (run && run->clock == clock && run->mode == mode &&
            strcmp(session_string(session, run->params), works[which].params) == 0)
            return i;
    }
    return NONE;
}
